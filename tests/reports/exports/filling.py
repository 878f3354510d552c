"""Tables of platforms, filled as `pitboss export` fills them."""

from pitboss.reports.exports.platform_tables import canvas_table, moodle_worksheet
from pitboss.reports.exports.sheet import fill_table


def fill_canvas_table(name, text, title, entries, **options):
    """The filled gradebook of Canvas, as `pitboss export --canvas` fills it."""
    return fill_table(canvas_table(name, text, title), entries, **options)


def fill_moodle_worksheet(name, text, entries, **options):
    """The filled worksheet of Moodle, as `pitboss export --moodle` fills it."""
    return fill_table(moodle_worksheet(name, text), entries, **options)
