"""The box for the reader's own question: what it answers, its two faces, and the script that fetches Pyodide."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.analysis import ANALYZERS
from ragcore.explore import Ask
from ragcore.explore.html import write
from ragcore.figures.asking import MAX_CHARACTERS, answer, index
from ragcore.figures.dissection import dissection

ROOT = Path(__file__).parents[2]
QUESTION = "Jak funguje gradientní sestup?"
TAGS = {"p", "bdi", "div", "cite", "blockquote", "mark", "details", "summary", "span", "sub",
        "table", "thead", "tbody", "tfoot", "tr", "th", "td"}  # fmt: skip


class Reader(HTMLParser):
    """The tags of an answer and its text, as a browser reads them."""

    def __init__(self, html: str):
        super().__init__()
        self.tags, self.open, self.text = [], [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


def read(html: str) -> Reader:
    reader = Reader(html)
    assert not reader.open
    assert set(reader.tags) <= TAGS
    return reader


# ------------------------------------------------------------------ the answer


@pytest.mark.parametrize("analyzer", ["words", "stems"])
def test_every_hit_is_shown_taken_apart_best_first(analyzer):
    corpus, question = index("cs", analyzer), "gradientní sestup"
    hits = "".join(write(dissection(corpus, question, hit)) for hit in corpus.search(question, 3))
    assert answer(question, analyzer=analyzer, k=3).endswith(f"</p>{hits}")


def test_the_first_sentence_counts_what_was_found_and_what_is_shown():
    corpus = index("en", "words")
    found = sum("gradient" in corpus.analyzer(chunk.text) for chunk in corpus.chunks)
    sentence = f"Passages that share a term with the question: {found} of {len(corpus)}. Shown, best first: 2."
    assert read(answer("gradient", "en", "words", k=2)).text.startswith(sentence)


def test_a_long_table_is_folded_and_says_how_many_terms_it_holds():
    assert "details" not in read(answer(QUESTION, analyzer="stems")).tags
    folded = read(answer(QUESTION, analyzer="trigrams"))
    terms = len(ANALYZERS["trigrams"](QUESTION))
    assert folded.tags.count("details") == 5
    assert folded.text.count(f"What each of the {terms} terms adds") == 5


def test_unknown_words_are_named():
    text = read(answer("Qwertz gradientní sestup xyzzy?", analyzer="words")).text
    assert "Not in the corpus: qwertz, xyzzy." in text
    alone = read(answer("Qwertz xyzzy qwertz", analyzer="words"))
    assert alone.text == "Nothing is found: the corpus has no word of this question: qwertz, xyzzy."


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("", "Nothing is asked yet: type a question."),
        (" \n\t ", "Nothing is asked yet: type a question."),
        ("🤔", "There is no letter and no digit in this question: nothing to search for."),
        ("?!… \u200b", "There is no letter and no digit in this question: nothing to search for."),
        ("מהי אינדוקציה", "Nothing is found: the corpus has no word of this question: מהי, אינדוקציה."),
    ],
)
@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_a_question_without_an_answer_gets_a_sentence(question, sentence, analyzer):
    assert read(answer(question, analyzer=analyzer)).text == sentence


def test_markup_in_a_question_is_text():
    reader = read(answer("<script>alert(1)</script> <img src=x onerror=alert(1)> &amp; důkaz", analyzer="words"))
    assert "Not in the corpus: script, alert, img, src, onerror, amp." in reader.text


@pytest.mark.parametrize("question", ["důkaz indukcí " * 715, "a" * 10_010, "důkaz" + " " * 10_000 + "x"])
@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_of_ten_thousand_characters_the_beginning_is_asked_and_a_sentence_says_so(question, analyzer):
    html = answer(question, analyzer=analyzer)
    text = read(html).text
    whole = len(question.strip())
    asked = int(text.removeprefix(f"Of {whole:,} characters the first ").split()[0])
    assert asked <= MAX_CHARACTERS
    assert text.endswith(read(answer(question[:asked], analyzer=analyzer)).text)
    assert len(html) < 300_000


@given(st.text(max_size=400), st.sampled_from(list(ANALYZERS)), st.sampled_from(["cs", "en"]))
def test_whatever_is_typed_the_answer_is_whole_html_of_a_few_tags(question, analyzer, language):
    assert read(answer(question, language, analyzer)).text


def test_accents_that_are_typed_apart_change_nothing():
    assert answer(unicodedata.normalize("NFD", QUESTION)) == answer(QUESTION)


def test_a_wrong_argument_is_named():
    with pytest.raises(ValueError, match=r"no analyzer 'letters'; there are: words, stems, trigrams"):
        answer("x", analyzer="letters")
    with pytest.raises(ValueError, match="no corpus in 'fr'"):
        answer("x", "fr")
    with pytest.raises(ValueError, match=r"k must be .* at least 1, not 0"):
        answer("x", k=0)


def test_the_answer_needs_neither_matplotlib_nor_ipywidgets_which_the_page_lacks():
    code = "import sys, ragcore.figures.asking as asking; asking.answer('x'); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"matplotlib", "ipywidgets", "pandas"} & set(run.stdout.split())


# ------------------------------------------------------------------ the two faces


def test_on_a_page_equal_boxes_give_equal_bytes_with_the_form_hidden_and_a_sentence_instead(monkeypatch):
    monkeypatch.setenv("RAGCORE_FIGURES", "page")
    bundle = Ask("own", language="en", analyzer="trigrams")._repr_mimebundle_()
    assert bundle == Ask("own", language="en", analyzer="trigrams")._repr_mimebundle_()
    assert bundle["text/plain"] == "Ask own: terms trigrams, corpus English"
    html = bundle["text/html"]
    assert html.startswith('<figure class="explore explore-ask" id="own"><form class="explore-controls" hidden="')
    assert '<option value="trigrams" selected="selected">' in html
    assert '<option value="en" selected="selected">English</option>' in html
    assert '<p class="explore-status" role="status" aria-live="polite">Here is a box' in html


def test_in_a_live_kernel_a_question_and_each_choice_ask_anew(monkeypatch):
    monkeypatch.delenv("RAGCORE_FIGURES", raising=False)
    box = Ask("own")
    question, analyzer, language, view = box.widget().children
    assert "Nothing is asked yet" in view.value
    question.value = QUESTION
    assert answer(QUESTION, "cs", "stems") in view.value
    analyzer.value = "trigrams"
    assert answer(QUESTION, "cs", "trigrams") in view.value
    language.value = "en"
    assert answer(QUESTION, "en", "trigrams") in view.value
    assert "application/vnd.jupyter.widget-view+json" in box._repr_mimebundle_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "My box"}, "'My box'"),
        ({"name": "own", "language": "fr"}, "'fr' of control 'language'"),
        ({"name": "own", "analyzer": "letters"}, "'letters' of control 'analyzer'"),
    ],
)
def test_a_box_that_makes_no_sense_is_refused_when_it_is_made(arguments, message):
    with pytest.raises(ValueError, match=message):
        Ask(**arguments)


# ------------------------------------------------------------------ the script that fetches Pyodide

LOCK = {"info": {"version": "0"}, "packages": {"six": {"file_name": "six.whl"}, "big": {"file_name": "big.whl"}}}
FILES = {"pyodide.js": b"core", "six.whl": b"wheel", "pyodide-lock.json": json.dumps(LOCK).encode()}


@pytest.fixture
def pyodide(monkeypatch, tmp_path):
    """`book/pyodide.py` with three files on its list, an empty cache, and sources that are files in `tmp_path`."""
    monkeypatch.syspath_prepend(ROOT / "book")
    import pyodide

    kept = FILES | {"pyodide-lock.json": pyodide.lean_lock(FILES["pyodide-lock.json"], FILES)}
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in kept.items()]
    listing = tmp_path / "list.sha256"
    listing.write_text("\n".join(["# files", "# box: one", *lines[:1], "# lab: two", *lines[1:]]))
    monkeypatch.setattr(pyodide, "CHECKSUMS", listing)
    monkeypatch.setattr(pyodide, "ARCHIVE", (tmp_path / "release.tar.bz2").as_uri())
    monkeypatch.setattr(pyodide, "PACKAGE", str(tmp_path / "no-such-package.whl"))
    monkeypatch.setenv("RAGCORE_PYODIDE", str(tmp_path / "cache"))
    monkeypatch.setenv("RAGCORE_PYODIDE_FROM", str(tmp_path / "folder"))
    return pyodide


def write_folder(folder: Path, **changed: bytes) -> None:
    folder.mkdir()
    for name, content in (FILES | {f"{stem}.js": content for stem, content in changed.items()}).items():
        (folder / name).write_bytes(content)


def test_pyodide_comes_from_a_folder_once_and_then_from_the_cache(pyodide, tmp_path):
    assert pyodide.cached() is None
    write_folder(tmp_path / "folder")
    assert pyodide.fetch() == f"from the folder {tmp_path / 'folder'}"
    assert pyodide.fetch() == "already there"
    assert sorted(file.name for file in pyodide.cached().iterdir()) == sorted(FILES)
    assert set(json.loads((tmp_path / "cache/pyodide-lock.json").read_text())["packages"]) == {"six"}


def test_without_the_folder_it_comes_from_the_archive_of_the_release(pyodide, tmp_path):
    with tarfile.open(tmp_path / "release.tar.bz2", "w:bz2") as archive:
        for name, content in FILES.items():
            member = tarfile.TarInfo(f"pyodide/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    assert pyodide.fetch() == "from the official release"
    assert pyodide.cached() == tmp_path / "cache"


def test_a_file_that_is_not_the_listed_one_is_an_error_that_names_it_and_nothing_is_kept(pyodide, tmp_path):
    write_folder(tmp_path / "folder", pyodide=b"c0re")
    with pytest.raises(pyodide.PyodideError, match=r"pyodide\.js of the folder .* is not the file"):
        pyodide.fetch()
    assert not (tmp_path / "cache").exists()


def test_a_damaged_cache_is_filled_anew(pyodide, tmp_path):
    write_folder(tmp_path / "folder")
    pyodide.fetch()
    (tmp_path / "cache/six.whl").write_bytes(b"whee")
    assert pyodide.cached() is None
    assert pyodide.fetch().startswith("from the folder")
    assert pyodide.cached()


def test_if_no_source_answers_the_error_names_them(pyodide):
    with pytest.raises(pyodide.PyodideError, match=r"from the folder .*, the official release, the package "):
        pyodide.fetch()


def test_the_box_takes_its_own_part_of_the_list(pyodide, monkeypatch):
    assert list(pyodide.listed("box")) == ["pyodide.js"]
    assert set(pyodide.listed()) == set(FILES)
    monkeypatch.setattr(pyodide, "CHECKSUMS", ROOT / "book/pyodide.sha256")
    assert len(pyodide.listed("box")) == 6
    assert pyodide.listed("box") | pyodide.listed("lab") | pyodide.listed("wheels") == pyodide.listed()
