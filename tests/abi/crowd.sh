#!/bin/sh
# SPDX-License-Identifier: MIT
#
# crowd.sh - makes an application that defines the internal names of the library that lack
# the library's prefix.
#
#   crowd.sh STATIC-LIBRARY SHARED-LIBRARY
#
# Prints C source with a global function that aborts, for each of these names.  The names
# belong to static functions and variables of the static library, and to its external
# symbols without the prefix.  A program linked with this source and the static library
# runs only if no two names clash.  Names of the libraries that the shared library needs
# are left out, because an application must not define them either.
set -eu
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

ldd "$2" | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }' |
    xargs nm -D --defined-only 2>/dev/null | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' |
    sort -u >"$tmp/others"
nm --defined-only "$1" 2>/dev/null | awk '
    NF == 3 && $3 ~ /^[A-Za-z_][A-Za-z0-9_]*$/ && $3 !~ /^(mcph_|mcphost|__|_)/ { print $3 }' |
    sort -u | comm -23 - "$tmp/others" | grep -vxE 'main' >"$tmp/names"
echo '#include <stdlib.h>'
sed 's/.*/void &(void);\nvoid &(void) { abort(); }/' "$tmp/names"
