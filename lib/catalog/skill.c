/* SPDX-License-Identifier: MIT
 *
 * skill.c - skills (MCP extension io.modelcontextprotocol/skills): check an entry, find
 * its files, and check a file against the entry.
 *
 * An entry has the front matter of SKILL.md.  The entry also lists each file with its
 * length and digest, or says that its `resources` are "dynamic" and lists no file.
 * mcph_skill_verify() compares the bytes of a listed file with the entry.  It also
 * compares the front matter of SKILL.md member by member, even if the skill is dynamic.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "config/config.h"

#define MEMBERS_MAX 256 /* limit on the members of an object in the front matter */
#define MAIN_FILE   "/SKILL.md"
#define NAME_MAX_   64 /* limit on the bytes of a skill's name */
/* Limit on the files of a skill.  The extension requires hosts to accept a skill with
 * this number of files. */
#define FILES_MAX  512
#define BYTES_MAX  (INT64_C(16) * 1024 * 1024) /* limit on the bytes of all files */
#define DIGEST_LEN (7 + 2 * MCPH_DIGEST_LEN)   /* "sha256:" and the hexadecimal digits */

/* ---- texts ------------------------------------------------------------------------- */

/* Replaces each `\/` by `/`, because many writers escape slashes.  Returns `json` if it
 * has no `\/`, else the new text in `buf`.  If memory is short, p is NULL. */
static struct mcph_span
unescape_slashes(struct mcph_span json, struct mcph_buf *buf)
{
    size_t from = 0;

    if (!memmem(json.p, json.len, "\\/", 2))
        return json;
    for (size_t i = 0; i + 1 < json.len; i++) {
        if (json.p[i] != '\\')
            continue;
        if (json.p[i + 1] == '/') {
            mcph_buf_add(buf, json.p + from, i - from);
            from = i + 1;
        }
        i++;
    }
    mcph_buf_add(buf, json.p + from, json.len - from);
    return mcph_buf_ok(buf) < 0 ? MCPH_SPAN_NONE : mcph_span(buf->data, buf->len);
}

/* Returns true if the token is a string with at least one byte and without escapes.
 * Callers reject other tokens, because URIs, names and digests need no escape. */
static bool
is_plain(struct mcph_span token)
{
    return mcph_json_type(token) == MCPH_JSON_STRING && token.len > 2 &&
           !memchr(token.p, '\\', token.len);
}

static struct mcph_span
token_text(struct mcph_span token)
{
    return mcph_span(token.p + 1, token.len - 2);
}

static bool
ends_with(struct mcph_span text, const char *end)
{
    size_t len = strlen(end);

    return text.len >= len && memcmp(text.p + text.len - len, end, len) == 0;
}

static bool
starts_with(struct mcph_span text, struct mcph_span start)
{
    return text.len >= start.len && memcmp(text.p, start.p, start.len) == 0;
}

/* Returns the directory in the URI of a skill's SKILL.md, without a slash at its end. */
static struct mcph_span
root_of(struct mcph_span uri)
{
    return mcph_span(uri.p, uri.len - (sizeof(MAIN_FILE) - 1));
}

static bool
is_within(struct mcph_span uri, struct mcph_span root)
{
    return uri.len > root.len + 1 && starts_with(uri, root) && uri.p[root.len] == '/';
}

/* Returns true if the path has a segment ".." or a percent-encoded dot.  The path could
 * then lead out of the skill. */
static bool
leads_up(struct mcph_span path)
{
    for (size_t i = 0; i + 1 < path.len; i++) {
        bool begins = i == 0 || path.p[i - 1] == '/';

        if (begins && path.p[i] == '.' && path.p[i + 1] == '.' &&
            (i + 2 == path.len || path.p[i + 2] == '/'))
            return true;
        if (path.len - i > 2 && path.p[i] == '%' && path.p[i + 1] == '2' &&
            (path.p[i + 2] == 'e' || path.p[i + 2] == 'E'))
            return true;
    }
    return false;
}

/* ---- the entry --------------------------------------------------------------------- */

/* Returns true if the name is valid: the specification Agent Skills allows a-z, 0-9, and
 * single hyphens inside the name. */
static bool
is_name(struct mcph_span name)
{
    if (name.len == 0 || name.len > NAME_MAX_)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        bool hyphen = c == '-' && i > 0 && i + 1 < name.len && name.p[i - 1] != '-';

        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && !hyphen)
            return false;
    }
    return true;
}

