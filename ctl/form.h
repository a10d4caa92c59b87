/* SPDX-License-Identifier: MIT
 *
 * form.h - a form that a server asks a person to fill in: show its fields as text, and
 * turn the lines that the person types into values.
 */
#ifndef CTL_FORM_H
#define CTL_FORM_H

#include <stddef.h>
#include <stdio.h>

#include <mcphost/mcphost.h>

#include "text.h"

struct form;

/* Makes the form of a request.  The request must live as long as the form.  Returns NULL
 * if memory is short or if the form cannot be shown. */
struct form *form_new(mcphost_request *request);
void form_free(struct form *form);
size_t form_count(const struct form *form);

/* Prints the field at `index`: its number, its title (or else its name), type,
 * description and choices, and a warning if a text field seems to ask for a secret. */
void form_show(const struct form *form, size_t index, FILE *to);
/* Adds the field's name.  If the field has a value, also adds the value in brackets.  An
 * empty line keeps this value. */
void form_add_prompt(const struct form *form, size_t index, struct text *t);

/*
 * form_take - set a field's value from a line that the person types.
 *
 * An empty line keeps the field's value.  At first, the value is the field's default.
 * Returns 0.  If the line is no value of the field, or if it is empty and a required
 * field has no value, adds the reason to `why` and returns -1.
 */
int form_take(struct form *form, size_t index, const char *line, size_t len,
              struct text *why);
/* Sets the field to its default or, if it has no default, to no value. */
void form_clear(struct form *form, size_t index);

/* Prints the fields that have values. */
void form_review(const struct form *form, FILE *to);
/* Answers the request with the values.  Returns 0 or MCPHOST_E_*. */
int form_send(const struct form *form, mcphost_error **reterr);

/*
 * quote - print a server's text so that it does not look like a message of mcphostctl.
 *
 * Each line begins with `indent`.  Harmful characters are made visible.  After `max`
 * bytes or `lines` lines, only the number of the remaining bytes is printed.
 */
void quote(FILE *to, const char *indent, const char *s, size_t max, size_t lines);

#endif
