"""Who a process is beyond its number, and the proof that it is gone (D3).

A pid alone proves nothing: it is given again, means another process in another pid namespace,
and starts over at a reboot. `True` from `is_gone` is a proof, `False` an observation, and
`None` says that it cannot be told from here: then a person has to say so.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class ProcessIdentity(NamedTuple):
    """One process of one boot of one machine.

    Attributes:
        boot_id: `machine/boot`. The machine is in it because another boot proves a process
            gone only where it is the same machine's; it is empty where it is unknown.
        pid_ns: The pid namespace in which `pid` was read, empty where there are none.
        pid: The process's number.
        start: When it started, in the system's own spelling: only good for comparing.
    """

    boot_id: str
    pid_ns: str
    pid: int
    start: str


class _Seen(NamedTuple):
    start: str
    dead: bool


def current() -> ProcessIdentity:
    """Give this process's own identity."""
    return _own(os.getpid())


@cache
def _own(pid: int) -> ProcessIdentity:
    found = of(pid)
    if found is None:
        raise RuntimeError("this system does not show a process to itself")
    return found


def of(pid: int) -> ProcessIdentity | None:
    """Give the identity of a running process, None where there is none to be seen."""
    seen = _look(pid)
    if seen is None or seen.dead:
        return None
    return ProcessIdentity(boot_id(), _pid_namespace(), pid, seen.start)


def is_gone(identity: ProcessIdentity) -> bool | None:
    """Tell whether a process has ended: True is proved, None cannot be told from here."""
    if identity.pid == os.getpid() and identity == current():
        return False  # who asks is there; most who ask, ask about themselves
    theirs, ours = identity.boot_id, boot_id()
    machine, _, boot = ours.partition("/")
    if not boot or not theirs.partition("/")[2]:
        return None
    if theirs != ours:
        # Nothing survives a reboot. State is refused on network file systems, so that two
        # machines with one id (a cloned image) do not read each other's rows.
        return True if machine and theirs.partition("/")[0] == machine else None
    if identity.pid_ns != _pid_namespace():
        return None  # a container: the same number is another process there
    seen = _look(identity.pid)
    if seen is None:
        return _no_such_process(identity.pid)
    return seen.dead or seen.start != identity.start


def _no_such_process(pid: int) -> bool | None:
    """Ask the kernel: `/proc` may hide other people's processes (`hidepid`)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return None
    return None  # it is there, or came between the two looks: no proof


def group_lives(leader: int) -> bool:
    """Tell whether any process of a group still runs.

    The dead that their parent has not collected do not count: the signal 0 reaches them too, and
    in a container whose first process collects nobody they stay for ever.
    """
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    members = _members_ps() if sys.platform == "darwin" else _members_proc()
    return any(group == leader and not dead for group, dead in members)


def boot_id() -> str:
    """Give `machine/boot`, the same for every process since the machine was started."""
    return _mac_boot_id() if sys.platform == "darwin" else _linux_boot_id()


def _look(pid: int) -> _Seen | None:
    if pid <= 0:
        return None
    return _look_ps(pid) if sys.platform == "darwin" else _look_proc(pid)


# Linux: everything from /proc, nothing to import.


@cache
def _linux_boot_id() -> str:
    machine = _read(Path("/etc/machine-id"))
    return f"{machine}/{_read(_PROC / 'sys/kernel/random/boot_id')}"


def _pid_namespace() -> str:
    try:
        return str((_PROC / "self/ns/pid").readlink())
    except OSError:
        return ""


def _look_proc(pid: int) -> _Seen | None:
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:  # no such process, or it ended while being read
        return None
    # The name in parentheses may hold spaces and parentheses: what counts comes after it.
    fields = text.rpartition(")")[2].split()
    state, threads, start = fields[0], int(fields[17]), fields[19]
    # A process whose first thread has ended looks like a zombie while its others live on.
    return _Seen(start, dead=state in "XxZ" and threads <= 1)


def _members_proc() -> list[tuple[int, bool]]:
    made = []
    for folder in _PROC.glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text("utf-8", "replace")
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        made.append((int(fields[2]), fields[0] in "XxZ" and int(fields[17]) <= 1))
    return made


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii", "replace").strip()
    except OSError:
        return ""


# macOS: `ps` gives the kernel's own record of the start. psutil corrects it by the clock's
# jumps since its import, so that two readers can differ; for a proof they must not.


def _look_ps(pid: int) -> _Seen | None:
    return parse_ps(_said("ps", "-o", "stat=,lstart=", "-p", str(pid)))


def parse_ps(text: str) -> _Seen | None:
    """Read `ps -o stat=,lstart=` of one process; nothing where there is none."""
    state, _, start = text.strip().partition(" ")
    return _Seen(" ".join(start.split()), dead=state.startswith("Z")) if start else None


def _members_ps() -> list[tuple[int, bool]]:
    rows = [line.split() for line in _said("ps", "-A", "-o", "pgid=,stat=").splitlines()]
    return [(int(row[0]), row[1].startswith("Z")) for row in rows if len(row) > 1]


@cache
def _mac_boot_id() -> str:
    return f"{_mac_machine()}/{_said('sysctl', '-n', 'kern.bootsessionuuid')}"


def _mac_machine() -> str:
    import ctypes

    found, wait = (ctypes.c_ubyte * 16)(), (ctypes.c_long * 2)()
    failed = ctypes.CDLL(None).gethostuuid(found, ctypes.byref(wait))
    return "" if failed else bytes(found).hex()


def _said(*argv: str) -> str:
    import subprocess

    env = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=env)
    return done.stdout.strip()
