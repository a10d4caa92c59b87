/* SPDX-License-Identifier: MIT
 *
 * goclaw_front.c - read the front matter of a SKILL.md, and write skills as JSON (R181,
 * R182, B.35, B.38).
 *
 * A missing or bad front matter is never an error.  The skill gets a warning instead, so
 * that the agent that wrote the file can mend the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/goclaw.h"

/* The limit is lower than MCPH_FRONT_MAX, because one turn of the dispatcher reads the
 * front matters of a whole list of skills. */
#define FRONT_MAX 4096             /* limit on the bytes of one front matter */
#define HEAD_MAX  (FRONT_MAX + 64) /* bytes read, with the marks of the front matter */

/* ---- reading ----------------------------------------------------------------------- */

/* Reads the beginning of a regular file.  Returns 0, MCPHOST_E_NOMEM or MCPHOST_E_IO. */
static int
read_head(int dir, const char *name, struct mcph_buf *buf)
{
    /* Set O_NONBLOCK, because opening a FIFO in place of the file must not block. */
    int fd = mcph_open_beneath(dir, name, O_RDONLY | O_NOCTTY | O_NONBLOCK, false);
    struct stat st;
    ssize_t n = 1;

    if (fd < 0)
        return errno == ENOMEM ? MCPHOST_E_NOMEM : MCPHOST_E_IO;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        n = -1;
    while (n > 0 && buf->len < HEAD_MAX) {
        if (mcph_buf_reserve(buf, HEAD_MAX - buf->len) < 0) {
            close(fd);
            return MCPHOST_E_NOMEM;
        }
        n = read(fd, buf->data + buf->len, HEAD_MAX - buf->len);
        if (n > 0)
            buf->len += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 1;
    }
    close(fd);
    return n < 0 ? MCPHOST_E_IO : 0;
}

static int
keep_text(char **field, char *text)
{
    *field = text;
    return text ? 0 : MCPHOST_E_NOMEM;
}

static int
add_warning(struct mcph_goclaw_skill *skill, const char *text)
{
    return skill->warning ? 0 : keep_text(&skill->warning, mcph_strdup(text));
}

/* Sets the warning for a code of read_head() or parse_front(). */
static int
warn_of_code(struct mcph_goclaw_skill *skill, int code, int line)
{
    if (code == MCPHOST_E_CONFIG && line > 0)
        return keep_text(
            &skill->warning,
            mcph_asprintf("the front matter is not valid YAML (line %d)", line));
    return add_warning(skill,
                       code == MCPHOST_E_BUSY
                           ? "the front matter is not read: the skills of the role have "
                             "more than 256 KiB of it"
                       : code == MCPHOST_E_NOTFOUND ? "there is no front matter"
                       : code == MCPHOST_E_LIMIT ? "the front matter is longer than 4 KiB"
                       : code == MCPHOST_E_CONFIG ? "the front matter is not valid YAML"
                                                  : "the text cannot be read");
}

/* Takes the description from the front matter, and checks the name.  A skill has the name
 * of its directory.  Another name in the front matter gives a warning. */
static int
take_members(struct mcph_goclaw_skill *skill, const struct mcph_node *root)
{
    const struct mcph_node *name, *about;
    int r = 0;

    if (!root || root->kind != MCPH_NODE_MAP)
        return add_warning(skill, "the front matter has no members");
    name = mcph_node_get(root, "name");
    about = mcph_node_get(root, "description");
    if (about && about->kind == MCPH_NODE_STRING && !mcph_text_blank(about->text))
        r = keep_text(&skill->description, mcph_strdup(about->text));
    else
        r = add_warning(skill, "the front matter has no description");
    if (r == 0 && name && name->kind != MCPH_NODE_STRING)
        r = add_warning(skill, "the name in the front matter is not a text");
    else if (r == 0 && name && strcmp(name->text, skill->name) != 0 && !skill->warning)
        r = keep_text(
            &skill->warning,
            mcph_asprintf("the front matter has a different name: '%.255s'", name->text));
    return r;
}

/* Parses the front matter at the beginning of a file.  Subtracts the length of the front
 * matter from *left.  Returns the codes of mcph_front_parse(), MCPHOST_E_LIMIT if the
 * front matter does not end in `head`, or MCPHOST_E_BUSY if the front matter is longer
 * than *left. */
static int
parse_front(const struct mcph_buf *head, size_t *left, struct mcph_doc **ret_doc,
            int *ret_line)
{
    bool begins = head->len > 3 && memcmp(head->data, "---", 3) == 0;
    const char *end = begins ? memmem(head->data + 3, head->len - 3, "\n---", 4) : NULL;
    size_t len = end ? (size_t)(end - head->data) : head->len;

    if (begins && !end && head->len >= HEAD_MAX)
        return MCPHOST_E_LIMIT;
    if (begins && left && len > *left)
        return MCPHOST_E_BUSY;
    if (begins && left)
        *left -= len;
    return mcph_front_parse(mcph_span(head->data, head->len), ret_doc, ret_line);
}

