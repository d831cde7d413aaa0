"""Frames between a server and its worker: four bytes of length, then JSON."""

from __future__ import annotations

import struct
from typing import Any

from .. import limits
from ..canonical import compact, loads

_HEAD = struct.Struct(">I")


class BadFrame(ValueError):
    """The stream does not carry our frames any more: give it up."""


def encode(message: dict[str, Any]) -> bytes:
    """Give the bytes of one message.

    Raises:
        BadFrame: It is over the limit.
    """
    data = compact(message).encode("utf-8", "surrogatepass")
    if len(data) > limits.FRAME_BYTES:
        raise BadFrame(f"a message of {len(data):,} bytes; at most {limits.FRAME_BYTES:,}")
    return _HEAD.pack(len(data)) + data


class Buffer:
    """Collects bytes and gives whole messages."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        self._data += data

    def take(self) -> dict[str, Any] | None:
        """Give the next message, or None until more bytes have come.

        Raises:
            BadFrame: For a length over the limit, or what is not JSON.
        """
        if len(self._data) < 4:
            return None
        (size,) = _HEAD.unpack_from(self._data)
        if size > limits.FRAME_BYTES:
            raise BadFrame(f"a frame of {size:,} bytes")
        end = 4 + size
        if len(self._data) < end:
            return None
        data = self._data[4:end]
        del self._data[:end]
        try:
            made = loads(data.decode("utf-8", "surrogatepass"))
        except ValueError as error:
            raise BadFrame("a frame that is not JSON") from error
        if not isinstance(made, dict):
            raise BadFrame("a frame that is not an object")
        return made
