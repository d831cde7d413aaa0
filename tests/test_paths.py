"""Where state lives and which folder is the project (product.md section 8, S2)."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from segue.session import filesystems
from segue.session.errors import StateError, UsageError
from segue.session.paths import StateHome, prepare, project_root, project_state, state_home

if TYPE_CHECKING:
    from collections.abc import Callable

HARD_NAMES = ["with space", "prüfung-検査", "x" * 200, "semi;colon'quote\"", "-dash", ".hidden"]


def folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def untested(environ: dict[str, str]) -> dict[str, str]:
    """Give an environment as outside pytest."""
    return {k: v for k, v in environ.items() if k != "PYTEST_CURRENT_TEST"}


# --- the project


def test_the_nearest_folder_with_segue_is_the_project(tmp_path: Path) -> None:
    folder(tmp_path / "outer" / ".segue")
    folder(tmp_path / "outer" / "inner" / ".segue")
    deep = folder(tmp_path / "outer" / "inner" / "a" / "b")
    assert project_root(deep) == tmp_path / "outer" / "inner"
    assert project_root(tmp_path / "outer") == tmp_path / "outer"


def test_without_it_the_git_work_tree_is(tmp_path: Path) -> None:
    folder(tmp_path / "repo" / ".git")
    assert project_root(folder(tmp_path / "repo" / "src")) == tmp_path / "repo"


def test_a_folder_with_segue_above_the_work_tree_wins(tmp_path: Path) -> None:
    folder(tmp_path / "mono" / ".segue")
    folder(tmp_path / "mono" / "repo" / ".git")
    assert project_root(tmp_path / "mono" / "repo") == tmp_path / "mono"


def test_without_either_it_is_the_folder_itself(tmp_path: Path) -> None:
    assert project_root(folder(tmp_path / "plain" / "deep")) == tmp_path / "plain" / "deep"


def test_a_file_named_segue_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".segue").write_text("")
    assert project_root(folder(tmp_path / "a")) == tmp_path / "a"


def test_home_and_what_lies_above_is_nobody_s_project(nobody: Path) -> None:
    """A dotfiles repository, or settings in the home folder, do not swallow every folder."""
    folder(nobody / ".segue")
    folder(nobody / ".git")
    folder(nobody.parent / ".segue")
    try:
        assert project_root(folder(nobody / "work")) == nobody / "work"
        assert project_root(nobody) == nobody
    finally:
        (nobody.parent / ".segue").rmdir()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_two_work_trees_of_one_repository_are_two_projects(tmp_path: Path) -> None:
    """P-P4: one inside the other, too, where `.segue/` is not in version control."""
    main = folder(tmp_path / "main")
    git = ["git", "-C", str(main), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    for where in (tmp_path / "beside", main / "trees" / "inside"):
        subprocess.run([*git, "worktree", "add", "-q", str(where)], check=True)
    folder(main / ".segue")
    home = StateHome(tmp_path / "state", "default")
    roots = [
        project_root(path)
        for path in (main, folder(tmp_path / "beside" / "a"), main / "trees" / "inside")
    ]
    assert roots == [main, tmp_path / "beside", main / "trees" / "inside"]
    assert len({project_state(home, root) for root in roots}) == 3


def test_a_submodule_belongs_to_the_project_around_it(tmp_path: Path) -> None:
    folder(tmp_path / "repo" / ".segue")
    module = folder(tmp_path / "repo" / "vendor" / "lib")
    (module / ".git").write_text("gitdir: ../../.git/modules/lib\n")
    assert project_root(module) == tmp_path / "repo"


@pytest.mark.parametrize("name", HARD_NAMES)
def test_any_folder_name_is_a_project(tmp_path: Path, name: str) -> None:
    root = folder(tmp_path / name)
    folder(root / ".segue")
    state = project_state(StateHome(tmp_path / "state", "--state"), project_root(root))
    prepare(state.parent)
    state.write_text("")
    assert len(os.fsencode(state.parent.name)) <= 60
    assert state.parent.name.isascii()


def test_a_path_of_300_characters_works(tmp_path: Path) -> None:
    root = tmp_path
    while len(str(root)) < 300:
        root = root / ("deep" * 12)
    folder(root / ".segue")
    assert project_root(root, explicit=root) == root
    assert project_state(StateHome(tmp_path, "--state"), root).parent.name.startswith("deep")


def test_a_link_and_what_it_points_to_are_one_project(tmp_path: Path) -> None:
    real = folder(tmp_path / "real")
    folder(real / ".segue")
    link = tmp_path / "link"
    link.symlink_to(real)
    home = StateHome(tmp_path / "state", "default")
    assert project_root(link) == project_root(tmp_path, explicit=link) == real
    assert project_state(home, link) == project_state(home, real)


@pytest.mark.parametrize(
    ("one", "other"), [("a/b-c", "a-b/c"), ("x/app", "y/app"), ("A", "a"), ("a b", "a-b")]
)
def test_different_folders_never_share_state(tmp_path: Path, one: str, other: str) -> None:
    home = StateHome(tmp_path / "state", "default")
    first, second = (project_state(home, folder(tmp_path / p)) for p in (one, other))
    assert first != second
    assert first.parent.parent == second.parent.parent == tmp_path / "state" / "projects"


def test_the_state_folder_bears_the_project_s_name(tmp_path: Path) -> None:
    state = project_state(StateHome(tmp_path, "default"), tmp_path / "my app")
    assert state.name == "state.sqlite3"
    assert state.parent.name.startswith("my-app-")


@pytest.mark.parametrize(
    ("name", "what"), [("missing", "does not exist"), ("file", "is not a folder"), ("n" * 400, "")]
)
def test_a_wrong_explicit_root_is_an_error(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as error:
        project_root(tmp_path, explicit=tmp_path / name)
    assert what in str(error.value)
    assert str(tmp_path / name) in str(error.value)
    assert "name an existing folder" in str(error.value)


# --- the state folder


def test_no_test_can_touch_the_person_s_own_state() -> None:
    with pytest.raises(StateError, match="set SEGUE_STATE_DIR"):
        state_home(os.environ)


def test_the_order_is_option_environment_config_default(tmp_path: Path, nobody: Path) -> None:
    """P-G2: and each answer says which one it was."""
    config = folder(nobody / ".config" / "segue") / "config.toml"
    environ = untested({**os.environ, "SEGUE_STATE_DIR": str(tmp_path / "env")})
    typed = state_home(environ, tmp_path / "typed")
    assert typed == StateHome(tmp_path / "typed", "--state")
    assert state_home(environ) == StateHome(tmp_path / "env", "SEGUE_STATE_DIR")
    del environ["SEGUE_STATE_DIR"]
    config.write_text('state_dir = "~/elsewhere"\n')
    assert state_home(environ) == StateHome(nobody / "elsewhere", "config")
    config.write_text("other = 1\n")
    assert state_home(environ).why == "default"
    assert state_home(environ).path.is_relative_to(nobody)


@pytest.mark.parametrize(
    "text", ['state_dir = "relative"', "state_dir = 3", "state_dir = ", "\x00", "état = \xe9"]
)
def test_a_bad_setting_is_told_and_passed_over(nobody: Path, text: str) -> None:
    config = folder(nobody / ".config" / "segue") / "config.toml"
    config.write_bytes(text.encode("latin-1"))
    home = state_home(untested({**os.environ}))
    assert home.why == "default"
    (warning,) = home.warnings
    assert str(config) in warning
    assert "ignored" in warning


def test_a_relative_xdg_state_home_is_ignored_with_a_warning(
    nobody: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2."""
    monkeypatch.setenv("XDG_STATE_HOME", "relative/state")
    home = state_home(untested({**os.environ}))
    assert home.path.is_absolute()
    assert home.path.is_relative_to(nobody)
    assert "XDG_STATE_HOME is 'relative/state'" in home.warnings[0]


