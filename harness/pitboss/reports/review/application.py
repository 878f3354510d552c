"""The web application of the review: its pages, its forms that add to the gradebook, and their addresses.

All addresses are below `home_path(token)`. The empty path is the class's page; `similar` is the page of similar
submissions. `person`, `session` and `beside` (two people side by side) are pages of the person with `who=KEY`; forms
are sent to `mark` with `who=KEY`. The query also contains the filter and order of the class's page, which all links of
a person's pages preserve.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from pitboss.assignments.assignment import Assignment
from pitboss.errors import HarnessError, SessionError, as_found
from pitboss.gradebook.book import Gradebook
from pitboss.reports.review.access import Guard, home_path
from pitboss.reports.review.class_page import class_values
from pitboss.reports.review.forms import Form, add_form_marks, marks_added_since
from pitboss.reports.review.overview import SummaryReader
from pitboss.reports.review.person import FactsFunction, person_link, person_values, session_values, source_values
from pitboss.reports.review.view import View, filtered_people, neighbours, view_of
from pitboss.reports.similarity_page import SIMILARITY_STYLE
from pitboss.reports.templates import asset, page
from pitboss.submissions.importers.imported import Person, distinct_names

#: A function that computes the values of `similarity_parts.html.j2` for the class of a gradebook; raises UsageError if
#: there is nothing to compare.
SimilarityFunction = Callable[[Gradebook], dict[str, object]]
#: The maximum size of a form in bytes.
_MAX_BYTES = 200_000
#: The maximum number of fields of a form.
_MAX_FIELDS = 100
#: The number of submissions whose facts are cached.
_MAX_CACHED = 32
#: The style sheets and the script of the pages, with their media types.
_ASSETS = {
    "style.css": "text/css",
    "review.css": "text/css",
    SIMILARITY_STYLE: "text/css",
    "review.js": "text/javascript",
}


def application(
    book: Path,
    assignment: Assignment,
    token: str,
    facts: FactsFunction,
    similar: SimilarityFunction,
    *,
    by: str,
    part: frozenset[str] | None = None,
) -> Starlette:
    """Returns the review of a gradebook of this assignment, for everybody who has the token.

    `facts` computes the facts about sources, and `similar` the values of the page of similar submissions. Marks are
    recorded under the name `by`. `part`: the keys of the people to show; None for all.
    """
    review = _Review(book, assignment, facts, similar, by, part)
    # Starlette runs an endpoint in a thread of its pool, unless the endpoint is a coroutine function, such as `mark`.
    pages = [
        Route("/", review.class_),
        Route("/person", review.person),
        Route("/session", review.session),
        Route("/beside", review.side_by_side),
        Route("/similar", review.similar),
        Route("/mark", review.mark, methods=["POST"]),
        *(Route(f"/{name}", _asset_endpoint(name, media_type)) for name, media_type in _ASSETS.items()),
    ]
    return Starlette(
        routes=[Mount(home_path(token).rstrip("/"), routes=pages)],
        middleware=[Middleware(Guard, token=token)],
        exception_handlers={HTTPException: _http_error_page, HarnessError: _error_page},
    )


def _asset_endpoint(name: str, media_type: str) -> Callable[[Request], Response]:
    return lambda request: Response(asset(name), media_type=media_type)


def _http_error_page(request: Request, error: Exception) -> Response:
    status, detail = (error.status_code, error.detail) if isinstance(error, HTTPException) else (404, "")
    texts = {
        "Not Found": "there is no such page in this review",
        "Method Not Allowed": "this address accepts only POSTed forms",
    }
    return _problem_page(texts.get(detail, detail), status)


def _error_page(request: Request, error: Exception) -> Response:
    return _problem_page(str(error), 500 if isinstance(error, SessionError) else 400)


def _problem_page(sentence: str, status: int) -> Response:
    return HTMLResponse(page("review_problem.html.j2", {"sentence": sentence}), status)


class SimilarityCache:
    """Caches the values of the similarity page of a class, which take seconds, until a submission changes."""

    def __init__(self, similar: SimilarityFunction) -> None:
        self._similar = similar
        #: The key of each person with the digest of the person's submission, or with None if nothing was handed in.
        self._program_digests: tuple[tuple[str, str | None], ...] = ()
        self._values: dict[str, object] = {}
        # Pages are rendered in several threads: a second thread waits for the values that the first computes.
        self._lock = threading.Lock()

    def values_of(self, book: Gradebook) -> dict[str, object]:
        """Returns the values of the similarity page, recomputed if a submission has changed."""
        with self._lock:
            program_digests = tuple((person.key, book.program(person.key)) for person in book.people())
            if program_digests != self._program_digests or not self._values:
                self._values = self._similar(book)
                self._program_digests = program_digests
            return self._values


class _Review:
    """The endpoints. Each request opens the gradebook again, since an SQLite connection must stay in one thread."""

    def __init__(
        self,
        book: Path,
        assignment: Assignment,
        facts: FactsFunction,
        similar: SimilarityFunction,
        by: str,
        part: frozenset[str] | None,
    ) -> None:
        self._path, self._assignment, self._by = book, assignment, by
        self._similar = SimilarityCache(similar)
        # Computing the facts takes up to a second, and a page is often requested again after a form is submitted.
        self._facts: FactsFunction = functools.lru_cache(_MAX_CACHED)(lambda files: tuple(facts(files)))
        self._summary_reader = SummaryReader(part)
        # Reading the reports of a large class takes a second or two, so they are cached before the first request.
        with Gradebook(book) as opened_book:
            self._summary_reader.summaries_of(opened_book)

    def class_(self, request: Request) -> Response:
        with Gradebook(self._path) as book:
            summaries = self._summary_reader.summaries_of(book)
        values = class_values(self._assignment, summaries, view_of(request.query_params))
        return HTMLResponse(page("review_class.html.j2", values))

    def person(self, request: Request, form: Form | None = None, problem: str = "") -> Response:
        query = request.query_params
        view = view_of(query)
        with Gradebook(self._path) as book:
            person = _requested_person(book, request)
            values = person_values(book, person, self._assignment, self._facts, view)
            values |= self._navigation_values(book, person, view)
            values["noted"] = marks_added_since(book, person, query)
        values |= {"problem": problem, "form": form or Form(file=query.get("file", ""), line=query.get("line", ""))}
        return HTMLResponse(page("review_person.html.j2", values), 422 if problem else 200)

    def session(self, request: Request) -> Response:
        view = view_of(request.query_params)
        with Gradebook(self._path) as book:
            person = _requested_person(book, request)
            session = session_values(book.report(person.key), person, request.query_params, view)
            if session is None:
                raise HTTPException(404)
            values = session | self._navigation_values(book, person, view)
            values["code"] = source_values(book, person, self._facts, request.query_params["of"])
        return HTMLResponse(page("review_session.html.j2", values | {"person": person}))

    def side_by_side(self, request: Request) -> Response:
        """The page of two people side by side: the requested person, and the person with the key `with` or the next."""
        view = view_of(request.query_params)
        with Gradebook(self._path) as book:
            person = _requested_person(book, request)
            navigation = self._navigation_values(book, person, view)
            other_person = (
                _requested_person(book, request, "with") if "with" in request.query_params else navigation["next"]
            )
            people = [person, *([other_person] if isinstance(other_person, Person) else [])]
            sides = [
                person_values(book, side_person, self._assignment, self._facts, view)
                | {"link": person_link(side_person, view), "on": person_link(side_person, view, "beside")}
                for side_person in people
            ]
        return HTMLResponse(page("review_beside.html.j2", navigation | {"person": person, "sides": sides}))

    def similar(self, request: Request) -> Response:
        """The page of submissions that share passages."""
        with Gradebook(self._path) as book:
            values = self._similar.values_of(book)
        return HTMLResponse(page("review_similar.html.j2", values))

    def _navigation_values(self, book: Gradebook, person: Person, view: View) -> dict[str, object]:
        """Returns the values of the navigation: the previous and the next person in the view, and links."""
        people_in_order = filtered_people(view, self._summary_reader.summaries_of(book))
        previous_summary, next_summary = neighbours(people_in_order, person.key)
        names = distinct_names(book.people())
        position = next(
            (number for number, summary in enumerate(people_in_order, 1) if summary.person.key == person.key), 0
        )
        return {
            "title": self._assignment.title,
            "all": f"./?{view.query}" if view.query else "./",
            "called": names[person.key],
            "next": next_summary.person if next_summary else None,
            "previous_name": names[previous_summary.person.key] if previous_summary else "",
            "next_name": names[next_summary.person.key] if next_summary else "",
            "previous_link": person_link(previous_summary.person, view) if previous_summary else "",
            "next_link": person_link(next_summary.person, view) if next_summary else "",
            "here": person_link(person, view),
            "beside": person_link(person, view, "beside"),
            "mark": person_link(person, view, "mark"),
            "place": f"{position} of {len(people_in_order)}" if position else "",
        }

    async def mark(self, request: Request) -> Response:
        """Add a submitted form to the gradebook, and redirect to the person's page."""
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MAX_BYTES:
                raise HTTPException(413, f"Too long: a form has at most {_MAX_BYTES:,} bytes.")
        try:
            fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
        except ValueError:
            raise HTTPException(413, f"Too many fields: a form has at most {_MAX_FIELDS}.") from None
        return await run_in_threadpool(self._add_marks, request, Form.from_fields(fields))

    def _add_marks(self, request: Request, form: Form) -> Response:
        """Add the marks of a form, and redirect to the commented line or to the list of the added marks.

        If the form is invalid, return the person's page with the form and the error.
        """
        with Gradebook(self._path) as book:
            person = _requested_person(book, request)
            try:
                counts_before = add_form_marks(form, book, self._assignment.grading, person, by=self._by)
            except HarnessError as error:
                problem = str(error)
            else:
                page_link = person_link(person, view_of(request.query_params))
                anchor = _comment_anchor(book, person, form) or "noted"
                return RedirectResponse(
                    f"{page_link}&marks={counts_before.marks}&scores={counts_before.scores}#{anchor}", 303
                )
        return self.person(request, form, problem)


def _comment_anchor(book: Gradebook, person: Person, form: Form) -> str:
    """Returns the anchor of the line that was commented on; empty if the form has no comment on a line."""
    paths = [source.path for source in book.sources(person.key)]
    return f"file-{paths.index(form.file) + 1}-{form.line}" if form.line_comment and form.file in paths else ""


def _requested_person(book: Gradebook, request: Request, name: str = "who") -> Person:
    """Returns the person with the key in the query; raises HTTPException 404 if nobody has this key."""
    key = request.query_params.get(name, "")
    for person in book.people():
        if person.key == key:
            return person
    raise HTTPException(404, f"nobody in this gradebook has the key {as_found(key)}")
