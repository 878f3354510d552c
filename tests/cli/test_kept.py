import json
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT, TOY, CommandResult
from tests.forked import ENVIRONMENT

UNCHANGED = "pitboss: unchanged since an earlier run, and not run again; --fresh runs it\n"
CORRECT_PROGRAM = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"
WRONG_PROGRAM = "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"
ENDLESS_PROGRAM = "#!/bin/sh\nprintf 'Opening balance: '; read x; while :; do :; done\n"


@pytest.fixture
def submission_folder(tmp_path):
    """The folder of a correct submission, beside a copy of the assignment."""
    (tmp_path / "mine").mkdir()
    shutil.copy(CORRECT_PROGRAM, tmp_path / "mine")
    shutil.copytree(TOY, tmp_path / "teller")
    return tmp_path / "mine"


@pytest.fixture
def run(pitboss, tmp_path):
    """A function that runs pitboss with its cache in the folder of the test."""

    def command(*arguments, **environment):
        caches = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
        return pitboss(*arguments, **{**caches, **environment})

    return command


@pytest.fixture
def check(run):
    """A function that runs `pitboss check` on the submission."""
    return lambda *arguments, **environment: run("check", "mine", "-a", "teller/", *arguments, **environment)


def cached_reports(folder):
    """The files of cached reports, but not the compiled library and the trials of compilers, which are cached too."""
    return [
        path for path in (folder / "caches").glob("pitboss/*") if not path.name.startswith(("determinism-", "trial-"))
    ]


def is_unchanged(result):
    """Whether pitboss printed on standard error that it did not run the check again."""
    return result.err == UNCHANGED


