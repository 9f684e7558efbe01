"""Several rankings into one, by ranks alone: reciprocal rank fusion.

    RRF(d) = Σ_j  w_j / (c + rank_j(d))

    rank_j(d)  the place of chunk d in ranking j, from 1; a ranking that lacks d adds nothing
    c          how much the first places stand out: small, a first place beats everything; large, being
               listed twice beats being listed first. 60 in Cormack et al. 2009, fixed there in a pilot
    w_j        the weight of ranking j, 1 unless said otherwise

Scores are not looked at, so rankings whose scores have nothing in common can be fused.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from .chunking import Chunk
from .hits import DECIMALS, Hit

C = 60


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Hit]], c: float = C, weights: Sequence[float] | None = None
) -> list[Hit]:
    """All chunks of the rankings in the order of their RRF score.

    rankings: each best first; places count from 1 in the order of the list. A chunk that is listed twice in one
    ranking counts once, at its better place; the others keep theirs. Equal scores: the better single place
    first, then the one seen first. The input is not changed.
    Raises ValueError for c < 0, for weights that are negative or not one a ranking, and when chunks with one
    identity (article, start, end) have different texts.

    >>> from ragcore.chunking import split_words
    >>> a, b, x = split_words("a b x", size=1)
    >>> both = [Hit(x, 9, 1), Hit(a, 2, 2)], [Hit(b, 7, 1), Hit(a, 1, 2)]
    >>> [(hit.chunk.text, round(hit.score, 4)) for hit in reciprocal_rank_fusion(both)]
    [('a', 0.0323), ('x', 0.0164), ('b', 0.0164)]
    """
    if weights is None:
        weights = [1.0] * len(rankings)
    if not (isfinite(c) and c >= 0):
        raise ValueError(f"c must be at least 0, not {c}")
    if len(weights) != len(rankings) or not all(isfinite(w) and w >= 0 for w in weights):
        raise ValueError(f"{len(rankings)} rankings need as many weights of at least 0, not {list(weights)}")
    chunks: dict[tuple[str, int, int], Chunk] = {}
    scores: dict[tuple[str, int, int], float] = {}
    places: dict[tuple[str, int, int], int] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        seen = set()
        for place, hit in enumerate(ranking, start=1):
            key = hit.chunk.key
            if chunks.setdefault(key, hit.chunk).text != hit.chunk.text:
                raise ValueError(
                    f"two chunks are both {key} and have different texts: give every article its own id"
                )
            if key not in seen:
                seen.add(key)
                scores[key] = scores.get(key, 0.0) + weight / (c + place)
                places[key] = min(places.get(key, place), place)
    order = sorted(scores, key=lambda key: (-round(scores[key], DECIMALS), places[key]))
    return [Hit(chunks[key], scores[key], rank) for rank, key in enumerate(order, start=1)]
