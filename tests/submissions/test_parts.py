import pytest

from pitboss.submissions.native import defines_main
from pitboss.submissions.parts import parts_of
from pitboss.submissions.sources import Source
from tests.conftest import ROOT

GIVEN = ROOT / "specs" / "ece2036" / "given"
#: A search that starts again at each of the many beginnings or names in these texts would take hours.
SLOW = {
    "comments without an end": "/* " * 300_000,
    "a string without an end": '"' + '\\"' * 400_000,
    "main without a body": "main( " * 150_000,
    "many includes": '#include "Card.h"\n' * 50_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_sources_written_to_slow_the_search_are_searched_quickly(tmp_path, name):
    for file in ("Card.cpp", "Hand.cpp", "Blackjack.cpp"):
        (tmp_path / file).write_text(SLOW[name])
    assert not defines_main(SLOW[name])
    files = ("Card.cpp", "Hand.cpp", "Blackjack.cpp")
    (parts,) = parts_of(Source(tmp_path, "cpp", "Card.cpp", "blackjack", files, GIVEN), GIVEN)
    assert parts.files == (*files, "main.cpp")


def test_many_headers_that_include_one_another_are_searched_quickly(tmp_path):
    files = ("Card.cpp", "Hand.cpp", "Blackjack.cpp")
    for number in range(1200):
        names = [f"f{other}.h" for other in range(number, number + 150)]
        (tmp_path / f"f{number}.h").write_text("".join(f'#include "{name}"\n' for name in names))
    for file in files:
        (tmp_path / file).write_text('#include "f0.h"\n')
    (parts,) = parts_of(Source(tmp_path, "cpp", "Card.cpp", "blackjack", files, GIVEN), GIVEN)
    assert parts.used_course_files == ("Blackjack.h", "Card.h", "Hand.h", "main.cpp")
