"""What the pictures of the chapter «What a search engine doesn't read» show is what was counted."""

import csv
from itertools import pairwise, product
from math import log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex

from ragcore import BM25, load_corpus, load_questions, split_words, words
from ragcore.corpus import data_folder
from ragcore.explore.theme import BUDGET, INK, OTHER, RELEVANT, style
from ragcore.fast.maxscore import maxscore
from ragcore.figures.skipping import (
    BLOCKS,
    bar_sentence,
    bar_table,
    by_block,
    growth,
    growth_sentence,
    reading,
    reading_sentence,
    strong_terms,
)

SHOWN, KS = (45, 10, 13, 227, 46, 111, 97), (1, 2, 5, 10, 20, 50, 100, 200)  # those of the chapter
ASKED, THETAS = (45, 10, 13, 97), (0, 0.02, 0.05, *range(1, 16))


@pytest.fixture(scope="module")
def index():
    return BM25([chunk for article in load_corpus("en") for chunk in split_words(article)], words)


@pytest.fixture(scope="module")
def texts():
    return [question.text for question in load_questions("en")]


@pytest.fixture(scope="module")
def rows():
    with open(data_folder() / "measured" / "skipping.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


bounds = st.lists(st.floats(0, 20), min_size=1, max_size=8).map(lambda found: sorted(found, reverse=True))


# ------------------------------------------------------------------ the bar


@given(bounds, st.floats(0, 40))
def test_the_weak_terms_stay_below_theta_and_one_more_would_not(bounds, threshold):
    strong = strong_terms(bounds, threshold)
    assert 1 <= strong <= len(bounds)
    assert strong == len(bounds) or sum(bounds[strong:]) < threshold
    assert strong == 1 or sum(bounds[strong - 1 :]) >= threshold


def test_the_bar_of_the_picture_is_that_of_the_search(index, texts):
    for row in SHOWN:
        found = maxscore(index, texts[row], k=10, block=64)
        for step in found.steps:
            assert step.strong == strong_terms([term.bound for term in found.terms], step.threshold)


def test_table_and_sentence_say_the_same_at_every_state_of_the_figure(index, texts):
    for row, threshold in product(ASKED, THETAS):
        terms = maxscore(index, texts[row], k=10, block=64).terms
        lines = [[cell.text for cell in line] for line in bar_table(terms, threshold).find("tbody")]
        assert [line[0] for line in lines] == [term.term for term in terms]
        assert [line[1] for line in lines] == [f"{len(term):,}" for term in terms]
        assert lines[0][3] == f"{sum(term.bound for term in terms):.2f}"
        assert lines[-1][2] == lines[-1][3] == f"{terms[-1].bound:.2f}"
        weak = [name.text for name in bar_table(terms, threshold).iter("th") if name.find("small") is not None]
        sentence = bar_sentence(terms, threshold)
        for line in lines:
            assert (f"«{line[0]}»" in sentence) == (line[0] in weak)
        assert ("Its" in sentence) == (len(weak) == 1)
        held = sum(len(term) for term in terms if term.term in weak)
        assert (f"{held:,} of" in sentence) if weak else ("no word is weak" in sentence)
        assert terms[0].term not in weak


# ------------------------------------------------------------------ what was read


def test_bars_are_postings_and_what_was_read_of_them_at_every_state(index, texts):
    for row, k in product(SHOWN, KS):
        found = maxscore(index, texts[row], k, block=64)
        for place, term in enumerate(found.terms):
            held, read, strong = by_block(found, place)
            assert (sum(held), sum(read)) == (len(term), term.read)
            assert all(
                h == r == len([d for d in term.docs if d in step.chunks])
                for h, r, s, step in zip(held, read, strong, found.steps, strict=True)
                if s
            )
            assert all(r <= h for h, r in zip(held, read, strict=True))


def test_the_picture_shows_rows_and_the_staircase(index, texts):
    found = maxscore(index, texts[46], k=100, block=64)
    with style():
        top, bottom = reading(found).axes
    patches = top.patches
    assert len(patches) == 3 * 8
    for place in range(8):
        everything, through, looked = (patch.get_xy()[:, 1] for patch in patches[3 * place : 3 * place + 3])
        colours = [to_hex(patch.get_facecolor()) for patch in patches[3 * place : 3 * place + 3]]
        assert colours == [OTHER, RELEVANT, BUDGET]
        heights = [(place + 0.4 - y[3 : 4 * BLOCKS + 2 : 4]) / 0.8 for y in (everything, through, looked)]
        if place >= len(found.terms):
            assert not np.any(heights)
            continue
        held, read, strong = by_block(found, place)
        sizes = np.array([len(step.chunks) for step in found.steps])
        assert heights[0] * sizes == pytest.approx(held)
        assert heights[1] * sizes == pytest.approx(np.where(strong, read, 0))
        assert heights[2] * sizes == pytest.approx(np.where(strong, 0, read))
    lines = {line.get_color(): line for line in bottom.lines}
    best = found.best[0][1]
    assert lines[INK].get_ydata()[::2] * best == pytest.approx([step.threshold for step in found.steps])
    assert lines[BUDGET].get_ydata()[::2] * best == pytest.approx(
        [sum(term.bound for term in found.terms[step.strong :]) for step in found.steps]
    )
    middles = np.nanmean(np.reshape(lines[RELEVANT].get_ydata(), (-1, 3)), axis=1)
    assert middles * best == pytest.approx([score for _, score in found.best])
    assert [text.get_text() for text in top.texts if "/" in text.get_text()][1:] == [
        f"{term.read} / {len(term)}" for term in found.terms
    ]


def test_in_every_state_the_weak_words_stay_below_theta_and_the_hits_on_or_above(index, texts):
    for row, k in product(SHOWN, KS):
        found = maxscore(index, texts[row], k, block=64)
        for step in found.steps:
            weak = sum(term.bound for term in found.terms[step.strong :])
            assert weak < step.threshold or not weak
            assert min(score for _, score in found.best) >= step.threshold - 1e-9
        sentence = reading_sentence(found)
        assert f"{found.read:,} of {found.postings:,} postings" in sentence
        for place, term in enumerate(found.terms):
            always = place < found.steps[-1].strong
            assert (f"«{term.term}»" in sentence) == (not always), (sentence, term.term)


def test_theta_of_the_fourier_question_rises_at_every_k_but_1(index, texts):
    rising = [
        k for k in KS if (found := maxscore(index, texts[227], k, block=64)).steps[-1].threshold > found.first
    ]
    assert rising == [k for k in KS if k != 1]


def test_a_larger_k_never_raises_theta(index, texts):
    for row in SHOWN:
        results = [maxscore(index, texts[row], k, block=64) for k in KS]
        for fewer, more in pairwise(results):
            assert more.best[-1][1] <= fewer.best[-1][1]


def test_the_postings_of_the_that_were_read_are_those_of_the_first_look(index, texts):
    found = maxscore(index, texts[45], k=10, block=64)
    looked = set()
    for term in found.terms:  # the passages of the strongest term, then those of the next ones
        looked |= set(term.docs[: found.sampled - len(looked)].tolist())
    the = found.terms[-1]
    assert (the.term, len(looked)) == ("the", found.sampled)
    assert set(the.docs[the.seen].tolist()) == looked & set(the.docs.tolist())


def test_sentences_name_what_happens(index, texts):
    say = {(row, k): reading_sentence(maxscore(index, texts[row], k, block=64)) for row, k in product((45, 46), KS)}
    assert say[45, 1].startswith("For the best passage 144 of 816 postings are read, 672 (82 %) never. ")
    assert "stays at 5.42 until the last block; only looked up: «does» and «the»." in say[45, 10]
    assert "rises from 0.00 to 2.16 before the last block; in the first block every word is read" in say[46, 100]
    assert "every word is read through; only looked up later «and» and «the»." in say[46, 100]
    assert say[45, 200].endswith("in the first block every word is read through.")


def test_too_many_terms_or_other_blocks_are_an_error(index, texts):
    longest = max(texts, key=lambda text: len(set(words(text))))
    for text, block in ((longest, 64), (texts[45], 100), ("nowhereatall", 64)):
        with pytest.raises(ValueError, match="room for 8 terms"):
            reading(maxscore(index, text, 10, block))


# ------------------------------------------------------------------ how it grows


def chosen(rows, language, terms, k):
    numbers = ("chunks", "postings", "read", "touched", "never", "low", "high")
    return [
        {name: float(row[name]) for name in numbers}
        for row in rows
        if (row["language"], row["terms"], row["k"]) == (language, terms, str(k))
    ]


KINDS = [*product(("en", "cs"), ("words", "stems", "trigrams")), ("", "words")]


def test_the_lines_are_the_measured_numbers_at_every_state(rows):
    for (language, terms), k in product(KINDS, (1, 10, 100)):
        part = chosen(rows, language, terms, k)
        assert 3 <= len(part) <= 4
        assert [row["chunks"] for row in part] == sorted(row["chunks"] for row in part)
        with style():
            top, bottom = growth(part).axes
        n = len(part)
        assert len(top.lines[0].get_xdata()) == len(bottom.lines[0].get_xdata()) == 4
        assert top.lines[0].get_xdata()[:n] == pytest.approx([log10(row["chunks"]) for row in part])
        assert top.lines[0].get_ydata()[:n] == pytest.approx([row["never"] for row in part])
        assert top.lines[0].get_ydata()[n:] == pytest.approx([part[-1]["never"]] * (4 - n))
        assert bottom.lines[0].get_ydata()[:n] == pytest.approx([log10(r["touched"] / r["postings"]) for r in part])
        assert all(-2 < y < 2 for y in bottom.lines[0].get_ydata())
        band = set(top.patches[0].get_xy()[:, 1])
        assert band == {row[name] for row in part for name in ("low", "high")}
        assert " 100 %" not in growth_sentence(part)  # no question is answered without reading anything
        assert growth_sentence(part).startswith(
            f"{int(part[0]['chunks']):,} passages: {100 * part[0]['never']:.0f} %"
        )


def test_with_more_passages_a_larger_share_is_never_read_and_fewer_numbers_are_looked_at_per_posting(rows):
    for (language, terms), k in product(KINDS, (1, 10, 100)):
        for smaller, larger in pairwise(chosen(rows, language, terms, k)):
            assert larger["never"] > smaller["never"]
            assert larger["read"] / larger["postings"] < smaller["read"] / smaller["postings"]
            assert larger["touched"] / larger["postings"] < smaller["touched"] / smaller["postings"]


def test_every_ranking_of_the_measurement_was_that_of_reading_everything(rows):
    assert all(row["equal"] == row["questions"] == "230" for row in rows)


def test_the_measurement_counts_what_the_search_reads(index, texts, rows):
    (row,) = (row for row in rows if (row["text"], row["language"], row["terms"], row["k"])
              == ("own", "en", "words", "10"))  # fmt: skip
    found = [maxscore(index, text, 10, block=64) for text in texts]
    assert int(row["read"]) == sum(done.read for done in found)
    assert int(row["postings"]) == sum(done.postings for done in found)
    assert int(row["nothing"]) == sum(done.read == done.postings for done in found)
    never = [1 - done.read / done.postings for done in found]
    assert [float(row[name]) for name in ("never", "low", "high")] == pytest.approx(
        [np.median(never), min(never), max(never)], abs=6e-5
    )
