import re
import time

import msgspec
import pytest

from pitboss.gradebook.book import Gradebook
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from tests.gradebook.made import ADA, W, causes, report, submission_by
from tests.reports.review.conftest import HOSTILE, Fact


def set_output(book, actual, expected=b"", **fields):
    """Store a report in which Ada's program has printed `actual`."""
    expected_transcript, actual_transcript = (
        Transcript((Shown(expected),)),
        Transcript((Shown(b"Name: "), Typed(b"<b>\x1b"), Shown(actual))),
    )
    checked_report = report(W, stage="teller")
    result = msgspec.structs.replace(
        checked_report.stages[0].results[0], expected=expected_transcript, actual=actual_transcript, **fields
    )
    stages = (msgspec.structs.replace(checked_report.stages[0], results=(result,)),)
    with Gradebook(book) as opened:
        opened.add_submissions([(submission_by(ADA), "p1")])
        opened.add_report("ada", causes("p1", options="q2"), msgspec.structs.replace(checked_report, stages=stages))


def unsafe_parts(page):
    """The parts of a page that come unescaped from HOSTILE: tags, attributes and control characters."""
    return re.findall(r"<img|<script>|<b>\\|onerror=[^&\\]*>|[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)


def test_hostile_output_is_escaped_on_every_page(book, reader):
    set_output(book, HOSTILE.encode() + b"\xff")
    for address in ("person?who=ada", "session?who=ada&of=teller&number=1", "beside?who=ada"):
        page = reader.page(address)
        assert unsafe_parts(page) == [], address
    assert "&lt;script&gt;" in reader.page("session?who=ada&of=teller&number=1")


@pytest.mark.parametrize("piece", ["x", "\u202e", "<", "x\n"], ids=["letters", "marks", "brackets", "lines"])
def test_very_long_output_is_shortened_on_the_pages(book, reader, piece):
    set_output(book, (piece * 10_000_000).encode()[:10_000_000])
    started_s = time.process_time()
    for address in ("person?who=ada", "session?who=ada&of=teller&number=1"):
        assert len(reader.page(address)) < 200_000
    assert time.process_time() - started_s < 20  # ten times the usual time


def test_shortened_output_says_how_many_lines_are_left_out(book, reader):
    set_output(book, b"x\n" * 1_000_000)
    assert "… 998,001 more lines …" in reader.page("session?who=ada&of=teller&number=1")
    assert "… 999,002 more lines …" in reader.page("person?who=ada")


def test_a_session_links_to_its_neighbours_and_its_person(reader):
    first = reader.page("session?who=bob&of=teller&number=1&name=b")
    assert 'href="session?who=bob&amp;of=teller&amp;number=2&amp;name=b" data-key="]"' in first
    assert 'data-key="["' not in first
    assert '<a href="person?who=bob&amp;name=b"><bdi>Bob Müller</bdi></a>: case 1' in first
    last = reader.page("session?who=bob&of=teller&number=2")
    assert 'data-key="]"' not in last
    assert "It parts." in last


@pytest.mark.parametrize("number", ["0", "3", "-1", "x", "", "1" * 5000, "²"])
def test_a_missing_session_is_answered_by_404(reader, number):
    assert reader.get(f"session?who=bob&of=teller&number={number}").status_code == 404


def test_a_person_without_submission_has_a_page_and_can_get_a_score(reader):
    page = reader.page("person?who=eve")
    assert "Nothing was handed in." in page
    assert "No source is stored." in page
    assert reader.post("mark?who=eve", override="50", reason="handed in on paper").status_code == 303
    assert "Score: 50 of 100" in reader.page("person?who=eve")


def test_two_people_are_shown_side_by_side_and_the_last_one_alone(reader):
    two_people = reader.page("beside?who=ada")
    assert 'id="s1-file-1-1"' in two_people and 'id="s2-file-1-1"' in two_people
    assert "There is no next person." in reader.page("beside?who=eve")
    eve_with_ada = reader.page("beside?who=eve&with=ada")
    assert re.findall(r'<h2 id="side-\d"><a [^>]*><bdi>(.*?)<', eve_with_ada) == ["Eve O&#39;Neil", "Ada Lovelace"]


def test_style_facts_are_shown_at_their_lines(reader, facts):
    facts.append(Fact(path="teller.c", line=2, kind="function_length", text="a tab <b>"))
    facts.append(Fact(path="teller.c", line=0, kind="not_examined", text="none"))
    page = reader.page("person?who=ada")
    assert '<span class="line said" id="file-1-2">' in page
    assert 'Remarks on line <a href="#file-1-2">2</a>' in page
    assert "<b>function length:</b> a tab &lt;b&gt;" in page
    assert "<b>not examined:</b> none" in page


def test_links_and_titles_tell_two_people_of_one_name_apart(reader, book):
    with Gradebook(book) as opened:
        opened.add_submissions([(ImportedSubmission(Person("Ada Lovelace", "ada2", "al2"), None, None), "")])
    text = reader.page("person?who=ada")
    assert "<title>Ada Lovelace (al1): " in text
    assert "<bdi>Ada Lovelace (al2)</bdi> →" in text
