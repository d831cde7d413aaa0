"""A complete host adapter against `segue lsp`: docs/PROTOCOL.md in sixty lines of code.

The host here is a list of messages and a function that plays the model. Run it in a project:
`python examples/adapter.py WORKFLOW TEXT`; the model answers what its schema's first choice says.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import uuid
from typing import Any


class Host:
    """One conversation: `entries` are the ids of Segue's messages in it, `turns` are to be run."""

    def __init__(self, session: str, cwd: str) -> None:
        command = [sys.executable, "-m", "segue", "lsp"]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.session = {"host": "example", "id": session}
        self.entries: list[str] = []
        self.turns: list[dict[str, Any]] = []
        self.view: dict[str, Any] | None = None
        self.ids = itertools.count(1)
        self.call("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}})
        self.send({"method": "initialized", "params": {}})
        hello = {"protocol": 1, "host": "example", "session": session, "cwd": cwd}
        answer = self.call(
            "segue/attach", {**hello, "instance": str(uuid.uuid4()), "trusted": True}
        )
        if answer["protocol"] != 1:
            raise SystemExit(f"this adapter speaks protocol 1, Segue speaks {answer['protocol']}")
        self.view = answer["view"]

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)  # type: ignore[union-attr]  # a pipe
        self.server.stdin.flush()  # type: ignore[union-attr]  # a pipe

    def call(self, method: str, params: Any) -> Any:
        """Send a request and do what the server asks until its answer comes."""
        number = next(self.ids)
        self.send({"id": number, "method": method, "params": params})
        while (message := self.take()).get("id") != number or "method" in message:
            pass
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def say(self, method: str, **params: Any) -> Any:
        return self.call(method, {"session": self.session, **params})

    def tell(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": {"session": self.session, **params}})

    def take(self) -> dict[str, Any]:
        """Read one message; a request is answered at once."""
        size = 0
        while line := self.server.stdout.readline().strip():  # type: ignore[union-attr]  # a pipe
            size = int(line.rpartition(b":")[2])
        message: dict[str, Any] = json.loads(self.server.stdout.read(size))  # type: ignore[union-attr]  # a pipe
        method, params, result = message.get("method"), message.get("params"), None
        if method == "segue/offer":  # this host is idle whenever it listens: T5
            self.entries.append(params["id"])
            if params["startsTurn"]:
                self.turns.append(params)
            result = {"taken": "seen"}
        elif method == "segue/conversation":
            result = {"entries": self.entries, "queued": [], "idle": True, "full": True}
        elif method == "segue/changed":
            self.view = params["view"]
        if method is not None and "id" in message:
            self.send({"id": message["id"], "result": result})
        return message


def run(host: Host, line: str, model: Any) -> dict[str, Any]:
    """Type `/workflow LINE` and let the model work until the run has ended or waits."""
    print(host.say("segue/command", text=line, id=str(uuid.uuid4()))["text"])
    while not (host.view and host.view["status"] in ("completed", "failed", "cancelled")):
        if not host.turns:
            host.take()
            continue
        message = host.turns.pop(0)
        host.tell("segue/turnStarted", cause=message["id"])
        said = model(host, message)
        host.say("segue/turnEnded", outcome="completed", text=said, id=str(uuid.uuid4()))
    return host.view


def example_model(host: Host, message: dict[str, Any]) -> str:
    """Play the model: print the step and submit a route that its prompt names, or nothing."""
    print(f"--- {message['kind']}\n{message['text']}\n")
    output = json.loads(os.environ.get("EXAMPLE_ANSWER", "null"))
    arguments = {"action": "submit", "request_id": message["details"]["request"], "output": output}
    result = host.say("segue/tool", arguments=arguments, id=str(uuid.uuid4()))
    return str(result["text"])


if __name__ == "__main__":
    connected = Host("example-" + uuid.uuid4().hex[:8], str(os.getcwd()))  # noqa: PTH109 - a string
    ended = run(connected, " ".join(sys.argv[1:]), example_model)
    print(f"{ended['workflow']}: {ended['status']} {ended['output'] or ''}")
    connected.call("shutdown", None)
    connected.send({"method": "exit"})
    connected.server.wait()
