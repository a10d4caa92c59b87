/* SPDX-License-Identifier: MIT
 *
 * reply.c - answers of the fake authorization server.
 *
 * reply.c carries out the faults that can spoil the answers of all steps.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/fakeauth/inner.h"

void
reply_header(struct reply *reply, const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    text = auth_vformat(fmt, ap);
    va_end(ap);
    bytes_str(&reply->headers, text);
    bytes_str(&reply->headers, "\r\n");
    free(text);
}

static void
set_body(struct reply *reply, int status, const char *type, const char *text)
{
    reply->status = status;
    reply->type = type;
    bytes_free(&reply->body);
    bytes_str(&reply->body, text);
}

void
reply_json(struct reply *reply, int status, json_t *steals)
{
    char *text = json_dumps(steals, JSON_COMPACT);

    set_body(reply, status, "application/json", text);
    reply_header(reply, "Cache-Control: no-store");
    free(text);
    json_decref(steals);
}

void
reply_document(struct auth *auth, enum step step, int status, struct reply *reply,
               json_t *steals)
{
    for (const struct member *m = auth->members; m; m = m->next) {
        if (m->step != step)
            continue;
        if (m->value)
            json_object_set(steals, m->name, m->value);
        else
            json_object_del(steals, m->name);
    }
    reply_json(reply, status, steals);
}

void
reply_page(struct reply *reply, int status, const char *text)
{
    char *page = auth_format("<!DOCTYPE html><title>fake</title><p>%s</p>\n", text);

    set_body(reply, status, "text/html", page);
    free(page);
}

void
reply_error(struct reply *reply, int status, const char *word, const char *description)
{
    json_t *error = json_pack("{s:s}", "error", word);

    if (description && *description)
        json_object_set_new(error, "error_description",
                            json_stringn_nocheck(description, strlen(description)));
    reply_json(reply, status, error);
}

static void
add_date(struct auth *auth, enum step step, struct reply *reply)
{
    time_t now = (time_t)auth_now_s(auth, step);
    char text[64];
    struct tm tm;

    gmtime_r(&now, &tm);
    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
    reply_header(reply, "Date: %s", text);
}

/* Puts a NUL behind the first character of the first string value of a JSON object.  If
 * the body has no string value, puts the NUL in front of the body. */
static void
add_nul(struct bytes *body)
{
    char *at = body->p ? memmem(body->p, body->len, "\":\"", 3) : NULL;
    size_t before = at ? (size_t)(at - body->p) + 4 : 0;
    struct bytes whole = {0};

    bytes_add(&whole, body->p ? body->p : "", before);
    bytes_add(&whole, "", 1);
    bytes_add(&whole, (body->p ? body->p : "") + before, body->len - before);
    bytes_free(body);
    *body = whole;
}

/* Replaces the number of a JSON member by any text. */
static void
replace_number(struct bytes *body, const char *member, const char *text)
{
    char *at = body->p ? memmem(body->p, body->len, member, strlen(member)) : NULL;
    struct bytes whole = {0};
    size_t before;

    if (!at)
        return;
    at += strlen(member);
    before = (size_t)(at - body->p);
    bytes_add(&whole, body->p, before);
    bytes_str(&whole, text);
    before += strcspn(at, ",}");
    bytes_add(&whole, body->p + before, body->len - before);
    bytes_free(body);
    *body = whole;
}

