/* SPDX-License-Identifier: MIT
 *
 * options.c - the command line.
 *
 * Options may stand before and behind the command; "--" ends them.
 */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "words.h"

/* One day: more is a slip of the pen, and keeps milliseconds far from any limit. */
#define TIMEOUT_MAX_S 86400.0

/* Long options have numbers of their own, which tells them from letters in optopt. */
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
    OPT_ADMIN,
    OPT_NAMES,
    OPT_DIALOG,
    OPT_TIMEOUT,
    OPT_COLOR,
    OPT_TOOLSET,
    OPT_FOR,
    OPT_SAVE,
    OPT_SERVER,
    OPT_PROMPT,
    OPT_TEMPLATE,
    OPT_ELICIT,
    OPT_SAMPLING_COMMAND,
    OPT_SAMPLING_FORMAT,
    OPT_SAMPLING_MODEL,
    OPT_SAMPLING_EVENTS,
    OPT_RAW,
    OPT_JSON,
    OPT_VERBOSE,
    OPT_HELP,
    OPT_VERSION
};

static const struct option long_options[] = {
    {"directory", required_argument, NULL, OPT_DIRECTORY},
    {"config", required_argument, NULL, OPT_CONFIG},
    {"stdio", required_argument, NULL, OPT_STDIO},
    {"url", required_argument, NULL, OPT_URL},
    {"transport", required_argument, NULL, OPT_TRANSPORT},
    {"era", required_argument, NULL, OPT_ERA},
    {"header", required_argument, NULL, OPT_HEADER},
    {"header-file", required_argument, NULL, OPT_HEADER_FILE},
    {"header-env", required_argument, NULL, OPT_HEADER_ENV},
    {"source", required_argument, NULL, OPT_SOURCE},
    {"admin", no_argument, NULL, OPT_ADMIN},
    {"names", required_argument, NULL, OPT_NAMES},
    {"dialog", required_argument, NULL, OPT_DIALOG},
    {"toolset", required_argument, NULL, OPT_TOOLSET},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"color", optional_argument, NULL, OPT_COLOR},
    {"for", required_argument, NULL, OPT_FOR},
    {"save", required_argument, NULL, OPT_SAVE},
    {"server", required_argument, NULL, OPT_SERVER},
    {"prompt", required_argument, NULL, OPT_PROMPT},
    {"template", required_argument, NULL, OPT_TEMPLATE},
    {"elicit", required_argument, NULL, OPT_ELICIT},
    {"sampling-command", required_argument, NULL, OPT_SAMPLING_COMMAND},
    {"sampling-format", required_argument, NULL, OPT_SAMPLING_FORMAT},
    {"sampling-model", required_argument, NULL, OPT_SAMPLING_MODEL},
    {"sampling-events", no_argument, NULL, OPT_SAMPLING_EVENTS},
    {"raw", no_argument, NULL, OPT_RAW},
    {"json", no_argument, NULL, OPT_JSON},
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

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

static int
parse_timeout(struct options *opt, const char *s)
{
    char *end;
    double seconds = strtod(s, &end);

    if (end == s || *end || !isfinite(seconds) || seconds <= 0)
        return refuse("--timeout wants a number of seconds above 0, not '%s'", s);
    if (seconds > TIMEOUT_MAX_S)
        return refuse("--timeout of more than a day: '%s'", s);
    opt->timeout_ms = (int64_t)(seconds * 1000 + 0.999);
    return 0;
}

static int
parse_transport(struct options *opt, const char *s)
{
    int transport = MCPHOST_TRANSPORT_NONE;

    (void)mcphost_enum_find_value(MCPHOST_ENUM_TRANSPORT, s, &transport);
    opt->sse = transport == MCPHOST_TRANSPORT_SSE;
    opt->transport = s;
    if (opt->sse || transport == MCPHOST_TRANSPORT_STREAMABLE_HTTP)
        return 0;
    return refuse("--transport wants streamable_http or sse, not '%s'", s);
}

static int
parse_era(struct options *opt, const char *s)
{
    if (mcphost_enum_find_value(MCPHOST_ENUM_ERA, s, &opt->era) == 0)
        return 0;
    return refuse("--era wants auto, legacy or modern, not '%s'", s);
}

