"""Values of a comparison: works that are compared, pairs of them, and the passages that a pair shares."""

from __future__ import annotations

import msgspec


class Work(msgspec.Struct, frozen=True):
    """What one person handed in."""

    #: The person's key in the gradebook, and the name for people.
    key: str
    name: str
    #: Pairs of a path and a text, which may be anything.
    files: tuple[tuple[str, str], ...]
    #: The name of an earlier class; empty for the one that is looked at.
    earlier: str = ""

    @property
    def title(self) -> str:
        """The person's name, with that of an earlier class."""
        return f"{self.name} ({self.earlier})" if self.earlier else self.name


class Lines(msgspec.Struct, frozen=True):
    """A range of lines of a file, counted from 1, the last one included."""

    path: str
    first: int
    last: int
    #: These lines as they were handed in: hostile.
    text: str


class Passage(msgspec.Struct, frozen=True):
    """A run of tokens that two works share, as long as can be, and where it is in both."""

    left: Lines
    right: Lines
    tokens: int


class Pair(msgspec.Struct, frozen=True):
    """Two works with something in common."""

    left: Work
    right: Work
    #: How many different fingerprints both have, and how many each of them has, without those that are left out.
    shared: int
    of_left: int
    of_right: int
    #: The longest first.
    passages: tuple[Passage, ...] = ()

    @property
    def share_of_left(self) -> float:
        """The share of the left one's fingerprints that the right one has too, from 0 to 1."""
        return self.shared / self.of_left

    @property
    def share_of_right(self) -> float:
        """The share of the right one's fingerprints that the left one has too."""
        return self.shared / self.of_right

    @property
    def is_same_person(self) -> bool:
        """Whether both are of one person, in two classes, by the key of the gradebooks."""
        return self.left.key == self.right.key


class Alike(msgspec.Struct, frozen=True):
    """Works that are alike in what is left out since so many people have it, so that no pair shows it."""

    titles: tuple[str, ...]
    #: How many people of one class have what the first of them has, at most: a limit at which nothing is left out.
    most_people: int


class Comparison(msgspec.Struct, frozen=True):
    """A class that was compared."""

    #: Of the whole class those that share most, the largest share first; the others are only counted.
    pairs: tuple[Pair, ...]
    count: int
    #: How many works with any file were compared, of this class and of earlier ones.
    works: int
    earlier_works: int
    #: In how many works something was left out since everybody was given it.
    given: int
    #: How many different fingerprints were left out since so many people have them.
    common: int
    #: What more people of one class than this have is left out.
    most_people: int
    #: Titles of other works with code, of which nothing was left to compare.
    nothing_left: tuple[str, ...] = ()
    #: Titles of works of which only the beginning was compared.
    cut: tuple[str, ...] = ()
    alike: tuple[Alike, ...] = ()
