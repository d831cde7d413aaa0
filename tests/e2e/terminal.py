"""A program in a real terminal: tmux runs it, types into it, and reads the screen."""

from __future__ import annotations

import shlex
import subprocess
import threading
from typing import TYPE_CHECKING

from . import cache

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_LOOK_SECONDS = 0.1


class Terminal:
    """One terminal of 90 columns and 40 lines with one program in it."""

    def __init__(self, name: str, argv: list[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._tmux = [cache.tmux(), "-L", name]
        kept = {k: v for k, v in env.items() if k.isupper() and k not in ("TMUX", "TERM")}
        words = ["env", "-i", *(f"{k}={v}" for k, v in kept.items()), "TERM=xterm-256color", *argv]
        size = ("-x", "90", "-y", "40")
        self._do("new-session", "-d", *size, "-s", "main", "-c", str(cwd), shlex.join(words))

    def _do(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def screen(self) -> str:
        return self._do("capture-pane", "-p", "-t", "main")

    def type(self, *keys: str) -> None:
        """Type words, or keys by tmux's names (`Enter`, `Escape`)."""
        self._do("send-keys", "-t", "main", *keys)

    def wait(self, wanted: str | Callable[[str], bool], seconds: float = 60) -> str:
        """Look until the screen shows it; tmux tells nobody of changes, so it is asked."""
        pause = threading.Event()
        screen = ""
        for _ in range(int(seconds / _LOOK_SECONDS)):
            screen = self.screen()
            if wanted in screen if isinstance(wanted, str) else wanted(screen):
                return screen
            pause.wait(_LOOK_SECONDS)
        raise AssertionError(f"{wanted!r} never came:\n{screen}")

    def send_again_while(self, refusal: str, typed: str, seconds: float = 30) -> None:
        """Press Enter again as long as the program says that it takes nothing yet.

        Only while what was typed still stands there: the refusal stays on the screen for a while
        after it was taken, and an Enter then would answer whatever it has opened.
        """
        pause = threading.Event()
        for _ in range(int(seconds)):
            pause.wait(1)
            screen = self.screen()
            if refusal not in screen or typed not in screen:
                return
            self.type("Enter")

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)
