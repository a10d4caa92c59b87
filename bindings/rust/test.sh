#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test.sh - tests the Rust binding against a build of the library.
#
#   bindings/rust/test.sh BUILD-DIRECTORY
#
# It checks that the generated sources are current and that each function is wrapped, runs
# the tests and the examples of the documentation, and runs the scenarios.  Cargo works
# offline.  CARGO names the program to use instead of cargo.  FORKS is the number of forks
# (20).  With VALGRIND=1, the tests run under valgrind, too.  With TSAN=1, the tests of
# threads run under ThreadSanitizer (tsan.sh).  With CLIPPY=1, clippy and rustfmt check
# the sources.  With ASAN=1, it runs asan.sh instead, with the sanitizers of the build.
set -eu
export LC_ALL=C.UTF-8
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${1:-$top/build}")
cargo=${CARGO:-cargo}
[ "${ASAN-}" != 1 ] || exec "$top/bindings/rust/asan.sh" "$build"
export MCPHOST_LIB_DIR=$build/lib
export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CARGO_TARGET_DIR=$build/rust
export CARGO_NET_OFFLINE=true
export RUST_BACKTRACE=0

step() {
    echo "== $*"
}

step "the generated sources"
[ -e "$build/api.json" ] || "$top/scripts/apidesc" json >"$build/api.json"
"$top/scripts/bind-rust" check "$build/api.json"
"$top/scripts/bind-rust" coverage "$build/api.json"

cd "$top/bindings/rust"
if [ "${CLIPPY-}" = 1 ]; then
    step "clippy and rustfmt"
    $cargo clippy --offline --all-targets -- -D warnings
    $cargo fmt --check
fi

step "tests"
RUSTFLAGS="${RUSTFLAGS-} -D warnings" $cargo test --offline --tests --examples
step "examples of the documentation"
RUSTFLAGS="${RUSTFLAGS-} -D warnings" $cargo test --offline --doc
step "documentation"
RUSTDOCFLAGS="-D warnings" $cargo doc --offline --no-deps

step "scenarios"
RUSTFLAGS="${RUSTFLAGS-} -D warnings" $cargo build --offline --example scenario
"$top/tests/scenarios/run.sh" "$build" "$build/rust/debug/examples/scenario"

if [ "${VALGRIND-}" = 1 ]; then
    step "tests under valgrind"
    for test in errors lifetimes panics panic_elsewhere processes threads; do
        # Get the name of the program from cargo, because the name has a hash.
        program=$(RUSTFLAGS="${RUSTFLAGS-} -D warnings" $cargo test --offline --no-run \
            --test "$test" --message-format=json 2>/dev/null |
            sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1)
        echo "-- $test"
        MCPHOST_TEST_SLOW=1 valgrind -q --error-exitcode=9 --leak-check=full \
            --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
            --fair-sched=yes --child-silent-after-fork=yes --suppressions="$top/tests/valgrind.supp" \
            --suppressions="$top/bindings/rust/valgrind.supp" \
            "$program" --test-threads=1
    done
fi
if [ "${TSAN-}" = 1 ]; then
    step "tests under ThreadSanitizer"
    "$top/bindings/rust/tsan.sh" "$build"
fi
step "all is well"
