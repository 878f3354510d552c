import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.cli import watch as watching
from pitboss.kits.handouts import as_html, handout_page
from pitboss.kits.starters import KIT_LANGUAGES, kit_of
from tests.conftest import ROOT
from tests.reports.test_pages import contrasts

TEMPLATES = ROOT / "student_templates"
HOSTILE_HANDOUT = "# Hi\n\n<script>alert(1)</script> <img src=x onerror=alert(2)> [here](javascript:alert(3))\n\n## A *b*\n\n```\n«<b>»\n```\n"


@pytest.fixture(scope="module")
def kits():
    """The kits of an assignment in each language."""
    assignment = load_assignment(ROOT / "specs" / "bjm0")
    return {language: kit_of(assignment, language, TEMPLATES) for language in KIT_LANGUAGES}


class Page(HTMLParser):
    """The tags of a page, where its links lead, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.text = [], set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        self.ids |= {attributes["id"]} if "id" in attributes else set()
        self.links |= {value for name, value in attrs if name in ("href", "src")}

    def handle_data(self, data):
        self.text += data


def test_the_html_handout_has_all_text_and_no_external_resources(kits):
    page, text = Page(kits["c"]["HANDOUT.html"]), kits["c"]["HANDOUT.md"]
    assert page.links == {f"#{anchor}" for anchor in page.ids}
    assert len(page.ids) == 8
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    markup = str.maketrans("", "", "#*`|-\\")
    words = re.sub(r"^ *[0-9]+\.|^```text", "", text, flags=re.MULTILINE).translate(markup).split()
    page_words = set(page.text.translate(markup).split())
    assert [word for word in words if word not in page_words] == []
    assert '<span class="typed">«0»</span>' in kits["c"]["HANDOUT.html"]


@pytest.mark.parametrize(
    ("command", "name", "kit_file"),
    [
        (("starter", "echo"), "HANDOUT.md", "HANDOUT.md"),
        (("starter", "echo"), "makefile", "Makefile"),
        (("starter", "echo"), "echo.c", "echo.c"),
        (("export", "echo"), "Handout.HTML", "HANDOUT.html"),
        (("export", "echo"), "readme.md", "README.md"),
    ],
)
def test_a_session_file_named_like_a_kit_file_is_refused(tmp_path, pitboss, command, name, kit_file):
    """One of the two files would overwrite the other: on some file systems also if only the case differs."""
    folder = tmp_path / "specs" / "echo"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text(
        "title: Echo\nseeded: no\nlanguage: C\n"
        f"stages: [{{name: echo, reference: {{command: [head, -n1]}}, files: {{{name}: rates}}}}]\n"
    )
    (folder / "echo.yaml").write_text("program: echo\ncases:\n  - {name: one, answers: [a]}\n")
    completed = pitboss(*command, "--into", tmp_path / "out", cwd=tmp_path)
    message = f"the sessions have a file {name!r}, but the files for students include another {kit_file}"
    assert completed.code == 2
    assert completed.err.splitlines()[-1].endswith(
        f"specs/echo/assignment.yaml: {message} — rename the file of the sessions"
    )
    assert not (tmp_path / "out").exists()


def test_markup_in_a_handout_stays_text():
    page = Page(handout_page("<i>title</i>", HOSTILE_HANDOUT))
    assert not {"script", "img", "b", "i"} & set(page.tags)
    assert "<script>alert(1)</script> <img src=x onerror=alert(2)>" in page.text
    assert page.links == {"#part-1"}
    assert [heading.text for heading in as_html(HOSTILE_HANDOUT).headings] == ["A b"]


@pytest.mark.needs("Chromium")
@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["0", "1"], ids=["dark", "light"])
def test_the_page_has_enough_contrast_in_dark_and_light_mode(scheme, kits, tmp_path):
    (tmp_path / "page.html").write_text(kits["c"]["HANDOUT.html"])
    measured = contrasts(tmp_path / "page.html", f"--blink-settings=preferredColorScheme={scheme}")
    assert len(measured) > 100
    assert {text: ratio for text, ratio in measured if ratio < 4.5} == {}


@pytest.mark.parametrize("language", KIT_LANGUAGES)
def test_the_editor_tasks_build_and_check(language, kits):
    tasks = json.loads(kits[language][".vscode/tasks.json"])
    assert tasks["version"] == "2.0.0"
    commands = {task["label"]: task["command"] for task in tasks["tasks"]}
    # `pitboss check` takes a stage or a file: from Aces without its suffix it would not find the stage `aces`.
    program_variable = "relativeFile" if language in ("java", "csharp") else "fileBasenameNoExtension"
    has_projects = language == "csharp"
    builds = " && ".join(f"dotnet build {name}" for name in ("Shuffle", "Aces", "Dealer", "Table", "Chances"))
    assert commands == {
        "build": builds if has_projects else "make",
        "check this program": f"pitboss check ${{{program_variable}}} --assignment bjm0",
        "check everything": "pitboss check --assignment bjm0" if has_projects else "make check",
        "check while I write": "pitboss check --watch --assignment bjm0",
    }
    assert [task["label"] for task in tasks["tasks"] if task.get("group", {}).get("isDefault")] == [
        "build",
        "check everything",
    ]
    makefile = "all:\ncheck:\n" if has_projects else kits[language]["Makefile"]
    assert re.search("^all:", makefile, re.MULTILINE) and re.search("^check:", makefile, re.MULTILINE)
    assert "*check this program* for the one whose file is open" in kits[language]["HANDOUT.md"]


def test_the_editor_recognizes_begin_and_end_of_a_watched_check(kits, capsys, tmp_path):
    (tmp_path / "aces.c").write_text("int main(void) { return 0; }")
    # The watch pauses once; its second pause raises StopIteration and so ends the test's run.
    pauses = iter([None])
    watch = watching.Watch(watching.WatchedFiles(tmp_path), EndedCheck, pause=lambda _: next(pauses))
    with pytest.raises(StopIteration):
        watch.run()
    end_lines = capsys.readouterr().err.splitlines()
    watching._print_status(f"{watching._clock_time()}: aces.c has changed")
    (background,) = (
        task["problemMatcher"]["background"]
        for task in json.loads(kits["c"][".vscode/tasks.json"])["tasks"]
        if task.get("isBackground")
    )
    start_line = capsys.readouterr().err
    assert [bool(re.search(background["endsPattern"], line)) for line in end_lines] == [True]
    assert re.search(background["beginsPattern"], start_line) and not re.search(background["endsPattern"], start_line)
    assert not re.search(background["beginsPattern"], end_lines[0])


class EndedCheck:
    """A check, as `Watch` starts it, that has ended at once."""

    def wait(self, timeout):
        return 0

    def end(self):
        pass


def test_a_kit_with_one_program_has_no_task_for_a_single_program():
    kit = kit_of(load_assignment(ROOT / "specs" / "tournament"), "csharp", TEMPLATES)
    assert [task["label"] for task in json.loads(kit[".vscode/tasks.json"])["tasks"]] == [
        "build",
        "check everything",
        "check while I write",
    ]
    assert "check this program" not in kit["HANDOUT.md"]


#: By language, a program with a mistake on its second line, and the file, line and severity an editor should show.
PROGRAMS_WITH_ERRORS = {
    "c": ("int main(void) {\n    return zero;\n}\n", ("a.c", "2", "error")),
    "cpp": ("int main() {\n    return zero;\n}\n", ("a.cpp", "2", "error")),
    "csharp": ("class A {\n    static void Main() { zero(); }\n}\n", ("Program.cs", "2", "error")),
    "java": ("class A {\n    static void main(String[] args) { zero(); }\n}\n", ("A.java", "2", "error")),
    "lua": ("local function main()\n  return = 1\nend\n", ("a.lua", "2", None)),
    "python": ("def main():\n    return (zero,\n\n", ("a.py", "2", None)),
    "rust": ("fn main() {\n    zero();\n}\n", ("a.rs", "2", "error")),
}
COMPILERS = {
    "c": ["cc", "a.c"],
    "cpp": ["c++", "a.cpp"],
    "java": ["javac", "A.java"],
    "lua": ["luac5.4", "-p", "a.lua"],
    "rust": ["rustc", "a.rs"],
}


@pytest.mark.parametrize("language", KIT_LANGUAGES)
def test_the_editor_recognizes_errors_of_the_compiler(language, kits, dotnet, tmp_path):
    text, expected_problem = PROGRAMS_WITH_ERRORS[language]
    (tmp_path / expected_problem[0]).write_text(text)
    if language == "csharp":
        (tmp_path / "a.csproj").write_text(kits["csharp"]["Aces/Aces.csproj"])
        output = dotnet(tmp_path, "build", ".").replace(f"{tmp_path}/", "")
    else:
        command = COMPILERS.get(language, [sys.executable, "-m", "py_compile", "a.py"])
        completed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert completed.returncode != 0
        output = completed.stdout + completed.stderr
    matcher = json.loads(kits[language][".vscode/tasks.json"])["tasks"][0]["problemMatcher"]
    patterns = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
    assert expected_problem in list(editor_problems(patterns, output.splitlines()))


def editor_problems(patterns, lines):
    """The file, line and severity of each problem that an editor finds with these patterns for consecutive lines."""
    for number in range(len(lines) - len(patterns) + 1):
        matches = [re.search(pattern["regexp"], line) for pattern, line in zip(patterns, lines[number:], strict=False)]
        if all(matches):
            groups = {
                key: match[pattern[key]]
                for pattern, match in zip(patterns, matches, strict=True)
                for key in pattern
                if key != "regexp"
            }
            assert groups["message"]
            yield groups["file"], groups["line"], groups.get("severity")


def test_the_build_task_works_for_python(kits, tmp_path):
    for name, text in kits["python"].items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    make = [shutil.which("make"), "-s"]
    assert subprocess.run(make, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    (tmp_path / "aces.py").write_text("def main(:\n")
    assert subprocess.run(make, cwd=tmp_path, check=False, capture_output=True).returncode != 0
