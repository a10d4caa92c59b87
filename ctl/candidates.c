/* SPDX-License-Identifier: MIT
 *
 * candidates.c - the hidden command `complete-line`: list the words that fit at the
 * cursor, for the completions of bash and zsh.
 *
 *   mcphostctl complete-line -- SHELL BEFORE AFTER [COMP_WORDBREAKS]
 *
 * BEFORE and AFTER are the parts of the command line before and after the cursor, as they
 * were typed.  Each line of the answer is a letter, a blank and a word:
 *
 *   w WORD     a complete word: the shell adds a blank
 *   p WORD     the beginning of a word: the shell adds nothing
 *   f PREFIX   the shell completes names of files after PREFIX
 *   d PREFIX   the shell completes names of directories after PREFIX
 *
 * PREFIX may be empty.
 *
 * For bash, a word is quoted and cut down to the part that readline replaces.  Only words
 * that begin like the word at the cursor are printed.  A tab and the path typed so far
 * follow a PREFIX that is not empty.
 *
 * For zsh, words are whole and unquoted.  A tab and a description follow each word.
 *
 * Nothing is written to stderr, unless -v precedes the command or SHELL is neither bash
 * nor zsh.  The program ends after HARD_LIMIT_S in any case.  look_for_names() decides
 * whether servers are started.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "ctl.h"
#include "line.h"
#include "names.h"
#include "profiles.h"
#include "words.h"
#include "workspace_skills.h"

/* The time limits for servers to come up, for servers to end, and for the program. */
#define READY_MS     3000
#define END_MS       1000
#define HARD_LIMIT_S 8

enum { ARGV_MAX = 256 };

struct look {
    struct ctl *ctl;
    struct line line;
    const char *current; /* the word at the cursor */
    size_t prefix;       /* bytes of `current` before the part to complete */
    int for_bash, printed;
    /* The members from `command` to `argc` are parsed from the line. */
    const struct command *command;
    const struct option_row *pending; /* an option that waits for its value */
    int ended;                        /* "--" was read */
    int given[OPTIONS_MAX];
    const char **args; /* the command's arguments before the cursor */
    size_t n_args;
    const char *server, *prompt, *template, *role;
    char *argv[ARGV_MAX]; /* the line's options on servers, for options_parse() */
    char *own[ARGV_MAX];  /* the pointers to free: getopt_long() may reorder `argv` */
    int argc;
    json_t *names; /* the names that servers offer, by kind; NULL until find_names() */
};

/* ---- printing ---------------------------------------------------------------------- */

static void
print_line(char kind, const struct text *t)
{
    if (!text_failed(t))
        printf("%c %s\n", kind, t->data ? t->data : "");
}

/* Offers `name` after the first `prefix` bytes of the word at the cursor. */
static void
offer_word(struct look *look, char kind, const char *name, const char *about)
{
    const char *current = look->current;
    struct text word = {0}, t = {0};

    text_add(&word, current, look->prefix);
    text_puts(&word, name);
    if (text_failed(&word) || !name_is_fit(word.data))
        goto out;
    if (!look->for_bash) {
        text_puts(&t, word.data);
        text_puts(&t, "\t");
        text_puts(&t, about ? about : "");
    } else if (strncmp(word.data, current, strlen(current)) == 0) {
        line_put_quoted(&t, word.data + look->line.begin, look->line.quote);
    } else {
        goto out;
    }
    print_line(kind, &t);
    look->printed = 1;
out:
    text_free(&word);
    text_free(&t);
}

/* Makes the shell complete names of files (`kind` is 'f') or of directories ('d'). */
static void
offer_files(struct look *look, char kind)
{
    size_t begin = look->line.begin;
    struct text t = {0};

    if (!look->for_bash) {
        text_add(&t, look->current, look->prefix);
    } else if (begin < look->prefix) {
        char *prefix = strndup(look->current, look->prefix);

        line_put_quoted(&t, prefix ? prefix + begin : "", look->line.quote);
        text_puts(&t, "\t");
        text_puts(&t, look->current + look->prefix);
        free(prefix);
    }
    print_line(kind, &t);
    look->printed = 1;
    text_free(&t);
}

static void
offer_words(struct look *look, const char *words)
{
    while (words && *words) {
        size_t len = strcspn(words, " ");
        char *word = strndup(words, len);

        if (word)
            offer_word(look, 'w', word, NULL);
        free(word);
        words += len + (words[len] == ' ');
    }
}