static const char *
front_fault(struct mcph_span uri, struct mcph_span front)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("name"),
                                    MCPH_JSON_WANT("description")};
    struct mcph_span name, root;

    if (mcph_json_type(front) != MCPH_JSON_OBJECT)
        return "it has no object 'frontmatter'";
    if (mcph_json_pick(front, want, MCPH_ARRAY_SIZE(want)) < 0)
        return "a member of its frontmatter occurs twice";
    if (!is_plain(want[0].value) || !is_name(token_text(want[0].value)))
        return "its name is not valid for a skill";
    if (mcph_json_type(want[1].value) != MCPH_JSON_STRING)
        return "its frontmatter has no description";
    name = token_text(want[0].value);
    root = root_of(uri);
    if (root.len <= name.len || root.p[root.len - name.len - 1] != '/' ||
        memcmp(root.p + root.len - name.len, name.p, name.len) != 0)
        return "its directory does not have the skill's name";
    return NULL;
}

static bool
is_digest(struct mcph_span token)
{
    struct mcph_span text;

    if (!is_plain(token))
        return false;
    text = token_text(token);
    if (text.len != DIGEST_LEN || memcmp(text.p, "sha256:", 7) != 0)
        return false;
    for (size_t i = 7; i < text.len; i++) {
        if (!(text.p[i] >= '0' && text.p[i] <= '9') &&
            !(text.p[i] >= 'a' && text.p[i] <= 'f'))
            return false;
    }
    return true;
}

struct file {
    struct mcph_span uri, digest; /* tokens */
    int64_t size;
};

static bool
read_file(struct mcph_span json, struct file *ret)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("uri"), MCPH_JSON_WANT("digest"),
                                    MCPH_JSON_WANT("size")};

    if (mcph_json_type(json) != MCPH_JSON_OBJECT ||
        mcph_json_pick(json, want, MCPH_ARRAY_SIZE(want)) < 0)
        return false;
    *ret = (struct file){.uri = want[0].value, .digest = want[1].value};
    return is_plain(ret->uri) && is_digest(ret->digest) &&
           mcph_json_type(want[2].value) == MCPH_JSON_NUMBER &&
           mcph_json_int64(want[2].value, &ret->size) == 0 && ret->size >= 0;
}

/* Checks the list of files.  Each file must occur once and be below the skill's
 * directory.  SKILL.md must be in the list.  The limits are FILES_MAX and BYTES_MAX.
 * Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_PROTOCOL. */
static int
check_files(struct mcph_span uri, struct mcph_span files, const char **ret_why)
{
    struct mcph_map seen = {0};
    struct mcph_json_iter it;
    struct mcph_span json;
    const char *why = NULL;
    bool has_main = false;
    int64_t bytes = 0;
    struct file file;

    mcph_json_iter_init(&it, files);
    while (!why && mcph_json_iter_next(&it, NULL, &json)) {
        struct mcph_span text;
        void *other = NULL;

        if (!read_file(json, &file)) {
            why = "one of its files has no uri, no digest or no size";
            break;
        }
        text = token_text(file.uri);
        bytes += file.size <= BYTES_MAX ? file.size : BYTES_MAX + 1;
        has_main = has_main || mcph_span_eq(text, uri);
        if (!is_within(text, root_of(uri)))
            why = "one of its files is outside its directory";
        else if (mcph_map_put(&seen, text.p, text.len, &seen, &other) < 0)
            goto no_memory;
        else if (other)
            why = "one of its files is listed twice";
        else if (seen.n > FILES_MAX || bytes > BYTES_MAX)
            why = "it has more than 512 files, or more than 16 MiB";
    }
    mcph_map_done(&seen);
    if (!why && !has_main)
        why = "its files lack its SKILL.md";
    *ret_why = why;
    return why ? MCPHOST_E_PROTOCOL : 0;

no_memory:
    mcph_map_done(&seen);
    return MCPHOST_E_NOMEM;
}

/* The parts of a skill's entry. */
struct entry {
    struct mcph_span uri;          /* without quotes */
    struct mcph_span front, files; /* the p of `files` is NULL if the skill is dynamic */
};

