#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcpservers.py - tests unchanged `mcpServers` files of Claude Code, Cursor and llama.cpp.

There is one file of each program.  Each file starts the same three servers by npx, in
the form that its program documents.  The workspaces lie below the directory of
node_modules, where npx finds the servers that package-lock.json pins.  npm is offline and
has an empty cache, so that npx installs nothing.

    mcpservers.py BUILD-DIRECTORY DIRECTORY-WITH-NODE_MODULES
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from batch import Batch
from host import Report, text_of
from rows import equal, within, write

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcpservers")

TOOLS = {
    "filesystem": set(
        "create_directory directory_tree edit_file get_file_info list_allowed_directories "
        "list_directory list_directory_with_sizes move_file read_file read_media_file "
        "read_multiple_files read_text_file search_files write_file".split()),
    "memory": set(
        "add_observations create_entities create_relations delete_entities "
        "delete_observations delete_relations open_nodes read_graph search_nodes".split()),
    "sequential-thinking": {"sequentialthinking"},
}


class Program:
    """A program with an `mcpServers` file: the file's path, and facts about its servers."""

    def __init__(self, name, path, root=".", graph="graph.jsonl", unknown=()):
        self.name, self.path = name, path
        self.root = root  # the directory that the server filesystem may read
        self.graph = graph  # the file of the server memory
        self.unknown = unknown  # keys that mcphost-mcpservers(5) does not know


PROGRAMS = (
    Program("claude-code", ".mcp.json"),
    Program("cursor", ".cursor/mcp.json", graph=".cursor/graph.jsonl", 
            unknown=("mcpServers.memory.envFile",)),
    Program("llama.cpp", "mcp-servers.json", root="notes", 
            unknown=("mcpServers.filesystem.timeout_ms",)),
)


class Workspace:
    def __init__(self, directory, program):
        self.directory = os.path.realpath(directory)
        self.program = program
        self.file = os.path.join(self.directory, program.path)
        self.root = os.path.normpath(os.path.join(self.directory, program.root))
        self.graph = os.path.join(self.directory, program.graph)
        with open(os.path.join(FILES, program.name + ".json"), "rb") as f:
            self.text = f.read()
        write(self.directory, program.path, self.text)
        os.makedirs(self.root, exist_ok=True)

    def environment(self):
        env = {key: value for key, value in os.environ.items()
               if not key.lower().startswith(("npm_", "notes_", "memory_"))}
        env.update(npm_config_offline="true", npm_config_update_notifier="false",
                   npm_config_cache=os.path.join(self.directory, "npm"))
        if self.program.name == "claude-code":
            env["NOTES_GRAPH"] = self.graph
        elif self.program.name == "cursor":
            env["NOTES_QUIET"] = "true"
        else:  # llama.cpp replaces no variables, so its servers inherit them
            env["MEMORY_FILE_PATH"] = self.graph
        return env


