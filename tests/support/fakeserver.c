/* SPDX-License-Identifier: MIT
 *
 * fakeserver.c - an MCP server over stdio that follows a script, for tests.
 *
 *   fakeserver [-e LINE]... [SCRIPT]
 *
 * By default the server follows all rules.  A script can make the server break any rule.
 * Without a script the server supports both eras, and has the tools below.  A client of
 * the legacy era begins with `initialize`.  A client of the modern era begins with
 * server/discover.  The server reads the lines of the file before the lines of -e, so
 * that a test can add to a script.  The server exits at the end of its input, unless the
 * script has `ignore eof`.  An alarm kills the server after 120 s at the latest.
 *
 * Default tools
 *   echo {text}      the text; without a text, the arguments as JSON
 *   add {a, b}       their sum
 *   slow {ms}        "slept MS ms" after MS milliseconds; cancellable
 *   pid {}           the process id
 *   env {name}       the value of the variable, isError if it is not set
 *   cwd {}           the working directory
 *   count {n, ms}    n progress notifications, ms apart, then "counted to N"
 *   fail {}          isError: true
 *   boom {}          a JSON-RPC error, -32000 "boom"
 *   big {bytes}      a text with this number of bytes
 *
 * A script has one directive per line.  The server skips empty lines and lines that begin
 * with '#'.  N may end in k (times 1024) or M (times 1024 * 1024).  Values in parentheses
 * are the defaults.
 *   name NAME                  serverInfo.name, and the default description
 *   era dual|legacy|modern     legacy: no server/discover; modern: no initialize
 *   version V                  answer initialize with V, whatever the client offers
 *   modern-versions V...       versions for server/discover (2026-07-28)
 *   capabilities JSON          the capabilities
 *                              ({"tools":{"listChanged":true},"logging":{}})
 *   instructions TEXT          the instructions of the server
 *   hints MEMBERS              members of modern discover and list results
 *                              ("ttlMs":0,"cacheScope":"private")
 *   set NAME                   the lines below describe another set of tools ("main")
 *   no-tools                   remove all tools from the set
 *   tool NAME [DESCRIPTION]    add a tool, which answers like `echo` unless scripted
 *   tool-json JSON             add any JSON to the list, verbatim
 *   generate N [PREFIX]        N tools PREFIX0, PREFIX1, ... ("t")
 *   entry ARRAY JSON           add an entry to this list of the set, verbatim: tools,
 *                              resources, resourceTemplates, prompts or skills; a list
 *                              other than tools exists only if the capabilities name it
 *   entries N ARRAY JSON       add N entries, with their number in place of each '#'
 *   page-size N                number of entries on a page (all)
 *   cursors repeat|endless|empty
 *                              each page's cursor leads to the first page; to a new
 *                              page; the cursor of the second page is ""
 *   chunk N                    write N bytes at a time to stdout
 *   ignore eof|term|cancel     do not exit at end of input; ignore SIGTERM; answer
 *                              cancelled requests
 *   trace FILE                 append "PID spawn", "PID < LINE", "PID eof", "PID term"
 *   on EVENT [NTH]             the indented lines below replace the default actions for
 *                              this event, or only for its NTH occurrence
 *
 * Events: spawn (before anything is read), discover, initialize, initialized, list (each
 * page of tools/list), call:TOOL, call (any other tool), cancelled, reply (an answer of
 * the client), any other method by its name (ping, logging/setLevel), eof, term.
 *
 * Actions run in order.  A request gets an answer only if an action sends it.
 *   answer                     the default answer (again, if it occurs twice)
 *   result JSON                this result, verbatim
 *   error CODE MESSAGE         a JSON-RPC error
 *   text TEXT                  a result with this text
 *   text-bytes N               a result with N bytes of text
 *   deep N                     a result with N nested arrays
 *   id JSON                    later answers to this event have this id
 *   id-string                  later answers have the request's id as a string
 *   id-last                    later answers have their id as the last member
 *   raw TEXT                   these bytes on stdout
 *   line TEXT                  these bytes and a newline on stdout
 *   fill N CHAR                CHAR N times, no newline
 *   lines N TEXT               the line N times
 *   stderr TEXT                a line on stderr
 *   stderr-fill N              N bytes of lines on stderr
 *   progress N [TOTAL [TEXT]]  progress of this request, if it has a token
 *   notify METHOD [JSON]       a notification with these params
 *   request METHOD [JSON]      a request; the client's answer is the event `reply`
 *   ask METHOD JSON            a request with these params, or in the modern era a result
 *                              "input_required" with a state; continue when the client
 *                              has answered; %r is the answer
 *   log LEVEL TEXT             notifications/message
 *   use SET                    use this set of tools from here
 *   changed [KIND]             notifications/KIND/list_changed (tools)
 *   updated URI                notifications/resources/updated
 *   updates N URI              N notifications/resources/updated
 *   delay MS                   continue after MS ms; serve other messages meanwhile
 *   sleep MS                   continue after MS ms; serve nothing meanwhile
 *   close stdin|stdout|stderr  close the descriptor
 *   child SECONDS              start a process that holds the server's pipes
 *   daemon SECONDS             start a child that also leaves the session and
 *                              ignores SIGTERM
 *   once FILE                  if FILE exists, give the default answer and skip the
 *                              actions below; otherwise create FILE
 *   exit CODE                  exit with this status
 *   crash SIGNAL               end the process by the signal with this number
 *   hang                       do nothing more, without an end of the process
 *
 * Escapes in TEXT of raw, line, lines and stderr: \n \r \t \0 \\ \xHH.  In every TEXT and
 * JSON: %i the id, %t the progress token, %a the arguments, %p the server's process id,
 * %n the number of this occurrence, %c the last child's process id, %r the client's
 * answer to the last `ask`, %% a percent sign.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/fakeserver/fake.h"

#define LIFETIME_S 120

static volatile sig_atomic_t term_came;

static void
on_term(int sig)
{
    (void)sig;
    term_came = 1;
}

/* Sets the handling of SIGTERM, turns core files off and starts the alarm.  If the script
 * handles SIGTERM, the signal arrives only during ppoll(). */
