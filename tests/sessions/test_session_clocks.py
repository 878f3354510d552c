import os
import re
import subprocess

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Paused, Shown, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import determinism
from pitboss.sessions.determinism import _FIELDS, SeededEnvironment, folder_of_environments, may_draw, preloaded_library
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.sessions.tracing.session_events import COMPUTED_NS
from tests.drivers import InhabitedBubblewrapDriver

LIMITS = Limits(cpu_s=1, idle_s=5)
C_HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/time.h>\n#include <sys/times.h>\n#include <time.h>\n#include <unistd.h>\n"


DRIVERS = {
    "watched": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.NONE)),
    "watched, Landlock": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.LANDLOCK)),
    "watched, bubblewrap": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
    "watched, bubblewrap with a process inside": lambda program: InhabitedBubblewrapDriver(
        program, LIMITS, Sandbox(Level.BUBBLEWRAP)
    ),
    "expecting": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.NONE)),
    "expecting, Landlock": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.LANDLOCK)),
    "expecting, bubblewrap": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
}


def run_sessions(path, count=1, driver="watched, Landlock"):
    """Run sessions of a program with the seeds 0, 1, ...; return the transcripts."""
    with DRIVERS[driver](Program((str(path),), path.parent)) as sessions:
        transcripts = [
            transcript
            for _, transcript in sessions.sessions(
                Script(script_of_lines(()), environment_seed=seed) for seed in range(count)
            )
        ]
    assert [transcript.ending for transcript in transcripts] == [exited()] * count
    return transcripts


@pytest.mark.parametrize("driver", DRIVERS)
def test_each_session_begins_at_a_different_second(compiled, driver):
    path = compiled(f'{C_HEAD}int main(void) {{ printf("%ld", (long)time(NULL)); return 0; }}')
    seconds = [transcript.text for transcript in run_sessions(path, 20, driver)]
    assert len(set(seconds)) == 20


@pytest.fixture
def busy_core():
    """Restrict this process and its children to one core, which eight other processes keep busy."""
    allowed_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed_cores)})
    # Each in its own Unix session, since the kernel may divide a core among sessions first.
    busy_processes = [subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True) for _ in range(8)]
    yield
    for process in busy_processes:
        process.kill()
        process.wait()
    os.sched_setaffinity(0, allowed_cores)


@pytest.mark.slow
@pytest.mark.parametrize("driver", [name for name in DRIVERS if name.startswith("expecting")])
def test_waiting_for_a_busy_core_does_not_advance_the_clock(compiled, busy_core, driver):
    """The program computes for some tenths of a second first, as an interpreter does when it starts."""
    computes = "for (volatile long i = 0; i < 100000000; i++) {}"
    reads_clock = 'struct timespec t; clock_gettime(CLOCK_REALTIME, &t); printf("%ld%09ld", t.tv_sec, t.tv_nsec);'
    path = compiled(f"{C_HEAD}int main(void) {{ {computes} {reads_clock} return 0; }}")
    environment = SeededEnvironment(None)
    for seed, transcript in enumerate(run_sessions(path, 2, driver)):
        environment.begin(seed)
        # Only the program's own computing advances the clock, by quarters of a second.
        assert int(transcript.text) - environment.now_ns(0, 0) < 500_000_000


#: C expressions for the time in seconds, one for each function or clock that a program can read.
CLOCK_READS = {
    "time": "time(NULL)",
    "gettimeofday": "(gettimeofday(&v, NULL), v.tv_sec)",
    "clock_gettime": "(clock_gettime(CLOCK_REALTIME, &t), t.tv_sec)",
    "coarse": "(clock_gettime(CLOCK_REALTIME_COARSE, &t), t.tv_sec)",
    "monotonic": "(clock_gettime(CLOCK_MONOTONIC, &t), t.tv_sec)",
    "monotonic, coarse": "(clock_gettime(CLOCK_MONOTONIC_COARSE, &t), t.tv_sec)",
    "since boot": "(clock_gettime(CLOCK_BOOTTIME, &t), t.tv_sec)",
    "timespec_get": "(timespec_get(&t, TIME_UTC), t.tv_sec)",
    "times": "times(&used) / sysconf(_SC_CLK_TCK)",
}


