"""Tries the mutants of a reference command: changes and builds the source, and runs it in the stage's sessions.

A session catches a mutant that behaves differently from the reference. In a stage without a seed, a mutant gets
invented draws, and is caught if the stage's judge does not accept the mutant. Mutants that do not compile, or compile
to the same program, are left out. Each process builds in its own folder:

    /tmp/pitboss-run-000/mutants-000/
        copy/       the files that the command names; one file is changed at a time
        build/      the mutant
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import CodeType

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of, sessions_of
from pitboss.errors import HarnessError, ShortageError
from pitboss.experiments.mutants.trial import ExclusionReason, MutantResult, PreparedSession
from pitboss.experiments.mutants.unseeded_mutants import refused_in
from pitboss.experiments.mutation.edits import SourceChange, changed, changes_in
from pitboss.experiments.mutation.tokens import TokenKind, tokens_of
from pitboss.experiments.programs.reference_sources import INTERPRETED, Lack, ReferenceSource, Unbuildable, source_of
from pitboss.experiments.programs.running import ProgramRun, conditions_here, programs_ready
from pitboss.experiments.relation import SessionOrder, experiment_in, played
from pitboss.model.languages import is_header, language_of
from pitboss.sandbox import removal, scratch
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun, checked_run
from pitboss.submissions.compilers import Build, first_error
from pitboss.submissions.sources import is_code
from pitboss.unseeded.drawn import DrawnSession, invented_values
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.replay import GivenDraws
from pitboss.unseeded.unseeded import Judge

#: How many changes are tried by default: building and running a mutant takes tenths of a second, or seconds.
MOST = 200
#: How long a mutant may be idle, in seconds: a change may make the program wait forever.
_IDLE_S = 2
#: Flags for C and C++ compilers: no debug information, which would differ between equal programs.
_FLAGS = ("-g0",)


class ProgramTrial:
    """The changes to the source of a command, and the sessions that may catch the changes."""

    at_once = 20

    def __init__(self, assignment: Assignment, stage: Stage, source: ReferenceSource, most: int) -> None:
        """Run the reference in the sessions of the stage, and select at most `most` changes to its source."""
        self.stage, self._source = stage, source
        self._job = Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name)
        self._limits = msgspec.structs.replace(stage.limits, idle_s=min(_IDLE_S, stage.limits.idle_s))
        self._texts = {name: _read(source.folder / name) for name in source.files}
        changes_by_file = (changes_in(text, name, self._language(name)) for name, text in self._texts.items())
        self.changes = [change for file_changes in changes_by_file for change in file_changes]
        self._chosen = spread_evenly(self.changes, most)
        self.sessions = list(self._expected())
        self._order = SessionOrder(self.sessions)
        #: The digest of the program built from the unchanged source.
        self._own = ""

    def _language(self, name: str) -> str:
        """The language of a file; the program's language if the file name does not tell, as with headers."""
        language = language_of(name)
        if language is not None and not is_header(name):
            return language.name
        uses_make = self._source.source.language == "make"
        languages = (language_of(file) for file in self._source.files if not is_header(file))
        return (
            next((candidate.name for candidate in languages if candidate is not None), "c")
            if uses_make
            else self._source.source.language
        )

    def unreached(self) -> list[str]:
        """No lines: the source lines that a command runs are unknown."""
        return []

    def _expected(self) -> Iterator[PreparedSession]:
        """The sessions in which the reference does not fail; `pitboss verify` reports the failures."""
        run, patience = expected_run_here(self.stage), CircuitBreaker()
        sessions = sessions_of(self.stage) if self.stage.reader else all_sessions_of(self.stage)
        for number, session in enumerate(sessions):
            with contextlib.suppress(HarnessError):
                yield patience.call(self._expected_in, session, run, number)

    def _expected_in(self, session: Session, run: ExpectedRun, number: int) -> PreparedSession:
        case, draws = session.case, None
        if self.stage.reader:
            draws = invented_values(self.stage.draws, number)
        transcript = played(run, session, None if draws is None else GivenDraws(draws, self.stage.draws))
        policy = (
            case.policy.with_accepted_texts({}) if draws is not None else None
        )  # the judge decides what is a free text
        return PreparedSession(
            session, experiment_in(session, checked_run(transcript, case.exit_code, case.place), draws, policy)
        )

    def begin(self) -> Unbuildable | None:
        """Build the unchanged source and run it in all sessions; return why it cannot be mutated, or None."""
        with scratch.folder("mutants") as folder:
            self._source.copy(Path(folder) / "copy")
            built = self._built(Path(folder))
            if built.program is None:
                return Unbuildable(Lack.NOT_BUILT, built.reason or first_error(built.messages))
            run = ProgramRun("the reference", partial(_the_same, built.program), self.stage, self._limits)
            with programs_ready():
                differing = next((session for session in self.sessions if session.experiment.differs(run)), None)
            self._own = self._digest(Path(folder) / "build", self._texts)
        return Unbuildable(Lack.DIFFERS, differing.session.name) if differing is not None else None

    @property
    def count(self) -> int:
        """The number of changes to try."""
        return len(self._chosen)

    @cached_property
    def untried(self) -> tuple[str, ...]:
        """The ids of the changes that are not tried."""
        tried = set(self._chosen)
        return tuple(change.id for number, change in enumerate(self.changes) if number not in tried)

    def changes_called(self, ids: Iterable[str]) -> list[SourceChange]:
        """The changes with these ids, in source order."""
        requested = set(ids)
        return [change for change in self.changes if change.id in requested]

    def try_mutants(self, numbers: Iterable[int]) -> list[tuple[int, MutantResult]]:
        """The results for the changes with these numbers."""
        with scratch.folder("mutants") as folder:
            self._source.copy(Path(folder) / "copy")
            return [(number, self._try_change(self.changes[self._chosen[number]], Path(folder))) for number in numbers]

    def _try_change(self, change: SourceChange, folder: Path) -> MutantResult:
        file, text = folder / "copy" / change.file, self._texts[change.file]
        changed_text = changed(text, change.edit)
        try:
            _write(file, changed_text)
            built = self._built(folder)
            if built.program is None:
                return MutantResult(change.id, "", ExclusionReason.NOT_BUILT)
            program = self._digest(folder / "build", {**self._texts, change.file: changed_text})
            if program == self._own:
                return MutantResult(change.id, "", ExclusionReason.EQUAL)
            run = ProgramRun("the mutant", partial(_the_same, built.program), self.stage, self._limits)
            with programs_ready():
                return MutantResult(change.id, self._caught_by(run), program=program)
        finally:
            _write(file, text)

    def _built(self, folder: Path) -> Build:
        """Build the files in the folder `copy`; raises ShortageError if this machine cannot build them."""
        removal.remove(str(folder / "build"))
        built = self._source.built(folder / "copy", folder / "build", conditions_here(), _FLAGS)
        if built.is_fault:
            raise ShortageError(built.reason)
        return built

    def _caught_by(self, run: ExpectedRun) -> str:
        if self.stage.reader:
            return refused_in(self._differing(run), self._judge)
        first_catch = self._order.first(lambda candidate: candidate.experiment.differs(run))
        return first_catch.session.name if first_catch is not None else ""

    def _judge(self) -> Judge:
        return Judge(self._job, self.stage)

    def _differing(self, run: ExpectedRun) -> Iterator[DrawnSession]:
        """The sessions in which a mutant differs, prepared for the judge; without a transcript if the mutant fails."""
        read = reader_of(self.stage)
        for session in self.sessions:
            observed = session.experiment.observed(run)
            if observed is not None and not observed.differs:
                continue
            try:
                drawn = DrawnSession(session.session, None)
                if observed is not None:
                    drawn = DrawnSession(session.session, observed.transcript, read(observed.transcript.events))
                yield drawn
            except HarnessError:  # the mutant's output cannot be read
                yield DrawnSession(session.session, None)

    def _digest(self, build: Path, texts: dict[str, str]) -> str:
        """A digest of the built files that are not sources, or of the code that an interpreter reads."""
        digest = hashlib.blake2b(digest_size=16)
        if self._source.source.language in INTERPRETED:
            for name, text in texts.items():
                digest.update(_meaning(text, self._language(name)))
            return digest.hexdigest()
        for path in sorted(path for path in build.rglob("*") if path.is_file() and not is_code(path.name)):
            digest.update(f"\n{path.relative_to(build)}\n".encode() + path.read_bytes())
        return digest.hexdigest()


