#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gate.sh - the interface is one thing in six places.
#
#   tests/abi/gate.sh BUILD-DIRECTORY
#
# A function that a public header declares stands in lib/libmcphost.sym, is
# exported by the library, has a manual page, is used by a test, and nothing
# else is exported.  Where there is a Python, its ctypes drives the library, and passes
# NULL where the headers do not allow it.  abidiff compares the library with the kept
# description (where it is installed).  tests/abi/gate.sh --update BUILD-DIRECTORY keeps a new description.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
update=
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
out=${1:-$top/build}
lib=$out/lib/libmcphost.so.0
kept=$top/tests/abi/libmcphost.so.0.abi
passed=0 failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

verdict() { # NAME FILE-OF-FINDINGS WHAT-THEY-ARE
    if [ -s "$2" ]; then
        failed=$((failed + 1))
        echo "$1: $3:"
        sed 's/^/    /' "$2"
    else
        passed=$((passed + 1))
        echo "$1: ok"
    fi
}

if [ -n "$update" ]; then
    abidw --no-corpus-path --headers-dir "$top/include" --drop-private-types \
        --no-show-locs "$lib" >"$kept"
    exit
fi

# Declarations may run over several lines: join them, then take the name.
cat "$top"/include/mcphost/*.h | tr '\n' ' ' |
    grep -oE 'MCPHOST_API [^;(]*\(' | grep -oE 'mcphost[a-z0-9_]* *\($' | tr -d ' (' |
    sort -u >"$tmp/headers"
sed -n 's/^ *\(mcphost[a-z0-9_]*\);.*/\1/p' "$top/lib/libmcphost.sym" | sort >"$tmp/sym"
nm -D --defined-only "$lib" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' |
    sort -u >"$tmp/exported"
cat "$top"/man/*.3 2>/dev/null | sed -n 's/^\.Nm \(mcphost[a-z0-9_]*\).*/\1/p' |
    sort -u >"$tmp/man"
cat "$top"/tests/*/*.[ch] "$top"/tests/abi/*.py | grep -oE 'mcphost_[a-z0-9_]+' |
    sort -u >"$tmp/tests"

sort "$tmp/sym" | uniq -d >"$tmp/x"
verdict 'version script' "$tmp/x" 'named twice'
# What a room's objects refer to is defined in rooms of lower floors.
floors() {
    sed '/^#/d' "$top/scripts/rooms" | while read -r floor room; do
        for o in "$out"/obj/lib/"$room"/*.o; do
            [ -e "$o" ] || continue
            nm "$o" | awk -v f="$floor" -v r="$room" \
                'NF == 3 && $2 ~ /[TDBRC]/ { print "D", f, r, $3 } $1 == "U" { print "U", f, r, $2 }'
        done
    done | awk '$1 == "D" { floor[$4] = $2; room[$4] = $3; next } { use[$2 " " $3 " " $4] = 1 }
        END {
            for (u in use) {
                split(u, p, " ")
                if (p[3] in room && room[p[3]] != p[2] && floor[p[3]] + 0 >= p[1] + 0)
                    print p[2] " refers to " p[3] " of " room[p[3]]
            }
        }' | sort
}
floors >"$tmp/x"
verdict 'floors' "$tmp/x" 'refers to a room that is not on a lower floor'
comm -23 "$tmp/headers" "$tmp/sym" >"$tmp/x"
verdict 'header to version script' "$tmp/x" 'declared, not in lib/libmcphost.sym'
comm -13 "$tmp/headers" "$tmp/sym" >"$tmp/x"
verdict 'version script to header' "$tmp/x" 'in lib/libmcphost.sym, not declared'
comm -3 "$tmp/headers" "$tmp/exported" >"$tmp/x"
verdict 'header and library' "$tmp/x" 'declared and not exported, or (right) the reverse'
comm -23 "$tmp/headers" "$tmp/man" >"$tmp/x"
verdict 'manual pages' "$tmp/x" 'without a page'
comm -23 "$tmp/man" "$tmp/headers" >"$tmp/x"
verdict 'manual pages to header' "$tmp/x" 'on a page, not declared'
comm -23 "$tmp/headers" "$tmp/tests" >"$tmp/x"
verdict 'tests' "$tmp/x" 'no test uses'

# What gives a text has a row in the test of the rule for texts: functions that return or
# store one, and callbacks that are passed one.
cat "$top"/include/mcphost/*.h | tr '\n' ' ' |
    sed -E 's:/\*[^*]*\*+([^/*][^*]*\*+)*/::g; s/ +/ /g' | grep -oE '(MCPHOST_API|typedef) [^;{]*;' |
    sed -nE 's/^MCPHOST_API.*const char \* ?(mcphost[a-z0-9_]+) ?\(.*/\1/p; t
        s/^MCPHOST_API [^(]*(mcphost[a-z0-9_]+) ?\(.*char \*\*?ret_.*/\1/p; t
        s/^typedef .*\(\*(mcphost[a-z0-9_]+)\)\(.*const char \*.*/\1/p' | sort -u >"$tmp/texts"
sed -nE 's/^ *\{"(mcphost[a-z0-9_]+)", (PLAIN|TEXT|JSON|BYTES).*/\1/p' \
    "$top/tests/support/texts.c" | sort >"$tmp/rows"
comm -3 "$tmp/texts" "$tmp/rows" >"$tmp/x"
verdict texts "$tmp/x" 'a text, without a row in tests/support/texts.c, or (right) the reverse'

if command -v python3 >/dev/null; then
    timeout 60 python3 "$top/tests/abi/ffi_smoke.py" "$lib" "$out/bin/mcphost-guard" \
        "$out/examples/demo/demo-server" >"$tmp/ffi" 2>&1 && : >"$tmp/x" || cp "$tmp/ffi" "$tmp/x"
    [ -s "$tmp/x" ] || sed -n 1p "$tmp/ffi"
    verdict ffi "$tmp/x" 'ctypes cannot drive the library'
    timeout 60 python3 "$top/tests/abi/null_args.py" "$lib" "$top"/include/mcphost/*.h \
        >"$tmp/null" 2>"$tmp/at" && : >"$tmp/x" || { cat "$tmp/null"; tail -1 "$tmp/at"; } >"$tmp/x"
    [ -s "$tmp/x" ] || cat "$tmp/null"
    verdict 'null pointers' "$tmp/x" 'not as MCPHOST_NULLABLE says, or (alone) a crash at'
else
    echo 'ffi: not run, there is no python3'
fi

if ! command -v abidiff >/dev/null; then
    echo 'abidiff: not run, it is not installed (package abigail-tools)'
elif [ ! -e "$kept" ]; then
    echo 'abidiff: not run, no release is kept yet'
else
    # Additions are no finding; everything else is.
    abidiff --no-added-syms --headers-dir2 "$top/include" "$kept" "$lib" >"$tmp/diff" 2>&1
    status=$?
    if [ $((status & 9)) -ne 0 ]; then cp "$tmp/diff" "$tmp/x"; else : >"$tmp/x"; fi
    verdict abidiff "$tmp/x" 'not compatible with what is kept'
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
