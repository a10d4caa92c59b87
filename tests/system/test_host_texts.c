/* SPDX-License-Identifier: MIT
 *
 * test_host_texts.c - texts of the library: valid UTF-8 with a NUL at the end.
 *
 * types.h states the rule.  Each function that returns a text, and each callback that
 * gets a text, has a row in a table (support/texts.c).  tests/abi/gate.sh compares the
 * rows with the headers.  The server of these tests sends NULs, halves of surrogate pairs
 * and bytes that are not UTF-8.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "json/json.h"
#include "support/canned.h"
#include "support/hostrig.h"
#include "support/texts.h"

#define HALF  "\\ud800"      /* half a surrogate pair */
#define SAID  "\xef\xbf\xbd" /* the replacement of HALF */
#define EVIL  "e\\u0000" HALF "\\n"
#define EVILS "e\0" SAID "\n"
#define WIRE  "e\\\\u0000\\\\ud800\\\\n" /* EVIL in a line of the script */

/* ---- a server that sends invalid texts --------------------------------------------- */

static struct hostrig hr;
static mcphost_source *plug;
static mcphost_dialog *d;
static mcphost_request *asked;

static const char script[] =
    "era legacy\n"
    "no-tools\n"
    "tool-json {\"name\":\"say\",\"title\":\"" EVIL "\",\"description\":\"" EVIL "\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"" EVIL "\":{\"description\":"
    "\"" EVIL "\"}}},\"outputSchema\":{\"type\":\"object\",\"title\":\"" EVIL "\"},"
    "\"annotations\":{\"title\":\"" EVIL
    "\"},\"_meta\":{\"ui\":{\"resourceUri\":\"ui://" EVIL "\"}}}\n"
    "tool-json {\"name\":\"plain\",\"title\":\"t\",\"description\":\"d\",\"inputSchema\":"
    "{}}\n"
    "tool-json {\"name\":\"empty\",\"title\":\"\",\"description\":\"\",\"inputSchema\":"
    "{}}\n"
    "tool-json {\"name\":\"" EVIL "\",\"inputSchema\":{}}\n"
    "tool-json {\"name\":\"odd\",\"inputSchema\":\"" EVIL "\"}\n"
    "tool ask\ntool ask_url\ntool fail\ntool bytes\ntool large\ntool die\n"
    "on resources/list\n"
    " result {\"resources\":[{\"uri\":\"f:\\u00e9\\ud800\",\"name\":\"" WIRE
    "\",\"mimeType\":\"" WIRE "\","
    "\"title\":\"" WIRE "\",\"description\":\"" WIRE
    "\",\"annotations\":{\"title\":\"" WIRE "\"}}]}\n"
    "on resources/templates/list\n"
    " result {\"resourceTemplates\":[{\"uriTemplate\":\"f:\\ud800{x}\",\"name\":\"" WIRE
    "\",\"mimeType\":\"" WIRE "\","
    "\"title\":\"" WIRE "\",\"description\":\"" WIRE
    "\",\"annotations\":{\"title\":\"" WIRE "\"}}]}\n"
    "on prompts/list\n"
    " result {\"prompts\":[{\"name\":\"say\",\"arguments\":[{\"name\":\"" WIRE "\"}],"
    "\"title\":\"" WIRE "\",\"description\":\"" WIRE
    "\",\"annotations\":{\"title\":\"" WIRE "\"}}]}\n"
    "on skills/list\n"
    " result {\"skills\":[{\"uri\":\"skill://s/SKILL.md\",\"frontmatter\":{\"name\":"
    "\"s\",\"description\":\"" WIRE "\",\"x\":\"" WIRE "\"},\"resources\":"
    "\"dynamic\",\"" WIRE "\":\"" WIRE "\"}]}\n"
    "on resources/read\n"
    " result {\"contents\":[{\"uri\":\"" WIRE "\",\"text\":\"" WIRE "\"}]}\n"
    "on prompts/get\n"
    " result {\"messages\":[{\"role\":\"" WIRE "\",\"content\":{\"type\":\"text\","
    "\"text\":\"" WIRE "\"}}]}\n"
    "on completion/complete\n"
    " result {\"completion\":{\"values\":[\"" WIRE "\"]}}\n"
    "on initialize\n"
    " result {\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
    "\"resources\":{},\"prompts\":{},\"completions\":{},"
    "\"logging\":{},\"extensions\":{\"io.modelcontextprotocol/skills\":{}}},"
    "\"serverInfo\":{\"name\":\"n\",\"version\":\"1\",\"title\":\"" EVIL
    "\",\"description\":\"" EVIL "\",\"icons\":[{\"src\":\"" EVIL
    "\"}]},\"instructions\":\"" EVIL "\"}\n"
    "on call:say\n"
    " line {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
    "\"level\":\"info\",\"logger\":\"" WIRE "\",\"data\":{\"" WIRE "\":\"" WIRE "\"}}}\n"
    " line {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{"
    "\"level\":\"info\",\"data\":\"" WIRE "\"}}\n"
    " line {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
    "\"progressToken\":%t,\"progress\":1,\"message\":\"" WIRE "\"}}\n"
    " stderr \\xff\\xc0\\x80\\0\n"
    " result {\"content\":[{\"type\":\"text\",\"text\":\"" EVIL "\"},{\"type\":\"image\","
    "\"mimeType\":\"" HALF "\",\"data\":\"" EVIL "\"},{\"type\":\"image\",\"mimeType\":"
    "\"image/png\",\"data\":\"iVBORw0KGgo=\"},{\"type\":\"" EVIL "\"},{\"type\":\"text\","
    "\"text\":\"\"},{\"type\":\"text\",\"text\":\"plain\"}],\"structuredContent\":{"
    "\"" EVIL "\":\"" EVIL "\"}}\n"
    "on call:ask\n"
    " ask elicitation/create {\"message\":\"" EVIL "\",\"requestedSchema\":{\"type\":"
    "\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"default\":\"" EVIL "\"}}}}\n"
    " text %r\n"
    "on call:ask_url\n"
    " ask elicitation/create {\"mode\":\"url\",\"message\":\"" EVIL "\",\"url\":"
    "\"https://example.com/\\u00e9\",\"elicitationId\":\"" EVIL "\"}\n"
    " text %r\n"
    "on call:fail\n"
    " line {\"jsonrpc\":\"2.0\",\"id\":%i,\"error\":{\"code\":-32000,\"message\":"
    "\"m\\\\u0000\\\\ud800\",\"data\":{\"\\\\u0000\":\"\\\\ud800\"}}}\n"
    "on call:bytes\n"
    " line {\"jsonrpc\":\"2.0\",\"id\":%i,\"result\":{\"content\":[{\"type\":\"text\","
    "\"text\":\"b\\xff\\xed\\xa0\\x80\"}],\"structuredContent\":{\"\\xc0\":\"\\xf8\"}}}\n"
    "on call:large\n"
    " text-bytes 1M\n"
    "on call:die\n"
    " stderr died \\xff\\xc0\\x80\\x1b[31m\n"
    " exit 1\n";

