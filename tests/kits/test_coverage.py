import shutil

import pytest

from pitboss.assignments import authored
from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.kits import coverage
from pitboss.kits.coverage import ScreenPassage, gaps_of, screen_passages
from tests.conftest import ROOT

#: The names of assignment and stage for each seeded stage in specs/ whose draws are not read from output.
SEEDED = [
    (name, stage.name)
    for name, folder in assignments_in((ROOT / "specs",)).items()
    for stage in load_assignment(folder).stages
    if stage.is_seeded and not stage.reader
]

THROWS = {
    "assignment.yaml": (
        "title: Throws\nstages:\n  - name: throws\n    reference: dice:main\n"
        "players:\n  patient:\n    - {prompt: 'Again? ', answers: [y, y, y, n]}\n"
    ),
    # The seed decides the number of throws, 1 to 3; only seed 300 shows a twelve.
    "dice.py": (
        "def main(console):\n"
        "    console.write('Seed: ')\n"
        "    seed = int(console.read_line())\n"
        "    if seed == 300:\n"
        "        console.write('A twelve\\n')\n"
        "    for number in range(1 + seed % 3):\n"
        "        console.write(f'Thrown: {seed % 6 + number}\\n')\n"
        "    console.write('Again? ')\n"
        "    answer = console.read_line()\n"
        "    if answer == 'x':\n"
        "        console.write('Nobody asked for that\\n')\n"
        "    return 0\n"
    ),
}


@pytest.fixture
def write_throws(tmp_path):
    """A function that writes the assignment Throws with these cases and returns its folder."""
    folder = tmp_path / "throws"

    def write(cases):
        folder.mkdir(exist_ok=True)
        for name, text in THROWS.items():
            (folder / name).write_text(text)
        (folder / "throws.yaml").write_text(f"program: throws\ncases:\n{cases}")
        return folder

    return write


@pytest.mark.parametrize(("name", "stage"), SEEDED, ids=map("/".join, SEEDED))
def test_the_cases_in_specs_show_all_output_of_a_thousand_seeds(name, stage):
    loaded_stage = load_assignment(ROOT / "specs" / name).stage(stage)
    assert [(gap.case, gap.seed, gap.passages[0]) for gap in gaps_of(loaded_stage)] == []


def test_seeds_are_proposed_for_output_that_no_case_shows(write_throws, pitboss):
    completed = pitboss("verify", "-a", write_throws("  - {name: the first, seeds: [3], answers: [y]}\n"))
    assert completed.code == 0
    assert completed.out.splitlines()[1:] == [
        "throws throws: 3 more seeds show output that no case has; --grow adds them",
        "  seed 300 of 'the first': “A twelve”, and 2 more",
        "  seed 1 of 'the first': “Thrown: #” 2 times in a row",
        "  seed 2 of 'the first': “Thrown: #” 3 times in a row",
    ]


def test_grow_adds_proposed_seeds_to_a_list_on_one_line(write_throws, pitboss):
    folder = write_throws("  - name: the first\n    seeds: [3]\n    answers: [y]\n")
    added = pitboss("verify", "-a", folder, "--grow")
    assert "  seed 1 of 'the first', added: “Thrown: #” 2 times in a row" in added.out.splitlines()
    assert "    seeds: [3, 300, 1, 2]\n" in (folder / "throws.yaml").read_text()
    assert len(pitboss("verify", "-a", folder).out.splitlines()) == 1


def test_a_seed_that_cannot_be_added_is_reported_with_the_reason(write_throws, pitboss):
    folder = write_throws("  - {name: the first, seeds: [3], answers: [y]}\n")
    before = (folder / "throws.yaml").read_text()
    completed = pitboss("verify", "-a", folder, "--grow")
    assert "seed 300 of 'the first', not added: write the seeds of the case on one line: “A twelve”" in completed.out
    assert (folder / "throws.yaml").read_text() == before


