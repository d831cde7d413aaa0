"""Real workers and what author code can do to them: the protocol and the server stand it all."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from segue.session import limits
from segue.session.clock import SystemClock
from segue.session.engine import child
from segue.session.engine.budget import Budget
from segue.session.engine.child import Worker, WorkerDied, WorkerTimedOut
from segue.session.errors import SegueError
from tests.kit import FakeClock, write_workflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Reply = dict[str, Any]


@dataclass
class Bench:
    """Workers of one project, on a clock that only ticks move."""

    project: Path
    clock: FakeClock = field(default_factory=FakeClock)
    workers: list[Worker] = field(default_factory=list)

    def worker(self) -> Worker:
        made = Worker(self.clock)
        self.workers.append(made)
        return made

    def load(self, text: str, *, limit: float = 30) -> tuple[Worker, Reply]:
        write_workflow(self.project, "w", text)
        worker = self.worker()
        folder = str(self.project / ".segue" / "workflows")
        message = {"do": "load", "project": str(self.project), "folder": folder, "module": "w"}
        return worker, self.call(worker, message, limit)

    def up(self, text: str) -> Worker:
        """Give a worker that has loaded a workflow and begun a run."""
        worker, reply = self.load(text)
        assert "ok" in reply, reply
        begin = {"do": "begin", "project": str(self.project), "run_id": "r", "input": {}}
        assert self.call(worker, begin)["ok"]
        return worker

    def call(
        self,
        worker: Worker,
        message: Reply,
        limit: float | None = 30,
        on_tick: Callable[[], None] | None = None,
        on_progress: Callable[[Reply], None] | None = None,
    ) -> Reply:
        return worker.call(
            message, Budget(self.clock, limit), on_tick=on_tick, on_progress=on_progress
        )

    def compute(self, worker: Worker, path: str = "a", **more: Any) -> Reply:
        return self.call(worker, {"do": "compute", "path": path, "visit": 1}, **more)

    def tick(self) -> None:
        self.clock.advance(60)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(child, "TICK_SECONDS", 0.01)
    made = Bench(tmp_path)
    yield made
    for worker in made.workers:
        worker.kill()


def node(body: str, *, kind: str = "compute", returns: str = "Any") -> str:
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"""
wf = Workflow("w", start="a")
@wf.{kind}
def a(ctx: Context[Any]) -> {returns}:
{lines}
"""


def nodes(bodies: list[str]) -> str:
    """Give a chain n0, n1, ... of computes."""
    text = 'wf = Workflow("w", start="n0")\n'
    for number, body in enumerate(bodies):
        lines = textwrap.indent(body, "    ")
        text += f"@wf.compute\ndef n{number}(ctx: Context[Any]) -> Any:\n{lines}\n"
        text += f"wf.edge(n{number - 1}, n{number})\n" if number else ""
    return text


def wait_for_end(pidfd: int) -> None:
    """Wait until a process has ended; a broken promise fails here and never hangs the suite."""
    ready, _, _ = select.select([pidfd], [], [], 30)
    assert ready, "the process is still there"


def members(group: int) -> list[int]:
    """Give the processes of a group that still run."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def until_gone(group: int) -> None:
    """Wait for the kernel to have buried a killed group; one that lives on fails here."""
    for _ in range(3000):
        if not members(group):
            return
        select.select([], [], [], 0.01)
    raise AssertionError(f"left behind: {members(group)}")


# --- what author code prints


def test_s3_what_author_code_prints_never_reaches_the_protocol(bench: Bench) -> None:
    worker = bench.up(
        node("""
        print("hello", flush=True)
        print("to stderr", file=sys.stderr, flush=True)
        os.write(1, b"\\x00\\x00\\x00\\x04oops")
        return input() if sys.stdin.isatty() else sys.stdin.read()
        """)
    )
    assert bench.compute(worker) == {"ok": '""'}
    assert bench.compute(worker) == {"ok": '""'}
    assert "hello" in worker.printed()
    assert "to stderr" in worker.printed()


