/* SPDX-License-Identifier: MIT
 *
 * provider.c - a provider and its features, by kind and name and in the order of their
 * addition.
 *
 * Features may be added and removed at any time and from any thread.  Lists and calls
 * hold references to the features.  The references make it unnecessary to run application
 * code or to copy large texts under the lock.
 */
#include <stdlib.h>
#include <string.h>

#include "provide/inner.h"

#define FEATURES_MAX 100000

/* ---- making and freeing ------------------------------------------------------------ */

static void
init_provider(mcphost_provider *provider, struct mcph_core *core)
{
    mcph_refs_init(&provider->refs);
    provider->core = mcph_core_ref(core);
    for (int kind = 0; kind < MCPH_PROVIDE_FEATURES; kind++)
        mcph_list_init(&provider->features[kind]);
    mcph_list_init(&provider->listeners);
    mcph_list_init(&provider->calls);
    mcph_life_init(provider);
}

int
mcph_provider_new(struct mcph_core *core, const char *id, mcphost_provider **ret,
                  mcphost_error **reterr)
{
    mcphost_provider *provider;

    if (!*id || !mcph_utf8_is_text(id))
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the id of a provider is empty or not UTF-8");
    provider = calloc(1, sizeof(*provider));
    if (!provider)
        return mcph_err_nomem(reterr);
    init_provider(provider, core);
    provider->id = mcph_strdup(id);
    provider->news = mcph_news_new(provider);
    if (!provider->id || !provider->news) {
        mcph_provider_unref(provider);
        return mcph_err_nomem(reterr);
    }
    *ret = provider;
    return 0;
}

mcphost_provider *
mcph_provider_ref(mcphost_provider *provider)
{
    if (provider)
        mcph_refs_get(&provider->refs);
    return provider;
}

/* Moves all features to `gone` and drops the lists that were made from them. */
static void
take_features(mcphost_provider *provider, struct mcph_list *gone)
{
    mcph_list_init(gone);
    provider->recent = NULL;
    for (int kind = 0; kind < MCPH_PROVIDE_FEATURES; kind++) {
        mcph_list_splice(gone, &provider->features[kind]);
        mcph_map_done(&provider->by_name[kind]);
        provider->lists[kind] = mcph_frame_unref(provider->lists[kind]);
    }
    provider->n_features = 0;
}

static void
drop_features(struct mcph_list *gone)
{
    while (!mcph_list_empty(gone))
        mcph_feature_unref(
            MCPH_LIST_ENTRY(mcph_list_take_first(gone), struct mcph_feature, link));
}

void
mcph_provider_drop_features(mcphost_provider *provider)
{
    struct mcph_list gone;

    mcph_core_lock(provider->core);
    take_features(provider, &gone);
    mcph_core_unlock(provider->core);
    drop_features(&gone);
}

mcphost_provider *
mcph_provider_unref(mcphost_provider *provider)
{
    struct mcph_list gone;

    if (!provider || !mcph_refs_put(&provider->refs) ||
        mcph_core_forked(provider->core)) /* a forked child frees nothing */
        return NULL;
    /* Do not take the lock, because the caller has dropped the last reference.  The
     * caller may hold the lock if the provider has no features. */
    take_features(provider, &gone);
    drop_features(&gone);
    mcph_hook_unref(provider->life);
    mcph_news_free(provider->news);
    mcphost_error_unref(provider->why);
    if (provider->release)
        provider->release(provider);
    mcph_core_unref(provider->core);
    free(provider->id);
    free(provider->about);
    mcph_json_drop(provider->defaults);
    mcph_json_drop(provider->config);
    mcph_json_drop(provider->config_shown);
    mcph_code_unref(provider->code);
    free(provider);
    return NULL;
}

/* ---- before the start -------------------------------------------------------------- */

int
mcph_provider_enter_new(mcphost_provider *provider)
{
    int r = mcph_core_enter(provider->core);

    if (r == 0 && (provider->started || provider->closed)) {
        mcph_core_leave(provider->core);
        r = MCPHOST_E_STATE;
    }
    return r;
}

