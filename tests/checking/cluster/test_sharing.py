"""Which worker gets which submission, and what becomes of those that workers are lost in: with workers made up here."""

import operator

import msgspec
import pytest

from pitboss.checking.cluster import sharing, worker
from pitboss.checking.reported import fault_report
from pitboss.compare.results import Report
from pitboss.errors import SessionError, UsageError
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job

HERE = {"pitboss": "aaaa", "cc": "gcc 12"}
LOST = "lost"


class Future:
    """What a worker was asked, and what it answers at once; nothing where it is lost meanwhile."""

    def __init__(self, answer):
        self.answer = answer

    def add_done_callback(self, function):
        if self.answer is not LOST:
            function(self)

    def result(self, timeout):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Workers:
    """A client of Dask, and workers by name: each is what it says of itself, and what it answers to a submission."""

    id = "a client"

    def __init__(self):
        self.there, self.asked, self.cores, self.ended = {}, [], {}, []

    def add(self, name, *, facts=HERE, checks=lambda name: report(name)):
        self.there[name] = (facts if isinstance(facts, Exception | bytes) else msgspec.json.encode(facts), checks)

    def __call__(self, address):
        return self

    def nthreads(self):
        return dict.fromkeys(self.there, 1)

    def submit(self, function, *arguments, workers, pure):
        (address,) = workers
        assert not pure
        if function is not operator.call:
            return arguments[0]
        called, client, core, order, *submission = arguments
        assert (called, client) == ("pitboss.checking.cluster.worker:run_in_process", self.id)
        assert msgspec.msgpack.decode(order)["folder"].endswith("teller")
        self.cores[address] = core
        if not submission:
            return Future(self.there[address][0])
        self.asked.append((address, submission[0]))
        answer = self.there[address][1](submission[0])
        if answer is LOST:
            del self.there[address]
        return Future(answer)

    def cancel(self, futures, force):
        assert force
        self.ended.append(("cancel", len(futures)))

    def run(self, function, client, on_error):
        self.ended.append((function, client))

    def close(self, timeout):
        self.ended.append("close")


def report(name):
    return msgspec.json.encode(Report("teller", "A bank teller", name, ()))


@pytest.fixture
def there(monkeypatch):
    made = Workers()
    monkeypatch.setattr(sharing, "connect_client", made)
    monkeypatch.setattr(sharing, "_LOOK_S", 0.01)
    monkeypatch.setattr(worker, "facts_here", lambda conditions, installed: HERE)
    return made


@pytest.fixture
def job(toy):
    return Job(toy, toy.stages, Conditions("watched", Sandbox(Level.NONE)), "teller")


@pytest.fixture
def shared(there, job, tmp_path):
    """A class of these names that is shared out; what is said meanwhile is in `said`."""

    def share(*names):
        for name in names:
            (tmp_path / name).mkdir()
        return sharing.ClusterCheck(
            "tcp://x:1", job, {name: (tmp_path / name, name) for name in names}, share.said.append
        )

    share.said = []
    return share


def test_each_is_checked_once_and_the_class_is_taken_back(there, shared):
    there.add("tcp://a:1")
    there.add("tcp://a:2")
    made = shared("ada", "bob", "eve")
    found = dict(made.reports())
    made.close()
    assert {name: one.submission for name, one in found.items()} == {"ada": "ada", "bob": "bob", "eve": "eve"}
    assert sorted(name for _, name in there.asked) == ["ada", "bob", "eve"]
    assert there.ended == [("cancel", 0), (worker.stop, there.id), "close"]
    assert shared.said == []


def test_one_that_differs_gets_nothing_and_is_reported(there, shared):
    there.add("tcp://a:1", facts={"pitboss": "aaaa", "cc": "gcc 13", "bwrap": "0.8"})
    there.add("tcp://b:1", facts=ImportError("no pitboss"))
    there.add("tcp://c:1", facts={"pitboss": "aaaa"})
    there.add("tcp://d:1")
    made = shared("ada", "bob")
    assert len(dict(made.reports())) == 2
    made.close()
    assert {worker for worker, _ in there.asked} == {"tcp://d:1"}
    assert sorted(shared.said) == [
        "tcp://a:1 is not used: cc is 'gcc 13' there and 'gcc 12' here, bwrap is '0.8' there and missing here",
        "tcp://b:1 is not used: pitboss does not answer there: ImportError: no pitboss",
        "tcp://c:1 is not used: cc is missing there and 'gcc 12' here",
    ]


def test_where_all_differ_nothing_is_run(there, shared):
    there.add("tcp://a:1", facts={})
    with pytest.raises(SessionError, match=r"^no worker of tcp://x:1 may grade, and nothing was run$"):
        list(shared("ada").reports())
    assert there.asked == []


def test_what_was_lost_with_a_worker_is_checked_by_another(there, shared):
    there.add("tcp://a:1", checks=lambda name: LOST)
    there.add("tcp://b:1")
    assert {name: one.submission for name, one in shared("ada", "bob").reports()} == {"ada": "ada", "bob": "bob"}
    assert len(there.asked) == 3


