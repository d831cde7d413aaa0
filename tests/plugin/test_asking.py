"""The commands that look at conversations and ask them for something, from another process."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from segue.session import grammar, trust
from segue.session.ownership import Actor, Who
from segue.session.pump import Pump
from tests.plugin.hosted import House, Talk, no_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from segue.session.binding import Binding

    from .conftest import Done


@pytest.fixture
def house(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    no_agent(monkeypatch)
    made = House(project)
    yield made
    made.close()


@pytest.fixture
def pumped() -> Iterator[Callable[[Binding], Pump]]:
    """Drive conversations on threads, as a server does."""
    pumps: list[Pump] = []

    def pump(binding: Binding) -> Pump:
        pumps.append(Pump(binding))
        return pumps[-1]

    yield pump
    for made in pumps:
        made.close()


def _trusted(house: House) -> None:
    trust.trust(house.database.parents[2], house.project)


# --- sessions


def test_sessions_tell_who_holds_each_and_on_what_proof(
    house: House, process: Callable[..., Done]
) -> None:
    """D3: attached, let go of, and gone are told apart; a proof is named."""
    house.start("talk", "held")
    left, _ = house.bind("left")
    left.close()
    house.bind("gone")
    house.sql(
        "UPDATE attachments SET started = '1'"
        " WHERE session = (SELECT pk FROM sessions WHERE id = 'gone')"
    )
    listed = {s["session"]: s for s in process("sessions", "--json").json()}
    assert {key: s["attached"] for key, s in listed.items()} == {
        "pi:held": True,
        "pi:left": False,
        "pi:gone": False,
    }
    assert listed["pi:held"]["proof"] == f"process {os.getpid()} is running"
    assert listed["pi:left"]["detached_at"]
    assert "no process" in listed["pi:gone"]["proof"]
    assert listed["pi:held"]["run"]["workflow"] == "talk"
    assert set(listed["pi:held"]) == {
        "session", "host", "attached", "proof", "pid", "instance", "segue", "attached_at",
        "detached_at", "run", "lineage", "claims",
    }  # fmt: skip
    shown = process("sessions")
    assert "pi:held" in shown.out
    assert "attached" in shown.out


def test_a_process_that_cannot_be_seen_from_here_is_not_called_gone(
    house: House, segue: Callable[..., Done]
) -> None:
    """D3: another pid namespace proves nothing; time alone ends no right."""
    _, _, run = house.start("talk")
    house.sql("UPDATE attachments SET pid_ns = 'pid:[1]', attached_at = 0")
    assert segue("sessions", "--json").json()[0]["attached"] is None
    told = segue("why", run, "--json").json()
    assert (told["status"], told["attached"]) == ("running", None)
    done = segue("cancel", run, "--yes", "--wait", "0")
    assert "cannot be seen from here" in done.out
    assert segue("why", run, "--json").json()["reason"] == "asked_cancel"


def test_sessions_of_rehearsals_are_left_out(segue: Callable[..., Done], kept: str) -> None:
    assert segue("sessions", "--json").json() == []
    assert segue("sessions", "--rehearsals", "--json").json()[0]["host"] == "rehearsal"


def test_nothing_is_made_where_nothing_was_kept(
    segue: Callable[..., Done], project: Path, tmp_path: Path
) -> None:
    assert segue("sessions").code == segue("status").code == 0
    for words in (("why", "run-x"), ("pause", "run-x"), ("answer", "req_x"), ("status", "run-x")):
        done = segue(*words)
        assert (done.code, "nothing was kept" in done.err) == (1, True)
    assert not (tmp_path / "state").exists()


def test_a11_a_new_id_is_offered_the_run_and_never_takes_it(
    house: House, segue: Callable[..., Done]
) -> None:
    """P-A11, O2, O6: lineage is a fact; moving a run is a person's."""
    _, _, run = house.start("talk", "old")
    new, talk = house.bind("new")
    new.cleared_from("old")
    fork, quiet = house.bind("fork")
    fork.forked_from("old")
    listed = {s["session"]: s for s in segue("sessions", "--json").json()}
    assert [fact["kind"] for fact in listed["pi:new"]["lineage"]] == ["cleared"]
    offered = listed["pi:new"]["claims"][0]["next_step"]
    assert offered == f"segue rebind {run} --session pi:new"
    assert listed["pi:fork"]["claims"] == []  # somebody holds its parent
    assert listed["pi:new"]["run"] is None
    assert offered in " ".join(segue("sessions").out.split())
    told = segue("why", run, "--json").json()
    assert told["session"] == "pi:old"
    assert told["successors"] == [{"session": "pi:new", "kind": "cleared", "next_step": offered}]
    notice = talk.offers[-1]
    assert (notice.starts_turn, f"/workflow rebind {run}" in notice.text) == (False, True)
    assert quiet.offers == []
    grammar.command(new, f"rebind {run}")
    assert segue("why", run, "--json").json()["session"] == "pi:new"


