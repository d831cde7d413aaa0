"""The process: frames, exact answers, and its end (S3, P-M1, P-M2, P-M4)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.kit import write_workflow
from tests.plugin.server.client import COMMAND, LONG
from tests.plugin.server.raw import HELLO, Raw, body, frame

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ONE = """
one = Workflow("one", start="a")

@one.agent()
def a(ctx: Context[Any]) -> str:
    return "go"
"""
STUCK = """
Path({mark!r}).write_text(str(os.getpid()))
os.rename({mark!r}, {mark!r} + ".pid")
time.sleep(10_000)
"""
PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602


@pytest.fixture
def raw(tmp_path: Path) -> Iterator[Raw]:
    with Raw(tmp_path / "state") as made:
        yield made


def attach(raw: Raw, folder: Path, session: str = "s") -> Any:
    hello = {"protocol": 1, "host": "raw", "session": session, "instance": "i"}
    return raw.call("attach", "segue/attach", {**hello, "cwd": str(folder), "trusted": True})


def gone(pid: int) -> None:
    """Wait for a process to end."""
    psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=LONG)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_one_answer_to_every_request_and_the_stream_goes_on(raw: Raw) -> None:
    """S3: malformed frames, unknown methods, wrong-typed parameters are answered."""
    raw.hello()
    raw.write(b"no header at all\r\n\r\n")
    raw.write(b"Content-Length: twelve\r\n\r\n")
    raw.write(body(b"{not json"))
    raw.write(body(b'{"jsonrpc": "2.0", "id": 1, "method": "a", "params": NaN}'))
    raw.write(body(b"\xff\xfe"))
    raw.write(body(b"[" * 100_000))
    raw.write(body(b"[]"))
    raw.write(body(b'"text"'))
    raw.write(frame({"jsonrpc": "1.0", "id": 2, "method": "shutdown"}))
    raw.write(frame({"jsonrpc": "2.0", "id": 3}))
    raw.send(
        {"id": [4], "method": "shutdown"},
        {"id": True, "method": "shutdown"},
        {"id": 5, "method": 7},
        {"id": 6, "method": "no/such"},
        {"id": 7, "method": "textDocument/hover", "params": {"textDocument": 3}},
        {"id": 8, "method": "textDocument/hover"},
        {"id": 9, "method": "segue/attach", "params": "text"},
        {"id": 10, "method": "initialize", "params": HELLO},
        {"id": 11, "method": "workspace/executeCommand", "params": {"command": "no.such"}},
        {"id": 12, "method": "workspace/executeCommand",
         "params": {"command": "segue.server.status", "arguments": [1]}},
        {"id": 99, "result": "nobody asked"},
        {"id": "text", "error": "nobody asked"},
        {"method": "no/such"},
        {"method": "$/cancelRequest", "params": {"id": "unknown"}},
        {"method": "$/cancelRequest", "params": 3},
        {"method": "textDocument/didOpen", "params": {"textDocument": []}},
    )  # fmt: skip
    raw.asked.append(raw.answer(12))  # a shutdown would cancel what is still under way
    raw.send(
        {"id": 13, "method": "shutdown"},
        {"id": 14, "method": "textDocument/hover"},
        {"method": "exit"},
    )
    told = [m for m in raw.asked + raw.rest() if "method" not in m]
    codes: dict[Any, list[Any]] = {}
    for message in told:
        codes.setdefault(message["id"], []).append(message.get("error", {}).get("code"))
    nameless = codes.pop(None)
    assert sorted(nameless) == sorted([PARSE] * 6 + [INVALID] * 4)
    wanted: dict[int, Any] = {
        2: INVALID,
        3: INVALID,
        5: INVALID,
        6: UNKNOWN,
        7: PARAMS,
        8: PARAMS,
        9: PARAMS,
    }
    wanted |= {10: INVALID, 11: PARAMS, 12: PARAMS, 13: None, 14: INVALID}
    assert codes == {number: [code] for number, code in wanted.items()}
    assert raw.ends() == 0


def test_before_initialize_nothing_is_done(raw: Raw) -> None:
    assert raw.call(1, "segue/status", {})["error"]["code"] == -32002


def test_a_huge_frame_is_refused_and_the_next_one_answered(raw: Raw) -> None:
    """S4."""
    raw.hello()
    big = 33 * 1024 * 1024
    raw.write(b"Content-Length: %d\r\n\r\n" % big)
    for _ in range(33):
        raw.write(b" " * (1024 * 1024))
    refused = raw.answer(None)
    assert (refused["id"], refused["error"]["code"]) == (None, INVALID)
    text = "x" * 2_000_000
    made = raw.call(1, "segue/command", {"session": {"host": "h", "id": "i"}, "text": text})
    assert made["error"]["code"] == PARAMS
    assert len(str(made)) < 2_000


def test_headers_in_any_order_and_case(raw: Raw) -> None:
    raw.hello()
    data = b'{"jsonrpc":"2.0","id":1,"method":"no/such"}'
    raw.write(b"content-type: x; charset=utf-8\ncontent-LENGTH:%d\n\n" % len(data) + data)
    assert raw.answer(1)["error"]["code"] == UNKNOWN


def test_an_offer_never_overtakes_the_hello(raw: Raw, tmp_path: Path) -> None:
    """A host is not spoken to before it knows that it is attached."""
    write_workflow(tmp_path, "one", ONE)
    raw.hello()
    attach(raw, tmp_path)
    name = {"host": "raw", "id": "s"}
    assert "result" in raw.call(2, "segue/command", {"session": name, "text": "one", "id": "1"})
    while not any(m.get("method") == "segue/conversation" for m in raw.asked):
        raw.asked.append(raw.read())
    raw.call(3, "segue/detach", {"session": name})
    raw.asked.clear()
    hello = {"protocol": 1, "host": "raw", "session": "s", "instance": "i", "cwd": str(tmp_path)}
    raw.send({"id": 4, "method": "segue/attach", "params": hello})
    first = next(m for m in iter(raw.read, None) if m.get("id") == 4 or "method" in m)
    assert first["id"] == 4
    assert first["result"]["view"]["status"] == "running"


@pytest.mark.parametrize("how", ["end of input", "exit", "SIGTERM"])
def test_the_end_ends_the_workers_too(raw: Raw, tmp_path: Path, how: str) -> None:
    """P-M2: within five seconds, and nothing is left behind."""
    worker = _stuck(raw, tmp_path)
    begun = time.monotonic()
    if how == "end of input":
        raw.stdin.close()
    elif how == "exit":
        raw.send({"method": "exit"})
    else:
        raw.process.send_signal(signal.SIGTERM)
    assert raw.ends() == (1 if how == "exit" else 0)
    gone(worker)
    assert time.monotonic() - begun < LONG


def _stuck(raw: Raw, folder: Path) -> int:
    """Have a workflow loaded that never ends; give its worker's number."""
    mark = folder / "worker"
    write_workflow(folder, "stuck", STUCK.format(mark=str(mark)))
    raw.hello()
    session = folder.name
    assert attach(raw, folder, session)["result"]["project"] == str(folder)
    name = {"host": "raw", "id": session}
    raw.send({"id": 2, "method": "segue/command", "params": {"session": name, "text": "stuck"}})
    number = 3
    while not (folder / "worker.pid").exists():
        assert "result" in raw.call(number, "segue/status", {"session": name})
        assert not [message for message in raw.asked if message.get("id") == 2], raw.asked
        number += 1
    return int((folder / "worker.pid").read_text())


