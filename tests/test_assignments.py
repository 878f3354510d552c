"""The assignments without a seed: right programs are accepted, wrong ones caught, and cards read back exactly."""

import importlib
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checking import check
from harness.drivers import find_conditions
from harness.job import Job
from harness.specfile import load_assignment
from harness.transcript import Shown
from harness.verdicts import Verdict
from tests.conftest import ROOT, example
from tests.machine import parts_of

RIGHT = {
    ("csc101", "kathleen"): {"basic", "reshuffle", "split", "betting", "errors"},
    ("ece2036", "george"): {"blackjack"},
    ("ece2036", "vera"): {"blackjack", "double", "split"},
    ("ece2036", "dennis"): {"blackjack", "double", "split"},
    ("tournament", "hanna"): {"minimum", "blackjack", "aces"},
    ("bjm0", "otto"): {"shuffle", "aces", "dealer", "table", "chances"},
}


@pytest.fixture(scope="module")
def assignments():
    return {name: load_assignment(ROOT / "specs" / name) for name in ("csc101", "ece2036", "tournament", "bjm0")}


def reports(assignment, folder, stages):
    chosen = tuple(stage for stage in assignment.stages if stage.name in stages)
    return check(Job(assignment, chosen, find_conditions(), assignment.name, runs_all=True), folder).stages


@pytest.mark.parametrize(("name", "student"), [example(*one) for one in RIGHT])
def test_a_right_program_is_accepted(assignments, name, student):
    stages = RIGHT[name, student]
    found = reports(assignments[name], ROOT / "examples" / name / student, stages)
    assert {stage.stage: (stage.verdict, stage.summary) for stage in found} == dict.fromkeys(
        stages, (Verdict.ACCEPTED, "")
    )
    assert all(not stage.diagnosis for stage in found)


