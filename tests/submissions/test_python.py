"""Python programs in another encoding, which are rejected before they run unless they declare it."""

import pytest

from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.explanations import explanation_of
from pitboss.submissions.sources import Source


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
