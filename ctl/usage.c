/* SPDX-License-Identifier: MIT
 *
 * usage.c - the text of --help: of mcphostctl as a whole, and of each command.
 */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "words.h"

enum { HEAD_WIDTH = 24, USAGE_WIDTH = 80 };

/* Prints a text in lines that begin at column `indent`.  The cursor must be in this
 * column. */
static void
print_wrapped(FILE *to, const char *s, int indent)
{
    int column = indent;

    while (*s) {
        int n = (int)strcspn(s, " ");

        if (column + 1 + n > USAGE_WIDTH && column > indent) {
            fprintf(to, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(to, "%s%.*s", column > indent ? " " : "", n, s);
        s += n;
        s += *s == ' ';
    }
    fputc('\n', to);
}

static void
print_row(FILE *to, const struct option_row *row, const char *command)
{
    struct text t = {0};
    int n = row->letter ? fprintf(to, "  -%c, --%s", row->letter, row->name)
                        : fprintf(to, "  --%s", row->name);

    if (row->value && (row->flags & OPTION_OPTIONAL))
        n += fprintf(to, "[=%s]", row->value);
    else if (row->value)
        n += fprintf(to, " %s", row->value);
    if (n < HEAD_WIDTH)
        fprintf(to, "%*s", HEAD_WIDTH - n, "");
    else
        fprintf(to, "\n%*s", HEAD_WIDTH, "");
    text_puts(&t, row->summary);
    if (row->only && !command) {
        text_puts(&t, " (for ");
        words_enumerate(&t, row->only, "", "and");
        text_puts(&t, ")");
    }
    print_wrapped(to, text_failed(&t) ? row->summary : t.data, HEAD_WIDTH);
    text_free(&t);
}

static void
print_options(FILE *to)
{
    int in_options = 0;

    fputs("\nWhich servers:\n", to);
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!in_options && !(row->flags & OPTION_SERVERS)) {
            fputs("\nOptions:\n", to);
            in_options = 1;
        }
        print_row(to, row, NULL);
    }
}

static void
print_whole(FILE *to)
{
    fputs("usage: mcphostctl [OPTIONS] COMMAND [ARGUMENTS]\n\nCommands:\n", to);
    for (const struct command *c = commands; c->name; c++) {
        int n;

        if (!c->summary)
            continue;
        n = fprintf(to, "  %s %s", c->name, c->arguments);
        if (n >= HEAD_WIDTH)
            n = fprintf(to, "\n") - 1;
        fprintf(to, "%*s%s\n", HEAD_WIDTH - n, "", c->summary);
    }
    print_options(to);
    fputs("\nExit status: 0 fine, 1 the tool reports an error or a value is not valid,\n"
          "2 usage, 3 configuration or schema, 4 server or connection.\n"
          "'mcphostctl COMMAND --help' is about one command, mcphostctl(1) about all.\n",
          to);
}

/* ---- one command ------------------------------------------------------------------- */

