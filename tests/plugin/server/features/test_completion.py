"""What can be written while it is being typed: names, values, fields, exits (issue 5)."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from segue.plugin.authoring.desk import Desk
from segue.plugin.server.features.completion import completion

from .editing import CHILD, PARENT, REVIEW, Editor, desk_with, place, wire


def offered(desk: Desk, name: str, text: str) -> list[str]:
    """Give what can be written at the `|` of a text."""
    (old,) = [each for each in desk if each.path.stem == name]
    at = place(text, "|", plus=0)
    opened = desk.take(old.uri, old.path, old.version + 1, text.replace("|", ""))[0]
    return [item.label for item in completion(opened, at).items]


@wire
async def test_completion_over_the_wire(editor: Editor) -> None:
    """A case that is missing is offered as soon as the quote is typed."""
    file = editor.open("review", REVIEW)
    file.type('cases={"clean": done, "issues_found": fix})', 'cases={"clean": done, "')
    params = types.CompletionParams(file.id, file.at('cases={"clean": done, "', plus=23))
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    (item,) = found.items
    assert item.label == "issues_found"
    assert isinstance(item.text_edit, types.TextEdit)
    assert file.shown(item.text_edit.range) == ""


CASES = {
    "review.edge(|": ["inspect", "fix", "done"],
    "review.edge(fix, |": ["inspect", '"inspect"', "fix", '"fix"', "done", '"done"', "None"],
    'review.edge(fix, "in|': ["inspect", "fix", "done"],
    "review.on_failure(inspect, fi|": [
        *["inspect", '"inspect"', "fix", '"fix"', "done", '"done"', "None"]
    ],
    'review.switch(inspect, on="|': ["route", "reason"],
    "review.switch(inspect, on=|": ["OUTCOME", '"route"', '"reason"'],
    'review.switch(inspect, on="route", cases={|': ['"clean"', '"issues_found"'],
    'review.switch(inspect, on="route", cases={"clean": done, |': ['"issues_found"'],
    'review.switch(inspect, on=OUTCOME, cases={"ok": done, "|': ["failed", "timed_out"],
    "review.switch(inspect, |": ["on=", "cases="],
    'review = Workflow("review", start="|': ["inspect", "fix", "done"],
    "@review.agent(output=Verdict, |": ["status=", "timeout="],
    '@review.action(effect="|': ["idempotent", "manual"],
    "    x = ctx.output(|": ["inspect", "fix", "done"],
    "    x = ctx.latest(in|": ["inspect", "fix", "done"],
    "x = 1 + |": [],
    "print(|": [],
}


@pytest.mark.parametrize("typed", CASES)
def test_each_place_offers_what_fits(tmp_path: Path, typed: str) -> None:
    desk, opened = desk_with(tmp_path, review=REVIEW)
    assert opened.module  # the version before the typing was looked at
    assert offered(desk, "review", f"{REVIEW}\n{typed}") == CASES[typed]


def test_exits_of_a_mount_are_offered(tmp_path: Path) -> None:
    desk, opened = desk_with(tmp_path, child=CHILD, parent=PARENT)
    assert opened.module
    assert offered(desk, "parent", PARENT + '\nparent.edge(part.exit("|') == ["fine"]
    assert offered(desk, "parent", PARENT + "\nparent.edge(part.exit(|") == ['"fine"', "fine"]
    assert 'part.exit("fine")' in offered(desk, "parent", PARENT + "\nparent.edge(|")


def test_a_node_further_down_is_offered_by_its_name(tmp_path: Path) -> None:
    """Its handle is not bound yet: only the text would work (SG101)."""
    desk, opened = desk_with(tmp_path, review=REVIEW)
    assert opened.module
    text = REVIEW.replace("@review.compute", "review.edge(fix, |\n\n\n@review.compute")
    assert "done" not in offered(desk, "review", text)
    assert '"done"' in offered(desk, "review", text)


def test_choices_of_a_person(tmp_path: Path) -> None:
    text = REVIEW + (
        '\n\n@review.human_decision(choices=["go", "stop"], timeout=5, on_timeout="go")\n'
        'def ask(ctx: Context[Task]) -> str:\n    return "?"\n'
    )
    desk, opened = desk_with(tmp_path, review=text)
    assert opened.module
    assert offered(desk, "review", text.replace('on_timeout="go"', 'on_timeout="|')) == [
        *["go", "stop"]
    ]
    assert offered(desk, "review", text + '\nreview.switch(ask, on="choice", cases={|') == [
        *['"go"', '"stop"']
    ]
