/* SPDX-License-Identifier: MIT
 *
 * options.c - parse the command line.
 *
 * Options may be before and after the command.  "--" ends the options.
 */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "profiles.h"
#include "words.h"

/* The longest time of --timeout, one day.  A longer time is refused, because it is
 * probably a mistake.  The limit also prevents an overflow of the time in ms. */
#define TIMEOUT_MAX_S 86400.0

#define SECRET_SERVICE "secret-service"

/* The numbers of long options are above all letters, so that optopt distinguishes long
 * options from letters. */
enum {
    OPT_DIRECTORY = 256,
    OPT_CONFIG,
    OPT_STDIO,
    OPT_URL,
    OPT_TRANSPORT,
    OPT_ERA,
    OPT_HEADER,
    OPT_HEADER_FILE,
    OPT_HEADER_ENV,
    OPT_SOURCE,
    OPT_PROFILE,
    OPT_PLUGINS,
    OPT_PLUGINS_CONFIG,
    OPT_BUILTIN_PLUGINS,
    OPT_STATE_DIR,
    OPT_PROJECT_ROOT,
    OPT_SESSION_ROOT,
    OPT_DEFAULTS,
    OPT_PROBE,
    OPT_ADMIN,
    OPT_NAMES,
    OPT_DIALOG,
    OPT_TIMEOUT,
    OPT_COLOR,
    OPT_TOOLSET,
    OPT_FOR,
    OPT_SAVE,
    OPT_SERVER,
    OPT_ROLE,
    OPT_PROMPT,
    OPT_TEMPLATE,
    OPT_ELICIT,
    OPT_SAMPLING_COMMAND,
    OPT_SAMPLING_FORMAT,
    OPT_SAMPLING_MODEL,
    OPT_SAMPLING_EVENTS,
    OPT_TOKEN_STORE,
    OPT_DEVICE,
    OPT_PASTE,
    OPT_NO_BROWSER,
    OPT_RAW,
    OPT_JSON,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_VERSION
};

