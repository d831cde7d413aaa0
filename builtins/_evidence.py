"""What git says of a change, bounded: the text that a review rests on."""

from pydantic import Field

from segue import ShellResult
from segue.builtins._fields import Strict

STATUS_CHARS = 8_000
LOG_CHARS = 4_000
STAT_CHARS = 8_000
DIFF_CHARS = 200_000
COMMITS = 100


class Base(Strict):
    commit: str = Field(description="What the change is measured from; empty where nothing is.")


class Evidence(Strict):
    """The beginning of what a command printed."""

    text: str
    left_out: int = Field(description="Characters of it that are not in text.")

    def shown(self) -> str:
        more = f"\n[... {self.left_out:,} more characters: run git yourself]"
        return self.text + more if self.left_out else self.text


def base_of(result: ShellResult) -> Base:
    return Base(commit=result.stdout.strip() if result.exit_code == 0 else "")


def _kept(result: ShellResult, chars: int) -> Evidence:
    text = result.stdout
    left = result.stdout_dropped + max(0, len(text) - chars)
    return Evidence(text=text[:chars].rstrip(), left_out=left)


def status_of(result: ShellResult) -> Evidence:
    return _kept(result, STATUS_CHARS)


def log_of(result: ShellResult) -> Evidence:
    return _kept(result, LOG_CHARS)


def stat_of(result: ShellResult) -> Evidence:
    return _kept(result, STAT_CHARS)


def diff_of(result: ShellResult) -> Evidence:
    return _kept(result, DIFF_CHARS)
