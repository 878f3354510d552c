"""What a case says besides its session: what is shown where it fails, how it ends, and what it finds around it."""

import json

import pytest

ASSIGNMENT = "title: A tool\nseeded: no\nstages:\n  - name: tool\n    reference: {command: [./right.sh]}\n"
SHELL = "#!/bin/sh\n"


@pytest.fixture
def tool(pitboss, tmp_path):
    """Check a program against a right one, both for a shell, with these cases; `run` calls any command."""
    folder = tmp_path / "specs" / "tool"
    folder.mkdir(parents=True)

    def write(right, cases, stage=""):
        (folder / "assignment.yaml").write_text(ASSIGNMENT + stage)
        (folder / "tool.yaml").write_text("program: tool\ncases:\n" + cases)
        (folder / "right.sh").write_text(SHELL + right)
        (folder / "right.sh").chmod(0o755)

    def checked(program, right, cases, *options, stage=""):
        write(right, cases, stage)
        (tmp_path / "tool.sh").write_text(SHELL + program)
        return pitboss("check", "tool.sh", "tool", *options)

    checked.run, checked.write, checked.folder = pitboss, write, folder
    return checked


HINTED = "  - {name: greets, answers: [], hint: How do you greet?}\n  - {name: again, answers: []}\n"


def test_the_hint_of_a_case_is_shown_where_it_fails(tool, tmp_path):
    done = tool("echo Hallo\n", "echo Hello\n", HINTED, "--json", "report.json")
    output = "  Line 1 is “Hallo” where “Hello” is expected.\n  hint: How do you greet?\n"
    assert output in done.out
    hints = [one.get("hint") for one in json.loads((tmp_path / "report.json").read_text())["results"]]
    assert hints == ["How do you greet?", None]
    assert "How do you greet?" not in tool("echo Hello\n", "echo Hello\n", HINTED).out


def test_the_hint_of_a_hidden_case_is_not_shown_to_students(tool, tmp_path):
    hidden = HINTED.replace("hint:", "visibility: hidden, hint:")
    assert "hint" not in tool("echo Hallo\n", "echo Hello\n", hidden).out
    assert "hint: How do you greet?" in tool("echo Hallo\n", "echo Hello\n", hidden, "--hidden").out
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "tool.sh").write_text(SHELL + "echo Hallo\n")
    tool.run("grade", "class", "-a", "tool", "--html", "pages")
    assert "How do you greet?" not in (tmp_path / "pages" / "ada.html").read_text()


def test_a_hint_stands_in_pages_and_exports(tool, tmp_path):
    tool.write("echo Hello\n", HINTED)
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "tool.sh").write_text(SHELL + "echo Hallo\n")
    tool.run("grade", "class", "-a", "tool", "--html", "pages")
    assert "<p>Hint: How do you greet?</p>" in (tmp_path / "pages" / "ada.html").read_text()
    done = tool.run("check", "class/ada", "-a", "tool", "--github")
    assert "“Hello” is expected. Hint: How do you greet?" in done.out + done.err


def test_a_bundle_keeps_the_hints(tool, tmp_path):
    tool.write("echo Hello\n", HINTED)
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("tool.yaml")
    assert 'hint: "How do you greet?"' in written.read_text()


NONZERO = "  - {name: fails, answers: [], exit: nonzero}\n"


@pytest.mark.parametrize("recorded", ["answers: []", "transcript: no"])
def test_any_exit_code_but_0_is_right_where_the_case_says_so(tool, recorded):
    cases = NONZERO.replace("answers: []", recorded).replace("transcript: no", "transcript: 'no\n\n      '")
    assert "accepted  1 of 1" in tool("echo no\nexit 7\n", "echo no\nexit 2\n", cases).out
    done = tool("echo no\n", "echo no\nexit 2\n", cases)
    assert "  tool  wrong answer  0 of 1\n" in done.out
    assert "  It ended with exit code 0; another than 0 is expected.\n" in done.out
    crashed = tool("echo no\nkill -SEGV $$\n", "echo no\nexit 2\n", cases)
    assert "  tool  run time error  0 of 1\n" in crashed.out


def test_what_is_shown_counts_beside_any_exit_code(tool):
    done = tool("echo yes\nexit 7\n", "echo no\nexit 2\n", NONZERO)
    assert "  tool  wrong answer  0 of 1\n" in done.out
    assert "  Line 1 is “yes” where “no” is expected.\n" in done.out


