"""Opaque ids as an argument, so that a test can name them."""

from __future__ import annotations

import secrets
from typing import Protocol

_ALPHABET = "abcdefghjkmnpqrstvwxyz23456789"  # no 0/o, 1/i/l, u: read aloud and typed by people
_LETTERS = bytes(ord(_ALPHABET[byte % len(_ALPHABET)]) for byte in range(256))


class Ids(Protocol):
    def new(self, kind: str) -> str:
        """Give an id that was never given before, such as `req_k3v9...`."""


class RandomIds:
    def new(self, kind: str) -> str:
        # 24 letters out of 30, the likeliest one in 9 of 256: 115 bits, nobody guesses one.
        return f"{kind}_{secrets.token_bytes(24).translate(_LETTERS).decode()}"
