# SPDX-License-Identifier: MIT
"""Types that contain themselves, as annotations."""
from __future__ import annotations

import dataclasses
import json
import sys
import unittest
from typing import Any, Literal, NotRequired, Required, TypedDict

import mcphost
from mcphost._base import bind_call
from mcphost._schema import Signature


@dataclasses.dataclass
class Negation:
    """One of two types that contain each other."""

    kind: Literal["not"]
    of: Negation | Number | None = None


@dataclasses.dataclass
class Number:
    """The second of the two types."""

    kind: Literal["number"]
    of: Negation | Number | None = None


class Entry(TypedDict):
    """A dictionary whose annotations are texts."""

    name: str
    entries: NotRequired[list[Entry]]


class Options(TypedDict, total=False):
    """A dictionary with one member that is required."""

    must: Required[int]
    may: int


class Outer:
    """Has a class whose name another class has, too."""

    @dataclasses.dataclass
    class Number:
        """A type that contains itself."""

        of: Outer.Number | None = None


def bind(function: Any, **arguments: Any) -> dict[str, Any]:
    """Returns what the function gets."""
    return bind_call(Signature(function, mcphost.Context), json.dumps(arguments), None)


class Recursion(unittest.TestCase):
    """Signatures of functions."""

    def test_a_class_in_a_function_contains_itself(self) -> None:
        @dataclasses.dataclass
        class Local:
            below: Local | None = None

        def take(local: Any) -> None: ...

        take.__annotations__["local"] = Local
        self.assertEqual(bind(take, local={"below": {"below": None}}),
                         {"local": Local(Local())})

    def test_a_typed_dictionary_stays_a_dictionary(self) -> None:
        def take(entry: Entry) -> None: ...

        entry = {"name": "a", "entries": [{"name": "b"}]}
        self.assertEqual(bind(take, entry=entry), {"entry": entry})

    def test_required_members_are_found_if_annotations_are_texts(self) -> None:
        def take(entry: Entry, options: Options) -> None: ...

        schema = Signature(take, mcphost.Context).schema
        self.assertEqual(schema["$defs"]["Entry"]["required"], ["name"])
        self.assertEqual(schema["properties"]["options"]["required"], ["must"])

    def test_classes_of_one_name_have_two_definitions(self) -> None:
        def take(one: Number, other: Outer.Number) -> None: ...

        schema = Signature(take, mcphost.Context).schema
        self.assertEqual(sorted(schema["$defs"]), ["Negation", "Number", "Number_"])
        self.assertEqual(schema["properties"]["other"], {"$ref": "#/$defs/Number_"})

    def test_a_deep_value_of_a_union_takes_linear_time(self) -> None:
        def take(number: Number | Negation) -> None: ...

        value: Any = None
        for _ in range(50):  # `of` comes first, so that no member tells the types apart
            value = {"of": value, "kind": "not"}
        number = bind(take, number=value)["number"]
        for _ in range(50):
            self.assertIsInstance(number, Negation)
            number = number.of
        self.assertIsNone(number)

    def test_arguments_that_are_nested_too_deeply_are_refused(self) -> None:
        def take(entry: Entry) -> None: ...

        entry: Any = {"name": ""}
        for _ in range(sys.getrecursionlimit() // 4):
            entry = {"name": "", "entries": [entry]}
        with self.assertRaisesRegex(mcphost.ToolError, "nested too deeply"):
            bind(take, entry=entry)


if __name__ == "__main__":
    unittest.main()
