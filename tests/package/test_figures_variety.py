"""What the pictures of «The same thing twice» show is what MMR does."""

import re
from itertools import pairwise, product

import numpy as np
import pytest
from conftest import names_in

from ragcore.chunking import split_words
from ragcore.corpus import load_corpus, load_questions
from ragcore.dense import DenseIndex
from ragcore.diversity import maximal_marginal_relevance, mmr_scores
from ragcore.explore.svgdiff import svg_tree
from ragcore.explore.theme import style
from ragcore.figures.variety import Candidates, by_lambda, next_pick, next_pick_sentence, picks, scores_against
from ragcore.vectors import ShippedVectors

WORKED = Candidates("ABC", [""] * 3, [0.9, 0.9, 0.6], [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]])
FOUR = np.array([[0.9, 0.44, 0, 0], [0.88, 0.47, 0, 0], [0.7, 0, 0.71, 0], [0.65, 0, 0, 0.76]])
FOUR /= np.linalg.norm(FOUR, axis=1, keepdims=True)
LIBRARY = Candidates("0123", [""] * 4, FOUR[:, 0].tolist(), (FOUR @ FOUR.T).tolist())
LAMBDAS = [round(0.05 * i, 2) for i in range(21)]


def coat_check() -> Candidates:
    chunks = [c for article in load_corpus("en") for c in split_words(article, 80, 20)]
    encoder, question = ShippedVectors("en"), load_questions("en")[31]
    vector = encoder.queries([question.text])[0]
    hits = DenseIndex(chunks, encoder.passages([c.text for c in chunks])).search(vector, 8)
    rows = encoder.passages([hit.chunk.text for hit in hits])
    names = [f"rank {hit.rank}" for hit in hits]
    return Candidates(names, names, (rows @ vector).tolist(), (rows @ rows.T).tolist(), 4)


@pytest.fixture(scope="module")
def examples() -> list[Candidates]:
    return [WORKED, LIBRARY, coat_check()]


def states(examples):
    for example, step, lam, against in product(examples, (1, 2, 3, 4), LAMBDAS, ("all", "last")):
        if step <= len(example.names):
            yield example, step, lam, against


def test_the_picks_are_those_of_the_package(examples):
    for example, lam in product(examples, LAMBDAS):
        expected = maximal_marginal_relevance(example.relevance, example.likeness, 4, lam)
        assert picks(example, 4, lam) == expected


def test_with_the_last_pick_only_the_copy_comes_back_as_in_the_library_that_does_so():
    assert picks(LIBRARY, 4, 0.5) == [0, 2, 3, 1]
    assert picks(LIBRARY, 4, 0.5, "last") == [0, 2, 1, 3]


def test_in_every_state_the_sentence_is_true(examples):
    for example, step, lam, against in states(examples):
        said = next_pick_sentence(example, step, lam, against)
        *picked, now = picks(example, step, lam, against)
        names, digits = example.names, example.digits
        assert said.startswith(f"Step {step}, λ = {lam:g}. Chosen so far: ")
        assert said.split("far: ")[1].split(".")[0] == (", ".join(names[i] for i in picked) or "nothing")
        compared = picked if against == "all" else picked[-1:]
        own = {}  # written anew
        for i, relevance in enumerate(example.relevance):
            if i not in picked:
                penalty = max((example.likeness[i][j] for j in compared), default=0)
                own[i] = round(lam * relevance - (1 - lam) * penalty, 12)
        best = max(own.values())
        first, *others = sorted(own, key=lambda i: (-own[i], i))
        assert first == now
        shown = f"{best + 0.0:.{digits}f}".replace("-", "−")
        end = said.split(". Chosen so far: ")[1].split(". ", 1)[1]
        if not others:
            assert end == f"Only {names[now]} is left, with {shown}."
        elif own[others[0]] == best:
            assert f"tie at {shown}; the earliest of them, {names[now]}, is next." in end
            level = [names[i] for i in own if own[i] == best]
            who = end.split(" tie at")[0]
            assert who == "All" or who == f"{', '.join(level[:-1])} and {level[-1]}"
            assert (who == "All") == (len(level) == len(own) > 2)
        else:
            assert end.startswith(f"Next is {names[now]} with {shown}; {names[others[0]]} follows with ")
            second, gap = end.split("follows with ")[1].rstrip(".").split(", ")
            if "under" not in gap:
                numbers = [float(x.replace("−", "-")) for x in (shown, second)]
                assert numbers[0] - numbers[1] == pytest.approx(float(gap.split()[0]))
            assert own[others[0]] < best


def test_in_every_state_the_rows_show_the_two_parts_and_their_difference(examples):
    for example, step, lam, against in states(examples):
        *picked, now = picks(example, step, lam, against)
        scores = scores_against(example, picked, lam, against)
        rows = [row for row in next_pick(example, step, lam, against).iter("tr") if row.find("td") is not None]
        shown = [row for row in rows if row.get("hidden") is None]
        assert len(rows) == 8
        assert len(shown) == len(example.names)
        for i, row in enumerate(shown):
            texts = ["".join(cell.itertext()) for cell in row.findall("td")]
            widths = [
                float(bar.get("style").split("width: ")[1].split("%")[0]) for bar in row.findall("td/div/div")
            ]
            assert ("►" in texts[1]) == (i == now)
            if i in picked:
                assert texts[1].startswith("chosen")
                assert widths == [0, 0]
            else:
                assert widths[0] - widths[1] == pytest.approx(100 * scores[i], abs=0.11)
                number = row.findall("td/strong")[0].text.replace("► ", "").replace("−", "-")
                assert float(number) == pytest.approx(scores[i], abs=0.6 * 10**-example.digits)


