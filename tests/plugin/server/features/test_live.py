"""Runs beside the text: lenses and hints from the project's state, if there is any (issue 5)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types

from segue.plugin.authoring.live import NodeState, RunState
from segue.plugin.server.features.code_lens import code_lenses
from segue.plugin.server.features.inlay_hint import inlay_hints
from segue.plugin.server.registry import COMMANDS
from tests import kit

from .editing import REVIEW, Editor, File, desk_with, wire

WHOLE = types.Range(types.Position(0, 0), types.Position(999, 0))
AT_FIX = RunState(
    "r1",
    "running",
    nodes={"inspect": NodeState(2, "ok"), "fix": NodeState(1, "running", at=True)},
)


def titles(lenses: list[types.CodeLens] | None) -> list[str]:
    return [lens.command.title for lens in lenses or [] if lens.command is not None]


async def lenses(file: File) -> list[str]:
    params = types.CodeLensParams(file.id)
    return titles(list(await file.editor.client.text_document_code_lens_async(params) or []))


@wire
async def test_lenses_follow_a_run_of_another_process(editor: Editor) -> None:
    """Without state there is none; a run that somebody starts shows up, node by node."""
    editor.save("review", REVIEW)
    file = editor.open("review", REVIEW)
    assert not [each for each in await lenses(file) if "run:" in each]
    desk = editor.desk()
    try:
        runner = desk.start("review", {"task": "x"})
        kit.drive(runner, {"inspect": [{"route": "issues_found", "reason": "a"}]})
        shown: list[str] = []
        while not {"ok", "▶ asked"} <= set(shown):
            shown = await lenses(file)
            await asyncio.sleep(0.01)
        assert "last run: running" in shown
        assert shown.index("last run: running") < shown.index("ok")
        params = types.InlayHintParams(file.id, WHOLE)
        hints = await editor.client.text_document_inlay_hint_async(params)
        assert [(h.position.line, h.label) for h in hints or []] == [
            (file.at("def inspect").line, "ok"),
            (file.at("def fix").line, "▶ asked"),
        ]
    finally:
        desk.close()


def test_lenses_name_only_commands_that_exist(tmp_path: Path) -> None:
    _, opened = desk_with(tmp_path, review=REVIEW)
    for lens in code_lenses(opened, "file:///f", AT_FIX, COMMANDS.keys()):
        assert lens.command is not None
        assert lens.command.command in COMMANDS


def test_a_rehearsal_is_offered_where_the_client_has_a_terminal(tmp_path: Path) -> None:
    _, opened = desk_with(tmp_path, review=REVIEW)
    assert "Rehearse" not in titles(code_lenses(opened, None, None, COMMANDS.keys()))
    more = {*COMMANDS, "segue.rehearse"}
    assert titles(code_lenses(opened, None, None, more)) == [
        *["Run in session...", "Rehearse", "Graph"]
    ]


def test_a_workflow_and_each_node_that_ran_has_a_lens(tmp_path: Path) -> None:
    _, opened = desk_with(tmp_path, review=REVIEW)
    found = code_lenses(opened, "file:///f", AT_FIX, COMMANDS.keys())
    lines = {lens.command.title: lens.range.start.line for lens in found if lens.command}
    decorators = [n for n, line in enumerate(REVIEW.splitlines()) if line.startswith("@review")]
    assert lines["last run: running"] < decorators[0]
    assert lines["ok, visit 2"] == decorators[0]
    assert lines["▶ running"] == decorators[1]
    assert found[-1].command is not None
    assert found[-1].command.arguments == [{"folder": "file:///f", "run": "r1"}]


def test_hints_are_only_for_a_live_run(tmp_path: Path) -> None:
    _, opened = desk_with(tmp_path, review=REVIEW)
    assert len(inlay_hints(opened, WHOLE, AT_FIX)) == 2
    ended = RunState("r1", "completed", nodes=AT_FIX.nodes)
    assert inlay_hints(opened, WHOLE, ended) == []
    assert inlay_hints(opened, WHOLE, None) == []
