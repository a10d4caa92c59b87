/* SPDX-License-Identifier: MIT
 *
 * core.c - handles, arguments and errors of the extension module.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include <structmember.h>

/* ---- handles ----------------------------------------------------------------------- */

/* A sequence of objects that `get` fetches one by one, for example the tools of a
 * catalog. */
struct sequence {
    PyObject ob_base;
    PyObject *owner;
    size_t (*count)(void *h);
    PyObject *(*get)(void *h, size_t i);
};

PyObject *
wrap_owned(int kind, void *h)
{
    PyTypeObject *type = (PyTypeObject *)object_here(kind);
    struct handle *self;

    if (!h)
        return Py_NewRef(Py_None);
    if (!type)
        raise_ended();
    self = type ? (struct handle *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self) {
        kinds[kind].unref(h);
        return NULL;
    }
    self->h = h;
    self->kind = kind;
    return (PyObject *)self;
}

PyObject *
wrap_borrowed(int kind, const void *h)
{
    return h ? wrap_owned(kind, kinds[kind].ref((void *)h)) : Py_NewRef(Py_None);
}

static void
handle_dealloc(PyObject *ob)
{
    struct handle *self = (struct handle *)ob;
    PyTypeObject *type = Py_TYPE(ob);
    void *h = self->h;

    if (self->weak)
        PyObject_ClearWeakRefs(ob);
    self->h = NULL;
    /* Release the GIL while a host is released, because mcphost_unref() can wait for
     * callbacks of another thread, and for the end of the servers. */
    if (h && self->kind != KIND_HOST) {
        kinds[self->kind].unref(h);
    } else if (h && !python_is_ending()) {
        gil_release();
        kinds[self->kind].unref(h);
        gil_take();
    }
    PyObject_Free(ob);
    Py_DECREF((PyObject *)type);
}

static PyObject *
handle_compare(PyObject *a, PyObject *b, int op)
{
    bool is_equal;

    if ((op != Py_EQ && op != Py_NE) || Py_TYPE(a) != Py_TYPE(b))
        return Py_NewRef(Py_NotImplemented);
    is_equal = handle_of(a) == handle_of(b);
    return PyBool_FromLong(is_equal == (op == Py_EQ));
}

static Py_hash_t
handle_hash(PyObject *self)
{
    Py_hash_t hash = (Py_hash_t)((uintptr_t)handle_of(self) >> 4);

    return hash == -1 ? -2 : hash;
}

static PyObject *
handle_repr(PyObject *self)
{
    PyObject *name = PyType_GetQualName(Py_TYPE(self)), *id = NULL, *ret = NULL;

    if (!name)
        return NULL;
    for (int i = 0; i < 3 && !id; i++) {
        static const char *const keys[] = {"name", "id", "kind"};

        id = PyObject_GetAttrString(self, keys[i]);
        if (!id)
            PyErr_Clear();
    }
    if (id)
        ret = PyUnicode_FromFormat("<mcphost %U %R>", name, id);
    else
        ret = PyUnicode_FromFormat("<mcphost %U at %p>", name, handle_of(self));
    Py_DECREF(name);
    Py_XDECREF(id);
    return ret;
}

/* ---- sequences --------------------------------------------------------------------- */

PyObject *
sequence_new(PyObject *owner, size_t (*count)(void *h),
             PyObject *(*get)(void *h, size_t i))
{
    PyTypeObject *type = (PyTypeObject *)object_here(SEQUENCE_TYPE);
    struct sequence *self;

    if (!type)
        raise_ended();
    self = type ? (struct sequence *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self)
        return NULL;
    self->owner = Py_NewRef(owner);
    self->count = count;
    self->get = get;
    return (PyObject *)self;
}

static void
sequence_dealloc(PyObject *ob)
{
    PyTypeObject *type = Py_TYPE(ob);

    Py_XDECREF(((struct sequence *)ob)->owner);
    PyObject_Free(ob);
    Py_DECREF((PyObject *)type);
}

static Py_ssize_t
sequence_length(PyObject *ob)
{
    struct sequence *self = (struct sequence *)ob;

    return (Py_ssize_t)self->count(handle_of(self->owner));
}

static PyObject *
sequence_item(PyObject *ob, Py_ssize_t i)
{
    struct sequence *self = (struct sequence *)ob;

    if (i < 0 || i >= sequence_length(ob)) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    return self->get(handle_of(self->owner), (size_t)i);
}

