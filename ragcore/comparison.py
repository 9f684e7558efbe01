"""Other terms, other passages: the settings of an index side by side, on the same notes and questions.

    settings ─► cut, index ─► ranks ─► Hit@k, MRR, quotes cut in two ─sign test─► better or worse than the first?

The first row is the index as it is, and every other is compared with it question by question. Nothing is written.

What it does not do: choose. The best of many settings on few questions is partly luck (see `held_out`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from .corpus import Article, Question
from .evaluation import SignTest, hit_rate, mean_reciprocal_rank, reciprocal_ranks, right_chunks, sign_test
from .experiments import bm25, run
from .notes import Notes
from .notestore import Settings


@dataclass(frozen=True)
class Row:
    """One setting on all questions. cut_in_two: questions of whose quotes no passage holds one whole.

    test: against the first row, by 1 / rank; None for the first row itself.
    """

    settings: Settings
    ranks: tuple[int | None, ...]
    chunks: int
    cut_in_two: int
    hit_rate: float
    mrr: float
    test: SignTest | None

    @property
    def questions(self) -> int:
        return len(self.ranks)

    def facts(self) -> dict[str, Any]:
        """The row for a machine."""
        test = {"better": self.test.first, "worse": self.test.second, "p": self.test.p} if self.test else {}
        return {**asdict(self.settings), "chunks": self.chunks, "cut_in_two": self.cut_in_two,
                "hit_rate": self.hit_rate, "mrr": self.mrr, "ranks": list(self.ranks), **test}  # fmt: skip


def grid(
    analyzers: Sequence[str], cuts: Sequence[str], sizes: Sequence[int], overlaps: Sequence[int]
) -> list[Settings]:
    """All settings that these lists allow, in their order; along the structure there is no overlap.

    >>> len(grid(["words", "stems"], ["structure", "words"], [40, 80], [0, 20]))
    12
    """
    found = []
    for analyzer, cut, size in product(analyzers, cuts, sizes):
        shared = [0] if cut == "structure" else [overlap for overlap in overlaps if overlap < size]
        found += [Settings(analyzer, cut, size, overlap) for overlap in shared]
    return list(dict.fromkeys(found))


def compare(
    notes: Notes, questions: Sequence[Question], tried: Sequence[Settings], k: int = 5
) -> tuple[list[Row], list[Question]]:
    """A row for the index's own settings and one for each that is tried; and the questions that were left out.

    Left out are questions without an answer, or whose answer does not stand in the notes of the index. Raises
    ValueError if none is left.
    """
    articles = notes.articles
    texts = {article.id: article.text for article in articles}
    asked = [q for q in questions if q.article in texts and all(answer in texts[q.article] for answer in q.answers)]
    left_out = [q for q in questions if q.article and q not in asked]
    if not asked:
        raise ValueError("no question has an answer that stands in the notes of this index: try `ragcore evaluate`")
    rows: list[Row] = []
    for settings in dict.fromkeys([notes.settings, *tried]):
        rows.append(_row(articles, asked, settings, k, rows[0] if rows else None))
    return rows, left_out


def _row(
    articles: Sequence[Article], asked: Sequence[Question], settings: Settings, k: int, first: Row | None
) -> Row:
    ranks = run(articles, asked, settings.split, bm25(settings.function()))
    chunks = [chunk for article in articles for chunk in settings.split(article)]
    whole = sum(any(a in chunk.text for chunk in right_chunks(q, chunks) for a in q.answers) for q in asked)
    test = sign_test(reciprocal_ranks(ranks), reciprocal_ranks(first.ranks)) if first else None
    return Row(settings, tuple(ranks), len(chunks), len(asked) - whole, hit_rate(ranks, k),
               mean_reciprocal_rank(ranks), test)  # fmt: skip


def held_out(rows: Sequence[Row], rounds: int = 200, seed: int = 0) -> tuple[float, float]:
    """What choosing is worth: the mean MRR of the best row on the half that chose it, and on the other half.

    The questions are halved at random, `rounds` times; ties go to the earlier row. Raises ValueError for fewer than
    two questions.
    """
    values = np.array([reciprocal_ranks(row.ranks) for row in rows])
    count = values.shape[1]
    if count < 2:
        raise ValueError(f"halving takes at least 2 questions, not {count}")
    random, chosen, other = np.random.default_rng(seed), [], []
    for _ in range(rounds):
        order = random.permutation(count)
        one, two = values[:, order[: count // 2]].mean(axis=1), values[:, order[count // 2 :]].mean(axis=1)
        best = int(np.argmax(np.round(one, 12)))
        chosen.append(one[best])
        other.append(two[best])
    return float(np.mean(chosen)), float(np.mean(other))
