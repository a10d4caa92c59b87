/* SPDX-License-Identifier: MIT
 *
 * two_b.cpp - the second file of the program of two_a.cpp.
 *
 * The build compiles this file without exceptions.
 */
#include "check.hpp"

#ifdef MCPHOSTXX_EXCEPTIONS
#error "this file is compiled without exceptions"
#endif

mh::result<mh::call_result> call_without_exceptions(mh::dialog_ref dialog);

mh::result<mh::call_result>
call_without_exceptions(mh::dialog_ref dialog)
{
    return dialog.call("echo")
        .on_progress([](mh::call_ref, double, double, std::string_view) {})
        .wait();
}