def test_every_state_has_the_same_nodes(examples):
    counts = {len(list(next_pick(*state).iter())) for state in states(examples)}
    assert len(counts) == 1


def test_the_published_example_and_its_tie_in_words():
    assert next_pick_sentence(WORKED, 2, 0.5) == (
        "Step 2, λ = 0.5. Chosen so far: A. Next is C with 0.300; B follows with 0.000, 0.300 less."
    )
    assert next_pick_sentence(WORKED, 2, 0.75).endswith("B and C tie at 0.450; the earliest of them, B, is next.")
    assert next_pick_sentence(WORKED, 1, 0).endswith("All tie at 0.000; the earliest of them, A, is next.")
    assert next_pick_sentence(WORKED, 3, 0.5).endswith("Only B is left, with 0.000.")


def test_a_difference_too_small_to_print_is_called_so():
    close = Candidates("AB", ["", ""], [0.50001, 0.5], [[1, 0], [0, 1]])
    assert next_pick_sentence(close, 1, 1).endswith("B follows with 0.500, less by under 0.001.")


def test_a_step_that_there_is_not_and_numbers_that_do_not_fit_are_refused():
    for function in (next_pick, next_pick_sentence):
        with pytest.raises(ValueError, match="3 candidates, so there are 3 steps and no step 4"):
            function(WORKED, 4, 0.5)
    with pytest.raises(ValueError, match="3 candidates need as many rows, not 2"):
        next_pick(WORKED, 1, 0.5, rows=2)
    with pytest.raises(ValueError, match="all or last, not 'first'"):
        scores_against(WORKED, [0], 0.5, "first")
    with pytest.raises(ValueError, match="as many as"):
        Candidates("AB", ["", ""], [1], [[1]])
    with pytest.raises(ValueError, match="below 0"):
        Candidates("AB", ["", ""], [1, 1], [[1, -0.1], [-0.1, 1]])


def test_scores_against_all_are_those_of_the_package():
    assert (
        scores_against(LIBRARY, [0, 2], 0.5).tolist()
        == mmr_scores(LIBRARY.relevance, LIBRARY.likeness, [0, 2], 0.5).tolist()
    )


FOUND = [(152.0, 140.0, 164.0), (114.0, 100.0, 128.0)]
WORDS = [(376.0, 370.0, 380.0), (392.0, 390.0, 394.0)]


def test_counts_words_and_their_intervals_are_drawn_as_given():
    with style():
        figure = by_lambda([1, 0.5], FOUND, WORDS, [395.0, 396.0], 0.5, of=210)
        top, bottom = figure.axes
    (dots,) = [line for line in top.lines if line.get_marker() == "o" and len(line.get_xdata()) == 2]
    assert list(dots.get_ydata()) == [152, 114]
    assert [segment[:, 1].tolist() for segment in top.collections[0].get_segments()] == [[140, 164], [100, 128]]
    (dashed,) = [line for line in top.lines if line.get_marker() == "None"]
    assert set(dashed.get_ydata()) == {152}  # of the largest λ
    (ring,) = [line for line in top.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1]
    assert (list(ring.get_xdata()), list(ring.get_ydata())) == ([1], [114])
    heights = [bar.get_height() for bar in bottom.patches]
    assert heights == [376, 392, 19, 4]
    assert [segment[:, 1].tolist() for segment in bottom.collections[0].get_segments()] == [[370, 380], [390, 394]]
    assert [text.get_text() for text in bottom.texts] == ["376", "392"]


def test_every_marked_lambda_has_the_same_nodes_and_another_is_refused():
    with style():
        figures = [by_lambda([1, 0.5], FOUND, WORDS, [395.0, 396.0], lam, of=210) for lam in (1, 0.5)]
        assert len({len(list(svg_tree(figure).iter())) for figure in figures}) == 1
    with pytest.raises(ValueError, match=r"one of 1, 0\.5, not 0\.7"):
        by_lambda([1, 0.5], FOUND, WORDS, [395.0, 396.0], 0.7, of=210)


@pytest.fixture(scope="module")
def chapter():
    return names_in("13-the-same-thing-twice", figure="gains")


def test_what_the_chapter_says_of_gains_and_losses_holds_in_every_state_of_the_figure(chapter):
    lams = chapter["lams"]
    answers, repeated = {}, {}
    for corpus, cut, lam in product(("en", "cs"), ("20", "0", "twice"), lams):
        with style():
            state = chapter["gains"](corpus, cut, lam)
        found, words, different = map(
            int, re.findall(r": (\d+) of 210 .* Of (\d+) words (\d+) are", state.sentence)[0]
        )
        assert str(found) in [text.get_text() for text in state.picture.axes[0].texts]
        answers[corpus, cut, lam], repeated[corpus, cut, lam] = found, words - different
    for corpus in ("en", "cs"):
        # with overlap, every step away from λ = 1 takes repeated words, and answers
        steps = [(answers[corpus, "20", lam], repeated[corpus, "20", lam]) for lam in sorted(lams)]
        assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(steps))
        assert {repeated[corpus, "0", lam] for lam in lams} == {0}  # without, nothing is said twice
        twice = {lam: answers[corpus, "twice", lam] for lam in lams}
        assert {lam for lam in lams if twice[lam] == max(twice.values())} <= {0.8, 0.9}
        for cut in ("20", "twice"):
            assert min(lams, key=lambda lam, key=(corpus, cut): repeated[(*key, lam)]) == 0.3
            assert min(lams, key=lambda lam, key=(corpus, cut): answers[(*key, lam)]) == 0.3