def test_a_print_flood_is_bounded_and_hides_no_answer(bench: Bench) -> None:
    worker = bench.up(
        node("""
        line = "x" * 65536
        for _ in range(400):
            print(line)
        print("last words", flush=True)
        return 7
        """)
    )
    assert bench.compute(worker, limit=None) == {"ok": "7"}
    assert len(worker.printed()) <= limits.PRINT_CHARS


def test_d9_a_cancel_is_heard_during_an_endless_print_flood(bench: Bench) -> None:
    class Cancelled(Exception):
        pass

    def cancel() -> None:
        raise Cancelled

    worker = bench.up(node('while True: print("y" * 5000)'))
    with pytest.raises(Cancelled):
        bench.compute(worker, limit=None, on_tick=cancel)


def test_closing_the_standard_streams_breaks_nothing(bench: Bench) -> None:
    worker = bench.up(
        node("""
        for fd in (0, 1, 2):
            os.close(fd)
        with open("note.txt", "w") as note:
            note.write("kept")
        return "closed"
        """)
    )
    assert bench.compute(worker) == {"ok": '"closed"'}
    assert (bench.project / "note.txt").read_text() == "kept"


def test_closing_every_descriptor_ends_only_the_worker(bench: Bench) -> None:
    worker = bench.up(node("os.closerange(0, 4096)\nreturn 1"))
    with pytest.raises(WorkerDied, match="the worker died"):
        bench.compute(worker, limit=None)
    assert worker.closed


# --- how author code ends or does not


RAISED = [
    ("sys.exit(3)", "sys.exit(3)"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("raise GeneratorExit", "GeneratorExit"),
    ("return 1 / 0", "ZeroDivisionError: division by zero"),
    ("def f(): return f()\nreturn f()", "RecursionError"),
    ("raise type('Odd', (Exception,), {'__str__': lambda s: 1 / 0})()", "Odd"),
    ("raise ValueError('half \\ud800 a pair')", "half \\ud800 a pair"),
    ("return ctx.output('nothing')", "AttributeError"),
]


def test_whatever_a_callback_raises_is_a_reason_with_its_line(bench: Bench) -> None:
    worker = bench.up(nodes([body for body, _ in RAISED]))
    for _ in range(2):  # the worker lives on
        for number, (_, said) in enumerate(RAISED):
            failed = bench.compute(worker, f"n{number}")["failed"]
            assert said in failed
            assert f"{bench.project}/.segue/workflows/w.py:" in failed
            assert f"node 'n{number}'" in failed
            failed.encode()


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("os._exit(4)", "exit code 4"),
        ("os._exit(0)", "exit code 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
        ("os.killpg(0, signal.SIGKILL)", "killed by SIGKILL"),
    ],
)
def test_a_callback_that_ends_the_process_is_told_as_its_death(
    bench: Bench, body: str, how: str
) -> None:
    worker = bench.up(node(f'print("last words", flush=True)\n{body}'))
    with pytest.raises(WorkerDied, match=how) as caught:
        bench.compute(worker)
    assert "last words" in str(caught.value)


def test_an_endless_loop_is_killed_when_its_time_is_over(bench: Bench) -> None:
    worker = bench.up(node("while True: pass"))
    with pytest.raises(WorkerTimedOut, match="more than its 60 s"):
        bench.compute(worker, limit=60, on_tick=bench.tick)
    assert worker.closed


def test_blocked_signals_do_not_save_a_hanging_callback(bench: Bench) -> None:
    worker = bench.up(
        node("""
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
        for number in range(1, signal.NSIG):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            time.sleep(1000)
        """)
    )
    with pytest.raises(WorkerTimedOut):
        bench.compute(worker, on_tick=bench.tick)


def test_a_stopped_worker_cannot_hold_the_server_that_tells_it_much(bench: Bench) -> None:
    worker = bench.up(node("return 1"))
    assert worker.identity is not None
    os.kill(worker.identity.pid, signal.SIGSTOP)
    with pytest.raises(WorkerTimedOut):
        bench.call(worker, {"do": "input", "value": "x" * 10_000_000}, on_tick=bench.tick)


