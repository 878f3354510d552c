"""Values of a comparison: the compared works, pairs of works, and the passages that a pair shares."""

from __future__ import annotations

import msgspec


class Work(msgspec.Struct, frozen=True):
    """What one person handed in."""

    #: The person's key in the gradebook, and the name to show.
    key: str
    name: str
    #: The path and the text of each file; both are untrusted.
    files: tuple[tuple[str, str], ...]
    #: The name of an earlier class; empty for the class that is compared.
    earlier: str = ""

    @property
    def title(self) -> str:
        """The person's name, followed by the name of the class if it is an earlier class."""
        return f"{self.name} ({self.earlier})" if self.earlier else self.name


class Lines(msgspec.Struct, frozen=True):
    """A range of lines of a file, from `first` to `last` inclusive, counted from 1."""

    path: str
    first: int
    last: int
    #: These lines as they were handed in; untrusted.
    text: str


class Passage(msgspec.Struct, frozen=True):
    """A run of tokens that two works share and that cannot be extended, with its lines in both works."""

    left: Lines
    right: Lines
    tokens: int


class Pair(msgspec.Struct, frozen=True):
    """Two works that share fingerprints."""

    left: Work
    right: Work
    #: The numbers of distinct fingerprints of both, and of each work, without the fingerprints left out.
    shared: int
    of_left: int
    of_right: int
    #: The shared passages, the longest first.
    passages: tuple[Passage, ...] = ()

    @property
    def share_of_left(self) -> float:
        """The share of the left work's fingerprints that the right work has too, from 0 to 1."""
        return self.shared / self.of_left

    @property
    def share_of_right(self) -> float:
        """The share of the right work's fingerprints that the left work has too."""
        return self.shared / self.of_right

    @property
    def is_same_person(self) -> bool:
        """Whether both works have the same key: one person handed them in, in two classes."""
        return self.left.key == self.right.key


class Alike(msgspec.Struct, frozen=True):
    """Works that are alike in code that is left out because too many people have it, so that no pair shows it."""

    titles: tuple[str, ...]
    #: The maximum number of people of one class who share a fingerprint of the first work: with this limit, none of
    #: its fingerprints would be left out.
    max_people: int


class Comparison(msgspec.Struct, frozen=True):
    """A class that was compared."""

    #: The pairs that share most, the largest share first, and the number of all pairs.
    pairs: tuple[Pair, ...]
    count: int
    #: How many works with at least one file were compared: of this class, and of earlier classes.
    works: int
    earlier_works: int
    #: The number of works in which code was left out because everybody was given it.
    given: int
    #: The number of distinct fingerprints that were left out because too many people have them.
    common: int
    #: Fingerprints that more people of one class than this have are left out.
    max_people: int
    #: Titles of further works with code in which everything was left out.
    nothing_left: tuple[str, ...] = ()
    #: Titles of works that were too long, so that only the beginning was compared.
    cut: tuple[str, ...] = ()
    alike: tuple[Alike, ...] = ()
