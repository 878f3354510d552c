import subprocess

import pytest

from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.explanations import explanation_of
from pitboss.submissions.sources import Source
from pitboss.submissions.toolchains import interpreter


@pytest.mark.parametrize("declares", [True, False], ids=["declared", "not declared"])
def test_another_encoding_than_utf8_is_accepted_only_if_declared(tmp_path, declares):
    (tmp_path / "sub").mkdir()
    text = f"{'# coding: latin-1' if declares else '# mine'}\n# café\nprint('a')\n"
    (tmp_path / "sub" / "a.py").write_bytes(text.encode("latin-1"))
    result = build(
        Source(tmp_path / "sub", "python", "a.py", "a"), tmp_path / "into", Conditions("watched", Sandbox(Level.NONE))
    )
    if declares:
        assert result.program is not None, result.messages
        return
    error = r"SyntaxError: Non-UTF-8 code starting with '\xe9' on line 2, but no encoding declared"
    assert result.reason == f"Python cannot read a.py: {error}"
    assert explanation_of(result.messages) == (
        "The file has letters such as ä or é but is not saved as UTF-8: save it as UTF-8 in your editor."
    )


@pytest.mark.parametrize(
    "text",
    [
        b"# a\0b\nprint(1)\n",
        b"# a\0b\r\nprint(1)\r\n",
        b"# coding: latin-1\n# a\0b\nprint(1)\n",
        b"print(1)\n\0",
        b'x = "a\0b"\nprint(x)\n',
        b"if True: \0\n\n    print(1)\n",
        b"# coding: latin-1\nif True: \0\n\n    print(1)\n",
        b"x = (1 \0\n)\0\n\nprint(x)\n",
    ],
)
def test_a_program_with_null_bytes_is_rejected_only_if_python_rejects_it(tmp_path, text):
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "a.py"
    path.write_bytes(text)
    error = subprocess.run([interpreter(), str(path)], capture_output=True).stderr
    result = build(
        Source(tmp_path / "sub", "python", "a.py", "a"), tmp_path / "into", Conditions("watched", Sandbox(Level.NONE))
    )
    assert (result.program is None) == (b"SyntaxError" in error), (result.reason, error)
