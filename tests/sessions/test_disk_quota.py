import contextlib
import json
import mmap
import os
import subprocess

import pytest

from pitboss.machine import processes, scratch
from pitboss.model.invocation import File, Invocation, Script, script_of_lines
from pitboss.model.transcript import EndingKind
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import session_files
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files import FolderQuota
from pitboss.sessions.tracing.driver import TracingDriver

#: Writes MOST files of a megabyte each, slowly enough for the size of the folder to be measured meanwhile.
WRITER_SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char megabyte[1 << 20];

int main(int count, char **words)
{
    const char *home = getenv("HOME");
    puts("Writing");
    fflush(stdout);
    for (int i = 0; i < MOST; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s/%d", home, i);
        FILE *file = fopen(name, "w");
        if (!file || fwrite(megabyte, 1, sizeof megabyte, file) != sizeof megabyte)
            return 1;
        fclose(file);
        usleep(3000);
    }
    puts("done");
    return 0;
}
"""
LIMITS = Limits(file_mb=2, cpu_s=5)
DRIVERS = {
    "watched": lambda program, level: TracingDriver(program, LIMITS, Sandbox(level)),
    "expecting": lambda program, level: ExpectingDriver(program, LIMITS, Sandbox(level)),
}


@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("file_count", "kind"), [(5, EndingKind.EXITED), (100_000, EndingKind.OVER_FOLDER)])
def test_many_files_together_exceed_the_folder_limit(compiled, driver, level, file_count, kind):
    path = compiled(WRITER_SOURCE.replace("MOST", str(file_count)), "-w")
    with DRIVERS[driver](Program((str(path),), path.parent), level) as opened_driver:
        ((_, transcript),) = opened_driver.sessions([Script(script_of_lines(()))])
    assert transcript.ending.kind is kind


#: Writes a megabyte again and again where it is hard to find, as the word after the program says.
HIDING_SOURCE = r"""
#define _GNU_SOURCE
#include <semaphore.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static char megabyte[1 << 20];

static const char *way;

static void *write_files(void *nothing)
{
    char name[30];
    chdir(getenv("HOME"));
    memset(megabyte, 'x', sizeof megabyte);
    mkdir("closed", strcmp(way, "folder") ? 0700 : 0300);
    if (!strcmp(way, "process")) prctl(PR_SET_DUMPABLE, 0);
    for (int i = 0; i < 100; i++) {
        sprintf(name, "closed/%d", i);
        int file = !strcmp(way, "unnamed") ? open(".", O_TMPFILE | O_RDWR, 0600)
            : !strcmp(way, "memory") ? memfd_create("memory", 0)
            : open(name, O_CREAT | O_RDWR, 0600);
        if (write(file, megabyte, sizeof megabyte) != sizeof megabyte) exit(1);
        if (strcmp(way, "folder") && strcmp(way, "list")) unlink(name);
        if (!strcmp(way, "mapped")) {
            mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
            close(file);
        }
        if (!strcmp(way, "list")) chmod("closed", 0400);
        usleep(3000);
        chmod("closed", strcmp(way, "folder") ? 0700 : 0300);
    }
    return 0;
}

int main(int count, char **words)
{
    pthread_t thread;
    way = strstr(words[0], "hides-") + 6;
    if (!strcmp(way, "nothing")) { /* semaphores, as Python's multiprocessing has them */
        for (int i = 0; i < 50; i++) {
            sem_open("/mine", O_CREAT, 0600, 1);
            sem_unlink("/mine");
            usleep(3000);
        }
        return 0;
    }
    if (strcmp(way, "thread")) return write_files(0) != 0;
    pthread_create(&thread, 0, write_files, 0);
    pthread_exit(0);
}
"""
WAYS = ("deleted", "folder", "list", "mapped", "memory", "process", "thread", "unnamed")
#: Run by some user: prints how each way ends, in a session and in a build.
HIDING_SCRIPT = """
import json, sys
from pathlib import Path
from pitboss.model.invocation import Script, script_of_lines
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.limits import Limits
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.submissions.confined_commands import run_confined
from pitboss.machine import scratch

level, folder = Level(sys.argv[1]), Path(sys.argv[2])
for path in sorted(folder.glob("hides-*")):
    endings = []
    for driver_type in (TracingDriver, ExpectingDriver):
        with driver_type(Program((str(path),), folder), Limits(file_mb=2, cpu_s=5), Sandbox(level)) as driver:
            ((_, transcript),) = driver.sessions([Script(script_of_lines(()))])
        endings.append(transcript.ending.kind.value)
    with scratch.folder("build") as build:
        (Path(build) / path.name).write_bytes(path.read_bytes())
        (Path(build) / path.name).chmod(0o755)
        endings.append(run_confined([f"{build}/{path.name}"], Path(build), Sandbox(level)).why_stopped)
    print(json.dumps([path.name, endings]))
