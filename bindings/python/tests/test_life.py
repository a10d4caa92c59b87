# SPDX-License-Identifier: MIT
"""Lifetimes: leaks, forks, the end of the interpreter, garbage."""
from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import gc
import os
import sys
import threading
import time
import tracemalloc
import unittest
import weakref
from typing import Any

import mcphost
from mcphost import Host, sync

import rig

CYCLES = 1000

LIVE = """
import asyncio, sys, threading, time
import mcphost
from mcphost import sync
directory, guard, how = sys.argv[1:4]

def events(event):
    pass

if how.startswith("async"):
    async def main():
        global host, dialog, calls
        host = mcphost.Host.workspace(directory, guard_path=guard)
        await host.__aenter__()
        dialog = await host.dialog("me")
        calls = [dialog.call("a_slow", {"ms": 10000}, on_progress=print)
                 for _ in range(10)]
        await asyncio.sleep(0.05)
        if how == "async-exit":
            sys.exit(0)
        if how == "async-raise":
            raise KeyboardInterrupt
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
else:
    host = sync.Host.workspace(directory, guard_path=guard)
    host.__enter__()
    host.on_event(events)
    dialog = host.dialog("me")
    calls = [dialog.submit("a_slow", {"ms": 10000}) for _ in range(10)]
    if how == "thread":
        host.core.thread_start()
    if how == "daemon":
        def work():
            try:
                while True:
                    dialog.call("a_add", {"a": 1, "b": 1})
            except BaseException:
                pass
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
print("end", flush=True)
"""

FORKS = """
import os, sys, threading, time
import mcphost
from mcphost import sync
directory, guard, n = sys.argv[1:4]
bad = 0
with sync.Host.workspace(directory, guard_path=guard) as host:
    dialog = host.dialog("me")
    result = dialog.call("a_add", {"a": 1, "b": 1})
    is_over = False
    def work():
        while not is_over:
            dialog.call("a_add", {"a": 1, "b": 1})
    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for i in range(int(n)):
        pid = os.fork()
        if pid == 0:
            try:
                dialog.call("a_add", {"a": 1, "b": 1})
                os._exit(1)
            except mcphost.ForkedError:
                pass
            if result.text != "2":
                os._exit(2)
            del dialog, host, result
            import gc
            if i % 50 == 0:
                gc.collect()
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        bad += status != 0
    is_over = True
    for t in threads:
        t.join()
    assert dialog.call("a_add", {"a": 1, "b": 1}).text == "2"
print("bad", bad)
"""


class Exits(unittest.TestCase):
    """The interpreter ends while a host lives."""

    def check_exit(self, how: str) -> None:
        with rig.Workspace() as workspace:
            done = rig.run_python(LIVE, workspace.dir, rig.GUARD, how)
            self.assertEqual(done.returncode, 0, done.stderr)
            if how not in ("async-exit",):
                self.assertEqual(done.stdout, "end\n")
            self.assertNotIn("Fatal", done.stderr)
            self.assertNotIn("Exception ignored", done.stderr)
            for _ in range(100):
                if rig.count_servers(workspace.dir) == 0:
                    break
                time.sleep(0.05)
            self.assertEqual(rig.count_servers(workspace.dir), 0)

    def test_exit_ends_an_asyncio_host(self) -> None:
        self.check_exit("async")

    def test_sys_exit_ends_an_asyncio_host(self) -> None:
        self.check_exit("async-exit")

    def test_an_exception_ends_an_asyncio_host(self) -> None:
        self.check_exit("async-raise")

    def test_exit_ends_a_sync_host(self) -> None:
        self.check_exit("sync")

    def test_exit_ends_a_host_with_a_thread_of_the_library(self) -> None:
        self.check_exit("thread")

    def test_exit_ends_a_host_with_daemon_threads(self) -> None:
        self.check_exit("daemon")


