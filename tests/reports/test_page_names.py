"""Each submission has a page of its own, on every file system."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from pitboss.reports.naming import page_names

names = st.one_of(
    st.text(max_size=12),
    st.text("aA_ .-ıİſßäÄ\u0308\u00e4", max_size=4),
    st.sampled_from(
        ["index", "INDEX", "index.html", "con", "..", ".", "", "a" * 300, "ä" * 200, "a_b-c8687a08", "\udcff"]
    ),
)


def on_disk(name):
    """What file systems take for the same: letter case (Windows, macOS) and normal forms (macOS) told apart nowhere."""
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())


@given(st.lists(names, max_size=12))
def test_no_two_submissions_have_one_page_and_none_is_the_class(submissions):
    pages = page_names(submissions)
    assert len({on_disk(page) for page in (*pages, "index.html")}) == len(submissions) + 1
    for page in pages:
        assert len(page.encode()) <= 143
        assert re.fullmatch(r"[^\W.-][\w.-]*\.html|_[\w.-]*\.html", page), page
        assert page.partition(".")[0].casefold() not in ("con", "nul", "aux", "prn", "com1", "lpt1")


@given(st.lists(names, max_size=8, unique=True), st.randoms())
def test_the_order_of_submissions_does_not_change_their_pages(submissions, chance):
    pages = dict(zip(submissions, page_names(submissions), strict=True))
    mixed = list(submissions)
    chance.shuffle(mixed)
    assert dict(zip(mixed, page_names(mixed), strict=True)) == pages


def test_a_plain_name_is_kept():
    assert page_names(["ada", "grace.hopper", "Łukasz_2"]) == ["ada.html", "grace.hopper.html", "Łukasz_2.html"]


def test_names_that_only_differ_in_what_a_file_cannot_have_are_distinguished():
    assert page_names(["a b", "a_b", "a/b"]) == ["a_b-c8687a08.html", "a_b.html", "a_b-c14cddc0.html"]


def test_two_submissions_of_one_name_have_two_pages():
    assert len(set(page_names(["ada", "ada", "ada"]))) == 3