static void
look_at_event(const mcphost_event *event)
{
    GET(mcphost_event_get_source_id, event);
    GET(mcphost_event_get_server_id, event);
    GET(mcphost_event_get_dialog_id, event);
    GET(mcphost_event_get_text, event);
    GET(mcphost_event_get_level, event);
    GET(mcphost_event_get_uri, event);
    GET_LEN(mcphost_event_get_data, event);
}

static void
on_event(struct hostrig *rig, const mcphost_event *event)
{
    (void)rig;
    look_at_event(event);
    if (mcphost_event_get_kind(event) == MCPHOST_EVENT_REQUEST &&
        mcphost_event_get_state(event) == 1 && !asked)
        asked = mcphost_request_ref(mcphost_event_get_request(event));
}

static void
on_log(int level, const char *room, const char *server, const char *line, void *arg)
{
    (void)level;
    (void)arg;
    texts_check_plain("mcphost_log_fn", room);
    texts_check_plain("mcphost_log_fn", server);
    texts_check_plain("mcphost_log_fn", line);
}

/* Checks `server` and `name`.  Leaves the name unchanged. */
static int
on_name(const char *server, const char *name, char *buffer, size_t size, void *arg)
{
    (void)arg;
    texts_check_plain("mcphost_name_fn", server);
    texts_check_plain("mcphost_name_fn", name);
    snprintf(buffer, size, "%s", name);
    return 0;
}

static int
on_builtin(mcphost_call *call, const char *arguments, size_t len, void *arg)
{
    (void)arg;
    texts_check("mcphost_builtin_fn", arguments, len);
    return mcphost_call_answer(call, "ok", 2, 0);
}

static void
add_builtin(void)
{
    ck_assert_int_eq(mcphost_view_add_builtin(mcphost_default_view(hr.host), "own", "own",
                                              "\xc3\xa9", "{}", on_builtin, NULL, NULL,
                                              NULL),
                     0);
}

static void
load_server(const char *keys)
{
    mcphost_config *config;

    hr_server(&hr, "a", keys, script);
    hr_save(&hr);
    ck_assert_int_eq(mcphost_config_load_workspace(hr.ws.dir, &config, NULL), 0);
    ck_assert_int_eq(mcphost_source_load(plug, config), 0);
    mcphost_config_unref(config);
    hr_ready(&hr);
}

