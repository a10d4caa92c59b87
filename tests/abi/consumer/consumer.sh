#!/bin/sh
# SPDX-License-Identifier: MIT
#
# consumer.sh - runs a program that was compiled for an earlier release.
#
#   consumer.sh BUILD RELEASE
#
# RELEASE is a directory beside this script.  If the program fails, the script prints the
# exit status of the program and exits with 1.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "${1:?usage: consumer.sh BUILD RELEASE}" && pwd)
release=$here/${2:?usage: consumer.sh BUILD RELEASE}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# Make a library that has only the symbols of the release, with the versions of the
# symbols.
sed -n 's/^ *\(mcphost[a-z0-9_]*\);$/\1/p' "$release/libmcphost.sym" >names
{ echo .text; sed 's/.*/.globl &\n.type &,%function\n&:/' names; } >old.s
${CC:-cc} -shared -nostdlib -Wl,-soname,libmcphost.so.0 -Wl,-z,noexecstack \
    -Wl,--version-script="$release/libmcphost.sym" -o libmcphost.so old.s
sed 's/.*/FUNCTION(&)/' names >functions.h
cp "$release/headers.txt" mcphost.h
${CC:-cc} -std=c99 -Wall -Wextra -Werror -I. -o consumer "$here/consumer.c" -L. -lmcphost

mkdir -p workspace/.minds
printf 'version: 1\nservers:\n  demo:\n    transport: stdio\n    command: %s\n' \
    "'$out/examples/demo/demo-server'" >workspace/.minds/mcp.yaml
LD_LIBRARY_PATH=$out/lib LD_BIND_NOW=1 timeout 60 ./consumer workspace "$out/bin/mcphost-guard" ||
    { echo "consumer: status $?"; exit 1; }
