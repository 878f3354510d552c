import json
import re

import jsonschema
from rich.console import Console

from pitboss.reports.similarity.pair_search import compare_works
from pitboss.reports.similarity.works import Work
from pitboss.reports.similarity_page import percentage, remarks, similarity_json, similarity_page, similarity_table
from tests.conftest import ROOT
from tests.reports.similarity.test_pair_search import c_function, work

HOSTILE = "// </pre><script>alert(1)</script> \x1b[2J \u202e\n"


def page_html(comparison, **options):
    return similarity_page(comparison, "Blackjack: similar submissions", **options)


def with_hostile_lines(text):
    """The program with a hostile line before its sixth statement."""
    return text.replace("\n    a5", f"\n{HOSTILE}\n    a5")


def hostile_comparison():
    """Two people and an earlier work of the first, with markup and escapes in names, paths and sources."""
    text = with_hostile_lines(c_function("f", 123))
    left = Work("ada", "<b>Ada", (("<i>.c", text),))
    return compare_works([left, work("bob", text + "x" * 5000), work("ada", text, earlier="2025<")])


def test_the_page_shows_both_passages_and_escapes_hostile_text():
    text = page_html(hostile_comparison())
    assert "<script" not in text and "<b>" not in text and "<i>" not in text
    assert "&lt;script&gt;alert(1)" in text and "&lt;b&gt;Ada" in text
    assert "\x1b" not in text and "\u202e" not in text
    assert text.count("<figure>") == 3 * 2
    assert "&lt;i&gt;.c, lines 1 to 17" in text and "0.c, lines 1 to 17" in text
    assert "the same person" in text and "Ada (2025&lt;)" in text


def test_the_page_loads_no_other_file_and_its_links_have_targets():
    text = page_html(hostile_comparison())
    assert not re.search(r"https?://|<link|<img|@import|url\(", text)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids)) == 3
    assert set(re.findall(r'href="#([^"]+)"', text)) == set(ids)
    assert set(re.findall(r'aria-labelledby="([^"]+)"', text)) == set(ids)
    assert '<html lang="en">' in text and "prefers-color-scheme: dark" in text


def test_long_passages_and_lines_are_cut():
    text = c_function("f", 123, count=150).replace("a7 =", "a" * 9000 + " =")
    output = page_html(compare_works([work("ada", text), work("bob", text)]))
    assert "… 33 more lines …" in output
    assert "a" * 301 not in output and "…" in output


def test_omitted_code_is_reported():
    starter, idiom = c_function("f", 123), c_function("g", 456)
    works = [work(f"p{n:02}", starter + idiom) for n in range(11)] + [work("old", starter, earlier="2025")]
    alike, *other_remarks = remarks(compare_works(works, [("kit.c", starter)]))
    names = ", ".join(f"P{n:02}" for n in range(11))
    assert alike == (
        f"11 submissions are alike, apart from names, texts and comments: {names}. They share nine tenths or more of the "
        "compared code, which is left out since so many people have it; `--common 11` keeps it, and shows their pairs."
    )
    assert other_remarks[:2] == [
        "11 submissions and 1 of earlier classes compared: 0 pairs share passages.",
        "Left out: what everybody was given, found in 12 of 12 submissions.",
    ]
    assert re.fullmatch(
        r"Left out: \d+ fingerprints that more than 10 people of one class have in common\.", other_remarks[2]
    )
    assert other_remarks[3:] == ["Nothing is left to compare in: Old (2025)."]


def test_the_table_lists_pairs_and_remarks():
    text = c_function("f", 123)
    comparison = compare_works([work("ada", text), work("bob", text), work("ada", text, earlier="2025")], max_pairs=2)
    console = Console(width=100, highlight=False)
    with console.capture() as captured:
        console.print(similarity_table(comparison, ["A note."]))
    lines = [line.rstrip() for line in captured.get().splitlines()]
    assert lines[0].split("  ")[0] == "submission"
    assert [re.sub(r"  +", " | ", line) for line in lines[2:4]] == [
        "Ada | 100 % | Bob | 100 % | 1",
        "Ada | 100 % | Ada (2025), the same person | 100 % | 1",
    ]
    assert lines[5:] == [
        "2 submissions and 1 of earlier classes compared: 3 pairs share passages, of which the first 2 are",
        "shown.",
        "A note.",
    ]


def test_the_json_has_line_numbers_but_no_source_code():
    report = json.loads(similarity_json(hostile_comparison(), {"assignment": "blackjack"}, ["A note."]))
    assert report["schema"] == "pitboss/similarity/v1"
    assert report["tokens"] == {"k": 24, "w": 9, "always_found": 32}
    assert report["remarks"][-1] == "A note." and report["gradebook"] == {"assignment": "blackjack"}
    [same_person_pair] = [pair for pair in report["pairs"] if pair["same_person"]]
    assert same_person_pair["right"]["earlier"] == "2025<"
    [other_person_pair] = [pair for pair in report["pairs"] if not pair["same_person"] and not pair["right"]["earlier"]]
    [passage] = other_person_pair["passages"]
    assert passage["left"] == {"path": "<i>.c", "first": 1, "last": 17}
    assert "alert" not in json.dumps(report)


def test_the_json_fits_its_schema_and_is_documented():
    report = json.loads(similarity_json(hostile_comparison(), {"assignment": "blackjack", "title": "Blackjack"}))
    documentation = (ROOT / "docs" / "json.md").read_text()
    schema = json.loads((ROOT / "docs" / "similarity.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(report)
    [*_, pair] = report["pairs"]
    [passage] = pair["passages"]
    for field in (*report, *report["gradebook"], *report["tokens"], *pair, *pair["left"], *passage, *passage["left"]):
        assert f"`{field}`" in documentation, field


def test_shares_are_rounded_down_but_never_to_zero():
    assert [percentage(share) for share in (1.0, 0.999, 0.5, 0.01, 0.003)] == [
        "100 %",
        "99 %",
        "50 %",
        "1 %",
        "under 1 %",
    ]
