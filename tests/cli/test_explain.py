import os
import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.main import exit_code_of
from pitboss.kits.walkthrough import walkthrough_of
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical
from pitboss.reports.conversation import AppliedRule, StepByStep, Walkthrough, steps_of
from pitboss.reports.report import as_text
from pitboss.unseeded.reader import screen_of
from tests.conftest import ROOT

HELLO = ROOT / "tests" / "toy" / "hello"
SPECS = ROOT / "specs"

GOODBYE = f"""\
Hello: goodbye, once

  This is what is expected, step by step, as it was recorded.
  Every character and every pause counts.
  · is a blank at the end of a line.

  1  It shows this, and then reads a line:
       1 │ Number?·
     typed: 7

  2  It shows this, and then pauses for 2 s:
       2 │ Hello, world 7!

  3  It shows this, and then ends:
       3 │ Bye.
     Its exit code is 0.

  check your program in this session: pitboss check goodbye --assignment {shlex.quote(str(HELLO))} --case once
  play the reference yourself: pitboss play goodbye --assignment {shlex.quote(str(HELLO))}
"""
TOURNAMENT = """\
Blackjack tournament, double your 100€: minimum, all in, below 17 #1

  This is what the reference does, step by step.
  It is one example: the program draws again each time, so yours will show other
  draws, and what follows from them.
  Every character counts; pauses and empty lines do not, and some texts may be
  worded otherwise, as the handout says.
  This is one of the 4 sessions of the case. The player “all in, below 17”
  types, reacting to what is on the screen.
  · is a blank at the end of a line.

  1  It shows this, and then reads a line:
     Until it reads the next line it draws, in this order: 2
       1 │ *** WELCOME TO BLACKJACK ***
       2 │
       3 │ You have 100€ in your pocket. Try to double it!
       4 │
       5 │ You will lose if you have no money left
       6 │
       7 │
       8 │ *** ROUND 1, you have 100€ left.
       9 │
      10 │ You have 2, hand value is 2.
      11 │
      12 │ How much do you want to bet? Bet must be >= 10€ and <= 100€. Press Enter for minimal bet.·
     typed: 100

  2  It shows this, and then reads a line:
     Until it reads the next line it draws, in this order: Queen
      13 │ You have Queen, hand value is 12. Do you want another card? (y/n)·
     typed: y

  3  It shows this, and then ends:
     Until its end it draws, in this order: 10
      14 │ You have 10, hand value is 22. You busted!
      15 │ You are broke, you lost!
     rule “player busts” applies (line 14): With more than 21 the bet is lost at
     once, and the dealer does not play.
     rule “broke” applies (line 15): With less than 10€ left the player has
     lost, and the program ends.
     Its exit code is 0.

  A check runs other sessions of this kind, with other draws.
  play the reference yourself: pitboss play minimum --assignment tournament
"""
CASE_LIST = f"""\
Hello. The cases that can be explained:

hello: say hello to a number
  once
  a hundred times

goodbye: say hello, and goodbye two seconds later
  once
  a hundred times

For example: pitboss explain hello once --assignment {shlex.quote(str(HELLO))}
"""


