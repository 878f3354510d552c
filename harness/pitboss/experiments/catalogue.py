"""The known mistakes of an assignment: wrong references, each the reference with one thing changed.

A catalogue is a function `module:catalogue` that returns values with the fields of `Mistake`, except `mains` instead of
`runs`: a mapping from names of stages to functions that are called like references. If the assignment has a
file with titles, hints and notes, the values have only `id` and `mains`.

The catalogue's module may also define `together(one, other)`, which returns the `mains` of programs that make both
mistakes, and `tolerating(mistake, right)`, which returns the program that makes a mistake relative to the tolerated
reference `right`.

A program may have an attribute `needs`, which maps keywords of options to values: the mistake cannot occur with other
values of these options.

Other mistakes are folders with programs in the language of the course: see `programs/mistake_programs`. Mistakes in
folders are never combined, and have the stage's own options and references.

The reference of every other stage is a candidate too: if a submission fails in all sessions, the most common reason is
that the program still does what another stage asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import msgspec

from pitboss.assignments.assignment import Stage, WordFile, Words
from pitboss.assignments.authored import call
from pitboss.assignments.blame import brief
from pitboss.assignments.functions import parts_of, resolve_function
from pitboss.assignments.options import accepted_by, own_keywords, setting_with, with_setting
from pitboss.errors import SpecError, as_found, did_you_mean, listed
from pitboss.sessions.references import ExpectedRun, expected_run_in_process

_Mains = Mapping[str, Callable[..., int]]
_WORDS = ("title", "hint", "note", "source", "invisible")


class Mistake(msgspec.Struct, frozen=True):
    """One mistake, or two combined."""

    id: str
    title: str
    #: For the student: points to the mistake without giving the answer away.
    hint: str
    #: For the instructor.
    note: str
    source: str
    #: Why no session can show the mistake; empty if a session can.
    invisible: str
    #: By name of a stage, the function that runs its wrong program.
    runs: Mapping[str, ExpectedRun]

    def run_of(self, stage: str) -> ExpectedRun | None:
        """The function that runs the wrong program; None for a stage that cannot have the mistake."""
        return self.runs.get(stage)


#: Returns the known mistakes of a stage, whose options may differ from the assignment's.
Catalogue = Callable[[Stage], Sequence[Mistake]]


def mistakes_of(stage: Stage) -> tuple[Mistake, ...]:
    """The known mistakes that a stage can have, from its catalogue and from folders.

    Raises SpecError if the catalogue cannot be read, or a program in one of the folders cannot be built.
    """
    own = _of_catalogue(stage)
    if not stage.mistake_folders:
        return own
    # Imported only if needed: modules that build and run programs are slow to import.
    from pitboss.experiments.programs.mistake_programs import folder_mistakes

    ids = {mistake.id for mistake in own}
    for folder in stage.mistake_folders:
        if folder.words.id in ids:
            label = f"mistake {as_found(folder.words.id)}"
            raise SpecError(f"{folder.words.place}: {_written(stage.mistakes)} gives {label} too — rename one of them")
    return (*own, *(_of_folder(mistake.folder.words, mistake.run, stage) for mistake in folder_mistakes(stage)))


def _of_folder(words: Words, run: ExpectedRun, stage: Stage) -> Mistake:
    return Mistake(words.id, runs={stage.name: run}, **_texts(words))


def _of_catalogue(stage: Stage) -> tuple[Mistake, ...]:
    """The known mistakes of a stage that are functions."""
    if not stage.mistakes:
        return ()
    mistakes = tuple(mistake for mistake in _catalogue(stage.mistakes, stage.words) if mistake.run_of(stage.name))
    if not stage.options:
        return mistakes
    given = _by_id(stage)
    mains = [(mistake, dict(given[mistake.id].mains)[stage.name]) for mistake in mistakes]
    return tuple(_with_options(mistake, main, stage) for mistake, main in mains if _can_occur(main, stage))


def mistakes_with_more(stage: Stage) -> Iterator[tuple[Mistake, Stage]]:
    """The known mistakes that need other values of free options, each with the stage set to these values."""
    if not stage.mistakes or not stage.options:
        return
    given = _by_id(stage)
    for mistake in _catalogue(stage.mistakes, stage.words):
        main = dict(given[mistake.id].mains).get(stage.name)
        if main is None or _can_occur(main, stage):
            continue
        setting = setting_with(stage.options, _needs_of(main))
        if setting is not None:
            variant = with_setting(stage, setting)
            yield _with_options(mistake, main, variant), variant


def mistakes_of_another(stage: Stage, other: Stage) -> Iterator[Mistake]:
    """The known mistakes that `other` has and `stage` lacks, in programs with the options of `stage`."""
    if not other.mistakes or other.mistakes != stage.mistakes:
        return
    given = _by_id(other)
    for mistake in _of_catalogue(other):
        mains = dict(given[mistake.id].mains)
        if stage.name not in mains and not mistake.invisible:
            yield _with_options(mistake, mains[other.name], stage)


def _can_occur(main: Callable[..., int], stage: Stage) -> bool:
    """Whether a wrong program can differ from the correct program under the stage's own setting."""
    return _needs_of(main).items() <= own_keywords(stage.options).items()


