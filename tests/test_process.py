"""A process is gone when that is proved, and not before (D3)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from segue.session import process
from segue.session.process import ProcessIdentity, boot_id, current, is_gone, of, parse_ps

if TYPE_CHECKING:
    from collections.abc import Iterator

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# It waits for the end of its input, so that it lives exactly as long as the test wants.
WAITS = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]


@contextmanager
def child(argv: list[str] = WAITS) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        started.stdout.readline()
        try:
            yield started
        finally:
            started.kill()


def seen(pid: int) -> ProcessIdentity:
    identity = of(pid)
    assert identity is not None
    return identity


def test_this_process_is_here() -> None:
    assert current() == current()
    assert current().pid == os.getpid()
    assert is_gone(current()) is False


def test_a_child_is_here_until_it_has_ended() -> None:
    """D3: its pid is gone."""
    with child() as running:
        identity = seen(running.pid)
        assert is_gone(identity) is False
        running.kill()
        running.wait()
        assert is_gone(identity) is True
        assert of(running.pid) is None


def test_a_zombie_counts_as_gone() -> None:
    """D3: it holds a pid and nothing else, until its parent looks."""
    with child() as running:
        identity = seen(running.pid)
        running.kill()
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(identity) is True
        assert of(running.pid) is None


def test_a_stopped_process_is_not_gone() -> None:
    """D3: time alone ends no right."""
    with child() as running:
        identity = seen(running.pid)
        running.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, running.pid, os.WSTOPPED)
        assert is_gone(identity) is False


@linux
def test_a_process_whose_first_thread_ended_is_not_gone() -> None:
    """It looks like a zombie, and its other threads still write."""
    code = (
        "import ctypes, threading, sys\n"
        "main = threading.get_native_id()\n"
        "def rest():\n"
        "    stat = f'/proc/self/task/{main}/stat'\n"
        "    while open(stat).read().rpartition(')')[2].split()[0] != 'Z': pass\n"
        "    print(flush=True); sys.stdin.read()\n"
        "threading.Thread(target=rest).start()\n"
        "ctypes.CDLL(None).syscall(60 if sys.argv[1] == 'x86_64' else 93, 0)\n"
    )
    with child([sys.executable, "-c", code, os.uname().machine]) as running:
        assert is_gone(seen(running.pid)) is False


def test_the_same_pid_with_another_start_is_another_process() -> None:
    """D3: pids are given again."""
    assert is_gone(current()._replace(start="1")) is True


def test_another_boot_of_this_machine_proves_it_gone() -> None:
    """D3: nothing survives a reboot, in whatever namespace it was."""
    machine = boot_id().partition("/")[0]
    assert machine, "this machine has no id: the proof cannot be tested here"
    before = current()._replace(boot_id=f"{machine}/earlier")
    assert is_gone(before) is True
    assert is_gone(before._replace(pid_ns="pid:[1]")) is True


@pytest.mark.parametrize("boot", ["other/boot", "/boot", "", "other/"])
def test_another_machine_s_boot_proves_nothing(boot: str) -> None:
    """D3: else a person must say so."""
    assert is_gone(current()._replace(boot_id=boot)) is None


def test_an_unknown_machine_is_never_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "boot_id", lambda: "/now")
    assert is_gone(current()._replace(boot_id="/earlier")) is None
    monkeypatch.setattr(process, "boot_id", lambda: "machine/")
    assert is_gone(current()._replace(boot_id="machine/")) is None


def test_a_pid_of_another_namespace_proves_nothing() -> None:
    """D3: in a container the same number is another process."""
    elsewhere = current()._replace(pid_ns="pid:[1]", pid=2**22 - 1)
    assert is_gone(elsewhere) is None


def test_a_process_that_proc_hides_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """D3: `hidepid` hides other people's processes; only the kernel's word counts."""
    identity = current()._replace(pid=os.getppid())
    monkeypatch.setattr(process, "_look", lambda pid: None)
    assert is_gone(identity) is None


@pytest.mark.parametrize("pid", [0, -1, 2**22 + 1])
def test_there_are_no_such_processes(pid: int) -> None:
    assert of(pid) is None


@linux
def test_a_name_with_parentheses_does_not_confuse_the_reader() -> None:
    code = (
        "import sys; open('/proc/self/comm', 'w').write(') Z 1 (');"
        " print(flush=True); sys.stdin.read()"
    )
    with child([sys.executable, "-c", code]) as running:
        assert is_gone(seen(running.pid)) is False


@pytest.mark.parametrize(
    ("text", "start", "dead"),
    [
        ("S+   Mon Nov  3 09:05:01 2025\n", "Mon Nov 3 09:05:01 2025", False),
        ("Z    Mon Nov 30 19:05:01 2025\n", "Mon Nov 30 19:05:01 2025", True),
    ],
)
def test_what_ps_says_is_read(text: str, start: str, dead: bool) -> None:
    found = parse_ps(text)
    assert found is not None
    assert (found.start, found.dead) == (start, dead)


def test_ps_says_nothing_of_nobody() -> None:
    assert parse_ps("") is None
    assert parse_ps("\n") is None
