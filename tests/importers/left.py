"""What a class leaves out, as a person reads it."""

from pitboss.reports.import_table import left_out


def not_understood(intake):
    return tuple(map(left_out, intake.not_understood))
