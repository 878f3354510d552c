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


@given(events, events, st.tuples(st.booleans(), st.booleans()))
def test_an_expected_session_ends_like_another_if_either_may_wait_for_a_key(expected, actual, may_wait_for_key):
    def with_wait(session, may_wait):
        return Transcript(canonical([*session, InputEnded()] if may_wait else session), may_wait_for_key=may_wait)

    def without_end(session):
        return session.events[:-1] if session.events[-1:] == (InputEnded(),) else session.events

    expected, actual = map(with_wait, (expected, actual), may_wait_for_key)
    adapted = expected.ending_like(actual)
    if not any(may_wait_for_key):
        assert adapted == expected
    else:
        assert without_end(adapted) == without_end(expected)
        assert (adapted.events[-1:] == (InputEnded(),)) == (actual.events[-1:] == (InputEnded(),))
        assert adapted.may_wait_for_key == actual.may_wait_for_key
    assert adapted.ending_like(actual) == adapted
