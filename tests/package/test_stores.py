"""Stores outside the process give the rankings of the package, and survive what happens to engines."""

import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import BM25, Article, load_corpus, load_questions, split_structure, split_words, stems, trigrams, words
from ragcore.dense import DenseIndex
from ragcore.fusion import reciprocal_rank_fusion
from ragcore.stores.impacts import DIMENSIONS, Statistics, inner_product
from ragcore.stores.memory import MemoryStore
from ragcore.stores.milvus import MOST_HITS, MilvusStore
from ragcore.vectors import ShippedVectors

pytest.importorskip("pymilvus")
pytest.importorskip("milvus_lite")

NEAR = 1e-5
K = 30
SOME = split_words("a rose is a rose is a daisy is", size=3)
ROSES = BM25(SOME)
MOVE = Path(__file__).parents[2] / "deploy" / "move.py"


class Corpus:
    """One language: chunks, questions, our two indexes, and the same in an engine file."""

    def __init__(self, language: str, folder: Path):
        self.chunks = [chunk for article in load_corpus(language) for chunk in split_words(article)]
        self.questions = [question.text for question in load_questions(language)]
        encoder = ShippedVectors(language)
        self.vectors = encoder.passages([chunk.text for chunk in self.chunks])
        self.asked = encoder.queries(self.questions)
        self.index, self.dense = BM25(self.chunks, stems), DenseIndex(self.chunks, self.vectors)
        self.path = folder / f"{language}.db"
        with MilvusStore(self.path) as store:  # filled, closed, and opened again for the tests
            store.fill(self.index, self.vectors)
        self.store = MilvusStore(self.path)


@contextmanager
def in_memory():
    """A folder in memory where there is one: an engine waits for the disk hundreds of times a test.

    What is tested here are kills, which files in memory survive like others, and no power cuts.
    """
    memory = "/dev/shm"
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module", params=["cs", "en"])
def corpus(request):
    with in_memory() as folder:
        corpus = Corpus(request.param, folder)
        yield corpus
        corpus.store.close()


@pytest.fixture
def tmp_path():
    with in_memory() as folder:
        yield folder


@pytest.fixture
def store(tmp_path):
    with MilvusStore(tmp_path / "some.db") as store:
        yield store


def agree(theirs, ours, near=NEAR):
    """Place by place the same score; and the same chunk, but among scores nearer to each other than `near`."""
    assert len(theirs) == len(ours)
    at = {hit.chunk.key: hit.score for hit in ours}
    for rank, (their, our) in enumerate(zip(theirs, ours, strict=True), start=1):
        assert their.rank == rank
        assert their.score == pytest.approx(our.score, abs=near)
        if their.chunk != our.chunk:  # it stands elsewhere among ours, or fell off the end
            assert at.get(their.chunk.key, ours[-1].score) == pytest.approx(our.score, abs=near)


# ------------------------------------------------------------------ the rankings of the whole corpus


def test_all_questions_get_bm25s_scores_and_order_from_the_engine_file(corpus):
    assert len(corpus.store) == len(corpus.chunks)
    assert len(corpus.questions) == 230
    for question in corpus.questions:
        agree(corpus.store.search(question, K), corpus.index.search(question, K))


def test_all_questions_get_the_nearest_vectors_from_the_engine_file(corpus):
    for vector in corpus.asked:
        agree(corpus.store.search_vector(vector, K), corpus.dense.search(vector, K))


def test_the_engines_fusion_is_that_of_the_paper(corpus):
    for question, vector in list(zip(corpus.questions, corpus.asked, strict=True))[::4]:
        both = [corpus.store.search(question, 50), corpus.store.search_vector(vector, 50)]
        agree(corpus.store.search_hybrid(question, vector, K), reciprocal_rank_fusion(both)[:K], near=1e-7)


def test_what_comes_back_is_the_very_chunk_with_its_article(corpus):
    hit = corpus.store.search(corpus.questions[0], 1)[0]
    place = corpus.chunks.index(hit.chunk)
    assert hit.chunk.article == corpus.chunks[place].article
    assert hit.chunk.text == corpus.chunks[place].text


def test_the_store_in_memory_ranks_as_the_index_does(corpus):
    store = MemoryStore()
    store.fill(corpus.index, corpus.vectors)
    for question, vector in list(zip(corpus.questions, corpus.asked, strict=True))[::10]:
        agree(store.search(question, K), corpus.index.search(question, K), near=1e-9)
        agree(store.search_vector(vector, K), corpus.dense.search(vector, K), near=1e-9)
        both = [corpus.index.search(question, 50), corpus.dense.search(vector, 50)]
        agree(store.search_hybrid(question, vector, K), reciprocal_rank_fusion(both)[:K], near=1e-9)