/* The usage text shows the options in the order of the rows. */
const struct option_row option_rows[] = {
    {"directory", 'C', OPT_DIRECTORY, TAKES_DIRECTORY, "DIR",
     .flags = OPTION_SERVERS | OPTION_OFTEN,
     .summary = "the workspace, whose configuration is DIR/.minds/mcp.yaml (default: .); "
                "after --profile: the directory of that profile"},
    {"profile", 0, OPT_PROFILE, TAKES_WORD, "NAME", PROFILE_WORDS,
     .never = "diff reload schema", .flags = OPTION_SERVERS | OPTION_OFTEN,
     .summary = "read DIR/.minds/mcp.yaml (dominds), DIR/.goclaw/mcp.json (goclaw), "
                "DIR/.mcp.json (mcpservers) or the plugins DIR/*/plugin.json (chatos); "
                "without this option, each of them that exists"},
    {"config", 0, OPT_CONFIG, TAKES_FILE, "FILE", .flags = OPTION_SERVERS,
     .summary = "read this file instead; relative paths in it start at the workspace"},
    {"stdio", 0, OPT_STDIO, TAKES_TEXT, "'COMMAND ...'", .flags = OPTION_SERVERS,
     .summary = "use this one server and no file"},
    {"url", 0, OPT_URL, TAKES_TEXT, "URL", .flags = OPTION_SERVERS,
     .summary = "use this one server at a URL and no file"},
    {"transport", 0, OPT_TRANSPORT, TAKES_WORD, "NAME", "streamable_http sse",
     .flags = OPTION_SERVERS,
     .summary = "with --url: streamable_http (the default) or sse; without --url: sse "
                "allows servers of the file to use HTTP+SSE"},
    {"era", 0, OPT_ERA, TAKES_WORD, "NAME", "auto legacy modern", .flags = OPTION_SERVERS,
     .summary = "with --url and --stdio: auto (the default), legacy or modern"},
    {"header", 0, OPT_HEADER, TAKES_TEXT, "'NAME: TEXT'",
     .flags = OPTION_SERVERS | OPTION_OFTEN,
     .summary = "with --url: send this header with every request; others can read it in "
                "the list of processes"},
    {"header-file", 0, OPT_HEADER_FILE, TAKES_FILE, "FILE",
     .flags = OPTION_SERVERS | OPTION_OFTEN,
     .summary = "with --url: send the headers in this file"},
    {"header-env", 0, OPT_HEADER_ENV, TAKES_TEXT, "'NAME: VARIABLE'",
     .flags = OPTION_SERVERS | OPTION_OFTEN,
     .summary =
         "with --url: send a header whose value is in a variable of the environment"},
    {"source", 0, OPT_SOURCE, TAKES_SOURCE, "ID=PATH", .never = "diff reload schema",
     .flags = OPTION_SERVERS | OPTION_OFTEN,
     .summary = "add the servers of a file, or of the *.yaml files of a directory, as a "
                "source; its servers are called ID:SERVER"},
    {"plugins", 0, OPT_PLUGINS, TAKES_DIRECTORY, "DIR",
     .never = "check diff enable disable reload schema login logout auth",
     .flags = OPTION_SERVERS,
     .summary = "add the plugins of a directory, which run in this process"},
    {"plugins-config", 0, OPT_PLUGINS_CONFIG, TAKES_FILE, "FILE",
     .never = "check diff enable disable reload schema login logout auth",
     .flags = OPTION_SERVERS,
     .summary = "with --plugins: the settings of plugins, as JSON"},
    {"builtin-plugins", 0, OPT_BUILTIN_PLUGINS, TAKES_DIRECTORY, "DIR",
     .never = "diff reload schema", .flags = OPTION_SERVERS,
     .summary = "with ChatOS plugins: a folder of plugins, each replaced by a plugin of "
                "the same id"},
    {"state-dir", 0, OPT_STATE_DIR, TAKES_DIRECTORY, "DIR", .never = "diff reload schema",
     .flags = OPTION_SERVERS,
     .summary = "with ChatOS plugins: the directory of the data directories of apps"},
    {"project-root", 0, OPT_PROJECT_ROOT, TAKES_DIRECTORY, "DIR",
     .never = "diff reload schema", .flags = OPTION_SERVERS,
     .summary = "with ChatOS plugins: the project directory that servers get"},
    {"session-root", 0, OPT_SESSION_ROOT, TAKES_DIRECTORY, "DIR",
     .never = "diff reload schema", .flags = OPTION_SERVERS,
     .summary = "with ChatOS plugins: the session directory that servers get"},
    {"defaults", 0, OPT_DEFAULTS, TAKES_DIRECTORY, "DIR", .never = "diff reload schema",
     .flags = OPTION_SERVERS,
     .summary = "with ChatOS plugins: the default lists of what apps expose"},
    {"dialog", 0, OPT_DIALOG, TAKES_TEXT, "ID",
     .summary = "the id of the dialog that calls tools (default: cli; for serve: serve)"},
    {"timeout", 0, OPT_TIMEOUT, TAKES_TEXT, "S", .flags = OPTION_LOOKUP,
     .summary = "seconds for the start of servers, and for a call"},
    {"admin", 0, OPT_ADMIN, TAKES_NOTHING, .flags = OPTION_LOOKUP,
     .summary = "offer the toolset mcp_admin, which restarts and stops servers and "
                "changes their environment"},
    {"names", 0, OPT_NAMES, TAKES_WORD, "NAME", "transforms server full",
     .flags = OPTION_LOOKUP,
     .summary = "how tools are named: transforms (the default), server (the server's id "
                "and '__' in front), or full (mcp_SERVER_TOOL)"},
    {"toolset", 0, OPT_TOOLSET, TAKES_TOOLSET, "TOOLSET", .only = "tools",
     .summary = "list only the tools of this toolset"},
    {"for", 0, OPT_FOR, TAKES_PROVIDER, "PROVIDER", .only = "project",
     .summary = "the provider whose form the tools take"},
    {"server", 0, OPT_SERVER, TAKES_SERVER, "SERVER",
     .only = "read prompt complete subscribe skills task",
     .summary = "the server to ask"},
    {"probe", 0, OPT_PROBE, TAKES_NOTHING, .only = "plugins",
     .summary = "try each plugin in a process of its own, so that a crash is a row of "
                "the table"},
    {"role", 0, OPT_ROLE, TAKES_ROLE, "ROLE", .only = "skills",
     .summary = "the role whose skills are meant; only skills of workspaces have roles"},
    {"prompt", 0, OPT_PROMPT, TAKES_PROMPT, "NAME", .only = "complete",
     .summary = "the prompt whose argument is completed"},
    {"template", 0, OPT_TEMPLATE, TAKES_TEMPLATE, "T", .only = "complete",
     .summary = "the template whose variable is completed"},
    {"elicit", 0, OPT_ELICIT, TAKES_WORD, "WHO", "auto ask decline cancel off",
     .summary = "who answers the forms and pages of servers: auto (the default: you, on "
                "a terminal), ask, decline, cancel or off"},
    {"sampling-command", 0, OPT_SAMPLING_COMMAND, TAKES_TEXT, "'COMMAND ...'",
     .summary = "run this command for each message that a server asks of a model"},
    {"sampling-format", 0, OPT_SAMPLING_FORMAT, TAKES_PROVIDER, "F", "mcp",
     .summary = "the form that this command reads and writes: mcp (the default), or that "
                "of a provider of --for"},
    {"sampling-model", 0, OPT_SAMPLING_MODEL, TAKES_TEXT, "M",
     .summary = "the model's name in that form"},
    {"sampling-events", 0, OPT_SAMPLING_EVENTS, TAKES_NOTHING, .only = "batch",
     .summary = "answer those servers by lines"},
    {"token-store", 0, OPT_TOKEN_STORE, TAKES_WORD, "WHERE",
     "file memory " SECRET_SERVICE, .never = "check diff enable disable reload schema",
     .summary = "where the tokens of logins are kept: file (the default: in the state "
                "directory), memory, or secret-service (the keyring of the desktop)"},
    {"device", 0, OPT_DEVICE, TAKES_NOTHING, .only = "login",
     .summary = "log in with a code that you enter on another device"},
    {"paste", 0, OPT_PASTE, TAKES_NOTHING, .only = "login",
     .summary =
         "log in with a browser on another machine, and paste the URL at which the "
         "browser ends"},
    {"no-browser", 0, OPT_NO_BROWSER, TAKES_NOTHING, .only = "login",
     .summary = "print the URL of the page, and start no browser"},
    {"save", 0, OPT_SAVE, TAKES_DIRECTORY, "DIR", .only = "call read prompt skills task",
     .summary =
         "write pictures, sounds, blobs and long texts of the result to files below DIR"},
    {"raw", 0, OPT_RAW, TAKES_NOTHING, .only = "call read prompt skills task",
     .summary = "print the result byte for byte"},
    {"json", 0, OPT_JSON, TAKES_NOTHING,
     .summary = "print one JSON document instead of text"},
    {"color", 0, OPT_COLOR, TAKES_WORD, "WHEN", "auto always never",
     .flags = OPTION_OPTIONAL, .summary = "auto, always or never"},
    {"verbose", 'v', OPT_VERBOSE, TAKES_NOTHING, .flags = OPTION_OFTEN,
     .summary = "print the log, messages to and from servers, and what servers write to "
                "stderr; -vv: more"},
    {"help", 'h', OPT_HELP, TAKES_NOTHING,
     .summary = "print this help; after a command: help about that command"},
    {"version", 'V', OPT_VERSION, TAKES_NOTHING, .summary = "print the versions"},
    {.name = NULL},
};

