#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""features.py - each feature that a server offers is used, over each transport.

server-everything over stdio, streamable HTTP and HTTP+SSE; modern.mjs on the official SDK
over stdio and HTTP, in both eras; skills.mjs, with skills (SEP-2640), over stdio and HTTP.
A table of rows for each; the last row of each lists what the server offers and fails if a
tool, prompt, resource or template, or one of their arguments, was used by no row.

    features.py BUILD-DIRECTORY DIRECTORY-WITH-NODE_MODULES [WORD-OF-A-NAME]
"""
import base64
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

import host as h
from host import K, Failed, Reject, Report, Server, bind, free_port, text_of, web

PNG = b"\x89PNG\r\n"
TASK = h.words("MCPHOST_TASK_")


def equal(found, wanted):
    assert found == wanted, f"{found!r}, not {wanted!r}"


def within(part, whole):
    assert part in whole, f"no {part!r} in {whole!r}"


def fails(code, fn, /, *arguments, **named):
    """The error: it must be this one of MCPHOST_E_."""
    try:
        result = fn(*arguments, **named)
    except Failed as failed:
        assert failed.code == K["MCPHOST_E_" + code], failed
        return failed
    raise AssertionError(f"it did not fail: {result!r}")


class Host(h.Host):
    """A host that knows which of the server's things were used."""

    def __init__(self, *arguments, **named):
        self.used = set()
        super().__init__(*arguments, **named)

    def begin(self, new, *arguments):
        call = super().begin(new, *arguments)
        kind, last = {
            "new": ("tool", 1), "new_prompt": ("prompt", 1), "new_read": ("resource", 2),
            "new_complete_prompt": ("argument", 2), "new_complete_template": ("variable", 3),
        }.get(new, (None, 0))
        first = last > 1 and arguments[0] == "web"
        self.used.add((kind, *arguments[first:last]))
        return call

    def read_template(self, template, /, **values):
        self.used.add(("template", template))
        return self.read(self.expand(template, values))

    def complete(self, name, argument, value, /, **context):
        """What is proposed for a prompt's argument or a template's variable."""
        new, server = (("template", ["web"]) if "{" in name else ("prompt", []))
        return self.do("new_complete_" + new, *server, name, argument, value,
                       context)["completion"]["values"]

    def offered(self):
        found = {("tool", name) for name in self.tools()}
        for prompt in self.rows("prompts"):
            found.add(("prompt", prompt["name"]))
            found.update(("argument", prompt["name"], argument["name"])
                         for argument in prompt.get("arguments", []))
        found.update(("resource", row["uri"]) for row in self.rows("resources"))
        for row in self.rows("resource_templates"):
            found.add(("template", row["uriTemplate"]))
            found.update(("variable", row["uriTemplate"], name)
                         for name in self.variables(row["uriTemplate"]))
        return found

    def answered(self, kind, answer, fn, /, *arguments, **named):
        """What fn returns if requests of the kind are answered by this function."""
        before = self.answers.get(kind)
        self.answers[kind] = answer
        try:
            return fn(*arguments, **named)
        finally:
            self.answers[kind] = before

    def logged(self, since=0):
        return [(event["level"], event["data"]) for event in self.of("LOG", since)
                if event["level"]]


def refuse(word):
    def answer(asked):
        raise Reject(word)
    return answer


def accept(asked):
    return None


def data(item):
    """The bytes of an image, a sound or a blob."""
    return base64.b64decode(item.get("data") or item["blob"], validate=True)


# ---- rows that several servers have -------------------------------------------------

def all_used(host):
    host.until(lambda: not host.offered() - host.used,
               f"used by no row: {sorted(host.offered() - host.used)}", 0.1)


def progress(host, tool, wanted, /, **arguments):
    before = len(host.events)
    text = host.text(tool, **arguments)
    told = [(event["progress"], event["total"], event["text"])
            for event in host.of("PROGRESS", before)]
    equal(told, wanted)
    return text


def cancel(host, tool, /, **arguments):
    call = host.start(tool, **arguments)
    host.turn(0.3)
    host.cancel(call)
    fails("CANCELLED", host.end, call)


def task(host, tool, /, **arguments):
    """A call that its server goes on with as a task, and the task's id."""
    call = host.start(tool, **arguments)
    host.until(lambda: host.lib.mcphost_call_get_task_id(call), "it is no task")
    return call, host.lib.mcphost_call_get_task_id(call).decode()


def statuses(host, since):
    """What was told of tasks: the statuses, each once in a row."""
    told = [TASK[event["state"]] for event in host.of("TASK", since)]
    return [status for i, status in enumerate(told) if not i or told[i - 1] != status]


def get_task(host, number):
    answer = host.do("new_get_task", "web", number)
    return answer.get("status") or answer["task"]["status"]


def subscribed(host, *uris):
    """Subscriptions that the server has confirmed."""
    made = []
    for uri in uris:
        since = len(host.events)
        made.append(host.subscribe(uri))
        host.until(lambda: host.of("SUBSCRIPTION", since), f"{uri} is not subscribed to")
        event = host.of("SUBSCRIPTION", since)[0]
        assert event["state"] == 1 and event["uri"] == uri and not event["failed"], event
    return made


def updated(host, since):
    """How often each resource was said to have changed."""
    counts = {}
    for event in host.of("UPDATED", since):
        assert event["count"] >= 1, event
        counts[event["uri"]] = counts.get(event["uri"], 0) + event["count"]
    return counts


