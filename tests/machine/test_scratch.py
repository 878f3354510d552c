import os
import stat
from pathlib import Path

import pytest

from pitboss.cli.common_options import make_folder, write_bytes
from pitboss.machine import scratch, users

#: An id that no user or program has.
OTHER_USER = 60_999


@pytest.fixture
def new_run(monkeypatch):
    """Let the test begin without the folder of a pitboss run, and remove the one that it creates."""
    monkeypatch.setattr(scratch, "_run", scratch._RunFolder())
    yield
    scratch.remove_all()


def can_read(path, user_id, groups=()):
    child = os.fork()
    if not child:
        try:
            os.setgroups(groups)
            os.setresgid(user_id, user_id, user_id)
            os.setresuid(user_id, user_id, user_id)
            os._exit(Path(path).read_text() != "secret")
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.needs("root")  # to become another user
def test_programs_can_read_a_build_folder_but_other_users_cannot(new_run):
    with scratch.folder("build") as folder:
        source = Path(folder, "play.c")
        source.write_text("secret")
        source.chmod(0o644)
        assert not can_read(source, OTHER_USER)
        assert can_read(source, OTHER_USER, scratch.groups_of_programs())


def test_the_run_folder_is_private_if_programs_run_as_its_owner(new_run, monkeypatch):
    monkeypatch.setattr(users, "group_of_programs", lambda: None)
    with scratch.folder("build") as folder:
        assert stat.S_IMODE(os.stat(Path(folder).parent).st_mode) == 0o700


def test_the_umask_affects_results_but_not_build_folders(new_run, tmp_path):
    old_umask = os.umask(0o077)
    try:
        with scratch.folder("build") as folder:
            Path(folder, "inner").mkdir()
            Path(folder, "play").write_text("")
            assert stat.S_IMODE(os.stat(f"{folder}/inner").st_mode) == 0o755
            assert stat.S_IMODE(os.stat(f"{folder}/play").st_mode) == 0o644
            write_bytes(str(tmp_path / "scores.csv"), b"ada,40")
            make_folder(tmp_path / "pages")
        assert stat.S_IMODE((tmp_path / "scores.csv").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "pages").stat().st_mode) == 0o700
    finally:
        last_umask = os.umask(old_umask)
    assert last_umask == 0o077
