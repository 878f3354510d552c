"""What mutants showed that no other test holds: one test each."""

import errno
import os
import signal

import pytest

from pitboss.assignments.cases import Session
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.comparison import difference_between
from pitboss.compare.submission_texts import ObservedSession, remark_on
from pitboss.model.comparison_policy import AcceptedText, FreeText, Policy
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Shown, exited
from pitboss.sandbox import processes
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import preloading
from pitboss.sessions.programs import Program
from pitboss.sessions.terminal import Terminal
from pitboss.sessions.tracing.driver import TracingDriver
from tests.conftest import ROOT
from tests.counted import counted


def held(path):
    """The transcript of a watched session of a program."""
    with TracingDriver(Program((str(path),), path.parent), Limits(), Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([Script(typing(()))])
    return transcript


def shown_by(text, folder):
    """What a shell script shows in a watched session."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return held(path).text.decode()


def test_a_program_begins_with_no_signal_blocked_or_ignored(reachable):
    """Whatever we block and ignore: Python ignores SIGPIPE and SIGXFSZ."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
    try:
        output = shown_by("grep -E 'Sig(Blk|Ign)' /proc/self/status", reachable)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _, blocked, _, ignored = output.split()
    assert int(blocked, 16) == 0
    assert int(ignored, 16) & ~(3 << 31) == 0  # 32 and 33 are the C library's own, which has no program get them


def test_a_program_leads_a_session_of_its_own(reachable):
    session, program = shown_by("read -r own _ _ _ _ session _ </proc/self/stat; echo $session $own", reachable).split()
    assert session == program


def test_a_terminal_that_cannot_be_prepared_is_closed(monkeypatch):
    def fails(self):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    before = counted()
    monkeypatch.setattr(Terminal, "_prepare", fails)
    with pytest.raises(OSError, match="Cannot allocate memory"):
        Terminal()
    assert counted() == before


def test_of_a_free_text_that_nobody_knows_nothing_is_remarked():
    """Nothing is the empty text: who asks compares with it."""
    free = (FreeText("greeting", "Hello", "line"), FreeText("parting", "Bye", "line"))
    policy = Policy(
        free=free, accepted_texts=(AcceptedText("greeting", b"Hello", is_seen=False), AcceptedText("parting", b"Ciao"))
    )
    expected, actual = (Shown(b"Hello\nBye\n"),), (Shown(b"Yo\nCiao\n"),)
    difference = difference_between(expected, actual, policy)
    assert remark_on(difference, ObservedSession(policy, expected, actual)) is None


def test_each_of_several_sessions_of_a_case_has_a_name_that_can_be_asked_for(toy):
    (stage,) = toy.stages
    session = Session(stage, stage.spec.cases[0], number=3)
    assert session.name == "deposit and withdraw #3"


#: A thread sleeps, and another computes until that has slept.
SLEEPS_BESIDE = """
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int has_slept;
static void *sleeps(void *_) { usleep(50000); puts("slept"); has_slept = 1; return 0; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, sleeps, 0);
    while (!has_slept) { }
    pthread_join(thread, 0);
    puts("seen");
}
"""


def test_a_sleep_ends_once_another_thread_has_computed_for_as_long(compiled):
    transcript = held(compiled(SLEEPS_BESIDE, "-pthread"))
    assert transcript.events == (Shown(b"slept\nseen\n"),)
    assert transcript.ending == exited()


DRAWS = '#include <stdio.h>\n#include <time.h>\nint main(void) { printf("%ld", (long)time(0)); }\n'


def test_what_a_program_draws_from_is_fixed_where_there_is_a_compiler_and_reported_where_not(compiled, monkeypatch):
    path = compiled(DRAWS)
    program = Program((str(path),), path.parent)
    monkeypatch.setattr(preloading.abi, "may_fix_addresses", lambda: True)
    assert preloading.what_is_not_fixed(program) == ""
    monkeypatch.setattr(preloading, "built", lambda: None)
    assert preloading.what_is_not_fixed(program) == (
        "This machine has no C compiler, which is needed to give programs a fixed time, so they see the real time: "
        "random values that they derive from it differ in each run."
    )
    monkeypatch.setattr(preloading, "may_draw", lambda _: False)
    assert preloading.what_is_not_fixed(program) == ""
    monkeypatch.setattr(preloading.abi, "may_fix_addresses", lambda: False)
    assert preloading.what_is_not_fixed(program) == (
        "Addresses cannot be fixed on this machine: random values that a program derives from them differ in each run."
    )


def test_no_process_of_a_program_is_left_to_be_waited_for(reachable):
    before = processes.children(os.getpid())
    assert shown_by("sleep 100 & echo left", reachable) == "left\n"
    assert processes.children(os.getpid()) == before


def test_a_stage_has_the_words_of_its_assignments_mistakes():
    (stage,) = load_assignment(ROOT / "tests" / "toy" / "sixes").stages
    assert stage.words is not None and stage.words.path.name == "mistakes.yaml"
    assert [one.id for one in stage.words.words] == ["sixes-forgotten", "six-counts-5"]