int
mcph_provider_set_about(mcphost_provider *provider, struct mcph_span json,
                        mcphost_error **reterr)
{
    static const char *const strings[] = {"name", "version", "title", "description",
                                          "instructions"};
    struct mcph_span object, value;
    char *copy, *old;
    int r = mcph_json_check_input(json, 0, MCPH_JSON_OBJECT,
                                  "what a provider says of "
                                  "itself",
                                  &object, reterr);

    if (r < 0)
        return r;
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(strings); i++) {
        value = mcph_json_get(object, strings[i]);
        if (value.p && mcph_json_type(value) != MCPH_JSON_STRING)
            return mcph_err(reterr, MCPHOST_E_INVALID, "'%s' is not a string",
                            strings[i]);
    }
    value = mcph_json_get(object, "icons");
    if (value.p && mcph_json_type(value) != MCPH_JSON_ARRAY)
        return mcph_err(reterr, MCPHOST_E_INVALID, "'icons' is not an array");
    copy = mcph_strndup(object.p, object.len);
    if (!copy)
        return mcph_err_nomem(reterr);
    r = mcph_provider_enter_new(provider);
    if (r < 0) {
        free(copy);
        return mcph_err(reterr, r, "%s", mcphost_strerror(r));
    }
    old = provider->about;
    provider->about = copy;
    mcph_core_leave(provider->core);
    free(old);
    return 0;
}

int
mcph_provider_set_life(mcphost_provider *provider, mcphost_setup_fn setup,
                       mcphost_teardown_fn teardown, void *arg, mcphost_free_fn free_arg)
{
    struct mcph_hook *hook = mcph_hook_new(NULL, arg, free_arg), *old;
    int r;

    if (!hook) {
        if (free_arg)
            free_arg(arg);
        return MCPHOST_E_NOMEM;
    }
    r = mcph_provider_enter_new(provider);
    if (r < 0) {
        mcph_hook_unref(hook);
        return r;
    }
    old = provider->life;
    hook->code = mcph_code_ref(provider->code);
    provider->life = hook;
    provider->setup = setup;
    provider->teardown = teardown;
    mcph_core_leave(provider->core);
    mcph_hook_unref(old);
    return 0;
}

/* ---- features ---------------------------------------------------------------------- */

/* Takes the core's lock.  Returns 0 with the lock held, MCPHOST_E_CLOSED if the provider
 * was closed, or the code of mcph_core_enter(). */
static int
enter_open(mcphost_provider *provider)
{
    int r = mcph_core_enter(provider->core);

    if (r == 0 && provider->closed) {
        mcph_core_leave(provider->core);
        r = MCPHOST_E_CLOSED;
    }
    return r;
}

static void
changed_locked(mcphost_provider *provider, int kind)
{
    provider->edition++;
    provider->recent = NULL;
    provider->lists[kind] = mcph_frame_unref(provider->lists[kind]);
    mcph_provider_note_changed_locked(provider, kind);
}

/* Adds a feature.  Returns 0 or MCPHOST_E_LIMIT.  On success, takes over the reference to
 * `feature`, and sets *ret_old to the feature that was replaced, or to NULL. */
static int
add_locked(mcphost_provider *provider, struct mcph_feature *feature,
           struct mcph_feature **ret_old)
{
    struct mcph_map *map = &provider->by_name[feature->kind];
    struct mcph_feature *old = mcph_map_get(map, feature->name, feature->name_len);

    if (!old && provider->n_features >= FEATURES_MAX)
        return MCPHOST_E_LIMIT;
    if (old) {
        feature->completion = old->completion;
        old->completion = NULL;
        mcph_list_append(&old->link, &feature->link);
        mcph_list_remove(&old->link);
    } else {
        mcph_list_append(&provider->features[feature->kind], &feature->link);
        provider->n_features++;
    }
    mcph_map_put(map, feature->name, feature->name_len, feature, NULL);
    changed_locked(provider, feature->kind);
    *ret_old = old;
    return 0;
}

int
mcph_provider_check_kind(const mcphost_provider *provider, int feature,
                         mcphost_error **reterr)
{
    static const unsigned kinds[] = {
        [MCPHOST_PLUGIN_RESOURCE] =
            1u << MCPHOST_FEATURE_RESOURCE | 1u << MCPHOST_FEATURE_TEMPLATE,
        [MCPHOST_PLUGIN_PROMPT] = 1u << MCPHOST_FEATURE_PROMPT,
        [MCPHOST_PLUGIN_TOOL] = 1u << MCPHOST_FEATURE_TOOL,
        [MCPHOST_PLUGIN_SAMPLING] = 0,
    };

    if (!provider->plugin || kinds[provider->plugin] >> feature & 1)
        return 0;
    return mcph_err(reterr, MCPHOST_E_INVALID,
                    "a plugin of the kind '%s' cannot add a %s",
                    mcphost_enum_get_name(MCPHOST_ENUM_PLUGIN_KIND, provider->plugin),
                    mcphost_enum_get_name(MCPHOST_ENUM_FEATURE, feature));
}

