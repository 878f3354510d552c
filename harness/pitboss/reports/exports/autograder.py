"""The archive that Gradescope takes as an autograder; jobs of GitHub Actions use the same archive.

https://gradescope-autograders.readthedocs.io/en/latest/specs/: the archive is unpacked to /autograder/source, setup.sh
is run once, and run_autograder for each submission. PITBOSS_AUTOGRADER replaces /autograder.

    setup.sh, run_autograder, check     the scripts in autograder/
    settings.sh, requirements.txt       the options, and the versions of libraries
    failed.json                         the results to report if the check fails
    pitboss/…, specs/…                  pitboss, and the assignment
    reference/…                         the code of the references, if outside the assignment's folder
    given/1/…                           folders of course files that --given named
"""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from pitboss.model.languages import LANGUAGES
from pitboss.reports.exports.gradescope_results import failed_json

_SCRIPTS = Path(__file__).parent / "autograder"
#: Packages to install for every language: gcc builds the library that traces the programs.
_ALWAYS = ("bubblewrap", "gcc", "libc6-dev", "make", "python3", "python3-venv", "util-linux")
#: The Debian packages that build and run the programs of a language.
PACKAGES = {name: language.packages for name, language in sorted(LANGUAGES.items()) if language.packages}
_NO_FAULT = (
    "This submission could not be checked, which is not your fault: the autograder did not come to its end. "
    "The score of 0 is only preliminary: please tell your instructor, who can have it checked again. "
    "Submitting the same program once more may help as well."
)
#: The earliest time that a zip can store: every file has this time, so the same files make the same bytes.
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_REGULAR = 0o100000


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
    folder; `executables` names the archive's other programs, since some tools unpack files without executable bits.
    """
    members = [Member(path.name, path.read_bytes(), is_executable=True) for path in sorted(_SCRIPTS.iterdir())]
    names = sorted([*executables, *(member.name for member in members)])
    lines = [
        f"assignment={shlex.quote(assignment)}",
        f"stages=({' '.join(map(shlex.quote, stages))})",
        f"packages=({' '.join(map(shlex.quote, packages))})",
        f"options=({' '.join(map(_word, options))})",
        f"executables=({' '.join(map(shlex.quote, names))})",
    ]
    settings = Member("settings.sh", "".join(f"{line}\n" for line in lines).encode())
    return [*members, settings, Member("failed.json", failed_json(_NO_FAULT).encode())]


def _word(text: str) -> str:
    """Quotes a word for the shell; only `$here` in it is expanded."""
    return '"$here"'.join(shlex.quote(part) if part else "" for part in text.split("$here"))


def packages_for(languages: Iterable[str], more: Iterable[str] = ()) -> list[str]:
    """Returns the Debian packages to install for programs in these languages."""
    return sorted({*_ALWAYS, *(package for language in languages for package in PACKAGES[language]), *more})


def archive(members: Iterable[Member]) -> bytes:
    """Returns a zip of these files: the same bytes for the same files, in any order."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for member in sorted(members):
            info = zipfile.ZipInfo(member.name, _EARLIEST)
            info.create_system = 3  # Unix, which has executable bits
            info.external_attr = (_REGULAR | (0o755 if member.is_executable else 0o644)) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, member.content)
    return target.getvalue()
