import re
import shutil

import msgspec
import pytest

from pitboss.assignments.assignment import Prompt
from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.cli import verify
from pitboss.errors import SpecError
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.matrix import Catch
from pitboss.kits import coverage
from pitboss.kits.coverage import unused_text_sentences
from pitboss.kits.verification import problems_of
from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import Shown, Transcript, Typed
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
RECORDED_SPEC = (
    "program: shop\ncases:\n  - name: dear\n"
    "    transcript: |\n      Money: <<1>>\n      Price: <<2>>\n      Too dear.\n"
)
GENERATED_SPEC = 'program: shop\ncases:\n  - name: dear\n    answers: ["1", "2"]\n'


@pytest.fixture
def shop(tmp_path):
    """The folder of an assignment with the one stage `shop`, which has one recorded case."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "assignment.yaml").write_text(ASSIGNMENT + PLAYER)
    (folder / "shopping.py").write_text(SHOP)
    (folder / "shop.yaml").write_text(RECORDED_SPEC)
    return folder


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (RECORDED_SPEC, "the only recorded case matches the reference"),
        (
            RECORDED_SPEC + RECORDED_SPEC.partition("cases:\n")[2].replace("dear\n", "dear again\n", 1),
            "all 2 recorded cases match the reference",
        ),
        (GENERATED_SPEC, "no case is recorded"),
    ],
    ids=["one", "two", "none"],
)
def test_verify_and_record_say_how_many_cases_are_recorded(shop, pitboss, spec, sentence):
    (shop / "shop.yaml").write_text(spec)
    assert pitboss("verify", "-a", shop).out.splitlines()[0] == f"shop: {sentence}"
    assert pitboss("record", "-a", shop).out == f"{sentence}\n"


def test_record_refuses_a_case_without_a_recorded_session(shop, pitboss):
    (shop / "shop.yaml").write_text(GENERATED_SPEC)
    result = pitboss("record", "shop", "-a", shop, "--case", "dear")
    assert (result.code, result.err) == (
        2,
        "pitboss: 'dear' is not a recorded case: its expected session is computed each time\n",
    )
    (shop / "shop.yaml").write_text(RECORDED_SPEC)
    assert pitboss("record", "shop", "-a", shop, "--case", "dear").out == "'dear' matches the reference\n"


def test_a_grown_case_types_no_seed_if_the_program_is_unseeded(shop, pitboss):
    (shop / "shop.yaml").write_text(RECORDED_SPEC)
    result = pitboss("verify", "-a", shop, "--grow")
    assert (result.code, result.out.splitlines()[-1]) == (
        1,
        f"  {shop}/shop.yaml: added 'catches the limit is left out'",
    )
    grown = load_assignment(shop).stages[0].spec.cases[-1]
    assert Transcript(grown.session.events).lines == (b"5", b"5")
    assert pitboss("verify", "-a", shop).code == 0


#: A shop whose mistake can be seen only if the input ends before a price is typed.
SHOP_AT_END_OF_INPUT = """from types import SimpleNamespace


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


def test_a_grown_case_ends_the_input_where_its_player_does(shop, pitboss):
    (shop / "shopping.py").write_text(SHOP_AT_END_OF_INPUT)
    players = PLAYER.replace('"Price: ", answers: ["5"]', '"Price: ", answers: [<eof>]')
    (shop / "assignment.yaml").write_text(ASSIGNMENT + players)
    (shop / "shop.yaml").write_text('program: shop\ncases:\n  - name: sold\n    answers: ["1", "2"]\n')
    result = pitboss("verify", "-a", shop, "--grow")
    assert (result.code, result.out.splitlines()[-1]) == (1, f"  {shop}/shop.yaml: added 'catches the end is left out'")
    assert (shop / "shop.yaml").read_text().endswith("      Money: <<5>>\n      Price: <eof>Closed.\n")
    assert pitboss("verify", "-a", shop).code == 0


def test_answers_must_end_the_session_and_may_do_so_with_eof(shop, pitboss):
    (shop / "shopping.py").write_text(SHOP_AT_END_OF_INPUT)
    (shop / "shop.yaml").write_text('program: shop\ncases:\n  - name: closed\n    answers: ["1", <eof>]\n')
    assert pitboss("verify", "-a", shop).code == 0
    (shop / "shop.yaml").write_text("program: shop\ncases:\n  - name: closed\n    answers: []\n")
    error = f"{shop}/shop.yaml:3: the answers of 'closed' do not end its session; add some"
    assert pitboss("verify", "-a", shop).out.splitlines()[0] == error


