from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.transcript import Shown
from pitboss.sessions.tracing.session_events import SessionOutput


@given(st.integers(0, 3), st.integers(70_000, 70_010), st.lists(st.integers(1, 9000), max_size=4))
def test_head_and_tail_of_a_flood_are_kept_without_splitting_a_character(start, count, chunks):
    written = b"x" * start + "€♣é".encode() * (count // 8)  # these three characters are 8 bytes
    output, rest = SessionOutput(1024), written
    for size in chunks:
        output.show(rest[:size])
        rest = rest[size:]
    output.show(rest)
    (shown,), dropped = output.within_limit()
    assert isinstance(shown, Shown)
    assert len(shown.text) + dropped == len(written)
    shown.text.decode("utf-8")
    # The head has 65,536 bytes, the tail 4096, each less the bytes of a character that would be split.
    assert written.startswith(shown.text[:65_000])
    assert written.endswith(shown.text[-4_090:])
