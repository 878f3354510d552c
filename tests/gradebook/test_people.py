import datetime
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.errors import UsageError
from pitboss.gradebook.days import parse_due, parse_instant
from pitboss.gradebook.people import find_person, user_name
from pitboss.submissions.importers.imported import Person


@pytest.fixture(autouse=True)
def _berlin_time_zone(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("2026-09-04", "2026-09-04T23:59:59.999999+02:00"),
        ("2026-09-04 23:59", "2026-09-04T23:59:00+02:00"),
        ("2026-12-04T08:00", "2026-12-04T08:00:00+01:00"),
        ("2026-03-29 01:59", "2026-03-29T01:59:00+01:00"),
        ("2026-03-29 03:00", "2026-03-29T03:00:00+02:00"),
        ("2026-10-25 02:30+01:00", "2026-10-25T02:30:00+01:00"),
        ("2026-03-29 02:30+01:00", "2026-03-29T03:30:00+02:00"),
        ("2026-09-04 12:00Z", "2026-09-04T14:00:00+02:00"),
    ],
)
def test_a_date_or_time_is_read_in_the_local_time_zone(word, expected):
    assert parse_instant(word).isoformat() == expected


@pytest.mark.parametrize(
    ("word", "stored"),
    [
        ("2026-10-24 23:59", "2026-10-24T23:59:00+02:00[Europe/Berlin]"),
        ("2026-10-24 23:59+02:00", "2026-10-24T23:59:00+02:00[Europe/Berlin]"),
        ("2026-10-24 23:59Z", "2026-10-25T01:59:00+02:00"),
    ],
)
def test_a_due_date_is_stored_with_its_time_zone(word, stored):
    assert parse_due(word) == stored


@pytest.mark.parametrize(
    ("word", "message"),
    [
        (
            "2026-03-29 02:30",
            "'2026-03-29 02:30' is skipped, since clocks are put forward — add the time zone: "
            "2026-03-29T02:30+01:00 or +02:00",
        ),
        (
            "2026-10-25 02:30",
            "'2026-10-25 02:30' is ambiguous, since clocks are put back — add the time zone: "
            "2026-10-25T02:30+02:00 or +01:00",
        ),
        (
            "tomorrow",
            "'tomorrow' is not a date or time — give a day, or a day and a time: 2026-09-04, 2026-09-04 23:59, "
            "2026-09-04T23:59+02:00",
        ),
    ],
)
def test_a_time_that_is_skipped_ambiguous_or_malformed_is_refused(word, message):
    with pytest.raises(UsageError) as caught:
        parse_instant(word)
    assert str(caught.value) == message


@given(at=st.datetimes(timezones=st.just(datetime.UTC)) | st.datetimes())
def test_an_iso_time_is_read_exactly_or_refused(at):
    try:
        instant = parse_instant(at.isoformat())
    except UsageError:
        return
    assert instant == at if at.tzinfo else instant.replace(tzinfo=None) == at


def test_a_user_without_a_name_is_named_by_user_id(monkeypatch):
    """For example in a container that runs with a user id unknown to the system."""

    def getuser():
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", getuser)
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    assert user_name() == "user 4711"


CLASS = (
    Person("Wei Li", "101", "wli2", "wei@example.org"),
    Person("Min Li", "min li", "min", "min@example.org"),
    Person("Ada Lovelace", "103", "101"),
    Person("Olivia Berg", "104", "oberg", "ob@example.org"),
    Person("Sam Cho", "105"),
    Person("Sam Cho", "106"),
    Person("Kim Day", "107", "kday1", section="A"),
    Person("Kim Day", "108", section="B"),
    Person("Kim Day", "109", email="kd@example.org"),
)


@pytest.mark.parametrize(
    ("word", "is_whole", "name"),
    [
        ("101", True, "Wei Li"),  # also Ada's login, but a key takes precedence
        ("WLI2", True, "Wei Li"),
        ("Min@Example.org", True, "Min Li"),
        ("min li", True, "Min Li"),
        ("lovel", False, "Ada Lovelace"),
    ],
)
def test_a_person_is_found(word, is_whole, name):
    assert find_person(CLASS, word, needs_whole_name=is_whole).name == name


@pytest.mark.parametrize(
    ("word", "is_whole", "sentence"),
    [
        ("Li", True, "'Li' matches several people; type 101 for Wei Li, 'min li' for Min Li, 104 for Olivia Berg"),
        ("Li", False, "'Li' matches several people; type 101 for Wei Li, 'min li' for Min Li, 104 for Olivia Berg"),
        ("lovel", True, "nobody in this gradebook is called 'lovel'; type 103 for Ada Lovelace"),
        ("sam cho", True, "'sam cho' matches several people; type 105 for Sam Cho, 106 for Sam Cho"),
        (
            "kim day",
            True,
            "'kim day' matches several people; type 107 for Kim Day (kday1), 108 for Kim Day (section B), "
            "109 for Kim Day (kd@example.org)",
        ),
        ("Wie Li", True, "nobody in this gradebook is called 'Wie Li', did you mean 'Wei Li'?"),
        ("Zoe", False, "nobody in this gradebook is called 'Zoe'"),
    ],
)
def test_an_uncertain_name_is_refused_with_the_keys_to_type(word, is_whole, sentence):
    with pytest.raises(UsageError) as caught:
        find_person(CLASS, word, needs_whole_name=is_whole)
    assert str(caught.value) == sentence


def test_of_many_matching_people_only_the_first_are_named():
    people = [Person(f"Person {number}", str(number)) for number in range(100, 112)]
    with pytest.raises(UsageError, match=r"107 for Person 107 and 4 more$"):
        find_person(people, "person")
