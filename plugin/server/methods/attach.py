"""`segue/attach`: connect this process to a session (O1, O7, P-A7)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from segue import __version__
from segue.session import grammar, paths, tool
from segue.session import sessions as ids
from segue.session.errors import StateError, UsageError, WorkflowError
from segue.session.hosts import Capabilities, Door, Evidence
from segue.session.workflow import discovery

from ...protocol import VERSION
from ...protocol.hello import Attached as Hello
from ...protocol.hello import ToolInfo, VerbInfo, WorkflowInfo
from ..attached import Attached
from ..folders import Project
from ..hosts import ClientHost
from ..rpc import PROTOCOL_MISMATCH

if TYPE_CHECKING:
    from segue.session.ownership import SessionKey

    from ...protocol.hello import Abilities, Attach
    from ..server import SegueServer


def before(params: Any) -> None:
    """Compare the two protocol numbers first: another version may have another shape."""
    theirs = params.get("protocol") if isinstance(params, dict) else None
    if not isinstance(theirs, int) or isinstance(theirs, bool):
        raise JsonRpcInvalidParams("segue/attach: protocol: say which number the client speaks")
    if theirs != VERSION:
        older = "Segue (`pip install -U segue`)" if theirs > VERSION else "the host's extension"
        raise JsonRpcException(
            f"the client speaks protocol {theirs}, Segue {__version__} speaks {VERSION}:"
            f" upgrade {older}",
            PROTOCOL_MISMATCH,
            {"client": theirs, "server": VERSION},
        )
    ids.check(params.get("host"), params.get("session"))  # whatever it is, it is named as that


def handle(server: SegueServer, params: Attach) -> Hello:
    key = ids.check(params.host, params.session)
    known = server.sessions.find(key)
    if known is not None and known.instance == params.instance and not known.binding.closed:
        return _hello(known, [])  # hosts tell of one session twice
    if known is not None:
        server.sessions.drop(known)
    project, notices = _project(key, params)
    attached = _attach(server, key, project, params)
    server.sessions.put(attached)
    return _hello(attached, [*notices, *attached.service.settings.warnings])


def _project(key: SessionKey, params: Attach) -> tuple[Project, list[str]]:
    """Give the session's project: the one it was bound to first, wherever it is now (P-A7)."""
    here = Path(params.cwd)
    if not here.is_absolute() or not here.is_dir():
        raise UsageError(f"cwd is {params.cwd[:200]!r}: give an existing folder, absolute")
    home = paths.state_home(os.environ)
    found = paths.project_root(here)
    bound = ids.project_of(home.path, key)
    root = found if bound is None else Path(bound)
    if not root.is_dir():
        raise StateError(f"session {key} belongs to project {root}, which is not there any more")
    # The host's trust is of the folder it works in, not of wherever the session began (S1).
    trusted = params.trusted and root == found
    notices = list(home.warnings)
    if root != found:
        notices.append(f"this session belongs to project {root}; its runs stay there")
    return Project(root, home, paths.project_state(home, root), trusted), notices


def _attach(server: SegueServer, key: SessionKey, project: Project, params: Attach) -> Attached:
    host = ClientHost(server.protocol, key)
    service = server.session_service(project)
    try:
        binding = service.bind(
            key.host,
            key.id,
            instance=params.instance,
            capabilities=_capabilities(params.capabilities),
            port=host,
            reason=params.reason,
            host_version=params.host_version,
            trusted=project.trusted,
            patience=params.patience,
        )
    except BaseException:
        service.close()
        raise
    attached = Attached(key, project, service, binding, host, params.instance)
    try:
        if params.forked_from is not None:
            binding.forked_from(params.forked_from)
        if params.cleared_from is not None:
            binding.cleared_from(params.cleared_from)
    except BaseException:
        attached.close()
        raise
    return attached


def _capabilities(given: Abilities) -> Capabilities:
    return Capabilities(
        doors=frozenset(Door(door) for door in given.doors),
        evidence=Evidence(given.evidence),
        wake=given.wake,
        abort=given.abort,
        reply_text=given.reply_text,
        sees_abort=given.sees_abort,
    )


def _hello(attached: Attached, notices: list[str]) -> Hello:
    try:
        found = discovery.discover(attached.project.root)
    except WorkflowError as error:
        found, notices = [], [*notices, str(error)]
    view = attached.host.view
    return Hello(
        protocol=VERSION,
        segue=__version__,
        project=str(attached.project.root),
        view=view if view and view.get("run") else None,
        notices=[*notices, *attached.binding.notices()],
        verbs=[VerbInfo(name=n, usage=v.usage, help=v.help) for n, v in grammar.VERBS.items()],
        workflows=[
            WorkflowInfo(name=f.name, title=f.title, description=f.description)
            for f in found
            if not f.mount_only
        ],
        tool=ToolInfo.model_validate(
            {"name": tool.NAME, "description": tool.DESCRIPTION, "schema": tool.schema()}
        ),
    )
