"""Output stays in the transcript, and the echo of typed lines stays out, whatever the program does to its terminal.

A person at the terminal would have seen the output before the program discarded it.
"""

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Paused, Remark, Shown, Typed
from pitboss.sandbox import filters
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
#: Writes "wrong", does what a test inserts, and writes "right". Both must be in the transcript.
PROGRAM = 'int main(void) { char a[99]; say("wrong"); %s say("right\\n"); return 0; }'
#: C code that discards what was written. Each request succeeds; what a terminal has not shown yet would be lost.
#: 0x540B is TCFLSH, the request of tcflush(3): with 0 it discards input, with 1 output, with 2 both.
FLUSHES = {
    "TCOFLUSH": "if (ioctl(1, 0x540B, 1)) say(strerror(errno));",
    "TCIOFLUSH": "if (ioctl(1, 0x540B, 2)) say(strerror(errno));",
    "by the descriptor of standard input": "if (ioctl(0, 0x540B, 1)) say(strerror(errno));",
    "of a copy": "if (ioctl(dup(1), 0x540B, 1)) say(strerror(errno));",
    "TCSETSF": "struct termios t; ioctl(1, TCGETS, &t); if (ioctl(1, TCSETSF, &t)) say(strerror(errno)); ioctl(1, 0x540B, 1);",
    "by a child": "if (vfork() == 0) { ioctl(1, 0x540B, 1); _exit(0); }",
}


def run_session(driver, path, sandbox, *lines):
    with driver(Program((str(path),), path.parent), Limits(idle_s=2), sandbox) as sessions:
        ((_, transcript),) = sessions.sessions([Script(script_of_lines(lines), ())])
    return transcript


@pytest.mark.parametrize("sandbox", [NONE, LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
@pytest.mark.parametrize("flush", FLUSHES)
def test_text_that_a_program_discards_stays_in_the_transcript(compiled, flush, sandbox):
    program = compiled(HEAD + PROGRAM % FLUSHES[flush])
    assert run_session(TracingDriver, program, sandbox).text == b"wrongright\n"


@pytest.mark.parametrize("sandbox", [LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
def test_discarded_text_stays_under_the_expecting_driver_too(compiled, sandbox):
    program = compiled(HEAD + PROGRAM % FLUSHES["TCOFLUSH"])
    assert run_session(ExpectingDriver, program, sandbox).text == b"wrongright\n"


#: One thread flushes a descriptor, while another switches the descriptor between /dev/null and the terminal.
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


def test_a_thread_that_swaps_descriptors_cannot_discard_text(compiled):
    program = compiled(HEAD + SWAPS, "-pthread")
    assert run_session(TracingDriver, program, LANDLOCK).text == b"wrong" * 500


def test_a_flush_of_the_input_discards_the_rest_of_a_line(compiled):
    """The program reads one byte of a line, and the flush discards the others, as at a person's terminal."""
    reads = "read(0, a, 1); ioctl(0, 0x540B, %d); a[read(0, a, 98)] = 0; say(a);"
    for discarded, then_read in ((0, b"next\n"), (1, b"irst\n"), (2, b"next\n")):  # input, output, both
        output = run_session(TracingDriver, compiled(HEAD + PROGRAM % (reads % discarded)), LANDLOCK, b"first", b"next")
        assert output.text == b"wrong" + then_read + b"right\n"


def test_a_flush_that_the_kernel_would_refuse_is_refused(compiled):
    """The errno is that of tcflush(3)."""
    attempt = 'errno = 0; ioctl(%s, 0x540B, %d); if (errno == %s) say("refused ");'
    refused_flushes = (  # the descriptor, what to discard, and the errno
        ("1", 7, "EINVAL"),
        ("99", 1, "EBADF"),
        ('open("/dev/null", 2)', 1, "ENOTTY"),
    )
    attempts = "".join(attempt % flush for flush in refused_flushes)
    assert (
        run_session(TracingDriver, compiled(HEAD + PROGRAM % attempts), LANDLOCK).text
        == b"wrongrefused refused refused right\n"
    )


#: Sets a mode by the obsolete struct termio: echo, translations, and n as the interrupt key, which discards output.
TERMIO_MODE = (
    "struct termio t; ioctl(1, TCGETA, &t); t.c_oflag |= 0007; t.c_iflag |= 0400; t.c_lflag |= 0111; t.c_cc[0] = 'n';"
    " if (ioctl(1, %s, &t)) say(strerror(errno)); a[read(0, a, 98)] = 0; say(a);"
)


@pytest.mark.parametrize("request_", ["TCSETA", "TCSETAW", "TCSETAF"])
def test_the_echo_stays_out_also_if_it_is_set_by_the_obsolete_termio_requests(compiled, request_):
    output = run_session(TracingDriver, compiled(HEAD + PROGRAM % (TERMIO_MODE % request_)), LANDLOCK, b"next")
    # The program itself writes the line that it has read.
    assert output.events == (Shown(b"wrong"), Typed(b"next"), Shown(b"next\nright\n"))
    assert output.remarks == (Remark.ECHO,)


def test_text_after_suspended_output_stays_in_the_transcript(compiled):
    """The program suspends output by TCXONC (0x540A), as tcflow(3) does, and waits until its child resumes it."""
    suspension = "ioctl(1, 0x540A, 0); if (vfork() == 0) { ioctl(1, 0x540A, 1); _exit(0); }"
    assert run_session(TracingDriver, compiled(HEAD + PROGRAM % suspension), LANDLOCK).text == b"wrongright\n"


@pytest.mark.parametrize("driver", [TracingDriver, ExpectingDriver])
def test_requests_that_type_or_hang_up_are_refused(compiled, driver):
    attempts = "".join(
        f"errno = 0; int n{number} = 0;"
        f' if (ioctl(0, {number:#x}, &n{number}) == 0 || errno != EPERM) say("ESCAPED {number:#x} ");'
        for number in (*filters.TERMINAL_REQUESTS, *filters.OWNER_REQUESTS)
    )
    assert run_session(driver, compiled(HEAD + PROGRAM % attempts), LANDLOCK).text == b"wrongright\n"


def test_a_pause_before_a_flush_keeps_its_place(compiled):
    output = run_session(TracingDriver, compiled(HEAD + PROGRAM % "sleep(1); ioctl(1, 0x540B, 1);"), LANDLOCK)
    assert output.events == (Shown(b"wrong"), Paused(1000), Shown(b"right\n"))
