# SPDX-License-Identifier: MIT
# Generated from the headers by scripts/bind-python.
"""Records: what getters with an index tell of one thing."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from . import _core
from ._errors import UsageError

_T = TypeVar("_T")


class Rows(Sequence[_T], Generic[_T]):
    """A lazy sequence of records."""

    def __init__(self, count: int, make: Callable[[int], _T]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> list[_T]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._make(i) for i in range(self._count)[index]]
        return self._make(range(self._count)[index])

    def __iter__(self) -> Iterator[_T]:
        return map(self._make, range(self._count))


class StatusServer:
    """One of the servers of a Status."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.Status, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost StatusServer {self._index}>"

    @property
    def source_id(self) -> str | None:
        return self._of.server_get_source_id(self._index)

    @property
    def id(self) -> str | None:
        return self._of.server_get_id(self._index)

    @property
    def transport(self) -> int:
        return self._of.server_get_transport(self._index)

    @property
    def state(self) -> int:
        return self._of.server_get_state(self._index)

    @property
    def era(self) -> int:
        return self._of.server_get_era(self._index)

    @property
    def version(self) -> str | None:
        return self._of.server_get_version(self._index)

    @property
    def pid(self) -> int:
        return self._of.server_get_pid(self._index)

    @property
    def containment(self) -> int:
        return self._of.server_get_containment(self._index)

    @property
    def tools(self) -> int:
        return self._of.server_count_tools(self._index)

    @property
    def has_tools(self) -> int:
        return self._of.server_has_tools(self._index)

    @property
    def start_ms(self) -> int:
        return self._of.server_get_start_ms(self._index)

    @property
    def latency_ms(self) -> int:
        return self._of.server_get_latency_ms(self._index)

    @property
    def error(self) -> _core.Error | None:
        return self._of.server_get_error(self._index)

    @property
    def json(self) -> str:
        return self._of.server_make_json(self._index)


class StatusLease:
    """One of the leases of a Status."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.Status, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost StatusLease {self._index}>"

    @property
    def source_id(self) -> str | None:
        return self._of.lease_get_source_id(self._index)

    @property
    def server_id(self) -> str | None:
        return self._of.lease_get_server_id(self._index)

    @property
    def dialog_id(self) -> str | None:
        return self._of.lease_get_dialog_id(self._index)

    @property
    def scope(self) -> int:
        return self._of.lease_get_scope(self._index)

    @property
    def scope_key(self) -> str | None:
        return self._of.lease_get_scope_key(self._index)

    @property
    def pid(self) -> int:
        return self._of.lease_get_pid(self._index)

    @property
    def state(self) -> int:
        return self._of.lease_get_state(self._index)

    @property
    def in_flight(self) -> int:
        return self._of.lease_count_in_flight(self._index)

    @property
    def since_ms(self) -> int:
        return self._of.lease_get_since_ms(self._index)


class ConfigServer:
    """One of the servers of a Config."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.Config, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost ConfigServer {self._index}>"

    @property
    def id(self) -> str | None:
        return self._of.server_get_id(self._index)

    @property
    def state(self) -> int:
        return self._of.server_get_state(self._index)

    @property
    def transport(self) -> int:
        return self._of.server_get_transport(self._index)

    @property
    def file(self) -> str | None:
        return self._of.server_get_file(self._index)

    @property
    def line(self) -> int:
        return self._of.server_get_line(self._index)

    @property
    def json(self) -> str:
        return self._of.server_make_json(self._index)


