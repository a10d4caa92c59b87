/* SPDX-License-Identifier: MIT
 *
 * main.c - mcphostctl: inspect, test and control MCP servers from the command line.
 *
 * This file finds the command and runs it.  The commands themselves are in other files.
 */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "profiles.h"
#include "words.h"

const struct command commands[] = {
    {"check", cmd_check, 0, 0, "", "check the configuration, start nothing",
     .first = NULL},
    {"servers", cmd_servers, 0, 0, "", "start the servers and list them", .first = NULL},
    {"server", cmd_server, 1, 1, "SERVER",
     "show one server, its instructions and its manual", "the id of a server",
     .takes = {TAKES_SERVER}},
    {"tools", cmd_tools, 0, 0, "[--toolset T]", "list the tools", .first = NULL},
    {"tool", cmd_tool, 1, 1, "NAME", "show one tool and its schema", "the name of a tool",
     .takes = {TAKES_TOOL}},
    {"call", cmd_call, 1, -1, "NAME [JSON | @FILE | - | KEY=VALUE ...]", "call a tool",
     "the name of a tool", .takes = {TAKES_TOOL, TAKES_TOOL_ARGUMENT}},
    {"resources", cmd_resources, 0, 0, "", "list the resources", .first = NULL},
    {"templates", cmd_templates, 0, 0, "", "list the templates of resources",
     .first = NULL},
    {"read", cmd_read, 1, 1, "URI [--server S]", "read a resource", "a URI",
     .takes = {TAKES_URI}},
    {"prompts", cmd_prompts, 0, 0, "", "list the prompts", .first = NULL},
    {"prompt", cmd_prompt, 1, -1, "NAME [JSON | @FILE | - | KEY=VALUE ...]",
     "get a prompt", "the name of a prompt",
     .takes = {TAKES_PROMPT, TAKES_PROMPT_ARGUMENT}},
    {"complete", cmd_complete, 1, -1,
     "{--prompt NAME | --template T} ARG=TEXT [KEY=VALUE ...]",
     "complete a value that begins with TEXT", "an argument and how it begins",
     .takes = {TAKES_COMPLETED, TAKES_COMPLETED}},
    {"subscribe", cmd_subscribe, 1, -1, "URI ... [--server S]",
     "print changes of resources", "a URI", .takes = {TAKES_URI, TAKES_URI}},
    {"skills", cmd_skills, 1, 2,
     "list [--role R] | show NAME [--server S] | {enable | disable} NAME [--role R]",
     "list the skills, print one, or enable or disable one of a workspace",
     "list, show, enable or disable", .takes = {TAKES_WORD, TAKES_SKILL},
     .words = SKILLS_WORDS},
    {"apps", cmd_apps, 0, 0, "", "list the apps of ChatOS plugins", .first = NULL},
    {"app", cmd_app, 1, 1, "PLUGIN:APP", "show what an app contributes", "an app",
     .takes = {TAKES_TEXT}},
    {"task", cmd_task, 1, 3, "[get|update|cancel|wait] ID [JSON] [--server S]",
     "show or steer a task of a server", "the id of a task",
     .takes = {TAKES_WORD, TAKES_TEXT, TAKES_TEXT}, .words = TASK_WORDS},
    {"project", cmd_project, 0, 0, "--for PROVIDER",
     "print the tools in the form of a model provider", .first = NULL},
    {"problems", cmd_problems, 0, 0, "", "list what is wrong, and why tools are missing",
     .first = NULL},
    {"plugins", cmd_plugins, 0, 1, "[ID] [--probe]",
     "list the plugins of --plugins, or try each in a process of its own",
     "the id of a plugin", .takes = {TAKES_TEXT}},
    {"watch", cmd_watch, 0, 0, "", "follow the file and show what changes",
     .first = NULL},
    {"diff", cmd_diff, 1, 1, "FILE",
     "show what would change if FILE were the configuration", "a file",
     .takes = {TAKES_FILE}},
    {"enable", cmd_enable, 1, 1, "SERVER", "write 'enabled: true' into the file",
     "the id of a server", .takes = {TAKES_SERVER}},
    {"disable", cmd_disable, 1, 1, "SERVER", "write 'enabled: false' into the file",
     "the id of a server", .takes = {TAKES_SERVER}},
    {"reload", cmd_reload, 0, 0, "", "make hosts that follow the file read it again",
     .first = NULL},
    {"restart", cmd_restart, 1, 1, "SERVER",
     "start one server and show whether it comes up", "the id of a server",
     .takes = {TAKES_SERVER}},
    {"login", cmd_login, 1, 1, "SERVER [--device | --paste | --no-browser]",
     "log in at a server", "the id of a server", .takes = {TAKES_SERVER}},
    {"logout", cmd_logout, 1, 1, "SERVER", "forget the tokens of a server",
     "the id of a server", .takes = {TAKES_SERVER}},
    {"auth", cmd_auth, 1, 1, "status", "list the logins whose tokens are kept",
     "what to show", .takes = {TAKES_WORD}, .words = AUTH_WORDS},
    {"schema", cmd_schema, 3, 3, "check SCHEMA FILE",
     "check a JSON file against a schema", "what to check",
     .takes = {TAKES_WORD, TAKES_FILE, TAKES_FILE}, .words = SCHEMA_WORDS},
    {"serve", cmd_serve, 0, 0, "--stdio", "serve all tools to an MCP client",
     .first = NULL},
    {"batch", cmd_batch, 0, 0, "", "read commands and print answers as lines of JSON",
     .first = NULL},
    /* Only the completions of the shells call this command. */
    {"complete-line", cmd_complete_line, 3, 4, NULL, NULL, .first = "the shell"},
    {.name = NULL},
};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) - 1 };

