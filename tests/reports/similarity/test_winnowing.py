"""Winnowing: what two sequences share is found from a length on, whatever stands around it."""

from hypothesis import given
from hypothesis import strategies as st

from pitboss.reports.similarity.winnowing import ALWAYS_FOUND, K, W, fingerprints, grams

FEW = st.binary(max_size=120).map(lambda text: bytes(one % 5 for one in text))
MANY = st.binary(max_size=120)
AROUND = st.one_of(FEW, MANY)


def shared(one, other, k, w):
    return {gram for _, gram in fingerprints(one, k, w)} & {gram for _, gram in fingerprints(other, k, w)}


@given(st.data(), st.integers(1, 12), st.integers(1, 12), AROUND, AROUND, AROUND, AROUND)
def test_a_run_of_w_and_k_less_one_that_two_share_is_always_found(data, k, w, before, after, start, end):
    length = k + w - 1
    run = data.draw(st.one_of(st.binary(min_size=length, max_size=2 * length), st.just(b"\0" * length)))
    found = shared(before + run + after, start + run + end, k, w)
    assert any(gram in run for gram in found)


@given(st.one_of(FEW, MANY), st.integers(1, 12), st.integers(1, 12))
def test_fingerprints_are_runs_at_their_places_and_no_window_is_without(symbols, k, w):
    chosen = fingerprints(symbols, k, w)
    places = [place for place, _ in chosen]
    assert places == sorted(set(places))
    assert all(symbols[place : place + k] == gram and len(gram) == k for place, gram in chosen)
    total = len(list(grams(symbols, k)))
    assert bool(chosen) == (total > 0)
    for start in range(max(total - w + 1, 0)):
        assert any(start <= place < start + w for place in places)


@given(st.binary(min_size=600, max_size=1200))
def test_far_fewer_are_chosen_than_there_are(symbols):
    assert len(fingerprints(symbols)) < len(list(grams(symbols))) / 2


def test_a_run_of_fewer_than_k_tokens_is_never_found():
    run = bytes(range(K - 1))
    assert shared(b"\xfe" * 40 + run + b"\xfd" * 40, b"\xfc" * 40 + run + b"\xfb" * 40, K, W) == set()


def test_what_the_docs_promise():
    assert (K, W, ALWAYS_FOUND) == (24, 9, 32)
