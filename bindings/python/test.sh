#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test.sh - builds and tests the Python binding.
#
#   bindings/python/test.sh [BUILD-DIRECTORY]
#
# The build directory must have the library, mcphost-guard and tests/fakeserver.  PYTHON
# names the interpreter.  FORKS is the number of forks in test_life.py.  With
# REFLEAKS=1, the script only looks for lost references, and needs python3-dbg.  With
# ASAN=1, the script runs only the tests, with a module that has the sanitizers of the
# build (SANITIZE=address,undefined).
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

# Checks that the package installs in a fresh environment without an index.
install() {
    "$python" -m venv "$work/venv" &&
        PYTHONPATH='' "$work/venv/bin/pip" install -q --no-index "$py" &&
        (cd / && PYTHONPATH='' "$work/venv/bin/python" -c \
            'import mcphost; print("installed", mcphost.__version__)')
}

# Builds the module with the headers of the debug build of Python, which counts
# references.
refleaks() {
    mkdir "$work/debug" && cp -r "$py/mcphost" "$work/debug/" &&
        rm -f "$work"/debug/mcphost/*.so &&
        PYTHON=python3-dbg "$py/build.sh" "$build" "$work/debug/mcphost" &&
        PYTHONPATH=$work/debug:$py/tests python3-dbg "$py/tests/refleaks.py"
}

# Runs the tests and scenarios.  The arguments are the command that runs Python.
tests() {
    local test kind
    for test in async sync schema login life interpreters; do
        step "test_$test" "$@" -X faulthandler "$py/tests/test_$test.py"
    done
    for kind in sync async; do
        step "scenarios, $kind" "$top/tests/scenarios/run.sh" "$build" \
            "$@" "$py/tests/scenario_$kind.py"
    done
}

# Python itself is not sanitized.  Therefore the library of the sanitizer must be loaded
# first, and Python must allocate with malloc().  The search for leaks is off, because it
# would find Python's own leaks, too.
asan() {
    mkdir "$work/asan" && cp -r "$py/mcphost" "$work/asan/" &&
        rm -f "$work"/asan/mcphost/*.so &&
        CFLAGS="-O1 -g -Wall -Wextra -Wno-missing-field-initializers -fno-omit-frame-pointer
            -fsanitize=address,undefined -fno-sanitize-recover=all" \
            "$py/build.sh" "$build" "$work/asan/mcphost" &&
        tests env PYTHONPATH="$work/asan:$py/tests" PYTHONMALLOC=malloc \
            ASAN_OPTIONS=detect_leaks=0 \
            LD_PRELOAD="$("${CC:-cc}" -print-file-name=libasan.so)" "$python"
}

if [ "${REFLEAKS-}" = 1 ]; then
    refleaks
    exit
fi
if [ "${ASAN-}" = 1 ]; then
    asan
    exit $failed
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
tests "$python"
step install install
exit $failed