#: Where a right program is made wrong: stage, file, what stands there, and what a student wrote instead.
CSC, ECE, TOURNAMENT, BJM0 = ("csc101", "kathleen"), ("ece2036", "vera"), ("tournament", "hanna"), ("bjm0", "otto")
WRONG = {
    "csc101 every win pays 1.5": (CSC, "betting", "blackjack.c", "who > 0 && is_blackjack(&hands[0])", "who > 0"),
    "csc101 any 21 is a blackjack": (CSC, "betting", "blackjack.c", "hand->size == 2 && value", "value"),
    "csc101 aces are never 11": (CSC, "basic", "blackjack.c", "aces > 0 &&", "aces > 5 &&"),
    "csc101 the dealer stands on 17 with an ace": (
        CSC, "basic", "blackjack.c", " || (value(&dealer) == 17 && has_ace(&dealer))", "",
    ),
    "csc101 the dealer draws after a bust": (CSC, "basic", "blackjack.c", "if (!all_bust) {\n        play_dealer", "{\n play_dealer"),
    "csc101 the dealer hits once": (CSC, "basic", "blackjack.c", "    while (value(&dealer) < 17", "    if (value(&dealer) < 17"),
    "csc101 jack is 11": (CSC, "basic", "blackjack.c", "total += rank > 10 ? 10 : rank", "total += rank"),
    "csc101 no king": (CSC, "basic", "cards.c", "i % 13 + 1", "i % 12 + 1"),
    "csc101 a push is paid": (CSC, "betting", "blackjack.c", "2 * who * bet", "2 * (who ? who : 1) * bet"),
    "csc101 the first hand's card twice": (
        CSC, "split", "blackjack.c", "hands[1].cards[0] = hands[0].cards[1]", "hands[1].cards[0] = hands[0].cards[0]",
    ),
    "csc101 reshuffles early": (CSC, "reshuffle", "cards.c", "deck->dealt == DECK_SIZE", "deck->dealt == DECK_SIZE - 4"),
    "csc101 a doubled bet counts once": (CSC, "betting", "blackjack.c", "bet *= 2;\n            printf(\"\\nBet doubled to %d\\n\", bet)", "printf(\"\\nBet doubled to %d\\n\", 2 * bet)"),
    "csc101 one seed": (CSC, "basic", "blackjack.c", "(unsigned)time(NULL)", "7"),
    "ece2036 two aces are 22": (ECE, "blackjack", "Hand.cpp", "aces > 0) {", "aces > 2) {"),
    "ece2036 one ace lowered": (ECE, "blackjack", "Hand.cpp", "while (total > 21", "if (total > 21"),
    "ece2036 every win pays 1.5": (ECE, "blackjack", "Blackjack.cpp", "dollars += bet;\n    } else if (dealer", "dollars += 1.5 * bet;\n    } else if (dealer"),
    "ece2036 blackjack pays once": (ECE, "blackjack", "Blackjack.cpp", "dollars += 1.5 * bet;", "dollars += bet;"),
    "ece2036 no king": (ECE, "blackjack", "Card.cpp", "% 13", "% 12"),
    "ece2036 the dealer hits once": (ECE, "blackjack", "Blackjack.cpp", "while (dealer.value() < 17)", "if (dealer.value() < 17)"),
    "ece2036 the dealer idles after a bust": (
        ECE, "blackjack", "Blackjack.cpp", "while (dealer.value() < 17)", "while (!player.is_bust() && dealer.value() < 17)",
    ),
    "ece2036 the dealer hits on 17": (ECE, "blackjack", "Blackjack.cpp", "dealer.value() < 17", "dealer.value() <= 17"),
    "ece2036 whole money": (ECE, "blackjack", "Blackjack.cpp", "dollars += 1.5 * bet;", "dollars += (int)(1.5 * bet);"),
    "ece2036 a tie is lost": (ECE, "blackjack", "Blackjack.cpp", "dealer.value() > hand.value()", "dealer.value() >= hand.value()"),
    "ece2036 double pays single": (ECE, "double", "Blackjack.cpp", "return 2 * bet;", "return bet;"),
    "ece2036 the wrong hand is split": (ECE, "split", "Hand.cpp", "other.cards[0] = cards[1];", "other.cards[0] = cards[0]; cards[0] = Card(); cards[0].deal();"),
    "tournament the dealer stops at 15": (TOURNAMENT, "aces", "Program.cs", "total <= 16", "total <= 15"),
    "tournament the dealer draws on 17": (TOURNAMENT, "aces", "Program.cs", "total <= 16", "total <= 17"),
    "tournament a standoff is paid": (TOURNAMENT, "aces", "Program.cs", "return 0;\n", "return bet;\n"),
    "tournament a win pays double": (TOURNAMENT, "aces", "Program.cs", "player > total ? bet : -bet", "player > total ? 2 * bet : -bet"),
    "tournament low bets taken": (TOURNAMENT, "aces", "Program.cs", "bet >= 10 && ", "bet >= 1 && "),
    "tournament ten makes no blackjack": (TOURNAMENT, "aces", "Program.cs", "cards == 2 && total == 21", "cards == 2 && total == 21 && !tens"),
    "tournament blackjack pays once": (TOURNAMENT, "aces", "Program.cs", "bet * 1.5m", "bet * 1.0m"),
    "tournament aces never lowered": (TOURNAMENT, "aces", "Program.cs", "while (total > 21 && aces > 0)", "while (total > 21 && aces > 9)"),
    "tournament no king": (TOURNAMENT, "aces", "Program.cs", "random.Next(1, 14)", "random.Next(1, 13)"),
    "tournament broke at 0": (TOURNAMENT, "aces", "Program.cs", "money >= 10 && money < 200", "money > 0 && money < 200"),
    "bjm0 shuffle upward": (BJM0, "shuffle", "deck.c", "int i = 51; i > 0; i--", "int i = 1; i < 52; i++"),
    "bjm0 rand() % i": (BJM0, "shuffle", "deck.c", "rand() % (i + 1)", "rand() % i"),
    "bjm0 one loop more": (BJM0, "shuffle", "deck.c", "rand() % (i + 1)", "rand() % 52"),
    "bjm0 one ace lowered": (BJM0, "aces", "deck.c", "while (sum > 21 && aces > 0)", "if (sum > 21 && aces > 0)"),
    "bjm0 the dealer stops at 16": (BJM0, "dealer", "deck.c", "total(hand, size) < 17", "total(hand, size) < 16"),
    "bjm0 a tie wins": (BJM0, "table", "table.c", "mine > theirs", "mine >= theirs"),
    "bjm0 the hole card is counted": (BJM0, "chances", "chances.c", "dealer[1] = next_card()", "dealer[1] = seen(next_card())"),
    "bjm0 a whole chance": (BJM0, "chances", "chances.c", "(double)bust / all", "bust / all"),
    "bjm0 the soft total": (BJM0, "chances", "chances.c", "hard += hand[i] == 11 ? 1 : hand[i];", "hard = total(hand, size);"),
}  # fmt: skip


