/* SPDX-License-Identifier: MIT
 *
 * two_a.cpp - one of the two files of a program.  Both files include mcphost.hpp.
 *
 * The build compiles this file with exceptions, and two_b.cpp without exceptions.
 */
#include <stdexcept>

#include "check.hpp"

mh::result<mh::call_result> call_without_exceptions(mh::dialog_ref dialog);

int
main()
{
    mh::host host = make_host();
    mh::dialog dialog = make_dialog(host);
    mh::set_exception_handler([](const char *, std::exception_ptr) {});
    CHECK(host.default_view().add_builtin(
        "own", "throws", nullptr, "{\"type\":\"object\"}",
        [](mh::call_ref, std::string_view) -> int { throw std::runtime_error("no"); }));
    CHECK(call_without_exceptions(dialog));
    CHECK(dialog.call("throws").wait().code() == MCPHOST_E_STATE);
    return check_failures != 0;
}
