/* SPDX-License-Identifier: MIT
 *
 * ask.c - shows the forms, pages (URLs) and logins of servers on the terminal, and takes
 * the person's answers.
 *
 *   event --> queue --its turn--> fields --> review --y--> answered
 *                       \           \__________\__n, !decline, Ctrl-D--> declined
 *                       |\__ page --y, n        \__Ctrl-C--> cancelled, with all others
 *                        \__ login --the browser returns, or its URL is pasted
 *
 * The command `login` shows a login also without a terminal, because the person may
 * only need the browser.
 *
 * The host keeps working while the person thinks, because the same poll() watches the
 * terminal and the host.  The terminal is read line by line.  Input that is typed before
 * a question is shown is discarded, because the person cannot mean it for that question.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#include "ask.h"
#include "form.h"
#include "term.h"

enum {
    LINE_BYTES = 65536, /* the longest line that can be typed */
    URL_BYTES = 8192,   /* the longest URL that a person can judge */
    MESSAGE_BYTES = 8192,
    MESSAGE_LINES = 50,
};

enum stage { WAITING, FIELDS, REVIEW, PAGE, LOGIN, CODE };

struct question {
    struct question *next;
    mcphost_request *request;
};

struct asking {
    int how;  /* how to answer: ELICIT_*, but never ELICIT_AUTO */
    FILE *to; /* the terminal or stderr; NULL if neither is used */
    int fd;   /* -1 if there is no terminal to read from */
    int own;  /* `fd` and `to` were opened here, and are closed here */
    struct question *first;
    enum stage stage; /* the stage of the first question */
    struct form *form;
    size_t field;
    struct text in; /* typed input that is not used yet */
    int prompted;   /* the terminal's last line is the prompt */
    int interrupted;
};

/* ---- opening the terminal ---------------------------------------------------------- */

static int
open_terminal(struct asking *a)
{
    int fd;

    a->own = !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO);
    a->fd = a->own ? open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO;
    if (a->fd < 0)
        return -1;
    fd = a->own ? fcntl(a->fd, F_DUPFD_CLOEXEC, 3) : -1;
    a->to = a->own ? fdopen(fd, "w") : stderr;
    if (!a->to && fd >= 0)
        close(fd);
    return a->to ? 0 : -1;
}

static int
is_for_lines(const struct ctl *ctl)
{
    return strcmp(ctl->opt.command, "batch") == 0;
}

/* Opens the terminal for the command `login`.  Without a terminal, the login is shown
 * on stderr. */
static int
open_login(struct ctl *ctl, int64_t *ret_kinds)
{
    struct asking *a = ctl->asking;

    a->how = ELICIT_ASK;
    *ret_kinds |= MCPHOST_REQUEST_AUTHORIZE;
    if (open_terminal(a) == 0)
        return 0;
    if (ctl->opt.paste) {
        say(ctl, "--paste needs a terminal");
        return STATUS_USAGE;
    }
    if (a->own && a->fd >= 0)
        close(a->fd);
    a->fd = -1;
    a->own = 0;
    a->to = stderr;
    return 0;
}

int
ask_open(struct ctl *ctl, int64_t *ret_kinds)
{
    struct asking *a = calloc(1, sizeof(*a));
    int how = ctl->opt.elicit;
    int is_watch = strcmp(ctl->opt.command, "watch") == 0;

    if (!a)
        return out_of_memory(ctl);
    ctl->asking = a;
    a->fd = -1;
    if (ctl->logs_in)
        return open_login(ctl, ret_kinds);
    /* Offer logins only with --elicit ask.  The default does not offer logins, because
     * several servers may need one. */
    if (how == ELICIT_ASK)
        *ret_kinds |= MCPHOST_REQUEST_AUTHORIZE;
    if (how == ELICIT_AUTO)
        how = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !is_watch &&
                      !is_for_lines(ctl)
                  ? ELICIT_ASK
                  : ELICIT_OFF;
    a->how = how;
    if (how != ELICIT_OFF)
        *ret_kinds |= MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL;
    if (how != ELICIT_ASK || is_for_lines(ctl) || open_terminal(a) == 0)
        return 0;
    say(ctl, "--elicit ask needs a terminal");
    return STATUS_USAGE;
}

/* ---- the queue --------------------------------------------------------------------- */

static void
drop_first(struct asking *a)
{
    struct question *q = a->first;

    a->first = q->next;
    mcphost_request_unref(q->request);
    free(q);
    form_free(a->form);
    a->form = NULL;
    a->field = 0;
    a->stage = WAITING;
}

