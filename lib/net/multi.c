/* SPDX-License-Identifier: MIT
 *
 * multi.c - libcurl's multi handle in the loop: its sockets, its timer, its ends.
 *
 * libcurl says which sockets to watch and when to be called at the latest; what it has
 * finished is collected each time it returns.  It must not be called from inside its
 * own callbacks: requests that come or go there wait until it is out.  Going in costs
 * system calls (the signal mask), so all that a turn brings is told in one go: requests
 * by a job, sockets by the timer, which runs behind all sources.
 *
 * A turn reads no more than its budget: then bodies are paused, sockets that are ready
 * wait, and a job goes on in the next turn, in the order in which they began to wait.
 *
 * Connections are opened and closed by us, so that one that waits to be used again may
 * stay in the loop's set.  What else libcurl watches (the name service's) may be closed
 * or reused before it says so; sources take that in their stride.  A socket that cannot
 * be watched makes us blind: then all transfers are tried every LOOK_MS, which is slow
 * and no failure.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/internal.h"

#define LOOK_MS     20
#define CONNECTIONS 256L /* kept for reuse, at most */
#define TO_ONE_HOST 512L /* open at once, the rest of the requests waits */
#define OLDEST_CURL 0x075700
#define SOUND_CURL  0x080101 /* see handle.c */

struct net_socket {
    struct mcph_list link; /* net->sockets or net->ready */
    struct mcph_net *net;
    struct mcph_source source;
    curl_socket_t fd;
    uint32_t wanted; /* what libcurl waits for; 0: nothing */
    int what;        /* of CURL_CSELECT_*: what it is ready for */
    uint64_t cookie; /* the kernel's name for it */
    bool ours;       /* we have opened it */
    bool settled;    /* it has idled, and we are told when it is closed */
};

/* ---- libcurl as a whole ------------------------------------------------------------ */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode once_result;

/* Never undone: the application may use libcurl too. */
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
enter(struct mcph_net *net, struct mcph_sigguard *guard)
{
    net->in_curl = true;
    mcph_sigguard_enter(guard);
}

static void
leave(struct mcph_net *net, const struct mcph_sigguard *guard)
{
    mcph_sigguard_leave(guard);
    net->in_curl = false;
    if (!mcph_list_empty(&net->ready) && !net->posted)
        mcph_timer_set(&net->timer, 0);
    else if (net->due == INT64_MAX)
        mcph_timer_cancel(&net->timer);
    else /* "at once" is not before all that was due earlier */
        mcph_timer_set(&net->timer, net->due ? net->due : mcph_core_now(net->core));
}

static void
post(struct mcph_net *net)
{
    /* Its place in the core's list is under the core's lock. */
    if (net->posted)
        return;
    net->posted = true;
    mcph_core_post(net->core, &net->job);
}

/* The turn's budget is spent. */
static void
post_later(struct mcph_net *net)
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
    post_later(req->net);
    return true;
}

void
mcph_net_add(struct mcph_net_request *req)
{
    mcph_list_append(&req->net->fresh, &req->todo);
    post(req->net);
}

void
mcph_net_remove(struct mcph_net_request *req)
{
    struct mcph_sigguard guard;

    if (!req->added)
        return;
    enter(req->net, &guard);
    curl_multi_remove_handle(req->net->multi, req->handle->easy);
    leave(req->net, &guard);
    req->added = false;
}

/* ---- one time inside --------------------------------------------------------------- */

static void
set_over(struct mcph_net_request *req, CURLcode code)
{
    req->code = code;
    mcph_list_remove(&req->todo); /* it may have been cancelled before */
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
            set_over(req, CURLE_OUT_OF_MEMORY);
    }
}

/* What libcurl had kept of them comes at once. */
static void
resume(struct mcph_net *net)
{
    while (!is_spent(net) && !mcph_list_empty(&net->paused)) {
        struct mcph_list *item = mcph_list_take_first(&net->paused);
        struct mcph_net_request *req =
            MCPH_LIST_ENTRY(item, struct mcph_net_request, rest);

        if (!req->cancelled)
            curl_easy_pause(req->handle->easy, CURLPAUSE_CONT);
    }
}

