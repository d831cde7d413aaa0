"""Writes what is made from the protocol's models: `python docs/protocol.py`.

That is `docs/protocol.schema.json`, and the parts of `docs/PROTOCOL.md` that lie between
`<!-- NAME: made by docs/protocol.py -->` and `<!-- /NAME -->`. A test makes them again.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from segue.plugin.protocol.documenting import schema_text, tables

DOCS: Final = Path(__file__).parent
PAGE: Final = DOCS / "PROTOCOL.md"
SCHEMA: Final = DOCS / "protocol.schema.json"


def page(text: str) -> str:
    """Give the page with its parts made anew."""
    for name, body in tables().items():
        start, end = f"<!-- {name}: made by docs/protocol.py -->", f"<!-- /{name} -->"
        pattern = re.compile(re.escape(start) + r".*?" + re.escape(end), re.S)
        made = f"{start}\n{body}\n{end}"
        text, count = pattern.subn(lambda _, made=made: made, text)  # type: ignore[misc]  # a default binds it
        if count != 1:
            raise SystemExit(f"{PAGE.name}: the part '{name}' is there {count} times")
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(schema_text(), "utf-8")
