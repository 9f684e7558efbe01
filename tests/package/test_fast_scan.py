"""The first look in bytes: every path against whole-number arithmetic, and both looks against the exact index."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import DenseIndex, Hit, load_corpus, load_questions, split_words
from ragcore.dense import unit
from ragcore.fast import scan
from ragcore.fast.scan import Int8Index, nearest_in_a_loop, nearest_in_numpy, nearest_rows, to_bytes
from ragcore.vectors import ShippedVectors

PATHS = [nearest_rows, nearest_in_numpy, nearest_in_a_loop]
CHUNKS = split_words(" ".join(f"w{i}" for i in range(3000)), size=1)


def by_hand(rows, scales, question, count):
    """The places of the best rows, from whole numbers of any size."""
    scores = []
    for place, row in enumerate(rows.tolist()):
        dot = sum(a * b for a, b in zip(row, question.tolist(), strict=True))
        scores.append((-(np.float32(dot) * scales[place]), place))
    return [place for _, place in sorted(scores)[:count]]


@st.composite
def bytes_and_question(draw):
    n, dimensions = draw(st.integers(1, 30)), draw(st.integers(1, 6))
    number = st.sampled_from([-127, -126, -1, 0, 1, 2, 126, 127])  # few values, so that many rows tie
    rows = draw(st.lists(st.lists(number, min_size=dimensions, max_size=dimensions), min_size=n, max_size=n))
    scales = draw(st.lists(st.sampled_from([0, 0.5, 1, 1.25]), min_size=n, max_size=n))
    question = draw(st.lists(number, min_size=dimensions, max_size=dimensions))
    return (
        np.array(rows, np.int8),
        np.array(scales, np.float32),
        np.array(question, np.int8),
        draw(st.integers(1, n)),
    )


@given(bytes_and_question())
def test_every_path_chooses_the_rows_that_whole_numbers_choose_ties_in_order(case):
    expected = by_hand(*case)
    for path in PATHS:
        assert path(*case).tolist() == expected, path.__name__


@pytest.mark.parametrize("dimensions", [384, 32_768])
def test_sums_of_many_dimensions_are_still_exact(dimensions):
    """Beyond 1,040 dimensions not every sum of products of bytes is a float of 32 bits: equal rows would part.

    Every row holds the same numbers in another order, and the question is the same all through each half.
    """
    random = np.random.default_rng(0)
    halves = random.integers(90, 128, (2, dimensions // 2))
    rows = np.array([[*random.permutation(halves[0]), *random.permutation(halves[1])] for _ in range(12)], np.int8)
    question = np.repeat([127, 101], dimensions // 2).astype(np.int8)
    for path in PATHS:
        assert path(rows, np.ones(12, np.float32), question, 12).tolist() == list(range(12)), path.__name__


def test_without_numba_the_results_are_the_same(monkeypatch):
    vectors = np.random.default_rng(3).normal(size=(3000, 64))
    index, questions = Int8Index(CHUNKS, vectors), np.random.default_rng(4).normal(size=(10, 64))
    assert scan._compiled() is not None  # numba is among the requirements of the tests
    compiled = [index.search(question) for question in questions]
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "ragcore.fast.jit")
    scan._compiled.cache_clear()
    try:
        assert scan._compiled() is None
        assert [index.search(question) for question in questions] == compiled
    finally:
        scan._compiled.cache_clear()


@given(st.lists(st.lists(st.floats(-10, 10), min_size=4, max_size=4), min_size=1, max_size=5))
def test_no_component_is_off_by_more_than_half_a_scale(vectors):
    exact = unit(np.array(vectors))
    rows, scales = to_bytes(exact)
    assert rows.dtype == np.int8
    assert (rows >= -127).all()
    assert (np.abs(rows * scales[:, None].astype(float) - exact) <= scales[:, None] * (0.5 + 1e-4)).all()


@pytest.mark.parametrize("language", ["cs", "en"])
def test_on_the_book_both_looks_find_what_the_exact_index_finds(language):
    chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
    encoder = ShippedVectors(language)
    vectors = encoder.passages([chunk.text for chunk in chunks])
    asked = encoder.queries([question.text for question in load_questions(language)])
    exact, quick = DenseIndex(chunks, vectors), Int8Index(chunks, vectors)
    same = 0
    for question in asked:
        expected, found = exact.search(question), quick.search(question)
        same += [hit.chunk for hit in found] == [hit.chunk for hit in expected]
        scores = {hit.chunk: hit.score for hit in exact.search(question, 50)}
        assert all(hit.score == pytest.approx(scores[hit.chunk], abs=1e-14) for hit in found)
    assert same == len(asked)
    assert quick.recall(asked[:20]) == 1


@pytest.mark.parametrize("k", [1, 10, 60, 5000])
def test_among_three_thousand_vectors_without_any_order_nothing_is_missed(k):
    random = np.random.default_rng(5)
    vectors, questions = random.normal(size=(3000, 384)), random.normal(size=(8, 384))
    exact, quick = DenseIndex(CHUNKS, vectors), Int8Index(CHUNKS, vectors)
    for question in questions:
        found, expected = quick.search(question, k), exact.search(question, k)
        assert [(hit.chunk, hit.rank) for hit in found] == [(hit.chunk, hit.rank) for hit in expected]
    assert quick.recall(questions, k) == 1


def test_equal_vectors_are_a_tie_and_keep_their_order():
    row = np.random.default_rng(0).normal(size=384)
    hits = Int8Index(CHUNKS[:100], [row] * 100).search(row, k=7)
    assert [hit.chunk for hit in hits] == CHUNKS[:7]


def test_what_bytes_cannot_tell_apart_may_be_missed_and_recall_says_so():
    """Sixty vectors that differ by less than half a byte's step: the nearest is the last, and only 40 pass."""
    vectors = [[1.0, step * 5e-5] for step in range(60)]
    exact, quick = DenseIndex(CHUNKS[:60], vectors), Int8Index(CHUNKS[:60], vectors)
    question = [0.0, 1.0]
    assert exact.search(question, k=1)[0].chunk == CHUNKS[59]
    assert quick.search(question, k=1)[0].chunk == CHUNKS[39]
    assert quick.recall([question], k=1) == 0
    assert quick.recall([question, [1.0, -1.0]], k=1) == 0.5
    assert quick.recall([question], k=12) == 0  # 48 pass, the nearest 12 are the last
    assert quick.recall([question], k=14) == pytest.approx(10 / 14)  # 56 pass, 46 to 55 are among the nearest
    assert quick.recall([question], k=15) == 1  # all 60 pass


