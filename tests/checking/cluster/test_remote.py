"""What a worker comes to is what this machine comes to: assignments and submissions as they are sent, without Dask."""

import asyncio
import os
import shutil
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check_here
from pitboss.checking.cluster import remote
from pitboss.checking.cluster.facts import facts_here
from pitboss.checking.cluster.messages import Begin, Checked, Ready, answer_in, encoded
from pitboss.checking.cluster.sending import class_of, submission_of
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


class There:
    """A worker that is ready for a job."""

    def __init__(self, job):
        self.job, self.sent = job, class_of(job)
        self.ready = answer_in(remote.begun(self.sent.key, encoded(Begin(self.sent, 1))))

    def checked(self, path, name):
        """The report on a submission, as it comes back; None for one that cannot be sent."""
        answer = answer_in(remote.checked(self.sent.key, encoded(submission_of(path, name))))
        assert isinstance(answer, Checked)
        return msgspec.msgpack.decode(answer.report, type=Report) if answer.report else None

    def is_as_here(self, path, name="ada"):
        here, there = check_here(self.job, path, name), self.checked(path, name)
        assert msgspec.to_builtins(there) == msgspec.to_builtins(here)
        return here

    @property
    def pids(self):
        """The server, and what is below it."""
        return processes.tree([remote._servers[self.sent.key]._process.pid])


@pytest.fixture
def there(monkeypatch, tmp_path):
    """Make a worker for an assignment, which is gone at the end with all that it was sent."""
    made = []

    def begun(assignment, **more):
        made.append(There(Job(assignment, assignment.stages, find_conditions(), assignment.name, **more)))
        return made[-1]

    yield begun
    for one in made:
        asyncio.run(remote.released(one.sent.key))
    assert remote._servers == {}


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
def test_a_fault_names_the_files_of_here(copied, there, tmp_path, is_relative):
    folder = copied("hello")
    (folder / "saying.py").write_text("def hello(console):\n    raise ValueError(__file__)\n\n\ngoodbye = hello\n")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("input('Number? ')\n")
    report = there(load_assignment(Path("hello") if is_relative else folder)).is_as_here(tmp_path / "ada")
    assert report.verdict is Verdict.JUDGE_ERROR
    assert str(folder / "saying.py") in " ".join(report.faults)


@pytest.mark.parametrize("is_apart", [False, True], ids=["below", "apart"])
def test_a_fault_in_a_module_elsewhere(copied, there, tmp_path, monkeypatch, is_apart):
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
    worker = there(load_assignment(Path("../hello" if is_apart else "hello")))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("input('Number? ')\n")
    faults = " ".join(worker.is_as_here(tmp_path / "ada").faults)
    place = tmp_path / "elsewhere" / "saying.py" if is_apart else Path("elsewhere/saying.py")
    assert f": {place}:2: the reference of 'hello' failed" in faults


@pytest.mark.slow
@pytest.mark.needs("C++")
def test_the_files_of_given_are_sent(there, tmp_path):
    assignment = load_assignment(ROOT / "specs" / "ece2036")
    shutil.copytree(assignment.folder / "given", tmp_path / "given")
    (tmp_path / "given" / "Card.h").write_text("#error another one\n")
    given = with_given(assignment, [f"blackjack={tmp_path / 'given'}", f"double={tmp_path / 'given'}"])
    report = there(given).is_as_here(ROOT / "examples" / "ece2036" / "vera")
    assert report.verdict is Verdict.COMPILE_ERROR
    assert "another one" in report.stages[0].build_messages


def test_what_the_assignment_runs_and_reads_beside_its_specs(copied, there, tmp_path):
    worker = there(load_assignment(copied("gradebook")))
    (tmp_path / "ada").mkdir()
    shutil.copy(TOYS / "gradebook" / "programs" / "right.py", tmp_path / "ada" / "gradebook.py")
    assert worker.is_as_here(tmp_path / "ada").verdict is Verdict.ACCEPTED


def test_a_module_outside_of_its_folder_is_sent(copied, there, tmp_path, monkeypatch):
    folder = copied("hello")
    (tmp_path / "elsewhere").mkdir()
    (folder / "saying.py").rename(tmp_path / "elsewhere" / "saying.py")
    (tmp_path / "elsewhere" / "saying.py").write_text(
        f"import only_here\n{(tmp_path / 'elsewhere' / 'saying.py').read_text()}"
    )
    (tmp_path / "elsewhere" / "only_here.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    worker = there(load_assignment(folder))
    assert sorted(one.name for one in worker.sent.modules) == ["only_here", "saying"]
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "hello.py").write_text("print('Number? ', end='')\nprint(f'Hello, world {input()}!')\n")
    assert worker.is_as_here(tmp_path / "ada").stages[0].verdict is Verdict.ACCEPTED


