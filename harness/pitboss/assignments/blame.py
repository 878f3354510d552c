"""Describes where and how an assignment's own code failed, as parts of a message."""

from __future__ import annotations

import functools
import sysconfig
import traceback
from pathlib import Path
from types import CodeType

#: A message shows at most this many characters of a value or of an error's text.
_LONGEST = 120
_OURS = str(Path(__file__).parent.parent)
_STANDARD = sysconfig.get_paths()["stdlib"]


def brief(value: object) -> str:
    """Returns a value of an assignment for a message: on one short line, even if its repr raises."""
    if isinstance(value, str | bytes):
        value = value[: 2 * _LONGEST]
    try:
        return _cut(repr(value))
    except Exception:
        return f"a value of type {type(value).__name__}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def failure_of(error: BaseException) -> str:
    """Returns how a call failed, as the end of a sentence."""
    if isinstance(error, SystemExit):
        return f"called sys.exit({'' if error.code is None else brief(error.code)}) — it has to return"
    try:
        message = str(error)
    except Exception:
        message = ""
    kind = type(error).__name__
    return f"failed: {kind}: {_cut(message)}" if message else f"failed: {kind}"


def place_of(error: BaseException, function: object) -> str:
    """Returns `file:line: ` of the innermost frame in the assignment's own files; empty if there is no such frame."""
    code = _code_of(function)
    home = _home_of(code.co_filename) if code else None
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if code:  # a call with wrong arguments leaves no frame of the function
        frames.insert(0, (code.co_filename, code.co_firstlineno))
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    own = [frame for frame in frames if home and Path(frame[0]).is_relative_to(home)]
    own = own or [frame for frame in frames if _may_be_theirs(frame[0])]
    return f"{_near(own[-1][0])}:{own[-1][1]}: " if own else ""


def _code_of(function: object) -> CodeType | None:
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code if isinstance(code, CodeType) else None


def _home_of(file: str) -> Path | None:
    """The folder of a module or of its outermost package; None for our modules and the standard library."""
    if not _may_be_theirs(file):
        return None
    folder = Path(file).parent
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _may_be_theirs(file: str) -> bool:
    if file.startswith("<") or Path(file).is_relative_to(_OURS):
        return False
    return "site-packages" in file or not Path(file).is_relative_to(_STANDARD)


def _near(file: str) -> str:
    """A path relative to the working directory if it is below it, else unchanged."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
