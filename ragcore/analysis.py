"""Text into terms: what counts as the same word.

    «Důkaz indukcí»  ─►  words: důkaz, indukcí    stems: důkaz, induk    trigrams: _dů důk ůka kaz az_ _in …

An analyzer is any function from a text to a list of terms; question and chunks must go through the same one.

What belongs to a word: letters, digits, and the marks that stand on them. Decided, and the same everywhere:
* text is compared as NFC → casefold → NFC, so «bříza» typed with separate accents is one word, and ß is ss;
* digits belong to words: «BM25», «BM11» and «BM» are three;
* an apostrophe separates: «l'indice» gives l and indice, so the noun is found;
* a geresh or gershayim between Hebrew letters belongs to the word, and its ASCII look-alike is read as it;
* soft hyphens, zero-width and direction marks are invisible and do not count; the underscore separates.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

Analyzer = Callable[[str], list[str]]

STEM_LETTERS = 5

_HEBREW_QUOTE = re.compile("(?<=[\u05d0-\u05ea])['\"\u2019\u201d](?=[\u05d0-\u05ea])")
_GERESH = {"'": "\u05f3", "\u2019": "\u05f3", '"': "\u05f4", "\u201d": "\u05f4"}
_IN_WORD = {"\u05f3", "\u05f4"}


def normalize(text: str) -> str:
    """Text in the form in which it is compared: NFC → casefold → NFC.

    >>> normalize("STRASSE") == normalize("straße"), normalize("ΟΔΟΣ") == normalize("οδος")
    (True, True)
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def words(text: str) -> list[str]:
    """The words of a text, in order, in the form in which they are compared.

    >>> words("BM25 a GPT-3: důkaz «indukcí»")
    ['bm25', 'a', 'gpt', '3', 'důkaz', 'indukcí']
    """
    text = _HEBREW_QUOTE.sub(lambda match: _GERESH[match.group()], normalize(text))
    table = {ord(c): _role(c) for c in set(text)}
    return [word for word in text.translate(table).split() if any(map(str.isalnum, word))]


def _role(c: str) -> str | None:
    """What a character does to a word: it stays in it, vanishes from it (None) or ends it (a space)."""
    category = unicodedata.category(c)
    if category == "Cf" or "\ufe00" <= c <= "\ufe0f":  # invisible: format characters, variation selectors
        return None
    return c if c.isalnum() or category.startswith("M") or c in _IN_WORD else " "


def letters(word: str) -> list[str]:
    """The letters of a word, each with the marks that stand on it.

    >>> len(letters("bříza")), len(letters("שָׁלוֹם"))
    (5, 4)
    """
    found: list[str] = []
    for c in word:
        if found and unicodedata.category(c).startswith("M"):
            found[-1] += c
        else:
            found.append(c)
    return found


def stems(text: str) -> list[str]:
    """The first five letters of every word: one term for most forms of an inflected word.

    >>> stems("indukcí indukce"), stems("prostá prostor prostředí")
    (['induk', 'induk'], ['prost', 'prost', 'prost'])
    """
    return ["".join(letters(word)[:STEM_LETTERS]) for word in words(text)]


def trigrams(text: str) -> list[str]:
    """Every three neighbouring letters of `_word_`: a word of L letters gives L terms.

    >>> trigrams("indukce")
    ['_in', 'ind', 'ndu', 'duk', 'ukc', 'kce', 'ce_']
    """
    terms = []
    for word in words(text):
        padded = ["_", *letters(word), "_"]
        terms += ["".join(padded[i : i + 3]) for i in range(len(padded) - 2)]
    return terms


ANALYZERS: dict[str, Analyzer] = {"words": words, "stems": stems, "trigrams": trigrams}
