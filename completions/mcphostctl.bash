# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# mcphostctl.bash - completion of mcphostctl in bash, 4.0 or later.
#
# The program makes the candidates: `mcphostctl complete-line` (ctl/candidates.c) gets the
# line as typed and prints quoted words, without the part that readline does not replace.
# This script never evaluates them.

_mcphostctl() {
    local line text
    COMPREPLY=()
    while IFS= read -r line; do
        text=${line:2}
        case $line in
        'w '*)
            COMPREPLY+=("$text")
            ;;
        'p '*)
            COMPREPLY+=("$text")
            compopt -o nospace
            ;;
        # If readline's word is the path, readline completes it.  If the path follows a
        # prefix, it is the second field.
        'f ' | 'd ')
            if [[ $line == 'f ' ]]; then compopt -o default; else compopt -o dirnames; fi
            ;;
        'f '* | 'd '*)
            mapfile -t COMPREPLY < <(
                if [[ $line == f* ]]; then set -- -f; else set -- -d; fi
                compgen "$1" -- "${text#*$'\t'}" | while IFS= read -r line; do
                    printf '%s%q\n' "${text%%$'\t'*}" "$line"
                done
            )
            compopt -o nospace
            ;;
        esac
    done < <(command mcphostctl complete-line -- bash \
        "${COMP_LINE:0:COMP_POINT}" "${COMP_LINE:COMP_POINT}" "$COMP_WORDBREAKS" \
        </dev/null)
} 2>/dev/null

complete -F _mcphostctl mcphostctl
