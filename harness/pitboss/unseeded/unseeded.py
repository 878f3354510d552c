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
from pitboss.assignments.options import stage_features, without_features
from pitboss.assignments.players import input_script_of
from pitboss.compare.judgement import judged_result
from pitboss.compare.outcome import Outcome, fault_result, judged_session_of, skipped_result
from pitboss.compare.results import Result, overall_verdict
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
from pitboss.unseeded.explanation import with_draw_findings, without_later_draws
from pitboss.unseeded.likely import Texts, has_text_for_all, texts_of_all
from pitboss.unseeded.other_features import without_other_features
from pitboss.unseeded.randomness import (
    about_beginnings,
    about_never_drawn,
    has_enough_draws,
    never_drawn,
    would_have_enough_draws,
)
from pitboss.unseeded.reader import Reader, reader_of, rule_counts
from pitboss.unseeded.replay import Replay
from pitboss.unseeded.setting_search import MAX_FRUITLESS
from pitboss.unseeded.used_up import are_used_up, cut_where_used_up, shows_any
from pitboss.unseeded.wagers import Wagers, without_coinciding_seeds


def run_and_read(
    job: Job, program: Program, sessions: Sequence[Session], pool: Pool, read: Reader
) -> list[DrawnSession]:
    """Run sessions without a seed on the workers of a pool, and read their draws."""
    session_attempts = run_all_freely(pool, job, program, sessions)
    return [_drawn_session(session, attempt, read) for session, attempt in zip(sessions, session_attempts, strict=True)]


def run_all_freely(pool: Pool, job: Job, program: Program, sessions: Sequence[Session]) -> list[Attempt | None]:
    """Run sessions without a seed on the workers of a pool; returns None for a session that was not run."""

    def fault_of(_: int, detail: str) -> Attempt:
        return Attempt(Transcript(()), detail)

    finished = shared_sessions(pool, run_freely, job, program, sessions, count=len(sessions), fault_of=fault_of)
    return [finished.get(number) for number in range(len(sessions))]


def run_freely(numbers: Iterable[int], job: Job, program: Program, sessions: Sequence[Session]) -> Part[Attempt]:
    """Run the sessions with these numbers without a seed in this process; return the attempts by number."""

    def input_of(number: int) -> Script:
        case = sessions[number].case
        assert isinstance(case.session, Generated)
        input_script = input_script_of(case.session, None, case.place)
        return Script(input_script, environment_seed=sessions[number].environment_seed, invocation=case.invocation)

    finished = dict(attempts(numbers, job, program, sessions[0].stage.limits, input_of))
    weights = {number: attempt.endless_weight for number, attempt in finished.items() if attempt.endless_weight}
    return Part(finished, weights)


def _drawn_session(session: Session, attempt: Attempt | None, read: Reader) -> DrawnSession:
    """The session with its draws; `attempt` is None if the session was not run."""
    if attempt is None:
        return DrawnSession(session, None)
    if attempt.failure:
        return DrawnSession(session, attempt.transcript, failure=attempt.failure)
    try:
        return DrawnSession(session, attempt.transcript, read(attempt.transcript.events))
    except HarnessError as error:
        return DrawnSession(session, attempt.transcript, failure=str(error))


def _all_sessions_text(count: int) -> str:
    """All sessions, in words.

    >>> _all_sessions_text(1), _all_sessions_text(52)
    ('its session', 'all 52 sessions')
    """
    return f"all {count} sessions" if count > 1 else "its session"


def _observed_sessions(drawn: Sequence[DrawnSession], replays: Replays) -> list[ObservedSession]:
    """The sessions that could be replayed, from which the submission's free texts are read."""
    return [
        ObservedSession(session.session.case.policy, replayed.expected.events, session.transcript.events)
        for session, replayed in zip(drawn, replays, strict=True)
        if session.transcript is not None and replayed is not None and not replayed.failure
    ]