static void
up(void)
{
    hr_up(&hr);
    hr.on_event = on_event;
    asked = NULL;
    ck_assert_int_eq(mcphost_set_log(hr.host, MCPHOST_LOG_TRACE, on_log, NULL, NULL), 0);
    hr_option(&hr, MCPHOST_OPT_REQUESTS, MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL);
    add_builtin();
    ck_assert_int_eq(mcphost_source_new(hr.host, "plug", &plug, NULL), 0);
    ck_assert_int_eq(
        mcphost_view_add_source(mcphost_default_view(hr.host), plug, NULL, 0), 0);
    ck_assert_int_eq(mcphost_source_set_name_fn(plug, on_name, NULL, NULL), 0);
    load_server("scope: agent\nmanual: {content: \"m\\u00e9\"}");
    d = hr_dialog(&hr, "d");
    ck_assert_int_eq(mcphost_dialog_set_agent(d, "agent"), 0);
    ck_assert_int_eq(mcphost_dialog_set_workspace(d, "/w"), 0);
    ck_assert_int_eq(mcphost_dialog_set_artifact_dir(d, hr.ws.dir, 0, NULL), 0);
}

static void
down(void)
{
    mcphost_request_unref(asked);
    hr_close(&hr);
    mcphost_source_unref(plug);
    hr_clear(&hr);
}

/* ---- catalogs ---------------------------------------------------------------------- */

static void
look_at_tool(const mcphost_tool *tool)
{
    GET(mcphost_tool_get_name, tool);
    GET(mcphost_tool_get_original_name, tool);
    GET(mcphost_tool_get_source_id, tool);
    GET(mcphost_tool_get_server_id, tool);
    GET(mcphost_tool_get_toolset, tool);
    GET_LEN(mcphost_tool_get_app_uri, tool);
    GET_LEN(mcphost_tool_get_title, tool);
    GET_LEN(mcphost_tool_get_description, tool);
    GET_LEN(mcphost_tool_get_input_schema, tool);
    GET_LEN(mcphost_tool_get_output_schema, tool);
    GET_LEN(mcphost_tool_get_annotations, tool);
    GET_LEN(mcphost_tool_get_definition, tool);
}

static void
look_at_more(mcphost_catalog *catalog)
{
    mcphost_prompt *prompt = mcphost_catalog_get_prompt(catalog, 0);
    mcphost_resource *resource = mcphost_catalog_get_resource(catalog, 0);
    mcphost_resource_template *template =
        mcphost_catalog_get_resource_template(catalog, 0);
    mcphost_skill *skill = mcphost_catalog_get_skill(catalog, 0);
    const char *json;
    size_t len;

    GET(mcphost_skill_get_uri, skill);
    GET_LEN(mcphost_skill_get_name, skill);
    GET_LEN(mcphost_skill_get_description, skill);
    GET_LEN(mcphost_skill_get_frontmatter, skill);
    GET_LEN(mcphost_skill_get_entry, skill);
    GET(mcphost_skill_get_source_id, skill);
    GET(mcphost_skill_get_server_id, skill);
    GET(mcphost_prompt_get_name, prompt);
    GET(mcphost_prompt_get_original_name, prompt);
    GET_LEN(mcphost_prompt_get_title, prompt);
    GET_LEN(mcphost_prompt_get_description, prompt);
    GET_LEN(mcphost_prompt_get_arguments, prompt);
    GET_LEN(mcphost_prompt_get_definition, prompt);
    GET(mcphost_prompt_get_source_id, prompt);
    GET(mcphost_prompt_get_server_id, prompt);
    GET(mcphost_prompt_get_toolset, prompt);
    GET(mcphost_resource_get_uri, resource);
    GET(mcphost_resource_get_id, resource);
    GET_LEN(mcphost_resource_get_name, resource);
    GET_LEN(mcphost_resource_get_title, resource);
    GET_LEN(mcphost_resource_get_description, resource);
    GET_LEN(mcphost_resource_get_mime_type, resource);
    GET_LEN(mcphost_resource_get_annotations, resource);
    GET_LEN(mcphost_resource_get_definition, resource);
    GET(mcphost_resource_get_source_id, resource);
    GET(mcphost_resource_get_server_id, resource);
    GET(mcphost_resource_get_toolset, resource);
    GET(mcphost_resource_template_get_uri_template, template);
    GET(mcphost_resource_template_get_id, template);
    GET_LEN(mcphost_resource_template_get_name, template);
    GET_LEN(mcphost_resource_template_get_title, template);
    GET_LEN(mcphost_resource_template_get_description, template);
    GET_LEN(mcphost_resource_template_get_mime_type, template);
    GET_LEN(mcphost_resource_template_get_annotations, template);
    GET_LEN(mcphost_resource_template_get_definition, template);
    GET(mcphost_resource_template_get_source_id, template);
    GET(mcphost_resource_template_get_server_id, template);
    GET(mcphost_resource_template_get_toolset, template);
    ck_assert_int_eq(mcphost_catalog_get_prompts_json(catalog, NULL, &json, &len, NULL),
                     0);
    texts_check("mcphost_catalog_get_prompts_json", json, len);
    ck_assert_int_eq(mcphost_catalog_get_resources_json(catalog, NULL, &json, &len, NULL),
                     0);
    texts_check("mcphost_catalog_get_resources_json", json, len);
    ck_assert_int_eq(
        mcphost_catalog_get_resource_templates_json(catalog, NULL, &json, &len, NULL), 0);
    texts_check("mcphost_catalog_get_resource_templates_json", json, len);
}

