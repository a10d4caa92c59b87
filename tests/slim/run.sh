#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - configures and builds the library without some of its parts, and uses each of
# these libraries.
#
#   tests/slim/run.sh BUILD [VARIANT...]
#
# A variant is the list of left-out parts, joined by commas: `http`, `schema,plugins`.
# `smallest` leaves out all parts.  Without VARIANT arguments, the script builds a variant
# for each part, which leaves out this part, and the variant `smallest`.  Each variant is
# built in BUILD/slim/VARIANT, by its own run of configure.  The script keeps the builds.
# A second run therefore compiles only the changed files.
#
# The script checks that the build has no warnings, that the shared library and mcphostctl
# are linked with the right libraries, that the library without plugins does not use
# dlopen(), and that the exported symbols are those of the full library in BUILD.  Without
# HTTP, the library computes digests without libcrypto, and the script checks the digests.
# Then the script runs tests/slim/parts.c with a server over stdio.  The server uses the
# full library of BUILD.  The last line is `N passed, N failed`.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "${1:?usage: run.sh BUILD [VARIANT...]}" && pwd) || exit 2
shift
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
make=${MAKE:-make}
passed=0 failed=0
[ $# -gt 0 ] || set -- http auth serving schema profiles plugins smallest

check() { # VARIANT WHAT FILE-OF-FINDINGS
    if [ -s "$3" ]; then
        failed=$((failed + 1))
        echo "$1: $2:"
        sed 's/^/    /' "$3"
    else
        passed=$((passed + 1))
        echo "$1: $2 ok"
    fi
}

# without NAME LIST: succeeds if the part NAME is in the list.
without() { [[ " $2 " == *" $1 "* ]]; }

for variant; do
    parts=${variant//,/ }
    [ "$variant" != smallest ] || parts='http serving schema profiles plugins'
    flags=()
    for part in $parts; do flags+=("--disable-$part"); done
    ! without http "$parts" || parts="$parts auth"
    dir=$out/slim/$variant
    mkdir -p "$dir"
    cd "$dir" || exit 1
    if [ ! -e config.mk ] || [ "$top/configure" -nt config.mk ]; then
        "$top/configure" "${flags[@]}" >configure.out 2>&1 || { cat configure.out; exit 1; }
    fi
    targets=(build/lib/libmcphost.so.0 build/lib/libmcphost.so build/lib/libmcphost.a
        build/bin/mcphostctl build/bin/mcphost-guard)
    [ "$variant" != smallest ] || targets=(all)
    $make -j2 "${targets[@]}" build/libmcphost.pc >make.out 2>&1 || { cat make.out; exit 1; }
    grep warning make.out >found
    check "$variant" 'no warnings' found

    want='libc libjansson libyaml-0'
    without http "$parts" || want="$want libcrypto libcurl"
    without schema "$parts" || want="$want libpcre2-8"
    for file in lib/libmcphost.so.0 bin/mcphostctl; do
        readelf -d "build/$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*\]/\1/p'
    done | grep -v '^ld-linux\|^libmcphost' | sort -u >needed
    # shellcheck disable=SC2086 # a list of names
    printf '%s\n' $want | sort | comm -3 - needed >found
    ! without plugins "$parts" || nm -D build/lib/libmcphost.so.0 | grep ' dlopen' >>found
    check "$variant" 'linked libraries' found

    nm -D --defined-only build/lib/libmcphost.so.0 | awk '{ print $2, $3 }' >symbols
    nm -D --defined-only "$out/lib/libmcphost.so.0" | awk '{ print $2, $3 }' |
        comm -3 - symbols >found
    check "$variant" 'the same symbols as the full library' found

    if without http "$parts"; then
        # shellcheck disable=SC2046 # flags are words
        ${CC:-cc} -std=gnu11 -I"$top/include" -I"$top/lib" -o digest "$top/tests/slim/digest.c" \
            build/lib/libmcphost.a $(pkg-config --libs jansson yaml-0.1) -pthread >found 2>&1
        for len in 0 1 55 56 63 64 65 119 120 1000 100000; do
            head -c $len "$out/lib/libmcphost.a" >text
            [ "$(./digest <text)" = "$(sha256sum <text | cut -d' ' -f1)" ] || echo "$len bytes"
        done >>found
        check "$variant" 'digests without libcrypto' found
    fi

    mkdir -p workspace/.minds
    cat >workspace/.minds/mcp.yaml <<END
version: 1
servers:
  desk:
    transport: stdio
    command: '$out/examples/demo/demo-server'
    args: [desk]
    transform: [{ prefix: 'desk_' }]
  away:
    transport: streamable_http
    url: 'http://127.0.0.1:9/mcp'
END
    # shellcheck disable=SC2086 # a list of names
    ${CC:-cc} -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -I"$top/include" -o parts \
        "$top/tests/slim/parts.c" -Lbuild/lib -lmcphost -Wl,-rpath,"$dir/build/lib" >found 2>&1 &&
        timeout 60 ./parts workspace "$dir/build/bin/mcphost-guard" $parts >found 2>&1 ||
        echo "parts ended with status $?" >>found
    check "$variant" 'parts and a call' found
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
