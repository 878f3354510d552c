"""What a case says besides its session: what is shown where it fails, how it ends, and what it finds around it."""

import json

import pytest

ASSIGNMENT = "title: A tool\nseeded: no\nstages:\n  - name: tool\n    reference: {command: [./right.sh]}\n"
SHELL = "#!/bin/sh\n"


@pytest.fixture
def tool(pitboss, tmp_path):
    """Check a program against a right one, both for a shell, with these cases; `run` calls any command."""
    folder = tmp_path / "specs" / "tool"
    folder.mkdir(parents=True)

    def write(right, cases, stage=""):
        (folder / "assignment.yaml").write_text(ASSIGNMENT + stage)
        (folder / "tool.yaml").write_text("program: tool\ncases:\n" + cases)
        (folder / "right.sh").write_text(SHELL + right)
        (folder / "right.sh").chmod(0o755)

    def checked(program, right, cases, *options, stage=""):
        write(right, cases, stage)
        (tmp_path / "tool.sh").write_text(SHELL + program)
        return pitboss("check", "tool.sh", "tool", *options)

    checked.run, checked.write, checked.folder = pitboss, write, folder
    return checked


HINTED = "  - {name: greets, answers: [], hint: How do you greet?}\n  - {name: again, answers: []}\n"


def test_the_hint_of_a_case_is_shown_where_it_fails(tool, tmp_path):
    done = tool("echo Hallo\n", "echo Hello\n", HINTED, "--json", "report.json")
    said = "  Line 1 is “Hallo” where “Hello” is expected.\n  hint: How do you greet?\n"
    assert said in done.out
    hints = [one.get("hint") for one in json.loads((tmp_path / "report.json").read_text())["results"]]
    assert hints == ["How do you greet?", None]
    assert "How do you greet?" not in tool("echo Hello\n", "echo Hello\n", HINTED).out


def test_the_hint_of_a_hidden_case_is_not_shown_to_students(tool, tmp_path):
    hidden = HINTED.replace("hint:", "visibility: hidden, hint:")
    assert "hint" not in tool("echo Hallo\n", "echo Hello\n", hidden).out
    assert "hint: How do you greet?" in tool("echo Hallo\n", "echo Hello\n", hidden, "--hidden").out
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "tool.sh").write_text(SHELL + "echo Hallo\n")
    tool.run("grade", "class", "-a", "tool", "--html", "pages")
    assert "How do you greet?" not in (tmp_path / "pages" / "ada.html").read_text()


def test_a_hint_stands_in_pages_and_exports(tool, tmp_path):
    tool.write("echo Hello\n", HINTED)
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "tool.sh").write_text(SHELL + "echo Hallo\n")
    tool.run("grade", "class", "-a", "tool", "--html", "pages")
    assert "<p>Hint: How do you greet?</p>" in (tmp_path / "pages" / "ada.html").read_text()
    done = tool.run("check", "class/ada", "-a", "tool", "--github")
    assert "“Hello” is expected. Hint: How do you greet?" in done.out + done.err


def test_a_bundle_keeps_the_hints(tool, tmp_path):
    tool.write("echo Hello\n", HINTED)
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("tool.yaml")
    assert 'hint: "How do you greet?"' in written.read_text()
