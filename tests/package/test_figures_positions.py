"""What the pictures of «Lost in the middle» show is what was published, measured and laid out."""

import csv
import json
from pathlib import Path

import pytest
from conftest import names_in

from ragcore.explore.theme import BUDGET, OTHER, PAPER, QUESTION, RELEVANT, style
from ragcore.figures.positions import BLANK, chance, dip, laid_out, measured_curve, published_curve, rise, shape
from ragcore.lookup import spread, wilson
from ragcore.ordering import best_first, best_last

ROOT = Path(__file__).parents[2]
TABLE = list(csv.DictReader((ROOT / "data/lost_in_the_middle.csv").read_text(encoding="utf-8").splitlines()))
PUBLISHED = [row for row in TABLE if row["task"] == "multi_doc_qa"]
GPT = [(1, 75.8), (5, 57.2), (10, 53.8), (15, 55.4), (20, 63.2)]
FALLS = [(1, 72.1), (5, 58.9), (10, 58.5)]


def curves() -> dict[tuple[str, int], list[float]]:
    found: dict[tuple[str, int], list[float]] = {}
    for row in PUBLISHED:
        if row["position"].isdigit():
            found.setdefault((row["model"], int(row["n_docs"])), []).append(float(row["accuracy"]))
    return found


def test_seventeen_curves_are_there_and_their_dips_are_the_published_ones():
    gaps = json.loads((ROOT / "data/lost_in_the_middle_notes.json").read_text(encoding="utf-8"))["gaps"]
    assert len(curves()) == 17
    for (model, n), shares in curves().items():
        if (model, n) != ("LongChat-13B (16K)", 10):  # it only falls: best minus worst takes the last place
            assert dip(shares) == pytest.approx(gaps[f"{n}"][model], abs=1e-9)


def test_a_curve_is_a_u_if_it_rises_again_by_more_than_chance():
    margin = 100 * chance(2655)
    shapes = [shape(shares, margin) for shares in curves().values()]
    assert {name: shapes.count(name) for name in set(shapes)} == {"a U": 9, "perhaps a U": 7, "no U": 1}
    assert shape([3, 1, 2], margin=1) == "perhaps a U"  # not more than the margin
    assert shape([0.3, 0.1, 0.1], margin=0) == "no U"
    assert rise([0.8, 0.9, 0.7]) < 0
    assert dip([0.8, 0.9, 0.7]) < 0


def test_of_two_equal_coins_about_five_in_a_hundred_differ_by_more_than_chance():
    m, below = 400, 0.0
    weights = [1.0]
    for k in range(m):  # how likely so many heads in m throws, but for a constant
        weights.append(weights[-1] * (m - k) / (k + 1))
    total = sum(weights)
    for gap in range(-m, m + 1):
        if abs(gap) / m <= chance(m):
            below += sum(weights[i] * weights[i + gap] for i in range(max(0, -gap), min(m, m - gap) + 1))
    assert below / total**2 == pytest.approx(0.95, abs=0.01)


def lines(ax, colour, marker="None"):
    return [line for line in ax.lines if line.get_color() == colour and line.get_marker() == marker]


@pytest.mark.parametrize("curve", [GPT, FALLS], ids=["five places", "three places"])
def test_the_published_picture_has_every_share_the_dip_and_both_lines(curve):
    with style():
        (ax,) = published_curve(curve, [FALLS, GPT], closed=56.1, oracle=88.3).axes
    (line,) = lines(ax, QUESTION)
    assert list(zip(*line.get_data(), strict=True)) == curve
    assert [line.get_ydata()[0] for line in lines(ax, OTHER)[1:]] == [56.1, 88.3]
    texts = [text.get_text() for text in ax.texts if text.get_color() == QUESTION and text.get_text() != BLANK]
    assert texts == [f"{share:.1f}" for _, share in curve]
    shares = [share for _, share in curve]
    assert [text.get_text() for text in ax.texts if text.get_color() == BUDGET] == [f"dip {dip(shares):.1f}"]
    (drop,) = lines(ax, BUDGET)
    low, high = drop.get_ydata()
    assert high - low == pytest.approx(dip(shares))


def test_places_beyond_the_picture_are_refused():
    with pytest.raises(ValueError, match="3 to 7 places from 1 to 30"):
        published_curve([(1, 50.0), (20, 50.0), (31, 50.0)], [], 50, 60)
    with pytest.raises(ValueError, match="3 to 7 places"):
        published_curve(GPT[:2], [], 50, 60)


def test_dots_intervals_and_counts_stand_where_they_were_measured():
    places, right = spread(50), [97, 80, 3, 70, 100]
    intervals = [wilson(count, 100) for count in right]
    with style():
        (ax,) = measured_curve(places, right, 100, intervals).axes
    assert [line.get_ydata()[0] for line in lines(ax, QUESTION, "o")] == [0.97, 0.8, 0.03, 0.7, 1]
    assert [tuple(line.get_ydata()) for line in lines(ax, QUESTION)[1:]] == intervals
    assert [text.get_text() for text in ax.texts] == ["97", "80", "3", "70", "100"]
    assert ax.texts[2].get_position()[1] > intervals[2][1]  # no room below: it stands above
    assert [label.get_text().split("\n")[0] for label in ax.get_xticklabels()] == [f"{place}" for place in places]


