"""What people read on eight pages of a class, whole, on a phone and on a desk, in the light and in the dark.

Each page is a file of class_pages/: what a screen reader says of it, which is what stands there and what it is, without
how it looks. `python -m tests.cli.test_class_pages` writes them anew, and pictures of all into the folder that it is
given; git diff shows what became of them.
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
from tests.cli.test_class_screens import NOT_OURS, course
from tests.conftest import ROOT

pytestmark = pytest.mark.needs("Chromium")
HERE = Path(__file__).parent / "class_pages"
#: The widths of screens, in CSS pixels.
WIDTHS = (400, 1280)
SCHEMES = ("light", "dark")
#: What is done before the pages are looked at, after which all of them are there.
STEPS = (
    ["grade", "class", "-a", "statistics", "--gradebook", "mine.gradebook", "--roster", "roster.csv"],
    ["mark", "mine.gradebook", "ada", "--style", "90", "--comment", "Good names.", "--by", "prof"],
    ["mark", "mine.gradebook", "ben", "--request", "My median is right, I think.", "--by", "prof"],
    ["scores", "mine.gradebook", "--html", "pages"],
    ["similar", "mine.gradebook", "--html", "similar.html"],
    ["starter", "statistics", "--into", "kit"],
)
#: Where each page is: a file, or an address of the review.
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
#: What differs from run to run besides instants: the folder, the review's port and token, and the machine's sandbox.
_VARYING = re.compile(
    r"/\S+/course(?=/)|127\.0\.0\.1:\d+|token=[\w-]+|/r/[\w-]+|sessions: [^\n\"]*|sandbox: [^\n\"]*|note: [^\n\"]*"
)


@contextlib.contextmanager
def pages():
    """The review's address with its token, and the address of each page by its name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = course(Path(temporary) / "course")
        unread = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(unread), contextlib.redirect_stderr(unread):
            assert [exit_code_of(step) for step in STEPS] == [1, 0, 0, 0, 0, 0]
        command = [sys.executable, "-m", "pitboss", "review", "mine.gradebook", "--no-browser", "--by", "prof"]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "harness"), "PYTHONUNBUFFERED": "1"}
        with subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True, cwd=folder) as process:
            try:
                review = re.search(r"http://\S+", process.stdout.readline())[0]
                files = {name: (folder / at).as_uri() for name, at in PAGES.items() if not at.startswith("review:")}
                yield review, {**PAGES, **files}
            finally:
                process.kill()


@contextlib.contextmanager
def tabs(browser, addresses, width, scheme):
    """Shows a page by its name, as wide as this and in these colours."""
    review, at = addresses
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}) as context:
        tab = context.new_page()
        tab.goto(review)
        home = tab.url

        def shown(name):
            tab.goto(at[name].replace("review:", home))
            tab.evaluate("document.querySelectorAll('details:not(header details)').forEach(one => one.open = true)")
            return tab

        yield shown


@contextlib.contextmanager
def chromium():
    """A browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def opened():
    """Chromium, and the pages of a class: made once for all widths and colours."""
    with pages() as addresses, chromium() as browser:
        yield browser, addresses


def text_of(tab):
    """What a screen reader says of the page."""
    return NOT_OURS.sub("WHEN", _VARYING.sub("…", tab.locator("body").aria_snapshot())) + "\n"


def file_of(name):
    return HERE / f"{name.replace(' ', '_')}.yaml"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_what_stands_on_each_page_is_all_seen(width, scheme, opened):
    with tabs(*opened, width, scheme) as output:
        for name in PAGES:
            tab = output(name)
            assert text_of(tab) == file_of(name).read_text(encoding="utf-8"), name
            assert tab.evaluate("document.documentElement.scrollWidth") == width, name


def test_no_file_is_left_of_a_page_that_is_no_more():
    assert sorted(HERE.iterdir()) == sorted(map(file_of, PAGES))


if __name__ == "__main__":
    os.environ |= {"PITBOSS_WITHOUT": "cache"}
    HERE.mkdir(exist_ok=True)
    for path in HERE.iterdir():
        path.unlink()
    pictures = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    with pages() as addresses, chromium() as browser:
        for width, scheme in itertools.product(WIDTHS, SCHEMES):
            with tabs(browser, addresses, width, scheme) as shown:
                for name in PAGES:
                    tab = shown(name)
                    file_of(name).write_text(text_of(tab), encoding="utf-8")
                    if pictures:
                        tab.screenshot(path=pictures / f"{file_of(name).stem}-{width}-{scheme}.png", full_page=True)
