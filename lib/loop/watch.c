/* SPDX-License-Identifier: MIT
 *
 * watch.c - notice changes of files and directories: events, debounce, polling.
 *
 * inotify watches directories, never the file itself, so that a file which is replaced
 * by a rename, or removed and created again, stays watched.  A *post* is a directory
 * that is watched for one name in it.  To find a file, the kernel looks up the name of
 * the path, and one more name for each symbolic link.  Each of these names has two
 * posts, because its directory may appear and disappear, too.  The first post is the
 * directory of the name.  The second post is that directory's parent, for the
 * directory's own name.  An example is `.minds/mcp.yaml`: `.minds` is watched for
 * `mcp.yaml`, and the workspace for `.minds`.  Events of other names, such as an
 * editor's swap file, are ignored.
 *
 * A directory whose names are watched has one more post: the directory itself, for each
 * name that `counts` accepts.  Its state is the list of these names, without the contents
 * of the files.
 *
 * A watch below an open directory (`root`) follows no symbolic link.  Its posts are
 * `root` and the directories between `root` and the file, each for the next name in the
 * path.  If a symbolic link replaces one of these directories, nothing behind the link is
 * watched.  The watch never reads the contents of a file or a directory below `root`,
 * however large the file or the directory is.  Therefore the watch reports each event
 * that changes the watched file or directory or its name, even if the signature is the
 * same.
 *
 * An event does not prove that the file has changed.  The event only starts the
 * debounce.  When the debounce ends, on_debounce() sets up the posts anew, then takes
 * the file's signature.  In this order, no change is missed: a change before the
 * signature is in the signature, and a later change causes an event.  The poll does
 * both steps at intervals, without any event.
 *
 * While a signature is young, update_seen() compares a digest of the contents, too,
 * because two changes within one tick of the kernel's clock can leave the same signature.
 *
 * A forked child must never remove a watch from the inotify descriptor, because the child
 * shares the descriptor with its parent.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "loop/loop.h"

/* The maximum number of names that are watched for one path: the path's own name and the
 * targets of up to 7 symbolic links.  Only the poll notices a change behind the eighth
 * link, although the kernel follows up to 40 links. */
#define LEVELS_MAX 8
#define POSTS_MAX  (2 * LEVELS_MAX + 1)
/* The maximum number of names that are read from a directory.  If `counts` accepts more
 * names, the names of the directory are not compared. */
#define NAMES_MAX ((size_t)64 * 1024)
/* The longest wait from the first event to the report, as a multiple of the debounce
 * interval.  A file that never stops changing is reported after this time. */
#define DEBOUNCES_MAX 10
/* The interval at which missing posts are set up again if there is no polling. */
#define REARM_MS        1500
#define READ_BYTES      16384
#define DIGEST_FILE_MAX ((size_t)4 * 1024 * 1024)

