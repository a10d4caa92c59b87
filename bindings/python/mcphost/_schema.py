# SPDX-License-Identifier: MIT
"""Input schemas from the annotations of functions."""
from __future__ import annotations

import dataclasses
import enum
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    list: {"type": "array"},
    tuple: {"type": "array"},
    dict: {"type": "object"},
}


def schema_of(hint: Any) -> dict[str, Any]:
    """Returns the JSON Schema of a type."""
    if hint is Any or hint is inspect.Parameter.empty:
        return {}
    if hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        schema = schema_of(args[0])
        for note in args[1:]:
            if isinstance(note, str):
                schema["description"] = note
            elif isinstance(note, Mapping):
                schema.update(note)
        return schema
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(one) for one in args]}
    if isinstance(origin, type):
        return _schema_of_generic(origin, args, hint)
    if isinstance(hint, type):
        return _schema_of_class(hint)
    raise TypeError(f"no JSON Schema for {hint!r}")


def _schema_of_generic(origin: type, args: tuple[Any, ...], hint: Any) -> dict[str, Any]:
    if issubclass(origin, tuple):
        if len(args) == 2 and args[1] is Ellipsis:
            return {"type": "array", "items": schema_of(args[0])}
        return {"type": "array", "prefixItems": [schema_of(one) for one in args],
                "minItems": len(args), "maxItems": len(args)}
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(args[1])}
    if issubclass(origin, Sequence):
        return {"type": "array", "items": schema_of(args[0])}
    if issubclass(origin, (set, frozenset)):
        return {"type": "array", "items": schema_of(args[0]), "uniqueItems": True}
    raise TypeError(f"no JSON Schema for {hint!r}")


def _schema_of_class(hint: type) -> dict[str, Any]:
    if issubclass(hint, enum.Enum):
        return {"enum": [one.value for one in hint]}
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        required = sorted(hint.__required_keys__)  # type: ignore[attr-defined]
        return _object({k: schema_of(v) for k, v in hints.items()}, required)
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        required = [f.name for f in dataclasses.fields(hint)
                    if f.default is dataclasses.MISSING
                    and f.default_factory is dataclasses.MISSING]
        return _object({f.name: schema_of(hints[f.name])
                        for f in dataclasses.fields(hint)}, required)
    raise TypeError(f"no JSON Schema for {hint!r}")


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def _plain(value: Any) -> Any:
    """Returns the JSON value of a default."""
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value


def _unpacker(cls: type) -> Callable[[Any], Any]:
    return lambda value: cls(**value)


class Signature:
    """How a function takes the arguments of a tool."""

    def __init__(self, fn: Callable[..., Any], context_type: type) -> None:
        self.context_name: str | None = None
        self.converters: dict[str, Callable[[Any], Any]] = {}
        hints = typing.get_type_hints(fn, include_extras=True)
        properties: dict[str, Any] = {}
        required: list[str] = []
        extra = False
        for name, parameter in inspect.signature(fn).parameters.items():
            hint = hints.get(name, Any)
            if isinstance(hint, type) and issubclass(hint, context_type):
                self.context_name = name
                continue
            if parameter.kind is parameter.VAR_KEYWORD:
                extra = True
                continue
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
                raise TypeError(f"the parameter {name!r} cannot be given by name")
            properties[name] = schema_of(hint)
            if parameter.default is parameter.empty:
                required.append(name)
            elif parameter.default is not None:
                properties[name]["default"] = _plain(parameter.default)
            if isinstance(hint, type) and issubclass(hint, enum.Enum):
                self.converters[name] = hint
            elif isinstance(hint, type) and dataclasses.is_dataclass(hint):
                self.converters[name] = _unpacker(hint)
        self.schema = _object(properties, required)
        if not extra:
            self.schema["additionalProperties"] = False

    def bind(self, arguments: dict[str, Any], context: object) -> dict[str, Any]:
        """Returns the keyword arguments of a call."""
        for name, convert in self.converters.items():
            if name in arguments:
                arguments[name] = convert(arguments[name])
        if self.context_name is not None:
            arguments[self.context_name] = context
        return arguments


def describe(fn: Callable[..., Any]) -> str | None:
    """Returns the documentation of a function, or None."""
    return inspect.getdoc(fn)
