#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - the JSON Schema Test Suite against the public schema.
#
#   tests/schema-suite/run.sh BUILD-DIRECTORY [-v]
#
# The suite is that of Debian's libtest-json-schema-acceptance-perl, or the directory
# in JSON_SCHEMA_SUITE.  Where it is not installed there is nothing to run, and that is
# said; with MCPHOST_NEED_SUITE set it is a failure.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$top/build}
suite=${JSON_SCHEMA_SUITE:-/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance}
if [ ! -d "$suite/tests" ]; then
    echo 'schema-suite: libtest-json-schema-acceptance-perl is not installed: not run' >&2
    [ -z "${MCPHOST_NEED_SUITE-}" ]
    exit
fi
exec timeout 120 "$out/tests/schema-suite" "$suite" "$top/tests/schema-suite/known" ${2+"$2"}