def test_a_reference_that_ends_with_0_is_reported(tool):
    done = tool("echo no\nexit 7\n", "echo no\n", NONZERO)
    output = "the reference ended with exit code 0 and printed “no”; the case expects nonzero — fix the reference, or write `exit: 0`"
    assert output in " ".join(done.out.split())
    assert tool.run("verify", "tool").out == f"specs/tool/tool.yaml:3: {output}\n"


def test_the_exit_code_of_a_case_in_json_in_explain_and_in_a_bundle(tool, tmp_path):
    tool("echo no\n", "echo no\nexit 2\n", NONZERO, "--json", "report.json")
    (result,) = json.loads((tmp_path / "report.json").read_text())["results"]
    assert (result["expected"]["ending"], result["actual"]["ending"]) == ("exited with any code but 0", "exited with 0")
    assert "Its exit code may be any but 0." in tool.run("explain", "tool", "fails").out
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("tool.yaml")
    assert "    exit: nonzero\n" in written.read_text()
    (tmp_path / "tool.sh").write_text(SHELL + "echo no\nexit 9\n")
    assert "accepted  1 of 1" in tool.run("check", "tool.sh", "tool", PITBOSS_SPECS=str(written.parent.parent)).out


def test_a_mistake_is_named_whatever_its_exit_code_is(tool):
    own = (
        "class Mistake:\n    id, title, hint, note, source, invisible = 'yes', 'it agrees', 'Disagree.', 'n', 's', ''\n"
    )
    own += "    def __init__(self):\n        self.mains = {'tool': wrong}\n"
    own += "def wrong(console):\n    console.write('yes\\n')\n    return 4\ndef known():\n    return [Mistake()]\n"
    tool.folder.mkdir(parents=True, exist_ok=True)
    (tool.folder / "own.py").write_text(own)
    done = tool("echo yes\nexit 7\n", "echo no\nexit 2\n", NONZERO, stage="mistakes: own:known\n")
    assert "mistake: it agrees (explains 1 of 1" in done.out


def test_a_case_is_recorded_with_any_exit_code(tool, tmp_path):
    tool.write("echo no\nread line\nexit 2\n", NONZERO)
    done = tool.run("record", "tool", "--case", "typed", "--answers", "x,", "--exit", "nonzero")
    assert (done.code, done.err) == (0, "")
    assert (
        (tool.folder / "tool.yaml")
        .read_text()
        .endswith("  - name: typed\n    exit: nonzero\n    transcript: |\n      no\n      <<x>>\n")
    )
    done = tool.run("record", "tool", "--case", "more", "--answers", "x,", "--exit", "any")
    assert "'any' is not a whole number from 0 to 255" in done.err


def test_hunt_takes_any_exit_code_where_the_cases_do(tool):
    right = 'printf "Number? "\nread n\necho "$n"\nexit "$n"\n'
    cases = "  - {name: one, answers: ['1'], exit: nonzero}\n  - {name: nine, answers: ['9'], exit: nonzero}\n"
    assert "accepted" in tool(right.replace('exit "$n"', "exit 3"), right, cases).out
    done = tool.run("hunt", "tool.sh", "tool")
    assert (done.code, "all are as expected" in done.out) == (0, True), done
    tool.write(right, cases.replace("exit: nonzero", "exit: 1", 1).replace("exit: nonzero", "exit: 9"))
    assert "It ended with exit code 3 instead of 1" in tool.run("hunt", "tool.sh", "tool").out


APART = "    stderr: compared\n"
SAYS = "  - {name: complains, answers: [], exit: 2, expected_stderr: {is_empty: no}}\n"
COMPLAINT = "echo usage: tool FILE >&2\nexit 2\n"


@pytest.mark.parametrize("said", ["echo you forgot the file >&2\nexit 2\n", COMPLAINT])
def test_any_text_on_the_standard_error_is_right_where_the_case_says_so(tool, said):
    assert "accepted  1 of 1" in tool(said, COMPLAINT, SAYS, stage=APART).out


@pytest.mark.parametrize("said", ["exit 2\n", "echo >&2\nexit 2\n"])
def test_a_standard_error_with_nothing_is_reported(tool, said):
    done = tool(said, COMPLAINT, SAYS, stage=APART)
    assert "  tool  wrong answer  0 of 1\n" in done.out
    assert "  It writes nothing to its standard error, where it must say what is wrong." in done.out
    assert "  standard error:\n  expected │ (any text)\n     yours │ (nothing)\n" in done.out


