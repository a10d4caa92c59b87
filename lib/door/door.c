/* SPDX-License-Identifier: MIT
 *
 * door.c - open and close a door, and accept its connections.
 *
 * A guest is a connection of a client to the door.  If the door has MCPH_DOOR_GUESTS_MAX
 * guests, a new guest takes the place of the oldest guest that has sent no complete head.
 * Thus a program that opens connections and sends nothing does not keep the browser out.
 * If all guests are being answered, further clients wait in the backlog of the kernel,
 * which costs no descriptor.  After a failure to accept that may last, for example
 * because no descriptor is left, the door pauses.  Without the pause, the loop would
 * spin.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "door/inner.h"

#define BACKLOG  128
#define PAUSE_MS 100

/* ---- accepting --------------------------------------------------------------------- */

static int
set_accepting(struct mcph_door *door, bool accepts)
{
    int r = 0;

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(door->listeners); i++) {
        struct mcph_source *source = &door->listeners[i].source;

        if (source->fd >= 0 && mcph_source_set(source, accepts ? EPOLLIN : 0) < 0)
            r = MCPHOST_E_IO;
    }
    return r;
}

static void
take_pause(struct mcph_door *door)
{
    (void)set_accepting(door, false);
    mcph_timer_set(&door->pause, mcph_core_now(door->core) + PAUSE_MS);
}

void
mcph_door_resume(struct mcph_door *door)
{
    if (mcph_timer_is_set(&door->pause))
        return;
    if (set_accepting(door, door->n_guests < MCPH_DOOR_GUESTS_MAX) < 0)
        take_pause(door);
}

static void
on_pause_over(struct mcph_timer *timer)
{
    mcph_door_resume(MCPH_CONTAINER_OF(timer, struct mcph_door, pause));
}

static bool
is_passing(int error)
{
    return error == EINTR || error == ECONNABORTED || error == EPROTO ||
           error == ENETDOWN || error == EHOSTUNREACH || error == ENETUNREACH;
}

static void
on_knock(struct mcph_source *source, uint32_t events)
{
    struct mcph_door *door =
        MCPH_CONTAINER_OF(source, struct mcph_door_listener, source)->door;

    (void)events;
    /* Limit the number of accepted connections in one turn, because clients may connect
     * and disconnect so fast that the loop would not end. */
    for (int i = 0; i < MCPH_DOOR_GUESTS_MAX; i++) {
        bool is_full = door->n_guests == MCPH_DOOR_GUESTS_MAX;
        int fd;

        /* For each listener, a full door ends at most one guest in a turn.  Therefore
         * each guest has many turns to send its head, and a guest is ended only if a
         * client waits. */
        if (is_full && i > 0)
            return;
        if (is_full && !mcph_door_end_idle(door)) {
            (void)set_accepting(door, false);
            return;
        }
        fd = mcph_fd_high(accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (fd < 0 && errno == EAGAIN)
            return;
        if (fd < 0 && is_passing(errno))
            continue;
        if (fd < 0 || mcph_door_guest_new(door, fd) < 0) {
            take_pause(door);
            return;
        }
    }
}

/* ---- life -------------------------------------------------------------------------- */

static void
free_door(struct mcph_door *door)
{
    free(door->path);
    free(door->done);
    free(door->failed);
    free(door->url);
    free(door);
}

void
mcph_door_enter(struct mcph_door *door)
{
    door->busy++;
}

void
mcph_door_leave(struct mcph_door *door)
{
    if (--door->busy == 0 && door->closed)
        free_door(door);
}

struct mcph_door *
mcph_door_close(struct mcph_door *door)
{
    if (!door || door->closed)
        return NULL;
    mcph_door_enter(door);
    door->closed = true;
    mcph_timer_done(&door->pause);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(door->listeners); i++) {
        struct mcph_source *source = &door->listeners[i].source;
        int fd = source->fd;

        if (fd < 0)
            continue;
        mcph_source_remove(source);
        mcph_core_drop_fd(door->core, fd);
        close(fd);
    }
    mcph_door_guests_done(door);
    mcph_door_leave(door);
    return NULL;
}

const char *
mcph_door_get_url(const struct mcph_door *door)
{
    return door->url;
}

/* ---- opening ----------------------------------------------------------------------- */

/* Sets SO_REUSEADDR.  The socket can then listen at a port while connections at this port
 * are in TIME_WAIT, if they had SO_REUSEADDR, too. */
