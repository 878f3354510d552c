"""What can go wrong that is not the submission's doing, by whose desk it lands on."""


class HarnessError(Exception):
    """The base of everything pitboss raises; its text is for a person to read."""


class UsageError(HarnessError):
    """The caller asked for something that is not there or does not make sense."""


class SpecError(HarnessError):
    """An assignment or a spec file is wrong; the text opens with `file:line:`."""


class SessionError(HarnessError):
    """This machine could not hold a session: a fault, never the submission's failure."""


class AssignmentError(SpecError):
    """Code of an assignment failed where it was called: a fault of that session, and of no other."""

    def __init__(self, message: str, *, is_endless: bool = False) -> None:
        """`is_endless` says that it came to no end and was broken off."""
        super().__init__(message)
        self.is_endless = is_endless
        #: What a reference had done until it failed, as events of a transcript.
        self.events: tuple[object, ...] = ()
