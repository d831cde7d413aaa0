"""Workflows are found nearest first, by name, reference or path, and read as text only (S1)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from segue.session import limits
from segue.session.errors import NotFound, WorkflowError
from segue.session.workflow import discovery
from segue.session.workflow.discovery import Found, discover, find

REVIEW = '''"""Reviews a change.

More about it.
"""

from segue import Workflow

review = Workflow("review", start="inspect", title="Review")
'''


class House:
    """A project, a user's folder and a built-ins folder to put workflows into."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = top / "project"
        self.user = top / "user"
        self.builtins = top / "builtins"
        monkeypatch.setattr(discovery, "_BUILTINS", self.builtins)

    def put(self, where: str, name: str, text: str = REVIEW) -> Path:
        folder = {
            "project": self.project / ".segue" / "workflows",
            "user": self.user,
            "builtin": self.builtins,
        }[where]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
        return folder / name

    def discover(self) -> list[Found]:
        return discover(self.project, self.user)

    def find(self, name: str) -> Found:
        return find(name, self.project, self.user)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    return House(tmp_path, monkeypatch)


def test_a_bare_project_has_none(house: House) -> None:
    assert house.discover() == []


def test_a_file_is_a_workflow_named_by_its_stem(house: House) -> None:
    path = house.put("project", "review.py")
    assert house.discover() == [
        Found("review", "project:review", path, "project", "Review", "Reviews a change.")
    ]


def test_nearest_first_and_what_is_hidden_is_told(house: House) -> None:
    house.put("builtin", "review.py")
    house.put("builtin", "autoplan.py", REVIEW.replace("review", "autoplan"))
    house.put("user", "review.py")
    house.put("project", "review.py")
    review, autoplan = house.discover()
    assert (review.ref, review.shadows) == ("project:review", ("user:review", "builtin:review"))
    assert (autoplan.ref, autoplan.shadows) == ("builtin:autoplan", ())
    for ref in ("project:review", "user:review", "builtin:review"):
        assert house.find(ref).ref == ref
    assert house.find("review").origin == "project"


def test_the_user_s_folder_lies_in_the_config_folder(house: House, nobody: Path) -> None:
    folder = nobody / ".config" / "segue" / "workflows"
    folder.mkdir(parents=True)
    (folder / "mine.py").write_text(REVIEW)
    assert [found.ref for found in discover(house.project)] == ["user:mine"]


def test_helpers_hidden_files_and_folders_are_no_workflows(house: House) -> None:
    house.put("project", "_shared.py")
    house.put("project", ".hidden.py")
    house.put("project", "notes.txt")
    (house.project / ".segue" / "workflows" / "folder.py").mkdir()
    os.mkfifo(house.project / ".segue" / "workflows" / "pipe.py")
    assert house.discover() == []


def test_of_the_built_ins_only_workflows_are_listed(house: House) -> None:
    house.put("builtin", "catalogue.py", '"""What ships with Segue."""\nNAMES = ["a"]\n')
    house.put("builtin", "autoplan.py")
    assert [found.name for found in house.discover()] == ["autoplan"]


def test_nothing_of_a_project_is_run(house: House) -> None:
    """S1: a file that would end the process is listed like any other."""
    house.put("project", "bomb.py", '"""Boom."""\nimport os, sys\nos._exit(3)\n')
    before = set(sys.modules)
    assert house.discover()[0].description == "Boom."
    assert not [name for name in set(sys.modules) - before if "bomb" in name]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def broken(:\n", "syntax error in line 1"),
        ("x = 1\n  y = 2\n", "syntax error in line 2"),
        ("\0", "null bytes"),
        ("a = " + "(" * 5_000, "syntax error"),
        ("a = " + "-" * 200_000 + "1", ""),
        ("# coding: nonsense\n", "syntax error"),
    ],
)
def test_a_file_that_cannot_be_read_is_listed_and_says_so(
    house: House, text: str, said: str
) -> None:
    house.put("project", "broken.py", text)
    house.put("project", "review.py")
    broken, review = house.discover()
    assert said in broken.description
    assert review.title == "Review"


def test_bytes_that_are_no_text_are_told(house: House) -> None:
    house.put("project", "latin.py").write_bytes(b'x = "\xe9"\n')
    assert "syntax error" in house.discover()[0].description


def test_a_huge_file_is_not_read(house: House) -> None:
    with house.put("project", "huge.py").open("wb") as file:
        file.truncate(limits.SOURCE_BYTES + 1)
    assert "larger than" in house.discover()[0].description


def test_a_link_to_nowhere_is_passed_over(house: House) -> None:
    house.put("project", "review.py")
    (house.project / ".segue" / "workflows" / "gone.py").symlink_to("nowhere.py")
    assert [found.name for found in house.discover()] == ["review"]


