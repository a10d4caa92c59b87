/* SPDX-License-Identifier: MIT
 *
 * enum.h - the names of the constants, for bindings, logs and configurations.
 *
 * Each enumeration of the headers has a number in the list below.  The comment behind the
 * number gives the prefix of the constants.  The name of a constant is the rest of its
 * identifier, in lower case: MCPHOST_SERVER_LOADED is "loaded".  Configuration files,
 * JSON and messages use the same words.  Names and values never change.  Later versions
 * may add names and values.
 */
#ifndef MCPHOST_ENUM_H
#define MCPHOST_ENUM_H

#include <mcphost/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The enumerations.  The name of a constant ends like the name of its enumeration:
 * MCPHOST_ENUM_LOG_LEVEL is enum mcphost_log_level.  Since: 0.1 */
enum mcphost_enum {
    MCPHOST_ENUM_ENUM = 1,                 /* constants MCPHOST_ENUM_* */
    MCPHOST_ENUM_ERROR_CODE = 2,           /* constants MCPHOST_E_* */
    MCPHOST_ENUM_LOG_LEVEL = 3,            /* constants MCPHOST_LOG_* */
    MCPHOST_ENUM_EVENT_KIND = 4,           /* constants MCPHOST_EVENT_* */
    MCPHOST_ENUM_OPTION = 5,               /* constants MCPHOST_OPT_* */
    MCPHOST_ENUM_TIMEOUT = 6,              /* constants MCPHOST_TIMEOUT_* */
    MCPHOST_ENUM_DRAIN = 7,                /* constants MCPHOST_DRAIN_* */
    MCPHOST_ENUM_ITEM_TYPES = 8,           /* constants MCPHOST_ITEMS_* */
    MCPHOST_ENUM_MANUALS = 9,              /* constants MCPHOST_MANUALS_* */
    MCPHOST_ENUM_NAMES = 10,               /* constants MCPHOST_NAMES_* */
    MCPHOST_ENUM_HOLDERS = 11,             /* constants MCPHOST_HOLDERS_* */
    MCPHOST_ENUM_ALLOWED_TRANSPORT = 12,   /* constants MCPHOST_ALLOW_* */
    MCPHOST_ENUM_GUARD_MODE = 13,          /* constants MCPHOST_GUARD_* */
    MCPHOST_ENUM_CONTAINMENT = 14,         /* constants MCPHOST_CONTAINMENT_* */
    MCPHOST_ENUM_LAST_GOOD = 15,           /* constants MCPHOST_LAST_GOOD_* */
    MCPHOST_ENUM_SCOPE = 16,               /* constants MCPHOST_SCOPE_* */
    MCPHOST_ENUM_REMOVED = 17,             /* constants MCPHOST_REMOVED_* */
    MCPHOST_ENUM_RELOAD_MODE = 18,         /* constants MCPHOST_RELOAD_* */
    MCPHOST_ENUM_INHERITED_ENV = 19,       /* constants MCPHOST_ENV_* */
    MCPHOST_ENUM_COLLISION = 20,           /* constants MCPHOST_COLLISION_* */
    MCPHOST_ENUM_ARGUMENTS_CHECK = 21,     /* constants MCPHOST_ARGUMENTS_* */
    MCPHOST_ENUM_RESULTS_CHECK = 22,       /* constants MCPHOST_RESULTS_* */
    MCPHOST_ENUM_TRANSPORT = 23,           /* constants MCPHOST_TRANSPORT_* */
    MCPHOST_ENUM_ERA = 24,                 /* constants MCPHOST_ERA_* */
    MCPHOST_ENUM_CONFIG_SERVER_STATE = 25, /* constants MCPHOST_CONFIG_SERVER_* */
    MCPHOST_ENUM_CONFIG_HASH = 26,         /* constants MCPHOST_CONFIG_HASH_* */
    MCPHOST_ENUM_CONFIG_CHANGE = 27,       /* constants MCPHOST_CONFIG_CHANGE_* */
    MCPHOST_ENUM_CONFIG_SIZE = 28,         /* constants MCPHOST_CONFIG_* */
    MCPHOST_ENUM_DIAGNOSTIC_SEVERITY = 29, /* constants MCPHOST_DIAGNOSTIC_* */
    MCPHOST_ENUM_FILTER_VERDICT = 30,      /* constants MCPHOST_FILTER_* */
    MCPHOST_ENUM_SHAPE = 31,               /* constants MCPHOST_SHAPE_* */
    MCPHOST_ENUM_PROFILE = 32,             /* constants MCPHOST_PROFILE_* */
    MCPHOST_ENUM_LACK = 33,                /* constants MCPHOST_LACK_* */
    MCPHOST_ENUM_TOOLSET_FLAG = 34,        /* constants MCPHOST_TOOLSET_* */
    MCPHOST_ENUM_RUN_STATE = 35,           /* constants MCPHOST_RUN_* */
    MCPHOST_ENUM_SERVER_STATE = 36,        /* constants MCPHOST_SERVER_* */
    MCPHOST_ENUM_INSTANCE_STATE = 37,      /* constants MCPHOST_INSTANCE_* */
    MCPHOST_ENUM_SEVERITY = 38,            /* constants MCPHOST_SEVERITY_* */
    MCPHOST_ENUM_PROBLEMS_FLAG = 39,       /* constants MCPHOST_PROBLEMS_* */
    MCPHOST_ENUM_REQUEST_KIND = 40,        /* constants MCPHOST_REQUEST_* */
    MCPHOST_ENUM_REJECTION = 41,           /* constants MCPHOST_REJECT_* */
    MCPHOST_ENUM_CONTENT_KIND = 42,        /* constants MCPHOST_CONTENT_* */
    MCPHOST_ENUM_FAILURE = 43,             /* constants MCPHOST_FAILURE_* */
    MCPHOST_ENUM_RETRY_STRATEGY = 44,      /* constants MCPHOST_RETRY_* */
    MCPHOST_ENUM_SCHEMA_VERDICT = 45,      /* constants MCPHOST_SCHEMA_* */
    MCPHOST_ENUM_SCHEMA_OPTION = 46,       /* constants MCPHOST_SCHEMA_OPT_* */
    MCPHOST_ENUM_SCHEMA_DRAFT = 47,        /* constants MCPHOST_SCHEMA_DRAFT_* */
    MCPHOST_ENUM_SCHEMA_FLAG = 48,         /* constants MCPHOST_SCHEMA_* */
    MCPHOST_ENUM_BEFORE_CALL = 49,         /* constants MCPHOST_BEFORE_CALL_* */
    MCPHOST_ENUM_MODALITY = 50,            /* constants MCPHOST_MODALITY_* */
    MCPHOST_ENUM_MESSAGE_LEVEL = 51,       /* constants MCPHOST_MESSAGES_* */
    MCPHOST_ENUM_RESOURCE_TOOL = 52,       /* constants MCPHOST_RESOURCE_TOOL_* */
    MCPHOST_ENUM_TASK_STATUS = 53,         /* constants MCPHOST_TASK_* */
    MCPHOST_ENUM_VISIBILITY = 54,          /* constants MCPHOST_VISIBLE_TO_* */
    MCPHOST_ENUM_FEATURE = 55,             /* constants MCPHOST_FEATURE_* */
    MCPHOST_ENUM_DENY = 56,                /* constants MCPHOST_DENY_* */
    MCPHOST_ENUM_PLUGIN_KIND = 57,         /* constants MCPHOST_PLUGIN_* */
    MCPHOST_ENUM_PLUGIN_STATE = 58,        /* constants MCPHOST_PLUGIN_STATE_* */
    MCPHOST_ENUM_CHATOS_DIR = 59,          /* constants MCPHOST_CHATOS_* */
    MCPHOST_ENUM_CHATOS_FLAG = 60,         /* constants MCPHOST_CHATOS_* */
    MCPHOST_ENUM_CHATOS_FLOW = 61,         /* constants MCPHOST_CHATOS_* */
    MCPHOST_ENUM_CHATOS_KIND = 62,         /* constants MCPHOST_CHATOS_* */
    MCPHOST_ENUM_GOCLAW_FLAG = 63,         /* constants MCPHOST_GOCLAW_* */
    MCPHOST_ENUM_PART = 64,                /* constants MCPHOST_PART_* */
    MCPHOST_ENUM_AUTH_MODE = 65,           /* constants MCPHOST_AUTH_* */
    MCPHOST_ENUM_LOGIN_FLOW = 66,          /* constants MCPHOST_FLOW_* */
    MCPHOST_ENUM_TOKEN_STORE = 67,         /* constants MCPHOST_TOKENS_* */
    MCPHOST_ENUM_LOGIN_STATE = 68          /* constants MCPHOST_LOGIN_* */
};

