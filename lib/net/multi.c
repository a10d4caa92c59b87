/* SPDX-License-Identifier: MIT
 *
 * multi.c - libcurl's multi handle in the loop: its sockets, its timer, its ends.
 *
 * libcurl says which sockets to watch and when to be called at the latest; what it has
 * finished is collected each time it returns.  It must not be called from inside its
 * own callbacks: requests that come or go there wait in `todo` until it is out.
 *
 * It keeps a connection to use it again, and may close or reuse a descriptor before it
 * says so; sources take that in their stride.  A socket that cannot be watched makes
 * us blind: then all transfers are tried every LOOK_MS, which is slow and no failure.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "net/internal.h"

#define LOOK_MS     20
#define CONNECTIONS 256L /* kept for reuse, at most */
#define OLDEST_CURL 0x075700

struct net_socket {
    struct mcph_list link; /* net->sockets */
    struct mcph_net *net;
    struct mcph_source source;
};

/* ---- libcurl as a whole --------------------------------------------------------- */

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

/* ---- in and out of libcurl ---------------------------------------------------------- */

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
}

static void
add_now(struct mcph_net_request *req)
{
    struct mcph_sigguard guard;

    enter(req->net, &guard);
    req->added = curl_multi_add_handle(req->net->multi, req->easy) == CURLM_OK;
    leave(req->net, &guard);
}

int
net_add(struct mcph_net_request *req)
{
    if (req->net->in_curl) {
        mcph_list_append(&req->net->todo, &req->todo);
        return 0;
    }
    add_now(req);
    return req->added ? 0 : MCPHOST_E_NOMEM;
}

void
net_remove(struct mcph_net_request *req)
{
    struct mcph_sigguard guard;

    if (!req->added)
        return;
    enter(req->net, &guard);
    curl_multi_remove_handle(req->net->multi, req->easy);
    leave(req->net, &guard);
    req->added = false;
}

CURL *
net_take_easy(struct mcph_net *net)
{
    return net->n_easies ? net->easies[--net->n_easies] : curl_easy_init();
}

void
net_give_easy(struct mcph_net *net, CURL *easy)
{
    if (net->n_easies < EASIES_KEPT) {
        curl_easy_reset(easy);
        net->easies[net->n_easies++] = easy;
    } else {
        curl_easy_cleanup(easy);
    }
}

/* What had to wait for libcurl to return. */
static void
do_todo(struct mcph_net *net)
{
    struct mcph_list *item;

    for (item = mcph_list_take_first(&net->todo); item;
         item = mcph_list_take_first(&net->todo)) {
        struct mcph_net_request *req =
            MCPH_LIST_ENTRY(item, struct mcph_net_request, todo);

        if (req->cancelled) {
            request_free(req);
        } else {
            add_now(req);
            if (!req->added)
                request_ended(req, CURLE_OUT_OF_MEMORY);
        }
    }
}

static void
collect(struct mcph_net *net)
{
    CURLMsg *msg;
    int left;

    for (;;) {
        struct mcph_net_request *req = NULL;
        CURLcode code;

        msg = curl_multi_info_read(net->multi, &left);
        if (!msg)
            break;
        if (msg->msg != CURLMSG_DONE)
            continue;
        code = msg->data.result;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&req);
        net_remove(req);
        if (!req->cancelled)
            request_ended(req, code);
    }
    do_todo(net);
}

static void
drive(struct mcph_net *net, curl_socket_t fd, int events)
{
    struct mcph_sigguard guard;
    int running;

    enter(net, &guard);
    curl_multi_socket_action(net->multi, fd, events, &running);
    leave(net, &guard);
    collect(net);
}

/* ---- sockets and time ---------------------------------------------------------------- */

static void
on_socket(struct mcph_source *source, uint32_t events)
{
    struct net_socket *s = MCPH_CONTAINER_OF(source, struct net_socket, source);
    int what = 0;

    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        what |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        what |= CURL_CSELECT_OUT;
    if (events & EPOLLERR)
        what |= CURL_CSELECT_ERR;
    drive(s->net, source->fd, what);
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
    leave(net, &guard);
    collect(net);
    if (running > 0)
        go_blind(net);
}

static void
forget_socket(struct net_socket *s)
{
    mcph_source_remove(&s->source);
    mcph_list_remove(&s->link);
    free(s);
}

/* Never answers with a failure: that would end all transfers for good. */
static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *sock)
{
    struct mcph_net *net = arg;
    struct net_socket *s = sock;
    uint32_t events = 0;
    int r;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (s)
            forget_socket(s);
        curl_multi_assign(net->multi, fd, NULL);
        return 0;
    }
    if (what != CURL_POLL_OUT)
        events |= EPOLLIN;
    if (what != CURL_POLL_IN)
        events |= EPOLLOUT;
    if (s) {
        r = mcph_source_set(&s->source, events);
    } else {
        s = calloc(1, sizeof(*s));
        if (!s) {
            go_blind(net);
            return 0;
        }
        s->net = net;
        mcph_list_append(&net->sockets, &s->link);
        mcph_source_init(&s->source, net->core, on_socket);
        curl_multi_assign(net->multi, fd, s);
        r = mcph_source_add(&s->source, fd, events);
    }
    if (r < 0) {
        curl_multi_assign(net->multi, fd, NULL);
        forget_socket(s);
        go_blind(net);
    }
    return 0;
}

static int
set_timer(CURLM *multi, long ms, void *arg)
{
    struct mcph_net *net = arg;

    (void)multi;
    if (ms < 0)
        mcph_timer_cancel(&net->timer);
    else
        mcph_timer_set(&net->timer, mcph_core_now(net->core) + ms);
    return 0;
}

static void
on_timer(struct mcph_timer *timer)
{
    drive(MCPH_CONTAINER_OF(timer, struct mcph_net, timer), CURL_SOCKET_TIMEOUT, 0);
}

/* ---- life -------------------------------------------------------------------------------- */

static int
make_multi(struct mcph_net *net)
{
    CURLM *m = curl_multi_init();

    if (!m)
        return MCPHOST_E_NOMEM;
    net->multi = m;
    if (curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, watch_socket) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_SOCKETDATA, net) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, set_timer) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_TIMERDATA, net) != CURLM_OK ||
        curl_multi_setopt(m, CURLMOPT_MAXCONNECTS, CONNECTIONS) != CURLM_OK)
        return MCPHOST_E_NOMEM;
    return 0;
}

int
mcph_net_new(struct mcph_core *core, struct mcph_net **ret, mcphost_error **reterr)
{
    struct mcph_net *net;
    int r = init_curl(reterr);

    if (r < 0)
        return r;
    net = calloc(1, sizeof(*net));
    if (!net)
        return mcph_err_nomem(reterr);
    net->core = mcph_core_ref(core);
    mcph_list_init(&net->requests);
    mcph_list_init(&net->todo);
    mcph_list_init(&net->sockets);
    if (mcph_timer_init(&net->timer, core, on_timer) < 0 ||
        mcph_timer_init(&net->look, core, on_look) < 0 || make_multi(net) < 0) {
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

    enter(net, &guard);
    while (net->n_easies > 0)
        curl_easy_cleanup(net->easies[--net->n_easies]);
    if (net->multi)
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
    mcph_list_for_each_safe (it, &net->sockets)
        forget_socket(MCPH_LIST_ENTRY(it, struct net_socket, link));
    mcph_timer_done(&net->timer);
    mcph_timer_done(&net->look);
    mcph_core_unref(net->core);
    free(net);
    return NULL;
}
