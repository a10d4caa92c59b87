/* SPDX-License-Identifier: MIT
 *
 * scenario.cpp - runs one scenario over the C++ interface (doc/scenarios.md).
 *
 *   scenario SERVER GUARD FILE
 */
#include <thread>

#include "scenario_base.hpp"

namespace
{

struct running_call {
    mh::call call;
    std::vector<string> reports;
};

struct counted_subscription {
    mh::subscription subscription;
    std::uint64_t n = 0;
};

struct answer {
    bool responds = false;
    string json;
    int how = 0;
};

class scenario : private scenario_base
{
  public:
    scenario(const char *server, const char *guard, const char *file)
        : scenario_base(server, file), guard_(guard)
    {
        make_host();
    }

    ~scenario()
    {
        end_host();
    }

    void
    run()
    {
        command c;
        while (next(c))
            if (!run_config(c) && !run_catalog(c) && !run_dialog(c) && !run_call(c) &&
                !run_own(c) && !run_login(c) && !run_value(c))
                die("unknown command: " + c.words[0]);
    }

  private:
    void
    make_host()
    {
        auto made = mh::host::create();
        if (!made)
            die("cannot make a host: " + string(made.error().message()));
        host_ = std::move(*made);
        const int asked = MCPHOST_REQUEST_FORM | MCPHOST_REQUEST_URL |
                          MCPHOST_REQUEST_SAMPLING | MCPHOST_REQUEST_ROOTS |
                          MCPHOST_REQUEST_AUTHORIZE;
        must(host_.set_guard_path(guard_));
        must(host_.set_option(MCPHOST_OPT_REQUESTS, asked));
        must(host_.set_option(MCPHOST_OPT_ADMIN_TOOLS, 0));
        must(host_.set_event([this](mh::event_ref event) { on_event(event); }));
    }

    void
    end_host()
    {
        calls_.clear();
        subscriptions_.clear();
        turns_.clear();
        providers_.clear();
        dialogs_.clear();
        views_.clear();
        host_.reset();
    }

    /* ---- catalogs ---- */

    mh::catalog
    catalog()
    {
        return std::move(host_.default_view().catalog()).value();
    }

    void
    show_tools(const mh::catalog &catalog)
    {
        string names;
        for (std::size_t i = 0; i < catalog.count_tools(); i++)
            names += " " + string(catalog.tool(i).name());
        say("tools:" + names);
    }

    void
    show_tool(const string &name)
    {
        mh::tool tool = catalog().find_tool(name);
        if (tool)
            say("tool: " + or_dash(tool.server_id()) + " " + string(tool.toolset()) +
                " " + string(tool.original_name()) + " " + or_dash(tool.description()));
        else
            say("tool: none");
    }

    void
    show_offers(const string &what)
    {
        mh::catalog from = catalog();
        string names;
        if (what == "resources")
            for (std::size_t i = 0; i < from.count_resources(); i++)
                names += " " + string(from.resource(i).uri());
        else if (what == "templates")
            for (std::size_t i = 0; i < from.count_resource_templates(); i++)
                names += " " + string(from.resource_template(i).uri_template());
        else
            for (std::size_t i = 0; i < from.count_prompts(); i++)
                names += " " + string(from.prompt(i).name());
        say(what + ":" + names);
    }

    void
    show_problems()
    {
        mh::problems problems = std::move(host_.problems()).value();
        std::map<string, int> sorted;
        for (std::size_t i = 0; i < problems.count(); i++)
            sorted[string(problems.at(i).id())] = problems.at(i).severity();
        for (const auto &[id, severity] : sorted)
            say(enum_name(MCPHOST_ENUM_SEVERITY, severity) + " " + id);
        say("problems: " + std::to_string(problems.count()));
    }

    bool
    run_catalog(const command &c)
    {
        const string &name = c.words[0];
        if (name == "tools") {
            show_tools(c.words.size() > 1
                           ? find(dialogs_, c.words[1]).catalog().value().ref()
                           : catalog());
        } else if (name == "turn-tools") {
            show_tools(std::move(find(turns_, c.words[1]).catalog()).value());
        } else if (name == "tool") {
            show_tool(c.words[1]);
        } else if (name == "until" || name == "until-not") {
            bool wanted = name == "until";
            wait_until([&] {
                return static_cast<bool>(catalog().find_tool(c.words[1])) == wanted;
            });
        } else if (name == "servers") {
            mh::status status = std::move(host_.status()).value();
            for (std::size_t i = 0; i < status.count_servers(); i++)
                say(string(status.server_id(i)) + " " +
                    enum_name(MCPHOST_ENUM_SERVER_STATE, status.server_state(i)));
        } else if (name == "problems") {
            show_problems();
        } else if (name == "resources" || name == "templates" || name == "prompts") {
            show_offers(name);
        } else if (name == "projection") {
            auto made = mh::projection::create(
                catalog(), enum_value(MCPHOST_ENUM_SHAPE, c.words[1]),
                enum_value(MCPHOST_ENUM_PROFILE, c.words[2]), 0);
            if (made)
                say("projection: " + string(made->json()));
            else
                say_error("projection", made.error());
        } else {
            return false;
        }
        return true;
    }

