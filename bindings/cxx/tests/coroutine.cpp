/* SPDX-License-Identifier: MIT
 *
 * coroutine.cpp - tests of calls that coroutines await (C++20).
 */
#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "check.hpp"

#ifndef MCPHOSTXX_COROUTINES
#error "no coroutines"
#endif

/* A coroutine that starts at once.  The destructor of the task destroys the coroutine. */
class task
{
  public:
    struct promise_type {
        task
        get_return_object()
        {
            return task(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never
        initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_always
        final_suspend() noexcept
        {
            return {};
        }
        void
        return_void()
        {
        }
        void
        unhandled_exception()
        {
            std::terminate();
        }
    };

    task(task &&other) noexcept : handle_(std::exchange(other.handle_, nullptr))
    {
    }
    ~task()
    {
        destroy();
    }
    bool
    done() const
    {
        return handle_.done();
    }
    void
    destroy()
    {
        if (handle_)
            std::exchange(handle_, nullptr).destroy();
    }

  private:
    explicit task(std::coroutine_handle<promise_type> handle) : handle_(handle)
    {
    }
    std::coroutine_handle<promise_type> handle_;
};

static task
three_calls(mh::dialog_ref dialog, std::string &said)
{
    for (int i = 0; i < 3; i++) {
        auto r = co_await dialog.call("echo", "{\"i\":" + std::to_string(i) + "}");
        said += r ? std::string(*r->item_text(0)) : std::string(r.error().message());
    }
}

static task
one_call(mh::dialog_ref dialog, std::string name, int &code)
{
    auto r = co_await dialog.call(name).timeout(60000);
    code = r.code();
}

static void
awaited_calls_run_one_after_another()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    std::string said;
    task run = three_calls(dialog, said);
    CHECK(!run.done());
    while (!run.done() && host.wait(1000))
        ;
    CHECK(said == "{\"i\":0}{\"i\":1}{\"i\":2}");
}

static void
errors_come_without_a_wait()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    int code = 1;
    task run = one_call(dialog, "no-such-tool", code);
    CHECK(run.done() && code == MCPHOST_E_NOTFOUND);
    mh::dialog none;
    task empty = one_call(none, "echo", code);
    CHECK(empty.done() && code == MCPHOST_E_INVALID);
}

static task
start_twice(mh::call_ref call, int &code)
{
    auto r = co_await mh::invocation(call.ref());
    code = r.code();
}

static void
a_refused_start_is_an_error()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    auto call = dialog.call("later").start();
    int code = 1;
    task run = start_twice(*call, code);
    CHECK(run.done() && code == MCPHOST_E_STATE);
}

static void
a_destroyed_coroutine_cancels_its_call()
{
    mh::host host = make_host();
    std::optional<mh::call> seen;
    CHECK(host.default_view().add_builtin("own", "open", nullptr, "{\"type\":\"object\"}",
                                          [&](mh::call_ref call, std::string_view) {
                                              seen.emplace(call.ref());
                                              return 0;
                                          }));
    mh::dialog dialog = make_dialog(host);
    int code = 1;
    task run = one_call(dialog, "open", code);
    while (!seen && host.wait(1000))
        ;
    CHECK(!seen->is_cancelled());
    run.destroy();
    CHECK(seen->is_cancelled());
    while (!seen->is_done() && host.wait(1000))
        ;
    CHECK(code == 1);
    seen.reset();
    CHECK(host.end());
}

static void
a_closed_host_ends_the_wait()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    int code = 1;
    task run = one_call(dialog, "later", code);
    CHECK(host.end());
    CHECK(run.done() && code == MCPHOST_E_CANCELLED);
}

static void
a_dropped_host_ends_the_wait()
{
    int code = 1;
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    task run = one_call(dialog, "later", code);
    CHECK(!run.done());
    host.reset();
    CHECK(run.done());
    CHECK(code == MCPHOST_E_CLOSED || code == MCPHOST_E_CANCELLED);
}

static task
counted(mh::dialog_ref dialog, std::atomic<int> &n, std::atomic<int> &over)
{
    for (int i = 0; i < 200; i++) {
        auto r = co_await dialog.call("echo", "{}");
        if (r)
            n++;
    }
    over++;
}

/* The library's thread ends calls and resumes their coroutines, while this thread starts
 * the first call of each coroutine. */
static void
a_thread_of_the_library_resumes_coroutines()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    CHECK(host.thread_start());
    std::atomic<int> n = 0, over = 0;
    {
        task a = counted(dialog, n, over), b = counted(dialog, n, over),
             c = counted(dialog, n, over);
        while (over < 3)
            std::this_thread::yield();
        CHECK(n == 600);
        CHECK(host.thread_stop());
    }
    CHECK(host.end());
}

int
main()
{
    RUN(awaited_calls_run_one_after_another);
    RUN(errors_come_without_a_wait);
    RUN(a_refused_start_is_an_error);
    RUN(a_destroyed_coroutine_cancels_its_call);
    RUN(a_closed_host_ends_the_wait);
    RUN(a_dropped_host_ends_the_wait);
    RUN(a_thread_of_the_library_resumes_coroutines);
    return check_failures != 0;
}
