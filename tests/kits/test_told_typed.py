"""What handouts say of blanks, capital letters and forms of numbers is what the references do with them."""

import re

import pytest

from reference.bjm0 import aces, table
from reference.blackjack import betting, errors
from reference.csc101 import basic
from reference.csc101 import betting as money
from reference.csc101 import errors as refusing
from reference.ece2036 import blackjack as vegas
from reference.tournament import minimum
from tests.conftest import ROOT

#: What is typed at a question may be the same as a plain answer, or be asked again.
AGAIN = "asked again"


class Console:
    """Types some lines, and then ends the input; has the questions and what was shown after each line."""

    def __init__(self, lines):
        self.lines, self.shown = list(lines), [""]

    def write(self, text):
        self.shown[-1] += text

    def read_line(self):
        self.shown.append("")
        return self.lines.pop(0) if self.lines else None

    def pause(self, seconds):
        pass


def shown(main, typed, draws):
    console = Console(typed)
    main(console, *([iter(draws * 20).__next__] if draws else []))
    return console.shown


def does(program, form, plain):
    """What a form does: it is asked again, or it does what this plain answer does."""
    main, before, draws = program
    question = shown(main, before, draws)[len(before)].split("\n")[-1]
    after = shown(main, [*before, form], draws)[len(before) + 1]
    plainly = shown(main, [*before, plain], draws)[len(before) + 1]
    if after == plainly:
        return plain
    asked = after.split("\n")[-1].strip()
    return AGAIN if asked and question.strip().endswith(asked) else "something else"


CARDS = ["10S", "9H", "5D", "8C", "2H", "3S", "7C", "KD"]
NAMES = ["Five", "Nine", "Six", "Eight", "Two"]
ROUND = ["5", "9", "4", "8"]
SEEDED_BET, SEEDED_DECISION = (betting.main, ["2"], ()), (betting.main, ["2", "5"], ())
SEEDED_QUIT = (betting.main, ["2", "5", "s"], ())
LINE_BET, LINE_DECISION = (errors.main, ["2"], ()), (errors.main, ["2", "5"], ())
LINE_QUIT = (errors.main, ["2", "5", "s"], ())
BASIC, BASIC_QUIT = (basic.main, [], CARDS), (basic.main, ["s"], CARDS)
REFUSING = (refusing.main, [], CARDS)
WAGER, VEGAS, VEGAS_BET = (money.main, [], CARDS), (vegas.main, ["20"], NAMES), (vegas.main, [], NAMES)
TOURNAMENT_BET, TOURNAMENT = (minimum.main, [], ROUND), (minimum.main, ["20"], ROUND)
BJM0_TABLE, BJM0 = (table.main, ["3"], ()), (aces.main, ["3"], ())

