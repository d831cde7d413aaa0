"""The `segue` command."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; `segue --version` answers without loading any of it."""
    if sys.argv[1:] == ["--version"]:
        from segue import __version__

        print(f"segue {__version__}")
        return 0
    from segue.plugin.cli import main as run

    return run()


if __name__ == "__main__":
    raise SystemExit(main())
