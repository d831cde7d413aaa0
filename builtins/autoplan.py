"""Turn a problem into one plan that can be carried out, or say what stands in the way."""

from segue import Context, Workflow
from segue.builtins._fields import block, bullets
from segue.builtins._plan import Plan, plan_digest, plan_text
from segue.builtins._planning import (
    CANDIDATES_LEAST,
    CANDIDATES_MOST,
    IDEAL,
    IDEAL_TITLE,
    Blocked,
    Check,
    Frame,
    HolyGrail,
    Intent,
    Planned,
    Problem,
    Ready,
    Selection,
    SelectionCheck,
    Solutions,
    selection_problems,
    solution_problems,
)
from segue.builtins._planning_text import candidate_text, frame_text, ideal_text, repair_text
from segue.builtins.plain_summary import Summary, plain_summary, said

PREVIOUS_SHOWN_CHARS = 10_000
REPAIRS = 3
PLAN_SECONDS = 30 * 60
PROMPT_BUDGET = 64_000


autoplan = Workflow(
    "autoplan",
    input=Problem,
    start="capture_intent",
    title="Plan a change",
    description="Turn a problem into one plan, or name the blocker.",
    revision=1,
)


# What later prompts show of earlier steps.


def _instructions(ctx: Context[Problem]) -> str:
    text = ctx.output(capture_intent).instructions
    head = (
        "\n\nThe user's own instructions follow. They are authoritative: where anything else"
        " differs from them, they win."
    )
    return head + block("user_instructions", text)


def _evidence(ctx: Context[Problem]) -> str:
    plan = ctx.input.previous_plan
    shown = None if plan is None else ctx.excerpt(plan_text(plan), PREVIOUS_SHOWN_CHARS)
    return block("previous_plan", shown) + block("new_evidence", ctx.input.new_evidence)


def _given(ctx: Context[Problem]) -> str:
    given = ctx.input
    stated = block("scope", given.scope) + block("constraints", given.constraints)
    return block("problem", given.problem) + stated + _evidence(ctx)


def _frame(ctx: Context[Problem]) -> str:
    return block("frame", frame_text(ctx.output(frame)))


# The steps.


@autoplan.agent(output=Intent, status="reading what you asked for")
def capture_intent(ctx: Context[Problem]) -> str:
    return (
        "Write down, as one text, what the user asks for in this matter.\n\n"
        "Read the conversation back to where the matter began. Keep the user's own words wherever"
        " a word decides something: goals, limits, names, numbers, preferences, what they ruled"
        " out, what they corrected. Where two of their statements contradict each other, the later"
        " one counts; their words in new_evidence, where there is any, are the latest. Leave out"
        " other matters, and everything that others said or you concluded. Add nothing and solve"
        " nothing. If the user said nothing beyond the request below, give"
        " the words of the request.\n\n"
        "The steps that follow take this text as their authority."
        f"{_given(ctx)}"
    )


@autoplan.agent(output=Frame, status="framing the problem")
def frame(ctx: Context[Problem]) -> str:
    return (
        "Frame the problem. Look at whatever you need to be exact; change nothing, and do not"
        " solve it yet.\n\n"
        "- problem: what is wrong or missing, for whom, and what it costs. No solution.\n"
        "- success_criteria: what is true once it is solved, each so that somebody else can test"
        " it.\n"
        "- in_scope, out_of_scope: what this work touches, and what it leaves alone though it is"
        " near.\n"
        "- constraints: what every solution has to respect. Only what the user said or what you"
        " found to be so.\n"
        "- control_boundary: which code, interfaces and settings are ours to change, and which"
        " belong to others."
        f"{_instructions(ctx)}{_given(ctx)}"
    )


@autoplan.agent(output=Solutions, status="looking for solutions")
def solutions(ctx: Context[Problem]) -> str:
    previous = (
        "There is a previous plan. Account for it in previous_plan: it is one of the candidates"
        " (fate candidate, with its id) or it is not pursued (fate rejected, with the reason)."
        if ctx.input.previous_plan is not None
        else "There is no previous plan: previous_plan is null."
    )
    return (
        f"{repair_text(ctx.latest(check_solutions, None))}"
        f"Give {CANDIDATES_LEAST} to {CANDIDATES_MOST} practical solutions to the framed problem."
        " They differ in their idea, not in their size, and each is one that you would carry out:"
        " none is there to make another look good. Look at whatever you need; change nothing.\n\n"
        "Ask of each: is it a long-term, elegant, production-ready solution? Say the honest answer"
        " in its rationale.\n\n"
        "- id: a short lowercase name of the idea. It stays the same through all later steps;"
        f" `{IDEAL}` is taken.\n"
        "- gist: the idea in one sentence. solution: how it works, concretely.\n"
        "- parts: what has to be built or changed. trade_offs: what it costs, and what it gives"
        " up.\n\n"
        f"{previous}{_instructions(ctx)}{_frame(ctx)}{_evidence(ctx)}"
    )


