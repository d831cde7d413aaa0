"""The compiled graph as JSON: it comes back whole, and its digest means the graph alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.session.canonical import Json, canonical
from segue.session.workflow.snapshot import Definition, EdgeDef, NodeDef, from_json

if TYPE_CHECKING:
    from pathlib import Path

WORKFLOW = """
from enum import Enum
from typing import Literal
from pydantic import BaseModel
from segue import Context, Workflow

class Verdict(BaseModel):
    route: Literal["clean", "issues", "unsure"]
    tags: set[str] = {"x", "y", "z"}
    by_name: dict[str, int] = {}

inner = Workflow("inner", start="wait")
done = inner.exit("done", inner.wait("wait", seconds=1), output=type(None))

review = Workflow("review", start="look")

@review.agent(output=Verdict)
def look(ctx):
    return "look"

again = review.include("again", inner)
review.switch(look, on="route", cases={CASES})
review.edge(again.exit(done), look)
"""
ONE = '"clean": None, "issues": again, "unsure": look'
OTHER = '"unsure": look, "clean": None, "issues": again'

DIGEST = """
import importlib.util, sys
from segue.session.workflow.compile import compile_workflow
spec = importlib.util.spec_from_file_location("review", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(compile_workflow(module.review).digest().hex())
"""


def digest_in(folder: Path, cases: str, seed: str, before: str = "") -> str:
    folder.mkdir(parents=True)
    file = folder / "review.py"
    file.write_text(before + WORKFLOW.replace("CASES", cases))
    done = subprocess.run(
        [sys.executable, "-c", DIGEST, str(file)],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_digest_depends_on_the_graph_alone(tmp_path: Path) -> None:
    """Not on the order of a dict, the hash seed, the folder, the checkout or the line."""
    digests = {
        digest_in(tmp_path / "a", ONE, "0"),
        digest_in(tmp_path / "b" / "somewhere else", OTHER, "1"),
        digest_in(tmp_path / "c", OTHER, "4711", before="# a comment\n\n"),
    }
    assert len(digests) == 1
    assert digest_in(tmp_path / "d", ONE.replace("look", "None"), "0") not in digests


NODE = NodeDef("look", "agent", EdgeDef("route", (("a", "look"), ("b", None)), "fix"))
FIX = NodeDef("fix", "shell", effect="manual", timeout=3.0, module="m", line=7)
WHOLE = Definition("w", "look", {"look": NODE, "fix": FIX}, 9, {"done": "fix"}, {"type": "object"})


def test_a_snapshot_comes_back_whole() -> None:
    human = NodeDef(
        "in/human",
        "checkpoint",
        schema={"type": "object"},
        human=True,
        choices=("b", "a"),
        text=("a",),
        on_timeout="a",
        status="s",
        timeout="call",
    )
    loud = NodeDef("tell", "assistant", max_chars=9)
    whole = replace(
        WHOLE,
        nodes={**WHOLE.nodes, "in/human": human, "tell": loud},
        title="T",
        description="D",
        on_reopen="continue",
        revision=3,
        mount_only=True,
    )
    assert from_json(json.loads(json.dumps(whole.to_json()))) == whole


def test_lines_and_modules_do_not_change_the_digest() -> None:
    moved = replace(WHOLE, nodes={"fix": replace(FIX, module="n", line=70), "look": NODE})
    assert moved.digest() == WHOLE.digest()
    assert moved.to_json()["places"] != WHOLE.to_json()["places"]


@pytest.mark.parametrize(
    "changed",
    [
        replace(WHOLE, start="fix"),
        replace(WHOLE, max_steps=10),
        replace(WHOLE, exits={}),
        replace(WHOLE, input_schema=None),
        replace(WHOLE, revision=1),
        replace(WHOLE, nodes={"look": NODE, "fix": replace(FIX, effect="idempotent")}),
        replace(WHOLE, nodes={"look": NODE, "fix": replace(FIX, timeout=None)}),
        replace(WHOLE, nodes={"look": replace(NODE, edge=EdgeDef()), "fix": FIX}),
        replace(WHOLE, nodes={"look": replace(NODE, edge=EdgeDef("route")), "fix": FIX}),
        replace(
            WHOLE,
            nodes={"look": replace(NODE, edge=NODE.edge._replace(failure=None)), "fix": FIX},
        ),
    ],
)
def test_what_the_graph_means_changes_the_digest(changed: Definition) -> None:
    assert changed.digest() != WHOLE.digest()


def test_another_format_is_refused() -> None:
    for data in ({**WHOLE.to_json(), "format": 99}, {}):
        with pytest.raises(ValueError, match="this Segue reads 1"):
            from_json(data)


values = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3)


@given(st.lists(values, max_size=6, unique_by=lambda value: (type(value), value)))
def test_the_order_of_cases_means_nothing(cases: list[Json]) -> None:
    pairs = tuple((value, "look") for value in cases)
    one = replace(WHOLE, nodes={"look": replace(NODE, edge=EdgeDef("x", pairs))})
    other = replace(WHOLE, nodes={"look": replace(NODE, edge=EdgeDef("x", pairs[::-1]))})
    assert one.digest() == other.digest()
    back = from_json(json.loads(canonical(one.to_json())))
    assert sorted(map(repr, back.node("look").edge.cases)) == sorted(map(repr, pairs))
