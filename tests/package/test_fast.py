"""The fast ways through BM25: each gives the hits of the plain methods to the bit, with numba and without."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragcore import BM25, load_corpus, load_questions, split_words, stems, trigrams, words
from ragcore.analysis import ANALYZERS
from ragcore.corpus import Article
from ragcore.fast import building, paths
from ragcore.fast.building import inverted, numbered
from ragcore.fast.maxscore import MARGIN, maxscore
from ragcore.hits import top_k
from ragcore.indexfile import DamagedIndexError, IndexFile

numba = pytest.importorskip("numba")

from ragcore.fast import compiled  # noqa: E402
from ragcore.fast.columns import CANDIDATES, Columns  # noqa: E402
from ragcore.fast.exhaustive import best_of_all  # noqa: E402

CHUNKS = [chunk for article in load_corpus("cs") for chunk in split_words(article)]
QUESTIONS = [question.text for question in load_questions("cs")]
INDEXES = {name: BM25(CHUNKS, analyzer) for name, analyzer in ANALYZERS.items()}

texts = st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=40)
questions = st.lists(st.sampled_from("abcdex"), max_size=6).map(" ".join)


def index_of(documents: list[str], **options) -> BM25:
    return BM25([chunk for text in documents for chunk in split_words(text, size=10_000)], **options)


def drawn(size: int, seed: int = 0, **options) -> BM25:
    """An index of 40-word chunks, drawn from words of which few are frequent."""
    rng = np.random.default_rng(seed)
    ranks = np.minimum((30 * rng.pareto(0.8, (size, 40))).astype(int), 5000)
    return BM25(split_words(" ".join(f"w{rank}" for row in ranks for rank in row), size=40), str.split, **options)


def plain(index: BM25, question: str, k: int) -> list[tuple[int, float]]:
    """What `search` as it is written finds: chunks by number, and scores."""
    hits = [hit for hit in top_k(range(len(index)), index.scores(question), k) if hit.score > 0]
    return [(hit.chunk, hit.score) for hit in hits]


def numbers(index: BM25, question: str) -> np.ndarray:
    return np.array([index.vocabulary[t] for t in index.analyzer(question) if t in index.vocabulary], np.int64)


def pairs(found: tuple[np.ndarray, np.ndarray]) -> list[tuple[int, float]]:
    return list(zip(found[1].tolist(), found[0].tolist(), strict=True))


def by_reading_all(index: BM25, question: str, k: int) -> list[tuple[int, float]]:
    ids = numbers(index, question)
    return pairs(best_of_all(ids, index._starts, index._docs, index._impacts, len(index), min(k, len(index))))


def by_columns(index: BM25, question: str, k: int) -> list[tuple[int, float]] | None:
    ids, columns = numbers(index, question), index.__dict__.setdefault("columns", Columns(index))
    if not columns.fits(ids):
        return None
    found = columns.search(ids, k)
    return None if found is None else pairs(found)


# ------------------------------------------------------------------ searching


@pytest.mark.parametrize("name", ANALYZERS)
@pytest.mark.parametrize("k", [1, 10, 100])
def test_every_way_finds_the_plain_hits_for_the_questions_of_the_book(name, k):
    index = INDEXES[name]
    for question in QUESTIONS[k % 3 :: 3]:
        expected = plain(index, question, k)
        assert by_reading_all(index, question, k) == expected
        assert by_columns(index, question, k) == expected
        assert maxscore(index, question, k, block=64).best == expected
        assert [(hit.chunk, hit.score) for hit in index.search(question, k)] == [
            (CHUNKS[i], s) for i, s in expected
        ]


@settings(deadline=None)  # the first example compiles
@given(texts, questions, st.integers(1, 12), st.sampled_from([0.0, 1.2]), st.sampled_from([0.0, 0.75, 1.0]))
def test_every_way_finds_the_plain_hits_where_nearly_all_chunks_are_tied(documents, question, k, k1, b):
    index = index_of(documents, k1=k1, b=b)
    expected = plain(index, question, k)
    assert by_reading_all(index, question, k) == expected
    assert by_columns(index, question, k) in (expected, None)
    assert all(maxscore(index, question, k, block=block).best == expected for block in (1, 3, 1000))


@pytest.mark.parametrize(("size", "k1", "b"), [(20_000, 1.2, 0.75), (30_000, 0.5, 1.0), (10_000, 30.0, 0.3)])
def test_every_way_finds_the_plain_hits_across_blocks(size, k1, b):
    index = drawn(size, k1=k1, b=b)
    rng = np.random.default_rng(1)
    for n in range(60):
        picked = [index.chunks[i].text.split()[0] for i in rng.integers(0, size, 1 + n % 9)]
        question, k = " ".join(picked + picked[: n % 3]), (1, 10, 57)[n % 3]
        expected = plain(index, question, k)
        assert by_reading_all(index, question, k) == expected
        assert by_columns(index, question, k) == expected
        assert maxscore(index, question, k, block=4096).best == expected
        hits = index.search(question, k)
        assert [(hit.chunk, hit.score, hit.rank) for hit in hits] == [
            (index.chunks[i], score, rank) for rank, (i, score) in enumerate(expected, start=1)
        ]


def test_columns_give_up_where_too_many_chunks_are_alike_and_search_goes_another_way(monkeypatch):
    index = drawn(CANDIDATES * 4, k1=0.0)
    frequent = max(index.vocabulary, key=index.n_t)
    assert index.n_t(frequent) > CANDIDATES
    assert by_columns(index, frequent, 10) is None
    monkeypatch.setattr(compiled, "MANY", 0)
    assert [(hit.chunk, hit.score) for hit in index.search(frequent)] == [
        (index.chunks[i], score) for i, score in plain(index, frequent, 10)
    ]


def test_columns_refuse_a_question_that_is_too_long_for_sixteen_bits():
    index = INDEXES["words"]
    columns, rare = Columns(index), min(index.vocabulary, key=index.n_t)
    assert columns.fits(numbers(index, rare))
    assert not columns.fits(numbers(index, " ".join([rare] * 1000)))
    assert index.search(" ".join([rare] * 1000))[0].score == pytest.approx(1000 * index.search(rare)[0].score)


def test_a_level_is_never_below_the_impact_and_less_than_a_unit_above():
    index = INDEXES["trigrams"]
    columns = Columns(index)
    for question in QUESTIONS[:20]:
        columns.search(numbers(index, question), 10)
    assert columns.filled.sum() > 100
    for term, i in index.vocabulary.items():
        if (row := columns.row[i]) >= 0 and columns.filled[row]:
            docs, _, impacts = index.postings(term)
            over = columns.levels[row][docs] * columns.unit - impacts
            assert (over > -1e-12).all()
            assert (over < columns.unit + 1e-12).all()
            assert columns.levels[row].astype(bool).sum() == len(docs)


def test_scores_that_round_to_nothing_are_left_to_the_plain_way():
    index = index_of(["x", "a x", "b", "a", "a b"], k1=1.2)
    index._impacts = index._impacts * 1e-13
    assert [(hit.chunk, hit.score) for hit in index.search("a", k=2)] == [
        (index.chunks[i], score) for i, score in plain(index, "a", 2)
    ]


def test_many_threads_asking_at_once_get_the_same_hits(monkeypatch):
    monkeypatch.setattr(compiled, "MANY", 0)
    monkeypatch.setattr(compiled, "LARGE", 0)
    index = BM25(CHUNKS, trigrams)
    expected, found = [INDEXES["trigrams"].search(question) for question in QUESTIONS[:60]], {}

    def ask(name: int) -> None:
        found[name] = [index.search(question) for question in QUESTIONS[:60]]

    threads = [threading.Thread(target=ask, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[name] for name in range(4)] == [expected] * 4


# ------------------------------------------------------------------ what is not read


@pytest.mark.parametrize("name", ANALYZERS)
def test_no_chunk_gets_more_from_a_term_than_its_bound_and_one_gets_all_of_it(name):
    index = INDEXES[name]
    for term in index.vocabulary:
        assert index.bound(term) == index.postings(term)[2].max()
    assert index.bound("no such term") == 0.0


@given(texts, questions, st.integers(1, 5), st.integers(1, 7))
def test_the_threshold_rises_and_never_exceeds_the_kth_score(documents, question, k, block):
    index = index_of(documents)
    found = maxscore(index, question, k, block)
    thresholds = [found.first, *(step.threshold for step in found.steps)]
    assert thresholds == sorted(thresholds)
    assert len(found.best) == k or thresholds[-1] == 0
    if len(found.best) == k:
        assert thresholds[-1] <= round(found.best[-1][1], 12)


@given(texts, questions, st.integers(1, 5), st.integers(1, 7))
def test_what_was_read_adds_up(documents, question, k, block):
    index = index_of(documents)
    found = maxscore(index, question, k, block)
    assert [len(term) for term in found.terms] == [index.n_t(term.term) for term in found.terms]
    assert sum(term.times for term in found.terms) == sum(t in index.vocabulary for t in words(question))
    assert [term.bound for term in found.terms] == sorted((term.bound for term in found.terms), reverse=True)
    assert 0 <= found.read <= found.postings
    strong = np.zeros(len(found.terms), int)
    for step in found.steps:
        reads = [np.isin(term.docs, step.chunks) for term in found.terms[: step.strong]]
        assert step.read == sum(int(part.sum()) for part in reads)
        assert all(term.seen[part].all() for term, part in zip(found.terms, reads, strict=False))
        assert step.scored <= step.candidates <= step.read
        assert step.looked_up <= step.candidates * (len(found.terms) - step.strong)
        weak = sum(term.bound for term in found.terms[step.strong :])
        assert weak < step.threshold or step.strong in (len(found.terms), 1)
        strong[: step.strong] += 1
    chunks = [i for step in found.steps for i in step.chunks]
    assert chunks == list(range(len(index) if found.terms else 0))


def test_of_the_most_frequent_word_of_a_large_index_next_to_nothing_is_read():
    index = drawn(20_000)
    by_frequency = sorted(index.vocabulary, key=index.n_t)
    question = f"{by_frequency[-1]} {by_frequency[-2]} {by_frequency[len(by_frequency) // 2]}"
    found = maxscore(index, question, k=3, block=1000)
    assert found.terms[0].term == by_frequency[len(by_frequency) // 2]
    assert found.read < found.postings / 20


def test_a_margin_covers_the_rounding_of_a_sum_of_ten_thousand_terms():
    rng = np.random.default_rng(0)
    impacts = rng.random(10_000) * 10
    assert abs(impacts.sum() - sum(impacts[::-1].tolist())) < MARGIN * impacts.sum() / 100


@pytest.mark.parametrize(("options", "message"), [({"k": 0}, "k must"), ({"block": 0}, "block must")])
def test_a_block_or_a_k_below_1_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        maxscore(INDEXES["words"], "a", **options)


# ------------------------------------------------------------------ building


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 6), max_size=9), max_size=9))
def test_compiled_or_in_numpy_the_postings_are_the_same(chunks):
    ids = np.array([i for chunk in chunks for i in chunk], np.int32)
    lengths = np.array([len(chunk) for chunk in chunks], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for answer in (True, False):
            patch.setattr(building, "worth_compiling", lambda size, answer=answer: answer)
            found.append(inverted(ids, lengths, 7))
    for in_loops, in_numpy in zip(*found, strict=True):
        assert in_loops.dtype == in_numpy.dtype
        assert in_loops.tolist() == in_numpy.tolist()
    starts, docs, counts = found[0]
    for term in range(7):
        part = slice(starts[term], starts[term + 1])
        assert list(zip(docs[part].tolist(), counts[part].tolist(), strict=True)) == [
            (i, chunk.count(term)) for i, chunk in enumerate(chunks) if term in chunk
        ]


TEXTS = [chunk.text for chunk in CHUNKS]


@pytest.mark.parametrize("analyzer", [words, stems, trigrams, str.split])
def test_terms_are_numbered_in_the_order_in_which_they_first_occur(analyzer, monkeypatch):
    monkeypatch.setattr(building, "BATCH", 100)
    vocabulary, ids, lengths = numbered(TEXTS, analyzer)
    expected = [analyzer(text) for text in TEXTS]
    terms = list(vocabulary)
    assert [terms[i] for i in ids.tolist()] == [term for own in expected for term in own]
    assert lengths.tolist() == list(map(len, expected))
    assert terms == list(dict.fromkeys(term for own in expected for term in own))


def test_several_processes_build_the_same_index(monkeypatch):
    monkeypatch.setattr(building, "BATCH", 200)
    alone, together = BM25(CHUNKS, trigrams), BM25(CHUNKS, trigrams, processes=2)
    assert list(together.vocabulary) == list(alone.vocabulary)
    for name in ("lengths", "_starts", "_docs", "_counts", "_impacts", "_bounds"):
        assert (getattr(together, name) == getattr(alone, name)).all()


def test_a_progress_bar_counts_the_texts(capsys):
    BM25(CHUNKS[:50], progress=True)
    assert "50 texts" in capsys.readouterr().err


def test_postings_cannot_be_changed_by_those_who_hold_them():
    for part in INDEXES["words"].postings("je"):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 0


# ------------------------------------------------------------------ without numba

WITHOUT = """
import sys
sys.modules["numba"] = None
from ragcore.fast import building, paths
paths.LARGE_WITHOUT_NUMBA = 1000
from ragcore import BM25, load_corpus, load_questions, split_words, trigrams
index = BM25([chunk for article in load_corpus("cs") for chunk in split_words(article)], trigrams)
for question in load_questions("cs")[:40]:
    print([(hit.chunk.key, hit.score.hex()) for hit in index.search(question.text)])
