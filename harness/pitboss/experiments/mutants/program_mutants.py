"""Tries the mutants of a reference that is a source: changes and builds it, and runs the program in the sessions.

A session catches a mutant that behaves differently from the reference. In a stage without a seed, mutants are given
invented draws, as the reference is in a replay, and a mutant is caught if the stage's judge rejects it. Mutants that do
not compile, or compile to the same program as the reference, are left out. Each process builds in its own folder:

    /tmp/pitboss-run-000/mutants-000/
        copy/       the files of the source; one file is changed at a time
        build/      the built mutant
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property, partial
from pathlib import Path
from types import CodeType

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, sessions_of
from pitboss.errors import HarnessError, ShortageError
from pitboss.experiments.mutants.edits import SourceChange, apply_edit, changes_in
from pitboss.experiments.mutants.tokens import TokenKind, tokens_of
from pitboss.experiments.mutants.trial import ExclusionReason, MutantResult, PreparedSession
from pitboss.experiments.mutants.unseeded_mutants import rejecting_session
from pitboss.experiments.programs.running import ProgramRun, conditions_here, programs_ready
from pitboss.experiments.relation import SessionOrder, experiment_in, run_in_session
from pitboss.machine import removal, scratch
from pitboss.model.languages import LANGUAGES, is_header, language_of
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import ExpectedRun, checked_run
from pitboss.submissions.compilers import Build, first_error
from pitboss.submissions.projects import is_code
from pitboss.submissions.reference_source import ReferenceSource, reference_source
from pitboss.unseeded.reader import DrawnSession, invented_values, reader_of
from pitboss.unseeded.replay import GivenDraws
from pitboss.unseeded.unseeded import Judge

#: The default maximum number of changes to try: building and running one mutant takes tenths of a second, or seconds.
DEFAULT_MAX_CHANGES = 200
#: The maximum idle time of a mutant, in seconds: a change may make the program wait forever.
_MAX_IDLE_S = 2
#: Flags for C and C++ compilers: without debug information, equal programs are equal files.
_COMPILER_FLAGS = ("-g0",)


#: Languages whose programs are run from a source file.
_INTERPRETED = frozenset(
    language.name
    for language in LANGUAGES.values()
    if language.is_interpreted or (language.run and "{file}" in " ".join(language.run))
)


class UnbuildableReason(Enum):
    """Why the program of a reference that is a command or a source cannot be changed."""

    #: The reference is a command, not a source.
    NO_SOURCE = "no source"
    #: The source cannot be built.
    NOT_BUILT = "not built"
    #: The program built from the source behaves differently from the reference.
    DIFFERS = "differs"


class Unbuildable(msgspec.Struct, frozen=True):
    """A reference whose program cannot be changed."""

    reason: UnbuildableReason
    #: The compiler's message, or the session that differs.
    detail: str = ""


class ProgramTrial:
    """The changes to the source of a command, and the sessions that may catch the changes."""

    #: How many changes are tried between two reports of progress.
    batch_size = 20

    def __init__(self, assignment: Assignment, stage: Stage, source: ReferenceSource, max_changes: int) -> None:
        """Run the reference in the sessions of the stage, and select at most `max_changes` changes to its source."""
        self.stage, self._source = stage, source
        self._job = Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name)
        self._limits = msgspec.structs.replace(stage.limits, idle_s=min(_MAX_IDLE_S, stage.limits.idle_s))
        self._texts = {name: _read(source.folder / name) for name in source.code_files}
        changes_by_file = (changes_in(text, name, self._language(name)) for name, text in self._texts.items())
        self.changes = [change for file_changes in changes_by_file for change in file_changes]
        #: The indexes in `changes` of the changes to try.
        self._selected_indexes = spread_evenly(self.changes, max_changes)
        self.sessions = list(self._prepared_sessions())
        self._order = SessionOrder(self.sessions)
        #: The digest of the program built from the unchanged source.
        self._reference_digest = ""

    def _language(self, name: str) -> str:
        """The language that the file's name shows; the program's language for a header, or if the name shows none.

        The language of a program built by make is that of the first file other than headers whose name shows a
        language, or else C.
        """
        language = language_of(name)
        if language is not None and not is_header(name):
            return language.name
        if self._source.source.language != "make":
            return self._source.source.language
        languages = (language_of(file) for file in self._texts if not is_header(file))
        return next((candidate.name for candidate in languages if candidate is not None), "c")

    def unreached(self) -> list[str]:
        """Returns no lines: which source lines a command runs is unknown."""
        return []

    def _prepared_sessions(self) -> Iterator[PreparedSession]:
        """The sessions in which the reference does not fail; `pitboss verify` reports the failures."""
        run, breaker = expected_run_here(self.stage), CircuitBreaker()
        for number, session in enumerate(sessions_of(self.stage)):
            with contextlib.suppress(HarnessError):
                yield breaker.call(self._prepared_session, session, run, number)

    def _prepared_session(self, session: Session, run: ExpectedRun, number: int) -> PreparedSession:
        """Run the reference in a session; if the stage has no seed, on draws that are invented from `number`."""
        case, draws = session.case, None
        if self.stage.reader:
            draws = invented_values(self.stage.draws, number)
        transcript = run_in_session(run, session, None if draws is None else GivenDraws(draws, self.stage.draws))
        # With invented draws the judge decides whether a free text (`compare: free`) is accepted. The experiment only
        # looks for differences, so it accepts no other text.
        policy = case.policy.with_accepted_texts({}) if draws is not None else None
        return PreparedSession(
            session, experiment_in(session, checked_run(transcript, case.exit_code, case.place), draws, policy)
        )

    def begin(self) -> Unbuildable | None:
        """Build the unchanged source and run it in all sessions; return why the source cannot be mutated, or None."""
        with scratch.folder("mutants") as folder:
            self._source.copy(Path(folder) / "copy")
            built = self._build(Path(folder))
            if built.program is None:
                return Unbuildable(UnbuildableReason.NOT_BUILT, built.reason or first_error(built.messages))
            run = ProgramRun("the reference", partial(_get_program, built.program), self.stage, self._limits)
            with programs_ready():
                differing = next((session for session in self.sessions if session.experiment.differs(run)), None)
            self._reference_digest = self._digest(Path(folder) / "build", self._texts)
        return Unbuildable(UnbuildableReason.DIFFERS, differing.session.name) if differing is not None else None

    @property
    def count(self) -> int:
        """The number of changes to try."""
        return len(self._selected_indexes)

    @cached_property
    def untried(self) -> tuple[str, ...]:
        """The ids of the changes that are not tried."""
        selected = set(self._selected_indexes)
        return tuple(change.id for index, change in enumerate(self.changes) if index not in selected)

    def changes_with_ids(self, ids: Iterable[str]) -> list[SourceChange]:
        requested = set(ids)
        return [change for change in self.changes if change.id in requested]

    def try_mutants(self, numbers: Iterable[int]) -> list[tuple[int, MutantResult]]:
        with scratch.folder("mutants") as folder:
            self._source.copy(Path(folder) / "copy")
            return [
                (number, self._try_change(self.changes[self._selected_indexes[number]], Path(folder)))
                for number in numbers
            ]

    def _try_change(self, change: SourceChange, folder: Path) -> MutantResult:
        file, text = folder / "copy" / change.file, self._texts[change.file]
        changed_text = apply_edit(text, change.edit)
        try:
            _write(file, changed_text)
            built = self._build(folder)
            if built.program is None:
                return MutantResult(change.id, "", ExclusionReason.NOT_BUILT)
            program = self._digest(folder / "build", {**self._texts, change.file: changed_text})
            if program == self._reference_digest:
                return MutantResult(change.id, "", ExclusionReason.EQUAL)
            run = ProgramRun("the mutant", partial(_get_program, built.program), self.stage, self._limits)
            with programs_ready():
                return MutantResult(change.id, self._catching_session(run), program=program)
        finally:
            _write(file, text)

    def _build(self, folder: Path) -> Build:
        """Build the files in `folder`/copy; raises ShortageError if this machine cannot build them."""
        removal.remove(str(folder / "build"))
        built = self._source.built(folder / "copy", folder / "build", conditions_here(), _COMPILER_FLAGS)
        if built.is_fault:
            raise ShortageError(built.reason)
        return built

    def _catching_session(self, run: ExpectedRun) -> str:
        """The name of a session that catches the mutant that `run` runs; empty if no session does."""
        if self.stage.reader:
            return rejecting_session(self._differing_sessions(run), self._new_judge)
        first_catch = self._order.first(lambda candidate: candidate.experiment.differs(run))
        return first_catch.session.name if first_catch is not None else ""

    def _new_judge(self) -> Judge:
        return Judge(self._job, self.stage)

    def _differing_sessions(self, run: ExpectedRun) -> Iterator[DrawnSession]:
        """The sessions in which a mutant differs, for the judge.

        If the mutant fails or its draws cannot be read, the session has no transcript, so that it is rejected.
        """
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
            except HarnessError:  # the draws cannot be read back from the mutant's output
                yield DrawnSession(session.session, None)

    def _digest(self, build: Path, texts: dict[str, str]) -> str:
        """A digest of the built files that are not sources; for an interpreted language, of the code in `texts`."""
        digest = hashlib.blake2b(digest_size=16)
        if self._source.source.language in _INTERPRETED:
            for name, text in texts.items():
                digest.update(_meaning(text, self._language(name)))
            return digest.hexdigest()
        for path in sorted(path for path in build.rglob("*") if path.is_file() and not is_code(path.name)):
            digest.update(f"\n{path.relative_to(build)}\n".encode() + path.read_bytes())
        return digest.hexdigest()


def trial_of_program(
    assignment: Assignment, stage: Stage, max_changes: int = DEFAULT_MAX_CHANGES
) -> ProgramTrial | Unbuildable:
    """The trial of changes to the source of a stage's reference command, or why the source cannot be used."""
    if not stage.reference.is_source:
        return Unbuildable(UnbuildableReason.NO_SOURCE)
    source = reference_source(stage, Path(stage.reference.command[0]))
    trial = ProgramTrial(assignment, stage, source, max_changes)
    return trial.begin() or trial


