/* SPDX-License-Identifier: MIT
 *
 * test_ctl_elicit.c - mcphostctl and elicitation: answers to the forms and pages of
 * servers, on a terminal, by an option, or by lines of batch.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/ctlrun.h"
#include "support/runner.h"

#define FORM(message, properties, required)                                  \
    "{\"message\":\"" message "\",\"requestedSchema\":{\"type\":\"object\"," \
    "\"properties\":{" properties "},\"required\":[" required "]}}"
#define USER  "\"user\":{\"type\":\"string\",\"minLength\":3}"
#define N     "\"n\":{\"type\":\"integer\",\"default\":3,\"maximum\":5}"
#define ASK   "on call:echo\n ask elicitation/create "
#define REPLY "\n text %r\n"
#define WHO   ASK FORM("Who?", USER "," N, "\"user\"") REPLY

static struct ctl_place place;
static struct ctl_run run;
static struct ctl_terminal tty;

static void
up(void)
{
    ctl_place_up(&place);
}

static void
down(void)
{
    ctl_run_free(&run);
    ctl_place_down(&place);
}

static const char *
era(int i)
{
    return i == 0 ? "legacy" : "modern";
}

static void
serve(int i, const char *script)
{
    rig_workspace_write(&place.ws, "a", "era %s\n%s", era(i), script);
    rig_workspace_yaml(
        &place.ws,
        "version: 1\nservers:\n  a:\n    transport: stdio\n    command: %s\n"
        "    args: [-e, \"trace %s/a.trace\", %s/a]\n",
        rig_fakeserver(), place.ws.dir, place.ws.dir);
}

static int
count(const char *text)
{
    return rig_workspace_count(&place.ws, "a.trace", text);
}

static void
call(void)
{
    ctl_terminal_up(&tty, &place, "call", "echo", NULL);
}

/* Checks that the command ends with this status and that its stdout contains this
 * text. */
static void
ends(int status, const char *written)
{
    char *out;

    ck_assert_int_eq(ctl_terminal_down(&tty), status);
    out = rig_workspace_read(&place.ws, "stdout");
    test_has(out, written);
    free(out);
}

/* Checks that the output so far contains no control character that a terminal would
 * obey. */
static void
is_harmless(void)
{
    test_has_not(tty.data, "\033");
    test_has_not(tty.data, "\007");
    test_has_not(tty.data, "\302\233");     /* CSI in one character */
    test_has_not(tty.data, "\342\200\256"); /* right-to-left override */
}

/* ---- forms on a terminal ----------------------------------------------------------- */

#define ENUMS                                                                      \
    "\"c\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"enumNames\":[\"Alpha\","  \
    "\"Beta\"]},\"d\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"r\",\"title\":" \
    "\"Red\"},{\"const\":\"g\",\"title\":\"Green\"}]},\"e\":{\"type\":\"array\","  \
    "\"items\":{\"type\":\"string\",\"enum\":[\"p\",\"q\",\"r\"]},\"minItems\":1," \
    "\"maxItems\":2},\"f\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":"  \
    "\"1\",\"title\":\"One\"},{\"const\":\"2\",\"title\":\"Two\"}]},\"default\":[" \
    "\"2\"]}"
#define PLAIN                                                                        \
    "\"user\":{\"type\":\"string\",\"title\":\"User name\",\"minLength\":3,"         \
    "\"description\":\"as at the door\"},\"n\":{\"type\":\"integer\",\"default\":3," \
    "\"minimum\":1,\"maximum\":5},\"x\":{\"type\":\"number\"},\"b\":{\"type\":"      \
    "\"boolean\",\"default\":true},\"mail\":{\"type\":\"string\",\"format\":"        \
    "\"email\"}"

