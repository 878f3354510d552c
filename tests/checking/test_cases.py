import json

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job

ASSIGNMENT = "title: A tool\nseeded: no\nstages:\n  - name: tool\n    reference: {command: [./right.sh]}\n"
SHELL = "#!/bin/sh\n"


@pytest.fixture
def tool(pitboss, tmp_path):
    """A function that checks one shell script against another, the reference, in these cases.

    `more_keys` are lines to add to assignment.yaml: keys of the stage, indented by four, or keys of the assignment. The
    attribute `run` calls any command of pitboss, `write` only writes the assignment, and `folder` is the assignment's;
    `bundle` exports it and returns the text of the bundled spec and the output of a check of the program against it;
    `handout` returns the text of the handout in one line, and `page` the page of a student with a program.
    """
    folder = tmp_path / "specs" / "tool"
    folder.mkdir(parents=True)

    def write(reference, cases, more_keys=""):
        (folder / "assignment.yaml").write_text(ASSIGNMENT + more_keys)
        (folder / "tool.yaml").write_text("program: tool\ncases:\n" + cases)
        (folder / "right.sh").write_text(SHELL + reference)
        (folder / "right.sh").chmod(0o755)

    def check_program(program, reference, cases, *options, more_keys=""):
        write(reference, cases, more_keys)
        (tmp_path / "tool.sh").write_text(SHELL + program)
        return pitboss("check", "tool.sh", "tool", *options)

    def bundle(program="tool.sh"):
        assert pitboss("export", "tool", "--into", "bundle").code == 0
        (spec,) = (tmp_path / "bundle").rglob("tool.yaml")
        return spec.read_text(), pitboss("check", program, "tool", PITBOSS_SPECS=str(spec.parent.parent)).out

    def handout():
        assert pitboss("starter", "tool", "--language", "python", "--into", "kit").code == 0
        return " ".join((tmp_path / "kit" / "HANDOUT.md").read_text().split())

    def page(program):
        (tmp_path / "class" / "ada").mkdir(parents=True)
        (tmp_path / "class" / "ada" / "tool.sh").write_text(SHELL + program)
        pitboss("grade", "class", "-a", "tool", "--html", "pages")
        return (tmp_path / "pages" / "ada.html").read_text()

    check_program.run, check_program.write, check_program.folder = pitboss, write, folder
    check_program.bundle, check_program.handout, check_program.page = bundle, handout, page
    return check_program


def with_reference_function(tool, text):
    (tool.folder / "own.py").write_text(text)
    assignment = tool.folder / "assignment.yaml"
    assignment.write_text(assignment.read_text().replace("{command: [./right.sh]}", '"own:main"'))


CASES_WITH_HINT = "  - {name: greets, answers: [], hint: How do you greet?}\n  - {name: again, answers: []}\n"


def test_the_hint_of_a_failed_case_is_shown_wherever_the_failure_is(tool, tmp_path):
    completed = tool("echo Hallo\n", "echo Hello\n", CASES_WITH_HINT, "--json", "report.json")
    message = "  Line 1 is “Hallo” where “Hello” is expected.\n  hint: How do you greet?\n"
    assert message in completed.out
    hints = [result.get("hint") for result in json.loads((tmp_path / "report.json").read_text())["results"]]
    assert hints == ["How do you greet?", None]
    assert "<p>Hint: How do you greet?</p>" in tool.page("echo Hallo\n")
    completed = tool.run("check", "class/ada", "-a", "tool", "--github")
    assert "“Hello” is expected. Hint: How do you greet?" in completed.out + completed.err
    assert 'hint: "How do you greet?"' in tool.bundle()[0]
    assert "How do you greet?" not in tool("echo Hello\n", "echo Hello\n", CASES_WITH_HINT).out


def test_the_hint_of_a_hidden_case_is_not_shown_to_students(tool):
    hidden = CASES_WITH_HINT.replace("hint:", "visibility: hidden, hint:")
    assert "hint" not in tool("echo Hallo\n", "echo Hello\n", hidden).out
    assert "hint: How do you greet?" in tool("echo Hallo\n", "echo Hello\n", hidden, "--hidden").out
    assert "How do you greet?" not in tool.page("echo Hallo\n")


NONZERO_CASE = "  - {name: fails, answers: [], exit: nonzero}\n"


