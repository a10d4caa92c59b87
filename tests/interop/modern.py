# SPDX-License-Identifier: MIT
"""modern.py - each feature of modern.mjs: rows of features.py."""
import json
import subprocess
import tempfile
import threading

from host import text_of
from rows import (
    PNG, accept, all_used, cancel, ctl, data, equal, fails, get_task, progress,
    refuse, statuses, subscribed, task, updated, where, within, write)


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
    """Checks the log messages with the entry's logLevel `warning`."""
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
    """Refuses a request with an error.  The modern era cannot express this error, so the
    library ends the call."""
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
    equal(content["text"], "page 3 of %C3%A0%20la")  # the SDK does not decode the URI
    assert fails("RPC", host.read, "note://none").rpc in (-32002, -32602)


def modern_cache(host):
    """Checks that, in the modern era, a result that may be cached is requested only once.
    The cache serves the process of another dialog over stdio, and another entry with the
    same URL over HTTP."""
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
    """Runs tasks that end, ask, are cancelled or are resumed, and a task whose question
    gets its answer from another dialog."""
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

    # The dialog ends before its task ends.  Another dialog answers the task's question,
    # and gets the result.
    call, number = host.in_dialog("other", lambda: task(host, "work", ms=1000, asks=True))
    fails("CANCELLED", host.end, call)
    host.until(lambda: get_task(host, number) == "input_required", "it does not ask")
    host.do("new_update_task", "web", number,
            {"who": {"action": "accept", "content": {"name": "Bo"}}})
    equal(text_of(host.do("resume_task", "web", number)), "worked for Bo")
    fails("RPC", host.do, "new_get_task", "web", "no-such-task")


def modern_ctl(host):
    """Runs commands of mcphostctl.  Some commands need the host's own server, so these
    commands run only over HTTP."""
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
    try:  # repeat the change until the command has subscribed
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
    """Checks that a tool that asks fails for a client without answers.  The client sets
    no log level.  Therefore the client gets no messages in the modern era, and all
    messages in the legacy era."""
    host.call("log")
    host.turn(0.2)
    if is_modern(host):
        equal(host.logged(), [])
        equal(fails("RPC", host.call, "ask").rpc, -32021)
    else:
        equal(len(host.logged()), 8)
        assert host.call("ask")["isError"]
