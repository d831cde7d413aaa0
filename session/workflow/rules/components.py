"""Loops of a graph: its strongly connected components, found without recursion (Tarjan)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def components(onward: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """Give every set of nodes that lead to one another, and nodes that lead to themselves."""
    return [each for each in ordered(onward) if _loops(each, onward)]


def _loops(members: set[str], onward: Mapping[str, Iterable[str]]) -> bool:
    return len(members) > 1 or any(name in onward[name] for name in members)


def ordered(onward: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """Give all components, each after those that it leads to."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    found: list[set[str]] = []
    for root in onward:
        if root in index:
            continue
        work = [(root, iter(sorted(onward[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        waiting.add(root)
        while work:
            name, targets = work[-1]
            target = next((each for each in targets if each in onward), None)
            if target is not None:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    waiting.add(target)
                    work.append((target, iter(sorted(onward[target]))))
                elif target in waiting:
                    low[name] = min(low[name], index[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[name])
            if low[name] == index[name]:
                found.append(_pop(stack, waiting, name))
    return found


def _pop(stack: list[str], waiting: set[str], name: str) -> set[str]:
    members: set[str] = set()
    while name not in members:
        member = stack.pop()
        waiting.discard(member)
        members.add(member)
    return members