@pytest.mark.parametrize("expectation", ["answers: []", 'transcript: "no\\n"'], ids=["generated", "recorded"])
def test_exit_nonzero_accepts_any_exit_code_but_0(tool, expectation):
    cases = NONZERO_CASE.replace("answers: []", expectation)
    for program, lines in (
        ("echo no\nexit 7\n", ("  tool  accepted  1 of 1\n",)),
        (
            "echo no\n",
            (
                "  tool  wrong answer  0 of 1\n",
                "  It ended with exit code 0; a code other than 0 is expected.\n\n  │ no\n\n  again: ",
            ),
        ),
        ("echo no\nkill -SEGV $$\n", ("  tool  run time error  0 of 1\n",)),
        ("echo yes\nexit 7\n", ("  Line 1 is “yes” where “no” is expected.\n",)),
    ):
        output = tool(program, "echo no\nexit 2\n", cases).out
        assert [line for line in lines if line not in output] == []


def test_a_reference_ending_with_0_in_a_nonzero_case_is_reported(tool):
    completed = tool("echo no\nexit 7\n", "echo no\n", NONZERO_CASE)
    message = (
        "the reference ended with exit code 0 and printed “no”; the case expects nonzero — "
        "fix the reference, or write `exit: 0`"
    )
    assert message in " ".join(completed.out.split())
    assert tool.run("verify", "tool").out == f"specs/tool/tool.yaml:3: {message}\n"


def test_json_explain_and_bundle_say_that_any_nonzero_exit_code_passes(tool, tmp_path):
    tool("echo no\n", "echo no\nexit 2\n", NONZERO_CASE, "--json", "report.json")
    (result,) = json.loads((tmp_path / "report.json").read_text())["results"]
    assert (result["expected"]["ending"], result["actual"]["ending"]) == ("exited with any code but 0", "exited with 0")
    assert "Its exit code may be any number but 0." in tool.run("explain", "tool", "fails").out
    (tmp_path / "tool.sh").write_text(SHELL + "echo no\nexit 9\n")
    spec, output = tool.bundle()
    assert ("    exit: nonzero\n" in spec, "accepted  1 of 1" in output) == (True, True)


#: A catalogue with one mistake: the program prints “yes” and ends with 4.
MISTAKES_MODULE = """\
from types import SimpleNamespace

def wrong(console):
    console.write("yes\\n")
    return 4

def known():
    return [SimpleNamespace(id="yes", title="it agrees", hint="Disagree.", note="n", source="s", invisible="",
        mains={"tool": wrong})]
"""


def test_a_mistake_is_named_even_if_its_exit_code_differs(tool):
    (tool.folder / "own.py").write_text(MISTAKES_MODULE)
    completed = tool("echo yes\nexit 7\n", "echo no\nexit 2\n", NONZERO_CASE, more_keys="mistakes: own:known\n")
    assert "mistake: it agrees (explains 1 of 1" in completed.out


def test_record_writes_exit_nonzero_into_the_case(tool):
    tool.write("echo no\nread line\nexit 2\n", NONZERO_CASE)
    completed = tool.run("record", "tool", "--case", "typed", "--answers", "x,", "--exit", "nonzero")
    assert (completed.code, completed.err) == (0, "")
    assert (
        (tool.folder / "tool.yaml")
        .read_text()
        .endswith("  - name: typed\n    exit: nonzero\n    transcript: |\n      no\n      <<x>>\n")
    )
    completed = tool.run("record", "tool", "--case", "more", "--answers", "x,", "--exit", "any")
    assert "'any' is not a whole number from 0 to 255" in completed.err


def test_hunt_accepts_any_nonzero_exit_code_if_the_cases_do(tool):
    reference = 'printf "Number? "\nread n\necho "$n"\nexit "$n"\n'
    cases = "  - {name: one, answers: ['1'], exit: nonzero}\n  - {name: nine, answers: ['9'], exit: nonzero}\n"
    assert "accepted" in tool(reference.replace('exit "$n"', "exit 3"), reference, cases).out
    completed = tool.run("hunt", "tool.sh", "tool")
    assert (completed.code, "all are as expected" in completed.out) == (0, True), completed
    tool.write(reference, cases.replace("exit: nonzero", "exit: 1", 1).replace("exit: nonzero", "exit: 9"))
    assert "It ended with exit code 3 instead of 1" in tool.run("hunt", "tool.sh", "tool").out


STDERR_COMPARED = "    stderr: compared\n"
ANY_STDERR_CASE = "  - {name: complains, answers: [], exit: 2, expected_stderr: {is_empty: no}}\n"
COMPLAINT = "echo usage: tool FILE >&2\nexit 2\n"


@pytest.mark.parametrize(
    ("program", "is_accepted"),
    [
        ("echo you forgot the file >&2\nexit 2\n", True),
        (COMPLAINT, True),
        ("exit 2\n", False),
        ("echo >&2\nexit 2\n", False),
    ],
)
def test_a_case_can_accept_any_text_on_standard_error_but_none(tool, program, is_accepted):
    output = tool(program, COMPLAINT, ANY_STDERR_CASE, more_keys=STDERR_COMPARED).out
    if is_accepted:
        assert "accepted  1 of 1" in output
    else:
        assert "  tool  wrong answer  0 of 1\n" in output
        assert "  It writes nothing to its standard error, where it must say what is wrong." in output
        assert "  standard error:\n  expected │ (any text)\n     yours │ (nothing)\n" in output


