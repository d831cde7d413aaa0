"""`segue graph`: a workflow as boxes, Mermaid or SVG, and the path that a run took."""

from __future__ import annotations

import sys
from textwrap import fill
from typing import TYPE_CHECKING, Final

from segue.session.errors import SegueError, UsageError

from .. import workspace
from ..charts import chart_named, run_chart
from ..views.paint import paint_for

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
    workspace.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.run is not None and args.format != "text":
        raise UsageError("--run is drawn as text: leave --format out")
    if args.run is not None:
        chart, path = run_chart(args.workflow, args.run, workspace.workspace_of(args))
    else:
        chart, path = chart_named(args.workflow, workspace.project_of(args)), None
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
    body = coloured(rows) if paint_for(sys.stdout).colour else plain(rows)
    bound = "" if chart.max_steps is None else f", at most {chart.max_steps} steps in a run"
    unsure = "" if chart.complete else "\n(the text does not settle all of it: see `segue check`)"
    head = fill(f"{chart.name}: {kinds(chart)}{bound}", WIDTH)
    return f"{head}{unsure}\n\n{body}"
