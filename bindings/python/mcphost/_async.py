# SPDX-License-Identifier: MIT
"""The asyncio interface."""
from __future__ import annotations

import asyncio
import inspect
import json
import weakref
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar

from . import _core
from ._base import (BaseHost, BaseProvider, CallContext, Context, F, OnProgress,
                    Projection, answer_call, bind_call, describe_failure, fail_call,
                    failure_text, limit_ms, positional, presented, reject, respond, to_ms,
                    tool_result)
from ._constants import ErrorCode, EventKind, RequestKind
from ._errors import CallTimeout, ClosedError, Error, UsageError, make
from ._schema import Signature, describe

_T = TypeVar("_T")
_LAST_TURN = 0.2  # how long close() waits until it looks whether the host has ended
_TASKS_END = 1.0  # how long close() waits for handlers and tools that were cancelled


class AsyncContext(Context):
    """The context of a provider's function during its call."""

    async def ask(self, kind: int, params: _core.Json | None = None) -> Any:
        """Asks the client side a question, and returns the answer."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()

        def answered(call: _core.ProviderCall, code: int, text: str | None,
                     error: _core.Error | None) -> None:
            if future.done():
                return
            if code < 0:
                future.set_exception(make(code, _core.strerror(code), error))
            else:
                future.set_result(json.loads(text) if text is not None else None)

        self.core.ask(kind, params, answered)
        return await future

    async def sample(self, params: _core.Json) -> Any:
        """Asks for a message of the client's model."""
        return await self.ask(RequestKind.SAMPLING, params)


class AsyncCallContext(CallContext, AsyncContext):
    """The context of a built-in tool during its call.  The tool cannot ask."""

    async def ask(self, kind: int, params: _core.Json | None = None) -> Any:
        """Raises UsageError: only the tools of a provider can ask."""
        raise UsageError("a built-in tool cannot ask", ErrorCode.STATE)


class Provider(BaseProvider):
    """A server of the application whose functions may be coroutines."""

    _context_type = AsyncContext

    def __init__(self, host: Host, core: _core.Provider) -> None:
        super().__init__(core)
        self._spawn = host._spawn

    def _runner(self, feature: int, fn: Callable[..., Any],
                bind: Callable[[_core.ProviderCall], dict[str, Any]],
                mime_type: str | None = None) -> Callable[[_core.ProviderCall], object]:
        spawn = self._spawn

        async def finish(call: _core.ProviderCall, value: Any) -> None:
            try:
                answer_call(call, feature, await value, mime_type)
            except asyncio.CancelledError as error:
                fail_call(call, feature, error)
            except Exception as error:
                fail_call(call, feature, error)

        def run(call: _core.ProviderCall) -> None:
            try:
                args, kwargs = positional(bind(call))
                value = fn(*args, **kwargs)
                if not inspect.isawaitable(value):
                    answer_call(call, feature, value, mime_type)
                    return
            except Exception as error:
                fail_call(call, feature, error)
                return
            task = spawn(finish(call, value))
            try:
                call.set_cancelled(lambda _: task.cancel())
            except Error:  # the answer is no longer wanted
                task.cancel()

        return run


class Turn:
    """A turn of a dialog: its catalog does not change until the turn ends."""

    def __init__(self, dialog: Dialog) -> None:
        self.core = dialog.core.turn_new()
        self._dialog = dialog

    @property
    def catalog(self) -> _core.Catalog:
        """The tools of the turn."""
        return self.core.get_catalog()

    def call(self, tool: str, arguments: _core.Json | None = None,
             **settings: Any) -> _core.Call:
        """Starts a call of a tool of the turn."""
        call = self._dialog.core.call_new_in_turn(self.core, tool, arguments)
        return self._dialog._start(call, **settings)

    def end(self) -> None:
        """Ends the turn."""
        self.core.end()

    async def __aenter__(self) -> Turn:
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.end()


