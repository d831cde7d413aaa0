"""What a callback is given: the run's input, what other nodes said, and a bounded view of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from .handles import Source
    from .progress import Progress

In_co = TypeVar("In_co", covariant=True)
T = TypeVar("T")
D = TypeVar("D")


class Reader(Protocol):
    """What the worker gives a context to read from; authors never see it."""

    def input(self) -> Any:
        """Give the input, typed; raises `LookupError` where it cannot be read back."""

    def read(self, key: tuple[str, ...]) -> Any:
        """Give the latest output, typed; raises `LookupError` when there is none."""

    def refer(self, value: object) -> str | None:
        """Give a reference under which the whole of a known value can be read, if it has one."""

    def progress(self, progress: Progress) -> None: ...


class Context(Generic[In_co]):
    """The one argument of every callback. Reading it never changes anything."""

    __slots__ = ("_effect_key", "_given", "_project", "_reader", "_run_id", "_visit")

    def __init__(
        self,
        *,
        visit: int,
        reader: Reader,
        run_id: str,
        project: Path,
        effect_key: str,
    ) -> None:
        self._given: tuple[In_co] | None = None
        self._visit = visit
        self._reader = reader
        self._run_id = run_id
        self._project = project
        self._effect_key = effect_key

    @property
    def input(self) -> In_co:
        """The input of this workflow: the run's, or what the mount was entered with."""
        if self._given is None:
            self._given = (self._reader.input(),)
        return self._given[0]

    @property
    def visit(self) -> int:
        """How often this node has been entered, this time included: 1, 2, ...

        Inside a mount it counts from the mount's own entry, since each entry starts fresh.
        """
        return self._visit

    @property
    def run_id(self) -> str:
        return self._run_id

    @property
    def project(self) -> Path:
        """The project's root, which is also where commands run."""
        return self._project

    @property
    def effect_key(self) -> str:
        """The same for every try of this visit and for nothing else: an idempotency key."""
        return self._effect_key

    def output(self, source: Source[T], /) -> T:
        """Give the latest output of a node or of a mount's exit.

        Raises:
            LookupError: Where no step has produced it yet, or its last try failed;
                `latest` is for what may not exist.
        """
        value: T = self._reader.read(source.key())
        return value

    def latest(self, source: Source[T], default: D, /) -> T | D:
        """Give the latest output, or `default` where there is none yet."""
        try:
            value: T = self._reader.read(source.key())
        except LookupError:
            return default
        return value

    def excerpt(self, value: object, chars: int, /) -> str:
        """Give at most `chars` characters of `value`, marked where something was left out.

        The marker names a reference that the model can fetch with the tool's `read` action
        where the value is a node's output.
        """
        from .excerpt import excerpt

        return excerpt(value, chars, self._reader.refer(value))

    def progress(
        self, completed: float, total: float | None = None, unit: str = "", message: str = ""
    ) -> None:
        """Report how far an action is. It is shown to people and never routes."""
        from .progress import Progress

        self._reader.progress(Progress(completed, total, unit, message))
