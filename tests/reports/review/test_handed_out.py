import re

import msgspec

from pitboss.cli.book_pages import write_pages
from pitboss.cli.scores import ClassHeading
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.marks import line_kind
from pitboss.gradebook.people import SourceFile
from tests.gradebook.made import A, W, causes, report, result


def test_a_page_for_a_student_has_their_source_and_nothing_of_others(book, tmp_path):
    many_parameters = [
        SourceFile("teller.c", "int main(void)\n{\n}\nint f(int a, int b, int c, int d, int e, int g)\n{\n}\n")
    ]
    with Gradebook(book) as opened:
        opened.add_sources("p2", many_parameters)
        hidden = result(2, W, stage="teller", visibility="hidden")
        checked_report = report(A, stage="teller", has_hidden=True)
        stage = msgspec.structs.replace(
            checked_report.stages[0], results=(*checked_report.stages[0].results, hidden), total=2
        )
        opened.add_report(
            "bob", causes(program="p2", options="q2"), msgspec.structs.replace(checked_report, stages=(stage,))
        )
        opened.add_mark("bob", "comment", "Mind the end.", by="Prof. Ximenes")
        opened.add_mark("bob", line_kind("p2", "teller.c:2"), "Is this read?", by="Prof. Ximenes")
        write_pages(opened, ClassHeading("teller", "Teller", ("teller",)), tmp_path / "out", is_for_instructor=False)
    pages = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert set(pages) == {"al1.html", "bm2.html", "eo3.html"}
    page_of_bob = pages["bm2.html"]
    assert "<h2>Source</h2>" in page_of_bob
    assert "Mind the end." in page_of_bob
    assert "<blockquote><code>teller.c:2</code>: Is this read?</blockquote>" in page_of_bob
    assert '<span class="remark persons"><b>comment:</b> Is this read?' in page_of_bob
    assert "f has 6 parameters, over 5" in page_of_bob
    assert "Hidden cases: 0 of 1 sessions passed." in page_of_bob
    assert not re.search("Ximenes|Lovelace|Neil|case 2|<img|<form|<script", page_of_bob)
