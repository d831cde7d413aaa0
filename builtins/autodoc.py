"""Record a plan that was already chosen in the project's own documentation, and verify it."""

import hashlib
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from segue import Context, Workflow
from segue.builtins._fields import Line, Paragraph, Strict, block, bullets
from segue.builtins._plan import AnyPlan, plan_digest, plan_text

PATH_CHARS = 300
DOCUMENTS = 20
PROBLEMS = 12
REPAIRS = 2
PLAN_SHOWN_CHARS = 40_000
RECORD_SECONDS = 30 * 60
PROMPT_BUDGET = 56_000

FilePath = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=PATH_CHARS)
]


class Chosen(Strict):
    """The plan to record; without one it is looked for."""

    plan: AnyPlan | None = None


class Origin(Strict):
    where: Literal["input", "elsewhere"]


class Found(Strict):
    """A plan that was chosen before this run."""

    status: Literal["found", "missing"]
    plan: AnyPlan | None = Field(
        default=None, description="The plan, word for word: the object where it is one, else text."
    )
    chosen_by: Paragraph = Field(
        description="What shows that it was chosen: the words, whose, and where. With status"
        " missing: what is there instead."
    )

    @model_validator(mode="after")
    def _has_a_plan_if_found(self) -> Self:
        if (self.status == "found") != (self.plan is not None):
            raise ValueError("a plan with status found, and plan null with status missing")
        return self


class Document(Strict):
    path: FilePath = Field(description="From the project's root.")
    holds: Line = Field(description="What of the plan is written there.")


class Recorded(Strict):
    """The documents that now hold the plan."""

    status: Literal["recorded", "blocked"]
    documents: list[Document] = Field(default=[], max_length=DOCUMENTS)
    blocker: Paragraph | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.status == "recorded" and (not self.documents or self.blocker is not None):
            raise ValueError("with status recorded: one document or more, and blocker null")
        if self.status == "blocked" and self.blocker is None:
            raise ValueError("with status blocked: a blocker")
        return self


class FileSeen(Strict):
    path: str
    sha256: str


class Inspection(Strict):
    """What is really there of the documents that were named."""

    verdict: Literal["there", "missing"]
    files: list[FileSeen]
    problems: list[str]


class Verification(Strict):
    """Whether the documents, read again, say what the plan says."""

    verdict: Literal["agrees", "differs"]
    problems: list[Line] = Field(default=[], max_length=PROBLEMS)

    @model_validator(mode="after")
    def _says_what_differs(self) -> Self:
        if (self.verdict == "differs") != bool(self.problems):
            raise ValueError("problems with verdict differs, and none with verdict agrees")
        return self


class Retry(Strict):
    verdict: Literal["again", "enough"]
    problems: list[str]


class Documented(Strict):
    """The receipt."""

    plan_digest: str = Field(description="SHA-256 of the plan's canonical JSON.")
    files: list[FileSeen]
    documents: list[Document]


class NotDocumented(Strict):
    """Why the plan is not documented, or not reliably."""

    blocker: str
    plan_digest: str | None


autodoc = Workflow(
    "autodoc",
    input=Chosen,
    start="origin",
    title="Document a plan",
    description="Record a chosen plan in the project's documents.",
    revision=1,
)


@autodoc.compute
def origin(ctx: Context[Chosen]) -> Origin:
    return Origin(where="elsewhere" if ctx.input.plan is None else "input")


@autodoc.agent(output=Found, status="looking for the chosen plan")
def find(_ctx: Context[Chosen]) -> str:
    return (
        "Find the plan that was already chosen. Look in this conversation first, then in what it"
        " refers to: files of the project, issues, the results of earlier runs.\n\n"
        "A plan counts as chosen if the user agreed to it, or an approval of it is recorded. One"
        " that was only proposed or discussed does not. If several were chosen for the same"
        " matter, the latest counts. Do not write, complete or improve a plan, and do not choose"
        " one yourself: if none was chosen, or you cannot tell which, say missing."
    )


def _plan(ctx: Context[Chosen]) -> str:
    return block("plan", ctx.excerpt(plan_text(_chosen(ctx)), PLAN_SHOWN_CHARS))


def _chosen(ctx: Context[Chosen]) -> AnyPlan:
    found = ctx.latest(find, None)
    plan = ctx.input.plan if found is None else found.plan
    assert plan is not None
    return plan


