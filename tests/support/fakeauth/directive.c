/* SPDX-License-Identifier: MIT
 *
 * directive.c - the directives of the fake authorization servers, which are a part of the
 * program fakehttp.
 *
 * With `auth on`, the MCP endpoint answers 401 to a request without an access token that
 * a trusted authorization server has issued for this endpoint.  One process is both the
 * resource and the authorization servers.  By default each authorization server listens
 * at a port of its own, and so has an origin of its own.  After the URL of the MCP
 * endpoint, the program prints the URL of each issuer on a line of its own.  The
 * endpoints of an issuer are /authorize, /token, /register, /device_authorization,
 * /device, /revoke and /jwks below its URL.  A GET of /authorize logs a user in without a
 * question and redirects to the client.  The tool `whoami` answers with the account and
 * the scopes of the access token, separated by blanks.
 *
 * A POST to /fake/script, at any of the ports, gives the running process more lines of
 * the script.
 *
 * Directives.  Values in parentheses are the defaults.
 *   auth on|off|legacy         legacy: as in revision 2025-03-26, there are no resource
 *                              metadata, and the authorization server is at the origin of
 *                              the MCP endpoint, has no metadata and demands no
 *                              `resource`
 *   resource-places PLACE...   where the resource metadata is (path root): path, root,
 *                              elsewhere (only the challenge tells where), none
 *   resource-hint on|off       off: challenges have no resource_metadata
 *   challenge TEXT             the value of WWW-Authenticate; %m is the URL of the
 *                              resource metadata
 *   asks SCOPE...              the scopes of a challenge (no parameter `scope`)
 *   scopes [SCOPE...]          the supported scopes (tools); an authorization that asks
 *                              for no scope gets all of them
 *   allows SCOPE...            the user never grants any other scope
 *   needs NAME SCOPE...        answer 403 insufficient_scope to calls of this tool, or to
 *                              requests with this method, without these scopes
 *   issuer own|same [PATH]     add an authorization server; same: at the origin of the
 *                              MCP endpoint; the numbers of the servers are 1 to 4;
 *                              without this directive there is one server
 *   issuer-ports N...          the ports of these servers (free ports)
 *   trusts N...                the servers that the resource trusts (1)
 *   issuer-places PLACE...     where the metadata of issuers is (oauth): oauth, openid,
 *                              tail (the well-known part behind the issuer's path), none
 *   iss on|silent|off          whether redirects have `iss`; silent: the metadata do not
 *                              mention it
 *   pkce on|unlisted|plain     what the metadata say; proofs with S256 are always checked
 *   register on|off            off: no registration
 *   cimd on|off                accept URLs of metadata documents as client ids (off)
 *   redirects loopback|exact   exact: a loopback redirect must have the registered port
 *   methods METHOD...          how clients prove their identity (none basic post key)
 *   grants GRANT...            code refresh client device exchange jwt (all)
 *   client ID METHOD [SECRET]  a registered client, with any redirect; METHOD is `any` or
 *                              a word of `methods`; with `key`, SECRET is a file with the
 *                              client's public or private key in PEM
 *   account NAME               the account of the next login (user); the last account
 *                              serves all further logins; login_hint overrides this
 *   subject ACCOUNT TOKEN      a token of another issuer, for token exchange and
 *                              jwt-bearer; the ID tokens and ID-JAGs of these servers
 *                              are accepted, too
 *   expires S [SAID]           access tokens expire after S seconds (3600); SAID is the
 *                              value of expires_in, or none
 *   rotate off|grace|strict    the rotation of refresh tokens (strict); grace: a used
 *                              token is accepted until its successor is used; strict: a
 *                              token that is used again ends the whole login
 *   refresh on|off|offline     whether there are refresh tokens; offline: only with the
 *                              scope offline_access
 *   dpop off|on|required|nonce on: accept proofs, and bind tokens to their keys;
 *                              required: demand proofs; nonce: demand proofs with a
 *                              nonce of the server
 *   device interval|expires|approve N
 *                              seconds between polls (1), the life of a code in seconds
 *                              (600), the number of the poll that finds the code approved
 *                              (0: only GET ISSUER/device/approve?user_code=CODE
 *                              approves; /device/deny denies; account=NAME names the
 *                              account)
 *   skew S                     the server's clock is S seconds ahead: dates, the times of
 *                              JWTs, and the check of proofs
 *   member STEP NAME [JSON]    a member of the documents and good answers of a step;
 *                              without JSON the member is left out
 *   forget WHAT                forget all WHAT: access (access tokens), refreshes
 *                              (refresh tokens), logins, clients, members, nonces
 *   fault STEP [once|first N|only N] KIND [ARGUMENTS]
 *                              a fault of each request of the step; once: of the next
 *                              request; first: of the next N requests; only: of the Nth
 *                              request from now
 *   fault STEP@N ...           a fault of the Nth authorization server alone
 *   fault STEP none            take back the faults of the step
 *   release STEP               send the answers that `hold` has kept
 *
 * Steps: challenge (an answer 401 or 403), resource and issuer (their metadata),
 * register, authorize, token (all grants except refresh_token), refresh, device, revoke,
 * and use (a request with a good token; only `skew` and the faults that replace the work
 * apply to it).
 *
 * Faults that replace the work of the step (for example, a code is not used up)
 *   missing                    404; of a challenge: no WWW-Authenticate
 *   status N [TEXT]            the status N, and TEXT as Retry-After
 *   redirect [URL]             307 (to the same path)
 *   refuse WORD [TEXT]         an error of OAuth, with a description; of a use also
 *                              403 WORD, a challenge with the status 403
 *   refuse-ok WORD [TEXT]      the same, with the status 200
 *   echo N                     the status N, and the request as the description of an
 *                              error of OAuth; from the status 500, as a page
 *   garbage                    no JSON; of a challenge or a redirect: bad syntax
 *   endless [TEXT]             TEXT (blanks) without end
 *   cut                        reset the connection
 *   crash                      end the process
 *   nonce-loop                 demand another DPoP nonce
 * Faults after the work of the step
 *   lying [TEXT]               TEXT in place of a true value: challenge: the URL of
 *                              resource_metadata; resource: the resource; issuer: the
 *                              issuer; register: the client_id; token and refresh: the
 *                              type; device: verification_uri
 *   huge [N]                   N more bytes in the JSON, the header or the code
 *   slow MS                    answer after MS milliseconds
 *   drip MS                    send a byte of the body every MS milliseconds
 *   hold                       keep the answer until the directive `release`
 *   half                       end the connection in the middle of the body
 *   type [TYPE]                another Content-Type (text/html)
 *   nul                        a NUL in the first value, or behind the code (%00)
 *   lost                       reset the connection in place of the answer
 *   skew S                     like the directive, for this step
 *   absurd-expiry [TEXT]       a bad expires_in or client_secret_expires_at
 *   wrong-state, no-state      a redirect with a wrong state, or without a state
 *   wrong-iss [URL], no-iss    a redirect with a wrong iss, or without an iss
 *   code-twice                 the redirect has two codes
 *   same-code                  the code of the previous login
 *
 * More lines in the trace: "< BODY" (of a registration), "f NAME=VALUE" (a parameter of a
 * form or an authorization), "type PATH TYPE" (a wrong Content-Type), "register CLIENT",
 * "name NAME" (of a registered client), "document CLIENT" (a metadata document), "client
 * CLIENT METHOD" or "client CLIENT refused: REASON", "authorize ERROR", "login ACCOUNT",
 * "code REASON" (a bad code), "dpop REASON" (a bad proof), "id-jag ACCOUNT", "token GRANT
 * ok" or the error, "token rejected: REASON", "refresh LOGIN RESULT" (ok, grace, reused,
 * dead, revoked; "0 unknown"), "device CODE", "revoke KIND", "refused STATUS ERROR" (a
 * challenge), "fault STEP KIND".
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/pem.h>

#include "support/fakeauth/inner.h"

static void __attribute__((noreturn)) die(const char *key, const char *value)
{
    fprintf(stderr, "fakehttp: %s: '%s' is not understood\n", key, value);
    _exit(2);
}

static void
set_string(char **to, const char *value)
{
    free(*to);
    *to = strdup(value);
}

/* Sets the string as set_string() does, but to NULL if `value` is empty. */
static void
set_words(char **to, const char *value)
{
    free(*to);
    *to = *value ? strdup(value) : NULL;
}

