r"""The notation for transcripts in spec files; reading and writing are exact inverses for any bytes.

Text is written unchanged. `<<h>>` is a typed line with its Enter, so it ends a line. `<pause 2s>` is a pause and
`<eof>` the end of input. `<no-eol>`, allowed only at the very end, marks output that ends without a newline. `<` and
`\` are escaped as `\<` and `\\`, invisible bytes as `\t` or `\xHH`; a blank at the end of a line is `\x20`.
"""

from __future__ import annotations

import difflib
import functools
import re
import unicodedata
from collections.abc import Iterable

from pitboss.errors import as_found, shortened
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical

_NO_EOL = "<no-eol>"
_TAGS = ("<<", "<pause 2s>", "<eof>", _NO_EOL)
_ALLOWED_MARKS = r"<<a typed line>>, <pause 2s>, <eof>, and <no-eol> at the very end; a plain < is written \<"


class NotationError(ValueError):
    """Raised for a text that is not in the notation; `line_index` is the index of the wrong line, from 0."""

    def __init__(self, line_index: int, message: str) -> None:
        """`message` says what was found, and what is allowed."""
        super().__init__(message)
        self.line_index = line_index


# Writing


def notation_of(events: Iterable[Event]) -> str:
    r"""Returns events in the notation; the text ends in a newline unless it is empty.

    >>> notation_of((Shown(b"Seed: "), Typed(b"3"), Paused(500), Shown(b"done\n")))
    'Seed: <<3>>\n<pause 0.5s>done\n'
    """
    parts: list[str] = []
    for event in events:
        match event:
            case Shown(text):
                parts.append(visible(text))
            case Typed(line):
                parts.append(f"<<{visible(line).replace('>', _ESCAPED_GREATER)}>>\n")
            case Paused(duration_ms):
                parts.append(f"<pause {duration_of(duration_ms)}>")
            case InputEnded():
                parts.append("<eof>")
    notation = "".join(parts)
    if notation and not notation.endswith("\n"):
        notation += _NO_EOL + "\n"
    return _TRAILING_BLANK.sub(r"\\x20\1", notation)


_ESCAPED_GREATER = r"\x3e"
_TRAILING_BLANK = re.compile(r" (\n|\Z)")


def duration_of(duration_ms: int) -> str:
    """Returns a duration in seconds, in its shortest form.

    >>> duration_of(2000), duration_of(125)
    ('2s', '0.125s')
    """
    seconds, milliseconds = divmod(duration_ms, 1000)
    return f"{seconds}{f'.{milliseconds:03}'.rstrip('0') if milliseconds else ''}s"


def visible(text: bytes) -> str:
    r"""Returns bytes as text; `<`, the backslash and invisible characters are escaped, but not newlines and blanks.

    >>> visible("8♣\t<\xa0".encode() + b"\xff\n")
    '8♣\\t\\<\\xc2\\xa0\\xff\n'
    """
    return _SPECIAL.sub(lambda match: _escaped(match[0]), text.decode("utf-8", "surrogateescape"))


#: A character that may need an escape: `<`, the backslash, and all but newlines, blanks and other printable ASCII.
_SPECIAL = re.compile(r"[^\n -;=-\[\]-~]")


@functools.cache
def _escaped(character: str) -> str:
    if character in "<\\":
        return "\\" + character
    if character == "\t":
        return r"\t"
    if character.isprintable() and unicodedata.category(character) not in ("Mn", "Me", "Cf", "Zs"):
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


# Reading


def events_in(text: str) -> tuple[Event, ...]:
    r"""Returns the events that a text describes; raises NotationError if it is not in the notation.

    >>> events_in("Seed: <<3>>\ndone<no-eol>\n")
    (Shown(text=b'Seed: '), Typed(line=b'3'), Shown(text=b'done'))
    """
    no_eol_match = _NO_EOL_AT_END.search(text)
    body = text[: no_eol_match.start(1)] if no_eol_match else text
    if blank := _TRAILING_BLANK.search(text):
        raise _notation_error(
            text,
            blank.start(),
            r"a blank at the end of a line cannot be seen — write the last blank of the line as \x20",
        )
    events: list[Event] = []
    position = 0
    while position < len(body):
        position = _read_element(body, position, events)
    if body and not no_eol_match and not body.endswith("\n"):
        events.append(Shown(b"\n"))
    return canonical(events)


