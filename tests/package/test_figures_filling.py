"""What the pictures of «The context builder» show is what was given to them."""

import json
from itertools import product

import pytest

from ragcore.chunking import Chunk
from ragcore.compression import Passage
from ragcore.context import build_context
from ragcore.corpus import Article, data_folder
from ragcore.explore.svgdiff import svg_tree
from ragcore.explore.theme import style
from ragcore.figures.filling import (
    BOXES,
    account,
    choices,
    choices_sentence,
    choose,
    kept_by_budget,
    prompt_lines,
)

EXAMPLE = json.loads((data_folder() / "examples/builder.json").read_text("utf-8"))
PASSAGES = [
    Passage(Chunk(Article(str(i), "", "", each["text"]), 0, len(each["text"])), each["score"])
    for i, each in enumerate(EXAMPLE["passages"])
]
TOY = ([0.9, 0.5, 0.5], [300, 160, 160])


def built(budget, by="relevance", cut="word", order="best_last"):
    return build_context(
        EXAMPLE["system"], PASSAGES, EXAMPLE["question"], budget,
        by=by, cut=cut, order=order, render="scored", language="it",
    )  # fmt: skip


def lines(context):
    rows = prompt_lines(context, 5, "it").findall(".//tbody/tr")
    return [["".join(cell.itertext()) for cell in row] for row in rows if row.get("hidden") is None]


STATES = list(
    product(
        range(26, 86),
        ("relevance", "density"),
        ("none", "word", "sentence"),
        ("best_last", "best_first", "ranked"),
    )
)


def test_in_every_state_the_lines_are_the_prompt_and_their_tokens_add_up_to_what_is_used():
    for state in STATES:
        context = built(*state)
        shown = lines(context)
        assert [text for text, _ in shown] == [line for line in context.prompt.text.split("\n") if line], state
        counts = [sum(map(int, tokens.split(" + "))) for _, tokens in shown]
        assert sum(counts) == context.used <= context.budget, state
        assert sum(int(t.split(" + ")[0]) for _, t in shown if "+" in t) == context.markers, state


def test_in_every_state_the_sentence_says_what_the_builder_did():
    for state in STATES:
        context, said = built(*state), account(built(*state))
        assert f"used {context.used}: {context.text} of text, {context.markers} of markers" in said
        for each in context.decisions:
            part = {"whole": "Whole: ", "cut": "Cut: ", "left out": "Left out: "}[each.fate]
            listed = said.split(part)[1].split(".  ")[0]
            assert f"{each.passage.score:.2f}" in listed
            if each.fate == "left out":
                assert f"{each.passage.score:.2f} ({each.reason})" in said


def test_the_published_budget_reads_51_and_7():
    assert account(built(58)) == (
        "Budget 58, used 58: 51 of text, 7 of markers (14 % of the text). Whole: 0.95, 0.75. "
        "Cut: 0.60, its beginning fits. Left out: 0.20 (needs 12 tokens, 0 left), "
        "0.10 (needs 13 tokens, 0 left)."
    )
    assert ["[fonte 0.60, troncato] Un passo troppo lungo …", "3 + 5"] in lines(built(58))


def test_a_prompt_with_more_passages_than_rows_is_refused():
    with pytest.raises(ValueError, match="5 passages need as many slots, not 4"):
        prompt_lines(built(85), 4, "it")


@pytest.mark.parametrize("budget", [0, 160, 300, 310, 320, 460, 620, 640])
def test_the_signs_stand_at_the_sums_and_the_boxes_are_the_passages_taken(budget):
    with style():
        top, bottom = choices(*TOY, budget).axes
    taken = choose(*TOY, budget)
    highest = 1.1 * 1.9
    for method, sign in (("exact", "o"), ("density", "s"), ("relevance", "D")):
        (at,) = [
            line.get_ydata()[0] for line in top.lines if line.get_marker() == sign and line.get_xdata()[0] == budget
        ]
        assert at * highest / 100 == pytest.approx(sum(TOY[0][i] for i in taken[method]))
    widths = [bar.get_width() for bar in bottom.patches]
    assert len(widths) == 3 * BOXES
    rows = [[w for w in widths[i * BOXES : (i + 1) * BOXES] if w] for i in range(3)]
    assert rows == [[TOY[1][i] for i in chosen] for chosen in taken.values()]
    assert all(sum(row) <= budget for row in rows)


def test_every_state_of_the_choices_has_the_same_nodes_and_a_right_passage_a_star():
    with style():
        figures = [choices(*TOY, 320, [2]), choices(*TOY, 0), choices([5.0, 1.0], [100, 20], 640, [0])]
        assert len({len(list(svg_tree(figure).iter())) for figure in figures}) == 1
        seen = [text for text in figures[0].axes[1].texts if text.get_alpha() == 1]
    assert [text.get_text() for text in seen] == ["2", "3★", "1", "2", "3★"]


def test_the_sentence_of_the_choices_names_sums_places_and_who_keeps_the_answer():
    assert choices_sentence(*TOY, 320, [0]) == (
        "Budget 320, sums of relevance: exact 1.0 (2, 3); relevance 0.9 (1); density 1.0 (2, 3); "
        "if passages could be divided 1.0. The answer is kept by relevance."
    )
    assert "nothing" in choices_sentence(*TOY, 100, answer=False)
    assert choices_sentence(*TOY, 100, [0]).endswith("kept by none of the three.")
    assert choices_sentence(*TOY, 640, [0]).endswith("kept by all three.")


def test_what_the_pictures_have_no_room_for_is_refused():
    with pytest.raises(ValueError, match="between 0 and 640, not 650"):
        choices(*TOY, 650)
    with style(), pytest.raises(ValueError, match="11 passages are taken, and there is room for 10"):
        choices([1.0] * 11, [1] * 11, 20)


def test_the_lines_of_answers_kept_are_the_counts():
    kept = {"exact": [1, 2], "relevance": [3, 4], "density": [5, 6]}
    with style():
        ax = kept_by_budget(kept, [160, 320], 9).axes[0]
    drawn = {line.get_marker(): list(line.get_ydata()) for line in ax.lines if len(line.get_xdata()) == 2}
    assert drawn == {"o": [1, 2], "D": [3, 4], "s": [5, 6]}