#: How the line begins where each wrong program first parts from the right one, on one side or the other.
WINNINGS, DEALER, HAS, ROUND, CHANCE = (
    "Winnings: ",
    "Dealer's Hand: ",
    "Player has ",
    "*** ROUND ",
    "Chance of a bust: ",
)
PARTS_AT = {
    "csc101 every win pays 1.5": (WINNINGS,),
    "csc101 any 21 is a blackjack": (WINNINGS, "Player wins.", "Dealer wins.", "Push."),
    "csc101 aces are never 11": (DEALER, "Player wins.", "Dealer wins.", "Push."),
    "csc101 the dealer stands on 17 with an ace": (DEALER,),
    "csc101 the dealer draws after a bust": (DEALER,),
    "csc101 the dealer hits once": (DEALER,),
    "csc101 jack is 11": (DEALER, "Dealer wins.", "Player busts.", "Player wins.", "Push.", "Dealer busts."),
    "csc101 no king": (),
    "csc101 a push is paid": (WINNINGS,),
    "csc101 the first hand's card twice": ("Player's First Hand: ", "Player's Second Hand: "),
    "csc101 reshuffles early": ("Reshuffling", "Player's Hand: ", DEALER),
    "csc101 a doubled bet counts once": (WINNINGS,),
    "csc101 one seed": (),
    "ece2036 two aces are 22": ("Dealer's hand ", "Player's hand ", "Player wins", "Dealer wins", "Push"),
    "ece2036 one ace lowered": ("Dealer's hand ", "Player's hand "),
    "ece2036 every win pays 1.5": (HAS,),
    "ece2036 blackjack pays once": (HAS,),
    "ece2036 no king": (),
    "ece2036 the dealer hits once": ("Dealer's hand is: ",),
    "ece2036 the dealer idles after a bust": ("Dealer's hand is: ",),
    "ece2036 the dealer hits on 17": ("Dealer's hand is: ",),
    "ece2036 whole money": (HAS,),
    "ece2036 a tie is lost": ("Push.",),
    "ece2036 double pays single": (HAS,),
    "ece2036 the wrong hand is split": ("Player's hand is: ",),
    "tournament the dealer stops at 15": ("Dealer has ",),
    "tournament the dealer draws on 17": ("Dealer has ",),
    "tournament a standoff is paid": (ROUND, "You have "),
    "tournament a win pays double": (ROUND, "You have "),
    "tournament low bets taken": ("Invalid bet!",),
    "tournament ten makes no blackjack": ("Dealer has ", "You have "),
    "tournament blackjack pays once": (ROUND, "You have "),
    "tournament aces never lowered": ("Dealer has ", "You have "),
    "tournament no king": (),
    "tournament broke at 0": (ROUND,),
    "bjm0 shuffle upward": ("",),
    "bjm0 rand() % i": ("",),
    "bjm0 one loop more": ("",),
    "bjm0 one ace lowered": ("You have ", "Dealer has "),
    "bjm0 the dealer stops at 16": ("Dealer has ",),
    "bjm0 a tie wins": ("Player ",),
    "bjm0 the hole card is counted": (CHANCE,),
    "bjm0 a whole chance": (CHANCE,),
    "bjm0 the soft total": (CHANCE,),
}


#: What each wrong program is told, where its sessions tell it from every other known mistake; nothing for the others.
NAMES = {
    "csc101 every win pays 1.5": "every-win-pays-more",
    "csc101 any 21 is a blackjack": "any-21-pays-more",
    "csc101 aces are never 11": "ace-always-1",
    "csc101 the dealer stands on 17 with an ace": "dealer-stands-on-17-with-ace",
    "csc101 the dealer draws after a bust": "dealer-plays-after-bust",
    "csc101 the dealer hits once": "dealer-hits-once",
    "csc101 jack is 11": "pictures-count-up",
    "csc101 a push is paid": "push-paid",
    "csc101 a doubled bet counts once": "double-pays-single",
    "ece2036 two aces are 22": "ace-always-11",
    "ece2036 one ace lowered": "one-ace-lowered",
    "ece2036 blackjack pays once": "blackjack-pays-once",
    "ece2036 the dealer hits once": "dealer-hits-once",
    "ece2036 the dealer hits on 17": "dealer-hits-17",
    "ece2036 a tie is lost": "ties-lost",
    "ece2036 double pays single": "double-pays-single",
    "tournament the dealer stops at 15": "dealer-stops-early",
    "tournament the dealer draws on 17": "dealer-draws-long",
    "tournament a standoff is paid": "standoff-paid",
    "tournament low bets taken": "lowest-bet-not-held",
    "tournament ten makes no blackjack": "ten-makes-no-blackjack",
    "tournament blackjack pays once": "blackjack-pays-once",
    "tournament aces never lowered": "ace-never-lowered",
    "tournament broke at 0": "broke-at-zero",
    "bjm0 shuffle upward": "shuffle-upward",
    "bjm0 rand() % i": "shuffle-never-itself",
    "bjm0 one loop more": "shuffle-whole-deck",
    "bjm0 one ace lowered": "one-ace-lowered",
    "bjm0 the dealer stops at 16": "dealer-stands-at-16",
    "bjm0 a tie wins": "tie-wins",
    "bjm0 the hole card is counted": "hole-counted-out",
    "bjm0 a whole chance": "chance-cut",
    "bjm0 the soft total": "chance-of-soft-total",
}