START_TEST(a_form_with_each_type_of_field_is_filled_in)
{
    serve(_i, ASK FORM("Who are you?", PLAIN "," ENUMS, "\"user\",\"c\"") REPLY);
    call();
    ctl_shows(&tty, "Server 'a' asks you to fill in a form");
    ctl_shows(&tty, "| Who are you?");
    ctl_shows(&tty, "User name, a text, at least 3 characters; required");
    ctl_shows(&tty, "| as at the door");
    ctl_replies(&tty, "a> user: ", "\n");
    ctl_shows(&tty, "this field is required");
    ctl_replies(&tty, "a> user: ", "ab\n");
    ctl_shows(&tty, "\"user\" is too short or too long");
    ctl_replies(&tty, "a> user: ", "mina\n");
    ctl_replies(&tty, "a> n [3]: ", "9\n");
    ctl_shows(&tty, "\"n\" is too small or too large");
    ctl_replies(&tty, "a> n [3]: ", "two\n");
    ctl_shows(&tty, "enter a number");
    ctl_replies(&tty, "a> n [3]: ", "\n");
    ctl_replies(&tty, "a> x: ", "-0.5\n");
    ctl_replies(&tty, "a> b [true]: ", "maybe\n");
    ctl_replies(&tty, "a> b [true]: ", "No\n");
    ctl_replies(&tty, "a> mail: ", "nowhere\n");
    ctl_shows(&tty, "\"mail\" does not have the requested format");
    ctl_replies(&tty, "a> mail: ", "m@x.example\n");
    ctl_shows(&tty, "2) b  - Beta");
    ctl_replies(&tty, "a> c: ", "3\n");
    ctl_shows(&tty, "not one of the choices");
    ctl_replies(&tty, "a> c: ", "2\n");
    ctl_replies(&tty, "a> d: ", "Red\n");
    ctl_replies(&tty, "a> e: ", "1,2,3\n");
    ctl_shows(&tty, "\"e\" has too few or too many items");
    ctl_replies(&tty, "a> e: ", "1, r\n");
    ctl_replies(&tty, "a> f [[\"2\"]]: ", "[]\n");
    ctl_shows(&tty, "mail: \"m@x.example\"");
    ctl_replies(&tty, "send this?", "y\n");
    ends(0, "\"action\":\"accept\",\"content\":{\"user\":\"mina\",\"n\":3,\"x\":-0.5,"
            "\"b\":false,\"mail\":\"m@x.example\",\"c\":\"b\",\"d\":\"r\",\"e\":[\"p\","
            "\"r\"],\"f\":[]}");
}
END_TEST

START_TEST(an_answer_can_be_changed_before_it_is_sent)
{
    serve(_i, WHO);
    call();
    ctl_replies(&tty, "a> user: ", "mina\n");
    ctl_replies(&tty, "a> n [3]: ", "!back\n");
    ctl_replies(&tty, "a> user [mina]: ", "!clear\n");
    ctl_replies(&tty, "a> user: ", "\"!decline\"\n");
    ctl_replies(&tty, "a> n [3]: ", "5\n");
    ctl_replies(&tty, "send this?", "e\n");
    ctl_replies(&tty, "a> user [!decline]: ", "\n");
    ctl_replies(&tty, "a> n [5]: ", "!clear\n");
    ctl_replies(&tty, "a> n [3]: ", "\n");
    /* An empty line does not send the form. */
    ctl_replies(&tty, "send this?", "\n");
    ctl_replies(&tty, "send this?", "yes\n");
    ends(0, "\"content\":{\"user\":\"!decline\",\"n\":3}");
}
END_TEST

START_TEST(a_form_without_fields_asks_for_agreement)
{
    serve(_i, ASK FORM("Delete all?", "", "") REPLY);
    call();
    ctl_shows(&tty, "| Delete all?");
    ctl_replies(&tty, "agree?", "y\n");
    ends(0, "\"action\":\"accept\"");
}
END_TEST

static const char *const refusals[] = {"!decline\n", "\004", "mina\n\nn\n"};

