"""What the pictures of «When the question uses other words» show is what was given to them."""

import pytest

from ragcore import cosine
from ragcore.explore.html import write
from ragcore.explore.svgdiff import svg_tree
from ragcore.explore.theme import style
from ragcore.figures.meaning import arrows, best_cosines, crossing, fused, parts, side_by_side, two_fragments


def dots(ax):
    return [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"]


@pytest.mark.parametrize(("angle", "length"), [(60, 2), (60, 0.25), (135, 1), (90, 0.5), (180, 2)])
def test_the_dot_on_the_curve_is_the_cosine_whatever_the_length(angle, length):
    with style():
        top, bottom = arrows(angle, length).axes
    ((at, height),) = dots(bottom)
    ((x, y),) = dots(top)
    assert at == angle
    assert height == pytest.approx(cosine([1, 0], [x, y]), abs=1e-12)
    assert x == pytest.approx(height, abs=1e-12), "the shadow of the arrow of length 1 is the cosine"


def test_an_arrow_without_length_has_the_cosine_0_and_the_same_nodes_as_any_other():
    with style():
        figures = [arrows(45, 0), arrows(45, 2), arrows(180, 0.25)]
        assert dots(figures[0].axes[1]) == [(45, 0.0)]
        assert len({len(list(svg_tree(figure).iter())) for figure in figures}) == 1


def test_arrows_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="not 190 and 1"):
        arrows(190, 1)
    with pytest.raises(ValueError, match=r"not 10 and 2\.5"):
        arrows(10, 2.5)


@pytest.mark.parametrize(("m", "c"), [(10, 35), (15, 50 / 6), (30, 95 / 21), (None, 3)])
def test_the_crossing_is_where_the_scores_are_equal(m, c):
    assert crossing((1, m), (5, 5)) == pytest.approx(c)
    assert fused((1, m), c) == pytest.approx(fused((5, 5), c))


@pytest.mark.parametrize("m", [2, 5, 9])
def test_there_is_no_crossing_where_the_places_add_up_to_less(m):
    assert crossing((1, m), (5, 5)) is None
    assert all(fused((1, m), c) > fused((5, 5), c) for c in (0, 5, 60, 1000))


def test_the_bars_are_places_in_units_of_a_first_place_and_the_scores_are_those_published():
    with style():
        top, bottom = two_fragments(60, (1, 30), (5, 5)).axes
    assert [bar.get_width() for bar in top.patches] == pytest.approx([1, 61 / 90, 61 / 65, 61 / 65])
    texts = [text.get_text() for text in top.texts]
    assert {"0.0275", "0.0308", "A: 1, 30", "B: 5, 5"} <= set(texts)
    (winner,) = [text.get_text() for text in top.texts if text.get_fontweight() == "bold"]
    assert winner == "0.0308"
    assert dots(bottom) == [(60, pytest.approx(fused((5, 5), 60) / fused((1, 30), 60)))]
    assert "c = 4.52" in [text.get_text() for text in bottom.texts]


def test_every_state_of_the_fragments_has_the_same_nodes():
    with style():
        figures = [two_fragments(c, (1, m), (5, 5)) for c, m in ((60, 30), (0, 2), (100, None))]
        assert len({len(list(svg_tree(figure).iter())) for figure in figures}) == 1
    with pytest.raises(ValueError, match="not 101"):
        two_fragments(101, (1, 30), (5, 5))


def test_rankings_stand_side_by_side_with_a_star_at_what_answers_and_the_quote_marked():
    entries = [("Sets", f"text {i}…", i == 2, f"({i} and 7)") for i in range(1, 6)]
    lists = [("Words", entries), ("Fused", entries)]
    html = write(side_by_side("Why?", "found on 2", lists, "so x < y holds", ["x < y"], "en"))
    assert "<p>found on 2</p>" in html
    assert html.count("★ ") == 3  # one in each list, one before the passage
    assert "<mark>x &lt; y</mark>" in html
    assert html.index("text 1…") < html.index("text 5…")
    assert "(2 and 7)" in html
    with pytest.raises(ValueError, match="needs 5 entries, not 4"):
        side_by_side("Why?", "", [("Words", entries[:4])], "", [], "en")


def test_every_method_stands_at_its_share():
    with style():
        (ax,) = parts([("stems", (0.5, 0.4, 0.6)), ("stems + dense", (0.7, 0.6, 0.8))]).axes
    assert dots(ax) == [(0.5, 0), (0.7, 1)]
    assert [text.get_text() for text in ax.texts] == ["0.50", "0.70"]
    bars = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "None"]
    assert bars == [(0.4, 0.6), (0.6, 0.8)]


def test_both_kinds_of_question_add_up_to_a_hundred_and_the_refused_are_pale():
    with style():
        (ax,) = best_cosines([0.832, 0.872, 0.873, 0.881], [0.852, 0.868], 0.86).axes
    up = [bar for bar in ax.patches if bar.get_height() > 0]
    down = [bar for bar in ax.patches if bar.get_height() < 0]
    assert [bar.get_height() for bar in up] == pytest.approx([25, 50, 25])
    assert [bar.get_height() for bar in down] == pytest.approx([-50, -50])
    assert [bar.get_alpha() for bar in (*up, *down)] == [0.3, 1.0, 1.0, 0.3, 1.0]
    with pytest.raises(ValueError, match="between"):
        best_cosines([0.5], [0.85], 0.86)
