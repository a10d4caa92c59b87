#!/bin/bash
# SPDX-License-Identifier: MIT
#
# counts.sh - what a call costs, in counts that do not depend on the machine's mood:
# instructions (callgrind), system calls (strace), allocations and bytes copied
# (bench/preload).  Held against bench/budgets; times are never looked at.
#
#   counts.sh BUILD [SCENARIO...]
#
# A figure is the difference of two runs of different length, divided by the
# difference: start and end cancel out.  The server is not counted.  Beside ours
# stand the floors' own counts; over HTTP floor-raw is bare libcurl, and where the
# application carries calls out itself (bench/own.c) there is none.  Ends with
# `N passed, N failed`.
set -u
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: counts.sh BUILD [SCENARIO...]}" && pwd) || exit 2
shift
copies=$build/copies # where every memcpy is a call
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export BENCH_SERVER=$build/bench/server BENCH_GUARD=$build/bin/mcphost-guard

for tool in valgrind strace; do
    command -v $tool >/dev/null || {
        echo "counts.sh: $tool is missing; scripts/deps --ci installs it" >&2
        exit 2
    }
done

# scenario NAME: sets short, long (lengths), per, args, own (the application carries the
# call out), and option, the one that says how long.
scenario() {
    option=--calls short=200 long=1200 own=0
    args=(--times 0 --warm 50 --tool "$1")
    case $1 in
    text10m) short=2 long=5 args=(--times 0 --warm 1 --tool text10m) ;;
    flood64) short=1280 long=7680 args=(--times 0 --warm 640 --inflight 64) ;;
    start) option=--reps short=2 long=12 args=(--tools 3) ;;
    list) option=--tools short=1000 long=6000 args=(--times 0) ;;
    http64) args=(--http 1 --times 0 --warm 50) ;;
    httpflood64) short=640 long=3840 args=(--http 1 --times 0 --warm 640 --inflight 64) ;;
    httpsse64) args=(--http 2 --times 0 --warm 50) ;;
    builtin64 | provider64) short=1000 long=6000 own=1 args=(--times 0 --warm 50) ;;
    text*) ;;
    *) return 1 ;;
    esac
}

# run COUNT DIR PROGRAM LENGTH: the count of a whole run.
run() {
    local mode=$3 program=floor command kept
    if [ "$3" = client ]; then
        program=client
        case $option in --tools) mode=list ;; --reps) mode=cold ;; *) mode=calls ;; esac
        [ $own = 0 ] || program=own mode=${name%64}
    fi
    command=("$2/bench/$program" "$mode" "${args[@]}" "$option" "$4")
    if [ "$3" = curl ]; then # takes no times where it is told none
        command=("$2/bench/webfloor" "${args[@]:4}" "$option" "$4")
        [ "${args[1]}" = 1 ] || command+=(--sse 1)
    fi
    case $1 in
    instructions)
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "${command[@]}" 2>&1 >/dev/null |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
        ;;
    syscalls)
        # Reading the clock is no system call, but where a virtual machine's clock
        # is being set right, and then it is one for as long as that takes.
        strace -c -e "trace=!clock_gettime" -o "$tmp/strace" "${command[@]}" >/dev/null &&
            awk '$NF == "total" { print $4 }' "$tmp/strace"
        ;;
    allocations | copied)
        kept=$tmp/$name.$3.$4 # one run has both
        [ -s "$kept" ] || LD_PRELOAD=$copies/bench/count.so BENCH_COUNTS=$kept "${command[@]}" >/dev/null || return
        awk -v count="$1" '{ print count == "copied" ? $2 : $1 }' "$kept"
        ;;
    esac
}

# per_call COUNT PROGRAM
per_call() {
    local dir=$build a b
    case $1 in allocations | copied) dir=$copies ;; esac
    a=$(run "$1" "$dir" "$2" "$short") && b=$(run "$1" "$dir" "$2" "$long")
    if [ -z "$a" ] || [ -z "$b" ]; then return 1; fi
    awk -v a="$a" -v b="$b" -v n=$((long - short)) 'BEGIN { printf "%.4g", (b - a) / n }'
}

passed=0 failed=0
printf '%-11s %-13s %11s %11s %11s %11s\n' scenario count ours budget floor-raw floor-scan
while read -r name count budget; do
    case $name in '' | '#'*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    scenario "$name" || { echo "budgets: no scenario '$name'"; exit 2; }
    ours=$(per_call "$count" client) raw=- scan=-
    if [ "${args[0]}" = --http ]; then
        raw=$(per_call "$count" curl)
    elif [ "$option" = --calls ] && [ $own = 0 ]; then
        raw=$(per_call "$count" raw)
        scan=$(per_call "$count" scan)
    fi
    if [ -n "$ours" ] && awk -v a="$ours" -v b="$budget" 'BEGIN { exit !(a <= b) }'; then
        verdict=ok passed=$((passed + 1))
    else
        verdict='OVER BUDGET' failed=$((failed + 1))
    fi
    printf '%-11s %-13s %11s %11s %11s %11s  %s\n' "$name" "$count" "${ours:-none}" "$budget" "$raw" "$scan" "$verdict"
done <"$top/bench/budgets"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
