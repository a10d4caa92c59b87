/* SPDX-License-Identifier: MIT
 *
 * trace.c - check traceparent, tracestate (W3C Trace Context) and baggage (W3C Baggage).
 */
#include <string.h>

#include "client/client.h"

#define STATES_MAX 32

const char *const mcph_trace_names[MCPH_TRACES] = {"traceparent", "tracestate",
                                                   "baggage"};

/* ---- traceparent ------------------------------------------------------------------- */

/* Returns true if the first `len` characters are lower-case hex digits.  Sets *ret_zero
 * to true if each of these characters is '0', else to false. */
static bool
is_hex(const char *p, size_t len, bool *ret_zero)
{
    *ret_zero = strspn(p, "0") >= len;
    return strspn(p, "0123456789abcdef") >= len;
}

/* Checks a traceparent.  Accepts only version 00.  In version 00 nothing may follow the
 * flags.  Returns NULL, or a phrase that names the fault. */
static const char *
check_parent(const char *text)
{
    bool zero;

    if (strlen(text) != 55 || memcmp(text, "00-", 3) != 0 || text[35] != '-' ||
        text[52] != '-')
        return "is not 00-TRACE-PARENT-FLAGS";
    if (!is_hex(text + 3, 32, &zero) || zero)
        return "has a bad trace-id";
    if (!is_hex(text + 36, 16, &zero) || zero)
        return "has a bad parent-id";
    return is_hex(text + 53, 2, &zero) ? NULL : "has bad flags";
}

/* ---- tracestate -------------------------------------------------------------------- */

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* Returns true if the key of `len` bytes is valid: TENANT@SYSTEM, or a name that begins
 * with a letter. */
static bool
is_state_key(const char *p, size_t len)
{
    static const char more[] = LOWER DIGITS "_-*/";
    size_t n = strspn(p, more);

    if (n == len)
        return len > 0 && len <= 256 && strchr(LOWER, *p);
    if (n == 0 || n > 241 || p[n] != '@' || !strchr(LOWER DIGITS, *p))
        return false;
    p += n + 1;
    len -= n + 1;
    return len > 0 && len <= 14 && strchr(LOWER, *p) && strspn(p, more) >= len;
}

/* Returns true if the text is a valid value of tracestate: 1 to 256 printable ASCII
 * characters, without "=" and without a blank at the end.  The text contains no comma,
 * because check_state() splits at commas. */
static bool
is_state_value(const char *p, size_t len)
{
    if (len == 0 || len > 256 || p[len - 1] == ' ')
        return false;
    for (size_t i = 0; i < len; i++) {
        if (p[i] < ' ' || p[i] > '~' || p[i] == '=')
            return false;
    }
    return true;
}

static struct mcph_span
trim(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return mcph_span(p, (size_t)(end - p));
}

static const char *
check_state(const char *text)
{
    struct mcph_span keys[STATES_MAX], member;
    const char *p = text, *end, *sign;
    size_t n = 0, i;

    for (; p; p = *end ? end + 1 : NULL) {
        end = p + strcspn(p, ",");
        member = trim(p, end);
        if (member.len == 0)
            continue;
        if (n == STATES_MAX)
            return "has more than 32 members";
        sign = memchr(member.p, '=', member.len);
        if (!sign || !is_state_key(member.p, (size_t)(sign - member.p)))
            return "has a bad key";
        keys[n] = mcph_span(member.p, (size_t)(sign - member.p));
        if (!is_state_value(sign + 1, member.len - keys[n].len - 1))
            return "has a bad value";
        for (i = 0; i < n; i++) {
            if (mcph_span_eq(keys[i], keys[n]))
                return "has a key twice";
        }
        n++;
    }
    return n > 0 ? NULL : "is empty";
}

/* ---- baggage ----------------------------------------------------------------------- */

/* Returns true if the text is a token of RFC 9110. */
static bool
is_token(struct mcph_span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] <= ' ' || text.p[i] > '~' ||
            strchr("\"(),/:;<=>?@[\\]{}", text.p[i]))
            return false;
    }
    return text.len > 0;
}

static bool
is_baggage_value(struct mcph_span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] <= ' ' || text.p[i] > '~' || strchr("\",;\\", text.p[i]))
            return false;
    }
    return true;
}

/* Returns true if the text is KEY=VALUE.  If `bare` is true, KEY alone is enough, as in a
 * property. */
static bool
is_pair(struct mcph_span text, bool bare)
{
    const char *end = text.p + text.len, *sign = memchr(text.p, '=', text.len);

    if (!sign)
        return bare && is_token(text);
    return is_token(trim(text.p, sign)) && is_baggage_value(trim(sign + 1, end));
}

static const char *
check_baggage(const char *text)
{
    const char *p = text, *end;
    bool property = false;

    for (; p; p = *end ? end + 1 : NULL) {
        end = p + strcspn(p, ",;");
        if (!is_pair(trim(p, end), property))
            return property ? "has a bad property" : "has a bad member";
        property = *end == ';';
    }
    return NULL;
}

/* ---- all parts together ------------------------------------------------------------ */

int
mcph_trace_new(const char *const parts[MCPH_TRACES], struct mcph_trace **ret_trace,
               mcphost_error **reterr)
{
    static const char *(*const checks[MCPH_TRACES])(const char *) = {
        check_parent, check_state, check_baggage};
    size_t lens[MCPH_TRACES] = {0, 0, 0}, i;
    struct mcph_trace *trace;
    const char *why;
    char *to;

    for (i = 0; i < MCPH_TRACES; i++) {
        if (!parts[i])
            continue;
        lens[i] = strlen(parts[i]);
        if (lens[i] > MCPH_TRACE_MAX)
            return mcph_err(reterr, MCPHOST_E_LIMIT, "%s has more than %d bytes",
                            mcph_trace_names[i], MCPH_TRACE_MAX);
        why = checks[i](parts[i]);
        if (why)
            return mcph_err(reterr, MCPHOST_E_INVALID, "%s %s", mcph_trace_names[i], why);
    }
    if (parts[MCPH_TRACE_STATE] && !parts[MCPH_TRACE_PARENT])
        return mcph_err(reterr, MCPHOST_E_INVALID, "tracestate without traceparent");
    trace = mcph_zalloc(sizeof(*trace), lens[0] + lens[1] + lens[2] + 1);
    if (!trace)
        return mcph_err_nomem(reterr);
    to = (char *)(trace + 1);
    for (i = 0; i < MCPH_TRACES; i++) {
        if (!parts[i])
            continue;
        memcpy(to, parts[i], lens[i]);
        trace->parts[i] = mcph_span(to, lens[i]);
        to += lens[i];
    }
    *ret_trace = trace;
    return 0;
}