/* Returns the index of a word in a list that NULL ends.  Ends the program if the word is
 * not in the list. */
static int
index_of(const char *key, const char *word, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    die(key, word);
}

/* Returns a set of bits, one for each word of `value`.  The word `none` sets no bit,
 * unless the list `words` begins with `none`. */
static unsigned
bits_of(const char *key, char *value, const char *const *words)
{
    unsigned bits = 0;

    while (*value) {
        char *word = fault_word(&value);

        if (strcmp(word, "none") != 0 || strcmp(words[0], "none") == 0)
            bits |= 1U << index_of(key, word, words);
    }
    return bits;
}

static long
number_of(const char *key, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text)
        die(key, text);
    return n;
}

/* ---- the directives ---------------------------------------------------------------- */

static void
set_auth(struct auth *auth, char *value)
{
    static const char *const words[] = {"on", "off", "legacy", NULL};
    int word = index_of("auth", value, words);

    auth->is_on = word != 1;
    auth->is_legacy = word == 2;
    if (auth->is_legacy)
        auth->metadata = 0;
    if (!auth->has_tool)
        fake_script_line(auth->http->fake, "tool whoami tells the account and its scopes",
                         "auth", 1);
    auth->has_tool = true;
}

static void
set_resource_places(struct auth *auth, char *value)
{
    static const char *const words[] = {"path", "root", "elsewhere", NULL};

    auth->prm = bits_of("resource-places", value, words);
}

