"""Where the lines of a screen begin and end: against a definition that goes by one byte at a time."""

from hypothesis import given

from pitboss.model.screen_lines import (
    ended_lines,
    is_ended,
    last_line,
    lines_of,
    pieces_of,
    unfinished_line,
)
from pitboss.model.transcript import Shown, Typed, canonical
from tests.fuzzing.sessions import events


def simply(session):
    """The lines byte by byte; the last one has not ended, and may be empty."""
    lines = [[]]
    for event in session:
        for piece in [Shown(bytes([one])) for one in event.text] if isinstance(event, Shown) else [event]:
            lines[-1].append(piece)
            if piece == Shown(b"\n") or isinstance(piece, Typed):
                lines.append([])
    return [canonical(line) for line in lines]


@given(events)
def test_lines_are_those_of_the_definition(session):
    *ended, begun = simply(session)
    assert lines_of(session) == [*ended, *([begun] if begun else [])]
    assert unfinished_line(session) == begun
    assert last_line(session) == b"".join(event.text for event in begun if isinstance(event, Shown))
    assert ended_lines(session) == len(ended)
    assert all(map(is_ended, ended)) and not (begun and is_ended(begun))


@given(events)
def test_pieces_are_the_session_again(session):
    pieces = list(pieces_of(session))
    assert canonical(piece for piece, _ in pieces) == session
    assert sum(is_end for _, is_end in pieces) == ended_lines(session)
    assert all(b"\n" not in piece.text[:-1] for piece, _ in pieces if isinstance(piece, Shown))


@given(events, events)
def test_a_text_that_goes_on_in_the_next_event_is_one(one, other):
    assert lines_of((*one, *other)) == lines_of(canonical((*one, *other))) or any(
        not isinstance(event, Shown) and type(event) is type(other[0]) for event in one[-1:]
    )
