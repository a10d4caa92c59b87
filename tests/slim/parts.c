/* SPDX-License-Identifier: MIT
 *
 * parts.c - uses a library that was built without some of its parts.
 *
 *   parts WORKSPACE GUARD [PART...]
 *
 * Each PART is a part that the library must not have.  The program calls functions of the
 * parts.  If the library lacks a part, a function of the part must return
 * MCPHOST_E_UNSUPPORTED.  If the function also makes an error, the error must say that
 * the library was built without the part.  If the library has the part, the function must
 * return another code.  mcphost_mcpservers_follow() is checked only if the library lacks
 * its part.  mcphost_forget_credentials() must return 0 in both cases.  Then the program
 * loads the workspace, calls the tool `desk_echo` of a stdio server, and checks the
 * problem of a server at a URL.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <mcphost/chatos.h>
#include <mcphost/goclaw.h>
#include <mcphost/mcphost.h>
#include <mcphost/mcpservers.h>

static int failures;

static void
check(int is_right, const char *what)
{
    if (is_right)
        return;
    failures++;
    printf("    wrong: %s\n", what);
}

/* Checks the code `r` that a function of `part` returned.  The code must be
 * MCPHOST_E_UNSUPPORTED if the library lacks the part, and another code if it has the
 * part.  If the library lacks the part and `has_error` is set, also checks the message of
 * `err`.  Drops the reference to `err`. */
static void
check_code(int part, int r, mcphost_error *err, int has_error, const char *function)
{
    if (mcphost_has_part(part)) {
        check(r != MCPHOST_E_UNSUPPORTED, function);
    } else {
        check(r == MCPHOST_E_UNSUPPORTED, function);
        if (has_error)
            check(err && strstr(mcphost_error_get_message(err), "built without"),
                  "the message of an error");
    }
    mcphost_error_unref(err);
}

static void
check_schema(void)
{
    mcphost_schema *schema = NULL;
    int r = mcphost_schema_new(&schema);

    check_code(MCPHOST_PART_SCHEMA, r, NULL, 0, "mcphost_schema_new");
    mcphost_schema_unref(schema);
    check(mcphost_schema_set_option(NULL, 1, 1) == MCPHOST_E_INVALID, "a NULL schema");
}

static void
check_profiles(mcphost *host)
{
    mcphost_config *config = NULL;
    mcphost_chatos *chatos = NULL;
    mcphost_builtins *builtins = NULL;
    mcphost_error *err = NULL;
    char *json = NULL;
    int r;

    r = mcphost_mcpservers_load("{}", 2, NULL, NULL, MCPHOST_ALLOW_STDIO, &config, &err);
    check_code(MCPHOST_PART_PROFILES, r, err, 1, "mcphost_mcpservers_load");
    mcphost_config_unref(config);
    config = NULL, err = NULL;
    r = mcphost_mcpservers_follow(mcphost_default_source(host), ".", NULL, NULL);
    if (!mcphost_has_part(MCPHOST_PART_PROFILES))
        check(r == MCPHOST_E_UNSUPPORTED, "mcphost_mcpservers_follow");
    r = mcphost_goclaw_load(".", NULL, 0, MCPHOST_ALLOW_STDIO, &config, &err);
    check_code(MCPHOST_PART_PROFILES, r, err, 1, "mcphost_goclaw_load");
    mcphost_config_unref(config);
    err = NULL;
    r = mcphost_goclaw_make_skills_json(".", NULL, NULL, NULL, 0, &json, NULL, &err);
    check_code(MCPHOST_PART_PROFILES, r, err, 1, "mcphost_goclaw_make_skills_json");
    mcphost_free(json);
    err = NULL;
    r = mcphost_goclaw_builtins_new(".", NULL, 0, &builtins, &err);
    check_code(MCPHOST_PART_PROFILES, r, err, 1, "mcphost_goclaw_builtins_new");
    mcphost_builtins_unref(builtins);
    err = NULL;
    r = mcphost_chatos_new(host, &chatos, &err);
    check_code(MCPHOST_PART_PROFILES, r, err, 1, "mcphost_chatos_new");
    mcphost_chatos_unref(chatos);
    err = NULL;
    r = mcphost_chatos_check_record("{}", 2, &err);
    check_code(MCPHOST_PART_PROFILES, r, err, 1, "mcphost_chatos_check_record");
}

