"""What tests of the language server share: one server for many tests, a project for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.plugin.server.client import Client, Session, connect
from tests.plugin.server.flows import project as make

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(state: Path) -> AsyncIterator[Client]:
    """The glue of an agent host: no folders, dialogs of its own."""
    async with connect(state, options={"ask": True}) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


@pytest.fixture
def session(client: Client, project: Path, request: pytest.FixtureRequest) -> Session:
    """A session of the test's own; it is not attached yet."""
    client.answer = lambda _text, _choices: None
    client.idle, client.withhold = True, None
    return Session(client, f"s-{abs(hash(request.node.nodeid))}", project)
