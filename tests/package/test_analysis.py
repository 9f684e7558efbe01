"""Terms: the published examples, and equal text gives equal terms however it was typed."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.analysis import ANALYZERS, letters, stems, trigrams, words


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