# --- at import


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = (", r"w\.py:\d+:\d+: syntax error: '\(' was never closed"),
        (
            "import no_such_thing",
            r"w\.py:\d+: ModuleNotFoundError: No module named 'no_such_thing'",
        ),
        ("sys.exit('bye')", r"w\.py:\d+: sys\.exit\('bye'\) while it was imported"),
        ("raise ValueError('top')", r"w\.py:\d+: ValueError: top while it was imported"),
    ],
)
def test_what_goes_wrong_at_import_names_file_and_line(bench: Bench, text: str, said: str) -> None:
    _, reply = bench.load(text)
    assert_matches(said, reply["failed"])


def assert_matches(pattern: str, text: str) -> None:
    import re

    assert re.search(pattern, text), text
    assert "\n" not in text


def test_ending_the_process_at_import_is_told_as_its_death(bench: Bench) -> None:
    with pytest.raises(WorkerDied, match="exit code 9"):
        bench.load("os._exit(9)")


def test_an_endless_loop_at_import_is_killed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = bench.worker()
    write_workflow(bench.project, "w", "while True: pass")
    folder = str(bench.project / ".segue/workflows")
    message = {"do": "load", "project": str(bench.project), "folder": folder, "module": "w"}
    with pytest.raises(WorkerTimedOut):
        bench.call(worker, message, 60, on_tick=bench.tick)


def test_an_interpreter_that_is_not_there_is_one_line(bench: Bench) -> None:
    with pytest.raises(SegueError, match=r"cannot start the worker .*no/such/python"):
        Worker(bench.clock, str(bench.project / "no/such/python"))


# --- what author code returns


NOT_JSON = [
    "return object()",
    "return {1, 2} | {lambda: 0}",
    "return float('nan')",
    "return {'x': [float('inf')]}",
    "x = []; x.append(x); return x",
    "return b'\\xff\\xfe'",
    "return 'a\\ud800b'",
]


def test_a_result_that_is_not_json_fails_the_step_and_names_the_place(bench: Bench) -> None:
    worker = bench.up(nodes(NOT_JSON))
    for number, _ in enumerate(NOT_JSON):
        failed = bench.compute(worker, f"n{number}")["failed"]
        assert "JSON" in failed or "surrogate" in failed
        assert "w.py:" in failed
        assert f"node 'n{number}'" in failed


def test_s4_a_hundred_megabytes_are_refused_and_the_worker_lives(bench: Bench) -> None:
    worker = bench.up(node("return 'x' * 100_000_000 if ctx.visit == 1 else 'small'"))
    reply = bench.compute(worker)
    assert reply["failed"] == (
        "node 'a' returned 100,000,002 characters of JSON; at most 10,000,000:"
        " write it to a file and return the path"
    )
    assert bench.call(worker, {"do": "compute", "path": "a", "visit": 2}) == {"ok": '"small"'}


def test_s4_a_prompt_of_a_hundred_megabytes_is_told_by_its_length(bench: Bench) -> None:
    worker = bench.up(node("return 'x' * 100_000_000", kind="agent()", returns="str"))
    reply = bench.call(worker, {"do": "prompt", "path": "a", "visit": 1})
    assert reply == {"too_long": 100_000_000}


@pytest.mark.parametrize(
    "body",
    [
        "await asyncio.sleep(0)\nreturn 5",
        "return await asyncio.gather(asyncio.sleep(0, 5)) and 5",
    ],
)
def test_callbacks_may_be_async(bench: Bench, body: str) -> None:
    lines = textwrap.indent(body, "    ")
    worker = bench.up(
        f"""
wf = Workflow("w", start="a")
@wf.compute
async def a(ctx: Context[Any]) -> int:
{lines}
"""
    )
    assert bench.compute(worker) == {"ok": "5"}
    assert bench.compute(worker) == {"ok": "5"}


