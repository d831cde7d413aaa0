"""Frames and parameters that nobody would send: one answer each, and the server lives (S3)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from segue.plugin.protocol.table import TABLE
from segue.plugin.server import registry
from tests.plugin.server.raw import Raw, body, frame

if TYPE_CHECKING:
    from collections.abc import Iterator

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=10,
)
FIELDS = ["session", "host", "id", "text", "arguments", "outcome", "protocol", "cwd", "instance",
          "textDocument", "uri", "position", "line", "command", "message", "jsonrpc"]  # fmt: skip
PARAMS = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=6) | JSON
METHODS = st.sampled_from(
    [*TABLE, *registry.METHODS, "workspace/executeCommand", "$/setTrace", "window/showMessage"]
) | st.text(max_size=20)
NUMBERS = itertools.count(1000)


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    with Raw(tmp_path_factory.mktemp("state")) as made:
        yield made.hello()


def alive(raw: Raw) -> None:
    """An unknown method is still answered as one, once."""
    number = next(NUMBERS)
    raw.asked.clear()
    assert raw.call(number, f"no/{number}")["error"]["code"] == -32601


@given(method=METHODS, params=PARAMS)
@settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_parameters_get_one_answer(raw: Raw, method: str, params: Any) -> None:
    if method in ("shutdown", "exit"):
        return
    number = next(NUMBERS)
    made = raw.call(number, method, params)
    assert ("result" in made) != ("error" in made)
    assert made.get("error", {}).get("code") != -32603, made
    raw.send({"method": method, "params": params})
    alive(raw)
    assert not [m for m in raw.asked if m.get("id") == number]


@given(
    st.dictionaries(st.sampled_from(["id", "jsonrpc", "method", "params", "result", "error"]), JSON)
)
@settings(max_examples=50)
def test_any_envelope_leaves_the_server_alive(raw: Raw, message: dict[str, Any]) -> None:
    raw.write(frame(message))
    alive(raw)


@given(st.binary(max_size=200))
@settings(max_examples=40)
def test_any_body_leaves_the_server_alive(raw: Raw, data: bytes) -> None:
    raw.write(body(data))
    alive(raw)
