"""What a worker comes to is what this machine comes to: assignments and submissions as they are sent, without Dask."""

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
from pitboss.compare.results import Report
from pitboss.compare.verdicts import Verdict
from pitboss.errors import UsageError
from pitboss.sandbox import processes
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.course_folder import with_given
from tests.conftest import ROOT
from tests.counted import counted

TOYS = ROOT / "tests" / "toy"
CLIENT = "a client"


class There:
    """A worker that gets a job."""

    def __init__(self, assignment, **more):
        self.job = Job(assignment, assignment.stages, find_conditions(), assignment.name, **more)
        self.order = order_of(self.job)

    def facts(self, **changed):
        """What it says of itself, of this order or a changed one."""
        order = msgspec.msgpack.encode(msgspec.structs.replace(self.order, **changed))
        return msgspec.json.decode(worker.run_in_process(CLIENT, 1, order))

    def answer(self, path, name):
        submission = (name, os.fsencode(path), tar_of(path, follows=False))
        return worker.run_in_process(CLIENT, 1, msgspec.msgpack.encode(self.order), *submission)

    def is_as_here(self, path, name="ada"):
        here, there = (
            check_in_this_process(self.job, path, name),
            msgspec.json.decode(self.answer(path, name), type=Report),
        )
        assert there == here
        return here


@pytest.fixture
def scratch(reachable, monkeypatch):
    """Where the processes of workers have their temporary folders."""
    monkeypatch.setenv("TMPDIR", str(reachable))
    return reachable


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of an assignment, in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    # What another test has imported here is not what its worker imports.
    for module in ("saying", "only_here"):
        sys.modules.pop(module, None)

    def copy(name):
        shutil.copytree(TOYS / name, tmp_path / name)
        return tmp_path / name

    return copy


@pytest.mark.parametrize("is_relative", [False, True], ids=["by its whole path", "by a relative one"])
def test_a_fault_names_the_files_of_here(copied, monkeypatch, is_relative):
    with TemporaryDirectory(dir="/tmp") as short:  # a sentence cuts what is long
        folder = Path(short, "hello")
        copied("hello").rename(folder)
        monkeypatch.chdir(short)
        (folder / "saying.py").write_text("def hello(console):\n    raise ValueError(__file__)\n\n\ngoodbye = hello\n")
        Path("ada").mkdir()
        Path("ada/hello.py").write_text("input('Number? ')\n")
        report = There(load_assignment(Path("hello") if is_relative else folder)).is_as_here(Path(short, "ada"))
        monkeypatch.undo()
    assert report.verdict is Verdict.JUDGE_ERROR
    assert str(folder / "saying.py") in " ".join(report.faults)


@pytest.mark.parametrize("is_apart", [False, True], ids=["below", "apart"])
def test_a_fault_in_a_module_elsewhere(copied, tmp_path, monkeypatch, is_apart):
    folder = copied("hello")
    (tmp_path / "elsewhere").mkdir()
    (folder / "saying.py").unlink()
    (tmp_path / "elsewhere" / "saying.py").write_text(
        "def hello(console):\n    raise ValueError\n\n\ngoodbye = hello\n"
    )
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    if is_apart:
        (tmp_path / "cwd").mkdir()
        monkeypatch.chdir(tmp_path / "cwd")
    there = There(load_assignment(Path("../hello" if is_apart else "hello")))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("input('Number? ')\n")
    faults = " ".join(there.is_as_here(tmp_path / "ada").faults)
    place = tmp_path / "elsewhere" / "saying.py" if is_apart else Path("elsewhere/saying.py")
    assert f": {place}:2: the reference of 'hello' failed" in faults


@pytest.mark.slow
@pytest.mark.needs("C++")
def test_the_files_of_given_are_sent(tmp_path):
    assignment = load_assignment(ROOT / "specs" / "ece2036")
    shutil.copytree(assignment.folder / "given", tmp_path / "given")
    (tmp_path / "given" / "Card.h").write_text("#error another one\n")
    given = with_given(assignment, [f"blackjack={tmp_path / 'given'}", f"double={tmp_path / 'given'}"])
    report = There(given).is_as_here(ROOT / "examples" / "ece2036" / "vera")
    assert report.verdict is Verdict.COMPILE_ERROR
    assert "another one" in report.stages[0].build_messages


