/* SPDX-License-Identifier: MIT
 *
 * say.c - messages on stderr, the status line of a terminal, and JSON on stdout.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "ctl.h"
#include "term.h"
#include "words.h"

/* The number of lines of a server's stderr that are printed with an error. */
#define TAIL_LINES 8
/* The greatest width of a table that print_cut_table() prints. */
#define COLUMNS 100

int
use_color(const struct ctl *ctl)
{
    if (ctl->opt.color != COLOR_AUTO)
        return ctl->opt.color == COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !secure_getenv("NO_COLOR") && !term_is_dumb();
}

static void
say_text(struct ctl *ctl, const char *indent, const char *s, size_t len)
{
    say_status_end(ctl);
    term_print(stderr, indent, s, len);
    if (len == 0 || s[len - 1] != '\n')
        fputc('\n', stderr);
}

void
say(struct ctl *ctl, const char *fmt, ...)
{
    char *s = NULL;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vasprintf(&s, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    say_status_end(ctl);
    fputs("mcphostctl: ", stderr);
    say_text(ctl, "", s, (size_t)n);
    free(s);
}

void
print_tail(FILE *stream, const char *tail)
{
    static const char gap[] = "\n...\n";
    const char *from, *head = strstr(tail, gap);
    int lines = 0;

    if (head && head == strchr(tail, '\n'))
        head += sizeof(gap) - 1;
    else
        head = tail;
    from = tail + strlen(tail);
    if (from > head && from[-1] == '\n')
        from--;
    while (from > head && (from[-1] != '\n' || ++lines < TAIL_LINES))
        from--;
    term_print(stream, "    | ", tail, (size_t)(head - tail));
    term_print(stream, "    | ", from, strlen(from));
    if (from[strlen(from) - 1] != '\n')
        fputc('\n', stream);
}

void
say_error(struct ctl *ctl, int code, mcphost_error *err)
{
    struct text advice = {0};
    const char *tail;

    if (!err) {
        say(ctl, "%s", mcphost_strerror(code));
        return;
    }
    if (mcphost_error_get_file(err) && mcphost_error_get_line(err) > 0)
        say(ctl, "%s:%d:%d: %s", mcphost_error_get_file(err), mcphost_error_get_line(err),
            mcphost_error_get_column(err), mcphost_error_get_message(err));
    else
        say(ctl, "%s", mcphost_error_get_message(err));
    tail = mcphost_error_get_stderr_tail(err);
    if (tail && *tail) {
        say_status_end(ctl);
        print_tail(stderr, tail);
    }
    if (login_advise(ctl, err, &advice))
        say(ctl, "%s", advice.data);
    text_free(&advice);
}

void
say_status(struct ctl *ctl, const char *fmt, ...)
{
    struct text t = {0};
    char line[512];
    size_t width = term_width(stderr), used = 0;
    va_list ap;

    if (width == 0 || ctl->opt.verbose || term_is_dumb() || ask_is_shown(ctl))
        return;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    /* Keep to one row: leave out characters that do not fit or would move the cursor. */
    for (size_t i = 0, n, len = strlen(line); i < len && used + 2 < width;
         i += n, used++) {
        int32_t cp = utf8_next(line + i, len - i, &n);

        if (!text_is_harmful(cp))
            text_add(&t, line + i, n);
    }
    text_add(&t, "", 0);
    if (!text_failed(&t))
        fprintf(stderr, "\r\033[K%s", t.data);
    fflush(stderr);
    text_free(&t);
    ctl->status_shown = 1;
}

void
say_status_end(struct ctl *ctl)
{
    if (ctl->status_shown)
        fputs("\r\033[K", stderr);
    ctl->status_shown = 0;
    ask_aside(ctl);
}

void
say_server(struct ctl *ctl, const char *server, const char *s, size_t len)
{
    char name[65], indent[80];
    size_t n = 0;

    if (!ctl->opt.verbose)
        return;
    if (!server)
        server = "-";
    /* Replace harmful characters in the server's name, because the name comes from a
     * file. */
    for (size_t i = 0, used, left = strlen(server); i < left && i + 4 < sizeof(name);
         i += used) {
        if (text_is_harmful(utf8_next(server + i, left - i, &used)))
            name[n++] = '?';
        else
            for (size_t j = 0; j < used; j++)
                name[n++] = server[i + j];
    }
    name[n] = '\0';
    snprintf(indent, sizeof(indent), "%s| ", name);
    say_text(ctl, indent, s, len);
}

int
out_of_memory(struct ctl *ctl)
{
    say(ctl, "not enough memory");
    return STATUS_SERVER;
}

int
print_json(struct ctl *ctl, const struct text *t)
{
    if (text_failed(t))
        return out_of_memory(ctl);
    say_status_end(ctl);
    if (fwrite(t->data, 1, t->len, stdout) != t->len || fputc('\n', stdout) == EOF ||
        fflush(stdout) != 0) {
        say(ctl, "cannot write: %s", strerror(errno));
        return STATUS_SERVER;
    }
    return STATUS_OK;
}

static int
print_within(struct ctl *ctl, struct table *table, size_t width)
{
    say_status_end(ctl);
    if (table_print(table, ctl->out ? ctl->out : stdout, use_color(ctl), width) < 0)
        return out_of_memory(ctl);
    return STATUS_OK;
}

int
print_table(struct ctl *ctl, struct table *table)
{
    return print_within(ctl, table, term_width(stdout));
}

int
print_cut_table(struct ctl *ctl, struct table *table)
{
    size_t width = term_width(stdout);

    return print_within(ctl, table, width && width < COLUMNS ? width : COLUMNS);
}

void
print_diagnostic(FILE *stream, const mcphost_config *config, size_t index, int color)
{
    int severity = mcphost_config_diagnostic_get_severity(config, index);
    int tint = severity == MCPHOST_DIAGNOSTIC_ERROR ? COLOR_RED : COLOR_YELLOW;
    const char *file = mcphost_config_diagnostic_get_file(config, index);
    const char *message = mcphost_config_diagnostic_get_message(config, index);
    int line = mcphost_config_diagnostic_get_line(config, index);

    term_print(stream, "", file, strlen(file));
    if (line > 0)
        fprintf(stream, ":%d:%d", line,
                mcphost_config_diagnostic_get_column(config, index));
    fprintf(stream, ": %s%s%s: ", term_color(color, tint),
            name_of(MCPHOST_ENUM_DIAGNOSTIC_SEVERITY, severity), term_reset(color, tint));
    term_print(stream, "", message, strlen(message));
    fputc('\n', stream);
}
