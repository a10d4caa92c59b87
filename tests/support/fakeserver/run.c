/* SPDX-License-Identifier: MIT
 *
 * run.c - events of the fake server.
 *
 * run.c finds the script's block for a message and carries out the block's actions one
 * after the other, with pauses.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/fakeserver/fake.h"

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
sleep_ms(long ms)
{
    struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    while (nanosleep(&ts, &ts) < 0)
        ;
}

static void
free_run(struct fake_run *run)
{
    fake_free_actions(run->own);
    json_decref(run->message);
    free(run->id);
    free(run->token);
    free(run->args);
    free(run->method);
    free(run->awaits);
    free(run->reply);
    free(run);
}

/* Counts an occurrence of this event.  Returns the number of occurrences so far. */
static int
count_event(struct fake *fake, const char *event)
{
    struct fake_seen *seen = fake->seen;

    while (seen && strcmp(seen->event, event) != 0)
        seen = seen->next;
    if (!seen) {
        seen = fake_alloc(NULL, sizeof(*seen));
        *seen = (struct fake_seen){.event = strdup(event), .next = fake->seen};
        fake->seen = seen;
    }
    return ++seen->n;
}

/* ---- actions ----------------------------------------------------------------------- */

static void
start_child(struct fake *fake, long seconds, bool daemon)
{
    pid_t pid = fork();

    if (pid == 0) {
        struct sigaction ignore = {.sa_handler = SIG_IGN};

        if (daemon) {
            setsid();
            sigaction(SIGTERM, &ignore, NULL);
        }
        sleep_ms(seconds * 1000);
        _exit(0);
    }
    fake->last_child = pid;
}

static void
send_progress(struct fake *fake, const struct fake_run *run, const char *text)
{
    char *params = NULL, *words = strdup(text), *save = NULL;
    char *n = strtok_r(words, " ", &save), *total = strtok_r(NULL, " ", &save);
    char *message = total ? strtok_r(NULL, "", &save) : NULL;
    size_t size;
    FILE *out = open_memstream(&params, &size);

    fprintf(out, "{\"progressToken\":%s,\"progress\":%s", run->token ? run->token : "0",
            n ? n : "0");
    if (total)
        fprintf(out, ",\"total\":%s", total);
    if (message) {
        fputs(",\"message\":", out);
        fake_quote(out, message);
    }
    fputc('}', out);
    fclose(out);
    if (run->token)
        fake_send_method(fake, NULL, "notifications/progress", params);
    free(params);
    free(words);
}

static void
send_log(struct fake *fake, char *text)
{
    char *params = NULL, *message = text + strcspn(text, " ");
    size_t size;
    FILE *out = open_memstream(&params, &size);

    if (*message)
        *message++ = '\0';
    fprintf(out, "{\"level\":\"%s\",\"logger\":\"fake\",\"data\":", text);
    fake_quote(out, message);
    fputc('}', out);
    fclose(out);
    fake_send_method(fake, NULL, "notifications/message", params);
    free(params);
}

/* Carries out the actions `notify METHOD [JSON]` and `request METHOD [JSON]`.  The server
 * gives each request a new id. */
static void
send_method(struct fake *fake, char *text, bool request)
{
    char *params = text + strcspn(text, " "), id[32];

    if (*params)
        *params++ = '\0';
    snprintf(id, sizeof(id), "\"srv-%d\"", request ? ++fake->n_requests : 0);
    fake_send_method(fake, request ? id : NULL, text, *params ? params : NULL);
}

/* Sends a notification about a change.  A modern client gets the notification on its
 * subscription.  `params` lacks its last "}", so that this function can add `_meta`. */
static void
send_notification(struct fake *fake, const char *method, const char *params,
                  const char *uri)
{
    char *whole = NULL;
    int n;

    if (fake->front) {
        fake->front->tell(fake, method, params, uri);
        return;
    }
    if (fake->listen_id)
        n = asprintf(&whole,
                     "%s%s\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}}",
                     params, params[1] ? "," : "", fake->listen_id);
    else
        n = asprintf(&whole, "%s}", params);
    if (n < 0)
        _exit(99);
    fake_send_method(fake, NULL, method, whole);
    free(whole);
}

