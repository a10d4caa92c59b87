/* SPDX-License-Identifier: MIT
 *
 * names.c - a getaddrinfo() that tests control.
 *
 * libcurl looks names up in threads of its own.  libcurl calls the function of this file,
 * because this function is the first getaddrinfo() in the process.
 */
#include "support/names.h"

#include <arpa/inet.h>
#include <check.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define NAMES  8
#define HANG_S 5

typedef int lookup_fn(const char *name, const char *service, const struct addrinfo *hints,
                      struct addrinfo **ret);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct {
    char name[64], addresses[128];
    bool hangs;
    int asked;
} names[NAMES];
static int n_names, n_hanging, epoch, n_unmasked;

void
names_set(const char *name, const char *addresses)
{
    pthread_mutex_lock(&lock);
    ck_assert_int_lt(n_names, NAMES);
    snprintf(names[n_names].name, sizeof(names[0].name), "%s", name);
    snprintf(names[n_names].addresses, sizeof(names[0].addresses), "%s",
             addresses ? addresses : "");
    names[n_names].hangs = !addresses;
    names[n_names++].asked = 0;
    pthread_mutex_unlock(&lock);
}

static int
find_mark(const char *name)
{
    for (int i = 0; i < n_names; i++)
        if (name && strcasecmp(names[i].name, name) == 0)
            return i;
    return -1;
}

int
names_asked(const char *name)
{
    int i, n;

    pthread_mutex_lock(&lock);
    i = find_mark(name);
    n = i < 0 ? 0 : names[i].asked;
    pthread_mutex_unlock(&lock);
    return n;
}

/* Counts those signals of `some` that the calling thread does not block. */
static void
look_at_mask(void)
{
    static const int some[] = {SIGHUP,  SIGINT,  SIGTERM, SIGPIPE, SIGALRM,
                               SIGCHLD, SIGUSR1, SIGUSR2, SIGIO};
    sigset_t mask;

    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        n_unmasked += !sigismember(&mask, some[i]);
}

int
names_masked(void)
{
    int masked;

    pthread_mutex_lock(&lock);
    masked = !n_unmasked;
    pthread_mutex_unlock(&lock);
    return masked;
}

void
names_done(void)
{
    pthread_mutex_lock(&lock);
    n_names = n_unmasked = 0;
    epoch++;
    pthread_cond_broadcast(&changed);
    while (n_hanging > 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static lookup_fn *
real(void)
{
    union {
        void *p;
        lookup_fn *fn;
    } found = {.p = dlsym(RTLD_NEXT, "getaddrinfo")};

    ck_assert_ptr_nonnull(found.p);
    return found.fn;
}

/* Puts an address at the head of *list.  The real getaddrinfo() makes each entry, so that
 * the real freeaddrinfo() can free the list. */
static int
add(struct addrinfo **list, const char *address, const char *service,
    const struct addrinfo *hints)
{
    struct addrinfo numeric = hints ? *hints : (struct addrinfo){0}, *one;
    int r;

    numeric.ai_flags |= AI_NUMERICHOST;
    numeric.ai_socktype = numeric.ai_socktype ? numeric.ai_socktype : SOCK_STREAM;
    r = real()(address, service, &numeric, &one);
    if (r == EAI_ADDRFAMILY || r == EAI_FAMILY)
        return 0; /* skip an address of another family */
    if (r == 0) {
        one->ai_next = *list;
        *list = one;
    }
    return r;
}

/* Makes the list of addresses of a name.  The caller holds the lock.  This function
 * releases the lock. */
static int
resolve(int i, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
    struct addrinfo *list = NULL;
    char addresses[128], *blank;
    int r = 0;

    memcpy(addresses, names[i].addresses, sizeof(addresses));
    pthread_mutex_unlock(&lock);
    do { /* begin with the last address, because add() puts each address at the head */
        blank = strrchr(addresses, ' ');
        r = add(&list, blank ? blank + 1 : addresses, service, hints);
        if (blank)
            *blank = '\0';
    } while (blank && r == 0);
    if (r != 0) {
        if (list)
            freeaddrinfo(list);
        return r;
    }
    *ret = list;
    return list ? 0 : EAI_NONAME;
}

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
            struct addrinfo **ret)
{
    struct timespec end;
    int i, mine;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += HANG_S;
    pthread_mutex_lock(&lock);
    i = find_mark(name);
    if (i < 0) {
        pthread_mutex_unlock(&lock);
        return real()(name, service, hints, ret);
    }
    names[i].asked++;
    look_at_mask();
    if (!names[i].hangs)
        return resolve(i, service, hints, ret);
    n_hanging++;
    for (mine = epoch;
         mine == epoch && pthread_cond_timedwait(&changed, &lock, &end) == 0;)
        continue;
    n_hanging--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return EAI_AGAIN;
}
