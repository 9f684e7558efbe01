"""Maximal marginal relevance: the published example and its tie, the faults of others, exact arithmetic."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragcore import BM25, Hit, load_corpus, load_questions, split_words, stems
from ragcore.diversity import diversify, maximal_marginal_relevance, mmr_scores
from ragcore.vectors import ShippedVectors

CASES = {case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/faults.json").read_text())}
RELEVANCE = [0.9, 0.9, 0.6]
LIKE = [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]]


def exact(relevance, similarity, k: int, lam: Fraction) -> list[int]:
    """MMR in fractions, where a tie is a tie, written without a look at ours."""
    picked: list[int] = []
    while len(picked) < min(k, len(relevance)):
        best, best_score = None, None
        for d, own in enumerate(relevance):
            if d not in picked:
                score = lam * own - (1 - lam) * (max(similarity[d][other] for other in picked) if picked else 0)
                if best_score is None or score > best_score:
                    best, best_score = d, score
        picked.append(best)
    return picked


tenths = st.integers(-10, 10).map(lambda n: Fraction(n, 10))


@st.composite
def candidates(draw):
    n = draw(st.integers(0, 7))
    similarity = [[Fraction(1)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            similarity[i][j] = similarity[j][i] = draw(tenths)
    return draw(st.lists(tenths, min_size=n, max_size=n)), similarity


def floats(numbers):
    return [[float(x) for x in row] if isinstance(row, list) else float(row) for row in numbers]


def test_the_published_example_gives_0_and_0_3():
    assert mmr_scores(RELEVANCE, LIKE, picked=[0], lam=0.5)[1:].tolist() == [0.0, 0.3]


def test_the_published_example_ties_at_three_quarters_and_the_earlier_is_chosen():
    _, near, far = mmr_scores(RELEVANCE, LIKE, picked=[0], lam=0.75)
    assert near == far == 0.45
    assert 0.75 * 0.9 - 0.25 * 0.9 != 0.75 * 0.6 - 0.25 * 0  # in floats alone they would differ
    chosen = {lam: maximal_marginal_relevance(RELEVANCE, LIKE, 2, lam)[1] for lam in (0.74, 0.75, 0.76)}
    assert chosen == {0.74: 2, 0.75: 1, 0.76: 1}


def test_at_a_tie_the_order_of_the_input_decides_not_the_floats():
    turned = [2, 1, 0]
    like = np.array(LIKE)[np.ix_(turned, turned)]
    assert maximal_marginal_relevance([0.6, 0.9, 0.9], like, 2, 0.75) == [1, 0]


def test_fault_mmr_lambda_way_round():
    given_, expected = CASES["mmr-lambda-way-round"]["input"], CASES["mmr-lambda-way-round"]["expected"]
    for lam in (1, 0.5, 0):
        assert (
            maximal_marginal_relevance(given_["rel"], given_["sim"], given_["k"], lam) == expected[f"lam={lam:g}"]
        )
    scores = mmr_scores(given_["rel"], given_["sim"], [0], 0.5)
    assert {str(i): scores[i] for i in (1, 2)} == expected["second_pick_scores"]


@pytest.mark.parametrize("options", [*({"lam": lam} for lam in CASES["mmr-range"]["input"]["lam"]), {"k": -1}])
def test_fault_mmr_range(options):
    with pytest.raises(ValueError, match="must"):
        maximal_marginal_relevance(RELEVANCE, LIKE, **({"k": 2} | options))


def test_the_maximum_is_over_all_that_was_chosen_not_over_the_last():
    """The vectors on which one well-known library (0, 2, 3, 1) and another (0, 2, 1, 3, the last alone) part."""
    vectors = [[0.9, 0.44, 0, 0], [0.88, 0.47, 0, 0], [0.7, 0, 0.71, 0], [0.65, 0, 0, 0.76]]
    hits = [Hit(chunk, 1.0, i) for i, chunk in enumerate(split_words("0 1 2 3", size=1), start=1)]
    assert [hit.chunk.text for hit in diversify(hits, [1, 0, 0, 0], vectors, k=4)] == ["0", "2", "3", "1"]


def test_with_opposite_candidates_the_maximum_may_be_negative():
    assert mmr_scores([1, 0.5], [[1, -1], [-1, 1]], picked=[0], lam=0.5)[1] == 0.75


@given(candidates(), st.integers(1, 9), st.integers(0, 8).map(lambda n: Fraction(n, 8)))
def test_the_choice_is_that_of_exact_arithmetic(numbers, k, lam):
    relevance, similarity = numbers
    chosen = maximal_marginal_relevance(floats(relevance), floats(similarity), k, float(lam))
    assert chosen == exact(relevance, similarity, k, lam)


@pytest.mark.parametrize("lam", [Fraction(1, 4), Fraction(3, 4)])
def test_of_many_candidates_too_the_running_maximum_is_the_maximum_over_all_chosen(lam):
    """Forty candidates with likenesses in hundredths, which tie often; all are chosen, one after another."""
    random = np.random.default_rng(11)
    relevance, similarity = (
        [Fraction(int(n), 100) for n in random.integers(0, 100, 40)],
        [[Fraction(int(n), 100) for n in row] for row in random.integers(-100, 100, (40, 40))],
    )
    chosen = maximal_marginal_relevance(floats(relevance), floats(similarity), 40, float(lam))
    assert chosen == exact(relevance, similarity, 40, lam)


@given(candidates(), st.floats(0, 1))
def test_every_choice_is_the_best_of_the_scores_that_are_shown(numbers, lam):
    relevance, similarity = floats(numbers[0]), floats(numbers[1])
    assume(relevance)
    picked: list[int] = []
    for place in maximal_marginal_relevance(relevance, similarity, len(relevance), lam):
        scores = mmr_scores(relevance, similarity, picked, lam)
        assert place == int(np.argmax(scores))
        assert all(scores[done] == -np.inf for done in picked)
        picked.append(place)
    assert sorted(picked) == list(range(len(relevance)))


@given(candidates())
def test_with_lambda_1_relevance_alone_decides(numbers):
    relevance = floats(numbers[0])
    assume(relevance)
    order = sorted(range(len(relevance)), key=lambda i: -relevance[i])
    assert maximal_marginal_relevance(relevance, floats(numbers[1]), len(relevance), 1) == order


def test_the_input_is_not_changed():
    relevance, similarity, picked = np.array(RELEVANCE), np.array(LIKE), [0]
    maximal_marginal_relevance(relevance, similarity, 3)
    mmr_scores(relevance, similarity, picked)
    assert relevance.tolist() == RELEVANCE
    assert similarity.tolist() == LIKE
    assert picked == [0]


def test_no_candidates_give_nothing():
    assert maximal_marginal_relevance([], [], k=3) == []
    assert diversify([], [1, 0], [], k=3) == []


@pytest.mark.parametrize(
    ("relevance", "similarity"),
    [
        ([1, 1], [[1, 0]]),
        ([1, 1], [1, 0, 0, 1]),
        ([[1, 1]], [[1, 0], [0, 1]]),
        ([], [[1]]),
        ([1, float("nan")], [[1, 0], [0, 1]]),
        ([1, 1], [[1, float("inf")], [0, 1]]),
    ],
)
def test_numbers_that_do_not_fit_together_are_refused(relevance, similarity):
    for function in (maximal_marginal_relevance, mmr_scores):
        with pytest.raises(ValueError, match=r"are needed|not a finite"):
            function(relevance, similarity, **({"k": 1} if function is maximal_marginal_relevance else {}))


@pytest.mark.parametrize("picked", [[3], [-1]])
def test_a_place_that_no_candidate_has_is_refused(picked):
    with pytest.raises(ValueError, match="from 0 to 2"):
        mmr_scores(RELEVANCE, LIKE, picked)


@pytest.mark.parametrize(
    ("question", "vectors"),
    [
        ([1, 0], [[1, 0]]),
        ([1, 0, 0], [[1, 0], [0, 1]]),
        ([1, float("nan")], [[1, 0], [0, 1]]),
        ([1, 0], [[1, 0], [0, float("inf")]]),
    ],
)
def test_vectors_that_do_not_fit_the_hits_are_refused(question, vectors):
    hits = [Hit(chunk, 1.0, i) for i, chunk in enumerate(split_words("a b", size=1), start=1)]
    with pytest.raises(ValueError, match=r"one a hit|not a finite"):
        diversify(hits, question, vectors)


def test_neither_the_length_of_vectors_nor_the_scores_of_the_engine_matter():
    chunks = split_words("a b c d", size=1)
    rng = np.random.default_rng(3)
    vectors, question = rng.normal(size=(4, 5)), rng.normal(size=5)
    plain = diversify([Hit(chunk, 1.0, 1) for chunk in chunks], question, vectors, k=3)
    other = diversify(
        [Hit(chunk, 9.0 - i, i) for i, chunk in enumerate(chunks)],
        7 * question,
        vectors * [[1], [3], [0.2], [9]],
        k=3,
    )
    assert [hit.chunk for hit in plain] == [hit.chunk for hit in other]
    assert [hit.rank for hit in other] == [1, 2, 3]
    assert [hit.score for hit in other] == [9.0 - chunks.index(hit.chunk) for hit in other]


def test_on_the_real_corpus_fewer_of_the_chosen_overlap():
    """Chunks that share 20 words with their neighbours: the first five by the cosine are often one place twice."""
    chunks = [chunk for article in load_corpus("cs") for chunk in split_words(article, 80, 20)]
    index, encoder = BM25(chunks, stems), ShippedVectors("cs")

    def overlaps(hits):
        places = [hit.chunk for hit in hits]
        return sum(a.article == b.article and a.start < b.start < a.end for a in places for b in places)

    pairs = dict.fromkeys((1.0, 0.5), 0)
    for question in load_questions("cs")[:36]:
        hits = index.search(question.text, 20)
        vectors = encoder.passages([hit.chunk.text for hit in hits])
        for lam in pairs:
            pairs[lam] += overlaps(diversify(hits, encoder.queries([question.text])[0], vectors, 5, lam))
    assert pairs[0.5] < pairs[1.0] / 2
