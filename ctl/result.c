/* SPDX-License-Identifier: MIT
 *
 * result.c - print the result of a call: each text, with harmful characters escaped, and
 * one line for each other item.
 *
 * With --save, the library writes pictures, sounds, blobs and long texts to files.  The
 * lines of these items have the paths of the files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "ctl.h"
#include "term.h"

static void
print_lines(const char *s, size_t len)
{
    term_print(stdout, "", s, len);
    if (len == 0 || s[len - 1] != '\n')
        putchar('\n');
}

/* ---- items that are no text -------------------------------------------------------- */

/* Returns the length in bytes of the data that a base64 text encodes. */
static size_t
decoded_length(const json_t *data)
{
    const char *s = json_string_value(data);
    const char *behind = strncmp(s, "data:", 5) == 0 ? strstr(s, "base64,") : NULL;
    size_t n = 0;

    for (s = behind ? behind + strlen("base64,") : s; *s; s++)
        n += strchr("= \t\r\n", *s) == NULL;
    return n / 4 * 3 + n % 4 * 3 / 4;
}

/* Prints one line for an item: its type and, as far as they are known, its media type,
 * its URI, its size and the path of its file. */
static void
print_kind(const char *type, const char *mime, const char *uri, const json_t *size,
           const char *dir, const char *path)
{
    struct text t = {0}, line = {0};

    text_printf(&t, "[%s", type ? type : "item");
    if (mime)
        text_printf(&t, " %s", mime);
    if (uri)
        text_printf(&t, " %s", uri);
    if (size)
        text_printf(&t, ", %lld bytes", (long long)json_integer_value(size));
    if (path)
        text_printf(&t, ": %s/%s", dir, path);
    text_puts(&t, "]");
    /* Flatten the server's words, so that none of them looks like a line of its own. */
    if (!text_failed(&t))
        term_flatten(&line, t.data, t.len);
    if (!text_failed(&t) && !text_failed(&line))
        print_lines(line.data, line.len);
    text_free(&line);
    text_free(&t);
}

static void
show_item(mcphost_result *result, size_t index)
{
    size_t len = 0;
    const char *json = mcphost_result_item_get_json(result, index, &len);
    json_t *item = json ? json_loadb(json, len, JSON_ALLOW_NUL, NULL) : NULL;
    const json_t *resource = json_object_get(item, "resource");
    const json_t *data = json_object_get(resource ? resource : item, "blob");
    const json_t *text = json_object_get(resource, "text");
    const char *mime = mcphost_result_item_get_mime_type(result, index);
    json_t *size = NULL;

    if (!data)
        data = json_object_get(item, "data");
    if (!mime)
        mime = json_string_value(json_object_get(resource, "mimeType"));
    if (json_is_string(data))
        size = json_integer((json_int_t)decoded_length(data));
    /* Print "resource" for the contents of a resource, because these contents have no
     * member "type". */
    print_kind(mcphost_result_item_get_kind(result, index) == MCPHOST_CONTENT_RESOURCE
                   ? "resource"
                   : json_string_value(json_object_get(item, "type")),
               mime,
               json_string_value(json_object_get(resource ? resource : item, "uri")),
               size, NULL, NULL);
    /* Print the text of an embedded resource, because this text is part of the answer. */
    if (json_string_length(text) > 0)
        print_lines(json_string_value(text), json_string_length(text));
    json_decref(size);
    json_decref(item);
}

/* ---- whole results ----------------------------------------------------------------- */

static int
show_plain_item(mcphost_result *result, size_t index)
{
    const char *s;
    size_t len = 0;
    int r = mcphost_result_item_get_text(result, index, &s, &len);

    if (r == 0)
        print_lines(s, len);
    else if (r == MCPHOST_E_INVALID)
        show_item(result, index);
    return r == MCPHOST_E_INVALID ? 0 : r;
}

/* Returns the type of an item that the library has made from the server's item, or NULL
 * if the item is as the server sent it. */
static const char *
get_made_type(const json_t *item)
{
    const char *type = json_string_value(json_object_get(item, "type"));

    return type && strncmp(type, "input_", 6) == 0 ? type + strlen("input_") : NULL;
}

/* Returns the path of the file of an item, or NULL if the item was not saved. */
static const json_t *
get_path(const json_t *item)
{
    return json_object_get(json_object_get(item, "artifact"), "relPath");
}

/* Shows an item of a result.  If the library has made `item` from the server's item,
 * shows `item`.  Otherwise shows the server's item. */
static int
show_made_item(struct ctl *ctl, const json_t *item, mcphost_result *result, size_t index)
{
    const json_t *path = get_path(item);
    const json_t *text = json_object_get(item, "text");
    const char *type = get_made_type(item);

    if (!type)
        return show_plain_item(result, index);
    if (json_is_string(text))
        print_lines(json_string_value(text), json_string_length(text));
    if (json_is_string(path))
        print_kind(type, json_string_value(json_object_get(item, "mimeType")),
                   json_string_value(json_object_get(item, "uri")),
                   json_object_get(item, "byteLength"), ctl->opt.save,
                   json_string_value(path));
    return 0;
}