    /* ---- dialogs ---- */

    void
    make_view(const string &name, const string &toolsets, const string &tools)
    {
        mh::grant grant = std::move(mh::grant::create()).value();
        auto each = [](const string &list, auto add) {
            std::istringstream names(list);
            for (string one; list != "-" && std::getline(names, one, ',');)
                add(one);
        };
        auto told = [this](const mh::result<void> &r) {
            if (!r)
                say_error("grant", r.error());
        };
        each(toolsets, [&](const string &one) { told(grant.add_toolset(one)); });
        each(tools, [&](const string &one) { told(grant.add_tool(one)); });
        auto view = mh::view::create(host_, name, grant);
        if (view)
            views_[name] = std::move(*view);
        else
            say_error("grant", view.error());
    }

    void
    show_lease(const string &what, const string &dialog, const string &server)
    {
        auto lease = find(dialogs_, dialog).lease(server);
        if (!lease)
            say_error(what, lease.error());
        else if (what == "release")
            say_outcome(what, "ok", lease->release_lease());
        else
            say("lease: " + enum_name(MCPHOST_ENUM_SCOPE, lease->scope()));
    }

    void
    on_event(mh::event_ref event)
    {
        if (event.kind() == MCPHOST_EVENT_REQUEST)
            on_request(event);
        if (event.kind() != MCPHOST_EVENT_UPDATED)
            return;
        for (auto &[name, one] : subscriptions_)
            if (one.subscription == event.subscription())
                one.n += event.count();
    }

    void
    on_request(mh::event_ref event)
    {
        auto login = mh::login_request::of(event.request());
        if (login && event.state() == 1)
            handle_login(*login);
        else if (login)
            requests_.push_back("over " + string(login->server_id()) + " " +
                                string(event.text()));
        else if (event.state() == 1)
            handle_request(event.request());
    }

    void
    handle_request(mh::request_ref request)
    {
        int kind = request.kind();
        requests_.push_back(enum_name(MCPHOST_ENUM_REQUEST_KIND, kind) + " " +
                            string(request.server_id()) + " " +
                            or_dash(request.message()));
        auto found = answers_.find(kind);
        if (found == answers_.end()) {
            (void)request.reject(MCPHOST_REJECT_DECLINE);
            return;
        }
        const answer &by = found->second;
        auto r = by.responds ? request.respond(by.json) : request.reject(by.how);
        if (!r) {
            say_error("answer", r.error());
            (void)request.reject(MCPHOST_REJECT_CANCEL);
        }
    }

    bool
    run_dialog(const command &c)
    {
        const string &name = c.words[0];
        const auto &w = c.words;
        if (name == "dialog") {
            auto made = w.size() > 2 ? mh::dialog::create(find(views_, w[2]), w[1])
                                     : mh::dialog::create(host_.default_view(), w[1]);
            if (made)
                dialogs_[w[1]] = std::move(*made);
            else
                say_error("dialog", made.error());
        } else if (name == "close") {
            say_outcome("close", "ok", find(dialogs_, w[1]).close());
            dialogs_.erase(w[1]);
        } else if (name == "grant") {
            make_view(w[1], w[2], w[3]);
        } else if (name == "lease" || name == "release") {
            show_lease(name, w[1], w[2]);
        } else if (name == "turn") {
            auto made = mh::turn::create(find(dialogs_, w[2]));
            if (made)
                turns_[w[1]] = std::move(*made);
            else
                say_error("turn", made.error());
        } else if (name == "end-turn") {
            auto r = find(turns_, w[1]).end();
            if (!r)
                say_error("end-turn", r.error());
            turns_.erase(w[1]);
        } else if (name == "subscribe") {
            auto made = find(dialogs_, w[2]).subscribe(w[3], w[4]);
            if (made)
                subscriptions_[w[1]].subscription = std::move(*made);
            else
                say_error("subscribe", made.error());
        } else if (name == "unsubscribe") {
            auto r = find(subscriptions_, w[1]).subscription.unsubscribe();
            if (!r)
                say_error("unsubscribe", r.error());
            subscriptions_.erase(w[1]);
        } else if (name == "updated") {
            counted_subscription &one = find(subscriptions_, w[1]);
            wait_until([&] { return one.n >= std::stoull(w[2]); });
            say("updated: " + std::to_string(one.n));
        } else if (name == "answer") {
            answer &by = answers_[enum_value(MCPHOST_ENUM_REQUEST_KIND, w[1])];
            by.responds = w[2] == "respond";
            if (by.responds)
                by.json = w[3];
            else
                by.how = enum_value(MCPHOST_ENUM_REJECTION, w[3]);
        } else if (name == "requests") {
            for (const string &one : requests_)
                say(one);
            requests_.clear();
        } else {
            return false;
        }
        return true;
    }

