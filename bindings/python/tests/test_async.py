# SPDX-License-Identifier: MIT
"""The asyncio interface."""
from __future__ import annotations

import asyncio
import dataclasses
import enum
import gc
import json
import sys
import unittest
from typing import Annotated, Any, Literal, NotRequired, Required, TypedDict

import mcphost
from mcphost import Host

import rig


class AsyncCase(unittest.IsolatedAsyncioTestCase):
    """A host with one scripted server and a dialog."""

    async def asyncSetUp(self) -> None:
        self.workspace = rig.Workspace()
        self.host: Host = Host.workspace(self.workspace.dir, **rig.settings())
        await self.host.__aenter__()
        self.dialog = await self.host.dialog("me")

    async def asyncTearDown(self) -> None:
        await self.host.close()
        with self.workspace:
            pass


class Calls(AsyncCase):
    """Calls of tools."""

    async def test_a_call_is_awaited(self) -> None:
        result = await self.dialog.call("a_add", {"a": 1, "b": 2})
        self.assertIn("3", result.text)
        self.assertFalse(result.is_error)

    async def test_a_result_is_a_buffer(self) -> None:
        result = await self.dialog.call("a_echo", {"text": "x" * 1000})
        view = result.raw
        self.assertTrue(view.readonly)
        self.assertEqual(json.loads(bytes(view)), result.json())
        del result
        gc.collect()
        self.assertIn(b"xxx", bytes(view))

    async def test_futures_are_gathered(self) -> None:
        results = await asyncio.gather(
            *[self.dialog.call("a_add", {"a": i, "b": 1}) for i in range(100)])
        self.assertEqual([r.text for r in results][:2], ["1", "2"])

    async def test_a_call_becomes_a_task(self) -> None:
        task = asyncio.create_task(self.dialog.call("a_add", {"a": 1, "b": 1}))
        self.assertEqual((await task).text, "2")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.dialog.call("a_add", {"a": i, "b": i}))
                     for i in range(3)]
        self.assertEqual([t.result().text for t in tasks], ["0", "2", "4"])

    async def test_two_tasks_await_one_call(self) -> None:
        call = self.dialog.call("a_slow", {"ms": 20})

        async def wait() -> Any:
            return await call

        first, second = await asyncio.gather(wait(), wait())
        self.assertEqual(first, second)
        self.assertEqual(await call, first)

    async def test_cancelling_the_task_cancels_the_call(self) -> None:
        calls = []

        async def work() -> None:
            calls.append(self.dialog.call("a_slow", {"ms": 10000}))
            await calls[0]

        task = asyncio.create_task(work())
        await asyncio.sleep(0.05)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertTrue(calls[0].cancelled())
        self.assertEqual(calls[0].core_exception().code, mcphost.ErrorCode.CANCELLED)
        self.assertEqual((await self.dialog.call("a_add", {"a": 1, "b": 1})).text, "2")

    async def test_progress_starts_only_a_given_timeout_anew(self) -> None:
        work = {"n": 5, "ms": 300}
        limited = self.dialog.call("a_count", work, timeout=1)
        reset = self.dialog.call("a_count", work, timeout=1, reset_on_progress=True)
        with self.assertRaises(mcphost.CallTimeout):
            await limited
        self.assertEqual((await reset).text, "counted to 5")
        others: list[dict[str, Any]] = [{}, {"max_time": 60}, {"meta": {"x": 1}}]
        for more in others:
            with self.assertRaisesRegex(ValueError, "needs a timeout"):
                self.dialog.call("a_count", work, reset_on_progress=True, **more)
            with self.assertRaisesRegex(ValueError, "needs a timeout"):
                self.dialog.start(self.dialog.core.call_new("a_count", work),
                                  reset_on_progress=True, **more)

    async def test_timeouts_end_calls_with_their_exceptions(self) -> None:
        with self.assertRaises(TimeoutError):
            await asyncio.wait_for(self.dialog.call("a_slow", {"ms": 10000}), 0.05)
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(0.05):
                await self.dialog.call("a_slow", {"ms": 10000})
        with self.assertRaises(mcphost.CallTimeout) as caught:
            await self.dialog.call("a_slow", {"ms": 10000}, timeout=0.05)
        self.assertEqual(caught.exception.code, mcphost.ErrorCode.TIMEOUT)
        self.assertEqual(caught.exception.server_id, "a")

    async def test_2000_of_3000_calls_are_cancelled(self) -> None:
        calls = [self.dialog.call("a_slow", {"ms": 100}) for _ in range(3000)]
        await asyncio.sleep(0)
        for call in calls[:2000]:
            self.assertTrue(call.cancel())
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        cancelled = [o for o in outcomes if isinstance(o, asyncio.CancelledError)]
        self.assertEqual(len(cancelled), 2000)
        self.assertEqual(sum(isinstance(o, mcphost.Result) for o in outcomes), 1000)

    async def test_a_call_that_ends_runs_its_callbacks_and_is_done(self) -> None:
        call = self.dialog.call("a_slow", {"ms": 20})
        self.assertFalse(call.done())
        with self.assertRaises(asyncio.InvalidStateError):
            call.result()
        seen: list[Any] = []
        call.add_done_callback(seen.append)
        removed = lambda c: seen.append(None)  # noqa: E731
        call.add_done_callback(removed)
        self.assertEqual(call.remove_done_callback(removed), 1)
        await asyncio.wait([asyncio.create_task(call)])
        await asyncio.sleep(0)
        self.assertEqual(seen, [call])
        self.assertTrue(call.done())
        self.assertIsNone(call.exception())
        self.assertFalse(call.cancel())

    async def test_errors_have_codes_and_wrong_arguments_raise_exceptions(self) -> None:
        with self.assertRaises(mcphost.NotFoundError) as caught:
            self.dialog.call("nothing")
        self.assertEqual(caught.exception.code, mcphost.ErrorCode.NOTFOUND)
        with self.assertRaises(mcphost.ServerError) as failed:
            await self.dialog.call("a_boom")
        self.assertEqual(failed.exception.code, mcphost.ErrorCode.RPC)
        self.assertEqual(failed.exception.server_id, "a")
        self.assertLess(failed.exception.rpc_code, 0)
        self.assertTrue(str(failed.exception))
        with self.assertRaises(mcphost.UsageError):
            self.dialog.call("a_add", [1])
        with self.assertRaises(ValueError):
            self.dialog.call("a_add", {"a": float("nan")})
        with self.assertRaises(TypeError):
            self.dialog.call("a_add", {"a": object()})

    async def test_arguments_are_json_of_any_value(self) -> None:
        class Number(enum.IntEnum):
            ONE = 1

        for text in ("grüße", "\"\\\n\x01", "😀"):
            result = await self.dialog.call("a_echo", {"text": text})
            self.assertIn(text, result.text)
        result = await self.dialog.call("a_add", {"a": Number.ONE, "b": 2})
        self.assertEqual(result.text, "3")
        result = await self.dialog.call("a_add", b'{"a":1,"b":1}')
        self.assertEqual(result.text, "2")

    async def test_a_call_outlives_its_dialog_object(self) -> None:
        call = (await self.host.dialog("other")).call("a_slow", {"ms": 20})
        gc.collect()
        await call

    async def test_a_call_of_a_closed_dialog_or_host_raises_closed_error(self) -> None:
        other = await self.host.dialog("other")
        calls = [d.call("a_slow", {"ms": 10000}) for d in (other, self.dialog)]
        cancelled = self.dialog.call("a_slow", {"ms": 10000})
        self.assertTrue(cancelled.cancel())
        await other.close()
        with self.assertRaisesRegex(mcphost.ClosedError, "dialog was closed"):
            await calls[0]
        await self.host.close()
        with self.assertRaisesRegex(mcphost.ClosedError, "host is closing") as caught:
            await calls[1]
        self.assertEqual(caught.exception.code, mcphost.ErrorCode.CLOSED)
        self.assertEqual(caught.exception.server_id, "a")
        self.assertIsInstance(calls[1].exception(), mcphost.ClosedError)
        with self.assertRaises(asyncio.CancelledError):
            await cancelled
        with self.assertRaises(mcphost.ClosedError):
            self.dialog.call("a_add", {"a": 1, "b": 1})

    async def test_a_wait_on_the_thread_of_the_loop_is_refused(self) -> None:
        texts: list[str] = []

        def wait() -> str:
            call = self.dialog.call("a_slow", {"ms": 20})
            for one in (call.run, self.host.core.wait, self.host.core.wait_ready):
                try:
                    one()
                except mcphost.UsageError as error:
                    texts.append(str(error))
            return ""

        wait()
        provider = self.host.provider("app")
        provider.tool(name="wait")(wait)
        provider.start()
        await self.host.tool("wait")
        await self.dialog.call("wait")
        self.assertEqual(len(texts), 6)
        for text in texts:
            self.assertIn("use await", text)
        result = await asyncio.to_thread(self.dialog.call("a_add", {"a": 1, "b": 1}).run)
        self.assertEqual(result.text, "2")

    async def test_waits_of_a_closed_host_end(self) -> None:
        closing = [asyncio.create_task(self.host.close()) for _ in range(2)]
        await asyncio.sleep(0)
        closing[0].cancel()
        await asyncio.wait_for(closing[1], 5)
        self.assertEqual(rig.count_servers(self.workspace.dir), 0)
        waits: list[Any] = [self.host.ready(), self.host.tool("nothing", None),
                            self.host.dialog("you"), self.host.open()]
        for wait in waits:
            with self.assertRaises(mcphost.ClosedError):
                await asyncio.wait_for(wait, 5)
        self.assertEqual([e async for e in self.host.events()], [])

    async def test_a_host_of_another_loop_is_not_closed_here(self) -> None:
        def close() -> None:
            asyncio.run(self.host.close())

        with self.assertRaisesRegex(mcphost.UsageError, "another loop"):
            await asyncio.to_thread(close)
        self.assertEqual((await self.dialog.call("a_add", {"a": 1, "b": 1})).text, "2")

    async def test_many_exceptions_reach_their_tasks(self) -> None:
        async def work() -> None:
            await self.dialog.call("a_boom")

        outcomes = await asyncio.gather(*[work() for _ in range(50)],
                                        return_exceptions=True)
        self.assertTrue(all(isinstance(o, mcphost.ServerError) for o in outcomes))


