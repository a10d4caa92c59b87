/* SPDX-License-Identifier: MIT
 *
 * guest.c - a connection to a door: one request, one answer, then the end.
 *
 *   READING --head--> WRITING --all sent--> LINGERING --end of file--> freed
 *
 * A guest is also freed when its time is up, when reading or writing fails, when the
 * client closes the connection before the end of the head, when its first bytes are no
 * method, when a new guest needs its place (READING only), and when the door closes.  A
 * guest that lingers has closed its writing side and drops what the client still sends.
 * If the socket were closed with unread bytes, the client would get a reset and could
 * lose the page.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "door/inner.h"

#define ANSWER_MAX ((size_t)16 * 1024)

enum { READING, WRITING, LINGERING };

struct mcph_door_guest {
    struct mcph_list link;
    struct mcph_door *door;
    struct mcph_source source;
    struct mcph_timer timer;
    struct mcph_buf answer;
    size_t sent, len;
    int state, fd;
    bool decisive; /* the owner answered the guest's redirect with DONE or FAILED */
    char head[MCPH_DOOR_HEAD_MAX];
};

/* Closes the guest's socket, but does not free the guest. */
static void
shut(struct mcph_door_guest *g)
{
    mcph_timer_done(&g->timer);
    mcph_source_remove(&g->source);
    if (g->fd >= 0) {
        mcph_core_drop_fd(g->door->core, g->fd);
        close(g->fd);
        g->fd = -1;
    }
}

static void
free_guest(struct mcph_door_guest *g)
{
    shut(g);
    mcph_list_remove(&g->link);
    g->door->n_guests--;
    mcph_buf_done(&g->answer);
    explicit_bzero(g->head, sizeof(g->head));
    free(g);
}

void
mcph_door_guests_done(struct mcph_door *door)
{
    mcph_list_for_each_safe (it, &door->guests) {
        struct mcph_door_guest *g = MCPH_LIST_ENTRY(it, struct mcph_door_guest, link);

        if (g == door->current)
            shut(g);
        else
            free_guest(g);
    }
}

/* Frees a guest.  If the door is still open, also lets the door accept connections again,
 * and reports `answered` if the guest was decisive. */
static void
end_guest(struct mcph_door_guest *g)
{
    struct mcph_door *door = g->door;
    bool decisive = g->decisive;

    free_guest(g);
    if (door->closed)
        return;
    mcph_door_resume(door);
    if (decisive && door->events->answered)
        door->events->answered(door, door->arg);
}

/* ---- answering --------------------------------------------------------------------- */

static bool
is_here(const struct mcph_door *door, const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char here[32];

    for (size_t i = 0; i < MCPH_ARRAY_SIZE(names); i++) {
        snprintf(here, sizeof(here), "%s:%u", names[i], door->port);
        if (strcasecmp(host, here) == 0)
            return true;
    }
    return false;
}

/* Reports the redirect.  Returns the status, or 0 if the door was closed. */
static int
report(struct mcph_door_guest *g, const char *query, const char **ret_text)
{
    struct mcph_door *door = g->door;
    enum mcph_door_verdict verdict;

    door->current = g;
    verdict = door->events->request(door, query, door->arg);
    door->current = NULL;
    if (door->closed)
        return 0;
    if (verdict == MCPH_DOOR_REFUSED)
        return 403;
    door->used = true;
    g->decisive = true;
    *ret_text = verdict == MCPH_DOOR_DONE ? door->done : door->failed;
    return verdict == MCPH_DOOR_DONE ? 200 : 400;
}

/* Decides about a request.  Returns the status, or 0 if the door was closed. */
static int
judge(struct mcph_door_guest *g, const struct mcph_door_head *head, const char **ret_text)
{
    const struct mcph_door *door = g->door;

    if (!is_here(door, head->host))
        return 403;
    if (strcmp(head->path, door->path) != 0)
        return 404;
    if (strcmp(head->method, "GET") != 0 && strcmp(head->method, "HEAD") != 0)
        return 405;
    if (head->foreign)
        return 403;
    if (door->used)
        return 410;
    if (*head->method == 'H')
        return 200;
    return report(g, head->query, ret_text);
}

