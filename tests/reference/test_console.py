from __future__ import annotations

import io

import pytest

from reference.blackjack import deal
from reference.console import StreamConsole


class MemoryStreams:
    """A console on memory streams; `shown` is what has left its output buffer so far."""

    def __init__(self, typed: bytes = b"", *, has_pauses: bool = True) -> None:
        self._raw = io.BytesIO()
        # Kept as an attribute: a buffered writer that is garbage-collected closes the stream below it.
        self._target = io.BufferedWriter(self._raw)  # type: ignore[arg-type]
        self.console = StreamConsole(io.BytesIO(typed), self._target, has_pauses=has_pauses)

    @property
    def shown(self) -> bytes:
        return self._raw.getvalue()


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Seed: "], b""),
        (["one\n"], b"one\n"),
        (["one\ntwo"], b"one\n"),
        (["one", " two\nthree\nfour"], b"one two\nthree\n"),
        (["\n\n"], b"\n\n"),
    ],
    ids=repr,
)
def test_text_is_shown_up_to_its_last_line_end(texts: list[str], expected: bytes) -> None:
    memory_streams = MemoryStreams()
    for text in texts:
        memory_streams.console.write(text)
    assert memory_streams.shown == expected


def test_a_prompt_is_shown_before_a_line_is_read() -> None:
    memory_streams = MemoryStreams(b"7\n")
    memory_streams.console.write("Seed: ")
    assert memory_streams.console.read_line() == "7"
    assert memory_streams.shown == b"Seed: "


def test_lines_are_read_without_their_newline_to_the_end_of_input() -> None:
    console = MemoryStreams(b"one\r\n\n \nlast").console
    assert [console.read_line() for _ in range(6)] == ["one\r", "", " ", "last", None, None]


def test_bytes_that_are_not_utf8_are_read_and_shown_unchanged() -> None:
    memory_streams = MemoryStreams(b"\xff\x00\xe2\x99\n")
    line = memory_streams.console.read_line()
    assert line is not None
    memory_streams.console.write(line + "♠\n")
    assert memory_streams.shown == b"\xff\x00\xe2\x99\xe2\x99\xa0\n"


def test_a_read_error_counts_as_the_end_of_input() -> None:
    class HungUp(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    assert StreamConsole(HungUp(), io.BytesIO()).read_line() is None


def test_a_pause_sleeps_only_after_all_earlier_text_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    memory_streams, sleeps = MemoryStreams(b"1\ns\n"), []
    monkeypatch.setattr("time.sleep", lambda seconds: sleeps.append((seconds, memory_streams.shown)))
    deal.main(memory_streams.console)
    assert [seconds for seconds, _ in sleeps] == [2, 2, 2]
    assert [output.count(b"Dealer hits.") for _, output in sleeps] == [0, 1, 2]
    assert all(output.endswith(b"|\n") for _, output in sleeps)
    assert memory_streams.shown.endswith(b"Dealer stands.\n")


def test_pauses_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("it sleeps"))
    MemoryStreams(has_pauses=False).console.pause(2)
