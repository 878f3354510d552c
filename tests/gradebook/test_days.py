import datetime
from zoneinfo import ZoneInfo

import pytest

from pitboss.errors import UsageError
from pitboss.gradebook.days import days_late, due_in

BERLIN, UTC = "Europe/Berlin", "UTC"


def local_time(text, zone=UTC):
    """The instant of a local time; the first instant if that local time occurs twice."""
    return datetime.datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize(
    ("due", "zone", "last_instant", "days"),
    [
        # Clocks are put back on 25 October 2026, 3:00 → 2:00: that day has 25 hours.
        ("2026-10-24 23:59", BERLIN, "2026-10-25 22:59", 1),
        ("2026-10-24 23:59", BERLIN, "2026-10-26 22:59", 2),
        ("2026-10-25 23:59", BERLIN, "2026-10-24 21:59", -1),
        # They are put forward on 29 March 2026, 2:00 → 3:00: that day has 23 hours.
        ("2026-03-28 23:59", BERLIN, "2026-03-29 21:59", 1),
        ("2026-03-29 23:59", BERLIN, "2026-03-28 22:59", -1),
        # 2:30 occurs twice on 25 October: the later instant ends a day, but a due date of 2:30 means the earlier.
        ("2026-10-24 02:30", BERLIN, "2026-10-25 01:30", 1),
        ("2026-10-25 02:30", BERLIN, "2026-10-25 00:30", 0),
        ("2026-10-25 02:30", BERLIN, "2026-10-26 01:30", 1),
        ("2026-10-26 02:30", BERLIN, "2026-10-25 01:30", -1),
        # 2:30 does not exist on the next day: it is 3:30 by then.
        ("2026-03-28 02:30", BERLIN, "2026-03-29 01:30", 1),
        ("2026-03-30 02:30", BERLIN, "2026-03-29 01:30", -1),
        # In the southern hemisphere: a change by half an hour, and a change at midnight.
        ("2026-04-04 23:59", "Australia/Lord_Howe", "2026-04-05 13:29", 1),
        ("2018-11-03 00:30", "America/Sao_Paulo", "2018-11-04 03:30", 1),
        # A zone without changes.
        ("2026-10-24 23:59", UTC, "2026-10-25 23:59", 1),
    ],
)
def test_a_day_ends_at_the_same_time_of_the_next_day(due, zone, last_instant, days):
    """`last_instant`, in UTC, is the last that is so many days late; `due` is a local time of the zone."""
    last, due_instant = local_time(last_instant), local_time(due, zone)
    assert days_late(last, due_instant) == days
    assert days_late(last + datetime.timedelta(microseconds=1), due_instant) == days + 1


@pytest.mark.parametrize("extreme", [datetime.datetime.min, datetime.datetime.max])
def test_days_late_are_computed_even_for_extreme_times(extreme):
    due = local_time("2026-10-24 23:59", BERLIN)
    assert abs(days_late(extreme.replace(tzinfo=datetime.UTC), due)) > 700_000


def test_a_due_date_keeps_its_time_zone():
    due = due_in("2026-10-24T23:59:00+02:00[Europe/Berlin]")
    assert (due.isoformat(), due.tzinfo) == ("2026-10-24T23:59:00+02:00", ZoneInfo(BERLIN))
    assert due_in("2026-10-24T23:59:00+02:00").tzinfo == datetime.timezone(datetime.timedelta(hours=2))


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "../etc/passwd"])
def test_an_unknown_time_zone_is_refused(zone):
    with pytest.raises(UsageError, match=f"does not know the time zone {zone} of the due date"):
        due_in(f"2026-10-24T23:59:00+02:00[{zone}]")