class Dialog:
    """One conversation: it makes calls and holds leases."""

    __slots__ = ("host", "core", "_driver", "__weakref__")

    def __init__(self, host: Host, core: _core.Dialog) -> None:
        self.host = host
        self.core = core
        self._driver = host._running

    @property
    def id(self) -> str:
        """The id of the dialog."""
        return self.core.id or ""

    @property
    def catalog(self) -> _core.Catalog:
        """The tools, resources and prompts that the dialog sees."""
        return self.core.get_catalog()

    def _start(self, call: _core.Call, *, on_progress: OnProgress | None = None,
               timeout: float | None = None, reset_on_progress: bool = False,
               max_time: float | None = None, meta: _core.Json | None = None) -> _core.Call:
        call.set_up(on_progress, limit_ms(timeout), reset_on_progress, limit_ms(max_time),
                    meta)
        return self._driver.start(call)

    def call(self, tool: str, arguments: _core.Json | None = None, *,
             on_progress: OnProgress | None = None, timeout: float | None = None,
             reset_on_progress: bool = False, max_time: float | None = None,
             meta: _core.Json | None = None) -> _core.Call:
        """Starts a call of a tool.  Await the call for its result.

        Cancelling the task that awaits the call, or the call itself, cancels the call at
        the server.  Times are in seconds.  Without `timeout` and `max_time`, the call has
        the limit of its server.  `reset_on_progress` needs `timeout`.
        """
        if (on_progress is None and timeout is None and not reset_on_progress
                and max_time is None and meta is None):
            return self._driver.call(self.core, tool, arguments)
        return self._driver.call(self.core, tool, arguments, on_progress,
                                 limit_ms(timeout), reset_on_progress,
                                 limit_ms(max_time), meta)

    def call_tool(self, tool: _core.Tool, arguments: _core.Json | None = None,
                  **settings: Any) -> _core.Call:
        """Starts a call of a tool of an earlier catalog."""
        return self._start(self.core.call_new_tool(tool, arguments), **settings)

    def read(self, server: str, uri: str, **settings: Any) -> _core.Call:
        """Reads a resource."""
        return self._start(self.core.call_new_read(server, uri), **settings)

    def prompt(self, name: str, arguments: _core.Json | None = None,
               **settings: Any) -> _core.Call:
        """Gets a prompt."""
        return self._start(self.core.call_new_prompt(name, arguments), **settings)

    def complete_prompt(self, name: str, argument: str, value: str,
                        context: _core.Json | None = None, **settings: Any) -> _core.Call:
        """Completes an argument of a prompt."""
        return self._start(self.core.call_new_complete_prompt(
            name, argument, value, context), **settings)

    def complete_template(self, server: str, uri_template: str, argument: str, value: str,
                          context: _core.Json | None = None, **settings: Any) -> _core.Call:
        """Completes a variable of a resource template."""
        return self._start(self.core.call_new_complete_template(
            server, uri_template, argument, value, context), **settings)

    def start(self, call: _core.Call, **settings: Any) -> _core.Call:
        """Starts a call that a function of `core` has made."""
        return self._start(call, **settings)

    def turn(self) -> Turn:
        """Begins a turn."""
        return Turn(self)

    def subscribe(self, server: str, uri: str) -> _core.Subscription:
        """Subscribes to a resource; events report its changes."""
        return self.core.subscribe(server, uri)

    def projection(self, shape: int, profile: int, name_max: int = 0) -> Projection:
        """Returns the tools in the form that a model provider takes."""
        return Projection(self.catalog, shape, profile, name_max)

    def close(self) -> asyncio.Future[None]:
        """Closes the dialog at once: its calls are cancelled and its leases end.

        `await dialog.close()` is allowed, too; there is nothing to wait for.
        """
        self.core.close()
        done: asyncio.Future[None] = self.host._loop.create_future()
        done.set_result(None)
        return done

    async def __aenter__(self) -> Dialog:
        return self

    async def __aexit__(self, *exc: object) -> None:
        if not self.host._closed:
            self.close()


