import shutil
import subprocess
import sys

import pytest

from pitboss.sandbox.digests import digest_of_machine
from tests.conftest import ROOT


@pytest.mark.parametrize("name", ["PATH", "PITBOSS_WITHOUT", "PITBOSS_SPECS", "TMPDIR", "PYTHONPATH"])
def test_only_variables_that_may_change_a_report_change_the_digest(name):
    before = digest_of_machine({"PATH": "/usr/bin:/bin", "COLUMNS": "80"})
    assert digest_of_machine({"PATH": "/usr/bin:/bin", "COLUMNS": "120", "TERM": "dumb"}) == before
    assert digest_of_machine({"PATH": "/usr/bin:/bin", name: "/elsewhere"}) != before


def test_installing_a_command_changes_the_digest_of_the_machine(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    before = digest_of_machine({"PATH": str(folder)})
    assert digest_of_machine({"PATH": str(folder)}) == before
    (folder / "of-which-nobody-thought").write_text("")
    assert digest_of_machine({"PATH": str(folder)}) != before


def test_installing_a_package_in_any_folder_changes_the_machine_s_digest(tmp_path, monkeypatch):
    folders = {"purelib": str(tmp_path / "one"), "platlib": str(tmp_path / "two")}
    monkeypatch.setattr("sysconfig.get_path", folders.get)
    digests = {digest_of_machine({})}
    for names in (["one"], ["two"], ["one", "two"]):  # each folder alone, and both
        for name in names:
            (tmp_path / name / f"{name}-1.0.dist-info").mkdir(parents=True)
        digests.add(digest_of_machine({}))
        for name in names:
            shutil.rmtree(tmp_path / name)
    assert len(digests) == 4


def test_the_digest_of_the_machine_is_the_same_in_each_process(tmp_path):
    """Python iterates over a set of strings in an order that differs between processes."""
    for name in ("one", "two"):
        (tmp_path / name / f"{name}-1.0.dist-info").mkdir(parents=True)
    code = "import sysconfig; sysconfig.get_path = {'purelib': 'one', 'platlib': 'two'}.get\n"
    code += "from pitboss.sandbox.digests import digest_of_machine; print(digest_of_machine({}))"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT / "harness"), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "3")  # with these, a set of the two folders has different orders
    }
    assert len(digests) == 1