static void
reject_first(struct asking *a, int how, const char *message)
{
    mcphost_request_reject(a->first->request, how, message);
    drop_first(a);
}

static void
cancel_all(struct asking *a)
{
    while (a->first)
        reject_first(a, MCPHOST_REJECT_CANCEL, NULL);
}

/* Cancels all questions and closes the terminal, because no person can answer any
 * more. */
static void
lose_terminal(struct asking *a)
{
    cancel_all(a);
    if (a->own && a->to)
        fclose(a->to);
    if (a->own && a->fd >= 0)
        close(a->fd);
    a->to = NULL;
    a->fd = -1;
    a->prompted = 0;
}

void
ask_end(struct ctl *ctl)
{
    if (!ctl->asking)
        return;
    ask_aside(ctl);
    lose_terminal(ctl->asking);
}

void
ask_free(struct ctl *ctl)
{
    if (!ctl->asking)
        return;
    ask_end(ctl);
    text_free(&ctl->asking->in);
    free(ctl->asking);
    ctl->asking = NULL;
}

static void
enqueue(struct asking *a, mcphost_request *request)
{
    struct question **at = &a->first, *q = calloc(1, sizeof(*q));

    if (!q) {
        mcphost_request_reject(request, MCPHOST_REJECT_ERROR, "out of memory");
        return;
    }
    while (*at)
        at = &(*at)->next;
    q->request = mcphost_request_ref(request);
    *at = q;
}

static const char *
server_of(char name[NAME_SIZE], const mcphost_request *request)
{
    return full_name(name, mcphost_request_get_source_id(request),
                     mcphost_request_get_server_id(request));
}

/* Drops the question of a request that has ended without an answer. */
static void
withdraw_question(struct ctl *ctl, const mcphost_event *event)
{
    struct asking *a = ctl->asking;
    mcphost_request *request = mcphost_event_get_request(event);
    struct question **at = &a->first, *q;
    char name[NAME_SIZE];

    while (*at && (*at)->request != request)
        at = &(*at)->next;
    q = *at;
    if (!q)
        return;
    if (q == a->first) {
        if (a->stage == LOGIN || a->stage == CODE)
            ask_aside(ctl);
        else if (a->stage != WAITING)
            say(ctl, "server '%s' no longer waits for an answer: %s",
                server_of(name, request), mcphost_event_get_text(event));
        drop_first(a);
        return;
    }
    *at = q->next;
    mcphost_request_unref(q->request);
    free(q);
}

void
ask_event(struct ctl *ctl, const mcphost_event *event)
{
    struct asking *a = ctl->asking;
    mcphost_request *request = mcphost_event_get_request(event);
    int kind = mcphost_request_get_kind(request);

    if (!a || (kind != MCPHOST_REQUEST_FORM && kind != MCPHOST_REQUEST_URL &&
               kind != MCPHOST_REQUEST_AUTHORIZE))
        return;
    ctl->was_asked |= kind == MCPHOST_REQUEST_AUTHORIZE;
    if (mcphost_event_get_state(event) == 0)
        withdraw_question(ctl, event);
    else if (a->how == ELICIT_DECLINE)
        mcphost_request_reject(request, MCPHOST_REJECT_DECLINE, NULL);
    else if (a->how == ELICIT_ASK && a->to)
        enqueue(a, request);
    else if (a->how != ELICIT_ASK || !is_for_lines(ctl))
        mcphost_request_reject(request, MCPHOST_REJECT_CANCEL, NULL);
}

/* ---- showing a question ------------------------------------------------------------ */

int
ask_is_shown(const struct ctl *ctl)
{
    return ctl->asking && ctl->asking->stage != WAITING;
}

void
ask_aside(struct ctl *ctl)
{
    struct asking *a = ctl->asking;

    if (!a || !a->prompted)
        return;
    a->prompted = 0;
    fputc('\n', a->to);
    fflush(a->to);
}

/* Finds the host in a URL.  *ret_user becomes 1 if a user name precedes the host. */
static const char *
find_host(const char *url, size_t *ret_len, int *ret_user)
{
    const char *s = strstr(url, "://"), *end, *port;

    s = s ? s + 3 : url;
    end = s + strcspn(s, "/?#\\");
    *ret_user = 0;
    for (const char *p = s; p < end; p++) {
        if (*p == '@') {
            s = p + 1;
            *ret_user = 1;
        }
    }
    port = *s == '[' ? memchr(s, ']', (size_t)(end - s)) : s;
    port = port ? memchr(port, ':', (size_t)(end - port)) : NULL;
    *ret_len = (size_t)((port ? port : end) - s);
    return s;
}

