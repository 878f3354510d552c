import socket
import stat
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from pitboss.cli import reviewing


def test_a_missing_or_invalid_gradebook_is_reported(pitboss, tmp_path):
    output = pitboss("review", "nowhere")
    assert (output.code, output.out) == (2, "")
    assert output.err == "pitboss: nowhere: there is no such gradebook; `pitboss grade` creates one\n"
    (tmp_path / "file").write_text("hello, this is no database at all")
    assert pitboss("review", "file").err == "pitboss: file: this is not a gradebook; name another file\n"


def test_a_port_in_use_is_reported(pitboss, book):
    with socket.socket() as listening_socket:
        listening_socket.bind(("127.0.0.1", 0))
        listening_socket.listen()
        port = listening_socket.getsockname()[1]
        output = pitboss("review", book, "--port", port)
    assert (output.code, output.out) == (2, "")
    assert output.err == (
        f"pitboss: --port {port}: Address already in use; name another port, or omit the option to use a free port\n"
    )


def test_the_browser_opens_a_file_that_other_users_cannot_read(monkeypatch):
    """Every user of the machine can see command lines, so the token must not be in one."""
    opened_files = []

    def record_opened_file(address):
        path = Path(unquote(urlsplit(address).path))
        opened_files.append(
            (address, path.read_text(), stat.S_IMODE(path.stat().st_mode), path.parent.stat().st_mode & 0o77)
        )

    monkeypatch.setattr(webbrowser, "open", record_opened_file)
    with reviewing._open_browser("http://127.0.0.1:1/?token=secret"):
        ((address, text, mode, other_permissions),) = opened_files
        assert address.startswith("file:///") and "secret" not in address
        assert 'content="0;url=http://127.0.0.1:1/?token=secret"' in text
        assert (mode, other_permissions) == (0o600, 0)
    assert not Path(urlsplit(address).path).exists()


@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY"])
def test_a_browser_is_opened_only_on_a_graphical_display(monkeypatch, name):
    monkeypatch.setattr(reviewing.sys, "platform", "linux")
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    assert not reviewing._has_screen()
    monkeypatch.setenv(name, ":0")
    assert reviewing._has_screen()
