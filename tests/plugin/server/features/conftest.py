"""Real `segue lsp` processes, one for each kind of editor, which all tests of features share."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from pytest_lsp import ClientServerConfig, client_capabilities

from segue.plugin.authoring.places import Encoding

from .editing import ENCODINGS, Editor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pytest_lsp import LanguageClient

COMMAND = [sys.executable, "-m", "segue", "lsp", "--stdio"]


async def _client(folder: Path, profile: str) -> AsyncIterator[LanguageClient]:
    from lsprotocol import types

    env = {**os.environ, "SEGUE_STATE_DIR": str(folder), "HOME": str(folder)}
    client: Any = await ClientServerConfig(server_command=COMMAND, server_env=env).start()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _params: None)
    client.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lambda *_: None)
    client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda *_: None)
    capabilities = client_capabilities(profile)
    params = types.InitializeParams(capabilities=capabilities, workspace_folders=[])
    result = await client.initialize_session(params)
    ENCODINGS[id(client)] = Encoding.of(result.capabilities.position_encoding)
    yield client
    await client.shutdown_session()
    await client.stop()


@pytest.fixture(scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def neovim(state: Path) -> AsyncIterator[LanguageClient]:
    """An editor that asks for diagnostics."""
    async for client in _client(state, "neovim@v0.11.0"):
        yield client


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def emacs(state: Path) -> AsyncIterator[LanguageClient]:
    """An editor that is told diagnostics."""
    async for client in _client(state, "emacs@v29.1"):
        yield client


@pytest.fixture
def editor(neovim: LanguageClient, state: Path, tmp_path: Path) -> Editor:
    return Editor(neovim, tmp_path, state)


@pytest.fixture
def pushed(emacs: LanguageClient, state: Path, tmp_path: Path) -> Editor:
    return Editor(emacs, tmp_path, state)
