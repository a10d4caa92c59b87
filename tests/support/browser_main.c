/* SPDX-License-Identifier: MIT
 *
 * browser_main.c - the program that a client under test starts as the user's browser.
 *
 *   browser_main URL [HOW]
 *
 * HOW, or FAKE_BROWSER in the environment, says what the user does: login (by default),
 * deny, state or twice (browser.h); `closed` means that the user closes the window at
 * once; `print` prints the redirect, which the user pastes, and does not follow it.
 * FAKE_BROWSER_LOG names a file to which the program appends the URL and the last status.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/browser.h"

static void
print_redirect(const char *url)
{
    char *redirect = browser_redirect(url, BROWSER_LOGIN);

    if (redirect)
        puts(redirect);
    free(redirect);
}

int
main(int argc, char **argv)
{
    static const char *const words[] = {"login", "deny", "state", "twice"};
    const char *word = argc == 3 ? argv[2] : secure_getenv("FAKE_BROWSER");
    const char *log = secure_getenv("FAKE_BROWSER_LOG");
    FILE *out = log ? fopen(log, "ae") : NULL;
    int how = BROWSER_LOGIN, status = 0;

    if (argc != 2 && argc != 3)
        return 2;
    for (int i = 0; i < 4; i++)
        if (word && strcmp(word, words[i]) == 0)
            how = i;
    if (word && strcmp(word, "print") == 0)
        print_redirect(argv[1]);
    else if (!word || strcmp(word, "closed") != 0)
        status = browser_open(argv[1], how);
    if (out) {
        fprintf(out, "%s %d\n", argv[1], status);
        fclose(out);
    }
    return 0;
}
