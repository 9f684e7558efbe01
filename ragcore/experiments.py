"""One experiment: a way to cut, a way to search, a list of questions, and the rank of every answer.

    articles ─split─► chunks ─engine─► search ─questions─► ranks

    run(articles, questions, split_words, bm25(stems))  ─►  [1, 4, None, 2, …]

An engine takes the chunks and gives back a function from a question to its hits, best first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .analysis import Analyzer
from .bm25 import BM25, K1, B
from .chunking import Chunk, split_words
from .corpus import Article, Question
from .dense import DenseIndex, Encoder
from .evaluation import rank_of_answer, right_chunks
from .fusion import C, reciprocal_rank_fusion
from .generation import Model
from .hits import Hit
from .prompting import PromptVersion

Search = Callable[[Question], Sequence[Hit]]
Engine = Callable[[Sequence[Chunk]], Search]


def run(
    articles: Sequence[Article],
    questions: Sequence[Question],
    split: Callable[[Article], list[Chunk]] = split_words,
    engine: Engine | None = None,
    progress: bool = False,
) -> list[int | None]:
    """The rank of every question's answer, None where it was not found at all.

    split: cuts one article; engine: default BM25 over words. progress: show a bar (needs tqdm).
    Raises ValueError for a question without an answer.
    """
    chunks = [chunk for article in articles for chunk in split(article)]
    search = (engine or bm25())(chunks)
    return [rank_of_answer(search(q), right_chunks(q, chunks)) for q in _bar(questions, progress)]


def bm25(analyzer: Analyzer | None = None, k1: float = K1, b: float = B) -> Engine:
    """BM25 over whole words, or over the terms of an analyzer; all chunks that share a term are ranked."""

    def engine(chunks: Sequence[Chunk]) -> Search:
        index = BM25(chunks, k1=k1, b=b) if analyzer is None else BM25(chunks, analyzer, k1, b)
        return lambda question: index.search(question.text, k=max(1, len(chunks)))

    return engine


def dense(encoder: Encoder) -> Engine:
    """Exact search by the vectors of an encoder; every chunk is ranked."""

    def engine(chunks: Sequence[Chunk]) -> Search:
        index = DenseIndex(chunks, encoder.passages([chunk.text for chunk in chunks]))
        return lambda question: index.search(encoder.queries([question.text])[0], k=max(1, len(chunks)))

    return engine


def hybrid(*engines: Engine, c: float = C, weights: Sequence[float] | None = None) -> Engine:
    """Several engines, their rankings fused by RRF."""

    def engine(chunks: Sequence[Chunk]) -> Search:
        searches = [one(chunks) for one in engines]
        return lambda question: reciprocal_rank_fusion([search(question) for search in searches], c, weights)

    return engine


class Case(NamedTuple):
    """A known case for a prompt: what fills its template, and whether an answer will do."""

    fields: Mapping[str, str]
    passes: Callable[[str], bool]


class Comparison(NamedTuple):
    """What two versions of a prompt made of one case."""

    case: Case
    old: str
    new: str
    old_passes: bool
    new_passes: bool


def compare_prompts(
    old: PromptVersion, new: PromptVersion, cases: Sequence[Case], model: Model, progress: bool = False
) -> list[Comparison]:
    """Two versions of a prompt side by side over known cases, before one replaces the other.

    Whether the new one is better is a paired question: give `old_passes` and `new_passes` to `sign_test`. Raises
    ValueError without cases, ModelError if the model fails.
    """
    if not cases:
        raise ValueError("comparing two prompts needs at least one case")
    rows = []
    for case in _bar(cases, progress):
        before, after = model.generate(old.fill(**case.fields)), model.generate(new.fill(**case.fields))
        rows.append(Comparison(case, before, after, case.passes(before), case.passes(after)))
    return rows


def _bar(items: Iterable[Any], shown: bool) -> Iterable[Any]:
    if not shown:
        return items
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("a progress bar needs tqdm: pip install 'ragcore[progress]'") from None
    bar: Iterable[Any] = tqdm(items)
    return bar
