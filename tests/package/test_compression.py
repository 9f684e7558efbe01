"""Compression: whole sentences, word for word, or refused; and which passages are worth keeping."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcore import BM25, load_corpus, load_questions, split_structure, split_words, stems, words
from ragcore.chunking import Chunk, sentences
from ragcore.compression import GAP, NotVerbatimError, Passage, best_sentences, extract, keep
from ragcore.corpus import Article
from ragcore.reranking import by_coverage

CASES = {case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/faults.json").read_text())}
CHUNKS = [
    chunk
    for language in ("cs", "en")
    for article in load_corpus(language)
    for split in (split_words, split_structure)
    for chunk in split(article)
]
NUMBERED = split_words("One one one. Two two two. Three three three. Four four four. Five five five.")[0]


def naming(*pieces: str):
    return lambda question, text: list(pieces)


def passage_of(text: str) -> Passage:
    return Passage(split_words(text)[0], 1.0)


# ------------------------------------------------------------------ extract


@pytest.mark.parametrize("analyzer", [words, stems])
@pytest.mark.parametrize("n", [1, 2])
def test_fault_compress_negation(analyzer, n):
    given_ = CASES["compress-negation"]["input"]
    passage = passage_of(given_["chunk"])
    kept = extract(given_["q"], passage, best_sentences(by_coverage(BM25([passage.chunk], analyzer)), n))
    assert kept.text in {"Neplatí to pro n = 0. …", given_["chunk"]}


@pytest.mark.parametrize(
    ("piece", "kept"),
    [
        ("it is safe to eat", "… It is not true that it is safe to eat. …"),
        ("They are brown. It is not", "They are brown. It is not true that it is safe to eat. …"),
        ("Dry it", "… Dry it. …"),  # two words are a quote only if they are a sentence, as here
    ],
)
def test_a_piece_is_widened_to_whole_sentences_so_that_no_negation_stays_behind(piece, kept):
    passage = passage_of("They are brown. It is not true that it is safe to eat. Dry it. It smells.")
    assert extract("?", passage, naming(piece)).text == kept


def test_a_sign_stands_only_where_something_is_left_out():
    kept = extract("?", Passage(NUMBERED, 1.0), naming("Four four four.", "One one one.", "Two two two."))
    assert kept.text == "One one one. Two two two. … Four four four. …"
    assert len(kept.spans) == 2


def test_a_sentence_that_is_named_twice_stands_once():
    kept = extract("?", Passage(NUMBERED, 1.0), naming("Two two two.", "Two two two", "Two two two."))
    assert kept.text == "… Two two two. …"


def test_offsets_are_those_of_the_article():
    article = Article("a", "A", "en", "One two three. Four five six. Seven eight nine. Ten eleven twelve.")
    second = split_words(article, size=6)[1]
    kept = extract("?", Passage(second, 0.5), naming("Ten eleven twelve."))
    assert [article.text[a:b] for a, b in kept.spans] == ["Ten eleven twelve."]
    assert (kept.chunk, kept.score) == (second, 0.5)


def test_a_model_may_copy_in_its_own_typography():
    passage = passage_of("Řekl: „Platí P(1) – a dost…“ Pak odešel domů. Konec.")
    assert extract("?", passage, naming('"Platí P(1) - a dost..."')).text == "Řekl: „Platí P(1) – a dost…“ …"


@pytest.mark.parametrize(
    "invented",
    ["Two and two are five.", "two two three", "", "Two two two. … Four four four.", "two", "wo two two"],
)
def test_what_does_not_stand_there_is_refused_with_all_that_came_with_it(invented):
    with pytest.raises(NotVerbatimError, match="no quotes of Chunk") as error:
        extract("?", Passage(NUMBERED, 1.0), naming("One one one.", invented))
    assert error.value.pieces == (invented,)
    assert isinstance(error.value, ValueError)


def test_words_of_the_article_outside_the_chunk_are_refused():
    second = split_words("One one one. Two two two.", size=3)[1]
    assert extract("?", Passage(second, 1.0), naming("Two two two.")) is not None
    with pytest.raises(NotVerbatimError):
        extract("?", Passage(second, 1.0), naming("One one one."))


def test_nothing_named_is_no_passage_rather_than_the_whole_one():
    assert extract("?", Passage(NUMBERED, 1.0), naming()) is None


def test_one_text_instead_of_a_list_is_refused():
    with pytest.raises(TypeError, match="list of pieces"):
        extract("?", Passage(NUMBERED, 1.0), lambda question, text: "One one one.")


def test_a_passage_in_pieces_is_not_taken_apart_again():
    kept = extract("?", Passage(NUMBERED, 1.0), naming("Two two two."))
    with pytest.raises(ValueError, match="in pieces already"):
        extract("?", kept, naming("Two two two."))


@settings(max_examples=150)
@given(st.integers(0, len(CHUNKS) - 1), st.data())
def test_on_the_corpus_the_named_sentences_come_back_whole_in_order_and_word_for_word(number, data):
    chunk = CHUNKS[number]
    own = [(a, b) for a, b in sentences(chunk.text) if any(map(str.isalnum, chunk.text[a:b]))]
    named = data.draw(st.lists(st.sampled_from(own), unique=True, min_size=1))
    kept = extract("?", Passage(chunk, 1.0), naming(*(chunk.text[a:b] for a, b in named)))
    text = chunk.article.text
    for a, b in named:  # the very place, or an earlier one with the same words
        assert chunk.text[a:b] in kept.text
    starts, ends = [{chunk.start + span[i] for span in sentences(chunk.text)} for i in (0, 1)]
    for start, end in kept.spans:
        assert start in starts
        assert end in ends
    assert list(kept.spans) == sorted(kept.spans)
    for (_, end), (start, _) in zip(kept.spans, kept.spans[1:], strict=False):
        assert text[end:start].strip()
    before = GAP.lstrip() if kept.spans[0][0] > chunk.start else ""
    after = GAP.rstrip() if kept.spans[-1][1] < chunk.end else ""
    assert kept.text == before + GAP.join(text[start:end] for start, end in kept.spans) + after
    assert kept.cut == (kept.spans != ((chunk.start, chunk.end),))


def test_all_sentences_are_the_whole_chunk():
    for chunk in CHUNKS[::40]:
        pieces = [chunk.text[a:b] for a, b in sentences(chunk.text)]
        pieces = [piece for piece in pieces if any(map(str.isalnum, piece))]
        kept = extract("?", Passage(chunk, 1.0), naming(*pieces))
        assert " ".join(kept.text.split()) == " ".join(chunk.text.split())


# ------------------------------------------------------------------ the default extractor


def test_the_best_sentences_come_best_first_and_equal_ones_in_their_order():
    scores = {"One": 0.2, "Two": 0.5, "Three": 0.1 + 0.2, "Four": 0.3, "Five": 0.0}

    def scorer(question, texts):
        return [scores[text.split()[0]] for text in texts]

    def best(n):
        return [piece.split()[0] for piece in best_sentences(scorer, n)("?", NUMBERED.text)]

    assert [best(n) for n in (1, 2, 3)] == [["Two"], ["Two", "Three"], ["Two", "Three", "Four"]]
    assert best(9) == ["Two", "Three", "Four", "One"]


def test_a_passage_that_shares_nothing_with_the_question_gives_nothing():
    score = by_coverage(BM25([NUMBERED]))
    assert best_sentences(score)("seven", NUMBERED.text) == []
    assert extract("seven", Passage(NUMBERED, 1.0), best_sentences(score)) is None


def test_no_sentences_at_all_are_an_error():
    with pytest.raises(ValueError, match="at least 1"):
        best_sentences(by_coverage(BM25([])), n=0)


@pytest.mark.parametrize(
    ("language", "asked", "claim", "limit"),
    [
        ("cs", "pořadí kvantifikátorů", "existuje jedno číslo větší než všechna reálná čísla.", "To pravda není"),
        ("en", "order of the quantifiers", "exists one number greater than all real numbers.", "That is false"),
    ],
)
def test_the_sentence_that_takes_it_back_can_be_cut_away(language, asked, claim, limit):
    """Not a wish: the trap of chapter 14. The claim shares its words with the question, its refutation does not."""
    (question,) = [question.text for question in load_questions(language) if asked in question.text]
    chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
    (chunk,) = [chunk for chunk in chunks if claim in chunk.text and limit in chunk.text]
    kept = extract(question, Passage(chunk, 1.0), best_sentences(by_coverage(BM25(chunks, stems)), n=1))
    assert claim in kept.text
    assert limit not in kept.text


# ------------------------------------------------------------------ keep


def scored(*scores: float) -> list[Passage]:
    article = Article("a", "", "", "x " * len(scores))
    return [Passage(Chunk(article, 2 * i, 2 * i + 1), score) for i, score in enumerate(scores)]


def kept_scores(passages, share) -> list[float]:
    return [passage.score for passage in keep(passages, share)]


def test_a_share_of_the_best_is_enough_to_stay_and_the_order_stays():
    assert kept_scores(scored(4.0, 8.0, 3.9, 5.0), 0.5) == [4.0, 8.0, 5.0]


def test_floats_do_not_decide_who_is_dropped():
    assert 0.3 < 0.1 * 3
    assert kept_scores(scored(1.0, 0.3, 0.1 * 3), 0.1 * 3) == [1.0, 0.3, 0.1 * 3]
    assert 0.7 * 0.1 < 0.07
    assert kept_scores(scored(1.0, 0.7 * 0.1), 0.07) == [1.0, 0.7 * 0.1]


@given(st.lists(st.integers(0, 50), min_size=1), st.integers(0, 10))
def test_exactly_those_at_or_above_the_share_stay(tenths, share):
    kept = kept_scores(scored(*(tenth / 10 for tenth in tenths)), share / 10)
    assert kept == [tenth / 10 for tenth in tenths if 10 * tenth >= share * max(tenths)]
    assert max(tenths) / 10 in kept


def test_no_passages_stay_none():
    assert keep([], 0.5) == []


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        keep(scored(1.0), share)


@pytest.mark.parametrize("score", [-0.1, math.nan, math.inf])
def test_scores_without_a_zero_are_refused(score):
    with pytest.raises(ValueError, match="finite scores of at least 0"):
        keep(scored(1.0, score), 0.5)
