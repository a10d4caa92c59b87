#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - real servers from npm, driven by mcphostctl over one mcp.yaml.
#
#   tests/interop/run.sh BUILD-DIRECTORY
#
# The servers are pinned by package-lock.json and installed below the build
# directory.  Needs node, npm and python3; without them it fails, it does not pass.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$top/build}
for tool in node npm python3; do
    command -v "$tool" >/dev/null || {
        echo "check-interop needs $tool (scripts/deps --ci installs it)" >&2
        exit 1
    }
done
work=$out/interop
mkdir -p "$work"
cp "$top/tests/interop/package.json" "$top/tests/interop/package-lock.json" "$work/"
if [ ! -e "$work/.installed" ] || ! cmp -s "$work/package-lock.json" "$work/.installed"; then
    (cd "$work" && npm ci --no-audit --no-fund --loglevel=error)
    cp "$work/package-lock.json" "$work/.installed"
fi
exec timeout 180 python3 "$top/tests/interop/servers.py" "$out" "$work"