def test_submissions_of_every_kind(there, toy, tmp_path):
    worker = there(toy, remarks_on_memory=True)
    right = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
    assert worker.is_as_here(right).verdict is Verdict.ACCEPTED
    (tmp_path / "eve.c").write_text("int main(void) { return x; }\n")
    (tmp_path / "eve").touch()
    assert worker.is_as_here(tmp_path / "eve.c", "eve.c").verdict is Verdict.COMPILE_ERROR
    shutil.make_archive(str(tmp_path / "bob"), "zip", right)
    assert worker.is_as_here(tmp_path / "bob.zip", "bob").verdict is Verdict.ACCEPTED
    (tmp_path / "broken.zip").write_bytes(b"PK")
    worker.is_as_here(tmp_path / "broken.zip", "broken")
    (tmp_path / "empty").mkdir()
    assert worker.is_as_here(tmp_path / "empty").verdict is Verdict.EMPTY


def test_one_that_takes_its_process_down_costs_its_own_job(there, toy):
    worker = there(toy)
    right = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
    server, inner = worker.pids
    os.kill(inner, signal.SIGKILL)
    assert worker.is_as_here(right).verdict is Verdict.ACCEPTED
    assert worker.pids[0] == server
    os.kill(server, signal.SIGKILL)
    assert remote.checked(worker.sent.key, encoded(submission_of(right, "ada"))) == b""
    assert remote.checked(worker.sent.key, b"") == b""


def test_what_it_says_of_itself_is_what_this_machine_says(there, toy):
    worker = there(toy)
    assert worker.ready == Ready(facts_here(worker.job.conditions, ()))
    assert {"pitboss", "Python", "msgspec", "system", "cc", "bwrap", "driver", "sandbox"} <= set(worker.ready.facts)


def test_what_cannot_be_loaded_there_is_said(toy):
    sent = class_of(Job(toy, toy.stages, find_conditions(), toy.name))
    wrong = msgspec.structs.replace(sent, resolved="/nowhere/other")
    answer = answer_in(remote.begun(sent.key, encoded(Begin(wrong, 0))))
    asyncio.run(remote.released(sent.key))
    assert answer.facts == {}
    assert "assignment.yaml" in answer.refusal


def test_nothing_stays_open_of_a_class_that_is_over_not_even_where_it_was_busy(toy):
    sent = class_of(Job(toy, toy.stages, find_conditions(), toy.name))
    wrong = msgspec.structs.replace(sent, resolved="/nowhere/other")
    remote._STARTER.submit(int).result()  # this thread stays
    before = counted()
    remote.begun(sent.key, encoded(Begin(wrong, 0)))
    busy = remote._servers[sent.key]  # as a call that waits for an answer has it
    asyncio.run(remote.released(sent.key))
    assert counted() == before
    assert busy.asked(b"anything") == b""


def test_installed_packages_count_by_their_versions(copied, tmp_path):
    folder = copied("hello")
    (folder / "saying.py").write_text(f"import msgspec\n{(folder / 'saying.py').read_text()}")
    assignment = load_assignment(folder)
    sent = class_of(Job(assignment, assignment.stages, find_conditions(), "hello"))
    assert sent.installed == ("msgspec",)
    facts = facts_here(sent.conditions, ("msgspec", "nothing_of_this_name"))
    assert facts["package msgspec"] == f"msgspec {msgspec.__version__}"
    assert facts["package nothing_of_this_name"] == "missing"


def test_an_assignment_that_leads_out_of_its_folder_is_not_sent(copied):
    folder = copied("hello")
    spec = folder / "hello.yaml"
    spec.write_text(f"{spec.read_text()}\nx: ../other\n")
    assignment = load_assignment(TOYS / "hello")
    assignment = msgspec.structs.replace(assignment, folder=folder)
    with pytest.raises(UsageError, match=r"^hello cannot be sent to a cluster: .*it may name a file outside of"):
        class_of(Job(assignment, assignment.stages, find_conditions(), "hello"))
