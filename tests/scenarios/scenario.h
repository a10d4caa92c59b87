/* SPDX-License-Identifier: MIT
 *
 * scenario.h - declarations of the program that runs scenarios over the public C
 * interface.
 *
 * doc/scenarios.md describes the commands and their output.
 */
#ifndef MCPH_TESTS_SCENARIO_H
#define MCPH_TESTS_SCENARIO_H

#include <mcphost/mcphost.h>
#include <mcphost/mcpservers.h>
#include <stdbool.h>
#include <sys/types.h>

#define WORDS_MAX    16
#define THINGS_MAX   64
#define WEBS_MAX     4
#define BROWSERS_MAX 16
#define WAIT_MS      20000

/* A growing text that ends with NUL. */
struct text {
    char *p;
    size_t len;
};

/* An object that a command has named: a dialog, a view, a call, ... */
struct thing {
    int kind;
    char *name;
    void *object;
    struct text notes; /* a call's reports of progress, a line each */
    int n;             /* the number of reports, or of a subscription's updates */
};

enum {
    THING_DIALOG,
    THING_VIEW,
    THING_CALL,
    THING_TURN,
    THING_SUBSCRIPTION,
    THING_PROVIDER
};

/* The answer to the server's requests of one kind. */
struct answer {
    int kind;
    char *json; /* NULL if the requests are rejected */
    int how;
};

/* A server that requires access tokens, and its authorization server. */
struct web {
    char *id, *origin, *issuer;
    pid_t pid;
    int hold; /* the server's stdin; closing it ends the server */
};

struct scenario {
    const char *server; /* the path of the scripted server */
    const char *guard;  /* the path of mcphost-guard */
    char dir[64];
    mcphost *host;
    struct text yaml;
    bool is_whole; /* set if the command `yaml` wrote the text `yaml` */
    struct thing things[THINGS_MAX];
    size_t n_things;
    struct answer answers[8];
    size_t n_answers;
    struct text requests; /* lines about requests since the last command `requests` */
    struct web webs[WEBS_MAX];
    size_t n_webs;
    char *login; /* the user's action in later logins */
    pid_t browsers[BROWSERS_MAX];
    size_t n_browsers;
};

struct command {
    struct text line;             /* the command's line; `words` points into this text */
    const char *words[WORDS_MAX]; /* the first is the command's name */
    int n;
    struct text text; /* the lines after `<<`; p is NULL without `<<` */
};

extern struct scenario sc;

/* ---- texts and output (script.c) --------------------------------------------------- */

void text_add(struct text *t, const char *p, size_t len);
void text_format(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void text_free(struct text *t);

/* Reads the next command.  Returns false at the end of the file. */
bool script_next(struct command *c);
void script_open(const char *path);
void command_free(struct command *c);

/* Prints a line.  In the line, @DIR@ and @SERVER@ replace the paths of the scenario's
 * directory and of the scripted server.  For a server ID of the command `web`, @ID@
 * replaces the server's origin, and @ID.issuer@ replaces the origin of its authorization
 * server. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints the message on stderr, and ends the program with status 1. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "WHAT: error CODE MESSAGE", and drops the reference to `err`.  Leaves out
 * MESSAGE if `err` is NULL or the error is a timeout. */
void say_error(const char *what, int code, mcphost_error *err);
/* Prints "WHAT: OUTCOME" if `r` is at least 0.  Otherwise calls say_error(). */
void say_outcome(const char *what, const char *outcome, int r, mcphost_error *err);

/* Returns the value of the enumerator `name` of the enumeration `which`.  Ends the
 * program if no enumerator has this name. */
int enum_value(int which, const char *name);

/* Returns the number in `text`.  Ends the program unless `text` is a number from 0 to
 * 1,000,000. */
int number(const char *text);

/* Dispatches until `is_over` returns true.  Ends the program with an error after 20 s. */
void wait_until(bool (*is_over)(const void *arg), const void *arg);
void wait_ready(const char *what);

/* ---- things ------------------------------------------------------------------------ */

struct thing *thing_find(int kind, const char *name);
struct thing *thing_add(int kind, const char *name, void *object);
/* Removes the thing from sc.things.  The caller must have dropped the reference to the
 * thing's object. */
void thing_remove(struct thing *thing);

/* ---- commands ---------------------------------------------------------------------- */

/* Each function runs the command and returns true, or returns false if it does not know
 * the command. */
bool run_config(const struct command *c);
bool run_login(const struct command *c);
bool run_catalog(const struct command *c);
bool run_dialog(const struct command *c);
bool run_call(const struct command *c);
bool run_own(const struct command *c);
bool run_value(const struct command *c);

void write_file(const char *name, const char *text, size_t len);
/* Adds the entry of the server that the command declares.  `keys` are the lines that the
 * kind of server needs. */
void declare_entry(const struct command *c, const char *keys);
/* Releases all things (sc.things), ends the host, and makes another host. */
void new_host(void);
/* Handles a request for a login as the last command `login` says.  Without this command,
 * declines the request. */
void handle_login(mcphost_request *request);
/* Ends the servers of the command `web`, and waits for the browsers. */
void end_webs(void);

/* Handles an event of the host: answers a request, notes the end of a login, or counts a
 * subscription's updates. */
void on_event(const mcphost_event *event, void *arg);

#endif
