"""Lua: read first, run by its interpreter, its errors named, its comments and texts known."""

import pytest

from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.grading.check import check
from pitboss.harness.judging.verdicts import Verdict
from pitboss.harness.running.drivers import find_conditions
from pitboss.harness.running.job import Job
from pitboss.harness.style.facts import facts_of
from pitboss.harness.style.masking import masked
from pitboss.harness.submissions.comments import top_comment
from pitboss.harness.submissions.sources import Source
from tests.conftest import ROOT

DICE = load_assignment(ROOT / "tests" / "toy" / "dice")
PIG = (ROOT / "tests" / "grading" / "pigs" / "lua" / "pig.lua").read_text()
NEEDS = pytest.mark.needs("Lua")


def checked(folder, text):
    (folder / "pig.lua").write_text(text)
    (stage,) = check(Job(DICE, DICE.stages, find_conditions(), "dice"), folder).stages
    return stage


@NEEDS
def test_a_right_program_is_accepted_and_a_wrong_one_is_not(reachable):
    assert checked(reachable, PIG).verdict is Verdict.ACCEPTED
    assert checked(reachable, PIG.replace("You keep", "You have")).verdict is Verdict.WRONG_ANSWER


@NEEDS
def test_what_cannot_be_read_is_a_compile_error(reachable):
    stage = checked(reachable, PIG.replace(" then", ""))
    assert stage.verdict is Verdict.COMPILE_ERROR
    assert stage.summary.startswith("luac5.4 could not build pig: luac5.4: pig.lua:")


@NEEDS
def test_an_error_that_nobody_caught_is_named(reachable):
    stage = checked(reachable, PIG.replace("math.random(", "math.rndom("))
    failed = next(one for one in stage.results if one.verdict is Verdict.RUN_TIME_ERROR)
    assert "It stopped with an error: pig.lua:15: attempt to call a nil value (field 'rndom')" in failed.summary


def test_texts_and_comments_are_no_code():
    text = "f{[==[ { ]] ]==], '{', \"{\"} --[[ {\n]] --{"
    assert masked(text, "lua").count("{") == masked(text, "lua").count("}") == 1


@pytest.mark.parametrize("text", ["-- One\n-- two\nx = 1\n", "#!/usr/bin/lua\n--[[One\ntwo]]\n"])
def test_the_comment_at_the_top_is_read_and_asked_for(tmp_path, text):
    (tmp_path / "a.lua").write_text(text)
    assert top_comment(Source(tmp_path, "lua", "a.lua", "a")) == "One\ntwo"
    assert facts_of([("a.lua", text)]) == ()
