# shellcheck shell=bash disable=SC2034,SC2154 # variables that run.sh has set and uses
# SPDX-License-Identifier: MIT
#
# rows.sh - the rows of run.sh --bridges, which measure programs between stdio and a URL.
#
# Each program connects a client on stdio to a server at a URL.  One client
# (bench/bridge.c) calls one server through `mcphostctl serve --stdio`, through the npm
# packages mcp-remote and supergateway, and directly.  The packages are installed in the
# build directory, at the versions of package.json, and log nothing.  Memory is the
# proportional set size of the program and its descendants after the calls.  In the rows
# with 64 calls in flight, each call has an id of its own.

export NODE_NO_WARNINGS=1
gates=$build/bench/bridges
command -v node >/dev/null && command -v npm >/dev/null || {
    echo 'run.sh: --bridges needs node and npm' >&2
    exit 2
}
mkdir -p "$gates"
cp "$top/bench/bridges/package.json" "$top/bench/bridges/package-lock.json" "$gates/"
[ -d "$gates/node_modules/mcp-remote" ] || (cd "$gates" && npm ci --silent --no-audit --no-fund) || exit 2

# added WHO: prints the difference in us between the medians of WHO and of the server
# alone.
added() {
    awk -v who="$1" '$2 == "p50_us" { p50[$1] = $4 } END { printf "%.4g", p50[who] - p50["direct"] }' "$tmp/figures"
}

row_bridges() {
    local o=(--calls 2000 --warm 1000) who
    compare 11 ours "$bin/bridge" through "${o[@]}" "$build/bin/mcphostctl" --url URL serve --stdio \
        -- direct "$bin/bridge" direct "${o[@]}" \
        -- remote "$bin/bridge" through "${o[@]}" node "$gates/node_modules/.bin/mcp-remote" URL --allow-http --silent \
        -- gateway "$bin/bridge" through "${o[@]}" node "$gates/node_modules/.bin/supergateway" \
        --streamableHttp URL --logLevel none
    cp "$tmp/figures" "$tmp/bridges"
    note 'stdio to HTTP, 64 B: p50 added to the server alone, us' "$(added ours)" '<=' 60 -
    cp "$tmp/bridges" "$tmp/figures"
    note 'stdio to HTTP, 64 B: the same of mcp-remote, us' "$(added remote)"
    cp "$tmp/bridges" "$tmp/figures"
    note 'stdio to HTTP, 64 B: the same of supergateway, us' "$(added gateway)"
    cp "$tmp/bridges" "$tmp/figures"
    take 'stdio to HTTP, 64 B: calls/s' ours calls_per_s
    for who in remote gateway; do
        take "stdio to HTTP, 64 B: calls/s / $who" ours/$who calls_per_s '>=' 10 -
        take "stdio to HTTP, 64 in flight: calls/s / $who" ours/$who flood_per_s '>=' 10 -
        take "stdio to HTTP: memory / $who" ours/$who pss_kib '<=' 0.2 -
    done
    take 'stdio to HTTP: memory, KiB' ours pss_kib
}

rows=(bridges)