    /* ---- calls ---- */

    mh::result<mh::call>
    make_call(const command &c)
    {
        const auto &w = c.words;
        mh::dialog_ref dialog = find(dialogs_, w[2]);
        string_view json = w.size() > 4 ? string_view(w[4]) : string_view();
        if (w[0] == "call")
            return mh::call::create(dialog, w[3], json);
        if (w[0] == "read")
            return mh::call::create_read(dialog, w[3], w[4]);
        if (w[0] == "prompt")
            return mh::call::create_prompt(dialog, w[3], json);
        return mh::call::create_complete_prompt(dialog, w[3], w[4], w[5]);
    }

    static string
    report(double progress, double total, string_view message)
    {
        std::ostringstream line;
        line << progress << "/" << total << " " << or_dash(message);
        return line.str();
    }

    void
    start_call(const command &c)
    {
        const auto &w = c.words;
        running_call &one = calls_[w[1]];
        mh::invocation prepared(make_call(c));
        if (w[0] == "call" && w.size() > 5)
            prepared = std::move(prepared).timeout(std::stoll(w[5]));
        auto r = std::move(prepared)
                     .on_progress([&one](mh::call_ref, double progress, double total,
                                         string_view message) {
                         one.reports.push_back(report(progress, total, message));
                     })
                     .start();
        if (r) {
            one.call = std::move(*r);
            return;
        }
        say_error(w[0], r.error());
        calls_.erase(w[1]);
    }

    void
    show_item(const mh::call_result &result, std::size_t i)
    {
        string name = enum_name(MCPHOST_ENUM_CONTENT_KIND, result.item_kind(i));
        auto text = result.item_text(i);
        if (!text)
            say(name + " " + or_dash(result.item_mime_type(i)));
        else
            say(name + " " + string(text->substr(0, 200)) +
                (text->size() > 200 ? "..." : ""));
    }

    void
    end_call(const string &name)
    {
        running_call &one = find(calls_, name);
        auto r = one.call.wait(wait_ms);
        if (!r || *r != 1) {
            say("error timeout");
            die("the call did not end");
        }
        auto outcome = mh::outcome_of(one.call);
        string what = "end " + name;
        if (outcome) {
            say(what + (outcome->is_error() ? ": failed" : ": ok"));
            for (std::size_t i = 0; i < outcome->count_items(); i++)
                show_item(*outcome, i);
            for (std::size_t i = 0; i < outcome->count_values(); i++)
                say("value " + string(outcome->value(i)));
        } else {
            say_error(what, outcome.error());
        }
        calls_.erase(name);
    }

    bool
    run_call(const command &c)
    {
        const string &name = c.words[0];
        if (name == "call" || name == "read" || name == "prompt" || name == "complete") {
            start_call(c);
        } else if (name == "end") {
            end_call(c.words[1]);
        } else if (name == "cancel") {
            say_outcome("cancel", "ok", find(calls_, c.words[1]).call.cancel());
        } else if (name == "reported") {
            running_call &one = find(calls_, c.words[1]);
            std::size_t n = std::stoul(c.words[2]);
            wait_until([&] { return one.reports.size() >= n; });
            for (std::size_t i = 0; i < n; i++)
                say(one.reports[i]);
        } else {
            return false;
        }
        return true;
    }

    /* ---- servers of the application ---- */

    static mh::result<void>
    give_prompt(mh::provider_call_ref call)
    {
        string_view json = call.arguments();
        std::size_t at = json.find("\"name\":\"");
        string_view name = at == string_view::npos ? string_view() : json.substr(at + 8);
        name = name.substr(0, name.find('"'));
        return call.answer("{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                           "\"text\",\"text\":\"hello " +
                           string(name) + "\"}}]}");
    }

    static int
    give_later(mh::provider_call_ref call)
    {
        std::thread([kept = call.ref()] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            (void)kept.answer_text("later", false);
        }).detach();
        return 0;
    }

