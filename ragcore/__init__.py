"""ragcore: giving a language model the right information, one idea a module.

The modules in the order in which a question travels:

    corpus ─► chunking ─► analysis ─► hits ─► bm25        evaluation measures it
"""

from .analysis import stems, trigrams, words
from .bm25 import BM25
from .chunking import Chunk, split_words
from .corpus import Article, Question, load_corpus, load_questions, read_folder
from .evaluation import hit_rate, mean_reciprocal_rank, rank_of_answer, right_chunks
from .hits import Hit

__all__ = [
    "BM25",
    "Article",
    "Chunk",
    "Hit",
    "Question",
    "hit_rate",
    "load_corpus",
    "load_questions",
    "mean_reciprocal_rank",
    "rank_of_answer",
    "read_folder",
    "right_chunks",
    "split_words",
    "stems",
    "trigrams",
    "words",
]
