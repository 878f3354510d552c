"""A workflow of GitHub Actions that checks every push to a repository.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax. The workflow unpacks the archive of
`autograder`, so a job installs what Gradescope installs. No data from an event is put into a script, and the job may
only read the code of the repository.
"""

from __future__ import annotations

import json
import re

_SECRET = "PITBOSS_TOKEN"
_CHECKOUT = "actions/checkout@v4"
_REPORTER = "classroom-resources/autograding-grading-reporter@v1"
_FOLDER = "${{ runner.temp }}/pitboss"

#: Characters that YAML allows only as escapes, https://yaml.org/spec/1.2.2/#51-character-set, or that may end a line.
_UNWRITTEN = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

_HEAD = """\
# Checks the programs of this repository with pitboss, at every push and pull request. Made by `pitboss workflow`.
name: {name}
on:
  push:
  pull_request:
  workflow_dispatch:
{permissions}
concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: true
jobs:
  check:
    name: {title}
    runs-on: ubuntu-24.04
    timeout-minutes: {minutes}
{condition}    steps:
      - name: The programs
        uses: {checkout}
        with:
          persist-credentials: false
{fetch}      - name: Set up pitboss
        env:
          PITBOSS_AUTOGRADER: {folder}
          BUNDLE: {bundle}
        run: |
          python3 -m zipfile -e "$BUNDLE" "$PITBOSS_AUTOGRADER/source"
{remove}          bash "$PITBOSS_AUTOGRADER/source/setup.sh"
      - name: Check
        id: check
        env:
          PITBOSS_AUTOGRADER: {folder}
        run: bash "$PITBOSS_AUTOGRADER/source/check" . --github{options}
"""
_FETCH = """\
      - name: The archive of the course
        uses: {checkout}
        with:
          repository: {repository}
          path: .pitboss
          token: ${{{{ secrets.{secret} }}}}
          persist-credentials: false
"""
_REPORT = """\
      - name: Report to GitHub Classroom
        if: always()
        uses: {reporter}
        env:
          CHECK_RESULTS: ${{{{ steps.check.outputs.result }}}}
        with:
          runners: check
"""


def workflow_yaml(
    title: str, bundle: str, *, repository: str = "", minutes: int = 20, is_classroom: bool = False
) -> str:
    """Returns the text of the workflow.

    `bundle` is the path of the archive in the checked repository, or in `repository` (OWNER/NAME) if that is given.
    With `is_classroom`, the workflow reports the score to GitHub Classroom.
    """
    fetch = _FETCH.format(checkout=_CHECKOUT, repository=_quoted(repository), secret=_SECRET) if repository else ""
    text = _HEAD.format(
        name="Autograding Tests" if is_classroom else "pitboss",
        permissions=_permissions(is_classroom=is_classroom),
        title=_quoted(title),
        minutes=minutes,
        # Classroom itself pushes the course's code, not the student's.
        condition="    if: github.actor != 'github-classroom[bot]'\n" if is_classroom else "",
        folder=_FOLDER,
        checkout=_CHECKOUT,
        fetch=fetch,
        bundle=_quoted(f".pitboss/{bundle}" if repository else bundle),
        remove="          rm -rf .pitboss\n" if repository else "",
        options=" --classroom" if is_classroom else "",
    )
    return text + (_REPORT.format(reporter=_REPORTER) if is_classroom else "")


def _permissions(*, is_classroom: bool) -> str:
    permissions = {"contents": "read", **({"checks": "write", "actions": "read"} if is_classroom else {})}
    return "permissions:\n" + "\n".join(f"  {name}: {value}" for name, value in permissions.items())


def _quoted(text: str) -> str:
    """Returns a text as a YAML scalar without expressions of Actions.

    >>> _quoted("what ${{ this }} is")
    '"what $ {{ this }} is"'
    """
    scalar = json.dumps(re.sub(r"\$(?=\{\{)", "$ ", text), ensure_ascii=False)
    return _UNWRITTEN.sub(lambda match: f"\\u{ord(match[0]):04x}", scalar)