def where(host):
    return ["--url", host.http] if host.http else ["--stdio", " ".join(host.command)]


def ctl(host, *arguments):
    """What mcphostctl prints of the same server; over stdio, of a process of its own."""
    done = subprocess.run([host.ctl, *where(host), *arguments], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout


# ---- server-everything --------------------------------------------------------------

DOCUMENT = "demo://resource/static/document/"
TEMPLATE = "demo://resource/dynamic/{}/{{resourceId}}"
ASKING = {  # tools that are there only for a client that answers requests
    "get-roots-list", "trigger-elicitation-request", "trigger-sampling-request",
    "trigger-url-elicitation"}
# Also tools, for clients that carry out tasks for servers, which libmcphost does not:
# trigger-sampling-request-async, trigger-elicitation-request-async.


def about_everything(host):
    equal(host.version, "2025-11-25")
    equal(host.about("title"), "Everything Reference Server")
    with open(os.path.join(host.files, "instructions.md"), encoding="utf-8") as f:
        equal(host.about("instructions"), f.read())


def annotated(host):
    for kind, text, priority, audience in (
            ("error", "Error: Operation failed", 1, ["user", "assistant"]),
            ("success", "Operation completed successfully", 0.7, ["user"]),
            ("debug", "Debug: Cache hit ratio 0.95, latency 150ms", 0.3, ["assistant"])):
        text_item, image = host.call("get-annotated-message", messageType=kind,
                                     includeImage=True)["content"]
        equal(text_item["text"], text)
        equal(text_item["annotations"], {"priority": priority, "audience": audience})
        assert data(image).startswith(PNG), image


def environment(host):
    equal(json.loads(host.text("get-env"))["INTEROP"], "through")


def links(host):
    intro, *links = host.call("get-resource-links", count=4)["content"]
    equal(intro["text"], "Here are 4 resource links to resources available in this server:")
    equal([link["type"] for link in links], ["resource_link"] * 4)
    for i, link in enumerate(links, 1):
        content, = host.read(link["uri"])
        equal(content["uri"], link["uri"])
        text = content["text"] if i % 2 == 0 else data(content).decode()
        assert text.startswith(f"Resource {i}: This is a "), text


def embedded(host):
    for kind in "Text", "Blob":
        before, item, after = host.call("get-resource-reference", resourceType=kind,
                                        resourceId=3)["content"]
        uri = f"demo://resource/dynamic/{kind.lower()}/3"
        equal((item["type"], item["resource"]["uri"]), ("resource", uri))
        text = item["resource"].get("text") or data(item["resource"]).decode()
        assert text.startswith("Resource 3: This is a "), text
        within(uri, after["text"])


def structured(host):
    result = host.call("get-structured-content", location="Chicago")
    equal(result["structuredContent"],
          {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82})
    equal(json.loads(text_of(result)), result["structuredContent"])
    definition, = (tool for tool in host.rows("tools")
                   if tool["name"] == "get-structured-content")
    equal(sorted(definition["outputSchema"]["required"]),
          ["conditions", "humidity", "temperature"])


def tiny_image(host):
    before, image, after = host.call("get-tiny-image")["content"]
    equal((image["type"], image["mimeType"]), ("image", "image/png"))
    assert data(image).startswith(PNG)


def gzipped(host):
    """An embedded blob; then a link to a resource that was not there."""
    source = "data:text/plain;base64," + base64.b64encode("grüße".encode()).decode()
    call = {"name": "g.gz", "data": source}
    item, = host.call("gzip-file-as-resource", outputType="resource", **call)["content"]
    equal(gzip.decompress(data(item["resource"])).decode(), "grüße")
    equal(item["resource"]["mimeType"], "application/gzip")
    link, = host.call("gzip-file-as-resource", outputType="resourceLink", **call)["content"]
    equal((link["type"], link["uri"]), ("resource_link", "demo://resource/session/g.gz"))
    host.until(lambda: link["uri"] in [row["uri"] for row in host.rows("resources")],
               "no news of a new resource")
    content, = host.read(link["uri"])
    equal(gzip.decompress(data(content)).decode(), "grüße")


def messages(host):
    before = len(host.events)
    within("Started simulated", host.text("toggle-simulated-logging"))
    host.until(lambda: host.logged(before), "no message")
    level, said = host.logged(before)[0]
    assert said.lower().startswith(level), (level, said)
    within("Stopped simulated", host.text("toggle-simulated-logging"))


def subscriptions(host):
    uris = [DOCUMENT + "features.md", "demo://resource/dynamic/text/1"]
    before = len(host.events)
    made = subscribed(host, *uris)
    for uri in uris:
        host.until(lambda: any(uri in said for _, said in host.logged(before)),
                   "no message of the subscription")
    for left in (uris, uris[1:]):
        before = len(host.events)
        within("Started simulated", host.text("toggle-subscriber-updates"))
        host.until(lambda: len(updated(host, before)) == len(left), "no news of a change")
        host.turn(0.2)
        equal(updated(host, before), {uri: 1 for uri in left})
        within("Stopped simulated", host.text("toggle-subscriber-updates"))
        host.unsubscribe(made.pop(0))
        host.until(lambda: any("Unsubscribe" in said for _, said in host.logged(before)),
                   "the server knows of no end")


def long_running(host):
    within("completed", progress(host, "trigger-long-running-operation", [
        (i, 4, None) for i in range(1, 5)], duration=0.4, steps=4))
    cancel(host, "trigger-long-running-operation", duration=60, steps=2)
    equal(host.text("echo", message="on"), "Echo: on")


def roots(host):
    within("1. work\n   URI: file:///srv/work", host.text("get-roots-list"))
    others = [{"uri": "file:///srv/work"}, {"uri": "file:///tmp/x%20y", "name": "other"}]
    host.answers["ROOTS"] = lambda asked: others
    before = len(host.events)
    host.must(host.lib.mcphost_roots_changed(host.host))
    host.until(lambda: ("info", "Roots updated: 2 root(s) received from client")
               in host.logged(before), "the server did not ask again")
    within("2. other\n   URI: file:///tmp/x%20y", host.text("get-roots-list"))


def forms(host):
    tool = "trigger-elicitation-request"
    text = host.text(tool)
    for line in "- Name: Ada", "- Favorite Integer: 42", "- Favorite Number: 3.14":
        within(line, text)
    asked = host.asked[-1]
    equal(asked["message"], "Please provide inputs for the following fields:")
    equal(asked["schema"]["required"], ["name"])
    equal(asked["defaults"]["untitledMultipleSelectEnum"], ["Guitar"])
    given = {"name": "Bo", "check": True, "email": "bo@example.com", "birthdate": "2001-02-03",
             "homepage": "https://example.com", "integer": 7, "number": 0.5,
             "untitledSingleSelectEnum": "Ross", "titledSingleSelectEnum": "hero-3",
             "titledMultipleSelectEnum": ["fish-1", "fish-3"], "legacyTitledEnum": "pet-5",
             "untitledMultipleSelectEnum": ["Drums", "Bass"], "firstLine": "Call me."}
    raw = host.answered("FORM", lambda asked: given, host.text, tool)
    equal(json.loads(raw.split("Raw result: ")[1]), {"action": "accept", "content": given})
    for word, said in ("DECLINE", "declined"), ("CANCEL", "cancelled"):
        within(f"User {said}", host.answered("FORM", refuse(word), host.text, tool))


def pages(host):
    """A page to open: asked for in a request, and by an error that the call begins with."""
    tool, url = "trigger-url-elicitation", "https://example.com/pay?n=1"
    within("User completed", host.answered("URL", accept, host.text, tool, url=url,
                                           message="Pay"))
    equal((host.asked[-1]["url"], host.asked[-1]["message"]), (url, "Pay"))
    within("User declined", host.answered("URL", refuse("DECLINE"), host.text, tool, url=url))
    before = len(host.asked)
    within("User completed", host.answered("URL", accept, host.text, tool, url=url,
                                           errorPath=True))
    equal([asked["url"] for asked in host.asked[before:]],
          ["https://modelcontextprotocol.io", url])


def sampling(host):
    tool, arguments = "trigger-sampling-request", {"prompt": "say hi", "maxTokens": 17}
    said = json.loads(host.text(tool, **arguments).split("result: \n")[1])
    equal((said["content"]["text"], said["model"], said["stopReason"]),
          ("hello there", "parrot", "endTurn"))
    params = host.asked[-1]["params"]
    equal((params["maxTokens"], params["systemPrompt"]), (17, "You are a helpful test server."))
    within("say hi", params["messages"][0]["content"]["text"])
    assert host.answered("SAMPLING", refuse("ERROR"), host.call, tool,
                         **arguments)["isError"]


def research(host):
    """Three tasks at once: to the end, with a question, and cancelled."""
    tool, before = "simulate-research-query", len(host.events)
    plain, number = task(host, tool, topic="cats")
    asking, _ = task(host, tool, topic="python", ambiguous=True)
    stopped, gone = task(host, tool, topic="dogs")
    equal(get_task(host, number), "working")
    assert host.lib.mcphost_call_get_task_ttl(plain) == 300000
    assert host.lib.mcphost_call_get_task_interval(plain) == 1000
    again = host.begin("resume_task", "web", number)
    host.cancel(stopped)
    fails("CANCELLED", host.end, stopped)
    host.until(lambda: get_task(host, gone) == "cancelled", "the task goes on")
    interpret = lambda asked: {"interpretation": asked["schema"]["properties"][
        "interpretation"]["oneOf"][1]["const"]}
    within("# Research Report: python (snake)",
           host.answered("FORM", interpret, lambda: text_of(host.end(asking))))
    for call in plain, again:
        within("# Research Report: cats\n", text_of(host.end(call)))
    equal(get_task(host, number), "completed")
    told = statuses(host, before)
    assert "INPUT_REQUIRED" in told and told[-1] == "COMPLETED", told
    fails("RPC", host.do, "new_get_task", "web", "no-such-task")


def everything_prompts(host):
    said = lambda *arguments, **named: [
        (message["role"], message["content"].get("text") or message["content"]["resource"])
        for message in host.prompt(*arguments, **named)]
    equal(said("simple-prompt"), [("user", "This is a simple prompt without arguments.")])
    equal(said("args-prompt", city="Rome"), [("user", "What's weather in Rome?")])
    equal(said("args-prompt", city="Rome", state="Lazio"),
          [("user", "What's weather in Rome, Lazio?")])
    fails("INVALID", said, "args-prompt", state="Lazio")
    equal(said("completable-prompt", department="Sales", name="Eve"),
          [("user", "Please promote Eve to the head of the Sales team.")])
    for kind in "Text", "Blob":
        (_, text), (role, resource) = said("resource-prompt", resourceType=kind, resourceId="5")
        within(f"the {kind} resource with id: 5", text)
        equal((role, resource["uri"]), ("user", f"demo://resource/dynamic/{kind.lower()}/5"))
        content = resource.get("text") or data(resource).decode()
        assert content.startswith("Resource 5: "), content


def everything_completions(host):
    for name, argument, value, context, wanted in (
            ("args-prompt", "city", "R", {}, []), ("args-prompt", "state", "", {}, []),
            ("completable-prompt", "department", "", {},
             ["Engineering", "Sales", "Marketing", "Support"]),
            ("completable-prompt", "department", "S", {}, ["Sales", "Support"]),
            ("completable-prompt", "name", "", {"department": "Sales"},
             ["David", "Eve", "Frank"]),
            ("completable-prompt", "name", "A", {"department": "Engineering"}, ["Alice"]),
            ("completable-prompt", "name", "", {}, []),
            ("resource-prompt", "resourceType", "", {}, ["Text", "Blob"]),
            ("resource-prompt", "resourceId", "12", {"resourceType": "Text"}, ["12"]),
            (TEMPLATE.format("text"), "resourceId", "12", {}, ["12"]),
            (TEMPLATE.format("blob"), "resourceId", "x", {}, [])):
        equal(host.complete(name, argument, value, **context), wanted)


def everything_resources(host):
    for name in os.listdir(host.files):
        content, = host.read(DOCUMENT + name)
        with open(os.path.join(host.files, name), encoding="utf-8") as f:
            equal(content, {"uri": DOCUMENT + name, "mimeType": "text/markdown",
                            "text": f.read()})
    content, = host.read_template(TEMPLATE.format("text"), resourceId=7)
    assert content["text"].startswith("Resource 7: This is a plaintext resource")
    content, = host.read_template(TEMPLATE.format("blob"), resourceId="8")
    assert data(content).startswith(b"Resource 8: This is a base64 blob")
    for uri in DOCUMENT + "none.md", "demo://resource/dynamic/text/x":
        assert fails("RPC", host.read, uri).rpc in (-32002, -32602, -32603, 0)


EVERYTHING = (
    ("what it says of itself", about_everything),
    ("echo", lambda host: equal(host.text("echo", message="grüße"), "Echo: grüße")),
    ("sum", lambda host: equal(host.text("get-sum", a=40.5, b=2),
                               "The sum of 40.5 and 2 is 42.5.")),
    ("annotations", annotated),
    ("environment", environment),
    ("resource links", links),
    ("embedded resources", embedded),
    ("structured content", structured),
    ("an image", tiny_image),
    ("a new resource", gzipped),
    ("messages", messages),
    ("subscriptions", subscriptions),
    ("progress and cancelling", long_running),
    ("roots", roots),
    ("elicitation of a form", forms),
    ("elicitation of a page", pages),
    ("sampling", sampling),
    ("tasks", research),
    ("prompts", everything_prompts),
    ("completion", everything_completions),
    ("resources and templates", everything_resources),
    ("all that it offers was used", all_used),
)


def everything_unasked(host):
    """A client that answers nothing sees no tool that asks, and hears no low message."""
    host.turn(0.5)
    tools = set(host.tools())
    assert not tools & ASKING and "echo" in tools, tools
    subscribed(host, DOCUMENT + "features.md")
    host.turn(0.3)
    equal(host.logged(), [])


# ---- modern.mjs ---------------------------------------------------------------------

def is_modern(host):
    return host.version >= "2026"


def about_modern(host):
    equal(host.text("era"), "modern" if is_modern(host) else "legacy")
    equal((host.about("title"), host.about("instructions")),
          ("One of each", "Ask for one of each."))


def plain_calls(host):
    equal(host.text("echo", text="grüße"), "grüße")
    result = host.call("fail")
    equal((result["isError"], text_of(result)), (True, "no such luck"))
    fails("NOTFOUND", host.call, "none")
    mirrored = "=?base64?WsO8cmljaA==?=" if host.http and is_modern(host) else None
    text = host.text("mirrored", region="Zürich")
    assert text == mirrored if mirrored else text in ("undefined", "null"), text


def typed(host):
    result = host.call("typed", city="Rome")
    equal(result["structuredContent"], {"city": "Rome", "degrees": 21.5})
    definition, = (tool for tool in host.rows("tools") if tool["name"] == "typed")
    equal((definition["title"], definition["annotations"]),
          ("Typed", {"readOnlyHint": True}))
    equal(definition["outputSchema"]["required"], ["city", "degrees"])


def contents(host):
    text, image, audio, inside, blob, link = host.call("contents")["content"]
    equal(text["annotations"], {"audience": ["user"], "priority": 0.5})
    assert data(image).startswith(PNG) and data(audio).startswith(b"RIFF")
    equal(inside["resource"]["text"], "inside")
    equal(data(blob["resource"]), bytes([0, 1, 2, 253, 254, 255]))
    equal((link["type"], link["uri"]), ("resource_link", "note://fixed"))
    content, = host.read(link["uri"])
    equal(content["text"], "grüße")


def modern_progress(host):
    equal(progress(host, "count", [(i, 5, f"step {i}") for i in range(1, 6)], n=5),
          "counted to 5")


def modern_cancel(host):
    cancel(host, "slow", ms=60000)
    host.until(lambda: host.text("cancelled") == "1", "the server knows of no cancel")
    equal(host.text("slow", ms=1), "awake")


def modern_messages(host):
    """The entry's logLevel is warning."""
    before = len(host.events)
    host.call("log")
    levels = ["warning", "error", "critical", "alert", "emergency"]
    host.until(lambda: len(host.logged(before)) >= 5, "messages are missing")
    equal(host.logged(before), [(level, {"said": level}) for level in levels])


def modern_asks(host):
    before = len(host.asked)
    equal(host.text("ask"), 'accept Ada 33 st\u00e4te "1"')
    equal(host.asked[-1]["defaults"], {"name": "nobody"})
    for word, said in ("DECLINE", "decline"), ("CANCEL", "cancel"):
        within(f"{said} undefined", host.answered("FORM", refuse(word), host.text, "ask"))
    equal(host.answered("URL", accept, host.text, "open"), "accept")
    equal((host.asked[-1]["url"], host.asked[-1]["message"]),
          ("https://example.com/in?a=1", "Sign in"))
    equal(host.answered("URL", refuse("DECLINE"), host.text, "open"), "decline")
    equal(host.text("sample"), "parrot: hello there")
    equal(host.asked[-1]["params"]["maxTokens"], 10)
    equal(host.text("roots"), "work file:///srv/work")
    equal([asked["kind"] for asked in host.asked[before:]],
          ["FORM"] * 3 + ["URL"] * 2 + ["SAMPLING", "ROOTS"])


def modern_rounds(host):
    before = len(host.asked)
    equal(host.text("rounds"), "three rounds")
    equal(sorted(asked["kind"] for asked in host.asked[before:]), ["FORM", "ROOTS", "SAMPLING"])


def modern_refused(host):
    """A refusal that the modern era has no word for ends the call."""
    refused = lambda: host.answered("SAMPLING", refuse("ERROR"), host.call, "sample")
    if is_modern(host):
        fails("DENIED", refused)
    else:
        assert refused()["isError"]
    equal(host.text("echo", text="on"), "on")


def modern_texts_ask(host):
    message, = host.prompt("asking")
    equal((message["role"], message["content"]["text"]), ("assistant", "Dear Ada"))
    content, = host.read("note://asking")
    equal(content["text"], "for Ada")


def modern_prompts(host):
    text, image, resource = host.prompt("letter", language="German", greeting="Moin")
    equal((text["role"], text["content"]["text"]), ("user", "Moin in German"))
    equal(image["role"], "assistant")
    assert data(image["content"]).startswith(PNG)
    equal(resource["content"]["resource"]["text"], "inside")
    fails("INVALID", host.prompt, "letter", greeting="Moin")


def modern_completions(host):
    page = "note://pages/{book}/{page}"
    for name, argument, value, context, wanted in (
            ("letter", "language", "E", {}, ["English", "Esperanto"]),
            ("letter", "greeting", "", {"language": "German"}, ["Hallo", "Moin"]),
            ("letter", "greeting", "M", {"language": "English"}, []),
            (page, "book", "", {}, ["atlas", "novel"]),
            (page, "page", "1", {"book": "atlas"}, ["1", "12"])):
        equal(host.complete(name, argument, value, **context), wanted)


def modern_resources(host):
    content, = host.read("note://fresh")
    equal(data(content), bytes([0, 1, 2, 253, 254, 255]))
    content, = host.read_template("note://pages/{book}/{page}", book="à la", page=3)
    equal(content["text"], "page 3 of %C3%A0%20la")  # the SDK leaves it as it came
    assert fails("RPC", host.read, "note://none").rpc in (-32002, -32602)


def modern_cache(host):
    """What the server allows to be kept is asked for once: by another dialog's process
    over stdio, for another entry with the same URL over HTTP."""
    entry = ({"transport": "streamable_http", "url": host.http} if host.http else
             {"transport": "stdio", "command": host.command[0], "args": host.command[1:]})
    entry["era"] = "modern" if is_modern(host) else "legacy"
    echo = {"op": "call", "tool": "echo", "arguments": {"text": "x"}}
    more = {"op": "enable", "server": "b"} if host.http else {**echo, "dialog": "B"}
    lines = [{"op": "wait"}, {**echo, "dialog": "A"}, {"op": "wait"}, more, {"op": "wait"}]
    with tempfile.TemporaryDirectory() as workspace:
        write(workspace, ".minds/mcp.yaml", json.dumps({"version": 1, "servers": {
            "a": entry, "b": {**entry, "enabled": False}}}))
        done = subprocess.run(
            [host.ctl, "-C", workspace, "-v", "batch"], capture_output=True, text=True,
            timeout=60, input="".join(json.dumps({**line, "id": i}) + "\n"
                                      for i, line in enumerate(lines)))
    equal(done.stdout.count('"ok":true'), len(lines))
    asked = {method: done.stderr.count(f'"method":"{method}"')
             for method in ("initialize", "server/discover", "tools/list")}
    equal(asked, {"initialize": 0, "server/discover": 1, "tools/list": 1} if is_modern(host)
          else {"initialize": 2, "server/discover": 0, "tools/list": 2 if host.http else 1})


def modern_subscriptions(host):
    made = subscribed(host, "note://fixed", "note://fresh")
    since = len(host.events)
    for uri in "note://fixed", "note://fresh", "note://fixed", "note://asking":
        host.call("touch", uri=uri)
    wanted = {"note://fixed": 2, "note://fresh": 1}
    host.until(lambda: updated(host, since) == wanted, "no news of a change")
    host.unsubscribe(made[0])
    host.turn(0.3)
    since = len(host.events)
    for uri in "note://fixed", "note://fresh":
        host.call("touch", uri=uri)
    host.until(lambda: updated(host, since), "no news of a change")
    host.turn(0.2)
    equal(updated(host, since), {"note://fresh": 1})
    host.unsubscribe(made[1])


def modern_changes(host):
    assert "grown" not in host.tools()
    host.call("grow")
    host.until(lambda: "grown" in host.tools(), "no news of a new tool")
    host.until(lambda: "grown" in [row["name"] for row in host.rows("prompts")],
               "no news of a new prompt")
    host.until(lambda: "note://grown" in [row["uri"] for row in host.rows("resources")],
               "no news of a new resource")
    equal(host.text("grown"), "here")
    equal(host.prompt("grown")[0]["content"]["text"], "here")
    equal(host.read("note://grown")[0]["text"], "here")


def modern_tasks(host):
    """To the end, with a question, cancelled, taken up by its id, answered from aside."""
    if not is_modern(host):
        assert "work" not in host.tools()
        return
    before = len(host.events)
    call, number = task(host, "work", ms=1000)
    equal(get_task(host, number), "working")
    assert host.lib.mcphost_call_get_task_ttl(call) == 60000
    assert host.lib.mcphost_call_get_task_interval(call) == 50
    again = host.begin("resume_task", "web", number)
    for each in call, again:
        equal(text_of(host.end(each)), "worked")
    equal(statuses(host, before), ["WORKING", "COMPLETED"])
    equal(text_of(host.call("work", ms=50, asks=True)), "worked for Ada")

    call, number = task(host, "work", ms=60000)
    host.cancel(call)
    fails("CANCELLED", host.end, call)
    host.until(lambda: host.text("task", id=number) == "cancelled", "the task goes on")
    call, number = task(host, "work", ms=60000)
    host.do("new_cancel_task", "web", number)
    fails("CANCELLED", host.end, call)

    # Its dialog leaves it alone; another one answers, and gets the result.
    call, number = host.in_dialog("other", lambda: task(host, "work", ms=1000, asks=True))
    fails("CANCELLED", host.end, call)
    host.until(lambda: get_task(host, number) == "input_required", "it does not ask")
    host.do("new_update_task", "web", number,
            {"who": {"action": "accept", "content": {"name": "Bo"}}})
    equal(text_of(host.do("resume_task", "web", number)), "worked for Bo")
    fails("RPC", host.do, "new_get_task", "web", "no-such-task")


def modern_ctl(host):
    """A user's commands; those that need this very process over HTTP alone."""
    equal(ctl(host, "read", "note://fixed"), "grüße\n")
    if not host.http:
        return
    if is_modern(host):
        call, number = task(host, "work", ms=3000)
        within("working", ctl(host, "task", number))
        equal(ctl(host, "task", "wait", number), "worked\n")
        host.end(call)
    process = subprocess.Popen([host.ctl, *where(host), "--json", "subscribe", "note://fixed"],
                               stdout=subprocess.PIPE, text=True)
    lines, reader = [], threading.Thread(target=lambda: lines.append(process.stdout.readline()))
    reader.start()
    try:  # until it has subscribed, nobody hears
        for _ in range(100):
            host.call("touch", uri="note://fixed")
            reader.join(0.1)
            if lines:
                break
    finally:
        process.terminate()
    reader.join()
    process.wait(20)
    told = json.loads(lines[0])
    equal((told["server"], told["uri"]), ("url", "note://fixed"))
    assert told["count"] >= 1, told


MODERN = (
    ("what it says of itself", about_modern),
    ("calls", plain_calls),
    ("structured content", typed),
    ("all kinds of content", contents),
    ("progress", modern_progress),
    ("cancelling", modern_cancel),
    ("messages from a level on", modern_messages),
    ("elicitation, sampling, roots", modern_asks),
    ("several rounds of questions", modern_rounds),
    ("a refusal", modern_refused),
    ("a prompt and a resource that ask", modern_texts_ask),
    ("prompts", modern_prompts),
    ("completion", modern_completions),
    ("resources and templates", modern_resources),
    ("cache hints", modern_cache),
    ("subscriptions", modern_subscriptions),
    ("changed lists", modern_changes),
    ("tasks", modern_tasks),
    ("mcphostctl", modern_ctl),
    ("all that it offers was used", all_used),
)


def modern_unasked(host):
    """A client that answers nothing: refused by the server, and told nothing."""
    host.call("log")
    host.turn(0.2)
    if is_modern(host):
        equal(host.logged(), [])
        equal(fails("RPC", host.call, "ask").rpc, -32021)
    else:
        equal(len(host.logged()), 8)
        assert host.call("ask")["isError"]


# ---- skills.mjs ---------------------------------------------------------------------

FILES = {
    "forms/SKILL.md": "---\nname: forms\ndescription: Fills in forms.\n---\n# Forms\n",
    "forms/scripts/fill.py": "print('grüße')\n",
    "forms/scripts/deep/er/x.txt": "x\n",
    "forms/logo.bin": bytes(range(256)),
    "letters/SKILL.md": "---\nname: letters\ndescription: Writes letters.\n---\nDear\n",
    "maps/SKILL.md": "---\nname: maps\ndescription: Reads maps.\n---\nNorth\n",
}
BASE = "skill://acme/"


def write(directory, name, content):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())


