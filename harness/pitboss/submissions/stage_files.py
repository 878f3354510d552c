"""The file names that a stage accepts: names of its program with a suffix, and the names in its list of sources.

Letter case is ignored.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.model.languages import BY_SUFFIX, LANGUAGES, language_name_for, language_of, suffix_of

#: The number of file names that a sentence gives as examples.
_MAX_EXAMPLES = 2


def expected_files(stage: Stage) -> tuple[str, ...]:
    """Returns the file names that a stage accepts, the likeliest first."""
    return (*stage.sources, *(f"{name}{suffix}" for name in program_names(stage) for suffix in BY_SUFFIX))


def likely_files(stage: Stage) -> list[str]:
    """Returns examples of file names that a stage accepts, for a sentence; the course's language comes first."""
    course_language = LANGUAGES.get(language_name_for(stage.language)) if stage.language else None
    files = expected_files(stage)
    if course_language is None or stage.sources:
        return list(files[:_MAX_EXAMPLES])
    files_in_language = [
        file
        for file in files
        if language_of(file) is course_language
        and (file[:1].isupper() or not course_language.has_capitalized_program_names)
    ]
    return [*files_in_language[:1], *(file for file in files if file not in files_in_language)][:_MAX_EXAMPLES]


def is_expected(name: str, stage: Stage) -> bool:
    """Whether a stage accepts a file of this name, in any letter case."""
    return name.lower() in {expected.lower() for expected in expected_files(stage)}


def candidates_in(names: Collection[str], stage: Stage) -> list[str]:
    """Returns the files that are named after a stage, in any letter case, the likeliest first."""
    expected_names = expected_files(stage)[len(stage.sources) :]
    # In reversed order, so that the first of several names with the same lower-case name determines the rank.
    rank_by_lower_case = {name.lower(): rank for rank, name in reversed(list(enumerate(expected_names)))}

    def sort_key(name: str) -> tuple[int, str]:
        """Sorts names in the expected letter case before all others."""
        if name in expected_names:
            return expected_names.index(name), name
        return len(expected_names) + rank_by_lower_case[name.lower()], name

    return sorted((name for name in names if name.lower() in rank_by_lower_case), key=sort_key)


def program_names(stage: Stage) -> tuple[str, ...]:
    """Returns the names that a stage's program may have, also capitalised: Java and C# files are named like classes."""
    names = (stage.name, *stage.submitted_as)
    return tuple(dict.fromkeys((*names, *(name[:1].upper() + name[1:] for name in names))))


def listed_in(stage: Stage, names: Collection[str]) -> dict[str, list[str]]:
    """Finds a stage's list of sources among `names`; maps each source to other files that could have been meant.

    The letter case of a file may differ from the stage's list, and so may the suffix if it is of the same language. A
    missing source is included under the name in the stage's list. If all sources are missing, the result is empty.
    """
    files: dict[str, list[str]] = {}
    has_any = False
    for name in stage.sources:
        suffixes = BY_SUFFIX[suffix_of(name)].suffixes if suffix_of(name) in BY_SUFFIX else ()
        accepted_names = [name.lower(), *(f"{Path(name).stem.lower()}{suffix}" for suffix in suffixes)]
        matches = [candidate for candidate in names if candidate.lower() in accepted_names]
        matches.sort(key=lambda match: (match != name, accepted_names.index(match.lower()), match))
        has_any = has_any or bool(matches)
        files[matches[0] if matches else name] = matches[1:]
    return files if has_any else {}
