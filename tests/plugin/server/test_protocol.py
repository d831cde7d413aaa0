"""`docs/PROTOCOL.md`, its schema, the example: they say what the code does."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from segue.plugin.protocol import VERSION, documenting
from segue.plugin.protocol.table import TABLE
from segue.plugin.protocol.view import View
from segue.plugin.server import registry, rpc
from tests.plugin.server.flows import project as make

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "PROTOCOL.md").read_text("utf-8")


def _module(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem + "_example", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_schema_and_the_tables_are_those_of_the_models() -> None:
    """Made by `python docs/protocol.py`."""
    assert (ROOT / "docs" / "protocol.schema.json").read_text("utf-8") == documenting.schema_text()
    assert _module("docs/protocol.py").page(PAGE) == PAGE


def test_every_method_of_the_client_is_served_and_none_besides() -> None:
    served = set(registry.BINDING)
    assert served == {method for method, entry in TABLE.items() if entry.sender == "client"}


def test_every_module_of_the_registry_is_there() -> None:
    for row in registry.BINDING.values():
        assert callable(registry.load(row.module).handle)
    for name in registry.COMMANDS.values():
        assert callable(registry.load(name).run)
    for entry in registry.METHODS.values():
        assert callable(registry.load(entry.module).handle)


def test_the_page_names_every_command_and_error() -> None:
    for command in registry.COMMANDS:
        assert f"`.{command.rpartition('.')[2]}`" in PAGE or f"`{command}`" in PAGE
    for code in (rpc.REFUSED, rpc.PROTOCOL_MISMATCH, rpc.CANCELLED, -32700, -32601, -32002):
        assert str(code) in PAGE
    assert f"version {VERSION}" in PAGE


def test_each_handler_is_thin() -> None:
    """One file a method: decode, call, encode (style.md 1.F)."""
    for name in ("methods", "commands"):
        for file in (ROOT / "plugin" / "server" / name).glob("[a-z]*.py"):
            functions = [
                node
                for node in ast.walk(ast.parse(file.read_text("utf-8")))
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            ]
            longest = max(f.end_lineno - f.lineno for f in functions if f.end_lineno)
            assert longest <= 32, file


def _answer(host: Any, message: dict[str, Any]) -> str:
    output = {"route": "clean", "reason": "all well"}
    request = message["details"]["request"]
    arguments = {"action": "submit", "request_id": request, "output": output}
    text: str = host.say("tool", arguments=arguments, id=request)["text"]
    return text


def test_the_example_adapter_runs_a_workflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Anyone can write an adapter from the page alone; its views are as the page says."""
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path / "state"))
    example = _module("examples/adapter.py")
    host = example.Host("conversation-1", make(tmp_path / "project"), "instance-1")
    host.say("command", text="review the login page", id="1")
    host.work(_answer)
    assert (host.view["status"], host.view["output"]) == ("completed", '{"why":"all well"}')
    View.model_validate(host.view)
    host.close()
    assert "Review the login page" in capsys.readouterr().out


def test_the_example_is_short() -> None:
    """A host in about sixty lines."""
    tree = ast.parse((ROOT / "examples" / "adapter.py").read_text("utf-8"))
    (host,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    assert host.end_lineno is not None
    assert host.end_lineno - host.lineno < 80


def test_the_protocols_modules_cost_a_starting_server_nothing() -> None:
    """Pydantic comes with the first session: start to `initialize` stays short."""
    code = (
        "import sys, segue.plugin.server.server; "
        "print([m for m in ('pydantic', 'sqlite3', 'tree_sitter', 'psutil') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr or done.stdout


def test_the_schema_is_json() -> None:
    made = json.loads(documenting.schema_text())
    assert made["protocol"] == VERSION
    assert set(made["methods"]) == set(TABLE)
