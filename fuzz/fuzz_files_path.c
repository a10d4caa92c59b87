/* SPDX-License-Identifier: MIT
 *
 * fuzz_files_path.c - parses URIs of the provider `files`.
 *
 * A URI that is accepted must give a path without ".." steps.  The URI that is made from
 * this path must give the same path again.
 */
#include <stdlib.h>
#include <string.h>

#include "files/inner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
    if (!holds)
        abort();
}

static void
check_path(const struct files_place *place)
{
    const char *name = place->path;

    must(strlen(name) == place->len && name[0] != '/');
    must(place->is_dir || *name);
    while (*name) {
        size_t len = strcspn(name, "/");

        must(len > 0 && len <= NAME_MAX);
        must(!(len == 1 && name[0] == '.'));
        must(!(len == 2 && name[0] == '.' && name[1] == '.'));
        must(!name[len] || name[len + 1]);
        name += len + (name[len] == '/');
    }
    must(!strchr(place->after, '/'));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct files_place place, again;
    struct mcph_buf uri;

    if (mcph_files_place_parse(mcph_span((const char *)data, size), &place))
        return 0;
    check_path(&place);
    mcph_buf_init(&uri, (size_t)1 << 20);
    mcph_files_add_uri(&uri, place.is_dir, place.path, NULL);
    if (place.after[0]) {
        mcph_buf_adds(&uri, "?after=");
        mcph_files_add_query(&uri, place.after);
    }
    must(mcph_buf_ok(&uri) == 0);
    must(!mcph_files_place_parse(mcph_span(uri.data, uri.len), &again));
    must(again.is_dir == place.is_dir && strcmp(again.path, place.path) == 0 &&
         strcmp(again.after, place.after) == 0);
    mcph_buf_done(&uri);
    return 0;
}
