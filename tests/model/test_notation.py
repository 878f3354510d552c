import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.notation import NotationError, events_in, notation_of
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical

pieces = st.sampled_from(
    [
        b" ",
        b" \n",
        b"\n",
        b"<no-eol>",
        b"<eof>",
        b"\\",
        b"<",
        b"<<",
        b">>",
        b"\xc2\xa0",
        "\u2028".encode(),
        b"\t",
        b"x20",
    ]
)
confusing_texts = st.lists(pieces, min_size=1, max_size=4).map(b"".join)
lines = st.one_of(st.binary(), confusing_texts).filter(lambda line: b"\n" not in line)
events = st.lists(
    st.one_of(
        st.binary().map(Shown),
        st.text().map(lambda text: Shown(text.encode("utf-8", "surrogatepass"))),
        confusing_texts.map(Shown),
        lines.map(Typed),
        st.integers(0, 10**7).map(Paused),
        st.just(InputEnded()),
    )
).map(canonical)


@given(events)
def test_reading_a_written_session_gives_the_same_events(session):
    assert events_in(notation_of(session)) == session


@given(events)
def test_writing_a_session_that_was_read_gives_the_same_text(session):
    text = notation_of(session)
    assert notation_of(events_in(text)) == text


@given(events)
def test_every_character_of_the_notation_is_visible(session):
    text = notation_of(session)
    assert all(character == "\n" or character.isprintable() for character in text)
    assert not any(line.endswith(" ") for line in text.split("\n"))


def test_the_notation_looks_like_the_screen():
    text = "Seed: <<3>>\n\n 10♦\nHit? [h/s] <<h>>\n<pause 0.5s>done\\x20\n<eof>\\<b\\\\"
    assert events_in(f"{text}<no-eol>\n") == (
        Shown(b"Seed: "),
        Typed(b"3"),
        Shown("\n 10♦\nHit? [h/s] ".encode()),
        Typed(b"h"),
        Paused(500),
        Shown(b"done \n"),
        InputEnded(),
        Shown(b"<b\\"),
    )
    # On a line of its own, <no-eol> changes nothing: the line before has its end.
    assert events_in(f"{text}\n<no-eol>\n") == events_in(f"{text}\n")
    assert events_in(f"{text}\n")[-1] == Shown(b"<b\\\n")


#: What a message about an unknown mark says of the marks that exist.
FORMS = r"<<a typed line>>, <pause 2s>, <eof>, and <no-eol> at the very end; a plain < is written \<"


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("a\n<pasue 2s>", 1, f"'<pasue 2s>' is not a mark — allowed are {FORMS}; did you mean <pause 2s>?"),
        ("<pause 2>", 0, f"'<pause 2>' is not a mark — allowed are {FORMS}; did you mean <pause 2s>?"),
        ("x < y", 0, f"'< y' is not a mark — allowed are {FORMS}"),
        ("a<<b\n", 0, "'<<b' is not closed on its line — a typed line is written <<like this>>"),
        ("<<b>> c\n", 0, "<<b>> is followed by text on its line — a typed line ends a line"),
        ("a \nb", 0, r"a blank at the end of a line cannot be seen — write the last blank of the line as \x20"),
        ("a\tb", 0, r"a control character (byte 0x09) — write it as \t"),
        ("a\n\x1b[0m", 1, r"a control character (byte 0x1b) — write it as \x1b"),
        ("\\q", 0, r"'\\q' is not an escape — allowed are \<, \\, \t and \xHH"),
        ("a<no-eol>\nb\n", 0, "<no-eol> is not at the very end — it is allowed only there"),
    ],
)
def test_an_error_in_the_notation_is_reported_with_its_line(text, line, sentence):
    with pytest.raises(NotationError) as raised:
        events_in(text)
    assert (raised.value.line_index, str(raised.value)) == (line, sentence)
