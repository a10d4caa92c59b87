#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh - runs the JSON Schema Test Suite with the public schema interface.
#
#   tests/schema-suite/run.sh BUILD-DIRECTORY [-v]
#
# The suite is in Debian's libtest-json-schema-acceptance-perl, or in the directory
# JSON_SCHEMA_SUITE.  If the suite is not installed, the script prints a message and
# passes.  With MCPHOST_NEED_SUITE set, the script fails instead.
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
