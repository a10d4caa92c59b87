/* SPDX-License-Identifier: MIT
 *
 * sample.c - sampling requests (for a message of a model), answered by
 * --sampling-command.
 *
 *   request --> queue --> command started, request written --> answer read --> answered
 *                                     \__ failed, late, too long __> server gets an error
 *
 * Each request gets a process of its own.  The process reads the request from stdin and
 * writes the answer to stdout.  Request and answer have MCP's own form, or the form of a
 * model's provider.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"
#include "words.h"

/* Limit on the bytes of a command's output.  The library refuses a longer answer to a
 * request. */
#define ANSWER_MAX ((size_t)32 << 20)
/* The time limit of a command in ms if there is no --timeout. */
#define DEADLINE_MS INT64_C(300000)

struct sample {
    struct sample *next;
    mcphost_request *request;
    mcphost_sampling *sampling; /* converts the texts; NULL for --sampling-format mcp */
    const char *input;          /* text for stdin; belongs to `request` or `sampling` */
    size_t left;                /* bytes of `input` that are not written yet */
    struct text answer;
    int started;
    int at_end; /* the command's stdout has ended */
    int ended;
    int status; /* as from waitpid(), if `ended` is true */
    int64_t end;
    struct worker worker;
};

struct sampling {
    char **words;
    int is_mcp, shape, profile;
    struct sample *first; /* the list of samples; running samples come first */
};

/* ---- the options ------------------------------------------------------------------- */

static int
find_format(struct ctl *ctl, struct sampling *s)
{
    const char *name = ctl->opt.sampling_format;

    s->is_mcp = !name || strcmp(name, "mcp") == 0;
    if (s->is_mcp || provider_find(name, &s->shape, &s->profile))
        return 0;
    say(ctl,
        "--sampling-format must be mcp or a provider of --for, such as openai, not '%s'",
        name);
    return STATUS_USAGE;
}

int
sample_open(struct ctl *ctl, int64_t *ret_kinds)
{
    struct sampling *s;
    const char *reason;

    if (ctl->opt.sampling_events)
        *ret_kinds |= MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_SAMPLING_TOOLS;
    if (!ctl->opt.sampling_command)
        return 0;
    s = calloc(1, sizeof(*s));
    if (!s)
        return out_of_memory(ctl);
    ctl->sampling = s;
    if (find_format(ctl, s))
        return STATUS_USAGE;
    if (words_split(ctl->opt.sampling_command, &s->words, &reason) < 0) {
        say(ctl, "--sampling-command: %s", reason);
        return STATUS_USAGE;
    }
    if (!s->words[0] || !*s->words[0]) {
        say(ctl, "--sampling-command needs a command");
        return STATUS_USAGE;
    }
    *ret_kinds |= MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_SAMPLING_TOOLS;
    return 0;
}

/* ---- the end of a request ---------------------------------------------------------- */

static void
drop_sample(struct sampling *s, struct sample *sample)
{
    struct sample **at = &s->first;

    while (*at != sample)
        at = &(*at)->next;
    *at = sample->next;
    if (sample->started)
        worker_stop(&sample->worker);
    mcphost_request_unref(sample->request);
    mcphost_sampling_unref(sample->sampling);
    text_free(&sample->answer);
    free(sample);
}

/* Rejects a request.  The server gets the error `why`.  stderr gets `why` and, if
 * `detail` is not NULL, the text `detail`. */
static void
fail_request(struct ctl *ctl, struct sample *sample, const char *why, const char *detail)
{
    char name[NAME_SIZE];

    say(ctl, "sampling for server '%s': %s%s%s",
        full_name(name, mcphost_request_get_source_id(sample->request),
                  mcphost_request_get_server_id(sample->request)),
        why, detail ? ": " : "", detail ? detail : "");
    mcphost_request_reject(sample->request, MCPHOST_REJECT_ERROR, why);
    drop_sample(ctl->sampling, sample);
}

__attribute__((format(printf, 3, 4))) static void
fail_with(struct ctl *ctl, struct sample *sample, const char *fmt, ...)
{
    char why[160];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    fail_request(ctl, sample, why, NULL);
}

