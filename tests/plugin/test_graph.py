"""`segue graph`: the boxes that people see, Mermaid, SVG, and the path of a run."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from segue.plugin.cli import main
from segue.plugin.graph.canvas import coloured, plain
from segue.plugin.graph.layout import order
from segue.plugin.graph.mermaid import mermaid
from segue.plugin.graph.svg import dot
from segue.plugin.graph.taken import taken
from segue.plugin.graph.text import COLOURS, Drawing
from segue.session.workflow.chart import END, UNKNOWN, Chart, Step, Way
from segue.session.workflow.source.graph import SETTINGS

EXAMPLES = Path(__file__).parents[2] / "examples"

REVIEW = """\
review: 2 agent, 1 compute, at most 20 steps in a run

   ┌──────────────────────────────┐
╭─▶│ inspect                agent │
│  └─ on route ────┬──────────────┘
│                  ├─ clean ─────────╮
│                  │  issues_found   │
│  ┌───────────────▼──────────────┐  │
│  │ fix                    agent │  │
│  └───────────────┬──────────────┘  │
╰──────────────────╯                 │
                                     │
   ┌──────────────────────────────┐  │
   │ done                 compute │◀─╯
   └───────────────┬──────────────┘
                   ● end
"""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path / "state"))


def chart(ways: list[tuple[str, str, str]], kind: str = "agent") -> Chart:
    names = dict.fromkeys(name for a, b, _ in ways for name in (a, b) if name not in {END, UNKNOWN})
    steps = {name: Step(name, kind) for name in names}
    return Chart("made", next(iter(steps)), steps, tuple(Way(*way) for way in ways))


def drawn(made: Chart) -> str:
    return plain(Drawing(made).draw().rows())


def test_a_loop_and_a_branch_are_drawn_as_boxes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "review"]) == 0
    assert capsys.readouterr().out == REVIEW


def test_every_example_fits_into_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    for file in sorted((EXAMPLES / ".segue" / "workflows").glob("[!_]*.py")):
        assert main(["graph", str(file)]) == 0
        assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80


def random_chart(seed: int) -> Chart:
    dice = random.Random(seed)
    names = [f"step_{'x' * dice.randint(0, 30)}{n}" for n in range(dice.randint(1, 40))]
    ways = [
        (name, dice.choice([*names, END, UNKNOWN]), "y" * dice.randint(0, 30))
        for name in names
        for _ in range(dice.randint(1, 4))
    ]
    steps = {name: Step(name, "agent") for name in names}
    return Chart("made", names[0], steps, tuple(Way(*way) for way in dict.fromkeys(ways)))


@pytest.mark.parametrize("seed", range(60))
def test_any_graph_fits_into_eighty_columns_and_shows_every_step(seed: int) -> None:
    made = random_chart(seed)
    lines = drawn(made).splitlines()
    assert max(len(line) for line in lines) <= 80
    assert sum("agent │" in line for line in lines) == len(made.steps)
    assert sorted(order(made)) == sorted(made.steps)


def test_lines_that_cross_are_shown_as_crossings() -> None:
    made = chart([("a", "d", "one"), ("a", "b", ""), ("b", "c", ""), ("b", "d", "two")])
    far = chart(
        [
            ("a", "d", "x"),
            ("a", "b", ""),
            ("b", "e", "y"),
            ("b", "c", ""),
            ("c", "d", ""),
            ("d", "e", ""),
        ]
    )
    assert "┤" in drawn(made) or "┴" in drawn(made)
    assert "┼" in drawn(far) or "╮" in drawn(far)


def test_what_the_text_does_not_settle_is_shown_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "half.py"
    path.write_text(
        "from segue import Context, Workflow\n"
        'half = Workflow("half", start="a")\n'
        "@half.agent()\ndef a(ctx: Context) -> str:\n    return 'x'\n"
        "half.edge(a, globals()['b'])\n"
    )
    assert main(["graph", str(path)]) == 0
    out = capsys.readouterr().out
    assert "? not known from the text" in out
    assert "segue check" in out


def test_colour_goes_by_kind_and_only_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    main(["graph", "review"])
    assert "\x1b" not in capsys.readouterr().out
    made = chart([("a", "b", ""), ("b", END, "")], kind="shell")
    shown = coloured(Drawing(made).draw().rows())
    assert f"\x1b[{COLOURS['shell']}m" in shown
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == drawn(made)


def test_every_kind_has_a_colour_in_every_format() -> None:
    from segue.plugin.graph import mermaid as module

    kinds = {"human" if k == "human_decision" else k for k in SETTINGS} - {"decision"} | {"mount"}
    assert set(COLOURS) == kinds == set(module.COLOURS)


def test_mermaid_names_every_step_and_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "triage", "--format", "mermaid"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("flowchart TD\n")
    for name in ("judge", "ask", "reproduce", "decide", "fix", "answer"):
        assert f'"{name}<br/>' in out
    assert out.count("-->|") == 9


def test_mermaid_quotes_what_would_be_markup() -> None:
    made = chart([("a", "b", 'x"|<b>#')])
    assert '|"x#34;#124;#60;b#62;#35;"|' in mermaid(made)


def test_svg_is_drawn_by_graphviz_and_its_absence_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["graph", "review", "--format", "svg"]) == 1
    assert "apt install graphviz" in capsys.readouterr().err
    # A stand-in that gives back what it was told, between tags.
    tool = tmp_path / "dot"
    tool.write_text('#!/bin/sh\necho "<svg>"\nexec /bin/cat\n')
    tool.chmod(0o755)
    assert main(["graph", "review", "--format", "svg"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("<svg>")
    assert "digraph workflow {" in out
    tool.write_text('#!/bin/sh\necho "no fonts" >&2\nexit 1\n')
    assert main(["graph", "review", "--format", "svg"]) == 1
    assert "no fonts" in capsys.readouterr().err


def test_graphviz_is_told_every_step_and_way() -> None:
    made = chart([("a", "b", 'x"y'), ("b", END, ""), ("b", UNKNOWN, "")])
    text = dot(made)
    assert r'n0 -> n1 [label="x\"y"]' in text
    assert "n1 -> finish" in text
    assert "n1 -> unclear" in text


def test_the_path_of_a_run_is_marked() -> None:
    path = taken(
        [("inspect", 1, "ok"), ("fix", 1, "failed"), ("fix", 1, "ok"), ("inspect", 2, "asked")],
        ended=False,
    )
    assert path.marks == {"inspect": "▸ ×2", "fix": "✓"}
    assert path.ways == {("inspect", "fix"), ("fix", "inspect")}


def test_a_run_is_drawn_on_the_graph_that_it_pinned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.json"
    answers.write_text(
        '{"inspect": [{"route": "issues_found", "reason": "a.py:3 is wrong"},'
        ' {"route": "clean", "reason": "nothing is left"}], "fix": [null]}'
    )
    assert main(["rehearse", "review", "x", "--answers", str(answers), "--keep", "--json"]) == 0
    run = capsys.readouterr().out.partition('"run_id": "')[2].partition('"')[0]
    assert main(["graph", "review", "--run", run]) == 0
    out = capsys.readouterr().out
    assert "┃ inspect ✓ ×2" in out
    assert "┗━━━━━━━━━━━━━━━━━━┛" in out
    assert main(["graph", "triage", "--run", run]) == 1
    assert "is of 'review'" in capsys.readouterr().err
    assert main(["graph", "review", "--run", run, "--format", "mermaid"]) == 2


def test_an_unknown_name_and_a_file_without_a_workflow_say_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", "nowhere"]) == 1
    assert "segue list" in capsys.readouterr().err
    path = tmp_path / "nothing.py"
    path.write_text("x = 1\n")
    assert main(["graph", str(path)]) == 1
    assert f"segue check {path}" in capsys.readouterr().err
    assert os.environ["SEGUE_STATE_DIR"]