static void
look_at_catalog(mcphost_catalog *catalog)
{
    mcphost_server *server = mcphost_catalog_get_server(catalog, 0);

    for (size_t i = 0; i < mcphost_catalog_count_tools(catalog); i++)
        look_at_tool(mcphost_catalog_get_tool(catalog, i));
    for (size_t i = 0; i <= mcphost_catalog_count_toolsets(catalog); i++) {
        GET(mcphost_catalog_get_toolset, catalog, i);
        GET(mcphost_catalog_get_toolset_owner, catalog, i);
        GET_LEN(mcphost_catalog_get_toolset_description, catalog, i);
    }
    for (int shape = 0; shape < 5; shape++) {
        const char *json;
        size_t len;

        ck_assert_int_eq(
            mcphost_catalog_get_tools_json(catalog, shape, NULL, &json, &len, NULL), 0);
        texts_check("mcphost_catalog_get_tools_json", json, len);
    }
    GET(mcphost_server_get_source_id, server);
    GET(mcphost_server_get_id, server);
    GET(mcphost_server_get_toolset, server);
    GET_LEN(mcphost_server_get_title, server);
    GET_LEN(mcphost_server_get_description, server);
    GET_LEN(mcphost_server_get_instructions, server);
    GET_LEN(mcphost_server_get_manual, server);
    GET_LEN(mcphost_server_get_icons, server);
    look_at_more(catalog);
}

static void
look_at_projection(mcphost_catalog *catalog, mcphost_tool *tool)
{
    static const char arguments[] = "{\"" EVIL "\":\"" EVIL "\"}";
    mcphost_projection *p;

    ck_assert_int_eq(mcphost_projection_new(catalog, MCPHOST_SHAPE_GEMINI,
                                            MCPHOST_PROFILE_GEMINI, 0, &p, NULL),
                     0);
    GET_LEN(mcphost_projection_get_json, p);
    GET(mcphost_projection_get_name, p, tool);
    MAKE(mcphost_projection_restore_arguments, p, tool, arguments, strlen(arguments),
         &text_, &len_, NULL);
    mcphost_projection_unref(p);
}

/* R51 R52 */
START_TEST(texts_of_catalogs_are_utf8_and_end_with_a_nul)
{
    mcphost_grant *grant = hr_grant("*", "b\xc3\xb6se");
    mcphost_catalog *catalog;
    mcphost_tool *tool;
    mcphost_view *view;
    const char *text;
    size_t len;

    up();
    ck_assert_int_eq(mcphost_dialog_get_catalog(d, &catalog), 0);
    look_at_catalog(catalog);
    tool = mcphost_catalog_find_tool(catalog, "a_say");
    ck_assert_ptr_nonnull(tool);
    text = mcphost_tool_get_description(tool, &len);
    ck_assert_uint_eq(len, sizeof(EVILS) - 1); /* a NUL does not end the text */
    ck_assert_mem_eq(text, EVILS, sizeof(EVILS));
    text = mcphost_server_get_instructions(mcphost_catalog_get_server(catalog, 0), &len);
    ck_assert_mem_eq(text, EVILS, sizeof(EVILS));
    tool = mcphost_catalog_find_tool(catalog, "a_empty");
    ck_assert_ptr_null(mcphost_tool_get_description(tool, &len));
    look_at_projection(catalog, mcphost_catalog_find_tool(catalog, "a_say"));
    mcphost_catalog_unref(catalog);
    ck_assert_int_eq(mcphost_view_new(hr.host, "v", grant, &view, NULL), 0);
    ck_assert_int_eq(mcphost_view_get_catalog(view, &catalog), 0);
    GET(mcphost_catalog_get_missing, catalog, 0, NULL, NULL);
    mcphost_catalog_unref(catalog);
    mcphost_view_unref(view);
    mcphost_grant_unref(grant);
    GET(mcphost_source_get_id, plug);
    down();
    texts_expect("tool_ catalog_ server_ projection_ source_ name_fn");
}
END_TEST

/* ---- calls, results, items --------------------------------------------------------- */

