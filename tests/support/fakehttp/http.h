/* SPDX-License-Identifier: MIT
 *
 * http.h - declarations that the files of the fake HTTP server share.
 *
 * fakehttp.c describes the language of the server's script.  fakeserver.c describes the
 * parts that the stdio server has, too.
 *
 * A connection carries one exchange at a time: a request and its response.  A run
 * (fake.h) belongs to the exchange that brought the run's message.  An exchange without a
 * connection stays while one of its runs continues, or while a client may still resume
 * the exchange's stream of events.
 */
#ifndef TESTS_SUPPORT_FAKEHTTP_HTTP_H
#define TESTS_SUPPORT_FAKEHTTP_HTTP_H

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "support/fakeserver/fake.h"

struct bytes {
    char *p;
    size_t len, cap, done; /* `done`: the number of bytes that were sent */
};

struct exchange;
struct access;
struct auth;

/* A socket that listens.  Each listener is an origin of its own. */
struct listener {
    int fd, port;
    struct listener *next;
};

struct conn {
    int fd;
    const struct listener *at;
    SSL *ssl;
    bool shaken; /* the TLS handshake is done, or there is no TLS */
    bool want_write, close_after, dead, peer_closed;
    struct bytes in, out;
    struct exchange *exchange;
    struct conn *next;
};

enum { BODY_NONE, BODY_OPEN, BODY_DONE };

struct exchange {
    struct conn *conn;
    int number;
    char *verb, *path, *head; /* from the request; `head`: its header lines */
    char *session;
    bool modern, is_request, sse, chunked;
    int state;  /* BODY_*, the state of the response */
    int status; /* 0 means the default for this response */
    char *reason, *type;
    struct bytes headers, held; /* `headers`: response headers; `held`: unsent body */
    bool answered;
    long length; /* Content-Length; -1: the real length, -2: no header */
    char *endless;
    char *listen_id;      /* the request id of a modern subscription */
    char *listens;        /* the subscription's filter as JSON */
    bool is_get;          /* the response is a GET stream */
    struct bytes *events; /* sent events, kept for a client that resumes the stream */
    size_t n_events, cap_events;
    int to;                      /* TO_*: where messages of its runs go */
    const struct access *access; /* the access token of the request, or NULL */
    /* 0 if no fault `hold` of fakeauth keeps this answer; otherwise 1 plus the step
     * (STEP_*) of the fault. */
    unsigned held_step;
    struct exchange *next;
};

struct session {
    char id[64];
    struct session *next;
};

enum { REPLY_AUTO, REPLY_JSON, REPLY_SSE };
enum { TO_HERE, TO_GET, TO_NOWHERE };

struct http {
    struct fake *fake;
    struct auth *auth; /* NULL if the script has no directive of fakeauth/directive.c */
    int epoll;
    struct listener *listeners; /* the first listener is the MCP endpoint */
    SSL_CTX *tls;
    struct conn *conns;
    struct exchange *exchanges;
    struct session *sessions;
    int n_exchanges, n_sessions;
    /* The script sets these members. */
    int reply, port;
    unsigned lifetime; /* 0 means the default */
    bool no_sessions, no_get, resumable, loose, no_chunks;
    long retry;
    char *path, *bearer, *tls_mode, *tls_dir, *family;
    char *endpoint; /* for HTTP+SSE of 2024-11-05; NULL for Streamable HTTP */
};

/* bytes.c: growing strings */
void bytes_add(struct bytes *b, const char *data, size_t len);
void bytes_str(struct bytes *b, const char *text);
void bytes_free(struct bytes *b);

/* conn.c: sockets */
/* Listens at the port, or at a free port if `port` is 0. */
struct listener *conn_listen(struct http *http, int port);
/* Returns the origin of a listener: by default "http://127.0.0.1:PORT".  The caller frees
 * the text. */
char *conn_origin(const struct http *http, const struct listener *at);
/* Handles events of `from`, which is a listener or a connection. */
void conn_event(struct http *http, void *from, unsigned events);
void conn_write(struct http *http, struct conn *conn, const char *data, size_t len);
void conn_flush(struct http *http, struct conn *conn);
void conn_cut(struct http *http, struct conn *conn, bool reset);
void conn_sweep(struct http *http); /* frees dead connections */

/* tls.c: certificates and the TLS context */
void tls_init(struct http *http);

/* request.c: incoming requests */
void request_take(struct http *http, struct conn *conn);
/* Returns the value of a request header, or NULL if the header is absent.  The caller
 * frees the text. */
char *request_header(const struct exchange *ex, const char *name);

/* exchange.c: outgoing responses */
struct exchange *exchange_new(struct http *http, struct conn *conn);
void exchange_sweep(struct http *http);
bool exchange_is_running(const struct http *http, const struct exchange *ex);
void exchange_gone(struct http *http, struct exchange *ex);
/* Sends a response in one piece. */
void exchange_reply(struct http *http, struct exchange *ex, int status, const char *type,
                    const char *body, size_t len);
void exchange_open(struct http *http, struct exchange *ex, bool sse);
/* Opens a stream of events, unless the script has set another type. */
void exchange_open_any(struct http *http, struct exchange *ex);
void exchange_data(struct http *http, struct exchange *ex, const char *data, size_t len);
void exchange_event(struct http *http, struct exchange *ex, const char *text, size_t len);
void exchange_end(struct http *http, struct exchange *ex);
/* Repeats the text as the body, without end. */
void exchange_endless(struct http *http, struct exchange *ex, const char *text);
void exchange_pump(struct http *http, struct exchange *ex); /* adds to an endless body */
/* Sends earlier data and ends the connection without the end of the response. */
void exchange_cut(struct http *http, struct exchange *ex, bool reset);
/* Resumes the stream that the event id `last` belongs to, with the events after `last`.
 * Returns false if the stream is unknown. */
bool exchange_resume(struct http *http, struct exchange *ex, const char *last);
struct session *session_find(struct http *http, const char *id);
struct session *session_new(struct http *http);
struct session *session_new_named(struct http *http, const char *id);
void session_forget(struct http *http, const char *id); /* NULL means all sessions */

/* front.c: the actions and directives of HTTP */
extern const struct fake_front http_front;

#endif
