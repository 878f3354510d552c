"""The known mistakes of an assignment. Each mistake is a wrong reference: the reference with one thing changed.

A catalogue is a function `module:catalogue` that returns values with the fields of `Mistake`, but with `mains` instead
of `runs`. `mains` maps names of stages to functions that are called like references. If the assignment has a file with
titles, hints and notes, the values have only `id` and `mains`.

The catalogue's module may also define `tolerating(mistake, right)`, which returns the tolerated reference `right` with
this mistake in it.

A program may have an attribute `needs`, which maps keywords of options to a value or a tuple of values: the mistake
cannot occur with other values of these options.

Other mistakes are folders with programs in the language of the course: see `programs/mistake_programs`. Mistakes in
folders are never combined with other values of options, or with tolerated references.

The references of the other stages are possible mistakes too: if a submission fails in all sessions, the most common
reason is that the program still does what another stage asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from pitboss.assignments.assignment import Stage, WordFile
from pitboss.assignments.authored import call, short_repr
from pitboss.assignments.functions import parse_function_name, resolve_function
from pitboss.assignments.options import accepted_by, own_keywords, setting_with, with_setting
from pitboss.errors import SpecError, as_found, did_you_mean, listed
from pitboss.sessions.references import ExpectedRun, expected_run_in_process

#: Wrong programs by name of the stage; each is a function that is called like a reference.
_Mains = Mapping[str, Callable[..., int]]
#: The fields of a mistake that contain text.
_TEXT_FIELDS = ("title", "hint", "note", "source", "invisible")


class Mistake(msgspec.Struct, frozen=True):
    """A known mistake."""

    id: str
    title: str
    #: A text for the student, which points to the mistake without giving the answer away.
    hint: str
    #: A text for the instructor.
    note: str
    #: Where the mistake was taken from, in words.
    source: str
    #: Why no session can show the mistake; empty if a session can.
    invisible: str
    #: For each stage that can have the mistake, the function that runs the wrong program.
    runs: Mapping[str, ExpectedRun]
    #: The value that the catalogue returned; None for a mistake from elsewhere.
    value: Any = None

    def main_of(self, stage: str) -> Callable[..., int] | None:
        """The wrong program of a stage in the catalogue, a function that is called like a reference."""
        return dict(self.value.mains).get(stage)

    def run_of(self, stage: str) -> ExpectedRun | None:
        """The function that runs the wrong program of a stage; None if the stage cannot have the mistake."""
        return self.runs.get(stage)


#: A function that returns the known mistakes of a stage. The stage's options may differ from the assignment's.
MistakesOfStage = Callable[[Stage], Sequence[Mistake]]


def mistakes_of(stage: Stage) -> tuple[Mistake, ...]:
    """The known mistakes that a stage can have, from its catalogue and from folders.

    Raises SpecError if the catalogue cannot be read, or a program in one of the folders cannot be built.
    """
    catalogue_mistakes = _catalogue_mistakes(stage)
    if not stage.mistake_folders:
        return catalogue_mistakes
    # Imported only if needed: modules that build and run programs are slow to import.
    from pitboss.experiments.programs.mistake_programs import folder_mistakes

    ids = {mistake.id for mistake in catalogue_mistakes}
    for folder in stage.mistake_folders:
        if folder.words.id in ids:
            label = f"mistake {as_found(folder.words.id)}"
            raise SpecError(
                f"{folder.words.place}: {_quoted_name(stage.mistakes)} gives {label} too — rename one of them"
            )
    return (
        *catalogue_mistakes,
        *(Mistake(words.id, runs={stage.name: run}, **_texts_of(words)) for words, run in folder_mistakes(stage)),
    )


def _catalogue_mistakes(stage: Stage) -> tuple[Mistake, ...]:
    """The mistakes from the stage's catalogue that can occur with the options of the stage."""
    if not stage.mistakes:
        return ()
    mistakes = tuple(mistake for mistake in _all_mistakes(stage.mistakes, stage.words) if mistake.run_of(stage.name))
    if not stage.options:
        return mistakes
    mains = ((mistake, mistake.main_of(stage.name)) for mistake in mistakes)
    return tuple(
        _mistake_with_options(mistake, main, stage) for mistake, main in mains if main and _can_occur(main, stage)
    )