WORD_BY_WORD = (
    "A whole number is an optional `+` or `-` and digits, at the beginning of a word: ` 5`, `+5`, `05`, `5.0` and `5x` "
    "are all 5. A decision is the first letter of a word, in lower case: ` h`, `h ` and `hit` are `h`, and `H` is no "
    "decision. For a word that is no answer, such as `x`, the same question is asked again"
)
NUMBERS = ("` 5`, `+5` and `05` are 5, and `5.0`, `5 x`, `5x` and an empty line are no whole numbers.",)
FIVES, NO_FIVES = [" 5", "5 ", "+5", "05"], ["5.0", "5 x", "5x", "", "x"]
TOLD = {
    "bets word by word": ("blackjack/handout", WORD_BY_WORD, SEEDED_BET, "5", [*FIVES, "5.0", "5x"], ["x"]),
    "bets of betting": (
        "blackjack/betting",
        "after ` 5`, `+5`, `05` or `5.0` the bet is 5.",
        SEEDED_BET,
        "5",
        [*FIVES, "5.0"],
        [],
    ),
    "decisions word by word": (
        "blackjack/handout",
        WORD_BY_WORD,
        SEEDED_DECISION,
        "h",
        [" h", "h ", "hit"],
        ["H", "x", "S"],
    ),
    "quitting": (
        "blackjack/betting",
        "`q` ends the program, also with blanks around it; after anything else, `Q` and `quit` too, play the next hand.",
        SEEDED_QUIT,
        "q",
        [" q", "q "],
        [],
    ),
    "playing on": ("blackjack/betting", "`Q` and `quit` too, play the next hand.", SEEDED_QUIT, "c", ["Q", "quit"], []),
    "bets of a line": ("blackjack/errors", NUMBERS[0], LINE_BET, "5", FIVES, NO_FIVES),
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
    "players of bjm0": ("bjm0/handout", WORD_BY_WORD, BJM0_TABLE, "5", [*FIVES, "5.0", "5x"], ["x"]),
    "decisions of bjm0": ("bjm0/handout", WORD_BY_WORD, BJM0, "h", [" h", "h ", "hit"], ["H", "x", "S"]),
    "commands": (
        "csc101/basic",
        "` h`, `h ` and `hit` are `h`. Commands are in lower case: `H`, `S` and `Q` are other commands. After an empty "
        "line, or any other command, ask again.",
        BASIC,
        "h",
        [" h", "h ", "hit"],
        ["H", "S", "Q", ""],
    ),
    "capital commands": (
        "csc101/errors",
        "for a command that there is not, such as `H`.",
        REFUSING,
        "h",
        [" h", "h "],
        ["H", "x", ""],
    ),
    "quitting csc101": (
        "csc101/basic",
        "A line whose first character that is not a blank is `q` ends the program: `q`, ` q`, `q ` and `quit`.",
        BASIC_QUIT,
        "q",
        [" q", "q ", "quit"],
        [],
    ),
    "playing on in csc101": (
        "csc101/basic",
        "After any other line, also `Q` and an empty one, play another hand.",
        BASIC_QUIT,
        "c",
        ["Q", ""],
        [],
    ),
    "bets of csc101": ("csc101/betting", NUMBERS[0], WAGER, "5", FIVES, NO_FIVES),
    "bets of ece2036": ("ece2036/blackjack", "` 5`, `+5`, `05` and `5.0` are 5.", VEGAS_BET, "5", [*FIVES, "5.0"], []),
    "keys of ece2036": (
        "ece2036/blackjack",
        "The first letter of the word counts, in lower case: ` h` and `hit` are `h`, and `H` is another key. For any "
        "other key ask again",
        VEGAS,
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
        TOURNAMENT,
        "y",
        ["Y", " y", "y "],
        [],
    ),
    "no other card": (
        "tournament/minimum",
        "Any other answer, `yes` too, ends the turn.",
        TOURNAMENT,
        "n",
        ["yes"],
        [],
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_a_handout_says_of_a_form_is_what_the_reference_does(name):
    path, output, program, plain, same, again = TOLD[name]
    assert output in re.sub(r"\s+", " ", (ROOT / "specs" / f"{path}.md").read_text())
    found = {form: does(program, form, plain) for form in (*same, *again)}
    assert found == dict.fromkeys(same, plain) | dict.fromkeys(again, AGAIN)


def test_words_are_read_one_by_one_as_the_handouts_say():
    for name in ("blackjack", "bjm0"):
        output = re.sub(r"\s+", " ", (ROOT / "specs" / name / "handout.md").read_text())
        assert "after an empty line nothing is asked again." in output
        assert "A further word on the line answers the next question." in output
    for main, question in ((betting.main, "Place your bet: "), (table.main, "Players: ")):
        assert shown(main, ["2", "", "5"], ())[2] == ""
        assert shown(main, ["2", "5 s"], ())[2].startswith(shown(main, ["2", "5"], ())[2])
        assert shown(main, ["2 5"], ())[1].startswith(shown(main, ["2"], ())[1])
        assert question in shown(main, ["2 5"], ())[1]
