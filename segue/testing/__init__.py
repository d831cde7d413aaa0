"""What authors test their workflows with: `rehearse`, and the pytest fixture `segue_rehearse`.

pytest loads this at its start (entry point `segue`), so nothing of the core is imported before
something is rehearsed, and pydantic never: author code runs in a worker of its own.
"""

from __future__ import annotations

# As in `segue/__init__.py`: `typing` would cost more than the rest of this module.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from .rehearsed import Rehearsed

__all__ = ["rehearse"]


def rehearse(
    workflow: str | PathLike[str],
    *,
    input: Any = None,  # noqa: A002 - the word of `Workflow(input=...)`
    answers: dict[str, list[Any]] | None = None,
    run_actions: bool = False,
    project: str | PathLike[str] | None = None,
    run_in: str | PathLike[str] | None = None,
) -> Rehearsed:
    """Rehearse a workflow for real, with a script in place of the model, people and effects.

    Args:
        workflow: Its file, or its name in `project`.
        input: The input as JSON, or free text as after `segue rehearse NAME`.
        answers: `{"node": [item, ...]}`, as in an answers file.
        run_actions: Run actions and commands instead of taking their items.
        project: The project in which a name is looked up (default: that of the working folder).
        run_in: Where commands run, which is also `ctx.project` (default: the project).

    Raises:
        SegueError: The workflow cannot be loaded, the input does not fit, or the answers ran out.
    """
    from .rehearsed import run

    return run(
        workflow,
        given=input,
        answers=answers,
        run_actions=run_actions,
        project=project,
        run_in=run_in,
    )
