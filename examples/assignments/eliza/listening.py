"""The listener, in two stages: the right programs, and the known mistakes: the same programs with one thing wrong."""

from functools import partial
from typing import NamedTuple

GREETING, FAREWELL = "Good evening.\n", "Thank you. Come again.\n"


class Mistake(NamedTuple):
    """A known mistake: its id, under which mistakes.yaml has the title and hint, and the wrong program by stage."""

    id: str
    mains: dict


def greet(console, *, asks_again=True, at_the_end="\n", dot="."):
    """Ask for a name. With all defaults the program is right; each keyword argument can make one thing wrong."""
    console.write(f"{GREETING}What is your name? ")
    while (name := console.read_line()) == "" and asks_again:
        console.write("Everybody has a name.\nWhat is your name? ")
    console.write(at_the_end if name is None else f"Hello, {name}{dot}\n")
    console.write(FAREWELL)
    return 0


def talk(
    console,
    *,
    at_the_end="\n",
    thinks=1,
    thinks_of_bye=False,
    remembered=slice(-1, None),
    looks_for_questions_first=False,
    keeps_dot=False,
    has_spaces=True,
):
    """Listen until `bye`. With all defaults the program is right; each keyword argument can make one thing wrong.

    `thinks`: the seconds of the pause before a reply. `remembered`: the part of the lines so far that the program
    compares with the new line.
    """

    def reply(line):
        statement = line if keeps_dot else line.removesuffix(".")
        if line in lines[remembered]:
            return "You said that already."
        if looks_for_questions_first and line.endswith("?"):
            return "What do you think?"
        for start, answer in (("I feel ", "Why do you feel {}?"), ("My ", "Tell me more about your {}.")):
            if line.startswith(start if has_spaces else start.strip()):
                return answer.format(statement[len(start) :])
        return "What do you think?" if line.endswith("?") else "Please go on."

    console.write(GREETING)
    lines = []
    while True:
        console.write("> ")
        line = console.read_line()
        if thinks and line is not None and (thinks_of_bye or line != "bye"):
            console.pause(thinks)
        if line is None or line == "bye":
            console.write((at_the_end if line is None else "") + FAREWELL)
            return 0
        console.write(f"{reply(line)}\n")
        lines.append(line)


WRONG = {
    "empty-name": {"greet": {"asks_again": False}},
    "no-full-stop": {"greet": {"dot": ""}},
    "no-new-line-at-the-end": {"greet": {"at_the_end": ""}, "talk": {"at_the_end": ""}},
    "does-not-think": {"talk": {"thinks": 0}},
    "thinks-of-bye": {"talk": {"thinks_of_bye": True}},
    "does-not-remember": {"talk": {"remembered": slice(0)}},
    "remembers-everything": {"talk": {"remembered": slice(None)}},
    "questions-first": {"talk": {"looks_for_questions_first": True}},
    "full-stop-kept": {"talk": {"keeps_dot": True}},
    "words-not-whole": {"talk": {"has_spaces": False}},
}
STAGES = {"greet": greet, "talk": talk}


def catalogue():
    """Yield the known mistakes."""
    for id_, changes in WRONG.items():
        yield Mistake(id_, {stage: partial(STAGES[stage], **change) for stage, change in changes.items()})
