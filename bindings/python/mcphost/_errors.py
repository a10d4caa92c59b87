# SPDX-License-Identifier: MIT
"""The exceptions: one class for each family of error codes."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._constants import ErrorCode

if TYPE_CHECKING:
    from . import _core

__all__ = ["Error", "UsageError", "SystemFailure", "TimeError", "CallTimeout", "ServerError",
           "ConfigError", "DeniedError", "ForkedError", "ClosedError", "NotFoundError"]


class Error(Exception):
    """A function of the library has failed.

    `code` is the error code, normally a member of ErrorCode.  Fields that an error does
    not have are None, or 0 for numbers.
    """

    code: int
    server_id: str | None = None
    source_id: str | None = None
    errno: int = 0
    rpc_code: int = 0
    rpc_data: str | None = None
    file: str | None = None
    line: int = 0
    column: int = 0
    stderr_tail: str | None = None
    http_status: int = 0
    retry_after: str | None = None
    info: _core.Error | None = None
    has_message: bool = False

    def __init__(self, message: str, code: int = ErrorCode.STATE) -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        state = {k: v for k, v in self.__dict__.items() if k != "info"}
        return (type(self), (self.message, int(self.code)), state)


class UsageError(Error):
    """The caller has made a mistake, or the object's state does not allow the call."""


class ClosedError(UsageError):
    """The host or the dialog is closed."""


class ForkedError(UsageError):
    """The object belongs to the parent process."""


class NotFoundError(UsageError, LookupError):
    """There is no tool, server, lease, member, problem or file of this name."""


class SystemFailure(Error):
    """Memory is short, a system call failed, or a limit was reached."""


class TimeError(Error):
    """The deadline has passed, or the operation was cancelled or woken."""


class CallTimeout(TimeError, TimeoutError):
    """The deadline has passed."""


class ServerError(Error):
    """The server, or the connection to it, has failed."""


class ConfigError(Error):
    """The configuration is not acceptable."""


class DeniedError(Error):
    """Access is not granted, or a policy refuses it."""

    def __init__(self, message: str, code: int = ErrorCode.DENIED) -> None:
        super().__init__(message, code)


_BY_CODE: dict[int, type[Error]] = {
    ErrorCode.CLOSED: ClosedError,
    ErrorCode.FORKED: ForkedError,
    ErrorCode.NOTFOUND: NotFoundError,
    ErrorCode.TIMEOUT: CallTimeout,
}


def class_of(code: int) -> type[Error]:
    """Returns the exception class of an error code."""
    if code in _BY_CODE:
        return _BY_CODE[code]
    if code > -20:
        return UsageError
    if code > -40:
        return SystemFailure
    if code > -60:
        return TimeError
    if code > -80:
        return ServerError
    if code > -100:
        return ConfigError
    return DeniedError


_FIELDS = ("server_id", "source_id", "errno", "rpc_code", "rpc_data", "file", "line",
           "column", "stderr_tail", "http_status", "retry_after")


def make(code: int, text: str, info: _core.Error | None) -> Error:
    """Makes the exception of an error of the library."""
    try:
        code = ErrorCode(code)
    except ValueError:
        pass
    error = class_of(code)(info.message if info is not None else text, code)
    if info is not None:
        for field in _FIELDS:
            setattr(error, field, getattr(info, field))
        error.info = info
        error.has_message = True
    return error