def named(host):
    return {skill["frontmatter"]["name"]: skill for skill in host.skills()}


def read_skill(host, entry, file):
    content, = host.do("new_read_skill", "web", entry, file)["contents"]
    return content["text"].encode() if "text" in content else data(content)


def skills_listed(host):
    """Over pages of two: with the length and digest of each file."""
    equal(sorted(named(host)), ["forms", "letters", "maps"])
    for name, skill in named(host).items():
        equal(skill["uri"], f"{BASE}{name}/SKILL.md")
        files = {BASE + file: content if isinstance(content, bytes) else content.encode()
                 for file, content in FILES.items() if file.startswith(name + "/")}
        equal({file["uri"]: (file["digest"], file["size"]) for file in skill["resources"]},
              {uri: ("sha256:" + hashlib.sha256(content).hexdigest(), len(content))
               for uri, content in files.items()})


def skills_files(host):
    for file, content in FILES.items():
        name, path = file.split("/", 1)
        wanted = content if isinstance(content, bytes) else content.encode()
        equal(read_skill(host, named(host)[name], path), wanted)
        equal(read_skill(host, named(host)[name], BASE + file), wanted)
    forms = named(host)["forms"]
    equal(read_skill(host, forms, None).decode(), FILES["forms/SKILL.md"])
    fails("NOTFOUND", read_skill, host, forms, "none")
    for row in host.rows("resources"):
        within("---\nname: ", host.read(row["uri"])[0]["text"])
    template, = (row["uriTemplate"] for row in host.rows("resource_templates"))
    content, = host.read_template(template, path="forms/scripts/fill.py")
    equal(content["text"], FILES["forms/scripts/fill.py"])
    fails("NOTFOUND", host.complete, template, "path", "")