#define EVENTS                                                                        \
    (IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | \
     IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
/* Events of the directory itself, which come without a name. */
#define SELF_EVENTS (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)
/* NAME_EVENTS: events that change the names in a directory; FILE_EVENTS: events that
 * change a file or its name. */
#define NAME_EVENTS (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
#define FILE_EVENTS (NAME_EVENTS | IN_MODIFY | IN_CLOSE_WRITE)

struct post {
    int wd;
    uint32_t certain;        /* the events that are reported even if the file's state
                              * has not changed */
    char name[NAME_MAX + 1]; /* the name in the directory; "" for each name that `counts`
                              * accepts or, without `counts`, for all names */
};

struct state {
    struct mcph_file_sig sig; /* for a watch with `counts`, only the member `error` is
                               * set: the result of mcph_dir_list() */
    bool young;               /* true if `digest` is compared, too */
    unsigned char digest[MCPH_DIGEST_LEN];
};

struct mcph_watcher {
    struct mcph_core *core;
    struct mcph_watch_options options;
    struct mcph_source source; /* the source of the inotify descriptor */
    struct mcph_timer tick;
    struct mcph_list watches;
    int fault;   /* the errno that explains missing events, as last logged */
    int failing; /* the errno of a fault since rearm_posts() last ran, or 0 */
    bool broken; /* the descriptor cannot be used any more */
};

struct mcph_watch {
    struct mcph_list link;
    struct mcph_watcher *watcher;
    char *path;
    int root;    /* the open directory above `path`, borrowed; -1 if `path` is absolute */
    bool is_dir; /* used if `root` is not -1: true if `path` is a directory whose names
                  * are watched */
    bool (*counts)(const char *name); /* accepts names of a directory; NULL for a file */
    void (*changed)(struct mcph_watch *watch, void *arg);
    void *arg;
    struct mcph_timer debounce;
    int64_t first_event; /* time of the first event in this debounce */
    bool certain;        /* call `changed` after this debounce even if the state
                          * equals `seen` */
    bool touched;        /* an event of this batch concerns this watch */
    struct state seen;
    struct post *posts; /* an array of POSTS_MAX posts */
    size_t n_posts;
    bool complete; /* every post exists that is needed to notice a change */
};

/* ---- the state of a file ----------------------------------------------------------- */

/* Makes the digest of a file's contents.  All files that cannot be read, or are
 * larger than DIGEST_FILE_MAX, have the same digest. */
static void
digest_file(const char *path, unsigned char ret_digest[MCPH_DIGEST_LEN])
{
    struct mcph_buf text;

    memset(ret_digest, 0, MCPH_DIGEST_LEN);
    mcph_buf_init(&text, DIGEST_FILE_MAX + 1);
    if (mcph_file_read(path, DIGEST_FILE_MAX, &text, NULL) == 0)
        mcph_sha256(text.data ? text.data : "", text.len, ret_digest);
    mcph_buf_wipe(&text); /* the contents may hold secrets */
}

static void
digest_names(const struct mcph_watch *watch, struct state *ret_state)
{
    struct mcph_vec names = {0};
    struct mcph_sha256 sha;

    ret_state->sig.error =
        mcph_dir_list(watch->path, watch->counts, NAMES_MAX, &names, NULL);
    ret_state->young = true;
    mcph_sha256_init(&sha);
    for (size_t i = 0; i < names.n; i++)
        mcph_sha256_add(&sha, names.items[i], strlen(names.items[i]) + 1);
    mcph_sha256_end(&sha, ret_state->digest);
    mcph_dir_list_done(&names);
}

static void
read_state_beneath(const struct mcph_watch *watch, struct state *ret_state)
{
    int fd = mcph_open_beneath(watch->root, watch->path, O_PATH, false);

    if (fd < 0) {
        ret_state->sig.error = errno == ENOTDIR ? ENOENT : errno;
        return;
    }
    mcph_file_sign_fd(fd, &ret_state->sig);
    close(fd);
}

static void
read_state(const struct mcph_watch *watch, struct state *ret_state)
{
    memset(ret_state, 0, sizeof(*ret_state));
    if (watch->root >= 0) {
        read_state_beneath(watch, ret_state);
        return;
    }
    if (watch->counts) {
        digest_names(watch, ret_state);
        return;
    }
    mcph_file_sign(watch->path, &ret_state->sig);
    ret_state->young = mcph_file_sig_young(&ret_state->sig, mcph_clock_realtime_ms());
    if (ret_state->young)
        digest_file(watch->path, ret_state->digest);
}

/* Records the present state as the state seen last.  Returns true if the state has
 * changed. */
static bool
update_seen(struct mcph_watch *watch)
{
    struct state before = watch->seen;

    read_state(watch, &watch->seen);
    if (!mcph_file_sig_equal(&before.sig, &watch->seen.sig))
        return true;
    if (!before.young)
        return false;
    if (!watch->seen.young)
        digest_file(watch->path, watch->seen.digest);
    return memcmp(before.digest, watch->seen.digest, MCPH_DIGEST_LEN) != 0;
}

/* ---- posts ------------------------------------------------------------------------- */

static bool
is_wd_in_use(const struct mcph_watcher *watcher, int wd)
{
    mcph_list_for_each_entry (watch, &watcher->watches, const struct mcph_watch, link) {
        for (size_t i = 0; i < watch->n_posts; i++) {
            if (watch->posts[i].wd == wd)
                return true;
        }
    }
    return false;
}

/* Cuts `path` at its last slash.  Returns false if no name follows the slash, or if the
 * name is too long. */
static bool
split_path(char *path, const char **ret_dir, const char **ret_name)
{
    char *slash = strrchr(path, '/');

    if (!slash || !slash[1] || strlen(slash + 1) > NAME_MAX)
        return false;
    *ret_name = slash + 1;
    *ret_dir = slash == path ? "/" : path;
    *slash = '\0';
    return true;
}

/* Logs why events are missing: once, and again if the reason changes. */
static void
log_fault(struct mcph_watcher *watcher)
{
    char text[128];
    const char *why = text;

    if (watcher->fault == watcher->failing)
        return;
    watcher->fault = watcher->failing;
    if (!watcher->fault)
        return;
    why = strerror_r(watcher->fault, text, sizeof(text));
    mcph_log(watcher->core, MCPHOST_LOG_WARNING, "loop", NULL,
             "files cannot be watched for changes%s: %s",
             watcher->options.poll_ms ? ", they are polled" : "", why);
}

/* Adds a post for `name` in the directory `dir`.  Returns true if the directory exists
 * and is watched.  A lack of permission is a fault only if `needed` is true. */
static bool
add_post(struct mcph_watch *watch, struct post *posts, size_t *n, const char *dir,
         const char *name, bool needed)
{
    struct mcph_watcher *watcher = watch->watcher;
    int wd = inotify_add_watch(watcher->source.fd, dir, EVENTS);

    if (wd < 0) {
        /* Do not treat a missing directory as a fault, because the post in its parent
         * notices when the directory appears. */
        if (errno != ENOENT && errno != ENOTDIR && (needed || errno != EACCES))
            watcher->failing = errno;
        /* Mark the watcher as broken, because other code has closed its descriptor. */
        if (errno == EBADF || errno == EINVAL)
            watcher->broken = true;
        return false;
    }
    posts[*n].wd = wd;
    posts[*n].certain = 0;
    memcpy(posts[*n].name, name,
           strlen(name) + 1); /* split_path() has checked the length */
    ++*n;
    return true;
}

/* Adds the two posts of one name in the path.  Cuts the name off `path`.  Returns true if
 * one of the posts exists.  If the name's directory is missing, the post for the
 * directory's own name is enough. */
static bool
add_posts(struct mcph_watch *watch, struct post *posts, size_t *n, char *path)
{
    char parent[PATH_MAX];
    const char *dir, *name, *dir_name;
    bool there;

    if (!split_path(path, &dir, &name))
        return false;
    there = add_post(watch, posts, n, dir, name, true);
    memcpy(parent, path, strlen(path) + 1);
    if (split_path(parent, &dir, &dir_name) &&
        add_post(watch, posts, n, dir, dir_name, false))
        there = true;
    return there;
}

/* Adds a post for `name` in the directory `dir` below `root`.  An event in `certain` is
 * reported even if the state of the file has not changed.  Returns true if the directory
 * is watched. */
static bool
add_post_beneath(struct mcph_watch *watch, struct post *posts, size_t *n, const char *dir,
                 const char *name, uint32_t certain)
{
    char self[64];
    int fd = mcph_open_beneath(watch->root, dir, O_PATH | O_DIRECTORY, false);
    bool there;

    if (fd < 0)
        return false;
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    there = add_post(watch, posts, n, self, name, true);
    if (there)
        posts[*n - 1].certain = certain;
    close(fd);
    return there;
}

/* Adds posts (inotify watches) for up to POSTS_MAX directories, from the nearest to the
 * file upwards.  Returns true if at least one of the directories is watched. */
static bool
add_posts_beneath(struct mcph_watch *watch, struct post *posts, size_t *n)
{
    uint32_t certain = watch->is_dir ? NAME_EVENTS : FILE_EVENTS;
    const char *dir, *name;
    char path[PATH_MAX];
    bool there = false;

    snprintf(path, sizeof(path), "/%s", watch->path);
    if (watch->is_dir)
        there = add_post_beneath(watch, posts, n, watch->path, "", certain);
    while (*n < POSTS_MAX && split_path(path, &dir, &name)) {
        const char *below = dir[1] ? dir + 1 : "";

        there |= add_post_beneath(watch, posts, n, below, name, there ? 0 : certain);
        if (!*below)
            break;
    }
    return there;
}

/* Replaces the path of a symbolic link by the link's target.  Returns false if `path` is
 * not a symbolic link, or if the new path would be too long. */
static bool
follow_link(char *path)
{
    char target[PATH_MAX];
    ssize_t len = readlink(path, target, sizeof(target) - 1);
    const char *slash = strrchr(path, '/');
    size_t dir = (size_t)(slash - path) + 1;

    if (len <= 0)
        return false;
    if (target[0] == '/')
        dir = 0;
    if (dir + (size_t)len >= PATH_MAX)
        return false;
    memcpy(path + dir, target, (size_t)len);
    path[dir + (size_t)len] = '\0';
    return true;
}

static void
drop_posts(struct mcph_watch *watch, struct post *posts, size_t n)
{
    struct mcph_watcher *watcher = watch->watcher;

    for (size_t i = 0; i < n; i++) {
        if (!is_wd_in_use(watcher, posts[i].wd) && watcher->source.fd >= 0 &&
            !mcph_core_forked(watcher->core))
            inotify_rm_watch(watcher->source.fd, posts[i].wd);
    }
}

/* Adds the post of a directory itself.  Returns true if the names in the directory are
 * watched, or if the directory is missing.  Another post notices when a missing directory
 * appears. */
static bool
add_inner_post(struct mcph_watch *watch, struct post *posts, size_t *n)
{
    return add_post(watch, posts, n, watch->path, "", true) || errno == ENOENT ||
           errno == ENOTDIR;
}

/* Adds the posts of a path, and of the targets of its symbolic links.  Returns true if
 * every post exists that is needed to notice a change. */
static bool
add_all_posts(struct mcph_watch *watch, struct post *posts, size_t *n)
{
    char path[PATH_MAX], cut[PATH_MAX];
    bool complete = true;

    memcpy(path, watch->path, strlen(watch->path) + 1);
    for (int level = 0; level < LEVELS_MAX; level++) {
        memcpy(cut, path, strlen(path) + 1);
        complete = add_posts(watch, posts, n, cut) && complete;
        if (!follow_link(path))
            break;
    }
    if (watch->counts)
        complete = add_inner_post(watch, posts, n) && complete;
    return complete;
}

/* Sets up the posts of a watch for the present target of its path. */
static void
set_posts(struct mcph_watch *watch)
{
    struct post posts[POSTS_MAX], old[POSTS_MAX];
    size_t n = 0, n_old = watch->n_posts;
    bool complete;

    if (watch->watcher->source.fd < 0)
        return;
    complete = watch->root < 0 ? add_all_posts(watch, posts, &n)
                               : add_posts_beneath(watch, posts, &n);
    memcpy(old, watch->posts, n_old * sizeof(*old));
    memcpy(watch->posts, posts, n * sizeof(*posts));
    watch->n_posts = n;
    watch->complete = complete;
    /* Drop the old posts last.  If a directory is in the old and in the new posts, both
     * have the same inotify number, and drop_posts() keeps a number that a post still
     * uses. */
    drop_posts(watch, old, n_old);
}

/* ---- events ------------------------------------------------------------------------ */

/* Starts the debounce at the first event, and prolongs it at each later event. */
static void
extend_debounce(struct mcph_watch *watch)
{
    const struct mcph_watch_options *options = &watch->watcher->options;
    int64_t now = mcph_core_now(watch->watcher->core);
    int64_t due = now + options->debounce_ms, last;

    if (!mcph_timer_is_set(&watch->debounce))
        watch->first_event = now;
    last = watch->first_event + DEBOUNCES_MAX * options->debounce_ms;
    mcph_timer_set(&watch->debounce, due < last ? due : last);
}

static bool
post_covers_name(const struct mcph_watch *watch, const struct post *post,
                 const char *name)
{
    if (post->name[0])
        return strcmp(post->name, name) == 0;
    return !watch->counts || watch->counts(name);
}

static bool
event_concerns(const struct mcph_watch *watch, const struct inotify_event *event,
               bool *ret_certain)
{
    bool concerned = false;

    for (size_t i = 0; i < watch->n_posts; i++) {
        const struct post *post = &watch->posts[i];

        if (post->wd != event->wd)
            continue;
        if (event->mask & SELF_EVENTS) {
            concerned = true;
        } else if (event->len && post_covers_name(watch, post, event->name)) {
            concerned = true;
            *ret_certain |= (event->mask & post->certain) != 0;
        }
    }
    return concerned;
}

static void
take_event(struct mcph_watcher *watcher, const struct inotify_event *event)
{
    bool lost = (event->mask & IN_Q_OVERFLOW) != 0;

    mcph_list_for_each_entry (watch, &watcher->watches, struct mcph_watch, link) {
        bool certain = lost;

        if (!lost && !event_concerns(watch, event, &certain))
            continue;
        watch->certain |= certain;
        watch->touched = true;
    }
}

/* Starts or prolongs the debounce of watches with new events.  Sets up the posts of
 * these watches at once.  If a directory has just appeared, its changes cause events
 * only after it has a post. */
static void
take_touched(struct mcph_watcher *watcher)
{
    mcph_list_for_each_entry (watch, &watcher->watches, struct mcph_watch, link) {
        if (!watch->touched)
            continue;
        watch->touched = false;
        extend_debounce(watch);
        set_posts(watch);
    }
}

static void
close_events(struct mcph_watcher *watcher)
{
    int fd = watcher->source.fd;

    if (fd < 0)
        return;
    mcph_source_remove(&watcher->source);
    close(fd);
    watcher->broken = false;
    mcph_list_for_each_entry (watch, &watcher->watches, struct mcph_watch, link) {
        watch->n_posts = 0;
        watch->complete = false;
    }
}

static bool
all_complete(const struct mcph_watcher *watcher)
{
    if (watcher->source.fd < 0)
        return false;
    mcph_list_for_each_entry (watch, &watcher->watches, const struct mcph_watch, link) {
        if (!watch->complete)
            return false;
    }
    return true;
}

/* Starts or stops the timer `tick`.  If there is polling, the tick comes at the
 * interval of the poll.  If there is no polling, the tick comes only while a post or the
 * inotify descriptor is missing.  Without a watch there is no tick. */
static void
set_tick(struct mcph_watcher *watcher)
{
    const struct mcph_watch_options *options = &watcher->options;
    int64_t interval = options->poll_ms;

    if (!interval && options->events && !all_complete(watcher))
        interval = REARM_MS;
    if (!interval || mcph_list_empty(&watcher->watches))
        mcph_timer_cancel(&watcher->tick);
    else if (!mcph_timer_is_set(&watcher->tick))
        mcph_timer_set(&watcher->tick, mcph_core_now(watcher->core) + interval);
}

static void
on_events(struct mcph_source *source, uint32_t events)
{
    struct mcph_watcher *watcher = MCPH_CONTAINER_OF(source, struct mcph_watcher, source);
    _Alignas(struct inotify_event) char data[READ_BYTES];
    ssize_t n;

    (void)events;
    n = read(source->fd, data, sizeof(data));
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        watcher->failing = n < 0 ? errno : EIO;
        close_events(watcher);
    }
    for (const char *p = data; n > 0 && p < data + n;) {
        const struct inotify_event *event = (const void *)p;

        take_event(watcher, event);
        p += sizeof(*event) + event->len;
    }
    if (n > READ_BYTES - (ssize_t)sizeof(struct inotify_event) - NAME_MAX - 1)
        mcph_core_more(watcher->core); /* `data` is nearly full; there may be more
                                        * events */
    take_touched(watcher);
    log_fault(watcher);
    set_tick(watcher);
}

