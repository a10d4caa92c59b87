/* SPDX-License-Identifier: MIT
 *
 * handles.hpp - the handles and functions of the C++ interface.
 *
 * Generated from the headers by scripts/bind-cxx.  Include <mcphost/mcphost.hpp>, which
 * includes this header.
 */
#ifndef MCPHOST_CXX_HANDLES_HPP
#define MCPHOST_CXX_HANDLES_HPP

#include <mcphost/cxx/base.hpp>

#include <mcphost/artifact.h>
#include <mcphost/builtins.h>
#include <mcphost/call.h>
#include <mcphost/catalog.h>
#include <mcphost/chatos.h>
#include <mcphost/chatos_run.h>
#include <mcphost/config.h>
#include <mcphost/dialog.h>
#include <mcphost/enum.h>
#include <mcphost/error.h>
#include <mcphost/event.h>
#include <mcphost/files.h>
#include <mcphost/filter.h>
#include <mcphost/goclaw.h>
#include <mcphost/grant.h>
#include <mcphost/host.h>
#include <mcphost/items.h>
#include <mcphost/lease.h>
#include <mcphost/log.h>
#include <mcphost/logins.h>
#include <mcphost/loop.h>
#include <mcphost/mcphost.h>
#include <mcphost/mcpservers.h>
#include <mcphost/plugin.h>
#include <mcphost/plugins.h>
#include <mcphost/policy.h>
#include <mcphost/problem.h>
#include <mcphost/projection.h>
#include <mcphost/provider.h>
#include <mcphost/provider_call.h>
#include <mcphost/request.h>
#include <mcphost/result.h>
#include <mcphost/retry.h>
#include <mcphost/sampling.h>
#include <mcphost/schema.h>
#include <mcphost/serving.h>
#include <mcphost/skill.h>
#include <mcphost/source.h>
#include <mcphost/status.h>
#include <mcphost/subscription.h>
#include <mcphost/task.h>
#include <mcphost/template.h>
#include <mcphost/transform.h>
#include <mcphost/turn.h>
#include <mcphost/types.h>
#include <mcphost/version.h>
#include <mcphost/view.h>

namespace mcphostxx
{
class chatos_ref;
class chatos_run_ref;
class logins_ref;
class plugins_ref;
class plugin_rows_ref;
class problems_ref;
class status_ref;
class host_ref;
class builtins_ref;
class call_ref;
class catalog_ref;
class config_ref;
class dialog_ref;
class event_ref;
class filter_ref;
class grant_ref;
class items_ref;
class lease_ref;
class plugin_ref;
class problem_ref;
class projection_ref;
class prompt_ref;
class provider_ref;
class provider_call_ref;
class request_ref;
class resource_ref;
class resource_template_ref;
class call_result_ref;
class retry_ref;
class sampling_ref;
class schema_ref;
class schema_report_ref;
class server_ref;
class serving_ref;
class skill_ref;
class source_ref;
class subscription_ref;
class tool_ref;
class transform_ref;
class turn_ref;
class view_ref;
class invocation;

using chatos = owned<chatos_ref>;
using chatos_run = owned<chatos_run_ref>;
using logins = owned<logins_ref>;
using plugins = owned<plugins_ref>;
using plugin_rows = owned<plugin_rows_ref>;
using problems = owned<problems_ref>;
using status = owned<status_ref>;
using host = owned<host_ref>;
using builtins = owned<builtins_ref>;
using call = owned<call_ref>;
using catalog = owned<catalog_ref>;
using config = owned<config_ref>;
using dialog = owned<dialog_ref>;
using event = owned<event_ref>;
using filter = owned<filter_ref>;
using grant = owned<grant_ref>;
using items = owned<items_ref>;
using lease = owned<lease_ref>;
using problem = owned<problem_ref>;
using projection = owned<projection_ref>;
using prompt = owned<prompt_ref>;
using provider = owned<provider_ref>;
using provider_call = owned<provider_call_ref>;
using request = owned<request_ref>;
using resource = owned<resource_ref>;
using resource_template = owned<resource_template_ref>;
using call_result = owned<call_result_ref>;
using retry = owned<retry_ref>;
using sampling = owned<sampling_ref>;
using schema = owned<schema_ref>;
using schema_report = owned<schema_report_ref>;
using server = owned<server_ref>;
using serving = owned<serving_ref>;
using skill = owned<skill_ref>;
using source = owned<source_ref>;
using subscription = owned<subscription_ref>;
using tool = owned<tool_ref>;
using transform = owned<transform_ref>;
using turn = owned<turn_ref>;
using view = owned<view_ref>;

/* ---- functions of the application ---- */

/* mcphost_artifact_fn(): Handle one artifact of a directory. */
using artifact_function = std::function<outcome(std::string_view path, std::uint64_t size,
                                                std::int64_t mtime_ms)>;

/* mcphost_builtin_fn(): Carry out a call of a built-in tool. */
using builtin_function =
    std::function<outcome(call_ref call, std::string_view arguments)>;

/* mcphost_done_fn(): Handle the end of a call. */
using done_function = std::function<void(call_ref call)>;

/* mcphost_progress_fn(): Handle a progress message of a call. */
using progress_function = std::function<void(call_ref call, double progress, double total,
                                             std::string_view message)>;

/* mcphost_before_call_fn(): Decide whether a call of a tool may be carried out. */
using before_call_function = std::function<outcome(call_ref call)>;

/* mcphost_trace_context_fn(): Give a call its trace context before the call is
 * sent. */
using trace_context_function = std::function<void(call_ref call)>;

/* mcphost_cancelled_fn(): Handle the end of a call that the tool has not
 * answered. */
using cancelled_function = std::function<void(call_ref call)>;

/* mcphost_chatos_scan_fn(): Handles the end of a scan. */
using chatos_scan_function = std::function<void(chatos_ref chatos)>;

/* mcphost_chatos_put_fn(): Stores a record under its name. */
using chatos_put_function =
    std::function<outcome(int kind, std::string_view name, std::string_view json)>;

/* mcphost_event_fn(): Receive an event. */
using event_function = std::function<void(event_ref event)>;

/* mcphost_log_fn(): Receive one log line. */
using log_function = std::function<void(int level, std::string_view room,
                                        std::string_view server, std::string_view line)>;

/* mcphost_token_load_fn(): Load a record of the application's store of tokens. */
using token_load_function =
    std::function<outcome(std::string_view key, char *buffer, std::size_t size)>;

/* mcphost_token_save_fn(): Save or remove a record of the application's store of
 * tokens. */
using token_save_function = std::function<outcome(
    std::string_view key, std::string_view old, std::string_view text)>;

/* mcphost_token_next_fn(): Find the next key of the application's store of
 * tokens. */
using token_next_function =
    std::function<outcome(std::string_view after, char *buffer, std::size_t size)>;

/* mcphost_provide_fn(): Carry out a request. */
using provide_function = std::function<outcome(provider_call_ref call)>;

/* mcphost_setup_fn(): Set up a provider. */
using setup_function = std::function<outcome(provider_ref provider)>;

/* mcphost_teardown_fn(): Tear a provider down. */
using teardown_function = std::function<void(provider_ref provider)>;

/* mcphost_answered_fn(): Receive the answer to a request of a provider. */
using answered_function =
    std::function<void(provider_call_ref call, int code, std::string_view json,
                       const mcphostxx::error &error)>;

/* mcphost_unwanted_fn(): Stop the work on an answer that is not wanted any more. */
using unwanted_function = std::function<void(provider_call_ref call)>;

/* mcphost_sampler_fn(): Answer a sampling request. */
using sampler_function = std::function<void(request_ref request)>;

/* mcphost_schema_document_fn(): Supply a document that was not added. */
using schema_document_function =
    std::function<outcome(schema_ref schema, std::string_view uri)>;

/* mcphost_name_fn(): Make the name of a tool or prompt. */
using name_function = std::function<outcome(
    std::string_view server_id, std::string_view name, char *buffer, std::size_t size)>;

/* ---- handles ---- */

/* chatos_ref - a mcphost_chatos pointer without a reference. */
class chatos_ref
{
  public:
    using handle_type = mcphost_chatos;

