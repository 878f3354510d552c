import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest

from reference.bjm0 import aces, table
from reference.blackjack import betting, errors
from reference.csc101 import basic
from reference.csc101 import betting as csc101_betting
from reference.csc101 import errors as csc101_errors
from reference.ece2036 import blackjack as ece2036_blackjack
from reference.tournament import minimum
from tests.conftest import ROOT

#: The result for a typed line after which the program asks the same question again.
AGAIN = "asked again"


class Console:
    """Types the lines, and then ends the input; `shown` has the text before the first line and after each line."""

    def __init__(self, lines):
        self.lines, self.shown = list(lines), [""]

    def write(self, text):
        self.shown[-1] += text

    def read_line(self):
        self.shown.append("")
        return self.lines.pop(0) if self.lines else None

    def pause(self, seconds):
        pass


class Question(NamedTuple):
    """A question of a program: its main function, the lines typed before the question, and the values that it draws."""

    main: Callable
    earlier_lines: Sequence[str] = ()
    draws: Sequence[str] = ()

    def text_after(self, *answers):
        """The text that the program shows after these answers; without any, the text that ends with the question."""
        typed = [*self.earlier_lines, *answers]
        return run_session(self.main, typed, self.draws)[len(typed)]


def run_session(main, typed, draws=()):
    """Run a program on the typed lines; returns its text before the first line and after each line.

    The draws are repeated, so that a session never runs out of them.
    """
    console = Console(typed)
    main(console, *([iter(draws * 20).__next__] if draws else []))
    return console.shown


def equivalent_answer(question, variant, plain_answer):
    """The plain answer if this variant of it has the same effect; AGAIN if the program repeats its question."""
    text = question.text_after(variant)
    if text == question.text_after(plain_answer):
        return plain_answer
    last_line = text.split("\n")[-1].strip()
    question_line = question.text_after().split("\n")[-1].strip()
    return AGAIN if last_line and question_line.endswith(last_line) else "something else"


CSC101_DRAWS = ["10S", "9H", "5D", "8C", "2H", "3S", "7C", "KD"]
ECE2036_DRAWS = ["Five", "Nine", "Six", "Eight", "Two"]
TOURNAMENT_DRAWS = ["5", "9", "4", "8"]
# In blackjack, `betting` reads answers word by word, and `errors` reads them line by line.
WORD_BET = Question(betting.main, ["2"])
WORD_DECISION = Question(betting.main, ["2", "5"])
WORD_QUIT = Question(betting.main, ["2", "5", "s"])
LINE_BET = Question(errors.main, ["2"])
LINE_DECISION = Question(errors.main, ["2", "5"])
LINE_QUIT = Question(errors.main, ["2", "5", "s"])
CSC101_COMMAND = Question(basic.main, (), CSC101_DRAWS)
CSC101_QUIT = Question(basic.main, ["s"], CSC101_DRAWS)
CSC101_ERRORS_COMMAND = Question(csc101_errors.main, (), CSC101_DRAWS)
CSC101_BET = Question(csc101_betting.main, (), CSC101_DRAWS)
ECE2036_KEY = Question(ece2036_blackjack.main, ["20"], ECE2036_DRAWS)
ECE2036_BET = Question(ece2036_blackjack.main, (), ECE2036_DRAWS)
TOURNAMENT_BET = Question(minimum.main, (), TOURNAMENT_DRAWS)
TOURNAMENT_CARD = Question(minimum.main, ["20"], TOURNAMENT_DRAWS)
BJM0_PLAYERS = Question(table.main, ["3"])
BJM0_DECISION = Question(aces.main, ["3"])