static int
bad_usage(const struct command *command, const char *what)
{
    fprintf(stderr, "mcphostctl: %s is %s\nTry 'mcphostctl --help'.\n", command->first,
            what);
    return STATUS_USAGE;
}

const struct command *
command_find(const char *name)
{
    const char *names[N_COMMANDS + 1] = {NULL};
    const char *meant;
    size_t n = 0;

    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
        if (commands[i].summary)
            names[n++] = commands[i].name;
    }
    meant = words_suggest(name, names);
    fprintf(stderr, "mcphostctl: unknown command '%s'", name);
    if (meant)
        fprintf(stderr, "; did you mean '%s'?", meant);
    fputs("\nTry 'mcphostctl --help'.\n", stderr);
    return NULL;
}

static int
run_command(struct ctl *ctl)
{
    const struct command *command = command_find(ctl->opt.command);
    int status;

    if (!command)
        return STATUS_USAGE;
    if (ctl->opt.n_args < command->least)
        return bad_usage(command, "missing");
    if (command->most >= 0 && ctl->opt.n_args > command->most) {
        fprintf(stderr, "mcphostctl: '%s' is one argument too many\n",
                ctl->opt.args[command->most]);
        return STATUS_USAGE;
    }
    if (ctl->opt.n_args > 0 && !*ctl->opt.args[0])
        return bad_usage(command, "empty");
    status = profiles_settle(ctl);
    if (status == 0)
        status = command->run(ctl);
    ctl_close(ctl);
    return status;
}

int
main(int argc, char **argv)
{
    struct ctl ctl = {.signal_fd = -1};
    int status = options_parse(&ctl.opt, argc, argv);

    if (status) {
        options_free(&ctl.opt);
        return status;
    }
    if (ctl.opt.help) {
        status = usage_print(stdout, ctl.opt.command);
    } else if (ctl.opt.version) {
        printf("mcphostctl %s (libmcphost %s)\n", MCPHOST_VERSION_STRING,
               mcphost_version());
    } else {
        if (!ctl.opt.dialog && ctl.opt.command)
            ctl.opt.dialog = strcmp(ctl.opt.command, "serve") == 0 ? "serve" : "cli";
        status = run_command(&ctl);
    }
    options_free(&ctl.opt);
    /* Report a failed write, because a full disk must not look like success. */
    if (fflush(stdout) != 0 && status == STATUS_OK)
        status = STATUS_SERVER;
    return status;
}
