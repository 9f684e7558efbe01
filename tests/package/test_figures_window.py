"""What the pictures of «The window is a budget» show is what was given to them."""

import csv
import re
from itertools import product

import pytest

from ragcore.corpus import data_folder
from ragcore.costs import A100, kv_cache_bytes, load_models, load_prices, price, time_to_first_token
from ragcore.explore.svgdiff import svg_tree
from ragcore.explore.theme import INK, QUESTION, style
from ragcore.figures.window import (
    LENGTHS,
    bar_sentence,
    conversation,
    conversation_sentence,
    costs,
    costs_sentence,
    is_broken,
    pieces_line,
    pieces_sentence,
    price_table,
    turns_kept,
    window_bar,
)

MODELS, PRICES = load_models(), load_prices()
NAMES = ("system", "tools", "history", "documents")
SHARES = [
    dict(zip(NAMES, values, strict=True))
    for values in product((2, 6, 12), (0, 10, 20, 40), (0, 10, 20, 35, 50, 70), (0, 20, 40, 58, 80))
]


def cells(node):
    return ["".join(cell.itertext()).strip() for cell in node]


def spans(node, property):
    found = [re.search(rf"\b{property}: ([\d.]+)%", each.get("style", "")) for each in node.iter("span")]
    return [float(match.group(1)) for match in found if match]


@pytest.mark.parametrize("parts", SHARES)
def test_bar_table_and_sentence_share_out_the_whole_window_or_say_that_they_cannot(parts):
    used = sum(parts.values())
    left = max(0, 128 - used)
    node = window_bar(128, parts)
    widths = spans(node.find("div"), "width")
    expected = [100 * n / 128 for n in [*parts.values(), left]]
    assert widths == pytest.approx(expected, abs=0.06)
    rows = [cells(row) for row in node.findall(".//tbody/tr")]
    assert [(name, int(n)) for name, n, _ in rows] == [*parts.items(), ("answer", left)]
    said = bar_sentence(128, parts)
    if used < 128:
        assert said.endswith(f"Of 128, {left} are left for the answer.")
    else:
        assert f"That is {used} of 128" in said
        assert said.endswith("no room for an answer. Make a part smaller.")


def test_the_published_window_has_19_for_the_answer():
    parts = {"system": 6, "tools": 10, "history": 35, "documents": 58}
    assert "Of 128, 19 are left" in bar_sentence(128, parts)
    assert "documents 80. That is 131 of 128, 3 too many: no room" in bar_sentence(128, {**parts, "documents": 80})
    assert "documents 77. That is 128 of 128: no room" in bar_sentence(128, {**parts, "documents": 77})


@pytest.mark.parametrize("per_turn", [115, 459, 918, 995, 1990])
def test_columns_boxes_and_sentence_agree_at_every_turn(per_turn):
    window, top = 32_768, 81_920
    for turn in range(1, 41):
        node = conversation(turn, 40, per_turn, window, top)
        _, chart, _, strip, _ = node
        heights = spans(chart, "height")
        assert heights == pytest.approx([100 * t * per_turn / top * (t <= turn) for t in range(1, 41)], abs=0.06)
        over = ["repeating" in each.get("style") for each in chart.findall("span")]
        assert over == [t <= turn and t * per_turn > window for t in range(1, 41)]
        looks = [each.get("style") for each in strip]
        out = sum("repeating" in look for look in looks)
        kept = sum("question" in look for look in looks)
        assert out + kept == turn
        assert looks[turn:] == ["background: none"] * (40 - turn)
        assert kept * per_turn <= window
        assert not out or (kept + 1) * per_turn > window
        said = conversation_sentence(turn, per_turn, window)
        assert f"{turn * per_turn:,} tokens so far" in said
        if out:
            assert said.endswith(f"begins with turn {out + 1}.")
            assert ("Turn 1 is" in said) == (out == 1)
            assert (f"Turns 1 to {out} are" in said) == (out > 1)
        else:
            assert said.endswith("All of it fits.")


def test_a_conversation_that_is_higher_than_the_picture_is_refused():
    assert turns_kept(32_768, 1990) == 16
    with pytest.raises(ValueError, match="40 turns of 2050 tokens are higher than the picture"):
        conversation(1, 40, 2050, 32_768, 81_920)


