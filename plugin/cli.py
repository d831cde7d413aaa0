"""The command line: it parses, dispatches through one table, and maps errors to exit codes.

Exit codes: 0 done, 1 something expected went wrong (one line says what and what next),
2 the call was wrong, 3 a bug (the log's path is printed), 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from segue import __version__
from segue.session.errors import SegueError, UsageError

from .commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Command(argparse.ArgumentParser):
    """Takes words and options in any order: `rehearse NAME --keep some free text`."""

    _inside = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._inside:  # the intermixed parsing is made of two plain ones
            return super().parse_known_args(args, namespace)
        self._inside = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._inside = False


def build(names: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Give the parser, of the commands in `names` only; of all where that is empty."""
    parser = argparse.ArgumentParser(
        prog="segue",
        description="Multi-step agent workflows inside the conversation you already have.",
        epilog="'segue COMMAND --help' explains one command with an example.",
    )
    parser.add_argument("--version", action="version", version=f"segue {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_Command
    )
    for name, command in COMMANDS.items():
        if names and name not in names:
            continue
        sub = commands.add_parser(
            name,
            help=command.help,
            description=command.help[:1].upper() + command.help[1:] + ".",
            epilog=f"example:\n  {command.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        import_module(f".commands.{command.module}", __package__).add_arguments(sub)
        sub.set_defaults(module=command.module)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; never raises for what went wrong inside."""
    words = list(sys.argv[1:] if argv is None else argv)
    named = [word for word in words[:1] if word in COMMANDS]
    args = build(named).parse_args(words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the terminal cannot show is no bug
            stream.reconfigure(errors="backslashreplace")
    try:
        code: int = import_module(f".commands.{args.module}", __package__).run(args)
        sys.stdout.flush()
    except UsageError as error:
        return _fail(str(error), 2)
    except SegueError as error:
        return _fail(str(error), 1)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader went away (`segue runs | head`): nothing is wrong, and stdout is gone.
        sys.stderr.close()
        _leave(0)
    except Exception:
        from .crashlog import write

        return _fail(f"this is a bug in Segue; the details are in {write()}", 3)
    return code


def _fail(message: str, code: int) -> int:
    print(f"segue: {message}", file=sys.stderr)
    return code


def _leave(code: int) -> NoReturn:
    import os

    os._exit(code)
