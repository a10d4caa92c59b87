# SPDX-License-Identifier: MIT
"""The interface without a loop."""
from __future__ import annotations

import contextlib
import json
import math
import os
import pickle
import signal
import sys
import threading
import time
import unittest
from typing import Any

import mcphost
from mcphost import _core, sync

import rig


class SyncCase(unittest.TestCase):
    """A host with one scripted server and a dialog."""

    def setUp(self) -> None:
        self.workspace = rig.Workspace()
        self.host: sync.Host = sync.Host.workspace(self.workspace.dir, **rig.settings())
        self.host.__enter__()
        self.dialog = self.host.dialog("me")

    def tearDown(self) -> None:
        self.host.close()
        with self.workspace:
            pass


class Calls(SyncCase):
    """Calls, waits and signals."""

    def test_a_call_returns_its_result(self) -> None:
        self.assertEqual(self.dialog.call("a_add", {"a": 1, "b": 2}).text, "3")
        self.assertEqual(json.loads(bytes(
            self.dialog.call("a_add", {"a": 1, "b": 2}).raw))
            ["content"][0]["text"], "3")

    def test_arguments_of_a_call_have_names(self) -> None:
        arguments = {"a": 1, "b": 2}
        self.assertEqual(self.dialog.call(tool="a_add", arguments=arguments).text, "3")
        self.assertEqual(self.dialog.call("a_add", arguments=arguments).text, "3")
        with self.assertRaises(TypeError):
            self.dialog.call("a_add", arguments, patience=1)  # type: ignore[call-arg]
        with self.assertRaises(TypeError):
            self.dialog.call()  # type: ignore[call-arg]

    def test_a_dialog_without_a_core_makes_no_call(self) -> None:
        empty = sync.Dialog.__new__(sync.Dialog)
        with self.assertRaises(TypeError):
            empty.call("a_add")
        empty.core = None  # type: ignore[assignment]
        with self.assertRaises(TypeError):
            empty.call("a_add")

    def test_integers_of_all_sizes_reach_the_tool(self) -> None:
        provider = self.host.provider("app")
        seen: list[int] = []

        @provider.tool
        def take(numbers: list[int]) -> str:
            seen.extend(numbers)
            return "taken"

        provider.start()
        self.host.tool("take")
        numbers = [0, 7, -1, 10, 2**63 - 1, -2**63, 2**63, -2**63 - 1, 10**30]
        self.assertEqual(self.dialog.call("take", {"numbers": numbers}).text, "taken")
        self.assertEqual(seen, numbers)

    def test_rows_of_handles_are_records(self) -> None:
        result = self.dialog.call("a_add", {"a": 1, "b": 2})
        self.assertEqual([(i.kind, i.text) for i in result.items],
                         [(mcphost.ContentKind.TEXT, "3")])
        status = self.host.core.get_status()
        self.assertEqual([(s.id, s.state) for s in status.servers],
                         [("a", mcphost.ServerState.LOADED)])
        self.assertEqual(status.servers[0].error, None)
        self.assertEqual(len(status.servers[:5]), 1)
        config = _core.config_load_memory("version: 1\nservers: 3\n", "name")
        self.assertEqual(config.diagnostics[0].line, 2)

    def test_calls_of_many_threads_all_end(self) -> None:
        texts: list[str] = []

        def work(i: int) -> None:
            for k in range(20):
                texts.append(self.dialog.call("a_add", {"a": i, "b": k}).text)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(texts), 160)

    def test_calls_run_side_by_side(self) -> None:
        begin = time.monotonic()
        calls = [self.dialog.submit("a_slow", {"ms": 200}) for _ in range(10)]
        for call in calls:
            call.run()
        self.assertLess(time.monotonic() - begin, 1.5)

    def test_ctrl_c_ends_a_wait_and_cancels_the_call(self) -> None:
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            self.dialog.call("a_slow", {"ms": 10000})
        self.assertLess(time.monotonic() - begin, 5)
        timer.join()
        self.assertEqual(self.dialog.call("a_add", {"a": 1, "b": 1}).text, "2")

    def test_ctrl_c_ends_other_waits(self) -> None:
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            while True:
                self.host.wait()
        timer.join()

    def test_wake_ends_a_wait(self) -> None:
        timer = threading.Timer(0.1, self.host.core.wake)
        timer.start()
        with self.assertRaises(mcphost.TimeError) as caught:
            while True:
                self.host.wait(20)
        self.assertEqual(caught.exception.code, mcphost.ErrorCode.WOKEN)
        timer.join()

    def test_progress_starts_only_a_given_timeout_anew(self) -> None:
        work = {"n": 5, "ms": 300}
        with self.assertRaises(mcphost.CallTimeout):
            self.dialog.call("a_count", work, timeout=1)
        result = self.dialog.call("a_count", work, timeout=1, reset_on_progress=True)
        self.assertEqual(result.text, "counted to 5")
        others: list[dict[str, Any]] = [{}, {"max_time": 60}, {"meta": {"x": 1}}]
        calls: list[Any] = [self.dialog.call, self.dialog.submit]
        for more in others:
            for call in calls:
                with self.assertRaisesRegex(ValueError, "needs a timeout"):
                    call("a_count", work, reset_on_progress=True, **more)

    def test_an_infinite_time_lifts_the_limit_of_the_server(self) -> None:
        work = {"ms": 600}
        lifted: list[dict[str, Any]] = [
            {"timeout": math.inf}, {"max_time": math.inf}, {"max_time": 60}]
        options = {mcphost.Option.CALL_TIMEOUT: 300}
        with sync.Host.workspace(self.workspace.dir, options=options,
                                 **rig.settings()) as host:
            dialog = host.dialog("me")
            dialog.call("a_add", {"a": 1, "b": 1}, timeout=60)
            with self.assertRaises(mcphost.CallTimeout):
                dialog.call("a_slow", work, meta={"x": 1})
            for settings in lifted:
                self.assertFalse(dialog.call("a_slow", work, **settings).is_error)

    def test_a_call_that_timed_out_can_be_cancelled(self) -> None:
        with self.assertRaises(TimeoutError):
            self.dialog.call("a_slow", {"ms": 10000}, timeout=0.05)
        call = self.dialog.submit("a_slow", {"ms": 10000})
        with self.assertRaises(mcphost.CallTimeout):
            call.run(50)
        self.assertTrue(call.cancel())
        with self.assertRaises(mcphost.TimeError):
            call.run()

    def test_a_call_starts_once(self) -> None:
        call = self.dialog.submit("a_add", {"a": 1, "b": 1})
        with self.assertRaises(mcphost.UsageError):
            call.start()
        self.assertEqual(call.run().text, "2")
        self.assertEqual(call.run().text, "2")

    def test_a_call_without_a_loop_cannot_be_awaited(self) -> None:
        call = self.dialog.core.call_new("a_slow", {"ms": 10})
        with self.assertRaises(Exception):
            call.send(None)
        with self.assertRaises(Exception):
            call.add_done_callback(print)

    def test_a_thread_of_the_library_dispatches(self) -> None:
        self.host.core.thread_start()
        threads: list[int] = []
        result = self.dialog.call(
            "a_count", {"n": 2, "ms": 1},
            on_progress=lambda *a: threads.append(threading.get_ident()))
        self.assertFalse(result.is_error)
        self.host.core.thread_stop()
        self.assertEqual(len(threads), 2)
        self.assertNotIn(threading.get_ident(), threads)

    def test_tools_of_a_provider_and_builtin_tools_answer(self) -> None:
        provider = self.host.provider("app")

        @provider.tool
        def hello(name: str) -> str:
            return "hello " + name

        provider.start()
        self.host.tool("hello")
        self.assertEqual(self.dialog.call("hello", {"name": "x"}).text, "hello x")

        @self.host.builtin("mine")
        def twice(n: int) -> dict[str, int]:
            return {"n": 2 * n}

        self.host.tool("twice")
        self.assertEqual(self.dialog.call("twice", {"n": 2}).structured, {"n": 4})


