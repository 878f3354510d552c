import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.builds import build_stage
from pitboss.checking.check import check, judge_program
from pitboss.compare.outcome import fault_result
from pitboss.compare.results import Verdict
from pitboss.machine import scratch
from pitboss.machine.pool import Pool
from pitboss.reports.finding_sentences import summary_of, unjudged_sentence
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.stage_files import find_source
from tests.conftest import ROOT

TOYS = ROOT / "tests" / "toy"
#: Two assignments. The program `gradebook` of the first reads and writes scores; it is no gradebook of pitboss.
GRADEBOOK, QUIZ = TOYS / "gradebook", TOYS / "quiz"
GRADEBOOK_C = (GRADEBOOK / "programs" / "right.c").read_text()
QUIZ_C = (QUIZ / "programs" / "right.c").read_text()


def job_of(toy, driver="watched", sandbox="landlock", only=()):
    """A job for the first stage of a toy assignment; `only` names the cases to run, by default all."""
    assignment = load_assignment(toy)
    return Job(assignment, assignment.stages[:1], find_conditions(driver, sandbox), assignment.name, only)


def check_program(toy, folder, *, driver="watched", sandbox="landlock", only=(), **programs):
    """Check a program, whose text is a keyword such as `quiz_c` for quiz.c; returns the stage's report."""
    for name, text in programs.items():
        (folder / name.replace("_", ".")).write_text(text)
    job = job_of(toy, driver, sandbox, only)
    with scratch.folder("build") as builds:
        source = find_source(folder, job.stages[0])
        return judge_program(job, job.stages[0], build_stage(job, source, f"{builds}/it").program, Pool())


DRIVERS_AND_SANDBOXES = [("watched", "none"), ("watched", "landlock"), ("watched", "bubblewrap"), ("expecting", "none")]
WITH_EACH_DRIVER_AND_SANDBOX = pytest.mark.parametrize(("driver", "sandbox"), DRIVERS_AND_SANDBOXES)


@WITH_EACH_DRIVER_AND_SANDBOX
def test_a_correct_gradebook_is_accepted(tmp_path, driver, sandbox):
    stage = check_program(GRADEBOOK, tmp_path, driver=driver, sandbox=sandbox, gradebook_c=GRADEBOOK_C)
    assert [summary_of(result) for result in stage.results] == [""] * 6
    assert stage.verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(
    ("program", "file"),
    [("right.py", "gradebook.py"), pytest.param("Right.java", "Gradebook.java", marks=pytest.mark.needs("Java"))],
)
def test_a_correct_gradebook_in_another_language_is_accepted(tmp_path, program, file):
    text = (GRADEBOOK / "programs" / program).read_text().replace("class Right", "class Gradebook")
    stage = check_program(GRADEBOOK, tmp_path, **{file.replace(".", "_"): text})
    assert [summary_of(result) for result in stage.results] == [""] * 6


