/* SPDX-License-Identifier: MIT
 *
 * chatos_run.h - what mcphost_chatos_inject() has given one run of an agent.
 */
#ifndef MCPHOST_CHATOS_RUN_H
#define MCPHOST_CHATOS_RUN_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one run of an agent was given.  Since: 0.1 */
typedef struct mcphost_chatos_run mcphost_chatos_run;

/*
 * mcphost_chatos_run_get_json - what the run was given.
 *
 *     {"source": "uiapp",
 *      "servers": [{"id": "uiapp:com.example.tools.db", "name": "com.example.tools.db",
 *                   "app": true, "tags": ["uiapp", "uiapp:com.example.tools", ...]}],
 *      "prompts": [{"name": "mcp_com_example_tools_db", "language": "zh",
 *                   "title": "", "text": "...", "app": true}],
 *      "notices": [{"message": "...", "names": ["..."], "count": 1}]}
 *
 * `source` is the id of the run's own source, or null.  `app` is false for what is the
 * application's; then `id` is the application's id.  A notice says what was selected and
 * is not there; `names` are six at most of `count`.  Borrowed; lives as long as the run.
 * `ret_len` may be NULL.  NULL for NULL.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_chatos_run_get_json(const mcphost_chatos_run *run,
                            MCPHOST_NULLABLE size_t *ret_len);

/*
 * mcphost_chatos_run_end - take it from the view.
 *
 * The run's layers leave the view, and its own source is removed with its servers, whose
 * calls in flight are finished first; turns that go on keep theirs.  Idempotent.
 * Returns 0, MCPHOST_E_INVALID, MCPHOST_E_FORKED.
 * Since: 0.1
 */
MCPHOST_API int mcphost_chatos_run_end(mcphost_chatos_run *run);
/* Takes a reference.  Returns its argument; NULL is allowed.  Since: 0.1 */
MCPHOST_API MCPHOST_OWNED MCPHOST_NULLABLE mcphost_chatos_run *
mcphost_chatos_run_ref(MCPHOST_NULLABLE mcphost_chatos_run *run);
/* Drops a reference; the last one ends the run.  Returns NULL; NULL is allowed.
 * Since: 0.1 */
MCPHOST_API MCPHOST_NULLABLE mcphost_chatos_run *
mcphost_chatos_run_unref(MCPHOST_NULLABLE mcphost_chatos_run *run);

#ifdef __cplusplus
}
#endif

#endif
