/* SPDX-License-Identifier: MIT
 *
 * await.hpp - one call of a tool: started, waited for, or awaited by a coroutine.
 *
 * Include <mcphost/mcphost.hpp>, which includes this header.
 */
#ifndef MCPHOST_CXX_AWAIT_HPP
#define MCPHOST_CXX_AWAIT_HPP

#include <mcphost/cxx/handles.hpp>

#if defined(__cpp_impl_coroutine) && defined(__has_include)
#if __has_include(<coroutine>)
#define MCPHOSTXX_COROUTINES 1
#include <coroutine>
#endif
#endif

namespace mcphostxx {

/*
 * outcome_of - get the result of a call that has ended, or its error.
 *
 * A result with isError is a result, not an error.  A call that has not ended gives
 * MCPHOST_E_STATE.
 */
inline result<call_result>
outcome_of(call_ref call) noexcept
{
    call_result made = call.result();
    if (made)
        return made;
    error e = call.error();
    if (e)
        return e;
    return error(MCPHOST_E_STATE);
}

/*
 * invocation - a call that is being prepared.
 *
 *   auto r = dialog.call("tool", "{}").timeout(5000).wait();
 *   auto r = co_await dialog.call("tool", "{}").on_progress(show);
 *
 * The object keeps the first error of the steps.  start(), wait() and co_await return
 * this error.
 */
class [[nodiscard]] invocation {
  public:
    /* Takes a call that has not been started, or the error with which the call was not
     * created. */
    invocation(result<mcphostxx::call> made) noexcept
    {
        if (made)
            call_ = std::move(*made);
        else
            error_ = std::move(made).error();
    }

    /* Limits how long the call may take, as mcphost_call_set_timeout() does.  All times
     * are in ms. */
    [[nodiscard]] invocation &&timeout(std::int64_t ms, bool reset_on_progress = false,
                                       std::int64_t max_ms = -1) &&
    {
        if (!error_)
            keep(call_.set_timeout(ms, reset_on_progress, max_ms));
        return std::move(*this);
    }
    [[nodiscard]] invocation &&on_progress(progress_function fn) &&
    {
        if (!error_)
            keep(call_.set_progress(std::move(fn)));
        return std::move(*this);
    }
    [[nodiscard]] invocation &&meta(std::string_view json) &&
    {
        if (!error_)
            keep(call_.set_meta(json));
        return std::move(*this);
    }
    [[nodiscard]] invocation &&task(std::int64_t ttl_ms) &&
    {
        if (!error_)
            keep(call_.set_task(ttl_ms));
        return std::move(*this);
    }

    /* Starts the call.  `done` runs from dispatch, with the call that has ended.  The
     * destructor of the returned object does not cancel the call.  cancel() cancels the
     * call. */
    result<mcphostxx::call> start(done_function done = {}) &&
    {
        if (!error_)
            keep(call_.start(std::move(done)));
        if (error_)
            return std::move(error_);
        return std::move(call_);
    }

    /* Starts the call and waits for its end.  Cancels the call if it has not ended after
     * `timeout_ms`, or if mcphost_call_wait() fails, as after mcphost_wake(). */
    result<call_result> wait(std::int64_t timeout_ms = -1) &&
    {
        if (!error_)
            keep(call_.start());
        if (error_)
            return std::move(error_);
        result<int> r = call_.wait(timeout_ms);
        if (r && *r == 1)
            return outcome_of(call_);
        (void)call_.cancel();
        if (!r)
            return std::move(r).error();
        return error(MCPHOST_E_TIMEOUT);
    }

    /* Returns the call, or an empty handle if there is no call.  Use the handle for
     * functions of the call that this class lacks. */
    call_ref get() const noexcept { return call_; }
    const error &fault() const noexcept { return error_; }

  private:
    void keep(result<void> r) noexcept
    {
        if (!r)
            error_ = std::move(r).error();
    }

    mcphostxx::call call_;
    error error_;
};

inline invocation
dialog_ref::call(const text &tool, std::string_view arguments) const
{
    return invocation(mcphostxx::call::create(*this, tool, arguments));
}

#ifdef MCPHOSTXX_COROUTINES

/*
 * call_awaiter - the object by which a coroutine waits for a call.
 *
 * mcphost_dispatch() resumes the coroutine on the thread that dispatches.  The coroutine
 * gets a result<call_result>.  If the coroutine is destroyed while it waits, the
 * destructor cancels the call.  If the host ends before the call, the coroutine gets
 * MCPHOST_E_CANCELLED ("the host is closing"), or MCPHOST_E_CLOSED if the library frees
 * the function that runs at the end of the call without running it.
 */
class [[nodiscard]] call_awaiter {
  public:
    explicit call_awaiter(invocation &&prepared) noexcept
        : prepared_(std::move(prepared))
    {}
    call_awaiter(const call_awaiter &) = delete;
    call_awaiter &operator=(const call_awaiter &) = delete;
    ~call_awaiter()
    {
        if (!state_)
            return;
        state_->now.exchange(gone);
        if (call_ && !call_.is_done())
            (void)call_.cancel();
    }

    bool await_ready() const noexcept { return static_cast<bool>(prepared_.fault()); }

    bool await_suspend(std::coroutine_handle<> waiting)
    {
        std::shared_ptr<state> shared = std::make_shared<state>();
        shared->waiting = waiting;
        state_ = shared;
        call_ = prepared_.get().ref();
        auto end = [token = ending(shared)](call_ref) { token.end(); };
        result<mcphostxx::call> r = std::move(prepared_).start(std::move(end));
        if (!r) {
            /* Do not suspend, because the call has not started.  The library has freed
             * `end` already. */
            failed_ = std::move(r).error();
            return false;
        }
        /* Use only local variables here, because another thread may destroy this object
         * as soon as the state is `waits`. */
        int expected = starts;
        return shared->now.compare_exchange_strong(expected, waits);
    }

    result<call_result> await_resume() noexcept
    {
        if (prepared_.fault())
            return prepared_.fault().ref();
        if (failed_)
            return std::move(failed_);
        if (!call_.is_done())
            return error(MCPHOST_E_CLOSED);
        return outcome_of(call_);
    }

  private:
    enum { starts, waits, ended, gone };

    struct state {
        std::atomic<int> now{starts};
        std::coroutine_handle<> waiting;
    };

    /* A token that ends the wait when the call is done, or when the library frees the
     * function that holds the token. */
    class ending {
      public:
        explicit ending(std::shared_ptr<state> of) : held_(std::make_shared<once>(of)) {}
        void end() const { held_->end(); }

      private:
        struct once {
            explicit once(std::shared_ptr<state> of) : of_(std::move(of)) {}
            once(const once &) = delete;
            once &operator=(const once &) = delete;
            ~once()
            {
                detail::guarded("coroutine", [this] { end(); });
            }
            void end() const
            {
                if (of_->now.exchange(ended) == waits)
                    of_->waiting.resume();
            }
            std::shared_ptr<state> of_;
        };
        std::shared_ptr<once> held_;
    };

    invocation prepared_;
    call call_;
    error failed_;
    std::shared_ptr<state> state_;
};

inline call_awaiter
operator co_await(invocation &&prepared) noexcept
{
    return call_awaiter(std::move(prepared));
}

#endif

} // namespace mcphostxx

#endif
