from itertools import count

import msgspec
import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.checkers import Rejection, rejection_of
from pitboss.compare.outcome import judged_result
from pitboss.compare.results import Verdict
from pitboss.errors import AssignmentError, SpecError
from pitboss.model.comparison_policy import Checker
from pitboss.model.notation import events_in
from pitboss.model.transcript import EndingKind, FileKind, Transcript, WrittenFile, exited
from pitboss.reports.conversation import difference_lines
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.screen import screen_difference

EXPECTED = Transcript(events_in("How many? <<2>>\n1 2\n"))
COMMAND = """import json, sys
session = json.load(sys.stdin)
{}
"""


@pytest.fixture
def checker(tmp_path):
    """A factory that makes a checker from the body of a `check` function, or of a script."""
    numbers = count()

    def make_checker(body, *, is_command=False):
        if is_command:
            (tmp_path / "check.py").write_text(COMMAND.format(body))
            return Checker(command=("/usr/bin/env", "python3", str(tmp_path / "check.py")))
        module = f"own{next(numbers)}"
        (tmp_path / f"{module}.py").write_text(f"def check(session):\n    {body}\n")
        return Checker(function=f"{tmp_path}:{module}:check")

    return make_checker


def rejection_by(checker, text="How many? <<2>>\n3 3\n", **details):
    """The rejection of a session with this screen, or None; `details` are fields of its transcript."""
    return rejection_of(EXPECTED, Transcript(events_in(text), **details), checker)


@pytest.mark.parametrize(
    ("body", "rejection"),
    [
        ("return None", None),
        ("return True", None),
        ("return False", Rejection("")),
        ("return 'Not  so\\n.'", Rejection("Not so .")),
        ("return 2, 'Not so.'", Rejection("Not so.", 2)),
        ("return session.shown.text", Rejection("How many? 3 3")),
        ("return session.shown.lines[0]", Rejection("How many? 2")),
        ("return session.shown.line(2) + session.shown.line(0) + session.shown.line(9)", Rejection("3 3")),
        ("return session.expected.line(2)", Rejection("1 2")),
        ("return '+'.join(session.typed)", Rejection("2")),
        ("return session.shown.files['a.txt'] + session.shown.errors", Rejection("A!")),
        ("return str(session.shown.exit_code)", Rejection("3")),
    ],
)
def test_a_checker_function_gets_the_session_and_returns_a_rejection(checker, body, rejection):
    written = (WrittenFile("a.txt", FileKind.REGULAR, b"A"), WrittenFile("b.txt", FileKind.MISSING))
    assert rejection_by(checker(body), ending=exited(3), written=written, errors=b"!") == rejection


@pytest.mark.parametrize(
    ("body", "rejection"),
    [
        ("", None),
        ("print('2: Not so.'); sys.exit(1)", Rejection("Not so.", 2)),
        ("print('Time 12: late'); sys.exit(1)", Rejection("Time 12: late")),
        ("sys.exit(1)", Rejection("")),
        ("print(session['shown']['lines'][1], session['typed'][0]); sys.exit(1)", Rejection("3 3 2")),
        ("print(session['expected']['exit_code']); sys.exit(1)", Rejection("0")),
    ],
)
def test_a_checker_command_gets_the_session_and_prints_a_rejection(checker, body, rejection):
    assert rejection_by(checker(body, is_command=True)) == rejection


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            "return 1",
            "returned 1 — it must return None or True if the session is right, else False, a sentence, or a line number",
        ),
        ("return (True, 'x')", "returned (True, 'x') — it must return"),
        ("return (1, 2)", "returned (1, 2) — it must return"),
        ("return (9, 'x')", "named line 9 of a session with 2 lines"),
        ("return (0, 'x')", "named line 0 of a session with 2 lines"),
        ("return session.shown.lines[7]", "IndexError: tuple index out of range"),
        ("raise SystemExit(0)", "called sys.exit(0) — it has to return"),
    ],
)
def test_an_error_in_a_checker_function_is_an_error_of_the_assignment(checker, body, problem):
    with pytest.raises(AssignmentError) as caught:
        rejection_by(checker(body))
    assert problem in str(caught.value)
    assert "the checker 'own0:check'" in str(caught.value)


def test_a_failing_or_missing_checker_is_an_error_of_the_assignment(checker, tmp_path):
    with pytest.raises(AssignmentError, match="the checker /usr/bin/env ended with exit code 3: no such thing"):
        rejection_by(checker("print('no such thing', file=sys.stderr); sys.exit(3)", is_command=True))
    with pytest.raises(
        AssignmentError, match="the checker /nowhere/check cannot be started: No such file or directory"
    ):
        rejection_by(Checker(command=("/nowhere/check",)))
    (tmp_path / "own.py").touch()
    with pytest.raises(SpecError, match="module 'own' has no function 'chek'"):
        rejection_by(Checker(function=f"{tmp_path}:own:chek"))