static int
allow_reuse(int fd)
{
    int on = 1;

    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

/* Binds the socket to the address, and makes it listen.  Returns 0, or -1 and errno.  The
 * connections inherit SO_REUSEADDR, so that a later door can listen at this port.  This
 * function sets SO_REUSEADDR only after bind(), because with this option bind() might
 * choose a port that another program has bound.  A caller that wants a certain port sets
 * SO_REUSEADDR before it calls this function. */
static int
listen_at(int fd, const struct sockaddr *address, socklen_t len)
{
    if (bind(fd, address, len) < 0 || allow_reuse(fd) < 0)
        return -1;
    return listen(fd, BACKLOG);
}

static int
add_listener(struct mcph_door *door, size_t i, int fd)
{
    struct mcph_door_listener *listener = &door->listeners[i];
    int r = mcph_source_add(&listener->source, fd, EPOLLIN);

    if (r < 0)
        close(fd);
    else
        mcph_core_hold_fd(door->core, fd);
    return r;
}

static int
make_socket(int family)
{
    return mcph_fd_high(
        socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
}

/* Listens at the wanted port, although connections of an earlier door at this port may
 * still be in TIME_WAIT.  Returns false if another port is necessary.  SO_REUSEADDR then
 * stays set. */
static bool
listen_at_port(int fd, struct sockaddr_in in, unsigned port)
{
    in.sin_port = htons((uint16_t)port);
    return allow_reuse(fd) == 0 && listen_at(fd, (struct sockaddr *)&in, sizeof(in)) == 0;
}

/* Returns a socket that listens at the port, or at another port if this port is taken or
 * 0.  Returns -1 and errno on failure. */
static int
open_v4(struct sockaddr_in in, unsigned port)
{
    int fd = port ? make_socket(AF_INET) : -1, code;

    if (fd >= 0 && listen_at_port(fd, in, port))
        return fd;
    /* Take a new socket for another port, because the first socket has SO_REUSEADDR. */
    if (fd >= 0)
        close(fd);
    fd = make_socket(AF_INET);
    if (fd >= 0 && listen_at(fd, (struct sockaddr *)&in, sizeof(in)) < 0) {
        code = errno;
        close(fd);
        errno = code;
        fd = -1;
    }
    return fd;
}

static int
listen_v4(struct mcph_door *door, unsigned port, mcphost_error **reterr)
{
    struct sockaddr_in in = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(in);
    int fd = open_v4(in, port), r;

    if (fd < 0 || getsockname(fd, (struct sockaddr *)&in, &len) < 0) {
        r = mcph_err_os(reterr, errno, "cannot listen on 127.0.0.1 for the redirect");
        if (fd >= 0)
            close(fd);
        return r;
    }
    door->port = ntohs(in.sin_port);
    r = add_listener(door, 0, fd);
    if (r < 0)
        return mcph_err(reterr, r, "cannot watch the socket that awaits the redirect");
    return 0;
}

/* Listens on ::1, because "localhost" may mean this address.  Ignores failures, because
 * the redirect itself goes to 127.0.0.1. */
static void
listen_v6(struct mcph_door *door)
{
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)door->port),
                               .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = make_socket(AF_INET6), on = 1;

    if (fd < 0)
        return;
    if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0 ||
        allow_reuse(fd) < 0 || listen_at(fd, (struct sockaddr *)&in6, sizeof(in6)) < 0)
        close(fd);
    else
        (void)add_listener(door, 1, fd);
}

static int
check_spec(const struct mcph_door_spec *spec, mcphost_error **reterr)
{
    size_t len = strlen(spec->path);

    if (*spec->path != '/' || len > MCPH_DOOR_PATH_MAX)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the path of the redirect must begin with '/' and have at most "
                        "%d bytes",
                        MCPH_DOOR_PATH_MAX);
    for (const char *p = spec->path; *p; p++) {
        if (*p <= ' ' || *p > '~' || strchr("?#%", *p))
            return mcph_err(reterr, MCPHOST_E_INVALID,
                            "the path of the redirect must be visible ASCII without "
                            "'?', '#' and '%%'");
    }
    if (!mcph_utf8_is_text(spec->done) || strlen(spec->done) > MCPH_DOOR_TEXT_MAX ||
        !mcph_utf8_is_text(spec->failed) || strlen(spec->failed) > MCPH_DOOR_TEXT_MAX)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "the texts for the browser must be UTF-8 and have at most %d "
                        "bytes",
                        MCPH_DOOR_TEXT_MAX);
    return 0;
}

static int
copy_spec(struct mcph_door *door, const struct mcph_door_spec *spec,
          mcphost_error **reterr)
{
    door->events = spec->events;
    door->arg = spec->arg;
    door->path = mcph_strdup(spec->path);
    door->done = mcph_strdup(spec->done);
    door->failed = mcph_strdup(spec->failed);
    if (!door->path || !door->done || !door->failed ||
        mcph_timer_init(&door->pause, door->core, on_pause_over) < 0)
        return mcph_err_nomem(reterr);
    return 0;
}

int
mcph_door_open(struct mcph_core *core, const struct mcph_door_spec *spec,
               struct mcph_door **ret, mcphost_error **reterr)
{
    struct mcph_door *door;
    int r = check_spec(spec, reterr);

    if (r < 0)
        return r;
    door = mcph_zalloc(sizeof(*door), 0);
    if (!door)
        return mcph_err_nomem(reterr);
    door->core = core;
    mcph_list_init(&door->guests);
    for (size_t i = 0; i < MCPH_ARRAY_SIZE(door->listeners); i++) {
        door->listeners[i].door = door;
        mcph_source_init(&door->listeners[i].source, core, on_knock);
    }
    r = copy_spec(door, spec, reterr);
    if (r == 0)
        r = listen_v4(door, spec->port, reterr);
    if (r == 0) {
        door->url = mcph_asprintf("http://127.0.0.1:%u%s", door->port, door->path);
        r = door->url ? 0 : mcph_err_nomem(reterr);
    }
    if (r < 0) {
        mcph_door_close(door);
        return r;
    }
    listen_v6(door);
    *ret = door;
    return 0;
}