def test_the_clients_death_ends_it_though_its_pipe_stays_open(tmp_path: Path) -> None:
    """P-M2: another process may hold the pipe's other end."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with Raw(tmp_path / "state") as raw:
        raw.hello(processId=client.pid)
        client.kill()
        client.communicate()
        assert raw.ends() == 0


def test_a_reader_that_went_away_ends_it(tmp_path: Path) -> None:
    """P-M4: a broken pipe ends the process, and is not logged into itself."""
    with Raw(tmp_path / "state", stderr=subprocess.PIPE) as raw:
        raw.hello()
        assert raw.process.stderr is not None
        raw.process.stderr.close()
        raw.stdout.close()
        raw.send({"id": 2, "method": "no/such"})
        assert raw.ends() == 0
    log = (tmp_path / "state" / "logs" / "lsp.log").read_text()
    assert log.count("ending:") == 1
    assert "Traceback" not in log


def test_stray_prints_cannot_reach_the_protocol(tmp_path: Path) -> None:
    """S3: neither Python's nor C's; they go to the log, which only its owner can read."""
    code = (
        "import os, sys, logging\n"
        "from segue.plugin.server import server\n"
        "begin = server._begin\n"
        "def noisy(ls, params):\n"
        "    print('a stray print'); sys.stderr.write('and one more\\n')\n"
        "    os.write(1, b'from C\\n')\n"
        "    begin(ls, params)\n"
        "server._IN_ORDER['initialize'] = noisy\n"
        "server.serve()\n"
    )
    env = {**os.environ, "SEGUE_STATE_DIR": str(tmp_path / "state")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}),
        capture_output=True,
        env=env,
        check=False,
        timeout=LONG,
    )
    assert done.stdout.count(b"Content-Length") == 1
    assert b"stray" not in done.stdout + done.stderr
    log = tmp_path / "state" / "logs" / "lsp.log"
    assert all(word in log.read_text() for word in ("a stray print", "and one more", "from C"))
    assert log.stat().st_mode & 0o777 == 0o600


def test_without_a_state_folder_it_serves_and_says_so(tmp_path: Path) -> None:
    """Logs are no reason to fail."""
    (tmp_path / "state").write_text("a file")
    with Raw(tmp_path / "state") as raw:
        raw.hello()
        said = raw.asked or [raw.read()]
        assert said[0]["method"] == "window/logMessage"
        assert "not a folder" in said[0]["params"]["message"]
        assert raw.call(2, "shutdown")["result"] is None


def test_the_log_is_put_aside_when_it_is_large(tmp_path: Path) -> None:
    """S4."""
    folder = tmp_path / "state" / "logs"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "lsp.log").write_bytes(b"x" * 2_000_001)
    with Raw(tmp_path / "state") as raw:
        raw.hello()
        raw.rest()
    assert (folder / "lsp.log").stat().st_size < 10_000
    assert (folder / "lsp.log.1").stat().st_size == 2_000_001


@pytest.mark.crash
def test_fifty_restarts_leave_no_process(tmp_path: Path) -> None:
    """P-M4: ended in order or killed, with a worker in the middle of its work."""
    workers = []
    for number in range(50):
        with Raw(tmp_path / "state") as raw:
            workers.append(_stuck(raw, tmp_path / f"session-{number}"))
            if number % 2:
                raw.process.kill()
            else:
                raw.stdin.close()
            raw.ends()
    for worker in workers:
        gone(worker)
    names = [" ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"])]
    assert not [name for name in names if str(tmp_path) in name]
    assert not [p for p in psutil.process_iter() if _state_of(p) == str(tmp_path / "state")]


def _state_of(process: psutil.Process) -> str | None:
    try:
        found: str | None = process.environ().get("SEGUE_STATE_DIR")
    except psutil.Error:
        return None
    return found


def test_the_command_takes_what_editors_add() -> None:
    assert COMMAND[-1] == "--stdio"
