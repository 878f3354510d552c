"""Trying many mutants with one copy of the reference: each puts its code into the function that it changes.

To load a whole copy takes several times as long as a session. What a module keeps from one run to the next, as a cache
does, may be that of another mutant here; so this only sorts out what does not fit.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FunctionType

from pitboss.harness.assignments.authored import at_most, call
from pitboss.harness.assignments.options import Option
from pitboss.harness.errors import HarnessError
from pitboss.harness.mutation.changes import Mutant
from pitboss.harness.mutation.copies import Copy, Original
from pitboss.harness.mutation.limits import BRIEFLY_S, MOST_CPU_S
from pitboss.harness.mutation.ran import Main, with_options


class Patched:
    """A copy of a reference whose functions get other code."""

    def __init__(self, original: Original, options: Sequence[Option]) -> None:
        """Load the copy; raises AssignmentError if the reference cannot be loaded."""
        self._original, self._options, self._copy = original, options, Copy(original)
        with at_most(MOST_CPU_S):
            self._main = with_options(call("the reference", self._copy.main), options)

    @contextmanager
    def having(self, mutant: Mutant) -> Iterator[Main | None]:
        """The program of a mutant within this context; None if it cannot be loaded.

        A change outside a function is made in a copy that shares with this one what it cannot reach.
        """
        function = self._function_of(mutant)
        code = self._code_of(mutant, function.__code__) if function is not None else None
        if function is None or code is None:
            yield self._loaded(mutant)
            return
        before, function.__code__ = function.__code__, code
        try:
            yield self._main
        finally:
            function.__code__ = before

    def _loaded(self, mutant: Mutant) -> Main | None:
        copy = Copy(self._original, {mutant.module: mutant.code()}, like=self._copy)
        try:
            with at_most(BRIEFLY_S):
                return with_options(call("the mutant", copy.main), self._options)
        except HarnessError:
            return None

    def _function_of(self, mutant: Mutant) -> FunctionType | None:
        """The function that a mutant changes, if that is at the top of a module or a class and not wrapped."""
        value: object = self._copy.modules.get(mutant.module)
        for name in filter(None, self._scope(mutant).split(".")):
            value = vars(value).get(name) if value is not None and hasattr(value, "__dict__") else None
        return value if isinstance(value, FunctionType) else None

    def _code_of(self, mutant: Mutant, before: CodeType) -> CodeType | None:
        """The code of the changed function; None if it means something else alone than within its class."""
        scope = self._scope(mutant)
        found = [mutant.part()]
        while found:
            code = found.pop()
            if scope.endswith(code.co_qualname) and code.co_name == before.co_name:
                is_same = code.co_freevars == before.co_freevars and not _has_private_names(before)
                return code if is_same else None
            found += [one for one in code.co_consts if isinstance(one, CodeType)]
        return None

    def _scope(self, mutant: Mutant) -> str:
        """The qualified name of the function whose body has the changed statement; empty if it has none."""
        module = self._original.module(mutant.module)
        place = module.place_of(mutant.number)
        is_inside = place.function is not None and not isinstance(place.node, ast.FunctionDef | ast.AsyncFunctionDef)
        return place.scope if is_inside else ""


def _has_private_names(code: CodeType) -> bool:
    """Whether names with two underscores in front stand in a method: they become others within its class."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    names = (*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars)
    is_private = any(name.startswith("_") and "__" in name[1:] and not name.endswith("__") for name in names)
    return is_private or any(map(_has_private_names, inner))