static void
send_changed(struct fake *fake, const char *kind)
{
    char method[96];

    snprintf(method, sizeof(method), "notifications/%s/list_changed",
             *kind ? kind : "tools");
    send_notification(fake, method, "{", NULL);
}

/* Sends notifications/resources/updated `times` times, without a pause. */
static void
send_updated(struct fake *fake, const char *uri, long times)
{
    char *params = NULL;

    if (asprintf(&params, "{\"uri\":\"%s\"", uri) < 0)
        _exit(99);
    for (long i = 0; i < times; i++)
        send_notification(fake, "notifications/resources/updated", params, uri);
    free(params);
}

static void
send_deep(struct fake *fake, struct fake_run *run, size_t depth)
{
    char *body = fake_alloc(NULL, 2 * depth + 100), *p = body;

    p = stpcpy(p, "{\"content\":[],\"structuredContent\":");
    memset(p, '[', depth);
    memset(p + depth, ']', depth);
    stpcpy(p + 2 * depth, run->modern ? ",\"resultType\":\"complete\"}" : "}");
    fake_send_answer(fake, run, "result", body);
    free(body);
}

static void
id_string(struct fake_run *run)
{
    char *id = NULL;

    if (run->id && *run->id != '"' && asprintf(&id, "\"%s\"", run->id) > 0) {
        free(run->id);
        run->id = id;
    }
}

/* Decodes the escapes in `text` and sends the bytes to the client, `times` times.  If
 * `newline` is true, a newline follows the bytes each time. */
static void
write_text(struct fake *fake, char *text, bool newline, long times)
{
    size_t len;
    char *whole;

    text = fake_unescape(text, &len);
    whole = fake_alloc(NULL, len + 1);
    memcpy(whole, text, len);
    whole[len] = '\n';
    for (long i = 0; i < times; i++)
        fake_write(fake, whole, len + newline);
    free(whole);
}

static void
write_stderr(char *text)
{
    size_t len;

    text = fake_unescape(text, &len);
    fwrite(text, 1, len, stderr);
    fputc('\n', stderr);
    fflush(stderr);
}

static void
close_one(struct fake *fake, const char *name)
{
    if (strcmp(name, "stdin") == 0) {
        close(0);
        fake->eof = fake->eof_told = fake->ignore_eof = true;
    } else if (strcmp(name, "stdout") == 0) {
        close(1);
    } else {
        close(2);
    }
}

