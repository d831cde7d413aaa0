"""The `segue` command."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command line; `segue --version` answers without loading any of it."""
    if sys.argv[1:] == ["--version"]:
        from segue import __version__

        print(f"segue {__version__}")
        return 0
    gc.set_threshold(20_000)  # what a start makes stays: looking for garbage in it is wasted
    if sys.argv[1:2] in (["rehearse"], ["resume"]):
        from segue.session.engine.launch import ahead

        ahead()
    from segue.plugin.cli import main as run

    return run()


if __name__ == "__main__":
    raise SystemExit(main())
