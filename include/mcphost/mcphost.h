/* SPDX-License-Identifier: MIT
 *
 * mcphost.h - include the headers of the library.
 *
 * mcphost(7) explains the concepts.  Each header below can be used alone.  Four headers
 * are not included here, because they are about configurations of other programs:
 * chatos.h, chatos_run.h, goclaw.h and mcpservers.h.
 */
#ifndef MCPHOST_MCPHOST_H
#define MCPHOST_MCPHOST_H

#include <mcphost/types.h>
#include <mcphost/version.h>
#include <mcphost/enum.h>
#include <mcphost/error.h>
#include <mcphost/log.h>
#include <mcphost/event.h>
#include <mcphost/host.h>
#include <mcphost/loop.h>
#include <mcphost/policy.h>
#include <mcphost/config.h>
#include <mcphost/filter.h>
#include <mcphost/transform.h>
#include <mcphost/template.h>
#include <mcphost/skill.h>
#include <mcphost/source.h>
#include <mcphost/builtins.h>
#include <mcphost/provider.h>
#include <mcphost/provider_call.h>
#include <mcphost/files.h>
#include <mcphost/plugin.h>
#include <mcphost/plugins.h>
#include <mcphost/view.h>
#include <mcphost/grant.h>
#include <mcphost/catalog.h>
#include <mcphost/dialog.h>
#include <mcphost/turn.h>
#include <mcphost/lease.h>
#include <mcphost/call.h>
#include <mcphost/task.h>
#include <mcphost/request.h>
#include <mcphost/logins.h>
#include <mcphost/result.h>
#include <mcphost/artifact.h>
#include <mcphost/items.h>
#include <mcphost/projection.h>
#include <mcphost/retry.h>
#include <mcphost/sampling.h>
#include <mcphost/serving.h>
#include <mcphost/status.h>
#include <mcphost/subscription.h>
#include <mcphost/problem.h>
#include <mcphost/schema.h>

#endif
