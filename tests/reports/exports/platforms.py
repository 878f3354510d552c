"""How learning platforms and spreadsheets read the files that pitboss writes.

Each small reader follows the documentation or the source of its platform, and shares no code with pitboss.
"""

import base64
import html.parser
import json
import re
from typing import NamedTuple

#: Moodle reads CSV by PHP's fgetcsv, which has an escape character; Canvas (Ruby) and Python's csv module have none.
PHP_ESCAPE = "\\"


def php_rows(text, delimiter=","):
    """The rows that PHP's fgetcsv reads: a quote after a backslash does not end a cell, and both characters are kept.

    https://www.php.net/manual/en/function.fgetcsv.php, the escape parameter.
    """
    rows_read, row, cell, is_quoted, index = [], [], "", False, 0
    while index < len(text):
        character = text[index]
        if is_quoted and character == PHP_ESCAPE and text[index + 1 : index + 2] == '"':
            cell, index = cell + '\\"', index + 2
        elif is_quoted and text[index : index + 2] == '""':
            cell, index = cell + '"', index + 2
        elif character == '"':
            is_quoted, index = not is_quoted, index + 1
        elif not is_quoted and character == delimiter:
            row, cell, index = [*row, cell], "", index + 1
        elif not is_quoted and character in "\r\n":
            rows_read, row, cell = [*rows_read, [*row, cell]], [], ""
            index += 2 if text[index : index + 2] == "\r\n" else 1
        else:
            cell, index = cell + character, index + 1
    return [*rows_read, [*row, cell]] if cell or row else rows_read


class Imported(NamedTuple):
    """What a platform reads from a file: grades and feedback by participant number, and why it ignores other rows."""

    grades: dict[str, float]
    feedback: dict[str, str]
    dropped: list[str]


def moodle_import(text, participants, max_grade, decimal_mark="."):
    """What Moodle imports from an offline grading worksheet: mod/assign/feedback/offline, importgradeslib.php.

    The columns Identifier, Grade and Last modified (grade) are required; the identifier is "Participant " and a number;
    a grade outside of 0 to `max_grade` is ignored silently; feedback is HTML.
    """
    (head, *rows) = php_rows(text.removeprefix("\ufeff"))
    columns = {name: head.index(name) for name in ("Identifier", "Grade", "Last modified (grade)")}
    feedback_index = head.index("Feedback comments") if "Feedback comments" in head else None
    imported = Imported({}, {}, [])
    for row in rows:
        number = row[columns["Identifier"]][len("Participant ") :]
        if number not in participants:
            imported.dropped.append(f"{number}: nobody")
            continue
        grade_text = row[columns["Grade"]].strip().replace(" ", "").replace(decimal_mark, ".")
        if grade_text not in ("", "-"):
            if not re.fullmatch(r"-?\d+(\.\d+)?", grade_text) or not 0 <= float(grade_text) <= max_grade:
                imported.dropped.append(f"{number}: out of range")
                continue
            imported.grades[number] = float(grade_text)
        if feedback_index is not None and len(row) > feedback_index:
            imported.feedback[number] = row[feedback_index]
    return imported


