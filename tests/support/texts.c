/* SPDX-License-Identifier: MIT
 *
 * texts.c - checks the texts of the library against the rule for texts in types.h.
 *
 * The table has a row for each function that gives a text to the application.
 */
#include <string.h>

#include "json/json.h"
#include "support/texts.h"

enum form {
    PLAIN, /* text without a length; no NUL inside */
    TEXT,  /* text with a length; may have NULs inside */
    JSON,  /* valid JSON with a length; no NUL inside */
    BYTES  /* file name; may have bytes that are not UTF-8 */
};

static struct row {
    const char *name;
    enum form form;
    int n; /* number of texts that were checked so far */
} rows[] = {
    {"mcphost_answered_fn", JSON, 0},
    {"mcphost_artifact_fn", PLAIN, 0},
    {"mcphost_artifact_get_mime_type", PLAIN, 0},
    {"mcphost_builtin_fn", JSON, 0},
    {"mcphost_builtins_get_owner", PLAIN, 0},
    {"mcphost_call_get_arguments", JSON, 0},
    {"mcphost_call_get_dialog_id", PLAIN, 0},
    {"mcphost_call_get_task_id", PLAIN, 0},
    {"mcphost_catalog_get_missing", PLAIN, 0},
    {"mcphost_catalog_get_prompts_json", JSON, 0},
    {"mcphost_catalog_get_resource_templates_json", JSON, 0},
    {"mcphost_catalog_get_resources_json", JSON, 0},
    {"mcphost_catalog_get_tools_json", JSON, 0},
    {"mcphost_catalog_get_toolset", PLAIN, 0},
    {"mcphost_catalog_get_toolset_description", TEXT, 0},
    {"mcphost_catalog_get_toolset_owner", PLAIN, 0},
    {"mcphost_chatos_get_contribution", JSON, 0},
    {"mcphost_chatos_list_apps", JSON, 0},
    {"mcphost_chatos_put_fn", JSON, 0},
    {"mcphost_chatos_run_get_json", JSON, 0},
    {"mcphost_config_diagnostic_get_file", PLAIN, 0},
    {"mcphost_config_diagnostic_get_key", PLAIN, 0},
    {"mcphost_config_diagnostic_get_message", PLAIN, 0},
    {"mcphost_config_diagnostic_get_server_id", PLAIN, 0},
    {"mcphost_config_get_file", BYTES, 0},
    {"mcphost_config_get_workspace", BYTES, 0},
    {"mcphost_config_server_compare", PLAIN, 0},
    {"mcphost_config_server_get_file", BYTES, 0},
    {"mcphost_config_server_get_hash", PLAIN, 0},
    {"mcphost_config_server_get_id", PLAIN, 0},
    {"mcphost_config_server_make_json", JSON, 0},
    {"mcphost_dialog_get_agent", PLAIN, 0},
    {"mcphost_dialog_get_id", PLAIN, 0},
    {"mcphost_dialog_get_root_id", PLAIN, 0},
    {"mcphost_dialog_get_stop_reason", JSON, 0},
    {"mcphost_dialog_get_workspace", PLAIN, 0},
    {"mcphost_enum_get_name", PLAIN, 0},
    {"mcphost_error_get_file", BYTES, 0},
    {"mcphost_error_get_message", PLAIN, 0},
    {"mcphost_error_get_retry_after", PLAIN, 0},
    {"mcphost_error_get_rpc_data", JSON, 0},
    {"mcphost_error_get_server_id", PLAIN, 0},
    {"mcphost_error_get_source_id", PLAIN, 0},
    {"mcphost_error_get_stderr_tail", PLAIN, 0},
    {"mcphost_error_make_json", JSON, 0},
    {"mcphost_event_get_data", JSON, 0},
    {"mcphost_event_get_dialog_id", PLAIN, 0},
    {"mcphost_event_get_level", PLAIN, 0},
    {"mcphost_event_get_server_id", PLAIN, 0},
    {"mcphost_event_get_source_id", PLAIN, 0},
    {"mcphost_event_get_text", PLAIN, 0},
    {"mcphost_event_get_uri", PLAIN, 0},
    {"mcphost_filter_match", PLAIN, 0},
    {"mcphost_get_verdicts", JSON, 0},
    {"mcphost_goclaw_make_skills_json", JSON, 0},
    {"mcphost_items_get_json", JSON, 0},
    {"mcphost_items_get_text", TEXT, 0},
    {"mcphost_items_make_parts", JSON, 0},
    {"mcphost_items_make_user_parts", JSON, 0},
    {"mcphost_lease_get_dialog_id", PLAIN, 0},
    {"mcphost_lease_get_scope_key", PLAIN, 0},
    {"mcphost_lease_get_server_id", PLAIN, 0},
    {"mcphost_lease_get_source_id", PLAIN, 0},
    {"mcphost_log_fn", PLAIN, 0},
    {"mcphost_logins_get_account", PLAIN, 0},
    {"mcphost_logins_get_issuer", PLAIN, 0},
    {"mcphost_logins_get_resource", PLAIN, 0},
    {"mcphost_logins_get_scope", PLAIN, 0},
    {"mcphost_logins_get_server_id", PLAIN, 0},
    {"mcphost_name_fn", PLAIN, 0},
    {"mcphost_plugin_rows_get_file", BYTES, 0},
    {"mcphost_plugin_rows_get_id", PLAIN, 0},
    {"mcphost_plugin_rows_make_json", JSON, 0},
    {"mcphost_problem_get_detail", JSON, 0},
    {"mcphost_problem_get_id", PLAIN, 0},
    {"mcphost_problem_get_kind", PLAIN, 0},
    {"mcphost_problem_get_message", PLAIN, 0},
    {"mcphost_problem_get_server_id", PLAIN, 0},
    {"mcphost_problem_get_source_id", PLAIN, 0},
    {"mcphost_problem_make_json", JSON, 0},
    {"mcphost_problems_make_json", JSON, 0},
    {"mcphost_progress_fn", TEXT, 0},
    {"mcphost_projection_get_json", JSON, 0},
    {"mcphost_projection_get_name", PLAIN, 0},
    {"mcphost_projection_restore_arguments", JSON, 0},
    {"mcphost_prompt_get_arguments", JSON, 0},
    {"mcphost_prompt_get_definition", JSON, 0},
    {"mcphost_prompt_get_description", TEXT, 0},
    {"mcphost_prompt_get_name", PLAIN, 0},
    {"mcphost_prompt_get_original_name", PLAIN, 0},
    {"mcphost_prompt_get_server_id", PLAIN, 0},
    {"mcphost_prompt_get_source_id", PLAIN, 0},
    {"mcphost_prompt_get_title", TEXT, 0},
    {"mcphost_prompt_get_toolset", PLAIN, 0},
    {"mcphost_provider_call_get_argument", TEXT, 0},
    {"mcphost_provider_call_get_arguments", JSON, 0},
    {"mcphost_provider_call_get_dialog_id", PLAIN, 0},
    {"mcphost_provider_call_get_meta", JSON, 0},
    {"mcphost_provider_call_get_name", TEXT, 0},
    {"mcphost_provider_call_get_value", TEXT, 0},
    {"mcphost_provider_dup_config", JSON, 0},
    {"mcphost_provider_get_id", PLAIN, 0},
    {"mcphost_request_get_defaults", JSON, 0},
    {"mcphost_request_get_dialog_id", PLAIN, 0},
    {"mcphost_request_get_message", PLAIN, 0},
    {"mcphost_request_get_param", PLAIN, 0},
    {"mcphost_request_get_params", JSON, 0},
    {"mcphost_request_get_schema", JSON, 0},
    {"mcphost_request_get_server_id", PLAIN, 0},
    {"mcphost_request_get_source_id", PLAIN, 0},
    {"mcphost_request_get_url", PLAIN, 0},
    {"mcphost_resource_get_annotations", JSON, 0},
    {"mcphost_resource_get_definition", JSON, 0},
    {"mcphost_resource_get_description", TEXT, 0},
    {"mcphost_resource_get_id", PLAIN, 0},
    {"mcphost_resource_get_mime_type", TEXT, 0},
    {"mcphost_resource_get_name", TEXT, 0},
    {"mcphost_resource_get_server_id", PLAIN, 0},
    {"mcphost_resource_get_source_id", PLAIN, 0},
    {"mcphost_resource_get_title", TEXT, 0},
    {"mcphost_resource_get_toolset", PLAIN, 0},
    {"mcphost_resource_get_uri", PLAIN, 0},
    {"mcphost_resource_template_get_annotations", JSON, 0},
    {"mcphost_resource_template_get_definition", JSON, 0},
    {"mcphost_resource_template_get_description", TEXT, 0},
    {"mcphost_resource_template_get_id", PLAIN, 0},
    {"mcphost_resource_template_get_mime_type", TEXT, 0},
    {"mcphost_resource_template_get_name", TEXT, 0},
    {"mcphost_resource_template_get_server_id", PLAIN, 0},
    {"mcphost_resource_template_get_source_id", PLAIN, 0},
    {"mcphost_resource_template_get_title", TEXT, 0},
    {"mcphost_resource_template_get_toolset", PLAIN, 0},
    {"mcphost_resource_template_get_uri_template", PLAIN, 0},
    {"mcphost_result_get_json", JSON, 0},
    {"mcphost_result_get_structured", JSON, 0},
    {"mcphost_result_get_value", TEXT, 0},
    {"mcphost_result_item_get_json", JSON, 0},
    {"mcphost_result_item_get_mime_type", PLAIN, 0},
    {"mcphost_result_item_get_role", TEXT, 0},
    {"mcphost_result_item_get_text", TEXT, 0},
    {"mcphost_result_item_get_uri", TEXT, 0},
    {"mcphost_schema_document_fn", PLAIN, 0},
    {"mcphost_schema_report_get_expected", PLAIN, 0},
    {"mcphost_schema_report_get_found", PLAIN, 0},
    {"mcphost_sampling_get_json", JSON, 0},
    {"mcphost_sampling_get_note", PLAIN, 0},
    {"mcphost_sampling_make_result", JSON, 0},
    {"mcphost_schema_report_get_instance", JSON, 0},
    {"mcphost_schema_report_get_instance_path", PLAIN, 0},
    {"mcphost_schema_report_get_json", JSON, 0},
    {"mcphost_schema_report_get_keyword", PLAIN, 0},
    {"mcphost_schema_report_get_schema_path", PLAIN, 0},
    {"mcphost_schema_report_get_text", PLAIN, 0},
    {"mcphost_server_get_description", TEXT, 0},
    {"mcphost_server_get_icons", JSON, 0},
    {"mcphost_server_get_id", PLAIN, 0},
    {"mcphost_server_get_instructions", TEXT, 0},
    {"mcphost_server_get_manual", TEXT, 0},
    {"mcphost_server_get_source_id", PLAIN, 0},
    {"mcphost_server_get_title", TEXT, 0},
    {"mcphost_server_get_toolset", PLAIN, 0},
    {"mcphost_serving_get_dialog_id", PLAIN, 0},
    {"mcphost_skill_get_description", TEXT, 0},
    {"mcphost_skill_get_entry", JSON, 0},
    {"mcphost_skill_get_frontmatter", JSON, 0},
    {"mcphost_skill_get_name", TEXT, 0},
    {"mcphost_skill_get_server_id", PLAIN, 0},
    {"mcphost_skill_get_source_id", PLAIN, 0},
    {"mcphost_skill_get_uri", PLAIN, 0},
    {"mcphost_source_get_id", PLAIN, 0},
    {"mcphost_status_lease_get_dialog_id", PLAIN, 0},
    {"mcphost_status_lease_get_scope_key", PLAIN, 0},
    {"mcphost_status_lease_get_server_id", PLAIN, 0},
    {"mcphost_status_lease_get_source_id", PLAIN, 0},
    {"mcphost_status_make_json", JSON, 0},
    {"mcphost_status_server_get_id", PLAIN, 0},
    {"mcphost_status_server_get_source_id", PLAIN, 0},
    {"mcphost_status_server_get_version", PLAIN, 0},
    {"mcphost_status_server_make_json", JSON, 0},
    {"mcphost_strerror", PLAIN, 0},
    {"mcphost_subscription_get_dialog_id", PLAIN, 0},
    {"mcphost_subscription_get_server_id", PLAIN, 0},
    {"mcphost_subscription_get_source_id", PLAIN, 0},
    {"mcphost_subscription_get_uri", PLAIN, 0},
    {"mcphost_template_check", JSON, 0},
    {"mcphost_template_expand", TEXT, 0},
    {"mcphost_template_match", JSON, 0},
    {"mcphost_token_load_fn", PLAIN, 0},
    {"mcphost_token_next_fn", PLAIN, 0},
    {"mcphost_token_save_fn", PLAIN, 0},
    {"mcphost_tool_get_annotations", JSON, 0},
    {"mcphost_tool_get_app_uri", TEXT, 0},
    {"mcphost_tool_get_definition", JSON, 0},
    {"mcphost_tool_get_description", TEXT, 0},
    {"mcphost_tool_get_input_schema", JSON, 0},
    {"mcphost_tool_get_name", PLAIN, 0},
    {"mcphost_tool_get_original_name", PLAIN, 0},
    {"mcphost_tool_get_output_schema", JSON, 0},
    {"mcphost_tool_get_server_id", PLAIN, 0},
    {"mcphost_tool_get_source_id", PLAIN, 0},
    {"mcphost_tool_get_title", TEXT, 0},
    {"mcphost_tool_get_toolset", PLAIN, 0},
    {"mcphost_transform_apply", PLAIN, 0},
    {"mcphost_version", PLAIN, 0},
};

