/* SPDX-License-Identifier: MIT
 *
 * noentry.c - a shared object that is not a plugin, because it has no entry function.
 */
int no_plugin(void);

int
no_plugin(void)
{
    return 1;
}
