"""Trying many mutants of functions with one copy of the reference: each puts its code into the function it changes.

To load a whole copy takes several times as long as a session. What a module keeps from one run to the next, as a cache
does, may be that of another mutant here; so this only sorts out what does not fit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType

from harness.assignments.authored import at_most, call
from harness.assignments.options import Option
from harness.mutation.changes import Mutant
from harness.mutation.copies import Copy, Original
from harness.mutation.limits import MOST_CPU_S
from harness.mutation.ran import with_options


class Patched:
    """A copy of a reference whose functions get other code."""

    def __init__(self, original: Original, options: Sequence[Option]) -> None:
        """Load the copy; raises AssignmentError if the reference cannot be loaded."""
        self._original, self._copy = original, Copy(original)
        with at_most(MOST_CPU_S):
            self.main = with_options(call("the reference", self._copy.main), options)

    @contextmanager
    def having(self, mutant: Mutant) -> Iterator[bool]:
        """Within this context `main` is the mutant; false if it cannot be made so."""
        function, code = self._function_of(mutant), self._code_of(mutant)
        if function is None or code is None or code.co_freevars != function.__code__.co_freevars:
            yield False
            return
        before, function.__code__ = function.__code__, code
        try:
            yield True
        finally:
            function.__code__ = before

    def _function_of(self, mutant: Mutant) -> FunctionType | None:
        """The function that a mutant changes, if that is at the top of a module or a class and not wrapped."""
        value: object = self._copy.modules.get(mutant.module)
        for name in filter(None, self._scope(mutant).split(".")):
            value = vars(value).get(name) if value is not None and hasattr(value, "__dict__") else None
        return value if isinstance(value, FunctionType) else None

    def _code_of(self, mutant: Mutant) -> CodeType | None:
        scope = self._scope(mutant)
        found = [mutant.part()] if scope else []
        while found:
            code = found.pop()
            if code.co_qualname == scope:
                return code
            found += [one for one in code.co_consts if isinstance(one, CodeType)]
        return None

    def _scope(self, mutant: Mutant) -> str:
        """The qualified name of the function whose body has the changed statement; empty if it has none."""
        module = self._original.module(mutant.module)
        place = module.place_of(mutant.number)
        is_inside = place.function is not None and not isinstance(place.node, ast.FunctionDef | ast.AsyncFunctionDef)
        return place.scope if is_inside else ""
