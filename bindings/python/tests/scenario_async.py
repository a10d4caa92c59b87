# SPDX-License-Identifier: MIT
"""Runs one scenario over the asyncio interface.

    scenario_async.py SERVER GUARD FILE
"""
from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable
from typing import Any

import mcphost
from scenario_common import (NOTE, PROMPT, REQUESTS, WAIT, Command, ScenarioBase, dump,
                             greeting, tool_definition)


class Scenario(ScenarioBase):
    """A scenario over mcphost.Host."""

    def begin(self) -> None:
        """Makes a host."""
        super().begin()
        self.host = mcphost.Host(guard_path=self.guard,
                                 options={mcphost.Option.ADMIN_TOOLS: 0})
        for kind in REQUESTS:
            self.host.on_request(kind, self.on_request)
        self.host.authorize(self.on_login)

    async def on_request(self, request: mcphost.Request) -> None:
        """Answers a request."""
        self.handle_request(request)

    async def on_login(self, login: mcphost.LoginRequest) -> str | None:
        """Lets the user log in."""
        return self.log_in(login)

    async def read_events(self) -> None:
        """Reads the events."""
        async for event in self.host.events(mcphost.EventKind.UPDATED,
                                            mcphost.EventKind.REQUEST):
            self.on_event(event)

    async def open(self) -> None:
        """Opens the host."""
        self.reader = asyncio.create_task(self.read_events())
        await self.host.open()

    async def close(self) -> None:
        """Closes the host."""
        await self.host.close()
        await self.reader

    async def do_requests(self, c: Command) -> None:
        # Let the reader of events run, because it runs in a later turn of the loop.
        await asyncio.sleep(0.01)
        super().do_requests(c)

    async def do_new_host(self, c: Command) -> None:
        await self.close()
        self.begin()
        await self.open()

    async def run(self) -> None:
        """Runs the commands."""
        await self.open()
        try:
            for c in self.commands():
                value = getattr(self, "do_" + c.words[0].replace("-", "_"))(c)
                if inspect.isawaitable(value):
                    await value
        finally:
            await self.close()

    async def ready(self, what: str) -> None:
        """Waits for the servers."""
        try:
            async with asyncio.timeout(WAIT):
                await self.host.ready()
        except mcphost.Error as error:
            self.say_error(what, error)
        except TimeoutError:
            self.say_timeout()
        else:
            self.say(f"{what}: ready")

    async def wait_for(self, is_over: Callable[[], bool],
                       then: Callable[[], object] | None = None) -> None:
        """Lets the loop run until `is_over` returns true, and runs `then`."""
        try:
            async with asyncio.timeout(WAIT):
                while not is_over():
                    await asyncio.sleep(0.005)
        except TimeoutError:
            self.say_timeout()
        if then is not None:
            then()

    async def do_dialog(self, c: Command) -> None:
        view = self.views[c.words[2]] if c.word(2) else None
        try:
            self.dialogs[c.words[1]] = await self.host.dialog(c.words[1], view=view)
        except mcphost.Error as error:
            self.say_error("dialog", error)

    async def do_end(self, c: Command) -> None:
        call = self.calls.pop(c.words[1])
        what = f"end {c.words[1]}"
        try:
            async with asyncio.timeout(WAIT):
                result = await call
        except mcphost.Error as error:
            self.say_error(what, error)
        except TimeoutError:
            self.say_timeout()
        except asyncio.CancelledError:
            self.say_error(what, call.core_exception())
        else:
            self.say_outcome(what, result)

    def add_features(self, provider: Any) -> None:
        """Adds the features of a provider."""
        tool = mcphost.Feature.TOOL
        provider.add(tool, tool_definition("echo"), lambda c: dump(c.arguments))
        provider.add(tool, tool_definition("fail"), fail)
        provider.add(tool, tool_definition("refuse"), refuse)
        provider.add(tool, tool_definition("later"), later)
        provider.add(tool, tool_definition("steps"), steps)
        provider.add(mcphost.Feature.RESOURCE, NOTE, lambda c: "a note")
        provider.add(mcphost.Feature.PROMPT, PROMPT, lambda c: greeting(c.arguments))


async def refuse(context: mcphost.Context) -> object:
    """Fails with a JSON-RPC error."""
    raise mcphost.RpcError("refused", -32000)


async def fail(context: mcphost.Context) -> object:
    """Fails with a text."""
    raise mcphost.ToolError("failed")


async def later(context: mcphost.Context) -> str:
    """Answers in a later turn."""
    await asyncio.sleep(0.02)
    return "later"


async def steps(context: mcphost.Context) -> str:
    """Reports each step in a turn of its own."""
    for i, text in enumerate(("one", "two", "three"), 1):
        context.report(i, 3, text)
        await asyncio.sleep(0.1)
    return "done"


def main() -> None:
    scenario = Scenario(*sys.argv[1:4])
    try:
        asyncio.run(scenario.run())
    finally:
        scenario.remove()


if __name__ == "__main__":
    main()