enum { N_ROWS = sizeof(option_rows) / sizeof(option_rows[0]) };
_Static_assert((size_t)N_ROWS <= (size_t)OPTIONS_MAX, "too many options");

__attribute__((format(printf, 1, 2))) static int
refuse(const char *fmt, ...)
{
    va_list ap;

    fputs("mcphostctl: ", stderr);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputs("\nTry 'mcphostctl --help'.\n", stderr);
    return STATUS_USAGE;
}

const struct option_row *
option_find(int number)
{
    const struct option_row *row = option_rows;

    while (row->name && row->number != number && row->letter != number)
        row++;
    return row->name ? row : NULL;
}

static int
parse_timeout(struct options *opt, const char *s)
{
    char *end;
    double seconds = strtod(s, &end);

    if (end == s || *end || !isfinite(seconds) || seconds <= 0)
        return refuse("--timeout needs a number of seconds above 0, not '%s'", s);
    if (seconds > TIMEOUT_MAX_S)
        return refuse("--timeout of more than a day: '%s'", s);
    opt->timeout_ms = (int64_t)(seconds * 1000 + 0.999);
    return 0;
}

/* Returns 0 if the word is allowed.  Otherwise refuses it, for example with "--era must
 * be auto, legacy or modern, not 'old'". */
static int
check_choice(int number, const char *s)
{
    const struct option_row *row = option_find(number);
    struct text t = {0};
    int r;

    if (words_have(row->words, s))
        return 0;
    words_enumerate(&t, row->words, "", "or");
    r = refuse("--%s must be %s, not '%s'", row->name,
               text_failed(&t) ? "another word" : t.data, s);
    text_free(&t);
    return r;
}

