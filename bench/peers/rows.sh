# shellcheck shell=bash disable=SC2154 # variables that run.sh has set
# SPDX-License-Identifier: MIT
#
# rows.sh - the rows of run.sh --peers, which need the TypeScript SDKs.
#
# The packages are installed in the build directory, at the versions of package.json.

sdk=$build/bench/peers
command -v node >/dev/null && command -v npm >/dev/null || {
    echo 'run.sh: --peers needs node and npm' >&2
    exit 2
}
mkdir -p "$sdk"
cp "$top/bench/peers/package.json" "$top/bench/peers/package-lock.json" "$top/bench/peers/client.mjs" \
    "$top/bench/peers/schema.mjs" "$sdk/"
[ -d "$sdk/node_modules/@modelcontextprotocol/client" ] ||
    (cd "$sdk" && npm ci --silent --no-audit --no-fund) || exit 2

core=$(taskset -pc $$ | sed 's/.*[^0-9]//')
pinned=(taskset -c "$core" node "$sdk/client.mjs")
free=(node "$sdk/client.mjs")

# peers ROUNDS MODE ARG...: compares client.c with versions 1 and 2 of the SDK, pinned to
# one core.  peers_free compares them without pinning.
peers() {
    compare "$1" client "$bin/client" "${@:2}" -- v1 "${pinned[@]}" v1 "${@:2}" -- v2 "${pinned[@]}" v2 "${@:2}"
}

peers_free() {
    compare "$1" client "$bin/client" "${@:2}" --free 1 -- v1 "${free[@]}" v1 "${@:2}" -- v2 "${free[@]}" v2 "${@:2}"
}

row_peers_seq() {
    local t
    peers 11 calls --calls 3000 --warm 3000
    take 'sequential, 64 B: calls/s / v1' client/v1 calls_per_s '>=' 4.5 6.5
    take 'sequential, 64 B: calls/s / v2' client/v2 calls_per_s '>=' 7 10
    take 'sequential, 64 B: CPU per call, v1 / ours' 1:client/v1 cpu_us '>=' 7 10
    take 'sequential, 64 B: CPU per call, v2 / ours' 1:client/v2 cpu_us '>=' 10 16
    for t in 2k 50k; do
        peers 11 calls --tool text$t --calls 2000 --warm 2000
        take "sequential, $t: calls/s / v1" client/v1 calls_per_s '>=' 6 9
        take "sequential, $t: calls/s / v2" client/v2 calls_per_s '>=' 9 14
    done
}

row_peers_inflight() {
    peers 11 calls --inflight 64 --calls 10000 --warm 5000
    take '64 in flight, 64 B: calls/s / v1' client/v1 calls_per_s '>=' 9 18
    take '64 in flight, 64 B: calls/s / v2' client/v2 calls_per_s '>=' 22 45
}

row_peers_cold() {
    peers_free 11 cold --tools 3 --reps 1
    take 'cold, 1 server, free: v1 / ours' 1:client/v1 ms '>=' 10 -
    take 'cold, 1 server, free: v2 / ours' 1:client/v2 ms
    take 'whole process, exec to first tool list, free: v1 / ours' 1:client/v1 first_ms '>=' 20 30
    take 'whole process, exec to first tool list, free: v2 / ours' 1:client/v2 first_ms
    peers_free 11 cold --servers 16 --tools 100 --reps 1
    take 'cold, 16 servers x 100, free: v1 / ours' 1:client/v1 ms '>=' 4 -
    take 'cold, 16 servers x 100, free: v2 / ours' 1:client/v2 ms
}

row_peers_list() {
    peers 7 list --tools 10000
    take '10,000 tools: to published snapshot, v1 / ours' 1:client/v1 ms '>=' 5.5 9
    take '10,000 tools: to published snapshot, v2 / ours' 1:client/v2 ms
}

row_peers_big() {
    peers_free 5 calls --tool text10m --calls 2 --warm 1
    take '10 MB text, free: v1 / ours' 1:client/v1 p50_us '>=' 12 20
    take '10 MB text, free: v2 / ours' 1:client/v2 p50_us
}

# Make only a few calls, because the SDKs need a millisecond for each call.
row_peers_http() {
    peers 7 calls --http 1 --calls 400 --warm 400
    take 'HTTP, sequential, 64 B: calls/s / v1' client/v1 calls_per_s '>=' 25 45
    take 'HTTP, sequential, 64 B: calls/s / v2' client/v2 calls_per_s '>=' 25 45
    peers 7 calls --http 1 --inflight 64 --calls 1000 --warm 400
    take 'HTTP, 64 in flight, 64 B: calls/s / v1' client/v1 calls_per_s '>=' 25 45
    take 'HTTP, 64 in flight, 64 B: calls/s / v2' client/v2 calls_per_s '>=' 25 45
    peers 7 calls --http 2 --calls 400 --warm 400
    take 'HTTP, sequential, 64 B in an event: calls/s / v1' client/v1 calls_per_s
    take 'HTTP, sequential, 64 B in an event: calls/s / v2' client/v2 calls_per_s
    peers_free 5 calls --http 1 --tool text10m --calls 2 --warm 1
    take 'HTTP, 10 MB text, free: v1 / ours' 1:client/v1 p50_us '>=' 1.8 3
    take 'HTTP, 10 MB text, free: v2 / ours' 1:client/v2 p50_us
}

# Ajv is installed with the SDKs, which check schemas with it.
row_peers_schema() {
    local i
    "$bin/micro_schema" --samples >"$tmp/samples"
    compare 5 schema "$bin/micro_schema" --figures -- ajv taskset -c "$core" node "$sdk/schema.mjs" "$tmp/samples"
    take '52 tool schemas compiled, Ajv / ours' 1:schema/ajv compile_us '>=' 50 200
    for i in 0 1 2 3; do
        take "arguments parsed and checked, sample $i: ours / Ajv" schema/ajv "check${i}_us" '<=' 1.3 1
    done
}

rows+=(peers_seq peers_inflight peers_cold peers_list peers_big peers_http peers_schema)
