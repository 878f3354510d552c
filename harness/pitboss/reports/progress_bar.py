"""The progress of a command: one line on standard error, rewritten in place. Without a terminal nothing is shown.

    ⠿ play: sessions ━━━━━━━╸━━━━━━━━━━ 120 of 326

The first failed session of each stage is reported above the line at once, with its difference from the expected
session. A failed stage is reported once all of its sessions are judged, before the mistake is named. Both messages stay
on the screen.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from pitboss.compare.results import FAILED, Begun, Failed, Judged, Replayed, Tally, Verdict
from pitboss.machine.progress import WorkProgress
from pitboss.reports.conversation import Conversation
from pitboss.reports.finding_sentences import stage_summary, summary_of
from pitboss.reports.report import verdict_text
from pitboss.reports.screen import screen_difference

#: The description of the first step of a command.
READING = "reading the assignment"
#: The verdicts on a stage that are reported as soon as the stage is judged.
_REPORTED_VERDICTS = FAILED | {Verdict.COMPILE_ERROR}
#: The shortest time between two rewrites of the line, in seconds: a rewrite for each session would cost too much.
_MIN_INTERVAL_S = 0.1


class _Count(ProgressColumn):
    """A column with the number of sessions or submissions so far, and their total if it is known."""

    max_refresh = None

    def render(self, task: Task) -> Text:
        if not task.total:
            return Text(f"{task.completed:,.0f}" if task.completed else "")
        return Text(f"{task.completed:,.0f} of {task.total:,.0f}")


class _Bar(BarColumn):
    """A column with a bar; with “…” while the total is unknown."""

    def render(self, task: Task) -> Text:  # type: ignore[override]
        return super().render(task) if task.total else Text("…")  # type: ignore[return-value]


class _TimeLeft(ProgressColumn):
    """A column with the time left, once it can be estimated."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        seconds = task.time_remaining
        return Text("" if seconds is None or task.finished else f"about {duration_words(seconds)} left")


def duration_words(seconds: float) -> str:
    """Returns an estimated duration in words.

    >>> duration_words(34), duration_words(120), duration_words(9000)
    ('34 s', '2 min', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def class_bar(console: Console, get_time: Callable[[], float] | None = None) -> Progress:
    """Returns a progress bar of the finished submissions, shown if `console` is a terminal.

    `get_time` is the clock of the bar; None for the clock of `console`.
    """
    columns = (TextColumn("{task.description}"), _Bar(), _Count(), _TimeLeft())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal, get_time=get_time)


class ProgressLine:
    """The progress line, and the messages above the line."""

    def __init__(self, console: Console, description: str) -> None:
        """Create the line; `description` is its text until the first event with another text."""
        # No thread refreshes the line, since workers are forked meanwhile.
        self._bar = Progress(
            TextColumn("{task.description}"),
            _Bar(),
            _Count(),
            console=console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._description = description
        self._task = self._bar.add_task(description, total=None)
        #: When the line was last rewritten, as a time of `time.monotonic`.
        self._rewritten = 0.0
        #: The stages whose first failed session was reported.
        self._stages_with_reported_failure = set[str]()
        #: The stages whose verdict was reported.
        self._stages_with_reported_verdict = set[str]()
        self._tally = Tally()
        #: Whether the number of sessions is unknown.
        self._is_total_unknown = False

    def __enter__(self) -> ProgressLine:
        self._bar.start()
        self._bar.refresh()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show_event(self, event: object) -> None:
        """Show a progress event: rewrite the line, or print a message above the line."""
        match event:
            case str():
                self._print(event)
            case Begun(work, stage, is_total_unknown):
                self._tally, self._is_total_unknown = Tally(), is_total_unknown
                self._bar.remove_task(self._task)
                self._description = f"{stage}: {work.value}" if stage else work.value
                self._task = self._bar.add_task(self._description, total=None)
                self._rewrite()
            case WorkProgress(count, planned) as progress:
                overall = self._tally.add(progress)
                if time.monotonic() - self._rewritten >= _MIN_INTERVAL_S or count in (1, planned):
                    total = None if self._is_total_unknown else overall.of
                    self._bar.update(self._task, description=self._description, completed=overall.count, total=total)
                    self._rewrite()
            case Replayed(count) if time.monotonic() - self._rewritten >= _MIN_INTERVAL_S:
                self._bar.update(self._task, description=f"{self._description}, replayed", completed=count, total=None)
                self._rewrite()
            case Failed(result) if result.stage not in self._stages_with_reported_failure:
                self._stages_with_reported_failure.add(result.stage)
                summary = f" failed. {summary_of(result)}".rstrip()
                self._print(f"{result.stage}: case ", (result.session, "italic"), summary)
                if result.difference is not None:
                    self._bar.console.print(Conversation(screen_difference(result.difference)), crop=False)
            case Judged(report) if (
                report.verdict in _REPORTED_VERDICTS and report.stage not in self._stages_with_reported_verdict
            ):
                self._stages_with_reported_verdict.add(report.stage)
                passed = f", {report.passed} of {report.total} sessions accepted" if report.results else ""
                summary = f"{passed}. {stage_summary(report)}".rstrip()
                self._print(f"{report.stage}: ", verdict_text(report.verdict), summary)

    def _print(self, *parts: str | tuple[str, str] | Text) -> None:
        self._bar.console.print(Text.assemble(*parts), soft_wrap=False, highlight=False)

    def _rewrite(self) -> None:
        self._rewritten = time.monotonic()
        self._bar.refresh()
