# SPDX-License-Identifier: MIT
"""everything.py - each feature of server-everything: rows of features.py."""
import base64
import gzip
import json
import os

from host import text_of
from rows import (
    PNG, accept, all_used, cancel, data, equal, fails, get_task, progress, refuse,
    statuses, subscribed, task, updated, within)

DOCUMENT = "demo://resource/static/document/"
TEMPLATE = "demo://resource/dynamic/{}/{{resourceId}}"
ASKING = {  # tools that exist only for a client that answers requests
    "get-roots-list", "trigger-elicitation-request", "trigger-sampling-request",
    "trigger-url-elicitation"}
# trigger-sampling-request-async and trigger-elicitation-request-async are missing here,
# because they need a client that runs tasks for servers.  libmcphost runs no such tasks.


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
    """Gets an embedded blob, and then a link to a new resource."""
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
    """Opens a page that a request names, and a page that an error of a call names."""
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
    """Runs three tasks at a time: the first ends, the second asks, the third is cancelled."""
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
    """Checks that a client without answers gets no tool that asks, and no message of a
    level below `emergency`, the client's log level."""
    host.turn(0.5)
    tools = set(host.tools())
    assert not tools & ASKING and "echo" in tools, tools
    subscribed(host, DOCUMENT + "features.md")
    host.turn(0.3)
    equal(host.logged(), [])