def test_what_the_assignment_runs_and_reads_beside_its_specs(copied, tmp_path):
    there = There(load_assignment(copied("gradebook")))
    (tmp_path / "ada").mkdir()
    shutil.copy(TOYS / "gradebook" / "programs" / "right.py", tmp_path / "ada" / "gradebook.py")
    assert there.is_as_here(tmp_path / "ada").verdict is Verdict.ACCEPTED


def test_a_module_outside_of_its_folder_is_sent(copied, tmp_path, monkeypatch):
    folder = copied("hello")
    (tmp_path / "elsewhere").mkdir()
    (folder / "saying.py").rename(tmp_path / "elsewhere" / "saying.py")
    (tmp_path / "elsewhere" / "saying.py").write_text(
        f"import only_here\n{(tmp_path / 'elsewhere' / 'saying.py').read_text()}"
    )
    (tmp_path / "elsewhere" / "only_here.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    there = There(load_assignment(folder))
    assert there.order.modules == (str(tmp_path / "elsewhere"),)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("print('Number? ', end='')\nprint(f'Hello, world {input()}!')\n")
    assert there.is_as_here(tmp_path / "ada").stages[0].verdict is Verdict.ACCEPTED


def test_submissions_of_every_kind(toy, tmp_path):
    there = There(toy, remarks_on_memory=True)
    right = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
    assert there.is_as_here(right).verdict is Verdict.ACCEPTED
    (tmp_path / "eve.c").write_text("int main(void) { return x; }\n")
    assert there.is_as_here(tmp_path / "eve.c", "eve.c").verdict is Verdict.COMPILE_ERROR
    shutil.make_archive(str(tmp_path / "bob"), "zip", right)
    assert there.is_as_here(tmp_path / "bob.zip", "bob").verdict is Verdict.ACCEPTED
    (tmp_path / "broken.zip").write_bytes(b"PK")
    there.is_as_here(tmp_path / "broken.zip", "broken")
    (tmp_path / "empty").mkdir()
    assert there.is_as_here(tmp_path / "empty").verdict is Verdict.EMPTY


def test_a_submission_that_is_a_link_or_whose_assignment_is_one(toy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "linked").symlink_to(TOYS / "teller")
    (tmp_path / "ada").symlink_to(ROOT / "tests" / "submissions" / "ACCEPTED" / "plain")
    report = There(load_assignment(Path("linked"))).is_as_here(Path("ada"))
    assert (report.assignment, report.verdict) == ("teller", Verdict.ACCEPTED)
    assert report.stages[0].results[0].place.startswith("linked/teller.yaml:")


def test_what_is_printed_is_no_part_of_the_answer(copied, tmp_path):
    folder = copied("hello")
    (folder / "saying.py").write_text(f"print('imported', flush=True)\n{(folder / 'saying.py').read_text()}")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("print('{}')\n")
    There(load_assignment(folder)).is_as_here(tmp_path / "ada")


def test_the_answer_is_written_where_no_program_can_write(toy, tmp_path):
    """Each descriptor that a program has is one of its session."""
    (tmp_path / "ada").mkdir()
    script = "#!/bin/sh\nfor one in 3 4 5 6 7 8 9; do (echo null >&$one) 2> /dev/null; done; true\n"
    (tmp_path / "ada" / "teller.sh").write_text(script)
    there = There(toy)
    assert there.is_as_here(tmp_path / "ada").verdict is Verdict.WRONG_ANSWER


def test_nothing_is_left_of_a_check(toy, scratch):
    there, before = There(toy), counted()
    assert there.answer(ROOT / "tests" / "submissions" / "ACCEPTED" / "plain", "ada").startswith(b'{"assignment"')
    assert list(scratch.iterdir()) == []
    assert worker._running == set()
    assert counted() == before


def test_a_client_that_stops_ends_its_own_checks_and_nothing_is_left(toy, tmp_path, scratch):
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "teller.sh").write_text("#!/bin/sh\nwhile :; do :; done\n")
    there, answers = There(toy), []
    waiting = threading.Thread(target=lambda: answers.append(there.answer(tmp_path / "ada", "ada")))
    waiting.start()
    while not any(scratch.glob("pitboss-run-*/build-*")):  # it is being checked
        assert waiting.is_alive()
    worker.stop("another client")
    (process,) = worker._running
    assert process.poll() is None
    worker.stop(CLIENT)
    waiting.join()
    assert answers == [b""]
    assert list(scratch.iterdir()) == []


