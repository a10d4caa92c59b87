#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""servers.py - runs three real servers from one configuration, as a user would.

It uses `mcphostctl batch` to check the lists, the results of calls, and which process
serves which dialog.

    servers.py BUILD-DIRECTORY DIRECTORY-WITH-NODE_MODULES
"""
import json
import os
import sys
import tempfile

from batch import Batch
from host import Report, text_of

CONFIG = """\
version: 1
servers:
  everything:
    truely-stateless: true
    transport: stdio
    command: node
    args: [{everything}]
    tools:
      blacklist: ['toggle-*', 'gzip-*', 'simulate-*']
      whitelist: ['toggle-simulated-logging']
    transform:
      - prefix: ev_
  files:
    transport: stdio
    command: node
    args: [{filesystem}, {directory}]
    tools:
      whitelist: ['read_text_file', 'write_file', 'list_*']
    transform:
      - prefix: {{ remove: list_, add: ls_ }}
      - suffix: _fs
  memory:
    transport: stdio
    command: node
    args: [{memory}]
    env:
      MEMORY_FILE_PATH: {graph}
"""

EVERYTHING = {"ev_" + name for name in (
    "echo get-annotated-message get-env get-resource-links get-resource-reference "
    "get-structured-content get-sum get-tiny-image toggle-simulated-logging "
    "trigger-long-running-operation").split()}
# `prefix` adds its text even to a name that does not begin with the text to remove (R43).
FILES = {"ls_read_text_file_fs", "ls_write_file_fs", "ls_directory_fs",
         "ls_directory_with_sizes_fs", "ls_allowed_directories_fs"}
MEMORY = set("create_entities create_relations add_observations delete_entities "
             "delete_observations delete_relations read_graph search_nodes open_nodes".split())


def check_lists(batch):
    rows = batch.do("tools")
    by_server = {}
    for row in rows:
        by_server.setdefault(row["server"], set()).add(row["name"])
    assert by_server["everything"] == EVERYTHING, by_server["everything"] ^ EVERYTHING
    assert by_server["files"] == FILES, by_server["files"] ^ FILES
    assert by_server["memory"] == MEMORY, by_server["memory"] ^ MEMORY
    original = {row["name"]: row["original"] for row in rows}
    assert original["ls_directory_fs"] == "list_directory"
    for row in batch.do("servers"):
        assert row["state"] == "loaded" and row["transport"] == "stdio", row
        assert row["era"] == "legacy" and row["version"] == "2025-11-25", row


def check_content(batch):
    assert text_of(batch.call("a", "ev_echo", message="grüße")) == "Echo: grüße"
    assert "42" in text_of(batch.call("a", "ev_get-sum", a=40, b=2))
    structured = batch.call("a", "ev_get-structured-content", location="Chicago")
    assert "temperature" in structured["structuredContent"], structured
    picture = batch.call("a", "ev_get-tiny-image")["content"]
    assert any(item["type"] == "image" and item["mimeType"] == "image/png" for item in picture)
    slow = batch.send("call", dialog="a", tool="ev_trigger-long-running-operation",
                      arguments={"duration": 1, "steps": 4})
    assert text_of(batch.call("b", "ev_echo", message="meanwhile")) == "Echo: meanwhile"
    assert slow not in batch.answers, "the slow call held up the other"
    assert batch.answer(slow)["ok"]
    assert any(event["event"] == "progress" for event in batch.events), "no progress"


def check_files(batch, directory):
    path = os.path.join(directory, "note.txt")
    batch.call("a", "ls_write_file_fs", path=path, content="first\nsecond\n")
    with open(path) as f:
        assert f.read() == "first\nsecond\n"
    assert "second" in text_of(batch.call("b", "ls_read_text_file_fs", path=path))
    outside = batch.call("a", "ls_read_text_file_fs", path="/etc/passwd")
    assert outside.get("isError"), "the server's own refusal is a result"


def check_leases(batch):
    batch.call("a", "create_entities", entities=[
        {"name": "lease", "entityType": "noun", "observations": ["held by a"]}])
    batch.call("b", "read_graph")
    pids = batch.pids("memory")
    assert pids["a"] and pids["b"] and pids["a"] != pids["b"], pids
    assert "held by a" in text_of(batch.call("a", "search_nodes", query="lease"))
    assert batch.pids("memory") == pids, "the same dialog, the same process"
    shared = batch.pids("everything")
    assert len(shared) == 1, shared
    reminders = [e for e in batch.events if e["event"] == "reminder" and e["server"] == "memory"]
    assert sorted(e["dialog"] for e in reminders) == ["a", "b"], reminders

    batch.do("release", dialog="a", server="memory")
    batch.call("a", "read_graph")
    again = batch.pids("memory")
    assert again["a"] != pids["a"] and again["b"] == pids["b"], (pids, again)


def check_end(batch, pids):
    batch.do("quit")
    assert batch.process.wait(20) == 0
    left = [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
    assert not left, f"left behind: {left}"


def main():
    out, work = map(os.path.abspath, sys.argv[1:3])
    report = Report()
    with tempfile.TemporaryDirectory() as workspace:
        modules = os.path.join(work, "node_modules", "@modelcontextprotocol")
        directory = os.path.realpath(workspace)
        paths = {name: json.dumps(os.path.join(modules, f"server-{name}", "dist", "index.js"))
                 for name in ("everything", "filesystem", "memory")}
        os.mkdir(os.path.join(workspace, ".minds"))
        with open(os.path.join(workspace, ".minds", "mcp.yaml"), "w") as f:
            f.write(CONFIG.format(directory=json.dumps(directory),
                                  graph=json.dumps(os.path.join(directory, "graph.jsonl")),
                                  **paths))
        batch = Batch(os.path.join(out, "bin", "mcphostctl"), "-C", workspace)
        batch.do("wait")
        report.run("tools under their names", check_lists, batch)
        report.run("content, structured content, progress", check_content, batch)
        report.run("files", check_files, batch, directory)
        report.run("leases", check_leases, batch)
        pids = [row["pid"] for row in batch.do("leases")]
        report.run("a clean end", check_end, batch, pids)
    report.end()


main()
