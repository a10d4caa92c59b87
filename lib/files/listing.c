/* SPDX-License-Identifier: MIT
 *
 * listing.c - one page of a directory as JSON.
 *
 * A directory may have many names, for example 100,000.  To make a page, the listing
 * reads all names, in steps.  A page begins after the name in `after`.  A heap keeps the
 * first names after this name, with the last of them on top.  The pages do not shift if
 * files are added or removed, because each page begins after a name, not after a number
 * of names.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/inner.h"

/* The number of names that are kept: the names of a page, and one more name that shows
 * whether a next page exists. */
#define ROOM         (FILES_PAGE + 1)
#define NAME_COST    128 /* bytes by which one name reduces the budget */
#define NAMES_A_STEP 256

struct entry {
    bool is_dir;
    char name[];
};

struct listing {
    struct files_work work;
    DIR *dir;
    struct entry *heap[ROOM];
    size_t n;
};

static struct listing *
listing_of(struct files_work *work)
{
    return MCPH_CONTAINER_OF(work, struct listing, work);
}

/* ---- the heap ---------------------------------------------------------------------- */

static bool
is_behind(const struct entry *a, const struct entry *b)
{
    return strcmp(a->name, b->name) > 0;
}

static void
swap_entries(struct listing *l, size_t a, size_t b)
{
    struct entry *entry = l->heap[a];

    l->heap[a] = l->heap[b];
    l->heap[b] = entry;
}

static void
sift_down(struct listing *l)
{
    size_t i = 0;

    for (;;) {
        size_t last = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < l->n; child++) {
            if (is_behind(l->heap[child], l->heap[last]))
                last = child;
        }
        if (last == i)
            return;
        swap_entries(l, i, last);
        i = last;
    }
}

static void
sift_up(struct listing *l)
{
    for (size_t i = l->n - 1; i > 0 && is_behind(l->heap[i], l->heap[(i - 1) / 2]);
         i = (i - 1) / 2)
        swap_entries(l, i, (i - 1) / 2);
}

static bool
is_on_page(const struct listing *l, const char *name)
{
    return strcmp(name, l->work.place.after) > 0 &&
           (l->n < ROOM || strcmp(name, l->heap[0]->name) < 0);
}

static int
keep_entry(struct listing *l, const char *name, bool is_dir)
{
    size_t len = strlen(name) + 1;
    struct entry *entry = malloc(sizeof(*entry) + len);

    if (!entry)
        return MCPHOST_E_NOMEM;
    entry->is_dir = is_dir;
    memcpy(entry->name, name, len);
    if (l->n == ROOM) {
        free(l->heap[0]);
        l->heap[0] = entry;
        sift_down(l);
    } else {
        l->heap[l->n++] = entry;
        sift_up(l);
    }
    return 0;
}

/* ---- reading the directory --------------------------------------------------------- */

static bool
open_dir(const struct files *files, struct listing *l)
{
    struct stat st;
    int fd = mcph_files_open(files, l->work.place.path, true, &st);

    if (fd >= 0)
        l->dir = fdopendir(fd);
    if (fd < 0 || !l->dir) {
        mcph_files_refuse_errno(l->work.call, errno, true);
        if (fd >= 0)
            close(fd);
        return false;
    }
    return true;
}

