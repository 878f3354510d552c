"""Makes the files of a bundle for students: a starter kit, a README, and the assignment without its answers.

HANDOUT.md, Makefile, skeletons …      as in a starter kit
README.md                              what the bundle can check
specs/<assignment>/…                   see bundle_specs.py
"""

from __future__ import annotations

import re
import shlex
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.selection import seed_ranges_text, seeds_of
from pitboss.errors import UsageError, listed
from pitboss.kits.bundle_files import BundleFile, withheld_files
from pitboss.kits.bundle_specs import SpecFolder, spec_folder, why_not_run
from pitboss.kits.handouts import handout_files, why_no_page
from pitboss.kits.samples import check_names
from pitboss.kits.starters import KIT_LANGUAGES, has_kit, kit_of
from pitboss.model.words import counted
from pitboss.reports.templates import fill_template

#: Matches the lines of a handout with commands that need the reference.
_NEEDS_REFERENCE = re.compile(
    r"^\s*(?:[-*$] +)?`?pitboss (?:(?:play|hunt)\b|check\b.*(?:--seed|--answers|--player)\b).*\n?", re.M
)
_NEITHER_IN_BUNDLE = "the bundle has neither the reference nor a session of the reference"
_NO_SKELETONS = (
    "there are no skeletons in {}, so the bundle has none — choose another language with --language: "
    f"{', '.join(KIT_LANGUAGES)}"
)
_CHECK_HEADING = "## Check your program"


class Bundle(NamedTuple):
    """The files of a bundle, and sentences about it for the instructor."""

    files: dict[str, BundleFile]
    sentences: tuple[str, ...]


def bundle_of(assignment: Assignment, language: str | None, templates: Path, *, is_installed: bool) -> Bundle:
    """The bundle of an assignment, with skeletons in a language.

    `language` defaults to the course's; if that has no templates, the bundle has no skeletons. `templates` is the
    folder of the templates for starter kits. `is_installed` says that the reference comes with pitboss.

    Raises UsageError for a named language without templates, and for files that cannot be shipped. Errors from running
    the reference are passed on.
    """
    public = msgspec.structs.replace(public_part(assignment), language=language or assignment.language)
    assignment_path = f"specs/{assignment.name}"
    specs = spec_folder(public, withheld_files(assignment, public), is_installed=is_installed)
    kit = kit_of(public, public.language, templates, called=assignment_path, may_lack_programs=not language)
    if not assignment.ships_reference:
        kit |= handout_files(public.title, _without_reference_commands(kit["HANDOUT.md"]))
    if "Makefile" in kit:
        kit["Makefile"] = _with_stage_targets(kit["Makefile"], public, assignment_path)
    # kit_of has compared the names of the sessions' files with those of its own files, not with the README's.
    check_names(assignment, kit, ["README.md"])
    kit["README.md"] = readme_of(public, specs, templates, assignment_path, has_makefile="Makefile" in kit)
    files = {name: BundleFile(text.encode("utf-8", "surrogateescape")) for name, text in kit.items()}
    files |= {f"{assignment_path}/{name}": file for name, file in specs.files.items()}
    _check_paths(files, assignment.folder)
    has_skeletons = bool(language) or has_kit(assignment.language)
    no_skeletons = () if has_skeletons else (_NO_SKELETONS.format(assignment.language),)
    page_problem = why_no_page()
    no_page = (page_problem,) if page_problem else ()
    return Bundle(dict(sorted(files.items())), (*_sentences(assignment, specs), *no_skeletons, *no_page))


def public_part(assignment: Assignment) -> Assignment:
    stages = tuple(stage.with_cases(stage.spec.public_cases) for stage in assignment.stages)
    return msgspec.structs.replace(assignment, stages=stages)


def _without_reference_commands(handout: str) -> str:
    before, heading, after = handout.rpartition(_CHECK_HEADING)
    return before + heading + _NEEDS_REFERENCE.sub("", after) if heading else handout


def _with_stage_targets(makefile: str, assignment: Assignment, assignment_path: str) -> str:
    """The makefile with a target `check-STAGE` for each stage: adds the missing targets."""
    option = shlex.quote(assignment_path).replace("$", "$$")
    targets = [
        f"\ncheck-{stage.name}:\n\tpitboss check {stage.name} --assignment {option}\n\n.PHONY: check-{stage.name}\n"
        for stage in assignment.stages
        # `check-%` is make's pattern for all stages.
        if not re.search(rf"^check-(?:%|{re.escape(stage.name)}(?![\w-]))", makefile, re.MULTILINE)
    ]
    return "".join([makefile if makefile.endswith("\n") else f"{makefile}\n", *targets])


