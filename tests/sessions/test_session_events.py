"""What is kept of a flood."""

from hypothesis import given
from hypothesis import strategies as st

from pitboss.model.transcript import Shown
from pitboss.sessions.tracing.session_events import SessionOutput


@given(st.integers(0, 3), st.integers(70_000, 70_010), st.lists(st.integers(1, 9000), max_size=4))
def test_of_a_flood_head_and_tail_are_kept_and_no_character_is_cut(start, count, chunks):
    written = b"x" * start + "€♣é".encode() * (count // 8)
    output, rest = SessionOutput(1024), written
    for size in chunks:
        output.show(rest[:size])
        rest = rest[size:]
    output.show(rest)
    (kept,), dropped = output.within_limit()
    assert isinstance(kept, Shown)
    assert len(kept.text) + dropped == len(written)
    kept.text.decode("utf-8")
    assert written.startswith(kept.text[:65_000])
    assert written.endswith(kept.text[-4_090:])
