/* SPDX-License-Identifier: MIT
 *
 * life.cpp - tests of owners, results, texts and callbacks.
 *
 * The build compiles this file with exceptions and RTTI, and also without exceptions and
 * RTTI.
 */
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "check.hpp"

static_assert(!std::is_copy_constructible_v<mh::host>);
static_assert(!std::is_copy_assignable_v<mh::call>);
static_assert(std::is_nothrow_move_constructible_v<mh::dialog>);
static_assert(std::is_trivially_copyable_v<mh::dialog_ref>);
static_assert(std::is_convertible_v<mh::dialog, mh::dialog_ref>);
static_assert(!std::is_convertible_v<mh::dialog_ref, mh::dialog>);
static_assert(!std::is_copy_constructible_v<mh::error>);

static void
a_host_ends_with_its_last_owner_after_moves()
{
    auto guarded = std::make_shared<int>(1);
    std::weak_ptr<int> freed = guarded;
    {
        mh::host host = make_host();
        CHECK(host.set_event([guarded = std::move(guarded)](mh::event_ref) {}));
        mh::host moved = std::move(host);
        CHECK(!host && moved && !host.get());
        CHECK(!freed.expired());
        mh::host other = moved.ref();
        CHECK(other == moved);
        moved.reset();
        CHECK(!freed.expired());
        mcphost *raw = other.release();
        CHECK(raw && !other);
        other = mh::host(raw);
        mh::host &itself = other;
        other = std::move(itself);
        CHECK(other);
    }
    CHECK(freed.expired());
}

static void
handles_outlive_their_host()
{
    mh::tool tool;
    mh::dialog dialog;
    mh::catalog catalog;
    {
        mh::host host = make_host();
        dialog = make_dialog(host);
        catalog = std::move(*dialog.catalog());
        CHECK(catalog.count_tools() >= 3);
        tool = catalog.find_tool("echo");
        catalog.reset();
    }
    CHECK(tool && tool.name() == "echo" && tool.toolset() == "own");
    auto call = mh::call::create(dialog, "echo");
    CHECK(!call && call.code() == MCPHOST_E_CLOSED);
}

static void
functions_of_empty_handles_return_errors_or_nothing()
{
    mh::catalog catalog;
    CHECK(catalog.count_tools() == 0 && !catalog.find_tool("x"));
    mh::dialog dialog;
    auto r = dialog.call("x").wait();
    CHECK(r.code() == MCPHOST_E_INVALID);
    CHECK(!dialog.id().data());
    CHECK(!mh::call().ref());
    CHECK(mh::host().dispatch().code() == MCPHOST_E_INVALID);
    CHECK(mh::outcome_of(mh::call()).code() == MCPHOST_E_STATE);
}

static void
errors_have_all_fields()
{
    auto config = mh::config::load_file("/nonexistent/mcp.yaml");
    mh::error e;
    if (config) {
        CHECK(config->status() == MCPHOST_E_NOTFOUND);
    } else {
        e = std::move(config).error();
        CHECK(e.code() == MCPHOST_E_NOTFOUND && e.code_name() == "notfound");
    }
    e = mh::error::make(MCPHOST_E_CONFIG, "no key is set");
    mh::error same = e.ref();
    CHECK(same.message() == "no key is set" && same.code() == MCPHOST_E_CONFIG);
    CHECK(same.json().view().find("no key is set") != std::string_view::npos);
    CHECK(same.rpc_code() == 0 && same.line() == 0 && same.column() == 0);
    CHECK(!same.server_id().data() && !same.stderr_tail().data() && !same.file().data());
    CHECK(same.http_status() == 0 && same.sys_errno() == 0 && !same.rpc_data().data());
    CHECK(!same.retry_after().data() && !same.source_id().data());
    mh::error bare(MCPHOST_E_TIMEOUT);
    CHECK(bare.code_name() == "timeout" && !bare.message().empty() && !bare.get());
    CHECK(!bare.json().view().empty());
    CHECK(!mh::error());
}

