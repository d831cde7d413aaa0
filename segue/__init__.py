"""Segue runs multi-step agent workflows inside the conversation you are already having.

This module hands out the author's public names lazily, so that a short command or a hook
pays for nothing it does not use (no pydantic, pygls or lsprotocol is imported from here).
"""

from importlib import import_module

# Type checkers take this name for true. Importing it from `typing` would cost more than the rest
# of a short command's start.
TYPE_CHECKING = False

__version__ = "0.1.0"

if TYPE_CHECKING:
    from segue.session.workflow.context import Context as Context
    from segue.session.workflow.definition import Workflow as Workflow
    from segue.session.workflow.handles import OUTCOME as OUTCOME
    from segue.session.workflow.handles import Effect as Effect
    from segue.session.workflow.handles import Exit as Exit
    from segue.session.workflow.handles import Mount as Mount
    from segue.session.workflow.handles import Node as Node
    from segue.session.workflow.handles import Port as Port
    from segue.session.workflow.progress import Progress as Progress
    from segue.session.workflow.values import Decision as Decision
    from segue.session.workflow.values import HumanDecision as HumanDecision
    from segue.session.workflow.values import NoInput as NoInput
    from segue.session.workflow.values import ShellResult as ShellResult

_HOMES = {
    "Context": "context",
    "Workflow": "definition",
    "OUTCOME": "handles",
    "Effect": "handles",
    "Exit": "handles",
    "Mount": "handles",
    "Node": "handles",
    "Port": "handles",
    "Decision": "values",
    "HumanDecision": "values",
    "NoInput": "values",
    "Progress": "progress",
    "ShellResult": "values",
}

__all__ = [
    "OUTCOME",
    "Context",
    "Decision",
    "Effect",
    "Exit",
    "HumanDecision",
    "Mount",
    "NoInput",
    "Node",
    "Port",
    "Progress",
    "ShellResult",
    "Workflow",
    "__version__",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'segue' has no attribute {name!r}")
    value: object = getattr(import_module(f"segue.session.workflow.{home}"), name)
    globals()[name] = value
    return value
