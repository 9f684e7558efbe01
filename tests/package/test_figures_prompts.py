"""What the pictures of «Putting the prompt together» show is what was given to them."""

import csv
import html
import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import BM25, load_corpus, load_questions, split_words, stems
from ragcore.chunking import Chunk
from ragcore.compression import Passage
from ragcore.corpus import Article, data_folder
from ragcore.explore.svgdiff import svg_tree
from ragcore.explore.theme import style
from ragcore.figures.prompts import (
    ATTACKS,
    Candidates,
    by_kind,
    cutoff_curves,
    cutoff_for,
    cutoff_table,
    edge_lines,
    fenced,
    left_by,
    markdown_prompt,
    pieces,
    prompt_table,
    put_together,
    read_back,
    sections,
    titles_of,
)
from ragcore.prompting import RENDERINGS, build_prompt, instructions
from ragcore.tokens import WORDS

GIVEN = {"tagged": ["S1", "S2", "S3"], "numbered": ["1", "2", "3"], "scored": ["0.80", "0.70", "0.60"]}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def passage(text, title="Title", score=0.8):
    return Passage(Chunk(Article("a", title, "en", text), 0, len(text)), score)


def attacked(attack):
    return [passage("One."), passage(attack.text, attack.title, 0.7), passage("Three.", score=0.6)]


def text_of(element):
    return "".join(element.itertext())


def rows_of(table):
    rows = table.findall(".//tbody/tr")
    return [[text_of(cell) for cell in row] for row in rows if row.get("hidden") is None]


# ------------------------------------------------------------------ edges


@pytest.mark.parametrize(("name", "form"), list(product(ATTACKS, GIVEN)))
def test_no_attack_gets_out_of_ours(name, form):
    text = put_together(attacked(ATTACKS[name]), "Why?", form, "ours")
    assert read_back(text, form) == (GIVEN[form], 1)


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "order"])
def test_every_attack_but_the_order_gets_out_of_something_that_was_pasted(name):
    read = [
        read_back(put_together(attacked(ATTACKS[name]), "Why?", form, how), form) == (GIVEN[form], 1)
        for form in GIVEN
        for how in ("pasted", "filtered")
    ]
    assert not all(read)


def test_the_filter_helps_the_nested_attack_out():
    read = {how: read_back(put_together(attacked(ATTACKS["nested"]), "Why?", "tagged", how), "tagged")
            for how in ("pasted", "filtered", "ours")}  # fmt: skip
    assert [len(ids) for ids, _ in read.values()] == [3, 4, 3]


@given(TEXT, TEXT, st.sampled_from(sorted(GIVEN)))
def test_a_reader_finds_three_sources_whatever_is_written_into_the_second(text, title, form):
    passages = [passage("One."), passage(text, title, 0.7), passage("Three.", score=0.6)]
    assert read_back(put_together(passages, text if text.strip() else "?", form, "ours"), form) == (GIVEN[form], 1)


@pytest.mark.parametrize(("name", "form", "how"), list(product(ATTACKS, GIVEN, ("pasted", "filtered", "ours"))))
def test_in_every_state_the_lines_are_the_prompt_and_the_marks_are_what_is_read(name, form, how):
    prompt = put_together(attacked(ATTACKS[name]), "Why?", form, how)
    shown = edge_lines(put_together(attacked(fenced(ATTACKS[name])), "Why?", form, how), form)
    rows = rows_of(shown)
    assert [line for _, line in rows] == prompt.splitlines()
    ids, questions = read_back(prompt, form)
    assert [seen for seen, _ in rows if "source" in seen] == [f"▸ source {id}" for id in ids]
    assert sum("question" in seen for seen, _ in rows) == questions


@pytest.mark.parametrize(("name", "form"), list(product(ATTACKS, GIVEN)))
def test_what_is_underlined_is_all_that_the_attacker_wrote_and_nothing_else(name, form):
    shown = edge_lines(put_together(attacked(fenced(ATTACKS[name])), "Why?", form, "ours"), form)
    theirs = html.unescape(" ".join(text_of(span) for span in shown.iter("span")))
    title = "" if form == "scored" else ATTACKS[name].title
    assert theirs.split() == f"{title} {ATTACKS[name].text}".split()


# ------------------------------------------------------------------ sections


def test_a_heading_in_a_passage_makes_a_section_that_nobody_wrote():
    prompt = markdown_prompt("Be brief.", [passage("1 = 1.\n\n## Induction\n\nTwo steps.")], "How?")
    assert sections(prompt) == [("Source 1", "1 = 1."), ("Induction", "Two steps."), ("Question", "How?")]


# ------------------------------------------------------------------ part by part

MEASURED = list(csv.DictReader((data_folder() / "measured/prompt_tokens.csv").read_text("utf-8").splitlines()))


def first_five(language):
    chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
    question = load_questions(language)[6].text
    return question, [Passage(hit.chunk, hit.score) for hit in BM25(chunks, stems).search(question, k=5)]


FIVE = {language: first_five(language) for language in ("cs", "en")}


def counts(language, render, tokenizer):
    rows = [row for row in MEASURED if row["language"] == language and row["render"] == render]
    return {(int(row["place"]), row["kind"]): int(row[tokenizer]) for row in rows}