class _HtmlTextReader(html.parser.HTMLParser):
    """Collects the text of a piece of HTML, with a line break for each <br>, and the names of its tags."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", []

    def handle_data(self, data):
        self.text += data.replace("\n", "")  # only <br> breaks a line on the page

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.text += "\n" if tag == "br" else ""

    def handle_comment(self, data):
        self.tags.append("comment")


def read_as_html(text):
    """The text that a browser shows for a piece of HTML, and the set of its tags."""
    reader = _HtmlTextReader()
    reader.feed(text)
    reader.close()
    return reader.text, set(reader.tags)


def canvas_import(rows, students, titles):
    """What Canvas imports from a gradebook table: scores by (student, title), and remarks on what it does not import.

    Follows lib/gradebook_importer.rb. `students` maps each id to a set of other names (SIS id, login, name); `titles`
    are the assignments of the course, since Canvas creates an assignment for any other column. An empty cell or - is
    no score, and EX means excused.
    """
    head, *body = rows
    assert "Student" in head[0], "the first column is that of the student"
    assert head[1] == "ID"
    section_index = max(index for index, name in enumerate(head) if "Section" in name)
    columns = {index: name for index, name in enumerate(head) if index > section_index and "(read only)" not in name}
    new_assignments = [name for name in columns.values() if name not in titles]
    scores, remarks = {}, [f"{name}: a new assignment" for name in new_assignments]
    for row in body:
        if row[0].strip().startswith("Points Possible") or not any(row[:section_index]):
            continue
        student = next(
            (
                student_id
                for student_id, names in students.items()
                if row[1] == student_id or set(row[:section_index]) & names
            ),
            None,
        )
        if student is None:
            remarks.append(f"{row[0]}: nobody")
            continue
        for index, name in columns.items():
            cell = row[index] if index < len(row) else ""
            if cell in ("", "-"):
                continue
            if cell.upper() == "EX":
                scores[student, name] = "EX"
            elif re.fullmatch(r"[+-]?\d*\.?\d+", cell):
                scores[student, name] = float(cell)
            else:
                remarks.append(f"{row[0]}: {cell}")
    return scores, remarks


#: The keys that are allowed in results.json ("") and in each of its tests ("test"), and the allowed values by kind:
#: https://gradescope-autograders.readthedocs.io/en/latest/specs/
_GRADESCOPE = {
    "": "score execution_time output output_format test_output_format test_name_format visibility stdout_visibility "
    "extra_data tests leaderboard",
    "test": "score max_score status name name_format number output output_format tags visibility extra_data",
    "visibility": "hidden after_due_date after_published visible",
    "format": "text html simple_format md ansi",
}


def gradescope_score(text):
    """The score that Gradescope shows for a results.json, None if there is no score; and the problems in the file."""
    # JSON has no NaN or Infinity, which Python's json module accepts: as texts, they are no scores.
    results_json = json.loads(text, parse_constant=lambda constant: f"no number: {constant}")
    problems = [f"unknown: {name}" for name in results_json.keys() - set(_GRADESCOPE[""].split())]
    scores = [test.get("score") for test in results_json.get("tests", [])]
    score = results_json.get("score", None if not scores or None in scores else sum(scores))
    if not isinstance(score, int | float):
        problems.append("no score")
    kinds = {"visibility": "visibility", "stdout_visibility": "visibility", "output_format": "format"}
    for part in (results_json, *results_json.get("tests", [])):
        for key, kind in kinds.items():
            if key in part and part[key] not in _GRADESCOPE[kind].split():
                problems.append(f"{key}: {part[key]}")
        problems += [f"{key} is no text" for key in ("name", "output") if not isinstance(part.get(key, ""), str)]
        if "status" in part and part["status"] not in ("passed", "failed"):
            problems.append(f"status: {part['status']}")
    for test in results_json.get("tests", []):
        problems += [f"unknown: {name}" for name in test.keys() - set(_GRADESCOPE["test"].split())]
    return score, problems


def classroom_score(line):
    """The score that GitHub Classroom's reporter adds up from the output of a step, and the maximum score."""
    name, _, value = line.partition("=")
    assert (name, line.count("\n")) == ("result", 1)
    result = json.loads(base64.b64decode(value.strip(), validate=True))
    assert result["version"] == 1
    assert result["status"] in ("pass", "fail", "error")
    assert all({"name", "status", "score"} <= test.keys() for test in result["tests"])
    return sum(test["score"] for test in result["tests"]), result["max_score"]


_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
#: For each type, the form of the texts that a spreadsheet converts to it.
_SPREADSHEET_TYPES = {
    "formula": r"[=+\-@\t\r].*",
    "number": r"\s*[+-]?[$€£]?\s*(\d[\d,.]*|\.\d+)([eE][+-]?\d+)?\s*%?\s*",
    "date": rf"\s*(\d{{1,4}}\s*[-/. ]\s*\d{{1,2}}(\s*[-/. ]\s*\d{{0,4}})?"
    rf"|\d{{1,4}}\s*[-/. ]?\s*({_MONTHS})[a-z]*\.?\s*[-/., ]?\s*\d{{0,4}}"
    rf"|({_MONTHS})[a-z]*\.?\s*[-/., ]?\s*\d{{1,4}}(\s*[-/., ]\s*\d{{1,4}})?"
    r"|\d{1,4}-\d\d-\d\d[ T]\d\d?:\d\d(:\d\d)?|\d+:\d\d(:\d\d)?(\s*[ap]m?)?)\s*",
    "truth": r"true|false",
}


def spreadsheet_type(cell):
    """The type that a spreadsheet gives to a cell of a CSV file: formula, number, date, truth or text.

    Follows Excel and LibreOffice with US settings; a cell that either of them might convert is not text.
    """
    if re.fullmatch(r"-?\d+(\.\d+)?", cell):  # also a negative number, which begins like a formula
        return "number"
    types = (name for name, form in _SPREADSHEET_TYPES.items() if re.fullmatch(form, cell, re.IGNORECASE | re.DOTALL))
    return next(types, "text")


def survives_spreadsheet(cell):
    """Whether this cell is unchanged after a spreadsheet has opened and saved the CSV file."""
    cell_type = spreadsheet_type(cell)
    # A number loses its leading zeros, and all digits after the fifteenth.
    is_plain = re.fullmatch(r"(0|[1-9]\d{0,14})", cell) is not None
    return cell_type == "text" or (cell_type == "number" and is_plain)
