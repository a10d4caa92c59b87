# SPDX-License-Identifier: MIT
"""mcphost - host MCP servers: the Python binding of libmcphost.

    import asyncio
    from mcphost import Host

    async def main() -> None:
        async with Host.workspace(".") as host:
            dialog = await host.dialog("me")
            for tool in dialog.catalog.tools:
                print(tool.name)
            result = await dialog.call("tool", {"n": 1})
            print(result.text)

    asyncio.run(main())

`mcphost.sync` has the same without a loop.  `mcphost._core` has every function of the
library as a method of its first handle, and `core` of each object here is that handle.
"""
from collections.abc import Sequence as _Sequence

from . import _core, _rows, sync
from ._async import AsyncContext, Dialog, Events, Host, Provider, Turn
from ._base import (Context, Projection, Reject, RpcError, ToolError, anthropic_tools,
                    openai_tools)
from ._constants import *  # noqa: F403
from ._constants import __all__ as _constants
from ._core import (Call, Catalog, Config, Event, Grant, Lease, Problem, Prompt, Request,
                    Resource, Result, Schema, Server, Source, Subscription, Tool, View)
from ._errors import *  # noqa: F403
from ._errors import __all__ as _errors
from ._login import LoginRequest

_Sequence.register(_core.LazySequence)
_rows.install()

__version__ = _core.version()

__all__ = [
    "Host", "Dialog", "Provider", "Turn", "Context", "AsyncContext", "Events",
    "Projection", "Reject", "RpcError", "ToolError", "openai_tools", "anthropic_tools", "sync",
    "Call", "Catalog", "Config", "Event", "Grant", "Lease", "LoginRequest", "Problem",
    "Prompt", "Request", "Resource", "Result", "Schema", "Server", "Source",
    "Subscription", "Tool", "View", "__version__",
]
__all__ += _constants
__all__ += _errors
