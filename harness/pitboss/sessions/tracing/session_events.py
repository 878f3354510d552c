"""Collects the events of a session: its output, up to a limit, and everything else that happened, in order.

The length of a pause in the transcript follows from the length that the program requested.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

from pitboss.model.invocation import Script
from pitboss.model.transcript import (
    Ending,
    EndingKind,
    Event,
    InputEnded,
    Paused,
    Remark,
    Shown,
    Transcript,
    canonical,
    character_start,
)

#: The lengths that programmers write are multiples of these units, mostly whole or half seconds. Pairs of a unit in
#: nanoseconds and a weight, which says how common multiples of the unit are.
_UNITS = (
    (10**9, 1.0),
    (5 * 10**8, 0.5),
    (10**8, 0.2),
    (5 * 10**7, 0.05),
    (10**7, 0.002),
    (5 * 10**6, 0.001),
    (10**6, 5e-4),
)
#: The usual delay of a call that waits: a program first reads the clock and computes a deadline, and only then makes
#: the call that waits for the deadline.
_USUAL_DELAY_NS = 100_000
#: The probability that a program loses its core during this delay.
_PREEMPTION_PROBABILITY = 0.01
#: If the program loses its core, the delay may be longer than usual by a factor of up to e to this power. All powers up
#: to this one are equally likely.
_DELAY_POWERS = 7
#: The length of a wait that polls the clock is rounded to a multiple of this number. Such a wait consists of steps: one
#: or two may come after its end, and on a busy machine the first steps may be missing.
_STEP_ROUNDING_NS = 50_000_000
_MS = 1_000_000
#: How far a program that computes each deadline from the last deadline may have fallen behind since the first deadline.
_DRIFT_NS = 5_000_000
#: While a program computes, the clocks that it sees stand still, and then move by this number at once: see clocks.c.
COMPUTED_NS = 250_000_000


class Stopwatch:
    """Measures how long each task ran until it stopped, which bounds how late we saw a deadline."""

    def __init__(self) -> None:
        self._began_ns = time.monotonic_ns()
        self._continued_ns: dict[int, int] = {}

    def note_continuing(self, tid: int) -> None:
        """Note that a task is about to continue; call this before answering the task's call.

        Afterwards would be too late: a program that is woken on our own core runs before we do.
        """
        self._continued_ns[tid] = time.monotonic_ns()

    def requested_ns(self, tid: int, deadline_ns: int, left_ns: int, reported_ns: Iterable[int]) -> int:
        """Returns how long a task asked to wait, if `left_ns` were left until its deadline when we saw its call.

        The task computed its deadline after it last continued. So it asked for at least the time left, and at most the
        time left plus all the time it ran. Returns the length in between that a programmer most likely wrote.
        """
        ran_at_most_ns = time.monotonic_ns() - self._continued_ns.get(tid, self._began_ns)
        highest_ns = left_ns + ran_at_most_ns + _DRIFT_NS
        # Even a length that fits a reported time may be the rest of a longer wait: a runtime may have read the clock
        # and then asked for the time left.
        lowest_ns = length_from_reported_times(deadline_ns, left_ns, highest_ns, reported_ns)
        return most_likely_length_ns(lowest_ns, highest_ns)


def requested_on_seeded_clocks_ns(deadline_ns: int, left_ns: int, moved_ns: int, reported_ns: Iterable[int]) -> int:
    """Returns how long a task that sees seeded clocks asked to wait, if `left_ns` are left until its deadline.

    Its clocks have moved by `moved_ns` in total, so they have moved at most this far since the task read the time to
    which it added the length. They move when the task reads them, and by multiples of `COMPUTED_NS` when it computes.
    """
    reported_ns = list(reported_ns)
    # First without the moves for computing, then with them.
    for late_ns in (moved_ns % COMPUTED_NS, moved_ns):
        requested_ns = length_from_reported_times(deadline_ns, left_ns, left_ns + late_ns, reported_ns)
        if deadline_ns - requested_ns in reported_ns:  # the task has read exactly this time
            return requested_ns
    return most_likely_length_ns(left_ns, left_ns + moved_ns % COMPUTED_NS)


def pause_ms(pause_ns: int, *, has_steps: bool) -> int:
    """Returns the length of a pause for the transcript, in ms; rounded to a twentieth of a second if it has steps."""
    if has_steps:
        return (pause_ns + _STEP_ROUNDING_NS // 2) // _STEP_ROUNDING_NS * _STEP_ROUNDING_NS // _MS
    return round(pause_ns / _MS)


def length_from_reported_times(deadline_ns: int, low_ns: int, high_ns: int, reported_ns: Iterable[int]) -> int:
    """Returns the length, from `low_ns` to `high_ns`, that a program added to a time that it read, to get a deadline.

    `reported_ns` are the times that the program last read. The length is a whole number of milliseconds, from one of
    these times to the deadline. If there is no such length, returns `low_ns`.

    >>> reported_ns = [6_999_000_000, 7_000_000_123, 7_001_400_000]
    >>> length_from_reported_times(9_000_000_123, 1_950_000_000, 2_100_000_000, reported_ns)
    2000000000

    If a program reads the clock hundreds of times, another of these times may fit by chance: the roundest length wins.
    Ties go to the latest time, since a program rarely reads the clock again after it has computed a deadline:

    >>> reported_ns = [6_999_000_123, 7_000_000_123, 7_002_000_123]
    >>> length_from_reported_times(9_000_000_123, 1_950_000_000, 2_100_000_000, reported_ns)
    2000000000
    >>> length_from_reported_times(9_000_000_123, 1_990_000_000, 2_100_000_000, [6_997_000_123, 6_999_000_123])
    2001000000

    Without a fitting time, `low_ns`:

    >>> length_from_reported_times(9_000_000_123, 1_950_000_000, 2_100_000_000, [5_000_000_123])
    1950000000
    """
    lengths_ns = (deadline_ns - reported for reported in reported_ns)
    fitting = [length_ns for length_ns in lengths_ns if length_ns % _MS == 0 and low_ns <= length_ns <= high_ns]
    return min(fitting, key=lambda length_ns: (-_roundness(length_ns), length_ns), default=low_ns)


def _roundness(length_ns: int) -> int:
    """The largest unit, in nanoseconds, that divides a length."""
    return next(unit_ns for unit_ns, _ in _UNITS if length_ns % unit_ns == 0)


def most_likely_length_ns(low_ns: int, high_ns: int) -> int:
    """Returns the length, from the time left `low_ns` to `high_ns`, that a programmer most likely wrote.

    >>> most_likely_length_ns(1_999_900_000, 2_000_300_000)
    2000000000
    >>> most_likely_length_ns(1_497_000_000, 1_501_000_000)
    1500000000

    A program that computed for a long time before it slept could have asked for much more, but that is unlikely.
    However, on a busy machine it may have lost its core just before it slept:

    >>> most_likely_length_ns(1_699_900_000, 2_100_000_000), most_likely_length_ns(332_970_000, 900_000_000)
    (1700000000, 333000000)
    >>> most_likely_length_ns(1_948_630_000, 2_300_000_000)
    2000000000

    A deadline that has already passed when we see it was still a request to wait:

    >>> most_likely_length_ns(0, 1_200_000)
    1000000
    """
    candidates = []  # pairs of a likelihood, up to a factor, and a length
    for unit_ns, weight in _UNITS:
        length_ns = max(-(-low_ns // unit_ns), 1) * unit_ns
        if length_ns <= high_ns:
            candidates.append((unit_ns * weight * _delay_density(length_ns - low_ns), length_ns))
    if not candidates:
        return low_ns
    _, most_likely_ns = max(candidates)
    return most_likely_ns


def _delay_density(late_ns: int) -> float:
    """Returns the probability per nanosecond that we see a deadline this late."""
    undisturbed_density = (1 - _PREEMPTION_PROBABILITY) / _USUAL_DELAY_NS * math.exp(-late_ns / _USUAL_DELAY_NS)
    preempted_density = _PREEMPTION_PROBABILITY / _DELAY_POWERS / (late_ns + _USUAL_DELAY_NS)
    return undisturbed_density + preempted_density


#: How many bytes are recorded of the head and of the tail of output over the limit: enough to compare, to read, and to
#: see how the output continued.
_HEAD_BYTES, _TAIL_BYTES = 65536, 4096
#: How often a program may read the end of input before we conclude that the program ignores the end of input.
_MAX_ENDS_OF_INPUT = 100
#: Naps (short waits) right before the end of a session are not a pause if their total is shorter than this number of
#: nanoseconds: a runtime waits for its threads to end.
_EXIT_NAPS_NS = 50_000_000


class SessionOutput:
    """Collects the events of a session while the session runs."""

    def __init__(self, limit_bytes: int) -> None:
        self.events: list[Event] = []
        self._limit_bytes = limit_bytes
        #: How many bytes the program has written so far.
        self._shown_bytes = 0
        #: Text that the program has written since the last event.
        self._chunks: list[bytes] = []
        #: The length of the current pause so far; 0 if the program does not pause.
        self._pause_ns = 0
        #: How much of the current pause consists of naps at the end of the pause.
        self._naps_ns = 0
        #: Whether the program makes the current pause by polling the clock: it computes for some of that time.
        self._has_steps = False
        #: How often the program has read the end of input.
        self.ends_of_input = 0
        #: Whether nothing has followed an end of input of a program that reads single keys.
        self._may_wait_for_key = False

    @property
    def is_over(self) -> bool:
        """Whether the program has written more than the limit."""
        return self._shown_bytes > self._limit_bytes

    @property
    def progress_position(self) -> tuple[int, int]:
        """The position in the session: a value that changes whenever text is shown or an event is noted."""
        return self._shown_bytes, len(self.events)

    def show(self, text: bytes) -> None:
        """Note text that the program wrote, if any."""
        if not text:
            return
        self._may_wait_for_key = False
        if self._pause_ns:
            self._end_pause()
        self._chunks.append(text)
        self._shown_bytes += len(text)

    def pause(self, duration_ns: int, *, is_nap: bool = False, is_step: bool = False) -> None:
        """Note a pause; consecutive pauses are added up and rounded once."""
        self._end_text()
        self._pause_ns += duration_ns
        self._has_steps = self._has_steps or is_step
        self._naps_ns = self._naps_ns + duration_ns if is_nap else 0

    def end(self) -> None:
        """Note that the session has ended, and drop short naps right before its end."""
        if self._naps_ns < _EXIT_NAPS_NS:
            self._pause_ns -= self._naps_ns

    def note(self, event: Event) -> None:
        """Note an event other than text and pauses."""
        self._end_text()
        self._end_pause()
        self._may_wait_for_key = False
        self.events.append(event)

    def end_input(self, script: Script, *, takes_keys: bool) -> EndingKind | None:
        """Note that the program reads the end of input; returns why the session ends now, None if it continues.

        A program that reads single keys goes on even if the session has left its expected path: it may only wait for a
        key before its window closes (see `Transcript.may_wait_for_key`).
        """
        has_left = script.has_left_expected_path if self.ends_of_input == 0 else None
        is_script_over = has_left is not None and has_left((*self.so_far(), InputEnded()))
        self.ends_of_input += 1
        self.note(InputEnded())
        self._may_wait_for_key = takes_keys
        if self.ends_of_input > _MAX_ENDS_OF_INPUT:
            return EndingKind.IGNORED_END_OF_INPUT
        return EndingKind.OUT_OF_LINES if is_script_over and not takes_keys else None

    def _end_text(self) -> None:
        """Record the text since the last event, if any, as an event."""
        if self._chunks:
            self.events.append(Shown(b"".join(self._chunks)))
            self._chunks.clear()

    def _end_pause(self) -> None:
        """Record the current pause, if any, as an event."""
        if self._pause_ns:
            duration_ms = pause_ms(self._pause_ns, has_steps=self._has_steps)
            if duration_ms or not self._has_steps:  # a pause with steps is dropped if it is rounded to 0
                self.events.append(Paused(duration_ms))
            self._pause_ns, self._naps_ns, self._has_steps = 0, 0, False

    def so_far(self) -> list[Event]:
        """Returns all events up to now."""
        self._end_text()
        self._end_pause()
        return self.events

    def transcript(self, ending: Ending, remarks: tuple[Remark, ...] = ()) -> Transcript:
        """The transcript of the session, which ended like this."""
        events, dropped_bytes = self.within_limit()
        return Transcript(events, ending, dropped_bytes, remarks, may_wait_for_key=self._may_wait_for_key)

    def within_limit(self) -> tuple[tuple[Event, ...], int]:
        """Returns the canonical events, and how many bytes over the limit are omitted between head and tail."""
        events = canonical(self.so_far())
        if not self.is_over:
            return events, 0
        head: list[Event] = []
        bytes_left = _HEAD_BYTES
        for event in events:
            if isinstance(event, Shown) and len(event.text) >= bytes_left:
                head.append(Shown(event.text[: character_start(event.text.decode("latin-1"), bytes_left)]))
                break
            bytes_left -= len(event.text) if isinstance(event, Shown) else 0
            head.append(event)
        head_bytes = sum(len(event.text) for event in head if isinstance(event, Shown))
        remaining_text = b"".join(event.text for event in events if isinstance(event, Shown))[head_bytes:]
        tail_start = max(0, len(remaining_text) - _TAIL_BYTES)
        tail = remaining_text[character_start(remaining_text.decode("latin-1"), tail_start) :]
        return canonical((*head, Shown(tail))), self._shown_bytes - head_bytes - len(tail)