# ------------------------------------------------------------------ impacts


TEXTS = st.lists(st.lists(st.sampled_from("abcdeš"), min_size=1, max_size=12), min_size=1, max_size=6)


@given(TEXTS, st.lists(st.sampled_from("abcdešxy"), max_size=6), st.sampled_from([0, 0.6, 1.2]))
def test_the_inner_product_of_impacts_and_counts_is_the_score(texts, question, k1):
    chunks = [split_words(Article(f"{i}", "", "", " ".join(text)), 99)[0] for i, text in enumerate(texts)]
    index = BM25(chunks, k1=k1)
    statistics, asked = Statistics.of(index), " ".join(question)
    scores = [inner_product(statistics.chunk(chunk.text), statistics.question(asked)) for chunk in chunks]
    assert scores == pytest.approx(index.scores(asked).tolist(), abs=1e-9)


@given(st.text())
def test_every_term_has_a_dimension_of_its_own_or_one_behind_the_known_ones(term):
    statistics = Statistics.of(ROSES)
    places = [statistics.dimension(known) for known in ROSES.vocabulary]
    assert places == list(range(4))
    assert 0 <= statistics.dimension(term) < DIMENSIONS
    assert (statistics.dimension(term) < 4) == (term in ROSES.vocabulary)


def test_statistics_come_back_from_their_text_and_ask_for_the_same_analyzer():
    statistics = Statistics.of(ROSES)
    assert Statistics.from_json(statistics.to_json()) == statistics
    with pytest.raises(ValueError, match="analyzer called 'words'"):
        Statistics.from_json(statistics.to_json(), stems)

    def mine(text):
        return text.split()

    own = Statistics.of(BM25(SOME, mine)).to_json()
    with pytest.raises(ValueError, match="analyzer called 'mine'"):
        Statistics.from_json(own)
    assert Statistics.from_json(own, mine).analyzer is mine


# ------------------------------------------------------------------ questions


@pytest.mark.parametrize("kind", [MemoryStore, MilvusStore])
def test_odd_questions_and_counts(kind, tmp_path):
    store = kind(tmp_path / "odd.db") if kind is MilvusStore else kind()
    store.fill(ROSES, [[1, 0], [0, 1], [0, 0]])
    once, twice = store.search("daisy rose", 9), store.search("daisy rose rose", 9)
    agree(once, ROSES.search("daisy rose", 9))
    agree(twice, ROSES.search("daisy rose rose", 9))  # counts twice
    assert [hit.score for hit in once] != pytest.approx([hit.score for hit in twice])
    for empty in ("", "  ", "?!", "tulip"):
        assert store.search(empty) == []
        assert [hit.rank for hit in store.search_hybrid(empty, [1, 0])] == [1, 2, 3]
    assert len(store.search("is", 1_000)) == 3
    assert store.search_vector([0, 3], 2)[0].chunk == SOME[1]
    assert [hit.score for hit in store.search_vector([0, 3], 3)] == pytest.approx([1, 0, 0])
    for wrong in (0, -1, 2.5):
        with pytest.raises(ValueError, match="k must be a whole number"):
            store.search("rose", wrong)
    for vector in ([1, 2, 3], [float("nan"), 1]):
        with pytest.raises(ValueError, match=r"dimensions|finite"):
            store.search_vector(vector)
    store.close()


def test_more_hits_than_a_server_gives_are_refused(store):
    store.fill(ROSES)
    with pytest.raises(ValueError, match="at most 16384"):
        store.search("rose", MOST_HITS + 1)
    with pytest.raises(ValueError, match="filled without vectors"):
        store.search_vector([1, 0])


def test_scripts_signs_and_texts_without_a_word_come_back_whole(store):
    hebrew, signs = "בָּרֵאשִׁית הייתה ״האינדוקציה״ 🎉 \"{x}\" \\ 'y'", "🎉 … — ∑"
    articles = [Article('id "quoted" \\ שלום 🎉', "כותרת", "he", hebrew), Article("signs", "", "", signs)]
    articles.append(Article("long", "", "he", "# א\n\n" + "שלום 🎉 " * 20_000 + "\n\n## ב\n\nסוף"))
    chunks = [chunk for article in articles for chunk in split_structure(article, size=30_000)]
    index = BM25(chunks, trigrams)
    store.fill(index)
    assert len(store) == len(chunks)
    agree(store.search("אינדוקציה", 9), index.search("אינדוקציה", 9))
    hit = store.search("סוף", 1)[0]
    assert hit.chunk == chunks[-1]
    assert hit.chunk.section == ("א", "ב")
    assert hit.chunk.article.text == articles[2].text
    assert len(articles[2].text.encode()) > 65_535  # what a field takes
    assert store.delete(articles[0].id) == 1
    assert store.search("אינדוקציה", 9) == []


