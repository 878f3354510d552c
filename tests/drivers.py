"""Drivers that tests run sessions with, and sessions of one program under each of them."""

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.tracing.bubblewrap import InhabitedBubblewrap
from pitboss.sessions.tracing.driver import AT_ONCE, TracingDriver

LIMITS = Limits(cpu_s=1, idle_s=2, memory_mb=128, output_kb=128, processes=16)


class DriverInside(TracingDriver):
    """One that has a process inside the bubblewrap, as ordinary users do."""

    def _new_bubblewrap(self, readable):
        return InhabitedBubblewrap(readable, self._launchers_left)


SANDBOXES = {
    "none": (TracingDriver, Level.NONE),
    "Landlock": (TracingDriver, Level.LANDLOCK),
    "bubblewrap": (TracingDriver, Level.BUBBLEWRAP),
    "bubblewrap with a process inside": (DriverInside, Level.BUBBLEWRAP),
}


def held(program, worlds, *, sandbox="Landlock", lines=(), limits=LIMITS, at_once=AT_ONCE):
    """The sessions with these worlds, in their order."""
    driver, level = SANDBOXES[sandbox]
    with driver(program, limits, Sandbox(level), at_once=at_once) as sessions:
        output = dict(sessions.sessions(Script(typing(lines), environment_seed=world) for world in worlds))
    return [output[number] for number in range(len(worlds))]


def texts(transcripts):
    """What they show; all have exited."""
    assert {transcript.ending for transcript in transcripts} == {exited()}
    return [transcript.text.decode() for transcript in transcripts]