class Catalogs(AsyncCase):
    """Catalogs, projections, problems and status."""

    async def test_tools_are_a_lazy_sequence(self) -> None:
        tools = self.dialog.catalog.tools
        names = [tool.name for tool in tools]
        self.assertEqual(len(tools), len(names))
        self.assertEqual(tools[-1].name, names[-1])
        self.assertEqual([t.name for t in tools[1:3]], names[1:3])
        with self.assertRaises(IndexError):
            tools[len(names)]
        self.assertIn(tools[0], tools)
        self.assertTrue(tools[0].input_schema)

    async def test_projections_are_ready_to_pass(self) -> None:
        openai = mcphost.openai_tools(self.dialog.catalog)
        self.assertEqual(openai.tools[0]["type"], "function")
        name = openai.tools[0]["function"]["name"]
        self.assertEqual(openai.tool(name).server_id, "a")
        anthropic = mcphost.anthropic_tools(self.dialog.catalog)
        self.assertIn("input_schema", anthropic.tools[0])
        with self.assertRaises(KeyError):
            openai.tool("nothing")

    async def test_the_status_has_the_server_and_there_are_no_problems(self) -> None:
        self.assertEqual(self.host.status["servers"][0]["id"], "a")
        self.assertEqual(list(self.host.problems), [])

    async def test_a_turn_has_a_catalog_and_makes_calls(self) -> None:
        async with self.dialog.turn() as turn:
            self.assertIsNotNone(turn.catalog.find_tool("a_add"))
            self.assertEqual((await turn.call("a_add", {"a": 1, "b": 1})).text, "2")