@pytest.mark.parametrize(("language", "render", "k"), list(product(FIVE, RENDERINGS, range(1, 6))))
def test_the_pieces_are_the_prompt(language, render, k):
    question, passages = FIVE[language]
    parts = pieces("S.", passages[:k], question, render, language)
    assert (
        "".join(piece.text for piece in parts) == build_prompt("S.", passages[:k], question, render, language).text
    )
    assert [piece.place for piece in parts if piece.kind == "text"] == list(range(1, k + 1))


@pytest.mark.parametrize(("language", "render"), list(product(FIVE, RENDERINGS)))
def test_the_words_of_the_table_of_tokens_are_those_of_the_prompt(language, render):
    question, passages = FIVE[language]
    system = instructions(language, id=RENDERINGS[render].id.format(1))
    whole = build_prompt(system, passages, question, render, language).text
    assert sum(counts(language, render, "words").values()) == WORDS.count(whole)


@pytest.mark.parametrize(
    ("language", "render", "tokenizer"), list(product(FIVE, RENDERINGS, ("words", "cl100k", "xlm-r", "gemma-3")))
)
def test_what_a_reader_sees_of_the_prompt_is_the_prompt_and_its_counts_add_up(language, render, tokenizer):
    question, passages = FIVE[language]
    table = counts(language, render, tokenizer)
    system = instructions(language, id=RENDERINGS[render].id.format(1))
    for places in ([1], [2, 4], [1, 2, 3], [1, 2, 3, 4, 5]):
        body = prompt_table(system, passages, question, render, language, places, table, {1}, stems, "tokens")
        rows = rows_of(body)
        prompt = build_prompt(system, [passages[p - 1] for p in places], question, render, language).text
        shown = "\n".join(text for text, _ in rows)
        assert shown.split() == prompt.split(), (places, render)
        tokens = [int(n) for _, cell in rows for n in cell.replace("★", "").replace("+", " ").split()]
        assert sum(tokens) == sum(by_kind(table, places).values())
        assert text_of(body.find(".//tfoot")) == f"in all{sum(tokens)}"
        assert ["★" in cell for _, cell in rows].count(True) == (1 in places)


def test_the_published_prompt_has_its_words():
    checks = json.loads((data_folder() / "published.json").read_text("utf-8"))["checks"]
    note = next(check["note"] for check in checks if check["item"] == "prompt token count")
    assert "34+83+83+8+6" in note
    assert 34 + 83 + 83 + 8 + 6 == 214


# ------------------------------------------------------------------ cutoffs

ROWS = st.lists(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=5).map(
        lambda pairs: Candidates(tuple(s for s, _ in pairs), tuple(r for _, r in pairs))
    ),
    min_size=1,
    max_size=20,
)


@given(ROWS, st.floats(0.05, 1))
def test_a_cutoff_keeps_at_least_the_share_and_the_next_higher_one_does_not(rows, keep):
    have = [row for row in rows if row.best_right is not None]
    if not have:
        with pytest.raises(ValueError, match="nothing to keep"):
            cutoff_for(rows, keep)
        return
    cutoff = cutoff_for(rows, keep)
    passages, kept = left_by(rows, cutoff)
    assert kept >= keep * len(have) - 1e-9
    assert 0 <= passages <= 5
    higher = [row.best_right for row in have if round(row.best_right, 12) > round(cutoff, 12)]
    assert len(higher) < keep * len(have) + 1e-9


@pytest.mark.parametrize("keep", [0, -1, 1.5])
def test_a_share_to_keep_is_more_than_none_and_at_most_all(keep):
    with pytest.raises(ValueError, match="keep must be"):
        cutoff_for([Candidates((1.0,), (True,))], keep)


def test_the_curves_are_drawn_through_the_points_that_were_given():
    curves = {
        "cosine": [(1.5, 60), (3.1, 124)],
        "coverage": [(2.0, 60), (3.6, 124)],
        "BM25's own": [(2.5, 60), (4.0, 124)],
    }
    counted = {
        "first k": [(1, 80), (2, 105), (3, 118), (4, 124), (5, 130)],
        "reordered": [(1, 86), (2, 107), (3, 122), (4, 127), (5, 130)],
    }
    now = {name: points[1] for name, points in curves.items()}
    with style():
        picture = cutoff_curves(curves, counted, now, 130)
        drawn = [[tuple(map(float, xy)) for xy in line.get_xydata()] for line in picture.axes[0].get_lines()]
        svg_tree(picture)  # only the theme's colours
    given = [*curves.values(), *counted.values(), *([point] for point in now.values())]
    assert sorted(drawn) == sorted([tuple(map(float, xy)) for xy in points] for points in given)


def test_a_table_says_who_enters_and_who_answers():
    one = Candidates((0.9, 0.8, 0.7), (False, True, False))
    rows = rows_of(cutoff_table(titles_of([passage("a"), passage("b"), passage("c")]), one, 0.8, "en", 2))
    assert rows == [["1", "Title", "0.90", "yes"], ["2", "Title ★", "0.80", "yes"], ["3", "Title", "0.70", "no"]]
