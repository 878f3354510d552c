import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitboss.assignments.casefile import load_spec
from pitboss.assignments.nodes import read_yaml, unprintable_reason
from pitboss.kits.bundle_specs import TranscriptText, plain, yaml_text
from pitboss.model.comparison_policy import EXACT
from pitboss.model.transcript import InputEnded, Paused, Shown, Typed, canonical

HOSTILE = ["no", "1e3", ": ", "#", "- a", "a: b", "a #b", "'", '"', "\\", "{}", "[", "~", "", " x ", "\t", "\x00", "é"]
texts = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
keys = texts.filter(bool)
values = st.recursive(texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3))
lines = st.binary(max_size=20).filter(lambda line: b"\n" not in line)
outputs = st.binary(max_size=30) | st.sampled_from(
    ["no", "1e3: #", "  x\n", "\n\n", "a \n", "\t", "\x1b[2J", "é\n", "--- "]
)
events = st.lists(
    outputs.map(lambda text: Shown(text if isinstance(text, bytes) else text.encode()))
    | lines.map(Typed)
    | st.integers(0, 10**7).map(Paused)
    | st.just(InputEnded()),
    max_size=6,
).map(canonical)


@pytest.fixture
def yaml_path(tmp_path):
    return tmp_path / "one.yaml"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entries=st.dictionaries(keys, values, min_size=1, max_size=4))
def test_any_values_read_back_as_they_were(yaml_path, entries):
    yaml_path.write_text(yaml_text(entries), encoding="utf-8")
    assert plain(read_yaml(yaml_path)) == entries


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sessions=st.lists(events, min_size=1, max_size=3),
    name=keys.filter(lambda name: not unprintable_reason(f"{name} 0")),
)
def test_any_recorded_sessions_read_back_as_they_were(yaml_path, sessions, name):
    cases = [
        {"name": f"{name} {number}", "transcript": TranscriptText(session)} for number, session in enumerate(sessions)
    ]
    yaml_path.write_text(yaml_text({"program": "one", "cases": cases}), encoding="utf-8")
    spec = load_spec(yaml_path, "one", EXACT, True, {}, is_bundle=True)
    assert [case.session.events for case in spec.cases] == sessions
    assert [case.name for case in spec.cases] == [case["name"] for case in cases]
