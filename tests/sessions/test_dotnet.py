import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import InputEnded, Shown, Typed
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver

#: Reads lines as dotnet does: key by key, echoing each key itself, until Enter or the terminal's end-of-file character.
LINE_READER_SOURCE = r"""
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

static int line(char *into)
{
    struct termios found, mode;
    int size = 0;
    char key;
    tcgetattr(0, &found);
    mode = found;
    mode.c_lflag &= ~(ICANON | ECHO);
    tcsetattr(0, TCSANOW, &mode);
    while (read(0, &key, 1) == 1 || 1) {
        if (size == 0 && key == found.c_cc[VEOF])
            return 0;
        write(1, &key, 1);
        if (key == '\n')
            break;
        into[size++] = key;
    }
    into[size] = 0;
    tcsetattr(0, TCSANOW, &found);
    return 1;
}

int main(void)
{
    char text[100];
    write(1, "Name? ", 6);
    while (line(text))
        dprintf(1, "<%s>\n", text);
    dprintf(1, "end\n");
    return 0;
}
"""
#: Reads keys as `Console.ReadKey()` does: the key that ends the input is a key, which is echoed.
KEY_READER_SOURCE = r"""
#include <termios.h>
#include <unistd.h>

int main(void)
{
    struct termios mode;
    char key = 0;
    write(1, "Any key? ", 9);
    tcgetattr(0, &mode);
    mode.c_lflag &= ~(ICANON | ECHO);
    tcsetattr(0, TCSANOW, &mode);
    for (int i = 0; i < 2 && read(0, &key, 1) == 1; i++)
        write(1, &key, 1);
    write(1, "\nBye\n", 5);
    return 0;
}
"""
#: Measures the machine as dotnet does: a thread reads the clock until 100 microseconds have passed. Prints 1 if the
#: thread read it fewer than 200 times, and the nanoseconds that have passed for the first thread.
CLOCK_READER_SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static long look(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *measure(void *looks)
{
    for (long began = look(); look() - began < 100000; ++*(long *)looks)
        ;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    long looks = 0, began = look();
    pthread_create(&thread, NULL, measure, &looks);
    pthread_join(thread, NULL);
    printf("%d %ld\n", looks < 200, look() - began);
    return 0;
}
"""


def transcript_of(make_driver, program, script):
    with make_driver(program) as driver:
        ((_, transcript),) = driver.sessions([script])
    return transcript


DRIVERS = [
    pytest.param(lambda program: TracingDriver(program, Limits(), Sandbox(Level.NONE)), id="watched"),
    pytest.param(lambda program: ExpectingDriver(program, Limits(), Sandbox(Level.NONE)), id="expecting"),
]


@pytest.mark.parametrize("driver", DRIVERS)
def test_keys_that_dotnet_echoes_itself_are_recorded_as_typed_lines(compiled, driver):
    path = compiled(LINE_READER_SOURCE, "-w")
    events = (
        *(Shown(b"Name? "), Typed(b"Ada"), Shown(b"<Ada>\n"), Typed(b""), Shown(b"<>\n"), Typed(b"x y")),
        *(Shown(b"<x y>\n"), InputEnded(), Shown(b"end\n")),
    )
    script = Script(script_of_lines([b"Ada", b"", b"x y"]), events)
    transcript = transcript_of(driver, Program((str(path),), path.parent, is_dotnet=True), script)
    assert (transcript.events, transcript.remarks) == (events, ())


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_echo_of_the_key_that_ends_the_input_is_not_output(compiled, driver):
    path = compiled(KEY_READER_SOURCE, "-w")
    events = (Shown(b"Any key? "), InputEnded(), Shown(b"\nBye\n"))
    program = Program((str(path),), path.parent, is_dotnet=True)
    assert transcript_of(driver, program, Script(script_of_lines(()), events)).events == events


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_wait_for_a_key_after_which_nothing_is_shown_is_recorded_as_one(compiled, driver):
    path = compiled(KEY_READER_SOURCE.replace(r'write(1, "\nBye\n", 5);', ""), "-w")
    script = Script(script_of_lines(()), (Shown(b"Any key? "), InputEnded()))
    transcript = transcript_of(driver, Program((str(path),), path.parent, is_dotnet=True), script)
    assert (transcript.events, transcript.may_wait_for_key) == (script.expected, True)


def test_time_spent_by_a_measuring_thread_is_hidden_from_the_first_thread(compiled):
    path = compiled(CLOCK_READER_SOURCE, "-w", "-pthread")
    program = Program((str(path),), path.parent, has_runtime_threads=True, is_dotnet=True)
    transcript = transcript_of(
        lambda program: TracingDriver(program, Limits(), Sandbox(Level.NONE)), program, Script(script_of_lines(()))
    )
    assert transcript.text == b"1 0\n"
