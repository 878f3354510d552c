"""The pages of a person and of a session: all that is known, as text, whatever the program has shown."""

import re
import time

import msgspec
import pytest

from pitboss.gradebook.book import Gradebook
from pitboss.model.transcript import Shown, Transcript, Typed
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from tests.gradebook.made import ADA, W, causes, handed, report
from tests.reports.review.conftest import HOSTILE


def shown_now(book, actual, expected=b"", **fields):
    """Let Ada's program have shown this."""
    one, other = Transcript((Shown(expected),)), Transcript((Shown(b"Name: "), Typed(b"<b>\x1b"), Shown(actual)))
    made = report(W, stage="teller")
    result = msgspec.structs.replace(made.stages[0].results[0], expected=one, actual=other, **fields)
    stages = (msgspec.structs.replace(made.stages[0], results=(result,)),)
    with Gradebook(book) as opened:
        opened.add_submissions([(handed(ADA), "p1")])
        opened.add_report("ada", causes("p1", asked="anew"), msgspec.structs.replace(made, stages=stages))


def unsafe(page):
    """What a page must not have: tags and attributes that it does not have of itself, characters that do something."""
    return re.findall(r"<img|<script>|<b>\\|onerror=[^&\\]*>|[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)


def test_hostile_output_is_text_on_every_page(book, reader):
    shown_now(book, HOSTILE.encode() + b"\xff")
    for address in ("person?who=ada", "session?who=ada&of=teller&number=1", "beside?who=ada"):
        page = reader.page(address)
        assert unsafe(page) == [], address
    assert "&lt;script&gt;" in reader.page("session?who=ada&of=teller&number=1")


@pytest.mark.parametrize("piece", ["x", "\u202e", "<", "x\n"], ids=["letters", "marks", "brackets", "lines"])
def test_output_without_end_is_cut(book, reader, piece):
    shown_now(book, (piece * 10_000_000).encode()[:10_000_000])
    began = time.process_time()
    for address in ("person?who=ada", "session?who=ada&of=teller&number=1"):
        assert len(reader.page(address)) < 200_000
    assert time.process_time() - began < 20  # it computes for a tenth of that


def test_a_flood_says_how_many_lines_are_left_out(book, reader):
    shown_now(book, b"x\n" * 1_000_000)
    assert "… 998,001 more lines …" in reader.page("session?who=ada&of=teller&number=1")
    assert "… 999,002 more lines …" in reader.page("person?who=ada")


def test_a_session_has_its_neighbours_and_the_way_back(reader):
    first = reader.page("session?who=bob&of=teller&number=1&name=b")
    assert 'href="session?who=bob&amp;of=teller&amp;number=2&amp;name=b" data-key="]"' in first
    assert 'data-key="["' not in first
    assert '<a href="person?who=bob&amp;name=b"><bdi>Bob Müller</bdi></a>: case 1' in first
    last = reader.page("session?who=bob&of=teller&number=2")
    assert 'data-key="]"' not in last
    assert "It parts." in last


@pytest.mark.parametrize("number", ["0", "3", "-1", "x", "", "1" * 5000, "²"])
def test_a_session_that_is_not_there_is_said_so(reader, number):
    assert reader.get(f"session?who=bob&of=teller&number={number}").status_code == 404


def test_who_handed_in_nothing_has_a_page_and_can_be_given_a_score(reader):
    page = reader.page("person?who=eve")
    assert "Nothing was handed in." in page
    assert "No source is stored." in page
    assert reader.post("mark?who=eve", override="50", reason="handed in on paper").status_code == 303
    assert "Score: 50 of 100" in reader.page("person?who=eve")


def test_two_are_side_by_side_and_the_last_alone(reader):
    both = reader.page("beside?who=ada")
    assert 'id="s1-file-1-1"' in both and 'id="s2-file-1-1"' in both
    assert "There is no next person." in reader.page("beside?who=eve")
    named = reader.page("beside?who=eve&with=ada")
    assert re.findall(r'<h2 id="side-\d"><a [^>]*><bdi>(.*?)<', named) == ["Eve O&#39;Neil", "Ada Lovelace"]


def test_facts_stand_at_their_lines(reader, facts):
    from tests.reports.review.conftest import Fact

    facts.append(Fact(path="teller.c", line=2, kind="indentation", text="a tab <b>"))
    facts.append(Fact(path="teller.c", line=0, kind="header_comment", text="none"))
    page = reader.page("person?who=ada")
    assert '<span class="line said" id="file-1-2">' in page
    assert 'Remarks on line <a href="#file-1-2">2</a>' in page
    assert "<b>indentation:</b> a tab &lt;b&gt;" in page
    assert "<b>header comment:</b> none" in page


def test_links_and_titles_say_which_of_two_people_of_one_name_it_is(reader, book):
    with Gradebook(book) as opened:
        opened.add_submissions([(ImportedSubmission(Person("Ada Lovelace", "ada2", "al2"), None, None), "")])
    text = reader.page("person?who=ada")
    assert "<title>Ada Lovelace (al1): " in text
    assert "<bdi>Ada Lovelace (al2)</bdi> →" in text
