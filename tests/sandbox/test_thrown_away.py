"""What a program has written stays written, and what is typed stays off the screen, whatever it does to its terminal.

A person at the terminal would have seen the text before the program throws it away.
"""

import pytest

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Paused, Remark, Shown, Typed
from pitboss.sandbox import requests
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver

NONE, LANDLOCK, BUBBLEWRAP = (Sandbox(level) for level in (Level.NONE, Level.LANDLOCK, Level.BUBBLEWRAP))

HEAD = """
#define _GNU_SOURCE
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
static void say(char *text) { if (write(1, text, strlen(text)) < 0) _exit(9); }
"""
SAID = 'int main(void) { char a[99]; say("wrong"); %s say("right\\n"); return 0; }'
#: Ways to throw away what was written; each returns 0, and on a terminal of one's own the text would be gone.
FLUSHES = {
    "TCOFLUSH": "if (ioctl(1, 0x540B, 1)) say(strerror(errno));",
    "TCIOFLUSH": "if (ioctl(1, 0x540B, 2)) say(strerror(errno));",
    "of standard input": "if (ioctl(0, 0x540B, 1)) say(strerror(errno));",
    "of a copy": "if (ioctl(dup(1), 0x540B, 1)) say(strerror(errno));",
    "TCSETSF": "struct termios t; ioctl(1, TCGETS, &t); if (ioctl(1, TCSETSF, &t)) say(strerror(errno)); ioctl(1, 0x540B, 1);",
    "by a child": "if (vfork() == 0) { ioctl(1, 0x540B, 1); _exit(0); }",
}


def run(driver, path, sandbox, *lines):
    with driver(Program((str(path),), path.parent), Limits(idle_s=2), sandbox) as sessions:
        ((_, transcript),) = sessions.sessions([Script(typing(lines), ())])
    return transcript


@pytest.mark.parametrize("sandbox", [NONE, LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
@pytest.mark.parametrize("way", FLUSHES)
def test_text_that_a_program_throws_away_has_been_seen(compiled, way, sandbox):
    program = compiled(HEAD + SAID % FLUSHES[way])
    assert run(TracingDriver, program, sandbox).text == b"wrongright\n"


@pytest.mark.parametrize("sandbox", [LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
def test_nor_is_it_thrown_away_where_nobody_watches(compiled, sandbox):
    program = compiled(HEAD + SAID % FLUSHES["TCOFLUSH"])
    assert run(ExpectingDriver, program, sandbox).text == b"wrongright\n"


#: One thread flushes a file that is no terminal, and another puts the terminal in its place meanwhile.
SWAPS = """
static int other;
static void *swap(void *nothing) { for (;;) { dup2(1, 9); dup2(other, 9); } }
int main(void)
{
    pthread_t thread;
    other = open("/dev/null", O_RDWR);
    dup2(other, 9);
    pthread_create(&thread, NULL, swap, NULL);
    for (int i = 0; i < 500; i++) {
        say("wrong");
        ioctl(9, 0x540B, 1);
    }
    _exit(0);
}
"""


def test_nor_while_another_thread_swaps_the_terminal_for_another_file(compiled):
    program = compiled(HEAD + SWAPS, "-pthread")
    assert run(TracingDriver, program, LANDLOCK).text == b"wrong" * 500


def test_a_flush_of_what_was_typed_is_one(compiled):
    """Of a line that was read in part, the rest is gone, as at a person's terminal."""
    reads = "read(0, a, 1); ioctl(0, 0x540B, %d); a[read(0, a, 98)] = 0; say(a);"
    for queue, left in ((0, b"next\n"), (1, b"irst\n"), (2, b"next\n")):
        output = run(TracingDriver, compiled(HEAD + SAID % (reads % queue)), LANDLOCK, b"first", b"next")
        assert output.text == b"wrong" + left + b"right\n"


def test_a_flush_that_the_kernel_would_refuse_is_refused(compiled):
    """With the errno of tcflush(3)."""
    tried = 'errno = 0; ioctl(%s, 0x540B, %d); if (errno == %s) say("refused ");'
    asked = "".join(
        tried % case for case in (("1", 7, "EINVAL"), ("99", 1, "EBADF"), ('open("/dev/null", 2)', 1, "ENOTTY"))
    )
    assert run(TracingDriver, compiled(HEAD + SAID % asked), LANDLOCK).text == b"wrongrefused refused refused right\n"


#: The old way to set a mode, with echo, translations, and a key that throws away what was written.
OLD = (
    "struct termio t; ioctl(1, TCGETA, &t); t.c_oflag |= 0007; t.c_iflag |= 0400; t.c_lflag |= 0111; t.c_cc[0] = 'n';"
    " if (ioctl(1, %s, &t)) say(strerror(errno)); a[read(0, a, 98)] = 0; say(a);"
)


@pytest.mark.parametrize("request_", ["TCSETA", "TCSETAW", "TCSETAF"])
def test_the_old_way_to_set_a_mode_shows_no_more_than_the_new_one(compiled, request_):
    output = run(TracingDriver, compiled(HEAD + SAID % (OLD % request_)), LANDLOCK, b"next")
    assert output.events == (Shown(b"wrong"), Typed(b"next"), Shown(b"next\nright\n"))
    assert output.remarks == (Remark.ECHO,)


def test_text_that_is_held_back_for_a_while_is_seen_when_it_comes(compiled):
    """The output is stopped by tcflow(3): the writer waits until it goes on."""
    held = "ioctl(1, 0x540A, 0); if (vfork() == 0) { ioctl(1, 0x540A, 1); _exit(0); }"
    assert run(TracingDriver, compiled(HEAD + SAID % held), LANDLOCK).text == b"wrongright\n"


@pytest.mark.parametrize("driver", [TracingDriver, ExpectingDriver])
def test_what_would_type_or_hang_up_is_refused(compiled, driver):
    tries = "".join(
        f'errno = 0; int n = 0; if (ioctl(0, {number:#x}, &n) == 0 || errno != EPERM) say("ESCAPED {number:#x} ");'.replace(
            "int n", f"int n{number}"
        ).replace("&n)", f"&n{number})")
        for number in (*requests.OF_TERMINALS, *requests.OF_OWNERS)
    )
    assert run(driver, compiled(HEAD + SAID % tries), LANDLOCK).text == b"wrongright\n"


def test_pauses_between_stay_where_they_are(compiled):
    output = run(TracingDriver, compiled(HEAD + SAID % "sleep(1); ioctl(1, 0x540B, 1);"), LANDLOCK)
    assert output.events == (Shown(b"wrong"), Paused(1000), Shown(b"right\n"))