static void
results_behave_like_std_expected()
{
    mh::result<int> seven(7), none(mh::error{MCPHOST_E_LIMIT});
    CHECK(seven && *seven == 7 && seven.value() == 7 && seven.code() == 0);
    CHECK(!none && none.code() == MCPHOST_E_LIMIT);
    CHECK(std::move(none).value_or(3) == 3);
    auto text = std::move(seven).transform([](int n) { return std::to_string(n); });
    CHECK(text && *text == "7");
    auto chained = mh::result<int>(1).and_then(
        [](int) -> mh::result<int> { return mh::error(MCPHOST_E_STATE); });
    CHECK(chained.code() == MCPHOST_E_STATE);
    mh::result<std::unique_ptr<int>> moved(std::make_unique<int>(5));
    std::unique_ptr<int> out = std::move(*moved);
    CHECK(out && *out == 5);
    mh::result<void> ok;
    ok.value();
    CHECK(ok && ok.code() == 0);
}

static void
texts_of_each_kind_arrive_unless_they_have_a_nul()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    std::string name = "echo";
    std::string_view part = std::string_view("echo-and-more").substr(0, 4);
    CHECK(mh::call::create(dialog, "echo"));
    CHECK(mh::call::create(dialog, name));
    CHECK(mh::call::create(dialog, part));
    std::string with_nul("echo\0x", 6);
    CHECK(mh::call::create(dialog, with_nul).code() == MCPHOST_E_INVALID);
    CHECK(mh::call::create(dialog, std::string_view(with_nul)).code() ==
          MCPHOST_E_INVALID);
    CHECK(mh::call::create(dialog, nullptr).code() == MCPHOST_E_INVALID);
    CHECK(!mh::login_request::of(mh::request_ref()));
    std::string longer(5000, 'x');
    CHECK(mh::call::create(dialog, std::string_view(longer)).code() ==
          MCPHOST_E_NOTFOUND);
    std::vector<std::string> argv = {"/bin/true", "--flag"};
    CHECK(mh::config::create_stdio("a", argv));
    CHECK(mh::config::create_stdio("a", {"/bin/true", "--flag"}));
    CHECK(mh::config::create_stdio("a", {std::string_view("a\0b", 3)}).code() ==
          MCPHOST_E_INVALID);
    CHECK(host.set_environment(nullptr));
}

static void
calls_end_with_results_and_errors()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    auto r = dialog.call("echo", "{\"a\":1}").timeout(5000).wait();
    CHECK(r && r->count_items() == 1 && *r->item_text(0) == "{\"a\":1}");
    auto failed = dialog.call("fails").wait();
    CHECK(failed.code() == MCPHOST_E_DENIED);
    auto missing = dialog.call("no-such-tool").wait();
    CHECK(missing.code() == MCPHOST_E_NOTFOUND && missing.error().get());
    auto slow = dialog.call("later").wait(10);
    CHECK(slow.code() == MCPHOST_E_TIMEOUT);
    int ends = 0;
    auto call = dialog.call("echo").start([&ends](mh::call_ref ended) {
        ends++;
        CHECK(ended.is_done() && mh::outcome_of(ended));
    });
    CHECK(call);
    CHECK(call->start().code() == MCPHOST_E_STATE);
    while (ends == 0 && host.wait(1000))
        ;
    CHECK(ends == 1);
    CHECK(host.end());
}

/* Each function object is destroyed once, whether the library accepts, replaces or
 * refuses it. */
static void
functions_are_freed_once()
{
    auto token = std::make_shared<int>(0);
    {
        mh::host host = make_host();
        mh::dialog dialog = make_dialog(host);
        CHECK(host.set_event([token](mh::event_ref) {}));
        CHECK(token.use_count() == 2);
        CHECK(host.set_event([token](mh::event_ref) {}));
        CHECK(host.set_event());
        while (host.dispatch().value() > 0) /* frees the replaced functions */
            ;
        CHECK(token.use_count() == 1);
        CHECK(mh::host().set_event([token](mh::event_ref) {}).code() ==
              MCPHOST_E_INVALID);
        CHECK(token.use_count() == 1);
        auto call = dialog.call("later").start([token](mh::call_ref) {});
        CHECK(call && token.use_count() == 2);
        CHECK(call->cancel());
        while (token.use_count() == 2 && host.wait(1000))
            ;
        CHECK(token.use_count() == 1);
        auto open = dialog.call("later").start([token](mh::call_ref) {});
        CHECK(open && token.use_count() == 2);
        mh::builtin_function none;
        CHECK(
            host.default_view().add_builtin("own", "none", nullptr, "{}", none).code() ==
            MCPHOST_E_INVALID);
    }
    CHECK(token.use_count() == 1);
}