    chatos_ref() noexcept = default;
    explicit chatos_ref(mcphost_chatos *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_chatos *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(chatos_ref a, chatos_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(chatos_ref a, chatos_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<chatos_ref> ref() const noexcept;

    /* mcphost_chatos_new(): Make a registry without apps. */
    static mcphostxx::result<owned<chatos_ref>> create(host_ref host);

    /* mcphost_chatos_set_dir(): Set a directory of the registry. */
    mcphostxx::result<void> set_dir(int dir, const mcphostxx::text &path = nullptr) const;

    /* mcphost_chatos_set_flags(): Set the flags of the registry. */
    mcphostxx::result<void> set_flags(std::uint64_t flags) const;

    /* mcphost_chatos_set_admin(): Set the application's own list of servers and
     * prompts. */
    mcphostxx::result<void> set_admin(std::string_view json) const;

    /* mcphost_chatos_scan(): Read the folders of plugins again. */
    mcphostxx::result<void> scan(chatos_scan_function done = {}) const;

    /* mcphost_chatos_wait(): Dispatch until no scan is under way. */
    mcphostxx::result<int> wait(std::int64_t timeout_ms) const;

    /* mcphost_chatos_list_apps(): List the apps and the errors of the last scan. */
    mcphostxx::result<owned_text> list_apps() const;

    /* mcphost_chatos_get_contribution(): Get everything that one app contributes. */
    mcphostxx::result<owned_text> contribution(const mcphostxx::text &plugin,
                                               const mcphostxx::text &app) const;

    /* mcphost_chatos_get_config(): Get the apps' own servers as a configuration. */
    mcphostxx::result<owned<config_ref>> config(int flow) const;

    /* mcphost_chatos_follow(): Have a source follow the apps' own servers. */
    mcphostxx::result<void> follow(source_ref source, int flow) const;

    /* mcphost_chatos_check_record(): Check an agent's record of the apps that the
     * agent has selected. */
    static mcphostxx::result<void> check_record(std::string_view json);

    /* mcphost_chatos_inject(): Give a view the servers and prompts that an agent has
     * selected, for one run. */
    mcphostxx::result<owned<chatos_run_ref>>
    inject(view_ref view, std::string_view record, int flow,
           const mcphostxx::text &language = nullptr) const;

    /* mcphost_chatos_sync(): Have the application store the servers and prompts of
     * the apps. */
    mcphostxx::result<int> sync(chatos_put_function put) const;

  protected:
    static void drop(mcphost_chatos *p) noexcept { mcphost_chatos_unref(p); }
    mcphost_chatos *p_ = nullptr;
};

/* chatos_run_ref - a mcphost_chatos_run pointer without a reference. */
class chatos_run_ref
{
  public:
    using handle_type = mcphost_chatos_run;

    chatos_run_ref() noexcept = default;
    explicit chatos_run_ref(mcphost_chatos_run *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_chatos_run *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(chatos_run_ref a, chatos_run_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(chatos_run_ref a, chatos_run_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<chatos_run_ref> ref() const noexcept;

    /* mcphost_chatos_run_get_json(): Get the servers and prompts of the run. */
    std::string_view json() const;

    /* mcphost_chatos_run_end(): Remove the servers of the run from its view. */
    mcphostxx::result<void> end() const;

  protected:
    static void drop(mcphost_chatos_run *p) noexcept { mcphost_chatos_run_unref(p); }
    mcphost_chatos_run *p_ = nullptr;
};

/* logins_ref - a mcphost_logins pointer without a reference. */
class logins_ref
{
  public:
    using handle_type = mcphost_logins;

    logins_ref() noexcept = default;
    explicit logins_ref(mcphost_logins *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_logins *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(logins_ref a, logins_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(logins_ref a, logins_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<logins_ref> ref() const noexcept;

    /* mcphost_logins_count(): Returns the number of rows. */
    std::size_t count() const;

    /* mcphost_logins_get_server_id(): Returns the id of a server whose URL the login
     * serves, or "SOURCE:SERVER" for a server of another source than the default
     * source, or NULL if the login serves no server of a loaded configuration or
     * `index` is too large. */
    std::string_view server_id(std::size_t index) const;

    /* mcphost_logins_get_issuer(): Returns the authorization server, a URL, or NULL
     * if `index` is too large. */
    std::string_view issuer(std::size_t index) const;

    /* mcphost_logins_get_resource(): Returns the URL that names the MCP server to
     * the authorization server, or NULL if `index` is too large. */
    std::string_view resource(std::size_t index) const;

    /* mcphost_logins_get_account(): Returns the label of the account (the key
     * `auth.account`), or "" for the default account, or NULL if `index` is too
     * large. */
    std::string_view account(std::size_t index) const;

    /* mcphost_logins_get_scope(): Returns the granted scopes, separated by blanks,
     * or NULL if the scopes are not known or `index` is too large. */
    std::string_view scope(std::size_t index) const;

    /* mcphost_logins_get_expires_s(): Returns the seconds from the snapshot until
     * the token expires, or 0 if the token has expired, or -1 if the time is not
     * known or `index` is too large. */
    std::int64_t expires_s(std::size_t index) const;

    /* mcphost_logins_get_state(): Returns the state of the login, one of
     * MCPHOST_LOGIN_*, or 0 if `index` is too large. */
    int state(std::size_t index) const;

  protected:
    static void drop(mcphost_logins *p) noexcept { mcphost_logins_unref(p); }
    mcphost_logins *p_ = nullptr;
};

/* plugins_ref - a mcphost_plugins pointer without a reference. */
class plugins_ref
{
  public:
    using handle_type = mcphost_plugins;

    plugins_ref() noexcept = default;
    explicit plugins_ref(mcphost_plugins *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_plugins *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(plugins_ref a, plugins_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(plugins_ref a, plugins_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<plugins_ref> ref() const noexcept;

    /* mcphost_plugins_new(): Create a handle for the plugins of a directory. */
    static mcphostxx::result<owned<plugins_ref>> create(source_ref source,
                                                        const mcphostxx::text &dir);

    /* mcphost_plugins_set_config(): Set which plugins are disabled, and their
     * settings. */
    mcphostxx::result<void> set_config(std::string_view json) const;

    /* mcphost_plugins_set_only(): Use one plugin of the directory, and ignore all
     * other plugins. */
    mcphostxx::result<void> set_only(const mcphostxx::text &id = nullptr) const;

    /* mcphost_plugins_set_reload(): Set how the library notices changes of the
     * directory. */
    mcphostxx::result<void> set_reload(int mode) const;

    /* mcphost_plugins_scan(): Load the plugins of the directory, and begin to follow
     * the directory. */
    mcphostxx::result<void> scan() const;

    /* mcphost_plugins_wait(): Dispatch until there is nothing left to do for the
     * plugins. */
    mcphostxx::result<int> wait(std::int64_t timeout_ms) const;

    /* mcphost_plugins_close(): End all plugins. */
    mcphostxx::result<void> close() const;

    /* mcphost_plugins_get_rows(): Get a snapshot of the plugins. */
    mcphostxx::result<owned<plugin_rows_ref>> rows() const;

  protected:
    static void drop(mcphost_plugins *p) noexcept { mcphost_plugins_unref(p); }
    mcphost_plugins *p_ = nullptr;
};

/* plugin_rows_ref - a mcphost_plugin_rows pointer without a reference. */
class plugin_rows_ref
{
  public:
    using handle_type = mcphost_plugin_rows;

    plugin_rows_ref() noexcept = default;
    explicit plugin_rows_ref(mcphost_plugin_rows *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_plugin_rows *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(plugin_rows_ref a, plugin_rows_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(plugin_rows_ref a, plugin_rows_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<plugin_rows_ref> ref() const noexcept;

    /* mcphost_plugin_rows_count(): Returns the number of rows, one for each plugin. */
    std::size_t count() const;

    /* mcphost_plugin_rows_get_id(): Returns the id of the plugin and of its server,
     * or NULL if `index` is past the end. */
    std::string_view id(std::size_t index) const;

    /* mcphost_plugin_rows_get_kind(): Returns the kind of the plugin,
     * MCPHOST_PLUGIN_*, or 0 if the file was never loaded or if `index` is past the
     * end. */
    int kind(std::size_t index) const;

    /* mcphost_plugin_rows_get_file(): Returns the path of the plugin's file, or NULL
     * if `index` is past the end. */
    std::string_view file(std::size_t index) const;

    /* mcphost_plugin_rows_get_state(): Returns the state of the plugin, one of
     * MCPHOST_PLUGIN_STATE_*, or 0 if `index` is past the end. */
    int state(std::size_t index) const;

    /* mcphost_plugin_rows_get_error(): Returns the error that explains why the
     * library refused the plugin's file or why the plugin's setup failed, or NULL if
     * the plugin has no error or if `index` is past the end. */
    mcphostxx::error error(std::size_t index) const;

    /* mcphost_plugin_rows_make_json(): Get all rows as JSON. */
    mcphostxx::result<owned_text> make_json() const;

  protected:
    static void drop(mcphost_plugin_rows *p) noexcept { mcphost_plugin_rows_unref(p); }
    mcphost_plugin_rows *p_ = nullptr;
};

/* problems_ref - a mcphost_problems pointer without a reference. */
class problems_ref
{
  public:
    using handle_type = mcphost_problems;

    problems_ref() noexcept = default;
    explicit problems_ref(mcphost_problems *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_problems *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(problems_ref a, problems_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(problems_ref a, problems_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<problems_ref> ref() const noexcept;

    /* mcphost_problems_get_version(): Returns the version number of the snapshot. */
    std::uint64_t version() const;

    /* mcphost_problems_count(): Returns the number of problems in the snapshot. */
    std::size_t count() const;

    /* mcphost_problems_get(): Returns the problem at `index`, or NULL if `index` is
     * past the end. */
    owned<problem_ref> at(std::size_t index) const;

    /* mcphost_problems_find(): Returns the problem with the id `id`, or NULL if the
     * snapshot has no problem with this id. */
    owned<problem_ref> find(const mcphostxx::text &id) const;

    /* mcphost_problems_make_json(): Write a snapshot as JSON. */
    mcphostxx::result<owned_text> make_json() const;

  protected:
    static void drop(mcphost_problems *p) noexcept { mcphost_problems_unref(p); }
    mcphost_problems *p_ = nullptr;
};

/* status_ref - a mcphost_status pointer without a reference. */
class status_ref
{
  public:
    using handle_type = mcphost_status;

    status_ref() noexcept = default;
    explicit status_ref(mcphost_status *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_status *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(status_ref a, status_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(status_ref a, status_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<status_ref> ref() const noexcept;

    /* mcphost_status_make_json(): Write a snapshot as JSON. */
    mcphostxx::result<owned_text> make_json() const;

    /* mcphost_status_count_servers(): Returns the number of rows of servers. */
    std::size_t count_servers() const;

    /* mcphost_status_server_get_source_id(): Returns the id of the source of the
     * server in the row at `index`, or NULL for the default source or if `index` is
     * past the end. */
    std::string_view server_source_id(std::size_t index) const;

    /* mcphost_status_server_get_id(): Returns the id of the server in the row at
     * `index`, or NULL if `index` is past the end. */
    std::string_view server_id(std::size_t index) const;

    /* mcphost_status_server_get_transport(): Returns the transport of the server,
     * MCPHOST_TRANSPORT_*, or 0 if `index` is past the end. */
    int server_transport(std::size_t index) const;

    /* mcphost_status_server_get_state(): Returns the state of the server,
     * MCPHOST_SERVER_*, or 0 if `index` is past the end. */
    int server_state(std::size_t index) const;

    /* mcphost_status_server_get_era(): Returns the era of the protocol version that
     * the host and the server have agreed on, MCPHOST_ERA_*, or MCPHOST_ERA_AUTO if
     * the version is not known yet or `index` is past the end. */
    int server_era(std::size_t index) const;

    /* mcphost_status_server_get_version(): Returns the protocol version that the
     * host and the server have agreed on, such as "2025-11-25", or NULL if the
     * version is not known yet or `index` is past the end. */
    std::string_view server_version(std::size_t index) const;

    /* mcphost_status_server_get_pid(): Returns the pid of the process that serves
     * all dialogs, or of the process that listed the tools and that no dialog uses
     * yet, or 0 if neither process exists or `index` is past the end. */
    std::int64_t server_pid(std::size_t index) const;

    /* mcphost_status_server_get_containment(): Returns the mode of containment of
     * the server process that the host has started last, MCPHOST_CONTAINMENT_*, or
     * MCPHOST_CONTAINMENT_AUTO if the host has started no process, the server is
     * disabled or at a URL, or `index` is past the end. */
    int server_containment(std::size_t index) const;

    /* mcphost_status_server_count_tools(): Returns the number of the server's tools
     * in the catalog, or 0 if `index` is past the end. */
    std::size_t server_count_tools(std::size_t index) const;

    /* mcphost_status_server_has_tools(): Find out whether the server offers tools at
     * all. */
    int server_has_tools(std::size_t index) const;

    /* mcphost_status_server_get_start_ms(): Returns the milliseconds that the first
     * successful start, the handshake and the first list took together, or -1 if the
     * first list is not complete yet or `index` is past the end. */
    std::int64_t server_start_ms(std::size_t index) const;

    /* mcphost_status_server_get_latency_ms(): Returns the milliseconds that the
     * server took to answer the last request of the handshake or of a list, or -1 if
     * the server has answered no request yet or `index` is past the end. */
    std::int64_t server_latency_ms(std::size_t index) const;

    /* mcphost_status_server_get_error(): Get the reason for the state. */
    mcphostxx::error server_error(std::size_t index) const;

    /* mcphost_status_server_make_json(): Write the row of one server as JSON. */
    mcphostxx::result<owned_text> server_make_json(std::size_t index) const;

    /* mcphost_status_count_leases(): Returns the number of rows of leases. */
    std::size_t count_leases() const;

    /* mcphost_status_lease_get_source_id(): Returns the id of the source of the
     * server in the row at `index`, or NULL for the default source or if `index` is
     * past the end. */
    std::string_view lease_source_id(std::size_t index) const;

    /* mcphost_status_lease_get_server_id(): Returns the id of the server in the row
     * at `index`, or NULL if `index` is past the end. */
    std::string_view lease_server_id(std::size_t index) const;

    /* mcphost_status_lease_get_dialog_id(): Returns the id of the dialog that has
     * the lease, or NULL if the host itself has the lease, on a client for all
     * dialogs, or if `index` is past the end. */
    std::string_view lease_dialog_id(std::size_t index) const;

    /* mcphost_status_lease_get_scope(): Returns the scope of the client, as
     * mcphost_lease_get_scope() returns it, or -1 if `index` is past the end. */
    int lease_scope(std::size_t index) const;

    /* mcphost_status_lease_get_scope_key(): Returns the key of the scope, as
     * mcphost_lease_get_scope_key() returns it, or NULL if `index` is past the end. */
    std::string_view lease_scope_key(std::size_t index) const;

    /* mcphost_status_lease_get_pid(): Returns the pid of the server process that the
     * client talks to, or 0 if the server has no process, the pid is not known, or
     * `index` is past the end. */
    std::int64_t lease_pid(std::size_t index) const;

    /* mcphost_status_lease_get_state(): Returns the state of the client,
     * MCPHOST_INSTANCE_*, or 0 if `index` is past the end. */
    int lease_state(std::size_t index) const;

    /* mcphost_status_lease_count_in_flight(): Returns the number of the client's
     * calls, including calls that wait and calls of other dialogs, or 0 if `index`
     * is past the end. */
    std::size_t lease_count_in_flight(std::size_t index) const;

    /* mcphost_status_lease_get_since_ms(): Returns the time when the lease began, in
     * milliseconds since 1970, or 0 if `index` is past the end. */
    std::int64_t lease_since_ms(std::size_t index) const;

  protected:
    static void drop(mcphost_status *p) noexcept { mcphost_status_unref(p); }
    mcphost_status *p_ = nullptr;
};

/* host_ref - a mcphost pointer without a reference. */
class host_ref
{
  public:
    using handle_type = mcphost;

    host_ref() noexcept = default;
    explicit host_ref(mcphost *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(host_ref a, host_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(host_ref a, host_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<host_ref> ref() const noexcept;

    /* mcphost_set_before_call(): Set the function that decides about calls of tools. */
    mcphostxx::result<void> set_before_call(before_call_function fn = {}) const;

    /* mcphost_set_trace_context(): Set the function that gives calls their trace
     * context. */
    mcphostxx::result<void> set_trace_context(trace_context_function fn = {}) const;

    /* mcphost_set_event(): Set the function that receives the events of a host. */
    mcphostxx::result<void> set_event(event_function fn = {}) const;

    /* mcphost_set_toolset_flags(): Set how grants may give a toolset. */
    mcphostxx::result<void> set_toolset_flags(const mcphostxx::text &toolset,
                                              std::uint64_t flags) const;

    /* mcphost_use_team(): Follow a team file. */
    mcphostxx::result<void> use_team(const mcphostxx::text &file = nullptr) const;

    /* mcphost_get_team_view(): Get the view of a member of the team. */
    mcphostxx::result<owned<view_ref>> team_view(const mcphostxx::text &member) const;

    /* mcphost_new(): Make a host. */
    static mcphostxx::result<owned<host_ref>> create();

    /* mcphost_close(): Begin to end the host in good order. */
    mcphostxx::result<void> close() const;

    /* mcphost_close_within(): End the host in good order, with a deadline. */
    mcphostxx::result<void> close_within(std::int64_t timeout_ms) const;

    /* mcphost_set_identity(): Set the name by which the host introduces itself. */
    mcphostxx::result<void> set_identity(const mcphostxx::text &name,
                                         const mcphostxx::text &version,
                                         const mcphostxx::text &title = nullptr) const;

    /* mcphost_set_guard_path(): Set the path of mcphost-guard, under which servers
     * run. */
    mcphostxx::result<void> set_guard_path(const mcphostxx::text &path) const;

    /* mcphost_set_spool_dir(): Set the directory for messages that are too large for
     * memory. */
    mcphostxx::result<void> set_spool_dir(const mcphostxx::text &dir) const;

    /* mcphost_set_environment(): Replace the environment that servers inherit. */
    mcphostxx::result<void> set_environment(const text_list &environment = nullptr) const;

    /* mcphost_set_env(): Set one variable for servers, or hide it. */
    mcphostxx::result<void> set_env(const mcphostxx::text &name,
                                    const mcphostxx::text &value = nullptr) const;

    /* mcphost_set_admin_env(): Decide which variables a model may change. */
    mcphostxx::result<void> set_admin_env(const text_list &refused = nullptr,
                                          const text_list &allowed = nullptr) const;

    /* mcphost_set_credential(): Set a header for servers at URLs, such as
     * Authorization. */
    mcphostxx::result<void> set_credential(const mcphostxx::text &server,
                                           const mcphostxx::text &origin,
                                           const mcphostxx::text &name,
                                           const mcphostxx::text &value = nullptr) const;

    /* mcphost_forget_credentials(): Forget the answers to
     * MCPHOST_REQUEST_CREDENTIALS. */
    mcphostxx::result<void>
    forget_credentials(const mcphostxx::text &server = nullptr) const;

    /* mcphost_load_workspace(): Follow the configuration file of a workspace. */
    mcphostxx::result<void> load_workspace(const mcphostxx::text &dir,
                                           const mcphostxx::text &file = nullptr) const;

    /* mcphost_load(): Start the servers that a configuration declares. */
    mcphostxx::result<void> load(config_ref config) const;

    /* mcphost_reload(): Read again the files that the host follows. */
    mcphostxx::result<void> reload() const;

    /* mcphost_restart_server(): Start a server anew although its configuration has
     * not changed. */
    mcphostxx::result<void> restart_server(const mcphostxx::text &server_id) const;

    /* mcphost_set_server_enabled(): Write `enabled` of a server into the file that
     * is followed. */
    mcphostxx::result<void> set_server_enabled(const mcphostxx::text &server_id,
                                               bool enabled) const;

    /* mcphost_get_order_serial(): Get the serial of the last order. */
    std::uint64_t order_serial() const;

    /* mcphost_set_verdicts(): Give the host verdicts of an earlier run. */
    mcphostxx::result<void> set_verdicts(std::string_view salt,
                                         std::string_view json) const;

    /* mcphost_get_verdicts(): Get the verdicts on servers as JSON. */
    mcphostxx::result<owned_text> verdicts(std::string_view salt) const;

    /* mcphost_set_log(): Set the function that receives log lines. */
    mcphostxx::result<void> set_log(int level, log_function fn = {}) const;

    /* mcphost_set_token_store(): Set where the host keeps tokens. */
    mcphostxx::result<void>
    set_token_store(int store, const mcphostxx::text &directory = nullptr) const;

    /* mcphost_set_token_callbacks(): Have the application keep the tokens. */
    /* mcphost_set_token_callbacks(): Have the application keep the tokens.  `old` and `text`
     * are empty where the functions of C get NULL. */
    mcphostxx::result<void> set_token_callbacks(token_load_function load,
                                                token_save_function save,
                                                token_next_function next) const;

    /* mcphost_get_logins(): Take a snapshot of the logins in the host's store. */
    mcphostxx::result<owned<logins_ref>> logins() const;

    /* mcphost_log_out(): Remove the tokens of a server. */
    mcphostxx::result<void> log_out(const mcphostxx::text &server) const;

    /* mcphost_get_fd(): Get the descriptor to poll for input. */
    mcphostxx::result<int> fd() const;

    /* mcphost_dispatch(): Carry out the work that is due, without blocking. */
    mcphostxx::result<int> dispatch() const;

    /* mcphost_wait(): Sleep until work is due, and carry it out. */
    mcphostxx::result<int> wait(std::int64_t timeout_ms) const;

    /* mcphost_wait_ready(): Dispatch until every server of all sources has come up
     * or failed. */
    mcphostxx::result<int> wait_ready(std::int64_t timeout_ms) const;

    /* mcphost_wake(): End a wait. */
    mcphostxx::result<void> wake() const;

    /* mcphost_set_driven(): Declare that a loop polls the descriptor. */
    mcphostxx::result<void> set_driven(bool driven) const;

    /* mcphost_thread_start(): Let a thread of the library dispatch. */
    mcphostxx::result<void> thread_start() const;

    /* mcphost_thread_stop(): End the thread of mcphost_thread_start() and wait for
     * it. */
    mcphostxx::result<void> thread_stop() const;

    /* mcphost_thread_is_current(): Say whether the thread of mcphost_thread_start()
     * makes the call. */
    bool thread_is_current() const;

    /* mcphost_set_option(): Set an option of a host. */
    mcphostxx::result<void> set_option(int option, std::int64_t value) const;

    /* mcphost_get_option(): Get the value of an option. */
    mcphostxx::result<std::int64_t> option(int option) const;

    /* mcphost_get_problems(): Take a snapshot of the active problems. */
    mcphostxx::result<owned<problems_ref>> problems() const;

    /* mcphost_select_problems(): Take a snapshot of some of the problems, also of
     * resolved problems. */
    mcphostxx::result<owned<problems_ref>>
    select_problems(std::uint64_t flags, const mcphostxx::text &id_prefix = nullptr,
                    const mcphostxx::text &server_id = nullptr) const;

    /* mcphost_forget_problem(): Remove a resolved problem from the history. */
    mcphostxx::result<void> forget_problem(const mcphostxx::text &id = nullptr) const;

    /* mcphost_set_sampler(): Set one function that answers all sampling requests. */
    mcphostxx::result<void> set_sampler(sampler_function fn = {}) const;

    /* mcphost_roots_changed(): Report that the roots have changed. */
    mcphostxx::result<void> roots_changed() const;

    /* mcphost_default_source(): Returns the default source of the host, or NULL if
     * `host` is NULL. */
    owned<source_ref> default_source() const;

    /* mcphost_get_status(): Take a snapshot of the servers and leases of a host. */
    mcphostxx::result<owned<status_ref>> status() const;

    /* mcphost_invalidate_agent(): Have the files read for the next turn of an agent. */
    mcphostxx::result<void> invalidate_agent(const mcphostxx::text &agent) const;

    /* mcphost_default_view(): Returns the host's default view, or NULL if `host` is
     * NULL. */
    owned<view_ref> default_view() const;

    /* Closes the host and waits until the host has ended.  If another thread dispatches,
     * that thread must go on until mcphost_dispatch() returns MCPHOST_E_CLOSED.  In a
     * callback, returns MCPHOST_E_BUSY after it has closed the host. */
    mcphostxx::result<void> end() const
    {
        int r = mcphost_close(p_);
        while (r >= 0)
            r = mcphost_wait(p_, -1);
        if (r == MCPHOST_E_WOKEN)
            return end();
        if (r != MCPHOST_E_CLOSED)
            return mcphostxx::error(r);
        return {};
    }

  protected:
    static void drop(mcphost *p) noexcept { mcphost_unref(p); }
    mcphost *p_ = nullptr;
};

/* builtins_ref - a mcphost_builtins pointer without a reference. */
class builtins_ref
{
  public:
    using handle_type = mcphost_builtins;

    builtins_ref() noexcept = default;
    explicit builtins_ref(mcphost_builtins *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_builtins *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(builtins_ref a, builtins_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(builtins_ref a, builtins_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<builtins_ref> ref() const noexcept;

    /* mcphost_builtins_new(): Make an empty block of built-in tools. */
    static mcphostxx::result<owned<builtins_ref>> create(const mcphostxx::text &owner);

    /* mcphost_builtins_get_owner(): Returns the owner of the block, or NULL if
     * `builtins` is NULL. */
    std::string_view owner() const;

    /* mcphost_builtins_add_tool(): Add a tool. */
    mcphostxx::result<void> add_tool(std::string_view definition,
                                     builtin_function fn) const;

    /* mcphost_builtins_add_toolset(): Add a toolset of tools that the block has. */
    mcphostxx::result<void> add_toolset(const mcphostxx::text &toolset,
                                        const mcphostxx::text &description,
                                        const text_list &tools) const;

  protected:
    static void drop(mcphost_builtins *p) noexcept { mcphost_builtins_unref(p); }
    mcphost_builtins *p_ = nullptr;
};

/* call_ref - a mcphost_call pointer without a reference. */
class call_ref
{
  public:
    using handle_type = mcphost_call;

    call_ref() noexcept = default;
    explicit call_ref(mcphost_call *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_call *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(call_ref a, call_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(call_ref a, call_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<call_ref> ref() const noexcept;

    /* mcphost_call_new(): Create a call of a tool in the dialog's catalog. */
    static mcphostxx::result<owned<call_ref>> create(dialog_ref dialog,
                                                     const mcphostxx::text &tool,
                                                     std::string_view arguments = {});

    /* mcphost_call_new_tool(): Create a call of a tool from an earlier catalog. */
    static mcphostxx::result<owned<call_ref>>
    create_tool(dialog_ref dialog, tool_ref tool, std::string_view arguments = {});

    /* mcphost_call_new_app_tool(): Create a call that an app of a server asks for. */
    static mcphostxx::result<owned<call_ref>>
    create_app_tool(dialog_ref dialog, const mcphostxx::text &server,
                    const mcphostxx::text &tool, std::string_view arguments = {});

    /* mcphost_call_new_read(): Create a call that reads a resource
     * (`resources/read`). */
    static mcphostxx::result<owned<call_ref>> create_read(dialog_ref dialog,
                                                          const mcphostxx::text &server,
                                                          const mcphostxx::text &uri);

    /* mcphost_call_new_prompt(): Create a call that gets a prompt (`prompts/get`). */
    static mcphostxx::result<owned<call_ref>>
    create_prompt(dialog_ref dialog, const mcphostxx::text &name,
                  std::string_view arguments = {});

    /* mcphost_call_new_complete_template(): Create a call that asks for values of a
     * variable in a URI template (`completion/complete`). */
    static mcphostxx::result<owned<call_ref>>
    create_complete_template(dialog_ref dialog, const mcphostxx::text &server,
                             const mcphostxx::text &uri_template,
                             const mcphostxx::text &argument,
                             const mcphostxx::text &value, std::string_view context = {});

    /* mcphost_call_new_complete_prompt(): Create a call that asks for values of an
     * argument of a prompt (`completion/complete`). */
    static mcphostxx::result<owned<call_ref>>
    create_complete_prompt(dialog_ref dialog, const mcphostxx::text &name,
                           const mcphostxx::text &argument, const mcphostxx::text &value,
                           std::string_view context = {});

    /* mcphost_call_set_timeout(): Limit how long the call may take. */
    mcphostxx::result<void> set_timeout(std::int64_t timeout_ms, bool reset_on_progress,
                                        std::int64_t max_ms) const;

    /* mcphost_call_set_progress(): Ask the server for progress messages. */
    mcphostxx::result<void> set_progress(progress_function fn = {}) const;

    /* mcphost_call_set_request(): State that the call helps to answer a sampling
     * request. */
    mcphostxx::result<void> set_request(request_ref request) const;

    /* mcphost_call_set_meta(): Set members of the request's `_meta`. */
    mcphostxx::result<void> set_meta(std::string_view json) const;

    /* mcphost_call_set_user_data(): Keep a pointer of the application with the call. */
    void set_user_data(void *data) const;

    /* mcphost_call_get_user_data(): Keep a pointer of the application with the call. */
    void *user_data() const;

    /* mcphost_call_start(): Start the call. */
    mcphostxx::result<void> start(done_function done = {}) const;

    /* mcphost_call_cancel(): Cancel a call. */
    mcphostxx::result<void> cancel() const;

    /* mcphost_call_wait(): Dispatch until the call has ended. */
    mcphostxx::result<int> wait(std::int64_t timeout_ms) const;

    /* mcphost_call_is_done(): Returns 1 if the call has ended, else 0. */
    bool is_done() const;

    /* mcphost_call_get_result(): Returns the result of the call, or NULL if the call
     * has not ended or has failed. */
    owned<call_result_ref> result() const;

    /* mcphost_call_get_error(): Returns the error with which the call ended, or NULL
     * if the call has not ended or has a result. */
    mcphostxx::error error() const;

    /* mcphost_call_get_tool(): Returns the tool that is called, or NULL if the call
     * still waits for the tool (MCPHOST_OPT_WAIT_STARTING) or is not a call of a
     * tool. */
    owned<tool_ref> tool() const;

    /* mcphost_call_get_dialog_id(): Returns the id of the dialog that the call
     * belongs to. */
    std::string_view dialog_id() const;

    /* mcphost_call_get_arguments(): Returns the arguments as the tool gets them, a
     * JSON object, or NULL if the call is not a call of a tool. */
    std::string_view arguments() const;

    /* mcphost_call_set_trace_context(): Set the trace context of a call. */
    mcphostxx::result<void>
    set_trace_context(const mcphostxx::text &traceparent = nullptr,
                      const mcphostxx::text &tracestate = nullptr,
                      const mcphostxx::text &baggage = nullptr) const;

    /* mcphost_call_allow(): Carry out a call that waits for the application's
     * decision. */
    mcphostxx::result<void> allow() const;

    /* mcphost_call_refuse(): End a call that waits for the application's decision. */
    mcphostxx::result<void> refuse(std::string_view text) const;

    /* mcphost_call_answer(): End a call of a built-in tool with a text. */
    mcphostxx::result<void> answer(std::string_view text, bool is_error) const;

    /* mcphost_call_answer_result(): End a call of a built-in tool with a whole
     * result. */
    mcphostxx::result<void> answer_result(std::string_view json) const;

    /* mcphost_call_report_progress(): Report the progress of a call of a built-in
     * tool. */
    mcphostxx::result<void> report_progress(double progress, double total,
                                            std::string_view message = {}) const;

    /* mcphost_call_is_cancelled(): Find out whether a built-in tool should stop its
     * work. */
    bool is_cancelled() const;

    /* mcphost_call_set_cancelled(): Set a function that runs if a tool's call is
     * cancelled. */
    mcphostxx::result<void> set_cancelled(cancelled_function fn) const;

    /* mcphost_call_make_items(): Make the items of a conversation from a call's
     * result. */
    mcphostxx::result<owned<items_ref>> make_items() const;

    /* mcphost_call_new_in_turn(): Create a call of a tool in the catalog of a turn. */
    static mcphostxx::result<owned<call_ref>>
    create_in_turn(dialog_ref dialog, turn_ref turn, const mcphostxx::text &tool,
                   std::string_view arguments = {});

    /* mcphost_call_new_get_skill(): Create a call that gets the entry of a skill
     * (`skills/get`). */
    static mcphostxx::result<owned<call_ref>> create_skill(dialog_ref dialog,
                                                           const mcphostxx::text &server,
                                                           const mcphostxx::text &uri);

    /* mcphost_call_new_read_skill(): Create a call that reads a file of a skill. */
    static mcphostxx::result<owned<call_ref>>
    create_read_skill(dialog_ref dialog, const mcphostxx::text &server,
                      std::string_view entry, const mcphostxx::text &file = nullptr);

    /* mcphost_call_new_read_directory(): Create a call that lists a directory
     * (`resources/directory/read`). */
    static mcphostxx::result<owned<call_ref>>
    create_read_directory(dialog_ref dialog, const mcphostxx::text &server,
                          const mcphostxx::text &uri,
                          const mcphostxx::text &cursor = nullptr);

    /* mcphost_call_set_task(): Ask the server to run the call as a task. */
    mcphostxx::result<void> set_task(std::int64_t ttl_ms) const;

    /* mcphost_call_resume_task(): Create a call that waits for an existing task. */
    static mcphostxx::result<owned<call_ref>> resume_task(dialog_ref dialog,
                                                          const mcphostxx::text &server,
                                                          const mcphostxx::text &task_id);

    /* mcphost_call_new_get_task(): Create a call that asks once for the status of a
     * task (`tasks/get`). */
    static mcphostxx::result<owned<call_ref>> create_task(dialog_ref dialog,
                                                          const mcphostxx::text &server,
                                                          const mcphostxx::text &task_id);

    /* mcphost_call_new_update_task(): Create a call that answers questions of a task
     * (`tasks/update`). */
    static mcphostxx::result<owned<call_ref>>
    create_update_task(dialog_ref dialog, const mcphostxx::text &server,
                       const mcphostxx::text &task_id, std::string_view responses);

    /* mcphost_call_new_cancel_task(): Create a call that cancels a task
     * (`tasks/cancel`). */
    static mcphostxx::result<owned<call_ref>>
    create_cancel_task(dialog_ref dialog, const mcphostxx::text &server,
                       const mcphostxx::text &task_id);

    /* mcphost_call_get_task_id(): Returns the id that the server gave the task, or
     * NULL if the call has no task (yet). */
    std::string_view task_id() const;

    /* mcphost_call_get_task_status(): Returns the last status that the server
     * reported, one of MCPHOST_TASK_*. */
    int task_status() const;

    /* mcphost_call_get_task_ttl(): Returns how long the server keeps the task,
     * counted from the beginning of the task, in ms, or -1 if the server did not
     * send this time. */
    std::int64_t task_ttl() const;

    /* mcphost_call_get_task_interval(): Returns the time that the server wants
     * between two requests for the status of the task, in ms, or -1 if the server
     * did not send this time. */
    std::int64_t task_interval() const;

  protected:
    static void drop(mcphost_call *p) noexcept { mcphost_call_unref(p); }
    mcphost_call *p_ = nullptr;
};

/* catalog_ref - a mcphost_catalog pointer without a reference. */
class catalog_ref
{
  public:
    using handle_type = mcphost_catalog;

    catalog_ref() noexcept = default;
    explicit catalog_ref(mcphost_catalog *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_catalog *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(catalog_ref a, catalog_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(catalog_ref a, catalog_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<catalog_ref> ref() const noexcept;

    /* mcphost_catalog_get_version(): Get the version of this snapshot. */
    std::uint64_t version() const;

    /* mcphost_catalog_find_tool(): Find a tool by the name that the model uses. */
    owned<tool_ref> find_tool(const mcphostxx::text &name) const;

    /* mcphost_catalog_count_tools(): Returns the number of tools in the catalog. */
    std::size_t count_tools() const;

    /* mcphost_catalog_get_tool(): Returns the tool at `index`, or NULL if `index` is
     * past the end. */
    owned<tool_ref> tool(std::size_t index) const;

    /* mcphost_catalog_count_toolsets(): Returns the number of toolsets in the
     * catalog. */
    std::size_t count_toolsets() const;

    /* mcphost_catalog_get_toolset(): Returns the name of the toolset at `index`, or
     * NULL if `index` is past the end. */
    std::string_view toolset(std::size_t index) const;

    /* mcphost_catalog_find_toolset(): Find the index of a toolset by its name. */
    mcphostxx::result<std::size_t> find_toolset(const mcphostxx::text &name) const;

    /* mcphost_catalog_get_toolset_owner(): Returns the id of the server that has the
     * toolset at `index`, or NULL if the toolset is built in or `index` is past the
     * end. */
    std::string_view toolset_owner(std::size_t index) const;

    /* mcphost_catalog_get_toolset_description(): Get the description of a toolset. */
    std::string_view toolset_description(std::size_t index) const;

    /* mcphost_catalog_count_toolset_tools(): Returns the number of tools of the
     * toolset at `index`, or 0 if `index` is past the end. */
    std::size_t count_toolset_tools(std::size_t index) const;

    /* mcphost_catalog_get_toolset_tool(): Returns the tool at `tool_index` in the
     * toolset at `index`, or NULL if one of the indices is past the end. */
    owned<tool_ref> toolset_tool(std::size_t index, std::size_t tool_index) const;

    /* mcphost_catalog_get_tools_json(): Get the tools as a JSON array. */
    mcphostxx::result<std::string_view>
    tools_json(int shape, const mcphostxx::text &toolset = nullptr) const;

    /* mcphost_catalog_count_servers(): Returns the number of servers in the catalog. */
    std::size_t count_servers() const;

    /* mcphost_catalog_get_server(): Returns the server at `index`, or NULL if
     * `index` is past the end. */
    owned<server_ref> server(std::size_t index) const;

    /* mcphost_catalog_find_server(): Find a server by its id. */
    owned<server_ref> find_server(const mcphostxx::text &id) const;

    /* mcphost_catalog_count_prompts(): Returns the number of prompts in the catalog. */
    std::size_t count_prompts() const;

    /* mcphost_catalog_get_prompt(): Returns the prompt at `index`, or NULL past the
     * end. */
    owned<prompt_ref> prompt(std::size_t index) const;

    /* mcphost_catalog_find_prompt(): Returns the prompt of this name, or NULL if no
     * prompt has this name. */
    owned<prompt_ref> find_prompt(const mcphostxx::text &name) const;

    /* mcphost_catalog_get_prompts_json(): Get the prompts as a JSON array. */
    mcphostxx::result<std::string_view>
    prompts_json(const mcphostxx::text &toolset = nullptr) const;

    /* mcphost_catalog_count_resources(): Returns the number of resources in the
     * catalog. */
    std::size_t count_resources() const;

    /* mcphost_catalog_get_resource(): Returns the resource at `index`, or NULL past
     * the end. */
    owned<resource_ref> resource(std::size_t index) const;

    /* mcphost_catalog_find_resource(): Find a resource by its server and its URI. */
    owned<resource_ref> find_resource(const mcphostxx::text &server,
                                      const mcphostxx::text &uri) const;

    /* mcphost_catalog_get_resources_json(): Get the resources as a JSON array. */
    mcphostxx::result<std::string_view>
    resources_json(const mcphostxx::text &toolset = nullptr) const;

    /* mcphost_catalog_count_resource_templates(): Returns the number of resource
     * templates in the catalog. */
    std::size_t count_resource_templates() const;

    /* mcphost_catalog_get_resource_template(): Returns the resource template at
     * `index`, or NULL past the end. */
    owned<resource_template_ref> resource_template(std::size_t index) const;

    /* mcphost_catalog_find_resource_template(): Find a resource template by server
     * and text. */
    owned<resource_template_ref>
    find_resource_template(const mcphostxx::text &server,
                           const mcphostxx::text &uri_template) const;

    /* mcphost_catalog_get_resource_templates_json(): Get the templates as a JSON
     * array. */
    mcphostxx::result<std::string_view>
    resource_templates_json(const mcphostxx::text &toolset = nullptr) const;

    /* mcphost_catalog_count_missing(): Count the names in the view's grant that gave
     * nothing. */
    std::size_t count_missing() const;

    /* mcphost_catalog_get_missing(): Get a name in the view's grant that gave
     * nothing. */
    /* A name in the grant that gave nothing, and the reason, MCPHOST_LACK_*. */
    struct missing_name {
        std::string_view name;
        bool is_tool;
        int lack;
    };
    missing_name missing(std::size_t index) const noexcept
    {
        int is_tool = 0, lack = 0;
        const char *name = mcphost_catalog_get_missing(p_, index, &is_tool, &lack);
        return {detail::view(name), is_tool != 0, lack};
    }

    /* mcphost_catalog_find_projected(): Find a tool by its name in a projection. */
    owned<tool_ref> find_projected(int profile, std::size_t name_max,
                                   const mcphostxx::text &name) const;

    /* mcphost_catalog_count_skills(): Returns the number of skills in the catalog. */
    std::size_t count_skills() const;

    /* mcphost_catalog_get_skill(): Returns the skill at `index`, or NULL past the
     * end. */
    owned<skill_ref> skill(std::size_t index) const;

    /* mcphost_catalog_find_skill(): Find a skill by its server and its URI. */
    owned<skill_ref> find_skill(const mcphostxx::text &server,
                                const mcphostxx::text &uri) const;

  protected:
    static void drop(mcphost_catalog *p) noexcept { mcphost_catalog_unref(p); }
    mcphost_catalog *p_ = nullptr;
};

/* config_ref - a mcphost_config pointer without a reference. */
class config_ref
{
  public:
    using handle_type = mcphost_config;

    config_ref() noexcept = default;
    explicit config_ref(mcphost_config *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_config *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(config_ref a, config_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(config_ref a, config_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<config_ref> ref() const noexcept;

    /* mcphost_config_load_workspace(): Read DIR/.minds/mcp.yaml. */
    static mcphostxx::result<owned<config_ref>>
    load_workspace(const mcphostxx::text &dir);

    /* mcphost_config_load_file(): Read the configuration file `path`. */
    static mcphostxx::result<owned<config_ref>>
    load_file(const mcphostxx::text &path, const mcphostxx::text &workspace = nullptr);

    /* mcphost_config_load_memory(): Parse `len` bytes of YAML. */
    static mcphostxx::result<owned<config_ref>>
    load_memory(std::string_view data = {}, const mcphostxx::text &name = nullptr,
                const mcphostxx::text &workspace = nullptr);

    /* mcphost_config_load(): Read a configuration whose servers may have the given
     * transports. */
    static mcphostxx::result<owned<config_ref>> load(std::string_view data,
                                                     const mcphostxx::text &file,
                                                     const mcphostxx::text &workspace,
                                                     unsigned transports);

    /* mcphost_config_load_dir(): Read the files of a directory as one configuration. */
    static mcphostxx::result<owned<config_ref>> load_dir(const mcphostxx::text &dir,
                                                         const mcphostxx::text &workspace,
                                                         unsigned transports);

    /* mcphost_config_new_stdio(): Make a configuration of one stdio server, without
     * a file. */
    static mcphostxx::result<owned<config_ref>>
    create_stdio(const mcphostxx::text &id, const text_list &argv,
                 const mcphostxx::text &workspace = nullptr);

    /* mcphost_config_new_http(): Make a configuration of one server at a URL,
     * without a file. */
    static mcphostxx::result<owned<config_ref>>
    create_http(const mcphostxx::text &id, const mcphostxx::text &url,
                const text_list &headers = nullptr,
                const mcphostxx::text &workspace = nullptr);

    /* mcphost_config_new_sse(): Make a configuration of one server that speaks
     * HTTP+SSE of 2024-11-05, without a file. */
    static mcphostxx::result<owned<config_ref>>
    create_sse(const mcphostxx::text &id, const mcphostxx::text &url,
               const text_list &headers = nullptr,
               const mcphostxx::text &workspace = nullptr);

    /* mcphost_config_set_era(): Set which revisions of the protocol the server
     * speaks. */
    mcphostxx::result<void> set_era(int era) const;

    /* mcphost_config_pick_server(): Make a configuration of one server of another
     * configuration. */
    mcphostxx::result<owned<config_ref>> pick_server(const mcphostxx::text &id) const;

    /* mcphost_config_get_status(): Say whether the configuration as a whole is
     * accepted. */
    int status() const;

    /* mcphost_config_get_file(): Returns the name of the file that was read (the
     * name that the caller gave, or the path of .minds/mcp.yaml), or NULL if the
     * configuration does not come from a single file. */
    std::string_view file() const;

    /* mcphost_config_get_workspace(): Returns the absolute path of the directory
     * against which relative paths are resolved. */
    std::string_view workspace() const;

    /* mcphost_config_count_servers(): Returns the number of servers in the
     * configuration, including invalid and disabled servers. */
    std::size_t count_servers() const;

    /* mcphost_config_find_server(): Find the index of a server by its id. */
    mcphostxx::result<std::size_t> find_server(const mcphostxx::text &id) const;

    /* mcphost_config_server_get_id(): Returns the id of the server at `index`, or
     * NULL if `index` is too large. */
    std::string_view server_id(std::size_t index) const;

    /* mcphost_config_server_get_state(): Get the state of a server's entry. */
    mcphostxx::result<int> server_state(std::size_t index) const;

    /* mcphost_config_server_get_transport(): Get the transport of a server. */
    int server_transport(std::size_t index) const;

    /* mcphost_config_server_get_file(): Returns the name of the file that declares
     * the server, or NULL if no file declares the server or if `index` is too large. */
    std::string_view server_file(std::size_t index) const;

    /* mcphost_config_server_get_line(): Returns the line at which the entry of the
     * server begins, counted from 1, or 0 if the entry was not read from a text or
     * if `index` is too large. */
    int server_line(std::size_t index) const;

    /* mcphost_config_server_get_hash(): Make one of the two hashes of a valid
     * server. */
    mcphostxx::result<std::string> server_hash(std::size_t index, int which,
                                               std::string_view key) const
    {
        char hex[65] = "";
        int r = mcphost_config_server_get_hash(p_, index, which, detail::data(key),
                                               key.size(), hex);
        if (r < 0)
            return mcphostxx::error(r);
        return std::string(hex);
    }

    /* mcphost_config_server_compare(): Compare a server's entry before and after an
     * edit. */
    /* The action that an edit requires, and the keys that differ. */
    struct server_change {
        int change;
        std::string keys;
    };
    mcphostxx::result<server_change> server_compare(config_ref to,
                                                    const mcphostxx::text &id) const;

    /* mcphost_config_server_make_json(): Show the keys that are set in a server's
     * entry. */
    mcphostxx::result<owned_text> server_make_json(std::size_t index) const;

    /* mcphost_config_file_set_enabled(): Write `enabled` of one server into a file. */
    static mcphostxx::result<int> file_set_enabled(const mcphostxx::text &path,
                                                   const mcphostxx::text &id,
                                                   bool enabled);

    /* mcphost_config_count_diagnostics(): Returns the number of diagnostics of the
     * configuration. */
    std::size_t count_diagnostics() const;

    /* mcphost_config_diagnostic_get_severity(): Get the severity of a diagnostic. */
    mcphostxx::result<int> diagnostic_severity(std::size_t index) const;

    /* mcphost_config_diagnostic_get_message(): Returns the message of the
     * diagnostic, or NULL if `index` is too large. */
    std::string_view diagnostic_message(std::size_t index) const;

    /* mcphost_config_diagnostic_get_key(): Returns the key path of the diagnostic,
     * as in "servers.web.args[1]", or "" if the diagnostic is about the whole file,
     * or NULL if `index` is too large. */
    std::string_view diagnostic_key(std::size_t index) const;

    /* mcphost_config_diagnostic_get_server_id(): Returns the id of the server that
     * the diagnostic is about, or NULL if the diagnostic is about no server or if
     * `index` is too large. */
    std::string_view diagnostic_server_id(std::size_t index) const;

    /* mcphost_config_diagnostic_get_file(): Returns the name of the file or of the
     * text that the diagnostic is about, or NULL if `index` is too large. */
    std::string_view diagnostic_file(std::size_t index) const;

    /* mcphost_config_diagnostic_get_line(): Get the place that a diagnostic is
     * about. */
    int diagnostic_line(std::size_t index) const;

    /* mcphost_config_diagnostic_get_column(): Get the place that a diagnostic is
     * about. */
    int diagnostic_column(std::size_t index) const;

  protected:
    static void drop(mcphost_config *p) noexcept { mcphost_config_unref(p); }
    mcphost_config *p_ = nullptr;
};

/* dialog_ref - a mcphost_dialog pointer without a reference. */
class dialog_ref
{
  public:
    using handle_type = mcphost_dialog;

    dialog_ref() noexcept = default;
    explicit dialog_ref(mcphost_dialog *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_dialog *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(dialog_ref a, dialog_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(dialog_ref a, dialog_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<dialog_ref> ref() const noexcept;

    /* mcphost_dialog_new(): Open a dialog on a view. */
    static mcphostxx::result<owned<dialog_ref>>
    create(view_ref view, const mcphostxx::text &id,
           const mcphostxx::text &root_id = nullptr);

    /* mcphost_dialog_close(): End the dialog. */
    mcphostxx::result<void> close() const;

    /* mcphost_dialog_get_id(): Returns the dialog's id. */
    std::string_view id() const;

    /* mcphost_dialog_get_root_id(): Returns the `root_id` of mcphost_dialog_new(),
     * or the dialog's own id if `root_id` was NULL. */
    std::string_view root_id() const;

    /* mcphost_dialog_set_agent(): Set the agent, or the workspace, of the dialog. */
    mcphostxx::result<void> set_agent(const mcphostxx::text &agent) const;

    /* mcphost_dialog_set_workspace(): Set the agent, or the workspace, of the
     * dialog. */
    mcphostxx::result<void> set_workspace(const mcphostxx::text &workspace) const;

    /* mcphost_dialog_get_agent(): Returns the dialog's agent, or NULL if no agent is
     * set or the process is a forked child. */
    std::string_view agent() const;

    /* mcphost_dialog_get_workspace(): Returns the dialog's workspace, or NULL if no
     * workspace is set or the process is a forked child. */
    std::string_view workspace() const;

    /* mcphost_dialog_get_catalog(): Get the catalog of the tools that this dialog
     * may call now. */
    mcphostxx::result<owned<catalog_ref>> catalog() const;

    /* mcphost_dialog_begin_turn(): Begin a turn of a dialog that has one turn at a
     * time. */
    mcphostxx::result<void> begin_turn() const;

    /* mcphost_dialog_end_turn(): End the turn that mcphost_dialog_begin_turn()
     * began. */
    mcphostxx::result<void> end_turn() const;

    /* mcphost_dialog_set_user_data(): Keeps a pointer of the application with the
     * dialog. */
    void set_user_data(void *data) const;

    /* mcphost_dialog_get_user_data(): Returns the pointer that
     * mcphost_dialog_set_user_data() has set last, or NULL. */
    void *user_data() const;

    /* mcphost_dialog_set_artifact_dir(): Set the directory for the dialog's
     * artifacts. */
    mcphostxx::result<void> set_artifact_dir(const mcphostxx::text &dir,
                                             std::uint64_t quota) const;

    /* mcphost_dialog_get_lease(): Find the dialog's lease on a server. */
    mcphostxx::result<owned<lease_ref>> lease(const mcphostxx::text &server_id) const;

    /* mcphost_dialog_report_rejection(): Report that a provider refused a request of
     * the dialog. */
    mcphostxx::result<void> report_rejection(const mcphostxx::text &provider,
                                             std::string_view text) const;

    /* mcphost_dialog_resume(): Resume a stopped dialog after the decision of a
     * person. */
    mcphostxx::result<void> resume() const;

    /* mcphost_dialog_report_success(): Report that a provider answered the dialog. */
    mcphostxx::result<void> report_success() const;

    /* mcphost_dialog_get_run_state(): Returns the dialog's run state, MCPHOST_RUN_*. */
    int run_state() const;

    /* mcphost_dialog_get_stop_reason(): Get the reason why a dialog is stopped. */
    mcphostxx::result<owned_text> stop_reason() const;

    /* mcphost_subscribe(): Subscribe a dialog to the changes of a resource. */
    mcphostxx::result<owned<subscription_ref>>
    subscribe(const mcphostxx::text &server, const mcphostxx::text &uri) const;

    /* Prepares a call of a tool.  Use `co_await dialog.call(...)` or
     * `dialog.call(...).wait()`, as in <mcphost/cxx/await.hpp>. */
    invocation call(const mcphostxx::text &tool, std::string_view arguments = {}) const;

  protected:
    static void drop(mcphost_dialog *p) noexcept { mcphost_dialog_unref(p); }
    mcphost_dialog *p_ = nullptr;
};

/* event_ref - a mcphost_event pointer without a reference. */
class event_ref
{
  public:
    using handle_type = mcphost_event;

    event_ref() noexcept = default;
    explicit event_ref(mcphost_event *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_event *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(event_ref a, event_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(event_ref a, event_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<event_ref> ref() const noexcept;

    /* mcphost_event_get_kind(): Returns the kind of the event, one of
     * MCPHOST_EVENT_*. */
    int kind() const;

    /* mcphost_event_get_source_id(): Returns the id of the source that the event or
     * the event's server belongs to, or NULL if the event belongs to the default
     * source or to no source. */
    std::string_view source_id() const;

    /* mcphost_event_get_server_id(): Returns the id of the server that the event is
     * about, or NULL if the event is about no server. */
    std::string_view server_id() const;

    /* mcphost_event_get_dialog_id(): Returns the id of the dialog that the event is
     * about, or NULL if the event is about no single dialog. */
    std::string_view dialog_id() const;

    /* mcphost_event_get_state(): Returns the state that the event reports. */
    int state() const;

    /* mcphost_event_get_pid(): Returns the pid of the server's process, or 0 if the
     * event is about no process. */
    std::int64_t pid() const;

    /* mcphost_event_get_version(): Returns the version of the new catalog, or 0 if
     * the event is not about a catalog. */
    std::uint64_t version() const;

    /* mcphost_event_get_serial(): Returns the serial of the last order that is
     * settled, or 0 for other kinds of events. */
    std::uint64_t serial() const;

    /* mcphost_event_get_call(): Returns the call that the event is about, or NULL if
     * the event is about no call. */
    owned<call_ref> call() const;

    /* mcphost_event_get_problem(): Returns the problem that the event is about, or
     * NULL for other kinds of events. */
    owned<problem_ref> problem() const;

    /* mcphost_event_get_config(): Returns the configuration that the event is about,
     * or NULL for other kinds of events. */
    owned<config_ref> config() const;

    /* mcphost_event_get_request(): Returns the request that the event is about, or
     * NULL for other kinds of events. */
    owned<request_ref> request() const;

    /* mcphost_event_get_subscription(): Returns the subscription that the event is
     * about, or NULL for other kinds of events. */
    owned<subscription_ref> subscription() const;

    /* mcphost_event_get_uri(): Returns the URI of the resource of the subscription,
     * or NULL if the event is not about a subscription. */
    std::string_view uri() const;

    /* mcphost_event_get_count(): Returns the number of changes of the resource since
     * the last event of this kind for the subscription, or 0 for other kinds of
     * events. */
    std::uint64_t count() const;

    /* mcphost_event_get_error(): Returns the error that the event reports, or NULL
     * if the event reports no error. */
    mcphostxx::error error() const;

    /* mcphost_event_get_text(): Returns the text of the event, or NULL if the event
     * has no text. */
    std::string_view text() const;

    /* mcphost_event_get_level(): Returns the level of a log message of the protocol,
     * such as "info", or NULL if the event is not about a log message of the
     * protocol. */
    std::string_view level() const;

    /* mcphost_event_get_data(): Get the data of a log message of the protocol. */
    std::string_view data() const;

    /* mcphost_event_get_progress(): Returns the progress of the call so far, in a
     * unit that the server chooses, or 0 for other kinds of events. */
    double progress() const;

    /* mcphost_event_get_total(): Returns the total in the unit of
     * mcphost_event_get_progress(), or NaN if the server did not send a total, or 0
     * for other kinds of events. */
    double total() const;

  protected:
    static void drop(mcphost_event *p) noexcept { mcphost_event_unref(p); }
    mcphost_event *p_ = nullptr;
};

/* filter_ref - a mcphost_filter pointer without a reference. */
class filter_ref
{
  public:
    using handle_type = mcphost_filter;

    filter_ref() noexcept = default;
    explicit filter_ref(mcphost_filter *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_filter *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(filter_ref a, filter_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(filter_ref a, filter_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<filter_ref> ref() const noexcept;

    /* mcphost_filter_new(): Make an empty filter. */
    static mcphostxx::result<owned<filter_ref>> create();

    /* mcphost_filter_add_whitelist(): Add a pattern. */
    mcphostxx::result<void> add_whitelist(const mcphostxx::text &pattern) const;

    /* mcphost_filter_add_blacklist(): Add a pattern. */
    mcphostxx::result<void> add_blacklist(const mcphostxx::text &pattern) const;

    /* mcphost_filter_match(): Decide whether a tool of this name passes. */
    /* A verdict MCPHOST_FILTER_*, and its pattern or an empty text. */
    struct verdict {
        int code;
        std::string_view pattern;
    };
    mcphostxx::result<verdict> match(const mcphostxx::text &name) const
    {
        if (int bad = detail::fault(name))
            return mcphostxx::error(bad);
        const char *pattern = nullptr;
        int r = mcphost_filter_match(p_, name.c_str(), &pattern);
        if (r < 0)
            return mcphostxx::error(r);
        return verdict{r, detail::view(pattern)};
    }

  protected:
    static void drop(mcphost_filter *p) noexcept { mcphost_filter_unref(p); }
    mcphost_filter *p_ = nullptr;
};

/* grant_ref - a mcphost_grant pointer without a reference. */
class grant_ref
{
  public:
    using handle_type = mcphost_grant;

    grant_ref() noexcept = default;
    explicit grant_ref(mcphost_grant *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_grant *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(grant_ref a, grant_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(grant_ref a, grant_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<grant_ref> ref() const noexcept;

    /* mcphost_grant_new(): Make an empty grant. */
    static mcphostxx::result<owned<grant_ref>> create();

    /* mcphost_grant_add_toolset(): Give or exclude toolsets. */
    mcphostxx::result<void> add_toolset(const mcphostxx::text &text) const;

    /* mcphost_grant_add_tool(): Give or exclude a single tool. */
    mcphostxx::result<void> add_tool(const mcphostxx::text &text) const;

  protected:
    static void drop(mcphost_grant *p) noexcept { mcphost_grant_unref(p); }
    mcphost_grant *p_ = nullptr;
};

/* items_ref - a mcphost_items pointer without a reference. */
class items_ref
{
  public:
    using handle_type = mcphost_items;

    items_ref() noexcept = default;
    explicit items_ref(mcphost_items *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_items *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(items_ref a, items_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(items_ref a, items_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<items_ref> ref() const noexcept;

    /* mcphost_items_parse(): Make items from their recorded JSON. */
    static mcphostxx::result<owned<items_ref>>
    parse(std::string_view json, const mcphostxx::text &dir = nullptr);

    /* mcphost_items_is_error(): Returns 1 if `isError` of the result or of the
     * recorded object is true, else 0. */
    bool is_error() const;

    /* mcphost_items_get_json(): Returns the items as a JSON array. */
    std::string_view json() const;

    /* mcphost_items_get_text(): Get the items as plain text. */
    std::string_view text() const;

    /* mcphost_items_make_parts(): Convert the items to parts of a message to a
     * model. */
    mcphostxx::result<owned_text> make_parts(int shape, std::uint64_t max_bytes) const;

    /* mcphost_items_make_user_parts(): Make the parts of the user message that
     * follows the tool message. */
    mcphostxx::result<owned_text> make_user_parts(int shape,
                                                  std::uint64_t max_bytes) const;

  protected:
    static void drop(mcphost_items *p) noexcept { mcphost_items_unref(p); }
    mcphost_items *p_ = nullptr;
};

/* lease_ref - a mcphost_lease pointer without a reference. */
class lease_ref
{
  public:
    using handle_type = mcphost_lease;

    lease_ref() noexcept = default;
    explicit lease_ref(mcphost_lease *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_lease *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(lease_ref a, lease_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(lease_ref a, lease_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<lease_ref> ref() const noexcept;

    /* mcphost_lease_release(): End a lease. */
    mcphostxx::result<void> release_lease() const;

    /* mcphost_lease_get_source_id(): Returns the id of the server's source, or NULL
     * for the default source. */
    std::string_view source_id() const;

    /* mcphost_lease_get_server_id(): Returns the id of the server. */
    std::string_view server_id() const;

    /* mcphost_lease_get_dialog_id(): Returns the id of the dialog. */
    std::string_view dialog_id() const;

    /* mcphost_lease_get_scope(): Finds out which dialogs share the client. */
    int scope() const;

    /* mcphost_lease_get_scope_key(): Gets the dialog, agent or workspace that the
     * client serves. */
    std::string_view scope_key() const;

  protected:
    static void drop(mcphost_lease *p) noexcept { mcphost_lease_unref(p); }
    mcphost_lease *p_ = nullptr;
};

/* plugin_ref - a mcphost_plugin pointer, valid while the plugin is loaded. */
class plugin_ref
{
  public:
    using handle_type = mcphost_plugin;

    plugin_ref() noexcept = default;
    explicit plugin_ref(mcphost_plugin *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_plugin *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(plugin_ref a, plugin_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(plugin_ref a, plugin_ref b) noexcept { return a.p_ != b.p_; }

    /* mcphost_plugin_declare(): Declare the interface, the kind and the functions of
     * a plugin. */
    /* The functions are C functions, because the plugin's ABI contains them. */
    mcphostxx::result<void> declare(int kind, mcphost_setup_fn setup,
                                    mcphost_teardown_fn teardown = nullptr) const
    {
        int r = mcphost_plugin_declare(p_, MCPHOST_PLUGIN_ABI, kind, setup, teardown);
        if (r < 0)
            return mcphostxx::error(r);
        return {};
    }

  protected:
    mcphost_plugin *p_ = nullptr;
};

/* problem_ref - a mcphost_problem pointer without a reference. */
class problem_ref
{
  public:
    using handle_type = mcphost_problem;

    problem_ref() noexcept = default;
    explicit problem_ref(mcphost_problem *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_problem *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(problem_ref a, problem_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(problem_ref a, problem_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<problem_ref> ref() const noexcept;

    /* mcphost_problem_get_id(): Returns the id of the problem, such as
     * "mcp/server/web/server_error". */
    std::string_view id() const;

    /* mcphost_problem_get_kind(): Returns the kind of the problem, such as
     * "mcp_server_error". mcphost(7) lists all kinds. */
    std::string_view kind() const;

    /* mcphost_problem_get_severity(): Returns the severity of the problem,
     * MCPHOST_SEVERITY_*. */
    int severity() const;

    /* mcphost_problem_get_message(): Returns the message of the problem, one line
     * for people. */
    std::string_view message() const;

    /* mcphost_problem_get_source_id(): Returns the id of the source that has the
     * problem, or NULL for the default source and for problems of no source. */
    std::string_view source_id() const;

    /* mcphost_problem_get_server_id(): Returns the id of the server that has the
     * problem, or NULL if the problem belongs to no server. */
    std::string_view server_id() const;

    /* mcphost_problem_get_detail(): Get the details for programs. */
    std::string_view detail() const;

    /* mcphost_problem_get_first_seen_ms(): Returns the time when the host first saw
     * the problem, in milliseconds since 1970. */
    std::int64_t first_seen_ms() const;

    /* mcphost_problem_get_last_seen_ms(): Returns the time when the host last saw
     * the problem, in milliseconds since 1970. */
    std::int64_t last_seen_ms() const;

    /* mcphost_problem_is_resolved(): Returns 1 if the problem is resolved, or 0 if
     * the problem is active. */
    bool is_resolved() const;

    /* mcphost_problem_get_resolved_ms(): Returns the time when the problem was
     * resolved, in milliseconds since 1970, or -1 if the problem is active. */
    std::int64_t resolved_ms() const;

    /* mcphost_problem_make_json(): Write a problem as a JSON object. */
    mcphostxx::result<owned_text> make_json() const;

  protected:
    static void drop(mcphost_problem *p) noexcept { mcphost_problem_unref(p); }
    mcphost_problem *p_ = nullptr;
};

/* projection_ref - a mcphost_projection pointer without a reference. */
class projection_ref
{
  public:
    using handle_type = mcphost_projection;

    projection_ref() noexcept = default;
    explicit projection_ref(mcphost_projection *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_projection *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(projection_ref a, projection_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(projection_ref a, projection_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<projection_ref> ref() const noexcept;

    /* mcphost_projection_new(): Convert the tools of a catalog for a provider. */
    static mcphostxx::result<owned<projection_ref>>
    create(catalog_ref catalog, int shape, int profile, std::size_t name_max);

    /* mcphost_projection_get_json(): Returns the converted tools as a JSON array. */
    std::string_view json() const;

    /* mcphost_projection_count_problems(): Returns the number of problems with tools
     * that were left out, shortened or not sent as strict. */
    std::size_t count_problems() const;

    /* mcphost_projection_get_problem(): Get a problem, in the order of the tools. */
    owned<problem_ref> problem(std::size_t index) const;

    /* mcphost_projection_get_name(): Returns the name that the tool has in the
     * projection, or NULL if the projection does not have the tool. */
    std::string_view name(tool_ref tool) const;

    /* mcphost_projection_find_tool(): Returns the tool that has this name in the
     * projection, or NULL if the projection has no tool of this name. */
    owned<tool_ref> find_tool(const mcphostxx::text &name) const;

    /* mcphost_projection_restore_arguments(): Convert a model's arguments to the
     * arguments that the server expects. */
    mcphostxx::result<owned_text> restore_arguments(tool_ref tool,
                                                    std::string_view json) const;

  protected:
    static void drop(mcphost_projection *p) noexcept { mcphost_projection_unref(p); }
    mcphost_projection *p_ = nullptr;
};

/* prompt_ref - a mcphost_prompt pointer without a reference. */
class prompt_ref
{
  public:
    using handle_type = mcphost_prompt;

    prompt_ref() noexcept = default;
    explicit prompt_ref(mcphost_prompt *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_prompt *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(prompt_ref a, prompt_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(prompt_ref a, prompt_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<prompt_ref> ref() const noexcept;

    /* mcphost_prompt_get_name(): Returns the prompt's name in the catalog. */
    std::string_view name() const;

    /* mcphost_prompt_get_original_name(): Returns the name that the server gave the
     * prompt. */
    std::string_view original_name() const;

    /* mcphost_prompt_get_title(): Returns the title of the prompt, or the title in
     * its annotations if the prompt has no title, or NULL if both are missing. */
    std::string_view title() const;

    /* mcphost_prompt_get_description(): Returns the description, or NULL if the
     * prompt has no description. */
    std::string_view description() const;

    /* mcphost_prompt_get_arguments(): Returns the arguments that the prompt takes, a
     * JSON array of {name, title, description, required}, or NULL if the server
     * lists no arguments. */
    std::string_view arguments() const;

    /* mcphost_prompt_get_definition(): Get the definition of a prompt. */
    std::string_view definition() const;

    /* mcphost_prompt_get_source_id(): Returns the id of the prompt's source, or NULL
     * for the default source. */
    std::string_view source_id() const;

    /* mcphost_prompt_get_server_id(): Returns the id of the prompt's server. */
    std::string_view server_id() const;

    /* mcphost_prompt_get_toolset(): Returns the name of the prompt's toolset. */
    std::string_view toolset() const;

  protected:
    static void drop(mcphost_prompt *p) noexcept { mcphost_prompt_unref(p); }
    mcphost_prompt *p_ = nullptr;
};

/* provider_ref - a mcphost_provider pointer without a reference. */
class provider_ref
{
  public:
    using handle_type = mcphost_provider;

    provider_ref() noexcept = default;
    explicit provider_ref(mcphost_provider *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_provider *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(provider_ref a, provider_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(provider_ref a, provider_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<provider_ref> ref() const noexcept;

    /* mcphost_provider_new(): Create a provider that will be a server of a source. */
    static mcphostxx::result<owned<provider_ref>> create(source_ref source,
                                                         const mcphostxx::text &id);

    /* mcphost_provider_new_in_view(): Create a provider that only one view shows. */
    static mcphostxx::result<owned<provider_ref>>
    create_in_view(view_ref view, const mcphostxx::text &id);

    /* mcphost_provider_get_id(): Returns the id of the provider and of its server,
     * or NULL if `provider` is NULL. */
    std::string_view id() const;

    /* mcphost_provider_set_about(): Set how the provider describes itself. */
    mcphostxx::result<void> set_about(std::string_view json) const;

    /* mcphost_provider_set_life(): Set the functions that begin and end the
     * provider. */
    /* `setup` and `teardown` may be empty. */
    mcphostxx::result<void> set_life(setup_function setup,
                                     teardown_function teardown) const;

    /* mcphost_provider_set_defaults(): Set the configuration of the provider. */
    mcphostxx::result<void> set_defaults(std::string_view json) const;

    /* mcphost_provider_set_config(): Set the configuration of the provider. */
    mcphostxx::result<void> set_config(std::string_view json) const;

    /* mcphost_provider_dup_config(): Get a part of the effective configuration. */
    mcphostxx::result<owned_text> make_config_json(const mcphostxx::text &path) const;

    /* mcphost_provider_add(): Add a tool, a resource, a resource template or a
     * prompt. */
    mcphostxx::result<void> add(int feature, std::string_view definition,
                                provide_function fn) const;

    /* mcphost_provider_remove(): Remove a feature. */
    mcphostxx::result<void> remove(int feature, const mcphostxx::text &name) const;

    /* mcphost_provider_set_completion(): Complete the arguments of a prompt, or the
     * variables of a resource template. */
    mcphostxx::result<void> set_completion(int feature, const mcphostxx::text &name,
                                           provide_function fn) const;

    /* mcphost_provider_updated(): Report that a resource has changed. */
    mcphostxx::result<void> updated(const mcphostxx::text &uri) const;

    /* mcphost_provider_log(): Send a log message of the provider (MCP, "Logging"). */
    mcphostxx::result<void> log(int level, const mcphostxx::text &logger,
                                std::string_view data) const;

    /* mcphost_provider_start(): Show the provider as a server. */
    mcphostxx::result<void> start() const;

    /* mcphost_provider_close(): Withdraw the provider. */
    mcphostxx::result<void> close() const;

    /* mcphost_provider_set_sampler(): Answer the sampling requests of a host, as a
     * plugin. */
    mcphostxx::result<void> set_sampler(sampler_function fn) const;

  protected:
    static void drop(mcphost_provider *p) noexcept { mcphost_provider_unref(p); }
    mcphost_provider *p_ = nullptr;
};

/* provider_call_ref - a mcphost_provider_call pointer without a reference. */
class provider_call_ref
{
  public:
    using handle_type = mcphost_provider_call;

    provider_call_ref() noexcept = default;
    explicit provider_call_ref(mcphost_provider_call *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_provider_call *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(provider_call_ref a, provider_call_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(provider_call_ref a, provider_call_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<provider_call_ref> ref() const noexcept;

    /* mcphost_provider_request_sampling(): Ask the client side for a message of its
     * model. */
    mcphostxx::result<void> request_sampling(std::string_view params,
                                             answered_function fn) const;

    /* mcphost_provider_call_get_provider(): Returns the provider that carries out
     * the call, or NULL if `call` is NULL. */
    owned<provider_ref> provider() const;

    /* mcphost_provider_call_get_feature(): Gets the kind of the feature that is
     * called, read or completed. */
    int feature() const;

    /* mcphost_provider_call_get_name(): Returns the name of the tool or prompt, or
     * the URI that is to be read. */
    std::string_view name() const;

    /* mcphost_provider_call_get_arguments(): Returns a JSON object with the
     * arguments of the tool or prompt, or with the variables that the resource
     * template has in the URI. */
    std::string_view arguments() const;

    /* mcphost_provider_call_get_argument(): Returns the name of the argument or
     * variable that is completed, or NULL if the call is not a completion. */
    std::string_view argument() const;

    /* mcphost_provider_call_get_value(): Returns the beginning of the value that is
     * completed, or NULL if the call is not a completion. */
    std::string_view value() const;

    /* mcphost_provider_call_get_meta(): Returns the `_meta` of the request as a JSON
     * object, or NULL if the request has no `_meta`. */
    std::string_view meta() const;

    /* mcphost_provider_call_get_dialog_id(): Returns the id of the dialog that makes
     * the call, or NULL if the id is not known, as for a completion. */
    std::string_view dialog_id() const;

    /* mcphost_provider_call_answer(): Answer with a whole result. */
    mcphostxx::result<void> answer(std::string_view json) const;

    /* mcphost_provider_call_answer_text(): Answer with one text. */
    mcphostxx::result<void> answer_text(std::string_view text, bool is_error) const;

    /* mcphost_provider_call_fail(): Answer with a JSON-RPC error. */
    mcphostxx::result<void> fail(std::int64_t code, const mcphostxx::text &message,
                                 std::string_view data = {}) const;

    /* mcphost_provider_call_report(): Report progress. */
    mcphostxx::result<void> report(double progress, double total,
                                   std::string_view text = {}) const;

    /* mcphost_provider_call_is_cancelled(): Returns 1 if the answer is no longer
     * wanted, else 0. */
    bool is_cancelled() const;

    /* mcphost_provider_call_set_cancelled(): Set a function that runs when the
     * answer is not wanted any more. */
    mcphostxx::result<void> set_cancelled(unwanted_function fn) const;

    /* mcphost_provider_call_ask(): Ask the client side a question during a call. */
    mcphostxx::result<void> ask(int kind, std::string_view params,
                                answered_function fn) const;

  protected:
    static void drop(mcphost_provider_call *p) noexcept
    {
        mcphost_provider_call_unref(p);
    }
    mcphost_provider_call *p_ = nullptr;
};

/* request_ref - a mcphost_request pointer without a reference. */
class request_ref
{
  public:
    using handle_type = mcphost_request;

    request_ref() noexcept = default;
    explicit request_ref(mcphost_request *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_request *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(request_ref a, request_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(request_ref a, request_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<request_ref> ref() const noexcept;

    /* mcphost_request_get_kind(): Returns the kind of the request,
     * MCPHOST_REQUEST_*. */
    int kind() const;

    /* mcphost_request_get_source_id(): Returns the id of the source of the server
     * that asks, or NULL for the default source. */
    std::string_view source_id() const;

    /* mcphost_request_get_server_id(): Returns the id of the server that asks. */
    std::string_view server_id() const;

    /* mcphost_request_get_dialog_id(): Returns the id of the dialog that the request
     * belongs to, or NULL if the request belongs to no dialog or the dialog is not
     * known. */
    std::string_view dialog_id() const;

    /* mcphost_request_get_call(): Returns the call that the request belongs to, or
     * NULL if the request belongs to no call or the call is not known. */
    owned<call_ref> call() const;

    /* mcphost_request_get_message(): Get a text for the user. */
    std::string_view message() const;

    /* mcphost_request_get_url(): Get the page to open, or the server's URL. */
    std::string_view url() const;

    /* mcphost_request_get_schema(): Get the form of a MCPHOST_REQUEST_FORM. */
    std::string_view schema() const;

    /* mcphost_request_get_defaults(): Get the form of a MCPHOST_REQUEST_FORM. */
    std::string_view defaults() const;

    /* mcphost_request_get_params(): Get the params of a request. */
    std::string_view params() const;

    /* mcphost_request_get_param(): Get one member of the params as a text. */
    std::string_view param(const mcphostxx::text &name) const;

    /* mcphost_request_is_open(): Returns 1 if the request waits for an answer, else
     * 0. */
    bool is_open() const;

    /* mcphost_request_respond(): Answer a request. */
    mcphostxx::result<void> respond(std::string_view json = {}) const;

    /* mcphost_request_check(): Check an answer without sending it. */
    mcphostxx::result<void> check(std::string_view json = {}) const;

    /* mcphost_request_reject(): Refuse to answer a request. */
    mcphostxx::result<void> reject(int how,
                                   const mcphostxx::text &message = nullptr) const;

  protected:
    static void drop(mcphost_request *p) noexcept { mcphost_request_unref(p); }
    mcphost_request *p_ = nullptr;
};

/* resource_ref - a mcphost_resource pointer without a reference. */
class resource_ref
{
  public:
    using handle_type = mcphost_resource;

    resource_ref() noexcept = default;
    explicit resource_ref(mcphost_resource *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_resource *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(resource_ref a, resource_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(resource_ref a, resource_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<resource_ref> ref() const noexcept;

    /* mcphost_resource_get_uri(): Returns the URI of the resource as the server
     * wrote it. */
    std::string_view uri() const;

    /* mcphost_resource_get_id(): Get a short id of the resource. */
    std::string_view id() const;

    /* mcphost_resource_get_name(): Returns the server's name for the resource, or
     * NULL if the resource has no name. */
    std::string_view name() const;

    /* mcphost_resource_get_title(): Returns the title of the resource, or the title
     * in its annotations if the resource has no title, or NULL if both are missing. */
    std::string_view title() const;

    /* mcphost_resource_get_description(): Returns the description of the resource,
     * or NULL if the resource has no description. */
    std::string_view description() const;

    /* mcphost_resource_get_mime_type(): Returns the media type that the server
     * states for the resource, or NULL if the server states no media type. */
    std::string_view mime_type() const;

    /* mcphost_resource_get_size(): Returns the resource's size in bytes, or -1 if
     * the size is unknown. */
    std::int64_t size() const;

    /* mcphost_resource_get_annotations(): Returns the annotations of the resource, a
     * JSON object with audience, priority and lastModified, or NULL if the resource
     * has no annotations. */
    std::string_view annotations() const;

    /* mcphost_resource_get_definition(): Get the definition of a resource. */
    std::string_view definition() const;

    /* mcphost_resource_get_source_id(): Returns the id of the resource's source, or
     * NULL for the default source. */
    std::string_view source_id() const;

    /* mcphost_resource_get_server_id(): Returns the id of the resource's server. */
    std::string_view server_id() const;

    /* mcphost_resource_get_toolset(): Returns the name of the resource's toolset. */
    std::string_view toolset() const;

  protected:
    static void drop(mcphost_resource *p) noexcept { mcphost_resource_unref(p); }
    mcphost_resource *p_ = nullptr;
};

/* resource_template_ref - a mcphost_resource_template pointer without a reference. */
class resource_template_ref
{
  public:
    using handle_type = mcphost_resource_template;

    resource_template_ref() noexcept = default;
    explicit resource_template_ref(mcphost_resource_template *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_resource_template *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(resource_template_ref a, resource_template_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(resource_template_ref a, resource_template_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<resource_template_ref> ref() const noexcept;

    /* mcphost_resource_template_get_uri_template(): Returns the text of the template
     * (RFC 6570) as the server wrote it. */
    std::string_view uri_template() const;

    /* mcphost_resource_template_get_id(): Get a short id of the resource template. */
    std::string_view id() const;

    /* mcphost_resource_template_get_name(): Returns the server's name for the
     * template, or NULL if the template has no name. */
    std::string_view name() const;

    /* mcphost_resource_template_get_title(): Returns the title of the resource
     * template, or the title in its annotations if the template has no title, or
     * NULL if both are missing. */
    std::string_view title() const;

    /* mcphost_resource_template_get_description(): Returns the description of the
     * template, or NULL if the template has no description. */
    std::string_view description() const;

    /* mcphost_resource_template_get_mime_type(): Returns the media type that the
     * server states for the resource template, or NULL if the server states no media
     * type. */
    std::string_view mime_type() const;

    /* mcphost_resource_template_get_annotations(): Returns the annotations of the
     * resource template, a JSON object with audience, priority and lastModified, or
     * NULL if the resource template has no annotations. */
    std::string_view annotations() const;

    /* mcphost_resource_template_get_definition(): Get the definition of a resource
     * template. */
    std::string_view definition() const;

    /* mcphost_resource_template_get_source_id(): Returns the id of the template's
     * source, or NULL for the default source. */
    std::string_view source_id() const;

    /* mcphost_resource_template_get_server_id(): Returns the id of the template's
     * server. */
    std::string_view server_id() const;

    /* mcphost_resource_template_get_toolset(): Returns the name of the template's
     * toolset. */
    std::string_view toolset() const;

  protected:
    static void drop(mcphost_resource_template *p) noexcept
    {
        mcphost_resource_template_unref(p);
    }
    mcphost_resource_template *p_ = nullptr;
};

/* call_result_ref - a mcphost_result pointer without a reference. */
class call_result_ref
{
  public:
    using handle_type = mcphost_result;

    call_result_ref() noexcept = default;
    explicit call_result_ref(mcphost_result *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_result *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(call_result_ref a, call_result_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(call_result_ref a, call_result_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<call_result_ref> ref() const noexcept;

    /* mcphost_result_get_json(): Get the result object as the server sent it. */
    std::string_view json() const;

    /* mcphost_result_is_error(): Returns 1 if the tool says that it failed
     * (`isError`), else 0. */
    bool is_error() const;

    /* mcphost_result_get_structured(): Returns the `structuredContent`, or NULL if
     * the result has no `structuredContent`. */
    std::string_view structured() const;

    /* mcphost_result_count_items(): Count the content items. */
    std::size_t count_items() const;

    /* mcphost_result_item_get_kind(): Returns the kind of the item at `index`,
     * MCPHOST_CONTENT_*, or MCPHOST_CONTENT_UNKNOWN if `index` is past the end. */
    int item_kind(std::size_t index) const;

    /* mcphost_result_item_get_json(): Returns the JSON of the item at `index`, or
     * NULL if `index` is past the end or memory is short. */
    std::string_view item_json(std::size_t index) const;

    /* mcphost_result_item_get_text(): Get the text of an item, with its escapes
     * decoded. */
    mcphostxx::result<std::string_view> item_text(std::size_t index) const;

    /* mcphost_result_item_repeats_structured(): Find out whether a text item only
     * repeats the structured content. */
    mcphostxx::result<int> item_repeats_structured(std::size_t index) const;

    /* mcphost_result_item_get_mime_type(): Returns the `mimeType` of the item or of
     * the resource embedded in the item, or NULL if the `mimeType` is missing or has
     * a NUL, if `index` is past the end, or if memory is short. */
    std::string_view item_mime_type(std::size_t index) const;

    /* mcphost_result_item_get_uri(): Returns the `uri` of the item or of the
     * resource embedded in the item, or NULL if the `uri` is missing, if `index` is
     * past the end, or if memory is short. */
    std::string_view item_uri(std::size_t index) const;

    /* mcphost_result_item_get_role(): Get the role of the prompt's message that has
     * the item. */
    std::string_view item_role(std::size_t index) const;

    /* mcphost_result_count_values(): Count the values that the server proposes. */
    std::size_t count_values() const;

    /* mcphost_result_get_value(): Returns the value at `index`, in the server's
     * order, or NULL if `index` is past the end, if the value is no string, or if
     * memory is short. */
    std::string_view value(std::size_t index) const;

    /* mcphost_result_get_total(): Returns the number of values that the server has
     * in all, or -1 if the server does not give this number or if the result has no
     * values. */
    std::int64_t total() const;

    /* mcphost_result_has_more(): Returns 1 if the server has more values than the
     * result contains, else 0. */
    bool has_more() const;

  protected:
    static void drop(mcphost_result *p) noexcept { mcphost_result_unref(p); }
    mcphost_result *p_ = nullptr;
};

/* retry_ref - a mcphost_retry pointer without a reference. */
class retry_ref
{
  public:
    using handle_type = mcphost_retry;

    retry_ref() noexcept = default;
    explicit retry_ref(mcphost_retry *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_retry *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(retry_ref a, retry_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(retry_ref a, retry_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<retry_ref> ref() const noexcept;

    /* mcphost_retry_new(): Make a policy for the requests to one provider and model. */
    static mcphostxx::result<owned<retry_ref>> create(int strategy);

    /* mcphost_retry_set_jitter(): Spread the delays. */
    mcphostxx::result<void> set_jitter(int percent) const;

    /* mcphost_retry_judge(): Decide whether and when to send a request again. */
    /* The decision whether to send the request again, and the delay in ms. */
    struct judgement {
        bool again;
        std::int64_t delay_ms;
    };
    mcphostxx::result<judgement> judge(unsigned failures, int failure,
                                       const mcphostxx::text &retry_after = nullptr) const
    {
        if (int bad = detail::fault(retry_after))
            return mcphostxx::error(bad);
        std::int64_t delay = 0;
        int r = mcphost_retry_judge(p_, failures, failure, retry_after.c_str(), &delay);
        if (r < 0)
            return mcphostxx::error(r);
        return judgement{r == 1, delay};
    }

    /* mcphost_retry_get_penalty_ms(): Returns the milliseconds that a new request
     * should wait because other requests of this policy have just met a rate limit,
     * or 0 for strategies without a penalty. */
    std::int64_t penalty_ms() const;

  protected:
    static void drop(mcphost_retry *p) noexcept { mcphost_retry_unref(p); }
    mcphost_retry *p_ = nullptr;
};

/* sampling_ref - a mcphost_sampling pointer without a reference. */
class sampling_ref
{
  public:
    using handle_type = mcphost_sampling;

    sampling_ref() noexcept = default;
    explicit sampling_ref(mcphost_sampling *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_sampling *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(sampling_ref a, sampling_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(sampling_ref a, sampling_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<sampling_ref> ref() const noexcept;

    /* mcphost_sampling_new(): Convert the params of a sampling request. */
    static mcphostxx::result<owned<sampling_ref>> create(std::string_view params,
                                                         int shape, int profile,
                                                         const mcphostxx::text &model,
                                                         int modalities);

    /* mcphost_sampling_get_json(): Returns the body of the request to the provider,
     * a JSON object. */
    std::string_view json() const;

    /* mcphost_sampling_count_notes(): Returns the number of notes, at most 100. */
    std::size_t count_notes() const;

    /* mcphost_sampling_get_note(): Get a note. */
    std::string_view note(std::size_t index) const;

    /* mcphost_sampling_make_result(): Convert the provider's answer for the server. */
    mcphostxx::result<owned_text> make_result(std::string_view answer) const;

  protected:
    static void drop(mcphost_sampling *p) noexcept { mcphost_sampling_unref(p); }
    mcphost_sampling *p_ = nullptr;
};

/* schema_ref - a mcphost_schema pointer without a reference. */
class schema_ref
{
  public:
    using handle_type = mcphost_schema;

    schema_ref() noexcept = default;
    explicit schema_ref(mcphost_schema *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_schema *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(schema_ref a, schema_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(schema_ref a, schema_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<schema_ref> ref() const noexcept;

    /* mcphost_schema_new(): Make a schema that is not compiled yet. */
    static mcphostxx::result<owned<schema_ref>> create();

    /* mcphost_schema_set_option(): Set an option of the schema. */
    mcphostxx::result<void> set_option(int option, std::int64_t value) const;

    /* mcphost_schema_set_documents(): Set the function that supplies documents. */
    mcphostxx::result<void> set_documents(schema_document_function fn) const;

    /* mcphost_schema_add_document(): Add a document that references may lead to. */
    mcphostxx::result<void> add_document(const mcphostxx::text &uri,
                                         std::string_view json) const;

    /* mcphost_schema_compile(): Compile the schema from its JSON. */
    mcphostxx::result<void> compile(std::string_view json) const;

    /* mcphost_schema_validate(): Check a value. */
    /* Returns a report.  The report of a valid value has no errors. */
    mcphostxx::result<owned<schema_report_ref>> validate(std::string_view json,
                                                         std::uint64_t flags = 0) const;

  protected:
    static void drop(mcphost_schema *p) noexcept { mcphost_schema_unref(p); }
    mcphost_schema *p_ = nullptr;
};

/* schema_report_ref - a mcphost_schema_report pointer without a reference. */
class schema_report_ref
{
  public:
    using handle_type = mcphost_schema_report;

    schema_report_ref() noexcept = default;
    explicit schema_report_ref(mcphost_schema_report *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_schema_report *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(schema_report_ref a, schema_report_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(schema_report_ref a, schema_report_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<schema_report_ref> ref() const noexcept;

    /* mcphost_schema_report_count_errors(): Returns the number of errors in the
     * report, at most MCPHOST_SCHEMA_OPT_MAX_ERRORS. */
    std::size_t count_errors() const;

    /* mcphost_schema_report_get_instance_path(): Returns the place of an error in
     * the value, as a JSON pointer ("" for the whole value), or NULL if `index` is
     * past the end. */
    std::string_view instance_path(std::size_t index) const;

    /* mcphost_schema_report_get_schema_path(): Returns the place, in the schema, of
     * the keyword that the value violates, as a URI reference such as
     * "#/properties/a/type", or NULL if `index` is past the end. */
    std::string_view schema_path(std::size_t index) const;

    /* mcphost_schema_report_get_keyword(): Returns the keyword that the value
     * violates ("false" for a schema that no value fits), or NULL if `index` is past
     * the end. */
    std::string_view keyword(std::size_t index) const;

    /* mcphost_schema_report_get_expected(): Returns a phrase in English that
     * describes the expected value, or NULL if `index` is past the end. */
    std::string_view expected(std::size_t index) const;

    /* mcphost_schema_report_get_found(): Returns a phrase in English that describes
     * the value that was found, or NULL if `index` is past the end. */
    std::string_view found(std::size_t index) const;

    /* mcphost_schema_report_get_text(): Returns the errors of the report in one line
     * of English, for a model or a person, or "" if the value is valid. */
    std::string_view text() const;

    /* mcphost_schema_report_get_json(): Returns the errors of the report as a JSON
     * array of objects with the members instancePath, schemaPath, keyword, expected
     * and found. */
    std::string_view json() const;

    /* mcphost_schema_report_get_instance(): Returns the value that was checked,
     * completed with the defaults of the schema, or NULL if
     * mcphost_schema_validate() was called without MCPHOST_SCHEMA_DEFAULTS. */
    std::string_view instance() const;

  protected:
    static void drop(mcphost_schema_report *p) noexcept
    {
        mcphost_schema_report_unref(p);
    }
    mcphost_schema_report *p_ = nullptr;
};

/* server_ref - a mcphost_server pointer without a reference. */
class server_ref
{
  public:
    using handle_type = mcphost_server;

    server_ref() noexcept = default;
    explicit server_ref(mcphost_server *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_server *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(server_ref a, server_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(server_ref a, server_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<server_ref> ref() const noexcept;

    /* mcphost_server_get_source_id(): Returns the id of the server's source, or NULL
     * for the default source. */
    std::string_view source_id() const;

    /* mcphost_server_get_id(): Returns the server's id. */
    std::string_view id() const;

    /* mcphost_server_get_toolset(): Returns the name of the server's toolset, or
     * NULL if the server's tools were never listed, or if the view left the server
     * out because a name is taken. */
    std::string_view toolset() const;

    /* mcphost_server_get_title(): Get the texts in which the server describes
     * itself. */
    std::string_view title() const;

    /* mcphost_server_get_description(): Get the texts in which the server describes
     * itself. */
    std::string_view description() const;

    /* mcphost_server_get_instructions(): Get the texts in which the server describes
     * itself. */
    std::string_view instructions() const;

    /* mcphost_server_get_icons(): Get the icons of the server's serverInfo. */
    std::string_view icons() const;

    /* mcphost_server_get_manual(): Get the configuration's manual of the server. */
    std::string_view manual() const;

    /* mcphost_server_count_tools(): Returns the number of the server's tools in this
     * catalog. */
    std::size_t count_tools() const;

    /* mcphost_server_get_tool(): Returns the server's tool at `index`, or NULL if
     * `index` is past the end. */
    owned<tool_ref> tool(std::size_t index) const;

    /* mcphost_server_find_tool(): Find a tool by the name that the server gave it. */
    owned<tool_ref> find_tool(const mcphostxx::text &name) const;

    /* mcphost_server_count_app_tools(): Count the server's tools that the model may
     * not call. */
    std::size_t count_app_tools() const;

    /* mcphost_server_get_app_tool(): Returns the tool at `index` among the tools
     * that mcphost_server_count_app_tools() counts, or NULL if `index` is past the
     * end. */
    owned<tool_ref> app_tool(std::size_t index) const;

    /* mcphost_server_count_prompts(): Returns the number of the server's prompts in
     * this catalog. */
    std::size_t count_prompts() const;

    /* mcphost_server_get_prompt(): Returns the server's prompt at `index`, or NULL
     * past the end. */
    owned<prompt_ref> prompt(std::size_t index) const;

    /* mcphost_server_count_resources(): Returns the number of the server's resources
     * in this catalog. */
    std::size_t count_resources() const;

    /* mcphost_server_get_resource(): Returns the server's resource at `index`, or
     * NULL past the end. */
    owned<resource_ref> resource(std::size_t index) const;

    /* mcphost_server_count_resource_templates(): Returns the number of the server's
     * resource templates in this catalog. */
    std::size_t count_resource_templates() const;

    /* mcphost_server_get_resource_template(): Returns the server's resource template
     * at `index`, or NULL past the end. */
    owned<resource_template_ref> resource_template(std::size_t index) const;

    /* mcphost_server_count_skills(): Returns the number of the server's skills in
     * this catalog. */
    std::size_t count_skills() const;

    /* mcphost_server_get_skill(): Returns the server's skill at `index`, or NULL
     * past the end. */
    owned<skill_ref> skill(std::size_t index) const;

  protected:
    static void drop(mcphost_server *p) noexcept { mcphost_server_unref(p); }
    mcphost_server *p_ = nullptr;
};

/* serving_ref - a mcphost_serving pointer without a reference. */
class serving_ref
{
  public:
    using handle_type = mcphost_serving;

    serving_ref() noexcept = default;
    explicit serving_ref(mcphost_serving *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_serving *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(serving_ref a, serving_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(serving_ref a, serving_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<serving_ref> ref() const noexcept;

    /* mcphost_serving_close(): End a serving. */
    mcphostxx::result<void> close() const;

    /* mcphost_serving_get_dialog_id(): Returns the id of the client's dialog, or
     * NULL if `serving` is NULL. */
    std::string_view dialog_id() const;

  protected:
    static void drop(mcphost_serving *p) noexcept { mcphost_serving_unref(p); }
    mcphost_serving *p_ = nullptr;
};

/* skill_ref - a mcphost_skill pointer without a reference. */
class skill_ref
{
  public:
    using handle_type = mcphost_skill;

    skill_ref() noexcept = default;
    explicit skill_ref(mcphost_skill *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_skill *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(skill_ref a, skill_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(skill_ref a, skill_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<skill_ref> ref() const noexcept;

    /* mcphost_skill_get_uri(): Returns the URI of the skill's SKILL.md as the server
     * wrote it. */
    std::string_view uri() const;

    /* mcphost_skill_get_name(): Returns the skill's name. */
    std::string_view name() const;

    /* mcphost_skill_get_description(): Returns the description of the skill's
     * purpose. */
    std::string_view description() const;

    /* mcphost_skill_get_frontmatter(): Returns the front matter of the skill's
     * SKILL.md, a JSON object. */
    std::string_view frontmatter() const;

    /* mcphost_skill_get_entry(): Get the skill's entry as the server sent it. */
    std::string_view entry() const;

    /* mcphost_skill_get_source_id(): Returns the id of the source of the skill's
     * server, or NULL for the default source. */
    std::string_view source_id() const;

    /* mcphost_skill_get_server_id(): Returns the id of the server that lists the
     * skill. */
    std::string_view server_id() const;

  protected:
    static void drop(mcphost_skill *p) noexcept { mcphost_skill_unref(p); }
    mcphost_skill *p_ = nullptr;
};

/* source_ref - a mcphost_source pointer without a reference. */
class source_ref
{
  public:
    using handle_type = mcphost_source;

    source_ref() noexcept = default;
    explicit source_ref(mcphost_source *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_source *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(source_ref a, source_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(source_ref a, source_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<source_ref> ref() const noexcept;

    /* mcphost_files_new(): Create a provider of files that will be a server of a
     * source. */
    mcphostxx::result<owned<provider_ref>> files_new(const mcphostxx::text &id,
                                                     std::string_view options) const;

    /* mcphost_goclaw_follow(): Have a source follow the servers of a workspace. */
    mcphostxx::result<void> goclaw_follow(const mcphostxx::text &workspace,
                                          const mcphostxx::text &file,
                                          std::uint64_t flags) const;

    /* mcphost_goclaw_load_subagent(): Give a source the servers of a sub-agent,
     * once. */
    mcphostxx::result<void> goclaw_load_subagent(const mcphostxx::text &workspace,
                                                 const mcphostxx::text &workdir,
                                                 const mcphostxx::text &file,
                                                 std::uint64_t flags) const;

    /* mcphost_mcpservers_follow(): Have a source follow a file with `mcpServers`. */
    mcphostxx::result<void>
    mcpservers_follow(const mcphostxx::text &workspace,
                      const mcphostxx::text &file = nullptr) const;

    /* mcphost_source_new(): Add a source to a host. */
    static mcphostxx::result<owned<source_ref>> create(host_ref host,
                                                       const mcphostxx::text &id);

    /* mcphost_source_get_id(): Returns the id of the source, or NULL for the default
     * source. */
    std::string_view id() const;

    /* mcphost_source_set_policy(): Set a policy of this source alone. */
    mcphostxx::result<void> set_policy(int policy, std::int64_t value) const;

    /* mcphost_source_get_policy(): Get the value of a policy that is in force for
     * this source. */
    mcphostxx::result<std::int64_t> policy(int policy) const;

    /* mcphost_source_set_name_fn(): Have a function make the names of the tools and
     * prompts of this source. */
    mcphostxx::result<void> set_name_fn(name_function fn = {}) const;

    /* mcphost_source_load(): Start the servers that a configuration declares. */
    mcphostxx::result<void> load(config_ref config) const;

    /* mcphost_source_follow_workspace(): Follow the file DIR/.minds/mcp.yaml, or
     * `file`. */
    mcphostxx::result<void> follow_workspace(const mcphostxx::text &dir,
                                             const mcphostxx::text &file = nullptr) const;

    /* mcphost_source_follow_files(): Follow several files as one configuration. */
    mcphostxx::result<void> follow_files(const mcphostxx::text &workspace,
                                         const text_list &files) const;

    /* mcphost_source_follow_dir(): Follow the files of a directory as one
     * configuration. */
    mcphostxx::result<void> follow_dir(const mcphostxx::text &workspace,
                                       const mcphostxx::text &dir) const;

    /* mcphost_source_reload(): Read the files of this source again, now. */
    mcphostxx::result<void> reload() const;

    /* mcphost_source_restart_server(): Restart a server of this source. */
    mcphostxx::result<void> restart_server(const mcphostxx::text &server_id) const;

    /* mcphost_source_set_server_enabled(): Write `enabled` of a server into the file
     * that declares it. */
    mcphostxx::result<void> set_server_enabled(const mcphostxx::text &server_id,
                                               bool enabled) const;

    /* mcphost_source_remove(): Remove a source from its host. */
    mcphostxx::result<void> remove() const;

  protected:
    static void drop(mcphost_source *p) noexcept { mcphost_source_unref(p); }
    mcphost_source *p_ = nullptr;
};

/* subscription_ref - a mcphost_subscription pointer without a reference. */
class subscription_ref
{
  public:
    using handle_type = mcphost_subscription;

    subscription_ref() noexcept = default;
    explicit subscription_ref(mcphost_subscription *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_subscription *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(subscription_ref a, subscription_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(subscription_ref a, subscription_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<subscription_ref> ref() const noexcept;

    /* mcphost_unsubscribe(): End a subscription. */
    mcphostxx::result<void> unsubscribe() const;

    /* mcphost_subscription_get_uri(): Returns the URI that was passed to
     * mcphost_subscribe(). */
    std::string_view uri() const;

    /* mcphost_subscription_get_source_id(): Returns the id of the source of the
     * subscription's server, or NULL for the default source. */
    std::string_view source_id() const;

    /* mcphost_subscription_get_server_id(): Returns the id of the server that has
     * the resource. */
    std::string_view server_id() const;

    /* mcphost_subscription_get_dialog_id(): Returns the id of the dialog that the
     * subscription belongs to. */
    std::string_view dialog_id() const;

    /* mcphost_subscription_is_ended(): Returns 1 if the subscription has ended, else
     * 0. */
    bool is_ended() const;

  protected:
    static void drop(mcphost_subscription *p) noexcept { mcphost_subscription_unref(p); }
    mcphost_subscription *p_ = nullptr;
};

/* tool_ref - a mcphost_tool pointer without a reference. */
class tool_ref
{
  public:
    using handle_type = mcphost_tool;

    tool_ref() noexcept = default;
    explicit tool_ref(mcphost_tool *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_tool *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(tool_ref a, tool_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(tool_ref a, tool_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<tool_ref> ref() const noexcept;

    /* mcphost_tool_get_name(): Get the name of a tool in the catalog. */
    std::string_view name() const;

    /* mcphost_tool_get_original_name(): Returns the name that the server gave the
     * tool. */
    std::string_view original_name() const;

    /* mcphost_tool_get_source_id(): Returns the id of the source of the tool's
     * server, or NULL for the default source and for a built-in tool. */
    std::string_view source_id() const;

    /* mcphost_tool_get_server_id(): Returns the id of the tool's server, or NULL for
     * a built-in tool. */
    std::string_view server_id() const;

    /* mcphost_tool_get_toolset(): Get the name of the tool's toolset. */
    std::string_view toolset() const;

    /* mcphost_tool_get_title(): Get a text about the tool. */
    std::string_view title() const;

    /* mcphost_tool_get_description(): Get a text about the tool. */
    std::string_view description() const;

    /* mcphost_tool_get_input_schema(): Get the JSON Schema of the tool's arguments. */
    std::string_view input_schema() const;

    /* mcphost_tool_get_output_schema(): Returns the JSON Schema of the tool's
     * structured results, or NULL if the tool has no output schema. */
    std::string_view output_schema() const;

    /* mcphost_tool_get_annotations(): Returns the tool's annotations, a JSON object,
     * or NULL if the tool has no annotations. */
    std::string_view annotations() const;

    /* mcphost_tool_get_definition(): Get the definition of a tool. */
    std::string_view definition() const;

    /* mcphost_tool_get_visibility(): Get the callers that may call the tool. */
    int visibility() const;

    /* mcphost_tool_get_app_uri(): Get the URI of the app that shows the tool's
     * results. */
    std::string_view app_uri() const;

  protected:
    static void drop(mcphost_tool *p) noexcept { mcphost_tool_unref(p); }
    mcphost_tool *p_ = nullptr;
};

/* transform_ref - a mcphost_transform pointer without a reference. */
class transform_ref
{
  public:
    using handle_type = mcphost_transform;

    transform_ref() noexcept = default;
    explicit transform_ref(mcphost_transform *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_transform *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(transform_ref a, transform_ref b) noexcept
    {
        return a.p_ == b.p_;
    }
    friend bool operator!=(transform_ref a, transform_ref b) noexcept
    {
        return a.p_ != b.p_;
    }
    /* Returns another reference to the handle. */
    owned<transform_ref> ref() const noexcept;

    /* mcphost_transform_new(): Make a transform without steps. */
    static mcphostxx::result<owned<transform_ref>> create();

    /* mcphost_transform_add_prefix(): Add a step that prepends `prefix`. */
    mcphostxx::result<void> add_prefix(const mcphostxx::text &prefix) const;

    /* mcphost_transform_add_prefix_replace(): Add a step that exchanges a prefix. */
    mcphostxx::result<void> add_prefix_replace(const mcphostxx::text &remove,
                                               const mcphostxx::text &add) const;

    /* mcphost_transform_add_suffix(): Add a step that appends `suffix`. */
    mcphostxx::result<void> add_suffix(const mcphostxx::text &suffix) const;

    /* mcphost_transform_add_map(): Add a step that replaces the characters that no
     * name may have. */
    mcphostxx::result<void> add_map(const mcphostxx::text &replacement) const;

    /* mcphost_transform_apply(): Make the new name of a tool. */
    mcphostxx::result<std::string> apply(const mcphostxx::text &name) const
    {
        if (int bad = detail::fault(name))
            return mcphostxx::error(bad);
        char small[256] = "";
        int r = mcphost_transform_apply(p_, name.c_str(), small, sizeof(small));
        if (r < 0)
            return mcphostxx::error(r);
        std::string made(small);
        if (static_cast<std::size_t>(r) < sizeof(small))
            return made;
        made.resize(static_cast<std::size_t>(r) + 1);
        r = mcphost_transform_apply(p_, name.c_str(), &made[0], made.size());
        if (r < 0)
            return mcphostxx::error(r);
        made.resize(static_cast<std::size_t>(r));
        return made;
    }

  protected:
    static void drop(mcphost_transform *p) noexcept { mcphost_transform_unref(p); }
    mcphost_transform *p_ = nullptr;
};

/* turn_ref - a mcphost_turn pointer without a reference. */
class turn_ref
{
  public:
    using handle_type = mcphost_turn;

    turn_ref() noexcept = default;
    explicit turn_ref(mcphost_turn *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_turn *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(turn_ref a, turn_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(turn_ref a, turn_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<turn_ref> ref() const noexcept;

    /* mcphost_turn_new(): Begin a turn of a dialog. */
    static mcphostxx::result<owned<turn_ref>> create(dialog_ref dialog);

    /* mcphost_turn_new_view(): Begin a turn of a view. */
    static mcphostxx::result<owned<turn_ref>>
    create_view(view_ref view, const mcphostxx::text &agent = nullptr);

    /* mcphost_turn_end(): End the turn. */
    mcphostxx::result<void> end() const;

    /* mcphost_turn_get_catalog(): Get the catalog that the turn pins. */
    mcphostxx::result<owned<catalog_ref>> catalog() const;

    /* mcphost_turn_is_stale(): Returns 1 if the turn is stale, or 0 if the turn is
     * not stale or if the process is a forked child. */
    bool is_stale() const;

  protected:
    static void drop(mcphost_turn *p) noexcept { mcphost_turn_unref(p); }
    mcphost_turn *p_ = nullptr;
};

/* view_ref - a mcphost_view pointer without a reference. */
class view_ref
{
  public:
    using handle_type = mcphost_view;

    view_ref() noexcept = default;
    explicit view_ref(mcphost_view *p) noexcept : p_(p) {}
    /* Returns the handle of the C interface. */
    mcphost_view *get() const noexcept { return p_; }
    explicit operator bool() const noexcept { return p_ != nullptr; }
    friend bool operator==(view_ref a, view_ref b) noexcept { return a.p_ == b.p_; }
    friend bool operator!=(view_ref a, view_ref b) noexcept { return a.p_ != b.p_; }
    /* Returns another reference to the handle. */
    owned<view_ref> ref() const noexcept;

    /* mcphost_files_new_in_view(): Create a provider of files that only one view
     * shows. */
    mcphostxx::result<owned<provider_ref>>
    files_new_in_view(const mcphostxx::text &id, std::string_view options) const;

    /* mcphost_serve_fd(): Serve a view to a client over two descriptors. */
    mcphostxx::result<owned<serving_ref>>
    serve_fd(int in, int out, const mcphostxx::text &dialog_id) const;

    /* mcphost_invalidate_view(): Have the files of a view read for the next turn. */
    mcphostxx::result<void> invalidate_view() const;

    /* mcphost_view_new_layered(): Make a view with layers of its own. */
    static mcphostxx::result<owned<view_ref>> create_layered(host_ref host,
                                                             const mcphostxx::text &name);

    /* mcphost_view_add_source(): Add a layer: a source, or some of its servers. */
    mcphostxx::result<void> add_source(source_ref source,
                                       const text_list &servers = nullptr) const;

    /* mcphost_view_remove_source(): Remove the layer of a source. */
    mcphostxx::result<void> remove_source(source_ref source) const;

    /* mcphost_view_show_builtins(): Show or hide the host's built-in tools. */
    mcphostxx::result<void> show_builtins(bool on) const;

    /* mcphost_view_get_catalog(): Get the view's current catalog. */
    mcphostxx::result<owned<catalog_ref>> catalog() const;

    /* mcphost_view_set_builtins(): Show a block of built-in tools. */
    mcphostxx::result<void> set_builtins(builtins_ref builtins) const;

    /* mcphost_view_remove_builtins(): Remove the block of an owner. */
    mcphostxx::result<void> remove_builtins(const mcphostxx::text &owner) const;

    /* mcphost_view_add_builtin(): Add one built-in tool, without making a block. */
    mcphostxx::result<void> add_builtin(const mcphostxx::text &toolset,
                                        const mcphostxx::text &name,
                                        const mcphostxx::text &description,
                                        const mcphostxx::text &input_schema,
                                        builtin_function fn) const;

    /* mcphost_view_add_resource_tools(): Let models find and read resources and
     * skills. */
    mcphostxx::result<void> add_resource_tools(unsigned which) const;

    /* mcphost_view_remove_builtin(): Remove a tool that mcphost_view_add_builtin()
     * added. */
    mcphostxx::result<void> remove_builtin(const mcphostxx::text &name) const;

    /* mcphost_view_set_toolset_description(): Set the description of a toolset. */
    mcphostxx::result<void>
    set_toolset_description(const mcphostxx::text &toolset,
                            const mcphostxx::text &description = nullptr) const;

    /* mcphost_view_new(): Make a view that shows the part of the default view that a
     * grant gives. */
    static mcphostxx::result<owned<view_ref>>
    create(host_ref host, const mcphostxx::text &name, grant_ref grant);

    /* mcphost_view_set_grant(): Replace the view's grant. */
    mcphostxx::result<void> set_grant(grant_ref grant) const;

  protected:
    static void drop(mcphost_view *p) noexcept { mcphost_view_unref(p); }
    mcphost_view *p_ = nullptr;
};

/* ---- functions without a handle ---- */

/* mcphost_artifact_open(): Open an artifact for reading. */
/* An open artifact.  The caller closes the descriptor. */
struct opened_artifact {
    int fd;
    std::uint64_t size;
};
inline mcphostxx::result<opened_artifact> artifact_open(const mcphostxx::text &dir,
                                                        const mcphostxx::text &path)
{
    if (int bad = detail::fault(dir, path))
        return error(bad);
    mcphost_error *err = nullptr;
    opened_artifact made{-1, 0};
    int r = mcphost_artifact_open(dir.c_str(), path.c_str(), &made.fd, &made.size, &err);
    if (r < 0)
        return error(r, err);
    return made;
}

/* mcphost_artifact_read(): Read a part of an artifact. */
/* Returns the number of bytes that were read. */
inline mcphostxx::result<std::size_t> artifact_read(const mcphostxx::text &dir,
                                                    const mcphostxx::text &path,
                                                    std::uint64_t offset, void *buf,
                                                    std::size_t len)
{
    if (int bad = detail::fault(dir, path))
        return error(bad);
    mcphost_error *err = nullptr;
    std::size_t n = 0;
    int r = mcphost_artifact_read(dir.c_str(), path.c_str(), offset, buf, len, &n, &err);
    if (r < 0)
        return error(r, err);
    return n;
}

/* mcphost_artifact_get_mime_type(): Returns the MIME type for the extension of a
 * path, or "application/octet-stream" for an unknown extension. */
std::string_view artifact_mime_type(const mcphostxx::text &path);

/* mcphost_artifact_list(): List the artifacts in a directory. */
mcphostxx::result<int> artifact_list(const mcphostxx::text &dir, artifact_function fn);

/* mcphost_artifact_delete_all(): Delete all artifacts in a directory. */
mcphostxx::result<void> artifact_delete_all(const mcphostxx::text &dir);

/* mcphost_enum_get_name(): Get the name of a constant. */
std::string_view enum_name(int which, int value);

/* mcphost_enum_find_value(): Find the constant that has a name. */
mcphostxx::result<int> enum_find_value(int which, const mcphostxx::text &name);

/* mcphost_enum_get_value(): Get the constant at a place. */
mcphostxx::result<int> enum_value(int which, std::size_t index);

/* mcphost_enum_count_values(): Count the constants of an enumeration. */
std::size_t enum_count_values(int which);

/* mcphost_strerror(): Get a short English text for a code. */
std::string_view strerror(int code);

/* mcphost_goclaw_load(): Read the servers of a workspace as a configuration. */
mcphostxx::result<owned<config_ref>> goclaw_load(const mcphostxx::text &workspace,
                                                 const mcphostxx::text &file,
                                                 std::uint64_t flags,
                                                 unsigned transports);

/* mcphost_goclaw_make_skills_json(): List the skills of an agent as JSON. */
mcphostxx::result<owned_text> goclaw_make_skills_json(const mcphostxx::text &workspace,
                                                      const mcphostxx::text &workdir,
                                                      const mcphostxx::text &skills_dir,
                                                      const mcphostxx::text &role,
                                                      std::uint64_t flags);

/* mcphost_goclaw_builtins_new(): Make the tools with which an agent manages its
 * servers and skills. */
mcphostxx::result<owned<builtins_ref>>
goclaw_builtins_new(const mcphostxx::text &workspace, const mcphostxx::text &skills_dir,
                    std::uint64_t flags);

/* mcphost_mcpservers_load(): Read a file with `mcpServers`, or its text, as a
 * configuration. */
mcphostxx::result<owned<config_ref>> mcpservers_load(std::string_view data,
                                                     const mcphostxx::text &file,
                                                     const mcphostxx::text &workspace,
                                                     unsigned transports);

/* mcphost_check_option(): Check whether an option may have a value, and set
 * nothing. */
mcphostxx::result<void> check_option(int option, std::int64_t value);

/* mcphost_classify_failure(): Classify a provider's answer, or the lack of an
 * answer. */
int classify_failure(int status, std::string_view body = {},
                     const mcphostxx::text &error = nullptr);

/* mcphost_template_check(): Check a URI template and list its variables. */
mcphostxx::result<owned_text> template_check(std::string_view uri_template);

/* mcphost_template_expand(): Make a URI from a template and values. */
mcphostxx::result<owned_text> template_expand(std::string_view uri_template,
                                              std::string_view values = {});

/* mcphost_template_match(): Find the values with which a template gives a URI. */
mcphostxx::result<owned_text> template_match(std::string_view uri_template,
                                             std::string_view uri);

/* mcphost_version(): Get the version of the library that the program runs with. */
std::string_view version();

/* mcphost_version_number(): Get the version of the library as a number, for
 * comparisons. */
unsigned version_number();

/* mcphost_has_part(): Find out whether the library was built with a part. */
bool has_part(int part);

/* ---- functions that call the C interface ---- */

namespace detail
{
inline namespace MCPHOSTXX_MODE
{
/* Returns the code of an outcome for the library.  The message of an error that the
 * application has made becomes the answer of the call. */
inline int report_outcome(mcphost_call *call, const outcome &given) noexcept
{
    std::string_view text = given.error().message();
    if (!given.error().is_made())
        return given.code();
    int r = mcphost_call_answer(call, text.data(), text.size(), 1);
    return r == 0 ? 0 : given.code();
}
inline int report_outcome(mcphost_provider_call *call, const outcome &given) noexcept
{
    std::string_view text = given.error().message();
    if (!given.error().is_made())
        return given.code();
    int r = mcphost_provider_call_get_feature(call) == MCPHOST_FEATURE_TOOL
                ? mcphost_provider_call_answer_text(call, text.data(), text.size(), 1)
                : mcphost_provider_call_fail(call, -32603, text.data(), nullptr, 0);
    return r == 0 ? 0 : given.code();
}
struct artifact_thunk {
    static int call(const char *path, std::uint64_t size, std::int64_t mtime_ms,
                    void *arg) noexcept
    {
        int code = MCPHOST_E_STATE;
        guarded("artifact", [&] {
            code = box<artifact_function>::of(arg)(detail::view(path), size, mtime_ms)
                       .code();
        });
        return code;
    }
};
struct builtin_thunk {
    static int call(mcphost_call *call, const char *arguments, std::size_t arguments_len,
                    void *arg) noexcept
    {
        int code = MCPHOST_E_STATE;
        guarded("builtin", [&] {
            code = report_outcome(
                call, box<builtin_function>::of(arg)(
                          call_ref(call), detail::view(arguments, arguments_len)));
        });
        return code;
    }
};
struct done_thunk {
    static void call(mcphost_call *call, void *arg) noexcept
    {
        guarded("done", [&] { box<done_function>::of(arg)(call_ref(call)); });
    }
};
struct progress_thunk {
    static void call(mcphost_call *call, double progress, double total,
                     const char *message, std::size_t message_len, void *arg) noexcept
    {
        guarded("progress", [&] {
            box<progress_function>::of(arg)(call_ref(call), progress, total,
                                            detail::view(message, message_len));
        });
    }
};
struct before_call_thunk {
    static int call(mcphost_call *call, void *arg) noexcept
    {
        int code = MCPHOST_E_STATE;
        guarded("before_call", [&] {
            code = box<before_call_function>::of(arg)(call_ref(call)).code();
        });
        return code;
    }
};
struct trace_context_thunk {
    static void call(mcphost_call *call, void *arg) noexcept
    {
        guarded("trace_context",
                [&] { box<trace_context_function>::of(arg)(call_ref(call)); });
    }
};
struct cancelled_thunk {
    static void call(mcphost_call *call, void *arg) noexcept
    {
        guarded("cancelled", [&] { box<cancelled_function>::of(arg)(call_ref(call)); });
    }
};
struct chatos_scan_thunk {
    static void call(mcphost_chatos *chatos, void *arg) noexcept
    {
        guarded("chatos_scan",
                [&] { box<chatos_scan_function>::of(arg)(chatos_ref(chatos)); });
    }
};
struct chatos_put_thunk {
    static int call(int kind, const char *name, const char *json, std::size_t len,
                    void *arg) noexcept
    {
        int code = MCPHOST_E_STATE;
        guarded("chatos_put", [&] {
            code = box<chatos_put_function>::of(arg)(kind, detail::view(name),
                                                     detail::view(json, len))
                       .code();
        });
        return code;
    }
};
struct event_thunk {
    static void call(const mcphost_event *event, void *arg) noexcept
    {
        guarded("event", [&] {
            box<event_function>::of(arg)(event_ref(const_cast<mcphost_event *>(event)));
        });
    }
};
struct log_thunk {
    static void call(int level, const char *room, const char *server, const char *line,
                     void *arg) noexcept
    {
        guarded("log", [&] {
            box<log_function>::of(arg)(level, detail::view(room), detail::view(server),
                                       detail::view(line));
        });
    }
};
struct provide_thunk {
    static int call(mcphost_provider_call *call, void *arg) noexcept
    {
        int code = MCPHOST_E_STATE;
        guarded("provide", [&] {
            code = report_outcome(
                call, box<provide_function>::of(arg)(provider_call_ref(call)));
        });
        return code;
    }
};
struct answered_thunk {
    static void call(mcphost_provider_call *call, int code, const char *json,
                     std::size_t len, const mcphost_error *error, void *arg) noexcept
    {
        guarded("answered", [&] {
            box<answered_function>::of(arg)(provider_call_ref(call), code,
                                            detail::view(json, len),
                                            mcphostxx::error::borrow(error));
        });
    }
};
struct unwanted_thunk {
    static void call(mcphost_provider_call *call, void *arg) noexcept
    {
        guarded("unwanted",
                [&] { box<unwanted_function>::of(arg)(provider_call_ref(call)); });
    }
};
struct sampler_thunk {
    static void call(mcphost_request *request, void *arg) noexcept
    {
        guarded("sampler", [&] { box<sampler_function>::of(arg)(request_ref(request)); });
    }
};
struct schema_document_thunk {
    static int call(mcphost_schema *schema, const char *uri, void *arg) noexcept
    {
        int code = MCPHOST_E_STATE;
        guarded("schema_document", [&] {
            code = box<schema_document_function>::of(arg)(schema_ref(schema),
                                                          detail::view(uri))
                       .code();
        });
        return code;
    }
};
struct name_thunk {
    static int call(const char *server_id, const char *name, char *buffer,
                    std::size_t size, void *arg) noexcept
    {
        int code = MCPHOST_E_STATE;
        guarded("name", [&] {
            code = box<name_function>::of(arg)(detail::view(server_id),
                                               detail::view(name), buffer, size)
                       .code();
        });
        return code;
    }
};
} // namespace MCPHOSTXX_MODE
} // namespace detail

inline owned<chatos_ref> chatos_ref::ref() const noexcept
{
    return owned<chatos_ref>(mcphost_chatos_ref(p_));
}

inline owned<chatos_run_ref> chatos_run_ref::ref() const noexcept
{
    return owned<chatos_run_ref>(mcphost_chatos_run_ref(p_));
}

inline owned<logins_ref> logins_ref::ref() const noexcept
{
    return owned<logins_ref>(mcphost_logins_ref(p_));
}

inline owned<plugins_ref> plugins_ref::ref() const noexcept
{
    return owned<plugins_ref>(mcphost_plugins_ref(p_));
}

inline owned<plugin_rows_ref> plugin_rows_ref::ref() const noexcept
{
    return owned<plugin_rows_ref>(mcphost_plugin_rows_ref(p_));
}

inline owned<problems_ref> problems_ref::ref() const noexcept
{
    return owned<problems_ref>(mcphost_problems_ref(p_));
}

inline owned<status_ref> status_ref::ref() const noexcept
{
    return owned<status_ref>(mcphost_status_ref(p_));
}

inline owned<host_ref> host_ref::ref() const noexcept
{
    return owned<host_ref>(mcphost_ref(p_));
}

inline owned<builtins_ref> builtins_ref::ref() const noexcept
{
    return owned<builtins_ref>(mcphost_builtins_ref(p_));
}

inline owned<call_ref> call_ref::ref() const noexcept
{
    return owned<call_ref>(mcphost_call_ref(p_));
}

inline owned<catalog_ref> catalog_ref::ref() const noexcept
{
    return owned<catalog_ref>(mcphost_catalog_ref(p_));
}

inline owned<config_ref> config_ref::ref() const noexcept
{
    return owned<config_ref>(mcphost_config_ref(p_));
}

inline owned<dialog_ref> dialog_ref::ref() const noexcept
{
    return owned<dialog_ref>(mcphost_dialog_ref(p_));
}

inline owned<event_ref> event_ref::ref() const noexcept
{
    return owned<event_ref>(mcphost_event_ref(p_));
}

inline owned<filter_ref> filter_ref::ref() const noexcept
{
    return owned<filter_ref>(mcphost_filter_ref(p_));
}

inline owned<grant_ref> grant_ref::ref() const noexcept
{
    return owned<grant_ref>(mcphost_grant_ref(p_));
}

inline owned<items_ref> items_ref::ref() const noexcept
{
    return owned<items_ref>(mcphost_items_ref(p_));
}

inline owned<lease_ref> lease_ref::ref() const noexcept
{
    return owned<lease_ref>(mcphost_lease_ref(p_));
}

inline owned<problem_ref> problem_ref::ref() const noexcept
{
    return owned<problem_ref>(mcphost_problem_ref(p_));
}

inline owned<projection_ref> projection_ref::ref() const noexcept
{
    return owned<projection_ref>(mcphost_projection_ref(p_));
}

inline owned<prompt_ref> prompt_ref::ref() const noexcept
{
    return owned<prompt_ref>(mcphost_prompt_ref(p_));
}

inline owned<provider_ref> provider_ref::ref() const noexcept
{
    return owned<provider_ref>(mcphost_provider_ref(p_));
}

inline owned<provider_call_ref> provider_call_ref::ref() const noexcept
{
    return owned<provider_call_ref>(mcphost_provider_call_ref(p_));
}

inline owned<request_ref> request_ref::ref() const noexcept
{
    return owned<request_ref>(mcphost_request_ref(p_));
}

inline owned<resource_ref> resource_ref::ref() const noexcept
{
    return owned<resource_ref>(mcphost_resource_ref(p_));
}

inline owned<resource_template_ref> resource_template_ref::ref() const noexcept
{
    return owned<resource_template_ref>(mcphost_resource_template_ref(p_));
}

inline owned<call_result_ref> call_result_ref::ref() const noexcept
{
    return owned<call_result_ref>(mcphost_result_ref(p_));
}

inline owned<retry_ref> retry_ref::ref() const noexcept
{
    return owned<retry_ref>(mcphost_retry_ref(p_));
}

inline owned<sampling_ref> sampling_ref::ref() const noexcept
{
    return owned<sampling_ref>(mcphost_sampling_ref(p_));
}

inline owned<schema_ref> schema_ref::ref() const noexcept
{
    return owned<schema_ref>(mcphost_schema_ref(p_));
}

inline owned<schema_report_ref> schema_report_ref::ref() const noexcept
{
    return owned<schema_report_ref>(mcphost_schema_report_ref(p_));
}

inline owned<server_ref> server_ref::ref() const noexcept
{
    return owned<server_ref>(mcphost_server_ref(p_));
}

inline owned<serving_ref> serving_ref::ref() const noexcept
{
    return owned<serving_ref>(mcphost_serving_ref(p_));
}

inline owned<skill_ref> skill_ref::ref() const noexcept
{
    return owned<skill_ref>(mcphost_skill_ref(p_));
}

inline owned<source_ref> source_ref::ref() const noexcept
{
    return owned<source_ref>(mcphost_source_ref(p_));
}

inline owned<subscription_ref> subscription_ref::ref() const noexcept
{
    return owned<subscription_ref>(mcphost_subscription_ref(p_));
}

inline owned<tool_ref> tool_ref::ref() const noexcept
{
    return owned<tool_ref>(mcphost_tool_ref(p_));
}

inline owned<transform_ref> transform_ref::ref() const noexcept
{
    return owned<transform_ref>(mcphost_transform_ref(p_));
}

inline owned<turn_ref> turn_ref::ref() const noexcept
{
    return owned<turn_ref>(mcphost_turn_ref(p_));
}

inline owned<view_ref> view_ref::ref() const noexcept
{
    return owned<view_ref>(mcphost_view_ref(p_));
}

inline std::string_view artifact_mime_type(const mcphostxx::text &path)
{
    if (detail::fault(path))
        return std::string_view();
    return detail::view(mcphost_artifact_get_mime_type(path.c_str()));
}

inline mcphostxx::result<int> artifact_list(const mcphostxx::text &dir,
                                            artifact_function fn)
{
    if (int bad = detail::fault(dir))
        return mcphostxx::error(bad);
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    detail::box<artifact_function> held{std::move(fn)};
    mcphost_error *err = nullptr;
    int r = mcphost_artifact_list(dir.c_str(), detail::artifact_thunk::call, &held, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return r;
}

inline mcphostxx::result<void> artifact_delete_all(const mcphostxx::text &dir)
{
    if (int bad = detail::fault(dir))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_artifact_delete_all(dir.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<builtins_ref>>
builtins_ref::create(const mcphostxx::text &owner)
{
    if (int bad = detail::fault(owner))
        return mcphostxx::error(bad);
    mcphost_builtins *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_builtins_new(owner.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<builtins_ref>(made);
}

inline std::string_view builtins_ref::owner() const
{
    return detail::view(mcphost_builtins_get_owner(p_));
}

inline mcphostxx::result<void> builtins_ref::add_tool(std::string_view definition,
                                                      builtin_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<builtin_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    mcphost_error *err = nullptr;
    int r = mcphost_builtins_add_tool(p_, detail::data(definition), definition.size(),
                                      detail::builtin_thunk::call, held,
                                      detail::box<builtin_function>::drop, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void>
builtins_ref::add_toolset(const mcphostxx::text &toolset,
                          const mcphostxx::text &description,
                          const text_list &tools) const
{
    if (int bad = detail::fault(toolset, description, tools))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_builtins_add_toolset(p_, toolset.c_str(), description.c_str(),
                                         tools.data(), tools.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<call_ref>> call_ref::create(dialog_ref dialog,
                                                           const mcphostxx::text &tool,
                                                           std::string_view arguments)
{
    if (int bad = detail::fault(tool))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new(dialog.get(), tool.c_str(), arguments.data(),
                             arguments.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_tool(dialog_ref dialog, tool_ref tool, std::string_view arguments)
{
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_tool(dialog.get(), tool.get(), arguments.data(),
                                  arguments.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_app_tool(dialog_ref dialog, const mcphostxx::text &server,
                          const mcphostxx::text &tool, std::string_view arguments)
{
    if (int bad = detail::fault(server, tool))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_app_tool(dialog.get(), server.c_str(), tool.c_str(),
                                      arguments.data(), arguments.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_read(dialog_ref dialog, const mcphostxx::text &server,
                      const mcphostxx::text &uri)
{
    if (int bad = detail::fault(server, uri))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_read(dialog.get(), server.c_str(), uri.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_prompt(dialog_ref dialog, const mcphostxx::text &name,
                        std::string_view arguments)
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_prompt(dialog.get(), name.c_str(), arguments.data(),
                                    arguments.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_complete_template(dialog_ref dialog, const mcphostxx::text &server,
                                   const mcphostxx::text &uri_template,
                                   const mcphostxx::text &argument,
                                   const mcphostxx::text &value, std::string_view context)
{
    if (int bad = detail::fault(server, uri_template, argument, value))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_complete_template(
        dialog.get(), server.c_str(), uri_template.c_str(), argument.c_str(),
        value.c_str(), context.data(), context.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_complete_prompt(dialog_ref dialog, const mcphostxx::text &name,
                                 const mcphostxx::text &argument,
                                 const mcphostxx::text &value, std::string_view context)
{
    if (int bad = detail::fault(name, argument, value))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_complete_prompt(dialog.get(), name.c_str(), argument.c_str(),
                                             value.c_str(), context.data(),
                                             context.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<void> call_ref::set_timeout(std::int64_t timeout_ms,
                                                     bool reset_on_progress,
                                                     std::int64_t max_ms) const
{
    int r = mcphost_call_set_timeout(p_, timeout_ms, reset_on_progress, max_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::set_progress(progress_function fn) const
{
    bool given = static_cast<bool>(fn);
    auto *held = fn ? detail::box<progress_function>::make(std::move(fn)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_call_set_progress(
        p_, given ? detail::progress_thunk::call : nullptr, held,
        given ? detail::box<progress_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::set_request(request_ref request) const
{
    int r = mcphost_call_set_request(p_, request.get());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::set_meta(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_call_set_meta(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline void call_ref::set_user_data(void *data) const
{
    mcphost_call_set_user_data(p_, data);
}

inline void *call_ref::user_data() const
{
    return mcphost_call_get_user_data(p_);
}

inline mcphostxx::result<void> call_ref::start(done_function done) const
{
    bool given = static_cast<bool>(done);
    auto *held = done ? detail::box<done_function>::make(std::move(done)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_call_start(p_, given ? detail::done_thunk::call : nullptr, held,
                               given ? detail::box<done_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::cancel() const
{
    int r = mcphost_call_cancel(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<int> call_ref::wait(std::int64_t timeout_ms) const
{
    int r = mcphost_call_wait(p_, timeout_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline bool call_ref::is_done() const
{
    return mcphost_call_is_done(p_) != 0;
}

inline owned<call_result_ref> call_ref::result() const
{
    return owned<call_result_ref>(mcphost_result_ref(mcphost_call_get_result(p_)));
}

inline mcphostxx::error call_ref::error() const
{
    return mcphostxx::error::borrow(mcphost_call_get_error(p_));
}

inline owned<tool_ref> call_ref::tool() const
{
    return owned<tool_ref>(mcphost_tool_ref(mcphost_call_get_tool(p_)));
}

inline std::string_view call_ref::dialog_id() const
{
    return detail::view(mcphost_call_get_dialog_id(p_));
}

inline std::string_view call_ref::arguments() const
{
    std::size_t len = 0;
    const char *text = mcphost_call_get_arguments(p_, &len);
    return detail::view(text, len);
}

inline mcphostxx::result<void> host_ref::set_before_call(before_call_function fn) const
{
    bool given = static_cast<bool>(fn);
    auto *held = fn ? detail::box<before_call_function>::make(std::move(fn)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_set_before_call(
        p_, given ? detail::before_call_thunk::call : nullptr, held,
        given ? detail::box<before_call_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
call_ref::set_trace_context(const mcphostxx::text &traceparent,
                            const mcphostxx::text &tracestate,
                            const mcphostxx::text &baggage) const
{
    if (int bad = detail::fault(traceparent, tracestate, baggage))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_call_set_trace_context(p_, traceparent.c_str(), tracestate.c_str(),
                                           baggage.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void>
host_ref::set_trace_context(trace_context_function fn) const
{
    bool given = static_cast<bool>(fn);
    auto *held = fn ? detail::box<trace_context_function>::make(std::move(fn)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_set_trace_context(
        p_, given ? detail::trace_context_thunk::call : nullptr, held,
        given ? detail::box<trace_context_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::allow() const
{
    int r = mcphost_call_allow(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::refuse(std::string_view text) const
{
    int r = mcphost_call_refuse(p_, detail::data(text), text.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::answer(std::string_view text,
                                                bool is_error) const
{
    int r = mcphost_call_answer(p_, detail::data(text), text.size(), is_error);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> call_ref::answer_result(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_call_answer_result(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> call_ref::report_progress(double progress, double total,
                                                         std::string_view message) const
{
    int r =
        mcphost_call_report_progress(p_, progress, total, message.data(), message.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline bool call_ref::is_cancelled() const
{
    return mcphost_call_is_cancelled(p_) != 0;
}

inline mcphostxx::result<void> call_ref::set_cancelled(cancelled_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<cancelled_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_call_set_cancelled(p_, detail::cancelled_thunk::call, held,
                                       detail::box<cancelled_function>::drop);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<items_ref>> call_ref::make_items() const
{
    mcphost_items *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_make_items(p_, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<items_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_in_turn(dialog_ref dialog, turn_ref turn, const mcphostxx::text &tool,
                         std::string_view arguments)
{
    if (int bad = detail::fault(tool))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_in_turn(dialog.get(), turn.get(), tool.c_str(),
                                     arguments.data(), arguments.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_skill(dialog_ref dialog, const mcphostxx::text &server,
                       const mcphostxx::text &uri)
{
    if (int bad = detail::fault(server, uri))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_get_skill(dialog.get(), server.c_str(), uri.c_str(), &made,
                                       &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_read_skill(dialog_ref dialog, const mcphostxx::text &server,
                            std::string_view entry, const mcphostxx::text &file)
{
    if (int bad = detail::fault(server, file))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_read_skill(dialog.get(), server.c_str(), detail::data(entry),
                                        entry.size(), file.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_read_directory(dialog_ref dialog, const mcphostxx::text &server,
                                const mcphostxx::text &uri, const mcphostxx::text &cursor)
{
    if (int bad = detail::fault(server, uri, cursor))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_read_directory(dialog.get(), server.c_str(), uri.c_str(),
                                            cursor.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline std::uint64_t catalog_ref::version() const
{
    return mcphost_catalog_get_version(p_);
}

inline owned<tool_ref> catalog_ref::find_tool(const mcphostxx::text &name) const
{
    if (detail::fault(name))
        return owned<tool_ref>();
    return owned<tool_ref>(mcphost_tool_ref(mcphost_catalog_find_tool(p_, name.c_str())));
}

inline std::size_t catalog_ref::count_tools() const
{
    return mcphost_catalog_count_tools(p_);
}

inline owned<tool_ref> catalog_ref::tool(std::size_t index) const
{
    return owned<tool_ref>(mcphost_tool_ref(mcphost_catalog_get_tool(p_, index)));
}

inline std::size_t catalog_ref::count_toolsets() const
{
    return mcphost_catalog_count_toolsets(p_);
}

inline std::string_view catalog_ref::toolset(std::size_t index) const
{
    return detail::view(mcphost_catalog_get_toolset(p_, index));
}

inline mcphostxx::result<std::size_t>
catalog_ref::find_toolset(const mcphostxx::text &name) const
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    std::size_t made = 0;
    int r = mcphost_catalog_find_toolset(p_, name.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return made;
}

inline std::string_view catalog_ref::toolset_owner(std::size_t index) const
{
    return detail::view(mcphost_catalog_get_toolset_owner(p_, index));
}

inline std::string_view catalog_ref::toolset_description(std::size_t index) const
{
    std::size_t len = 0;
    const char *text = mcphost_catalog_get_toolset_description(p_, index, &len);
    return detail::view(text, len);
}

inline std::size_t catalog_ref::count_toolset_tools(std::size_t index) const
{
    return mcphost_catalog_count_toolset_tools(p_, index);
}

inline owned<tool_ref> catalog_ref::toolset_tool(std::size_t index,
                                                 std::size_t tool_index) const
{
    return owned<tool_ref>(
        mcphost_tool_ref(mcphost_catalog_get_toolset_tool(p_, index, tool_index)));
}

inline mcphostxx::result<std::string_view>
catalog_ref::tools_json(int shape, const mcphostxx::text &toolset) const
{
    if (int bad = detail::fault(toolset))
        return mcphostxx::error(bad);
    const char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_catalog_get_tools_json(p_, shape, toolset.c_str(), &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return detail::view(made, len);
}

inline std::size_t catalog_ref::count_servers() const
{
    return mcphost_catalog_count_servers(p_);
}

inline owned<server_ref> catalog_ref::server(std::size_t index) const
{
    return owned<server_ref>(mcphost_server_ref(mcphost_catalog_get_server(p_, index)));
}

inline owned<server_ref> catalog_ref::find_server(const mcphostxx::text &id) const
{
    if (detail::fault(id))
        return owned<server_ref>();
    return owned<server_ref>(
        mcphost_server_ref(mcphost_catalog_find_server(p_, id.c_str())));
}

inline std::string_view server_ref::source_id() const
{
    return detail::view(mcphost_server_get_source_id(p_));
}

inline std::string_view server_ref::id() const
{
    return detail::view(mcphost_server_get_id(p_));
}

inline std::string_view server_ref::toolset() const
{
    return detail::view(mcphost_server_get_toolset(p_));
}

inline std::string_view server_ref::title() const
{
    std::size_t len = 0;
    const char *text = mcphost_server_get_title(p_, &len);
    return detail::view(text, len);
}

inline std::string_view server_ref::description() const
{
    std::size_t len = 0;
    const char *text = mcphost_server_get_description(p_, &len);
    return detail::view(text, len);
}

inline std::string_view server_ref::instructions() const
{
    std::size_t len = 0;
    const char *text = mcphost_server_get_instructions(p_, &len);
    return detail::view(text, len);
}

inline std::string_view server_ref::icons() const
{
    std::size_t len = 0;
    const char *text = mcphost_server_get_icons(p_, &len);
    return detail::view(text, len);
}

inline std::string_view server_ref::manual() const
{
    std::size_t len = 0;
    const char *text = mcphost_server_get_manual(p_, &len);
    return detail::view(text, len);
}

inline std::size_t server_ref::count_tools() const
{
    return mcphost_server_count_tools(p_);
}

inline owned<tool_ref> server_ref::tool(std::size_t index) const
{
    return owned<tool_ref>(mcphost_tool_ref(mcphost_server_get_tool(p_, index)));
}

inline owned<tool_ref> server_ref::find_tool(const mcphostxx::text &name) const
{
    if (detail::fault(name))
        return owned<tool_ref>();
    return owned<tool_ref>(mcphost_tool_ref(mcphost_server_find_tool(p_, name.c_str())));
}

inline std::size_t server_ref::count_app_tools() const
{
    return mcphost_server_count_app_tools(p_);
}

inline owned<tool_ref> server_ref::app_tool(std::size_t index) const
{
    return owned<tool_ref>(mcphost_tool_ref(mcphost_server_get_app_tool(p_, index)));
}

inline std::string_view tool_ref::name() const
{
    return detail::view(mcphost_tool_get_name(p_));
}

inline std::string_view tool_ref::original_name() const
{
    return detail::view(mcphost_tool_get_original_name(p_));
}

inline std::string_view tool_ref::source_id() const
{
    return detail::view(mcphost_tool_get_source_id(p_));
}

inline std::string_view tool_ref::server_id() const
{
    return detail::view(mcphost_tool_get_server_id(p_));
}

inline std::string_view tool_ref::toolset() const
{
    return detail::view(mcphost_tool_get_toolset(p_));
}

inline std::string_view tool_ref::title() const
{
    std::size_t len = 0;
    const char *text = mcphost_tool_get_title(p_, &len);
    return detail::view(text, len);
}

inline std::string_view tool_ref::description() const
{
    std::size_t len = 0;
    const char *text = mcphost_tool_get_description(p_, &len);
    return detail::view(text, len);
}

inline std::string_view tool_ref::input_schema() const
{
    std::size_t len = 0;
    const char *text = mcphost_tool_get_input_schema(p_, &len);
    return detail::view(text, len);
}

inline std::string_view tool_ref::output_schema() const
{
    std::size_t len = 0;
    const char *text = mcphost_tool_get_output_schema(p_, &len);
    return detail::view(text, len);
}

inline std::string_view tool_ref::annotations() const
{
    std::size_t len = 0;
    const char *text = mcphost_tool_get_annotations(p_, &len);
    return detail::view(text, len);
}

inline std::string_view tool_ref::definition() const
{
    std::size_t len = 0;
    const char *text = mcphost_tool_get_definition(p_, &len);
    return detail::view(text, len);
}

inline int tool_ref::visibility() const
{
    return mcphost_tool_get_visibility(p_);
}

inline std::string_view tool_ref::app_uri() const
{
    std::size_t len = 0;
    const char *text = mcphost_tool_get_app_uri(p_, &len);
    return detail::view(text, len);
}

inline std::size_t catalog_ref::count_prompts() const
{
    return mcphost_catalog_count_prompts(p_);
}

inline owned<prompt_ref> catalog_ref::prompt(std::size_t index) const
{
    return owned<prompt_ref>(mcphost_prompt_ref(mcphost_catalog_get_prompt(p_, index)));
}

inline owned<prompt_ref> catalog_ref::find_prompt(const mcphostxx::text &name) const
{
    if (detail::fault(name))
        return owned<prompt_ref>();
    return owned<prompt_ref>(
        mcphost_prompt_ref(mcphost_catalog_find_prompt(p_, name.c_str())));
}

inline mcphostxx::result<std::string_view>
catalog_ref::prompts_json(const mcphostxx::text &toolset) const
{
    if (int bad = detail::fault(toolset))
        return mcphostxx::error(bad);
    const char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_catalog_get_prompts_json(p_, toolset.c_str(), &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return detail::view(made, len);
}

inline std::size_t server_ref::count_prompts() const
{
    return mcphost_server_count_prompts(p_);
}

inline owned<prompt_ref> server_ref::prompt(std::size_t index) const
{
    return owned<prompt_ref>(mcphost_prompt_ref(mcphost_server_get_prompt(p_, index)));
}

inline std::string_view prompt_ref::name() const
{
    return detail::view(mcphost_prompt_get_name(p_));
}

inline std::string_view prompt_ref::original_name() const
{
    return detail::view(mcphost_prompt_get_original_name(p_));
}

inline std::string_view prompt_ref::title() const
{
    std::size_t len = 0;
    const char *text = mcphost_prompt_get_title(p_, &len);
    return detail::view(text, len);
}

inline std::string_view prompt_ref::description() const
{
    std::size_t len = 0;
    const char *text = mcphost_prompt_get_description(p_, &len);
    return detail::view(text, len);
}

inline std::string_view prompt_ref::arguments() const
{
    std::size_t len = 0;
    const char *text = mcphost_prompt_get_arguments(p_, &len);
    return detail::view(text, len);
}

inline std::string_view prompt_ref::definition() const
{
    std::size_t len = 0;
    const char *text = mcphost_prompt_get_definition(p_, &len);
    return detail::view(text, len);
}

inline std::string_view prompt_ref::source_id() const
{
    return detail::view(mcphost_prompt_get_source_id(p_));
}

inline std::string_view prompt_ref::server_id() const
{
    return detail::view(mcphost_prompt_get_server_id(p_));
}

inline std::string_view prompt_ref::toolset() const
{
    return detail::view(mcphost_prompt_get_toolset(p_));
}

inline std::size_t catalog_ref::count_resources() const
{
    return mcphost_catalog_count_resources(p_);
}

inline owned<resource_ref> catalog_ref::resource(std::size_t index) const
{
    return owned<resource_ref>(
        mcphost_resource_ref(mcphost_catalog_get_resource(p_, index)));
}

inline owned<resource_ref> catalog_ref::find_resource(const mcphostxx::text &server,
                                                      const mcphostxx::text &uri) const
{
    if (detail::fault(server, uri))
        return owned<resource_ref>();
    return owned<resource_ref>(mcphost_resource_ref(
        mcphost_catalog_find_resource(p_, server.c_str(), uri.c_str())));
}

inline mcphostxx::result<std::string_view>
catalog_ref::resources_json(const mcphostxx::text &toolset) const
{
    if (int bad = detail::fault(toolset))
        return mcphostxx::error(bad);
    const char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_catalog_get_resources_json(p_, toolset.c_str(), &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return detail::view(made, len);
}

inline std::size_t server_ref::count_resources() const
{
    return mcphost_server_count_resources(p_);
}

inline owned<resource_ref> server_ref::resource(std::size_t index) const
{
    return owned<resource_ref>(
        mcphost_resource_ref(mcphost_server_get_resource(p_, index)));
}

inline std::string_view resource_ref::uri() const
{
    return detail::view(mcphost_resource_get_uri(p_));
}

inline std::string_view resource_ref::id() const
{
    return detail::view(mcphost_resource_get_id(p_));
}

inline std::string_view resource_ref::name() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_get_name(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_ref::title() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_get_title(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_ref::description() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_get_description(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_ref::mime_type() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_get_mime_type(p_, &len);
    return detail::view(text, len);
}

inline std::int64_t resource_ref::size() const
{
    return mcphost_resource_get_size(p_);
}

inline std::string_view resource_ref::annotations() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_get_annotations(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_ref::definition() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_get_definition(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_ref::source_id() const
{
    return detail::view(mcphost_resource_get_source_id(p_));
}

inline std::string_view resource_ref::server_id() const
{
    return detail::view(mcphost_resource_get_server_id(p_));
}

inline std::string_view resource_ref::toolset() const
{
    return detail::view(mcphost_resource_get_toolset(p_));
}

inline std::size_t catalog_ref::count_resource_templates() const
{
    return mcphost_catalog_count_resource_templates(p_);
}

inline owned<resource_template_ref>
catalog_ref::resource_template(std::size_t index) const
{
    return owned<resource_template_ref>(
        mcphost_resource_template_ref(mcphost_catalog_get_resource_template(p_, index)));
}

inline owned<resource_template_ref>
catalog_ref::find_resource_template(const mcphostxx::text &server,
                                    const mcphostxx::text &uri_template) const
{
    if (detail::fault(server, uri_template))
        return owned<resource_template_ref>();
    return owned<resource_template_ref>(
        mcphost_resource_template_ref(mcphost_catalog_find_resource_template(
            p_, server.c_str(), uri_template.c_str())));
}

inline mcphostxx::result<std::string_view>
catalog_ref::resource_templates_json(const mcphostxx::text &toolset) const
{
    if (int bad = detail::fault(toolset))
        return mcphostxx::error(bad);
    const char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_catalog_get_resource_templates_json(p_, toolset.c_str(), &made, &len,
                                                        &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return detail::view(made, len);
}

inline std::size_t server_ref::count_resource_templates() const
{
    return mcphost_server_count_resource_templates(p_);
}

inline owned<resource_template_ref> server_ref::resource_template(std::size_t index) const
{
    return owned<resource_template_ref>(
        mcphost_resource_template_ref(mcphost_server_get_resource_template(p_, index)));
}

inline std::string_view resource_template_ref::uri_template() const
{
    return detail::view(mcphost_resource_template_get_uri_template(p_));
}

inline std::string_view resource_template_ref::id() const
{
    return detail::view(mcphost_resource_template_get_id(p_));
}

inline std::string_view resource_template_ref::name() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_template_get_name(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_template_ref::title() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_template_get_title(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_template_ref::description() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_template_get_description(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_template_ref::mime_type() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_template_get_mime_type(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_template_ref::annotations() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_template_get_annotations(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_template_ref::definition() const
{
    std::size_t len = 0;
    const char *text = mcphost_resource_template_get_definition(p_, &len);
    return detail::view(text, len);
}

inline std::string_view resource_template_ref::source_id() const
{
    return detail::view(mcphost_resource_template_get_source_id(p_));
}

inline std::string_view resource_template_ref::server_id() const
{
    return detail::view(mcphost_resource_template_get_server_id(p_));
}

inline std::string_view resource_template_ref::toolset() const
{
    return detail::view(mcphost_resource_template_get_toolset(p_));
}

inline std::size_t catalog_ref::count_missing() const
{
    return mcphost_catalog_count_missing(p_);
}

inline owned<tool_ref> catalog_ref::find_projected(int profile, std::size_t name_max,
                                                   const mcphostxx::text &name) const
{
    if (detail::fault(name))
        return owned<tool_ref>();
    return owned<tool_ref>(mcphost_tool_ref(
        mcphost_catalog_find_projected(p_, profile, name_max, name.c_str())));
}

inline std::size_t catalog_ref::count_skills() const
{
    return mcphost_catalog_count_skills(p_);
}

inline owned<skill_ref> catalog_ref::skill(std::size_t index) const
{
    return owned<skill_ref>(mcphost_skill_ref(mcphost_catalog_get_skill(p_, index)));
}

inline owned<skill_ref> catalog_ref::find_skill(const mcphostxx::text &server,
                                                const mcphostxx::text &uri) const
{
    if (detail::fault(server, uri))
        return owned<skill_ref>();
    return owned<skill_ref>(
        mcphost_skill_ref(mcphost_catalog_find_skill(p_, server.c_str(), uri.c_str())));
}

inline std::size_t server_ref::count_skills() const
{
    return mcphost_server_count_skills(p_);
}

inline owned<skill_ref> server_ref::skill(std::size_t index) const
{
    return owned<skill_ref>(mcphost_skill_ref(mcphost_server_get_skill(p_, index)));
}

inline mcphostxx::result<owned<chatos_ref>> chatos_ref::create(host_ref host)
{
    mcphost_chatos *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_new(host.get(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<chatos_ref>(made);
}

inline mcphostxx::result<void> chatos_ref::set_dir(int dir,
                                                   const mcphostxx::text &path) const
{
    if (int bad = detail::fault(path))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_set_dir(p_, dir, path.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> chatos_ref::set_flags(std::uint64_t flags) const
{
    int r = mcphost_chatos_set_flags(p_, flags);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> chatos_ref::set_admin(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_set_admin(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> chatos_ref::scan(chatos_scan_function done) const
{
    bool given = static_cast<bool>(done);
    auto *held =
        done ? detail::box<chatos_scan_function>::make(std::move(done)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r =
        mcphost_chatos_scan(p_, given ? detail::chatos_scan_thunk::call : nullptr, held,
                            given ? detail::box<chatos_scan_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<int> chatos_ref::wait(std::int64_t timeout_ms) const
{
    int r = mcphost_chatos_wait(p_, timeout_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline mcphostxx::result<owned_text> chatos_ref::list_apps() const
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_list_apps(p_, &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned_text>
chatos_ref::contribution(const mcphostxx::text &plugin, const mcphostxx::text &app) const
{
    if (int bad = detail::fault(plugin, app))
        return mcphostxx::error(bad);
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_get_contribution(p_, plugin.c_str(), app.c_str(), &made, &len,
                                            &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned<config_ref>> chatos_ref::config(int flow) const
{
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_get_config(p_, flow, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<void> chatos_ref::follow(source_ref source, int flow) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_follow(p_, source.get(), flow, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> chatos_ref::check_record(std::string_view json)
{
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_check_record(detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<chatos_run_ref>>
chatos_ref::inject(view_ref view, std::string_view record, int flow,
                   const mcphostxx::text &language) const
{
    if (int bad = detail::fault(language))
        return mcphostxx::error(bad);
    mcphost_chatos_run *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_inject(p_, view.get(), detail::data(record), record.size(),
                                  flow, language.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<chatos_run_ref>(made);
}

inline mcphostxx::result<int> chatos_ref::sync(chatos_put_function put) const
{
    if (!put)
        return mcphostxx::error(MCPHOST_E_INVALID);
    detail::box<chatos_put_function> held{std::move(put)};
    mcphost_error *err = nullptr;
    int r = mcphost_chatos_sync(p_, detail::chatos_put_thunk::call, &held, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return r;
}

inline std::string_view chatos_run_ref::json() const
{
    std::size_t len = 0;
    const char *text = mcphost_chatos_run_get_json(p_, &len);
    return detail::view(text, len);
}

inline mcphostxx::result<void> chatos_run_ref::end() const
{
    int r = mcphost_chatos_run_end(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<config_ref>>
config_ref::load_workspace(const mcphostxx::text &dir)
{
    if (int bad = detail::fault(dir))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_config_load_workspace(dir.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<owned<config_ref>>
config_ref::load_file(const mcphostxx::text &path, const mcphostxx::text &workspace)
{
    if (int bad = detail::fault(path, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_config_load_file(path.c_str(), workspace.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<owned<config_ref>>
config_ref::load_memory(std::string_view data, const mcphostxx::text &name,
                        const mcphostxx::text &workspace)
{
    if (int bad = detail::fault(name, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_config_load_memory(data.data(), data.size(), name.c_str(),
                                       workspace.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<owned<config_ref>>
config_ref::load(std::string_view data, const mcphostxx::text &file,
                 const mcphostxx::text &workspace, unsigned transports)
{
    if (int bad = detail::fault(file, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_config_load(data.data(), data.size(), file.c_str(), workspace.c_str(),
                                transports, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<owned<config_ref>>
config_ref::load_dir(const mcphostxx::text &dir, const mcphostxx::text &workspace,
                     unsigned transports)
{
    if (int bad = detail::fault(dir, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r =
        mcphost_config_load_dir(dir.c_str(), workspace.c_str(), transports, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<owned<config_ref>>
config_ref::create_stdio(const mcphostxx::text &id, const text_list &argv,
                         const mcphostxx::text &workspace)
{
    if (int bad = detail::fault(id, argv, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r =
        mcphost_config_new_stdio(id.c_str(), argv.data(), workspace.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<owned<config_ref>>
config_ref::create_http(const mcphostxx::text &id, const mcphostxx::text &url,
                        const text_list &headers, const mcphostxx::text &workspace)
{
    if (int bad = detail::fault(id, url, headers, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_config_new_http(id.c_str(), url.c_str(), headers.data(),
                                    workspace.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<owned<config_ref>>
config_ref::create_sse(const mcphostxx::text &id, const mcphostxx::text &url,
                       const text_list &headers, const mcphostxx::text &workspace)
{
    if (int bad = detail::fault(id, url, headers, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_config_new_sse(id.c_str(), url.c_str(), headers.data(),
                                   workspace.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<void> config_ref::set_era(int era) const
{
    int r = mcphost_config_set_era(p_, era);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<config_ref>>
config_ref::pick_server(const mcphostxx::text &id) const
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    int r = mcphost_config_pick_server(p_, id.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<config_ref>(made);
}

inline int config_ref::status() const
{
    return mcphost_config_get_status(p_);
}

inline std::string_view config_ref::file() const
{
    return detail::view(mcphost_config_get_file(p_));
}

inline std::string_view config_ref::workspace() const
{
    return detail::view(mcphost_config_get_workspace(p_));
}

inline std::size_t config_ref::count_servers() const
{
    return mcphost_config_count_servers(p_);
}

inline mcphostxx::result<std::size_t>
config_ref::find_server(const mcphostxx::text &id) const
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    std::size_t made = 0;
    int r = mcphost_config_find_server(p_, id.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return made;
}

inline std::string_view config_ref::server_id(std::size_t index) const
{
    return detail::view(mcphost_config_server_get_id(p_, index));
}

inline mcphostxx::result<int> config_ref::server_state(std::size_t index) const
{
    int r = mcphost_config_server_get_state(p_, index);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline int config_ref::server_transport(std::size_t index) const
{
    return mcphost_config_server_get_transport(p_, index);
}

inline std::string_view config_ref::server_file(std::size_t index) const
{
    return detail::view(mcphost_config_server_get_file(p_, index));
}

inline int config_ref::server_line(std::size_t index) const
{
    return mcphost_config_server_get_line(p_, index);
}

inline mcphostxx::result<config_ref::server_change>
config_ref::server_compare(config_ref to, const mcphostxx::text &id) const
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    char keys[1024] = "";
    int r = mcphost_config_server_compare(p_, to.get(), id.c_str(), keys, sizeof(keys));
    if (r < 0)
        return mcphostxx::error(r);
    return server_change{r, keys};
}

inline mcphostxx::result<owned_text> config_ref::server_make_json(std::size_t index) const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_config_server_make_json(p_, index, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline mcphostxx::result<int> config_ref::file_set_enabled(const mcphostxx::text &path,
                                                           const mcphostxx::text &id,
                                                           bool enabled)
{
    if (int bad = detail::fault(path, id))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_config_file_set_enabled(path.c_str(), id.c_str(), enabled, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return r;
}

inline std::size_t config_ref::count_diagnostics() const
{
    return mcphost_config_count_diagnostics(p_);
}

inline mcphostxx::result<int> config_ref::diagnostic_severity(std::size_t index) const
{
    int r = mcphost_config_diagnostic_get_severity(p_, index);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline std::string_view config_ref::diagnostic_message(std::size_t index) const
{
    return detail::view(mcphost_config_diagnostic_get_message(p_, index));
}

inline std::string_view config_ref::diagnostic_key(std::size_t index) const
{
    return detail::view(mcphost_config_diagnostic_get_key(p_, index));
}

inline std::string_view config_ref::diagnostic_server_id(std::size_t index) const
{
    return detail::view(mcphost_config_diagnostic_get_server_id(p_, index));
}

inline std::string_view config_ref::diagnostic_file(std::size_t index) const
{
    return detail::view(mcphost_config_diagnostic_get_file(p_, index));
}

inline int config_ref::diagnostic_line(std::size_t index) const
{
    return mcphost_config_diagnostic_get_line(p_, index);
}

inline int config_ref::diagnostic_column(std::size_t index) const
{
    return mcphost_config_diagnostic_get_column(p_, index);
}

inline mcphostxx::result<owned<dialog_ref>>
dialog_ref::create(view_ref view, const mcphostxx::text &id,
                   const mcphostxx::text &root_id)
{
    if (int bad = detail::fault(id, root_id))
        return mcphostxx::error(bad);
    mcphost_dialog *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_dialog_new(view.get(), id.c_str(), root_id.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<dialog_ref>(made);
}

inline mcphostxx::result<void> dialog_ref::close() const
{
    int r = mcphost_dialog_close(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::string_view dialog_ref::id() const
{
    return detail::view(mcphost_dialog_get_id(p_));
}

inline std::string_view dialog_ref::root_id() const
{
    return detail::view(mcphost_dialog_get_root_id(p_));
}

inline mcphostxx::result<void> dialog_ref::set_agent(const mcphostxx::text &agent) const
{
    if (int bad = detail::fault(agent))
        return mcphostxx::error(bad);
    int r = mcphost_dialog_set_agent(p_, agent.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
dialog_ref::set_workspace(const mcphostxx::text &workspace) const
{
    if (int bad = detail::fault(workspace))
        return mcphostxx::error(bad);
    int r = mcphost_dialog_set_workspace(p_, workspace.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::string_view dialog_ref::agent() const
{
    return detail::view(mcphost_dialog_get_agent(p_));
}

inline std::string_view dialog_ref::workspace() const
{
    return detail::view(mcphost_dialog_get_workspace(p_));
}

inline mcphostxx::result<owned<catalog_ref>> dialog_ref::catalog() const
{
    mcphost_catalog *made = nullptr;
    int r = mcphost_dialog_get_catalog(p_, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<catalog_ref>(made);
}

inline mcphostxx::result<void> dialog_ref::begin_turn() const
{
    int r = mcphost_dialog_begin_turn(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> dialog_ref::end_turn() const
{
    int r = mcphost_dialog_end_turn(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline void dialog_ref::set_user_data(void *data) const
{
    mcphost_dialog_set_user_data(p_, data);
}

inline void *dialog_ref::user_data() const
{
    return mcphost_dialog_get_user_data(p_);
}

inline mcphostxx::result<void> dialog_ref::set_artifact_dir(const mcphostxx::text &dir,
                                                            std::uint64_t quota) const
{
    if (int bad = detail::fault(dir))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_dialog_set_artifact_dir(p_, dir.c_str(), quota, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<lease_ref>>
dialog_ref::lease(const mcphostxx::text &server_id) const
{
    if (int bad = detail::fault(server_id))
        return mcphostxx::error(bad);
    mcphost_lease *made = nullptr;
    int r = mcphost_dialog_get_lease(p_, server_id.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<lease_ref>(made);
}

inline mcphostxx::result<void>
dialog_ref::report_rejection(const mcphostxx::text &provider, std::string_view text) const
{
    if (int bad = detail::fault(provider))
        return mcphostxx::error(bad);
    int r = mcphost_dialog_report_rejection(p_, provider.c_str(), detail::data(text),
                                            text.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> dialog_ref::resume() const
{
    int r = mcphost_dialog_resume(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> dialog_ref::report_success() const
{
    int r = mcphost_dialog_report_success(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline int dialog_ref::run_state() const
{
    return mcphost_dialog_get_run_state(p_);
}

inline mcphostxx::result<owned_text> dialog_ref::stop_reason() const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_dialog_get_stop_reason(p_, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline std::string_view enum_name(int which, int value)
{
    return detail::view(mcphost_enum_get_name(which, value));
}

inline mcphostxx::result<int> enum_find_value(int which, const mcphostxx::text &name)
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    int made = 0;
    int r = mcphost_enum_find_value(which, name.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return made;
}

inline mcphostxx::result<int> enum_value(int which, std::size_t index)
{
    int made = 0;
    int r = mcphost_enum_get_value(which, index, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return made;
}

inline std::size_t enum_count_values(int which)
{
    return mcphost_enum_count_values(which);
}

inline std::string_view strerror(int code)
{
    return detail::view(mcphost_strerror(code));
}

inline mcphostxx::result<void> host_ref::set_event(event_function fn) const
{
    bool given = static_cast<bool>(fn);
    auto *held = fn ? detail::box<event_function>::make(std::move(fn)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_set_event(p_, given ? detail::event_thunk::call : nullptr, held,
                              given ? detail::box<event_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline int event_ref::kind() const
{
    return mcphost_event_get_kind(p_);
}

inline std::string_view event_ref::source_id() const
{
    return detail::view(mcphost_event_get_source_id(p_));
}

inline std::string_view event_ref::server_id() const
{
    return detail::view(mcphost_event_get_server_id(p_));
}

inline std::string_view event_ref::dialog_id() const
{
    return detail::view(mcphost_event_get_dialog_id(p_));
}

inline int event_ref::state() const
{
    return mcphost_event_get_state(p_);
}

inline std::int64_t event_ref::pid() const
{
    return mcphost_event_get_pid(p_);
}

inline std::uint64_t event_ref::version() const
{
    return mcphost_event_get_version(p_);
}

inline std::uint64_t event_ref::serial() const
{
    return mcphost_event_get_serial(p_);
}

inline owned<call_ref> event_ref::call() const
{
    return owned<call_ref>(mcphost_call_ref(mcphost_event_get_call(p_)));
}

inline owned<problem_ref> event_ref::problem() const
{
    return owned<problem_ref>(mcphost_problem_ref(mcphost_event_get_problem(p_)));
}

inline owned<config_ref> event_ref::config() const
{
    return owned<config_ref>(mcphost_config_ref(mcphost_event_get_config(p_)));
}

inline owned<request_ref> event_ref::request() const
{
    return owned<request_ref>(mcphost_request_ref(mcphost_event_get_request(p_)));
}

inline owned<subscription_ref> event_ref::subscription() const
{
    return owned<subscription_ref>(
        mcphost_subscription_ref(mcphost_event_get_subscription(p_)));
}

inline std::string_view event_ref::uri() const
{
    return detail::view(mcphost_event_get_uri(p_));
}

inline std::uint64_t event_ref::count() const
{
    return mcphost_event_get_count(p_);
}

inline mcphostxx::error event_ref::error() const
{
    return mcphostxx::error::borrow(mcphost_event_get_error(p_));
}

inline std::string_view event_ref::text() const
{
    return detail::view(mcphost_event_get_text(p_));
}

inline std::string_view event_ref::level() const
{
    return detail::view(mcphost_event_get_level(p_));
}

inline std::string_view event_ref::data() const
{
    std::size_t len = 0;
    const char *text = mcphost_event_get_data(p_, &len);
    return detail::view(text, len);
}

inline double event_ref::progress() const
{
    return mcphost_event_get_progress(p_);
}

inline double event_ref::total() const
{
    return mcphost_event_get_total(p_);
}

inline mcphostxx::result<owned<provider_ref>>
source_ref::files_new(const mcphostxx::text &id, std::string_view options) const
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    mcphost_provider *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_files_new(p_, id.c_str(), detail::data(options), options.size(),
                              &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<provider_ref>(made);
}

inline mcphostxx::result<owned<provider_ref>>
view_ref::files_new_in_view(const mcphostxx::text &id, std::string_view options) const
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    mcphost_provider *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_files_new_in_view(p_, id.c_str(), detail::data(options),
                                      options.size(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<provider_ref>(made);
}

inline mcphostxx::result<owned<filter_ref>> filter_ref::create()
{
    mcphost_filter *made = nullptr;
    int r = mcphost_filter_new(&made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<filter_ref>(made);
}

inline mcphostxx::result<void>
filter_ref::add_whitelist(const mcphostxx::text &pattern) const
{
    if (int bad = detail::fault(pattern))
        return mcphostxx::error(bad);
    int r = mcphost_filter_add_whitelist(p_, pattern.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
filter_ref::add_blacklist(const mcphostxx::text &pattern) const
{
    if (int bad = detail::fault(pattern))
        return mcphostxx::error(bad);
    int r = mcphost_filter_add_blacklist(p_, pattern.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<config_ref>> goclaw_load(const mcphostxx::text &workspace,
                                                        const mcphostxx::text &file,
                                                        std::uint64_t flags,
                                                        unsigned transports)
{
    if (int bad = detail::fault(workspace, file))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_goclaw_load(workspace.c_str(), file.c_str(), flags, transports, &made,
                                &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<void> source_ref::goclaw_follow(const mcphostxx::text &workspace,
                                                         const mcphostxx::text &file,
                                                         std::uint64_t flags) const
{
    if (int bad = detail::fault(workspace, file))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_goclaw_follow(p_, workspace.c_str(), file.c_str(), flags, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void>
source_ref::goclaw_load_subagent(const mcphostxx::text &workspace,
                                 const mcphostxx::text &workdir,
                                 const mcphostxx::text &file, std::uint64_t flags) const
{
    if (int bad = detail::fault(workspace, workdir, file))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_goclaw_load_subagent(p_, workspace.c_str(), workdir.c_str(),
                                         file.c_str(), flags, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned_text>
goclaw_make_skills_json(const mcphostxx::text &workspace, const mcphostxx::text &workdir,
                        const mcphostxx::text &skills_dir, const mcphostxx::text &role,
                        std::uint64_t flags)
{
    if (int bad = detail::fault(workspace, workdir, skills_dir, role))
        return mcphostxx::error(bad);
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_goclaw_make_skills_json(workspace.c_str(), workdir.c_str(),
                                            skills_dir.c_str(), role.c_str(), flags,
                                            &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned<builtins_ref>>
goclaw_builtins_new(const mcphostxx::text &workspace, const mcphostxx::text &skills_dir,
                    std::uint64_t flags)
{
    if (int bad = detail::fault(workspace, skills_dir))
        return mcphostxx::error(bad);
    mcphost_builtins *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_goclaw_builtins_new(workspace.c_str(), skills_dir.c_str(), flags,
                                        &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<builtins_ref>(made);
}

inline mcphostxx::result<owned<grant_ref>> grant_ref::create()
{
    mcphost_grant *made = nullptr;
    int r = mcphost_grant_new(&made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<grant_ref>(made);
}

inline mcphostxx::result<void> grant_ref::add_toolset(const mcphostxx::text &text) const
{
    if (int bad = detail::fault(text))
        return mcphostxx::error(bad);
    int r = mcphost_grant_add_toolset(p_, text.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> grant_ref::add_tool(const mcphostxx::text &text) const
{
    if (int bad = detail::fault(text))
        return mcphostxx::error(bad);
    int r = mcphost_grant_add_tool(p_, text.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_toolset_flags(const mcphostxx::text &toolset,
                                                           std::uint64_t flags) const
{
    if (int bad = detail::fault(toolset))
        return mcphostxx::error(bad);
    int r = mcphost_set_toolset_flags(p_, toolset.c_str(), flags);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::use_team(const mcphostxx::text &file) const
{
    if (int bad = detail::fault(file))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_use_team(p_, file.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<view_ref>>
host_ref::team_view(const mcphostxx::text &member) const
{
    if (int bad = detail::fault(member))
        return mcphostxx::error(bad);
    mcphost_view *made = nullptr;
    int r = mcphost_get_team_view(p_, member.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<view_ref>(made);
}

inline mcphostxx::result<owned<host_ref>> host_ref::create()
{
    mcphost *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_new(&made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<host_ref>(made);
}

inline mcphostxx::result<void> host_ref::close() const
{
    int r = mcphost_close(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::close_within(std::int64_t timeout_ms) const
{
    int r = mcphost_close_within(p_, timeout_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_identity(const mcphostxx::text &name,
                                                      const mcphostxx::text &version,
                                                      const mcphostxx::text &title) const
{
    if (int bad = detail::fault(name, version, title))
        return mcphostxx::error(bad);
    int r = mcphost_set_identity(p_, name.c_str(), version.c_str(), title.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_guard_path(const mcphostxx::text &path) const
{
    if (int bad = detail::fault(path))
        return mcphostxx::error(bad);
    int r = mcphost_set_guard_path(p_, path.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_spool_dir(const mcphostxx::text &dir) const
{
    if (int bad = detail::fault(dir))
        return mcphostxx::error(bad);
    int r = mcphost_set_spool_dir(p_, dir.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
host_ref::set_environment(const text_list &environment) const
{
    if (int bad = detail::fault(environment))
        return mcphostxx::error(bad);
    int r = mcphost_set_environment(p_, environment.data());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_env(const mcphostxx::text &name,
                                                 const mcphostxx::text &value) const
{
    if (int bad = detail::fault(name, value))
        return mcphostxx::error(bad);
    int r = mcphost_set_env(p_, name.c_str(), value.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_admin_env(const text_list &refused,
                                                       const text_list &allowed) const
{
    if (int bad = detail::fault(refused, allowed))
        return mcphostxx::error(bad);
    int r = mcphost_set_admin_env(p_, refused.data(), allowed.data());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
host_ref::set_credential(const mcphostxx::text &server, const mcphostxx::text &origin,
                         const mcphostxx::text &name, const mcphostxx::text &value) const
{
    if (int bad = detail::fault(server, origin, name, value))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_set_credential(p_, server.c_str(), origin.c_str(), name.c_str(),
                                   value.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void>
host_ref::forget_credentials(const mcphostxx::text &server) const
{
    if (int bad = detail::fault(server))
        return mcphostxx::error(bad);
    int r = mcphost_forget_credentials(p_, server.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::load_workspace(const mcphostxx::text &dir,
                                                        const mcphostxx::text &file) const
{
    if (int bad = detail::fault(dir, file))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_load_workspace(p_, dir.c_str(), file.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> host_ref::load(config_ref config) const
{
    int r = mcphost_load(p_, config.get());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::reload() const
{
    int r = mcphost_reload(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
host_ref::restart_server(const mcphostxx::text &server_id) const
{
    if (int bad = detail::fault(server_id))
        return mcphostxx::error(bad);
    int r = mcphost_restart_server(p_, server_id.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
host_ref::set_server_enabled(const mcphostxx::text &server_id, bool enabled) const
{
    if (int bad = detail::fault(server_id))
        return mcphostxx::error(bad);
    int r = mcphost_set_server_enabled(p_, server_id.c_str(), enabled);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::uint64_t host_ref::order_serial() const
{
    return mcphost_get_order_serial(p_);
}

inline mcphostxx::result<void> host_ref::set_verdicts(std::string_view salt,
                                                      std::string_view json) const
{
    int r = mcphost_set_verdicts(p_, detail::data(salt), salt.size(), detail::data(json),
                                 json.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned_text> host_ref::verdicts(std::string_view salt) const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_get_verdicts(p_, detail::data(salt), salt.size(), &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline mcphostxx::result<owned<items_ref>> items_ref::parse(std::string_view json,
                                                            const mcphostxx::text &dir)
{
    if (int bad = detail::fault(dir))
        return mcphostxx::error(bad);
    mcphost_items *made = nullptr;
    mcphost_error *err = nullptr;
    int r =
        mcphost_items_parse(detail::data(json), json.size(), dir.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<items_ref>(made);
}

inline bool items_ref::is_error() const
{
    return mcphost_items_is_error(p_) != 0;
}

inline std::string_view items_ref::json() const
{
    std::size_t len = 0;
    const char *text = mcphost_items_get_json(p_, &len);
    return detail::view(text, len);
}

inline std::string_view items_ref::text() const
{
    std::size_t len = 0;
    const char *text = mcphost_items_get_text(p_, &len);
    return detail::view(text, len);
}

inline mcphostxx::result<owned_text> items_ref::make_parts(int shape,
                                                           std::uint64_t max_bytes) const
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_items_make_parts(p_, shape, max_bytes, &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned_text>
items_ref::make_user_parts(int shape, std::uint64_t max_bytes) const
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_items_make_user_parts(p_, shape, max_bytes, &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<void> lease_ref::release_lease() const
{
    int r = mcphost_lease_release(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::string_view lease_ref::source_id() const
{
    return detail::view(mcphost_lease_get_source_id(p_));
}

inline std::string_view lease_ref::server_id() const
{
    return detail::view(mcphost_lease_get_server_id(p_));
}

inline std::string_view lease_ref::dialog_id() const
{
    return detail::view(mcphost_lease_get_dialog_id(p_));
}

inline int lease_ref::scope() const
{
    return mcphost_lease_get_scope(p_);
}

inline std::string_view lease_ref::scope_key() const
{
    return detail::view(mcphost_lease_get_scope_key(p_));
}

inline mcphostxx::result<void> host_ref::set_log(int level, log_function fn) const
{
    bool given = static_cast<bool>(fn);
    auto *held = fn ? detail::box<log_function>::make(std::move(fn)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_set_log(p_, level, given ? detail::log_thunk::call : nullptr, held,
                            given ? detail::box<log_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
host_ref::set_token_store(int store, const mcphostxx::text &directory) const
{
    if (int bad = detail::fault(directory))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_set_token_store(p_, store, directory.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

namespace detail
{
inline namespace MCPHOSTXX_MODE
{
struct token_store {
    token_load_function on_load;
    token_save_function on_save;
    token_next_function on_next;

    template <class F> static int run(const char *what, mcphost_error **reterr, F f)
    {
        outcome out(MCPHOST_E_STATE);
        guarded(what, [&] { out = f(); });
        int code = out.code();
        mcphost_error *err = out.release();
        if (reterr && code < 0)
            *reterr = err;
        else
            mcphost_error_unref(err);
        return code;
    }
    static int load(const char *key, char *buffer, std::size_t size, void *arg,
                    mcphost_error **reterr)
    {
        return run("token_load", reterr, [&] {
            return box<token_store>::of(arg).on_load(view(key), buffer, size);
        });
    }
    static int save(const char *key, const char *old, const char *text, void *arg,
                    mcphost_error **reterr)
    {
        return run("token_save", reterr, [&] {
            return box<token_store>::of(arg).on_save(view(key), view(old), view(text));
        });
    }
    static int next(const char *after, char *buffer, std::size_t size, void *arg,
                    mcphost_error **reterr)
    {
        return run("token_next", reterr, [&] {
            return box<token_store>::of(arg).on_next(view(after), buffer, size);
        });
    }
};
} // namespace MCPHOSTXX_MODE
} // namespace detail

inline mcphostxx::result<void>
host_ref::set_token_callbacks(token_load_function load, token_save_function save,
                              token_next_function next) const
{
    bool whole = load && save && next;
    auto *held = detail::box<detail::token_store>::make(
        {std::move(load), std::move(save), std::move(next)});
    mcphost_error *err = nullptr;
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_set_token_callbacks(
        p_, detail::token_store::load, whole ? detail::token_store::save : nullptr,
        detail::token_store::next, held, detail::box<detail::token_store>::drop, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<logins_ref>> host_ref::logins() const
{
    mcphost_logins *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_get_logins(p_, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<logins_ref>(made);
}

inline std::size_t logins_ref::count() const
{
    return mcphost_logins_count(p_);
}

inline std::string_view logins_ref::server_id(std::size_t index) const
{
    return detail::view(mcphost_logins_get_server_id(p_, index));
}

inline std::string_view logins_ref::issuer(std::size_t index) const
{
    return detail::view(mcphost_logins_get_issuer(p_, index));
}

inline std::string_view logins_ref::resource(std::size_t index) const
{
    return detail::view(mcphost_logins_get_resource(p_, index));
}

inline std::string_view logins_ref::account(std::size_t index) const
{
    return detail::view(mcphost_logins_get_account(p_, index));
}

inline std::string_view logins_ref::scope(std::size_t index) const
{
    return detail::view(mcphost_logins_get_scope(p_, index));
}

inline std::int64_t logins_ref::expires_s(std::size_t index) const
{
    return mcphost_logins_get_expires_s(p_, index);
}

inline int logins_ref::state(std::size_t index) const
{
    return mcphost_logins_get_state(p_, index);
}

inline mcphostxx::result<void> host_ref::log_out(const mcphostxx::text &server) const
{
    if (int bad = detail::fault(server))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_log_out(p_, server.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<int> host_ref::fd() const
{
    int r = mcphost_get_fd(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline mcphostxx::result<int> host_ref::dispatch() const
{
    int r = mcphost_dispatch(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline mcphostxx::result<int> host_ref::wait(std::int64_t timeout_ms) const
{
    int r = mcphost_wait(p_, timeout_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline mcphostxx::result<int> host_ref::wait_ready(std::int64_t timeout_ms) const
{
    int r = mcphost_wait_ready(p_, timeout_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline mcphostxx::result<void> host_ref::wake() const
{
    int r = mcphost_wake(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_driven(bool driven) const
{
    int r = mcphost_set_driven(p_, driven);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::thread_start() const
{
    int r = mcphost_thread_start(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::thread_stop() const
{
    int r = mcphost_thread_stop(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline bool host_ref::thread_is_current() const
{
    return mcphost_thread_is_current(p_) != 0;
}

inline mcphostxx::result<owned<config_ref>>
mcpservers_load(std::string_view data, const mcphostxx::text &file,
                const mcphostxx::text &workspace, unsigned transports)
{
    if (int bad = detail::fault(file, workspace))
        return mcphostxx::error(bad);
    mcphost_config *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_mcpservers_load(data.data(), data.size(), file.c_str(),
                                    workspace.c_str(), transports, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<config_ref>(made);
}

inline mcphostxx::result<void>
source_ref::mcpservers_follow(const mcphostxx::text &workspace,
                              const mcphostxx::text &file) const
{
    if (int bad = detail::fault(workspace, file))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_mcpservers_follow(p_, workspace.c_str(), file.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<plugins_ref>>
plugins_ref::create(source_ref source, const mcphostxx::text &dir)
{
    if (int bad = detail::fault(dir))
        return mcphostxx::error(bad);
    mcphost_plugins *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_plugins_new(source.get(), dir.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<plugins_ref>(made);
}

inline mcphostxx::result<void> plugins_ref::set_config(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_plugins_set_config(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> plugins_ref::set_only(const mcphostxx::text &id) const
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    int r = mcphost_plugins_set_only(p_, id.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> plugins_ref::set_reload(int mode) const
{
    int r = mcphost_plugins_set_reload(p_, mode);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> plugins_ref::scan() const
{
    int r = mcphost_plugins_scan(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<int> plugins_ref::wait(std::int64_t timeout_ms) const
{
    int r = mcphost_plugins_wait(p_, timeout_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline mcphostxx::result<void> plugins_ref::close() const
{
    int r = mcphost_plugins_close(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<plugin_rows_ref>> plugins_ref::rows() const
{
    mcphost_plugin_rows *made = nullptr;
    int r = mcphost_plugins_get_rows(p_, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<plugin_rows_ref>(made);
}

inline std::size_t plugin_rows_ref::count() const
{
    return mcphost_plugin_rows_count(p_);
}

inline std::string_view plugin_rows_ref::id(std::size_t index) const
{
    return detail::view(mcphost_plugin_rows_get_id(p_, index));
}

inline int plugin_rows_ref::kind(std::size_t index) const
{
    return mcphost_plugin_rows_get_kind(p_, index);
}

inline std::string_view plugin_rows_ref::file(std::size_t index) const
{
    return detail::view(mcphost_plugin_rows_get_file(p_, index));
}

inline int plugin_rows_ref::state(std::size_t index) const
{
    return mcphost_plugin_rows_get_state(p_, index);
}

inline mcphostxx::error plugin_rows_ref::error(std::size_t index) const
{
    return mcphostxx::error::borrow(mcphost_plugin_rows_get_error(p_, index));
}

inline mcphostxx::result<owned_text> plugin_rows_ref::make_json() const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_plugin_rows_make_json(p_, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline mcphostxx::result<void> host_ref::set_option(int option, std::int64_t value) const
{
    int r = mcphost_set_option(p_, option, value);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<std::int64_t> host_ref::option(int option) const
{
    std::int64_t made = 0;
    int r = mcphost_get_option(p_, option, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return made;
}

inline mcphostxx::result<void> check_option(int option, std::int64_t value)
{
    mcphost_error *err = nullptr;
    int r = mcphost_check_option(option, value, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<problems_ref>> host_ref::problems() const
{
    mcphost_problems *made = nullptr;
    int r = mcphost_get_problems(p_, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<problems_ref>(made);
}

inline mcphostxx::result<owned<problems_ref>>
host_ref::select_problems(std::uint64_t flags, const mcphostxx::text &id_prefix,
                          const mcphostxx::text &server_id) const
{
    if (int bad = detail::fault(id_prefix, server_id))
        return mcphostxx::error(bad);
    mcphost_problems *made = nullptr;
    int r =
        mcphost_select_problems(p_, flags, id_prefix.c_str(), server_id.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<problems_ref>(made);
}

inline mcphostxx::result<void> host_ref::forget_problem(const mcphostxx::text &id) const
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    int r = mcphost_forget_problem(p_, id.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::uint64_t problems_ref::version() const
{
    return mcphost_problems_get_version(p_);
}

inline std::size_t problems_ref::count() const
{
    return mcphost_problems_count(p_);
}

inline owned<problem_ref> problems_ref::at(std::size_t index) const
{
    return owned<problem_ref>(mcphost_problem_ref(mcphost_problems_get(p_, index)));
}

inline owned<problem_ref> problems_ref::find(const mcphostxx::text &id) const
{
    if (detail::fault(id))
        return owned<problem_ref>();
    return owned<problem_ref>(mcphost_problem_ref(mcphost_problems_find(p_, id.c_str())));
}

inline mcphostxx::result<owned_text> problems_ref::make_json() const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_problems_make_json(p_, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline std::string_view problem_ref::id() const
{
    return detail::view(mcphost_problem_get_id(p_));
}

inline std::string_view problem_ref::kind() const
{
    return detail::view(mcphost_problem_get_kind(p_));
}

inline int problem_ref::severity() const
{
    return mcphost_problem_get_severity(p_);
}

inline std::string_view problem_ref::message() const
{
    return detail::view(mcphost_problem_get_message(p_));
}

inline std::string_view problem_ref::source_id() const
{
    return detail::view(mcphost_problem_get_source_id(p_));
}

inline std::string_view problem_ref::server_id() const
{
    return detail::view(mcphost_problem_get_server_id(p_));
}

inline std::string_view problem_ref::detail() const
{
    std::size_t len = 0;
    const char *text = mcphost_problem_get_detail(p_, &len);
    return detail::view(text, len);
}

inline std::int64_t problem_ref::first_seen_ms() const
{
    return mcphost_problem_get_first_seen_ms(p_);
}

inline std::int64_t problem_ref::last_seen_ms() const
{
    return mcphost_problem_get_last_seen_ms(p_);
}

inline bool problem_ref::is_resolved() const
{
    return mcphost_problem_is_resolved(p_) != 0;
}

inline std::int64_t problem_ref::resolved_ms() const
{
    return mcphost_problem_get_resolved_ms(p_);
}

inline mcphostxx::result<owned_text> problem_ref::make_json() const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_problem_make_json(p_, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline mcphostxx::result<owned<projection_ref>>
projection_ref::create(catalog_ref catalog, int shape, int profile, std::size_t name_max)
{
    mcphost_projection *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_projection_new(catalog.get(), shape, profile, name_max, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<projection_ref>(made);
}

inline std::string_view projection_ref::json() const
{
    std::size_t len = 0;
    const char *text = mcphost_projection_get_json(p_, &len);
    return detail::view(text, len);
}

inline std::size_t projection_ref::count_problems() const
{
    return mcphost_projection_count_problems(p_);
}

inline owned<problem_ref> projection_ref::problem(std::size_t index) const
{
    return owned<problem_ref>(
        mcphost_problem_ref(mcphost_projection_get_problem(p_, index)));
}

inline std::string_view projection_ref::name(tool_ref tool) const
{
    return detail::view(mcphost_projection_get_name(p_, tool.get()));
}

inline owned<tool_ref> projection_ref::find_tool(const mcphostxx::text &name) const
{
    if (detail::fault(name))
        return owned<tool_ref>();
    return owned<tool_ref>(
        mcphost_tool_ref(mcphost_projection_find_tool(p_, name.c_str())));
}

inline mcphostxx::result<owned_text>
projection_ref::restore_arguments(tool_ref tool, std::string_view json) const
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_projection_restore_arguments(p_, tool.get(), detail::data(json),
                                                 json.size(), &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned<provider_ref>>
provider_ref::create(source_ref source, const mcphostxx::text &id)
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    mcphost_provider *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_provider_new(source.get(), id.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<provider_ref>(made);
}

inline mcphostxx::result<owned<provider_ref>>
provider_ref::create_in_view(view_ref view, const mcphostxx::text &id)
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    mcphost_provider *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_provider_new_in_view(view.get(), id.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<provider_ref>(made);
}

inline std::string_view provider_ref::id() const
{
    return detail::view(mcphost_provider_get_id(p_));
}

inline mcphostxx::result<void> provider_ref::set_about(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_provider_set_about(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

namespace detail
{
inline namespace MCPHOSTXX_MODE
{
struct life {
    setup_function setup;
    teardown_function teardown;

    static int set_up(mcphost_provider *provider, void *arg, mcphost_error **reterr)
    {
        outcome out(MCPHOST_E_STATE);
        guarded("setup", [&] { out = box<life>::of(arg).setup(provider_ref(provider)); });
        int code = out.code();
        mcphost_error *err = out.release();
        if (reterr && code < 0)
            *reterr = err;
        else
            mcphost_error_unref(err);
        return code;
    }
    static void tear_down(mcphost_provider *provider, void *arg)
    {
        guarded("teardown", [&] { box<life>::of(arg).teardown(provider_ref(provider)); });
    }
};
} // namespace MCPHOSTXX_MODE
} // namespace detail

inline mcphostxx::result<void> provider_ref::set_life(setup_function setup,
                                                      teardown_function teardown) const
{
    bool ups = static_cast<bool>(setup), downs = static_cast<bool>(teardown);
    auto *held = detail::box<detail::life>::make({std::move(setup), std::move(teardown)});
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_provider_set_life(p_, ups ? detail::life::set_up : nullptr,
                                      downs ? detail::life::tear_down : nullptr, held,
                                      detail::box<detail::life>::drop);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_ref::set_defaults(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_provider_set_defaults(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> provider_ref::set_config(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_provider_set_config(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned_text>
provider_ref::make_config_json(const mcphostxx::text &path) const
{
    if (int bad = detail::fault(path))
        return mcphostxx::error(bad);
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_provider_dup_config(p_, path.c_str(), &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline mcphostxx::result<void> provider_ref::add(int feature, std::string_view definition,
                                                 provide_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<provide_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    mcphost_error *err = nullptr;
    int r = mcphost_provider_add(p_, feature, detail::data(definition), definition.size(),
                                 detail::provide_thunk::call, held,
                                 detail::box<provide_function>::drop, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> provider_ref::remove(int feature,
                                                    const mcphostxx::text &name) const
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    int r = mcphost_provider_remove(p_, feature, name.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_ref::set_completion(int feature,
                                                            const mcphostxx::text &name,
                                                            provide_function fn) const
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<provide_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_provider_set_completion(p_, feature, name.c_str(),
                                            detail::provide_thunk::call, held,
                                            detail::box<provide_function>::drop);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_ref::updated(const mcphostxx::text &uri) const
{
    if (int bad = detail::fault(uri))
        return mcphostxx::error(bad);
    int r = mcphost_provider_updated(p_, uri.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_ref::log(int level, const mcphostxx::text &logger,
                                                 std::string_view data) const
{
    if (int bad = detail::fault(logger))
        return mcphostxx::error(bad);
    int r =
        mcphost_provider_log(p_, level, logger.c_str(), detail::data(data), data.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_ref::start() const
{
    int r = mcphost_provider_start(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_ref::close() const
{
    int r = mcphost_provider_close(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
provider_call_ref::request_sampling(std::string_view params, answered_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<answered_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    mcphost_error *err = nullptr;
    int r = mcphost_provider_request_sampling(p_, detail::data(params), params.size(),
                                              detail::answered_thunk::call, held,
                                              detail::box<answered_function>::drop, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> provider_ref::set_sampler(sampler_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<sampler_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    mcphost_error *err = nullptr;
    int r = mcphost_provider_set_sampler(p_, detail::sampler_thunk::call, held,
                                         detail::box<sampler_function>::drop, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline owned<provider_ref> provider_call_ref::provider() const
{
    return owned<provider_ref>(
        mcphost_provider_ref(mcphost_provider_call_get_provider(p_)));
}

inline int provider_call_ref::feature() const
{
    return mcphost_provider_call_get_feature(p_);
}

inline std::string_view provider_call_ref::name() const
{
    std::size_t len = 0;
    const char *text = mcphost_provider_call_get_name(p_, &len);
    return detail::view(text, len);
}

inline std::string_view provider_call_ref::arguments() const
{
    std::size_t len = 0;
    const char *text = mcphost_provider_call_get_arguments(p_, &len);
    return detail::view(text, len);
}

inline std::string_view provider_call_ref::argument() const
{
    std::size_t len = 0;
    const char *text = mcphost_provider_call_get_argument(p_, &len);
    return detail::view(text, len);
}

inline std::string_view provider_call_ref::value() const
{
    std::size_t len = 0;
    const char *text = mcphost_provider_call_get_value(p_, &len);
    return detail::view(text, len);
}

inline std::string_view provider_call_ref::meta() const
{
    std::size_t len = 0;
    const char *text = mcphost_provider_call_get_meta(p_, &len);
    return detail::view(text, len);
}

inline std::string_view provider_call_ref::dialog_id() const
{
    return detail::view(mcphost_provider_call_get_dialog_id(p_));
}

inline mcphostxx::result<void> provider_call_ref::answer(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_provider_call_answer(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> provider_call_ref::answer_text(std::string_view text,
                                                              bool is_error) const
{
    int r =
        mcphost_provider_call_answer_text(p_, detail::data(text), text.size(), is_error);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_call_ref::fail(std::int64_t code,
                                                       const mcphostxx::text &message,
                                                       std::string_view data) const
{
    if (int bad = detail::fault(message))
        return mcphostxx::error(bad);
    int r =
        mcphost_provider_call_fail(p_, code, message.c_str(), data.data(), data.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_call_ref::report(double progress, double total,
                                                         std::string_view text) const
{
    int r = mcphost_provider_call_report(p_, progress, total, text.data(), text.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline bool provider_call_ref::is_cancelled() const
{
    return mcphost_provider_call_is_cancelled(p_) != 0;
}

inline mcphostxx::result<void>
provider_call_ref::set_cancelled(unwanted_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<unwanted_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_provider_call_set_cancelled(p_, detail::unwanted_thunk::call, held,
                                                detail::box<unwanted_function>::drop);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> provider_call_ref::ask(int kind, std::string_view params,
                                                      answered_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<answered_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    mcphost_error *err = nullptr;
    int r = mcphost_provider_call_ask(p_, kind, params.data(), params.size(),
                                      detail::answered_thunk::call, held,
                                      detail::box<answered_function>::drop, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline int request_ref::kind() const
{
    return mcphost_request_get_kind(p_);
}

inline std::string_view request_ref::source_id() const
{
    return detail::view(mcphost_request_get_source_id(p_));
}

inline std::string_view request_ref::server_id() const
{
    return detail::view(mcphost_request_get_server_id(p_));
}

inline std::string_view request_ref::dialog_id() const
{
    return detail::view(mcphost_request_get_dialog_id(p_));
}

inline owned<call_ref> request_ref::call() const
{
    return owned<call_ref>(mcphost_call_ref(mcphost_request_get_call(p_)));
}

inline std::string_view request_ref::message() const
{
    return detail::view(mcphost_request_get_message(p_));
}

inline std::string_view request_ref::url() const
{
    return detail::view(mcphost_request_get_url(p_));
}

inline std::string_view request_ref::schema() const
{
    std::size_t len = 0;
    const char *text = mcphost_request_get_schema(p_, &len);
    return detail::view(text, len);
}

inline std::string_view request_ref::defaults() const
{
    std::size_t len = 0;
    const char *text = mcphost_request_get_defaults(p_, &len);
    return detail::view(text, len);
}

inline std::string_view request_ref::params() const
{
    std::size_t len = 0;
    const char *text = mcphost_request_get_params(p_, &len);
    return detail::view(text, len);
}

inline std::string_view request_ref::param(const mcphostxx::text &name) const
{
    if (detail::fault(name))
        return std::string_view();
    return detail::view(mcphost_request_get_param(p_, name.c_str()));
}

inline bool request_ref::is_open() const
{
    return mcphost_request_is_open(p_) != 0;
}

inline mcphostxx::result<void> request_ref::respond(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_request_respond(p_, json.data(), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> request_ref::check(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_request_check(p_, json.data(), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> request_ref::reject(int how,
                                                   const mcphostxx::text &message) const
{
    if (int bad = detail::fault(message))
        return mcphostxx::error(bad);
    int r = mcphost_request_reject(p_, how, message.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::set_sampler(sampler_function fn) const
{
    bool given = static_cast<bool>(fn);
    auto *held = fn ? detail::box<sampler_function>::make(std::move(fn)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_set_sampler(p_, given ? detail::sampler_thunk::call : nullptr, held,
                                given ? detail::box<sampler_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> host_ref::roots_changed() const
{
    int r = mcphost_roots_changed(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::string_view call_result_ref::json() const
{
    std::size_t len = 0;
    const char *text = mcphost_result_get_json(p_, &len);
    return detail::view(text, len);
}

inline bool call_result_ref::is_error() const
{
    return mcphost_result_is_error(p_) != 0;
}

inline std::string_view call_result_ref::structured() const
{
    std::size_t len = 0;
    const char *text = mcphost_result_get_structured(p_, &len);
    return detail::view(text, len);
}

inline std::size_t call_result_ref::count_items() const
{
    return mcphost_result_count_items(p_);
}

inline int call_result_ref::item_kind(std::size_t index) const
{
    return mcphost_result_item_get_kind(p_, index);
}

inline std::string_view call_result_ref::item_json(std::size_t index) const
{
    std::size_t len = 0;
    const char *text = mcphost_result_item_get_json(p_, index, &len);
    return detail::view(text, len);
}

inline mcphostxx::result<std::string_view>
call_result_ref::item_text(std::size_t index) const
{
    const char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_result_item_get_text(p_, index, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return detail::view(made, len);
}

inline mcphostxx::result<int>
call_result_ref::item_repeats_structured(std::size_t index) const
{
    int r = mcphost_result_item_repeats_structured(p_, index);
    if (r < 0)
        return mcphostxx::error(r);
    return r;
}

inline std::string_view call_result_ref::item_mime_type(std::size_t index) const
{
    return detail::view(mcphost_result_item_get_mime_type(p_, index));
}

inline std::string_view call_result_ref::item_uri(std::size_t index) const
{
    std::size_t len = 0;
    const char *text = mcphost_result_item_get_uri(p_, index, &len);
    return detail::view(text, len);
}

inline std::string_view call_result_ref::item_role(std::size_t index) const
{
    std::size_t len = 0;
    const char *text = mcphost_result_item_get_role(p_, index, &len);
    return detail::view(text, len);
}

inline std::size_t call_result_ref::count_values() const
{
    return mcphost_result_count_values(p_);
}

inline std::string_view call_result_ref::value(std::size_t index) const
{
    std::size_t len = 0;
    const char *text = mcphost_result_get_value(p_, index, &len);
    return detail::view(text, len);
}

inline std::int64_t call_result_ref::total() const
{
    return mcphost_result_get_total(p_);
}

inline bool call_result_ref::has_more() const
{
    return mcphost_result_has_more(p_) != 0;
}

inline int classify_failure(int status, std::string_view body,
                            const mcphostxx::text &error)
{
    if (detail::fault(error))
        return {};
    return mcphost_classify_failure(status, body.data(), body.size(), error.c_str());
}

inline mcphostxx::result<owned<retry_ref>> retry_ref::create(int strategy)
{
    mcphost_retry *made = nullptr;
    int r = mcphost_retry_new(strategy, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<retry_ref>(made);
}

inline mcphostxx::result<void> retry_ref::set_jitter(int percent) const
{
    int r = mcphost_retry_set_jitter(p_, percent);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::int64_t retry_ref::penalty_ms() const
{
    return mcphost_retry_get_penalty_ms(p_);
}

inline mcphostxx::result<owned<sampling_ref>>
sampling_ref::create(std::string_view params, int shape, int profile,
                     const mcphostxx::text &model, int modalities)
{
    if (int bad = detail::fault(model))
        return mcphostxx::error(bad);
    mcphost_sampling *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_sampling_new(detail::data(params), params.size(), shape, profile,
                                 model.c_str(), modalities, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<sampling_ref>(made);
}

inline std::string_view sampling_ref::json() const
{
    std::size_t len = 0;
    const char *text = mcphost_sampling_get_json(p_, &len);
    return detail::view(text, len);
}

inline std::size_t sampling_ref::count_notes() const
{
    return mcphost_sampling_count_notes(p_);
}

inline std::string_view sampling_ref::note(std::size_t index) const
{
    return detail::view(mcphost_sampling_get_note(p_, index));
}

inline mcphostxx::result<owned_text>
sampling_ref::make_result(std::string_view answer) const
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_sampling_make_result(p_, detail::data(answer), answer.size(), &made,
                                         &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned<schema_ref>> schema_ref::create()
{
    mcphost_schema *made = nullptr;
    int r = mcphost_schema_new(&made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<schema_ref>(made);
}

inline mcphostxx::result<void> schema_ref::set_option(int option,
                                                      std::int64_t value) const
{
    int r = mcphost_schema_set_option(p_, option, value);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
schema_ref::set_documents(schema_document_function fn) const
{
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<schema_document_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r = mcphost_schema_set_documents(p_, detail::schema_document_thunk::call, held,
                                         detail::box<schema_document_function>::drop);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> schema_ref::add_document(const mcphostxx::text &uri,
                                                        std::string_view json) const
{
    if (int bad = detail::fault(uri))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_schema_add_document(p_, uri.c_str(), detail::data(json), json.size(),
                                        &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> schema_ref::compile(std::string_view json) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_schema_compile(p_, detail::data(json), json.size(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<schema_report> schema_ref::validate(std::string_view json,
                                                             std::uint64_t flags) const
{
    mcphost_schema_report *made = nullptr;
    mcphost_error *err = nullptr;
    int r =
        mcphost_schema_validate(p_, detail::data(json), json.size(), flags, &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return schema_report(made);
}

inline std::size_t schema_report_ref::count_errors() const
{
    return mcphost_schema_report_count_errors(p_);
}

inline std::string_view schema_report_ref::instance_path(std::size_t index) const
{
    return detail::view(mcphost_schema_report_get_instance_path(p_, index));
}

inline std::string_view schema_report_ref::schema_path(std::size_t index) const
{
    return detail::view(mcphost_schema_report_get_schema_path(p_, index));
}

inline std::string_view schema_report_ref::keyword(std::size_t index) const
{
    return detail::view(mcphost_schema_report_get_keyword(p_, index));
}

inline std::string_view schema_report_ref::expected(std::size_t index) const
{
    return detail::view(mcphost_schema_report_get_expected(p_, index));
}

inline std::string_view schema_report_ref::found(std::size_t index) const
{
    return detail::view(mcphost_schema_report_get_found(p_, index));
}

inline std::string_view schema_report_ref::text() const
{
    return detail::view(mcphost_schema_report_get_text(p_));
}

inline std::string_view schema_report_ref::json() const
{
    std::size_t len = 0;
    const char *text = mcphost_schema_report_get_json(p_, &len);
    return detail::view(text, len);
}

inline std::string_view schema_report_ref::instance() const
{
    std::size_t len = 0;
    const char *text = mcphost_schema_report_get_instance(p_, &len);
    return detail::view(text, len);
}

inline mcphostxx::result<owned<serving_ref>>
view_ref::serve_fd(int in, int out, const mcphostxx::text &dialog_id) const
{
    if (int bad = detail::fault(dialog_id))
        return mcphostxx::error(bad);
    mcphost_serving *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_serve_fd(p_, in, out, dialog_id.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<serving_ref>(made);
}

inline mcphostxx::result<void> serving_ref::close() const
{
    int r = mcphost_serving_close(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::string_view serving_ref::dialog_id() const
{
    return detail::view(mcphost_serving_get_dialog_id(p_));
}

inline std::string_view skill_ref::uri() const
{
    return detail::view(mcphost_skill_get_uri(p_));
}

inline std::string_view skill_ref::name() const
{
    std::size_t len = 0;
    const char *text = mcphost_skill_get_name(p_, &len);
    return detail::view(text, len);
}

inline std::string_view skill_ref::description() const
{
    std::size_t len = 0;
    const char *text = mcphost_skill_get_description(p_, &len);
    return detail::view(text, len);
}

inline std::string_view skill_ref::frontmatter() const
{
    std::size_t len = 0;
    const char *text = mcphost_skill_get_frontmatter(p_, &len);
    return detail::view(text, len);
}

inline std::string_view skill_ref::entry() const
{
    std::size_t len = 0;
    const char *text = mcphost_skill_get_entry(p_, &len);
    return detail::view(text, len);
}

inline std::string_view skill_ref::source_id() const
{
    return detail::view(mcphost_skill_get_source_id(p_));
}

inline std::string_view skill_ref::server_id() const
{
    return detail::view(mcphost_skill_get_server_id(p_));
}

inline owned<source_ref> host_ref::default_source() const
{
    return owned<source_ref>(mcphost_source_ref(mcphost_default_source(p_)));
}

inline mcphostxx::result<owned<source_ref>> source_ref::create(host_ref host,
                                                               const mcphostxx::text &id)
{
    if (int bad = detail::fault(id))
        return mcphostxx::error(bad);
    mcphost_source *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_source_new(host.get(), id.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<source_ref>(made);
}

inline std::string_view source_ref::id() const
{
    return detail::view(mcphost_source_get_id(p_));
}

inline mcphostxx::result<void> source_ref::set_policy(int policy,
                                                      std::int64_t value) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_source_set_policy(p_, policy, value, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<std::int64_t> source_ref::policy(int policy) const
{
    std::int64_t made = 0;
    int r = mcphost_source_get_policy(p_, policy, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return made;
}

inline mcphostxx::result<void> source_ref::set_name_fn(name_function fn) const
{
    bool given = static_cast<bool>(fn);
    auto *held = fn ? detail::box<name_function>::make(std::move(fn)) : nullptr;
    if (given && !held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    int r =
        mcphost_source_set_name_fn(p_, given ? detail::name_thunk::call : nullptr, held,
                                   given ? detail::box<name_function>::drop : nullptr);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> source_ref::load(config_ref config) const
{
    int r = mcphost_source_load(p_, config.get());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
source_ref::follow_workspace(const mcphostxx::text &dir,
                             const mcphostxx::text &file) const
{
    if (int bad = detail::fault(dir, file))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_source_follow_workspace(p_, dir.c_str(), file.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> source_ref::follow_files(const mcphostxx::text &workspace,
                                                        const text_list &files) const
{
    if (int bad = detail::fault(workspace, files))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_source_follow_files(p_, workspace.c_str(), files.data(), files.size(),
                                        &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> source_ref::follow_dir(const mcphostxx::text &workspace,
                                                      const mcphostxx::text &dir) const
{
    if (int bad = detail::fault(workspace, dir))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_source_follow_dir(p_, workspace.c_str(), dir.c_str(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> source_ref::reload() const
{
    int r = mcphost_source_reload(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
source_ref::restart_server(const mcphostxx::text &server_id) const
{
    if (int bad = detail::fault(server_id))
        return mcphostxx::error(bad);
    int r = mcphost_source_restart_server(p_, server_id.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
source_ref::set_server_enabled(const mcphostxx::text &server_id, bool enabled) const
{
    if (int bad = detail::fault(server_id))
        return mcphostxx::error(bad);
    int r = mcphost_source_set_server_enabled(p_, server_id.c_str(), enabled);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> source_ref::remove() const
{
    int r = mcphost_source_remove(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<status_ref>> host_ref::status() const
{
    mcphost_status *made = nullptr;
    int r = mcphost_get_status(p_, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<status_ref>(made);
}

inline mcphostxx::result<owned_text> status_ref::make_json() const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_status_make_json(p_, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline std::size_t status_ref::count_servers() const
{
    return mcphost_status_count_servers(p_);
}

inline std::string_view status_ref::server_source_id(std::size_t index) const
{
    return detail::view(mcphost_status_server_get_source_id(p_, index));
}

inline std::string_view status_ref::server_id(std::size_t index) const
{
    return detail::view(mcphost_status_server_get_id(p_, index));
}

inline int status_ref::server_transport(std::size_t index) const
{
    return mcphost_status_server_get_transport(p_, index);
}

inline int status_ref::server_state(std::size_t index) const
{
    return mcphost_status_server_get_state(p_, index);
}

inline int status_ref::server_era(std::size_t index) const
{
    return mcphost_status_server_get_era(p_, index);
}

inline std::string_view status_ref::server_version(std::size_t index) const
{
    return detail::view(mcphost_status_server_get_version(p_, index));
}

inline std::int64_t status_ref::server_pid(std::size_t index) const
{
    return mcphost_status_server_get_pid(p_, index);
}

inline int status_ref::server_containment(std::size_t index) const
{
    return mcphost_status_server_get_containment(p_, index);
}

inline std::size_t status_ref::server_count_tools(std::size_t index) const
{
    return mcphost_status_server_count_tools(p_, index);
}

inline int status_ref::server_has_tools(std::size_t index) const
{
    return mcphost_status_server_has_tools(p_, index);
}

inline std::int64_t status_ref::server_start_ms(std::size_t index) const
{
    return mcphost_status_server_get_start_ms(p_, index);
}

inline std::int64_t status_ref::server_latency_ms(std::size_t index) const
{
    return mcphost_status_server_get_latency_ms(p_, index);
}

inline mcphostxx::error status_ref::server_error(std::size_t index) const
{
    return mcphostxx::error::borrow(mcphost_status_server_get_error(p_, index));
}

inline mcphostxx::result<owned_text> status_ref::server_make_json(std::size_t index) const
{
    char *made = nullptr;
    std::size_t len = 0;
    int r = mcphost_status_server_make_json(p_, index, &made, &len);
    if (r < 0)
        return mcphostxx::error(r);
    return owned_text(made, len);
}

inline std::size_t status_ref::count_leases() const
{
    return mcphost_status_count_leases(p_);
}

inline std::string_view status_ref::lease_source_id(std::size_t index) const
{
    return detail::view(mcphost_status_lease_get_source_id(p_, index));
}

inline std::string_view status_ref::lease_server_id(std::size_t index) const
{
    return detail::view(mcphost_status_lease_get_server_id(p_, index));
}

inline std::string_view status_ref::lease_dialog_id(std::size_t index) const
{
    return detail::view(mcphost_status_lease_get_dialog_id(p_, index));
}

inline int status_ref::lease_scope(std::size_t index) const
{
    return mcphost_status_lease_get_scope(p_, index);
}

inline std::string_view status_ref::lease_scope_key(std::size_t index) const
{
    return detail::view(mcphost_status_lease_get_scope_key(p_, index));
}

inline std::int64_t status_ref::lease_pid(std::size_t index) const
{
    return mcphost_status_lease_get_pid(p_, index);
}

inline int status_ref::lease_state(std::size_t index) const
{
    return mcphost_status_lease_get_state(p_, index);
}

inline std::size_t status_ref::lease_count_in_flight(std::size_t index) const
{
    return mcphost_status_lease_count_in_flight(p_, index);
}

inline std::int64_t status_ref::lease_since_ms(std::size_t index) const
{
    return mcphost_status_lease_get_since_ms(p_, index);
}

inline mcphostxx::result<owned<subscription_ref>>
dialog_ref::subscribe(const mcphostxx::text &server, const mcphostxx::text &uri) const
{
    if (int bad = detail::fault(server, uri))
        return mcphostxx::error(bad);
    mcphost_subscription *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_subscribe(p_, server.c_str(), uri.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<subscription_ref>(made);
}

inline mcphostxx::result<void> subscription_ref::unsubscribe() const
{
    int r = mcphost_unsubscribe(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline std::string_view subscription_ref::uri() const
{
    return detail::view(mcphost_subscription_get_uri(p_));
}

inline std::string_view subscription_ref::source_id() const
{
    return detail::view(mcphost_subscription_get_source_id(p_));
}

inline std::string_view subscription_ref::server_id() const
{
    return detail::view(mcphost_subscription_get_server_id(p_));
}

inline std::string_view subscription_ref::dialog_id() const
{
    return detail::view(mcphost_subscription_get_dialog_id(p_));
}

inline bool subscription_ref::is_ended() const
{
    return mcphost_subscription_is_ended(p_) != 0;
}

inline mcphostxx::result<void> call_ref::set_task(std::int64_t ttl_ms) const
{
    int r = mcphost_call_set_task(p_, ttl_ms);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<call_ref>>
call_ref::resume_task(dialog_ref dialog, const mcphostxx::text &server,
                      const mcphostxx::text &task_id)
{
    if (int bad = detail::fault(server, task_id))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_resume_task(dialog.get(), server.c_str(), task_id.c_str(), &made,
                                     &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_task(dialog_ref dialog, const mcphostxx::text &server,
                      const mcphostxx::text &task_id)
{
    if (int bad = detail::fault(server, task_id))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_get_task(dialog.get(), server.c_str(), task_id.c_str(),
                                      &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_update_task(dialog_ref dialog, const mcphostxx::text &server,
                             const mcphostxx::text &task_id, std::string_view responses)
{
    if (int bad = detail::fault(server, task_id))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_update_task(dialog.get(), server.c_str(), task_id.c_str(),
                                         detail::data(responses), responses.size(), &made,
                                         &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline mcphostxx::result<owned<call_ref>>
call_ref::create_cancel_task(dialog_ref dialog, const mcphostxx::text &server,
                             const mcphostxx::text &task_id)
{
    if (int bad = detail::fault(server, task_id))
        return mcphostxx::error(bad);
    mcphost_call *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_call_new_cancel_task(dialog.get(), server.c_str(), task_id.c_str(),
                                         &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<call_ref>(made);
}

inline std::string_view call_ref::task_id() const
{
    return detail::view(mcphost_call_get_task_id(p_));
}

inline int call_ref::task_status() const
{
    return mcphost_call_get_task_status(p_);
}

inline std::int64_t call_ref::task_ttl() const
{
    return mcphost_call_get_task_ttl(p_);
}

inline std::int64_t call_ref::task_interval() const
{
    return mcphost_call_get_task_interval(p_);
}

inline mcphostxx::result<owned_text> template_check(std::string_view uri_template)
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_template_check(detail::data(uri_template), uri_template.size(), &made,
                                   &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned_text> template_expand(std::string_view uri_template,
                                                     std::string_view values)
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_template_expand(detail::data(uri_template), uri_template.size(),
                                    values.data(), values.size(), &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned_text> template_match(std::string_view uri_template,
                                                    std::string_view uri)
{
    char *made = nullptr;
    std::size_t len = 0;
    mcphost_error *err = nullptr;
    int r = mcphost_template_match(detail::data(uri_template), uri_template.size(),
                                   detail::data(uri), uri.size(), &made, &len, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned_text(made, len);
}

inline mcphostxx::result<owned<transform_ref>> transform_ref::create()
{
    mcphost_transform *made = nullptr;
    int r = mcphost_transform_new(&made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<transform_ref>(made);
}

inline mcphostxx::result<void>
transform_ref::add_prefix(const mcphostxx::text &prefix) const
{
    if (int bad = detail::fault(prefix))
        return mcphostxx::error(bad);
    int r = mcphost_transform_add_prefix(p_, prefix.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
transform_ref::add_prefix_replace(const mcphostxx::text &remove,
                                  const mcphostxx::text &add) const
{
    if (int bad = detail::fault(remove, add))
        return mcphostxx::error(bad);
    int r = mcphost_transform_add_prefix_replace(p_, remove.c_str(), add.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
transform_ref::add_suffix(const mcphostxx::text &suffix) const
{
    if (int bad = detail::fault(suffix))
        return mcphostxx::error(bad);
    int r = mcphost_transform_add_suffix(p_, suffix.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
transform_ref::add_map(const mcphostxx::text &replacement) const
{
    if (int bad = detail::fault(replacement))
        return mcphostxx::error(bad);
    int r = mcphost_transform_add_map(p_, replacement.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<turn_ref>> turn_ref::create(dialog_ref dialog)
{
    mcphost_turn *made = nullptr;
    int r = mcphost_turn_new(dialog.get(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<turn_ref>(made);
}

inline mcphostxx::result<owned<turn_ref>>
turn_ref::create_view(view_ref view, const mcphostxx::text &agent)
{
    if (int bad = detail::fault(agent))
        return mcphostxx::error(bad);
    mcphost_turn *made = nullptr;
    int r = mcphost_turn_new_view(view.get(), agent.c_str(), &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<turn_ref>(made);
}

inline mcphostxx::result<void> turn_ref::end() const
{
    int r = mcphost_turn_end(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<owned<catalog_ref>> turn_ref::catalog() const
{
    mcphost_catalog *made = nullptr;
    int r = mcphost_turn_get_catalog(p_, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<catalog_ref>(made);
}

inline mcphostxx::result<void>
host_ref::invalidate_agent(const mcphostxx::text &agent) const
{
    if (int bad = detail::fault(agent))
        return mcphostxx::error(bad);
    int r = mcphost_invalidate_agent(p_, agent.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> view_ref::invalidate_view() const
{
    int r = mcphost_invalidate_view(p_);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline bool turn_ref::is_stale() const
{
    return mcphost_turn_is_stale(p_) != 0;
}

inline std::string_view version()
{
    return detail::view(mcphost_version());
}

inline unsigned version_number()
{
    return mcphost_version_number();
}

inline bool has_part(int part)
{
    return mcphost_has_part(part) != 0;
}

inline mcphostxx::result<owned<view_ref>>
view_ref::create_layered(host_ref host, const mcphostxx::text &name)
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    mcphost_view *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_view_new_layered(host.get(), name.c_str(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<view_ref>(made);
}

inline mcphostxx::result<void> view_ref::add_source(source_ref source,
                                                    const text_list &servers) const
{
    if (int bad = detail::fault(servers))
        return mcphostxx::error(bad);
    int r = mcphost_view_add_source(p_, source.get(), servers.data(), servers.size());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> view_ref::remove_source(source_ref source) const
{
    int r = mcphost_view_remove_source(p_, source.get());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> view_ref::show_builtins(bool on) const
{
    int r = mcphost_view_show_builtins(p_, on);
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline owned<view_ref> host_ref::default_view() const
{
    return owned<view_ref>(mcphost_view_ref(mcphost_default_view(p_)));
}

inline mcphostxx::result<owned<catalog_ref>> view_ref::catalog() const
{
    mcphost_catalog *made = nullptr;
    int r = mcphost_view_get_catalog(p_, &made);
    if (r < 0)
        return mcphostxx::error(r);
    return owned<catalog_ref>(made);
}

inline mcphostxx::result<void> view_ref::set_builtins(builtins_ref builtins) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_view_set_builtins(p_, builtins.get(), &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void>
view_ref::remove_builtins(const mcphostxx::text &owner) const
{
    if (int bad = detail::fault(owner))
        return mcphostxx::error(bad);
    int r = mcphost_view_remove_builtins(p_, owner.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void> view_ref::add_builtin(const mcphostxx::text &toolset,
                                                     const mcphostxx::text &name,
                                                     const mcphostxx::text &description,
                                                     const mcphostxx::text &input_schema,
                                                     builtin_function fn) const
{
    if (int bad = detail::fault(toolset, name, description, input_schema))
        return mcphostxx::error(bad);
    if (!fn)
        return mcphostxx::error(MCPHOST_E_INVALID);
    auto *held = detail::box<builtin_function>::make(std::move(fn));
    if (!held)
        return mcphostxx::error(MCPHOST_E_NOMEM);
    mcphost_error *err = nullptr;
    int r = mcphost_view_add_builtin(
        p_, toolset.c_str(), name.c_str(), description.c_str(), input_schema.c_str(),
        detail::builtin_thunk::call, held, detail::box<builtin_function>::drop, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> view_ref::add_resource_tools(unsigned which) const
{
    mcphost_error *err = nullptr;
    int r = mcphost_view_add_resource_tools(p_, which, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<void> view_ref::remove_builtin(const mcphostxx::text &name) const
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    int r = mcphost_view_remove_builtin(p_, name.c_str());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

inline mcphostxx::result<void>
view_ref::set_toolset_description(const mcphostxx::text &toolset,
                                  const mcphostxx::text &description) const
{
    if (int bad = detail::fault(toolset, description))
        return mcphostxx::error(bad);
    mcphost_error *err = nullptr;
    int r = mcphost_view_set_toolset_description(p_, toolset.c_str(), description.c_str(),
                                                 &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return {};
}

inline mcphostxx::result<owned<view_ref>>
view_ref::create(host_ref host, const mcphostxx::text &name, grant_ref grant)
{
    if (int bad = detail::fault(name))
        return mcphostxx::error(bad);
    mcphost_view *made = nullptr;
    mcphost_error *err = nullptr;
    int r = mcphost_view_new(host.get(), name.c_str(), grant.get(), &made, &err);
    if (r < 0)
        return mcphostxx::error(r, err);
    return owned<view_ref>(made);
}

inline mcphostxx::result<void> view_ref::set_grant(grant_ref grant) const
{
    int r = mcphost_view_set_grant(p_, grant.get());
    if (r < 0)
        return mcphostxx::error(r);
    return {};
}

} // namespace mcphostxx

#endif
