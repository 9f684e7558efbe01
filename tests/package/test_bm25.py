"""BM25: the published example digit by digit, a plain reference, two outside engines, files that get damaged."""

import contextlib
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragcore import BM25, load_corpus, load_questions, split_words, stems, trigrams, words
from ragcore.analysis import ANALYZERS
from ragcore.bm25 import idf, length_factor, saturation, score_term
from ragcore.indexfile import DamagedIndexError, IndexFile

DATA = Path(__file__).parents[2] / "data"
EXAMPLE = json.loads((DATA / "published.json").read_text())["bm25_example"]
N, LENGTH, AVGDL = EXAMPLE["N"], EXAMPLE["doc_len"], EXAMPLE["avgdl"]

texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=8).map(" ".join), max_size=8)
questions = st.lists(st.sampled_from("abcdex"), max_size=6).map(" ".join)


def index_of(*documents: str, **options) -> BM25:
    """One chunk a document; an empty document gives an empty chunk's worth of nothing, so it is left out."""
    return BM25([chunk for text in documents for chunk in split_words(text, size=10_000)], **options)


def plain_scores(documents: list[list[str]], question: list[str], k1: float, b: float) -> list[float]:
    """The formula, written as it stands, one chunk and one term at a time."""
    size, mean = len(documents), sum(map(len, documents)) / max(1, len(documents))
    scores = []
    for document in documents:
        score = 0.0
        for term in question:
            n_t, f = sum(term in d for d in documents), document.count(term)
            weight = math.log(1 + (size - n_t + 0.5) / (n_t + 0.5))
            score += weight * f * (k1 + 1) / (f + k1 * (1 - b + b * len(document) / mean)) if f else 0.0
        scores.append(score)
    return scores


# ------------------------------------------------------------------ the published example


@pytest.mark.parametrize(
    ("term", "printed"),
    [("co", 1.817), ("dělá", 3.116), ("momen", 4.583), ("v", 0.617), ("gradi", 2.606), ("sestu", 3.019)],
)
def test_the_published_weights(term, printed):
    assert round(float(idf(EXAMPLE["n_t"][term], N)), 3) == printed


def test_the_published_total_is_12_33_and_its_three_parts():
    parts = {t: score_term(EXAMPLE["f"][t], EXAMPLE["n_t"][t], N, LENGTH, AVGDL) for t in EXAMPLE["query_roots"]}
    assert {t: round(part, 4) for t, part in parts.items() if part} == {
        "momen": 7.1689,
        "v": 1.0397,
        "sestu": 4.1262,
    }
    assert round(sum(parts.values()), 4) == 12.3348
    assert sum(parts.values()) == pytest.approx(EXAMPLE["total"], abs=1e-12)


def test_printed_figures_that_do_not_follow_from_the_printed_inputs():
    assert f"{length_factor(LENGTH, AVGDL):.4f}" == "1.0159"  # printed: 1.0158
    assert f"{4.583 * 3 * 2.2:.3f}" == "30.248"  # printed: 30.246, from the unrounded idf
    assert f"{float(idf(4, N)) * 3 * 2.2:.3f}" == "30.246"
    assert pytest.approx(12.335) == 7.169 + 1.040 + 4.126  # would print as 12.34
    factor = 2 * 2.2 / (2 + 1.2 * length_factor(LENGTH, AVGDL))
    assert f"{3.019 * factor:.3f}" == "4.127"  # printed: 4.126


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"k1": 1.5}, "k1_1_5_total"),
        ({"k1": 2.0}, "k1_2_total"),
        ({"b": 0.0}, "b0_total"),
        ({"b": 1.0}, "b1_total"),
    ],
)
def test_the_example_under_other_parameters(options, key):
    total = sum(score_term(EXAMPLE["f"][t], EXAMPLE["n_t"][t], N, LENGTH, AVGDL, **options) for t in EXAMPLE["n_t"])
    assert total == pytest.approx(EXAMPLE["variants"][key], abs=1e-9)