int
mcph_provider_add(mcphost_provider *provider, struct mcph_feature *feature)
{
    struct mcph_feature *old = NULL;
    int r = enter_open(provider);

    if (r == 0) {
        feature->hook->code = mcph_code_ref(provider->code);
        r = mcph_map_reserve(&provider->by_name[feature->kind], 1);
        if (r == 0)
            r = add_locked(provider, feature, &old);
        mcph_core_leave(provider->core);
    }
    mcph_feature_unref(r < 0 ? feature : old);
    return r;
}

int
mcph_provider_remove(mcphost_provider *provider, int kind, struct mcph_span name)
{
    struct mcph_feature *feature;
    int r = enter_open(provider);

    if (r < 0)
        return r;
    feature = mcph_map_remove(&provider->by_name[kind], name.p, name.len);
    if (feature) {
        mcph_list_remove(&feature->link);
        provider->n_features--;
        changed_locked(provider, kind);
    }
    mcph_core_leave(provider->core);
    mcph_feature_unref(feature);
    return feature ? 0 : MCPHOST_E_NOTFOUND;
}

int
mcph_provider_set_completion(mcphost_provider *provider, int kind, struct mcph_span name,
                             mcphost_provide_fn fn, void *arg, mcphost_free_fn free_arg)
{
    struct mcph_hook *hook = mcph_hook_new((mcph_any_fn)fn, arg, free_arg);
    struct mcph_feature *feature;
    int r = hook ? enter_open(provider) : MCPHOST_E_NOMEM;

    if (!hook && free_arg)
        free_arg(arg);
    if (r == 0) {
        feature = mcph_map_get(&provider->by_name[kind], name.p, name.len);
        if (feature) {
            struct mcph_hook *old = feature->completion;

            hook->code = mcph_code_ref(provider->code);
            feature->completion = hook;
            hook = old;
            provider->completes = true;
        }
        r = feature ? 0 : MCPHOST_E_NOTFOUND;
        mcph_core_leave(provider->core);
    }
    mcph_hook_unref(hook);
    return r;
}

/* ---- lists ------------------------------------------------------------------------- */

/* Gets references to the features of a kind, at most `room`.  Sets *ret_n to the number
 * of features of the kind, and *ret_edition to the provider's edition.  Returns 1 if
 * `room` is too small, else 0. */
static int
copy_features(mcphost_provider *provider, int kind, struct mcph_feature **items,
              size_t room, size_t *ret_n, uint64_t *ret_edition)
{
    size_t n = 0;

    mcph_core_lock(provider->core);
    *ret_edition = provider->edition;
    mcph_list_for_each (item, &provider->features[kind]) {
        if (n < room)
            items[n] = mcph_feature_ref(MCPH_LIST_ENTRY(item, struct mcph_feature, link));
        n++;
    }
    mcph_core_unlock(provider->core);
    *ret_n = n;
    return n > room;
}

static void
drop_items(struct mcph_feature **items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        mcph_feature_unref(items[i]);
    free(items);
}

/* Sets *ret to an array of references to all features of a kind, *ret_n to their number,
 * and *ret_edition to the provider's edition.  Returns 0 or MCPHOST_E_NOMEM. */
static int
take_all(mcphost_provider *provider, int kind, struct mcph_feature ***ret, size_t *ret_n,
         uint64_t *ret_edition)
{
    struct mcph_feature **items = NULL;
    size_t n = 0, room = 0;

    while (copy_features(provider, kind, items, room, &n, ret_edition)) {
        drop_items(items, room);
        room = n + n / 8;
        items = calloc(room, sizeof(struct mcph_feature *));
        if (!items)
            return MCPHOST_E_NOMEM;
    }
    *ret = items;
    *ret_n = n;
    return 0;
}

static int
write_list(struct mcph_feature *const *items, size_t n, struct mcph_frame **ret)
{
    struct mcph_buf buf;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_addc(&buf, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            mcph_buf_addc(&buf, ',');
        mcph_rpc_add_oneline(&buf,
                             mcph_span(items[i]->definition, items[i]->definition_len));
    }
    mcph_buf_addc(&buf, ']');
    *ret = mcph_buf_ok(&buf) < 0 ? NULL : mcph_frame_new(buf.data, buf.len);
    mcph_buf_done(&buf);
    return *ret ? 0 : MCPHOST_E_NOMEM;
}

