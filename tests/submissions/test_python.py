"""Python programs: what is refused before they run."""

import pytest

from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.explanations import explanation_of
from pitboss.submissions.sources import Source


@pytest.mark.parametrize("declares", [True, False], ids=["declared", "not declared"])
def test_a_program_in_another_encoding_is_refused_as_python_does(tmp_path, declares):
    (tmp_path / "sub").mkdir()
    text = f"{'# coding: latin-1' if declares else '# mine'}\n# café\nprint('a')\n"
    (tmp_path / "sub" / "a.py").write_bytes(text.encode("latin-1"))
    made = build(
        Source(tmp_path / "sub", "python", "a.py", "a"), tmp_path / "into", Conditions("watched", Sandbox(Level.NONE))
    )
    if declares:
        assert made.program is not None, made.messages
        return
    output = r"SyntaxError: Non-UTF-8 code starting with '\xe9' on line 2, but no encoding declared"
    assert made.reason == f"Python cannot read a.py: {output}"
    assert explanation_of(made.messages) == (
        "The file has letters such as ä or é but is not saved as UTF-8: save it as UTF-8 in your editor."
    )
