"""What the pictures of the chapter «Is it any good?» show is what was measured."""

from itertools import pairwise

import numpy as np
import pytest

from ragcore.evaluation import sign_test
from ragcore.explore.theme import BUDGET, RELEVANT, style
from ragcore.figures.ranks import NOT_FOUND, by_questions, coin, rank_lines

NAMES = ["words", "stems", "dense"]


def test_the_line_goes_through_the_ranks_and_a_missing_one_lies_below_all():
    with style():
        (ax,) = rank_lines(NAMES, [304, 4, None], [[1, 1, 2], [None, 7, 7]]).axes
    (line,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert list(line.get_ydata()) == [304, 4, NOT_FOUND]
    assert [text.get_text() for text in ax.texts][1:] == ["304", "4", "–"]
    top, bottom = sorted(ax.get_ylim())
    assert top < 1 < NOT_FOUND < bottom
    assert ax.yaxis_inverted()
    assert [label.get_text().strip() for label in ax.get_xticklabels()] == NAMES


@pytest.mark.parametrize(
    "ranks",
    [(304, 4, 203, 221, 248, 16, 30), (1, 1400, 1, 1400, None, 1, 2), (None, 2, 999, 3, 3, 500, None), (5,) * 7,
     (1, 2, 5, 20, 100, 400, 1000), (900, 300, 90, 20, 6, 2, 1)],
)  # fmt: skip
def test_no_number_is_crossed_by_the_line_it_belongs_to(ranks):
    names = [*"abcdefg"]
    with style():
        figure = rank_lines(names, ranks, [])
        figure.canvas.draw()
        (ax,) = figure.axes
        (line,) = [line for line in ax.lines if line.get_marker() == "o"]
        corners = ax.transData.transform(line.get_xydata())
        boxes = [text.get_window_extent() for text in ax.texts[1:]]
    for box in boxes:
        for start, end in pairwise(corners):
            along = start + np.linspace(0, 1, 400)[:, None] * (end - start)
            assert not any(box.contains(*point) for point in along)
        assert ax.bbox.y0 <= box.y0, "a number would stand on the axis"


def test_the_other_lines_keep_close_to_their_ranks_and_apart_from_each_other():
    others = [[1, 1, 2], [1, 1, 2], [None, 7, 7]]
    with style():
        (ax,) = rank_lines(NAMES, [1, 1, 1], others).axes
    drawn = np.reshape(ax.lines[0].get_ydata(), (3, 4))
    assert np.isnan(drawn[:, 3]).all()
    exact = np.array([[NOT_FOUND if rank is None else rank for rank in line] for line in others])
    assert np.allclose(drawn[:, :3], exact, rtol=0.08)
    assert (drawn[0, :3] != drawn[1, :3]).all()


def test_lines_of_another_length_and_impossible_ranks_are_refused():
    with pytest.raises(ValueError, match="3 methods need as many ranks, not 2"):
        rank_lines(NAMES, [1, 2, 3], [[1, 2]])
    for bad in (0, NOT_FOUND):
        with pytest.raises(ValueError, match="between 1 and 1499"):
            rank_lines(NAMES, [1, 2, bad], [])


@pytest.mark.parametrize(("first", "second"), [(2, 0), (0, 2), (6, 0), (21, 6), (3, 3), (1, 0)])
def test_the_bars_are_all_outcomes_of_the_coin_and_the_marked_ones_add_up_to_p(first, second):
    with style():
        (ax,) = coin(first, second).axes
        heights = np.array([bar.get_height() for bar in ax.patches])
        marked = [bar.get_facecolor() for bar in ax.patches]
        (orange,) = {bar.get_facecolor() for bar in ax.patches[:1]}
    assert np.nansum(heights) == pytest.approx(100)
    assert np.isfinite(heights).sum() == first + second + 1
    p = sign_test([1] * first + [0] * second, [0] * first + [1] * second).p
    assert sum(heights[i] for i, colour in enumerate(marked) if colour == orange) == pytest.approx(100 * p)
    (triangle,) = [line for line in ax.lines if line.get_marker() == "^"]
    assert triangle.get_xdata()[0] == first


@pytest.mark.parametrize(("first", "second"), [(1, 0), (2, 0), (21, 6)])
def test_the_axes_of_the_coin_fit_the_throws_and_its_lowest_bar_can_be_seen(first, second):
    n = first + second
    with style():
        (ax,) = coin(first, second).axes
    assert ax.get_xlim() == pytest.approx((-0.6, n + 0.6))
    bars = [bar for bar in ax.patches if np.isfinite(bar.get_height())]
    assert max(bar.get_height() for bar in bars) / ax.get_ylim()[1] > 0.9
    assert all(bar.get_linewidth() >= 1 and bar.get_edgecolor() == bar.get_facecolor() for bar in bars)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", f"{n / 2:g}", f"{n}"]


def test_a_coin_that_is_not_thrown_or_too_often_has_no_picture():
    for first, second in [(0, 0), (20, 8)]:
        with pytest.raises(ValueError, match="1 to 27"):
            coin(first, second)


COUNTS = [10, 100, 1000]
BANDS = [(5.0, -20.0, 30.0), (5.0, -2.5, 12.5), (5.0, 2.6, 7.4)]
SCORES = [("words", (0.6, 0.5, 0.7)), ("stems", (0.65, 0.55, 0.75))]


@pytest.mark.parametrize(("n", "said", "colour"), [(100, "reaches 0", BUDGET), (1000, "clear of 0", RELEVANT)])
def test_the_interval_stands_at_its_number_of_questions_and_says_whether_it_leaves_0(n, said, colour):
    with style():
        top, bottom = by_questions(COUNTS, BANDS, n, SCORES).axes
    band = next(line for line in bottom.lines if list(line.get_xdata()) == [n, n])
    assert tuple(band.get_ydata()) == BANDS[COUNTS.index(n)][1:]
    assert band.get_color() == colour
    assert [text.get_text() for text in bottom.texts] == [said]
    assert [text.get_text() for text in top.texts] == ["words", "stems"]
    bars = [tuple(line.get_xdata()) for line in top.lines if line.get_marker() == "None"]
    dots = [line.get_xdata()[0] for line in top.lines if line.get_marker() == "o"]
    assert bars == [(0.5, 0.7), (0.55, 0.75)]
    assert dots == [0.6, 0.65]


def test_a_number_of_questions_that_was_not_computed_and_a_band_off_the_axis_are_refused():
    for call in (
        lambda: by_questions(COUNTS, BANDS, 50, SCORES),
        lambda: by_questions(COUNTS, BANDS[:2], 10, SCORES),
        lambda: by_questions(COUNTS, BANDS, 10, SCORES[:1]),
    ):
        with pytest.raises(ValueError, match="bands"):
            call()
    with pytest.raises(ValueError, match="leaves the axis"):
        by_questions(COUNTS, [(0, -50, 50), *BANDS[1:]], 10, SCORES)