def parts_at(result):
    """The line where a session first parts from what is expected, as it should be and as it is."""
    difference = result.difference
    before = b"".join(event.text if isinstance(event, Shown) else b"\n" for event in difference.matched)
    for events in (difference.expected, difference.actual):
        after = events[0].text if events and isinstance(events[0], Shown) else b""
        yield (before.rpartition(b"\n")[2] + after.lstrip(b"\n").partition(b"\n")[0]).decode()


def edited(name):
    (assignment, student), *_ = WRONG[name]
    parts = parts_of(ROOT / "examples" / assignment / student)
    return pytest.param(name, marks=pytest.mark.needs(*parts), id=name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [edited(name) for name in WRONG])
def test_a_wrong_program_is_caught(assignments, tmp_path, name):
    (assignment, student), stage, file, right, wrong = WRONG[name]
    folder = tmp_path / student
    shutil.copytree(ROOT / "examples" / assignment / student, folder)
    text = (folder / file).read_text()
    assert right in text, f"{file} of {student} has changed"
    text = text.replace(right, wrong, 1)
    if "!tens" in wrong:
        text = text.replace("cards = total = aces = 0;", "cards = total = aces = 0; tens = false;")
        text = text.replace("static int cards, total, aces;", "static int cards, total, aces; static bool tens;")
        text = text.replace("cards++;", "cards++; tens |= number == 10;")
    (folder / file).write_text(text)
    for _ in range(3):  # what it draws is chance, and so is whether one check of some dozens of sessions shows it
        (report,) = reports(assignments[assignment], folder, {stage})
        if report.verdict is not Verdict.ACCEPTED:
            break
    assert report.verdict is Verdict.WRONG_ANSWER
    failed = [result for result in report.results if result.verdict is not Verdict.ACCEPTED]
    assert report.summary or failed[0].summary
    assert report.summary or failed[0].difference is not None or "drew" in failed[0].summary
    # A few sessions may not tell one mistake from another: then both are named, the right one among them.
    named = {one.id for one in report.diagnosis if one.explains == one.of}
    assert not named or NAMES.get(name) in named, named
    for result in failed:
        if PARTS_AT[name] and result.difference is not None:
            assert any(line.startswith(PARTS_AT[name]) for line in parts_at(result)), (
                result.summary,
                *parts_at(result),
            )


class Scripted:
    """A console with lines to type, which notes the whole conversation as readers take it."""

    def __init__(self, lines):
        self.lines, self.conversation = list(lines), []

    def write(self, text):
        self.conversation.append(("shown", text))

    def read_line(self):
        if not self.lines:
            return None
        self.conversation.append(("typed", self.lines[0]))
        return self.lines.pop(0)

    def pause(self, seconds):
        """Nothing to wait for."""


class Out(Exception):
    """No more cards."""


def played(main, draws, lines):
    console, left = Scripted(lines), iter(draws)

    def draw():
        try:
            return next(left)
        except StopIteration:
            raise Out from None

    try:
        main(console, draw)
    except Out:
        return None
    return "".join(text if kind == "shown" else f"\x00{text}\x01" for kind, text in console.conversation), console


