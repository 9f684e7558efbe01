"""Terms: the published examples, and equal text gives equal terms however it was typed."""

import importlib
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import load_corpus
from ragcore.analysis import ANALYZERS, SNOWBALL, letters, normalize, snowball, stems, trigrams, words
from ragcore.fast.cutting import terms_of_many


def test_indukci_and_indukce_share_no_word_one_stem_and_five_of_seven_trigrams():
    one, other = "indukcí", "indukce"
    assert len(set(words(one)) & set(words(other))) == 0
    assert len(set(stems(one)) & set(stems(other))) == 1
    assert len(trigrams(one)) == len(trigrams(other)) == 7
    assert len(set(trigrams(one)) & set(trigrams(other))) == 5


def test_five_letters_join_what_belongs_together_and_what_does_not():
    assert set(stems("matematika matematickou matematik")) == {"matem"}
    assert set(stems("prostá prostor prostředí")) == {"prost"}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("l'indice dell’errore", ["l", "indice", "dell", "errore"]),
        ("BM25, BM11, BM", ["bm25", "bm11", "bm"]),
        ("snake_case", ["snake", "case"]),
        ("in\u00addukce", ["indukce"]),
        ("Ign\u200bore", ["ignore"]),
        ("❤️ 👨‍👩‍👧 —", []),
        ("", []),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("ג'ירפה", ["ג׳ירפה"]),
        ("רח' הרצל, רח׳ הרצל", ["רח", "הרצל", "רח", "הרצל"]),
        ('"שלום" ״שלום״', ["שלום", "שלום"]),
        ('צַהַ"ל צַהַ״ל', ["צַהַ״ל", "צַהַ״ל"]),
        ('צה\u200f"ל', ["צה״ל"]),
        ("a\u034fb c\U000e0100d", ["ab", "cd"]),
        ("«v», (lese)", ["v", "lese"]),
        ("P(A | B) = 0,5", ["p", "a", "b", "0", "5"]),
    ],
)
def test_what_belongs_to_a_word(text, terms):
    assert words(text) == [unicodedata.normalize("NFC", term) for term in terms]


def test_a_pointed_hebrew_stem_keeps_its_points():
    word = unicodedata.normalize("NFC", "מִתֵּמָטִיקָה")
    assert len(letters(stems(word)[0])) == 5
    assert word.startswith(stems(word)[0])


@pytest.mark.parametrize("name", ANALYZERS)
@given(text=st.text())
def test_composed_and_decomposed_text_gives_the_same_terms(name, text):
    analyze = ANALYZERS[name]
    assert analyze(unicodedata.normalize("NFD", text)) == analyze(unicodedata.normalize("NFC", text))


@given(st.text())
def test_a_word_of_L_letters_gives_L_trigrams_and_one_stem(text):
    assert len(trigrams(text)) == sum(len(letters(word)) for word in words(text))
    assert len(stems(text)) == len(words(text))


@given(st.text())
def test_terms_are_never_empty_and_hold_no_white_space(text):
    assert all(term and not any(map(str.isspace, term)) for term in words(text))


# ------------------------------------------------------------------ the quick ways against the plain definitions


def words_as_defined(text: str) -> list[str]:
    """What belongs to a word, one character after the other, as the module's docstring decides it."""

    def invisible(c: str) -> bool:
        joiner = c == "\u034f" or "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
        return unicodedata.category(c) == "Cf" or joiner

    text = "".join(c for c in normalize(text) if not invisible(c))
    read = {"'": "\u05f3", "\u2019": "\u05f3", '"': "\u05f4", "\u201d": "\u05f4"}
    hebrew = "([\u05d0-\u05ea][\u0591-\u05c7]*)(['\"\u2019\u201d])(?=[\u05d0-\u05ea])"
    text = re.sub(hebrew, lambda match: match[1] + read[match[2]], text)
    kept = "".join(
        c if c.isalnum() or unicodedata.category(c)[0] == "M" or c in "\u05f3\u05f4" else " " for c in text
    )
    found = [word.strip("\u05f3\u05f4") for word in kept.split()]
    return [word for word in found if any(c.isalnum() for c in word)]


telling = "ab ČrR\u030c\u0301\u05d0\u05b8\u05f3'\"’_·\u00ad\u200d\ufe0f²٣ß"
letters_and_marks = st.text(st.one_of(st.characters(), st.sampled_from(telling)), max_size=60)


@given(letters_and_marks)
def test_words_are_those_of_the_definition_for_all_of_unicode(text):
    assert words(text) == words_as_defined(text)


@pytest.mark.parametrize("analyzer", [words, stems, trigrams, str.split])
@given(texts=st.lists(letters_and_marks, max_size=6))
def test_many_texts_at_once_give_the_terms_of_each(analyzer, texts):
    terms, counts = terms_of_many(analyzer, texts)
    each = [analyzer(text) for text in texts]
    assert terms == [term for own in each for term in own]
    assert counts == [len(own) for own in each]


@pytest.mark.parametrize("language", ["cs", "en"])
def test_many_texts_at_once_give_the_terms_of_the_whole_corpus(language):
    texts = [article.text for article in load_corpus(language)]
    for analyzer in (stems, trigrams):
        assert terms_of_many(analyzer, texts)[0] == [term for text in texts for term in analyzer(text)]


@pytest.mark.parametrize("language", ["cs", "en", "it"])
def test_the_compiled_stemmer_gives_the_stems_of_the_one_in_python(language):
    compiled = pytest.importorskip("Stemmer").Stemmer(SNOWBALL[language], 0)
    plain = importlib.import_module(f"snowballstemmer.{SNOWBALL[language]}_stemmer")
    stemmer = getattr(plain, f"{SNOWBALL[language].title()}Stemmer")()
    forms = sorted(
        {word for article in load_corpus("cs" if language == "cs" else "en") for word in words(article.text)}
    )
    assert compiled.stemWords(forms) == stemmer.stemWords(forms)
    assert snowball(language)(" ".join(forms)) == [normalize(stem) for stem in compiled.stemWords(forms)]
