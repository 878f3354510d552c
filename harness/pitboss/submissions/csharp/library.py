"""Helper code that rewritten programs call, and the names that .NET's library has and Mono's library lacks."""

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
    """Returns a name that .NET has and Mono lacks, if the compiler's messages report it as missing; else empty."""
    for message in re.finditer(r"CS(?:0117|1061|0103|0246|0234|0305|0308)\b[^\n]*", messages):
        for name in re.finditer(r"`(\w+)(?:<[^']*>)?'", message[0]):
            if name[1] in _NEWER:
                return str(name[1])
    return ""


def helper_source(placeholders: Iterable[str]) -> str:
    """Returns the C# source of the helper code, with an empty class for each placeholder of a type."""
    text = (Path(__file__).parent / "library.cs").read_text(encoding="utf-8")
    return text + "".join(f"class {name} {{ public {name}(params object[] values) {{ }} }}\n" for name in placeholders)