static PyObject *
sequence_slice(PyObject *ob, PyObject *slice)
{
    Py_ssize_t start, stop, step, n;
    PyObject *list;

    if (PySlice_Unpack(slice, &start, &stop, &step) < 0)
        return NULL;
    n = PySlice_AdjustIndices(sequence_length(ob), &start, &stop, step);
    list = PyList_New(n);
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *item = sequence_item(ob, start + i * step);

        if (!item) {
            Py_CLEAR(list);
            break;
        }
        PyList_SetItem(list, i, item);
    }
    return list;
}

static PyObject *
sequence_subscript(PyObject *ob, PyObject *key)
{
    Py_ssize_t i;

    if (PyObject_TypeCheck(key, &PySlice_Type))
        return sequence_slice(ob, key);
    i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    return sequence_item(ob, i < 0 ? i + sequence_length(ob) : i);
}

static PyType_Slot sequence_slots[] = {
    {Py_tp_dealloc, sequence_dealloc},     {Py_sq_length, sequence_length},
    {Py_sq_item, sequence_item},           {Py_mp_length, sequence_length},
    {Py_mp_subscript, sequence_subscript}, {0, NULL},
};

static PyType_Spec sequence_spec = {
    .name = "mcphost._core.LazySequence",
    .basicsize = sizeof(struct sequence),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = sequence_slots,
};

/* ---- values ------------------------------------------------------------------------ */

PyObject *
wrap_text(const char *text, const size_t *len)
{
    if (!text)
        return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)(len ? *len : strlen(text)),
                                "surrogateescape");
}

PyObject *
wrap_own_text(char *text, const size_t *len)
{
    PyObject *ret = wrap_text(text, len);

    mcphost_free(text);
    return ret;
}

PyObject *
wrap_tuple(int n, ...)
{
    PyObject *tuple = PyTuple_New(n);
    va_list ap;

    va_start(ap, n);
    for (int i = 0; i < n; i++) {
        PyObject *item = va_arg(ap, PyObject *);

        if (!item)
            Py_CLEAR(tuple);
        else if (tuple)
            PyTuple_SetItem(tuple, i, item);
        else
            Py_DECREF(item);
    }
    va_end(ap);
    return tuple;
}

PyObject *
wrap_tristate(int64_t value)
{
    return value < 0 ? Py_NewRef(Py_None) : PyBool_FromLong(value != 0);
}

/* ---- errors ------------------------------------------------------------------------ */

#define IN_CALLBACK "a callback must not wait: another thread does the waiting"

/* Returns a borrowed reference to the function that makes exceptions, or NULL with an
 * exception. */
static PyObject *
find_make_error(void)
{
    struct interp *interp = interp_here();
    PyObject *module;

    if (!interp || !interp->objects) {
        raise_ended();
        return NULL;
    }
    if (interp->objects[MAKE_ERROR])
        return interp->objects[MAKE_ERROR];
    module = PyImport_ImportModule("mcphost._errors");
    if (module && interp->objects)
        interp->objects[MAKE_ERROR] = PyObject_GetAttrString(module, "make");
    Py_XDECREF(module);
    return interp->objects ? interp->objects[MAKE_ERROR] : NULL;
}

PyObject *
make_exception(int code, mcphost_error *err)
{
    PyObject *info = wrap_owned(KIND_ERROR, err), *make, *ret = NULL;

    if (!info)
        return NULL;
    make = find_make_error();
    if (make)
        ret = PyObject_CallFunction(make, "isO", code, mcphost_strerror(code), info);
    Py_DECREF(info);
    return ret;
}

void
raise_exception(PyObject *exception)
{
    stop_at_exit();
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
}

void
raise_code(int code, mcphost_error *err)
{
    if (code == MCPHOST_E_BUSY && !err && is_in_callback())
        mcphost_error_new(code, IN_CALLBACK, &err);
    raise_exception(make_exception(code, err));
}

int
code_of_exception(PyObject *what, mcphost_error **reterr)
{
    PyObject *type, *value, *trace, *code, *text;
    long number = 0;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    code = value ? PyObject_GetAttrString(value, "code") : NULL;
    if (code && PyLong_Check(code))
        number = PyLong_AsLong(code);
    Py_XDECREF(code);
    PyErr_Clear();
    if (number >= 0 || number < -1000)
        number = MCPHOST_E_STATE;
    if (value && !PyErr_GivenExceptionMatches(value, PyExc_Exception))
        number = MCPHOST_E_CANCELLED;
    text = reterr && value ? PyObject_Str(value) : NULL;
    if (text && PyUnicode_AsUTF8AndSize(text, NULL))
        mcphost_error_new((int)number, PyUnicode_AsUTF8AndSize(text, NULL), reterr);
    Py_XDECREF(text);
    PyErr_Restore(type, value, trace);
    report_exception(what);
    return (int)number;
}

