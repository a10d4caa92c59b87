/* SPDX-License-Identifier: MIT
 *
 * form.h - a form that a server asks a person to fill in: its fields shown as text, and
 * what the person types made into values.
 */
#ifndef CTL_FORM_H
#define CTL_FORM_H

#include <stddef.h>
#include <stdio.h>

#include <mcphost/mcphost.h>

#include "text.h"

struct form;

/* The form of a request, which must live as long.  NULL: no memory, or it cannot be
 * shown. */
struct form *form_new(mcphost_request *request);
void form_free(struct form *form);
size_t form_count(const struct form *form);

/* Prints what the field at `index` is: its title, type, description and choices. */
void form_show(const struct form *form, size_t index, FILE *to);
/* Adds the name of the field and, in brackets, what an empty line stands for. */
void form_add_prompt(const struct form *form, size_t index, struct text *t);

/*
 * form_take - fill in a field with a line that was typed.
 *
 * An empty line keeps the value that the field has, which at first is its default.
 * Returns 0, or -1: the line does not fit, and the reason was added to `why`.
 */
int form_take(struct form *form, size_t index, const char *line, size_t len,
              struct text *why);
/* Gives the field its default again. */
void form_clear(struct form *form, size_t index);

/* Prints all fields with their values. */
void form_review(const struct form *form, FILE *to);
/* Answers the request with them.  0 or MCPHOST_E_*. */
int form_send(const struct form *form, mcphost_error **reterr);

/*
 * quote - print a server's text so that it cannot pass for one of ours.
 *
 * Each line begins with `indent`; what is harmful is made visible, and of a text of
 * more than `max` bytes or `lines` lines the rest is counted and not shown.
 */
void quote(FILE *to, const char *indent, const char *s, size_t max, size_t lines);

#endif
