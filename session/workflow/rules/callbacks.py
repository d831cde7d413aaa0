"""The rule about parameters: Segue calls every callback with one argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..findings import Change, Code, Fix
from ..source.module import Outside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.facts import Params
    from ..source.graph import Callback
    from .view import View

_GIVEN: Final = {"parse": "the command's result", "progress": "a line of output"}


def check(view: View) -> Iterator[Finding]:
    for part in view.parts:
        for callback in view.callbacks(part):
            if callback.params is not None and not takes_one(callback.params):
                yield _finding(view, part.name, callback, callback.params)


def takes_one(params: Params) -> bool:
    """Whether a function can be called with one positional argument and nothing else."""
    fits = params.required <= 1 and (params.most is None or params.most >= 1)
    return fits and not params.keyword_only


def _finding(view: View, name: str, callback: Callback, params: Params) -> Finding:
    given = _GIVEN.get(callback.role, "the context")
    what = "function" if callback.role == "prompt" else callback.role
    message = f"the {what} of '{name}' has to take one argument, {given}"
    fix = None
    none = params.most == 0 and not params.keyword_only
    if none and callback.role == "prompt":
        fix = _add(view, callback)
    return view.finding(Code.BAD_CALLBACK, message, callback.params_span, name, fix)


def _add(view: View, callback: Callback) -> Fix:
    """Add the parameter, typed where the file has what the type needs."""
    meaning = view.module.of_name("Context")
    typed = isinstance(meaning, Outside) and meaning.name.startswith("segue.")
    given = view.workflow.setting("input")
    data = view.module.document.text.data
    name = "NoInput"
    if given is not None:
        start, end = view.workflow.at(given)
        name = data[start:end].decode("utf-8", "replace")
    elif not isinstance(view.module.of_name("NoInput"), Outside):
        typed = False
    text = f"ctx: Context[{name}]" if typed else "ctx"
    at = callback.params_span[0] + 1
    return Fix(f"add {text}", (Change(at, at, text),))
