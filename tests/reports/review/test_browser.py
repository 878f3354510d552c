"""The review in Chromium, served by the command itself: used, looked over by axe-core, and harmed by nothing."""

import csv
import http.client
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import webbrowser
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from pitboss.assignments.rubricfile import RubricItem
from pitboss.cli import reviewing
from pitboss.gradebook.book import Gradebook, line_kind
from tests.conftest import ORDINARY, ROOT
from tests.reports.review.conftest import HOSTILE

pytestmark = pytest.mark.needs("Chromium")
PAGES = (
    "",
    "person?who=bob",
    "session?who=bob&of=teller&number=2",
    "beside?who=ada",
    "person?who=eve",
    "person?who=nobody",
)
#: Where an attribute of the page would be, had anything in it been run.
HARMED = "document.title === 'harmed' || window.harmed === true"


@pytest.fixture
def served(book):
    """The review as the command serves it: its address, and its process."""
    command = [sys.executable, "-m", "pitboss", "review", book, "--no-browser", "--by", "the tests"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True, cwd=ROOT) as process:
        line = process.stdout.readline()
        found = re.fullmatch(r"Review of \S+, for you alone: (http://127\.0\.0\.1:\d+/\?token=(\S+))\n", line)
        assert found, line + process.stderr.read()
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        try:
            yield SimpleNamespace(url=found[1], token=found[2], process=process, book=book)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium, served):
    """A tab in which the review is open; whatever the browser complains of is in `said`."""
    with chromium.new_context() as context:
        tab = context.new_page()
        tab.said = []
        tab.on("console", lambda message: tab.said.append(message.text))
        tab.on("pageerror", lambda error: tab.said.append(str(error)))
        tab.on("dialog", lambda dialog: tab.said.append(dialog.message) or dialog.dismiss())
        tab.goto(served.url)
        tab.home = tab.url
        yield tab


def press(tab, key):
    """Press a key on a page that is there as a whole, with its script."""
    tab.wait_for_load_state()
    tab.keyboard.press(key)


def scores(served):
    command = [sys.executable, "-m", "pitboss", "scores", served.book, "--csv", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return {row["key"]: row for row in csv.DictReader(io.StringIO(done.stdout))}


def test_a_score_is_given_with_keys_overridden_reloaded_and_found_in_the_table(tab, served):
    assert served.token not in tab.url
    tab.get_by_role("link", name="Ada Lovelace").click()
    press(tab, "j")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Bob Müller")
    press(tab, "8")
    expect(tab.get_by_label("Style", exact=False).first).to_have_value("80%")
    press(tab, "s")
    expect(tab.get_by_role("status")).to_contain_text("Noted: style 80 %, by the tests")
    press(tab, "o")
    tab.keyboard.type("62.5")
    tab.get_by_label("because").fill("handed in on paper")
    tab.get_by_role("button", name="Save").click()
    expect(tab.get_by_role("status")).to_contain_text("The score was 50 and is now 62.5 of 100.")
    tab.reload()
    expect(tab.get_by_role("heading", name="Score: 62.5 of 100")).to_be_visible()
    press(tab, "k")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")
    press(tab, "u")
    expect(tab.get_by_role("row", name="Bob Müller")).to_contain_text("62.5")
    row = scores(served)["bob"]
    assert (row["score"], row["style"]) == ("62.5", "80%")
    assert tab.said == []


def test_keys_do_nothing_in_a_field_nor_where_they_are_switched_off(tab):
    tab.goto(f"{tab.home}person?who=ada")
    press(tab, "c")
    tab.keyboard.type("jks?u8")
    expect(tab.locator("#comment")).to_have_value("jks?u8")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")
    press(tab, "Escape")
    press(tab, "?")
    tab.get_by_label("Keys without Ctrl").uncheck()
    tab.goto(f"{tab.home}person?who=ada")
    press(tab, "j")
    press(tab, "9")
    expect(tab.locator("#style")).to_have_value("")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")


def test_a_conversation_is_stepped_through(tab):
    tab.goto(f"{tab.home}session?who=bob&of=teller&number=2")
    steps = tab.locator("[data-steps] > li")
    expect(steps).to_have_count(2)
    expect(steps.nth(1)).to_be_visible()
    press(tab, "p")
    expect(steps.nth(1)).to_be_hidden()
    expect(tab.get_by_text("Step 1 of 2")).to_be_visible()
    press(tab, "n")
    expect(steps.nth(1)).to_be_visible()
    press(tab, "[")
    expect(tab.get_by_role("heading", level=1)).to_contain_text("case 1")


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        ("dark", 1280),
        pytest.param("light", 1280, marks=pytest.mark.slow),
        pytest.param("dark", 360, marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_screen(chromium, served, scheme, width):
    with Gradebook(served.book) as book:
        book.set_rubric([RubricItem("names", "Good names.", "2"), RubricItem("long", "Far too long. " * 20, "-5")])
        book.add_mark("bob", "request", "Please look at case 2 again.")
        book.add_mark("bob", line_kind("p2", "teller.c:2"), "Why is this here? " * 20)
    with chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}) as context:
        tab = context.new_page()
        tab.goto(served.url)
        home = tab.url
        for address in PAGES:
            tab.goto(f"{home}{address}")
            tab.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
            found = [
                (one["id"], one["impact"], [node["html"] for node in one["nodes"]])
                for one in Axe().run(tab).response["violations"]
            ]
            assert found == [], address
            assert tab.evaluate("document.documentElement.scrollWidth") == width, address


