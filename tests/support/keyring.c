/* SPDX-License-Identifier: MIT
 *
 * keyring.c - a fake secret-tool(1).
 */
#include <sys/stat.h>

#include "support/keyring.h"
#include "support/runner.h"

/* The fake secret-tool, a shell script.  The script keeps each item in two files of the
 * directory `items`, beside the script.  The file `mode`, beside the script, has a word
 * of keyring_set_mode().  If the file `other` exists while a process holds the lock
 * KEYRING_FENCE, a lookup first moves `other` to the place of the item. */
static const char fake[] =
    "#!/bin/sh\n"
    "PATH=/usr/bin:/bin; cd \"${0%/*}\" || exit 9; mkdir -p items\n"
    "verb=$1; shift\n"
    "case $(cat mode) in\n"
    "fail) echo 'secret-tool: the bus is broken' >&2; exit 1;;\n"
    "hang) sleep 60;;\n"
    "flood) head -c 2000000 /dev/zero | tr '\\0' x; exit 0;;\n"
    "deaf) [ $verb = store ] && exit 1;;\n"
    "locked) [ $verb = search ] && printf '[/1]\\nlabel = x\\ncreated = 1\\n'; "
    "[ $verb = search ]; exit;;\n"
    "esac\n"
    "while [ $# -gt 0 ]; do [ \"$1\" = key ] && key=$2; shift; done\n"
    "item=items/$(printf %s \"$key\" | sha256sum | cut -c1-64)\n"
    "case $verb in\n"
    "store) cat >new; printf %s \"$key\" >$item.key; mv new $item;;\n"
    "lookup)\n"
    "  [ -e other ] && ! flock -n ../" KEYRING_FENCE " true && mv other $item\n"
    "  [ -e $item ] && cat $item;;\n"
    "clear) [ -e $item ] && rm $item $item.key;;\n"
    "search)\n"
    "  [ \"$key\" ] && exit\n"
    "  for i in items/*.key; do [ -e $i ] || continue\n"
    "    printf '[/1]\\nlabel = x\\nsecret = '; cat ${i%.key}; echo\n"
    "    echo 'attribute.application = libmcphost' >&2\n"
    "    { printf 'attribute.key = '; cat $i; echo; } >&2; done;;\n"
    "esac\n";

void
keyring_set_mode(struct rig_workspace *ws, const char *mode)
{
    rig_workspace_write(ws, "bin/mode", "%s\n", mode);
}

void
keyring_up(struct rig_workspace *ws)
{
    ck_assert_int_eq(mkdir(rig_workspace_path(ws, "bin"), 0700), 0);
    rig_workspace_write(ws, "bin/secret-tool", "%s", fake);
    ck_assert_int_eq(chmod(rig_workspace_path(ws, "bin/secret-tool"), 0700), 0);
    keyring_set_mode(ws, "works");
}
