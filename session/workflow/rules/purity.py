"""The rule about `compute`: a crash may run it again, so it touches nothing outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..findings import Code
from ..source.facts import Def
from ..source.module import Here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.facts import Called
    from ..source.graph import NodeSource
    from .view import View

_SLEEP: Final = "make it a wait(seconds=...)"
_ASK: Final = "ask with a checkpoint or a human_decision"
_COMMAND: Final = "make it a shell or an action with effect="
_NETWORK: Final = "make it an action with effect="

_HTTP: Final = "get post put patch delete head options request stream"


def _calls(module: str, names: str, instead: str) -> dict[str, str]:
    return {f"{module}.{name}": instead for name in names.split()}


_IMPURE: Final[dict[str, str]] = {
    **_calls("time", "sleep", _SLEEP),
    **_calls("asyncio", "sleep", _SLEEP),
    **_calls("builtins", "input", _ASK),
    **_calls("getpass", "getpass", _ASK),
    **_calls(
        "subprocess",
        "run Popen call check_call check_output getoutput getstatusoutput",
        _COMMAND,
    ),
    **_calls("os", "system popen spawnl spawnv execv execl startfile", _COMMAND),
    **_calls("asyncio", "create_subprocess_exec create_subprocess_shell", _COMMAND),
    **_calls("asyncio.subprocess", "create_subprocess_exec create_subprocess_shell", _COMMAND),
    **_calls("asyncio", "open_connection start_server", _NETWORK),
    **_calls("socket", "socket create_connection create_server", _NETWORK),
    **_calls("urllib.request", "urlopen urlretrieve", _NETWORK),
    **_calls("http.client", "HTTPConnection HTTPSConnection", _NETWORK),
    **_calls("smtplib", "SMTP SMTP_SSL", _NETWORK),
    **_calls("ftplib", "FTP FTP_TLS", _NETWORK),
    **_calls("requests", f"{_HTTP} Session session", _NETWORK),
    **_calls("httpx", f"{_HTTP} Client AsyncClient", _NETWORK),
    **_calls("aiohttp", "ClientSession request", _NETWORK),
    **_calls("urllib3", "request PoolManager", _NETWORK),
}
_DEEPEST: Final = 20


def check(view: View) -> Iterator[Finding]:
    for node in view.workflow.nodes:
        if node.kind == "compute":
            yield from _compute(view, node)


def _compute(view: View, node: NodeSource) -> Iterator[Finding]:
    callback = node.callbacks[0]
    for call in callback.body.calls if callback.body is not None else ():
        found = _impure(view, call, 0)
        if found is not None:
            name, instead = found
            through = "" if name.endswith(call.name) else f", by way of {call.name},"
            message = f"compute '{node.name}' calls {name}{through} and may run twice: {instead}"
            span = (callback.base + call.span[0], callback.base + call.span[1])
            yield view.finding(Code.IMPURE_COMPUTE, message, span, node.name)


def _impure(view: View, call: Called, depth: int) -> tuple[str, str] | None:
    """Give the impure function that a call reaches, in it or in a helper of this file."""
    full = view.module.called(call.name)
    if full in _IMPURE:
        return full.removeprefix("builtins."), _IMPURE[full]
    helper = view.module.of_name(call.name) if "." not in call.name else None
    if depth > _DEEPEST or not isinstance(helper, Here) or not isinstance(helper.fact, Def):
        return None
    if helper.module is not view.module:
        return None
    for inner in helper.fact.body.calls:
        found = _impure(view, inner, depth + 1) if inner.name != call.name else None
        if found is not None:
            return found
    return None
