/* SPDX-License-Identifier: MIT
 *
 * result.c - parses a result: its items, structured content and isError.
 *
 * A missing or malformed member affects nothing else.  A result without `content` has no
 * items.  An item of an unknown kind keeps its JSON (R68, R74).
 */
#include <stdlib.h>
#include <string.h>

#include "result/result.h"
#include "schema/schema.h"

/* Limit on the JSON values in the structured content, and in a text that is compared with
 * it. */
#define COMPARED_MAX 1000000

#define KIND(name, kind)             \
    {                                \
        name, sizeof(name) - 1, kind \
    }
static const struct {
    const char *name;
    size_t len;
    int kind;
} kinds[] = {
    KIND("text", MCPHOST_CONTENT_TEXT),
    KIND("image", MCPHOST_CONTENT_IMAGE),
    KIND("audio", MCPHOST_CONTENT_AUDIO),
    KIND("resource", MCPHOST_CONTENT_RESOURCE),
    KIND("resource_link", MCPHOST_CONTENT_RESOURCE_LINK),
};

/* Returns the address of the byte behind a span.  The caller may write to this byte,
 * because the byte belongs to the result, or to a message that was parsed. */
static char *
place_behind(struct mcph_span span)
{
    return (char *)(uintptr_t)(span.p + span.len);
}

void
mcph_result_init(mcphost_result *result, struct mcph_frame *frame, struct mcph_span json,
                 void (*release)(mcphost_result *result))
{
    mcph_refs_init(&result->refs);
    result->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    result->frame = mcph_frame_ref(frame);
    result->json = json;
    *place_behind(json) = '\0'; /* safe, because the whole message was parsed */
    result->release = release;
}

static void
release_result(mcphost_result *result)
{
    free(result);
}

int
mcph_result_new(struct mcph_frame *frame, struct mcph_span json, mcphost_result **ret)
{
    mcphost_result *result = mcph_zalloc(sizeof(*result), 0);

    if (!result)
        return MCPHOST_E_NOMEM;
    mcph_result_init(result, frame, json, release_result);
    *ret = result;
    return 0;
}

int
mcph_result_new_copy(struct mcph_span object, mcphost_result **ret)
{
    struct mcph_frame *frame = mcph_frame_new(object.p, object.len);
    int r;

    if (!frame)
        return MCPHOST_E_NOMEM;
    r = mcph_result_new(frame, mcph_frame_span(frame), ret);
    mcph_frame_unref(frame);
    return r;
}

int
mcph_result_new_text(const char *text, size_t len, bool is_error, mcphost_result **ret)
{
    struct mcph_frame *frame;
    struct mcph_buf buf;
    int r;

    mcph_frame_open(&buf, len + len / 8 + 128);
    mcph_buf_adds(&buf, "{\"content\":[{\"type\":\"text\",\"text\":");
    mcph_json_add_string(&buf, text, len);
    mcph_buf_adds(&buf, is_error ? "}],\"isError\":true}" : "}]}");
    frame = mcph_frame_close(&buf);
    if (!frame)
        return MCPHOST_E_NOMEM;
    r = mcph_result_new(frame, mcph_frame_span(frame), ret);
    mcph_frame_unref(frame);
    return r;
}

mcphost_result *
mcphost_result_ref(mcphost_result *result)
{
    if (result)
        mcph_refs_get(&result->refs);
    return result;
}

mcphost_result *
mcphost_result_unref(mcphost_result *result)
{
    if (!result || !mcph_refs_put(&result->refs))
        return NULL;
    mcph_kept_done(&result->kept);
    mcph_frame_unref(result->frame);
    pthread_mutex_destroy(&result->lock);
    result->release(result);
    return NULL;
}

/* Steps to the next item and parses its members, in one pass over its bytes.  If
 * `text_cut` is not NULL, a NUL at that address replaces the quote that ends the item's
 * text. */
