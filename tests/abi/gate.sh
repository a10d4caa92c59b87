#!/bin/sh
# SPDX-License-Identifier: MIT
#
# gate.sh - checks that the binary interface agrees with the headers.
#
#   tests/abi/gate.sh BUILD-DIRECTORY
#
# The script checks that everything made from the headers is up to date (scripts/apidesc
# check), and that clang and bindgen read the same from the headers, if they are
# installed.  The library must export exactly the functions that the headers declare, and
# a test must use each function.  Every other external symbol of the static library must
# begin with mcph_, and a program that itself defines the internal names without this
# prefix must run (crowd.sh).  A room, which is a directory of lib/, may use only its own
# symbols and the symbols of rooms on lower floors (scripts/rooms).  tests/support/texts.c
# must have a row for each function or callback that passes a text.  Python's ctypes
# drives the library, and passes NULL where the headers do not allow NULL.  The bindings
# must be current, and must wrap each function that no list of exceptions names.  If
# abidiff is installed, it compares the headers and the library with the description that
# is kept of the latest release (describe.sh).  For each earlier release, a program that
# was compiled for that release must run with the library (consumer/).
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(cd "${1:-$top/build}" && pwd) || exit 2
lib=$out/lib/libmcphost.so.0
kept=$(find "$top/tests/abi" -maxdepth 1 -name '*.abi' | sort -V | tail -1)
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

# in_api EXPRESSION: prints the names for which a Python expression over `f` is true.
in_api() {
    python3 -c "
import json, sys
api = json.load(open(sys.argv[1]))
for f in api['functions'] + api['callbacks']:
    public = f in api['functions']
    if ($1): print(f['name'])" "$out/api.json" | sort -u
}

command -v python3 >/dev/null || { echo 'gate.sh: python3 is needed' >&2; exit 1; }
in_api public >"$tmp/headers"
nm -D --defined-only "$lib" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' |
    sort -u >"$tmp/exported"
cat "$top"/tests/*/*.[ch] "$top"/tests/abi/*.py | grep -oE 'mcphost_[a-z0-9_]+' |
    sort -u >"$tmp/tests"

"$top/scripts/apidesc" check >"$tmp/x" 2>&1
verdict 'made from the headers' "$tmp/x" 'stale, or against the rules of doc/api.md'
# Checks that another parser of C finds the same functions, types and values.
cross() { # PROGRAM FILE
    if command -v "$1" >/dev/null; then
        python3 "$top/tests/abi/cross.py" "$1" "$2" >"$tmp/x" 2>&1
        verdict "read by $1" "$tmp/x" 'differs'
    else
        echo "read by $1: skipped, because $1 is missing"
    fi
}
cross clang "$out/api.json"
cross bindgen "$top/bindings/rust/mcphost-sys/src/sys.rs"
nm -g --defined-only "$out/lib/libmcphost.a" | awk 'NF == 3 && $3 !~ /^(mcph_|mcphost_)/ { print $3 }' >"$tmp/x"
verdict 'prefix' "$tmp/x" 'an external symbol without it'
# Prints each symbol that a room uses although another room on the same floor or on a
# higher floor defines the symbol.
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
comm -3 "$tmp/headers" "$tmp/exported" >"$tmp/x"
verdict 'header and library' "$tmp/x" 'declared and not exported, or (right) the reverse'
comm -23 "$tmp/headers" "$tmp/tests" >"$tmp/x"
verdict 'tests' "$tmp/x" 'no test uses'

# Checks that the test of the rule for texts has a row for every function that returns or
# stores a text, and for every callback that gets a text.
in_api "public and f['returns']['type'] == 'const char *' or
    any(p['type'] in ('char *', 'char **', 'const char **') and p['name'].startswith('ret_') if public else
        p['type'] == 'const char *' for p in f['params'])" >"$tmp/texts"
sed -nE 's/^ *\{"(mcphost[a-z0-9_]+)", (PLAIN|TEXT|JSON|BYTES).*/\1/p' \
    "$top/tests/support/texts.c" | sort >"$tmp/rows"
