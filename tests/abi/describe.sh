#!/bin/sh
# SPDX-License-Identifier: MIT
#
# describe.sh - describes the interface of the present headers, for abidiff and consumers.
#
#   describe.sh DIRECTORY            makes DIRECTORY/libmcphost.so, whose functions do
#                                    nothing, and whose types are those of the headers
#   describe.sh --keep X.Y.Z         keeps the description of a release below tests/abi:
#                                    X.Y.Z.abi, consumer/X.Y/headers.txt (the headers without
#                                    comments) and consumer/X.Y/libmcphost.sym
#
# A description of the real library would be three times as large.  A third of that
# description would be structures that no program can see.  gate.sh compares both the
# present headers and the real library with the kept description.
set -eu
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)

describe() { # DIRECTORY
    "$top/scripts/apidesc" flat >"$1/mcphost.h"
    "$top/scripts/apidesc" stub >"$1/stub.c"
    # Remove the rule that hides all other symbols.  The functions mcphost__*, which make
    # the enumerations visible to abidiff, are then exported without a version.
    sed '/^local:$/,/^ *\*;$/d' "$top/lib/libmcphost.sym" >"$1/stub.sym"
    (cd "$1" && ${CC:-cc} -g -w -fPIC -shared -Wl,-soname,libmcphost.so.0 \
        -Wl,--version-script=stub.sym -o libmcphost.so stub.c)
}

case ${1:?usage: describe.sh DIRECTORY | --keep X.Y.Z} in
--keep)
    version=${2:?a version is missing}
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    describe "$tmp"
    consumer=$top/tests/abi/consumer/${version%.*}
    mkdir -p "$consumer"
    (cd "$tmp" && abidw --no-corpus-path --no-show-locs --no-comp-dir-path libmcphost.so) \
        >"$tmp/abi"
    cp "$tmp/abi" "$top/tests/abi/$version.abi"
    cp "$tmp/mcphost.h" "$consumer/headers.txt"
    cp "$top/lib/libmcphost.sym" "$consumer/libmcphost.sym"
    ;;
*) describe "$1" ;;
esac
