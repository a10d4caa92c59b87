/* SPDX-License-Identifier: MIT
 *
 * script.c - reads the fake server's script, whose language fakeserver.c describes.
 *
 * A line that script.c does not understand ends the program with status 2.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fakeserver/fake.h"

static const char *where_file = "default";
static int where_line;

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
    va_list ap;

    fprintf(stderr, "fakeserver: %s:%d: ", where_file, where_line);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    _exit(2);
}

static char *
copy(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(fake_alloc(NULL, size), text, size);
}

/* Cuts off the first word of `text` and returns the word.  *rest becomes the text after
 * the word, without the space. */
static char *
word(char *text, char **rest)
{
    char *end = text + strcspn(text, " ");

    *rest = *end ? end + 1 : end;
    *end = '\0';
    return text;
}

static long
number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text)
        die("'%s' is no number", text);
    if (*end == 'k')
        n *= 1024;
    else if (*end == 'M')
        n *= 1024 * 1024;
    return n;
}

/* ---- actions ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool number;
} verbs[] = {
    [V_ANSWER] = {"answer", false},
    [V_RESULT] = {"result", false},
    [V_ERROR] = {"error", true},
    [V_TEXT] = {"text", false},
    [V_TEXT_BYTES] = {"text-bytes", true},
    [V_DEEP] = {"deep", true},
    [V_ID] = {"id", false},
    [V_ID_STRING] = {"id-string", false},
    [V_ID_LAST] = {"id-last", false},
    [V_RAW] = {"raw", false},
    [V_LINE] = {"line", false},
    [V_FILL] = {"fill", true},
    [V_LINES] = {"lines", true},
    [V_STDERR] = {"stderr", false},
    [V_STDERR_FILL] = {"stderr-fill", true},
    [V_PROGRESS] = {"progress", false},
    [V_NOTIFY] = {"notify", false},
    [V_REQUEST] = {"request", false},
    [V_LOG] = {"log", false},
    [V_USE] = {"use", false},
    [V_CHANGED] = {"changed", false},
    [V_UPDATED] = {"updated", false},
    [V_UPDATES] = {"updates", true},
    [V_DELAY] = {"delay", true},
    [V_SLEEP] = {"sleep", true},
    [V_CLOSE] = {"close", false},
    [V_CHILD] = {"child", true},
    [V_DAEMON] = {"daemon", true},
    [V_ONCE] = {"once", false},
    [V_EXIT] = {"exit", true},
    [V_CRASH] = {"crash", true},
    [V_HANG] = {"hang", false},
    [V_ASK] = {"ask", false},
    [V_STATUS] = {"status", true},
    [V_HEADER] = {"header", false},
    [V_HEADER_FILL] = {"header-fill", true},
    [V_BODY] = {"body", false},
    [V_FILE] = {"file", false},
    [V_LENGTH] = {"length", true},
    [V_WIRE] = {"wire", false},
    [V_STREAM] = {"stream", false},
    [V_EVENT] = {"event", false},
    [V_COMMENT] = {"comment", false},
    [V_ENDLESS] = {"endless", false},
    [V_END] = {"end", false},
    [V_CUT] = {"cut", false},
    [V_RESET] = {"reset", false},
    [V_TO] = {"to", false},
    [V_FORGET] = {"forget", false},
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static struct fake_action *
parse_action(const char *line)
{
    struct fake_action *action = fake_alloc(NULL, sizeof(*action));
    char *text = copy(line), *rest, *first = word(text, &rest), *tail = rest;
    size_t v = 0;

    while (v < N_VERBS && strcmp(verbs[v].name, first) != 0)
        v++;
    if (v == N_VERBS)
        die("'%s' is no action", first);
    *action = (struct fake_action){.verb = (int)v};
    if (verbs[v].number)
        action->n = number(word(rest, &tail));
    action->text = copy(tail);
    free(text);
    return action;
}

struct fake_action *
fake_parse_actions(const char *lines)
{
    struct fake_action *first = NULL, **last = &first;
    char *text = copy(lines), *save = NULL;

    for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
        *last = parse_action(l);
        last = &(*last)->next;
    }
    free(text);
    return first;
}

void
fake_free_actions(struct fake_action *action)
{
    while (action) {
        struct fake_action *next = action->next;

        free(action->text);
        free(action);
        action = next;
    }
}

/* ---- blocks ------------------------------------------------------------------------ */

static void
begin_block(struct fake *fake, char *rest)
{
    struct fake_block *block = fake_alloc(NULL, sizeof(*block)), **p = &fake->blocks;
    char *nth, *event = word(rest, &nth);

    if (!*event)
        die("on what?");
    *block =
        (struct fake_block){.event = copy(event), .nth = *nth ? (int)number(nth) : 0};
    block->last = &block->first;
    while (*p)
        p = &(*p)->next;
    *p = fake->block = block;
}