def test_what_costs_three_workers_is_a_fault_of_ours(there, shared, job):
    for number in range(5):
        there.add(f"tcp://a:{number}", checks=lambda name: LOST if name == "eve" else report(name))
    found = dict(shared("ada", "bob", "eve").reports())
    assert [name for _, name in there.asked].count("eve") == 3
    assert found["eve"] == fault_report(job, "eve", "3 workers of the cluster were lost while they checked it")
    assert found["ada"].submission == "ada"


def test_one_whose_process_has_ended_is_asked_again(there, shared):
    answers = [b"", b"\xc1"]
    there.add("tcp://a:1", checks=lambda name: answers.pop() if answers else report(name))
    assert [name for name, _ in shared("ada").reports()] == ["ada"]
    assert len(there.asked) == 3


def test_one_that_joins_later_is_compared_first(there, shared):
    def joined(name):
        if "tcp://b:1" not in there.there:
            there.add("tcp://b:1", facts={})
            there.add("tcp://c:1")
        return report(name)

    there.add("tcp://a:1", checks=joined)
    assert len(dict(shared(*"abcdefgh").reports())) == 8
    assert {worker for worker, _ in there.asked} == {"tcp://a:1", "tcp://c:1"}


def test_without_workers_it_gives_up_and_tells_what_is_kept(there, shared, monkeypatch):
    monkeypatch.setattr(sharing, "WITHOUT_WORKERS_S", 0.01)
    there.add("tcp://a:1", checks=lambda name: LOST if name == "bob" else report(name))
    sentence = (
        r"^tcp://x:1 has had no worker that may grade for 0\.01 seconds; "
        r"1 of 2 submissions were checked by then, and their reports are saved$"
    )
    with pytest.raises(SessionError, match=sentence):
        list(shared("ada", "bob").reports())


def test_what_cannot_be_sent_is_left_for_this_machine(there, shared, tmp_path):
    there.add("tcp://a:1", checks=lambda name: b"null" if name == "ada" else report(name))
    made = shared("ada", "bob", "eve")
    (tmp_path / "bob").rmdir()
    assert [name for name, _ in made.reports()] == ["eve"]
    assert made.left == ["ada", "bob"] or made.left == ["bob", "ada"]
    assert sorted(shared.said) == [
        "ada is checked on this machine: its report cannot be sent",
        "bob is checked on this machine: it cannot be read: No such file or directory",
    ]


def test_each_worker_of_a_machine_keeps_to_a_core_of_its_own(there, shared):
    for name in ("tcp://a:1", "tcp://a:2", "tcp://b:1"):
        there.add(name)
    list(shared("ada", "bob", "eve").reports())
    assert there.cores == {"tcp://a:1": 0, "tcp://a:2": 1, "tcp://b:1": 2}


def test_one_that_says_why_it_cannot_or_nothing_of_use_gets_nothing(there, shared):
    there.add("tcp://a:1", facts="there is no bubblewrap")
    there.add("tcp://b:1", facts=7)
    there.add("tcp://c:1", facts=b"")
    with pytest.raises(SessionError, match="no worker of tcp://x:1 may grade"):
        list(shared("ada").reports())
    assert shared.said[0] == "tcp://a:1 is not used: there is no bubblewrap"
    assert shared.said[1].startswith("tcp://b:1 is not used: pitboss does not answer there: ValidationError: ")
    assert shared.said[2] == (
        "tcp://c:1 is not used: pitboss ended there before it answered; the log of the worker says why"
    )


def test_a_scheduler_that_vanishes_is_reported_with_what_is_kept(there, shared):
    def vanishing(name):
        there.nthreads = lambda: 1 / 0
        return report(name)

    there.add("tcp://a:1", checks=vanishing)
    sentence = r"^the Dask scheduler at tcp://x:1 is gone: division by zero; 1 of 2 submissions were checked by then"
    with pytest.raises(SessionError, match=sentence):
        list(shared("ada", "bob").reports())


def test_what_is_outstanding_is_cancelled_before_workers_are_freed(there, shared):
    """A worker that is free sooner would begin the next submission of a class that nobody waits for."""
    there.add("tcp://a:1")
    there.add("tcp://a:2")
    made = shared("ada", "bob", "eve")
    next(made.reports())
    made.close()
    assert there.ended == [("cancel", 1), (worker.stop, there.id), "close"]


def test_an_assignment_that_may_need_anything_is_not_sent(there, toy):
    stage = toy.stages[0]
    command = msgspec.structs.replace(stage.reference, function="", command=("/usr/bin/bc",))
    stages = (msgspec.structs.replace(stage, reference=command), *toy.stages[1:])
    job = Job(msgspec.structs.replace(toy, stages=stages), stages, Conditions("watched", Sandbox(Level.NONE)), "teller")
    with pytest.raises(
        UsageError, match=r"^teller cannot be sent to a cluster: teller: the files that /usr/bin/bc uses are unknown$"
    ):
        sharing.ClusterCheck("tcp://x:1", job, {}, print)
