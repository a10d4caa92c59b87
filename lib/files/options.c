/* SPDX-License-Identifier: MIT
 *
 * options.c - read the options that an application gives to the provider as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "files/inner.h"

struct options {
    char *base_dir;
    struct mcph_strings extensions;
    size_t max_bytes;
};

static int
fail_option(mcphost_error **reterr, const char *name, const char *expected)
{
    return mcph_err(reterr, MCPHOST_E_INVALID, "%s: expected %s", name, expected);
}

static int
read_base_dir(struct options *o, struct mcph_span value, mcphost_error **reterr)
{
    int r = mcph_json_type(value) == MCPH_JSON_STRING
                ? mcph_json_string_dup(value, &o->base_dir)
                : MCPHOST_E_INVALID;

    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r < 0 || o->base_dir[0] != '/')
        return fail_option(reterr, "base_dir", "the absolute path of a directory");
    return 0;
}

static int
add_extension(struct options *o, struct mcph_span value, mcphost_error **reterr)
{
    static const char name[] = "allowed_extensions";
    const char *why;
    char *text = NULL;
    int r = mcph_json_type(value) == MCPH_JSON_STRING ? mcph_json_string_dup(value, &text)
                                                      : MCPHOST_E_INVALID;

    if (r == 0) {
        why = mcph_extension_check(text);
        if (why)
            r = mcph_err(reterr, MCPHOST_E_INVALID, "%s: an extension %s", name, why);
        else if (mcph_strings_add(&o->extensions, text) < 0)
            r = mcph_err_nomem(reterr);
        free(text);
        return r;
    }
    return r == MCPHOST_E_NOMEM ? mcph_err_nomem(reterr)
                                : fail_option(reterr, name, "strings such as '.md'");
}

static int
read_extensions(struct options *o, struct mcph_span value, mcphost_error **reterr)
{
    struct mcph_json_iter it;
    struct mcph_span item;
    int r = 0;

    if (mcph_json_type(value) != MCPH_JSON_ARRAY)
        return fail_option(reterr, "allowed_extensions", "an array of strings");
    mcph_json_iter_init(&it, value);
    while (r == 0 && mcph_json_iter_next(&it, NULL, &item))
        r = add_extension(o, item, reterr);
    return r;
}

static int
read_max_bytes(struct options *o, struct mcph_span value, mcphost_error **reterr)
{
    double n = 0;

    if (mcph_json_type(value) != MCPH_JSON_NUMBER || mcph_json_double(value, &n) < 0 ||
        !(n >= 1 && n <= MCPH_FILES_BYTES_MAX) || n != (double)(size_t)n)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "max_bytes: expected a whole number from 1 to %d",
                        MCPH_FILES_BYTES_MAX);
    o->max_bytes = (size_t)n;
    return 0;
}

static const struct {
    const char *name;
    int (*read)(struct options *o, struct mcph_span value, mcphost_error **reterr);
} members[] = {
    {"base_dir", read_base_dir},
    {"allowed_extensions", read_extensions},
    {"max_bytes", read_max_bytes},
};

/* Reads one member of the options.  A repeated member is refused, because it is unclear
 * which of the two values applies. */
static int
read_member(struct options *o, struct mcph_span key, struct mcph_span value,
            unsigned *seen, mcphost_error **reterr)
{
    char *shown = NULL;
    int r;

    for (unsigned i = 0; i < MCPH_ARRAY_SIZE(members); i++) {
        if (!mcph_json_string_is(key, members[i].name, strlen(members[i].name)))
            continue;
        if (*seen & 1u << i)
            return fail_option(reterr, members[i].name, "it once, found it twice");
        *seen |= 1u << i;
        return members[i].read(o, value, reterr);
    }
    if (mcph_json_string_show(key, &shown) < 0)
        return mcph_err_nomem(reterr);
    r = mcph_err(reterr, MCPHOST_E_INVALID, "%.100s: unknown option", shown);
    free(shown);
    return r;
}

static int
read_options(struct options *o, struct mcph_span json, mcphost_error **reterr)
{
    struct mcph_span object, key, value;
    struct mcph_json_iter it;
    unsigned seen = 0;
    int r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT, "the options of 'files'",
                                  &object, reterr);

    if (r < 0)
        return r;
    mcph_json_iter_init(&it, object);
    while (r == 0 && mcph_json_iter_next(&it, &key, &value))
        r = read_member(o, key, value, &seen, reterr);
    if (r == 0 && !o->base_dir)
        r = fail_option(reterr, "base_dir",
                        "the absolute path of a directory, found nothing");
    return r;
}

/* Reads the options and sets up the provider as the provider `files`.  If `provider` is
 * NULL, only checks the options. */
static int
apply_options(mcphost_provider *provider, struct mcph_span json, mcphost_error **reterr)
{
    struct options o = {0};
    int r = read_options(&o, json, reterr);

    if (r == 0 && provider)
        r = mcph_files_fill(provider, o.base_dir, &o.extensions, o.max_bytes, reterr);
    mcph_strings_done(&o.extensions);
    free(o.base_dir);
    return r;
}

int
mcph_files_check_json(struct mcph_span options, mcphost_error **reterr)
{
    return apply_options(NULL, options, reterr);
}

int
mcph_files_fill_json(mcphost_provider *provider, struct mcph_span options,
                     mcphost_error **reterr)
{
    return apply_options(provider, options, reterr);
}
