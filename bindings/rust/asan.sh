#!/bin/bash
# SPDX-License-Identifier: MIT
#
# asan.sh - runs the tests with AddressSanitizer and UndefinedBehaviorSanitizer.
#
#   bindings/rust/asan.sh BUILD-DIRECTORY
#
# Build the library of the directory with gcc and SANITIZE=address,undefined, as
# `make check-rust-asan` does.  The crate and the tests are sanitized, too.  rustc need
# not be a nightly version: RUSTC_BOOTSTRAP allows the option -Zsanitizer.  Only std is
# not sanitized, because the toolchain has a compiled std.  Leaks count as errors, and
# nothing is suppressed.  CARGO and RUSTC name the programs to use instead of cargo and
# rustc.
set -eu
export LC_ALL=C.UTF-8
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${1:-$top/build/asan}")
rust=$top/bindings/rust
cargo=${CARGO:-cargo}
rustc=${RUSTC:-rustc}
target=$("$rustc" -vV | sed -n 's/^host: //p')
out=$build/rust/$target

nm -D "$build/lib/libmcphost.so" | grep -q __asan_init || {
    echo "asan.sh: the library in $build is not sanitized: run make check-rust-asan" >&2
    exit 1
}

step() {
    echo "== $*"
}

flags="-Zsanitizer=address -Clinker=$rust/asan-cc.sh"
if "$rustc" -Chelp | grep -q unsafe-allow-abi-mismatch; then
    flags+=' -Cunsafe-allow-abi-mismatch=sanitizer' # std is not sanitized
fi
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="$flags -Dwarnings" RUSTDOCFLAGS=$flags
export MCPHOST_LIB_DIR=$build/lib CARGO_TARGET_DIR=$build/rust
export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CARGO_NET_OFFLINE=true RUST_BACKTRACE=0
unset ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS

# planted NAME REPORT: checks that the sanitizers find the mistake NAME of planted.rs.
planted() {
    local text
    if text=$("$out/planted" "$1" 2>&1) || ! grep -q "$2" <<<"$text"; then
        printf '%s\n' "$text"
        echo "asan.sh: the sanitizers did not find the mistake $1 of planted.rs" >&2
        exit 1
    fi
    echo "$1: found"
}

step "planted mistakes"
mkdir -p "$out"
# shellcheck disable=SC2086
"$rustc" $flags --edition 2021 --target "$target" "$rust/planted.rs" -L "$build/lib" \
    -lmcphost -o "$out/planted"
planted handle-used-after-unref heap-use-after-free
planted closure-used-after-free heap-use-after-free
planted handle-lost 'LeakSanitizer: detected memory leaks'
planted closure-lost 'LeakSanitizer: detected memory leaks'

cd "$rust"
step "tests"
# The allocator of the sanitizer has locks.  If another thread holds one of these locks at
# a fork, the child waits for the lock for ever.  Therefore one test runs at a time, and
# the test that forks beside threads is left out.
"$cargo" test --offline --target "$target" --tests --examples -- --test-threads=1 \
    --skip a_child_that_is_forked_beside_threads_drops_its_host
step "examples of the documentation"
"$cargo" test --offline --target "$target" --doc
step "scenarios"
"$cargo" build --offline --target "$target" --example scenario
"$top/tests/scenarios/run.sh" "$build" "$out/debug/examples/scenario"
step "all is well"
