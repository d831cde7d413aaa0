"""The editor's figures with a 500-node workflow open: `python bench/authoring.py`.

An editor of this file's own types into the middle of it, hovers and completes, against the real
server over its pipe. Beside each figure stands what it is made of: a bare incremental parse of
the same text in this process, measured in turn with it (A B A B).
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from check import generate
from lsp import Client

from segue.session.workflow.source.syntax import parse, reparse
from segue.session.workflow.source.text import Edit, Text

ROUNDS = 40
WARM = 5


class Editor(Client):
    """Types into one file; findings are told to it."""

    def open(self, path: Path, text: str) -> None:
        self.uri, self.text, self.version = path.as_uri(), text, 1
        item = {"uri": self.uri, "languageId": "python", "version": 1, "text": text}
        self.send(method="textDocument/didOpen", params={"textDocument": item})
        self.findings(1)

    def type(self, offset: int, new: str) -> None:
        line = self.text.count("\n", 0, offset)
        column = offset - (self.text.rfind("\n", 0, offset) + 1)
        at = {"line": line, "character": column}
        self.text = self.text[:offset] + new + self.text[offset:]
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        change = {"range": {"start": at, "end": at}, "text": new}
        params = {"textDocument": document, "contentChanges": [change]}
        self.send(method="textDocument/didChange", params=params)

    def findings(self, version: int) -> None:
        """Wait until the findings of a version are told."""
        while True:
            message = self.take()
            params = message.get("params") or {}
            told = message.get("method") == "textDocument/publishDiagnostics"
            if told and params["version"] == version:
                return

    def settle(self) -> None:
        """Let the findings of what was typed come, so that each round begins alike."""
        self.type(0, "#\n")
        self.findings(self.version)

    def take(self) -> Any:
        size = 0
        while line := self.process.stdout.readline().strip():
            size = int(line.rpartition(b":")[2])
        return json.loads(self.process.stdout.read(size))

    def ask(self, method: str, offset: int) -> Any:
        line = self.text.count("\n", 0, offset)
        column = offset - (self.text.rfind("\n", 0, offset) + 1)
        where = {"textDocument": {"uri": self.uri}, "position": {"line": line, "character": column}}
        answer = self.call(f"textDocument/{method}", where)
        assert answer.get("result"), answer
        return answer["result"]


def timed(work: Any, editor: Editor) -> float:
    start = time.perf_counter()
    work(editor)
    return (time.perf_counter() - start) * 1000


def bare(data: bytes) -> Any:
    """Give one bare incremental parse of a keystroke in the middle of a text."""
    at = data.index(b"def n250(")
    old, edit, tree = Text(data), Edit(at, at, b"x"), parse(data)
    new = Text(edit.apply(data))
    return lambda: reparse(tree, old, new, edit)


def type_a_line(editor: Editor) -> None:
    """Put a comment into a step in the middle, and wait until its findings are told."""
    editor.type(editor.text.index("\n", editor.text.index("def n250(")) + 1, "    # x\n")
    editor.findings(editor.version)


def complete(editor: Editor) -> None:
    editor.ask("completion", editor.text.rindex("cases={") + 7)


def type_and_complete(editor: Editor) -> None:
    editor.type(editor.text.index("# x") + 3, "y")
    complete(editor)


def figures(editor: Editor, data: bytes) -> dict[str, list[float]]:
    parsing = bare(data)
    work = {
        "bare incremental parse": lambda _: parsing(),
        "hover": lambda e: e.ask("hover", e.text.index("def n300(") + 5),
        "completion": complete,
        "keystroke to findings": type_a_line,
        "completion right after a keystroke": type_and_complete,
    }
    made: dict[str, list[float]] = {name: [] for name in work}
    for number in range(ROUNDS + WARM):
        for name, each in work.items():
            ms = timed(each, editor)
            if number >= WARM:
                made[name].append(ms)
        editor.settle()
    return made


def show(made: dict[str, list[float]], title: str) -> None:
    base = statistics.median(made["bare incremental parse"])
    print(f"{title}\n{'':38}{'median':>9}{'p95':>9}{'limit':>12}{'parses':>9}")
    limits = {
        "hover": "20 / 50",
        "completion": "20 / 50",
        "completion right after a keystroke": "20 / 50",
        "keystroke to findings": "150",
    }
    for name, times in made.items():
        middle, late = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        ratio = middle / base
        print(f"{name:38}{middle:6.1f} ms{late:6.1f} ms{limits.get(name, ''):>12}{ratio:9.1f}")
    print()


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="segue-bench-") as name:
        folder = Path(name)
        workflows = folder / "project" / ".segue" / "workflows"
        workflows.mkdir(parents=True)
        data = generate()
        path = workflows / "big.py"
        path.write_bytes(data)
        editor = Editor(folder / "state", folder / "project")
        editor.open(path, data.decode())
        show(figures(editor, data), f"{len(data):,} bytes, {os.cpu_count()} cores")
        editor.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
