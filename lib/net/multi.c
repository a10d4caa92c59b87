/* SPDX-License-Identifier: MIT
 *
 * multi.c - run libcurl's multi handle in the event loop: sockets, timer, finished
 * transfers.
 *
 * libcurl names the sockets to watch and the time by which libcurl must be called.
 * Finished transfers are collected after each call.  A callback of libcurl must not add
 * or remove a transfer.  Therefore a request that is started or cancelled in a callback
 * waits until libcurl has returned.  drive_curl() does all work of one turn between one
 * entry into libcurl and one exit, because entering and leaving libcurl cost system calls
 * (the signal mask).  A job adds requests.  A timer reports ready sockets.  The timer
 * runs after all sources.
 *
 * A turn of the dispatcher reads no more bytes than its budget.  When the budget is
 * spent, bodies are paused and ready sockets wait.  A job continues the work in the next
 * turn.  The job first resumes the bodies and then reports the sockets, each in the order
 * in which they began to wait.
 *
 * This file opens and closes the connections' sockets itself, so that the socket of an
 * idle connection can stay in the epoll set.  libcurl opens other sockets for name
 * lookups.  libcurl may close or reuse these sockets before it reports their end.
 * Sources tolerate an early close.  If a socket cannot be watched, a second timer tries
 * all transfers every LOOK_MS.  The transfers are then slow.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/internal.h"

const bool mcph_net_is_built = true;

#define LOOK_MS     20
#define CONNECTIONS 256L /* limit on the idle connections kept for reuse */
/* Limit on the open connections to one host.  Further requests wait. */
#define TO_ONE_HOST 512L
#define OLDEST_CURL 0x075700
#define SOUND_CURL  0x080101 /* older versions need renew_easy() in handle.c */

struct net_socket {
    struct mcph_list link; /* in net->sockets or net->ready */
    struct mcph_net *net;
    struct mcph_source source;
    curl_socket_t fd;
    uint32_t wanted; /* the events that libcurl waits for; 0 for none */
    int what;        /* the events that are ready, CURL_CSELECT_* */
    uint64_t cookie; /* SO_COOKIE: the kernel's unique number of this socket */
    bool ours;       /* opened by mcph_net_open_socket() */
    bool settled;    /* the socket became a connection: see is_settled() */
};

/* ---- libcurl as a whole ------------------------------------------------------------ */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode once_result;

/* Initialises libcurl.  The initialisation is never undone, because the application may
 * use libcurl, too. */
static void
init_once(void)
{
    once_result = curl_global_init(CURL_GLOBAL_DEFAULT);
}

static int
init_curl(mcphost_error **reterr)
{
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);

    if (info->version_num < OLDEST_CURL)
        return mcph_err(reterr, MCPHOST_E_STATE,
                        "libcurl %s is too old for HTTP servers: 7.87 is the oldest",
                        info->version);
    pthread_once(&once, init_once);
    if (once_result != CURLE_OK)
        return mcph_err(reterr, MCPHOST_E_STATE, "libcurl cannot be initialised: %s",
                        curl_easy_strerror(once_result));
    return 0;
}

/* ---- in and out of libcurl --------------------------------------------------------- */

static void
enter_curl(struct mcph_net *net, struct mcph_sigguard *guard)
{
    net->in_curl = true;
    mcph_sigguard_enter(guard);
}

static void
leave_curl(struct mcph_net *net, const struct mcph_sigguard *guard)
{
    mcph_sigguard_leave(guard);
    net->in_curl = false;
    if (!mcph_list_empty(&net->ready) && !net->posted)
        mcph_timer_set(&net->timer, 0);
    else if (net->due == INT64_MAX)
        mcph_timer_cancel(&net->timer);
    else /* 0 means at once: set the present time, so that earlier timers run first */
        mcph_timer_set(&net->timer, net->due ? net->due : mcph_core_now(net->core));
}

static void
post_job(struct mcph_net *net)
{
    /* Check `posted` and not the link of the job, because the link may be read only under
     * the core's lock. */
    if (net->posted)
        return;
    net->posted = true;
    mcph_core_post(net->core, &net->job);
}

