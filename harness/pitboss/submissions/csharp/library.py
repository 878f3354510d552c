"""Helper code for rewritten programs, and names in .NET's library that Mono's library lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

#: Members and types that .NET has and Mono's library lacks.
_NEWER = frozenset(
    """AsSpan Cbrt CountBy DateOnly DistinctBy EnsureCapacity ExceptBy FrozenDictionary
    GetItems HashCode Index IndexOfAnyExcept Int128 IntersectBy Half ImmutableArray ImmutableList MathF MinBy
    Order OrderDescending PriorityQueue Range ReplaceLineEndings Span SkipLast TimeOnly
    ThrowIfNegative ThrowIfNegativeOrZero ThrowIfNull ThrowIfNullOrEmpty ThrowIfNullOrWhiteSpace ThrowIfGreaterThan
    ThrowIfLessThan TryGetNonEnumeratedCount UnionBy WaitAsync Lock TryFormat IsAsciiDigit IsAsciiLetter IsBetween
    TotalMicroseconds TotalNanoseconds JsonSerializer AggregateBy ReadOnlySpan  IsPow2 Log2""".split()  # noqa: SIM905
)


def name_missing_in_mono(messages: str) -> str:
    """A name that the messages report as missing and that .NET has but Mono lacks; empty if there is no match."""
    for message in re.finditer(r"CS(?:0117|1061|0103|0246|0234|0305|0308)\b[^\n]*", messages):
        for name in re.finditer(r"`(\w+)(?:<[^']*>)?'", message[0]):
            if name[1] in _NEWER:
                return str(name[1])
    return ""


def helper_source(unknown: Iterable[str]) -> str:
    """The helper source for a rewritten program, with a placeholder class for each type in `unknown`."""
    text = (Path(__file__).parent / "library.cs").read_text(encoding="utf-8")
    return text + "".join(f"class {name} {{ public {name}(params object[] values) {{ }} }}\n" for name in unknown)
