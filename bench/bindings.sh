#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bindings.sh - compares calls over the bindings with calls over the C interface.
#
#   bindings.sh [BUILD-DIRECTORY [ROUNDS]]
#
# Each program starts bench/server and calls its tool, one call after the other.  The
# programs of C, Rust and asyncio also make 64 calls at a time.  The program of C++ starts
# the server of the demo instead, and measures only the ratio, because it measures both
# interfaces.  All programs run on one core, in alternation.  The table has the p50 of one
# call in us and its ratio to C (poll and dispatch), both as the median of the rounds, and
# the calls per second with 64 calls in flight, as the best of the rounds.  A ratio
# compares two measurements of one round, because the load of the machine changes.  If a
# value has a goal, the goal follows the value.  A missed goal is a finding and not a
# failure.  A binding whose tools are missing is left out.  Run this on an idle machine.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${1:-$top/build}")
rounds=${2:-7}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export BENCH_SERVER=$build/bench/server BENCH_GUARD=$build/bin/mcphost-guard
export LD_LIBRARY_PATH=$build/lib PYTHONPATH=$top/bindings/python PYTHONDONTWRITEBYTECODE=1
calls=20000 many=200000
rust=$build/rust/release/examples/bench

c() {
    "$build/bench/client" calls --tool text64 --calls $calls >"$tmp/out"
    value p50 p50_us
    "$build/bench/client" calls --tool text64 --calls $many --inflight 64 --times 0 >"$tmp/out"
    value many calls_per_s
}
cxx() {
    # The program calls the tool `echo` of the server over both interfaces in turn.
    taskset -c 0 "$tmp/cxx" "$build/examples/demo/demo-server" "$BENCH_GUARD" $calls >"$tmp/out"
    sed -n 's/.* \([0-9.]*\) times$/\1/p' "$tmp/out" >>"$tmp/cxx.ratio"
}
rust() {
    taskset -c 0 "$rust" "$BENCH_GUARD" $calls 1 run text64 "$BENCH_SERVER" >"$tmp/out"
    sed -n 's/.*p50 \([0-9.]*\) us.*/\1/p' "$tmp/out" >>"$tmp/rust.p50"
    taskset -c 0 "$rust" "$BENCH_GUARD" $many 64 start text64 "$BENCH_SERVER" >"$tmp/out"
    sed -n 's|.*, \([0-9]*\)/s$|\1|p' "$tmp/out" >>"$tmp/rust.many"
}
python_sync() {
    python3 "$top/bindings/python/tests/bench.py" "$build" sync $calls >"$tmp/out"
    value p50 p50_us
}
python_asyncio() {
    python3 "$top/bindings/python/tests/bench.py" "$build" asyncio $calls 1 >"$tmp/out"
    value p50 p50_us
    python3 "$top/bindings/python/tests/bench.py" "$build" asyncio $many 64 >"$tmp/out"
    value many per_s
}

# value KIND NAME: adds a number to the row's values of this KIND.  NAME is the name of
# the number in the JSON that the program of this row printed.
value() {
    sed -n "s/.*\"$2\": *\([0-9.e+]*\).*/\1/p" "$tmp/out" |
        awk '{ printf "%.2f\n", $1 }' >>"$tmp/$row.$1"
}

# highest KIND, median KIND: print the highest value or the median of the row's values of
# this KIND, or nothing if there are none.
sorted() { [ ! -e "$tmp/$row.$1" ] || sort -g "$tmp/$row.$1"; }
highest() { sorted "$1" | tail -n 1; }
median() { sorted "$1" | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)] }'; }

# keep_ratio: keeps the ratio of the last p50 of the row to the last p50 of C.
keep_ratio() {
    [ "$row" = cxx ] ||
        awk -v a="$(tail -n 1 "$tmp/$row.p50")" -v b="$(tail -n 1 "$tmp/c.p50")" \
            'BEGIN { printf "%.3f\n", a / b }' >>"$tmp/$row.ratio"
}

rows=(c)
if command -v "${CXX:-c++}" >/dev/null; then
    "${CXX:-c++}" -std=c++17 -O2 -I"$top/include" "$top/bindings/cxx/tests/bench.cpp" \
        -o "$tmp/cxx" -L"$build/lib" -lmcphost
    rows+=(cxx)
fi
if command -v "${CARGO:-cargo}" >/dev/null; then
    (cd "$top/bindings/rust" && MCPHOST_LIB_DIR=$build/lib CARGO_TARGET_DIR=$build/rust \
        "${CARGO:-cargo}" build -q --offline --release --example bench)
    rows+=(rust)
fi
if "$top/bindings/python/build.sh" "$build" 2>/dev/null; then
    rows+=(python_sync python_asyncio)
fi

for ((i = 0; i < rounds; i++)); do
    for row in "${rows[@]}"; do
        "$row"
        keep_ratio
    done
done

declare -A at_most=([cxx]=1.05 [rust]=1.2 [python_sync]=1.1 [python_asyncio]=1.8)
row=c
c_many=$(highest many)
declare -A at_least=([rust]=$((${c_many%.*} / 2)) [python_asyncio]=150000)
printf '%-16s %8s %7s %-9s %10s %s\n' 'on 1 core' 'p50, us' 'ratio' '' '64, /s' ''
for row in "${rows[@]}"; do
    p50=$(median p50) ratio=$(median ratio) many=$(highest many)
    printf '%-16s %8s %7s %-9s %10s %s\n' "$row" "${p50:--}" "$ratio" \
        "${at_most[$row]+(<= ${at_most[$row]})}" "${many%.*}" \
        "${at_least[$row]+(>= ${at_least[$row]})}"
done
