# SPDX-License-Identifier: MIT
"""cross.py - compares what scripts/apidesc and scripts/bind-rust made with two parsers of C.

    cross.py clang API.JSON             the functions, callbacks and constants of API.JSON
    cross.py bindgen SYS.RS             the functions and callbacks of the Rust declarations

clang prints the syntax tree of all public headers.  bindgen makes Rust declarations from
the same headers.  Prints each difference.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INCLUDE = os.path.join(TOP, "include")


def run(*command):
    """Gives a program one header that includes all headers.  Returns its output."""
    with tempfile.NamedTemporaryFile("w", suffix=".h") as header:
        for path in sorted(glob.glob(os.path.join(INCLUDE, "mcphost", "*.h"))):
            header.write(f"#include <mcphost/{os.path.basename(path)}>\n")
        header.flush()
        words = [header.name if word == "HEADER" else word for word in command]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def differences(kind, ours, theirs):
    """Prints what differs between two maps."""
    if len(theirs) < 10:
        print(f"{kind}: the other parser found only {len(theirs)}")
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            print(f"{kind} {name}: {ours.get(name)} here, {theirs.get(name)} there")


# ---- clang ----

def tree():
    """Returns the declarations of the header, as clang sees them."""
    return json.loads(run("clang", "-x", "c", "-std=c99", "-fsyntax-only", "-I" + INCLUDE,
                          "-Xclang", "-ast-dump=json", "HEADER"))["inner"]


def plain(ctype):
    """Returns a type without needless blanks, and without `enum` and `struct` before the
    library's names."""
    ctype = re.sub(r"\benum (?=mcphost_)|\bstruct (?=mcphost_)", "", ctype)
    ctype = ctype.replace("unsigned int", "unsigned")
    return re.sub(r"\s*\*\s*", "*", re.sub(r"\s+", " ", ctype)).strip()


def constant(node):
    """Returns the value that an enumerator gives itself, or None."""
    if "value" in node:
        return int(node["value"])
    for inner in node.get("inner", []):
        value = constant(inner)
        if value is not None:
            return value
    return None


def from_clang():
    """Returns the signatures, the callbacks, and the values of the constants."""
    functions, callbacks, constants = {}, {}, {}
    for node in tree():
        name = node.get("name", "")
        if node["kind"] == "FunctionDecl" and name.startswith("mcphost_"):
            params = [plain(p["type"]["qualType"]) for p in node.get("inner", [])
                      if p["kind"] == "ParmVarDecl"]
            functions[name] = [plain(node["type"]["qualType"].split("(")[0]), *params]
        elif node["kind"] == "TypedefDecl" and re.fullmatch(r"mcphost_\w+_fn", name):
            callbacks[name] = plain(node["type"]["qualType"])
        elif node["kind"] == "EnumDecl":
            following = 0
            for each in node.get("inner", []):
                if each["kind"] == "EnumConstantDecl" and each["name"].startswith("MCPHOST_"):
                    value = constant(each)
                    value = following if value is None else value
                    constants[each["name"]] = value
                    following = value + 1
    return functions, callbacks, constants


def check_clang(path):
    """Compares api.json with the tree of clang."""
    with open(path, encoding="utf-8") as file:
        api = json.load(file)
    functions, callbacks, constants = from_clang()

    def signature(each):
        return [plain(each["returns"]["type"]), *[plain(p["type"]) for p in each["params"]]]

    def pointer(each):
        first, *others = signature(each)
        return plain(f"{first} (*)({', '.join(others)})")

    differences("function", {f["name"]: signature(f) for f in api["functions"]}, functions)
    differences("callback", {f["name"]: pointer(f) for f in api["callbacks"]}, callbacks)
    differences("constant", {v["name"]: v["value"] for e in api["enums"] for v in e["values"]},
                constants)


# ---- bindgen ----

def dense(text):
    """Returns Rust text without paths of types and without needless blanks.  bindgen runs
    rustfmt if rustfmt is installed, and rustfmt adds blanks."""
    text = re.sub(r"(::)?\s*\b(std\s*::\s*os\s*::\s*raw|(std|core)\s*::\s*option)\s*::\s*",
                  "", text)
    return re.sub(r"\s*([^\w\s\"])\s*", r"\1", re.sub(r"\s+", " ", text))


def short(text):
    """Returns dense Rust types without names of parameters.

    Only the marks of the headers say which callbacks may be missing, and `size_t` is
    `usize` wherever Rust runs.
    """
    text = re.sub(r"\b(r#)?[a-z_]\w*:(?!:)", "", text)
    text = re.sub(r"\bsize_t\b", "usize", text).replace(",)", ")").strip()
    text = re.sub(r"Option<(mcphost_\w+_fn)>", r"\1", text)
    return re.sub(r"^Option<(unsafe extern .*),?>$", r"\1", text).rstrip(",")


def declarations(text):
    """Returns the functions and callbacks that Rust text declares."""
    text = dense(text)
    functions = {name: short(rest) for name, rest in
                 re.findall(r"\bpub fn (mcphost_\w+)(\([^;{]*?);", text)}
    callbacks = {name: short(rest) for name, rest in
                 re.findall(r"\bpub type (mcphost_\w+_fn)=([^;]*);", text)}
    return functions, callbacks


def check_bindgen(path):
    """Compares the declarations with those of bindgen."""
    made = run("bindgen", "--allowlist-function", "mcphost_.*",
               "--allowlist-type", "mcphost_.*", "--no-doc-comments", "--no-layout-tests",
               "HEADER", "--", "-I" + INCLUDE)
    with open(path, encoding="utf-8") as file:
        ours = declarations(file.read())
    theirs = declarations(made)
    differences("function", ours[0], theirs[0])
    differences("callback", ours[1], theirs[1])


if __name__ == "__main__":
    {"clang": check_clang, "bindgen": check_bindgen}[sys.argv[1]](sys.argv[2])
