"""From a question to a checked answer, or to a refusal that says why: the whole row in one class.

    question ─search─► hits ─threshold─► passages ─build_context─► prompt ─model─► text ─check─► answer

Three layers keep it from answering what the documents do not say:

    1  before the model   nothing found, or nothing near enough: the model is not called
    2  in the prompt      the instruction to say so when the sources are silent
    3  after the model    an answer without a source that was given is none

    near enough:  score(D, q) / Σ_{t∈q} idf(t)·(k₁ + 1)  ≥  threshold      between 0 and 1, for every question alike

What no layer sees: a claim that cites a source and is not supported by it (see `citations.check_support`), and a
mistake in the documents. «The sources do not say» is not «the sources say no».
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .analysis import Analyzer, stems
from .bm25 import BM25
from .chunking import Chunk, sentences, split_structure
from .citations import Citations, check_citations, is_refusal
from .compression import Passage
from .context import Context, build_context
from .corpus import Article
from .extractive import ExtractiveModel
from .generation import Model
from .hits import Hit
from .prompting import RENDERINGS, instructions, phrases_of
from .tokens import WORDS, Tokenizer

Kind = Literal["answered", "partial", "refused"]
Reason = Literal["", "nothing found", "under the threshold", "nothing fits", "the sources are silent", "no source"]


@dataclass(frozen=True)
class Source:
    """Where a cited passage comes from: its id in the answer, the document, and the headings above it."""

    id: str
    document: str
    title: str
    section: tuple[str, ...]
    passage: Passage


@dataclass(frozen=True)
class Answer:
    """What came of a question.

    kind: `answered`; `partial` if a sentence has no source, or says that the sources are silent; `refused`.
    reason: why it was refused, for a machine. nearness: the best hit's score as a share of the highest possible.
    sources: those cited, in order of first use. citations: the check, None if the model was not called.
    raw: what the model wrote, whatever became of it. context: what it was given.
    """

    kind: Kind
    text: str
    reason: Reason
    nearness: float
    sources: tuple[Source, ...] = ()
    citations: Citations | None = None
    raw: str = ""
    context: Context | None = None


class Rag:
    """Answers questions from documents.

    threshold: how near the best hit must be, from 0 to 1; the chapter on refusing shows how to choose it on
    questions of your own. model: whatever has `generate`. budget: tokens of the prompt, by `tokenizer`. The other
    parameters are those of the steps. Raises ValueError for a threshold outside 0 … 1.

    >>> notes = [Article("a.md", "Notes", "en", "Momentum damps the swings. Graphs have edges.")]
    >>> rag = Rag(notes)
    >>> answer = rag.ask("What damps the swings?")
    >>> answer.kind, answer.text, answer.sources[0].document
    ('answered', 'Momentum damps the swings. [S1]', 'a.md')
    >>> rag.ask("Who won the match?").text
    'The sources do not say.'
    """

    def __init__(
        self,
        articles: Sequence[Article],
        *,
        model: Model | None = None,
        split: Callable[[Article], list[Chunk]] = split_structure,
        analyzer: Analyzer = stems,
        k: int = 5,
        threshold: float = 0.15,
        budget: int = 1000,
        tokenizer: Tokenizer = WORDS,
        language: str = "en",
        render: str = "tagged",
    ):
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold must lie between 0 and 1, not be {threshold}")
        self.index = BM25([chunk for article in articles for chunk in split(article)], analyzer)
        self.model = model or ExtractiveModel(analyzer=analyzer)
        self.k, self.threshold, self.budget, self.tokenizer = k, threshold, budget, tokenizer
        self.language, self.render = language, render

    def ask(self, question: str) -> Answer:
        """The answer, checked, or a refusal with its reason. Raises ModelError if the model fails."""
        hits = self.index.search(question, self.k)
        near = self.nearness(question, hits)
        if not hits:
            return self._refuse("nothing found", near)
        if near < self.threshold:
            return self._refuse("under the threshold", near)
        context = self.context(question, hits)
        if not context.prompt.sources:
            return self._refuse("nothing fits", near, context=context)
        raw = self.model.generate(context.prompt.text)
        return self.check(raw, context, near)

    def nearness(self, question: str, hits: Sequence[Hit]) -> float:
        """The best hit's score as a share of the highest that this question allows; 0 without hits."""
        return hits[0].score / self.index.ceiling(question) if hits else 0.0

    def context(self, question: str, hits: Sequence[Hit]) -> Context:
        """The prompt for these hits: the four instructions, the passages that fit, the question last."""
        system = instructions(self.language, id=RENDERINGS[self.render].id.format(1))
        passages = [Passage(hit.chunk, hit.score) for hit in hits]
        return build_context(
            system, passages, question, self.budget,
            render=self.render, language=self.language, tokenizer=self.tokenizer,
        )  # fmt: skip

    def check(self, raw: str, context: Context, nearness: float) -> Answer:
        """The third layer: what a model wrote, as an answer, a partial one or a refusal."""
        given = context.prompt.sources
        citations = check_citations(raw, given)
        if is_refusal(raw):
            return self._refuse("the sources are silent", nearness, raw, citations, context)
        if not citations.sources:
            return self._refuse("no source", nearness, raw, citations, context)
        silent = any(is_refusal(raw[start:end]) for start, end in sentences(raw))
        kind: Kind = "answered" if citations.sound and not silent else "partial"
        sources = tuple(_source(id, given[id]) for id in citations.sources)
        return Answer(kind, raw, "", nearness, sources, citations, raw, context)

    def _refuse(
        self,
        reason: Reason,
        nearness: float,
        raw: str = "",
        citations: Citations | None = None,
        context: Context | None = None,
    ) -> Answer:
        text = phrases_of(self.language).not_there
        return Answer("refused", text, reason, nearness, (), citations, raw, context)


def _source(id: str, passage: Passage) -> Source:
    article = passage.chunk.article
    return Source(id, article.id, article.title or article.id, passage.chunk.section, passage)