/* Adds a long member to a JSON object. */
static void
add_padding(struct bytes *body, long n)
{
    struct bytes whole = {0};

    if (!body->p || *body->p != '{')
        return;
    bytes_str(&whole, "{\"padding\":\"");
    for (n = n ? n : 4L * 1024 * 1024; n > 0; n -= 64)
        bytes_str(&whole,
                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    bytes_str(&whole, "\",");
    bytes_add(&whole, body->p + 1, body->len - 1);
    bytes_free(body);
    *body = whole;
}

/* Carries out the faults that spoil the answer. */
static void
spoil(struct auth *auth, enum step step, struct reply *reply)
{
    const char *text;
    long n = 0;

    if (fault_is(auth, step, "absurd-expiry", NULL, &text)) {
        text = *text ? text : "99999999999999999999999999";
        replace_number(&reply->body, "\"expires_in\":", text);
        replace_number(&reply->body, "\"client_secret_expires_at\":", text);
    }
    if (fault_is(auth, step, "huge", &n, NULL))
        add_padding(&reply->body, n);
    if (fault_is(auth, step, "nul", NULL, NULL))
        add_nul(&reply->body);
    if (fault_is(auth, step, "type", NULL, &text))
        reply->type = *text ? text : "text/html";
}

/* Prepares a response that exchange_end() sends. */
static void
set_up(struct exchange *ex, const struct reply *reply)
{
    ex->status = reply->status;
    ex->type = strdup(reply->type ? reply->type : "");
    ex->answered = true;
}

static void
add_held(struct exchange *ex, const struct reply *reply)
{
    bytes_add(&ex->held, reply->body.p ? reply->body.p : "", reply->body.len);
}

/* Sends the answer after `ms` milliseconds or, if `drips` is true, sends a byte of the
 * body every `ms` milliseconds. */
static void
send_late(struct auth *auth, struct exchange *ex, const struct reply *reply, long ms,
          bool drips)
{
    struct bytes lines = {0};
    char line[64];

    set_up(ex, reply);
    snprintf(line, sizeof(line), "delay %ld\n", ms);
    bytes_str(&lines, line);
    for (size_t i = 0; drips && i < reply->body.len; i++) {
        snprintf(line, sizeof(line), "raw \\x%02x\ndelay %ld\n",
                 (unsigned char)reply->body.p[i], ms);
        bytes_str(&lines, line);
    }
    if (!drips)
        add_held(ex, reply);
    fake_act_from(auth->http->fake, lines.p, ex);
    bytes_free(&lines);
}

static void
hold(struct exchange *ex, enum step step, const struct reply *reply)
{
    set_up(ex, reply);
    add_held(ex, reply);
    ex->held_step = step + 1;
}

void
reply_release(struct auth *auth, enum step step)
{
    for (struct exchange *ex = auth->http->exchanges; ex; ex = ex->next)
        if (ex->held_step == step + 1) {
            ex->held_step = 0;
            exchange_end(auth->http, ex);
        }
}

/* Sends the head and the first half of the body, and ends the connection. */
static void
send_half(struct auth *auth, struct exchange *ex, const struct reply *reply)
{
    ex->length = (long)reply->body.len;
    exchange_reply(auth->http, ex, reply->status, reply->type,
                   reply->body.p ? reply->body.p : "", reply->body.len / 2);
}

void
reply_send(struct auth *auth, struct exchange *ex, enum step step, struct reply *reply)
{
    long ms = 0;

    add_date(auth, step, reply);
    spoil(auth, step, reply);
    bytes_add(&ex->headers, reply->headers.p ? reply->headers.p : "", reply->headers.len);
    if (fault_is(auth, step, "lost", NULL, NULL))
        exchange_cut(auth->http, ex, true);
    else if (fault_is(auth, step, "slow", &ms, NULL))
        send_late(auth, ex, reply, ms, false);
    else if (fault_is(auth, step, "drip", &ms, NULL))
        send_late(auth, ex, reply, ms, true);
    else if (fault_is(auth, step, "hold", NULL, NULL))
        hold(ex, step, reply);
    else if (fault_is(auth, step, "half", NULL, NULL))
        send_half(auth, ex, reply);
    else
        exchange_reply(auth->http, ex, reply->status, reply->type,
                       reply->body.p ? reply->body.p : "", reply->body.len);
    bytes_free(&reply->headers);
    bytes_free(&reply->body);
}
