/* SPDX-License-Identifier: MIT
 *
 * fakehttp.c - an MCP server over HTTP that follows a script, for tests.
 *
 *   fakehttp [-e LINE]... [SCRIPT]
 *
 * By default the server follows all rules of both eras: of the legacy era, in which a
 * client begins with `initialize`, and of the modern era, in which a client begins with
 * server/discover.  A script can make the server break any rule.  The server listens on a
 * free port of the loopback interface.  The server prints its URL on stdout in one line:
 * http://127.0.0.1:PORT/mcp.  The server exits at the end of its stdin.  An alarm kills
 * the server after 120 s, unless the script sets another `lifetime`.
 *
 * fakehttp has the tools, the script language, and most of the directives, events and
 * actions of the program fakeserver (fakeserver.c).  By default fakehttp has sessions, a
 * GET stream and DELETE, and checks the headers of modern requests against the body.  If
 * the answer is the first message of a response, the response is one JSON document.
 * Otherwise the response is a stream of events.  The actions for an event write into the
 * response to the message that caused the event.  If the actions end without an answer,
 * the request stays open.
 *
 * With the directives of fakeauth/directive.c the server is a protected resource, and the
 * program has the authorization servers, too.
 *
 * More directives
 *   reply auto|json|sse        the form of responses (auto)
 *   sessions on|off            off: no Mcp-Session-Id in the legacy era
 *   session ID                 this session exists before any client begins it
 *   get on|off                 off: there is no GET stream (405)
 *   resumable [MS]             legacy streams have event ids, begin with an event
 *                              without data (and `retry: MS`), and can be resumed
 *   loose                      do not check Content-Type, Accept and the headers of the
 *                              modern era in a POST
 *   path PATH                  the path of the URL (/mcp)
 *   old [ENDPOINT]             HTTP+SSE of 2024-11-05: a GET's stream begins with the
 *                              event `endpoint`, whose data is ENDPOINT, and carries
 *                              all answers; only ENDPOINT accepts messages
 *                              (/messages?session=s3cret-session)
 *   bearer TOKEN               answer 401 to requests without this token
 *   listen 4|both|6            families of addresses (4)
 *   port N                     the port to listen on (a free port)
 *   chunked on|off             off: a stream ends when its connection ends
 *   tls MODE DIRECTORY         good, expired, wrong-name, unknown (authority),
 *                              self-signed, client (wants a certificate), old (TLS
 *                              1.1), mute (never shakes hands); DIRECTORY gets ca.pem,
 *                              authorities/, client.pem, client.key and locked.key
 *                              (password: fake)
 *   chunk N                    write N bytes at a time to sockets
 *   lifetime S                 seconds until the alarm (120)
 *   trace FILE                 also append "PID connect", "PID http METHOD PATH", "PID h
 *                              name: value" for each header, "PID gone PATH" when the
 *                              client closes the connection, "PID refused WHY"
 *
 * More events: connect (a connection is accepted), request (before the checks of any
 * request: its actions may answer the request), get, delete, resume (a GET with
 * Last-Event-ID), gone (the client has closed the connection).
 *
 * More actions
 *   status N [REASON]          the status of this response
 *   header NAME: VALUE         a header of this response
 *   header-fill N [NAME]       a header with N bytes
 *   length N                   the value of Content-Length; -2: no Content-Length
 *   body TEXT                  the whole response
 *   file PATH                  the whole response, from a file
 *   raw, line, lines, fill     bytes of the body; begin the response if necessary
 *   wire TEXT                  bytes written directly to the connection
 *   stream                     begin the response, as a stream of events
 *   event TEXT                 an event with this data
 *   comment TEXT               a comment in the stream
 *   endless TEXT               fill the body without end, as fast as the client reads
 *   end                        end the response
 *   cut, reset                 end the connection before the response ends
 *   to here|get|nowhere        where later messages of this event go
 *   forget                     forget all sessions; SIGUSR1 does the same
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/fakeauth/auth.h"
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
    char *origin = conn_origin(http, http->listeners);

    printf("%s%s\n", origin, http->path);
    auth_say_where(http);
    fflush(stdout);
    free(origin);
}

/* Reads stdin.  Returns false at the end of stdin.  No test needs this server after the
 * end of stdin. */
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
    static int on_stdin; /* its address marks the event of stdin */
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
            } else {
                conn_event(http, found[i].data.ptr, found[i].events);
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
    sigprocmask(SIG_BLOCK, &usr1, NULL); /* SIGUSR1 is delivered only in epoll_pwait() */
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_usr1}, NULL);
    http.epoll = epoll_create1(EPOLL_CLOEXEC);
    tls_init(&http);
    conn_listen(&http, http.port);
    auth_listen(&http);
    say_where(&http);
    fake_trace(&fake, "spawn", NULL);
    serve(&http);
}
