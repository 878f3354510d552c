"""The application: its pages, the forms that add to the gradebook, and their addresses.

Addresses are below `home_of(token)`: the empty path is the class's page; `similar`, `person`, `session` and `beside`
with `who=KEY`, and `mark`, which takes a form. The other query parameters are the filter and order of the class page;
all links of a person's pages preserve them.
"""

from __future__ import annotations

import functools
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
from pitboss.reports.review.access import Guard, home_of
from pitboss.reports.review.class_page import class_values
from pitboss.reports.review.forms import Form, add_form_marks
from pitboss.reports.review.noted import noted_since
from pitboss.reports.review.overview import Briefs
from pitboss.reports.review.person import Facts, person_link, person_values, session_values, source_values
from pitboss.reports.review.remembered import Similar, SimilarityCache
from pitboss.reports.review.view import View, filtered_people, neighbours, view_of
from pitboss.reports.similarity_page import SIMILARITY
from pitboss.reports.templates import asset, page
from pitboss.submissions.importers.imported import Person, distinct_names

#: The maximum size of a form in bytes.
_MAX_BYTES = 200_000
#: The maximum number of fields.
_MAX_FIELDS = 100
#: The number of submissions whose facts are cached.
_MAX_CACHED = 32
_ASSETS = {"style.css": "text/css", "review.css": "text/css", SIMILARITY: "text/css", "review.js": "text/javascript"}


def application(
    book: Path,
    assignment: Assignment,
    token: str,
    facts: Facts,
    similar: Similar,
    *,
    by: str,
    part: frozenset[str] | None = None,
) -> Starlette:
    """The review of a gradebook of this assignment, for everybody who has the token.

    Marks are recorded under the name `by`. `part`: the keys of the people to show; None for all.
    """
    review = _Review(book, assignment, facts, similar, by, part)
    pages = [
        Route("/", _threaded_endpoint(review.class_)),
        Route("/person", _threaded_endpoint(review.person)),
        Route("/session", _threaded_endpoint(review.session)),
        Route("/beside", _threaded_endpoint(review.side_by_side)),
        Route("/similar", _threaded_endpoint(review.similar)),
        Route("/mark", review.mark, methods=["POST"]),
        *(Route(f"/{name}", _asset_endpoint(name, kind)) for name, kind in _ASSETS.items()),
    ]
    return Starlette(
        routes=[Mount(home_of(token).rstrip("/"), routes=pages)],
        middleware=[Middleware(Guard, token=token)],
        exception_handlers={HTTPException: _http_error_page, HarnessError: _error_page},
    )