static void
crash(int number)
{
    struct sigaction fatal = {.sa_handler = SIG_DFL};
    sigset_t none;

    sigemptyset(&none);
    sigaction(number, &fatal, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    kill(getpid(), number);
    for (;;)
        pause();
}

/* Carries out the action `once FILE`.  The first run creates the file and continues.
 * Later runs give the default answer and end. */
static void
once(struct fake *fake, struct fake_run *run, const char *path)
{
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

    if (fd >= 0) {
        close(fd);
        return;
    }
    run->next = NULL;
    fake_answer(fake, run);
}

/* ---- requests to the client -------------------------------------------------------- */

static char *
dump(json_t *value)
{
    return value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
}

/* The start of each requestState.  A client must return the state unchanged, although
 * some of its bytes are escaped on the wire. */
#define STATE "state \xc3\xa9\"/"

/* Carries out `ask` for a modern client.  The client sends its request again, together
 * with its answer.  The requestState of the retry says how many questions were asked
 * before the retry. */
static void
ask_modern(struct fake *fake, struct fake_run *run, char *method, const char *asked)
{
    json_t *params = json_object_get(run->message, "params");
    const char *state = json_string_value(json_object_get(params, "requestState"));
    char key[32], *body = NULL;
    json_t *reply;
    long round = 0;

    snprintf(key, sizeof(key), "ask-%d", ++run->asked);
    reply = json_object_get(json_object_get(params, "inputResponses"), key);
    if (state && strncmp(state, STATE, strlen(STATE)) == 0)
        round = strtol(state + strlen(STATE), NULL, 10);
    if ((reply || state) && round <= 0) {
        fake_send_error(fake, run, -32602, "this is not the state that was asked for");
        run->next = NULL;
        return;
    }
    if (reply) {
        free(run->reply);
        run->reply = dump(reply);
    }
    if (round >= run->asked)
        return; /* this retry or an earlier retry brought the answer */
    if (asprintf(&body,
                 "{\"resultType\":\"input_required\",\"inputRequests\":{\"%s\":{"
                 "\"method\":\"%s\",\"params\":%s}},"
                 "\"requestState\":\"state \\u00e9\\\"\\/%d\"}",
                 key, method, asked, run->asked) < 0)
        _exit(99);
    fake_send_answer(fake, run, "result", body);
    run->next = NULL;
    free(body);
}

/* Carries out the action `ask METHOD JSON`. */
static void
ask(struct fake *fake, struct fake_run *run, char *text)
{
    char *params = text + strcspn(text, " "), id[32];

    if (*params)
        *params++ = '\0';
    if (run->modern) {
        ask_modern(fake, run, text, *params ? params : "{}");
        return;
    }
    snprintf(id, sizeof(id), "\"srv-%d\"", ++fake->n_requests);
    free(run->awaits);
    run->awaits = strdup(id);
    run->due = INT64_MAX;
    fake_send_method(fake, id, text, *params ? params : "{}");
}

/* Carries out an action that pauses or ends the run, an action on the process (on its
 * descriptors, its children or its end), or an action that only fake->front has. */
static void
control(struct fake *fake, struct fake_run *run, const struct fake_action *a, char *text)
{
    switch (a->verb) {
    case V_DELAY:
        run->due = now_ms() + a->n;
        break;
    case V_SLEEP:
        sleep_ms(a->n);
        break;
    case V_CLOSE:
        close_one(fake, text);
        break;
    case V_CHILD:
    case V_DAEMON:
        start_child(fake, a->n, a->verb == V_DAEMON);
        break;
    case V_ONCE:
        once(fake, run, text);
        break;
    case V_EXIT:
        _exit((int)a->n);
    case V_CRASH:
        crash((int)a->n);
        break;
    case V_ASK:
        ask(fake, run, text);
        break;
    case V_HANG:
        for (;;)
            pause();
    default:
        if (fake->front)
            fake->front->act(fake, run, a, text);
    }
}

/* Carries out an action about the answer to the run's request, or about the progress of
 * the request.  Returns false if `a` is another action. */
static bool
answer(struct fake *fake, struct fake_run *run, const struct fake_action *a, char *text)
{
    switch (a->verb) {
    case V_ANSWER:
        fake_answer(fake, run);
        break;
    case V_RESULT:
        fake_send_answer(fake, run, "result", text);
        break;
    case V_ERROR:
        fake_send_error(fake, run, a->n, text);
        break;
    case V_TEXT:
        fake_send_text(fake, run, text, false);
        break;
    case V_TEXT_BYTES:
        fake_send_text_bytes(fake, run, (size_t)a->n);
        break;
    case V_DEEP:
        send_deep(fake, run, (size_t)a->n);
        break;
    case V_ID:
        free(run->id);
        run->id = strdup(text);
        break;
    case V_ID_STRING:
        id_string(run);
        break;
    case V_ID_LAST:
        run->id_last = true;
        break;
    case V_PROGRESS:
        send_progress(fake, run, text);
        break;
    default:
        return false;
    }
    return true;
}

/* Carries out an action that sends output other than an answer, or changes the set of
 * tools.  Returns false if `a` is another action. */
static bool
do_send_action(struct fake *fake, const struct fake_action *a, char *text)
{
    switch (a->verb) {
    case V_RAW:
        write_text(fake, text, false, 1);
        break;
    case V_LINE:
        write_text(fake, text, true, 1);
        break;
    case V_LINES:
        write_text(fake, text, true, a->n);
        break;
    case V_FILL:
        fake_fill(fake, 1, (size_t)a->n, *text ? text : "x");
        break;
    case V_STDERR:
        write_stderr(text);
        break;
    case V_STDERR_FILL:
        fake_fill(fake, 2, (size_t)a->n, "a line of no interest, again and again\n");
        break;
    case V_NOTIFY:
    case V_REQUEST:
        send_method(fake, text, a->verb == V_REQUEST);
        break;
    case V_LOG:
        send_log(fake, text);
        break;
    case V_USE:
        fake->set = fake_find_set(fake, text);
        break;
    case V_CHANGED:
        send_changed(fake, text);
        break;
    case V_UPDATED:
        send_updated(fake, text, 1);
        break;
    case V_UPDATES:
        send_updated(fake, text, a->n);
        break;
    default:
        return false;
    }
    return true;
}

/* Carries out the run's actions up to the next pause or the end of the run. */
static void
continue_run(struct fake *fake, struct fake_run *run)
{
    struct fake_run *before = fake->current;

    run->due = 0;
    fake->current = run;
    while (run->next && !run->due) {
        const struct fake_action *a = run->next;
        char *text = fake_expand(fake, run, a->text);

        run->next = a->next;
        if (!answer(fake, run, a, text) && !do_send_action(fake, a, text))
            control(fake, run, a, text);
        free(text);
    }
    if (!run->due && fake->front)
        fake->front->ended(fake, run);
    fake->current = before;
    if (!run->due) {
        free_run(run);
        return;
    }
    run->link = fake->runs;
    fake->runs = run;
}

int64_t
fake_run_due(struct fake *fake)
{
    for (;;) {
        struct fake_run **first = NULL, *run;
        int64_t now = now_ms();

        for (struct fake_run **p = &fake->runs; *p; p = &(*p)->link)
            if (!first || (*p)->due < (*first)->due)
                first = p;
        if (!first || (*first)->due == INT64_MAX)
            return -1;
        run = *first;
        if (run->due > now)
            return run->due - now;
        *first = run->link;
        continue_run(fake, run);
    }
}

void
fake_drop_runs(struct fake *fake, const char *id, const void *peer)
{
    struct fake_run **p = &fake->runs;

    while (*p) {
        struct fake_run *run = *p;

        if ((id && (!run->id || strcmp(run->id, id) != 0)) ||
            (peer && !fake->front->knows(fake, peer, run))) {
            p = &run->link;
            continue;
        }
        *p = run->link;
        run->dropped = true;
        if (fake->front)
            fake->front->ended(fake, run);
        free_run(run);
    }
}

void
fake_drop_runs_of(struct fake *fake, const void *peer)
{
    struct fake_run **p = &fake->runs;

    while (*p) {
        struct fake_run *run = *p;

        if (run->peer != peer) {
            p = &run->link;
            continue;
        }
        *p = run->link;
        free_run(run);
    }
}

/* ---- events ------------------------------------------------------------------------ */

static struct fake_run *
new_run(struct fake *fake, const char *event, json_t *message)
{
    struct fake_run *run = fake_alloc(NULL, sizeof(*run));
    json_t *params = json_object_get(message, "params");
    json_t *meta = json_object_get(params, "_meta");
    const char *method = json_string_value(json_object_get(message, "method"));

    *run = (struct fake_run){.message = json_incref(message)};
    run->nth = count_event(fake, event);
    run->id = method ? dump(json_object_get(message, "id")) : NULL;
    run->token = dump(json_object_get(meta, "progressToken"));
    run->args = dump(json_object_get(params, "arguments"));
    run->method = method ? strdup(method) : NULL;
    run->modern =
        json_object_get(meta, "io.modelcontextprotocol/protocolVersion") != NULL;
    return run;
}

void
fake_event(struct fake *fake, const char *event, json_t *message)
{
    fake_event_from(fake, event, message, NULL);
}

void
fake_event_from(struct fake *fake, const char *event, json_t *message, void *peer)
{
    static const struct fake_action by_default = {.verb = V_ANSWER, .text = (char *)""};
    struct fake_run *run = new_run(fake, event, message);
    const struct fake_block *block = fake_find_block(fake, event, run->nth);

    if (!block && strncmp(event, "call:", 5) == 0) {
        run->nth = count_event(fake, "call");
        block = fake_find_block(fake, "call", run->nth);
    }
    run->peer = peer;
    run->next = block ? block->first : &by_default;
    continue_run(fake, run);
}

void
fake_act_from(struct fake *fake, const char *lines, void *peer)
{
    struct fake_run *run = fake_alloc(NULL, sizeof(*run));

    *run = (struct fake_run){.peer = peer, .own = fake_parse_actions(lines)};
    run->next = run->own;
    continue_run(fake, run);
}

static void
cancelled(struct fake *fake, json_t *message, const void *peer)
{
    char *id = dump(json_object_get(json_object_get(message, "params"), "requestId"));

    if (id && !fake->ignore_cancel)
        fake_drop_runs(fake, id, peer);
    if (id && fake->listen_id && strcmp(id, fake->listen_id) == 0) {
        free(fake->listen_id);
        fake->listen_id = NULL;
    }
    free(id);
}

/* Handles the client's answer to a request of this server.  Continues the run that waits
 * for the answer. */
static void
replied(struct fake *fake, json_t *message)
{
    char *id = dump(json_object_get(message, "id"));
    json_t *result = json_object_get(message, "result");
    struct fake_run **p = &fake->runs, *run;

    while (*p && (!id || !(*p)->awaits || strcmp((*p)->awaits, id) != 0))
        p = &(*p)->link;
    free(id);
    run = *p;
    if (!run)
        return;
    *p = run->link;
    free(run->awaits);
    run->awaits = NULL;
    free(run->reply);
    run->reply = dump(result ? result : json_object_get(message, "error"));
    continue_run(fake, run);
}

static void
dispatch(struct fake *fake, json_t *message, void *peer)
{
    static const char *const names[][2] = {
        {"server/discover", "discover"},
        {"tools/list", "list"},
        {"notifications/initialized", "initialized"},
        {"notifications/cancelled", "cancelled"},
    };
    const char *method = json_string_value(json_object_get(message, "method"));
    const char *tool =
        json_string_value(json_object_get(json_object_get(message, "params"), "name"));
    const char *event = method ? method : "reply";
    char call[256];

    if (method && strcmp(method, "tools/call") == 0) {
        snprintf(call, sizeof(call), "call:%s", tool ? tool : "?");
        event = call;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(event, names[i][0]) == 0) {
            event = names[i][1];
            break;
        }
    if (strcmp(event, "cancelled") == 0)
        cancelled(fake, message, peer);
    if (strcmp(event, "initialized") == 0)
        fake->initialized = true; /* needed if the script itself answered `initialize` */
    fake_event_from(fake, event, message, peer);
    if (!method)
        replied(fake, message);
}

void
fake_receive(struct fake *fake, char *line, size_t len)
{
    fake_receive_from(fake, line, len, NULL);
}

void
fake_receive_from(struct fake *fake, char *line, size_t len, void *peer)
{
    static const char parse_error[] =
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
        "\"message\":\"Parse error\"}}\n";
    json_t *message, *item;
    size_t i;

    if (!len)
        return;
    fake_trace(fake, "<", line);
    message = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    if (json_is_object(message)) {
        dispatch(fake, message, peer);
    } else if (json_is_array(message)) {
        json_array_foreach(message, i, item)
        {
            dispatch(fake, item, peer);
        }
    } else {
        fake_write(fake, parse_error, sizeof(parse_error) - 1);
    }
    json_decref(message);
}
