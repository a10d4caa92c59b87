# SPDX-License-Identifier: MIT
"""host.py - the shared library through ctypes, a host with one server, and the report.

http.py and features.py use the whole module.  servers.py and mcpservers.py use only the
report and text_of().  Only the thread that made a Host may use the Host.
"""
import ctypes as c
import glob
import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

EVENT = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
FREE = c.CFUNCTYPE(None, c.c_void_p)
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
REQUESTS = ("FORM", "URL", "SAMPLING", "ROOTS")


def constants():
    """Returns the numbers of the public enums, by name."""
    found = {}
    folder = os.path.join(TOP, "include", "mcphost")
    for path in glob.glob(os.path.join(folder, "*.h")):
        with open(path, encoding="utf-8") as f:
            found.update((key, int(value)) for key, value in
                         re.findall(r"\b(MCPHOST_\w+)\s*=\s*(-?\d+)", f.read()))
    return found


K = constants()


def words(prefix):
    """Returns the names of one enum, by number."""
    return {number: name[len(prefix):] for name, number in K.items() if name.startswith(prefix)}


def bind(out):
    """Loads and returns the library of a build directory.  The attribute `guard` of the
    library is the path of the guard."""
    lib = c.CDLL(os.path.join(out, "lib", "libmcphost.so.0"))
    lib.guard = os.path.join(out, "bin", "mcphost-guard").encode()
    ptr, text, size, out = c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(c.c_void_p)
    sizep = c.POINTER(size)
    made = (out, out)  # *ret_call and *reterr
    for name, result, *args in (
        ("mcphost_new", c.c_int, out, out),
        ("mcphost_unref", ptr, ptr),
        ("mcphost_close", c.c_int, ptr),
        ("mcphost_free", None, ptr),
        ("mcphost_set_event", c.c_int, ptr, EVENT, ptr, FREE),
        ("mcphost_set_guard_path", c.c_int, ptr, text),
        ("mcphost_set_option", c.c_int, ptr, c.c_int, c.c_int64),
        ("mcphost_config_load_memory", c.c_int, text, size, text, text, out, out),
        ("mcphost_config_new_sse", c.c_int, text, text, ptr, text, out, out),
        ("mcphost_config_unref", ptr, ptr),
        ("mcphost_load", c.c_int, ptr, ptr),
        ("mcphost_wait", c.c_int, ptr, c.c_int64),
        ("mcphost_wait_ready", c.c_int, ptr, c.c_int64),
        ("mcphost_roots_changed", c.c_int, ptr),
        ("mcphost_get_status", c.c_int, ptr, out),
        ("mcphost_status_unref", ptr, ptr),
        ("mcphost_status_server_get_state", c.c_int, ptr, size),
        ("mcphost_status_server_get_version", text, ptr, size),
        ("mcphost_status_server_get_error", ptr, ptr, size),
        ("mcphost_default_view", ptr, ptr),
        ("mcphost_catalog_unref", ptr, ptr),
        ("mcphost_catalog_get_tools_json", c.c_int, ptr, c.c_int, text, out, sizep, out),
        ("mcphost_catalog_get_prompts_json", c.c_int, ptr, text, out, sizep, out),
        ("mcphost_catalog_get_resources_json", c.c_int, ptr, text, out, sizep, out),
        ("mcphost_catalog_get_resource_templates_json", c.c_int, ptr, text, out, sizep, out),
        ("mcphost_catalog_count_skills", size, ptr),
        ("mcphost_catalog_get_skill", ptr, ptr, size),
        ("mcphost_skill_get_entry", ptr, ptr, sizep),
        ("mcphost_catalog_get_server", ptr, ptr, size),
        ("mcphost_server_get_title", ptr, ptr, sizep),
        ("mcphost_server_get_instructions", ptr, ptr, sizep),
        ("mcphost_template_check", c.c_int, text, size, out, sizep, out),
        ("mcphost_template_expand", c.c_int, text, size, text, size, out, sizep, out),
        ("mcphost_dialog_new", c.c_int, ptr, text, text, out, out),
        ("mcphost_dialog_get_catalog", c.c_int, ptr, out),
        ("mcphost_dialog_close", c.c_int, ptr),
        ("mcphost_dialog_unref", ptr, ptr),
        ("mcphost_subscribe", c.c_int, ptr, text, text, out, out),
        ("mcphost_unsubscribe", c.c_int, ptr),
        ("mcphost_subscription_unref", ptr, ptr),
        ("mcphost_call_new", c.c_int, ptr, text, text, size, *made),
        ("mcphost_call_new_read", c.c_int, ptr, text, text, *made),
        ("mcphost_call_new_prompt", c.c_int, ptr, text, text, size, *made),
        ("mcphost_call_new_complete_prompt", c.c_int, ptr, text, text, text, text, size, *made),
        ("mcphost_call_new_complete_template", c.c_int, ptr, text, text, text, text, text, size,
         *made),
        ("mcphost_call_new_get_skill", c.c_int, ptr, text, text, *made),
        ("mcphost_call_new_read_skill", c.c_int, ptr, text, text, size, text, *made),
        ("mcphost_call_new_read_directory", c.c_int, ptr, text, text, text, *made),
        ("mcphost_call_resume_task", c.c_int, ptr, text, text, *made),
        ("mcphost_call_new_get_task", c.c_int, ptr, text, text, *made),
        ("mcphost_call_new_update_task", c.c_int, ptr, text, text, text, size, *made),
        ("mcphost_call_new_cancel_task", c.c_int, ptr, text, text, *made),
        ("mcphost_call_get_task_id", text, ptr),
        ("mcphost_call_get_task_status", c.c_int, ptr),
        ("mcphost_call_get_task_ttl", c.c_int64, ptr),
        ("mcphost_call_get_task_interval", c.c_int64, ptr),
        ("mcphost_call_set_progress", c.c_int, ptr, ptr, ptr, ptr),
        ("mcphost_call_start", c.c_int, ptr, ptr, ptr, ptr),
        ("mcphost_call_wait", c.c_int, ptr, c.c_int64),
        ("mcphost_call_is_done", c.c_int, ptr),
        ("mcphost_call_cancel", c.c_int, ptr),
        ("mcphost_call_get_result", ptr, ptr),
        ("mcphost_call_get_error", ptr, ptr),
        ("mcphost_call_unref", ptr, ptr),
        ("mcphost_result_get_json", ptr, ptr, sizep),
        ("mcphost_error_get_code", c.c_int, ptr),
        ("mcphost_error_get_message", text, ptr),
        ("mcphost_error_get_rpc_code", c.c_int64, ptr),
        ("mcphost_error_unref", ptr, ptr),
        ("mcphost_event_get_kind", c.c_int, ptr),
        ("mcphost_event_get_state", c.c_int, ptr),
        ("mcphost_event_get_uri", text, ptr),
        ("mcphost_event_get_count", c.c_uint64, ptr),
        ("mcphost_event_get_text", text, ptr),
        ("mcphost_event_get_level", text, ptr),
        ("mcphost_event_get_data", ptr, ptr, sizep),
        ("mcphost_event_get_progress", c.c_double, ptr),
        ("mcphost_event_get_total", c.c_double, ptr),
        ("mcphost_event_get_error", ptr, ptr),
        ("mcphost_event_get_request", ptr, ptr),
        ("mcphost_request_get_kind", c.c_int, ptr),
        ("mcphost_request_get_message", text, ptr),
        ("mcphost_request_get_url", text, ptr),
        ("mcphost_request_get_schema", ptr, ptr, sizep),
        ("mcphost_request_get_defaults", ptr, ptr, sizep),
        ("mcphost_request_get_params", ptr, ptr, sizep),
        ("mcphost_request_respond", c.c_int, ptr, text, size, out),
        ("mcphost_request_reject", c.c_int, ptr, c.c_int, text),
        ("mcphost_strerror", text, c.c_int),
    ):
        fn = getattr(lib, name)
        fn.restype, fn.argtypes = result, args
    return lib