# ------------------------------------------------------------------ adding and taking out


@pytest.mark.parametrize("kind", [MemoryStore, MilvusStore])
def test_what_is_added_is_found_with_the_statistics_of_the_filling(kind, tmp_path):
    store = kind(tmp_path / "add.db") if kind is MilvusStore else kind()
    store.fill(ROSES)
    later = split_words(Article("later", "", "", "a tulip is a tulip"), 99)
    for _ in range(2):  # the same again replaces
        store.add(later)
    assert len(store) == len(SOME) + 1
    (hit,) = store.search("tulip")  # a word that the filling did not know
    assert hit.chunk == later[0]
    assert hit.score == pytest.approx(inner_product(Statistics.of(ROSES).chunk(later[0].text),
                                                    Statistics.of(ROSES).question("tulip")))  # fmt: skip
    anew = BM25([*SOME, *later])
    assert hit.score != pytest.approx(anew.search("tulip")[0].score, abs=NEAR)
    store.fill(anew)
    agree(store.search("a tulip"), anew.search("a tulip"))
    assert store.delete("later") == 1
    assert store.delete("later") == 0
    assert len(store) == len(SOME)
    assert store.search("tulip") == []
    store.close()


def test_two_versions_of_an_article_are_never_mixed(store):
    old, new = Article("note", "", "", "the old tulip stands here"), Article("note", "", "", "a new rose")
    store.fill(BM25(split_words(old, 2)))
    store.add(split_words(new, 2))
    assert {hit.chunk.article.text for hit in store.search("tulip rose", 9)} == {old.text, new.text}
    for hit in store.search("tulip rose old new", 9):
        assert hit.chunk.text in hit.chunk.article.text
    assert store.delete("note") == 5
    assert len(store) == 0


@pytest.mark.parametrize("kind", [MemoryStore, MilvusStore])
def test_what_cannot_be_put_in_is_an_error(kind, tmp_path):
    store = kind(tmp_path / "bad.db") if kind is MilvusStore else kind()
    for ask in (lambda: store.search("rose"), lambda: store.add(SOME)):
        with pytest.raises(ValueError, match="fill"):
            ask()
    assert len(store) == 0
    with pytest.raises(ValueError, match="3 chunks need as many vectors"):
        store.fill(ROSES, [[1, 0]])
    with pytest.raises(ValueError, match="not a finite number"):
        store.fill(ROSES, [[1, 0], [0, 1], [0, float("inf")]])
    with pytest.raises(ValueError, match="give every article its own id"):
        store.fill(BM25([*SOME, *split_words("a rose is", 3)]))
    store.fill(BM25([]))
    assert len(store) == 0
    assert store.search("rose") == []
    with pytest.raises(ValueError, match="filled without vectors"):
        store.search_vector([1, 0])
    store.fill(ROSES, [[1, 0], [0, 1], [0, 0]])
    with pytest.raises(ValueError, match="vectors have 2 dimensions, these have 0"):
        store.add(split_words(Article("more", "", "", "a tulip"), 9))
    store.close()


# ------------------------------------------------------------------ what happens to engines

KILLED = """
import os, signal, sys
from ragcore import BM25, load_corpus, split_words, stems
from ragcore.stores import impacts, milvus

index, store, count = BM25(split_words(load_corpus("en")[0], 20), stems), milvus.MilvusStore(sys.argv[1]), 0
chunk, milvus.BATCH = impacts.Statistics.chunk, 10

def dying(self, text):
    global count
    count += 1
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk(self, text)

impacts.Statistics.chunk = dying
store.fill(index)
"""


def test_a_filling_that_is_killed_changes_nothing_and_the_next_one_is_whole(tmp_path):
    path = tmp_path / "killed.db"
    index = BM25(split_words(load_corpus("en")[0], 20), stems)
    with MilvusStore(path) as store:
        store.fill(ROSES)
    for when in (3, 13):  # before anything was sent, and after the first message
        died = subprocess.run([sys.executable, "-c", KILLED, str(path), f"{when}"], check=False)
        assert died.returncode == -signal.SIGKILL
        with MilvusStore(path) as store:
            agree(store.search("a rose"), ROSES.search("a rose"))
    with MilvusStore(path) as store:
        store.fill(index)
        assert len(store) == len(index) > 13
        agree(store.search("what is intelligence", K), index.search("what is intelligence", K))
        assert len(store._client.list_collections()) == 2  # nothing is left of what was killed, or of the roses
    with MilvusStore(path) as store:
        agree(store.search("what is intelligence", K), index.search("what is intelligence", K))