static void
on_progress(mcphost_call *call, double progress, double total, const char *message,
            size_t len, void *arg)
{
    (void)call;
    (void)progress;
    (void)total;
    (void)arg;
    texts_check("mcphost_progress_fn", message, len);
}

static void
look_at_result(mcphost_result *result, bool json_first)
{
    const char *text;
    size_t len;

    if (json_first)
        GET_LEN(mcphost_result_get_json, result);
    for (size_t i = 0; i <= mcphost_result_count_items(result); i++) {
        if (mcphost_result_item_get_text(result, i, &text, &len) == 0)
            texts_check("mcphost_result_item_get_text", text, len);
        GET_LEN(mcphost_result_item_get_json, result, i);
        GET(mcphost_result_item_get_mime_type, result, i);
        GET_LEN(mcphost_result_item_get_uri, result, i);
        GET_LEN(mcphost_result_item_get_role, result, i);
    }
    for (size_t i = 0; i <= mcphost_result_count_values(result); i++)
        GET_LEN(mcphost_result_get_value, result, i);
    GET_LEN(mcphost_result_get_structured, result);
    GET_LEN(mcphost_result_get_json, result);
}

static int
on_artifact(const char *path, uint64_t size, int64_t mtime_ms, void *arg)
{
    (void)size;
    (void)mtime_ms;
    (void)arg;
    texts_check_plain("mcphost_artifact_fn", path);
    return 0;
}

static void
look_at_items(mcphost_call *call)
{
    mcphost_items *items;

    ck_assert_int_eq(mcphost_call_make_items(call, &items, NULL), 0);
    GET_LEN(mcphost_items_get_json, items);
    GET_LEN(mcphost_items_get_text, items);
    MAKE(mcphost_items_make_parts, items, MCPHOST_SHAPE_ANTHROPIC, 0, &text_, &len_,
         NULL);
    MAKE(mcphost_items_make_user_parts, items, MCPHOST_SHAPE_OPENAI_CHAT, 0, &text_,
         &len_, NULL);
    mcphost_items_unref(items);
}

static mcphost_call *
call_of(const char *tool)
{
    mcphost_call *call = hr_call(&hr, d, tool, "{\"a\":\"\\u00e9\\n\"}");

    ck_assert_int_eq(mcphost_call_set_progress(call, on_progress, NULL, NULL), 0);
    hr_go(call);
    (void)hr_end(&hr, call);
    return call;
}

/* Checks the texts of reads, completions, prompts, tasks and subscriptions. */
static void
look_at_readings(void)
{
    mcphost_subscription *subscription;
    mcphost_call *calls[3], *task;

    ck_assert_int_eq(mcphost_call_new_read(d, "plug:a", "a:b", &calls[0], NULL), 0);
    ck_assert_int_eq(mcphost_call_new_complete_template(d, "plug:a", "a:{b}", "b", "",
                                                        NULL, 0, &calls[1], NULL),
                     0);
    ck_assert_int_eq(mcphost_call_new_prompt(d, "a_say", NULL, 0, &calls[2], NULL), 0);
    ck_assert_int_eq(mcphost_call_new_get_task(d, "plug:a", "t", &task, NULL), 0);
    GET(mcphost_call_get_task_id, task);
    mcphost_call_unref(task);
    ck_assert_int_eq(mcphost_subscribe(d, "plug:a", "a:b", &subscription, NULL), 0);
    GET(mcphost_subscription_get_uri, subscription);
    GET(mcphost_subscription_get_source_id, subscription);
    GET(mcphost_subscription_get_server_id, subscription);
    GET(mcphost_subscription_get_dialog_id, subscription);
    mcphost_subscription_unref(subscription);
    for (int i = 0; i < 3; i++) {
        hr_go(calls[i]);
        ck_assert_int_eq(hr_end(&hr, calls[i]), 0);
        look_at_result(mcphost_call_get_result(calls[i]), false);
        look_at_items(calls[i]);
        mcphost_call_unref(calls[i]);
    }
}

