"""The clock that programs see: distinct for each session, moved by what was skipped, and no way to wait for nothing."""

import os
import re
import subprocess

import pytest

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Paused, Shown, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import preloading
from pitboss.sessions.determinism import _FIELDS, SeededEnvironment
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.preloading import built, folder_of_environments, may_draw
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.sessions.tracing.pause_lengths import COMPUTED_NS
from tests.drivers import DriverInside

LIMITS = Limits(cpu_s=1, idle_s=5)
HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/time.h>\n#include <sys/times.h>\n#include <time.h>\n#include <unistd.h>\n"


DRIVERS = {
    "watched": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.NONE)),
    "watched, Landlock": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.LANDLOCK)),
    "watched, bubblewrap": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
    "watched, bubblewrap with a process inside": lambda program: DriverInside(
        program, LIMITS, Sandbox(Level.BUBBLEWRAP)
    ),
    "expecting": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.NONE)),
    "expecting, Landlock": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.LANDLOCK)),
    "expecting, bubblewrap": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
}


def held(path, count=1, driver="watched, Landlock"):
    with DRIVERS[driver](Program((str(path),), path.parent)) as sessions:
        output = [
            transcript
            for _, transcript in sessions.sessions(Script(typing(()), environment_seed=world) for world in range(count))
        ]
    assert [transcript.ending for transcript in output] == [exited()] * count
    return output


@pytest.mark.parametrize("driver", DRIVERS)
def test_each_session_begins_at_another_second(compiled, driver):
    path = compiled(f'{HEAD}int main(void) {{ printf("%ld", (long)time(NULL)); return 0; }}')
    seconds = [transcript.text for transcript in held(path, 20, driver)]
    assert len(set(seconds)) == 20


