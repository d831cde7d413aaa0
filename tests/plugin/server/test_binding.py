"""`segue/*` through pytest-lsp, against the real process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.plugin.server.client import Client, Session, connect, soon
from tests.plugin.server.flows import project as make

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.asyncio(loop_scope="module")
ISSUES = {"route": "issues_found", "reason": "a typo"}
CLEAN = {"route": "clean", "reason": "all well"}


async def refused(work: Any) -> Any:
    with pytest.raises(JsonRpcException) as caught:
        await work
    return caught.value


async def test_the_hello_says_what_is_here(session: Session) -> None:
    hello = await session.attach()
    assert hello["protocol"] == 1
    assert hello["project"] == str(session.cwd)
    assert hello["view"] is None
    assert [w["name"] for w in hello["workflows"] if w["name"] in ("approve", "review")]
    assert hello["tool"]["schema"]["required"] == ["action"]
    assert "resume" in [verb["name"] for verb in hello["verbs"]]


async def test_another_protocol_number_is_named_and_so_is_what_to_upgrade(session: Session) -> None:
    newer = await refused(session.attach(protocol=2, session={"of": "another shape"}))
    assert newer.code == -32010
    assert "speaks protocol 2" in newer.message
    assert "pip install -U segue" in newer.message
    older = await refused(session.attach(protocol=0))
    assert "upgrade the host's extension" in older.message


@pytest.mark.parametrize("session_id", ["", "  ", "${SESSION_ID}", "a\nb"])
async def test_no_session_id_is_refused(session: Session, session_id: str) -> None:
    """O1, P-A2."""
    error = await refused(session.attach(session=session_id))
    assert (error.code, error.data["code"]) == (-32011, "session_unknown")


async def test_a_folder_that_is_none_is_refused(session: Session) -> None:
    assert (await refused(session.attach(cwd="nowhere"))).data["code"] == "usage"


async def test_what_was_not_attached_is_refused(session: Session) -> None:
    """P-A1: nothing is picked because it is the only one (O8)."""
    error = await refused(session.type("status"))
    assert (error.code, error.data["code"]) == (-32011, "not_attached")


async def test_a_run_from_command_to_end(session: Session) -> None:
    await session.attach()
    said = await session.type("review the login page")
    assert "Started workflow review" in said["text"]
    first = await session.offer()
    assert "Review the login page" in first["text"]
    assert first["startsTurn"]
    assert (await session.turn(first, ISSUES))["data"]["accepted"]
    fix = await session.offer(after=1)
    assert "Fix a typo" in fix["text"]
    await session.turn(fix, None)
    await session.turn(await session.offer(after=2), CLEAN)
    ended = await session.until(lambda view: view["status"] == "completed")
    assert ended["output"] == '{"why":"all well"}'
    view = await session.say("status")
    assert (view["status"], view["steps"]) == ("completed", 4)


async def test_a_wrong_answer_comes_back_named(session: Session) -> None:
    await session.attach()
    await session.type("review x")
    offer = await session.offer()
    session.tell("turnStarted", cause=offer["id"])
    request = offer["details"]["request"]
    made = await session.tool(action="submit", request_id=request, output={"route": "bad"})
    assert not made["ok"]
    assert "route" in made["text"]
    unknown = await session.tool(action="submit", request_id="zz", output=1)
    assert unknown["data"]["code"] == "not_found"
    nonsense = await session.say("tool", arguments=[1, 2], id="n")
    assert not nonsense["ok"]


async def test_the_same_command_starts_nothing_twice(session: Session) -> None:
    """O5: a repeated launch adopts."""
    await session.attach()
    first = await session.say("command", text="review x", id="one")
    again = await session.say("command", text="review x", id="one")
    assert again["data"] == {"run": first["data"]["run"], "how": "adopted"}


async def test_what_a_busy_host_did_not_take_is_said_after_a_restart(session: Session) -> None:
    """D4: the same instance just goes on."""
    session.client.idle = False
    await session.attach()
    await session.type("review x")
    await session.say("detach")
    session.client.idle = True
    hello = await session.attach()
    offer = await session.offer()
    assert hello["view"]["request"]["id"] == offer["details"]["request"]


async def test_telling_of_one_session_twice_changes_nothing(session: Session) -> None:
    """Some hosts do (Pi's pitfall 9): a turn under way is not forgotten."""
    await session.attach()
    await session.type("review x")
    offer = await session.offer()
    session.tell("turnStarted", cause=offer["id"])
    hello = await session.attach()
    assert hello["view"]["status"] == "running"
    made = await session.tool(action="submit", request_id=offer["details"]["request"], output=CLEAN)
    assert made["data"]["accepted"]


async def test_a_new_instance_finds_the_run_parked(session: Session) -> None:
    """T11: no tokens are spent because a window was opened."""
    await session.attach()
    await session.type("review x")
    await session.offer()
    hello = await session.attach(instance="i2")
    assert (hello["view"]["status"], hello["view"]["reason"]) == ("waiting", "reopened")
    await session.type("resume")
    assert (await session.offer("resumed"))["startsTurn"]


async def test_a_newer_attachment_takes_over(session: Session, state: Path) -> None:
    """O7: the older one's next call is refused as fenced."""
    await session.attach()
    async with connect(state) as other:
        await Session(other, session.name["id"], session.cwd).attach(instance="i2")
        error = await refused(session.type("review x"))
    assert error.data["code"] == "fenced"


async def test_a_session_stays_with_its_project(session: Session, tmp_path: Path) -> None:
    """P-A7: another folder is told of, and changes nothing."""
    await session.attach()
    elsewhere = make(tmp_path / "elsewhere")
    moved = Session(session.client, session.name["id"], elsewhere)
    hello = await moved.attach(instance="i2")
    assert hello["project"] == str(session.cwd)
    assert "belongs to project" in hello["notices"][0]


async def test_each_project_has_its_own_settings(session: Session, tmp_path: Path) -> None:
    """P-O2: what is wrong with one project's is not said of another's."""
    (session.cwd / ".segue" / "config.toml").write_text("[worker]\nload_seconds = -1\n")
    assert "load_seconds" in str((await session.attach())["notices"])
    other = Session(session.client, session.name["id"] + "-other", make(tmp_path / "other"))
    assert (await other.attach())["notices"] == []


async def test_trust_of_another_folder_is_not_trust_of_this(
    session: Session, tmp_path: Path
) -> None:
    """S1: the host trusts what it works in, not where the session began."""
    await session.attach(trusted=False)
    moved = Session(session.client, session.name["id"], make(tmp_path / "elsewhere"))
    await moved.attach(instance="i2", trusted=True)
    assert (await refused(moved.type("review x"))).data["code"] == "untrusted"


async def test_nothing_runs_without_trust(session: Session) -> None:
    """S1."""
    await session.attach(trusted=False)
    error = await refused(session.type("review x"))
    assert error.data["code"] == "untrusted"
    assert "segue trust" in error.message
    assert "segue trust" not in (await session.tool(action="start", workflow="review"))["text"]


async def test_a_busy_host_is_asked_again_when_it_is_idle(session: Session) -> None:
    """T5."""
    session.client.idle = False
    await session.attach()
    await session.type("review x")
    session.tell("turnStarted", cause="user")
    session.client.idle = True
    await session.say("turnEnded", outcome="completed", text="", id=session.call())
    assert (await session.offer())["kind"] == "step"


async def test_a_late_answer_to_an_offer_harms_nothing(session: Session) -> None:
    """Trap 2 of pygls: the connection lives on, and the message is in the conversation once."""
    client = session.client
    client.withhold = asyncio.Event()
    await session.attach()
    await session.type("review x")
    offer = await session.offer()
    await session.say("complete", text="")  # answered while the offer is not
    client.withhold.set()
    await session.until(lambda v: v["status"] == "running")
    await session.turn(offer, CLEAN)
    await session.until(lambda v: v["status"] == "completed")
    assert len([o for o in client.offers.all if o["id"] == offer["id"]]) == 1


async def test_a_turn_that_ends_without_an_answer_is_reminded_of(session: Session) -> None:
    """T7."""
    await session.attach()
    await session.type("review x")
    offer = await session.offer()
    session.tell("turnStarted", cause=offer["id"])
    await session.say("turnEnded", outcome="completed", text="I did it", id="t")
    assert (await session.offer("reminder"))["startsTurn"]


async def test_escape_pauses(session: Session) -> None:
    """T4."""
    await session.attach()
    await session.type("review x")
    offer = await session.offer()
    session.tell("turnStarted", cause=offer["id"])
    await session.say("turnEnded", outcome="aborted", text="", id="t")
    await session.until(lambda v: v["status"] == "paused")


async def test_after_a_compaction_the_step_is_said_again(session: Session) -> None:
    """T9."""
    await session.attach()
    await session.type("review x")
    await session.offer()
    session.tell("compacted", event="c1")
    assert "Review x" in (await session.offer("restated"))["text"]


async def test_leaving_the_branch_of_the_step_pauses(session: Session) -> None:
    """T4."""
    await session.attach()
    await session.type("review x")
    await session.offer()
    session.tell("branchMoved", report={"entries": [], "queued": [], "idle": True, "full": True})
    await session.until(lambda v: v["status"] == "paused")


async def test_a_report_and_seen_are_heard(session: Session) -> None:
    session.client.idle = False
    await session.attach()
    await session.type("review x")
    session.client.idle = True
    session.tell("report", entries=[], queued=[], idle=True, full=True)
    offer = await session.offer()
    session.tell("seen", message=offer["id"])
    await session.turn(offer, CLEAN)


async def test_a_fork_owns_nothing_of_its_parent(session: Session) -> None:
    """O6, P-A9."""
    await session.attach()
    await session.type("review x")
    offer = await session.offer()
    fork = Session(session.client, session.name["id"] + "-fork", session.cwd)
    session.client.entries[fork.name["id"]] = [offer["id"]]
    hello = await fork.attach(reason="fork", forkedFrom=session.name["id"])
    assert hello["view"] is None
    fork.tell("turnStarted", cause=offer["id"])
    request = offer["details"]["request"]
    made = await fork.tool(action="submit", request_id=request, output=CLEAN)
    assert made["data"]["code"] == "not_origin"


async def test_the_next_step_comes_with_the_answer(session: Session) -> None:
    """The in-turn door: one message, one door (T2)."""
    await session.attach(
        capabilities={"doors": ["in_turn", "push"], "evidence": "receipt"}, patience=30
    )
    await session.type("review x")
    offer = await session.offer()
    session.tell("turnStarted", cause=offer["id"])
    made = await session.tool(
        action="submit", request_id=offer["details"]["request"], output=ISSUES
    )
    assert "Fix a typo" in made["message"]["text"]


async def test_the_next_step_comes_at_the_stop(session: Session) -> None:
    """The at-stop door of hosts that cannot be pushed to."""
    await session.attach(
        capabilities={"doors": ["at_stop"], "evidence": "none", "wake": False}, patience=30
    )
    await session.type("review x")
    session.tell("turnStarted", cause="user")
    ended = await session.say("turnEnded", outcome="completed", text="", id="t1")
    assert "Review x" in ended["message"]["text"]


async def test_completion_knows_verbs_workflows_and_choices(session: Session) -> None:
    await session.attach()
    words = [i["value"] for i in (await session.say("complete", text="re"))["items"]]
    assert "resume" in words
    assert "review" in words
    assert "status" not in words
    await session.type("approve")
    asked = await session.until(lambda v: v["request"] is not None)
    said = await session.say("complete", text="answer ")
    request = asked["request"]["id"]
    assert f"answer {request} yes" in [i["value"] for i in said["items"]]


async def test_a_person_answers_in_the_hosts_dialog(session: Session) -> None:
    """H1, H2: the choice carries the digest of what was shown."""
    session.client.answer = lambda _text, choices: {"choice": choices[2], "text": "tomorrow"}
    await session.attach()
    await session.type("approve")
    asked = await session.client.asks.first(lambda a: a["session"] == session.name)
    assert asked["choices"] == ["yes", "no", "later"]
    assert asked["wantsText"] == ["later"]
    assert len(asked["shown"]) == 64
    ended = await session.until(lambda v: v["status"] == "completed")
    assert ended["output"] == '{"shipped":"no"}'


async def test_an_answer_elsewhere_takes_the_dialog_away(session: Session) -> None:
    session.client.answer = lambda _text, _choices: asyncio.Event()
    await session.attach()
    await session.type("approve")
    asked = await session.client.asks.first(lambda a: a["session"] == session.name)
    await session.type(f"answer {asked['request']} yes")
    await session.until(lambda v: v["status"] == "completed")


async def test_the_model_cannot_answer_for_the_person(session: Session) -> None:
    """H1, P-K."""
    await session.attach()
    await session.type("approve")
    asked = await session.until(lambda v: v["request"] is not None)
    made = await session.tool(action="answer", request_id=asked["request"]["id"], output="yes")
    assert not made["ok"]


async def test_a_cancelled_start_starts_nothing(session: Session) -> None:
    """P-M1: `$/cancelRequest` of `segue/tool` while the workflow loads."""
    from tests.kit import write_workflow

    mark = session.cwd / "loading"
    gate = f"Path({str(mark)!r}).touch()\ntime.sleep(1000)\n"
    write_workflow(session.cwd, "slow", gate + 'slow = Workflow("slow", start="a")\n')
    await session.attach()
    client: Client = session.client
    params = {
        "session": session.name,
        "arguments": {"action": "start", "workflow": "slow"},
        "id": "1",
    }
    request = asyncio.ensure_future(
        client.wire.send_request_async("segue/tool", params, msg_id="slow-1")
    )
    queued = asyncio.ensure_future(
        client.wire.send_request_async(
            "segue/command", {"session": session.name, "text": "review x", "id": "2"}, msg_id="q-1"
        )
    )
    while not mark.exists():
        await session.say("status")
    client.cancel_request(types.CancelParams("q-1"))
    client.cancel_request(types.CancelParams("slow-1"))
    assert (await refused(soon(request))).code == -32800
    assert (await refused(soon(queued))).code == -32800
    said = await session.tool(action="status")  # behind both on the session's lane
    assert said["data"] == {"run": None}


async def test_sessions_do_not_wait_for_each_other(session: Session, tmp_path: Path) -> None:
    """P-M1: a workflow that takes for ever to load blocks nobody else."""
    from tests.kit import write_workflow

    write_workflow(session.cwd, "stuck", "time.sleep(1000)\n")
    await session.attach()
    params = {"session": session.name, "text": "stuck", "id": "1"}
    stuck = asyncio.ensure_future(
        session.client.wire.send_request_async("segue/command", params, msg_id="stuck-1")
    )
    other = Session(session.client, session.name["id"] + "-other", make(tmp_path / "other"))
    await other.attach()
    await other.type("review x")
    await other.turn(await other.offer(), CLEAN)
    await other.until(lambda v: v["status"] == "completed")
    assert not stuck.done()
    session.client.cancel_request(types.CancelParams("stuck-1"))
    assert (await refused(soon(stuck))).code == -32800


async def test_parameters_of_another_shape_are_named(session: Session) -> None:
    await session.attach()
    wrong = await refused(session.say("turnEnded", outcome="maybe"))
    assert wrong.code == -32602
    assert "outcome" in wrong.message
    assert (await refused(session.client.say("segue/status", [1]))).code == -32602
    assert (await refused(session.client.say("segue/status", {"session": 3}))).code == -32602


async def test_after_a_detach_it_is_not_attached(session: Session) -> None:
    await session.attach()
    await session.say("detach")
    assert (await refused(session.type("status"))).data["code"] == "not_attached"