#: Edits of the correct program (old, new), a case that they make wrong, and the summary of its session.
WRONG_GRADEBOOKS = {
    "another sum": (
        [("sum += value;", "sum += value + 1;")],
        "two scores",
        "In summary.txt, line 3, “sum 25”, has “25” where “21” is expected.",
    ),
    "no summary": (
        [('"summary.txt", "w"', '"sumary.txt", "w"')],
        "two scores",
        "After it ended there is no file summary.txt, which it should have written.",
    ),
    "scores are replaced": (
        [('"scores.txt", "a"', '"scores.txt", "w"')],
        "two scores",
        "Line 6, “1 scores”, has “1” where “4” is expected.",
    ),
    "no newline at the end of a file": (
        [("\\nsum %d\\n", "\\nsum %d")],
        "two scores",
        "In summary.txt, the last line, “sum 21”, does not end with a newline.",
    ),
    "much less in a file": (
        [("\\ncount %d\\nsum %d\\n", "\\n")],
        "two scores",
        "In summary.txt, the text ends at the start of line 2: “count 4” is expected next.",
    ),
    "an empty file": (
        [('fprintf(out, "%s\\ncount %d\\nsum %d\\n", argc > 1 ? argv[1] : "Summary", count, sum);', "")],
        "two scores",
        "In summary.txt, there is nothing; “Summary” is expected first.",
    ),
    "a link": (
        [('FILE *out = fopen("summary.txt", "w");', 'FILE *out = fopen("s", "w"); symlink("s", "summary.txt");')],
        "two scores",
        "summary.txt is a link to something else; it should be a file of its own.",
    ),
    "a file that cannot be read": (
        [("    return 0;\n}\n", '    chmod("summary.txt", 0);\n    return 0;\n}\n')],
        "two scores",
        "summary.txt cannot be read: its mode forbids it. Most often open was called without a mode (0644).",
    ),
    "a file that is too large": (
        [("    return 0;\n}\n", '    truncate("summary.txt", 1024 * 1024 + 1);\n    return 0;\n}\n')],
        "two scores",
        "summary.txt is larger than a session may show, most likely because a loop never stops writing.",
    ),
    "a file that is nearly too large": (
        [("    return 0;\n}\n", '    truncate("summary.txt", 1024 * 1024);\n    return 0;\n}\n')],
        "two scores",
        "In summary.txt, “" + "\\x00" * 14 + "…” is on line 4, where nothing more is expected.",
    ),
    "the title is left out": (
        [('argc > 1 ? argv[1] : "Summary"', '"Summary"')],
        "a title",
        "In summary.txt, line 1 is “Summary” where “Spring term” is expected.",
    ),
    "another error": (
        [("%s: no number", "%s: not a number")],
        "a score that is none at first",
        "On its standard error, line 1 is “ten: not a number” where “ten: no number” is expected.",
    ),
    "an error too many": (
        [('printf("%d scores\\n", count);', 'printf("%d scores\\n", count); fprintf(stderr, "done\\n");')],
        "two scores",
        "On its standard error, “done” is on line 1, where nothing more is expected.",
    ),
}


@pytest.mark.parametrize("name", WRONG_GRADEBOOKS)
def test_the_first_error_of_a_wrong_gradebook_is_named(tmp_path, name):
    edits, case, summary = WRONG_GRADEBOOKS[name]
    text = "#include <unistd.h>\n#include <sys/stat.h>\n" + GRADEBOOK_C
    for old, new in edits:
        assert old in text
        text = new.join(text.rsplit(old, 1))  # only the last occurrence
    (result,) = check_program(GRADEBOOK, tmp_path, only=(case,), gradebook_c=text).results
    assert result.verdict is Verdict.WRONG_ANSWER
    assert summary_of(result) == summary


def test_the_report_names_the_file_and_the_command_to_run_the_case_again(pitboss, tmp_path):
    (tmp_path / "gradebook.c").write_text(GRADEBOOK_C.replace("argv[1] :", '"Autumn" :'))
    completed = pitboss("check", "--assignment", GRADEBOOK, "--case", "a title", "--json", "out.json")
    assert """
gradebook
  case a title
  In summary.txt, line 1 is “Autumn” where “Spring term” is expected.
  It is started as: gradebook 'Spring term'

  summary.txt:
  expected │ Spring term
     yours │ Autumn
             ^^^^^^ line 1

""" in "\n".join(line.rstrip() for line in completed.out.splitlines())
    assert f"  again: pitboss check gradebook --assignment {GRADEBOOK} --case 'a title'" in completed.out
    (result,) = json.loads((tmp_path / "out.json").read_text())["results"]
    assert result["first_difference"] == {
        "line": 1,
        "column": 1,
        "in": "summary.txt",
        "expected": "Spring term\ncount 2\nsum 12\n",
        "actual": "Autumn\ncount 2\nsum 12\n",
    }
    assert result["actual"]["stderr"] == ""
    assert result["actual"]["files"] == [
        {"name": "scores.txt", "is": "a file", "content": "ada 7\nbob 5\n"},
        {"name": "summary.txt", "is": "a file", "content": "Autumn\ncount 2\nsum 12\n"},
    ]


def test_the_html_page_shows_the_wrong_file(pitboss, tmp_path):
    (tmp_path / "gradebook.c").write_text(GRADEBOOK_C.replace("argv[1] :", '"Autumn" :'))
    pitboss("check", "--assignment", GRADEBOOK, "--case", "a title", "--html", "out.html")
    page = (tmp_path / "out.html").read_text()
    assert '<p class="dim">summary.txt</p>' in page
    assert '<p class="dim">summary.txt: expected</p><pre tabindex="0">\nSpring term\ncount 2\nsum 12</pre>' in page


