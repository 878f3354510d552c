"""Values of a comparison: the compared works, pairs of works, and the passages that a pair shares."""

from __future__ import annotations

import msgspec


class Work(msgspec.Struct, frozen=True):
    """The files that one person handed in."""

    #: The person's key in the gradebook.
    key: str
    #: The person's name.
    name: str
    #: The path and the text of each file; both are untrusted.
    files: tuple[tuple[str, str], ...]
    #: The name of the earlier class that the work is from; empty for a work of the class that is compared.
    earlier: str = ""

    @property
    def title(self) -> str:
        """The person's name, followed by the name of the class if the work is from an earlier class."""
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
    #: The number of distinct fingerprints that both works have. Here and below, fingerprints left out do not count.
    shared: int
    #: The number of distinct fingerprints of the left work.
    of_left: int
    #: The number of distinct fingerprints of the right work.
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
    """Works that are alike in code that too many people have. This code is left out, so no pair shows the works."""

    titles: tuple[str, ...]
    #: The lowest limit on people that would leave out no fingerprint of the first work.
    max_people: int


class Comparison(msgspec.Struct, frozen=True):
    """The result of comparing the works of a class with each other and with works of earlier classes."""

    #: The pairs that share most, the largest share first.
    pairs: tuple[Pair, ...]
    #: The number of all pairs that share fingerprints.
    count: int
    #: The number of compared works of this class that have a file.
    works: int
    #: The number of compared works of earlier classes that have a file.
    earlier_works: int
    #: The number of works in which code was left out because the course gave it to everybody.
    given: int
    #: The number of distinct fingerprints that were left out because too many people have them.
    common: int
    #: The limit on people: a fingerprint is left out if more people of one class have it.
    max_people: int
    #: Titles of works with code that was left out entirely, except works in `alike`.
    nothing_left: tuple[str, ...] = ()
    #: Titles of works that were too long, so that only their beginnings were compared.
    cut: tuple[str, ...] = ()
    #: Groups of works that are alike in code that was left out.
    alike: tuple[Alike, ...] = ()
