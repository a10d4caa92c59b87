# SPDX-License-Identifier: MIT
"""The interface without a loop: each function waits until it is done.

    with Host.workspace(directory) as host:
        dialog = host.dialog("me")
        result = dialog.call("tool", {"n": 1})

A thread that waits dispatches.  Many threads may use one host.  Ctrl-C ends a wait, and
cancels the call that is waited for, also while a callback runs.

A callback must not wait for its own host: functions that wait raise UsageError.  The
callback may start a call with submit(), and another thread may wait for the call.
"""
from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import Any

from . import _core
from ._base import (BaseHost, BaseProvider, CallContext, Context, F, OnProgress,
                    Projection, answer_call, bind_call, describe_failure, fail_call,
                    failure_text, limit_ms, positional, presented, reject, respond, to_ms,
                    tool_result)
from ._constants import ErrorCode
from ._errors import CallTimeout, ClosedError, Error, UsageError
from ._schema import Signature, describe

__all__ = ["Host", "Dialog", "Provider", "Turn"]


class Provider(BaseProvider):
    """A server of the application.  Its functions run on the thread that dispatches."""

    def _runner(self, feature: int, fn: Callable[..., Any],
                bind: Callable[[_core.ProviderCall], dict[str, Any]],
                mime_type: str | None = None) -> Callable[[_core.ProviderCall], object]:
        def run(call: _core.ProviderCall) -> None:
            try:
                args, kwargs = positional(bind(call))
                value = fn(*args, **kwargs)
                if value is not LATER:
                    answer_call(call, feature, value, mime_type)
            except Exception as error:
                fail_call(call, feature, error)

        return run


class _Later:
    """A function of a provider returns LATER if another thread will answer."""


LATER = _Later()


_SLICE = 0.1  # the longest time between two checks of a condition


def _run(call: _core.Call) -> _core.Result:
    """Waits for a call.  The call is cancelled if a callback waits."""
    try:
        return call.run()
    except UsageError as error:
        if error.code == ErrorCode.BUSY:
            call.cancel()
        raise


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
             **settings: Any) -> _core.Result:
        """Calls a tool of the turn."""
        call = self._dialog.core.call_new_in_turn(self.core, tool, arguments)
        return _run(self._dialog.start(call, **settings))

    def end(self) -> None:
        """Ends the turn."""
        self.core.end()

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *exc: object) -> None:
        self.end()


class Dialog(_core.Caller):
    """One conversation: it makes calls and holds leases."""

    __slots__ = ("host", "__weakref__")

    def __init__(self, host: Host, core: _core.Dialog) -> None:
        self.host = host
        self.core = core

    @property
    def id(self) -> str:
        """The id of the dialog."""
        return self.core.id or ""

    @property
    def catalog(self) -> _core.Catalog:
        """The tools, resources and prompts that the dialog sees."""
        return self.core.get_catalog()

    def start(self, call: _core.Call, *, on_progress: OnProgress | None = None,
              timeout: float | None = None, reset_on_progress: bool = False,
              max_time: float | None = None, meta: _core.Json | None = None) -> _core.Call:
        """Starts a call that a function of `core` has made; its run() waits."""
        if (on_progress is None and timeout is None and not reset_on_progress
                and max_time is None and meta is None):
            return call.start()
        return call.start(on_progress, limit_ms(timeout), reset_on_progress,
                          limit_ms(max_time), meta)

    def _call_with(self, tool: str, arguments: _core.Json | None = None,
                   **settings: Any) -> _core.Result:
        """Calls a tool as call() does, with settings."""
        return _run(self.start(self.core.call_new(tool, arguments), **settings))

    def submit(self, tool: str, arguments: _core.Json | None = None,
               **settings: Any) -> _core.Call:
        """Starts a call of a tool without waiting for it."""
        return self.start(self.core.call_new(tool, arguments), **settings)

    def read(self, server: str, uri: str, **settings: Any) -> _core.Result:
        """Reads a resource."""
        return _run(self.start(self.core.call_new_read(server, uri), **settings))

    def prompt(self, name: str, arguments: _core.Json | None = None,
               **settings: Any) -> _core.Result:
        """Gets a prompt."""
        return _run(self.start(self.core.call_new_prompt(name, arguments), **settings))

    def turn(self) -> Turn:
        """Begins a turn."""
        return Turn(self)

    def subscribe(self, server: str, uri: str) -> _core.Subscription:
        """Subscribes to a resource; events report its changes."""
        return self.core.subscribe(server, uri)

    def projection(self, shape: int, profile: int, name_max: int = 0) -> Projection:
        """Returns the tools in the form that a model provider takes."""
        return Projection(self.catalog, shape, profile, name_max)

    def close(self) -> None:
        """Closes the dialog: its calls are cancelled and its leases end."""
        self.core.close()

    def __enter__(self) -> Dialog:
        return self

    def __exit__(self, *exc: object) -> None:
        if not self.host._closed:
            self.close()


