"""A real Neovim 0.11.4 against the real `segue lsp` (issue 5): help, a run, its questions.

The agent is scripted: it attaches a session to a server of its own, as a host's adapter does.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .neovim import Neovim, environment, install

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e

SHIP = '''\
"""Looks, asks a person, ships."""
from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Look(BaseModel):
    state: Literal["good", "bad"]


ship = Workflow("ship", input=Task, start="inspect")


@ship.agent(output=Look, status="looking")
def inspect(ctx: Context[Task]) -> str:
    return f"Look at {ctx.input.task}"


@ship.human_decision(choices=["now", "later"])
def decide(ctx: Context[Task]) -> str:
    return "Ship it?"


@ship.compute
def done(ctx: Context[Task]) -> str:
    return ctx.output(decide).choice


ship.switch(inspect, on="state", cases={"good": decide, "bad": done})
ship.switch(decide, on="choice", cases={"now": done, "later": "done"})
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / ".segue" / "workflows"
    folder.mkdir(parents=True)
    (folder / "ship.py").write_text(SHIP, "utf-8")
    return tmp_path / "project"


@pytest.fixture
def nvim(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Neovim]:
    env = environment(tmp_path)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    install(env, project)
    made = Neovim(tmp_path, project, env)
    yield made
    made.close()


class Agent:
    """A scripted agent: it answers the first step once it is told to."""

    def __init__(self, project: Path) -> None:
        place = Path(__file__).parents[2] / "examples" / "adapter.py"
        spec = importlib.util.spec_from_file_location("adapter", place)
        assert spec is not None
        assert spec.loader is not None
        adapter = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(adapter)
        self.host: Any = adapter.Host("conversation", project, uuid.uuid4().hex)
        self.may_answer = threading.Event()
        self.said: list[str] = []
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self) -> None:
        with suppress(OSError, ValueError):  # the server was ended under it
            self._until_the_end()

    def _until_the_end(self) -> None:
        while self.host.view.get("status") not in ("completed", "failed", "cancelled"):
            self.host.take()
            if self.host.turns:
                self.host.work(self._model)

    def _model(self, host: Any, message: dict[str, Any]) -> str:
        self.said.append(message["text"])
        self.may_answer.wait()
        arguments = {"action": "submit", "request_id": message["details"]["request"]}
        arguments["output"] = {"state": "good"}
        host.say("tool", arguments=arguments, id=uuid.uuid4().hex)
        return "looked"

    def close(self) -> None:
        self.host.server.kill()
        self.may_answer.set()
        self.thread.join()
        self.host.server.wait()
        self.host.server.stdin.close()
        self.host.server.stdout.close()

    def ended(self) -> str:
        self.thread.join(60)
        assert not self.thread.is_alive(), self.host.view
        return str(self.host.view["output"])


@pytest.fixture
def agent(nvim: Neovim, project: Path) -> Iterator[Agent]:
    made = Agent(project)
    yield made
    made.close()


# --- help while a workflow is written


def test_diagnostics_follow_typing(nvim: Neovim) -> None:
    """A case that is deleted is missed at once, and an undo takes the finding back."""
    nvim.open("ship")
    nvim.move('"bad": done')
    nvim.lua("vim.cmd.normal('d/}' .. vim.keycode('<cr>'))")
    found = nvim.wait("#vim.diagnostic.get(0) > 0 and vim.diagnostic.get(0)")
    assert [d["code"] for d in found] == ["SG105"]
    assert "'bad'" in found[0]["message"]
    nvim.lua("vim.cmd.undo()")
    nvim.wait("#vim.diagnostic.get(0) == 0")


def test_code_lenses_above_the_workflow(nvim: Neovim) -> None:
    nvim.open("ship")
    lenses = nvim.wait("#vim.lsp.codelens.get(0) > 0 and vim.lsp.codelens.get(0)")
    titles = [lens["command"]["title"] for lens in lenses]
    assert titles == ["Run in session...", "Rehearse", "Graph"]


def test_the_graph_lens_shows_the_graph(nvim: Neovim) -> None:
    nvim.open("ship")
    nvim.lua("vim.cmd('Segue graph')")
    nvim.wait("vim.api.nvim_buf_get_name(0):find('segue://graph', 1, true)")
    assert "inspect" in nvim.text()
    assert "decide" in nvim.text()


def test_hover_shows_the_contract(nvim: Neovim) -> None:
    nvim.open("ship")
    nvim.move("inspect(ctx")
    nvim.lua("vim.lsp.buf.hover()")
    shown = nvim.wait(
        "(function() for _, w in ipairs(vim.api.nvim_list_wins()) do"
        " if vim.api.nvim_win_get_config(w).relative ~= '' then return table.concat("
        "vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false), '\\n') end end"
        " end)()"
    )
    assert "agent in" in shown
    assert "Output schema:" in shown


def test_completion_offers_the_missing_case(nvim: Neovim) -> None:
    """Typing `"` in the cases brings what is missing, through Neovim's own completion."""
    nvim.open("ship")
    nvim.move('"bad": done')
    nvim.lua(
        "vim.lsp.completion.enable(true, vim.lsp.get_clients({ name = 'segue' })[1].id, 0,"
        " { autotrigger = true })\n"
        "vim.opt.completeopt = 'menuone,noinsert'\n"
        "vim.cmd.normal('d/}' .. vim.keycode('<cr>'))\n"
        "vim.api.nvim_feedkeys('i\"', 'n', false)\n"
    )
    words = nvim.wait("#vim.fn.complete_info({'items'}).items > 0 and vim.fn.complete_info().items")
    assert [each["word"] for each in words] == ["bad"]