/* Posts the job for the next turn, for work that exceeds the budget of this turn. */
static void
post_job_later(struct mcph_net *net)
{
    if (net->posted)
        return;
    net->posted = true;
    mcph_core_post_later(net->core, &net->job);
}

static bool
is_spent(struct mcph_net *net)
{
    return mcph_meter_left(&net->meter, net->core) == 0;
}

void
mcph_net_spend(struct mcph_net *net, size_t cost)
{
    (void)mcph_meter_left(&net->meter, net->core);
    mcph_meter_spend(&net->meter, cost);
}

bool
mcph_net_pause(struct mcph_net_request *req)
{
    if (!is_spent(req->net))
        return false;
    mcph_list_remove(&req->rest);
    mcph_list_append(&req->net->paused, &req->rest);
    post_job_later(req->net);
    return true;
}

void
mcph_net_add(struct mcph_net_request *req)
{
    mcph_list_append(&req->net->fresh, &req->todo);
    post_job(req->net);
}

void
mcph_net_remove(struct mcph_net_request *req)
{
    struct mcph_sigguard guard;

    if (!req->added)
        return;
    enter_curl(req->net, &guard);
    curl_multi_remove_handle(req->net->multi, req->handle->easy);
    leave_curl(req->net, &guard);
    req->added = false;
}

/* ---- one call of libcurl ----------------------------------------------------------- */

static void
queue_ended(struct mcph_net_request *req, CURLcode code)
{
    req->code = code;
    mcph_list_remove(&req->todo); /* a cancelled request is in net->over already */
    mcph_list_append(&req->net->over, &req->todo);
}

static void
add_fresh(struct mcph_net *net)
{
    struct mcph_list *item;

    for (item = mcph_list_take_first(&net->fresh); item;
         item = mcph_list_take_first(&net->fresh)) {
        struct mcph_net_request *req =
            MCPH_LIST_ENTRY(item, struct mcph_net_request, todo);

        req->added = curl_multi_add_handle(net->multi, req->handle->easy) == CURLM_OK;
        if (!req->added)
            queue_ended(req, CURLE_OUT_OF_MEMORY);
    }
}

/* Continues a paused body.  libcurl passes on the kept bytes inside the call.  If the
 * request refuses them, libcurl returns the error, and does not end the transfer. */
static void
resume_body(struct mcph_net_request *req)
{
    CURLcode code;

    if (req->cancelled)
        return;
    code = curl_easy_pause(req->handle->easy, CURLPAUSE_CONT);
    if (code == CURLE_OK)
        return;
    curl_multi_remove_handle(req->net->multi, req->handle->easy);
    req->added = false;
    queue_ended(req, code);
}

/* Continues paused bodies while the budget lasts. */
static void
resume_bodies(struct mcph_net *net)
{
    while (!is_spent(net) && !mcph_list_empty(&net->paused)) {
        struct mcph_list *item = mcph_list_take_first(&net->paused);

        resume_body(MCPH_LIST_ENTRY(item, struct mcph_net_request, rest));
    }
}

static void
report_ready(struct mcph_net *net)
{
    int running, what;

    while (!is_spent(net) && !mcph_list_empty(&net->ready)) {
        struct mcph_list *item = mcph_list_take_first(&net->ready);
        struct net_socket *s = MCPH_LIST_ENTRY(item, struct net_socket, link);

        mcph_list_append(&net->sockets, item);
        what = s->what;
        s->what = 0;
        curl_multi_socket_action(net->multi, s->source.fd, what, &running);
    }
}

static void
collect_finished(struct mcph_net *net)
{
    struct mcph_net_request *req;
    struct net_handle *handle;
    CURLMsg *msg;
    int left;

    for (msg = curl_multi_info_read(net->multi, &left); msg;
         msg = curl_multi_info_read(net->multi, &left)) {
        CURLcode code = msg->data.result;

        if (msg->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&handle);
        req = handle->req;
        curl_multi_remove_handle(net->multi, handle->easy);
        req->added = false;
        queue_ended(req, code);
    }
}