def ctl(path, workspace, *words):
    return subprocess.run([path, "-C", workspace.directory, *words], text=True,
                          env=workspace.environment(), timeout=60, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_file(path, workspace):
    """Checks that the file has no error, and a warning for each unknown key."""
    run = ctl(path, workspace, "--config", workspace.file, "check", "--json")
    equal(run.returncode, 0)
    report = json.loads(run.stdout)
    equal([(row["id"], row["state"]) for row in report["servers"]],
          [(name, "valid") for name in TOOLS])
    equal([(row["severity"], row["key"]) for row in report["diagnostics"]],
          [("warning", key) for key in workspace.program.unknown])


def check_tools(batch):
    by_server = {}
    for row in batch.do("tools"):
        by_server.setdefault(row["server"], set()).add(row["name"])
    equal(by_server, TOOLS)
    equal({(row["id"], row["state"], row["transport"]) for row in batch.do("servers")},
          {(name, "loaded", "stdio") for name in TOOLS})


def check_filesystem(batch, workspace):
    path = os.path.join(workspace.root, "note.txt")
    allowed = text_of(batch.call("a", "list_allowed_directories"))
    equal(allowed.split("\n")[1:], [workspace.root])
    batch.call("a", "write_file", path=path, content="grüße\nsecond\n")
    with open(path, encoding="utf-8") as f:
        equal(f.read(), "grüße\nsecond\n")
    # A relative path begins at the server's directory, which is the entry's cwd or the
    # workspace.
    equal(text_of(batch.call("b", "read_text_file", path="note.txt")), "grüße\nsecond\n")
    equal(text_of(batch.call("b", "read_text_file", path=path, head=1)).rstrip("\n"), "grüße")
    outside = batch.call("a", "read_text_file", path="/etc/passwd")
    assert outside.get("isError"), outside


def check_memory(batch, workspace):
    """Checks that two dialogs' processes use the file that the variable names."""
    batch.call("a", "create_entities", entities=[
        {"name": "harbour", "entityType": "place", "observations": ["has a crane"]},
        {"name": "crane", "entityType": "thing", "observations": ["is yellow"]}])
    batch.call("a", "create_relations", relations=[
        {"from": "harbour", "to": "crane", "relationType": "has"}])
    found = batch.call("b", "search_nodes", query="yellow")["structuredContent"]
    equal([entity["name"] for entity in found["entities"]], ["crane"])
    graph = batch.call("a", "read_graph")["structuredContent"]
    equal(graph["relations"], [{"from": "harbour", "to": "crane", "relationType": "has"}])
    with open(workspace.graph, encoding="utf-8") as f:
        equal(len(f.read().splitlines()), 3)


def think(batch, dialog, number, **more):
    return batch.call(dialog, "sequentialthinking", thought=f"thought {number}",
                      thoughtNumber=number, totalThoughts=3, nextThoughtNeeded=True,
                      **more)["structuredContent"]


def check_thinking(batch):
    """Checks that each dialog has a process of its own, which keeps the dialog's thoughts."""
    equal(think(batch, "a", 1)["thoughtHistoryLength"], 1)
    second = think(batch, "a", 2, branchFromThought=1, branchId="aside")
    equal((second["thoughtHistoryLength"], second["branches"]), (2, ["aside"]))
    other = think(batch, "b", 4)
    equal((other["thoughtHistoryLength"], other["branches"], other["totalThoughts"]), (1, [], 4))


def below(pid):
    """Returns all descendants of a process: guards, npx, its shell, the server."""
    found = []
    for entry in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{entry}/children", encoding="ascii") as f:
            for child in map(int, f.read().split()):
                found.append(child)
                try:
                    found += below(child)
                except FileNotFoundError:
                    pass
    return found


def check_end(batch, servers):
    pids = below(batch.process.pid)
    assert len(pids) >= 3 * servers, f"{len(pids)} processes of {servers} servers"
    batch.do("quit")
    equal(batch.process.wait(20), 0)
    until = time.monotonic() + 2
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        assert time.monotonic() < until, "processes are left"
        time.sleep(0.02)


def check_unchanged(workspace):
    with open(workspace.file, "rb") as f:
        equal(f.read(), workspace.text)
    assert not os.path.exists(os.path.join(workspace.directory, "npm", "_npx")), "installed"


def one(report, path, work, program):
    with tempfile.TemporaryDirectory(dir=work) as directory:
        workspace = Workspace(directory, program)
        report.run(f"{program.name}: the file is understood", check_file, path, workspace)
        batch = Batch(path, "-C", workspace.directory, "--config", workspace.file,
                      env=workspace.environment())
        batch.do("wait")
        report.run(f"{program.name}: all tools", check_tools, batch)
        report.run(f"{program.name}: filesystem", check_filesystem, batch, workspace)
        report.run(f"{program.name}: memory", check_memory, batch, workspace)
        report.run(f"{program.name}: sequential-thinking", check_thinking, batch)
        report.run(f"{program.name}: no process is left", check_end, batch, 3)
        report.run(f"{program.name}: unchanged, nothing installed", check_unchanged, workspace)


def check_two(batch):
    """Checks that the earlier source gets the names of servers with equal ids."""
    rows = {(row.get("source"), row["id"]) for row in batch.do("servers")
            if row["state"] == "loaded"}
    equal(rows, {(source, name) for source in ("cursor", "mcpservers") for name in TOOLS})
    tools = batch.do("tools")
    equal({row["name"] for row in tools}, set().union(*TOOLS.values()))
    equal({row.get("source") for row in tools}, {"cursor"})
    equal(think(batch, "a", 1)["thoughtHistoryLength"], 1)


def two(report, path, work):
    """Uses two files: Cursor's, which is named and therefore earlier, and Claude Code's."""
    with tempfile.TemporaryDirectory(dir=work) as directory:
        claude, cursor = (Workspace(directory, program) for program in PROGRAMS[:2])
        batch = Batch(path, "-C", directory, "--source", "cursor=" + cursor.file,
                      env={**claude.environment(), **cursor.environment()})
        batch.do("wait")
        report.run("two files as two sources", check_two, batch)
        report.run("two files: no process is left", check_end, batch, 6)
        for workspace in claude, cursor:
            report.run(f"two files: {workspace.program.name}'s is unchanged", check_unchanged,
                       workspace)


def main():
    out, work = map(os.path.abspath, sys.argv[1:3])
    path = os.path.join(out, "bin", "mcphostctl")
    report = Report()
    for program in PROGRAMS:
        one(report, path, work, program)
    two(report, path, work)
    report.end()


main()