#: Programs that an uncaught error ends, each in its line 2, and where in the sentence on it the place is.
CRASHING = {
    "Python": ("tool.py", "\nopen('gone.txt')\n", "in line 2 of tool.py: FileNotFoundError"),
    "C#": (
        "Tool.cs",
        'System.Console.Error.WriteLine("a");\nthrow new System.Exception("no");\n',
        "in line 2 of Tool.cs",
    ),
    "C++": ("tool.cpp", "int main() {\nthrow 1;\n}\n", ": int."),
    "Python, started by a script": (
        "tool.sh",
        "#!/bin/sh\npython3 -c 'import gone' || exit 5\n",
        ": ModuleNotFoundError",
    ),
}


@pytest.mark.parametrize("driver", ["watched", "expecting"])
@pytest.mark.parametrize("language", CRASHING)
def test_an_uncaught_error_is_a_run_time_error_where_a_case_wants_a_message(tool, reachable, language, driver):
    file, program, sentence = CRASHING[language]
    tool.write(COMPLAINT, ANY_STDERR_CASE.replace("exit: 2", "exit: nonzero"), STDERR_COMPARED)
    (reachable / file).write_text(program)
    assignment = load_assignment(tool.folder)
    (stage,) = check(Job(assignment, assignment.stages, find_conditions(driver), "tool"), reachable / file).stages
    assert stage.verdict is Verdict.RUN_TIME_ERROR
    assert sentence in summary_of(stage.results[0]).removeprefix("It stopped with an error")


def test_an_uncaught_error_is_accepted_where_the_reference_has_one(tool, tmp_path):
    program = "#!/bin/sh\nexec python3 -c 'raise KeyError'\n"
    assert (
        "accepted  1 of 1" in tool(program, program, ANY_STDERR_CASE.replace("2", "1"), more_keys=STDERR_COMPARED).out
    )


def test_text_on_standard_error_fails_if_it_must_be_empty(tool):
    cases = "  - {name: silent, answers: [], expected_stderr: {is_empty: yes}}\n"
    assert "accepted  1 of 1" in tool("echo a\n", "echo a\n", cases, more_keys=STDERR_COMPARED).out
    assert "wrong answer" in tool("echo a\necho b >&2\n", "echo a\n", cases, more_keys=STDERR_COMPARED).out


def test_a_reference_with_an_empty_standard_error_is_reported(tool, tmp_path):
    tool.write("exit 2\n", ANY_STDERR_CASE, STDERR_COMPARED)
    completed = tool.run("verify", "tool")
    message = "the reference wrote nothing to its standard error; the case expects some text"
    assert (completed.code, message in " ".join(completed.out.split())) == (1, True), completed
    (tmp_path / "tool.sh").write_text(SHELL + COMPLAINT)
    completed = tool.run("check", "tool.sh", "tool")
    assert completed.code == 3
    assert message in " ".join(completed.out.split())


def test_explain_bundle_and_handout_accept_any_standard_error(tool, tmp_path):
    tool.write(COMPLAINT, ANY_STDERR_CASE, STDERR_COMPARED)
    explanation = " ".join(tool.run("explain", "tool", "complains").out.split())
    assert "It must write something to its standard error; any text is accepted." in explanation
    assert "Afterwards the standard error contains: │ usage: tool FILE" in explanation
    (tmp_path / "tool.sh").write_text(SHELL + "echo what >&2\nexit 2\n")
    spec, output = tool.bundle()
    assert ("usage" in spec, "accepted  1 of 1" in output) == (False, True)
    (tmp_path / "tool.sh").write_text(SHELL + "exit 2\n")
    assert "wrong answer" in tool.run("check", "tool.sh", "tool", PITBOSS_SPECS=str(tmp_path / "bundle" / "specs")).out
    sentence = "If something is wrong, as in “complains”, it reports the error there in words of your own."
    assert sentence in tool.handout()


@pytest.mark.parametrize("mapping", ["{}", "{file: right.sh, is_empty: no}"])
def test_expected_stderr_needs_exactly_one_key(tool, mapping):
    tool.write(COMPLAINT, ANY_STDERR_CASE.replace("{is_empty: no}", mapping), STDERR_COMPARED)
    completed = tool.run("verify", "-a", "tool")
    assert completed.err.startswith("pitboss: specs/tool/tool.yaml:3: expected_stderr has ")
    assert completed.err.endswith(" — it must have exactly one of them\n")


