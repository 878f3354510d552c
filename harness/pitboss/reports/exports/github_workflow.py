"""A workflow of GitHub Actions that checks every push to a repository.

https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax. The workflow unpacks the archive that
`pitboss autograder` writes, so a job installs the same packages as Gradescope. No data from an event is put into a
script, and the job cannot change the code of the repository.
"""

from __future__ import annotations

import json
import re

#: The name of the repository secret that holds a token; with the token, a job may read the course's repository.
_TOKEN_SECRET = "PITBOSS_TOKEN"
_CHECKOUT = "actions/checkout@v4"
_REPORTER = "classroom-resources/autograding-grading-reporter@v1"
_AUTOGRADER_FOLDER = "${{ runner.temp }}/pitboss"

#: Characters that YAML allows only in escaped form (https://yaml.org/spec/1.2.2/#51-character-set), or that may end a
#: line.
_NEEDS_ESCAPE = re.compile("[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")

_WORKFLOW = """\
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

    `bundle` is the path of the course's archive: in `repository` (OWNER/NAME) or, if `repository` is empty, in the
    student's repository.
    With `is_classroom`, the workflow reports the score to GitHub Classroom.
    """
    fetch = (
        _FETCH.format(checkout=_CHECKOUT, repository=_yaml_scalar(repository), secret=_TOKEN_SECRET)
        if repository
        else ""
    )
    text = _WORKFLOW.format(
        name="Autograding Tests" if is_classroom else "pitboss",
        permissions=_permissions(is_classroom=is_classroom),
        title=_yaml_scalar(title),
        minutes=minutes,
        # The bot of GitHub Classroom pushes the course's code, not a student's.
        condition="    if: github.actor != 'github-classroom[bot]'\n" if is_classroom else "",
        folder=_AUTOGRADER_FOLDER,
        checkout=_CHECKOUT,
        fetch=fetch,
        bundle=_yaml_scalar(f".pitboss/{bundle}" if repository else bundle),
        remove="          rm -rf .pitboss\n" if repository else "",
        options=" --classroom" if is_classroom else "",
    )
    return text + (_REPORT.format(reporter=_REPORTER) if is_classroom else "")


def _permissions(*, is_classroom: bool) -> str:
    permissions = {"contents": "read", **({"checks": "write", "actions": "read"} if is_classroom else {})}
    return "permissions:\n" + "\n".join(f"  {name}: {value}" for name, value in permissions.items())


def _yaml_scalar(text: str) -> str:
    """Returns a text as a quoted YAML scalar; a space breaks up each `${{`, which would begin an Actions expression.

    >>> _yaml_scalar("what ${{ this }} is")
    '"what $ {{ this }} is"'
    """
    scalar = json.dumps(re.sub(r"\$(?=\{\{)", "$ ", text), ensure_ascii=False)
    return _NEEDS_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", scalar)
