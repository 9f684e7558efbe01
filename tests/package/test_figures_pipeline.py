"""What the pictures of «Search first, then answer» show is what was given to them."""

import pytest

from ragcore.explore.html import write
from ragcore.explore.svgdiff import svg_tree
from ragcore.explore.theme import style
from ragcore.figures.pipeline import from_corpus_to_prompt, mentions, prompt_text

STARTS = [0, 30, 70]


def picture(found, lengths, right):
    with style():
        return from_corpus_to_prompt(found, lengths, right, STARTS, passages=100, overhead=40, slots=3)


def test_the_prompt_begins_with_the_overhead_and_grows_by_the_length_of_every_passage():
    (ax,) = picture([50, 9], [80, 60], []).axes
    _, overhead, first, second, third = ax.patches
    assert overhead.get_width() * 800 == pytest.approx(40)
    assert (first.get_x() * 800, first.get_width() * 800) == pytest.approx((40, 80))
    assert (second.get_x() * 800, second.get_width() * 800) == pytest.approx((120, 60))
    assert third.get_width() != third.get_width(), "a passage that is not there has no width"


def test_found_passages_are_joined_to_their_places_and_the_right_one_has_another_colour():
    (ax,) = picture([50, 9], [80, 60], [9]).axes
    ends = [line.get_xdata()[0] for line in ax.lines if line.get_linewidth() == 2]
    assert ends[:2] == pytest.approx([0.505, 0.095])
    assert ax.patches[2].get_facecolor() != ax.patches[3].get_facecolor()
    seen = [text for text in ax.texts if text.get_text() == "★" and text.get_alpha() == 1]
    assert [star.get_position()[0] for star in seen] == pytest.approx([0.095])


def test_articles_are_fields_of_the_corpus():
    (ax,) = picture([], [], []).axes
    assert [line.get_xdata()[0] for line in ax.lines if line.get_linewidth() == 0.5] == pytest.approx([0.3, 0.7])
    assert "100 passages in 3 articles" in ax.texts[0].get_text()


def test_every_state_has_the_same_nodes():
    states = [picture([], [], []), picture([50, 9, 70], [80, 60, 5], [9, 10])]
    assert len({len(list(svg_tree(state).iter())) for state in states}) == 1


def test_more_passages_than_places_are_refused():
    with pytest.raises(ValueError, match="4 passages of 3"):
        picture([1, 2, 3, 4], [1, 1, 1, 1], [])


def test_a_prompt_is_shown_whole_with_hidden_places_for_missing_sources_and_its_answer_marked():
    shown = write(prompt_text(["Rules.", "[1] A: why < 7/16, so", "Q?"], 2, "cs", ["7/16"])[0])
    assert shown == (
        '<blockquote><p>Rules.</p><p lang="cs">[1] A: why &lt; <mark>7/16</mark>, so</p>'
        '<p hidden="hidden"></p><p><strong lang="cs">Q?</strong></p></blockquote>'
    )
    alone = write(prompt_text(["Q?"], 1, "en")[0])
    assert alone == (
        '<blockquote><p hidden="hidden"></p><p hidden="hidden"></p>'
        '<p><strong lang="en">Q?</strong></p></blockquote>'
    )


def test_only_the_sentences_that_name_a_mark_are_shown_and_gaps_are_seen():
    sources = ["[1] A: Radka has it. It rains. Snow falls. Jitka repairs. The end.", "[2] B: Nothing here."]
    html = write(mentions(["Rules.", *sources, "Who?"], 3, "en", ["Radka", "Jitka"]))
    assert html == (
        '<blockquote><p lang="en">[1] A: <mark>Radka</mark> has it. … <mark>Jitka</mark> repairs. …</p>'
        '<p lang="en">[2] B: names neither.</p><p hidden="hidden"></p>'
        '<p><strong lang="en">Who?</strong></p></blockquote>'
    )
    cut = write(mentions(["[1] A: It rains. Jitka repairs. Jitka rests.", "Who?"], 1, "en", ["Jitka"]))
    assert "[1] A: … <mark>Jitka</mark> repairs. <mark>Jitka</mark> rests. </p>" in cut
