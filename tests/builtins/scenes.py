"""Rehearsals of the built-ins, one for each path; played once and asserted on by many tests."""

from __future__ import annotations

import copy
import json
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.testing import rehearse

if TYPE_CHECKING:
    from segue.testing.rehearsed import Rehearsed

ROOT = Path(__file__).parents[2]
EXAMPLE: dict[str, Any] = json.loads((ROOT / "examples/autoplan.answers.json").read_text("utf-8"))
PROBLEM: dict[str, Any] = EXAMPLE["$input"]
PLAN: dict[str, Any] = EXAMPLE["plan"][0]["plan"]
OTHER_PLAN = {**PLAN, "title": "Exports of any size, in the night"}


@dataclass(frozen=True)
class Scene:
    """One path through a built-in."""

    workflow: str
    input: Any = None
    answers: dict[str, list[Any]] = field(default_factory=dict)


def answers(**changed: list[Any]) -> dict[str, list[Any]]:
    """Give autoplan's answers of the example, some of them changed."""
    made = copy.deepcopy({path: items for path, items in EXAMPLE.items() if path != "$input"})
    made["select"] = made["select"][1:]  # the example's first one is sent back
    return {**made, **changed}


def under(mount: str, items: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {f"{mount}/{path}": listed for path, listed in items.items()}


def twice(items: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Give each node's answers for two entries of a mount."""
    return {path: [*listed, *listed] for path, listed in items.items()}


SOLUTIONS: dict[str, Any] = EXAMPLE["solutions"][0]
KEPT = {**SOLUTIONS, "previous_plan": {"fate": "candidate", "candidate_id": "background-job"}}
DROPPED = {
    **SOLUTIONS,
    "previous_plan": {"fate": "rejected", "reason": "It waits for the night, and nobody can."},
}
PARTIAL, SELECTED = EXAMPLE["select"]
BLOCKED: dict[str, Any] = {
    "status": "blocked",
    "selected_id": None,
    "why": "Every way to a complete file needs more than 30 seconds of somebody's proxy.",
    "relation_to_ideal": "The ideal needs the same permission, so it is no nearer.",
    "rejected": [
        {"id": "background-job", "reason": "The worker was switched off for good last week."},
        {
            "id": "streamed-response",
            "reason": "The proxy counts from the first byte on.",
        },
        {"id": "ideal", "reason": "Nobody runs a column store, and a new service is ruled out."},
    ],
    "compromises": [],
    "blocker": "The host of the site has to raise the proxy's limit; only they can.",
}
REPLANNED = {"plan": OTHER_PLAN, "changes": ["The title"]}
PLANNED: dict[str, Any] = EXAMPLE["plan"][0]

SEEN: dict[str, Any] = {
    "decision": "wait",
    "report": "The build of commit 4be7d10 is running: 12 of 30 jobs are through.",
}
ACTING: dict[str, Any] = {
    "decision": "act",
    "report": "The job 'lint' failed on 4be7d10 because its cache is broken.",
    "failure_id": "lint-cache-broken",
    "target_state_id": "commit-4be7d10",
    "action": "Run the job 'lint' again with an empty cache.",
    "authority": "The task: 'run a job again if only its cache is broken'.",
}
MOVED = {**ACTING, "target_state_id": "commit-07aa5e9"}
DONE: dict[str, Any] = {
    "decision": "stop",
    "outcome": "done",
    "report": "All 30 jobs of 07aa5e9 are green; I read the list of jobs.",
}
STUCK = {
    **DONE,
    "outcome": "blocked",
    "report": "The account is locked; its owner can open it.",
}
ACTED = {"result": "Started the job 'lint' again with an empty cache; it is queued."}
WATCH: dict[str, Any] = {
    "task": "Watch the build of main; run a job again if only its cache is broken.",
    "stop_when": "The build of main is green.",
}
MISSED = {"$outcome": "timed_out"}

GIT: dict[str, list[Any]] = {
    "base": [{"stdout": "9f31c0200000000000000000000000000000aaaa\n"}],
    "status": [{"stdout": "## main\n M export/writer.py\n?? export/cache.py\n"}],
    "log": [{"stdout": "07aa5e9 Cache the export's header\n"}],
    "stat": [{"stdout": " export/writer.py | 9 +++++++++\n 1 file changed, 9 insertions(+)\n"}],
    "diff": [{"stdout": "--- a/export/writer.py\n+++ b/export/writer.py\n+header = cached()\n"}],
}
ASPECTS = ("necessity", "duplication", "contracts", "scope", "tests")
REVIEW: dict[str, Any] = {
    "change": "It caches the header row of an export so that it is not built twice.",
    "strongest_case_for": "The header took a third of the time of small exports in the profile.",
    "claims": [
        {
            "id": f"{aspect}-1",
            "aspect": aspect,
            "stance": "against" if aspect == "duplication" else "for",
            "claim": f"On {aspect}: the standard library's cache does the same in one line.",
            "evidence": [{"where": "export/cache.py:3", "quote": "def cached():"}],
        }
        for aspect in ASPECTS
    ],
}
JUDGED: dict[str, Any] = {
    "checked": [
        {
            "id": f"{aspect}-1",
            "result": "unproven" if aspect == "tests" else "confirmed",
            "how": "Read export/cache.py and its one caller; both are as quoted.",
        }
        for aspect in ASPECTS
    ],
    "verdict": "simplify",
    "why": "The same is reached with functools.cache and without a new module.",
    "rests_on": ["duplication-1"],
    "next_steps": ["Replace export/cache.py by functools.cache"],
}

FOUND = {
    "status": "found",
    "plan": PLAN,
    "chosen_by": "The user wrote 'yes, do that' below the plan in this conversation.",
}
RECORDED: dict[str, Any] = {
    "status": "recorded",
    "documents": [{"path": "docs/export.md", "holds": "The decision and its three steps"}],
}
THERE = {
    "verdict": "there",
    "files": [{"path": "docs/export.md", "sha256": "ab" * 32}],
    "problems": [],
}
GONE = {"verdict": "missing", "files": [], "problems": ["there is no file docs/export.md"]}
AGREES = {"verdict": "agrees"}
DIFFERS = {"verdict": "differs", "problems": ["docs/export.md:4 says that the work is done"]}

SUMMARISED = {"source": "The build took 9 minutes.", "purpose": "The team decides on a cache."}

SCENES: dict[str, Scene] = {
    "plain-summary": Scene("plain-summary", SUMMARISED, {"summary": ["It took 9 minutes."]}),
    "plain-summary-bullets": Scene(
        "plain-summary",
        {**SUMMARISED, "format": "bullets", "must_include": ["how long it took"]},
        {"summary": ["- 9 minutes"]},
    ),
    "autoplan-ready": Scene("autoplan", PROBLEM, answers()),
    "autoplan-repaired": Scene("autoplan", PROBLEM, answers(select=EXAMPLE["select"])),
    "autoplan-blocked": Scene(
        "autoplan",
        PROBLEM,
        answers(select=[BLOCKED], **{"blocked_summary/summary": ["It cannot be done here."]}),
    ),
    "autoplan-replan": Scene(
        "autoplan",
        {
            **PROBLEM,
            "scope": "The export only.",
            "constraints": "No new service.",
            "previous_plan": PLAN,
            "new_evidence": "The worker may only run at night.",
        },
        answers(solutions=[SOLUTIONS, KEPT], plan=[REPLANNED]),
    ),
    "autoplan-same-plan": Scene(
        "autoplan", {**PROBLEM, "previous_plan": json.dumps(PLAN)}, answers(solutions=[DROPPED])
    ),
    "autoplan-text-plan": Scene(
        "autoplan",
        {**PROBLEM, "previous_plan": "Export at night, by the worker."},
        answers(solutions=[DROPPED], plan=[REPLANNED]),
    ),
    "autoplan-never-right": Scene("autoplan", PROBLEM, answers(select=[PARTIAL] * 4)),
    "approval-continue": Scene("plan-approval", {"plan": PLAN}, {"ask": [{"choice": "continue"}]}),
    "approval-stop": Scene(
        "plan-approval", {"plan": PLAN}, {"ask": [{"choice": "stop", "text": "Not this year."}]}
    ),
    "approval-replan": Scene(
        "plan-approval",
        {"plan": "Export at night, by the worker.", "policy": "auto"},
        {"ask": [{"choice": "replan"}, {"choice": "replan", "text": 'By day: "9 to 5".'}]},
    ),
    "approval-auto": Scene("plan-approval", {"plan": PLAN, "policy": "auto"}, {"ask": [MISSED]}),
    "approval-skip": Scene("plan-approval", {"plan": PLAN, "policy": "skip"}),
    "change-approved": Scene(
        "plan-change",
        PROBLEM,
        {**under("planning", answers()), "approval/ask": [{"choice": "continue"}]},
    ),
    "change-replanned": Scene(
        "plan-change",
        PROBLEM,
        {
            **under(
                "planning",
                twice(answers()) | {"solutions": [SOLUTIONS, KEPT], "plan": [PLANNED, REPLANNED]},
            ),
            "approval/ask": [
                {"choice": "replan", "text": "At night only.\n  Not by day."},
                {"choice": "continue"},
            ],
        },
    ),
    "change-stopped": Scene(
        "plan-change",
        PROBLEM,
        {**under("planning", answers()), "approval/ask": [{"choice": "stop"}]},
    ),
    "change-used-up": Scene(
        "plan-change",
        PROBLEM,
        {
            **under(
                "planning",
                {path: listed * 6 for path, listed in answers().items()}
                | {"solutions": [SOLUTIONS, *[KEPT] * 5]},
            ),
            "approval/ask": [{"choice": "replan", "text": f"Again, {n}."} for n in range(6)],
        },
    ),
    "change-blocked": Scene(
        "plan-change",
        PROBLEM,
        under(
            "planning",
            answers(select=[BLOCKED], **{"blocked_summary/summary": ["It cannot be done here."]}),
        ),
    ),
    "change-skip": Scene(
        "plan-change", {**PROBLEM, "policy": "skip"}, under("planning", answers())
    ),
    "autodoc-given": Scene(
        "autodoc",
        {"plan": PLAN},
        {"record": [RECORDED], "inspect": [THERE], "verify": [AGREES]},
    ),
    "autodoc-found": Scene(
        "autodoc",
        {},
        {
            "find": [{**FOUND, "plan": None}, FOUND],
            "record": [RECORDED] * 3,
            "inspect": [GONE, THERE, THERE],
            "verify": [DIFFERS, AGREES],
        },
    ),
    "autodoc-missing": Scene(
        "autodoc",
        {},
        {"find": [{"status": "missing", "chosen_by": "Two plans are discussed, none agreed."}]},
    ),
    "autodoc-blocked": Scene(
        "autodoc",
        {"plan": PLAN},
        {"record": [{"status": "blocked", "blocker": "docs/ is made by another project."}]},
    ),
    "autodoc-never-right": Scene(
        "autodoc",
        {"plan": PLAN},
        {"record": [RECORDED] * 3, "inspect": [THERE] * 3, "verify": [DIFFERS] * 3},
    ),
    "monitor-done": Scene(
        "monitor", WATCH, {"observe": [SEEN, ACTING, MOVED, DONE], "act": [ACTED, MISSED]}
    ),
    "monitor-blocked": Scene("monitor", WATCH, {"observe": [SEEN, STUCK]}),
    "monitor-same-again": Scene(
        "monitor", WATCH, {"observe": [ACTING, SEEN, ACTING], "act": [ACTED]}
    ),
    "monitor-used-up": Scene("monitor", {**WATCH, "max_checks": 3}, {"observe": [SEEN] * 3}),
    "monitor-no-check-for-an-act": Scene(
        "monitor", {**WATCH, "max_checks": 1}, {"observe": [ACTING]}
    ),
    "monitor-missed": Scene(
        "monitor",
        {"task": "Watch the build.", "every_minutes": 1},
        {"observe": [MISSED, MISSED, SEEN, MISSED, MISSED, MISSED]},
    ),
    "monitor-three-days": Scene("monitor", WATCH, {"observe": [*[SEEN] * 144, DONE]}),
    "sanity-simplify": Scene("sanity-check", {}, {**GIT, "review": [REVIEW], "verify": [JUDGED]}),
    "sanity-repaired": Scene(
        "sanity-check",
        {"base_ref": "main"},
        {
            **GIT,
            "review": [{**REVIEW, "claims": REVIEW["claims"][:4] * 2}, REVIEW],
            "verify": [{**JUDGED, "checked": JUDGED["checked"][1:], "rests_on": []}, JUDGED],
        },
    ),
    "sanity-nothing": Scene(
        "sanity-check",
        {},
        {**GIT, **{name: [{"stdout": ""}] for name in ("status", "log", "stat", "diff")}},
    ),
    "sanity-no-upstream": Scene(
        "sanity-check",
        {},
        {
            **GIT,
            "base": [{"stderr": "fatal: no upstream", "exit_code": 128}],
            "review": [REVIEW],
            "verify": [JUDGED],
        },
    ),
    "sanity-no-such-base": Scene(
        "sanity-check", {"base_ref": "nowhere"}, {**GIT, "base": [{"exit_code": 128}]}
    ),
    "sanity-never-right": Scene(
        "sanity-check",
        {},
        {**GIT, "review": [REVIEW], "verify": [{**JUDGED, "rests_on": ["tests-1"]}] * 4},
    ),
}


@cache
def play(name: str) -> Rehearsed:
    """Rehearse a scene, once."""
    scene = SCENES[name]
    return play_scene(scene)


def play_scene(scene: Scene) -> Rehearsed:
    with tempfile.TemporaryDirectory(prefix="segue-scene-") as folder:
        return rehearse(
            f"builtin:{scene.workflow}", input=scene.input, answers=scene.answers, project=folder
        )
