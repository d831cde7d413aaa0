"""Rules about settings: they exist, they are there, and their values make sense."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..findings import Change, Code, Fix
from ..source.expr import Call, Const, Text
from ..source.graph import BARE, SETTINGS
from ..source.outputs import choices_of, words_of
from ..source.types import value_of
from .view import is_none, listed, nearest, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.expr import Expr, Span
    from ..source.graph import MountSource, NodeSource
    from .view import View

WORKFLOW: Final = (
    "name",
    "input",
    "start",
    "max_steps",
    "title",
    "description",
    "mount_only",
    "on_reopen",
    "revision",
)
"""What `Workflow(...)` takes; a test holds this equal to the author's API."""
EFFECTS: Final = ("idempotent", "manual")
_REOPEN: Final = ("wait", "continue")
_YEARS: Final = 10 * 366 * 86_400


def check(view: View) -> Iterator[Finding]:
    yield from _workflow(view)
    for node in view.workflow.nodes:
        yield from _node(view, node)
    for mount in view.workflow.mounts:
        yield from _mount(view, mount)


def _bad(view: View, message: str, span: Span, subject: str, fix: Fix | None = None) -> Finding:
    return view.finding(Code.BAD_SETTING, message, span, subject, fix)


# The workflow's own


def _workflow(view: View) -> Iterator[Finding]:
    workflow = view.workflow
    yield from _unknown(view, workflow.call, workflow.base, WORKFLOW, workflow.name or "Workflow")
    steps = _number(view, workflow.setting("max_steps"))
    if steps is not None and (isinstance(steps, float) or steps < 1):
        given = workflow.setting("max_steps")
        assert given is not None
        yield _bad(view, "max_steps has to be 1 or more", workflow.at(given), "max_steps")
    reopen = workflow.setting("on_reopen")
    if isinstance(reopen, Text) and reopen.value not in _REOPEN:
        message = 'on_reopen is "wait" or "continue"'
        yield _bad(view, message, workflow.at(reopen), "on_reopen")


def _unknown(
    view: View, call: Call, base: int, known: tuple[str, ...], subject: str
) -> Iterator[Finding]:
    for keyword in call.keywords:
        if keyword.name in known or not keyword.name:
            continue
        near = nearest(keyword.name, known)
        span = (base + keyword.name_span[0], base + keyword.name_span[1])
        fix = replace(f"write {near}", span, near) if near is not None else None
        there = f": {fix.title}" if fix is not None else f" (there are: {listed(known)})"
        yield _bad(view, f"'{subject}' takes no {keyword.name}={there}", span, subject, fix)


def _number(view: View, expr: Expr | None) -> int | float | None:
    known = value_of(view.module, expr) if expr is not None else None
    value = known[0] if known is not None else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


# A node's


def _node(view: View, node: NodeSource) -> Iterator[Finding]:
    if node.maker is None:
        if node.kind not in BARE:
            yield from _bare(view, node)
        return
    yield from _unknown(view, node.maker, node.base, SETTINGS[node.kind], node.name)
    if node.open:
        return
    if node.kind == "notify":
        end = node.maker_span[1]
        start = node.base + node.maker.fn.span[1]
        fix = Fix("write it without parentheses", (Change(start, end, ""),))
        yield _bad(view, f"notify takes no settings: {fix.title}", node.maker_span, node.name, fix)
    if node.kind in {"action", "shell"}:
        yield from _effect(view, node)
    if node.kind == "wait":
        yield from _wait(view, node)
    if node.kind in {"decision", "human_decision"}:
        yield from _choices(view, node)
    yield from _timeout(view, node)


def _bare(view: View, node: NodeSource) -> Iterator[Finding]:
    end = node.maker_span[1]
    if node.kind in {"action", "shell"}:
        fix = Fix('add effect="manual"', (Change(end, end, '(effect="manual")'),))
        yield _no_effect(view, node, node.maker_span, fix)
        return
    if node.kind in {"decision", "human_decision"}:
        message = f"'{node.name}' needs choices=[...] to pick from"
        yield _bad(view, message, node.maker_span, node.name)
        return
    fix = Fix("add ()", (Change(end, end, "()"),))
    message = f"@{view.workflow.variable}.{node.kind} is written with parentheses: {fix.title}"
    yield _bad(view, message, node.maker_span, node.name, fix)


