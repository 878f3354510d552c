"""Judges sessions of programs that draw at random: the draws of each session are read back and replayed.

All sessions of a submission are judged by one reference and one setting of its options, the pair that explains most
sessions. How many sessions are run is decided in `experiments.adequacy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.assignments.options import features_of, without_features
from pitboss.assignments.players import input_script_of
from pitboss.compare.judgement import judged_result
from pitboss.compare.outcome import Outcome, fault_result, judged_session_of, skipped_result
from pitboss.compare.results import Result, worst
from pitboss.compare.submission_texts import ObservedSession, accepted_differences
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError
from pitboss.model.scripts import Script
from pitboss.model.transcript import Transcript
from pitboss.sandbox.pool import Pool
from pitboss.sessions.attempts import Attempt, Part, attempts, shared_sessions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.unseeded.choice import Choice, Selection
from pitboss.unseeded.drawn import DrawnSession, Replays
from pitboss.unseeded.explanation import explained, with_known_draws
from pitboss.unseeded.likely import Texts, has_all_of, texts_of_all
from pitboss.unseeded.other_features import without_other_features
from pitboss.unseeded.randomness import (
    about_beginnings,
    about_never_drawn,
    can_be_concluded,
    is_no_chance,
    never_drawn,
)
from pitboss.unseeded.reader import Reader, reader_of, rule_counts
from pitboss.unseeded.replay import Replay
from pitboss.unseeded.setting_search import MAX_FRUITLESS
from pitboss.unseeded.used_up import are_used_up, shows_any, until_used_up
from pitboss.unseeded.wagers import Wagers, without_explained_draws


def run_and_read(
    job: Job, program: Program, sessions: Sequence[Session], pool: Pool, read: Reader
) -> list[DrawnSession]:
    """Run sessions without a seed on the workers of a pool, and read their draws."""
    tried = run_all_freely(pool, job, program, sessions)
    return [_read(session, attempt, read) for session, attempt in zip(sessions, tried, strict=True)]


def run_all_freely(pool: Pool, job: Job, program: Program, sessions: Sequence[Session]) -> list[Attempt | None]:
    """Run sessions without a seed on the workers of a pool; returns None for a session that was not run."""

    def fault_of(_: int, detail: str) -> Attempt:
        return Attempt(Transcript(()), detail)

    finished = shared_sessions(pool, run_freely, job, program, sessions, count=len(sessions), fault_of=fault_of)
    return [finished.get(number) for number in range(len(sessions))]


def run_freely(numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]) -> Part[Attempt]:
    """Run the sessions with these numbers in this process; return the attempts by number."""

    def script(number: int) -> Script:
        case = sessions[number].case
        assert isinstance(case.session, Generated)
        script = input_script_of(case.session, None, case.place)
        return Script(script, environment_seed=sessions[number].environment_seed, invocation=case.invocation)

    finished = dict(attempts(numbers, job, program, sessions[0].stage.limits, script))
    return Part(finished, {number: attempt.endless for number, attempt in finished.items() if attempt.endless})


def _read(session: Session, attempt: Attempt | None, read: Reader) -> DrawnSession:
    if attempt is None:
        return DrawnSession(session, None)
    if attempt.failure:
        return DrawnSession(session, attempt.transcript, failure=attempt.failure)
    try:
        return DrawnSession(session, attempt.transcript, read(attempt.transcript.events))
    except HarnessError as error:
        return DrawnSession(session, attempt.transcript, failure=str(error))


def _all_of(count: int) -> str:
    """All sessions, in words.

    >>> _all_of(1), _all_of(52)
    ('its session', 'all 52 sessions')
    """
    return f"all {count} sessions" if count > 1 else "its session"


def _observed(drawn: Sequence[DrawnSession], replays: Replays) -> list[ObservedSession]:
    """The sessions that could be replayed; the submission's free texts are read from them."""
    return [
        ObservedSession(session.session.case.policy, replayed.expected.events, session.transcript.events)
        for session, replayed in zip(drawn, replays, strict=True)
        if session.transcript is not None and replayed is not None and not replayed.failure
    ]


def _accepted(drawn: Sequence[DrawnSession], results: Sequence[Result]) -> Iterable[ObservedSession]:
    """The accepted sessions, in which accepted differences from the reference's texts are looked for."""
    for session, result in zip(drawn, results, strict=True):
        if result.verdict is Verdict.ACCEPTED and session.transcript is not None:
            yield ObservedSession(session.session.case.policy, result.expected.events, session.transcript.events)