int
mcph_goclaw_front_read(int dir, struct mcph_goclaw_skill *skill, size_t *left)
{
    struct mcph_doc *doc = NULL;
    struct mcph_buf head;
    int line = 0, r;

    if (!skill->file)
        return 0;
    mcph_buf_init(&head, HEAD_MAX);
    r = read_head(dir, strrchr(skill->file, '/') + 1, &head);
    if (r == 0)
        r = parse_front(&head, left, &doc, &line);
    if (r == 0)
        r = take_members(skill, doc->root);
    else if (r != MCPHOST_E_NOMEM)
        r = warn_of_code(skill, r, line);
    mcph_doc_free(doc);
    mcph_buf_done(&head);
    return r;
}

/* ---- as JSON ----------------------------------------------------------------------- */

static void
put_role(struct mcph_buf *buf, struct mcph_span role)
{
    if (role.len == 0)
        role = mcph_span_str(MCPH_GOCLAW_ROLE);
    mcph_json_add_key(buf, "role");
    mcph_json_add_string(buf, role.p, role.len);
}

static void
put_text(struct mcph_buf *buf, const char *key, const char *text)
{
    if (text)
        mcph_json_add_member(buf, key, text);
}

/* Appends one skill.  Writes the directory twice, as `dir` and as `path`, because the
 * documentation and the code of goclaw use different names (C1). */
void
mcph_goclaw_skill_put(struct mcph_buf *buf, const struct mcph_goclaw_skill *skill,
                      struct mcph_span role, bool content)
{
    mcph_buf_addc(buf, '{');
    mcph_json_add_member(buf, "name", skill->name);
    put_role(buf, role);
    mcph_json_add_key(buf, "enabled");
    mcph_json_add_bool(buf, skill->enabled);
    put_text(buf, "description", skill->description);
    put_text(buf, "warning", skill->warning);
    mcph_json_add_member(buf, "dir", skill->dir);
    mcph_json_add_member(buf, "path", skill->dir);
    mcph_json_add_key(buf, "has_skill_md");
    mcph_json_add_bool(buf, skill->file != NULL);
    put_text(buf, "skill_file", skill->file);
    if (content && skill->content) {
        mcph_json_add_key(buf, "content");
        mcph_json_add_string(buf, skill->content, skill->len);
    }
    mcph_buf_addc(buf, '}');
}

void
mcph_goclaw_skills_put(struct mcph_buf *buf, const struct mcph_goclaw_skills *skills,
                       struct mcph_span role)
{
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < skills->items.n; i++) {
        mcph_json_add_comma(buf);
        mcph_goclaw_skill_put(buf, skills->items.items[i], role, false);
    }
    mcph_buf_addc(buf, ']');
}

/* Lists the skills of an agent.  If a sub-agent has a directory `.goclaw/skills`, lists
 * the skills in it instead of the skills of its role (R208, R209). */
static int
list_skills(const struct mcph_goclaw *goclaw, const char *workdir, struct mcph_span role,
            struct mcph_goclaw_skills **ret, mcphost_error **reterr)
{
    bool with_disabled = (goclaw->flags & MCPHOST_GOCLAW_WITH_DISABLED) != 0;
    struct mcph_goclaw_skills *skills = NULL;
    const char *why = role.len > 0 ? mcph_goclaw_name_fault(role) : NULL;
    int r = 0;

    if (why)
        return mcph_err(reterr, MCPHOST_E_INVALID, "the name of the role %s", why);
    if (workdir)
        r = mcph_goclaw_list_private_skills(workdir, with_disabled, &skills, reterr);
    if (r == 0 && (!skills || !skills->has_role)) {
        mcph_goclaw_skills_free(skills);
        r = mcph_goclaw_list_skills(goclaw, role, with_disabled, &skills, reterr);
    }
    if (r == 0)
        *ret = skills;
    return r;
}

int
mcph_goclaw_make_skills_json(const char *workspace, const char *workdir,
                             const char *skills_dir, const char *role, uint64_t flags,
                             char **ret_json, size_t *ret_len, mcphost_error **reterr)
{
    struct mcph_span who = role ? mcph_span_str(role) : MCPH_SPAN_NONE;
    struct mcph_goclaw_skills *skills = NULL;
    struct mcph_goclaw *goclaw;
    struct mcph_buf buf;
    char *json;
    int r = mcph_goclaw_new(workspace, skills_dir, flags, &goclaw, reterr);

    if (r < 0)
        return r;
    r = list_skills(goclaw, workdir, who, &skills, reterr);
    mcph_goclaw_free(goclaw);
    if (r < 0)
        return r;
    mcph_buf_init(&buf, SIZE_MAX / 4);
    mcph_buf_addc(&buf, '{');
    put_role(&buf, who);
    mcph_json_add_member(&buf, "base_dir", skills->base_dir);
    mcph_json_add_key(&buf, "skills");
    mcph_goclaw_skills_put(&buf, skills, who);
    mcph_buf_addc(&buf, '}');
    json = mcph_buf_steal(&buf, ret_len);
    mcph_buf_done(&buf);
    mcph_goclaw_skills_free(skills);
    if (!json)
        return mcph_err_nomem(reterr);
    *ret_json = json;
    return 0;
}
