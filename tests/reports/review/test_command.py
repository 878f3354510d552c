"""`pitboss review` as it is typed: what it says where it cannot begin, and how it opens a browser."""

import socket
import stat
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from pitboss.cli import reviewing


def test_what_is_no_gradebook_is_reported(pitboss, tmp_path):
    output = pitboss("review", "nowhere")
    assert (output.code, output.out) == (2, "")
    assert output.err == "pitboss: nowhere: there is no such gradebook; `pitboss grade` creates one\n"
    (tmp_path / "file").write_text("hello, this is no database at all")
    assert pitboss("review", "file").err == "pitboss: file: this is not a gradebook; name another file\n"


def test_a_port_that_is_taken_is_reported(pitboss, book):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = pitboss("review", book, "--port", port)
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        f"pitboss: --port {port}: Address already in use; name another port, or omit the option to use a free port\n"
    )


def test_a_browser_is_opened_by_a_file_that_nobody_else_reads(monkeypatch):
    """A command line is seen by everybody: the token must not stand in it."""
    opened = []

    def open_(address):
        path = Path(unquote(urlsplit(address).path))
        opened.append((address, path.read_text(), stat.S_IMODE(path.stat().st_mode), path.parent.stat().st_mode & 0o77))

    monkeypatch.setattr(webbrowser, "open", open_)
    with reviewing._open_browser("http://127.0.0.1:1/?token=secret"):
        ((address, text, mode, others),) = opened
        assert address.startswith("file:///") and "secret" not in address
        assert 'content="0;url=http://127.0.0.1:1/?token=secret"' in text
        assert (mode, others) == (0o600, 0)
    assert not Path(urlsplit(address).path).exists()


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_no_browser_is_opened_in_the_terminal(monkeypatch, name):
    monkeypatch.setattr(reviewing.sys, "platform", "linux")
    for one in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(one, raising=False)
    assert not reviewing._has_screen()
    monkeypatch.setenv(name, ":0")
    assert reviewing._has_screen()