/* R68 R70 R74 */
START_TEST(texts_of_calls_are_utf8_and_end_with_a_nul)
{
    static const char *const tools[] = {"a_say", "a_bytes", "a_large", "own"};
    const char *text;
    char path[256];
    size_t len;

    up();
    for (size_t i = 0; i < 2 * MCPH_ARRAY_SIZE(tools); i++) {
        mcphost_call *call = call_of(tools[i / 2]);

        GET_LEN(mcphost_call_get_arguments, call);
        GET(mcphost_call_get_dialog_id, call);
        ck_assert_ptr_nonnull(mcphost_call_get_result(call));
        look_at_result(mcphost_call_get_result(call), i % 2);
        look_at_items(call);
        look_at_result(mcphost_call_get_result(call), true);
    }
    look_at_readings();
    ck_assert_int_eq(mcphost_result_item_get_text(
                         mcphost_call_get_result(call_of("a_say")), 0, &text, &len),
                     0);
    ck_assert_uint_eq(len, sizeof(EVILS) - 1);
    ck_assert_mem_eq(text, EVILS, sizeof(EVILS));
    /* Add a directory and a file whose names are not UTF-8, as another program might
     * do. */
    snprintf(path, sizeof(path), "%s/artifacts/mcp/a/say/b\xff", hr.ws.dir);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/artifacts/mcp/a/b\xff.png", hr.ws.dir);
    fclose(fopen(path, "w"));
    ck_assert_int_eq(mcphost_artifact_list(hr.ws.dir, on_artifact, NULL, NULL), 0);
    GET(mcphost_artifact_get_mime_type, "a.png");
    down();
    texts_expect("result_ items_ call_ progress_fn builtin_fn log_fn event_ artifact_");
}
END_TEST

/* ---- requests ---------------------------------------------------------------------- */

static void
look_at_request(const char *tool)
{
    mcphost_call *call;

    mcphost_request_unref(asked);
    asked = NULL;
    call = hr_start(&hr, d, tool, "{}");
    hr_until(&hr, asked != NULL);
    GET(mcphost_request_get_source_id, asked);
    GET(mcphost_request_get_server_id, asked);
    GET(mcphost_request_get_dialog_id, asked);
    GET(mcphost_request_get_message, asked);
    GET(mcphost_request_get_url, asked);
    GET_LEN(mcphost_request_get_schema, asked);
    GET_LEN(mcphost_request_get_defaults, asked);
    GET_LEN(mcphost_request_get_params, asked);
    GET(mcphost_request_get_param, asked, "url");
    ck_assert_int_eq(mcphost_request_reject(asked, MCPHOST_REJECT_DECLINE, NULL), 0);
    ck_assert_int_eq(hr_end(&hr, call), 0);
}

START_TEST(texts_of_requests_are_utf8_and_end_with_a_nul)
{
    up();
    look_at_request("a_ask");
    look_at_request("a_ask_url");
    down();
    texts_expect("request_");
}
END_TEST

/* ---- errors, problems, status ------------------------------------------------------ */

static void
look_at_error(const mcphost_error *err)
{
    if (!err)
        return;
    GET(mcphost_error_get_message, err);
    GET(mcphost_error_get_server_id, err);
    GET(mcphost_error_get_source_id, err);
    GET(mcphost_error_get_file, err);
    GET(mcphost_error_get_stderr_tail, err);
    GET(mcphost_error_get_retry_after, err);
    GET_LEN(mcphost_error_get_rpc_data, err);
    MAKE(mcphost_error_make_json, err, &text_, &len_);
}

static void
look_at_problems(void)
{
    mcphost_problems *problems;

    ck_assert_int_eq(mcphost_get_problems(hr.host, &problems), 0);
    for (size_t i = 0; i < mcphost_problems_count(problems); i++) {
        mcphost_problem *problem = mcphost_problems_get(problems, i);

        GET(mcphost_problem_get_id, problem);
        GET(mcphost_problem_get_kind, problem);
        GET(mcphost_problem_get_message, problem);
        GET(mcphost_problem_get_source_id, problem);
        GET(mcphost_problem_get_server_id, problem);
        GET_LEN(mcphost_problem_get_detail, problem);
        MAKE(mcphost_problem_make_json, problem, &text_, &len_);
    }
    MAKE(mcphost_problems_make_json, problems, &text_, &len_);
    mcphost_problems_unref(problems);
}

static void
look_at_status(void)
{
    mcphost_status *status;

    ck_assert_int_eq(mcphost_get_status(hr.host, &status), 0);
    for (size_t i = 0; i < mcphost_status_count_servers(status); i++) {
        GET(mcphost_status_server_get_source_id, status, i);
        GET(mcphost_status_server_get_id, status, i);
        GET(mcphost_status_server_get_version, status, i);
        look_at_error(mcphost_status_server_get_error(status, i));
        MAKE(mcphost_status_server_make_json, status, i, &text_, &len_);
    }
    for (size_t i = 0; i < mcphost_status_count_leases(status); i++) {
        GET(mcphost_status_lease_get_source_id, status, i);
        GET(mcphost_status_lease_get_server_id, status, i);
        GET(mcphost_status_lease_get_dialog_id, status, i);
        GET(mcphost_status_lease_get_scope_key, status, i);
    }
    MAKE(mcphost_status_make_json, status, &text_, &len_);
    mcphost_status_unref(status);
}