def mistakes_of_other_settings(stage: Stage) -> Iterator[tuple[Mistake, Stage]]:
    """The known mistakes that need other values of options than the stage's own.

    Each is returned with the stage changed to these values. Mistakes are left out if the stage does not allow the
    values.
    """
    if not stage.mistakes or not stage.options:
        return
    for mistake in _all_mistakes(stage.mistakes, stage.words):
        main = mistake.main_of(stage.name)
        if main is None or _can_occur(main, stage):
            continue
        setting = setting_with(stage.options, {keyword: values[0] for keyword, values in _needs_of(main).items()})
        if setting is not None:
            variant = with_setting(stage, setting)
            yield _mistake_with_options(mistake, main, variant), variant


def _can_occur(main: Callable[..., int], stage: Stage) -> bool:
    """Whether the stage's own setting has the values of options that a wrong program needs."""
    own = own_keywords(stage.options)
    return all(own.get(keyword) in values for keyword, values in _needs_of(main).items())


def _needs_of(main: Callable[..., int]) -> Mapping[str, tuple[bool | str, ...]]:
    """The keywords of options with the values of which a wrong program needs one."""
    needs = getattr(main, "needs", {}).items()
    return {keyword: value if isinstance(value, tuple) else (value,) for keyword, value in needs}


def _mistake_with_options(mistake: Mistake, main: Callable[..., int], stage: Stage) -> Mistake:
    """The mistake with `main` as its only program, which gets the options of the stage as far as it accepts them."""
    label = f"mistake {mistake.id!r}"
    run = expected_run_in_process(main, label, accepted_by(main, own_keywords(stage.options)))
    return msgspec.structs.replace(mistake, runs={stage.name: run})


def mistakes_of_tolerated_reference(stage: Stage, tolerated: str) -> tuple[Mistake, ...]:
    """The known mistakes of a stage, in programs derived from the tolerated reference with this name.

    Mistakes for which `tolerating` returns no program are left out. Empty if the reference is not a function, or if the
    catalogue's module does not define `tolerating`.
    """
    reference = next((variant.reference for variant in stage.tolerated if variant.name == tolerated), None)
    tolerating = _function_of_module(stage.mistakes, "tolerating") if stage.mistakes else None
    if reference is None or not reference.function or tolerating is None:
        return ()
    tolerated_main = resolve_function(reference.function, tolerated)
    mistakes = []
    for mistake in _catalogue_mistakes(stage):
        main = call(f"{_label_of(stage.mistakes)}: tolerating", tolerating, mistake.value, tolerated_main)
        if main is not None:
            mistakes.append(_mistake_with_options(mistake, main, stage))
    return tuple(mistakes)


def visible_mistakes(stage: Stage, tolerated: str) -> list[Mistake]:
    """The known mistakes of a stage that a session can show.

    They are in programs derived from the tolerated reference with this name, or, without a name, from the stage's own.
    """
    mistakes = mistakes_of_tolerated_reference(stage, tolerated) if tolerated else mistakes_of(stage)
    return [mistake for mistake in mistakes if not mistake.invisible]


def removed_function_sentences(stages: Iterable[Stage]) -> list[str]:
    """A sentence on each catalogue whose module still defines `together`, which is no longer called."""
    return [
        f"{_label_of(catalogue)}: its module has a function together, which is no longer called, since no two mistakes "
        "are combined any more — remove it"
        for catalogue in dict.fromkeys(stage.mistakes for stage in stages if stage.mistakes)
        if _function_of_module(catalogue, "together")
    ]


def _label_of(catalogue: str) -> str:
    """The name of a catalogue for messages; `catalogue` is its function, as `module:function`."""
    return f"mistakes {_quoted_name(catalogue)}"


def _quoted_name(catalogue: str) -> str:
    return repr(parse_function_name(catalogue).written)


@cache
def _all_mistakes(catalogue: str, word_file: WordFile | None) -> tuple[Mistake, ...]:
    label = _label_of(catalogue)
    values = tuple(call(label, resolve_function(catalogue, label), read=tuple))
    parts = [call(label, _id_texts_and_mains, value, catalogue, word_file) for value in values]
    words = {entry.id: _texts_of(entry) for entry in word_file.words} if word_file is not None else {}
    if word_file is not None:
        _check_ids([id_ for id_, _, _ in parts], word_file, catalogue)
    return tuple(
        Mistake(
            id_,
            **(words.get(id_) or texts),
            runs={stage: expected_run_in_process(main, f"mistake {id_!r}") for stage, main in mains.items()},
            value=value,
        )
        for value, (id_, texts, mains) in zip(values, parts, strict=True)
    )


