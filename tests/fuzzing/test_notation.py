"""The notation of the spec files: any text is read, or refused with its line."""

from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.notation import NotationError, events_in, notation_of
from tests.fuzzing.sessions import TROUBLE

#: A text as somebody writes it: marks, halves of marks, and anything else.
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
written = st.lists(
    st.one_of(
        st.sampled_from(MARKS),
        st.sampled_from(TROUBLE).map(lambda text: text.decode("utf-8", "replace")),
        st.text(max_size=5),
    ),
    max_size=8,
).map("".join)


def read(text):
    """The events that a text describes, or why it describes none."""
    try:
        return events_in(text)
    except NotationError as error:
        return error


@given(written)
def test_any_text_is_read_or_refused_with_its_line(text):
    found = read(text)
    if isinstance(found, NotationError):
        assert 0 <= found.line <= text.count("\n")
        assert "\n" not in str(found)
    else:
        assert events_in(notation_of(found)) == found