/* Ends the finished requests and frees the cancelled requests, now that libcurl has
 * returned. */
static void
end_finished(struct mcph_net *net)
{
    struct mcph_list batch, *item;

    mcph_list_init(&batch);
    mcph_list_splice(&batch, &net->over);
    for (item = mcph_list_take_first(&batch); item; item = mcph_list_take_first(&batch)) {
        struct mcph_net_request *req =
            MCPH_LIST_ENTRY(item, struct mcph_net_request, todo);

        if (req->cancelled)
            mcph_net_request_free(req);
        else
            mcph_net_request_ended(req, req->code);
    }
}

static bool
is_due(const struct mcph_net *net)
{
    return net->due == 0 ||
           (net->due < INT64_MAX && net->due <= mcph_core_now(net->core));
}

/* Does all pending work between one entry into libcurl and one exit, because entering and
 * leaving libcurl cost system calls.  Work beyond the turn's budget continues in the next
 * turn. */
static void
drive_curl(struct mcph_net *net)
{
    struct mcph_sigguard guard;
    int running;

    if (is_spent(net)) {
        post_job_later(net);
        return;
    }
    enter_curl(net, &guard);
    add_fresh(net);
    resume_bodies(net);
    report_ready(net);
    if (is_spent(net)) {
        post_job_later(net);
    } else if (is_due(net)) {
        net->due = INT64_MAX; /* set_timer() may set `due` again */
        curl_multi_socket_action(net->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    collect_finished(net);
    leave_curl(net, &guard);
    end_finished(net);
}

static void
run_job(struct mcph_job *job)
{
    struct mcph_net *net = MCPH_CONTAINER_OF(job, struct mcph_net, job);

    net->posted = false;
    drive_curl(net);
}

/* ---- sockets and time -------------------------------------------------------------- */

/* Notes the events of a socket.  The timer reports the events to libcurl when the events
 * of all sockets in this turn are known. */
static void
on_socket(struct mcph_source *source, uint32_t events)
{
    struct net_socket *s = MCPH_CONTAINER_OF(source, struct net_socket, source);

    if (!s->wanted) { /* the peer closed or used an idle connection: do not watch it */
        mcph_source_remove(source);
        return;
    }
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        s->what |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        s->what |= CURL_CSELECT_OUT;
    if (events & EPOLLERR)
        s->what |= CURL_CSELECT_ERR;
    mcph_list_remove(&s->link);
    mcph_list_append(&s->net->ready, &s->link);
    mcph_timer_set(&s->net->timer, 0);
}

static void
go_blind(struct mcph_net *net)
{
    if (!net->blind)
        mcph_log(net->core, MCPHOST_LOG_WARNING, "net", NULL,
                 "a socket cannot be watched (%s); HTTP is slow until that is possible",
                 "limit of the kernel or of memory");
    net->blind = true;
    mcph_timer_set(&net->look, mcph_core_now(net->core) + LOOK_MS);
}

static void
on_look(struct mcph_timer *timer)
{
    struct mcph_net *net = MCPH_CONTAINER_OF(timer, struct mcph_net, look);
    struct mcph_sigguard guard;
    int running = 0;

    net->blind = false;
    enter_curl(net, &guard);
    curl_multi_perform(net->multi, &running);
    collect_finished(net);
    leave_curl(net, &guard);
    end_finished(net);
    if (running > 0)
        go_blind(net);
}

static struct net_socket *
new_socket(struct mcph_net *net, curl_socket_t fd)
{
    struct net_socket *s = calloc(1, sizeof(*s));

    if (!s)
        return NULL;
    s->net = net;
    s->fd = fd;
    mcph_list_append(&net->sockets, &s->link);
    mcph_source_init(&s->source, net->core, on_socket);
    return s;
}

static struct net_socket *
find_in(struct mcph_list *list, curl_socket_t fd)
{
    mcph_list_for_each_entry (s, list, struct net_socket, link) {
        if (s->fd == fd && s->ours)
            return s;
    }
    return NULL;
}

static struct net_socket *
find_socket(struct mcph_net *net, curl_socket_t fd)
{
    struct net_socket *s = find_in(&net->sockets, fd);

    return s ? s : find_in(&net->ready, fd);
}

static void
forget_socket(struct net_socket *s)
{
    mcph_source_remove(&s->source);
    mcph_list_remove(&s->link);
    free(s);
}

static uint64_t
cookie_of(curl_socket_t fd)
{
    uint64_t cookie = 0;
    socklen_t len = sizeof(cookie);

    return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) == 0 ? cookie : 0;
}

/* Returns true if the socket became a connection.  libcurl closes any other socket
 * without a call of mcph_net_close_socket().  After the close, libcurl reports that it
 * does not wait for the socket any more.  At that time the descriptor's number may belong
 * to another file.  The cookie detects the other file. */
static bool
is_settled(struct net_socket *s)
{
    if (s->ours && !s->settled)
        s->settled = s->cookie != 0 && cookie_of(s->fd) == s->cookie;
    return s->settled;
}

/* Drops the events that were noted for a socket, and moves the socket to net->sockets. */
static void
clear_readiness(struct net_socket *s)
{
    s->what = 0;
    mcph_list_remove(&s->link);
    mcph_list_append(&s->net->sockets, &s->link);
}

/* Handles a socket that libcurl does not wait for any more.  The socket of an idle
 * connection stays in the epoll set if the socket is watched for input only, because the
 * connection is needed again soon.  A socket that is watched for output leaves the epoll
 * set.  A socket that never became a connection is forgotten. */
static void
rest_socket(struct net_socket *s)
{
    s->wanted = 0;
    clear_readiness(s);
    if (!is_settled(s))
        forget_socket(s);
    else if (s->source.events != EPOLLIN)
        mcph_source_remove(&s->source);
}

static int
watch_events(struct net_socket *s, uint32_t events)
{
    s->wanted = events;
    if (s->source.fd >= 0)
        return mcph_source_set(&s->source, events);
    return mcph_source_add(&s->source, s->fd, events);
}

/* Watches a socket as libcurl requests.  Never returns a failure, because a failure would
 * end all transfers. */
static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *sock)
{
    struct mcph_net *net = arg;
    struct net_socket *s = sock;
    uint32_t events = 0;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (s)
            rest_socket(s);
        curl_multi_assign(net->multi, fd, NULL);
        return 0;
    }
    if (what != CURL_POLL_OUT)
        events |= EPOLLIN;
    if (what != CURL_POLL_IN)
        events |= EPOLLOUT;
    if (!s) {
        s = find_socket(net, fd);
        if (!s)
            s = new_socket(net, fd);
        if (s)
            curl_multi_assign(net->multi, fd, s);
    }
    if (!s || watch_events(s, events) < 0) {
        if (s) {
            curl_multi_assign(net->multi, fd, NULL);
            forget_socket(s);
        }
        go_blind(net);
    }
    return 0;
}

