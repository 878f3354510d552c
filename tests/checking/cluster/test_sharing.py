import operator

import msgspec
import pytest

from pitboss.checking.cluster import sharing, worker
from pitboss.checking.partial import fault_report
from pitboss.compare.results import Report
from pitboss.errors import SessionError, UsageError
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job

FACTS_HERE = {"pitboss": "aaaa", "cc": "gcc 12"}
LOST = "lost"


class FakeFuture:
    """A future of Dask that has its answer at once, or never if the answer is LOST."""

    def __init__(self, answer):
        self.answer = answer

    def add_done_callback(self, function):
        if self.answer is not LOST:
            function(self)

    def result(self, timeout):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class FakeClient:
    """A client of Dask. `workers` has for each address the facts that the worker reports and its function `check`."""

    id = "a client"

    def __init__(self):
        self.workers, self.submitted, self.cores, self.cleanup_calls = {}, [], {}, []

    def add(self, address, *, facts=FACTS_HERE, check=lambda name: encoded_report(name)):
        """Add a worker; its facts may also be an error or bytes, and `check` returns its answer to a submission."""
        self.workers[address] = (facts if isinstance(facts, Exception | bytes) else msgspec.json.encode(facts), check)

    def __call__(self, address):
        return self

    def nthreads(self):
        return dict.fromkeys(self.workers, 1)

    def submit(self, function, *arguments, workers, pure):
        (address,) = workers
        assert not pure
        if function is not operator.call:  # it looks up a function by its name: here the name stands for the function
            return arguments[0]
        called, client, core, order, *submission = arguments
        assert (called, client) == ("pitboss.checking.cluster.worker:run_in_process", self.id)
        assert msgspec.msgpack.decode(order)["folder"].endswith("teller")
        self.cores[address] = core
        if not submission:
            return FakeFuture(self.workers[address][0])
        self.submitted.append((address, submission[0]))
        answer = self.workers[address][1](submission[0])
        if answer is LOST:
            del self.workers[address]
        return FakeFuture(answer)

    def cancel(self, futures, force):
        assert force
        self.cleanup_calls.append(("cancel", len(futures)))

    def run(self, function, client, on_error):
        self.cleanup_calls.append((function, client))

    def close(self, timeout):
        self.cleanup_calls.append("close")


def encoded_report(name):
    """A report on the submission of this name, as a worker sends it."""
    return msgspec.json.encode(Report("teller", "A bank teller", name, ()))


@pytest.fixture
def fake_client(monkeypatch):
    """A client without workers, which replaces Dask's; this machine has the facts FACTS_HERE."""
    fake_client = FakeClient()
    monkeypatch.setattr(sharing, "connect_client", fake_client)
    monkeypatch.setattr(sharing, "_LOOK_S", 0.01)
    monkeypatch.setattr(worker, "facts_here", lambda conditions, installed: FACTS_HERE)
    return fake_client


@pytest.fixture
def job(toy):
    return Job(toy, toy.stages, Conditions("watched", Sandbox(Level.NONE)), "teller")


@pytest.fixture
def share_class(fake_client, job, tmp_path):
    """A function that starts checking a class of these names; the messages are collected in `share_class.messages`."""

    def share(*names):
        for name in names:
            (tmp_path / name).mkdir()
        return sharing.ClusterCheck(
            "tcp://x:1", job, {name: (tmp_path / name, name) for name in names}, share.messages.append
        )

    share.messages = []
    return share


def test_each_submission_is_checked_once_and_workers_are_freed(fake_client, share_class):
    fake_client.add("tcp://a:1")
    fake_client.add("tcp://a:2")
    class_check = share_class("ada", "bob", "eve")
    reports = dict(class_check.reports())
    class_check.close()
    assert {name: report.submission for name, report in reports.items()} == {"ada": "ada", "bob": "bob", "eve": "eve"}
    assert sorted(name for _, name in fake_client.submitted) == ["ada", "bob", "eve"]
    assert fake_client.cleanup_calls == [("cancel", 0), (worker.stop, fake_client.id), "close"]
    assert share_class.messages == []


def test_a_worker_with_other_versions_is_reported_and_not_used(fake_client, share_class):
    fake_client.add("tcp://a:1", facts={"pitboss": "aaaa", "cc": "gcc 13", "bwrap": "0.8"})
    fake_client.add("tcp://b:1", facts=ImportError("no pitboss"))
    fake_client.add("tcp://c:1", facts={"pitboss": "aaaa"})
    fake_client.add("tcp://d:1")
    class_check = share_class("ada", "bob")
    assert len(dict(class_check.reports())) == 2
    class_check.close()
    assert {address for address, _ in fake_client.submitted} == {"tcp://d:1"}
    assert sorted(share_class.messages) == [
        "tcp://a:1 is not used: cc is 'gcc 13' there and 'gcc 12' here, bwrap is '0.8' there and missing here",
        "tcp://b:1 is not used: pitboss does not answer there: ImportError: no pitboss",
        "tcp://c:1 is not used: cc is missing there and 'gcc 12' here",
    ]


def test_nothing_is_run_if_all_workers_differ(fake_client, share_class):
    fake_client.add("tcp://a:1", facts={})
    with pytest.raises(SessionError, match=r"^no worker of tcp://x:1 may grade, and nothing was run$"):
        list(share_class("ada").reports())
    assert fake_client.submitted == []


def test_the_submission_of_a_lost_worker_goes_to_another_worker(fake_client, share_class):
    fake_client.add("tcp://a:1", check=lambda name: LOST)
    fake_client.add("tcp://b:1")
    assert {name: report.submission for name, report in share_class("ada", "bob").reports()} == {
        "ada": "ada",
        "bob": "bob",
    }
    assert len(fake_client.submitted) == 3


