"""Reports in the XML format of JUnit: a test suite for each submission, a test case for each session.

The XML follows the schema of Jenkins, https://github.com/jenkinsci/xunit-plugin (junit-10.xsd). pytest's reports are
tested against this schema too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.model.notation import notation_of
from pitboss.model.quoting import printable
from pitboss.reports.finding_sentences import stage_summary, summary_and_hint

#: Characters that XML 1.0 cannot contain, https://www.w3.org/TR/xml/#charsets.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: How JUnit's XML reports a verdict that is neither accepted nor a failure.
_KINDS = {
    Verdict.JUDGE_ERROR: "error",
    **dict.fromkeys((Verdict.SKIPPED, Verdict.NEEDS_REVIEW, Verdict.NOT_OFFERED), "skipped"),
}


def junit_xml(reports: Iterable[Report]) -> str:
    root = ElementTree.Element("testsuites")
    for report in reports:
        root.append(_suite(report))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(report: Report) -> ElementTree.Element:
    cases = [case for stage in report.stages for case in _cases(stage)]
    counts = {kind: sum(case.find(kind) is not None for case in cases) for kind in ("failure", "error", "skipped")}
    suite = ElementTree.Element(
        "testsuite",
        name=_valid_xml_text(report.submission),
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
    )
    suite.extend(cases)
    return suite


def _cases(stage: StageReport) -> Iterator[ElementTree.Element]:
    """Yields a test case for each session, or one test case for the stage if no session has a result."""
    if not stage.results:
        yield _case(stage, stage.title or stage.stage, stage.verdict, stage_summary(stage), stage.build_messages)
    for result in stage.results:
        text = "" if result.is_accepted else _transcripts_text(result)
        yield _case(stage, result.session, result.verdict, summary_and_hint(result), text)


def _case(stage: StageReport, name: str, verdict: Verdict, summary: str, text: str) -> ElementTree.Element:
    """Returns a test case; unless it is accepted, with a failure, an error or a skip, and details in `text`."""
    case = ElementTree.Element("testcase", classname=_valid_xml_text(stage.stage), name=_valid_xml_text(name))
    if verdict is Verdict.ACCEPTED:
        return case
    kind = _KINDS.get(verdict, "failure")
    element = ElementTree.SubElement(case, kind, message=_valid_xml_text(summary), type=verdict.value)
    if text and kind != "skipped":
        element.text = _valid_xml_text(text)
    return case


def _transcripts_text(result: Result) -> str:
    return f"expected:\n{notation_of(result.expected.events)}\n\nactual:\n{notation_of(result.actual.events)}\n"


def _valid_xml_text(text: str) -> str:
    """Returns a printable text, with a replacement character for each that XML cannot contain."""
    return _FORBIDDEN.sub("\ufffd", printable(text))
