"""What the pictures of the chapter «How big should a chunk be?» show is what was computed."""

import pytest

from ragcore.analysis import stems
from ragcore.chunking import split_words
from ragcore.corpus import Article
from ragcore.explore.html import write
from ragcore.explore.theme import BUDGET, QUESTION, RELEVANT, style
from ragcore.figures.sizes import PARTED, WHOLE, parted, parted_shares, reading, spending

SIZES = [20, 40, 80, 160, 320]
NAMES = [f"{320 // size} × {size}" for size in SIZES]
SCORES = [(0.1, 0.05, 0.2), (0.6, 0.5, 0.7), (0.61, 0.52, 0.7), (0.6, 0.5, 0.7), (0.5, 0.4, 0.6)]


@pytest.mark.parametrize(
    ("length", "size", "overlap"),
    [(15, 80, 0), (8, 20, 0), (22, 80, 20), (21, 80, 20), (70, 20, 5), (20, 20, 0), (1, 4, 3), (30, 40, 10)],
)
def test_the_share_of_parted_positions_is_what_counting_them_gives(length, size, overlap):
    step = size - overlap
    begins = range(0, 50 * step, step)
    positions = range(10 * step, 20 * step)  # whole periods, far from the ends of the text
    cut = sum(not any(b <= at and at + length <= b + size for b in begins) for at in positions)
    assert parted(length, size, overlap) == pytest.approx(cut / len(positions))


def test_a_span_without_words_and_an_overlap_as_large_as_the_size_are_refused():
    for case in [(0, 80, 0), (8, 80, 80), (8, 80, -1)]:
        with pytest.raises(ValueError, match="needs L ≥ 1"):
            parted(*case)


def test_dots_intervals_counts_and_published_squares_stand_where_they_were_measured():
    with style():
        (ax,) = spending(NAMES, SCORES, [21, 126, 128, 126, 105], [None, None, 0.86, None, 0.64]).axes
    dots = [line.get_ydata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert dots == [mean for mean, _, _ in SCORES]
    bars = [tuple(line.get_ydata()) for line in ax.lines
            if line.get_marker() == "None" and len(line.get_ydata()) == 2]  # fmt: skip
    assert bars == [(low, high) for _, low, high in SCORES]
    squares = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "s"]
    assert squares == [(2.27, 0.86), (4.27, 0.64), (3.5, 0.97)]  # the last one is the key
    counts = [text for text in ax.texts if text.get_color() == QUESTION]
    assert [text.get_text() for text in counts] == ["21", "126", "128", "126", "105"]
    assert counts[0].get_position()[1] > 0.2  # no room below: it stands above
    assert all(text.get_position()[1] < low for text, (_, low, _) in list(zip(counts, SCORES, strict=True))[1:])
    assert [text.get_text() for text in ax.texts if text not in counts] == ["86 %", "64 %", "published"]
    assert [label.get_text() for label in ax.get_xticklabels()] == NAMES


def test_lists_of_different_length_and_shares_above_one_are_refused():
    with pytest.raises(ValueError, match="5 ways"):
        spending(NAMES, SCORES[:4], [1] * 5, [None] * 5)
    with pytest.raises(ValueError, match="outside 0 to 1"):
        spending(NAMES, [(0.9, 0.8, 1.1)] * 5, [1] * 5, [None] * 5)
    with pytest.raises(ValueError, match="5 sizes need as many overlaps, not 1"):
        parted_shares(15, SIZES, [0])


def test_the_bars_are_the_parted_shares_without_and_with_overlap():
    with style():
        (ax,) = parted_shares(15, SIZES, [size // 4 for size in SIZES]).axes
        heights = [bar.get_height() for bar in ax.patches]
    assert heights[::2] == pytest.approx([70, 35, 17.5, 8.75, 4.375])
    assert heights[1::2] == pytest.approx([60, 100 * 4 / 30, 0, 0, 0])
    labels = [text.get_text() for text in ax.texts if text.get_text().isdigit()]
    assert labels == ["70", "60", "35", "13", "18", "0", "9", "0", "4", "0"]
    assert {text.get_color() for text in ax.texts} == {BUDGET, RELEVANT}


def test_a_share_too_small_to_round_to_one_is_not_called_none():
    with style():
        (ax,) = parted_shares(2, [80, 320], [20, 80]).axes
    assert [text.get_text() for text in ax.texts][:4] == ["1", "0", "<1", "0"]


def test_the_answer_is_underlined_dashed_where_it_is_parted_and_the_questions_words_are_marked():
    article = Article("a", "Trees", "en", "## Trees\n\nA **tree** has no cycle at all, says Euler.")
    other = Article("b", "Sets", "en", "no cycle here")
    whole, half = split_words(article, size=20)[0], split_words(article, size=6)[0]
    (far,) = split_words(other)
    pages = [write(reading([chunk], "a", ["no cycle"], set(stems("trees")), stems)) for chunk in (whole, half, far)]
    assert f'<span style="{WHOLE}">no cycle</span>' in pages[0]
    assert f'<span style="{PARTED}">no</span>' in pages[1]
    assert "<span" not in pages[2]
    assert pages[0].count("<mark>") == 1  # «trees» and «tree» differ in the fifth letter
    assert "#" not in pages[0]
    assert "*" not in pages[0]
    assert '<cite lang="en">Sets</cite>' in pages[2]
