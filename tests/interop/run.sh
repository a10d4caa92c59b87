#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - tests with real servers from npm and with the official clients.
#
#   tests/interop/run.sh BUILD-DIRECTORY
#
# mcphostctl drives the servers on stdio, from one mcp.yaml and from the `mcpServers`
# files of other programs.  The shared library drives the servers over HTTP, and uses each
# of their features over stdio and over HTTP.  The official clients use `mcphostctl serve`
# and a provider.
#
# The servers are pinned by package-lock.json and installed below the build directory.
# Needs node, npm, openssl and python3, and fails without them.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$top/build}
for tool in node npm openssl python3; do
    command -v "$tool" >/dev/null || {
        echo "check-interop needs $tool (scripts/deps --ci installs it)" >&2
        exit 1
    }
done
export PYTHONDONTWRITEBYTECODE=1
work=$out/interop
mkdir -p "$work"
cp "$top/tests/interop/package.json" "$top/tests/interop/package-lock.json" "$work/"
if [ ! -e "$work/.installed" ] || ! cmp -s "$work/package-lock.json" "$work/.installed"; then
    (cd "$work" && npm ci --no-audit --no-fund --loglevel=error)
    cp "$work/package-lock.json" "$work/.installed"
fi
cp "$top"/tests/interop/*.mjs "$work/"
# Run the scripts in parallel, because they mostly wait for servers.
set --
for script in servers http features mcpservers; do
    timeout 180 python3 "$top/tests/interop/$script.py" "$out" "$work" >"$work/$script.log" &
    set -- "$@" "$work/$script.log"
done
(cd "$work" && timeout 180 node served.mjs "$out/bin/mcphostctl" "$out/tests/provided") >"$work/served.log" &
set -- "$@" "$work/served.log"
wait
cat "$@"
# A script that was interrupted prints no last line, and counts as failed.
awk -v scripts=$# '/^[0-9]+ passed, [0-9]+ failed$/ { n++; passed += $1; failed += $3 }
    END { failed += scripts - n; print passed + 0 " passed, " failed + 0 " failed"; exit failed != 0 }' \
    "$@"
