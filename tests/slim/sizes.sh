#!/bin/sh
# SPDX-License-Identifier: MIT
#
# sizes.sh - prints the sizes of the shared library without some of its parts, and
# compares the sizes with the budgets in tests/slim/sizes.
#
#   sizes.sh DIRECTORY VARIANT...
#
# The directory has a stripped library VARIANT.so for each variant.  The budgets are for
# GCC on x86-64.  With another compiler or on another machine, the script only prints the
# sizes.  The last line is `N passed, N failed`.
set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
directory=${1:?usage: sizes.sh DIRECTORY VARIANT...}
shift
passed=0 failed=0

compared=no
case $(${CC:-cc} -dumpmachine) in x86_64-*) compared=yes ;; esac
${CC:-cc} --version | grep -qi clang && compared=no

printf '%-12s %9s %9s  %s\n' library bytes budget 'linked with'
for variant; do
    lib=$directory/$variant.so
    bytes=$(wc -c <"$lib")
    budget=$(awk -v v="$variant" '$1 == v { print $2 }' "$top/tests/slim/sizes")
    needed=$(readelf -d "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*\]/\1/p' | tr '\n' ' ')
    verdict=
    if [ $compared = no ]; then
        budget=-
    elif [ -z "$budget" ]; then
        verdict='  FAILED: no budget' failed=$((failed + 1)) budget=-
    elif [ "$bytes" -gt "$budget" ]; then
        verdict='  FAILED: larger than its budget' failed=$((failed + 1))
    else
        passed=$((passed + 1))
        [ $((bytes * 10)) -lt $((budget * 9)) ] && verdict='  (lower the budget)'
    fi
    printf '%-12s %9d %9s  %s%s\n' "$variant" "$bytes" "$budget" "$needed" "$verdict"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
