# SPDX-License-Identifier: MIT
"""rows.py - helpers for the rows of features.py."""
import base64
import os
import subprocess

import host as h
from host import K, Failed, Reject

PNG = b"\x89PNG\r\n"
TASK = h.words("MCPHOST_TASK_")


def equal(found, wanted):
    assert found == wanted, f"{found!r}, not {wanted!r}"


def within(part, whole):
    assert part in whole, f"no {part!r} in {whole!r}"


def write(directory, name, content):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())


def fails(code, fn, /, *arguments, **named):
    """Runs fn, which must fail with MCPHOST_E_ and the name `code`.  Returns the error."""
    try:
        result = fn(*arguments, **named)
    except Failed as failed:
        assert failed.code == K["MCPHOST_E_" + code], failed
        return failed
    raise AssertionError(f"it did not fail: {result!r}")


class Host(h.Host):
    """A host that records which features of the server were used."""

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
        """Returns the completions of a prompt's argument or a template's variable."""
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
        """Runs fn while `answer` answers requests of the kind.  Returns the value of fn."""
        before = dict(self.answers)
        self.answers[kind] = answer
        try:
            return fn(*arguments, **named)
        finally:
            self.answers = before

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
    """Returns the bytes of an image, a sound or a blob."""
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
    """Starts a call that becomes a task.  Returns the call and the id of the task."""
    call = host.start(tool, **arguments)
    host.until(lambda: host.lib.mcphost_call_get_task_id(call), "it is no task")
    return call, host.lib.mcphost_call_get_task_id(call).decode()


def statuses(host, since):
    """Returns the reported statuses of tasks, without repetitions."""
    told = [TASK[event["state"]] for event in host.of("TASK", since)]
    return [status for i, status in enumerate(told) if not i or told[i - 1] != status]


def get_task(host, number):
    answer = host.do("new_get_task", "web", number)
    return answer.get("status") or answer["task"]["status"]


def subscribed(host, *uris):
    """Returns the subscriptions that the server has confirmed."""
    made = []
    for uri in uris:
        since = len(host.events)
        made.append(host.subscribe(uri))
        host.until(lambda: host.of("SUBSCRIPTION", since), f"{uri} is not subscribed to")
        event = host.of("SUBSCRIPTION", since)[0]
        assert event["state"] == 1 and event["uri"] == uri and not event["failed"], event
    return made


def updated(host, since):
    """Returns how many changes of each resource were reported."""
    counts = {}
    for event in host.of("UPDATED", since):
        assert event["count"] >= 1, event
        counts[event["uri"]] = counts.get(event["uri"], 0) + event["count"]
    return counts


def where(host):
    return ["--url", host.http] if host.http else ["--stdio", " ".join(host.command)]


def ctl(host, *arguments):
    """Runs mcphostctl with the same server and returns its output.  Over stdio the server is a
    new process."""
    done = subprocess.run([host.ctl, *where(host), *arguments], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout
