"""The archive that Gradescope takes as an autograder; jobs of GitHub Actions use the same archive.

https://gradescope-autograders.readthedocs.io/en/latest/specs/: the archive is unpacked to /autograder/source, setup.sh
is run once, and run_autograder for each submission. PITBOSS_AUTOGRADER replaces /autograder.

    setup.sh, run_autograder, check     the scripts in the folder autograder/ beside this module
    settings.sh, requirements.txt       the options, and the versions of libraries
    failed.json                         the results to report if pitboss does not finish
    pitboss/…, specs/…                  pitboss, and the assignment
    reference/…                         the code of the references, if outside the assignment's folder
    given/1/…                           the folders of course files that were named with --given
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
_COMMON_PACKAGES = ("bubblewrap", "gcc", "libc6-dev", "make", "python3", "python3-venv", "util-linux")
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
