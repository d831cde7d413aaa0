"""Each rule is broken once on purpose, in a copy of the tree, and the kit notices."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .mutations import MUTATIONS, Mutation

ROOT = Path(__file__).parents[2]
RULES = {
    *(f"O{n}" for n in range(1, 9)),
    *(f"T{n}" for n in range(1, 13)),
    *(f"D{n}" for n in range(1, 10) if n != 5),
    *(f"H{n}" for n in range(1, 4)),
}


def test_every_rule_has_a_mutation_that_still_applies() -> None:
    """O1-O8, T1-T12, D1-D4, D6-D9, H1-H3: the text to replace is there, once."""
    assert {mutation.rule for mutation in MUTATIONS} == RULES
    gone = [
        (m.rule, m.file, m.old) for m in MUTATIONS if (ROOT / m.file).read_text().count(m.old) != 1
    ]
    assert not gone


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree, its links included."""
    copy = tmp_path_factory.mktemp("mutants") / "tree"
    copy.mkdir()
    for name in ("session", "plugin", "builtins", "tests/conformance"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "segue", copy / "segue", symlinks=True)
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / name, copy / name)
    return copy


def passes(tree: Path, mutation: Mutation) -> subprocess.CompletedProcess[str]:
    """Run the tests that have to notice, on the copy."""
    env = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [
            sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider",
            "tests/conformance", "-k", f"({mutation.tests}) and not mutation",
        ],
        cwd=tree,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip


@pytest.mark.crash
@pytest.mark.parametrize(
    "mutation", MUTATIONS, ids=[f"{m.rule}-{n}" for n, m in enumerate(MUTATIONS)]
)
def test_the_kit_notices(tree: Path, mutation: Mutation) -> None:
    """A mutant on which the named tests pass is a hole in the kit."""
    file = tree / mutation.file
    right = file.read_text()
    assert mutation.old in right
    file.write_text(right.replace(mutation.old, mutation.new))
    try:
        done = passes(tree, mutation)
    finally:
        file.write_text(right)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.crash
def test_the_copy_passes_without_a_mutation(tree: Path) -> None:
    """What fails above fails because of the mutation."""
    words = " or ".join(f"({m.tests})" for m in MUTATIONS if m.tests)
    done = passes(tree, Mutation("", "", "", "", f"({words}) and not machine"))
    assert done.returncode == 0, done.stdout[-3000:]
    where = subprocess.run(
        [sys.executable, "-c", "import segue; print(segue.__file__)"],
        env={**os.environ, "PYTHONPATH": str(tree)},
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(tree) in where.stdout