def skills_got(host):
    for name, skill in named(host).items():
        equal(host.do("new_get_skill", "web", skill["uri"])["skill"], skill)
    fails("RPC", host.do, "new_get_skill", "web", BASE + "none/SKILL.md")


def entries(host, uri):
    """What is in a directory, of all pages; and how many these are."""
    cursor, pages, found = None, 0, {}
    while pages == 0 or cursor:
        page = host.do("new_read_directory", "web", uri, cursor)
        found.update((row["uri"], row.get("mimeType")) for row in page["resources"])
        cursor, pages = page.get("nextCursor"), pages + 1
    return found, pages


def skills_directories(host):
    found, pages = entries(host, BASE + "forms")
    assert pages == 2, pages
    equal(set(found), {BASE + "forms/" + name for name in ("SKILL.md", "scripts", "logo.bin")})
    equal(found[BASE + "forms/scripts"], "inode/directory")
    equal(set(entries(host, BASE + "forms/scripts")[0]),
          {BASE + "forms/scripts/" + name for name in ("fill.py", "deep")})
    fails("RPC", entries, host, BASE + "none")


def skills_reloaded(host):
    """A skill that was changed is no longer what its old entry says."""
    old = named(host)["maps"]
    write(host.files, "maps/SKILL.md", FILES["maps/SKILL.md"].replace("Reads", "Draws"))
    write(host.files, "signs/SKILL.md", "---\nname: signs\ndescription: Reads signs.\n---\n")
    equal(json.loads(host.text("reload")), {
        "added": [BASE + "signs/SKILL.md"], "changed": [BASE + "maps/SKILL.md"], "removed": []})
    host.until(lambda: named(host).get("maps", old) != old and "signs" in named(host),
               "no news of the change")
    fails("PROTOCOL", read_skill, host, old, None)
    within(b"Draws maps.", read_skill(host, named(host)["maps"], None))
    host.read(BASE + "signs/SKILL.md")