def _id_texts_and_mains(value: Any, catalogue: str, word_file: WordFile | None) -> tuple[str, dict[str, str], _Mains]:
    """The id, the texts and the programs of a catalogue's value; no texts if these are in the word file."""
    try:
        texts = _texts_of(value) if word_file is None else {}
        id_, mains = str(value.id), dict(value.mains)
    except (AttributeError, TypeError, ValueError) as error:
        fields = f"id, {', '.join(_TEXT_FIELDS)} and mains"
        explanation = fields if word_file is None else f"id and mains; its texts are in {word_file.path}"
        message = f"{_label_of(catalogue)} gave {short_repr(value)} — it must have the fields {explanation}"
        raise SpecError(message) from error
    field = next((field for field in _TEXT_FIELDS if getattr(value, field, "")), None)
    if word_file is not None and field is not None:
        place = next((entry.place for entry in word_file.words if entry.id == id_), word_file.place)
        raise SpecError(
            f"{place}: mistake {as_found(id_)} has its {field} in {_quoted_name(catalogue)} too — give it in one place"
        )
    return id_, texts, mains


def _check_ids(ids: Sequence[str], word_file: WordFile, catalogue: str) -> None:
    """Raise SpecError unless each mistake of the catalogue has one entry in the word file, and each entry a mistake."""
    places = {entry.id: entry.place for entry in word_file.words}
    for id_, place in places.items():
        if id_ not in ids:
            explanation = f"it gives {listed(ids) if ids else 'none'}{did_you_mean(id_, ids)}"
            raise SpecError(f"{place}: {_quoted_name(catalogue)} gives no mistake {as_found(id_)} — {explanation}")
    missing = [id_ for id_ in ids if id_ not in places]
    if missing:
        explanation = f"each mistake of {_quoted_name(catalogue)} must have a title, a hint and a note here"
        raise SpecError(f"{word_file.place}: there are no texts for {listed(missing)} — {explanation}")
    duplicate = next((id_ for id_ in ids if ids.count(id_) > 1), None)
    if duplicate:
        explanation = "each mistake must have an id of its own"
        raise SpecError(
            f"{places[duplicate]}: {_quoted_name(catalogue)} gives mistake {as_found(duplicate)} twice — {explanation}"
        )


def _texts_of(value: Any) -> dict[str, str]:
    return {field: str(getattr(value, field)) for field in _TEXT_FIELDS}


@cache
def _function_of_module(catalogue: str, name: str) -> Callable[..., Any] | None:
    """An optional function of a catalogue's module; None if the module does not define it."""
    module, _, _ = catalogue.rpartition(":")
    try:
        function: Callable[..., Any] = resolve_function(f"{module}:{name}", "mistakes")
    except SpecError:
        return None
    return function


_OTHER_STAGE_HINT = (
    "In every session the program does what {other} asks, and nothing that only {stage} asks: is this the right file?"
)


def other_stages_as_mistakes(stage: Stage, stages: Sequence[Stage]) -> Iterator[Mistake]:
    """The references of the other stages as mistakes of `stage`, nearest stage first.

    References that are commands are left out.
    """
    names = [stage.name for stage in stages]
    stage_index = names.index(stage.name) if stage.name in names else 0
    others = [
        other for other in stages if other.name != stage.name and other.reference.function and not other.is_manual
    ]
    for other in sorted(others, key=lambda other: abs(names.index(other.name) - stage_index)):
        if other.reference == stage.reference:
            # Both stages have one program with different options: a mistake in an option is the better explanation.
            continue
        main = resolve_function(other.reference.function, other.name)
        run = expected_run_in_process(main, other.name, accepted_by(main, own_keywords(stage.options)))
        yield Mistake(
            id=f"as-{other.name}",
            title=f"the program does what {other.name} does",
            hint=_OTHER_STAGE_HINT.format(other=other.name, stage=stage.name),
            note=f"The same as the reference of {other.name} in every session.",
            source="the reference of another stage",
            invisible="",
            runs={stage.name: run},
        )