def test_a_crash_is_reported_instead_of_a_missing_file(tmp_path):
    stage = check_program(
        GRADEBOOK, tmp_path, gradebook_c=GRADEBOOK_C.replace("if (argc > 2)", "*(volatile int *)0 = 1; if (argc > 2)")
    )
    assert {result.verdict for result in stage.results} == {Verdict.RUN_TIME_ERROR}
    assert "summary.txt" not in "".join(summary_of(result) for result in stage.results)


def test_a_python_exception_is_reported_if_standard_error_is_separate(tmp_path):
    stage = check_program(GRADEBOOK, tmp_path, gradebook_py="raise ValueError('no')\n")
    assert summary_of(stage.results[0]).startswith(
        "It stopped with an error in line 1 of gradebook.py: ValueError: no."
    )


# Lines that are not judged


@WITH_EACH_DRIVER_AND_SANDBOX
def test_a_correct_quiz_may_print_anything_in_unjudged_lines(tmp_path, driver, sandbox):
    # The expecting driver types when the program is silent: in unjudged lines it takes a pause for a prompt.
    program = QUIZ_C.replace("    sleep(1);\n", "") if driver == "expecting" else QUIZ_C
    stage = check_program(QUIZ, tmp_path, driver=driver, sandbox=sandbox, quiz_c=program)
    assert [summary_of(result) for result in stage.results] == ["", ""]
    assert unjudged_sentence(stage) == "10 lines in 2 sessions were not judged, as the instructor says"


#: Edits of the correct program (old, new), and the summary of the first session.
WRONG_QUIZZES = {
    "a question that is not asked": (
        [("Question %d: %s? ", "%d: %s? ")],
        "It never shows a line such as “Question 1: one and one? ”, which is where judging begins.",
    ),
    "what is wrong after a line that is not judged": (
        [("of %d are right", "of %d were right")],
        "Line 10, “2 of 2 were right.”, has “were” where “are” is expected.",
    ),
    "a wrong line that looks like one that is not judged": (
        [('"%d of %d are right', '"Debug: %d of %d are right')],
        "The last line, “2 of 2 are right.”, is missing.",
    ),
    "nothing is read before the first question": (
        [("    fgets(line, 100, stdin);\n", "")],
        "On line 5 it shows “Question 1: one and one? ” where it should have read the line “”.",
    ),
}


@pytest.mark.parametrize("name", WRONG_QUIZZES)
def test_the_first_error_of_a_wrong_quiz_is_named(tmp_path, name):
    edits, summary = WRONG_QUIZZES[name]
    text = QUIZ_C
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    result = check_program(QUIZ, tmp_path, quiz_c=text).results[0]
    assert (result.verdict, summary_of(result)) == (Verdict.WRONG_ANSWER, summary)


def test_a_session_that_could_not_run_is_not_reported_as_too_short():
    job = job_of(QUIZ)
    result = fault_result(sessions_of(job.stages[0])[0], "no terminal", job)
    assert (result.verdict, result.difference) == (Verdict.JUDGE_ERROR, None)
    assert summary_of(result) == "This session could not be run, which is not the program's fault: no terminal"


def test_a_crash_before_the_first_judged_line_is_reported_as_a_crash(tmp_path):
    stage = check_program(QUIZ, tmp_path, quiz_c=QUIZ_C.replace("FILE *in =", "*(volatile int *)0 = 1; FILE *in ="))
    assert stage.results[0].verdict is Verdict.RUN_TIME_ERROR
    assert "never shows" not in summary_of(stage.results[0])


@pytest.mark.slow
def test_memory_misuse_is_located_with_arguments_and_files_of_the_case(tmp_path):
    text = GRADEBOOK_C.replace(
        "int count = 0, sum = 0, value;", "int count = 0, sum = 0, value; char *t = malloc(4);"
    ).replace("    while (ask(", "    if (argc > 1) strcpy(t, argv[1]);\n    while (ask(")
    (tmp_path / "gradebook.c").write_text(text.replace("argv[1] :", "t + 1 :"))
    (stage,) = check(job_of(GRADEBOOK), tmp_path, cores=1).stages
    assert (stage.crash_case, stage.crash) == (
        "a title",
        "In gradebook.c, line 25, “if (argc > 1) strcpy(t, argv[1]);”: it uses memory outside what malloc or new gave it.",
    )


