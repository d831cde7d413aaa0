"""`segue graph`: a workflow as boxes, Mermaid or SVG, and the path that a run took."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from segue.session.errors import SegueError, UsageError

from ..charts import chart_named, run_chart

if TYPE_CHECKING:
    import argparse

    from segue.session.workflow.chart import Chart

    from ..graph.taken import Taken

WIDTH: Final = 80


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="a name, a reference or a file")
    parser.add_argument(
        "--format", choices=["text", "mermaid", "svg"], default="text", help="how to draw it"
    )
    parser.add_argument("--run", metavar="RUN", help="mark the path and the states of this run")


def run(args: argparse.Namespace) -> int:
    if args.run is not None and args.format != "text":
        raise UsageError("--run is drawn as text: leave --format out")
    if args.run is not None:
        chart, path = run_chart(args.workflow, args.run, Path.cwd())
    else:
        chart, path = chart_named(args.workflow, Path.cwd()), None
    if not chart.steps:
        raise SegueError(f"'{chart.name}' has no nodes to draw: see `segue check`")
    if args.format == "text":
        print(_text(chart, path))
    elif args.format == "mermaid":
        from ..graph.mermaid import mermaid

        print(mermaid(chart), end="")
    else:
        from ..graph.svg import svg

        print(svg(chart), end="")
    return 0


def _text(chart: Chart, path: Taken | None) -> str:
    from ..graph.canvas import coloured, plain
    from ..graph.text import Drawing, kinds

    rows = Drawing(chart, WIDTH, path).draw().rows()
    body = coloured(rows) if colours() else plain(rows)
    bound = "" if chart.max_steps is None else f", at most {chart.max_steps} steps in a run"
    unsure = "" if chart.complete else "\n(the text does not settle all of it: see `segue check`)"
    return f"{chart.name}: {kinds(chart)}{bound}{unsure}\n\n{body}"


def colours() -> bool:
    """Whether to use colour: on a terminal, unless the person asked for none."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
