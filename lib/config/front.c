/* SPDX-License-Identifier: MIT
 *
 * front.c - parse the front matter of a SKILL.md: YAML between a first line "---" and the
 * next line "---".
 *
 * This file trusts nothing in the text, because the text comes from servers and from
 * files that models write.  It limits the size of the text before the YAML reader sees
 * the text.
 */
#include <string.h>

#include "config/config.h"

#define MARK     "---"
#define MARK_LEN 3

/* Returns true if `at` begins a line that consists of the mark alone. */
static bool
is_mark(const char *at, const char *end)
{
    size_t left = (size_t)(end - at);

    return left >= MARK_LEN && memcmp(at, MARK, MARK_LEN) == 0 &&
           (left == MARK_LEN || at[MARK_LEN] == '\n' || at[MARK_LEN] == '\r');
}

/* Finds the YAML text.  The p of the result is NULL if the text has no front matter. */
static struct mcph_span
find_yaml(struct mcph_span text)
{
    const char *end = text.p + text.len, *from, *line;

    if (text.len == 0 || !is_mark(text.p, end))
        return MCPH_SPAN_NONE;
    from = memchr(text.p, '\n', text.len);
    from = from ? from + 1 : NULL;
    line = from;
    while (line && line < end) {
        if (is_mark(line, end))
            return mcph_span(from, (size_t)(line - from));
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    return MCPH_SPAN_NONE;
}

static int
keep_line(int severity, const char *key, int line, int column, const char *text,
          void *arg)
{
    (void)key;
    (void)column;
    (void)text;
    if (severity == MCPHOST_DIAGNOSTIC_ERROR)
        *(int *)arg = line + 1; /* also count the line of the mark */
    return 0;
}

int
mcph_front_parse(struct mcph_span text, struct mcph_doc **ret_doc, int *ret_line)
{
    struct mcph_span yaml = find_yaml(text);
    int line = 0, r;

    if (!yaml.p) {
        /* Return MCPHOST_E_LIMIT for a long text without a closing mark, because the
         * caller may have read only the beginning of a file. */
        bool begins = text.len > 0 && is_mark(text.p, text.p + text.len);

        return begins && text.len > MCPH_FRONT_MAX ? MCPHOST_E_LIMIT : MCPHOST_E_NOTFOUND;
    }
    if (yaml.len > MCPH_FRONT_MAX)
        return MCPHOST_E_LIMIT;
    r = mcph_yaml_parse(yaml.p, yaml.len, keep_line, &line, ret_doc);
    if (ret_line)
        *ret_line = line;
    return r == 0 || r == MCPHOST_E_NOMEM ? r : MCPHOST_E_CONFIG;
}