class Failed(Exception):
    """An error of the library or of a call.  `rpc` is the server's JSON-RPC code."""

    def __init__(self, code, message, rpc=0):
        super().__init__(f"{code}: {message}")
        self.code, self.rpc = code, rpc


class Reject(Exception):
    """Raised by an answer function to reject a request: MCPHOST_REJECT_ and this word."""


def text_of(result):
    return "".join(item.get("text", "") for item in result["content"])


class Host:
    """A host with one server.

    `entry` is the server's entry in the configuration, or `sse` its HTTP+SSE URL.  `events`
    has the events, and `asked` the requests of the server.  `answers` has functions for
    kinds of requests.  A function may raise Reject.  The host declines a request of a
    kind that has no function.
    """

    def __init__(self, lib, entry, sse=None, requests=REQUESTS, **options):
        self.lib, self.events, self.asked, self.broken = lib, [], [], None
        self.answers = {
            "FORM": lambda asked: self.fill_in(asked, {"age": 33, "name": "Ada"}),
            "SAMPLING": lambda asked: {
                "role": "assistant", "model": "parrot", "stopReason": "endTurn",
                "content": {"type": "text", "text": "hello there"}},
            "ROOTS": lambda asked: [{"uri": "file:///srv/work", "name": "work"}],
        }
        self.on_event, self.on_free = EVENT(self.event), FREE(lambda arg: None)
        host, config, error = c.c_void_p(), c.c_void_p(), c.c_void_p()
        self.must(lib.mcphost_new(c.byref(host), None))
        self.host = host
        self.must(lib.mcphost_set_guard_path(host, lib.guard))
        self.option("ADMIN_TOOLS", 0)
        self.option("REQUESTS", sum(K["MCPHOST_REQUEST_" + kind] for kind in requests))
        for name, value in options.items():
            self.option(name, value)
        self.must(lib.mcphost_set_event(host, self.on_event, None, self.on_free))
        if sse:
            self.option("TRANSPORTS", K["MCPHOST_ALLOW_SSE"])
            self.must(lib.mcphost_config_new_sse(b"web", sse.encode(), None, b"/",
                                                 c.byref(config), c.byref(error)), error)
        else:
            text = json.dumps({"version": 1, "servers": {"web": entry}}).encode()
            self.must(lib.mcphost_config_load_memory(text, len(text), b"interop", b"/",
                                                     c.byref(config), c.byref(error)), error)
        self.must(lib.mcphost_load(host, config))
        lib.mcphost_config_unref(config)
        self.must(lib.mcphost_wait_ready(host, 30000))
        self.version, why = self.look()
        assert self.version, why
        self.dialog = self.new_dialog("d")

    def must(self, code, error=None):
        if code < 0:
            message = self.lib.mcphost_error_get_message(error) if error else None
            raise Failed(code, (message or self.lib.mcphost_strerror(code)).decode())
        return code

    def option(self, name, value):
        self.must(self.lib.mcphost_set_option(self.host, K["MCPHOST_OPT_" + name], value))

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

    def string(self, get, thing):
        """Returns the text of a getter that also returns a length, or None."""
        size = c.c_size_t()
        data = get(thing, c.byref(size))
        return c.string_at(data, size.value).decode() if data else None

    def json(self, get, thing):
        data = self.string(get, thing)
        return None if data is None else json.loads(data)

    # ---- events and requests

    def event(self, event, _arg):
        lib, text = self.lib, lambda value: value and value.decode()
        try:
            kind = words("MCPHOST_EVENT_").get(lib.mcphost_event_get_kind(event))
            self.events.append({
                "kind": kind, "state": lib.mcphost_event_get_state(event),
                "uri": text(lib.mcphost_event_get_uri(event)),
                "count": lib.mcphost_event_get_count(event),
                "text": text(lib.mcphost_event_get_text(event)),
                "level": text(lib.mcphost_event_get_level(event)),
                "data": self.json(lib.mcphost_event_get_data, event),
                "progress": lib.mcphost_event_get_progress(event),
                "total": lib.mcphost_event_get_total(event),
                "failed": bool(lib.mcphost_event_get_error(event))})
            if kind == "REQUEST" and self.events[-1]["state"] == 1:
                self.answer(lib.mcphost_event_get_request(event))
        except Exception as error:  # a callback must catch it itself
            self.broken = AssertionError(f"{error!r} in {self.events[-1:]} {self.asked[-1:]}")

    def of(self, kind, since=0):
        return [event for event in self.events[since:] if event["kind"] == kind]

    def fill_in(self, asked, values):
        """Returns the values that the form asks for."""
        return {key: values[key] for key in asked["schema"].get("properties", {})
                if key in values}

    def answer(self, request):
        lib, error = self.lib, c.c_void_p()
        kind = words("MCPHOST_REQUEST_")[lib.mcphost_request_get_kind(request)]
        asked = {"kind": kind, "schema": self.json(lib.mcphost_request_get_schema, request),
                 "defaults": self.json(lib.mcphost_request_get_defaults, request),
                 "params": self.json(lib.mcphost_request_get_params, request)}
        for name in ("message", "url"):
            value = getattr(lib, "mcphost_request_get_" + name)(request)
            asked[name] = value and value.decode()
        self.asked.append(asked)
        try:
            if kind not in self.answers:
                raise Reject("DECLINE")
            value = self.answers[kind](asked)
        except Reject as reject:
            self.must(lib.mcphost_request_reject(
                request, K["MCPHOST_REJECT_" + str(reject)], None))
            return
        text = None if value is None else json.dumps(value).encode()
        self.must(lib.mcphost_request_respond(request, text, len(text or b""),
                                              c.byref(error)), error)

    # ---- the catalog

    def catalog(self, use):
        catalog = c.c_void_p()
        self.must(self.lib.mcphost_dialog_get_catalog(self.dialog, c.byref(catalog)))
        try:
            return use(catalog)
        finally:
            self.lib.mcphost_catalog_unref(catalog)

    def rows(self, kind):
        """Returns the definitions of tools, prompts, resources or resource_templates."""
        get = getattr(self.lib, f"mcphost_catalog_get_{kind}_json")
        shape = (K["MCPHOST_SHAPE_MCP"],) if kind == "tools" else ()

        def use(catalog):
            data, size = c.c_void_p(), c.c_size_t()
            self.must(get(catalog, *shape, None, c.byref(data), c.byref(size), None))
            return json.loads(c.string_at(data, size.value))
        return self.catalog(use)

    def tools(self):
        return [tool["name"] for tool in self.rows("tools")]

    def skills(self):
        lib = self.lib
        return self.catalog(lambda catalog: [
            self.json(lib.mcphost_skill_get_entry, lib.mcphost_catalog_get_skill(catalog, i))
            for i in range(lib.mcphost_catalog_count_skills(catalog))])

    def about(self, what):
        """Returns the server's title or instructions."""
        get = getattr(self.lib, "mcphost_server_get_" + what)
        return self.catalog(lambda catalog: self.string(
            get, self.lib.mcphost_catalog_get_server(catalog, 0)))

    def variables(self, template):
        return json.loads(self.made(self.lib.mcphost_template_check, template))

    def expand(self, template, values):
        return self.made(self.lib.mcphost_template_expand, template, values)

    def made(self, fn, template, *values):
        data, size = c.c_void_p(), c.c_size_t()
        arguments = [part for text in (template.encode(),
                                       *(json.dumps(value).encode() for value in values))
                     for part in (text, len(text))]
        self.must(fn(*arguments, c.byref(data), c.byref(size), None))
        text = c.string_at(data, size.value).decode()
        self.lib.mcphost_free(data)
        return text

    # ---- calls

    def new_dialog(self, name):
        dialog = c.c_void_p()
        self.must(self.lib.mcphost_dialog_new(self.lib.mcphost_default_view(self.host),
                                              name.encode(), None, c.byref(dialog), None))
        return dialog

    def in_dialog(self, name, fn):
        """Runs fn with calls in another dialog, ends that dialog, and returns fn's value."""
        kept, self.dialog = self.dialog, self.new_dialog(name)
        try:
            return fn()
        finally:
            self.must(self.lib.mcphost_dialog_close(self.dialog))
            self.lib.mcphost_dialog_unref(self.dialog)
            self.dialog = kept

    def begin(self, new, *arguments):
        """Starts a call.  A dict or list among the arguments is passed as JSON and length."""
        call, error, flat = c.c_void_p(), c.c_void_p(), []
        for argument in arguments:
            if isinstance(argument, (dict, list)):
                text = json.dumps(argument).encode()
                flat += [text, len(text)]
            else:
                flat.append(argument if argument is None else argument.encode())
        self.must(getattr(self.lib, "mcphost_call_" + new)(
            self.dialog, *flat, c.byref(call), c.byref(error)), error)
        self.must(self.lib.mcphost_call_set_progress(call, None, None, None))
        self.must(self.lib.mcphost_call_start(call, None, None, None))
        return call

    def start(self, tool, /, **arguments):
        return self.begin("new", tool, arguments)

    def end(self, call):
        try:
            self.must(self.lib.mcphost_call_wait(call, 30000))
            result = self.lib.mcphost_call_get_result(call)
            if not result:
                error = self.lib.mcphost_call_get_error(call)
                assert error, "the call does not end"
                raise Failed(self.lib.mcphost_error_get_code(error),
                             self.lib.mcphost_error_get_message(error).decode(),
                             self.lib.mcphost_error_get_rpc_code(error))
            return self.json(self.lib.mcphost_result_get_json, result)
        finally:
            self.lib.mcphost_call_unref(call)

    def do(self, new, *arguments):
        return self.end(self.begin(new, *arguments))

    def call(self, tool, /, **arguments):
        return self.end(self.start(tool, **arguments))

    def text(self, tool, /, **arguments):
        return text_of(self.call(tool, **arguments))

    def read(self, uri):
        return self.do("new_read", "web", uri)["contents"]

    def prompt(self, name, /, **arguments):
        return self.do("new_prompt", name, arguments)["messages"]

    def cancel(self, call):
        self.must(self.lib.mcphost_call_cancel(call))

    def subscribe(self, uri):
        subscription, error = c.c_void_p(), c.c_void_p()
        self.must(self.lib.mcphost_subscribe(self.dialog, b"web", uri.encode(),
                                             c.byref(subscription), c.byref(error)), error)
        return subscription

    def unsubscribe(self, subscription):
        self.must(self.lib.mcphost_unsubscribe(subscription))
        self.lib.mcphost_subscription_unref(subscription)

    # ---- time

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
        end = time.monotonic() + 20
        while self.lib.mcphost_wait(self.host, 1000) >= 0:
            assert time.monotonic() < end, "the host does not end"
        self.lib.mcphost_unref(self.host)
        if self.broken:
            raise self.broken


