# SPDX-License-Identifier: MIT
"""Subinterpreters: each has its own hosts, and closes them at its end.

Each test runs a program in a process of its own.  The program has the functions of MAIN.
Each subinterpreter has the functions of PRELUDE.  These functions use hosts, and check
that each callback runs in the interpreter that has set it.
"""
from __future__ import annotations

import importlib.util
import sys
import time
import unittest

import rig

PRELUDE = """
import asyncio, sys, threading
import _xxsubinterpreters as interpreters
import mcphost, rig
from mcphost import sync
me = int(interpreters.get_current())
directory, guard = sys.argv[1:3]
unraisable = []
sys.unraisablehook = lambda what: unraisable.append(str(what.exc_value))

def here():
    assert int(interpreters.get_current()) == me

def open_host():
    host = sync.Host.workspace(directory, guard_path=guard)
    host.__enter__()
    provider = host.provider("app")

    @provider.tool
    def add(a: int, b: int) -> str:
        here()
        return str(a + b)

    @provider.tool
    def fail() -> str:
        here()
        raise mcphost.ToolError("failed")

    provider.start()
    host.tool("add")
    return host

def calls(host, n=20):
    dialog, seen = host.dialog("me"), []
    for i in range(n):
        for tool in "add", "a_add":
            assert dialog.call(tool, {"a": i, "b": me}).text == str(i + me)
        assert dialog.call("fail").is_error
        try:
            dialog.call("nothing")
        except mcphost.NotFoundError:
            seen.append(i)
    assert len(seen) == n

    def report(done, of, text):
        here()
        raise ValueError(str(me))

    dialog.call("a_count", {"n": 3, "ms": 1}, on_progress=report)
    assert unraisable == [str(me)] * 3, unraisable
    unraisable.clear()

def work():
    host = open_host()
    calls(host)
    host.close()

def library():
    host, threads = open_host(), set()
    host.on_event(lambda event: (here(), threads.add(threading.get_ident())))
    host.core.thread_start()
    calls(host)
    host.core.restart_server("a")
    host.ready()
    host.core.thread_stop()
    assert threads and threading.get_ident() not in threads
    host.close()

async def use_loop():
    async with mcphost.Host.workspace(directory, guard_path=guard) as host:
        provider, seen = host.provider("app"), []

        @provider.tool
        async def add(a: int, b: int) -> str:
            await asyncio.sleep(0)
            here()
            return str(a + b)

        provider.start()
        await host.tool("add")
        dialog = await host.dialog("me")
        for i in range(20):
            done = await asyncio.gather(*[dialog.call(tool, {"a": i, "b": me})
                                          for tool in ("add", "a_add")])
            assert [result.text for result in done] == [str(i + me)] * 2
        await dialog.call("a_count", {"n": 3, "ms": 1},
                          on_progress=lambda *a: (here(), seen.append(a)))
        assert len(seen) == 3

def loop():
    asyncio.run(use_loop())
"""

# Leaves a host that is still alive when its interpreter ends.
LIVE = """
def leave(how):
    global host, dialog, call
    if how == "loop":
        asyncio.run(leave_loop())
        return
    host = open_host()
    host.me = host  # the collector frees the host
    calls(host, 1)
    dialog = host.dialog("me")
    if how != "idle":
        call = dialog.submit("a_slow", {"ms": 20000}, on_progress=print)
        host.wait(0.05)
    if how == "library":
        host.core.thread_start()

async def leave_loop():
    global host, call
    host = mcphost.Host.workspace(directory, guard_path=guard)
    await host.__aenter__()
    dialog = await host.dialog("me")
    call = [dialog.call("a_slow", {"ms": 20000}, on_progress=print) for _ in range(3)]
    await asyncio.sleep(0.05)
"""

MAIN = """
import gc, os, sys, threading, time
import _xxsubinterpreters as interpreters
import rig
directory, guard, prelude, *args = sys.argv[1:]

def create(code=""):
    sub = interpreters.create(isolated=False)
    run(sub, f"import sys; sys.argv = {sys.argv!r}" + prelude + code)
    return sub

run = interpreters.run_string

def destroy(sub):
    while True:
        try:
            interpreters.destroy(sub)
            return
        except RuntimeError as error:  # a thread of the library runs a callback
            assert str(error) == "interpreter has more than one thread", error
        time.sleep(0.01)
"""

ORDER = """
first, *functions = args
if first == "main":
    exec(prelude)
one, two = create(), create()
for name in functions:
    run(one, name + "()")
    run(two, name + "()")
    run(one, name + "()")
if first == "main":
    for name in functions:
        exec(name + "()")
destroy(one)
exec(prelude)
for name in functions:
    run(two, name + "()")
    exec(name + "()")
destroy(two)
three = create()
for name in functions:
    run(three, name + "()")
destroy(three)
for name in functions:
    exec(name + "()")
print("end")
"""

THREADS = """
exec(prelude)
subs, bad = [create() for _ in range(3)], []

def use(sub):
    try:
        for _ in range(3):
            run(sub, "work()")
            run(sub, "library()")
    except BaseException as error:
        bad.append(error)

threads = [threading.Thread(target=use, args=(sub,)) for sub in subs]
for thread in threads:
    thread.start()
for _ in range(3):
    work()
    library()
for thread in threads:
    thread.join()
for sub in subs:
    destroy(sub)
print(bad)
"""

