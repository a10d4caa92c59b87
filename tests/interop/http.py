#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""http.py - drives real servers over HTTP, through the shared library with ctypes.

The servers are server-everything (with sessions, with a session that another client
began, and over HTTP+SSE), mcp-proxy in front of it (modern and legacy), modern.mjs on the
official SDK (in either era, and modern only), and h2.mjs over HTTP/2.
The checks list, call and cancel, and receive progress, requests and changes.  The table
at the end shows which server has shown which feature.

    http.py BUILD-DIRECTORY DIRECTORY-WITH-NODE_MODULES
"""
import json
import os
import re
import socket
import subprocess
import sys
import time

from host import K, Failed, Host, Report, Server, bind, free_port, web

PROVEN = {}  # name of a check -> features that it has shown
COLUMNS = ("list", "call", "progress", "cancel", "elicitation", "sampling", "roots", "changes")


def proven(what):
    PROVEN[next(reversed(PROVEN))].add(what)


# ---- checks ------------------------------------------------------------------------

def progress(host, tool, times, **arguments):
    before = len(host.events)
    host.call(tool, **arguments)
    told = len(host.of("PROGRESS", before))
    assert told in times, f"progress {told} times, not {times}"
    proven("progress")


def cancel(host, tool, **arguments):
    call = host.start(tool, **arguments)
    host.turn(0.3)
    begin = time.monotonic()
    host.cancel(call)
    try:
        host.end(call)
    except Failed as failed:
        assert failed.code == K["MCPHOST_E_CANCELLED"], failed
    else:
        raise AssertionError("it was not cancelled")
    assert time.monotonic() - begin < 5
    proven("cancel")


def everything(host, version):
    assert host.version == version, host.version
    tools = host.tools()
    assert "echo" in tools and "get-tiny-image" in tools, tools
    assert host.text("echo", message="grüße") == "Echo: grüße"
    assert "42" in host.text("get-sum", a=40, b=2)
    assert "temperature" in host.call("get-structured-content",
                                      location="Chicago")["structuredContent"]
    assert any(item["type"] == "image" for item in host.call("get-tiny-image")["content"])
    PROVEN[next(reversed(PROVEN))].update(("list", "call"))


def everything_http(lib, modules, transport):
    port = free_port()
    server = Server(["node", os.path.join(modules, "@modelcontextprotocol",
                                          "server-everything", "dist", "index.js"),
                     transport], port, PORT=str(port))
    sse = transport == "sse"
    try:
        host = Host(lib, web(server.url), sse and server.url.replace("/mcp", "/sse"))
        everything(host, "2025-11-25")
        progress(host, "trigger-long-running-operation", (4,), duration=1, steps=4)
        cancel(host, "trigger-long-running-operation", duration=30, steps=30)
        host.until(lambda: "trigger-elicitation-request" in host.tools(),
                   "no tool that asks")
        assert "Ada" in host.text("trigger-elicitation-request")
        assert "hello there" in host.text("trigger-sampling-request", prompt="hi",
                                          maxTokens=10)
        assert "file:///srv/work" in host.text("get-roots-list")
        PROVEN[next(reversed(PROVEN))].update(("elicitation", "sampling", "roots", "changes"))
        host.close()
    finally:
        server.stop()


def post(url, message, session=None):
    """Sends one message without the library.  Returns the answer's session, or None."""
    host, path = re.fullmatch(r"http://([^/]+)(/.*)", url).groups()
    name, port = host.split(":")
    body = json.dumps(message)
    head = [f"POST {path} HTTP/1.1", f"Host: {host}", "Connection: close",
            "Content-Type: application/json", f"Content-Length: {len(body)}",
            "Accept: application/json, text/event-stream"]
    if session:
        head.append(f"Mcp-Session-Id: {session}")
    with socket.create_connection((name, int(port)), 10) as s:
        s.sendall("\r\n".join([*head, "", body]).encode())
        answer = s.makefile("rb").read().decode()
    assert re.match(r"HTTP/1.1 2\d\d ", answer), answer
    found = re.search(r"(?im)^mcp-session-id: *(\S+)", answer)
    return found and found.group(1)