static struct row *
row_of(const char *name)
{
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    ck_abort_msg("%s has no row", name);
    return NULL;
}

void
texts_check(const char *name, const char *text, size_t len)
{
    struct row *row = row_of(name);
    size_t bad = 0;

    if (!text) {
        ck_assert_msg(len == 0, "%s: NULL with the length %zu", name, len);
        return;
    }
    row->n++;
    ck_assert_msg(text[len] == '\0', "%s: no NUL behind %zu bytes", name, len);
    if (row->form == BYTES)
        return;
    ck_assert_msg(mcph_utf8_valid(text, len, &bad), "%s: no UTF-8 at %zu: %s", name, bad,
                  text);
    if (row->form == JSON)
        ck_assert_msg(mcph_json_check(mcph_span(text, len), 0, NULL, NULL) == 0,
                      "%s: no JSON: %s", name, text);
    if (row->form != TEXT)
        ck_assert_msg(strlen(text) == len, "%s: a NUL inside", name);
}

void
texts_check_plain(const char *name, const char *text)
{
    texts_check(name, text, text ? strlen(text) : 0);
}

void
texts_expect(const char *prefixes)
{
    for (; *prefixes; prefixes += strcspn(prefixes, " ")) {
        prefixes += strspn(prefixes, " ");
        for (size_t i = 0; i < MCPH_ARRAY_SIZE(rows); i++)
            if (strncmp(rows[i].name + 8, prefixes, strcspn(prefixes, " ")) == 0)
                ck_assert_msg(rows[i].n > 0, "%s gave no text", rows[i].name);
    }
}
