"""Transcripts of sessions, and the canonical form of their events."""

from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, canonical

events = st.lists(
    st.one_of(
        st.binary(max_size=3).map(Shown), st.just(Typed(b"x")), st.integers(0, 9).map(Paused), st.just(InputEnded())
    )
)


@given(events)
def test_the_canonical_form_of_a_canonical_form_is_the_same(session):
    assert canonical(canonical(session)) == canonical(session)


@given(events)
def test_the_canonical_form_keeps_text_pauses_and_typed_lines(session):
    def totals(some_events):
        return (
            b"".join(event.text for event in some_events if isinstance(event, Shown)),
            sum(event.duration_ms for event in some_events if isinstance(event, Paused)),
            sum(isinstance(event, Typed) for event in some_events),
        )

    assert totals(canonical(session)) == totals(session)


def test_pauses_with_no_text_between_them_are_added_up():
    assert canonical((Paused(1000), Shown(b""), Paused(1000))) == (Paused(2000),)


def test_a_transcript_separates_typed_lines_from_shown_text():
    transcript = Transcript((Shown(b"a? "), Typed(b"1"), Shown(b"b\n"), Typed(b"2")))
    assert (transcript.lines, transcript.text) == ((b"1", b"2"), b"a? b\n")