PRINT_ENVIRONMENT = 'echo "${LEVEL-none} ${LANG-none} ${LC_ALL-none} ${TZ-none}"\n'
GERMAN_CASES = (
    "  - {name: plain, answers: []}\n  - {name: loud, answers: [], environment: {LEVEL: 3, LANG: de_DE.UTF-8}}\n"
)


@pytest.mark.parametrize(
    ("more_keys", "transcripts"),
    [
        ("", ["none C.UTF-8 C.UTF-8 UTC\n", "3 de_DE.UTF-8 none UTC\n"]),
        (
            "    environment: {LEVEL: 1, TZ: Asia/Tokyo}\n",
            ["1 C.UTF-8 C.UTF-8 Asia/Tokyo\n", "3 de_DE.UTF-8 none Asia/Tokyo\n"],
        ),
    ],
    ids=["of a case", "of the stage"],
)
def test_a_case_adds_to_the_environment_of_its_stage_but_not_to_that_of_other_cases(
    tool, tmp_path, more_keys, transcripts
):
    options = ("--json", "report.json")
    completed = tool(PRINT_ENVIRONMENT, PRINT_ENVIRONMENT, GERMAN_CASES, *options, more_keys=more_keys)
    assert "accepted  2 of 2" in completed.out
    results = json.loads((tmp_path / "report.json").read_text())["results"]
    assert [result["expected"]["transcript"] for result in results] == transcripts
    expected = "1 C C Asia/Tokyo\n" if more_keys else "none C C none\n"
    assert tool.run("play", "tool", LANG="C", LC_ALL="C").out == expected


@pytest.mark.parametrize("driver", ["watched", "expecting"])
def test_a_program_that_ignores_its_environment_is_wrong(tool, driver):
    completed = tool("echo none C.UTF-8 C.UTF-8 UTC\n", PRINT_ENVIRONMENT, GERMAN_CASES, "--driver", driver)
    assert "  tool  wrong answer  1 of 2\n" in completed.out
    assert "accepted  2 of 2" in tool(PRINT_ENVIRONMENT, PRINT_ENVIRONMENT, GERMAN_CASES, "--driver", driver).out


REFUSED_VARIABLES = (
    *("PATH", "LD_PRELOAD", "HOME", "PYTHONPATH", "PITBOSS_DRAWS", "BASH_ENV", "ASAN_OPTIONS", "IFS", "TERM"),
)


@pytest.mark.parametrize("variable", [*REFUSED_VARIABLES, "A B: x", "'': x", "1A: x", "LEVEL: [x]"])
def test_an_invalid_variable_or_one_that_can_break_a_session_is_refused(tool, variable):
    tool.write(PRINT_ENVIRONMENT, GERMAN_CASES.replace("LEVEL: 3", variable if ":" in variable else f"{variable}: 3"))
    message = f"environment has '{variable}' — pitboss sets it itself, or it changes how programs are started"
    message = f"{message}; other variables may be set, such as LANG, " if variable in REFUSED_VARIABLES else ""
    assert tool.run("verify", "-a", "tool").err.startswith(f"pitboss: specs/tool/tool.yaml:4: {message}")


def test_a_reference_function_gets_the_environment_of_the_case(tool, tmp_path):
    reference = "def main(console, environment):\n    console.write(environment.get('LEVEL', 'none') + '\\n')\n"
    tool.write("", GERMAN_CASES)
    with_reference_function(tool, reference)
    (tmp_path / "tool.sh").write_text(SHELL + 'echo "${LEVEL-none}"\n')
    assert "accepted  2 of 2" in tool.run("check", "tool.sh", "tool").out


def test_explain_handout_and_bundle_have_the_environment(tool, tmp_path):
    tool.write(PRINT_ENVIRONMENT, GERMAN_CASES)
    output = " ".join(tool.run("explain", "tool", "loud").out.split())
    assert "Its environment has LEVEL=3 and LANG=de_DE.UTF-8." in output
    assert "In its environment it may find `LEVEL=3` and `LANG=de_DE.UTF-8`." in tool.handout()
    (tmp_path / "tool.sh").write_text(SHELL + PRINT_ENVIRONMENT)
    assert "accepted  2 of 2" in tool.bundle()[1]


def test_a_locale_that_this_machine_lacks_is_named_by_verify(tool):
    tool.write(PRINT_ENVIRONMENT, GERMAN_CASES.replace("de_DE.UTF-8", "xx_YY.UTF-8"))
    completed = tool.run("verify", "tool")
    message = "'loud': this machine has no locale xx_YY.UTF-8, so programs get the C locale instead"
    assert (completed.code, completed.out) == (
        1,
        f"specs/tool/tool.yaml:4: {message} — install it, for example with locale-gen\n",
    )
    tool.write(PRINT_ENVIRONMENT, GERMAN_CASES.replace("de_DE.UTF-8", "C.UTF-8"))
    assert tool.run("verify", "tool").code == 0


