# SPDX-License-Identifier: MIT
"""batch.py - drives `mcphostctl batch`: matches answers by id, and collects events."""
import json
import subprocess
import threading


class Batch:
    def __init__(self, ctl, *options, env=None):
        self.process = subprocess.Popen(
            [ctl, *options, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, bufsize=1, env=env)
        self.answers, self.events, self.last = {}, [], 0
        self.news = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.news:
                if "event" in message:
                    self.events.append(message)
                else:
                    self.answers[message["id"]] = message
                self.news.notify_all()

    def send(self, op, **members):
        self.last += 1
        self.process.stdin.write(json.dumps({"id": self.last, "op": op, **members}) + "\n")
        self.process.stdin.flush()
        return self.last

    def answer(self, number, seconds=60):
        with self.news:
            assert self.news.wait_for(lambda: number in self.answers, seconds), "no answer"
            return self.answers.pop(number)

    def do(self, op, **members):
        answer = self.answer(self.send(op, **members))
        assert answer["ok"], answer
        return answer["result"]

    def call(self, dialog, tool, **arguments):
        return self.do("call", dialog=dialog, tool=tool, arguments=arguments)

    def pids(self, server):
        return {row["dialog"]: row["pid"] for row in self.do("leases")
                if row["server"] == server}
