/* SPDX-License-Identifier: MIT
 *
 * extra.c - functions that scripts/bind-python cannot generate.
 *
 * For example, some of these functions fill a buffer of the caller, and another function
 * takes two callbacks that share one argument.
 */
#include <string.h>

#include "core.h"

PyObject *
artifact_read(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "path", "offset", "len", NULL};
    struct arguments a = {0};
    const char *dir = NULL, *path = NULL;
    mcphost_error *err = NULL;
    PyObject *ret = NULL;
    uint64_t offset = 0;
    size_t len = 65536, got = 0;
    char *buf = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "artifact_read", args, n, kw, names, 2))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &dir, NULL) ||
        !take_text(&a, 1, TEXT_PATH, &path, NULL) || !take_uint64(&a, 2, &offset) ||
        !take_size(&a, 3, &len))
        goto out;
    buf = PyMem_Malloc(len ? len : 1);
    if (!buf) {
        PyErr_NoMemory();
        goto out;
    }
    gil_release();
    r = mcphost_artifact_read(dir, path, offset, buf, len, &got, &err);
    gil_take();
    if (r < 0)
        raise_code(r, err);
    else
        ret = PyBytes_FromStringAndSize(buf, (Py_ssize_t)got);
out:
    PyMem_Free(buf);
    arguments_free(&a);
    return ret;
}

PyObject *
config_get_hash(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"config", "index", "which", "key", NULL};
    char hex[MCPHOST_CONFIG_HASH_SIZE];
    struct arguments a = {0};
    void *config = NULL;
    const char *key = NULL;
    PyObject *ret = NULL;
    size_t index = 0, len = 0;
    int which = 0, r;

    (void)self;
    if (!arguments_parse(&a, "config_server_get_hash", args, n, kw, names, 4))
        return NULL;
    if (!take_handle(&a, 0, KIND_CONFIG, 0, &config) || !take_size(&a, 1, &index) ||
        !take_int(&a, 2, &which) || !take_text(&a, 3, 0, &key, &len))
        goto out;
    r = mcphost_config_server_get_hash(config, index, which, key, len, hex);
    if (r < 0)
        raise_code(r, NULL);
    else
        ret = wrap_text(hex, NULL);
out:
    arguments_free(&a);
    return ret;
}

PyObject *
config_compare(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"from_", "to", "id", NULL};
    struct arguments a = {0};
    void *from = NULL, *to = NULL;
    const char *id = NULL;
    PyObject *ret = NULL;
    char keys[4096];
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_server_compare", args, n, kw, names, 3))
        return NULL;
    if (!take_handle(&a, 0, KIND_CONFIG, 0, &from) ||
        !take_handle(&a, 1, KIND_CONFIG, 0, &to) || !take_text(&a, 2, 0, &id, NULL))
        goto out;
    r = mcphost_config_server_compare(from, to, id, keys, sizeof(keys));
    if (r < 0)
        raise_code(r, NULL);
    else
        ret = wrap_tuple(2, PyLong_FromLong(r), wrap_text(keys, NULL));
out:
    arguments_free(&a);
    return ret;
}

PyObject *
transform_apply(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"transform", "name", NULL};
    struct arguments a = {0};
    void *transform = NULL;
    const char *name = NULL;
    PyObject *ret = NULL;
    char *text;
    int r;

    (void)self;
    if (!arguments_parse(&a, "transform_apply", args, n, kw, names, 2))
        return NULL;
    if (!take_handle(&a, 0, KIND_TRANSFORM, 0, &transform) ||
        !take_text(&a, 1, 0, &name, NULL))
        goto out;
    r = mcphost_transform_apply(transform, name, NULL, 0);
    if (r < 0) {
        raise_code(r, NULL);
        goto out;
    }
    text = PyMem_Malloc((size_t)r + 1);
    if (!text) {
        PyErr_NoMemory();
        goto out;
    }
    r = mcphost_transform_apply(transform, name, text, (size_t)r + 1);
    if (r < 0)
        raise_code(r, NULL);
    else
        ret = wrap_text(text, NULL);
    PyMem_Free(text);
out:
    arguments_free(&a);
    return ret;
}

/* ---- the life of a provider -------------------------------------------------------- */

/* Calls the setup function of a provider.  The callback's object is the tuple (setup,
 * teardown).  An item of the tuple is a callable or None. */
static int
tramp_setup(mcphost_provider *provider, void *arg, mcphost_error **reterr)
{
    struct callback *callback = arg;
    struct entry entry;
    PyObject *fn, *ob, *ret = NULL;
    int r = 0;

    if (!python_enter(callback->interp, &entry))
        return MCPHOST_E_STATE;
    fn = PyTuple_GetItem(callback->fn, 0);
    if (fn != Py_None) {
        ob = wrap_borrowed(KIND_PROVIDER, provider);
        if (ob)
            ret = PyObject_CallFunctionObjArgs(fn, ob, NULL);
        Py_XDECREF(ob);
        if (!ret)
            r = code_of_exception(fn, reterr);
        Py_XDECREF(ret);
    }
    python_leave(&entry);
    return r;
}