@pytest.mark.parametrize(
    ("call", "title", "description", "mount_only"),
    [
        ('Workflow("x", start="a")', "", "Doc.", False),
        ('segue.Workflow("x", start="a", title="T")', "T", "Doc.", False),
        ('Workflow[Task]("x", start="a", description="D\\nmore")', "", "D", False),
        ('Workflow("x", start="a", mount_only=True)', "", "Doc.", True),
        ('Workflow("x", start="a", title=TITLE, mount_only=1)', "", "Doc.", False),
        ("make()", "", "Doc.", False),
    ],
)
def test_what_a_list_shows_is_what_the_text_says(
    house: House, call: str, title: str, description: str, mount_only: bool
) -> None:
    for statement in (f"x = {call}", f"x: Workflow[Task] = {call}"):
        house.put("project", "x.py", f'"""Doc."""\n{statement}\n')
        (found,) = house.discover()
        assert (found.title, found.description, found.mount_only) == (
            title,
            description,
            mount_only,
        )


def test_a_stray_escape_in_a_file_warns_nobody(house: House) -> None:
    house.put("project", "x.py", 'y = "\\d"\n')
    assert house.discover()[0].description == ""


@pytest.mark.parametrize("stem", ["Review", "my workflow", "prüfen", "a.b", "2nd"])
def test_a_stem_that_is_no_name_says_what_to_do(house: House, stem: str) -> None:
    house.put("project", f"{stem}.py")
    assert "rename the file" in house.discover()[0].description


# --- finding one


@pytest.mark.parametrize("name", ["review-it", "review_it"])
def test_an_underscore_is_read_as_a_dash(house: House, name: str) -> None:
    path = house.put("project", "review_it.py")
    assert house.find(name).path == path


def test_two_files_of_one_name_are_never_guessed(house: House) -> None:
    """O8: the candidates are named; a path still reaches each."""
    one, two = house.put("project", "a_b.py"), house.put("project", "a-b.py")
    for name in ("a-b", "project:a-b"):
        with pytest.raises(WorkflowError) as error:
            house.find(name)
        assert str(one) in str(error.value)
        assert str(two) in str(error.value)
    assert house.find(str(one)).path == one


def test_a_near_miss_is_suggested(house: House) -> None:
    """O8."""
    house.put("project", "review.py")
    house.put("project", "deploy.py")
    with pytest.raises(NotFound, match=r"no workflow 'reveiw': did you mean 'review'\?"):
        house.find("reveiw")
    with pytest.raises(NotFound, match="did you mean 'project:deploy'"):
        house.find("project:deply")


def test_otherwise_the_candidates_are_named(house: House) -> None:
    """O8."""
    for n in range(10):
        house.put("project", f"w{n}.py")
    with pytest.raises(NotFound, match=r"there are w0, w1, .*w7, \.\.\.; see `segue list`"):
        house.find("something-else")


def test_where_there_is_none_the_next_step_is_to_write_one(house: House) -> None:
    with pytest.raises(NotFound, match="segue new"):
        house.find("review")


@pytest.mark.parametrize("folder", ["plain", "with space", "prüfung-検査", "x" * 250])
def test_a_direct_path_works_whatever_its_folder(tmp_path: Path, folder: str) -> None:
    deep = tmp_path / folder / ("y" * 60)
    deep.mkdir(parents=True)
    (deep / "review.py").write_text(REVIEW)
    found = find(str(deep / "review.py"), tmp_path)
    assert (found.name, found.ref) == ("review", f"path:{deep / 'review.py'}")
    assert find(found.ref, tmp_path) == found
    assert find(f"{folder}/{'y' * 60}/review.py", tmp_path).path == found.path


def test_a_bare_file_name_is_a_path(house: House) -> None:
    house.project.mkdir()
    (house.project / "review.py").write_text(REVIEW)
    assert house.find("review.py").origin == "path"


def test_a_linked_file_has_the_link_s_name(house: House, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere.py"
    real.write_text(REVIEW)
    house.put("project", "x.py").unlink()
    link = house.project / ".segue" / "workflows" / "review.py"
    link.symlink_to(real)
    assert house.find("review").path == link
    assert house.find(str(link)).name == "review"


@pytest.mark.parametrize("name", ["./none.py", "/none.py", "none/", "n" * 400 + ".py", "a\\b"])
def test_a_missing_file_is_named(house: House, name: str) -> None:
    with pytest.raises(NotFound, match="there is no workflow file"):
        house.find(name)


def test_a_folder_that_cannot_be_listed_is_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.put("project", "review.py")

    def refuse(self: Path, pattern: str) -> list[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "glob", refuse)
    with pytest.raises(WorkflowError, match="cannot be read: Permission denied"):
        house.discover()
