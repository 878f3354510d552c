from hypothesis import given
from hypothesis import strategies as st

from pitboss.reports.similarity.works import K, W, fingerprints, grams

FEW_SYMBOLS = st.binary(max_size=120).map(lambda text: bytes(symbol % 5 for symbol in text))  # many repetitions
MANY_SYMBOLS = st.binary(max_size=120)
SURROUNDINGS = st.one_of(FEW_SYMBOLS, MANY_SYMBOLS)


def shared_fingerprints(left, right, k, w):
    return {gram for _, gram in fingerprints(left, k, w)} & {gram for _, gram in fingerprints(right, k, w)}


@given(st.data(), st.integers(1, 12), st.integers(1, 12), SURROUNDINGS, SURROUNDINGS, SURROUNDINGS, SURROUNDINGS)
def test_a_shared_run_of_k_plus_w_minus_1_symbols_is_always_found(
    data, k, w, before_left, after_left, before_right, after_right
):
    length = k + w - 1
    run = data.draw(st.one_of(st.binary(min_size=length, max_size=2 * length), st.just(b"\0" * length)))
    fingerprints_in_common = shared_fingerprints(before_left + run + after_left, before_right + run + after_right, k, w)
    assert any(gram in run for gram in fingerprints_in_common)


@given(st.one_of(FEW_SYMBOLS, MANY_SYMBOLS), st.integers(1, 12), st.integers(1, 12))
def test_fingerprints_have_their_positions_and_each_window_has_one(symbols, k, w):
    chosen = fingerprints(symbols, k, w)
    positions = [position for position, _ in chosen]
    assert positions == sorted(set(positions))
    assert all(symbols[position : position + k] == gram and len(gram) == k for position, gram in chosen)
    total = len(list(grams(symbols, k)))
    assert bool(chosen) == (total > 0)
    for start in range(max(total - w + 1, 0)):
        assert any(start <= position < start + w for position in positions)


@given(st.binary(min_size=600, max_size=1200))
def test_fewer_than_half_of_all_runs_become_fingerprints(symbols):
    assert len(fingerprints(symbols)) < len(list(grams(symbols))) / 2


def test_a_run_of_fewer_than_k_tokens_is_never_found():
    run = bytes(range(K - 1))
    assert shared_fingerprints(b"\xfe" * 40 + run + b"\xfd" * 40, b"\xfc" * 40 + run + b"\xfb" * 40, K, W) == set()
