import datetime
import html

import pytest
from starlette.testclient import TestClient

from pitboss.assignments.gradingfile import RubricItem
from pitboss.assignments.specfile import load_assignment
from pitboss.gradebook.book import Gradebook
from pitboss.reports.review.application import application
from tests.conftest import ROOT
from tests.gradebook.made import ADA, BOB, NOON, submission_by
from tests.reports.review.conftest import HOST, TOKEN, Reader


def send_marks(reader, who="ada", **fields):
    """Send the form of a person's page; returns the page that it redirects to."""
    output = reader.post(f"mark?who={who}", **fields)
    assert output.status_code == 303, output.text
    return html.unescape(reader.client.get(reader.home + output.headers["location"]).text)


def test_an_override_is_stored_with_its_reason_and_changes_the_score(reader, opened):
    page = send_marks(reader, override="85.5", reason="the power went out")
    assert "Noted: override 85.5 points, by <bdi>the tests</bdi>: the power went out" in page
    assert "The score was 100 and is now 85.5 of 100." in page
    (mark,) = opened.marks("ada")
    assert (mark.kind, mark.value, mark.reason, mark.by) == ("override", "171/2", "the power went out", "the tests")
    assert opened.score("ada").why == ("marked manually: the power went out",)
    assert "Score: 85.5 of 100" in reader.page("person?who=ada")


def test_a_style_score_is_stored_even_if_it_does_not_affect_the_score(reader, opened):
    page = send_marks(reader, style="4/5")
    assert "Noted: style 80 %, by <bdi>the tests</bdi>" in page
    assert "The score stays 100 of 100." in page
    assert "Style, now 80 %" in page
    assert opened.person_record(ADA).style == "4/5"


def test_html_in_a_comment_is_escaped(reader, opened):
    output = reader.post("mark?who=ada", comment="none\r\n<b>well</b>")
    page = reader.client.get(reader.home + output.headers["location"]).text
    assert "none\n&lt;b&gt;well&lt;/b&gt;" in page
    assert "<b>well</b>" not in page
    assert [comment.value for comment in opened.person_record(ADA).comments] == ["none\n<b>well</b>"]


def test_one_form_can_enter_style_override_and_comment(reader, opened):
    send_marks(reader, style="80%", override="90", reason="late bus", comment="Well done.")
    assert [(mark.kind, mark.value) for mark in opened.marks("ada")] == [
        ("style", "4/5"),
        ("override", "90"),
        ("comment", "Well done."),
    ]


def test_marks_taken_back_remain_in_the_history(reader, opened):
    send_marks(reader, override="5", reason="copied", style="10%", comment="See me.")
    for kind in ("override", "style", "comment"):
        assert f"Noted: {kind} taken back" in send_marks(reader, take_back=kind)
    row = opened.person_record(ADA)
    assert (row.override, row.style, row.comments) == (None, "", ())
    assert str(opened.score("ada").grade.score) == "100"
    page = reader.page("person?who=ada")
    assert "All marks (6)" in page
    assert "Earlier scores (2)" in page


def test_comments_from_two_tabs_are_both_stored(reader, opened):
    """A tab that was loaded before another tab made a change sends only its own entries, and undoes nothing."""
    send_marks(reader, comment="From one tab.")
    send_marks(reader, comment="From the other.")
    assert [comment.value for comment in opened.person_record(ADA).comments] == ["From one tab.", "From the other."]


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
        ({"override": "80"}, "An override needs a reason: the reason is shown in the student's sum"),
        ({"override": "-1", "reason": "x"}, "Override '-1' — it must be a number of points, such as 85 or 85.5"),
        ({"override": "1/0", "reason": "x"}, "Override '1/0' — it must be a number of points, such as 85 or 85.5"),
        ({"take_back": "due"}, "Only a style score, an override, comments, requests and stage scores can be taken back here"),
        ({"stage teller": "1"}, "'teller' — manually graded stages are none"),
        ({"answer": "Yes."}, "Ada Lovelace has no open request that could be answered"),
        ({"request": "Please look.", "declined": "yes"}, "Declining a request needs an answer, which the student reads: write it"),
        ({"comment": "x" * 20_001}, "The comment has 20,001 characters; at most 20,000 are allowed"),
    ],
)  # fmt: skip
def test_invalid_fields_are_reported_and_shown_again(reader, opened, fields, sentence):
    output = reader.post("mark?who=ada", **fields)
    assert output.status_code == 422
    page = html.unescape(output.text)
    assert f"<p>{sentence}</p>" in page
    # These two are not fields of Ada's page: one is a button for a mark, and the stage teller is not graded manually.
    if not {"take_back", "stage teller"} & fields.keys():
        assert all(value.strip() in page for value in fields.values())
    assert opened.marks("ada") == []


def test_a_form_with_one_invalid_field_stores_nothing(reader, opened):
    assert reader.post("mark?who=ada", style="80%", override="90").status_code == 422
    assert opened.marks("ada") == []


def test_a_form_that_is_too_long_is_refused(reader):
    output = reader.post("mark?who=ada", comment="x" * 300_000)
    assert output.status_code == 413
    assert "Too long: a form has at most 200,000 bytes." in output.text


def test_a_form_with_too_many_fields_is_refused(reader, opened):
    output = reader.post("mark?who=ada", **{f"stage {number}": "1" for number in range(101)})
    assert (output.status_code, opened.marks("ada")) == (413, [])
    assert "Too many fields: a form has at most 100." in output.text


def test_filter_and_order_of_the_class_stay_in_the_address_after_a_form(reader):
    output = reader.post("mark?who=bob&sort=-score&name=b", style="80%")
    assert output.headers["location"] == "person?who=bob&name=b&sort=-score&marks=0&scores=1#noted"


