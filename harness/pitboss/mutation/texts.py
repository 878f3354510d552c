"""The ways in which a text is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def changed_texts(text: str, others: Sequence[str]) -> Iterator[str]:
    """A text with a letter, a blank or a line end changed, dropped, doubled or added, or replaced by another text.

    `others` are the texts of the module, in a fixed order.
    """
    yield from dict.fromkeys(one for one in _changes(text, others) if one != text)


def _changes(text: str, others: Sequence[str]) -> Iterator[str]:
    if not text:
        yield "x"
        return
    letters = [
        index for index, letter in enumerate(text) if letter.swapcase() != letter and len(letter.swapcase()) == 1
    ]
    for index in dict.fromkeys((*letters[:1], *letters[-1:])):
        yield text[:index] + text[index].swapcase() + text[index + 1 :]
    middle = len(text) // 2
    for index in dict.fromkeys((0, middle, len(text) - 1)):
        yield text[:index] + text[index + 1 :]
    yield text[:middle] + text[middle] + text[middle:]
    yield f" {text}"
    yield f"{text} "
    yield f"\n{text}"
    yield f"{text}\n"
    inner = text.find(" ", 1, -1)
    if inner > 0:
        yield f"{text[:inner]}{text[inner + 1 :]}"
        yield f"{text[:inner]} {text[inner:]}"
    yield ""
    if text in others:
        yield others[(others.index(text) + 1) % len(others)]
