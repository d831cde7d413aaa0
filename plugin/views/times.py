"""Times as people say them."""

from __future__ import annotations

from datetime import UTC, datetime


def duration(ms: float) -> str:
    """Give a length of time in its two largest units, such as `2 h 5 min`."""
    seconds = ms / 1000
    if seconds < 1:
        return f"{max(0, round(ms))} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    whole = round(seconds)
    for name, size, small, part in (("d", 86_400, "h", 3_600), ("h", 3_600, "min", 60)):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {name}" + (f" {rest} {small}" if rest else "")
    rest = whole % 60
    return f"{whole // 60} min" + (f" {rest} s" if rest else "")


def ago(ms: int, now: int) -> str:
    """Give how long ago something was, coarsely."""
    seconds = max(0, now - ms) // 1000
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {name} ago"
    return "just now" if seconds < 5 else f"{seconds} s ago"


def clock(ms: int) -> str:
    """Give a moment in the person's own time zone."""
    return datetime.fromtimestamp(ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def iso(ms: int | None) -> str | None:
    """Give a moment for programs: UTC, ISO 8601."""
    if ms is None:
        return None
    stamp = datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
    return stamp.replace("+00:00", "Z")