def test_any_awaitable_is_awaited(bench: Bench) -> None:
    worker = bench.up(
        """
class Later:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return "said later"
wf = Workflow("w", start="a")
@wf.agent()
def a(ctx: Context[Any]) -> Any:
    return Later()
"""
    )
    reply = bench.call(worker, {"do": "prompt", "path": "a", "visit": 1})
    assert reply == {"ok": "said later"}


# --- what one step leaves to the next


def test_reading_never_changes_anything_for_later_steps(bench: Bench) -> None:
    worker = bench.up(
        """
wf = Workflow("w", start="a")
@wf.compute
def a(ctx: Context[Any]) -> list[int]:
    return [1]
@wf.compute
def b(ctx: Context[Any]) -> list[int]:
    ctx.output(a).append(2)
    return ctx.output(a)
wf.edge(a, b)
"""
    )
    bench.compute(worker, "a")
    told = {"told": [["keep", "a"]]}
    first = bench.call(worker, {"do": "compute", "path": "b", "visit": 1, **told})
    again = bench.call(worker, {"do": "compute", "path": "b", "visit": 2})
    assert first == again == {"ok": "[1,2]"}


def test_p_p2_every_callback_starts_in_the_project(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    worker = bench.up(node("here = os.getcwd()\nos.chdir('/')\nreturn here"))
    assert bench.compute(worker) == bench.compute(worker) == {"ok": f'"{bench.project}"'}


def test_threads_that_report_progress_cannot_mix_the_frames(bench: Bench) -> None:
    worker = bench.up(
        """
import threading
wf = Workflow("w", start="a")
@wf.action(effect="idempotent")
def a(ctx: Context[Any]) -> int:
    def report(n):
        for i in range(200):
            ctx.progress(i, 200, "x" * 3000, str(n))
    threads = [threading.Thread(target=report, args=(n,)) for n in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    return 1
"""
    )
    seen: list[Reply] = []
    assert bench.compute(worker, limit=None, on_progress=seen.append) == {"ok": "1"}
    assert len(seen) == 800
    assert all(len(data["unit"]) == 3000 for data in seen)


def test_a_thread_that_outlives_its_step_reports_to_nobody(bench: Bench) -> None:
    worker = bench.up(
        """
import threading
wf = Workflow("w", start="a")
go = threading.Event()
late = []
@wf.action(effect="idempotent")
def a(ctx: Context[Any]) -> int:
    if late:
        go.set()
        late[0].join()
        return 2
    def report():
        go.wait()
        ctx.progress(1, 2)
    late.append(threading.Thread(target=report))
    late[0].start()
    return 1
"""
    )
    seen: list[Reply] = []
    assert bench.compute(worker, on_progress=seen.append) == {"ok": "1"}
    assert bench.compute(worker, on_progress=seen.append) == {"ok": "2"}
    assert seen == []


# --- processes left behind


def test_d9_a_forked_child_that_outlives_the_worker_dies_with_its_group(bench: Bench) -> None:
    worker = bench.up(
        node("""
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
            os.write(w, b".")
            while True:
                time.sleep(1000)
        os.read(r, 1)
        return pid
        """)
    )
    pid = int(bench.compute(worker)["ok"])
    watch = os.pidfd_open(pid)
    worker.kill()
    wait_for_end(watch)
    os.close(watch)
    assert worker.identity is not None
    until_gone(worker.identity.pid)


def test_a_worker_that_dies_and_leaves_a_child_leaves_none_once_noticed(bench: Bench) -> None:
    worker = bench.up(
        node("""
        if os.fork() == 0:
            while True:
                time.sleep(1000)
        os._exit(1)
        """)
    )
    with pytest.raises(WorkerDied):
        bench.compute(worker, limit=None)
    assert worker.identity is not None
    until_gone(worker.identity.pid)


def test_a_forked_child_that_comes_back_into_the_loop_is_silenced(bench: Bench) -> None:
    worker = bench.up(node("pid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\nreturn pid > 0"))
    assert bench.compute(worker) == {"ok": "true"}
    assert bench.compute(worker) == {"ok": "true"}, "one answer a call, from the one worker"


_SERVER = """
import sys
from pathlib import Path
from segue.session.clock import SystemClock
from segue.session.engine.budget import Budget
from segue.session.engine.child import Worker
clock = SystemClock()
project = Path(sys.argv[1])
worker = Worker(clock)
def call(message):
    return worker.call(message, Budget(clock, None))
folder = str(project / ".segue" / "workflows")
assert "ok" in call({"do": "load", "project": str(project), "folder": folder, "module": "w"})
call({"do": "begin", "project": str(project), "run_id": "r", "input": {}})
call({"do": sys.argv[2], "path": "a", "visit": 1})
"""


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("compute", "while True: pass"),
        ("compute", "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\ntime.sleep(1e6)"),
        # C code that never lets go of the interpreter: no thread of ours gets to run.
        ("compute", "import re\nreturn bool(re.match('(a+)+$', 'a' * 64 + 'b'))"),
        ("shell", "return ['sh', '-c', 'echo $$ > pid; sleep 100000 & wait']"),
    ],
)
def test_s3_when_the_server_is_killed_the_worker_and_its_commands_go_too(
    bench: Bench, kind: str, body: str
) -> None:
    ready = bench.project / "ready"
    os.mkfifo(ready)
    first = "Path('ready').write_text(str(os.getpid()))\n"
    decorator = 'shell(effect="manual")' if kind == "shell" else kind
    write_workflow(bench.project, "w", node(first + body, kind=decorator))
    server = subprocess.Popen([sys.executable, "-c", _SERVER, str(bench.project), kind])
    worker = int(ready.read_text())
    watch = os.pidfd_open(worker)
    if kind == "shell":
        while not (bench.project / "pid").exists():  # the command itself has to be up
            select.select([], [], [], 0.005)
    server.kill()
    server.wait()
    wait_for_end(watch)
    os.close(watch)
    until_gone(worker)


