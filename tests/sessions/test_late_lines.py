"""A line that is on its way to a program is not taken for a program that waits for another one."""

from types import SimpleNamespace

import pytest

from pitboss.sessions.tracing.traced_session import TracedSession
from pitboss.sessions.tracing.watchdog import Sign


@pytest.mark.parametrize(("was_unread", "asked"), [(True, 0), (False, 1)])
def test_a_program_that_has_just_read_its_line_is_not_given_the_next(was_unread, asked):
    """What is typed arrives late on a busy machine: by asking for it, and the program reads it before the next question."""
    unread, met = iter([was_unread, False]), []
    session = SimpleNamespace(
        is_over=False,
        session_files=None,
        family=SimpleNamespace(pid=1, orphans=()),
        terminal=SimpleNamespace(has_typed_ahead=lambda: next(unread)),
        _has_not_run=lambda: False,
        _timeline=SimpleNamespace(on_tick=lambda: None, passes_for_s=0),
        _watchdog=SimpleNamespace(look=lambda pid, orphans: Sign.WAITS),
        _limits=SimpleNamespace(idle_s=2),
        _quota=SimpleNamespace(is_over=lambda folder: False),
        folder="",
        _ending=None,
        _stopped=None,
        _drain=lambda: None,
        _see_to_its_end=lambda: None,
        _type_next=lambda: met.append("asked"),
    )
    TracedSession.on_tick(session)
    assert len(met) == asked
