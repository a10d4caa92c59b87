/* SPDX-License-Identifier: MIT
 *
 * generated.c - types and methods of the extension module
 *
 * Generated from the headers by scripts/bind-python.
 */

#include "core.h"

static void *
ref_chatos(void *p)
{
    return mcphost_chatos_ref(p);
}

static void *
unref_chatos(void *p)
{
    return mcphost_chatos_unref((mcphost_chatos *)p);
}

static void *
ref_chatos_run(void *p)
{
    return mcphost_chatos_run_ref(p);
}

static void *
unref_chatos_run(void *p)
{
    return mcphost_chatos_run_unref((mcphost_chatos_run *)p);
}

static void *
ref_plugins(void *p)
{
    return mcphost_plugins_ref(p);
}

static void *
unref_plugins(void *p)
{
    return mcphost_plugins_unref((mcphost_plugins *)p);
}

static void *
ref_plugin_rows(void *p)
{
    return mcphost_plugin_rows_ref(p);
}

static void *
unref_plugin_rows(void *p)
{
    return mcphost_plugin_rows_unref((mcphost_plugin_rows *)p);
}

static void *
ref_problems(void *p)
{
    return mcphost_problems_ref(p);
}

static void *
unref_problems(void *p)
{
    return mcphost_problems_unref((mcphost_problems *)p);
}

static void *
ref_status(void *p)
{
    return mcphost_status_ref(p);
}

static void *
unref_status(void *p)
{
    return mcphost_status_unref((mcphost_status *)p);
}

static void *
ref_host(void *p)
{
    return mcphost_ref(p);
}

static void *
unref_host(void *p)
{
    return mcphost_unref((mcphost *)p);
}

static void *
ref_builtins(void *p)
{
    return mcphost_builtins_ref(p);
}

static void *
unref_builtins(void *p)
{
    return mcphost_builtins_unref((mcphost_builtins *)p);
}

static void *
ref_call(void *p)
{
    return mcphost_call_ref(p);
}

static void *
unref_call(void *p)
{
    return mcphost_call_unref((mcphost_call *)p);
}

static void *
ref_catalog(void *p)
{
    return mcphost_catalog_ref(p);
}

static void *
unref_catalog(void *p)
{
    return mcphost_catalog_unref((mcphost_catalog *)p);
}

static void *
ref_config(void *p)
{
    return mcphost_config_ref(p);
}

static void *
unref_config(void *p)
{
    return mcphost_config_unref((mcphost_config *)p);
}

static void *
ref_dialog(void *p)
{
    return mcphost_dialog_ref(p);
}

static void *
unref_dialog(void *p)
{
    return mcphost_dialog_unref((mcphost_dialog *)p);
}

static void *
ref_error(void *p)
{
    return mcphost_error_ref(p);
}

static void *
unref_error(void *p)
{
    return mcphost_error_unref((mcphost_error *)p);
}

static void *
ref_event(void *p)
{
    return mcphost_event_ref(p);
}

static void *
unref_event(void *p)
{
    return mcphost_event_unref((mcphost_event *)p);
}

static void *
ref_filter(void *p)
{
    return mcphost_filter_ref(p);
}

static void *
unref_filter(void *p)
{
    return mcphost_filter_unref((mcphost_filter *)p);
}

static void *
ref_grant(void *p)
{
    return mcphost_grant_ref(p);
}

static void *
unref_grant(void *p)
{
    return mcphost_grant_unref((mcphost_grant *)p);
}

static void *
ref_items(void *p)
{
    return mcphost_items_ref(p);
}

static void *
unref_items(void *p)
{
    return mcphost_items_unref((mcphost_items *)p);
}

static void *
ref_lease(void *p)
{
    return mcphost_lease_ref(p);
}

static void *
unref_lease(void *p)
{
    return mcphost_lease_unref((mcphost_lease *)p);
}

static void *
ref_problem(void *p)
{
    return mcphost_problem_ref(p);
}

static void *
unref_problem(void *p)
{
    return mcphost_problem_unref((mcphost_problem *)p);
}

static void *
ref_projection(void *p)
{
    return mcphost_projection_ref(p);
}

static void *
unref_projection(void *p)
{
    return mcphost_projection_unref((mcphost_projection *)p);
}

static void *
ref_prompt(void *p)
{
    return mcphost_prompt_ref(p);
}

static void *
unref_prompt(void *p)
{
    return mcphost_prompt_unref((mcphost_prompt *)p);
}

static void *
ref_provider(void *p)
{
    return mcphost_provider_ref(p);
}

static void *
unref_provider(void *p)
{
    return mcphost_provider_unref((mcphost_provider *)p);
}

static void *
ref_provider_call(void *p)
{
    return mcphost_provider_call_ref(p);
}

static void *
unref_provider_call(void *p)
{
    return mcphost_provider_call_unref((mcphost_provider_call *)p);
}

static void *
ref_request(void *p)
{
    return mcphost_request_ref(p);
}

static void *
unref_request(void *p)
{
    return mcphost_request_unref((mcphost_request *)p);
}

static void *
ref_resource(void *p)
{
    return mcphost_resource_ref(p);
}

static void *
unref_resource(void *p)
{
    return mcphost_resource_unref((mcphost_resource *)p);
}

static void *
ref_resource_template(void *p)
{
    return mcphost_resource_template_ref(p);
}

static void *
unref_resource_template(void *p)
{
    return mcphost_resource_template_unref((mcphost_resource_template *)p);
}

static void *
ref_result(void *p)
{
    return mcphost_result_ref(p);
}

static void *
unref_result(void *p)
{
    return mcphost_result_unref((mcphost_result *)p);
}

static void *
ref_retry(void *p)
{
    return mcphost_retry_ref(p);
}

static void *
unref_retry(void *p)
{
    return mcphost_retry_unref((mcphost_retry *)p);
}

static void *
ref_sampling(void *p)
{
    return mcphost_sampling_ref(p);
}

static void *
unref_sampling(void *p)
{
    return mcphost_sampling_unref((mcphost_sampling *)p);
}

static void *
ref_schema(void *p)
{
    return mcphost_schema_ref(p);
}

static void *
unref_schema(void *p)
{
    return mcphost_schema_unref((mcphost_schema *)p);
}

static void *
ref_schema_report(void *p)
{
    return mcphost_schema_report_ref(p);
}

static void *
unref_schema_report(void *p)
{
    return mcphost_schema_report_unref((mcphost_schema_report *)p);
}

static void *
ref_server(void *p)
{
    return mcphost_server_ref(p);
}

static void *
unref_server(void *p)
{
    return mcphost_server_unref((mcphost_server *)p);
}

static void *
ref_serving(void *p)
{
    return mcphost_serving_ref(p);
}

static void *
unref_serving(void *p)
{
    return mcphost_serving_unref((mcphost_serving *)p);
}

static void *
ref_skill(void *p)
{
    return mcphost_skill_ref(p);
}

static void *
unref_skill(void *p)
{
    return mcphost_skill_unref((mcphost_skill *)p);
}

static void *
ref_source(void *p)
{
    return mcphost_source_ref(p);
}

static void *
unref_source(void *p)
{
    return mcphost_source_unref((mcphost_source *)p);
}

static void *
ref_subscription(void *p)
{
    return mcphost_subscription_ref(p);
}

static void *
unref_subscription(void *p)
{
    return mcphost_subscription_unref((mcphost_subscription *)p);
}

static void *
ref_tool(void *p)
{
    return mcphost_tool_ref(p);
}

static void *
unref_tool(void *p)
{
    return mcphost_tool_unref((mcphost_tool *)p);
}

static void *
ref_transform(void *p)
{
    return mcphost_transform_ref(p);
}

static void *
unref_transform(void *p)
{
    return mcphost_transform_unref((mcphost_transform *)p);
}

static void *
ref_turn(void *p)
{
    return mcphost_turn_ref(p);
}

static void *
unref_turn(void *p)
{
    return mcphost_turn_unref((mcphost_turn *)p);
}

static void *
ref_view(void *p)
{
    return mcphost_view_ref(p);
}

static void *
unref_view(void *p)
{
    return mcphost_view_unref((mcphost_view *)p);
}