static int
parse_transport(struct options *opt, const char *s)
{
    int transport = MCPHOST_TRANSPORT_NONE, r = check_choice(OPT_TRANSPORT, s);

    (void)mcphost_enum_find_value(MCPHOST_ENUM_TRANSPORT, s, &transport);
    opt->sse = transport == MCPHOST_TRANSPORT_SSE;
    opt->transport = s;
    return r;
}

static int
parse_elicit(struct options *opt, const char *s)
{
    static const char *const names[] = {"auto", "ask", "decline", "cancel", "off"};

    for (int i = ELICIT_AUTO; i <= ELICIT_OFF; i++) {
        if (strcmp(s, names[i]) == 0) {
            opt->elicit = i;
            return 0;
        }
    }
    return refuse("--elicit must be auto, ask, decline, cancel or off, not '%s'", s);
}

static int
parse_color(struct options *opt, const char *s)
{
    opt->color = !s || strcmp(s, "always") == 0 ? COLOR_ALWAYS
                 : strcmp(s, "never") == 0      ? COLOR_NEVER
                                                : COLOR_AUTO;
    return s ? check_choice(OPT_COLOR, s) : 0;
}

/* Returns true if the id has the form that mcphost_source_new() accepts. */
static int
is_source_id(const char *id)
{
    size_t len = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789_-.");

    return len >= 1 && len <= 64 && !id[len];
}

static int
add_source(struct options *opt, const struct given_source *source)
{
    if (opt->n_sources == SOURCES_MAX)
        return refuse("more than %d sources", SOURCES_MAX);
    opt->sources[opt->n_sources++] = *source;
    return 0;
}

static int
take_source(struct options *opt, char *word)
{
    char *equals = strchr(word, '=');

    if (!equals || !equals[1])
        return refuse("--source must be ID=PATH, not '%s'", word);
    *equals = '\0';
    if (!is_source_id(word))
        return refuse("the id of a source must have 1 to 64 letters, digits, '_', '-' or "
                      "'.', not '%s'",
                      word);
    for (size_t i = 0; i < opt->n_sources; i++) {
        const char *id = opt->sources[i].id;

        if (id && strcmp(id, word) == 0)
            return refuse("there are two sources '%s'", word);
    }
    return add_source(opt, &(struct given_source){.id = word, .path = equals + 1});
}

static int
take_profile(struct options *opt, const char *name)
{
    int r = check_choice(OPT_PROFILE, name);

    if (r == 0)
        r = add_source(opt, &(struct given_source){.profile = profile_find(name)});
    opt->n_profiles++;
    return r;
}

/* Stores the directory of a -C.  A directory after --profile belongs to that profile.  A
 * directory before the first --profile is the workspace. */
static int
take_directory(struct options *opt, const char *directory)
{
    size_t i = opt->n_sources;

    while (i > 0 && !opt->sources[i - 1].profile)
        i--;
    if (i > 0)
        opt->sources[i - 1].directory = directory;
    else
        opt->directory = directory;
    return 0;
}

static int
refuse_option(const char *word)
{
    const char *names[N_ROWS], *meant;
    char name[64];

    if (strncmp(word, "--", 2) != 0)
        return refuse("unknown option '%s'", word);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    for (size_t i = 0; i < N_ROWS; i++) {
        names[i] = option_rows[i].name;
        if (names[i] && strcmp(name + 2, names[i]) == 0)
            return refuse("%s takes no value", name);
    }
    meant = words_suggest(name + 2, names);
    if (meant)
        return refuse("unknown option '%s'; did you mean '--%s'?", name, meant);
    return refuse("unknown option '%s'", name);
}

/* Returns the wrong option as text.  Makes the text of an option of one letter from
 * optopt, because argv[optind - 1] may be another word. */
static const char *
bad_word(char **argv, char letter[3])
{
    letter[0] = '-';
    letter[1] = (char)optopt;
    letter[2] = '\0';
    return optopt > 0 && optopt < 256 ? letter : argv[optind - 1];
}