/* Writes as much as the socket takes.  Returns false if the guest must end. */
static bool
write_some(struct mcph_door_guest *g)
{
    while (g->sent < g->answer.len) {
        ssize_t n = send(g->fd, g->answer.data + g->sent, g->answer.len - g->sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return mcph_source_set(&g->source, EPOLLOUT) == 0;
        if (n < 0)
            return false;
        g->sent += (size_t)n;
    }
    g->state = LINGERING;
    return shutdown(g->fd, SHUT_WR) == 0 && mcph_source_set(&g->source, EPOLLIN) == 0;
}

/* Answers with a status of the parser or, if `status` is 0, decides about the request. */
static bool
answer(struct mcph_door_guest *g, int status, const struct mcph_door_head *head)
{
    const char *text = NULL;
    bool body = true;

    if (status == 0) {
        body = strcmp(head->method, "HEAD") != 0;
        status = judge(g, head, &text);
    }
    explicit_bzero(g->head, sizeof(g->head));
    if (status == 0 || mcph_door_add_page(&g->answer, status, text, body) < 0)
        return false;
    g->state = WRITING;
    return write_some(g);
}

/* ---- reading ----------------------------------------------------------------------- */

/* Reads the bytes that are available into the head, from the offset `at` on.  Sets *ret_n
 * to their number, which may be 0.  Returns false at the end of file and after a
 * failure. */
static bool
read_some(struct mcph_door_guest *g, size_t at, size_t *ret_n)
{
    ssize_t n = recv(g->fd, g->head + at, sizeof(g->head) - at, MSG_DONTWAIT);

    *ret_n = n < 0 ? 0 : (size_t)n;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool
read_head(struct mcph_door_guest *g)
{
    /* The empty line may begin in the bytes that were read before. */
    size_t from = g->len < 3 ? 0 : g->len - 3, n, end;
    struct mcph_door_head head;
    int status;

    if (!read_some(g, g->len, &n))
        return false;
    g->len += n;
    if (!mcph_door_head_can_begin(g->head, g->len))
        return false;
    end = mcph_door_head_end(g->head + from, g->len - from);
    if (end == 0 && g->len < sizeof(g->head))
        return true;
    end = end ? from + end : 0;
    status = end ? mcph_door_head_parse(g->head, end, &head) : 431;
    return answer(g, status, &head);
}

static void
on_ready(struct mcph_source *source, uint32_t events)
{
    struct mcph_door_guest *g = MCPH_CONTAINER_OF(source, struct mcph_door_guest, source);
    struct mcph_door *door = g->door;
    bool goes_on;
    size_t n;

    (void)events;
    mcph_door_enter(door);
    if (g->state == READING)
        goes_on = read_head(g);
    else if (g->state == WRITING)
        goes_on = write_some(g);
    else
        goes_on = read_some(g, 0, &n);
    if (!goes_on)
        end_guest(g);
    mcph_door_leave(door);
}

static void
on_due(struct mcph_timer *timer)
{
    struct mcph_door_guest *g = MCPH_CONTAINER_OF(timer, struct mcph_door_guest, timer);
    struct mcph_door *door = g->door;

    mcph_door_enter(door);
    end_guest(g);
    mcph_door_leave(door);
}

bool
mcph_door_end_idle(struct mcph_door *door)
{
    mcph_list_for_each (it, &door->guests) {
        struct mcph_door_guest *g = MCPH_LIST_ENTRY(it, struct mcph_door_guest, link);

        if (g->state == READING) {
            free_guest(g);
            return true;
        }
    }
    return false;
}

int
mcph_door_guest_new(struct mcph_door *door, int fd)
{
    struct mcph_door_guest *g =
        mcph_zalloc(offsetof(struct mcph_door_guest, head), sizeof(g->head));
    int r;

    if (!g) {
        close(fd);
        return MCPHOST_E_NOMEM;
    }
    g->door = door;
    g->fd = fd;
    mcph_source_init(&g->source, door->core, on_ready);
    mcph_buf_init(&g->answer, ANSWER_MAX);
    mcph_list_append(&door->guests, &g->link);
    door->n_guests++;
    mcph_core_hold_fd(door->core, fd);
    r = mcph_timer_init(&g->timer, door->core, on_due);
    if (r == 0)
        r = mcph_source_add(&g->source, fd, EPOLLIN);
    if (r < 0) {
        free_guest(g);
        return r;
    }
    mcph_timer_set(&g->timer, mcph_core_now(door->core) + MCPH_DOOR_GUEST_MS);
    return 0;
}