static const char *
read_entry(struct mcph_span json, struct entry *ret)
{
    struct mcph_json_want want[] = {MCPH_JSON_WANT("uri"), MCPH_JSON_WANT("frontmatter"),
                                    MCPH_JSON_WANT("resources")};

    if (mcph_json_type(json) != MCPH_JSON_OBJECT)
        return "it is not an object";
    if (mcph_json_pick(json, want, MCPH_ARRAY_SIZE(want)) < 0)
        return "a member of it occurs twice";
    if (!is_plain(want[0].value) || !ends_with(token_text(want[0].value), MAIN_FILE) ||
        leads_up(token_text(want[0].value)))
        return "its uri does not name a SKILL.md";
    *ret = (struct entry){.uri = token_text(want[0].value), .front = want[1].value};
    if (mcph_json_type(want[2].value) == MCPH_JSON_ARRAY)
        ret->files = want[2].value;
    else if (mcph_json_type(want[2].value) != MCPH_JSON_STRING ||
             !mcph_json_string_is(want[2].value, "dynamic", 7))
        return "its resources are neither a list nor \"dynamic\"";
    return NULL;
}

static int
check_entry(struct mcph_span json, const char **ret_why)
{
    struct entry entry;
    const char *why = read_entry(json, &entry);

    if (!why)
        why = front_fault(entry.uri, entry.front);
    if (!why)
        return entry.files.p ? check_files(entry.uri, entry.files, ret_why) : 0;
    *ret_why = why;
    return MCPHOST_E_PROTOCOL;
}

int
mcph_skill_check(struct mcph_span json, const char **ret_why)
{
    struct mcph_buf buf;
    int r;

    mcph_buf_init(&buf, SIZE_MAX / 4);
    json = unescape_slashes(json, &buf);
    r = json.p ? check_entry(json, ret_why) : MCPHOST_E_NOMEM;
    mcph_buf_done(&buf);
    return r;
}

/* ---- the files of a skill ---------------------------------------------------------- */

static bool
find_listed(const struct entry *entry, struct mcph_span uri, struct file *ret)
{
    struct mcph_json_iter it;
    struct mcph_span json;

    mcph_json_iter_init(&it, entry->files);
    while (mcph_json_iter_next(&it, NULL, &json)) {
        if (read_file(json, ret) && mcph_span_eq(token_text(ret->uri), uri))
            return true;
    }
    return false;
}

static int
find_file(struct mcph_span json, const char *name, struct mcph_buf *buf,
          mcphost_error **reterr)
{
    struct mcph_span uri = name ? mcph_span_str(name) : MCPH_SPAN_NONE, root;
    struct entry entry;
    struct file file;

    if (read_entry(json, &entry))
        return mcph_err(reterr, MCPHOST_E_INVALID, "this is not the entry of a skill");
    root = root_of(entry.uri);
    mcph_buf_clear(buf);
    if (!name) {
        mcph_buf_add(buf, entry.uri.p, entry.uri.len);
    } else {
        if (!is_within(uri, root)) {
            mcph_buf_add(buf, root.p, root.len);
            mcph_buf_addc(buf, '/');
        }
        mcph_buf_add(buf, uri.p, uri.len);
    }
    if (mcph_buf_ok(buf) < 0)
        return mcph_err_nomem(reterr);
    uri = mcph_span(buf->data, buf->len);
    if (entry.files.p ? find_listed(&entry, uri, &file)
                      : is_within(uri, root) && !leads_up(uri))
        return 0;
    return mcph_err(reterr, MCPHOST_E_NOTFOUND, "the skill has no file '%.200s'",
                    name ? name : "SKILL.md");
}

int
mcph_skill_find_file(struct mcph_span json, const char *name, struct mcph_buf *buf,
                     mcphost_error **reterr)
{
    struct mcph_buf plain;
    int r;

    mcph_buf_init(&plain, SIZE_MAX / 4);
    json = unescape_slashes(json, &plain);
    r = json.p ? find_file(json, name, buf, reterr) : mcph_err_nomem(reterr);
    mcph_buf_done(&plain);
    return r;
}

/* ---- front matter ------------------------------------------------------------------ */

static bool same_value(const struct mcph_node *node, struct mcph_span json);

static bool
same_list(const struct mcph_node *node, struct mcph_span json)
{
    struct mcph_json_iter it;
    struct mcph_span item;
    size_t i = 0;

    mcph_json_iter_init(&it, json);
    while (mcph_json_iter_next(&it, NULL, &item)) {
        if (i >= node->n || !same_value(node->items[i], item))
            return false;
        i++;
    }
    return i == node->n;
}

