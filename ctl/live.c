/* SPDX-License-Identifier: MIT
 *
 * live.c - the live view of the command `watch`, drawn anew in place.
 *
 * The view shows servers, tools, leases, problems, the last reading of the file and the
 * last changes.  The view uses the terminal's alternate screen, so that the earlier
 * contents come back at the end.  Each picture is made in memory, and then written over
 * the last picture line by line.  A picture has at most as many lines as the screen has
 * rows.  These rules keep the screen from flickering and scrolling.
 */
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "term.h"
#include "words.h"

/* TAKE switches to the alternate screen, hides the cursor and cuts long lines.  GIVE
 * undoes these changes. */
#define TAKE "\033[?1049h\033[?25l\033[?7l"
#define GIVE "\033[?7h\033[?25h\033[?1049l"

/* Limit on the names of a toolset that are shown.  More names would not fit into the
 * line. */
#define NAMES_MAX 64

int
live_possible(void)
{
    return term_width(stdout) > 0 && !term_is_dumb();
}

void
live_begin(void)
{
    fputs(TAKE, stdout);
    fflush(stdout);
}

void
live_end(void)
{
    fputs(GIVE, stdout);
    fflush(stdout);
}

/* ---- the parts of a picture -------------------------------------------------------- */

/* Writes a text on one line, without characters that move the cursor. */
static void
put_line(FILE *out, const char *head, const char *s, size_t len)
{
    struct text t = {0};

    term_flatten(&t, s, len);
    text_add(&t, "", 0);
    if (!text_failed(&t))
        fprintf(out, "%s%s\n", head, t.data);
    text_free(&t);
}

static void
draw_head(const struct live *live, FILE *out)
{
    const char *file = mcphost_config_get_file(live->ctl->config);

    if (!file)
        file = live->ctl->opt.stdio ? live->ctl->opt.stdio : "--url";
    if (!live->ctl->default_is_empty)
        put_line(out, "", file, strlen(file));
    for (size_t i = 0; i < live->ctl->n_sources; i++) {
        const struct source *source = &live->ctl->sources[i];

        fputs(source->id, out);
        put_line(out, ": ", source->path, strlen(source->path));
    }
    if (!text_failed(live->reading) && live->reading->len > 0)
        put_line(out, "last reading: ", live->reading->data, live->reading->len);
    fputc('\n', out);
}

static void
add_names(struct table *table, const mcphost_catalog *catalog, size_t toolset)
{
    size_t n = mcphost_catalog_count_toolset_tools(catalog, toolset);
    struct text t = {0};

    for (size_t i = 0; i < n && i < NAMES_MAX; i++)
        text_printf(
            &t, "%s%s", i ? " " : "",
            mcphost_tool_get_name(mcphost_catalog_get_toolset_tool(catalog, toolset, i)));
    if (n > NAMES_MAX)
        text_puts(&t, " ...");
    table_add_text(table, COLOR_PLAIN, text_failed(&t) || !t.data ? "-" : t.data,
                   text_failed(&t) || !t.data ? 1 : t.len);
    text_free(&t);
}

static void
draw_tools(const struct live *live, FILE *out)
{
    static const char *const heads[] = {"SOURCE", "TOOLSET", ">TOOLS", "NAMES", NULL};
    size_t n = mcphost_catalog_count_toolsets(live->catalog);
    struct table *table = table_of_sources(live->ctl, heads);

    fputc('\n', out);
    for (size_t i = 0; i < n; i++) {
        table_add_source(live->ctl, table, toolset_source(live->catalog, i));
        table_add(table, COLOR_BOLD, mcphost_catalog_get_toolset(live->catalog, i));
        table_add_int(table, COLOR_PLAIN,
                      (long long)mcphost_catalog_count_toolset_tools(live->catalog, i));
        add_names(table, live->catalog, i);
    }
    print_table(live->ctl, table);
}

static void
draw_leases(const struct live *live, FILE *out, const mcphost_status *status)
{
    static const char *const heads[] = {"SOURCE", "LEASE",      "DIALOG", ">PID",
                                        "STATE",  ">IN FLIGHT", NULL};
    size_t n = mcphost_status_count_leases(status);
    struct table *table;

    fputc('\n', out);
    if (n == 0) {
        fputs("no leases\n", out);
        return;
    }
    table = table_of_sources(live->ctl, heads);
    for (size_t i = 0; i < n; i++) {
        table_add_source(live->ctl, table, mcphost_status_lease_get_source_id(status, i));
        table_add(table, COLOR_BOLD, mcphost_status_lease_get_server_id(status, i));
        table_add(table, COLOR_PLAIN, mcphost_status_lease_get_dialog_id(status, i));
        table_add_int(table, COLOR_PLAIN, mcphost_status_lease_get_pid(status, i));
        table_add(table, COLOR_PLAIN,
                  name_of(MCPHOST_ENUM_INSTANCE_STATE,
                          mcphost_status_lease_get_state(status, i)));
        table_add_int(table, COLOR_PLAIN,
                      (long long)mcphost_status_lease_count_in_flight(status, i));
    }
    print_table(live->ctl, table);
}

static void
draw_problems(const struct live *live, FILE *out)
{
    mcphost_problems *problems = NULL;

    if (mcphost_get_problems(live->ctl->host, &problems) < 0)
        return;
    fputc('\n', out);
    show_problems(live->ctl, problems);
    mcphost_problems_unref(problems);
}

static void
draw_lines(const struct live *live, FILE *out)
{
    fputc('\n', out);
    for (size_t i = 0; i < live->n_lines; i++) {
        const char *line = live->lines[(live->oldest + i) % live->n_lines];

        if (line)
            put_line(out, "", line, strlen(line));
    }
}

/* ---- the whole picture ------------------------------------------------------------- */

static void
write_picture(const char *picture, size_t len)
{
    size_t rows = term_height(stdout);
    const char *end = picture + len;

    fputs("\033[H", stdout);
    for (size_t row = 0; row < rows && picture < end; row++) {
        const char *newline = memchr(picture, '\n', (size_t)(end - picture));
        size_t n = (size_t)((newline ? newline : end) - picture);

        if (row > 0)
            fputs("\r\n", stdout);
        fwrite(picture, 1, n, stdout);
        fputs("\033[K", stdout);
        picture += n + 1;
    }
    fputs("\033[J", stdout);
}

void
live_draw(const struct live *live)
{
    struct ctl *ctl = live->ctl;
    mcphost_status *status = NULL;
    char *picture = NULL;
    size_t len = 0;
    FILE *out;

    if (mcphost_get_status(ctl->host, &status) < 0)
        return;
    out = open_memstream(&picture, &len);
    if (out) {
        ctl->out = out;
        draw_head(live, out);
        show_servers(ctl, status);
        if (live->catalog)
            draw_tools(live, out);
        draw_leases(live, out, status);
        draw_problems(live, out);
        draw_lines(live, out);
        ctl->out = NULL;
        if (fclose(out) == 0)
            write_picture(picture, len);
        free(picture);
    }
    mcphost_status_unref(status);
}
