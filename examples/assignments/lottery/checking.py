"""Whether a session is right: any six numbers are a ticket, and what is said of it must fit."""


def is_ticket(text):
    """Whether a text is six different numbers from 1 to 49 in ascending order."""
    numbers = [int(word) for word in text.split(" ") if word.isascii() and word.isdecimal()]
    return text == " ".join(map(str, numbers)) and len(numbers) == 6 and sorted({0, *numbers, 50}) == [0, *numbers, 50]


def check(session):
    """Compare each line with that of the reference, but for the numbers of a ticket and how many of them are right."""
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
    """The line that is right after these tickets, where the reference shows `wanted`."""
    if not wanted.endswith(" right"):
        return wanted
    return f"{name}: {len(set(tickets[name].split()) & set(session.typed[-1].split()))} right"
