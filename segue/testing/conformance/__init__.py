"""The conformance kit: a fake host, scripted models, crashes at every point, and the rules.

It proves the rules of Segue's sessions, turns, durability and people over whatever `Wire` it is
given: the calls of this process, a protocol, or a real host's adapter.
"""

from __future__ import annotations

from .host import PUSH, SHAPES, FakeHost, Shape
from .model import Good, Model
from .rules import check
from .wire import Gone, Line, Refused, Said, Server, Wire
from .world import World, local_world

__all__ = [
    "PUSH",
    "SHAPES",
    "FakeHost",
    "Gone",
    "Good",
    "Line",
    "Model",
    "Refused",
    "Said",
    "Server",
    "Shape",
    "Wire",
    "World",
    "check",
    "local_world",
]