def test_a_second_process_is_told_who_holds_the_file_and_gets_it_after_closing(tmp_path):
    path = tmp_path / "held.db"
    program = "import sys; from ragcore.stores.milvus import MilvusStore; print(len(MilvusStore(sys.argv[1])))"
    run = [sys.executable, "-c", program, str(path)]
    first, second = MilvusStore(path), MilvusStore(path)  # two stores of one process share the engine
    first.fill(ROSES)
    for _ in range(3):  # closing once more does not close the other one's engine
        first.close()
    refused = subprocess.run(run, capture_output=True, text=True, check=False)
    assert "ConnectionError" in refused.stderr
    assert "another process has it open" in refused.stderr
    agree(second.search("a rose"), ROSES.search("a rose"))  # though it was opened before the filling
    second.fill(BM25(SOME[:2]))
    assert len(second) == 2
    second.close()
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "2\n"


def test_a_store_that_was_open_while_another_filled_anew_goes_on_with_the_new_filling(tmp_path):
    path, later = tmp_path / "anew.db", BM25(split_words("my tulip, your rose, his rose, her daisy", 2))
    with MilvusStore(path) as reader, MilvusStore(path) as writer:
        assert len(reader) == 0
        for times in (1, 2):  # a name used again would be found, and searched with the wrong statistics
            writer.fill(ROSES, np.eye(3))
            for _ in range(times):
                writer.fill(later, np.eye(4))
            agree(reader.search("a rose"), later.search("a rose"))
            assert reader.search_vector([0, 0, 0, 1], 1)[0].chunk == later.chunks[3]
        writer.fill(ROSES)
        assert len(reader) == 3
        writer.fill(ROSES)
        assert [reader.delete("another"), reader.delete("")] == [0, 3]
        writer.fill(ROSES)
        reader.add(split_words(Article("more", "", "", "a tulip"), 9))
        assert len(writer) == 4
        assert len(writer._client.list_collections()) == 2


def test_two_stores_with_names_of_their_own_do_not_touch_each_other(tmp_path):
    path = tmp_path / "two.db"
    with MilvusStore(path, "notes") as one, MilvusStore(path, "notes_too") as other:
        one.fill(ROSES)
        other.fill(BM25(SOME[:1]))
        one.fill(BM25(SOME[:2]))
        assert (len(one), len(other)) == (2, 1)
    for name in ("", "my-notes", "9", "notes_1", 'x" or 1'):
        with pytest.raises(ValueError, match="name must be letters, digits and _"):
            MilvusStore(path, name)


