"""The files of a download that were left out, as pitboss lists them."""

from pitboss.reports.class_table import omission_line


def omitted_file_lines(intake):
    """The lines in which the import reports the files that belong to no submission."""
    return tuple(map(omission_line, intake.left_out_entries))
