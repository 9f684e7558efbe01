"""A prompt layer by layer: the layers are the prompt, the figures' sentences, the stored answers of the model."""

import csv
import json
import platform
import re
import sys
from pathlib import Path

import pytest
from conftest import names_in

from ragcore.explore.html import write
from ragcore.explore.theme import style
from ragcore.figures.layers import (
    CASES,
    PROMPTS,
    TOGGLES,
    by_examples,
    layers_of,
    prompt_by_layers,
    prompt_sentence,
    request,
)
from ragcore.generation import LocalModel, UnfinishedError
from ragcore.tokens import WORDS

ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "data/measured"


def table(name):
    with (MEASURED / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", PROMPTS | TOGGLES)
def test_the_layers_put_together_are_the_prompt(name):
    assert "".join(layers_of(name, "1 May 2000").values()) == request(name, "1 May 2000")


def test_every_case_has_a_date_as_its_answer_and_both_kinds_are_as_many():
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", case.expected) for case in CASES)
    assert [case.kind for case in CASES] == ["usual", "other"] * (len(CASES) // 2)


def test_no_case_is_an_example():
    shown = {asked for layers in PROMPTS.values() for asked, _ in layers.examples}
    assert not shown & {case.date for case in CASES}


def test_wrong_examples_have_the_right_form_and_no_right_answer():
    right = dict(PROMPTS["k4"].examples)
    for name in ("k2-wrong", "k4-wrong"):
        assert all(answer != right[asked] and answer in right.values() for asked, answer in PROMPTS[name].examples)


def test_all_prompts_were_asked_with_the_same_cases_once_each():
    rows = [row for row in table("examples.csv") if row["prompt"] in PROMPTS]
    asked = {name: [int(row["case"]) for row in rows if row["prompt"] == name] for name in PROMPTS}
    assert set(map(tuple, asked.values())) == {tuple(range(len(CASES)))}
    assert all((row["question"], row["kind"], row["expected"]) == CASES[int(row["case"])] for row in rows)


def test_the_first_case_has_an_answer_and_tokens_for_every_state_of_the_figure():
    answers = {row["prompt"] for row in table("examples.csv") if row["case"] == "0"}
    tokens = {(row["prompt"], row["layer"]): row for row in table("example_tokens.csv")}
    for name in TOGGLES:
        assert name in answers
        for layer, text in layers_of(name, CASES[0].date).items():
            assert int(tokens[name, layer]["words"]) == WORDS.count(text)


def test_the_table_holds_layers_tokens_and_answer():
    written = write(prompt_by_layers({"system": "Be brief.\n\n"}, {"system": 3}, " <b>"))
    assert all(part in written for part in ("Be brief.", ">3<", "&lt;b&gt;"))


def test_the_sentence_says_wrong_and_no_examples():
    assert prompt_sentence({"question": 5}, " noon", "2026-11-30").endswith(
        "no examples. The model answers «noon»: wrong."
    )


def test_the_picture_draws_shares_and_intervals():
    ax = by_examples([(0, 0.0, 0.0, 0.2), (2, 0.5, 0.3, 0.7)]).axes[0]
    seen = [list(line.get_ydata()) for line in ax.lines if line.get_alpha()]
    assert seen == [[0, 20], [30, 70]]
    assert [text.get_text().strip() for text in ax.texts] == ["●", "0 %", "", "", "●", "50 %", "", ""]


@pytest.fixture(scope="module")
def chapter():
    return names_in("02-a-prompt-is-a-document")


@pytest.mark.parametrize("name", TOGGLES)
def test_every_sentence_under_the_layers_is_that_of_the_stored_rows(chapter, name):
    row = next(row for row in table("examples.csv") if (row["prompt"], row["case"]) == (name, "0"))
    cost = {row["layer"]: int(row["gemma-3"]) for row in table("example_tokens.csv") if row["prompt"] == name}
    system, examples, format = name.split("-")
    state = chapter["switch"](system, int(examples), format)
    said, total = row["answer"].strip(), sum(cost.values())
    share = f"{100 * cost['examples'] / total:.0f} % of them examples" if examples != "0" else "no examples"
    verdict = "right" if said == row["expected"] else "wrong"
    assert state.sentence == f"{total} tokens in all, {share}. The model answers «{said}»: {verdict}."
    body = write(state.body)
    assert re.findall(r"<td>(\d+)</td>", body) == [str(tokens) for tokens in cost.values()]
    assert f"<b>{said}</b>" in body


def test_every_prompt_with_an_example_is_right_and_the_cheapest_of_these_has_nothing_else(chapter):
    tokens = {}
    for name in TOGGLES:
        system, examples, format = name.split("-")
        sentence = chapter["switch"](system, int(examples), format).sentence
        assert sentence.endswith(": right.") == (examples != "0")
        if examples != "0":
            tokens[name] = int(sentence.split()[0])
    assert [name for name in tokens if tokens[name] == min(tokens.values())] == ["bare-1-free"]


@pytest.mark.parametrize("kind", ["usual", "other"])
@pytest.mark.parametrize("labels", ["right", "wrong"])
def test_every_sentence_under_the_shares_is_that_of_the_stored_rows(chapter, kind, labels):
    with style():
        state = chapter["curve"](kind, labels)
    shares = {}
    for k, name in {
        "right": {0: "k0", 1: "k1", 2: "k2", 4: "k4"},
        "wrong": {0: "k0", 2: "k2-wrong", 4: "k4-wrong"},
    }[labels].items():
        asked = [row for row in table("examples.csv") if (row["prompt"], row["kind"]) == (name, kind)]
        shares[k] = f"{100 * sum(row['answer'].strip() == row['expected'] for row in asked) / len(asked):.0f} %"
    way = {"usual": "the examples’ way", "other": "other ways"}[kind]
    said = ", ".join(f"{share} with {k}" for k, share in shares.items())
    assert state.sentence == f"Examples with {labels} answers, dates written in {way}: {said}."
    drawn = [text.get_text().strip() for text in state.picture.axes[0].texts]
    assert [text for text in drawn if "%" in text] == list(shares.values())


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="the pinned environment has no local model for this platform",
)
def test_the_model_answers_as_it_is_stored():
    settings = json.loads((MEASURED / "examples.json").read_text(encoding="utf-8"))
    stored = [
        row
        for row in table("examples.csv")
        if row["case"] in ("0", "1") and row["prompt"] in ("k0", "k2", "k4-wrong")
    ]
    model = LocalModel(max_tokens=settings["max_tokens"], stop=settings["stop"], context=settings["context"])
    assert {key: settings[key] for key in model.settings} == model.settings
    for row in stored:
        try:
            answer = model.generate(request(row["prompt"], row["question"]))
        except UnfinishedError as error:
            answer = error.text
        assert answer == row["answer"], row
