"""`segue rehearse`: real runs against a script, kept or thrown away, and how they go on."""

from __future__ import annotations

import json
import shlex
import tempfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Done

REVIEW = ("rehearse", "review", "the login page", "--answers", "answers.json")


def test_json_is_exactly_the_four_fields(process: Callable[..., Done]) -> None:
    done = process(*REVIEW, "--json")
    assert done.code == 0
    made = json.loads(done.out)
    assert list(made) == ["run_id", "status", "output", "steps"]
    assert made["status"] == "completed"
    assert made["steps"] == [
        {"node": "inspect", "visit": 1, "outcome": "ok"},
        {"node": "fix", "visit": 1, "outcome": "ok"},
        {"node": "inspect", "visit": 2, "outcome": "ok"},
        {"node": "done", "visit": 1, "outcome": "ok"},
    ]
    assert done.out.count("\n") == 1
    assert done.err == ""


def test_the_conversation_is_drawn_as_the_model_sees_it(segue: Callable[..., Done]) -> None:
    out = segue(*REVIEW).out
    assert "Continue in this session" in out
    assert "Review the current change for: the login page." in out
    assert "Output schema:" in out
    assert "accepted" in out
    assert "completed after 4 steps" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "\x1b" not in out


def test_brief_shows_only_the_prompts(segue: Callable[..., Done]) -> None:
    out = segue(*REVIEW, "--brief").out
    assert "Review the current change for: the login page." in out
    assert "Continue in this session" not in out


def test_a_rejected_answer_is_shown_in_full_and_the_next_item_answers(
    segue: Callable[..., Done], project: Path
) -> None:
    items = {"inspect": [{"route": "perhaps"}, {"route": "clean", "reason": "fine"}]}
    (project / "a.json").write_text(json.dumps(items))
    out = " ".join(segue("rehearse", "review", "x", "--answers", "a.json").out.split())
    assert '- route: expected one of "clean", "issues_found"; received "perhaps"' in out
    assert "- reason: expected a value (the field is required); received nothing" in out
    assert "completed after 2 steps" in out


def test_a_throw_away_rehearsal_leaves_nothing_behind(
    segue: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    assert segue(*REVIEW).code == 0
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "state").exists()


def test_answers_that_run_out_are_one_line_and_exit_code_1(
    segue: Callable[..., Done], project: Path
) -> None:
    (project / "a.json").write_text('{"fix": [null]}')
    done = segue("rehearse", "review", "x", "--answers", "a.json", "--json")
    assert done.code == 1
    assert done.out == ""
    assert done.err == "segue: a.json: node 'inspect' has none and needs item 1: add it\n"


def test_the_line_to_go_on_with_is_exact(
    segue: Callable[..., Done], project: Path, kept: str
) -> None:
    """D8: each command that a message names really exists."""
    stopped = segue("rehearse", "--resume", kept, "--answers", "half.json")
    line = stopped.err.strip().rpartition("then go on: ")[2]
    words = shlex.split(line)
    assert words[:4] == ["segue", "rehearse", "review", "--resume"]
    (project / "half.json").write_text((project / "answers.json").read_text())
    done = segue(*words[1:])
    assert done.code == 0, done.err
    assert "completed" in done.out


def test_going_on_says_first_how_far_the_run_is(segue: Callable[..., Done], kept: str) -> None:
    """P-D4: how many steps are done, and where it goes on, before anything else."""
    out = segue("rehearse", "review", "--resume", kept, "--answers", "answers.json").out
    assert out.splitlines()[0] == "1 step done, going on at fix"
    assert "2 · fix" in out


def test_nothing_that_was_done_is_done_again(segue: Callable[..., Done], kept: str) -> None:
    """D2."""
    before = segue("show", kept, "--json").json()["steps"][0]
    made = segue("rehearse", "--resume", kept, "--answers", "answers.json", "--json").json()
    assert [(s["node"], s["visit"]) for s in made["steps"]] == [
        ("inspect", 1),
        ("fix", 1),
        ("inspect", 2),
        ("done", 1),
    ]
    assert segue("show", kept, "--json").json()["steps"][0] == before


