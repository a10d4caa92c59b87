#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - runs the client tests of two versions of the official conformance suite.
#
#   tests/interop/conformance/run.sh BUILD-DIRECTORY [OPTION...]
#
# The suites and their node are pinned by package-lock.json and installed below the
# build directory.  suite.py describes the options.  The script needs npm and python3, and
# fails without them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../build}
[ $# -eq 0 ] || shift
for tool in npm python3; do
    command -v "$tool" >/dev/null || {
        echo "check-conformance needs $tool (scripts/deps --ci installs it)" >&2
        exit 1
    }
done
work=$out/conformance
mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$work/"
if [ ! -e "$work/.installed" ] || ! cmp -s "$work/package-lock.json" "$work/.installed"; then
    (cd "$work" && npm ci --no-audit --no-fund --loglevel=error)
    cp "$work/package-lock.json" "$work/.installed"
fi
exec python3 "$here/suite.py" "$out/bin/mcphost-conformance" "$work" "$@"
