"""Pages: self-contained, and student output is text on them, whatever it holds. Looked at by Chromium too."""

import html
import json
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
    assert not {"img", "b"} & set(tags.tags)
    assert "script" not in tags.tags
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
    assert (
        "Likely mistake: <strong>the pauses are too short</strong>" in (tmp_path / "pages" / "brian.html").read_text()
    )
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
    for scheme in ("0", "1"):  # dark, and light
        measured = contrasts(tmp_path / "page.html", f"--blink-settings=preferredColorScheme={scheme}")
        assert len(measured) > 20
        assert {text: ratio for text, ratio in measured if ratio < 4.5} == {}


#: Paints what lies below each text on a canvas, from the outermost element inwards, and then the text's own colour.
MEASURE = """<script>
document.querySelectorAll("details").forEach(one => one.open = true);
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function painted(colours) {
  canvas.clearRect(0, 0, 1, 1);
  for (const colour of ["Canvas", ...colours]) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
function luminance(rgb) {
  const [r, g, b] = rgb.map(one => one / 255).map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode.data.trim(), parent = walker.currentNode.parentElement;
  if (!text || parent.tagName == "SCRIPT") continue;
  const below = [];
  for (let one = parent; one; one = one.parentElement) below.unshift(getComputedStyle(one).backgroundColor);
  const [dark, light] = [painted(below), painted([...below, getComputedStyle(parent).color])].map(luminance).sort((one, other) => one - other);
  found.push([text.slice(0, 40), Math.round(100 * (light + 0.05) / (dark + 0.05)) / 100]);
}
document.title = JSON.stringify(found);
</script>"""


def contrasts(page, option):
    """Each text of a page as a browser shows it, and how it stands out from what is below it."""
    measuring = page.with_suffix(".measuring.html")
    measuring.write_text(page.read_text().replace("</body>", f"{MEASURE}</body>"))
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", option, "--dump-dom", f"file://{measuring}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    return json.loads(html.unescape(re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)[1]))