def test_without_the_factor_k1_plus_1_it_is_lucenes_score():
    assert EXAMPLE["total"] / 2.2 == pytest.approx(EXAMPLE["variants"]["lucene_no_k1p1_total"], abs=1e-9)


def test_one_occurrence_at_the_mean_length_counts_exactly_the_idf():
    assert score_term(1, 4, N, 70, 70.0) == float(idf(4, N))


def test_repeating_a_term_pays_less_and_less_and_never_more_than_k1_plus_1():
    gains = np.diff([saturation(float(f), 1.0) for f in range(50)])
    assert (gains > 0).all()
    assert (np.diff(gains) < 0).all()
    assert saturation(1e9, 1.0) < 2.2


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"k1": -0.1}, "k1"), ({"b": 1.1}, "b must"), ({"b": -0.1}, "b must"), ({"n_t": 440}, "n_t"),
     ({"n_t": -1}, "n_t"), ({"f": -1}, "f must"), ({"f": 72}, "length 71"),
     ({"avgdl": 0}, "avgdl"), ({"k1": math.nan}, "k1")],
)  # fmt: skip
def test_impossible_statistics_are_refused_by_name(changed, message):
    with pytest.raises(ValueError, match=message):
        score_term(**{"f": 3, "n_t": 4, "N": N, "length": LENGTH, "avgdl": AVGDL, **changed})


def test_k1_zero_counts_presence_only():
    once, often = (score_term(f, 4, N, 71, AVGDL, k1=0) for f in (1, 9))
    assert once == often == float(idf(4, N))
    assert score_term(0, 4, N, 71, AVGDL, k1=0) == 0


# ------------------------------------------------------------------ the index


@given(texts, questions, st.sampled_from([0.0, 0.5, 1.2, 3.0]), st.sampled_from([0.0, 0.75, 1.0]))
def test_the_index_computes_the_formula(documents, question, k1, b):
    documents = [text for text in documents if text]
    index = index_of(*documents, k1=k1, b=b)
    expected = plain_scores([words(text) for text in documents], words(question), k1, b)
    assert index.scores(question) == pytest.approx(expected, abs=1e-12)
    hits = index.search(question, k=100)
    assert len(hits) == sum(score > 0 for score in expected)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


@given(texts, questions)
def test_an_explanation_adds_up_to_the_score(documents, question):
    index = index_of(*(text for text in documents if text))
    for chunk, score in zip(index.chunks, index.scores(question), strict=True):
        explanation = index.explain(question, chunk)
        assert explanation.total == pytest.approx(score, abs=1e-12)
        assert [row.term for row in explanation.rows] == words(question)
        counts = Counter(words(chunk.text))
        for row in explanation.rows:
            assert row.f == counts[row.term]
            assert row.n_t == index.n_t(row.term)
            expected = score_term(row.f, row.n_t, len(index), explanation.length, explanation.avgdl)
            assert row.contribution == pytest.approx(expected, abs=1e-12)


def test_an_explanation_reads_as_a_table():
    index = index_of("důkaz indukcí", "důkaz sporem")
    lines = str(index.explain("důkaz sporem", index.chunks[1])).splitlines()
    assert lines[0].split() == ["term", "n_t", "idf", "f", "adds"]
    assert lines[1].split()[:2] == ["důkaz", "2"]
    assert lines[-1].split() == ["total", f"{index.scores('důkaz sporem')[1]:.3f}"]


def test_explaining_a_chunk_that_is_not_indexed_is_refused():
    with pytest.raises(ValueError, match="not in this index"):
        index_of("a").explain("a", split_words("b")[0])


def test_an_empty_corpus_is_a_valid_index():
    index = BM25([])
    assert index.search("cokoli") == []
    assert len(index) == 0


def test_k_below_1_is_refused():
    with pytest.raises(ValueError, match="k must"):
        index_of("a").search("a", k=0)


