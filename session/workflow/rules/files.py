"""Rules about the file as a whole: it parses, and it binds one workflow named as the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...limits import SOURCE_BYTES
from ..findings import Code
from ..names import workflow_name
from ..source.expr import Call
from ..source.facts import Assign, Import, Other
from ..source.module import Handle, Outside
from .view import replace, report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.facts import Fact
    from ..source.graph import WorkflowSource
    from ..source.module import Module

_NO_WORKFLOW = ("builtins.", "typing.", "pydantic.", "re.", "pathlib.", "datetime.", "logging.")
"""Where calls come from that make no workflow."""


def check(module: Module) -> Iterator[Finding]:
    yield from _syntax(module)
    if not module.document.path.name.startswith("_"):
        yield from _one_workflow(module)


def _syntax(module: Module) -> Iterator[Finding]:
    data = module.document.text.data
    if len(data) >= SOURCE_BYTES:
        message = f"a workflow file has fewer than {SOURCE_BYTES:,} bytes: split it"
        yield report(module, Code.SYNTAX, message, (0, 0))
    for start, end, missing in module.document.breaks:
        stop = min(end, data.find(b"\n", start) if data.find(b"\n", start) >= 0 else end)
        message = f"'{missing}' is missing here" if missing else "this is not valid Python"
        yield report(module, Code.SYNTAX, message, (start, max(start, stop)))


def _one_workflow(module: Module) -> Iterator[Finding]:
    """A file may bind other workflows too, but exactly one that bears its name."""
    stem = module.document.path.stem
    want = workflow_name(stem)
    named = [each for each in module.workflows if each.name == want]
    for extra in named[1:]:
        first = module.document.text.position(named[0].span[0]).line
        message = f"line {first} has a workflow '{want}' already: keep one"
        yield report(module, Code.NOT_ONE_WORKFLOW, message, extra.span, want)
    if named or not _shows_all(module):
        return
    if len(module.workflows) == 1:
        yield _misnamed(module, module.workflows[0], want)
    else:
        message = f'bind one workflow at the top of the file: {stem} = Workflow("{want}", ...)'
        yield report(module, Code.NOT_ONE_WORKFLOW, message, (0, 0), want)


def _misnamed(module: Module, workflow: WorkflowSource, want: str) -> Finding:
    message = f"the file is {module.document.path.name}, so name its workflow '{want}'"
    fix = replace(f"name it '{want}'", workflow.name_span, f'"{want}"')
    name = workflow.name or ""
    return report(module, Code.NAME_NOT_STEM, message, workflow.name_span, name, fix)


def _shows_all(module: Module) -> bool:
    """Whether a workflow that the text does not show can be ruled out."""
    if module.document.stars or any(each.name is None for each in module.workflows):
        return False
    return not any(_may_bind(module, each.fact) for each in module.document.statements)


def _may_bind(module: Module, fact: Fact) -> bool:
    """Whether a statement may bring a workflow that was made elsewhere."""
    match fact:
        case Other(names=names, broken=broken):
            return broken or "Workflow" in names
        case Assign(name=name, value=Call() as call):
            ours = isinstance(module.of_name(name), Handle)
            return not ours and not _known_call(module, call)
        case Import(names=imported):
            own = {module.document.path.stem, module.document.path.stem.replace("-", "_")}
            return any(
                each.local in own or isinstance(module.of_name(each.local), Handle)
                for each in imported
            )
        case _:
            return False


def _known_call(module: Module, call: Call) -> bool:
    """Whether a call makes something that is known to be no workflow."""
    meaning = module.meaning(call.fn)
    return isinstance(meaning, Outside) and meaning.name.startswith(_NO_WORKFLOW)
