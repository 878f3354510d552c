from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.transcript import InputEnded, Paused, Shown, Transcript, Typed, canonical

events = st.lists(
    st.one_of(
        st.binary(max_size=3).map(Shown), st.just(Typed(b"x")), st.integers(0, 9).map(Paused), st.just(InputEnded())
    )
)


@given(events)
def test_the_canonical_form_is_the_same_again(session):
    assert canonical(canonical(session)) == canonical(session)


@given(events)
def test_the_canonical_form_shows_and_pauses_as_much(session):
    def totals(some):
        return (
            b"".join(event.text for event in some if isinstance(event, Shown)),
            sum(event.duration_ms for event in some if isinstance(event, Paused)),
            sum(isinstance(event, Typed) for event in some),
        )

    assert totals(canonical(session)) == totals(session)


def test_two_sleeps_of_a_second_are_one_of_two():
    assert canonical((Paused(1000), Shown(b""), Paused(1000))) == (Paused(2000),)


def test_typed_lines_and_text_are_distinguished():
    transcript = Transcript((Shown(b"a? "), Typed(b"1"), Shown(b"b\n"), Typed(b"2")))
    assert (transcript.lines, transcript.text) == ((b"1", b"2"), b"a? b\n")
