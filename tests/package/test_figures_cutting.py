"""What the pictures of the chapter on cutting show is what the cutter cut."""

import re

import numpy as np
import pytest

from ragcore import split_words
from ragcore.explore.html import write
from ragcore.explore.theme import style
from ragcore.figures.cutting import by_first_cut, cut_text, holders, stairs

TEXT = "a b c d\n\ne f g"


def test_a_text_is_shown_whole_with_a_mark_at_every_cut():
    chunks = split_words(TEXT, size=3)
    html = write(cut_text(chunks, 0, len(TEXT), (2, 5)))
    marks = ["[1 ", " 1]", "[2 ", " 2]", "[3 ", " 3]"]
    for mark in marks:
        assert html.count(f">{mark}</span>") == 1
    shown = "".join(cut_text(chunks, 0, len(TEXT), (2, 5)).itertext())
    for mark in marks:
        shown = shown.replace(mark, "")
    assert shown == TEXT


def test_only_what_stands_in_two_chunks_is_shaded():
    plain = write(cut_text(split_words(TEXT, size=3), 0, len(TEXT), (0, 1)))
    assert "explore-line" not in plain
    double = write(cut_text(split_words(TEXT, size=3, overlap=1), 0, len(TEXT), (0, 1)))
    assert double.count("explore-line") == 2  # c and e


def test_the_shade_is_deeper_for_each_further_copy():
    html = write(cut_text(split_words("a b c d e f", size=4, overlap=3), 0, 11, (0, 1)))
    shades = {
        letter: before.count("gradient") for before, letter in re.findall(r'style="([^"]*)"> ?([a-f])\b', html)
    }
    assert shades == {"a": 0, "b": 1, "c": 2, "e": 1}  # a is the quote, c and d one piece; f has no style


def test_the_quote_is_dashed_exactly_where_no_chunk_holds_it_whole():
    quote = (4, 7)  # c d
    for overlap, whole in ((0, []), (1, [2])):
        chunks = split_words(TEXT, size=3, overlap=overlap)
        assert holders(chunks, *quote) == whole
        html = write(cut_text(chunks, 0, len(TEXT), quote))
        assert ("dashed" in html) == (not whole)


def test_a_text_begins_and_ends_where_it_should():
    chunks = split_words(TEXT, size=3)
    assert "".join(cut_text(chunks, 2, 5, (2, 3)).itertext()) == "b c 1]"


@pytest.mark.parametrize(("words", "overlap", "count", "outlined"), [(1000, 20, 17, 0), (1000, 40, 24, 40)])
def test_the_stairs_have_a_step_a_passage_and_an_outline_only_without_the_early_stop(
    words, overlap, count, outlined
):
    with style():
        (ax,) = stairs(words, 80, overlap).axes
    *bars, extra = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
    steps = [(old[0], new[0] + new[1]) for old, new in zip(bars[::2], bars[1::2], strict=True)]
    step = 80 - overlap
    assert [s for s in steps if not np.isnan(s[0])] == [(n * step, min(n * step + 80, words)) for n in range(count)]
    assert bars[0][1] == 0
    assert bars[2][1] == overlap
    assert np.nan_to_num(extra[1]) == outlined


@pytest.mark.parametrize(
    ("words", "size", "overlap"), [(1000, 160, 0), (960, 160, 40), (1000, 80, 40), (960, 80, 0)]
)
def test_no_step_of_the_stairs_stands_behind_the_note(words, size, overlap):
    with style():
        figure = stairs(words, size, overlap)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    bars = [bar.get_window_extent() for bar in ax.patches if not np.isnan(bar.get_x() + bar.get_width())]
    for text in ax.texts:
        assert not [bar for bar in bars if bar.width and bar.overlaps(text.get_window_extent())], text.get_text()


def test_the_stairs_refuse_what_does_not_fit_and_what_cannot_be():
    with pytest.raises(ValueError, match="50 steps"):
        stairs(1000, 80, 60)
    with pytest.raises(ValueError, match="overlap 80 with size 80"):
        stairs(1000, 80, 80)


def test_every_score_stands_at_its_height_and_the_band_spans_those_of_the_first_cuts():
    with style():
        (ax,) = by_first_cut([10, 20], [(0.6, 0.5, 0.7), (0.7, 0.6, 0.8)], [("x", (0.8, 0.7, 0.9))], "Hit@5").axes
    dots = [line.get_ydata()[0] for line in ax.lines if line.get_marker() in ("o", "s")]
    assert dots == [0.6, 0.7, 0.8]
    bars = [tuple(line.get_ydata()) for line in ax.lines if line.get_marker() == "None"]
    assert bars == [(0.5, 0.7), (0.6, 0.8), (0.7, 0.9)]
    (band,) = ax.patches
    assert (band.get_y(), band.get_height()) == pytest.approx((0.6, 0.1))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "20", "x"]