static void
set_resource_hint(struct auth *auth, char *value)
{
    auth->has_hint = strcmp(value, "on") == 0;
}

static void
set_challenge(struct auth *auth, char *value)
{
    set_words(&auth->challenge, value);
}

static void
set_asks(struct auth *auth, char *value)
{
    set_words(&auth->asks, value);
}

static void
set_scopes(struct auth *auth, char *value)
{
    set_string(&auth->scopes, value);
}

static void
set_allows(struct auth *auth, char *value)
{
    set_words(&auth->allows, value);
}

static void
add_need(struct auth *auth, char *value)
{
    struct need *need = fake_alloc(NULL, sizeof(*need));
    char *tool = fault_word(&value);

    *need = (struct need){strdup(tool), strdup(value), auth->needs};
    auth->needs = need;
}

static void
add_issuer(struct auth *auth, char *value)
{
    static const char *const words[] = {"own", "same", NULL};
    struct as *as = issuer_new(auth);

    as->is_same = index_of("issuer", fault_word(&value), words) == 1;
    set_string(&as->path, value);
}

static void
set_issuer_ports(struct auth *auth, char *value)
{
    for (int i = 0; i < SERVERS && *value; i++)
        auth->ports[i] = (int)number_of("issuer-ports", fault_word(&value));
}

static void
set_trusts(struct auth *auth, char *value)
{
    auth->trusts = 0;
    while (*value)
        auth->trusts |= 1U << number_of("trusts", fault_word(&value));
}

static void
set_issuer_places(struct auth *auth, char *value)
{
    static const char *const words[] = {"oauth", "openid", "tail", NULL};

    auth->metadata = bits_of("issuer-places", value, words);
}

static void
set_iss(struct auth *auth, char *value)
{
    static const char *const words[] = {"on", "silent", "off", NULL};

    auth->iss = index_of("iss", value, words);
}

static void
set_pkce(struct auth *auth, char *value)
{
    static const char *const words[] = {"on", "unlisted", "plain", NULL};

    auth->pkce = index_of("pkce", value, words);
}

static void
set_register(struct auth *auth, char *value)
{
    auth->no_registration = strcmp(value, "off") == 0;
}

static void
set_cimd(struct auth *auth, char *value)
{
    auth->takes_cimd = strcmp(value, "on") == 0;
}

static void
set_redirects(struct auth *auth, char *value)
{
    auth->exact_redirects = strcmp(value, "exact") == 0;
}

static const char *const methods[] = {"none", "basic", "post", "key", "any", NULL};

static void
set_methods(struct auth *auth, char *value)
{
    auth->methods = bits_of("methods", value, methods);
}

static void
set_grants(struct auth *auth, char *value)
{
    set_string(&auth->grants, value);
}

/* Reads a public or a private key.  Ends the program if it cannot read a key. */
static EVP_PKEY *
read_key(const char *path)
{
    FILE *f = fopen(path, "re");
    EVP_PKEY *key = f ? PEM_read_PUBKEY(f, NULL, NULL, NULL) : NULL;

    if (f && !key) {
        rewind(f);
        key = PEM_read_PrivateKey(f, NULL, NULL, NULL);
    }
    if (!key)
        die("client", path);
    fclose(f);
    return key;
}

static void
add_client(struct auth *auth, char *value)
{
    struct client *client = client_new(auth, fault_word(&value), 0);

    client->method = index_of("client", fault_word(&value), methods);
    if (client->method == METHOD_KEY)
        client->key = read_key(value);
    else if (*value)
        client->secret = strdup(value);
}

static void
add_account(struct auth *auth, char *value)
{
    struct account *account = fake_alloc(NULL, sizeof(*account)),
                   **last = &auth->accounts;

    *account = (struct account){.name = strdup(value)};
    while (*last)
        last = &(*last)->next;
    *last = account;
}

static void
add_subject(struct auth *auth, char *value)
{
    struct subject *subject = fake_alloc(NULL, sizeof(*subject));
    char *account = fault_word(&value);

    *subject = (struct subject){strdup(value), strdup(account), auth->subjects};
    auth->subjects = subject;
}

