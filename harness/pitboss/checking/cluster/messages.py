"""What goes to a worker and comes back: values without code, as MessagePack."""

from __future__ import annotations

import msgspec

from pitboss.sessions.drivers import Conditions


class Given(msgspec.Struct, frozen=True):
    """The files that the course gives for a stage, in the place of the assignment's."""

    stage: str
    #: How the folder is called in reports, and its path where it comes from.
    called: str
    path: str
    content: bytes


class Module(msgspec.Struct, frozen=True):
    """A module or a package that the assignment's code needs and that lies outside of its folder."""

    name: str
    path: str
    #: The same from the folder that the command was given in; empty if it does not lie below that.
    below: str
    content: bytes


class Class(msgspec.Struct, frozen=True):
    """What the jobs of a class share: a worker is sent it once."""

    #: Which class of which run it is; nothing else is called so.
    key: str
    #: The folder's path as it was given, where that leads, and the same as for a module.
    folder: str
    resolved: str
    below: str
    content: bytes
    modules: tuple[Module, ...]
    given: tuple[Given, ...]
    stages: tuple[str, ...]
    conditions: Conditions
    called: str
    only: tuple[str, ...]
    runs_all: bool
    remarks_on_memory: bool
    #: The installed packages that its code imports.
    installed: tuple[str, ...]


class Begin(msgspec.Struct, frozen=True, tag=True):
    """To a worker: get ready for a class."""

    about: Class
    #: Which of the workers on its machine it is: each keeps to a core.
    number: int


class Check(msgspec.Struct, frozen=True, tag=True):
    """To a worker: check this submission."""

    name: str
    #: Its path where it comes from; bytes, since a student may have called it anything.
    path: bytes
    content: bytes
    #: Names beside it that decide how a single file is called.
    taken: tuple[bytes, ...]


class Ready(msgspec.Struct, frozen=True, tag=True):
    """From a worker: what it is, by name, as texts to be compared; or why it cannot do it."""

    facts: dict[str, str] = {}
    refusal: str = ""


class Checked(msgspec.Struct, frozen=True, tag=True):
    """From a worker: the report; empty where it cannot be sent as it is."""

    report: bytes = b""


Asked = Begin | Check
Answer = Ready | Checked


def encoded(message: Asked | Answer) -> bytes:
    """A message as bytes."""
    return msgspec.msgpack.encode(message)


def asked_in(data: bytes) -> Asked:
    """The message to a worker; msgspec.MsgspecError if it is none."""
    asked: Asked = msgspec.msgpack.decode(data, type=Asked)
    return asked


def answer_in(data: bytes) -> Answer:
    """The message from a worker; msgspec.MsgspecError if it is none."""
    answer: Answer = msgspec.msgpack.decode(data, type=Answer)
    return answer
