"""A real Pi in rpc mode: a line of JSON in, lines of JSON out; every wait is on what it says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FLAGS = (
    "--no-skills",
    "--no-themes",
    "--no-prompt-templates",
    "--no-context-files",
    "--offline",
    "--provider",
    "mock",
    "--model",
    "mock-model",
)
_QUIET = {
    "defaultProvider": "mock",
    "defaultModel": "mock-model",
    "quietStartup": True,
    "enableInstallTelemetry": False,
    "compaction": {"enabled": False},
    "retry": {"enabled": False},
}


def configure(agent: Path, port: int) -> None:
    """Write the agent folder of a Pi that talks to a scripted model and to nobody else."""
    agent.mkdir(parents=True, exist_ok=True)
    model = {
        "id": "mock-model",
        "name": "Mock",
        "reasoning": False,
        "input": ["text"],
        "contextWindow": 128_000,
        "maxTokens": 4096,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }
    provider = {
        "baseUrl": f"http://127.0.0.1:{port}/v1",
        "api": "openai-completions",
        "apiKey": "unused",
        "compat": {"supportsDeveloperRole": False, "supportsReasoningEffort": False},
        "models": [model],
    }
    (agent / "models.json").write_text(json.dumps({"providers": {"mock": provider}}), "utf-8")
    (agent / "settings.json").write_text(json.dumps(_QUIET), "utf-8")


def environment(home: Path) -> dict[str, str]:
    """Give the environment of a Pi in a home of its own."""
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith(("PI_", "SEGUE_", "XDG_"))},
        "HOME": str(home),
        "PI_CODING_AGENT_DIR": str(home / ".pi" / "agent"),
        "PI_OFFLINE": "1",
        "PI_SKIP_VERSION_CHECK": "1",
        "PI_TELEMETRY": "0",
        "SEGUE_STATE_DIR": str(home / "segue-state"),
    }


class Pi:
    """One running Pi."""

    def __init__(self, command: list[str], home: Path, project: Path, *extra: str) -> None:
        self.said: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._ids = 0
        self.errors = (home / "pi-stderr.log").open("ab")
        self.process = subprocess.Popen(
            [*command, "--mode", "rpc", *FLAGS, *extra],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=project,
            env=environment(home),
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self.said.append(json.loads(line))
                self._changed.notify_all()
        with self._changed:
            self.said.append({"type": "_end"})
            self._changed.notify_all()

    def wait(
        self, wanted: Callable[[dict[str, Any]], bool], since: int = 0, seconds: float = 60
    ) -> int:
        """Wait for something that Pi says; give the index after it."""
        found: list[int] = []

        def look() -> bool:
            for at in range(since, len(self.said)):
                if wanted(self.said[at]):
                    found.append(at + 1)
                    return True
            return False

        with self._changed:
            assert self._changed.wait_for(look, seconds), f"Pi said: {self.tail()}"
        return found[0]

    def tail(self) -> str:
        return json.dumps([_short(item) for item in self.said[-15:]])

    def send(self, kind: str, **fields: Any) -> str:
        self._ids += 1
        name = f"r{self._ids}"
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"id": name, "type": kind, **fields}).encode() + b"\n")
        self.process.stdin.flush()
        return name

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a command and give its response."""
        name = self.send(kind, **fields)
        at = self.wait(lambda item: item.get("type") == "response" and item.get("id") == name)
        return self.said[at - 1]

    def prompt(self, text: str) -> int:
        """Send a prompt; give where to look from."""
        since = len(self.said)
        self.send("prompt", message=text)
        return since

    def answer(self, request: dict[str, Any], **fields: Any) -> None:
        """Answer a dialog."""
        assert self.process.stdin is not None
        line = {"type": "extension_ui_response", "id": request["id"], **fields}
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def settled(self, since: int = 0) -> int:
        return self.wait(lambda item: item["type"] == "agent_settled", since)

    def notified(self, text: str, since: int = 0) -> int:
        return self.wait(
            lambda item: item.get("method") == "notify" and text in item.get("message", ""), since
        )

    def session(self) -> str:
        made: str = self.ask("get_state")["data"]["sessionId"]
        return made

    def kill(self) -> None:
        """End it as a crash would: at once, it alone."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._close()

    def close(self) -> int:
        """End it as a person would."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(30)
        self._close()
        return code

    def _close(self) -> None:
        self._reader.join(10)
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        self.process.stdout.close()
        self.errors.close()
        with suppress(OSError):
            self.process.stdin.close()


def _short(item: dict[str, Any]) -> str:
    message = item.get("message")
    if isinstance(message, dict):
        return f"{item['type']}:{message.get('role')}:{str(message.get('content'))[:120]}"
    return json.dumps(item)[:200]
