"""Eight HTML pages of a class: their full text, at the width of a phone and of a desktop, in light and dark colours.

Each page has a file in class_pages/ with its accessibility snapshot (texts and roles, without looks). To update these
files, run `python -m tests.cli.test_class_pages [FOLDER]` and look at git diff; FOLDER receives screenshots.
"""

import contextlib
import io
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from pitboss.cli.main import exit_code_of
from tests.cli.test_class_screens import TIMES, course
from tests.conftest import ROOT

pytestmark = pytest.mark.needs("Chromium")
EXPECTED_FOLDER = Path(__file__).parent / "class_pages"
#: The widths of a phone's and a desktop's screen, in CSS pixels.
WIDTHS = (400, 1280)
SCHEMES = ("light", "dark")
#: The commands that make the pages.
STEPS = (
    ["grade", "class", "-a", "statistics", "--gradebook", "mine.gradebook", "--roster", "roster.csv"],
    ["mark", "mine.gradebook", "ada", "--style", "90", "--comment", "Good names.", "--by", "prof"],
    ["mark", "mine.gradebook", "ben", "--request", "My median is right, I think.", "--by", "prof"],
    ["scores", "mine.gradebook", "--html", "pages"],
    ["similar", "mine.gradebook", "--html", "similar.html"],
    ["starter", "statistics", "--into", "kit"],
)
#: The location of each page: a file, or, after `review:`, a path on the server of `pitboss review`.
PAGES = {
    "a student whose program is wrong": "pages/ben.html",
    "a student whose program is right": "pages/ada.html",
    "a student whose program was not found": "pages/zoe.html",
    "who is like whom": "similar.html",
    "a handout": "kit/HANDOUT.html",
    "review of the class": "review:",
    "review of a person": "review:person?who=ben",
    "review of two beside each other": "review:beside?who=ada&with=min-li",
}
#: Texts that differ between runs or machines, besides times: the folder, the review's port and token, the sandbox.
_VARYING = re.compile(
    r"/\S+/course(?=/)|127\.0\.0\.1:\d+|token=[\w-]+|/r/[\w-]+|sessions: [^\n\"]*|sandbox: [^\n\"]*|note: [^\n\"]*"
    r"|(?<=Built with )[^\n\"]*|(?<=Tried with )[^\n\"]*"
)


@contextlib.contextmanager
def page_addresses():
    """Make the pages and run the review; gives the review's address with its token, and each page's address by name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = course(Path(temporary) / "course")
        discarded_output = io.StringIO()
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(discarded_output),
            contextlib.redirect_stderr(discarded_output),
        ):
            assert [exit_code_of(step) for step in STEPS] == [1, 0, 0, 0, 0, 0]
        command = [sys.executable, "-m", "pitboss", "review", "mine.gradebook", "--no-browser", "--by", "prof"]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "harness"), "PYTHONUNBUFFERED": "1"}
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True, cwd=folder) as process:
            try:
                review = re.search(r"http://\S+", process.stdout.readline())[0]
                files = {
                    name: (folder / location).as_uri()
                    for name, location in PAGES.items()
                    if not location.startswith("review:")
                }
                yield review, {**PAGES, **files}
            finally:
                process.kill()


@contextlib.contextmanager
def page_opener(browser, addresses, width, scheme):
    """Gives a function that opens a page by its name, in a tab of this width and colour scheme."""
    review, addresses_by_name = addresses
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}) as context:
        tab = context.new_page()
        tab.goto(review)
        home = tab.url

        def open_page(name):
            tab.goto(addresses_by_name[name].replace("review:", home))
            tab.evaluate("document.querySelectorAll('details:not(header details)').forEach(box => box.open = true)")
            return tab

        yield open_page


@contextlib.contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser_and_addresses():
    """Chromium and the addresses of the pages, which are made once for all widths and colours."""
    with page_addresses() as addresses, chromium() as browser:
        yield browser, addresses


def screen_reader_text(tab):
    """The accessibility snapshot of the page, with a placeholder for each text that varies."""
    return TIMES.sub("WHEN", _VARYING.sub("…", tab.locator("body").aria_snapshot())) + "\n"


def expected_file(name):
    return EXPECTED_FOLDER / f"{name.replace(' ', '_')}.yaml"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_each_page_has_the_expected_text_and_fits_its_width(width, scheme, browser_and_addresses):
    with page_opener(*browser_and_addresses, width, scheme) as open_page:
        for name in PAGES:
            tab = open_page(name)
            assert screen_reader_text(tab) == expected_file(name).read_text(encoding="utf-8"), name
            assert tab.evaluate("document.documentElement.scrollWidth") == width, name


def test_there_is_one_file_for_each_page():
    assert sorted(EXPECTED_FOLDER.iterdir()) == sorted(map(expected_file, PAGES))


if __name__ == "__main__":
    os.environ |= {"PITBOSS_WITHOUT": "cache"}
    EXPECTED_FOLDER.mkdir(exist_ok=True)
    for path in EXPECTED_FOLDER.iterdir():
        path.unlink()
    pictures = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    with page_addresses() as addresses, chromium() as browser:
        for width, scheme in itertools.product(WIDTHS, SCHEMES):
            with page_opener(browser, addresses, width, scheme) as open_page:
                for name in PAGES:
                    tab = open_page(name)
                    expected_file(name).write_text(screen_reader_text(tab), encoding="utf-8")
                    if pictures:
                        tab.screenshot(
                            path=pictures / f"{expected_file(name).stem}-{width}-{scheme}.png", full_page=True
                        )