# --- start


def test_o8_start_never_guesses_a_session(house: House, process: Callable[..., Done]) -> None:
    house.start("talk", "busy")
    house.bind("free")
    done = process("start", "talk", "hello")
    assert done.code == 2
    assert done.out == ""
    assert "--session KEY" in done.err
    assert "pi:free  (attached)" in done.err
    assert "pi:busy  (attached, has run run-" in done.err


def test_a_queued_run_is_taken_up_by_whoever_is_attached(
    house: House, process: Callable[..., Done], pumped: Callable[[Binding], Pump]
) -> None:
    """O4, O5: queued from another process, started in the conversation, once."""
    house.write("talk")
    binding, talk = house.bind()
    pumped(binding)
    _trusted(house)
    made = process("start", "talk", "--session", "pi:a", "--wait", "60", "--json").json()
    assert (made["taken_up"], made["session"], made["attached"]) == (True, "pi:a", True)
    assert made["status"] == "running"
    again = process("start", "talk", "--session", "pi:a")
    assert again.code == 1
    assert f"segue cancel {made['run_id']}" in again.err
    assert [offer.kind for offer in talk.offers if offer.starts_turn] == ["step"]


def test_a_run_queued_for_a_closed_session_says_so(
    house: House, segue: Callable[..., Done]
) -> None:
    house.write("talk")
    house.bind()[0].close()
    _trusted(house)
    done = segue("start", "talk", "--session", "pi:a")
    assert done.code == 0
    assert "nobody is attached to session pi:a" in done.out
    assert "`segue resume run-" in done.out
    _, talk = house.bind(instance="i2")
    assert [offer.starts_turn for offer in talk.offers] == [False]  # T11: it waits for them


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("talk", "--session", "a"), 1, "write HOST:ID"),
        (("talk", "--session", "pi:nobody"), 1, "seen: pi:a"),
        (("nope", "--session", "pi:a"), 1, "no workflow 'nope'"),
        (("talk", "x", "--input-json", "{}", "--session", "pi:a"), 2, "not both"),
        (("talk", "--input-json", "{", "--session", "pi:a"), 2, "not JSON"),
    ],
)
def test_a_wrong_start_says_what_is_wrong(
    house: House, segue: Callable[..., Done], words: tuple[str, ...], code: int, said: str
) -> None:
    house.write("talk")
    house.bind()[0].close()
    done = segue("start", *words)
    assert (done.code, said in done.err) == (code, True), done.err


# --- pause, resume, cancel


def test_d9_a_pause_from_elsewhere_is_carried_out_by_the_attachment(
    house: House, process: Callable[..., Done], pumped: Callable[[Binding], Pump]
) -> None:
    """O3, D9: stored by one process, done by the other; and so are the resume and the cancel."""
    binding, _, run = house.start("talk")
    pumped(binding)
    made = process("pause", run, "--wait", "60", "--json").json()
    assert (made["carried_out"], made["status"], made["asked"]) == (True, "paused", None)
    assert "`segue resume" in made["todo"]
    done = process("resume", run, "--wait", "60")
    assert done.out.startswith("0 steps done, going on at one\n")
    assert f"run {run} (talk) goes on: running" in done.out
    made = process("cancel", run, "--yes", "--wait", "60", "--json").json()
    assert (made["carried_out"], made["status"]) == (True, "cancelled")
    actors = {
        (event["kind"], event["actor"])
        for event in process("show", run, "--events", "--json").json()["events"]
    }
    assert ("asked_pause", "elsewhere") in actors
    assert ("paused", "runner@pi:a") in actors


@pytest.mark.parametrize(("what", "state"), [("pause", "paused"), ("cancel", "cancelled")])
def test_d9_where_the_owner_is_gone_the_asker_does_it(
    house: House, process: Callable[..., Done], what: str, state: str
) -> None:
    binding, _, run = house.start("talk")
    binding.close()
    made = process(what, run, "--json", *(["--yes"] if what == "cancel" else [])).json()
    assert (made["carried_out"], made["status"]) == (True, state)


def test_a_resume_for_a_closed_session_is_done_when_it_opens(
    house: House, segue: Callable[..., Done]
) -> None:
    """T11: a person has said so already, so that opening it goes on at once."""
    binding, talk, run = house.start("talk")
    binding.close()
    done = segue("resume", run)
    assert (done.code, "session pi:a does it when it is open" in done.out) == (0, True)
    assert segue("why", run, "--json").json()["reason"] == "asked_resume"
    count = len(talk.offers)
    house.bind(instance="i2", talk=talk)
    assert [offer.kind for offer in talk.offers[count:]] == ["resumed"]


