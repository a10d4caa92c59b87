/* SPDX-License-Identifier: MIT
 *
 * consumer.c - a program that was compiled with the headers of an earlier release.
 *
 *   consumer WORKSPACE GUARD
 *
 * consumer.sh compiles the program with the stored headers of that release.  It links the
 * program with a library that has only the symbols of that release.  The program runs
 * with the present library.  consumer.sh also makes the list of all functions of the
 * release.  The program refers to each function, and therefore does not start if a
 * function is missing.
 */
#include <stdio.h>
#include <string.h>

#include "mcphost.h"

typedef void (*any_fn)(void);

static const any_fn functions[] = {
#define FUNCTION(name) (any_fn) name,
#include "functions.h"
#undef FUNCTION
};

static int n_events;

static void
on_event(const mcphost_event *event, void *arg)
{
    (void)arg;
    n_events += mcphost_event_get_kind(event) > 0;
}

static int
call(mcphost *host)
{
    static const char arguments[] = "{\"text\":\"from an earlier release\"}";
    mcphost_dialog *dialog = NULL;
    mcphost_call *made = NULL;
    mcphost_error *err = NULL;
    const char *text = NULL;
    size_t len = 0;
    int r = mcphost_dialog_new(mcphost_default_view(host), "d", NULL, &dialog, &err);

    if (r == 0)
        r = mcphost_call_new(dialog, "echo", arguments, strlen(arguments), &made, &err);
    if (r == 0)
        r = mcphost_call_start(made, NULL, NULL, NULL);
    if (r == 0)
        r = mcphost_call_wait(made, 20000) == 1 ? 0 : MCPHOST_E_TIMEOUT;
    if (r == 0)
        r = mcphost_result_item_get_text(mcphost_call_get_result(made), 0, &text, &len);
    if (r < 0)
        printf("call: %s\n", err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    else if (len < 15 || strncmp(text, "from an earlier", 15) != 0)
        r = MCPHOST_E_PROTOCOL;
    mcphost_call_unref(made);
    mcphost_dialog_unref(dialog);
    mcphost_error_unref(err);
    return r;
}

int
main(int argc, char **argv)
{
    mcphost *host = NULL;
    mcphost_error *err = NULL;
    const char *name;
    int r;

    if (argc != 3)
        return 2;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!functions[i])
            return 3;
    if (mcphost_version_number() < MCPHOST_VERSION_NUMBER) {
        printf("the library is older than the headers\n");
        return 4;
    }
    name = mcphost_enum_get_name(MCPHOST_ENUM_ERROR_CODE, MCPHOST_E_NOTFOUND);
    if (!name || strcmp(name, "notfound") != 0)
        return 5;
    r = mcphost_new(&host, &err);
    if (r == 0)
        r = mcphost_set_guard_path(host, argv[2]);
    if (r == 0)
        r = mcphost_set_event(host, on_event, NULL, NULL);
    if (r == 0)
        r = mcphost_load_workspace(host, argv[1], NULL, &err);
    if (r == 0)
        r = mcphost_wait_ready(host, 20000) < 0 ? MCPHOST_E_TIMEOUT : 0;
    if (r == 0)
        r = call(host);
    if (r == 0 && n_events == 0)
        r = MCPHOST_E_NOTFOUND;
    if (r < 0)
        printf("%s\n", err ? mcphost_error_get_message(err) : mcphost_strerror(r));
    mcphost_error_unref(err);
    mcphost_close(host);
    while (mcphost_wait(host, 1000) >= 0)
        ;
    mcphost_unref(host);
    return r < 0;
}