def test_many_workers_leave_no_descriptor_behind(bench: Bench) -> None:
    Worker(SystemClock()).kill()
    before = psutil.Process().num_fds()
    for _ in range(5):
        worker = Worker(SystemClock())
        worker.kill()
        worker.kill()
    assert psutil.Process().num_fds() == before


def test_a_worker_that_another_thread_ends_during_a_look_is_not_read_again(bench: Bench) -> None:
    """Its descriptors' numbers belong to the next worker by then."""
    first = bench.up(node("time.sleep(600)"))
    later: list[Worker] = []

    def look() -> None:
        first.kill()
        later.append(bench.worker())

    with pytest.raises(WorkerDied):
        bench.compute(first, on_tick=look)
    assert bench.call(later[0], {"do": "more", "outputs": {}})["ok"]


_ODD_START = """
import os, signal, sys
from pathlib import Path
from segue.session.clock import SystemClock
from segue.session.engine.budget import Budget
from segue.session.engine.child import Worker
worker = Worker(SystemClock())
answer = worker.call({"do": "more", "outputs": {}}, Budget(SystemClock(), 30))
left = os.listdir(f"/proc/{worker.identity.pid}/fd")
held = [fd for fd in left if os.readlink(f"/proc/{worker.identity.pid}/fd/{fd}") == sys.argv[1]]
worker.kill()
Path(sys.argv[2]).write_text(f"{answer} {held}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(
    "how", ["", "<&-", ">&-", "2>&-", "<&- >&- 2>&-", "sigchld"], ids=lambda how: how or "plain"
)
def test_a_worker_starts_and_ends_whatever_its_server_was_started_with(
    tmp_path: Path, how: str
) -> None:
    """Standard streams closed, SIGCHLD ignored; and what the server was given is not handed on."""
    given, said = tmp_path / "given", tmp_path / "said"
    script = tmp_path / "server.py"
    text = _ODD_START
    if how == "sigchld":
        text, how = f"import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n{text}", ""
    script.write_text(text)
    command = f"exec {sys.executable} {script} {given} {said} 7>{given} {how}"
    subprocess.run(["sh", "-c", command], check=True, timeout=60, env={**os.environ})
    assert said.read_text() == "{'ok': True} []"
