"""Every method and command that the server answers, and the module that handles it.

A module is imported when its method is first called, off the loop: a client that only attaches
a session does not pay for the editor's help, nor the other way round.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lsprotocol import types

if TYPE_CHECKING:
    from types import ModuleType


class Method(NamedTuple):
    """One LSP method.

    Attributes:
        module: Below `plugin/server/`; it has `async def handle(server, params) -> result`.
        options: What is registered with it (lsprotocol's own type), None for the default.
    """

    module: str
    options: Any = None


METHODS: Final[dict[str, Method]] = {
    types.TEXT_DOCUMENT_DIAGNOSTIC: Method(
        "features.diagnostic",
        types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier="segue"
        ),
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: Method(
        "features.code_action",
        types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, "source.fixAll.segue"]
        ),
    ),
    types.TEXT_DOCUMENT_CODE_LENS: Method("features.code_lens", types.CodeLensOptions()),
    types.TEXT_DOCUMENT_COMPLETION: Method(
        "features.completion",
        types.CompletionOptions(trigger_characters=['"', "'", "(", "{", "=", ".", " "]),
    ),
    types.TEXT_DOCUMENT_DEFINITION: Method("features.definition"),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: Method("features.document_highlight"),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: Method("features.document_symbol"),
    types.TEXT_DOCUMENT_HOVER: Method("features.hover"),
    types.TEXT_DOCUMENT_INLAY_HINT: Method("features.inlay_hint"),
    types.TEXT_DOCUMENT_PREPARE_RENAME: Method("features.prepare_rename"),
    types.TEXT_DOCUMENT_REFERENCES: Method("features.references"),
    types.TEXT_DOCUMENT_RENAME: Method(
        "features.rename", types.RenameOptions(prepare_provider=True)
    ),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: Method("features.watched_files"),
    types.WORKSPACE_SYMBOL: Method("features.workspace_symbol"),
}
"""Standard methods by name, such as `"textDocument/hover": Method("features.hover")`."""


class Row(NamedTuple):
    """One method of `segue/*`: its module has `def handle(server, params) -> result`.

    With `lane` it is carried out in order with the session's other messages, else at once.
    """

    module: str
    lane: bool = True


BINDING: Final[dict[str, Row]] = {
    "segue/attach": Row("methods.attach"),
    "segue/detach": Row("methods.detach"),
    "segue/command": Row("methods.command"),
    "segue/tool": Row("methods.tool"),
    "segue/turnEnded": Row("methods.turn_ended"),
    "segue/complete": Row("methods.complete", lane=False),
    "segue/status": Row("methods.status", lane=False),
    "segue/turnStarted": Row("methods.turn_started"),
    "segue/seen": Row("methods.seen"),
    "segue/report": Row("methods.report"),
    "segue/compacted": Row("methods.compacted"),
    "segue/branchMoved": Row("methods.branch_moved"),
}

LISTENERS: Final[tuple[str, ...]] = ("features.sources",)
"""Modules with `def changed(server, document, gone)`: called on the loop, in order, after each
open, change (`gone` False) and close (`gone` True) of a workflow file."""

COMMANDS: Final[dict[str, str]] = {
    "segue.server.run": "commands.run",
    "segue.server.status": "commands.status",
    "segue.server.pause": "commands.pause",
    "segue.server.resume": "commands.resume",
    "segue.server.cancel": "commands.cancel",
    "segue.server.answer": "commands.answer",
    "segue.server.rebind": "commands.rebind",
    "segue.server.graph": "commands.graph",
    "segue.server.check": "commands.check",
    "segue.server.explain": "commands.explain",
    "segue.server.trust": "commands.trust",
    "segue.server.openState": "commands.open_state",
}
"""Commands of `workspace/executeCommand` and their modules, which have
`async def run(server, args) -> result`; `args` is the one object that the client gave."""


def load(module: str) -> ModuleType:
    """Import a module of the server by its name below `plugin/server/`."""
    return import_module(f".{module}", __package__)
