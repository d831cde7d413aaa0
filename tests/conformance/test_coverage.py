"""No rule and no field report is forgotten: each is named by a scenario or a test here."""

from __future__ import annotations

import re
from pathlib import Path

from segue.testing.conformance.scenarios import PROVES

HERE = Path(__file__).parent
RULES = (
    [f"O{n}" for n in range(1, 9)]
    + [f"T{n}" for n in range(1, 13)]
    + [f"D{n}" for n in range(1, 10)]
    + [f"H{n}" for n in range(1, 4)]
)
PAINS = """
A1 A2 A3 A4 A5 A7 A9 A11 B1 B2 B3 B4 B7 B8 B10 B11 B13 B15 C1 C2 C3 C5 C6 C9 C11 C12 C13 C14
D2 D3 D4 D5 D7 E1 E2 H1 H3 H4 H6 I5 I6 I8 I10 K1 K3 K5 L1 L2
""".split()
"""Letters A-E, H, I, K and L, but for those that only another room can prove."""


def test_each_rule_and_each_report_is_named() -> None:
    """O1-O8, T1-T12, D1-D9, H1-H3 and the P- ids."""
    named = {name for names in PROVES.values() for name in names}
    for file in HERE.glob("test_*.py"):
        if file.name not in ("test_coverage.py", "test_machine.py", "test_mutations.py"):
            named |= set(re.findall(r"\b(?:P-)?[A-Z]\d+\b", file.read_text("utf-8")))
    assert [rule for rule in RULES if rule not in named] == []
    assert [pain for pain in PAINS if f"P-{pain}" not in named] == []
