#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""null_args.py - checks how the library handles NULL where the headers do not allow it.

Each public function is called once for each of its pointers that is not marked
MCPHOST_NULLABLE.  The call passes NULL for this pointer and valid values for all other
arguments.  The function must not crash.  A function that can fail must fail.  A function
whose return value is a pointer without the mark must not return NULL (types.h).

    null_args.py LIBRARY API.JSON
"""
import ctypes as c
import json
import re
import sys
import tempfile

NOTHING = c.CFUNCTYPE(c.c_int)(lambda: 0)
# Call these functions last, because they end a handle that other functions still need.
LAST = ("mcphost_close", "mcphost_unref", "mcphost_close_within")


class World:
    """Has one handle of each kind that needs no server."""

    def __init__(self, lib, temp):
        self.lib, self.temp, self.handles, self.keep = lib, temp, {}, []
        self.make("mcphost", "mcphost_new")
        argv = (c.c_char_p * 2)(b"/bin/true", None)
        self.make("mcphost_config", "mcphost_config_new_stdio", b"a", argv, None)
        self.handles["mcphost_view"] = self.call(
            "mcphost_default_view", c.c_void_p, self.of("")
        )
        self.make("mcphost_source", "mcphost_source_new", self.of(""), b"s")
        self.make("mcphost_dialog", "mcphost_dialog_new", self.of("_view"), b"d", None)
        self.make("mcphost_catalog", "mcphost_view_get_catalog", self.of("_view"))
        self.make("mcphost_turn", "mcphost_turn_new", self.of("_dialog"))
        self.make("mcphost_status", "mcphost_get_status", self.of(""))
        self.make("mcphost_problems", "mcphost_get_problems", self.of(""))
        self.make("mcphost_items", "mcphost_items_parse", b"[]", c.c_size_t(2), None)
        self.make("mcphost_projection", "mcphost_projection_new", self.of("_catalog"),
                  0, 0, c.c_size_t(0))
        self.make("mcphost_builtins", "mcphost_builtins_new", b"own")
        self.make("mcphost_retry", "mcphost_retry_new", 0)
        for kind in ("filter", "transform", "grant", "schema"):
            self.make("mcphost_" + kind, "mcphost_" + kind + "_new")

    def call(self, name, returned, *args):
        function = getattr(self.lib, name)
        function.restype = returned
        return function(*args)

    def make(self, kind, name, *args):
        out = c.c_void_p()
        r = self.call(name, c.c_int, *args, c.byref(out), None)
        if r < 0:
            sys.exit(f"{name}: {r}")
        self.handles[kind] = out.value

    def of(self, kind):
        return c.c_void_p(self.handles["mcphost" + kind])

    def value(self, param):
        """Returns a valid value for a parameter, or None if the World has no such value."""
        plain, name = param["type"].replace("const ", "", 1), param["name"]
        if plain.startswith("char *") and not name.startswith("ret_"):
            if plain.startswith(("char **", "char *const")):
                return (c.c_char_p * 2)(b"x", None)
            if name in ("dir", "path", "file", "workspace"):
                return self.temp
            return b"{}" if name in ("json", "definition") else b"x"
        if plain.endswith("_fn"):
            return None if plain == "mcphost_free_fn" else NOTHING
        if "*" in plain:
            kind = re.fullmatch(r"(mcphost\w*) \*", plain)
            if kind:
                return c.c_void_p(self.handles.get(kind.group(1)))
            if "nullable" in param:
                return None
            self.keep.append(c.create_string_buffer(8192))
            return self.keep[-1]
        if plain in ("int64_t", "uint64_t"):
            return c.c_int64(1)
        if plain == "size_t":
            return c.c_size_t(1)
        if plain == "double":
            return c.c_double(0)
        return 2 if name == "shape" else 1 if plain == "unsigned" else 0


def can_fail(function):
    verbs = function["name"].split("_")
    if function["returns"]["type"] != "int" or not function["params"]:
        return False
    if any(p["name"].startswith("ret") for p in function["params"]):
        return True
    return not any(v in verbs for v in ("get", "is", "has", "count", "repeats", "fd"))


def is_pointer(param):
    return "*" in param["type"] or param["type"].endswith("_fn")


def main():
    lib = c.CDLL(sys.argv[1])
    findings = calls = 0
    world = World(lib, tempfile.mkdtemp().encode())
    with open(sys.argv[2], encoding="utf-8") as f:
        functions = sorted(json.load(f)["functions"], key=lambda f: f["name"])
    for function in functions:
        name, returned, params = (function[k] for k in ("name", "returns", "params"))
        for at, param in enumerate(params):
            if not is_pointer(param) or "nullable" in param:
                continue
            values = [None if i == at else world.value(p) for i, p in enumerate(params)]
            if name in LAST and at > 0:
                continue
            print(f"{name}: {param['name']}", file=sys.stderr, flush=True)
            pointer = "*" in returned["type"]
            result = world.call(
                name,
                c.c_void_p if pointer else c.c_int64 if "64" in returned["type"] else c.c_int,
                *values,
            )
            calls += 1
            bad = None
            if pointer and result is None and "nullable" not in returned:
                bad = "returns NULL, which is not marked"
            elif can_fail(function) and result >= 0:
                bad = f"takes NULL for {param['name']}, which is not marked: {result}"
            if bad:
                findings += 1
                print(f"{name} {bad}")
    print(f"null: {calls} calls, {findings} findings")
    return findings > 0


if __name__ == "__main__":
    sys.exit(main())
