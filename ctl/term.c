/* SPDX-License-Identifier: MIT
 *
 * term.c - tables and colours for a terminal.
 *
 * Widths are counted in cells of the terminal.  A short table in this file has the widths
 * of characters, because the C library's functions need a locale that a minimal system
 * does not have.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "term.h"
#include "text.h"

const char *
term_color(int on, int color)
{
    static const char *const codes[] = {"",         "\033[1m",  "\033[2m",
                                        "\033[31m", "\033[32m", "\033[33m"};

    return on ? codes[color] : "";
}

const char *
term_reset(int on, int color)
{
    return on && color != COLOR_PLAIN ? "\033[0m" : "";
}

size_t
term_width(FILE *stream)
{
    struct winsize size;

    if (!isatty(fileno(stream)))
        return 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
        return 80;
    return size.ws_col;
}

int
term_is_dumb(void)
{
    const char *term = secure_getenv("TERM");

    return !term || strcmp(term, "dumb") == 0;
}

size_t
term_height(FILE *stream)
{
    struct winsize size;

    if (ioctl(fileno(stream), TIOCGWINSZ, &size) < 0 || size.ws_row < 4)
        return 24;
    return size.ws_row;
}

/* Returns true for a line break (LF or CR LF) or a tab. */
static int
is_layout(const char *s, size_t left)
{
    return s[0] == '\n' || s[0] == '\t' || (s[0] == '\r' && left > 1 && s[1] == '\n');
}

void
term_print(FILE *stream, const char *indent, const char *s, size_t len)
{
    int at_start = 1;

    for (size_t i = 0, n; i < len; i += n) {
        int32_t cp = utf8_next(s + i, len - i, &n);

        if (at_start)
            fputs(indent, stream);
        at_start = cp == '\n';
        if (!text_is_harmful(cp) || is_layout(s + i, len - i))
            fwrite(s + i, 1, n, stream);
        else if (cp < 0x100)
            fprintf(stream, "\\x%02x", (unsigned)(cp < 0 ? (unsigned char)s[i] : cp));
        else
            fprintf(stream, "\\u{%x}", (unsigned)cp);
    }
}

/* ---- widths ------------------------------------------------------------------------ */

struct range {
    int32_t from, to;
};

static int
in_ranges(const struct range *ranges, size_t n, int32_t cp)
{
    for (size_t i = 0; i < n && ranges[i].from <= cp; i++) {
        if (cp <= ranges[i].to)
            return 1;
    }
    return 0;
}

