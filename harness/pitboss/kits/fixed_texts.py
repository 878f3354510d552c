"""The texts that a program prints, from sessions of its reference: each line once, with any variations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from pitboss.model.quoting import readable
from pitboss.model.transcript import Event, InputEnded, Shown, Transcript, Typed

#: Matches numbers, which vary like draws.
_NUMBER = r"[+-]?[0-9]+(?:[.,][0-9]+)*"
#: Matches symbols such as ♠, each with the characters before it, which vary too.
_SYMBOL = r"[^\s|]*[\u2600-\u27bf]"
#: Replaces each part of a line that varies; several such parts in a row become one.
_VARYING = "…"
_ADJACENT_VARYING = re.compile(rf"{_VARYING}(?:,? +{_VARYING})+")
#: Two letters in a row: a line without them is not listed.
_WORD = re.compile(r"[^\W\d_]{2}")
#: The maximum length of a text, in characters. A longer line is not listed: it echoes a typed line.
_MAX_LENGTH = 160


class FixedText(msgspec.Struct, frozen=True):
    """A line that a program prints."""

    #: The line as one session shows it.
    line: str
    #: Whether the line also appears with different numbers, draws or answers.
    varies: bool
    #: Whether an answer is typed directly after the line, on the same line of the screen.
    is_question: bool


def fixed_texts_of(sessions: Iterable[Transcript], draws: Sequence[str] = ()) -> tuple[FixedText, ...]:
    """The lines of these sessions that contain a word, each once; `draws` are all values that can be drawn."""
    varying = re.compile("|".join([*_whole_words(draws), _SYMBOL, _NUMBER]))
    lines_by_template: dict[tuple[bool, str], dict[str, None]] = {}
    for session in sessions:
        for line, typed, is_question in _lines(session.events):
            template = _template_of(line, typed, varying)
            if _WORD.search(template) and len(line) <= _MAX_LENGTH:
                lines_by_template.setdefault((is_question, template), {})[line] = None
    texts = (
        FixedText(next(iter(lines)), len(lines) > 1, is_question)
        for (is_question, _), lines in lines_by_template.items()
    )
    # A line that quotes a letter has … in its template only if the letter was typed before. So the line may have two
    # templates, and be in `texts` twice.
    return tuple(dict.fromkeys(texts))


def _whole_words(draws: Sequence[str]) -> list[str]:
    """A pattern that matches each of the draws as a whole word; none without draws."""
    longest_first = sorted(draws, key=len, reverse=True)
    return [rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"] if draws else []


def _template_of(line: str, typed: str, varying: re.Pattern[str]) -> str:
    """The line with `…` for its varying parts; lines with the same template are variations of one text.

    The varying parts are draws, numbers, symbols, and the last typed line, or its first character, in single quotes.
    """
    template = line
    for echoed in (typed, typed.strip(), typed.strip()[:1]):
        template = template.replace(f"'{echoed}'", f"'{_VARYING}'")
    return _ADJACENT_VARYING.sub(_VARYING, varying.sub(_VARYING, template))


def _lines(events: Sequence[Event]) -> Iterable[tuple[str, str, bool]]:
    """The lines that a session shows, each with the last line typed before it, and whether it is a question."""
    line, typed = "", ""
    for event in events:
        if isinstance(event, Shown):
            *complete_lines, line = (line + readable(event.text)).split("\n")
            yield from ((line, typed, False) for line in complete_lines)
        elif isinstance(event, Typed | InputEnded):
            yield line, typed, bool(line)
            line = ""
            typed = readable(event.line) if isinstance(event, Typed) else typed
    yield line, typed, False