def test_a_player_that_never_stops_is_reported_once_per_case(shop, pitboss):
    (shop / "shopping.py").write_text(
        'def main(console):\n    console.write("Money: ")\n    console.read_line()\n    console.write("Price: ")\n'
        '    while console.read_line() == "0":\n        console.write("Nothing is free. Price: ")\n'
    )
    players = PLAYER.replace('"Price: ", answers: ["5"]', '"Price: ", answers: ["0"]')
    (shop / "assignment.yaml").write_text(ASSIGNMENT.replace("mistakes: shopping:mistakes\n", "") + players)
    (shop / "shop.yaml").write_text("program: shop\ncases:\n  - {name: free, player: exact, sessions: 3}\n")
    result = pitboss("verify", "-a", shop)
    error = (
        f"{shop}/shop.yaml:3: 'free #1' does not end: the reference asked for more than 2000 lines. The player 'exact' "
        f"keeps answering “Price: ” with '0' ({shop}/assignment.yaml:7) — give answers there that end the session, "
        "or <eof> as the last answer\n"
    )
    assert (result.code, result.out) == (1, error)


FREE_TEXTS = """compare:
  free:
    sold: {line: "Sold."}
    price: {prompt: "Price: "}
    dear: {line: "Much too dear."}
    end: {end_of_line: "Price: "}
    question: {prompt: "Sold."}
"""
#: The first two free texts, which sessions show.
USED_FREE_TEXTS = FREE_TEXTS[: FREE_TEXTS.index("    dear:")]


def test_a_free_text_that_no_session_shows_in_its_position_is_reported(shop, pitboss):
    (shop / "assignment.yaml").write_text(ASSIGNMENT + FREE_TEXTS + PLAYER)
    result = pitboss("verify", "-a", shop)
    file = f"{shop}/assignment.yaml"
    assert result.code == 1
    assert result.out.splitlines()[:4] == [
        f"{file}:7: the free text 'sold' is 'Sold.', and no session of a reference has it as a whole line",
        f"{file}:9: the free text 'dear' is 'Much too dear.', and no session of a reference has it as a whole line",
        f"{file}:10: the free text 'end' is 'Price: ', and no session of a reference has it at the end of a line",
        f"{file}:11: the free text 'question' is 'Sold.', and no session of a reference has it where the program reads a line",
    ]


def test_a_free_text_that_some_session_shows_is_accepted(shop, pitboss):
    (shop / "assignment.yaml").write_text(ASSIGNMENT + USED_FREE_TEXTS + PLAYER)
    (shop / "shop.yaml").write_text(GENERATED_SPEC + '  - name: sold\n    answers: ["2", "1"]\n')
    assert pitboss("verify", "-a", shop).out.splitlines()[0] == "shop: no case is recorded"


def test_a_free_text_that_another_stage_shows_is_accepted(shop, pitboss):
    """A free text belongs to the whole assignment, so the policy of each stage contains it."""
    two_stages = ASSIGNMENT.replace("stages: [", "stages: [{name: closed, reference: shopping:closed}, ")
    assert two_stages != ASSIGNMENT
    (shop / "shopping.py").write_text(SHOP + 'def closed(console):\n    console.write("Closed.")\n')
    (shop / "assignment.yaml").write_text(two_stages + USED_FREE_TEXTS + PLAYER)
    (shop / "closed.yaml").write_text("program: closed\ncases:\n  - name: closed\n    answers: []\n")
    (shop / "shop.yaml").write_text(GENERATED_SPEC + '  - name: sold\n    answers: ["2", "1"]\n')
    assert pitboss("verify", "closed", "-a", shop).out.splitlines()[0] == "shop: no case is recorded"


def test_a_free_text_shown_only_with_two_features_together_is_accepted():
    assert unused_text_sentences(load_assignment(ROOT / "specs" / "ece2036").stages) == ([], [])