"""


@pytest.mark.parametrize("user", ["root", "ordinary user"])
@pytest.mark.parametrize(
    "level", [Level.LANDLOCK, pytest.param(Level.BUBBLEWRAP, marks=pytest.mark.needs("bubblewrap"))]
)
def test_files_count_where_they_are_hidden(compiled, command_as, level, user):
    path = compiled(HIDING_SOURCE, "-w", "-pthread")
    for way in (*WAYS, "nothing"):
        path.with_name(f"hides-{way}").write_bytes(path.read_bytes())
        path.with_name(f"hides-{way}").chmod(0o755)
    argv, environment = command_as(user)
    argv = [*argv[: argv.index("-m")], "-c", HIDING_SCRIPT, level.value, path.parent]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    stops = dict.fromkeys(WAYS, "it wrote more than 32 MB into its folder")
    if user != "root":  # whom no process can keep from looking
        stops["process"] = "it created more than 50,000 files, or some that cannot be counted"
    expected_endings = {f"hides-{way}": [EndingKind.OVER_FOLDER.value] * 2 + [stop] for way, stop in stops.items()}
    expected_endings["hides-nothing"] = [EndingKind.EXITED.value] * 2 + [""]
    assert dict(map(json.loads, done.stdout.splitlines())) == expected_endings


def test_a_folder_is_measured_while_the_program_prints(compiled):
    printing = 'if (fork() == 0) for (;;) { puts("more"); fflush(stdout); usleep(500); }'
    source = WRITER_SOURCE.replace("MOST", "100").replace('puts("Writing");', printing)
    path = compiled(source, "-w")
    with DRIVERS["expecting"](Program((str(path),), path.parent), Level.LANDLOCK) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines(()))])
    assert transcript.ending.kind is EndingKind.OVER_FOLDER


def test_files_that_are_removed_meanwhile_hide_no_others(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(bytes(1 << 20))
    (tmp_path / "gone").touch()
    with os.scandir(tmp_path) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name == "file")
    (tmp_path / "gone").unlink()
    monkeypatch.setattr(scratch.os, "scandir", lambda folder: contextlib.nullcontext(ordered))
    assert scratch.used_bytes(str(tmp_path)) >= 1 << 20


@pytest.mark.parametrize("driver", DRIVERS)
def test_an_input_file_is_not_what_a_program_writes(compiled, driver):
    path = compiled('int main(void) { for (long i = 0; i < 200000000; i++) __asm__(""); return 0; }', "-w")
    invocation = Invocation(input_file=File("in.txt", bytes(9 << 20)))
    script = Script(script_of_lines(()), invocation=invocation)
    with DRIVERS[driver](Program((str(path),), path.parent), Level.LANDLOCK) as opened_driver:
        ((_, transcript),) = opened_driver.sessions([script])
    assert transcript.ending.kind is EndingKind.EXITED


def test_a_folder_is_measured_only_at_intervals(tmp_path, monkeypatch):
    """Between two measurements, a folder is never reported as over its limit."""
    times, measured_folders = iter([0.0, 0.01, 0.03, 0.04, 0.06]), []
    monkeypatch.setattr(session_files.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(scratch, "used_bytes", lambda folder: measured_folders.append(folder) or (9 << 20))
    quota = FolderQuota(LIMITS, Script(script_of_lines(())))
    assert [quota.is_over(str(tmp_path), list) for _ in range(4)] == [False, True, False, True]
    assert measured_folders == [str(tmp_path)] * 2


@pytest.mark.parametrize(
    ("name", "is_unmapped", "counted"),
    [("data", False, 1 << 20), ("sem.Ab12Cd", False, 0), ("hsperfdata_ada/123", False, 0), ("data", True, 0)],
)
def test_a_mapped_file_whose_size_is_not_shown(tmp_path, monkeypatch, name, is_unmapped, counted):
    """A JVM deletes a mapped file before it ends; a process that ends maps nothing any more."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(bytes(4096))
    with path.open("r+b") as file:
        mapping, inode = mmap.mmap(file.fileno(), 4096), os.fstat(file.fileno()).st_ino
    path.unlink()
    stat = os.stat

    def refuse(place, *arguments, **keywords):
        if "/map_files/" not in str(place):
            return stat(place, *arguments, **keywords)
        if is_unmapped:
            mapping.close()
        raise PermissionError(place)

    monkeypatch.setattr(os, "stat", refuse)
    with mapping:
        mapped_bytes = processes._mapped_unnamed_files(f"/proc/{os.getpid()}", 1 << 20)
    assert mapped_bytes.get(inode, 0) == counted


@pytest.mark.needs("root")
def test_root_sees_the_size_of_a_mapped_file(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(bytes(8192))
    with path.open("r+b") as file:
        mapping, inode = mmap.mmap(file.fileno(), 4096), os.fstat(file.fileno()).st_ino
    path.unlink()
    with mapping:
        places = processes._places(os.getpid())
        assert processes._mapped_unnamed_files(places[0], 1 << 20)[inode] == 8192
