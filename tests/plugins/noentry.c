/* SPDX-License-Identifier: MIT
 *
 * noentry.c - a shared object that is no plugin.
 */
int no_plugin(void);

int
no_plugin(void)
{
    return 1;
}
