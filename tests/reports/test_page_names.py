import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from pitboss.reports.pages import page_file_names

submission_names = st.one_of(
    st.text(max_size=12),
    st.text("aA_ .-ıİſßäÄ\u0308\u00e4", max_size=4),
    st.sampled_from(
        ["index", "INDEX", "index.html", "con", "..", ".", "", "a" * 300, "ä" * 200, "a_b-c8687a08", "\udcff"]
    ),
)


def least_distinct_name(name):
    """The name without what some file systems ignore: letter case (Windows, macOS) and Unicode form (macOS)."""
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())


@given(st.lists(submission_names, max_size=12))
def test_no_two_submissions_share_a_page_and_none_has_the_class_page(submissions):
    pages = page_file_names(submissions)
    assert len({least_distinct_name(page) for page in (*pages, "index.html")}) == len(submissions) + 1
    for page in pages:
        assert len(page.encode()) <= 143  # encrypted file systems allow no longer names
        assert re.fullmatch(r"[^\W.-][\w.-]*\.html|_[\w.-]*\.html", page), page
        assert page.partition(".")[0].casefold() not in ("con", "nul", "aux", "prn", "com1", "lpt1")


@given(st.lists(submission_names, max_size=8, unique=True), st.randoms())
def test_the_order_of_submissions_does_not_change_their_pages(submissions, rng):
    pages = dict(zip(submissions, page_file_names(submissions), strict=True))
    shuffled = list(submissions)
    rng.shuffle(shuffled)
    assert dict(zip(shuffled, page_file_names(shuffled), strict=True)) == pages


def test_a_plain_name_becomes_the_file_name():
    assert page_file_names(["ada", "grace.hopper", "Łukasz_2"]) == ["ada.html", "grace.hopper.html", "Łukasz_2.html"]


def test_names_that_differ_only_in_replaced_characters_stay_distinct():
    assert page_file_names(["a b", "a_b", "a/b"]) == ["a_b-c8687a08.html", "a_b.html", "a_b-c14cddc0.html"]


def test_submissions_with_the_same_name_have_separate_pages():
    assert len(set(page_file_names(["ada", "ada", "ada"]))) == 3
