"""A made-up class in a gradebook, and a browser without a screen for its review."""

from types import SimpleNamespace

import msgspec
import pytest
from starlette.testclient import TestClient

from pitboss.assignments.specfile import load_assignment
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.person_records import SourceFile
from pitboss.gradebook.scoring import update_scores
from pitboss.reports.review.access import COOKIE, home_of
from pitboss.reports.review.application import application
from pitboss.submissions.importers.imported import ImportedSubmission
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, A, W, causes, handed, report

TOKEN = "a-token-of-the-tests"
HOST = "http://127.0.0.1:8765"
#: Everything that may stand in a source or on a screen, and must harm nobody.
HOSTILE = '<script>document.title="harmed"</script><img src=x onerror=document.title="harmed">\x1b[2J\u202eltr\u2066\0'


class Fact(SimpleNamespace):
    """A fact of a file, as harness/pitboss/reports/style makes them."""


@pytest.fixture
def book(tmp_path):
    """A gradebook of three: one right, one half right, one who handed in nothing."""
    assignment = load_assignment(TOY)
    path = tmp_path / "book"
    with Gradebook(path, may_be_new=True) as book:
        book.set_facts(assignment="teller", called=str(TOY))
        book.add_submissions([(handed(ADA), "p1"), (handed(BOB), "p2"), (ImportedSubmission(EVE, None, None), "")])
        for person, program, verdicts in ((ADA, "p1", (A, A)), (BOB, "p2", (A, W))):
            made = report(*verdicts, stage="teller", name=person.key)
            output = f"teller.c:2:2: warning: {'very ' * 80}wrong\n{HOSTILE}"
            stage = msgspec.structs.replace(made.stages[0], build_command="cc", build_messages=output)
            book.add_report(person.key, causes(program), msgspec.structs.replace(made, stages=(stage,)))
            book.add_sources(program, [SourceFile("teller.c", f'int main(void) {{\n\tputs("{HOSTILE}");\n}}\n')])
        list(update_scores(book, assignment.grading, lambda row: ()))
    return path


@pytest.fixture
def facts():
    """What is said of files: nothing, until a test says something."""
    return []


@pytest.fixture
def similar():
    """What gives the values of the page of similar submissions: nobody is, until a test says otherwise."""
    return {"asked": lambda book: {"remarks": ["Nobody is compared here."], "pairs": []}}


@pytest.fixture
def app(book, facts, similar):
    return application(
        book, load_assignment(TOY), TOKEN, lambda files: facts, lambda book: similar["asked"](book), by="the tests"
    )


@pytest.fixture
def client(app):
    """Somebody without the token."""
    with TestClient(app, base_url=HOST, follow_redirects=False) as client:
        yield client


@pytest.fixture
def reader(client):
    """Somebody who has come in by the address with the token."""
    output = client.get(f"/?token={TOKEN}")
    assert output.status_code == 303
    return Reader(client)


class Reader:
    """A browser with the cookie: it asks below the review's path, and sends forms from there."""

    def __init__(self, client):
        self.client, self.home = client, home_of(TOKEN)
        assert client.cookies.get(COOKIE) == TOKEN

    def get(self, address="", **more):
        return self.client.get(f"{self.home}{address}", **more)

    def page(self, address=""):
        output = self.get(address)
        assert output.status_code == 200, output.text
        return output.text

    def post(self, address, *, origin=HOST, **fields):
        return self.client.post(f"{self.home}{address}", data=fields, headers={"Origin": origin} if origin else {})


@pytest.fixture
def opened(book):
    """The gradebook, to look what stands in it."""
    with Gradebook(book) as opened:
        yield opened
