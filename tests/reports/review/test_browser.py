import csv
import http.client
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import webbrowser
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from pitboss.assignments.gradingfile import RubricItem
from pitboss.cli import reviewing
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.marks import line_kind
from tests.conftest import ROOT
from tests.reports.review.conftest import HOSTILE

pytestmark = pytest.mark.needs("Chromium")
ADDRESSES = (
    "",
    "person?who=bob",
    "session?who=bob&of=teller&number=2",
    "beside?who=ada",
    "person?who=eve",
    "person?who=nobody",
)
#: JavaScript that is true if a script in HOSTILE has run.
IS_HARMED = "document.title === 'harmed' || window.harmed === true"


@pytest.fixture
def running_review(book):
    """A running `pitboss review`: its address with the token, the token, the process and the gradebook."""
    command = [sys.executable, "-m", "pitboss", "review", book, "--no-browser", "--by", "the tests"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True, cwd=ROOT) as process:
        line = process.stdout.readline()
        match = re.fullmatch(r"Review of \S+, for you alone: (http://127\.0\.0\.1:\d+/\?token=(\S+))\n", line)
        assert match, line + process.stderr.read()
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        try:
            yield SimpleNamespace(url=match[1], token=match[2], process=process, book=book)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium, running_review):
    """A tab with the first page of the review; `messages` collects console messages, errors and dialogs."""
    with chromium.new_context() as context:
        tab = context.new_page()
        tab.messages = []
        tab.on("console", lambda message: tab.messages.append(message.text))
        tab.on("pageerror", lambda error: tab.messages.append(str(error)))
        tab.on("dialog", lambda dialog: tab.messages.append(dialog.message) or dialog.dismiss())
        tab.goto(running_review.url)
        tab.home = tab.url
        yield tab


def press_key(tab, key):
    """Press a key when the page and its script have loaded."""
    tab.wait_for_load_state()
    tab.keyboard.press(key)


def score_rows(running_review):
    """The rows of the CSV table of scores, by the person's key."""
    command = [sys.executable, "-m", "pitboss", "scores", running_review.book, "--csv", "-"]
    process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return {row["key"]: row for row in csv.DictReader(io.StringIO(process.stdout))}


def test_scores_entered_with_keys_and_forms_are_stored(tab, running_review):
    assert running_review.token not in tab.url
    tab.get_by_role("link", name="Ada Lovelace").click()
    press_key(tab, "j")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Bob Müller")
    press_key(tab, "8")
    expect(tab.get_by_label("Style", exact=False).first).to_have_value("80%")
    press_key(tab, "s")
    expect(tab.get_by_role("status")).to_contain_text("Noted: style 80 %, by the tests")
    press_key(tab, "o")
    tab.keyboard.type("62.5")
    tab.get_by_label("because").fill("handed in on paper")
    tab.get_by_role("button", name="Save").click()
    expect(tab.get_by_role("status")).to_contain_text("The score was 50 and is now 62.5 of 100.")
    tab.reload()
    expect(tab.get_by_role("heading", name="Score: 62.5 of 100")).to_be_visible()
    press_key(tab, "k")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")
    press_key(tab, "u")
    expect(tab.get_by_role("row", name="Bob Müller")).to_contain_text("62.5")
    row = score_rows(running_review)["bob"]
    assert (row["score"], row["style"]) == ("62.5", "80%")
    assert tab.messages == []


def test_keys_do_nothing_in_a_field_or_when_switched_off(tab):
    tab.goto(f"{tab.home}person?who=ada")
    press_key(tab, "c")
    tab.keyboard.type("jks?u8")
    expect(tab.locator("#comment")).to_have_value("jks?u8")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")
    press_key(tab, "Escape")
    press_key(tab, "?")
    tab.get_by_label("Keys without Ctrl").uncheck()
    tab.goto(f"{tab.home}person?who=ada")
    press_key(tab, "j")
    press_key(tab, "9")
    expect(tab.locator("#style")).to_have_value("")
    expect(tab.get_by_role("heading", level=1)).to_have_text("Ada Lovelace")


