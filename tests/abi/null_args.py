#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""null_args.py - what the headers say of NULL, held against the library.

Each public function is called once for each of its pointers that is not marked
MCPHOST_NULLABLE, with NULL in this place and good values in all others.  It must not
crash; a function that can fail must fail; one that returns a pointer which is not marked
must return one (types.h).

    null_args.py LIBRARY HEADER...
"""
import ctypes as c
import re
import sys
import tempfile

NOTHING = c.CFUNCTYPE(c.c_int)(lambda: 0)
# They end the caller's part in a handle that other rows still need, or stop the world.
LAST = ("mcphost_close", "mcphost_unref", "mcphost_close_within")


def declarations(files):
    """(name, what is returned, parameters) of each function."""
    text = "".join(open(f, encoding="utf-8").read() for f in files)
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", " ", text, flags=re.S))
    for returned, name, rest in re.findall(
        r"MCPHOST_API ([^;(]*?)(mcphost\w*) ?\(([^;]*)\);", text
    ):
        params = [] if rest.strip() == "void" else [p.strip() for p in rest.split(",")]
        yield name, returned, params


class World:
    """One handle of each kind that needs no server."""

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
        """A good one, or None where there is none."""
        plain = re.sub(r"MCPHOST_\w+ |const ", "", param)
        name = re.split(r"[ *]", plain)[-1]
        if plain.startswith("char *") and not name.startswith("ret_"):
            if "**" in plain or plain.startswith("char *const"):
                return (c.c_char_p * 2)(b"x", None)
            if name in ("dir", "path", "file", "workspace"):
                return self.temp
            return b"{}" if name in ("json", "definition") else b"x"
        if "_fn " in plain:
            return None if plain.startswith("mcphost_free_fn") else NOTHING
        if "*" in plain:
            kind = re.match(r"(mcphost\w*) \*\w", plain)
            if kind:
                return c.c_void_p(self.handles.get(kind.group(1)))
            if "MCPHOST_NULLABLE" in param:
                return None
            self.keep.append(c.create_string_buffer(8192))
            return self.keep[-1]
        if "int64_t" in plain:
            return c.c_int64(1)
        if "size_t" in plain:
            return c.c_size_t(1)
        if plain.startswith("double"):
            return c.c_double(0)
        return 2 if name == "shape" else 1 if plain.startswith("unsigned") else 0


def can_fail(name, returned, params):
    verbs = name.split("_")
    if returned.split()[-1] != "int" or not params:
        return False
    if any("ret_" in p or "reterr" in p for p in params):
        return True
    return not any(v in verbs for v in ("get", "is", "has", "count", "repeats", "fd"))


def is_pointer(param):
    return "*" in param or "_fn " in param


def main():
    lib = c.CDLL(sys.argv[1])
    findings = calls = 0
    world = World(lib, tempfile.mkdtemp().encode())
    for name, returned, params in sorted(declarations(sys.argv[2:])):
        for at, param in enumerate(params):
            if not is_pointer(param) or "MCPHOST_NULLABLE" in param:
                continue
            values = [None if i == at else world.value(p) for i, p in enumerate(params)]
            if name in LAST and at > 0:
                continue
            print(f"{name}: {param}", file=sys.stderr, flush=True)
            pointer = "*" in returned
            result = world.call(
                name,
                c.c_void_p if pointer else c.c_int64 if "64" in returned else c.c_int,
                *values,
            )
            calls += 1
            bad = None
            if pointer and result is None and "MCPHOST_NULLABLE" not in returned:
                bad = "returns NULL, which is not marked"
            elif can_fail(name, returned, params) and result >= 0:
                bad = f"takes NULL for '{param}', which is not marked: {result}"
            if bad:
                findings += 1
                print(f"{name} {bad}")
    print(f"null: {calls} calls, {findings} findings")
    return findings > 0


if __name__ == "__main__":
    sys.exit(main())