static bool
next_item(struct mcph_json_iter *items, const char *text_cut, struct mcph_item *ret)
{
    struct mcph_span value, key;
    struct mcph_json_iter members;

    *ret = (struct mcph_item){.json = MCPH_SPAN_NONE};
    if (!mcph_json_iter_open(items, NULL, &value))
        return false;
    if (mcph_json_type(value) != MCPH_JSON_OBJECT) {
        ret->json = mcph_json_iter_end(items);
        return true;
    }
    mcph_json_iter_init(&members, value);
    while (mcph_json_iter_open(&members, &key, &value)) {
        bool text = !ret->text.p && mcph_json_string_is(key, "text", 4);

        if (text && text_cut) {
            ret->text = mcph_span(value.p, (size_t)(text_cut + 1 - value.p));
            members.p = text_cut + 1;
            members.open = false;
            continue;
        }
        value = mcph_json_iter_end(&members);
        if (text)
            ret->text = value;
        else if (!ret->type.p && mcph_json_string_is(key, "type", 4))
            ret->type = value;
    }
    ret->json = mcph_json_iter_past(items, &members);
    return true;
}

/* Steps to the next message of a prompt.  The content of the message is the item. */
static bool
next_message(struct mcph_json_iter *items, struct mcph_item *ret)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("type"), MCPH_JSON_WANT("text")};
    struct mcph_span message;

    *ret = (struct mcph_item){.json = MCPH_SPAN_NONE};
    if (!mcph_json_iter_next(items, NULL, &message))
        return false;
    (void)mcph_json_pick(mcph_json_get(message, "content"), want, 2);
    ret->json = message;
    ret->type = want[0].value;
    ret->text = want[1].value;
    return true;
}

/* Counts the items and parses the first item. */
static void
look_at_content(mcphost_result *result, struct mcph_json_iter *members,
                struct mcph_span value)
{
    struct mcph_json_iter items;
    struct mcph_span rest;

    mcph_json_iter_init(&items, value);
    if (result->form == MCPH_RESULT_PROMPT ? next_message(&items, &result->item)
                                           : next_item(&items, NULL, &result->item)) {
        result->n_items = result->n_behind = 1;
        result->behind = items;
    }
    while (mcph_json_iter_next(&items, NULL, &rest) && result->n_items < UINT32_MAX)
        result->n_items++;
    result->content = mcph_json_iter_past(members, &items);
    /* Set the end of `behind` here, because the end of the array is known only after the
     * last item is found. */
    result->behind.end = result->content.p + result->content.len - 1;
}

/* Returns true if the member with this name holds the items. */
static inline bool
is_content(const mcphost_result *result, struct mcph_span key)
{
    if (result->form == MCPH_RESULT_TOOL)
        return mcph_json_string_is(key, "content", 7);
    if (result->form == MCPH_RESULT_READ)
        return mcph_json_string_is(key, "contents", 8);
    return result->form == MCPH_RESULT_PROMPT && mcph_json_string_is(key, "messages", 8);
}

/* Recognizes the most common result: one text in the spelling of most servers, including
 * this library's own server.  Searches only for the end of the text.  If the text ends
 * three bytes before the end of the JSON, these bytes must close the three open
 * brackets. */
static bool
is_plain_text(mcphost_result *result)
{
    static const char before[] = "{\"content\":[{\"type\":\"text\",\"text\":\"";
    const size_t n_before = sizeof(before) - 1, n_behind = sizeof("}]}") - 1;
    const char *content = result->json.p + 11, *type = content + 9, *text, *last;

    if (result->form != MCPH_RESULT_TOOL || result->json.len <= n_before + n_behind ||
        memcmp(result->json.p, before, n_before) != 0)
        return false;
    text = result->json.p + n_before - 1;
    last = result->json.p + result->json.len - n_behind;
    if (mcph_json_string_end(text, last) != last)
        return false;
    result->content = mcph_span(content, (size_t)(last + 2 - content));
    result->item.json = mcph_span(content + 1, (size_t)(last + 1 - (content + 1)));
    result->item.type = mcph_span(type, 6);
    result->item.text = mcph_span(text, (size_t)(last - text));
    result->behind = (struct mcph_json_iter){.p = last + 1, .end = last + 1};
    result->n_items = result->n_behind = 1;
    return true;
}

