/* SPDX-License-Identifier: MIT
 *
 * embed.cpp - a whole host in C++17 that lists the tools and calls a tool.
 *
 *   embed DIR TOOL ARGUMENTS
 */
#include <iostream>

#include <mcphost/mcphost.hpp>

namespace mh = mcphostxx;

static mh::result<mh::call_result>
run(mh::host_ref host, char **argv)
{
    /* Read DIR/.minds/mcp.yaml, and start its servers. */
    auto loaded = host.load_workspace(argv[1]);
    if (!loaded)
        return std::move(loaded).error();
    /* Wait until each server has started or failed, at most 60 s. */
    auto ready = host.wait_ready(60000);
    if (!ready)
        return std::move(ready).error();
    auto dialog = mh::dialog::create(host.default_view(), "me");
    if (!dialog)
        return std::move(dialog).error();
    auto tools = dialog->catalog();
    for (std::size_t i = 0; tools && i < tools->count_tools(); i++)
        std::cout << tools->tool(i).name() << '\n';
    return dialog->call(argv[2], argv[3])
        .timeout(30000)
        .on_progress([](mh::call_ref, double n, double total, std::string_view what) {
            std::cerr << n << " of " << total << ' ' << what << '\n';
        })
        .wait();
}

int
main(int argc, char **argv)
{
    auto host = mh::host::create();
    if (argc != 4 || !host)
        return 2;
    auto answer = run(*host, argv);
    if (answer)
        std::cout << answer->json() << '\n'; /* exactly as the server sent it */
    else
        std::cerr << answer.error().code_name() << ": " << answer.error().message()
                  << '\n';
    (void)host->end(); /* waits until all servers have ended */
    return answer ? 0 : 1;
}
