"""Converts a handout in Markdown to HTML, and prints the HTML page as PDF with an installed browser.

A PDF is printed in a temporary folder:

    handout-NNN/page.html     the page to print
    handout-NNN/page.pdf      the browser's output
    handout-NNN/browser/      the browser's own files
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from pitboss.errors import SessionError
from pitboss.reports.markdown import as_html, missing_library
from pitboss.reports.templates import page, style
from pitboss.sandbox import scratch

#: The browsers that can print without a window, by their usual names.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
#: How long printing may take, in seconds.
_PRINTING_S = 60.0


def handout_files(title: str, markdown: str) -> dict[str, str]:
    """The files of a handout by name: Markdown, and an HTML page unless `why_no_page` returns a reason."""
    page_files = {} if why_no_page() else {"HANDOUT.html": page_of(title, markdown)}
    return {"HANDOUT.md": markdown} | page_files


def why_no_page() -> str:
    """Why a handout has no HTML page, and what to install to get the page; empty if the handout has a page."""
    missing = missing_library("its page")
    return f"the handout is HANDOUT.md alone; {missing}" if missing else ""


def page_of(title: str, markdown: str) -> str:
    """A self-contained HTML page of a text in Markdown."""
    html = as_html(markdown)
    values = {
        "title": title,
        "body": html.body,
        "headings": html.headings,
        "style": style(),
        "own_style": style("handout.css"),
    }
    return page("handout.html.j2", values)


def find_browser() -> str | None:
    """The path of a browser that can print; None if no browser is installed."""
    return next((path for name in BROWSERS if (path := shutil.which(name)) is not None), None)


def pdf_of(html: str, browser: str) -> bytes:
    """The PDF that a browser prints of an HTML page; raises SessionError if the browser prints nothing."""
    with scratch.folder("handout", 0o700) as folder:
        target = Path(folder) / "page.pdf"
        (Path(folder) / "page.html").write_text(html, encoding="utf-8", errors="backslashreplace")
        options = ["--headless", "--disable-gpu", f"--user-data-dir={folder}/browser", "--no-pdf-header-footer"]
        # As root, Chromium runs only without its sandbox. That is safe: the page is ours and has no script.
        options += ["--no-sandbox"] if os.geteuid() == 0 else []
        _run([browser, *options, f"--print-to-pdf={target}", f"file://{folder}/page.html"])
        try:
            return target.read_bytes()
        except OSError as error:
            raise SessionError(f"{browser} printed no PDF: {error.strerror}") from error


def _run(command: list[str]) -> None:
    """Run a browser until it exits, then kill all processes that it started; raises SessionError after a time limit."""
    devnull = subprocess.DEVNULL
    try:
        with subprocess.Popen(
            command, stdin=devnull, stdout=devnull, stderr=devnull, start_new_session=True
        ) as browser:
            try:
                browser.wait(_PRINTING_S)
            except subprocess.TimeoutExpired:
                raise SessionError(f"{command[0]} did not print within {_PRINTING_S:.0f} s") from None
            finally:
                try:
                    os.killpg(browser.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
    except OSError as error:
        raise SessionError(f"{command[0]} cannot be started: {error.strerror}") from error