def test_a_standard_error_that_must_be_empty(tool):
    cases = "  - {name: silent, answers: [], expected_stderr: {is_empty: yes}}\n"
    assert "accepted  1 of 1" in tool("echo a\n", "echo a\n", cases, stage=APART).out
    assert "wrong answer" in tool("echo a\necho b >&2\n", "echo a\n", cases, stage=APART).out


def test_a_reference_without_a_complaint_is_reported(tool):
    tool.write("exit 2\n", SAYS, APART)
    done = tool.run("verify", "tool")
    assert (done.code, "complains" in done.out or "the reference wrote nothing to its standard error" in done.out) == (
        1,
        True,
    )
    (tool.folder.parent.parent / "tool.sh").write_text(SHELL + COMPLAINT)
    checked = tool.run("check", "tool.sh", "tool")
    assert checked.code == 3
    assert "the reference wrote nothing to its standard error; the case expects some text" in " ".join(
        checked.out.split()
    )


def test_any_standard_error_in_explain_and_in_a_bundle(tool, tmp_path):
    tool.write(COMPLAINT, SAYS, APART)
    shown = " ".join(tool.run("explain", "tool", "complains").out.split())
    assert "It must write something to its standard error; any text is right there." in shown
    assert "Afterwards the standard error contains: │ usage: tool FILE" in shown
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("tool.yaml")
    assert "usage" not in written.read_text()
    specs = str(written.parent.parent)
    (tmp_path / "tool.sh").write_text(SHELL + "echo what >&2\nexit 2\n")
    assert "accepted  1 of 1" in tool.run("check", "tool.sh", "tool", PITBOSS_SPECS=specs).out
    (tmp_path / "tool.sh").write_text(SHELL + "exit 2\n")
    assert "wrong answer" in tool.run("check", "tool.sh", "tool", PITBOSS_SPECS=specs).out


@pytest.mark.parametrize("errors", ["{}", "{file: right.sh, is_empty: no}"])
def test_errors_say_one_thing(tool, errors):
    tool.write(COMPLAINT, SAYS.replace("{is_empty: no}", errors), APART)
    done = tool.run("verify", "-a", "tool")
    assert done.err.startswith("pitboss: specs/tool/tool.yaml:3: expected_stderr has ")
    assert done.err.endswith(" — it must be text, a file or is_empty\n")


def test_a_handout_says_where_a_message_is_the_student_s_own(tool, tmp_path):
    tool.write(COMPLAINT, SAYS, APART)
    assert tool.run("starter", "tool", "--language", "python", "--into", "kit", "--no-pdf").code == 0
    handout = " ".join((tmp_path / "kit" / "HANDOUT.md").read_text().split())
    assert "If something is wrong, as in “complains”, it says so there in words of your own." in handout


SHOWS = 'echo "${LEVEL-none} ${LANG-none} ${LC_ALL-none} ${TZ-none}"\n'
IN_GERMAN = (
    "  - {name: plain, answers: []}\n  - {name: loud, answers: [], environment: {LEVEL: 3, LANG: de_DE.UTF-8}}\n"
)


def test_the_environment_of_a_case_is_that_of_its_sessions_alone(tool, tmp_path):
    done = tool(SHOWS, SHOWS, IN_GERMAN, "--json", "report.json")
    assert "accepted  2 of 2" in done.out
    output = [one["expected"]["transcript"] for one in json.loads((tmp_path / "report.json").read_text())["results"]]
    assert output == ["none C.UTF-8 C.UTF-8 UTC\n", "3 de_DE.UTF-8 none UTC\n"]


def test_a_case_adds_to_the_environment_of_its_stage(tool, tmp_path):
    stage = "    environment: {LEVEL: 1, TZ: Asia/Tokyo}\n"
    tool(SHOWS, SHOWS, IN_GERMAN, "--json", "report.json", stage=stage)
    output = [one["expected"]["transcript"] for one in json.loads((tmp_path / "report.json").read_text())["results"]]
    assert output == ["1 C.UTF-8 C.UTF-8 Asia/Tokyo\n", "3 de_DE.UTF-8 none Asia/Tokyo\n"]
    assert tool.run("play", "tool", LANG="C", LC_ALL="C").out == "1 C C Asia/Tokyo\n"