/* Prints each byte that is not visible ASCII as %XX, so that a letter of another script
 * cannot pass for an ASCII letter. */
static void
print_ascii(FILE *to, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c > ' ' && c < 0x7f)
            fputc(c, to);
        else
            fprintf(to, "%%%02X", c);
    }
}

static int
has_punycode(const char *host, size_t len)
{
    for (size_t i = 0; i + 4 <= len; i++) {
        if ((i == 0 || host[i - 1] == '.') && strncasecmp(host + i, "xn--", 4) == 0)
            return 1;
    }
    return 0;
}

static int
is_plain(const char *host, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)host[i];

        if (c <= ' ' || c >= 0x7f || c == '%')
            return 0;
    }
    return 1;
}

/* Shows a URL, and warns if its host may look like another host. */
static void
show_url(const struct ctl *ctl, FILE *to, const char *url)
{
    int color = ctl->opt.color == COLOR_ALWAYS ||
                (ctl->opt.color == COLOR_AUTO && isatty(fileno(to)) &&
                 !secure_getenv("NO_COLOR") && !term_is_dumb());
    size_t len;
    int user;
    const char *host = find_host(url, &len, &user);

    fputs("  URL:  ", to);
    print_ascii(to, url, strlen(url));
    fprintf(to, "\n  Host: %s", term_color(color, COLOR_BOLD));
    print_ascii(to, host, len);
    fprintf(to, "%s\n", term_reset(color, COLOR_BOLD));
    if (has_punycode(host, len) || !is_plain(host, len))
        fputs("  Careful: the host has letters of other scripts, which may look like "
              "those of another host.\n",
              to);
    if (user)
        fputs("  Careful: the part before '@' is not the host.\n", to);
}

static void
show_page(const struct ctl *ctl, FILE *to, const char *url)
{
    show_url(ctl, to, url);
    fputs("  mcphostctl does not open the page.  Answer y if you open it yourself.\n",
          to);
}

static void
show_header(const struct asking *a, const char *server, const char *wants)
{
    const char *message = mcphost_request_get_message(a->first->request);
    size_t waiting = 0;

    for (const struct question *q = a->first->next; q; q = q->next)
        waiting++;
    fprintf(a->to, "Server '");
    term_print(a->to, "", server, strlen(server));
    fprintf(a->to, "' asks you to %s", wants);
    if (waiting)
        fprintf(a->to, " (%zu more questions wait)", waiting);
    fputs(":\n", a->to);
    if (message)
        quote(a->to, "  | ", message, MESSAGE_BYTES, MESSAGE_LINES);
}

static void
begin_form(struct ctl *ctl, const char *server)
{
    struct asking *a = ctl->asking;

    a->form = form_new(a->first->request);
    if (!a->form) {
        say(ctl, "server '%s' asks with a form that cannot be shown", server);
        reject_first(a, MCPHOST_REJECT_ERROR, "the form cannot be shown");
        return;
    }
    show_header(a, server, "fill in a form");
    if (form_count(a->form) > 0)
        fputs("  An empty line takes the value in brackets, or skips a field that is not "
              "required.\n  !back: to the field before; !clear: empty it; !decline or "
              "Ctrl-D: answer nothing;\n  Ctrl-C: cancel.\n",
              a->to);
    a->stage = form_count(a->form) > 0 ? FIELDS : REVIEW;
    if (a->stage == FIELDS)
        form_show(a->form, 0, a->to);
}

/* Returns true if the person enters a code at a web page to log in.  The browser then
 * does not return to this program. */
static int
has_code(const mcphost_request *request)
{
    size_t len = 0;
    const char *params = mcphost_request_get_params(request, &len);
    json_t *root = params ? json_loadb(params, len, 0, NULL) : NULL;
    const char *flow = json_string_value(json_object_get(root, "flow"));
    int has = flow && strcmp(flow, "device") == 0;

    json_decref(root);
    return has;
}

