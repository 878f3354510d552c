"""What platforms and spreadsheets make of the files that we write: small readers after their documents, not our code."""

import base64
import html.parser
import json
import re
from typing import NamedTuple

#: Python's csv reads as Canvas' (Ruby) does; Moodle's fgetcsv has an escape character besides.
PHP_ESCAPE = "\\"


def php_rows(text, delimiter=","):
    """The rows that PHP's fgetcsv reads: a backslash keeps the quote after it from ending a cell, and stays.

    https://www.php.net/manual/en/function.fgetcsv.php, the escape parameter.
    """
    rows, row, cell, is_quoted, at = [], [], "", False, 0
    while at < len(text):
        letter = text[at]
        if is_quoted and letter == PHP_ESCAPE and text[at + 1 : at + 2] == '"':
            cell, at = cell + '\\"', at + 2
        elif is_quoted and text[at : at + 2] == '""':
            cell, at = cell + '"', at + 2
        elif letter == '"':
            is_quoted, at = not is_quoted, at + 1
        elif not is_quoted and letter == delimiter:
            row, cell, at = [*row, cell], "", at + 1
        elif not is_quoted and letter in "\r\n":
            rows, row, cell = [*rows, [*row, cell]], [], ""
            at += 2 if text[at : at + 2] == "\r\n" else 1
        else:
            cell, at = cell + letter, at + 1
    return [*rows, [*row, cell]] if cell or row else rows


class Imported(NamedTuple):
    """What a platform takes of a file, by the person's number there, and what it passes over."""

    grades: dict[str, float]
    feedback: dict[str, str]
    dropped: list[str]


def moodle_takes(text, participants, most, decimal_mark="."):
    """What Moodle's offline grading worksheet takes: mod/assign/feedback/offline, importgradeslib.php.

    The columns Identifier, Grade and Last modified (grade) are needed; a person is the number behind "Participant ";
    a grade out of 0 to `most` is passed over without a word; feedback is HTML.
    """
    (head, *rows) = php_rows(text.removeprefix("\ufeff"))
    columns = {name: head.index(name) for name in ("Identifier", "Grade", "Last modified (grade)")}
    feedback_at = head.index("Feedback comments") if "Feedback comments" in head else None
    taken = Imported({}, {}, [])
    for row in rows:
        who = row[columns["Identifier"]][len("Participant ") :]
        if who not in participants:
            taken.dropped.append(f"{who}: nobody")
            continue
        word = row[columns["Grade"]].strip().replace(" ", "").replace(decimal_mark, ".")
        if word not in ("", "-"):
            if not re.fullmatch(r"-?\d+(\.\d+)?", word) or not 0 <= float(word) <= most:
                taken.dropped.append(f"{who}: out of range")
                continue
            taken.grades[who] = float(word)
        if feedback_at is not None and len(row) > feedback_at:
            taken.feedback[who] = row[feedback_at]
    return taken