static int
take_header(struct options *opt, int c)
{
    if (c == OPT_HEADER)
        return ctl_headers_add(opt, optarg, NULL);
    return c == OPT_HEADER_FILE ? ctl_headers_add_file(opt, optarg)
                                : ctl_headers_add_env(opt, optarg);
}

static int
take_word(struct options *opt, int c)
{
    const char **word = c == OPT_DIALOG             ? &opt->dialog
                        : c == OPT_TOOLSET          ? &opt->toolset
                        : c == OPT_FOR              ? &opt->provider
                        : c == OPT_SERVER           ? &opt->server
                        : c == OPT_ROLE             ? &opt->role
                        : c == OPT_PLUGINS          ? &opt->plugins
                        : c == OPT_PLUGINS_CONFIG   ? &opt->plugins_config
                        : c == OPT_BUILTIN_PLUGINS  ? &opt->builtin_plugins
                        : c == OPT_STATE_DIR        ? &opt->state_dir
                        : c == OPT_PROJECT_ROOT     ? &opt->project_root
                        : c == OPT_SESSION_ROOT     ? &opt->session_root
                        : c == OPT_DEFAULTS         ? &opt->defaults
                        : c == OPT_PROMPT           ? &opt->prompt
                        : c == OPT_TEMPLATE         ? &opt->template
                        : c == OPT_SAMPLING_COMMAND ? &opt->sampling_command
                        : c == OPT_SAMPLING_FORMAT  ? &opt->sampling_format
                        : c == OPT_SAMPLING_MODEL   ? &opt->sampling_model
                                                    : &opt->save;

    *word = optarg;
    return 0;
}

/* Takes an option whose value is a word from a short list. */
static int
take_choice(struct options *opt, int c)
{
    switch (c) {
    case OPT_TRANSPORT:
        return parse_transport(opt, optarg);
    case OPT_ERA:
        (void)mcphost_enum_find_value(MCPHOST_ENUM_ERA, optarg, &opt->era);
        return check_choice(c, optarg);
    case OPT_NAMES:
        (void)mcphost_enum_find_value(MCPHOST_ENUM_NAMES, optarg, &opt->names);
        return check_choice(c, optarg);
    case OPT_ELICIT:
        return parse_elicit(opt, optarg);
    case OPT_TOKEN_STORE:
        if (strcmp(optarg, SECRET_SERVICE) == 0)
            opt->token_store = TOKENS_SECRET_SERVICE;
        else
            (void)mcphost_enum_find_value(MCPHOST_ENUM_TOKEN_STORE, optarg,
                                          &opt->token_store);
        return check_choice(c, optarg);
    default:
        return parse_color(opt, optarg);
    }
}

/* Takes an option without a value.  Returns 1, or 0 if `c` is another option. */
static int
take_flag(struct options *opt, int c)
{
    switch (c) {
    case OPT_ADMIN:
        return opt->admin = 1;
    case OPT_SAMPLING_EVENTS:
        return opt->sampling_events = 1;
    case OPT_DEVICE:
        return opt->device = 1;
    case OPT_PASTE:
        return opt->paste = 1;
    case OPT_NO_BROWSER:
        return opt->no_browser = 1;
    case OPT_PROBE:
        return opt->probe = 1;
    case OPT_RAW:
        return opt->raw = 1;
    case OPT_JSON:
        return opt->json = 1;
    case OPT_VERBOSE:
        opt->verbose++;
        return 1;
    case OPT_HELP:
        return opt->help = 1;
    case OPT_VERSION:
        return opt->version = 1;
    default:
        return 0;
    }
}

