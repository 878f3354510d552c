"""A cache of the similar submissions of a class, whose computation takes seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pitboss.gradebook.book import Gradebook

#: A function that computes the values of `similarity_parts.html.j2` for the class of a gradebook; raises UsageError if
#: there is nothing to compare.
SimilarityFunction = Callable[[Gradebook], dict[str, object]]


class SimilarityCache:
    """Caches the values of the similarity page of a class until a submission changes."""

    def __init__(self, similar: SimilarityFunction) -> None:
        self._similar = similar
        #: The key of each person with the digest of the person's submission, or with None if nothing was handed in.
        self._program_digests: tuple[tuple[str, str | None], ...] = ()
        self._values: dict[str, object] = {}
        # Pages are rendered in several threads: a second thread waits for the values that the first computes.
        self._lock = threading.Lock()

    def values_of(self, book: Gradebook) -> dict[str, object]:
        """Returns the values of the similarity page, recomputed if a submission has changed."""
        with self._lock:
            program_digests = tuple((person.key, book.program(person.key)) for person in book.people())
            if program_digests != self._program_digests or not self._values:
                self._values = self._similar(book)
                self._program_digests = program_digests
            return self._values