static int
parse_names(struct options *opt, const char *s)
{
    if (mcphost_enum_find_value(MCPHOST_ENUM_NAMES, s, &opt->names) == 0)
        return 0;
    return refuse("--names wants transforms or server, not '%s'", s);
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
    return refuse("--elicit wants auto, ask, decline, cancel or off, not '%s'", s);
}

static int
parse_color(struct options *opt, const char *s)
{
    static const char *const names[] = {"auto", "always", "never", NULL};

    if (!s) {
        opt->color = COLOR_ALWAYS;
        return 0;
    }
    for (int i = 0; names[i]; i++) {
        if (strcmp(s, names[i]) == 0) {
            opt->color = i;
            return 0;
        }
    }
    return refuse("--color wants auto, always or never, not '%s'", s);
}

/* As mcphost_source_new() wants it. */
static int
is_source_id(const char *id)
{
    size_t len = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789_-.");

    return len >= 1 && len <= 64 && !id[len];
}

static int
take_source(struct options *opt, char *word)
{
    char *equals = strchr(word, '=');

    if (!equals || !equals[1])
        return refuse("--source wants ID=PATH, not '%s'", word);
    *equals = '\0';
    if (!is_source_id(word))
        return refuse("the id of a source has 1 to 64 letters, digits, '_', '-' or '.', "
                      "not '%s'",
                      word);
    for (size_t i = 0; i < opt->n_sources; i++) {
        if (strcmp(opt->source_ids[i], word) == 0)
            return refuse("there are two sources '%s'", word);
    }
    if (opt->n_sources == SOURCES_MAX)
        return refuse("more than %d sources", SOURCES_MAX);
    opt->source_ids[opt->n_sources] = word;
    opt->source_paths[opt->n_sources++] = equals + 1;
    return 0;
}

static int
refuse_option(const char *word)
{
    const char *names[sizeof(long_options) / sizeof(long_options[0])] = {NULL};
    char name[64];
    const char *meant;
    size_t n = 0;

    if (strncmp(word, "--", 2) != 0)
        return refuse("unknown option '%s'", word);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    for (const struct option *o = long_options; o->name; o++) {
        if (strcmp(name + 2, o->name) == 0)
            return refuse("%s takes no value", name);
        names[n++] = o->name;
    }
    meant = words_suggest(name + 2, names);
    if (meant)
        return refuse("unknown option '%s'; did you mean '--%s'?", name, meant);
    return refuse("unknown option '%s'", name);
}

/* For a letter optind may still point at the word it stands in. */
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
                        : c == OPT_PROMPT           ? &opt->prompt
                        : c == OPT_TEMPLATE         ? &opt->template
                        : c == OPT_SAMPLING_COMMAND ? &opt->sampling_command
                        : c == OPT_SAMPLING_FORMAT  ? &opt->sampling_format
                        : c == OPT_SAMPLING_MODEL   ? &opt->sampling_model
                                                    : &opt->save;

    *word = optarg;
    return 0;
}

/* An option whose value is one of a few words. */
static int
take_choice(struct options *opt, int c)
{
    switch (c) {
    case OPT_TRANSPORT:
        return parse_transport(opt, optarg);
    case OPT_ERA:
        return parse_era(opt, optarg);
    case OPT_NAMES:
        return parse_names(opt, optarg);
    case OPT_ELICIT:
        return parse_elicit(opt, optarg);
    default:
        return parse_color(opt, optarg);
    }
}

/* An option without a value.  0: it is none. */
static int
take_flag(struct options *opt, int c)
{
    switch (c) {
    case OPT_ADMIN:
        return opt->admin = 1;
    case OPT_SAMPLING_EVENTS:
        return opt->sampling_events = 1;
    case OPT_RAW:
        return opt->raw = 1;
    case OPT_JSON:
        return opt->json = 1;
    case 'v':
    case OPT_VERBOSE:
        opt->verbose++;
        return 1;
    case 'h':
    case OPT_HELP:
        return opt->help = 1;
    case 'V':
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
    case 'C':
    case OPT_DIRECTORY:
        opt->directory = optarg;
        return 0;
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
    case OPT_PROMPT:
    case OPT_TEMPLATE:
    case OPT_SAMPLING_COMMAND:
    case OPT_SAMPLING_FORMAT:
    case OPT_SAMPLING_MODEL:
        return take_word(opt, c);
    case OPT_TIMEOUT:
        return parse_timeout(opt, optarg);
    case ':':
        return refuse("option '%s' wants a value", bad_word(argv, letter));
    default:
        return take_flag(opt, c) ? 0 : refuse_option(bad_word(argv, letter));
    }
}