/* Returns true for directories and for files that are offered.  Links are never shown. */
static bool
is_shown(const struct files *files, const struct listing *l, const struct dirent *entry,
         bool *ret_dir)
{
    int type = entry->d_type;
    struct stat st;

    if (type == DT_UNKNOWN &&
        fstatat(dirfd(l->dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        type = S_ISDIR(st.st_mode) ? DT_DIR : S_ISREG(st.st_mode) ? DT_REG : DT_LNK;
    *ret_dir = type == DT_DIR;
    return type == DT_DIR || (type == DT_REG && mcph_files_allows(files, entry->d_name));
}

/* Reads the next name and keeps it if it can be on the page.  Returns 1 at the end of the
 * directory, 0 after a name, or the negative errno. */
static int
read_name(const struct files *files, struct listing *l)
{
    const struct dirent *entry;
    bool is_dir;

    errno = 0;
    entry = readdir(l->dir);
    if (!entry)
        return errno ? -errno : 1;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
        !is_on_page(l, entry->d_name) || !is_shown(files, l, entry, &is_dir))
        return 0;
    return keep_entry(l, entry->d_name, is_dir) < 0 ? -ENOMEM : 0;
}

/* ---- writing the page -------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
    const struct entry *const *ea = a, *const *eb = b;

    return strcmp((*ea)->name, (*eb)->name);
}

/* Adds a name as a JSON string.  Replaces bytes that are not UTF-8.  The URI of the name
 * keeps these bytes. */
static void
add_clean(struct mcph_buf *buf, const char *name)
{
    struct mcph_buf clean;

    mcph_buf_init(&clean, SIZE_MAX / 4);
    if (mcph_utf8_add_clean(&clean, name, strlen(name), false) < 0)
        buf->err = clean.err;
    else
        mcph_json_add_string(buf, clean.data, clean.len);
    mcph_buf_done(&clean);
}

static void
add_entries(const struct listing *l, bool dirs, size_t n, struct mcph_buf *buf)
{
    bool first = true;

    mcph_json_add_key(buf, dirs ? "directories" : "files");
    mcph_buf_addc(buf, '[');
    for (size_t i = 0; i < n; i++) {
        const struct entry *entry = l->heap[i];

        if (entry->is_dir != dirs)
            continue;
        mcph_buf_adds(buf, first ? "{\"name\":" : ",{\"name\":");
        first = false;
        add_clean(buf, entry->name);
        mcph_buf_adds(buf, ",\"uri\":\"");
        mcph_files_add_uri(buf, dirs, l->work.place.path, entry->name);
        mcph_buf_adds(buf, "\"}");
    }
    mcph_buf_addc(buf, ']');
}

/* Returns the number of entries that fit into a page.  The number is at least 1 if there
 * are entries, and at most FILES_PAGE. */
static size_t
count_fitting(const struct listing *l)
{
    size_t bytes = 0, n = 0;

    while (n < l->n && n < FILES_PAGE) {
        bytes += 3 * l->work.place.len + 9 * strlen(l->heap[n]->name) + 40;
        if (n > 0 && bytes > FILES_PAGE_BYTES)
            break;
        n++;
    }
    return n;
}

static void
write_page(const struct listing *l, struct mcph_buf *buf)
{
    const struct files_place *place = &l->work.place;
    size_t n = count_fitting(l);

    mcph_buf_addc(buf, '{');
    mcph_json_add_key(buf, "current_directory");
    add_clean(buf, place->len ? place->path : "/");
    add_entries(l, false, n, buf);
    add_entries(l, true, n, buf);
    if (n < l->n) {
        mcph_json_add_key(buf, "next");
        mcph_buf_addc(buf, '"');
        mcph_files_add_uri(buf, true, place->path, NULL);
        mcph_buf_adds(buf, "?after=");
        mcph_files_add_query(buf, l->heap[n - 1]->name);
        mcph_buf_addc(buf, '"');
    }
    mcph_buf_addc(buf, '}');
}

static void
answer_page(struct listing *l)
{
    struct mcph_buf page, result;

    qsort(l->heap, l->n, sizeof(l->heap[0]), by_name);
    mcph_buf_init(&page, FILES_RESULT_MAX);
    mcph_buf_init(&result, FILES_RESULT_MAX);
    write_page(l, &page);
    mcph_files_begin_result(l->work.call, "inode/directory", "text", &result);
    if (mcph_buf_ok(&page) == 0)
        mcph_json_add_string(&result, page.data, page.len);
    else
        result.err = page.err;
    mcph_files_answer(l->work.call, &result);
    mcph_buf_done(&page);
    mcph_buf_done(&result);
}

static bool
listing_step(struct files *files, struct files_work *work, size_t *budget)
{
    struct listing *l = listing_of(work);
    int r = 0;

    if (!l->dir) {
        *budget -= *budget < FILES_OPEN_COST ? *budget : FILES_OPEN_COST;
        return open_dir(files, l);
    }
    for (int i = 0; i < NAMES_A_STEP && r == 0 && *budget > 0; i++) {
        r = read_name(files, l);
        *budget -= *budget < NAME_COST ? *budget : NAME_COST;
    }
    if (r == 1)
        answer_page(l);
    else if (r < 0)
        mcph_files_refuse_errno(l->work.call, -r, true);
    return r == 0;
}

/* ---- life -------------------------------------------------------------------------- */

static void
listing_free(struct files_work *work)
{
    struct listing *l = listing_of(work);

    if (l->dir)
        closedir(l->dir);
    for (size_t i = 0; i < l->n; i++)
        free(l->heap[i]);
    free(l);
}

struct files_work *
mcph_files_listing_new(void)
{
    struct listing *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->work.step = listing_step;
    l->work.free = listing_free;
    return &l->work;
}