def pieces_of(language, tokenizer):
    text = (data_folder() / "measured/pieces.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return [bytes.fromhex(r["bytes"]) for r in rows if (r["language"], r["tokenizer"]) == (language, tokenizer)]


@pytest.mark.parametrize("language", ["en", "it", "cs", "he"])
@pytest.mark.parametrize("tokenizer", ["cl100k", "gemma-3"])
def test_every_token_is_a_box_and_dashed_where_a_letter_is_split(language, tokenizer):
    found = pieces_of(language, tokenizer)
    line = pieces_line(found, language)
    assert line.get("lang") == language
    assert line.get("dir") == ("rtl" if language == "he" else None)
    assert len(line) == len(found)
    for box, piece in zip(line, found, strict=True):
        assert ("dashed" in box.get("style")) == is_broken(piece)
        if not is_broken(piece):
            assert box.text == piece.decode().replace(" ", "␣")
    words = len(b"".join(found).decode().split())
    said = pieces_sentence(found, words)
    assert said.startswith(f"{words} words, {len(found)} tokens: {len(found) / words:.2f} a word.")
    broken = sum(map(is_broken, found))
    assert said.endswith(f"{broken} of them begin or end inside a letter." if broken else "No letter is split.")


def test_only_hebrew_in_cl100k_splits_letters():
    split = {
        (x, y): sum(map(is_broken, pieces_of(x, y)))
        for x in ("en", "it", "cs", "he")
        for y in ("cl100k", "gemma-3")
    }
    assert {key for key, count in split.items() if count} == {("he", "cl100k")}


@pytest.mark.parametrize("name", MODELS)
def test_the_thick_line_and_the_dot_are_the_chosen_model(name):
    model = MODELS[name]
    for tokens in LENGTHS:
        if tokens > model.window:
            with style(), pytest.raises(ValueError, match="do not fit"):
                costs(MODELS.values(), model, tokens, A100)
            continue
        with style():
            panels = costs(MODELS.values(), model, tokens, A100).axes
        for panel, worth in zip(panels, (cache_mib, time_to_first), strict=True):
            (dot,) = [line for line in panel.lines if line.get_color() == INK]
            assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (tokens, worth(model, tokens))
            (thick,) = [line for line in panel.lines if line.get_color() == QUESTION]
            drawn = {x: y for x, y in zip(thick.get_xdata(), thick.get_ydata(), strict=True) if y == y}
            assert drawn == {n: worth(model, n) for n in LENGTHS if n <= model.window}
            low, high = panel.get_ylim()
            assert all(low < y < high for y in drawn.values())
        said = costs_sentence(model, tokens, A100, 80e9)
        assert f"{cache_mib(model, tokens):,.1f} MiB" in said
        assert ("As if it fitted" in said) == (name in {"GPT-3 175B", "Llama 3 70B"})


def cache_mib(model, tokens):
    return kv_cache_bytes(model, tokens) / 2**20


def time_to_first(model, tokens):
    return time_to_first_token(model, tokens, A100)


def test_every_state_of_the_costs_has_the_same_nodes():
    with style():
        states = [("GPT-2 small", 32), ("Gemma 3 270M", 32_768), ("GPT-3 175B", 2048)]
        trees = [svg_tree(costs(MODELS.values(), MODELS[name], n, A100)) for name, n in states]
    assert len({len(list(tree.iter())) for tree in trees}) == 1


def test_the_price_table_has_every_entry_with_its_day():
    node = price_table(PRICES.values(), 8192)
    rows = [cells(row) for row in node.findall(".//tbody/tr")]
    for (name, fresh, cached), entry in zip(rows, PRICES.values(), strict=True):
        assert name == f"{entry.model}{entry.date}"
        assert fresh == f"{1000 * price(8192, 0, entry):.3f}"
        assert cached == f"{1000 * price(8192, 0, entry, 8192 * 9 // 10):.3f}"
    assert all(entry.currency == "USD" for entry in PRICES.values()), "the caption says dollars"
