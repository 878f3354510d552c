import errno
import os
import signal

import pytest

from pitboss.assignments.cases import Session
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.comparison import difference_between
from pitboss.compare.submission_texts import ObservedSession, remark_on
from pitboss.machine import processes
from pitboss.model.comparison_policy import AcceptedText, FreeText, Policy
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Shown, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import determinism
from pitboss.sessions.programs import Program
from pitboss.sessions.terminal import Terminal
from pitboss.sessions.tracing.driver import TracingDriver
from tests.conftest import ROOT
from tests.counted import resources_in_use


def record_session(path):
    """Run a program without input in a watched session; returns the transcript."""
    with TracingDriver(Program((str(path),), path.parent), Limits(), Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines(()))])
    return transcript


def shell_output(text, folder):
    """The output of a shell script in a watched session."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return record_session(path).text.decode()


def test_a_program_begins_with_no_signal_blocked_or_ignored(reachable):
    """Also while pitboss itself blocks or ignores some; Python ignores SIGPIPE and SIGXFSZ."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM})
    try:
        output = shell_output("grep -E 'Sig(Blk|Ign)' /proc/self/status", reachable)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _, blocked, _, ignored = output.split()
    assert int(blocked, 16) == 0
    assert int(ignored, 16) & ~(3 << 31) == 0  # 32 and 33 are reserved by the C library


def test_a_program_leads_a_session_of_its_own(reachable):
    session, program = shell_output(
        "read -r own _ _ _ _ session _ </proc/self/stat; echo $session $own", reachable
    ).split()
    assert session == program


def test_a_terminal_that_cannot_be_prepared_is_closed(monkeypatch):
    def fail(self):
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    before = resources_in_use()
    monkeypatch.setattr(Terminal, "_prepare", fail)
    with pytest.raises(OSError, match="Cannot allocate memory"):
        Terminal()
    assert resources_in_use() == before


def test_a_free_text_that_was_never_seen_gets_no_remark():
    """The submission's greeting was never seen, so “Yo” gets no remark; its parting, “Ciao”, was seen."""
    free = (FreeText("greeting", "Hello", "line"), FreeText("parting", "Bye", "line"))
    policy = Policy(
        free=free, accepted_texts=(AcceptedText("greeting", b"Hello", is_seen=False), AcceptedText("parting", b"Ciao"))
    )
    expected, actual = (Shown(b"Hello\nBye\n"),), (Shown(b"Yo\nCiao\n"),)
    difference = difference_between(expected, actual, policy)
    assert remark_on(difference, ObservedSession(policy, expected, actual)) is None


def test_each_session_of_a_case_has_a_numbered_name(toy):
    (stage,) = toy.stages
    session = Session(stage, stage.spec.cases[0], number=3)
    assert session.name == "deposit and withdraw #3"


#: One thread sleeps while the main thread computes until the sleep has ended.
SLEEP_BESIDE_A_BUSY_THREAD = """
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


def test_a_sleep_ends_while_another_thread_computes(compiled):
    transcript = record_session(compiled(SLEEP_BESIDE_A_BUSY_THREAD, "-pthread"))
    assert transcript.events == (Shown(b"slept\nseen\n"),)
    assert transcript.ending == exited()


PRINT_TIME = '#include <stdio.h>\n#include <time.h>\nint main(void) { printf("%ld", (long)time(0)); }\n'


def test_sources_of_randomness_that_cannot_be_fixed_are_reported(compiled, monkeypatch):
    path = compiled(PRINT_TIME)
    program = Program((str(path),), path.parent)
    monkeypatch.setattr(determinism.abi, "turn_off_address_randomization", lambda **_: True)
    assert determinism.unfixed_sources_sentence(program) == ""
    monkeypatch.setattr(determinism, "preloaded_library", lambda: None)
    assert determinism.unfixed_sources_sentence(program) == (
        "This machine has no C compiler, which is needed to give programs a fixed time, so they see the real time: "
        "random values that they derive from it differ in each run."
    )
    monkeypatch.setattr(determinism, "may_draw", lambda _: False)
    assert determinism.unfixed_sources_sentence(program) == ""
    monkeypatch.setattr(determinism.abi, "turn_off_address_randomization", lambda **_: False)
    assert determinism.unfixed_sources_sentence(program) == (
        "Addresses cannot be fixed on this machine: random values that a program derives from them differ in each run."
    )


def test_a_program_leaves_no_child_process_behind(reachable):
    before = processes.children(os.getpid())
    assert shell_output("sleep 100 & echo left", reachable) == "left\n"
    assert processes.children(os.getpid()) == before


def test_a_stage_has_the_mistake_descriptions_of_its_assignment():
    (stage,) = load_assignment(ROOT / "tests" / "toy" / "sixes").stages
    assert stage.words is not None and stage.words.path.name == "mistakes.yaml"
    assert [description.id for description in stage.words.words] == ["sixes-forgotten", "six-counts-5"]