static const struct {
    const char *name, *text;
} abouts[] = {
    {"check", "Prints what is wrong in the configuration, each with file, line and "
              "column. No server is started."},
    {"servers",
     "Starts the servers and prints a row for each: its state, its tools, and what holds "
     "its processes together (HELD). Errors follow below the table."},
    {"server", "Starts this server alone and prints its row, the title, description and "
               "instructions that it gives, and the manual of its entry."},
    {"tools", "Prints the tools under the names that a model uses. 'mcphostctl problems' "
              "tells why a tool is missing."},
    {"tool", "Prints the tool's description, its schemas, and the URI of its app, if it "
             "has one."},
    {"call",
     "Calls the tool and prints its result: texts as they are, and a line with type and "
     "size for every other item. Arguments are a JSON object, '@FILE' with one, '-' for "
     "standard input, or KEY=VALUE pairs, whose values are read as JSON where they are "
     "JSON. The status is 1 if the tool reports an error."},
    {"resources", "Prints the resources that the servers list."},
    {"templates", "Prints the templates of resources that the servers list."},
    {"read", "Reads the resource and prints it as 'call' prints a result. Without "
             "--server it is read from the server that lists it, or whose template fits, "
             "or from the only server."},
    {"prompts",
     "Prints the prompts under the names of the catalog, with their arguments."},
    {"prompt", "Gets the prompt and prints its messages, each below its role. Arguments "
               "are those of 'call', but each value of KEY=VALUE is a text."},
    {"complete",
     "Prints the values that the server proposes for the argument of a prompt or the "
     "variable of a template, one a line. Further pairs are values of other arguments."},
    {"subscribe", "Prints a line whenever one of the resources changes: the server, the "
                  "URI, and how often since the last line. It ends with a signal, or "
                  "when each subscription has ended."},
    {"skills",
     "list prints the skills of the servers and of goclaw workspaces. show prints the "
     "text of one. enable and disable change the file .disabled of a workspace's skill."},
    {"apps", "Prints the apps of ChatOS plugins, what each exposes, and what is wrong "
             "with them. No server is started."},
    {"app", "Prints what the app contributes: its server, what it exposes, and the texts "
            "of its prompts. No server is started."},
    {"task", "Prints the status of a task (get, the default), sends the answers to its "
             "questions (update), cancels it, or waits for its end and prints the "
             "result. --server is required unless there is only one server."},
    {"project", "Prints the tools in the form of the provider's interface. A line on "
                "stderr names each tool that is left out, cut or not strict."},
    {"problems", "Starts the servers and prints what is wrong with them and with the "
                 "configuration, and why tools are left out."},
    {"plugins", "Prints the plugins of --plugins and the state of each. With --probe "
                "each plugin is set up and torn down in a process of its own. The status "
                "is 4 if one does not work."},
    {"watch", "Starts the servers, follows the configuration file, and prints what "
              "happens, until a signal."},
    {"diff", "Prints what would happen to each server if FILE became the configuration, "
             "and which keys differ. No value is shown and no server is started."},
    {"enable", "Writes 'enabled: true' into the entry and changes no other byte of the "
               "file. Hosts that follow the file apply it."},
    {"disable", "Writes 'enabled: false' into the entry and changes no other byte of the "
                "file. Hosts that follow the file apply it."},
    {"reload", "Checks the configuration file and sets its time of change to now. Hosts "
               "that follow it read it again: they keep the servers that run and start "
               "those that have failed."},
    {"restart", "Starts this server, prints whether it came up, with how many tools and "
                "in which time, and ends it. If the entry is disabled, it is enabled "
                "first. Processes of other hosts are not touched."},
    {"login",
     "Starts this server alone. If the server asks for a login, prints the URL of the "
     "page, opens the page in your browser, and waits until you have logged in. If the "
     "browser runs on another machine, paste the URL at which it ends. All commands use "
     "the token afterwards."},
    {"logout",
     "Removes the tokens of the server's URL and account. No server is started."},
    {"auth", "Prints a row for each login whose tokens are kept, without the tokens. No "
             "server is started."},
    {"schema", "Checks the JSON file against the JSON Schema and prints 'valid', or each "
               "place that does not fit. One of the two may be '-'. The status is 1 if "
               "the file does not fit."},
    {"serve", "Is one MCP server on standard input and output, with the tools, resources "
              "and prompts of all servers. It ends when the client closes its end."},
    {"batch",
     "Reads commands from standard input, one JSON object a line, and prints an answer "
     "and events as lines. mcphostctl(1), section BATCH MODE, lists the operations."},
};

static const char *
find_about(const char *name)
{
    for (size_t i = 0; i < sizeof(abouts) / sizeof(abouts[0]); i++) {
        if (strcmp(abouts[i].name, name) == 0)
            return abouts[i].text;
    }
    return NULL;
}

static void
print_command(FILE *to, const struct command *command)
{
    const char *about = find_about(command->name);
    int n = 0;

    fprintf(to, "usage: mcphostctl [OPTIONS] %s%s%s\n\n", command->name,
            *command->arguments ? " " : "", command->arguments);
    print_wrapped(to, about ? about : command->summary, 0);
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!row->only || !words_have(row->only, command->name))
            continue;
        if (n++ == 0)
            fputs("\nOptions of this command:\n", to);
        print_row(to, row, command->name);
    }
    fputs("\n'mcphostctl --help' lists the options of all commands.\n", to);
}

int
usage_print(FILE *to, const char *name)
{
    const struct command *command;

    if (!name) {
        print_whole(to);
        return STATUS_OK;
    }
    command = command_find(name);
    if (!command)
        return STATUS_USAGE;
    if (command->summary)
        print_command(to, command);
    else
        print_whole(to);
    return STATUS_OK;
}
