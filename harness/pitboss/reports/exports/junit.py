"""Reports as JUnit's XML, after the schema of Jenkins: a suite for each submission, a case for each session.

https://github.com/jenkinsci/xunit-plugin (junit-10.xsd); pytest's reports are tested against the same schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

from pitboss.compare.results import Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.notation import notation_of
from pitboss.reports.finding_sentences import stage_summary, summary_and_hint

#: Characters that XML 1.0 cannot contain, https://www.w3.org/TR/xml/#charsets.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_RUN = (Verdict.SKIPPED, Verdict.NEEDS_REVIEW, Verdict.NOT_OFFERED)


def junit_xml(reports: Iterable[Report]) -> str:
    """Returns the reports as the text of an XML file."""
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
        name=_clean(report.submission),
        tests=str(len(cases)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
    )
    suite.extend(cases)
    return suite


def _cases(stage: StageReport) -> Iterator[ElementTree.Element]:
    """Yields a case for each session, or one for the stage if the stage has no sessions."""
    if not stage.results:
        case = ElementTree.Element("testcase", classname=_clean(stage.stage), name=_clean(stage.title or stage.stage))
        _judge(case, stage.verdict, stage_summary(stage), stage.build_messages)
        yield case
    for result in stage.results:
        case = ElementTree.Element("testcase", classname=_clean(stage.stage), name=_clean(result.session))
        _judge(case, result.verdict, summary_and_hint(result), "" if result.is_accepted else _sessions(result))
        yield case


def _judge(case: ElementTree.Element, verdict: Verdict, summary: str, text: str) -> None:
    if verdict is Verdict.ACCEPTED:
        return
    kind = "error" if verdict is Verdict.JUDGE_ERROR else "skipped" if verdict in _NOT_RUN else "failure"
    element = ElementTree.SubElement(case, kind, message=_clean(summary), type=verdict.value)
    if text and kind != "skipped":
        element.text = _clean(text)


def _sessions(result: Result) -> str:
    return f"expected:\n{notation_of(result.expected.events)}\n\nactual:\n{notation_of(result.actual.events)}\n"


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
