"""Which worker gets which submission, and what becomes of those that workers are lost in: with workers made up here."""

from types import SimpleNamespace

import msgspec
import pytest

from pitboss.checking.cluster import connection, remote, sharing
from pitboss.checking.cluster.connection import Connection, Pending
from pitboss.checking.cluster.messages import Checked, Ready, asked_in, encoded
from pitboss.checking.reported import fault_report
from pitboss.compare.results import Report
from pitboss.errors import SessionError, UsageError
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job

HERE = {"pitboss": "aaaa", "cc": "gcc 12"}
LOST = "lost"


class Future:
    def __init__(self, value):
        self.value = value

    def done(self):
        return self.value is not None


class Workers:
    """Workers by name: each is what it answers to being looked for, to being asked what it is, and to a submission."""

    def __init__(self):
        self.there, self.asked, self.closed = {}, [], []

    def add(self, name, *, found="", facts=HERE, checks=lambda check: report(check.name)):
        self.there[name] = (found, encoded(Ready(facts)), checks)

    def __call__(self, address):
        return self

    def workers(self):
        return sorted(self.there)

    def look(self, worker):
        return Pending(Future(self.there[worker][0] or "fine"))

    def begin(self, worker, key, message):
        return Pending(Future(self.there[worker][1]))

    def check(self, worker, key, message):
        check = asked_in(message)
        self.asked.append((worker, check.name))
        found = self.there[worker][2](check)
        if found is LOST:
            del self.there[worker]
            return Pending(Future(None))
        return Pending(Future(found))

    def wait(self, asked, most_s):
        pass

    def cancel(self, asked):
        pass

    def refusal(self, pending):
        return "" if pending.future.value == "fine" else pending.future.value

    def answer(self, pending):
        return pending.future.value

    def close(self, asked, key, workers):
        self.closed += workers


def report(name):
    return encoded(Checked(msgspec.msgpack.encode(Report("teller", "A bank teller", name, ()))))


@pytest.fixture
def there(monkeypatch):
    made = Workers()
    monkeypatch.setattr(sharing, "Connection", made)
    monkeypatch.setattr(sharing, "facts_here", lambda conditions, installed: HERE)
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
        made = sharing.Sharing("tcp://x:1", job, {name: (tmp_path / name, name) for name in names}, share.said.append)
        return made

    share.said = []
    return share


def test_each_is_checked_once_and_the_class_is_taken_back(there, shared):
    there.add("tcp://a:1")
    there.add("tcp://a:2")
    made = shared("ada", "bob", "eve")
    found = dict(made.each())
    made.close()
    assert {name: one.submission for name, one in found.items()} == {"ada": "ada", "bob": "bob", "eve": "eve"}
    assert sorted(name for _, name in there.asked) == ["ada", "bob", "eve"]
    assert there.closed == ["tcp://a:1", "tcp://a:2"]
    assert shared.said == []


def test_one_that_differs_gets_nothing_and_is_told(there, shared):
    there.add("tcp://a:1", facts={"pitboss": "aaaa", "cc": "gcc 13", "bwrap": "0.8"})
    there.add("tcp://b:1", found="ImportError: no pitboss")
    there.add("tcp://c:1", facts={"pitboss": "aaaa"})
    there.add("tcp://d:1")
    made = shared("ada", "bob")
    assert len(dict(made.each())) == 2
    made.close()
    assert {worker for worker, _ in there.asked} == {"tcp://d:1"}
    assert sorted(shared.said) == [
        "tcp://a:1 grades nothing: cc is 'gcc 13' there and 'gcc 12' here, bwrap is '0.8' there and missing here",
        "tcp://b:1 grades nothing: pitboss cannot be asked there: ImportError: no pitboss",
        "tcp://c:1 grades nothing: cc is missing there and 'gcc 12' here",
    ]
    assert there.closed == ["tcp://a:1", "tcp://c:1", "tcp://d:1"]


def test_where_all_differ_nothing_is_run(there, shared):
    there.add("tcp://a:1", facts={})
    with pytest.raises(SessionError, match=r"^no worker of tcp://x:1 may grade, and nothing was run$"):
        list(shared("ada").each())
    assert there.asked == []


def test_what_was_lost_with_a_worker_is_checked_by_another(there, shared):
    there.add("tcp://a:1", checks=lambda check: LOST)
    there.add("tcp://b:1")
    assert {name: one.submission for name, one in shared("ada", "bob").each()} == {"ada": "ada", "bob": "bob"}
    assert len(there.asked) == 3


