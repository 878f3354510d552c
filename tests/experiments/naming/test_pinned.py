"""What each known mistake does in a few fixed sessions of its stage, as a digest: pinned/<assignment>.yaml.

`python -m tests.experiments.naming.test_pinned` writes the digests anew, and adds a session for a mistake that none shows.
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
from pitboss.experiments.catalogue import mistakes_of, mistakes_with_more
from pitboss.model.scripts import typing
from pitboss.model.transcript import Paused, Shown, Typed
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.replay import GivenDraws
from tests.conftest import ROOT

HERE = Path(__file__).parent / "pinned"
ASSIGNMENTS = ("bjm0", "blackjack", "csc101", "ece2036", "tournament")
#: What no session of at most so many lines shows: it takes three decks.
UNSHOWN = {"third-deck-short"}
#: How often a mistake is shown where the sessions that are tried can do so, and how many lines a session has at most.
_TIMES, _MAX_LINES = 3, 40
_TRIED, _MAX_AGAIN, _MAX_DRAWS = 60, 40, 300


def transcript_text(run, stage, lines, draws):
    """What a program does with these lines, and with draws that follow from a number."""
    try:
        transcript = run(typing(line.encode() for line in lines), *drawn(stage, draws))
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


def drawn(stage, number):
    if not stage.reader:
        return ()
    chance = random.Random(number)
    bag = stage.draws.bag
    values = list(stage.draws.values) * (bag // len(stage.draws.values) if bag else _MAX_DRAWS)
    decks = (chance.sample(values, len(values)) for _ in itertools.count())
    return (GivenDraws(list(itertools.islice(itertools.chain.from_iterable(decks), _MAX_DRAWS)), stage.draws),)


def mistakes(stage):
    """The known mistakes of a stage, by id, each with the stage under options with which it can be made."""
    return {one.id: (one, stage) for one in mistakes_of(stage)} | {
        pair[0].id: pair for pair in mistakes_with_more(stage)
    }


def digest(stage, mistake, sessions, numbers):
    """Of what a program that makes the mistake does in the sessions that show it, or else in the first ones."""
    picked = [sessions[int(number)] for number in numbers] or sessions[:_TIMES]
    texts = (transcript_text(mistake.run_of(stage.name), stage, one["lines"], one["draws"]) for one in picked)
    return hashlib.sha256(b"\1".join(texts)).hexdigest()[:10]


def pinned(name):
    return yaml.safe_load((HERE / f"{name}.yaml").read_text())


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_each_mistake_does_what_it_did(name):
    """And each in the catalogue is pinned, by sessions in which it does something else than is right."""
    stages = {one.name: one for one in load_assignment(ROOT / "specs" / name).stages}
    held = pinned(name)
    assert held.keys() == stages.keys()
    for stage, entry in held.items():
        known = mistakes(stages[stage])
        did = {one: what.split() for one, what in entry["mistakes"].items()}
        assert known.keys() == did.keys(), stage
        does = {
            one: [digest(under_it, mistake, entry["sessions"], did[one][1:]), *did[one][1:]]
            for one, (mistake, under_it) in known.items()
        }
        assert does == did, stage
        unshown = {one for one, what in did.items() if len(what) == 1 and not known[one][0].invisible}
        assert unshown <= UNSHOWN, stage


# Writing the files


def candidates(stage, again=1):
    """Sessions like those of the spec, with the lines that the right program gets; each time with other draws."""
    run = expected_run_here(stage)
    sessions = sorted(all_sessions_of(stage), key=lambda one: one.number)
    if len(sessions) > _TRIED:
        sessions = random.Random(stage.name).sample(sessions, _TRIED)
    for number, session in enumerate(sessions, 1_000 * (again - 1)):
        case = session.case.session
        try:
            if isinstance(case, Generated):
                seed = None if session.seed is None else session.seed * again
                script = input_script_of(case, seed, "here")
            else:
                script = typing([event.line for event in case.events if isinstance(event, Typed)])
            lines = run(script, *drawn(stage, number)).lines[:_MAX_LINES]
            yield {"draws": number, "lines": [line.decode() for line in lines]}
        except (HarnessError, UnicodeDecodeError):
            continue


def shows(stage, sessions, known=None):
    """For each session the ids of the mistakes that do something else in it than is right."""
    right, found = expected_run_here(stage), []
    known = mistakes(stage) if known is None else known
    for one in sessions:
        is_right = transcript_text(right, stage, one["lines"], one["draws"])
        others = (
            id_
            for id_, (mistake, under_it) in known.items()
            if transcript_text(mistake.run_of(stage.name), under_it, one["lines"], one["draws"]) != is_right
        )
        found.append(set(others))
    return found


def chosen(stage):
    """The sessions that show each mistake often enough, those that show most first."""
    tried = list(candidates(stage))
    left = list(zip(tried, shows(stage, tried), strict=True))
    wanted = Counter(dict.fromkeys(mistakes(stage), _TIMES))
    found = []
    while left:
        best = max(left, key=lambda pair: (sum(wanted[one] > 0 for one in pair[1]), -len(pair[0]["lines"])))
        if not any(wanted[one] > 0 for one in best[1]):
            break
        left.remove(best)
        found.append(best[0])
        wanted.subtract(best[1])
    return found


def with_rare(stage, sessions):
    """These sessions, and one for each mistake that none of them shows, if it can be shown at all."""
    output = set().union(*shows(stage, sessions))
    left = {id_: pair for id_, pair in mistakes(stage).items() if id_ not in output and not pair[0].invisible}
    return [*sessions, *_rare(stage, left)]


def _rare(stage, left):
    for again in range(_MAX_AGAIN):
        for one in candidates(stage, again) if left else ():
            if found := shows(stage, [one], left)[0]:
                yield one
                for id_ in found:
                    del left[id_]


def entry(stage, sessions):
    """What a file says of a stage: the sessions, and each mistake's digest with the numbers of those that show it."""
    output = shows(stage, sessions)
    digests = {}
    for id_, (mistake, under_it) in mistakes(stage).items():
        numbers = [number for number, ids in enumerate(output) if id_ in ids][:_TIMES]
        what = digest(under_it, mistake, sessions, numbers)
        digests[id_] = " ".join([what, *map(str, numbers)])
    return {"sessions": sessions, "mistakes": digests}


def text_of(name):
    held = pinned(name) if (HERE / f"{name}.yaml").exists() else {}
    entries = {}
    for stage in load_assignment(ROOT / "specs" / name).stages:
        sessions = held[stage.name]["sessions"] if stage.name in held else chosen(stage)
        entries[stage.name] = entry(stage, with_rare(stage, sessions))
    lines = [
        "# What each mistake does in some of these sessions: a digest, and their numbers from 0.",
        "# `python -m tests.experiments.naming.test_pinned` writes it.",
    ]
    for stage, one in entries.items():
        lines += [f"{stage}:", "  sessions:"]
        lines += [f"  - {json.dumps(session, ensure_ascii=False)}" for session in one["sessions"]] or ["    []"]
        lines += ["  mistakes:", *(f"    {id_}: {what}" for id_, what in one["mistakes"].items())]
        lines += [] if one["mistakes"] else ["    {}"]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for one in ASSIGNMENTS:
        (HERE / f"{one}.yaml").write_text(text_of(one))
