"""A chart as a Mermaid flowchart that renders unchanged, in a README too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from segue.session.workflow.chart import END, UNKNOWN

if TYPE_CHECKING:
    from segue.session.workflow.chart import Chart, Step

_SHAPES: Final = {
    "wait": ('(["', '"])'),
    "checkpoint": ('{{"', '"}}'),
    "human": ('{{"', '"}}'),
    "mount": ('[["', '"]]'),
}
COLOURS: Final = {
    "agent": "#0e7490",
    "assistant": "#1d4ed8",
    "compute": "#15803d",
    "action": "#a16207",
    "shell": "#a16207",
    "wait": "#7e22ce",
    "notify": "#0369a1",
    "checkpoint": "#be123c",
    "human": "#be123c",
    "mount": "#374151",
}
"""Borders by kind, dark enough on white and light enough on black."""


def mermaid(chart: Chart) -> str:
    """Give the flowchart's text."""
    ids = {path: f"n{index}" for index, path in enumerate(chart.steps)}
    lines = ["flowchart TD", '    start(("start"))', '    finish(("end"))']
    lines += [f"    {ids[path]}{_node(step)}" for path, step in chart.steps.items()]
    if chart.start in ids:
        lines.append(f"    start --> {ids[chart.start]}")
    for way in chart.ways:
        target = "finish" if way.target == END else ids.get(way.target, "unclear")
        arrow = "-.->" if way.failure else "-->"
        label = f'|"{_text(way.label)}"|' if way.label else ""
        lines.append(f"    {ids[way.source]} {arrow}{label} {target}")
    if any(way.target == UNKNOWN for way in chart.ways):
        lines.append('    unclear(["not known from the text"])')
    return "\n".join(lines + _classes(chart, ids)) + "\n"


def _node(step: Step) -> str:
    opening, closing = _SHAPES.get(step.shown, ('["', '"]'))
    return f"{opening}{_text(step.path)}<br/><i>{step.shown}</i>{closing}"


def _classes(chart: Chart, ids: dict[str, str]) -> list[str]:
    members: dict[str, list[str]] = {}
    for path, step in chart.steps.items():
        members.setdefault(step.shown, []).append(ids[path])
    lines: list[str] = []
    for kind, names in members.items():
        lines.append(f"    classDef {kind} stroke:{COLOURS[kind]},stroke-width:2px")
        lines.append(f"    class {','.join(names)} {kind}")
    return lines


def _text(text: str) -> str:
    """Quote what would end a label or be read as markup."""
    for character in '#"<>&|`':
        text = text.replace(character, f"\0{ord(character)};")
    return text.replace("\0", "#")
