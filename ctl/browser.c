/* SPDX-License-Identifier: MIT
 *
 * browser.c - open a page in the user's browser.
 *
 * The browser outlives mcphostctl.  It is not a child of mcphostctl, and it has a session
 * of its own, so that neither Ctrl-C nor the end of mcphostctl ends it.
 *
 *   mcphostctl --forks--> a process that ends at once --forks--> the browser
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"
#include "words.h"

/* The greatest number of words in $BROWSER. */
enum { WORDS_MAX = 16 };

/* ---- in the children: system calls only -------------------------------------------- */

static void __attribute__((noreturn)) fail(int line)
{
    int why = errno;

    (void)!write(line, &why, sizeof(why));
    _exit(127);
}

/* Turns the process into the browser.  The descriptor `line` closes when the browser's
 * program starts. */
static void __attribute__((noreturn)) become_browser(char *const *argv, int line)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    sigemptyset(&none);
    if (null < 0 || setsid() < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
        dup2(null, 2) < 0 || sigaction(SIGPIPE, &standard, NULL) < 0 ||
        sigprocmask(SIG_SETMASK, &none, NULL) < 0)
        fail(line);
    execvp(argv[0], argv);
    fail(line);
}

/* ---- in mcphostctl itself ---------------------------------------------------------- */

static int
start(char *const *argv)
{
    int line[2], why = 0, status;
    ssize_t n;
    pid_t pid;

    if (pipe2(line, O_CLOEXEC) < 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        pid = fork();
        if (pid == 0)
            become_browser(argv, line[1]);
        if (pid < 0)
            fail(line[1]);
        _exit(0);
    }
    close(line[1]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    do
        n = read(line[0], &why, sizeof(why));
    while (n < 0 && errno == EINTR);
    close(line[0]);
    return pid < 0 || n != 0 ? -1 : 0;
}

/* Splits `command` into words, and starts it with the URL as a further, last word. */
static int
start_command(const char *command, const char *url)
{
    char *argv[WORDS_MAX + 2], *last = strdup(url), **words;
    const char *reason;
    size_t n = 0;
    int r = -1;

    if (last && words_split(command, &words, &reason) == 0) {
        while (words[n] && n < WORDS_MAX) {
            argv[n] = words[n];
            n++;
        }
        argv[n] = last;
        argv[n + 1] = NULL;
        if (n > 0 && !words[n])
            r = start(argv);
        words_free(words);
    }
    free(last);
    return r;
}

int
browser_open(const char *url)
{
    const char *command = secure_getenv("BROWSER");
    const char *x11 = secure_getenv("DISPLAY"),
               *wayland = secure_getenv("WAYLAND_DISPLAY");

    /* Refuse a URL that is not http or https, because a desktop opens it with a program
     * that is not a browser. */
    if (strncasecmp(url, "https://", 8) != 0 && strncasecmp(url, "http://", 7) != 0)
        return -1;
    /* Other users of the machine can read the URL and its `state` in the list of
     * processes.  PKCE makes this harmless: a code that another user obtains is worthless
     * without the verifier, and the verifier does not leave this process. */
    if (command && *command)
        return start_command(command, url);
    if ((x11 && *x11) || (wayland && *wayland))
        return start_command("xdg-open", url);
    return -1;
}
