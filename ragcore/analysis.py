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
from functools import cache

Analyzer = Callable[[str], list[str]]

STEM_LETTERS = 5

_HEBREW_QUOTE = re.compile("([\u05d0-\u05ea][\u0591-\u05c7]*)(['\"\u2019\u201d])(?=[\u05d0-\u05ea])")
_GERESH = {"'": "\u05f3", "\u2019": "\u05f3", '"': "\u05f4", "\u201d": "\u05f4"}


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
    text = normalize(text)
    outside = [c for c in set(text) if not _in_word(c)]
    for c in filter(_invisible, outside):
        text = text.replace(c, "")
    text = _HEBREW_QUOTE.sub(lambda match: match[1] + _GERESH[match[2]], text)
    for c in outside:
        text = text.replace(c, " ")
    found = text.split()
    if "".join(found).isalnum():  # letters and digits alone, as nearly always
        return found
    found = [word.strip("\u05f3\u05f4") for word in found]
    return [word for word in found if any(map(str.isalnum, word))]


@cache
def _invisible(c: str) -> bool:
    """Format characters (soft hyphen, zero width, direction), joiners and variation selectors."""
    return (
        unicodedata.category(c) == "Cf"
        or c == "\u034f"
        or "\ufe00" <= c <= "\ufe0f"
        or "\U000e0100" <= c <= "\U000e01ef"
    )


@cache
def _in_word(c: str) -> bool:
    kept = c.isalnum() or unicodedata.category(c).startswith("M") or c in "\u05f3\u05f4"
    return kept and not _invisible(c)


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


# ------------------------------------------------------------------ beside the three of the book

SNOWBALL = {"cs": "czech", "en": "english", "it": "italian"}


def snowball(language: str) -> Analyzer:
    """An analyzer that cuts endings off by the rules of a language (Snowball, Porter 2001).

    Needs the package snowballstemmer, and is faster with PyStemmer. Raises ValueError for a language that it lacks
    here (Hebrew among them).
    """
    if language not in SNOWBALL:
        raise ValueError(f"no Snowball stemmer for {language!r}; there are: {', '.join(SNOWBALL)}")
    stem_all = _stemmer(SNOWBALL[language])

    def analyze(text: str) -> list[str]:
        return [normalize(stem) for stem in stem_all(words(text))]

    analyze.__name__ = f"snowball_{language}"
    return analyze


def _stemmer(name: str) -> Callable[[list[str]], list[str]]:
    """PyStemmer where it is installed, in C; its cache off, since looking up takes longer than stemming."""
    stem: Callable[[list[str]], list[str]]
    try:
        import Stemmer

        stem = Stemmer.Stemmer(name, 0).stemWords
    except ImportError:
        try:
            import snowballstemmer
        except ImportError:
            raise ImportError("this analyzer needs snowballstemmer: pip install 'ragcore[languages]'") from None
        stem = snowballstemmer.stemmer(name).stemWords
    return stem


def lemmas(language: str) -> Analyzer:
    """An analyzer that looks every word up in a table of its dictionary form (simplemma, Barbaresi 2023).

    Needs the package simplemma. A word that is not in the table stays as it is. Raises ValueError for a
    language without a table.
    """
    try:
        import simplemma
    except ImportError:
        raise ImportError("this analyzer needs simplemma: pip install 'ragcore[languages]'") from None
    try:
        simplemma.lemmatize("a", lang=language)
    except ValueError:
        raise ValueError(f"simplemma has no table for {language!r}") from None

    def analyze(text: str) -> list[str]:
        return [normalize(simplemma.lemmatize(word, lang=language)) for word in words(text)]

    analyze.__name__ = f"lemmas_{language}"
    return analyze


ANALYZERS: dict[str, Analyzer] = {"words": words, "stems": stems, "trigrams": trigrams}
