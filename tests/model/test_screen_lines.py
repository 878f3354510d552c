from itertools import chain

from hypothesis import assume, given

from pitboss.model.transcript import (
    InputEnded,
    Paused,
    Shown,
    Typed,
    canonical,
    count_ended_lines,
    events_of_flat,
    flat,
    is_ended,
    last_line,
    lines_of,
    unfinished_line,
)
from tests.fuzzing.sessions import events


def lines_by_definition(session):
    """The lines of a session, found byte by byte; the last line has not ended, and may be empty."""
    lines = [[]]
    for event in session:
        for piece in [Shown(bytes([byte])) for byte in event.text] if isinstance(event, Shown) else [event]:
            lines[-1].append(piece)
            if piece == Shown(b"\n") or isinstance(piece, Typed):
                lines.append([])
    return [canonical(line) for line in lines]


@given(events)
def test_lines_agree_with_the_definition(session):
    *ended, unfinished = lines_by_definition(session)
    assert lines_of(session) == [*ended, *([unfinished] if unfinished else [])]
    assert unfinished_line(session) == unfinished
    assert last_line(session) == b"".join(event.text for event in unfinished if isinstance(event, Shown))
    assert count_ended_lines(session) == len(ended)
    assert all(map(is_ended, ended)) and not (unfinished and is_ended(unfinished))


@given(events)
def test_a_flat_session_and_the_joined_lines_are_the_session(session):
    assert events_of_flat(flat(session)) == session
    assert canonical(chain.from_iterable(lines_of(session))) == session


@given(events, events)
def test_text_split_over_two_events_gives_the_same_lines(first, second):
    """Two pauses in a row, and two ends of input, are left out: the canonical form joins them, which changes a line."""
    neighbours = [type(event) for event in (*first[-1:], *second[:1])]
    assume(neighbours not in ([Paused, Paused], [InputEnded, InputEnded]))
    assert lines_of((*first, *second)) == lines_of(canonical((*first, *second)))
