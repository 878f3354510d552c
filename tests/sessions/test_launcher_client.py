"""Our end of a launcher, with a launcher that the test plays."""

import marshal
import os
from unittest.mock import Mock

import pytest

from pitboss.sandbox.channels import pair
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.tracing.launcher import MARK, READY, START, Setup
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.traced_session import TracedSession

ENDED = marshal.dumps((0, 0, 0.001))


@pytest.fixture
def ends(tmp_path):
    """A link, and the other end of its channel."""
    ours, theirs = pair()
    listener, other = os.pipe()
    theirs.send(READY, listener, os.open(tmp_path, os.O_RDONLY))
    os.close(listener)
    link = LauncherClient(ours, Setup(("/bin/true",), ((MARK, "1"),), "/nowhere"), Mock(), SeededEnvironment(None))
    yield link, theirs
    link.close()
    theirs.close()
    os.close(other)


@pytest.fixture
def session():
    """A session that notes what it is told."""
    with open(os.devnull) as nothing:
        yield Mock(spec=TracedSession, session_files=None, terminal=Mock(program_end=nothing.fileno()))


def started(theirs):
    message, descriptors = theirs.receive()
    for descriptor in descriptors:
        os.close(descriptor)
    return message


def test_what_a_launcher_answers_is_how_its_session_ended(ends, session):
    link, theirs = ends
    link.start(session)
    assert started(theirs) == START
    theirs.send(ENDED)
    link.on_message()
    session.on_ended.assert_called_once_with(0, 0, 0.001)


def test_a_late_answer_is_never_taken_for_that_of_the_next_session(ends, session):
    link, theirs = ends
    link.start(session)
    assert started(theirs) == START
    theirs.send(b"")  # as if it had ended
    link.on_message()
    session.on_fault.assert_called_once_with("the process that starts programs has ended")
    with pytest.raises(BrokenPipeError):
        theirs.send(ENDED)
    session.reset_mock()
    link.start(session)
    session.on_fault.assert_called_once_with("the program could not be started: Broken pipe")
    session.on_ended.assert_not_called()