def test_control_characters_in_a_variable_are_shown_as_escapes(tool):
    tool.write(PRINT_ENVIRONMENT, GERMAN_CASES.replace("LEVEL: 3", 'LEVEL: "a\\n\\x1b[2J"'))
    output = " ".join(tool.run("explain", "tool", "loud").out.split())
    assert r"Its environment has LEVEL=a\n\x1b[2J and LANG=de_DE.UTF-8." in output


#: A program that appends each typed line to the file `kept` and prints the file; with an argument, it empties it first.
APPEND_TO_FILE = """\
[ -z "$1" ] || : > kept
while read -r line; do echo "$line" >> kept; done
cat kept
"""
CASES_WITH_RUNS = """\
  - name: after two runs
    after: [{lines: [a, b]}, {lines: [c]}]
    expected_files: [kept]
    answers: [d, <eof>]
  - name: alone
    expected_files: [kept]
    answers: [d, <eof>]
"""


@pytest.mark.parametrize("driver", ["watched", "expecting"])
def test_a_session_finds_the_files_that_earlier_runs_left(tool, tmp_path, driver):
    completed = tool(APPEND_TO_FILE, APPEND_TO_FILE, CASES_WITH_RUNS, "--driver", driver, "--json", "report.json")
    assert "accepted  2 of 2" in completed.out
    result_after_runs, result_alone = json.loads((tmp_path / "report.json").read_text())["results"]
    assert result_after_runs["expected"]["transcript"].endswith("a\nb\nc\nd\n")
    assert result_alone["expected"]["transcript"].endswith("d\n")
    forgetful_program = APPEND_TO_FILE.replace('[ -z "$1" ] || ', "")
    assert (
        "  tool  wrong answer  1 of 2\n"
        in tool(forgetful_program, APPEND_TO_FILE, CASES_WITH_RUNS, "--driver", driver).out
    )


def test_an_earlier_run_can_have_its_own_arguments_and_environment(tool):
    cases = CASES_WITH_RUNS.replace("{lines: [c]}", "{lines: [c], arguments: [empty], environment: {LEVEL: 1}}")
    reference = APPEND_TO_FILE + 'echo "$LEVEL" >> kept\n'
    completed = tool(reference, reference, cases)
    assert "accepted  2 of 2" in completed.out
    output = " ".join(tool.run("explain", "tool", "after two runs").out.split())
    assert "Before this session it is run, and “a” and “b” are typed; what it leaves in kept stays there." in output
    assert "Before this session it is run as tool empty, and “c” is typed;" in output
    assert "“b”" not in output.partition("stays there.")[2]


def test_kept_files_may_have_any_format(tool):
    program = APPEND_TO_FILE.replace('echo "$line" >> kept', 'echo "- $line" >> kept').replace(
        "cat kept", "sed 's/^- //' kept"
    )
    assert "  tool  wrong answer  0 of 2\n" in tool(program, APPEND_TO_FILE, CASES_WITH_RUNS).out
    assert (
        "accepted  2 of 2" in tool(program, APPEND_TO_FILE, CASES_WITH_RUNS.replace("expected_files", "kept_files")).out
    )
    more_keys = "    kept_files: [kept]\n"
    assert (
        "accepted  2 of 2"
        in tool(
            program, APPEND_TO_FILE, CASES_WITH_RUNS.replace("    expected_files: [kept]\n", ""), more_keys=more_keys
        ).out
    )


def test_a_report_names_the_arguments_and_the_earlier_runs(tool, tmp_path):
    cases = CASES_WITH_RUNS.replace("{lines: [c]}", "{lines: [c], arguments: [empty]}").replace(
        "name: alone", "name: alone\n    arguments: [empty]"
    )
    tool.write(APPEND_TO_FILE, cases)
    page = tool.page("while read -r line; do :; done\n")
    output = " ".join(tool.run("check", "class/ada", "tool", "-a", "tool", "--case", "after two runs").out.split())
    first_run = "Before this session it is run, and “a” and “b” are typed; what it leaves in kept stays there."
    second_run = "Before this session it is run as tool empty, and “c” is typed; what it leaves in kept stays there."
    assert f"{first_run} {second_run}" in output
    output = tool.run("check", "class/ada", "tool", "-a", "tool", "--case", "alone").out
    assert "  It is started as: tool empty\n" in output
    assert f"<p>{first_run}</p><p>{second_run}</p>" in page


