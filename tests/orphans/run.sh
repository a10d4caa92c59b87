#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - checks that no process is left, whatever the server does and however the host
# ends.
#
#   run.sh BUILDDIR [-j N] [-s SERVER]... [-e EVENT]...
#
# The script runs the servers of server.c with the events of driver.c, in each mode of
# containment.
#
# The environment may set ORPHANS_MODES, the modes to run (tree cgroup pid).
# ORPHANS_FLAGS=N (MCPH_GUARD_NO_* of lib/proc/guard_proto.h) and ORPHANS_NO_WARDEN=1
# test guards without some of their abilities.
#
# The script needs no special rights and no network.  It leaves out a mode that is not
# available, and prints the reason.  It shows a server that needs a missing right (a PID
# namespace of its own) as (n/a).  The last line is `N passed, N failed`.
set -u

build=$(cd "$1" && pwd) || exit 2
shift
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
out=$build/tests/orphans
guard=$build/bin/mcphost-guard
cc=${CC:-cc}

mkdir -p "$out"
flags=(-D_GNU_SOURCE -std=gnu11 -O2 -g -Wall -Wextra -pthread)
"$cc" "${flags[@]}" -o "$out/orphan-server" "$here/server.c" &&
    "$cc" "${flags[@]}" -o "$out/orphan-driver" "$here/driver.c" &&
    "$cc" "${flags[@]}" -I"$top/lib" -I"$top/include" -o "$out/orphan-host" \
        "$here/host.c" "$build/lib/libmcphost.a" -lcrypto || exit 2

passed=0 failed=0 status=0
for mode in ${ORPHANS_MODES:-tree cgroup pid}; do
    export ORPHANS_MODE=$mode
    if ! why=$("$out/orphan-host" probe "$guard" 100 100 "$out/orphan-server" \
        well-behaved 2>&1); then
        printf '== containment %s: not available here: %s\n' "$mode" "$why"
        continue
    fi
    printf '== containment %s\n' "$mode"
    "$out/orphan-driver" "$out/orphan-host" "$guard" "$out/orphan-server" "$@" \
        >"$out/table" || status=1
    cat "$out/table"
    counts=$(tail -n 1 "$out/table")
    passed=$((passed + $(cut -d' ' -f1 <<<"$counts")))
    failed=$((failed + $(cut -d' ' -f3 <<<"$counts")))
done
printf '== all modes\n%d passed, %d failed\n' "$passed" "$failed"
exit $status