@autodoc.agent(output=Recorded, timeout=RECORD_SECONDS, status="writing the documentation")
def record(ctx: Context[Chosen]) -> str:
    retry = ctx.latest(judge, None)
    again = (
        f"The documents are not right yet. Repair this first:\n{bullets(retry.problems)}\n\n"
        if retry is not None
        else ""
    )
    return (
        f"{again}Record the plan below in the project's canonical documentation.\n\n"
        "Canonical is where readers of this project look for such a thing today: follow what the"
        " project says of itself and where its earlier decisions are. Change the documents that"
        " already speak of the matter before you add a new one, so that no two of them disagree"
        " afterwards. Write what was decided and why, in the style of the place, and write work"
        " that is not done yet as not done. Change documents only: no code, no configuration, no"
        " tests. Do not change the plan, add to it or carry it out.\n\n"
        "Name each document that now holds a part of the plan, by its path from the project's"
        " root. If there is no place for it, or the plan contradicts a document that you may not"
        f" change, say blocked.{_plan(ctx)}"
    )


@autodoc.action(effect="idempotent", status="looking at the documents")
def inspect(ctx: Context[Chosen]) -> Inspection:
    files, problems = [], []
    root = ctx.project.resolve()
    for document in ctx.output(record).documents:
        seen = _file_of(root, document.path)
        if isinstance(seen, str):
            problems.append(seen)
        else:
            files.append(FileSeen(path=document.path, sha256=_sha256(seen)))
    return Inspection(verdict="missing" if problems else "there", files=files, problems=problems)


def _file_of(root: Path, path: str) -> Path | str:
    """Give a named file, or what is wrong with the name."""
    file = (root / path).resolve()
    if not file.is_relative_to(root):
        return f"{path} lies outside the project"
    return file if file.is_file() else f"there is no file {path}"


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@autodoc.agent(output=Verification, status="verifying the documents")
def verify(ctx: Context[Chosen]) -> str:
    named = [f"{each.path}: {each.holds}" for each in ctx.output(record).documents]
    return (
        "Verify the documentation as somebody who did not write it. Read each document below again"
        " from the file, not from memory, and compare it with the plan. Change nothing.\n\n"
        "It agrees if everything that the plan decides is there and says the same, nothing is there"
        " that the plan does not say, nothing open is written as done, links and references lead"
        " somewhere, and no other document of the project contradicts it. Otherwise it differs:"
        " give each problem with its document and place."
        f"{block('documents', bullets(named))}{_plan(ctx)}"
    )


@autodoc.compute
def judge(ctx: Context[Chosen]) -> Retry:
    seen = ctx.output(inspect)
    problems = seen.problems
    if seen.verdict == "there":
        problems = list(ctx.output(verify).problems)
    return Retry(verdict="again" if ctx.visit <= REPAIRS else "enough", problems=problems)


@autodoc.compute
def receipt(ctx: Context[Chosen]) -> Documented:
    return Documented(
        plan_digest=plan_digest(_chosen(ctx)),
        files=ctx.output(inspect).files,
        documents=ctx.output(record).documents,
    )


@autodoc.compute
def stuck(ctx: Context[Chosen]) -> NotDocumented:
    found, recorded = ctx.latest(find, None), ctx.latest(record, None)
    if recorded is None:
        return NotDocumented(blocker=found.chosen_by if found else "", plan_digest=None)
    digest = plan_digest(_chosen(ctx))
    if recorded.blocker is not None:
        return NotDocumented(blocker=recorded.blocker, plan_digest=digest)
    left = "; ".join(ctx.output(judge).problems)
    return NotDocumented(blocker=f"still wrong after {REPAIRS} repairs: {left}", plan_digest=digest)


autodoc.switch(origin, on="where", cases={"input": record, "elsewhere": find})
autodoc.switch(find, on="status", cases={"found": record, "missing": stuck})
autodoc.switch(record, on="status", cases={"recorded": inspect, "blocked": stuck})
autodoc.switch(inspect, on="verdict", cases={"there": verify, "missing": judge})
autodoc.switch(verify, on="verdict", cases={"agrees": receipt, "differs": judge})
autodoc.switch(judge, on="verdict", cases={"again": record, "enough": stuck})

documented = autodoc.exit("documented", receipt, output=Documented)
blocked = autodoc.exit("blocked", stuck, output=NotDocumented)