def test_a_checker_replaces_the_comparison_of_output(toy, checker):
    (session, *_) = sessions_of(toy.stages[0])

    def judge(body, text, **details):
        policy = msgspec.structs.replace(session.case.policy, checker=checker(body))
        return judged_result(session, EXPECTED, Transcript(events_in(text), **details), "toy", policy)

    assert judge("return None", "Anything\n").verdict is Verdict.ACCEPTED
    rejected = judge("return 2, 'no number may come twice'", "How many? <<2>>\n3 3\nBye\n")
    assert rejected.verdict is Verdict.WRONG_ANSWER
    assert summary_of(rejected) == "Line 2, “3 3”: no number may come twice."
    assert [line.plain.rstrip() for line in difference_lines(screen_difference(rejected.difference), 60)] == [
        "       1 │ How many? 2",
        "   yours │ 3 3",
        "           ^^^ line 2",
    ]
    assert judge("return None", "Anything\n", ending=exited(1)).verdict is Verdict.RUN_TIME_ERROR


def test_a_checker_runs_where_any_nonzero_exit_code_is_expected(toy, checker):
    (session, *_) = sessions_of(toy.stages[0])
    expected = msgspec.structs.replace(EXPECTED, ending=exited("nonzero"))
    policy = msgspec.structs.replace(session.case.policy, checker=checker("return 'no'"))
    result = judged_result(session, expected, Transcript(events_in("a\n"), exited(3)), "toy", policy)
    assert (result.verdict, summary_of(result)) == (Verdict.WRONG_ANSWER, "no.")


def test_a_failing_checker_gives_a_judge_error(toy, checker):
    (session, *_) = sessions_of(toy.stages[0])
    policy = msgspec.structs.replace(session.case.policy, checker=checker("return session.nothing"))
    result = judged_result(session, EXPECTED, EXPECTED, "toy", policy)
    assert (result.verdict, result.actual.ending.kind) == (Verdict.JUDGE_ERROR, EndingKind.FAULT)


ASSIGNMENT = """title: Sampling
seeded: no
{}stages:
  - name: sample
    reference: own:main
{}"""
CHECKERS_MODULE = """def main(console):
    console.write(console.read_line() + "\\n")

def check(session):
    if session.shown.text != "a\\n":
        return 1, "it is not a"

def other(session):
    pass
"""


def write_assignment(folder, top="", stage="", case=""):
    """Writes an assignment with these lines added to its top, its stage and its case; returns its folder."""
    (folder / "assignment.yaml").write_text(ASSIGNMENT.format(top, stage))
    (folder / "own.py").write_text(CHECKERS_MODULE)
    (folder / "sample.yaml").write_text(f"program: sample\ncases:\n  - name: one\n    answers: [b]\n{case}")
    return folder


@pytest.mark.parametrize(
    ("top", "stage", "case", "name"),
    [
        ("checker: own:check\n", "", "", "check"),
        ("checker: own:check\n", "    checker: own:other\n", "", "other"),
        ("", "    checker: own:check\n", "    checker: own:other\n", "other"),
    ],
)
def test_the_innermost_checker_of_assignment_stage_and_case_applies(tmp_path, top, stage, case, name):
    loaded = load_assignment(write_assignment(tmp_path, top, stage, case))
    (loaded_case,) = loaded.stages[0].spec.cases
    assert loaded_case.policy.checker == Checker(function=f"{tmp_path}:own:{name}")
    assert f"{tmp_path}:own:{name}" in loaded.functions


def test_a_checker_command_is_looked_up_in_the_assignment_folder(tmp_path):
    (tmp_path / "check.py").touch()
    loaded = load_assignment(write_assignment(tmp_path, stage="    checker: {command: [python3, ./check.py]}\n"))
    assert loaded.stages[0].policy.checker == Checker(command=("python3", str(tmp_path / "check.py")))


@pytest.mark.parametrize(
    ("stage", "case", "position"),
    [("    checker: own:check\n", "", "assignment.yaml:8"), ("", "    checker: own:check\n", "sample.yaml:3")],
)
def test_a_stage_cannot_have_both_a_reader_and_a_checker(tmp_path, stage, case, position):
    with pytest.raises(SpecError) as caught:
        load_assignment(write_assignment(tmp_path, "draws: {values: [a, b]}\n", f"    reader: own:read\n{stage}", case))
    assert str(caught.value) == (
        f"{tmp_path}/{position}: the stage has a reader and a checker — draws are read back by comparing "
        "with the reference, so the stage can have only one of them"
    )


def test_verify_runs_the_checker_on_the_reference(tmp_path, pitboss):
    verification = pitboss("verify", "-a", write_assignment(tmp_path, stage="    checker: own:check\n"))
    assert verification.code == 1
    assert (
        f"{tmp_path}/sample.yaml:3: the checker rejects line 1 of what is expected in 'one': it is not a"
        in verification.out + verification.err
    )
    assert pitboss("verify", "-a", write_assignment(tmp_path, stage="    checker: own:other\n")).code == 0