def skills_by_ctl(host):
    """As a user looks at them."""
    rows = json.loads(ctl(host, "skills", "list", "--json"))
    within(("forms", BASE + "forms/SKILL.md", "Fills in forms."),
           [(row["name"], row["uri"], row["description"]) for row in rows])
    within("# Forms\n", ctl(host, "skills", "show", "forms"))


SKILLS = (
    ("skills/list over pages", skills_listed),
    ("files of skills, checked", skills_files),
    ("skills/get", skills_got),
    ("directories", skills_directories),
    ("mcphostctl skills", skills_by_ctl),
    ("skills that change", skills_reloaded),
    ("all that it offers was used", all_used),
)


def made_up(host):
    equal(sorted(named(host)), ["changing", "first", "second"])
    equal(read_skill(host, named(host)["second"], "notes/more.md"), b"More of second.\n")
    hidden = host.do("new_get_skill", "web", "skill://hidden/SKILL.md")
    equal(read_skill(host, hidden, "notes/more.md"), b"More of hidden.\n")
    equal(read_skill(host, hidden["skill"], None)[:20], b"---\nname: hidden\ndes")


def without_digests(host):
    changing = named(host)["changing"]
    equal(changing["resources"], "dynamic")
    within(b"name: changing", read_skill(host, changing, None))
    for times in 1, 2:
        equal(read_skill(host, changing, "state.md"), f"Read {times} times.\n".encode())


