"""Quotes: every phrase of the corpus is found where it stands, also retyped; whatever was reworded is not."""

import html
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ragcore import load_corpus, split_words
from ragcore.chunking import sentences
from ragcore.quotes import find_quote

CASES = {case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/faults.json").read_text())}
ARTICLES = [article.text for language in ("cs", "en") for article in load_corpus(language)]
PAGES = [chunk.text for text in ARTICLES for chunk in split_words(text, size=250)]


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def found(quote: str, source: str) -> str | None:
    place = find_quote(quote, source)
    return None if place is None else source[slice(*place)]


# ------------------------------------------------------------------ faults of others


@pytest.mark.parametrize("quote", [*CASES["quote-empty"]["input"]["quotes"], "\n", "…", "—", "()", "&nbsp;"])
def test_fault_quote_empty(quote):
    for source in (CASES["quote-empty"]["input"]["text"], quote, "", "a — b … (c) d"):
        assert (find_quote(quote, source) is not None) == CASES["quote-empty"]["expected"]


@pytest.mark.parametrize("fault", ["quote-inside-word", "quote-rewritten", "quote-typography"])
def test_a_fault_reported_elsewhere_is_none_here(fault):
    given_, expected = CASES[fault]["input"], CASES[fault]["expected"]
    assert (find_quote(given_["quote"], given_["text"]) is not None) == expected


# ------------------------------------------------------------------ what counts as the same


@pytest.mark.parametrize(
    ("quote", "source", "place"),
    [
        # typography
        ('"Ano", řekl pan Novák', "Pak „Ano“, řekl pan Novák.", "„Ano“, řekl pan Novák"),
        ("«Ano», řekl pan Novák", "Pak “Ano”, řekl pan Novák.", "“Ano”, řekl pan Novák"),
        ("L'indice e' alto", "Oggi l’altro. L’indice e’ alto oggi", "L’indice e’ alto"),
        ("L’indice è alto", "L'indice è alto.", "L'indice è alto"),
        ("it doesn't matter", "No, it doesn’t matter.", "it doesn’t matter"),
        ("f'(x) is zero", "where f′(x) is zero,", "f′(x) is zero"),
        ("one - two - three", "one – two—three", "one – two—three"),
        ("one—two three four", "one -- two three four", "one -- two three four"),
        ("range 1990-2000 was", "The range 1990–2000 was good", "range 1990–2000 was"),
        ("is -5 degrees", "It is −5 degrees.", "is −5 degrees"),
        ("and so on...", "and so on…", "and so on…"),
        ("and so on…", "and so on...", "and so on..."),
        # white space
        ("one two three", "one\u00a0two\n\n  three four", "one\u00a0two\n\n  three"),
        ("one\ttwo three", "one two three", "one two three"),
        ("one two three", "one\u0085two\u001cthree", "one\u0085two\u001cthree"),
        ("  one two three\n", "one two three", "one two three"),
        # what cannot be seen
        ("one two three", "o\u00adne t\u200bwo\ufeff three", "o\u00adne t\u200bwo\ufeff three"),
        ("שלום לכולם וברכה", "\u200f\u202bשלום לכולם\u202c וברכה", "שלום לכולם\u202c וברכה"),
        ("\u2067שלום לכולם וברכה\u2069", "אז שלום לכולם וברכה רבה", "שלום לכולם וברכה"),
        ("צה\"ל הוא צבא", "צה״ל הוא צבא", "צה״ל הוא צבא"),
        # letters
        (nfd("Příliš žluťoučký kůň"), "Příliš žluťoučký kůň", "Příliš žluťoučký kůň"),
        ("한국어 문장 이다", nfd("한국어 문장 이다."), nfd("한국어 문장 이다")),
        ("שָׁלוֹם לכולם וברכה", "ש\u05b8\u05c1לו\u05b9ם לכולם וברכה", "ש\u05b8\u05c1לו\u05b9ם לכולם וברכה"),
        # entities, once or twice
        ("if a < b & c", "if a &lt; b &amp; c", "if a &lt; b &amp; c"),
        ("if a &lt; b &amp; c", "if a < b & c.", "if a < b & c"),
        ("a &amp;lt; b is it", "so a &lt; b is it", "a &lt; b is it"),
        ("say &quot;one two three&#x27;", "say 'one two three'", "say 'one two three'"),
        # words broken at the end of a line
        ("induction is a proof", "induc-\n  tion is a proof", "induc-\n  tion is a proof"),
        ("non-linear maps are", "non-\nlinear maps are", "non-\nlinear maps are"),
        ("induc-\ntion is a proof", "induction is a proof", "induction is a proof"),
        ("induction is a proof", "induc\u00ad\ntion is a proof", "induc\u00ad\ntion is a proof"),
        # Markdown's bold, whose marks are never parted
        ("proposition is an assertion", "A **proposition** is an assertion.", "**proposition** is an assertion"),
        ("A **proposition** is an", "A proposition is an assertion.", "A proposition is an"),
        ("so a is one", "so **a** is one", "so **a** is one"),
    ],
)  # fmt: skip
def test_a_quote_is_found_whatever_its_typography(quote, source, place):
    assert found(quote, source) == place


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("Platí P(1) vždy", "platí P(1) vždy"),
        ("find the way", "ﬁnd the way"),
        ("about 1/2 of it", "about ½ of it"),
        ("x2 is even here", "x² is even here"),
        ("resume of the book", "résumé of the book"),
        ("שלום לכולם וברכה", "שָׁלוֹם לכולם וברכה"),
        ("one two four", "one two three four"),
        ("one two three", "one two, three"),
        ("one two ... four", "one two three four"),
        ("if 23 is odd", "if 2**3 is odd"),
        ("induction is a", "in duction is a"),
    ],
)
def test_what_a_reader_would_see_is_not_made_equal(quote, source):
    assert find_quote(quote, source) is None