class Interrupts(SyncCase):
    """KeyboardInterrupt and SystemExit in callbacks."""

    def check_next_call(self) -> None:
        self.assertEqual(self.dialog.call("a_add", {"a": 1, "b": 1}).text, "2")

    def test_ctrl_c_while_on_progress_runs_ends_the_call(self) -> None:
        def report(*progress: object) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)

        begin = time.monotonic()
        call = self.dialog.start(self.dialog.core.call_new(
            "a_count", {"n": 2, "ms": 100}), on_progress=report)
        with self.assertRaises(KeyboardInterrupt):
            call.run()
        self.assertLess(time.monotonic() - begin, 5)
        with self.assertRaises(mcphost.TimeError):
            call.run()
        self.check_next_call()

    def test_ctrl_c_while_a_tool_of_a_provider_runs_ends_the_call(self) -> None:
        provider = self.host.provider("app")

        @provider.tool
        def spin() -> str:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
            return "not reached"

        provider.start()
        self.host.tool("spin")
        with self.assertRaises(KeyboardInterrupt):
            self.dialog.call("spin")
        with self.assertRaises(KeyboardInterrupt):
            self.dialog.call("spin", timeout=60)
        self.check_next_call()

    def test_exceptions_that_end_a_program_end_waits(self) -> None:
        waits: list[Any] = [lambda: self.host.wait(5), lambda: self.host.ready(5),
                            lambda: self.host.wait_until(lambda: False, 5)]
        for wait in waits:
            for kind in (KeyboardInterrupt, SystemExit):
                raised: list[BaseException] = []

                def listen(event: mcphost.Event, kind: type[BaseException] = kind,
                           raised: list[BaseException] = raised) -> None:
                    if not raised:
                        raised.append(kind())
                        raise raised[0]

                self.host.on_event(listen)
                self.host.core.restart_server("a")
                with self.assertRaises(kind) as caught:
                    while True:
                        wait()
                self.assertIs(caught.exception, raised[0])
        self.host.ready()
        self.check_next_call()

    def test_an_interrupt_on_a_thread_that_does_not_wait_is_unraisable(self) -> None:
        seen: list[Any] = []
        old, sys.unraisablehook = sys.unraisablehook, seen.append
        try:
            def listen(event: mcphost.Event) -> None:
                if event.kind == mcphost.EventKind.CATALOG:
                    raise KeyboardInterrupt

            self.host.on_event(listen)
            self.host.core.thread_start()
            self.host.core.restart_server("a")
            self.host.ready()
            self.host.core.thread_stop()
            self.host._listeners.remove(listen)
        finally:
            sys.unraisablehook = old
        self.assertTrue(seen)
        self.assertIs(seen[0].exc_type, KeyboardInterrupt)


