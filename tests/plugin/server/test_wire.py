"""Frames: whatever comes, the reader goes on behind it (S3, S4)."""

from __future__ import annotations

import io
import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.plugin.server.wire import FRAME_BYTES, Bad, Reader, Writer, encode, frames

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


def read(data: bytes) -> list[Any]:
    return list(frames(io.BytesIO(data)))


@given(st.lists(JSON, max_size=5))
def test_what_is_written_is_read(messages: list[Any]) -> None:
    assert read(b"".join(encode(message) for message in messages)) == messages


@given(st.binary(max_size=300), JSON)
def test_noise_before_a_frame_does_not_stop_the_reader(noise: bytes, message: Any) -> None:
    """After an empty line the next frame is read, unless the noise claims a body of its own."""
    if b"content-length" in noise.lower():
        return
    made = read(noise + b"\n\n" + encode(message))
    assert made[-1] == message
    assert all(isinstance(each, Bad) for each in made[:-1])


@given(st.binary(max_size=2_000))
def test_no_input_raises(data: bytes) -> None:
    read(data)
    read(b"Content-Length: %d\r\n\r\n" % len(data) + data)


@pytest.mark.parametrize(
    "header",
    [b"Content-Length: -1", b"Content-Length: 9" + b"9" * 30, b"Content-Length: 1e3", b"X: 1"],
)
def test_a_wrong_header_is_one_bad_frame(header: bytes) -> None:
    made = read(header + b"\r\n\r\n" + encode(1))
    assert [type(each) for each in made] == [Bad, int]


def test_a_frame_over_the_bound_is_skipped() -> None:
    big = FRAME_BYTES + 1
    made = read(b"Content-Length: %d\r\n\r\n" % big + b" " * big + encode({"next": 1}))
    assert isinstance(made[0], Bad)
    assert made[1] == {"next": 1}


def test_a_header_without_end_is_bounded() -> None:
    made = read(b"a: b\r\n" * 200)
    assert made
    assert all(isinstance(each, Bad) for each in made)


@pytest.mark.parametrize("value", [float("nan"), object()])
def test_what_is_not_json_is_not_sent(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode({"result": value})


def test_the_end_is_told_once() -> None:
    told: list[Any] = []
    over = threading.Event()
    reader = Reader(io.BytesIO(encode(1)), told.append, over.set)
    reader.start()
    assert over.wait(60)
    assert told == [1]


class Stuck(io.RawIOBase):
    """A pipe that nobody reads."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def write(self, _data: Any) -> int:
        self.go.wait(60)
        raise BrokenPipeError


def test_nobody_waits_for_a_client_that_does_not_read() -> None:
    """P-M1: output waits in a queue; past its bound the connection counts as broken."""
    stream, broken = Stuck(), threading.Event()
    writer = Writer(stream, broken.set)  # type: ignore[arg-type]  # a binary stream
    block = encode("x" * 10_000_000)
    for _ in range(20):
        writer.write(block)
    assert broken.is_set()
    assert writer.closed
    stream.go.set()
    writer.close()


def test_frames_are_whole_from_many_threads() -> None:
    stream = io.BytesIO()
    writer = Writer(stream, lambda: None)

    def write(number: int) -> None:
        for _ in range(50):
            writer.write(encode([number] * 50))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close(60)
    made = read(stream.getvalue())
    assert len(made) == 400
    assert json.dumps(sorted(made)) == json.dumps(sorted([[n] * 50 for n in range(8)] * 50))
