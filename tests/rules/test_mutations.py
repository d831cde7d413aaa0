"""Twenty edits that people make to the example workflows by mistake: each has its rule."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from segue.session.workflow.findings import Code
from segue.session.workflow.rules import check_module
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library

EXAMPLES = Path(__file__).parents[2] / "examples" / ".segue" / "workflows"


class Mutation(NamedTuple):
    file: str
    old: str
    new: str
    code: Code
    subject: str


MUTATIONS = {
    "a case is dropped": Mutation(
        "review", ', "issues_found": fix}', "}", Code.MISSING_CASE, "issues_found"
    ),
    "a case is misspelt": Mutation(
        "review", '{"clean": done', '{"claen": done', Code.EXTRA_CASE, "claen"
    ),
    "a value is added to the model": Mutation(
        "review", '"issues_found"]', '"issues_found", "unsure"]', Code.MISSING_CASE, "unsure"
    ),
    "an Enum member's case is dropped": Mutation(
        "triage", ", Severity.UNCLEAR: ask", "", Code.MISSING_CASE, "unclear"
    ),
    "a choice is added": Mutation(
        "triage",
        '"schedule", "close"], text',
        '"schedule", "later", "close"], text',
        Code.MISSING_CASE,
        "later",
    ),
    "an outcome is forgotten": Mutation(
        "feature", ', "timed_out": None', "", Code.MISSING_CASE, "timed_out"
    ),
    "a node is renamed": Mutation("review", "def fix(", "def repair(", Code.UNKNOWN_TARGET, "fix"),
    "the start is renamed": Mutation(
        "triage", "def judge(", "def weigh(", Code.UNKNOWN_TARGET, "judge"
    ),
    "an edge is deleted": Mutation(
        "feature", "feature.edge(nightly, tell)\n", "", Code.UNREACHABLE, "tell"
    ),
    "the way out is deleted": Mutation(
        "review", '"clean": done', '"clean": fix', Code.NO_END, "inspect"
    ),
    "an edge is written twice": Mutation(
        "review",
        "review.edge(fix, inspect)\n",
        "review.edge(fix, inspect)\nreview.edge(fix, done)\n",
        Code.SECOND_EDGE,
        "fix",
    ),
    "a field is renamed": Mutation(
        "review", "    route: Literal", "    verdict: Literal", Code.BAD_PATH, "route"
    ),
    "an output model is forgotten": Mutation(
        "review", "output=Verdict, ", "", Code.NO_OUTPUT_MODEL, "inspect"
    ),
    "a node is copied and not renamed": Mutation(
        "feature", "def tell(", "def build(", Code.DUPLICATE_NAME, "build"
    ),
    "the workflow is renamed and its file is not": Mutation(
        "triage", 'Workflow("triage"', 'Workflow("triage-bugs"', Code.NAME_NOT_STEM, "triage-bugs"
    ),
    "an exit gets an edge": Mutation(
        "agree_plan",
        "\ngo = ",
        "\nagree_plan.edge(agreed, draft)\ngo = ",
        Code.BAD_EXIT,
        "go",
    ),
    "an exit of the mount is misspelt": Mutation(
        "feature",
        "feature.edge(plan.exit(stop)",
        'feature.edge(plan.exit("stopp")',
        Code.BAD_EXIT,
        "stopp",
    ),
    "the loop no longer looks at its visits": Mutation(
        "review", "ctx.visit", "1", Code.ENDLESS_LOOP, "inspect"
    ),
    "an effect is forgotten": Mutation(
        "triage", 'effect="idempotent", ', "", Code.NO_EFFECT, "reproduce"
    ),
    "latest becomes output": Mutation(
        "review", "ctx.output(inspect).reason}", "ctx.output(done)}", Code.NEVER_PRODUCED, "done"
    ),
    "the context is forgotten": Mutation(
        "feature", "def tell(ctx: Context[Change])", "def tell()", Code.BAD_CALLBACK, "tell"
    ),
    "a compute sleeps": Mutation(
        "review",
        '    return {"verdict"',
        '    __import__("x")\n    input()\n    return {"verdict"',
        Code.IMPURE_COMPUTE,
        "done",
    ),
    "a model loses what makes it tight": Mutation(
        "review",
        'route: Literal["clean", "issues_found"]',
        "route: str",
        Code.LOOSE_OUTPUT,
        "inspect",
    ),
}


def findings(file: str, data: bytes) -> set[tuple[Code, str]]:
    document = Document.read(EXAMPLES / f"{file}.py", data)
    return {(f.code, f.subject) for f in check_module(Library().put(document))}


@pytest.mark.parametrize("what", MUTATIONS)
def test_a_mistake_in_an_example_is_caught_by_its_rule(what: str) -> None:
    mutation = MUTATIONS[what]
    text = (EXAMPLES / f"{mutation.file}.py").read_text("utf-8")
    assert findings(mutation.file, text.encode()) == set()
    broken = text.replace(mutation.old, mutation.new)
    assert broken != text
    assert (mutation.code, mutation.subject) in findings(mutation.file, broken.encode())


def test_there_are_at_least_twenty_mistakes() -> None:
    assert len(MUTATIONS) >= 20
    assert len({mutation.code for mutation in MUTATIONS.values()}) >= 15