def test_the_file_by_which_a_browser_is_opened_leads_in(chromium, served, monkeypatch):
    """A strict cookie is not sent with a redirection that began on another site, which a file is."""
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with reviewing._open_browser(served.url), chromium.new_context() as context:
        tab = context.new_page()
        tab.goto(opened[0])
        expect(tab.get_by_role("link", name="Ada Lovelace")).to_be_visible()
        assert served.token not in tab.url


def test_without_javascript_everything_is_read_and_sent(chromium, served):
    with chromium.new_context(java_script_enabled=False) as context:
        tab = context.new_page()
        tab.goto(served.url)
        tab.get_by_label("Name, key or section").fill("bob")
        tab.get_by_role("button", name="Show").click()
        expect(tab.get_by_role("status")).to_have_text("1 of 3 shown")
        tab.get_by_role("link", name="Bob Müller").click()
        tab.get_by_label("Comment, which the student reads").fill("Mind the end.")
        tab.get_by_role("button", name="Save").click()
        expect(tab.get_by_role("status")).to_contain_text("Noted: comment Mind the end., by the tests")
        tab.get_by_text("All sessions of teller").click()
        tab.locator(".sessions").get_by_role("link", name="case 2").click()
        expect(tab.locator("[data-steps] > li").last).to_be_visible()


def test_what_a_submission_prints_and_holds_harms_nobody(tab):
    for address in PAGES:
        tab.goto(f"{tab.home}{address}")
        assert tab.evaluate(HARMED) is False
        assert [one for one in tab.said if "404" not in one] == []
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", tab.locator("main").inner_text())
    tab.goto(f"{tab.home}person?who=ada")
    source = tab.get_by_role("region", name="Source of teller.c").inner_text()
    assert HOSTILE.split("\x1b")[0] in source
    assert "\\xe2\\x80\\xae" in source


def test_nobody_else_on_the_machine_reads_it(served):
    """Neither with what another user sees of us, nor by asking."""
    seen = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert served.token not in seen
    asked = served.url.partition("?")[0]
    script = (
        "import sys, urllib.request as r\ntry: print(r.urlopen(sys.argv[1]).status)\nexcept OSError as e: print(e.code)"
    )
    other = {"user": ORDINARY, "group": ORDINARY, "extra_groups": []} if os.geteuid() == 0 else {}
    for address in (asked, f"{asked}?token=wrong", f"{asked}style.css"):
        done = subprocess.run(
            ["/usr/bin/python3", "-c", script, address], capture_output=True, text=True, check=True, cwd="/", **other
        )
        assert done.stdout == "403\n"
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked)


def test_ctrl_c_ends_it_quietly_while_a_browser_is_connected(served):
    connection = http.client.HTTPConnection(urlsplit(served.url).netloc)
    connection.request("GET", "/")
    assert connection.getresponse().read()
    served.process.send_signal(signal.SIGINT)
    out, err = served.process.communicate(timeout=300)
    assert (served.process.returncode, out, err) == (130, "", "\npitboss: stopped\n")


def test_the_rubric_is_picked_and_a_line_commented_without_losing_what_was_typed(tab, served):
    with Gradebook(served.book) as book:
        book.set_rubric([RubricItem("names", "Good names.", "2"), RubricItem("short", "Too short.", "-5")])
    tab.goto(f"{tab.home}person?who=ada")
    press(tab, "c")
    tab.keyboard.type("Well done.")
    press(tab, "Escape")
    press(tab, "r")
    press(tab, "Tab")
    press(tab, "Space")
    tab.get_by_title("Comment on line 2").click()
    expect(tab.locator("#line")).to_have_value("2")
    expect(tab.locator("#line-comment")).to_be_focused()
    tab.keyboard.type("Why?")
    tab.get_by_role("button", name="Comment there").click()
    expect(tab.locator(".remark.persons")).to_have_text("comment: Why?")
    expect(tab.get_by_role("heading", name="Score: 95 of 100")).to_be_visible()
    expect(tab.locator("blockquote").first).to_have_text("Well done.")
    assert tab.said == []


def test_a_line_is_commented_without_javascript(chromium, served):
    with chromium.new_context(java_script_enabled=False) as context:
        tab = context.new_page()
        tab.goto(served.url)
        tab.get_by_role("link", name="Ada Lovelace").click()
        tab.get_by_title("Comment on line 2").click()
        tab.locator("#line-comment").fill("Why?")
        tab.get_by_role("button", name="Comment there").click()
        expect(tab.locator(".remark.persons")).to_have_text("comment: Why?")