# ------------------------------------------------------------------ whole words


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("linear maps are", "non-linear maps are"),
        ("linear maps are", "non-\nlinear maps are"),
        ("tion is a proof", "induc-\ntion is a proof"),
        ("5 is not enough", "2.5 is not enough"),
        ("5 is not enough", "0,5 is not enough"),
        ("5 degrees of frost", "−5 degrees of frost"),
        ("5 degrees of frost", "at −5 degrees of frost"),
        ("A and B hold", "¬A and B hold"),
        ("5 is the limit", "<5 is the limit"),
        ("it is 5", "it is 5%"),
        ("it is 5", "it is 5.7"),
        ("so you can", "so you can't"),
        ("so you can", "so you can’t"),
        ("derivative of f", "derivative of f′"),
        ("the algorithm A", "the algorithm A* is"),
        ("it is a", "it is a\u0301 b"),
        ("one two thr", "one two three"),
        ("ne two three", "one two three"),
        ("is and/or is", "this and/or is"),
    ],
)
def test_a_quote_that_cuts_a_word_is_not_found(quote, source):
    assert find_quote(quote, source) is None


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("the heart is", "(“the heart is”)."),
        ("the heart is", "**the heart is**, they say"),
        ("heart is weak", "the heart is weak; so"),
        ("another thing is", "one word—another thing is—here"),
        ("indice è alto", "l’indice è alto"),
        ("the heart is", "the heart is…"),
    ],
)
def test_stops_brackets_and_quotation_marks_may_stand_at_its_ends(quote, source):
    assert find_quote(quote, source) is not None


def test_it_is_found_where_it_is_whole_though_it_stands_cut_before():
    source = "non-linear maps are bad, linear maps are good"
    assert find_quote("linear maps are", source) == (25, 40)


def test_the_first_of_several_places_comes_back():
    assert find_quote("one two three", "one two three, one two three") == (0, 13)


# ------------------------------------------------------------------ three words, or a whole sentence


@pytest.mark.parametrize("quote", ["Ano", "Ano!", "„Ano!“", "Vždycky ano.", "vždycky"])
def test_fewer_than_three_words_must_be_a_whole_sentence(quote):
    source = "Zeptal se: Platí to? „Ano!“ Vždycky ano. Řekl vždycky a vždycky ano, a pak Ano šel dál."
    assert (find_quote(quote, source) is not None) == (quote != "vždycky")
    assert find_quote(quote, "Řekl vždycky a vždycky ano, a pak Ano šel dál. Vždycky ano, že?") is None


def test_the_whole_sentence_is_found_where_it_is_one():
    source = "Pak řekl Ano sám sobě. Ano. Konec."
    assert find_quote("Ano", source) == (23, 26)
    assert find_quote("Ano.", source) == (23, 27)


def test_signs_alone_are_no_words():
    assert find_quote("a = b", "so a = b holds") is None
    assert find_quote("a = b holds", "so a = b holds") is not None
    assert find_quote("| --- | ---", "x\n| --- | --- |\ny") is None


def test_what_a_quote_was_cut_out_of_is_not_seen():
    """Not a wish: a limit that the module's first lines tell, and that whoever shows quotes has to know."""
    assert find_quote("it is safe to eat", "It is not true that it is safe to eat.") is not None


@pytest.mark.parametrize(("quote", "source"), [(None, "a b c"), ("a b c", b"a b c"), (3, "3")])
def test_what_is_not_text_is_refused(quote, source):
    with pytest.raises(TypeError, match="must be a text"):
        find_quote(quote, source)


# ------------------------------------------------------------------ properties, on the real corpus


