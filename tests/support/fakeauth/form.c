/* SPDX-License-Identifier: MIT
 *
 * form.c - forms and queries (application/x-www-form-urlencoded) of the fake
 * authorization server.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "support/fakeauth/inner.h"

char *
form_decode(const char *text, size_t len)
{
    char *ret = fake_alloc(NULL, len + 1), *to = ret, hex[3] = "";

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '%' && i + 2 < len && isxdigit((unsigned char)text[i + 1]) &&
            isxdigit((unsigned char)text[i + 2])) {
            hex[0] = text[i + 1];
            hex[1] = text[i + 2];
            *to++ = (char)strtol(hex, NULL, 16);
            i += 2;
        } else {
            *to++ = text[i] == '+' ? ' ' : text[i];
        }
    }
    *to = '\0';
    return ret;
}

void
form_read(const struct auth *auth, const char *text, size_t len, struct form *ret)
{
    const char *end = text + len;

    *ret = (struct form){0};
    while (text < end) {
        size_t n = (size_t)(end - text);
        const char *stop = memchr(text, '&', n), *equals;

        n = stop ? (size_t)(stop - text) : n;
        equals = memchr(text, '=', n);
        ret->names = fake_alloc(ret->names, (ret->n + 1) * sizeof(char *));
        ret->values = fake_alloc(ret->values, (ret->n + 1) * sizeof(char *));
        ret->names[ret->n] = form_decode(text, equals ? (size_t)(equals - text) : n);
        ret->values[ret->n] =
            equals ? form_decode(equals + 1, n - (size_t)(equals + 1 - text))
                   : strdup("");
        auth_trace(auth, "f", "%s=%s", ret->names[ret->n], ret->values[ret->n]);
        ret->n++;
        text += n + 1;
    }
}

void
form_done(struct form *form)
{
    for (size_t i = 0; i < form->n; i++) {
        free(form->names[i]);
        free(form->values[i]);
    }
    free(form->names);
    free(form->values);
}

const char *
form_get(const struct form *form, const char *name)
{
    for (size_t i = 0; i < form->n; i++)
        if (strcmp(form->names[i], name) == 0)
            return form->values[i];
    return NULL;
}

bool
form_has_twice(const struct form *form)
{
    for (size_t i = 0; i < form->n; i++)
        if (form_get(form, form->names[i]) != form->values[i])
            return true;
    return false;
}

void
form_add(struct bytes *out, char first, const char *name, const char *value)
{
    char hex[4];

    bytes_add(out, &first, 1);
    bytes_str(out, name);
    bytes_str(out, "=");
    for (; *value; value++) {
        if (isalnum((unsigned char)*value) || strchr("-._~", *value)) {
            bytes_add(out, value, 1);
        } else {
            snprintf(hex, sizeof(hex), "%%%02X", (unsigned char)*value);
            bytes_str(out, hex);
        }
    }
}