def begin_session(url):
    session = post(url, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "somebody", "version": "1"}}})
    post(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
    return session


def given_session(lib, modules):
    port = free_port()
    server = Server(["node", os.path.join(modules, "@modelcontextprotocol",
                                          "server-everything", "dist", "index.js"),
                     "streamableHttp"], port, PORT=str(port))
    ping = {"jsonrpc": "2.0", "id": 99, "method": "ping"}
    try:
        session = begin_session(server.url)
        host = Host(lib, web(server.url, sessionId=session, **{"truely-stateless": True}))
        # A server assumes this version if a request does not name a version.
        everything(host, "2025-03-26")
        progress(host, "trigger-long-running-operation", (4,), duration=1, steps=4)
        host.close()
        post(server.url, ping, session)  # the session still exists
        # The host replaces an unknown session by a new session.
        host = Host(lib, web(server.url, sessionId="00000000-no-such-session"))
        everything(host, "2025-11-25")
        host.close()
    finally:
        server.stop()


def proxy(lib, modules):
    port = free_port()
    server = Server(["node", os.path.join(modules, ".bin", "mcp-proxy"), "--port", str(port),
                     "--host", "127.0.0.1", "--", "node",
                     os.path.join(modules, "@modelcontextprotocol", "server-everything",
                                  "dist", "index.js")], port)
    try:
        for era, version in (("modern", "2026-07-28"), ("legacy", "2025-11-25")):
            host = Host(lib, web(server.url, era=era))
            everything(host, version)
            # The last progress may arrive after the answer.
            progress(host, "trigger-long-running-operation", (3, 4), duration=1, steps=4)
            cancel(host, "trigger-long-running-operation", duration=30, steps=30)
            assert host.text("echo", message="on") == "Echo: on"
            # The proxy does not offer elicitation, sampling and roots to its server, so
            # the server does not have these tools.
            assert not [name for name in host.tools() if name.startswith("trigger-el")
                        or name.startswith("trigger-s")], host.tools()
            PROVEN[next(reversed(PROVEN))].update(("no elicitation", "no sampling", "no roots"))
            host.close()
    finally:
        server.stop()


def dual(lib, era, version, *arguments):
    server = Server(["node", os.path.join(os.getcwd(), "modern.mjs"), *arguments])
    try:
        # All dialogs share one client, so all dialogs get the changes of its list.
        host = Host(lib, web(server.url, **{"truely-stateless": True},
                             **({"era": era} if era else {})))
        assert host.version == version, host.version
        assert host.text("era") == ("modern" if version >= "2026" else "legacy")
        assert host.text("echo", text="grüße") == "grüße"
        PROVEN[next(reversed(PROVEN))].update(("list", "call"))
        progress(host, "count", (5,), n=5)
        cancel(host, "slow", ms=30000)
        host.until(lambda: host.text("cancelled") == "1", "the server knows of no cancel")
        if version >= "2026":
            assert host.text("mirrored", region="Zürich") == "=?base64?WsO8cmljaA==?="
        assert host.text("ask") == 'accept Ada 33 st\u00e4te "1"'
        assert host.text("sample") == "parrot: hello there"
        kinds = [asked["kind"] for asked in host.asked]
        assert kinds == ["FORM", "SAMPLING"], kinds
        PROVEN[next(reversed(PROVEN))].update(("elicitation", "sampling"))
        host.turn(0.3)
        host.call("grow")
        host.until(lambda: "grown" in host.tools(), "no news of a new tool")
        assert host.text("grown") == "here"
        proven("changes")
        host.close()
    finally:
        server.stop()


def http2(lib):
    """Checks that all requests use one connection over HTTP/2."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", "h2.key", "-out",
                    "h2.pem", "-days", "2", "-subj", "/CN=h2", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    server = Server(["node", os.path.join(os.getcwd(), "h2.mjs"), "h2.pem", "h2.key"])
    try:
        host = Host(lib, web(server.url, era="modern",
                             tls={"caFile": os.path.abspath("h2.pem")}))
        assert host.version == "2026-07-28", host.version
        assert host.text("echo", text="grüße") == "grüße"
        calls = [host.start("slow", ms=300) for _ in range(50)]
        assert all(host.end(call)["content"][0]["text"] == "awake" for call in calls)
        assert int(host.text("most")) >= 50, "the calls came one after the other"
        assert host.text("connections") == "1", "there was more than one connection"
        cancel(host, "slow", ms=30000)
        assert host.text("connections") == "1", "a cancel cost the connection"
        PROVEN[next(reversed(PROVEN))].update(("list", "call"))
        host.close()
    finally:
        server.stop()


def refused(lib):
    server = Server(["node", os.path.join(os.getcwd(), "modern.mjs"), "modern"])
    try:
        Host(lib, web(server.url, era="legacy"))
    except AssertionError as why:
        assert "Unsupported protocol version" in str(why), why
    else:
        raise AssertionError("a legacy client came through")
    finally:
        server.stop()


def table():
    def word(column, shown):
        return "yes" if column in shown else "not offered" if "no " + column in shown else "-"

    print(f"\n{'':36}" + "".join(f"{column:>12}" for column in COLUMNS))
    for name, shown in PROVEN.items():
        print(f"{name:36}" + "".join(f"{word(column, shown):>12}" for column in COLUMNS))
    print()


def main():
    out, work = map(os.path.abspath, sys.argv[1:3])
    lib = bind(out)
    modules = os.path.join(work, "node_modules")
    os.chdir(work)
    report = Report()
    for name, fn, *arguments in (
        ("server-everything, streamableHttp", everything_http, lib, modules, "streamableHttp"),
        ("server-everything, sse", everything_http, lib, modules, "sse"),
        ("server-everything, a given session", given_session, lib, modules),
        ("mcp-proxy", proxy, lib, modules),
        ("the SDK's server, either era", dual, lib, None, "2026-07-28"),
        ("the same, legacy", dual, lib, "legacy", "2025-11-25"),
        ("the same, modern only", dual, lib, None, "2026-07-28", "modern"),
        ("the same, refusing a legacy client", refused, lib),
        ("node's own HTTP/2 with TLS", http2, lib),
    ):
        PROVEN[name] = set()
        report.run(name, fn, *arguments)
    table()
    report.end()


main()
