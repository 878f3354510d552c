import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check_in_this_process
from pitboss.checking.cluster import worker
from pitboss.checking.cluster.cluster_packing import order_of, tar_of
from pitboss.compare.results import Report, Verdict
from pitboss.errors import UsageError
from pitboss.machine import processes
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.course_files import with_course_folders
from tests.conftest import ROOT
from tests.counted import resources_in_use

TOYS = ROOT / "tests" / "toy"
CLIENT = "a client"


class RemoteWorker:
    """A job as it is sent to a worker, and the worker's process that runs it."""

    def __init__(self, assignment, **job_options):
        self.job = Job(assignment, assignment.stages, find_conditions(), assignment.name, **job_options)
        self.order = order_of(self.job)

    def facts(self, **changes):
        """The facts that the worker reports about its machine, or its error, for the order with these changes."""
        order = msgspec.msgpack.encode(msgspec.structs.replace(self.order, **changes))
        return msgspec.json.decode(worker.run_in_process(CLIENT, 1, order))

    def answer(self, path, name):
        """The encoded report of the worker on the submission at this path."""
        submission = (name, os.fsencode(path), tar_of(path, follows=False))
        return worker.run_in_process(CLIENT, 1, msgspec.msgpack.encode(self.order), *submission)

    def assert_same_report(self, path, name="ada"):
        """Check a submission here and on the worker, assert that the reports are equal, and return the report."""
        here = check_in_this_process(self.job, path, name)
        assert msgspec.json.decode(self.answer(path, name), type=Report) == here
        return here


@pytest.fixture
def scratch(reachable, monkeypatch):
    """The folder in which the workers' processes create their temporary folders."""
    monkeypatch.setenv("TMPDIR", str(reachable))
    return reachable


@pytest.fixture
def copy_toy(tmp_path, monkeypatch):
    """A function that copies a toy assignment into the current folder, which is the test's temporary folder."""
    monkeypatch.chdir(tmp_path)
    # Another test's modules of these names may still be loaded here, while the worker imports those of this test.
    for module in ("saying", "only_here"):
        sys.modules.pop(module, None)

    def copy(name):
        shutil.copytree(TOYS / name, tmp_path / name)
        return tmp_path / name

    return copy


@pytest.mark.parametrize("is_relative", [False, True], ids=["by its whole path", "by a relative one"])
def test_a_fault_names_the_files_on_this_machine(copy_toy, monkeypatch, is_relative):
    with TemporaryDirectory(dir="/tmp") as short_folder:  # long paths would be shortened in the message
        folder = Path(short_folder, "hello")
        copy_toy("hello").rename(folder)
        monkeypatch.chdir(short_folder)
        (folder / "saying.py").write_text("def hello(console):\n    raise ValueError(__file__)\n\n\ngoodbye = hello\n")
        Path("ada").mkdir()
        Path("ada/hello.py").write_text("input('Number? ')\n")
        report = RemoteWorker(load_assignment(Path("hello") if is_relative else folder)).assert_same_report(
            Path(short_folder, "ada")
        )
        monkeypatch.undo()  # leaves the short folder before it is deleted
    assert report.verdict is Verdict.JUDGE_ERROR
    assert str(folder / "saying.py") in " ".join(report.faults)


@pytest.mark.parametrize("is_outside_cwd", [False, True], ids=["below", "apart"])
def test_a_fault_names_a_module_outside_the_assignment_folder(copy_toy, tmp_path, monkeypatch, is_outside_cwd):
    folder = copy_toy("hello")
    (tmp_path / "elsewhere").mkdir()
    (folder / "saying.py").unlink()
    (tmp_path / "elsewhere" / "saying.py").write_text(
        "def hello(console):\n    raise ValueError\n\n\ngoodbye = hello\n"
    )
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    if is_outside_cwd:
        (tmp_path / "cwd").mkdir()
        monkeypatch.chdir(tmp_path / "cwd")
    remote = RemoteWorker(load_assignment(Path("../hello" if is_outside_cwd else "hello")))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("input('Number? ')\n")
    faults = " ".join(remote.assert_same_report(tmp_path / "ada").faults)
    module_path = tmp_path / "elsewhere" / "saying.py" if is_outside_cwd else Path("elsewhere/saying.py")
    assert f": {module_path}:2: the reference of 'hello' failed" in faults