/* Returns the last block for this occurrence of the event.  If the script has no block
 * for this occurrence, returns the last block for all occurrences, or NULL.  A line with
 * -e can therefore override the script. */
const struct fake_block *
fake_find_block(const struct fake *fake, const char *event, int nth)
{
    const struct fake_block *any = NULL, *exact = NULL;

    for (const struct fake_block *b = fake->blocks; b; b = b->next) {
        if (strcmp(b->event, event) != 0)
            continue;
        if (!b->nth)
            any = b;
        else if (b->nth == nth)
            exact = b;
    }
    return exact ? exact : any;
}

bool
fake_has_block(const struct fake *fake, const char *event)
{
    for (const struct fake_block *b = fake->blocks; b; b = b->next)
        if (strcmp(b->event, event) == 0)
            return true;
    return false;
}

/* ---- tools ------------------------------------------------------------------------- */

struct fake_set *
fake_find_set(struct fake *fake, const char *name)
{
    struct fake_set **p = &fake->sets;

    while (*p && strcmp((*p)->name, name) != 0)
        p = &(*p)->next;
    if (!*p) {
        *p = fake_alloc(NULL, sizeof(**p));
        **p = (struct fake_set){.name = copy(name)};
    }
    return *p;
}

static void
add_entry(struct fake_set *set, int kind, const char *json)
{
    struct fake_list *list = &set->lists[kind];

    if (list->n == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 16;
        list->entries = fake_alloc(list->entries, list->cap * sizeof(*list->entries));
    }
    list->entries[list->n++] = copy(json);
}

/* Adds n entries from `ARRAY JSON`.  If n > 1, each '#' becomes the number of the
 * entry. */
static void
add_entries(struct fake_set *set, long n, char *rest)
{
    char *json;
    int kind = 0;

    word(rest, &json);
    while (kind < FAKE_KINDS && strcmp(rest, fake_kinds[kind].array) != 0)
        kind++;
    if (kind == FAKE_KINDS)
        die("'%s' is no list", rest);
    for (long i = 0; i < n; i++) {
        char *entry = NULL;
        size_t size;
        FILE *out = open_memstream(&entry, &size);

        for (const char *p = json; *p; p++)
            if (*p == '#' && n > 1)
                fprintf(out, "%ld", i);
            else
                fputc(*p, out);
        fclose(out);
        add_entry(set, kind, entry);
        free(entry);
    }
}

static void
add_tool(struct fake_set *set, const char *name, const char *description,
         const char *properties)
{
    char *json = NULL;
    size_t size;
    FILE *out = open_memstream(&json, &size);

    fputs("{\"name\":", out);
    fake_quote(out, name);
    fputs(",\"description\":", out);
    fake_quote(out, description);
    fprintf(out, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{%s}}}",
            properties);
    fclose(out);
    add_entry(set, FAKE_TOOLS, json);
    free(json);
}

static void
generate(struct fake_set *set, long n, const char *prefix)
{
    for (long i = 0; i < n; i++) {
        char name[64], text[96];

        snprintf(name, sizeof(name), "%s%ld", prefix, i);
        snprintf(text, sizeof(text), "generated tool number %ld", i);
        add_tool(set, name, text, "\"text\":{\"type\":\"string\"}");
    }
}

/* ---- directives -------------------------------------------------------------------- */

static void
set_string(char **to, const char *value)
{
    free(*to);
    *to = copy(value);
}

static void
set_versions(struct fake *fake, char *rest)
{
    char *save = NULL;

    json_decref(fake->modern_versions);
    fake->modern_versions = json_array();
    for (char *v = strtok_r(rest, " ", &save); v; v = strtok_r(NULL, " ", &save))
        json_array_append_new(fake->modern_versions, json_string(v));
}

/* Sets the flag that belongs to the name `value`, unless the flag is NULL.  `value` must
 * be one of the three names. */
static void
set_flag(const char *value, const char *const names[3], bool *const flags[3])
{
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            if (flags[i])
                *flags[i] = true;
            return;
        }
    die("'%s' is not one of %s, %s, %s", value, names[0], names[1], names[2]);
}

static bool
word_directive(struct fake *fake, const char *key, const char *value)
{
    static const char *const eras[3] = {"dual", "legacy", "modern"};
    static const char *const ignored[3] = {"eof", "term", "cancel"};
    static const char *const cursors[3] = {"repeat", "endless", "empty"};

    if (strcmp(key, "era") == 0) {
        bool *const flags[3] = {NULL, &fake->no_modern, &fake->no_legacy};

        fake->no_legacy = fake->no_modern = false;
        set_flag(value, eras, flags);
    } else if (strcmp(key, "ignore") == 0) {
        bool *const flags[3] = {&fake->ignore_eof, &fake->ignore_term,
                                &fake->ignore_cancel};

        set_flag(value, ignored, flags);
    } else if (strcmp(key, "cursors") == 0) {
        bool *const flags[3] = {&fake->cursor_repeat, &fake->cursor_endless,
                                &fake->cursor_empty};

        set_flag(value, cursors, flags);
    } else {
        return false;
    }
    return true;
}