class _Text(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", []

    def handle_data(self, data):
        self.text += data.replace("\n", "")  # in HTML a blank

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.text += "\n" if tag == "br" else ""

    def handle_comment(self, data):
        self.tags.append("comment")


def read_as_html(text):
    """What a browser shows of a piece of HTML, and the tags in it."""
    reader = _Text()
    reader.feed(text)
    reader.close()
    return reader.text, set(reader.tags)


def canvas_takes(rows, students, titles):
    """What Canvas' gradebook import takes, as scores by student and title: lib/gradebook_importer.rb.

    `students` are pairs of an id and the sets of a SIS id, a login and a name; `titles` those that the course has,
    since any other one becomes a new assignment. A blank or - is no score, EX is excused, a % is of the points.
    """
    head, *body = rows
    assert "Student" in head[0], "the first column is that of the student"
    assert head[1] == "ID"
    last = max(at for at, name in enumerate(head) if "Section" in name)
    columns = {at: name for at, name in enumerate(head) if at > last and "(read only)" not in name}
    new = [name for name in columns.values() if name not in titles]
    taken, dropped = {}, [f"{name}: a new assignment" for name in new]
    for row in body:
        if row[0].strip().startswith("Points Possible") or not any(row[:last]):
            continue
        who = next((one for one, words in students.items() if row[1] == one or set(row[:last]) & words), None)
        if who is None:
            dropped.append(f"{row[0]}: nobody")
            continue
        for at, name in columns.items():
            word = row[at] if at < len(row) else ""
            if word in ("", "-"):
                continue
            if word.upper() == "EX":
                taken[who, name] = "EX"
            elif re.fullmatch(r"[+-]?\d*\.?\d+", word):
                taken[who, name] = float(word)
            else:
                dropped.append(f"{row[0]}: {word}")
    return taken, dropped


#: https://gradescope-autograders.readthedocs.io/en/latest/specs/
_GRADESCOPE = {
    "": "score execution_time output output_format test_output_format test_name_format visibility stdout_visibility "
    "extra_data tests leaderboard",
    "test": "score max_score status name name_format number output output_format tags visibility extra_data",
    "visibility": "hidden after_due_date after_published visible",
    "format": "text html simple_format md ansi",
}


def gradescope_takes(text):
    """The score that Gradescope shows for a results.json, None where it is refused; and what is wrong with it."""
    value = json.loads(text, parse_constant=lambda word: f"no number: {word}")
    wrong = [f"unknown: {name}" for name in value.keys() - set(_GRADESCOPE[""].split())]
    scores = [test.get("score") for test in value.get("tests", [])]
    score = value.get("score", None if not scores or None in scores else sum(scores))
    if not isinstance(score, int | float):
        wrong.append("no score")
    for test in (value, *value.get("tests", [])):
        kinds = (("visibility", "visibility"), ("stdout_visibility", "visibility"), ("output_format", "format"))
        for key, kind in kinds:
            if key in test and test[key] not in _GRADESCOPE[kind].split():
                wrong.append(f"{key}: {test[key]}")
        wrong += [f"{key} is no text" for key in ("name", "output") if not isinstance(test.get(key, ""), str)]
        if "status" in test and test["status"] not in ("passed", "failed"):
            wrong.append(f"status: {test['status']}")
    for test in value.get("tests", []):
        wrong += [f"unknown: {name}" for name in test.keys() - set(_GRADESCOPE["test"].split())]
    return score, wrong


def classroom_takes(line):
    """The points that GitHub Classroom's reporter adds up from the output of a step, and how many there are."""
    name, _, value = line.partition("=")
    assert (name, line.count("\n")) == ("result", 1)
    result = json.loads(base64.b64decode(value.strip(), validate=True))
    assert result["version"] == 1
    assert result["status"] in ("pass", "fail", "error")
    assert all({"name", "status", "score"} <= one.keys() for one in result["tests"])
    return sum(one["score"] for one in result["tests"]), result["max_score"]


_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_SPREADSHEET = {
    "formula": r"[=+\-@\t\r].*",
    "number": r"\s*[+-]?[$€£]?\s*(\d[\d,.]*|\.\d+)([eE][+-]?\d+)?\s*%?\s*",
    "date": rf"\s*(\d{{1,4}}\s*[-/. ]\s*\d{{1,2}}(\s*[-/. ]\s*\d{{0,4}})?"
    rf"|\d{{1,4}}\s*[-/. ]?\s*({_MONTHS})[a-z]*\.?\s*[-/., ]?\s*\d{{0,4}}"
    rf"|({_MONTHS})[a-z]*\.?\s*[-/., ]?\s*\d{{1,4}}(\s*[-/., ]\s*\d{{1,4}})?"
    r"|\d{1,4}-\d\d-\d\d[ T]\d\d?:\d\d(:\d\d)?|\d+:\d\d(:\d\d)?(\s*[ap]m?)?)\s*",
    "truth": r"true|false",
}


def spreadsheet_makes(cell):
    """What a spreadsheet makes of a cell of CSV that it opens: formula, number, date, truth or text.

    As Excel and LibreOffice in their American settings do, on the careful side.
    """
    kinds = (kind for kind, rule in _SPREADSHEET.items() if re.fullmatch(rule, cell, re.IGNORECASE | re.DOTALL))
    found = next(kinds, "text")
    if re.fullmatch(r"-?\d+(\.\d+)?", cell):
        return "number"
    return found


def survives(cell):
    """Whether a spreadsheet that opens a cell and writes it again has left it as it was."""
    kind = spreadsheet_makes(cell)
    is_plain = re.fullmatch(r"(0|[1-9]\d{0,14})", cell) is not None
    return kind == "text" or (kind == "number" and is_plain)