static void
set_expires(struct auth *auth, char *value)
{
    auth->expires_s = auth->claimed_s = number_of("expires", fault_word(&value));
    if (*value)
        auth->claimed_s = strcmp(value, "none") == 0 ? -1 : number_of("expires", value);
}

static void
set_rotate(struct auth *auth, char *value)
{
    static const char *const words[] = {"off", "grace", "strict", NULL};

    auth->rotate = index_of("rotate", value, words);
}

static void
set_refresh(struct auth *auth, char *value)
{
    static const char *const words[] = {"on", "off", "offline", NULL};

    auth->refreshing = index_of("refresh", value, words);
}

static void
set_dpop(struct auth *auth, char *value)
{
    static const char *const words[] = {"off", "on", "required", "nonce", NULL};

    auth->dpop = index_of("dpop", value, words);
}

static void
set_device(struct auth *auth, char *value)
{
    static const char *const words[] = {"interval", "expires", "approve", NULL};
    long *const numbers[] = {&auth->device_interval_s, &auth->device_expires_s,
                             &auth->device_polls};
    int word = index_of("device", fault_word(&value), words);

    *numbers[word] = number_of("device", value);
}

static void
set_skew(struct auth *auth, char *value)
{
    auth->skew_s = number_of("skew", value);
}

static void
add_member(struct auth *auth, char *value)
{
    struct member *member = fake_alloc(NULL, sizeof(*member)), **last = &auth->members;
    enum step step = fault_step(fault_word(&value));
    char *name = fault_word(&value);

    *member = (struct member){.step = step, .name = strdup(name)};
    if (*value) {
        member->value = json_loads(value, JSON_DECODE_ANY, NULL);
        if (!member->value)
            die("member", value);
    }
    while (*last)
        last = &(*last)->next;
    *last = member;
}

static void
forget(struct auth *auth, char *value)
{
    static const char *const words[] = {"access",  "refreshes", "logins", "clients",
                                        "members", "nonces",    NULL};

    switch (index_of("forget", value, words)) {
    case 0:
        for (struct access *a = auth->accesses; a; a = a->next)
            a->dead = true;
        break;
    case 1:
        auth->refreshes = NULL;
        break;
    case 2:
        for (struct access *a = auth->accesses; a; a = a->next)
            a->login->revoked = true;
        break;
    case 3:
        for (struct client *c = auth->clients; c; c = c->next)
            c->forgotten = true;
        break;
    case 4:
        auth->members = NULL;
        break;
    default:
        dpop_nonce(auth, STEP_TOKEN, true);
        dpop_nonce(auth, STEP_USE, true);
    }
}

static void
release(struct auth *auth, char *value)
{
    reply_release(auth, fault_step(value));
}

static const struct {
    const char *name;
    void (*set)(struct auth *, char *);
} directives[] = {
    {"auth", set_auth},
    {"resource-places", set_resource_places},
    {"resource-hint", set_resource_hint},
    {"challenge", set_challenge},
    {"asks", set_asks},
    {"scopes", set_scopes},
    {"allows", set_allows},
    {"needs", add_need},
    {"issuer", add_issuer},
    {"issuer-ports", set_issuer_ports},
    {"trusts", set_trusts},
    {"issuer-places", set_issuer_places},
    {"iss", set_iss},
    {"pkce", set_pkce},
    {"register", set_register},
    {"cimd", set_cimd},
    {"redirects", set_redirects},
    {"methods", set_methods},
    {"grants", set_grants},
    {"client", add_client},
    {"account", add_account},
    {"subject", add_subject},
    {"expires", set_expires},
    {"rotate", set_rotate},
    {"refresh", set_refresh},
    {"dpop", set_dpop},
    {"device", set_device},
    {"skew", set_skew},
    {"member", add_member},
    {"forget", forget},
    {"fault", fault_read},
    {"release", release},
};

static struct auth *
auth_of(struct http *http)
{
    struct auth *auth = http->auth;

    if (auth)
        return auth;
    auth = http->auth = fake_alloc(NULL, sizeof(*auth));
    *auth = (struct auth){
        .http = http,
        .has_hint = true,
        .prm = PRM_PATH | PRM_ROOT,
        .metadata = META_OAUTH,
        .methods = (1U << METHODS) - 1,
        .trusts = 1U << 1,
        .rotate = ROTATE_STRICT,
        .expires_s = 3600,
        .claimed_s = 3600,
        .device_interval_s = 1,
        .device_expires_s = 600,
        .scopes = strdup("tools"),
        .grants = strdup("code refresh client device exchange jwt"),
    };
    return auth;
}

bool
auth_directive(struct http *http, const char *key, char *value)
{
    for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++)
        if (strcmp(key, directives[i].name) == 0) {
            directives[i].set(auth_of(http), value);
            return true;
        }
    return false;
}