/* ---- the words before and after the cursor ----------------------------------------- */

/* Finds an option by its name, or by an unambiguous beginning of its name, as
 * getopt_long() does. */
static const struct option_row *
find_option(const char *name, size_t len)
{
    const struct option_row *found = NULL;
    int n = 0;

    for (const struct option_row *row = option_rows; row->name; row++) {
        if (strncmp(row->name, name, len) != 0)
            continue;
        if (strlen(row->name) == len)
            return row;
        found = row;
        n++;
    }
    return n == 1 ? found : NULL;
}

static void
take_option(struct look *look, const struct option_row *row, const char *value)
{
    struct text t = {0};

    look->given[row - option_rows]++;
    if (row->takes == TAKES_SERVER)
        look->server = value;
    else if (row->takes == TAKES_PROMPT)
        look->prompt = value;
    else if (row->takes == TAKES_TEMPLATE)
        look->template = value;
    else if (row->takes == TAKES_ROLE)
        look->role = value;
    if (!(row->flags & (OPTION_SERVERS | OPTION_LOOKUP)) || look->argc >= ARGV_MAX - 4)
        return;
    text_printf(&t, "--%s%s%s", row->name, value ? "=" : "", value ? value : "");
    if (text_failed(&t))
        text_free(&t);
    else
        look->argv[look->argc] = look->own[look->argc] = t.data;
    look->argc += !text_failed(&t);
}

static void
take_long(struct look *look, const char *name)
{
    size_t len = strcspn(name, "=");
    const struct option_row *row = find_option(name, len);

    if (!row)
        return;
    if (row->takes == TAKES_NOTHING || (row->flags & OPTION_OPTIONAL) || name[len])
        take_option(look, row, name[len] ? name + len + 1 : NULL);
    else
        look->pending = row;
}

static void
take_letters(struct look *look, const char *letters)
{
    for (; *letters; letters++) {
        const struct option_row *row = option_find(*letters);

        if (!row)
            return;
        if (row->takes == TAKES_NOTHING) {
            take_option(look, row, NULL);
            continue;
        }
        if (letters[1])
            take_option(look, row, letters + 1);
        else
            look->pending = row;
        return;
    }
}

static const struct command *
find_command(const char *name)
{
    const struct command *command = commands;

    while (command->name && strcmp(command->name, name) != 0)
        command++;
    return command->name ? command : NULL;
}

/* Takes a word that is not an option.  The first of these words is the command, even if
 * the command is unknown.  Further words are arguments. */
static void
take_plain(struct look *look, const char *word)
{
    static const struct command unknown = {.name = ""};

    if (look->command) {
        look->args[look->n_args++] = word;
        return;
    }
    look->command = find_command(word);
    if (!look->command)
        look->command = &unknown;
}

static void
take_words(struct look *look, size_t from, size_t to, int plain)
{
    for (size_t i = from; i < to; i++) {
        const char *word = look->line.words[i];
        const struct option_row *row = look->pending;

        look->pending = NULL;
        if (row)
            take_option(look, row, word);
        else if (!look->ended && strcmp(word, "--") == 0)
            look->ended = 1;
        else if (!look->ended && strncmp(word, "--", 2) == 0)
            take_long(look, word + 2);
        else if (!look->ended && word[0] == '-' && word[1])
            take_letters(look, word + 1);
        else if (plain)
            take_plain(look, word);
    }
}

/* ---- names from the configuration and from servers --------------------------------- */

/* Parses the line's options as the options of this run, and reads the configuration. */
static int
load_configuration(struct look *look)
{
    static char command[] = "tools", end[] = "--";
    struct ctl *ctl = look->ctl;
    int r;

    if (ctl->config)
        return 0;
    look->argv[look->argc] = end;
    look->argv[look->argc + 1] = command;
    r = options_parse(&ctl->opt, look->argc + 2, look->argv);
    /* Load no plugins, because a key press must not load their code. */
    ctl->opt.plugins = ctl->opt.plugins_config = NULL;
    if (r == 0) {
        ctl->opt.dialog = "cli";
        r = profiles_settle(ctl);
    }
    return r ? r : ctl_load_config(ctl);
}

static int
until_ready(struct ctl *ctl, void *arg)
{
    (void)arg;
    return ctl->ready;
}

/* Starts the servers, and returns the names that the servers offer after a wait.  The
 * wait ends when all servers have come up or failed, after READY_MS, or after
 * --timeout. */
