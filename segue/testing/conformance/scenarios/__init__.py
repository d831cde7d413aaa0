"""The rules as stories: each is a function of a fresh world, listed with what it proves."""

from __future__ import annotations

from . import durability, ownership, people, turns
from .registry import PROVES, SCENARIOS

__all__ = ["PROVES", "SCENARIOS", "durability", "ownership", "people", "turns"]
