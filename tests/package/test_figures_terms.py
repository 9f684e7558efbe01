"""What the pictures of the chapter on words, stems and trigrams show is what the analyzers and the index gave."""

import pytest

from ragcore import BM25, split_words, stems, trigrams
from ragcore.explore.html import write
from ragcore.explore.theme import style
from ragcore.figures.terms import ALONE, SHARED, by_letters, groups, term_by_term, two_words

LENGTHS = [2, 3, 5]


def test_the_framed_pieces_are_those_that_both_words_have():
    one, other = "indukcí", "indukce"
    element = two_words(one, other, (trigrams(one), trigrams(other)), "cs")
    framed = [node.text for node in element.iter("span") if SHARED in node.get("style", "")]
    dotted = [node.text for node in element.iter("span") if ALONE in node.get("style", "")]
    assert framed == ["_in", "ind", "ndu", "duk", "ukc"] * 2
    assert dotted == ["kcí", "cí_", "kce", "ce_"]
    assert element.get("lang") == "cs"
    assert element.get("dir") == "ltr"


def test_hebrew_is_written_from_right_to_left_and_every_piece_on_its_own():
    one, other = "הבית", "בית"
    element = two_words(one, other, (trigrams(one), trigrams(other)), "he")
    assert (element.get("lang"), element.get("dir")) == ("he", "rtl")
    pieces = list(element.iter("bdi"))
    assert [node.text for node in pieces] == [*trigrams(one), *trigrams(other)]
    assert [node.text for node in pieces if SHARED in node.get("style", "")] == ["בית", "ית_"] * 2


def test_the_curves_have_a_point_for_every_length_and_mark_the_chosen_one():
    with style():
        (ax,) = by_letters(LENGTHS, [74, 110, 113], [106, 120, 114], whole=98, total=147, n=3).axes
    lines = [(list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines]
    assert (LENGTHS, [74, 110, 113]) in lines
    assert (LENGTHS, [106, 120, 114]) in lines
    assert ([3], [110]) in lines
    assert ([3], [120]) in lines
    assert any(y == [98, 98] for _, y in lines)


@pytest.mark.parametrize("n", LENGTHS)
def test_no_line_of_the_picture_crosses_its_key(n):
    with style():
        figure = by_letters(LENGTHS, [74, 110, 113], [106, 120, 114], whole=98, total=147, n=n)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    frame = ax.get_window_extent()
    for text in ax.texts:
        place = text.get_window_extent()
        assert place.y0 >= frame.y1
        assert frame.x0 - 1 < place.x0 < place.x1 < figure.bbox.x1
        assert place.y1 < figure.bbox.y1 + 1


def test_a_length_that_was_not_measured_and_lists_of_unequal_length_are_refused():
    for n, first in ((4, [74, 110, 113]), (3, [74, 110])):
        with pytest.raises(ValueError, match="results"):
            by_letters(LENGTHS, first, [106, 120, 114], 98, 147, n)


@pytest.mark.parametrize(("n", "lines"), [(5, ["prost prostá, prostor", "graf graf"]),
                                          (6, ["prostá prostá", "prosto prostor", "graf graf"])])  # fmt: skip
def test_words_with_the_same_beginning_stand_on_one_line(n, lines):
    element = groups(["prostá", "prostor", "graf"], n, "cs")
    assert ["".join(node.itertext()) for node in element.iter("li")] == lines


def test_two_passages_are_compared_term_by_term_and_nothing_of_their_score_is_lost():
    index = BM25(split_words("a b b c  a d e f  g h i j", size=4), stems)
    question = "a b b c d"
    first, answer = (index.explain(question, chunk) for chunk in index.chunks[:2])
    html = write(term_by_term(first, answer, most=2))
    b = sum(row.contribution for row in first.rows if row.term == "b")  # twice in the question
    assert f"<bdi>b</bdi></th><td>1</td><td>{b:.2f}</td><td>0.00</td>" in html
    assert ">2 more<" in html
    assert f"<td>{first.total:.2f}</td><td>{answer.total:.2f}</td>" in html
    other = sum(row.contribution for row in answer.rows if row.term not in "bc")
    assert f"<td>{other:.2f}</td></tr></tbody>" in html
    with pytest.raises(ValueError, match="same question"):
        term_by_term(first, index.explain("a", index.chunks[1]))