static void
set_signals(const struct fake *fake, sigset_t *ret_poll_mask)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct rlimit no_core = {0, 0};
    sigset_t term;

    setrlimit(RLIMIT_CORE, &no_core);
    if (fake->ignore_term)
        action.sa_handler = SIG_IGN;
    else if (fake_has_block(fake, "term"))
        action.sa_handler = on_term;
    sigaction(SIGTERM, &action, NULL);
    sigprocmask(SIG_SETMASK, NULL, ret_poll_mask);
    if (action.sa_handler == on_term) {
        sigemptyset(&term);
        sigaddset(&term, SIGTERM);
        sigprocmask(SIG_BLOCK, &term, NULL);
    }
    alarm(LIFETIME_S);
}

static void
read_input(struct fake *fake)
{
    static char *line;
    static size_t len, cap;
    char chunk[65536], *newline;
    ssize_t n = read(0, chunk, sizeof(chunk));
    size_t start = 0;

    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        fake->eof = true;
        return;
    }
    if (cap - len < (size_t)n) {
        cap = (len + (size_t)n) * 2;
        line = fake_alloc(line, cap);
    }
    memcpy(line + len, chunk, (size_t)n);
    len += (size_t)n;
    while ((newline = memchr(line + start, '\n', len - start)) != NULL) {
        *newline = '\0';
        fake_receive(fake, line + start, (size_t)(newline - line) - start);
        start = (size_t)(newline - line) + 1;
    }
    len -= start;
    memmove(line, line + start, len);
}

/* Handles the end of the input.  Drops all unfinished runs unless the script ignores the
 * end.  Then starts the event `eof`. */
static void
end_of_input(struct fake *fake)
{
    fake_trace(fake, "eof", NULL);
    fake->eof_told = true;
    if (!fake->ignore_eof)
        fake_drop_runs(fake, NULL, NULL);
    fake_event(fake, "eof", NULL);
}

static void
serve(struct fake *fake, const sigset_t *mask)
{
    for (;;) {
        int64_t wait = fake_run_due(fake);
        struct timespec ts = {.tv_sec = wait / 1000, .tv_nsec = wait % 1000 * 1000000};
        struct pollfd p = {.fd = fake->eof ? -1 : 0, .events = POLLIN};

        if (fake->eof && !fake->eof_told) {
            end_of_input(fake);
            continue;
        }
        if (fake->eof && !fake->ignore_eof && wait < 0)
            _exit(0);
        if (ppoll(&p, 1, wait < 0 ? NULL : &ts, mask) > 0)
            read_input(fake);
        if (term_came) {
            term_came = 0;
            fake_trace(fake, "term", NULL);
            fake_event(fake, "term", NULL);
        }
    }
}

int
main(int argc, char **argv)
{
    static struct fake fake;
    sigset_t mask;
    int opt;

    fake_script_init(&fake);
    for (opt = 1; opt < argc && strcmp(argv[opt], "-e") == 0; opt += 2)
        ;
    if (opt < argc)
        fake_script_file(&fake, argv[opt]);
    for (int i = 1; i + 1 < argc && strcmp(argv[i], "-e") == 0; i += 2)
        fake_script_line(&fake, argv[i + 1], "-e", i / 2 + 1);
    set_signals(&fake, &mask);
    fake_trace(&fake, "spawn", NULL);
    fake_event(&fake, "spawn", NULL);
    serve(&fake, &mask);
}
