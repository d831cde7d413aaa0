"""Rules about the file as a whole: it parses, and it binds one workflow named as the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...limits import SOURCE_BYTES
from ..findings import Code
from ..names import workflow_name
from ..source.expr import Text
from ..source.facts import Other
from .view import replace, report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.module import Module


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
    stem = module.document.path.stem
    want = workflow_name(stem)
    if not module.workflows and _shows_all(module):
        message = f'bind one workflow at the top of the file: {stem} = Workflow("{want}", ...)'
        yield report(module, Code.NOT_ONE_WORKFLOW, message, (0, 0), want)
    for extra in module.workflows[1:]:
        first = module.document.text.position(module.workflows[0].span[0]).line
        message = f"a file binds one workflow and line {first} has it: move this one to its file"
        yield report(module, Code.NOT_ONE_WORKFLOW, message, extra.span, extra.name or "")
    if len(module.workflows) == 1:
        yield from _named_as_file(module, want)


def _named_as_file(module: Module, want: str) -> Iterator[Finding]:
    workflow = module.workflows[0]
    first = workflow.call.args[0] if workflow.call.args else workflow.setting("name")
    if not isinstance(first, Text) or workflow.name == want:
        return
    message = f"the file is {module.document.path.name}, so name its workflow '{want}'"
    fix = replace(f"name it '{want}'", workflow.name_span, f'"{want}"')
    yield report(module, Code.NAME_NOT_STEM, message, workflow.name_span, workflow.name or "", fix)


def _shows_all(module: Module) -> bool:
    """Whether a workflow that the text does not show can be ruled out."""
    if module.document.stars:
        return False
    hidden = [each.fact for each in module.document.statements if isinstance(each.fact, Other)]
    return not any("Workflow" in fact.names or fact.broken for fact in hidden)
