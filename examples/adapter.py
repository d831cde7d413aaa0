"""A complete host adapter against `segue lsp`, from docs/PROTOCOL.md alone.

The host is a list of messages, the model a function. In a project that you trust, run
`python examples/adapter.py WORKFLOW TEXT`: each step is printed, and you type the model's answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any


class Host:
    """One conversation: the ids of Segue's messages in it, the turns to be run, what is shown."""

    def __init__(self, session: str, folder: Path, instance: str) -> None:
        command = [sys.executable, "-m", "segue", "lsp"]
        self.server: Any = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.session = {"host": "example", "id": session}
        self.entries: list[str] = []
        self.turns: list[dict[str, Any]] = []
        self.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.send({"method": "initialized", "params": {}})
        hello = {"protocol": 1, "host": "example", "session": session, "instance": instance}
        self.hello = self.call(
            "segue/attach", {**hello, "cwd": str(folder), "trusted": True, "reason": "startup"}
        )
        if self.hello["protocol"] != 1:
            raise SystemExit(f"Segue speaks protocol {self.hello['protocol']}, this adapter 1")
        self.view: dict[str, Any] = self.hello["view"] or {}

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def take(self) -> dict[str, Any]:
        """Read one message of the server; a request is answered at once."""
        size = 0
        while line := self.server.stdout.readline().strip():
            size = int(line.rpartition(b":")[2])
        message: dict[str, Any] = json.loads(self.server.stdout.read(size))
        params = message.get("params", {})
        result: dict[str, Any] = {}
        match message.get("method"):
            case "segue/offer":  # whenever this host listens it is idle
                self.entries.append(params["id"])
                print(f"--- {params['kind']}\n{params['text']}\n")
                self.turns += [params] if params["startsTurn"] else []
                result = {"taken": "seen"}
            case "segue/conversation":
                result = {"entries": self.entries, "queued": [], "idle": True, "full": True}
            case "segue/changed":
                self.view = params["view"]
        if "method" in message and "id" in message:
            self.send({"id": message["id"], "result": result})
        return message

    def call(self, method: str, params: Any) -> Any:
        """Send a request, and do what the server asks until the answer comes."""
        name = uuid.uuid4().hex
        self.send({"id": name, "method": method, "params": params})
        while (message := self.take()).get("id") != name:
            pass
        if "error" in message:
            raise SystemExit(message["error"]["message"])
        return message["result"]

    def say(self, method: str, **params: Any) -> Any:
        return self.call(f"segue/{method}", {"session": self.session, **params})

    def work(self, model: Any) -> None:
        """Let the model work until the run has ended or waits for somebody."""
        while self.turns or self.view.get("status") in (None, "queued", "running"):
            if not self.turns:
                self.take()
                continue
            message = self.turns.pop(0)
            cause = {"session": self.session, "cause": message["id"]}
            self.send({"method": "segue/turnStarted", "params": cause})
            text = model(self, message)
            self.say("turnEnded", outcome="completed", text=text, id=uuid.uuid4().hex)

    def close(self) -> None:
        self.call("shutdown", None)
        self.send({"method": "exit"})
        self.server.wait()
        self.server.stdin.close()
        self.server.stdout.close()


def typed(host: Host, message: dict[str, Any]) -> str:
    """Play the model: what you type is submitted as JSON."""
    arguments = {"action": "submit", "request_id": message["details"]["request"]}
    arguments["output"] = json.loads(input("answer (JSON): "))
    result = host.say("tool", arguments=arguments, id=uuid.uuid4().hex)
    print(result["text"])
    return str(result["text"])


if __name__ == "__main__":
    conversation = Host(uuid.uuid4().hex, Path.cwd(), uuid.uuid4().hex)
    print(conversation.say("command", text=" ".join(sys.argv[1:]), id="1")["text"])
    conversation.work(typed)
    print(f"{conversation.view['status']}: {conversation.view['output']}")
    conversation.close()