#: `<no-eol>` at the very end, in group 1. It is plain text if its `<` is escaped.
_NO_EOL_AT_END = re.compile(rf"(?<!\\)(?:\\\\)*({_NO_EOL}\n?)\Z")
_TEXT = re.compile(r"[^<\\\x00-\x09\x0b-\x1f\x7f]+")
#: A typed line; group 2 is the newline after it, empty at the very end, and None if other text follows.
_TYPED = re.compile(r"<<((?:[^>\n\\]|>(?!>)|\\[^\n])*)>>(\n|\Z)?")
_TYPED_TEXT = re.compile(r"[^\\\x00-\x09\x0b-\x1f]+")
_PAUSE = re.compile(r"<pause ([0-9]+)(?:\.([0-9]{1,3}))?s>")
_ESCAPE = re.compile(r"\\(?:([<\\t])|x([0-9a-fA-F]{2}))")
#: What was perhaps meant as a mark or as a typed line, to be quoted in an error.
_TAG = re.compile(r"<{1,2}[^<>\n]*>{0,2}")


def _read_element(text: str, position: int, events: list[Event]) -> int:
    """Read one element at a position into `events`; returns the position after it."""
    if match := _TEXT.match(text, position):
        events.append(Shown(match[0].encode("utf-8", "surrogateescape")))
    elif match := _ESCAPE.match(text, position):
        events.append(Shown(_unescaped(match)))
    elif match := _TYPED.match(text, position):
        if match[2] is None:
            raise _notation_error(
                text, match.end(), f"{shortened(match[0])} is followed by text on its line — a typed line ends a line"
            )
        events.append(Typed(_typed_bytes(text, position, match[1])))
    elif match := _PAUSE.match(text, position):
        events.append(Paused(int(match[1]) * 1000 + int((match[2] or "0").ljust(3, "0"))))
    elif text.startswith("<eof>", position):
        events.append(InputEnded())
        return position + len("<eof>")
    else:
        raise _misread_error(text, position)
    return match.end()


def _typed_bytes(text: str, position: int, content: str) -> bytes:
    """Returns the bytes of a typed line; `content` is its notation between `<<`, at `position`, and `>>`."""
    parts, offset = [], 0
    while offset < len(content):
        match = _ESCAPE.match(content, offset) or _TYPED_TEXT.match(content, offset)
        if match is None:
            raise _misread_error(text, position + len("<<") + offset)
        parts.append(_unescaped(match) if match.re is _ESCAPE else match[0].encode("utf-8", "surrogateescape"))
        offset = match.end()
    return b"".join(parts)


def _unescaped(match: re.Match[str]) -> bytes:
    if match[2]:
        return bytes([int(match[2], 16)])
    return b"\t" if match[1] == "t" else match[1].encode()


def _misread_error(text: str, position: int) -> NotationError:
    """Returns the error for a character at which no element of the notation begins."""
    character = text[position]
    if character == "\\":
        return _notation_error(
            text,
            position,
            rf"{as_found(text[position : position + 2])} is not an escape — allowed are \<, \\, \t and \xHH",
        )
    if character != "<":
        escape = r"\t" if character == "\t" else f"\\x{ord(character):02x}"
        return _notation_error(
            text, position, f"a control character (byte 0x{ord(character):02x}) — write it as {escape}"
        )
    match = _TAG.match(text, position)
    tag = match[0] if match else "<"
    if tag.startswith("<<"):
        return _notation_error(
            text, position, f"{as_found(tag)} is not closed on its line — a typed line is written <<like this>>"
        )
    if tag == _NO_EOL:
        return _notation_error(text, position, "<no-eol> is not at the very end — it is allowed only there")
    similar = difflib.get_close_matches(tag, _TAGS, 1)
    hint = f"; did you mean {similar[0]}?" if similar and similar[0] != "<<" else ""
    return _notation_error(text, position, f"{as_found(tag)} is not a mark — allowed are {_ALLOWED_MARKS}{hint}")


def _notation_error(text: str, position: int, sentence: str) -> NotationError:
    """Returns the error with this message for the line at a position."""
    return NotationError(text.count("\n", 0, position), sentence)