@pytest.mark.parametrize("options", [{"k1": -1}, {"b": 2}])
def test_an_index_with_impossible_parameters_is_refused(options):
    with pytest.raises(ValueError, match="must"):
        index_of("a", **options)


# ------------------------------------------------------------------ outside references, on the whole corpus

CHUNKS = [chunk for article in load_corpus("cs") for chunk in split_words(article)]
QUESTIONS = [question.text for question in load_questions("cs")]


@pytest.mark.parametrize("name", ANALYZERS)
def test_every_score_of_every_question_equals_that_of_bm25s(name):
    import bm25s

    analyze = ANALYZERS[name]
    ours = BM25(CHUNKS, analyze)
    theirs = bm25s.BM25(method="lucene", k1=ours.k1, b=ours.b)
    theirs.index([analyze(chunk.text) for chunk in CHUNKS], show_progress=False)
    for question in QUESTIONS:
        known = [term for term in analyze(question) if ours.n_t(term)]  # it stumbles over unknown ones
        expected = theirs.get_scores(known) if known else np.zeros(len(CHUNKS))
        assert ours.scores(question) / (ours.k1 + 1) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("analyze", [words, stems, trigrams])
def test_every_score_of_every_question_equals_that_of_lancedb(analyze, tmp_path):
    import lancedb
    from lancedb.index import FTS

    ours = BM25(CHUNKS, analyze)
    rows = [{"number": i, "text": " ".join(analyze(chunk.text))} for i, chunk in enumerate(CHUNKS)]
    theirs = lancedb.connect(tmp_path).create_table("chunks", rows)
    plain = FTS(
        base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False
    )
    theirs.create_index("text", config=plain)
    for question in QUESTIONS:
        terms = list(dict.fromkeys(analyze(question)))  # it counts a repeated term once
        found = theirs.search(" ".join(terms), query_type="fts").limit(len(CHUNKS)).to_list()
        expected = np.zeros(len(CHUNKS))
        for row in found:
            expected[row["number"]] = row["_score"]
        scores = sum(score_of(ours, term) for term in terms)
        assert scores == pytest.approx(expected, abs=1e-5, rel=1e-6)  # float32 cannot be closer at 85


def score_of(index: BM25, term: str) -> np.ndarray:
    docs, _, impacts = index.postings(term)
    scores = np.zeros(len(index))
    scores[docs] = impacts
    return scores


# ------------------------------------------------------------------ on disk


@pytest.fixture
def saved(tmp_path):
    index = index_of("důkaz indukcí", "důkaz sporem", "příklad indukce", analyzer=stems)
    index.save(tmp_path / "index")
    return index, tmp_path / "index"


def test_a_loaded_index_gives_the_same_hits_to_the_bit(tmp_path):
    index = BM25(CHUNKS[:100], stems, k1=0.9, b=0.4)
    index.save(tmp_path / "index")
    loaded = BM25.load(tmp_path / "index")
    loaded.verify()
    assert repr(loaded) == repr(index)
    for question in QUESTIONS[:40]:
        assert loaded.search(question) == index.search(question)
    chunk = loaded.chunks[3]
    assert loaded.explain("co je to", chunk) == index.explain("co je to", chunk)


def test_an_empty_index_can_be_saved_and_loaded(tmp_path):
    BM25([]).save(tmp_path / "index")
    assert BM25.load(tmp_path / "index").search("a") == []