int
mcph_provider_list(mcphost_provider *provider, int kind, struct mcph_frame **ret)
{
    struct mcph_feature **items;
    struct mcph_frame *kept;
    uint64_t edition;
    size_t n;
    int r;

    mcph_core_lock(provider->core);
    kept = provider->lists[kind] ? mcph_frame_ref(provider->lists[kind]) : NULL;
    mcph_core_unlock(provider->core);
    *ret = kept;
    if (kept)
        return 0;
    r = take_all(provider, kind, &items, &n, &edition);
    if (r == 0) {
        r = write_list(items, n, ret);
        drop_items(items, n);
    }
    if (r < 0)
        return r;
    mcph_core_lock(provider->core);
    if (provider->edition == edition && !provider->lists[kind])
        provider->lists[kind] = mcph_frame_ref(*ret);
    mcph_core_unlock(provider->core);
    return 0;
}

unsigned
mcph_provider_kinds(mcphost_provider *provider)
{
    unsigned kinds = 0;

    mcph_core_lock(provider->core);
    for (int kind = 1; kind < MCPH_PROVIDE_FEATURES; kind++)
        kinds |= mcph_list_empty(&provider->features[kind]) ? 0 : 1u << kind;
    mcph_core_unlock(provider->core);
    return kinds;
}

bool
mcph_provider_completes(mcphost_provider *provider)
{
    bool completes;

    mcph_core_lock(provider->core);
    completes = provider->completes;
    mcph_core_unlock(provider->core);
    return completes;
}

/* ---- finding features -------------------------------------------------------------- */

/* Finds a feature by its name.  The feature that was found last is checked first, because
 * calls often repeat. */
static struct mcph_feature *
find_locked(mcphost_provider *provider, int kind, struct mcph_span name)
{
    struct mcph_feature *feature = provider->recent;

    if (feature && feature->kind == kind && feature->name_len == name.len &&
        memcmp(feature->name, name.p, name.len) == 0)
        return feature;
    feature = mcph_map_get(&provider->by_name[kind], name.p, name.len);
    if (feature)
        provider->recent = feature;
    return feature;
}

static bool
find_feature(mcphost_provider *provider, int kind, struct mcph_span name, bool completes,
             struct mcph_provide_target *ret)
{
    struct mcph_feature *feature;

    mcph_core_lock(provider->core);
    feature = find_locked(provider, kind, name);
    if (feature) {
        ret->feature = mcph_feature_ref(feature);
        ret->hook = mcph_hook_ref(completes ? feature->completion : feature->hook);
    }
    mcph_core_unlock(provider->core);
    return feature != NULL;
}

/* Finds the first template that matches the URI.  Returns 0, MCPHOST_E_NOTFOUND or
 * MCPHOST_E_NOMEM. */
static int
match_template(mcphost_provider *provider, struct mcph_span uri,
               struct mcph_provide_target *ret)
{
    struct mcph_feature **items;
    uint64_t edition;
    size_t n;
    int r = take_all(provider, MCPHOST_FEATURE_TEMPLATE, &items, &n, &edition);

    if (r < 0)
        return r;
    r = MCPHOST_E_NOTFOUND;
    for (size_t i = 0; i < n && r == MCPHOST_E_NOTFOUND; i++) {
        r = mcph_template_match(items[i]->template, uri, &ret->variables, NULL);
        if (r == 0) {
            ret->feature = mcph_feature_ref(items[i]);
            ret->hook = mcph_hook_ref(items[i]->hook);
        } else if (r != MCPHOST_E_NOMEM) {
            r = MCPHOST_E_NOTFOUND;
        }
    }
    drop_items(items, n);
    return r;
}

int
mcph_provider_find(mcphost_provider *provider, int method, int kind,
                   struct mcph_span name, struct mcph_provide_target *ret)
{
    static const int kind_of[MCPH_PROVIDE_METHODS] = {
        [MCPH_PROVIDE_CALL] = MCPHOST_FEATURE_TOOL,
        [MCPH_PROVIDE_READ] = MCPHOST_FEATURE_RESOURCE,
        [MCPH_PROVIDE_GET] = MCPHOST_FEATURE_PROMPT,
    };

    ret->feature = NULL;
    ret->hook = NULL;
    mcph_buf_init(&ret->variables, SIZE_MAX / 4);
    if (method != MCPH_PROVIDE_COMPLETE)
        kind = kind_of[method];
    if (find_feature(provider, kind, name, method == MCPH_PROVIDE_COMPLETE, ret))
        return 0;
    return method == MCPH_PROVIDE_READ ? match_template(provider, name, ret)
                                       : MCPHOST_E_NOTFOUND;
}

void
mcph_provide_target_done(struct mcph_provide_target *target)
{
    mcph_feature_unref(target->feature);
    mcph_hook_unref(target->hook);
    if (target->variables.data)
        mcph_buf_done(&target->variables);
}
