"""Opaque ids as an argument, so that a test can name them."""

from __future__ import annotations

import secrets
from typing import Protocol

_ALPHABET = "abcdefghjkmnpqrstvwxyz23456789"  # no 0/o, 1/i/l, u: read aloud and typed by people


class Ids(Protocol):
    def new(self, kind: str) -> str:
        """Give an id that was never given before, such as `req_k3v9...`."""


class RandomIds:
    def new(self, kind: str) -> str:
        # 24 letters out of 30 are 117 bits: nobody guesses one.
        number = secrets.randbits(256)
        letters = []
        for _ in range(24):
            number, at = divmod(number, len(_ALPHABET))
            letters.append(_ALPHABET[at])
        return f"{kind}_" + "".join(letters)