static void
look_at_lease(void)
{
    mcphost_lease *lease;

    ck_assert_int_eq(mcphost_dialog_get_lease(d, "plug:a", &lease), 0);
    GET(mcphost_lease_get_source_id, lease);
    GET(mcphost_lease_get_server_id, lease);
    GET(mcphost_lease_get_dialog_id, lease);
    GET(mcphost_lease_get_scope_key, lease);
    mcphost_lease_unref(lease);
}

static void
look_at_dialog(void)
{
    static const char why[] = "e\0\xc3\xa9";

    GET(mcphost_dialog_get_id, d);
    GET(mcphost_dialog_get_root_id, d);
    GET(mcphost_dialog_get_agent, d);
    GET(mcphost_dialog_get_workspace, d);
    ck_assert_int_eq(mcphost_dialog_report_rejection(d, "provider", why, sizeof(why) - 1),
                     0);
    MAKE(mcphost_dialog_get_stop_reason, d, &text_, &len_);
}

START_TEST(texts_of_failures_are_utf8_and_end_with_a_nul) /* B.17 */
{
    static const char refusal[] = "HTTP/1.1 429 To\xff many\r\nRetry-After: 5\xff\r\n"
                                  "Content-Length: 3\r\n\r\nb\xff\0";
    static const struct canned_answer answers[] = {
        {refusal, sizeof(refusal) - 1, CANNED_KEEP, 0},
        {refusal, sizeof(refusal) - 1, CANNED_KEEP, 0},
        {refusal, sizeof(refusal) - 1, CANNED_KEEP, 0},
    };
    struct canned *web = canned_up(answers, MCPH_ARRAY_SIZE(answers));
    char entry[256];

    up();
    look_at_error(mcphost_call_get_error(call_of("a_fail")));
    look_at_lease();
    look_at_status();
    look_at_error(mcphost_call_get_error(call_of("a_die")));
    hr_edit(&hr);
    snprintf(entry, sizeof(entry),
             "h: {transport: streamable_http, url: \"http://127.0.0.1:%d/mcp\"}",
             canned_port(web));
    hr_entry(&hr, entry);
    load_server("scope: agent\n\"odd\\u00e9\": 1");
    look_at_status();
    look_at_problems();
    look_at_dialog();
    MAKE(mcphost_get_verdicts, hr.host, "0123456789abcdef0123456789abcdef", 32, &text_,
         &len_);
    down();
    canned_down(web);
    texts_expect(
        "lease_ status_ problem dialog_ get_ error_get_m error_get_r error_get_s "
        "error_make_");
}
END_TEST

/* ---- functions that need no host --------------------------------------------------- */

static void
look_at_config(const mcphost_config *config)
{
    char hex[MCPHOST_CONFIG_HASH_SIZE], keys[64];

    GET(mcphost_config_get_file, config);
    GET(mcphost_config_get_workspace, config);
    for (size_t i = 0; i < mcphost_config_count_servers(config); i++) {
        GET(mcphost_config_server_get_id, config, i);
        GET(mcphost_config_server_get_file, config, i);
        if (mcphost_config_server_get_state(config, i) != MCPHOST_CONFIG_SERVER_VALID)
            continue;
        ck_assert_int_eq(mcphost_config_server_get_hash(config, i,
                                                        MCPHOST_CONFIG_HASH_VIEW,
                                                        "0123456789abcdef", 16, hex),
                         0);
        texts_check_plain("mcphost_config_server_get_hash", hex);
        ck_assert_int_ge(mcphost_config_server_compare(
                             config, config, mcphost_config_server_get_id(config, i),
                             keys, sizeof(keys)),
                         0);
        texts_check_plain("mcphost_config_server_compare", keys);
        MAKE(mcphost_config_server_make_json, config, i, &text_, &len_);
    }
    for (size_t i = 0; i < mcphost_config_count_diagnostics(config); i++) {
        GET(mcphost_config_diagnostic_get_file, config, i);
        GET(mcphost_config_diagnostic_get_key, config, i);
        GET(mcphost_config_diagnostic_get_message, config, i);
        GET(mcphost_config_diagnostic_get_server_id, config, i);
    }
}

START_TEST(texts_of_configurations_are_utf8_and_end_with_a_nul)
{
    static const char *const texts[] = {
        "version: 1\nservers:\n  good: {transport: stdio, command: \"c\\u00e9\"}\n"
        "  bad: {transport: \"s\\u00e9\", command: x, \"odd\\u00e9\": 1}\n",
        "version: 1\nservers:\n  \"b\\0\\u00e9\": {transport: stdio, command: x}\n",
        "version: 1\nservers:\n  x\xff: {}\n",
        "\xff",
    };
    struct rig_workspace ws;
    mcphost_config *config;
    mcphost_error *err = NULL;

    rig_workspace_up(&ws, NULL);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(texts); i++) {
        rig_workspace_write(&ws, "f\xff.yaml", "%s", texts[i]);
        ck_assert_int_eq(mcphost_config_load_file(rig_workspace_path(&ws, "f\xff.yaml"),
                                                  "/w\xff", &config, NULL),
                         0);
        look_at_config(config);
        mcphost_config_unref(config);
    }
    ck_assert_int_lt(mcphost_config_file_set_enabled("/no/such\xff", "a", 1, &err), 0);
    look_at_error(err);
    mcphost_error_unref(err);
    rig_workspace_down(&ws);
    texts_expect("config_");
}
END_TEST

