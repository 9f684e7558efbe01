"""The answer to a reader's own question: the passages that are found, each taken apart.

    question ─► the k best passages, each as `dissection` shows it, or a sentence: nothing to search for

The box «Type your own question» (`ragcore.explore.Ask`) shows it: in a live notebook the kernel computes it, on the
published page the same function does, in the reader's browser.
"""

from __future__ import annotations

from functools import cache
from xml.etree.ElementTree import Element

from ..analysis import ANALYZERS, words
from ..bm25 import BM25
from ..chunking import split_words
from ..corpus import load_corpus
from ..explore.html import Part, tag, write
from .dissection import dissection

MAX_CHARACTERS = 300  # twice the longest question of the book; each of its terms is a row in the table of each hit
MAX_ROWS = 12  # a longer table is folded


@cache
def index(language: str, analyzer: str) -> BM25:
    """The book's corpus in one language, in chunks of 80 words, indexed under one analyzer; built once.

    Raises ValueError for a language without a corpus and for an analyzer that is none of the book's three.
    """
    if analyzer not in ANALYZERS:
        raise ValueError(f"no analyzer {analyzer!r}; there are: {', '.join(ANALYZERS)}")
    chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
    return BM25(chunks, ANALYZERS[analyzer])


def answer(question: str, language: str = "cs", analyzer: str = "stems", k: int = 5) -> str:
    """The k best passages for a question, as HTML: sentences that sum them up, then each one taken apart.

    Nothing typed, nothing that is a word, no word of the corpus: a sentence says so. Of a question of more than 300
    characters only the beginning is asked, and a sentence says that too. Raises ValueError as `index` does, and
    for k < 1.

    >>> answer("?")
    '<p class="explore-sentence">There is no letter and no digit in this question: nothing to search for.</p>'
    """
    corpus = index(language, analyzer)
    whole = question.strip()
    asked = whole if len(whole) <= MAX_CHARACTERS else whole[:MAX_CHARACTERS].rsplit(maxsplit=1)[0]
    hits = corpus.search(asked, k)
    parts = [*_summary(corpus, asked, len(hits)), *(_folded(dissection(corpus, asked, hit)) for hit in hits)]
    if asked != whole:
        parts.insert(0, _sentence(f"Of {len(whole):,} characters the first {len(asked)} are asked."))
    return "".join(write(part) for part in parts)


def _summary(corpus: BM25, question: str, shown: int) -> list[Element]:
    if not question:
        return [_sentence("Nothing is asked yet: type a question.")]
    if not words(question):
        return [_sentence("There is no letter and no digit in this question: nothing to search for.")]
    unknown = [tag("bdi", word) for word in dict.fromkeys(words(question)) if not _known(corpus, word)]
    # words may run from right to left, the commas between them do not
    listed = [part for word in unknown for part in (word, ", ")][:-1]
    if not shown:
        return [_sentence("Nothing is found: the corpus has no word of this question: ", *listed, ".")]
    found = int((corpus.scores(question) > 0).sum())
    counts = f"Passages that share a term with the question: {found} of {len(corpus)}. Shown, best first: {shown}."
    return [_sentence(counts), *([_sentence("Not in the corpus: ", *listed, ".")] if unknown else [])]


def _known(corpus: BM25, word: str) -> bool:
    return any(term in corpus.vocabulary for term in corpus.analyzer(word))


def _folded(hit: Element) -> Element:
    """A hit taken apart, its table folded away if it is long."""
    table = hit[-1]
    if (rows := len(table.findall("tbody/tr"))) > MAX_ROWS:
        hit.remove(table)
        hit.append(tag("details", tag("summary", f"What each of the {rows} terms adds"), table))
    return hit


def _sentence(*parts: Part) -> Element:
    return tag("p", *parts, class_="explore-sentence")