@autoplan.compute
def check_solutions(ctx: Context[Problem]) -> Check:
    found = solution_problems(
        ctx.output(solutions), has_previous=ctx.input.previous_plan is not None
    )
    _bound(found, ctx.visit)
    return Check(verdict="repair" if found else "fits", problems=found)


@autoplan.agent(output=HolyGrail, status="imagining the ideal")
def holy_grail(ctx: Context[Problem]) -> str:
    made = ctx.output(solutions).candidates
    ideas = "\n".join(f"- {each.id}: {each.title}. {each.gist}" for each in made)
    return (
        f"Describe the ideal end state of the framed problem, the {IDEAL_TITLE}: what it would"
        " look like if effort, time and other people's interfaces set no limits. It still solves"
        " this problem and no other. It is judged beside the practical candidates.\n\n"
        "- end_state: what is then there, and how it works.\n"
        "- outside_dependencies: what it needs that we do not control; empty where it needs"
        " nothing.\n"
        "- additional_value: what it gives that no candidate gives."
        f"{_instructions(ctx)}{_frame(ctx)}{block('candidates', ideas)}"
    )


@autoplan.agent(output=Selection, status="choosing")
def select(ctx: Context[Problem]) -> str:
    listed = [candidate_text(each) for each in ctx.output(solutions).candidates]
    listed.append(ideal_text(ctx.output(holy_grail)))
    shown = "\n\n---\n\n".join(listed)
    return (
        f"{repair_text(ctx.latest(check_selection, None))}"
        "Choose one candidate. The choice is yours: do not ask the user to choose.\n\n"
        "Take the most elegant and production-ready one that is proportionate to the problem, lies"
        " in scope, and can be implemented through interfaces that we control.\n\n"
        "- status: ready. Say blocked only if nothing in scope can meet the success criteria;"
        " then selected_id is null, and blocker says exactly what is in the way and who could"
        " remove it. That the work is hard, long or uncertain is no blocker.\n"
        "- why: what decided, measured by the success criteria.\n"
        f"- relation_to_ideal: how near it comes to the {IDEAL_TITLE}, and whether it leads there"
        " or away from it.\n"
        "- rejected: every other candidate exactly once, by id, with one specific reason. A reason"
        " that would fit another candidate as well is not specific.\n"
        "- compromises: what is knowingly given up; empty if nothing is."
        f"{_instructions(ctx)}{_frame(ctx)}{block('candidates', shown)}"
    )


@autoplan.compute
def check_selection(ctx: Context[Problem]) -> SelectionCheck:
    selection = ctx.output(select)
    found = selection_problems(selection, ctx.output(solutions).candidates, ctx.output(holy_grail))
    _bound(found, ctx.visit)
    return SelectionCheck(verdict="repair" if found else selection.status, problems=found)


@autoplan.agent(output=Planned, timeout=PLAN_SECONDS, status="writing the plan")
def plan(ctx: Context[Problem]) -> str:
    selection = ctx.output(select)
    previous = (
        "\n\nThere is a previous plan. Keep of it what still holds, in its words and with its step"
        " ids, and list in changes what differs."
        if ctx.input.previous_plan is not None
        else ""
    )
    return (
        "Write the plan for the selected candidate. Read the code, the documents and the tests"
        " that it touches until nothing in the plan is a guess; change nothing.\n\n"
        "Somebody who has read nothing but the plan can carry it out. Each step leaves the project"
        " working, and says what is done where and how one can tell that it is finished. The order"
        " of the steps is the order of the work. verification shows that each success criterion is"
        " met. Plan nothing that the selected candidate does not need."
        f"{previous}{_instructions(ctx)}{_frame(ctx)}"
        f"{block('selected', _selected(ctx))}"
        f"{block('why', selection.why)}{block('compromises', bullets(selection.compromises))}"
        f"{_evidence(ctx)}"
    )


