/* SPDX-License-Identifier: MIT
 *
 * chatos_run.h - the servers and prompts that one run of an agent got.
 *
 * mcphost_chatos_inject() makes a run.  Any thread may call these functions.
 */
#ifndef MCPHOST_CHATOS_RUN_H
#define MCPHOST_CHATOS_RUN_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run of an agent.  Since: 0.1 */
typedef struct mcphost_chatos_run mcphost_chatos_run;

/*
 * mcphost_chatos_run_get_json - get the servers and prompts of the run.
 *
 *     {"source": "uiapp",
 *      "servers": [{"id": "uiapp:com.example.tools.db", "name": "com.example.tools.db",
 *                   "app": true, "tags": ["uiapp", "uiapp:com.example.tools", ...]}],
 *      "prompts": [{"name": "mcp_com_example_tools_db", "language": "zh",
 *                   "title": "", "text": "...", "app": true}],
 *      "notices": [{"message": "...", "names": ["..."], "count": 1}]}
 *
 * `source` is the id of the source with the apps' own servers, or null if there is none.
 * `app` is true for a server or prompt of an app, and false for a server or prompt of the
 * application.  The `id` of a server of the application is the id that selected the
 * server, or else the server's name.  `language` is null for a prompt that was selected
 * by its id.
 *
 * A notice reports apps, servers or prompts that the agent has selected and does not get.
 * `count` is their number.  `names` has at most six of them.
 *
 * Returns: the servers and prompts as a JSON text, or NULL if `run` is NULL.  The text
 *   does not change.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_chatos_run_get_json(const mcphost_chatos_run *run,
                            MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_chatos_run_end - remove the servers of the run from its view.
 *
 * The function removes the layers of the run from the view.  The function also removes
 * the source with the apps' own servers.  These servers finish their calls in flight,
 * then they end.  A dialog turn that is under way keeps its servers until it ends.  A
 * second call has no effect.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_run_end(mcphost_chatos_run *run);
/* Takes a reference to `run`.  Returns: the argument.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_chatos_run *
mcphost_chatos_run_ref(MCPHOST_NULLABLE mcphost_chatos_run *run);
/* Drops a reference to `run`.  Dropping the last reference ends the run.  Returns: NULL.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_chatos_run *
mcphost_chatos_run_unref(MCPHOST_NULLABLE mcphost_chatos_run *run);

#ifdef __cplusplus
}
#endif

#endif