def no_directories(host):
    fails("NOTFOUND", host.do, "new_read_directory", "web", "skill://first", None)


MADE_UP = (
    ("skills of pages, and one that is not listed", made_up),
    ("a skill without digests", without_digests),
    ("directories that are not offered", no_directories),
)


# ---- all of it ----------------------------------------------------------------------

class Try:
    """One server over one transport: rows for one host, in their order."""

    def __init__(self, report, name, rows, **keys):
        self.report, self.name, self.rows, self.keys = report, name, rows, keys

    def host(self, lib, entry, sse, requests=h.REQUESTS, level=None):
        """Over HTTP+SSE the level is the host's, otherwise the entry's."""
        options = {"MESSAGES": K["MCPHOST_MESSAGES_" + level.upper()]} if sse and level else {}
        if level and not sse:
            entry = {**entry, "logLevel": level}
        return Host(lib, entry, sse, requests, **options)

    def run(self, lib, entry, sse=None, level=None, unasked=None, **attributes):
        hosts = []

        def begin():
            hosts.append(self.host(lib, entry, sse, level=level))
            vars(hosts[0]).update(attributes)

        def alone(fn, at):
            host = self.host(lib, entry, sse, (), at)
            try:
                fn(host)
            finally:
                host.close()

        if self.report.run(f"{self.name}: it comes up", begin):
            for name, fn in self.rows:
                self.report.run(f"{self.name}: {name}", fn, hosts[0])
            self.report.run(f"{self.name}: a clean end", hosts[0].close)
        if unasked:
            self.report.run(f"{self.name}: a client that answers nothing", alone, *unasked)


