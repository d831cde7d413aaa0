"""An audience that draws nothing: stdout belongs to the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segue.session.canonical import Json
    from segue.session.standing import Receipt
    from segue.session.store.records import Attempt, Run
    from segue.session.text import StepText
    from segue.session.workflow.snapshot import Definition, NodeDef


class Silent:
    """Watches and says nothing; a base for those that say little."""

    def started(self, run: Run, definition: Definition, resumed: int) -> None: ...

    def said(self, node: NodeDef, visit: int, kind: str, text: StepText) -> None: ...

    def answered(self, node: NodeDef, raw: Json, receipt: Receipt) -> None: ...

    def skipped(self, node: NodeDef, ms: int) -> None: ...

    def stepped(self, node: NodeDef, attempt: Attempt, output: Json, receipt: Json) -> None: ...

    def progressed(self, node: NodeDef, data: dict[str, Any]) -> None: ...

    def ended(self, run: Run, output: Json) -> None: ...
