#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test.sh - checks the C++ interface against a library that is built.
#
#   bindings/cxx/test.sh BUILD-DIRECTORY
#
# It checks that the generated header is up to date and that it has each public function.
# Each header must compile alone, with each compiler that is installed, as C++17 and as
# C++20, with exceptions and without.  The tests run plainly and with sanitizers (if
# the compiler has them), and the scenarios run over the C++ interface.
set -u
export LC_ALL=C.UTF-8
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath "${1:-$top/build}") || exit 2
here=$top/bindings/cxx/tests
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 log=$tmp/log
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

# build PROGRAM FLAGS FILE...: compiles the files and links the program.
build() {
    local program=$1 flags=$2
    shift 2
    # shellcheck disable=SC2086 # lists of flags
    $cxx $flags $warnings -I"$top/include" -o "$program" "$@" -L"$out/lib" \
        -Wl,-rpath,"$out/lib" -lmcphost -pthread
}

alone() { # FLAGS
    local header
    for header in mcphost.hpp cxx/base.hpp cxx/handles.hpp cxx/login.hpp \
        cxx/await.hpp; do
        echo "#include <mcphost/$header>" >"$tmp/alone.cpp"
        # shellcheck disable=SC2086
        $cxx $1 $warnings -I"$top/include" -fsyntax-only "$tmp/alone.cpp" || return 1
    done
}

two() {
    local flags="-std=c++17 -O1 -g $warnings -I$top/include"
    # shellcheck disable=SC2086
    $cxx $flags -c -o "$tmp/a.o" "$here/two_a.cpp" &&
        $cxx $flags -fno-exceptions -fno-rtti -c -o "$tmp/b.o" "$here/two_b.cpp" &&
        build "$tmp/two" '' "$tmp/a.o" "$tmp/b.o" && timeout 60 "$tmp/two"
}

run() { # PROGRAM FLAGS FILE
    build "$tmp/$1" "$2" "$here/$3" && timeout 100 "$tmp/$1"
}

# The example of the manual page is the program examples/embed.cpp.
same_example() {
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/{/^\.Bd -literal/,/^\.Ed/{/^\.[BE]d/d;s/\\e/\\/g;s/^\\&//;p}}' \
        "$top/man/mcphost-cxx.7" >"$tmp/page" || return
    [ -s "$tmp/page" ] && sed '1,/^ \*\/$/d' "$top/examples/embed.cpp" | diff "$tmp/page" -
}

example() {
    mkdir -p "$tmp/w/.minds"
    printf 'version: 1\nservers:\n  demo:\n    transport: stdio\n    command: %s\n' \
        "$out/examples/demo/demo-server" >"$tmp/w/.minds/mcp.yaml"
    ${CC:-cc} -I"$top/include" -c -o "$tmp/here.o" "$top/examples/support/here.c" &&
        build "$out/examples/embed-cxx" '-std=c++17 -Wl,--wrap=mcphost_new' \
            "$top/examples/embed.cpp" "$tmp/here.o" &&
        timeout 60 "$out/examples/embed-cxx" "$tmp/w" echo '{"text":"from C++"}' \
            >"$tmp/said" &&
        grep -q 'from C++' "$tmp/said"
}

try 'generated header' "$top/scripts/bind-cxx" check
tail -n 1 "$log"
compilers=
for cxx in g++ clang++; do
    command -v $cxx >/dev/null || { echo "$cxx: not run, it is not installed"; continue; }
    compilers="$compilers $cxx"
done
[ -n "$compilers" ] || { echo 'test.sh: no compiler' >&2; exit 1; }
for cxx in $compilers; do
    for standard in c++17 c++20; do
        try "$cxx $standard: headers alone" alone "-std=$standard"
        try "$cxx $standard: headers without exceptions" alone \
            "-std=$standard -fno-exceptions -fno-rtti"
    done
    try "$cxx: owners, texts, functions" run life '-std=c++17 -O1 -g' life.cpp
    try "$cxx: the same without exceptions" run life_plain \
        '-std=c++17 -O1 -g -fno-exceptions -fno-rtti' life.cpp
    try "$cxx: a program with files of both kinds" two
    try "$cxx: coroutines" run coroutine '-std=c++20 -O1 -g' coroutine.cpp
done
cxx=${compilers%% *} cxx=${compilers##* }
for sanitizer in address,undefined thread; do
    flags="-O1 -g -fsanitize=$sanitizer"
    echo 'int main() {}' >"$tmp/no.cpp"
    # shellcheck disable=SC2086
    if ! $cxx $flags -o "$tmp/no" "$tmp/no.cpp" 2>/dev/null || ! "$tmp/no"; then
        echo "$sanitizer: not run, $cxx does not have it"
        continue
    fi
    try "$sanitizer: owners, texts, functions" run life_s "-std=c++17 $flags" life.cpp
    try "$sanitizer: coroutines" run coroutine_s "-std=c++20 $flags" coroutine.cpp
done
try 'scenario runner' build "$tmp/scenario" '-std=c++17 -O1 -g' "$here/scenario.cpp"
if [ -x "$out/tests/fakeserver" ]; then
    try scenarios "$top/tests/scenarios/run.sh" "$out" "$tmp/scenario"
    tail -n 1 "$log"
fi
try 'example of the manual page' same_example
[ ! -x "$out/examples/demo/demo-server" ] || try 'example runs' example
# The budget is 1.05 if bench.cpp runs alone, on an idle machine.  This limit is higher,
# because other programs may run at the same time.
bench() {
    build "$tmp/bench" '-std=c++17 -O2' "$here/bench.cpp" &&
        timeout 100 "$tmp/bench" "$out/examples/demo/demo-server" \
            "$out/bin/mcphost-guard" 5000 1.25
}
if [ -x "$out/examples/demo/demo-server" ]; then
    try 'cost of a call' bench
    tail -n 1 "$log"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