static int
take_option(struct options *opt, int c, char **argv)
{
    char letter[3];

    switch (c) {
    case OPT_DIRECTORY:
        return take_directory(opt, optarg);
    case OPT_PROFILE:
        return take_profile(opt, optarg);
    case OPT_CONFIG:
        opt->config = optarg;
        return 0;
    case OPT_STDIO:
        opt->stdio = optarg;
        return 0;
    case OPT_URL:
        opt->url = optarg;
        return 0;
    case OPT_TRANSPORT:
    case OPT_ERA:
    case OPT_NAMES:
    case OPT_COLOR:
    case OPT_ELICIT:
    case OPT_TOKEN_STORE:
        return take_choice(opt, c);
    case OPT_HEADER:
    case OPT_HEADER_FILE:
    case OPT_HEADER_ENV:
        return take_header(opt, c);
    case OPT_SOURCE:
        return take_source(opt, optarg);
    case OPT_DIALOG:
    case OPT_TOOLSET:
    case OPT_FOR:
    case OPT_SAVE:
    case OPT_SERVER:
    case OPT_ROLE:
    case OPT_PLUGINS:
    case OPT_PLUGINS_CONFIG:
    case OPT_BUILTIN_PLUGINS:
    case OPT_STATE_DIR:
    case OPT_PROJECT_ROOT:
    case OPT_SESSION_ROOT:
    case OPT_DEFAULTS:
    case OPT_PROMPT:
    case OPT_TEMPLATE:
    case OPT_SAMPLING_COMMAND:
    case OPT_SAMPLING_FORMAT:
    case OPT_SAMPLING_MODEL:
        return take_word(opt, c);
    case OPT_TIMEOUT:
        return parse_timeout(opt, optarg);
    case ':':
        return refuse("option '%s' needs a value", bad_word(argv, letter));
    default:
        return take_flag(opt, c) ? 0 : refuse_option(bad_word(argv, letter));
    }
}

/* Refuses an option, for example with "--toolset can be used with the command 'tools'
 * only". */
static int
refuse_row(const struct option_row *row, const char *command)
{
    struct text t = {0};
    int r;

    if (row->never)
        return refuse("--%s cannot be used with the command '%s'", row->name, command);
    words_enumerate(&t, row->only, "'", "and");
    r = refuse("--%s can be used with the command%s %s only", row->name,
               strchr(row->only, ' ') ? "s" : "", text_failed(&t) ? "" : t.data);
    text_free(&t);
    return r;
}

int
option_fits(const struct option_row *row, const char *command)
{
    return (!row->only || words_have(row->only, command)) &&
           (!row->never || !words_have(row->never, command));
}

static int
check_sampling(const struct options *opt)
{
    int is_batch = strcmp(opt->command, "batch") == 0;

    if ((opt->sampling_format || opt->sampling_model) && !opt->sampling_command)
        return refuse("--sampling-format and --sampling-model need --sampling-command");
    if (opt->sampling_events && (!is_batch || opt->sampling_command))
        return refuse("--sampling-events can be used with the command 'batch' only, "
                      "without --sampling-command");
    if (opt->elicit == ELICIT_ASK && strcmp(opt->command, "watch") == 0)
        return refuse("--elicit ask cannot be used with the command 'watch'");
    return 0;
}

/* Refuses --profile dominds together with an option that replaces the profile's file. */
static int
check_profiles(const struct options *opt)
{
    const struct profile *first = profile_find("dominds");

    for (size_t i = 0; i < opt->n_sources; i++) {
        if (opt->sources[i].profile == first && (opt->config || opt->stdio || opt->url))
            return refuse(
                "--profile dominds cannot be combined with --config, --stdio or --url");
    }
    return 0;
}

static int
check_options(const struct options *opt, const char *given)
{
    int r;

    if (opt->help || opt->version)
        return 0;
    if (!opt->command)
        return refuse("a command is missing");
    if (!!opt->config + !!opt->stdio + !!opt->url > 1)
        return refuse("--config, --stdio and --url cannot be combined");
    if (opt->transport && opt->stdio)
        return refuse("--transport and --stdio cannot be combined");
    if (opt->transport && !opt->url && !opt->sse)
        return refuse("--transport streamable_http needs --url");
    if (opt->era >= 0 && !opt->url && !opt->stdio)
        return refuse("--era needs --url or --stdio");
    if (opt->era == MCPHOST_ERA_MODERN && opt->sse)
        return refuse("--era modern and --transport sse cannot be combined");
    if (opt->n_headers > 0 && !opt->url)
        return refuse("--header, --header-file and --header-env need --url");
    for (size_t i = 0; option_rows[i].name; i++) {
        if (given[i] && !option_fits(&option_rows[i], opt->command))
            return refuse_row(&option_rows[i], opt->command);
    }
    if (opt->plugins_config && !opt->plugins)
        return refuse("--plugins-config needs --plugins");
    if (opt->dialog && !*opt->dialog)
        return refuse("--dialog needs a name");
    if (opt->device + opt->paste + opt->no_browser > 1)
        return refuse("--device, --paste and --no-browser cannot be combined");
    if (opt->raw && (opt->save || opt->json))
        return refuse("--raw cannot be combined with --save or --json");
    if (opt->save && !*opt->save)
        return refuse("--save needs a directory");
    r = check_profiles(opt);
    return r ? r : check_sampling(opt);
}

