"""What `pitboss check` shows a student at 80 columns, whole: nothing written yet, half, nearly right, right.

Each screen is a file of self_check/. `python -m tests.cli.test_self_check` writes them anew; git diff shows what became of them.
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

HERE = Path(__file__).parent / "self_check"
ADA, MARGARET = ROOT / "examples" / "blackjack" / "ada", ROOT / "examples" / "blackjack" / "margaret"
#: At the foot of reports: how sessions were run, which the machine decides.
FOOT = re.compile(r"^(?:sessions|sandbox|note): .*\n(?:.+\n)*\n?", re.MULTILINE)
SKELETON = (
    '#include <stdio.h>\n\nint main(void)\n{\n    printf("Seed: ");\n    /* Go on from here. */\n    return 0;\n}\n'
)
JAVA = """\
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


def c(name, *changes):
    """A program of Ada's, which is right, with changes."""
    return _changed((ADA / name).read_text(), changes)


def python(name, *changes):
    """A program of Margaret's, which is right, with changes."""
    return _changed((MARGARET / name).read_text(), changes)


def _changed(text, changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


#: At the end of Ada's deal.c.
END = "    return 0;\n}\n"
ENDLESS, READS_MORE = (END, f"    while (1)\n        ;\n{END}"), (END, f"    getchar();\n    getchar();\n{END}")
CARDS = {"cards.py": python("cards.py")}
BUSTS = ("play", "--case", "player busts")
#: The files in the folder and the words of the command, by situation.
SITUATIONS = {
    "nothing written": ({}, ()),
    "another name": ({"blackjack.c": c("play.c")}, ()),
    "another name in Python": ({"plya.py": ""}, ("play",)),
    "a skeleton": ({f"{name}.c": SKELETON for name in ("shuffle", "deal", "play")}, ("shuffle", "deal", "play")),
    "half, a semicolon missing": (
        {"shuffle.c": c("shuffle.c"), "deal.c": c("shuffle.c", ("int n = 0;", "int n = 0"))},
        ("shuffle", "deal"),
    ),
    "half, the next stage not begun": ({"shuffle.c": c("shuffle.c")}, ("shuffle", "deal")),
    "half, an endless loop": ({"deal.c": c("deal.c", ENDLESS)}, ("deal", "--case", "hit once")),
    "half, reads too much": ({"deal.c": c("deal.c", READS_MORE)}, ("deal", "--case", "hit once")),
    "half, a name that Python does not know": (
        CARDS | {"deal.py": python("deal.py", ("print(", "prnt("))},
        ("deal", "--case", "hit once"),
    ),
    "half, Python cannot read it": (
        CARDS | {"deal.py": python("deal.py", ("def main():", "def main()"))},
        ("deal", "--case", "hit once"),
    ),
    "half, in Java": ({"Shuffle.java": JAVA}, ("shuffle", "--case", "seed 0 leaves the deck in order")),
    "half, Java cannot be built": (
        {"Shuffle.java": JAVA.replace("seed = in", "sed = in").replace("+ 2)", "+ 2")},
        ("shuffle",),
    ),
    "nearly right, one blank": ({"play.c": c("play.c", ("Final scores: ", "Final scores:  "))}, BUSTS),
    "nearly right, a pause missing": ({"play.c": c("play.c", ("        sleep(2);\n", ""))}, BUSTS),
    "nearly right, another message": ({"play.c": c("play.c", ("Player busts!", "Player bust!"))}, BUSTS),
    "nearly right, the dealer's rule": (
        {"play.c": c("play.c", (">= 17", ">= 16"))},
        ("play", "--case", "three pushes running", "--case", "player busts"),
    ),
    "right, one stage": ({"shuffle.c": c("shuffle.c")}, ("shuffle",)),
    "right, in Python": (CARDS | {"deal.py": python("deal.py")}, ("deal", "--case", "hit once")),
}
JAVAS = [name for name in SITUATIONS if "Java" in name]


def screen_of(name):
    """What is shown in a situation, after the command; the working folder is changed."""
    files, words = SITUATIONS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "mine"
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text)
        with contextlib.chdir(folder), io.StringIO() as output:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                code = exit_code_of(["check", *words, "-a", "blackjack"])
            text = FOOT.sub("", re.sub(" +$", "", output.getvalue(), flags=re.MULTILINE))
    command = " ".join(f"'{word}'" if " " in word else word for word in words)
    return f"$ pitboss check {command} -a blackjack\n{text}(exit code {code})\n"


def file_of(name):
    return HERE / f"{re.sub('[^a-z]+', '_', name.lower())}.txt"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=(pytest.mark.needs("Java"), pytest.mark.slow) if name in JAVAS else ())
        for name in SITUATIONS
    ],
)
def test_what_is_shown(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PITBOSS_WITHOUT", "cache")
    assert screen_of(name) == file_of(name).read_text()


def test_no_file_is_left_of_a_situation_that_is_no_more():
    assert sorted(HERE.iterdir()) == sorted(map(file_of, SITUATIONS))


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "80", "PITBOSS_WITHOUT": "cache"}
    HERE.mkdir(exist_ok=True)
    for one in SITUATIONS:
        file_of(one).write_text(screen_of(one))
