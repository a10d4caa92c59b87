# SPDX-License-Identifier: MIT
"""The parts that the asyncio interface and the sync interface share."""
from __future__ import annotations

import asyncio
import atexit
import base64
import dataclasses
import json
import logging
import math
import os
import re
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeAlias, TypeVar, overload

from . import _core
from ._constants import EventKind, Feature, Option, Rejection, RequestKind, Shape, Profile
from ._errors import ClosedError, Error, NotFoundError, UsageError
from ._constants import ErrorCode
from ._login import LoginRequest
from ._schema import Signature, describe

F = TypeVar("F", bound=Callable[..., Any])
OnProgress: TypeAlias = Callable[[float, "float | None", "str | None"], object]
Options: TypeAlias = Mapping[int, int]

LOGGER = logging.getLogger("mcphost")

_hosts: weakref.WeakSet[BaseHost] = weakref.WeakSet()


_SERVERS_END = 500  # ms that servers have when the interpreter ends
_HOSTS_END = 1.5  # s that all hosts have together


def _at_exit() -> None:
    """Ends the hosts that are still open, so that their servers end in good order."""
    if not _core._begin_finalizing():
        return
    closing = []
    for host in list(_hosts):
        try:
            core = host.core
            core.set_driven(0)
            core.close_within(_SERVERS_END)
        except Error:
            continue
        closing.append(core)
    end = time.monotonic() + _HOSTS_END
    for core in closing:
        while time.monotonic() < end and not _has_ended(core):
            pass
    _core._end()


def _has_ended(core: _core.Host) -> bool:
    """Dispatches for a moment, or lets another thread dispatch."""
    try:
        core.wait(50)
    except Error as error:
        return error.code != ErrorCode.WOKEN
    return False


def _after_fork() -> None:
    _core._after_fork()
    for host in list(_hosts):
        host._forked = True
    _hosts.clear()


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_after_fork)


class Reject(Exception):
    """A handler of requests raises this to reject the request."""

    def __init__(self, message: str | None = None,
                 how: int = Rejection.DECLINE) -> None:
        super().__init__(message or "rejected")
        self.message = message
        self.how = how


