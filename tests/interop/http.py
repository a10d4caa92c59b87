#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""http.py - real servers over HTTP, driven through the shared library by ctypes.

server-everything (sessions, one that somebody else began, and HTTP+SSE), mcp-proxy in front of it (modern and legacy),
and dual.mjs on the official SDK: in either era, and modern alone; h2.mjs over HTTP/2.
Listed, called, told of progress, cancelled, asked by, told of changes; the table at the
end says who showed what.

    http.py BUILD-DIRECTORY DIRECTORY-WITH-NODE_MODULES
"""
import ctypes as c
import json
import os
import re
import socket
import subprocess
import sys
import time

EVENT = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
FREE = c.CFUNCTYPE(None, c.c_void_p)
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


def constants():
    """The numbers of the public enums, by name."""
    found = {}
    folder = os.path.join(TOP, "include", "mcphost")
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            found.update((key, int(value)) for key, value in
                         re.findall(r"\b(MCPHOST_\w+)\s*=\s*(-?\d+)", f.read()))
    return found


K = constants()


def bind(path):
    lib = c.CDLL(path)
    ptr, text, size, out = c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(c.c_void_p)
    for name, result, *args in (
        ("mcphost_new", c.c_int, out, out),
        ("mcphost_unref", ptr, ptr),
        ("mcphost_close", c.c_int, ptr),
        ("mcphost_set_event", c.c_int, ptr, EVENT, ptr, FREE),
        ("mcphost_set_option", c.c_int, ptr, c.c_int, c.c_int64),
        ("mcphost_config_load_memory", c.c_int, text, size, text, text, out, out),
        ("mcphost_config_new_sse", c.c_int, text, text, ptr, text, out, out),
        ("mcphost_config_unref", ptr, ptr),
        ("mcphost_load", c.c_int, ptr, ptr),
        ("mcphost_wait", c.c_int, ptr, c.c_int64),
        ("mcphost_wait_ready", c.c_int, ptr, c.c_int64),
        ("mcphost_get_status", c.c_int, ptr, out),
        ("mcphost_status_unref", ptr, ptr),
        ("mcphost_status_server_get_state", c.c_int, ptr, size),
        ("mcphost_status_server_get_version", text, ptr, size),
        ("mcphost_status_server_get_error", ptr, ptr, size),
        ("mcphost_default_view", ptr, ptr),
        ("mcphost_view_get_catalog", c.c_int, ptr, out),
        ("mcphost_catalog_unref", ptr, ptr),
        ("mcphost_catalog_count_tools", size, ptr),
        ("mcphost_catalog_get_tool", ptr, ptr, size),
        ("mcphost_tool_get_name", text, ptr),
        ("mcphost_dialog_new", c.c_int, ptr, text, text, out, out),
        ("mcphost_dialog_unref", ptr, ptr),
        ("mcphost_call_new", c.c_int, ptr, text, text, size, out, out),
        ("mcphost_call_set_progress", c.c_int, ptr, ptr, ptr, ptr),
        ("mcphost_call_start", c.c_int, ptr, ptr, ptr, ptr),
        ("mcphost_call_wait", c.c_int, ptr, c.c_int64),
        ("mcphost_call_cancel", c.c_int, ptr),
        ("mcphost_call_get_result", ptr, ptr),
        ("mcphost_call_get_error", ptr, ptr),
        ("mcphost_call_unref", ptr, ptr),
        ("mcphost_result_get_json", ptr, ptr, c.POINTER(size)),
        ("mcphost_error_get_code", c.c_int, ptr),
        ("mcphost_error_get_message", text, ptr),
        ("mcphost_error_unref", ptr, ptr),
        ("mcphost_event_get_kind", c.c_int, ptr),
        ("mcphost_event_get_request", ptr, ptr),
        ("mcphost_request_get_kind", c.c_int, ptr),
        ("mcphost_request_get_schema", ptr, ptr, c.POINTER(size)),
        ("mcphost_request_respond", c.c_int, ptr, text, size, out),
        ("mcphost_request_reject", c.c_int, ptr, c.c_int, text),
        ("mcphost_strerror", text, c.c_int),
    ):
        fn = getattr(lib, name)
        fn.restype, fn.argtypes = result, args
    return lib


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


PROVEN = {}  # name of a try -> what it showed
COLUMNS = ("list", "call", "progress", "cancel", "elicitation", "sampling", "roots", "changes")


def proven(what):
    PROVEN[next(reversed(PROVEN))].add(what)


class Host:
    """A host with one server over HTTP; `sse`: over HTTP+SSE."""

    def __init__(self, lib, url, sse=False, **keys):
        self.lib, self.events, self.requests = lib, [], []
        self.on_event, self.on_free = EVENT(self.event), FREE(lambda arg: None)
        host, config, error = c.c_void_p(), c.c_void_p(), c.c_void_p()
        text = json.dumps({"version": 1, "servers": {"web": {
            "transport": "streamable_http", "url": url, **keys}}}).encode()
        self.must(lib.mcphost_new(c.byref(host), None))
        self.host = host
        self.must(lib.mcphost_set_option(host, K["MCPHOST_OPT_ADMIN_TOOLS"], 0))
        self.must(lib.mcphost_set_option(host, K["MCPHOST_OPT_REQUESTS"], sum(
            K["MCPHOST_REQUEST_" + kind] for kind in ("FORM", "URL", "SAMPLING", "ROOTS"))))
        self.must(lib.mcphost_set_event(host, self.on_event, None, self.on_free))
        if sse:
            self.must(lib.mcphost_set_option(host, K["MCPHOST_OPT_TRANSPORTS"],
                                             K["MCPHOST_ALLOW_SSE"]))
            self.must(lib.mcphost_config_new_sse(b"web", url.encode(), None, b"/",
                                                 c.byref(config), c.byref(error)), error)
        else:
            self.must(lib.mcphost_config_load_memory(text, len(text), b"interop", b"/",
                                                     c.byref(config), c.byref(error)), error)
        self.must(lib.mcphost_load(host, config))
        lib.mcphost_config_unref(config)
        self.must(lib.mcphost_wait_ready(host, 30000))
        self.version, why = self.look()
        assert self.version, why
        self.dialog = c.c_void_p()
        self.must(lib.mcphost_dialog_new(lib.mcphost_default_view(host), b"d", None,
                                         c.byref(self.dialog), None))

    def must(self, code, error=None):
        if code < 0:
            message = self.lib.mcphost_error_get_message(error) if error else None
            raise Failed(code, (message or self.lib.mcphost_strerror(code)).decode())
        return code

    def look(self):
        status = c.c_void_p()
        self.must(self.lib.mcphost_get_status(self.host, c.byref(status)))
        state = self.lib.mcphost_status_server_get_state(status, 0)
        error = self.lib.mcphost_status_server_get_error(status, 0)
        why = self.lib.mcphost_error_get_message(error) if error else None
        version = self.lib.mcphost_status_server_get_version(status, 0)
        self.lib.mcphost_status_unref(status)
        return (version.decode() if state == K["MCPHOST_SERVER_LOADED"] and version else None,
                why)

    def event(self, event, _arg):
        kind = self.lib.mcphost_event_get_kind(event)
        self.events.append(kind)
        if kind == K["MCPHOST_EVENT_REQUEST"]:
            self.answer(self.lib.mcphost_event_get_request(event))

    def fill_in(self, request, values):
        """Those of the values that the form asks for."""
        size = c.c_size_t()
        data = self.lib.mcphost_request_get_schema(request, c.byref(size))
        schema = json.loads(c.string_at(data, size.value)) if data else {}
        return {key: values[key] for key in schema.get("properties", {}) if key in values}

    def answer(self, request):
        kind = self.lib.mcphost_request_get_kind(request)
        self.requests.append(kind)
        answers = {
            K["MCPHOST_REQUEST_FORM"]: self.fill_in(request, {"age": 33, "name": "Ada"}),
            K["MCPHOST_REQUEST_SAMPLING"]: {
                "role": "assistant", "model": "parrot", "stopReason": "endTurn",
                "content": {"type": "text", "text": "hello there"}},
            K["MCPHOST_REQUEST_ROOTS"]: [{"uri": "file:///srv/work", "name": "work"}],
        }
        if kind not in answers:
            self.must(self.lib.mcphost_request_reject(
                request, K["MCPHOST_REJECT_DECLINE"], None))
            return
        error, text = c.c_void_p(), json.dumps(answers[kind]).encode()
        self.must(self.lib.mcphost_request_respond(request, text, len(text),
                                                   c.byref(error)), error)

    def tools(self):
        catalog = c.c_void_p()
        view = self.lib.mcphost_default_view(self.host)
        self.must(self.lib.mcphost_view_get_catalog(view, c.byref(catalog)))
        names = [self.lib.mcphost_tool_get_name(
            self.lib.mcphost_catalog_get_tool(catalog, i)).decode()
            for i in range(self.lib.mcphost_catalog_count_tools(catalog))]
        self.lib.mcphost_catalog_unref(catalog)
        return names

    def start(self, tool, **arguments):
        call, error, text = c.c_void_p(), c.c_void_p(), json.dumps(arguments).encode()
        self.must(self.lib.mcphost_call_new(self.dialog, tool.encode(), text, len(text),
                                            c.byref(call), c.byref(error)), error)
        self.must(self.lib.mcphost_call_set_progress(call, None, None, None))
        self.must(self.lib.mcphost_call_start(call, None, None, None))
        return call

    def end(self, call):
        size = c.c_size_t()
        self.must(self.lib.mcphost_call_wait(call, 30000))
        result = self.lib.mcphost_call_get_result(call)
        try:
            if not result:
                error = self.lib.mcphost_call_get_error(call)
                raise Failed(self.lib.mcphost_error_get_code(error),
                             self.lib.mcphost_error_get_message(error).decode())
            data = self.lib.mcphost_result_get_json(result, c.byref(size))
            return json.loads(c.string_at(data, size.value))
        finally:
            self.lib.mcphost_call_unref(call)

    def call(self, tool, **arguments):
        return self.end(self.start(tool, **arguments))

    def text(self, tool, **arguments):
        result = self.call(tool, **arguments)
        return "".join(item.get("text", "") for item in result["content"])

    def turn(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.lib.mcphost_wait(self.host, 20)

    def until(self, condition, what, seconds=10):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, what
            self.lib.mcphost_wait(self.host, 20)

    def close(self):
        self.lib.mcphost_dialog_unref(self.dialog)
        self.lib.mcphost_close(self.host)
        while self.lib.mcphost_wait(self.host, -1) >= 0:
            pass
        self.lib.mcphost_unref(self.host)


class Server:
    """A program that serves on a port of its choice, or on the one that it is given."""

    def __init__(self, command, port=None, **environment):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        if port is None:
            self.url = self.process.stdout.readline().strip()
        else:
            self.url = f"http://127.0.0.1:{port}/mcp"
            self.await_port(port)

    def await_port(self, port):
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                assert self.process.poll() is None, "the server ended"
                time.sleep(0.05)
        raise AssertionError("the server does not listen")

    def stop(self):
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# ---- what is tried -----------------------------------------------------------------

def count(events, name):
    return events.count(K["MCPHOST_EVENT_" + name])


def progress(host, tool, times, **arguments):
    before = count(host.events, "PROGRESS")
    host.call(tool, **arguments)
    told = count(host.events, "PROGRESS") - before
    assert told in times, f"progress {told} times, not {times}"
    proven("progress")


def cancel(host, tool, **arguments):
    call = host.start(tool, **arguments)
    host.turn(0.3)
    begin = time.monotonic()
    host.must(host.lib.mcphost_call_cancel(call))
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
        host = Host(lib, server.url.replace("/mcp", "/sse") if sse else server.url, sse)
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
    """One message by hand; the session that the answer names, or None."""
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
        host = Host(lib, server.url, sessionId=session, **{"truely-stateless": True})
        # What a request is taken for that names no version.
        everything(host, "2025-03-26")
        progress(host, "trigger-long-running-operation", (4,), duration=1, steps=4)
        host.close()
        post(server.url, ping, session)  # it lives on
        # One that the server does not know is replaced.
        host = Host(lib, server.url, sessionId="00000000-no-such-session")
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
            host = Host(lib, server.url, era=era)
            everything(host, version)
            # It may let the answer overtake the last.
            progress(host, "trigger-long-running-operation", (3, 4), duration=1, steps=4)
            cancel(host, "trigger-long-running-operation", duration=30, steps=30)
            assert host.text("echo", message="on") == "Echo: on"
            # It offers its own server nothing of the kind, whose tools that ask are gone.
            assert not [name for name in host.tools() if name.startswith("trigger-el")
                        or name.startswith("trigger-s")], host.tools()
            PROVEN[next(reversed(PROVEN))].update(("no elicitation", "no sampling", "no roots"))
            host.close()
    finally:
        server.stop()


def dual(lib, era, version, *arguments):
    server = Server(["node", os.path.join(os.getcwd(), "dual.mjs"), *arguments])
    try:
        # One client for all dialogs: what it hears of changes is everybody's.
        host = Host(lib, server.url, **{"truely-stateless": True}, **({"era": era} if era else {}))
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
        kinds = [K["MCPHOST_REQUEST_FORM"], K["MCPHOST_REQUEST_SAMPLING"]]
        assert host.requests == kinds, host.requests
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
    """One connection for everything."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", "h2.key", "-out",
                    "h2.pem", "-days", "2", "-subj", "/CN=h2", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    server = Server(["node", os.path.join(os.getcwd(), "h2.mjs"), "h2.pem", "h2.key"])
    try:
        host = Host(lib, server.url, era="modern",
                    tls={"caFile": os.path.abspath("h2.pem")})
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
    server = Server(["node", os.path.join(os.getcwd(), "dual.mjs"), "modern"])
    try:
        Host(lib, server.url, era="legacy")
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
    lib = bind(os.path.join(out, "lib", "libmcphost.so.0"))
    modules = os.path.join(work, "node_modules")
    os.chdir(work)
    passed = failed = 0
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
        try:
            fn(*arguments)
            passed += 1
            print(f"{name}: ok", flush=True)
        except Exception as error:  # one that fails must not hide the others
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
    table()
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
