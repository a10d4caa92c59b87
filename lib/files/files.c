/* SPDX-License-Identifier: MIT
 *
 * files.c - the provider `files`: features, setup, teardown and requests.
 *
 * A request is carried out in steps:
 *
 *   read --> active --step, step, ...--> answered
 *     \--too many--> waiting --/
 *
 * All requests together share one budget in each turn of the dispatcher.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/inner.h"

/* ---- answers ----------------------------------------------------------------------- */

void
mcph_files_refuse(mcphost_provider_call *call, int64_t code, const char *why)
{
    const char *text;
    struct mcph_buf buf;

    mcph_buf_init(&buf, 4096);
    mcph_buf_addc(&buf, '\'');
    mcph_utf8_add_clean(&buf, call->name.p, call->name.len < 300 ? call->name.len : 300,
                        true);
    mcph_buf_addf(&buf, "': %s", why);
    text = mcph_buf_text(&buf);
    (void)mcph_providing_fail(call, code, text ? text : why, MCPH_SPAN_NONE);
    mcph_buf_done(&buf);
}

void
mcph_files_refuse_errno(mcphost_provider_call *call, int error, bool is_dir)
{
    char text[128];

    switch (error) {
    case ENOENT:
    case ENAMETOOLONG:
    case ENXIO:
        mcph_files_refuse(call, FILES_NOT_FOUND, "the resource does not exist");
        break;
    case ENOTDIR:
        mcph_files_refuse(call, FILES_NOT_FOUND,
                          is_dir ? "the directory does not exist"
                                 : "the resource does not exist");
        break;
    case ELOOP:
    case EXDEV:
        mcph_files_refuse(call, MCPH_RPC_INVALID_PARAMS,
                          "the path has a symbolic link, which is not followed");
        break;
    case EISDIR:
        mcph_files_refuse(call, MCPH_RPC_INVALID_PARAMS,
                          "it is a directory; use its dir:// URI");
        break;
    case EBADF:
        mcph_files_refuse(call, MCPH_RPC_INVALID_PARAMS, "it is not a regular file");
        break;
    default:
        mcph_files_refuse(call, MCPH_RPC_INTERNAL_ERROR,
                          strerror_r(error, text, sizeof(text)));
        break;
    }
}

void
mcph_files_begin_result(mcphost_provider_call *call, const char *mime, const char *member,
                        struct mcph_buf *buf)
{
    mcph_buf_adds(buf, "{\"contents\":[{\"uri\":");
    mcph_json_add_string(buf, call->name.p, call->name.len);
    mcph_json_add_member(buf, "mimeType", mime);
    mcph_json_add_key(buf, member);
}

void
mcph_files_answer(mcphost_provider_call *call, struct mcph_buf *result)
{
    struct mcph_frame *frame = NULL;
    size_t len = 0;
    char *data;

    mcph_buf_adds(result, "}]}");
    data = mcph_buf_steal(result, &len);
    if (data)
        frame = mcph_frame_take(data, data, len);
    if (!frame) {
        free(data);
        mcph_files_refuse(call, MCPH_RPC_INTERNAL_ERROR,
                          result->err == MCPHOST_E_LIMIT ? "the result is too large"
                                                         : "out of memory");
        return;
    }
    (void)mcph_providing_answer_frame(call, frame);
}

/* ---- requests ---------------------------------------------------------------------- */

static void
work_free(struct files_work *work)
{
    mcphost_provider_call *call = work->call;

    mcph_list_remove(&work->link);
    work->free(work);
    if (call)
        mcph_providing_put_user(call);
}

static bool
run_step(struct files *files, struct files_work *work, size_t *budget)
{
    return !mcph_providing_is_unwanted(work->call) && work->step(files, work, budget);
}

static void
activate_waiting(struct files *files)
{
    while (files->n_active < FILES_OPEN_MAX && files->n_waiting > 0) {
        mcph_list_append(&files->active, mcph_list_take_first(&files->waiting));
        files->n_waiting--;
        files->n_active++;
    }
}

/* Runs the active requests, one step of each in turn, until the budget is spent. */
static void
run_active(struct files *files)
{
    size_t had = mcph_meter_left(&files->meter, files->provider->core), budget = had;

    while (budget > 0 && files->n_active > 0) {
        struct files_work *work = MCPH_LIST_ENTRY(mcph_list_take_first(&files->active),
                                                  struct files_work, link);

        if (run_step(files, work, &budget)) {
            mcph_list_append(&files->active, &work->link);
            continue;
        }
        work_free(work);
        files->n_active--;
        activate_waiting(files);
    }
    mcph_meter_spend(&files->meter, had - budget);
    if (files->n_active > 0 && mcph_list_empty(&files->job.link))
        mcph_core_post_later(files->provider->core, &files->job);
}

static void
run_job(struct mcph_job *job)
{
    run_active(MCPH_CONTAINER_OF(job, struct files, job));
}

static void
begin_request(struct files *files, struct files_work *work, mcphost_provider_call *call)
{
    mcph_list_init(&work->link);
    mcph_providing_get_user(call);
    work->call = call;
    mcph_list_append(&files->waiting, &work->link);
    files->n_waiting++;
    activate_waiting(files);
    run_active(files);
}