@pytest.mark.parametrize("driver", ["watched", "expecting"])
def test_a_program_that_ignores_its_environment_is_wrong(tool, driver):
    done = tool("echo none C.UTF-8 C.UTF-8 UTC\n", SHOWS, IN_GERMAN, "--driver", driver)
    assert "  tool  wrong answer  1 of 2\n" in done.out
    assert "accepted  2 of 2" in tool(SHOWS, SHOWS, IN_GERMAN, "--driver", driver).out


@pytest.mark.parametrize(
    "name", ["PATH", "LD_PRELOAD", "HOME", "PYTHONPATH", "PITBOSS_DRAWS", "BASH_ENV", "ASAN_OPTIONS", "IFS", "TERM"]
)
def test_a_variable_that_can_break_a_session_is_refused(tool, name):
    tool.write(SHOWS, IN_GERMAN.replace("LEVEL", name))
    done = tool.run("verify", "-a", "tool")
    said = f"environment has '{name}' — pitboss sets it itself, or it changes how programs are started"
    assert done.err.startswith(f"pitboss: specs/tool/tool.yaml:4: {said}; other variables may be set, such as LANG, ")


@pytest.mark.parametrize("variable", ["A B: x", "'': x", "1A: x", "LEVEL: [x]"])
def test_what_is_no_variable_is_refused(tool, variable):
    tool.write(SHOWS, IN_GERMAN.replace("LEVEL: 3", variable))
    assert tool.run("verify", "-a", "tool").err.startswith("pitboss: specs/tool/tool.yaml:4: ")


def test_a_function_gets_the_environment_where_a_case_has_one(tool):
    right = "def main(console, environment):\n    console.write(environment.get('LEVEL', 'none') + '\\n')\n"
    tool.write("", IN_GERMAN)
    (tool.folder / "own.py").write_text(right)
    assignment = tool.folder / "assignment.yaml"
    assignment.write_text(assignment.read_text().replace("{command: [./right.sh]}", '"own:main"'))
    (tool.folder.parent.parent / "tool.sh").write_text(SHELL + 'echo "${LEVEL-none}"\n')
    assert "accepted  2 of 2" in tool.run("check", "tool.sh", "tool").out


def test_the_environment_in_explain_handout_and_bundle(tool, tmp_path):
    tool.write(SHOWS, IN_GERMAN)
    output = " ".join(tool.run("explain", "tool", "loud").out.split())
    assert "Its environment has LEVEL=3 and LANG=de_DE.UTF-8." in output
    assert tool.run("starter", "tool", "--language", "python", "--into", "kit", "--no-pdf").code == 0
    handout = " ".join((tmp_path / "kit" / "HANDOUT.md").read_text().split())
    assert "In its environment it may find `LEVEL=3` and `LANG=de_DE.UTF-8`." in handout
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("tool.yaml")
    (tmp_path / "tool.sh").write_text(SHELL + SHOWS)
    specs = str(written.parent.parent)
    assert "accepted  2 of 2" in tool.run("check", "tool.sh", "tool", PITBOSS_SPECS=specs).out


def test_a_locale_that_this_machine_lacks_is_named_by_verify(tool):
    tool.write(SHOWS, IN_GERMAN.replace("de_DE.UTF-8", "xx_YY.UTF-8"))
    done = tool.run("verify", "tool")
    output = "'loud': this machine has no locale xx_YY.UTF-8, so programs get the C locale instead"
    assert (done.code, done.out) == (1, f"specs/tool/tool.yaml:4: {output} — install it, for example with locale-gen\n")
    tool.write(SHOWS, IN_GERMAN.replace("de_DE.UTF-8", "C.UTF-8"))
    assert tool.run("verify", "tool").code == 0


def test_a_variable_that_cannot_be_seen_is_shown_as_escapes(tool):
    tool.write(SHOWS, IN_GERMAN.replace("LEVEL: 3", 'LEVEL: "a\\n\\x1b[2J"'))
    output = " ".join(tool.run("explain", "tool", "loud").out.split())
    assert r"Its environment has LEVEL=a\n\x1b[2J and LANG=de_DE.UTF-8." in output


#: Adds what is typed to a file, and shows the file; with an argument it empties it first.
KEEPS = """\
[ -z "$1" ] || : > kept
while read -r line; do echo "$line" >> kept; done
cat kept
"""
RUNS = """\
  - name: kept
    after: [{lines: [a, b]}, {lines: [c]}]
    expected_files: [kept]
    answers: [d, <eof>]
  - name: alone
    expected_files: [kept]
    answers: [d, <eof>]
"""


