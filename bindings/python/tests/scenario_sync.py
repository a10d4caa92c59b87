# SPDX-License-Identifier: MIT
"""Runs one scenario over the interface without a loop.

    scenario_sync.py SERVER GUARD FILE
"""
from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import mcphost
from mcphost import sync
from scenario_common import (NOTE, PROMPT, REQUESTS, WAIT, Command, ScenarioBase, dump,
                             greeting, tool_definition)


class Scenario(ScenarioBase):
    """A scenario over mcphost.sync."""

    def begin(self) -> None:
        """Makes a host."""
        super().begin()
        self.host = sync.Host(guard_path=self.guard,
                              options={mcphost.Option.ADMIN_TOOLS: 0})
        for kind in REQUESTS:
            self.host.on_request(kind, self.handle_request)
        self.host.authorize(self.log_in)
        self.host.on_event(self.on_event)
        self.host.open()

    def do_new_host(self, c: Command) -> None:
        self.host.close(5)
        self.begin()

    def run(self) -> None:
        """Runs the commands."""
        for c in self.commands():
            getattr(self, "do_" + c.words[0].replace("-", "_"))(c)

    def ready(self, what: str) -> None:
        """Waits for the servers."""
        try:
            self.host.ready(WAIT)
        except mcphost.CallTimeout:
            self.say_timeout()
        except mcphost.Error as error:
            self.say_error(what, error)
        else:
            self.say(f"{what}: ready")

    def wait_for(self, is_over: Callable[[], bool],
                 then: Callable[[], object] | None = None) -> None:
        """Dispatches until `is_over` returns true, and runs `then`."""
        if not self.host.wait_until(is_over, WAIT):
            self.say_timeout()
        if then is not None:
            then()

    def do_dialog(self, c: Command) -> None:
        view = self.views[c.words[2]] if c.word(2) else None
        try:
            self.dialogs[c.words[1]] = self.host.dialog(c.words[1], view=view)
        except mcphost.Error as error:
            self.say_error("dialog", error)

    def do_end(self, c: Command) -> None:
        call = self.calls.pop(c.words[1])
        try:
            result = call.run(int(WAIT * 1000))
        except mcphost.Error as error:
            if not call.done():
                self.say_timeout()
            self.say_error(f"end {c.words[1]}", error)
        else:
            self.say_outcome(f"end {c.words[1]}", result)

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


def refuse(context: mcphost.Context) -> object:
    """Fails with a JSON-RPC error."""
    raise mcphost.RpcError("refused", -32000)


def fail(context: mcphost.Context) -> object:
    """Fails with a text."""
    raise mcphost.ToolError("failed")


def later(context: mcphost.Context) -> object:
    """Answers from another thread."""
    def answer() -> None:
        time.sleep(0.02)
        context.core.answer_text("later")

    threading.Thread(target=answer).start()
    return sync.LATER


def steps(context: mcphost.Context) -> object:
    """Reports each step in a turn of its own."""
    def answer() -> None:
        for i, text in enumerate(("one", "two", "three"), 1):
            context.report(i, 3, text)
            time.sleep(0.1)
        context.core.answer_text("done")

    threading.Thread(target=answer).start()
    return sync.LATER


def main() -> None:
    scenario = Scenario(*sys.argv[1:4])
    try:
        scenario.run()
    finally:
        scenario.host.close(5)
        scenario.remove()


if __name__ == "__main__":
    main()