def test_a_crash_in_an_earlier_run_fails_the_program(tool):
    completed = tool(
        'read -r line\n[ "$line" != c ] || kill -SEGV $$\n' + APPEND_TO_FILE, APPEND_TO_FILE, CASES_WITH_RUNS
    )
    assert "  tool  run time error  " in completed.out
    assert "That was in run 2 of the runs before this session." in " ".join(completed.out.split())


def test_a_reference_that_crashes_in_an_earlier_run_is_reported(tool):
    tool.write('read -r line\n[ "$line" != c ] || kill -SEGV $$\n' + APPEND_TO_FILE, CASES_WITH_RUNS)
    assert "specs/tool/tool.yaml:3: " in tool.run("verify", "tool").out


def test_earlier_runs_work_with_a_reference_function(tool, tmp_path):
    reference = """\
def main(console, files):
    while (line := console.read_line()) is not None:
        files["kept"] = files.get("kept", "") + line + "\\n"
    console.write(files["kept"])
"""
    tool.write("", CASES_WITH_RUNS)
    with_reference_function(tool, reference)
    (tmp_path / "tool.sh").write_text(SHELL + APPEND_TO_FILE)
    assert "accepted  2 of 2" in tool.run("check", "tool.sh", "tool").out


def test_bundle_and_handout_include_earlier_runs(tool, tmp_path):
    tool.write(APPEND_TO_FILE, CASES_WITH_RUNS)
    sentence = "It may be run several times in one folder: then `kept` is as the previous run left it."
    assert sentence in tool.handout()
    (tmp_path / "tool.sh").write_text(SHELL + APPEND_TO_FILE)
    assert "accepted  2 of 2" in tool.bundle()[1]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ("[]", "the case has no runs under after — each run gets the files that the previous one left"),
        ("[{line: [a]}]", "a run before the session has no key 'line'"),
        ('[{lines: ["a\\nb"]}]', "a typed line has a newline in it"),
        ("[{lines: a}]", "lines is "),
        ("", "the case has runs under after, but names no files — "),
    ],
)
def test_an_invalid_earlier_run_or_one_without_a_kept_file_is_refused(tool, runs, message):
    old, new = ("[{lines: [a, b]}, {lines: [c]}]", runs) if runs else ("    expected_files: [kept]\n", "")
    tool.write(APPEND_TO_FILE, CASES_WITH_RUNS.replace(old, new))
    completed = tool.run("verify", "-a", "tool")
    assert completed.err.startswith("pitboss: specs/tool/tool.yaml:4: ")
    assert message in completed.err


def test_a_bundle_with_the_reference_has_the_options_of_its_stages(tool, tmp_path):
    option = "ship_reference: yes\noptions: {twice: {keyword: twice, values: {once: no, twice: yes}}}\n"
    tool.write("", "  - {name: says, answers: []}\n", "    with: [twice]\n" + option)
    with_reference_function(tool, "def main(console, twice):\n    console.write('x' * (1 + twice))\n")
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (bundled_file,) = (tmp_path / "bundle").rglob("assignment.yaml")
    assert "with: [twice]" in bundled_file.read_text()


def test_a_free_text_must_differ_from_other_lines_of_the_reference(tool):
    """“What?” is rejected in both sessions, though the reference prints it in only one of them."""
    reference = 'echo Hello\nread -r line\n[ -z "$line" ] || echo What?\necho Bye.\n'
    cases = "  - {name: asks, answers: [x]}\n  - {name: leaves, answers: ['']}\n"
    free_text = "compare:\n  free:\n    greeting: {line: Hello}\n"
    for other_line in ("What?", "Bye."):
        assert (
            "wrong answer  0 of 2"
            in tool(reference.replace("Hello", other_line), reference, cases, more_keys=free_text).out
        )
    assert "accepted  2 of 2" in tool(reference.replace("Hello", "Good day"), reference, cases, more_keys=free_text).out


CASES_WITH_FILE = """\
  - {name: computed, input_file: data/in.txt}
  - name: recorded
    input_file: data/in.txt
    transcript: |
      Numbers? 60
"""
READ_NUMBERS = 'printf "Numbers? "\nwhile read -r number; do sum=$((sum + number)); done\necho "$sum"\n'
#: By file name: a program that does the same, as a student may write it.
NUMBER_READERS = {
    "tool.c": '#include <stdio.h>\nint main(void) { int n, sum = 0; printf("Numbers? "); while (scanf("%d", &n) == 1) '
    'sum += n; printf("%d\\n", sum); return 0; }\n',
    "tool.py": 'import sys\nsum = 0\nprint("Numbers? ", end="")\nfor n in sys.stdin:\n    sum += int(n)\nprint(sum)\n',
}