curl_socket_t
mcph_net_open_socket(struct mcph_net *net, const struct curl_sockaddr *addr)
{
    curl_socket_t fd =
        mcph_fd_high(socket(addr->family, addr->socktype | SOCK_CLOEXEC, addr->protocol));
    struct net_socket *s = fd >= 0 ? find_socket(net, fd) : NULL;

    if (fd < 0)
        return fd;
    mcph_core_hold_fd(net->core, fd);
    if (!s) {
        s = new_socket(net, fd);
    } else {
        /* Reuse the entry of an old socket that had this number.  libcurl closed the old
         * socket without a call of mcph_net_close_socket().  If libcurl still waits for
         * the number, watch the new socket. */
        mcph_source_remove(&s->source);
        clear_readiness(s);
        s->settled = false;
        if (s->wanted && watch_events(s, s->wanted) < 0)
            go_blind(net);
    }
    if (s) {
        s->ours = true;
        s->cookie = cookie_of(fd);
    }
    return fd;
}

int
mcph_net_close_socket(void *arg, curl_socket_t fd)
{
    struct mcph_net *net = arg;
    struct net_socket *s = find_socket(net, fd);

    mcph_core_drop_fd(net->core, fd);
    if (s)
        forget_socket(s);
    return close(fd);
}

/* Notes the time at which libcurl must be called.  leave_curl() sets the timer. */
static int
set_timer(CURLM *multi, long ms, void *arg)
{
    struct mcph_net *net = arg;

    (void)multi;
    if (ms <= 0)
        net->due = ms < 0 ? INT64_MAX : 0;
    else
        net->due = mcph_core_now(net->core) + ms;
    return 0;
}