"""


def test_without_numba_the_hits_are_the_same_to_the_bit():
    found = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout
    index = INDEXES["trigrams"]
    assert found.splitlines() == [
        str([(hit.chunk.key, hit.score.hex()) for hit in index.search(question)]) for question in QUESTIONS[:40]
    ]


def test_a_small_index_does_not_load_the_compiler():
    program = (
        "import sys, ragcore; ragcore.BM25(ragcore.split_words('a b')).search('a'); print('numba' in sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "False"


def test_where_nothing_can_be_kept_loops_are_compiled_all_the_same(monkeypatch):
    from ragcore.fast.jit import jit

    njit = numba.njit

    def nowhere(function, **options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return njit(function, **options)

    monkeypatch.setattr(numba, "njit", nowhere)
    assert jit(lambda x: x + 1)(1) == 2


# ------------------------------------------------------------------ opened from disk


@pytest.fixture
def saved(tmp_path):
    articles = [Article(f"{i}", f"Title {i}", "en", f"one two {i}\n\nthree four {i}") for i in range(5)]
    index = BM25([chunk for article in articles for chunk in split_words(article, size=3)])
    index.save(tmp_path / "index")
    return index, tmp_path / "index"


def test_the_chunks_of_a_file_are_those_of_the_list(saved):
    index, path = saved
    chunks = BM25.load(path).chunks
    assert chunks == index.chunks
    assert chunks[-1] == index.chunks[-1]
    assert chunks[2:5] == index.chunks[2:5]
    assert [chunks.index(chunk) for chunk in index.chunks] == list(range(len(index)))
    assert index.chunks[3] in chunks
    with pytest.raises(ValueError, match="not in"):
        chunks.index(split_words("other")[0])
    with pytest.raises(IndexError):
        chunks[len(index)]


def test_chunks_and_articles_are_made_when_they_are_asked_for(saved):
    _, path = saved
    loaded = BM25.load(path)
    assert set(loaded.chunks._articles) == {0}  # the first shows whether the analyzer is the one of the file
    assert loaded.search("4", k=1)[0].chunk.article.id == "4"
    assert set(loaded.chunks._articles) == {0, 4}


def test_a_damaged_article_is_found_when_its_chunk_is_asked_for_and_by_verify(saved):
    _, path = saved
    content = bytearray(path.read_bytes())
    content[content.index(b"three four 3")] ^= 1
    path.write_bytes(content)
    loaded = BM25.load(path)
    assert loaded.search("2")
    with pytest.raises(DamagedIndexError, match="article 3"):
        loaded.search("3")
    with pytest.raises(DamagedIndexError, match="articles"):
        loaded.verify()


def test_damaged_postings_are_found_on_every_way(saved, monkeypatch):
    _, path = saved
    file = IndexFile(path, "bm25")
    content = bytearray(path.read_bytes())
    content[file._base + file._table["docs"]["offset"]] ^= 1
    path.write_bytes(content)
    for answer, many in ((True, 0), (True, 10**9), (False, 0)):
        monkeypatch.setattr(paths, "worth_compiling", lambda size, answer=answer: answer)
        monkeypatch.setattr(compiled, "MANY", many)
        monkeypatch.setattr(compiled, "LARGE", many)
        monkeypatch.setattr(paths, "LARGE_WITHOUT_NUMBA", many)
        loaded = BM25.load(path)
        assert loaded.search("two")
        with pytest.raises(DamagedIndexError, match="'one'"):
            loaded.search("one")
        with pytest.raises(DamagedIndexError, match="'one'"):
            maxscore(loaded, "one")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(questions, st.integers(1, 5))
def test_a_mapped_index_is_searched_like_one_in_memory(tmp_path, question, k):
    index = index_of(["a b c", "b b", "c a a d", "e"])
    index.save(tmp_path / "index")
    assert BM25.load(tmp_path / "index").search(question, k) == index.search(question, k)
