import itertools
import os
import re
import subprocess
import sys

import click
import pytest
import yaml

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