/* Takes the lock, which the caller releases.  Parses the result if it is not parsed
 * yet. */
static void
lock_parsed(mcphost_result *result)
{
    struct mcph_json_iter members;
    struct mcph_span key, value, error = MCPH_SPAN_NONE;
    bool content = false;

    pthread_mutex_lock(&result->lock);
    if (result->looked)
        return;
    result->looked = true;
    if (is_plain_text(result))
        return;
    mcph_json_iter_init(&members, result->json);
    while (mcph_json_iter_open(&members, &key, &value)) {
        if (!content && is_content(result, key)) {
            content = true;
            if (mcph_json_type(value) == MCPH_JSON_ARRAY)
                look_at_content(result, &members, value);
        } else if (!error.p && mcph_json_string_is(key, "isError", 7)) {
            error = value;
        } else if (!result->structured.p &&
                   mcph_json_string_is(key, "structuredContent", 17)) {
            result->structured = mcph_json_iter_end(&members);
        }
    }
    if (mcph_json_bool(error, &result->is_error) < 0)
        result->is_error = false;
}

bool
mcph_result_is_error(mcphost_result *result)
{
    bool is_error;

    lock_parsed(result);
    is_error = result->is_error;
    pthread_mutex_unlock(&result->lock);
    return is_error;
}

struct mcph_span
mcph_result_structured(mcphost_result *result)
{
    struct mcph_span structured;

    lock_parsed(result);
    structured = result->structured;
    pthread_mutex_unlock(&result->lock);
    return structured;
}

size_t
mcph_result_count(mcphost_result *result)
{
    size_t n;

    lock_parsed(result);
    n = result->n_items;
    pthread_mutex_unlock(&result->lock);
    return n;
}

bool
mcph_result_has_content(mcphost_result *result)
{
    bool has;

    lock_parsed(result);
    has = result->content.p;
    pthread_mutex_unlock(&result->lock);
    return has;
}

/* Takes the lock and makes the item at `index` the current item, `result->item`.  Returns
 * false, also with the lock held, if `index` is past the end. */
static bool
lock_item(mcphost_result *result, size_t index)
{
    lock_parsed(result);
    if (index >= result->n_items)
        return false;
    if (index + 1 < result->n_behind) {
        mcph_json_iter_init(&result->behind, result->content);
        result->n_behind = 0;
    }
    for (; result->n_behind <= index; result->n_behind++) {
        if (result->form == MCPH_RESULT_PROMPT)
            next_message(&result->behind, &result->item);
        else
            next_item(&result->behind,
                      result->n_behind + 1 == result->n_items ? result->text_cut : NULL,
                      &result->item);
    }
    return true;
}

/* Returns the content of the current item.  The caller holds the lock. */
static struct mcph_span
content_of(const mcphost_result *result)
{
    return result->form == MCPH_RESULT_PROMPT
               ? mcph_json_get(result->item.json, "content")
               : result->item.json;
}

struct mcph_span
mcph_result_item(mcphost_result *result, size_t index)
{
    struct mcph_span item = MCPH_SPAN_NONE;

    if (lock_item(result, index))
        item = content_of(result);
    pthread_mutex_unlock(&result->lock);
    return item;
}

/* Returns true for "text" without escapes, as nearly every server writes it. */
static bool
is_spelled_text(struct mcph_span type)
{
    return type.len == 6 && memcmp(type.p, "\"text\"", 6) == 0;
}

/* Returns the kind of the current item.  Each object in the result of a read is a
 * resource and has no type. */
static int
kind_of(const mcphost_result *result)
{
    struct mcph_span type = result->item.type;

    if (result->form == MCPH_RESULT_READ)
        return mcph_json_type(result->item.json) == MCPH_JSON_OBJECT
                   ? MCPHOST_CONTENT_RESOURCE
                   : MCPHOST_CONTENT_UNKNOWN;
    if (is_spelled_text(type))
        return MCPHOST_CONTENT_TEXT;
    if (mcph_json_type(type) == MCPH_JSON_STRING)
        for (size_t i = 0; i < MCPH_ARRAY_SIZE(kinds); i++)
            if (mcph_json_string_is(type, kinds[i].name, kinds[i].len))
                return kinds[i].kind;
    return MCPHOST_CONTENT_UNKNOWN;
}

