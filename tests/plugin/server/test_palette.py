"""Palette commands, progress bars, questions and folders of an editor (P-N3, P-O2, P-L1)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from segue.plugin.server.uris import uri_of
from tests.plugin.server.client import Client, Session, connect, folder
from tests.plugin.server.flows import project as make

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.asyncio(loop_scope="module")
CLEAN = {"route": "clean", "reason": "all well"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(state: Path) -> AsyncIterator[Client]:
    """An editor without dialogs of its own; folders come and go."""
    async with connect(state) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def opened(editor: Client, project: Path) -> AsyncIterator[Client]:
    """The editor with the test's project as its only folder."""
    editor.answer = lambda _text, _choices: None
    event = types.WorkspaceFoldersChangeEvent([folder(project)], [])
    editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    yield editor
    event = types.WorkspaceFoldersChangeEvent([], [folder(project)])
    editor.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


async def refused(work: Any) -> Any:
    with pytest.raises(JsonRpcException) as caught:
        await work
    return caught.value


def choosing(**wanted: str) -> Any:
    """Play a person: for a title that has the word, press the button that has the other."""

    def answer(text: str, choices: list[str]) -> str | None:
        for word, choice in wanted.items():
            if word in text:
                return next(c for c in choices if choice in c)
        raise AssertionError(f"nobody expected the question {text!r} with {choices}")

    return answer


async def test_run_asks_for_what_is_missing_and_never_guesses(
    opened: Client, session: Session
) -> None:
    """O8: even the only session there is, is chosen by the person."""
    await session.attach(trusted=True)
    titles: list[str] = []

    def answer(text: str, choices: list[str]) -> str:
        titles.append(text)
        if "trusted" in text:
            return choices[0]
        fit = [c for c in choices if "s-" in c or "approve" in c]
        assert fit, (text, choices)
        return fit[0]

    opened.answer = answer
    made = await opened.command("run")
    assert [t.split()[0] for t in titles] == [str(session.cwd), "Which", "Run"]
    assert made["data"]["session"] == f"test:{session.name['id']}"
    asked = await session.until(lambda v: v["request"] is not None)
    assert asked["run"] == made["data"]["run"]


async def test_a_closed_dialog_does_nothing(opened: Client, session: Session) -> None:
    await session.attach()
    assert (await opened.command("run"))["dismissed"]
    assert (await opened.command("trust"))["dismissed"]
    assert (await opened.command("status", quiet=True))["text"] == "no run is under way"


async def test_run_without_any_session_says_what_to_do(opened: Client, project: Path) -> None:
    await opened.command("trust", sure=True)
    error = await refused(opened.command("run", workflow="approve"))
    assert "no agent session was seen" in error.message


async def test_text_that_cannot_be_typed_names_the_command(
    opened: Client, session: Session
) -> None:
    """A client without dialogs for text: the terminal is named."""
    await session.attach()
    await opened.command("trust", sure=True)
    key = f"test:{session.name['id']}"
    error = await refused(opened.command("run", workflow="review", session=key))
    assert "segue start" in error.message
    made = await opened.command("run", workflow="review", session=key, text="the login page")
    assert "is queued for session" in made["text"]
    assert "Review the login page" in (await session.offer())["text"]


async def test_a_run_seen_from_the_editor(opened: Client, session: Session) -> None:
    """Status, pause, resume, cancel; a cancel is confirmed and names the run (P-N3)."""
    await session.attach()
    run = (await session.type("review x"))["data"]["run"]
    await session.offer()
    status = await opened.command("status")
    assert [r["run"] for r in status["data"]["runs"]] == [run]
    assert (await opened.command("pause", run=run))["data"]["run"] == run
    await session.until(lambda v: v["status"] == "paused")
    await opened.command("resume", run=run)
    await session.offer("resumed")
    assert (await opened.command("cancel", run=run))["dismissed"]
    assert run in (await opened.buttons.first(lambda b: run in b.message)).message
    opened.answer = choosing(ends="Cancel the run")
    await opened.command("cancel", run=run)
    await session.until(lambda v: v["status"] == "cancelled")
    gone = await refused(opened.command("pause", run=run))
    assert "has ended already" in gone.message


async def test_a_progress_bar_with_step_names_and_its_cancel_pauses(
    opened: Client, session: Session
) -> None:
    await session.attach()
    run = (await session.type("review x"))["data"]["run"]
    begun = await opened.bars.first(lambda p: run in p.token and p.value["kind"] == "begin")
    assert begun.value["cancellable"]
    said = await opened.bars.first(
        lambda p: run in p.token and "inspect (reviewing), step 1" in p.value.get("message", "")
    )
    opened.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(said.token))
    await session.until(lambda v: v["status"] == "paused")
    await opened.bars.first(lambda p: p.token == said.token and p.value["kind"] == "end")
    await session.type("resume")
    await opened.bars.first(
        lambda p: run in p.token and p.token != said.token and p.value["kind"] == "begin"
    )


