"""`segue check`: what it prints, what it exits with, and that it runs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from segue.plugin.cli import main
from segue.session import trust

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
FILES = EXAMPLES / ".segue" / "workflows"
LINE = (FILES / "review.py").read_text("utf-8").partition("review.switch(")[0].count("\n") + 1
"""Where the examples' review has the switch that is broken here."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a copy of the examples, and the place where commands are typed."""
    folder = tmp_path / "project" / ".segue" / "workflows"
    folder.mkdir(parents=True)
    for file in FILES.glob("*.py"):
        (folder / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "project"


def break_review(project: Path) -> Path:
    path = project / ".segue" / "workflows" / "review.py"
    path.write_text(path.read_text("utf-8").replace('"issues_found": fix', '"isues_found": fix'))
    return path


def test_the_examples_are_clean_with_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLES)]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "nothing to say" in out


def test_the_builtins_are_clean_with_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(ROOT / "builtins")]) == 0
    assert capsys.readouterr().out.endswith("files: nothing to say\n")


def test_a_broken_copy_is_told_with_place_and_code(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_review(project)
    assert main(["check"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f".segue/workflows/review.py:{LINE}:42: SG105 ")
    assert lines[1].startswith(f".segue/workflows/review.py:{LINE}:58: SG106 ")
    assert lines[-1] == f"{len(list(FILES.glob('*.py')))} files: 2 errors"


def test_json_is_a_list_with_exactly_these_keys(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = break_review(project)
    assert main(["check", str(path), "--json"]) == 1
    missing, extra = json.loads(capsys.readouterr().out)
    assert missing == {
        "path": ".segue/workflows/review.py",
        "line": LINE,
        "column": 42,
        "code": "SG105",
        "severity": "error",
        "message": missing["message"],
        "subject": "issues_found",
    }
    assert extra["subject"] == "isues_found"
    assert "issues_found" in missing["message"]


def test_nothing_wrong_is_an_empty_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(FILES), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_fix_repairs_the_broken_copy(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = break_review(project)
    assert main(["check", "--fix"]) == 0
    assert "1 edit applied" in capsys.readouterr().err
    assert path.read_bytes() == (FILES / "review.py").read_bytes()


def test_warnings_and_hints_do_not_make_it_fail(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / ".segue" / "workflows" / "review.py"
    path.write_text(path.read_text("utf-8").replace("ctx.visit", "1"))
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.endswith("1 file: 1 warning\n")


def test_a_folder_means_the_workflows_of_the_projects_below_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(project.parent)]) == 0
    assert main(["check", str(project / ".segue")]) == 0
    files = f"{len(list(FILES.glob('*.py')))} files"
    assert capsys.readouterr().out.count(files) == 2


def test_a_folder_without_workflows_and_a_wrong_path_say_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path)]) == 1
    assert "segue new" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "nowhere.py")]) == 2
    assert main(["check", "--json", "--format", "sarif"]) == 2


def test_github_annotations_name_file_line_and_column(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_review(project)
    assert main(["check", "--format", "github"]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(
        f"::error file=.segue/workflows/review.py,line={LINE},col=42,title=SG105::"
    )


def test_sarif_has_the_rules_the_places_and_relative_paths(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    break_review(project)
    assert main(["check", "--format", "sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["SG105", "SG106"]
    place = run["results"][1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == ".segue/workflows/review.py"
    assert place["region"] == {
        "startLine": LINE,
        "startColumn": 58,
        "endLine": LINE,
        "endColumn": 71,
    }


def test_a_project_that_nobody_trusts_is_not_loaded(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / ".segue" / "workflows" / "review.py"
    path.write_text("raise SystemExit('it ran')\n" + path.read_text("utf-8"))
    assert main(["check", str(path), "--load"]) == 1
    assert "is not trusted" in capsys.readouterr().err


def test_loading_agrees_with_the_text_of_the_examples(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trust.trust(tmp_path / "state", project)
    assert main(["check", str(project / ".segue" / "workflows" / "feature.py"), "--load"]) == 0
    assert capsys.readouterr().out == "1 file: nothing to say\n"


def test_loading_tells_what_the_text_did_not_show(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trust.trust(tmp_path / "state", project)
    path = project / ".segue" / "workflows" / "review.py"
    whole = path.read_text("utf-8")
    hidden = 'import sys\n\ngetattr(sys.modules[__name__], "re" + "view").edges.pop()\n'
    path.write_text(f"{whole}\n{hidden}")
    assert main(["check", str(path), "--load", "--json"]) == 1
    assert [f["subject"] for f in json.loads(capsys.readouterr().out)] == ["fix"]
    path.write_text(whole + "\nimport nothing_of_that_name\n")
    assert main(["check", str(path), "--load"]) == 1
    assert "SG126 it does not load" in capsys.readouterr().out


def test_check_imports_neither_pydantic_nor_an_author_file(project: Path) -> None:
    path = break_review(project)
    path.write_text(path.read_text("utf-8") + "\nraise SystemExit('it ran')\n")
    script = (
        "import sys; from segue.plugin.cli import main; code = main(['check', '--fix']);"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'pydantic', 'pygls', 'lsprotocol',"
        " 'asyncio', 'sqlite3'}), code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=project, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[] 0"
