"""Segue in Neovim: a package that Neovim loads at its start, for one person."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Final

from .plan import Plan, folder_files

CLIENT: Final = Path(__file__).parents[1] / "clients" / "nvim"


def plan(_scope: str, _project: Path) -> Plan:
    """Give what would be written: the glue, and how to start this Segue."""
    files = folder_files(CLIENT, (".lua",))
    command = [sys.executable, "-P", "-m", "segue", "lsp", "--stdio"]
    files["segue.json"] = json.dumps({"command": command}, indent=2).encode() + b"\n"
    return Plan("nvim", folder(), files)


def folder() -> Path:
    """Give the package's folder below Neovim's own data folder, which `NVIM_APPNAME` names."""
    data = os.environ.get("XDG_DATA_HOME", "")
    home = Path(data) if data and Path(data).is_absolute() else Path.home() / ".local" / "share"
    name = os.environ.get("NVIM_APPNAME") or "nvim"
    return home / name / "site" / "pack" / "segue" / "start" / "segue"