def test_a_submission_that_loses_three_workers_is_reported_as_a_fault(fake_client, share_class, job):
    for number in range(5):
        fake_client.add(f"tcp://a:{number}", check=lambda name: LOST if name == "eve" else encoded_report(name))
    reports = dict(share_class("ada", "bob", "eve").reports())
    assert [name for _, name in fake_client.submitted].count("eve") == 3
    assert reports["eve"] == fault_report(job, "eve", "3 workers of the cluster were lost while they checked it")
    assert reports["ada"].submission == "ada"


def test_a_worker_whose_answer_is_unreadable_is_tried_again(fake_client, share_class):
    answers = [b"", b"\xc1"]
    fake_client.add("tcp://a:1", check=lambda name: answers.pop() if answers else encoded_report(name))
    assert [name for name, _ in share_class("ada").reports()] == ["ada"]
    assert len(fake_client.submitted) == 3


def test_a_worker_that_joins_late_is_used_only_if_its_versions_match(fake_client, share_class):
    def add_workers(name):
        if "tcp://b:1" not in fake_client.workers:
            fake_client.add("tcp://b:1", facts={})
            fake_client.add("tcp://c:1")
        return encoded_report(name)

    fake_client.add("tcp://a:1", check=add_workers)
    assert len(dict(share_class(*"abcdefgh").reports())) == 8
    assert {address for address, _ in fake_client.submitted} == {"tcp://a:1", "tcp://c:1"}


def test_without_workers_the_error_says_how_many_reports_are_saved(fake_client, share_class, monkeypatch):
    monkeypatch.setattr(sharing, "MAX_TIME_WITHOUT_WORKERS_S", 0.01)
    fake_client.add("tcp://a:1", check=lambda name: LOST if name == "bob" else encoded_report(name))
    sentence = (
        r"^tcp://x:1 has had no worker that may grade for 0\.01 seconds; "
        r"1 of 2 submissions were checked by then, and their reports are saved$"
    )
    with pytest.raises(SessionError, match=sentence):
        list(share_class("ada", "bob").reports())


def test_a_submission_that_cannot_be_sent_is_left_for_this_machine(fake_client, share_class, tmp_path):
    fake_client.add("tcp://a:1", check=lambda name: b"null" if name == "ada" else encoded_report(name))
    class_check = share_class("ada", "bob", "eve")
    (tmp_path / "bob").rmdir()
    assert [name for name, _ in class_check.reports()] == ["eve"]
    assert sorted(class_check.keys_for_this_machine) == ["ada", "bob"]
    assert sorted(share_class.messages) == [
        "ada is checked on this machine: its report cannot be sent",
        "bob is checked on this machine: it cannot be read: No such file or directory",
    ]


def test_each_worker_is_given_a_different_core(fake_client, share_class):
    for address in ("tcp://a:1", "tcp://a:2", "tcp://b:1"):
        fake_client.add(address)
    list(share_class("ada", "bob", "eve").reports())
    assert fake_client.cores == {"tcp://a:1": 0, "tcp://a:2": 1, "tcp://b:1": 2}


def test_a_worker_that_answers_without_facts_is_reported_and_not_used(fake_client, share_class):
    fake_client.add("tcp://a:1", facts="there is no bubblewrap")
    fake_client.add("tcp://b:1", facts=7)
    fake_client.add("tcp://c:1", facts=b"")
    with pytest.raises(SessionError, match="no worker of tcp://x:1 may grade"):
        list(share_class("ada").reports())
    assert share_class.messages[0] == "tcp://a:1 is not used: there is no bubblewrap"
    assert share_class.messages[1].startswith("tcp://b:1 is not used: pitboss does not answer there: ValidationError: ")
    assert share_class.messages[2] == (
        "tcp://c:1 is not used: pitboss ended there before it answered; the log of the worker says why"
    )


def test_a_lost_scheduler_is_reported_with_the_number_of_saved_reports(fake_client, share_class):
    def break_scheduler(name):
        fake_client.nthreads = lambda: 1 / 0
        return encoded_report(name)

    fake_client.add("tcp://a:1", check=break_scheduler)
    sentence = r"^the Dask scheduler at tcp://x:1 is gone: division by zero; 1 of 2 submissions were checked by then"
    with pytest.raises(SessionError, match=sentence):
        list(share_class("ada", "bob").reports())


def test_outstanding_submissions_are_cancelled_before_workers_are_freed(fake_client, share_class):
    """Otherwise a freed worker would begin the next submission, whose report is no longer wanted."""
    fake_client.add("tcp://a:1")
    fake_client.add("tcp://a:2")
    class_check = share_class("ada", "bob", "eve")
    next(class_check.reports())
    class_check.close()
    assert fake_client.cleanup_calls == [("cancel", 1), (worker.stop, fake_client.id), "close"]


def test_an_assignment_whose_files_are_unknown_is_not_sent(fake_client, toy):
    stage = toy.stages[0]
    command = msgspec.structs.replace(stage.reference, function="", command=("/usr/bin/bc",))
    stages = (msgspec.structs.replace(stage, reference=command), *toy.stages[1:])
    job = Job(msgspec.structs.replace(toy, stages=stages), stages, Conditions("watched", Sandbox(Level.NONE)), "teller")
    with pytest.raises(
        UsageError, match=r"^teller cannot be sent to a cluster: teller: the files that /usr/bin/bc uses are unknown$"
    ):
        sharing.ClusterCheck("tcp://x:1", job, {}, print)