def _needs_of(main: Callable[..., int]) -> Mapping[str, bool | str]:
    """The keywords of options with the values that a wrong program needs."""
    return getattr(main, "needs", {})


def _with_options(mistake: Mistake, main: Callable[..., int], stage: Stage) -> Mistake:
    """The mistake in a program with the stage's options; the function gets only the keywords that it accepts."""
    label = f"mistake {mistake.id!r}"
    run = expected_run_in_process(main, label, accepted_by(main, own_keywords(stage.options)))
    return msgspec.structs.replace(mistake, runs={stage.name: run})


def mistakes_beside(stage: Stage, tolerated: str) -> tuple[Mistake, ...]:
    """The known mistakes of a stage that a program can make relative to a tolerated reference, with these programs."""
    reference = next((variant.reference for variant in stage.tolerated if variant.name == tolerated), None)
    tolerating = _function_beside(stage.mistakes, "tolerating") if stage.mistakes else None
    if reference is None or not reference.function or tolerating is None:
        return ()
    right = resolve_function(reference.function, tolerated)
    given = _by_id(stage)
    mistakes = []
    for mistake in _of_catalogue(stage):
        main = call(f"{_called(stage.mistakes)}: tolerating", tolerating, given[mistake.id], right)
        if main is not None:
            mistakes.append(_with_options(mistake, main, stage))
    return tuple(mistakes)


def pairs_of(stage: Stage, is_worth_trying: Callable[[str, str], bool] = lambda _, __: True) -> Iterator[Mistake]:
    """The pairs of known mistakes that can be combined; `is_worth_trying` selects pairs by the ids of the mistakes."""
    given = _by_id(stage) if stage.mistakes else {}
    for mistake, other in combinations([mistake for mistake in _of_catalogue(stage) if not mistake.invisible], 2):
        if not is_worth_trying(mistake.id, other.id):
            continue
        mains = _together(stage.mistakes, given[mistake.id], given[other.id])
        if stage.name in mains:
            pair = Mistake(
                f"{mistake.id}+{other.id}",
                f"{mistake.title}; and {other.title}",
                f"{mistake.hint} {other.hint}",
                f"{mistake.note} {other.note}",
                f"{mistake.source}; {other.source}",
                "",
                {},
            )
            yield _with_options(pair, mains[stage.name], stage)


def _called(name: str) -> str:
    return f"mistakes {_written(name)}"


def _written(name: str) -> str:
    return repr(parts_of(name).written)


@cache
def _catalogue(name: str, words: WordFile | None) -> tuple[Mistake, ...]:
    label = _called(name)
    if words is None:
        return tuple(call(label, _mistake, given, name) for given in _no_mistakes(name))
    programs = [call(label, _id_and_mains, given, name, words) for given in _no_mistakes(name)]
    _match([id_ for id_, _ in programs], words, name)
    by_id = {word.id: word for word in words.words}
    return tuple(_with_mains(id_, _texts(by_id[id_]), mains) for id_, mains in programs)


@cache
def _no_mistakes(name: str) -> tuple[Any, ...]:
    label = _called(name)
    return tuple(call(label, resolve_function(name, label), read=tuple))


def _by_id(stage: Stage) -> dict[str, Any]:
    catalogue = _catalogue(stage.mistakes, stage.words)
    return {mistake.id: given for mistake, given in zip(catalogue, _no_mistakes(stage.mistakes), strict=True)}


