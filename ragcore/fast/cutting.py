"""Stems and trigrams of many texts at once; the terms are those of `analysis.stems` and `analysis.trigrams`.

    _the_cat_   ─►   _th the he_ _ca cat at_     every window of three but those with the mark in the middle

Where every letter is one character, a stem is a slice. For trigrams one array holds the characters of all texts,
and its windows become strings in one go, instead of one object a letter. A text in which marks stand on letters (a
letter is then more than one character) goes the way of `analysis`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..analysis import STEM_LETTERS, Analyzer, stems, trigrams, words

Many = Callable[[Sequence[str]], tuple[list[str], list[int]]]


def terms_of_many(analyzer: Analyzer, texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """The terms of all texts, one text after the other, and how many each has.

    >>> terms_of_many(trigrams, ["the cat", "", "a"])
    (['_th', 'the', 'he_', '_ca', 'cat', 'at_', '_a_'], [6, 0, 1])
    """
    if analyzer in _CUTTERS:
        return _CUTTERS[analyzer](texts)
    each = [analyzer(text) for text in texts]
    return [term for own in each for term in own], [len(own) for own in each]


def _stems(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    terms: list[str] = []
    counts = []
    for text in texts:
        found = words(text)
        cut = [word[:STEM_LETTERS] for word in found] if _one_character_a_letter(found) else stems(text)
        terms += cut
        counts.append(len(cut))
    return terms, counts


def _trigrams(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    terms: list[str] = []
    counts = []
    waiting: list[str] = []  # words in which every letter is one character, not yet cut
    for text in texts:
        found = words(text)
        if _one_character_a_letter(found):
            waiting += found
            counts.append(sum(map(len, found)))  # a word of L letters gives L trigrams
        else:
            own = trigrams(text)
            terms += _windows(waiting) + own
            waiting = []
            counts.append(len(own))
    return terms + _windows(waiting), counts


def _one_character_a_letter(found: Sequence[str]) -> bool:
    """Whether the words hold letters and digits alone: a mark is neither."""
    return "".join(found).isalnum()


def _windows(found: Sequence[str]) -> list[str]:
    """The trigrams of words in which every letter is one character."""
    if not found:
        return []
    characters = np.frombuffer(f"_{'_'.join(found)}_".encode("utf-32-le"), dtype="<u4")
    windows = sliding_window_view(characters, 3)[characters[1:-1] != ord("_")]
    cut: list[str] = np.ascontiguousarray(windows).view("<U3").ravel().tolist()
    return cut


_CUTTERS: dict[Analyzer, Many] = {stems: _stems, trigrams: _trigrams}
