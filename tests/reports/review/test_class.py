"""The page of the class: who is shown in which order, how scores are spread, what goes wrong most."""

import html
import re
import time
from fractions import Fraction

import msgspec
import pytest
from starlette.testclient import TestClient

from pitboss.assignments.specfile import load_assignment
from pitboss.compare.results import Diagnosis
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.book import Gradebook
from pitboss.reports.review.access import home_of
from pitboss.reports.review.application import application
from pitboss.reports.review.class_page import class_values
from pitboss.reports.review.overview import (
    Brief,
    Briefs,
    Cell,
    distribution,
    median_score,
    most_common_mistakes,
    most_failed_cases,
)
from pitboss.reports.review.view import View, filtered_people, neighbours, view_of
from pitboss.submissions.importers.imported import Person
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, A, W, causes, grade, handed, report
from tests.reports.review.conftest import HOST, TOKEN


def brief(order, name, score=None, **fields):
    known = {
        "verdict": "WRONG_ANSWER",
        "stages": (),
        "failed": (),
        "mistakes": (),
        "grade": None if score is None else grade(score, ("work", score)),
        "style": "",
        "is_overridden": False,
    }
    return Brief(Person(name, name.casefold()), order, **(known | fields))


CLASS = [
    brief(0, "Ada", 100, verdict="ACCEPTED", style="1/2", has_open_request=True),
    brief(1, "Bob", 40, failed=("play: two doors",), mistakes=("counts twice",)),
    brief(2, "Cyd", 40, failed=("play: two doors", "play: none"), mistakes=("counts twice", "stops early")),
    brief(3, "Dee", style="9/10", is_overridden=True, stages=(Cell("play", Verdict.NOT_HANDED_IN, 0, 0, ()),)),
]


def names(view):
    return "".join(one.person.name[0] for one in filtered_people(view, CLASS))


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        (View(), "ABCD"),
        (View(sort="-name"), "DCBA"),
        (View(sort="score"), "BCAD"),
        (View(sort="-score"), "ACBD"),
        (View(sort="-style"), "DABC"),
        (View(sort="no such thing"), "ABCD"),
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
def test_a_view_shows_those_it_asks_for_in_its_order(view, shown):
    assert names(view) == shown


def test_a_view_outlasts_an_address():
    view = View(name="a&b=c #", case="play: x+y", sort="-score")
    query = dict(part.split("=") for part in view.query.split("&"))
    from urllib.parse import unquote_plus

    assert view_of({key: unquote_plus(value) for key, value in query.items()} | {"who": "ada"}) == view


def test_neighbours_are_those_of_the_view():
    order = filtered_people(View(sort="-score"), CLASS)
    before, after = neighbours(order, "cyd")
    assert (before.person.name, after.person.name) == ("Ada", "Bob")
    assert neighbours(order, "ada")[0] is None
    assert neighbours(order, "dee")[1] is None
    assert neighbours(filtered_people(View(name="bob"), CLASS), "ada")[1].person.name == "Bob"


def test_what_goes_wrong_most_stands_first():
    assert [(one.text, one.people) for one in most_common_mistakes(CLASS)] == [("counts twice", 2), ("stops early", 1)]
    assert [(one.text, one.people) for one in most_failed_cases(CLASS)] == [("play: two doors", 2), ("play: none", 1)]


def test_scores_are_spread_over_what_they_are_out_of():
    extra = [*CLASS, brief(4, "Eve", 110), brief(5, "Fay", 0), brief(6, "Gil", -5)]
    assert {one.text: (one.people, one.width) for one in distribution(extra) if one.people} == {
        "0 % to under 10 %": (2, 100),
        "40 % to under 50 %": (2, 100),
        "100 % and more": (2, 100),
    }
    assert (median_score(CLASS), median_score(CLASS[:2]), median_score([])) == (Fraction(40), Fraction(70), None)


def test_the_page_has_everybody_and_leads_on(reader):
    page = reader.page()
    assert [html.unescape(one) for one in re.findall(r'<th scope="row"><a [^>]*><bdi>(.*?)</bdi>', page)] == [
        "Ada Lovelace",
        "Bob Müller",
        "Eve O'Neil",
    ]
    assert "3 of 3 shown" in page
    assert '<th scope="col" aria-sort="ascending"><a href="?sort=-name">name' in page
    assert "nothing handed in" in page
    assert "teller: case 2" in page


def test_a_case_that_is_chosen_shows_those_who_fail_it_and_their_pages_keep_it(reader):
    page = reader.page("?case=teller%3A+case+2&sort=-score")
    assert "1 of 3 shown" in page
    assert 'href="person?who=bob&amp;case=teller%3A+case+2&amp;sort=-score"' in page
    person = reader.page("person?who=bob&case=teller%3A+case+2&sort=-score")
    assert '<a href="./?case=teller%3A+case+2&amp;sort=-score" data-key="u">All</a>' in person
    assert "1 of 1" in person