static void
on_timer(struct mcph_timer *timer)
{
    drive_curl(MCPH_CONTAINER_OF(timer, struct mcph_net, timer));
}

/* ---- life -------------------------------------------------------------------------- */

static int
make_multi(struct mcph_net *net)
{
    unsigned plugs = mcph_fd_plug(); /* keeps the multi handle from getting descriptor
                                      * 0, 1 or 2 */
    CURLM *m = curl_multi_init();

    mcph_fd_unplug(plugs);
    if (!m)
        return MCPHOST_E_NOMEM;
    net->multi = m;
    if (curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, watch_socket) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_SOCKETDATA, net) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, set_timer) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_TIMERDATA, net) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_MAX_HOST_CONNECTIONS, TO_ONE_HOST) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, CONNECTIONS) != CURLM_OK)
        return MCPHOST_E_NOMEM;
    return 0;
}

int
mcph_net_prepare(struct mcph_net *net, mcphost_error **reterr)
{
    int r = net->multi ? 0 : init_curl(reterr);

    if (r < 0 || net->multi)
        return r;
    net->renews = curl_version_info(CURLVERSION_NOW)->version_num < SOUND_CURL;
    if (make_multi(net) == 0)
        return 0;
    if (net->multi)
        curl_multi_cleanup(net->multi);
    net->multi = NULL;
    return mcph_err_nomem(reterr);
}

int
mcph_net_new(struct mcph_core *core, struct mcph_net **ret, mcphost_error **reterr)
{
    struct mcph_net *net = calloc(1, sizeof(*net));

    if (!net)
        return mcph_err_nomem(reterr);
    net->core = mcph_core_ref(core);
    mcph_list_init(&net->requests);
    mcph_list_init(&net->fresh);
    mcph_list_init(&net->over);
    mcph_list_init(&net->sockets);
    mcph_list_init(&net->ready);
    mcph_list_init(&net->paused);
    mcph_list_init(&net->job.link);
    net->job.run = run_job;
    net->due = INT64_MAX;
    if (mcph_timer_init(&net->timer, core, on_timer) < 0 ||
        mcph_timer_init(&net->look, core, on_look) < 0) {
        mcph_net_free(net);
        return mcph_err_nomem(reterr);
    }
    *ret = net;
    return 0;
}

/* Frees the multi handle and all idle easy handles.  Do not call the function in a forked
 * child, because closing a TLS connection writes to the connection. */
static void
free_curl(struct mcph_net *net)
{
    struct mcph_sigguard guard;

    if (!net->multi)
        return;
    enter_curl(net, &guard);
    mcph_net_handles_free(net);
    curl_multi_cleanup(net->multi);
    leave_curl(net, &guard);
}

struct mcph_net *
mcph_net_free(struct mcph_net *net)
{
    if (!net)
        return NULL;
    if (!mcph_core_forked(net->core)) {
        while (!mcph_list_empty(&net->requests))
            mcph_net_cancel(
                MCPH_LIST_ENTRY(net->requests.next, struct mcph_net_request, link));
        free_curl(net);
    }
    mcph_core_unpost(net->core, &net->job);
    mcph_list_splice(&net->sockets, &net->ready);
    mcph_list_for_each_safe (it, &net->sockets)
        forget_socket(MCPH_LIST_ENTRY(it, struct net_socket, link));
    mcph_timer_done(&net->timer);
    mcph_timer_done(&net->look);
    mcph_core_unref(net->core);
    free(net);
    return NULL;
}
