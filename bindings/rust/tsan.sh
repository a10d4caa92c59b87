#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tsan.sh - runs the tests of threads under ThreadSanitizer.
#
#   bindings/rust/tsan.sh BUILD-DIRECTORY
#
# The script builds the library in BUILD-DIRECTORY/tsan-rust.  It uses clang, because
# clang leaves the functions of ThreadSanitizer out of a shared library, and the test
# programs already have these functions.  The script builds the crate and the tests with
# a nightly toolchain, because `-Zsanitizer` needs a nightly toolchain.  NIGHTLY is the
# directory of the toolchain.  The default is the first nightly toolchain of rustup.  std
# is not instrumented.  tsan.c and tsan.supp prevent the false reports that would follow.
set -eu
export LC_ALL=C.UTF-8
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${1:-$top/build}")/tsan-rust
tests=(threads panics panic_elsewhere lifetimes)

skip() {
    echo "skipped: $*"
    exit 0
}

toolchains=${RUSTUP_HOME:-${HOME:-}/.rustup}/toolchains
nightly=${NIGHTLY:-$(find "$toolchains" -maxdepth 1 -name 'nightly-*' 2>/dev/null | sort | head -1)}
[ -n "$nightly" ] ||
    skip "there is no nightly toolchain in $toolchains; NIGHTLY names another directory"
command -v clang >/dev/null || skip "clang is missing, with which the library is built"
target=$("$nightly/bin/rustc" -vV | sed -n 's/^host: //p')

# symbol PATTERN: prints the symbol of a function of std.
symbol() {
    tr '\0' '\n' <"$(echo "$nightly/lib/rustlib/$target"/lib/libstd-*.rlib)" |
        grep -a -x -m 1 "_[A-Za-z0-9_.\$]*$1[A-Za-z0-9]*" ||
        { echo "tsan.sh: std has no function $1, which tsan.c wraps" >&2; exit 1; }
}

lib=$build/lib/libmcphost.so
"${MAKE:-make}" -C "$top" BUILD="$build" CC=clang SANITIZE=thread "$lib" "$lib.0" \
    "$build/bin/mcphost-guard"

lock=$(symbol 5Mutex14lock_contended)
scope=$(symbol 9ScopeData29decrement_num_running_threads)
clang -O2 -DLOCK_CONTENDED="$lock" -DSCOPED_THREAD_ENDS="$scope" \
    -c "$top/bindings/rust/tsan.c" -o "$build/tsan.o"

# cargo takes the compiler that RUSTC names, and not that of PATH.
unset RUSTC RUSTDOC
export PATH=$nightly/bin:$PATH
export MCPHOST_LIB_DIR=$build/lib LD_LIBRARY_PATH=$build/lib CARGO_TARGET_DIR=$build/rust
export CARGO_NET_OFFLINE=true RUST_BACKTRACE=0
# -Zshare-generics=no compiles generic code of other crates again, so that this code is
# instrumented, too.
export RUSTFLAGS="-Zsanitizer=thread -Zshare-generics=no -Cunsafe-allow-abi-mismatch=sanitizer \
-Clink-arg=$build/tsan.o \
-Clink-arg=-Wl,--wrap=__tsan_atomic64_fetch_sub,--wrap=$lock,--wrap=$scope"
export TSAN_OPTIONS="suppressions=$top/bindings/rust/tsan.supp ${TSAN_OPTIONS-}"
cd "$top/bindings/rust"
cargo test --offline --target "$target" "${tests[@]/#/--test=}"