/* ---- arguments --------------------------------------------------------------------- */

static int
find_name(PyObject *name, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0)
            return i;
    return -1;
}

bool
arguments_parse(struct arguments *a, const char *function, PyObject *const *args,
                Py_ssize_t n, PyObject *kw, const char *const *names, int required)
{
    Py_ssize_t n_kw = kw ? PyTuple_Size(kw) : 0;
    int max = 0;

    while (names[max])
        max++;
    if (n > max) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments (%zd given)",
                     function, max, n);
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        a->v[i] = args[i];
    for (Py_ssize_t i = 0; i < n_kw; i++) {
        PyObject *name = PyTuple_GetItem(kw, i);
        int at = find_name(name, names);

        if (at < 0 || a->v[at]) {
            PyErr_Format(PyExc_TypeError, "%s() got %s argument '%U'", function,
                         at < 0 ? "an unexpected keyword" : "more than one value for",
                         name);
            return false;
        }
        a->v[at] = args[n + i];
    }
    for (int i = 0; i < required; i++) {
        if (!a->v[i]) {
            PyErr_Format(PyExc_TypeError, "%s() lacks the argument '%s'", function,
                         names[i]);
            return false;
        }
    }
    return true;
}

void
arguments_given(struct arguments *a)
{
    a->n_given = 0;
}

void
arguments_free(struct arguments *a)
{
    while (a->n_given > 0)
        callback_free(a->given[--a->n_given]);
    while (a->n_lent > 0)
        callback_free(a->lent[--a->n_lent]);
    while (a->n_buffers > 0)
        PyBuffer_Release(&a->buffers[--a->n_buffers]);
    while (a->n_blocks > 0)
        PyMem_Free(a->blocks[--a->n_blocks]);
    while (a->n_kept > 0)
        Py_DECREF(a->kept[--a->n_kept]);
}

/* Keeps a new reference until arguments_free() drops it. */
static PyObject *
keep(struct arguments *a, PyObject *ob)
{
    if (ob)
        a->kept[a->n_kept++] = ob;
    return ob;
}

bool
take_handle(struct arguments *a, int i, int kind, int nullable, void **ret)
{
    PyObject *ob = a->v[i];

    if (nullable && (!ob || ob == Py_None))
        return true;
    /* An object of the typed layer (the package's Python classes) has its handle in
     * the attribute `core`. */
    if (!is_kind(ob, kind)) {
        ob = keep(a, PyObject_GetAttrString(ob, "core"));
        if (!ob)
            PyErr_Clear();
    }
    if (!ob || !is_kind(ob, kind)) {
        PyErr_Format(PyExc_TypeError, "expected %s, not %R",
                     strrchr(kinds[kind].name, '.') + 1, a->v[i]);
        return false;
    }
    *ret = handle_of(ob);
    return true;
}

static bool
take_path(struct arguments *a, PyObject *ob, const char **ret)
{
    PyObject *bytes;

    if (!PyUnicode_FSConverter(ob, &bytes))
        return false;
    *ret = PyBytes_AsString(keep(a, bytes));
    return true;
}

static bool
take_buffer(struct arguments *a, PyObject *ob, const char **ret, size_t *ret_len)
{
    Py_buffer *view = &a->buffers[a->n_buffers];

    if (PyObject_GetBuffer(ob, view, PyBUF_SIMPLE) < 0)
        return false;
    a->n_buffers++;
    *ret = view->buf ? view->buf : "";
    *ret_len = (size_t)view->len;
    return true;
}

bool
take_text(struct arguments *a, int i, int flags, const char **ret, size_t *ret_len)
{
    PyObject *ob = a->v[i];
    Py_ssize_t n;

    if (!ob || (ob == Py_None && (flags & TEXT_NULL))) {
        if (ret_len)
            *ret_len = 0;
        return true;
    }
    if (flags & TEXT_PATH)
        return take_path(a, ob, ret);
    if (PyUnicode_Check(ob)) {
        *ret = PyUnicode_AsUTF8AndSize(ob, &n);
        if (*ret && ret_len)
            *ret_len = (size_t)n;
        if (*ret && !ret_len && strlen(*ret) != (size_t)n) {
            PyErr_SetString(PyExc_ValueError, "embedded null character");
            return false;
        }
        return *ret != NULL;
    }
    if (ret_len && PyObject_CheckBuffer(ob))
        return take_buffer(a, ob, ret, ret_len);
    if (ret_len && (flags & TEXT_JSON)) {
        char *json = json_encode(ob, ret_len);

        if (json)
            a->blocks[a->n_blocks++] = json;
        *ret = json;
        return json != NULL;
    }
    PyErr_Format(PyExc_TypeError, "expected a str, not %R", ob);
    return false;
}

