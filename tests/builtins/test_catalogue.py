"""The catalogue: a changed built-in has a new revision, and lists show what is recorded."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from segue.builtins import catalogue
from segue.builtins.catalogue import Entry, differences, problems, read, record
from segue.session.workflow.discovery import discover, find
from segue.session.workflow.freetext import from_text
from segue.testing import rehearse

ROOT = Path(__file__).parents[2]
RECORDED = read()
CONTRACT = {
    "plain-summary": ("source purpose must_include? format?", "said"),
    "autoplan": ("problem scope? constraints? previous_plan? new_evidence?", "ready blocked"),
    "plan-approval": ("plan policy?", "continue stop replan"),
    "plan-change": (
        "problem scope? constraints? previous_plan? new_evidence? policy?",
        "approved stopped blocked",
    ),
    "autodoc": ("plan?", "documented blocked"),
    "monitor": ("task stop_when? every_minutes? max_checks?", "done blocked checks-used-up"),
    "sanity-check": ("base_ref?", "verdict"),
}


@cache
def made() -> dict[str, Entry]:
    return catalogue.load()


def test_what_is_recorded_is_what_ships() -> None:
    """A changed definition without a new revision fails here, and says what to do."""
    assert differences(RECORDED, made()) == []


def test_inputs_and_exits_are_the_contract() -> None:
    said = {name: (" ".join(e.input), " ".join(e.exits)) for name, e in RECORDED.items()}
    assert said == CONTRACT


def test_each_has_a_title_and_one_line_that_fits_a_list() -> None:
    for entry in RECORDED.values():
        assert entry.title
        assert entry.description.endswith((".", "?"))
        assert len(entry.description) <= 53
        assert "\n" not in entry.description
    assert [name for name, entry in RECORDED.items() if entry.mount_only] == ["plan-change"]


def _one(**changed: object) -> dict[str, Entry]:
    return {"autoplan": replace(RECORDED["autoplan"], **changed)}  # type: ignore[arg-type]


def test_a_changed_source_or_definition_needs_a_new_revision() -> None:
    now = RECORDED["autoplan"].revision
    for change in ({"definition": "00"}, {"sources": {"autoplan.py": "00"}}):
        (said,) = problems(_one(), _one(**change))
        assert said == f"autoplan: changed, and still revision {now}: raise revision="
        (said,) = differences(_one(), _one(**change, revision=now + 1))
        assert said.endswith(f"is not recorded: {catalogue.COMMAND}")
        assert problems(_one(), _one(**change, revision=now + 1)) == []


def test_a_revision_never_goes_back_and_begins_with_one() -> None:
    assert "is recorded already" in problems(_one(revision=3), _one(revision=2))[0]
    assert "revision=1" in problems({}, _one(revision=0))[0]


def test_new_and_gone_built_ins_are_told() -> None:
    assert "is not recorded" in differences({}, _one())[0]
    assert "recorded, and not there" in differences(_one(), {})[0]


def test_another_pydantic_may_write_schemas_differently() -> None:
    assert problems(_one(), _one(definition="00", schemas="1.0")) == []
    assert problems(_one(), _one(sources={}, schemas="1.0")) != []


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    record(RECORDED, tmp_path / "catalogue.json")
    assert read(tmp_path / "catalogue.json") == RECORDED
    assert (tmp_path / "catalogue.json").read_text() == catalogue.FILE.read_text()


def test_the_script_tells_whether_all_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "load", made)
    monkeypatch.setattr(catalogue, "record", lambda _made: None)
    assert catalogue.main([]) == 0
    assert catalogue.main(["--record"]) == 0
    monkeypatch.setattr(catalogue, "load", lambda: _one(definition="00"))
    assert catalogue.main(["--record"]) == 1


def test_reading_the_catalogue_costs_no_pydantic() -> None:
    code = (
        "import sys; from segue.builtins import catalogue; catalogue.read();"
        " print([m for m in ('pydantic', 'segue.session.loader') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_nearest_file_of_a_name_overrides_and_the_built_in_keeps_its_reference(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ".segue/workflows"
    folder.mkdir(parents=True)
    (folder / "monitor.py").write_text(
        "from segue import Context, NoInput, Workflow\n"
        'monitor = Workflow("monitor", start="own")\n'
        "@monitor.compute\n"
        "def own(ctx: Context[NoInput]) -> str:\n"
        '    return "mine"\n'
    )
    found = find("monitor", tmp_path, tmp_path / "nobody")
    assert (found.origin, found.shadows) == ("project", ("builtin:monitor",))
    assert find("builtin:monitor", tmp_path, tmp_path / "nobody").origin == "builtin"
    assert rehearse("monitor", project=tmp_path).output == "mine"
    names = [each.ref for each in discover(tmp_path, tmp_path / "nobody")]
    assert "builtin:monitor" not in names
    assert "builtin:autoplan" in names


def test_free_text_starts_those_that_have_one_text_to_fill() -> None:
    assert from_text(_schema("problem"), "autoplan", "x") == {"problem": "x"}
    assert from_text(_schema("task"), "monitor", "x") == {"task": "x"}


def _schema(field: str) -> dict[str, object]:
    """The schema of the one built-in that has this field."""
    from segue.builtins._planning import Problem
    from segue.builtins.monitor import Watch

    model = next(each for each in (Problem, Watch) if field in each.model_fields)
    return model.model_json_schema()


def test_the_example_rehearses_as_the_readme_says(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "segue", "rehearse", "builtin:autoplan", "--json"),
            *("--answers", str(ROOT / "examples/autoplan.answers.json")),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["output"]["status"] == "ready"
