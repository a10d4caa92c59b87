#!/bin/bash
# SPDX-License-Identifier: MIT
#
# counts.sh - measures a call in counts that do not depend on the machine's load.
#
#   counts.sh BUILD [SCENARIO...]
#
# The counts are instructions (callgrind), system calls (strace), allocations and copied
# bytes (bench/preload).  The script compares them with bench/budgets, and does not
# measure times.  A figure is the difference of the counts of two runs, divided by the
# difference of their lengths.  The length of a run is its number of calls (in `start` the
# number of starts, in `list` the number of tools).  Therefore the start and the end of a
# run do not count.  The counts of the server are not included.  The table also shows the
# counts of bench/floor.c.  Over HTTP, floor-raw is libcurl alone.  A call that the
# application runs itself (bench/own.c) has no floor.  The last line of the output is
# `N passed, N failed`.
set -u
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: counts.sh BUILD [SCENARIO...]}" && pwd) || exit 2
shift
copies=$build/copies # a build in which every memcpy is a call
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export BENCH_SERVER=$build/bench/server BENCH_GUARD=$build/bin/mcphost-guard
export BENCH_AUTH=$build/tests/fakehttp

for tool in valgrind strace; do
    command -v $tool >/dev/null || {
        echo "counts.sh: $tool is missing; scripts/deps --ci installs it" >&2
        exit 2
    }
done

# scenario NAME: sets the variables of a scenario.  `short` and `long` are the lengths of
# the two runs.  `option` is the option that takes the length, and `args` are the other
# arguments of the program.  `own` is 1 if the application runs the call itself.  `floor`
# is 0 if there is no floor.
scenario() {
    option=--calls short=200 long=1200 own=0 floor=1
    args=(--times 0 --warm 50 --tool "$1")
    case $1 in
    text10m) short=2 long=5 args=(--times 0 --warm 1 --tool text10m) ;;
    flood64) short=1280 long=7680 args=(--times 0 --warm 640 --inflight 64) ;;
    start) option=--reps short=2 long=12 args=(--tools 3) ;;
    list) option=--tools short=1000 long=6000 args=(--times 0) ;;
    http64) args=(--http 1 --times 0 --warm 50) ;;
    httpflood64) short=640 long=3840 args=(--http 1 --times 0 --warm 640 --inflight 64) ;;
    httpsse64) args=(--http 2 --times 0 --warm 50) ;;
    open64) floor=0 args=(--http 1 --login 1 --times 0 --warm 50) ;;
    header64) floor=0 args=(--http 1 --login 2 --times 0 --warm 50) ;;
    token64) floor=0 args=(--http 1 --login 3 --times 0 --warm 50) ;;
    proof64) floor=0 args=(--http 1 --login 4 --times 0 --warm 50) ;;
    sign) floor=0 args=() ;;
    builtin64 | provider64) short=1000 long=6000 own=1 floor=0 args=(--times 0 --warm 50) ;;
    text*) ;;
    *) return 1 ;;
    esac
}

# run COUNT DIR PROGRAM LENGTH: prints the count of a whole run.
run() {
    local mode=$3 program=floor command kept
    if [ "$3" = client ]; then
        program=client
        case $option in --tools) mode=list ;; --reps) mode=cold ;; *) mode=calls ;; esac
        [ "$name" != sign ] || mode=sign
        [ $own = 0 ] || program=own mode=${name%64}
    fi
    command=("$2/bench/$program" "$mode" "${args[@]}" "$option" "$4")
    if [ "$3" = curl ]; then # webfloor has no --http and no --times
        command=("$2/bench/webfloor" "${args[@]:4}" "$option" "$4")
        [ "${args[1]}" = 1 ] || command+=(--sse 1)
    fi
    case $1 in
    instructions)
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "${command[@]}" 2>&1 >/dev/null |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
        ;;
    syscalls)
        # Leave out clock_gettime.  It usually needs no system call, but it needs one
        # while the clock of a virtual machine is being adjusted.
        strace -c -e "trace=!clock_gettime" -o "$tmp/strace" "${command[@]}" >/dev/null &&
            awk '$NF == "total" { print $4 }' "$tmp/strace"
        ;;
    allocations | copied)
        kept=$tmp/$name.$3.$4 # one run gives the allocations and the copied bytes
        [ -s "$kept" ] || LD_PRELOAD=$copies/bench/count.so BENCH_COUNTS=$kept "${command[@]}" >/dev/null || return
        awk -v count="$1" '{ print count == "copied" ? $2 : $1 }' "$kept"
        ;;
    esac
}

# per_call COUNT PROGRAM: prints the count of one call.
per_call() {
    local dir=$build a b
    case $1 in allocations | copied) dir=$copies ;; esac
    a=$(run "$1" "$dir" "$2" "$short") && b=$(run "$1" "$dir" "$2" "$long")
    if [ -z "$a" ] || [ -z "$b" ]; then return 1; fi
    awk -v a="$a" -v b="$b" -v n=$((long - short)) 'BEGIN { printf "%.4g", (b - a) / n }'
}

# limit COUNT BUDGET: prints a budget as a number.  A budget is a sum; each summand is a
# number, a scenario of an earlier line, or N*SCENARIO.
declare -A counted
limit() {
    local summand known sum=0
    local -a summands
    IFS=+ read -ra summands <<<"$2"
    for summand in "${summands[@]}"; do
        known=1
        case $summand in *[a-z]*) known=${counted[${summand#*\*} $1]-0} ;; esac
        case $summand in
        *\**) summand=${summand%\**} ;;
        *[a-z]*) summand=1 ;;
        esac
        sum=$(awk -v sum="$sum" -v n="$summand" -v known="$known" 'BEGIN { printf "%.6g", sum + n * known }')
    done
    echo "$sum"
}

passed=0 failed=0
printf '%-11s %-13s %11s %11s %11s %11s\n' scenario count ours budget floor-raw floor-scan
while read -r name count budget; do
    case $name in '' | '#'*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    scenario "$name" || { echo "budgets: no scenario '$name'"; exit 2; }
    ours=$(per_call "$count" client) raw=- scan=-
    counted["$name $count"]=$ours
    budget=$(limit "$count" "$budget")
    if [ $floor = 1 ] && [ "${args[0]}" = --http ]; then
        raw=$(per_call "$count" curl)
    elif [ $floor = 1 ] && [ "$option" = --calls ]; then
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
