#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run.sh - tests the tests: plants each mistake of tests/mutants/list, and checks that
# the named test detects it.
#
#   run.sh BUILDDIR [ID...]      all mutants, or only the named mutants
#   run.sh --stale               prints the mutants that do not apply, or whose test is
#                                not in the tree, and needs no build
#
# BUILDDIR contains the objects and test programs of the unchanged tree, and the file
# mutants/commands, which the Makefile writes: the directory in which the commands run,
# the commands that compile a file of the library and link, and the libraries.  The
# script changes neither the tree nor the build.  For each mutant it makes a copy of one
# source file, compiles the copy, and links the test program again with this object before
# the library.  A test that drives mcphostctl gets a mcphostctl with the mutant.
#
# First, every named test must pass without a mutant.  Then a mutant must apply, compile
# and make its test fail.  A test that hangs counts as failed only if the mutant says
# `hangs`.  The Check framework ends a test that hangs.  MUTANT_TIMEOUT (60 s) limits the
# run of the test case that contains the test.  MUTANT_JOBS (2) mutants run at a time.
#
# If a test cannot run on every system, its mutant has a line `unless` with the text that
# the test prints on a system on which the test cannot run.  On this system the mutant
# counts neither as passed nor as failed.
#
# With MUTANT_SAMPLE=N, only N mutants run, and each commit selects other mutants; `make
# lint` finds the stale ones among all mutants.  The last line is `N passed, N failed`.
set -u
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
only_stale=
if [ "$1" = --stale ]; then
    only_stale=yes
else
    build=$(cd "$1" && pwd) || exit 2
fi
shift
wanted=("$@")

# ---- the list ---------------------------------------------------------------------

# The list has blocks of `key value` lines, separated by an empty line.  `to` may have
# no value.
ids=()
declare -A rule file in find to program test hangs unless line
bad_list=0
complain() {
    echo "tests/mutants/list:$n: $1" >&2
    bad_list=1
}
n=0 id=
while IFS= read -r text || [ -n "$text" ]; do
    n=$((n + 1))
    case $text in '' | '#'*) continue ;; esac
    read -r key value <<<"$text"
    if [ "$key" = mutant ]; then
        id=$value
        [[ $id =~ ^[a-z0-9-]+$ ]] || complain "not an id: '$id'"
        [ -z "${rule[$id]+x}" ] || complain "a second mutant '$id'"
        ids+=("$id")
        line[$id]=$n
        rule[$id]='' file[$id]='' in[$id]='' find[$id]='' to[$id]='' test[$id]='' hangs[$id]=''
        unless[$id]=''
        continue
    fi
    [ -n "$id" ] || { complain "'$key' before the first mutant"; continue; }
    case $key in
    rule) rule[$id]=$value ;;
    file) file[$id]=$value ;;
    in) in[$id]=$value ;;
    find) find[$id]=$value ;;
    to) to[$id]=$value ;;
    test) read -r "program[$id]" "test[$id]" <<<"$value" ;;
    hangs) hangs[$id]=yes ;;
    unless) unless[$id]=$value ;;
    *) complain "unknown key '$key'" ;;
    esac
done <"$here/list"
for id in "${ids[@]}"; do
    [ -n "${rule[$id]}" ] && [ -n "${file[$id]}" ] && [ -n "${find[$id]}" ] &&
        [ -n "${test[$id]}" ] || { n=$id; complain 'rule, file, find or test is missing'; }
done
[ $bad_list -eq 0 ] || exit 2