class Color(enum.Enum):
    """Choices."""

    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    """A place."""

    x: int
    y: int = 0


@dataclasses.dataclass
class Line:
    """A dataclass with members of other types."""

    begin: Point
    color: Color


@dataclasses.dataclass
class Tree:
    """A type that contains itself, in a list and as another type does."""

    point: Point
    children: list[Tree] = dataclasses.field(default_factory=list)
    pair: Pair | None = None


@dataclasses.dataclass
class Pair:
    """A type that contains another type, which contains it."""

    left: Tree
    next: Pair | None = None


class Node(TypedDict):
    """A dictionary that contains itself."""

    at: Point
    inner: NotRequired[list[Node]]


class Part(TypedDict, total=False):
    """A dictionary with a dataclass."""

    at: Required[Point]


class Providers(AsyncCase):
    """Servers of the application."""

    async def test_decorated_functions_are_tools_resources_and_prompts(self) -> None:
        provider = self.host.provider("app")

        @provider.tool
        async def greet(name: str, times: int = 1,
                        color: Color = Color.RED) -> str:
            """Greets somebody."""
            await asyncio.sleep(0)
            return f"hello {name} {color.value if isinstance(color, Color) else color}" \
                * times

        @provider.tool(name="sum")
        def total(numbers: list[int], unit: Literal["m", "km"] = "m",
                  note: Annotated[str | None, "a note"] = None) -> dict[str, Any]:
            return {"sum": sum(numbers), "unit": unit}

        @provider.tool
        def where(point: Point) -> Point:
            return Point(point.x + 1, point.y)

        @provider.resource("mem:note", mime_type="text/plain")
        def note() -> str:
            return "a note"

        @provider.resource("mem:{name}")
        def named(name: str) -> str:
            return "this is " + name

        @provider.prompt
        def ask(topic: str) -> str:
            return "about " + topic

        provider.start()
        await self.host.ready()
        tool = await self.host.tool("greet")
        self.assertEqual(tool.description, "Greets somebody.")
        schema = json.loads(tool.input_schema or "")
        self.assertEqual(schema["required"], ["name"])
        self.assertEqual(schema["properties"]["times"], {"type": "integer", "default": 1})
        self.assertEqual((await self.dialog.call("greet", {"name": "x", "color": "blue"}))
                         .text, "hello x blue")
        result = await self.dialog.call("sum", {"numbers": [1, 2]})
        self.assertEqual(result.structured, {"sum": 3, "unit": "m"})
        result = await self.dialog.call("where", {"point": {"x": 1, "y": 2}})
        self.assertEqual(result.structured, {"x": 2, "y": 2})
        self.assertIn("a note", (await self.dialog.read("app", "mem:note")).text)
        self.assertIn("this is x", (await self.dialog.read("app", "mem:x")).text)
        self.assertIn("about tea", (await self.dialog.prompt("ask", {"topic": "tea"})).text)
        with self.assertRaises(mcphost.UsageError):
            self.dialog.call("greet", {"times": 1})
        provider.close()

    async def test_failures_progress_and_cancellation_pass_through_tools(self) -> None:
        provider = self.host.provider("app")
        cancelled = asyncio.Event()

        @provider.tool
        async def work(context: mcphost.AsyncContext) -> str:
            context.report(1, 2, "half")
            await asyncio.sleep(0.02)
            return context.name

        @provider.tool
        async def hang() -> str:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return ""

        @provider.tool
        def broken() -> str:
            raise mcphost.ToolError("no luck")

        @provider.tool
        def refused() -> str:
            raise mcphost.RpcError("refused", -32001, {"why": 1})

        provider.start()
        await self.host.tool("work")
        seen: list[Any] = []
        result = await self.dialog.call("work", on_progress=lambda *a: seen.append(a))
        self.assertEqual(result.text, "work")
        self.assertEqual(seen, [(1.0, 2.0, "half")])
        result = await self.dialog.call("broken")
        self.assertTrue(result.is_error)
        self.assertEqual(result.text, "no luck")
        with self.assertRaises(mcphost.ServerError) as caught:
            await self.dialog.call("refused")
        self.assertEqual(caught.exception.rpc_code, -32001)
        self.assertEqual(json.loads(caught.exception.rpc_data or ""), {"why": 1})
        call = self.dialog.call("hang")
        await asyncio.sleep(0.05)
        call.cancel()
        await asyncio.wait_for(cancelled.wait(), 5)

    async def test_builtin_tools_answer_and_their_exceptions_are_logged(self) -> None:
        @self.host.builtin("mine")
        async def double(n: int) -> str:
            """Doubles."""
            return str(2 * n)

        @self.host.builtin("mine", name="fails")
        def fails() -> str:
            raise ValueError("bad")

        await self.host.tool("fails")
        self.assertEqual((await self.dialog.call("double", {"n": 4})).text, "8")
        with self.assertLogs("mcphost"):
            result = await self.dialog.call("fails")
        self.assertTrue(result.is_error)

    async def start_tools(self, *functions: Any) -> mcphost.Provider:
        """Starts a provider with some tools."""
        provider = self.host.provider("app")
        for function in functions:
            provider.tool(function)
        provider.start()
        await self.host.tool(functions[-1].__name__)
        return provider

    async def test_nested_types_reach_the_function(self) -> None:
        got: list[Any] = []

        def take(line: Line, many: list[Point], by: dict[str, Point],
                 colors: tuple[Color, ...], maybe: Point | None = None,
                 either: Color | Point | str = "", part: Part | None = None) -> str:
            got.append((line, many, by, colors, maybe, either, part))
            return ""

        await self.start_tools(take)
        point = {"x": 1, "y": 2}
        arguments = {"line": {"begin": point, "color": "red"}, "many": [point],
                     "by": {"k": point}, "colors": ["blue"]}
        for maybe, either in ((None, "blue"), (point, point), (point, "text")):
            await self.dialog.call("take", {
                **arguments, "maybe": maybe, "either": either, "part": {"at": point}})
        here = Point(1, 2)
        for one in got:
            self.assertEqual(one[:4], (Line(here, Color.RED), [here], {"k": here},
                                       (Color.BLUE,)))
            self.assertEqual(one[6], {"at": here})
        self.assertEqual([one[4:6] for one in got],
                         [(None, Color.BLUE), (here, here), (here, "text")])

    async def test_types_that_contain_themselves_reach_the_function(self) -> None:
        got: list[Any] = []

        def take(tree: Tree, node: Node, more: Annotated[Pair | None, "a pair"] = None,
                 where: Point = Point(0)) -> str:
            got.append((tree, node, more))
            return ""

        await self.start_tools(take)
        tool = await self.host.tool("take")
        schema = json.loads(tool.input_schema or "")
        self.assertEqual(sorted(schema["$defs"]), ["Node", "Pair", "Tree"])
        self.assertEqual(schema["properties"]["tree"], {"$ref": "#/$defs/Tree"})
        self.assertEqual(schema["$defs"]["Tree"]["properties"]["children"]["items"],
                         {"$ref": "#/$defs/Tree"})
        self.assertEqual(schema["$defs"]["Node"]["required"], ["at"])
        self.assertIn("properties", schema["properties"]["where"])
        one = {"point": {"x": 1}}
        await self.dialog.call("take", {
            "tree": {**one, "children": [one, {**one, "pair": {"left": one}}]},
            "node": {"at": {"x": 2}, "inner": [{"at": {"x": 3}}]},
            "more": {"left": one, "next": {"left": one}}})
        leaf = Tree(Point(1))
        self.assertEqual(got, [(
            Tree(Point(1), [leaf, Tree(Point(1), [], Pair(leaf))]),
            {"at": Point(2), "inner": [{"at": Point(3)}]}, Pair(leaf, Pair(leaf)))])
        with self.assertRaises(mcphost.UsageError):
            self.dialog.call("take", {"tree": {**one, "children": [{}]}, "node": {}})

    async def test_a_number_without_a_fraction_is_an_int(self) -> None:
        def repeat(n: int, more: list[int]) -> str:
            return repr((n, more))

        await self.start_tools(repeat)
        result = await self.dialog.call("repeat", {"n": 2.0, "more": [1.0, 2]})
        self.assertEqual(result.text, "(2, [1, 2])")

    async def test_an_extra_member_of_a_dataclass_is_refused_by_the_schema(self) -> None:
        def where(point: Point) -> str:
            return repr(point)

        await self.start_tools(where)
        with self.assertRaises(mcphost.UsageError):
            self.dialog.call("where", {"point": {"x": 1, "z": 1}})

    async def test_errors_of_schemas_name_the_function_and_the_parameter(self) -> None:
        provider = self.host.provider("app")

        def bad(one: int, other: complex) -> None: ...

        def unlimited(n: float = float("inf"),
                      points: Any = (Point(1), Color.RED)) -> None: ...

        with self.assertRaisesRegex(TypeError, ".*bad.*other.*complex"):
            provider.tool(bad)
        provider.tool(unlimited)
        provider.start()
        tool = await self.host.tool("unlimited")
        properties = json.loads(tool.input_schema or "")["properties"]
        self.assertEqual(properties["n"], {"type": "number"})
        self.assertEqual(properties["points"], {"default": [{"x": 1, "y": 0}, "red"]})

    async def test_bad_and_repeated_names_are_refused(self) -> None:
        def same() -> str:
            return ""

        provider = self.host.provider("app")
        for name in ("with blank", "a/b", "\u00e9", "x" * 129):
            with self.assertRaisesRegex(ValueError, "not the name of a tool"):
                provider.tool(name=name)(same)
        provider.prompt(same)
        provider.tool(same)
        with self.assertRaisesRegex(ValueError, "'same' already"):
            provider.tool(same)
        with self.assertRaisesRegex(ValueError, "'same' already"):
            provider.prompt(same)
        provider.remove(mcphost.Feature.TOOL, "same")
        provider.tool(same)

    async def test_a_dictionary_with_a_text_as_content_is_a_value(self) -> None:
        def page() -> dict[str, Any]:
            return {"title": "t", "content": "my article"}

        def empty() -> dict[str, Any]:
            return {"title": "t", "content": []}

        def whole() -> dict[str, Any]:
            return {"content": [{"type": "text", "text": "x"}], "isError": True}

        await self.start_tools(page, empty, whole)
        for function in (page, empty):
            result = await self.dialog.call(function.__name__)
            self.assertEqual(result.structured, function())
        result = await self.dialog.call("whole")
        self.assertEqual((result.text, result.is_error), ("x", True))

    async def test_a_mistake_in_a_tool_is_logged_and_its_text_is_hidden(self) -> None:
        def bug() -> str:
            raise KeyError("secret")

        await self.start_tools(bug)

        @self.host.builtin("mine")
        async def built() -> str:
            raise KeyError("secret")

        await self.host.tool("built")
        for name in ("bug", "built"):
            with self.assertLogs("mcphost") as logs:
                result = await self.dialog.call(name)
            self.assertTrue(result.is_error)
            self.assertEqual(result.text, f"{name} has failed: KeyError")
            self.assertIn("KeyError: 'secret'", logs.output[0])

    async def test_a_builtin_tool_gets_a_context(self) -> None:
        @self.host.builtin("mine")
        async def report(n: int, context: mcphost.AsyncContext) -> str:
            context.report(1, 2, "half")
            try:  # no self here: the library would keep the host
                await context.sample({})
            except mcphost.UsageError as error:
                return f"{context.name} {context.arguments} {context.dialog_id} {error}"
            return "not reached"

        await self.host.tool("report")
        seen: list[Any] = []
        result = await self.dialog.call("report", {"n": 1},
                                        on_progress=lambda *a: seen.append(a))
        self.assertEqual(result.text, "report {'n': 1} me a built-in tool cannot ask")
        self.assertEqual(seen, [(1.0, 2.0, "half")])

    async def test_bytes_that_are_no_text_are_a_blob(self) -> None:
        provider = self.host.provider("app")

        @provider.resource("mem:image", mime_type="image/png")
        def image() -> bytes:
            return b"\x89PNG\xff"

        @provider.resource("mem:text")
        def text() -> bytes:
            return b"abc"

        provider.tool(name="last")(image)
        provider.start()
        await self.host.tool("last")
        contents = (await self.dialog.read("app", "mem:image")).json()["contents"]
        self.assertEqual(contents, [{"uri": "mem:image", "mimeType": "image/png",
                                     "blob": "iVBOR/8="}])
        self.assertEqual((await self.dialog.read("app", "mem:text")).text, "abc")

    async def test_arguments_of_prompts_and_templates_have_their_types(self) -> None:
        provider = self.host.provider("app")

        @provider.prompt
        def ask(n: int, color: Color = Color.RED, name: str = "") -> str:
            return repr((n, color, name))

        @provider.resource("mem:{n}")
        async def item(n: int) -> str:
            return repr(n)

        provider.tool(name="last")(item)
        provider.start()
        await self.host.tool("last")
        result = await self.dialog.prompt("ask", {"n": "3", "color": "blue", "name": "1"})
        self.assertIn("(3, <Color.BLUE: 'blue'>, '1')", result.text)
        self.assertEqual((await self.dialog.read("app", "mem:7")).text, "7")
        with self.assertRaisesRegex(mcphost.ServerError, "'n' does not fit int"):
            await self.dialog.prompt("ask", {"n": "three"})

    async def test_an_exception_in_a_callback_is_unraisable(self) -> None:
        seen: list[Any] = []
        old, sys.unraisablehook = sys.unraisablehook, seen.append
        try:
            def bad(call: mcphost.Call) -> int:
                raise RuntimeError("in a callback")

            self.host.core.set_before_call(bad)
            with self.assertRaises(mcphost.Error):
                await self.dialog.call("a_add", {"a": 1, "b": 1})
            self.host.core.set_before_call(None)
        finally:
            sys.unraisablehook = old
        self.assertEqual(str(seen[0].exc_value), "in a callback")


