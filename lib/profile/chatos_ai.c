/* SPDX-License-Identifier: MIT
 *
 * chatos_ai.c - read an app's contribution: the keys of `ai` in plugin.json, in ai.config
 * and in a default list (R120-R127, B.20, B.26).
 */
#include <stdlib.h>
#include <string.h>

#include "profile/chatos.h"
#include "profile/reading.h"

#define NAMES_MAX 1000 /* limit on the names in one list of exposed names */

/* ---- mcpPrompt (R121) -------------------------------------------------------------- */

static const char *const languages[MCPH_CHATOS_N_LANGUAGES] = {"zh", "en"};

static struct mcph_chatos_prompt *
prompt_free(struct mcph_chatos_prompt *prompt)
{
    if (!prompt)
        return NULL;
    free(prompt->title);
    for (size_t i = 0; i < MCPH_CHATOS_N_LANGUAGES; i++) {
        free(prompt->texts[i].content);
        free(prompt->texts[i].path);
    }
    free(prompt);
    return NULL;
}

static void
read_content(struct chatos_reading *rd, const struct mcph_node *node,
             struct mcph_chatos_text *text)
{
    size_t mark = mcph_check_enter(rd->check, "content");

    text->content = mcph_chatos_read_text(rd, node, CHATOS_FILLED);
    if (text->content && strlen(text->content) > MCPH_CHATOS_PROMPT_MAX)
        mcph_check_error(rd->check, node, "is larger than %zu bytes",
                         MCPH_CHATOS_PROMPT_MAX);
    mcph_check_leave(rd->check, mark);
}

/* Reads a path, or a map with `path` or `content`.  A `path` beside `content` is ignored,
 * but must be a text that is not blank. */
static void
read_source(struct chatos_reading *rd, const struct mcph_node *node,
            struct mcph_chatos_text *text)
{
    const struct mcph_node *content;

    if (node->kind == MCPH_NODE_STRING) {
        text->path = mcph_chatos_read_path(rd, node, true);
        return;
    }
    if (!mcph_check_kind(rd->check, node, MCPH_NODE_MAP,
                         "a path, or a map with 'path' or 'content'"))
        return;
    content = mcph_node_get(node, "content");
    if (content) {
        read_content(rd, content, text);
        free(mcph_chatos_read_text_at(rd, node, "path", CHATOS_FILLED));
    } else if (mcph_node_get(node, "path")) {
        text->path = mcph_chatos_read_path_at(rd, node, "path", true);
    } else {
        mcph_check_error(rd->check, node, "expected 'path' or 'content', found neither");
    }
}

static void
read_prompt_map(struct chatos_reading *rd, const struct mcph_node *node,
                struct mcph_chatos_prompt *prompt)
{
    static const char *const known[] = {"title", "zh", "en"};
    size_t n = 0;

    mcph_chatos_warn_misspelt(rd, node, known, MCPH_ARRAY_SIZE(known));
    prompt->title = mcph_chatos_read_text_or(rd, node, "title", "");
    for (size_t i = 0; i < MCPH_CHATOS_N_LANGUAGES; i++) {
        const struct mcph_node *source = mcph_node_get(node, languages[i]);
        size_t mark;

        if (!source)
            continue;
        n++;
        mark = mcph_check_enter(rd->check, languages[i]);
        read_source(rd, source, &prompt->texts[i]);
        mcph_check_leave(rd->check, mark);
    }
    if (n == 0)
        mcph_check_error(rd->check, node, "expected 'zh' or 'en', found neither");
}

static struct mcph_chatos_prompt *
read_prompt(struct chatos_reading *rd, const struct mcph_node *node)
{
    struct mcph_check *check = rd->check;
    size_t errors = check->n_errors;
    struct mcph_chatos_prompt *prompt = calloc(1, sizeof(*prompt));

    mcph_reading_keep_nomem(check, prompt != NULL);
    if (!prompt)
        return NULL;
    prompt->line = node->line;
    prompt->column = node->column;
    if (node->kind == MCPH_NODE_STRING) {
        prompt->title = mcph_strdup("");
        mcph_reading_keep_nomem(check, prompt->title != NULL);
        prompt->texts[MCPH_CHATOS_ZH].path = mcph_chatos_read_path(rd, node, true);
    } else if (mcph_check_kind(check, node, MCPH_NODE_MAP,
                               "a path, or a map with 'zh' or 'en'")) {
        read_prompt_map(rd, node, prompt);
    }
    return check->n_errors != errors || check->err ? prompt_free(prompt) : prompt;
}

/* ---- agent ------------------------------------------------------------------------- */

static struct mcph_chatos_agent *
agent_free(struct mcph_chatos_agent *agent)
{
    if (!agent)
        return NULL;
    free(agent->name);
    free(agent->description);
    free(agent->model_id);
    free(agent);
    return NULL;
}

