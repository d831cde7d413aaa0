"""An editor as tests see it: it opens files in a project of its own, types, and asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types

from segue.plugin.authoring.desk import Desk
from segue.plugin.authoring.places import Encoding, Places
from segue.plugin.server import uris
from segue.session import paths
from segue.session.clock import SystemClock
from segue.session.service import Service
from tests import kit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pytest_lsp import LanguageClient

    from segue.plugin.authoring.opened import Opened

ENCODINGS: dict[int, Encoding] = {}
wire = pytest.mark.asyncio(loop_scope="session")
"""For tests that talk to a real server."""
REVIEW = '''\
"""Reviews a change – in rounds."""
from typing import Literal

from pydantic import BaseModel
from segue import OUTCOME, Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


review = Workflow("review", input=Task, start="inspect", max_steps=20)


@review.agent(output=Verdict, status="looks 🔍 at it")
def inspect(ctx: Context[Task]) -> str:
    """Reads the change."""
    return f"Review the current change for: {ctx.input.task}, visit {ctx.visit}"


@review.agent(status="fixing")
def fix(ctx: Context[Task]) -> str:
    return f"Fix these issues: {ctx.output(inspect).reason}"


@review.compute
def done(ctx: Context[Task]) -> dict[str, str]:
    return {"why": ctx.output(inspect).reason}


review.switch(inspect, on="route", cases={"clean": done, "issues_found": fix})
review.edge(fix, "inspect")
'''
CHILD = """\
from pydantic import BaseModel
from segue import Context, Workflow


class Brief(BaseModel):
    brief: str


class Found(BaseModel):
    good: bool


child = Workflow("child", input=Brief, start="look")


@child.agent(output=Found)
def look(ctx: Context[Brief]) -> str:
    return ctx.input.brief


@child.compute
def well(ctx: Context[Brief]) -> Found:
    return ctx.output(look)


child.edge(look, well)
fine = child.exit("fine", well, output=Found)
"""
PARENT = """\
from child import Brief, child, fine
from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


parent = Workflow("parent", input=Task, start="part")
part = parent.include("part", child, input=lambda ctx: Brief(brief=ctx.input.task))


@parent.compute
def last(ctx: Context[Task]) -> bool:
    return ctx.output(part.exit(fine)).good


parent.edge(part.exit("fine"), last)
"""


def desk_with(
    folder: Path, encoding: Encoding = Encoding.UTF16, **files: str
) -> tuple[Desk, Opened]:
    """Open files without any process; the last one is given."""
    desk = Desk(encoding)
    for name, text in files.items():
        path = workflows(folder) / f"{name}.py"
        desk.take(uris.uri_of(path), path, 1, text)
    opened = desk.get(uris.uri_of(path))
    assert opened is not None
    return desk, opened


def workflows(folder: Path) -> Path:
    made = folder / ".segue" / "workflows"
    made.mkdir(parents=True, exist_ok=True)
    return made


def place(
    text: str,
    word: str,
    *,
    nth: int = 0,
    plus: int = 1,
    encoding: Encoding = Encoding.UTF16,
) -> types.Position:
    """Give the place `plus` characters into the nth occurrence of a word."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(word, at + 1)
    data = text.encode()
    found = Places(data, encoding).place(len(text[: at + plus].encode()))
    return types.Position(*found)


def edits_of(edit: types.WorkspaceEdit | None) -> dict[str, list[Any]]:
    """Give the edits by file, in whichever form they were sent."""
    assert edit is not None
    made: dict[str, list[Any]] = {uri: list(edits) for uri, edits in (edit.changes or {}).items()}
    for change in edit.document_changes or []:
        assert isinstance(change, types.TextDocumentEdit)
        made[change.text_document.uri] = list(change.edits)
    return made


@dataclass
class File:
    """One open file."""

    editor: Any
    """The `Editor`; None for a text that nothing is asked about."""
    uri: str
    path: Path
    text: str
    version: int = 1

    @property
    def encoding(self) -> Encoding:
        return self.editor.encoding if self.editor is not None else Encoding.UTF16

    @property
    def id(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri)

    def at(self, word: str, *, nth: int = 0, plus: int = 1) -> types.Position:
        return place(self.text, word, nth=nth, plus=plus, encoding=self.encoding)

    def type(self, old: str, new: str) -> None:
        """Replace the first occurrence of a text, as an incremental change."""
        start = self.at(old, plus=0)
        end = self.at(old, plus=len(old))
        self.version += 1
        self.text = self.text.replace(old, new, 1)
        change = types.TextDocumentContentChangePartial(range=types.Range(start, end), text=new)
        self.editor.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri), [change]
            )
        )

    def close(self) -> None:
        self.editor.client.text_document_did_close(types.DidCloseTextDocumentParams(self.id))

    def shown(self, where: types.Range) -> str:
        """Give the text of a range."""
        places = Places(self.text.encode(), self.encoding)
        start = places.offset(where.start.line, where.start.character)
        end = places.offset(where.end.line, where.end.character)
        return places.data[start:end].decode()

    def edited(self, edits: Iterable[Any]) -> str:
        """Give the text with edits applied, as an editor would."""
        places = Places(self.text.encode(), self.encoding)
        spans = [
            (
                places.offset(e.range.start.line, e.range.start.character),
                places.offset(e.range.end.line, e.range.end.character),
                e.new_text.encode(),
            )
            for e in edits
        ]
        data = places.data
        for start, end, new in sorted(spans, reverse=True):
            data = data[:start] + new + data[end:]
        return data.decode()


class Editor:
    """A client with one project folder."""

    @property
    def encoding(self) -> Encoding:
        """What was agreed on when the session began."""
        return ENCODINGS[id(self.client)]

    def __init__(self, client: LanguageClient, root: Path, state: Path) -> None:
        self.client = client
        self.root = root
        self.state = state
        folder = types.WorkspaceFolder(uris.uri_of(root), root.name)
        client.workspace_did_change_workspace_folders(
            types.DidChangeWorkspaceFoldersParams(
                types.WorkspaceFoldersChangeEvent(added=[folder], removed=[])
            )
        )

    def save(self, name: str, text: str) -> Path:
        path = workflows(self.root) / f"{name}.py"
        path.write_text(text, "utf-8")
        return path

    def desk(self) -> kit.Desk:
        """Give the project's service, as another process of Segue has it."""
        home = paths.state_home({"SEGUE_STATE_DIR": str(self.state)})
        database = paths.project_state(home, self.root)
        paths.prepare(database.parent, top=home.path)
        return kit.Desk(self.root, Service(self.root, database), SystemClock())

    def open(self, name: str, text: str) -> File:
        path = workflows(self.root) / f"{name}.py"
        uri = uris.uri_of(path)
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return File(self, uri, path, text)