def test_a_relative_segue_state_dir_is_refused() -> None:
    with pytest.raises(UsageError, match="absolute"):
        state_home({"SEGUE_STATE_DIR": "state"})


# --- making it


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def on(kind: str) -> Callable[[Path], str]:
    return lambda _: kind


def test_what_is_made_is_only_the_user_s(tmp_path: Path) -> None:
    """S2: folders are 0700, whatever the umask; what was there keeps its mode."""
    old = os.umask(0)
    try:
        tmp_path.chmod(0o755)
        prepare(tmp_path / "a" / "b" / "c")
    finally:
        os.umask(old)
    made = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"]
    assert [mode(path) for path in made] == [0o700] * 3
    assert mode(tmp_path) == 0o755
    prepare(tmp_path / "a" / "b" / "c")


@pytest.mark.parametrize("shared", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_write_into_is_refused(tmp_path: Path, shared: int) -> None:
    """S2: it is named with what to do, and left as it is."""
    top = folder(tmp_path / "state")
    top.chmod(shared)
    for asked in (top, top / "projects" / "x"):
        with pytest.raises(StateError, match="chmod 700") as error:
            prepare(asked, top=top)
        assert str(top) in str(error.value)
    assert mode(top) == shared
    assert not list(top.iterdir())


@pytest.mark.parametrize("kind", sorted(filesystems.NETWORK))
def test_a_network_file_system_is_refused_before_the_first_write(tmp_path: Path, kind: str) -> None:
    """S2: with the setting that moves the state."""
    with pytest.raises(StateError, match="SEGUE_STATE_DIR") as error:
        prepare(tmp_path / "a" / "b", file_system=on(kind))
    assert kind in str(error.value)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "apfs", "overlay", "tmpfs", "zfs", ""])
