"""What an effect has left behind, in a line or two."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from .times import duration
from .values import pretty

if TYPE_CHECKING:
    from segue.session.workflow.snapshot import NodeDef


def lines(node: NodeDef, receipt: Any, *, faked: bool) -> list[str]:
    """Give the lines that tell of an effect; none for a step without one."""
    if not node.effect or not isinstance(receipt, dict | None):
        return []
    made = []
    if receipt and "argv" in receipt:
        made.append(f"$ {shlex.join(receipt['argv'])}")
    if faked:
        how = f"exit {receipt['exit_code']}, " if receipt and "exit_code" in receipt else ""
        made.append(f"{how}not run: rehearsed from the answers")
    elif receipt and "exit_code" in receipt:
        chars = receipt["stdout_chars"] + receipt["stderr_chars"]
        took = duration(receipt["seconds"] * 1000)
        made.append(f"exit {receipt['exit_code']} in {took}, {chars:,} characters of output")
    return made


def said(output: Any, columns: int) -> str:
    """Give a step's output: text as it is, of a command's result what it printed."""
    if isinstance(output, str):
        return output
    if isinstance(output, dict) and {"stdout", "stderr", "exit_code"} <= output.keys():
        printed = (output["stdout"] + output["stderr"]).rstrip("\n")
        return printed or "(printed nothing)"
    return pretty(output, columns)