static PyObject *
f_artifact_open(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "path", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_dir = NULL;
    const char *p_path = NULL;
    int p_ret_fd = 0;
    uint64_t p_ret_size = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "artifact_open", args, n, kw, names, 2))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL) ||
        !take_text(&a, 1, TEXT_PATH, &p_path, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_artifact_open(p_dir, p_path, &p_ret_fd, &p_ret_size, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_tuple(2, PyLong_FromLongLong(p_ret_fd), PyLong_FromUnsignedLongLong(p_ret_size));
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_artifact_get_mime_type(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"path", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_path = NULL;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "artifact_get_mime_type", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_path, NULL))
        goto out;
    r = mcphost_artifact_get_mime_type(p_path);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_artifact_list(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_dir = NULL;
    PyObject *p_fn = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "artifact_list", args, n, kw, names, 2))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL) ||
        !take_callable(&a, 1, 0, 0, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_artifact_list(p_dir, tramp_artifact, p_fn, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_artifact_delete_all(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_dir = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "artifact_delete_all", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_artifact_delete_all(p_dir, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_builtins_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"owner", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_owner = NULL;
    mcphost_builtins *p_ret_builtins = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "builtins_new", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, 0, &p_owner, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_builtins_new(p_owner, &p_ret_builtins, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_BUILTINS, p_ret_builtins);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_builtins_get_owner(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_builtins_get_owner(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_builtins_add_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"definition", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_definition = NULL;
    size_t n_definition = 0;
    PyObject *p_fn = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_tool", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_definition, &n_definition) ||
        !take_callable(&a, 1, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_builtins_add_tool(h, p_definition, n_definition, tramp_builtin, p_fn, p_fn ? tramp_free : NULL, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_builtins_add_toolset(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"toolset", "description", "tools", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_toolset = NULL;
    const char *p_description = NULL;
    const char *const *p_tools = NULL;
    size_t n_tools = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_toolset", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_toolset, NULL) ||
        !take_text(&a, 1, TEXT_NULL, &p_description, NULL) ||
        !take_texts(&a, 2, 0, &p_tools, &n_tools))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_builtins_add_toolset(h, p_toolset, p_description, p_tools, n_tools, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"tool", "arguments", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_tool = NULL;
    const char *p_arguments = NULL;
    size_t n_arguments = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_tool, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_JSON, &p_arguments, &n_arguments))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new(h, p_tool, p_arguments, n_arguments, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"tool", "arguments", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_tool = NULL;
    const char *p_arguments = NULL;
    size_t n_arguments = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_TOOL, 0, &p_tool) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_JSON, &p_arguments, &n_arguments))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_tool(h, p_tool, p_arguments, n_arguments, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_app_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "tool", "arguments", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_tool = NULL;
    const char *p_arguments = NULL;
    size_t n_arguments = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_app_tool", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_tool, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_JSON, &p_arguments, &n_arguments))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_app_tool(h, p_server, p_tool, p_arguments, n_arguments, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_read(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri = NULL;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_read", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_read(h, p_server, p_uri, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_prompt(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", "arguments", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    const char *p_arguments = NULL;
    size_t n_arguments = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_prompt", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_JSON, &p_arguments, &n_arguments))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_prompt(h, p_name, p_arguments, n_arguments, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_complete_template(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri_template", "argument", "value", "context", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri_template = NULL;
    const char *p_argument = NULL;
    const char *p_value = NULL;
    const char *p_context = NULL;
    size_t n_context = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_complete_template", args, n, kw, names, 4))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri_template, NULL) ||
        !take_text(&a, 2, 0, &p_argument, NULL) ||
        !take_text(&a, 3, 0, &p_value, NULL) ||
        !take_text(&a, 4, TEXT_NULL | TEXT_JSON, &p_context, &n_context))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_complete_template(h, p_server, p_uri_template, p_argument, p_value, p_context, n_context, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_complete_prompt(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", "argument", "value", "context", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    const char *p_argument = NULL;
    const char *p_value = NULL;
    const char *p_context = NULL;
    size_t n_context = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_complete_prompt", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL) ||
        !take_text(&a, 1, 0, &p_argument, NULL) ||
        !take_text(&a, 2, 0, &p_value, NULL) ||
        !take_text(&a, 3, TEXT_NULL | TEXT_JSON, &p_context, &n_context))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_complete_prompt(h, p_name, p_argument, p_value, p_context, n_context, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_set_timeout(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"timeout_ms", "reset_on_progress", "max_ms", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_timeout_ms = -1;
    int p_reset_on_progress = 0;
    int64_t p_max_ms = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_timeout", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_timeout_ms) ||
        !take_int(&a, 1, &p_reset_on_progress) ||
        !take_int64(&a, 2, &p_max_ms))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_set_timeout(h, p_timeout_ms, p_reset_on_progress, p_max_ms);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_set_progress(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_progress", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 1, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_set_progress(h, (p_fn ? tramp_progress : NULL), p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_set_request(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"request", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_request = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_request", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_REQUEST, 0, &p_request))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_set_request(h, p_request);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_set_meta(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_meta", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_set_meta(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_is_done(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_is_done(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_call_get_tool(PyObject *self, void *unused)
{
    void *h;
    mcphost_tool *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_get_tool(h);
    return wrap_borrowed(KIND_TOOL, r);
}

static PyObject *
f_call_get_dialog_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_get_dialog_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_call_get_arguments(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_get_arguments(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_set_before_call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_before_call", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 1, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_before_call(h, (p_fn ? tramp_before_call : NULL), p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_set_trace_context(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"traceparent", "tracestate", "baggage", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_traceparent = NULL;
    const char *p_tracestate = NULL;
    const char *p_baggage = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_trace_context", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_traceparent, NULL) ||
        !take_text(&a, 1, TEXT_NULL, &p_tracestate, NULL) ||
        !take_text(&a, 2, TEXT_NULL, &p_baggage, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_set_trace_context(h, p_traceparent, p_tracestate, p_baggage, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_trace_context(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_trace_context", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 1, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_trace_context(h, (p_fn ? tramp_trace_context : NULL), p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_allow(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "allow", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_allow(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_refuse(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"text", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_text = NULL;
    size_t n_text = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "refuse", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_text, &n_text))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_refuse(h, p_text, n_text);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_answer(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"text", "is_error", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_text = NULL;
    size_t n_text = 0;
    int p_is_error = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "answer", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_text, &n_text) ||
        !take_int(&a, 1, &p_is_error))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_answer(h, p_text, n_text, p_is_error);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_answer_result(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "answer_result", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_answer_result(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_report_progress(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"progress", "total", "message", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    double p_progress = 0;
    double p_total = 0;
    const char *p_message = NULL;
    size_t n_message = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "report_progress", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_double(&a, 0, &p_progress) ||
        !take_double(&a, 1, &p_total) ||
        !take_text(&a, 2, TEXT_NULL, &p_message, &n_message))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_report_progress(h, p_progress, p_total, p_message, n_message);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_is_cancelled(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_is_cancelled(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_call_set_cancelled(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_cancelled", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_set_cancelled(h, tramp_cancelled, p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_make_items(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_items *p_ret_items = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_items", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_make_items(h, &p_ret_items, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_ITEMS, p_ret_items);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_in_turn(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"turn", "tool", "arguments", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_turn = NULL;
    const char *p_tool = NULL;
    const char *p_arguments = NULL;
    size_t n_arguments = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_in_turn", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_TURN, 0, &p_turn) ||
        !take_text(&a, 1, 0, &p_tool, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_JSON, &p_arguments, &n_arguments))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_in_turn(h, p_turn, p_tool, p_arguments, n_arguments, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_get_skill(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri = NULL;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_get_skill", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_get_skill(h, p_server, p_uri, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_read_skill(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "entry", "file", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_entry = NULL;
    size_t n_entry = 0;
    const char *p_file = NULL;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_read_skill", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, TEXT_JSON, &p_entry, &n_entry) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_PATH, &p_file, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_read_skill(h, p_server, p_entry, n_entry, p_file, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_read_directory(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri", "cursor", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri = NULL;
    const char *p_cursor = NULL;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_read_directory", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri, NULL) ||
        !take_text(&a, 2, TEXT_NULL, &p_cursor, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_read_directory(h, p_server, p_uri, p_cursor, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_set_task(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"ttl_ms", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_ttl_ms = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_task", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_ttl_ms))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_set_task(h, p_ttl_ms);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_resume_task(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "task_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_task_id = NULL;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_resume_task", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_task_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_resume_task(h, p_server, p_task_id, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_get_task(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "task_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_task_id = NULL;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_get_task", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_task_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_get_task(h, p_server, p_task_id, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_update_task(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "task_id", "responses", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_task_id = NULL;
    const char *p_responses = NULL;
    size_t n_responses = 0;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_update_task", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_task_id, NULL) ||
        !take_text(&a, 2, TEXT_JSON, &p_responses, &n_responses))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_update_task(h, p_server, p_task_id, p_responses, n_responses, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_new_cancel_task(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "task_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_task_id = NULL;
    mcphost_call *p_ret_call = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "call_new_cancel_task", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_task_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_call_new_cancel_task(h, p_server, p_task_id, &p_ret_call, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = call_keep(wrap_owned(KIND_CALL, p_ret_call), self);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_call_get_task_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_get_task_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_call_get_task_status(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_get_task_status(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_call_get_task_ttl(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_get_task_ttl(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_call_get_task_interval(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_call_get_task_interval(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_catalog_get_version(PyObject *self, void *unused)
{
    void *h;
    uint64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_catalog_get_version(h);
    return PyLong_FromUnsignedLongLong(r);
}

static PyObject *
f_catalog_find_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "find_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    r = mcphost_catalog_find_tool(h, p_name);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_count_tools(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_tools", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_tools(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "get_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_tool(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_count_toolsets(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_toolsets", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_toolsets(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_toolset(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_toolset", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_toolset(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_find_toolset(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    size_t p_ret_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "find_toolset", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_catalog_find_toolset(h, p_name, &p_ret_index);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromUnsignedLongLong(p_ret_index);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_toolset_owner(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_toolset_owner", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_toolset_owner(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_toolset_description(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t len = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_toolset_description", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_toolset_description(h, p_index, &len);
    arguments_given(&a);
    ret = wrap_text(r, &len);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_count_toolset_tools(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_toolset_tools", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_count_toolset_tools(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_toolset_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", "tool_index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t p_tool_index = 0;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "get_toolset_tool", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index) ||
        !take_size(&a, 1, &p_tool_index))
        goto out;
    r = mcphost_catalog_get_toolset_tool(h, p_index, p_tool_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_tools_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"shape", "toolset", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_shape = 0;
    const char *p_toolset = NULL;
    const char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_tools_json", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_shape) ||
        !take_text(&a, 1, TEXT_NULL, &p_toolset, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_catalog_get_tools_json(h, p_shape, p_toolset, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_count_servers(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_servers", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_servers(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_server(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_server *r;

    (void)self;
    if (!arguments_parse(&a, "get_server", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_server(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_SERVER, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_find_server(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    mcphost_server *r;

    (void)self;
    if (!arguments_parse(&a, "find_server", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL))
        goto out;
    r = mcphost_catalog_find_server(h, p_id);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_SERVER, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_server_get_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_server_get_toolset(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_toolset(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_server_get_title(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_title(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_server_get_description(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_description(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_server_get_instructions(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_instructions(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_server_get_icons(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_icons(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_server_get_manual(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_server_get_manual(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_server_count_tools(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_tools", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_server_count_tools(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_get_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "get_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_server_get_tool(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_find_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "find_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    r = mcphost_server_find_tool(h, p_name);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_count_app_tools(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_app_tools", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_server_count_app_tools(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_get_app_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "get_app_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_server_get_app_tool(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_tool_get_name(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_name(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_tool_get_original_name(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_original_name(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_tool_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_tool_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_tool_get_toolset(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_toolset(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_tool_get_title(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_title(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_tool_get_description(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_description(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_tool_get_input_schema(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_input_schema(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_tool_get_output_schema(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_output_schema(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_tool_get_annotations(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_annotations(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_tool_get_definition(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_definition(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_tool_get_visibility(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_visibility(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_tool_get_app_uri(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_tool_get_app_uri(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_catalog_count_prompts(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_prompts", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_prompts(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_prompt(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_prompt *r;

    (void)self;
    if (!arguments_parse(&a, "get_prompt", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_prompt(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_PROMPT, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_find_prompt(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    mcphost_prompt *r;

    (void)self;
    if (!arguments_parse(&a, "find_prompt", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    r = mcphost_catalog_find_prompt(h, p_name);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_PROMPT, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_prompts_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"toolset", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_toolset = NULL;
    const char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_prompts_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_toolset, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_catalog_get_prompts_json(h, p_toolset, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_count_prompts(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_prompts", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_server_count_prompts(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_get_prompt(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_prompt *r;

    (void)self;
    if (!arguments_parse(&a, "get_prompt", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_server_get_prompt(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_PROMPT, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_prompt_get_name(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_name(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_prompt_get_original_name(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_original_name(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_prompt_get_title(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_title(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_prompt_get_description(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_description(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_prompt_get_arguments(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_arguments(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_prompt_get_definition(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_definition(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_prompt_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_prompt_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_prompt_get_toolset(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_prompt_get_toolset(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_catalog_count_resources(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_resources", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_resources(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_resource(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_resource *r;

    (void)self;
    if (!arguments_parse(&a, "get_resource", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_resource(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_RESOURCE, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_find_resource(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri = NULL;
    mcphost_resource *r;

    (void)self;
    if (!arguments_parse(&a, "find_resource", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri, NULL))
        goto out;
    r = mcphost_catalog_find_resource(h, p_server, p_uri);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_RESOURCE, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_resources_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"toolset", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_toolset = NULL;
    const char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_resources_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_toolset, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_catalog_get_resources_json(h, p_toolset, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_count_resources(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_resources", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_server_count_resources(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_get_resource(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_resource *r;

    (void)self;
    if (!arguments_parse(&a, "get_resource", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_server_get_resource(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_RESOURCE, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_resource_get_uri(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_uri(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_get_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_get_name(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_name(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_get_title(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_title(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_get_description(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_description(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_get_mime_type(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_mime_type(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_get_size(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_size(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_resource_get_annotations(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_annotations(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_get_definition(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_definition(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_get_toolset(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_get_toolset(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_catalog_count_resource_templates(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_resource_templates", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_resource_templates(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_resource_template(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_resource_template *r;

    (void)self;
    if (!arguments_parse(&a, "get_resource_template", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_resource_template(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_RESOURCE_TEMPLATE, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_find_resource_template(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri_template", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri_template = NULL;
    mcphost_resource_template *r;

    (void)self;
    if (!arguments_parse(&a, "find_resource_template", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri_template, NULL))
        goto out;
    r = mcphost_catalog_find_resource_template(h, p_server, p_uri_template);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_RESOURCE_TEMPLATE, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_resource_templates_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"toolset", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_toolset = NULL;
    const char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_resource_templates_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_toolset, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_catalog_get_resource_templates_json(h, p_toolset, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_count_resource_templates(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_resource_templates", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_server_count_resource_templates(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_get_resource_template(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_resource_template *r;

    (void)self;
    if (!arguments_parse(&a, "get_resource_template", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_server_get_resource_template(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_RESOURCE_TEMPLATE, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_resource_template_get_uri_template(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_uri_template(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_template_get_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_template_get_name(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_name(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_template_get_title(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_title(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_template_get_description(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_description(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_template_get_mime_type(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_mime_type(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_template_get_annotations(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_annotations(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_template_get_definition(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_definition(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_resource_template_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_template_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_resource_template_get_toolset(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_resource_template_get_toolset(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_catalog_count_missing(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_missing", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_missing(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_missing(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int p_ret_is_tool = 0;
    int p_ret_lack = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_missing", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_missing(h, p_index, &p_ret_is_tool, &p_ret_lack);
    arguments_given(&a);
    ret = wrap_tuple(3, wrap_text(r, NULL), PyLong_FromLongLong(p_ret_is_tool), PyLong_FromLongLong(p_ret_lack));
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_find_projected(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"profile", "name_max", "name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_profile = 0;
    size_t p_name_max = 0;
    const char *p_name = NULL;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "find_projected", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_profile) ||
        !take_size(&a, 1, &p_name_max) ||
        !take_text(&a, 2, 0, &p_name, NULL))
        goto out;
    r = mcphost_catalog_find_projected(h, p_profile, p_name_max, p_name);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_count_skills(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_skills", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_catalog_count_skills(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_get_skill(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_skill *r;

    (void)self;
    if (!arguments_parse(&a, "get_skill", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_catalog_get_skill(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_SKILL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_catalog_find_skill(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri = NULL;
    mcphost_skill *r;

    (void)self;
    if (!arguments_parse(&a, "find_skill", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri, NULL))
        goto out;
    r = mcphost_catalog_find_skill(h, p_server, p_uri);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_SKILL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_count_skills(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_skills", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_server_count_skills(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_server_get_skill(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_skill *r;

    (void)self;
    if (!arguments_parse(&a, "get_skill", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_server_get_skill(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_SKILL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_chatos *p_ret_chatos = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "chatos_new", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_new(h, &p_ret_chatos, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CHATOS, p_ret_chatos);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_set_dir(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "path", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_dir = 0;
    const char *p_path = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_dir", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_dir) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_path, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_set_dir(h, p_dir, p_path, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_set_flags(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"flags", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    uint64_t p_flags = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_flags", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_uint64(&a, 0, &p_flags))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_set_flags(h, p_flags);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_set_admin(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_admin", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_set_admin(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_scan(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"done", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_done = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "scan", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 1, 1, &p_done))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_scan(h, (p_done ? tramp_chatos_scan : NULL), p_done, p_done ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_wait(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"timeout_ms", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_timeout_ms = -1;
    int r;

    (void)self;
    if (!arguments_parse(&a, "wait", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_timeout_ms))
        goto out;
    struct slices slices = slices_begin(p_timeout_ms);

    do {
        Py_BEGIN_ALLOW_THREADS
        r = mcphost_chatos_wait(h, slices.next);
        Py_END_ALLOW_THREADS
    } while (slices_continue(&slices, r));
    if (PyErr_Occurred())
        ret = NULL;
    else if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_list_apps(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "list_apps", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_list_apps(h, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_get_contribution(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"plugin", "app", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_plugin = NULL;
    const char *p_app = NULL;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_contribution", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_plugin, NULL) ||
        !take_text(&a, 1, 0, &p_app, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_get_contribution(h, p_plugin, p_app, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_get_config(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"flow", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_flow = 0;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_config", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_flow))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_get_config(h, p_flow, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_follow(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"source", "flow", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_source = NULL;
    int p_flow = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "follow", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_SOURCE, 0, &p_source) ||
        !take_int(&a, 1, &p_flow))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_follow(h, p_source, p_flow, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_check_record(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "chatos_check_record", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_check_record(p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_inject(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"view", "record", "flow", "language", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_view = NULL;
    const char *p_record = NULL;
    size_t n_record = 0;
    int p_flow = 0;
    const char *p_language = NULL;
    mcphost_chatos_run *p_ret_run = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "inject", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_VIEW, 0, &p_view) ||
        !take_text(&a, 1, TEXT_JSON, &p_record, &n_record) ||
        !take_int(&a, 2, &p_flow) ||
        !take_text(&a, 3, TEXT_NULL, &p_language, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_inject(h, p_view, p_record, n_record, p_flow, p_language, &p_ret_run, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CHATOS_RUN, p_ret_run);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_sync(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"put", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_put = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "sync", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 0, 0, &p_put))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_sync(h, tramp_chatos_put, p_put, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_chatos_run_get_json(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_chatos_run_get_json(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_chatos_run_end(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "end", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_chatos_run_end(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_load_workspace(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_dir = NULL;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_load_workspace", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_load_workspace(p_dir, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_load_file(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"path", "workspace", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_path = NULL;
    const char *p_workspace = NULL;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_load_file", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_path, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_workspace, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_load_file(p_path, p_workspace, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_load_memory(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"data", "name", "workspace", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_data = NULL;
    size_t n_data = 0;
    const char *p_name = NULL;
    const char *p_workspace = NULL;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_load_memory", args, n, kw, names, 0))
        return NULL;
    if (!take_text(&a, 0, TEXT_NULL, &p_data, &n_data) ||
        !take_text(&a, 1, TEXT_NULL, &p_name, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_PATH, &p_workspace, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_load_memory(p_data, n_data, p_name, p_workspace, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_load(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"data", "file", "workspace", "transports", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_data = NULL;
    size_t n_data = 0;
    const char *p_file = NULL;
    const char *p_workspace = NULL;
    unsigned p_transports = 0;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_load", args, n, kw, names, 4))
        return NULL;
    if (!take_text(&a, 0, TEXT_NULL, &p_data, &n_data) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_file, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_PATH, &p_workspace, NULL) ||
        !take_unsigned(&a, 3, &p_transports))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_load(p_data, n_data, p_file, p_workspace, p_transports, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_load_dir(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "workspace", "transports", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_dir = NULL;
    const char *p_workspace = NULL;
    unsigned p_transports = 0;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_load_dir", args, n, kw, names, 3))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_workspace, NULL) ||
        !take_unsigned(&a, 2, &p_transports))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_load_dir(p_dir, p_workspace, p_transports, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_new_stdio(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", "argv", "workspace", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_id = NULL;
    const char *const *p_argv = NULL;
    const char *p_workspace = NULL;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_new_stdio", args, n, kw, names, 2))
        return NULL;
    if (!take_text(&a, 0, 0, &p_id, NULL) ||
        !take_texts(&a, 1, 0, &p_argv, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_PATH, &p_workspace, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_new_stdio(p_id, p_argv, p_workspace, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_new_http(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", "url", "headers", "workspace", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_id = NULL;
    const char *p_url = NULL;
    const char *const *p_headers = NULL;
    const char *p_workspace = NULL;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_new_http", args, n, kw, names, 2))
        return NULL;
    if (!take_text(&a, 0, 0, &p_id, NULL) ||
        !take_text(&a, 1, 0, &p_url, NULL) ||
        !take_texts(&a, 2, 1, &p_headers, NULL) ||
        !take_text(&a, 3, TEXT_NULL | TEXT_PATH, &p_workspace, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_new_http(p_id, p_url, p_headers, p_workspace, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_new_sse(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", "url", "headers", "workspace", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_id = NULL;
    const char *p_url = NULL;
    const char *const *p_headers = NULL;
    const char *p_workspace = NULL;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_new_sse", args, n, kw, names, 2))
        return NULL;
    if (!take_text(&a, 0, 0, &p_id, NULL) ||
        !take_text(&a, 1, 0, &p_url, NULL) ||
        !take_texts(&a, 2, 1, &p_headers, NULL) ||
        !take_text(&a, 3, TEXT_NULL | TEXT_PATH, &p_workspace, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_new_sse(p_id, p_url, p_headers, p_workspace, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_set_era(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"era", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_era = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_era", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_era))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_set_era(h, p_era);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_pick_server(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    mcphost_config *p_ret_config = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "pick_server", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_pick_server(h, p_id, &p_ret_config);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_get_status(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_config_get_status(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_config_get_file(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_config_get_file(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_config_get_workspace(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_config_get_workspace(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_config_count_servers(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_servers", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_config_count_servers(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_find_server(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    size_t p_ret_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "find_server", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_find_server(h, p_id, &p_ret_index);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromUnsignedLongLong(p_ret_index);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_server_get_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "server_get_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_server_get_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_server_get_state(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_get_state", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_server_get_state(h, p_index);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_server_get_transport(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_get_transport", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_server_get_transport(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_server_get_file(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "server_get_file", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_server_get_file(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_server_get_line(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_get_line", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_server_get_line(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_server_make_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_make_json", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_server_make_json(h, p_index, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_file_set_enabled(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"path", "id", "enabled", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_path = NULL;
    const char *p_id = NULL;
    int p_enabled = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "config_file_set_enabled", args, n, kw, names, 3))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_path, NULL) ||
        !take_text(&a, 1, 0, &p_id, NULL) ||
        !take_int(&a, 2, &p_enabled))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_file_set_enabled(p_path, p_id, p_enabled, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_count_diagnostics(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_diagnostics", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_config_count_diagnostics(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_diagnostic_get_severity(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "diagnostic_get_severity", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_config_diagnostic_get_severity(h, p_index);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_diagnostic_get_message(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "diagnostic_get_message", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_diagnostic_get_message(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_diagnostic_get_key(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "diagnostic_get_key", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_diagnostic_get_key(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_diagnostic_get_server_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "diagnostic_get_server_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_diagnostic_get_server_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_diagnostic_get_file(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "diagnostic_get_file", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_diagnostic_get_file(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_diagnostic_get_line(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "diagnostic_get_line", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_diagnostic_get_line(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_config_diagnostic_get_column(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "diagnostic_get_column", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_config_diagnostic_get_column(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", "root_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    const char *p_root_id = NULL;
    mcphost_dialog *p_ret_dialog = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "dialog_new", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL) ||
        !take_text(&a, 1, TEXT_NULL, &p_root_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_new(h, p_id, p_root_id, &p_ret_dialog, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_DIALOG, p_ret_dialog);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_close(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "close", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_close(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_get_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_dialog_get_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_dialog_get_root_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_dialog_get_root_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_dialog_set_agent(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"agent", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_agent = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_agent", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_agent, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_set_agent(h, p_agent);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_set_workspace(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_workspace = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_workspace", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_set_workspace(h, p_workspace);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_get_agent(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_dialog_get_agent(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_dialog_get_workspace(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_dialog_get_workspace(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_dialog_get_catalog(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_catalog *p_ret_catalog = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_catalog", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_get_catalog(h, &p_ret_catalog);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_CATALOG, p_ret_catalog);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_begin_turn(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "begin_turn", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_begin_turn(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_end_turn(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "end_turn", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_end_turn(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_set_artifact_dir(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "quota", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_dir = NULL;
    uint64_t p_quota = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_artifact_dir", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL | TEXT_PATH, &p_dir, NULL) ||
        !take_uint64(&a, 1, &p_quota))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_set_artifact_dir(h, p_dir, p_quota, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_get_lease(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server_id = NULL;
    mcphost_lease *p_ret_lease = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_lease", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_get_lease(h, p_server_id, &p_ret_lease);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_LEASE, p_ret_lease);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_report_rejection(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"provider", "text", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_provider = NULL;
    const char *p_text = NULL;
    size_t n_text = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "report_rejection", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_provider, NULL) ||
        !take_text(&a, 1, 0, &p_text, &n_text))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_report_rejection(h, p_provider, p_text, n_text);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_resume(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "resume", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_resume(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_report_success(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "report_success", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_report_success(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dialog_get_run_state(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_dialog_get_run_state(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_dialog_get_stop_reason(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_stop_reason", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dialog_get_stop_reason(h, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_enum_get_name(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"which", "value", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_which = 0;
    int p_value = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "enum_get_name", args, n, kw, names, 2))
        return NULL;
    if (!take_int(&a, 0, &p_which) ||
        !take_int(&a, 1, &p_value))
        goto out;
    r = mcphost_enum_get_name(p_which, p_value);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_enum_find_value(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"which", "name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_which = 0;
    const char *p_name = NULL;
    int p_ret_value = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "enum_find_value", args, n, kw, names, 2))
        return NULL;
    if (!take_int(&a, 0, &p_which) ||
        !take_text(&a, 1, 0, &p_name, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_enum_find_value(p_which, p_name, &p_ret_value);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(p_ret_value);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_enum_get_value(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"which", "index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_which = 0;
    size_t p_index = 0;
    int p_ret_value = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "enum_get_value", args, n, kw, names, 2))
        return NULL;
    if (!take_int(&a, 0, &p_which) ||
        !take_size(&a, 1, &p_index))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_enum_get_value(p_which, p_index, &p_ret_value);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(p_ret_value);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_enum_count_values(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"which", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_which = 0;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "enum_count_values", args, n, kw, names, 1))
        return NULL;
    if (!take_int(&a, 0, &p_which))
        goto out;
    r = mcphost_enum_count_values(p_which);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_strerror(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"code", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_code = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "strerror", args, n, kw, names, 1))
        return NULL;
    if (!take_int(&a, 0, &p_code))
        goto out;
    r = mcphost_strerror(p_code);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_error_get_code(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_code(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_error_get_message(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_message(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_error_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_error_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_error_get_errno(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_errno(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_error_get_rpc_code(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_rpc_code(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_error_get_rpc_data(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_rpc_data(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_error_get_file(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_file(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_error_get_line(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_line(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_error_get_column(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_column(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_error_get_stderr_tail(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_stderr_tail(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_error_get_http_status(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_http_status(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_error_get_retry_after(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_error_get_retry_after(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_error_make_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_error_make_json(h, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_event(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_event", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 1, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_event(h, (p_fn ? tramp_event : NULL), p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_event_get_kind(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_kind(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_event_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_event_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_event_get_dialog_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_dialog_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_event_get_state(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_state(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_event_get_pid(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_pid(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_event_get_version(PyObject *self, void *unused)
{
    void *h;
    uint64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_version(h);
    return PyLong_FromUnsignedLongLong(r);
}

static PyObject *
f_event_get_serial(PyObject *self, void *unused)
{
    void *h;
    uint64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_serial(h);
    return PyLong_FromUnsignedLongLong(r);
}

static PyObject *
f_event_get_call(PyObject *self, void *unused)
{
    void *h;
    mcphost_call *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_call(h);
    return wrap_borrowed(KIND_CALL, r);
}

static PyObject *
f_event_get_problem(PyObject *self, void *unused)
{
    void *h;
    mcphost_problem *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_problem(h);
    return wrap_borrowed(KIND_PROBLEM, r);
}

static PyObject *
f_event_get_config(PyObject *self, void *unused)
{
    void *h;
    mcphost_config *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_config(h);
    return wrap_borrowed(KIND_CONFIG, r);
}

static PyObject *
f_event_get_request(PyObject *self, void *unused)
{
    void *h;
    mcphost_request *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_request(h);
    return wrap_borrowed(KIND_REQUEST, r);
}

static PyObject *
f_event_get_subscription(PyObject *self, void *unused)
{
    void *h;
    mcphost_subscription *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_subscription(h);
    return wrap_borrowed(KIND_SUBSCRIPTION, r);
}

static PyObject *
f_event_get_uri(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_uri(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_event_get_count(PyObject *self, void *unused)
{
    void *h;
    uint64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_count(h);
    return PyLong_FromUnsignedLongLong(r);
}

static PyObject *
f_event_get_error(PyObject *self, void *unused)
{
    void *h;
    mcphost_error *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_error(h);
    return wrap_borrowed(KIND_ERROR, r);
}

static PyObject *
f_event_get_text(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_text(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_event_get_level(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_level(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_event_get_data(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_data(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_event_get_progress(PyObject *self, void *unused)
{
    void *h;
    double r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_progress(h);
    return PyFloat_FromDouble(r);
}

static PyObject *
f_event_get_total(PyObject *self, void *unused)
{
    void *h;
    double r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_event_get_total(h);
    return PyFloat_FromDouble(r);
}

static PyObject *
f_files_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", "options", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    const char *p_options = NULL;
    size_t n_options = 0;
    mcphost_provider *p_ret_provider = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "files_new", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL) ||
        !take_text(&a, 1, TEXT_JSON, &p_options, &n_options))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_files_new(h, p_id, p_options, n_options, &p_ret_provider, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_PROVIDER, p_ret_provider);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_files_new_in_view(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", "options", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    const char *p_options = NULL;
    size_t n_options = 0;
    mcphost_provider *p_ret_provider = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "files_new_in_view", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL) ||
        !take_text(&a, 1, TEXT_JSON, &p_options, &n_options))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_files_new_in_view(h, p_id, p_options, n_options, &p_ret_provider, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_PROVIDER, p_ret_provider);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_filter_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    mcphost_filter *p_ret_filter = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "filter_new", args, n, kw, names, 0))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_filter_new(&p_ret_filter);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_FILTER, p_ret_filter);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_filter_add_whitelist(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"pattern", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_pattern = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_whitelist", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_pattern, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_filter_add_whitelist(h, p_pattern);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_filter_add_blacklist(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"pattern", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_pattern = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_blacklist", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_pattern, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_filter_add_blacklist(h, p_pattern);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_filter_match(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    const char *p_ret_pattern = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "match", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_filter_match(h, p_name, &p_ret_pattern);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_tuple(2, PyLong_FromLongLong(r), wrap_text(p_ret_pattern, NULL));
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_goclaw_load(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "file", "flags", "transports", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_workspace = NULL;
    const char *p_file = NULL;
    uint64_t p_flags = 0;
    unsigned p_transports = 0;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "goclaw_load", args, n, kw, names, 4))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_file, NULL) ||
        !take_uint64(&a, 2, &p_flags) ||
        !take_unsigned(&a, 3, &p_transports))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_goclaw_load(p_workspace, p_file, p_flags, p_transports, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_goclaw_follow(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "file", "flags", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_workspace = NULL;
    const char *p_file = NULL;
    uint64_t p_flags = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "goclaw_follow", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_file, NULL) ||
        !take_uint64(&a, 2, &p_flags))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_goclaw_follow(h, p_workspace, p_file, p_flags, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_goclaw_load_subagent(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "workdir", "file", "flags", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_workspace = NULL;
    const char *p_workdir = NULL;
    const char *p_file = NULL;
    uint64_t p_flags = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "goclaw_load_subagent", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_workdir, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_PATH, &p_file, NULL) ||
        !take_uint64(&a, 3, &p_flags))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_goclaw_load_subagent(h, p_workspace, p_workdir, p_file, p_flags, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_goclaw_make_skills_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "workdir", "skills_dir", "role", "flags", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_workspace = NULL;
    const char *p_workdir = NULL;
    const char *p_skills_dir = NULL;
    const char *p_role = NULL;
    uint64_t p_flags = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "goclaw_make_skills_json", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_workdir, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_PATH, &p_skills_dir, NULL) ||
        !take_text(&a, 3, TEXT_NULL, &p_role, NULL) ||
        !take_uint64(&a, 4, &p_flags))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_goclaw_make_skills_json(p_workspace, p_workdir, p_skills_dir, p_role, p_flags, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_goclaw_builtins_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "skills_dir", "flags", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_workspace = NULL;
    const char *p_skills_dir = NULL;
    uint64_t p_flags = 0;
    mcphost_builtins *p_ret_builtins = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "goclaw_builtins_new", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_skills_dir, NULL) ||
        !take_uint64(&a, 2, &p_flags))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_goclaw_builtins_new(p_workspace, p_skills_dir, p_flags, &p_ret_builtins, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_BUILTINS, p_ret_builtins);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_grant_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    mcphost_grant *p_ret_grant = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "grant_new", args, n, kw, names, 0))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_grant_new(&p_ret_grant);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_GRANT, p_ret_grant);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_grant_add_toolset(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"text", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_text = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_toolset", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_text, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_grant_add_toolset(h, p_text);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_grant_add_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"text", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_text = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_text, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_grant_add_tool(h, p_text);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_toolset_flags(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"toolset", "flags", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_toolset = NULL;
    uint64_t p_flags = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_toolset_flags", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_toolset, NULL) ||
        !take_uint64(&a, 1, &p_flags))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_toolset_flags(h, p_toolset, p_flags);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_use_team(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"file", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_file = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "use_team", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL | TEXT_PATH, &p_file, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_use_team(h, p_file, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_get_team_view(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"member", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_member = NULL;
    mcphost_view *p_ret_view = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_team_view", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_member, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_get_team_view(h, p_member, &p_ret_view);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_VIEW, p_ret_view);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    mcphost *p_ret_host = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "new", args, n, kw, names, 0))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_new(&p_ret_host, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_HOST, p_ret_host);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_close(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "close", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_close(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_close_within(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"timeout_ms", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_timeout_ms = -1;
    int r;

    (void)self;
    if (!arguments_parse(&a, "close_within", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_timeout_ms))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_close_within(h, p_timeout_ms);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_identity(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", "version", "title", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    const char *p_version = NULL;
    const char *p_title = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_identity", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL) ||
        !take_text(&a, 1, 0, &p_version, NULL) ||
        !take_text(&a, 2, TEXT_NULL, &p_title, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_identity(h, p_name, p_version, p_title);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_guard_path(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"path", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_path = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_guard_path", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_path, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_guard_path(h, p_path);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_spool_dir(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_dir = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_spool_dir", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_spool_dir(h, p_dir);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_environment(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"environment", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *const *p_environment = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_environment", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_texts(&a, 0, 1, &p_environment, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_environment(h, p_environment);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_env(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", "value", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    const char *p_value = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_env", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL) ||
        !take_text(&a, 1, TEXT_NULL, &p_value, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_env(h, p_name, p_value);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_admin_env(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"refused", "allowed", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *const *p_refused = NULL;
    const char *const *p_allowed = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_admin_env", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_texts(&a, 0, 1, &p_refused, NULL) ||
        !take_texts(&a, 1, 1, &p_allowed, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_admin_env(h, p_refused, p_allowed);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_credential(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "origin", "name", "value", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_origin = NULL;
    const char *p_name = NULL;
    const char *p_value = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_credential", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_server, NULL) ||
        !take_text(&a, 1, TEXT_NULL, &p_origin, NULL) ||
        !take_text(&a, 2, 0, &p_name, NULL) ||
        !take_text(&a, 3, TEXT_NULL, &p_value, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_credential(h, p_server, p_origin, p_name, p_value, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_forget_credentials(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "forget_credentials", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_server, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_forget_credentials(h, p_server);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_load_workspace(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "file", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_dir = NULL;
    const char *p_file = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "load_workspace", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_file, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_load_workspace(h, p_dir, p_file, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_load(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"config", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_config = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "load", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_CONFIG, 0, &p_config))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_load(h, p_config);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_reload(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "reload", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_reload(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_restart_server(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server_id = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "restart_server", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_restart_server(h, p_server_id);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_server_enabled(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server_id", "enabled", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server_id = NULL;
    int p_enabled = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_server_enabled", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server_id, NULL) ||
        !take_int(&a, 1, &p_enabled))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_server_enabled(h, p_server_id, p_enabled);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_get_order_serial(PyObject *self, void *unused)
{
    void *h;
    uint64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_get_order_serial(h);
    return PyLong_FromUnsignedLongLong(r);
}

static PyObject *
f_set_verdicts(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"salt", "json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_salt = NULL;
    size_t n_salt = 0;
    const char *p_json = NULL;
    size_t n_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_verdicts", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_salt, &n_salt) ||
        !take_text(&a, 1, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_verdicts(h, p_salt, n_salt, p_json, n_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_get_verdicts(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"salt", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_salt = NULL;
    size_t n_salt = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_verdicts", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_salt, &n_salt))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_get_verdicts(h, p_salt, n_salt, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_items_parse(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", "dir", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_json = NULL;
    size_t n_json = 0;
    const char *p_dir = NULL;
    mcphost_items *p_ret_items = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "items_parse", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_dir, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_items_parse(p_json, n_json, p_dir, &p_ret_items, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_ITEMS, p_ret_items);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_items_is_error(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_items_is_error(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_items_get_json(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_items_get_json(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_items_get_text(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_items_get_text(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_items_make_parts(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"shape", "max_bytes", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_shape = 0;
    uint64_t p_max_bytes = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_parts", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_shape) ||
        !take_uint64(&a, 1, &p_max_bytes))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_items_make_parts(h, p_shape, p_max_bytes, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_items_make_user_parts(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"shape", "max_bytes", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_shape = 0;
    uint64_t p_max_bytes = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_user_parts", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_shape) ||
        !take_uint64(&a, 1, &p_max_bytes))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_items_make_user_parts(h, p_shape, p_max_bytes, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_lease_release(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "release", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_lease_release(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_lease_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_lease_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_lease_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_lease_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_lease_get_dialog_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_lease_get_dialog_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_lease_get_scope(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_lease_get_scope(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_lease_get_scope_key(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_lease_get_scope_key(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_set_log(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"level", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_level = 0;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_log", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_level) ||
        !take_callable(&a, 1, 1, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_log(h, p_level, (p_fn ? tramp_log : NULL), p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_get_fd(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_fd", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_get_fd(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_dispatch(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "dispatch", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_dispatch(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_wait(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"timeout_ms", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_timeout_ms = -1;
    int r;

    (void)self;
    if (!arguments_parse(&a, "wait", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_timeout_ms))
        goto out;
    struct slices slices = slices_begin(p_timeout_ms);

    do {
        Py_BEGIN_ALLOW_THREADS
        r = mcphost_wait(h, slices.next);
        Py_END_ALLOW_THREADS
    } while (slices_continue(&slices, r));
    if (PyErr_Occurred())
        ret = NULL;
    else if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_wait_ready(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"timeout_ms", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_timeout_ms = -1;
    int r;

    (void)self;
    if (!arguments_parse(&a, "wait_ready", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_timeout_ms))
        goto out;
    struct slices slices = slices_begin(p_timeout_ms);

    do {
        Py_BEGIN_ALLOW_THREADS
        r = mcphost_wait_ready(h, slices.next);
        Py_END_ALLOW_THREADS
    } while (slices_continue(&slices, r));
    if (PyErr_Occurred())
        ret = NULL;
    else if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_wake(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "wake", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_wake(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_driven(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"driven", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_driven = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_driven", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_driven))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_driven(h, p_driven);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_thread_start(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "thread_start", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_thread_start(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_thread_stop(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "thread_stop", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_thread_stop(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_mcpservers_load(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"data", "file", "workspace", "transports", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_data = NULL;
    size_t n_data = 0;
    const char *p_file = NULL;
    const char *p_workspace = NULL;
    unsigned p_transports = 0;
    mcphost_config *p_ret_config = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "mcpservers_load", args, n, kw, names, 4))
        return NULL;
    if (!take_text(&a, 0, TEXT_NULL, &p_data, &n_data) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_file, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_PATH, &p_workspace, NULL) ||
        !take_unsigned(&a, 3, &p_transports))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_mcpservers_load(p_data, n_data, p_file, p_workspace, p_transports, &p_ret_config, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_CONFIG, p_ret_config);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_mcpservers_follow(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "file", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_workspace = NULL;
    const char *p_file = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "mcpservers_follow", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_file, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_mcpservers_follow(h, p_workspace, p_file, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_dir = NULL;
    mcphost_plugins *p_ret_plugins = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "plugins_new", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugins_new(h, p_dir, &p_ret_plugins, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_PLUGINS, p_ret_plugins);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_set_config(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_config", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugins_set_config(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_set_only(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_only", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugins_set_only(h, p_id);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_set_reload(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"mode", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_mode = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_reload", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_mode))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugins_set_reload(h, p_mode);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_scan(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "scan", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugins_scan(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_wait(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"timeout_ms", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_timeout_ms = -1;
    int r;

    (void)self;
    if (!arguments_parse(&a, "wait", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_timeout_ms))
        goto out;
    struct slices slices = slices_begin(p_timeout_ms);

    do {
        Py_BEGIN_ALLOW_THREADS
        r = mcphost_plugins_wait(h, slices.next);
        Py_END_ALLOW_THREADS
    } while (slices_continue(&slices, r));
    if (PyErr_Occurred())
        ret = NULL;
    else if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_close(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "close", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugins_close(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugins_get_rows(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_plugin_rows *p_ret_rows = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_rows", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugins_get_rows(h, &p_ret_rows);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_PLUGIN_ROWS, p_ret_rows);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugin_rows_count(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_plugin_rows_count(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugin_rows_get_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_plugin_rows_get_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugin_rows_get_kind(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_kind", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_plugin_rows_get_kind(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugin_rows_get_file(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_file", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_plugin_rows_get_file(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugin_rows_get_state(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_state", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_plugin_rows_get_state(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugin_rows_get_error(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_error *r;

    (void)self;
    if (!arguments_parse(&a, "get_error", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_plugin_rows_get_error(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_ERROR, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_plugin_rows_make_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_plugin_rows_make_json(h, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_option(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"option", "value", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_option = 0;
    int64_t p_value = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_option", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_option) ||
        !take_int64(&a, 1, &p_value))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_option(h, p_option, p_value);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_get_option(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"option", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_option = 0;
    int64_t p_ret_value = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_option", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_option))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_get_option(h, p_option, &p_ret_value);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(p_ret_value);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_check_option(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"option", "value", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_option = 0;
    int64_t p_value = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "check_option", args, n, kw, names, 2))
        return NULL;
    if (!take_int(&a, 0, &p_option) ||
        !take_int64(&a, 1, &p_value))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_check_option(p_option, p_value, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_get_problems(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_problems *p_ret_problems = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_problems", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_get_problems(h, &p_ret_problems);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_PROBLEMS, p_ret_problems);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_select_problems(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"flags", "id_prefix", "server_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    uint64_t p_flags = 0;
    const char *p_id_prefix = NULL;
    const char *p_server_id = NULL;
    mcphost_problems *p_ret_problems = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "select_problems", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_uint64(&a, 0, &p_flags) ||
        !take_text(&a, 1, TEXT_NULL, &p_id_prefix, NULL) ||
        !take_text(&a, 2, TEXT_NULL, &p_server_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_select_problems(h, p_flags, p_id_prefix, p_server_id, &p_ret_problems);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_PROBLEMS, p_ret_problems);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_forget_problem(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "forget_problem", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_forget_problem(h, p_id);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_problems_get_version(PyObject *self, void *unused)
{
    void *h;
    uint64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problems_get_version(h);
    return PyLong_FromUnsignedLongLong(r);
}

static PyObject *
f_problems_count(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_problems_count(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_problems_get(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_problem *r;

    (void)self;
    if (!arguments_parse(&a, "get", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_problems_get(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_PROBLEM, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_problems_find(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    mcphost_problem *r;

    (void)self;
    if (!arguments_parse(&a, "find", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL))
        goto out;
    r = mcphost_problems_find(h, p_id);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_PROBLEM, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_problems_make_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_problems_make_json(h, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_problem_get_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_problem_get_kind(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_kind(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_problem_get_severity(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_severity(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_problem_get_message(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_message(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_problem_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_problem_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_problem_get_detail(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_detail(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_problem_get_first_seen_ms(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_first_seen_ms(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_problem_get_last_seen_ms(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_last_seen_ms(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_problem_is_resolved(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_is_resolved(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_problem_get_resolved_ms(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_problem_get_resolved_ms(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_problem_make_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_problem_make_json(h, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_projection_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"shape", "profile", "name_max", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_shape = 0;
    int p_profile = 0;
    size_t p_name_max = 0;
    mcphost_projection *p_ret_projection = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "projection_new", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_shape) ||
        !take_int(&a, 1, &p_profile) ||
        !take_size(&a, 2, &p_name_max))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_projection_new(h, p_shape, p_profile, p_name_max, &p_ret_projection, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_PROJECTION, p_ret_projection);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_projection_get_json(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_projection_get_json(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_projection_count_problems(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_problems", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_projection_count_problems(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_projection_get_problem(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_problem *r;

    (void)self;
    if (!arguments_parse(&a, "get_problem", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_projection_get_problem(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_PROBLEM, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_projection_get_name(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"tool", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_tool = NULL;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_name", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_TOOL, 0, &p_tool))
        goto out;
    r = mcphost_projection_get_name(h, p_tool);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_projection_find_tool(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    mcphost_tool *r;

    (void)self;
    if (!arguments_parse(&a, "find_tool", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    r = mcphost_projection_find_tool(h, p_name);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_TOOL, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_projection_restore_arguments(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"tool", "json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_tool = NULL;
    const char *p_json = NULL;
    size_t n_json = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "restore_arguments", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_TOOL, 0, &p_tool) ||
        !take_text(&a, 1, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_projection_restore_arguments(h, p_tool, p_json, n_json, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    mcphost_provider *p_ret_provider = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "provider_new", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_new(h, p_id, &p_ret_provider, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_PROVIDER, p_ret_provider);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_new_in_view(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    mcphost_provider *p_ret_provider = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "provider_new_in_view", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_new_in_view(h, p_id, &p_ret_provider, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_PROVIDER, p_ret_provider);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_get_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_get_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_provider_set_about(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_about", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_set_about(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_set_defaults(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_defaults", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_set_defaults(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_set_config(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_config", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_set_config(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_dup_config(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"path", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_path = NULL;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "dup_config", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_path, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_dup_config(h, p_path, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_add(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"feature", "definition", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_feature = 0;
    const char *p_definition = NULL;
    size_t n_definition = 0;
    PyObject *p_fn = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_feature) ||
        !take_text(&a, 1, TEXT_JSON, &p_definition, &n_definition) ||
        !take_callable(&a, 2, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_add(h, p_feature, p_definition, n_definition, tramp_provide, p_fn, p_fn ? tramp_free : NULL, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_remove(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"feature", "name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_feature = 0;
    const char *p_name = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "remove", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_feature) ||
        !take_text(&a, 1, 0, &p_name, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_remove(h, p_feature, p_name);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_set_completion(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"feature", "name", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_feature = 0;
    const char *p_name = NULL;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_completion", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_feature) ||
        !take_text(&a, 1, 0, &p_name, NULL) ||
        !take_callable(&a, 2, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_set_completion(h, p_feature, p_name, tramp_provide, p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_updated(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"uri", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_uri = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "updated", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_uri, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_updated(h, p_uri);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_log(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"level", "logger", "data", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_level = 0;
    const char *p_logger = NULL;
    const char *p_data = NULL;
    size_t n_data = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "log", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_level) ||
        !take_text(&a, 1, TEXT_NULL, &p_logger, NULL) ||
        !take_text(&a, 2, TEXT_JSON, &p_data, &n_data))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_log(h, p_level, p_logger, p_data, n_data);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_start(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "start", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_start(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_close(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "close", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_close(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_request_sampling(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"params", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_params = NULL;
    size_t n_params = 0;
    PyObject *p_fn = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "provider_request_sampling", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_params, &n_params) ||
        !take_callable(&a, 1, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_request_sampling(h, p_params, n_params, tramp_answered, p_fn, p_fn ? tramp_free : NULL, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_set_sampler(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_sampler", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_set_sampler(h, tramp_sampler, p_fn, p_fn ? tramp_free : NULL, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_call_get_provider(PyObject *self, void *unused)
{
    void *h;
    mcphost_provider *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_provider(h);
    return wrap_borrowed(KIND_PROVIDER, r);
}

static PyObject *
f_provider_call_get_feature(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_feature(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_provider_call_get_name(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_name(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_provider_call_get_arguments(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_arguments(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_provider_call_get_argument(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_argument(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_provider_call_get_value(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_value(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_provider_call_get_meta(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_meta(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_provider_call_get_dialog_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_get_dialog_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_provider_call_answer(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "answer", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_call_answer(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_call_answer_text(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"text", "is_error", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_text = NULL;
    size_t n_text = 0;
    int p_is_error = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "answer_text", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_text, &n_text) ||
        !take_int(&a, 1, &p_is_error))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_call_answer_text(h, p_text, n_text, p_is_error);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_call_fail(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"code", "message", "data", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int64_t p_code = 0;
    const char *p_message = NULL;
    const char *p_data = NULL;
    size_t n_data = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "fail", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int64(&a, 0, &p_code) ||
        !take_text(&a, 1, 0, &p_message, NULL) ||
        !take_text(&a, 2, TEXT_NULL | TEXT_JSON, &p_data, &n_data))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_call_fail(h, p_code, p_message, p_data, n_data);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_call_report(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"progress", "total", "text", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    double p_progress = 0;
    double p_total = 0;
    const char *p_text = NULL;
    size_t n_text = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "report", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_double(&a, 0, &p_progress) ||
        !take_double(&a, 1, &p_total) ||
        !take_text(&a, 2, TEXT_NULL, &p_text, &n_text))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_call_report(h, p_progress, p_total, p_text, n_text);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_call_is_cancelled(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_provider_call_is_cancelled(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_provider_call_set_cancelled(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_cancelled", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_call_set_cancelled(h, tramp_unwanted, p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_provider_call_ask(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"kind", "params", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_kind = 0;
    const char *p_params = NULL;
    size_t n_params = 0;
    PyObject *p_fn = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "ask", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_kind) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_JSON, &p_params, &n_params) ||
        !take_callable(&a, 2, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_provider_call_ask(h, p_kind, p_params, n_params, tramp_answered, p_fn, p_fn ? tramp_free : NULL, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_request_get_kind(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_kind(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_request_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_request_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_request_get_dialog_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_dialog_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_request_get_call(PyObject *self, void *unused)
{
    void *h;
    mcphost_call *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_call(h);
    return wrap_borrowed(KIND_CALL, r);
}

static PyObject *
f_request_get_message(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_message(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_request_get_url(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_url(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_request_get_schema(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_schema(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_request_get_defaults(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_defaults(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_request_get_params(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_get_params(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_request_is_open(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_request_is_open(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_request_respond(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "respond", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL | TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_request_respond(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_request_check(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "check", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL | TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_request_check(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_request_reject(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"how", "message", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_how = 0;
    const char *p_message = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "reject", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_how) ||
        !take_text(&a, 1, TEXT_NULL, &p_message, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_request_reject(h, p_how, p_message);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_set_sampler(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_sampler", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 1, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_set_sampler(h, (p_fn ? tramp_sampler : NULL), p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_roots_changed(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "roots_changed", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_roots_changed(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_get_json(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_result_get_json(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_result_is_error(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_result_is_error(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_result_get_structured(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_result_get_structured(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_result_count_items(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_items", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_result_count_items(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_item_get_kind(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "item_get_kind", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_result_item_get_kind(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_item_get_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t len = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "item_get_json", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_result_item_get_json(h, p_index, &len);
    arguments_given(&a);
    ret = wrap_text(r, &len);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_item_get_text(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *p_ret_text = NULL;
    size_t n_ret_text = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "item_get_text", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_result_item_get_text(h, p_index, &p_ret_text, &n_ret_text);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_text(p_ret_text, &n_ret_text);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_item_repeats_structured(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "item_repeats_structured", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_result_item_repeats_structured(h, p_index);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_item_get_mime_type(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "item_get_mime_type", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_result_item_get_mime_type(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_item_get_uri(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t len = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "item_get_uri", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_result_item_get_uri(h, p_index, &len);
    arguments_given(&a);
    ret = wrap_text(r, &len);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_item_get_role(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t len = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "item_get_role", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_result_item_get_role(h, p_index, &len);
    arguments_given(&a);
    ret = wrap_text(r, &len);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_count_values(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_values", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_result_count_values(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_get_value(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t len = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_value", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_result_get_value(h, p_index, &len);
    arguments_given(&a);
    ret = wrap_text(r, &len);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_result_get_total(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_result_get_total(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_result_has_more(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_result_has_more(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_classify_failure(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"status", "body", "error", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_status = 0;
    const char *p_body = NULL;
    size_t n_body = 0;
    const char *p_error = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "classify_failure", args, n, kw, names, 1))
        return NULL;
    if (!take_int(&a, 0, &p_status) ||
        !take_text(&a, 1, TEXT_NULL, &p_body, &n_body) ||
        !take_text(&a, 2, TEXT_NULL, &p_error, NULL))
        goto out;
    r = mcphost_classify_failure(p_status, p_body, n_body, p_error);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_retry_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"strategy", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    int p_strategy = 0;
    mcphost_retry *p_ret_retry = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "retry_new", args, n, kw, names, 1))
        return NULL;
    if (!take_int(&a, 0, &p_strategy))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_retry_new(p_strategy, &p_ret_retry);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_RETRY, p_ret_retry);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_retry_set_jitter(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"percent", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_percent = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_jitter", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_percent))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_retry_set_jitter(h, p_percent);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_retry_judge(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"failures", "failure", "retry_after", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    unsigned p_failures = 0;
    int p_failure = 0;
    const char *p_retry_after = NULL;
    int64_t p_ret_delay_ms = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "judge", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_unsigned(&a, 0, &p_failures) ||
        !take_int(&a, 1, &p_failure) ||
        !take_text(&a, 2, TEXT_NULL, &p_retry_after, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_retry_judge(h, p_failures, p_failure, p_retry_after, &p_ret_delay_ms);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_tuple(2, PyLong_FromLongLong(r), PyLong_FromLongLong(p_ret_delay_ms));
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_retry_get_penalty_ms(PyObject *self, void *unused)
{
    void *h;
    int64_t r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_retry_get_penalty_ms(h);
    return PyLong_FromLongLong(r);
}

static PyObject *
f_sampling_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"params", "shape", "profile", "model", "modalities", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_params = NULL;
    size_t n_params = 0;
    int p_shape = 0;
    int p_profile = 0;
    const char *p_model = NULL;
    int p_modalities = 0;
    mcphost_sampling *p_ret_sampling = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "sampling_new", args, n, kw, names, 5))
        return NULL;
    if (!take_text(&a, 0, TEXT_JSON, &p_params, &n_params) ||
        !take_int(&a, 1, &p_shape) ||
        !take_int(&a, 2, &p_profile) ||
        !take_text(&a, 3, TEXT_NULL, &p_model, NULL) ||
        !take_int(&a, 4, &p_modalities))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_sampling_new(p_params, n_params, p_shape, p_profile, p_model, p_modalities, &p_ret_sampling, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_SAMPLING, p_ret_sampling);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_sampling_get_json(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_sampling_get_json(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_sampling_count_notes(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_notes", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_sampling_count_notes(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_sampling_get_note(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_note", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_sampling_get_note(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_sampling_make_result(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"answer", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_answer = NULL;
    size_t n_answer = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_result", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_answer, &n_answer))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_sampling_make_result(h, p_answer, n_answer, &p_ret_json, &n_ret_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    mcphost_schema *p_ret_schema = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "schema_new", args, n, kw, names, 0))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_schema_new(&p_ret_schema);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_SCHEMA, p_ret_schema);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_set_option(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"option", "value", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_option = 0;
    int64_t p_value = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_option", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_option) ||
        !take_int64(&a, 1, &p_value))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_schema_set_option(h, p_option, p_value);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_set_documents(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_documents", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_schema_set_documents(h, tramp_schema_document, p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_add_document(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"uri", "json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_uri = NULL;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_document", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_uri, NULL) ||
        !take_text(&a, 1, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_schema_add_document(h, p_uri, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_compile(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "compile", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_schema_compile(h, p_json, n_json, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_validate(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"json", "flags", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_json = NULL;
    size_t n_json = 0;
    uint64_t p_flags = 0;
    mcphost_schema_report *p_ret_report = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "validate", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_JSON, &p_json, &n_json) ||
        !take_uint64(&a, 1, &p_flags))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_schema_validate(h, p_json, n_json, p_flags, &p_ret_report, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_tuple(2, PyLong_FromLongLong(r), wrap_owned(KIND_SCHEMA_REPORT, p_ret_report));
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_report_count_errors(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_errors", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_schema_report_count_errors(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_report_get_instance_path(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_instance_path", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_schema_report_get_instance_path(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_report_get_schema_path(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_schema_path", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_schema_report_get_schema_path(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_report_get_keyword(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_keyword", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_schema_report_get_keyword(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_report_get_expected(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_expected", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_schema_report_get_expected(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_report_get_found(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "get_found", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_schema_report_get_found(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_schema_report_get_text(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_schema_report_get_text(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_schema_report_get_json(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_schema_report_get_json(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_schema_report_get_instance(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_schema_report_get_instance(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_serve_fd(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"in_", "out", "dialog_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_in = 0;
    int p_out = 0;
    const char *p_dialog_id = NULL;
    mcphost_serving *p_ret_serving = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "serve_fd", args, n, kw, names, 3))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_in) ||
        !take_int(&a, 1, &p_out) ||
        !take_text(&a, 2, 0, &p_dialog_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_serve_fd(h, p_in, p_out, p_dialog_id, &p_ret_serving, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_SERVING, p_ret_serving);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_serving_close(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "close", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_serving_close(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_serving_get_dialog_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_serving_get_dialog_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_skill_get_uri(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_skill_get_uri(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_skill_get_name(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_skill_get_name(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_skill_get_description(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_skill_get_description(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_skill_get_frontmatter(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_skill_get_frontmatter(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_skill_get_entry(PyObject *self, void *unused)
{
    void *h;
    size_t len = 0;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_skill_get_entry(h, &len);
    return wrap_text(r, &len);
}

static PyObject *
f_skill_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_skill_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_skill_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_skill_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_default_source(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_source *r;

    (void)self;
    if (!arguments_parse(&a, "default_source", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_default_source(h);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_SOURCE, r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_id = NULL;
    mcphost_source *p_ret_source = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "source_new", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_new(h, p_id, &p_ret_source, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_SOURCE, p_ret_source);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_get_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_source_get_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_source_set_policy(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"policy", "value", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_policy = 0;
    int64_t p_value = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_policy", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_policy) ||
        !take_int64(&a, 1, &p_value))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_set_policy(h, p_policy, p_value, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_get_policy(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"policy", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_policy = 0;
    int64_t p_ret_value = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_policy", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_policy))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_get_policy(h, p_policy, &p_ret_value);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = PyLong_FromLongLong(p_ret_value);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_set_name_fn(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    PyObject *p_fn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_name_fn", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_callable(&a, 0, 1, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_set_name_fn(h, (p_fn ? tramp_name : NULL), p_fn, p_fn ? tramp_free : NULL);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_load(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"config", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_config = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "load", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_CONFIG, 0, &p_config))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_load(h, p_config);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_follow_workspace(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"dir", "file", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_dir = NULL;
    const char *p_file = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "follow_workspace", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_dir, NULL) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_PATH, &p_file, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_follow_workspace(h, p_dir, p_file, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_follow_files(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "files", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_workspace = NULL;
    const char *const *p_files = NULL;
    size_t n_files = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "follow_files", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_texts(&a, 1, 0, &p_files, &n_files))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_follow_files(h, p_workspace, p_files, n_files, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_follow_dir(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"workspace", "dir", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_workspace = NULL;
    const char *p_dir = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "follow_dir", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_PATH, &p_workspace, NULL) ||
        !take_text(&a, 1, TEXT_PATH, &p_dir, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_follow_dir(h, p_workspace, p_dir, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_reload(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "reload", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_reload(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_restart_server(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server_id", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server_id = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "restart_server", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server_id, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_restart_server(h, p_server_id);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_set_server_enabled(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server_id", "enabled", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server_id = NULL;
    int p_enabled = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_server_enabled", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server_id, NULL) ||
        !take_int(&a, 1, &p_enabled))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_set_server_enabled(h, p_server_id, p_enabled);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_source_remove(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "remove", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_source_remove(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_get_status(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_status *p_ret_status = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_status", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_get_status(h, &p_ret_status);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_STATUS, p_ret_status);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_make_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "make_json", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_status_make_json(h, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_count_servers(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_servers", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_status_count_servers(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_source_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "server_get_source_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_source_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "server_get_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_transport(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_get_transport", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_transport(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_state(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_get_state", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_state(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_era(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_get_era", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_era(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_version(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "server_get_version", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_version(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_pid(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int64_t r;

    (void)self;
    if (!arguments_parse(&a, "server_get_pid", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_pid(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_containment(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_get_containment", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_containment(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_count_tools(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "server_count_tools", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_count_tools(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_has_tools(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_has_tools", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_has_tools(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_start_ms(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int64_t r;

    (void)self;
    if (!arguments_parse(&a, "server_get_start_ms", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_start_ms(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_latency_ms(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int64_t r;

    (void)self;
    if (!arguments_parse(&a, "server_get_latency_ms", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_latency_ms(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_get_error(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    mcphost_error *r;

    (void)self;
    if (!arguments_parse(&a, "server_get_error", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_server_get_error(h, p_index);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_ERROR, r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_server_make_json(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    char *p_ret_json = NULL;
    size_t n_ret_json = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "server_make_json", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_status_server_make_json(h, p_index, &p_ret_json, &n_ret_json);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_own_text(p_ret_json, &n_ret_json);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_count_leases(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "count_leases", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_status_count_leases(h);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_source_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_source_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_source_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_server_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_server_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_server_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_dialog_id(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_dialog_id", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_dialog_id(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_scope(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_scope", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_scope(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_scope_key(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_scope_key", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_scope_key(h, p_index);
    arguments_given(&a);
    ret = wrap_text(r, NULL);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_pid(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int64_t r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_pid", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_pid(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_state(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_state", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_state(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_count_in_flight(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    size_t r;

    (void)self;
    if (!arguments_parse(&a, "lease_count_in_flight", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_count_in_flight(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_status_lease_get_since_ms(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"index", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    size_t p_index = 0;
    int64_t r;

    (void)self;
    if (!arguments_parse(&a, "lease_get_since_ms", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_size(&a, 0, &p_index))
        goto out;
    r = mcphost_status_lease_get_since_ms(h, p_index);
    arguments_given(&a);
    ret = PyLong_FromLongLong(r);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_subscribe(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"server", "uri", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_server = NULL;
    const char *p_uri = NULL;
    mcphost_subscription *p_ret_subscription = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "subscribe", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_server, NULL) ||
        !take_text(&a, 1, 0, &p_uri, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_subscribe(h, p_server, p_uri, &p_ret_subscription, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_SUBSCRIPTION, p_ret_subscription);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_unsubscribe(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "unsubscribe", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_unsubscribe(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_subscription_get_uri(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_subscription_get_uri(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_subscription_get_source_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_subscription_get_source_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_subscription_get_server_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_subscription_get_server_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_subscription_get_dialog_id(PyObject *self, void *unused)
{
    void *h;
    const char *r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_subscription_get_dialog_id(h);
    return wrap_text(r, NULL);
}

static PyObject *
f_subscription_is_ended(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_subscription_is_ended(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_template_check(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"uri_template", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_uri_template = NULL;
    size_t n_uri_template = 0;
    char *p_ret_names = NULL;
    size_t n_ret_names = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "template_check", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, 0, &p_uri_template, &n_uri_template))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_template_check(p_uri_template, n_uri_template, &p_ret_names, &n_ret_names, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_names, &n_ret_names);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_template_expand(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"uri_template", "values", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_uri_template = NULL;
    size_t n_uri_template = 0;
    const char *p_values = NULL;
    size_t n_values = 0;
    char *p_ret_uri = NULL;
    size_t n_ret_uri = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "template_expand", args, n, kw, names, 1))
        return NULL;
    if (!take_text(&a, 0, 0, &p_uri_template, &n_uri_template) ||
        !take_text(&a, 1, TEXT_NULL | TEXT_JSON, &p_values, &n_values))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_template_expand(p_uri_template, n_uri_template, p_values, n_values, &p_ret_uri, &n_ret_uri, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_uri, &n_ret_uri);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_template_match(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"uri_template", "uri", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *p_uri_template = NULL;
    size_t n_uri_template = 0;
    const char *p_uri = NULL;
    size_t n_uri = 0;
    char *p_ret_values = NULL;
    size_t n_ret_values = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "template_match", args, n, kw, names, 2))
        return NULL;
    if (!take_text(&a, 0, 0, &p_uri_template, &n_uri_template) ||
        !take_text(&a, 1, 0, &p_uri, &n_uri))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_template_match(p_uri_template, n_uri_template, p_uri, n_uri, &p_ret_values, &n_ret_values, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_own_text(p_ret_values, &n_ret_values);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_transform_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    mcphost_transform *p_ret_transform = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "transform_new", args, n, kw, names, 0))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_transform_new(&p_ret_transform);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_TRANSFORM, p_ret_transform);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_transform_add_prefix(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"prefix", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_prefix = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_prefix", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_prefix, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_transform_add_prefix(h, p_prefix);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_transform_add_prefix_replace(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"remove", "add", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_remove = NULL;
    const char *p_add = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_prefix_replace", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_remove, NULL) ||
        !take_text(&a, 1, 0, &p_add, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_transform_add_prefix_replace(h, p_remove, p_add);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_transform_add_suffix(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"suffix", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_suffix = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_suffix", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_suffix, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_transform_add_suffix(h, p_suffix);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_transform_add_map(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"replacement", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_replacement = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_map", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_replacement, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_transform_add_map(h, p_replacement);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_turn_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_turn *p_ret_turn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "turn_new", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_turn_new(h, &p_ret_turn);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_TURN, p_ret_turn);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_turn_new_view(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"agent", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_agent = NULL;
    mcphost_turn *p_ret_turn = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "turn_new_view", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, TEXT_NULL, &p_agent, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_turn_new_view(h, p_agent, &p_ret_turn);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_TURN, p_ret_turn);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_turn_end(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "end", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_turn_end(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_turn_get_catalog(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_catalog *p_ret_catalog = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_catalog", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_turn_get_catalog(h, &p_ret_catalog);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_CATALOG, p_ret_catalog);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_invalidate_agent(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"agent", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_agent = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "invalidate_agent", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_agent, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_invalidate_agent(h, p_agent);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_invalidate_view(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int r;

    (void)self;
    if (!arguments_parse(&a, "invalidate_view", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_invalidate_view(h);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_turn_is_stale(PyObject *self, void *unused)
{
    void *h;
    int r;

    (void)unused;
    h = handle_of(self);
    r = mcphost_turn_is_stale(h);
    return PyBool_FromLong(r);
}

static PyObject *
f_version(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    const char *r;

    (void)self;
    if (!arguments_parse(&a, "version", args, n, kw, names, 0))
        return NULL;
    r = mcphost_version();
    arguments_given(&a);
    ret = wrap_text(r, NULL);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_version_number(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    unsigned r;

    (void)self;
    if (!arguments_parse(&a, "version_number", args, n, kw, names, 0))
        return NULL;
    r = mcphost_version_number();
    arguments_given(&a);
    ret = PyLong_FromUnsignedLongLong(r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_new_layered(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    mcphost_view *p_ret_view = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "view_new_layered", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_new_layered(h, p_name, &p_ret_view, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_VIEW, p_ret_view);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_add_source(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"source", "servers", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_source = NULL;
    const char *const *p_servers = NULL;
    size_t n_servers = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_source", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_SOURCE, 0, &p_source) ||
        !take_texts(&a, 1, 1, &p_servers, &n_servers))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_add_source(h, p_source, p_servers, n_servers);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_remove_source(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"source", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_source = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "remove_source", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_SOURCE, 0, &p_source))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_remove_source(h, p_source);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_show_builtins(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"on", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    int p_on = 0;
    int r;

    (void)self;
    if (!arguments_parse(&a, "show_builtins", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_int(&a, 0, &p_on))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_show_builtins(h, p_on);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_default_view(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_view *r;

    (void)self;
    if (!arguments_parse(&a, "default_view", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    r = mcphost_default_view(h);
    arguments_given(&a);
    ret = wrap_borrowed(KIND_VIEW, r);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_get_catalog(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    mcphost_catalog *p_ret_catalog = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "get_catalog", args, n, kw, names, 0))
        return NULL;
    h = handle_of(self);
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_get_catalog(h, &p_ret_catalog);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = wrap_owned(KIND_CATALOG, p_ret_catalog);
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_set_builtins(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"builtins", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_builtins = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_builtins", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_BUILTINS, 0, &p_builtins))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_set_builtins(h, p_builtins, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_remove_builtins(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"owner", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_owner = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "remove_builtins", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_owner, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_remove_builtins(h, p_owner);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_add_builtin(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"toolset", "name", "description", "input_schema", "fn", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_toolset = NULL;
    const char *p_name = NULL;
    const char *p_description = NULL;
    const char *p_input_schema = NULL;
    PyObject *p_fn = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_builtin", args, n, kw, names, 5))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_toolset, NULL) ||
        !take_text(&a, 1, 0, &p_name, NULL) ||
        !take_text(&a, 2, TEXT_NULL, &p_description, NULL) ||
        !take_text(&a, 3, 0, &p_input_schema, NULL) ||
        !take_callable(&a, 4, 0, 1, &p_fn))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_add_builtin(h, p_toolset, p_name, p_description, p_input_schema, tramp_builtin, p_fn, p_fn ? tramp_free : NULL, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_add_resource_tools(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"which", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    unsigned p_which = 0;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "add_resource_tools", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_unsigned(&a, 0, &p_which))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_add_resource_tools(h, p_which, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_remove_builtin(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "remove_builtin", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_remove_builtin(h, p_name);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_set_toolset_description(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"toolset", "description", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_toolset = NULL;
    const char *p_description = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_toolset_description", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_toolset, NULL) ||
        !take_text(&a, 1, TEXT_NULL, &p_description, NULL))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_set_toolset_description(h, p_toolset, p_description, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_new(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"name", "grant", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    const char *p_name = NULL;
    void *p_grant = NULL;
    mcphost_view *p_ret_view = NULL;
    mcphost_error *err = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "view_new", args, n, kw, names, 2))
        return NULL;
    h = handle_of(self);
    if (!take_text(&a, 0, 0, &p_name, NULL) ||
        !take_handle(&a, 1, KIND_GRANT, 0, &p_grant))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_new(h, p_name, p_grant, &p_ret_view, &err);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, err);
    else
        ret = wrap_owned(KIND_VIEW, p_ret_view);
out:
    arguments_free(&a);
    return ret;
}

static PyObject *
f_view_set_grant(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kw)
{
    static const char *const names[] = {"grant", NULL};
    struct arguments a = {0};
    PyObject *ret = NULL;
    void *h;
    void *p_grant = NULL;
    int r;

    (void)self;
    if (!arguments_parse(&a, "set_grant", args, n, kw, names, 1))
        return NULL;
    h = handle_of(self);
    if (!take_handle(&a, 0, KIND_GRANT, 0, &p_grant))
        goto out;
    Py_BEGIN_ALLOW_THREADS
    r = mcphost_view_set_grant(h, p_grant);
    Py_END_ALLOW_THREADS
    arguments_given(&a);
    if (r < 0)
        raise_code((int)r, NULL);
    else
        ret = Py_NewRef(Py_None);
out:
    arguments_free(&a);
    return ret;
}

static size_t
s_catalog_tools_count(void *h)
{
    return mcphost_catalog_count_tools(h);
}

static PyObject *
s_catalog_tools_get(void *h, size_t i)
{
    mcphost_tool *r = mcphost_catalog_get_tool(h, i);

    return wrap_borrowed(KIND_TOOL, r);
}

static PyObject *
s_catalog_tools(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_catalog_tools_count, s_catalog_tools_get);
}

static size_t
s_catalog_toolsets_count(void *h)
{
    return mcphost_catalog_count_toolsets(h);
}

static PyObject *
s_catalog_toolsets_get(void *h, size_t i)
{
    const char *r = mcphost_catalog_get_toolset(h, i);

    return wrap_text(r, NULL);
}

static PyObject *
s_catalog_toolsets(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_catalog_toolsets_count, s_catalog_toolsets_get);
}

static size_t
s_catalog_servers_count(void *h)
{
    return mcphost_catalog_count_servers(h);
}

static PyObject *
s_catalog_servers_get(void *h, size_t i)
{
    mcphost_server *r = mcphost_catalog_get_server(h, i);

    return wrap_borrowed(KIND_SERVER, r);
}

static PyObject *
s_catalog_servers(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_catalog_servers_count, s_catalog_servers_get);
}

static size_t
s_server_tools_count(void *h)
{
    return mcphost_server_count_tools(h);
}

static PyObject *
s_server_tools_get(void *h, size_t i)
{
    mcphost_tool *r = mcphost_server_get_tool(h, i);

    return wrap_borrowed(KIND_TOOL, r);
}

static PyObject *
s_server_tools(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_server_tools_count, s_server_tools_get);
}

static size_t
s_server_app_tools_count(void *h)
{
    return mcphost_server_count_app_tools(h);
}

static PyObject *
s_server_app_tools_get(void *h, size_t i)
{
    mcphost_tool *r = mcphost_server_get_app_tool(h, i);

    return wrap_borrowed(KIND_TOOL, r);
}

static PyObject *
s_server_app_tools(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_server_app_tools_count, s_server_app_tools_get);
}

static size_t
s_catalog_prompts_count(void *h)
{
    return mcphost_catalog_count_prompts(h);
}

static PyObject *
s_catalog_prompts_get(void *h, size_t i)
{
    mcphost_prompt *r = mcphost_catalog_get_prompt(h, i);

    return wrap_borrowed(KIND_PROMPT, r);
}

static PyObject *
s_catalog_prompts(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_catalog_prompts_count, s_catalog_prompts_get);
}

static size_t
s_server_prompts_count(void *h)
{
    return mcphost_server_count_prompts(h);
}

static PyObject *
s_server_prompts_get(void *h, size_t i)
{
    mcphost_prompt *r = mcphost_server_get_prompt(h, i);

    return wrap_borrowed(KIND_PROMPT, r);
}

static PyObject *
s_server_prompts(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_server_prompts_count, s_server_prompts_get);
}

static size_t
s_catalog_resources_count(void *h)
{
    return mcphost_catalog_count_resources(h);
}

static PyObject *
s_catalog_resources_get(void *h, size_t i)
{
    mcphost_resource *r = mcphost_catalog_get_resource(h, i);

    return wrap_borrowed(KIND_RESOURCE, r);
}

static PyObject *
s_catalog_resources(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_catalog_resources_count, s_catalog_resources_get);
}

static size_t
s_server_resources_count(void *h)
{
    return mcphost_server_count_resources(h);
}

static PyObject *
s_server_resources_get(void *h, size_t i)
{
    mcphost_resource *r = mcphost_server_get_resource(h, i);

    return wrap_borrowed(KIND_RESOURCE, r);
}

static PyObject *
s_server_resources(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_server_resources_count, s_server_resources_get);
}

static size_t
s_catalog_resource_templates_count(void *h)
{
    return mcphost_catalog_count_resource_templates(h);
}

static PyObject *
s_catalog_resource_templates_get(void *h, size_t i)
{
    mcphost_resource_template *r = mcphost_catalog_get_resource_template(h, i);

    return wrap_borrowed(KIND_RESOURCE_TEMPLATE, r);
}

static PyObject *
s_catalog_resource_templates(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_catalog_resource_templates_count, s_catalog_resource_templates_get);
}

static size_t
s_server_resource_templates_count(void *h)
{
    return mcphost_server_count_resource_templates(h);
}

static PyObject *
s_server_resource_templates_get(void *h, size_t i)
{
    mcphost_resource_template *r = mcphost_server_get_resource_template(h, i);

    return wrap_borrowed(KIND_RESOURCE_TEMPLATE, r);
}

static PyObject *
s_server_resource_templates(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_server_resource_templates_count, s_server_resource_templates_get);
}

static size_t
s_catalog_skills_count(void *h)
{
    return mcphost_catalog_count_skills(h);
}

static PyObject *
s_catalog_skills_get(void *h, size_t i)
{
    mcphost_skill *r = mcphost_catalog_get_skill(h, i);

    return wrap_borrowed(KIND_SKILL, r);
}

static PyObject *
s_catalog_skills(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_catalog_skills_count, s_catalog_skills_get);
}

static size_t
s_server_skills_count(void *h)
{
    return mcphost_server_count_skills(h);
}

static PyObject *
s_server_skills_get(void *h, size_t i)
{
    mcphost_skill *r = mcphost_server_get_skill(h, i);

    return wrap_borrowed(KIND_SKILL, r);
}

static PyObject *
s_server_skills(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_server_skills_count, s_server_skills_get);
}

static size_t
s_problems_items_count(void *h)
{
    return mcphost_problems_count(h);
}

static PyObject *
s_problems_items_get(void *h, size_t i)
{
    mcphost_problem *r = mcphost_problems_get(h, i);

    return wrap_borrowed(KIND_PROBLEM, r);
}

static PyObject *
s_problems_items(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_problems_items_count, s_problems_items_get);
}

static size_t
s_projection_problems_count(void *h)
{
    return mcphost_projection_count_problems(h);
}

static PyObject *
s_projection_problems_get(void *h, size_t i)
{
    mcphost_problem *r = mcphost_projection_get_problem(h, i);

    return wrap_borrowed(KIND_PROBLEM, r);
}

static PyObject *
s_projection_problems(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_projection_problems_count, s_projection_problems_get);
}

static size_t
s_result_values_count(void *h)
{
    return mcphost_result_count_values(h);
}

static PyObject *
s_result_values_get(void *h, size_t i)
{
    size_t len = 0;
    const char *r = mcphost_result_get_value(h, i, &len);

    return wrap_text(r, &len);
}

static PyObject *
s_result_values(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_result_values_count, s_result_values_get);
}

static size_t
s_sampling_notes_count(void *h)
{
    return mcphost_sampling_count_notes(h);
}

static PyObject *
s_sampling_notes_get(void *h, size_t i)
{
    const char *r = mcphost_sampling_get_note(h, i);

    return wrap_text(r, NULL);
}

static PyObject *
s_sampling_notes(PyObject *self, void *unused)
{
    (void)unused;
    return sequence_new(self, s_sampling_notes_count, s_sampling_notes_get);
}

static PyMethodDef methods_chatos[] = {
    {"set_dir", METHOD(f_chatos_set_dir)},
    {"set_flags", METHOD(f_chatos_set_flags)},
    {"set_admin", METHOD(f_chatos_set_admin)},
    {"scan", METHOD(f_chatos_scan)},
    {"wait", METHOD(f_chatos_wait)},
    {"list_apps", METHOD(f_chatos_list_apps)},
    {"get_contribution", METHOD(f_chatos_get_contribution)},
    {"get_config", METHOD(f_chatos_get_config)},
    {"follow", METHOD(f_chatos_follow)},
    {"inject", METHOD(f_chatos_inject)},
    {"sync", METHOD(f_chatos_sync)},
    {0}
};

static PyGetSetDef getters_chatos[] = {
    {0}
};

static PyMethodDef methods_chatos_run[] = {
    {"end", METHOD(f_chatos_run_end)},
    {0}
};

static PyGetSetDef getters_chatos_run[] = {
    {"json", f_chatos_run_get_json, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_plugins[] = {
    {"set_config", METHOD(f_plugins_set_config)},
    {"set_only", METHOD(f_plugins_set_only)},
    {"set_reload", METHOD(f_plugins_set_reload)},
    {"scan", METHOD(f_plugins_scan)},
    {"wait", METHOD(f_plugins_wait)},
    {"close", METHOD(f_plugins_close)},
    {"get_rows", METHOD(f_plugins_get_rows)},
    {0}
};

static PyGetSetDef getters_plugins[] = {
    {0}
};

static PyMethodDef methods_plugin_rows[] = {
    {"count", METHOD(f_plugin_rows_count)},
    {"get_id", METHOD(f_plugin_rows_get_id)},
    {"get_kind", METHOD(f_plugin_rows_get_kind)},
    {"get_file", METHOD(f_plugin_rows_get_file)},
    {"get_state", METHOD(f_plugin_rows_get_state)},
    {"get_error", METHOD(f_plugin_rows_get_error)},
    {"make_json", METHOD(f_plugin_rows_make_json)},
    {0}
};

static PyGetSetDef getters_plugin_rows[] = {
    {0}
};

static PyMethodDef methods_problems[] = {
    {"count", METHOD(f_problems_count)},
    {"get", METHOD(f_problems_get)},
    {"find", METHOD(f_problems_find)},
    {"make_json", METHOD(f_problems_make_json)},
    {0}
};

static PyGetSetDef getters_problems[] = {
    {"version", f_problems_get_version, NULL, NULL, NULL},
    {"items", s_problems_items, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_status[] = {
    {"make_json", METHOD(f_status_make_json)},
    {"count_servers", METHOD(f_status_count_servers)},
    {"server_get_source_id", METHOD(f_status_server_get_source_id)},
    {"server_get_id", METHOD(f_status_server_get_id)},
    {"server_get_transport", METHOD(f_status_server_get_transport)},
    {"server_get_state", METHOD(f_status_server_get_state)},
    {"server_get_era", METHOD(f_status_server_get_era)},
    {"server_get_version", METHOD(f_status_server_get_version)},
    {"server_get_pid", METHOD(f_status_server_get_pid)},
    {"server_get_containment", METHOD(f_status_server_get_containment)},
    {"server_count_tools", METHOD(f_status_server_count_tools)},
    {"server_has_tools", METHOD(f_status_server_has_tools)},
    {"server_get_start_ms", METHOD(f_status_server_get_start_ms)},
    {"server_get_latency_ms", METHOD(f_status_server_get_latency_ms)},
    {"server_get_error", METHOD(f_status_server_get_error)},
    {"server_make_json", METHOD(f_status_server_make_json)},
    {"count_leases", METHOD(f_status_count_leases)},
    {"lease_get_source_id", METHOD(f_status_lease_get_source_id)},
    {"lease_get_server_id", METHOD(f_status_lease_get_server_id)},
    {"lease_get_dialog_id", METHOD(f_status_lease_get_dialog_id)},
    {"lease_get_scope", METHOD(f_status_lease_get_scope)},
    {"lease_get_scope_key", METHOD(f_status_lease_get_scope_key)},
    {"lease_get_pid", METHOD(f_status_lease_get_pid)},
    {"lease_get_state", METHOD(f_status_lease_get_state)},
    {"lease_count_in_flight", METHOD(f_status_lease_count_in_flight)},
    {"lease_get_since_ms", METHOD(f_status_lease_get_since_ms)},
    {0}
};

static PyGetSetDef getters_status[] = {
    {0}
};

static PyMethodDef methods_host[] = {
    {"set_before_call", METHOD(f_set_before_call)},
    {"set_trace_context", METHOD(f_set_trace_context)},
    {"chatos_new", METHOD(f_chatos_new)},
    {"set_event", METHOD(f_set_event)},
    {"set_toolset_flags", METHOD(f_set_toolset_flags)},
    {"use_team", METHOD(f_use_team)},
    {"get_team_view", METHOD(f_get_team_view)},
    {"close", METHOD(f_close)},
    {"close_within", METHOD(f_close_within)},
    {"set_identity", METHOD(f_set_identity)},
    {"set_guard_path", METHOD(f_set_guard_path)},
    {"set_spool_dir", METHOD(f_set_spool_dir)},
    {"set_environment", METHOD(f_set_environment)},
    {"set_env", METHOD(f_set_env)},
    {"set_admin_env", METHOD(f_set_admin_env)},
    {"set_credential", METHOD(f_set_credential)},
    {"forget_credentials", METHOD(f_forget_credentials)},
    {"load_workspace", METHOD(f_load_workspace)},
    {"load", METHOD(f_load)},
    {"reload", METHOD(f_reload)},
    {"restart_server", METHOD(f_restart_server)},
    {"set_server_enabled", METHOD(f_set_server_enabled)},
    {"set_verdicts", METHOD(f_set_verdicts)},
    {"get_verdicts", METHOD(f_get_verdicts)},
    {"set_log", METHOD(f_set_log)},
    {"get_fd", METHOD(f_get_fd)},
    {"dispatch", METHOD(f_dispatch)},
    {"wait", METHOD(f_wait)},
    {"wait_ready", METHOD(f_wait_ready)},
    {"wake", METHOD(f_wake)},
    {"set_driven", METHOD(f_set_driven)},
    {"thread_start", METHOD(f_thread_start)},
    {"thread_stop", METHOD(f_thread_stop)},
    {"set_option", METHOD(f_set_option)},
    {"get_option", METHOD(f_get_option)},
    {"get_problems", METHOD(f_get_problems)},
    {"select_problems", METHOD(f_select_problems)},
    {"forget_problem", METHOD(f_forget_problem)},
    {"set_sampler", METHOD(f_set_sampler)},
    {"roots_changed", METHOD(f_roots_changed)},
    {"default_source", METHOD(f_default_source)},
    {"source_new", METHOD(f_source_new)},
    {"get_status", METHOD(f_get_status)},
    {"invalidate_agent", METHOD(f_invalidate_agent)},
    {"view_new_layered", METHOD(f_view_new_layered)},
    {"default_view", METHOD(f_default_view)},
    {"view_new", METHOD(f_view_new)},
    METHODS_HOST
    {0}
};

static PyGetSetDef getters_host[] = {
    {"order_serial", f_get_order_serial, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_builtins[] = {
    {"add_tool", METHOD(f_builtins_add_tool)},
    {"add_toolset", METHOD(f_builtins_add_toolset)},
    {0}
};

static PyGetSetDef getters_builtins[] = {
    {"owner", f_builtins_get_owner, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_call[] = {
    {"set_timeout", METHOD(f_call_set_timeout)},
    {"set_progress", METHOD(f_call_set_progress)},
    {"set_request", METHOD(f_call_set_request)},
    {"set_meta", METHOD(f_call_set_meta)},
    {"set_trace_context", METHOD(f_call_set_trace_context)},
    {"allow", METHOD(f_call_allow)},
    {"refuse", METHOD(f_call_refuse)},
    {"answer", METHOD(f_call_answer)},
    {"answer_result", METHOD(f_call_answer_result)},
    {"report_progress", METHOD(f_call_report_progress)},
    {"set_cancelled", METHOD(f_call_set_cancelled)},
    {"make_items", METHOD(f_call_make_items)},
    {"set_task", METHOD(f_call_set_task)},
    METHODS_CALL
    {0}
};

static PyGetSetDef getters_call[] = {
    {"is_done", f_call_is_done, NULL, NULL, NULL},
    {"tool", f_call_get_tool, NULL, NULL, NULL},
    {"dialog_id", f_call_get_dialog_id, NULL, NULL, NULL},
    {"arguments", f_call_get_arguments, NULL, NULL, NULL},
    {"is_cancelled", f_call_is_cancelled, NULL, NULL, NULL},
    {"task_id", f_call_get_task_id, NULL, NULL, NULL},
    {"task_status", f_call_get_task_status, NULL, NULL, NULL},
    {"task_ttl", f_call_get_task_ttl, NULL, NULL, NULL},
    {"task_interval", f_call_get_task_interval, NULL, NULL, NULL},
    GETTERS_CALL
    {0}
};

static PyMethodDef methods_catalog[] = {
    {"find_tool", METHOD(f_catalog_find_tool)},
    {"count_tools", METHOD(f_catalog_count_tools)},
    {"get_tool", METHOD(f_catalog_get_tool)},
    {"count_toolsets", METHOD(f_catalog_count_toolsets)},
    {"get_toolset", METHOD(f_catalog_get_toolset)},
    {"find_toolset", METHOD(f_catalog_find_toolset)},
    {"get_toolset_owner", METHOD(f_catalog_get_toolset_owner)},
    {"get_toolset_description", METHOD(f_catalog_get_toolset_description)},
    {"count_toolset_tools", METHOD(f_catalog_count_toolset_tools)},
    {"get_toolset_tool", METHOD(f_catalog_get_toolset_tool)},
    {"get_tools_json", METHOD(f_catalog_get_tools_json)},
    {"count_servers", METHOD(f_catalog_count_servers)},
    {"get_server", METHOD(f_catalog_get_server)},
    {"find_server", METHOD(f_catalog_find_server)},
    {"count_prompts", METHOD(f_catalog_count_prompts)},
    {"get_prompt", METHOD(f_catalog_get_prompt)},
    {"find_prompt", METHOD(f_catalog_find_prompt)},
    {"get_prompts_json", METHOD(f_catalog_get_prompts_json)},
    {"count_resources", METHOD(f_catalog_count_resources)},
    {"get_resource", METHOD(f_catalog_get_resource)},
    {"find_resource", METHOD(f_catalog_find_resource)},
    {"get_resources_json", METHOD(f_catalog_get_resources_json)},
    {"count_resource_templates", METHOD(f_catalog_count_resource_templates)},
    {"get_resource_template", METHOD(f_catalog_get_resource_template)},
    {"find_resource_template", METHOD(f_catalog_find_resource_template)},
    {"get_resource_templates_json", METHOD(f_catalog_get_resource_templates_json)},
    {"count_missing", METHOD(f_catalog_count_missing)},
    {"get_missing", METHOD(f_catalog_get_missing)},
    {"find_projected", METHOD(f_catalog_find_projected)},
    {"count_skills", METHOD(f_catalog_count_skills)},
    {"get_skill", METHOD(f_catalog_get_skill)},
    {"find_skill", METHOD(f_catalog_find_skill)},
    {"projection_new", METHOD(f_projection_new)},
    {0}
};

static PyGetSetDef getters_catalog[] = {
    {"version", f_catalog_get_version, NULL, NULL, NULL},
    {"tools", s_catalog_tools, NULL, NULL, NULL},
    {"toolsets", s_catalog_toolsets, NULL, NULL, NULL},
    {"servers", s_catalog_servers, NULL, NULL, NULL},
    {"prompts", s_catalog_prompts, NULL, NULL, NULL},
    {"resources", s_catalog_resources, NULL, NULL, NULL},
    {"resource_templates", s_catalog_resource_templates, NULL, NULL, NULL},
    {"skills", s_catalog_skills, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_config[] = {
    {"set_era", METHOD(f_config_set_era)},
    {"pick_server", METHOD(f_config_pick_server)},
    {"count_servers", METHOD(f_config_count_servers)},
    {"find_server", METHOD(f_config_find_server)},
    {"server_get_id", METHOD(f_config_server_get_id)},
    {"server_get_state", METHOD(f_config_server_get_state)},
    {"server_get_transport", METHOD(f_config_server_get_transport)},
    {"server_get_file", METHOD(f_config_server_get_file)},
    {"server_get_line", METHOD(f_config_server_get_line)},
    {"server_make_json", METHOD(f_config_server_make_json)},
    {"count_diagnostics", METHOD(f_config_count_diagnostics)},
    {"diagnostic_get_severity", METHOD(f_config_diagnostic_get_severity)},
    {"diagnostic_get_message", METHOD(f_config_diagnostic_get_message)},
    {"diagnostic_get_key", METHOD(f_config_diagnostic_get_key)},
    {"diagnostic_get_server_id", METHOD(f_config_diagnostic_get_server_id)},
    {"diagnostic_get_file", METHOD(f_config_diagnostic_get_file)},
    {"diagnostic_get_line", METHOD(f_config_diagnostic_get_line)},
    {"diagnostic_get_column", METHOD(f_config_diagnostic_get_column)},
    {0}
};

static PyGetSetDef getters_config[] = {
    {"status", f_config_get_status, NULL, NULL, NULL},
    {"file", f_config_get_file, NULL, NULL, NULL},
    {"workspace", f_config_get_workspace, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_dialog[] = {
    {"call_new", METHOD(f_call_new)},
    {"call_new_tool", METHOD(f_call_new_tool)},
    {"call_new_app_tool", METHOD(f_call_new_app_tool)},
    {"call_new_read", METHOD(f_call_new_read)},
    {"call_new_prompt", METHOD(f_call_new_prompt)},
    {"call_new_complete_template", METHOD(f_call_new_complete_template)},
    {"call_new_complete_prompt", METHOD(f_call_new_complete_prompt)},
    {"call_new_in_turn", METHOD(f_call_new_in_turn)},
    {"call_new_get_skill", METHOD(f_call_new_get_skill)},
    {"call_new_read_skill", METHOD(f_call_new_read_skill)},
    {"call_new_read_directory", METHOD(f_call_new_read_directory)},
    {"call_resume_task", METHOD(f_call_resume_task)},
    {"call_new_get_task", METHOD(f_call_new_get_task)},
    {"call_new_update_task", METHOD(f_call_new_update_task)},
    {"call_new_cancel_task", METHOD(f_call_new_cancel_task)},
    {"close", METHOD(f_dialog_close)},
    {"set_agent", METHOD(f_dialog_set_agent)},
    {"set_workspace", METHOD(f_dialog_set_workspace)},
    {"get_catalog", METHOD(f_dialog_get_catalog)},
    {"begin_turn", METHOD(f_dialog_begin_turn)},
    {"end_turn", METHOD(f_dialog_end_turn)},
    {"set_artifact_dir", METHOD(f_dialog_set_artifact_dir)},
    {"get_lease", METHOD(f_dialog_get_lease)},
    {"report_rejection", METHOD(f_dialog_report_rejection)},
    {"resume", METHOD(f_dialog_resume)},
    {"report_success", METHOD(f_dialog_report_success)},
    {"get_stop_reason", METHOD(f_dialog_get_stop_reason)},
    {"subscribe", METHOD(f_subscribe)},
    {"turn_new", METHOD(f_turn_new)},
    {0}
};

static PyGetSetDef getters_dialog[] = {
    {"id", f_dialog_get_id, NULL, NULL, NULL},
    {"root_id", f_dialog_get_root_id, NULL, NULL, NULL},
    {"agent", f_dialog_get_agent, NULL, NULL, NULL},
    {"workspace", f_dialog_get_workspace, NULL, NULL, NULL},
    {"run_state", f_dialog_get_run_state, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_error[] = {
    {"make_json", METHOD(f_error_make_json)},
    {0}
};

static PyGetSetDef getters_error[] = {
    {"code", f_error_get_code, NULL, NULL, NULL},
    {"message", f_error_get_message, NULL, NULL, NULL},
    {"server_id", f_error_get_server_id, NULL, NULL, NULL},
    {"source_id", f_error_get_source_id, NULL, NULL, NULL},
    {"errno", f_error_get_errno, NULL, NULL, NULL},
    {"rpc_code", f_error_get_rpc_code, NULL, NULL, NULL},
    {"rpc_data", f_error_get_rpc_data, NULL, NULL, NULL},
    {"file", f_error_get_file, NULL, NULL, NULL},
    {"line", f_error_get_line, NULL, NULL, NULL},
    {"column", f_error_get_column, NULL, NULL, NULL},
    {"stderr_tail", f_error_get_stderr_tail, NULL, NULL, NULL},
    {"http_status", f_error_get_http_status, NULL, NULL, NULL},
    {"retry_after", f_error_get_retry_after, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_event[] = {
    {0}
};

static PyGetSetDef getters_event[] = {
    {"kind", f_event_get_kind, NULL, NULL, NULL},
    {"source_id", f_event_get_source_id, NULL, NULL, NULL},
    {"server_id", f_event_get_server_id, NULL, NULL, NULL},
    {"dialog_id", f_event_get_dialog_id, NULL, NULL, NULL},
    {"state", f_event_get_state, NULL, NULL, NULL},
    {"pid", f_event_get_pid, NULL, NULL, NULL},
    {"version", f_event_get_version, NULL, NULL, NULL},
    {"serial", f_event_get_serial, NULL, NULL, NULL},
    {"call", f_event_get_call, NULL, NULL, NULL},
    {"problem", f_event_get_problem, NULL, NULL, NULL},
    {"config", f_event_get_config, NULL, NULL, NULL},
    {"request", f_event_get_request, NULL, NULL, NULL},
    {"subscription", f_event_get_subscription, NULL, NULL, NULL},
    {"uri", f_event_get_uri, NULL, NULL, NULL},
    {"count", f_event_get_count, NULL, NULL, NULL},
    {"error", f_event_get_error, NULL, NULL, NULL},
    {"text", f_event_get_text, NULL, NULL, NULL},
    {"level", f_event_get_level, NULL, NULL, NULL},
    {"data", f_event_get_data, NULL, NULL, NULL},
    {"progress", f_event_get_progress, NULL, NULL, NULL},
    {"total", f_event_get_total, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_filter[] = {
    {"add_whitelist", METHOD(f_filter_add_whitelist)},
    {"add_blacklist", METHOD(f_filter_add_blacklist)},
    {"match", METHOD(f_filter_match)},
    {0}
};

static PyGetSetDef getters_filter[] = {
    {0}
};

static PyMethodDef methods_grant[] = {
    {"add_toolset", METHOD(f_grant_add_toolset)},
    {"add_tool", METHOD(f_grant_add_tool)},
    {0}
};

static PyGetSetDef getters_grant[] = {
    {0}
};

static PyMethodDef methods_items[] = {
    {"make_parts", METHOD(f_items_make_parts)},
    {"make_user_parts", METHOD(f_items_make_user_parts)},
    {0}
};

static PyGetSetDef getters_items[] = {
    {"is_error", f_items_is_error, NULL, NULL, NULL},
    {"json", f_items_get_json, NULL, NULL, NULL},
    {"text", f_items_get_text, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_lease[] = {
    {"release", METHOD(f_lease_release)},
    {0}
};

static PyGetSetDef getters_lease[] = {
    {"source_id", f_lease_get_source_id, NULL, NULL, NULL},
    {"server_id", f_lease_get_server_id, NULL, NULL, NULL},
    {"dialog_id", f_lease_get_dialog_id, NULL, NULL, NULL},
    {"scope", f_lease_get_scope, NULL, NULL, NULL},
    {"scope_key", f_lease_get_scope_key, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_problem[] = {
    {"make_json", METHOD(f_problem_make_json)},
    {0}
};

static PyGetSetDef getters_problem[] = {
    {"id", f_problem_get_id, NULL, NULL, NULL},
    {"kind", f_problem_get_kind, NULL, NULL, NULL},
    {"severity", f_problem_get_severity, NULL, NULL, NULL},
    {"message", f_problem_get_message, NULL, NULL, NULL},
    {"source_id", f_problem_get_source_id, NULL, NULL, NULL},
    {"server_id", f_problem_get_server_id, NULL, NULL, NULL},
    {"detail", f_problem_get_detail, NULL, NULL, NULL},
    {"first_seen_ms", f_problem_get_first_seen_ms, NULL, NULL, NULL},
    {"last_seen_ms", f_problem_get_last_seen_ms, NULL, NULL, NULL},
    {"is_resolved", f_problem_is_resolved, NULL, NULL, NULL},
    {"resolved_ms", f_problem_get_resolved_ms, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_projection[] = {
    {"count_problems", METHOD(f_projection_count_problems)},
    {"get_problem", METHOD(f_projection_get_problem)},
    {"get_name", METHOD(f_projection_get_name)},
    {"find_tool", METHOD(f_projection_find_tool)},
    {"restore_arguments", METHOD(f_projection_restore_arguments)},
    {0}
};

static PyGetSetDef getters_projection[] = {
    {"json", f_projection_get_json, NULL, NULL, NULL},
    {"problems", s_projection_problems, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_prompt[] = {
    {0}
};

static PyGetSetDef getters_prompt[] = {
    {"name", f_prompt_get_name, NULL, NULL, NULL},
    {"original_name", f_prompt_get_original_name, NULL, NULL, NULL},
    {"title", f_prompt_get_title, NULL, NULL, NULL},
    {"description", f_prompt_get_description, NULL, NULL, NULL},
    {"arguments", f_prompt_get_arguments, NULL, NULL, NULL},
    {"definition", f_prompt_get_definition, NULL, NULL, NULL},
    {"source_id", f_prompt_get_source_id, NULL, NULL, NULL},
    {"server_id", f_prompt_get_server_id, NULL, NULL, NULL},
    {"toolset", f_prompt_get_toolset, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_provider[] = {
    {"set_about", METHOD(f_provider_set_about)},
    {"set_defaults", METHOD(f_provider_set_defaults)},
    {"set_config", METHOD(f_provider_set_config)},
    {"dup_config", METHOD(f_provider_dup_config)},
    {"add", METHOD(f_provider_add)},
    {"remove", METHOD(f_provider_remove)},
    {"set_completion", METHOD(f_provider_set_completion)},
    {"updated", METHOD(f_provider_updated)},
    {"log", METHOD(f_provider_log)},
    {"start", METHOD(f_provider_start)},
    {"close", METHOD(f_provider_close)},
    {"set_sampler", METHOD(f_provider_set_sampler)},
    {0}
};

static PyGetSetDef getters_provider[] = {
    {"id", f_provider_get_id, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_provider_call[] = {
    {"provider_request_sampling", METHOD(f_provider_request_sampling)},
    {"answer", METHOD(f_provider_call_answer)},
    {"answer_text", METHOD(f_provider_call_answer_text)},
    {"fail", METHOD(f_provider_call_fail)},
    {"report", METHOD(f_provider_call_report)},
    {"set_cancelled", METHOD(f_provider_call_set_cancelled)},
    {"ask", METHOD(f_provider_call_ask)},
    {0}
};

static PyGetSetDef getters_provider_call[] = {
    {"provider", f_provider_call_get_provider, NULL, NULL, NULL},
    {"feature", f_provider_call_get_feature, NULL, NULL, NULL},
    {"name", f_provider_call_get_name, NULL, NULL, NULL},
    {"arguments", f_provider_call_get_arguments, NULL, NULL, NULL},
    {"argument", f_provider_call_get_argument, NULL, NULL, NULL},
    {"value", f_provider_call_get_value, NULL, NULL, NULL},
    {"meta", f_provider_call_get_meta, NULL, NULL, NULL},
    {"dialog_id", f_provider_call_get_dialog_id, NULL, NULL, NULL},
    {"is_cancelled", f_provider_call_is_cancelled, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_request[] = {
    {"respond", METHOD(f_request_respond)},
    {"check", METHOD(f_request_check)},
    {"reject", METHOD(f_request_reject)},
    {0}
};

static PyGetSetDef getters_request[] = {
    {"kind", f_request_get_kind, NULL, NULL, NULL},
    {"source_id", f_request_get_source_id, NULL, NULL, NULL},
    {"server_id", f_request_get_server_id, NULL, NULL, NULL},
    {"dialog_id", f_request_get_dialog_id, NULL, NULL, NULL},
    {"call", f_request_get_call, NULL, NULL, NULL},
    {"message", f_request_get_message, NULL, NULL, NULL},
    {"url", f_request_get_url, NULL, NULL, NULL},
    {"schema", f_request_get_schema, NULL, NULL, NULL},
    {"defaults", f_request_get_defaults, NULL, NULL, NULL},
    {"params", f_request_get_params, NULL, NULL, NULL},
    {"is_open", f_request_is_open, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_resource[] = {
    {0}
};

static PyGetSetDef getters_resource[] = {
    {"uri", f_resource_get_uri, NULL, NULL, NULL},
    {"id", f_resource_get_id, NULL, NULL, NULL},
    {"name", f_resource_get_name, NULL, NULL, NULL},
    {"title", f_resource_get_title, NULL, NULL, NULL},
    {"description", f_resource_get_description, NULL, NULL, NULL},
    {"mime_type", f_resource_get_mime_type, NULL, NULL, NULL},
    {"size", f_resource_get_size, NULL, NULL, NULL},
    {"annotations", f_resource_get_annotations, NULL, NULL, NULL},
    {"definition", f_resource_get_definition, NULL, NULL, NULL},
    {"source_id", f_resource_get_source_id, NULL, NULL, NULL},
    {"server_id", f_resource_get_server_id, NULL, NULL, NULL},
    {"toolset", f_resource_get_toolset, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_resource_template[] = {
    {0}
};

static PyGetSetDef getters_resource_template[] = {
    {"uri_template", f_resource_template_get_uri_template, NULL, NULL, NULL},
    {"id", f_resource_template_get_id, NULL, NULL, NULL},
    {"name", f_resource_template_get_name, NULL, NULL, NULL},
    {"title", f_resource_template_get_title, NULL, NULL, NULL},
    {"description", f_resource_template_get_description, NULL, NULL, NULL},
    {"mime_type", f_resource_template_get_mime_type, NULL, NULL, NULL},
    {"annotations", f_resource_template_get_annotations, NULL, NULL, NULL},
    {"definition", f_resource_template_get_definition, NULL, NULL, NULL},
    {"source_id", f_resource_template_get_source_id, NULL, NULL, NULL},
    {"server_id", f_resource_template_get_server_id, NULL, NULL, NULL},
    {"toolset", f_resource_template_get_toolset, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_result[] = {
    {"count_items", METHOD(f_result_count_items)},
    {"item_get_kind", METHOD(f_result_item_get_kind)},
    {"item_get_json", METHOD(f_result_item_get_json)},
    {"item_get_text", METHOD(f_result_item_get_text)},
    {"item_repeats_structured", METHOD(f_result_item_repeats_structured)},
    {"item_get_mime_type", METHOD(f_result_item_get_mime_type)},
    {"item_get_uri", METHOD(f_result_item_get_uri)},
    {"item_get_role", METHOD(f_result_item_get_role)},
    {"count_values", METHOD(f_result_count_values)},
    {"get_value", METHOD(f_result_get_value)},
    METHODS_RESULT
    {0}
};

static PyGetSetDef getters_result[] = {
    {"json_text", f_result_get_json, NULL, NULL, NULL},
    {"is_error", f_result_is_error, NULL, NULL, NULL},
    {"structured_json", f_result_get_structured, NULL, NULL, NULL},
    {"total", f_result_get_total, NULL, NULL, NULL},
    {"has_more", f_result_has_more, NULL, NULL, NULL},
    {"values", s_result_values, NULL, NULL, NULL},
    GETTERS_RESULT
    {0}
};

static PyMethodDef methods_retry[] = {
    {"set_jitter", METHOD(f_retry_set_jitter)},
    {"judge", METHOD(f_retry_judge)},
    {0}
};

static PyGetSetDef getters_retry[] = {
    {"penalty_ms", f_retry_get_penalty_ms, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_sampling[] = {
    {"count_notes", METHOD(f_sampling_count_notes)},
    {"get_note", METHOD(f_sampling_get_note)},
    {"make_result", METHOD(f_sampling_make_result)},
    {0}
};

static PyGetSetDef getters_sampling[] = {
    {"json", f_sampling_get_json, NULL, NULL, NULL},
    {"notes", s_sampling_notes, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_schema[] = {
    {"set_option", METHOD(f_schema_set_option)},
    {"set_documents", METHOD(f_schema_set_documents)},
    {"add_document", METHOD(f_schema_add_document)},
    {"compile", METHOD(f_schema_compile)},
    {"validate", METHOD(f_schema_validate)},
    {0}
};

static PyGetSetDef getters_schema[] = {
    {0}
};

static PyMethodDef methods_schema_report[] = {
    {"count_errors", METHOD(f_schema_report_count_errors)},
    {"get_instance_path", METHOD(f_schema_report_get_instance_path)},
    {"get_schema_path", METHOD(f_schema_report_get_schema_path)},
    {"get_keyword", METHOD(f_schema_report_get_keyword)},
    {"get_expected", METHOD(f_schema_report_get_expected)},
    {"get_found", METHOD(f_schema_report_get_found)},
    {0}
};

static PyGetSetDef getters_schema_report[] = {
    {"text", f_schema_report_get_text, NULL, NULL, NULL},
    {"json", f_schema_report_get_json, NULL, NULL, NULL},
    {"instance", f_schema_report_get_instance, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_server[] = {
    {"count_tools", METHOD(f_server_count_tools)},
    {"get_tool", METHOD(f_server_get_tool)},
    {"find_tool", METHOD(f_server_find_tool)},
    {"count_app_tools", METHOD(f_server_count_app_tools)},
    {"get_app_tool", METHOD(f_server_get_app_tool)},
    {"count_prompts", METHOD(f_server_count_prompts)},
    {"get_prompt", METHOD(f_server_get_prompt)},
    {"count_resources", METHOD(f_server_count_resources)},
    {"get_resource", METHOD(f_server_get_resource)},
    {"count_resource_templates", METHOD(f_server_count_resource_templates)},
    {"get_resource_template", METHOD(f_server_get_resource_template)},
    {"count_skills", METHOD(f_server_count_skills)},
    {"get_skill", METHOD(f_server_get_skill)},
    {0}
};

static PyGetSetDef getters_server[] = {
    {"source_id", f_server_get_source_id, NULL, NULL, NULL},
    {"id", f_server_get_id, NULL, NULL, NULL},
    {"toolset", f_server_get_toolset, NULL, NULL, NULL},
    {"title", f_server_get_title, NULL, NULL, NULL},
    {"description", f_server_get_description, NULL, NULL, NULL},
    {"instructions", f_server_get_instructions, NULL, NULL, NULL},
    {"icons", f_server_get_icons, NULL, NULL, NULL},
    {"manual", f_server_get_manual, NULL, NULL, NULL},
    {"tools", s_server_tools, NULL, NULL, NULL},
    {"app_tools", s_server_app_tools, NULL, NULL, NULL},
    {"prompts", s_server_prompts, NULL, NULL, NULL},
    {"resources", s_server_resources, NULL, NULL, NULL},
    {"resource_templates", s_server_resource_templates, NULL, NULL, NULL},
    {"skills", s_server_skills, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_serving[] = {
    {"close", METHOD(f_serving_close)},
    {0}
};

static PyGetSetDef getters_serving[] = {
    {"dialog_id", f_serving_get_dialog_id, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_skill[] = {
    {0}
};

static PyGetSetDef getters_skill[] = {
    {"uri", f_skill_get_uri, NULL, NULL, NULL},
    {"name", f_skill_get_name, NULL, NULL, NULL},
    {"description", f_skill_get_description, NULL, NULL, NULL},
    {"frontmatter", f_skill_get_frontmatter, NULL, NULL, NULL},
    {"entry", f_skill_get_entry, NULL, NULL, NULL},
    {"source_id", f_skill_get_source_id, NULL, NULL, NULL},
    {"server_id", f_skill_get_server_id, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_source[] = {
    {"files_new", METHOD(f_files_new)},
    {"goclaw_follow", METHOD(f_goclaw_follow)},
    {"goclaw_load_subagent", METHOD(f_goclaw_load_subagent)},
    {"mcpservers_follow", METHOD(f_mcpservers_follow)},
    {"plugins_new", METHOD(f_plugins_new)},
    {"provider_new", METHOD(f_provider_new)},
    {"set_policy", METHOD(f_source_set_policy)},
    {"get_policy", METHOD(f_source_get_policy)},
    {"set_name_fn", METHOD(f_source_set_name_fn)},
    {"load", METHOD(f_source_load)},
    {"follow_workspace", METHOD(f_source_follow_workspace)},
    {"follow_files", METHOD(f_source_follow_files)},
    {"follow_dir", METHOD(f_source_follow_dir)},
    {"reload", METHOD(f_source_reload)},
    {"restart_server", METHOD(f_source_restart_server)},
    {"set_server_enabled", METHOD(f_source_set_server_enabled)},
    {"remove", METHOD(f_source_remove)},
    {0}
};

static PyGetSetDef getters_source[] = {
    {"id", f_source_get_id, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_subscription[] = {
    {"unsubscribe", METHOD(f_unsubscribe)},
    {0}
};

static PyGetSetDef getters_subscription[] = {
    {"uri", f_subscription_get_uri, NULL, NULL, NULL},
    {"source_id", f_subscription_get_source_id, NULL, NULL, NULL},
    {"server_id", f_subscription_get_server_id, NULL, NULL, NULL},
    {"dialog_id", f_subscription_get_dialog_id, NULL, NULL, NULL},
    {"is_ended", f_subscription_is_ended, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_tool[] = {
    {0}
};

static PyGetSetDef getters_tool[] = {
    {"name", f_tool_get_name, NULL, NULL, NULL},
    {"original_name", f_tool_get_original_name, NULL, NULL, NULL},
    {"source_id", f_tool_get_source_id, NULL, NULL, NULL},
    {"server_id", f_tool_get_server_id, NULL, NULL, NULL},
    {"toolset", f_tool_get_toolset, NULL, NULL, NULL},
    {"title", f_tool_get_title, NULL, NULL, NULL},
    {"description", f_tool_get_description, NULL, NULL, NULL},
    {"input_schema", f_tool_get_input_schema, NULL, NULL, NULL},
    {"output_schema", f_tool_get_output_schema, NULL, NULL, NULL},
    {"annotations", f_tool_get_annotations, NULL, NULL, NULL},
    {"definition", f_tool_get_definition, NULL, NULL, NULL},
    {"visibility", f_tool_get_visibility, NULL, NULL, NULL},
    {"app_uri", f_tool_get_app_uri, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_transform[] = {
    {"add_prefix", METHOD(f_transform_add_prefix)},
    {"add_prefix_replace", METHOD(f_transform_add_prefix_replace)},
    {"add_suffix", METHOD(f_transform_add_suffix)},
    {"add_map", METHOD(f_transform_add_map)},
    {0}
};

static PyGetSetDef getters_transform[] = {
    {0}
};

static PyMethodDef methods_turn[] = {
    {"end", METHOD(f_turn_end)},
    {"get_catalog", METHOD(f_turn_get_catalog)},
    {0}
};

static PyGetSetDef getters_turn[] = {
    {"is_stale", f_turn_is_stale, NULL, NULL, NULL},
    {0}
};

static PyMethodDef methods_view[] = {
    {"dialog_new", METHOD(f_dialog_new)},
    {"files_new_in_view", METHOD(f_files_new_in_view)},
    {"provider_new_in_view", METHOD(f_provider_new_in_view)},
    {"serve_fd", METHOD(f_serve_fd)},
    {"turn_new_view", METHOD(f_turn_new_view)},
    {"invalidate_view", METHOD(f_invalidate_view)},
    {"add_source", METHOD(f_view_add_source)},
    {"remove_source", METHOD(f_view_remove_source)},
    {"show_builtins", METHOD(f_view_show_builtins)},
    {"get_catalog", METHOD(f_view_get_catalog)},
    {"set_builtins", METHOD(f_view_set_builtins)},
    {"remove_builtins", METHOD(f_view_remove_builtins)},
    {"add_builtin", METHOD(f_view_add_builtin)},
    {"add_resource_tools", METHOD(f_view_add_resource_tools)},
    {"remove_builtin", METHOD(f_view_remove_builtin)},
    {"set_toolset_description", METHOD(f_view_set_toolset_description)},
    {"set_grant", METHOD(f_view_set_grant)},
    {0}
};

static PyGetSetDef getters_view[] = {
    {0}
};

PyMethodDef module_generated[] = {
    {"artifact_open", METHOD(f_artifact_open)},
    {"artifact_get_mime_type", METHOD(f_artifact_get_mime_type)},
    {"artifact_list", METHOD(f_artifact_list)},
    {"artifact_delete_all", METHOD(f_artifact_delete_all)},
    {"builtins_new", METHOD(f_builtins_new)},
    {"chatos_check_record", METHOD(f_chatos_check_record)},
    {"config_load_workspace", METHOD(f_config_load_workspace)},
    {"config_load_file", METHOD(f_config_load_file)},
    {"config_load_memory", METHOD(f_config_load_memory)},
    {"config_load", METHOD(f_config_load)},
    {"config_load_dir", METHOD(f_config_load_dir)},
    {"config_new_stdio", METHOD(f_config_new_stdio)},
    {"config_new_http", METHOD(f_config_new_http)},
    {"config_new_sse", METHOD(f_config_new_sse)},
    {"config_file_set_enabled", METHOD(f_config_file_set_enabled)},
    {"enum_get_name", METHOD(f_enum_get_name)},
    {"enum_find_value", METHOD(f_enum_find_value)},
    {"enum_get_value", METHOD(f_enum_get_value)},
    {"enum_count_values", METHOD(f_enum_count_values)},
    {"strerror", METHOD(f_strerror)},
    {"filter_new", METHOD(f_filter_new)},
    {"goclaw_load", METHOD(f_goclaw_load)},
    {"goclaw_make_skills_json", METHOD(f_goclaw_make_skills_json)},
    {"goclaw_builtins_new", METHOD(f_goclaw_builtins_new)},
    {"grant_new", METHOD(f_grant_new)},
    {"new", METHOD(f_new)},
    {"items_parse", METHOD(f_items_parse)},
    {"mcpservers_load", METHOD(f_mcpservers_load)},
    {"check_option", METHOD(f_check_option)},
    {"classify_failure", METHOD(f_classify_failure)},
    {"retry_new", METHOD(f_retry_new)},
    {"sampling_new", METHOD(f_sampling_new)},
    {"schema_new", METHOD(f_schema_new)},
    {"template_check", METHOD(f_template_check)},
    {"template_expand", METHOD(f_template_expand)},
    {"template_match", METHOD(f_template_match)},
    {"transform_new", METHOD(f_transform_new)},
    {"version", METHOD(f_version)},
    {"version_number", METHOD(f_version_number)},
    {0}
};

struct kind_info kinds[N_KINDS] = {
    {"mcphost._core.Chatos", ref_chatos, unref_chatos, methods_chatos, getters_chatos, NULL},
    {"mcphost._core.ChatosRun", ref_chatos_run, unref_chatos_run, methods_chatos_run, getters_chatos_run, NULL},
    {"mcphost._core.Plugins", ref_plugins, unref_plugins, methods_plugins, getters_plugins, NULL},
    {"mcphost._core.PluginRows", ref_plugin_rows, unref_plugin_rows, methods_plugin_rows, getters_plugin_rows, NULL},
    {"mcphost._core.Problems", ref_problems, unref_problems, methods_problems, getters_problems, NULL},
    {"mcphost._core.Status", ref_status, unref_status, methods_status, getters_status, NULL},
    {"mcphost._core.Host", ref_host, unref_host, methods_host, getters_host, NULL},
    {"mcphost._core.Builtins", ref_builtins, unref_builtins, methods_builtins, getters_builtins, NULL},
    {"mcphost._core.Call", ref_call, unref_call, methods_call, getters_call, NULL},
    {"mcphost._core.Catalog", ref_catalog, unref_catalog, methods_catalog, getters_catalog, NULL},
    {"mcphost._core.Config", ref_config, unref_config, methods_config, getters_config, NULL},
    {"mcphost._core.Dialog", ref_dialog, unref_dialog, methods_dialog, getters_dialog, NULL},
    {"mcphost._core.Error", ref_error, unref_error, methods_error, getters_error, NULL},
    {"mcphost._core.Event", ref_event, unref_event, methods_event, getters_event, NULL},
    {"mcphost._core.Filter", ref_filter, unref_filter, methods_filter, getters_filter, NULL},
    {"mcphost._core.Grant", ref_grant, unref_grant, methods_grant, getters_grant, NULL},
    {"mcphost._core.Items", ref_items, unref_items, methods_items, getters_items, NULL},
    {"mcphost._core.Lease", ref_lease, unref_lease, methods_lease, getters_lease, NULL},
    {"mcphost._core.Problem", ref_problem, unref_problem, methods_problem, getters_problem, NULL},
    {"mcphost._core.Projection", ref_projection, unref_projection, methods_projection, getters_projection, NULL},
    {"mcphost._core.Prompt", ref_prompt, unref_prompt, methods_prompt, getters_prompt, NULL},
    {"mcphost._core.Provider", ref_provider, unref_provider, methods_provider, getters_provider, NULL},
    {"mcphost._core.ProviderCall", ref_provider_call, unref_provider_call, methods_provider_call, getters_provider_call, NULL},
    {"mcphost._core.Request", ref_request, unref_request, methods_request, getters_request, NULL},
    {"mcphost._core.Resource", ref_resource, unref_resource, methods_resource, getters_resource, NULL},
    {"mcphost._core.ResourceTemplate", ref_resource_template, unref_resource_template, methods_resource_template, getters_resource_template, NULL},
    {"mcphost._core.Result", ref_result, unref_result, methods_result, getters_result, NULL},
    {"mcphost._core.Retry", ref_retry, unref_retry, methods_retry, getters_retry, NULL},
    {"mcphost._core.Sampling", ref_sampling, unref_sampling, methods_sampling, getters_sampling, NULL},
    {"mcphost._core.Schema", ref_schema, unref_schema, methods_schema, getters_schema, NULL},
    {"mcphost._core.SchemaReport", ref_schema_report, unref_schema_report, methods_schema_report, getters_schema_report, NULL},
    {"mcphost._core.Server", ref_server, unref_server, methods_server, getters_server, NULL},
    {"mcphost._core.Serving", ref_serving, unref_serving, methods_serving, getters_serving, NULL},
    {"mcphost._core.Skill", ref_skill, unref_skill, methods_skill, getters_skill, NULL},
    {"mcphost._core.Source", ref_source, unref_source, methods_source, getters_source, NULL},
    {"mcphost._core.Subscription", ref_subscription, unref_subscription, methods_subscription, getters_subscription, NULL},
    {"mcphost._core.Tool", ref_tool, unref_tool, methods_tool, getters_tool, NULL},
    {"mcphost._core.Transform", ref_transform, unref_transform, methods_transform, getters_transform, NULL},
    {"mcphost._core.Turn", ref_turn, unref_turn, methods_turn, getters_turn, NULL},
    {"mcphost._core.View", ref_view, unref_view, methods_view, getters_view, NULL},
};