DAEMON = """
import asyncio, atexit, sys, threading, time
import rig
directory, guard, how = sys.argv[1:4]
# atexit calls this function after the function that the module mcphost registers, because
# atexit begins with the function that was registered last.
atexit.register(lambda: print("servers", rig.count_servers(directory)))
import mcphost
from mcphost import sync
is_ready = threading.Event()

async def main():
    async with mcphost.Host.workspace(directory, guard_path=guard) as host:
        dialog = await host.dialog("me")
        is_ready.set()
        await dialog.call("a_slow", {"ms": 30000})

def work():
    if how == "loop":
        asyncio.run(main())
    elif how == "call":
        dialog.call("a_slow", {"ms": 30000})
    elif how == "tool":
        dialog.call("nap")
    else:
        while True:
            host.wait()

if how != "loop":
    host = sync.Host.workspace(directory, guard_path=guard)
    host.__enter__()
    dialog = host.dialog("me")
    provider = host.provider("app")

    @provider.tool
    def nap() -> str:
        is_ready.set()
        time.sleep(0.5)
        return ""

    if how != "tool":
        is_ready.set()
    provider.start()
    host.tool("nap")
    if how == "library":
        host.core.thread_start()
        host.core.wake()
if how != "library":
    threading.Thread(target=work, daemon=True).start()
is_ready.wait()
time.sleep(0.1)
print(time.monotonic())
"""


class DaemonThreads(unittest.TestCase):
    """The interpreter ends while another thread dispatches."""

    def check_exit(self, how: str) -> None:
        with rig.Workspace() as workspace:
            done = rig.run_python(DAEMON, workspace.dir, rig.GUARD, how)
            begin, _, rest = done.stdout.partition("\n")
            self.assertEqual((done.returncode, rest, done.stderr), (0, "servers 0\n", ""))
            self.assertLess(time.monotonic() - float(begin), 3)

    def test_exit_ends_a_host_while_a_thread_waits(self) -> None:
        self.check_exit("wait")

    def test_exit_ends_a_host_while_a_thread_makes_a_call(self) -> None:
        self.check_exit("call")

    def test_exit_ends_a_host_while_a_thread_runs_a_tool(self) -> None:
        self.check_exit("tool")

    def test_exit_ends_a_host_while_a_thread_runs_a_loop(self) -> None:
        self.check_exit("loop")

    def test_exit_ends_a_host_while_its_library_thread_dispatches(self) -> None:
        self.check_exit("library")


class LostLoops(unittest.TestCase):
    """The loop that drove a host has ended, but the host has not."""

    def setUp(self) -> None:
        self.workspace = rig.Workspace()
        self.host: Host = Host.workspace(self.workspace.dir, **rig.settings())

        async def leave() -> Any:
            await self.host.open()
            await self.host.ready()
            dialog = await self.host.dialog("me")
            return dialog.call("a_slow", {"ms": 100})  # nobody awaits the call

        def run() -> object:
            return asyncio.run(leave())

        # Run the loop on a thread of its own, so that this thread ends with the loop.
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            self.call: Any = executor.submit(run).result()

    def tearDown(self) -> None:
        asyncio.run(self.host.close())
        self.assertEqual(rig.count_servers(self.workspace.dir), 0)
        with self.workspace:
            pass

    def test_another_loop_closes_the_host(self) -> None:
        async def main() -> None:
            events = self.host.events()
            waits: list[Any] = [self.host.ready(), self.host.tool("nothing", None),
                                self.host.dialog("you"), events.__anext__()]
            for wait in waits:
                with self.assertRaisesRegex(mcphost.UsageError, "another loop"):
                    await asyncio.wait_for(wait, 5)
            await asyncio.wait_for(self.host.close(), 5)

        asyncio.run(main())

    def test_a_thread_can_wait_for_a_call_of_the_ended_loop(self) -> None:
        self.assertFalse(self.call.run(5000).is_error)

    def test_calls_that_nobody_awaited_are_freed(self) -> None:
        asyncio.run(self.host.close())
        call = weakref.ref(self.call)
        self.call = None
        gc.collect()
        self.assertIsNone(call())

    def test_a_thread_can_wait_for_the_host_of_the_ended_loop(self) -> None:
        self.assertTrue(self.host.core.wait_ready(5000))
        self.host.core.restart_server("a")
        self.assertTrue(self.host.core.wait(5000))

    def test_waits_fail_after_another_thread_has_closed_the_host(self) -> None:
        self.host.core.close_within(0)
        with self.assertRaises(mcphost.ClosedError):
            while True:
                with contextlib.suppress(mcphost.TimeError):  # the end of the call wakes
                    self.host.core.wait(5000)

    def test_a_loop_that_runs_again_drives_again(self) -> None:
        async def main() -> bool:
            async with Host.workspace(self.workspace.dir, **rig.settings()) as host:
                dialog = await host.dialog("me")
                loop.stop()
                await goes_on
                # Another thread waits, and must leave dispatching to this loop.
                call = dialog.call("a_slow", {"ms": 300})
                waits = loop.run_in_executor(None, call.run)
                threads: set[int] = set()
                result = await dialog.call(
                    "a_count", {"n": 3, "ms": 100},
                    on_progress=lambda *a: threads.add(threading.get_ident()))
                await waits
                return threads == {threading.get_ident()} and not result.is_error

        loop = asyncio.new_event_loop()
        goes_on = loop.create_future()
        task = loop.create_task(main())
        loop.run_forever()
        self.assertFalse(self.call.run(5000).is_error)  # looks at all loops
        goes_on.set_result(None)
        self.assertTrue(loop.run_until_complete(task))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