START_TEST(a_form_is_declined_by_a_word_and_by_the_end_of_the_input)
{
    serve(_i / 3, WHO);
    call();
    ctl_replies(&tty, "a> user: ", refusals[_i % 3]);
    ends(0, "\"action\":\"decline\"");
}
END_TEST

START_TEST(the_first_ctrl_c_cancels_a_form_and_the_second_ends_the_command)
{
    serve(_i, ASK FORM("Who?", USER, "") "\n ask elicitation/create " FORM(
                  "Once more?", USER, "") REPLY);
    call();
    ctl_replies(&tty, "a> user: ", "\003");
    ctl_shows(&tty, "Ctrl-C again ends mcphostctl");
    ctl_shows(&tty, "Once more?");
    ctl_replies(&tty, "a> user: ", "\003");
    ck_assert_int_eq(ctl_terminal_down(&tty), 128 + SIGINT);
    ck_assert_int_ge(count("{\"action\":\"cancel\"}"), 1);
}
END_TEST

START_TEST(the_server_learns_that_a_form_was_cancelled)
{
    serve(_i, WHO);
    call();
    ctl_replies(&tty, "a> user: ", "\003");
    ends(0, "\"action\":\"cancel\"");
}
END_TEST

START_TEST(control_characters_in_a_form_are_shown_escaped)
{
    serve(_i,
          ASK FORM("\\u001b[2J\\u001b]0;x\\u0007\\u202e\\u009b1m\\nServer 'bank' asks:",
                   "\"k\\u001b[1m\":{\"type\":\"string\",\"title\":\"t\\u001b["
                   "1mt\\r\\n\\u202e\","
                   "\"description\":\"d\\u001b[1m\\u0007\",\"enum\":[\"v\\u001b[1m\"],"
                   "\"enumNames\":[\"w\\u009b1m\"],\"default\":\"v\\u001b[1m\"},"
                   "\"password\":{\"type\":\"string\",\"format\":\"\\u001b[1m\"}",
                   "") REPLY);
    call();
    ctl_shows(&tty, "| \\x1b[2J\\x1b]0;x\\x07\\u{202e}\\x9b1m");
    ctl_shows(&tty, "| Server 'bank' asks:");
    ctl_shows(&tty, "| d\\x1b[1m\\x07");
    ctl_replies(&tty, "a> k", "\n");
    ctl_shows(&tty, "Careful: this looks like a secret");
    ctl_replies(&tty, "a> password: ", "\033[A\n");
    ctl_shows(&tty, "control characters");
    ctl_replies(&tty, "a> password: ", "\n");
    ctl_shows(&tty, "v\\u001b[1m");
    ctl_replies(&tty, "send this?", "y\n");
    ctl_shows(&tty, "y");
    is_harmless();
    ends(0, "\"action\":\"accept\"");
}
END_TEST

START_TEST(input_typed_before_a_question_does_not_answer_it)
{
    serve(_i, "on call:echo\n delay 300\n ask elicitation/create " FORM("All?", "", "")
                  REPLY);
    call();
    ctl_types(&tty, "y\n");
    ctl_replies(&tty, "agree? y or n: ", "n\n");
    ends(0, "\"action\":\"decline\"");
}
END_TEST

/* While a person fills in the form, the host reads the server's output, and the call's
 * time limit is suspended.  The form is open for longer than the limit of one second.
 * The server's script has no answer to the call.  Therefore the limit ends the call after
 * the form. */
START_TEST(the_host_keeps_running_while_a_form_is_filled_in)
{
    serve(0, "on call:echo\n request elicitation/create " FORM(
                 "Who?", USER, "") "\n delay 1200\n stderr still here\n"
                                   "on reply\n stderr thank you\n");
    ctl_terminal_up(&tty, &place, "-v", "--timeout", "1", "call", "echo", NULL);
    ctl_shows(&tty, "a> user: ");
    ctl_shows(&tty, "a| still here");
    ctl_replies(&tty, "a> user: ", "mina\n");
    ctl_replies(&tty, "send this?", "y\n");
    ctl_shows(&tty, "thank you");
    ck_assert_int_eq(count("\"content\":{\"user\":\"mina\"}"), 1);
    ck_assert_int_eq(ctl_terminal_down(&tty), 4);
}
END_TEST

