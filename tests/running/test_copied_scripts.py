"""Scripts of Python are copied once their interpreter has started: no session tells, and none passes by chance."""

import os

import pytest

from pitboss.harness.machine.limits import Limits
from pitboss.harness.machine.sandbox import Level, Sandbox
from pitboss.harness.running.copying import is_script, may_be_copied
from pitboss.harness.running.expecting import ExpectingDriver
from pitboss.harness.running.programs import Program
from pitboss.harness.submissions.build import interpreter
from pitboss.harness.transcripts.scripts import Script, typing
from pitboss.harness.transcripts.transcript import EndingKind
from tests.drivers import SANDBOXES, held, texts

#: All that a script can see of itself, but for the user, the numbers of its children, and the map of its memory.
SEES = """\
import atexit, fcntl, gc, locale, os, random, resource, signal, sys, threading, time
def show(*values):
    print(*values)
show(sys.argv, sys.orig_argv, sys.path, list(sys.modules), sys.flags, __name__, __file__)
show(hash("abc"), {"clubs", "hearts", "spades", "diamonds"}, random.random(), os.urandom(8), os.getrandom(8))
show(time.time(), time.monotonic(), time.perf_counter(), time.process_time(), time.thread_time())
show(os.getpid(), os.getppid(), os.getsid(0) == os.getpgrp() == os.getpid(), threading.main_thread().native_id)
show(threading.get_ident(), id(object()), id(show), id(sys.modules["__main__"]), sys.getallocatedblocks())
show(gc.get_count(), gc.get_stats(), len(gc.get_objects()), sys.getrefcount(None))
show(os.listdir("/proc/self/fd"), [(os.isatty(n), fcntl.fcntl(n, fcntl.F_GETFL), fcntl.fcntl(n, fcntl.F_GETFD)) for n in range(3)])
show(sys.stdout.line_buffering, sys.stdin.line_buffering, sys.stdout.encoding, sys.stdin.seekable(), sys.stdout.mode)
show(locale.getpreferredencoding(), sys.getfilesystemencoding(), os.get_terminal_size(), os.umask(0o22), os.nice(0))
show([str(signal.getsignal(n)) for n in signal.valid_signals()], signal.pthread_sigmask(0, []), signal.getitimer(0))
show([resource.getrlimit(n) for n in range(10)], os.listdir("."), len(os.getcwd()), threading.active_count())
show(sorted((k, v) for k, v in os.environ.items() if k not in ("HOME", "TMPDIR", "LD_PRELOAD") and "PITBOSS" not in k))
show(open("/proc/self/comm").read(), open("/proc/self/cmdline").read())
told = ("Name", "Umask", "State", "Threads", "SigPnd", "SigBlk", "SigIgn", "SigCgt", "Seccomp")
show([line for line in open("/proc/self/status") if line.partition(":")[0] in told])
atexit.register(show, "at exit")
other = threading.Thread(target=show, args=("in a thread",))
other.start()
other.join()
with os.popen("echo from a shell") as shell:
    show(shell.read(), os.system("exit 3"))
sys.stdout.flush()
child = os.fork()
if child == 0:
    show("in a child", random.random(), os.getrandom(4))
    sys.exit(5)
show(os.waitpid(child, 0)[1], input("? "))
"""


def script(folder, text):
    path = folder / "it.py"
    path.write_text(text)
    return Program((interpreter(), str(path)), folder)


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_copy_sees_what_a_script_sees_whose_interpreter_is_started(reachable, copied, sandbox):
    program = script(reachable, SEES)
    by_exec = texts(held(program, range(20), start="exec", sandbox=sandbox, lines=(b"typed",), at_once=1))
    assert copied == []
    by_fork = texts(held(program, range(20), sandbox=sandbox, lines=(b"typed",), at_once=1))
    assert len(copied) == 19
    assert len(set(by_exec)) == 20
    for one, other in zip(by_exec, by_fork, strict=True):
        assert one.splitlines() == other.splitlines()


DRAWS = "import os, random, time\nprint(random.random(), os.urandom(4), time.time(), os.getpid())\n"