def test_a_check_ends_with_the_worker(toy, tmp_path, scratch):
    """Also where that is killed."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "teller.sh").write_text("#!/bin/sh\nwhile :; do :; done\n")
    there = There(toy)
    (tmp_path / "order").write_bytes(msgspec.msgpack.encode(there.order))
    (tmp_path / "content").write_bytes(tar_of(tmp_path / "ada", follows=False))
    code = (
        "import sys; from pathlib import Path; from pitboss.checking.cluster.worker import run_in_process; "
        "run_in_process('', 0, Path('order').read_bytes(), 'ada', sys.argv[1].encode(), Path('content').read_bytes())"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "ada")]
    with subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT / "harness")}) as process:
        while not any(scratch.glob("pitboss-run-*/build-*")):
            assert process.poll() is None
        below = processes.tree([process.pid])
        process.kill()
    while not all(map(processes.is_gone, below[1:])):
        pass
    assert list(scratch.iterdir()) == []


def test_what_it_says_of_itself_is_what_this_machine_says(toy):
    there = There(toy)
    facts = there.facts()
    assert facts == worker.facts_here(there.job.conditions, ())
    assert {"pitboss", "Python", "msgspec", "system", "cc", "bash", "driver", "sandbox"} <= set(facts)


def test_what_cannot_be_loaded_there_is_reported(toy):
    assert "assignment.yaml" in There(toy).facts(folder="/nowhere/other")


def test_a_report_that_cannot_be_sent_is_null(toy):
    there = There(toy)
    order = msgspec.msgpack.encode(there.order)
    assert worker.run_in_process(CLIENT, 0, order, "ada", b"/nowhere/ada", b"no tar file") == b"null"


def test_installed_packages_count_by_their_versions(copied):
    folder = copied("hello")
    (folder / "saying.py").write_text(f"import msgspec\n{(folder / 'saying.py').read_text()}")
    there = There(load_assignment(folder))
    assert there.order.installed == ("msgspec",)
    facts = worker.facts_here(there.job.conditions, ("msgspec", "nothing_of_this_name"))
    assert facts["package msgspec"] == f"msgspec {msgspec.__version__}"
    assert "package nothing_of_this_name" not in facts


def test_a_difference_in_what_is_long_or_missing_is_one():
    long = "x" * 100
    assert worker.differences({"cc": f"{long}1", "ld": "2"}, {"cc": f"{long}2"}).startswith("cc is 'xxx")
    assert worker.differences({"ld": "2"}, {}) == "ld is '2' there and missing here"
    assert worker.differences({"ld": "2"}, {"ld": "2"}) == ""


def test_an_assignment_that_leads_out_of_its_folder_is_not_sent(copied):
    folder = copied("hello")
    spec = folder / "hello.yaml"
    spec.write_text(f"{spec.read_text()}\nx: ../other\n")
    assignment = load_assignment(TOYS / "hello")
    assignment = msgspec.structs.replace(assignment, folder=folder)
    with pytest.raises(UsageError, match=r"^hello cannot be sent to a cluster: .*it may name a file outside of"):
        order_of(Job(assignment, assignment.stages, find_conditions(), "hello"))
