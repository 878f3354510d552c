"""`pitboss verify` and `pitboss record` claim what was looked at, also where nothing is recorded or nothing seeded."""

import re
import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.kits.unused_texts import idle_free_texts
from pitboss.model.transcript import Transcript
from tests.conftest import ROOT

SHOP = """from types import SimpleNamespace


def main(console, is_wrong=False):
    console.write("Money: ")
    money = int(console.read_line())
    console.write("Price: ")
    price = int(console.read_line())
    console.write("Sold.\\n" if price < money or price == money and not is_wrong else "Too dear.\\n")
    return 0


def mistakes():
    wrong = lambda console: main(console, True)
    texts = dict(hint="Mind the limit.", note="", source="", invisible="")
    return [SimpleNamespace(id="limit", title="the limit is left out", mains={"shop": wrong}, **texts)]
"""
ASSIGNMENT = (
    "title: A shop\nseeded: no\nmistakes: shopping:mistakes\nstages: [{name: shop, reference: shopping:main}]\n"
)
PLAYER = 'players:\n  exact:\n    - {prompt: "Money: ", answers: ["5"]}\n    - {prompt: "Price: ", answers: ["5"]}\n'
RECORDED = "program: shop\ncases:\n  - name: dear\n    transcript: |\n      Money: <<1>>\n      Price: <<2>>\n      Too dear.\n"
GENERATED = 'program: shop\ncases:\n  - name: dear\n    answers: ["1", "2"]\n'


@pytest.fixture
def shop(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "assignment.yaml").write_text(ASSIGNMENT + PLAYER)
    (folder / "shopping.py").write_text(SHOP)
    (folder / "shop.yaml").write_text(RECORDED)
    return folder


@pytest.mark.parametrize(
    ("cases", "sentence"),
    [
        (RECORDED, "the only recorded case matches the reference"),
        (
            RECORDED + RECORDED.partition("cases:\n")[2].replace("dear\n", "dear again\n", 1),
            "all 2 recorded cases match the reference",
        ),
        (GENERATED, "no case is recorded"),
    ],
    ids=["one", "two", "none"],
)
def test_what_is_said_of_recorded_cases_is_what_there_are(shop, pitboss, cases, sentence):
    (shop / "shop.yaml").write_text(cases)
    assert pitboss("verify", "-a", shop).out.splitlines()[0] == f"shop: {sentence}"
    assert pitboss("record", "-a", shop).out == f"{sentence}\n"


def test_a_case_that_is_not_recorded_is_not_recorded_again(shop, pitboss):
    (shop / "shop.yaml").write_text(GENERATED)
    done = pitboss("record", "shop", "-a", shop, "--case", "dear")
    assert (done.code, done.err) == (
        2,
        "pitboss: 'dear' is not a recorded case: its expected session is computed each time\n",
    )
    (shop / "shop.yaml").write_text(RECORDED)
    assert pitboss("record", "shop", "-a", shop, "--case", "dear").out == "'dear' matches the reference\n"


def test_a_case_that_is_grown_types_a_seed_only_where_there_is_one(shop, pitboss):
    (shop / "shop.yaml").write_text(RECORDED)
    found = pitboss("verify", "-a", shop, "--grow")
    assert (found.code, found.out.splitlines()[-1]) == (
        1,
        f"  {shop}/shop.yaml: added 'catches the limit is left out'",
    )
    grown = load_assignment(shop).stages[0].spec.cases[-1]
    assert Transcript(grown.session.events).lines == (b"5", b"5")
    assert pitboss("verify", "-a", shop).code == 0


#: Of the mistake it is only seen where the input ends before a price.
AT_THE_END = """from types import SimpleNamespace


def main(console, is_wrong=False):
    console.write("Money: ")
    console.read_line()
    console.write("Price: ")
    console.write("Closed.\\n" if console.read_line() is None and not is_wrong else "Sold.\\n")
    return 0


def mistakes():
    wrong = lambda console: main(console, True)
    texts = dict(hint="Mind the end.", note="", source="", invisible="")
    return [SimpleNamespace(id="end", title="the end is left out", mains={"shop": wrong}, **texts)]
"""


def test_a_case_that_is_grown_ends_the_input_where_its_player_does(shop, pitboss):
    (shop / "shopping.py").write_text(AT_THE_END)
    stops = PLAYER.replace('"Price: ", answers: ["5"]', '"Price: ", answers: [<eof>]')
    (shop / "assignment.yaml").write_text(ASSIGNMENT + stops)
    (shop / "shop.yaml").write_text('program: shop\ncases:\n  - name: sold\n    answers: ["1", "2"]\n')
    done = pitboss("verify", "-a", shop, "--grow")
    assert (done.code, done.out.splitlines()[-1]) == (1, f"  {shop}/shop.yaml: added 'catches the end is left out'")
    assert (shop / "shop.yaml").read_text().endswith("      Money: <<5>>\n      Price: <eof>Closed.\n")
    assert pitboss("verify", "-a", shop).code == 0


def test_answers_that_end_the_input_end_their_session(shop, pitboss):
    (shop / "shopping.py").write_text(AT_THE_END)
    (shop / "shop.yaml").write_text('program: shop\ncases:\n  - name: closed\n    answers: ["1", <eof>]\n')
    assert pitboss("verify", "-a", shop).code == 0
    (shop / "shop.yaml").write_text("program: shop\ncases:\n  - name: closed\n    answers: []\n")
    output = f"{shop}/shop.yaml:3: the answers of 'closed' do not end its session; add some"
    assert pitboss("verify", "-a", shop).out.splitlines()[0] == output


