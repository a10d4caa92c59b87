#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - runs the scenarios and compares their output (doc/scenarios.md).
#
#   tests/scenarios/run.sh BUILD-DIRECTORY [RUNNER...]
#
# RUNNER is a command; it gets the scripted server, mcphost-guard and the scenario as its
# arguments.  The default is the runner in C.  With SCENARIO=NAME in the environment, only
# that scenario runs.  With ACCEPT=yes, the output becomes the expected output.
set -u
export LC_ALL=C.UTF-8
top=$(cd "$(dirname "$0")/../.." && pwd)
out=$(realpath "${1:-$top/build}")
shift
[ $# -gt 0 ] || set -- "$out/tests/scenario"
passed=0 failed=0
got=$(mktemp)
trap 'rm -f "$got"' EXIT
for file in "$top"/tests/scenarios/${SCENARIO:-*}.txt; do
    name=$(basename "$file" .txt)
    timeout 100 "$@" "$out/tests/fakeserver" "$out/bin/mcphost-guard" "$file" >"$got" 2>&1
    status=$?
    if [ "${ACCEPT-}" = yes ]; then
        cp "$got" "${file%.txt}.out"
    fi
    if [ $status -eq 0 ] && diff -u "${file%.txt}.out" "$got"; then
        passed=$((passed + 1))
    else
        echo "scenario $name: exit status $status"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
