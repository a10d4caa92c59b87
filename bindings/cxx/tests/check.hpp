/* SPDX-License-Identifier: MIT
 *
 * check.hpp - macros and helpers for test programs without a framework.
 *
 * CHECK prints and counts a failure.  RUN runs a test and prints its result.
 */
#ifndef CHECK_HPP
#define CHECK_HPP

#include <cstdio>
#include <cstdlib>

#include <mcphost/mcphost.hpp>

namespace mh = mcphostxx;

inline int check_failures;

#define CHECK(what)                                                         \
    do {                                                                    \
        if (!(what)) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            check_failures++;                                               \
        }                                                                   \
    } while (0)

#define RUN(test)                                                                   \
    do {                                                                            \
        int before = check_failures;                                                \
        test();                                                                     \
        std::printf("%s: %s\n", #test, before == check_failures ? "ok" : "FAILED"); \
    } while (0)

/* Returns a host with a toolset `own` of built-in tools: `echo` answers with its
 * arguments, `later` never answers, and `fails` fails with a code. */
inline mh::host
make_host()
{
    auto host = mh::host::create();
    if (!host)
        std::abort();
    mh::view view = host->default_view();
    auto add = [&](const char *name, mh::builtin_function fn) {
        CHECK(view.add_builtin("own", name, nullptr, "{\"type\":\"object\"}",
                               std::move(fn)));
    };
    add("echo", [](mh::call_ref call, std::string_view arguments) {
        return call.answer(arguments, false);
    });
    add("later", [](mh::call_ref, std::string_view) { return 0; });
    add("fails", [](mh::call_ref, std::string_view) { return MCPHOST_E_DENIED; });
    return std::move(*host);
}

inline mh::dialog
make_dialog(const mh::host &host, const char *id = "me")
{
    auto dialog = mh::dialog::create(host.default_view(), id);
    CHECK(dialog);
    return std::move(*dialog);
}

#endif
