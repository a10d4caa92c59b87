/* SPDX-License-Identifier: MIT
 *
 * glib.c - the tests of <mcphost/adapters/glib.h>.
 */
#include <mcphost/adapters/glib.h>

#include "suite.h"

static GMainLoop *loop;
static struct mcphost_glib *attached[HOSTS];
static void (*later)(void);

static void
loop_run(void)
{
    g_main_loop_run(loop);
}

static void
loop_quit(void)
{
    g_main_loop_quit(loop);
}

static gboolean
call_later(gpointer arg)
{
    (void)arg;
    later();
    return G_SOURCE_REMOVE;
}

static void
loop_later(void (*fn)(void))
{
    later = fn;
    g_timeout_add(20, call_later, NULL);
}

static int
loop_attach(mcphost *host, int i)
{
    return mcphost_glib_attach(host, NULL, on_ended, NULL, &attached[i]);
}

static void
loop_detach(int i)
{
    mcphost_glib_detach(attached[i]);
    attached[i] = NULL;
}

int
main(void)
{
    int status;

    loop = g_main_loop_new(NULL, FALSE);
    status = run_suite();
    g_main_loop_unref(loop);
    return status;
}