/* Of words with a blank between them. */
static int
is_one_of(const char *word, const char *words)
{
    size_t len = strlen(word);

    for (; words; words = strchr(words, ' ')) {
        words += *words == ' ';
        if (strncmp(words, word, len) == 0 && (words[len] == ' ' || !words[len]))
            return 1;
    }
    return 0;
}

static int
check_sampling(const struct options *opt)
{
    int is_batch = strcmp(opt->command, "batch") == 0;

    if ((opt->sampling_format || opt->sampling_model) && !opt->sampling_command)
        return refuse("--sampling-format and --sampling-model are for "
                      "--sampling-command only");
    if (opt->sampling_events && (!is_batch || opt->sampling_command))
        return refuse("--sampling-events is for the command 'batch' only, without "
                      "--sampling-command");
    if (opt->elicit == ELICIT_ASK && strcmp(opt->command, "watch") == 0)
        return refuse("--elicit ask is not for the command 'watch'");
    return 0;
}

static int
check_options(const struct options *opt)
{
    if (opt->help || opt->version)
        return 0;
    if (!opt->command)
        return refuse("a command is missing");
    if (!!opt->config + !!opt->stdio + !!opt->url > 1)
        return refuse("--config, --stdio and --url exclude each other");
    if (opt->transport && opt->stdio)
        return refuse("--transport and --stdio exclude each other");
    if (opt->transport && !opt->url && !opt->sse)
        return refuse("--transport streamable_http is for --url only");
    if (opt->era >= 0 && !opt->url && !opt->stdio)
        return refuse("--era is for --url and --stdio only");
    if (opt->era == MCPHOST_ERA_MODERN && opt->sse)
        return refuse("--era modern excludes --transport sse");
    if (opt->n_headers > 0 && !opt->url)
        return refuse("--header, --header-file and --header-env are for --url only");
    if (opt->n_sources > 0 && is_one_of(opt->command, "diff reload schema"))
        return refuse("--source is not for the command '%s'", opt->command);
    if (opt->dialog && !*opt->dialog)
        return refuse("--dialog wants a name that is not empty");
    if (opt->toolset && strcmp(opt->command, "tools") != 0)
        return refuse("--toolset is for the command 'tools' only");
    if (opt->provider && strcmp(opt->command, "project") != 0)
        return refuse("--for is for the command 'project' only");
    if ((opt->save || opt->raw) &&
        !is_one_of(opt->command, "call read prompt skills task"))
        return refuse("--save and --raw are for the commands 'call', 'read', 'prompt', "
                      "'skills' and 'task' only");
    if (opt->server &&
        !is_one_of(opt->command, "read prompt complete subscribe skills task"))
        return refuse("--server is for the commands 'read', 'prompt', 'complete', "
                      "'subscribe', 'skills' and 'task' only");
    if ((opt->prompt || opt->template) && strcmp(opt->command, "complete") != 0)
        return refuse("--prompt and --template are for the command 'complete' only");
    if (opt->raw && (opt->save || opt->json))
        return refuse("--raw excludes --save and --json");
    if (opt->save && !*opt->save)
        return refuse("--save wants a directory");
    return check_sampling(opt);
}

int
options_parse(struct options *opt, int argc, char **argv)
{
    int c, r;

    memset(opt, 0, sizeof(*opt));
    opt->timeout_ms = opt->era = -1;
    opterr = 0;
    for (;;) {
        /* The library sets it for letters only. */
        optopt = 0;
        c = getopt_long(argc, argv, ":C:vhV", long_options, NULL);
        if (c == -1)
            break;
        r = take_option(opt, c, argv);
        if (r)
            return r;
    }
    if (optind < argc)
        opt->command = argv[optind++];
    opt->args = argv + optind;
    opt->n_args = argc - optind;
    return check_options(opt);
}