def test_a_manually_graded_stage_can_be_given_a_share(book):
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
        assert [(mark.kind, mark.value) for mark in opened.marks("ada")] == [
            ("stage extra", "1/2"),
            ("stage extra", ""),
        ]


def test_a_request_can_be_entered_listed_and_answered(reader, opened):
    assert "Answer to the request" not in reader.page("person?who=bob")
    page = send_marks(reader, who="bob", request="Case 2 is <right>.\r\nIs it?")
    assert "Noted: request Case 2 is <right>.\nIs it?, by <bdi>the tests</bdi>" in page
    assert "<strong>Not answered yet</strong>" in page
    assert "The score stays 50 of 100." in page
    assert '<a href="?state=open+request">1 open request</a>' in reader.page()
    assert '<p role="status" id="class">1 of 3 shown</p>' in reader.page("?state=open+request")
    page = send_marks(reader, who="bob", answer="It is: thank you.", override="100", reason="case 2 is right")
    assert "<p>Answered: It is: thank you.</p>" in page
    assert "The score was 50 and is now 100 of 100." in page
    assert '<p role="status" id="class">0 of 3 shown</p>' in reader.page("?state=open+request")
    (request,) = opened.person_record(BOB).requests
    assert (request.state, request.by, request.answered_by) == ("answered", "the tests", "the tests")


def test_a_request_can_be_declined_or_taken_back(reader, opened):
    send_marks(reader, request="Once more?")
    assert "Noted: request declined: Not again., by" in send_marks(reader, answer="Not again.", declined="yes")
    send_marks(reader, request="And now?")
    assert "Noted: request taken back" in send_marks(reader, take_back="request")
    assert [(request.text, request.state, request.answer) for request in opened.person_record(ADA).requests] == [
        ("Once more?", "declined", "Not again.")
    ]


def test_rubric_items_are_picked_with_checkboxes(reader, opened):
    assert "Rubric" not in reader.page("person?who=ada")
    opened.set_rubric([RubricItem("names", "Good <names>.", "0"), RubricItem("short", "Too short.", "-5/2")])
    page = reader.page("person?who=ada")
    unchecked_box = '<input type="checkbox" name="picks" value="short">'
    assert unchecked_box in page
    assert "Good &lt;names&gt;." in page
    # `picked_before` has the items that were picked when the page was loaded.
    page = send_marks(reader, picked_before="", picks=["short", "names"])
    assert "Noted: rubric names picked" in page
    assert "The score was 100 and is now 97.5 of 100." in page
    assert '<td>rubric: Too short.</td><td class="number">−2.5</td>' in page
    assert 'name="picked_before" value="names short"' in page
    # A tab that was loaded before these picks sends only its own change.
    page = send_marks(reader, picked_before="", picks=["names"], comment="Well.")
    assert [item.key for item in opened.person_record(ADA).picked] == ["names", "short"]
    page = send_marks(reader, picked_before="names short", picks=["names"])
    assert "Noted: rubric short taken back" in page
    assert unchecked_box in page
    output = reader.post("mark?who=ada", picked_before="names", picks=["short"], style="very good")
    assert output.status_code == 422
    assert '<input type="checkbox" name="picks" value="short" checked>' in output.text
    assert 'name="picked_before" value="names"' in output.text
    output = reader.post("mark?who=ada", picked_before="", picks=["nmes"])
    assert "Rubric 'nmes' — the rubric has names, short; did you mean 'names'?" in html.unescape(output.text)


def test_a_line_comment_is_shown_until_another_program_is_graded(reader, opened):
    page = reader.page("person?who=ada&file=teller.c&line=2")
    assert '<textarea id="line-comment" name="line_comment" form="adding" rows="2" autofocus></textarea>' in page
    assert 'name="line" form="adding" value="2"' in page
    assert 'href="person?who=ada&amp;file=teller.c&amp;line=3#at-line"' in page
    output = reader.post("mark?who=ada", file="teller.c", line="2", line_comment="Why <b>this</b>?\r\nSee page 7.")
    assert output.headers["location"] == "person?who=ada&marks=0&scores=1#file-1-2"
    page = reader.client.get(reader.home + output.headers["location"]).text
    remark = '<span class="remark persons"><b>comment:</b> Why &lt;b&gt;this&lt;/b&gt;?\nSee page 7.\n</span>'
    assert remark in page[page.index('id="file-1-2"') : page.index('id="file-1-3"')]
    assert "Noted: comment at teller.c:2 Why &lt;b&gt;this" in page
    assert "<blockquote><code>teller.c:2</code>: Why &lt;b&gt;this&lt;/b&gt;?\nSee page 7.</blockquote>" in page
    assert remark in reader.page("beside?who=ada")
    assert "Noted: comment at teller.c:2 taken back" in send_marks(reader, take_back="line teller.c:2")
    assert opened.person_record(ADA).line_comments == ()
    send_marks(reader, file="teller.c", line="1", line_comment="Good.")
    assert [comment.place for comment in opened.person_record(ADA).line_comments] == ["teller.c:1"]
    later = NOON + datetime.timedelta(days=1)
    opened.add_submissions([(submission_by(ADA, at=later), "p9")])
    assert opened.person_record(ADA).line_comments == ()


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
def test_a_comment_on_a_missing_line_is_reported_and_shown_again(reader, opened, fields, sentence):
    output = reader.post("mark?who=ada", **fields, line_comment="Why this?")
    assert output.status_code == 422
    assert f"<p>{sentence}</p>" in html.unescape(output.text)
    assert '<textarea id="line-comment" name="line_comment" form="adding" rows="2">Why this?</textarea>' in output.text
    assert opened.marks("ada") == []