@unittest.skipIf(os.environ.get("ASAN") == "1",
                 "a fork may copy the sanitizer's allocator with its lock held")
class Forks(unittest.TestCase):
    """Forks while threads use the host."""

    def test_forked_children_refuse_calls_and_the_parent_continues(self) -> None:
        n = os.environ.get("FORKS", "200")
        with rig.Workspace() as workspace:
            done = rig.run_python(FORKS, workspace.dir, rig.GUARD, n, timeout=300)
            self.assertEqual(done.stdout, "bad 0\n", done.stderr)


CHILD = """
import asyncio, os, sys
import mcphost
directory, guard = sys.argv[1:3]

async def main():
    async with mcphost.Host.workspace(directory, guard_path=guard) as host:
        dialog = await host.dialog("me")
        return (await dialog.call("a_add", {"a": 1, "b": 1})).text

assert asyncio.run(main()) == "2"
pid = os.fork()
if pid == 0:
    assert asyncio.run(main()) == "2"
    sys.exit(0)
print(os.waitpid(pid, 0)[1])
"""


class Children(unittest.TestCase):
    """A child makes hosts of its own."""

    def test_a_child_makes_a_host(self) -> None:
        with rig.Workspace() as workspace:
            done = rig.run_python(CHILD, workspace.dir, rig.GUARD)
            self.assertEqual(done.stdout, "0\n", done.stderr)


def objects() -> int:
    """Returns the number of objects that the collector knows."""
    gc.collect()
    return len(gc.get_objects())


