"""Cutting: the published counts, the formula against the cuts, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import count_chunks, split_words
from ragcore.corpus import Article


def text_of(words: int) -> str:
    return " ".join(f"w{i}" for i in range(words))


sizes = st.integers(1, 12).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


@pytest.mark.parametrize(
    ("words", "size", "overlap", "count"),
    [(1000, 80, 0, 13), (1000, 80, 20, 17), (1000, 80, 40, 24), (980, 80, 20, 16), (0, 80, 20, 0), (15, 80, 20, 1)],
)
def test_the_published_counts_and_the_ones_that_need_the_early_stop(words, size, overlap, count):
    assert count_chunks(words, size, overlap) == count
    assert len(split_words(text_of(words), size, overlap)) == count


def test_the_published_example_starts_at_0_60_up_to_960():
    chunks = split_words(text_of(1000), 80, 20)
    assert [int(chunk.text.split()[0][1:]) for chunk in chunks] == list(range(0, 961, 60))


def test_overlap_20_makes_the_index_31_percent_larger_in_chunks_and_32_in_words():
    plain, overlapping = split_words(text_of(1000), 80), split_words(text_of(1000), 80, 20)
    assert round(100 * (len(overlapping) / len(plain) - 1), 1) == 30.8
    stored = sum(len(chunk.text.split()) for chunk in overlapping)
    assert round(100 * (stored / 1000 - 1), 1) == 32.0


@given(st.integers(0, 200), sizes)
def test_the_formula_counts_what_the_cutter_cuts(words, size_overlap):
    assert count_chunks(words, *size_overlap) == len(split_words(text_of(words), *size_overlap))


@given(st.lists(st.text(min_size=1).filter(lambda w: len(w.split()) == 1 and w == w.strip()), max_size=40), sizes)
def test_every_chunk_is_a_slice_of_its_article_and_no_word_is_lost(words, size_overlap):
    size, overlap = size_overlap
    article = Article("a", "A", "cs", "  ".join(words) + "\n")
    chunks = split_words(article, size, overlap)
    for chunk in chunks:
        assert article.text[chunk.start : chunk.end] == chunk.text
        assert chunk.text == chunk.text.strip()
        assert chunk.article is article
    found = [word for i, chunk in enumerate(chunks) for word in chunk.text.split()[overlap if i else 0 :]]
    assert found == article.text.split()


@given(st.integers(1, 60), sizes)
def test_every_phrase_of_up_to_overlap_plus_1_words_stands_whole_in_some_chunk(words, size_overlap):
    size, overlap = size_overlap
    chunks = [chunk.text.split() for chunk in split_words(text_of(words), size, overlap)]
    held = {tuple(chunk[i : i + overlap + 1]) for chunk in chunks for i in range(len(chunk))}
    all_words = text_of(words).split()
    for i in range(max(1, words - overlap)):
        assert tuple(all_words[i : i + overlap + 1]) in held


@pytest.mark.parametrize(
    ("size", "overlap", "message"),
    [(0, 0, "size"), (-1, 0, "size"), (80, 80, "overlap 80 with size 80"), (80, -1, "overlap -1")],
)
def test_impossible_sizes_are_refused_by_name_and_value(size, overlap, message):
    for cut in (lambda: split_words("a b", size, overlap), lambda: count_chunks(2, size, overlap)):
        with pytest.raises(ValueError, match=message):
            cut()


def test_a_negative_number_of_words_is_refused():
    with pytest.raises(ValueError, match="-1"):
        count_chunks(-1)