static void
tell_ready(struct mcph_net *net)
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
collect(struct mcph_net *net)
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
        set_over(req, code);
    }
}

/* What had to wait for libcurl to return. */
static void
settle(struct mcph_net *net)
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

/* All that there is to do at libcurl, in one go: going in and out costs. */
static void
drive(struct mcph_net *net)
{
    struct mcph_sigguard guard;
    int running;

    if (is_spent(net)) {
        post_later(net);
        return;
    }
    enter(net, &guard);
    add_fresh(net);
    resume(net);
    tell_ready(net);
    if (is_spent(net)) {
        post_later(net);
    } else if (is_due(net)) {
        net->due = INT64_MAX; /* unless it says so again */
        curl_multi_socket_action(net->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    collect(net);
    leave(net, &guard);
    settle(net);
}

static void
run_job(struct mcph_job *job)
{
    struct mcph_net *net = MCPH_CONTAINER_OF(job, struct mcph_net, job);

    net->posted = false;
    drive(net);
}

/* ---- sockets and time -------------------------------------------------------------- */

/* libcurl is told when all sockets of this turn are known. */
static void
on_socket(struct mcph_source *source, uint32_t events)
{
    struct net_socket *s = MCPH_CONTAINER_OF(source, struct net_socket, source);

    if (!s->wanted) { /* the peer ends an idle connection */
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
                 "a socket cannot be watched (%s); HTTP is slow until it can",
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
    enter(net, &guard);
    curl_multi_perform(net->multi, &running);
    collect(net);
    leave(net, &guard);
    settle(net);
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

/* libcurl closes by itself what never became a connection, before it says that it does
 * not wait for it any more.  The number may be another file's by now. */
static bool
is_settled(struct net_socket *s)
{
    if (s->ours && !s->settled)
        s->settled = s->cookie != 0 && cookie_of(s->fd) == s->cookie;
    return s->settled;
}

/* What it was ready for is no more. */
static void
calm(struct net_socket *s)
{
    s->what = 0;
    mcph_list_remove(&s->link);
    mcph_list_append(&s->net->sockets, &s->link);
}

/* libcurl waits for nothing any more.  A connection that idles is left in the set: it
 * will be waited for again soon, and most stay silent until then. */
static void
rest_socket(struct net_socket *s)
{
    s->wanted = 0;
    calm(s);
    if (!is_settled(s))
        forget_socket(s);
    else if (s->source.events != EPOLLIN)
        mcph_source_remove(&s->source);
}

static int
want(struct net_socket *s, uint32_t events)
{
    s->wanted = events;
    if (s->source.fd >= 0)
        return mcph_source_set(&s->source, events);
    return mcph_source_add(&s->source, s->fd, events);
}

/* Never answers with a failure: that would end all transfers for good. */
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
    if (!s || want(s, events) < 0) {
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
        /* One that libcurl has closed without a word, and may still wait for. */
        mcph_source_remove(&s->source);
        calm(s);
        s->settled = false;
        if (s->wanted && want(s, s->wanted) < 0)
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

/* leave() sets the timer. */
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
    drive(MCPH_CONTAINER_OF(timer, struct mcph_net, timer));
}

/* ---- life -------------------------------------------------------------------------- */

static int
make_multi(struct mcph_net *net)
{
    unsigned plugs = mcph_fd_plug(); /* it opens descriptors to wake itself up */
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

/* Writes the ends of TLS connections, too, so it must not run in a child. */
static void
free_curl(struct mcph_net *net)
{
    struct mcph_sigguard guard;

    if (!net->multi)
        return;
    enter(net, &guard);
    mcph_net_handles_free(net);
    curl_multi_cleanup(net->multi);
    leave(net, &guard);
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