static void
answer_request(struct ctl *ctl, struct sample *sample)
{
    const char *json = sample->answer.data ? sample->answer.data : "";
    size_t len = sample->answer.len;
    mcphost_error *err = NULL;
    char *made = NULL;
    int r = 0;

    if (sample->sampling)
        r = mcphost_sampling_make_result(sample->sampling, json, len, &made, &len, &err);
    if (r == 0)
        r = mcphost_request_respond(sample->request, made ? made : json, len, &err);
    if (r == 0 || r == MCPHOST_E_STATE)
        drop_sample(ctl->sampling, sample);
    else if (r == MCPHOST_E_DENIED || r == MCPHOST_E_AUTH || r == MCPHOST_E_LIMIT)
        fail_request(ctl, sample, "the model's provider refuses",
                     err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    else
        fail_request(ctl, sample, "the sampling command gave no usable answer",
                     err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    mcphost_error_unref(err);
    mcphost_free(made);
}

static void
end_command(struct ctl *ctl, struct sample *sample)
{
    int status = sample->status;

    if (WIFSIGNALED(status))
        fail_with(ctl, sample, "the sampling command was ended by signal %d",
                  WTERMSIG(status));
    else if (WEXITSTATUS(status) == 127)
        fail_request(ctl, sample, "the sampling command was not found (exit status 127)",
                     NULL);
    else if (WEXITSTATUS(status))
        fail_with(ctl, sample, "the sampling command failed (exit status %d)",
                  WEXITSTATUS(status));
    else
        answer_request(ctl, sample);
}

/* ---- the beginning of a request ---------------------------------------------------- */

static void
say_notes(struct ctl *ctl, const struct sample *sample)
{
    for (size_t i = 0; i < mcphost_sampling_count_notes(sample->sampling); i++)
        say(ctl, "sampling: %s", mcphost_sampling_get_note(sample->sampling, i));
}

static void
take_request(struct ctl *ctl, mcphost_request *request)
{
    struct sampling *s = ctl->sampling;
    struct sample **at = &s->first, *sample = calloc(1, sizeof(*sample));
    mcphost_error *err = NULL;
    int r = 0;

    if (!sample) {
        mcphost_request_reject(request, MCPHOST_REJECT_ERROR, "out of memory");
        return;
    }
    while (*at)
        at = &(*at)->next;
    *at = sample;
    sample->request = mcphost_request_ref(request);
    sample->input = mcphost_request_get_params(request, &sample->left);
    if (!s->is_mcp)
        r = mcphost_sampling_new(sample->input ? sample->input : "", sample->left,
                                 s->shape, s->profile, ctl->opt.sampling_model,
                                 MCPHOST_MODALITY_IMAGES | MCPHOST_MODALITY_AUDIO |
                                     MCPHOST_MODALITY_TOOLS,
                                 &sample->sampling, &err);
    if (r < 0) {
        fail_request(ctl, sample, "the request cannot be converted",
                     err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    } else if (!s->is_mcp) {
        sample->input = mcphost_sampling_get_json(sample->sampling, &sample->left);
        if (ctl->opt.verbose)
            say_notes(ctl, sample);
    }
    mcphost_error_unref(err);
}

void
sample_event(struct ctl *ctl, const mcphost_event *event)
{
    mcphost_request *request = mcphost_event_get_request(event);

    if (!ctl->sampling || mcphost_request_get_kind(request) != MCPHOST_REQUEST_SAMPLING)
        return;
    if (mcphost_event_get_state(event)) {
        take_request(ctl, request);
        return;
    }
    for (struct sample *sample = ctl->sampling->first; sample; sample = sample->next) {
        if (sample->request == request) {
            drop_sample(ctl->sampling, sample);
            return;
        }
    }
}

/* Starts the command.  On failure, frees the sample and returns 0. */
static int
start_command(struct ctl *ctl, struct sample *sample)
{
    int64_t ms = ctl->opt.timeout_ms >= 0 ? ctl->opt.timeout_ms : DEADLINE_MS;

    if (worker_start(&sample->worker, ctl->sampling->words) < 0) {
        fail_request(ctl, sample, "the sampling command cannot be started",
                     strerror(errno));
        return 0;
    }
    sample->started = 1;
    sample->end = now_ms() + ms;
    return 1;
}

/* ---- while a command runs ---------------------------------------------------------- */

nfds_t
sample_poll(struct ctl *ctl, struct pollfd *fds, int64_t *timeout_ms)
{
    struct sample *sample = ctl->sampling ? ctl->sampling->first : NULL, *next;
    int64_t now = now_ms();
    nfds_t n = 0;

    for (; sample && n < SAMPLE_FDS; sample = next) {
        int64_t left;

        next = sample->next;
        if (!sample->started && !start_command(ctl, sample))
            continue;
        left = sample->end > now ? sample->end - now : 0;
        if (*timeout_ms < 0 || left < *timeout_ms)
            *timeout_ms = left;
        fds[n++] = (struct pollfd){.fd = sample->worker.in, .events = POLLOUT};
        fds[n++] = (struct pollfd){.fd = sample->at_end ? -1 : sample->worker.out,
                                   .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = sample->ended ? -1 : sample->worker.line,
                                   .events = POLLIN};
    }
    return n;
}

/* Writes input to the command.  Closes the pipe after the last byte, or if the command
 * has closed its stdin. */
static void
write_input(struct sample *sample)
{
    ssize_t n = write(sample->worker.in, sample->input, sample->left);

    if (n > 0) {
        sample->input += n;
        sample->left -= (size_t)n;
    }
    if (sample->left == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close(sample->worker.in);
        sample->worker.in = -1;
    }
}

/* Reads the command's output.  After the command has ended, reads only until the pipe is
 * empty: all output is in the pipe then, and a process that left the command's group may
 * hold the pipe open for longer. */
static void
read_answer(struct sample *sample)
{
    char part[65536];
    ssize_t n;

    do {
        n = read(sample->worker.out, part, sizeof(part));
        if (n > 0)
            text_add(&sample->answer, part, (size_t)n);
        else if (n == 0 || sample->ended || (errno != EAGAIN && errno != EINTR))
            sample->at_end = 1;
    } while (sample->ended && !sample->at_end && sample->answer.len <= ANSWER_MAX);
}

/* Handles the results of poll() for a sample.  Frees the sample when its request is
 * over. */
static void
handle_events(struct ctl *ctl, struct sample *sample, const struct pollfd *fds)
{
    int r;

    if (fds[0].revents)
        write_input(sample);
    if (fds[2].revents) {
        r = worker_has_ended(&sample->worker, &sample->status);
        sample->ended = r == 1;
        if (r < 0) {
            fail_request(ctl, sample, "the status of the sampling command cannot be read",
                         NULL);
            return;
        }
    }
    if ((fds[1].revents || sample->ended) && !sample->at_end)
        read_answer(sample);
    if (text_failed(&sample->answer))
        fail_request(ctl, sample, "out of memory", NULL);
    else if (sample->answer.len > ANSWER_MAX)
        fail_with(ctl, sample, "the sampling command wrote more than %zu MiB",
                  ANSWER_MAX >> 20);
    else if (sample->at_end && sample->ended)
        end_command(ctl, sample);
    else if (now_ms() >= sample->end)
        fail_request(ctl, sample, "the sampling command gave no answer in time", NULL);
}

void
sample_turn(struct ctl *ctl, const struct pollfd *fds, nfds_t n)
{
    struct sample *sample = n > 0 ? ctl->sampling->first : NULL, *next;

    for (nfds_t i = 0; sample && i + 2 < n; sample = next, i += 3) {
        next = sample->next;
        handle_events(ctl, sample, fds + i);
    }
}

void
sample_free(struct ctl *ctl)
{
    struct sampling *s = ctl->sampling;

    if (!s)
        return;
    while (s->first)
        drop_sample(s, s->first);
    words_free(s->words);
    free(s);
    ctl->sampling = NULL;
}
