/* SPDX-License-Identifier: MIT
 *
 * fakehttp.c - an MCP server over HTTP that does what a script tells it: well-behaved
 * in both eras by default, as broken as a test needs it otherwise.
 *
 *   fakehttp [-e LINE]... [SCRIPT]
 *
 * It listens on a free port of the loopback interface and says on stdout where, in
 * one line: http://127.0.0.1:PORT/mcp.  It ends when its stdin does, and is killed by
 * its own alarm after 120 s whatever happens.
 *
 * The tools, the language of the script, and most of its words are those of the fake
 * server on stdio (fakeserver.c).  By default: sessions, a GET stream, DELETE, and
 * modern requests held against their headers; an answer that nothing was said before
 * is one JSON document, else the response is a stream of events.  An event's actions
 * go into the response to the message that the event is about.  When they end without
 * an answer, a request stays open.
 *
 * More directives
 *   reply auto|json|sse        what responses are
 *   sessions on|off            off: the legacy era without Mcp-Session-Id
 *   session ID                 there is this one already, begun by somebody else
 *   get on|off                 off: there is no GET stream (405)
 *   resumable [MS]             legacy streams have event ids, begin with an event
 *                              without data (and `retry: MS`), and can be resumed
 *   loose                      headers of requests are not looked at
 *   path PATH                  instead of /mcp
 *   old [ENDPOINT]             HTTP+SSE of 2024-11-05: a GET's stream begins with the
 *                              event `endpoint`, which has this data, and all answers
 *                              are on it; there alone are messages taken
 *   bearer TOKEN               else 401
 *   listen 4|both|6            families of addresses (4)
 *   port N                     instead of any
 *   chunked on|off             off: a stream's end is that of the connection
 *   tls MODE DIRECTORY         good, expired, wrong-name, unknown (authority),
 *                              self-signed, client (wants a certificate), old (TLS
 *                              1.1), mute (never shakes hands); ca.pem, authorities/,
 *                              client.pem, client.key and locked.key (password: fake)
 *                              are put there
 *   chunk N                    sockets are written N bytes at a time
 *   lifetime S                 instead of 120
 *   trace FILE                 also "PID connect", "PID http METHOD PATH", "PID h name:
 *                              value" for each header, "PID gone PATH" when the client
 *                              closed, "PID refused WHY"
 *
 * More events: connect (accepted), request (any, before it is looked at: may answer
 * it), get, delete, resume (a GET with Last-Event-ID), gone.
 *
 * More actions
 *   status N [REASON]          of this response
 *   header NAME: VALUE
 *   header-fill N [NAME]       a header with N bytes
 *   length N                   what Content-Length shall say; -2: nothing
 *   body TEXT                  the whole response
 *   file PATH                  the same from a file
 *   raw, line, lines, fill     bytes into the body, which begins if it has not
 *   wire TEXT                  bytes into the connection
 *   stream                     the response is a stream of events and begins
 *   event TEXT                 an event with this data
 *   comment TEXT               a comment of the stream
 *   endless TEXT               into the body, for ever, as fast as it is read
 *   end                        of the response
 *   cut, reset                 the connection ends; the response does not
 *   to here|get|nowhere        where this event's messages go from now on
 *   forget                     all sessions are unknown; as does SIGUSR1
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/fakehttp/http.h"

#define LIFETIME_S 120

static volatile sig_atomic_t forgets;

static void
on_usr1(int sig)
{
    (void)sig;
    forgets = 1;
}

static void
say_where(const struct http *http)
{
    const char *host = http->family && strcmp(http->family, "4") != 0
                           ? strcmp(http->family, "6") == 0 ? "[::1]" : "localhost"
                           : "127.0.0.1";

    printf("%s://%s:%d%s\n", http->tls_mode ? "https" : "http", host, http->port,
           http->path);
    fflush(stdout);
}

/* True while somebody holds the other end of stdin. */
static bool
is_wanted(void)
{
    char waste[256];
    ssize_t n = read(0, waste, sizeof(waste));

    return n > 0 || (n < 0 && errno == EINTR);
}

static void
serve(struct http *http)
{
    static int on_stdin; /* its address marks the event */
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = &on_stdin}, found[64];
    sigset_t none;

    sigemptyset(&none);
    epoll_ctl(http->epoll, EPOLL_CTL_ADD, 0, &ev);
    for (;;) {
        int64_t wait = fake_run_due(http->fake);
        int n;

        conn_sweep(http);
        exchange_sweep(http);
        n = epoll_pwait(http->epoll, found, 64, wait > 100000 ? 100000 : (int)wait,
                        &none);
        if (forgets) {
            forgets = 0;
            session_forget(http, NULL);
        }
        for (int i = 0; i < n; i++) {
            if (found[i].data.ptr == &on_stdin) {
                if (!is_wanted())
                    _exit(0);
            } else if (found[i].data.ptr) {
                conn_turn(http, found[i].data.ptr, found[i].events);
            } else {
                conn_accept(http);
            }
        }
    }
}

int
main(int argc, char **argv)
{
    static struct fake fake;
    static struct http http = {.retry = -1};
    struct rlimit no_core = {0, 0};
    sigset_t usr1;
    int opt;

    fake.front = &http_front;
    fake.front_data = &http;
    http.fake = &fake;
    http.path = strdup("/mcp");
    fake_script_init(&fake);
    for (opt = 1; opt < argc && strcmp(argv[opt], "-e") == 0; opt += 2)
        ;
    if (opt < argc)
        fake_script_file(&fake, argv[opt]);
    for (int i = 1; i + 1 < argc && strcmp(argv[i], "-e") == 0; i += 2)
        fake_script_line(&fake, argv[i + 1], "-e", i / 2 + 1);
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(http.lifetime ? http.lifetime : LIFETIME_S);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL); /* let in only while we wait */
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_usr1}, NULL);
    http.epoll = epoll_create1(EPOLL_CLOEXEC);
    tls_init(&http);
    conn_listen(&http);
    say_where(&http);
    fake_trace(&fake, "spawn", NULL);
    serve(&http);
}
