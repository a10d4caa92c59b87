#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""features.py - uses each feature that a server offers, over each transport.

The servers are server-everything over stdio, streamable HTTP and HTTP+SSE, modern.mjs on
the official SDK over stdio and HTTP in both eras, and skills.mjs with skills (SEP-2640)
over stdio and HTTP in both eras.  Each server has a table of rows, and skills.mjs has two
tables.  The last row of each table except MADE_UP lists the features of the server.  The
row fails if there is a tool, prompt, resource, template or argument that no row has used.

The script also runs the commands that README.md shows with server-everything.

    features.py BUILD-DIRECTORY DIRECTORY-WITH-NODE_MODULES [WORD-OF-A-NAME]
"""
import os
import re
import subprocess
import sys
import tempfile
import threading

import host as h
from everything import EVERYTHING, everything_unasked
from host import K, Report, Server, bind, free_port, web
from modern import MODERN, modern_unasked
from rows import Host, write
from skills import FILES, MADE_UP, SKILLS


class Try:
    """Runs the rows of one server over one transport in order, with one host."""

    def __init__(self, report, name, rows):
        self.report, self.name, self.rows = report, name, rows

    def host(self, lib, entry, sse, requests=h.REQUESTS, level=None):
        """Makes a host.  Sets the log level in the host over HTTP+SSE, otherwise in the entry."""
        options = {"MESSAGES": K["MCPHOST_MESSAGES_" + level.upper()]} if sse and level else {}
        if level and not sse:
            entry = {**entry, "logLevel": level}
        return Host(lib, entry, sse, requests, **options)

    def run(self, lib, entry, sse=None, level=None, unasked=None, **attributes):
        hosts = []

        def begin():
            hosts.append(self.host(lib, entry, sse, level=level))
            vars(hosts[0]).update(attributes)

        def alone(fn, at):
            host = self.host(lib, entry, sse, (), at)
            try:
                fn(host)
            finally:
                host.close()

        if self.report.run(f"{self.name}: it comes up", begin):
            for name, fn in self.rows:
                self.report.run(f"{self.name}: {name}", fn, hosts[0])
            self.report.run(f"{self.name}: a clean end", hosts[0].close)
        if unasked:
            self.report.run(f"{self.name}: a client that answers nothing", alone, *unasked)


def package():
    return os.path.join(os.getcwd(), "node_modules", "@modelcontextprotocol",
                        "server-everything", "dist")


def everything_at(port, transport):
    """Starts the server without npx, because a server outlives its npx."""
    return Server(["node", os.path.join(package(), "index.js"), transport], port,
                  PORT=str(port), INTEROP="through")


def everything(report, lib, out, transport):
    common = {"level": "debug", "unasked": (everything_unasked, "emergency"),
              "files": os.path.join(package(), "docs")}
    a_try = Try(report, f"server-everything, {transport}", EVERYTHING)
    if transport == "stdio":
        a_try.run(lib, {"transport": "stdio", "command": "node",
                        "args": [os.path.join(package(), "index.js")],
                        "env": {"INTEROP": "through"}}, **common)
        return
    server = everything_at(free_port(), transport)
    try:
        a_try.run(lib, web(server.url), server.url.replace("/mcp", "/sse")
                  if transport == "sse" else None, **common)
    finally:
        server.stop()


def ours(report, lib, out, script, rows, name, how, era, *arguments, **attributes):
    """Tests a server of this directory over stdio or HTTP (see serve.mjs)."""
    command = ["node", os.path.join(os.getcwd(), script), how, *arguments]
    attributes.update(command=command, ctl=os.path.join(out, "bin", "mcphostctl"))
    keys = {"era": era, "truely-stateless": True}  # all dialogs share one process
    a_try = Try(report, f"{name}, {'stdio' if how == 'stdio' else 'HTTP'}, {era}", rows)
    if how == "stdio":
        a_try.run(lib, {"transport": "stdio", "command": command[0], "args": command[1:],
                        **keys}, http=None, **attributes)
        return
    server = Server(command)
    try:
        a_try.run(lib, web(server.url, **keys), http=server.url, **attributes)
    finally:
        server.stop()


def modern(report, lib, out, how, era):
    ours(report, lib, out, "modern.mjs", MODERN, "the SDK's server", how, era, level="warning",
         unasked=(modern_unasked, None))


def skills(report, lib, out, how, era):
    with tempfile.TemporaryDirectory() as directory:
        for name, content in FILES.items():
            write(directory, name, content)
        ours(report, lib, out, "skills.mjs", SKILLS, "skills", how, era, directory,
             files=directory)
    ours(report, lib, out, "skills.mjs", MADE_UP, "skills made up", how, era)


def readme(report, lib, out):
    """Runs the commands that README.md shows with server-everything.  npx finds the pinned
    version in the working directory.  A free port replaces the port of the commands."""
    with open(os.path.join(h.TOP, "README.md"), encoding="utf-8") as f:
        lines = re.findall(r"^    \$ (mcphostctl (?:--stdio 'npx|--url).*)$", f.read(), re.M)
    assert len(lines) >= 6, lines
    port = free_port()
    server = everything_at(port, "streamableHttp")
    path = os.path.join(out, "bin") + os.pathsep + os.environ["PATH"]

    def as_shown(line):
        done = subprocess.run(line.replace("localhost:3001", f"localhost:{port}"), shell=True,
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": path})
        assert done.returncode == 0 and done.stdout, (done.returncode, done.stderr)
    try:
        for line in lines:
            report.run(f"README: {line}", as_shown, line)
    finally:
        server.stop()


def guarded(fn, report, *arguments):
    try:
        fn(report, *arguments)
    except Exception as error:  # nothing else reports an exception of a thread
        report.tell(" ".join((fn.__name__, *map(str, arguments[2:]))), repr(error))


def main():
    out, work = map(os.path.abspath, sys.argv[1:3])
    lib = bind(out)
    os.chdir(work)
    report = Report()
    tries = [(everything, transport) for transport in ("stdio", "streamableHttp", "sse")]
    tries.append((readme,))
    for each in modern, skills:
        tries += [(each, how, era) for era, http in (("modern", "modern"), ("legacy", "either"))
                  for how in ("stdio", http)]
    threads = [threading.Thread(target=guarded, args=(fn, report, lib, out, *arguments))
               for fn, *arguments in tries
               if len(sys.argv) < 4 or sys.argv[3] in " ".join((fn.__name__, *arguments))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report.end()


main()
