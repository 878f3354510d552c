"""Sources with what is known of their lines: what the compiler and the sanitizers said, and facts of their form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from pitboss.compare.results import Report
from pitboss.gradebook.person_records import LineComment
from pitboss.model.quoting import readable
from pitboss.reports.fitting import cut_end
from pitboss.reports.screen import Piece, PieceKind

#: The maximum number of lines of a file, columns of a line, files, and remarks on a line that are shown.
_MAX_LINES, _LONGEST, _MAX_FILES, _MAX_REMARKS = 2_000, 400, 40, 8
#: The maximum number of characters of a line that are examined: an escape takes four columns or more.
_FAR = 4 * _LONGEST
#: A place in a message, and the message about it if that follows: `play.c:12:5: warning: …`, `In play.c, line 12, …`.
_PLACE = re.compile(
    r"(?<![\w./-])(?P<path>(?:[\w.+-]+/)*[\w.+-]+\.\w{1,4})(?::|, line )(?P<line>\d{1,6})(?::\d+)?(?::\s*(?P<said>.*))?"
)


#: The author of remarks that people wrote.
_PERSON = "comment"


class SourceText(Protocol):
    """A file of a submission."""

    @property
    def path(self) -> str:
        """Where it is in the submission."""

    @property
    def text(self) -> str:
        """What stands in it."""


class LineFact(Protocol):
    """Something known of a line, or with line 0 of a whole file."""

    @property
    def path(self) -> str:
        """Of which file."""

    @property
    def line(self) -> int:
        """Of which line."""

    @property
    def kind(self) -> str:
        """What kind of fact it is."""

    @property
    def text(self) -> str:
        """The sentence."""


class LineRemark(NamedTuple):
    """A remark on a line."""

    #: Who says it: the compiler, a sanitizer, or what kind of fact it is.
    by: str
    text: str

    @property
    def is_persons(self) -> bool:
        """Whether somebody wrote it as a comment."""
        return self.by == _PERSON


class CodeLine(NamedTuple):
    """A line of a source, as it is shown."""

    number: int
    text: str
    remarks: list[LineRemark]


class CodeFile(NamedTuple):
    """A source, as it is shown."""

    path: str
    #: Of the whole file.
    remarks: list[LineRemark]
    lines: list[CodeLine]
    #: How many further lines it has.
    more: int

    @property
    def remarked_lines(self) -> list[int]:
        """The numbers of the lines with remarks."""
        return [line.number for line in self.lines if line.remarks]


_Remarks = dict[tuple[str, int], list[LineRemark]]


def code_of(
    sources: Sequence[SourceText],
    report: Report | None,
    facts: Iterable[LineFact],
    comments: Iterable[LineComment] = (),
) -> list[CodeFile]:
    """Sources with remarks at their lines, people's first; of many files, lines and columns only the first."""
    shown = sources[:_MAX_FILES]
    remarks: _Remarks = defaultdict(list)
    for one in comments:
        text = "\n".join(map(_plain, one.text.split("\n")))
        remarks[one.path, one.line].append(LineRemark(_PERSON, text))
    for fact in facts:
        remarks[fact.path, fact.line].append(LineRemark(fact.kind.replace("_", " "), _plain(fact.text)))
    for by, text in _messages(report):
        _note(remarks, [one.path for one in shown], by, text)
    return [_file(one, remarks) for one in shown]


def _messages(report: Report | None) -> Iterable[tuple[str, str]]:
    """Yields all messages about lines, with their source."""
    for stage in report.stages if report else ():
        yield "compiler", stage.build_messages
        yield "in plain words", stage.build_explanation
        yield "crash", stage.crash
        yield "memory check", stage.memory


def _note(remarks: _Remarks, paths: Sequence[str], by: str, messages: str) -> None:
    """Add what messages say about lines of these files."""
    for line in messages.splitlines():
        for found in _PLACE.finditer(line[:_FAR]):
            path = _matching_path(found["path"], paths)
            if path is None:
                continue
            said = LineRemark(by, _plain(found["said"] or line))
            there = remarks[path, int(found["line"])]
            if said not in there:
                there.append(said)


def _matching_path(word: str, paths: Sequence[str]) -> str | None:
    """Returns the file that a message means: the same path, or the only one of which either ends with the other."""
    if word in paths:
        return word
    near = [path for path in paths if path.endswith(f"/{word}") or word.endswith(f"/{path}")]
    same = near or [path for path in paths if path.rpartition("/")[2] == word.rpartition("/")[2]]
    return same[0] if len(same) == 1 else None


def _file(source: SourceText, remarks: _Remarks) -> CodeFile:
    lines = source.text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    shown = [
        CodeLine(number, _plain(text), remarks.get((source.path, number), [])[:_MAX_REMARKS])
        for number, text in enumerate(lines[:_MAX_LINES], 1)
    ]
    return CodeFile(source.path, remarks.get((source.path, 0), []), shown, max(0, len(lines) - _MAX_LINES))


def _plain(text: str) -> str:
    """A line without anything that moves others or hides, and cut if it is long; tabs become blanks."""
    near = text[:_FAR].removesuffix("\r").expandtabs(8)
    shown = readable(near.encode("utf-8", "surrogatepass")).replace("\n", " ")
    return "".join(piece.text for piece in cut_end((Piece(PieceKind.SHOWN, shown),), _LONGEST))