def test_four_places_and_impossible_counts_are_refused():
    with pytest.raises(ValueError, match="five places"):
        measured_curve([1, 2, 3, 4], [1] * 4, 2, [(0, 1)] * 4)
    with pytest.raises(ValueError, match="between 0 and 10"):
        measured_curve([1, 2, 3, 4, 5], [11] * 5, 10, [(0, 1)] * 5)


@pytest.mark.parametrize("ranks", [[2, 4, 5, 3, 1], [1, 2], [1, 3, 5, 7, 9, 8, 6, 4, 2]])
def test_the_better_the_rank_the_taller_the_bar_and_the_best_has_the_star(ranks):
    with style():
        (ax,) = laid_out(ranks).axes
    assert [bar.get_height() for bar in ax.patches][: len(ranks)] == [10 - rank for rank in ranks]
    texts = [text.get_text() for text in ax.texts if text.get_color() == PAPER and text.get_text() != BLANK]
    assert texts == [f"{rank}" for rank in ranks]
    (star,) = [text for text in ax.texts if text.get_text() == "★"]
    assert star.get_position()[0] == ranks.index(1) + 1
    assert [bar.get_facecolor()[:3] for bar in ax.patches].count(
        ax.patches[ranks.index(1)].get_facecolor()[:3]
    ) == 1
    assert star.get_color() == RELEVANT


def test_what_is_no_order_of_up_to_nine_is_refused():
    for ranks in ([], [1, 1], [2, 3], list(range(1, 11))):
        with pytest.raises(ValueError, match="each once"):
            laid_out(ranks)


@pytest.mark.parametrize("name", ["haystack", "B_ts", "C_V"])
def test_the_recorded_layouts_of_haystack_and_of_both_documents_are_ours(name):
    recorded = json.loads((ROOT / "data/library_behaviour.json").read_text(encoding="utf-8"))["long_context_order"]
    ours = best_last if name == "C_V" else best_first
    assert [recorded[f"{n}"][name] for n in range(1, 8)] == [ours(range(1, n + 1)) for n in range(1, 8)]


@pytest.fixture(scope="module")
def chapter():
    return names_in("11-lost-in-the-middle")


def test_every_sentence_under_the_published_curves_is_true(chapter):
    for model in dict.fromkeys(row["model"] for row in PUBLISHED):
        closed = next(
            float(r["accuracy"]) for r in PUBLISHED if r["model"] == model and r["position"] == "closed-book"
        )
        for n in (10, 20, 30):
            if (model, n) not in curves():
                with style(), pytest.raises(ValueError, match="with 30 documents"):
                    chapter["published"](model, n)
                continue
            shares = curves()[model, n]
            with style():
                sentence = chapter["published"](model, n).sentence
            assert f"({max(shares)} %), worst at" in sentence
            assert f"({min(shares)} %), dip {dip(shares):.1f}" in sentence
            falls = min(shares) in (shares[0], shares[-1])
            assert ("No U: the last place is the worst" in sentence) == falls
            assert ("It is a U" in sentence) == (rise(shares) > 100 * chance(2655))
            assert sentence.endswith("Below closed book: no place.") == (min(shares) >= closed)


def test_every_sentence_under_the_layouts_is_true(chapter):
    for name in chapter["layouts"]:
        for n in range(2, 10):
            with style():
                if name in ("langchain", "llamaindex_scored", "haystack") and n > 7:
                    with pytest.raises(ValueError, match="up to 7"):
                        chapter["layout"](name, n)
                    continue
                sentence = chapter["layout"](name, n).sentence
            best_is_first = {"best_last": False, "langchain": n % 2 == 1, "llamaindex_scored": n % 2 == 1}
            where = "first" if best_is_first.get(name, True) else "last, next to the question"
            assert f"The best stands {where}, the second best" in sentence


def test_every_sentence_under_our_curves_is_true(chapter):
    for kind in chapter["kinds"]:
        for trials in (5, 10, 20, 30, 50, 100):
            places, right = chapter["results"](kind.split()[0], int(kind.split()[1]), trials)
            counts = [sum(own) for own in right]
            if len(right[0]) < trials:
                with pytest.raises(ValueError, match=f"Only {len(right[0])} lists"):
                    chapter["measured"](kind, trials)
                continue
            with style():
                sentence = chapter["measured"](kind, trials).sentence
            if min(counts) == max(counts):
                assert f"{trials} lists: {counts[0]} right at every place" in sentence
                continue
            assert f"most right on line {places[counts.index(max(counts))]}, {max(counts)} of {trials}" in sentence
            assert f"fewest on line {places[counts.index(min(counts))]}, {min(counts)} of {trials}" in sentence
            apart = wilson(min(counts), trials)[1] < wilson(max(counts), trials)[0]
            assert ("do not overlap" in sentence) == apart