static void
tramp_teardown(mcphost_provider *provider, void *arg)
{
    struct callback *callback = arg;
    struct entry entry;
    PyObject *fn, *ob, *ret = NULL;

    if (!python_enter(callback->interp, &entry))
        return;
    fn = PyTuple_GetItem(callback->fn, 1);
    if (fn != Py_None) {
        ob = wrap_borrowed(KIND_PROVIDER, provider);
        if (ob)
            ret = PyObject_CallFunctionObjArgs(fn, ob, NULL);
        Py_XDECREF(ob);
        if (!ret)
            report_exception(fn);
        Py_XDECREF(ret);
    }
    python_leave(&entry);
}

PyObject *
provider_set_life(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"provider", "setup", "teardown", NULL};
    struct arguments a = {0};
    void *provider = NULL;
    PyObject *ret = NULL, *setup = NULL, *teardown = NULL, *both;
    struct callback *callback;
    int r;

    (void)self;
    if (!arguments_parse(&a, "provider_set_life", args, n, kw, names, 1))
        return NULL;
    if (!take_handle(&a, 0, KIND_PROVIDER, 0, &provider) ||
        !take_callable(&a, 1, 1, &setup) || !take_callable(&a, 2, 1, &teardown))
        goto out;
    both = wrap_tuple(2, Py_NewRef(setup ? setup : Py_None),
                      Py_NewRef(teardown ? teardown : Py_None));
    callback = both ? callback_new(both) : NULL;
    Py_XDECREF(both);
    if (!callback)
        goto out;
    gil_release();
    r = mcphost_provider_set_life(provider, tramp_setup, tramp_teardown, callback,
                                  tramp_free);
    gil_take();
    if (r < 0)
        raise_code(r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

/* Drops the reference to the host now.  The object cannot be used any more. */
PyObject *
host_unref_now(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    struct handle *host = (struct handle *)self;
    void *h = host->h;

    (void)args;
    (void)n;
    (void)kw;
    host->h = NULL;
    gil_release();
    mcphost_unref(h);
    gil_take();
    Py_RETURN_NONE;
}

/* ---- results ----------------------------------------------------------------------- */

static int
result_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    size_t len = 0;
    const char *json = mcphost_result_get_json(handle_of(self), &len);

    if (!json) {
        view->obj = NULL;
        PyErr_NoMemory();
        return -1;
    }
    return PyBuffer_FillInfo(view, self, (void *)json, (Py_ssize_t)len, 1, flags);
}

static Py_ssize_t
result_length(PyObject *self)
{
    size_t len = 0;

    mcphost_result_get_json(handle_of(self), &len);
    return (Py_ssize_t)len;
}

PyType_Slot result_slots[] = {
    {Py_bf_getbuffer, result_get_buffer},
    {Py_mp_length, result_length},
    {0, NULL},
};

PyObject *
result_raw(PyObject *self, void *unused)
{
    (void)unused;
    return PyMemoryView_FromObject(self);
}

/* Returns the texts of all items that have a text, with a line break between two
 * texts. */
PyObject *
result_text(PyObject *self, void *unused)
{
    mcphost_result *result = handle_of(self);
    size_t n = mcphost_result_count_items(result), len;
    PyObject *texts, *lines, *ret = NULL;
    const char *text;

    (void)unused;
    if (n == 1 && mcphost_result_item_get_text(result, 0, &text, &len) == 0)
        return wrap_text(text, &len);
    texts = PyList_New(0);
    for (size_t i = 0; texts && i < n; i++) {
        PyObject *one;

        if (mcphost_result_item_get_text(result, i, &text, &len) != 0)
            continue;
        one = wrap_text(text, &len);
        if (!one || PyList_Append(texts, one) < 0)
            Py_CLEAR(texts);
        Py_XDECREF(one);
    }
    lines = texts ? PyUnicode_FromString("\n") : NULL;
    if (lines)
        ret = PyUnicode_Join(lines, texts);
    Py_XDECREF(lines);
    Py_XDECREF(texts);
    return ret;
}

PyObject *
result_structured(PyObject *self, void *unused)
{
    size_t len = 0;
    const char *json = mcphost_result_get_structured(handle_of(self), &len);

    (void)unused;
    return json ? json_decode(json, len) : Py_NewRef(Py_None);
}

PyObject *
result_parse(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    size_t len = 0;
    const char *json = mcphost_result_get_json(handle_of(self), &len);

    (void)args;
    (void)n;
    (void)kw;
    return json ? json_decode(json, len) : PyErr_NoMemory();
}
