"""Puts Segue's glue into other programs, and takes it out again.

`HOSTS` is the only list of programs; each module has `plan(scope, project) -> Plan`.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Host(NamedTuple):
    """One program that Segue can be installed into.

    Attributes:
        module: Below `plugin/installs/`.
        name: As people know it.
        program: Its command on the PATH.
        scopes: Where its glue can go: `user`, `project`; the first is the default.
        say: What to type there, once it is installed.
    """

    module: str
    name: str
    program: str
    scopes: tuple[str, ...]
    say: str


HOSTS: Final[dict[str, Host]] = {
    "pi": Host("pi", "Pi", "pi", ("user", "project"), "/workflow"),
    "nvim": Host("nvim", "Neovim", "nvim", ("user",), ":Segue in a file of .segue/workflows"),
}
