#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collect.py - collects the schemas of real servers' tools.

The library starts each server.  The first form writes a file for each server that has
tools: {"server", "version", "tools": [{"name", "input", "output"}]}, with the schemas as
the server sent them.  `output` is missing if the tool has no output schema.

    collect.py BUILD-DIRECTORY DIRECTORY-WITH-NODE_MODULES WHERE-TO [SERVER...]
    collect.py --corpus WHERE-FROM WHERE-TO

The second form makes the corpus of `make check`.  The corpus has the facts of each schema
without the words of the schema's author.  The length of a description, title or comment
replaces its words.  Examples are left out.
"""
import ctypes as c
import json
import os
import sys
import tempfile

# The arguments of servers that do not start without arguments.
ARGUMENTS = {
    "@agent-infra/mcp-server-filesystem": ["--allowed-directories", "/tmp"],
    "@modelcontextprotocol/server-filesystem": ["/tmp"],
    "@modelcontextprotocol/server-postgres": ["postgresql://localhost/none"],
}
HELPERS = {"ajv"}  # packages that are not servers


def bind(path):
    lib = c.CDLL(path)
    ptr, text, size, out = c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(c.c_void_p)
    for name, result, *args in (
        ("mcphost_new", c.c_int, out, out),
        ("mcphost_unref", ptr, ptr),
        ("mcphost_close", c.c_int, ptr),
        ("mcphost_set_option", c.c_int, ptr, c.c_int, c.c_int64),
        ("mcphost_set_guard_path", c.c_int, ptr, text),
        ("mcphost_config_load_memory", c.c_int, text, size, text, text, out, out),
        ("mcphost_config_unref", ptr, ptr),
        ("mcphost_load", c.c_int, ptr, ptr),
        ("mcphost_wait", c.c_int, ptr, c.c_int64),
        ("mcphost_wait_ready", c.c_int, ptr, c.c_int64),
        ("mcphost_default_view", ptr, ptr),
        ("mcphost_view_get_catalog", c.c_int, ptr, out),
        ("mcphost_catalog_unref", ptr, ptr),
        ("mcphost_catalog_count_tools", size, ptr),
        ("mcphost_catalog_get_tool", ptr, ptr, size),
        ("mcphost_tool_get_original_name", text, ptr),
        ("mcphost_tool_get_server_id", text, ptr),
        ("mcphost_tool_get_input_schema", ptr, ptr, c.POINTER(size)),
        ("mcphost_tool_get_output_schema", ptr, ptr, c.POINTER(size)),
    ):
        fn = getattr(lib, name)
        fn.restype, fn.argtypes = result, args
    lib.guard = os.path.join(os.path.dirname(os.path.abspath(path)),
                             "../bin/mcphost-guard").encode()
    return lib


def span(getter, handle):
    size = c.c_size_t()
    data = getter(handle, c.byref(size))
    return c.string_at(data, size.value).decode() if data else None


def list_tools(lib, command, arguments, directory):
    """Returns [(name, input schema, output schema or None)] of a server, schemas as text."""
    text = json.dumps({"version": 1, "servers": {"it": {
        "transport": "stdio", "command": command, "args": arguments,
        "env": {"HOME": directory}}}}).encode()
    host, config, catalog = c.c_void_p(), c.c_void_p(), c.c_void_p()
    assert lib.mcphost_new(c.byref(host), None) == 0
    assert lib.mcphost_set_guard_path(host, lib.guard) == 0
    assert lib.mcphost_config_load_memory(text, len(text), b"it", directory.encode(),
                                          c.byref(config), None) == 0
    assert lib.mcphost_load(host, config) == 0
    lib.mcphost_config_unref(config)
    lib.mcphost_wait_ready(host, 60000)
    assert lib.mcphost_view_get_catalog(lib.mcphost_default_view(host),
                                        c.byref(catalog)) == 0
    tools = []
    for i in range(lib.mcphost_catalog_count_tools(catalog)):
        tool = lib.mcphost_catalog_get_tool(catalog, i)
        if lib.mcphost_tool_get_server_id(tool):  # skip the library's own tools
            tools.append((lib.mcphost_tool_get_original_name(tool).decode(),
                          span(lib.mcphost_tool_get_input_schema, tool),
                          span(lib.mcphost_tool_get_output_schema, tool)))
    lib.mcphost_catalog_unref(catalog)
    lib.mcphost_close(host)
    while lib.mcphost_wait(host, -1) >= 0:
        pass
    lib.mcphost_unref(host)
    return tools


def file_name(package):
    return package.lstrip("@").replace("/", "_") + ".json"


def collect(lib, modules, package, where):
    with open(os.path.join(modules, package, "package.json"), encoding="utf-8") as f:
        about = json.load(f)
    program = about["bin"]
    if isinstance(program, dict):
        program = next(iter(program.values()))
    with tempfile.TemporaryDirectory() as directory:
        tools = list_tools(lib, "node", [os.path.join(modules, package, program)]
                           + ARGUMENTS.get(package, []), directory)
    if not tools:
        return 0
    lines = []
    for name, given, told in sorted(tools):
        lines.append('{"name":%s,"input":%s%s}' % (
            json.dumps(name), given, f',"output":{told}' if told else ""))
    with open(os.path.join(where, file_name(package)), "w", encoding="utf-8") as f:
        f.write('{"server":%s,"version":%s,"tools":[\n%s\n]}\n' % (
            json.dumps(package), json.dumps(about["version"]), ",\n".join(lines)))
    return len(tools)


def without_words(value):
    if isinstance(value, list):
        return [without_words(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, one in value.items():
        if key in ("description", "title", "$comment", "markdownDescription") \
                and isinstance(one, str):
            found[key] = f"{len(one)} characters"
        elif key in ("examples", "example") and not isinstance(one, dict):
            continue
        elif key in ("default", "const", "enum"):
            found[key] = one
        else:
            found[key] = without_words(one)
    return found


def make_corpus(source, where):
    os.makedirs(where, exist_ok=True)
    for name in sorted(os.listdir(source)):
        with open(os.path.join(source, name), encoding="utf-8") as f:
            about = json.load(f)
        lines = [json.dumps(dict(tool, **{key: without_words(tool[key])
                                          for key in ("input", "output") if key in tool}),
                            ensure_ascii=False, separators=(",", ":"))
                 for tool in about["tools"]]
        with open(os.path.join(where, name), "w", encoding="utf-8") as f:
            f.write('{"server":%s,"version":%s,"tools":[\n%s\n]}\n' % (
                json.dumps(about["server"]), json.dumps(about["version"]),
                ",\n".join(lines)))


def main():
    if sys.argv[1] == "--corpus":
        make_corpus(*sys.argv[2:4])
        return
    out, work, where, *only = sys.argv[1:]
    lib = bind(os.path.join(os.path.abspath(out), "lib", "libmcphost.so"))
    with open(os.path.join(work, "package.json"), encoding="utf-8") as f:
        packages = [name for name in json.load(f)["dependencies"] if name not in HELPERS]
    os.makedirs(where, exist_ok=True)
    failed = 0
    for package in only or packages:
        n = collect(lib, os.path.join(work, "node_modules"), package, where)
        print(f"{package}: {n} tools", flush=True)
        failed += n == 0
    sys.exit(failed != 0)


main()