static void
check_others(mcphost *host)
{
    mcphost_serving *serving = NULL;
    mcphost_plugins *plugins = NULL;
    mcphost_error *err = NULL;
    int fds[2], r;

    r = mcphost_plugins_new(mcphost_default_source(host), "/nonexistent", &plugins, &err);
    check_code(MCPHOST_PART_PLUGINS, r, err, 1, "mcphost_plugins_new");
    mcphost_plugins_unref(plugins);
    err = NULL;
    r = mcphost_set_credential(host, "away", NULL, "X-Key", "1", &err);
    check_code(MCPHOST_PART_AUTH, r, err, 1, "mcphost_set_credential");
    check(mcphost_forget_credentials(host, NULL) == 0, "mcphost_forget_credentials");
    err = NULL;
    check(pipe(fds) == 0, "pipe");
    r = mcphost_serve_fd(mcphost_default_view(host), fds[0], fds[1], "client", &serving,
                         &err);
    check_code(MCPHOST_PART_SERVING, r, err, 1, "mcphost_serve_fd");
    if (serving)
        mcphost_serving_close(serving);
    mcphost_serving_unref(serving);
    close(fds[0]);
    close(fds[1]);
}

/* Calls `desk_echo`.  The text of the result or of the error must contain `want`. */
static void
call_tool(mcphost *host, const char *arguments, const char *want)
{
    mcphost_dialog *dialog = NULL;
    mcphost_call *call = NULL;
    mcphost_error *err = NULL;
    const char *text = "";
    size_t len;
    int r =
        mcphost_dialog_new(mcphost_default_view(host), arguments, NULL, &dialog, &err);

    if (r == 0)
        r = mcphost_call_new(dialog, "desk_echo", arguments, strlen(arguments), &call,
                             &err);
    if (r == 0)
        r = mcphost_call_start(call, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(call, 20000) == 1 ? 0 : -1;
    if (r == 0 && mcphost_call_get_error(call))
        text = mcphost_error_get_message(mcphost_call_get_error(call));
    else if (r == 0)
        mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len);
    else if (err)
        text = mcphost_error_get_message(err);
    check(strstr(text, want) != NULL, "the result of a call");
    if (!strstr(text, want))
        printf("    '%s' instead of '%s', status %d\n", text, want, r);
    mcphost_call_unref(call);
    mcphost_dialog_unref(dialog);
    mcphost_error_unref(err);
}

/* Checks the problem of a server at a URL.  If the library lacks HTTP, a problem must say
 * "built without HTTP".  If the library has HTTP, no problem may say this. */
static void
check_server_at_url(mcphost *host)
{
    mcphost_problems *problems = NULL;
    int found = 0;

    if (mcphost_get_problems(host, &problems) < 0)
        return;
    for (size_t i = 0; i < mcphost_problems_count(problems); i++) {
        const char *text = mcphost_problem_get_message(mcphost_problems_get(problems, i));

        if (text && strstr(text, "built without HTTP"))
            found = 1;
    }
    check(found == !mcphost_has_part(MCPHOST_PART_HTTP),
          "the problem of a server at a URL");
    mcphost_problems_unref(problems);
}

int
main(int argc, char **argv)
{
    static const char *const names[] = {NULL,     "http",     "auth",   "serving",
                                        "schema", "profiles", "plugins"};
    mcphost *host = NULL;

    for (int part = 1; part <= 6; part++) {
        int left_out = 0;

        for (int i = 3; i < argc; i++)
            left_out |= strcmp(argv[i], names[part]) == 0;
        check(mcphost_has_part(part) == !left_out, names[part]);
    }
    check(mcphost_has_part(0) == 0 && mcphost_has_part(7) == 0, "an unknown part");
    if (mcphost_new(&host, NULL) < 0)
        return 1;
    if (argc < 3 || mcphost_set_guard_path(host, argv[2]) < 0)
        return 2;
    check_schema();
    check_profiles(host);
    mcphost_close(host);
    mcphost_unref(host);

    if (mcphost_new(&host, NULL) < 0 || mcphost_set_guard_path(host, argv[2]) < 0)
        return 1;
    check_others(host);
    check(mcphost_load_workspace(host, argv[1], NULL, NULL) == 0,
          "mcphost_load_workspace");
    check(mcphost_wait_ready(host, 20000) >= 0, "mcphost_wait_ready");
    call_tool(host, "{\"text\":\"slim\"}", "slim");
    if (mcphost_has_part(MCPHOST_PART_SCHEMA))
        call_tool(host, "{\"text\":1}", "arguments of tool");
    check_server_at_url(host);
    mcphost_close(host);
    while (mcphost_wait(host, 1000) >= 0)
        ;
    mcphost_unref(host);
    return failures != 0;
}
