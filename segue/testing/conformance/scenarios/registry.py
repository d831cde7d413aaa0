"""The list of scenarios: each names the rules and the field reports that it is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from ..world import World

Scenario: TypeAlias = "Callable[[World], None]"
SCENARIOS: Final[dict[str, Callable[..., None]]] = {}
PROVES: Final[dict[str, tuple[str, ...]]] = {}


def scenario(*proves: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """List a function of a fresh world as a scenario of these rules."""

    def listed(function: Callable[..., None]) -> Callable[..., None]:
        name = function.__name__
        assert name not in SCENARIOS, name
        SCENARIOS[name] = function
        PROVES[name] = proves
        return function

    return listed