static void
open_events(struct mcph_watcher *watcher)
{
    int fd = mcph_fd_high(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));

    if (fd < 0) {
        watcher->failing = errno;
    } else if (mcph_source_add(&watcher->source, fd, EPOLLIN) < 0) {
        close(fd);
        watcher->failing = ENOMEM;
    }
}

/* Opens the inotify descriptor if it is missing or broken, and sets up the posts of all
 * watches again.  Does nothing if events were not requested. */
static void
rearm_posts(struct mcph_watcher *watcher)
{
    bool had_failed = watcher->failing != 0;

    if (!watcher->options.events)
        return;
    watcher->failing = 0;
    if (watcher->broken)
        close_events(watcher);
    if (watcher->source.fd < 0)
        open_events(watcher);
    mcph_list_for_each_entry (watch, &watcher->watches, struct mcph_watch, link) {
        bool was_complete = watch->complete;

        set_posts(watch);
        /* Start the debounce, because a change may have gone unnoticed while a post was
         * missing. */
        if (watch->complete && (had_failed || !was_complete))
            extend_debounce(watch);
    }
    log_fault(watcher);
}

static void
on_tick(struct mcph_timer *timer)
{
    struct mcph_watcher *watcher = MCPH_CONTAINER_OF(timer, struct mcph_watcher, tick);

    rearm_posts(watcher);
    mcph_list_for_each_entry (watch, &watcher->watches, struct mcph_watch, link) {
        /* Skip a watch whose debounce runs, because the end of the debounce checks the
         * watch. */
        if (!watcher->options.poll_ms || mcph_timer_is_set(&watch->debounce))
            continue;
        if (update_seen(watch)) {
            watch->certain = true;
            mcph_timer_set(&watch->debounce, mcph_core_now(watcher->core));
        }
    }
    set_tick(watcher);
}