def test_an_own_analyzer_has_to_be_passed_when_loading(tmp_path):
    def shout(text):
        return text.upper().split()

    index = BM25(split_words("a b"), shout)
    index.save(tmp_path / "index")
    with pytest.raises(ValueError, match="shout"):
        BM25.load(tmp_path / "index")
    with pytest.raises(ValueError, match="shout"):
        BM25.load(tmp_path / "index", analyzer=words)
    assert len(BM25.load(tmp_path / "index", analyzer=shout).search("A")) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_a_changed_byte_is_an_error_or_changes_nothing(saved, position, flip):
    index, path = saved
    content = bytearray(path.read_bytes())
    content[int(position * len(content))] ^= flip
    changed = path.with_name("changed")
    changed.write_bytes(content)
    with contextlib.suppress(DamagedIndexError):
        loaded = BM25.load(changed)
        assert loaded.search("důkaz indukce") == index.search("důkaz indukce")
        loaded.verify()
        assert all(loaded.search(term) == index.search(term) for term in index.vocabulary)


def test_a_file_cut_at_any_place_is_an_error(saved):
    _, path = saved
    content = path.read_bytes()
    cut = path.with_name("cut")
    for size in [*range(0, len(content), 37), len(content) - 1]:
        cut.write_bytes(content[:size])
        with pytest.raises(DamagedIndexError):
            BM25.load(cut)


def test_damaged_postings_are_found_when_their_term_is_asked_for_and_by_verify(saved):
    _, path = saved
    file = IndexFile(path, "bm25")
    content = bytearray(path.read_bytes())
    content[file._base + file._table["impacts"]["offset"]] ^= 1  # the first term's first impact
    path.write_bytes(content)
    loaded = BM25.load(path)
    assert loaded.search("sporem")
    with pytest.raises(DamagedIndexError, match="důkaz"):
        loaded.search("důkaz")
    with pytest.raises(DamagedIndexError, match="impacts"):
        loaded.verify()


def test_an_interrupted_save_leaves_the_old_file_and_nothing_else(saved, monkeypatch):
    index, path = saved
    before = path.read_bytes()

    def full_disk(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        index.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_another_kind_of_file_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("just some notes, nothing like an index")
    with pytest.raises(DamagedIndexError, match="not an index"):
        BM25.load(tmp_path / "notes.txt")


def test_an_analyzer_that_only_shares_the_name_is_refused(tmp_path):
    def words(text):  # ours is called so too
        return text.split()

    index = BM25(split_words("A-b c"), words)
    index.save(tmp_path / "index")
    with pytest.raises(ValueError, match="words"):
        BM25.load(tmp_path / "index")
    assert BM25.load(tmp_path / "index", words).search("A-b")
    BM25(split_words("A-b c"), lambda text: text.split()).save(tmp_path / "index")
    with pytest.raises(ValueError, match="another analyzer"):
        BM25.load(tmp_path / "index", lambda text: list(text))


def test_sections_parameters_of_numpy_and_broken_names_survive_saving(tmp_path):
    from ragcore.chunking import split_structure
    from ragcore.corpus import Article

    note = Article("caf\udce9.md", "Caf\udce9", "", "# Nadpis\n\nVěta.")
    BM25(split_structure(note), k1=np.float32(1.5), b=np.int64(1)).save(tmp_path / "index")
    loaded = BM25.load(tmp_path / "index")
    assert loaded.chunks[0].article == note
    assert loaded.chunks[0].section == ("Nadpis",)
    assert (loaded.k1, loaded.b) == (1.5, 1.0)


def test_a_saved_index_is_readable_like_any_other_file(tmp_path):
    (tmp_path / "other").write_text("")
    index_of("a").save(tmp_path / "index")
    assert (tmp_path / "index").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize(("chunks", "analyzer"), [(["a b"], words), ([], "stems")])
def test_what_is_no_chunk_and_no_analyzer_is_refused_by_type(chunks, analyzer):
    with pytest.raises(TypeError, match="must"):
        BM25(chunks, analyzer)


@pytest.mark.parametrize(
    "call", [lambda: idf(10, 3), lambda: idf(-1, 3), lambda: length_factor(1, 0), lambda: saturation(-1, 1.0)]
)
def test_the_formulas_refuse_what_makes_no_sense(call):
    with pytest.raises(ValueError, match=r"must"):
        call()
