#!/bin/bash
# SPDX-License-Identifier: MIT
#
# asan-cc.sh - links a program of Rust with the sanitizers of gcc.
#
# rustc runs this script as its linker (asan.sh).  The library is sanitized by gcc, and a
# process can have only one AddressSanitizer.  Therefore the program gets that of gcc, and
# not the one that rustc brings or lacks.  It comes first, as it must.  gcc itself leaves
# the sanitizers out, because rustc names all libraries (-nodefaultlibs).  The object file
# starts the sanitizer before the constructors of libraries run, which allocate.
set -eu
cc=${CC:-cc}
words=()
for word; do
    case $word in
    */librustc*_rt.asan.a) ;;
    *) words+=("$word") ;;
    esac
done
exec $cc "$($cc -print-file-name=libasan_preinit.o)" \
    -Wl,--push-state,--no-as-needed -lasan -lubsan -Wl,--pop-state "${words[@]}"