static json_t *
ask_servers(struct ctl *ctl)
{
    int64_t ms = ctl->opt.timeout_ms;

    ctl->quiet = 1;
    ctl->config = mcphost_config_unref(ctl->config);
    if (ctl_open(ctl) != 0)
        return NULL;
    if (ctl_run(ctl, until_ready, NULL, ms >= 0 && ms < READY_MS ? ms : READY_MS) < 0)
        return NULL;
    return names_keep(ctl);
}

/* Returns the kept names (names.h) if they are fresh, or if MCPHOSTCTL_COMPLETE is
 * "kept".  Otherwise starts the servers, but only if a command has started them before
 * with the same entries, or if MCPHOSTCTL_COMPLETE is "start".  A key press in a
 * directory that another user has made must not run the programs that the configuration
 * names.  If the servers cannot be asked, returns the old names. */
static json_t *
look_for_names(struct ctl *ctl)
{
    const char *mode = secure_getenv("MCPHOSTCTL_COMPLETE");
    int only_kept = mode && strcmp(mode, "kept") == 0;
    json_t *names = names_find(ctl, only_kept), *old;

    if (names || only_kept)
        return names;
    old = names_find(ctl, 1);
    if (old || (mode && strcmp(mode, "start") == 0))
        names = ask_servers(ctl);
    if (!names)
        return old;
    json_decref(old);
    return names;
}

/* Returns the names of a kind, or NULL if there are none.  The names are borrowed. */
static const json_t *
find_names(struct look *look, const char *kind)
{
    if (!look->names && load_configuration(look) == 0) {
        look->names = look_for_names(look->ctl);
        if (!look->names)
            look->names = json_object();
    }
    return json_object_get(look->names, kind);
}

static const char *
text_member(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Offers the names of a kind.  An argument that begins with a dash is offered only after
 * "--", because elsewhere the program takes it for an option. */
static void
offer_names(struct look *look, const char *kind, int is_argument)
{
    const json_t *list = find_names(look, kind), *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        const char *name = text_member(one, "n"), *server = text_member(one, "s");

        if (!name || (is_argument && *name == '-' && !look->ended))
            continue;
        if (!look->server || !server || strcmp(look->server, server) == 0)
            offer_word(look, 'w', name, text_member(one, "d"));
    }
}

static void
offer_servers_of(struct look *look, const char *source, const mcphost_config *config)
{
    for (size_t i = 0; i < mcphost_config_count_servers(config); i++) {
        char room[NAME_SIZE], about[64];
        int state = mcphost_config_server_get_state(config, i);

        snprintf(about, sizeof(about), "%s, %s",
                 name_of(MCPHOST_ENUM_TRANSPORT,
                         mcphost_config_server_get_transport(config, i)),
                 name_of(MCPHOST_ENUM_CONFIG_SERVER_STATE, state));
        offer_word(look, 'w',
                   full_name(room, source, mcphost_config_server_get_id(config, i)),
                   about);
    }
}

/* Offers skills of workspaces.  Skills of servers are among the kept names. */
static void
offer_workspace_skills(struct look *look)
{
    json_t *skills = NULL, *one;
    size_t i;

    if (load_configuration(look) != 0 ||
        workspace_skills_read(look->ctl, look->role, &skills) != 0)
        return;
    json_array_foreach(skills, i, one)
    {
        offer_word(look, 'w', text_member(one, "name"), text_member(one, "role"));
    }
    json_decref(skills);
}

static void
offer_skills(struct look *look, int is_argument)
{
    const char *action = look->args[0];

    if (strcmp(action, "show") == 0)
        offer_names(look, NAMES_SKILLS, is_argument);
    if (strcmp(action, "list") != 0 && words_have(SKILLS_WORDS, action) && !look->server)
        offer_workspace_skills(look);
}

static void
offer_servers(struct look *look)
{
    struct ctl *ctl = look->ctl;

    if (load_configuration(look) != 0)
        return;
    offer_servers_of(look, NULL, ctl->config);
    for (size_t i = 0; i < ctl->n_sources; i++)
        offer_servers_of(look, ctl->sources[i].id, ctl->sources[i].config);
}

/* ---- KEY=VALUE --------------------------------------------------------------------- */

/* Returns true for "key=..." and "key:=...". */
static int
is_pair_of(const char *word, const char *key)
{
    size_t len = strlen(key);

    return strncmp(word, key, len) == 0 &&
           (word[len] == '=' || (word[len] == ':' && word[len + 1] == '='));
}