def test_the_form_offers_each_mistake_that_is_named_in_the_order_of_the_alphabet(book, reader):
    with Gradebook(book) as opened:
        for person, titles in ((ADA, "fbh"), (BOB, "gaf"), (EVE, "dce")):
            made = report(A, W)
            diagnosis = tuple(Diagnosis("m", f"mistake {title}", "", "", 1, 1) for title in titles)
            stages = (msgspec.structs.replace(made.stages[0], diagnosis=diagnosis),)
            opened.add_submissions([(handed(person), f"p {person.key}")])
            opened.add_report(person.key, causes(f"p {person.key}"), msgspec.structs.replace(made, stages=stages))
    form = re.search(r'<select name="mistake">(.*?)</select>', reader.page())[1]
    assert re.findall(r'value="([^"]+)"', form) == [f"mistake {title}" for title in "abcdefgh"]


def test_values_in_an_address_are_text(reader):
    page = reader.page("?name=%3Cscript%3E%22&case=%3Cb%3E&sort=%22%3E%3Cb%3E&mistake=%00%E2%80%AE")
    assert "<script>" not in page
    assert "<b>" not in page
    assert "0 of 3 shown" in page


def test_names_of_people_are_text(book, reader):
    with Gradebook(book) as opened:
        opened.add_submissions([(handed(Person('<img src=x onerror="alert(1)">', 'a/../b?&"<', section="<i>")), "p9")])
    page = reader.page()
    assert "<img" not in page
    assert "<i>" not in page
    link = html.unescape(re.search(r'href="(person\?who=a[^"d][^"]*)"', page)[1])
    assert "&lt;img src=x" in reader.page(link)


def test_a_class_of_three_hundred_is_there_at_once(tmp_path):
    """Reports are read once for a run; then a page of three hundred takes a fraction of a second."""
    path = tmp_path / "book"
    output = Diagnosis("m", "counts twice", "", "", 1, 1)
    with Gradebook(path, may_be_new=True) as book:
        for number in range(300):
            person = msgspec.structs.replace(ADA, name=f"Person {number}", key=str(number))
            book.add_submissions([(handed(person), f"p{number}")])
            made = report(*[A, W] * 100)
            stages = (msgspec.structs.replace(made.stages[0], diagnosis=(output,)),)
            book.add_report(person.key, causes(f"p{number}"), msgspec.structs.replace(made, stages=stages))
            book.add_score(person.key, grade(50, ("work", 50)), ())
        briefs = Briefs()
        briefs.briefs_of(book)
        began = time.process_time()
        again = briefs.briefs_of(book)
        computed_s = time.process_time() - began
    assert len(again) == 300
    assert most_common_mistakes(again)[0].people == 300
    assert computed_s < 2  # it computes for a twentieth of that


def test_a_part_of_the_class_is_shown_alone(book):
    app = application(
        book, load_assignment(TOY), TOKEN, lambda files: [], lambda book: {}, by="me", part=frozenset({"bob", "eve"})
    )
    with TestClient(app, base_url=HOST, follow_redirects=True) as client:
        page = client.get(f"/?token={TOKEN}").text
        assert "Bob Müller" in page and "Eve O&#39;Neil" in page and "Ada" not in page
        assert "1 of 2" in client.get(f"{home_of(TOKEN)}person?who=bob").text


MANY = [brief(number, f"Person {number:03}", number) for number in range(250)]


@pytest.mark.parametrize(
    ("page", "first", "count"),
    [("", 1, 100), ("2", 101, 100), ("3", 201, 50), ("9", 201, 50), ("0", 1, 100), ("x", 1, 100)],
)
def test_a_large_class_has_several_pages(page, first, count):
    values = class_values(load_assignment(TOY), MANY, View(page=page))
    assert (values["first"], len(values["lines"]), values["chosen"]) == (first, count, 250)
    assert values["lines"][0].name == f"Person {first - 1:03}"
    words, links = zip(*values["pages"], strict=True)
    assert words == ("Person 000 to Person 099", "Person 100 to Person 199", "Person 200 to Person 249")
    assert links[(first - 1) // 100] == ""
    assert [link for link in links if link] == [f"?page={n}" for n in (1, 2, 3) if n != (first + 99) // 100]


def test_sorting_begins_with_the_first_page_and_a_person_leads_back_to_theirs():
    values = class_values(load_assignment(TOY), MANY, View(page="2"))
    assert not any("page=" in head.link for head in values["heads"])
    assert "page=2" in values["lines"][0].link
    assert class_values(load_assignment(TOY), MANY[:100], View())["pages"] == []