@pytest.mark.parametrize("program", [None, WRONG_PROGRAM], ids=["accepted", "wrong"])
def test_an_unchanged_check_prints_and_writes_the_same_report(submission_folder, check, tmp_path, program):
    if program:
        (submission_folder / "teller.c").unlink()
        (submission_folder / "teller.sh").write_text(program)
    first = check("--json", "one.json", "--html", "one.html")
    again = check("--json", "two.json", "--html", "two.html")
    assert first == CommandResult(1 if program else 0, again.out, "")
    assert (again.code, again.err) == (first.code, UNCHANGED)
    for kind in ("json", "html"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert json.loads(check("--json", "-").out) == json.loads((tmp_path / "one.json").read_text())


def test_an_unchanged_check_imports_no_module_that_runs_programs(submission_folder, check, tmp_path):
    check()
    code = "import sys; from pitboss.cli.main import exit_code_of as run; run(sys.argv[1:]); print(sorted(sys.modules))"
    environment = {
        "PATH": ENVIRONMENT["PATH"],
        "PYTHONPATH": str(ROOT / "harness"),
        "XDG_CACHE_HOME": str(tmp_path / "caches"),
    }
    argv = [sys.executable, "-c", code, "check", "mine", "-a", "teller/"]
    result = subprocess.run(argv, cwd=tmp_path, env={**environment, "COLUMNS": "80"}, capture_output=True, text=True)
    assert result.stderr == UNCHANGED
    for name in ("pitboss.checking.check", "pitboss.sessions.drivers", "pexpect"):
        assert f"'{name}'" not in result.stdout


def test_fresh_checks_again_and_replaces_the_cached_report(submission_folder, check, tmp_path):
    first = check()
    (entry,) = cached_reports(tmp_path)
    inode = entry.stat().st_ino
    assert check("--fresh") == first
    assert entry.stat().st_ino != inode
    assert is_unchanged(check())


#: Changes that cause a new check, by what is changed. Each takes the folder that has the submission and the assignment.
CHANGES = {
    "a source": lambda folder: (folder / "mine" / "teller.c").write_text(CORRECT_PROGRAM.read_text() + "\n"),
    "a header": lambda folder: (folder / "mine" / "own.h").write_text("/* */\n"),
    "a data file": lambda folder: (folder / "mine" / "data.txt").write_text("1\n"),
    "the assignment": lambda folder: replace(folder / "teller" / "assignment.yaml", "title: ", "title: The "),
    "a spec": lambda folder: append(folder / "teller" / "teller.yaml", "# a word\n"),
    "the reference": lambda folder: append(folder / "teller" / "teller", "# a word\n"),
    "a limit": lambda folder: replace(folder / "teller" / "assignment.yaml", "idle_s: 2", "idle_s: 3"),
}


def append(path, text):
    path.write_text(path.read_text() + text)


def replace(path, old, new):
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_any_change_causes_a_new_check_and_undoing_it_does_not(submission_folder, check, tmp_path):
    first = check()
    for name, change in CHANGES.items():
        shutil.copytree(submission_folder, tmp_path / "mine before", dirs_exist_ok=True)
        shutil.copytree(tmp_path / "teller", tmp_path / "teller before", dirs_exist_ok=True)
        change(tmp_path)
        assert not is_unchanged(check()), name
        for folder in ("mine", "teller"):
            shutil.rmtree(tmp_path / folder)
            (tmp_path / f"{folder} before").rename(tmp_path / folder)
        assert check() == CommandResult(first.code, first.out, UNCHANGED), name


def test_a_source_is_checked_again_if_a_file_beside_it_changes(submission_folder, run, tmp_path):
    def check_source():
        return run("check", "mine/teller.c", "-a", "teller/")

    check_source()
    assert is_unchanged(check_source())
    (submission_folder / "own.h").write_text("/* */\n")
    assert not is_unchanged(check_source())


@pytest.mark.parametrize(
    "arguments",
    [["--all"], ["--hidden"], ["--case", "deposit and withdraw"], ["teller"], ["--sandbox", "landlock"]],
    ids=lambda arguments: arguments[0],
)
def test_other_arguments_cause_a_new_check(submission_folder, check, arguments):
    check()
    assert not is_unchanged(check(*arguments))
    assert is_unchanged(check())


def test_what_does_not_affect_a_report_causes_no_new_check(submission_folder, check, tmp_path):
    check("--jobs", "1")
    assert is_unchanged(check("--jobs", "2", "--html", "page.html"))
    append(tmp_path / "teller" / "assignment.yaml", "# a word\ngrading: {points: {teller: 10}}\n")
    assert is_unchanged(check())


@pytest.mark.parametrize("options", [{"arguments": ["--sandbox", "none"]}, {"variables": {"PITBOSS_WITHOUT": "cache"}}])
def test_without_a_sandbox_or_where_it_is_switched_off_nothing_is_cached(submission_folder, check, tmp_path, options):
    check(*options.get("arguments", ()), **options.get("variables", {}))
    assert cached_reports(tmp_path) == []


def test_another_compiler_causes_a_new_check(submission_folder, check, tmp_path):
    check()
    (tmp_path / "cc" / "bin").mkdir(parents=True)
    wrapper = tmp_path / "cc" / "bin" / "cc"
    wrapper.write_text('#!/bin/sh\nexec /usr/bin/cc "$@"\n')
    wrapper.chmod(0o755)
    path = f"{wrapper.parent}:/usr/local/bin:/usr/bin:/bin"
    assert not is_unchanged(check(PATH=path))
    assert is_unchanged(check(PATH=path))
    wrapper.write_text('#!/bin/sh\nexec /usr/bin/cc -O2 "$@"\n')
    assert not is_unchanged(check(PATH=path))


def test_another_version_of_pitboss_causes_a_new_check(submission_folder, check, tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "harness" / "pitboss", tmp_path / "ours" / "pitboss", ignore=ignored)
    check(PYTHONPATH=str(tmp_path / "ours"))
    assert is_unchanged(check(PYTHONPATH=str(tmp_path / "ours")))
    append(tmp_path / "ours" / "pitboss" / "compare" / "seeded.py", "# a word\n")
    assert not is_unchanged(check(PYTHONPATH=str(tmp_path / "ours")))


def test_a_check_that_exceeded_the_time_limit_is_run_again(submission_folder, check):
    (submission_folder / "teller.c").unlink()
    (submission_folder / "teller.sh").write_text(ENDLESS_PROGRAM)
    first, again = check(), check()
    assert "time limit exceeded" in first.out
    assert again.err == ""


def test_an_unusable_cache_is_reported_once_and_the_check_still_runs(submission_folder, check, tmp_path):
    (tmp_path / "caches").write_text("")
    warning = f"pitboss: {tmp_path}/caches/pitboss: results cannot be cached here: {tmp_path}/caches is not a folder\n"
    assert [check().err for _ in range(2)] == [warning, warning]  # once in each check
    assert check(XDG_CACHE_HOME="", HOME="").err == ""  # without a home folder there is no place for a cache


@pytest.fixture
def class_folder(submission_folder, tmp_path):
    """The folder of a class of three, in which Brian's program is wrong."""
    for name in ("ada", "brian", "ken"):
        shutil.copytree(submission_folder, tmp_path / "class" / name)
    (tmp_path / "class" / "brian" / "teller.c").unlink()
    (tmp_path / "class" / "brian" / "teller.sh").write_text(WRONG_PROGRAM)
    return tmp_path / "class"


def test_only_the_changed_submissions_of_a_class_are_run_again(class_folder, run, tmp_path):
    def grade(number, *options):
        """Grade the class, and name the reports by this number."""
        return run("grade", "class", "-a", "teller/", "--json", f"{number}.json", "--html", f"{number}", *options)

    first, again = grade(1), grade(2)
    assert (first.err, again) == (
        "",
        CommandResult(1, first.out, "pitboss: 3 unchanged and not run again; --fresh runs all\n"),
    )
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()
    for page in (tmp_path / "1").iterdir():
        assert page.read_bytes() == (tmp_path / "2" / page.name).read_bytes()
    append(class_folder / "ada" / "teller.c", "\n")
    append(class_folder / "ken" / "teller.c", "\n")
    assert grade(3) == CommandResult(1, first.out, "pitboss: 2 run, 1 unchanged and not run again; --fresh runs all\n")
    assert grade(4, "--fresh") == first
    append(tmp_path / "teller" / "teller", "# a word\n")
    assert grade(5) == first


def test_a_class_that_was_moved_is_not_run_again(class_folder, run, tmp_path):
    first = run("grade", "class", "-a", "teller/", "--csv", "-")
    class_folder.rename(tmp_path / "other")
    again = run("grade", "other", "-a", "teller/", "--csv", "-", "--details")
    assert (again.out, again.err) == (first.out, "pitboss: 3 unchanged and not run again; --fresh runs all\n")
