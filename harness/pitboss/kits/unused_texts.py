"""Finds free texts and prompts of an assignment that its references never show, and texts written at several places."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from types import FrameType

import msgspec

from pitboss.assignments.assignment import Recorded, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.options import settings_near, with_setting
from pitboss.errors import HarnessError, as_found
from pitboss.kits.coverage import lines_at_prompts, prompt_of
from pitboss.kits.doubts import session_input
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.free_texts import names_in
from pitboss.model.transcript import Event
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import ExpectedRun, RecordingConsole

#: How often the sessions are run with a reader, since a text may be rare if programs draw at random.
_ROUNDS = 8
#: The position of a free text of each kind, after "no session of a reference has it".
_POSITIONS = {
    "line": "as a whole line",
    "end_of_line": "at the end of a line",
    "prompt": "where the program reads a line",
    "after": "at the end of a line with typed input",
}


def unused_text_sentences(stages: Sequence[Stage]) -> tuple[list[str], list[str]]:
    """Sentences on free texts and prompts that the stages' references never show, and on texts with several places.

    A text has the places where the references, if they are functions, write it. They are run with any values of the
    stages' options.
    """
    policies = [policy for stage in stages for policy in (stage.policy, *(case.policy for case in stage.spec.cases))]
    texts = {text: None for policy in policies for text in policy.free}
    prompts = {prompt: None for stage in stages for prompt in stage.prompts}
    if not (texts or prompts):
        return [], []
    unused, unread, writes = set(texts), set(prompts), set[tuple[str, str, int]]()
    places: dict[FreeText, set[tuple[str, int]]] = {text: set() for text in texts}

    def note_write(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is RecordingConsole.write.__code__ and frame.f_back is not None:
            last_line = str(frame.f_locals["text"]).rstrip("\n").rpartition("\n")[2]
            writes.add((last_line, os.path.basename(frame.f_back.f_code.co_filename), frame.f_back.f_lineno))

    sys.setprofile(note_write)
    try:
        for number in range(_ROUNDS):
            for variant in [*stages, *(variant for stage in stages for variant in _variants(stage))]:
                # Without a reader, further rounds would only repeat the sessions of the first.
                for policy, events in _sessions(variant) if number == 0 or (unused and variant.reader) else ():
                    names = names_in(events, policy.free)
                    unused -= {text for text in policy.free if text.name in names}
                    unread -= {prompt_of(variant, shown) for shown, _ in lines_at_prompts(events) if unread}
                # Each variant is a program of its own: what two of them write is not told apart by either.
                for text in texts:
                    here = {(file, line_number) for line, file, line_number in writes if _ends_line(text, line)}
                    places[text] = max(places[text], here, key=len)
                writes.clear()
    finally:
        sys.setprofile(None)
    never_shown = [
        f"{text.place}: the free text {as_found(text.name)} is {as_found(text.text)}, and no session of a reference "
        f"has it {_POSITIONS[text.kind]}"
        for text in texts
        if text in unused
    ]
    never_shown += [
        f"{prompt.place}: prompts has {as_found(prompt.text)}, and no session of a reference reads a line there"
        for prompt in prompts
        if prompt in unread
    ]
    warnings = []
    for text in texts:
        if len(places[text]) > 1:
            in_words = " and ".join(f"{file}:{number}" for file, number in sorted(places[text]))
            warnings.append(
                f"{text.place}: the reference writes the free text {as_found(text.name)} at {in_words} — if these are "
                "different reasons, give each a text of its own: programs may tell them apart"
            )
    return never_shown, warnings


def _ends_line(text: FreeText, line: str) -> bool:
    """Whether a line that a reference writes has the free text; prompts are left out: a question is asked again."""
    return line == text.text if text.kind == "line" else text.kind == "end_of_line" and line.endswith(text.text)


def _variants(stage: Stage) -> Iterator[Stage]:
    """Variants of the stage: with each tolerated reference, and with other values of its options."""
    yield from (msgspec.structs.replace(stage, reference=variant.reference) for variant in stage.tolerated)
    if stage.reader:
        yield from (with_setting(stage, setting) for setting in settings_near(stage.options))


def _sessions(stage: Stage) -> Iterator[tuple[Policy, tuple[Event, ...]]]:
    """Sessions of a stage's reference, each with the policy of its case, except sessions in which it fails."""
    expected_run, breaker = expected_run_here(stage), CircuitBreaker()
    for session in all_sessions_of(stage):
        try:
            yield session.case.policy, breaker.call(_events, session, expected_run)
        except HarnessError:
            continue


def _events(session: Session, expected_run: ExpectedRun) -> tuple[Event, ...]:
    """The events of a session of the reference; with a reader, a recorded session is returned as recorded."""
    if session.stage.reader and isinstance(session.case.session, Recorded):
        return session.case.session.events
    return expected_run(session_input(session), invocation=session.case.invocation).events
