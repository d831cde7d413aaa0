"""Segue in Pi: an extension folder, for one person or for one project."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Final

from .plan import Plan, folder_files

CLIENT: Final = Path(__file__).parents[1] / "clients" / "pi"
SKILLS: Final = Path(__file__).parents[1] / "skills"


def plan(scope: str, project: Path) -> Plan:
    """Give what would be written for `user` or `project`."""
    files = folder_files(CLIENT, (".ts", ".json"))
    skills = folder_files(SKILLS, (".md",))
    files |= {f"skills/{name}": data for name, data in skills.items()}
    files["segue.json"] = json.dumps({"command": command()}, indent=2).encode() + b"\n"
    return Plan("pi", folder(scope, project), files)


def folder(scope: str, project: Path) -> Path:
    """Give the extension's folder."""
    if scope == "project":
        return project / ".pi" / "extensions" / "segue"
    return agent_folder() / "extensions" / "segue"


def agent_folder() -> Path:
    """Give Pi's own folder, which `PI_CODING_AGENT_DIR` moves."""
    moved = os.environ.get("PI_CODING_AGENT_DIR")
    return Path(moved).expanduser() if moved else Path.home() / ".pi" / "agent"


def command() -> list[str]:
    """Give how Pi starts the server: with the interpreter that Segue is installed in."""
    return [sys.executable, "-P", "-m", "segue", "lsp", "--stdio"]