@pytest.mark.slow
@pytest.mark.needs("C++")
def test_course_files_passed_by_option_are_sent(tmp_path):
    assignment = load_assignment(ROOT / "specs" / "ece2036")
    shutil.copytree(assignment.folder / "given", tmp_path / "given")
    (tmp_path / "given" / "Card.h").write_text("#error another one\n")
    changed_assignment = with_course_folders(
        assignment, [f"blackjack={tmp_path / 'given'}", f"double={tmp_path / 'given'}"]
    )
    report = RemoteWorker(changed_assignment).assert_same_report(ROOT / "examples" / "ece2036" / "vera")
    assert report.verdict is Verdict.COMPILE_ERROR
    assert "another one" in report.stages[0].build_messages


def test_programs_and_files_that_the_assignment_uses_are_sent(copy_toy, tmp_path):
    remote = RemoteWorker(load_assignment(copy_toy("gradebook")))
    (tmp_path / "ada").mkdir()
    shutil.copy(TOYS / "gradebook" / "programs" / "right.py", tmp_path / "ada" / "gradebook.py")
    assert remote.assert_same_report(tmp_path / "ada").verdict is Verdict.ACCEPTED


def test_a_module_outside_the_assignment_folder_is_sent(copy_toy, tmp_path, monkeypatch):
    folder = copy_toy("hello")
    (tmp_path / "elsewhere").mkdir()
    (folder / "saying.py").rename(tmp_path / "elsewhere" / "saying.py")
    (tmp_path / "elsewhere" / "saying.py").write_text(
        f"import only_here\n{(tmp_path / 'elsewhere' / 'saying.py').read_text()}"
    )
    (tmp_path / "elsewhere" / "only_here.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    remote = RemoteWorker(load_assignment(folder))
    assert remote.order.modules == (str(tmp_path / "elsewhere"),)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("print('Number? ', end='')\nprint(f'Hello, world {input()}!')\n")
    assert remote.assert_same_report(tmp_path / "ada").stages[0].verdict is Verdict.ACCEPTED


def test_folders_files_and_archives_get_the_same_report_as_here(toy, tmp_path):
    remote = RemoteWorker(toy, remarks_on_memory=True)
    correct_program = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
    assert remote.assert_same_report(correct_program).verdict is Verdict.ACCEPTED
    (tmp_path / "eve.c").write_text("int main(void) { return x; }\n")
    assert remote.assert_same_report(tmp_path / "eve.c", "eve.c").verdict is Verdict.COMPILE_ERROR
    shutil.make_archive(str(tmp_path / "bob"), "zip", correct_program)
    assert remote.assert_same_report(tmp_path / "bob.zip", "bob").verdict is Verdict.ACCEPTED
    (tmp_path / "broken.zip").write_bytes(b"PK")
    remote.assert_same_report(tmp_path / "broken.zip", "broken")
    (tmp_path / "empty").mkdir()
    assert remote.assert_same_report(tmp_path / "empty").verdict is Verdict.EMPTY


def test_a_submission_or_an_assignment_can_be_a_link(toy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "linked").symlink_to(TOYS / "teller")
    (tmp_path / "ada").symlink_to(ROOT / "tests" / "submissions" / "ACCEPTED" / "plain")
    report = RemoteWorker(load_assignment(Path("linked"))).assert_same_report(Path("ada"))
    assert (report.assignment, report.verdict) == ("teller", Verdict.ACCEPTED)
    assert report.stages[0].results[0].place.startswith("linked/teller.yaml:")


def test_prints_of_an_assignment_do_not_spoil_the_answer(copy_toy, tmp_path):
    folder = copy_toy("hello")
    (folder / "saying.py").write_text(f"print('imported', flush=True)\n{(folder / 'saying.py').read_text()}")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("print('{}')\n")
    RemoteWorker(load_assignment(folder)).assert_same_report(tmp_path / "ada")


def test_a_program_cannot_write_into_the_answer(toy, tmp_path):
    """The program tries to write to each open descriptor, but all of them belong to its own session."""
    (tmp_path / "ada").mkdir()
    script = "#!/bin/sh\nfor one in 3 4 5 6 7 8 9; do (echo null >&$one) 2> /dev/null; done; true\n"
    (tmp_path / "ada" / "teller.sh").write_text(script)
    remote = RemoteWorker(toy)
    assert remote.assert_same_report(tmp_path / "ada").verdict is Verdict.WRONG_ANSWER


def test_a_check_leaves_no_files_or_processes_behind(toy, scratch):
    remote, before = RemoteWorker(toy), resources_in_use()
    assert remote.answer(ROOT / "tests" / "submissions" / "ACCEPTED" / "plain", "ada").startswith(b'{"assignment"')
    assert list(scratch.iterdir()) == []
    assert worker._running_processes == set()
    assert resources_in_use() == before


def test_stopping_a_client_ends_only_its_own_checks(toy, tmp_path, scratch):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "teller.sh").write_text("#!/bin/sh\nwhile :; do :; done\n")
    remote, answers = RemoteWorker(toy), []
    checking = threading.Thread(target=lambda: answers.append(remote.answer(tmp_path / "ada", "ada")))
    checking.start()
    while not any(scratch.glob("pitboss-run-*/build-*")):  # wait until the check has begun
        assert checking.is_alive()
    worker.stop("another client")
    (process,) = worker._running_processes
    assert process.poll() is None
    worker.stop(CLIENT)
    checking.join()
    assert answers == [b""]
    assert list(scratch.iterdir()) == []