def test_resume_of_a_conversations_run_refuses_what_is_for_rehearsals(
    house: House, segue: Callable[..., Done]
) -> None:
    _, _, run = house.start("talk")
    assert segue("resume", run, "--run-actions").code == 2
    assert segue("resume", run, "--output", "1").code == 2


def test_a_run_that_waits_for_an_answer_is_not_resumed(
    house: House, segue: Callable[..., Done]
) -> None:
    _, _, run = house.start("gate")
    done = segue("resume", run)
    assert (done.code, "waits for an answer" in done.err) == (1, True)
    request = segue("why", run, "--json").json()["request"]["id"]
    assert f"segue answer {request}" in done.err


def test_an_unknown_effect_is_settled_where_somebody_is_attached(
    house: House, segue: Callable[..., Done]
) -> None:
    """D9: nobody living is put aside; the way that exists is named, and works."""
    binding, _, run = house.start("pay")
    done = segue("resume", run, "--effect", "failed")
    assert done.code == 1
    typed = "/workflow resume --effect failed"
    assert typed in done.err
    assert grammar.command(binding, typed.removeprefix("/workflow ")).text
    assert segue("why", run, "--json").json()["status"] == "failed"


@pytest.mark.parametrize(
    ("words", "node"), [(("failed",), "failed"), (("done", "--output", '"paid"'), "completed")]
)
def test_an_unknown_effect_is_settled_from_here_where_nobody_is(
    house: House, segue: Callable[..., Done], words: tuple[str, ...], node: str
) -> None:
    binding, _, run = house.start("pay")
    binding.close()
    done = segue("resume", run, "--effect", *words)
    assert (done.code, node in done.out) == (0, True), done.err
    assert segue("why", run, "--json").json()["status"] == node


def test_what_has_ended_is_asked_nothing(house: House, segue: Callable[..., Done]) -> None:
    binding, _, run = house.start("talk")
    grammar.command(binding, "cancel")
    for words in (("pause", run), ("resume", run), ("cancel", run, "--yes")):
        done = segue(*words)
        assert (done.code, "has ended already" in done.err) == (1, True)


# --- status


def test_status_tells_one_run_or_all_under_way(house: House, process: Callable[..., Done]) -> None:
    binding, _, first = house.start("talk", "a")
    _, _, second = house.start("ship", "b")
    grammar.command(binding, "cancel")
    listed = process("status", "--json").json()
    assert [(s["run_id"], s["status"], s["reason"]) for s in listed] == [
        (second, "waiting", "human")
    ]
    assert second in process("status").out
    view = process("status", second, "--json").json()
    assert (view["run"], view["request"]["kind"]) == (second, "human")
    shown = process("status", second)
    assert view["next"] in " ".join(shown.out.split())
    assert "cancelled" in process("status", first).out


# --- a killed process


HOST = """
import json, sys
from tests.plugin.hosted import House
from pathlib import Path
binding, talk, run = House(Path.cwd()).start("talk")
print(json.dumps([run, talk.last.details["request"], talk.entries]), flush=True)
sys.stdin.read()
"""


def test_c9_a_killed_process_is_told_with_proof_and_the_next_attachment_goes_on(
    house: House, process: Callable[..., Done]
) -> None:
    """P-C9, D2, D4: kill -9; the next look proves it, and nobody has to clear anything."""
    house.write("talk")
    host = subprocess.Popen(
        [sys.executable, "-c", HOST],
        cwd=house.project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert host.stdout is not None
    assert host.stdin is not None
    run, request, entries = json.loads(host.stdout.readline())
    told = process("why", run, "--json").json()
    assert (told["status"], told["attached"]) == ("running", True)
    host.send_signal(signal.SIGKILL)
    host.wait()
    host.stdin.close()
    host.stdout.close()
    told = process("why", run, "--json").json()
    assert (told["status"], told["reason"], told["attached"]) == ("waiting", "owner_gone", False)
    assert f"no process {host.pid} of that start" in told["detail"]
    assert told["next_step"] == f"segue resume {run}"
    binding, _ = house.bind(talk=Talk(entries=entries))
    model = Actor(Who.MODEL, binding.key)
    assert binding.submit(request, {"text": "1"}, actor=model).data["accepted"]
    assert process("why", run, "--json").json()["node"] == "two"
    done: Any = process("show", run, "--json").json()["steps"]
    assert [(s["node"], s["outcome"]) for s in done] == [("one", "ok"), ("two", "asked")]


# --- what is printed can be typed


def test_every_offered_command_is_one_that_a_shell_reads(
    house: House, segue: Callable[..., Done]
) -> None:
    """D8: a session's id may hold anything; the offered command is quoted."""
    _, _, run = house.start("talk", "old")
    new, _ = house.bind("it's new; rm -rf")
    new.cleared_from("old")
    offered = segue("sessions", "--json").json()[0]["claims"][0]["next_step"]
    assert shlex.split(offered) == ["segue", "rebind", run, "--session", "pi:it's new; rm -rf"]
