from types import SimpleNamespace

import msgspec
import pytest
from starlette.testclient import TestClient

from pitboss.assignments.specfile import load_assignment
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import SourceFile
from pitboss.gradebook.scoring import update_scores
from pitboss.reports.review.access import COOKIE, home_path
from pitboss.reports.review.application import application
from pitboss.submissions.importers.imported import ImportedSubmission
from tests.conftest import TOY
from tests.gradebook.made import ADA, BOB, EVE, A, W, causes, report, submission_by

TOKEN = "a-token-of-the-tests"
HOST = "http://127.0.0.1:8765"
#: Text that a source or an output may contain: HTML that sets the title to "harmed", and control characters.
HOSTILE = '<script>document.title="harmed"</script><img src=x onerror=document.title="harmed">\x1b[2J\u202eltr\u2066\0'


class Fact(SimpleNamespace):
    """A remark on a file or one of its lines, with the fields of those from harness/pitboss/reports/style."""


@pytest.fixture
def book(tmp_path):
    """The path of a gradebook: Ada passes both cases, Bob one of two, and Eve handed in nothing."""
    assignment = load_assignment(TOY)
    path = tmp_path / "book"
    with Gradebook(path, may_be_new=True) as book:
        book.set_facts(assignment="teller", called=str(TOY))
        book.add_submissions(
            [(submission_by(ADA), "p1"), (submission_by(BOB), "p2"), (ImportedSubmission(EVE, None, None), "")]
        )
        for person, program, verdicts in ((ADA, "p1", (A, A)), (BOB, "p2", (A, W))):
            checked_report = report(*verdicts, stage="teller", name=person.key)
            output = f"teller.c:2:2: warning: {'very ' * 80}wrong\n{HOSTILE}"
            stage = msgspec.structs.replace(checked_report.stages[0], build_command="cc", build_messages=output)
            book.add_report(person.key, causes(program), msgspec.structs.replace(checked_report, stages=(stage,)))
            book.add_sources(program, [SourceFile("teller.c", f'int main(void) {{\n\tputs("{HOSTILE}");\n}}\n')])
        list(update_scores(book, assignment.grading, lambda row: ()))
    return path


@pytest.fixture
def facts():
    """The style facts that the review shows, an empty list; a test can append to it."""
    return []


@pytest.fixture
def similar():
    """The function "values_of", in a dict so that a test can replace it.

    It computes from a gradebook the values of the page of similar submissions.
    """
    return {"values_of": lambda book: {"remarks": ["Nobody is compared here."], "pairs": []}}


@pytest.fixture
def app(book, facts, similar):
    """The web application of the review."""
    return application(
        book, load_assignment(TOY), TOKEN, lambda files: facts, lambda book: similar["values_of"](book), by="the tests"
    )


@pytest.fixture
def client(app):
    """An HTTP client that has neither sent the token nor received the cookie."""
    with TestClient(app, base_url=HOST, follow_redirects=False) as client:
        yield client


@pytest.fixture
def reader(client):
    """A client with the cookie, which it got by the address with the token."""
    output = client.get(f"/?token={TOKEN}")
    assert output.status_code == 303
    return Reader(client)


class Reader:
    """A client with the cookie, for addresses relative to the first page of the review."""

    def __init__(self, client):
        self.client, self.home = client, home_path(TOKEN)
        assert client.cookies.get(COOKIE) == TOKEN

    def get(self, address="", **options):
        return self.client.get(f"{self.home}{address}", **options)

    def page(self, address=""):
        """The HTML of a page that must exist."""
        output = self.get(address)
        assert output.status_code == 200, output.text
        return output.text

    def post(self, address, *, origin=HOST, **fields):
        """Send a form."""
        return self.client.post(f"{self.home}{address}", data=fields, headers={"Origin": origin} if origin else {})


@pytest.fixture
def opened(book):
    """The open gradebook, to check what the review has written."""
    with Gradebook(book) as opened:
        yield opened