static void
on_debounce(struct mcph_timer *timer)
{
    struct mcph_watch *watch = MCPH_CONTAINER_OF(timer, struct mcph_watch, debounce);
    bool certain = watch->certain;

    watch->certain = false;
    set_posts(watch);
    log_fault(watch->watcher);
    set_tick(watch->watcher);
    /* Call `changed` last, because it may free the watch. */
    if (update_seen(watch) || certain)
        watch->changed(watch, watch->arg);
}

/* ---- life -------------------------------------------------------------------------- */

int
mcph_watcher_new(struct mcph_core *core, const struct mcph_watch_options *options,
                 struct mcph_watcher **ret, mcphost_error **reterr)
{
    struct mcph_watcher *watcher = calloc(1, sizeof(*watcher));

    if (!watcher || mcph_timer_init(&watcher->tick, core, on_tick) < 0) {
        free(watcher);
        return mcph_err_nomem(reterr);
    }
    watcher->core = core;
    watcher->options = *options;
    mcph_list_init(&watcher->watches);
    mcph_source_init(&watcher->source, core, on_events);
    rearm_posts(watcher);
    *ret = watcher;
    return 0;
}

struct mcph_watcher *
mcph_watcher_free(struct mcph_watcher *watcher)
{
    if (watcher) {
        close_events(watcher);
        mcph_timer_done(&watcher->tick);
        free(watcher);
    }
    return NULL;
}

