# SPDX-License-Identifier: MIT
#
# comments.awk - prints the comments of C source as lines FILE:LINE:TEXT.
FNR == 1 { comment = 0 }
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
                out = out " "
            } else {
                out = out c
            }
        } else if (two == "/*") {
            comment = 1
            i++
        } else if (c == "\"" || c == "'") {
            for (i++; i <= n && (d = substr(line, i, 1)) != c; i++) {
                if (d == "\\")
                    i++
            }
        }
    }
    if (out ~ /[^ *]/)
        print FILENAME ":" FNR ":" out
}
