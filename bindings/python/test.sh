#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test.sh - builds and tests the Python binding.
#
#   bindings/python/test.sh [BUILD-DIRECTORY]
#
# The build directory has the library, mcphost-guard and tests/fakeserver.  PYTHON chooses
# the interpreter, FORKS the number of forks.  With REFLEAKS=1, the script looks for lost
# references, and does nothing else; it needs python3-dbg.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${1:-$top/build}")
py=$top/bindings/python
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export MCPHOST_BUILD=$build PYTHONPATH=$py:$py/tests PYTHONDONTWRITEBYTECODE=1
failed=0

step() {
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "python: $name: $(tail -n 1 "$work/log")"
    else
        cat "$work/log"
        echo "python: $name FAILED"
        failed=1
    fi
}

types() {
    (cd "$py" && MYPYPATH=$py mypy --cache-dir "$work/mypy" --strict mcphost tests)
}

# The package installs without an index in a fresh environment.
install() {
    "$python" -m venv "$work/venv" &&
        PYTHONPATH='' "$work/venv/bin/pip" install -q --no-index "$py" &&
        (cd / && PYTHONPATH='' "$work/venv/bin/python" -c \
            'import mcphost; print("installed", mcphost.__version__)')
}

# A module that counts references needs the headers of the debug build.
refleaks() {
    mkdir "$work/debug" && cp -r "$py/mcphost" "$work/debug/" &&
        rm -f "$work"/debug/mcphost/*.so &&
        PYTHON=python3-dbg "$py/build.sh" "$build" "$work/debug/mcphost" &&
        PYTHONPATH=$work/debug:$py/tests python3-dbg "$py/tests/refleaks.py"
}

if [ "${REFLEAKS-}" = 1 ]; then
    refleaks
    exit
fi
"$py/build.sh" "$build"
"$top/scripts/apidesc" json >"$work/api.json"
step 'generated files' sh -c "'$top/scripts/bind-python' check '$work/api.json' && echo fresh"
step coverage "$top/scripts/bind-python" coverage "$work/api.json"
if command -v mypy >/dev/null; then
    step types types
else
    echo 'python: types skipped: mypy is missing'
fi
for test in async sync schema life; do
    step "test_$test" "$python" -X faulthandler "$py/tests/test_$test.py"
done
for kind in sync async; do
    step "scenarios, $kind" "$top/tests/scenarios/run.sh" "$build" \
        "$python" "$py/tests/scenario_$kind.py"
done
step install install
exit $failed
