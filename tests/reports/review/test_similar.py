import pytest

from pitboss.cli.reviewing import _pair_link, _values_of_similarity_page
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import SourceFile
from pitboss.reports.review.application import SimilarityCache
from pitboss.reports.similarity.works import Pair, Work
from tests.gradebook.made import ADA, BOB, submission_by

SOURCE = "\n".join(
    f"int step{n}(int a) {{ if (a > {n}) return a * {n} - 1; while (a < 9) a += {n}; return a; }}" for n in range(9)
)


@pytest.fixture
def class_gradebook(tmp_path):
    """A gradebook in which Ada and Bob have the same source, except for a hostile comment."""
    with Gradebook(tmp_path / "class.gradebook", may_be_new=True) as book:
        book.set_facts(assignment="none of ours", called="none of ours")
        book.add_submissions([(submission_by(ADA), "prog1"), (submission_by(BOB), "prog2")])
        book.add_sources("prog1", [SourceFile("play.c", SOURCE)])
        book.add_sources("prog2", [SourceFile("play.c", f"/* </script><script>alert(1) */\n{SOURCE}")])
        yield book


def test_the_page_has_the_pairs_and_leads_to_both(reader, similar, class_gradebook, monkeypatch):
    values = _values_of_similarity_page((), class_gradebook)
    monkeypatch.setitem(similar, "values_of", lambda book: values)
    text = reader.get("similar").text
    assert [values["link_to_pair"](pair) for pair in values["pairs"]] == ["beside?who=ada&with=bob"]
    assert '<a href="beside?who=ada&amp;with=bob">Both side by side</a>' in text
    assert '<link rel="stylesheet" href="similarity.css">' in text
    assert "<style" not in text and "<script>alert" not in text
    assert 'href="similar"' in reader.get("").text
    assert "minmax" in reader.get("similarity.css").text


def test_a_pair_with_an_earlier_class_has_no_link():
    ada, earlier_bob = Work("ada", "Ada", ()), Work("bob", "Bob", (), "2025")
    assert _pair_link(Pair(ada, earlier_bob, 1, 1, 1, ())) == ""


def test_similarity_is_computed_once_until_a_submission_changes(class_gradebook):
    computed_books = []
    cache = SimilarityCache(lambda book: computed_books.append(book) or {"pairs": len(computed_books)})
    assert [cache.values_of(class_gradebook)["pairs"] for _ in range(3)] == [1, 1, 1]
    class_gradebook.add_submissions([(submission_by(ADA), "prog3")])
    assert [cache.values_of(class_gradebook)["pairs"] for _ in range(2)] == [2, 2]


def test_a_gradebook_without_sources_is_reported(reader, similar, monkeypatch):
    def refuse(book):
        raise UsageError("there are no sources in it to compare")

    monkeypatch.setitem(similar, "values_of", refuse)
    output = reader.get("similar")
    assert (output.status_code, "there are no sources in it to compare" in output.text) == (400, True)
