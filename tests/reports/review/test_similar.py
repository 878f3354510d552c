"""Similar submissions in the review: computed when they are asked for, and again when somebody hands in something else."""

import pytest

from pitboss.cli.reviewing import _pair_link, _similar
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.person_records import SourceFile
from pitboss.reports.review.remembered import SimilarityCache
from pitboss.reports.similarity.works import Pair, Work
from tests.gradebook.made import ADA, BOB, handed

SOURCE = "\n".join(
    f"int step{n}(int a) {{ if (a > {n}) return a * {n} - 1; while (a < 9) a += {n}; return a; }}" for n in range(9)
)


@pytest.fixture
def class_(tmp_path):
    with Gradebook(tmp_path / "class.gradebook", may_be_new=True) as book:
        book.set_facts(assignment="none of ours", called="none of ours")
        book.add_submissions([(handed(ADA), "prog1"), (handed(BOB), "prog2")])
        book.add_sources("prog1", [SourceFile("play.c", SOURCE)])
        book.add_sources("prog2", [SourceFile("play.c", f"/* </script><script>alert(1) */\n{SOURCE}")])
        yield book


def test_the_page_has_the_pairs_and_leads_to_both(reader, similar, class_, monkeypatch):
    values = _similar((), class_)
    monkeypatch.setitem(similar, "asked", lambda book: values)
    text = reader.get("similar").text
    assert [pair["beside"] for pair in values["pairs"]] == ["beside?who=ada&with=bob"]
    assert '<a href="beside?who=ada&amp;with=bob">Both side by side</a>' in text
    assert '<link rel="stylesheet" href="similarity.css">' in text
    assert "<style" not in text and "<script>alert" not in text
    assert 'href="similar"' in reader.get("").text
    assert "minmax" in reader.get("similarity.css").text


def test_who_is_of_an_earlier_class_has_no_page():
    ada, other = Work("ada", "Ada", ()), Work("bob", "Bob", (), "2025")
    assert _pair_link(Pair(ada, other, 1, 1, 1, ())) == ""


def test_it_is_computed_once_for_what_counts(class_):
    asked = []
    remembered = SimilarityCache(lambda book: asked.append(book) or {"pairs": len(asked)})
    assert [remembered.values_of(class_)["pairs"] for _ in range(3)] == [1, 1, 1]
    class_.add_submissions([(handed(ADA), "prog3")])
    assert [remembered.values_of(class_)["pairs"] for _ in range(2)] == [2, 2]


def test_where_nothing_can_be_compared_it_is_reported(reader, similar, monkeypatch):
    def refuse(book):
        raise UsageError("there are no sources in it to compare")

    monkeypatch.setitem(similar, "asked", refuse)
    output = reader.get("similar")
    assert (output.status_code, "there are no sources in it to compare" in output.text) == (400, True)