/* Adds an option to opt->server_words, from which the advice to log in is made.  Adds
 * only options that the command `login` takes: the options of servers, and
 * --token-store if it names the secret service.  Leaves out the value of a header,
 * because the value may be a secret. */
static void
keep_word(struct options *opt, const struct option_row *row, const char *value)
{
    struct text *t = &opt->server_words, header = {0};

    if (row->number == OPT_TOKEN_STORE ? strcmp(value, SECRET_SERVICE) != 0
                                       : !(row->flags & OPTION_SERVERS))
        return;
    if (!option_fits(row, "login"))
        return;
    if (row->letter)
        text_printf(t, " -%c ", row->letter);
    else
        text_printf(t, " --%s ", row->name);
    if (row->number == OPT_HEADER) {
        text_printf(&header, "%.*s: ...", (int)strcspn(value, ":"), value);
        value = text_failed(&header) ? "..." : header.data;
    }
    words_add_quoted(t, value);
    text_free(&header);
}

/* Makes the tables of getopt_long() from the rows.  `letters` must hold two bytes for
 * each row, and two more bytes. */
static void
make_getopt(struct option longs[N_ROWS], char *letters)
{
    size_t n = 0;

    letters[n++] = ':';
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct option_row *row = &option_rows[i];
        int takes = row->takes == TAKES_NOTHING      ? no_argument
                    : (row->flags & OPTION_OPTIONAL) ? optional_argument
                                                     : required_argument;

        longs[i] = (struct option){row->name, takes, NULL, row->number};
        if (!row->letter)
            continue;
        letters[n++] = row->letter;
        if (takes == required_argument)
            letters[n++] = ':';
    }
    letters[n] = '\0';
}

/* Returns the index of the command in `argv`, or `argc` if there is no command.
 * `letters` must begin with '-', so that getopt_long() returns the words in order and
 * moves no word. */
static int
find_command(int argc, char **argv, const char *letters, const struct option *longs)
{
    int c;

    optind = 0; /* restarts getopt_long() */
    do
        c = getopt_long(argc, argv, letters, longs, NULL);
    while (c != -1 && c != 1);
    return c == 1 ? optind - 1 : argc;
}

/* Removes --stdio after the command `serve`, because the option takes no value there.
 * Returns 1 if it removed the option, else 0. */
static int
take_serve_stdio(int *argc, char **argv, const char *letters, const struct option *longs)
{
    int at = find_command(*argc, argv, letters, longs);

    if (at >= *argc || strcmp(argv[at], "serve") != 0)
        return 0;
    while (++at < *argc && strcmp(argv[at], "--stdio") != 0)
        ;
    if (at >= *argc)
        return 0;
    memmove(&argv[at], &argv[at + 1], (size_t)(*argc - at) * sizeof(*argv));
    --*argc;
    return 1;
}

int
options_parse(struct options *opt, int argc, char **argv)
{
    struct option longs[N_ROWS];
    char ordered[2 * N_ROWS + 3], *letters = ordered + 1, given[N_ROWS] = {0};
    int c, r;

    memset(opt, 0, sizeof(*opt));
    opt->timeout_ms = opt->era = opt->token_store = -1;
    make_getopt(longs, letters);
    opterr = 0;
    ordered[0] = '-';
    opt->serve_stdio = take_serve_stdio(&argc, argv, ordered, longs);
    optind = 0;
    for (;;) {
        const struct option_row *row;

        /* Reset optopt, because getopt_long() does not set optopt for every kind of
         * mistake. */
        optopt = 0;
        c = getopt_long(argc, argv, letters, longs, NULL);
        if (c == -1)
            break;
        row = c == '?' || c == ':' ? NULL : option_find(c);
        if (row) {
            given[row - option_rows] = 1;
            keep_word(opt, row, optarg);
        }
        r = take_option(opt, row ? row->number : c, argv);
        if (r)
            return r;
    }
    if (optind < argc)
        opt->command = argv[optind++];
    opt->args = argv + optind;
    opt->n_args = argc - optind;
    opt->detects = opt->command && option_fits(option_find(OPT_PROFILE), opt->command);
    return check_options(opt, given);
}

void
options_free(struct options *opt)
{
    ctl_headers_free(opt);
    text_free(&opt->server_words);
}