@pytest.mark.parametrize("name", CLOCK_READS)
def test_a_pause_of_100_seconds_advances_every_clock(compiled, name):
    """The program's own running time may add one more second."""
    body = f"struct timeval v; struct timespec t; struct tms used; long a = {CLOCK_READS[name]}; sleep(100);"
    path = compiled(f'{C_HEAD}int main(void) {{ {body} printf("%ld", {CLOCK_READS[name]} - a); return 0; }}')
    ((pause, output),) = [transcript.events for transcript in run_sessions(path)]
    assert pause == Paused(100_000)
    assert output.text in (b"100", b"101")


def test_a_sleep_until_a_deadline_uses_the_advanced_clock(compiled):
    """Each sleep takes two seconds, whether the deadline is two seconds after the last one or after the time now."""
    sleeps = 'clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); printf("."); fflush(stdout);'
    path = compiled(
        f"{C_HEAD}int main(void) {{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"
        f" for (int i = 0; i < 3; i++) {{ t.tv_sec += 2; {sleeps} }}"
        f" clock_gettime(CLOCK_MONOTONIC, &t); t.tv_sec += 2; {sleeps} return 0; }}"
    )
    (transcript,) = run_sessions(path)
    assert transcript.events == (Paused(2000), Shown(b".")) * 4


BUSY_WAITS = {
    "clock_gettime": "struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); do clock_gettime(CLOCK_MONOTONIC, &b);"
    " while (b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9 < 2);",
    "gettimeofday": "struct timeval a, b; gettimeofday(&a, NULL); do gettimeofday(&b, NULL);"
    " while (b.tv_sec - a.tv_sec + (b.tv_usec - a.tv_usec) / 1e6 < 2);",
    "clock": "clock_t a = clock(); while (clock() < a + 2 * CLOCKS_PER_SEC);",
}


@pytest.mark.parametrize("name", BUSY_WAITS)
def test_a_busy_wait_on_a_clock_is_a_pause(compiled, name):
    """Otherwise the program would compute for two seconds, over its limit of one."""
    path = compiled(f'{C_HEAD}int main(void) {{ puts("a"); fflush(stdout); {BUSY_WAITS[name]} puts("b"); return 0; }}')
    (transcript,) = run_sessions(path)
    assert transcript.events == (Shown(b"a\n"), Paused(2000), Shown(b"b\n"))


def test_two_busy_waits_are_two_pauses(compiled):
    wait = "a = clock(); while (clock() - a < CLOCKS_PER_SEC);"
    body = f'clock_t a; {wait} puts("a"); fflush(stdout); {wait} puts("b"); return 0;'
    (transcript,) = run_sessions(compiled(f"{C_HEAD}int main(void) {{ {body} }}"))
    assert transcript.events == (Paused(1000), Shown(b"a\n"), Paused(1000), Shown(b"b\n"))


def test_a_busy_wait_for_a_whole_second_ends_when_that_second_begins(compiled):
    """As in real time, a part of the first second has passed when the program first reads the clock."""
    path = compiled(f"{C_HEAD}int main(void) {{ time_t a = time(NULL); while (time(NULL) < a + 2); return 0; }}")
    ((pause,),) = [transcript.events for transcript in run_sessions(path)]
    assert 1000 <= pause.duration_ms <= 2000


def test_a_busy_wait_in_python_is_a_pause(reachable):
    path = reachable / "p.py"
    path.write_text("#!/usr/bin/python3\nimport time\nt = time.monotonic()\nwhile time.monotonic() < t + 2: pass\n")
    path.chmod(0o755)
    assert [transcript.events for transcript in run_sessions(path)] == [(Paused(2000),)]


def test_clock_reads_with_work_between_them_are_no_wait(compiled):
    """The program works a little after each of 3000 reads."""
    body = (
        "struct timespec t; volatile long x = 0; for (int i = 0; i < 3000; i++) { clock_gettime(CLOCK_MONOTONIC, &t);"
    )
    path = compiled(f"{C_HEAD}int main(void) {{ {body} for (int j = 0; j < 20000; j++) x++; }} return 0; }}")
    (transcript,) = run_sessions(path)
    assert transcript.events == ()