def test_a_local_file_system_is_taken(tmp_path: Path, kind: str) -> None:
    prepare(tmp_path / "a", file_system=on(kind))
    assert (tmp_path / "a").is_dir()


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    for asked in (tmp_path / "state", tmp_path / "state" / "projects"):
        with pytest.raises(StateError, match="is not a folder") as error:
            prepare(asked)
        assert "SEGUE_STATE_DIR" in str(error.value)


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_folder_that_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(self: Path, **_: object) -> None:
        raise OSError(code, os.strerror(code), str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StateError, match="cannot make") as error:
        prepare(tmp_path / "state")
    assert os.strerror(code) in str(error.value)
    assert "SEGUE_STATE_DIR" in str(error.value)


# --- file systems

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw - proc proc rw
40 22 0:50 / /home rw shared:5 master:2 - nfs4 server:/home rw,vers=4.2
41 40 0:51 / /home/me/local rw - btrfs /dev/sdb rw
42 22 0:52 / /mnt/with\040space rw - fuse.sshfs me@host: rw
43 22 0:53 / /data rw - ext4 /dev/sdc rw
44 43 0:54 / /data rw - cifs //server/data rw
garbage
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/etc", "ext4"),
        ("/home", "nfs4"),
        ("/home/me", "nfs4"),
        ("/home/me/local/state", "btrfs"),
        ("/home/me/localstate", "nfs4"),
        ("/homely", "ext4"),
        ("/mnt/with space/x", "fuse.sshfs"),
        ("/data/x", "cifs"),
    ],
)
def test_the_deepest_and_latest_mount_holds_a_path(path: str, kind: str) -> None:
    assert filesystems.holder(path, filesystems.linux_mounts(MOUNTS)) == kind


def test_the_real_file_system_has_a_name(tmp_path: Path) -> None:
    assert filesystems.file_system_of(tmp_path)


def test_elsewhere_psutil_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystems, "_MOUNTS", tmp_path / "none")
    assert filesystems.file_system_of(Path("/"))