class Events(unittest.IsolatedAsyncioTestCase):
    """Events and requests of servers."""

    async def test_events_are_iterated(self) -> None:
        with rig.Workspace() as workspace:
            host: Host = Host.workspace(workspace.dir, **rig.settings())
            events = host.events()
            kinds = []
            async with host:
                pass
            async for event in events:
                kinds.append(event.kind)
        self.assertIn(mcphost.EventKind.CATALOG, kinds)
        self.assertEqual(kinds[-1], mcphost.EventKind.CLOSED)

    async def test_an_async_handler_answers_a_request(self) -> None:
        with rig.Workspace(a=rig.SAMPLING) as workspace:
            host: Host = Host.workspace(workspace.dir, **rig.settings())

            @host.sampling
            async def answer(request: mcphost.Request) -> dict[str, Any]:
                await asyncio.sleep(0.01)
                params = json.loads(request.params or "")
                return {"role": "assistant", "model": "m", "content": {
                    "type": "text", "text": "re " + params["messages"][0]["content"]["text"]}}

            async with host:
                dialog = await host.dialog("me")
                self.assertIn("re hi", (await dialog.call("a_ask")).text)

    async def test_a_handler_that_raises_reject_rejects_the_request(self) -> None:
        with rig.Workspace(a=rig.SAMPLING) as workspace:
            async def answer(request: mcphost.Request) -> None:
                raise mcphost.Reject("not today", mcphost.Rejection.ERROR)

            host: Host = Host.workspace(
                workspace.dir, handlers={mcphost.RequestKind.SAMPLING: answer},
                **rig.settings())
            async with host:
                dialog = await host.dialog("me")
                self.assertIn("not today", (await dialog.call("a_ask")).text)

    async def test_iterators_of_events_leave_nothing_behind(self) -> None:
        with rig.Workspace() as workspace:
            async with Host.workspace(workspace.dir, **rig.settings()) as host:
                async def first() -> None:
                    async for _ in host.events():
                        break

                tasks = [asyncio.create_task(first()) for _ in range(3)]
                await asyncio.sleep(0)
                host.core.restart_server("a")
                await asyncio.gather(*tasks)
                tasks.clear()
                host.events()
                gc.collect()
                self.assertEqual(len(host._streams), 0)
                async with host.events() as events:
                    self.assertEqual(len(host._streams), 1)
                self.assertEqual(len(host._streams), 0)
                self.assertEqual([e async for e in events], [])

    async def run_handler(self, handler: Any, **settings: Any) -> mcphost.Result:
        """Calls a tool that asks the handler."""
        with rig.Workspace(a=rig.SAMPLING) as workspace:
            host: Host = Host.workspace(
                workspace.dir, handlers={mcphost.RequestKind.SAMPLING: handler},
                **rig.settings())
            async with host:
                dialog = await host.dialog("me")
                result: mcphost.Result = await dialog.call("a_ask", **settings)
                return result

    async def test_a_handler_is_cancelled_with_its_call(self) -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def hang(request: mcphost.Request) -> None:
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

        with self.assertRaises(mcphost.TimeError):
            await self.run_handler(hang, max_time=0.2)
        self.assertTrue(ended.is_set())
        with rig.Workspace(a=rig.SAMPLING) as workspace:
            host: Host = Host.workspace(workspace.dir, **rig.settings())
            host.sampling(hang)
            async with host:
                for closes in (False, True):
                    begun.clear()
                    ended.clear()
                    call = (await host.dialog("me")).call("a_ask")
                    await begun.wait()
                    if not closes:
                        call.cancel()
                        await asyncio.wait_for(ended.wait(), 5)
        self.assertTrue(ended.is_set())
        self.assertEqual(asyncio.all_tasks(), {asyncio.current_task()})

    async def test_a_failed_handler_is_reported_with_kind_and_server(self) -> None:
        seen: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, c: seen.append(c))
        await self.run_handler(lambda request: None)
        self.assertIn("SAMPLING", seen[0]["message"])
        self.assertIn("'a'", seen[0]["message"])
        self.assertIn("None", str(seen[0]["exception"]))

    async def test_wrong_handlers_are_refused_at_once(self) -> None:
        wrong: Any = {"sampling": print}
        with self.assertRaisesRegex(TypeError, "'sampling'"):
            Host(handlers=wrong)
        wrong = {mcphost.RequestKind.SAMPLING: 5}
        with self.assertRaisesRegex(TypeError, "not 5"):
            Host(handlers=wrong)
        with rig.Workspace() as workspace:
            host: Host = Host.workspace(workspace.dir, **rig.settings())
            host.sampling(print)
            async with host:
                host.sampling(repr)
                with self.assertRaisesRegex(mcphost.UsageError, "FORM"):
                    host.form(print)

    async def test_a_workspace_that_does_not_exist_is_refused(self) -> None:
        host: Host = Host.workspace("/nonexistent/of/mcphost", **rig.settings())
        with self.assertRaisesRegex(mcphost.NotFoundError, "/nonexistent/of/mcphost"):
            async with host:
                pass
        self.assertFalse(asyncio.get_running_loop().remove_reader(host.core.get_fd()))

    async def test_exceptions_for_mistakes_name_the_mistake(self) -> None:
        with rig.Workspace() as workspace:
            host: Host = Host.workspace(workspace.dir, **rig.settings())
            with self.assertRaisesRegex(mcphost.UsageError, "not open"):
                await host.ready()
            async with host:
                with self.assertRaisesRegex(mcphost.CallTimeout, "'nothing'"):
                    await host.tool("nothing", 0.02)
                dialog = await host.dialog("me")
                wrong: Any = "3"
                with self.assertRaisesRegex(TypeError, "'3'"):
                    dialog.call("a_add", {"a": 1, "b": 1}, timeout=wrong)
                result = await dialog.call("a_add", {"a": 1, "b": 1},
                                           timeout=float("inf"))
                self.assertEqual(result.text, "2")
                await dialog.close()

    async def test_a_host_that_was_not_opened_refuses_dialog(self) -> None:
        with rig.Workspace() as workspace:
            host: Host = Host.workspace(workspace.dir, **rig.settings())
            dialog = host.default_view.dialog_new("me")
            self.assertEqual(dialog.id, "me")
            with self.assertRaises(mcphost.UsageError):
                await host.dialog("you")
            await host.close()

    async def test_two_hosts_in_one_loop_both_answer(self) -> None:
        with rig.Workspace() as one, rig.Workspace() as two:
            async with Host.workspace(one.dir, **rig.settings()) as a, \
                    Host.workspace(two.dir, **rig.settings()) as b:
                first, second = await a.dialog("me"), await b.dialog("me")
                results = await asyncio.gather(
                    first.call("a_add", {"a": 1, "b": 1}),
                    second.call("a_add", {"a": 2, "b": 2}))
                self.assertEqual([r.text for r in results], ["2", "4"])
                with self.assertRaises(mcphost.UsageError):
                    b.default_view.add_source(a.default_source)


if __name__ == "__main__":
    unittest.main()
