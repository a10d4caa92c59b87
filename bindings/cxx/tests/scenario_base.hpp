/* SPDX-License-Identifier: MIT
 *
 * scenario_base.hpp - the lines and output of a scenario, the configuration, and logins.
 */
#ifndef SCENARIO_BASE_HPP
#define SCENARIO_BASE_HPP

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mcphost/mcphost.hpp>

namespace mh = mcphostxx;
using std::string;
using std::string_view;

namespace
{

constexpr std::int64_t wait_ms = 20000;

struct command {
    std::vector<string> words;
    string text;
};

[[noreturn]] void
die(const string &what)
{
    std::cout.flush();
    std::cerr << what << '\n';
    std::exit(1);
}

string
replaced(string text, const string &what, const string &by)
{
    for (std::size_t at = text.find(what); at != string::npos;
         at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/* Returns the text, or `-` for a null text. */
string
or_dash(string_view text)
{
    return text.data() ? string(text) : "-";
}

string
enum_name(int which, int value)
{
    return string(mh::enum_name(which, value));
}

int
enum_value(int which, const string &name)
{
    auto value = mh::enum_find_value(which, name);
    if (!value)
        die("there is no value " + name);
    return *value;
}

/* The base class of the scenario programs.  It has the state and the helpers that most
 * commands of a scenario need. */
class scenario_base
{
  protected:
    scenario_base(const char *server, const char *file) : server_(server), file_(file)
    {
        char dir[] = "/tmp/scenario.XXXXXX";
        if (!mkdtemp(dir))
            die("cannot make a directory");
        dir_ = dir;
        names_ = {{dir_, "@DIR@"}, {server_, "@SERVER@"}};
    }

    ~scenario_base()
    {
        for (int hold : holds_)
            close(hold); /* this ends a server that the command `web` has started */
        for (pid_t program : programs_)
            waitpid(program, nullptr, 0);
        std::filesystem::remove_all(dir_);
    }

    /* ---- script and output ---- */

    string
    with_paths(const string &text) const
    {
        return replaced(replaced(text, "@DIR@", dir_), "@SERVER@", server_);
    }

    void
    say(const string &text) const
    {
        string shown = text;
        for (const auto &[what, name] : names_)
            shown = replaced(shown, what, name);
        std::cout << shown << std::endl;
    }

    void
    say_error(const string &what, const mh::error &e) const
    {
        string text = what + ": error " + string(e.code_name());
        if (e.get() && e.code() != MCPHOST_E_TIMEOUT)
            text += " " + string(e.message());
        say(text);
    }

    template <class T>
    void
    say_outcome(const string &what, const string &ok, const mh::result<T> &r) const
    {
        if (r)
            say(what + ": " + ok);
        else
            say_error(what, r.error());
    }

    static void
    must(const mh::result<void> &r)
    {
        if (!r)
            die(string(r.error().message()));
    }

    bool
    next(command &c)
    {
        string line;
        c = {};
        do {
            if (!std::getline(file_, line))
                return false;
        } while (line.empty() || line[0] == '#');
        line = with_paths(line);
        for (std::size_t i = 0; i < line.size();) {
            if (line[i] == ' ') {
                i++;
                continue;
            }
            char end = line[i] == '\'' ? '\'' : ' ';
            std::size_t from = end == '\'' ? i + 1 : i;
            std::size_t to = std::min(line.find(end, from), line.size());
            c.words.push_back(line.substr(from, to - from));
            i = to + 1;
        }
        if (c.words.back() == "<<") {
            c.words.pop_back();
            while (std::getline(file_, line) && line != ".")
                c.text += line + "\n";
            c.text = with_paths(c.text);
        }
        return true;
    }

    template <class F>
    void
    wait_until(F is_over)
    {
        auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
        while (!is_over()) {
            if (std::chrono::steady_clock::now() > end) {
                say("error timeout");
                die("a wait took too long");
            }
            if (!host_.wait(100))
                die("the host does not dispatch");
        }
    }

    void
    wait_ready(const string &what)
    {
        auto r = host_.wait_ready(wait_ms);
        if (r && *r == 0) {
            say("error timeout");
            die("the servers did not become ready");
        }
        say_outcome(what, "ready", r);
    }

    template <class T>
    static T &
    find(std::map<string, T> &things, const string &name)
    {
        auto found = things.find(name);
        if (found == things.end())
            die("there is no " + name);
        return found->second;
    }

    /* ---- configuration ---- */

    void
    write_file(const string &name, const string &text) const
    {
        std::ofstream(dir_ + "/" + name) << text;
    }

    void
    save() const
    {
        std::filesystem::create_directory(dir_ + "/.minds");
        write_file(".minds/mcp.yaml", yaml_);
    }

    void
    declare_server(const command &c)
    {
        const string name = c.words[1] + ".script";
        write_file(name, c.text);
        declare(c, "    transport: stdio\n    command: \"" + server_ +
                       "\"\n    args: [\"" + dir_ + "/" + name + "\"]\n");
    }

    /* Adds the entry of a server with the keys that its kind needs. */
    void
    declare(const command &c, const string &keys)
    {
        const string &id = c.words[1];
        bool has_transform = false;
        if (is_whole_)
            yaml_.clear();
        is_whole_ = false;
        if (yaml_.empty())
            yaml_ = "version: 1\nservers:\n";
        yaml_ += "  " + id + ":\n" + keys;
        for (std::size_t i = 2; i < c.words.size(); i++) {
            yaml_ += "    " + c.words[i] + "\n";
            has_transform |= c.words[i].rfind("transform:", 0) == 0;
        }
        if (!has_transform)
            yaml_ += "    transform: [{prefix: \"" + id + "_\"}]\n";
    }

    void
    check_config()
    {
        save();
        auto config = mh::config::load_workspace(dir_);
        if (!config)
            return say_error("check", config.error());
        for (std::size_t i = 0; i < config->count_diagnostics(); i++) {
            int severity = config->diagnostic_severity(i).value();
            say(enum_name(MCPHOST_ENUM_DIAGNOSTIC_SEVERITY, severity) + " " +
                std::to_string(config->diagnostic_line(i)) + ":" +
                std::to_string(config->diagnostic_column(i)) + " " +
                string(config->diagnostic_message(i)));
        }
        say("check: " + std::to_string(config->count_servers()) + " servers");
    }

    bool
    run_config(const command &c)
    {
        const string &name = c.words[0];
        if (name == "server") {
            declare_server(c);
        } else if (name == "yaml") {
            yaml_ = c.text;
            is_whole_ = true;
        } else if (name == "file") {
            write_file(c.words[1], c.text);
        } else if (name == "forget") {
            yaml_.clear();
        } else if (name == "check") {
            check_config();
        } else if (name == "option") {
            auto r = host_.set_option(enum_value(MCPHOST_ENUM_OPTION, c.words[1]),
                                      std::stoll(c.words[2]));
            if (!r)
                say_error("option", r.error());
        } else if (name == "load") {
            save();
            ready_after("load", host_.load_workspace(dir_));
        } else if (name == "edit") {
            save();
            ready_after("edit", host_.reload());
        } else if (name == "mcpservers") {
            auto source = host_.default_source();
            ready_after(name, source.mcpservers_follow(dir_, dir_ + "/" + c.words[1]));
        } else if (name == "enable" || name == "disable") {
            ready_after(name, host_.set_server_enabled(c.words[1], name == "enable"));
        } else if (name == "restart") {
            ready_after(name, host_.restart_server(c.words[1]));
        } else {
            return false;
        }
        return true;
    }

    void
    ready_after(const string &what, const mh::result<void> &r)
    {
        if (r)
            wait_ready(what);
        else
            say_error(what, r.error());
    }

    /* ---- logins ---- */

    /* Starts the program `name` from the directory of the scripted server.  `in` becomes
     * its stdin and `out` its stdout, unless they are -1. */
    pid_t
    start(const string &name, std::vector<string> args, int in = -1, int out = -1) const
    {
        args.insert(args.begin(),
                    std::filesystem::path(server_).replace_filename(name).string());
        std::vector<char *> argv;
        for (string &one : args)
            argv.push_back(one.data());
        argv.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        if (in >= 0)
            posix_spawn_file_actions_adddup2(&actions, in, 0);
        if (out >= 0)
            posix_spawn_file_actions_adddup2(&actions, out, 1);
        pid_t pid;
        if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0)
            die("cannot start " + args[0]);
        posix_spawn_file_actions_destroy(&actions);
        return pid;
    }

    /* Reads up to `n` lines and closes `fd`.  Returns `n` lines: a missing line is
     * empty. */
    static std::vector<string>
    read_lines(int fd, std::size_t n)
    {
        std::vector<string> lines(1);
        char c;
        while (lines.size() <= n && read(fd, &c, 1) == 1)
            if (c == '\n')
                lines.emplace_back();
            else
                lines.back() += c;
        close(fd);
        lines.resize(n);
        return lines;
    }

    /* Returns the scheme, host and port of a URL. */
    static string
    origin_of(const string &url)
    {
        if (url.size() < 8)
            die("the web server did not start");
        return url.substr(0, url.find('/', 8));
    }

    void
    declare_web(const command &c)
    {
        const string &id = c.words[1];
        int in[2], out[2];
        if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
            die("there is no pipe");
        write_file(id + ".script", "auth on\n" + c.text);
        programs_.push_back(
            start("fakehttp", {dir_ + "/" + id + ".script"}, in[0], out[1]));
        close(in[0]);
        close(out[1]);
        holds_.push_back(in[1]);
        std::vector<string> urls = read_lines(out[0], 2);
        string origin = origin_of(urls[0]);
        names_.emplace_back(origin, "@" + id + "@");
        names_.emplace_back(origin_of(urls[1]), "@" + id + ".issuer@");
        declare(c, "    transport: streamable_http\n    url: \"" + origin + "/mcp\"\n");
    }

    void
    browse(string_view url, const string &how)
    {
        programs_.push_back(start("browser_main", {string(url), how}));
    }

    /* Opens `url` in a simulated browser.  Returns the URL to which the login redirects
     * this browser. */
    string
    redirect_of(string_view url) const
    {
        int out[2];
        if (pipe2(out, O_CLOEXEC) < 0)
            die("there is no pipe");
        pid_t pid = start("browser_main", {string(url), "print"}, -1, out[1]);
        close(out[1]);
        string redirect = read_lines(out[0], 1)[0];
        waitpid(pid, nullptr, 0);
        return redirect;
    }

    void
    handle_login(const mh::login_request &login)
    {
        string account(login.account()), scope(login.scope());
        requests_.push_back("authorize " + string(login.server_id()) + " " +
                            string(login.flow()) + " " + string(login.issuer()) + " " +
                            (scope.empty() ? "-" : scope) + " " +
                            (account.empty() ? "-" : account));
        auto device = [&](const string &what) {
            return string(login.verification_uri()) + "/" + what +
                   "?user_code=" + string(login.user_code());
        };
        mh::result<void> r;
        if (login_ == "browse")
            browse(login.url(), "login");
        else if (login_ == "deny")
            browse(login.url(), "deny");
        else if (login_ == "approve")
            browse(device("approve"), "login");
        else if (login_ == "refuse")
            browse(device("deny"), "login");
        else if (login_ == "paste")
            r = login.paste(redirect_of(login.url()));
        else if (login_ == "decline")
            r = login.decline();
        if (!r)
            say_error("login", r.error());
    }

    void
    show_logins()
    {
        mh::logins logins = std::move(host_.logins()).value();
        std::vector<string> rows;
        for (std::size_t i = 0; i < logins.count(); i++) {
            string account(logins.account(i));
            rows.push_back(or_dash(logins.server_id(i)) + " " + string(logins.issuer(i)) +
                           " " + string(logins.resource(i)) + " " +
                           (account.empty() ? "-" : account) + " " +
                           enum_name(MCPHOST_ENUM_LOGIN_STATE, logins.state(i)) + " " +
                           string(logins.scope(i)));
        }
        std::sort(rows.begin(), rows.end());
        for (const string &row : rows)
            say(row);
        say("logins: " + std::to_string(rows.size()));
    }

    void
    show_why(const string &id)
    {
        mh::status status = std::move(host_.status()).value();
        for (std::size_t i = 0; i < status.count_servers(); i++)
            if (auto error = status.server_error(i); status.server_id(i) == id && error)
                return say_error("why", error);
        say("why: none");
    }

    bool
    run_login(const command &c)
    {
        const string &name = c.words[0];
        if (name == "web") {
            declare_web(c);
        } else if (name == "login") {
            login_ = c.words[1];
        } else if (name == "logins") {
            show_logins();
        } else if (name == "logout") {
            say_outcome("logout", "ok", host_.log_out(c.words[1]));
        } else if (name == "tokens") {
            int store = enum_value(MCPHOST_ENUM_TOKEN_STORE, c.words[1]);
            auto r = c.words.size() > 2 ? host_.set_token_store(store, c.words[2])
                                        : host_.set_token_store(store);
            if (!r)
                say_error("tokens", r.error());
        } else if (name == "why") {
            show_why(c.words[1]);
        } else {
            return false;
        }
        return true;
    }

    mh::host host_;
    string server_, dir_, yaml_, login_ = "decline";
    std::vector<std::pair<string, string>> names_; /* paths and addresses, each with its
                                                    * name in scenarios */
    std::vector<string> requests_;
    std::vector<pid_t> programs_;
    std::vector<int> holds_; /* the pipes to the stdin of servers (`web`) */
    std::ifstream file_;
    bool is_whole_ = false;
};

} // namespace

#endif