static void
providers_answer_from_threads()
{
    mh::host host = make_host();
    auto provider = mh::provider::create(host.default_source(), "app");
    CHECK(provider);
    bool set_up = false, torn_down = false;
    CHECK(provider->set_life(
        [&](mh::provider_ref) -> mh::result<void> {
            set_up = true;
            return {};
        },
        [&](mh::provider_ref) { torn_down = true; }));
    std::thread worker;
    CHECK(provider->add(MCPHOST_FEATURE_TOOL,
                        "{\"name\":\"slow\",\"inputSchema\":{\"type\":\"object\"}}",
                        [&worker](mh::provider_call_ref call) {
                            worker = std::thread([kept = call.ref()] {
                                (void)kept.answer_text("from a thread", false);
                            });
                            return 0;
                        }));
    CHECK(provider->start());
    CHECK(host.wait_ready(5000));
    CHECK(set_up);
    auto r = make_dialog(host).call("slow").wait(5000);
    CHECK(r && *r->item_text(0) == "from a thread");
    worker.join();
    CHECK(provider->close());
    CHECK(host.end());
    CHECK(torn_down);
}

/* end() waits until the host has ended.  The library's thread or another thread of the
 * program dispatches. */
static void
hosts_end_while_another_thread_dispatches()
{
    for (bool own : {true, false}) {
        mh::host host = make_host();
        std::thread waits;
        if (own)
            CHECK(host.thread_start());
        else
            waits = std::thread([&host] {
                while (host.wait(-1))
                    ;
            });
        CHECK(make_dialog(host).call("echo").wait(5000));
        CHECK(host.end());
        CHECK(host.dispatch().code() == MCPHOST_E_CLOSED);
        if (!own)
            waits.join();
    }
}

static void
end_in_a_callback_closes_and_does_not_wait()
{
    mh::host host = make_host();
    int code = 0;
    auto call = make_dialog(host).call("echo").start(
        [&](mh::call_ref) { code = host.end().code(); });
    CHECK(call);
    while (host.wait(5000))
        ;
    CHECK(code == MCPHOST_E_BUSY);
    CHECK(host.dispatch().code() == MCPHOST_E_CLOSED);
}

/* If a function returns an error that it has made, the caller gets the error's message.
 * If a function returns only a code, the call fails with this code. */
static void
functions_give_their_error()
{
    mh::host host = make_host();
    CHECK(host.default_view().add_builtin(
        "own", "made", nullptr, "{\"type\":\"object\"}",
        [](mh::call_ref, std::string_view) {
            return mh::error::make(MCPHOST_E_DENIED, "no key");
        }));
    auto provider = mh::provider::create(host.default_source(), "app");
    CHECK(provider->add(
        MCPHOST_FEATURE_TOOL, "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}",
        [](mh::provider_call_ref) {
            return mh::error::make(MCPHOST_E_IO, "no disk");
        }));
    CHECK(provider->add(MCPHOST_FEATURE_PROMPT, "{\"name\":\"p\"}",
                        [](mh::provider_call_ref) {
                            return mh::error::make(MCPHOST_E_IO, "no prompt");
                        }));
    CHECK(provider->start());
    CHECK(host.wait_ready(5000));
    mh::dialog dialog = make_dialog(host);
    auto made = dialog.call("made").wait();
    CHECK(made && made->is_error() && *made->item_text(0) == "no key");
    auto tool = dialog.call("t").wait();
    CHECK(tool && tool->is_error() && *tool->item_text(0) == "no disk");
    auto prompt = mh::call::create_prompt(dialog, "p", "{}");
    CHECK(prompt && prompt->start() && prompt->wait(5000));
    mh::error failed = prompt->error();
    CHECK(failed.code() == MCPHOST_E_RPC && failed.rpc_code() == -32603);
    CHECK(failed.message().find("no prompt") != std::string_view::npos);
    CHECK(dialog.call("fails").wait().code() == MCPHOST_E_DENIED);
}

