"""Each known mistake still does what pinned/<assignment>.yaml records: a digest of what it did in a few fixed sessions.

`python -m tests.experiments.naming.test_pinned` rewrites these files, with a new session for a mistake that none shows.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from collections import Counter
from pathlib import Path

import pytest
import yaml

from pitboss.assignments.assignment import Generated
from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import mistakes_of, mistakes_of_other_settings
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Paused, Shown, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.replay import GivenDraws
from tests.conftest import ROOT

HERE = Path(__file__).parent / "pinned"
ASSIGNMENTS = ("bjm0", "blackjack", "csc101", "ece2036", "tournament")
#: Mistakes that no session of at most _MAX_LINES lines shows: this one needs three decks.
NEVER_SHOWN = {"third-deck-short"}
#: How many sessions show each mistake, if so many can be found, and how many lines a session has at most.
_SESSIONS_EACH, _MAX_LINES = 3, 40
#: How many sessions of a stage are tried, how often they are tried with other draws, and how many draws there are.
_MAX_TRIED, _MAX_ROUNDS, _MAX_DRAWS = 60, 40, 300


def transcript_text(run, stage, lines, draw_seed):
    """What a program does with these lines, and with the random draws that follow from a seed."""
    try:
        transcript = run(script_of_lines(line.encode() for line in lines), *draw_arguments(stage, draw_seed))
    except HarnessError as error:
        return f"{type(error).__name__}: {str(error).rpartition(' failed: ')[2]}".encode()
    ending = transcript.ending
    return b"\0".join([*map(_event, transcript.events), f"{ending.kind.value} {ending.exit_code}".encode()])


def _event(event):
    match event:
        case Shown(text):
            return b"shown " + text
        case Typed(line):
            return b"typed " + line
        case Paused(duration_ms):
            return f"paused {duration_ms}".encode()
        case _:
            return b"end"


def draw_arguments(stage, seed):
    """The further arguments of a run: its draws if the stage has a reader, else nothing."""
    if not stage.reader:
        return ()
    generator = random.Random(seed)
    bag = stage.draws.bag
    values = list(stage.draws.values) * (bag // len(stage.draws.values) if bag else _MAX_DRAWS)
    decks = (generator.sample(values, len(values)) for _ in itertools.count())
    return (GivenDraws(list(itertools.islice(itertools.chain.from_iterable(decks), _MAX_DRAWS)), stage.draws),)


def mistakes(stage):
    """By the id of each known mistake: the mistake, and the stage, with options that allow the mistake."""
    return {mistake.id: (mistake, stage) for mistake in mistakes_of(stage)} | {
        pair[0].id: pair for pair in mistakes_of_other_settings(stage)
    }


def digest(stage, mistake, sessions, numbers):
    """The digest of what a mistake does in the sessions with these numbers or, if there are none, in the first ones."""
    picked = [sessions[int(number)] for number in numbers] or sessions[:_SESSIONS_EACH]
    texts = (
        transcript_text(mistake.run_of(stage.name), stage, session["lines"], session["draws"]) for session in picked
    )
    return hashlib.sha256(b"\1".join(texts)).hexdigest()[:10]


def pinned_entries(name):
    return yaml.safe_load((HERE / f"{name}.yaml").read_text())


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_each_mistake_behaves_as_pinned(name):
    """Each mistake of the catalogue is pinned, by sessions in which it differs from the reference."""
    stages = {stage.name: stage for stage in load_assignment(ROOT / "specs" / name).stages}
    entries = pinned_entries(name)
    assert entries.keys() == stages.keys()
    for stage, entry in entries.items():
        known_mistakes = mistakes(stages[stage])
        # Each value is a list: a digest, then the numbers of the sessions from which it is computed.
        pinned_values = {id_: value.split() for id_, value in entry["mistakes"].items()}
        assert known_mistakes.keys() == pinned_values.keys(), stage
        actual_values = {
            id_: [digest(variant, mistake, entry["sessions"], pinned_values[id_][1:]), *pinned_values[id_][1:]]
            for id_, (mistake, variant) in known_mistakes.items()
        }
        assert actual_values == pinned_values, stage
        not_shown = {
            id_ for id_, value in pinned_values.items() if len(value) == 1 and not known_mistakes[id_][0].invisible
        }
        assert not_shown <= NEVER_SHOWN, stage


# Writing the files


def candidates(stage, round_number=1):
    """Sessions of the spec, with the lines that are typed to the reference; each round has other draws and seeds.

    Seeds are multiplied by the number of the round, so all are 0 in round 0.
    """
    run = expected_run_here(stage)
    sessions = sorted(all_sessions_of(stage), key=lambda session: session.number)
    if len(sessions) > _MAX_TRIED:
        sessions = random.Random(stage.name).sample(sessions, _MAX_TRIED)
    for number, session in enumerate(sessions, 1_000 * (round_number - 1)):
        case = session.case.session
        try:
            if isinstance(case, Generated):
                seed = None if session.seed is None else session.seed * round_number
                script = input_script_of(case, seed, "here")
            else:
                script = script_of_lines([event.line for event in case.events if isinstance(event, Typed)])
            lines = run(script, *draw_arguments(stage, number)).lines[:_MAX_LINES]
            yield {"draws": number, "lines": [line.decode() for line in lines]}
        except (HarnessError, UnicodeDecodeError):
            continue


def mistakes_shown(stage, sessions, known_mistakes=None):
    """For each session the ids of the mistakes that behave differently in it from the reference."""
    reference_run, ids_by_session = expected_run_here(stage), []
    known_mistakes = mistakes(stage) if known_mistakes is None else known_mistakes
    for session in sessions:
        expected = transcript_text(reference_run, stage, session["lines"], session["draws"])
        ids = (
            id_
            for id_, (mistake, variant) in known_mistakes.items()
            if transcript_text(mistake.run_of(stage.name), variant, session["lines"], session["draws"]) != expected
        )
        ids_by_session.append(set(ids))
    return ids_by_session


def choose_sessions(stage):
    """The sessions that show each mistake often enough, beginning with the session that shows the most mistakes."""
    sessions = list(candidates(stage))
    remaining = list(zip(sessions, mistakes_shown(stage, sessions), strict=True))
    wanted = Counter(dict.fromkeys(mistakes(stage), _SESSIONS_EACH))
    chosen = []

    def usefulness(session_and_ids):
        """The number of wanted mistakes that a session shows; of equally useful sessions, the shortest is best."""
        session, ids = session_and_ids
        return sum(wanted[id_] > 0 for id_ in ids), -len(session["lines"])

    while remaining:
        session, ids = best = max(remaining, key=usefulness)
        if not any(wanted[id_] > 0 for id_ in ids):
            break
        remaining.remove(best)
        chosen.append(session)
        wanted.subtract(ids)
    return chosen


def add_rare_sessions(stage, sessions):
    """These sessions, and one for each mistake that none of them shows, if it can be shown at all."""
    shown = set().union(*mistakes_shown(stage, sessions))
    missing = {id_: pair for id_, pair in mistakes(stage).items() if id_ not in shown and not pair[0].invisible}
    return [*sessions, *_rare_sessions(stage, missing)]


def _rare_sessions(stage, missing):
    """One session for each of the missing mistakes, from further rounds of draws."""
    for round_number in range(_MAX_ROUNDS):
        for session in candidates(stage, round_number) if missing else ():
            if ids := mistakes_shown(stage, [session], missing)[0]:
                yield session
                for id_ in ids:
                    del missing[id_]


def entry_of(stage, sessions):
    """A stage's entry in the file: its sessions, and the digest of each mistake with the sessions that show it."""
    ids_by_session = mistakes_shown(stage, sessions)
    digests = {}
    for id_, (mistake, variant) in mistakes(stage).items():
        numbers = [number for number, ids in enumerate(ids_by_session) if id_ in ids][:_SESSIONS_EACH]
        digest_text = digest(variant, mistake, sessions, numbers)
        digests[id_] = " ".join([digest_text, *map(str, numbers)])
    return {"sessions": sessions, "mistakes": digests}


def file_text(name):
    old_entries = pinned_entries(name) if (HERE / f"{name}.yaml").exists() else {}
    entries = {}
    for stage in load_assignment(ROOT / "specs" / name).stages:
        sessions = old_entries[stage.name]["sessions"] if stage.name in old_entries else choose_sessions(stage)
        entries[stage.name] = entry_of(stage, add_rare_sessions(stage, sessions))
    lines = [
        "# For each mistake: a digest of what it does in some of these sessions, and the numbers of these, from 0.",
        "# `python -m tests.experiments.naming.test_pinned` writes this file.",
    ]
    for stage, stage_entry in entries.items():
        lines += [f"{stage}:", "  sessions:"]
        lines += [f"  - {json.dumps(session, ensure_ascii=False)}" for session in stage_entry["sessions"]] or ["    []"]
        lines += ["  mistakes:", *(f"    {id_}: {digest_text}" for id_, digest_text in stage_entry["mistakes"].items())]
        lines += [] if stage_entry["mistakes"] else ["    {}"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for assignment in ASSIGNMENTS:
        (HERE / f"{assignment}.yaml").write_text(file_text(assignment))
