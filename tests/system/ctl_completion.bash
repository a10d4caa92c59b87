#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ctl_completion.bash - inserts each reply of the bash completion into the line as
# readline would, and evaluates the line.
#
#   ctl_completion.bash SCRIPT LINE
#
# SCRIPT is the completion, and LINE is the text before the cursor.  Prints each word that
# the command would get at the cursor, once for the default COMP_WORDBREAKS of readline
# and once for other word breaks.  The completion finds mcphostctl on PATH.
set -u

# shellcheck source=/dev/null
. "$1"
line=$2

# Prints the part of the line that readline keeps: up to the open quote, or else up to the
# last word break.
kept() {
    local i
    case $line in
    *[\'\"]*) i=${line%%[\'\"]*} && i=$((${#i} + 1)) ;;
    *) for ((i = ${#line}; i > 0; i--)); do [[ $1 != *"${line:i-1:1}"* ]] || break; done ;;
    esac
    printf '%s' "${line:0:i}"
}

for COMP_WORDBREAKS in $' \t\n"\'@><=;|&(:' $' \t\n"\'><;|&('; do
    COMP_LINE=$line COMP_POINT=${#line}
    read -ra COMP_WORDS <<<"$line"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _mcphostctl mcphostctl
    before=$(kept "$COMP_WORDBREAKS")
    quote=${before: -1}
    [[ $quote == [\'\"] ]] || quote=''
    for reply in "${COMPREPLY[@]}"; do
        eval "set -- $before$reply$quote"
        printf '%s\n' "${!#}"
    done
done
