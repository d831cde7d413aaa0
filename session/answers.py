"""The scripted side of a rehearsal: what the agent, the person and the effects say.

`{"node": [item, ...]}`: one item for each submission of that node; a mounted node by its full
path. An item is the answer itself. An object with the one key `$outcome` scripts a step that
does not answer: `{"$outcome": "timed_out"}` lets its time run out. `"$input"` beside the nodes is
the run's input, for a rehearsal that is given none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .errors import SegueError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .canonical import Json


class AnswersRanOut(SegueError):
    """A node wants one more item than it was given; the run waits where it is."""

    code = "answers_ran_out"


@dataclass
class Answers:
    """Items by node path, and which have been used."""

    items: dict[str, list[Json]]
    where: str = "the answers"
    used: dict[str, int] = field(default_factory=dict)
    input: Json = None

    def take(self, path: str, number: int) -> Json:
        """Give item `number` (from 0) of a node.

        Raises:
            AnswersRanOut: There is none.
        """
        listed = self.items.get(path, [])
        self.used[path] = max(self.used.get(path, 0), number + 1)
        if number >= len(listed):
            has = f"has {len(listed)}" if listed else "has none"
            raise AnswersRanOut(
                f"{self.where}: node '{path}' {has} and needs item {number + 1}: add it"
            )
        return listed[number]

    def left_over(self) -> dict[str, int]:
        """Give how many items of each node were never needed."""
        left = {path: len(listed) - self.used.get(path, 0) for path, listed in self.items.items()}
        return {path: count for path, count in left.items() if count > 0}

    def check(self, paths: Iterable[str]) -> None:
        """Refuse nodes that the workflow does not have.

        Raises:
            UsageError: With the nearest name.
        """
        known = set(paths)
        for path in self.items:
            if path not in known:
                from difflib import get_close_matches

                near = get_close_matches(path, known, 1)
                hint = (
                    f"did you mean '{near[0]}'?" if near else f"it has: {', '.join(sorted(known))}"
                )
                raise UsageError(f"{self.where}: the workflow has no node '{path}'; {hint}")


def timed_out(item: Json) -> bool:
    """Whether an item scripts a step that lets its time run out."""
    return isinstance(item, dict) and item == {"$outcome": "timed_out"}


def read(path: Path) -> Answers:
    """Read an answers file.

    Raises:
        UsageError: It is missing, not JSON, or of another shape.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such answers file") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}") from error
    return from_json(data, str(path))


def from_json(data: object, where: str) -> Answers:
    """Check the shape `{"node": [item, ...]}`.

    Raises:
        UsageError: It has another.
    """
    nodes = {k: v for k, v in data.items() if k != "$input"} if isinstance(data, dict) else None
    if nodes is None or not all(isinstance(listed, list) for listed in nodes.values()):
        raise UsageError(f'{where}: has to be {{"node": [item, ...], ...}}')
    items = {path.replace(".", "/"): listed for path, listed in nodes.items()}
    return Answers(items, where, input=data.get("$input") if isinstance(data, dict) else None)
