import doctest
import json
import re

import pytest

from pitboss.assignments import keys
from pitboss.cli.main import exit_code_of
from pitboss.reports.report_json import report_schemas
from tests.authors import DICE, DICE_OWN
from tests.docs import generate
from tests.docs.contracts import SIGNATURES, print_checker_answer, session, with_signatures
from tests.docs.pages import DOCS, blocks_of


@pytest.mark.parametrize("path", generate.pages(), ids=lambda path: path.name)
def test_a_generated_page_is_up_to_date(path):
    assert path.read_text() == generate.pages()[path], "refresh it: python -m tests.docs.generate"


def test_the_examples_on_the_contracts_page_run():
    page = DOCS / "reference" / "contracts.md"
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    names = {"session": session, "checked": print_checker_answer}
    for block in blocks_of(page):
        if block.language == "pycon":
            examples = parser.get_doctest(block.text, names, page.name, str(page), block.line - 1)
            runner.run(examples, clear_globs=False)
            names = examples.globs
    assert (runner.failures, runner.tries > 20) == (0, True)


def test_a_reference_without_a_default_for_draw_is_reported(dice, monkeypatch, capsys):
    dice.check_with(DICE_OWN, assignment=DICE.replace("mistakes: own:catalogue\n", ""))
    assert exit_code_of(["verify", "--assignment", str(dice.specs)]) == 1
    message = "the reference of 'dice' failed: TypeError: main() missing 1 required positional argument: 'draw'"
    assert capsys.readouterr().out.startswith(f"{dice.own_code_file}:4: {message}\n")
    assert message in " ".join((DOCS / "reference" / "contracts.md").read_text().split())


def test_every_signature_is_on_the_contracts_page():
    text = (DOCS / "reference" / "contracts.md").read_text()
    assert [name for name in SIGNATURES if f"<!-- code: {name} -->" not in text] == []
    with pytest.raises(KeyError, match="consol"):
        with_signatures("<!-- code: consol -->\n<!-- end -->")


def test_every_key_has_a_row_with_its_meaning():
    for file, page in (("assignment", generate.assignment_file()), ("spec", generate.spec_file())):
        for _, section_keys, _ in generate._SECTIONS[file]:
            for name, key in section_keys.items():
                assert f"| `{name}` |" in page
                # Only up to the first character that is escaped on the page.
                assert re.split(r"[<|{*\[]", key.meaning)[0] in page
    assert set(keys.STAGE) <= {line.split("`")[1] for line in generate.assignment_file().splitlines() if "| `" in line}


def test_json_md_mentions_each_field():
    documented = set(re.findall(r"`(\w+)`", (DOCS / "json.md").read_text()))
    schemas = [json.loads(text) for text in report_schemas().values()]
    fields = {name for schema in schemas for kind in schema["$defs"].values() for name in kind.get("properties", ())}
    assert fields - documented == set()
