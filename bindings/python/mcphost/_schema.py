# SPDX-License-Identifier: MIT
"""Input schemas from the annotations of functions."""
from __future__ import annotations

import dataclasses
import enum
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

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

Converter: TypeAlias = Callable[[Any], Any]


class Types:
    """The dataclasses and TypedDicts of a signature.  Each of them may contain itself."""

    def __init__(self) -> None:
        self.definitions: dict[str, Any] = {}  # the schemas that references name
        self.converters: dict[type, Converter | None] = {}
        self.fitting: dict[tuple[type, int], bool] = {}  # by class and id() of the value
        self._members: dict[type, tuple[dict[str, Any], list[str]]] = {}
        self._names: dict[type, str] = {}
        self._open: list[type] = []  # the classes whose schema is being made

    def members_of(self, hint: type) -> tuple[dict[str, Any], list[str]]:
        """Returns the types of all members, and the members that a value must have."""
        if hint not in self._members:
            self._members[hint] = _members_of(hint)
        return self._members[hint]

    def schema_of(self, hint: type) -> dict[str, Any]:
        """Returns the schema of a class, or a reference if the class contains itself.

        Only a class that contains itself has a definition, because some models follow
        no references.
        """
        if hint in self._open and hint not in self._names:
            self._names[hint] = self._new_name(hint)
        if hint not in self._names:
            self._open.append(hint)
            members, required = self.members_of(hint)
            schema = _object({k: schema_of(v, self) for k, v in members.items()},
                             required)
            if dataclasses.is_dataclass(hint):
                schema["additionalProperties"] = False
            self._open.pop()
            if hint not in self._names:
                return schema
            self.definitions[self._names[hint]] = schema
        return {"$ref": "#/$defs/" + self._names[hint]}

    def _new_name(self, hint: type) -> str:
        name = re.sub(r"[^A-Za-z0-9_]", "_", hint.__name__)
        while name in self._names.values():
            name += "_"
        return name


def schema_of(hint: Any, known: Types) -> dict[str, Any]:
    """Returns the JSON Schema of a type."""
    if hint is Any or hint is inspect.Parameter.empty:
        return {}
    if isinstance(hint, type) and hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        schema = schema_of(args[0], known)
        for note in args[1:]:
            if isinstance(note, str):
                schema["description"] = note
            elif isinstance(note, Mapping):
                schema.update(note)
        return schema
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(one, known) for one in args]}
    if isinstance(origin, type):
        return _schema_of_generic(origin, args, hint, known)
    if isinstance(hint, type):
        return _schema_of_class(hint, known)
    raise TypeError(f"no JSON Schema for {hint!r}")


def _schema_of_generic(origin: type, args: tuple[Any, ...], hint: Any,
                       known: Types) -> dict[str, Any]:
    if issubclass(origin, tuple):
        if len(args) == 2 and args[1] is Ellipsis:
            return {"type": "array", "items": schema_of(args[0], known)}
        return {"type": "array", "prefixItems": [schema_of(one, known) for one in args],
                "minItems": len(args), "maxItems": len(args)}
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(args[1], known)}
    if issubclass(origin, Sequence):
        return {"type": "array", "items": schema_of(args[0], known)}
    if issubclass(origin, (set, frozenset)):
        return {"type": "array", "items": schema_of(args[0], known), "uniqueItems": True}
    raise TypeError(f"no JSON Schema for {hint!r}")


def _schema_of_class(hint: type, known: Types) -> dict[str, Any]:
    if issubclass(hint, enum.Enum):
        return {"enum": [one.value for one in hint]}
    if typing.is_typeddict(hint) or dataclasses.is_dataclass(hint):
        return known.schema_of(hint)
    raise TypeError(f"no JSON Schema for {hint!r}")


def _hints_of(hint: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(hint, include_extras=True)
    except NameError:  # the type contains itself, and stands in a function
        return typing.get_type_hints(hint, localns={hint.__name__: hint},
                                     include_extras=True)


def _members_of(hint: Any) -> tuple[dict[str, Any], list[str]]:
    """Returns the types of the members of a dataclass or a TypedDict, and the members
    that a value must have."""
    hints = _hints_of(hint)
    if dataclasses.is_dataclass(hint):
        fields = [f for f in dataclasses.fields(hint) if f.init]
        return {f.name: hints[f.name] for f in fields}, [
            f.name for f in fields if f.default is dataclasses.MISSING
            and f.default_factory is dataclasses.MISSING]
    # If annotations are texts, __required_keys__ ignores Required and NotRequired.
    marks = {k: typing.get_origin(v) for k, v in hints.items()}
    required = [k for k, mark in marks.items() if mark is typing.Required or (
        k in hint.__required_keys__ and mark is not typing.NotRequired)]
    return {k: typing.get_args(v)[0]
            if marks[k] in (typing.Required, typing.NotRequired) else v
            for k, v in hints.items()}, sorted(required)


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
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"no JSON for {value!r}")