int
mcph_result_item_kind(mcphost_result *result, size_t index)
{
    int kind = MCPHOST_CONTENT_UNKNOWN;

    if (lock_item(result, index))
        kind = kind_of(result);
    pthread_mutex_unlock(&result->lock);
    return kind;
}

/* ---- texts with a NUL behind them ---------------------------------------------------
 * The structured content is returned in place: a NUL replaces the byte behind it.  The
 * text of the last item is also returned in place if the text has no escapes and the
 * result is not that of a prompt.  The NUL damages the JSON.  A caller that asks for the
 * JSON later gets a copy in which the replaced bytes are restored.  While the JSON is
 * being read (mcph_result_begin_reading()), and after the JSON has been returned, these
 * texts are copied as well.  All other texts are always copies. */

/* Replaces a damaged JSON by a copy without the damage.  The caller holds the lock.
 * Returns 0 or MCPHOST_E_NOMEM. */
static int
restore_json(mcphost_result *result)
{
    const struct mcph_span structured = result->structured;
    const char *json = result->json.p, *kept;
    char *copy;

    if (result->text_cut || result->structured_cut) {
        copy = mcph_strndup(json, result->json.len);
        if (copy && result->text_cut)
            copy[result->text_cut - json] = '"';
        if (copy && result->structured_cut)
            copy[structured.p + structured.len - json] = result->structured_cut;
        kept = mcph_kept_add(&result->kept, json, copy, &result->json.len);
        if (!kept)
            return MCPHOST_E_NOMEM;
        result->json.p = kept;
        result->text_cut = NULL;
        result->structured_cut = 0;
        result->looked = false; /* parse again, because all addresses changed */
        result->structured = result->content = MCPH_SPAN_NONE;
        result->n_items = result->n_behind = 0;
    }
    return 0;
}

int
mcph_result_begin_reading(mcphost_result *result)
{
    int r;

    pthread_mutex_lock(&result->lock);
    r = restore_json(result);
    if (r == 0)
        result->readers++;
    pthread_mutex_unlock(&result->lock);
    return r;
}

void
mcph_result_end_reading(mcphost_result *result)
{
    pthread_mutex_lock(&result->lock);
    result->readers--;
    pthread_mutex_unlock(&result->lock);
}

/* Returns true if the JSON must not change.  The caller holds the lock. */
static bool
must_stay_whole(const mcphost_result *result)
{
    return result->whole || result->readers;
}

struct mcph_span
mcph_result_give_json(mcphost_result *result)
{
    int r;

    pthread_mutex_lock(&result->lock);
    r = restore_json(result);
    if (r == 0)
        result->whole = true;
    pthread_mutex_unlock(&result->lock);
    if (r < 0)
        return mcph_span(NULL, result->json.len);
    return result->json; /* no lock, because the JSON no longer changes */
}

struct mcph_span
mcph_result_give_structured(mcphost_result *result)
{
    struct mcph_span json;

    lock_parsed(result);
    json = result->structured;
    if (json.p && must_stay_whole(result)) {
        json.p = mcph_kept_copy(&result->kept, json.p, json.len);
    } else if (json.p && !result->structured_cut) {
        result->structured_cut = *place_behind(json);
        *place_behind(json) = '\0';
    }
    pthread_mutex_unlock(&result->lock);
    return json;
}

/* Returns a copy of the JSON of an item.  The result keeps the copy.  If a NUL replaces
 * the quote behind the item's text, the copy has the quote.  The caller holds the
 * lock. */
static const char *
copy_item(mcphost_result *result, struct mcph_span json)
{
    const char *cut = result->text_cut;
    const char *kept = mcph_kept_find(&result->kept, json.p, &json.len);
    char *copy;

    if (kept)
        return kept;
    copy = mcph_strndup(json.p, json.len);
    if (copy && cut > json.p && cut < json.p + json.len)
        copy[cut - json.p] = '"';
    return mcph_kept_add(&result->kept, json.p, copy, &json.len);
}

