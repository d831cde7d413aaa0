"""`segue lsp`: the language server on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="the only way there is; editors add it by themselves"
    )


def run(_args: Namespace) -> int:
    from ..server.server import serve

    return serve()
