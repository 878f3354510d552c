"""No verdict depends on whether sessions are copies of a program or start it."""

import pytest

from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.grading.check import check
from pitboss.harness.judging import anew
from pitboss.harness.judging.verdicts import Verdict
from pitboss.harness.reports.json_and_csv import check_json
from pitboss.harness.running.drivers import find_conditions
from pitboss.harness.running.job import Job
from tests.conftest import ROOT

HELLO = """
#include <stdio.h>
#include <sys/resource.h>
int main(void)
{
    struct rusage used;
    int n;
    getrusage(RUSAGE_SELF, &used);
    printf("Number? ");
    scanf("%%d", &n);
    printf(%s, n);
    return 0;
}
"""
RIGHT = HELLO % r'"Hello, world %d!\n"'
WRONG = HELLO % r'n % 2 ? "Hello, world %d!\n" : "Hello world %d!\n"'
#: A program that was started has touched more pages than its copies, which have most of them from it.
TELLS = HELLO % r'used.ru_minflt > 45 ? "Hello, world %d!\n" : "Hello, copy %d!\n"'
CRASHES = HELLO % r'n == 50 ? (char *)1 : "Hello, world %d!\n"'


def checked(folder, text, *, start="fork", count=1):
    submission = folder / "ada"
    submission.mkdir(exist_ok=True)
    (submission / "hello.c").write_text(text)
    toy = load_assignment(ROOT / "tests" / "toy" / "hello")
    job = Job(toy, toy.stages[:1], find_conditions("watched", "landlock", start=start), "hello")
    return check(job, submission, count=count)


@pytest.fixture
def held_again(monkeypatch):
    """How many sessions were held again at each time."""
    counts, real = [], anew._are_equal

    def noted(numbers, job, stage, program, held):
        counts.append(len(held))
        return real(numbers, job, stage, program, held)

    monkeypatch.setattr(anew, "_are_equal", noted)
    return counts


@pytest.mark.parametrize("count", [1, 2])
def test_a_program_that_differs_only_as_a_copy_loses_nothing(reachable, count):
    (report,) = checked(reachable, TELLS, count=count).stages
    assert (report.verdict, report.passed, report.total) == (Verdict.ACCEPTED, 100, 100)


def test_as_a_copy_it_would_have_failed(reachable, monkeypatch):
    monkeypatch.setattr(anew, "may_be_copied", lambda program: False)
    (report,) = checked(reachable, TELLS).stages
    assert (report.verdict, report.passed, report.total) == (Verdict.WRONG_ANSWER, 2, 100)


@pytest.mark.parametrize("text", [RIGHT, WRONG, CRASHES], ids=["right", "wrong", "crashes"])
def test_reports_are_the_same_both_ways(reachable, text):
    by_fork = check_json(checked(reachable, text))
    assert by_fork == check_json(checked(reachable, text, start="exec"))


def test_of_many_failed_sessions_ten_and_each_tenth_are_held_again(reachable, held_again):
    (report,) = checked(reachable, WRONG).stages
    assert report.passed == 51
    assert held_again == [1, 10 + 4]  # the first before it is told


def test_what_does_not_fail_is_not_held_again(reachable, held_again):
    checked(reachable, RIGHT)
    checked(reachable, WRONG, start="exec")
    assert held_again == []
