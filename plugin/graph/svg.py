"""A chart as SVG. Graphviz lays it out: it is everywhere, and nothing does it better."""

from __future__ import annotations

import shutil
import subprocess
from json import dumps
from typing import TYPE_CHECKING, Final

from segue.session.errors import SegueError
from segue.session.workflow.chart import END, UNKNOWN

from .mermaid import COLOURS

if TYPE_CHECKING:
    from segue.session.workflow.chart import Chart, Step

_SECONDS: Final = 60
_SHAPES: Final = {"wait": "oval", "checkpoint": "hexagon", "human": "hexagon", "mount": "folder"}
_HEAD: Final = (
    "digraph workflow {",
    "  graph [rankdir=TB, fontname=Helvetica, nodesep=0.5, ranksep=0.5, bgcolor=transparent]",
    "  node [fontname=Helvetica, fontsize=12, style=rounded, shape=box, penwidth=1.6]",
    "  edge [fontname=Helvetica, fontsize=10, arrowsize=0.7]",
    '  start [shape=circle, width=0.15, label="", style=filled, fillcolor=black]',
    '  finish [shape=doublecircle, width=0.12, label="", style=filled, fillcolor=black]',
)


def svg(chart: Chart) -> str:
    """Give the drawing.

    Raises:
        SegueError: Where Graphviz is not installed, or fails.
    """
    tool = shutil.which("dot")
    if tool is None:
        raise SegueError(
            "SVG needs Graphviz and there is no `dot`: install it (apt install graphviz, or"
            " brew install graphviz), or use --format mermaid"
        )
    try:
        done = subprocess.run(
            [tool, "-Tsvg"],
            input=dot(chart).encode(),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SegueError(f"Graphviz ({tool}) could not draw it: {error}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[:500]
        raise SegueError(f"Graphviz ({tool}) could not draw it: {said}")
    return done.stdout.decode("utf-8", "replace")


def dot(chart: Chart) -> str:
    """Give the chart in Graphviz's language."""
    ids = {path: f"n{index}" for index, path in enumerate(chart.steps)}
    lines = [*_HEAD, *(f"  {ids[path]} [{_node(step)}]" for path, step in chart.steps.items())]
    if chart.start in ids:
        lines.append(f"  start -> {ids[chart.start]}")
    if any(way.target == UNKNOWN for way in chart.ways):
        lines.append('  unclear [label="not known from the text", shape=plaintext]')
    for way in chart.ways:
        target = "finish" if way.target == END else ids.get(way.target, "unclear")
        style = ", style=dashed" if way.failure else ""
        lines.append(f"  {ids[way.source]} -> {target} [label={dumps(way.label)}{style}]")
    return "\n".join([*lines, "}"]) + "\n"


def _node(step: Step) -> str:
    shape = f", shape={_SHAPES[step.shown]}" if step.shown in _SHAPES else ""
    label = dumps(f"{step.path}\n{step.shown}", ensure_ascii=False)
    return f'label={label}, color="{COLOURS[step.shown]}"{shape}'