def test_keys_step_through_a_conversation(tab):
    tab.goto(f"{tab.home}session?who=bob&of=teller&number=2")
    steps = tab.locator("[data-steps] > li")
    expect(steps).to_have_count(2)
    expect(steps.nth(1)).to_be_visible()
    press_key(tab, "p")
    expect(steps.nth(1)).to_be_hidden()
    expect(tab.get_by_text("Step 1 of 2")).to_be_visible()
    press_key(tab, "n")
    expect(steps.nth(1)).to_be_visible()
    press_key(tab, "[")
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
def test_pages_are_accessible_and_fit_the_width_of_the_screen(chromium, running_review, scheme, width):
    with Gradebook(running_review.book) as book:
        book.set_rubric([RubricItem("names", "Good names.", "2"), RubricItem("long", "Far too long. " * 20, "-5")])
        book.add_mark("bob", "request", "Please look at case 2 again.")
        book.add_mark("bob", line_kind("p2", "teller.c:2"), "Why is this here? " * 20)
    with chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}) as context:
        tab = context.new_page()
        tab.goto(running_review.url)
        home = tab.url
        for address in ADDRESSES:
            tab.goto(f"{home}{address}")
            tab.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
            violations = [
                (violation["id"], violation["impact"], [node["html"] for node in violation["nodes"]])
                for violation in Axe().run(tab).response["violations"]
            ]
            assert violations == [], address
            assert tab.evaluate("document.documentElement.scrollWidth") == width, address


def test_the_file_that_opens_the_browser_leads_to_the_review(chromium, running_review, monkeypatch):
    """Opening a file counts as another site: a redirect from there would not send a SameSite=strict cookie."""
    opened_addresses = []
    monkeypatch.setattr(webbrowser, "open", opened_addresses.append)
    with reviewing._open_browser(running_review.url), chromium.new_context() as context:
        tab = context.new_page()
        tab.goto(opened_addresses[0])
        expect(tab.get_by_role("link", name="Ada Lovelace")).to_be_visible()
        assert running_review.token not in tab.url


def test_pages_and_forms_work_without_javascript(chromium, running_review):
    with chromium.new_context(java_script_enabled=False) as context:
        tab = context.new_page()
        tab.goto(running_review.url)
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


def test_hostile_output_and_sources_run_nothing_in_the_browser(tab):
    for address in ADDRESSES:
        tab.goto(f"{tab.home}{address}")
        assert tab.evaluate(IS_HARMED) is False
        assert [message for message in tab.messages if "404" not in message] == []
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", tab.locator("main").inner_text())
    tab.goto(f"{tab.home}person?who=ada")
    source = tab.get_by_role("region", name="Source of teller.c").inner_text()
    assert HOSTILE.split("\x1b")[0] in source
    assert "\\xe2\\x80\\xae" in source


def test_ctrl_c_ends_the_review_while_a_browser_is_connected(running_review):
    connection = http.client.HTTPConnection(urlsplit(running_review.url).netloc)
    connection.request("GET", "/")
    assert connection.getresponse().read()
    running_review.process.send_signal(signal.SIGINT)
    out, err = running_review.process.communicate(timeout=300)
    assert (running_review.process.returncode, out, err) == (130, "", "\npitboss: stopped\n")


def test_rubric_and_line_comments_do_not_lose_a_typed_comment(tab, running_review):
    with Gradebook(running_review.book) as book:
        book.set_rubric([RubricItem("names", "Good names.", "2"), RubricItem("short", "Too short.", "-5")])
    tab.goto(f"{tab.home}person?who=ada")
    press_key(tab, "c")
    tab.keyboard.type("Well done.")
    press_key(tab, "Escape")
    press_key(tab, "r")
    press_key(tab, "Tab")
    press_key(tab, "Space")
    tab.get_by_title("Comment on line 2").click()
    expect(tab.locator("#line")).to_have_value("2")
    expect(tab.locator("#line-comment")).to_be_focused()
    tab.keyboard.type("Why?")
    tab.get_by_role("button", name="Comment there").click()
    expect(tab.locator(".remark.persons")).to_have_text("comment: Why?")
    expect(tab.get_by_role("heading", name="Score: 95 of 100")).to_be_visible()
    expect(tab.locator("blockquote").first).to_have_text("Well done.")
    assert tab.messages == []