@pytest.fixture
def tool_with_file(tool):
    """The fixture `tool`, its assignment written with a case whose standard input is a file, computed and recorded."""
    tool.write(READ_NUMBERS, CASES_WITH_FILE)
    (tool.folder / "data").mkdir()
    (tool.folder / "data" / "in.txt").write_text("10\n20\n30\n")
    return tool


@pytest.mark.parametrize("driver", ["watched", "expecting"])
@pytest.mark.parametrize("file", NUMBER_READERS)
def test_the_standard_input_of_a_session_can_be_a_file(tool_with_file, tmp_path, file, driver):
    (tmp_path / file).write_text(NUMBER_READERS[file])
    completed = tool_with_file.run("check", file, "tool", "--driver", driver)
    assert "  tool  accepted  2 of 2\n" in completed.out
    (tmp_path / file).write_text(NUMBER_READERS[file].replace("sum += ", "sum = "))
    output = tool_with_file.run("check", file, "tool", "--driver", driver).out
    assert "  tool  wrong answer  0 of 2\n" in output
    assert "  Line 1, “Numbers? 30”, has “30” where “60” is expected.\n" in output
    assert "  It is started as: tool < data/in.txt\n" in output
    assert f"  again: pitboss check {file} tool --assignment tool --case computed\n" in output
    assert "accepted  1 of 1" not in tool_with_file.run("check", file, "tool", "--case", "computed").out


def test_a_reference_function_reads_the_input_file(tool_with_file, tmp_path):
    reference = """\
def main(console):
    console.write("Numbers? ")
    sum = 0
    while (line := console.read_line()) is not None:
        sum += int(line)
    console.write(f"{sum}\\n")
"""
    with_reference_function(tool_with_file, reference)
    (tmp_path / "tool.c").write_text(NUMBER_READERS["tool.c"])
    assert "  tool  accepted  2 of 2\n" in tool_with_file.run("check", "tool.c", "tool").out
    assert tool_with_file.run("verify", "tool").out == "tool: the only recorded case matches the reference\n"
    with_reference_function(tool_with_file, reference.replace("sum += int(line)", "break"))
    assert "'recorded' no longer matches the reference" in tool_with_file.run("verify", "tool").out


def test_a_reference_function_that_never_stops_reading_an_input_file_is_reported(tool_with_file):
    with_reference_function(tool_with_file, "def main(console):\n    while True:\n        console.read_line()\n")
    assert "specs/tool/tool.yaml:3: " in (output := tool_with_file.run("verify", "tool").out)
    assert "does not end by itself: it reads the end of its input again and again" in output


def test_an_input_file_may_have_more_lines_than_a_reference_may_have_events(tool_with_file, tmp_path):
    (tool_with_file.folder / "data" / "in.txt").write_text("0\n" * 150_000 + "60\n")
    text = "def main(console):\n    console.write('Numbers? ')\n    sum = 0\n    while (line := console.read_line()):\n"
    with_reference_function(tool_with_file, f"{text}        sum += int(line)\n    console.write(f'{{sum}}\\n')\n")
    (tmp_path / "tool.c").write_text(NUMBER_READERS["tool.c"])
    assert "  tool  accepted  2 of 2\n" in tool_with_file.run("check", "tool.c", "tool").out


@pytest.mark.parametrize("options", [(), ("--fresh",)])
def test_a_changed_input_file_changes_what_is_expected(tool_with_file, tmp_path, options):
    (tmp_path / "tool.sh").write_text(f'{SHELL}echo "Numbers? 60"\n')

    def check_computed():
        arguments = ("check", "tool.sh", "tool", "--case", "computed", *options)
        return tool_with_file.run(*arguments, PITBOSS_WITHOUT="", XDG_CACHE_HOME=str(tmp_path / "cache")).out

    assert "accepted  1 of 1" in check_computed()
    (tool_with_file.folder / "data" / "in.txt").write_text("10\n")
    assert "wrong answer  0 of 1" in check_computed()


def test_a_missing_input_file_is_reported_before_any_submission_is_looked_at(tool_with_file):
    (tool_with_file.folder / "data" / "in.txt").unlink()
    completed = tool_with_file.run("check", "nowhere", "-a", "tool")
    message = "input_file is 'data/in.txt' — there is no such file in specs/tool"
    assert (completed.code, completed.err) == (2, f"pitboss: specs/tool/tool.yaml:3: {message}\n")