def spread_evenly(changes: Sequence[SourceChange], max_changes: int) -> list[int]:
    """The indexes of at most `max_changes` changes, in ascending order.

    A digest of each change's id decides, so the selection is spread over all changes and always the same.
    """
    indexes = range(len(changes))
    if len(changes) <= max_changes:
        return list(indexes)
    by_digest = sorted(indexes, key=lambda index: hashlib.blake2b(changes[index].id.encode()).digest())
    return sorted(by_digest[:max_changes])


def _get_program(program: Program) -> Program:
    """Returns the program; with `partial`, this is the function that `ProgramRun` calls for each run."""
    return program


def _read(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def _write(file: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))


def _meaning(text: str, language: str) -> bytes:
    """The code that an interpreter reads, as bytes: Python's code objects, or all tokens except spaces and comments."""
    if language == "python":
        with contextlib.suppress(SyntaxError, ValueError):
            return repr(_comparable_parts(compile(text, "", "exec", dont_inherit=True))).encode(
                "utf-8", "surrogatepass"
            )
    tokens = (
        token.text for token in tokens_of(text, language) if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    )
    return "\0".join(tokens).encode("utf-8", "surrogateescape")


def _comparable_parts(code: CodeType) -> tuple[object, ...]:
    """The parts of a code object that decide what it does: without its file name and line numbers."""
    constants = tuple(
        _comparable_parts(constant) if isinstance(constant, CodeType) else (type(constant), constant)
        for constant in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    return code.co_code, constants, names, counts, getattr(code, "co_exceptiontable", b"")
