# SPDX-License-Identifier: MIT
#
# strip-c.awk - prints C source without comments and without the contents of literals,
# line by line, so that a search for words finds only code.
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
            # Keep the name of an #include.
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
