import html
import re
from fractions import Fraction
from urllib.parse import unquote_plus

import msgspec
import pytest
from starlette.testclient import TestClient

from pitboss.assignments.specfile import load_assignment
from pitboss.compare.results import Diagnosis, Verdict
from pitboss.gradebook.book import Gradebook
from pitboss.reports.review.access import home_path
from pitboss.reports.review.application import application
from pitboss.reports.review.class_page import class_values
from pitboss.reports.review.overview import (
    Cell,
    PersonSummary,
    SummaryReader,
    distribution,
    median_score,
    most_common_mistakes,
    most_failed_cases,
)
from pitboss.reports.review.view import View, filtered_people, neighbours, view_of
from pitboss.submissions.importers.imported import Person
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, A, W, causes, grade, report, submission_by
from tests.reports.review.conftest import HOST, TOKEN


def person_summary(order, name, score=None, **fields):
    defaults = {
        "verdict": "WRONG_ANSWER",
        "stages": (),
        "failed": (),
        "mistakes": (),
        "grade": None if score is None else grade(score, ("work", score)),
        "style": "",
        "is_overridden": False,
    }
    return PersonSummary(Person(name, name.casefold()), order, **(defaults | fields))


CLASS_SUMMARIES = [
    person_summary(0, "Ada", 100, verdict="ACCEPTED", style="1/2", has_open_request=True),
    person_summary(1, "Bob", 40, failed=("play: two doors",), mistakes=("counts twice",)),
    person_summary(2, "Cyd", 40, failed=("play: two doors", "play: none"), mistakes=("counts twice", "stops early")),
    person_summary(3, "Dee", style="9/10", is_overridden=True, stages=(Cell("play", Verdict.NOT_HANDED_IN, 0, 0, ()),)),
]


def filtered_initials(view):
    """The initials of the people that a view shows, in its order."""
    return "".join(summary.person.name[0] for summary in filtered_people(view, CLASS_SUMMARIES))


@pytest.mark.parametrize(
    ("view", "expected_initials"),
    [
        (View(), "ABCD"),
        (View(sort="-name"), "DCBA"),
        (View(sort="score"), "BCAD"),
        (View(sort="-score"), "ACBD"),
        (View(sort="-style"), "DABC"),
        (View(sort="no such thing"), "ABCD"),
        (View(sort="play"), "DABC"),  # only Dee has a result of this stage
        (View(sort="-play"), "DABC"),
        (View(name="B"), "B"),
        (View(verdict="ACCEPTED"), "A"),
        (View(case="play: two doors"), "BC"),
        (View(mistake="stops early"), "C"),
        (View(case="play: none", name="bob"), ""),
        (View(state="open"), "D"),
        (View(state="overridden"), "D"),
        (View(state="open request"), "A"),
        (View(state="no style"), "BC"),
        (View(state="no program"), "D"),
    ],
)
def test_a_view_filters_and_sorts_people(view, expected_initials):
    assert filtered_initials(view) == expected_initials


def test_a_view_can_be_read_back_from_its_query():
    view = View(name="a&b=c #", case="play: x+y", sort="-score")
    query = dict(part.split("=") for part in view.query.split("&"))
    assert view_of({key: unquote_plus(value) for key, value in query.items()} | {"who": "ada"}) == view


def test_neighbours_are_the_previous_and_next_person_of_a_view():
    order = filtered_people(View(sort="-score"), CLASS_SUMMARIES)
    previous, following = neighbours(order, "cyd")
    assert (previous.person.name, following.person.name) == ("Ada", "Bob")
    assert neighbours(order, "ada")[0] is None
    assert neighbours(order, "dee")[1] is None
    assert neighbours(filtered_people(View(name="bob"), CLASS_SUMMARIES), "ada")[1].person.name == "Bob"


def test_mistakes_and_failed_cases_are_sorted_by_frequency():
    assert [(count.text, count.people) for count in most_common_mistakes(CLASS_SUMMARIES)] == [
        ("counts twice", 2),
        ("stops early", 1),
    ]
    assert [(count.text, count.people) for count in most_failed_cases(CLASS_SUMMARIES)] == [
        ("play: two doors", 2),
        ("play: none", 1),
    ]


def test_scores_are_distributed_by_percentage():
    extended_class = [
        *CLASS_SUMMARIES,
        person_summary(4, "Eve", 110),
        person_summary(5, "Fay", 0),
        person_summary(6, "Gil", -5),
    ]
    assert {row.text: (row.people, row.width) for row in distribution(extended_class) if row.people} == {
        "0 % to under 10 %": (2, 100),
        "40 % to under 50 %": (2, 100),
        "100 % and more": (2, 100),
    }
    assert (median_score(CLASS_SUMMARIES), median_score(CLASS_SUMMARIES[:2]), median_score([])) == (
        Fraction(40),
        Fraction(70),
        None,
    )