def _set_default(schema: dict[str, Any], value: Any) -> None:
    """Puts a default into a schema, if JSON can have the value."""
    try:
        schema["default"] = json.loads(json.dumps(
            _plain(value) if isinstance(value, enum.Enum) else value,
            default=_plain, allow_nan=False))
    except (TypeError, ValueError):
        pass


# ---- values of annotated types ----



def _to_int(value: Any) -> Any:
    """Returns an int for a float without a fraction, because 2.0 is 2 in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def converter_of(hint: Any, known: Types) -> Converter | None:
    """Returns the function that makes a value of a type from its JSON value, or None if
    the JSON value is the value."""
    if hint is int:
        return _to_int
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return converter_of(args[0], known)
    if origin in (typing.Union, types.UnionType):
        return _converter_of_union(args, known)
    if isinstance(origin, type):
        return _converter_of_generic(origin, args, known)
    if not isinstance(hint, type):
        return None
    if issubclass(hint, enum.Enum):
        return hint
    if typing.is_typeddict(hint) or dataclasses.is_dataclass(hint):
        return _converter_of_class(hint, known)
    return None


def _converter_of_generic(origin: type, args: tuple[Any, ...],
                          known: Types) -> Converter | None:
    if issubclass(origin, tuple):
        if len(args) == 2 and args[1] is Ellipsis:
            one = converter_of(args[0], known) or _same
            return lambda value: tuple(map(one, value))
        each = [converter_of(arg, known) or _same for arg in args]
        return lambda value: tuple(fn(v) for fn, v in zip(each, value))
    inner = converter_of(args[-1], known)
    if issubclass(origin, (set, frozenset)):
        return lambda value: origin(map(inner or _same, value))
    if inner is None:
        return None
    convert = inner
    if issubclass(origin, Mapping):
        return lambda value: {k: convert(v) for k, v in value.items()}
    return lambda value: [convert(v) for v in value]


def _same(value: Any) -> Any:
    return value


def _converter_of_class(hint: Any, known: Types) -> Converter | None:
    found = known.converters
    if hint in found:
        return found[hint]
    made: list[Converter] = []
    # Store a function that calls the converter, because a member whose type contains
    # `hint` needs the converter before the converter is made.
    found[hint] = lambda value: made[0](value)
    make: Callable[..., Any] = hint if dataclasses.is_dataclass(hint) else dict
    members = {k: converter_of(v, known) for k, v in known.members_of(hint)[0].items()}
    converters = {k: v for k, v in members.items() if v is not None}

    def convert(value: Any) -> Any:
        return make(**{k: converters.get(k, _same)(v) for k, v in value.items()})

    made.append(convert)
    found[hint] = convert if converters or make is hint else None
    return found[hint]


def _converter_of_union(args: tuple[Any, ...], known: Types) -> Converter | None:
    """The first type that fits the value converts it."""
    choices = [(one, converter_of(one, known)) for one in args]
    if not any(convert for _, convert in choices):
        return None

    def convert(value: Any) -> Any:
        for one, fn in choices:
            if fits(one, value, known):
                return fn(value) if fn else value
        return value

    return convert


_CLASSES: dict[Any, type | tuple[type, ...]] = {
    str: str, float: (int, float), bool: bool, type(None): type(None), list: list,
    tuple: list, dict: dict}


def fits(hint: Any, value: Any, known: Types) -> bool:
    """Returns whether a JSON value fits a type."""
    if hint is int:
        value = _to_int(value)
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(hint, type) and hint in _CLASSES:
        return isinstance(value, _CLASSES[hint]) and (
            hint is bool or not isinstance(value, bool))
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return fits(args[0], value, known)
    if origin is typing.Literal:
        return value in args
    if origin in (typing.Union, types.UnionType):
        return any(fits(one, value, known) for one in args)
    if isinstance(origin, type):
        return _fits_generic(origin, args, value, known)
    return not isinstance(hint, type) or _fits_class(hint, value, known)


def _fits_generic(origin: type, args: tuple[Any, ...], value: Any, known: Types) -> bool:
    if issubclass(origin, Mapping):
        return isinstance(value, dict) and all(
            fits(args[1], v, known) for v in value.values())
    if not isinstance(value, list):
        return False
    if issubclass(origin, tuple) and not (len(args) == 2 and args[1] is Ellipsis):
        return len(args) == len(value) and all(
            fits(one, v, known) for one, v in zip(args, value))
    return all(fits(args[0], v, known) for v in value)


def _fits_class(hint: type, value: Any, known: Types) -> bool:
    if issubclass(hint, enum.Enum):
        return any(value == one.value for one in hint)
    if not (typing.is_typeddict(hint) or dataclasses.is_dataclass(hint)):
        return True
    # The check of each enclosing union calls this function for the value again.  Without
    # the stored answers, the time would double with each level of nesting of a type that
    # contains itself.
    key = hint, id(value)
    if key not in known.fitting:
        members, required = known.members_of(hint)
        known.fitting[key] = (
            isinstance(value, dict) and set(required) <= value.keys() <= members.keys()
            and all(fits(members[k], v, known) for k, v in value.items()))
    return known.fitting[key]


def _from_text(name: str, hint: Any, text: Any) -> Any:
    """Returns the JSON value of an argument that the protocol passes as a text."""
    if not isinstance(text, str) or fits(hint, text, Types()):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    if not fits(hint, value, Types()):
        raise ValueError(f"the argument {name!r} does not fit {_name_of(hint)}")
    return value


def _name_of(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)


class Signature:
    """The signature by which a function takes the arguments of a tool.

    With `is_text`, the arguments arrive as texts, as the arguments of prompts do.
    """

    def __init__(self, fn: Callable[..., Any], context_type: type,
                 is_text: bool = False) -> None:
        self.context_name: str | None = None
        self.converters: dict[str, Converter] = {}
        self._texts: dict[str, Any] = {}
        self._types = Types()
        self._name = getattr(fn, "__qualname__", repr(fn))
        properties: dict[str, Any] = {}
        required: list[str] = []
        has_more = False
        hints = self._hints_of(fn)
        for name, parameter in inspect.signature(fn).parameters.items():
            hint = hints.get(name, Any)
            if isinstance(hint, type) and issubclass(hint, context_type):
                self.context_name = name
            elif parameter.kind is parameter.VAR_KEYWORD:
                has_more = True
            else:
                properties[name] = self._take(parameter, hint, is_text)
                if parameter.default is parameter.empty:
                    required.append(name)
        self.schema = _object(properties, required)
        if not has_more:
            self.schema["additionalProperties"] = False
        if self._types.definitions:
            self.schema["$defs"] = self._types.definitions

    def _hints_of(self, fn: Callable[..., Any]) -> dict[str, Any]:
        try:
            return typing.get_type_hints(fn, include_extras=True)
        except (NameError, TypeError) as error:
            raise TypeError(f"{self._name}(): {error}") from error

    def _take(self, parameter: inspect.Parameter, hint: Any,
              is_text: bool) -> dict[str, Any]:
        """Prepares a parameter, and returns its schema."""
        name = parameter.name
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise TypeError(
                f"{self._name}(): the parameter {name!r} cannot be given by name")
        try:
            schema = schema_of(hint, self._types)
            convert = converter_of(hint, self._types)
        except (NameError, TypeError) as error:
            raise TypeError(f"{self._name}(): the parameter {name!r}: {error}") from error
        if convert is not None:
            self.converters[name] = convert
        if is_text:
            self._texts[name] = hint
        if parameter.default is not parameter.empty and parameter.default is not None:
            _set_default(schema, parameter.default)
        return schema

    def bind(self, arguments: dict[str, Any], context: object) -> dict[str, Any]:
        """Returns the keyword arguments of a call.

        Raises ValueError if an argument does not fit its type.
        """
        for name, hint in self._texts.items():
            if name in arguments:
                arguments[name] = _from_text(name, hint, arguments[name])
        for name, convert in self.converters.items():
            if name in arguments:
                self._types.fitting.clear()  # a new value may have the id of a freed one
                arguments[name] = convert(arguments[name])
        if self.context_name is not None:
            arguments[self.context_name] = context
        return arguments


def describe(fn: Callable[..., Any]) -> str | None:
    """Returns the documentation of a function, or None."""
    return inspect.getdoc(fn)
