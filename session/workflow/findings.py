"""Codes, severities and findings: the vocabulary that `check`, the loader and editors share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, where, and what to do about it.

    `line` and `column` count from 1; `subject` is the bare name the finding is about.
    """

    code: Code
    severity: Severity
    message: str
    path: str
    line: int
    column: int = 1
    subject: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.code} {self.message}"