bool
take_texts(struct arguments *a, int i, int nullable, const char *const **ret,
           size_t *ret_n)
{
    PyObject *ob = a->v[i], *tuple;
    const char **texts;
    Py_ssize_t n;

    if (nullable && (!ob || ob == Py_None))
        return true;
    if (PyUnicode_Check(ob)) {
        PyErr_SetString(PyExc_TypeError, "expected a sequence of str, not a str");
        return false;
    }
    tuple = keep(a, PySequence_Tuple(ob));
    if (!tuple)
        return false;
    n = PyTuple_Size(tuple);
    texts = PyMem_Calloc((size_t)n + 1, sizeof(*texts));
    if (!texts) {
        PyErr_NoMemory();
        return false;
    }
    a->blocks[a->n_blocks++] = texts;
    for (Py_ssize_t k = 0; k < n; k++) {
        Py_ssize_t len;

        texts[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, k), &len);
        if (!texts[k])
            return false;
        if (strlen(texts[k]) != (size_t)len) {
            PyErr_SetString(PyExc_ValueError, "embedded null character");
            return false;
        }
    }
    *ret = texts;
    if (ret_n)
        *ret_n = (size_t)n;
    return true;
}

bool
take_int64(struct arguments *a, int i, int64_t *ret)
{
    long long value;

    if (!a->v[i])
        return true;
    value = PyLong_AsLongLong(a->v[i]);
    if (value == -1 && PyErr_Occurred())
        return false;
    *ret = value;
    return true;
}

bool
take_int(struct arguments *a, int i, int *ret)
{
    int64_t value = *ret;

    if (!take_int64(a, i, &value))
        return false;
    if (value < INT32_MIN || value > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "the number does not fit an int");
        return false;
    }
    *ret = (int)value;
    return true;
}

bool
take_uint64(struct arguments *a, int i, uint64_t *ret)
{
    PyObject *index;
    unsigned long long value;

    if (!a->v[i])
        return true;
    index = PyNumber_Index(a->v[i]);
    if (!index)
        return false;
    value = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (value == (unsigned long long)-1 && PyErr_Occurred())
        return false;
    *ret = value;
    return true;
}

bool
take_unsigned(struct arguments *a, int i, unsigned *ret)
{
    uint64_t value = *ret;

    if (!take_uint64(a, i, &value))
        return false;
    if (value > UINT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "the number does not fit an unsigned int");
        return false;
    }
    *ret = (unsigned)value;
    return true;
}

bool
take_size(struct arguments *a, int i, size_t *ret)
{
    uint64_t value = *ret;

    if (!take_uint64(a, i, &value))
        return false;
    *ret = value;
    return true;
}

bool
take_double(struct arguments *a, int i, double *ret)
{
    if (!a->v[i])
        return true;
    if (a->v[i] == Py_None) {
        *ret = Py_NAN;
        return true;
    }
    *ret = PyFloat_AsDouble(a->v[i]);
    return *ret != -1 || !PyErr_Occurred();
}

bool
take_callable(struct arguments *a, int i, int nullable, PyObject **ret)
{
    PyObject *ob = a->v[i];

    if (nullable && (!ob || ob == Py_None))
        return true;
    if (!PyCallable_Check(ob)) {
        PyErr_Format(PyExc_TypeError, "expected a callable, not %R", ob);
        return false;
    }
    *ret = ob;
    return true;
}

bool
take_callback(struct arguments *a, int i, int nullable, int is_given,
              struct callback **ret)
{
    PyObject *fn = NULL;
    struct callback *callback;

    if (!take_callable(a, i, nullable, &fn))
        return false;
    if (!fn)
        return true;
    callback = callback_new(fn);
    if (!callback)
        return false;
    if (is_given)
        a->given[a->n_given++] = callback;
    else
        a->lent[a->n_lent++] = callback;
    *ret = callback;
    return true;
}

/* ---- the module -------------------------------------------------------------------- */

static PyMemberDef handle_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(struct handle, weak), READONLY, NULL},
    {0},
};

static PyType_Slot handle_slots[] = {
    {Py_tp_dealloc, handle_dealloc}, {Py_tp_richcompare, handle_compare},
    {Py_tp_hash, handle_hash},       {Py_tp_repr, handle_repr},
    {Py_tp_members, handle_members}, {0, NULL},
};

static PyType_Spec handle_spec = {
    .name = "mcphost._core.Handle",
    .basicsize = sizeof(struct handle),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = handle_slots,
};