def _threaded_endpoint(handler: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Returns an endpoint that is not a coroutine function, so that Starlette runs it in a thread of its pool."""
    return lambda request: handler(request)


def _asset_endpoint(name: str, kind: str) -> Callable[[Request], Response]:
    return lambda request: Response(asset(name), media_type=kind)


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


class _Review:
    """The endpoints: each request opens the gradebook, since an SQLite connection must stay in one thread."""

    def __init__(
        self, book: Path, assignment: Assignment, facts: Facts, similar: Similar, by: str, part: frozenset[str] | None
    ) -> None:
        self._path, self._assignment, self._by = book, assignment, by
        self._similar = SimilarityCache(similar)
        # Measuring functions takes up to a second, and a page is often requested again after a form is submitted.
        self._facts: Facts = functools.lru_cache(_MAX_CACHED)(lambda files: tuple(facts(files)))
        self._briefs = Briefs(part)
        # Reading the reports of a large class takes a second or two: done once, before the first request.
        with Gradebook(book) as opened_book:
            self._briefs.briefs_of(opened_book)

    def class_(self, request: Request) -> Response:
        """The page of the class."""
        with Gradebook(self._path) as book:
            briefs = self._briefs.briefs_of(book)
        values = class_values(self._assignment, briefs, view_of(request.query_params))
        return HTMLResponse(page("review_class.html.j2", values))

    def person(self, request: Request) -> Response:
        """The page of a person."""
        return self._person_page(request)

    def _person_page(self, request: Request, form: Form | None = None, problem: str = "") -> Response:
        query = request.query_params
        view = view_of(query)
        with Gradebook(self._path) as book:
            person = _requested_person(book, request)
            values = person_values(book, person, self._assignment, self._facts, view)
            values |= self._navigation_values(book, person, view)
            values["noted"] = noted_since(book, person, query)
        values |= {"problem": problem, "form": form or Form(file=query.get("file", ""), line=query.get("line", ""))}
        return HTMLResponse(page("review_person.html.j2", values), 422 if problem else 200)

    def session(self, request: Request) -> Response:
        """The page of a session."""
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
        """Two people side by side: the person, and the person named by `with`, or else the next."""
        view = view_of(request.query_params)
        with Gradebook(self._path) as book:
            person = _requested_person(book, request)
            around = self._navigation_values(book, person, view)
            other = _requested_person(book, request, "with") if "with" in request.query_params else around["next"]
            people = [person, *([other] if isinstance(other, Person) else [])]
            sides = [
                person_values(book, side_person, self._assignment, self._facts, view)
                | {"link": person_link(side_person, view), "on": person_link(side_person, view, "beside")}
                for side_person in people
            ]
        return HTMLResponse(page("review_beside.html.j2", around | {"person": person, "sides": sides}))

    def similar(self, request: Request) -> Response:
        """The page of submissions that share passages."""
        with Gradebook(self._path) as book:
            values = self._similar.values_of(book)
        return HTMLResponse(page("review_similar.html.j2", values))

    def _navigation_values(self, book: Gradebook, person: Person, view: View) -> dict[str, object]:
        """The values of the navigation: the previous and the next person in the view, and links."""
        order = filtered_people(view, self._briefs.briefs_of(book))
        before, after = neighbours(order, person.key)
        names = distinct_names(book.people())
        position = next((number for number, brief in enumerate(order, 1) if brief.person.key == person.key), 0)
        return {
            "title": self._assignment.title,
            "all": f"./?{view.query}" if view.query else "./",
            "called": names[person.key],
            "next": after.person if after else None,
            "previous_name": names[before.person.key] if before else "",
            "next_name": names[after.person.key] if after else "",
            "previous_link": person_link(before.person, view) if before else "",
            "next_link": person_link(after.person, view) if after else "",
            "here": person_link(person, view),
            "beside": person_link(person, view, "beside"),
            "mark": person_link(person, view, "mark"),
            "place": f"{position} of {len(order)}" if position else "",
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
        """Add the marks of a form and redirect to the line or note; on an error return the page with the form."""
        with Gradebook(self._path) as book:
            person = _requested_person(book, request)
            try:
                since = add_form_marks(form, book, self._assignment.grading, person, by=self._by)
            except HarnessError as error:
                problem = str(error)
            else:
                page_link = person_link(person, view_of(request.query_params))
                anchor = _comment_anchor(book, person, form) or "noted"
                return RedirectResponse(f"{page_link}&marks={since.marks}&scores={since.scores}#{anchor}", 303)
        return self._person_page(request, form, problem)


def _comment_anchor(book: Gradebook, person: Person, form: Form) -> str:
    """The anchor of the line that was commented on; empty if no line was."""
    paths = [source.path for source in book.sources(person.key)]
    return f"file-{paths.index(form.file) + 1}-{form.line}" if form.line_comment and form.file in paths else ""


def _requested_person(book: Gradebook, request: Request, name: str = "who") -> Person:
    """Returns the person with the key in the query; raises HTTPException 404 if nobody has this key."""
    key = request.query_params.get(name, "")
    for person in book.people():
        if person.key == key:
            return person
    raise HTTPException(404, f"nobody in this gradebook has the key {as_found(key)}")