class Host(BaseHost):
    """A host that a loop of asyncio drives.

        async with Host.workspace(directory) as host:
            dialog = await host.dialog("me")
            result = await dialog.call("tool", {"n": 1})
    """

    _driver: _core.Driver | None = None
    _loop: asyncio.AbstractEventLoop
    _end: asyncio.Future[None]
    _ended: bool = False
    _settled: int = 0

    def _prepare(self) -> None:
        # These references are weak, so that they do not keep an iterator that has no
        # other reference.
        self._streams: weakref.WeakSet[Events] = weakref.WeakSet()
        self._answers: dict[_core.Request, asyncio.Task[Any]] = {}

    def _check(self) -> None:
        """Raises UsageError if the running loop does not drive the host."""
        if self._ended:
            raise ClosedError("the host is closed", ErrorCode.CLOSED)
        if self._driver is None:
            raise UsageError("the host is not open: use `async with`", ErrorCode.STATE)
        if self._loop is not asyncio.get_running_loop():
            raise UsageError("another loop has opened the host", ErrorCode.STATE)

    @property
    def _running(self) -> _core.Driver:
        self._check()
        assert self._driver is not None
        return self._driver

    async def open(self) -> None:
        """Begins to dispatch in the running loop, and loads the configuration."""
        if self._ended:
            raise ClosedError("the host is closed", ErrorCode.CLOSED)
        if self._driver is not None:
            raise UsageError("the host is open already", ErrorCode.STATE)
        self._attach(asyncio.get_running_loop())
        try:
            self._load()
        except BaseException:
            await self.close(0)
            raise

    def _attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Lets a loop drive the host."""
        fd = self.core.get_fd()
        end = loop.create_future()

        def on_closed() -> None:
            loop.remove_reader(fd)
            if not end.done():
                end.set_result(None)

        self._driver = _core.driver_new(self.core, loop, on_closed)
        self._loop, self._end = loop, end
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        loop.add_reader(fd, self._driver.drive)

    def _attach_for_close(self) -> _core.Driver:
        """Lets the running loop drive the host if the loop of open() has ended."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            if self._loop.is_running():
                raise UsageError("another loop drives the host, and closes it",
                                 ErrorCode.STATE)
            if not self._loop.is_closed():
                self._loop.remove_reader(self.core.get_fd())
            self._attach(loop)
        assert self._driver is not None
        return self._driver

    async def ready(self) -> None:
        """Waits until all servers have come up or failed, and all orders are done."""
        self._check()
        serial = self.core.order_serial
        if serial <= self._settled:
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiters.append((serial, future))
        await future

    async def __aenter__(self) -> Host:
        await self.open()
        try:
            if self._loader is not None:
                await self.ready()
        except BaseException:
            await self.close(0)
            raise
        return self

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self, timeout: float | None = None) -> None:
        """Ends the servers in good order, and the host.

        After `timeout` seconds servers that have not ended are killed.  If the loop in
        which the host was opened has ended, another loop can close the host.
        """
        if self._ended or self._forked or self._core is None:
            return
        if self._driver is not None:
            driver = self._attach_for_close()
            self._closed = True
            self._core.close_within(to_ms(timeout))
            # Another thread may make the last turn.  The loop does not notice this turn,
            # and therefore dispatches again after _LAST_TURN seconds.
            while not self._end.done():
                self._loop.call_soon(driver.drive)
                await asyncio.wait([self._end], timeout=_LAST_TURN)
            for task in self._tasks:
                task.cancel()
            for _, future in self._waiters:
                if not future.done():
                    future.set_exception(ClosedError("the host is closed",
                                                     ErrorCode.CLOSED))
            self._waiters.clear()
            await self._end_tasks()
        self._closed = self._ended = True
        for events in list(self._streams):
            events.end()
        self._driver = None

    async def _end_tasks(self) -> None:
        """Waits for the tasks that were cancelled.  One of them may have closed the
        host."""
        tasks = self._tasks - {asyncio.current_task()}
        if tasks:
            await asyncio.wait(tasks, timeout=_TASKS_END)

    async def dialog(self, id: str, *, root_id: str | None = None,
                     view: _core.View | None = None) -> Dialog:
        """Opens a dialog on a view."""
        return Dialog(self, (view or self.default_view).dialog_new(id, root_id))

    async def tool(self, name: str, timeout: float | None = 10) -> _core.Tool:
        """Waits until the default view has a tool, and returns it.

        Use this for a tool of the application, which appears a moment after it was added.
        """
        self._check()
        try:
            async with asyncio.timeout(timeout), self.events(EventKind.CATALOG) as events:
                while True:
                    tool = self.catalog.find_tool(name)
                    if tool is not None:
                        return tool
                    await events.__anext__()
        except StopAsyncIteration:
            raise ClosedError("the host is closed", ErrorCode.CLOSED) from None
        except TimeoutError:
            raise CallTimeout(f"there is no tool '{name}'", ErrorCode.TIMEOUT) from None

    def events(self, *kinds: int) -> Events:
        """Returns an iterator of the events from now on, or of some kinds of them.

        The events are kept until they are read.  The iterator ends with aclose(), at the
        end of `async with`, when the host ends, or when nothing refers to the iterator.
        """
        events = Events(self, frozenset(int(k) for k in kinds))
        self._streams.add(events)
        if self._ended:
            events.end()
        return events

    # ---- servers of the application ----

    def provider(self, id: str, *, source: _core.Source | None = None) -> Provider:
        """Makes a server of the application."""
        return Provider(self, (source or self.default_source).provider_new(id))

    def builtin(self, toolset: str, *, name: str | None = None,
                description: str | None = None,
                view: _core.View | None = None) -> Callable[[F], F]:
        """Decorates a function: it becomes a built-in tool of a view."""
        def decorate(fn: F) -> F:
            signature = Signature(fn, Context)
            (view or self.default_view).add_builtin(
                toolset, name or fn.__name__, description or describe(fn),
                json.dumps(signature.schema),
                _builtin_runner(weakref.WeakMethod(self._spawn), fn, signature))
            return fn

        return decorate

    # ---- inside ----

    def _spawn(self, coroutine: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _on_event(self, event: _core.Event) -> None:
        if event.kind == EventKind.SETTLED:
            self._settled = max(self._settled, event.serial)
            for serial, future in self._waiters:
                if serial <= self._settled and not future.done():
                    future.set_result(None)
            self._waiters = [w for w in self._waiters if not w[1].done()]
        super()._on_event(event)
        for events in list(self._streams):
            events(event)

    def _on_request(self, request: _core.Request) -> None:
        handler = self._handlers.get(request.kind)
        if handler is None:
            request.reject(3, None)
            return
        task = self._spawn(self._answer(handler, request))
        self._answers[request] = task
        task.add_done_callback(lambda _: self._answers.pop(request, None))

    def _on_request_over(self, request: _core.Request) -> None:
        task = self._answers.get(request)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def _answer(self, handler: Callable[[Any], Any],
                      request: _core.Request) -> None:
        try:
            value = handler(presented(request))
            if inspect.isawaitable(value):
                value = await value
            if request.is_open:
                respond(request, value)
        except asyncio.CancelledError as error:
            reject(request, error)
            raise
        except Exception as error:
            if not reject(request, error):
                self._loop.call_exception_handler({
                    "message": describe_failure(request), "exception": error})


class Events(AsyncIterator[_core.Event]):
    """An iterator of events, and a context manager that ends the iteration."""

    def __init__(self, host: Host, kinds: frozenset[int]) -> None:
        self._host = host
        self._kinds = kinds
        self._queue: asyncio.Queue[_core.Event | None] = asyncio.Queue()

    def __call__(self, event: _core.Event) -> None:
        if not self._kinds or event.kind in self._kinds:
            self._queue.put_nowait(event)

    def end(self) -> None:
        """Ends the iteration, after the events that are there."""
        self._host._streams.discard(self)
        self._queue.put_nowait(None)

    async def aclose(self) -> None:
        """Ends the iteration.  Events that are not read yet are dropped."""
        while not self._queue.empty():
            self._queue.get_nowait()
        self.end()

    async def __aenter__(self) -> Events:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> _core.Event:
        if self._queue.empty() and self._host._driver is not None:
            self._host._check()
        event = await self._queue.get()
        if event is None:
            self._queue.put_nowait(None)
            raise StopAsyncIteration
        return event


# The host keeps the runner of a built-in tool.  If the runner also kept the host, neither
# would ever be freed.
def _builtin_runner(get_spawn: weakref.WeakMethod[Callable[[Any], asyncio.Task[Any]]],
                    fn: Callable[..., Any],
                    signature: Signature) -> Callable[[_core.Call, str], object]:
    def answer(call: _core.Call, value: object) -> None:
        made = tool_result(value)
        if isinstance(made, str):
            call.answer(made, 0)
        else:
            call.answer_result(made)

    def fail(call: _core.Call, error: BaseException) -> None:
        try:
            call.answer(failure_text(AsyncCallContext(call).name, error), 1)
        except Error:
            pass

    async def finish(call: _core.Call, value: Any) -> None:
        try:
            answer(call, await value)
        except asyncio.CancelledError as error:
            fail(call, error)
        except Exception as error:
            fail(call, error)

    def run(call: _core.Call, arguments: str) -> None:
        try:
            value = fn(**bind_call(signature, arguments, AsyncCallContext(call)))
            if not inspect.isawaitable(value):
                answer(call, value)
                return
        except Exception as error:
            fail(call, error)
            return
        spawn = get_spawn()
        if spawn is None:
            fail(call, UsageError("the host was freed", ErrorCode.CLOSED))
            return
        task = spawn(finish(call, value))
        try:
            call.set_cancelled(lambda _: task.cancel())
        except Error:  # the answer is no longer wanted
            task.cancel()

    return run