#define ONE(name)                                                                 \
    "{\"method\":\"elicitation/create\",\"params\":" FORM(name,                   \
                                                          "\"" name "\":{"        \
                                                          "\"type\":\"string\"}", \
                                                          "") "}"

START_TEST(questions_are_asked_one_after_another)
{
    serve(1, "on call:echo 1\n result {\"resultType\":\"input_required\","
             "\"requestState\":\"s\",\"inputRequests\":{\"p\":" ONE("one") ",\"q\":" ONE(
                 "two") "}}\n");
    call();
    ctl_replies(&tty, "a> one: ", "1\n");
    ctl_replies(&tty, "send this?", "y\n");
    ctl_replies(&tty, "a> two: ", "2\n");
    ctl_replies(&tty, "send this?", "n\n");
    ck_assert_int_eq(ctl_terminal_down(&tty), 0);
    ck_assert_int_eq(count("\"p\":{\"action\":\"accept\",\"content\":{\"one\":\"1\"}}"),
                     1);
    ck_assert_int_eq(count("\"q\":{\"action\":\"decline\"}"), 1);
}
END_TEST

START_TEST(ctrl_c_cancels_all_questions_of_a_legacy_server)
{
    serve(0, "on call:echo\n request elicitation/create " FORM(
                 "Who?", USER,
                 "") "\n request elicitation/create " FORM("And?", USER,
                                                           "") "\non reply 2\n stderr "
                                                               "all are told\n");
    ctl_terminal_up(&tty, &place, "-v", "call", "echo", NULL);
    ctl_replies(&tty, "a> user: ", "\003");
    ctl_shows(&tty, "all are told");
    ctl_types(&tty, "\003");
    ck_assert_int_eq(ctl_terminal_down(&tty), 128 + SIGINT);
    ck_assert_int_eq(count("{\"action\":\"cancel\"}"), 2);
}
END_TEST

START_TEST(when_its_call_ends_a_question_leaves_the_terminal)
{
    serve(0, "on call:echo\n request elicitation/create " FORM(
                 "Who?", USER, "") "\n delay 300\n text gone\n");
    call();
    ctl_shows(&tty, "a> user: ");
    ctl_shows(&tty, "server 'a' no longer waits for an answer");
    ends(0, "gone");
}
END_TEST

/* SIGHUP ends the command.  The command may also end earlier, after it has cancelled the
 * question. */
START_TEST(a_closed_terminal_answers_no_question)
{
    int status;

    serve(_i, WHO);
    call();
    ctl_shows(&tty, "a> user: ");
    close(tty.fd);
    ck_assert_int_eq(waitpid(tty.pid, &status, 0), tty.pid);
    ck_assert(WIFEXITED(status));
    ck_assert(WEXITSTATUS(status) == 128 + SIGHUP ||
              (WEXITSTATUS(status) == 0 && count("{\"action\":\"cancel\"}") == 1));
    free(tty.data);
}
END_TEST

START_TEST(prompts_and_resources_can_ask_questions)
{
    serve(_i, "capabilities {\"tools\":{},\"prompts\":{},\"resources\":{}}\n"
              "on prompts/list\n result {\"prompts\":[{\"name\":\"p\"}]}\n"
              "on resources/list\n result {\"resources\":[]}\n"
              "on resources/templates/list\n result {\"resourceTemplates\":[]}\n"
              "on resources/read\n ask elicitation/create " FORM(
                  "Read?", "", "") "\n result {\"contents\":[{\"uri\":\"x:y\",\"text\":"
                                   "\"read\"}]}\n"
                                   "on prompts/get\n ask elicitation/create " FORM(
                                       "Prompt?", "",
                                       "") "\n result {\"messages\":[{\"role\":\"user\","
                                           "\"content\":{\"type\":\"text\",\"text\":"
                                           "\"prompted\"}}]}\n");
    ctl_terminal_up(&tty, &place, "prompt", "p", NULL);
    ctl_replies(&tty, "agree?", "y\n");
    ends(0, "prompted");
    ctl_terminal_up(&tty, &place, "read", "x:y", "--server", "a", NULL);
    ctl_replies(&tty, "agree?", "y\n");
    ends(0, "read");
}
END_TEST

