"""What takes seconds to compute of a class, computed once for what counts in the gradebook."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pitboss.gradebook.book import Gradebook

#: What is told of similar submissions, the values of `similarity_parts.html.j2`; UsageError where there is none.
Similar = Callable[[Gradebook], dict[str, object]]


class Remembered:
    """The pairs of the class as it was when it was last asked for."""

    def __init__(self, similar: Similar) -> None:
        self._similar = similar
        self._programs: tuple[tuple[str, str | None], ...] = ()
        self._values: dict[str, object] = {}
        # Pages are made in several threads: the second waits for what the first computes.
        self._lock = threading.Lock()

    def of(self, book: Gradebook) -> dict[str, object]:
        """The values, computed anew where somebody has handed in something else."""
        with self._lock:
            programs = tuple((person.key, book.program(person.key)) for person in book.people())
            if programs != self._programs or not self._values:
                self._values = self._similar(book)
                self._programs = programs
            return self._values
