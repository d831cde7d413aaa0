"""A scripted model on loopback that speaks the OpenAI chat-completions stream.

A test gives it a function from the conversation to what the model does next, and reads back
every request that arrived: that is what the model has really seen.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

REQUEST = re.compile(r"request (req_[a-z0-9]+)")
STEP = re.compile(r"Workflow ([\w-]+), step ([\w/-]+), request (req_[a-z0-9]+)")


@dataclass(frozen=True)
class Say:
    """The model says something and ends its turn."""

    text: str
    tokens: int = 2


@dataclass(frozen=True)
class Use:
    """The model calls a tool, the workflow tool if no other is named."""

    arguments: dict[str, Any]
    tool: str = "workflow"


@dataclass(frozen=True)
class Break:
    """The provider answers with an error."""

    status: int = 500


@dataclass(frozen=True)
class Hang:
    """The model thinks until the test lets it go on (or the host gives up)."""

    until: threading.Event
    then: Say | Use = Say("done")


Move = Say | Use | Break | Hang


@dataclass
class Seen:
    """One request as it arrived."""

    messages: list[dict[str, Any]]
    tools: list[str] = field(default_factory=list)

    def texts(self, role: str) -> list[str]:
        return [text_of(m) for m in self.messages if m["role"] == role]

    @property
    def last(self) -> dict[str, Any]:
        return self.messages[-1]


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(p.get("text", "") for p in parts if isinstance(p, dict))


def open_step(seen: Seen) -> tuple[str, str] | None:
    """Give node and request id of the last step that the conversation names."""
    for message in reversed(seen.messages):
        if message["role"] == "user" and (found := STEP.search(text_of(message))):
            return found[2], found[3]
    return None


def submit(seen: Seen, output: Any) -> Use:
    """Answer the open step."""
    step = open_step(seen)
    assert step is not None, "no step was said"
    return Use({"action": "submit", "request_id": step[1], "output": output})


class Provider:
    """The server. `script` decides each reply; `seen` is every request, in order."""

    def __init__(self, script: Callable[[Seen], Move]) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.changed = threading.Condition()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                body = json.dumps({"object": "list", "data": [{"id": "mock-model"}]}).encode()
                self._head(200, "application/json", len(body))
                self.wfile.write(body)

            def do_POST(self) -> None:
                data = json.loads(self.rfile.read(int(self.headers["content-length"])))
                provider.reply(self, data)

            def _head(self, status: int, kind: str, length: int | None = None) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                if length is not None:
                    self.send_header("content-length", str(length))
                else:
                    self.send_header("connection", "close")
                    self.close_connection = True
                self.end_headers()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, handler: Any, data: dict[str, Any]) -> None:
        seen = Seen(data["messages"], [t["function"]["name"] for t in data.get("tools", [])])
        with self.changed:
            self.seen.append(seen)
            number = len(self.seen)
            self.changed.notify_all()
        move = self.script(seen)
        if isinstance(move, Hang):
            move.until.wait(60)
            move = move.then
        if isinstance(move, Break):
            body = b'{"error": {"message": "scripted provider error"}}'
            handler._head(move.status, "application/json", len(body))
            handler.wfile.write(body)
            return
        handler._head(200, "text/event-stream")
        try:
            for chunk in _chunks(number, move):
                handler.wfile.write(f"data: {chunk}\n\n".encode())
            handler.wfile.flush()
        except OSError:
            pass  # the host hung up: an abort

    def wait(self, count: int, seconds: float = 60) -> None:
        """Wait until so many requests have arrived."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.seen) >= count, seconds), (
                f"{len(self.seen)} of {count} requests came"
            )

    def steps(self) -> list[tuple[str, str]]:
        """Give node and request of every different step that was said, in order."""
        made: list[tuple[str, str]] = []
        for seen in self.seen:
            for text in seen.texts("user"):
                for found in STEP.finditer(text):
                    if (found[2], found[3]) not in made:
                        made.append((found[2], found[3]))
        return made


def _chunks(number: int, move: Say | Use) -> list[str]:
    base = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 0, "model": "mock"}

    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return json.dumps({**base, "choices": [choice], **more})

    total = move.tokens if isinstance(move, Say) else 2
    used = {"prompt_tokens": total - 1, "completion_tokens": 1, "total_tokens": total}
    usage = {"usage": used}
    if isinstance(move, Use):
        call = {
            "index": 0,
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": move.tool, "arguments": json.dumps(move.arguments)},
        }
        first = chunk({"role": "assistant", "tool_calls": [call]})
        return [first, chunk({}, "tool_calls", **usage), "[DONE]"]
    return [
        chunk({"role": "assistant", "content": move.text}),
        chunk({}, "stop", **usage),
        "[DONE]",
    ]
