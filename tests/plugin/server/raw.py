"""`segue lsp` with frames made by hand: what no client library would send."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from tests.plugin.server.client import COMMAND, LONG

if TYPE_CHECKING:
    from pathlib import Path

HELLO: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


def frame(message: Any) -> bytes:
    return body(json.dumps(message).encode())


def body(data: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


class Raw:
    """One process; whatever it does not do in a long time fails the test, by its end."""

    def __init__(self, state: Path, **options: Any) -> None:
        env = {**os.environ, "SEGUE_STATE_DIR": str(state)}
        self.process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, **options
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self._deadline = time.monotonic() + LONG
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()
        self.asked: list[Any] = []
        """Requests and notifications of the server that came while an answer was awaited."""

    def _watch(self) -> None:
        while not self._over.wait(1.0):
            if time.monotonic() > self._deadline:
                self.process.kill()

    def send(self, *messages: Any) -> None:
        for message in messages:
            self.write(frame({"jsonrpc": "2.0", **message}))

    def write(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def read(self) -> Any:
        """Give the next message of the server."""
        self._deadline = time.monotonic() + LONG
        size = 0
        while line := self.stdout.readline().strip():
            name, _, value = line.partition(b":")
            assert name == b"Content-Length", line
            size = int(value)
        assert size, "the server has ended"
        return json.loads(self.stdout.read(size))

    def answer(self, number: Any) -> Any:
        """Give the answer to a request of ours."""
        while True:
            message = self.read()
            if "method" not in message and message.get("id") == number:
                return message
            self.asked.append(message)

    def call(self, number: Any, method: str, params: Any = None) -> Any:
        self.send({"id": number, "method": method, "params": params})
        return self.answer(number)

    def hello(self, **more: Any) -> Raw:
        assert "result" in self.call("hello", "initialize", {**HELLO, **more})
        return self

    def rest(self) -> list[Any]:
        """End the input and give everything that still comes."""
        self.stdin.close()
        made = []
        while line := self.stdout.readline():
            size = int(line.partition(b":")[2])
            self.stdout.readline()
            made.append(json.loads(self.stdout.read(size)))
        return made

    def ends(self) -> int:
        code = self.process.wait(LONG)
        self._over.set()
        return code

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.process.kill()
        self.process.wait()
        self.stdin.close()
        self.stdout.close()


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]
