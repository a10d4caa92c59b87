# SPDX-License-Identifier: MIT
#
# strip-c.awk - C source with comments and the insides of literals blanked, line
# for line, so that what looks for words in code finds code alone.
{
    line = $0
    out = ""
    n = length(line)
    for (i = 1; i <= n; i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (comment) {
            if (two == "*/") {
                comment = 0
                i++
            }
            out = out " "
        } else if (two == "/*") {
            comment = 1
            i++
            out = out " "
        } else if (two == "//") {
            break
        } else if (c == "\"" || c == "'") {
            out = out c
            # An #include keeps its name.
            keep = (line ~ /^[ \t]*#[ \t]*include/)
            for (i++; i <= n && (d = substr(line, i, 1)) != c; i++) {
                if (d == "\\")
                    i++
                if (keep)
                    out = out d
            }
            out = out c
        } else {
            out = out c
        }
    }
    print out
}
