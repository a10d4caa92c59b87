/* SPDX-License-Identifier: MIT
 *
 * hostile.c - a server with names that are dangerous or awkward in a shell.
 */
#include <stdlib.h>

#include "support/hostile.h"
#include "support/runner.h"

const char *const hostile_names[] = {
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "& touch pwned &",
    "| touch pwned",
    "> pwned",
    "two words",
    "quo\"te",
    "apo'strophe",
    "both\"of'them",
    "back\\slash",
    "a:b:c",
    "a@b",
    "excl!am",
    "star*[a]?",
    "~tilde",
    "$HOME and ${HOME}",
    "#hash",
    "{a,b}",
    "^caret^",
    "(paren)",
    "\xc3\xa4\xc3\xb6",
    "-dash",
    "trailing\\",
    NULL,
};

static const char never[] = "\"f:never\\ntouch pwned\",\"f:never\\u001b[31m\","
                            "\"f:never\\u202e\",\"f:never\\u009b\"";

/* Writes `before`, the name as JSON, `after` and a comma for each hostile name.  Unless
 * `after` begins with ':', the name gets the prefix "f:". */
static void
put_names(FILE *to, const char *before, const char *after)
{
    for (size_t i = 0; hostile_names[i]; i++) {
        char text[256];
        json_t *name;
        char *json;

        snprintf(text, sizeof(text), "%s%s", *after == ':' ? "" : "f:", hostile_names[i]);
        name = json_string(text);
        json = json_dumps(name, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
        ck_assert_ptr_nonnull(json);
        fprintf(to, "%s%s%s,", before, json, after);
        free(json);
        json_decref(name);
    }
}

static void
put_list(FILE *to, const char *method, const char *key)
{
    fprintf(to,
            "on %s\n result {\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":"
            "\"private\",\"%s\":[",
            method, key);
}

void
hostile_up(struct ctl_place *place)
{
    FILE *to = fopen(rig_workspace_path(&place->ws, "hostile"), "w");
    const char *s = never;

    ck_assert_ptr_nonnull(to);
    fputs(
        "era modern\nno-tools\n"
        "capabilities {\"tools\":{},\"resources\":{},\"prompts\":{}}\n"
        "tool-json {\"name\":\"use\",\"description\":\"a\\u001b[2J\\nb\",\"inputSchema\":"
        "{\"type\":\"object\",\"properties\":{",
        to);
    put_names(to, "", ":{}");
    fputs("\"color\":{\"enum\":[\"red\",\"light blue\",3]},\"deep\":{\"type\":"
          "\"boolean\"},\"@/etc/passwd\":{},\"a=b\":{},\"json:\":{},\"{\":{},"
          "\"nl\\n\":{}}}}\n"
          "tool-json {\"name\":\"--json\",\"inputSchema\":{\"type\":\"object\"}}\n",
          to);
    put_list(to, "resources/list", "resources");
    put_names(to, "{\"name\":\"x\",\"uri\":", "}");
    while (*s) {
        int n = (int)strcspn(s, ",");

        fprintf(to, "{\"name\":\"x\",\"uri\":%.*s},", n, s);
        s += n + (s[n] == ',');
    }
    fputs("{\"name\":\"x\",\"uri\":\"file:///plain\"}]}\n", to);
    put_list(to, "prompts/list", "prompts");
    fputs("{\"name\":\"ask\",\"arguments\":[{\"name\":\"what\"},{\"name\":\"how\"}]}]}\n",
          to);
    put_list(to, "resources/templates/list", "resourceTemplates");
    fputs("{\"uriTemplate\":\"row:{n}{?rev}\",\"name\":\"row\"}]}\n", to);
    ck_assert_int_eq(fclose(to), 0);
    rig_workspace_yaml(&place->ws,
                       "version: 1\nservers:\n  s:\n    transport: stdio\n"
                       "    command: sh\n"
                       "    args: [-c, 'echo started >>%s/starts; exec %s %s/hostile']\n",
                       place->ws.dir, rig_fakeserver(), place->ws.dir);
}