static void
setups_give_their_error()
{
    mh::host host = make_host();
    auto provider = mh::provider::create(host.default_source(), "app");
    CHECK(provider->set_life(
        [](mh::provider_ref) { return mh::error::make(MCPHOST_E_CONFIG, "no key"); },
        {}));
    CHECK(provider->start());
    CHECK(host.wait_ready(5000));
    mh::status status = std::move(*host.status());
    CHECK(status.count_servers() == 1);
    mh::error e = status.server_error(0);
    CHECK(e && e.message().find("no key") != std::string_view::npos);
    CHECK(e.server_id() == "app");
}

static void
functions_return_the_expected_values()
{
    CHECK(mh::template_expand("a/{b}", "{\"b\":\"c\"}")->view() == "a/c");
    CHECK(mh::template_match("a/{b}", "x/c").code() == MCPHOST_E_NOTFOUND);
    mh::transform transform = std::move(*mh::transform::create());
    CHECK(transform.add_prefix("p_"));
    CHECK(*transform.apply("name") == "p_name");
    mh::filter filter = std::move(*mh::filter::create());
    CHECK(filter.add_blacklist("bad*"));
    auto verdict = filter.match("bad-tool");
    CHECK(verdict && verdict->code == MCPHOST_FILTER_BLACKLISTED &&
          verdict->pattern == "bad*");
    mh::schema schema = std::move(*mh::schema::create());
    CHECK(schema.compile("{\"type\":\"integer\"}"));
    CHECK(schema.validate("1")->count_errors() == 0);
    CHECK(schema.validate("\"x\"")->count_errors() == 1);
    mh::retry retry = std::move(*mh::retry::create(MCPHOST_RETRY_CONSERVATIVE));
    auto again = retry.judge(1, MCPHOST_FAILURE_TRANSIENT);
    CHECK(again && (!again->again || again->delay_ms >= 0));
    CHECK(mh::enum_name(MCPHOST_ENUM_ERROR_CODE, MCPHOST_E_IO) == "io");
    CHECK(mh::version_number() == MCPHOST_VERSION_NUMBER);
    mh::host host = make_host();
    CHECK(*host.option(MCPHOST_OPT_REQUESTS) >= 0);
}

#ifdef MCPHOSTXX_EXCEPTIONS
static std::string caught;

static void
exceptions_do_not_pass_the_library()
{
    auto before = mh::set_exception_handler([](const char *where, std::exception_ptr p) {
        try {
            std::rethrow_exception(p);
        } catch (const std::exception &e) {
            caught += std::string(where) + ": " + e.what() + ";";
        }
    });
    mh::host host = make_host();
    mh::view view = host.default_view();
    CHECK(view.add_builtin(
        "own", "throws", nullptr, "{\"type\":\"object\"}",
        [](mh::call_ref, std::string_view) -> int { throw std::runtime_error("tool"); }));
    mh::dialog dialog = make_dialog(host);
    auto r = dialog.call("throws").wait();
    CHECK(r.code() == MCPHOST_E_STATE);
    bool over = false;
    auto call = dialog.call("echo").start([&](mh::call_ref) {
        over = true;
        throw std::runtime_error("end");
    });
    CHECK(call);
    while (!over && host.wait(1000))
        ;
    CHECK(caught == "builtin: tool;done: end;");
    mh::set_exception_handler(before);
}
#endif

int
main()
{
    RUN(a_host_ends_with_its_last_owner_after_moves);
    RUN(handles_outlive_their_host);
    RUN(functions_of_empty_handles_return_errors_or_nothing);
    RUN(errors_have_all_fields);
    RUN(results_behave_like_std_expected);
    RUN(texts_of_each_kind_arrive_unless_they_have_a_nul);
    RUN(calls_end_with_results_and_errors);
    RUN(functions_are_freed_once);
    RUN(providers_answer_from_threads);
    RUN(hosts_end_while_another_thread_dispatches);
    RUN(end_in_a_callback_closes_and_does_not_wait);
    RUN(functions_give_their_error);
    RUN(setups_give_their_error);
    RUN(functions_return_the_expected_values);
#ifdef MCPHOSTXX_EXCEPTIONS
    RUN(exceptions_do_not_pass_the_library);
#endif
    return check_failures != 0;
}
