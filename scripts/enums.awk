# SPDX-License-Identifier: MIT
#
# enums.awk - makes the tables of the names of the public enumerators, which
# lib/base/enum.c includes.
#
#   awk -f enums.awk include/mcphost/enum.h include/mcphost/*.h
#
# The script reads the headers by the rules in enum.h, as a generator of bindings can.  If
# a header breaks a rule, the script prints findings as FILE:LINE: TEXT on stderr, makes
# no tables and ends with status 1.  Therefore every enumerator has a name.

# Returns the line without comments.
function code(line,    out, i) {
    out = ""
    while (line != "") {
        i = index(line, comment ? "*/" : "/*")
        if (!comment)
            out = out substr(line, 1, i ? i - 1 : length(line))
        if (!i)
            break
        comment = !comment
        line = substr(line, i + 2)
    }
    return out
}

function found(what) {
    print FILENAME ":" at ": " what >"/dev/stderr"
    failed = 1
}

# Reads one enumeration.  `tag` is its tag, and `body` the text between its braces.
function take(tag, body,    row, part, item, n, i, name) {
    if (tag == "") {
        found("an enumeration without a tag")
        return
    }
    row = toupper(substr(tag, length("mcphost_") + 1))
    if (!(row in prefix)) {
        found("enum " tag " has no row in enum.h")
        return
    }
    seen[row] = 1
    n = split(body, part, ",")
    for (i = 1; i <= n; i++) {
        if (split(part[i], item, " ") != 3 || item[2] != "=" || item[3] !~ /^-?[0-9]+$/)
            found("not an enumerator with its number: " part[i])
        else if (index(item[1], prefix[row]) != 1)
            found(item[1] " does not begin with " prefix[row])
        else if ((row, item[3]) in taken)
            found(item[1] " has the number of " taken[row, item[3]])
        taken[row, item[3]] = item[1]
        name = tolower(substr(item[1], length(prefix[row]) + 1))
        words = words "    {" item[1] ", \"" name "\"},\n"
    }
    ranges = ranges "    [MCPHOST_ENUM_" row "] = {" n_words + 0 ", " n "},\n"
    n_words += n
}

FNR == 1 { n_files++ }

n_files == 1 {
    # Matches "MCPHOST_ENUM_ERA = 24, /* MCPHOST_ERA_* */".
    if ($1 ~ /^MCPHOST_ENUM_/ && $(NF - 1) ~ /^MCPHOST_[A-Z_]*\*$/)
        prefix[substr($1, length("MCPHOST_ENUM_") + 1)] = substr($(NF - 1), 1,
                                                                length($(NF - 1)) - 1)
    next
}

{
    text = code($0)
    if (!inside && text ~ /(^|[^A-Za-z0-9_])enum[^;(]*[{]/) {
        inside = 1
        at = FNR
        tag = body = ""
        if (text !~ /^enum/)
            found("an enumeration begins its line")
        if (match(text, /mcphost_[a-z0-9_]+/))
            tag = substr(text, RSTART, RLENGTH)
        sub(/.*[{]/, "", text)
    }
    if (inside) {
        body = body " " text
        if (text ~ /[}]/) {
            sub(/[}].*/, "", body)
            take(tag, body)
            inside = 0
        }
    }
}

END {
    FILENAME = "enum.h"
    at = 1
    for (row in prefix) {
        if (!(row in seen))
            found("MCPHOST_ENUM_" row " is no enumeration")
    }
    if (failed)
        exit 1
    print "static const struct word words[] = {\n" words "};\n"
    print "static const struct range ranges[] = {\n" ranges "};"
}