int
mcph_watcher_fault(const struct mcph_watcher *watcher)
{
    return watcher->fault;
}

static struct mcph_watch *
watch_alloc(struct mcph_watcher *watcher, const char *path,
            void (*changed)(struct mcph_watch *watch, void *arg), void *arg)
{
    struct mcph_watch *watch = calloc(1, sizeof(*watch));

    if (!watch)
        return NULL;
    mcph_list_init(&watch->link);
    watch->watcher = watcher;
    watch->root = -1;
    watch->changed = changed;
    watch->arg = arg;
    watch->path = mcph_strdup(path);
    watch->posts = calloc(POSTS_MAX, sizeof(*watch->posts));
    if (!watch->path || !watch->posts ||
        mcph_timer_init(&watch->debounce, watcher->core, on_debounce) < 0)
        return mcph_watch_free(watch);
    return watch;
}

static void
start_watch(struct mcph_watch *watch)
{
    mcph_list_append(&watch->watcher->watches, &watch->link);
    set_posts(watch);
    log_fault(watch->watcher);
    read_state(watch, &watch->seen);
    set_tick(watch->watcher);
}

int
mcph_watch_new(struct mcph_watcher *watcher, const char *path,
               void (*changed)(struct mcph_watch *watch, void *arg), void *arg,
               struct mcph_watch **ret, mcphost_error **reterr)
{
    return mcph_watch_new_dir(watcher, path, NULL, changed, arg, ret, reterr);
}

