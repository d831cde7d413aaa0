"""The decorators that make nodes. Each notes what the author said; nothing is decided here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar, overload

from .handles import Effect, Node, Place, here

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
    from datetime import datetime

    from pydantic import BaseModel

    from .context import Context
    from .progress import Progress
    from .values import Decision, HumanDecision, ShellResult

    Timeout: TypeAlias = "float | None | Callable[[Context[InT]], float | None]"

InT = TypeVar("InT")
In_co = TypeVar("In_co", covariant=True)
M = TypeVar("M", bound="BaseModel")
R = TypeVar("R")

Prompt: TypeAlias = "Callable[[Context[InT]], str | Awaitable[str]]"
Argv: TypeAlias = "Callable[[Context[InT]], Sequence[str]]"


def _model(name: str) -> Any:
    """Give a model of `values.py`; pydantic is imported for the workflows that use one."""
    from . import values

    return getattr(values, name)


class Default:
    """The type of `DEFAULT`: the kind's own time limit."""

    def __repr__(self) -> str:
        return "DEFAULT"


DEFAULT = Default()


class FromReturn(Protocol[In_co]):
    """A decorator that takes the node's type from what the function returns."""

    @overload
    def __call__(self, fn: Callable[[Context[In_co]], Coroutine[Any, Any, R]], /) -> Node[R]: ...
    @overload
    def __call__(self, fn: Callable[[Context[In_co]], R], /) -> Node[R]: ...


