"""From marks in an answer to sources that were really given: what is cited, what is not, and what is no citation.

    [S1]   [S1][S3]   [S1, S2]   [S1; S2]   [S1-S3]   【S1】   ［S1］   [s1]        are citations
    [S 1]  (S1)  [S1  S1]  [S٣]  [S1, 2]  [source 1]  [zdroj 1]  [fonte 1]  [מקור 1]    meant to be: reported
    [7]    [a]   [2024]                                                             are none, where ids begin with S

Ids of the numbered form are plain numbers; there [7] is a citation, and an unknown one if no source 7 was given.

What this does not see: whether the source supports the claim. That is the dearer check, `check_support`, and its
judge is a parameter: a model trained for it, another language model, or, as a cheap first look, shared words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from .chunking import sentences
from .compression import Passage
from .prompting import PHRASES
from .reranking import Scorer, score_texts

_MARK = re.compile(r"[\[【［]([^\[\]【】［］\n]*)[\]】］]")
_SOURCE = r"sources?|zdroj(?:e|i|ů|em|ích|ům)?|font[ei]|מקור(?:ות)?"  # how models name a source in words
# what was meant as a citation: S and a digit of any script, or a word for source and a number, in brackets or
# parentheses that need not be closed; or an id that only a closing bracket follows
_NEAR = re.compile(
    rf"[\[【［(（{{]\s*(?:s\s*\d|(?:{_SOURCE})\s*(?:č\.|n\.|no\.|#)?\s*\d)[^\[\]【】［］()（）\n]{{0,40}}[\]】］)）}}]?"
    r"|(?<!\w)s\s?\d+\s*[\]】］)）}]",
    re.I,
)


@dataclass(frozen=True)
class Mark:
    """A citation in an answer: where it stands, and the ids that it names, ranges written out."""

    start: int
    end: int
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Citations:
    """What an answer cites. All in the order of the answer, each once.

    sources: ids that were given. unknown: ids that never were. malformed: near misses, as they stand.
    uncited: sentences without a source that was given (one that says the sources are silent needs none).
    """

    sources: tuple[str, ...]
    unknown: tuple[str, ...]
    malformed: tuple[str, ...]
    uncited: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether every sentence has a source that was given, and nothing is unknown or malformed."""
        return not (self.unknown or self.malformed or self.uncited)


def check_citations(answer: str, given: Collection[str]) -> Citations:
    """What an answer cites, measured against the ids of the sources that its prompt held.

    given: the ids, all S and a number (`S1`) or all plain numbers (`1`). A citation belongs to the sentence that it
    stands in, or that it follows: «Claim. [S1]». Raises ValueError for other ids.

    >>> check_citations("It damps. [S1] It is fast [S9].", ["S1", "S2"])
    Citations(sources=('S1',), unknown=('S9',), malformed=(), uncited=('It is fast [S9].',))
    """
    marks, malformed = find_marks(answer, given)
    cited = dict.fromkeys(id for mark in marks for id in mark.ids)
    uncited = []
    for start, end, own in _sentences_with_marks(answer, given):
        text = answer[start : max([end, *(mark.end for mark in own)])]
        claims = any(letter.isalpha() for letter in answer[start:end]) and not is_refusal(answer[start:end])
        if claims and not any(id in given for mark in own for id in mark.ids):
            uncited.append(text)
    return Citations(
        tuple(id for id in cited if id in given),
        tuple(id for id in cited if id not in given),
        tuple(dict.fromkeys(malformed)),
        tuple(uncited),
    )


def find_marks(answer: str, given: Collection[str]) -> tuple[list[Mark], list[str]]:
    """The citations of an answer with their places, and the near misses as they stand.

    Of a range only the ids that were given are listed, and its two ends: [S1-S999] does not make 999 ids.
    """
    prefix = _prefix(given)
    marks = []
    for found in _MARK.finditer(answer):
        ids = list(_ids(found[1], prefix, given))
        if ids and all(ids):
            marks.append(Mark(found.start(), found.end(), tuple(dict.fromkeys(ids))))
    rest = _blanked(answer, [(mark.start, mark.end) for mark in marks])
    return marks, [found[0].strip() for found in _NEAR.finditer(rest)]


