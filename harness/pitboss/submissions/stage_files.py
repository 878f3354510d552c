"""The file names of a stage: named after the stage, or listed by it; letter case is ignored."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.model.languages import BY_SUFFIX, LANGUAGES, language_called, language_of, suffix_of

#: The number of names given as examples.
_MAX_EXAMPLES = 2


def expected_files(stage: Stage) -> tuple[str, ...]:
    """Returns the file names that a stage accepts, the likeliest first."""
    return (*stage.sources, *(f"{name}{suffix}" for name in names_of(stage) for suffix in BY_SUFFIX))


def likely_files(stage: Stage) -> list[str]:
    """Returns examples of file names that a stage accepts, for a sentence; the course's language comes first."""
    own = LANGUAGES.get(language_called(stage.language)) if stage.language else None
    files = expected_files(stage)
    if own is None or stage.sources:
        return list(files[:_MAX_EXAMPLES])
    named = [
        file for file in files if language_of(file) is own and file[:1].isupper() >= own.has_capitalized_program_names
    ]
    return [*named[:1], *(file for file in files if file not in named)][:_MAX_EXAMPLES]


def is_expected(name: str, stage: Stage) -> bool:
    """Whether a stage accepts a file of this name, in any letter case."""
    return name.lower() in {expected.lower() for expected in expected_files(stage)}


def candidates_in(names: Collection[str], stage: Stage) -> list[str]:
    """Returns the files that are named after a stage, in any letter case, the likeliest first."""
    wanted = expected_files(stage)[len(stage.sources) :]
    ranks = {name.lower(): rank for rank, name in reversed(list(enumerate(wanted)))}

    def rank(name: str) -> tuple[int, str]:
        return wanted.index(name) if name in wanted else len(wanted) + ranks[name.lower()], name

    return sorted((name for name in names if name.lower() in ranks), key=rank)


def names_of(stage: Stage) -> tuple[str, ...]:
    """Returns the names of a stage, also capitalised, because Java and C# files are named after their class."""
    names = (stage.name, *stage.submitted_as)
    return tuple(dict.fromkeys((*names, *(name[:1].upper() + name[1:] for name in names))))


def listed_in(stage: Stage, names: Collection[str]) -> dict[str, list[str]]:
    """Finds the files that a stage lists among `names`; maps each to other files that could have been meant.

    A name may be in another letter case, and have another suffix of its language. The result has a missing file under
    its listed name, and is empty if all are missing.
    """
    files: dict[str, list[str]] = {}
    has_any = False
    for name in stage.sources:
        suffixes = BY_SUFFIX[suffix_of(name)].suffixes if suffix_of(name) in BY_SUFFIX else ()
        wanted = [name.lower(), *(f"{Path(name).stem.lower()}{suffix}" for suffix in suffixes)]
        matches = [name for name in names if name.lower() in wanted]
        matches.sort(key=lambda match: (match != name, wanted.index(match.lower()), match))
        has_any = has_any or bool(matches)
        files[matches[0] if matches else name] = matches[1:]
    return files if has_any else {}
