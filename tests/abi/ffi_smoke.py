#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ffi_smoke.py - uses the shared library from Python with ctypes and asyncio.

Loads a configuration, lists the tools, runs two calls at a time, cancels a third, and
closes.  Counts every callback and every free function: each completion runs once, and
each argument is freed once (R22, R30).

    ffi_smoke.py LIBRARY API.JSON GUARD SERVER
"""
import asyncio
import ctypes as c
import json
import os
import sys
import tempfile

E_CLOSED, E_CANCELLED = -4, -41
EVENT_CATALOG, EVENT_PROGRESS, EVENT_CLOSED = 2, 9, 10

DONE = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)
FREE = c.CFUNCTYPE(None, c.c_void_p)
EVENT = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p)


CALLBACKS = {"mcphost_done_fn": DONE, "mcphost_free_fn": FREE, "mcphost_event_fn": EVENT}
PLAIN = {"int": c.c_int, "unsigned": c.c_uint, "size_t": c.c_size_t, "int64_t": c.c_int64,
         "uint64_t": c.c_uint64, "double": c.c_double, "void": None, "const char *": c.c_char_p}


def ctype(kind):
    """Returns the ctypes type for a type of the interface."""
    if kind in PLAIN:
        return PLAIN[kind]
    return CALLBACKS.get(kind, c.c_void_p)


def bind(path, description):
    """Loads the library, with the prototypes from the description of the interface."""
    lib = c.CDLL(path)
    with open(description, encoding="utf-8") as f:
        functions = json.load(f)["functions"]
    for function in functions:
        fn = getattr(lib, function["name"])
        kinds = [p["type"] for p in function["params"]]
        fn.restype = ctype(function["returns"]["type"])
        if fn.restype is c.c_char_p and "size_t *" in kinds:
            fn.restype = c.c_void_p  # the text may have NULs; its length shows its end
        fn.argtypes = [ctype(kind) for kind in kinds]
    return lib


class Host:
    """One host on the running asyncio loop."""

    def __init__(self, lib, guard, workspace):
        self.lib, self.loop = lib, asyncio.get_running_loop()
        self.pending, self.events = {}, []
        self.done_count, self.freed = 0, []
        self.closed = self.loop.create_future()
        # Keep the ctypes functions alive as long as the library may call them.
        self.on_done, self.on_free = DONE(self._done), FREE(self._free)
        self.on_event = EVENT(self._event)
        host, config = c.c_void_p(), c.c_void_p()
        self.must(lib.mcphost_new(c.byref(host), None))
        self.host = host
        self.must(lib.mcphost_set_guard_path(host, guard.encode()))
        self.must(lib.mcphost_set_event(host, self.on_event, 1, self.on_free))
        self.must(lib.mcphost_config_load_workspace(workspace.encode(), c.byref(config), None))
        self.must(lib.mcphost_config_get_status(config))
        self.must(lib.mcphost_load(host, config))
        lib.mcphost_config_unref(config)
        self.fd = self.must(lib.mcphost_get_fd(host))
        self.loop.add_reader(self.fd, self._readable)

    def must(self, code):
        if code < 0:
            raise RuntimeError(self.lib.mcphost_strerror(code).decode())
        return code

    def _readable(self):
        code = self.lib.mcphost_dispatch(self.host)
        if code == E_CLOSED and not self.closed.done():
            self.loop.remove_reader(self.fd)
            self.closed.set_result(None)
        elif code < 0 and code != E_CLOSED:
            self.must(code)

    def _event(self, event, _arg):
        self.events.append(self.lib.mcphost_event_get_kind(event))

    def _free(self, arg):
        self.freed.append(arg)

    def _done(self, call, arg):
        self.done_count += 1
        size = c.c_size_t()
        result = self.lib.mcphost_call_get_result(call)
        if result:
            data = self.lib.mcphost_result_get_json(result, c.byref(size))
            self.pending[arg].set_result(json.loads(c.string_at(data, size.value)))
        else:
            error = self.lib.mcphost_call_get_error(call)
            self.pending[arg].set_result(self.lib.mcphost_error_get_code(error))

    def tools(self):
        catalog, data, size = c.c_void_p(), c.c_void_p(), c.c_size_t()
        view = self.lib.mcphost_default_view(self.host)
        self.must(self.lib.mcphost_view_get_catalog(view, c.byref(catalog)))
        self.must(self.lib.mcphost_catalog_get_tools_json(
            catalog, 0, None, c.byref(data), c.byref(size), None))
        tools = json.loads(c.string_at(data, size.value))
        self.lib.mcphost_catalog_unref(catalog)
        return tools

    def dialog(self, name):
        dialog = c.c_void_p()
        view = self.lib.mcphost_default_view(self.host)
        self.must(self.lib.mcphost_dialog_new(view, name, None, c.byref(dialog), None))
        return dialog

    def call(self, dialog, tool, arguments, key):
        """Starts a call.  Its future is self.pending[key]."""
        call, text = c.c_void_p(), json.dumps(arguments).encode()
        self.must(self.lib.mcphost_call_new(dialog, tool, text, len(text), c.byref(call), None))
        self.must(self.lib.mcphost_call_set_progress(call, None, None, FREE()))
        self.pending[key] = self.loop.create_future()
        self.must(self.lib.mcphost_call_start(call, self.on_done, key, self.on_free))
        return call


async def until(condition, seconds=10):
    async def poll():
        while not condition():
            await asyncio.sleep(0.005)
    await asyncio.wait_for(poll(), seconds)


async def scenario(lib, guard, workspace):
    host = Host(lib, guard, workspace)
    await until(lambda: any(t["name"] == "echo" for t in host.tools()))
    dialog = host.dialog(b"python")
    calls = [host.call(dialog, b"echo", {"text": "one"}, 10),
             host.call(dialog, b"count", {"to": 3, "step_ms": 20}, 11)]
    first, second = await asyncio.wait_for(
        asyncio.gather(host.pending[10], host.pending[11]), 10)
    assert first["content"][0]["text"].startswith("one"), first
    assert "isError" not in second, second
    assert EVENT_PROGRESS in host.events, host.events

    slow = host.call(dialog, b"count", {"to": 1000, "step_ms": 100}, 12)
    await until(lambda: host.events.count(EVENT_PROGRESS) > 3)
    host.must(lib.mcphost_call_cancel(slow))
    assert not host.pending[12].done(), "done ran from inside cancel"
    assert await asyncio.wait_for(host.pending[12], 5) == E_CANCELLED

    for call in [*calls, slow]:
        lib.mcphost_call_unref(call)
    lib.mcphost_dialog_unref(dialog)
    host.must(lib.mcphost_close(host.host))
    await asyncio.wait_for(host.closed, 10)
    lib.mcphost_unref(host.host)
    assert EVENT_CATALOG in host.events
    assert host.events.count(EVENT_CLOSED) == 1 and host.events[-1] == EVENT_CLOSED
    assert host.done_count == 3, host.done_count
    assert sorted(host.freed) == [1, 10, 11, 12], host.freed
    return host


def main():
    library, description, guard, server = map(os.path.abspath, sys.argv[1:5])
    fds = set(os.listdir("/proc/self/fd"))
    with tempfile.TemporaryDirectory() as workspace:
        os.mkdir(os.path.join(workspace, ".minds"))
        with open(os.path.join(workspace, ".minds", "mcp.yaml"), "w") as f:
            f.write("version: 1\nservers:\n  demo:\n    transport: stdio\n"
                    f"    command: {json.dumps(server)}\n")
        host = asyncio.run(scenario(bind(library, description), guard, workspace))
    assert set(os.listdir("/proc/self/fd")) == fds, "file descriptors were left open"
    print(f"ffi: {host.done_count} completions, {len(host.freed)} arguments freed, "
          f"{len(host.events)} events")
    print("1 passed, 0 failed")


main()
