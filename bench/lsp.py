"""The language server's figures: `python bench/lsp.py`.

Start to the answer of `initialize`, beside the import of pygls alone in turn with it (A B A B);
what it costs at rest with a folder open and a session attached; and how fast requests are
answered while a workflow sleeps at its import, beside how fast without.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil

ROUNDS = 15
REST_SECONDS = 20.0
REQUESTS = 300
STUCK = "import time, pathlib\npathlib.Path({mark!r}).touch()\ntime.sleep(30)\n"


class Client:
    """Frames by hand: the client's own cost is small and the same everywhere."""

    def __init__(self, state: Path, folder: Path | None) -> None:
        env = {**os.environ, "SEGUE_STATE_DIR": str(state)}
        command = [sys.executable, "-m", "segue", "lsp"]
        pipe = subprocess.PIPE
        self.process: Any = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=env)
        self.number = 0
        folders = [] if folder is None else [{"uri": folder.as_uri(), "name": folder.name}]
        params: dict[str, Any] = {"processId": os.getpid(), "rootUri": None, "capabilities": {}}
        self.call("initialize", {**params, "workspaceFolders": folders})

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def call(self, method: str, params: Any) -> Any:
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while True:
            size = 0
            while line := self.process.stdout.readline().strip():
                size = int(line.rpartition(b":")[2])
            message = json.loads(self.process.stdout.read(size))
            if message.get("id") == self.number and "method" not in message:
                return message

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def timed(work: Any) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def start(folder: Path) -> tuple[float, float]:
    """Give the medians of the start and of pygls' import, measured in turn."""
    ours, theirs = [], []
    command = [sys.executable, "-c", "import pygls.lsp.server"]
    for number in range(ROUNDS):
        made: list[Client] = []
        state = folder / f"start-{number}"
        ours.append(timed(lambda made=made, state=state: made.append(Client(state, None))))
        made[0].close()
        theirs.append(timed(lambda: subprocess.run(command, check=True)))
    return median(ours), median(theirs)


def attached(folder: Path) -> tuple[Client, dict[str, Any]]:
    workflows = folder / "project" / ".segue" / "workflows"
    workflows.mkdir(parents=True, exist_ok=True)
    (workflows / "stuck.py").write_text(STUCK.format(mark=str(folder / "asleep")))
    client = Client(folder / "state", folder / "project")
    client.send(method="initialized", params={})
    hello = {"protocol": 1, "host": "bench", "session": "s", "instance": "i", "trusted": True}
    made = client.call("segue/attach", {**hello, "cwd": str(folder / "project")})
    assert "result" in made, made
    return client, {"host": "bench", "id": "s"}


def rest(client: Client) -> tuple[float, float]:
    """Give the share of a core and the memory of a server that nobody asks anything."""
    process = psutil.Process(client.process.pid)
    time.sleep(3)
    before = process.cpu_times()
    begun = time.monotonic()
    time.sleep(REST_SECONDS)
    after = process.cpu_times()
    used = after.user - before.user + after.system - before.system
    return used / (time.monotonic() - begun), process.memory_info().rss / 1e6


def latencies(client: Client, session: dict[str, Any]) -> tuple[float, float]:
    """Give the median and the 95th percentile of the answers to a host's quick requests."""
    taken = [timed(lambda: client.call("segue/complete", {"session": session, "text": "re"}))
             for _ in range(REQUESTS)]  # fmt: skip
    return median(taken), quantiles(taken, n=20)[18]


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        ours, theirs = start(folder)
        ratio = f"{ours / theirs:.2f} times the import of pygls ({theirs:.3f} s)"
        print(f"start to initialize: {ours:.3f} s, {ratio}; at most 1.5")
        client, session = attached(folder)
        core, memory = rest(client)
        print(f"at rest: {core:.2%} of a core, {memory:.0f} MB; under 0.5 % and 90 MB")
        quick, slow = latencies(client, session)
        command = {"session": session, "text": "stuck", "id": "1"}
        client.send(id="stuck", method="segue/command", params=command)
        while not (folder / "asleep").exists():
            client.call("segue/status", {"session": session})
        quick_then, slow_then = latencies(client, session)
        print(f"an answer: median {quick * 1e3:.1f} ms, 95 % within {slow * 1e3:.1f} ms")
        print(
            f"  while a worker sleeps: {quick_then * 1e3:.1f} and {slow_then * 1e3:.1f} ms"
            f" ({quick_then / quick:.2f} and {slow_then / slow:.2f} times)"
        )
        print(f"the end: {timed(client.close):.3f} s with a sleeping worker")


if __name__ == "__main__":
    main()
