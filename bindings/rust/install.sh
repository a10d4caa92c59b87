#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh - installs the sources of the crates for builds without a network.
#
#   install.sh DIRECTORY
#
# A project uses the crates with this text in .cargo/config.toml:
#
#   [source.crates-io]
#   replace-with = "local"
#   [source.local]
#   directory = "DIRECTORY"
set -eu
here=$(cd "$(dirname "$0")" && pwd)
directory=${1:?usage: install.sh DIRECTORY}

for crate in mcphost-sys mcphost; do
    from=$here/$crate
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$from/Cargo.toml")
    to=$directory/$crate-$version
    mkdir -p "$to"
    (cd "$from" && find src build.rs -type f 2>/dev/null) | while read -r file; do
        mkdir -p "$to/$(dirname "$file")"
        install -m 644 "$from/$file" "$to/$file"
    done
    # Remove the path of the other crate.  Outside of the workspace, cargo finds the other
    # crate by its version alone.
    sed 's/, path = "[^"]*"//' "$from/Cargo.toml" >"$to/Cargo.toml"
    chmod 644 "$to/Cargo.toml"
    # cargo accepts a directory as a crate only if the directory has this file.
    echo '{"files":{},"package":null}' >"$to/.cargo-checksum.json"
    chmod 644 "$to/.cargo-checksum.json"
done
