import functools
import http.server
import itertools
import os
import re
import shutil
import subprocess
import sys
import threading

import click
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from pitboss.cli.main import pitboss as group
from tests.docs.extra_pages import FROM_THE_TOP
from tests.docs.pages import DOCS, ROOT, commands_in

PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
# Rows of the tables in performance.md, such as "pitboss, no sandbox", look like commands.
PAGES.remove(DOCS / "performance.md")
#: A placeholder instead of a command's name, such as in `pitboss COMMAND --help`.
_PLACEHOLDER = re.compile(r"[A-Z]+|…|\[.*")


def usage_error(words):
    """The error for an unknown command or option in a command line, or an empty text."""
    context = click.Context(group, info_name="pitboss")
    arguments = words[1:]
    if not arguments or arguments[0].startswith("-") or _PLACEHOLDER.fullmatch(arguments[0]):
        return ""
    try:
        name, command, rest = group.resolve_command(context, arguments)
    except click.UsageError as error:
        return error.format_message()
    options = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help", "-h"}
    words_before_dashes = itertools.takewhile(lambda word: word != "--", rest)
    used_options = [word.partition("=")[0] for word in words_before_dashes]
    unknown = [word for word in used_options if re.fullmatch(r"--?[a-z][a-z-]*", word) and word not in options]
    return f"{name} has no option {unknown[0]}" if unknown else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_on_a_page_exists_with_its_options(page):
    errors = [
        f"{page.name}:{line}: {' '.join(words)}: {usage_error(words)}"
        for line, words in commands_in(page)
        if usage_error(words)
    ]
    assert errors == []


def test_unknown_commands_and_options_on_a_page_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Type `pitboss chek`, or:\n\n    pitboss check play --sed 1   # a seed\n\n```console\n"
        "$ echo q | pitboss play play\n```\n\npitboss checks programs.\n"
    )
    commands = [(line, words, usage_error(words)) for line, words in commands_in(page)]
    assert [command[:2] for command in commands] == [
        (1, ["pitboss", "chek"]),
        (3, ["pitboss", "check", "play", "--sed", "1"]),
        (6, ["pitboss", "play", "play"]),
    ]
    assert [error.partition(" —")[0] for *_, error in commands] == [
        "there is no command 'chek'",
        "check has no option --sed",
        "",
    ]


def test_every_page_is_in_the_navigation():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    pages_in_nav = set(re.findall(r"[\w/-]+\.md", str(nav))) - FROM_THE_TOP.keys()
    existing_pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert (existing_pages - pages_in_nav, pages_in_nav - existing_pages) == (set(), set()), (
        "add it to nav in mkdocs.yml"
    )


def missing_paths(page):
    """The paths on a page that exist neither relative to the repository nor relative to the package."""
    tops = (ROOT, ROOT / "harness" / "pitboss")
    paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", page)
    return sorted({path for path in paths if not any((top / path).exists() for top in tops)})


@pytest.mark.parametrize("name", ["taking-over.md", "architecture.md", "hostile.md"])
def test_every_path_on_a_page_for_contributors_exists(name):
    assert missing_paths((DOCS / name).read_text()) == []


def test_a_path_that_does_not_exist_is_found():
    page = "`cli/main.py`, `cli/mains.py`, `docs/`, `./setup`, `specs/blackjack/plays.yaml`, `mistakes/<id>`, a/b.py"
    assert missing_paths(page) == ["cli/mains.py", "specs/blackjack/plays.yaml"]


