"""What is entered on a person's page: it stands in the gradebook, the score follows, and the page says what changed."""

import datetime
import html

import pytest
from starlette.testclient import TestClient

from pitboss.assignments.rubricfile import RubricItem
from pitboss.assignments.specfile import load_assignment
from pitboss.gradebook.book import Gradebook
from pitboss.reports.review.application import application
from tests.conftest import ROOT
from tests.gradebook.made import ADA, BOB, NOON, handed
from tests.reports.review.conftest import HOST, TOKEN, Reader


def marked(reader, who="ada", **fields):
    """Send a form and follow where it leads."""
    output = reader.post(f"mark?who={who}", **fields)
    assert output.status_code == 303, output.text
    return html.unescape(reader.client.get(reader.home + output.headers["location"]).text)


def test_an_override_is_kept_with_its_reason_and_changes_the_score(reader, opened):
    page = marked(reader, override="85.5", reason="the power went out")
    assert "Noted: override 85.5 points, by <bdi>the tests</bdi>: the power went out" in page
    assert "The score was 100 and is now 85.5 of 100." in page
    (mark,) = opened.marks("ada")
    assert (mark.kind, mark.value, mark.reason, mark.by) == ("override", "171/2", "the power went out", "the tests")
    assert opened.score("ada").why == ("marked manually: the power went out",)
    assert "Score: 85.5 of 100" in reader.page("person?who=ada")


def test_a_style_score_is_noted_even_where_it_does_not_count(reader, opened):
    page = marked(reader, style="4/5")
    assert "Noted: style 80 %, by <bdi>the tests</bdi>" in page
    assert "The score stays 100 of 100." in page
    assert "Style, now 80 %" in page
    assert opened.row(ADA).style == "4/5"


def test_a_comment_is_text_whatever_it_says(reader, opened):
    output = reader.post("mark?who=ada", comment="none\r\n<b>well</b>")
    page = reader.client.get(reader.home + output.headers["location"]).text
    assert "none\n&lt;b&gt;well&lt;/b&gt;" in page
    assert "<b>well</b>" not in page
    assert [one.value for one in opened.row(ADA).comments] == ["none\n<b>well</b>"]


def test_several_things_at_once(reader, opened):
    marked(reader, style="80%", override="90", reason="late bus", comment="Well done.")
    assert [(one.kind, one.value) for one in opened.marks("ada")] == [
        ("style", "4/5"),
        ("override", "90"),
        ("comment", "Well done."),
    ]


def test_what_was_given_is_taken_back_and_stays_in_the_history(reader, opened):
    marked(reader, override="5", reason="copied", style="10%", comment="See me.")
    for kind in ("override", "style", "comment"):
        assert f"Noted: {kind} taken back" in marked(reader, take_back=kind)
    row = opened.row(ADA)
    assert (row.override, row.style, row.comments) == (None, "", ())
    assert str(opened.score("ada").grade.score) == "100"
    page = reader.page("person?who=ada")
    assert "All marks (6)" in page
    assert "Earlier scores (2)" in page


