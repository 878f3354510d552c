import errno
import os
import shutil
import struct

import pytest

from pitboss.checking.check import check
from pitboss.machine import abi
from pitboss.model.transcript import Ending, EndingKind
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.executables import explain_start_failure
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program

#: The first 16 bytes of an ELF file.
ELF_IDENTIFICATION = b"\x7fELF\x02\x01\x01" + bytes(9)


def elf_header(machine, kind=2):
    """The header of an ELF file; kind 2 is an executable program."""
    return ELF_IDENTIFICATION + struct.pack("<HH", kind, machine) + bytes(44)


def teller_makefile(*commands, source=""):
    """A makefile whose target teller runs these commands."""
    return f"{source}teller:\n" + "".join(f"\t{command}\n" for command in commands)


#: Makefiles that create no program, although make succeeds, and how this is reported.
NOT_BUILT = {
    "a folder": (teller_makefile("mkdir teller"), "teller is a folder, not a program."),
    "nothing": (teller_makefile("true"), "did not create a program named teller."),
    "an empty file": (teller_makefile(": >teller", "chmod +x teller"), "teller is an empty file."),
    "a text": (
        teller_makefile("echo hello >teller", "chmod +x teller"),
        "teller is text, not a program; a script begins with a line that names its interpreter, such as #!/bin/sh.",
    ),
    "not executable": (
        teller_makefile("printf '#!/bin/sh\\necho hi\\n' >teller", "chmod -x teller"),
        "teller is not executable (run: chmod +x teller).",
    ),
    "an interpreter that is missing": (
        teller_makefile("printf '#!/usr/bin/python9\\n' >teller", "chmod +x teller"),
        "teller needs the interpreter /usr/bin/python9, which is not there.",
    ),
    "a script from Windows": (
        teller_makefile("printf '#!/bin/sh\\r\\necho hi\\r\\n' >teller", "chmod +x teller"),
        "teller is a script with Windows line endings, so “/bin/sh” is not found.",
    ),
    "a first line without an interpreter": (
        teller_makefile("printf '#!\\necho\\n' >teller", "chmod +x teller"),
        "teller is a script whose first line names no interpreter, such as #!/bin/sh.",
    ),
    "another machine's program": (
        teller_makefile("cp for_aarch64 teller", "chmod +x teller"),
        "teller is a program for aarch64, and this is x86_64.",
    ),
    "an object file": (
        teller_makefile("cc -c -o teller teller.c", "chmod +x teller"),
        "teller is an object file, not a program: it was compiled (-c) but not linked.",
    ),
    "a loader that is missing": (
        teller_makefile("cc -Wl,--dynamic-linker=/lib/ld-nowhere.so -o teller teller.c"),
        "teller needs the loader /lib/ld-nowhere.so, which is not there.",
    ),
    "a program that is cut off": (
        teller_makefile("printf '\\177ELF\\002\\001' >teller", "chmod +x teller"),
        "teller is a program that is cut off after 6 bytes.",
    ),
}


def check_teller(toy, folder, driver="watched", sandbox="landlock"):
    return check(Job(toy, toy.stages, find_conditions(driver, sandbox), "teller"), folder, cores=1)


def write_submission(folder, makefile):
    """Write a submission with this makefile, the source of a C program, and a file for another machine."""
    (folder / "Makefile").write_text(makefile)
    (folder / "for_aarch64").write_bytes(elf_header(183))  # the number of aarch64 in ELF files
    (folder / "teller.c").write_text("int main(void) { return 0; }\n")


@pytest.mark.parametrize("name", NOT_BUILT)
def test_a_makefile_that_creates_no_program_is_a_compile_error(toy, tmp_path, name):
    makefile, reason = NOT_BUILT[name]
    write_submission(tmp_path, makefile)
    stage = check_teller(toy, tmp_path).stages[0]
    assert (stage.verdict.value, stage.summary) == ("COMPILE_ERROR", f"make succeeded, but {reason}")


#: Makefiles of programs that pitboss accepts after the build but the kernel cannot start, and how this is reported.
NOT_STARTED = {
    "an interpreter by a relative path": (
        teller_makefile("printf '#!./interpreter\\n' >teller", "chmod +x teller"),
        "It could not be started: teller needs the interpreter ./interpreter, which is not there.",
    ),
    "a program for Windows": (
        teller_makefile("printf 'MZ%0200d' 0 >teller", "chmod +x teller"),
        "It could not be started: teller is a program for Windows.",
    ),
    "a library that is missing": (
        teller_makefile(
            "cc -shared -o libmoney.so teller.c",
            "cc -o teller teller.c -Wl,--no-as-needed -L. -lmoney",
            "rm libmoney.so",
        ),
        "It could not be started: it needs libmoney.so, which is not there.",
    ),
}


@pytest.mark.parametrize("sandbox", ["landlock", pytest.param("bubblewrap", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NOT_STARTED)
def test_a_program_that_the_kernel_cannot_start_is_a_run_time_error(toy, tmp_path, name, sandbox):
    makefile, sentence = NOT_STARTED[name]
    write_submission(tmp_path, makefile)
    stage = check_teller(toy, tmp_path, sandbox=sandbox).stages[0]
    assert stage.verdict.value == "RUN_TIME_ERROR"
    assert summary_of(stage.results[0]).startswith(sentence)


@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
def test_an_interpreter_that_the_sandbox_hides_is_reported(toy, tmp_path, sandbox):
    shell = tmp_path / "hidden" / "sh"
    shell.parent.mkdir()
    shutil.copy("/bin/sh", shell)
    folder = tmp_path / "ada"
    folder.mkdir()
    write_submission(folder, teller_makefile(f"printf '#!{shell}\\n' >teller", "chmod +x teller"))
    stage = check_teller(toy, folder, sandbox=sandbox).stages[0]
    sentence = f"It could not be started: teller needs the interpreter {shell}, which is not there."
    assert stage.verdict.value == "RUN_TIME_ERROR"
    assert summary_of(stage.results[0]).startswith(sentence)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.E2BIG, errno.EMFILE])
def test_a_shortage_on_this_machine_is_a_judge_error(toy, tmp_path, monkeypatch, number):
    (tmp_path / "teller.c").write_text("int main(void) { return 0; }\n")
    job = Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller")
    monkeypatch.setattr(abi.libc, "posix_spawn", lambda *_: number)
    monkeypatch.setattr("pitboss.sessions.tracing.driver.shortages.PATIENCE_S", 0.01)
    report = check(job, tmp_path, cores=1)
    assert report.verdict.value == "JUDGE_ERROR"
    assert os.strerror(number) in report.faults[0]


def test_a_runtime_or_reference_that_cannot_be_started_is_a_fault(tmp_path):
    ending = Ending(EndingKind.NOT_STARTED, detail="No such file or directory")
    program = Program(("/usr/bin/dotnet", "a.dll"), tmp_path)
    assert explain_start_failure(ending, program) == Ending(
        EndingKind.FAULT, detail="/usr/bin/dotnet could not be started: No such file or directory"
    )
    trusted = Program((str(tmp_path / "reference"),), tmp_path, is_trusted=True)
    assert explain_start_failure(ending, trusted).kind is EndingKind.FAULT


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
def test_the_expecting_driver_reports_a_missing_interpreter_too(toy, tmp_path, sandbox):
    write_submission(tmp_path, teller_makefile("printf '#!./interpreter\\n' >teller", "chmod +x teller"))
    stage = check_teller(toy, tmp_path, "expecting", sandbox).stages[0]
    assert stage.verdict.value == "RUN_TIME_ERROR"
    assert b"Traceback" not in stage.results[0].actual.text
