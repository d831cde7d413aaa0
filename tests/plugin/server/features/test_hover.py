"""What is told of a place: contract, size, edges, last outcome (issue 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types

from segue.plugin.authoring.live import NodeState, RunState
from segue.plugin.authoring.places import Encoding
from segue.plugin.server.features.hover import hover

from .editing import CHILD, PARENT, REVIEW, Editor, desk_with, place, wire


def told(folder: Path, text: str, word: str, run: RunState | None = None, **files: str) -> str:
    _, opened = desk_with(folder, Encoding.UTF16, **files, review=text)
    found = hover(opened, place(text, word), run)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


@wire
async def test_hover_over_the_wire(editor: Editor) -> None:
    """A node is told with the contract that the model will see, its size and its edges."""
    file = editor.open("review", REVIEW)
    found = await editor.client.text_document_hover_async(
        types.HoverParams(file.id, file.at("fix})"))
    )
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.contents.value.startswith("**fix**: agent in `review`, fixing")
    assert "from `inspect` (issues_found)" in found.contents.value
    assert "to `inspect`" in found.contents.value
    assert "about " in found.contents.value
    assert found.range is not None
    assert file.shown(found.range) == "fix"


@wire
async def test_hover_elsewhere_is_nothing(editor: Editor) -> None:
    file = editor.open("review", REVIEW)
    at = file.at("max_steps", plus=3)
    assert await editor.client.text_document_hover_async(types.HoverParams(file.id, at)) is None


def test_the_contract_is_the_one_that_the_model_will_see(tmp_path: Path) -> None:
    """The contract comes from the one function that builds it for every host (T12)."""
    from segue.session.text import GUARD, step_text
    from segue.session.workflow.snapshot import NodeDef

    page = told(tmp_path, REVIEW, "inspect(ctx")
    assert GUARD in page
    schema: dict[str, Any] = {
        "properties": {
            "route": {"enum": ["clean", "issues_found"], "type": "string"},
            "reason": {"type": "string"},
        },
        "required": ["route", "reason"],
        "type": "object",
    }
    said = step_text("review", NodeDef("inspect", "agent", schema=schema), "REQUEST", "")
    assert said.contract in page
    assert said.schema in page


def test_the_last_outcome_is_told(tmp_path: Path) -> None:
    state = NodeState(visits=2, state="ok", said='{"route":"clean"}')
    run = RunState("r1", "completed", nodes={"inspect": state})
    page = told(tmp_path, REVIEW, "inspect(ctx", run)
    assert 'last: ok, visit 2 of run `r1`: `{"route":"clean"}`' in page


def test_a_switched_field_is_told_with_its_values(tmp_path: Path) -> None:
    page = told(tmp_path, REVIEW, '"route", cases')
    assert page == '`route` of `inspect`: one of `"clean"`, `"issues_found"`'


def test_the_workflow_is_told(tmp_path: Path) -> None:
    page = told(tmp_path, REVIEW, '"review", input')
    assert page.startswith("**review**: workflow of 3 steps, starts at `inspect`")
    assert "Reviews a change – in rounds." in page


def test_a_mount_is_told_with_its_exits(tmp_path: Path) -> None:
    page = told(tmp_path, PARENT, "part.exit", child=CHILD)
    assert page.startswith("**part**: mount in `parent`, includes `child`")
    assert "exits: `fine`" in page
    assert "to `last` from exit `fine`" in page
