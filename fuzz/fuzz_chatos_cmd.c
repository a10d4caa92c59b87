/* SPDX-License-Identifier: MIT
 *
 * fuzz_chatos_cmd.c - reads any bytes as a cmd:// URL, as an argument list and as a name.
 *
 * The target formats a URL that it has parsed, and parses the new URL.  The two results
 * must be equal.  The target also formats a list as a URL.  Newlines separate the tokens
 * of the list.  Parsing the URL must give the list without its empty tokens.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* Formats the list as a URL, parses the URL and compares the result with the list.  The
 * result must lack the empty texts of the list. */
static void
round_trip(const struct mcph_strings *list)
{
    struct mcph_strings args = {0}, again = {0};
    char *url = NULL;
    size_t k = 0;

    if (list->n == 0)
        return;
    args.items = list->items + 1;
    args.n = list->n - 1;
    if (mcph_chatos_cmd_format(list->items[0], NULL, &args, &url) < 0)
        return;
    must(mcph_chatos_is_cmd(url, strlen(url)));
    must(mcph_chatos_cmd_parse(url, strlen(url), &again, NULL) == 0);
    for (size_t i = 0; i < list->n; i++) {
        if (*list->items[i])
            must(k < again.n && strcmp(list->items[i], again.items[k++]) == 0);
    }
    must(k == again.n);
    mcph_strings_done(&again);
    free(url);
}

static void
read_url(const char *text, size_t len)
{
    struct mcph_chatos_fault fault = {0};
    struct mcph_strings argv = {0};
    int r = mcph_chatos_cmd_parse(text, len, &argv, &fault);

    must((r == 0) == (argv.n > 0) && (r == 0) == !fault.why);
    must(r < 0 || mcph_chatos_is_cmd(text, len));
    must(fault.at <= len);
    for (size_t i = 0; i < argv.n; i++)
        must(*argv.items[i] != '\0');
    round_trip(&argv);
    mcph_strings_done(&argv);
}

static void
make_url(const char *text)
{
    struct mcph_strings list = {0};

    for (;;) {
        size_t n = strcspn(text, "\n");
        char *token = mcph_strndup(text, n);

        must(token && mcph_strings_add(&list, token) == 0);
        free(token);
        if (!text[n])
            break;
        text += n + 1;
    }
    round_trip(&list);
    mcph_strings_done(&list);
}

static void
make_names(const char *text)
{
    char *name = NULL, *again = NULL, *key = NULL;

    if (mcph_chatos_normalize(text, &name) == 0) {
        must(name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0');
        must(*name && *name != '_' && name[strlen(name) - 1] != '_');
        must(mcph_chatos_normalize(name, &again) == 0 && strcmp(name, again) == 0);
    }
    if (mcph_chatos_default_key(text, text, &key) == 0)
        must(!strchr(key, '/') && strstr(key, "__"));
    free(name);
    free(again);
    free(key);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mcph_strndup((const char *)data, size);

    must(text != NULL);
    read_url(text, size);
    make_url(text);
    make_names(text);
    free(text);
    return 0;
}
