"""Every page: its commands are commands of pitboss, it is on the site, and the site is whole and fetches nothing."""

import functools
import http.server
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
#: Its tables have lines that begin with the name of what was measured.
PAGES.remove(DOCS / "performance.md")
#: What stands for something in a command that is told in general, such as `pitboss COMMAND --help`.
_GENERAL = re.compile(r"[A-Z]+|…|\[.*")


def refusal(words):
    """What click says against a command line; empty if it has no such command or option to complain of."""
    context = click.Context(group, info_name="pitboss")
    arguments = words[1:]
    if not arguments or arguments[0].startswith("-") or _GENERAL.fullmatch(arguments[0]):
        return ""
    try:
        name, command, rest = group.resolve_command(context, arguments)
    except click.UsageError as error:
        return error.format_message()
    known = {one for option in command.params for one in (*option.opts, *option.secondary_opts)} | {"--help", "-h"}
    given = [word.partition("=")[0] for word in rest[: rest.index("--") if "--" in rest else None]]
    unknown = [word for word in given if re.fullmatch(r"--?[a-z][a-z-]*", word) and word not in known]
    return f"{name} has no option {unknown[0]}" if unknown else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_on_a_page_is_one(page):
    wrong = [
        f"{page.name}:{line}: {' '.join(words)}: {refusal(words)}"
        for line, words in commands_in(page)
        if refusal(words)
    ]
    assert wrong == []


def test_commands_are_found_and_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "Type `pitboss chek`, or:\n\n    pitboss check play --sed 1   # a seed\n\n```console\n"
        "$ echo q | pitboss play play\n```\n\npitboss checks programs.\n"
    )
    found = [(line, words, refusal(words)) for line, words in commands_in(page)]
    assert [one[:2] for one in found] == [
        (1, ["pitboss", "chek"]),
        (3, ["pitboss", "check", "play", "--sed", "1"]),
        (6, ["pitboss", "play", "play"]),
    ]
    assert [output.partition(" —")[0] for *_, output in found] == [
        "there is no command 'chek'",
        "check has no option --sed",
        "",
    ]


def test_every_page_is_in_the_navigation():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    named = set(re.findall(r"[\w/-]+\.md", str(nav))) - FROM_THE_TOP.keys()
    written = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert (written - named, named - written) == (set(), set()), "add it to nav in mkdocs.yml"


def missing_paths(page):
    """The paths on a page that lead nowhere: they begin at the top of the repository, or in the package."""
    tops = (ROOT, ROOT / "harness" / "pitboss")
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", page)
    return sorted({path for path in named if not any((top / path).exists() for top in tops)})


@pytest.mark.parametrize("name", ["taking-over.md", "architecture.md", "hostile.md"])
def test_every_path_on_a_page_for_contributors_is_there(name):
    assert missing_paths((DOCS / name).read_text()) == []


def test_a_path_that_leads_nowhere_is_found():
    page = "`cli/main.py`, `cli/mains.py`, `docs/`, `./setup`, `specs/blackjack/plays.yaml`, `mistakes/<id>`, a/b.py"
    assert missing_paths(page) == ["cli/mains.py", "specs/blackjack/plays.yaml"]


def terms(page):
    """The rows of the glossary on a page: each a term and its explanation."""
    section = page.partition("\n## Glossary\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in section.splitlines() if line[:1] == "|"]
    return [tuple(row) for row in rows[2:]]


def faults_of(glossary):
    """What is wrong with a glossary: too long, a term that is explained twice, or an explanation that is no line."""
    names = [name for name, *_ in glossary]
    return [
        *(["no terms"] if not glossary else []),
        *([f"{len(glossary)} terms; at most 30"] if len(glossary) > 30 else []),
        *(f"{name} is explained twice" for name in sorted({one for one in names if names.count(one) > 1})),
        *(f"{row[0]} has {len(row)} cells" for row in glossary if len(row) != 2),
        *(f"{row[0]} takes more than 120 characters" for row in glossary if len(row[-1]) > 120),
    ]


def test_the_glossary_is_short():
    assert faults_of(terms((DOCS / "architecture.md").read_text())) == []


def test_a_glossary_that_grows_is_noticed():
    rows = [f"| term {number} | what it is |" for number in range(31)]
    page = "\n".join(
        ["", "## Glossary", "", "| term | is |", "|---|---|", *rows, f"| term 0 | {'x' * 121} |", "", "## End"]
    )
    assert faults_of(terms(page)) == [
        "32 terms; at most 30",
        "term 0 is explained twice",
        "term 0 takes more than 120 characters",
    ]
    assert faults_of(terms("# No glossary")) == ["no terms"]


def test_no_other_page_has_a_glossary():
    headings = re.compile(r"^#+ (?:Glossary|Words)$|^\| term \|", re.MULTILINE)
    assert [page.name for page in PAGES if headings.search(page.read_text())] == ["architecture.md"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built strictly: a link or an anchor that leads nowhere is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


def test_the_site_is_whole(site):
    pages = {str(page.relative_to(DOCS).with_suffix(".html")) for page in DOCS.rglob("*.md")}
    assert [
        name
        for name in {*pages, "contributing.html", "changelog.html", "search/search_index.json"}
        if not (site / name).is_file()
    ] == []
    assert 'href="docs/' not in (site / "contributing.html").read_text()


def test_reading_the_site_fetches_nothing_from_elsewhere(site):
    fetched = re.compile(
        r"""<(?:script|img|iframe|link rel="(?:stylesheet|preconnect|icon)")[^>]*(?:src|href)="(?:https?:)?//"""
    )
    for page in site.rglob("*.html"):
        assert fetched.findall(page.read_text()) == [], page.name
    for sheet in site.rglob("*.css"):
        assert re.findall(r"url\(.?https?:|@import", sheet.read_text()) == [], sheet.name


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def home(site):
    """The address of the site."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
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
def test_the_site_works_in_a_browser_that_reaches_nothing_else(site, home, chromium):
    tab = chromium.new_page()
    asked, output = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: output.append(message.text))
    tab.on("pageerror", lambda error: output.append(str(error)))
    for page in sorted(site.rglob("*.html")):
        tab.goto(f"{home}{page.relative_to(site)}")
    tab.goto(f"{home}index.html")
    tab.locator("[data-md-component=search-query]").fill("read_line")
    expect(tab.locator(".md-search-result__link").first).to_have_attribute("href", re.compile("contracts"))
    tab.close()
    assert ([url for url in asked if not url.startswith((home, "data:", "blob:"))], output) == ([], [])


@pytest.mark.slow
@pytest.mark.needs("Chromium")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_but_what_the_theme_brings(home, chromium, scheme):
    with chromium.new_context(color_scheme=scheme) as context:
        tab = context.new_page()
        for page in ("tutorial-first", "reference/assignment-file"):
            tab.goto(f"{home}{page}.html")
            found = {one["id"] for one in Axe().run(tab).response["violations"]}
            assert found <= {"aria-dialog-name", "landmark-unique"}, page
