# SPDX-License-Identifier: MIT
#
# apply.awk - prints a source file with one planted mistake.
#
#   IN=NAME FIND=TEXT TO=TEXT awk -f apply.awk FILE
#
# IN names the function, table, structure or macro that contains FIND.  Without IN the
# whole file is searched.  A blank of FIND matches any run of blanks and line ends, and
# blanks may follow a `(` of the file, so that FIND still matches after a change of
# layout.  Exits with 1 unless FIND occurs exactly once.

# Returns FIND as a regular expression.
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

# Returns the place of the next match of whole words, from `from` on, or 0 if there is no
# match.  Sets `width` to the length of the match.
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

# Prints the text of one block with its matches replaced.
function put_block(text,    at, from) {
    from = 1
    while ((at = next_match(text, from)) > 0) {
        found++
        printf "%s%s", substr(text, from, at - from), ENVIRON["TO"]
        from = at + width
    }
    printf "%s", substr(text, from)
}

# Checks whether a line begins a block of the name.
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