START_TEST(a_task_can_ask_questions_during_task_wait)
{
    serve(1, "capabilities {\"tools\":{},\"extensions\":{\"io.modelcontextprotocol/"
             "tasks\":{}}}\n"
             "on tasks/update\n result {}\n"
             "on tasks/get\n result {\"taskId\":\"t-1\",\"status\":\"completed\","
             "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"built\"}]}}\n"
             "on tasks/get 1\n result {\"taskId\":\"t-1\",\"status\":"
             "\"input_required\",\"pollIntervalMs\":50,\"inputRequests\":{\"q\":" ONE(
                 "one") "}}\n");
    ctl_terminal_up(&tty, &place, "task", "wait", "t-1", NULL);
    ctl_replies(&tty, "a> one: ", "1\n");
    ctl_replies(&tty, "send this?", "y\n");
    ends(0, "built");
    ck_assert_int_eq(count("{\"q\":{\"action\":\"accept\",\"content\":{\"one\":\"1\"}}}"),
                     1);
}
END_TEST

/* ---- pages ------------------------------------------------------------------------- */

#define PAGE(url)                                                                      \
    ASK "{\"mode\":\"url\",\"elicitationId\":\"e\",\"message\":\"Pay\",\"url\":\"" url \
        "\"}" REPLY

START_TEST(a_page_is_shown_with_its_whole_url_and_its_host)
{
    serve(_i / 2, PAGE("https://pay.example:8443/bank.example/9?x=1#y"));
    call();
    ctl_shows(&tty, "Server 'a' asks you to open a page");
    ctl_shows(&tty, "| Pay");
    ctl_shows(&tty, "URL:  https://pay.example:8443/bank.example/9?x=1#y\r\n");
    ctl_shows(&tty, "Host: pay.example\r\n");
    ctl_replies(&tty, "open it? y or n: ", "\n");
    ctl_replies(&tty, "open it? y or n: ", _i % 2 ? "y\n" : "n\n");
    ends(0, _i % 2 ? "\"action\":\"accept\"" : "\"action\":\"decline\"");
}
END_TEST

/* mcphostctl refuses a URL of more than 8192 bytes, because a person cannot judge the
 * URL. */
START_TEST(a_page_with_a_url_over_the_limit_is_refused)
{
    char *url = malloc(9001);

    ck_assert_ptr_nonnull(url);
    memset(url, 'x', 9000);
    url[9000] = '\0';
    rig_workspace_write(&place.ws, "a",
                        "era legacy\non call:echo\n ask elicitation/create {\"mode\":"
                        "\"url\",\"elicitationId\":\"e\",\"message\":\"Pay\",\"url\":"
                        "\"https://pay.example/%s\"}\n text %%r\n",
                        url);
    free(url);
    rig_workspace_yaml(&place.ws,
                       "version: 1\nservers:\n  a:\n    transport: stdio\n    command: "
                       "%s\n    args: [%s/a]\n",
                       rig_fakeserver(), place.ws.dir);
    call();
    ctl_shows(&tty, "asks to open a URL of 9020 bytes");
    ends(0, "the URL is too long to be shown");
}
END_TEST

