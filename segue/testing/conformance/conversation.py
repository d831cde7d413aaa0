"""A transcript as hosts keep it: a tree of entries, a branch that is shown, copies for forks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["person", "segue", "model", "tool", "compaction"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `message` is the id of Segue's message that it holds, if it holds one."""

    number: int
    parent: int | None
    role: Role
    text: str
    message: str | None = None


@dataclass(slots=True)
class Conversation:
    """Entries by number, and the leaf of the branch that is shown."""

    entries: dict[int, Entry] = field(default_factory=dict)
    leaf: int | None = None
    inherited: frozenset[str] = frozenset()
    """Ids of messages that were copied in from the conversation this one was forked from."""

    def add(self, role: Role, text: str, message: str | None = None) -> Entry:
        """Put an entry at the end of the branch."""
        # Not by counting: a fork has only the numbers of the branch that was copied.
        number = max(self.entries, default=0) + 1
        entry = Entry(number, self.leaf, role, text, message)
        self.entries[entry.number] = entry
        self.leaf = entry.number
        return entry

    def branch(self) -> list[Entry]:
        """Give the entries from the root to the leaf."""
        return self.line(self.leaf)

    def line(self, number: int | None) -> list[Entry]:
        """Give the entries from the root to one of them."""
        made = []
        while number is not None:
            entry = self.entries[number]
            made.append(entry)
            number = entry.parent
        return made[::-1]

    def lines(self) -> list[list[Entry]]:
        """Give every branch, each from the root to its leaf."""
        parents = {entry.parent for entry in self.entries.values()}
        return [self.line(number) for number in self.entries if number not in parents]

    def messages(self) -> list[str]:
        """Give the ids of Segue's messages on the shown branch, in order."""
        return [entry.message for entry in self.branch() if entry.message is not None]

    def move(self, number: int | None) -> None:
        """Show the branch that ends at an entry (tree navigation)."""
        self.leaf = number

    def fork(self) -> Conversation:
        """Copy the shown branch, as hosts do: Segue's messages come along."""
        branch = self.branch()
        copied = frozenset(entry.message for entry in branch if entry.message is not None)
        return Conversation({entry.number: entry for entry in branch}, self.leaf, copied)
