"""A program that cannot be started is the student's, with the reason in a sentence; what we lack is ours."""

import errno
import os
import shutil
import struct

import pytest

from pitboss.checking.check import check
from pitboss.model.transcript import Ending, EndingKind
from pitboss.reports.finding_sentences import summary_of
from pitboss.sandbox import abi
from pitboss.sessions.binaries import with_start_failure_explained
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program

ELF = b"\x7fELF\x02\x01\x01" + bytes(9)


def elf(machine, kind=2):
    return ELF + struct.pack("<HH", kind, machine) + bytes(44)


def made(*commands, source=""):
    return f"{source}teller:\n" + "".join(f"\t{command}\n" for command in commands)


#: What a makefile makes, and what is said of it once it is built.
NOT_BUILT = {
    "a folder": (made("mkdir teller"), "teller is a folder, not a program."),
    "nothing": (made("true"), "did not create a program named teller."),
    "an empty file": (made(": >teller", "chmod +x teller"), "teller is an empty file."),
    "a text": (
        made("echo hello >teller", "chmod +x teller"),
        "teller is text, not a program; a script begins with a line that names its interpreter, such as #!/bin/sh.",
    ),
    "not executable": (
        made("printf '#!/bin/sh\\necho hi\\n' >teller", "chmod -x teller"),
        "teller is not executable (run: chmod +x teller).",
    ),
    "an interpreter that is missing": (
        made("printf '#!/usr/bin/python9\\n' >teller", "chmod +x teller"),
        "teller needs the interpreter /usr/bin/python9, which is not there.",
    ),
    "a script from Windows": (
        made("printf '#!/bin/sh\\r\\necho hi\\r\\n' >teller", "chmod +x teller"),
        "teller is a script with Windows line endings, so “/bin/sh” is not found.",
    ),
    "a first line that says nothing": (
        made("printf '#!\\necho\\n' >teller", "chmod +x teller"),
        "teller is a script whose first line names no interpreter, such as #!/bin/sh.",
    ),
    "another machine's program": (
        made("cp given teller", "chmod +x teller"),
        "teller is a program for aarch64, and this is x86_64.",
    ),
    "an object file": (
        made("cc -c -o teller teller.c", "chmod +x teller"),
        "teller is an object file, not a program: it was compiled (-c) but not linked.",
    ),
    "a loader that is missing": (
        made("cc -Wl,--dynamic-linker=/lib/ld-nowhere.so -o teller teller.c"),
        "teller needs the loader /lib/ld-nowhere.so, which is not there.",
    ),
    "a program that is cut off": (
        made("printf '\\177ELF\\002\\001' >teller", "chmod +x teller"),
        "teller is a program that is cut off after 6 bytes.",
    ),
}


def report_of(toy, folder, driver="watched", sandbox="landlock"):
    return check(Job(toy, toy.stages, find_conditions(driver, sandbox), "teller"), folder, count=1)


def handed_in(folder, makefile):
    (folder / "Makefile").write_text(makefile)
    (folder / "given").write_bytes(elf(183))
    (folder / "teller.c").write_text("int main(void) { return 0; }\n")


@pytest.mark.parametrize("name", NOT_BUILT)
def test_what_is_no_program_is_not_built(toy, tmp_path, name):
    makefile, reason = NOT_BUILT[name]
    handed_in(tmp_path, makefile)
    stage = report_of(toy, tmp_path).stages[0]
    start = "make succeeded, but "
    assert (stage.verdict.value, stage.summary) == ("COMPILE_ERROR", f"{start}{reason}")


#: What only the kernel finds: where the program runs something is missing.
NOT_STARTED = {
    "an interpreter by a relative path": (
        made("printf '#!./interpreter\\n' >teller", "chmod +x teller"),
        "It could not be started: teller needs the interpreter ./interpreter, which is not there.",
    ),
    "a program for Windows": (
        made("printf 'MZ%0200d' 0 >teller", "chmod +x teller"),
        "It could not be started: teller is a program for Windows.",
    ),
    "a library that is missing": (
        made(
            "cc -shared -o libmoney.so teller.c",
            "cc -o teller teller.c -Wl,--no-as-needed -L. -lmoney",
            "rm libmoney.so",
        ),
        "It could not be started: it needs libmoney.so, which is not there.",
    ),
}


@pytest.mark.parametrize("sandbox", ["landlock", pytest.param("bubblewrap", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NOT_STARTED)
def test_what_the_kernel_refuses_is_a_run_time_error(toy, tmp_path, name, sandbox):
    makefile, sentence = NOT_STARTED[name]
    handed_in(tmp_path, makefile)
    stage = report_of(toy, tmp_path, sandbox=sandbox).stages[0]
    assert stage.verdict.value == "RUN_TIME_ERROR"
    assert summary_of(stage.results[0]).startswith(sentence)


@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
def test_an_interpreter_that_the_sandbox_hides_is_reported(toy, tmp_path, sandbox):
    shell = tmp_path / "hidden" / "sh"
    shell.parent.mkdir()
    shutil.copy("/bin/sh", shell)
    folder = tmp_path / "ada"
    folder.mkdir()
    handed_in(folder, made(f"printf '#!{shell}\\n' >teller", "chmod +x teller"))
    stage = report_of(toy, folder, sandbox=sandbox).stages[0]
    sentence = f"It could not be started: teller needs the interpreter {shell}, which is not there."
    assert stage.verdict.value == "RUN_TIME_ERROR"
    assert summary_of(stage.results[0]).startswith(sentence)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.E2BIG, errno.EMFILE])
def test_what_this_machine_is_short_of_is_ours(toy, tmp_path, monkeypatch, number):
    (tmp_path / "teller.c").write_text("int main(void) { return 0; }\n")
    job = Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller")
    monkeypatch.setattr(abi.libc, "posix_spawn", lambda *_: number)
    monkeypatch.setattr("pitboss.sessions.tracing.loop.shortages.PATIENCE_S", 0.01)
    report = check(job, tmp_path, count=1)
    assert report.verdict.value == "JUDGE_ERROR"
    assert os.strerror(number) in report.faults[0]


def test_a_runtime_of_ours_that_cannot_be_started_is_ours(tmp_path):
    ending = Ending(EndingKind.NOT_STARTED, detail="No such file or directory")
    program = Program(("/usr/bin/mono", "a.exe"), tmp_path)
    assert with_start_failure_explained(ending, program) == Ending(
        EndingKind.FAULT, detail="/usr/bin/mono could not be started: No such file or directory"
    )
    trusted = Program((str(tmp_path / "reference"),), tmp_path, is_trusted=True)
    assert with_start_failure_explained(ending, trusted).kind is EndingKind.FAULT


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
def test_the_expecting_driver_holds_it_against_the_program_too(toy, tmp_path, sandbox):
    handed_in(tmp_path, made("printf '#!./interpreter\\n' >teller", "chmod +x teller"))
    stage = report_of(toy, tmp_path, "expecting", sandbox).stages[0]
    assert stage.verdict.value == "RUN_TIME_ERROR"
    assert b"Traceback" not in stage.results[0].actual.text