static int
is_given(const struct look *look, const char *key)
{
    for (size_t i = 0; i < look->n_args; i++) {
        if (is_pair_of(look->args[i], key))
            return 1;
    }
    return 0;
}

static void
offer_key(struct look *look, const char *key, const char *about)
{
    struct text t = {0};

    text_printf(&t, "%s=", key);
    if (!text_failed(&t) && !is_given(look, key))
        offer_word(look, 'p', t.data, about);
    text_free(&t);
}

/* Offers the values that the schema lists for the key at the cursor. */
static void
offer_values(struct look *look, const json_t *argument)
{
    const json_t *one;
    size_t i;

    look->prefix = strlen(text_member(argument, "n")) + 1;
    json_array_foreach(json_object_get(argument, "v"), i, one)
    {
        offer_word(look, 'w', json_string_value(one), NULL);
    }
    look->prefix = 0;
}

static void
offer_arguments(struct look *look, const char *kind, const char *name)
{
    const json_t *list = find_names(look, kind), *one, *argument;
    size_t i, k;

    json_array_foreach(list, i, one)
    {
        const char *is = text_member(one, "n"), *was = text_member(one, "o");

        if (!name || !is || (strcmp(is, name) != 0 && (!was || strcmp(was, name) != 0)))
            continue;
        json_array_foreach(json_object_get(one, "a"), k, argument)
        {
            const char *key = text_member(argument, "n");

            if (!key)
                continue;
            if (is_pair_of(look->current, key))
                offer_values(look, argument);
            else
                offer_key(look, key, text_member(argument, "d"));
        }
        return;
    }
}

/* Offers the arguments KEY=VALUE of a tool or a prompt.  If the first argument begins
 * with "@", offers names of files instead. */
static void
offer_call(struct look *look, const char *kind)
{
    if (look->n_args == 1 && look->current[0] == '@') {
        look->prefix = 1;
        offer_files(look, 'f');
    } else {
        offer_arguments(look, kind, look->args[0]);
    }
}

static void
offer_variables(struct look *look)
{
    char *json = NULL;
    json_t *names, *one;
    size_t i;

    if (mcphost_template_check(look->template, strlen(look->template), &json, NULL,
                               NULL) < 0)
        return;
    names = json_loads(json, 0, NULL);
    json_array_foreach(names, i, one)
    {
        if (json_is_string(one))
            offer_key(look, json_string_value(one), NULL);
    }
    json_decref(names);
    mcphost_free(json);
}

/* ---- the word at the cursor -------------------------------------------------------- */

static void
offer_source(struct look *look)
{
    const char *equals = strchr(look->current + look->prefix, '=');

    if (!equals)
        return;
    look->prefix = (size_t)(equals + 1 - look->current);
    offer_files(look, 'f');
}

static void
offer_completed(struct look *look)
{
    if (look->template)
        offer_variables(look);
    else
        offer_arguments(look, NAMES_PROMPTS, look->prompt);
}

static void
offer_kind(struct look *look, int takes, const char *words, int is_argument)
{
    switch (takes) {
    case TAKES_WORD:
        offer_words(look, words);
        break;
    case TAKES_FILE:
        offer_files(look, 'f');
        break;
    case TAKES_DIRECTORY:
        offer_files(look, 'd');
        break;
    case TAKES_SOURCE:
        offer_source(look);
        break;
    case TAKES_PROVIDER:
        offer_words(look, words);
        for (size_t i = 0; project_provider(i); i++)
            offer_word(look, 'w', project_provider(i), NULL);
        break;
    case TAKES_SERVER:
        offer_servers(look);
        break;
    case TAKES_TOOLSET:
        offer_names(look, NAMES_TOOLSETS, is_argument);
        break;
    case TAKES_TOOL:
        offer_names(look, NAMES_TOOLS, is_argument);
        break;
    case TAKES_PROMPT:
        offer_names(look, NAMES_PROMPTS, is_argument);
        break;
    case TAKES_TEMPLATE:
        offer_names(look, NAMES_TEMPLATES, is_argument);
        break;
    case TAKES_URI:
        offer_names(look, NAMES_RESOURCES, is_argument);
        break;
    case TAKES_SKILL:
        offer_skills(look, is_argument);
        break;
    case TAKES_TOOL_ARGUMENT:
        offer_call(look, NAMES_TOOLS);
        break;
    case TAKES_PROMPT_ARGUMENT:
        offer_call(look, NAMES_PROMPTS);
        break;
    case TAKES_COMPLETED:
        offer_completed(look);
        break;
    default:
        break;
    }
}