static bool
same_map(const struct mcph_node *node, struct mcph_span json)
{
    if (node->n > MEMBERS_MAX || mcph_json_count(json) != node->n)
        return false;
    for (size_t i = 0; i < node->n; i++) {
        struct mcph_json_iter it;
        struct mcph_span key, value;
        bool found = false;

        mcph_json_iter_init(&it, json);
        while (!found && mcph_json_iter_next(&it, &key, &value))
            found = mcph_json_string_is(key, node->keys[i]->text, node->keys[i]->len) &&
                    same_value(node->items[i], value);
        if (!found)
            return false;
    }
    return true;
}

/* Returns true if a YAML node and a JSON value are equal.  A JSON string with the
 * characters of a plain scalar of YAML is equal, too, because readers differ about the
 * type of a plain scalar (a date, a version). */
static bool
same_value(const struct mcph_node *node, struct mcph_span json)
{
    double number;
    bool truth;

    switch (mcph_json_type(json)) {
    case MCPH_JSON_OBJECT:
        return node->kind == MCPH_NODE_MAP && same_map(node, json);
    case MCPH_JSON_ARRAY:
        return node->kind == MCPH_NODE_LIST && same_list(node, json);
    case MCPH_JSON_STRING:
        return node->kind != MCPH_NODE_MAP && node->kind != MCPH_NODE_LIST &&
               node->text && mcph_json_string_is(json, node->text, node->len);
    case MCPH_JSON_NUMBER:
        return (node->kind == MCPH_NODE_INT || node->kind == MCPH_NODE_FLOAT) &&
               mcph_json_double(json, &number) == 0 && number == node->number;
    case MCPH_JSON_BOOL:
        return node->kind == MCPH_NODE_BOOL && mcph_json_bool(json, &truth) == 0 &&
               truth == node->boolean;
    default:
        return node->kind == MCPH_NODE_NULL;
    }
}

static int
verify_front(struct mcph_span front, struct mcph_span text, mcphost_error **reterr)
{
    struct mcph_doc *doc = NULL;
    bool same;
    int r = mcph_front_parse(text, &doc, NULL);

    if (r == MCPHOST_E_NOMEM)
        return mcph_err_nomem(reterr);
    if (r < 0)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL, "%s",
                        r == MCPHOST_E_NOTFOUND ? "SKILL.md has no front matter"
                        : r == MCPHOST_E_LIMIT
                            ? "the front matter of SKILL.md is longer than 64 KiB"
                            : "the front matter of SKILL.md is not valid YAML");
    same = doc->root && same_value(doc->root, front);
    mcph_doc_free(doc);
    return same ? 0
                : mcph_err(reterr, MCPHOST_E_PROTOCOL,
                           "the front matter of SKILL.md differs from that of the entry");
}

/* ---- checking files ---------------------------------------------------------------- */

static int
verify_bytes(const struct file *file, struct mcph_span bytes, mcphost_error **reterr)
{
    unsigned char digest[MCPH_DIGEST_LEN];
    char text[DIGEST_LEN + 1] = "sha256:";

    if ((uint64_t)file->size != bytes.len)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL,
                        "it has %zu bytes, but its entry says %lld", bytes.len,
                        (long long)file->size);
    mcph_sha256(bytes.p, bytes.len, digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        snprintf(text + 7 + 2 * i, 3, "%02x", digest[i]);
    if (memcmp(token_text(file->digest).p, text, DIGEST_LEN) != 0)
        return mcph_err(reterr, MCPHOST_E_PROTOCOL,
                        "its digest differs from that of its entry");
    return 0;
}

static int
verify_file(struct mcph_span json, struct mcph_span uri, struct mcph_span bytes,
            mcphost_error **reterr)
{
    struct entry entry;
    struct file file;
    int r = 0;

    if (read_entry(json, &entry))
        return mcph_err(reterr, MCPHOST_E_PROTOCOL, "this is not the entry of a skill");
    if (entry.files.p) {
        if (!find_listed(&entry, uri, &file))
            return mcph_err(reterr, MCPHOST_E_PROTOCOL, "its entry does not list it");
        r = verify_bytes(&file, bytes, reterr);
    }
    if (r == 0 && mcph_span_eq(uri, entry.uri))
        r = verify_front(entry.front, bytes, reterr);
    return r;
}

int
mcph_skill_verify(struct mcph_span json, struct mcph_span uri, struct mcph_span bytes,
                  mcphost_error **reterr)
{
    struct mcph_buf plain;
    int r;

    mcph_buf_init(&plain, SIZE_MAX / 4);
    json = unescape_slashes(json, &plain);
    r = json.p ? verify_file(json, uri, bytes, reterr) : mcph_err_nomem(reterr);
    mcph_buf_done(&plain);
    return r;
}
