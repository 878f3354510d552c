"""Files that may have been meant as a program: a misnamed source, a compiled program, a document, an archive."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.machine.files import beginning_of
from pitboss.submissions.archives import is_archive
from pitboss.submissions.stage_files import expected_files, is_expected, likely_files

#: The first bytes of compiled files: ELF, Windows, Java, Mach-O.
_COMPILED_MAGIC = (b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa")
#: The first bytes of documents: office files (which are zip or OLE), PDF and rich text.
_DOCUMENT_MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF", b"{\\rtf")
_MAX_MAGIC_BYTES = max(map(len, (*_COMPILED_MAGIC, *_DOCUMENT_MAGIC)))
#: The maximum number of sentences.
_MAX_SENTENCES = 3
#: How similar two names must be to count as close, from 0 to 1: see difflib.
_MIN_SIMILARITY = 0.75


def sentences_on_likely_programs(paths: Iterable[Path], stage: Stage, *, has_code: bool) -> list[str]:
    """Returns a sentence for each file that may have been meant as a stage's program, for at most three files.

    `has_code`: whether the submission has sources. If so, only the names of the files are examined, not the contents.
    """
    sentences = (_sentence_on(path, stage, has_code=has_code) for path in sorted(paths))
    return [sentence for sentence in sentences if sentence][:_MAX_SENTENCES]


def closest_expected_name(name: str, stage: Stage) -> str:
    """Returns the file name that a stage expects and `name` resembles; empty if `name` is expected or resembles none.

    Such a name has an additional suffix (sums.c.txt), text after the stage's name (sums (1).c), or one or two wrong
    letters.
    """
    if is_expected(name, stage):
        return ""
    for expected in expected_files(stage):
        stem, suffix = Path(expected).stem.lower(), Path(expected).suffix.lower()
        if re.match(rf"{re.escape(expected.lower())}[^a-z0-9]", name.lower()):
            return expected
        actual = Path(name.lower())
        if actual.suffix == suffix and (
            re.match(rf"{re.escape(stem)}[^a-z]", actual.stem) or _is_similar(actual.stem, stem)
        ):
            return expected
    return ""


def _is_similar(name: str, other: str) -> bool:
    return bool(difflib.get_close_matches(name, [other], cutoff=_MIN_SIMILARITY))


def _sentence_on(path: Path, stage: Stage, *, has_code: bool) -> str:
    """Returns a sentence on a file that may have been meant as a stage's program; empty if nothing suggests that."""
    if expected_name := closest_expected_name(path.name, stage):
        return f"{path.name} would be graded if it were named {expected_name}."
    if has_code:
        return ""
    if is_archive(path):  # only archives within archives are passed here
        return f"{path.name} is an archive in an archive, which is not unpacked: hand it in separately."
    beginning = _first_bytes(path)
    if beginning.startswith(_COMPILED_MAGIC):
        return f"{path.name} is a compiled program: the source that it was made from is missing."
    if beginning.startswith(_DOCUMENT_MAGIC):
        return f"{path.name} is a document, not a program: save its text as {likely_files(stage)[0]}."
    return ""


def _first_bytes(path: Path) -> bytes:
    try:
        return beginning_of(path, _MAX_MAGIC_BYTES, follows_links=False)
    except OSError:  # the path cannot be read, is a link or is not a file
        return b""
