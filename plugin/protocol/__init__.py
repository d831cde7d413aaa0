"""The `segue/*` protocol: its version, its messages as pydantic models, and one table of them.

`docs/PROTOCOL.md` and `docs/protocol.schema.json` are made from here (`documenting`).
"""

from typing import Final

VERSION: Final = 1
"""The integer in both hellos; another one is a mismatch, said by whoever sees it first."""
