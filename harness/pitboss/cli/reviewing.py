"""`pitboss review`: serves a gradebook to the browser of the user who started the command, and to nobody else."""

from __future__ import annotations

import functools
import os
import secrets
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from urllib.parse import urlencode

import click

from pitboss.cli.common_options import WholeNumber
from pitboss.cli.scores import assignment_of, book_argument
from pitboss.cli.similar import check_earlier_gradebooks, compare_class, earlier_option
from pitboss.errors import UsageError, listed
from pitboss.extras import missing_for
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import keys_in_parts, user_name
from pitboss.reports.similarity.works import Pair
from pitboss.reports.similarity_page import similarity_values
from pitboss.reports.style_facts import facts_of, missing_library

_HOST = "127.0.0.1"
#: After Ctrl-C, how long requests that have begun may still take, in seconds.
_SHUTDOWN_S = 2
#: How many connections may wait to be accepted.
_BACKLOG = 100


@click.command()
@book_argument
@click.option("--port", type=WholeNumber(1, 65535), metavar="N", help="The port (default: any free port).")
@click.option("--browser/--no-browser", default=True, help="Whether to open a browser, if there is a screen.")
@click.option("--by", metavar="NAME", help="Author of new marks (default: you).")
@click.option(
    "--only", multiple=True, metavar="SECTION|K/N", help="Show only these students: a section, or a share such as 1/3."
)
@earlier_option
def review(
    path: Path, port: int | None, browser: bool, by: str | None, only: tuple[str, ...], earlier: tuple[Path, ...]
) -> None:
    """Review a class in the browser.

    Shows the scores, sessions and sources in the GRADEBOOK; you can add style scores, comments and overrides.
    """
    if missing := missing_for("`pitboss review`", "starlette", "uvicorn"):
        raise UsageError(missing)
    # Imported here, so that --help is fast.
    import uvicorn

    from pitboss.reports.review.application import application

    with Gradebook(path) as book:
        assignment = assignment_of(book)
        check_earlier_gradebooks(book, earlier)
        is_read_only, people = book.is_read_only, book.people()
        part_keys = keys_in_parts(people, only)
    token = secrets.token_urlsafe(32)
    app = application(
        path,
        assignment,
        token,
        facts_of,
        functools.partial(_values_of_similarity_page, earlier),
        by=by or user_name(),
        part=part_keys,
    )
    with _open_listener(port) as listener:
        address = f"http://{_HOST}:{listener.getsockname()[1]}/?token={token}"
        if note := missing_library():
            click.echo(f"pitboss: {note}", err=True)
        if is_read_only:
            click.echo(f"pitboss: {path} is write-protected: everything can be read, nothing added", err=True)
        part_note = f" ({listed(only)}: {len(part_keys)} of {len(people)} people)" if part_keys is not None else ""
        click.echo(f"Review of {path}{part_note}, for you alone: {address}\nCtrl-C ends it.")
        with _open_browser(address) if browser and _has_screen() else nullcontext():
            config = uvicorn.Config(app, log_level="error", access_log=False, timeout_graceful_shutdown=_SHUTDOWN_S)
            uvicorn.Server(config).run(sockets=[listener])


def _values_of_similarity_page(earlier: Sequence[Path], book: Gradebook) -> dict[str, object]:
    """Returns the values for the template of the similarity page.

    A pair within the class has a link to the page that compares the two submissions.
    """
    comparison, notes = compare_class(book, earlier)
    return similarity_values(comparison, notes, _pair_link)


def _pair_link(pair: Pair) -> str:
    is_within_class = not (pair.left.earlier or pair.right.earlier)
    return f"beside?{urlencode({'who': pair.left.key, 'with': pair.right.key})}" if is_within_class else ""


@contextmanager
def _open_listener(port: int | None) -> Iterator[socket.socket]:
    """Open a socket that only this machine reaches; UsageError if the port is in use."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, port or 0))
            # The browser may connect as soon as the address is printed.
            listener.listen(_BACKLOG)
        except OSError as error:
            raise UsageError(
                f"--port {port}: {error.strerror}; name another port, or omit the option to use a free port"
            ) from error
        yield listener


def _has_screen() -> bool:
    """Whether there is a screen; without one Python would start a text browser in this terminal."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def _open_browser(address: str) -> Iterator[None]:
    """Open the address in a browser through a private file: other users could read the address in a command line."""
    with tempfile.TemporaryDirectory(prefix="pitboss-review-") as folder:
        page = Path(folder) / "review.html"
        page.touch(0o600)
        page.write_text(
            f'<!doctype html><title>Review</title><meta http-equiv="refresh" content="0;url={address}">'
            f'<a href="{address}">To the review</a>\n'
        )
        webbrowser.open(page.as_uri())
        yield
