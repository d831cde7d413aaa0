"""`segue explain`: what the text says a workflow does, asks, costs and changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from segue.plugin.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)


def explained(name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Give each section by its title."""
    assert main(["explain", name]) == 0
    head, *sections = capsys.readouterr().out.split("\n\n")
    found = {section.partition(":\n")[0]: section.partition(":\n")[2] for section in sections}
    return {"": head, **found}


def test_the_head_says_what_it_takes_and_how_long_it_may_go_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    head = explained("review", capsys)[""]
    assert head.startswith("review: Review the current change")
    assert "takes Task, starts at inspect, at most 20 steps in a run" in head


def test_contracts_are_those_of_the_function_that_speaks_to_the_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    contracts = explained("review", capsys)["contracts, as the model will see them"]
    assert "Workflow review, step inspect, request REQUEST." in contracts
    assert '"enum":["clean","issues_found"]' in contracts
    assert '"minLength":10' in contracts


def test_loops_changes_and_people_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    triage = explained("triage", capsys)
    assert "judge, ask: judge reads ctx.latest; ask is a checkpoint" in triage["loops"]
    assert "reproduce (shell): is run again after a crash" in triage["what it may change"]
    people = " ".join(triage["where people decide"].split())
    assert "decide: fix, schedule, close (with a text: schedule, close)" in people


def test_included_workflows_are_explained_by_their_paths(
    capsys: pytest.CaptureFixture[str],
) -> None:
    feature = explained("feature", capsys)
    assert "includes agree-plan" in feature["steps"]
    assert "plan/agree: go, redo, stop" in feature["where people decide"]
    assert "plan/draft, plan/agree: " in feature["loops"]


def test_prose_fits_into_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("review", "triage", "feature"):
        for line in "\n".join(explained(name, capsys).values()).splitlines():
            assert len(line) <= 80 or line.lstrip().startswith("{")


def test_a_contract_that_text_does_not_tell_is_taken_from_the_loaded_built_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path))
    contracts = explained("builtin:autoplan", capsys)["contracts, as the model will see them"]
    assert "only the loaded workflow tells" not in contracts
    assert contracts.count("Output schema:") >= 6


def test_a_file_that_nobody_trusts_is_explained_without_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path))
    path = tmp_path / "odd.py"
    path.write_text(
        "from elsewhere import Model\nfrom segue import Workflow\n"
        'odd = Workflow("odd", start="a")\n\n\n'
        "@odd.agent(output=Model)\ndef a(ctx):\n    return 'x'\n"
    )
    contracts = explained(str(path), capsys)["contracts, as the model will see them"]
    assert "a: only the loaded workflow tells its output" in contracts
