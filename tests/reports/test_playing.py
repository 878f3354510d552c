"""Conversations that a page plays: the same text, the pace of a cast, and nothing but text where no script runs."""

import html
import json
import re
import subprocess

import pytest
from hypothesis import given

from pitboss.harness.exports.asciicast import cast_of
from pitboss.harness.judging.results import Report, StageReport
from pitboss.harness.judging.verdicts import Verdict
from pitboss.harness.reports.pages import submission_values
from pitboss.harness.reports.playing import steps_of
from pitboss.harness.reports.templates import page, style
from pitboss.harness.transcripts.transcript import Shown, canonical
from tests.exports.test_asciicast import EVENTS, FIRST, SEEN, result, st

WHOLE = "Seed: «7»\nDeal\n(pause 2s)Bust!"


def page_of(events, difference=FIRST):
    one = result(events, difference)
    stage = StageReport("play", "Play", Verdict.WRONG_ANSWER, (one,), 1)
    return page("submission.html.j2", submission_values(Report("b", "B", "ada", (stage,)), style()))


def test_each_event_is_a_step_after_what_it_takes():
    assert [(step.wait_ms, step.kind.value, step.text) for step in steps_of(SEEN, WHOLE)] == [
        (0, "shown", "Seed: "),
        (800, "typed", "«7»\n"),
        (60, "shown", "Deal\n"),
        (0, "mark", "(pause 2s)"),
        (2000, "shown", "Bust!"),
    ]


@given(st.lists(EVENTS))
def test_whatever_was_shown_its_steps_are_the_conversation(events):
    stage = StageReport("p", "P", Verdict.WRONG_ANSWER, (result(canonical(events), FIRST),))
    (case,) = submission_values(Report("b", "B", "a", (stage,)), "")["stages"][0]["cases"]
    text = "".join(step.text for step in case["steps"])
    assert text.rstrip("\n") == case["actual"] or "…" in case["actual"]


def test_the_pace_is_that_of_the_cast():
    times = [json.loads(line)[0] for line in cast_of(result(SEEN), "t").splitlines()[1:]]
    assert sum(step.wait_ms for step in steps_of(SEEN, WHOLE)) / 1000 == times[-2]


def test_a_conversation_that_is_cut_is_not_played():
    assert steps_of(SEEN, WHOLE.replace("Deal", "D…")) == ()
    assert "<script" not in page_of([Shown(b"x" * 5000)])


def test_without_a_script_it_reads_as_before():
    (inside,) = re.findall(r'<pre class="conversation"[^>]*>(.*?)</pre>', page_of(SEEN), re.DOTALL)
    assert html.unescape(re.sub("<[^>]*>", "", inside)) == WHOLE
    assert "<button" not in page_of(SEEN)


#: Presses the button, looks at once and later, and writes down what can be seen and what the button is called.
LOOKS = """<script>
document.querySelectorAll("details").forEach(one => one.open = true);
const seen = [], button = document.querySelector("button.play");
const look = () => seen.push([
  [...document.querySelectorAll("pre.conversation span")].filter(one => getComputedStyle(one).visibility == "visible").map(one => one.textContent).join(""),
  button.getAttribute("aria-label"),
]);
const press = () => { button.focus(); document.activeElement.click(); look(); };
look(); press();
const looks = %s;
for (const at of looks) setTimeout(at < 0 ? press : look, Math.abs(at));
setTimeout(() => document.title = JSON.stringify(seen), 9000);
</script>"""


def looked_at(tmp_path, looks, *options):
    path = tmp_path / "page.html"
    path.write_text(page_of(SEEN).replace("</body>", f"{LOOKS % json.dumps(looks)}</body>"))
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", *options]
    done = subprocess.run(
        [*command, "--dump-dom", f"file://{path}"], capture_output=True, text=True, timeout=100, check=True
    )
    return json.loads(html.unescape(re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)[1]))


PLAY, STOP, NEXT = (
    f"{words}: a case" for words in ("Play this session", "Stop, and show all of it", "Show what comes next")
)


@pytest.mark.needs("Chromium")
def test_chromium_plays_it_event_by_event(tmp_path):
    assert looked_at(tmp_path, [400, 830, 1500, 4000]) == [
        [WHOLE, PLAY],
        ["Seed: ", STOP],
        ["Seed: ", STOP],
        ["Seed: «7»\n", STOP],
        ["Seed: «7»\nDeal\n(pause 2s)", STOP],
        [WHOLE, PLAY],
    ]


@pytest.mark.needs("Chromium")
def test_a_second_press_shows_all_of_it(tmp_path):
    assert looked_at(tmp_path, [-400, 1500]) == [[WHOLE, PLAY], ["Seed: ", STOP], [WHOLE, PLAY], [WHOLE, PLAY]]


@pytest.mark.needs("Chromium")
def test_nothing_moves_by_itself_for_whoever_wants_that(tmp_path):
    assert looked_at(tmp_path, [4000, -5000], "--force-prefers-reduced-motion") == [
        [WHOLE, PLAY],
        ["Seed: ", NEXT],
        ["Seed: ", NEXT],
        [WHOLE, PLAY],
    ]
