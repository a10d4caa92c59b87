# SPDX-License-Identifier: MIT
"""The workspace with the scripted server, which the tests share."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

BUILD = os.environ.get("MCPHOST_BUILD", os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "build"))
SERVER = os.path.join(os.path.realpath(BUILD), "tests", "fakeserver")
GUARD = os.path.join(os.path.realpath(BUILD), "bin", "mcphost-guard")


class Workspace:
    """A directory with a configuration of servers, by their scripts."""

    def __init__(self, **scripts: str) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="mcphost-test.")
        self.dir = self._temporary.name
        os.mkdir(os.path.join(self.dir, ".minds"))
        lines = ["version: 1", "servers:"]
        for name, script in (scripts or {"a": ""}).items():
            path = os.path.join(self.dir, name + ".script")
            with open(path, "w", encoding="utf-8") as file:
                file.write(script)
            lines += [f"  {name}:", "    transport: stdio", f"    command: \"{SERVER}\"",
                      f"    args: [\"{path}\"]", "    truely-stateless: true",
                      f"    transform: [{{prefix: \"{name}_\"}}]"]
        with open(os.path.join(self.dir, ".minds", "mcp.yaml"), "w",
                  encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *exc: object) -> None:
        self._temporary.cleanup()


def settings() -> dict[str, Any]:
    """Returns the settings of a host in the build tree."""
    return {"guard_path": GUARD}


def run_python(code: str, *args: str, timeout: float = 60,
               **more: Any) -> subprocess.CompletedProcess[str]:
    """Runs a program of Python in a process of its own."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", code, *args],
                          capture_output=True, text=True, timeout=timeout, env=env, **more)


def count_servers(directory: str) -> int:
    """Returns the number of processes of scripted servers of a workspace."""
    found = 0
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", encoding="utf-8") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        found += words[0] == SERVER and any(w.startswith(directory) for w in words)
    return found


SAMPLING = """era legacy
tool ask
on call:ask
  ask sampling/createMessage {"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":10}
  text %r
"""


class LoginServer:
    """A server that wants access tokens, and its authorization server."""

    def __init__(self, script: str = "") -> None:
        self._workspace = tempfile.TemporaryDirectory(prefix="mcphost-test.")
        path = os.path.join(self._workspace.name, "web.script")
        with open(path, "w", encoding="utf-8") as file:
            file.write("auth on\n" + script)
        self._process = subprocess.Popen(
            [os.path.join(os.path.dirname(SERVER), "fakehttp"), path], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.url, self.issuer = (
            self._process.stdout.readline().strip() for _ in range(2))

    def close(self) -> None:
        """Ends the server."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._workspace.cleanup()


def browse(url: str, how: str = "login") -> subprocess.Popen[str]:
    """Starts a browser whose user does `how`: login, deny, or print for the redirect."""
    return subprocess.Popen(
        [os.path.join(os.path.dirname(SERVER), "browser_main"), url, how], text=True,
        stdout=subprocess.PIPE)
