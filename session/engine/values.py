"""The values that a worker's callbacks may read, typed on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..workflow.bind import find_exit
from ..workflow.contract import revive
from ..workflow.handles import Mount

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..canonical import Json
    from ..workflow.bind import Bound
    from ..workflow.progress import Progress

Send = "Callable[[dict[str, Any]], None]"


class Values:
    """The latest output of each node, by path, and the inputs of the run and its mounts."""

    def __init__(self, bound: dict[str, Bound], input_type: Callable[[], Any]) -> None:
        self._bound = bound
        self.input_type = input_type
        self._input: Json = None
        self._json: dict[str, Json] = {}
        self._typed: dict[str, Any] = {}

    def begin(self, value: Json, outputs: dict[str, Json]) -> None:
        self._input = value
        self._json = dict(outputs)
        self._typed = {}

    def more(self, outputs: dict[str, Json]) -> None:
        self._json |= outputs

    def fresh(self) -> None:
        """Give typed values anew: what one callback did to its copies never reaches another."""
        self._typed = {}

    def set(self, path: str, value: Json) -> None:
        self._json[path] = value
        self._typed.pop(path, None)

    def drop(self, path: str) -> None:
        self._json.pop(path, None)
        self._typed.pop(path, None)

    def enter(self, mount: str) -> None:
        """Forget what an earlier entry of a mount left (each entry is fresh)."""
        below = mount + "/"
        for path in [path for path in self._json if path.startswith(below)]:
            self.drop(path)

    def input_of(self, bound: Bound) -> Any:
        """Give the input of the workflow that a node belongs to."""
        mount = bound.prefix.rstrip("/")
        if mount:
            return self.typed(mount, self._bound[mount].value_type)
        return revive(self.input_type(), self._input)

    def typed(self, path: str, hint: Any) -> Any:
        """Give a value of its type.

        Raises:
            LookupError: There is none.
        """
        if path not in self._typed:
            if path not in self._json:
                raise LookupError(
                    f"no output of '{path}' yet, or its last try failed:"
                    " ctx.latest(..., default) reads what may not exist"
                )
            self._typed[path] = revive(hint, self._json[path])
        return self._typed[path]

    def reference(self, value: object) -> str | None:
        """Give the reference of an output (or of one field of it) that was handed out."""
        for path, typed in self._typed.items():
            fields = getattr(typed, "__dict__", {})
            if typed is value or any(value is inner for inner in fields.values()):
                return f"output:{path}"
        return None

    def reader(self, bound: Bound, send: Callable[[dict[str, Any]], None]) -> Reader:
        return Reader(self, bound, send)

    def send_progress(self, send: Callable[[dict[str, Any]], None], progress: Progress) -> None:
        """Tell the server how far a step is."""
        send(
            {
                "progress": {
                    "completed": progress.completed,
                    "total": progress.total,
                    "unit": progress.unit,
                    "message": progress.message,
                }
            }
        )


class Reader:
    """What one callback reads from: the outputs of its own workflow."""

    def __init__(
        self, values: Values, bound: Bound, send: Callable[[dict[str, Any]], None]
    ) -> None:
        self._values = values
        self._bound = bound
        self._send = send
        self.open = True

    def input(self) -> Any:
        try:
            return self._values.input_of(self._bound)
        except ValueError as error:
            path = self._bound.path
            raise LookupError(f"the input of '{path}' cannot be read back: {error}") from error

    def read(self, key: tuple[str, ...]) -> Any:
        prefix = self._bound.prefix
        if len(key) == 1:
            path = prefix + key[0]
            return self._values.typed(path, self._values._bound[path].value_type)
        mount = self._values._bound[prefix + key[0]].node
        found = find_exit(mount, key[1]) if isinstance(mount, Mount) else None
        if found is None:
            raise LookupError(f"mount '{key[0]}' has no exit '{key[1]}'")
        return self._values.typed(f"{prefix}{key[0]}/{found.node.name}", found.output)

    def refer(self, value: object) -> str | None:
        return self._values.reference(value)

    def progress(self, progress: Progress) -> None:
        if self.open:  # a thread that outlives its callback reports to nobody
            self._values.send_progress(self._send, progress)
