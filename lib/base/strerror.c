/* SPDX-License-Identifier: MIT
 *
 * strerror.c - texts for the error codes, and the version of the library.
 */
#include "base/base.h"
#include <mcphost/version.h>

const char *
mcphost_strerror(int code)
{
    if (code >= 0)
        return "success";
    switch (code) {
    case MCPHOST_E_INVALID:
        return "invalid argument";
    case MCPHOST_E_STATE:
        return "not possible in this state";
    case MCPHOST_E_BUSY:
        return "busy: a callback must not wait, another thread dispatches, or a server "
               "is "
               "still starting";
    case MCPHOST_E_CLOSED:
        return "the host or the dialog is closed";
    case MCPHOST_E_FORKED:
        return "the handle belongs to the parent process";
    case MCPHOST_E_NOTFOUND:
        return "not found";
    case MCPHOST_E_EXISTS:
        return "the name is taken";
    case MCPHOST_E_UNSUPPORTED:
        return "the library was built without this part";
    case MCPHOST_E_NOMEM:
        return "out of memory";
    case MCPHOST_E_IO:
        return "a system call failed";
    case MCPHOST_E_SPAWN:
        return "the server's program could not be started";
    case MCPHOST_E_LIMIT:
        return "a limit was reached";
    case MCPHOST_E_TIMEOUT:
        return "timed out";
    case MCPHOST_E_CANCELLED:
        return "cancelled";
    case MCPHOST_E_WOKEN:
        return "the wait was ended";
    case MCPHOST_E_PROTOCOL:
        return "the server broke the protocol";
    case MCPHOST_E_TRANSPORT:
        return "the connection was lost or never came up";
    case MCPHOST_E_AUTH:
        return "the server wants credentials";
    case MCPHOST_E_RPC:
        return "the server answered with an error";
    case MCPHOST_E_GONE:
        return "the tool's server was removed or changed";
    case MCPHOST_E_CONFIG:
        return "the configuration is not acceptable";
    case MCPHOST_E_DENIED:
        return "not allowed";
    default:
        return "unknown error";
    }
}

const char *
mcphost_version(void)
{
    return MCPHOST_VERSION_STRING;
}

unsigned
mcphost_version_number(void)
{
    return MCPHOST_VERSION_NUMBER;
}
