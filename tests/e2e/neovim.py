"""A real Neovim without a screen, with Segue installed in it, driven through its own socket.

Waiting is Neovim's: `vim.wait` handles what comes until something holds, so nothing here sleeps.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from . import cache

if TYPE_CHECKING:
    from pathlib import Path

VERSION: Final = "0.11.4"
LONG: Final = 60
"""Seconds that are only ever waited for when something is broken."""
PERSON: Final = """
-- A person who answers what they were told to, and keeps what they were asked.
_G.asked, _G.said, _G.answers = {}, {}, {}
local function find(prompt)
  for pattern, answer in pairs(_G.answers) do
    if prompt:find(pattern, 1, true) then return answer end
  end
end
vim.ui.select = function(items, opts, done)
  table.insert(_G.asked, { prompt = opts.prompt, items = items })
  local answer = find(opts.prompt)
  if answer == nil then _G.open = done else done(answer == 1 and items[1] or answer) end
end
vim.ui.input = function(opts, done)
  table.insert(_G.asked, { prompt = opts.prompt })
  done(find(opts.prompt))
end
vim.notify = function(message) table.insert(_G.said, message) end
return true
"""


class Neovim:
    """One editor, one window."""

    def __init__(self, root: Path, project: Path, env: dict[str, str]) -> None:
        self.program = cache.nvim(VERSION)
        self.root, self.project = root, project
        self.socket = root / "nvim.sock"
        self.env = env
        self.count = 0
        self.process = subprocess.Popen(
            [self.program, "--headless", "-u", "NORC", "--listen", self.socket],
            cwd=project,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._listening()
        self.lua(PERSON)

    def _listening(self) -> None:
        """Wait until the socket answers: asking is what waits."""
        for _ in range(2000):
            done = self._ask("1")
            if done.returncode == 0:
                return
            assert self.process.poll() is None, self.process.communicate()
        raise AssertionError(done.stderr)

    def _ask(self, expression: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, "--headless", "--server", self.socket, "--remote-expr", expression],
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=LONG + 20,
            stdin=subprocess.DEVNULL,
        )

    def lua(self, code: str) -> Any:
        """Run Lua in the editor and give what it returns."""
        self.count += 1
        file = self.root / f"say{self.count}.lua"
        body = f"local function run()\n{code}\nend\nreturn vim.json.encode({{ value = run() }})"
        file.write_text(body, "utf-8")
        done = self._ask(f"luaeval('dofile(_A)', '{file}')")
        out = done.stdout.strip()
        assert done.returncode == 0, f"{code}\n{out}\n{done.stderr}"
        assert out[:1] in {"{", "["}, f"{code}\n{out}\n{done.stderr}"
        made = json.loads(out)
        return made["value"] if made else None  # a table of nothing comes as a list

    def wait(self, condition: str) -> Any:
        """Let the editor work until a Lua expression gives something, and give that."""
        return self.lua(
            f"local made; local fine = vim.wait({LONG * 1000}, function()"
            f" made = {condition}; return made end, 10)\n"
            f"if not fine then error({json.dumps(condition, ensure_ascii=False)} .. ' never came: '"
            " .. vim.inspect({ _G.asked, _G.said })) end\nreturn made"
        )

    def open(self, name: str) -> None:
        """Open a workflow, and wait until the server has it."""
        self.lua(f"vim.cmd.edit('{self.project}/.segue/workflows/{name}.py')")
        self.wait("#vim.lsp.get_clients({ name = 'segue', bufnr = 0 }) > 0")
        self.wait("vim.lsp.get_clients({ name = 'segue' })[1].initialized")

    def screen(self) -> str:
        """Give what a person sees, as text."""
        rows: list[str] = self.lua(
            "vim.cmd.redraw()\nlocal rows = {}\nfor row = 1, vim.o.lines do\n"
            " local cells = {}\n for col = 1, vim.o.columns do"
            " cells[col] = vim.fn.screenstring(row, col) end\n"
            " rows[row] = table.concat(cells)\nend\nreturn rows"
        )
        return "\n".join(row.rstrip() for row in rows)

    def text(self) -> str:
        lines: list[str] = self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
        return "\n".join(lines) + "\n"

    def move(self, word: str) -> None:
        """Put the cursor into the first place of a word."""
        self.lua(f"vim.fn.cursor(1, 1); return vim.fn.search('\\\\V{word}', 'c')")

    def answer(self, prompt: str, answer: str | int) -> None:
        """Answer questions that contain some words, from now on."""
        self.lua(f"_G.answers[{json.dumps(prompt)}] = {json.dumps(answer)}")

    def close(self) -> None:
        self._ask("execute('qall!')")
        try:
            self.process.communicate(timeout=LONG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


def environment(root: Path) -> dict[str, str]:
    """Give the surroundings of a person whose home is empty."""
    home = root / "home"
    home.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_RUNTIME_DIR": str(root),
        "SEGUE_STATE_DIR": str(root / "segue"),
    }


def install(env: dict[str, str], project: Path) -> None:
    """Put Segue into the Neovim of this home, as a person would."""
    argv = [sys.executable, "-m", "segue", "install", "nvim", "--yes"]
    done = subprocess.run(argv, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