/*
 * mcphost_enum_get_name - get the name of a constant.
 *
 * `which` is the enumeration, MCPHOST_ENUM_*.  In an enumeration of flags, each flag has
 * a name.  A sum of flags has no name.  A value that a function returns in place of a
 * constant, such as 0 past the end, has no name.
 *
 * Returns: the name (a static text), or NULL if the enumeration does not exist or has no
 *   constant of this value.
 * Since: 0.1
 */
MCPHOST_API MCPHOST_BORROWED MCPHOST_NULLABLE const char *
mcphost_enum_get_name(int which, int value);

/*
 * mcphost_enum_find_value - find the constant that has a name.
 *
 * The names are compared byte by byte.
 *
 * Errors: MCPHOST_E_INVALID (the enumeration does not exist), MCPHOST_E_NOTFOUND (the
 *   enumeration has no constant of this name).
 * Since: 0.1
 */
MCPHOST_API int mcphost_enum_find_value(int which, const char *name, int *ret_value);

/*
 * mcphost_enum_get_value - get the constant at a place.
 *
 * The places are counted from 0, in the order of the header.
 *
 * Errors: MCPHOST_E_INVALID, MCPHOST_E_NOTFOUND (`index` is past the end, or the
 *   enumeration does not exist).
 * Since: 0.1
 */
MCPHOST_API int mcphost_enum_get_value(int which, size_t index, int *ret_value);

/*
 * mcphost_enum_count_values - count the constants of an enumeration.
 *
 * Returns: the number of constants, or 0 if the enumeration does not exist.
 * Since: 0.1
 */
MCPHOST_API size_t mcphost_enum_count_values(int which);

#ifdef __cplusplus
}
#endif
#endif
