/* SPDX-License-Identifier: MIT
 *
 * generated.h - the kinds of handles
 *
 * Generated from the headers by scripts/bind-python.
 */

#ifndef MCPH_PYTHON_GENERATED_H
#define MCPH_PYTHON_GENERATED_H

#include <mcphost/artifact.h>
#include <mcphost/builtins.h>
#include <mcphost/call.h>
#include <mcphost/catalog.h>
#include <mcphost/chatos.h>
#include <mcphost/chatos_run.h>
#include <mcphost/config.h>
#include <mcphost/dialog.h>
#include <mcphost/enum.h>
#include <mcphost/error.h>
#include <mcphost/event.h>
#include <mcphost/files.h>
#include <mcphost/filter.h>
#include <mcphost/goclaw.h>
#include <mcphost/grant.h>
#include <mcphost/host.h>
#include <mcphost/items.h>
#include <mcphost/lease.h>
#include <mcphost/log.h>
#include <mcphost/logins.h>
#include <mcphost/loop.h>
#include <mcphost/mcpservers.h>
#include <mcphost/plugin.h>
#include <mcphost/plugins.h>
#include <mcphost/policy.h>
#include <mcphost/problem.h>
#include <mcphost/projection.h>
#include <mcphost/provider.h>
#include <mcphost/provider_call.h>
#include <mcphost/request.h>
#include <mcphost/result.h>
#include <mcphost/retry.h>
#include <mcphost/sampling.h>
#include <mcphost/schema.h>
#include <mcphost/serving.h>
#include <mcphost/skill.h>
#include <mcphost/source.h>
#include <mcphost/status.h>
#include <mcphost/subscription.h>
#include <mcphost/task.h>
#include <mcphost/template.h>
#include <mcphost/transform.h>
#include <mcphost/turn.h>
#include <mcphost/types.h>
#include <mcphost/version.h>
#include <mcphost/view.h>

enum kind {
    KIND_CHATOS,
    KIND_CHATOS_RUN,
    KIND_LOGINS,
    KIND_PLUGINS,
    KIND_PLUGIN_ROWS,
    KIND_PROBLEMS,
    KIND_STATUS,
    KIND_HOST,
    KIND_BUILTINS,
    KIND_CALL,
    KIND_CATALOG,
    KIND_CONFIG,
    KIND_DIALOG,
    KIND_ERROR,
    KIND_EVENT,
    KIND_FILTER,
    KIND_GRANT,
    KIND_ITEMS,
    KIND_LEASE,
    KIND_PROBLEM,
    KIND_PROJECTION,
    KIND_PROMPT,
    KIND_PROVIDER,
    KIND_PROVIDER_CALL,
    KIND_REQUEST,
    KIND_RESOURCE,
    KIND_RESOURCE_TEMPLATE,
    KIND_RESULT,
    KIND_RETRY,
    KIND_SAMPLING,
    KIND_SCHEMA,
    KIND_SCHEMA_REPORT,
    KIND_SERVER,
    KIND_SERVING,
    KIND_SKILL,
    KIND_SOURCE,
    KIND_SUBSCRIPTION,
    KIND_TOOL,
    KIND_TRANSFORM,
    KIND_TURN,
    KIND_VIEW,
    N_KINDS
};

#endif
