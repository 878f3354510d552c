from types import SimpleNamespace

import pytest

from pitboss.sessions.tracing.traced_session import TracedSession
from pitboss.sessions.tracing.watchdog import SilentState


@pytest.mark.parametrize(("was_unread", "typed_count"), [(True, 0), (False, 1)])
def test_no_line_is_typed_if_the_last_one_was_still_unread(was_unread, typed_count):
    """On a busy machine, the kernel may deliver a typed line only when pitboss checks the terminal for unread input.

    If the program reads the line before the next check, it looks as if it had waited for another line.
    """
    unread, typed = iter([was_unread, False]), []
    session = SimpleNamespace(
        is_over=False,
        session_files=SimpleNamespace(is_over=False),
        family=SimpleNamespace(pid=1, orphans=(), running=lambda: [1]),
        terminal=SimpleNamespace(has_typed_ahead=lambda: next(unread)),
        _timeline=SimpleNamespace(on_tick=lambda: None, real_pause_s=0),
        _watchdog=SimpleNamespace(look=lambda pid, orphans: SilentState.WAITS_FOR_LINE),
        _limits=SimpleNamespace(idle_s=2),
        _quota=SimpleNamespace(is_over=lambda folder, running: False),
        folder="",
        _ending=None,
        _stop_reason=None,
        _exclude_own_suspension=lambda: None,
        _drain=lambda: None,
        _enforce_end=lambda: None,
        _type_next=lambda: typed.append("a line"),
    )
    TracedSession.on_tick(session)
    assert len(typed) == typed_count