class Host(BaseHost):
    """A host without a loop."""

    _ended = False

    def open(self) -> None:
        """Loads the configuration."""
        self._load()

    def ready(self, timeout: float | None = None) -> None:
        """Waits until all servers have come up or failed, and all orders are done."""
        if not self.core.wait_ready(to_ms(timeout)):
            raise CallTimeout("the servers did not become ready", ErrorCode.TIMEOUT)

    def wait(self, timeout: float | None = None) -> bool:
        """Sleeps until work is due, and carries it out.  Returns False if the time has
        passed.

        While another thread dispatches, this thread sleeps.
        """
        return bool(self.core.wait(to_ms(timeout)))

    def wait_until(self, is_over: Callable[[], object],
                   timeout: float | None = None) -> bool:
        """Dispatches until `is_over` returns true.  Returns False if the time has
        passed."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        while not is_over():
            rest = end - time.monotonic()
            if rest <= 0:
                return False
            self.wait(min(_SLICE, rest))
        return True

    def tool(self, name: str, timeout: float | None = 10) -> _core.Tool:
        """Waits until the default view has a tool, and returns it.

        Use this for a tool of the application, which appears a moment after it was added.
        """
        if not self.wait_until(lambda: self.catalog.find_tool(name), timeout):
            raise CallTimeout(f"there is no tool '{name}'", ErrorCode.TIMEOUT)
        tool = self.catalog.find_tool(name)
        assert tool is not None
        return tool

    def on_event(self, listener: Callable[[_core.Event], object]) -> None:
        """Adds a function that gets each event, on the thread that dispatches."""
        self._listeners.append(listener)

    def __enter__(self) -> Host:
        self.open()
        try:
            if self._loader is not None:
                self.ready()
        except BaseException:
            self.close(0)
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self, timeout: float | None = None) -> None:
        """Ends the servers in good order, and the host.

        The calls of other threads end with an error.  After an exception in this
        function, such as KeyboardInterrupt, another call goes on waiting.
        """
        if self._ended or self._forked or self._core is None:
            return
        self._closed = True
        self._core.close_within(to_ms(timeout))
        try:
            while True:
                self.wait(_SLICE)
        except ClosedError:
            self._ended = True

    def dialog(self, id: str, *, root_id: str | None = None,
               view: _core.View | None = None) -> Dialog:
        """Opens a dialog on a view."""
        if not self._loaded:
            raise UsageError("the host is not open: use `with`", ErrorCode.STATE)
        return Dialog(self, (view or self.default_view).dialog_new(id, root_id))

    def provider(self, id: str, *, source: _core.Source | None = None) -> Provider:
        """Makes a server of the application."""
        return Provider((source or self.default_source).provider_new(id))

    def builtin(self, toolset: str, *, name: str | None = None,
                description: str | None = None,
                view: _core.View | None = None) -> Callable[[F], F]:
        """Decorates a function: it becomes a built-in tool of a view."""
        def decorate(fn: F) -> F:
            signature = Signature(fn, Context)

            def run(call: _core.Call, arguments: str) -> None:
                try:
                    bound = bind_call(signature, arguments, CallContext(call))
                    made = tool_result(fn(**bound))
                except Exception as error:
                    made, failed = failure_text(name or fn.__name__, error), 1
                else:
                    failed = 0
                if isinstance(made, str):
                    call.answer(made, failed)
                else:
                    call.answer_result(made)

            (view or self.default_view).add_builtin(
                toolset, name or fn.__name__, description or describe(fn),
                json.dumps(signature.schema), run)
            return fn

        return decorate

    def _on_request(self, request: _core.Request) -> None:
        handler = self._handlers.get(request.kind)
        if handler is None:
            request.reject(3, None)
            return
        try:
            value = handler(presented(request))
            if request.is_open:
                respond(request, value)
        except Error:
            reject(request, Exception())
            raise
        except Exception as error:
            if not reject(request, error):
                error.add_note(describe_failure(request))
                raise