static PyObject *
make_type(PyObject *module, int kind, PyObject *base)
{
    const struct kind_info *info = &kinds[kind];
    PyType_Slot slots[40] = {{Py_tp_methods, info->methods},
                             {Py_tp_getset, info->getters}};
    PyType_Slot *more = kind == KIND_CALL     ? call_slots
                        : kind == KIND_RESULT ? result_slots
                                              : NULL;
    PyType_Spec spec = {
        .name = info->name,
        .basicsize = kind == KIND_CALL ? sizeof(struct call) : sizeof(struct handle),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                 (kind == KIND_CALL ? Py_TPFLAGS_HAVE_GC : 0),
        .slots = slots,
    };

    for (int i = 2; more && more->slot; i++)
        slots[i] = *more++;
    return PyType_FromModuleAndSpec(module, &spec, base);
}

/* Makes the objects of `enum object` for an interpreter and stores them in
 * `objects`. */
static bool
make_objects(PyObject *module, PyObject **objects)
{
    objects[HANDLE_TYPE] = PyType_FromModuleAndSpec(module, &handle_spec, NULL);
    objects[SEQUENCE_TYPE] = PyType_FromModuleAndSpec(module, &sequence_spec, NULL);
    objects[CALLER_TYPE] = PyType_FromModuleAndSpec(module, &caller_spec, NULL);
    if (!objects[HANDLE_TYPE] || !objects[SEQUENCE_TYPE] || !objects[CALLER_TYPE])
        return false;
    for (int kind = 0; kind < N_KINDS; kind++) {
        objects[kind] = make_type(module, kind, objects[HANDLE_TYPE]);
        if (!objects[kind])
            return false;
    }
    return driver_setup(module, objects);
}

static PyObject *
module_begin_finalizing(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyBool_FromLong(interp_begin_finalizing());
}

static PyObject *
module_end(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    interp_end();
    Py_RETURN_NONE;
}

static PyObject *
after_fork(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    fork_generation++;
    Py_RETURN_NONE;
}

static PyObject *
in_callback(PyObject *self, PyObject *unused)
{
    (void)self;
    (void)unused;
    return PyBool_FromLong(is_in_callback());
}

static PyMethodDef module_methods[] = {
    {"_in_callback", in_callback, METH_NOARGS, NULL},
    {"_begin_finalizing", module_begin_finalizing, METH_NOARGS, NULL},
    {"_end", module_end, METH_NOARGS, NULL},
    {"_after_fork", after_fork, METH_NOARGS, NULL},
    {"driver_new", METHOD(driver_new)},
    {"artifact_read", METHOD(artifact_read)},
    {"config_server_compare", METHOD(config_compare)},
    {"config_server_get_hash", METHOD(config_get_hash)},
    {"transform_apply", METHOD(transform_apply)},
    {"provider_set_life", METHOD(provider_set_life)},
    {0},
};

/* Fills a new module.  If the interpreter has imported the module before, the new module
 * gets the objects of the first module.  Objects of both modules then have the same
 * types. */
static int
module_exec(PyObject *module)
{
    PyObject **objects = PyModule_GetState(module);
    struct interp *interp = interp_open();

    if (!interp)
        return -1;
    if (!interp->objects && !make_objects(module, objects))
        return -1;
    for (int i = 0; interp->objects && i < N_OBJECTS; i++)
        objects[i] = Py_XNewRef(interp->objects[i]);
    if (!interp->objects)
        interp->objects = objects;
    for (int i = 0; i <= DRIVER_TYPE; i++)
        if (PyModule_AddType(module, (PyTypeObject *)objects[i]) < 0)
            return -1;
    if (PyModule_AddFunctions(module, module_generated) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "VERSION_NUMBER", MCPHOST_VERSION_NUMBER);
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    PyObject **objects = PyModule_GetState(module);

    for (int i = 0; objects && i < N_OBJECTS; i++)
        Py_VISIT(objects[i]);
    return 0;
}

/* Drops the objects.  The module has no m_clear function, so a function that runs before
 * this function finds either all objects or none.  The garbage collector can still break
 * the reference cycle between the module and its types, because it clears the types. */
static void
module_free(void *module)
{
    PyObject **objects = PyModule_GetState(module);

    if (!objects)
        return;
    interp_close(objects);
    for (int i = 0; i < N_OBJECTS; i++)
        Py_CLEAR(objects[i]);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "mcphost._core",
    .m_doc = "The C interface of libmcphost.",
    .m_size = N_OBJECTS * sizeof(PyObject *),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_free = module_free,
};

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&module_def);
}