comm -3 "$tmp/texts" "$tmp/rows" >"$tmp/x"
verdict texts "$tmp/x" 'a text, without a row in tests/support/texts.c, or (right) the reverse'

mkdir -p "$tmp/crowd/.minds"
printf 'version: 1\nservers:\n  demo:\n    transport: stdio\n    command: %s\n' \
    "$out/examples/demo/demo-server" >"$tmp/crowd/.minds/mcp.yaml"
timeout 60 "$out/tests/crowded" "$tmp/crowd" echo '{"text":"alone"}' >"$tmp/alone" 2>&1
grep -q '"text":"alone' "$tmp/alone" && : >"$tmp/x" || cp "$tmp/alone" "$tmp/x"
verdict 'static link' "$tmp/x" 'an application with the same names does not run'

timeout 60 python3 "$top/tests/abi/ffi_smoke.py" "$lib" "$out/api.json" "$out/bin/mcphost-guard" \
    "$out/examples/demo/demo-server" >"$tmp/ffi" 2>&1 && : >"$tmp/x" || cp "$tmp/ffi" "$tmp/x"
[ -s "$tmp/x" ] || sed -n 1p "$tmp/ffi"
verdict ffi "$tmp/x" 'ctypes cannot drive the library'
timeout 60 python3 "$top/tests/abi/null_args.py" "$lib" "$out/api.json" >"$tmp/null" 2>"$tmp/at" &&
    : >"$tmp/x" || { cat "$tmp/null"; tail -1 "$tmp/at"; } >"$tmp/x"
[ -s "$tmp/x" ] || cat "$tmp/null"
verdict 'null pointers' "$tmp/x" 'not as MCPHOST_NULLABLE says, or (alone) a crash at'

# Checks that the generated parts of the bindings are current, and that the bindings wrap
# each function or list the function as an exception.
for language in rust python cxx; do
    if [ $language = cxx ] && ! command -v clang-format >/dev/null; then
        echo 'bindings/cxx: not checked, clang-format is not installed'
        continue
    fi
    {
        if [ $language = cxx ]; then
            timeout 60 "$top/scripts/bind-cxx" check # also prints functions without a wrapper
        else
            timeout 60 "$top/scripts/bind-$language" check "$out/api.json" &&
                timeout 60 "$top/scripts/bind-$language" coverage "$out/api.json"
        fi
    } >"$tmp/x" 2>&1 && : >"$tmp/x"
    verdict "bindings/$language" "$tmp/x" 'stale, or a function is neither wrapped nor excused'
done

if ! command -v abidiff >/dev/null; then
    echo 'abidiff: not run, it is not installed (package abigail-tools)'
elif [ -z "$kept" ]; then
    echo 'abidiff: not run, no release is kept yet'
else
    # Added functions and enumerators are allowed.  Any other difference is a finding.
    mkdir "$tmp/now"
    "$top/tests/abi/describe.sh" "$tmp/now" >"$tmp/x" 2>&1 &&
        abidiff --no-added-syms "$kept" "$tmp/now/libmcphost.so" >"$tmp/x" 2>&1 && : >"$tmp/x"
    verdict "abidiff of the headers with ${kept##*/}" "$tmp/x" 'not compatible with what is kept'
    abidiff --no-added-syms --suppressions "$top/tests/abi/suppressions" \
        --headers-dir2 "$top/include" "$kept" "$lib" >"$tmp/x" 2>&1 && : >"$tmp/x"
    verdict "abidiff of the library with ${kept##*/}" "$tmp/x" 'not compatible with what is kept'
fi
for release in "$top"/tests/abi/consumer/[0-9]*/; do
    [ -d "$release" ] || continue
    release=$(basename "$release")
    "$top/tests/abi/consumer/consumer.sh" "$out" "$release" >"$tmp/x" 2>&1 && : >"$tmp/x"
    verdict "a consumer of $release" "$tmp/x" 'does not run with this library'
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