NESTED = """
exec(prelude)
sub = create("host = open_host()")
outer = open_host()
provider = outer.provider("nest")

@provider.tool
def nest() -> str:
    run(sub, "calls(host); work()")
    here()
    return "nested"

provider.start()
outer.tool("nest")
print(outer.dialog("me").call("nest").text)
calls(outer)
outer.core.thread_start()
print(outer.dialog("me").call("nest").text)
outer.close()
run(sub, "calls(host)")
destroy(sub)
print(rig.count_servers(directory))
"""

END = """
exec(prelude)
own = open_host()

def cycle():
    sub = create(f"leave({args[0]!r})")
    assert rig.count_servers(directory) == 2
    begin = time.monotonic()
    destroy(sub)
    assert rig.count_servers(directory) == 1
    assert time.monotonic() - begin < 2

def count():
    gc.collect()
    return [len(os.listdir("/proc/self/" + what)) for what in ("fd", "task")]

cycle()
before = count()
for _ in range(5):
    cycle()
assert count() == before, (count(), before)
calls(own)
own.close()
print("end")
"""

EXIT = """
first, how = args
if first == "main":
    exec(prelude)
sub = create(f"leave({how!r})")
print("end")
"""

AGAIN = """
exec(prelude)
sub = create('''
def forget():
    for name in [name for name in sys.modules if name.startswith("mcphost")]:
        del sys.modules[name]

host, old, old_sync = open_host(), mcphost, sync
forget()
import mcphost
from mcphost import sync
assert mcphost is not old and mcphost._core is not old._core
assert mcphost.Result is old.Result
work()
dialog = host.dialog("me").core
assert isinstance(sync.Dialog(host, dialog).call("add", {"a": 1, "b": 2}), old.Result)
assert isinstance(old_sync.Dialog(host, dialog).call("add", {"a": 1, "b": 2}), old.Result)
''')
destroy(sub)
print(rig.count_servers(directory))
"""

COUNT = """
exec(prelude)
counter = getattr(sys, "gettotalrefcount", sys.getallocatedblocks)

def count():
    for _ in range(3):
        gc.collect()
    return counter()

def grow(code):
    grown = []
    for _ in range(4):
        before = count()
        destroy(create(code))
        grown.append(count() - before)
    return min(grown[1:])  # the first interpreter fills caches

# Python keeps some objects of an interpreter after its end, and asyncio keeps more.
# Measure both losses, and subtract them below.
SLEEP = '''
async def sleep():
    await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0.01))

asyncio.run(sleep())
'''
own = grow(""), grow(SLEEP)
limit = 20 if counter is sys.getallocatedblocks else 0
for code in ("work()", "library()", "loop()", "leave('idle')", "leave('loop')"):
    lost = grow(code) - own["loop" in code]
    if lost > limit:
        print(code, lost)
print("end")
"""


@unittest.skipUnless(importlib.util.find_spec("_xxsubinterpreters"),
                     "Python has no module that makes interpreters")
class Interpreters(unittest.TestCase):
    """Programs with several interpreters."""

    def check(self, code: str, expected: str, *args: str) -> None:
        with rig.Workspace() as workspace:
            done = rig.run_python(MAIN + code, workspace.dir, rig.GUARD, PRELUDE + LIVE,
                                  *args)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, ""))
            end = time.monotonic() + 5
            while rig.count_servers(workspace.dir) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertEqual(rig.count_servers(workspace.dir), 0)


class Use(Interpreters):
    """Each interpreter uses hosts of its own."""

    def test_hosts_work_if_the_main_interpreter_imports_first(self) -> None:
        self.check(ORDER, "end\n", "main", "work", "library", "loop")

    def test_hosts_work_if_a_subinterpreter_imports_first(self) -> None:
        # Use no loop here, because asyncio of CPython 3.11 breaks if its first
        # interpreter ends.
        self.check(ORDER, "end\n", "sub", "work", "library")

    def test_threads_use_interpreters_at_the_same_time(self) -> None:
        self.check(THREADS, "[]\n")

    def test_a_callback_uses_another_interpreter(self) -> None:
        self.check(NESTED, "nested\nnested\n0\n")

    def test_a_second_import_shares_the_types(self) -> None:
        self.check(AGAIN, "0\n")


class Ends(Interpreters):
    """An interpreter ends while a host lives."""

    def test_an_interpreter_ends_while_its_host_is_idle(self) -> None:
        self.check(END, "end\n", "idle")

    def test_an_interpreter_ends_while_a_call_is_under_way(self) -> None:
        self.check(END, "end\n", "call")

    def test_an_interpreter_ends_while_a_library_thread_dispatches(self) -> None:
        self.check(END, "end\n", "library")

    def test_an_interpreter_ends_while_a_loop_drives_a_host(self) -> None:
        self.check(END, "end\n", "loop")

    def test_a_process_ends_while_a_subinterpreter_has_a_host(self) -> None:
        for first in ("main", "sub"):
            for how in ("idle", "call", "library", "loop"):
                with self.subTest(first=first, how=how):
                    self.check(EXIT, "end\n", first, how)


class References(Interpreters):
    """Nothing is left of an interpreter.  A debug build of Python counts references."""

    def test_ended_interpreters_leave_no_references(self) -> None:
        self.check(COUNT, "end\n")


if __name__ == "__main__":
    unittest.main()
