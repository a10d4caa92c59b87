# shellcheck shell=sh
# SPDX-License-Identifier: MIT
#
# setup.sh - sourced by the tests: makes a workspace with one server, and enters it.
#
# The tests use the installed packages only.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/.minds"
cat >"$tmp/.minds/mcp.yaml" <<END
version: 1
servers:
  greeter:
    transport: stdio
    command: /usr/bin/python3
    args: [$tests/server]
END
cd "$tmp"

# expect_greeting COMMAND...: runs a program that lists the tools and calls `greet`, and
# checks what the program prints.
expect_greeting() {
    "$@" >seen
    cat seen
    grep -q '^greet' seen
    grep -q 'hello you' seen
}