static bool
tool_directive(struct fake *fake, const char *key, char *rest)
{
    char *more;

    if (strcmp(key, "set") == 0) {
        fake->set = fake_find_set(fake, rest);
    } else if (strcmp(key, "no-tools") == 0) {
        fake->set->lists[FAKE_TOOLS].n = 0;
    } else if (strcmp(key, "tool") == 0) {
        word(rest, &more);
        add_tool(fake->set, rest, *more ? more : fake->name, "");
    } else if (strcmp(key, "tool-json") == 0) {
        add_entry(fake->set, FAKE_TOOLS, rest);
    } else if (strcmp(key, "generate") == 0) {
        word(rest, &more);
        generate(fake->set, number(rest), *more ? more : "t");
    } else if (strcmp(key, "entry") == 0) {
        add_entries(fake->set, 1, rest);
    } else if (strcmp(key, "entries") == 0) {
        word(rest, &more);
        add_entries(fake->set, number(rest), more);
    } else if (strcmp(key, "page-size") == 0) {
        fake->page_size = (size_t)number(rest);
    } else {
        return false;
    }
    return true;
}

static void
directive(struct fake *fake, char *line)
{
    char *rest, *key = word(line, &rest);

    if (strcmp(key, "on") == 0)
        begin_block(fake, rest);
    else if (strcmp(key, "name") == 0)
        set_string(&fake->name, rest);
    else if (strcmp(key, "version") == 0)
        set_string(&fake->version, rest);
    else if (strcmp(key, "capabilities") == 0)
        set_string(&fake->capabilities, rest);
    else if (strcmp(key, "instructions") == 0)
        set_string(&fake->instructions, rest);
    else if (strcmp(key, "hints") == 0)
        set_string(&fake->hints, rest);
    else if (strcmp(key, "trace") == 0)
        set_string(&fake->trace, rest);
    else if (strcmp(key, "modern-versions") == 0)
        set_versions(fake, rest);
    else if (strcmp(key, "chunk") == 0)
        fake->chunk = (size_t)number(rest);
    else if (!word_directive(fake, key, rest) && !tool_directive(fake, key, rest) &&
             !(fake->front && fake->front->directive(fake, key, rest)))
        die("'%s' is no directive", key);
}

void
fake_script_line(struct fake *fake, const char *line, const char *file, int n)
{
    bool indented = *line == ' ' || *line == '\t';
    char *text;

    where_file = file;
    where_line = n;
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return;
    if (indented) {
        if (!fake->block)
            die("an action before any 'on'");
        *fake->block->last = parse_action(line);
        fake->block->last = &(*fake->block->last)->next;
        return;
    }
    text = copy(line);
    directive(fake, text);
    free(text);
}

void
fake_script_file(struct fake *fake, const char *path)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;

    where_file = path;
    if (!f)
        die("cannot open the script");
    for (int i = 1; (n = getline(&line, &cap, f)) >= 0; i++) {
        if (n && line[n - 1] == '\n')
            line[n - 1] = '\0';
        fake_script_line(fake, line, path, i);
    }
    free(line);
    fclose(f);
    fake->set = fake_find_set(fake, "main");
}

void
fake_script_init(struct fake *fake)
{
    static const char number_schema[] = "\"a\":{\"type\":\"number\"},"
                                        "\"b\":{\"type\":\"number\"}";
    static const char count_schema[] = "\"n\":{\"type\":\"integer\"},"
                                       "\"ms\":{\"type\":\"integer\"}";
    char versions[] = "2026-07-28";

    set_string(&fake->name, "fake");
    set_string(&fake->hints, "\"ttlMs\":0,\"cacheScope\":\"private\"");
    set_string(&fake->capabilities, "{\"tools\":{\"listChanged\":true},\"logging\":{}}");
    set_versions(fake, versions);
    fake->set = fake_find_set(fake, "main");
    add_tool(fake->set, "echo", "says it again", "\"text\":{\"type\":\"string\"}");
    add_tool(fake->set, "add", "adds two numbers", number_schema);
    add_tool(fake->set, "slow", "takes its time", "\"ms\":{\"type\":\"integer\"}");
    add_tool(fake->set, "pid", "tells its process id", "");
    add_tool(fake->set, "env", "tells a variable", "\"name\":{\"type\":\"string\"}");
    add_tool(fake->set, "cwd", "tells its directory", "");
    add_tool(fake->set, "count", "counts and reports progress", count_schema);
    add_tool(fake->set, "fail", "fails as a tool", "");
    add_tool(fake->set, "boom", "fails as a request", "");
    add_tool(fake->set, "big", "is long", "\"bytes\":{\"type\":\"integer\"}");
}
