/* SPDX-License-Identifier: MIT
 *
 * module.c - load a shared object, call its entry, and unload it.
 *
 * Each object that may call code of a module holds a reference to the module.  The code
 * that drops the last reference may have been called by the module itself.  Therefore a
 * separate delivery unloads the module.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/plugins.h"

#define ENTRY     "mcphost_plugin_entry"
#define PATH_SIZE 160

/* ---- loading ----------------------------------------------------------------------- */

/* Makes a new path for the descriptor.  Each path contains the bits of a serial number,
 * written as "/" and "/." between two parts of the path.  The kernel ignores these bits.
 * The path must be new, because the dynamic linker does not load an object if it already
 * has an object with that path.  An object that could not be unloaded keeps its path. */
static void
make_path(char path[PATH_SIZE], int fd)
{
    static atomic_uint serial;
    unsigned n = atomic_fetch_add(&serial, 1) + 1;
    struct mcph_buf buf;

    mcph_buf_init(&buf, PATH_SIZE);
    mcph_buf_adds(&buf, "/proc/self/fd");
    for (; n; n >>= 1)
        mcph_buf_adds(&buf, n & 1 ? "/." : "/");
    mcph_buf_addf(&buf, "/%d", fd);
    *path = '\0';
    if (mcph_buf_ok(&buf) == 0)
        memcpy(path, mcph_buf_text(&buf), buf.len + 1);
    mcph_buf_done(&buf);
}

/* Reports the linker's message without the path, because the path means nothing to a
 * user. */
static int
report_dlerror(const char *name, const char *path, mcphost_error **reterr)
{
    const char *text = dlerror();
    size_t len = strlen(path);

    if (!text)
        text = "?";
    if (strncmp(text, path, len) == 0 && strncmp(text + len, ": ", 2) == 0)
        text += len + 2;
    return mcph_err(reterr, MCPHOST_E_INVALID, "'%s' cannot be loaded: %.2000s", name,
                    text);
}

/* ---- the entry --------------------------------------------------------------------- */

static int
check_declared(const struct mcphost_plugin *said, const char *name,
               mcphost_error **reterr)
{
    if (said->declared == 0)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "'%s' does not declare a plugin in its entry", name);
    if (said->declared > 1)
        return mcph_err(reterr, MCPHOST_E_INVALID, "'%s' declares itself %u times", name,
                        said->declared);
    if (said->abi != MCPHOST_PLUGIN_ABI)
        return mcph_err(reterr, MCPHOST_E_INVALID,
                        "'%s' was made for the plugin interface %d; this library has %d",
                        name, said->abi, MCPHOST_PLUGIN_ABI);
    if (said->kind < MCPHOST_PLUGIN_RESOURCE || said->kind > MCPHOST_PLUGIN_SAMPLING)
        return mcph_err(reterr, MCPHOST_E_INVALID, "'%s' is of an unknown kind, %d", name,
                        said->kind);
    return 0;
}

static int
call_entry(struct mcph_module *module, const char *name, mcphost_error **reterr)
{
    void (*entry)(mcphost_plugin *);
    void *symbol = dlsym(module->handle, ENTRY);

    if (!symbol)
        return mcph_err(reterr, MCPHOST_E_INVALID, "'%s' is not a plugin: it has no '%s'",
                        name, ENTRY);
    memcpy(&entry, &symbol, sizeof(entry));
    entry(&module->said);
    return check_declared(&module->said, name, reterr);
}

/* ---- life -------------------------------------------------------------------------- */

static void
unload_module(struct mcph_module *module)
{
    if (module->handle)
        dlclose(module->handle);
    mcph_core_unref(module->core);
    free(module);
}

/* Unloads the module.  This function runs as a delivery, without a lock, because the
 * destructors of the module are user code. */
static void
run_unload(struct mcph_delivery *delivery)
{
    unload_module(MCPH_CONTAINER_OF(delivery, struct mcph_module, unload));
}

/* Queues the unloading of the module, or unloads the module at once if no thread runs
 * deliveries any more.  In a forked child, does nothing.  This function is called on any
 * thread when the last reference is dropped, possibly from code of the module. */
static void
on_unused(struct mcph_code *code)
{
    struct mcph_module *module = MCPH_CONTAINER_OF(code, struct mcph_module, code);

    if (!mcph_core_forked(module->core) &&
        !mcph_core_try_deliver(module->core, &module->unload))
        unload_module(module);
}

int
mcph_module_load(struct mcph_core *core, int fd, const char *name,
                 struct mcph_module **ret, mcphost_error **reterr)
{
    struct mcph_module *module = calloc(1, sizeof(*module));
    char path[PATH_SIZE];
    int r;

    if (!module)
        return mcph_err_nomem(reterr);
    mcph_refs_init(&module->code.refs);
    module->code.unused = on_unused;
    module->core = mcph_core_ref(core);
    module->unload.deliver = run_unload;
    mcph_list_init(&module->unload.link);
    make_path(path, fd);
    (void)dlerror();
    module->handle = *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!*path)
        r = mcph_err_nomem(reterr);
    else
        r = module->handle ? call_entry(module, name, reterr)
                           : report_dlerror(name, path, reterr);
    if (r < 0)
        unload_module(module);
    else
        *ret = module;
    return r;
}

struct mcph_module *
mcph_module_unref(struct mcph_module *module)
{
    if (module)
        mcph_code_unref(&module->code);
    return NULL;
}
