"""What can go wrong that is not the submission's doing, by whose desk it lands on."""


class HarnessError(Exception):
    """The base of everything pitboss raises; its text is for a person to read."""


class UsageError(HarnessError):
    """The caller asked for something that is not there or does not make sense."""


class SpecError(HarnessError):
    """An assignment or a spec file is wrong; the text opens with `file:line:`."""


class SessionError(HarnessError):
    """This machine could not hold a session: a fault, never the submission's failure."""


class ShortageError(SessionError):
    """This machine is short of something, and was for a while: it may be there the next time."""