def package():
    return os.path.join(os.getcwd(), "node_modules", "@modelcontextprotocol",
                        "server-everything", "dist")


def everything_at(port, transport):
    """Not through npx, which would not end its server with itself."""
    return Server(["node", os.path.join(package(), "index.js"), transport], port,
                  PORT=str(port), INTEROP="through")


def everything(report, lib, out, transport):
    common = {"level": "debug", "unasked": (everything_unasked, "emergency"),
              "files": os.path.join(package(), "docs")}
    a_try = Try(report, f"server-everything, {transport}", EVERYTHING)
    if transport == "stdio":
        a_try.run(lib, {"transport": "stdio", "command": "node",
                        "args": [os.path.join(package(), "index.js")],
                        "env": {"INTEROP": "through"}}, **common)
        return
    server = everything_at(free_port(), transport)
    try:
        a_try.run(lib, web(server.url), server.url.replace("/mcp", "/sse")
                  if transport == "sse" else None, **common)
    finally:
        server.stop()


def ours(report, lib, out, script, rows, name, how, era, *arguments, **attributes):
    """One of the servers here, over stdio or, as serve.mjs has it, HTTP."""
    command = ["node", os.path.join(os.getcwd(), script), how, *arguments]
    attributes.update(command=command, ctl=os.path.join(out, "bin", "mcphostctl"))
    keys = {"era": era, "truely-stateless": True}  # one process for all dialogs
    a_try = Try(report, f"{name}, {'stdio' if how == 'stdio' else 'HTTP'}, {era}", rows)
    if how == "stdio":
        a_try.run(lib, {"transport": "stdio", "command": command[0], "args": command[1:],
                        **keys}, http=None, **attributes)
        return
    server = Server(command)
    try:
        a_try.run(lib, web(server.url, **keys), http=server.url, **attributes)
    finally:
        server.stop()


