"""No toolchain is trusted before a program of ours was built and run by it; what then fails is no student's failure."""

import msgspec
import pytest

from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.submissions import build as building
from pitboss.submissions import trials
from pitboss.submissions.compilers import Build
from pitboss.submissions.toolchains import Toolchain, toolchains_of

HERE = Conditions("watched", Sandbox(Level.NONE))
LANGUAGES = {"c": (), "cpp": ("C++",), "make": (), "python": (), "shell": (), "java": ("Java",), "csharp": ("Mono",)}


@pytest.fixture(autouse=True)
def nothing_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(building, "_TRIED", {})


@pytest.mark.parametrize("driver", ["watched", "expecting"])
@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
@pytest.mark.parametrize(
    "language",
    [
        pytest.param(name, marks=(pytest.mark.needs(*parts), *([pytest.mark.slow] if parts else ())))
        for name, parts in LANGUAGES.items()
    ],
)
def test_what_is_installed_here_works(language, level, driver):
    for toolchain in toolchains_of(language):
        assert building.refusal_by_trial(toolchain, Conditions(driver, Sandbox(level))) == ""


def counting(toolchain, builds):
    """A toolchain that notes each build."""

    def build(source, into, run):
        builds.append(source.program)
        return toolchain.build(source, into, run)

    return msgspec.structs.replace(toolchain, build=build)


def test_what_works_is_not_tried_again_until_the_machine_is_another(monkeypatch):
    builds = []
    toolchain = counting(toolchains_of("c")[0], builds)
    for _ in range(2):
        monkeypatch.setattr(building, "_TRIED", {})
        assert building.refusal_by_trial(toolchain, HERE) == ""
    assert builds == ["greet"]
    assert building.refusal_by_trial(toolchain, Conditions("watched", Sandbox(Level.LANDLOCK))) == ""
    assert builds == ["greet"] * 2
    monkeypatch.setattr(building, "_TRIED", {})
    monkeypatch.setattr(trials, "digest_of_machine", lambda environment: "another")
    assert building.refusal_by_trial(toolchain, HERE) == ""
    assert builds == ["greet"] * 3


#: How a toolchain fails, and what is said of it.
FAILURES = {
    "builds nothing": (
        lambda source, into, run: Build(None, reason="cc could not build greet: error: no crt1.o."),
        "a program that greets could not be built: cc could not build greet: error: no crt1.o",
    ),
    "runs nothing": (
        lambda source, into, run: Build(Program(("/bin/sh", "-c", "echo no libc; exit 127"), into)),
        "a program that greets was built but does not run (exit code 127): “no libc”",
    ),
    "is killed": (
        lambda source, into, run: Build(Program(("/bin/sh", "-c", "kill -SEGV $$"), into)),
        "a program that greets was built but does not run (SIGSEGV): it printed nothing",
    ),
    "greets nobody": (
        lambda source, into, run: Build(Program(("/bin/sh", "-c", "echo 'Name: Hello, !'"), into)),
        "a program that greets was built but does not run (exited): “Name: Hello, !”",
    ),
}


@pytest.mark.parametrize("how", FAILURES)
def test_what_fails_is_reported_and_tried_again_by_the_next_run(how, monkeypatch):
    builds = []
    fails, output = FAILURES[how]
    broken = counting(msgspec.structs.replace(toolchains_of("c")[0], build=fails), builds)
    assert building.refusal_by_trial(broken, HERE) == output
    assert builds == ["greet"] * 2
    monkeypatch.setattr(building, "_TRIED", {})
    building.refusal_by_trial(broken, HERE)
    assert builds == ["greet"] * 4


def test_a_machine_whose_compiler_does_not_work_is_no_failure_of_a_submission(toy, tmp_path, monkeypatch):
    fails, output = FAILURES["builds nothing"]
    broken = msgspec.structs.replace(toolchains_of("c")[0], build=fails)
    monkeypatch.setattr(building, "toolchains_of", lambda language: (broken,))
    (tmp_path / "teller.c").write_text("int main(void) { return x; }\n")
    report = check(Job(toy, toy.stages, HERE, "toy"), tmp_path, count=1)
    assert report.verdict is Verdict.JUDGE_ERROR
    assert report.faults == (f"teller could not be built on this machine: cc does not work here: {output}.",)


def test_the_next_one_of_a_language_is_taken_and_the_report_says_so(toy, tmp_path, monkeypatch):
    fails, output = FAILURES["runs nothing"]
    (works,) = toolchains_of("c")
    broken = Toolchain("c", "tcc", ("cc",), fails)
    monkeypatch.setattr(building, "toolchains_of", lambda language: (broken, works))
    (tmp_path / "teller.c").write_text("int main(void) { return 0; }\n")
    (stage,) = check(Job(toy, toy.stages, HERE, "toy"), tmp_path, count=1).stages
    assert stage.made_with == f"tcc does not work here: {output}. It was built by cc."
