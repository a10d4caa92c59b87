/* SPDX-License-Identifier: MIT
 *
 * mcphost.hpp - the interface for C++17.
 *
 *   auto host = mcphostxx::host::create();
 *   if (!host)
 *       return report(host.error());
 *   if (auto r = host->load_workspace("."); !r)
 *       return report(r.error());
 *   host->wait_ready(60000);
 *   auto dialog = mcphostxx::dialog::create(host->default_view(), "me");
 *   auto answer = dialog->call("tool", R"({"n":1})").wait();
 *
 * A handle `mcphost_x` has two classes.  An `x` owns a reference, and its destructor
 * drops the reference.  An `x_ref` owns no reference.  Functions take an `x_ref`, and
 * callbacks get an `x_ref`.  ref() of either class makes another `x`.  The classes have
 * the functions of the C interface: mcphost_dialog_get_catalog() is dialog.catalog(), and
 * mcphost_call_new() is call::create().  The class of the handle `mcphost` is `host`.
 * The class of `mcphost_result` is `call_result`.  A result<T> is a value or an error.
 * Each function is described in the manual page of the C function.
 *
 * Texts are std::string_view.  A text that a handle gives ends with a NUL, and lives as
 * long as the handle.  If a handle has no text to give, data() of the text is a null
 * pointer.
 *
 * The header works without exceptions and without RTTI.  Nothing in it throws, except
 * std::bad_alloc of std::function and std::string.  An exception in a function of the
 * application does not pass through the library (set_exception_handler()).
 *
 * mcphost-cxx(7) has an example.
 */
#ifndef MCPHOST_MCPHOST_HPP
#define MCPHOST_MCPHOST_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "mcphost.hpp needs C++17"
#endif

#include <mcphost/cxx/base.hpp>
#include <mcphost/cxx/handles.hpp>
#include <mcphost/cxx/login.hpp>
#include <mcphost/cxx/await.hpp>

#endif