static struct mcph_chatos_agent *
read_agent(struct chatos_reading *rd, const struct mcph_node *node)
{
    struct mcph_check *check = rd->check;
    size_t errors = check->n_errors;
    struct mcph_chatos_agent *agent;

    if (!mcph_check_kind(check, node, MCPH_NODE_MAP, "a map"))
        return NULL;
    agent = calloc(1, sizeof(*agent));
    mcph_reading_keep_nomem(check, agent != NULL);
    if (!agent)
        return NULL;
    agent->line = node->line;
    agent->column = node->column;
    agent->name = mcph_chatos_read_text_at(rd, node, "name", CHATOS_NEEDED);
    agent->description = mcph_chatos_read_text_or(rd, node, "description", "");
    agent->model_id = mcph_chatos_read_text_or(rd, node, "modelId", "");
    return check->n_errors != errors || check->err ? agent_free(agent) : agent;
}

/* ---- mcpServers, prompts (R123, R150) ---------------------------------------------- */

/* Removes repeated names from the list.  The first occurrence of a name stays.  Returns 0
 * or MCPHOST_E_NOMEM. */
static int
drop_repeated(struct mcph_strings *names)
{
    struct mcph_map seen = {0};
    size_t n = 0;
    int r = 0;

    for (size_t i = 0; i < names->n; i++) {
        char *name = names->items[i];

        if (mcph_map_get(&seen, name, strlen(name))) {
            free(name);
            continue;
        }
        names->items[n++] = name;
        if (r == 0)
            r = mcph_map_put(&seen, name, strlen(name), name, NULL);
    }
    if (names->items)
        names->items[n] = NULL;
    names->n = n;
    mcph_map_done(&seen);
    return r;
}

static void
read_expose(struct chatos_reading *rd, const struct mcph_node *node,
            struct mcph_chatos_expose *expose)
{
    if (node->kind == MCPH_NODE_BOOL) {
        expose->kind = node->boolean ? MCPH_CHATOS_ALL : MCPH_CHATOS_OFF;
        return;
    }
    if (!mcph_check_kind(rd->check, node, MCPH_NODE_LIST,
                         "true, false or a list of names"))
        return;
    if (node->n == 0) {
        mcph_check_error(rd->check, node,
                         "expected at least one name, found an empty list");
        return;
    }
    if (node->n > NAMES_MAX) {
        mcph_check_error(rd->check, node, "expected at most %d names, found more",
                         NAMES_MAX);
        return;
    }
    expose->kind = MCPH_CHATOS_LIST;
    mcph_chatos_read_texts(rd, node, CHATOS_FILLED, &expose->names);
    mcph_reading_keep_nomem(rd->check, drop_repeated(&expose->names) == 0);
}

/* ---- ai ---------------------------------------------------------------------------- */

struct mcph_chatos_ai *
mcph_chatos_ai_free(struct mcph_chatos_ai *ai)
{
    if (!ai)
        return NULL;
    free(ai->config);
    mcph_chatos_mcp_free(ai->mcp);
    prompt_free(ai->prompt);
    agent_free(ai->agent);
    mcph_strings_done(&ai->servers.names);
    mcph_strings_done(&ai->prompts.names);
    free(ai);
    return NULL;
}

static void
read_member(struct chatos_reading *rd, const char *key, const struct mcph_node *node,
            struct mcph_chatos_ai *ai)
{
    size_t mark = mcph_check_enter(rd->check, key);

    if (strcmp(key, "mcp") == 0)
        ai->mcp = mcph_chatos_read_mcp(rd, node);
    else if (strcmp(key, "mcpPrompt") == 0)
        ai->prompt = read_prompt(rd, node);
    else if (strcmp(key, "agent") == 0)
        ai->agent = read_agent(rd, node);
    else if (strcmp(key, "mcpServers") == 0)
        read_expose(rd, node, &ai->servers);
    else if (strcmp(key, "prompts") == 0)
        read_expose(rd, node, &ai->prompts);
    else
        ai->config = mcph_chatos_read_path(rd, node, true);
    mcph_check_leave(rd->check, mark);
}

struct mcph_chatos_ai *
mcph_chatos_read_ai(struct chatos_reading *rd, const struct mcph_node *node,
                    bool in_manifest)
{
    static const char *const keys[] = {"mcp",        "mcpPrompt", "agent",
                                       "mcpServers", "prompts",   "config"};
    size_t n = MCPH_ARRAY_SIZE(keys) - (in_manifest ? 0 : 1);
    struct mcph_check *check = rd->check;
    size_t errors = check->n_errors;
    struct mcph_chatos_ai *ai = calloc(1, sizeof(*ai));

    mcph_reading_keep_nomem(check, ai != NULL);
    if (!ai)
        return NULL;
    if (in_manifest && node->kind == MCPH_NODE_STRING) {
        ai->config = mcph_chatos_read_path(rd, node, true);
    } else if (mcph_check_kind(check, node, MCPH_NODE_MAP,
                               in_manifest ? "a map or a path" : "a map")) {
        mcph_chatos_warn_misspelt(rd, node, keys, n);
        for (size_t i = 0; i < n; i++) {
            const struct mcph_node *item = mcph_node_get(node, keys[i]);

            if (item)
                read_member(rd, keys[i], item, ai);
        }
    }
    return check->n_errors != errors || check->err ? mcph_chatos_ai_free(ai) : ai;
}
