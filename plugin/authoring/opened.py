"""One version of one open file and all that is known of it. It never changes.

Everything is worked out once, when first asked for, on whatever thread asks. What was worked out
for an earlier version is a start for the next (`Memo`); it changes how long that takes, and
never what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from segue.session.workflow.rules import check_module
from segue.session.workflow.rules.view import View
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.text import Edit

from .places import Encoding, Places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from segue.session.workflow.findings import Finding
    from segue.session.workflow.source.expr import Span
    from segue.session.workflow.source.module import Module

    from .neighbours import Neighbours


@dataclass
class Memo:
    """The latest that was worked out of any version of a file.

    Attributes:
        document: What an incremental parse starts from.
        whole: The latest module without broken places: what is asked while typing.
    """

    document: Document | None = None
    whole: Module | None = None


@dataclass(frozen=True, eq=False)
class Opened:
    """A file's text as an editor has it."""

    uri: str
    path: Path
    version: int
    data: bytes = field(repr=False)
    encoding: Encoding
    neighbours: Neighbours = field(repr=False)
    memo: Memo = field(default_factory=Memo, repr=False)

    @cached_property
    def places(self) -> Places:
        return Places(self.data, self.encoding)

    @cached_property
    def document(self) -> Document:
        made = self._parsed(self.memo.document)
        self.memo.document = made
        return made

    def _parsed(self, start: Document | None) -> Document:
        if start is None or start.path != self.path:
            return Document.read(self.path, self.data)
        edit = difference(start.text.data, self.data)
        return start if edit is None else start.edited(edit)

    @cached_property
    def module(self) -> Module:
        made = self.neighbours.library().put(self.document)
        if not self.document.breaks:
            self.memo.whole = made
        return made

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(check_module(self.module))

    @cached_property
    def views(self) -> dict[str, View]:
        """The workflows by the variable that holds them."""
        return views_of(self.module)

    @property
    def known(self) -> Module:
        """Give a module at once where there is one, for what must not wait for this version.

        Its names are good; its ranges may be those of an earlier version.
        """
        made: Module | None = self.__dict__.get("module")
        if made is not None and not made.document.breaks:
            return made
        if self.memo.whole is None and self.module.document.breaks:
            self.memo.whole = self._without_breaks()
        return self.memo.whole or self.module

    def _without_breaks(self) -> Module:
        """Give a module of the text with its broken statements left out."""
        data = bytearray(self.data)
        for placed in self.document.statements:
            if getattr(placed.fact, "broken", False):
                data[placed.start : placed.end] = b" " * (placed.end - placed.start)
        return self.neighbours.library().put(Document.read(self.path, bytes(data)))

    def text(self, span: Span) -> str:
        return self.data[span[0] : span[1]].decode("utf-8", "replace")

    def changed(self, data: bytes, version: int) -> Opened:
        """Give another version."""
        return Opened(self.uri, self.path, version, data, self.encoding, self.neighbours, self.memo)

    def rests_on(self, path: Path) -> bool:
        """Whether what was worked out here looked at another file."""
        module: Module | None = self.__dict__.get("module")
        return module is not None and module.library.has(path)

    def again(self) -> Opened:
        """Give the same version, to be looked at anew: a file beside it has changed."""
        return self.changed(self.data, self.version)


def views_of(module: Module) -> dict[str, View]:
    return {each.variable: View(module, each) for each in module.workflows}


def difference(old: bytes, new: bytes) -> Edit | None:
    """Give the one edit that leads from a text to another, None where they are equal.

    Many edits of one change become one this way, and the text is parsed once.
    """
    if old == new:
        return None
    most = min(len(old), len(new))
    start = _common(most, lambda count: old[:count] == new[:count])
    end = _common(most - start, lambda count: not count or old[-count:] == new[-count:])
    return Edit(start, len(old) - end, new[start : len(new) - end])


def _common(most: int, same: Callable[[int], bool]) -> int:
    """Give the largest count up to `most` for which `same` holds; it holds for all below it."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if same(middle):
            low = middle
        else:
            high = middle - 1
    return low
