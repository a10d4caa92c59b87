#!/bin/bash
# SPDX-License-Identifier: MIT
#
# asan-cc.sh - links a program of Rust with the sanitizers of gcc.
#
# rustc runs this script as its linker (asan.sh).  The library is sanitized by gcc, and a
# process can have only one AddressSanitizer.  Therefore the script links the sanitizers
# of gcc, and leaves out the AddressSanitizer of rustc.  The script names the sanitizers
# itself, because gcc does not add them for rustc (-nodefaultlibs).  They come before all
# other libraries, as AddressSanitizer requires.  libasan_preinit.o starts the sanitizer
# before the constructors of libraries run, because these constructors allocate memory.
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
