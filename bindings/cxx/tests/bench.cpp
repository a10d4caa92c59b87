/* SPDX-License-Identifier: MIT
 *
 * bench.cpp - compares a call over the C++ interface with a call over the C interface.
 *
 *   bench SERVER GUARD [CALLS [LIMIT]]
 *
 * SERVER is a server with a tool `echo`.  The program starts each call, runs poll() and
 * dispatch until the call ends, and reads the text of the result.  The program makes 100
 * calls over one interface, then 100 calls over the other interface, and so on.  It
 * prints the medians in microseconds, and their ratio.  It fails if the ratio is above
 * LIMIT.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <poll.h>

#include <mcphost/mcphost.hpp>

namespace mh = mcphostxx;
using steady = std::chrono::steady_clock;

static const char arguments[] = "{\"text\":\"hello\"}";
static bool over;
static std::size_t sum;

static void
on_done(mcphost_call *call, void *)
{
    const char *text = nullptr;
    std::size_t len = 0;

    mcphost_result_item_get_text(mcphost_call_get_result(call), 0, &text, &len);
    sum += len;
    over = true;
}

static void
call_c(mcphost *host, mcphost_dialog *dialog)
{
    struct pollfd fd = {mcphost_get_fd(host), POLLIN, 0};
    mcphost_error *err = nullptr;
    mcphost_call *call = nullptr;

    over = false;
    if (mcphost_call_new(dialog, "echo", arguments, sizeof(arguments) - 1, &call, &err) < 0 ||
        mcphost_call_start(call, on_done, nullptr, nullptr) < 0)
        std::abort();
    mcphost_call_unref(call);
    while (!over) {
        while (mcphost_dispatch(host) > 0 && !over)
            ;
        if (!over)
            poll(&fd, 1, -1);
    }
}

static void
call_cxx(const mh::host &host, const mh::dialog &dialog)
{
    struct pollfd fd = {*host.fd(), POLLIN, 0};

    over = false;
    auto call = dialog.call("echo", arguments).start([](mh::call_ref ended) {
        sum += mh::outcome_of(ended)->item_text(0)->size();
        over = true;
    });
    if (!call)
        std::abort();
    call->reset();
    while (!over) {
        while (host.dispatch().value() > 0 && !over)
            ;
        if (!over)
            poll(&fd, 1, -1);
    }
}

template <class F>
static void
measure(std::vector<double> &times, F f)
{
    for (int i = 0; i < 100; i++) {
        auto begin = steady::now();
        f();
        times.push_back(std::chrono::duration<double, std::micro>(steady::now() - begin)
                            .count());
    }
}

static double
median(std::vector<double> &times)
{
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

int
main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    std::size_t n = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 20000;
    mh::host host = std::move(mh::host::create()).value();
    host.set_guard_path(argv[2]).value();
    mh::config config = std::move(mh::config::create_stdio("s", {argv[1]})).value();
    host.load(config).value();
    (void)host.wait_ready(20000).value();
    mh::dialog dialog = std::move(mh::dialog::create(host.default_view(), "me")).value();
    std::vector<double> c, cxx;
    for (int i = 0; i < 1000; i++) {
        call_c(host.get(), dialog.get());
        call_cxx(host, dialog);
    }
    while (c.size() < n) {
        measure(c, [&] { call_c(host.get(), dialog.get()); });
        measure(cxx, [&] { call_cxx(host, dialog); });
    }
    double of_c = median(c), of_cxx = median(cxx);
    std::printf("p50 of one call: C %.2f us, C++ %.2f us, %.3f times\n", of_c, of_cxx,
                of_cxx / of_c);
    bool fits = argc < 5 || of_cxx / of_c <= std::strtod(argv[4], nullptr);
    return host.end() && fits ? 0 : 1;
}
