"""Compares the cost of reading back and replaying with that of running the sessions: `python -m benchmarks.replaying`.

Each example is run on the sessions of a stage's cases on one core. Choosing a setting of the options is measured
separately, since a setting is chosen only once for a submission, and only if the stage's own setting does not explain
the submission.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.machine.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.build import build
from pitboss.submissions.stage_files import find_source
from pitboss.unseeded.choice import Choice
from pitboss.unseeded.likely import LikelyTexts
from pitboss.unseeded.reader import DrawnSession, reader_of
from pitboss.unseeded.replay import replay
from pitboss.unseeded.unseeded import run_all_freely

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = (
    ("csc101", "kathleen", "betting"),
    ("csc101", "kathleen", "errors"),
    ("tournament", "hanna", "aces"),
    ("ece2036", "vera", "blackjack"),
    ("ece2036", "vera", "split"),
)


def measured(name: str, student: str, stage_name: str, folder: Path) -> tuple[int, float, float, float]:
    """Run a program on the sessions of a stage's cases, read and replay them, and choose a setting.

    Returns the number of sessions and three times in milliseconds per session: to run, to read and replay, and the
    additional time to choose.
    """
    assignment = load_assignment(ROOT / "specs" / name)
    stage, conditions = assignment.stage(stage_name), find_conditions("watched", "landlock")
    job = Job(assignment, (stage,), conditions, name)
    source = find_source(ROOT / "examples" / name / student, stage)
    assert source is not None
    program = build(source, folder / "built", conditions).program
    assert program is not None
    sessions = sessions_of(stage)
    run_all_freely(Pool(), job, program, sessions[:4])  # warms up, not measured
    start = time.perf_counter()
    attempts = run_all_freely(Pool(), job, program, sessions)
    run_s = time.perf_counter() - start
    read = reader_of(stage)
    start = time.perf_counter()
    drawn = [
        DrawnSession(session, attempt.transcript, read(attempt.transcript.events))
        for session, attempt in zip(sessions, attempts, strict=True)
        if attempt is not None
    ]
    read_s = time.perf_counter() - start
    choice = Choice(stage, conditions)
    start = time.perf_counter()
    chosen = choice.select(drawn)
    select_s = time.perf_counter() - start
    likely = LikelyTexts()
    start = time.perf_counter()
    for drawn_session in chosen.drawn:
        case = drawn_session.session.case
        assert drawn_session.transcript is not None
        replay(
            drawn_session.transcript,
            drawn_session.reading.draws,
            chosen.stage,
            case.policy,
            choice.run_of(chosen),
            likely=likely,
        )
    replayed_s = time.perf_counter() - start
    ms_per_session = 1000 / len(sessions)
    return (
        len(sessions),
        run_s * ms_per_session,
        (read_s + replayed_s) * ms_per_session,
        (select_s - replayed_s) * ms_per_session,
    )


def main() -> None:
    """Measure all programs and print a table."""
    print(f"{'program':32}{'sessions':>9}{'session':>10}{'read, replayed':>17}{'ratio':>8}{'chosen besides':>17}")
    for name, student, stage in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            count, run_ms, replayed_ms, chosen_ms = measured(name, student, stage, Path(folder))
        print(
            f"{f'{name} {stage}, {student}':32}{count:9}{run_ms:7.2f} ms{replayed_ms:14.2f} ms"
            f"{replayed_ms / run_ms:8.2f}{max(0.0, chosen_ms):14.2f} ms"
        )


if __name__ == "__main__":
    sys.exit(main())