def glossary_rows(page):
    """The rows of a page's glossary: in each a term and its explanation."""
    section = page.partition("\n## Glossary\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line[:1] == "|"]
    return [tuple(row) for row in rows[2:]]


def glossary_faults(glossary):
    """Faults of a glossary: too many terms, a term explained twice, a malformed row, or a long explanation."""
    names = [name for name, *_ in glossary]
    return [
        *(["no terms"] if not glossary else []),
        *([f"{len(glossary)} terms; at most 30"] if len(glossary) > 30 else []),
        *(f"{name} is explained twice" for name in sorted({term for term in names if names.count(term) > 1})),
        *(f"{row[0]} has {len(row)} cells" for row in glossary if len(row) != 2),
        *(f"{row[0]} takes more than 120 characters" for row in glossary if len(row[-1]) > 120),
    ]


def test_the_glossary_is_short():
    assert glossary_faults(glossary_rows((DOCS / "architecture.md").read_text())) == []


def test_a_glossary_that_is_too_long_or_repetitive_is_reported():
    rows = [f"| term {number} | what it is |" for number in range(31)]
    page = "\n".join(
        ["", "## Glossary", "", "| term | is |", "|---|---|", *rows, f"| term 0 | {'x' * 121} |", "", "## End"]
    )
    assert glossary_faults(glossary_rows(page)) == [
        "32 terms; at most 30",
        "term 0 is explained twice",
        "term 0 takes more than 120 characters",
    ]
    assert glossary_faults(glossary_rows("# No glossary")) == ["no terms"]


def test_no_other_page_has_a_glossary():
    headings = re.compile(r"^#+ (?:Glossary|Words)$|^\| term \|", re.MULTILINE)
    assert [page.name for page in PAGES if headings.search(page.read_text())] == ["architecture.md"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; a broken link or anchor would be an error of the build."""
    folder = tmp_path_factory.mktemp("site")
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (build.returncode, build.stdout + build.stderr) == (0, "")
    return folder


def test_the_site_has_every_page(site):
    pages = {str(page.relative_to(DOCS).with_suffix(".html")) for page in DOCS.rglob("*.md")}
    assert [
        name
        for name in {*pages, "contributing.html", "changelog.html", "search/search_index.json"}
        if not (site / name).is_file()
    ] == []
    assert 'href="docs/' not in (site / "contributing.html").read_text()


def test_the_site_refers_to_no_files_on_other_hosts(site):
    external_reference = re.compile(
        r"""<(?:script|img|iframe|link rel="(?:stylesheet|preconnect|icon)")[^>]*(?:src|href)="(?:https?:)?//"""
    )
    for page in site.rglob("*.html"):
        assert external_reference.findall(page.read_text()) == [], page.name
    for sheet in site.rglob("*.css"):
        assert re.findall(r"url\(.?https?:|@import", sheet.read_text()) == [], sheet.name


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without logging requests."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site_url(site):
    """The address of the site."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.mark.slow
@pytest.mark.needs("Chromium")
def test_a_browser_shows_and_searches_the_site_without_other_hosts(site, site_url, chromium):
    tab = chromium.new_page()
    requested_urls, errors = [], []
    tab.on("request", lambda request: requested_urls.append(request.url))
    tab.on("console", lambda message: errors.append(message.text))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    for page in sorted(site.rglob("*.html")):
        tab.goto(f"{site_url}{page.relative_to(site)}")
    tab.goto(f"{site_url}index.html")
    tab.locator("[data-md-component=search-query]").fill("read_line")
    expect(tab.locator(".md-search-result__link").first).to_have_attribute("href", re.compile("contracts"))
    tab.close()
    assert ([url for url in requested_urls if not url.startswith((site_url, "data:", "blob:"))], errors) == ([], [])


@pytest.mark.slow
@pytest.mark.needs("Chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_only_violations_of_the_theme_itself(site_url, chromium, scheme):
    with chromium.new_context(color_scheme=scheme) as context:
        tab = context.new_page()
        for page in ("tutorial-first", "reference/assignment-file"):
            tab.goto(f"{site_url}{page}.html")
            violation_ids = {violation["id"] for violation in Axe().run(tab).response["violations"]}
            assert violation_ids <= {"aria-dialog-name", "landmark-unique"}, page
