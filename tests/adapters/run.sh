#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - tests the adapters to event loops, and their examples.
#
#   tests/adapters/run.sh BUILD-DIRECTORY
#
# For each loop whose library is installed, the script compiles the header alone (as C99
# and C11 with GNU extensions and as C++; the header for Qt only as C++), runs the tests,
# with the sanitizers `address` and `undefined` if the compiler has them, and runs the
# example with a real server.  If the library of a loop is missing, the script skips the
# loop and prints a line.  The script tests the addon for Node.js if node and its headers
# are installed.  With MCPHOST_NEED_ADAPTERS set, a skipped loop is a failure, except the
# loop of Node.js.
set -u
export LC_ALL=C.UTF-8
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath "${1:-$top/build}") || exit 2
here=$top/tests/adapters
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0 log=$tmp/log
cc=${CC:-cc} cxx=${CXX:-c++}
warnings='-Wall -Wextra -Wpedantic -Werror'

# try NAME COMMAND...: runs a command, and prints its output if it fails.
try() {
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        echo "$name: ok"
    else
        failed=$((failed + 1))
        echo "$name: FAILED"
        sed 's/^/    /' "$log"
    fi
}

skip() { # NAME REASON
    skipped=$((skipped + 1))
    echo "$1: skipped, $2"
    # A skipped test of Node.js is never a failure, because Debian's headers of Node.js
    # do not fit every version of node.
    [ -z "${MCPHOST_NEED_ADAPTERS-}" ] || [ "$1" = node ] || failed=$((failed + 1))
}

# link PROGRAM COMMAND...: compiles and links a program with the library.
link() {
    local program=$1
    shift
    "$@" -I"$top/include" -o "$program" -L"$out/lib" -Wl,-rpath,"$out/lib" -lmcphost
}

# flags_of PACKAGE: prints the compiler's flags for the headers of the package.  -isystem
# turns warnings about these headers off.
flags_of() {
    pkg-config --cflags "$1" | sed 's/-I *\//-isystem \//g'
}

alone() { # HEADER LANGUAGE STANDARD FLAGS...
    echo "#include <mcphost/adapters/$1.h>" >"$tmp/alone.$2"
    [ "$2" = c ] && set -- "$1" "$2" "$3" "${@:4}" -x c
    # shellcheck disable=SC2086
    $([ "$2" = c ] && echo "$cc" || echo "$cxx") -std="$3" $warnings \
        -Wno-unused-function "${@:4}" -I"$top/include" -fsyntax-only "$tmp/alone.$2"
}

# suite NAME COMPILER-WITH-FLAGS FILE LIBRARIES: compiles the tests and runs them.
suite() {
    # shellcheck disable=SC2086
    link "$tmp/$1" $2 $sanitize $warnings -g -O1 "$here/$3" $4 &&
        timeout 100 "$tmp/$1"
}

# The example runs in the build tree with the guard of this build
# (examples/support/here.c).
example() { # NAME COMPILER-WITH-FLAGS FILE LIBRARIES
    local program=$out/examples/adapter-$1
    # shellcheck disable=SC2086
    link "$program" $2 $warnings -Wl,--wrap=mcphost_new "$top/examples/adapters/$3" \
        "$tmp/here.o" $4 || return
    timeout 60 "$program" "$tmp/w" echo '{"text":"in a loop"}' >"$tmp/said" || return
    grep -q 'in a loop' "$tmp/said"
}

node_addon() {
    # shellcheck disable=SC2086
    link "$tmp/addon.node" $cc -std=gnu11 -fPIC -shared $warnings -isystem "$node_include" \
        "$top/examples/node/addon.c" || return
    timeout 60 node "$top/examples/node/example.js" "$tmp/addon.node" "$tmp/w" echo \
        '{"text":"from node"}' "$out/bin/mcphost-guard" >"$tmp/said" || return
    sed 's/ (process [0-9]*)//' "$tmp/said" | diff - <(cat <<'END'
from node
3 answers
notfound: there is no tool 'no-such-tool'
closed
END
    )
}

node_tests() {
    timeout 100 node "$here/node.js" "$tmp/addon.node" "$tmp/w" "$out/bin/mcphost-guard"
}

command -v pkg-config >/dev/null || { echo 'run.sh: pkg-config is needed' >&2; exit 1; }
mkdir -p "$tmp/w/.minds"
printf 'version: 1\nservers:\n  demo:\n    transport: stdio\n    command: %s\n' \
    "$out/examples/demo/demo-server" >"$tmp/w/.minds/mcp.yaml"
$cc -I"$top/include" -c -o "$tmp/here.o" "$top/examples/support/here.c" || exit 1
sanitize=-fsanitize=address,undefined
echo 'int main(void) { return 0; }' >"$tmp/no.c"
# shellcheck disable=SC2086
if ! $cc $sanitize -o "$tmp/no" "$tmp/no.c" 2>/dev/null || ! "$tmp/no"; then
    sanitize=
    echo 'address,undefined: not used, the compiler does not have it'
fi

for loop in glib:glib-2.0:libglib2.0-dev libuv:libuv:libuv1-dev \
    libevent:libevent_core:libevent-dev sd-event:libsystemd:libsystemd-dev; do
    IFS=: read -r name package debian <<<"$loop"
    if ! pkg-config --exists "$package"; then
        skip "$name" "$package is not installed (package $debian)"
        continue
    fi
    flags=$(flags_of "$package") libraries=$(pkg-config --libs "$package")
    # shellcheck disable=SC2086
    for standard in 'c gnu99' 'c gnu11' 'cpp c++11' 'cpp c++17'; do
        try "$name: header alone, ${standard#* }" alone "$name" $standard $flags
    done
    try "$name: tests" suite "$name" "$cc -std=gnu11 $flags" "$name.c" "$libraries"
    try "$name: example" example "$name" "$cc -std=gnu11 $flags" "$name.c" "$libraries"
done

qt=
for package in Qt6Core Qt5Core; do
    if pkg-config --exists $package; then qt=$package && break; fi
done
if ! command -v "$cxx" >/dev/null; then
    skip qt "there is no C++ compiler"
elif [ -z "$qt" ]; then
    skip qt "Qt5Core is not installed (package qtbase5-dev)"
else
    flags="-fPIC $(flags_of "$qt")" libraries=$(pkg-config --libs "$qt")
    # shellcheck disable=SC2086
    for standard in c++17 c++20; do
        try "qt: header alone, $standard" alone qt cpp $standard $flags
    done
    try 'qt: tests' suite qt "$cxx -std=c++17 $flags" qt.cpp "$libraries"
    try 'qt: example' example qt "$cxx -std=c++17 $flags" qt.cpp "$libraries"
fi

node_include=
for directory in "${NODE_INCLUDE-}" /usr/include/node /usr/include/nodejs/src /usr/local/include/node; do
    if [ -n "$directory" ] && [ -e "$directory/node_api.h" ]; then
        node_include=$directory
        break
    fi
done
if ! command -v node >/dev/null; then
    skip node 'it is not installed (package nodejs)'
elif [ -z "$node_include" ]; then
    skip node 'its headers are not installed (package libnode-dev)'
else
    [ -e "$node_include/uv.h" ] || node_include="$node_include $(pkg-config --cflags libuv)"
    try 'node: example' node_addon
    try 'node: tests' node_tests
fi
echo "$passed passed, $skipped skipped, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
