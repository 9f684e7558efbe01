"""ragcore: giving a language model the right information, one idea a module.

The modules in the order in which a question travels; each imports only from its left:

    corpus ─► chunking ─► analysis ─► hits ─► bm25, dense ─► fusion ─► reranking ─► diversity ─► quotes
    ─► compression ─► tokens ─► budget ─► ordering ─► defences ─► prompting ─► context
    ─► generation, extractive ─► citations ─► structured ─► streaming ─► rag

evaluation, experiments, thresholds and lookup measure; costs, thinking and beam say what a prompt and a chain of
thoughts cost; memory and summaries keep what was said; notes, notestore, diagnosis and comparison are for a folder
of your own, with cli in front; vectors holds the book's own. fast/ has quicker ways to the same results, stores/
engines outside of the process, explore/ and figures/ the book's interactive figures.
"""

from .analysis import stems, trigrams, words
from .bm25 import BM25
from .chunking import Chunk, merge_adjacent, split_structure, split_words
from .compression import Passage
from .context import build_context
from .corpus import Article, Question, load_corpus, load_questions, read_folder
from .dense import DenseIndex, cosine
from .evaluation import hit_rate, mean_reciprocal_rank, rank_of_answer, right_chunks
from .fusion import reciprocal_rank_fusion
from .hits import Hit
from .prompting import build_prompt, instructions
from .rag import Answer, Rag

__all__ = [
    "BM25",
    "Answer",
    "Article",
    "Chunk",
    "DenseIndex",
    "Hit",
    "Passage",
    "Question",
    "Rag",
    "build_context",
    "build_prompt",
    "cosine",
    "hit_rate",
    "instructions",
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
