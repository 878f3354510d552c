"""Judges sessions of programs that draw at random: the draws of each session are read back and replayed.

All sessions of a submission are judged by one reference and one setting of its options, the pair that explains most
sessions. How many sessions are run is decided in `experiments.adequacy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from pitboss.assignments.assignment import Case, Draws, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.assignments.options import Option, stage_features, without_features
from pitboss.assignments.players import script_of
from pitboss.compare.comparison import Difference, first_difference
from pitboss.compare.findings import Compared, Impossible, OddDraws, Oddity
from pitboss.compare.outcome import (
    Outcome,
    fault_result,
    judged_result,
    judged_session_of,
    skipped_result,
    with_partly_unknown_line,
)
from pitboss.compare.results import Result, Verdict, overall_verdict
from pitboss.compare.submission_texts import ObservedSession, accepted_differences
from pitboss.errors import HarnessError
from pitboss.machine.pool import Pool
from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import Event, Shown, Transcript
from pitboss.sessions.attempts import Attempt, Part, attempts, shared_sessions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.choice import Choice, ReferenceWithSetting, Selection
from pitboss.unseeded.likely import Texts, has_text_for_all, texts_of_all
from pitboss.unseeded.other_features import differs_in_line, features_never_shown, without_other_features
from pitboss.unseeded.randomness import is_undecided, odd_draws, takes_new_bag_each_round, twice_in_a_bag
from pitboss.unseeded.reader import DrawnSession, Reader, Reading, Replays, reader_of, rule_counts
from pitboss.unseeded.replay import Replay, with_open_line
from pitboss.unseeded.setting_search import MAX_FRUITLESS, score_of


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
    limits = sessions[0].stage.limits
    finished = dict(attempts(numbers, job, program, limits, lambda number: script_of(sessions[number])))
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

    def __init__(
        self,
        job: Job,
        stage: Stage,
        *,
        max_fruitless: int = MAX_FRUITLESS,
        free_lines: tuple[str, ...] = (),
        first: ReferenceWithSetting | None = None,
    ) -> None:
        """Judge by this stage's references, under the conditions of a job.

        `free_lines` are patterns of lines of other features, in which anything is allowed already. For the other
        parameters see `Choice`.
        """
        self._job, self._stage = job, stage
        read, self._breaker = reader_of(stage), CircuitBreaker()
        self.read: Reader = lambda events: self._breaker.call(read, events)
        self._choice = Choice(stage, job.conditions, max_fruitless=max_fruitless, first=first)
        self._selection: Selection | None = None
        #: The judges of programs without some features that the stage tests, by these features.
        self._judges_without_features: dict[tuple[Option, ...], Judge] = {}
        #: The judges that allow anything in the lines of another feature, by the pattern of these lines.
        self._lenient_judges: dict[str, Judge] = {}
        self._max_fruitless, self._free_lines = max_fruitless, free_lines
        #: A cache of results, by the selection's description and the submission's texts; `_rule_counts` likewise.
        self._results: dict[object, list[Result]] = {}
        self._rule_counts: dict[object, list[dict[str, int]]] = {}
        #: The submission's text for each free text (a text that a program may word freely, `compare: free`) that its
        #: sessions have shown so far.
        self.texts: Texts = {}
        #: The number of sessions of the last outcome; 0 if it was not accepted.
        self._accepted_count = 0
        #: Whether sessions or lines were left out in the last outcome, because of another feature.
        self._is_excused = False

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
        """The draws of each session of the stage's own cases that can be replayed.

        With other players, it depends on the draws of a session whether the session is used.
        """
        cases = self._stage.spec.cases
        return [session.reading.draws for session in drawn if session.can_be_replayed and session.session.case in cases]

    def is_undecided(self, drawn: Sequence[DrawnSession], times: float | None = None) -> bool:
        """Whether more sessions can decide that draws are not random: see `randomness.is_undecided`."""
        return is_undecided(self._stage.draws, self._draws_of_sessions(drawn), times)

    def odd_draws(self, selection: Selection, results: Sequence[Result]) -> OddDraws | None:
        """Return what is not random about the draws of all sessions together; None if nothing is.

        A wrong session may show draws that are none. So the right sessions alone must show the same, and none crash.
        """
        source, drawn = self._stage.draws, selection.drawn
        pairs = zip(drawn, selection.replays, strict=True)
        right = [session for session, replayed in pairs if replayed is not None and replayed.difference is None]
        if takes_new_bag_each_round(source, [session.reading for session in right]):
            return OddDraws(Oddity.NEW_BAG, (), 0, 0, len(drawn), bag=source.bag, nouns=source.nouns)
        finding = odd_draws(source, self._draws_of_sessions(drawn))
        if finding is None or finding.kind is Oddity.SAME:
            return finding
        if finding.kind is Oddity.SAME_ORDER and self._is_refilled_by_other_feature(selection):
            return None
        is_readable = not any(session.reading.problem for session in drawn) and all(
            result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER) for result in results
        )
        in_right = odd_draws(source, self._draws_of_sessions(right)) if is_readable else None
        return finding if in_right is not None and in_right.kind is finding.kind else None

    def _is_refilled_by_other_feature(self, selection: Selection) -> bool:
        """Whether a feature that the stage does not test came up wherever more than one bag was drawn."""
        bag, sessions = self._stage.draws.bag, enumerate(selection.drawn)
        indexes = [index for index, session in sessions if len(session.reading.draws) > bag]
        try:
            tested = {
                option.is_tested
                for option, is_selected in selection.features(self._stage)
                if is_selected
                and all(self._choice.typed_before(selection, option, index) is not None for index in indexes)
            }
        except HarnessError:  # the reference fails without a feature
            return False
        return tested == {False}

    def outcome(self, drawn: Sequence[DrawnSession]) -> Outcome:
        """The outcome of these sessions, which begin with those of the previous call."""
        # As long as a selection and texts explain enough, no better ones are sought, which takes long.
        if self._accepted_count:
            selection = self._choice.select_again(drawn)
            new = slice(self._accepted_count, None)
            if has_text_for_all(self.texts, _observed_sessions(selection.drawn[new], selection.replays[new])):
                was_excused, outcome = self._is_excused, self._outcome_of(selection, drawn)
                # Sessions that are wrong for the first time may be explained by another selection.
                if outcome.verdict is Verdict.ACCEPTED and (was_excused or not self._is_excused):
                    return outcome
        outcome = self._outcome_with_own_texts(self._choice.select(drawn), drawn)
        return self._outcome_with_shown_feature(outcome, drawn)

    def outcomes_with_fewer_changes(self, drawn: Sequence[DrawnSession], outcome: Outcome) -> Iterator[Outcome]:
        """Yield `outcome`, then the outcomes with one of the changed options at the stage's own value, if any.

        Features are left as they are: a program shows whether it has them.
        """
        settings = self._choice.settings_with_fewer_changes()
        yield from (outcome,) if settings else ()
        for setting in settings:
            yield self._outcome_with_own_texts(self._choice.select_setting(setting), drawn)

    def _outcome_with_own_texts(self, selection: Selection, drawn: Sequence[DrawnSession]) -> Outcome:
        """The outcome by a selection, with the texts that the sessions show under it."""
        observed = _observed_sessions(selection.drawn, selection.replays)
        self.texts = texts_of_all(observed, lambda texts: self._explain_as_much(selection, texts))
        self._choice.likely.assume(self.texts)
        updated = self._choice.replay_wrong_sessions(
            selection, self.texts, self._results_and_rule_counts(selection, self.texts)[0]
        )
        if updated is not selection:
            self._results, self._rule_counts = {}, {}
        return self._outcome_of(updated, drawn)

    def _outcome_with_shown_feature(self, outcome: Outcome, drawn: Sequence[DrawnSession]) -> Outcome:
        """An accepted outcome with a feature that the program shows and the selected reference lacks; else `outcome`.

        A reference without the feature may explain more sessions of a program whose feature has a mistake.
        """
        if outcome.verdict is not Verdict.WRONG_ANSWER:
            return outcome
        selection = self.selection
        features = selection.features(self._stage)
        lacking = [option for option, is_selected in features if not (is_selected or option.is_tested)]
        never_shown = features_never_shown(lacking, self._stage, drawn)
        for option in lacking:
            if option in never_shown:
                continue
            other = self._outcome_with_own_texts(self._choice.select_with_change(selection, option), drawn)
            if other.verdict is Verdict.ACCEPTED:
                return other
            # The selection and the texts are again those of `outcome`.
            self._outcome_with_own_texts(self._choice.select_setting(selection.setting), drawn)
        return outcome

    def _outcome_of(self, selection: Selection, drawn: Sequence[DrawnSession]) -> Outcome:
        """The outcome by a selection and the texts that were read from the submission."""
        self._selection = selection
        outcome = self._outcome_of_sessions(selection, self.texts, drawn)
        self._accepted_count = len(drawn) if outcome.verdict is Verdict.ACCEPTED else 0
        self._is_excused = outcome.judged_as != selection.description
        return outcome

    def _outcome_of_sessions(self, selection: Selection, texts: Texts, drawn: Sequence[DrawnSession]) -> Outcome:
        results, counts = self._results_and_rule_counts(selection, texts)
        is_accepted = overall_verdict(result.verdict for result in results) is Verdict.ACCEPTED
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
            tuple(self._missing_rules(len(drawn), counts)) if is_accepted else (),
            self.odd_draws(selection, results),
            judged_as=selection.description,
            rules=tuple(counts.items()),
            accepted_differences=accepted_differences(_accepted_sessions(selection.drawn, results), texts),
            stage=selection.stage,
            tolerated=selection.tolerated,
        )
        for option, is_selected in selection.features(self._stage):
            pattern = option.shown_rule.pattern
            count = sum(differs_in_line(result, pattern) for result in outcome.results)
            if count and is_selected and not option.is_tested and pattern not in self._free_lines:
                outcome = self._outcome_with_free_lines(pattern, drawn)
                return outcome.judged_without(f"without the lines {option.words}, which are wrong in {count} sessions")
        outcome = without_other_features(outcome, selection, self._stage, self._choice.typed_before)
        if outcome.ignored_results and outcome.verdict is Verdict.ACCEPTED:
            findings = self._missing_rules(len(drawn), dict(outcome.rules))
            outcome = msgspec.structs.replace(outcome, findings=tuple(findings))
        if outcome.verdict is Verdict.WRONG_ANSWER:
            return self._not_offered(drawn) or outcome
        return outcome

    def _outcome_with_free_lines(self, pattern: str, drawn: Sequence[DrawnSession]) -> Outcome:
        """The outcome with anything allowed in lines that match a pattern, which only another feature shows."""

        def freed(case: Case) -> Case:
            return msgspec.structs.replace(case, policy=case.policy.with_free_line(pattern))

        if pattern not in self._lenient_judges:
            spec = msgspec.structs.replace(self._stage.spec, cases=tuple(map(freed, self._stage.spec.cases)))
            stage = msgspec.structs.replace(self._stage, spec=spec)
            free_lines = (*self._free_lines, pattern)
            self._lenient_judges[pattern] = Judge(
                self._job, stage, max_fruitless=self._max_fruitless, free_lines=free_lines, first=self._choice.selected
            )
        judge = self._lenient_judges[pattern]
        sessions = [msgspec.structs.replace(one.session, case=freed(one.session.case)) for one in drawn]
        pairs = zip(drawn, sessions, strict=True)
        outcome = judge.outcome([msgspec.structs.replace(one, session=session) for one, session in pairs])
        self._selection, self.texts = judge.selection, judge.texts
        return outcome

    def _explain_as_much(self, selection: Selection, texts: Texts) -> bool:
        """Whether all sessions that their own texts explain are accepted with these texts."""
        results, _ = self._results_and_rule_counts(selection, texts)
        pairs = zip(selection.replays, results, strict=True)
        return all(
            result.verdict is Verdict.ACCEPTED for replayed, result in pairs if replayed is None or replayed.explains
        )

    def _not_offered(self, drawn: Sequence[DrawnSession]) -> Outcome | None:
        """The outcome for a program that lacks features that the stage tests and is right otherwise; else None."""
        features = features_never_shown(stage_features(self._stage), self._stage, drawn)
        # A feature that the program declares is not missing but wrong.
        if not features or any(option.is_declared for option in features):
            return None
        if features not in self._judges_without_features:
            stage = without_features(self._stage, features)
            self._judges_without_features[features] = Judge(self._job, stage, max_fruitless=1)
        other = self._judges_without_features[features]
        outcome = other.outcome(drawn)
        is_right = outcome.verdict is Verdict.ACCEPTED
        ours, others = (score_of(list(filter(None, judge.selection.replays))) for judge in (self, other))
        # A program with other mistakes lacks the features if it agrees further with the reference without them.
        if not (is_right or others > ours):
            return None
        # Worded like the option's other value: "without splitting".
        words = ", ".join(option.values[1].description for option in features)
        behaves = f"the program behaves like a correct program {words}"
        count, that_count = len(outcome.counted_results), " that count" if outcome.ignored_results else ""
        sessions = f"all {count} sessions{that_count}" if count > 1 else "its session"
        sentence = f"in {sessions} {behaves}" if is_right else f"apart from mistakes {behaves}"
        wrong = {index for index, result in enumerate(outcome.results) if result.verdict is Verdict.WRONG_ANSWER}
        ignored = outcome.ignored_results | wrong
        return msgspec.structs.replace(outcome, not_offered=f"Not offered: {sentence}.", ignored_results=ignored)

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


#: About how many other values are tried for an unknown draw.
_OTHER_VALUES = 3
#: For how many unknown draws other values are tried: the last ones.
_LAST_DRAWS = 3


def with_draw_findings(result: Result, reading: Reading, replayed: Replay, stage: Stage) -> Result:
    """Returns the result with … for unknown draws in the expected line, and with a finding on a wrong draw.

    A draw is wrong if it is unreadable, impossible or repeated. `reading` has the draws of the session, `replayed` is
    the reference's run with these draws.
    """
    problem, draws = reading.problem, stage.draws
    if replayed.open_line is not None and result.verdict is Verdict.WRONG_ANSWER:
        result = with_partly_unknown_line(result, replayed.open_line, stage.limits)
    if problem is not None and result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        difference = result.difference
        finding = Impossible(problem, tuple(draws.values))
        is_impossible = problem.form is None  # the line can be read, but its value cannot be drawn
        is_before_difference = difference is None or difference.place or difference.line >= problem.line
        # If the expected line depends on draws that were never shown, the impossible draw may explain the difference,
        # although that comes earlier.
        if is_before_difference or (is_impossible and replayed.open_line is not None):
            return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, finding=finding)
        if is_impossible and isinstance(result.finding, Compared):
            return msgspec.structs.replace(result, finding=msgspec.structs.replace(result.finding, draw=finding))
    # Reported only for an accepted session: after a difference, text may be misread as draws.
    twice = twice_in_a_bag(draws, reading.draws)
    if twice and result.verdict is Verdict.ACCEPTED:
        return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, finding=twice)
    return result


def without_later_draws(
    replayed: Replay, session: DrawnSession, result: Result, policy: Policy, run: ExpectedRun, stage: Stage
) -> Replay:
    """Returns the replay, with … in the expected line for draws that the program showed only after the differing line.

    A value shown after the difference may have been drawn for another purpose, or be text that was misread as a draw.
    """
    actual, difference = session.transcript, result.difference
    differs_on_screen = replayed.difference is not None and difference is not None and not difference.place
    if (
        not differs_on_screen
        or replayed.open_line is not None
        or session.reading.problem
        or actual is None
        or difference is None
    ):
        return replayed
    # Compared under this policy, like `others` below: `replayed.difference` may be of another policy, and elsewhere.
    best = msgspec.structs.replace(replayed, difference=first_difference(replayed.expected, actual, policy))
    if best.difference is None:
        return replayed
    invocation = session.session.case.invocation
    try:
        draws_so_far = reader_of(stage)(_up_to_difference(difference)).draws
        variants = _draws_with_other_values(draws_so_far, replayed.given, stage.draws)
        open_line = with_open_line(best, variants, actual, stage, policy, run, invocation=invocation).open_line
    except HarnessError:
        return replayed  # a reader or a reference that fails on half a session is no evidence about the program
    return msgspec.structs.replace(replayed, open_line=open_line)


def _up_to_difference(difference: Difference) -> tuple[Event, ...]:
    """The program's session up to the end of the line that differs."""
    quoted = difference.quoted
    event = quoted.actual[0] if quoted.actual else None
    return (*quoted.before, Shown(event.text.partition(b"\n")[0])) if isinstance(event, Shown) else quoted.before


def _draws_with_other_values(draws: Sequence[str | None], given_draws: Sequence[str], source: Draws) -> list[list[str]]:
    """Variants of the draws so far, each with another value for one of the last unknown draws, or for the next draw."""
    draws_so_far = [value if draw is None else draw for draw, value in zip(draws, given_draws, strict=False)]
    unknown = [index for index, draw in enumerate(draws[: len(draws_so_far)]) if draw is None][-_LAST_DRAWS:]
    possible = [value for value in source.values if not source.bag or value not in draws_so_far] or source.values
    values = possible[:: max(1, len(possible) // _OTHER_VALUES)]
    variants = [[*draws_so_far[:index], value, *draws_so_far[index + 1 :]] for index in unknown for value in values]
    return [*variants, *([*draws_so_far, value] for value in values)]