struct mcph_span
mcph_result_give_item(mcphost_result *result, size_t index)
{
    struct mcph_span json = MCPH_SPAN_NONE;

    if (lock_item(result, index))
        json = content_of(result);
    if (json.p)
        json.p = copy_item(result, json);
    pthread_mutex_unlock(&result->lock);
    return json;
}

/* Decodes a string token into a text with a NUL behind it.  The result keeps the text.
 * Returns 0, MCPHOST_E_INVALID (the token is no string) or MCPHOST_E_NOMEM.  The caller
 * holds the lock. */
static int
decode_token(mcphost_result *result, struct mcph_span token, struct mcph_span *ret_text)
{
    struct mcph_span text = {0};
    struct mcph_buf buf;
    int r = 0;

    if (mcph_json_type(token) != MCPH_JSON_STRING)
        return MCPHOST_E_INVALID;
    text.p = mcph_kept_find(&result->kept, token.p, &text.len);
    if (!text.p) {
        mcph_buf_init(&buf, SIZE_MAX / 2);
        r = mcph_json_string_get(token, &buf, &text);
        if (r == 0)
            text.p = mcph_kept_add(&result->kept, token.p,
                                   buf.data ? mcph_buf_steal(&buf, &text.len)
                                            : mcph_strndup(text.p, text.len),
                                   &text.len);
        mcph_buf_done(&buf);
    }
    *ret_text = text;
    return r < 0 || !text.p ? MCPHOST_E_NOMEM : 0;
}

/* Returns true if a NUL may replace the quote behind the current text.  Only the last
 * item may be damaged, because no search for a later item passes over the last item.  The
 * caller holds the lock. */
static bool
may_end_in_place(const mcphost_result *result)
{
    return !must_stay_whole(result) && result->n_behind == result->n_items &&
           result->form != MCPH_RESULT_PROMPT;
}

/* Returns true if the current item is a text, or comes from a resource that was read.  An
 * embedded resource of a tool's answer does not count, because its text is in a nested
 * object.  The caller holds the lock. */
static bool
has_text(const mcphost_result *result)
{
    return kind_of(result) == MCPHOST_CONTENT_TEXT || result->form == MCPH_RESULT_READ;
}

/* Gets the text of an item.  If `ends` is true, a NUL follows the text.  Takes and
 * releases the lock. */
static int
item_text(mcphost_result *result, size_t index, bool ends, struct mcph_span *ret_text)
{
    struct mcph_span token = MCPH_SPAN_NONE;
    int r = 0;

    if (lock_item(result, index) && has_text(result))
        token = result->item.text;
    if (mcph_json_type(token) == MCPH_JSON_STRING && !memchr(token.p, '\\', token.len) &&
        (!ends || may_end_in_place(result))) {
        *ret_text = mcph_span(token.p + 1, token.len - 2);
        if (ends && !result->text_cut) {
            result->text_cut = token.p + token.len - 1;
            *place_behind(*ret_text) = '\0';
        }
    } else {
        r = decode_token(result, token, ret_text);
    }
    pthread_mutex_unlock(&result->lock);
    return r;
}

int
mcph_result_item_text(mcphost_result *result, size_t index, struct mcph_span *ret_text)
{
    return item_text(result, index, false, ret_text);
}

int
mcph_result_give_item_text(mcphost_result *result, size_t index,
                           struct mcph_span *ret_text)
{
    return item_text(result, index, true, ret_text);
}

/* Checks whether a text item repeats the structured content.  If the structured content
 * is a string, the text may repeat it with or without its quotes. */
