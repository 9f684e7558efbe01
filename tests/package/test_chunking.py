"""Cutting: the published counts, the formula against the cuts, nothing lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import count_chunks, merge_adjacent, sentences, split_structure, split_words
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


# ------------------------------------------------------------------ by structure

LINES = ["# Nadpis", "## Pod ním", "### Hlouběji", "", "Věta jedna. Druhá věta! „Třetí?“ Ano.", "slovo " * 9,
         "- položka\n- druhá", "| a | b |"]  # fmt: skip
FENCES = ["```", "```python", "  ```", "````", "~~~", "```in a line```"]
documents = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join)
with_code = st.lists(st.sampled_from(LINES + FENCES), max_size=14).map("\n".join)


@given(with_code, st.integers(1, 12))
def test_cutting_by_structure_loses_no_word_repeats_none_and_keeps_to_the_size(text, size):
    chunks = split_structure(text, size)
    assert [word for chunk in chunks for word in chunk.text.split()] == text.split()
    assert all(len(chunk.text.split()) <= size for chunk in chunks)
    assert all(after.start >= before.end for before, after in pairwise(chunks))


@given(documents, st.integers(4, 12))
def test_a_heading_is_never_parted_from_the_text_below_it(text, size):
    for chunk, after in pairwise(split_structure(text, size)):
        lines = [line for line in chunk.text.splitlines() if line.strip()]
        if sum(len(line.split()) for line in lines) + 1 <= size and all(line.startswith("#") for line in lines):
            assert after.text.startswith("#")


def test_a_chunk_knows_the_headings_above_it_whatever_level_they_start_at():
    text = "Úvod.\n\n## Jedna\n\nText.\n\n### Hlouběji\n\nText.\n\n## Dvě\n\nText.\n\n# Nahoře\n\nText."
    sections = [chunk.section for chunk in split_structure(text, size=4)]
    assert sections == [(), ("Jedna",), ("Jedna", "Hlouběji"), ("Dvě",), ("Nahoře",)]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("```python", "```"), ("   ~~~", "~~~~~ "), ("````", "  ````"), ("```", None)],
)
def test_a_comment_in_fenced_code_is_no_heading(opening, closing):
    """An opening fence that is never closed holds until the end, as in CommonMark."""
    code = [opening, "# comment", "", "## another", "``", "x = 1  # ```"]
    after = [] if closing is None else [closing, "After.", "# Next", "Text."]
    chunks = split_structure("\n".join(["# First", "Before:", *code, *after]), size=40)
    assert [(chunk.section, len(chunk.text.splitlines())) for chunk in chunks] == (
        [(("First",), 8)] if closing is None else [(("First",), 10), (("Next",), 2)]
    )


def test_a_paragraph_that_fits_is_not_cut_and_one_that_does_not_is_cut_between_sentences():
    text = "Jedna dvě. Tři čtyři.\n\nPět šest. Sedm osm devět. Deset."
    assert [chunk.text for chunk in split_structure(text, size=4)] == [
        "Jedna dvě. Tři čtyři.", "Pět šest.", "Sedm osm devět. Deset."]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Platí to např. zde. Dál!", ["Platí to např. zde.", "Dál!"]),
        (
            "Roku 1713 vyšla kniha J. Bernoulliho. Byla dlouhá.",
            ["Roku 1713 vyšla kniha J. Bernoulliho.", "Byla dlouhá."],
        ),
        ("Řekl: „Dost.“ A odešel…", ["Řekl: „Dost.“", "A odešel…"]),
        ("Pravděpodobnost je 0.5. Šance 1:1.", ["Pravděpodobnost je 0.5.", "Šance 1:1."]),
        ("V 19. století", ["V 19. století"]),
        ("Is it? It is.  Yes", ["Is it?", "It is.", "Yes"]),
        ("שלום לך. מה שלומך? טוב.", ["שלום לך.", "מה שלומך?", "טוב."]),
        ("", []),
    ],
)
def test_where_sentences_end(text, expected):
    assert [text[a:b] for a, b in sentences(text)] == expected


# ------------------------------------------------------------------ neighbours


@given(st.integers(1, 60), sizes, st.randoms())
def test_merging_all_chunks_of_an_article_gives_it_back_whole(words, size_overlap, random):
    article = Article("a", "A", "cs", text_of(words))
    chunks = split_words(article, *size_overlap)
    random.shuffle(chunks)
    (whole,) = merge_adjacent(chunks)
    assert whole.text == article.text


def test_only_neighbours_of_one_article_are_merged_in_document_order():
    one, other = (Article(name, name, "cs", text_of(12)) for name in "ab")
    first, second = split_words(one, 3), split_words(other, 3)
    merged = merge_adjacent([first[2], second[0], first[0], first[3]])
    assert [(chunk.article.id, chunk.text) for chunk in merged] == [
        ("a", "w0 w1 w2"), ("a", "w6 w7 w8 w9 w10 w11"), ("b", "w0 w1 w2")]  # fmt: skip
    assert merge_adjacent([]) == []


def test_chunks_of_two_plain_texts_are_not_taken_for_neighbours():
    merged = merge_adjacent([*split_words("a"), *split_words("cc dd ee ff")])
    assert [chunk.text for chunk in merged] == ["a", "cc dd ee ff"]


@pytest.mark.parametrize(
    "call", [lambda: split_words("a", size=2.5), lambda: split_words(b"a"), lambda: count_chunks(5, 2.0)]
)
def test_sizes_that_are_no_whole_numbers_and_texts_that_are_none_are_refused_by_type(call):
    with pytest.raises(TypeError):
        call()


def test_a_row_of_dots_of_any_length_ends_one_sentence():
    """A table of contents, filled with dots; trying every dot as a beginning would take minutes here."""
    dots = "." * 100_000
    assert sentences(f"One{dots} Two{dots}") == [(0, 100_003), (100_004, 200_007)]
    assert sentences(dots) == [(0, 100_000)]
