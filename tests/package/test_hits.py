"""The best k."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import split_words
from ragcore.hits import DECIMALS, top_k


@given(st.lists(st.floats(-1e3, 1e3), max_size=50), st.integers(1, 60))
def test_top_k_is_a_stable_sort_cut_at_k(scores, k):
    chunks = split_words(" ".join(f"w{i}" for i in range(len(scores))), size=1)
    expected = sorted(range(len(scores)), key=lambda i: -np.round(scores[i], DECIMALS))[:k]
    hits = top_k(chunks, scores, k)
    assert [hit.chunk for hit in hits] == [chunks[i] for i in expected]
    assert [hit.rank for hit in hits] == list(range(1, len(expected) + 1))
    assert [hit.score for hit in hits] == [scores[i] for i in expected]


def test_scores_that_differ_by_the_last_bits_are_a_tie():
    first, second = split_words("a b", size=1)
    assert 0.1 + 0.2 > 0.3
    assert [hit.chunk for hit in top_k([first, second], [0.3, 0.1 + 0.2], 2)] == [first, second]


@pytest.mark.parametrize(
    ("scores", "k", "message"),
    [
        ([1, 2], 0, "k must"),
        ([1, 2], 2.5, "k must"),
        ([1], 1, "2 chunks"),
        ([1, float("nan")], 1, "score 1 is not"),
    ],
)
def test_bad_input_says_what_is_wrong(scores, k, message):
    with pytest.raises(ValueError, match=message):
        top_k(split_words("a b", size=1), scores, k)