def _check_paths(files: dict[str, BundleFile], folder: Path) -> None:
    """Raise UsageError if a file reveals the path of the assignment, for example because the reference prints it."""
    path = str(folder.resolve())
    for name, file in files.items():
        # The path of a folder directly in / is too short: files contain such text by chance.
        if len(folder.resolve().parts) > 2 and path.encode("utf-8", "surrogateescape") in file.content:
            raise UsageError(
                f"{name} of the bundle would reveal the path of the assignment, {path}: fix the session, the handout "
                "or the reference that shows it"
            )


def _sentences(assignment: Assignment, specs: SpecFolder) -> tuple[str, ...]:
    """Sentences for the instructor on the contents of the bundle, and on what it lacks or cannot check."""
    total = sum(specs.session_counts.values())
    left_out_count = sum(case.visibility != "public" for stage in assignment.stages for case in stage.spec.cases)
    is_or_are = "is" if left_out_count == 1 else "are"
    left_out_text = f"; {counted(left_out_count, 'case')} that students may not see yet {is_or_are} left out"
    if assignment.ships_reference:
        unit = "seed" if assignment.is_seeded else "session"
        contents_text = f"the reference is in the bundle, as assignment.yaml says, so that any {unit} can be checked"
    else:
        sessions = f"{counted(total, 'session')} of the reference {'is' if total == 1 else 'are'}"
        contents_text = f"{sessions} in the bundle, but not the reference itself" if total else _NEITHER_IN_BUNDLE
    sentences = [contents_text + (left_out_text if left_out_count else "")]
    if specs.shipped.files:
        sentences.append(f"copied for the reference: {listed(sorted(specs.shipped.files))}")
    if specs.shipped.left_out:
        sentences.append(f"left out of the reference's folder: {listed(specs.shipped.left_out)}")
    stages_by_reason: dict[str, list[str]] = {}
    for stage in assignment.stages:
        stages_by_reason.setdefault(why_not_run(assignment, stage), []).append(stage.name)
    sentences += [
        f"{listed(names)}: {reason}, so the bundle only builds these programs; set `ship_reference: yes` in "
        "assignment.yaml to have the bundle check them"
        for reason, names in stages_by_reason.items()
        if reason
    ]
    if not assignment.ships_reference and (names := _names_of_replaceable_files(assignment)):
        file_text = f"{listed(names)}: students may hand in their own versions"
        sentences.append(f"{file_text}, but the bundle checks with the course's versions")
    return tuple(sentences)


def _names_of_replaceable_files(assignment: Assignment) -> list[str]:
    """The names of files in public cases that a submission may replace."""
    invocations = [invocation for stage in public_part(assignment).stages for invocation in stage.invocations]
    names = (file.name for invocation in invocations for file in invocation.files or () if file.may_be_submitted)
    return list(dict.fromkeys(names))


def readme_of(assignment: Assignment, specs: SpecFolder, templates: Path, called: str, *, has_makefile: bool) -> str:
    """The text of the README; `assignment` has only its public cases, and `called` is its path in the bundle."""
    stages = [stage for stage in assignment.stages if not stage.is_optional] or list(assignment.stages)
    option = f"--assignment {shlex.quote(called)}"
    check_command = f"pitboss check {stages[0].name} {option}"
    if has_makefile:
        rows = [("make check", "everything")]
        rows += [(f"make check-{stage.name}", f"{stage.name} alone") for stage in assignment.stages]
        rows.append((check_command, "the same without make"))
    else:
        rows = [(f"pitboss check {option}", "everything")]
        rows += [(f"pitboss check {stage.name} {option}", f"{stage.name} alone") for stage in assignment.stages]
    seeds = [] if assignment.ships_reference else sorted(seeds_of(stages[0]), key=lambda seed: (seed <= 0, seed))
    rows += [(f"{check_command} --seed {seed}", "one of the seeds below") for seed in seeds[:1]]
    width = max(len(command) for command, _ in rows)
    values = {
        "assignment": assignment,
        "commands": [(command.ljust(width), comment) for command, comment in rows],
        "counts": specs.session_counts,
        "why_not_run": partial(why_not_run, assignment),
        "seeds_of": lambda stage: seed_ranges_text(seeds_of(stage)),
    }
    return fill_template(templates, "bundle.md.j2", values)