def test_a_player_who_types_for_ever_is_named_once_for_all_sessions_of_a_case(shop, pitboss):
    (shop / "shopping.py").write_text(
        'def main(console):\n    console.write("Money: ")\n    console.read_line()\n    console.write("Price: ")\n'
        '    while console.read_line() == "0":\n        console.write("Nothing is free. Price: ")\n'
    )
    players = PLAYER.replace('"Price: ", answers: ["5"]', '"Price: ", answers: ["0"]')
    (shop / "assignment.yaml").write_text(ASSIGNMENT.replace("mistakes: shopping:mistakes\n", "") + players)
    (shop / "shop.yaml").write_text("program: shop\ncases:\n  - {name: free, player: exact, sessions: 3}\n")
    done = pitboss("verify", "-a", shop)
    output = (
        f"{shop}/shop.yaml:3: 'free #1' does not end: the reference asked for more than 2000 lines. The player 'exact' "
        f"keeps answering “Price: ” with '0' ({shop}/assignment.yaml:7) — give it answers there that end the session, "
        "or <eof> as the last\n"
    )
    assert (done.code, done.out) == (1, output)


FREE = """compare:
  free:
    sold: {line: "Sold."}
    price: {prompt: "Price: "}
    dear: {line: "Much too dear."}
    end: {end_of_line: "Price: "}
    question: {prompt: "Sold."}
"""


def test_a_free_text_that_the_reference_never_shows_where_it_should_is_found(shop, pitboss):
    (shop / "assignment.yaml").write_text(ASSIGNMENT + FREE + PLAYER)
    done = pitboss("verify", "-a", shop)
    place = f"{shop}/assignment.yaml"
    assert done.code == 1
    assert done.out.splitlines()[:4] == [
        f"{place}:7: the free text 'sold' is 'Sold.', and no session of a reference has it as a whole line",
        f"{place}:9: the free text 'dear' is 'Much too dear.', and no session of a reference has it as a whole line",
        f"{place}:10: the free text 'end' is 'Price: ', and no session of a reference has it at the end of a line",
        f"{place}:11: the free text 'question' is 'Sold.', and no session of a reference has it where it reads a line",
    ]


def test_a_free_text_that_some_session_shows_is_fine(shop, pitboss):
    (shop / "assignment.yaml").write_text(ASSIGNMENT + FREE[: FREE.index("    dear:")] + PLAYER)
    (shop / "shop.yaml").write_text(GENERATED + '  - name: sold\n    answers: ["2", "1"]\n')
    assert pitboss("verify", "-a", shop).out.splitlines()[0] == "shop: no case is recorded"


def test_a_free_text_that_another_stage_shows_is_fine(shop, pitboss):
    """It is the assignment's, and so it stands in the policy of each stage."""
    free = FREE[: FREE.index("    dear:")]
    stages = ASSIGNMENT.replace("stages: [", "stages: [{name: closed, reference: shopping:closed}, ")
    assert stages != ASSIGNMENT
    (shop / "shopping.py").write_text(SHOP + 'def closed(console):\n    console.write("Closed.")\n')
    (shop / "assignment.yaml").write_text(stages + free + PLAYER)
    (shop / "closed.yaml").write_text("program: closed\ncases:\n  - name: closed\n    answers: []\n")
    (shop / "shop.yaml").write_text(GENERATED + '  - name: sold\n    answers: ["2", "1"]\n')
    assert pitboss("verify", "closed", "-a", shop).out.splitlines()[0] == "shop: no case is recorded"


def test_a_free_text_of_two_features_shows_in_a_program_with_both():
    assert idle_free_texts(load_assignment(ROOT / "specs" / "ece2036").stages) == []


def dice(tmp_path, takes):
    """The game of the toy, whose reference takes its draws from us, or not."""
    folder = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", folder, ignore=shutil.ignore_patterns("__pycache__"))
    program = (folder / "pig").read_text()
    (folder / "pig").write_text(program if takes else program.replace("PITBOSS_DRAWS", "OTHER_DRAWS"))
    return folder


def test_a_reference_that_is_a_command_and_takes_no_draws_is_reported(tmp_path, pitboss):
    """In the same world it has the same chance: it would do the same again without a look at the draws."""
    done = pitboss("verify", "-a", dice(tmp_path, takes=False))
    assert done.code == 1
    assert re.search(
        r"(?m)^.*/dice/pig\.yaml:\d+: the draws read back from a session of '.*' are not those it made — does the reference "
        r"take its draws from PITBOSS_DRAWS, if that is set\?$",
        done.out,
    )


def test_cases_that_are_read_back_are_counted(tmp_path, pitboss):
    done = pitboss("verify", "-a", dice(tmp_path, takes=True))
    said = "each of the 2 cases was played, read back, and played again with what was read: the same"
    line = f"dice: the only recorded case matches the reference; {said}"
    assert (done.code, done.out.splitlines()[0]) == (0, line)


def test_the_matrix_shows_names_as_they_are_written(shop, pitboss):
    """What stands in brackets or between colons is no colour, no closing tag and no picture."""
    cases = RECORDED + '  - name: "[/b] :smile: [red] dear"\n    answers: ["5", "5"]\n'
    (shop / "shop.yaml").write_text(cases)
    done = pitboss("verify", "-a", shop, "--matrix")
    assert "Traceback" not in done.err
    assert "[/b] :smile: [red] dear" in done.out
