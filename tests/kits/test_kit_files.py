"""What a kit has besides programs: the handout as a page and in print, and tasks for an editor."""

import json
import os
import re
import select
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.cli import watch as watching
from pitboss.kits import printing
from pitboss.kits.printing import page_of
from pitboss.kits.starters import LANGUAGES, kit_of
from pitboss.reports.markdown import as_html
from tests.conftest import ROOT
from tests.reports.test_pages import contrasts

TEMPLATES = ROOT / "student_templates"
HOSTILE = "# Hi\n\n<script>alert(1)</script> <img src=x onerror=alert(2)> [here](javascript:alert(3))\n\n## A *b*\n\n```\n«<b>»\n```\n"


@pytest.fixture(scope="module")
def kits():
    """The kits of an assignment in each language."""
    assignment = load_assignment(ROOT / "specs" / "bjm0")
    return {language: kit_of(assignment, language, TEMPLATES) for language in LANGUAGES}


class Page(HTMLParser):
    """The tags of a page, where its links lead, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.text = [], set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        given = dict(attrs)
        self.ids |= {given["id"]} if "id" in given else set()
        self.links |= {value for name, value in attrs if name in ("href", "src")}

    def handle_data(self, data):
        self.text += data


def test_the_page_has_all_that_the_text_has_and_needs_nothing_else(kits):
    page, text = Page(kits["c"]["HANDOUT.html"]), kits["c"]["HANDOUT.md"]
    assert page.links == {f"#{one}" for one in page.ids}
    assert len(page.ids) == 8
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    marks = str.maketrans("", "", "#*`|-\\")
    words = re.sub(r"^ *[0-9]+\.|^```text", "", text, flags=re.MULTILINE).translate(marks).split()
    output = set(page.text.translate(marks).split())
    assert [word for word in words if word not in output] == []
    assert '<span class="typed">«0»</span>' in kits["c"]["HANDOUT.html"]


@pytest.mark.parametrize(
    ("command", "name", "taken"),
    [
        (("starter", "echo"), "HANDOUT.md", "HANDOUT.md"),
        (("starter", "echo"), "makefile", "Makefile"),
        (("starter", "echo"), "echo.c", "echo.c"),
        (("export", "echo"), "Handout.HTML", "HANDOUT.html"),
        (("export", "echo"), "readme.md", "README.md"),
    ],
)
def test_a_file_of_the_sessions_that_is_called_as_one_of_the_kit_is_refused(tmp_path, pitboss, command, name, taken):
    """It would be written over, or where capitals do not count it would write over that of the kit."""
    folder = tmp_path / "specs" / "echo"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text(
        "title: Echo\nseeded: no\nlanguage: C\n"
        f"stages: [{{name: echo, reference: {{command: [head, -n1]}}, files: {{{name}: rates}}}}]\n"
    )
    (folder / "echo.yaml").write_text("program: echo\ncases:\n  - {name: one, answers: [a]}\n")
    done = pitboss(*command, "--into", tmp_path / "out", cwd=tmp_path)
    output = f"the sessions have a file {name!r}, but what students get has a {taken} of its own"
    assert done.code == 2
    assert done.err.splitlines()[-1].endswith(f"specs/echo/assignment.yaml: {output} — rename the file of the sessions")
    assert not (tmp_path / "out").exists()


def test_markup_in_a_handout_stays_text():
    page = Page(page_of("<i>title</i>", HOSTILE))
    assert not {"script", "img", "b", "i"} & set(page.tags)
    assert "<script>alert(1)</script> <img src=x onerror=alert(2)>" in page.text
    assert page.links == {"#part-1"}
    assert [heading.text for heading in as_html(HOSTILE).headings] == ["A b"]


@pytest.mark.needs("Chromium")
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["0", "1"], ids=["dark", "light"])
def test_the_page_is_readable_in_the_dark_and_in_the_light(scheme, kits, tmp_path):
    (tmp_path / "page.html").write_text(kits["c"]["HANDOUT.html"])
    measured = contrasts(tmp_path / "page.html", f"--blink-settings=preferredColorScheme={scheme}")
    assert len(measured) > 100
    assert {text: ratio for text, ratio in measured if ratio < 4.5} == {}


@pytest.mark.needs("Chromium")
@pytest.mark.slow
def test_the_handout_is_printed_where_there_is_a_browser(pitboss, tmp_path):
    done = pitboss("starter", "bjm0", "--into", "kit")
    assert (done.code, done.err) == (0, "")
    assert "HANDOUT.html, HANDOUT.md, HANDOUT.pdf, Makefile" in done.out
    printed = (tmp_path / "kit" / "HANDOUT.pdf").read_bytes()
    assert printed.startswith(b"%PDF-")
    assert 5 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 40


def test_a_machine_without_a_browser_is_reported_and_nothing_fails(pitboss, tmp_path):
    done = pitboss("starter", "bjm0", "--into", "kit", PATH=str(tmp_path))
    assert (done.code, done.err) == (
        0,
        "pitboss: no HANDOUT.pdf: there is no browser that can print (chromium, chromium-browser, google-chrome, "
        "google-chrome-stable, microsoft-edge, msedge); HANDOUT.html prints well from any other browser\n",
    )
    assert not (tmp_path / "kit" / "HANDOUT.pdf").exists()


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("#!/bin/sh\nexit 0\n", "printed no PDF: No such file or directory"),
        ("#!/nowhere\n", "cannot be started: No such file or directory"),
        ("#!/bin/sh\nexec sleep 600\n", "did not print within 0 s"),
    ],
    ids=["prints nothing", "cannot be started", "does not end"],
)
def test_a_browser_that_prints_nothing_is_one_sentence(script, sentence, monkeypatch, tmp_path):
    monkeypatch.setattr(printing, "_PRINTING_S", 0.2)
    browser = tmp_path / "browser"
    browser.write_text(script)
    browser.chmod(0o755)
    if "sleep" not in script:
        monkeypatch.setattr(printing, "_PRINTING_S", 20.0)
    with pytest.raises(printing.SessionError) as error:
        printing.pdf_of("<p>", str(browser))
    assert str(error.value) == f"{browser} {sentence}"


def test_what_a_browser_leaves_running_is_ended(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\nexec 3> '{tmp_path}/pipe'\nsleep 600 &\n")
    browser.chmod(0o755)
    with pytest.raises(printing.SessionError, match="printed no PDF"):
        printing.pdf_of("<p>", str(browser))
    # The pipe ends once nobody can write to it any more.
    assert select.select([reader], [], [], 60)[0] == [reader]
    os.close(reader)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tasks_of_an_editor_build_and_check(language, kits):
    tasks = json.loads(kits[language][".vscode/tasks.json"])
    assert tasks["version"] == "2.0.0"
    commands = {task["label"]: task["command"] for task in tasks["tasks"]}
    # Aces.java is the program of a stage that is not called Aces.
    one = "relativeFile" if language == "java" else "fileBasenameNoExtension"
    assert commands == {
        "build": "make",
        "check this program": f"pitboss check ${{{one}}} --assignment bjm0",
        "check everything": "make check",
        "check while I write": "pitboss check --watch --assignment bjm0",
    }
    assert [task["label"] for task in tasks["tasks"] if task.get("group", {}).get("isDefault")] == [
        "build",
        "check everything",
    ]
    makefile = kits[language]["Makefile"]
    assert re.search("^all:", makefile, re.MULTILINE) and re.search("^check:", makefile, re.MULTILINE)
    assert "*check this program* for the one whose file is open" in kits[language]["HANDOUT.md"]


def test_an_editor_sees_when_a_watched_check_begins_and_ends(kits, capsys, tmp_path):
    (tmp_path / "aces.c").write_text("int main(void) { return 0; }")
    pauses = iter([None])
    watch = watching.Watch(watching.Sources(tmp_path), Ended, pause=lambda _: next(pauses))
    with pytest.raises(StopIteration):
        watch.run()
    output = capsys.readouterr().err.splitlines()
    watching._say(f"{watching._clock_time()}: aces.c has changed")
    (background,) = (
        task["problemMatcher"]["background"]
        for task in json.loads(kits["c"][".vscode/tasks.json"])["tasks"]
        if task.get("isBackground")
    )
    begun = capsys.readouterr().err
    assert [bool(re.search(background["endsPattern"], line)) for line in output] == [True]
    assert re.search(background["beginsPattern"], begun) and not re.search(background["endsPattern"], begun)
    assert not re.search(background["beginsPattern"], output[0])


class Ended:
    """A check that has ended."""

    def wait(self, timeout):
        return 0

    def end(self):
        pass


def test_a_kit_of_one_program_has_no_task_for_one_of_several():
    kit = kit_of(load_assignment(ROOT / "specs" / "tournament"), "csharp", TEMPLATES)
    assert [task["label"] for task in json.loads(kit[".vscode/tasks.json"])["tasks"]] == [
        "build",
        "check everything",
        "check while I write",
    ]
    assert "check this program" not in kit["HANDOUT.md"]


#: A program with a mistake on its second line in each language, and what an editor should show of it.
WRONG = {
    "c": ("int main(void) {\n    return zero;\n}\n", ("a.c", "2", "error")),
    "cpp": ("int main() {\n    return zero;\n}\n", ("a.cpp", "2", "error")),
    "csharp": ("class A {\n    static void Main() { zero(); }\n}\n", ("a.cs", "2", "error")),
    "java": ("class A {\n    static void main(String[] args) { zero(); }\n}\n", ("A.java", "2", "error")),
    "lua": ("local function main()\n  return = 1\nend\n", ("a.lua", "2", None)),
    "python": ("def main():\n    return (zero,\n\n", ("a.py", "2", None)),
    "rust": ("fn main() {\n    zero();\n}\n", ("a.rs", "2", "error")),
}
COMPILERS = {
    "c": ["cc", "a.c"],
    "cpp": ["c++", "a.cpp"],
    "csharp": ["mcs", "a.cs"],
    "java": ["javac", "A.java"],
    "lua": ["luac5.4", "-p", "a.lua"],
    "rust": ["rustc", "a.rs"],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_editor_finds_what_the_compiler_says(language, kits, tmp_path):
    text, output = WRONG[language]
    (tmp_path / output[0]).write_text(text)
    command = COMPILERS.get(language, [sys.executable, "-m", "py_compile", "a.py"])
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    matcher = json.loads(kits[language][".vscode/tasks.json"])["tasks"][0]["problemMatcher"]
    patterns = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
    assert output in list(problems(patterns, (done.stdout + done.stderr).splitlines()))


def problems(patterns, lines):
    """What an editor reads by these patterns, each of which matches one line after the other."""
    for number in range(len(lines) - len(patterns) + 1):
        found = [re.search(one["regexp"], line) for one, line in zip(patterns, lines[number:], strict=False)]
        if all(found):
            groups = {
                key: match[one[key]]
                for one, match in zip(patterns, found, strict=True)
                for key in one
                if key != "regexp"
            }
            assert groups["message"]
            yield groups["file"], groups["line"], groups.get("severity")


def test_the_build_task_works_for_python_too(kits, tmp_path):
    for name, text in kits["python"].items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    make = [shutil.which("make"), "-s"]
    assert subprocess.run(make, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    (tmp_path / "aces.py").write_text("def main(:\n")
    assert subprocess.run(make, cwd=tmp_path, check=False, capture_output=True).returncode != 0