def test_the_class_page_lists_everybody_with_links_to_sort(reader):
    page = reader.page()
    assert [html.unescape(name) for name in re.findall(r'<th scope="row"><a [^>]*><bdi>(.*?)</bdi>', page)] == [
        "Ada Lovelace",
        "Bob Müller",
        "Eve O'Neil",
    ]
    assert "3 of 3 shown" in page
    assert '<th scope="col" aria-sort="ascending"><a href="?sort=-name">name' in page
    assert "nothing handed in" in page
    assert "teller: case 2" in page


def test_a_case_filters_the_class_and_stays_in_the_links(reader):
    page = reader.page("?case=teller%3A+case+2&sort=-score")
    assert "1 of 3 shown" in page
    assert 'href="person?who=bob&amp;case=teller%3A+case+2&amp;sort=-score"' in page
    person = reader.page("person?who=bob&case=teller%3A+case+2&sort=-score")
    assert '<a href="./?case=teller%3A+case+2&amp;sort=-score" data-key="u">All</a>' in person
    assert "1 of 1" in person


def test_the_form_offers_all_mistakes_in_alphabetical_order(book, reader):
    with Gradebook(book) as opened:
        for person, titles in ((ADA, "fbh"), (BOB, "gaf"), (EVE, "dce")):
            checked_report = report(A, W)
            diagnosis = tuple(Diagnosis("m", f"mistake {title}", "", "", 1, 1) for title in titles)
            stages = (msgspec.structs.replace(checked_report.stages[0], diagnosis=diagnosis),)
            opened.add_submissions([(submission_by(person), f"p {person.key}")])
            opened.add_report(
                person.key, causes(f"p {person.key}"), msgspec.structs.replace(checked_report, stages=stages)
            )
    form = re.search(r'<select name="mistake">(.*?)</select>', reader.page())[1]
    assert re.findall(r'value="([^"]+)"', form) == [f"mistake {title}" for title in "abcdefgh"]


def test_values_of_an_address_are_escaped(reader):
    page = reader.page("?name=%3Cscript%3E%22&case=%3Cb%3E&sort=%22%3E%3Cb%3E&mistake=%00%E2%80%AE")
    assert "<script>" not in page
    assert "<b>" not in page
    assert "0 of 3 shown" in page


def test_names_of_people_are_escaped(book, reader):
    with Gradebook(book) as opened:
        opened.add_submissions(
            [(submission_by(Person('<img src=x onerror="alert(1)">', 'a/../b?&"<', section="<i>")), "p9")]
        )
    page = reader.page()
    assert "<img" not in page
    assert "<i>" not in page
    # The link to the person whose key begins with `a/`, not that to Ada.
    link = html.unescape(re.search(r'href="(person\?who=a[^"d][^"]*)"', page)[1])
    assert "&lt;img src=x" in reader.page(link)


def test_each_report_is_read_only_once(book, monkeypatch):
    numbers, summary_reader = [], SummaryReader()
    with Gradebook(book) as opened:
        run_by_number = opened.run_by_number
        monkeypatch.setattr(opened, "run_by_number", lambda number: numbers.append(number) or run_by_number(number))
        assert summary_reader.summaries_of(opened) == summary_reader.summaries_of(opened)
    assert len(numbers) == len(set(numbers)) > 0


def test_a_review_can_be_limited_to_a_part_of_the_class(book):
    app = application(
        book, load_assignment(TOY), TOKEN, lambda files: [], lambda book: {}, by="me", part=frozenset({"bob", "eve"})
    )
    with TestClient(app, base_url=HOST, follow_redirects=True) as client:
        page = client.get(f"/?token={TOKEN}").text
        assert "Bob Müller" in page and "Eve O&#39;Neil" in page and "Ada" not in page
        assert "1 of 2" in client.get(f"{home_path(TOKEN)}person?who=bob").text


LARGE_CLASS = [person_summary(number, f"Person {number:03}", number) for number in range(250)]


@pytest.mark.parametrize(
    ("page", "first", "count"),
    [("", 1, 100), ("2", 101, 100), ("3", 201, 50), ("9", 201, 50), ("0", 1, 100), ("x", 1, 100)],
)
def test_a_large_class_has_several_pages(page, first, count):
    values = class_values(load_assignment(TOY), LARGE_CLASS, View(page=page))
    assert (values["first"], len(values["lines"]), values["selected_count"]) == (first, count, 250)
    assert values["lines"][0].summary.person.name == f"Person {first - 1:03}"
    labels, links = zip(*values["pages"], strict=True)
    assert labels == ("Person 000 to Person 099", "Person 100 to Person 199", "Person 200 to Person 249")
    shown_page = (first - 1) // 100 + 1
    assert links == tuple("" if number == shown_page else f"?page={number}" for number in (1, 2, 3))


def test_sort_links_drop_the_page_number_and_person_links_keep_it():
    values = class_values(load_assignment(TOY), LARGE_CLASS, View(page="2"))
    assert not any("page=" in head.link for head in values["heads"])
    assert "page=2" in values["lines"][0].link
    assert class_values(load_assignment(TOY), LARGE_CLASS[:100], View())["pages"] == []