def test_a_check_ends_if_its_worker_is_killed(toy, tmp_path, scratch):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "teller.sh").write_text("#!/bin/sh\nwhile :; do :; done\n")
    remote = RemoteWorker(toy)
    (tmp_path / "order").write_bytes(msgspec.msgpack.encode(remote.order))
    (tmp_path / "content").write_bytes(tar_of(tmp_path / "ada", follows=False))
    code = (
        "import sys; from pathlib import Path; from pitboss.checking.cluster.worker import run_in_process; "
        "run_in_process('', 0, Path('order').read_bytes(), 'ada', sys.argv[1].encode(), Path('content').read_bytes())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "ada")]
    with subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT / "harness")}) as process:
        while not any(scratch.glob("pitboss-run-*/build-*")):
            assert process.poll() is None
        pids = processes.tree([process.pid])
        process.kill()
    while not all(map(processes.is_gone, pids[1:])):
        pass
    assert list(scratch.iterdir()) == []


def test_a_worker_reports_the_same_facts_as_this_machine(toy):
    remote = RemoteWorker(toy)
    facts = remote.facts()
    assert facts == worker.facts_here(remote.job.conditions, ())
    assert {"pitboss", "Python", "msgspec", "system", "cc", "bash", "driver", "sandbox"} <= set(facts)


def test_an_assignment_that_the_worker_cannot_load_is_reported(toy):
    assert "assignment.yaml" in RemoteWorker(toy).facts(folder="/nowhere/other")


def test_the_answer_is_null_if_the_submission_cannot_be_unpacked(toy):
    remote = RemoteWorker(toy)
    order = msgspec.msgpack.encode(remote.order)
    assert worker.run_in_process(CLIENT, 0, order, "ada", b"/nowhere/ada", b"no tar file") == b"null"


def test_the_facts_name_the_versions_of_installed_packages(copy_toy):
    folder = copy_toy("hello")
    (folder / "saying.py").write_text(f"import msgspec\n{(folder / 'saying.py').read_text()}")
    remote = RemoteWorker(load_assignment(folder))
    assert remote.order.installed == ("msgspec",)
    facts = worker.facts_here(remote.job.conditions, ("msgspec", "nothing_of_this_name"))
    assert facts["package msgspec"] == f"msgspec {msgspec.__version__}"
    assert "package nothing_of_this_name" not in facts


def test_long_and_missing_values_are_named_as_differences():
    long_value = "x" * 100
    assert worker.differences({"cc": f"{long_value}1", "ld": "2"}, {"cc": f"{long_value}2"}).startswith("cc is 'xxx")
    assert worker.differences({"ld": "2"}, {}) == "ld is '2' there and missing here"
    assert worker.differences({"ld": "2"}, {"ld": "2"}) == ""


def test_an_assignment_naming_a_file_outside_its_folder_is_not_sent(copy_toy):
    folder = copy_toy("hello")
    spec = folder / "hello.yaml"
    spec.write_text(f"{spec.read_text()}\nx: ../other\n")
    # Loading the changed folder would refuse the unknown key x, so the assignment is loaded from the original one.
    assignment = msgspec.structs.replace(load_assignment(TOYS / "hello"), folder=folder)
    with pytest.raises(UsageError, match=r"^hello cannot be sent to a cluster: .*it may name a file outside of"):
        order_of(Job(assignment, assignment.stages, find_conditions(), "hello"))