def test_the_same_code_works_over_the_network_with_another_address(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "milvus_lite", "server", "--data-dir", str(tmp_path), "--port", f"{port}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        with MilvusStore(f"http://127.0.0.1:{port}") as store:
            store.fill(ROSES, np.eye(3))
            agree(store.search("a daisy"), ROSES.search("a daisy"))
            assert store.search_vector([0, 1, 0], 1)[0].chunk == SOME[1]
            MilvusStore(f"http://127.0.0.1:{port}").close()  # a second one does not take the connection along
            assert len(store) == 3
    finally:
        server.kill()
        server.wait()


def test_the_token_of_the_environment_is_sent(monkeypatch):
    grpc = pytest.importorskip("grpc")
    seen = []

    class Refuse(grpc.GenericRpcHandler):
        def service(self, details):
            seen.extend(value for name, value in details.invocation_metadata if name == "authorization")

    server = grpc.server(ThreadPoolExecutor(1), handlers=[Refuse()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    monkeypatch.setenv("MILVUS_TOKEN", "root:secret")
    with pytest.raises(ConnectionError, match="no Milvus answers") as refused:
        MilvusStore(f"http://127.0.0.1:{port}", timeout=2)
    server.stop(None)
    assert seen[0] == "cm9vdDpzZWNyZXQ="  # root:secret in base 64
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("silent", [False, True], ids=["nobody listens", "somebody says nothing"])
def test_an_address_without_an_engine_is_an_error_within_seconds(silent):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        if not silent:
            listener.close()
        started = time.monotonic()
        with pytest.raises(ConnectionError, match=f"no Milvus answers at http://127.0.0.1:{port}"):
            MilvusStore(f"http://127.0.0.1:{port}", timeout=1)
        assert time.monotonic() - started < 10


@pytest.mark.parametrize("address", ["notes.txt", "ftp://there:1", "", "milvus.example:19530"])
def test_what_is_no_address_is_an_error(address):
    with pytest.raises(ValueError, match=r"must be a path that ends in \.db, or http://host:port"):
        MilvusStore(address)


def test_a_password_in_the_address_is_refused_and_not_repeated():
    with pytest.raises(ValueError, match="as the token") as refused:
        MilvusStore("http://root:secret@127.0.0.1:19530")
    assert "secret" not in str(refused.value)


def test_a_folder_that_is_not_there_and_what_is_something_else_are_errors(tmp_path):
    with pytest.raises(ValueError, match="no folder"):
        MilvusStore(tmp_path / "nowhere" / "notes.db")
    (tmp_path / "other.db").write_text("no engine's")
    with pytest.raises(ConnectionError, match="cannot open"):
        MilvusStore(tmp_path / "other.db")
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "folder.db" / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="a folder of something else"):
        MilvusStore(tmp_path / "folder.db")
    assert os.listdir(tmp_path / "folder.db") == ["thesis.txt"]


@pytest.mark.parametrize(("module", "says"), [("pymilvus", "needs pymilvus"), ("milvus_lite", "needs milvus-lite")])
def test_a_missing_engine_says_what_to_install(module, says, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{says}: pip install 'ragcore\[stores\]'"):
        MilvusStore(tmp_path / "x.db")


def test_importing_the_stores_needs_no_engine():
    program = "import sys, ragcore.stores.milvus, ragcore.stores.memory; print('pymilvus' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout == "False\n"


def test_another_analyzer_than_the_fillings_is_refused_at_opening(tmp_path):
    with MilvusStore(tmp_path / "stems.db") as store:
        store.fill(BM25(SOME, stems))
    with pytest.raises(ValueError, match="analyzer called 'stems'"):
        MilvusStore(tmp_path / "stems.db", analyzer=words)
    assert os.path.isdir(tmp_path / "stems.db")  # «file.db» is a folder


def test_the_script_that_moves_an_index_fills_the_engine_and_compares(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "router.md").write_text("# Router\n\nHold the button for ten seconds.", encoding="utf-8")
    (notes / "שלום.txt").write_text("הנתב נמצא במטבח", encoding="utf-8")
    command = [sys.executable, str(MOVE), str(notes), str(tmp_path / "notes.db")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("2 chunks are there; 2 questions asked, no score differs by 0.00001 or more")
    with MilvusStore(tmp_path / "notes.db") as store:
        assert store.search("where is the router button?", 1)[0].chunk.article.id == "router.md"


def test_the_script_says_what_went_wrong_in_a_line_and_sees_another_ranking(tmp_path, monkeypatch):
    script = runpy.run_path(str(MOVE))
    (tmp_path / "note.md").write_text("a rose is a rose", encoding="utf-8")
    for folder, address, says in (
        (tmp_path / "nowhere", tmp_path / "x.db", "is not a folder"),
        (tmp_path, "notes.txt", "must be a path that ends in .db"),
        (tmp_path, "http://127.0.0.1:1", "no Milvus answers"),
    ):
        monkeypatch.setattr(sys, "argv", ["move.py", str(folder), str(address)])
        message = script["main"]()
        assert message.startswith("move.py: ")
        assert says in message
    store, differ = MemoryStore(), script["differ"]
    store.fill(ROSES)
    assert differ(store, ROSES, "a rose, a daisy") < 1e-9
    store.fill(BM25([*SOME, *split_words(Article("more", "", "", "a tulip"), 9)]))
    store.delete("more")
    assert 1e-3 < differ(store, ROSES, "a rose, a daisy") < 9  # the statistics of another filling
    store.delete("")
    assert differ(store, ROSES, "a rose, a daisy") == float("inf")


def test_the_compose_file_asks_for_passwords_and_listens_on_this_machine_alone():
    lines = (Path(__file__).parents[2] / "deploy" / "compose.yaml").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#"))
    assert text.count("image: ") == 3
    assert ":latest" not in text
    assert 'common.security.authorizationEnabled: "true"' in text
    assert next(line.strip() for line in lines if "ports:" in line).startswith('ports: ["127.0.0.1:19530:19530"]')
    assert "NOT RUN" in "\n".join(lines)