START_TEST(a_host_with_letters_of_other_scripts_gets_a_warning)
{
    serve(_i / 2, _i % 2 ? PAGE("https://b\\u0430nk.example/\\u202ex")
                         : PAGE("https://www.XN--bnk-5cd.example/"));
    call();
    if (_i % 2) {
        ctl_shows(&tty, "URL:  https://b%D0%B0nk.example/%E2%80%AEx\r\n");
        ctl_shows(&tty, "Host: b%D0%B0nk.example\r\n");
    } else {
        ctl_shows(&tty, "Host: www.XN--bnk-5cd.example\r\n");
    }
    ctl_shows(&tty, "Careful: the host has letters of other scripts");
    ctl_replies(&tty, "open it? y or n: ", "!decline\n");
    ends(0, "\"action\":\"decline\"");
}
END_TEST

/* ---- without a terminal ------------------------------------------------------------ */

START_TEST(without_a_terminal_elicitation_is_not_offered)
{
    serve(_i, WHO);
    ctl_run(&run, &place, "call", "echo", NULL);
    ctl_status_is(&run, _i ? 4 : 0);
    test_has_not(run.out, "action");
    ck_assert_int_eq(count("\"elicitation\":{"), 0);
}
END_TEST

START_TEST(the_option_elicit_can_decline_or_cancel_all_questions)
{
    serve(_i / 2, WHO);
    ctl_run(&run, &place, "--elicit", _i % 2 ? "cancel" : "decline", "call", "echo",
            NULL);
    ctl_status_is(&run, 0);
    test_has(run.out, _i % 2 ? "\"action\":\"cancel\"" : "\"action\":\"decline\"");
}
END_TEST

START_TEST(wrong_uses_of_the_option_elicit_are_refused)
{
    serve(0, WHO);
    ctl_run(&run, &place, "--elicit=never", "call", "echo", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "--elicit must be auto, ask, decline, cancel or off, not 'never'");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--elicit=ask", "call", "echo", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "needs a terminal");
    ctl_run_free(&run);
    ctl_run(&run, &place, "--elicit=ask", "watch", NULL);
    ctl_status_is(&run, 2);
    test_has(run.err, "cannot be used with the command 'watch'");
}
END_TEST

START_TEST(elicit_ask_uses_the_terminal_even_if_stdin_is_not_one)
{
    serve(_i, WHO);
    place.stdin_is_empty = 1;
    ctl_terminal_up(&tty, &place, "call", "echo", NULL);
    ck_assert_int_eq(ctl_terminal_down(&tty), _i ? 4 : 0);
    ck_assert_int_eq(count("\"elicitation\":{"), 0);
    ctl_terminal_up(&tty, &place, "--elicit=ask", "call", "echo", NULL);
    ctl_replies(&tty, "a> user: ", "mina\n");
    ctl_replies(&tty, "a> n [3]: ", "\n");
    ctl_replies(&tty, "send this?", "y\n");
    ends(0, "\"content\":{\"user\":\"mina\",\"n\":3}");
}
END_TEST

START_TEST(with_elicit_off_elicitation_is_not_offered)
{
    serve(0, WHO);
    ctl_terminal_up(&tty, &place, "--elicit=off", "call", "echo", NULL);
    ck_assert_int_eq(ctl_terminal_down(&tty), 0);
    ck_assert_int_eq(count("\"elicitation\":{"), 0);
}
END_TEST

/* ---- batch ------------------------------------------------------------------------- */

static struct ctl_session session;

static void
batch(int i, const char *script)
{
    static char elicit[] = "--elicit=ask";

    serve(i, script);
    place.argument = elicit;
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    ctl_send(&session, "{\"id\":\"c\",\"op\":\"call\",\"dialog\":\"d\",\"tool\":"
                       "\"echo\"}");
}