static void
offer_options(struct look *look)
{
    for (const struct option_row *row = option_rows; row->name; row++) {
        char word[64];

        if ((look->command && !option_fits(row, look->command->name)) ||
            (look->given[row - option_rows] > 0 && !(row->flags & OPTION_OFTEN)))
            continue;
        snprintf(word, sizeof(word), "--%s%s", row->name,
                 row->flags & OPTION_OPTIONAL ? "=" : "");
        offer_word(look, row->flags & OPTION_OPTIONAL ? 'p' : 'w', word, row->summary);
    }
}

/* Completes a word that begins with a dash: an option's name, or the value after the
 * name. */
static void
offer_option(struct look *look)
{
    const char *current = look->current, *equals = strchr(current, '=');
    const struct option_row *row = NULL;

    if (current[1] != '-' && current[1] && current[2])
        row = option_find(current[1]);
    if (row && row->takes != TAKES_NOTHING) {
        look->prefix = 2;
    } else if (strncmp(current, "--", 2) == 0 && equals) {
        row = find_option(current + 2, (size_t)(equals - current) - 2);
        look->prefix = (size_t)(equals + 1 - current);
    } else {
        offer_options(look);
        return;
    }
    if (row)
        offer_kind(look, row->takes, row->words, 0);
}

static void
offer_argument(struct look *look)
{
    const struct command *command = look->command;
    size_t n = look->n_args;
    int takes = TAKES_NOTHING;

    if (command->most < 0 || n < (size_t)command->most)
        takes = n < 3 && command->takes[n] ? command->takes[n]
                : command->most < 0        ? command->takes[1]
                                           : TAKES_NOTHING;
    if (takes != TAKES_NOTHING)
        offer_kind(look, takes, command->words, 1);
    else if (!look->ended && !*look->current)
        offer_options(look);
}

static void
offer_all(struct look *look)
{
    const struct option_row *row = look->pending;

    look->pending = NULL;
    take_words(look, look->line.at + 1, look->line.n, 0);
    if (row) {
        offer_kind(look, row->takes, row->words, 0);
    } else if (!look->ended && look->current[0] == '-') {
        offer_option(look);
    } else if (look->command) {
        offer_argument(look);
    } else {
        for (const struct command *c = commands; c->name; c++) {
            if (c->summary)
                offer_word(look, 'w', c->name, c->summary);
        }
    }
}

/* ---- the command ------------------------------------------------------------------- */

/* Detaches the program from the terminal.  Opens /dev/null as stdin and, without -v, as
 * stderr. */
static void
take_leave(const struct ctl *ctl)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return;
    (void)dup2(fd, STDIN_FILENO);
    if (!ctl->opt.verbose)
        (void)dup2(fd, STDERR_FILENO);
    close(fd);
}

int
cmd_complete_line(struct ctl *ctl)
{
    static char program[] = "mcphostctl";
    char **args = ctl->opt.args;
    int is_bash = strcmp(args[0], "bash") == 0;
    struct look look = {.ctl = ctl, .argv = {program}, .argc = 1, .for_bash = is_bash};

    if (!is_bash && strcmp(args[0], "zsh") != 0) {
        say(ctl, "complete-line supports bash and zsh, not '%s'", args[0]);
        return STATUS_USAGE;
    }
    take_leave(ctl);
    alarm(HARD_LIMIT_S);
    if (line_read(&look.line, args[1], args[2], is_bash ? args[3] : NULL) < 0)
        return STATUS_OK;
    look.args = calloc(look.line.n + 1, sizeof(*look.args));
    if (look.args && look.line.at > 0 && !look.line.opaque) {
        look.current = look.line.words[look.line.at];
        take_words(&look, 1, look.line.at, 1);
        if (look.line.redirected)
            offer_files(&look, 'f');
        else
            offer_all(&look);
    }
    /* End the output, so that the shell takes the answer and continues while the servers
     * end. */
    fflush(stdout);
    (void)dup2(STDIN_FILENO, STDOUT_FILENO);
    /* Keep ctl_close() from writing the names, because ask_servers() has written them
     * already. */
    ctl->ready = 0;
    if (ctl->host)
        ctl->close_by = now_ms() + END_MS;
    ctl_close(ctl);
    for (int i = 1; i < ARGV_MAX; i++)
        free(look.own[i]);
    json_decref(look.names);
    free(look.args);
    line_free(&look.line);
    return STATUS_OK;
}