@pytest.fixture
def run_explain(capsys, monkeypatch, tmp_path):
    """A function that runs `pitboss explain`.

    It returns the exit code, the output without blanks at the ends of lines, and standard error.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words):
        code = exit_code_of(["explain", *words])
        out, err = capsys.readouterr()
        return code, re.sub(" +$", "", out, flags=re.MULTILINE), err

    return run


def test_a_recorded_session_is_explained_step_by_step(run_explain):
    assert run_explain("goodbye", "once", "-a", str(HELLO)) == (0, GOODBYE, "")
    assert run_explain("goodbye", "--case", "once", "-a", str(HELLO)) == (0, GOODBYE, "")


def test_an_unseeded_session_is_explained_with_draws_and_rules(run_explain):
    assert run_explain("minimum", "all in, below 17", "-a", "tournament") == (0, TOURNAMENT, "")


def test_without_a_case_the_cases_are_listed(run_explain):
    assert run_explain("-a", str(HELLO)) == (0, CASE_LIST, "")


def test_the_topics_of_a_case_are_listed(run_explain):
    code, out, _ = run_explain("play", "player busts")
    sentence = "The case is about: player busts; dealer stands after a bust; hole card shown\n  after a bust."
    assert code == 0 and sentence in out


def test_a_session_can_be_given_by_seed_and_answers(run_explain):
    _, seed_output, _ = run_explain("play", "--seed", "3", "--answers", "h", "-a", "blackjack")
    _, case_output, _ = run_explain("play", "player busts", "-a", "blackjack")
    seed_lines, case_lines = (
        re.findall(r"^ +\d+ │.*|^     typed.*", output, re.MULTILINE) for output in (seed_output, case_output)
    )
    assert seed_lines == case_lines
    assert len(seed_lines) == 23  # the lines on the screen, and those that are typed
    assert "pitboss check play --assignment blackjack --seed 3 --answers h\n" in seed_output
    assert run_explain("hello", "a hundred times, seed 7", "-a", str(HELLO))[1].count("typed: 7") == 1


#: Refused arguments, and what is said of them.
REFUSED = {
    "play 'player bust' -a blackjack": "play has no case 'player bust'; did you mean 'player busts'? — pitboss "
    "explain play lists its cases",
    f"once -a {HELLO}": "once: hello and goodbye have a case of this name; name the stage, as in pitboss explain "
    "hello once",
    "plya 'player busts' -a blackjack": "blackjack has no stage 'plya' — its stages are shuffle, deal, play, "
    "betting, errors, extra; did you mean 'play'?",
    "play player busts": "too many arguments: give a stage and a case, in quotes if it has blanks, as in pitboss "
    "explain STAGE 'CASE'",
    "play --case 'player busts' --seed 3 -a blackjack": "a case cannot be combined with --seed, --answers or "
    "--player: give one or the other",
    f"--seed 3 -a {HELLO}": "--seed, --answers and --player need a stage: name one of hello, goodbye",
    "minimum --seed 3 -a tournament": "--seed: tournament is not seeded; give only --answers or --player",
    "minimum --answers x, -a tournament": "'the requested session' does not end: the reference asked for more "
    "than 2000 lines. The last of its answers is typed again and again: 'x' at “…t must be >= 10€ and <= 100€. Press "
    "Enter for minimal bet. ” — give answers that end the session, or <eof> as the last answer",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_contradictory_or_unknown_arguments_are_refused(run_explain, arguments):
    assert run_explain(*shlex.split(arguments)) == (2, "", f"pitboss: {REFUSED[arguments]}\n")


def test_hidden_cases_are_explained_only_with_hidden(run_explain, tmp_path):
    folder = tmp_path / "hello"
    folder.mkdir()
    for path in HELLO.glob("*.*"):
        (folder / path.name).write_text(path.read_text().replace("name: once", "name: once\n    visibility: hidden"))
    words = ("hello", "once", "-a", str(folder))
    _, out, err = run_explain(*words)
    assert out == "" and err == "pitboss: hello has no case 'once' — pitboss explain hello lists its cases\n"
    assert "once" not in run_explain("hello", "-a", str(folder))[1].replace("pitboss explain hello", "")
    code, out, _ = run_explain(*words, "--hidden")
    assert code == 0 and "--case once --hidden" in out


def events_of_walkthrough(walkthrough):
    """Rebuild the screen of a session from the numbered lines of its walkthrough, as a single Shown event in a list."""
    screen, line_number = {}, 1
    for number, step in enumerate(walkthrough.steps):
        for offset, line in enumerate(step.lines):
            line_number = step.first_number + offset
            # A line is repeated only where the step goes on in the last line of the step before it.
            assert (line_number in screen) == (step.continues_line and offset == 0)
            screen[line_number] = screen.get(line_number, "") + line
        if isinstance(step.next_event, Typed):
            line_number = walkthrough.steps[number + 1].first_number - 1
            screen[line_number] = screen.get(line_number, "") + step.next_event.line.decode()
    text = "\n".join(screen.get(number, "") for number in range(1, line_number + 1))
    last_newline = "" if "No newline" in walkthrough.ending else "\n"
    return [Shown(f"{text}{last_newline}".encode())]


@pytest.mark.parametrize("name", sorted(os.listdir(SPECS)))
def test_all_bundled_cases_are_explained_with_the_rules_that_apply(name):
    assignment = load_assignment(SPECS / name)
    for stage in assignment.stages:
        first_sessions = {}
        for session in all_sessions_of(stage):
            first_sessions.setdefault(session.case.name, session)
        for session in first_sessions.values():
            walkthrough = walkthrough_of(assignment, session, name)
            numbers = {step.first_number + offset for step in walkthrough.steps for offset, _ in enumerate(step.lines)}
            rules = [rule for step in walkthrough.steps for rule in step.rules]
            assert all({rule.first_line, rule.last_line} <= numbers for rule in rules)
            text = screen_of(events_of_walkthrough(walkthrough))
            for rule in stage.rules:
                expected_lines = [
                    1 + text.count("\n", 0, match.start()) for match in re.finditer(rule.pattern, text, re.MULTILINE)
                ]
                assert [applied.first_line for applied in rules if applied.name == rule.name] == expected_lines
            as_text(StepByStep(walkthrough))


EVENTS = st.lists(
    st.one_of(
        st.text("ab \n", max_size=6).map(lambda text: Shown(text.encode())),
        st.text("xy", max_size=2).map(lambda line: Typed(line.encode())),
        st.integers(1, 5000).map(Paused),
        st.just(InputEnded()),
    ),
    max_size=12,
)


@given(EVENTS)
def test_steps_contain_the_whole_session_with_its_line_numbers(events):
    events = canonical(events)
    steps = steps_of(events)
    output = screen_of(events_of_walkthrough(Walkthrough("", (), steps, "")))
    assert output.rstrip("\n") == screen_of(events).rstrip("\n")
    assert [step.next_event for step in steps] == [*(event for event in events if not isinstance(event, Shown)), None]


def test_a_missing_newline_at_the_end_is_explained(run_explain, tmp_path):
    (tmp_path / "assignment.yaml").write_text(
        "title: Ask\nstages: [{name: ask, title: ask, reference: {command: [/bin/true]}}]\n"
    )
    (tmp_path / "ask.yaml").write_text('program: ask\ncases:\n  - {name: once, transcript: "Bye.<no-eol>"}\n')
    _, out, err = run_explain("ask", "once", "-a", str(tmp_path))
    assert "     Its exit code is 0. No newline ends its last line.\n" in out, err


def test_after_a_pause_within_a_line_the_next_step_continues_the_line():
    steps = steps_of(
        (Shown(b"Wait"), Paused(1500), Shown(b"...\nend\n")), rules=[AppliedRule("ends", 2, 2, "It ends.")]
    )
    output = Walkthrough("Title", (), steps, "Its exit code is 3.", files=(("out.txt", "one\ntwo"),))
    assert as_text(StepByStep(output)) == (
        "Title\n\n\n"
        "  1  It shows this, and then pauses for 1.5 s:\n"
        "       1 │ Wait\n\n"
        "  2  It shows this, and then ends:\n"
        "       1 │…...\n"
        "       2 │ end\n"
        "     rule “ends” applies (line 2): It ends.\n"
        "     Its exit code is 3.\n\n"
        "  Afterwards out.txt contains:\n"
        "     │ one\n"
        "     │ two\n"
    )


def test_without_a_reference_no_play_command_is_printed(run_explain, tmp_path):
    (tmp_path / "assignment.yaml").write_text("title: Ask\nbundle: yes\nseeded: no\nstages: [{name: ask}]\n")
    (tmp_path / "ask.yaml").write_text('program: ask\ncases:\n  - {name: once, transcript: "Bye.\\n"}\n')
    assert run_explain("ask", "once", "-a", str(tmp_path)) == (
        0,
        "Ask: ask, once\n\n"
        "  This is what is expected, step by step, as it was recorded.\n"
        "  Every character counts.\n\n"
        "  1  It shows this, and then ends:\n"
        "       1 │ Bye.\n"
        "     Its exit code is 0.\n\n"
        f"  check your program in this session: pitboss check ask --assignment {tmp_path} --case once\n",
        "",
    )


@pytest.mark.parametrize(
    ("answers", "times"), [("a,", "3 times"), ("a,b", "2 times"), ("a,b,c", ""), ("a,b,c,d", "")], ids=str
)
def test_repetitions_of_the_last_answer_are_counted(run_explain, tmp_path, answers, times):
    (tmp_path / "three.py").write_text("def three(console):\n    for _ in range(3):\n        console.read_line()\n")
    (tmp_path / "assignment.yaml").write_text(
        "title: Three\nseeded: no\nstages: [{name: three, title: three, reference: three:three}]\n"
    )
    (tmp_path / "three.yaml").write_text("program: three\ncases: [{name: all, answers: [x]}]\n")
    code, out, err = run_explain("three", "--answers", answers, "-a", str(tmp_path))
    sentence = f"The last answer is typed {times}, until the program stops reading.\n"
    assert (code, err) == (0, "")
    if times:
        assert f"  {sentence}" in out
    else:
        assert "The last" not in out
