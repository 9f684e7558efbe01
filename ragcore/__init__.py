"""ragcore: giving a language model the right information, one idea a module.

The modules in the order in which a question travels:

    corpus ─► chunking ─► analysis ─► hits ─► bm25, dense ─► fusion        evaluation and experiments measure it
"""

from .analysis import stems, trigrams, words
from .bm25 import BM25
from .chunking import Chunk, merge_adjacent, split_structure, split_words
from .corpus import Article, Question, load_corpus, load_questions, read_folder
from .dense import DenseIndex, cosine
from .evaluation import hit_rate, mean_reciprocal_rank, rank_of_answer, right_chunks
from .fusion import reciprocal_rank_fusion
from .hits import Hit

__all__ = [
    "BM25",
    "Article",
    "Chunk",
    "DenseIndex",
    "Hit",
    "Question",
    "cosine",
    "hit_rate",
    "load_corpus",
    "load_questions",
    "mean_reciprocal_rank",
    "merge_adjacent",
    "rank_of_answer",
    "read_folder",
    "reciprocal_rank_fusion",
    "right_chunks",
    "split_structure",
    "split_words",
    "stems",
    "trigrams",
    "words",
]