KEYS = {
    "csc101": ("h", "s", "s", "q", "c", "2", "d", "10", "x", "", "c"),
    "ece2036": ("h", "s", "s", "20", "30", "d", "p", "1000", "25"),
    "tournament": ("y", "n", "n", "20", "35", "", "100", "abc"),
}
PROGRAMS = [
    ("csc101", "basic"), ("csc101", "reshuffle"), ("csc101", "split"), ("csc101", "betting"), ("csc101", "errors"),
    ("ece2036", "blackjack"), ("ece2036", "double"), ("ece2036", "split"),
    ("tournament", "minimum"), ("tournament", "blackjack"), ("tournament", "aces"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "stage"), PROGRAMS, ids=[f"{name}/{stage}" for name, stage in PROGRAMS])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_reference_reads_back_to_what_it_drew(name, stage, data):
    """Any draws and any lines: what is read back and replayed is the same conversation, to the last character."""
    main = importlib.import_module(f"reference.{name}.{stage}").main
    read = importlib.import_module(f"reference.{name}.reading").read
    values = load_assignment(ROOT / "specs" / name).stage(stage).draws.values
    if name == "csc101":
        draws = data.draw(st.permutations(values)) + data.draw(st.permutations(values))
    else:
        draws = data.draw(st.lists(st.sampled_from(values), min_size=40, max_size=60))
    lines = data.draw(st.lists(st.sampled_from(KEYS[name]), max_size=24))
    first = played(main, draws, lines)
    if first is None:  # it wanted more cards than there were
        return
    reading = read(first[1].conversation)
    assert reading.problem is None
    known = [values[0] if draw is None else draw for draw in reading.draws]
    again = played(main, [*known, *values], lines)
    assert again is not None
    assert again[0] == first[0]


def test_the_chances_of_bjm0_are_those_of_its_rulings():
    from reference.bjm0.rules import COUNTS, bust_chance

    def chance(hand, up):
        counts = list(COUNTS)
        for value in (*hand, up):
            counts[0 if value == 11 else value - 1] -= 1
        return bust_chance(hand, counts)

    assert chance((10, 10), 10) == 45 / 49
    assert chance((9, 7), 3) == 30 / 49
    assert chance((10, 2), 10) == 14 / 49
    assert chance((11, 7), 10) == 0


def test_the_sample_of_reshuffling_replays(assignments):
    """The brief's sample begins in the middle of a deck: here with one of five cards."""
    from dataclasses import replace

    from reference.csc101 import game
    from reference.csc101.features import rules_of

    rules = replace(rules_of("reshuffle"), cards_in_deck=5)
    told = played(
        lambda console, draw: game.main(console, draw, rules),
        ["2H", "QH", "4C", "JS", "10C", "3D"],
        ["h", "h", "s", "q"],
    )
    assert told is not None
    assert "".join(text for kind, text in told[1].conversation if kind == "shown") == (
        "\nPlayer's Hand: 2H, 4C\nDealer's Hand: QH, X\n\nEnter command: "
        "\nPlayer's Hand: 2H, 4C, 10C\nDealer's Hand: QH, X\n\nEnter command: "
        "\nReshuffling ...\n\nPlayer's Hand: 2H, 4C, 10C, 3D\nDealer's Hand: QH, X\n\nEnter command: "
        "\nPlayer's Hand: 2H, 4C, 10C, 3D\nDealer's Hand: QH, JS\n\nDealer wins.\n\n"
        "Enter 'q' to quit, anything else to play another hand: "
    )


@pytest.mark.parametrize("name", ["csc101", "ece2036", "tournament", "bjm0"])
def test_every_recorded_case_replays_exactly(assignments, name):
    from harness.verification import problems_of

    assert [problem for stage in assignments[name].stages for problem in problems_of(stage, name)] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "stage"), PROGRAMS, ids=[f"{name}/{stage}" for name, stage in PROGRAMS])
def test_ten_thousand_games_read_back_without_one_difference(name, stage):
    import random

    main = importlib.import_module(f"reference.{name}.{stage}").main
    read = importlib.import_module(f"reference.{name}.reading").read
    values = load_assignment(ROOT / "specs" / name).stage(stage).draws.values
    chance = random.Random(f"{name} {stage}")
    games = 0
    while games < 10_000:
        if name == "csc101":
            draws = [*chance.sample(values, 52), *chance.sample(values, 52)]
        else:
            draws = [chance.choice(values) for _ in range(60)]
        lines = [chance.choice(KEYS[name]) for _ in range(chance.randrange(14))]
        first = played(main, draws, lines)
        if first is None:
            continue
        games += 1
        reading = read(first[1].conversation)
        known = [values[0] if draw is None else draw for draw in reading.draws]
        assert reading.problem is None
        again = played(main, [*known, *values], lines)
        assert again is not None
        assert again[0] == first[0]