@st.composite
def phrases(draw, whole):
    """An article, whole or a page of it, and a run of its words, three or more of them with a letter or a digit."""
    texts = ARTICLES if whole else PAGES
    text = texts[draw(st.integers(0, len(texts) - 1))]
    words = list(re.finditer(r"\S+", text))
    assume(len(words) >= 3)
    first = draw(st.integers(0, len(words) - 3))
    last = draw(st.integers(first + 2, min(first + 30, len(words) - 1)))
    run = text[words[first].start() : words[last].end()]
    assume(sum(any(map(str.isalnum, word)) for word in run.split()) >= 3)
    return text, run


@settings(max_examples=60)
@given(phrases(whole=True))
def test_every_phrase_of_the_corpus_is_found_and_its_place_gives_it_back(phrase):
    text, run = phrase
    assert found(run, text).split() == run.split()


RETYPED = {  # in the order in which they are done: nothing is put inside an entity
    "quotation marks": lambda run: re.sub("[„“”]", '"', run.replace("’", "'")),
    "dashes": lambda run: re.sub("[–—−]", "-", run),
    "long dashes": lambda run: run.replace(" – ", "—").replace("—", " -- "),
    "dots": lambda run: run.replace("…", "..."),
    "bold": lambda run: re.sub(r"(?<![\w*])\*\*|\*\*(?![\w*])", "", run),
    "NFD": nfd,
    "lines": lambda run: run.replace(" ", "\n"),
    "no-break spaces": lambda run: re.sub(r"\s+", "\u00a0 ", run),
    "broken words": lambda run: re.sub(r"(?<=[^\W\d_]{3})(?=[^\W\d_]{3})", "-\n", run, count=1),
    "soft hyphens": lambda run: re.sub(r"(?<=[^\W\d_])(?=[^\W\d_])", "\u00ad", run),
    "zero width": lambda run: "\u200b".join(run),
    "directions": lambda run: "\u2068" + run + "\u2069",
    "numbers for letters": lambda run: "".join(f"&#{ord(c)};" if c in "áeěřt" else c for c in run),
    "entities": html.escape,
}


@settings(max_examples=150)
@given(phrases(whole=False), st.lists(st.sampled_from(sorted(RETYPED)), unique=True, max_size=3))
def test_every_phrase_is_found_when_quote_or_source_is_retyped(phrase, ways):
    text, run = phrase
    quote = run
    for way in sorted(ways, key=list(RETYPED).index):
        quote = RETYPED[way](quote)
    assert found(quote, text).split() == run.split()
    assert find_quote(run, f"Before. {quote} After.") is not None


@settings(max_examples=150)
@given(phrases(whole=False), st.data())
def test_a_phrase_with_a_word_changed_left_out_or_moved_is_not_found(phrase, data):
    text, run = phrase
    words = run.split()
    i = data.draw(st.integers(0, len(words) - 1))
    way = data.draw(st.sampled_from(["changed", "left out", "moved"]))
    if way == "changed":
        words[i] += "ж"
    elif way == "left out":
        assume(0 < i < len(words) - 1 and any(map(str.isalnum, words[i])))
        del words[i]
    else:
        words.insert(0, words.pop(i))
    changed = " ".join(words)
    assume(changed not in " ".join(text.split()))
    assert find_quote(changed, text) is None


@settings(max_examples=60)
@given(st.integers(0, len(ARTICLES) - 1), st.data())
def test_every_sentence_of_a_chunk_is_found_however_short(number, data):
    text = ARTICLES[number]
    chunks = split_words(text, size=data.draw(st.sampled_from([20, 80])))
    chunk = chunks[data.draw(st.integers(0, len(chunks) - 1))]
    for a, b in sentences(chunk.text):
        if any(map(str.isalnum, chunk.text[a:b])):
            assert found(chunk.text[a:b], chunk.text) == chunk.text[a:b]


signs = st.text(alphabet="ab .,-–—−\n\u00ad\u200b\u0301“'*&;lt…\u05b8ש", max_size=40)


@settings(max_examples=300)
@given(signs, signs)
@example("a b - c", "a b\u00ad\n- c")
@example("**a** b c", "a** b c")
def test_any_signs_at_all_give_a_place_inside_the_source_or_none(quote, source):
    place = find_quote(quote, source)
    if place is not None:
        start, end = place
        assert 0 <= start < end <= len(source)
        assert find_quote(source[start:end], source) is not None or len(quote.split()) < 3


@settings(max_examples=300)
@given(st.lists(st.tuples(st.text("ab", min_size=1), signs), min_size=3, max_size=5))
def test_three_words_with_any_signs_between_are_their_own_quote(parts):
    text = " ".join(f"{word} {noise}" for word, noise in parts)
    assert find_quote(text, text) is not None
