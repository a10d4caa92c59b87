#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - compares the library with floors: minimal programs that do the same work.
#
#   run.sh BUILD [--peers | --bridges] [--rounds N] [ROW...]
#
# Each row runs its commands alternately, many times (bench/pairs.c), and takes the
# median of the ratios of the rounds, because figures that are measured at different times
# are not comparable.  With --peers, the rows of bench/peers (TypeScript SDKs) are added.
# With --bridges, only the rows of bench/bridges run.  --rounds sets the number of rounds
# of each row.  With one round the figures are meaningless, but the run shows that every
# program still works.  A ROW is the name of a function below, without `row_`.
#
# Prints a table and writes BUILD/bench.json.  A missed goal is a finding and not a
# failure.  Therefore the status is 0 if everything was measured.  The programs are pinned
# to one core, except for the lines of the table with the word `free`, the row `process`,
# and the programs micro_*.
set -u
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD [--peers | --bridges] [--rounds N] [ROW...]}" && pwd) || exit 2
shift
more='' rounds=''
if [ "${1-}" = --peers ] || [ "${1-}" = --bridges ]; then
    more=${1#--}
    shift
fi
if [ "${1-}" = --rounds ]; then
    rounds=${2:?run.sh: --rounds needs a number}
    shift 2
fi
bin=$build/bench
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export BENCH_SERVER=$bin/server BENCH_GUARD=$build/bin/mcphost-guard
export BENCH_AUTH=$build/tests/fakehttp
: >"$tmp/results"

client=(client "$bin/client")
floor=(floor "$bin/floor")

# compare ROUNDS NAME COMMAND... [-- NAME COMMAND...]: gets the figures of a row.
compare() {
    "$bin/pairs" "${rounds:-$1}" "${@:2}" >"$tmp/figures" || exit 1
}

# take ROW WHO FIGURE [OP MUST STRETCH]: prints a figure of the last comparison and its
# goal.  WHO is the name of a command, or a ratio FIRST/NAME of pairs.c, or 1:FIRST/NAME for
# the inverse of this ratio.  OP is <= or >=.  MUST and STRETCH are the two goals.
take() {
    local who=${2#1:} inverse=0
    [ "$who" = "$2" ] || inverse=1
    awk -v row="$1" -v who="$who" -v figure="$3" -v op="${4--}" -v must="${5--}" \
        -v stretch="${6--}" -v inverse=$inverse '
        function holds(goal) { return op == "<=" ? value <= goal : value >= goal }
        $1 == who && $2 == figure {
            value = $4; low = $5; high = $6
            if (inverse) { value = 1 / $4; low = 1 / $6; high = 1 / $5 }
            verdict = op == "-" ? "-" : !holds(must) ? "MISSED" : \
                stretch != "-" && holds(stretch) ? "stretch" : "met"
            printf "%s|%d|%.4g|%.4g|%.4g|%s|%s|%s|%s\n", row, $3, value, low, high, op, must, stretch, verdict
            found = 1
        }
        END { if (!found) { print "run.sh: no " figure " of " who >"/dev/stderr"; exit 1 } }' \
        "$tmp/figures" >>"$tmp/results" || exit 1
    tail -n 1 "$tmp/results" | print_rows
}

# note ROW VALUE [OP MUST STRETCH]: prints and records a single number and its goal.  The
# number replaces the figures of the last compare.
note() {
    echo "note value 1 $2 $2 $2" >"$tmp/figures"
    take "$1" note value "${@:3}"
}

print_rows() {
    awk -F'|' '{
        goal = $6 == "-" ? "" : $6 " " $7 " (" $8 ")"
        printf "%-58s %8s  %-17s %-16s %s\n", $1, $3, $4 == $5 ? "" : "[" $4 ", " $5 "]", goal, $9
        fflush()
    }'
}

json() {
    awk -F'|' -v load="$(cut -d' ' -f1-3 /proc/loadavg)" -v cpus="$(nproc)" \
        -v kernel="$(uname -r)" -v version="$(git -C "$top" describe --always --dirty 2>/dev/null)" '
        function number(x) { return x == "-" ? "null" : x }
        BEGIN {
            printf "{\"version\":\"%s\",\"kernel\":\"%s\",\"cpus\":%s,\"load\":\"%s\",\"rows\":[", \
                version, kernel, cpus, load
        }
        {
            printf("%s\n{\"row\":\"%s\",\"rounds\":%s,\"value\":%s,\"low\":%s,\"high\":%s,\"op\":\"%s\"," \
                "\"must\":%s,\"stretch\":%s,\"verdict\":\"%s\"}", (NR > 1 ? "," : ""), \
                $1, $2, $3, $4, $5, ($6 == "-" ? "" : $6), number($7), number($8), ($9 == "-" ? "" : $9))
        }
        END { print "\n]}" }' "$tmp/results" >"$build/bench.json"
}

# ---- rows: calls, start-up, memory --------------------------------------------------

row_seq64() {
    compare 31 "${client[@]}" calls -- raw "$bin/floor" raw -- scan "$bin/floor" scan
    take 'sequential, 64 B: p50 / floor-raw' client/raw p50_us '<=' 2.3 1.6
    take 'sequential, 64 B: p50 / floor-scan' client/scan p50_us
    take 'sequential, 64 B: p99 / own p50' client p99_over_p50 '<=' 4 2.5
    take 'sequential, 64 B: p50, us' client p50_us
    take 'sequential, 64 B: floor-raw p50, us' raw p50_us
    take 'sequential, 64 B: CPU per call / floor-scan' client/scan cpu_us
    take 'sequential, 64 B: calls/s' client calls_per_s
}

# Measures calls while another thread dispatches: the library's thread, or a declared
# driver.  The figure of floor-raw is the cost of two threads without a library.
row_threads() {
    local where o
    for where in pinned free; do
        o=()
        [ $where = pinned ] || o=(--free 1)
        compare 31 self "$bin/client" calls "${o[@]}" -- thread "$bin/client" calls --waiter 1 "${o[@]}" \
            -- driver "$bin/client" calls --waiter 2 "${o[@]}"
        take "threads, $where: waiting beside the library's thread / dispatching" 1:self/thread p50_us '<=' 1.5 1.2
        take "threads, $where: waiting beside a declared driver / dispatching" 1:self/driver p50_us '<=' 1.5 1.2
        compare 31 self "$bin/floor" raw "${o[@]}" -- handed "$bin/floor" raw --handed 1 "${o[@]}"
        take "threads, $where: floor-raw, handed over / reading" 1:self/handed p50_us
    done
    # Compare the cost that a driver adds with the cost that two bare threads add.  Do not
    # divide by the cost of a call whose caller also dispatches, because this call is so
    # cheap that the ratio says little.
    compare 31 self "$bin/client" calls -- driver "$bin/client" calls --waiter 2 \
        -- raw "$bin/floor" raw -- handed "$bin/floor" raw --handed 1
    note 'threads, pinned: what a driver adds / what bare threads add' "$(awk '
        $2 == "p50_us" { p50[$1] = $4 }
        END { printf "%.3f", (p50["driver"] - p50["self"]) / (p50["handed"] - p50["raw"]) }' \
        "$tmp/figures")" '<=' 1.25 1.1
}

row_seq2k() {
    compare 31 "${client[@]}" calls --tool text2k -- raw "$bin/floor" raw --tool text2k
    take 'sequential, 2 KB: p50 / floor-raw' client/raw p50_us
    compare 31 "${client[@]}" calls --tool text50k --calls 1000 --warm 200 \
        -- raw "$bin/floor" raw --tool text50k --calls 1000 --warm 200
    take 'sequential, 50 KB: p50 / floor-raw' client/raw p50_us
}

# Measures many calls at a time.  The floor copies the bytes of the result, so `client`
# gets the JSON of the result, not the text of its first item.  `text` gets this text.
row_inflight() {
    local o=(--inflight 64 --calls 40000 --warm 4000)
    compare 31 "${client[@]}" calls "${o[@]}" --json 1 -- scan "$bin/floor" scan "${o[@]}" \
        -- text "$bin/client" calls "${o[@]}"
    take '64 in flight, 64 B: CPU per call / floor-scan' client/scan cpu_us '<=' 3 -
    take '64 in flight, 64 B: CPU per call, without the text' client/text cpu_us
    take '64 in flight, 64 B: calls/s' client calls_per_s
}

row_cold() {
    local o=(--tools 3 --reps 5 --free 1)
    compare 31 "${client[@]}" cold "${o[@]}" --guard 0 -- "${floor[@]}" cold "${o[@]}"
    take 'cold, 1 server, free: without guard / floor' client/floor ms '<=' 1.3 1.15
    compare 31 "${client[@]}" cold "${o[@]}" -- "${floor[@]}" cold "${o[@]}"
    take 'cold, 1 server, free: guard and warden / floor' client/floor ms '<=' 1.6 1.3
    take 'cold, 1 server, free: ms' client ms
}

row_cold16() {
    local o=(--servers 16 --tools 100 --reps 1 --free 1)
    compare 31 "${client[@]}" cold "${o[@]}" --guard 0 -- "${floor[@]}" cold "${o[@]}"
    take 'cold, 16 servers x 100, free: without guard / floor' client/floor ms '<=' 1.3 1.15
    compare 31 "${client[@]}" cold "${o[@]}" -- "${floor[@]}" cold "${o[@]}"
    take 'cold, 16 servers x 100, free: with guard / floor' client/floor ms '<=' 1.5 1.25
    take 'cold, 16 servers x 100, free: ms' client ms
}

row_process() {
    compare 31 "${client[@]}" cold --tools 3 --free 1 -- "${floor[@]}" cold --tools 3 --free 1
    take 'whole process, exec to first tool list: / floor' client/floor first_ms
    take 'whole process, exec to first tool list: ms' client first_ms
}

row_idle() {
    compare 5 "${client[@]}" idle
    take 'idle host: RSS, KiB' client rss_kib '<=' 10240 8192
    take 'idle host: anonymous, KiB' client anon_kib '<=' 2048 1536
    strip -o "$tmp/stripped" "$build/lib/libmcphost.so" || exit 1
    note 'idle host: stripped library, KiB' $(($(stat -c %s "$tmp/stripped") / 1024)) '<=' 600 450
}

row_sessions() {
    compare 3 "${client[@]}" sessions --idle 100
    take 'idle leased session (100): in the host, KiB' client host_kib '<=' 16 8
    take 'idle leased session (100): guard with warden, KiB' client guards_kib '<=' 64 32
    compare 31 "${client[@]}" calls --idle 100 -- alone "$bin/client" calls
    take '100 idle sessions beside an active one: p50 / alone' client/alone p50_us '<=' 1.15 1.05
}

row_list() {
    compare 15 "${client[@]}" list --tools 10000 -- "${floor[@]}" list --tools 10000 \
        -- hundred "$bin/client" list --tools 100
    take '10,000 tools: growth / JSON' client growth_over_json '<=' 2.5 1.6
    take '10,000 tools: lookup, ns' client lookup_ns '<=' 200 100
    take '10,000 tools: lookup / lookup among 100' client/hundred lookup_ns
    take '10,000 tools: to published snapshot, ms' client ms
    take '10,000 tools: CPU / floor that receives the list' client/floor cpu_ms
}

row_resources() {
    compare 15 "${client[@]}" list --tools 1 --resources 10000
    take '10,000 resources: to published snapshot, ms' client ms '<=' 20 -
    take '10,000 resources: growth / JSON' client growth_over_json '<=' 1.6 -
    take '10,000 resources: lookup, ns' client lookup_ns
    compare 31 read "$bin/client" calls --resources 1 -- tool "$bin/client" calls --tool text2k
    take 'a read of 2 KB / a tool call of 2 KB' read/tool p50_us '<=' 1.1 -
}

row_big() {
    local o=(--calls 2 --warm 0 --free 1)
    compare 9 "${client[@]}" calls --tool text64m "${o[@]}" -- small "$bin/client" calls --tool text10m "${o[@]}"
    take '10 MB text, free: peak / payload, text' small peak_over_payload '<=' 1.3 -
    take '10 MB text, free: CPU of 64 MB / CPU of 10 MB' client/small cpu_us '<=' 9 -
    compare 9 "${client[@]}" calls --tool esc10m "${o[@]}" -- scan "$bin/floor" scan --tool esc10m "${o[@]}"
    take '10 MB text, free: peak / payload, escapes undone' client peak_over_payload '<=' 2.3 -
    take '10 MB text, free: with escapes, CPU / floor-scan' client/scan cpu_us
    compare 9 "${client[@]}" calls --tool esc10m --json 1 "${o[@]}"
    take '10 MB text, free: peak / payload, raw bytes' client peak_over_payload '<=' 1.3 -
    compare 9 "${client[@]}" calls --tool text10m "${o[@]}" -- scan "$bin/floor" scan --tool text10m "${o[@]}"
    take '10 MB text, free: CPU / floor-scan' client/scan cpu_us
    take '10 MB text, free: ms / floor-scan' client/scan p50_us
}

row_spawn() {
    compare 11 "${client[@]}" spawn --reps 10 --balloon 1024 -- small "$bin/client" spawn --reps 10
    take 'spawn from a 1 GiB parent / from a small one' client/small us '<=' 4 2
}

# ---- rows: live edits ----------------------------------------------------------------

# Measures edits of a file.  The times exclude the debounce time.  The times for a new
# process also exclude the start of the process.
row_reload() {
    compare 5 live "$bin/live" reload
    take '200 servers, one edited: rename to reload begun, ms' live begun_ms '<=' 5 1
    take '200 servers, one edited: rename to its new names, ms' live view_ms '<=' 5 -
    take '200 servers, one edited: the same, CPU ms' live cpu_ms
    take '200 servers, one started anew: to its catalog, ms' live launch_ms '<=' 5 -
}

row_swap() {
    compare 9 live "$bin/live" swap --free 1
    take '10,000 tools swapped, free: mutex held, us' live held_us '<=' 50 5
    take '10,000 tools swapped, free: a reader waits, us' live wait_us '<=' 50 5
}

# ---- rows: HTTP ----------------------------------------------------------------

row_http() {
    local o=(--inflight 64 --calls 10000 --warm 2000)
    compare 31 "${client[@]}" calls --http 1 -- curl "$bin/webfloor" -- sse "$bin/client" calls --http 2
    take 'HTTP, sequential, 64 B: CPU per call / libcurl' client/curl cpu_us '<=' 1.3 1.15
    take 'HTTP, sequential, 64 B: p50 / libcurl' client/curl p50_us
    take 'HTTP, sequential, 64 B: p50, us' client p50_us
    take 'HTTP, sequential, 64 B: calls/s' client calls_per_s
    take 'HTTP, sequential, 64 B in an event: p50 / in a document' 1:client/sse p50_us '<=' 1.15 1.05
    compare 31 "${client[@]}" calls --http 1 "${o[@]}" -- curl "$bin/webfloor" "${o[@]}"
    take 'HTTP, 64 in flight, 64 B: CPU per call / libcurl' client/curl cpu_us '<=' 1.3 1.15
    take 'HTTP, 64 in flight, 64 B: calls/s' client calls_per_s
}

# Measures the cost of a token.  bench/budgets limits this cost in instructions.
row_logins() {
    local o=(calls --http 1 --login)
    compare 31 token "$bin/client" "${o[@]}" 3 -- header "$bin/client" "${o[@]}" 2 \
        -- open "$bin/client" "${o[@]}" 1 -- proof "$bin/client" "${o[@]}" 4
    take 'HTTP, token of a login: CPU per call / the same header' token/header cpu_us '<=' 1.02 -
    take 'HTTP, token of a login: CPU per call / without a header' token/open cpu_us
    take 'HTTP, token of a login: p50 / the same header' token/header p50_us
    take 'HTTP, token of a login: p50 / without a header' token/open p50_us
    take 'HTTP, token of a login: p50, us' token p50_us
    take 'HTTP, token and proof (DPoP): CPU per call, us' proof cpu_us
    take 'HTTP, token alone: CPU per call, us' token cpu_us
    compare 9 sign "$bin/client" sign
    take 'ES256 signature of a proof, libcrypto alone: CPU, us' sign cpu_us
}

row_http_sessions() {
    compare 5 "${client[@]}" sessions --http 1 --idle 100
    take 'idle HTTP session (100): in the host, KiB' client host_kib '<=' 32 20
}

row_http_big() {
    local o=(--tool text10m --calls 2 --warm 1 --free 1)
    compare 9 "${client[@]}" calls --http 1 "${o[@]}" -- curl "$bin/webfloor" "${o[@]}"
    take 'HTTP, 10 MB text, free: ms / libcurl' client/curl p50_us
    take 'HTTP, 10 MB text, free: peak / payload' client peak_over_payload
}

# ---- rows: results -------------------------------------------------------------

row_results() {
    local i
    compare 9 results "$bin/micro_results" --figures
    take 'base64 decoded, GB/s' results decode_gb_s '>=' 1.4 2.4
    take 'base64 of a result to a file, GB/s' results file_gb_s
    take 'a result of 4 items to items of a conversation, us' results items_us
    compare 5 schema "$bin/micro_schema" --figures
    take '52 tool schemas compiled, us' schema compile_us '<=' 2000 -
    for i in 0 1 2 3; do
        take "arguments parsed and checked, sample $i, us" schema "check${i}_us"
    done
    compare 9 "${client[@]}" project --tools 1000
    take '1,000 tools projected, us' client first_us '<=' 5000 -
    take '1,000 tools projected once more, us' client again_us '<=' 50 -
}

# ---- rows: profiles ------------------------------------------------------------

row_profiles() {
    compare 5 profiles "$bin/micro_profiles" --figures
    take '1,000 plugins scanned and resolved, ms' profiles plugins_ms '<=' 50 -
    take 'mcp.json of 1,000 servers read and compared, ms' profiles goclaw_ms '<=' 50 -
    take 'mcpServers file of 1,000 servers, the same, ms' profiles mcpservers_ms '<=' 50 -
    take '10,000 argument lists to cmd:// and back, ms' profiles lists_ms
}

rows=(seq64 threads seq2k inflight cold cold16 process idle sessions list resources big spawn
    reload swap http http_sessions http_big logins results profiles)
# shellcheck source=bench/peers/rows.sh
if [ "$more" = peers ]; then . "$top/bench/peers/rows.sh"; fi
# shellcheck source=bench/bridges/rows.sh
if [ "$more" = bridges ]; then . "$top/bench/bridges/rows.sh"; fi
[ $# -eq 0 ] || rows=("$@")

printf '%-58s %8s  %-17s %-16s %s\n' row value '95 % interval' 'must (stretch)' verdict
for row in "${rows[@]}"; do
    if ! declare -F "row_$row" >/dev/null; then
        echo "run.sh: no row '$row'" >&2
        exit 2
    fi
    "row_$row"
done
json
awk -F'|' '$9 != "-" { n++ } $9 == "met" || $9 == "stretch" { met++ } $9 == "stretch" { far++ }
    END { printf "%d goals: %d met, %d of them at the stretch, %d missed\n", n, met, far, n - met }' "$tmp/results"
