/* SPDX-License-Identifier: MIT
 *
 * json.c - writes Python values as JSON.
 *
 * This file writes the common types itself, because arguments of calls are small and
 * frequent.  json.dumps() writes the whole value if a part of the value has another type,
 * for example a subclass of int, or if the value is nested deeper than DEPTH_MAX.
 */
#include <math.h>
#include <string.h>

#include "core.h"

#define DEPTH_MAX 200

struct out {
    char *p;
    size_t len, size;
    char *first; /* the memory of the caller, or NULL */
};

static bool
grow(struct out *out, size_t more)
{
    size_t size = out->size ? out->size : 256;
    char *p;

    while (size - out->len < more)
        size *= 2;
    p = PyMem_Realloc(out->p == out->first ? NULL : out->p, size);
    if (!p) {
        PyErr_NoMemory();
        return false;
    }
    if (out->p && out->p == out->first)
        memcpy(p, out->p, out->len);
    out->p = p;
    out->size = size;
    return true;
}

static bool
add(struct out *out, const char *p, size_t len)
{
    if (out->size - out->len < len && !grow(out, len))
        return false;
    memcpy(out->p + out->len, p, len);
    out->len += len;
    return true;
}

static bool
add_char(struct out *out, char c)
{
    if (out->size == out->len && !grow(out, 1))
        return false;
    out->p[out->len++] = c;
    return true;
}

static bool
add_string(struct out *out, PyObject *value)
{
    static const char hex[] = "0123456789abcdef";
    Py_ssize_t n;
    const char *p = PyUnicode_AsUTF8AndSize(value, &n);
    char *to;

    if (!p)
        return false;
    if (out->size - out->len < (size_t)n * 6 + 2 && !grow(out, (size_t)n * 6 + 2))
        return false;
    to = out->p + out->len;
    *to++ = '"';
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];

        if (c == '"' || c == '\\') {
            *to++ = '\\';
            *to++ = (char)c;
        } else if (c < 0x20) {
            memcpy(to, "\\u00", 4);
            to[4] = hex[c >> 4];
            to[5] = hex[c & 15];
            to += 6;
        } else {
            *to++ = (char)c;
        }
    }
    *to++ = '"';
    out->len = (size_t)(to - out->p);
    return true;
}

/* Adds the text of str() or repr() of a number. */
static bool
add_number(struct out *out, PyObject *text)
{
    const char *p;
    Py_ssize_t n;
    bool ok;

    if (!text)
        return false;
    p = PyUnicode_AsUTF8AndSize(text, &n);
    ok = p && add(out, p, (size_t)n);
    Py_DECREF(text);
    return ok;
}

static bool
add_int(struct out *out, PyObject *value)
{
    int is_big;
    long long number = PyLong_AsLongLongAndOverflow(value, &is_big);
    unsigned long long rest = (unsigned long long)number;
    char digits[24], *p = digits + sizeof(digits);

    if (is_big)
        return add_number(out, PyObject_Str(value));
    if (number < 0)
        rest = -rest;
    do
        *--p = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        *--p = '-';
    return add(out, p, (size_t)(digits + sizeof(digits) - p));
}

/* add_value() and its helpers return 1 if they have added the value.  They return 0 with
 * an exception, or -1 if json.dumps() must write the value. */
static int add_value(struct out *out, PyObject *value, int depth);

static int
add_float(struct out *out, PyObject *value)
{
    if (!isfinite(PyFloat_AsDouble(value))) {
        PyErr_SetString(PyExc_ValueError, "JSON has no infinity and no NaN");
        return 0;
    }
    return add_number(out, PyObject_Repr(value));
}

static int
add_dict(struct out *out, PyObject *value, int depth)
{
    PyObject *key, *item;
    Py_ssize_t at = 0;
    bool is_first = true;
    int r;

    if (!add_char(out, '{'))
        return 0;
    while (PyDict_Next(value, &at, &key, &item)) {
        if (!PyUnicode_CheckExact(key))
            return -1;
        if ((!is_first && !add_char(out, ',')) || !add_string(out, key) ||
            !add_char(out, ':'))
            return 0;
        r = add_value(out, item, depth + 1);
        if (r != 1)
            return r;
        is_first = false;
    }
    return add_char(out, '}');
}

static int
add_list(struct out *out, PyObject *value, int depth)
{
    bool is_list = PyList_CheckExact(value);
    Py_ssize_t n = is_list ? PyList_Size(value) : PyTuple_Size(value);

    if (!add_char(out, '['))
        return 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = is_list ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i);
        int r;

        if (!item || (i > 0 && !add_char(out, ',')))
            return 0;
        r = add_value(out, item, depth + 1);
        if (r != 1)
            return r;
    }
    return add_char(out, ']');
}

static int
add_value(struct out *out, PyObject *value, int depth)
{
    if (depth > DEPTH_MAX)
        return -1;
    if (PyUnicode_CheckExact(value))
        return add_string(out, value);
    if (value == Py_None)
        return add(out, "null", 4);
    if (value == Py_True)
        return add(out, "true", 4);
    if (value == Py_False)
        return add(out, "false", 5);
    if (PyLong_CheckExact(value))
        return add_int(out, value);
    if (PyFloat_CheckExact(value))
        return add_float(out, value);
    if (PyDict_CheckExact(value))
        return add_dict(out, value, depth);
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value))
        return add_list(out, value, depth);
    return -1;
}

static PyObject *
json_call(const char *function, PyObject *value)
{
    PyObject *module = PyImport_ImportModule("json"), *ret;

    if (!module)
        return NULL;
    ret = PyObject_CallMethod(module, function, "O", value);
    Py_DECREF(module);
    return ret;
}

char *
json_encode_in(char *first, size_t size, PyObject *value, size_t *ret_len)
{
    struct out out = {.p = first, .size = size, .first = first};
    int r = add_value(&out, value, 0);

    if (r == -1) {
        PyObject *text = json_call("dumps", value);

        out.len = 0;
        r = add_number(&out, text);
    }
    if (r == 1 && add_char(&out, '\0')) {
        *ret_len = out.len - 1;
        return out.p;
    }
    if (out.p != first)
        PyMem_Free(out.p);
    return NULL;
}

char *
json_encode(PyObject *value, size_t *ret_len)
{
    return json_encode_in(NULL, 0, value, ret_len);
}

PyObject *
json_decode(const char *text, size_t len)
{
    PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)len, "strict"), *ret;

    if (!string)
        return NULL;
    ret = json_call("loads", string);
    Py_DECREF(string);
    return ret;
}