def test_a_mistake_that_shows_only_with_an_input_file_is_named(tool_with_file, tmp_path):
    (tool_with_file.folder / "own.py").write_text(
        MISTAKES_MODULE.replace(
            '    console.write("yes\\n")\n    return 4\n',
            '    numbers = iter(console.read_line, None)\n    console.write(f"Numbers? {max(numbers, key=int)}\\n")\n',
        )
    )
    assignment = tool_with_file.folder / "assignment.yaml"
    assignment.write_text(assignment.read_text() + "mistakes: own:known\n")
    (tmp_path / "tool.c").write_text(NUMBER_READERS["tool.c"].replace("sum += ", "sum = "))
    assert "it agrees" in tool_with_file.run("check", "tool.c", "tool").out


def test_record_adds_and_keeps_a_case_with_an_input_file(tool_with_file, tmp_path):
    spec = tool_with_file.folder / "tool.yaml"
    (tmp_path / "five.txt").write_text("2\n3\n")
    record = ("record", "tool", "--case", "five", "--input-file", "five.txt")
    assert tool_with_file.run(*record, "--answers", "h").err.startswith("pitboss: --input-file excludes --play, --seed")
    assert tool_with_file.run(*record).out == "specs/tool/tool.yaml: added 'five'\n"
    case = "  - name: five\n    input_file: five.txt\n    transcript: |\n      Numbers? 5\n"
    assert spec.read_text().endswith(case)
    assert (tool_with_file.folder / "five.txt").read_text() == "2\n3\n"
    record = ("record", "tool", "--case", "again", "--input-file", "specs/tool/data/in.txt")
    assert tool_with_file.run(*record).code == 0
    case += "  - name: again\n    input_file: data/in.txt\n    transcript: |\n      Numbers? 60\n"
    assert spec.read_text().endswith(case)
    (tool_with_file.folder / "right.sh").write_text(SHELL + READ_NUMBERS.replace("Numbers", "Values"))
    assert "recorded 'five'" in tool_with_file.run("record", "tool").out
    assert spec.read_text().endswith(case.replace("Numbers", "Values"))


def test_a_case_with_an_input_file_and_no_output_can_be_recorded(tool_with_file):
    (tool_with_file.folder / "right.sh").write_text(SHELL + 'cat >"copy.txt"\n')
    record = ("record", "tool", "--case", "copy", "--arguments", "copy.txt")
    assert tool_with_file.run(*record, "--input-file", "specs/tool/data/in.txt").code == 0
    assert (tool_with_file.folder / "tool.yaml").read_text().endswith('    transcript: ""\n')


@pytest.mark.parametrize("is_shipped", [False, True])
def test_a_bundle_has_the_input_files(tool_with_file, tmp_path, is_shipped):
    if is_shipped:
        assignment = tool_with_file.folder / "assignment.yaml"
        assignment.write_text(assignment.read_text() + "ship_reference: yes\n")
    (tmp_path / "tool.c").write_text(NUMBER_READERS["tool.c"])
    assert "accepted  2 of 2" in tool_with_file.bundle("tool.c")[1]


def test_explain_kit_and_pages_show_the_input_file(tool_with_file, tmp_path):
    assert "It is started as: tool < data/in.txt" in tool_with_file.run("explain", "tool", "computed").out
    handout = tool_with_file.handout()
    assert "Its standard input may be a file, as in `tool < data/in.txt`." in handout
    assert "recorded (tool < data/in.txt)" in handout
    assert (tmp_path / "kit" / "data" / "in.txt").read_text() == "10\n20\n30\n"
    assert "<p>It is started as: tool &lt; data/in.txt</p>" in tool_with_file.page("echo 60\n")


def test_earlier_runs_type_lines_before_a_session_with_an_input_file(tool, tmp_path):
    cases = CASES_WITH_RUNS.replace("answers: [d, <eof>]", "input_file: in.txt", 1)
    (tool.folder / "in.txt").write_text("d\ne\n")
    completed = tool(APPEND_TO_FILE, APPEND_TO_FILE, cases)
    assert "accepted  2 of 2" in completed.out
    typed_only = APPEND_TO_FILE.replace("while", "[ -t 0 ] || exit 3\nwhile", 1)
    assert "run time error  1 of 2" in tool(typed_only, APPEND_TO_FILE, cases).out


def test_a_seeded_assignment_can_have_input_files(tool_with_file, tmp_path):
    assignment = tool_with_file.folder / "assignment.yaml"
    assignment.write_text(assignment.read_text().replace("seeded: no", "seeded: yes"))
    (tool_with_file.folder / "tool.yaml").write_text(
        f"program: tool\ncases:\n{CASES_WITH_FILE}  - {{name: typed, seeds: 1..3, answers: [4, <eof>]}}\n"
    )
    (tmp_path / "tool.c").write_text(NUMBER_READERS["tool.c"])
    assert "accepted  5 of 5" in tool_with_file.run("check", "tool.c", "tool").out
    assert "matches the reference" in tool_with_file.run("verify", "tool").out