if [ ${#wanted[@]} -gt 0 ]; then
    for id in "${wanted[@]}"; do
        [ -n "${rule[$id]+x}" ] || { echo "run.sh: there is no mutant '$id'" >&2; exit 2; }
    done
    ids=("${wanted[@]}")
fi
n_wanted=${#ids[@]}

# apply ID: prints the source file with the mistake.  Fails unless the text to replace
# occurs exactly once.
apply() {
    FIND=${find[$1]} TO=${to[$1]} IN=${in[$1]} awk -f "$here/apply.awk" "$top/${file[$1]}"
}

if [ -n "$only_stale" ]; then
    for id in "${ids[@]}"; do
        apply "$id" >/dev/null ||
            echo "tests/mutants/list:${line[$id]}: mutant $id does not apply"
        grep -qswF -- "${test[$id]}" "$top/tests/${program[$id]}.c" ||
            echo "tests/mutants/list:${line[$id]}: test ${test[$id]} of $id is not in the tree"
    done
    exit 0
fi

# ---- the build -----------------------------------------------------------------------

jobs=${MUTANT_JOBS:-2} limit=${MUTANT_TIMEOUT:-60}
mapfile -t commands <"$build/mutants/commands" || exit 2
if [ ${#commands[@]} -ne 4 ]; then
    echo "run.sh: no commands in $build/mutants; run me through make check-mutants" >&2
    exit 2
fi
cd "${commands[0]}" || exit 2
compile=${commands[1]} link=${commands[2]} libs=${commands[3]}

work=$(mktemp -d "$build/mutants/run.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
export CK_VERBOSITY=verbose
export MCPHOST_TEST_BINDIR=$build/bin MCPHOST_TEST_PROGDIR=$build/tests MCPHOST_TEST_SRCDIR=$top

# ---- the tests without mutants -------------------------------------------------------

baseline() {
    timeout -k 5 120 "$build/tests/$1" </dev/null >"$work/${1//\//-}.base" 2>&1
}

# Sets `case` to the test case that contains the test.  Fails if the test does not pass.
find_case() {
    case=$(awk -F: -v test="$2" '
        $3 ~ /^[PFE]$/ && $5 == test { if ($3 != "P") bad = 1; found = $4 }
        END { if (!bad) print found }' "$work/${1//\//-}.base")
    [ -n "$case" ]
}

# ---- a mutant ----------------------------------------------------------------------------

# compile_one INCLUDE-DIRECTORY OBJECT SOURCE: compiles a source file.
compile_one() {
    eval "$compile" '-O0 -w -iquote "$1" -c -o "$2" "$3"'
}

# relink PROGRAM OBJECT...: links the objects, including the mutant's object, with the
# library.
relink() {
    eval "$link" '-rdynamic -o "$@"' "$libs"
}

make_mutant() {
    local id=$1 dir=$2 area=${program[$1]%/*} objects=() o
    apply "$id" >"$dir/mutant.c" || { verdict='DOES NOT APPLY'; return 1; }
    verdict='DOES NOT COMPILE'
    compile_one "$top/${file[$id]%/*}" "$dir/mutant.o" "$dir/mutant.c" || return 1
    case ${program[$id]} in
    */test_ctl_*)
        mkdir "$dir/bin" && ln -s "$build/bin/mcphost-guard" "$dir/bin/" &&
            ln -s "$build/examples" "$dir/examples" || return 1
        run=$build/tests/${program[$id]}
        # A mutant of mcphostctl replaces the object of its file.
        for o in "$build"/obj/ctl/*.o; do
            [ "${file[$id]}" = "ctl/$(basename "$o" .o).c" ] || objects+=("$o")
        done
        relink "$dir/bin/mcphostctl" "${objects[@]}" "$dir/mutant.o" \
            "$build/lib/libmcphost.a" || return 1
        export MCPHOST_TEST_BINDIR=$dir/bin ;;
    *)
        for o in "$build/obj/tests/$area"/*.o; do
            case ${o##*/} in test_*) ;; *) objects+=("$o") ;; esac
        done
        run=$dir/program
        relink "$run" "$build/obj/tests/${program[$id]}.o" ${objects[@]+"${objects[@]}"} \
            "$dir/mutant.o" "$build/tests/libsupport.a" "$build/lib/libmcphost.a" || return 1 ;;
    esac
}

# end_programs DIRECTORY: kills the programs of a directory that still run, because a
# mistake may keep a program from ending.
end_programs() {
    local exe
    for exe in /proc/[0-9]*/exe; do
        [[ $(readlink "$exe" 2>/dev/null) != "$1"/* ]] || kill -KILL "${exe//[!0-9]/}"
    done
}

# one ID: runs a mutant and prints its line of the table.  The result is in
# $work/ID.result.
one() {
    local id=$1 dir=$work/$1 begin status verdict run case
    begin=$(date +%s%N)
    mkdir "$dir" || return
    if ! find_case "${program[$id]}" "${test[$id]}"; then
        verdict='TEST FAILS ALREADY'
        tail -n 5 "$work/${program[$id]//\//-}.base" >"$dir/log"
    elif [ -n "${unless[$id]}" ] &&
        grep -qF "${unless[$id]}" "$work/${program[$id]//\//-}.base"; then
        verdict='not here'
    elif make_mutant "$id" "$dir" >"$dir/log" 2>&1; then
        CK_RUN_CASE=$case timeout -k 5 "$limit" "$run" </dev/null >"$dir/log" 2>&1
        status=$?
        end_programs "$dir"
        verdict=$(awk -F: -v status=$status -v test="${test[$id]}" -v hangs="${hangs[$id]}" '
            $3 ~ /^[FE]$/ && $5 == test { killed = 1; if (/Test timeout expired/) hung = 1 }
            END {
                if (!killed && (status == 124 || status == 137)) print "TIMEOUT"
                else if (hung) print hangs ? "killed" : "HANGS"
                else print killed ? "killed" : "SURVIVES"
            }' "$dir/log")
    fi
    printf '%-36s %-12s %-30s %-26s %-8s %6d\n' "$id" "${rule[$id]}" "${file[$id]}" \
        "${program[$id]#*/}" "$verdict" $((($(date +%s%N) - begin) / 1000000))
    if [ "$verdict" = killed ]; then
        echo passed >"$work/$id.result"
    elif [ "$verdict" = 'not here' ]; then
        echo left >"$work/$id.result"
        printf '    %s\n' "${unless[$id]}"
    else
        echo failed >"$work/$id.result"
        echo "$id" >>"$work/failures"
        printf '    killer: %s\n' "${test[$id]}"
        grep -v ': Passed$' "$dir/log" | tail -n 20 | sed 's/^/    /'
    fi
    rm -rf "$dir"
}

# several FUNCTION NAME...: runs the function for each name, MUTANT_JOBS at a time, and
# prints each output in one piece.
several() {
    local f=$1 x
    shift
    for x; do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
        { text=$($f "$x"); [ -z "$text" ] || printf '%s\n' "$text"; } &
    done
    wait
}

# Prints the ids that MUTANT_SAMPLE selects, in the order of the list.
sample() {
    local seed id
    seed=$(git -C "$top" rev-parse HEAD 2>/dev/null)
    for id in "${ids[@]}"; do
        printf '%s %s\n' "$(cksum <<<"$seed $id" | cut -d' ' -f1)" "$id"
    done | sort -n | head -n "$MUTANT_SAMPLE" | cut -d' ' -f2 |
        grep -Fxf - <(printf '%s\n' "${ids[@]}")
}

begin=$SECONDS
if [ -n "${MUTANT_SAMPLE:-}" ]; then
    mapfile -t ids < <(sample)
fi
mapfile -t programs < <(for id in "${ids[@]}"; do echo "${program[$id]}"; done | sort -u)
several baseline "${programs[@]}"
printf '%-36s %-12s %-30s %-26s %-8s %6s\n' mutant rule file test verdict ms
several one "${ids[@]}"
count() { cat "$work"/*.result | grep -cx "$1"; }
printf '%d of %d mutants in %d s, %d not here\n' ${#ids[@]} "$n_wanted" $((SECONDS - begin)) \
    "$(count left)"
[ ! -e "$work/failures" ] || printf 'failed: %s\n' "$(paste -sd ' ' "$work/failures")"
failed=$((${#ids[@]} - $(count passed) - $(count left)))
printf '%d passed, %d failed\n' "$(count passed)" $failed
[ $failed -eq 0 ]
