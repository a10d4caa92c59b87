/* SPDX-License-Identifier: MIT
 *
 * qt.cpp - a host in an event loop of Qt.
 *
 *   qt DIR TOOL ARGUMENTS
 *
 * The program calls a tool of the workspace DIR when all servers have started or failed,
 * prints the result and ends.  It sleeps only in the loop.
 */
#include <iostream>

#include <mcphost/adapters/qt.h>
#include <mcphost/mcphost.hpp>

namespace mh = mcphostxx;

int
main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    if (argc != 4)
        return 2;
    auto made = mh::host::create();
    if (!made)
        return 1;
    mh::host host = std::move(*made);
    auto dialog = mh::dialog::create(host.default_view(), "me");
    int status = 1;
    bool started = false;

    auto on_done = [&](mh::call_ref call) {
        auto answer = mh::outcome_of(call);
        if (answer)
            std::cout << answer->json() << '\n';
        else
            std::cerr << answer.error().message() << '\n';
        status = answer && !answer->is_error() ? 0 : 1;
        (void)host.close(); /* the loop continues until all servers have ended */
    };
    auto on_event = [&](mh::event_ref event) {
        if (event.kind() != MCPHOST_EVENT_READY || started)
            return;
        started = true;
        auto call = dialog->call(argv[2], argv[3]).start(on_done);
        if (!call) {
            std::cerr << call.error().message() << '\n';
            (void)host.close();
        }
    };
    auto loaded = host.set_event(on_event);
    if (loaded)
        loaded = host.load_workspace(argv[1]);
    mcphost_qt *attached = nullptr;
    if (!dialog || !loaded ||
        mcphost_qt_attach(
            host.get(), &app, [](mcphost *, int) { qApp->quit(); }, &attached) < 0)
        return 1;
    app.exec();
    mcphost_qt_detach(attached);
    return status;
}