def test_a_changed_source_is_told_with_a_diff_and_the_copy_goes_on(
    segue: Callable[..., Done], project: Path, kept: str
) -> None:
    """P-Q1 and D5."""
    file = project / ".segue/workflows/review.py"
    file.write_text(file.read_text().replace("Fix what the review found", "Repair it"))
    done = segue("rehearse", "--resume", kept, "--answers", "answers.json")
    assert done.code == 0
    assert "has changed since" in done.out
    assert '-    return f"Fix what the review found' in done.out
    assert '+    return f"Repair it' in done.out
    assert "│ Fix what the review found: a fault" in done.out


def test_a_source_that_is_gone_does_not_stop_the_run(
    segue: Callable[..., Done], project: Path, kept: str
) -> None:
    (project / ".segue/workflows/review.py").unlink()
    done = segue("rehearse", "--resume", kept, "--answers", "answers.json")
    assert done.code == 0
    assert "is gone" in done.out


def test_a_resumed_run_has_to_be_of_the_workflow_that_is_named(
    segue: Callable[..., Done], kept: str
) -> None:
    done = segue("rehearse", "other", "--resume", kept)
    assert done.code == 2
    assert "is of workflow 'review', not of 'other'" in done.err


def test_a_run_that_has_ended_shows_its_end_again(segue: Callable[..., Done], kept: str) -> None:
    going = ("rehearse", "--resume", kept, "--answers", "answers.json", "--json")
    assert segue(*going).json() == segue(*going).json()


def test_without_answers_or_a_terminal_it_names_the_option(process: Callable[..., Done]) -> None:
    done = process("rehearse", "review", "x")
    assert done.code == 1
    assert "--answers FILE" in done.err
    assert done.err.count("\n") == 1


def test_a_workflow_that_asks_nothing_needs_no_answers(
    process: Callable[..., Done], project: Path
) -> None:
    (project / ".segue/workflows/tick.py").write_text(
        'from segue import Context, Workflow\n\ntick = Workflow("tick", start="a")\n\n\n'
        "@tick.compute\ndef a(_ctx: Context) -> int:\n    return 7\n"
    )
    assert process("rehearse", "tick", "--json").json()["output"] == 7


def test_a_run_that_fails_is_exit_code_1_and_says_why(
    segue: Callable[..., Done], project: Path
) -> None:
    (project / ".segue/workflows/bad.py").write_text(
        'from segue import Context, Workflow\n\nbad = Workflow("bad", start="a")\n\n\n'
        '@bad.compute\ndef a(_ctx: Context) -> int:\n    raise ValueError("no luck")\n'
    )
    done = segue("rehearse", "bad", "--json")
    assert done.code == 1
    made = json.loads(done.out)
    assert made["status"] == "failed"
    assert "no luck" in made["reason"]
    assert "bad.py:8" in made["reason"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--input-json", "{"), "--input-json is not JSON"),
        (("x", "--input-json", "{}"), "not both"),
        (("x", "--answers", "none.json"), "there is no such answers file"),
        (("x", "--answers", "broken.json"), "broken.json: not JSON"),
        (("x", "--answers", "unknown.json"), "did you mean 'inspect'?"),
    ],
)
def test_a_wrong_call_names_what_is_wrong_with_it(
    segue: Callable[..., Done], project: Path, words: tuple[str, ...], said: str
) -> None:
    (project / "broken.json").write_text("{")
    (project / "unknown.json").write_text('{"inspekt": []}')
    done = segue("rehearse", "review", *words)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_an_input_that_does_not_fit_leaves_the_state_as_it_was(
    segue: Callable[..., Done],
) -> None:
    done = segue("rehearse", "review", "--input-json", '{"task": 7}', "--keep")
    assert done.code == 1
    assert "task: expected a valid string; received 7 (number)" in done.err
    assert "go on" not in done.err
    assert segue("runs", "--json").json() == []