def test_rename_changes_every_place(nvim: Neovim) -> None:
    nvim.open("ship")
    nvim.move("done(ctx")
    nvim.lua("vim.lsp.buf.rename('finish')")
    nvim.wait("vim.fn.search('def finish', 'nw') > 0")
    assert nvim.text() == SHIP.replace("done", "finish")


def test_the_command_completes_verbs_and_workflows(nvim: Neovim) -> None:
    nvim.open("ship")
    assert nvim.lua("return vim.fn.getcompletion('Segue re', 'cmdline')") == [
        *["rebind", "rehearse", "resume"]
    ]
    assert nvim.lua("return vim.fn.getcompletion('Segue run ', 'cmdline')") == ["ship"]


# --- a run


def test_a_run_from_the_editor_into_an_agents_session(nvim: Neovim, agent: Agent) -> None:
    """Started in the editor, worked on in the conversation, decided in the editor (P-L1).

    The server is restarted while the person is asked: the question and the bar come again, and
    nothing that was answered is asked twice.
    """
    nvim.open("ship")
    nvim.answer("not trusted", "Trust this project")
    nvim.answer("which session", 1)
    nvim.lua("vim.cmd('Segue run ship the release')")
    line = nvim.wait("require('segue').status():find('inspect') and require('segue').status()")
    assert "looking" in line
    nvim.wait(
        "vim.iter(vim.lsp.codelens.get(0)):any(function(lens)"
        " return lens.command.title:find('▶', 1, true) ~= nil end)"
    )
    agent.may_answer.set()
    nvim.wait("_G.open and _G.asked[#_G.asked].prompt:find('Ship it?', 1, true)")
    assert nvim.lua("return _G.asked[#_G.asked].items") == ["now", "later"]

    nvim.lua("_G.open, _G.asked = nil, {}\nvim.lsp.enable('segue', false)")
    nvim.wait("#vim.lsp.get_clients({ name = 'segue' }) == 0")
    nvim.lua("vim.lsp.enable('segue')")
    nvim.wait("_G.open and _G.asked[#_G.asked].prompt:find('Ship it?', 1, true)")
    nvim.wait("require('segue').status():find('decide')")
    nvim.lua("_G.open('now')")
    assert agent.ended() == '"now"'
    assert len(agent.said) == 1
    nvim.wait("require('segue').status() == ''")


def test_uninstall_leaves_nothing(nvim: Neovim, project: Path) -> None:
    argv = [sys.executable, "-m", "segue", "uninstall", "nvim", "--yes"]
    done = subprocess.run(argv, cwd=project, env=nvim.env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    packages = Path(nvim.env["XDG_DATA_HOME"]) / "nvim" / "site" / "pack" / "segue"
    assert not [each for each in packages.rglob("*") if each.is_file()]
