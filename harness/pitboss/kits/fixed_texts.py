"""The texts that a program prints, from sessions of its reference: each line once, with any variations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from pitboss.model.quoting import readable
from pitboss.model.transcript import Event, InputEnded, Shown, Transcript, Typed

#: What varies in a line, besides the draws: a number, and a sign such as ♠ with what precedes it.
_NUMBER, _SIGN = r"[+-]?[0-9]+(?:[.,][0-9]+)*", r"[^\s|]*[\u2600-\u27bf]"
_VARYING = "…"
_SEVERAL = re.compile(rf"{_VARYING}(?:,? +{_VARYING})+")
_WORD = re.compile(r"[^\W\d_]{2}")
#: A longer line echoes what was typed.
_LONGEST = 160


class FixedText(msgspec.Struct, frozen=True):
    """A line that a program prints."""

    #: The line in one session.
    line: str
    #: Whether other sessions have it with different numbers, draws or answers.
    varies: bool
    #: Whether a line is typed after it, on the same line of the screen.
    is_question: bool


def fixed_texts_of(sessions: Iterable[Transcript], draws: Sequence[str] = ()) -> tuple[FixedText, ...]:
    """The lines with words that these sessions show, each once; `draws` are all values that a program can draw."""
    varying = re.compile("|".join([*_whole_words(draws), _SIGN, _NUMBER]))
    lines_by_form: dict[tuple[bool, str], dict[str, None]] = {}
    for session in sessions:
        for line, typed, is_question in _lines(session.events):
            key = _form(line, typed, varying)
            if _WORD.search(key) and len(line) <= _LONGEST:
                lines_by_form.setdefault((is_question, key), {})[line] = None
    texts = (
        FixedText(next(iter(lines)), len(lines) > 1, is_question) for (is_question, _), lines in lines_by_form.items()
    )
    # A text with a letter in quotes has another form if that letter was typed before it.
    return tuple(dict.fromkeys(texts))


def _whole_words(draws: Sequence[str]) -> list[str]:
    longest_first = sorted(draws, key=len, reverse=True)
    return [rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"] if draws else []


def _form(line: str, typed: str, varying: re.Pattern[str]) -> str:
    """The line with `…` for its varying parts: draws, numbers, and the last typed line if quoted."""
    form = line
    for echoed in (typed, typed.strip(), typed.strip()[:1]):
        form = form.replace(f"'{echoed}'", f"'{_VARYING}'")
    return _SEVERAL.sub(_VARYING, varying.sub(_VARYING, form))


def _lines(events: Sequence[Event]) -> Iterable[tuple[str, str, bool]]:
    """The lines that a session shows, each with the last line typed before it, and whether it is a question."""
    line, typed = "", ""
    for event in events:
        if isinstance(event, Shown):
            *ended, line = (line + readable(event.text)).split("\n")
            yield from ((line, typed, False) for line in ended)
        elif isinstance(event, Typed | InputEnded):
            yield line, typed, bool(line)
            line = ""
            typed = readable(event.line) if isinstance(event, Typed) else typed
    yield line, typed, False