WORD_BY_WORD = (
    "A whole number is an optional `+` or `-` and digits, at the beginning of a word: ` 5`, `+5`, `05`, `5.0` and `5x` "
    "are all 5. A decision is the first letter of a word, in lower case: ` h`, `h ` and `hit` are `h`, and `H` is no "
    "decision. For a word that is no answer, such as `x`, the same question is asked again"
)
WHOLE_NUMBERS = "` 5`, `+5` and `05` are 5, and `5.0`, `5 x`, `5x` and an empty line are no whole numbers."
FIVE_VARIANTS, NOT_FIVE = [" 5", "5 ", "+5", "05"], ["5.0", "5 x", "5x", "", "x"]
#: A handout, a sentence in it, the question, a plain answer, variants of the answer with the same effect, and answers
#: after which the question is asked again.
STATEMENTS = {
    "bets word by word": ("blackjack/handout", WORD_BY_WORD, WORD_BET, "5", [*FIVE_VARIANTS, "5.0", "5x"], ["x"]),
    "bets of betting": (
        "blackjack/betting",
        "after ` 5`, `+5`, `05` or `5.0` the bet is 5.",
        WORD_BET,
        "5",
        [*FIVE_VARIANTS, "5.0"],
        [],
    ),
    "decisions word by word": (
        "blackjack/handout",
        WORD_BY_WORD,
        WORD_DECISION,
        "h",
        [" h", "h ", "hit"],
        ["H", "x", "S"],
    ),
    "quitting": (
        "blackjack/betting",
        "`q` ends the program, also with blanks around it; after anything else, `Q` and `quit` too, play the next hand.",
        WORD_QUIT,
        "q",
        [" q", "q "],
        [],
    ),
    "playing on": ("blackjack/betting", "`Q` and `quit` too, play the next hand.", WORD_QUIT, "c", ["Q", "quit"], []),
    "bets of a line": ("blackjack/errors", WHOLE_NUMBERS, LINE_BET, "5", FIVE_VARIANTS, NOT_FIVE),
    "decisions of a line": (
        "blackjack/errors",
        "` h` and `h ` are `h`; `H`, `hit` and `h s` are refused.",
        LINE_DECISION,
        "h",
        [" h", "h ", "\th"],
        ["H", "hit", "h s", ""],
    ),
    "quitting by a line": ("blackjack/errors", "` q` and `q ` are `q`;", LINE_QUIT, "q", [" q", "q "], []),
    "playing on by a line": (
        "blackjack/errors",
        "every other line, also `Q`, `quit` and an empty one, plays on.",
        LINE_QUIT,
        "c",
        ["Q", "quit", ""],
        [],
    ),
    "players of bjm0": ("bjm0/handout", WORD_BY_WORD, BJM0_PLAYERS, "5", [*FIVE_VARIANTS, "5.0", "5x"], ["x"]),
    "decisions of bjm0": ("bjm0/handout", WORD_BY_WORD, BJM0_DECISION, "h", [" h", "h ", "hit"], ["H", "x", "S"]),
    "commands": (
        "csc101/basic",
        "` h`, `h ` and `hit` are `h`. Commands are in lower case: `H`, `S` and `Q` are other commands. After an empty "
        "line, or any other command, ask again.",
        CSC101_COMMAND,
        "h",
        [" h", "h ", "hit"],
        ["H", "S", "Q", ""],
    ),
    "capital commands": (
        "csc101/errors",
        "for a command that there is not, such as `H`.",
        CSC101_ERRORS_COMMAND,
        "h",
        [" h", "h "],
        ["H", "x", ""],
    ),
    "quitting csc101": (
        "csc101/basic",
        "A line whose first character that is not a blank is `q` ends the program: `q`, ` q`, `q ` and `quit`.",
        CSC101_QUIT,
        "q",
        [" q", "q ", "quit"],
        [],
    ),
    "playing on in csc101": (
        "csc101/basic",
        "After any other line, also `Q` and an empty one, play another hand.",
        CSC101_QUIT,
        "c",
        ["Q", ""],
        [],
    ),
    "bets of csc101": ("csc101/betting", WHOLE_NUMBERS, CSC101_BET, "5", FIVE_VARIANTS, NOT_FIVE),
    "bets of ece2036": (
        "ece2036/blackjack",
        "` 5`, `+5`, `05` and `5.0` are 5.",
        ECE2036_BET,
        "5",
        [*FIVE_VARIANTS, "5.0"],
        [],
    ),
    "keys of ece2036": (
        "ece2036/blackjack",
        "The first letter of the word counts, in lower case: ` h` and `hit` are `h`, and `H` is another key. For any "
        "other key ask again",
        ECE2036_KEY,
        "h",
        [" h", "h ", "hit"],
        ["H", "S", "x"],
    ),
    "bets of the tournament": (
        "tournament/minimum",
        "blanks around it do not count, so ` 20` and `020` are 20.",
        TOURNAMENT_BET,
        "20",
        [" 20", "20 ", "020"],
        ["ten", "20.0", "20 20", "9", "-20"],
    ),
    "another card": (
        "tournament/minimum",
        "After `y` or `Y` deal a card and go on in the same way; blanks around it do not count.",
        TOURNAMENT_CARD,
        "y",
        ["Y", " y", "y "],
        [],
    ),
    "no other card": (
        "tournament/minimum",
        "Any other answer, `yes` too, ends the turn.",
        TOURNAMENT_CARD,
        "n",
        ["yes"],
        [],
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_reference_reads_each_form_of_an_answer_as_the_handout_says(name):
    path, statement, question, plain_answer, accepted, refused = STATEMENTS[name]
    assert statement in re.sub(r"\s+", " ", (ROOT / "specs" / f"{path}.md").read_text())
    results = {variant: equivalent_answer(question, variant, plain_answer) for variant in (*accepted, *refused)}
    assert results == dict.fromkeys(accepted, plain_answer) | dict.fromkeys(refused, AGAIN)


def test_references_read_words_one_by_one_as_the_handouts_say():
    for name in ("blackjack", "bjm0"):
        handout = re.sub(r"\s+", " ", (ROOT / "specs" / name / "handout.md").read_text())
        assert "after an empty line nothing is asked again." in handout
        assert "A further word on the line answers the next question." in handout
    for main, question in ((betting.main, "Place your bet: "), (table.main, "Players: ")):
        assert run_session(main, ["2", "", "5"])[2] == ""
        assert run_session(main, ["2", "5 s"])[2].startswith(run_session(main, ["2", "5"])[2])
        assert run_session(main, ["2 5"])[1].startswith(run_session(main, ["2"])[1])
        assert question in run_session(main, ["2 5"])[1]