class Threads(SyncCase):
    """Several threads wait with one host."""

    def begin_call(self, ms: int) -> tuple[threading.Thread, list[Any]]:
        """Starts a thread that is in a call."""
        ended: list[Any] = []

        def work() -> None:
            try:
                ended.append(self.dialog.call("a_slow", {"ms": ms}))
            except mcphost.Error as error:
                ended.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.05)
        return thread, ended

    def test_close_ends_the_calls_of_other_threads(self) -> None:
        thread, ended = self.begin_call(10000)
        with self.assertRaises(ZeroDivisionError):
            with contextlib.closing(self.host):
                raise ZeroDivisionError
        thread.join()
        self.assertIsInstance(ended[0], mcphost.ClosedError)
        self.assertIn("host is closing", str(ended[0]))
        self.assertEqual(rig.count_servers(self.workspace.dir), 0)

    def test_a_call_that_was_cancelled_before_the_host_closed_says_so(self) -> None:
        calls = [self.dialog.submit("a_slow", {"ms": 10000}) for _ in range(2)]
        self.assertTrue(calls[0].cancel())
        self.host.close()
        with self.assertRaises(mcphost.TimeError) as caught:
            calls[0].run()
        self.assertEqual(caught.exception.code, mcphost.ErrorCode.CANCELLED)
        with self.assertRaises(mcphost.ClosedError):
            calls[1].run()

    def test_an_interrupted_close_goes_on_when_called_again(self) -> None:
        def listen(event: mcphost.Event) -> None:
            if not seen:
                seen.append(event)
                raise KeyboardInterrupt

        seen: list[mcphost.Event] = []
        self.host.on_event(listen)
        with self.assertRaises(KeyboardInterrupt):
            self.host.close()
        self.host.close()
        self.host.close()
        self.assertEqual(rig.count_servers(self.workspace.dir), 0)

    def test_waits_end_beside_a_call_of_another_thread(self) -> None:
        thread, ended = self.begin_call(500)
        self.assertFalse(self.host.wait_until(lambda: False, 0.05))
        self.host.wait(0.05)
        self.host.ready(5)
        self.assertEqual(self.host.tool("a_add", 1).name, "a_add")
        with self.assertRaisesRegex(mcphost.CallTimeout, "nothing"):
            self.host.tool("nothing", 0.05)
        thread.join()
        self.assertFalse(ended[0].is_error)

    def test_a_wait_in_a_callback_says_so(self) -> None:
        provider = self.host.provider("app")
        waits: list[Any] = [
            lambda: self.dialog.call("a_add", {"a": 1, "b": 1}),
            lambda: self.dialog.call("a_add", {"a": 1, "b": 1}, timeout=5),
            lambda: self.dialog.submit("a_add", {"a": 1, "b": 1}).run(),
            lambda: self.host.wait(1), lambda: self.host.tool("x", 1)]
        texts: list[str] = []

        @provider.tool
        def nest() -> str:
            for wait in waits:
                try:
                    wait()
                except mcphost.UsageError as error:
                    texts.append(str(error))
            return str(len(waits))

        provider.start()
        self.host.tool("nest")
        self.assertEqual(self.dialog.call("nest").text, "5")
        self.assertEqual(len(texts), 5)
        for text in texts:
            self.assertIn("a callback must not wait", text)

    def test_a_callback_uses_another_host(self) -> None:
        provider = self.host.provider("app")
        with rig.Workspace() as workspace:
            @provider.tool
            def nest() -> str:
                with sync.Host.workspace(workspace.dir, **rig.settings()) as other:
                    return other.dialog("you").call("a_add", {"a": 1, "b": 2}).text

            provider.start()
            self.host.tool("nest")
            self.assertEqual(self.dialog.call("nest").text, "3")