int
mcph_watch_new_dir(struct mcph_watcher *watcher, const char *path,
                   bool (*counts)(const char *name),
                   void (*changed)(struct mcph_watch *watch, void *arg), void *arg,
                   struct mcph_watch **ret, mcphost_error **reterr)
{
    struct mcph_watch *watch;

    if (path[0] != '/' || strlen(path) >= PATH_MAX)
        return mcph_err(reterr, MCPHOST_E_INVALID, "'%.256s' cannot be watched: %s", path,
                        path[0] == '/' ? "too long" : "not an absolute path");
    watch = watch_alloc(watcher, path, changed, arg);
    if (!watch)
        return mcph_err_nomem(reterr);
    watch->counts = counts;
    start_watch(watch);
    *ret = watch;
    return 0;
}

int
mcph_watch_new_beneath(struct mcph_watcher *watcher, int root, const char *path,
                       bool is_dir, void (*changed)(struct mcph_watch *watch, void *arg),
                       void *arg, struct mcph_watch **ret, mcphost_error **reterr)
{
    struct mcph_watch *watch;

    if (strlen(path) + 1 >= PATH_MAX)
        return mcph_err(reterr, MCPHOST_E_INVALID, "'%.256s' cannot be watched: too long",
                        path);
    watch = watch_alloc(watcher, path, changed, arg);
    if (!watch)
        return mcph_err_nomem(reterr);
    watch->root = root;
    watch->is_dir = is_dir;
    start_watch(watch);
    *ret = watch;
    return 0;
}

struct mcph_watch *
mcph_watch_free(struct mcph_watch *watch)
{
    if (!watch)
        return NULL;
    mcph_list_remove(&watch->link);
    if (watch->posts)
        drop_posts(watch, watch->posts, watch->n_posts);
    mcph_timer_done(&watch->debounce);
    free(watch->posts);
    free(watch->path);
    free(watch);
    return NULL;
}

const char *
mcph_watch_path(const struct mcph_watch *watch)
{
    return watch->path;
}

/* ---- for callers that check or write themselves ------------------------------------ */

bool
mcph_watch_check(struct mcph_watch *watch)
{
    bool changed = update_seen(watch) || watch->certain;

    watch->certain = false;
    mcph_timer_cancel(&watch->debounce);
    return changed;
}

void
mcph_watch_own_write(struct mcph_watch *watch, const struct mcph_file_sig *before,
                     const struct mcph_file_sig *after)
{
    struct state now;

    if (!mcph_file_sig_equal(before, &watch->seen.sig))
        return;
    read_state(watch, &now);
    if (mcph_file_sig_equal(&now.sig, after))
        watch->seen = now;
    else /* let the next check report the change of another process */
        watch->seen = (struct state){.sig = *after};
}