@pytest.fixture
def busy_core():
    """One core for this process and its children, which eight others keep busy."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    # Each in a session of its own: the kernel may share a core among sessions first.
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True) for _ in range(8)]
    yield
    for one in others:
        one.kill()
        one.wait()
    os.sched_setaffinity(0, before)


@pytest.mark.slow
@pytest.mark.parametrize("driver", [one for one in DRIVERS if one.startswith("expecting")])
def test_a_busy_machine_does_not_begin_to_let_time_pass_before_the_program_draws(compiled, busy_core, driver):
    """It computes for some tenths of a second of its own, as an interpreter does that starts."""
    computes = "for (volatile long i = 0; i < 400000000; i++) {}"
    looks = 'struct timespec t; clock_gettime(CLOCK_REALTIME, &t); printf("%ld%09ld", t.tv_sec, t.tv_nsec);'
    path = compiled(f"{HEAD}int main(void) {{ {computes} {looks} return 0; }}")
    world = SeededEnvironment(None)
    for number, transcript in enumerate(held(path, 2, driver)):
        world.begin(number)
        # What it computes counts, in quarters of a second.
        assert int(transcript.text) - world.now_ns(0, 0) < 500_000_000


#: The time on a clock in seconds, by every function that tells it.
TELLS = {
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


@pytest.mark.parametrize("name", TELLS)
def test_a_pause_moves_every_clock(compiled, name):
    """By a hundred seconds: what the program itself takes may come to one more."""
    body = f"struct timeval v; struct timespec t; struct tms used; long a = {TELLS[name]}; sleep(100);"
    path = compiled(f'{HEAD}int main(void) {{ {body} printf("%ld", {TELLS[name]} - a); return 0; }}')
    ((pause, output),) = [transcript.events for transcript in held(path)]
    assert pause == Paused(100_000)
    assert output.text in (b"100", b"101")


def test_a_deadline_goes_by_the_clock_that_was_moved(compiled):
    """A program that adds to a deadline, and one that asks for the time again, sleep as long."""
    sleeps = 'clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); printf("."); fflush(stdout);'
    path = compiled(
        f"{HEAD}int main(void) {{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);"
        f" for (int i = 0; i < 3; i++) {{ t.tv_sec += 2; {sleeps} }}"
        f" clock_gettime(CLOCK_MONOTONIC, &t); t.tv_sec += 2; {sleeps} return 0; }}"
    )
    (transcript,) = held(path)
    assert transcript.events == (Paused(2000), Shown(b".")) * 4


BUSY = {
    "clock_gettime": "struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); do clock_gettime(CLOCK_MONOTONIC, &b);"
    " while (b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9 < 2);",
    "gettimeofday": "struct timeval a, b; gettimeofday(&a, NULL); do gettimeofday(&b, NULL);"
    " while (b.tv_sec - a.tv_sec + (b.tv_usec - a.tv_usec) / 1e6 < 2);",
    "clock": "clock_t a = clock(); while (clock() < a + 2 * CLOCKS_PER_SEC);",
}


@pytest.mark.parametrize("name", BUSY)
def test_who_waits_by_looking_at_the_clock_again_and_again_pauses(compiled, name):
    """It would have computed for two seconds, and may for one."""
    path = compiled(f'{HEAD}int main(void) {{ puts("a"); fflush(stdout); {BUSY[name]} puts("b"); return 0; }}')
    (transcript,) = held(path)
    assert transcript.events == (Shown(b"a\n"), Paused(2000), Shown(b"b\n"))


def test_two_such_waits_are_two_pauses(compiled):
    wait = "a = clock(); while (clock() - a < CLOCKS_PER_SEC);"
    body = f'clock_t a; {wait} puts("a"); fflush(stdout); {wait} puts("b"); return 0;'
    (transcript,) = held(compiled(f"{HEAD}int main(void) {{ {body} }}"))
    assert transcript.events == (Paused(1000), Shown(b"a\n"), Paused(1000), Shown(b"b\n"))


def test_a_whole_second_is_waited_for_until_it_comes(compiled):
    """As in real time: some part of the first second has passed when it is looked at."""
    path = compiled(f"{HEAD}int main(void) {{ time_t a = time(NULL); while (time(NULL) < a + 2); return 0; }}")
    ((pause,),) = [transcript.events for transcript in held(path)]
    assert 1000 <= pause.duration_ms <= 2000


def test_python_that_looks_at_the_clock_again_and_again_pauses(reachable):
    path = reachable / "p.py"
    path.write_text("#!/usr/bin/python3\nimport time\nt = time.monotonic()\nwhile time.monotonic() < t + 2: pass\n")
    path.chmod(0o755)
    assert [transcript.events for transcript in held(path)] == [(Paused(2000),)]


def test_clocks_that_are_looked_at_now_and_then_are_no_wait(compiled):
    """Each look but the last of a thousand is followed by some work."""
    body = (
        "struct timespec t; volatile long x = 0; for (int i = 0; i < 3000; i++) { clock_gettime(CLOCK_MONOTONIC, &t);"
    )
    path = compiled(f"{HEAD}int main(void) {{ {body} for (int j = 0; j < 20000; j++) x++; }} return 0; }}")
    (transcript,) = held(path)
    assert transcript.events == ()


def test_the_library_is_loaded_only_where_a_clock_may_be_read(compiled):
    reads = compiled(f"{HEAD}int main(void) {{ return time(NULL) == 0; }}")
    starts = compiled(f'{HEAD}int main(void) {{ return system("date"); }}')
    sleeps = compiled(f'{HEAD}int main(void) {{ srand(3); printf("%d", rand()); sleep(2); return 0; }}', "-g")
    assert not may_draw(Program((str(sleeps),), sleeps.parent))
    for path in (reads, starts):
        assert may_draw(Program((str(path),), path.parent))
    assert may_draw(Program(("/usr/bin/python3", "x.py"), reads.parent))


@pytest.mark.needs("musl")
def test_a_program_of_another_c_library_has_the_clock_too(reachable):
    source = reachable / "p.c"
    source.write_text(
        f'{HEAD}int main(void) {{ long a = time(NULL); sleep(9); printf("%ld", time(NULL) - a); return 0; }}'
    )
    subprocess.run(["musl-gcc", "-o", reachable / "p", source], check=True, timeout=60)
    (transcript,) = held(reachable / "p")
    assert transcript.events == (Paused(9000), Shown(b"9"))


@pytest.mark.parametrize("driver", [name for name in DRIVERS if "," in name])
def test_a_program_cannot_set_its_clock(compiled, driver):
    path = compiled(
        "#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <time.h>\n"
        'int main(void) { char *p = getenv("PITBOSS_DETERMINISM"); time(NULL);'
        ' printf("%d %d %d", open(p, O_RDWR), truncate(p, 0), unlink(p)); return 0; }'
    )
    (transcript,) = held(path, driver=driver)
    assert transcript.text == b"-1 -1 -1"


def _links():
    for name in os.listdir("/proc/self/fd"):
        try:
            yield os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            pass


def test_nothing_of_a_clock_is_left(compiled, reachable, monkeypatch):
    path = compiled(f"{HEAD}int main(void) {{ return time(NULL) == 0; }}")
    monkeypatch.setattr("tempfile.tempdir", str(reachable))
    held(path)
    for driver in ("watched", "watched, Landlock", "expecting"):
        held(path, driver=driver)
    assert [name for name in os.listdir(reachable) if "clock" in name] == []
    assert len([link for link in _links() if "clock" in link]) == 0


def test_worlds_begin_at_seconds_of_their_own(reachable):
    one = SeededEnvironment(str(reachable))
    seconds = set()
    for number in range(1000):
        one.begin(number)
        seconds.add(one.now_ns(0, 0))
    assert len(seconds) == 1000
    one.close()


def test_without_a_compiler_the_clock_is_the_machines(monkeypatch, reachable):
    built.cache_clear()
    monkeypatch.setenv("PATH", str(reachable))
    try:
        with folder_of_environments(Program(("/usr/bin/python3",), reachable)) as folder:
            assert folder is None
    finally:
        built.cache_clear()


def test_the_source_says_what_the_numbers_are():
    clocks = (preloading._SOURCE.parent / "clocks.c").read_text()
    assert re.search(rf"int64_t ns\[{preloading.REPORTED_TIMES}\]", clocks)
    assert re.search(rf"QUARTER_NS \(NS / {10**9 // COMPUTED_NS}\)", clocks)
    fields = preloading._SOURCE.read_text().partition("struct environment {")[2].partition("};")[0]
    assert len(re.findall(r"\w+(?=[,;])", re.sub(r"/\*.*?\*/", "", fields, flags=re.DOTALL))) == _FIELDS.size // 8
