/* SPDX-License-Identifier: MIT
 *
 * again.c - the commands `reload` and `restart`, for hosts that follow a configuration
 * file.
 *
 * The hosts run in other processes.  mcphostctl has no connection to the hosts, and can
 * act on them only through the file.  `reload` sets the file's time of last change, so
 * that hosts read the file again.  `restart` enables a server's entry in the file if the
 * entry is disabled, and then starts the server here to see whether it comes up.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "ctl.h"
#include "term.h"

/* ---- reload ------------------------------------------------------------------------ */

/* Sets the file's time of last change to now.  The contents stay as they are. */
static int
touch(struct ctl *ctl, const char *file)
{
    static const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                             {.tv_nsec = UTIME_NOW}};

    int error;

    if (utimensat(AT_FDCWD, file, times, 0) == 0)
        return STATUS_OK;
    error = errno;
    say(ctl, "'%s': %s", file, strerror(error));
    return error == ENOENT ? STATUS_CONFIG : STATUS_SERVER;
}

static int
show_reload(struct ctl *ctl, int valid)
{
    const char *file = mcphost_config_get_file(ctl->config);
    size_t n = mcphost_config_count_servers(ctl->config);
    struct text t = {0};
    int status;

    if (!ctl->opt.json) {
        term_print(stdout, "", file, strlen(file));
        printf(": %zu server%s; hosts that follow the file read it again\n", n,
               n == 1 ? "" : "s");
        return STATUS_OK;
    }
    put_begin(&t, '{');
    put_key(&t, "file");
    put_str(&t, file);
    put_key(&t, "servers");
    put_int(&t, (int64_t)n);
    put_key(&t, "valid");
    put_flag(&t, valid);
    put_end(&t, '}');
    status = print_json(ctl, &t);
    text_free(&t);
    return status;
}

int
cmd_reload(struct ctl *ctl)
{
    int status = want_file(ctl), valid;

    if (status == 0)
        status = ctl_load_config(ctl);
    if (status)
        return status;
    say_all_diagnostics(ctl->config);
    if (mcphost_config_get_status(ctl->config) < 0)
        return STATUS_CONFIG;
    status = touch(ctl, mcphost_config_get_file(ctl->config));
    if (status)
        return status;
    /* Let the exit status report invalid entries.  Hosts still read the file: they keep
     * the last valid edition of a server whose entry is invalid, and apply the other
     * entries. */
    valid = config_is_valid(ctl->config);
    status = show_reload(ctl, valid);
    return status ? status : valid ? STATUS_OK : STATUS_CONFIG;
}

/* ---- restart ----------------------------------------------------------------------- */

/* Enables the entry if it is disabled.  Returns 0, or a STATUS_* after printing the
 * reason. */
static int
enable(struct ctl *ctl, const struct target *target, int *ret_changed)
{
    size_t index = 0;
    int r = mcphost_config_find_server(target->config, target->server, &index);

    if (r < 0 || mcphost_config_server_get_state(target->config, index) !=
                     MCPHOST_CONFIG_SERVER_DISABLED)
        return 0;
    return target_set_enabled(ctl, target, 1, ret_changed);
}

static void
restart_text(struct ctl *ctl, const mcphost_status *status, const char *file, int changed)
{
    const char *id = ctl->opt.args[0];
    size_t n = mcphost_status_server_count_tools(status, 0);

    if (changed)
        say(ctl, "'enabled: true' is written into %s", file);
    if (mcphost_status_server_get_state(status, 0) != MCPHOST_SERVER_LOADED)
        return;
    term_print(stdout, "", id, strlen(id));
    printf(" came up with %zu tool%s in %lld ms\n", n, n == 1 ? "" : "s",
           (long long)mcphost_status_server_get_start_ms(status, 0));
}

static int
restart_json(struct ctl *ctl, const mcphost_status *status, const char *file, int changed)
{
    struct text t = {0};
    int r;

    put_begin(&t, '{');
    put_key(&t, "file");
    put_str(&t, file);
    put_key(&t, "changed");
    put_flag(&t, changed);
    put_key(&t, "server");
    row_server(&t, status, 0);
    put_end(&t, '}');
    r = print_json(ctl, &t);
    text_free(&t);
    return r;
}

/* Reports whether the server came up.  Returns the exit status. */
static int
show_restart(struct ctl *ctl, int changed)
{
    const char *file = ctl->only_in ? source_get_file(ctl->only_in, ctl->only)
                                    : mcphost_config_get_file(ctl->config);
    mcphost_status *status = NULL;
    int r = STATUS_OK;

    if (mcphost_get_status(ctl->host, &status) < 0)
        return out_of_memory(ctl);
    if (mcphost_status_count_servers(status) > 0) {
        if (ctl->opt.json)
            r = restart_json(ctl, status, file, changed);
        else
            restart_text(ctl, status, file, changed);
    }
    mcphost_status_unref(status);
    return r ? r : ctl_servers_status(ctl, 1);
}

int
cmd_restart(struct ctl *ctl)
{
    struct target target;
    int status = want_server_of_file(ctl, ctl->opt.args[0], &target), changed = 0;

    if (status == 0)
        status = enable(ctl, &target, &changed);
    if (status)
        return status;
    /* Let ctl_open() read the file again and keep only the target's server. */
    want_only(ctl, &target);
    status = ctl_open(ctl);
    if (status == 0)
        status = ctl_wait_ready(ctl);
    return status ? status : show_restart(ctl, changed);
}