def _selected(ctx: Context[Problem]) -> str:
    chosen = ctx.output(select).selected_id
    made = ctx.output(solutions).candidates
    return next(
        (candidate_text(c) for c in made if c.id == chosen), ideal_text(ctx.output(holy_grail))
    )


def _bound(found: list[str], visit: int) -> None:
    """Fail the step, and so the run, once an answer has been repaired often enough."""
    if found and visit > REPAIRS:
        raise ValueError(f"still wrong after {REPAIRS} repairs: {'; '.join(found)}")


# How it ends.

_FORM = "A language or a form that their own instructions ask for is kept."


def _ready_source(ctx: Context[Problem]) -> Summary:
    planned, selection = ctx.output(plan), ctx.output(select)
    changes = f"\n\nChanges to the previous plan:\n{bullets(planned.changes)}"
    return Summary(
        source=f"{_instructions(ctx).strip()}\n\n"
        f"Selected: {selection.selected_id}\n{selection.why}\n\n"
        f"{IDEAL_TITLE}: {selection.relation_to_ideal}\n\n"
        f"Compromises:\n{bullets(selection.compromises)}\n\n{plan_text(planned.plan)}"
        f"{changes if ctx.input.previous_plan is not None else ''}",
        purpose="The user sees at a glance what is planned and why, before they decide on it."
        f" {_FORM}",
        must_include=[
            "what will be different once the plan is carried out",
            "the chosen solution, and the one fact that decided for it",
            f"how it relates to the {IDEAL_TITLE}",
            "each compromise, and the largest risk",
            "the steps in order, each in a few words",
        ],
        format="mixed",
    )


def _blocked_source(ctx: Context[Problem]) -> Summary:
    selection = ctx.output(select)
    against = bullets([f"{each.id}: {each.reason}" for each in selection.rejected])
    return Summary(
        source=f"{_instructions(ctx).strip()}\n\n"
        f"Blocker: {selection.blocker}\n\n{selection.why}\n\n"
        f"Against each candidate:\n{against}",
        purpose=f"The user learns why there is no plan, and what would have to change. {_FORM}",
        must_include=[
            "the blocker, and who could remove it",
            "why each candidate falls short",
        ],
        format="mixed",
    )


ready_summary = autoplan.include("ready_summary", plain_summary, input=_ready_source)
blocked_summary = autoplan.include("blocked_summary", plain_summary, input=_blocked_source)


@autoplan.compute
def finished(ctx: Context[Problem]) -> Ready:
    planned, selection = ctx.output(plan), ctx.output(select)
    return Ready(
        instructions=ctx.output(capture_intent).instructions,
        selected_id=selection.selected_id or "",
        why=selection.why,
        relation_to_ideal=selection.relation_to_ideal,
        rejected=selection.rejected,
        compromises=selection.compromises,
        plan=planned.plan,
        plan_digest=plan_digest(planned.plan),
        changed=_changed(ctx.input.previous_plan, planned),
        changes=planned.changes,
        summary=ctx.output(ready_summary.exit(said)),
    )


def _changed(previous: Plan | str | None, planned: Planned) -> bool | None:
    """Two plans are compared by digest; beside a text, only the model can tell."""
    if previous is None:
        return None
    if isinstance(previous, str):
        return bool(planned.changes)
    return plan_digest(previous) != plan_digest(planned.plan)


@autoplan.compute
def stuck(ctx: Context[Problem]) -> Blocked:
    selection = ctx.output(select)
    return Blocked(
        instructions=ctx.output(capture_intent).instructions,
        blocker=selection.blocker or "",
        why=selection.why,
        rejected=selection.rejected,
        summary=ctx.output(blocked_summary.exit(said)),
    )


autoplan.edge(capture_intent, frame)
autoplan.edge(frame, solutions)
autoplan.edge(solutions, check_solutions)
autoplan.switch(check_solutions, on="verdict", cases={"fits": holy_grail, "repair": solutions})
autoplan.edge(holy_grail, select)
autoplan.edge(select, check_selection)
autoplan.switch(
    check_selection,
    on="verdict",
    cases={"ready": plan, "blocked": blocked_summary, "repair": select},
)
autoplan.edge(plan, ready_summary)
autoplan.edge(ready_summary.exit(said), finished)
autoplan.edge(blocked_summary.exit(said), stuck)

ready = autoplan.exit("ready", finished, output=Ready)
blocked = autoplan.exit("blocked", stuck, output=Blocked)
