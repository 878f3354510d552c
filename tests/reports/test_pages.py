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
def hostile_folder(tmp_path):
    """A submission whose folder name and output contain markup."""
    folder = tmp_path / "class" / "<b>mallory"
    folder.mkdir(parents=True)
    text = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    (folder / "shuffle.c").write_text(
        f'#include <stdio.h>\nint main(void) {{ printf("Seed: {text}\\n"); return 0; }}\n'
    )
    return folder


def test_a_page_has_no_markup_from_a_student(pitboss, hostile_folder, tmp_path):
    completed = pitboss("check", hostile_folder, "shuffle", "-a", "blackjack", "--html", "page.html")
    assert completed.code == 1
    page = (tmp_path / "page.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert not {"img", "b"} & set(tags.tags)
    assert "script" not in tags.tags
    assert not any(name.startswith("on") for name, _ in tags.attributes)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_class_page_links_to_each_submission(pitboss, tmp_path):
    students = ("ada", "brian", "edsger")
    for student in students:
        shutil.copytree(EXAMPLES / student, tmp_path / "class" / student)
    completed = pitboss("grade", "class", "shuffle", "deal", "play", "-a", "blackjack", "--html", "pages")
    assert completed.code == 1
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
def test_chromium_shows_the_page_and_runs_nothing(pitboss, hostile_folder, tmp_path):
    pitboss("check", hostile_folder, "shuffle", "-a", "blackjack", "--html", "page.html")
    completed = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"file://{tmp_path}/page.html"],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert "<script" not in completed.stdout
    assert "wrong answer" in completed.stdout
    assert "&lt;script&gt;alert(1)" in completed.stdout
    for scheme in ("0", "1"):  # dark, and light
        text_contrasts = contrasts(tmp_path / "page.html", f"--blink-settings=preferredColorScheme={scheme}")
        assert len(text_contrasts) > 20
        assert {text: ratio for text, ratio in text_contrasts if ratio < 4.5} == {}


#: Measures the contrast of each text: paints the backgrounds of its elements on a canvas, from the outermost inwards,
#: and then the text's own colour.
MEASURE = """<script>
document.querySelectorAll("details").forEach(details => details.open = true);
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function painted(colours) {
  canvas.clearRect(0, 0, 1, 1);
  for (const colour of ["Canvas", ...colours]) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
}
function luminance(rgb) {
  const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const [r, g, b] = rgb.map(byte => linear(byte / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const contrasts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode.data.trim(), parent = walker.currentNode.parentElement;
  if (!text || parent.tagName == "SCRIPT") continue;
  const backgrounds = [];
  for (let element = parent; element; element = element.parentElement) {
    backgrounds.unshift(getComputedStyle(element).backgroundColor);
  }
  const colours = [painted(backgrounds), painted([...backgrounds, getComputedStyle(parent).color])];
  const [dark, light] = colours.map(luminance).sort((first, second) => first - second);
  contrasts.push([text.slice(0, 40), Math.round(100 * (light + 0.05) / (dark + 0.05)) / 100]);
}
document.title = JSON.stringify(contrasts);
</script>"""


def contrasts(page, option):
    """Each text of a page and its contrast to its background, as Chromium renders them."""
    instrumented_page = page.with_suffix(".measuring.html")
    instrumented_page.write_text(page.read_text().replace("</body>", f"{MEASURE}</body>"))
    command = [
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        option,
        "--dump-dom",
        f"file://{instrumented_page}",
    ]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    return json.loads(html.unescape(re.search(r"<title>(.*?)</title>", completed.stdout, re.DOTALL)[1]))
