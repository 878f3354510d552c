from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.notation import NotationError, events_in, notation_of
from tests.fuzzing.sessions import TROUBLE

#: Marks of the notation, and fragments of marks.
MARKS = [
    "<<",
    ">>",
    "<<1>>\n",
    "<pause 2s>",
    "<pause 0.5s>",
    "<pause",
    "<eof>",
    "<no-eol>",
    "\\",
    "\\x",
    "\\x20",
    "\\t",
    "\\<",
    " \n",
]
notation_texts = st.lists(
    st.one_of(
        st.sampled_from(MARKS),
        st.sampled_from(TROUBLE).map(lambda text: text.decode("utf-8", "replace")),
        st.text(max_size=5),
    ),
    max_size=8,
).map("".join)


def read_events(text):
    """The events that a text describes, or the error with which it is refused."""
    try:
        return events_in(text)
    except NotationError as error:
        return error


@given(notation_texts)
def test_any_text_is_read_or_refused_with_the_line_of_its_error(text):
    outcome = read_events(text)
    if isinstance(outcome, NotationError):
        assert 0 <= outcome.line_index <= text.count("\n")
        assert "\n" not in str(outcome)
    else:
        assert events_in(notation_of(outcome)) == outcome
