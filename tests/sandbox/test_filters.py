import socket
from contextlib import contextmanager

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.submissions.confined_commands import run_confined

LANDLOCK = Sandbox(Level.LANDLOCK)

HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
"""

#: Tries every way to send to a socket by its path, and ignores errors: the tests look at what arrives there.
SENDS = """
int main(void)
{
    struct sockaddr_un to = {AF_UNIX, "%s"};
    int types[] = {SOCK_DGRAM, SOCK_RAW, SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM | SOCK_CLOEXEC};
    for (int i = 0; i < 5; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, types[i], 0, pair) != 0) {
            pair[0] = socket(AF_UNIX, types[i], 0);
        }
        struct iovec text = {"hello", 5};
        struct mmsghdr message = {{&to, sizeof to, &text, 1}};
        sendto(pair[0], "hello", 5, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to);
        sendmsg(pair[0], &message.msg_hdr, MSG_DONTWAIT);
        syscall(SYS_sendmmsg, pair[0], &message, 1, MSG_DONTWAIT);
        if (connect(pair[0], (struct sockaddr *)&to, sizeof to) == 0) {
            send(pair[0], "hello", 5, MSG_DONTWAIT);
        }
    }
    puts("sent");
}
"""

#: Sends over pairs of sockets, hands a descriptor over, and changes a limit and its priority; it prints all errors.
TALKS = """
int main(void)
{
    int types[] = {SOCK_STREAM, SOCK_SEQPACKET | SOCK_CLOEXEC};
    for (int i = 0; i < 2; i++) {
        int pair[2];
        char got[6] = "", control[CMSG_SPACE(sizeof(int))] = "";
        if (socketpair(AF_UNIX, types[i], 0, pair) != 0) perror("socketpair");
        if (send(pair[0], "hello", 5, 0) != 5 || read(pair[1], got, 5) != 5 || strcmp(got, "hello")) perror("send");
        struct iovec text = {"world", 5}, into = {got, 5};
        struct msghdr message = {0, 0, &text, 1, control, sizeof control}, received = {0, 0, &into, 1, control, sizeof control};
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        *rights = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        *(int *)CMSG_DATA(rights) = 1;
        if (sendmsg(pair[0], &message, 0) != 5) perror("sendmsg");
        if (recvmsg(pair[1], &received, 0) != 5 || strcmp(got, "world")) perror("recvmsg");
        int out = *(int *)CMSG_DATA(CMSG_FIRSTHDR(&received));
        if (write(out, "handed over\\n", 12) != 12) perror("write");
    }
    struct rlimit limit;
    for (int kind = 0; kind < RLIM_NLIMITS; kind++) if (getrlimit(kind, &limit) != 0) perror("getrlimit");
    limit.rlim_cur = limit.rlim_max = 5;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) perror("setrlimit");
    if (setpriority(PRIO_PROCESS, 0, 19) != 0) perror("setpriority");
}
"""


def session_text(driver, path):
    with driver(Program((str(path),), path.parent), Limits(idle_s=2), LANDLOCK) as sessions:
        ((_, transcript),) = sessions.sessions([Script(script_of_lines(()), ())])
    return transcript.text.decode()


#: Functions that run a program under a driver or as a build, and return its output.
RUNNERS = {
    "watched": lambda path: session_text(TracingDriver, path),
    "expecting": lambda path: session_text(ExpectingDriver, path),
    "a build": lambda path: run_confined([str(path)], path.parent, LANDLOCK).output,
}


@contextmanager
def open_listener(path, kind):
    """A context with a socket at this path, to which every user may send or connect."""
    with socket.socket(socket.AF_UNIX, kind) as listener:
        listener.bind(str(path))
        path.chmod(0o777)
        if kind != socket.SOCK_DGRAM:
            listener.listen()
        listener.setblocking(False)
        yield listener


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize(
    "kind", [socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_SEQPACKET], ids=lambda kind: kind.name
)
def test_a_program_cannot_send_to_a_socket_by_its_path(compiled, reachable, runner, kind):
    path = reachable / "listener"
    program = compiled(HEAD + SENDS % path)
    with open_listener(path, kind) as listener:
        assert RUNNERS[runner](program) == "sent\n"
        with pytest.raises(BlockingIOError):
            listener.recv(9) if kind == socket.SOCK_DGRAM else listener.accept()


def test_without_the_filter_a_program_can_send_to_a_socket_by_its_path(compiled, reachable):
    path = reachable / "listener"
    program = compiled(HEAD + SENDS % path)
    with open_listener(path, socket.SOCK_DGRAM) as listener:
        run_confined([str(program)], reachable, Sandbox(Level.NONE))
        assert listener.recv(9) == b"hello"


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_program_can_use_socket_pairs_limits_and_priorities(compiled, runner):
    assert RUNNERS[runner](compiled(HEAD + TALKS)) == "handed over\n" * 2