    /* Reports each step in a separate turn of the dispatcher, because the dispatcher
     * sends only the latest report of a turn. */
    static int
    give_steps(mh::provider_call_ref call)
    {
        std::thread([kept = call.ref()] {
            int i = 0;
            for (const char *step : {"one", "two", "three"}) {
                (void)kept.report(++i, 3, step);
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
            (void)kept.answer_text("done", false);
        }).detach();
        return 0;
    }

    mh::result<mh::provider>
    make_provider(const string &id)
    {
        auto made = mh::provider::create(host_.default_source(), id);
        if (!made)
            return made;
        mh::result<void> r;
        auto tool = [&](const string &name, mh::provide_function fn) {
            if (r)
                r = made->add(MCPHOST_FEATURE_TOOL,
                              "{\"name\":\"" + name +
                                  "\",\"inputSchema\":{\"type\":\"object\"}}",
                              std::move(fn));
        };
        tool("echo", [](mh::provider_call_ref call) {
            string_view json = call.arguments();
            return call.answer_text(json.data() ? json : "{}", false);
        });
        tool("fail",
             [](mh::provider_call_ref call) { return call.answer_text("failed", true); });
        tool("refuse",
             [](mh::provider_call_ref call) { return call.fail(-32000, "refused"); });
        tool("later", give_later);
        tool("steps", give_steps);
        if (r)
            r = made->add(MCPHOST_FEATURE_RESOURCE,
                          "{\"uri\":\"mem:note\",\"name\":\"note\"}",
                          [](mh::provider_call_ref call) {
                              return call.answer_text("a note", false);
                          });
        if (r)
            r = made->add(MCPHOST_FEATURE_PROMPT,
                          "{\"name\":\"hello\",\"arguments\":[{\"name\":\"name\","
                          "\"required\":true}]}",
                          give_prompt);
        if (r)
            r = made->start();
        if (!r)
            return std::move(r).error();
        return made;
    }

    bool
    run_own(const command &c)
    {
        const string &name = c.words[0];
        if (name == "builtin") {
            auto r = host_.default_view().add_builtin(
                c.words[1], c.words[2], nullptr, "{\"type\":\"object\"}",
                [text = c.words[3]](mh::call_ref call, string_view) {
                    return call.answer(text, false);
                });
            if (!r)
                say_error("builtin", r.error());
        } else if (name == "provider") {
            auto made = make_provider(c.words[1]);
            if (made)
                providers_[c.words[1]] = std::move(*made);
            else
                say_error("provider", made.error());
        } else if (name == "new-host") {
            end_host();
            make_host();
        } else if (name == "stop-provider") {
            auto r = find(providers_, c.words[1]).close();
            if (!r)
                say_error("stop-provider", r.error());
            providers_.erase(c.words[1]);
        } else {
            return false;
        }
        return true;
    }

    /* ---- values ---- */

    void
    check_schema(const string &json, const string &value)
    {
        mh::schema schema = std::move(mh::schema::create()).value();
        auto compiled = schema.compile(json);
        if (!compiled)
            return say_error("schema", compiled.error());
        auto report = schema.validate(value);
        if (!report)
            say_error("schema", report.error());
        else if (report->count_errors() == 0)
            say("schema: valid");
        else
            say("schema: invalid " + string(report->instance_path(0)) + " " +
                string(report->keyword(0)));
    }

    bool
    run_value(const command &c)
    {
        const string &name = c.words[0];
        const auto &w = c.words;
        if (name == "schema") {
            check_schema(w[1], w[2]);
        } else if (name == "expand") {
            auto uri = mh::template_expand(w[1], w[2]);
            if (uri)
                say("expand: " + uri->str());
            else
                say_error("expand", uri.error());
        } else if (name == "match") {
            auto values = mh::template_match(w[1], w[2]);
            if (values)
                say("match: " + values->str());
            else if (values.code() == MCPHOST_E_NOTFOUND)
                say("match: none");
            else
                say_error("match", values.error());
        } else if (name == "credential") {
            mh::text value = w[3] == "-" ? mh::text() : mh::text(w[3]);
            auto r = host_.set_credential(w[1], nullptr, w[2], value);
            if (!r)
                say_error("credential", r.error());
        } else if (name == "version") {
            say(string("version: ") +
                (mh::version_number() == MCPHOST_VERSION_NUMBER ? "same" : "other"));
        } else {
            return false;
        }
        return true;
    }

    string guard_;
    std::map<string, mh::view> views_;
    std::map<string, mh::dialog> dialogs_;
    std::map<string, mh::turn> turns_;
    std::map<string, running_call> calls_;
    std::map<string, counted_subscription> subscriptions_;
    std::map<string, mh::provider> providers_;
    std::map<int, answer> answers_;
};

} // namespace

int
main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: scenario SERVER GUARD FILE");
    scenario(argv[1], argv[2], argv[3]).run();
    return 0;
}