START_TEST(an_answer_line_of_a_batch_answers_a_form)
{
    json_t *json, *properties;

    batch(_i, WHO);
    /* `wait` holds back the lines after it until the call ends.  `wait` does not hold
     * back an `answer`. */
    ctl_send(&session, "{\"id\":\"w2\",\"op\":\"wait\"}");
    json = ctl_event(&session, "request");
    ck_assert_str_eq(ctl_string(json, "id"), "c");
    ck_assert_str_eq(ctl_string(json, "server"), "a");
    ck_assert_str_eq(ctl_string(json, "dialog"), "d");
    ck_assert_str_eq(ctl_string(json, "kind"), "form");
    ck_assert_str_eq(ctl_string(json, "message"), "Who?");
    ck_assert_int_eq(ctl_int(json, "request"), 1);
    ck_assert(json_is_true(json_object_get(json, "active")));
    ck_assert_int_eq(ctl_int(json_object_get(json, "defaults"), "n"), 3);
    properties = json_object_get(json_object_get(json, "schema"), "properties");
    ck_assert_str_eq(ctl_string(json_object_get(properties, "user"), "type"), "string");
    json_decref(json);
    ctl_send(&session, "{\"id\":\"1\",\"op\":\"answer\",\"request\":1,\"content\":"
                       "{\"user\":\"m\"}}");
    json = ctl_answer(&session, "1");
    test_has(ctl_string(json_object_get(json, "error"), "message"), "too short");
    json_decref(json);
    json = ctl_ask(&session, "2",
                   "\"op\":\"answer\",\"request\":1,\"content\":{\"user\":\"mina\"}");
    ck_assert(json_is_true(json_object_get(json, "answered")));
    json_decref(json);
    json = ctl_answer(&session, "c");
    test_has(ctl_said(json_object_get(json, "result")), "{\"user\":\"mina\",\"n\":3}");
    json_decref(json);
    json_decref(ctl_answer(&session, "w2"));
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

START_TEST(a_batch_can_decline_and_wrong_answer_lines_are_refused)
{
    static const char *const wrong[][2] = {
        {"\"request\":7", "no such request"},
        {"\"action\":\"accept\"", "'request' is missing"},
        {"\"request\":1,\"action\":\"perhaps\"", "'action' must be accept"},
        {"\"request\":\"1\"", "must be a whole number"},
        {"\"request\":1,\"content\":[]", "must be an object"},
    };
    json_t *json;

    batch(_i, WHO);
    json_decref(ctl_event(&session, "request"));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ctl_send(&session, "{\"id\":\"x\",\"op\":\"answer\",%s}", wrong[i][0]);
        json = ctl_answer(&session, "x");
        test_has(ctl_string(json_object_get(json, "error"), "message"), wrong[i][1]);
        json_decref(json);
    }
    json_decref(
        ctl_ask(&session, "2", "\"op\":\"answer\",\"request\":1,\"action\":\"decline\""));
    json = ctl_answer(&session, "c");
    test_has(ctl_said(json_object_get(json, "result")), "decline");
    json_decref(json);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

START_TEST(at_the_end_of_a_batchs_input_questions_are_cancelled)
{
    json_t *json;

    batch(_i, PAGE("https://pay.example/9"));
    json = ctl_event(&session, "request");
    ck_assert_str_eq(ctl_string(json, "kind"), "url");
    ck_assert_str_eq(ctl_string(json, "url"), "https://pay.example/9");
    json_decref(json);
    close(session.in);
    session.in = -1;
    json = ctl_answer(&session, "c");
    test_has(ctl_said(json_object_get(json, "result")), "cancel");
    json_decref(json);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

START_TEST(a_batch_gets_an_event_when_a_question_is_over)
{
    json_t *json;

    batch(0, "on call:echo\n request elicitation/create " FORM(
                 "Who?", USER, "") "\n delay 50\n text gone\n");
    json_decref(ctl_event(&session, "request"));
    json = ctl_event(&session, "request");
    ck_assert(json_is_false(json_object_get(json, "active")));
    ck_assert_int_eq(ctl_int(json, "request"), 1);
    ck_assert_str_ne(ctl_string(json, "text"), "");
    json_decref(json);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

START_TEST(a_batch_without_elicit_ask_does_not_offer_elicitation)
{
    json_t *json;

    serve(0, WHO);
    ctl_session_up(&session, &place);
    json_decref(ctl_ask(&session, "w", "\"op\":\"wait\""));
    json = ctl_ask(&session, "c", "\"op\":\"call\",\"dialog\":\"d\",\"tool\":\"echo\"");
    test_has_not(ctl_said(json), "action");
    json_decref(json);
    ck_assert_int_eq(count("\"elicitation\":{"), 0);
    ck_assert_int_eq(ctl_session_down(&session), 0);
}
END_TEST

static void
add_terminal(TCase *tc)
{
    tcase_add_loop_test(tc, a_form_with_each_type_of_field_is_filled_in, 0, 2);
    tcase_add_loop_test(tc, an_answer_can_be_changed_before_it_is_sent, 0, 2);
    tcase_add_loop_test(tc, a_form_without_fields_asks_for_agreement, 0, 2);
    tcase_add_loop_test(tc, a_form_is_declined_by_a_word_and_by_the_end_of_the_input, 0,
                        6);
    tcase_add_loop_test(
        tc, the_first_ctrl_c_cancels_a_form_and_the_second_ends_the_command, 0, 2);
    tcase_add_loop_test(tc, the_server_learns_that_a_form_was_cancelled, 0, 2);
    tcase_add_loop_test(tc, control_characters_in_a_form_are_shown_escaped, 0, 2);
    tcase_add_loop_test(tc, input_typed_before_a_question_does_not_answer_it, 0, 2);
    tcase_add_test(tc, the_host_keeps_running_while_a_form_is_filled_in);
    tcase_add_test(tc, questions_are_asked_one_after_another);
    tcase_add_test(tc, ctrl_c_cancels_all_questions_of_a_legacy_server);
    tcase_add_test(tc, when_its_call_ends_a_question_leaves_the_terminal);
    tcase_add_loop_test(tc, a_closed_terminal_answers_no_question, 0, 2);
    tcase_add_loop_test(tc, prompts_and_resources_can_ask_questions, 0, 2);
    tcase_add_test(tc, a_task_can_ask_questions_during_task_wait);
    tcase_add_loop_test(tc, a_page_is_shown_with_its_whole_url_and_its_host, 0, 4);
    tcase_add_test(tc, a_page_with_a_url_over_the_limit_is_refused);
    tcase_add_loop_test(tc, a_host_with_letters_of_other_scripts_gets_a_warning, 0, 4);
}

static void
add(Suite *suite)
{
    TCase *tc = test_case(suite, "elicit");

    tcase_add_checked_fixture(tc, up, down);
    tcase_set_timeout(tc, 20);
    add_terminal(tc);
    tcase_add_loop_test(tc, without_a_terminal_elicitation_is_not_offered, 0, 2);
    tcase_add_loop_test(tc, the_option_elicit_can_decline_or_cancel_all_questions, 0, 4);
    tcase_add_test(tc, wrong_uses_of_the_option_elicit_are_refused);
    tcase_add_loop_test(tc, elicit_ask_uses_the_terminal_even_if_stdin_is_not_one, 0, 2);
    tcase_add_test(tc, with_elicit_off_elicitation_is_not_offered);
    tcase_add_loop_test(tc, an_answer_line_of_a_batch_answers_a_form, 0, 2);
    tcase_add_loop_test(tc, a_batch_can_decline_and_wrong_answer_lines_are_refused, 0, 2);
    tcase_add_loop_test(tc, at_the_end_of_a_batchs_input_questions_are_cancelled, 0, 2);
    tcase_add_test(tc, a_batch_gets_an_event_when_a_question_is_over);
    tcase_add_test(tc, a_batch_without_elicit_ask_does_not_offer_elicitation);
}

int
main(void)
{
    return test_main("ctl-elicit", add);
}