def test_the_clock_library_is_preloaded_only_if_the_program_may_read_a_clock(compiled):
    reads = compiled(f"{C_HEAD}int main(void) {{ return time(NULL) == 0; }}")
    starts = compiled(f'{C_HEAD}int main(void) {{ return system("date"); }}')
    sleeps = compiled(f'{C_HEAD}int main(void) {{ srand(3); printf("%d", rand()); sleep(2); return 0; }}', "-g")
    assert not may_draw(Program((str(sleeps),), sleeps.parent))
    for path in (reads, starts):
        assert may_draw(Program((str(path),), path.parent))
    assert may_draw(Program(("/usr/bin/python3", "x.py"), reads.parent))


@pytest.mark.needs("musl")
def test_a_program_with_another_c_library_has_the_same_clock(reachable):
    source = reachable / "p.c"
    source.write_text(
        f'{C_HEAD}int main(void) {{ long a = time(NULL); sleep(9); printf("%ld", time(NULL) - a); return 0; }}'
    )
    subprocess.run(["musl-gcc", "-o", reachable / "p", source], check=True, timeout=60)
    (transcript,) = run_sessions(reachable / "p")
    assert transcript.events == (Paused(9000), Shown(b"9"))


@pytest.mark.parametrize("driver", [name for name in DRIVERS if "," in name])  # those with a sandbox
def test_a_program_cannot_set_its_clock(compiled, driver):
    path = compiled(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <time.h>\n"
        'int main(void) { char *p = getenv("PITBOSS_DETERMINISM"); time(NULL);'
        ' printf("%d %d %d", open(p, O_RDWR), truncate(p, 0), unlink(p)); return 0; }'
    )
    (transcript,) = run_sessions(path, driver=driver)
    assert transcript.text == b"-1 -1 -1"


def _paths_of_open_files():
    for name in os.listdir("/proc/self/fd"):
        try:
            yield os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            pass


def test_sessions_leave_no_file_of_their_clocks(compiled, reachable, monkeypatch):
    path = compiled(f"{C_HEAD}int main(void) {{ return time(NULL) == 0; }}")
    monkeypatch.setattr("tempfile.tempdir", str(reachable))
    run_sessions(path)
    for driver in ("watched", "watched, Landlock", "expecting"):
        run_sessions(path, driver=driver)
    assert [name for name in os.listdir(reachable) if "clock" in name] == []
    assert [path for path in _paths_of_open_files() if "clock" in path] == []


def test_a_thousand_seeds_begin_at_different_times(reachable):
    environment = SeededEnvironment(str(reachable))
    seconds = set()
    for seed in range(1000):
        environment.begin(seed)
        seconds.add(environment.now_ns(0, 0))
    assert len(seconds) == 1000
    environment.close()


def test_without_a_compiler_programs_see_the_clock_of_the_machine(monkeypatch, reachable):
    preloaded_library.cache_clear()
    monkeypatch.setenv("PATH", str(reachable))
    try:
        with folder_of_environments(Program(("/usr/bin/python3",), reachable)) as folder:
            assert folder is None
    finally:
        preloaded_library.cache_clear()


def test_constants_of_the_preloaded_library_match_those_in_python():
    clocks = (determinism._SOURCE.parent / "clocks.c").read_text()
    assert re.search(rf"int64_t ns\[{determinism.REPORTED_TIMES}\]", clocks)
    assert re.search(rf"QUARTER_NS \(NS / {10**9 // COMPUTED_NS}\)", clocks)
    struct = determinism._SOURCE.read_text().partition("struct environment {")[2].partition("};")[0]
    struct_without_comments = re.sub(r"/\*.*?\*/", "", struct, flags=re.DOTALL)
    field_names = re.findall(r"\w+(?=[,;])", struct_without_comments)
    assert len(field_names) == _FIELDS.size // 8  # each field has 8 bytes
