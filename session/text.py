"""What the model sees of a step: one pure function for every host (T12).

Guard and contract together stay under 700 characters beside the schema; a test holds that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .store.records import Request, Run
    from .workflow.snapshot import NodeDef

GUARD = (
    "Continue in this session: do this step yourself, do not hand it to another agent and do"
    " not start another session."
)


class StepText(NamedTuple):
    """The parts of a step's message, in the order in which they are said."""

    guard: str
    prompt: str
    contract: str
    schema: str

    def __str__(self) -> str:
        parts = (self.guard, self.prompt, self.contract, self.schema)
        return "\n\n".join(part for part in parts if part)


def step_text(workflow: str, node: NodeDef, request_id: str, prompt: str) -> StepText:
    """Build a step's message from the author's prompt and the step's contract."""
    head = f"Workflow {workflow}, step {node.path}, request {request_id}."
    contract = f"{head} {_HOW[node.kind if not node.human else 'human'](request_id, node)}"
    return StepText(GUARD, prompt, contract, _schema(node))


def _agent(request_id: str, node: NodeDef) -> str:
    output = "an object that fits the schema below" if node.schema else "null"
    call = f'{{"action": "submit", "request_id": "{request_id}", "output": ...}}'
    return (
        f"When it is done, call the tool `workflow` with {call}; output is {output}."
        " If it is not accepted, correct what is named and submit again with the same"
        " request_id. Once it is accepted, end your turn: the next step comes as the next"
        " message; do not wait for it."
    )


def _assistant(_request_id: str, _node: NodeDef) -> str:
    return (
        "Answer in plain text in this conversation: the last text of your turn is the step's"
        " output, and the person reads it. Do not submit it with a tool. Then end your turn."
    )


def _checkpoint(request_id: str, node: NodeDef) -> str:
    output = "an object that fits the schema below" if node.schema else "their answer as text"
    call = f'{{"action": "answer", "request_id": "{request_id}", "output": ...}}'
    return (
        "The workflow waits here for an answer. Ask the person if you do not know it, then call"
        f" the tool `workflow` with {call}; output is {output}. Then end your turn."
    )


def _human(_request_id: str, node: NodeDef) -> str:
    return (
        f"A person has to choose: {', '.join(node.choices)}. You cannot answer this; end your"
        " turn and do nothing for the workflow until they have."
    )


def _schema(node: NodeDef) -> str:
    if node.schema is None or node.human:
        return ""
    return f"Output schema:\n{node.schema_text}"


_HOW = {
    "agent": _agent,
    "assistant": _assistant,
    "checkpoint": _checkpoint,
    "human": _human,
}


_AGAIN = {
    "resumed": "The workflow goes on here. Its open step again, under the same request:",
    "restated": "The conversation was compacted. The open step again, under the same request:",
}


def again(kind: str, said: str) -> str:
    """Say an open step again after a resume or a compaction."""
    head = _AGAIN.get(kind, "")
    return f"{head}\n\n{said}" if head else said


def reminder(workflow: str, node: NodeDef, request_id: str) -> str:
    """Remind of an open step whose turn ended without an answer."""
    text = step_text(workflow, node, request_id, "")
    return (
        "Your last turn ended and this step is still open. If the work is done, answer now;"
        f" if not, finish it first.\n\n{text}"
    )


def fallback_text(workflow: str, run_id: str, cause: str, reason: str, path: str) -> str:
    """Say how a run ended other than well: facts, and what may be done about it (T10)."""
    where = f" at step {path}" if path else ""
    why = f" Reason: {reason}" if reason else ""
    return (
        f"Workflow {workflow} (run {run_id}) has ended{where}: {cause.replace('_', ' ')}.{why}\n"
        'You may start it anew with the tool `workflow`, action "start", if that is what the'
        ' person would want; look first with action "status". Else tell the person what happened.'
    )


def human_notice(run: Run, node: NodeDef, request: Request, prompt: str) -> str:
    """Show a person what they are asked and how to answer in this session."""
    lines = [
        f"/workflow answer {request.id} {choice}" + (" TEXT" if choice in node.text else "")
        for choice in node.choices
    ]
    return f"{prompt}\n\nWorkflow {run.workflow} waits for your choice:\n" + "\n".join(lines)


def left_behind(run: Run) -> str:
    """Offer a person the run of the conversation that this one took the place of."""
    return (
        f"This conversation took the place of {run.origin}, where workflow {run.workflow} (run"
        f" {run.id}) has not ended. `/workflow rebind {run.id}` moves it here; else it stays there."
    )
