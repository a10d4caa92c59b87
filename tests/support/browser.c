/* SPDX-License-Identifier: MIT
 *
 * browser.c - the browser of a user who logs in at a fake authorization server.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/browser.h"
#include "support/webclient.h"

struct browser {
    pthread_t thread;
    char *url;
    int how, status;
    atomic_bool done;
};

static char *
joined(const char *a, const char *b)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s", a, b) < 0)
        abort();
    return text;
}

/* Changes the first character of the state. */
static void
change_state(char *url)
{
    char *state = strstr(url, "state=");

    if (state)
        state[6] = state[6] == 'x' ? 'y' : 'x';
}

char *
browser_redirect(const char *url, int how)
{
    char *first = joined(url, how == BROWSER_DENY ? "&fake=deny" : "");
    char *location = NULL;
    struct web_answer answer;

    if (web_ask("GET", first, NULL, NULL, &answer) / 100 == 3)
        location = web_header(&answer, "Location");
    if (location && how == BROWSER_STATE)
        change_state(location);
    web_done(&answer);
    free(first);
    return location;
}

static int
get(const char *url)
{
    struct web_answer answer;
    int status =
        web_ask("GET", url, "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
                NULL, &answer);

    web_done(&answer);
    return status;
}

int
browser_open(const char *url, int how)
{
    char *location = browser_redirect(url, how);
    int status;

    if (!location)
        return get(url);
    status = get(location);
    if (how == BROWSER_TWICE)
        status = get(location);
    free(location);
    return status;
}

static void *
run(void *arg)
{
    struct browser *browser = arg;

    browser->status = browser_open(browser->url, browser->how);
    atomic_store(&browser->done, true);
    return NULL;
}

struct browser *
browser_start(const char *url, int how)
{
    struct browser *browser = calloc(1, sizeof(*browser));

    if (!browser)
        abort();
    browser->url = joined(url, "");
    browser->how = how;
    if (pthread_create(&browser->thread, NULL, run, browser) != 0)
        abort();
    return browser;
}

bool
browser_is_done(struct browser *browser)
{
    return atomic_load(&browser->done);
}

int
browser_end(struct browser *browser)
{
    int status;

    pthread_join(browser->thread, NULL);
    status = browser->status;
    free(browser->url);
    free(browser);
    return status;
}
