"""The console on streams: what is shown when, and bytes that are no text."""

from __future__ import annotations

import io

import pytest

from reference.blackjack import deal
from reference.console import StreamConsole


class Stage:
    """A console on memory streams, and what has come out of its buffer so far."""

    def __init__(self, typed: bytes = b"", *, has_pauses: bool = True) -> None:
        self._raw = io.BytesIO()
        # Held here: a buffered writer that is thrown away closes what it writes to.
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
    stage = Stage()
    for text in texts:
        stage.console.write(text)
    assert stage.shown == expected


def test_a_prompt_is_shown_before_a_line_is_read() -> None:
    stage = Stage(b"7\n")
    stage.console.write("Seed: ")
    assert stage.console.read_line() == "7"
    assert stage.shown == b"Seed: "


def test_lines_are_read_without_their_newline_to_the_end_of_input() -> None:
    console = Stage(b"one\r\n\n \nlast").console
    assert [console.read_line() for _ in range(6)] == ["one\r", "", " ", "last", None, None]


def test_bytes_that_are_no_text_come_through() -> None:
    stage = Stage(b"\xff\x00\xe2\x99\n")
    line = stage.console.read_line()
    assert line is not None
    stage.console.write(line + "♠\n")
    assert stage.shown == b"\xff\x00\xe2\x99\xe2\x99\xa0\n"


def test_an_error_of_reading_is_the_end_of_input() -> None:
    class HungUp(io.BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            raise OSError(5, "Input/output error")

    assert StreamConsole(HungUp(), io.BytesIO()).read_line() is None


def test_a_pause_sleeps_when_everything_before_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    stage, seen = Stage(b"1\ns\n"), []
    monkeypatch.setattr("time.sleep", lambda seconds: seen.append((seconds, stage.shown)))
    deal.main(stage.console)
    assert [seconds for seconds, _ in seen] == [2, 2, 2]
    assert [output.count(b"Dealer hits.") for _, output in seen] == [0, 1, 2]
    assert all(output.endswith(b"|\n") for _, output in seen)
    assert stage.shown.endswith(b"Dealer stands.\n")


def test_pauses_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("it sleeps"))
    Stage(has_pauses=False).console.pause(2)