def modern(report, lib, out, how, era):
    ours(report, lib, out, "modern.mjs", MODERN, "the SDK's server", how, era, level="warning",
         unasked=(modern_unasked, None))


def skills(report, lib, out, how, era):
    with tempfile.TemporaryDirectory() as directory:
        for name, content in FILES.items():
            write(directory, name, content)
        ours(report, lib, out, "skills.mjs", SKILLS, "skills", how, era, directory,
             files=directory)
    ours(report, lib, out, "skills.mjs", MADE_UP, "skills made up", how, era)


def readme(report, lib, out):
    """The commands that README.md shows with server-everything, as a reader types them; npx
    finds the pinned one in this directory, and the port is a free one."""
    with open(os.path.join(h.TOP, "README.md"), encoding="utf-8") as f:
        lines = re.findall(r"^    \$ (mcphostctl (?:--stdio 'npx|--url).*)$", f.read(), re.M)
    assert len(lines) >= 6, lines
    port = free_port()
    server = everything_at(port, "streamableHttp")
    path = os.path.join(out, "bin") + os.pathsep + os.environ["PATH"]

    def as_shown(line):
        done = subprocess.run(line.replace("localhost:3001", f"localhost:{port}"), shell=True,
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": path})
        assert done.returncode == 0 and done.stdout, (done.returncode, done.stderr)
    try:
        for line in lines:
            report.run(f"README: {line}", as_shown, line)
    finally:
        server.stop()


def guarded(fn, report, *arguments):
    try:
        fn(report, *arguments)
    except Exception as error:  # a thread's own end says nothing
        report.tell(" ".join((fn.__name__, *map(str, arguments[2:]))), repr(error))


def main():
    out, work = map(os.path.abspath, sys.argv[1:3])
    lib = bind(out)
    os.chdir(work)
    report = Report()
    tries = [(everything, transport) for transport in ("stdio", "streamableHttp", "sse")]
    tries.append((readme,))
    for each in modern, skills:
        tries += [(each, how, era) for era, http in (("modern", "modern"), ("legacy", "either"))
                  for how in ("stdio", http)]
    threads = [threading.Thread(target=guarded, args=(fn, report, lib, out, *arguments))
               for fn, *arguments in tries
               if len(sys.argv) < 4 or sys.argv[3] in " ".join((fn.__name__, *arguments))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report.end()


main()