/* Implements mcphost_provide_fn for all features: begins a request. */
static int
on_read(mcphost_provider_call *call, void *arg)
{
    struct files *files = arg;
    struct files_place place;
    struct files_work *work;
    const char *why = mcph_files_place_parse(call->name, &place);

    if (!why && !place.is_dir && !mcph_files_allows(files, place.path))
        why = "files with this extension are not offered";
    if (why) {
        mcph_files_refuse(call, MCPH_RPC_INVALID_PARAMS, why);
        return 0;
    }
    if (files->n_waiting >= FILES_WAIT_MAX) {
        mcph_files_refuse(call, MCPH_RPC_INTERNAL_ERROR, "too many requests are open");
        return 0;
    }
    work = place.is_dir ? mcph_files_listing_new() : mcph_files_reading_new();
    if (!work)
        return MCPHOST_E_NOMEM;
    work->place = place;
    begin_request(files, work, call);
    return 0;
}

/* ---- life -------------------------------------------------------------------------- */

static void
close_all(struct files *files)
{
    while (!mcph_list_empty(&files->active))
        work_free(MCPH_LIST_ENTRY(files->active.next, struct files_work, link));
    while (!mcph_list_empty(&files->waiting))
        work_free(MCPH_LIST_ENTRY(files->waiting.next, struct files_work, link));
    files->n_active = files->n_waiting = 0;
    mcph_core_unpost(files->provider->core, &files->job);
    mcph_files_unwatch_all(files);
    mcph_files_mime_free(files->mime);
    files->mime = NULL;
    if (files->base >= 0)
        close(files->base);
    files->base = -1;
}

/* Implements mcphost_setup_fn: opens the base directory and reads the MIME types. */
static int
on_setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    struct files *files = arg;
    int r = mcph_files_open_base(files, reterr);

    if (r == 0) {
        files->mime = mcph_files_mime_new(FILES_GLOBS);
        if (!files->mime)
            r = mcph_err_nomem(reterr);
    }
    if (r < 0)
        close_all(files);
    else
        provider->topics = &files->topics;
    return r;
}

/* Implements mcphost_teardown_fn: ends all requests and watches. */
static void
on_teardown(mcphost_provider *provider, void *arg)
{
    provider->topics = NULL;
    close_all(arg);
}

static struct files *
files_ref(struct files *files)
{
    mcph_refs_get(&files->refs);
    return files;
}

static void
files_unref(void *arg)
{
    struct files *files = arg;

    if (!mcph_refs_put(&files->refs))
        return;
    mcph_strings_done(&files->extensions);
    free(files->base_dir);
    free(files);
}

static int
copy_extensions(struct files *files, const struct mcph_strings *extensions)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < extensions->n; i++)
        r = mcph_strings_add(&files->extensions, extensions->items[i]);
    return r;
}

static struct files *
files_new(mcphost_provider *provider, const char *base_dir,
          const struct mcph_strings *extensions, size_t max_bytes)
{
    struct files *files = calloc(1, sizeof(*files));

    if (!files)
        return NULL;
    mcph_refs_init(&files->refs);
    files->topics.subscribe = mcph_files_subscribe;
    files->topics.unsubscribe = mcph_files_unsubscribe;
    files->provider = provider;
    files->max_bytes = max_bytes ? max_bytes : MCPH_FILES_BYTES;
    files->base = -1;
    mcph_list_init(&files->active);
    mcph_list_init(&files->waiting);
    mcph_list_init(&files->all_watched);
    files->job.run = run_job;
    mcph_list_init(&files->job.link);
    files->base_dir = mcph_strdup(base_dir);
    if (files->base_dir && copy_extensions(files, extensions) == 0)
        return files;
    files_unref(files);
    return NULL;
}

/* ---- features ---------------------------------------------------------------------- */

static const struct {
    int feature;
    const char *definition;
} features[] = {
    {MCPHOST_FEATURE_RESOURCE,
     "{\"uri\":\"dir://\",\"name\":\"files\",\"mimeType\":\"inode/"
     "directory\",\"description\":\"The base directory: the names of its files and "
     "directories, each with the URI to read it.\"}"},
    {MCPHOST_FEATURE_TEMPLATE,
     "{\"uriTemplate\":\"file://{+path}\",\"name\":\"file\","
     "\"description\":\"A file; its path is relative to the base directory.\"}"},
    {MCPHOST_FEATURE_TEMPLATE,
     "{\"uriTemplate\":\"dir://{+directory}{?after}\",\"name\":\"directory\","
     "\"mimeType\":\"inode/directory\",\"description\":\"The names in a directory, as "
     "JSON.  A large directory has pages: 'next' is the URI of the next one.\"}"},
};

static int
add_features(mcphost_provider *provider, struct files *files, mcphost_error **reterr)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < MCPH_ARRAY_SIZE(features); i++) {
        struct mcph_feature *feature = NULL;

        r = mcph_feature_new(features[i].feature, mcph_span_str(features[i].definition),
                             on_read, files_ref(files), files_unref, &feature, reterr);
        if (r == 0)
            r = mcph_provider_add(provider, feature);
    }
    return r;
}

int
mcph_files_fill(mcphost_provider *provider, const char *base_dir,
                const struct mcph_strings *extensions, size_t max_bytes,
                mcphost_error **reterr)
{
    struct files *files = files_new(provider, base_dir, extensions, max_bytes);
    int r = files ? add_features(provider, files, NULL) : MCPHOST_E_NOMEM;

    if (r == 0)
        r = mcph_provider_set_life(provider, on_setup, on_teardown, files_ref(files),
                                   files_unref);
    if (files)
        files_unref(files);
    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    return r < 0 ? mcph_err(reterr, r, "%s", mcphost_strerror(r)) : 0;
}

void
mcph_files_set_by_steps(mcphost_provider *provider)
{
    ((struct files *)provider->life->arg)->by_steps = true;
}