def test_a_file_of_the_submission_replaces_the_file_of_the_assignment(tmp_path):
    (tmp_path / "questions.txt").write_text("the colour of snow|white\n")
    stage = check_program(QUIZ, tmp_path, quiz_c=QUIZ_C)
    generated = stage.results[1]
    assert generated.verdict is Verdict.ACCEPTED
    assert b"the colour of snow" in generated.expected.text


@pytest.mark.parametrize("hostile", ["link", "folder"])
def test_links_and_folders_of_a_submission_replace_no_file(tmp_path, hostile):
    if hostile == "link":
        (tmp_path / "questions.txt").symlink_to("/etc/passwd")
    else:
        (tmp_path / "questions.txt").mkdir()
    assert check_program(QUIZ, tmp_path, quiz_c=QUIZ_C).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("greeting", ["Servus!", "Hello, hello: what a day"])
def test_any_single_line_is_accepted_as_a_greeting(pitboss, tmp_path, greeting):
    (tmp_path / "bye.c").write_text((QUIZ / "programs" / "bye.c").read_text().replace("Servus!", greeting))
    assert pitboss("check", "bye", "--assignment", QUIZ, "--all").code == 0


@pytest.mark.parametrize(
    ("greeting", "summary"),
    [
        ("", "Line 1 is empty where “A greeting of your own” is expected."),
        ("Servus!\\nHello!", "There is a line too many: “Hello!” (line 2)."),
    ],
)
def test_an_empty_line_or_two_lines_are_rejected_as_a_greeting(pitboss, tmp_path, greeting, summary):
    (tmp_path / "bye.c").write_text((QUIZ / "programs" / "bye.c").read_text().replace("Servus!", greeting))
    assert f"  {summary}" in pitboss("check", "bye", "--assignment", QUIZ, "--all").out


# The other commands


@pytest.mark.parametrize("toy", [GRADEBOOK, QUIZ], ids=lambda toy: toy.name)
def test_verify_accepts_the_toy_assignments(pitboss, toy):
    completed = pitboss("verify", "--assignment", toy)
    assert (completed.code, completed.err) == (0, "")


def test_verify_finds_an_expected_file_that_differs_from_the_one_the_reference_writes(pitboss, tmp_path):
    shutil.copytree(GRADEBOOK, tmp_path / "gradebook")
    spec = tmp_path / "gradebook" / "gradebook.yaml"
    spec.write_text(spec.read_text().replace("sum 21", "sum 22"))
    completed = pitboss("verify", "--assignment", "./gradebook")
    assert completed.code != 0
    assert (
        "gradebook/gradebook.yaml:3: summary.txt of 'two scores' is not what the reference writes now" in completed.out
    )


def test_verify_finds_a_pattern_that_leaves_nothing_to_judge(pitboss, tmp_path):
    shutil.copytree(QUIZ, tmp_path / "quiz")
    assignment_file = tmp_path / "quiz" / "assignment.yaml"
    assignment_file.write_text(assignment_file.read_text().replace('"^Question 1"', '"^Question 7"'))
    completed = pitboss("verify", "quiz", "--assignment", "./quiz")
    assert (
        "quiz/quiz.yaml:3: the reference never shows a line with '^Question 7', where judging begins — correct "
        '`judged_from`, or write `compare: {judged_from: ""}` in this case' in completed.out
    )


def test_record_ignores_changes_in_unjudged_lines(pitboss, tmp_path):
    shutil.copytree(QUIZ, tmp_path / "quiz")
    # In its unjudged lines the reference prints the date, which in the recorded case is one of 2001.
    completed = pitboss("record", "--assignment", "./quiz")
    assert completed.out == "all 2 recorded cases match the reference\n"


