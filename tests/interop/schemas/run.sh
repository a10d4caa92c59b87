#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - tests the schemas of real servers' tools.
#
#   tests/interop/schemas/run.sh BUILD-DIRECTORY [--update]
#
# The schemas are read from the running servers.  They are compiled, checked with
# instances that are made from them, and projected for every model provider.  The
# verdicts are compared with the verdicts of another validator.
#
# The servers are pinned by package-lock.json and installed below the build directory,
# without running the scripts of their packages.  The library starts the servers.  The
# servers need no credentials, and no network after their installation.  --update makes
# the corpus that `make check` replays, from the answers of the servers.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
here=$top/tests/interop/schemas
out=$(cd "${1:-$top/build}" && pwd)
for tool in node npm python3; do
    command -v "$tool" >/dev/null || {
        echo "check-schemas needs $tool (scripts/deps --ci installs it)" >&2
        exit 1
    }
done
work=$out/schemas
mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$work/"
if [ ! -e "$work/.installed" ] || ! cmp -s "$work/package-lock.json" "$work/.installed"; then
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$work/package-lock.json" "$work/.installed"
fi
rm -rf "$work/said" "$work/bare" "$work/verdicts"
timeout 200 python3 "$here/collect.py" "$out" "$work" "$work/said" >"$work/collect.log" 2>&1 || {
    cat "$work/collect.log"
    echo '0 passed, 1 failed'
    exit 1
}
if [ "${2-}" = --update ]; then
    rm -rf "$here/corpus"
    python3 "$here/collect.py" --corpus "$work/said" "$here/corpus"
fi
printf '%-46s %-10s %5s %7s %9s %7s\n' server version tools schemas instances fetches
status=0
MCPHOST_TEST_TABLE=1 MCPHOST_TEST_SCHEMAS=$work/said MCPHOST_TEST_VERDICTS=$work/verdicts \
    "$out/tests/unit/test_server_schemas" || status=1
# Compare with the corpus.  Pinned servers answer as they did when the corpus was made,
# except for facts about the machine.
python3 "$here/collect.py" --corpus "$work/said" "$work/bare"
diff -rq "$here/corpus" "$work/bare" | sed 's/^/note: /'
node "$here/judge.mjs" "$work" "$work/said" "$work/verdicts" || status=1
exit $status
