"""Which file system lies under a folder, and which ones SQLite must not be put on.

Type names are the kernel's own. Linux is read from `/proc` without importing anything; other
systems ask psutil.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

NETWORK: Final = frozenset(
    "9p afpfs afs beegfs ceph cifs coda davfs fuse.ceph fuse.cephfs fuse.davfs2 fuse.glusterfs"
    " fuse.rclone fuse.s3fs fuse.sshfs glusterfs lustre ncpfs nfs nfs4 orangefs osxfuse.sshfs"
    " macfuse.sshfs smb smb2 smb3 smbfs sshfs webdav".split()
)
"""File systems whose locks or shared memory another machine does not see in time."""

_MOUNTS = Path("/proc/self/mountinfo")


def file_system_of(folder: Path) -> str:
    """Give the type of the file system that holds an existing folder, empty if unknown."""
    real = os.path.realpath(folder)
    if _MOUNTS.exists():
        return holder(real, linux_mounts(_MOUNTS.read_text("utf-8", "surrogateescape")))
    import psutil

    return holder(real, [(p.mountpoint, p.fstype) for p in psutil.disk_partitions(all=True)])


def linux_mounts(text: str) -> list[tuple[str, str]]:
    """Read `mountinfo` into pairs of mount point and type, in order of mounting."""
    mounts = []
    for line in text.splitlines():
        # proc(5): id, parent, major:minor, root, mount point, options, tags, "-", type, source
        before, dash, after = line.partition(" - ")
        fields = before.split(" ")
        if dash and len(fields) > 4:
            mounts.append((_unescape(fields[4]), after.split(" ")[0]))
    return mounts


def holder(real: str, mounts: list[tuple[str, str]]) -> str:
    """Give the type of the deepest mount above a real path; a later mount hides an earlier."""
    found, deepest = "", -1
    for point, kind in mounts:
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= deepest:
            found, deepest = kind.lower(), len(point)
    return found


def _unescape(field: str) -> str:
    """Undo the kernel's octal escapes of space, tab, newline and backslash."""
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), field)