int
mcph_result_item_repeats(mcphost_result *result, size_t index)
{
    struct mcph_span structured = mcph_result_structured(result), text, value;
    int r;

    if (!structured.p)
        return 0;
    r = mcph_result_item_text(result, index, &text);
    if (r < 0)
        return r == MCPHOST_E_NOMEM ? r : 0;
    if (mcph_json_string_is(structured, text.p, text.len))
        return 1;
    if (mcph_json_check(text, 0, &value, NULL) < 0)
        return 0;
    return mcph_schema_same(structured, value, COMPARED_MAX);
}

/* Gets a string member of the item or, if the item does not have the member, of the
 * resource that the item embeds.  Returns 0, MCPHOST_E_INVALID or MCPHOST_E_NOMEM. */
static int
give_member(mcphost_result *result, size_t index, const char *name,
            struct mcph_span *ret_text)
{
    struct mcph_span item, token;
    int r = MCPHOST_E_INVALID;

    if (lock_item(result, index)) {
        item = content_of(result);
        if (result->text_cut && result->n_behind == result->n_items)
            item.p = copy_item(result, item);
        token = item.p ? mcph_json_get(item, name) : MCPH_SPAN_NONE;
        if (item.p && !token.p)
            token = mcph_json_get(mcph_json_get(item, "resource"), name);
        r = item.p ? decode_token(result, token, ret_text) : MCPHOST_E_NOMEM;
    }
    pthread_mutex_unlock(&result->lock);
    return r;
}

int
mcph_result_give_mime_type(mcphost_result *result, size_t index, const char **ret_str)
{
    struct mcph_span text;
    int r = give_member(result, index, "mimeType", &text);

    if (r < 0)
        return r;
    if (memchr(text.p, '\0', text.len))
        return MCPHOST_E_INVALID;
    *ret_str = text.p;
    return 0;
}

int
mcph_result_give_uri(mcphost_result *result, size_t index, struct mcph_span *ret_uri)
{
    return give_member(result, index, "uri", ret_uri);
}

int
mcph_result_give_role(mcphost_result *result, size_t index, struct mcph_span *ret_role)
{
    int r = MCPHOST_E_INVALID;

    if (lock_item(result, index) && result->form == MCPH_RESULT_PROMPT)
        r = decode_token(result, mcph_json_get(result->item.json, "role"), ret_role);
    pthread_mutex_unlock(&result->lock);
    return r;
}

/* ---- proposed values --------------------------------------------------------------- */

/* Takes the lock, which the caller releases.  Returns the member of `completion` with
 * this name.  The p of the returned span is NULL if the result has no completion, or if
 * no member has this name. */
static struct mcph_span
look_at_completion(mcphost_result *result, const char *name)
{
    lock_parsed(result);
    if (result->form != MCPH_RESULT_COMPLETION)
        return MCPH_SPAN_NONE;
    return mcph_json_get(mcph_json_get(result->json, "completion"), name);
}

size_t
mcph_result_count_values(mcphost_result *result)
{
    size_t n = mcph_json_count(look_at_completion(result, "values"));

    pthread_mutex_unlock(&result->lock);
    return n;
}

struct mcph_span
mcph_result_give_value(mcphost_result *result, size_t index)
{
    struct mcph_span values = look_at_completion(result, "values");
    struct mcph_span value = MCPH_SPAN_NONE, text = MCPH_SPAN_NONE;
    struct mcph_json_iter items;

    mcph_json_iter_init(&items, values);
    do
        if (!mcph_json_iter_next(&items, NULL, &value))
            value = MCPH_SPAN_NONE;
    while (value.p && index--);
    if (value.p && decode_token(result, value, &text) < 0)
        text = MCPH_SPAN_NONE;
    pthread_mutex_unlock(&result->lock);
    return text;
}

int64_t
mcph_result_total(mcphost_result *result)
{
    int64_t total;

    if (mcph_json_int64(look_at_completion(result, "total"), &total) < 0 || total < 0)
        total = -1;
    pthread_mutex_unlock(&result->lock);
    return total;
}

bool
mcph_result_has_more(mcphost_result *result)
{
    bool more;

    if (mcph_json_bool(look_at_completion(result, "hasMore"), &more) < 0)
        more = false;
    pthread_mutex_unlock(&result->lock);
    return more;
}
