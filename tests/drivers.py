"""Tracing drivers for each sandbox that tests use, and a function that runs a program's sessions under one of them."""

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.tracing.bubblewrap import InhabitedBubblewrap
from pitboss.sessions.tracing.driver import AT_ONCE, TracingDriver

LIMITS = Limits(cpu_s=1, idle_s=2, memory_mb=128, output_kb=128, processes=16)


class InhabitedBubblewrapDriver(TracingDriver):
    """A driver that keeps a process inside the bubblewrap, as the driver of ordinary users does."""

    def _new_bubblewrap(self, readable):
        return InhabitedBubblewrap(readable, self._launchers_left)


SANDBOXES = {
    "none": (TracingDriver, Level.NONE),
    "Landlock": (TracingDriver, Level.LANDLOCK),
    "bubblewrap": (TracingDriver, Level.BUBBLEWRAP),
    "bubblewrap with a process inside": (InhabitedBubblewrapDriver, Level.BUBBLEWRAP),
}


def run_sessions(program, environment_seeds, *, sandbox="Landlock", lines=(), limits=LIMITS, at_once=AT_ONCE):
    """The transcripts of a program's sessions, one for each of these environment seeds, in the order of the seeds."""
    driver, level = SANDBOXES[sandbox]
    with driver(program, limits, Sandbox(level), at_once=at_once) as sessions:
        transcripts = dict(
            sessions.sessions(Script(script_of_lines(lines), environment_seed=seed) for seed in environment_seeds)
        )
    return [transcripts[number] for number in range(len(environment_seeds))]


def screens_of(transcripts):
    """The screens of these transcripts; asserts that every program exited with code 0."""
    assert {transcript.ending for transcript in transcripts} == {exited()}
    return [transcript.text.decode() for transcript in transcripts]