static size_t
cell_width(int32_t cp)
{
    static const struct range none[] = {
        {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
        {0x64b, 0x65f},   {0x93c, 0x93c},   {0x94d, 0x94d},   {0xe31, 0xe31},
        {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
        {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},
        {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0000, 0xe0fff},
    };
    static const struct range wide[] = {
        {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23f3},   {0x26a1, 0x26a1},
        {0x2705, 0x2705},   {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2e80, 0x303e},
        {0x3041, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
        {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
        {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
    };

    if (in_ranges(none, sizeof(none) / sizeof(none[0]), cp))
        return 0;
    return in_ranges(wide, sizeof(wide) / sizeof(wide[0]), cp) ? 2 : 1;
}

static size_t
text_width(const char *s)
{
    size_t width = 0, len = strlen(s);

    for (size_t i = 0, n; i < len; i += n)
        width += cell_width(utf8_next(s + i, len - i, &n));
    return width;
}

/* Returns the length in bytes of the longest beginning of `s` that takes at most `width`
 * cells. */
static size_t
fitting_bytes(const char *s, size_t width)
{
    size_t used = 0, len = strlen(s), i, n;

    for (i = 0; i < len; i += n) {
        used += cell_width(utf8_next(s + i, len - i, &n));
        if (used > width)
            break;
    }
    return i;
}

/* ---- tables ------------------------------------------------------------------------ */

struct cell {
    char *s;
    int color;
};

struct table {
    const char *const *heads;
    size_t columns;
    struct cell *cells;
    size_t n, cap;
    int failed;
};

struct table *
table_new(const char *const *heads)
{
    struct table *table = calloc(1, sizeof(*table));

    if (!table)
        return NULL;
    table->heads = heads;
    while (heads[table->columns])
        table->columns++;
    return table;
}

void
term_flatten(struct text *t, const char *s, size_t len)
{
    int blank = 1;

    for (size_t i = 0, n; i < len; i += n) {
        int32_t cp = utf8_next(s + i, len - i, &n);

        if (cp == ' ' || (cp >= '\t' && cp <= '\r')) {
            if (!blank)
                text_add(t, " ", 1);
            blank = 1;
            continue;
        }
        blank = 0;
        if (text_is_harmful(cp))
            text_puts(t, "\xef\xbf\xbd");
        else
            text_add(t, s + i, n);
    }
    if (t->len > 0 && t->data[t->len - 1] == ' ')
        t->data[--t->len] = '\0';
}

void
table_add_text(struct table *table, int color, const char *s, size_t len)
{
    struct text t = {0};

    if (!table)
        return;
    if (table->n == table->cap) {
        size_t cap = table->cap ? table->cap * 2 : 64;
        struct cell *cells = realloc(table->cells, cap * sizeof(*cells));

        if (!cells) {
            table->failed = 1;
            return;
        }
        table->cells = cells;
        table->cap = cap;
    }
    term_flatten(&t, s ? s : "-", s ? len : 1);
    text_add(&t, "", 0);
    if (text_failed(&t)) {
        table->failed = 1;
        text_free(&t);
        return;
    }
    table->cells[table->n].s = t.data;
    table->cells[table->n++].color = color;
}

void
table_add(struct table *table, int color, const char *s)
{
    table_add_text(table, color, s, s ? strlen(s) : 0);
}

void
table_add_int(struct table *table, int color, long long n)
{
    char digits[32];

    snprintf(digits, sizeof(digits), "%lld", n);
    table_add(table, color, digits);
}

static void
pad(FILE *stream, size_t n)
{
    fprintf(stream, "%*s", (int)n, "");
}

static void
print_cell(FILE *stream, const char *s, int color, size_t width, int right, int last)
{
    size_t own = text_width(s);
    size_t room = own < width ? width - own : 0;

    if (right)
        pad(stream, room);
    if (last && own > width)
        fprintf(stream, "%s%.*s\xe2\x80\xa6%s", term_color(1, color),
                (int)fitting_bytes(s, width - 1), s, term_reset(1, color));
    else
        fprintf(stream, "%s%s%s", term_color(1, color), s, term_reset(1, color));
    if (!right && !last)
        pad(stream, room);
}

/* Sets `widths` to the widths of the columns, including their heads.  Returns the sum of
 * the widths of all columns but the last, plus a gap after each of these columns. */
static size_t
measure(const struct table *table, size_t *widths)
{
    size_t sum = 0;

    for (size_t c = 0; c < table->columns; c++) {
        const char *head = table->heads[c];

        widths[c] = text_width(head) - (head[0] == '>');
        for (size_t i = c; i < table->n; i += table->columns) {
            size_t width = text_width(table->cells[i].s);

            if (width > widths[c])
                widths[c] = width;
        }
        if (c + 1 < table->columns)
            sum += widths[c] + 2;
    }
    return sum;
}

static void
print_rows(const struct table *table, FILE *stream, int color, const size_t *widths)
{
    size_t last = table->columns - 1;

    for (size_t c = 0; c <= last; c++) {
        int right = table->heads[c][0] == '>';

        print_cell(stream, table->heads[c] + right, color ? COLOR_BOLD : COLOR_PLAIN,
                   widths[c], right, c == last);
        fputs(c == last ? "\n" : "  ", stream);
    }
    for (size_t i = 0; i < table->n; i++) {
        size_t c = i % table->columns;

        print_cell(stream, table->cells[i].s, color ? table->cells[i].color : COLOR_PLAIN,
                   widths[c], table->heads[c][0] == '>', c == last);
        fputs(c == last ? "\n" : "  ", stream);
    }
}

int
table_print(struct table *table, FILE *stream, int color, size_t width)
{
    size_t widths[16] = {0};
    size_t left;
    int failed;

    if (!table)
        return -1;
    failed = table->failed || table->columns > 16;
    if (!failed) {
        left = measure(table, widths);
        if (width && widths[table->columns - 1] > 8 &&
            left + widths[table->columns - 1] > width)
            widths[table->columns - 1] = left + 8 < width ? width - left : 8;
        print_rows(table, stream, color, widths);
    }
    for (size_t i = 0; i < table->n; i++)
        free(table->cells[i].s);
    free(table->cells);
    free(table);
    return failed ? -1 : 0;
}
