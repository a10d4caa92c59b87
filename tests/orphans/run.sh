#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - no process is left, however the host ends and however the server
# fights it: each server of server.c against each event of driver.c.
#
#   run.sh BUILDDIR [-j N] [-s SERVER]... [-e EVENT]...
#
# ORPHANS_FLAGS=N (MCPH_GUARD_NO_* of lib/proc/guard_proto.h) and
# ORPHANS_NO_WARDEN=1 in the environment try guards that lack something.
#
# Works as any user and without a network; what the user may not do (a pid
# namespace) is shown as (n/a).  Ends with the line `N passed, N failed`.
set -eu

build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
out=$build/tests/orphans
cc=${CC:-cc}

mkdir -p "$out"
flags=(-D_GNU_SOURCE -std=gnu11 -O2 -g -Wall -Wextra -pthread)
"$cc" "${flags[@]}" -o "$out/orphan-server" "$here/server.c"
"$cc" "${flags[@]}" -o "$out/orphan-driver" "$here/driver.c"
"$cc" "${flags[@]}" -I"$top/lib" -I"$top/include" -o "$out/orphan-host" "$here/host.c" \
    "$build/lib/libmcphost.a" -lcrypto

exec "$out/orphan-driver" "$out/orphan-host" "$build/bin/mcphost-guard" \
    "$out/orphan-server" "$@"
