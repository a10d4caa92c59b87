# SPDX-License-Identifier: MIT
"""The parts that the two runners of scenarios share (doc/scenarios.md)."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import mcphost
from mcphost import _core

WAIT = 20.0


class Command:
    """One line of a scenario."""

    def __init__(self, words: list[str], text: str) -> None:
        self.words = words
        self.text = text

    def word(self, i: int) -> str | None:
        """Returns a word, or None if the command has fewer."""
        return self.words[i] if i < len(self.words) else None


def cut_words(line: str) -> list[str]:
    """Cuts a line into words."""
    words: list[str] = []
    i = 0
    while True:
        while i < len(line) and line[i] == " ":
            i += 1
        if i >= len(line):
            return words
        end = " "
        if line[i] == "'":
            end = "'"
            i += 1
        to = line.find(end, i)
        to = len(line) if to < 0 else to
        words.append(line[i:to])
        i = to + 1


def name_of(which: int, value: int) -> str:
    """Returns the name of a constant."""
    return _core.enum_get_name(which, value) or ""


def value_of(which: int, name: str) -> int:
    """Returns the value of a name."""
    return _core.enum_find_value(which, name)


class ScenarioBase:
    """The state of a scenario, and the commands that need no waiting."""

    def __init__(self, server: str, guard: str, path: str) -> None:
        self.server = server
        self.guard = guard
        self.path = path
        self.dir = tempfile.mkdtemp(prefix="scenario.")
        self.login = "decline"
        self.programs: list[subprocess.Popen[str]] = []
        self.names: dict[str, str] = {self.dir: "@DIR@", server: "@SERVER@"}
        self.yaml = ""
        self.is_whole = False
        self.answers: dict[int, tuple[str, str]] = {}
        self.requests: list[str] = []
        self.begin()

    def begin(self) -> None:
        """Forgets what belongs to a host."""
        self.host: Any = None
        self.dialogs: dict[str, Any] = {}
        self.turns: dict[str, Any] = {}
        self.providers: dict[str, Any] = {}
        self.reports: dict[str, list[str]] = {}
        self.updates: dict[_core.Subscription, int] = {}
        self.views: dict[str, _core.View] = {}
        self.calls: dict[str, _core.Call] = {}
        self.subscriptions: dict[str, _core.Subscription] = {}

    def remove(self) -> None:
        """Ends the programs, and removes the directory."""
        for program in self.programs:
            if program.stdin is not None:
                program.stdin.close()
            program.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    # ---- lines ----

    def with_paths(self, text: str) -> str:
        """Puts the two paths in place of their names."""
        return text.replace("@DIR@", self.dir).replace("@SERVER@", self.server)

    def commands(self) -> Iterator[Command]:
        """Reads the file."""
        with open(self.path, encoding="utf-8") as file:
            lines = iter(file.read().splitlines())
        for line in lines:
            if not line or line.startswith("#"):
                continue
            words, text = cut_words(self.with_paths(line)), ""
            if words[-1] == "<<":
                words.pop()
                for one in lines:
                    if one == ".":
                        break
                    text += one + "\n"
            yield Command(words, self.with_paths(text))

    def say(self, text: str) -> None:
        """Prints a line, with names in place of the paths and addresses."""
        for what, name in self.names.items():
            text = text.replace(what, name)
        print(text)

    def say_error(self, what: str, error: mcphost.Error) -> None:
        """Prints an error."""
        name = name_of(mcphost.Enum.ERROR_CODE, error.code)
        if error.has_message and error.code != mcphost.ErrorCode.TIMEOUT:
            self.say(f"{what}: error {name} {error.message}")
        else:
            self.say(f"{what}: error {name}")

    def die(self, text: str) -> None:
        """Ends the runner."""
        sys.stdout.flush()
        sys.exit(text)

    def say_timeout(self) -> None:
        """Prints that a wait was too long, and ends the runner."""
        self.say("error timeout")
        self.die("a wait took too long")

    # ---- configuration ----

    def write(self, name: str, text: str) -> None:
        """Writes a file in the directory."""
        with open(os.path.join(self.dir, name), "w", encoding="utf-8") as file:
            file.write(text)

    def save(self) -> None:
        """Writes the configuration."""
        os.makedirs(os.path.join(self.dir, ".minds"), exist_ok=True)
        self.write(".minds/mcp.yaml", self.yaml)

    def do_server(self, c: Command) -> None:
        """Declares a server."""
        name = c.words[1]
        self.write(f"{name}.script", c.text)
        self.declare(c, f"    transport: stdio\n    command: \"{self.server}\"\n"
                        f"    args: [\"{self.dir}/{name}.script\"]\n")

    def declare(self, c: Command, keys: str) -> None:
        """Adds the entry of a server with the keys that its kind needs."""
        name = c.words[1]
        if self.is_whole:
            self.yaml = ""
        self.is_whole = False
        if not self.yaml:
            self.yaml = "version: 1\nservers:\n"
        self.yaml += f"  {name}:\n{keys}"
        for key in c.words[2:]:
            self.yaml += f"    {key}\n"
        if not any(key.startswith("transform:") for key in c.words[2:]):
            self.yaml += f"    transform: [{{prefix: \"{name}_\"}}]\n"

    def do_yaml(self, c: Command) -> None:
        """Replaces the configuration."""
        self.yaml = c.text
        self.is_whole = True

    def do_file(self, c: Command) -> None:
        """Writes a file."""
        self.write(c.words[1], c.text)

    def do_forget(self, c: Command) -> None:
        """Forgets the servers."""
        self.yaml = ""

    def do_check(self, c: Command) -> None:
        """Reads the configuration without a host."""
        self.save()
        try:
            config = _core.config_load_workspace(self.dir)
        except mcphost.Error as error:
            self.say_error("check", error)
            return
        for i in range(config.count_diagnostics()):
            severity = name_of(mcphost.Enum.DIAGNOSTIC_SEVERITY,
                               config.diagnostic_get_severity(i))
            self.say(f"{severity} {config.diagnostic_get_line(i)}:"
                     f"{config.diagnostic_get_column(i)} "
                     f"{config.diagnostic_get_message(i)}")
        self.say(f"check: {config.count_servers()} servers")

    # ---- catalogs ----

    def say_tools(self, catalog: _core.Catalog) -> None:
        """Prints the names of the tools."""
        self.say("tools:" + "".join(f" {tool.name}" for tool in catalog.tools))

    def say_offers(self, what: str, catalog: _core.Catalog) -> None:
        """Prints resources, templates or prompts."""
        names: list[str | None]
        if what == "resources":
            names = [one.uri for one in catalog.resources]
        elif what == "templates":
            names = [one.uri_template for one in catalog.resource_templates]
        else:
            names = [one.name for one in catalog.prompts]
        self.say(f"{what}:" + "".join(f" {name}" for name in names))

    def say_tool(self, tool: _core.Tool | None) -> None:
        """Prints a tool."""
        if tool is None:
            self.say("tool: none")
            return
        self.say(f"tool: {tool.server_id or '-'} {tool.toolset} {tool.original_name} "
                 f"{tool.description or '-'}")

    def say_servers(self, status: _core.Status) -> None:
        """Prints the states of the servers."""
        for i in range(status.count_servers()):
            state = name_of(mcphost.Enum.SERVER_STATE, status.server_get_state(i))
            self.say(f"{status.server_get_id(i)} {state}")

    def say_problems(self, problems: list[_core.Problem]) -> None:
        """Prints the problems by id."""
        for one in sorted(problems, key=lambda p: (p.id or "").encode()):
            self.say(f"{name_of(mcphost.Enum.SEVERITY, one.severity)} {one.id}")
        self.say(f"problems: {len(problems)}")

    def say_projection(self, c: Command, catalog: _core.Catalog) -> None:
        """Prints a projection."""
        try:
            projection = mcphost.Projection(
                catalog, value_of(mcphost.Enum.SHAPE, c.words[1]),
                value_of(mcphost.Enum.PROFILE, c.words[2]))
        except mcphost.Error as error:
            self.say_error("projection", error)
            return
        self.say(f"projection: {projection.core.json}")

    # ---- dialogs ----

    def make_view(self, c: Command, core: _core.Host) -> None:
        """Makes a view with a grant."""
        grant = _core.grant_new()
        for words, add in ((c.words[2], grant.add_toolset), (c.words[3], grant.add_tool)):
            for name in words.split(",") if words != "-" else ():
                try:
                    add(name)
                except mcphost.Error as error:
                    self.say_error("grant", error)
        try:
            self.views[c.words[1]] = core.view_new(c.words[1], grant)
        except mcphost.Error as error:
            self.say_error("grant", error)

    def say_lease(self, what: str, dialog: _core.Dialog, server: str) -> None:
        """Prints or releases a lease."""
        try:
            lease = dialog.get_lease(server)
            if what == "release":
                lease.release()
                self.say("release: ok")
            else:
                self.say(f"lease: {name_of(mcphost.Enum.SCOPE, lease.scope)}")
        except mcphost.Error as error:
            self.say_error(what, error)

    def do_answer(self, c: Command) -> None:
        """Sets how requests are answered."""
        kind = value_of(mcphost.Enum.REQUEST_KIND, c.words[1])
        self.answers[kind] = (c.words[2], c.words[3])

    def handle_request(self, request: _core.Request) -> None:
        """Answers a request."""
        kind = name_of(mcphost.Enum.REQUEST_KIND, request.kind)
        self.requests.append(f"{kind} {request.server_id} {request.message or '-'}")
        if request.kind not in self.answers:
            raise mcphost.Reject()
        how, what = self.answers[request.kind]
        if how != "respond":
            raise mcphost.Reject(how=value_of(mcphost.Enum.REJECTION, what))
        try:
            request.respond(what)
        except mcphost.Error as error:
            self.say_error("answer", error)
            raise mcphost.Reject(how=mcphost.Rejection.CANCEL) from None

    def do_requests(self, c: Command) -> Any:
        """Prints the requests."""
        for one in self.requests:
            self.say(one)
        self.requests.clear()

    # ---- logins ----

    def program(self, name: str, *args: str,
                pipe: int | None = None) -> subprocess.Popen[str]:
        """Starts a program that is beside the scripted server."""
        path = os.path.join(os.path.dirname(self.server), name)
        return subprocess.Popen([path, *args], text=True, stdin=pipe, stdout=pipe)

    def do_web(self, c: Command) -> None:
        """Starts a server that wants tokens, and its authorization server."""
        name = c.words[1]
        self.write(f"{name}.script", "auth on\n" + c.text)
        web = self.program("fakehttp", f"{self.dir}/{name}.script",
                           pipe=subprocess.PIPE)
        self.programs.append(web)
        assert web.stdout is not None
        origin, issuer = ("/".join(web.stdout.readline().strip().split("/")[:3])
                          for _ in range(2))
        web.stdout.close()
        self.names |= {origin: f"@{name}@", issuer: f"@{name}.issuer@"}
        self.declare(c, f"    transport: streamable_http\n    url: \"{origin}/mcp\"\n")

    def do_login(self, c: Command) -> None:
        """Sets what the user does with later logins."""
        self.login = c.words[1]

    def log_in(self, login: mcphost.LoginRequest) -> str | None:
        """Does what the user does.  Returns what the user pastes."""
        how = self.login
        self.requests.append(
            f"authorize {login.server_id} {login.flow} {login.issuer} "
            f"{' '.join(login.scopes) or '-'} {login.account or '-'}")
        if how == "paste":
            return subprocess.run(
                [os.path.join(os.path.dirname(self.server), "browser_main"), login.url,
                 "print"], stdout=subprocess.PIPE, text=True, check=True).stdout
        if how in ("browse", "deny"):
            self.programs.append(self.program(
                "browser_main", login.url, "login" if how == "browse" else how))
        elif how in ("approve", "refuse"):
            what = "approve" if how == "approve" else "deny"
            self.programs.append(self.program(
                "browser_main",
                f"{login.verification_uri}/{what}?user_code={login.user_code}"))
        elif how == "decline":
            raise mcphost.Reject
        return None

    def on_login_over(self, event: mcphost.Event) -> None:
        """Notes the end of a login."""
        request = event.request
        if (event.kind == mcphost.EventKind.REQUEST and event.state == 0
                and request is not None
                and request.kind == mcphost.RequestKind.AUTHORIZE):
            self.requests.append(f"over {request.server_id} {event.text}")

    def do_tokens(self, c: Command) -> None:
        """Sets where tokens are kept."""
        try:
            self.host.core.set_token_store(
                value_of(mcphost.Enum.TOKEN_STORE, c.words[1]), c.word(2))
        except mcphost.Error as error:
            self.say_error("tokens", error)

    def do_logins(self, c: Command) -> None:
        """Prints the logins."""
        rows = self.host.core.get_logins().rows
        for line in sorted(
                f"{row.server_id or '-'} {row.issuer} {row.resource} "
                f"{row.account or '-'} {name_of(mcphost.Enum.LOGIN_STATE, row.state)} "
                f"{row.scope}" for row in rows):
            self.say(line)
        self.say(f"logins: {len(rows)}")

    def do_logout(self, c: Command) -> None:
        """Removes the tokens of a server."""
        try:
            self.host.core.log_out(c.words[1])
        except mcphost.Error as error:
            self.say_error("logout", error)
        else:
            self.say("logout: ok")

    def do_why(self, c: Command) -> None:
        """Prints the error of a server."""
        for server in self.host.core.get_status().servers:
            if server.id == c.words[1] and server.error is not None:
                self.say(f"why: error {name_of(mcphost.Enum.ERROR_CODE, server.error.code)} "
                         f"{server.error.message}")
                return
        self.say("why: none")

    # ---- calls ----

    def reporter(self, name: str) -> Any:
        """Returns the function that notes the progress of a call."""
        notes: list[str] = []
        self.reports[name] = notes

        def report(progress: float, total: float | None, message: str | None) -> None:
            of = "nan" if total is None else f"{total:g}"
            notes.append(f"{progress:g}/{of} {'-' if message is None else message}")

        return report

    def say_outcome(self, what: str, result: _core.Result) -> None:
        """Prints the outcome of a call."""
        self.say(f"{what}: {'failed' if result.is_error else 'ok'}")
        for i in range(result.count_items()):
            kind = name_of(mcphost.Enum.CONTENT_KIND, result.item_get_kind(i))
            try:
                text = result.item_get_text(i).encode()
            except mcphost.Error:
                self.say(f"{kind} {result.item_get_mime_type(i) or '-'}")
                continue
            more = "..." if len(text) > 200 else ""
            self.say(f"{kind} {text[:200].decode(errors='replace')}{more}")
        for value in result.values:
            self.say(f"value {value}")

    # ---- commands of the host ----

    def on_event(self, event: _core.Event) -> None:
        """Counts updates, and notes the ends of logins."""
        self.on_login_over(event)
        if event.kind == mcphost.EventKind.UPDATED and event.subscription is not None:
            one = event.subscription
            self.updates[one] = self.updates.get(one, 0) + event.count

    def ready(self, what: str) -> Any:
        """Waits for the servers."""
        raise NotImplementedError

    def wait_for(self, is_over: Callable[[], bool],
                 then: Callable[[], object] | None = None) -> Any:
        """Dispatches until `is_over` returns true, and runs `then`."""
        raise NotImplementedError

    def wait_until(self, c: Command, wanted: bool) -> Any:
        """Waits until the catalog has a tool, or does not have it."""
        return self.wait_for(
            lambda: (self.host.catalog.find_tool(c.words[1]) is not None) == wanted)

    def do_updated(self, c: Command) -> Any:
        one = self.subscriptions[c.words[1]]
        return self.wait_for(lambda: self.updates.get(one, 0) >= int(c.words[2]),
                             lambda: self.say(f"updated: {self.updates[one]}"))

    def do_reported(self, c: Command) -> Any:
        notes, n = self.reports[c.words[1]], int(c.words[2])
        return self.wait_for(lambda: len(notes) >= n,
                             lambda: self.say("\n".join(notes[:n])))

    def add_features(self, provider: Any) -> None:
        """Adds the features of a provider."""
        raise NotImplementedError

    def do_provider(self, c: Command) -> None:
        try:
            provider = self.host.provider(c.words[1])
            self.add_features(provider)
            provider.start()
        except mcphost.Error as error:
            self.say_error("provider", error)
        else:
            self.providers[c.words[1]] = provider

    def do_option(self, c: Command) -> None:
        try:
            self.host.set_option(value_of(mcphost.Enum.OPTION, c.words[1]),
                                 int(c.words[2]))
        except mcphost.Error as error:
            self.say_error("option", error)

    def do_load(self, c: Command) -> Any:
        self.save()
        try:
            self.host.core.load_workspace(self.dir)
        except mcphost.Error as error:
            return self.say_error("load", error)
        else:
            return self.ready("load")

    def do_edit(self, c: Command) -> Any:
        self.save()
        try:
            self.host.core.reload()
        except mcphost.Error as error:
            return self.say_error("edit", error)
        else:
            return self.ready("edit")

    def do_mcpservers(self, c: Command) -> Any:
        try:
            self.host.default_source.mcpservers_follow(self.dir,
                                                       f"{self.dir}/{c.words[1]}")
        except mcphost.Error as error:
            return self.say_error("mcpservers", error)
        else:
            return self.ready("mcpservers")

    def change(self, what: str, server: str) -> Any:
        """Changes a server."""
        try:
            if what == "restart":
                self.host.core.restart_server(server)
            else:
                self.host.core.set_server_enabled(server, what == "enable")
        except mcphost.Error as error:
            return self.say_error(what, error)
        else:
            return self.ready(what)

    def do_enable(self, c: Command) -> Any:
        return self.change("enable", c.words[1])

    def do_disable(self, c: Command) -> Any:
        return self.change("disable", c.words[1])

    def do_restart(self, c: Command) -> Any:
        return self.change("restart", c.words[1])

    def do_tools(self, c: Command) -> None:
        name = c.word(1)
        self.say_tools(self.dialogs[name].catalog if name else self.host.catalog)

    def do_turn_tools(self, c: Command) -> None:
        self.say_tools(self.turns[c.words[1]].catalog)

    def do_tool(self, c: Command) -> None:
        self.say_tool(self.host.catalog.find_tool(c.words[1]))

    def do_until(self, c: Command) -> Any:
        return self.wait_until(c, True)

    def do_until_not(self, c: Command) -> Any:
        return self.wait_until(c, False)

    def do_servers(self, c: Command) -> None:
        self.say_servers(self.host.core.get_status())

    def do_problems(self, c: Command) -> None:
        self.say_problems(list(self.host.problems))

    def do_resources(self, c: Command) -> None:
        self.say_offers("resources", self.host.catalog)

    def do_templates(self, c: Command) -> None:
        self.say_offers("templates", self.host.catalog)

    def do_prompts(self, c: Command) -> None:
        self.say_offers("prompts", self.host.catalog)

    def do_projection(self, c: Command) -> None:
        self.say_projection(c, self.host.catalog)

    def do_close(self, c: Command) -> None:
        try:
            self.dialogs.pop(c.words[1]).close()
        except mcphost.Error as error:
            self.say_error("close", error)
        else:
            self.say("close: ok")

    def do_grant(self, c: Command) -> None:
        self.make_view(c, self.host.core)

    def do_lease(self, c: Command) -> None:
        self.say_lease("lease", self.dialogs[c.words[1]].core, c.words[2])

    def do_release(self, c: Command) -> None:
        self.say_lease("release", self.dialogs[c.words[1]].core, c.words[2])

    def do_turn(self, c: Command) -> None:
        try:
            self.turns[c.words[1]] = self.dialogs[c.words[2]].turn()
        except mcphost.Error as error:
            self.say_error("turn", error)

    def do_end_turn(self, c: Command) -> None:
        try:
            self.turns.pop(c.words[1]).end()
        except mcphost.Error as error:
            self.say_error("end-turn", error)

    def do_subscribe(self, c: Command) -> None:
        try:
            self.subscriptions[c.words[1]] = self.dialogs[c.words[2]].subscribe(
                c.words[3], c.words[4])
        except mcphost.Error as error:
            self.say_error("subscribe", error)

    def do_unsubscribe(self, c: Command) -> None:
        try:
            self.subscriptions.pop(c.words[1]).unsubscribe()
        except mcphost.Error as error:
            self.say_error("unsubscribe", error)

    def start(self, c: Command, made: _core.Call, timeout: str | None = None) -> None:
        """Starts a call."""
        dialog = self.dialogs[c.words[2]]
        self.calls[c.words[1]] = dialog.start(
            made, on_progress=self.reporter(c.words[1]),
            timeout=int(timeout) / 1000 if timeout else None)

    def do_call(self, c: Command) -> None:
        try:
            self.start(c, self.dialogs[c.words[2]].core.call_new(c.words[3], c.word(4)),
                       c.word(5))
        except mcphost.Error as error:
            self.say_error("call", error)

    def do_read(self, c: Command) -> None:
        try:
            self.start(c, self.dialogs[c.words[2]].core.call_new_read(
                c.words[3], c.words[4]))
        except mcphost.Error as error:
            self.say_error("read", error)

    def do_prompt(self, c: Command) -> None:
        try:
            self.start(c, self.dialogs[c.words[2]].core.call_new_prompt(
                c.words[3], c.word(4)))
        except mcphost.Error as error:
            self.say_error("prompt", error)

    def do_complete(self, c: Command) -> None:
        try:
            self.start(c, self.dialogs[c.words[2]].core.call_new_complete_prompt(
                c.words[3], c.words[4], c.words[5]))
        except mcphost.Error as error:
            self.say_error("complete", error)

    def do_cancel(self, c: Command) -> None:
        try:
            self.calls[c.words[1]].cancel()
        except mcphost.Error as error:
            self.say_error("cancel", error)
        else:
            self.say("cancel: ok")

    def do_credential(self, c: Command) -> None:
        self.set_credential(c, self.host.core)

    def do_builtin(self, c: Command) -> None:
        text = c.words[3]

        def answer() -> str:
            return text

        try:
            self.host.default_view.add_builtin(
                c.words[1], c.words[2], None, '{"type":"object"}',
                lambda call, arguments: call.answer(answer(), 0))
        except mcphost.Error as error:
            self.say_error("builtin", error)

    def do_stop_provider(self, c: Command) -> None:
        try:
            self.providers.pop(c.words[1]).close()
        except mcphost.Error as error:
            self.say_error("stop-provider", error)

    # ---- values ----

    def do_schema(self, c: Command) -> None:
        """Validates a value."""
        try:
            schema = _core.schema_new()
            schema.compile(c.words[1])
            _, report = schema.validate(c.words[2])
        except mcphost.Error as error:
            self.say_error("schema", error)
            return
        if report is None or report.count_errors() == 0:
            self.say("schema: valid")
        else:
            self.say(f"schema: invalid {report.get_instance_path(0)} "
                     f"{report.get_keyword(0)}")

    def do_expand(self, c: Command) -> None:
        """Expands a template."""
        try:
            self.say(f"expand: {_core.template_expand(c.words[1], c.words[2])}")
        except mcphost.Error as error:
            self.say_error("expand", error)

    def do_match(self, c: Command) -> None:
        """Matches a URI."""
        try:
            self.say(f"match: {_core.template_match(c.words[1], c.words[2])}")
        except mcphost.NotFoundError:
            self.say("match: none")
        except mcphost.Error as error:
            self.say_error("match", error)

    def set_credential(self, c: Command, core: _core.Host) -> None:
        """Sets a credential."""
        value = None if c.words[3] == "-" else c.words[3]
        try:
            core.set_credential(c.words[1], None, c.words[2], value)
        except mcphost.Error as error:
            self.say_error("credential", error)

    def do_version(self, c: Command) -> None:
        """Compares the versions."""
        same = _core.version_number() == _core.VERSION_NUMBER
        self.say(f"version: {'same' if same else 'other'}")


REQUESTS = (mcphost.RequestKind.FORM, mcphost.RequestKind.URL,
            mcphost.RequestKind.SAMPLING, mcphost.RequestKind.ROOTS)

PROMPT = {"name": "hello", "arguments": [{"name": "name", "required": True}]}
NOTE = {"uri": "mem:note", "name": "note"}


def tool_definition(name: str) -> dict[str, Any]:
    """Returns the definition of a tool without parameters."""
    return {"name": name, "inputSchema": {"type": "object"}}


def greeting(arguments: dict[str, Any]) -> dict[str, Any]:
    """Returns the result of the prompt."""
    text = "hello " + str(arguments.get("name", ""))
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}


def dump(value: object) -> str:
    """Writes JSON without blanks."""
    return json.dumps(value, separators=(",", ":"))
