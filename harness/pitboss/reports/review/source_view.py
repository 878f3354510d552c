"""Sources with remarks on their lines: people's comments, messages of compiler and sanitizers, facts about style."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pitboss.compare.results import Report
from pitboss.gradebook.marks import LineComment
from pitboss.gradebook.people import SourceFile
from pitboss.model.quoting import readable
from pitboss.reports.screen import Piece, PieceKind, cut_end
from pitboss.reports.style_facts import Fact

#: The maximum numbers of lines of a file and of columns of a line to show.
_MAX_LINES, _MAX_COLUMNS = 2_000, 400
#: The maximum numbers of files and of remarks on a line to show.
_MAX_FILES, _MAX_REMARKS = 40, 8
#: The maximum number of characters of a line that are examined, which is more than can be displayed. An escape takes
#: four columns or more.
_MAX_EXAMINED = 4 * _MAX_COLUMNS
#: A location in a message, and the text after it, if any: `play.c:12:5: warning: …`, `In play.c, line 12, …`.
_LOCATION = re.compile(
    r"(?<![\w./-])(?P<path>(?:[\w.+-]+/)*[\w.+-]+\.\w{1,4})(?::|, line )(?P<line>\d{1,6})(?::\d+)?(?::\s*(?P<text>.*))?"
)
#: The author (`LineRemark.by`) of all remarks that people wrote.
_COMMENT = "comment"


class LineRemark(NamedTuple):
    """A remark on a line."""

    #: The author of the remark, such as `compiler`; `comment` for any person; for a fact, the kind of fact.
    by: str
    text: str

    @property
    def is_by_person(self) -> bool:
        return self.by == _COMMENT


class CodeLine(NamedTuple):
    """A line of a source file, as displayed."""

    number: int
    text: str
    remarks: list[LineRemark]


class CodeFile(NamedTuple):
    """A source file, as displayed."""

    path: str
    #: Remarks on the file as a whole.
    remarks: list[LineRemark]
    lines: list[CodeLine]
    #: The number of lines that are not displayed.
    more: int

    @property
    def remarked_lines(self) -> list[int]:
        return [line.number for line in self.lines if line.remarks]


#: The remarks on each line, by the path and the line number; number 0 means the whole file.
_Remarks = dict[tuple[str, int], list[LineRemark]]


def annotated_files(
    sources: Sequence[SourceFile],
    report: Report | None,
    facts: Iterable[Fact],
    comments: Iterable[LineComment] = (),
) -> list[CodeFile]:
    """Returns the sources with remarks on their lines; on each line people's comments come first.

    Files, lines and columns beyond the limits above are omitted.
    """
    files = sources[:_MAX_FILES]
    remarks: _Remarks = defaultdict(list)
    for comment in comments:
        text = "\n".join(map(_plain_line, comment.text.split("\n")))
        remarks[comment.path, comment.line].append(LineRemark(_COMMENT, text))
    for fact in facts:
        remarks[fact.path, fact.line].append(LineRemark(fact.kind.replace("_", " "), _plain_line(fact.text)))
    for author, text in _messages(report):
        _add_remarks(remarks, [source.path for source in files], author, text)
    return [_code_file(source, remarks) for source in files]


def _messages(report: Report | None) -> Iterable[tuple[str, str]]:
    """Yields pairs of an author and the author's messages, which may name lines of files."""
    for stage in report.stages if report else ():
        yield "compiler", stage.build_messages
        yield "in plain words", stage.build_explanation
        yield "crash", stage.crash
        yield "memory check", stage.memory


def _add_remarks(remarks: _Remarks, paths: Sequence[str], author: str, messages: str) -> None:
    """Add to `remarks` the messages that name lines of these files."""
    for line in messages.splitlines():
        for match in _LOCATION.finditer(line[:_MAX_EXAMINED]):
            path = _matching_path(match["path"], paths)
            if path is None:
                continue
            remark = LineRemark(author, _plain_line(match["text"] or line))
            line_remarks = remarks[path, int(match["line"])]
            if remark not in line_remarks:
                line_remarks.append(remark)


def _matching_path(message_path: str, paths: Sequence[str]) -> str | None:
    """Returns the path to which the path in a message refers; None if no path matches, or several match.

    An equal path matches best. Next best, one of the two paths ends with the other; last, their file names are equal.
    """
    if message_path in paths:
        return message_path
    suffix_matches = [path for path in paths if path.endswith(f"/{message_path}") or message_path.endswith(f"/{path}")]
    candidates = suffix_matches or [
        path for path in paths if path.rpartition("/")[2] == message_path.rpartition("/")[2]
    ]
    return candidates[0] if len(candidates) == 1 else None


def _code_file(source: SourceFile, remarks: _Remarks) -> CodeFile:
    """Returns a source file with its remarks, cut after the maximum number of lines."""
    lines = source.text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    code_lines = [
        CodeLine(number, _plain_line(text), remarks.get((source.path, number), [])[:_MAX_REMARKS])
        for number, text in enumerate(lines[:_MAX_LINES], 1)
    ]
    return CodeFile(source.path, remarks.get((source.path, 0), []), code_lines, max(0, len(lines) - _MAX_LINES))


def _plain_line(text: str) -> str:
    """Returns a line with escapes for characters that hide or move text; tabs become blanks, and a long line is cut."""
    start = text[:_MAX_EXAMINED].removesuffix("\r").expandtabs(8)
    readable_text = readable(start.encode("utf-8", "surrogatepass")).replace("\n", " ")
    return "".join(piece.text for piece in cut_end((Piece(PieceKind.SHOWN, readable_text),), _MAX_COLUMNS))
