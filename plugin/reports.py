"""Findings as text, as JSON, as GitHub's annotations and as SARIF."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from segue.session.workflow.findings import Code, Severity

from .checking import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from segue.session.workflow.findings import Finding

_GITHUB: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}
_SARIF: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
_HELP: Final = "docs/RULES.md"


def text(findings: Sequence[Finding], files: int) -> str:
    """One line for each finding, and a summary."""
    lines = [f"{_place(f)}: {f.code} {f.message}" for f in findings]
    return "\n".join([*lines, summary(findings, files)])


def summary(findings: Sequence[Finding], files: int) -> str:
    counts = Counter(f.severity for f in findings)
    parts = [_count(counts[severity], severity.value) for severity in Severity if counts[severity]]
    return f"{_count(files, 'file')}: {', '.join(parts) or 'nothing to say'}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _place(finding: Finding) -> str:
    return f"{shown(Path(finding.path))}:{finding.line}:{finding.column}"


def as_json(findings: Sequence[Finding], _files: int) -> str:
    return json.dumps([_plain(f) for f in findings], indent=2, ensure_ascii=False)


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        "path": shown(Path(finding.path)),
        "line": finding.line,
        "column": finding.column,
        "code": finding.code.value,
        "severity": finding.severity.value,
        "message": finding.message,
        "subject": finding.subject,
    }


def github(findings: Sequence[Finding], files: int) -> str:
    """Workflow commands that annotate a pull request."""
    lines = [
        f"::{_GITHUB[f.severity]} file={_property(shown(Path(f.path)))},line={f.line},"
        f"col={f.column},title={f.code}::{_data(f.message)}"
        for f in findings
    ]
    return "\n".join([*lines, summary(findings, files)])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(findings: Sequence[Finding], _files: int) -> str:
    """SARIF 2.1.0, as code scanning services read it."""
    from segue import __version__

    rules = sorted({f.code for f in findings})
    run = {
        "tool": {
            "driver": {
                "name": "segue",
                "version": __version__,
                "rules": [_rule(code) for code in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(f) for f in findings],
    }
    head = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0"}
    return json.dumps({**head, "runs": [run]}, indent=2, ensure_ascii=False)


def _rule(code: Code) -> dict[str, Any]:
    name = "".join(part.capitalize() for part in code.name.split("_"))
    return {
        "id": code.value,
        "name": name,
        "shortDescription": {"text": code.name.lower().replace("_", " ")},
        "help": {"text": f"See {_HELP}, section {code.value}."},
    }


def _result(finding: Finding) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column}
    if finding.end_line:
        region |= {"endLine": finding.end_line, "endColumn": finding.end_column}
    return {
        "ruleId": finding.code.value,
        "level": _SARIF[finding.severity],
        "message": {"text": finding.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": Path(shown(Path(finding.path))).as_posix()},
                    "region": region,
                }
            }
        ],
    }


FORMATS: Final[dict[str, Callable[[Sequence[Finding], int], str]]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
