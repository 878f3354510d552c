"""Pages: self-contained, and student output is text on them, whatever it holds. Looked at by Chromium too."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from tests.conftest import ROOT

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'"
EXAMPLES = ROOT / "examples" / "blackjack"


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}


@pytest.fixture
def hostile(tmp_path):
    folder = tmp_path / "class" / "<b>mallory"
    folder.mkdir(parents=True)
    text = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    (folder / "shuffle.c").write_text(
        f'#include <stdio.h>\nint main(void) {{ printf("Seed: {text}\\n"); return 0; }}\n'
    )
    return folder


def test_a_page_holds_no_markup_of_a_student(pitboss, hostile, tmp_path):
    done = pitboss("check", hostile, "shuffle", "-a", "blackjack", "--html", "page.html")
    assert done.code == 1
    page = (tmp_path / "page.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert not {"script", "img", "b"} & set(tags.tags)
    assert not any(name.startswith("on") for name, _ in tags.attributes)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_page_of_a_class_leads_to_each_submission(pitboss, tmp_path):
    students = ("ada", "brian", "edsger")
    for student in students:
        shutil.copytree(EXAMPLES / student, tmp_path / "class" / student)
    done = pitboss("grade", "class", "shuffle", "deal", "play", "-a", "blackjack", "--html", "pages")
    assert done.code == 1
    index = (tmp_path / "pages" / "index.html").read_text()
    for student in students:
        assert f'href="{student}.html"' in index
        page = (tmp_path / "pages" / f"{student}.html").read_text()
        assert 'href="index.html"' in page
    assert "Likely mistake: the pauses are too short" in (tmp_path / "pages" / "brian.html").read_text()
    assert "every ace counts 11" in index


@pytest.mark.needs("Chromium")
def test_chromium_shows_the_page_and_runs_nothing(pitboss, hostile, tmp_path):
    pitboss("check", hostile, "shuffle", "-a", "blackjack", "--html", "page.html")
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"file://{tmp_path}/page.html"],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert "<script" not in done.stdout
    assert "wrong answer" in done.stdout
    assert "&lt;script&gt;alert(1)" in done.stdout