def _accepted_sessions(drawn: Sequence[DrawnSession], results: Sequence[Result]) -> Iterable[ObservedSession]:
    """The accepted sessions, in which accepted differences from the reference's texts are looked for."""
    for session, result in zip(drawn, results, strict=True):
        if result.verdict is Verdict.ACCEPTED and session.transcript is not None:
            yield ObservedSession(session.session.case.policy, result.expected.events, session.transcript.events)


class Judge:
    """Judges the sessions of one submission of one stage."""

    def __init__(self, job: Job, stage: Stage, *, max_fruitless: int = MAX_FRUITLESS) -> None:
        """Judge by this stage's references, under the conditions of a job."""
        self._job, self._stage = job, stage
        read, self._breaker = reader_of(stage), CircuitBreaker()
        self.read: Reader = lambda events: self._breaker.call(read, events)
        self._choice = Choice(stage, job.conditions, max_fruitless=max_fruitless)
        self._selection: Selection | None = None
        #: The judge of programs without the features that the stage tests; None until it is needed.
        self._judge_without_features: Judge | None = None
        #: A cache of results, by the selection's description and the submission's texts; `_rule_counts` likewise.
        self._results: dict[object, list[Result]] = {}
        self._rule_counts: dict[object, list[dict[str, int]]] = {}
        #: The submission's text for each free text (a text that a program may word freely, `compare: free`) that its
        #: sessions have shown so far.
        self.texts: Texts = {}
        self._wagers = Wagers(stage.draws)
        #: The description of the selection for which `texts` were read, and the number of sessions that they explain;
        #: 0 if they do not explain all sessions.
        self._texts_basis = ("", 0)

    @property
    def choice(self) -> Choice:
        """The references and settings by which sessions may be judged."""
        return self._choice

    @property
    def selection(self) -> Selection:
        """The selection by which the sessions of the last outcome were judged; call `outcome` first."""
        assert self._selection is not None
        return self._selection

    def _draws_of_sessions(self, drawn: Sequence[DrawnSession]) -> list[tuple[str | None, ...]]:
        """The draws of each session that can be replayed."""
        return [session.reading.draws for session in drawn if session.can_be_replayed]

    def is_undecided(self, drawn: Sequence[DrawnSession], times: float | None = None) -> bool:
        """Whether more sessions can decide that the draws are not random, or that the program cannot draw some value.

        With `times`, the latter is considered only if `times` as many sessions as now would decide it.
        """
        draws, source = self._draws_of_sessions(drawn), self._stage.draws
        self._update_wagers(drawn)
        may_be_chance = bool(never_drawn(source, draws)) and not has_enough_draws(source, draws)
        return self._wagers.is_undecided or (
            may_be_chance and (times is None or would_have_enough_draws(source, draws, times))
        )

    def finding(self, drawn: Sequence[DrawnSession]) -> str:
        """Return a sentence on what is wrong with the draws of all sessions together; empty if nothing is wrong."""
        draws, source = self._draws_of_sessions(drawn), self._stage.draws
        finding = about_beginnings(source, draws)
        # A draw that cannot be read may have the value that seems to be missing.
        if finding or any(session.reading.problem for session in drawn):
            return finding
        return about_never_drawn(source, draws)

    def outcome(self, drawn: Sequence[DrawnSession]) -> Outcome:
        """Return the outcome of all sessions so far."""
        selection = self._selection = self._choice.select(drawn)
        if not self._texts_still_fit(selection):
            observed = _observed_sessions(selection.drawn, selection.replays)
            self.texts = texts_of_all(observed, lambda texts: self._are_all_accepted(selection, texts))
            self._choice.likely.assume(self.texts)
            updated = self._choice.replay_wrong_sessions(
                selection, self.texts, self._results_and_rule_counts(selection, self.texts)[0]
            )
            if updated is not selection:
                selection = self._selection = updated
                self._results, self._rule_counts = {}, {}
        texts = self.texts
        results, counts = self._results_and_rule_counts(selection, texts)
        is_right = all(result.verdict is Verdict.ACCEPTED for result in results)
        self._texts_basis = selection.description, len(results) if is_right else 0
        finding = self.finding(selection.drawn)
        findings = [finding] if finding else []
        if overall_verdict(result.verdict for result in results) is Verdict.ACCEPTED:
            findings = self._with_overall_findings(findings, counts, len(drawn))
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
            judged_as=selection.description,
            rules=tuple(counts.items()),
            accepted_differences=accepted_differences(_accepted_sessions(selection.drawn, results), texts),
            stage=selection.stage,
            tolerated=selection.tolerated,
        )
        outcome = self.with_findings_if_accepted(
            without_other_features(outcome, selection, self._stage, self._job.assignment.stages)
        )
        if outcome.verdict is Verdict.WRONG_ANSWER:
            return self._not_offered(drawn) or outcome
        return outcome

    def with_findings_if_accepted(self, outcome: Outcome) -> Outcome:
        """Return the outcome, with findings on draws and rules added if it is accepted because results are ignored.

        An outcome that is accepted without ignored results has these findings already.
        """
        if not outcome.ignored_results or outcome.verdict is not Verdict.ACCEPTED:
            return outcome
        findings = self._with_overall_findings([], dict(outcome.rules), len(outcome.results))
        return msgspec.structs.replace(outcome, findings=tuple(findings))

    def _with_overall_findings(self, findings: list[str], counts: Mapping[str, int], session_count: int) -> list[str]:
        """These findings, and findings that reject a program although each of its sessions is right.

        `counts`: how often each rule was reached. Whether the draws are random is tested only without other findings.
        """
        findings = findings or self._randomness_findings(self.selection.drawn)
        return [*findings, *self._missing_rules(session_count, counts)]

    def _texts_still_fit(self, selection: Selection) -> bool:
        """Whether the texts read so far also explain the new sessions, and the new sessions show no other free text."""
        description, count = self._texts_basis
        if not count or description != selection.description:
            return False
        new = _observed_sessions(selection.drawn[count:], selection.replays[count:])
        return has_text_for_all(self.texts, new) and self._are_all_accepted(selection, self.texts)

    def _are_all_accepted(self, selection: Selection, texts: Texts) -> bool:
        """Whether all sessions are accepted under this selection with these texts."""
        return all(result.verdict is Verdict.ACCEPTED for result in self._results_and_rule_counts(selection, texts)[0])

    def _not_offered(self, drawn: Sequence[DrawnSession]) -> Outcome | None:
        """The outcome for a program that lacks all features that the stage tests and is right otherwise; else None."""
        features = stage_features(self._stage)
        # A program that declares one of the features does not lack all of them.
        if not features or any(option.is_declared for option in features):
            return None
        self._judge_without_features = self._judge_without_features or Judge(
            self._job, without_features(self._stage), max_fruitless=1
        )
        outcome = self._judge_without_features.outcome(drawn)
        if outcome.verdict is Verdict.WRONG_ANSWER and not shows_any(features, self._stage, drawn):
            # With its bag used up, the reference may end; after that, the program may do anything.
            selection = self._judge_without_features.selection
            judge = Judge(self._job, without_features(self._stage), max_fruitless=1)
            pairs = zip(selection.drawn, selection.replays, strict=True)
            cut_sessions = [cut_where_used_up(*pair, self._stage.draws) for pair in pairs]
            outcome = judge.outcome(cut_sessions)
            if not are_used_up(selection.drawn, cut_sessions, judge.selection.replays, self._stage.draws):
                return None
        if outcome.verdict is not Verdict.ACCEPTED:
            return None
        # Worded like the option's other value: "without splitting".
        without_features_text = ", ".join(option.values[1].description for option in features)
        sessions = _all_sessions_text(len(drawn))
        sentence = f"Not offered: in {sessions} the program behaves like a correct program {without_features_text}."
        return msgspec.structs.replace(outcome, not_offered=sentence)

    def _results_and_rule_counts(self, selection: Selection, texts: Texts) -> tuple[list[Result], dict[str, int]]:
        """The results under a selection with the submission's texts, and how often each rule was reached in them."""
        cache_key = selection.description, tuple(sorted(texts.items()))
        results, counts = self._results.setdefault(cache_key, []), self._rule_counts.setdefault(cache_key, [])
        replays = zip(selection.drawn, selection.replays, strict=True)
        for index, (session, replayed) in list(enumerate(replays))[len(results) :]:
            is_explained = replayed is not None and replayed.explains
            failure = "" if is_explained else self._choice.failure_of(index)
            result, session_counts = self._with_rule_counts(
                session, self._result(selection, session, replayed, failure, texts)
            )
            results.append(result)
            counts.append(session_counts)
        return results, {rule.name: sum(count.get(rule.name, 0) for count in counts) for rule in self._stage.rules}

    def _missing_rules(self, session_count: int, counts: Mapping[str, int]) -> list[str]:
        """A sentence on each required rule that no session reached; empty if fewer than `most_sessions` were run."""
        if session_count < self._stage.most_sessions:
            return []
        features = {option.feature_rule: option for option in stage_features(self._stage)}
        sentences = []
        for name in dict.fromkeys((*self._stage.required, *features)):
            if counts[name]:
                continue
            if name in features and features[name].is_declared:
                sentences.append(f"{features[name].name!r} is declared, but never showed in {session_count} sessions.")
            else:
                sentences.append(
                    f"{name!r} was not reached in {session_count} sessions, but the stage tests it: "
                    "does the program have it?"
                )
        return sentences

    def _randomness_findings(self, drawn: Sequence[DrawnSession]) -> list[str]:
        """A sentence if the draws are not random, else nothing.

        To be called only if all else is right: otherwise draws may be misread.
        """
        self._update_wagers(drawn)
        return [self._wagers.finding()] if self._wagers.cannot_be_chance else []

    def _update_wagers(self, drawn: Sequence[DrawnSession]) -> None:
        """Wager on the draws of new sessions."""
        # Only sessions of the stage's own cases are used. Which further sessions, with other players, are run depends
        # on earlier draws.
        case_sessions = [
            session for session in drawn if session.can_be_replayed and session.session.case in self._stage.spec.cases
        ]
        self._wagers = self._wagers.wagers_on(
            without_coinciding_seeds(
                (session.session.environment_seed, session.reading.draws) for session in case_sessions
            )
        )

    def _result(
        self, selection: Selection, session: DrawnSession, replayed: Replay | None, failure: str, texts: Texts
    ) -> Result:
        """The result of a session; `failure`: how a reference failed on it, empty if none failed."""
        if session.transcript is None:
            return skipped_result(session.session)
        if replayed is None or failure:
            return fault_result(session.session, session.failure or failure, self._job)
        policy = session.session.case.policy.with_accepted_texts(texts) if texts else session.session.case.policy
        result = judged_result(session.session, replayed.expected, session.transcript, self._job.called, policy)
        if result.verdict is Verdict.WRONG_ANSWER and not self._stage.reference.command:
            run = self._choice.run_of(selection)
            replayed = without_later_draws(replayed, session, result, policy, run, selection.stage)
        return with_draw_findings(result, session.reading, replayed, self._stage)

    def _with_rule_counts(self, session: DrawnSession, result: Result) -> tuple[Result, dict[str, int]]:
        """The result, and how often each rule was reached in the session; no counts unless the result is accepted.

        If a rule cannot be counted, the result becomes a fault.
        """
        if result.verdict is not Verdict.ACCEPTED:
            return result, {}
        try:
            return result, self._breaker.call(rule_counts, self._stage, result.expected.events)
        except HarnessError as error:
            return fault_result(session.session, str(error), self._job), {}