def test_a_file_with_a_syntax_error_is_named_with_its_line(
    segue: Callable[..., Done], project: Path
) -> None:
    (project / ".segue/workflows/broken.py").write_text("def (\n")
    done = segue("rehearse", "broken")
    assert done.code == 1
    assert "broken.py:1" in done.err
    assert done.err.count("\n") == 1


def test_effects_are_taken_from_the_answers_unless_they_are_to_run(
    segue: Callable[..., Done], project: Path
) -> None:
    (project / ".segue/workflows/touch.py").write_text(
        'from segue import Context, Workflow\n\ntouch = Workflow("touch", start="a")\n\n\n'
        '@touch.action(effect="idempotent")\ndef a(ctx: Context) -> str:\n'
        '    (ctx.project / "touched").touch()\n    return "real"\n'
    )
    (project / "a.json").write_text('{"a": ["scripted"]}')
    done = segue("rehearse", "touch", "--answers", "a.json", "--json")
    assert done.json()["output"] == "scripted"
    assert not (project / "touched").exists()
    assert segue("rehearse", "touch", "--run-actions", "--json").json()["output"] == "real"
    assert (project / "touched").exists()


def test_items_that_were_never_needed_are_told(segue: Callable[..., Done], project: Path) -> None:
    items = {"inspect": [{"route": "clean", "reason": "ok"}, {"route": "clean", "reason": "ok"}]}
    (project / "a.json").write_text(json.dumps(items))
    done = segue("rehearse", "review", "x", "--answers", "a.json")
    assert done.code == 0
    assert done.err == "segue: note: 1 item for 'inspect' never needed\n"


def test_a_timed_out_item_is_used_up(segue: Callable[..., Done], project: Path) -> None:
    """One item for each submission: the second visit gets the second item."""
    (project / ".segue/workflows/again.py").write_text(
        'from segue import Context, Workflow\n\nagain = Workflow("again", start="a")\n\n\n'
        "@again.assistant()\ndef a(_ctx: Context) -> str:\n    return 'say'\n\n\n"
        "again.on_failure(a, a)\n"
    )
    (project / "a.json").write_text('{"a": [{"$outcome": "timed_out"}, "said"]}')
    made = segue("rehearse", "again", "--answers", "a.json", "--json").json()
    assert [s["outcome"] for s in made["steps"]] == ["timed_out", "ok"]
    assert made["output"] == "said"


def test_what_waits_for_ever_does_not_time_out(segue: Callable[..., Done], project: Path) -> None:
    (project / ".segue/workflows/gate.py").write_text(
        'from segue import Context, Workflow\n\ngate = Workflow("gate", start="a")\n\n\n'
        '@gate.human_decision(choices=["go", "stop"])\ndef a(_ctx: Context) -> str:\n'
        "    return 'go?'\n\n\ngate.switch(a, on='choice', cases={'go': None, 'stop': None})\n"
    )
    (project / "a.json").write_text('{"a": [{"$outcome": "timed_out"}]}')
    done = segue("rehearse", "gate", "--answers", "a.json")
    assert done.code == 1
    assert "waits for ever" in done.err


def test_a_project_path_may_hold_anything(segue: Callable[..., Done], tmp_path: Path) -> None:
    odd = tmp_path / "ein Projekt mit ü, 空 and 'quotes'"
    odd.mkdir()
    assert segue("new", "hello", "--project", str(odd)).code == 0
    answers = str(odd / ".segue/workflows/hello.answers.json")
    words = ("rehearse", "hello", "x", "--project", str(odd), "--answers", answers, "--keep")
    assert segue(*words, "--json").json()["status"] == "completed"
    assert len(segue("runs", "--json", "--project", str(odd)).json()) == 1