class Judge:
    """Judges the sessions of one submission of one stage."""

    def __init__(self, job: Job, stage: Stage, *, max_fruitless: int = MAX_FRUITLESS) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        read, self._patience = reader_of(stage), CircuitBreaker()
        self.read: Reader = lambda events: self._patience.call(read, events)
        self._choice = Choice(stage, job.conditions, max_fruitless=max_fruitless)
        self._selection: Selection | None = None
        #: The judge of programs without the features of the stage; None until one is needed.
        self._without: Judge | None = None
        #: Results by selection and the submission's texts, so that nothing is judged twice.
        self._results: dict[object, list[Result]] = {}
        self._rule_counts: dict[object, list[dict[str, int]]] = {}
        #: What the submission shows for the free texts, as far as its sessions have shown them.
        self.texts: Texts = {}
        self._wagers = Wagers(stage.draws)
        #: The selection, in words, for which the texts were read, and how many sessions they explain; 0 unless all.
        self._texts_are_for = ("", 0)

    @property
    def choice(self) -> Choice:
        """The references and settings by which sessions may be judged."""
        return self._choice

    @property
    def selection(self) -> Selection:
        """The selection by which the sessions of the last outcome were judged; call `outcome` first."""
        assert self._selection is not None
        return self._selection

    def readings(self, drawn: Sequence[DrawnSession]) -> list[tuple[str | None, ...]]:
        """The draws of each session that can be replayed."""
        return [session.reading.draws for session in drawn if session.can_be_replayed]

    def is_undecided(self, drawn: Sequence[DrawnSession], times: float | None = None) -> bool:
        """Whether more sessions can decide that the draws are not random, or that a missing value is not due to chance.

        With `times`, a missing value counts only if `times` as many sessions as now would decide it.
        """
        readings, source = self.readings(drawn), self._stage.draws
        self._wager(drawn)
        is_open = bool(never_drawn(source, readings)) and not is_no_chance(source, readings)
        return self._wagers.is_undecided or (is_open and (times is None or can_be_concluded(source, readings, times)))

    def finding(self, drawn: Sequence[DrawnSession]) -> str:
        """Return a sentence on draws that no correct program makes and no single session shows; else empty."""
        readings, source = self.readings(drawn), self._stage.draws
        finding = about_beginnings(source, readings)
        if finding or any(session.reading.problem for session in drawn):  # an unreadable draw may be the missing value
            return finding
        return about_never_drawn(source, readings)

    def outcome(self, drawn: Sequence[DrawnSession]) -> Outcome:
        """Return the outcome of all sessions so far."""
        selection = self._selection = self._choice.select(drawn)
        if not self._has_texts_of(selection):
            seen = _observed(selection.drawn, selection.replays)
            self.texts = texts_of_all(seen, lambda texts: self._are_all_accepted(selection, texts))
            self._choice.likely.know(self.texts)
            again = self._choice.again(selection, self.texts, self._judged(selection, self.texts)[0])
            if again is not selection:
                selection = self._selection = again
                self._results, self._rule_counts = {}, {}
        texts = self.texts
        results, counts = self._judged(selection, texts)
        is_right = all(result.verdict is Verdict.ACCEPTED for result in results)
        self._texts_are_for = selection.said, len(results) if is_right else 0
        finding = self.finding(selection.drawn)
        findings = [finding] if finding else []
        if worst(result.verdict for result in results) is Verdict.ACCEPTED:
            findings = self._late_findings(findings, counts, len(drawn))
        judged_sessions = (
            judged_session_of(
                session.session,
                result,
                actual=session.transcript,
                draws=session.reading.draws,
                policy=session.session.case.policy.with_accepted_texts(texts) if texts else None,
            )
            for session, result in zip(selection.drawn, results, strict=True)
        )
        outcome = Outcome(
            tuple(results),
            tuple(judged for judged in judged_sessions if judged is not None),
            tuple(findings),
            judged_as=selection.said,
            rules=tuple(counts.items()),
            accepted_differences=accepted_differences(_accepted(selection.drawn, results), texts),
            stage=selection.stage,
            tolerated=selection.tolerated,
        )
        outcome = self.as_accepted(without_other_features(outcome, selection, self._stage, self._job.assignment.stages))
        return self._not_offered(drawn) or outcome if outcome.verdict is Verdict.WRONG_ANSWER else outcome

    def as_accepted(self, outcome: Outcome) -> Outcome:
        """Return the outcome; if accepted with some sessions left out, with the findings on draws and rules of all."""
        if not outcome.ignored_results or outcome.verdict is not Verdict.ACCEPTED:
            return outcome
        findings = self._late_findings([], dict(outcome.rules), len(outcome.results))
        return msgspec.structs.replace(outcome, findings=tuple(findings))

    def _late_findings(self, findings: list[str], counts: Mapping[str, int], count: int) -> list[str]:
        """These findings, and others that reject a program although each of its sessions is right."""
        return [*(findings or self._unfair(self.selection.drawn)), *self._missing_rules(count, counts)]

    def _has_texts_of(self, selection: Selection) -> bool:
        """Whether the texts that were read also explain the new sessions, and these show no other free text."""
        in_words, count = self._texts_are_for
        if not count or in_words != selection.said:
            return False
        new = _observed(selection.drawn[count:], selection.replays[count:])
        return has_all_of(self.texts, new) and self._are_all_accepted(selection, self.texts)

    def _are_all_accepted(self, selection: Selection, texts: Texts) -> bool:
        """Whether all sessions are accepted under this selection with these texts."""
        return all(result.verdict is Verdict.ACCEPTED for result in self._judged(selection, texts)[0])

    def _not_offered(self, drawn: Sequence[DrawnSession]) -> Outcome | None:
        """The outcome for a program that lacks what the stage is about, and is right otherwise; else None."""
        lacking = [option for option in features_of(self._stage) if not option.is_declared]
        if not lacking or len(lacking) < len(features_of(self._stage)):
            return None
        self._without = self._without or Judge(self._job, without_features(self._stage), max_fruitless=1)
        outcome = self._without.outcome(drawn)
        if outcome.verdict is Verdict.WRONG_ANSWER and not shows_any(lacking, self._stage, drawn):
            selection = self._without.selection
            judge = Judge(self._job, without_features(self._stage), max_fruitless=1)
            pairs = zip(selection.drawn, selection.replays, strict=True)
            cut = [until_used_up(*pair, self._stage.draws) for pair in pairs]
            outcome = judge.outcome(cut)
            if not are_used_up(selection.drawn, cut, judge.selection.replays, self._stage.draws):
                return None
        if outcome.verdict is not Verdict.ACCEPTED:
            return None
        # Worded like the option's other value: "without splitting".
        lacks = ", ".join(option.values[1].description for option in lacking)
        sentence = f"Not offered: in {_all_of(len(drawn))} the program behaves like a right one {lacks}."
        return msgspec.structs.replace(outcome, not_offered=sentence)

    def _judged(self, selection: Selection, texts: Texts) -> tuple[list[Result], dict[str, int]]:
        """The results under a selection and the submission's texts, and how often each rule came up in them."""
        judged_by = selection.said, tuple(sorted(texts.items()))
        results, counts = self._results.setdefault(judged_by, []), self._rule_counts.setdefault(judged_by, [])
        replays = zip(selection.drawn, selection.replays, strict=True)
        for index, (session, replayed) in list(enumerate(replays))[len(results) :]:
            is_explained = replayed is not None and replayed.explains
            failure = "" if is_explained else self._choice.failure_of(index)
            result, count = self._counted_rules(session, self._result(selection, session, replayed, failure, texts))
            results.append(result)
            counts.append(count)
        return results, {rule.name: sum(count.get(rule.name, 0) for count in counts) for rule in self._stage.rules}

    def _missing_rules(self, count: int, counts: Mapping[str, int]) -> list[str]:
        """A sentence on each required rule that never came up; empty until the maximum number of sessions were run."""
        if count < self._stage.most_sessions:
            return []
        features = {option.shows: option for option in features_of(self._stage)}
        sentences = []
        for name in dict.fromkeys((*self._stage.required, *features)):
            if counts[name]:
                continue
            if name in features and features[name].is_declared:
                sentences.append(f"{features[name].name!r} is declared, but never showed in {count} sessions.")
            else:
                sentences.append(
                    f"{name!r} never came up in {count} sessions, but the stage is about it: does the program have it?"
                )
        return sentences

    def _unfair(self, drawn: Sequence[DrawnSession]) -> list[str]:
        """A sentence if the draws are not random; only if all else is right, since draws may be misread otherwise."""
        self._wager(drawn)
        return [self._wagers.finding()] if self._wagers.is_no_chance else []

    def _wager(self, drawn: Sequence[DrawnSession]) -> None:
        # Sessions of players outside the cases cannot be used: which of them are run depends on their draws.
        of_cases = [
            session for session in drawn if session.can_be_replayed and session.session.case in self._stage.spec.cases
        ]
        self._wagers = self._wagers.after(
            without_explained_draws((case.session.environment_seed, case.reading.draws) for case in of_cases)
        )

    def _result(
        self, selection: Selection, session: DrawnSession, replayed: Replay | None, failure: str, texts: Texts
    ) -> Result:
        if session.transcript is None:
            return skipped_result(session.session)
        if replayed is None or failure:
            return fault_result(session.session, session.failure or failure, self._job)
        policy = session.session.case.policy.with_accepted_texts(texts) if texts else session.session.case.policy
        result = judged_result(session.session, replayed.expected, session.transcript, self._job.called, policy)
        if result.verdict is Verdict.WRONG_ANSWER and not self._stage.reference.command:
            run = self._choice.run_of(selection)
            replayed = with_known_draws(replayed, session, result, policy, run, selection.stage)
        return explained(result, session.reading, replayed, self._stage)

    def _counted_rules(self, session: DrawnSession, result: Result) -> tuple[Result, dict[str, int]]:
        """The result, and how often each rule came up in it if it is accepted."""
        if result.verdict is not Verdict.ACCEPTED:
            return result, {}
        try:
            return result, self._patience.call(rule_counts, self._stage, result.expected.events)
        except HarnessError as error:
            return fault_result(session.session, str(error), self._job), {}
