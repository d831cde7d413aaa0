"""What a worker answers: one method for each call, a table that names them.

Author code is only called through `_guarded`: whatever it raises becomes a reason, with the
file and line where it happened.
"""

from __future__ import annotations

import inspect
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import limits
from ..canonical import clean, compact
from ..errors import SegueError
from ..workflow.bind import Bound, bind
from ..workflow.context import Context
from ..workflow.contract import Problem, Rejected, accept, dumped, shown
from ..workflow.handles import Mount
from ..workflow.loading import line_in, name_of, pick, why
from ..workflow.parse import NotJson, parse_answer
from ..workflow.sources import Pinned, load
from .demands import Failed, check_characters, check_text, go_to, instant, reply, typed_result
from .shell import Ran
from .shell import run as run_command
from .values import Values

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from ..workflow.definition import Workflow


class Calls:
    """A worker's state: the loaded workflow and the values that its steps may read."""

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        self._send = send
        self._loop: asyncio.Runner | None = None
        self._bound: dict[str, Bound] = {}
        self._values = Values({}, lambda: None)
        self._project = Path()
        self._run_id = ""
        self._last: tuple[str, Any] | None = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """Answer one call; never raises."""
        self._remember(message.get("told", ()))
        try:
            made: dict[str, Any] = _TABLE[message["do"]](self, message)
        except Failed as failed:
            reason = clean(str(failed)[: limits.REASON_CHARS])
            return {"failed": reason, "trace": clean(failed.trace)}
        except Rejected as rejected:
            return {"rejected": [_problem_json(p) for p in rejected.problems]}
        except SegueError as error:
            return {"refused": error.code, "message": str(error)}
        return made

    def _remember(self, told: Any) -> None:
        for what, path, *rest in told:
            if what == "keep" and self._last is not None and self._last[0] == path:
                self._values.set(path, self._last[1])
            elif what == "set":
                self._values.set(path, rest[0])
            elif what == "drop":
                self._values.drop(path)
            elif what == "enter":
                self._values.enter(path)

    # --- before a run

    def load(self, message: dict[str, Any]) -> dict[str, Any]:
        """Import the workflow; `snapshot` also checks and compiles it."""
        go_to(message["project"])
        folder, module = Path(message["folder"]), message["module"]
        pinned = message.get("pinned")
        file = str(folder / f"{module.rpartition('.')[2]}.py")
        try:
            loaded, sources = load(
                folder, module, None if pinned is None else [Pinned(*item) for item in pinned]
            )
            workflow = pick(loaded, module.rpartition(".")[2])
        except SegueError:
            raise
        except BaseException as error:
            raise Failed(why(error, file), _trace(error)) from error
        self._bind(workflow)
        if pinned is not None:
            return {"ok": True}
        from ..workflow.compile import compile_workflow  # a resumed run has been compiled before

        return {
            "ok": True,
            "snapshot": compile_workflow(workflow).to_json(),
            "sources": [[p.module, p.file, p.text, p.package] for p in sources],
        }

    def _bind(self, workflow: Workflow[Any]) -> None:
        try:
            self._bound = bind(workflow)
        except RecursionError:
            self._bound = {}  # `compile_workflow` says what is wrong
        self._values = Values(self._bound, lambda: workflow.input)

    def input(self, message: dict[str, Any]) -> dict[str, Any]:
        """Validate the run's input."""
        return {"ok": compact(accept(self._values.input_type(), message["value"]))}

    def begin(self, message: dict[str, Any]) -> dict[str, Any]:
        """Take what the steps done so far have left."""
        self._project, self._run_id = Path(message["project"]), message["run_id"]
        self._values.begin(message["input"], {})
        return {"ok": True}

    def more(self, message: dict[str, Any]) -> dict[str, Any]:
        """Take some of the outputs of the steps done so far."""
        self._values.more(message["outputs"])
        return {"ok": True}

    # --- a step

    def prompt(self, message: dict[str, Any]) -> dict[str, Any]:
        """Evaluate a prompt, a question or a note."""
        bound = self._bound[message["path"]]
        text = self._run(bound, message)
        if not isinstance(text, str):
            raise Failed(f"node '{bound.node.name}' has to give text, not {shown(text)}")
        if not text.strip():
            raise Failed(f"node '{bound.node.name}' gave an empty text")
        if len(text) > limits.PROMPT_CHARS:
            return {"too_long": len(text)}
        check_characters(text, bound)
        return {"ok": text}

    def compute(self, message: dict[str, Any]) -> dict[str, Any]:
        """Evaluate a compute or action callback, or a mount's input."""
        bound = self._bound[message["path"]]
        return self._output(bound, bound.value_type, self._run(bound, message))

    def timeout(self, message: dict[str, Any]) -> dict[str, Any]:
        """Evaluate a time limit that the author computes."""
        bound = self._bound[message["path"]]
        seconds = self._run(bound, message, bound.node.settings["timeout"])  # type: ignore[union-attr]
        if seconds is not None and not (isinstance(seconds, (int, float)) and seconds > 0):
            raise Failed(f"timeout has to be more than 0 seconds or None, not {shown(seconds)}")
        return {"ok": seconds}

    def wait(self, message: dict[str, Any]) -> dict[str, Any]:
        """Say how long to wait (`seconds`) or until when (`until`, ms since the epoch)."""
        bound = self._bound[message["path"]]
        settings = bound.node.settings  # type: ignore[union-attr]
        which = "seconds" if settings.get("seconds") is not None else "until"
        value = settings[which]
        if callable(value):
            value = self._run(bound, message, value)
        if which == "until":
            return {"ok": {"until": instant(value)}}
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            raise Failed(f"wait needs 0 or more seconds, not {shown(value)}")
        return {"ok": {"seconds": min(float(value), 10 * 366 * 86_400)}}

    def shell(self, message: dict[str, Any]) -> dict[str, Any]:
        """Run a command, or take a rehearsed result, and parse it."""
        bound = self._bound[message["path"]]
        node: Any = bound.node
        argv = self._run(bound, message)
        if (
            not isinstance(argv, (list, tuple))
            or not argv
            or not all(isinstance(word, str) and "\0" not in word for word in argv)
        ):
            raise Failed(f"node '{node.name}' has to give a list of words, not {shown(argv)}")
        if (fake := message.get("fake")) is not None:
            ran = Ran(typed_result(fake), 0.0)
        else:
            ran = self._command(node, list(argv))
        receipt = ran.receipt(list(argv), str(self._project))
        codes = node.settings.get("exit_codes")
        if codes is not None and ran.result.exit_code not in codes:
            return {"failed": ran.complaint(argv[0]), "trace": "", "receipt": receipt}
        try:
            parse = node.settings.get("parse")
            value = ran.result if parse is None else self._guarded(parse, ran.result, bound)
            return {**self._output(bound, bound.value_type, value), "receipt": receipt}
        except Failed as failed:
            return {"failed": str(failed), "trace": failed.trace, "receipt": receipt}

    def _command(self, node: Any, argv: list[str]) -> Ran:
        watch = node.settings.get("progress")

        def line(text: str) -> None:
            # Progress is shown and never routes: a reader that fails costs only itself.
            with suppress(BaseException):
                progress = watch(text)
                if progress is not None:
                    self._values.send_progress(self._send, progress)

        try:
            return run_command(
                argv, self._project, node.settings.get("env", {}), line if watch else None
            )
        except OSError as error:
            raise Failed(f"cannot run {argv[0]!r}: {error.strerror or error}") from error

    def fake(self, message: dict[str, Any]) -> dict[str, Any]:
        """Take a rehearsed output of an action in place of the real one."""
        bound = self._bound[message["path"]]
        value = accept(bound.value_type, message["value"])
        self._last = (bound.path, value)
        return {"ok": compact(value)}

    def validate(self, message: dict[str, Any]) -> dict[str, Any]:
        """Check an answer against the step's contract."""
        bound = self._bound[message["path"]]
        node: Any = bound.node
        if message.get("text"):  # an assistant's visible text is the output, as it is
            value: Any = reply(message["raw"], node.settings.get("max_chars", 0))
            normalized = False
        elif bound.value_type is str:  # a checkpoint that takes any text
            value, normalized = accept(str, message["raw"]), False
        else:
            try:
                parsed = parse_answer(message["raw"])
            except NotJson as error:
                problem = Problem("(whole)", "one JSON value", str(error))
                raise Rejected((problem,)) from error
            value, normalized = accept(bound.value_type, parsed.value), parsed.normalized
        check_text(node.settings, value)
        self._last = (bound.path, value)
        return {"ok": compact(value), "normalized": normalized}

    # --- author code

    def _run(self, bound: Bound, message: dict[str, Any], fn: Any = None) -> Any:
        self._values.fresh()
        go_to(self._project)  # wherever an earlier callback has gone
        reader = self._values.reader(bound, self._send)
        context: Context[Any] = Context(
            visit=message["visit"],
            reader=reader,
            run_id=self._run_id,
            project=self._project,
            effect_key=message.get("key", ""),
        )
        try:
            return self._guarded(fn if fn is not None else bound.node.fn, context, bound)
        finally:
            reader.open = False

    def _guarded(self, fn: Any, argument: Any, bound: Bound) -> Any:
        try:
            made = fn(argument)
            if inspect.isawaitable(made):
                if self._loop is None:
                    import asyncio  # half of all that a worker would import, for few authors

                    self._loop = asyncio.Runner()
                made = self._loop.run(_awaited(made))
            return made
        except BaseException as error:
            file = bound.node.place.file
            line = line_in(error, file) or bound.node.place.line
            raise Failed(
                f"{name_of(error)} ({file}:{line}, node '{bound.path}')", _trace(error)
            ) from error

    def _output(self, bound: Bound, hint: Any, value: Any) -> dict[str, Any]:
        if isinstance(bound.node, Mount) and not isinstance(value, bound.node.workflow.input):
            want = bound.node.workflow.input.__name__
            raise Failed(f"mount '{bound.path}' has to be entered with {want}, not {shown(value)}")
        try:
            stored, text = dumped(hint, value)
        except (TypeError, ValueError, RecursionError) as error:
            place = bound.node.place
            raise Failed(f"{error} ({place.file}:{place.line}, node '{bound.path}')") from error
        if len(text) > limits.OUTPUT_CHARS:
            raise Failed(
                f"node '{bound.path}' returned {len(text):,} characters of JSON; at most"
                f" {limits.OUTPUT_CHARS:,}: write it to a file and return the path"
            )
        check_characters(text, bound)
        self._last = (bound.path, stored)
        return {"ok": text}


async def _awaited(made: Awaitable[Any]) -> Any:
    return await made


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-limits.REASON_CHARS :]


def _problem_json(problem: Problem) -> dict[str, str]:
    return {
        "path": clean(problem.path),
        "expected": clean(problem.expected),
        "received": clean(problem.received),
    }


_TABLE: dict[str, Callable[[Calls, dict[str, Any]], dict[str, Any]]] = {
    "load": Calls.load,
    "input": Calls.input,
    "begin": Calls.begin,
    "more": Calls.more,
    "prompt": Calls.prompt,
    "compute": Calls.compute,
    "timeout": Calls.timeout,
    "wait": Calls.wait,
    "shell": Calls.shell,
    "fake": Calls.fake,
    "validate": Calls.validate,
}