def trial_of_program(assignment: Assignment, stage: Stage, most: int = MOST) -> ProgramTrial | Unbuildable:
    """The trial of changes to the source of a stage's reference command, or why the source cannot be used."""
    source = source_of(stage)
    if isinstance(source, Unbuildable):
        return source
    trial = ProgramTrial(assignment, stage, source, most)
    return trial.begin() or trial


def spread_evenly(changes: Sequence[SourceChange], most: int) -> list[int]:
    """The indexes of at most `most` changes, in order: spread over all changes, and the same each time."""
    numbers = range(len(changes))
    if len(changes) <= most:
        return list(numbers)
    return sorted(sorted(numbers, key=lambda number: hashlib.blake2b(changes[number].id.encode()).digest())[:most])


def _the_same(program: Program) -> Program:
    return program


def _read(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _write(file: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))


def _meaning(text: str, language: str) -> bytes:
    """The code that an interpreter reads: Python's code objects, or all tokens except spaces and comments."""
    if language == "python":
        with contextlib.suppress(SyntaxError, ValueError):
            return repr(_parts(compile(text, "", "exec", dont_inherit=True))).encode("utf-8", "surrogatepass")
    tokens = (
        token.text for token in tokens_of(text, language) if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    )
    return "\0".join(tokens).encode("utf-8", "surrogateescape")


def _parts(code: CodeType) -> tuple[object, ...]:
    """The parts of a code object, without its file name and line numbers."""
    constants = tuple(
        _parts(const) if isinstance(const, CodeType) else (type(const), const) for const in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    return code.co_code, constants, names, counts, getattr(code, "co_exceptiontable", b"")
