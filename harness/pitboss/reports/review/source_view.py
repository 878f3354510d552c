"""Sources with remarks on their lines: messages of the compiler and the sanitizers, and facts on their form."""

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

#: The maximum number of lines of a file, columns of a line, files, and remarks on a line to show.
_MAX_LINES, _MAX_COLUMNS, _MAX_FILES, _MAX_REMARKS = 2_000, 400, 40, 8
#: The maximum number of characters of a line that are examined: an escape takes four columns or more.
_MAX_EXAMINED = 4 * _MAX_COLUMNS
#: A location in a message, and the text after it, if any: `play.c:12:5: warning: …`, `In play.c, line 12, …`.
_LOCATION = re.compile(
    r"(?<![\w./-])(?P<path>(?:[\w.+-]+/)*[\w.+-]+\.\w{1,4})(?::|, line )(?P<line>\d{1,6})(?::\d+)?(?::\s*(?P<text>.*))?"
)


#: The author of remarks that people wrote.
_COMMENT = "comment"


class SourceText(Protocol):
    """A file of a submission."""

    @property
    def path(self) -> str:
        """The path in the submission."""

    @property
    def text(self) -> str:
        """The contents."""


class LineFact(Protocol):
    """A fact on a line, or on the file as a whole if the line is 0."""

    @property
    def path(self) -> str:
        """The path of the file."""

    @property
    def line(self) -> int:
        """The number of the line."""

    @property
    def kind(self) -> str:
        """The kind of fact."""

    @property
    def text(self) -> str:
        """The sentence."""


class LineRemark(NamedTuple):
    """A remark on a line."""

    #: The author: the compiler, a sanitizer, a person, or the kind of fact.
    by: str
    text: str

    @property
    def is_persons(self) -> bool:
        """Whether it is a comment that a person wrote."""
        return self.by == _COMMENT


class CodeLine(NamedTuple):
    """A line of a source, as displayed."""

    number: int
    text: str
    remarks: list[LineRemark]


class CodeFile(NamedTuple):
    """A source, as displayed."""

    path: str
    #: Remarks on the file as a whole.
    remarks: list[LineRemark]
    lines: list[CodeLine]
    #: The number of lines that are not displayed.
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
    """Sources with remarks at their lines, comments first; files, lines and columns beyond the limits are omitted."""
    files = sources[:_MAX_FILES]
    remarks: _Remarks = defaultdict(list)
    for comment in comments:
        text = "\n".join(map(_plain_line, comment.text.split("\n")))
        remarks[comment.path, comment.line].append(LineRemark(_COMMENT, text))
    for fact in facts:
        remarks[fact.path, fact.line].append(LineRemark(fact.kind.replace("_", " "), _plain_line(fact.text)))
    for by, text in _messages(report):
        _add_remarks(remarks, [source.path for source in files], by, text)
    return [_code_file(source, remarks) for source in files]


def _messages(report: Report | None) -> Iterable[tuple[str, str]]:
    """Yields all messages about lines, each after its author."""
    for stage in report.stages if report else ():
        yield "compiler", stage.build_messages
        yield "in plain words", stage.build_explanation
        yield "crash", stage.crash
        yield "memory check", stage.memory


def _add_remarks(remarks: _Remarks, paths: Sequence[str], by: str, messages: str) -> None:
    """Add to `remarks` the messages about lines of these files."""
    for line in messages.splitlines():
        for match in _LOCATION.finditer(line[:_MAX_EXAMINED]):
            path = _matching_path(match["path"], paths)
            if path is None:
                continue
            remark = LineRemark(by, _plain_line(match["text"] or line))
            line_remarks = remarks[path, int(match["line"])]
            if remark not in line_remarks:
                line_remarks.append(remark)


def _matching_path(word: str, paths: Sequence[str]) -> str | None:
    """Returns the path that a message refers to: the same path, or the only path with the same end."""
    if word in paths:
        return word
    suffix_matches = [path for path in paths if path.endswith(f"/{word}") or word.endswith(f"/{path}")]
    candidates = suffix_matches or [path for path in paths if path.rpartition("/")[2] == word.rpartition("/")[2]]
    return candidates[0] if len(candidates) == 1 else None


def _code_file(source: SourceText, remarks: _Remarks) -> CodeFile:
    """A source with its remarks, cut after the maximum number of lines."""
    lines = source.text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    code_lines = [
        CodeLine(number, _plain_line(text), remarks.get((source.path, number), [])[:_MAX_REMARKS])
        for number, text in enumerate(lines[:_MAX_LINES], 1)
    ]
    return CodeFile(source.path, remarks.get((source.path, 0), []), code_lines, max(0, len(lines) - _MAX_LINES))


def _plain_line(text: str) -> str:
    """A line without characters that hide or move text, cut if it is long; tabs become blanks."""
    start = text[:_MAX_EXAMINED].removesuffix("\r").expandtabs(8)
    readable_text = readable(start.encode("utf-8", "surrogatepass")).replace("\n", " ")
    return "".join(piece.text for piece in cut_end((Piece(PieceKind.SHOWN, readable_text),), _MAX_COLUMNS))