/* Returns STATUS_SERVER, with a message, if a picture or a sound was not saved. */
static int
check_saved(struct ctl *ctl, mcphost_result *result, const json_t *made)
{
    size_t n = mcphost_result_count_items(result);
    int lost = 0;

    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(made, i);
        int kind = mcphost_result_item_get_kind(result, i);

        lost += get_made_type(item) && !json_is_string(get_path(item)) &&
                (kind == MCPHOST_CONTENT_IMAGE || kind == MCPHOST_CONTENT_AUDIO);
    }
    if (lost == 0)
        return STATUS_OK;
    fflush(stdout);
    say(ctl, "not everything could be saved below '%s'", ctl->opt.save);
    return STATUS_SERVER;
}

/* Prints the structured content, unless a text repeats it. */
static int
show_structured(mcphost_result *result, size_t n)
{
    size_t len = 0;
    const char *s = mcphost_result_get_structured(result, &len);
    int r = 0;

    for (size_t i = 0; i < n && s && r == 0; i++)
        r = mcphost_result_item_repeats_structured(result, i);
    if (s && r == 0)
        print_lines(s, len);
    return r < 0 ? r : 0;
}

/* Prints the role of a prompt's message on a line of its own. */
static void
print_role(mcphost_result *result, size_t index)
{
    size_t len = 0;
    const char *role = mcphost_result_item_get_role(result, index, &len);
    struct text line = {0};

    if (!role)
        return;
    term_flatten(&line, role, len);
    text_puts(&line, ":");
    if (!text_failed(&line))
        print_lines(line.data, line.len);
    text_free(&line);
}

static int
show_result(struct ctl *ctl, mcphost_result *result, const json_t *made)
{
    size_t n = mcphost_result_count_items(result);
    int r = 0;

    for (size_t i = 0; i < n && r >= 0; i++) {
        print_role(result, i);
        r = made ? show_made_item(ctl, json_array_get(made, i), result, i)
                 : show_plain_item(result, i);
    }
    if (r >= 0)
        r = show_structured(result, n);
    return r < 0 ? out_of_memory(ctl) : STATUS_OK;
}

/* Prints {"dir":...,"isError":...,"items":[...]}. */
static int
print_made(struct ctl *ctl, mcphost_result *result, const char *items, size_t len)
{
    struct text t = {0};
    int status;

    put_begin(&t, '{');
    put_key(&t, "dir");
    put_str(&t, ctl->opt.save);
    put_key(&t, "isError");
    put_flag(&t, mcphost_result_is_error(result));
    put_key(&t, "items");
    put_raw(&t, items, len);
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

static int
save_result(struct ctl *ctl, mcphost_call *call, mcphost_result *result)
{
    mcphost_items *items = NULL;
    mcphost_error *err = NULL;
    const char *json;
    json_t *made;
    size_t len;
    int status, r = mcphost_call_make_items(call, &items, &err);

    if (r < 0) {
        say_error(ctl, r, err);
        mcphost_error_unref(err);
        return STATUS_SERVER;
    }
    json = mcphost_items_get_json(items, &len);
    made = json_loadb(json, len, JSON_ALLOW_NUL, NULL);
    if (ctl->opt.json) {
        status = print_made(ctl, result, json, len);
    } else if (made) {
        status = show_result(ctl, result, made);
    } else { /* jansson cannot parse an item: print all items as text */
        json = mcphost_items_get_text(items, &len);
        print_lines(json, len);
        status = STATUS_OK;
    }
    if (status == STATUS_OK)
        status = check_saved(ctl, result, made);
    json_decref(made);
    mcphost_items_unref(items);
    return status;
}

/* Writes the server's bytes unchanged to a pipe or a file, and a line break after these
 * bytes.  On a terminal, control characters are escaped, because the terminal would obey
 * them. */
static int
print_raw(struct ctl *ctl, const char *s, size_t len)
{
    struct text as_is = {.data = (char *)(uintptr_t)s, .len = len}, t = {0};
    int status;

    if (!isatty(STDOUT_FILENO))
        return print_json(ctl, &as_is);
    put_raw(&t, s, len);
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

int
result_print(struct ctl *ctl, mcphost_call *call)
{
    mcphost_result *result = mcphost_call_get_result(call);
    struct text t = {0};
    size_t len = 0;
    const char *s = mcphost_result_get_json(result, &len);
    int status;

    if (ctl->opt.save) {
        status = save_result(ctl, call, result);
    } else if (ctl->opt.raw) {
        status = print_raw(ctl, s, len);
    } else if (ctl->opt.json) {
        put_raw(&t, s, len);
        status = print_json(ctl, &t);
        text_free(&t);
    } else {
        status = show_result(ctl, result, NULL);
    }
    if (status)
        return status;
    return mcphost_result_is_error(result) ? STATUS_TOOL : STATUS_OK;
}
