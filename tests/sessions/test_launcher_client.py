import marshal
import os
from unittest.mock import Mock

import pytest

from pitboss.machine.channels import open_channel
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.tracing.launcher import LAUNCHER_NUMBER, READY, START, Setup
from pitboss.sessions.tracing.launcher_client import LauncherClient
from pitboss.sessions.tracing.traced_session import TracedSession

#: A launcher's message that the program has ended: the arguments of `on_ended`.
ENDED = marshal.dumps((0, 0, 0.001))


@pytest.fixture
def client_and_channel(tmp_path):
    """A client, and the launcher's end of its channel."""
    client_end, launcher_end = open_channel()
    listener, write_end = os.pipe()
    launcher_end.send(READY, listener, os.open(tmp_path, os.O_RDONLY))
    os.close(listener)
    client = LauncherClient(
        client_end, Setup(("/bin/true",), ((LAUNCHER_NUMBER, "1"),), "/nowhere"), Mock(), SeededEnvironment(None)
    )
    yield client, launcher_end
    client.close()
    launcher_end.close()
    os.close(write_end)


@pytest.fixture
def session():
    """A mock session that records the calls of the client."""
    with open(os.devnull) as null_file:
        yield Mock(spec=TracedSession, session_files=Mock(request=-1), terminal=Mock(program_end=null_file.fileno()))


def receive_request(launcher_end):
    """The next message of the client; its descriptors are closed."""
    message, descriptors = launcher_end.receive()
    for descriptor in descriptors:
        os.close(descriptor)
    return message


def test_the_answer_of_a_launcher_ends_the_session(client_and_channel, session):
    client, launcher_end = client_and_channel
    client.start(session)
    assert receive_request(launcher_end) == START
    launcher_end.send(ENDED)
    client.on_message()
    session.on_ended.assert_called_once_with(0, 0, 0.001)


def test_a_late_answer_never_ends_the_next_session(client_and_channel, session):
    client, launcher_end = client_and_channel
    client.start(session)
    assert receive_request(launcher_end) == START
    launcher_end.send(b"")  # an empty message: the launcher has ended
    client.on_message()
    session.on_fault.assert_called_once_with("the process that starts programs has ended")
    with pytest.raises(BrokenPipeError):
        launcher_end.send(ENDED)
    session.reset_mock()
    client.start(session)
    session.on_fault.assert_called_once_with("the program could not be started: Broken pipe")
    session.on_ended.assert_not_called()
