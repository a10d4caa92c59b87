#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - runs command-line clients of other projects with `mcphostctl serve --stdio`
# as their server.
#
#   tests/interop/clients/run.sh BUILD-DIRECTORY
#
# The packages are pinned by package-lock.json and installed below the build directory.
# The script installs them apart from the packages of tests/interop, because the clients
# need larger packages.  The script needs node and npm.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:-$here/../../../build}" && pwd)
for tool in node npm; do
    command -v "$tool" >/dev/null || {
        echo "check-clients needs $tool (scripts/deps --ci installs it)" >&2
        exit 1
    }
done
work=$out/clients
mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$here/commands.mjs" "$work/"
if [ ! -e "$work/.installed" ] || ! cmp -s "$work/package-lock.json" "$work/.installed"; then
    (cd "$work" && npm ci --no-audit --no-fund --loglevel=error)
    cp "$work/package-lock.json" "$work/.installed"
fi
cd "$work"
exec node commands.mjs "$out/bin/mcphostctl" "$out/tests/provided"