def _mistake(given: Any, name: str) -> Mistake:
    """A mistake whose words are given in code."""
    try:
        id_, texts, mains = str(given.id), _texts(given), dict(given.mains)
    except (AttributeError, TypeError, ValueError) as error:
        rule = f"a mistake has id, {', '.join(_WORDS)} and mains"
        raise SpecError(f"{_called(name)} gave {brief(given)} — {rule}") from error
    return _with_mains(id_, texts, mains)


def _id_and_mains(given: Any, name: str, words: WordFile) -> tuple[str, _Mains]:
    """The id and programs that code gives for a mistake whose words are in a file."""
    try:
        id_, mains = str(given.id), dict(given.mains)
    except (AttributeError, TypeError, ValueError) as error:
        rule = f"a mistake has id and mains, and its words in {words.path}"
        raise SpecError(f"{_called(name)} gave {brief(given)} — {rule}") from error
    field = next((field for field in _WORDS if getattr(given, field, "")), None)
    if field:
        place = next((word.place for word in words.words if word.id == id_), words.place)
        raise SpecError(
            f"{place}: mistake {as_found(id_)} has its {field} in {_written(name)} too — give it in one place"
        )
    return id_, mains


def _match(ids: Sequence[str], words: WordFile, name: str) -> None:
    """Raise SpecError unless each mistake has words, and all words belong to a mistake."""
    places = {word.id: word.place for word in words.words}
    for id_, place in places.items():
        if id_ not in ids:
            given = listed(ids) if ids else "none"
            raise SpecError(
                f"{place}: {_written(name)} gives no mistake {as_found(id_)} — it gives {given}{did_you_mean(id_, ids)}"
            )
    missing = [id_ for id_ in ids if id_ not in places]
    if missing:
        rule = f"each mistake of {_written(name)} has a title, a hint and a note here"
        raise SpecError(f"{words.place}: there are no words for {listed(missing)} — {rule}")
    twice = next((id_ for id_ in ids if ids.count(id_) > 1), None)
    if twice:
        rule = "each mistake has an id of its own"
        raise SpecError(f"{places[twice]}: {_written(name)} gives mistake {as_found(twice)} twice — {rule}")


def _texts(given: Any) -> dict[str, str]:
    return {field: str(getattr(given, field)) for field in _WORDS}


def _with_mains(id_: str, texts: dict[str, str], mains: _Mains) -> Mistake:
    runs = {stage: expected_run_in_process(main, f"mistake {id_!r}") for stage, main in mains.items()}
    return Mistake(id_, runs=runs, **texts)


def _together(name: str, first: Any, other: Any) -> _Mains:
    together = _function_beside(name, "together")
    if together is None:
        return {}
    label = f"{_called(name)}: together"
    return call(label, together, first, other, read=lambda mains: dict(mains or {}))  # type: ignore[no-any-return]


@cache
def _function_beside(catalogue: str, name: str) -> Callable[..., Any] | None:
    """An optional function of a catalogue's module; None if the module does not define it."""
    module, _, _ = catalogue.rpartition(":")
    try:
        function: Callable[..., Any] = resolve_function(f"{module}:{name}", "mistakes")
    except SpecError:
        return None
    return function


_HINT = "In every session it does what {other} asks, and nothing that only {stage} asks: is this the right file?"


def as_other_stages(stage: Stage, stages: Sequence[Stage]) -> Iterator[Mistake]:
    """The references of the other stages as mistakes of `stage`, nearest stage first; commands are left out."""
    names = [stage.name for stage in stages]
    position = names.index(stage.name) if stage.name in names else 0
    others = [
        other for other in stages if other.name != stage.name and other.reference.function and not other.is_manual
    ]
    for other in sorted(others, key=lambda other: abs(names.index(other.name) - position)):
        if other.reference == stage.reference:
            continue  # one program for both stages, which differ in options: an option says more than a stage
        main = resolve_function(other.reference.function, other.name)
        run = expected_run_in_process(main, other.name, accepted_by(main, own_keywords(stage.options)))
        yield Mistake(
            id=f"as-{other.name}",
            title=f"the program does what {other.name} does",
            hint=_HINT.format(other=other.name, stage=stage.name),
            note=f"The same as the reference of {other.name} in every session.",
            source="the reference of another stage",
            invisible="",
            runs={stage.name: run},
        )