def test_a_prompt_that_no_session_shows_is_reported(shop, pitboss):
    """Its classes of lines would be checked nowhere."""
    prompts = 'prompts: {"Price: ": {lines: {price: ".*"}}, "Prize: ": {lines: numbers}}\n'
    (shop / "assignment.yaml").write_text(ASSIGNMENT + prompts)
    (shop / "shop.yaml").write_text("program: shop\ncases:\n  - {name: dear, answers: ['1', '2']}\n")
    result = pitboss("verify", "-a", shop)
    sentence = f"{shop}/assignment.yaml:5: prompts has 'Prize: ', and no session of a reference reads a line there"
    assert (result.code, sentence in result.out.splitlines()) == (1, True), result.out


def test_a_function_that_is_no_longer_called_is_named(shop, pitboss):
    (shop / "shopping.py").write_text(SHOP + "\n\ndef together(one, other):\n    return None\n")
    assert pitboss("verify", "-a", shop).out.splitlines()[0] == (
        "mistakes 'shopping:mistakes': its module has a function together, which is no longer called, since no two "
        "mistakes are combined any more — remove it"
    )


def test_a_prompt_that_few_sessions_show_is_looked_for_as_long_as_a_text(monkeypatch):
    """A reader means that the program draws at random, so that a prompt may be rare."""
    (stage,) = load_assignment(ROOT / "tests" / "toy" / "sixes").stages
    stage = msgspec.structs.replace(stage, prompts=(Prompt("Rare? ", (), frozenset(), "here:1"),), policy=Policy())
    stage = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=()))
    rounds = []

    def sessions(variant):
        rounds.append(variant)
        shown = b"Rare? " if rounds.count(rounds[0]) == 5 else b"? "
        yield Policy(), (Shown(shown), Typed(b"y"))

    monkeypatch.setattr(coverage, "_sessions", sessions)
    assert unused_text_sentences([stage]) == ([], [])
    assert rounds.count(rounds[0]) == 5


def test_a_free_text_for_two_reasons_is_a_warning(shop, pitboss):
    """A question that is asked at two places needs no two texts."""
    price = '    console.write("Price: ")\n'
    same_text = '    if money == 0:\n        console.write("No money!\\nToo dear.\\n")\n        return 0\n'
    again = f"    console.read_line()\n{price}"
    (shop / "shopping.py").write_text(SHOP.replace(price, same_text + price + again))
    free = 'compare: {free: {price: {prompt: "Price: "}, dear: {line: "Too dear."}}}\n'
    (shop / "assignment.yaml").write_text(ASSIGNMENT + free)
    (shop / "shop.yaml").write_text(
        "program: shop\ncases:\n  - {name: dear, answers: ['1', '', '2']}\n  - {name: broke, answers: ['0']}\n"
        "  - {name: exact, answers: ['5', '', '5']}\n"
    )
    result = pitboss("verify", "-a", shop)
    assert (result.code, result.out.splitlines()[0]) == (
        0,
        f"{shop}/assignment.yaml:5: the reference writes the free text 'dear' at shopping.py:8 and shopping.py:14 — if "
        "these are different reasons, give each a text of its own: programs may tell them apart",
    )


def test_a_free_text_that_each_of_two_programs_writes_once_is_no_warning():
    """The farewell of both stages: a student's two programs cannot tell two reasons apart in it."""
    assert unused_text_sentences(load_assignment(ROOT / "examples" / "assignments" / "eliza").stages) == ([], [])


def copy_dice_game(tmp_path, takes_draws):
    """A copy of the dice assignment; only if `takes_draws`, its reference uses the draws that pitboss gives it."""
    folder = tmp_path / "dice"
    shutil.copytree(ROOT / "tests" / "toy" / "dice", folder, ignore=shutil.ignore_patterns("__pycache__"))
    program = (folder / "pig").read_text()
    (folder / "pig").write_text(program if takes_draws else program.replace("PITBOSS_DRAWS", "OTHER_DRAWS"))
    return folder


def test_a_command_reference_that_ignores_given_draws_is_reported(tmp_path, pitboss):
    """Verification runs such a reference with other randomness: with the same it would repeat its session anyway."""
    result = pitboss("verify", "-a", copy_dice_game(tmp_path, takes_draws=False))
    assert result.code == 1
    assert re.search(
        r"(?m)^.*/dice/pig\.yaml:\d+: the draws read back from a session of '.*' are not the draws that it made — does the reference "
        r"take its draws from PITBOSS_DRAWS, if that is set\?$",
        result.out,
    )


