"""Frames arrive whole however the bytes are cut, and anything else ends the stream."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segue.session import limits
from segue.session.engine.frames import BadFrame, Buffer, encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)  # fmt: skip
MESSAGE = st.dictionaries(st.text(), JSON)


@settings(max_examples=40)
@given(st.lists(MESSAGE, max_size=4), st.lists(st.integers(1, 50)))
def test_messages_come_out_as_they_went_in(
    messages: list[dict[str, object]], cuts: list[int]
) -> None:
    stream = b"".join(encode(message) for message in messages)
    buffer, taken, at = Buffer(), [], 0
    for size in [*cuts, len(stream)]:
        buffer.feed(stream[at : at + size])
        at += size
        while (message := buffer.take()) is not None:
            taken.append(message)
    assert taken == messages


@given(st.binary(min_size=1, max_size=200))
def test_noise_never_becomes_a_message_silently(noise: bytes) -> None:
    buffer = Buffer()
    buffer.feed(noise)
    try:
        message = buffer.take()
    except BadFrame:
        return
    assert message is None or isinstance(message, dict)


def test_a_length_over_the_limit_is_refused_before_it_is_read() -> None:
    buffer = Buffer()
    buffer.feed(struct.pack(">I", limits.FRAME_BYTES + 1))
    with pytest.raises(BadFrame, match="67,108,865"):
        buffer.take()


@pytest.mark.parametrize("text", [b"{", b"[]", b"1", b'"x"', b"\xff"])
def test_what_is_no_json_object_is_refused(text: bytes) -> None:
    buffer = Buffer()
    buffer.feed(struct.pack(">I", len(text)) + text)
    with pytest.raises(BadFrame):
        buffer.take()


def test_a_message_over_the_limit_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FRAME_BYTES", 10)
    with pytest.raises(BadFrame, match="at most 10"):
        encode({"text": "0123456789"})
