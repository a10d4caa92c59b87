/* SPDX-License-Identifier: MIT
 *
 * client.c - mcphost-conformance: the client for the official conformance suite.
 *
 *   mcphost-conformance URL
 *
 * The program uses the public interface only.  The suite starts the program once for each
 * run of a scenario.  The program connects, lists the tools and makes the calls that
 * MCP_CONFORMANCE_CONTEXT lists ({"toolCalls": [{"name", "arguments"}]}).  If that
 * variable has no member `toolCalls`, the program calls each tool once, with arguments
 * made from the tool's schema.  Meanwhile the program answers the server's requests.  At
 * the end it closes the host.
 *
 * In a scenario with a login, the program acts as the browser.  When the library asks for
 * the user's consent, the program requests the authorization page, and answers with the
 * URL to which this page redirects.  MCP_CONFORMANCE_CONTEXT has the client's identity,
 * if the scenario needs an identity.
 *
 * The program loads the skills only in scenarios whose name (MCP_CONFORMANCE_SCENARIO)
 * contains "-verify-", because MCP_CONFORMANCE_CONTEXT does not say whether to load the
 * skills.
 *
 * The exit status is 0 if the program connected and every call brought a result or an
 * error from the server.  The exit status is 2 if the arguments are wrong.  Otherwise the
 * exit status is 1.  If the program could not connect, or if a call failed, there is a
 * message on stderr.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curl/curl.h>
#include <jansson.h>
#include <mcphost/mcphost.h>

#define READY_MS 20000
#define CALL_MS  20000

/* ---- values from a schema ---------------------------------------------------------- */

static json_t *make_object(json_t *schema, int depth);

/* Makes a value for a schema: its default, its const, the first value of its enum or
 * oneOf, or else a value of its type.  The schema may forbid the value, because the
 * function reads only these keywords, minimum and properties. */
static json_t *
make_value(json_t *schema, int depth)
{
    const char *type = json_string_value(json_object_get(schema, "type"));
    json_t *given = json_object_get(schema, "default");

    if (!given)
        given = json_object_get(schema, "const");
    if (!given)
        given = json_array_get(json_object_get(schema, "enum"), 0);
    if (!given)
        given =
            json_object_get(json_array_get(json_object_get(schema, "oneOf"), 0), "const");
    if (given)
        return json_incref(given);
    if (!type || strcmp(type, "string") == 0)
        return json_string("text");
    if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0) {
        json_t *minimum = json_object_get(schema, "minimum");

        return minimum ? json_incref(minimum) : json_integer(2);
    }
    if (strcmp(type, "boolean") == 0)
        return json_true();
    if (strcmp(type, "array") == 0)
        return json_array();
    if (strcmp(type, "object") == 0 && depth < 8)
        return make_object(schema, depth + 1);
    return json_null();
}

static json_t *
make_object(json_t *schema, int depth)
{
    json_t *object = json_object(), *property;
    const char *key;

    json_object_foreach(json_object_get(schema, "properties"), key, property)
    {
        json_object_set_new(object, key, make_value(property, depth));
    }
    return object;
}

/* ---- requests of servers ----------------------------------------------------------- */

/* Returns an answer to a form as JSON.  The answer contains the fields without a default,
 * because the library fills in the other fields. */
static char *
fill_in(const mcphost_request *request)
{
    size_t len = 0;
    const char *text = mcphost_request_get_schema(request, &len), *key;
    json_t *schema = text ? json_loadb(text, len, 0, NULL) : NULL;
    json_t *answer = json_object(), *property;
    char *json;

    json_object_foreach(json_object_get(schema, "properties"), key, property)
    {
        if (!json_object_get(property, "default"))
            json_object_set_new(answer, key, make_value(property, 0));
    }
    json = json_dumps(answer, JSON_COMPACT);
    json_decref(answer);
    json_decref(schema);
    return json;
}

/* Requests the head of a page (HEAD) without following its redirect.  Returns an answer
 * with the URL of the redirect as JSON, or NULL if the page does not redirect. */