def test_verify_says_how_many_cases_had_their_draws_read_back(tmp_path, pitboss):
    result = pitboss("verify", "-a", copy_dice_game(tmp_path, takes_draws=True))
    read_back = "each of the 2 cases was played, and its draws were read back and played again, with the same result"
    sentence = f"dice: the only recorded case matches the reference; {read_back}"
    assert (result.code, result.out.splitlines()[0]) == (0, sentence)


def test_the_matrix_shows_case_names_literally(shop, pitboss):
    """Brackets and colons in a name are not read as markup for colors, closing tags or emoji."""
    cases = RECORDED_SPEC + '  - name: "[/b] :smile: [red] dear"\n    answers: ["5", "5"]\n'
    (shop / "shop.yaml").write_text(cases)
    result = pitboss("verify", "-a", shop, "--matrix")
    assert "Traceback" not in result.err
    assert "[/b] :smile: [red] dear" in result.out


#: In the shop, a money of 5 is typed before a price.
PROMPTS = """prompts:
  "Money: ": {lines: {plain lines: "[0-9]+"}}
  "Price: ":
    lines: {small: "[0-9]", many digits: "[0-9]{9,}"}
"""


@pytest.mark.parametrize(
    ("prompts", "sentences"),
    [
        (PROMPTS, [":7: at 'Price: ' shop types no line of these classes: many digits"]),
        (PROMPTS.replace(", many digits", ", large").replace('"[0-9]{9,}"', '"[2-9]"'), []),
        (
            PROMPTS.replace('{plain lines: "[0-9]+"}', "numbers, not_typed: {Open.: [plain lines]}").replace(
                '"[0-9]{9,}"', '"[2-9]"'
            ),
            [
                ":5: at 'Money: ' shop types no line of these classes: empty lines, blanks only, blanks before, blanks after, "
                "several words, longer words, other words, end of input, plus signs, minus signs, leading zeros, decimals, "
                "digit groups, beyond an int, beyond a long",
                ":5: at 'Money: ' shop types '1', but not_typed has plain lines",
            ],
        ),
        ('prompts: {"Price: ": {lines: {number: "2"}}}\n', ["shop.yaml: prompts has no entry for 'Money: '"]),
    ],
)
def test_verify_says_which_classes_of_lines_no_case_types(shop, pitboss, prompts, sentences):
    (shop / "assignment.yaml").write_text(ASSIGNMENT.replace("mistakes: shopping:mistakes\n", "") + prompts)
    run = pitboss("verify", "--assignment", shop)
    assert run.code == bool(sentences)
    assert all(sentence in run.out for sentence in sentences)
    assert len(run.out.splitlines()) == max(1, len(sentences))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{lines: words}", "lines is 'words' — it must be numbers"),
        ("{lines: {odd: (}}", "'odd' is '(' — it is no regular expression"),
        (
            "{lines: [y, n], not_typed: {Open.: [capital]}}",
            "an item of not_typed is 'capital' — it must be plain lines, ",
        ),
        ("{not_typed: {Open.: [capitals]}}", "lacks the key 'lines'"),
    ],
)
def test_wrong_prompts_are_refused(shop, entry, message):
    (shop / "assignment.yaml").write_text(f'{ASSIGNMENT}prompts: {{"Money: ": {entry}}}\n')
    with pytest.raises(SpecError, match=re.escape(message)):
        load_assignment(shop)


@pytest.mark.parametrize("name", assignments_in((ROOT / "specs",)))
def test_each_class_of_lines_is_typed_at_each_prompt_of_the_assignments(name):
    stages = [stage for stage in load_assignment(ROOT / "specs" / name).stages if not stage.is_manual]
    assert all(stage.prompts for stage in stages)
    assert [problem for stage in stages for problem in problems_of(stage, name)] == []


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("tournament", "give a player that does"),
        ("blackjack", "record a case that does (pitboss record {stage} --assignment blackjack --play)"),
    ],
)
def test_a_mistake_that_nothing_shows_has_a_remedy_that_is_possible(name, remedy, monkeypatch, capsys):
    """A session of an unseeded stage cannot be recorded by playing it."""
    monkeypatch.setattr(verify, "catcher_of", lambda *_: None)
    assignment = load_assignment(ROOT / "specs" / name)
    stage = assignment.stages[0]
    verify._propose_case(assignment, stage, Catch(mistakes_of(stage)[0], ()), grows=False)
    last_line = capsys.readouterr().out.splitlines()[-1]
    assert last_line.endswith(f"{remedy.format(stage=stage.name)}, or say why the mistake is invisible")
