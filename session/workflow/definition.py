"""The workflow as its author writes it: nodes, edges, mounts, exits.

Declaring never fails for what the author got wrong in the graph; it is noted with its line,
and `compile.py` says all of it at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from .handles import Case, EdgeSource, Exit, Mount, Node, Outcome, Place, Target, here
from .nodes import InT, Nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .context import Context
    from .values import NoInput

M = TypeVar("M")
S = TypeVar("S")


@dataclass(frozen=True)
class DeclaredEdge:
    """One `edge`, `switch` or `on_failure` as written; a None target ends the run."""

    form: str
    source: EdgeSource
    on: str | Outcome | None
    cases: tuple[tuple[Case, Target | None], ...]
    place: Place


class Workflow(Nodes[InT]):
    """A graph of nodes with one start, typed input and named exits.

    Args:
        name: The file's stem, with `-` for `_`.
        input: The pydantic model of the input; left out, the workflow takes none.
        start: The name of the node (or mount) that runs first.
        max_steps: Steps after which a run fails as `max_steps` (default 100).
        title: What lists show beside the name.
        description: One line for lists; the module's docstring is used where it is left out.
        mount_only: Leave it out of lists: it is only good inside others.
        on_reopen: `"wait"`: in a reopened session the run waits for the person's `resume`;
            `"continue"`: it goes on by itself.
        revision: Of a built-in: raised with every change of its definition.
    """

    @overload
    def __init__(
        self: Workflow[NoInput],
        name: str,
        *,
        start: str,
        max_steps: int = 100,
        title: str = "",
        description: str = "",
        mount_only: bool = False,
        on_reopen: str = "wait",
        revision: int = 0,
    ) -> None: ...
    @overload
    def __init__(
        self,
        name: str,
        *,
        input: type[InT],
        start: str,
        max_steps: int = 100,
        title: str = "",
        description: str = "",
        mount_only: bool = False,
        on_reopen: str = "wait",
        revision: int = 0,
    ) -> None: ...
    def __init__(
        self,
        name: str,
        *,
        input: type[Any] | None = None,  # noqa: A002 - the author writes `input=Task`
        start: str,
        max_steps: int = 100,
        title: str = "",
        description: str = "",
        mount_only: bool = False,
        on_reopen: str = "wait",
        revision: int = 0,
    ) -> None:
        super().__init__()
        self.name = name
        self._input = input
        self.start = start
        self.max_steps = max_steps
        self.title = title
        self.description = description
        self.mount_only = mount_only
        self.on_reopen = on_reopen
        self.revision = revision
        self.edges: list[DeclaredEdge] = []
        self.mounts: list[Mount[Any]] = []
        self.exits: list[Exit[Any]] = []
        self.place = here()

    def __repr__(self) -> str:
        return f"Workflow({self.name!r})"

    @property
    def input(self) -> type[Any]:
        """The model of the input."""
        if self._input is not None:
            return self._input
        from .values import NoInput  # only here: a worker without models is up in half the time

        return NoInput

    def edge(self, source: EdgeSource, target: Target | None, /) -> None:
        """Go from `source` (a node, or `mount.exit(...)`) to `target` when it ends well."""
        self.edges.append(DeclaredEdge("edge", source, None, ((None, target),), here()))

    def switch(
        self,
        source: EdgeSource,
        /,
        *,
        on: str | Outcome,
        cases: Mapping[Any, Target | None],
    ) -> None:
        """Choose the target by data: a field of the source's output, or how the step ended.

        Args:
            source: The node (or a mount's exit) whose output decides.
            on: A field path such as `"verdict.route"`, or `OUTCOME` for ok/failed/timed_out.
            cases: A target for every value that the field can have; None ends the run.
        """
        self.edges.append(DeclaredEdge("switch", source, on, tuple(cases.items()), here()))

    def on_failure(self, source: Node[Any], target: Target, /) -> None:
        """Go to `target` when the step fails or times out, beside its edge or switch."""
        self.edges.append(DeclaredEdge("on_failure", source, None, ((None, target),), here()))

    def exit(self, name: str, node: Node[M], /, *, output: type[M]) -> Exit[M]:
        """Name an end of this workflow for others that include it."""
        made: Exit[M] = Exit(name, node, output, here())
        self.exits.append(made)
        return made

    @overload
    def include(
        self, name: str, workflow: Workflow[S], /, *, input: Callable[[Context[InT]], S]
    ) -> Mount[S]: ...
    @overload
    def include(self, name: str, workflow: Workflow[NoInput], /) -> Mount[NoInput]: ...
    def include(
        self,
        name: str,
        workflow: Workflow[Any],
        /,
        *,
        input: Callable[[Context[InT]], Any] | None = None,  # noqa: A002 - as in Workflow
    ) -> Mount[Any]:
        """Mount another workflow under a name: one run, one journal, fresh state per entry.

        Enter it with `edge(x, mount)`, leave it with `edge(mount.exit(e), y)`.

        Args:
            name: The mount's name; its nodes are reached as `name/node`.
            workflow: The workflow to include, imported as ordinary Python.
            input: Gives the included workflow's input when it is entered.
        """
        fn = input if input is not None else cast("Callable[..., Any]", _no_input)
        mount: Mount[Any] = Mount(name, workflow, fn, self, here())
        self.mounts.append(mount)
        return mount


def _no_input(_ctx: Context[Any]) -> NoInput:
    from .values import NoInput

    return NoInput()
