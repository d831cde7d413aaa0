"""Codes, severities and findings: the vocabulary that `check`, the loader and editors share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


class Code(StrEnum):
    """Each rule's code; `docs/RULES.md` explains every one."""

    SYNTAX = "SG100"
    UNKNOWN_TARGET = "SG101"
    UNREACHABLE = "SG102"
    NO_END = "SG103"
    SECOND_EDGE = "SG104"
    MISSING_CASE = "SG105"
    EXTRA_CASE = "SG106"
    BAD_PATH = "SG107"
    NO_OUTPUT_MODEL = "SG108"
    DUPLICATE_NAME = "SG109"
    RESERVED_NAME = "SG110"
    NAME_NOT_STEM = "SG111"
    BAD_EXIT = "SG112"
    INCLUDE_CYCLE = "SG113"
    ENDLESS_LOOP = "SG114"
    NO_EFFECT = "SG115"
    PROMPT_TOO_LONG = "SG116"
    NEVER_PRODUCED = "SG117"
    BAD_CALLBACK = "SG118"
    IMPURE_COMPUTE = "SG119"
    LOOSE_OUTPUT = "SG120"
    SHADOWED_BUILTIN = "SG121"
    UNUSED_OUTPUT = "SG122"
    UNUSED_INPUT = "SG123"
    NOT_ONE_WORKFLOW = "SG124"
    BAD_SETTING = "SG125"
    LOADS_OTHERWISE = "SG126"


SEVERITIES: Final[Mapping[Code, Severity]] = {
    Code.ENDLESS_LOOP: Severity.WARNING,
    Code.LOOSE_OUTPUT: Severity.HINT,
    Code.SHADOWED_BUILTIN: Severity.HINT,
    Code.UNUSED_OUTPUT: Severity.HINT,
    Code.UNUSED_INPUT: Severity.HINT,
}
"""Those that are not errors: a run starts in spite of them."""


@dataclass(frozen=True)
class Change:
    """Replace the bytes from `start` to `end` of the file by `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Fix:
    """Edits that mend a finding.

    `safe` ones say what the author must have meant, or change nothing that can happen; `check
    --fix` applies those. The others are offered where a person looks at them.
    """

    title: str
    changes: tuple[Change, ...]
    safe: bool = True


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, where, and what to do about it.

    Lines and columns count from 1, the end is exclusive and 0 where only the start is known;
    `subject` is the bare name the finding is about. `start` and `end` are the same range in
    bytes, where the finding was made from text.
    """

    code: Code
    severity: Severity
    message: str
    path: str
    line: int
    column: int = 1
    subject: str = ""
    end_line: int = 0
    end_column: int = 0
    start: int = 0
    end: int = 0
    fix: Fix | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
