"""One spelling for every JSON value, and the digest of it.

Two values that are equal as JSON have the same canonical text, whatever order their keys were
written in and whatever machine wrote them. Digests are SHA-256.
"""

from __future__ import annotations

import json
from typing import TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"

_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode
_read = json.JSONDecoder().raw_decode
_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def canonical(value: object) -> str:
    """Give the canonical JSON text of `value`.

    Raises:
        ValueError: For NaN or infinity, or a circular structure.
        TypeError: For what is not JSON.
    """
    return _encode(value)


def compact(value: object) -> str:
    """Give JSON text that keeps the order of keys; raises as `canonical` does."""
    return _compact(value)


def loads(text: str) -> Json:
    """Read JSON text as the two above write it, without space around it.

    Raises:
        ValueError: It is something else.
    """
    value: Json
    value, end = _read(text)
    if end != len(text):
        raise ValueError(f"{len(text) - end} characters follow the JSON value")
    return value


def _sha256(text: str) -> bytes:
    from hashlib import sha256  # loads OpenSSL: a worker without models needs none

    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def digest(value: object) -> bytes:
    """Give the 32-byte digest of a JSON value's canonical text."""
    return _sha256(_encode(value))


def digest_text(text: str) -> bytes:
    """Give the 32-byte digest of a text as UTF-8."""
    return _sha256(text)


def clean(text: str) -> str:
    """Give a text that every other program can hold: lone surrogates are spelled out."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
