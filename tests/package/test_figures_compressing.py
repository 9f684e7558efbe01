"""Pictures of «Less is more»: they show the numbers they are given, and the quick way agrees with `extract`."""

import re
from itertools import product
from math import isnan

import pytest
from conftest import names_in

from ragcore import BM25, load_corpus, load_questions, right_chunks, split_structure, stems
from ragcore.compression import Passage, best_sentences, extract
from ragcore.evaluation import SignTest, sign_test
from ragcore.explore.html import write
from ragcore.explore.theme import BUDGET, QUESTION, RELEVANT, style
from ragcore.figures.compressing import (
    Outcome,
    Reading,
    answered,
    count_tokens,
    kept_and_cut,
    kept_sentence,
    only,
    outcome,
    plain_curve,
    read_from_top,
    same_budget,
    score_sentences,
    trade,
    trade_sentence,
    with_neighbours,
)
from ragcore.reranking import by_coverage

LIMITS = {
    19: ("Terms with zero probability", "Členy s nulovou pravděpodobností"),
    62: ("That is false", "To pravda není"),
    171: ("Some books count only", "Některé knihy počítají jen"),
    172: ("The difference is negligible only", "Rozdíl je zanedbatelný jen"),
    184: ("The only price we paid", "Zaplatili jsme jen tím"),
}


def corpus(language: str):
    chunks = [chunk for article in load_corpus(language) for chunk in split_structure(article, size=160)]
    return chunks, by_coverage(BM25(chunks, stems)), load_questions(language)


CORPORA = {language: corpus(language) for language in ("en", "cs")}


def scored_row(language: str, row: int):
    chunks, scorer, questions = CORPORA[language]
    asked = questions[row]
    return asked, score_sentences(asked.text, Passage(right_chunks(asked, chunks)[0], 1.0), scorer)


@pytest.mark.parametrize("language", ["cs", "en"])
def test_the_quick_way_gives_what_extract_gives(language):
    chunks, scorer, questions = CORPORA[language]
    for asked in [question for question in questions if question.article][::6]:
        passage = Passage(right_chunks(asked, chunks)[0], 1.0)
        scored = score_sentences(asked.text, passage, scorer)
        for n in (1, 3):
            exact = extract(asked.text, passage, best_sentences(scorer, n))
            assert only(scored, scored.best[:n]) == exact


def test_neighbours_stay_inside_the_passage():
    assert with_neighbours([4, 0], 5, before=1, after=1) == [0, 1, 3, 4]
    assert with_neighbours([2], 5, after=0) == [2]
    assert with_neighbours([], 5) == []


@pytest.mark.parametrize("language", ["cs", "en"])
def test_reading_from_the_top_counts_what_a_passage_cut_there_has(language):
    chunks, _, questions = CORPORA[language]
    asked = questions[62]
    right = right_chunks(asked, chunks)[0]
    passages = [Passage(chunks[0], 2.0), Passage(right, 1.0)]
    reading = read_from_top(asked, passages)
    assert list(reading.steps) == sorted(reading.steps)
    assert reading.steps[-1] == count_tokens(passages)
    scored = score_sentences("", passages[1], lambda question, texts: [0.0] * len(texts))
    for i in range(len(scored.spans)):
        beginning = [passages[0], only(scored, range(i + 1))]
        assert count_tokens(beginning) in reading.steps
        assert answered(asked, beginning) == (reading.need <= count_tokens(beginning))


def test_a_budget_is_the_largest_that_spends_no_more():
    readings = [Reading((0, 5, 9), 5), Reading((0, 4, 20), 20)]
    assert [reading.spent(8) for reading in readings] == [5, 4]
    for mean in (0, 3, 4.5, 7, 14.5, 99):
        budget = same_budget(readings, mean)
        assert sum(reading.spent(budget) for reading in readings) / 2 <= mean
        if budget < 20:
            assert sum(reading.spent(budget + 1) for reading in readings) / 2 > mean


def test_an_outcome_compares_with_the_same_tokens_read_from_the_top():
    readings = [Reading((0, 5, 10), 5), Reading((0, 5, 10), 10), Reading((0, 5, 10), 10)]
    result = outcome([5, 5, 5], [True, True, False], [10, 10, 10], readings)
    assert (result.saved, result.kept, result.plain, result.of) == (0.5, 2, 1, 3)
    assert result.test == sign_test([1, 1, 0], [1, 0, 0])
    assert result.low <= 2 / 3 <= result.high
    assert result.gain[0] <= 1 / 3 <= result.gain[1]
    curve = plain_curve(readings, points=3)
    assert curve == [(0.0, 1.0), (0.5, 1 / 3), (1.0, 0.0)]


GOOD = Outcome(0.74, 108, 0.45, 0.58, 55, SignTest(77, 24, 109, 1e-7), (0.167, 0.338), 210)
BAD = Outcome(0.51, 124, 0.52, 0.66, 150, SignTest(11, 37, 162, 0.0002), (-0.186, -0.062), 210)
OPEN = Outcome(0.53, 144, 0.62, 0.75, 149, SignTest(8, 13, 189, 0.38), (-0.067, 0.019), 210)
SAME = Outcome(0.71, 129, 0.55, 0.68, 129, SignTest(10, 10, 190, 1.0), (-0.043, 0.043), 210)


