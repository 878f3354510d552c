"""Sentences on why a score changed: inputs that changed, and sessions whose verdict changed."""

from __future__ import annotations

from pitboss.compare.results import Report
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.light import changed_verdicts
from pitboss.gradebook.person_records import Causes

#: The sentence for each field of Causes that changed.
_SENTENCES = {
    "program": "another program was handed in",
    "assignment": "the assignment's specs or its code have changed",
    "options": "it was graded with other options",
    "pitboss": "it was graded by another version of pitboss",
}
#: The maximum number of sessions that are named.
_MAX_SESSIONS = 3
#: A run of a submission: the digests of its causes, and its report.
Run = tuple[Causes, Report]


def score_change_reasons(before: Run | None, now: Run | None) -> tuple[str, ...]:
    """Sentences on what changed between the runs of the previous and the current grade; empty if `now` is None."""
    if now is None:
        return ()
    if before is None:
        return ("graded for the first time",)
    sentences = [_SENTENCES[name] for name in now[0].changed_since(before[0])]
    return (*(sentences or ["it was run again"]), *_session_sentences(before[1], now[1]))


def _session_sentences(before: Report, now: Report) -> list[str]:
    """Sentences on the first sessions whose verdict changed, and the number of further sessions."""
    changed = changed_verdicts(before, now)
    examples = [
        f"{stage}, {case}: {_verdict_text(old)} before, {_verdict_text(new)} now"
        for stage, case, old, new in changed[:_MAX_SESSIONS]
    ]
    more = len(changed) - len(examples)
    return examples + ([f"{more} more sessions changed" if more > 1 else "1 more session changed"] if more else [])


def _verdict_text(verdict: str) -> str:
    """The verdict of a session in words; `verdict` is empty if the session was not run."""
    return Verdict(verdict).words if verdict else "not run"