@pytest.mark.parametrize("driver", ["watched", "expecting"])
def test_a_session_finds_what_the_runs_before_it_have_left(tool, tmp_path, driver):
    done = tool(KEEPS, KEEPS, RUNS, "--driver", driver, "--json", "report.json")
    assert "accepted  2 of 2" in done.out
    kept, alone = json.loads((tmp_path / "report.json").read_text())["results"]
    assert kept["expected"]["transcript"].endswith("a\nb\nc\nd\n")
    assert alone["expected"]["transcript"].endswith("d\n")
    forgetful = KEEPS.replace('[ -z "$1" ] || ', "")
    assert "  tool  wrong answer  1 of 2\n" in tool(forgetful, KEEPS, RUNS, "--driver", driver).out


def test_a_run_has_arguments_and_variables_of_its_own(tool):
    cases = RUNS.replace("{lines: [c]}", "{lines: [c], arguments: [anew], environment: {LEVEL: 1}}")
    right = KEEPS + 'echo "$LEVEL" >> kept\n'
    done = tool(right, right, cases)
    assert "accepted  2 of 2" in done.out
    output = " ".join(tool.run("explain", "tool", "kept").out.split())
    assert "Before this session it is run, and “a” and “b” are typed; what it leaves in kept stays there." in output
    assert "Before this session it is run as tool anew, and “c” is typed;" in output
    assert "“b”" not in output.partition("stays there.")[2]


def test_what_is_kept_and_not_compared_may_be_written_in_any_form(tool):
    own = KEEPS.replace('echo "$line" >> kept', 'echo "- $line" >> kept').replace("cat kept", "sed 's/^- //' kept")
    assert "  tool  wrong answer  0 of 2\n" in tool(own, KEEPS, RUNS).out
    assert "accepted  2 of 2" in tool(own, KEEPS, RUNS.replace("expected_files", "kept_files")).out
    stage = "    kept_files: [kept]\n"
    assert "accepted  2 of 2" in tool(own, KEEPS, RUNS.replace("    expected_files: [kept]\n", ""), stage=stage).out


def test_a_report_says_how_the_program_was_started_and_what_it_was_run_for_before(tool, tmp_path):
    cases = RUNS.replace("{lines: [c]}", "{lines: [c], arguments: [anew]}").replace(
        "name: alone", "name: alone\n    arguments: [anew]"
    )
    tool.write(KEEPS, cases)
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "tool.sh").write_text(SHELL + "while read -r line; do :; done\n")
    output = " ".join(tool.run("check", "class/ada", "tool", "-a", "tool", "--case", "kept").out.split())
    before = "Before this session it is run, and “a” and “b” are typed; what it leaves in kept stays there."
    again = "Before this session it is run as tool anew, and “c” is typed; what it leaves in kept stays there."
    assert f"{before} {again}" in output
    output = tool.run("check", "class/ada", "tool", "-a", "tool", "--case", "alone").out
    assert "  It is started as: tool anew\n" in output
    tool.run("grade", "class", "-a", "tool", "--html", "pages")
    page = (tmp_path / "pages" / "ada.html").read_text()
    assert f"<p>{before}</p><p>{again}</p>" in page


def test_a_run_that_does_not_end_by_itself_is_the_programs_failure(tool):
    done = tool('read -r line\n[ "$line" != c ] || kill -SEGV $$\n' + KEEPS, KEEPS, RUNS)
    assert "  tool  run time error  " in done.out
    assert "That was in run 2 of those before this session." in " ".join(done.out.split())


def test_a_reference_whose_run_before_fails_is_the_assignments_fault(tool):
    tool.write('read -r line\n[ "$line" != c ] || kill -SEGV $$\n' + KEEPS, RUNS)
    assert "specs/tool/tool.yaml:3: " in tool.run("verify", "tool").out


def test_a_function_has_runs_before_a_session_too(tool):
    right = """\
def main(console, files):
    while (line := console.read_line()) is not None:
        files["kept"] = files.get("kept", "") + line + "\\n"
    console.write(files["kept"])
"""
    tool.write("", RUNS)
    (tool.folder / "own.py").write_text(right)
    assignment = tool.folder / "assignment.yaml"
    assignment.write_text(assignment.read_text().replace("{command: [./right.sh]}", '"own:main"'))
    (tool.folder.parent.parent / "tool.sh").write_text(SHELL + KEEPS)
    assert "accepted  2 of 2" in tool.run("check", "tool.sh", "tool").out


