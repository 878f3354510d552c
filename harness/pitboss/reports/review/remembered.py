"""A cache of the similar submissions of a class, which take seconds to compute."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pitboss.gradebook.book import Gradebook

#: Computes the values of `similarity_parts.html.j2`; raises UsageError if there is nothing to compare.
Similar = Callable[[Gradebook], dict[str, object]]


class SimilarityCache:
    """Caches the values of a class until a submission changes."""

    def __init__(self, similar: Similar) -> None:
        self._similar = similar
        self._programs: tuple[tuple[str, str | None], ...] = ()
        self._values: dict[str, object] = {}
        # Pages are rendered in several threads: a second thread waits for the values of the first.
        self._lock = threading.Lock()

    def values_of(self, book: Gradebook) -> dict[str, object]:
        """Returns the values, recomputed if a submission has changed."""
        with self._lock:
            programs = tuple((person.key, book.program(person.key)) for person in book.people())
            if programs != self._programs or not self._values:
                self._values = self._similar(book)
                self._programs = programs
            return self._values