def test_what_costs_three_workers_is_a_fault_of_ours(there, shared, job):
    for number in range(5):
        there.add(f"tcp://a:{number}", checks=lambda check: LOST if check.name == "eve" else report(check.name))
    found = dict(shared("ada", "bob", "eve").each())
    assert [name for _, name in there.asked].count("eve") == 3
    assert found["eve"] == fault_report(job, "eve", "3 workers of the cluster were lost while they checked it")
    assert found["ada"].submission == "ada"


def test_one_whose_server_has_ended_is_asked_anew(there, shared):
    answers = [b"", b"\xc1"]
    there.add("tcp://a:1", checks=lambda check: answers.pop() if answers else report(check.name))
    assert [name for name, _ in shared("ada").each()] == ["ada"]
    assert len(there.asked) == 3


def test_one_that_joins_later_is_compared_first(there, shared):
    def joined(check):
        if "tcp://b:1" not in there.there:
            there.add("tcp://b:1", facts={})
            there.add("tcp://c:1")
        return report(check.name)

    there.add("tcp://a:1", checks=joined)
    assert len(dict(shared(*"abcdefgh").each())) == 8
    assert {worker for worker, _ in there.asked} == {"tcp://a:1", "tcp://c:1"}


def test_without_workers_it_gives_up_and_tells_what_is_kept(there, shared, monkeypatch):
    monkeypatch.setattr(sharing, "WITHOUT_WORKERS_S", 0.01)
    there.add("tcp://a:1", checks=lambda check: LOST if check.name == "bob" else report(check.name))
    sentence = (
        r"^tcp://x:1 has had no worker that may grade for 0\.01 seconds; "
        r"1 of 2 submissions were checked by then, and are kept$"
    )
    with pytest.raises(SessionError, match=sentence):
        list(shared("ada", "bob").each())


def test_what_cannot_be_sent_is_left_for_this_machine(there, shared, tmp_path):
    there.add("tcp://a:1", checks=lambda check: encoded(Checked()) if check.name == "ada" else report(check.name))
    made = shared("ada", "bob", "eve")
    (tmp_path / "bob").rmdir()
    assert [name for name, _ in made.each()] == ["eve"]
    assert made.left == ["ada", "bob"] or made.left == ["bob", "ada"]
    assert sorted(shared.said) == [
        "ada: it is checked here: its report cannot be sent",
        "bob: it is checked here: it cannot be read: No such file or directory",
    ]


def test_each_worker_of_a_machine_has_a_number_of_its_own(there, shared):
    numbers = []
    begin = there.begin

    def noted(worker, key, message):
        numbers.append((worker, asked_in(message).number))
        return begin(worker, key, message)

    there.begin = noted
    for name in ("tcp://a:1", "tcp://a:2", "tcp://b:1"):
        there.add(name)
    list(shared("ada").each())
    assert numbers == [("tcp://a:1", 0), ("tcp://a:2", 1), ("tcp://b:1", 0)]


def test_an_assignment_that_may_need_anything_is_not_sent(there, toy):
    stage = toy.stages[0]
    command = msgspec.structs.replace(stage.reference, function="", command=("/usr/bin/bc",))
    stages = (msgspec.structs.replace(stage, reference=command), *toy.stages[1:])
    job = Job(msgspec.structs.replace(toy, stages=stages), stages, Conditions("watched", Sandbox(Level.NONE)), "teller")
    with pytest.raises(
        UsageError, match=r"^teller cannot be sent to a cluster: teller: what /usr/bin/bc runs is not known$"
    ):
        sharing.Sharing("tcp://x:1", job, {}, print)


def test_what_waits_in_a_scheduler_is_cancelled_before_workers_are_freed(monkeypatch):
    """A worker that is free sooner would begin the next submission of a class that nobody waits for."""
    done = []
    client = SimpleNamespace(
        cancel=lambda futures, force: done.append(("cancel", futures)),
        run=lambda function, key, workers, on_error: done.append((function, key, workers)),
        close=lambda timeout: done.append("close"),
    )
    monkeypatch.setattr(connection, "_client", lambda address: client)
    future = Future(None)
    Connection("tcp://a:1").close([Pending(future)], "a class", ["tcp://b:1"])
    assert done == [("cancel", [future]), (remote.released, "a class", ["tcp://b:1"]), "close"]
