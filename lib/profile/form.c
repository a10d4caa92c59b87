/* SPDX-License-Identifier: MIT
 *
 * form.c - parse text of any file form, and make readers of files.
 *
 * A struct mcph_form describes one format and has the functions for this format.  This
 * file has the code that all formats share.  If the application named no file, the
 * workspace exists, and the default file of the workspace is missing, the configuration
 * is empty.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

int
mcph_form_parse(const struct mcph_form *form, const char *data, size_t len,
                const char *name, const char *workspace, unsigned transports,
                mcphost_config **ret_config, mcphost_error **reterr)
{
    mcphost_config *config;
    char *dir = NULL;
    int r;

    r = mcph_profile_workspace(workspace, &dir, reterr);
    if (r < 0)
        return r;
    config = mcph_config_new(form->source, NULL, name, dir);
    free(dir);
    if (config) {
        config->transports = transports;
        r = form->fill(config, data, len);
    } else {
        r = MCPHOST_E_NOMEM;
    }
    if (r < 0) {
        mcph_config_unref(config);
        return mcph_err_nomem(reterr);
    }
    *ret_config = config;
    return 0;
}

/* ---- the file ---------------------------------------------------------------------- */

struct form_reader {
    struct mcph_config_reader base;
    const struct mcph_form *form;
    char *file, *workspace;
    bool required; /* the file must exist, because the application named it */
};

/* Reports that the file cannot be read.  A missing file is no error if the application
 * did not name the file and the workspace exists.  Decides by `code` and not by the code
 * in `err`, because `err` may be the shared out-of-memory error. */
static int
fail_file(const struct form_reader *reader, mcphost_config *config, int code,
          const mcphost_error *err)
{
    mcphost_error *gone = NULL;
    int r = 0;

    if (code == MCPHOST_E_NOTFOUND && !reader->required) {
        code = mcph_profile_check_workspace(reader->workspace, &gone);
        if (code < 0)
            r = mcph_config_fail(config, code, "", 0, 0, "%s",
                                 mcphost_error_get_message(gone));
        mcphost_error_unref(gone);
        return r;
    }
    return mcph_config_fail(config, code, "", 0, 0, "%s", mcphost_error_get_message(err));
}

static int
read_file(struct mcph_config_reader *base, mcphost_config **ret_config,
          mcphost_error **reterr)
{
    const struct form_reader *reader = (const struct form_reader *)base;
    const struct mcph_form *form = reader->form;
    mcphost_error *err = NULL;
    mcphost_config *config;
    struct mcph_buf text;
    int r;

    mcph_buf_init(&text, form->size_max + (size_t)64 * 1024);
    config = mcph_config_new(form->source, reader->file, reader->file, reader->workspace);
    if (!config) {
        r = MCPHOST_E_NOMEM;
        goto out;
    }
    config->transports = base->transports;
    r = mcph_file_read(reader->file, form->size_max, &text, &err);
    if (r == 0)
        r = form->fill(config, text.data ? text.data : "", text.len);
    else if (r != MCPHOST_E_NOMEM)
        r = fail_file(reader, config, r, err);
    if (r == 0) {
        *ret_config = config;
        config = NULL;
    }
out:
    if (r < 0)
        mcph_err_nomem(reterr);
    mcph_buf_wipe(&text);
    mcphost_error_unref(err);
    mcph_config_unref(config);
    return r;
}

static void
free_reader(struct mcph_config_reader *base)
{
    struct form_reader *reader = (struct form_reader *)base;

    free(reader->file);
    free(reader->workspace);
    free(reader);
}

int
mcph_form_reader_new(const struct mcph_form *form, const char *file,
                     const char *workspace, struct mcph_config_reader **ret,
                     mcphost_error **reterr)
{
    struct form_reader *reader = calloc(1, sizeof(*reader));
    int r;

    if (!reader)
        return mcph_err_nomem(reterr);
    reader->form = form;
    reader->base.name = form->source;
    reader->base.read = read_file;
    reader->base.free = free_reader;
    reader->base.transports = form->transports;
    reader->base.set_enabled = form->set_enabled;
    reader->required = file != NULL;
    r = mcph_profile_workspace(workspace, &reader->workspace, reterr);
    if (r == 0) {
        reader->file =
            file ? mcph_strdup(file) : mcph_profile_join(reader->workspace, form->place);
        if (!reader->file)
            r = mcph_err_nomem(reterr);
    }
    reader->base.file = reader->file;
    reader->base.workspace = reader->workspace;
    if (r < 0)
        free_reader(&reader->base);
    else
        *ret = &reader->base;
    return r;
}
