import msgspec
import pytest

from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.submissions import build as building
from pitboss.submissions import toolchains
from pitboss.submissions.compilers import Build
from pitboss.submissions.toolchains import toolchain_of

CONDITIONS = Conditions("watched", Sandbox(Level.NONE))
#: The languages, and the optional software that each needs.
LANGUAGES = {"c": (), "cpp": ("C++",), "make": (), "python": (), "shell": (), "java": ("Java",), "csharp": (".NET",)}


@pytest.fixture(autouse=True)
def no_earlier_trials(tmp_path, monkeypatch):
    """Start each test with no remembered trials, neither in the cache folder nor in memory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(building, "_TRIED", {})


@pytest.mark.parametrize("driver", ["watched", "expecting"])
@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
@pytest.mark.parametrize(
    "language",
    [
        pytest.param(name, marks=(pytest.mark.needs(*needs), *([pytest.mark.slow] if needs else ())))
        for name, needs in LANGUAGES.items()
    ],
)
def test_each_installed_toolchain_passes_its_trial(language, level, driver):
    toolchain = toolchain_of(language)
    # As root without bubblewrap, a dotnet in a closed home folder cannot be used.
    refusals = [find_tool(command).refusal(level) for command in toolchain.commands]
    assert building.why_unusable(toolchain, Conditions(driver, Sandbox(level))) == "".join(refusals)


def record_builds(toolchain, builds):
    """This toolchain, changed so that each build appends the name of its program to `builds`."""

    def build(source, into, run):
        builds.append(source.program)
        return toolchain.build(source, into, run)

    return msgspec.structs.replace(toolchain, build=build)


def test_a_passed_trial_is_repeated_only_for_another_sandbox_or_machine(monkeypatch):
    builds = []
    toolchain = record_builds(toolchain_of("c"), builds)
    for _ in range(2):
        monkeypatch.setattr(building, "_TRIED", {})
        assert building.why_unusable(toolchain, CONDITIONS) == ""
    assert builds == ["greet"]
    assert building.why_unusable(toolchain, Conditions("watched", Sandbox(Level.LANDLOCK))) == ""
    assert builds == ["greet"] * 2
    monkeypatch.setattr(building, "_TRIED", {})
    monkeypatch.setattr(toolchains, "digest_of_machine", lambda environment: "another")
    assert building.why_unusable(toolchain, CONDITIONS) == ""
    assert builds == ["greet"] * 3


#: How a broken toolchain builds, and the reason that is reported.
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


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_trial_is_reported_and_repeated_by_the_next_run(failure, monkeypatch):
    builds = []
    failing_build, reason = FAILURES[failure]
    broken = record_builds(msgspec.structs.replace(toolchain_of("c"), build=failing_build), builds)
    assert building.why_unusable(broken, CONDITIONS) == f"cc does not work here: {reason}"
    assert builds == ["greet"] * 2  # a trial that fails is tried once more
    monkeypatch.setattr(building, "_TRIED", {})
    building.why_unusable(broken, CONDITIONS)
    assert builds == ["greet"] * 4


def test_a_broken_compiler_is_a_fault_and_not_blamed_on_the_submission(toy, tmp_path, monkeypatch):
    failing_build, reason = FAILURES["builds nothing"]
    broken = msgspec.structs.replace(toolchain_of("c"), build=failing_build)
    monkeypatch.setattr(building, "toolchain_of", lambda language: broken)
    (tmp_path / "teller.c").write_text("int main(void) { return x; }\n")
    report = check(Job(toy, toy.stages, CONDITIONS, "toy"), tmp_path, cores=1)
    assert report.verdict is Verdict.JUDGE_ERROR
    assert report.faults == (f"teller could not be built on this machine: cc does not work here: {reason}.",)