static int
on_document(mcphost_schema *schema, const char *uri, void *arg)
{
    (void)arg;
    texts_check_plain("mcphost_schema_document_fn", uri);
    return mcphost_schema_add_document(schema, uri, "true", 4, NULL);
}

START_TEST(texts_of_schemas_are_utf8_and_end_with_a_nul)
{
    static const char json[] = "{\"properties\":{\"" EVIL "\":{\"const\":\"" EVIL "\"},"
                               "\"b\":{\"$ref\":\"http://x.example/\\u00e9\"},"
                               "\"c\":{\"default\":\"" EVIL "\"}}}";
    static const char value[] = "{\"" EVIL "\":\"x" EVIL "\"}";
    mcphost_schema_report *report;
    mcphost_schema *schema;

    ck_assert_int_eq(mcphost_schema_new(&schema), 0);
    ck_assert_int_eq(mcphost_schema_set_documents(schema, on_document, NULL, NULL), 0);
    ck_assert_int_eq(mcphost_schema_compile(schema, json, strlen(json), NULL), 0);
    ck_assert_int_eq(mcphost_schema_validate(schema, value, strlen(value),
                                             MCPHOST_SCHEMA_DEFAULTS, &report, NULL),
                     MCPHOST_SCHEMA_INVALID);
    GET(mcphost_schema_report_get_instance_path, report, 0);
    GET(mcphost_schema_report_get_schema_path, report, 0);
    GET(mcphost_schema_report_get_keyword, report, 0);
    GET(mcphost_schema_report_get_expected, report, 0);
    GET(mcphost_schema_report_get_found, report, 0);
    GET(mcphost_schema_report_get_text, report);
    GET_LEN(mcphost_schema_report_get_json, report);
    GET_LEN(mcphost_schema_report_get_instance, report);
    mcphost_schema_report_unref(report);
    mcphost_schema_unref(schema);
    texts_expect("schema_");
}
END_TEST

START_TEST(the_librarys_own_texts_are_utf8_and_end_with_a_nul)
{
    mcphost_builtins *builtins;
    mcphost_transform *transform;
    mcphost_filter *filter;
    const char *pattern;
    char name[128];

    GET(mcphost_version);
    for (int code = -100; code <= 0; code++)
        GET(mcphost_strerror, code);
    for (int value = -100; value < 100; value++)
        for (int which = 0; which < 100; which++)
            GET(mcphost_enum_get_name, which, value);
    ck_assert_int_eq(mcphost_builtins_new("b\xc3\xb6se", &builtins, NULL), 0);
    GET(mcphost_builtins_get_owner, builtins);
    mcphost_builtins_unref(builtins);
    ck_assert_int_eq(mcphost_filter_new(&filter), 0);
    ck_assert_int_eq(mcphost_filter_add_blacklist(filter, "b\xff*"), MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_filter_add_blacklist(filter, "b\xc3\xb6*"), 0);
    ck_assert_int_eq(mcphost_filter_match(filter, "b\xc3\xb6se", &pattern),
                     MCPHOST_FILTER_BLACKLISTED);
    texts_check_plain("mcphost_filter_match", pattern);
    mcphost_filter_unref(filter);
    ck_assert_int_eq(mcphost_transform_new(&transform), 0);
    ck_assert_int_eq(mcphost_transform_apply(transform, "b\xff", name, sizeof(name)),
                     MCPHOST_E_INVALID);
    ck_assert_int_eq(mcphost_transform_add_prefix(transform, "b\xff"), MCPHOST_E_INVALID);
    ck_assert_int_gt(
        mcphost_transform_apply(transform, "b\xc3\xb6se", name, sizeof(name)), 0);
    texts_check_plain("mcphost_transform_apply", name);
    mcphost_transform_unref(transform);
}
END_TEST

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "texts");

    tcase_set_timeout(tc, 30);
    tcase_add_test(tc, texts_of_catalogs_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, texts_of_calls_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, texts_of_requests_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, texts_of_failures_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, texts_of_configurations_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, texts_of_schemas_are_utf8_and_end_with_a_nul);
    tcase_add_test(tc, the_librarys_own_texts_are_utf8_and_end_with_a_nul);
}

int
main(void)
{
    return test_main("host-texts", add);
}