class Nodes(Generic[InT]):
    """The half of a workflow that declares its nodes."""

    def __init__(self) -> None:
        self.declared: list[Node[Any]] = []

    def _node(
        self,
        kind: str,
        fn: Callable[..., Any] | None,
        *,
        name: str | None = None,
        output: Any = None,
        place: Place | None = None,
        **settings: Any,
    ) -> Node[Any]:
        if fn is not None:
            code = getattr(fn, "__code__", None)
            place = Place(code.co_filename, code.co_firstlineno) if code else here()
            name = name or getattr(fn, "__name__", "")
        node: Node[Any] = Node(
            name=name or "",
            kind=kind,
            place=place or here(),
            owner=self,
            fn=fn,
            output=output,
            settings={k: v for k, v in settings.items() if v is not DEFAULT},
        )
        self.declared.append(node)
        return node

    def _maker(self, kind: str, **settings: Any) -> Callable[[Callable[..., Any]], Node[Any]]:
        return lambda fn: self._node(kind, fn, **settings)

    @overload
    def agent(
        self,
        *,
        output: type[M],
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Callable[[Prompt[InT]], Node[M]]: ...
    @overload
    def agent(
        self, *, status: str = "", timeout: Timeout[InT] | Default = DEFAULT
    ) -> Callable[[Prompt[InT]], Node[None]]: ...
    def agent(
        self,
        *,
        output: type[BaseModel] | None = None,
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Callable[[Prompt[InT]], Node[Any]]:
        """A turn of the model that ends with the `workflow` tool's `submit`.

        The function gives the prompt. Without `output` the model only says that it is done.

        Args:
            output: The pydantic model that the answer has to fit.
            status: What a person reads while the step runs.
            timeout: Seconds of the turn's own time (default 900), None for no limit, or a
                function of the context that gives either.
        """
        return self._maker("agent", output=output, status=status, timeout=timeout)

    def assistant(
        self,
        *,
        max_chars: int = 20_000,
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Callable[[Prompt[InT]], Node[str]]:
        """A turn whose visible text is the output: said once, to the person.

        Args:
            max_chars: More than this is refused and asked for again.
            status: What a person reads while the step runs.
            timeout: As for `agent`.
        """
        return self._maker("assistant", max_chars=max_chars, status=status, timeout=timeout)

    def decision(
        self,
        *,
        choices: Sequence[str],
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Callable[[Prompt[InT]], Node[Decision]]:
        """The model picks one of `choices` and says why: an `agent` with a made-up output.

        Route on it with `switch(node, on="choice")`.
        """
        return self._maker(
            "agent",
            choices=tuple(choices),
            output=_model("Decision"),
            status=status,
            timeout=timeout,
        )

    @overload
    def compute(self, fn: Callable[[Context[InT]], Coroutine[Any, Any, R]], /) -> Node[R]: ...
    @overload
    def compute(self, fn: Callable[[Context[InT]], R], /) -> Node[R]: ...
    @overload
    def compute(
        self, *, status: str = "", timeout: Timeout[InT] | Default = DEFAULT
    ) -> FromReturn[InT]: ...
    def compute(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Any:
        """A pure function of the context: no effect outside, so a crash may run it again.

        Args:
            fn: The function; what it returns is the output and has to be JSON or pydantic.
            status: What a person reads while the step runs.
            timeout: Seconds (default 60), None for no limit, or a function of the context.
        """
        make = self._maker("compute", status=status, timeout=timeout)
        return make if fn is None else make(fn)

    def action(
        self, *, effect: Effect, status: str = "", timeout: Timeout[InT] | Default = DEFAULT
    ) -> FromReturn[InT]:
        """A function with an effect outside.

        Args:
            effect: What may be done when a crash leaves the effect unknown: `"idempotent"`
                runs it again under the same `ctx.effect_key`, `"manual"` waits for a person.
            status: What a person reads while the step runs.
            timeout: Seconds (default 600), None for no limit, or a function of the context.
        """
        return self._maker("action", effect=effect, status=status, timeout=timeout)

    @overload
    def shell(
        self,
        *,
        effect: Effect,
        parse: Callable[[ShellResult], R],
        progress: Callable[[str], Progress | None] | None = None,
        exit_codes: Sequence[int] | None = (0,),
        env: Mapping[str, str] | None = None,
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Callable[[Argv[InT]], Node[R]]: ...
    @overload
    def shell(
        self,
        *,
        effect: Effect,
        progress: Callable[[str], Progress | None] | None = None,
        exit_codes: Sequence[int] | None = (0,),
        env: Mapping[str, str] | None = None,
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Callable[[Argv[InT]], Node[ShellResult]]: ...
    def shell(
        self,
        *,
        effect: Effect,
        parse: Callable[[ShellResult], Any] | None = None,
        progress: Callable[[str], Progress | None] | None = None,
        exit_codes: Sequence[int] | None = (0,),
        env: Mapping[str, str] | None = None,
        status: str = "",
        timeout: Timeout[InT] | Default = DEFAULT,
    ) -> Any:
        """A command, run without a shell in the project's root. The function gives its argv.

        Args:
            effect: As for `action`.
            parse: Makes the output of the captured result; without it the result is the output.
            progress: Reads each line as it comes and may tell how far the command is.
            exit_codes: Codes that count as success; None for any. Others fail the step.
            env: Variables set for the command beside the process's own.
            status: What a person reads while the step runs.
            timeout: Seconds (default 600), None for no limit, or a function of the context.
        """
        return self._maker(
            "shell",
            effect=effect,
            parse=parse,
            progress=progress,
            exit_codes=None if exit_codes is None else tuple(exit_codes),
            env=dict(env or {}),
            output=_model("ShellResult") if parse is None else None,
            status=status,
            timeout=timeout,
        )

    def wait(
        self,
        name: str,
        /,
        *,
        seconds: float | Callable[[Context[InT]], float] | None = None,
        until: datetime | Callable[[Context[InT]], datetime] | None = None,
        status: str = "",
    ) -> Node[None]:
        """Go on later: no process sleeps for it and a closed laptop does not lose it.

        Args:
            name: The node's name, best the variable's.
            seconds: How long from the moment the step is entered.
            until: The moment to go on at, with a time zone. One of the two is given.
            status: What a person reads while the run waits.
        """
        return self._node(
            "wait", None, name=name, place=here(), seconds=seconds, until=until, status=status
        )

    def notify(self, fn: Prompt[InT], /) -> Node[str]:
        """Tell the person something; no turn of the model starts. The text is the output."""
        return self._node("notify", fn)

    @overload
    def checkpoint(
        self, *, output: type[M], status: str = ""
    ) -> Callable[[Prompt[InT]], Node[M]]: ...
    @overload
    def checkpoint(self, *, status: str = "") -> Callable[[Prompt[InT]], Node[str]]: ...
    def checkpoint(
        self, *, output: type[BaseModel] | None = None, status: str = ""
    ) -> Callable[[Prompt[InT]], Node[Any]]:
        """Stop and ask: the person, or the model on the person's word, answers in this session.

        The function gives the question. For an approval that only a person can give, use
        `human_decision`.

        Args:
            output: The pydantic model that the answer has to fit; without it, any text.
            status: What a person reads while the run waits.
        """
        return self._maker("checkpoint", output=output, status=status)

    def human_decision(
        self,
        *,
        choices: Sequence[str],
        text: Sequence[str] = (),
        timeout: Timeout[InT] = None,
        on_timeout: str | None = None,
        status: str = "",
    ) -> Callable[[Prompt[InT]], Node[HumanDecision]]:
        """A person picks one of `choices`; the model has no way to answer it.

        The function gives what the person is shown. Route with `switch(node, on="choice")`.

        Args:
            choices: What can be picked.
            text: The choices that want a text beside them.
            timeout: Seconds of real time to wait for an answer; None waits for ever.
            on_timeout: The choice that is taken then, recorded with provenance `timeout`;
                without it the run goes on waiting.
            status: What a person reads while the run waits.
        """
        return self._maker(
            "checkpoint",
            human=True,
            choices=tuple(choices),
            text=tuple(text),
            on_timeout=on_timeout,
            timeout=timeout,
            output=_model("HumanDecision"),
            status=status,
        )