static char *
visit(const char *page)
{
    CURL *curl = curl_easy_init();
    char *url = NULL, *json = NULL;
    json_t *answer;

    curl_easy_setopt(curl, CURLOPT_URL, page);
    curl_easy_setopt(curl, CURLOPT_NOBODY, 0L);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, stderr);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
    if (curl_easy_perform(curl) == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &url);
    if (url) {
        answer = json_pack("{s:s}", "redirect", url);
        json = json_dumps(answer, JSON_COMPACT);
        json_decref(answer);
    }
    curl_easy_cleanup(curl);
    return json;
}

static void
answer_request(mcphost_request *request)
{
    mcphost_error *err = NULL;
    char *json;

    switch (mcphost_request_get_kind(request)) {
    case MCPHOST_REQUEST_FORM:
        json = fill_in(request);
        break;
    case MCPHOST_REQUEST_SAMPLING:
        json = strdup("{\"role\":\"assistant\",\"model\":\"none\",\"content\":"
                      "{\"type\":\"text\",\"text\":\"a text\"}}");
        break;
    case MCPHOST_REQUEST_ROOTS:
        json = strdup("[{\"uri\":\"file:///\",\"name\":\"everything\"}]");
        break;
    case MCPHOST_REQUEST_AUTHORIZE:
        json = visit(mcphost_request_get_url(request));
        break;
    default:
        mcphost_request_reject(request, MCPHOST_REJECT_DECLINE, NULL);
        return;
    }
    if (mcphost_request_respond(request, json, json ? strlen(json) : 0, &err) < 0) {
        fprintf(stderr, "request: %s\n", mcphost_error_get_message(err));
        mcphost_request_reject(request, MCPHOST_REJECT_ERROR, NULL);
    }
    mcphost_error_unref(err);
    free(json);
}

static void
on_event(const mcphost_event *event, void *arg)
{
    (void)arg;
    switch (mcphost_event_get_kind(event)) {
    case MCPHOST_EVENT_REQUEST:
        answer_request(mcphost_event_get_request(event));
        break;
    case MCPHOST_EVENT_PROBLEM:
        fprintf(stderr, "problem: %s\n",
                mcphost_problem_get_message(mcphost_event_get_problem(event)));
        break;
    default:
        break;
    }
}

/* ---- calls ------------------------------------------------------------------------- */

/* Calls a tool and waits for the end of the call.  Returns 0, or -1 if the server did not
 * answer the call. */
