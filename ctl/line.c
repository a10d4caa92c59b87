/* SPDX-License-Identifier: MIT
 *
 * line.c - split a shell's command line into words, for completion.
 *
 * line.c parses the line itself, by the rules that bash and zsh share, because these two
 * shells split the line in different ways.  bash splits the line at COMP_WORDBREAKS
 * before it calls a completion.  zsh leaves the quotes in the words.
 */
#include <stdlib.h>
#include <string.h>

#include "line.h"

#define LINE_MAX_BYTES ((size_t)1 << 20)
#define WORDS_MAX      ((size_t)4096)

/* A word while it is read. */
struct word {
    struct text text;
    const char *breaks;
    int expands;
    char quote;
    int opaque;
    /* Offsets into `text`.  `begin` is the start of the part that readline replaces:
     * the byte after the last word break, or the break itself if it is '@'.  `quoted`
     * is the byte after the last opening quote. */
    size_t begin, quoted;
};

static int
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static int
is_operator(char c)
{
    return c && strchr("<>|&;()", c);
}

static int
is_name(char c, int first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

static void
add(struct word *word, const char *s, size_t len)
{
    text_add(&word->text, s, len);
}

/* ---- words with a dollar sign ------------------------------------------------------ */

/* Copies $(...) or `...` unchanged.  Nothing is run. */
static const char *
read_substitution(const char *s, struct word *word)
{
    const char *end = s + 1;

    if (*s == '`') {
        end += strcspn(end, "`");
    } else {
        for (int depth = 0; *end; end++) {
            depth += (*end == '(') - (*end == ')');
            if (depth == 0)
                break;
        }
    }
    word->opaque = !*end;
    end += *end != '\0';
    add(word, s, (size_t)(end - s));
    return end;
}

/* Reads $'...'.  Drops a backslash and keeps the next character: an escape such as \n
 * is not decoded. */
static const char *
read_dollar_quote(const char *s, struct word *word)
{
    for (s += 2; *s && *s != '\''; s++) {
        if (*s == '\\' && s[1])
            s++;
        add(word, s, 1);
    }
    word->opaque = !*s;
    return s + (*s != '\0');
}

static const char *
read_variable(const char *s, struct word *word)
{
    int braces = s[1] == '{';
    const char *name = s + 1 + braces, *end = name, *value = NULL;
    char room[256];

    while (is_name(*end, end == name))
        end++;
    if (end > name && (size_t)(end - name) < sizeof(room) && (!braces || *end == '}')) {
        memcpy(room, name, (size_t)(end - name));
        room[end - name] = '\0';
        value = secure_getenv(room);
    }
    if (!value || !word->expands) {
        add(word, s, 1);
        return s + 1;
    }
    text_puts(&word->text, value);
    return end + braces;
}

static const char *
read_dollar(const char *s, struct word *word)
{
    if (s[1] == '(')
        return read_substitution(s, word);
    if (s[1] == '\'' && !word->quote)
        return read_dollar_quote(s, word);
    if (s[1] == '"' && !word->quote)
        return s + 1;
    return read_variable(s, word);
}

/* ---- a word ------------------------------------------------------------------------ */

/* Reads one character outside of quotes, or the construct that begins with this
 * character. */
static const char *
read_plain(const char *s, struct word *word)
{
    if (*s == '\\') {
        /* Leave out a backslash before a line break, together with the line break. */
        if (s[1] && s[1] != '\n')
            add(word, s + 1, 1);
        return s + (s[1] ? 2 : 1);
    }
    if (*s == '\'' || *s == '"') {
        word->quote = *s;
        return s + 1;
    }
    if (*s == '$')
        return read_dollar(s, word);
    if (*s == '`')
        return read_substitution(s, word);
    /* Store the offset after the break, because readline replaces the text from there on.
     * If the break is "@", store the offset of the "@", because readline replaces the
     * "@", too. */
    if (word->breaks && strchr(word->breaks, *s))
        word->begin = word->text.len + (*s != '@');
    add(word, s, 1);
    return s + 1;
}

static const char *
read_quoted(const char *s, struct word *word)
{
    if (*s == word->quote) {
        word->quote = 0;
        return s + 1;
    }
    if (word->quote == '"' && *s == '\\' && s[1] && strchr("$`\"\\\n", s[1])) {
        if (s[1] != '\n')
            add(word, s + 1, 1);
        return s + 2;
    }
    if (word->quote == '"' && *s == '$')
        return read_dollar(s, word);
    if (word->quote == '"' && *s == '`')
        return read_substitution(s, word);
    add(word, s, 1);
    return s + 1;
}

static const char *
read_tilde(const char *s, struct word *word)
{
    const char *home = secure_getenv("HOME");

    if (*s != '~' || !word->expands || !home || (s[1] && s[1] != '/' && !is_blank(s[1])))
        return s;
    text_puts(&word->text, home);
    return s + 1;
}

/* Reads a word.  Returns the place after the word: a blank, an operator, or the end. */
static const char *
read_word(const char *s, struct word *word)
{
    s = read_tilde(s, word);
    while (*s && (word->quote || (!is_blank(*s) && !is_operator(*s)))) {
        char before = word->quote;
        size_t len = word->text.len;

        s = before ? read_quoted(s, word) : read_plain(s, word);
        if (!before && word->quote)
            word->quoted = len;
    }
    add(word, "", 0);
    return s;
}

/* ---- the line ---------------------------------------------------------------------- */

static void
drop_words(struct line *line)
{
    while (line->n > 0)
        free(line->words[--line->n]);
}

/* Adds a word to the line.  Takes over the text on success.  Returns 0 or -1. */
static int
push(struct line *line, struct text *text)
{
    char **words;

    if (text_failed(text) || line->n == WORDS_MAX)
        return -1;
    words = realloc(line->words, (line->n + 2) * sizeof(*words));
    if (!words)
        return -1;
    words[line->n++] = text->data;
    words[line->n] = NULL;
    line->words = words;
    *text = (struct text){0};
    return 0;
}

/* Returns true for the number in "2>", because this number belongs to the redirection. */
static int
is_descriptor(const struct word *word, char next)
{
    const char *s = word->text.data;

    return s && (next == '<' || next == '>') && *s && s[strspn(s, "0123456789")] == '\0';
}

/* Skips blanks and operators.  Drops the words that were read if an operator ends
 * their command. */
static const char *
read_gap(struct line *line, const char *s)
{
    for (;;) {
        if (*s == '\n' || is_operator(*s)) {
            size_t len = *s == '\n' ? 1 : strspn(s, "<>|&;()");

            line->redirected = memchr(s, '<', len) || memchr(s, '>', len);
            if (!line->redirected)
                drop_words(line);
            s += len;
        } else if (is_blank(*s)) {
            s++;
        } else if (s[0] == '\\' && s[1] == '\n') {
            s += 2;
        } else {
            return s;
        }
    }
}

/* Reads the words of `s`.  The last word is the current word.  The current word is empty
 * if a blank or an operator precedes the cursor. */
static int
read_before(struct line *line, const char *s, const char *breaks)
{
    int r = 0;

    for (;;) {
        struct word word = {.breaks = breaks, .expands = 1};
        const char *begin = read_gap(line, s);

        s = read_word(begin, &word);
        if (!*s) {
            text_free(&word.text);
            word = (struct word){.breaks = breaks};
            read_word(begin, &word);
            line->quote = word.quote;
            line->opaque = word.opaque;
            /* Store where readline begins to replace: after an open quote or, if no quote
             * is open, after the last break, or at the break if the break is '@'. */
            if (breaks)
                line->begin = word.quote ? word.quoted : word.begin;
            line->at = line->n;
            r = push(line, &word.text);
            text_free(&word.text);
            return r;
        }
        if (!line->redirected && !is_descriptor(&word, *s))
            r = push(line, &word.text);
        text_free(&word.text);
        line->redirected = 0;
        if (r < 0)
            return r;
    }
}

/* Reads the words after the current word. */
static int
read_after(struct line *line, const char *s)
{
    struct word rest = {.quote = line->quote};
    int r = 0;

    s = read_word(s, &rest);
    text_free(&rest.text);
    while (r == 0) {
        struct word word = {.expands = 1};

        while (is_blank(*s) && *s != '\n')
            s++;
        if (!*s || *s == '\n' || is_operator(*s))
            break;
        s = read_word(s, &word);
        if (!is_descriptor(&word, *s))
            r = push(line, &word.text);
        text_free(&word.text);
    }
    return r;
}

int
line_read(struct line *line, const char *before, const char *after, const char *breaks)
{
    int r = -1;

    *line = (struct line){0};
    if (strlen(before) + strlen(after) <= LINE_MAX_BYTES)
        r = read_before(line, before, breaks);
    if (r == 0)
        r = read_after(line, after);
    if (r < 0)
        line_free(line);
    return r;
}

void
line_free(struct line *line)
{
    drop_words(line);
    free(line->words);
    line->words = NULL;
}

/* ---- quoting ----------------------------------------------------------------------- */

static int
is_safe(char c)
{
    return is_name(c, 0) || (unsigned char)c >= 0x80 || strchr("./:=@%+,-", c);
}

void
line_put_quoted(struct text *t, const char *s, char quote)
{
    for (; *s; s++) {
        if (quote == '\'' && *s == '\'') {
            text_puts(t, "'\\''");
            continue;
        }
        /* Write "!" outside of double quotes, because between double quotes bash keeps
         * the backslash before a "!" as part of the word. */
        if (quote == '"' && *s == '!') {
            text_puts(t, "\"\\!\"");
            continue;
        }
        if ((quote == '"' && strchr("$`\"\\", *s)) || (!quote && !is_safe(*s)))
            text_puts(t, "\\");
        text_add(t, s, 1);
    }
    text_add(t, "", 0);
}