class Values(unittest.TestCase):
    """Functions that need no host."""

    def test_a_dialog_of_a_host_that_is_not_open_is_refused(self) -> None:
        with self.assertRaisesRegex(mcphost.UsageError, "use `with`"):
            sync.Host().dialog("me")

    def test_errors_are_pickled(self) -> None:
        with self.assertRaises(mcphost.UsageError) as caught:
            _core.config_load_workspace("")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), again.code, str(again)),
                         (mcphost.UsageError, -1, str(caught.exception)))

    def test_wrong_arguments_raise_exceptions(self) -> None:
        core: Any = _core
        calls: list[Any] = [lambda: core.template_expand(), lambda: core.template_expand(1.5, {}),
                     lambda: core.template_expand("a", {}, 1, 2, 3),
                     lambda: core.template_expand("a", nothing=1),
                     lambda: core.template_expand("a", uri_template="b"),
                     lambda: core.config_new_stdio("a", "text"),
                     lambda: core.config_new_stdio("a", [1]),
                     lambda: core.new(1), lambda: core.Tool(),
                     lambda: core.check_option("x", 1)]
        for call in calls:
            with self.assertRaises(TypeError):
                call()
        with self.assertRaises(ValueError):
            _core.enum_find_value(2, "a\0b")
        with self.assertRaises(OverflowError):
            _core.check_option(2 ** 40, 1)
        with self.assertRaises(UnicodeEncodeError):
            _core.enum_find_value(2, "\ud800")

    def test_a_dropped_host_has_no_descriptor_and_no_view(self) -> None:
        host = _core.new()
        host.drop()
        with self.assertRaises(mcphost.UsageError):
            host.get_fd()
        self.assertIsNone(host.default_view())

    def test_functions_without_a_host_return_values(self) -> None:
        self.assertEqual(_core.template_expand("a{x}", {"x": "b"}), "ab")
        transform = _core.transform_new()
        transform.add_prefix("p_")
        self.assertEqual(_core.transform_apply(transform, "x"), "p_x")
        schema = _core.schema_new()
        schema.compile({"type": "string"})
        verdict, report = schema.validate("1")
        self.assertEqual(verdict, mcphost.SchemaVerdict.INVALID)
        assert report is not None
        self.assertEqual(report.get_keyword(0), "type")

    def test_constants_have_names_and_error_codes_are_found_by_name(self) -> None:
        for which in mcphost.Enum:
            for i in range(_core.enum_count_values(which)):
                self.assertIsNotNone(_core.enum_get_name(
                    which, _core.enum_get_value(which, i)))
        for code in mcphost.ErrorCode:
            self.assertEqual(_core.enum_find_value(
                mcphost.Enum.ERROR_CODE, code.name.lower()), code)


if __name__ == "__main__":
    unittest.main()