async def test_a_question_with_its_buttons_survives_a_restart(
    opened: Client, session: Session, state: Path
) -> None:
    """P-L1: another server of another window shows it again, and its answer counts."""
    session.client.answer = lambda _text, _choices: asyncio.Event()
    opened.answer = lambda _text, _choices: asyncio.Event()
    await session.attach()
    run = (await session.type("approve"))["data"]["run"]
    first = await opened.buttons.first(lambda b: run in b.message)
    assert [a.title for a in first.actions] == ["yes", "no", "later"]
    assert "Ship it?" in first.message
    async with connect(state, [session.cwd]) as window:
        window.answer = lambda _text, _choices: "yes"
        await window.buttons.first(lambda b: run in b.message)
        ended = await session.until(lambda v: v["status"] == "completed")
    assert ended["output"] == '{"shipped":"yes"}'


async def test_a_choice_that_wants_words_names_the_terminal(
    opened: Client, session: Session
) -> None:
    session.client.answer = lambda _text, _choices: asyncio.Event()
    opened.answer = lambda _text, _choices: "later"
    await session.attach()
    run = (await session.type("approve"))["data"]["run"]
    await opened.buttons.first(lambda b: run in b.message)
    view = await session.until(lambda v: v["request"] is not None)
    request = view["request"]["id"]
    await opened.shown.first(lambda text: f"segue answer {request}" in text)
    stale = await refused(opened.command("answer", request=request, choice="maybe"))
    assert "no choice" in stale.message
    made = await opened.command("answer", request=request, choice="later", text="tomorrow")
    assert made["data"] == {"request": request}
    await session.until(lambda v: v["status"] == "completed")


async def test_rebind_moves_a_run_because_a_person_says_so(
    opened: Client, session: Session
) -> None:
    """O2, P-A11."""
    await session.attach()
    run = (await session.type("review x"))["data"]["run"]
    await session.offer()
    other = Session(session.client, session.name["id"] + "-new", session.cwd)
    await other.attach()
    await opened.command("rebind", run=run, session=f"test:{other.name['id']}")
    moved = await other.until(lambda v: v["run"] == run)
    assert moved["reason"] == "rebound"


async def test_graph_explain_and_check_need_no_trust(opened: Client, project: Path) -> None:
    """S1: they read text."""
    graph = await opened.command("graph", workflow="review")
    assert "inspect" in graph["text"]
    assert "flowchart" in graph["data"]["mermaid"]
    assert "inspect  agent" in (await opened.command("explain", workflow="review"))["text"]
    (project / ".segue" / "workflows" / "bad.py").write_text(
        'from segue import Workflow\nbad = Workflow("bad", start="nowhere")\n'
    )
    found = (await opened.command("check", quiet=True))["data"]["findings"]
    assert uri_of(project / ".segue" / "workflows" / "bad.py") in {f["uri"] for f in found}


async def test_open_state_says_where_it_lies(opened: Client, state: Path) -> None:
    made = await opened.command("openState", quiet=True)
    assert made["data"]["folder"].startswith(str(state))
    assert "nothing is kept there yet" in made["text"]


async def test_each_folder_is_a_project_of_its_own(
    opened: Client, session: Session, tmp_path: Path
) -> None:
    """P-O2: with several open a command names its folder, or the person is asked."""
    other = make(tmp_path / "other")
    event = types.WorkspaceFoldersChangeEvent([folder(other)], [])
    opened.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await session.attach()
    run = (await session.type("review x"))["data"]["run"]
    assert (await opened.command("status"))["dismissed"]
    here = await opened.command("status", folder=uri_of(session.cwd))
    assert [r["run"] for r in here["data"]["runs"]] == [run]
    file = uri_of(other / ".segue" / "workflows" / "review.py")
    assert (await opened.command("status", folder=file))["data"]["runs"] == []
    opened.answer = choosing(folder="other")
    assert (await opened.command("status"))["data"]["runs"] == []
    nowhere = await refused(opened.command("status", folder="file:///nowhere"))
    assert "is no folder of this workspace" in nowhere.message
    event = types.WorkspaceFoldersChangeEvent([], [folder(other)])
    opened.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    assert [r["run"] for r in (await opened.command("status"))["data"]["runs"]] == [run]


async def test_the_clients_own_trust_counts(session: Session, state: Path) -> None:
    """S1: `initializationOptions.segue.trusted`."""
    await session.attach(trusted=True)
    async with connect(state, [session.cwd], options={"trusted": True, "ask": True}) as window:
        window.answer = lambda text, choices: (
            "the login page" if not choices else next(c for c in choices if session.name["id"] in c)
        )
        made = await window.command("run", workflow="review")
    assert made["data"]["session"] == f"test:{session.name['id']}"
    assert "Review the login page" in (await session.offer())["text"]


async def test_arguments_of_another_shape_are_named(opened: Client) -> None:
    error = await refused(opened.command("status", run=7))
    assert (error.code, "run" in error.message) == (-32602, True)
