"""The complete output of `pitboss check` for students who have written nothing, half, nearly all or all of a program.

The expected outputs are the files in self_check/. To update them, run `python -m tests.cli.test_self_check` and review
the changes with git diff.
"""

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path

import pytest

from pitboss.cli.main import exit_code_of
from tests.conftest import ROOT

OUTPUT_FOLDER = Path(__file__).parent / "self_check"
#: Two correct submissions, in C and in Python.
ADA, MARGARET = ROOT / "examples" / "blackjack" / "ada", ROOT / "examples" / "blackjack" / "margaret"
#: Lines at the end of a report that depend on the machine: how sessions were run.
MACHINE_LINES = re.compile(r"^(?:sessions|sandbox|note): .*\n(?:.+\n)*\n?|^  tried with .*\n", re.MULTILINE)
SKELETON = (
    '#include <stdio.h>\n\nint main(void)\n{\n    printf("Seed: ");\n    /* Go on from here. */\n    return 0;\n}\n'
)
UNFINISHED_JAVA = """\
import java.util.Scanner;

public class Shuffle {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        System.out.print("Seed: ");
        int seed = in.nextInt();
        String[] suits = {"♣", "♦", "♥", "♠"};
        for (int i = 0; i < 52; i++) {
            System.out.println((i % 13 + 2) + suits[i / 13]);
        }
    }
}
"""


def c_program(name, *changes):
    """The source of a correct program of Ada, with changes, which are pairs of an old and a new text."""
    return _with_changes((ADA / name).read_text(), changes)


def python_program(name, *changes):
    """The source of a correct program of Margaret, with changes, which are pairs of an old and a new text."""
    return _with_changes((MARGARET / name).read_text(), changes)


def _with_changes(text, changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


#: The end of Ada's deal.c, and two changes of it: an endless loop, and reading two more characters.
DEAL_END = "    return 0;\n}\n"
ENDLESS, READS_MORE = (
    (DEAL_END, f"    while (1)\n        ;\n{DEAL_END}"),
    (DEAL_END, f"    getchar();\n    getchar();\n{DEAL_END}"),
)
#: The module that Margaret's programs import.
CARDS = {"cards.py": python_program("cards.py")}
BUSTS_CASE = ("play", "--case", "player busts")
#: The files of the submission, and the arguments of `pitboss check`, by situation.
SITUATIONS = {
    "nothing written": ({}, ()),
    "another name": ({"blackjack.c": c_program("play.c")}, ()),
    "another name in Python": ({"plya.py": ""}, ("play",)),
    "a skeleton": ({f"{name}.c": SKELETON for name in ("shuffle", "deal", "play")}, ("shuffle", "deal", "play")),
    "half, a semicolon missing": (
        {"shuffle.c": c_program("shuffle.c"), "deal.c": c_program("shuffle.c", ("int n = 0;", "int n = 0"))},
        ("shuffle", "deal"),
    ),
    "half, the next stage not begun": ({"shuffle.c": c_program("shuffle.c")}, ("shuffle", "deal")),
    "half, an endless loop": ({"deal.c": c_program("deal.c", ENDLESS)}, ("deal", "--case", "hit once")),
    "half, reads too much": ({"deal.c": c_program("deal.c", READS_MORE)}, ("deal", "--case", "hit once")),
    "half, a name that Python does not know": (
        CARDS | {"deal.py": python_program("deal.py", ("print(", "prnt("))},
        ("deal", "--case", "hit once"),
    ),
    "half, Python cannot read it": (
        CARDS | {"deal.py": python_program("deal.py", ("def main():", "def main()"))},
        ("deal", "--case", "hit once"),
    ),
    "half, in Java": ({"Shuffle.java": UNFINISHED_JAVA}, ("shuffle", "--case", "seed 0 leaves the deck in order")),
    "half, Java cannot be built": (
        {"Shuffle.java": UNFINISHED_JAVA.replace("seed = in", "sed = in").replace("+ 2)", "+ 2")},
        ("shuffle",),
    ),
    "nearly right, one blank": ({"play.c": c_program("play.c", ("Final scores: ", "Final scores:  "))}, BUSTS_CASE),
    "nearly right, a pause missing": ({"play.c": c_program("play.c", ("        sleep(2);\n", ""))}, BUSTS_CASE),
    "nearly right, another message": ({"play.c": c_program("play.c", ("Player busts!", "Player bust!"))}, BUSTS_CASE),
    "nearly right, the dealer's rule": (
        {"play.c": c_program("play.c", (">= 17", ">= 16"))},
        ("play", "--case", "three pushes running", "--case", "player busts"),
    ),
    "right, one stage": ({"shuffle.c": c_program("shuffle.c")}, ("shuffle",)),
    "right, in Python": (CARDS | {"deal.py": python_program("deal.py")}, ("deal", "--case", "hit once")),
}
JAVA_SITUATIONS = [name for name in SITUATIONS if "Java" in name]


def check_output(name):
    """The command line, output and exit code of a check in a situation, in the format of the files."""
    files, arguments = SITUATIONS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "mine"
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text)
        with contextlib.chdir(folder), io.StringIO() as output:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                code = exit_code_of(["check", *arguments, "-a", "blackjack"])
            text = MACHINE_LINES.sub("", re.sub(" +$", "", output.getvalue(), flags=re.MULTILINE))
    quoted = " ".join(f"'{argument}'" if " " in argument else argument for argument in arguments)
    return f"$ pitboss check {quoted} -a blackjack\n{text}(exit code {code})\n"


def output_file(name):
    return OUTPUT_FOLDER / f"{re.sub('[^a-z]+', '_', name.lower())}.txt"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=(pytest.mark.needs("Java"), pytest.mark.slow) if name in JAVA_SITUATIONS else ())
        for name in SITUATIONS
    ],
)
def test_check_prints_the_expected_output(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PITBOSS_WITHOUT", "cache")
    assert check_output(name) == output_file(name).read_text()


def test_each_output_file_belongs_to_a_situation():
    assert sorted(OUTPUT_FOLDER.iterdir()) == sorted(map(output_file, SITUATIONS))


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "80", "PITBOSS_WITHOUT": "cache"}
    OUTPUT_FOLDER.mkdir(exist_ok=True)
    for situation in SITUATIONS:
        output_file(situation).write_text(check_output(situation))