def test_small_and_empty_indexes_are_searched_whole():
    assert Int8Index([], []).search([1, 2]) == []
    assert Int8Index([], []).recall([[1, 2]]) == 1
    assert [hit.chunk for hit in Int8Index(CHUNKS[:2], [[0, 0], [1, 0]]).search([1, 0])] == CHUNKS[1::-1]


@pytest.mark.parametrize("length", [1e200, 1e-200, 3])
def test_the_length_of_a_question_changes_nothing(length):
    index = Int8Index(CHUNKS, np.random.default_rng(1).normal(size=(3000, 8)))
    question = np.random.default_rng(2).normal(size=8)
    assert index.search(question * length) == [
        Hit(hit.chunk, pytest.approx(hit.score, abs=1e-14), hit.rank) for hit in index.search(question)
    ]


def test_a_question_of_zeros_is_like_nothing_and_the_vectors_given_are_not_changed():
    vectors = np.random.default_rng(1).normal(size=(100, 8))
    before = vectors.copy()
    assert {hit.score for hit in Int8Index(CHUNKS[:100], vectors).search(np.zeros(8))} == {0.0}
    assert (vectors == before).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda index: index.search([1, 0, 0]), "2 dimensions"),
        (lambda index: index.search([float("nan"), 0]), "finite"),
        (lambda index: index.search([1, 0], k=0), "k must"),
        (lambda index: index.search([1, 0], k="3"), "k must"),
        (lambda index: index.recall(np.empty((0, 2))), "at least one question"),
        (lambda index: Int8Index(CHUNKS[:1], [[float("inf"), 0]]), "finite"),
        (lambda index: Int8Index(CHUNKS[:2], [[1, 0]]), "2 chunks need as many vectors"),
    ],
)
def test_vectors_that_make_no_sense_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(Int8Index(CHUNKS[:100], np.ones((100, 2))))
