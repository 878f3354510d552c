"""A bundle for students as values: a starter kit, a README, and the assignment without its answers.

HANDOUT.md, Makefile, skeletons …      as in a starter kit
README.md                              what the bundle can check
specs/<assignment>/…                   see specs.py
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import UsageError, listed
from pitboss.kits.bundles.bundle_files import BundleFile
from pitboss.kits.bundles.readme import readme_of
from pitboss.kits.bundles.specs import SpecFolder, is_run, spec_folder
from pitboss.kits.bundles.withheld import withheld_files
from pitboss.kits.data_files import check_names
from pitboss.kits.printing import handout_files, missing_page
from pitboss.kits.starters import LANGUAGES, has_kit, kit_of

#: Commands in a handout that need the reference.
_NEEDS_REFERENCE = re.compile(
    r"^\s*(?:[-*$] +)?`?pitboss (?:(?:play|hunt)\b|check\b.*(?:--seed|--answers|--player)\b).*\n?", re.M
)
#: Why the programs of a stage are not run.
_DRAWN = "what its programs draw is read back from what they show, and only the reference can decide what is right then"
_CHECKED = "a checker, which is not in the bundle, decides which sessions of its programs are right"
_NOTHING = "neither the reference nor a session of it is in the bundle"
_NO_SKELETONS = (
    f"there are no skeletons in {{}}, so the bundle has none — --language takes {', '.join(LANGUAGES)} instead"
)
_COMMANDS = "## Check your program"


class Bundle(NamedTuple):
    """The files of a bundle, and sentences about it for the instructor."""

    files: dict[str, BundleFile]
    sentences: tuple[str, ...]


def bundle_of(assignment: Assignment, language: str | None, templates: Path, *, is_installed: bool) -> Bundle:
    """The bundle of an assignment, with skeletons in a language from these templates of starter kits.

    `language` defaults to the course's; if that has no templates, the bundle has no skeletons. `is_installed`: the
    reference comes with pitboss. Raises UsageError for a named language without templates and for files that cannot be
    shipped, and any error from running the reference.
    """
    public = public_part(assignment)
    called = f"specs/{assignment.name}"
    specs = spec_folder(public, withheld_files(assignment, public), is_installed=is_installed)
    kit = kit_of(public, language or assignment.language, templates, called=called, may_lack_programs=not language)
    if not assignment.ships_reference:
        kit |= handout_files(public.title, _without_games(kit["HANDOUT.md"]))
    if "Makefile" in kit:
        kit["Makefile"] = _with_stages(kit["Makefile"], public, called)
    check_names(assignment, kit, ["README.md"])
    kit["README.md"] = readme_of(public, specs, called)
    files = {name: BundleFile(text.encode("utf-8", "surrogateescape")) for name, text in kit.items()}
    files |= {f"{called}/{name}": file for name, file in specs.files.items()}
    _check_paths(files, assignment.folder)
    has_skeletons = bool(language) or has_kit(assignment.language)
    no_skeletons = () if has_skeletons else (_NO_SKELETONS.format(assignment.language),)
    no_page = filter(None, (missing_page(),))
    return Bundle(dict(sorted(files.items())), (*_sentences(assignment, specs), *no_skeletons, *no_page))


def public_part(assignment: Assignment) -> Assignment:
    """The assignment with only its public cases."""
    return msgspec.structs.replace(assignment, stages=tuple(map(_public, assignment.stages)))


def _public(stage: Stage) -> Stage:
    cases = tuple(case for case in stage.spec.cases if case.visibility == "public")
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))


def _without_games(handout: str) -> str:
    """A handout without the commands that need the reference."""
    before, heading, after = handout.rpartition(_COMMANDS)
    return before + heading + _NEEDS_REFERENCE.sub("", after) if heading else handout


def _with_stages(makefile: str, assignment: Assignment, called: str) -> str:
    """The makefile with a target for each stage: adds the missing targets."""
    option = shlex.quote(called).replace("$", "$$")
    targets = [
        f"\ncheck-{stage.name}:\n\tpitboss check {stage.name} --assignment {option}\n\n.PHONY: check-{stage.name}\n"
        for stage in assignment.stages
        if not re.search(rf"^check-(?:%|{re.escape(stage.name)}(?![\w-]))", makefile, re.MULTILINE)
    ]
    return "".join([makefile if makefile.endswith("\n") else f"{makefile}\n", *targets])


def _check_paths(files: dict[str, BundleFile], folder: Path) -> None:
    """Raise UsageError if a file reveals the path of the assignment: a reference may show the path where it runs."""
    path = str(folder.resolve())
    for name, file in files.items():
        if len(folder.resolve().parts) > 2 and path.encode("utf-8", "surrogateescape") in file.content:
            raise UsageError(
                f"{name} of the bundle would reveal the path of the assignment, {path}: fix the session, the handout "
                "or the reference that shows it"
            )


def _sentences(assignment: Assignment, specs: SpecFolder) -> tuple[str, ...]:
    """Sentences on what is in the bundle and what is not, for the instructor."""
    total = sum(specs.session_counts.values())
    hidden = sum(case.visibility != "public" for stage in assignment.stages for case in stage.spec.cases)
    left = f"; {_count_text(hidden, 'case')} that students may not see yet {'is' if hidden == 1 else 'are'} not in it"
    if assignment.ships_reference:
        unit = "seed" if assignment.is_seeded else "session"
        first = f"the reference is in the bundle, as assignment.yaml says, so that any {unit} can be checked"
    else:
        sessions = f"{_count_text(total, 'session')} of the reference {'is' if total == 1 else 'are'}"
        first = f"{sessions} in the bundle, and not the reference" if total else _NOTHING
    sentences = [first + (left if hidden else "")]
    if specs.shipped.files:
        sentences.append(f"copied for the reference: {listed(sorted(specs.shipped.files))}")
    if specs.shipped.left_out:
        sentences.append(f"left out of the reference's folder: {listed(specs.shipped.left_out)}")
    not_run = [stage for stage in assignment.stages if not is_run(assignment, stage)]
    for reason, names in (
        (_DRAWN, [stage.name for stage in not_run if stage.reader]),
        (_CHECKED, [stage.name for stage in not_run if not stage.reader]),
    ):
        if names:
            sentences.append(
                f"{listed(names)}: {reason}, so the bundle builds them, and checks nothing else; with "
                "`ship_reference: yes` in assignment.yaml it checks them"
            )
    if not assignment.ships_reference and (names := _may_be_submitted(assignment)):
        own = f"{listed(names)}: students may hand in their own"
        sentences.append(f"{own}, and are checked with the course's in the bundle")
    return tuple(sentences)


def _may_be_submitted(assignment: Assignment) -> list[str]:
    """The names of files in public cases that a submission may replace."""
    stages = public_part(assignment).stages
    invocations = [
        invocation
        for stage in stages
        for invocation in (stage.invocation, *(case.invocation for case in stage.spec.cases))
    ]
    names = (file.name for invocation in invocations for file in invocation.files or () if file.may_be_submitted)
    return list(dict.fromkeys(names))


def _count_text(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