def test_play_passes_arguments_and_files_and_prints_the_written_files():
    completed = subprocess.run(
        [sys.executable, "-m", "pitboss", "play", "gradebook", "--assignment", GRADEBOOK, "--", "My title"],
        input="zoe\n1\n\n",
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "harness")},
        timeout=60,
        check=False,
    )
    assert (completed.returncode, completed.stdout) == (0, "Name: Score: Name: 3 scores\n")
    assert completed.stderr == (
        "pitboss: the reference wrote scores.txt:\nada 7\nbob 5\nzoe 1\n"
        "pitboss: the reference wrote summary.txt:\nMy title\ncount 3\nsum 13\n"
    )


def test_play_refuses_arguments_if_no_case_has_any(pitboss):
    completed = pitboss("play", "quiz", "--assignment", QUIZ, "--", "x")
    assert (completed.code, completed.err) == (
        2,
        "pitboss: quiz: no case of this stage has arguments, so its reference takes no arguments\n",
    )


@pytest.mark.slow
def test_hunt_runs_the_program_with_the_files_of_the_stage(pitboss, tmp_path):
    (tmp_path / "gradebook.c").write_text(GRADEBOOK_C.replace("sum += value", "sum += value > 9 ? 9 : value"))
    completed = pitboss("hunt", "gradebook", "--assignment", GRADEBOOK, "--seconds", "3")
    assert re.search(
        r"  In summary\.txt, line 3, “sum [0-9]+”, has “[0-9]+” where “[0-9]+” is expected\.\n", completed.out
    )


def test_hunt_needs_a_case_without_its_own_arguments_or_files(pitboss, tmp_path):
    shutil.copytree(GRADEBOOK, tmp_path / "book")
    (tmp_path / "book" / "gradebook.yaml").write_text(
        "program: gradebook\ncases: [{name: one, arguments: [x], answers: ['']}, {name: two, files: {a: b}, answers: ['']}]\n"
    )
    (tmp_path / "gradebook.c").write_text(GRADEBOOK_C)
    completed = pitboss("hunt", "gradebook", "--assignment", "./book", "--seconds", "1")
    assert completed.code == 2
    assert completed.err == (
        "pitboss: book/gradebook.yaml: each case of gradebook has its own arguments or files — hunt uses the stage's "
        "arguments and files, so it needs a case that uses them too\n"
    )


def test_a_kit_has_the_files_and_its_handout_describes_them(pitboss, tmp_path):
    completed = pitboss("starter", GRADEBOOK, "--language", "c", "--into", "kit")
    assert completed.code == 0, completed.err
    assert (tmp_path / "kit" / "scores.txt").read_text() == "ada 7\nbob 5\n"
    handout = (tmp_path / "kit" / "HANDOUT.md").read_text()
    for sentence in (
        "- It is started with arguments, such as `gradebook 'Spring term'`.",
        "- It finds `scores.txt` in the folder where it runs.",
        "- It writes `scores.txt` and `summary.txt` in the folder where it runs; the content is compared, too.",
        "- What it writes to its standard error is compared separately from its output.",
        "### a title (gradebook 'Spring term')",
    ):
        assert sentence in handout


# As an ordinary user


@pytest.mark.slow
@pytest.mark.needs("root")
@pytest.mark.parametrize(
    "sandbox", ["none", "landlock", pytest.param("bubblewrap", marks=pytest.mark.needs("bubblewrap"))]
)
@pytest.mark.parametrize("driver", ["watched", "expecting"])
def test_an_ordinary_user_gets_the_same_report_as_root(command_as, reachable, driver, sandbox):
    reachable.chmod(0o777)
    (reachable / "gradebook.c").write_text(GRADEBOOK_C.replace('"Summary"', '"Total"'))
    outputs = []
    for user in ("root", "an ordinary user"):
        command = command_as(user)
        completed = subprocess.run(
            [
                *command.argv,
                "check",
                reachable,
                "--assignment",
                GRADEBOOK,
                "--driver",
                driver,
                "--sandbox",
                sandbox,
                "-j1",
            ],
            env=command.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert completed.returncode == 1, completed.stderr
        outputs.append(completed.stdout.partition("\nsessions: ")[0])
    assert "gradebook  wrong answer  2 of 6" in outputs[0]
    assert "In summary.txt, line 1 is “Total” where “Summary” is expected." in outputs[0]
    assert outputs[0] == outputs[1]