def web(url, **keys):
    """Returns the entry of a server over streamable HTTP."""
    return {"transport": "streamable_http", "url": url, **keys}


class Server:
    """A program that serves on a port of its choice, or on a given port."""

    def __init__(self, command, port=None, **environment):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL if port else subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        if port is None:
            self.url = self.process.stdout.readline().strip()
        else:
            self.url = f"http://127.0.0.1:{port}/mcp"
            try:
                self.await_port(port)
            except AssertionError:
                self.stop()
                raise

    def await_port(self, port):
        for _ in range(600):
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
    """Returns a free port below the default range from which the kernel chooses ports.
    A server that asks for any port therefore cannot get this port before the intended
    server starts."""
    while True:
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", random.randrange(20000, 32000)))
                return s.getsockname()[1]
            except OSError:
                pass


class Report:
    """Prints a line for each check, and counts the checks."""

    def __init__(self):
        self.passed = self.failed = 0
        self.lock = threading.Lock()

    def run(self, name, fn, *arguments):
        """Runs a check.  Returns true if it passed.  A failure does not end the program."""
        why = None
        try:
            fn(*arguments)
        except Exception as error:
            where = error.__traceback__
            while where.tb_next:
                where = where.tb_next
            why = f"{type(error).__name__}: {error} (line {where.tb_lineno})"
        self.tell(name, why)
        return why is None

    def tell(self, name, why):
        with self.lock:
            self.failed += why is not None
            self.passed += why is None
            print(f"FAILED {name}: {why}" if why else f"ok {name}", flush=True)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed != 0)
