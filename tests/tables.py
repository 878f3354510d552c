"""Tables that commands write, read by column: a test of one column does not break when another is added."""

import csv
import io


def cells(text, *heads):
    """The cells under these heads of a CSV, a tuple for each row."""
    return [tuple(row[head] for head in heads) for row in csv.DictReader(io.StringIO(text))]
