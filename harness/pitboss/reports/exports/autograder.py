"""Gradescope: the results of a submission, and the archive of an autograder, which jobs of GitHub Actions use too.

https://gradescope-autograders.readthedocs.io/en/latest/specs/: results.json has a score, and tests. The archive is
unpacked to /autograder/source, setup.sh is run once, and run_autograder for each submission. PITBOSS_AUTOGRADER
replaces /autograder.

    setup.sh, run_autograder, check     the scripts in the folder autograder/ beside this module
    settings.sh, requirements.txt       the options, and the versions of libraries
    failed.json                         the results to report if pitboss does not finish
    pitboss/…, specs/…                  pitboss, and the assignment
    reference/…                         the code of the references, if outside the assignment's folder
    given/1/…                           the folders of course files that were named with --given
"""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.gradebook.grades import Grade, format_sum, json_number
from pitboss.model.languages import LANGUAGES
from pitboss.model.notation import notation_of
from pitboss.reports.finding_sentences import stage_summary, summary_and_hint
from pitboss.reports.shell_commands import rerun_command

_SCRIPTS = Path(__file__).parent / "autograder"
#: Packages to install for every language: gcc builds the library that traces the programs.
_COMMON_PACKAGES = ("bubblewrap", "gcc", "libc6-dev", "make", "patch", "python3", "python3-venv", "util-linux")
#: The Debian packages that build and run the programs of a language.
PACKAGES = {name: language.packages for name, language in sorted(LANGUAGES.items()) if language.packages}
_NOT_CHECKED = (
    "This submission could not be checked, which is not your fault: the autograder did not finish. "
    "The score of 0 is only preliminary: please tell your instructor, who can have it checked again. "
    "Submitting the same program once more may help as well."
)
#: The earliest time that a zip file can store. Every member has this time, so that the same files give the same bytes.
_EARLIEST = (1980, 1, 1, 0, 0, 0)
#: The file type of a regular file in st_mode (S_IFREG, see inode(7)).
_REGULAR_FILE = 0o100000


class Member(msgspec.Struct, frozen=True, order=True):
    """A file of an archive."""

    name: str
    content: bytes
    is_executable: bool = False


def scripts(
    assignment: str,
    stages: Sequence[str],
    packages: Iterable[str],
    options: Sequence[str],
    executables: Iterable[str] = (),
) -> list[Member]:
    """Returns the scripts that Gradescope calls, and their settings.

    `stages` is empty for all stages; `options` are arguments of `pitboss check`, in which `$here` is the archive's
    folder. `executables` names the archive's other programs: setup.sh makes them executable, since some tools unpack
    files without executable bits.
    """
    members = [Member(path.name, path.read_bytes(), is_executable=True) for path in sorted(_SCRIPTS.iterdir())]
    names = sorted([*executables, *(member.name for member in members)])
    lines = [
        f"assignment={shlex.quote(assignment)}",
        f"stages=({' '.join(map(shlex.quote, stages))})",
        f"packages=({' '.join(map(shlex.quote, packages))})",
        f"options=({' '.join(map(_quoted_argument, options))})",
        f"executables=({' '.join(map(shlex.quote, names))})",
    ]
    settings = Member("settings.sh", "".join(f"{line}\n" for line in lines).encode())
    return [*members, settings, Member("failed.json", failed_json(_NOT_CHECKED).encode())]


def _quoted_argument(text: str) -> str:
    """Returns an argument quoted for the shell, which expands only `$here` in it."""
    return '"$here"'.join(shlex.quote(part) if part else "" for part in text.split("$here"))


def packages_for(languages: Iterable[str], more: Iterable[str] = ()) -> list[str]:
    """Returns the Debian packages to install for programs in these languages, and the packages in `more`."""
    return sorted({*_COMMON_PACKAGES, *(package for language in languages for package in PACKAGES[language]), *more})


def archive(members: Iterable[Member]) -> bytes:
    """Returns a zip file of the members; their order does not change the bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for member in sorted(members):
            info = zipfile.ZipInfo(member.name, _EARLIEST)
            info.create_system = 3  # Unix, which has executable bits
            mode = _REGULAR_FILE | (0o755 if member.is_executable else 0o644)
            info.external_attr = mode << 16  # Unix modes are in the upper 16 bits
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, member.content)
    return target.getvalue()


_VISIBILITIES = {"public": "visible", "hidden": "hidden", "after due": "after_due_date"}
#: The maximum number of characters that a student sees about one case.
_MAX_CHARACTERS = 10_000


def results_json(report: Report, grade: Grade) -> str:
    """Returns one submission's results as JSON.

    While the grade is open, `score` is its minimum, and `output` says why the score is not final.
    """
    is_final = grade.score is not None
    value = {
        "score": json_number(grade.so_far),
        "output": "\n".join(format_sum(grade)),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": [test for stage in report.stages for test in _tests(stage)],
        "extra_data": {"score": str(grade.score) if is_final else None, "out_of": str(grade.out_of)},
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def failed_json(sentence: str) -> str:
    """Returns results.json for a submission that could not be checked; `sentence` says why, and the score is 0."""
    value = {"score": 0, "output": sentence, "output_format": "text", "stdout_visibility": "hidden"}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _tests(stage: StageReport) -> list[dict[str, object]]:
    """Returns a test for each case of a stage, or one test for the stage if no session has a result."""
    if not stage.results:
        has_passed = stage.verdict is Verdict.ACCEPTED
        output = "\n".join(text for text in (stage_summary(stage), stage.build_messages) if text)
        return [
            {
                "name": stage.title or stage.stage,
                "status": "passed" if has_passed else "failed",
                "output": output[:_MAX_CHARACTERS],
                "output_format": "text",
                "visibility": "visible",
            }
        ]
    cases: dict[tuple[str, str], list[Result]] = {}
    for result in stage.results:
        cases.setdefault((result.case, result.visibility), []).append(result)
    ranks = {id(result): rank for rank, result in enumerate(stage.failures)}
    return [_test(stage, results, ranks) for results in cases.values()]


def _test(stage: StageReport, results: Sequence[Result], ranks: Mapping[int, int]) -> dict[str, object]:
    """Returns a test for a case. It shows one session: the failed one that comes first in `stage.failures`, if any.

    `ranks` has the position of each failed session in `stage.failures`, by the id() of the session's result.
    """
    accepted_count = sum(result.is_accepted for result in results)
    example = min(results, key=lambda result: ranks.get(id(result), len(ranks)))
    output = summary_and_hint(example)
    if len(results) > 1 and not stage.is_manual:
        count_sentence = f"{accepted_count} of {len(results)} sessions accepted."
        all_accepted = accepted_count == len(results)
        output = count_sentence if all_accepted else f"{count_sentence} {example.session}: {output}"
    if not example.is_accepted and example.verdict is not Verdict.SKIPPED:
        output += (
            f"\n\nexpected:\n{notation_of(example.expected.events)}\n\nshown:\n{notation_of(example.actual.events)}"
        )
    return {
        "name": f"{stage.stage}: {example.case}",
        # A manually graded stage has neither passed nor failed yet.
        **({} if stage.is_manual else {"status": "passed" if accepted_count == len(results) else "failed"}),
        "output": output[:_MAX_CHARACTERS],
        "output_format": "text",
        "visibility": _VISIBILITIES.get(example.visibility, "hidden"),
        "extra_data": {
            "verdict": example.verdict.value,
            "sessions": len(results),
            "accepted": accepted_count,
            "replay": rerun_command(example.rerun) if example.rerun else "",
        },
    }