def replace_marks(answer: str, given: Collection[str], link: Callable[[str], str]) -> str:
    """The answer with every cited id that was given turned into what `link` makes of it; all else stays as it is.

    >>> replace_marks("It damps [S1, S2].", ["S1"], lambda id: f"[{id}](notes.md#{id})")
    'It damps [S1](notes.md#S1) [S2].'
    """
    pieces, place = [], 0
    for mark in find_marks(answer, given)[0]:
        linked = " ".join(link(id) if id in given else f"[{id}]" for id in mark.ids)
        pieces += [answer[place : mark.start], linked]
        place = mark.end
    return "".join([*pieces, answer[place:]])


def is_refusal(answer: str) -> bool:
    """Whether a text says only that the sources are silent, or that the model does not know, in our languages.

    >>> is_refusal("The sources do not say."), is_refusal("Nevím."), is_refusal("It was in 1812.")
    (True, True, False)
    """
    said = [_plain(answer[start:end]) for start, end in sentences(answer)]
    return bool(said) and all(sentence in _REFUSALS for sentence in said)


@dataclass(frozen=True)
class Claim:
    """A sentence of an answer, the source that it cites, and how far that source supports it (higher is better)."""

    sentence: str
    source_id: str
    support: float


def check_support(answer: str, sources: Mapping[str, Passage], judge: Scorer) -> list[Claim]:
    """Every pair of a sentence and a source that it cites, with the judge's opinion.

    judge: from a claim and texts to a number each. `reranking.by_coverage(index)` gives the share of the claim's
    words that the source holds: it notices a claim about something else, and neither a «not» nor words well chosen.

    >>> from ragcore import BM25, split_words
    >>> from ragcore.reranking import by_coverage
    >>> chunk = split_words("Momentum damps the swings.")[0]
    >>> judge = by_coverage(BM25([chunk]))
    >>> claims = check_support("Momentum damps swings [S1]. Paris is large [S1].", {"S1": Passage(chunk, 1)}, judge)
    >>> [(claim.source_id, claim.support) for claim in claims]
    [('S1', 1.0), ('S1', 0.0)]
    """
    claims = []
    for start, end, marks in _sentences_with_marks(answer, sources):
        claim = " ".join(_blanked(answer, [(mark.start, mark.end) for mark in marks])[start:end].split())
        ids = dict.fromkeys(id for mark in marks for id in mark.ids if id in sources)
        scores = score_texts(judge, claim, [sources[id].text for id in ids]) if ids else []
        claims += [Claim(claim, id, score) for id, score in zip(ids, scores, strict=True)]
    return claims


def _plain(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.casefold()))


_REFUSALS = {_plain(phrase) for phrases in PHRASES.values() for phrase in (phrases.not_there, phrases.do_not_know)}


def _sentences_with_marks(answer: str, given: Collection[str]) -> Iterator[tuple[int, int, list[Mark]]]:
    """Where each sentence stands, and the citations in it or behind it."""
    marks, _ = find_marks(answer, given)
    spans = sentences(_blanked(answer, [(mark.start, mark.end) for mark in marks]))
    for (start, end), (following, _) in pairwise([*spans, (len(answer), 0)]):
        yield start, end, [mark for mark in marks if start <= mark.start < following]


def _ids(inside: str, prefix: str, given: Collection[str]) -> Iterator[str]:
    """The ids between two brackets; an empty one for what is no id, so that the whole mark is none."""
    for part in re.split(r"[,;]", inside):
        ids = [_id(end, prefix) for end in re.split(r"[-–—]", part)]
        if len(ids) > 2 or not all(ids):
            yield ""
            continue
        first, last = ids[0], ids[-1]
        low, high = int(first[len(prefix) :]), int(last[len(prefix) :])
        if low > high:
            yield ""
            continue
        yield first
        inside_range = (id for id in given if low < int(id[len(prefix) :]) < high)
        yield from sorted(inside_range, key=lambda id: int(id[len(prefix) :]))
        yield last


def _id(text: str, prefix: str) -> str:
    match = re.fullmatch(rf"{prefix}([0-9]{{1,9}})", text.strip(), re.I)
    return prefix + match[1] if match else ""


def _prefix(given: Collection[str]) -> str:
    """«S» for ids like S1, nothing for plain numbers; no ids at all are taken for the first kind."""
    for prefix in ("S", ""):
        if all(re.fullmatch(prefix + "[0-9]{1,9}", id) for id in given):
            return prefix
    raise ValueError(f"ids must all be S and a number, or all plain numbers, not {sorted(given)}")


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with spaces in these places: every offset stays what it was."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text