def _effect(view: View, node: NodeSource) -> Iterator[Finding]:
    assert node.maker is not None
    given = node.setting("effect")
    if given is None:
        start = view.module.document.text.data.find(b"(", node.base + node.maker.fn.span[1]) + 1
        rest = ", " if node.maker.keywords or node.maker.args else ""
        fix = Fix('add effect="manual"', (Change(start, start, f'effect="manual"{rest}'),))
        yield _no_effect(view, node, node.maker_span, fix)
        return
    known = value_of(view.module, given)
    if known is not None and known[0] not in EFFECTS:
        span = _at(node, given)
        near = nearest(str(known[0]), EFFECTS)
        fix2 = replace(f'write "{near}"', span, f'"{near}"') if near is not None else None
        yield _no_effect(view, node, span, fix2)


def _no_effect(view: View, node: NodeSource, span: Span, fix: Fix | None) -> Finding:
    message = (
        f"say what a crash means for '{node.name}': effect=\"idempotent\" (run it again)"
        ' or effect="manual" (a person decides)'
    )
    return view.finding(Code.NO_EFFECT, message, span, node.name, fix)


def _wait(view: View, node: NodeSource) -> Iterator[Finding]:
    seconds, until = node.setting("seconds"), node.setting("until")
    if is_none(seconds) == is_none(until):
        message = f"wait '{node.name}' takes one of seconds= and until="
        yield _bad(view, message, node.maker_span, node.name)
    number = _number(view, seconds)
    if seconds is not None and number is not None and not 0 <= number <= _YEARS:
        message = "seconds has to lie between 0 and ten years"
        yield _bad(view, message, _at(node, seconds), node.name)


def _timeout(view: View, node: NodeSource) -> Iterator[Finding]:
    given = node.setting("timeout")
    number = _number(view, given)
    truth = isinstance(given, Const) and isinstance(given.value, bool)
    if given is not None and (truth or (number is not None and number <= 0)):
        message = "timeout has to be more than 0 seconds, or None"
        yield _bad(view, message, _at(node, given), node.name)


def _choices(view: View, node: NodeSource) -> Iterator[Finding]:
    given = node.setting("choices")
    if given is None:
        message = f"'{node.name}' needs choices=[...] to pick from"
        yield _bad(view, message, node.maker_span, node.name)
        return
    choices = choices_of(view.module, node)
    if choices is None:
        return
    if not choices or len(set(choices)) < len(choices) or not all(c.strip() for c in choices):
        message = "choices have to be one or more different words"
        yield _bad(view, message, _at(node, given), node.name)
    yield from _named_choices(view, node, choices)


def _named_choices(view: View, node: NodeSource, choices: tuple[str, ...]) -> Iterator[Finding]:
    given, late = node.setting("text"), node.setting("on_timeout")
    words = words_of(view.module, given) if given is not None else ()
    for word in words or ():
        if given is not None and word not in choices:
            message = f"text names '{word}', which is not a choice"
            yield _bad(view, message, _at(node, given), node.name)
    known = value_of(view.module, late) if late is not None else None
    if late is None or known is None or known[0] is None:
        return
    if known[0] not in choices:
        span = _at(node, late)
        near = nearest(str(known[0]), choices)
        fix = replace(f'write "{near}"', span, f'"{near}"') if near is not None else None
        yield _bad(view, f"on_timeout is {known[0]!r}, not a choice", span, node.name, fix)
    elif is_none(node.setting("timeout")):
        yield _bad(view, "on_timeout needs a timeout=", _at(node, late), node.name)


def _at(node: NodeSource, expr: Expr) -> Span:
    return node.base + expr.span[0], node.base + expr.span[1]


# A mount's


def _mount(view: View, mount: MountSource) -> Iterator[Finding]:
    inner = view.included(mount)
    if inner is None or mount.callbacks or inner.workflow.call.open:
        return
    if inner.workflow.setting("input") is not None and not view.workflow.open:
        start, end = mount.span
        if b"input" not in view.module.document.text.data[start:end]:
            message = f"'{inner.workflow.name}' takes an input: give input=lambda ctx: ..."
            yield _bad(view, message, mount.name_span, mount.name)