@pytest.mark.parametrize(
    ("answer", "statements"),
    [
        pytest.param(
            "y",
            "console.write('Again? ')\n    while console.read_line() not in ('n', None) and seed != 3:\n        console.write('Again? ')\n",
            id="it asks for more",
        ),
        pytest.param(
            "x",
            "console.write('Again? ' if seed == 3 else 'How much? ')\n    console.read_line()\n",
            id="it asks for something else",
        ),
    ],
)
def test_seeds_that_ask_a_question_without_a_fixed_answer_are_not_proposed(write_throws, pitboss, answer, statements):
    """Fixed answers fit the seeds of their case; the handout may not say what they do at any other question."""
    folder = write_throws(f"  - {{name: none, seeds: [3], answers: [{answer}]}}\n")
    opening = "def main(console):\n    console.write('Seed: ')\n    seed = int(console.read_line())\n    "
    (folder / "dice.py").write_text(f"{opening}{statements}    return 0\n")
    assert pitboss("verify", "-a", folder).out == "throws: no case is recorded\n"


def test_an_endless_reference_is_called_only_a_few_times(write_throws, monkeypatch):
    monkeypatch.setattr(authored, "MAX_CPU_S", 0.05)
    folder = write_throws("  - {name: none, seeds: [3], answers: [y]}\n")
    (folder / "assignment.yaml").write_text(THROWS["assignment.yaml"].replace("dice:main", "endless_dice:main"))
    (folder / "endless_dice.py").write_text(
        "def main(console):\n"
        "    console.write('Seed: ')\n"
        "    if console.read_line() != '3':\n"
        "        with open('calls', 'a') as calls:\n"
        "            calls.write('.')\n"
        "        while True:\n"
        "            pass\n"
        "    return 0\n"
    )
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    assert gaps_of(load_assignment(folder).stages[0]) == []
    # The reference writes a character in each call that does not end.
    assert len((folder / "calls").read_text()) == authored.MAX_TIMED_OUT_CALLS


def test_lines_are_distinguished_by_words_and_not_by_numbers():
    passages = screen_passages(["Player 1 has 2 3", "Player 2 has 4 5", "Player 1 wins.", "Hand 2", "Player 2 loses."])
    assert ScreenPassage("Player # has # #", times=2) in passages
    assert ScreenPassage("Player # has # #", "Player # wins.") in passages
    assert ScreenPassage("Player # has # #", times=1) not in passages


def test_the_results_of_two_hands_form_a_passage():
    push_twice, push_and_win = (screen_passages(["Push.", "Hand 7", result]) for result in ("Push.", "Won."))
    assert push_and_win - push_twice >= {ScreenPassage("Push.", "Won.")}


def test_words_that_vary_at_the_same_position_count_as_equal():
    draw_lines = [f"You draw a {word}" for word in ("two", "three", "four", "five", "six", "seven", "eight", "nine")]
    varying_words = coverage._varying_words([draw_lines, ["You draw a blank"]])
    assert {"two", "nine"} <= varying_words
    assert "draw" not in varying_words
    assert screen_passages(draw_lines[:1], varying_words) == screen_passages(draw_lines[1:2], varying_words)


def test_a_stage_without_a_seed_has_no_gaps():
    assert gaps_of(load_assignment(ROOT / "specs" / "csc101").stage("basic")) == []


def test_no_seeds_are_tried_with_an_input_file(write_throws, monkeypatch):
    folder = write_throws("  - {name: a file, input_file: seed.txt}\n")
    (folder / "seed.txt").write_text("1\ny\n")
    run_sessions = []
    expectation_of = coverage.expectation_of
    monkeypatch.setattr(
        coverage, "expectation_of", lambda session, run: run_sessions.append(session) or expectation_of(session, run)
    )
    assert gaps_of(load_assignment(folder).stages[0]) == []
    assert [session.seed for session in run_sessions] == [None]


def test_removing_a_seed_with_unique_output_makes_a_gap(tmp_path):
    """Only seed 632 of the stage play shows a hand of seven cards."""
    shutil.copytree(ROOT / "specs" / "blackjack", tmp_path / "blackjack")
    spec = tmp_path / "blackjack" / "play.yaml"
    text = spec.read_text()
    assert "[351..400, 632]" in text
    spec.write_text(text.replace("[351..400, 632]", "351..400"))
    (gap,) = gaps_of(load_assignment(tmp_path / "blackjack").stage("play"))
    assert (gap.seed, gap.passages) == (632, (ScreenPassage("| # | |", times=7),))