static int
call(mcphost_dialog *dialog, const char *tool, json_t *arguments)
{
    char *json = json_dumps(arguments, JSON_COMPACT);
    mcphost_error *err = NULL;
    mcphost_call *c = NULL;
    int r;

    r = mcphost_call_new(dialog, tool, json, strlen(json), &c, &err);
    free(json);
    if (r == 0)
        r = mcphost_call_set_timeout(c, CALL_MS, 0, CALL_MS);
    if (r == 0)
        r = mcphost_call_start(c, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(c, -1);
    if (r >= 0 && mcphost_call_get_result(c)) {
        size_t len;
        const char *text = mcphost_result_get_json(mcphost_call_get_result(c), &len);

        printf("%s: %.*s\n", tool, (int)len, text);
        r = 0;
    } else {
        if (!err && c)
            err = mcphost_error_ref(mcphost_call_get_error(c));
        fprintf(stderr, "%s: %s\n", tool,
                err ? mcphost_error_get_message(err) : mcphost_strerror(r));
        r = err && mcphost_error_get_code(err) == MCPHOST_E_RPC ? 0 : -1;
    }
    mcphost_error_unref(err);
    mcphost_call_unref(c);
    return r;
}

static json_t *
schema_of(const mcphost_tool *tool)
{
    size_t len;
    const char *text = mcphost_tool_get_input_schema(tool, &len);

    return json_loadb(text, len, 0, NULL);
}

/* Makes arguments from the tool's schema.  If the tool has an object argument `schema`,
 * the argument gets the schema of the catalog's first tool as its value. */
static json_t *
arguments_for(const mcphost_catalog *tools, const mcphost_tool *tool)
{
    json_t *schema = schema_of(tool), *arguments = make_object(schema, 0);

    if (json_is_object(json_object_get(arguments, "schema")))
        json_object_set_new(arguments, "schema",
                            schema_of(mcphost_catalog_get_tool(tools, 0)));
    json_decref(schema);
    return arguments;
}

static int
call_all(mcphost_dialog *dialog, const mcphost_catalog *tools)
{
    int failed = 0;

    for (size_t i = 0; i < mcphost_catalog_count_tools(tools); i++) {
        const mcphost_tool *tool = mcphost_catalog_get_tool(tools, i);
        json_t *arguments = arguments_for(tools, tool);

        failed |= call(dialog, mcphost_tool_get_name(tool), arguments);
        json_decref(arguments);
    }
    return failed;
}

/* Loads the files of a skill, up to the first file that fails.  A file that fails is not
 * an error of the program. */
static void
load_skill(mcphost_dialog *dialog, const mcphost_skill *skill)
{
    size_t len, i;
    const char *text = mcphost_skill_get_entry(skill, &len);
    json_t *entry = json_loadb(text, len, 0, NULL), *file;

    json_array_foreach(json_object_get(entry, "resources"), i, file)
    {
        mcphost_call *c = NULL;
        mcphost_error *err = NULL;
        int r = mcphost_call_new_read_skill(
            dialog, "suite", text, len, json_string_value(json_object_get(file, "uri")),
            &c, &err);

        if (r == 0)
            r = mcphost_call_start(c, NULL, NULL, NULL);
        if (r == 0)
            r = mcphost_call_wait(c, CALL_MS);
        if (r == 0) {
            fprintf(stderr, "skill: a file was not read in time\n");
            r = -1;
        }
        if (r == 1 && mcphost_call_get_error(c)) {
            fprintf(stderr, "skill: %s\n",
                    mcphost_error_get_message(mcphost_call_get_error(c)));
            r = -1;
        }
        mcphost_error_unref(err);
        mcphost_call_unref(c);
        if (r < 0)
            break;
    }
    json_decref(entry);
}

static void
load_skills(mcphost_dialog *dialog, const mcphost_catalog *catalog)
{
    const char *scenario = secure_getenv("MCP_CONFORMANCE_SCENARIO");

    if (!scenario || !strstr(scenario, "-verify-"))
        return;
    for (size_t i = 0; i < mcphost_catalog_count_skills(catalog); i++)
        load_skill(dialog, mcphost_catalog_get_skill(catalog, i));
}

static int
call_wanted(mcphost_dialog *dialog, json_t *calls)
{
    json_t *item;
    int failed = 0;
    size_t i;

    json_array_foreach(calls, i, item)
    {
        failed |= call(dialog, json_string_value(json_object_get(item, "name")),
                       json_object_get(item, "arguments"));
    }
    return failed;
}

static int
make_calls(mcphost *host)
{
    const char *text = secure_getenv("MCP_CONFORMANCE_CONTEXT");
    json_t *context = text ? json_loads(text, 0, NULL) : NULL;
    json_t *calls = json_object_get(context, "toolCalls");
    mcphost_catalog *tools = NULL;
    mcphost_dialog *dialog = NULL;
    int r;

    r = mcphost_dialog_new(mcphost_default_view(host), "conformance", NULL, &dialog,
                           NULL);
    if (r == 0)
        r = mcphost_dialog_get_catalog(dialog, &tools);
    if (r == 0)
        r = calls ? call_wanted(dialog, calls) : call_all(dialog, tools);
    if (r == 0)
        load_skills(dialog, tools);
    mcphost_catalog_unref(tools);
    mcphost_dialog_unref(dialog);
    json_decref(context);
    return r;
}

/* ---- logins ------------------------------------------------------------------------ */

#define DOCUMENT "https://conformance-test.local/client-metadata.json"

static const char *
text_of(json_t *context, const char *name)
{
    return json_string_value(json_object_get(context, name));
}

/* Sets the key `key` of `auth` to the value of the context's member `name`.  Does nothing
 * if the context has no member `name`. */
static void
copy_member(json_t *auth, const char *key, json_t *context, const char *name)
{
    json_t *value = json_object_get(context, name);

    if (value)
        json_object_set(auth, key, value);
}

/* Writes the private key of the context to a file in the directory of temporary files.
 * Returns the file's name, or NULL if the context has no key or the file cannot be
 * made. */
static const char *
write_key(json_t *context)
{
    static char name[] = "/tmp/mcphost-conformance-XXXXXX";
    const char *pem = text_of(context, "private_key_pem");
    int fd = pem ? mkstemp(name) : -1;

    if (fd < 0)
        return NULL;
    if (write(fd, pem, strlen(pem)) < 0)
        perror(name);
    close(fd);
    return name;
}

/* Makes the value of the key `auth` in the server's entry.  Sets *ret_key to the name of
 * the file with the client's private key, or to NULL if there is no such file. */
static json_t *
make_auth(json_t *context, const char **ret_key)
{
    const char *scenario = secure_getenv("MCP_CONFORMANCE_SCENARIO"), *flow = NULL;
    json_t *auth = json_object();

    *ret_key = write_key(context);
    copy_member(auth, "clientId", context, "client_id");
    copy_member(auth, "clientSecret", context, "client_secret");
    copy_member(auth, "issuer", context, "issuer");
    copy_member(auth, "assertion", context, "valid_jwt");
    copy_member(auth, "assertion", context, "idp_id_token");
    copy_member(auth, "idpTokenUrl", context, "idp_token_endpoint");
    copy_member(auth, "idpClientId", context, "idp_client_id");
    if (*ret_key)
        json_object_set_new(auth, "clientKeyFile", json_string(*ret_key));
    if (scenario && strstr(scenario, "client-credentials"))
        flow = "client_credentials";
    else if (json_object_get(context, "valid_jwt"))
        flow = "jwt_bearer";
    else if (json_object_get(context, "idp_id_token"))
        flow = "token_exchange";
    json_object_set_new(auth, "flow", json_string(flow ? flow : "browser"));
    json_object_set_new(auth, "clientMetadataUrl", json_string(DOCUMENT));
    return auth;
}

/* ---- the host ---------------------------------------------------------------------- */

static int
connect_to(mcphost *host, const char *url)
{
    const char *given = secure_getenv("MCP_CONFORMANCE_CONTEXT"), *key;
    json_t *context = given ? json_loads(given, 0, NULL) : NULL;
    json_t *file = json_pack("{s:i, s:{s:{s:s, s:s, s:o}}}", "version", 1, "servers",
                             "suite", "transport", "streamable_http", "url", url, "auth",
                             make_auth(context, &key));
    char *text = json_dumps(file, 0); /* JSON is valid YAML */
    mcphost_config *config = NULL;
    mcphost_status *status = NULL;
    mcphost_error *err = NULL;
    int r;

    r = mcphost_config_load_memory(text, strlen(text), "conformance", ".", &config, &err);
    if (r == 0)
        r = mcphost_load(host, config);
    if (r == 0)
        r = mcphost_wait_ready(host, READY_MS);
    if (r >= 0)
        r = mcphost_get_status(host, &status);
    if (r == 0 && mcphost_status_server_get_state(status, 0) != MCPHOST_SERVER_LOADED) {
        err = mcphost_error_ref(mcphost_status_server_get_error(status, 0));
        r = -1;
    }
    if (r < 0)
        fprintf(stderr, "connect: %s\n",
                err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    mcphost_error_unref(err);
    mcphost_status_unref(status);
    mcphost_config_unref(config);
    if (key)
        unlink(key);
    free(text);
    json_decref(file);
    json_decref(context);
    return r;
}

int
main(int argc, char **argv)
{
    mcphost *host = NULL;
    int r;

    if (argc != 2) {
        fputs("usage: mcphost-conformance URL\n", stderr);
        return 2;
    }
    r = mcphost_new(&host, NULL);
    if (r == 0)
        r = mcphost_set_identity(host, "mcphost-conformance", "0.1", NULL);
    if (r == 0)
        r = mcphost_set_option(host, MCPHOST_OPT_ADMIN_TOOLS, 0);
    if (r == 0)
        r = mcphost_set_option(host, MCPHOST_OPT_RETRY, 0);
    if (r == 0)
        r = mcphost_set_option(host, MCPHOST_OPT_REQUESTS,
                               MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL |
                                   MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_ROOTS |
                                   MCPHOST_REQUEST_AUTHORIZE);
    if (r == 0)
        r = mcphost_set_event(host, on_event, NULL, NULL);
    if (r == 0)
        r = connect_to(host, argv[1]);
    if (r == 0)
        r = make_calls(host);
    mcphost_close(host);
    while (mcphost_wait(host, -1) >= 0)
        ;
    mcphost_unref(host);
    return r != 0;
}