class RpcError(Exception):
    """A feature of a provider raises this to answer with a JSON-RPC error."""

    def __init__(self, message: str, code: int = -32603,
                 data: _core.Json | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.data = data


class ToolError(Exception):
    """A tool raises this to tell the model, by a text, how it has failed."""


def to_ms(seconds: float | None) -> int:
    """Returns the milliseconds of a time in seconds, or -1 for None and infinity."""
    if seconds is None or seconds == math.inf:
        return -1
    if not isinstance(seconds, (int, float)) or seconds != seconds:
        raise TypeError(f"a time is a number of seconds, not {seconds!r}")
    return max(0, round(seconds * 1000))


def limit_ms(seconds: float | None) -> int | None:
    """Returns the limit of a call in milliseconds, -1 for infinity, or None for None."""
    return None if seconds is None else to_ms(seconds)


def ready_value(value: object) -> Any:
    """Turns a dataclass instance into a dict, and returns any other value unchanged."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value


_TOOL_NAME = r"[A-Za-z0-9_.-]{1,128}"  # as MCP has it
_RESULT_KEYS = {"content", "structuredContent", "isError", "_meta"}


def is_result(value: Mapping[str, Any]) -> bool:
    """Returns whether a value is a result of MCP: its `content` is a list of items.

    With an empty list, the value is a result only if all its keys are keys of a result.
    """
    content = value.get("content")
    if not isinstance(content, list):
        return False
    if not content:
        return value.keys() <= _RESULT_KEYS
    return all(isinstance(one, Mapping) and "type" in one for one in content)


def tool_result(value: object) -> str | dict[str, Any]:
    """Turns the return value of a tool into an answer: a text, or a whole result."""
    if isinstance(value, str):
        return value
    value = ready_value(value)
    if value is None:
        return ""
    if isinstance(value, Mapping):
        if is_result(value):
            return dict(value)
        return {"content": [{"type": "text", "text": json.dumps(value)}],
                "structuredContent": value}
    return json.dumps(value)


def blob_of(uri: str, mime_type: str | None, data: bytes) -> dict[str, Any]:
    """Returns the contents of a resource that is not a text."""
    contents = {"uri": uri, "blob": base64.b64encode(data).decode()}
    if mime_type is not None:
        contents["mimeType"] = mime_type
    return {"contents": [contents]}


def is_utf8(data: bytes) -> bool:
    """Returns whether bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def answer_call(call: _core.ProviderCall, feature: int, value: object,
                mime_type: str | None = None) -> None:
    """Answers with the value that a feature returned."""
    if feature == Feature.TOOL:
        value = tool_result(value)
    elif feature != Feature.PROMPT and isinstance(value, bytes) and not is_utf8(value):
        value = blob_of(call.name or "", mime_type, value)
    if isinstance(value, (str, bytes)):
        call.answer_text(value)
    else:
        call.answer(ready_value(value))


def fail_call(call: _core.ProviderCall, feature: int, error: BaseException) -> None:
    """Answers with the exception that a feature raised."""
    try:
        if isinstance(error, RpcError):
            call.fail(error.code, error.message, error.data)
        elif feature == Feature.TOOL:
            call.answer_text(failure_text(call.name, error), 1)
        else:
            call.fail(-32603, failure_text(call.name, error))
    except Error:
        pass  # the answer is not wanted any more


def failure_text(name: str | None, error: BaseException) -> str:
    """Returns the text about an exception that the client gets.

    The text of a ToolError is for the client.  A cancellation gives "cancelled".  All
    other exceptions are mistakes of the application: the log gets the details, and the
    client the class.
    """
    if isinstance(error, ToolError):
        return str(error) or "the tool has failed"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    LOGGER.error("%s has failed", name, exc_info=error)
    return f"{name} has failed: {type(error).__name__}"


def bind_call(signature: Signature, arguments: str | None,
              context: object) -> dict[str, Any]:
    """Returns the keyword arguments of a call, or tells the client what does not fit."""
    try:
        return signature.bind(json.loads(arguments or "{}"), context)
    except ValueError as error:
        raise ToolError(str(error)) from error
    except RecursionError as error:
        raise ToolError("the arguments are nested too deeply") from error


class Context:
    """The context of a provider's function during its call."""

    def __init__(self, core: _core.ProviderCall) -> None:
        self.core = core

    @property
    def name(self) -> str:
        """The name of the tool or prompt, or the URI."""
        return self.core.name or ""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments."""
        arguments: dict[str, Any] = json.loads(self.core.arguments or "{}")
        return arguments

    @property
    def dialog_id(self) -> str | None:
        """The id of the dialog that makes the call, if it is known."""
        return self.core.dialog_id

    @property
    def is_cancelled(self) -> bool:
        """True if the answer is no longer wanted."""
        return self.core.is_cancelled

    def report(self, progress: float, total: float | None = None,
               message: str | None = None) -> None:
        """Reports progress."""
        self.core.report(progress, float("nan") if total is None else total, message)


class CallContext(Context):
    """The context of a built-in tool during its call.  `core` is the Call."""

    core: _core.Call  # type: ignore[assignment]

    def __init__(self, core: _core.Call) -> None:
        self.core = core

    @property
    def name(self) -> str:
        """The name of the tool."""
        return (self.core.tool.name if self.core.tool else None) or ""

    def report(self, progress: float, total: float | None = None,
               message: str | None = None) -> None:
        """Reports progress."""
        self.core.report_progress(
            progress, float("nan") if total is None else total, message)


class BaseProvider:
    """A server of the application: functions as tools, resources and prompts."""

    _context_type: type[Context] = Context

    def __init__(self, core: _core.Provider) -> None:
        self.core = core
        self._names: set[tuple[int, str]] = set()

    def _add_new(self, feature: int, name: str, definition: dict[str, Any],
                 run: Callable[[_core.ProviderCall], object]) -> None:
        """Adds the feature of a decorated function."""
        if feature == Feature.TOOL and not re.fullmatch(_TOOL_NAME, name):
            raise ValueError(f"not the name of a tool: {name!r}")
        if (feature, name) in self._names:
            raise ValueError(f"the provider has {name!r} already: add() replaces")
        self.core.add(feature, definition, run)
        self._names.add((feature, name))

    @property
    def id(self) -> str:
        """The id of the server."""
        return self.core.id or ""

    def start(self) -> None:
        """Shows the features in catalogs."""
        self.core.start()

    def close(self) -> None:
        """Ends the server."""
        self.core.close()

    def _runner(self, feature: int, fn: Callable[..., Any],
                bind: Callable[[_core.ProviderCall], dict[str, Any]],
                mime_type: str | None = None) -> Callable[[_core.ProviderCall], object]:
        raise NotImplementedError

    def add(self, feature: int, definition: Mapping[str, Any],
            fn: Callable[[Any], Any]) -> None:
        """Adds a feature by its MCP definition, or replaces the feature of this name.

        `fn` takes a Context.
        """
        context = self._context_type
        self.core.add(feature, dict(definition), self._runner(
            feature, fn, lambda call: {"": context(call)}))

    def remove(self, feature: int, name: str) -> None:
        """Removes a feature: a tool or prompt by its name, a resource by its URI."""
        self.core.remove(feature, name)
        self._names.discard((feature, name))

    @overload
    def tool(self, fn: F) -> F: ...
    @overload
    def tool(self, *, name: str | None = None, description: str | None = None,
             title: str | None = None, input_schema: Mapping[str, Any] | None = None,
             output_schema: Mapping[str, Any] | None = None,
             annotations: Mapping[str, Any] | None = None) -> Callable[[F], F]: ...

    def tool(self, fn: Any = None, *, name: str | None = None,
             description: str | None = None, title: str | None = None,
             input_schema: Mapping[str, Any] | None = None,
             output_schema: Mapping[str, Any] | None = None,
             annotations: Mapping[str, Any] | None = None) -> Any:
        """Decorates a function: it becomes a tool.

        The input schema follows from the annotations of the parameters.  The documentation
        of the function becomes the description.  A parameter annotated with Context gets
        the context of the call.
        """
        def decorate(fn: F) -> F:
            signature = Signature(fn, Context)
            definition: dict[str, Any] = {
                "name": name or fn.__name__,
                "inputSchema": dict(input_schema or signature.schema)}
            for key, value in (("title", title), ("description", description or describe(fn)),
                               ("outputSchema", output_schema), ("annotations", annotations)):
                if value is not None:
                    definition[key] = value
            context = self._context_type

            def bind(call: _core.ProviderCall) -> dict[str, Any]:
                return bind_call(signature, call.arguments, context(call))

            self._add_new(Feature.TOOL, definition["name"], definition,
                          self._runner(Feature.TOOL, fn, bind))
            return fn

        return decorate if fn is None else decorate(fn)

    def resource(self, uri: str, *, name: str | None = None, mime_type: str | None = None,
                 description: str | None = None) -> Callable[[F], F]:
        """Decorates a function: it returns the contents of a resource.

        A URI with {variables} is a template; the function takes the variables.
        """
        is_template = "{" in uri
        feature = Feature.TEMPLATE if is_template else Feature.RESOURCE

        def decorate(fn: F) -> F:
            signature = Signature(fn, Context, is_text=True)
            definition: dict[str, Any] = {
                "uriTemplate" if is_template else "uri": uri, "name": name or fn.__name__}
            for key, value in (("mimeType", mime_type),
                               ("description", description or describe(fn))):
                if value is not None:
                    definition[key] = value
            context = self._context_type

            def bind(call: _core.ProviderCall) -> dict[str, Any]:
                values = call.arguments if is_template else None
                return bind_call(signature, values, context(call))

            self._add_new(feature, uri, definition,
                          self._runner(feature, fn, bind, mime_type))
            return fn

        return decorate

    @overload
    def prompt(self, fn: F) -> F: ...
    @overload
    def prompt(self, *, name: str | None = None,
               description: str | None = None) -> Callable[[F], F]: ...

    def prompt(self, fn: Any = None, *, name: str | None = None,
               description: str | None = None) -> Any:
        """Decorates a function: it returns the text of a prompt, or its messages."""
        def decorate(fn: F) -> F:
            signature = Signature(fn, Context, is_text=True)
            required = signature.schema.get("required", [])
            definition: dict[str, Any] = {
                "name": name or fn.__name__,
                "arguments": [{"name": one, "required": one in required}
                              for one in signature.schema["properties"]]}
            text = description or describe(fn)
            if text is not None:
                definition["description"] = text
            context = self._context_type

            def bind(call: _core.ProviderCall) -> dict[str, Any]:
                return bind_call(signature, call.arguments, context(call))

            self._add_new(Feature.PROMPT, definition["name"], definition,
                          self._runner(Feature.PROMPT, fn, bind))
            return fn

        return decorate if fn is None else decorate(fn)


def positional(bound: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Splits the arguments of a feature: the name "" is the context alone."""
    if "" in bound:
        return [bound[""]], {}
    return [], bound


class Projection:
    """A catalog's tools in the form that a model provider takes."""

    def __init__(self, catalog: _core.Catalog, shape: int, profile: int,
                 name_max: int = 0) -> None:
        self.core = catalog.projection_new(shape, profile, name_max)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools as the `tools` of a request."""
        tools: list[dict[str, Any]] = json.loads(self.core.json or "[]")
        return tools

    @property
    def problems(self) -> Sequence[_core.Problem]:
        """The problems: parts of the tools that the provider does not accept."""
        return self.core.problems

    def tool(self, name: str) -> _core.Tool:
        """Returns the tool that the model calls by this name."""
        tool = self.core.find_tool(name)
        if tool is None:
            raise KeyError(name)
        return tool

    def arguments(self, name: str, arguments: _core.Json) -> dict[str, Any]:
        """Returns the arguments of the tool, made from the arguments of the model."""
        restored: dict[str, Any] = json.loads(
            self.core.restore_arguments(self.tool(name), arguments))
        return restored


def openai_tools(catalog: _core.Catalog, *, strict: bool = False) -> Projection:
    """Returns the tools for the chat completions of OpenAI."""
    profile = Profile.OPENAI_STRICT if strict else Profile.OPENAI
    return Projection(catalog, Shape.OPENAI_CHAT, profile)


def anthropic_tools(catalog: _core.Catalog) -> Projection:
    """Returns the tools for the messages of Anthropic."""
    return Projection(catalog, Shape.ANTHROPIC, Profile.ANTHROPIC)


Handler: TypeAlias = Callable[[Any], Any]  # of a Request or a LoginRequest
Loader: TypeAlias = Callable[[_core.Host], None]


def kind_of_request(kind: object) -> RequestKind:
    """Returns the kind of requests, or raises TypeError."""
    if isinstance(kind, int) and kind in list(RequestKind):
        return RequestKind(kind)
    raise TypeError(f"not a RequestKind: {kind!r}")


def describe_failure(request: _core.Request) -> str:
    """Returns the text for the log if a handler fails."""
    kind = RequestKind(request.kind).name
    return f"the handler of {kind} requests has failed (server '{request.server_id}')"


def presented(request: _core.Request) -> _core.Request | LoginRequest:
    """Returns the object that the handler of a request gets."""
    if request.kind == RequestKind.AUTHORIZE:
        return LoginRequest(request)
    return request


def respond(request: _core.Request, value: object) -> None:
    """Answers a request with the value that its handler returned."""
    if request.kind == RequestKind.AUTHORIZE:
        # If the handler returns None, the request stays open, because the user may still
        # log in.  Any other value is the URL or the code that the user has pasted.
        if value is not None:
            request.respond({"redirect": value})
        return
    if value is None and request.kind not in (RequestKind.URL, RequestKind.FORM):
        raise TypeError("the handler has returned None")
    request.respond(None if value is None else ready_value(value))


def reject(request: _core.Request, error: BaseException) -> bool:
    """Rejects a request because of an exception.  Returns False if the exception is not
    meant for the server."""
    if isinstance(error, Reject):
        how, message = error.how, error.message
    else:
        how, message = int(Rejection.ERROR), "the application has failed"
    try:
        request.reject(how, message)
    except Error:
        pass
    return isinstance(error, Reject)


class BaseHost:
    """The settings of a host, before and while it is open."""

    _loaded = False

    def __init__(self, loader: Loader | None = None, *, guard_path: str | None = None,
                 options: Options | None = None,
                 handlers: Mapping[int, Handler] | None = None,
                 log: Callable[[int, str, str | None, str], object] | None = None,
                 log_level: int = 0) -> None:
        self._loader = loader
        self._prepare()
        self._handlers: dict[int, Handler] = {}
        for kind, handler in (handlers or {}).items():
            self.on_request(kind, handler)
        self._listeners: list[Callable[[_core.Event], object]] = []
        self._forked = False
        self._closed = False
        self._core: _core.Host | None = _core.new()
        if guard_path is not None:
            self._core.set_guard_path(guard_path)
        for option, value in (options or {}).items():
            self._core.set_option(option, value)
        if log is not None:
            self._core.set_log(log_level, log)
        this = weakref.ref(self)

        def on_event(event: _core.Event) -> None:
            host = this()
            if host is not None:
                host._on_event(event)

        self._core.set_event(on_event)
        _hosts.add(self)

    def _prepare(self) -> None:
        """Sets the attributes of a subclass."""

    # ---- making a host ----

    @classmethod
    def workspace(cls, dir: _core.Path, *, file: _core.Path | None = None,
                  **settings: Any) -> Self:
        """Makes a host that follows the configuration of a workspace.

        The directory must exist when the host is opened.  The configuration may come
        later.
        """
        def load(core: _core.Host) -> None:
            if not os.path.isdir(dir):
                raise NotFoundError(f"there is no directory '{os.fsdecode(dir)}'",
                                    ErrorCode.NOTFOUND)
            core.load_workspace(dir, file)

        return cls(load, **settings)

    @classmethod
    def mcpservers(cls, workspace: _core.Path, *, file: _core.Path | None = None,
                   **settings: Any) -> Self:
        """Makes a host that follows an `mcpServers` file."""
        def load(core: _core.Host) -> None:
            source = core.default_source()
            assert source is not None
            source.mcpservers_follow(workspace, file)

        return cls(load, **settings)

    @classmethod
    def stdio(cls, id: str, argv: Sequence[str], **settings: Any) -> Self:
        """Makes a host with one server, which is a program."""
        config = _core.config_new_stdio(id, argv)
        return cls(lambda core: core.load(config), **settings)

    @classmethod
    def http(cls, id: str, url: str, headers: Sequence[str] | None = None,
             **settings: Any) -> Self:
        """Makes a host with one server, which is at a URL."""
        config = _core.config_new_http(id, url, headers)
        return cls(lambda core: core.load(config), **settings)

    @classmethod
    def config(cls, config: _core.Config, **settings: Any) -> Self:
        """Makes a host with the servers of a configuration."""
        return cls(lambda core: core.load(config), **settings)

    # ---- the parts of a host ----

    @property
    def core(self) -> _core.Host:
        """The handle of the library."""
        if self._core is None:
            raise ClosedError("the host is closed", ErrorCode.CLOSED)
        return self._core

    @property
    def default_view(self) -> _core.View:
        """The view that shows all servers."""
        view = self.core.default_view()
        if view is None:
            raise ClosedError("the host is closed", ErrorCode.CLOSED)
        return view

    @property
    def default_source(self) -> _core.Source:
        """The source that the host's own configuration belongs to."""
        source = self.core.default_source()
        if source is None:
            raise ClosedError("the host is closed", ErrorCode.CLOSED)
        return source

    @property
    def catalog(self) -> _core.Catalog:
        """The tools, resources and prompts as they are now."""
        return self.default_view.get_catalog()

    @property
    def problems(self) -> Sequence[_core.Problem]:
        """The problems as they are now."""
        return self.core.get_problems().items

    @property
    def status(self) -> dict[str, Any]:
        """The servers and leases as they are now."""
        status: dict[str, Any] = json.loads(self.core.get_status().make_json())
        return status

    def set_option(self, option: int, value: int) -> None:
        """Sets an option, a member of Option."""
        self.core.set_option(option, value)

    # ---- requests of servers ----

    def on_request(self, kind: int, handler: Handler) -> None:
        """Sets the handler of a kind of requests.  Do this before the host is opened.

        After that, only an existing handler can be replaced.
        """
        kind = kind_of_request(kind)
        if not callable(handler):
            raise TypeError(f"a handler is a function, not {handler!r}")
        if self._loaded and kind not in self._handlers:
            raise UsageError("servers know already that the application does not answer "
                             f"{kind.name} requests: the host is open", ErrorCode.STATE)
        self._handlers[kind] = handler

    def _decorator(self, kind: int) -> Callable[[Handler], Handler]:
        def decorate(handler: Handler) -> Handler:
            self.on_request(kind, handler)
            return handler

        return decorate

    def sampling(self, handler: Handler) -> Handler:
        """Decorates the handler of requests for a message of the model."""
        return self._decorator(RequestKind.SAMPLING)(handler)

    def form(self, handler: Handler) -> Handler:
        """Decorates the handler of forms (elicitation)."""
        return self._decorator(RequestKind.FORM)(handler)

    def url(self, handler: Handler) -> Handler:
        """Decorates the handler of pages to open (elicitation)."""
        return self._decorator(RequestKind.URL)(handler)

    def roots(self, handler: Handler) -> Handler:
        """Decorates the handler that returns the roots."""
        return self._decorator(RequestKind.ROOTS)(handler)

    def credentials(self, handler: Handler) -> Handler:
        """Decorates the handler that returns the credentials of a server."""
        return self._decorator(RequestKind.CREDENTIALS)(handler)

    def authorize(self, handler: Handler) -> Handler:
        """Decorates the handler of logins by OAuth.  It gets a LoginRequest.

        If it returns None, the request stays open until the user has logged in.  A text
        that it returns is the URL or code that the user has pasted.
        """
        return self._decorator(RequestKind.AUTHORIZE)(handler)

    def _load(self) -> None:
        self._loaded = True
        if self._handlers:
            asked = self.core.get_option(Option.REQUESTS)
            for kind in self._handlers:
                asked |= kind
            self.core.set_option(Option.REQUESTS, asked)
        if self._loader is not None:
            self._loader(self.core)

    # ---- life ----

    def _on_event(self, event: _core.Event) -> None:
        if event.kind == EventKind.REQUEST and event.state == 1:
            request = event.request
            if request is not None:
                self._on_request(request)
        elif event.kind == EventKind.REQUEST and event.request is not None:
            self._on_request_over(event.request)
        for listener in list(self._listeners):
            listener(event)

    def _on_request(self, request: _core.Request) -> None:
        raise NotImplementedError

    def _on_request_over(self, request: _core.Request) -> None:
        """The request needs no answer any more."""