static void
begin_login(struct ctl *ctl, const char *server, const char *url)
{
    struct asking *a = ctl->asking;
    int is_opened = 0;

    a->stage = has_code(a->first->request) ? CODE : LOGIN;
    show_header(a, server, "log in");
    show_url(ctl, a->to, url);
    if (a->stage == LOGIN && ctl->logs_in && !ctl->opt.paste && !ctl->opt.no_browser)
        is_opened = browser_open(url) == 0;
    if (is_opened)
        fputs("  The page opens in your browser.\n", a->to);
    else
        fputs("  Open the page in a browser.\n", a->to);
    if (a->stage == LOGIN && a->fd >= 0)
        fputs(
            "  If the browser runs on another machine, it ends at a page that it cannot "
            "open.\n  Paste the URL of that page here.\n",
            a->to);
    fflush(a->to);
}

static void
begin_question(struct ctl *ctl)
{
    struct asking *a = ctl->asking;
    const char *url = mcphost_request_get_url(a->first->request);
    char name[NAME_SIZE];
    const char *server = server_of(name, a->first->request);

    say_status_end(ctl);
    (void)tcflush(a->fd, TCIFLUSH);
    text_consume(&a->in, a->in.len);
    if (mcphost_request_get_kind(a->first->request) == MCPHOST_REQUEST_AUTHORIZE) {
        begin_login(ctl, server, url);
    } else if (!url) {
        begin_form(ctl, server);
    } else if (strlen(url) > URL_BYTES) {
        say(ctl, "server '%s' asks to open a URL of %zu bytes", server, strlen(url));
        reject_first(a, MCPHOST_REJECT_ERROR, "the URL is too long to be shown");
    } else {
        show_header(a, server, "open a page");
        show_page(ctl, a->to, url);
        a->stage = PAGE;
    }
}

static void
show_prompt(struct ctl *ctl)
{
    struct asking *a = ctl->asking;
    char name[NAME_SIZE];
    struct text t = {0};

    term_flatten(&t, server_of(name, a->first->request),
                 strlen(server_of(name, a->first->request)));
    text_puts(&t, "> ");
    if (a->stage == FIELDS)
        form_add_prompt(a->form, a->field, &t);
    else if (a->stage == PAGE)
        text_puts(&t, "open it? y or n");
    else if (a->stage == LOGIN)
        text_puts(&t, "URL");
    else if (form_count(a->form) > 0)
        text_puts(&t, "send this? y, n or e (edit)");
    else
        text_puts(&t, "agree? y or n");
    text_puts(&t, ": ");
    if (!text_failed(&t))
        fputs(t.data, a->to);
    fflush(a->to);
    text_free(&t);
    a->prompted = 1;
}

nfds_t
ask_poll(struct ctl *ctl, struct pollfd *fds)
{
    struct asking *a = ctl->asking;

    if (!a)
        return 0;
    while (a->first && a->stage == WAITING && a->to)
        begin_question(ctl);
    if (!a->first || a->fd < 0 || a->stage == CODE)
        return 0;
    if (!a->prompted) {
        say_status_end(ctl);
        show_prompt(ctl);
    }
    fds[0] = (struct pollfd){.fd = a->fd, .events = POLLIN};
    return 1;
}

/* ---- typed input ------------------------------------------------------------------- */

static void
complain(struct asking *a, const char *why)
{
    fputs("  ", a->to);
    term_print(a->to, "", why, strlen(why));
    fputc('\n', a->to);
}