def test_what_two_pages_write_is_all_kept(reader, opened):
    """Another tab was opened before: it sends only what was entered there, and undoes nothing."""
    marked(reader, comment="From one tab.")
    marked(reader, comment="From the other.")
    assert [one.value for one in opened.row(ADA).comments] == ["From one tab.", "From the other."]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Nothing was entered: give a style score, an override with a reason, or a comment"),
        ({"comment": " \n "}, "Nothing was entered: give a style score, an override with a reason, or a comment"),
        (
            {"style": "110%"},
            "Style '110%' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5",
        ),
        ({"style": "1e999999999"}, "Style '1e999999999' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"),
        ({"override": "80"}, "An override needs a reason: it is shown in the student's sum"),
        ({"override": "-1", "reason": "x"}, "Override '-1' — it must be a number of points, such as 85 or 85.5"),
        ({"override": "1/0", "reason": "x"}, "Override '1/0' — it must be a number of points, such as 85 or 85.5"),
        ({"take_back": "due"}, "Only a style score, an override, comments, requests and stage scores can be taken back here"),
        ({"stage teller": "1"}, "'teller' — manually graded stages are none"),
        ({"answer": "Yes."}, "Ada Lovelace has no open request that could be answered"),
        ({"request": "Please look.", "declined": "yes"}, "Declining a request needs an answer, which the student reads: write it"),
        ({"comment": "x" * 20_001}, "The comment has 20,001 characters; at most 20,000 are allowed"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_reported_and_nothing_is_lost(reader, opened, fields, sentence):
    output = reader.post("mark?who=ada", **fields)
    assert output.status_code == 422
    page = html.unescape(output.text)
    assert f"<p>{sentence}</p>" in page
    assert all(value.strip() in page for value in fields.values() if not {"take_back", "stage teller"} & set(fields))
    assert opened.marks("ada") == []


def test_nothing_of_a_form_is_kept_where_part_of_it_is_wrong(reader, opened):
    assert reader.post("mark?who=ada", style="80%", override="90").status_code == 422
    assert opened.marks("ada") == []


def test_a_form_without_end_is_refused(reader):
    output = reader.post("mark?who=ada", comment="x" * 300_000)
    assert output.status_code == 413
    assert "Too long: a form has at most 200,000 bytes." in output.text


def test_a_form_with_too_many_fields_is_refused(reader, opened):
    output = reader.post("mark?who=ada", **{f"stage {number}": "1" for number in range(101)})
    assert (output.status_code, opened.marks("ada")) == (413, [])
    assert "Too many fields: a form has at most 100." in output.text


def test_the_way_through_the_class_outlasts_a_form(reader):
    output = reader.post("mark?who=bob&sort=-score&name=b", style="80%")
    assert output.headers["location"] == "person?who=bob&name=b&sort=-score&marks=0&scores=1#noted"


def test_a_stage_that_a_person_grades_is_given_a_share(book):
    assignment = load_assignment(ROOT / "specs" / "blackjack")
    app = application(book, assignment, TOKEN, lambda files: (), lambda book: {}, by="me")
    with TestClient(app, base_url=HOST) as client:
        client.get(f"/?token={TOKEN}")
        reader = Reader(client)
        output = reader.post("mark?who=ada", **{"stage extra": "1/2"})
        assert output.status_code == 200
        assert "Noted: stage extra 50 %, by <bdi>me</bdi>" in output.text
        assert "extra, which you grade, now 50 %" in output.text
        assert "Noted: stage extra taken back" in reader.post("mark?who=ada", take_back="stage extra").text
    with Gradebook(book) as opened:
        assert [(one.kind, one.value) for one in opened.marks("ada")] == [("stage extra", "1/2"), ("stage extra", "")]


def test_a_request_is_entered_found_in_the_class_and_answered(reader, opened):
    assert "Answer to the request" not in reader.page("person?who=bob")
    page = marked(reader, who="bob", request="Case 2 is <right>.\r\nIs it?")
    assert "Noted: request Case 2 is <right>.\nIs it?, by <bdi>the tests</bdi>" in page
    assert "<strong>Not answered yet</strong>" in page
    assert "The score stays 50 of 100." in page
    table = reader.page()
    assert '<a href="?state=open+request">1 open request</a>' in table
    assert '<p role="status" id="class">1 of 3 shown</p>' in reader.page("?state=open+request")
    page = marked(reader, who="bob", answer="It is: thank you.", override="100", reason="case 2 is right")
    assert "<p>Answered: It is: thank you.</p>" in page
    assert "The score was 50 and is now 100 of 100." in page
    assert '<p role="status" id="class">0 of 3 shown</p>' in reader.page("?state=open+request")
    (request,) = opened.row(BOB).requests
    assert (request.state, request.by, request.answered_by) == ("answered", "the tests", "the tests")


def test_a_request_is_declined_or_taken_back(reader, opened):
    marked(reader, request="Once more?")
    assert "Noted: request declined: Not again., by" in marked(reader, answer="Not again.", declined="yes")
    marked(reader, request="And now?")
    assert "Noted: request taken back" in marked(reader, take_back="request")
    assert [(one.text, one.state, one.answer) for one in opened.row(ADA).requests] == [
        ("Once more?", "declined", "Not again.")
    ]


def test_items_of_the_rubric_are_picked_with_checkboxes(reader, opened):
    assert "Rubric" not in reader.page("person?who=ada")
    opened.set_rubric([RubricItem("names", "Good <names>.", "0"), RubricItem("short", "Too short.", "-5/2")])
    page = reader.page("person?who=ada")
    box = '<input type="checkbox" name="picks" value="short">'
    assert box in page
    assert "Good &lt;names&gt;." in page
    page = marked(reader, were="", picks=["short", "names"])
    assert "Noted: rubric names picked" in page
    assert "The score was 100 and is now 97.5 of 100." in page
    assert '<td>rubric: Too short.</td><td class="number">−2.5</td>' in page
    assert 'name="were" value="names short"' in page
    # Another page was made before the first: it sends what it has changed alone.
    page = marked(reader, were="", picks=["names"], comment="Well.")
    assert [one.key for one in opened.row(ADA).picked] == ["names", "short"]
    page = marked(reader, were="names short", picks=["names"])
    assert "Noted: rubric short taken back" in page
    assert box in page
    output = reader.post("mark?who=ada", were="names", picks=["short"], style="very good")
    assert output.status_code == 422
    assert '<input type="checkbox" name="picks" value="short" checked>' in output.text
    assert 'name="were" value="names"' in output.text
    output = reader.post("mark?who=ada", were="", picks=["nmes"])
    assert "Rubric 'nmes' — the rubric has names, short; did you mean 'names'?" in html.unescape(output.text)


def test_a_comment_stands_at_its_line_until_another_program_counts(reader, opened):
    page = reader.page("person?who=ada&file=teller.c&line=2")
    assert '<textarea id="line-comment" name="line_comment" form="adding" rows="2" autofocus></textarea>' in page
    assert 'name="line" form="adding" value="2"' in page
    assert 'href="person?who=ada&amp;file=teller.c&amp;line=3#at-line"' in page
    output = reader.post("mark?who=ada", file="teller.c", line="2", line_comment="Why <b>this</b>?\r\nSee page 7.")
    assert output.headers["location"] == "person?who=ada&marks=0&scores=1#file-1-2"
    page = reader.client.get(reader.home + output.headers["location"]).text
    at_line = '<span class="remark persons"><b>comment:</b> Why &lt;b&gt;this&lt;/b&gt;?\nSee page 7.\n</span>'
    assert at_line in page[page.index('id="file-1-2"') : page.index('id="file-1-3"')]
    assert "Noted: comment at teller.c:2 Why &lt;b&gt;this" in page
    assert "<blockquote><code>teller.c:2</code>: Why &lt;b&gt;this&lt;/b&gt;?\nSee page 7.</blockquote>" in page
    assert at_line in reader.page("beside?who=ada")
    assert "Noted: comment at teller.c:2 taken back" in marked(reader, take_back="line teller.c:2")
    assert opened.row(ADA).line_comments == ()
    marked(reader, file="teller.c", line="1", line_comment="Good.")
    assert [one.place for one in opened.row(ADA).line_comments] == ["teller.c:1"]
    later = NOON + datetime.timedelta(days=1)
    opened.add_submissions([(handed(ADA, at=later), "p9")])
    assert opened.row(ADA).line_comments == ()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"file": "teller.c", "line": "9"}, "Comment on a line: 'teller.c:9' — teller.c has 3 lines"),
        (
            {"file": "teller.c", "line": "two"},
            "Comment on a line: 'teller.c:two' — it must be a file and a line: main.c:12",
        ),
        (
            {"file": "seller.c", "line": "1"},
            "Comment on a line: 'seller.c' — the sources of Ada Lovelace are teller.c; did you mean 'teller.c'?",
        ),
    ],
)
def test_a_line_that_is_not_there_is_reported_and_the_comment_stays_in_its_field(reader, opened, fields, sentence):
    output = reader.post("mark?who=ada", **fields, line_comment="Why this?")
    assert output.status_code == 422
    assert f"<p>{sentence}</p>" in html.unescape(output.text)
    assert '<textarea id="line-comment" name="line_comment" form="adding" rows="2">Why this?</textarea>' in output.text
    assert opened.marks("ada") == []
