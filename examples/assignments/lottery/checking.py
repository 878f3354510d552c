"""Checks a session: a ticket may have any six numbers, and the count of right numbers must fit the ticket."""


def is_ticket(text):
    """Whether a text consists of six different numbers from 1 to 49 in ascending order."""
    numbers = [int(word) for word in text.split(" ") if word.isascii() and word.isdecimal()]
    return text == " ".join(map(str, numbers)) and len(numbers) == 6 and sorted({0, *numbers, 50}) == [0, *numbers, 50]


def check(session):
    """Compare each line with the reference's line, except for the numbers of a ticket and the count of right ones.

    Returns None if the session is right, else the problem: a sentence, or the number of the wrong line and a sentence.
    """
    tickets = {}
    for number, (line, wanted) in enumerate(zip(session.shown.lines, session.expected.lines, strict=False), 1):
        name, _, text = wanted.partition(": ")
        if is_ticket(text):
            tickets[name] = line.removeprefix(f"{name}: ")
            if not is_ticket(tickets[name]) or len(set(tickets.values())) < len(tickets):
                return number, "a ticket is six different numbers from 1 to 49 in ascending order, unlike all others"
        elif line != (wanted := right_line(wanted, name, tickets, session)):
            return number, f"what fits here is {wanted!r}"
    return None if len(session.shown.lines) == len(session.expected.lines) else "there are too many lines, or too few"


def right_line(wanted, name, tickets, session):
    """Return the line that is right with these tickets, where the reference shows the line `wanted`."""
    if not wanted.endswith(" right"):
        return wanted
    return f"{name}: {len(set(tickets[name].split()) & set(session.typed[-1].split()))} right"