static void
end_answer(struct ctl *ctl, int r, mcphost_error *err)
{
    struct asking *a = ctl->asking;

    if (r < 0)
        complain(a, err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    if (r == MCPHOST_E_INVALID && a->form && form_count(a->form) > 0) {
        a->stage = FIELDS;
        a->field = 0;
        form_show(a->form, 0, a->to);
    } else if (r < 0 && r != MCPHOST_E_STATE) {
        reject_first(a, MCPHOST_REJECT_ERROR, mcphost_strerror(r));
    } else {
        drop_first(a);
    }
    mcphost_error_unref(err);
}

static void
to_field(struct asking *a, size_t field)
{
    a->field = field;
    a->stage = field < form_count(a->form) ? FIELDS : REVIEW;
    if (a->stage == FIELDS) {
        form_show(a->form, field, a->to);
        return;
    }
    fputs("  The answer:\n", a->to);
    form_review(a->form, a->to);
}

static void
take_field(struct asking *a, const char *line, size_t len)
{
    struct text why = {0};

    if (strcmp(line, "!back") == 0) {
        to_field(a, a->field > 0 ? a->field - 1 : 0);
    } else if (strcmp(line, "!clear") == 0) {
        form_clear(a->form, a->field);
    } else if (form_take(a->form, a->field, line, len, &why) == 0) {
        to_field(a, a->field + 1);
    } else {
        text_add(&why, "", 0);
        complain(a, text_failed(&why) ? "out of memory" : why.data);
    }
    text_free(&why);
}

/* Answers a login with the URL that the person has pasted. */
static void
take_redirect(struct ctl *ctl, const char *line, size_t len)
{
    struct asking *a = ctl->asking;
    mcphost_error *err = NULL;
    struct text t = {0};
    int r;

    if (len == 0)
        return;
    put_begin(&t, '{');
    put_key(&t, "redirect");
    put_text(&t, line, len);
    put_end(&t, '}');
    r = text_failed(&t) ? MCPHOST_E_NOMEM
                        : mcphost_request_respond(a->first->request, t.data, t.len, &err);
    if (r == MCPHOST_E_INVALID) {
        complain(a, err ? mcphost_error_get_message(err) : mcphost_strerror(r));
        mcphost_error_unref(err);
    } else {
        end_answer(ctl, r, err);
    }
    text_free(&t);
}

static int
is_word(const char *line, const char *letter, const char *word)
{
    return strcasecmp(line, letter) == 0 || strcasecmp(line, word) == 0;
}

static void
take_decision(struct ctl *ctl, const char *line)
{
    struct asking *a = ctl->asking;
    mcphost_error *err = NULL;
    int r, is_page = a->stage == PAGE;
    int has_fields = !is_page && form_count(a->form) > 0;

    if (is_word(line, "y", "yes")) {
        r = is_page ? mcphost_request_respond(a->first->request, NULL, 0, &err)
                    : form_send(a->form, &err);
        end_answer(ctl, r, err);
    } else if (is_word(line, "n", "no")) {
        reject_first(a, MCPHOST_REJECT_DECLINE, NULL);
    } else if (has_fields && is_word(line, "e", "edit")) {
        to_field(a, 0);
    } else if (has_fields && strcmp(line, "!back") == 0) {
        to_field(a, form_count(a->form) - 1);
    }
}

static void
take_line(struct ctl *ctl, char *line, size_t len)
{
    struct asking *a = ctl->asking;

    if (strlen(line) < len)
        complain(a, "the text has a NUL character");
    else if (strcmp(line, "!decline") == 0)
        reject_first(a, MCPHOST_REJECT_DECLINE, NULL);
    else if (a->stage == FIELDS)
        take_field(a, line, len);
    else if (a->stage == LOGIN)
        take_redirect(ctl, line, len);
    else
        take_decision(ctl, line);
}

static void
take_lines(struct ctl *ctl)
{
    struct asking *a = ctl->asking;

    while (a->first && a->stage != WAITING && a->in.len > 0) {
        char *newline = memchr(a->in.data, '\n', a->in.len);
        size_t len;

        if (!newline)
            break;
        len = (size_t)(newline - a->in.data);
        *newline = '\0';
        a->prompted = 0;
        take_line(ctl, a->in.data, len);
        text_consume(&a->in, len + 1);
    }
    if (a->in.len > LINE_BYTES) {
        text_consume(&a->in, a->in.len);
        ask_aside(ctl);
        if (a->to)
            complain(a, "this line is too long");
    }
}

void
ask_turn(struct ctl *ctl, const struct pollfd *fds, nfds_t n)
{
    struct asking *a = ctl->asking;
    char part[4096];
    ssize_t got;

    if (n == 0 || !fds[0].revents || !a->first)
        return;
    got = read(a->fd, part, sizeof(part));
    if (got > 0) {
        text_add(&a->in, part, (size_t)got);
        take_lines(ctl);
    } else if (got == 0 && !(fds[0].revents & POLLHUP)) {
        ask_aside(ctl);
        reject_first(a, MCPHOST_REJECT_DECLINE, NULL);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        lose_terminal(a);
    }
    if (text_failed(&a->in))
        lose_terminal(a);
}

/* Cancels the questions at the first Ctrl-C.  The second Ctrl-C ends the program.
 * Otherwise a server that asks again at once could keep the person from ending the
 * program.  The command `login` ends at the first Ctrl-C, because it has no other
 * work. */
int
ask_interrupt(struct ctl *ctl)
{
    struct asking *a = ctl->asking;

    if (!a || !a->first || a->stage == WAITING || a->interrupted || ctl->logs_in)
        return 0;
    a->interrupted = 1;
    ask_aside(ctl);
    cancel_all(a);
    complain(a, "cancelled; Ctrl-C again ends mcphostctl");
    return 1;
}