def test_the_points_stand_at_what_was_saved_and_kept_and_the_stroke_reaches_the_plain_way():
    with style():
        (ax,) = trade(
            {"sentences": [("n1", GOOD), ("n2", BAD)], "dropping": [("s0.8", None)]}, [(0, 1), (1, 0)], "n2"
        ).axes
    at = {(line.get_color(), *(round(float(v[0]), 1) for v in line.get_data())) for line in ax.lines}
    assert {(QUESTION, 74.0, round(10800 / 210, 1)), (QUESTION, 51.0, round(12400 / 210, 1))} <= at
    assert (BUDGET, 51.0, round(15000 / 210, 1)) in at  # the diamond
    assert (RELEVANT, 4.0, 19.0) in at  # a setting without outcome hides under its sign in the key
    intervals = [line.get_ydata() for line in ax.lines if list(line.get_xdata()) == [74.0, 74.0]]
    assert [[round(float(v), 6) for v in y] for y in intervals] == [[45.0, 58.0]]
    (stroke,) = [line for line in ax.lines if line.get_linewidth() == 2.5]
    assert list(stroke.get_ydata()) == pytest.approx([12400 / 210, 15000 / 210])
    assert not any(isnan(float(v)) for line in ax.lines for v in line.get_ydata())


def test_a_setting_without_an_outcome_can_not_be_marked():
    with pytest.raises(ValueError, match="no outcome"):
        trade({"sentences": [("n1", GOOD)], "dropping": [("s0.8", None)]}, [(0, 1), (1, 0)], "s0.8")


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        (GOOD, "wins, and hardly"),
        (BAD, "loses, and hardly"),
        (OPEN, "may be chance"),
        (SAME, "No difference"),
    ],
)
def test_the_sentence_says_the_numbers_and_no_more_than_the_test_allows(result, verdict):
    said = trade_sentence("This", result)
    assert verdict in said
    assert f"{result.kept} of 210 answers kept" in said
    assert f"read from the top keep {result.plain}." in said
    assert "-" not in said
    assert "e−" not in said


@pytest.mark.parametrize("language", ["cs", "en"])
@pytest.mark.parametrize("row", [*LIMITS, 132, 101, 31, 112])
def test_the_figure_of_sentences_is_true_in_every_state(language, row):
    asked, scored = scored_row(language, row)
    limit = LIMITS[row][language == "cs"] if row in LIMITS else ""
    for n in (1, 2, 3, 4):
        for after in (0, 1):
            kept = with_neighbours(scored.best[:n], len(scored.spans), 0, after)
            text = " ".join(only(scored, kept).text.split())
            said = kept_sentence(scored, kept, asked, limit)
            body = write(kept_and_cut(scored, kept, asked.answers, limit))
            there = any(" ".join(quote.split()) in text for quote in asked.answers)
            assert ("The answer is there" in said) == there
            assert said.startswith(f"{len(kept)} of {len(scored.spans)} sentences are kept, {len(text.split())} of")
            assert (body.count(">kept<"), body.count(">cut<")) == (len(kept), len(scored.spans) - len(kept))
            if limit:
                assert ("limits it is cut away" in said) == (limit not in text)
                assert body.count("wavy") == 1
            else:
                assert "limit" not in said
                assert "wavy" not in body
            assert "underline solid" in body
            assert "**" not in body


def test_the_five_limits_are_cut_while_the_answer_is_kept_and_the_next_sentence_brings_nine_of_ten_back():
    back = 0
    for language in ("en", "cs"):
        for row, names in LIMITS.items():
            asked, scored = scored_row(language, row)
            limit = names[language == "cs"]
            short = only(scored, scored.best[:1])
            assert answered(asked, [short])
            assert limit not in short.text
            wider = only(scored, with_neighbours(scored.best[:1], len(scored.spans)))
            back += limit in re.sub(r"\s+", " ", wider.text)
    assert back == 9


def test_nothing_kept_has_no_sentence():
    asked, scored = scored_row("en", 62)
    with pytest.raises(ValueError, match="none is kept"):
        kept_sentence(scored, [], asked, "")


@pytest.fixture(scope="module")
def chapter():
    return names_in("14-less-is-more", figure="trade")


def test_what_the_chapter_says_of_the_line_holds_in_every_state_of_the_figure(chapter):
    for setting, language, text in product(chapter["names"], ("en", "cs"), ("search", "right")):
        if text == "right" and setting.startswith("s"):
            with pytest.raises(ValueError, match="Of one passage nothing can be dropped"):
                chapter["tokens_and_answers"](setting, language, text)
            continue
        with style():
            said = chapter["tokens_and_answers"](setting, language, text).sentence
        kept, plain = map(int, re.findall(r"saved, (\d+) of 210 .* read from the top keep (\d+)\.", said)[0])
        if text == "right":
            assert kept > plain  # every blue point is above the line
            assert "wins, and hardly by chance" in said
        elif setting.startswith("n"):
            assert kept < plain  # below it
            by_chance = (setting, language) == ("n4", "en")
            assert ("may be chance" if by_chance else "loses, and hardly by chance") in said
        else:
            assert "may be chance" in said or "No difference" in said