class Diagnostic:
    """One of the diagnostics of a Config."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.Config, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost Diagnostic {self._index}>"

    @property
    def severity(self) -> int:
        return self._of.diagnostic_get_severity(self._index)

    @property
    def message(self) -> str | None:
        return self._of.diagnostic_get_message(self._index)

    @property
    def key(self) -> str | None:
        return self._of.diagnostic_get_key(self._index)

    @property
    def server_id(self) -> str | None:
        return self._of.diagnostic_get_server_id(self._index)

    @property
    def file(self) -> str | None:
        return self._of.diagnostic_get_file(self._index)

    @property
    def line(self) -> int:
        return self._of.diagnostic_get_line(self._index)

    @property
    def column(self) -> int:
        return self._of.diagnostic_get_column(self._index)


class Item:
    """One of the items of a Result."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.Result, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost Item {self._index}>"

    @property
    def kind(self) -> int:
        return self._of.item_get_kind(self._index)

    @property
    def json(self) -> str | None:
        return self._of.item_get_json(self._index)

    @property
    def text(self) -> str | None:
        """The text, or None if the item has none."""
        try:
            return self._of.item_get_text(self._index)
        except UsageError:
            return None

    @property
    def repeats_structured(self) -> int:
        return self._of.item_repeats_structured(self._index)

    @property
    def mime_type(self) -> str | None:
        return self._of.item_get_mime_type(self._index)

    @property
    def uri(self) -> str | None:
        return self._of.item_get_uri(self._index)

    @property
    def role(self) -> str | None:
        return self._of.item_get_role(self._index)


class PluginRow:
    """One of the rows of a PluginRows."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.PluginRows, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost PluginRow {self._index}>"

    @property
    def id(self) -> str | None:
        return self._of.get_id(self._index)

    @property
    def kind(self) -> int:
        return self._of.get_kind(self._index)

    @property
    def file(self) -> str | None:
        return self._of.get_file(self._index)

    @property
    def state(self) -> int:
        return self._of.get_state(self._index)

    @property
    def error(self) -> _core.Error | None:
        return self._of.get_error(self._index)


class LoginRow:
    """One of the rows of a Logins."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.Logins, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost LoginRow {self._index}>"

    @property
    def server_id(self) -> str | None:
        return self._of.get_server_id(self._index)

    @property
    def issuer(self) -> str | None:
        return self._of.get_issuer(self._index)

    @property
    def resource(self) -> str | None:
        return self._of.get_resource(self._index)

    @property
    def account(self) -> str | None:
        return self._of.get_account(self._index)

    @property
    def scope(self) -> str | None:
        return self._of.get_scope(self._index)

    @property
    def expires_s(self) -> int:
        return self._of.get_expires_s(self._index)

    @property
    def state(self) -> int:
        return self._of.get_state(self._index)


class SchemaFinding:
    """One of the errors of a SchemaReport."""

    __slots__ = ("_of", "_index")

    def __init__(self, of: _core.SchemaReport, index: int) -> None:
        self._of, self._index = of, index

    def __repr__(self) -> str:
        return f"<mcphost SchemaFinding {self._index}>"

    @property
    def instance_path(self) -> str | None:
        return self._of.get_instance_path(self._index)

    @property
    def schema_path(self) -> str | None:
        return self._of.get_schema_path(self._index)

    @property
    def keyword(self) -> str | None:
        return self._of.get_keyword(self._index)

    @property
    def expected(self) -> str | None:
        return self._of.get_expected(self._index)

    @property
    def found(self) -> str | None:
        return self._of.get_found(self._index)


def install() -> None:
    """Gives the handles their sequences of records."""
    setattr(_core.Status, "servers", property(lambda of: Rows(
        of.count_servers(), lambda i: StatusServer(of, i))))
    setattr(_core.Status, "leases", property(lambda of: Rows(
        of.count_leases(), lambda i: StatusLease(of, i))))
    setattr(_core.Config, "servers", property(lambda of: Rows(
        of.count_servers(), lambda i: ConfigServer(of, i))))
    setattr(_core.Config, "diagnostics", property(lambda of: Rows(
        of.count_diagnostics(), lambda i: Diagnostic(of, i))))
    setattr(_core.Result, "items", property(lambda of: Rows(
        of.count_items(), lambda i: Item(of, i))))
    setattr(_core.PluginRows, "rows", property(lambda of: Rows(
        of.count(), lambda i: PluginRow(of, i))))
    setattr(_core.Logins, "rows", property(lambda of: Rows(
        of.count(), lambda i: LoginRow(of, i))))
    setattr(_core.SchemaReport, "errors", property(lambda of: Rows(
        of.count_errors(), lambda i: SchemaFinding(of, i))))
