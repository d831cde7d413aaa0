"""A progress bar with what is known: how far, how fast, how long still."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .times import duration

if TYPE_CHECKING:
    from segue.session.engine.progress import Estimate

    from .paint import Paint

_CELLS = 24
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(paint: Paint, found: Estimate) -> str:
    """Draw an estimate; without a total only the count is shown."""
    said = f"{found.completed:g}"
    drawn = ""
    if found.total:
        share = min(1.0, max(0.0, found.completed / found.total))
        drawn = f"{paint(_cells(share), 'cyan')} {share:>4.0%}  "
        said += f" of {found.total:g}"
    parts = [f"{said} {found.unit}".strip()]
    if found.rate is not None:
        parts.append(f"{found.rate:.3g}/s")
    if found.eta:
        parts.append(f"{duration(found.eta * 1000)} left")
    if found.message:
        parts.append(found.message)
    return drawn + " · ".join(parts)


def _cells(share: float) -> str:
    eighths = round(share * _CELLS * 8)
    whole, rest = divmod(eighths, 8)
    filled = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return "▕" + filled.ljust(_CELLS) + "▏"
