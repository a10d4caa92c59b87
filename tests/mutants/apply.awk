# SPDX-License-Identifier: MIT
#
# apply.awk - print a source file with one planted mistake.
#
#   IN=NAME FIND=TEXT TO=TEXT awk -f apply.awk FILE
#
# IN names the function, table, structure or macro in which FIND stands; without it the
# whole file is searched.  A blank of FIND stands for any run of blanks and line ends, and
# blanks may follow a `(` of the file, so that FIND outlives a change of layout.  Exits with
# 1 if FIND does not stand there exactly once.

# FIND as a regular expression.
function expression(text,    i, c, out) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == " ") out = out "[ \t\n]+"
        else if (c == "(") out = out "[(][ \t\n]*"
        else if (c ~ /[A-Za-z0-9_,;:"'<>=!&%#@~`\/ -]/) out = out c
        else out = out "\\" c
    }
    return out
}

function is_word(c) { return c ~ /[A-Za-z0-9_]/ }

# The place of the next match that holds whole words, from `from` on; 0 if there is none.
# Sets `width`.
function next_match(text, from,    at, before, after) {
    while (match(substr(text, from), want)) {
        at = from + RSTART - 1
        width = RLENGTH
        before = substr(text, at - 1, 1)
        after = substr(text, at + width, 1)
        if ((at == 1 || !is_word(before) || !is_word(substr(text, at, 1))) &&
            (!is_word(after) || !is_word(substr(text, at + width - 1, 1))))
            return at
        from = at + 1
    }
    return 0
}

# Prints the text of one block, the match in it replaced.
function put_block(text,    at, from) {
    from = 1
    while ((at = next_match(text, from)) > 0) {
        found++
        printf "%s%s", substr(text, from, at - from), ENVIRON["TO"]
        from = at + width
    }
    printf "%s", substr(text, from)
}

# Does this line begin a block of the name?
function opens(line,    at, from, after) {
    if (line ~ /^[ \t}{*\/]/) return 0
    for (from = 1; (at = index(substr(line, from), name)) > 0; from = at + 1) {
        at += from - 1
        after = substr(line, at + length(name))
        if ((at == 1 || !is_word(substr(line, at - 1, 1))) && after ~ /^(\(|\[| =| \{|$)/)
            return 1
    }
    return 0
}

BEGIN {
    want = expression(ENVIRON["FIND"])
    name = ENVIRON["IN"]
    inside = name == ""
}

!inside && opens($0) {
    inside = 1
    braces = 0
    macro = /^#/
}
inside {
    block = block $0 "\n"
    if (name == "") next
    if (/\{$/ || /^\{/) braces = 1
    if (macro ? !/\\$/ : (/^}/ || (!braces && /;$/))) {
        put_block(block)
        block = ""
        inside = 0
    }
    next
}
{ print }

END {
    if (block != "") put_block(block)
    exit found != 1
}
