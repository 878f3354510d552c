"""What was run and has not changed is not run again: the same is printed and written, and it is said."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ORDINARY, ROOT, TOY, Said

UNCHANGED = "pitboss: unchanged since an earlier run, and not run again; --fresh runs it\n"
RIGHT = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"
WRONG = "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"
ENDLESS = "#!/bin/sh\nprintf 'Opening balance: '; read x; while :; do :; done\n"


@pytest.fixture
def mine(tmp_path):
    """A submission, and beside it a copy of the assignment."""
    (tmp_path / "mine").mkdir()
    shutil.copy(RIGHT, tmp_path / "mine")
    shutil.copytree(TOY, tmp_path / "teller")
    return tmp_path / "mine"


@pytest.fixture
def run(pitboss, tmp_path):
    """pitboss, with a folder for what it keeps."""

    def command(*words, **environment):
        caches = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
        return pitboss(*words, **{**caches, **environment})

    return command


@pytest.fixture
def check(run):
    return lambda *words, **environment: run("check", "mine", "-a", "teller/", *words, **environment)


def reports_in(folder):
    """The reports that are kept; the compiled library is, too, and which compilers work."""
    return [
        path for path in (folder / "caches").glob("pitboss/*") if not path.name.startswith(("determinism-", "trial-"))
    ]


def is_known(said):
    return said.err == UNCHANGED


@pytest.mark.parametrize("program", [None, WRONG], ids=["accepted", "wrong"])
def test_the_same_is_printed_and_written_and_nothing_is_run(mine, check, tmp_path, program):
    if program:
        (mine / "teller.c").unlink()
        (mine / "teller.sh").write_text(program)
    first = check("--json", "one.json", "--html", "one.html")
    again = check("--json", "two.json", "--html", "two.html")
    assert first == Said(1 if program else 0, again.out, "")
    assert (again.code, again.err) == (first.code, UNCHANGED)
    for kind in ("json", "html"):
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert json.loads(check("--json", "-").out) == json.loads((tmp_path / "one.json").read_text())


def test_nothing_that_runs_programs_is_even_imported(mine, check, tmp_path):
    check()
    code = "import sys; from pitboss.cli.main import exit_code_of as run; run(sys.argv[1:]); print(sorted(sys.modules))"
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT / "harness"),
        "XDG_CACHE_HOME": str(tmp_path / "caches"),
    }
    argv = [sys.executable, "-c", code, "check", "mine", "-a", "teller/"]
    output = subprocess.run(argv, cwd=tmp_path, env={**environment, "COLUMNS": "80"}, capture_output=True, text=True)
    assert output.stderr == UNCHANGED
    for name in (
        "pitboss.checking.check",
        "pitboss.sessions.drivers",
        "pitboss.assignments.yamlfile",
        "yaml",
        "pexpect",
    ):
        assert f"'{name}'" not in output.stdout


def test_fresh_runs_it_and_keeps_it_again(mine, check, tmp_path):
    first = check()
    (entry,) = reports_in(tmp_path)
    kept = entry.stat().st_ino
    assert check("--fresh") == first
    assert entry.stat().st_ino != kept
    assert is_known(check())


CHANGES = {
    "a source": lambda place: (place / "mine" / "teller.c").write_text(RIGHT.read_text() + "\n"),
    "a header": lambda place: (place / "mine" / "own.h").write_text("/* */\n"),
    "a data file": lambda place: (place / "mine" / "data.txt").write_text("1\n"),
    "the assignment": lambda place: append(place / "teller" / "assignment.yaml", "# a word\n"),
    "a spec": lambda place: append(place / "teller" / "teller.yaml", "# a word\n"),
    "the reference": lambda place: append(place / "teller" / "teller", "# a word\n"),
    "a limit": lambda place: replace(place / "teller" / "assignment.yaml", "idle_s: 2", "idle_s: 3"),
}


def append(path, text):
    path.write_text(path.read_text() + text)


def replace(path, old, new):
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_any_change_is_run_again_and_the_way_back_is_known(mine, check, tmp_path):
    first = check()
    for name, change in CHANGES.items():
        shutil.copytree(mine, tmp_path / "mine before", dirs_exist_ok=True)
        shutil.copytree(tmp_path / "teller", tmp_path / "teller before", dirs_exist_ok=True)
        change(tmp_path)
        assert not is_known(check()), name
        for folder in ("mine", "teller"):
            shutil.rmtree(tmp_path / folder)
            (tmp_path / f"{folder} before").rename(tmp_path / folder)
        assert check() == Said(first.code, first.out, UNCHANGED), name


@pytest.mark.parametrize(
    "words",
    [["--all"], ["--hidden"], ["--case", "deposit and withdraw"], ["teller"], ["--sandbox", "landlock"]],
    ids=lambda words: words[0],
)
def test_another_question_is_another(mine, check, words):
    check()
    assert not is_known(check(*words))
    assert is_known(check())


def test_how_many_cores_and_what_is_written_is_the_same_question(mine, check):
    check("--jobs", "1")
    assert is_known(check("--jobs", "2", "--html", "page.html"))


def test_another_compiler_is_another_question(mine, check, tmp_path):
    check()
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "cc"
    wrapper.write_text('#!/bin/sh\nexec /usr/bin/cc "$@"\n')
    wrapper.chmod(0o755)
    path = f"{tmp_path / 'bin'}:/usr/local/bin:/usr/bin:/bin"
    assert not is_known(check(PATH=path))
    assert is_known(check(PATH=path))
    wrapper.write_text('#!/bin/sh\nexec /usr/bin/cc -O2 "$@"\n')
    assert not is_known(check(PATH=path))


def test_another_pitboss_is_another_question(mine, check, tmp_path):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "harness" / "pitboss", tmp_path / "ours" / "pitboss", ignore=ignored)
    check(PYTHONPATH=str(tmp_path / "ours"))
    assert is_known(check(PYTHONPATH=str(tmp_path / "ours")))
    append(tmp_path / "ours" / "pitboss" / "compare" / "seeded.py", "# a word\n")
    assert not is_known(check(PYTHONPATH=str(tmp_path / "ours")))


def test_what_ran_out_of_time_is_run_again(mine, check):
    (mine / "teller.c").unlink()
    (mine / "teller.sh").write_text(ENDLESS)
    first, again = check(), check()
    assert "time limit exceeded" in first.out
    assert again.err == ""


def test_what_nothing_confines_is_not_kept(mine, check, tmp_path):
    check("--sandbox", "none")
    assert reports_in(tmp_path) == []


def test_where_nothing_can_be_kept_it_is_reported_once_and_done_without(mine, check, tmp_path):
    (tmp_path / "caches").write_text("")
    output = f"pitboss: {tmp_path}/caches/pitboss: results cannot be cached here: {tmp_path}/caches is not a folder\n"
    assert [check().err for _ in range(2)] == [output, output]
    assert check(XDG_CACHE_HOME="", HOME="").err == ""


@pytest.mark.needs("root")
def test_a_folder_of_another_user_is_not_looked_into(mine, check, tmp_path):
    check()
    os.chown(tmp_path / "caches" / "pitboss", ORDINARY, ORDINARY)
    remedy = "set XDG_CACHE_HOME to a folder of yours"
    output = f"{tmp_path}/caches/pitboss: it belongs to another user, so results are not cached; {remedy}\n"
    assert check().err == f"pitboss: {output}"


def test_it_can_be_switched_off(mine, check, tmp_path):
    check(PITBOSS_WITHOUT="cache")
    assert reports_in(tmp_path) == []


def test_the_help_says_where_and_how_much(run):
    output = " ".join(run("check", "--help").out.split())
    where = "in ~/.cache/pitboss (or in $XDG_CACHE_HOME/pitboss), at most 256 MB of them."
    assert (
        f"--fresh Run everything, even what has not changed since an earlier run. Reports are cached {where}" in output
    )


@pytest.fixture
def folder(mine, tmp_path):
    """A class of three."""
    for name in ("ada", "brian", "ken"):
        shutil.copytree(mine, tmp_path / "class" / name)
    (tmp_path / "class" / "brian" / "teller.c").unlink()
    (tmp_path / "class" / "brian" / "teller.sh").write_text(WRONG)
    return tmp_path / "class"


def test_of_a_class_those_that_changed_are_run_again(folder, run, tmp_path):
    def grade(number, *words):
        return run("grade", "class", "-a", "teller/", "--json", f"{number}.json", "--html", f"{number}", *words)

    first, again = grade(1), grade(2)
    assert (first.err, again) == (
        "",
        Said(1, first.out, "pitboss: 3 unchanged and not run again; --fresh runs all\n"),
    )
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()
    for page in (tmp_path / "1").iterdir():
        assert page.read_bytes() == (tmp_path / "2" / page.name).read_bytes()
    append(folder / "ada" / "teller.c", "\n")
    append(folder / "ken" / "teller.c", "\n")
    assert grade(3) == Said(1, first.out, "pitboss: 2 run, 1 unchanged and not run again; --fresh runs all\n")
    assert grade(4, "--fresh") == first
    append(tmp_path / "teller" / "teller", "# a word\n")
    assert grade(5) == first


def test_a_class_that_was_moved_is_unchanged(folder, run, tmp_path):
    first = run("grade", "class", "-a", "teller/", "--csv", "-")
    folder.rename(tmp_path / "other")
    again = run("grade", "other", "-a", "teller/", "--csv", "-", "--details")
    assert (again.out, again.err) == (first.out, "pitboss: 3 unchanged and not run again; --fresh runs all\n")