def test_what_is_drawn_is_that_of_the_world_where_nobody_watches_too(reachable):
    program = script(reachable, DRAWS)
    watched = texts(held(program, range(10)))
    with ExpectingDriver(program, Limits(idle_s=2), Sandbox(Level.NONE)) as sessions:
        told = dict(sessions.sessions(Script(typing(()), (), world=world) for world in range(10)))
    unwatched = texts([told[number] for number in range(10)])
    assert [one.split()[:2] for one in unwatched] == [one.split()[:2] for one in watched]
    assert len(set(watched)) == 10


def test_which_programs_are_scripts(reachable):
    path = reachable / "it.py"
    assert is_script(Program(("/usr/bin/python3", str(path)), reachable))
    assert may_be_copied(Program(("/opt/python/bin/python3.13", str(path)), reachable))
    for argv in (
        ("/usr/bin/python3", "-O", str(path)),
        ("/usr/bin/python3", "/somewhere/else.py"),
        ("/usr/bin/python3",),
        ("/usr/bin/python2", str(path)),
        ("/usr/bin/perl", str(path)),
        (str(reachable / "python3"), str(path)),
    ):
        assert not may_be_copied(Program(argv, reachable)), argv


#: Interpreters of somebody's own, which are called as Python is.
OTHERS = {
    "says something first": 'puts("hello"); fopen(words[1], "r"); puts("there");',
    "opens no script": 'puts("hello"); puts("there");',
    "asks first": 'puts("hello"); getchar(); fopen(words[1], "r"); puts("there");',
    "sleeps first": 'puts("hello"); sleep(1); fopen(words[1], "r"); puts("there");',
    "has a child": 'int child = fork(); if (!child) { pause(); } fopen(words[1], "r"); kill(child, 9); puts("hello\\nthere");',
    "ends at once": 'puts("hello\\nthere"); fflush(stdout); _exit(0);',
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_is_called_as_python_is_and_starts_otherwise_is_started_for_each_session(
    compiled, reachable, copied, other, left_running
):
    heads = "#include <signal.h>\n#include <stdio.h>\n#include <unistd.h>\n"
    path = compiled(f"{heads}int main(int count, char **words) {{ {OTHERS[other]} return 0; }}")
    (reachable / "python").mkdir()
    own = reachable / "python" / "python3"
    path.rename(own)
    submission = reachable / "submission"
    submission.mkdir()
    (submission / "it.py").write_text("")
    program = Program((str(own), str(submission / "it.py")), submission)
    told = held(program, range(20), sandbox="none", lines=(b"x",))
    assert {one.text for one in told} == {b"hello\nthere\n"}
    assert copied == []
    assert left_running(own.name) == []


HARM = {
    "kills all": "os.kill(-1, 9)",
    "leaves a file": "open('left', 'w')",
    "leaves a child": "os.fork() or os.setsid() or [time.sleep(1) for _ in iter(int, 1)]",
    "never ends": "while True: pass",
    "raises": "raise KeyError(1)",
    "closes all": "os.closerange(0, 300)",
    "execs another": "os.execl('/bin/true', 'true')",
}


@pytest.mark.parametrize("harm", HARM)
def test_what_a_session_does_is_nothing_to_the_next(reachable, copied, harm, left_running):
    text = f"import os, sys, time\nprint(os.listdir('.'), int(input()))\nsys.stdout.flush()\n{HARM[harm]}\n"
    program = script(reachable, text)
    worlds = [0, 1, 8, 9, 16] if harm == "never ends" else range(20)
    by_exec = held(program, worlds, start="exec", lines=(b"7",))
    by_fork = held(program, worlds, lines=(b"7",))
    assert by_fork == by_exec
    assert copied
    assert left_running("it.py") == []


def test_a_limit_counts_for_each_copy_alone(reachable):
    used = "import time\nbegan = time.process_time()\nfor _ in range(3_000_000): pass\nprint('done')\n"
    told = held(script(reachable, used), range(20))
    assert {one.ending.kind for one in told} == {EndingKind.EXITED}


def test_nothing_is_left_open(reachable):
    program = script(reachable, "print('done')\n")
    held(program, range(3))
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        assert len(texts(held(program, range(30)))) == 30
    assert sorted(os.listdir("/proc/self/fd")) == before