def test_runs_before_a_session_in_a_bundle_and_in_a_handout(tool, tmp_path):
    tool.write(KEEPS, RUNS)
    assert tool.run("starter", "tool", "--language", "python", "--into", "kit", "--no-pdf").code == 0
    handout = " ".join((tmp_path / "kit" / "HANDOUT.md").read_text().split())
    assert "It may be run several times in one folder: then `kept` is as the previous run left it." in handout
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("tool.yaml")
    (tmp_path / "tool.sh").write_text(SHELL + KEEPS)
    specs = str(written.parent.parent)
    assert "accepted  2 of 2" in tool.run("check", "tool.sh", "tool", PITBOSS_SPECS=specs).out


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ("[]", "the case has after and no runs — each run gets the files that the previous one left"),
        ("[{line: [a]}]", "a run before the session has no key 'line'"),
        ('[{lines: ["a\\nb"]}]', "a typed line has a newline in it"),
        ("[{lines: a}]", "lines is "),
    ],
)
def test_a_run_that_cannot_be_is_refused(tool, runs, said):
    tool.write(KEEPS, RUNS.replace("[{lines: [a, b]}, {lines: [c]}]", runs))
    done = tool.run("verify", "-a", "tool")
    assert done.err.startswith("pitboss: specs/tool/tool.yaml:4: ")
    assert said in done.err


def test_runs_without_a_file_that_goes_on_are_refused(tool):
    tool.write(KEEPS, RUNS.replace("    expected_files: [kept]\n", ""))
    done = tool.run("verify", "-a", "tool")
    assert done.err.startswith("pitboss: specs/tool/tool.yaml:4: the case has after and names no files — ")


OLD_NAMES = """\
  - name: kept
    writes: [kept]
    rules: [what is kept]
    errors: ""
    compare: {from: ""}
    answers: [d, <eof>]
"""


def test_old_names_of_keys_are_understood_with_a_message(tool, tmp_path):
    option = "options: {twice: {keyword: twice, values: {once: no, twice: yes}}}\n"
    tool.write(KEEPS, OLD_NAMES, "    stderr: compared\n    has: [twice]\n" + option)
    (tmp_path / "tool.sh").write_text(SHELL + KEEPS)
    done = tool.run("check", "tool.sh", "tool")
    assert "accepted  1 of 1" in done.out
    now = {4: ("writes", "expected_files"), 5: ("rules", "covers"), 6: ("errors", "expected_stderr")}
    for line, (old, new) in {**now, 7: ("from", "judged_from")}.items():
        assert f"specs/tool/tool.yaml:{line}: {old} is called {new} now" in done.err
    assert "specs/tool/assignment.yaml:7: has is called with now" in done.err
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("tool.yaml")
    assert "expected_files:" in written.read_text()


def test_a_bundle_with_the_reference_keeps_the_options_of_a_stage_by_their_new_name(tool, tmp_path):
    option = "ship_reference: yes\noptions: {twice: {keyword: twice, values: {once: no, twice: yes}}}\n"
    tool.write("", "  - {name: says, answers: []}\n", "    has: [twice]\n" + option)
    assignment = tool.folder / "assignment.yaml"
    assignment.write_text(assignment.read_text().replace("{command: [./right.sh]}", '"own:main"'))
    (tool.folder / "own.py").write_text("def main(console, twice):\n    console.write('x' * (1 + twice))\n")
    assert tool.run("export", "tool", "--into", "bundle").code == 0
    (written,) = (tmp_path / "bundle").rglob("assignment.yaml")
    assert "with: [twice]" in written.read_text()


def test_a_free_text_is_no_line_that_the_reference_shows_in_another_session(tool):
    """Also where it is the only one: no session alone knows what the lines of the others say."""
    right = 'echo Hello\nread -r line\n[ -z "$line" ] || echo What?\necho Bye.\n'
    cases = "  - {name: asks, answers: [x]}\n  - {name: leaves, answers: ['']}\n"
    free = "compare:\n  free:\n    greeting: {line: Hello}\n"
    for output in ("What?", "Bye."):
        assert "wrong answer  0 of 2" in tool(right.replace("Hello", output), right, cases, stage=free).out
    assert "accepted  2 of 2" in tool(right.replace("Hello", "Good day"), right, cases, stage=free).out