@unittest.skipIf(os.environ.get("ASAN") == "1", "the sanitizer changes the numbers")
class Leaks(unittest.TestCase):
    """Nothing is left after many cycles."""

    def check_leaks(self, cycle: Any, cycles: int) -> None:
        for _ in range(cycles // 10 + 3):
            cycle()
        gc.collect()
        blocks, known = sys.getallocatedblocks(), objects()
        tracemalloc.start()
        before = tracemalloc.take_snapshot()
        for _ in range(cycles):
            cycle()
        gc.collect()
        after = tracemalloc.take_snapshot()
        tracemalloc.stop()
        grown = sum(s.size_diff for s in after.compare_to(before, "filename")
                    if "tracemalloc" not in s.traceback[0].filename)
        del before, after  # their objects would count
        self.assertLess(grown, 40 * cycles)
        self.assertLess(objects() - known, cycles // 5 + 50)
        self.assertLess(sys.getallocatedblocks() - blocks, cycles // 2 + 500)

    def test_sync_calls_leave_nothing(self) -> None:
        with rig.Workspace() as workspace:
            with sync.Host.workspace(workspace.dir, **rig.settings()) as host:
                dialog = host.dialog("me")

                def cycle() -> None:
                    result = dialog.call("a_add", {"a": 1, "b": 1},
                                         on_progress=lambda *a: None, meta={"x": 1})
                    result.text, result.json(), result.structured
                    bytes(result.raw)
                    for tool in dialog.catalog.tools[:2]:
                        tool.name, tool.description, tool.input_schema
                    try:
                        dialog.call("nothing")
                    except mcphost.Error:
                        pass
                    try:
                        dialog.call("a_boom")
                    except mcphost.Error as error:
                        error.info

                self.check_leaks(cycle, CYCLES)

    def test_asyncio_calls_leave_nothing(self) -> None:
        async def main(directory: str) -> None:
            async with Host.workspace(directory, **rig.settings()) as host:
                dialog = await host.dialog("me")

                async def cycle() -> None:
                    await dialog.call("a_add", {"a": 1, "b": 1}, on_progress=print)
                    await asyncio.gather(*[dialog.call("a_add", {"a": 1, "b": 1})
                                           for _ in range(3)])
                    task = asyncio.create_task(dialog.call("a_slow", {"ms": 1000}))
                    await asyncio.sleep(0)
                    task.cancel()
                    try:
                        await task
                    except asyncio.CancelledError:
                        pass
                    try:
                        await dialog.call("a_boom")
                    except mcphost.Error:
                        pass

                for _ in range(100):
                    await cycle()
                known, blocks = objects(), sys.getallocatedblocks()
                for _ in range(CYCLES):
                    await cycle()
                self.assertLess(objects() - known, 200)
                self.assertLess(sys.getallocatedblocks() - blocks, 700)

        with rig.Workspace() as workspace:
            asyncio.run(main(workspace.dir))

    def test_calls_return_their_references(self) -> None:
        async def main(directory: str) -> None:
            async with Host.workspace(directory, **rig.settings()) as host:
                dialog = await host.dialog("me")

                def report(*args: object) -> None:
                    pass

                arguments = {"a": 1, "b": 1}
                for _ in range(10):
                    await dialog.call("a_add", arguments, on_progress=report)
                before = sys.getrefcount(report), sys.getrefcount(arguments), \
                    sys.getrefcount(dialog.core), sys.getrefcount(host._driver)
                for _ in range(CYCLES):
                    await dialog.call("a_add", arguments, on_progress=report)
                gc.collect()
                self.assertEqual(before, (
                    sys.getrefcount(report), sys.getrefcount(arguments),
                    sys.getrefcount(dialog.core), sys.getrefcount(host._driver)))

        with rig.Workspace() as workspace:
            asyncio.run(main(workspace.dir))

    def test_hosts_are_freed(self) -> None:
        with rig.Workspace() as workspace:
            def cycle() -> weakref.ref[Any]:
                with sync.Host.workspace(workspace.dir, **rig.settings()) as host:
                    host.dialog("me").call("a_add", {"a": 1, "b": 1})
                    return weakref.ref(host)

            alive = [cycle() for _ in range(20)]
            gc.collect()
            self.assertEqual([r() for r in alive], [None] * 20)
            self.assertEqual(rig.count_servers(workspace.dir), 0)

    def test_hosts_of_loops_are_freed(self) -> None:
        async def main(directory: str) -> weakref.ref[Any]:
            async with Host.workspace(directory, **rig.settings()) as host:
                provider = host.provider("app")

                @provider.tool
                async def hello() -> str:
                    return "x"

                provider.start()
                await host.tool("hello")
                await (await host.dialog("me")).call("hello")
                return weakref.ref(host)

        with rig.Workspace() as workspace:
            alive = [asyncio.run(main(workspace.dir)) for _ in range(10)]
            gc.collect()
            self.assertEqual([r() for r in alive], [None] * 10)

    def test_hosts_close_their_descriptors(self) -> None:
        with rig.Workspace() as workspace:
            def cycle() -> None:
                with sync.Host.workspace(workspace.dir, **rig.settings()) as host:
                    host.dialog("me")

            cycle()
            gc.collect()
            before = len(os.listdir("/proc/self/fd"))
            for _ in range(10):
                cycle()
            gc.collect()
            self.assertEqual(len(os.listdir("/proc/self/fd")), before)


if __name__ == "__main__":
    unittest.main()
