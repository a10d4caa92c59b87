/* SPDX-License-Identifier: MIT
 *
 * batch_line.c - one line of the command `batch`: parse it, check it, and carry it out.
 */
#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "words.h"

/* The greatest number of milliseconds that a line may give.  A longer time is refused,
 * because it is probably a mistake. */
#define MS_MAX 86400000

static void
refuse_line(struct batch *b, const struct command_line *line, const char *message)
{
    batch_refuse(b, line->id, line->id_len, MCPHOST_E_INVALID, message);
}

static void
refuse_unknown(struct batch *b, const struct command_line *line, const char *what,
               const char *word, const char *const *names)
{
    const char *meant = words_suggest(word, names);
    struct text t = {0};

    text_printf(&t, "unknown %s '%.60s'", what, word);
    if (meant)
        text_printf(&t, "; did you mean '%s'?", meant);
    refuse_line(b, line, text_failed(&t) ? NULL : t.data);
    text_free(&t);
}

/* ---- members ----------------------------------------------------------------------- */

enum { ANY, TEXT, STRING, OBJECT, INTEGER, MILLISECONDS };

static const struct {
    const char *name;
    int type;
} members[] = {
    {"id", ANY},          {"op", STRING},        {"dialog", STRING},
    {"member", STRING},   {"tool", STRING},      {"server", STRING},
    {"toolset", STRING},  {"shape", STRING},     {"file", STRING},
    {"save", STRING},     {"arguments", OBJECT}, {"ms", MILLISECONDS},
    {"call", ANY},        {"source", STRING},    {"uri", STRING},
    {"name", STRING},     {"prompt", STRING},    {"template", STRING},
    {"argument", STRING}, {"value", TEXT},       {"context", OBJECT},
    {"task", STRING},     {"action", STRING},    {"responses", OBJECT},
    {"request", INTEGER}, {"content", OBJECT},   {"message", STRING},
    {"profile", STRING},  {"dir", STRING},       {"turn", STRING},
    {"view", STRING},     {"agent", STRING},     {"record", OBJECT},
    {"flow", STRING},     {"language", STRING},  {"workdir", STRING},
};

enum { N_MEMBERS = sizeof(members) / sizeof(members[0]), OPERATIONS_MAX = 64 };

/* Returns words that describe the values of this type, or NULL if `value` is one of these
 * values. */
static const char *
wanted(int type, const json_t *value)
{
    switch (type) {
    case STRING:
        return json_string_length(value) > 0 ? NULL : "a non-empty string";
    case TEXT:
        return json_is_string(value) ? NULL : "a string";
    case OBJECT:
        return json_is_object(value) ? NULL : "an object";
    case INTEGER:
        return json_is_integer(value) ? NULL : "a whole number";
    case MILLISECONDS:
        return json_is_integer(value) && json_integer_value(value) >= 0 &&
                       json_integer_value(value) <= MS_MAX
                   ? NULL
                   : "a number of milliseconds";
    default:
        return NULL;
    }
}

/* Returns true if all members are known and have the right types.  Otherwise refuses the
 * line. */
static int
check_members(struct batch *b, const struct command_line *line)
{
    char message[80];
    const char *key;
    json_t *value;

    json_object_foreach(line->root, key, value)
    {
        const char *names[N_MEMBERS + 1] = {NULL}, *right;
        size_t i = 0;

        while (i < N_MEMBERS && strcmp(members[i].name, key) != 0) {
            names[i] = members[i].name;
            i++;
        }
        if (i == N_MEMBERS) {
            refuse_unknown(b, line, "member", key, names);
            return 0;
        }
        right = wanted(members[i].type, value);
        if (right) {
            snprintf(message, sizeof(message), "'%s' must be %s", key, right);
            refuse_line(b, line, message);
            return 0;
        }
    }
    return 1;
}

/* ---- the line ---------------------------------------------------------------------- */

static void
run_line(struct batch *b, const struct command_line *line)
{
    const char *names[OPERATIONS_MAX] = {NULL};
    const char *op;

    if (!check_members(b, line))
        return;
    op = json_string_value(json_object_get(line->root, "op"));
    if (!op) {
        refuse_line(b, line, "'op' is missing");
        return;
    }
    for (size_t i = 0; batch_operations[i].name; i++) {
        if (strcmp(batch_operations[i].name, op) == 0) {
            batch_operations[i].run(b, line);
            return;
        }
        names[i] = batch_operations[i].name;
    }
    refuse_unknown(b, line, "op", op, names);
}

void
batch_line(struct batch *b, const char *data, size_t len)
{
    struct command_line line = {.line = data, .len = len};
    char message[256];
    json_error_t error;
    size_t blank = 0;

    while (blank < len && strchr(" \t\r", data[blank]))
        blank++;
    if (blank == len)
        return;
    line.root = json_loadb(data, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!line.root) {
        snprintf(message, sizeof(message), "not valid JSON: %s (column %d)", error.text,
                 error.column);
        refuse_line(b, &line, message);
    } else if (!json_is_object(line.root)) {
        refuse_line(b, &line, "a command must be a JSON object");
    } else {
        line.id = find_member(data, len, "id", &line.id_len);
        run_line(b, &line);
    }
    json_decref(line.root);
}
