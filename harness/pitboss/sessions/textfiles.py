"""The invocation of a session for a reference that is a function: its arguments and files as keywords."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from pitboss.assignments.authored import text_of
from pitboss.assignments.blame import brief
from pitboss.errors import SpecError
from pitboss.model.invocation import Invocation
from pitboss.model.transcript import FileKind, Transcript, WrittenFile


def texts_of(invocation: Invocation) -> dict[str, str]:
    """The files of an invocation as texts by name, for one session; bytes that are not UTF-8 are lone surrogates."""
    return {file.name: file.content.decode("utf-8", "surrogateescape") for file in invocation.files or ()}


def bound(main: Callable[..., object], invocation: Invocation, files: dict[str, str]) -> Callable[..., object]:
    """The function with its keywords bound to the arguments, variables and files of the invocation."""
    keywords: dict[str, object] = {}
    if invocation.arguments is not None:
        keywords["arguments"] = invocation.arguments
    if invocation.environment is not None:
        keywords["environment"] = dict(invocation.environment)
    if invocation.files is not None:
        keywords["files"] = files
    return partial(main, **keywords) if keywords else main


def written_to(files: dict[str, str], invocation: Invocation, what: str) -> tuple[WrittenFile, ...]:
    """The files that are compared, as a function has left them; SpecError if one is not text."""
    found = []
    for name in (output.name for output in invocation.outputs):
        text = files.get(name)
        try:
            content = b"" if text is None else text_of(text).encode("utf-8", "surrogateescape")
        except (TypeError, UnicodeEncodeError):
            raise SpecError(f"{what} put {brief(text)} into files[{name!r}] — it must put texts there") from None
        kind = FileKind.TOO_LARGE if len(content) > invocation.max_kb << 10 else FileKind.REGULAR
        found.append(WrittenFile(name, FileKind.MISSING if text is None else kind, content))
    return tuple(found)


def with_contents(transcript: Transcript, invocation: Invocation) -> Transcript:
    """An expected transcript with the files and the standard error that the invocation states, if it states any."""
    found = {file.name: file for file in transcript.written}
    for output in invocation.outputs:
        if output.content is not None:
            found[output.name] = WrittenFile(output.name, FileKind.REGULAR, output.content)
        elif output.is_absent:
            found[output.name] = WrittenFile(output.name, FileKind.MISSING)
    written = tuple(found[output.name] for output in invocation.outputs if output.name in found)
    errors = transcript.errors if invocation.errors is None else invocation.errors
    if invocation.has_errors:
        errors = errors or b""
    return msgspec.structs.replace(transcript, written=written, errors=errors, has_any_errors=invocation.has_errors)
