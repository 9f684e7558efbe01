"""What the pictures and tables of the book show is what was given to them."""

import pytest

from ragcore import BM25, split_words, stems
from ragcore.explore.html import write
from ragcore.explore.theme import style
from ragcore.figures.dissection import contribution_table, dissection, marked, plain
from ragcore.figures.finding import contributions, idf_curve, saturation_curve


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a | b, P(A | B)", "a | b, P(A | B)"),
        ("2**3 a 2**4", "2**3 a 2**4"),
        ("- 3\n- 4\n* 5\n1. x", "- 3 4 5 x"),
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", "a · b 1 · 2"),
        ("**Věta** (**o**)", "Věta (o)"),
    ],
)
def test_a_passage_loses_its_marks_and_nothing_else(text, shown):
    assert plain(text) == shown


def test_words_that_share_a_stem_with_the_question_are_marked():
    html = write(marked("Důkaz indukcí, ne sporem.", {"induk"}, stems, "cs"))
    assert html == '<blockquote lang="cs">Důkaz <mark>indukcí,</mark> ne sporem.</blockquote>'


def test_a_dissection_holds_the_rank_the_passage_and_every_number_of_the_explanation():
    index = BM25(split_words("důkaz indukcí důkaz sporem", size=2), stems)
    (hit, *_) = index.search("indukce")
    html = write(dissection(index, "indukce", hit))
    row = index.explain("indukce", hit.chunk).rows[0]
    assert "Rank 1" in html
    assert f"<td>{row.idf:.3f}</td><td>{row.f}</td><td>{row.contribution:.3f}</td>" in html
    assert write(contribution_table(index.explain("indukce", hit.chunk))) in html


def test_the_curves_go_through_the_points_that_they_mark():
    with style():
        (ax,) = saturation_curve(3, 71, 69.53).axes
        (marker,) = [line for line in ax.lines if line.get_marker() == "o"]
        assert marker.get_ydata()[0] == pytest.approx(1.5644, abs=1e-4)
        (ax,) = idf_curve(4, 439, {"momen": 4, "v": 237}).axes
        points = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"]
    assert points[-1] == (4, pytest.approx(4.5827, abs=1e-4))
    assert (237, pytest.approx(0.6166, abs=1e-4)) in points


def test_the_bars_have_the_lengths_of_the_contributions():
    with style():
        (ax,) = contributions(["a", "b"], [7.2, 1.0], [10.0, 1.4]).axes
    assert [bar.get_width() for bar in ax.patches] == [10.0, 1.4, 7.2, 1.0]
    assert [text.get_text() for text in ax.texts] == ["7.20", "1.00"]
