"""The corpus, the questions, and a reader's own notes."""

import re
import unicodedata
from collections import Counter

import pytest

from ragcore import load_corpus, load_questions, read_folder, split_words
from ragcore.corpus import LANGUAGES, Article, data_folder, list_files, read_questions

CORPUS = {language: load_corpus(language) for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_21_articles_that_give_at_least_430_chunks_of_80_words(language):
    articles = CORPUS[language]
    assert len(articles) == len({article.id for article in articles}) == 21
    assert [int(article.id[:2]) for article in articles] == list(range(1, 22))
    assert sum(len(split_words(article)) for article in articles) >= 430
    for article in articles:
        assert article.language == language
        assert 1_650 <= len(article.text.split()) <= 2_600
        assert article.text.count("\n## ") >= 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_articles_are_plain_text_in_one_form(language):
    for article in CORPUS[language]:
        assert article.text == unicodedata.normalize("NFC", article.text)
        text = re.sub(r" [<>] ", " ", article.text)  # less and greater, between spaces
        for mark in ("\u00a0", "\u200b", "\ufeff", "\r", "\t", "</", "/>", "$", "```", "http"):
            assert mark not in text, (article.id, mark)


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_counted_as_published_then_seven_direct_and_three_paraphrased_an_article(language):
    questions = load_questions(language)
    kinds = [question.kind for question in questions]
    assert kinds[:36] == ["direct"] * 30 + ["paraphrase"] * 6
    assert kinds[-20:] == ["unanswerable"] * 20
    assert Counter(kinds) == {"direct": 147, "paraphrase": 63, "unanswerable": 20}
    assert set(Counter((q.article, q.kind) for q in questions if q.article).values()) == {7, 3}
    assert len({question.text for question in questions}) == len(questions)


def test_a_language_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="'de'; there are: cs, en"):
        load_corpus("de")
    with pytest.raises(ValueError, match="'de'"):
        load_questions("de")


# ------------------------------------------------------------------ faulty question files

HEAD = "text,kind,article,answers\n"
ARTICLES = {"a": Article("a", "A", "cs", "První věta článku. Druhá věta. Třetí věta.")}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("question,kind\n", "first line must read"),
        (HEAD + "Co?,direct,a\n", "line 2: needs exactly four"),
        (HEAD + "Co, prosím?,direct,a,Druhá věta\n", "line 2: needs exactly four"),
        (HEAD + "Co?,direkt,a,Druhá věta\n", "line 2.*'direkt'"),
        (HEAD + ",direct,a,Druhá věta\n", "line 2: needs a text"),
        (HEAD + "Co?,direct,b,Druhá věta\n", "line 2: there is no article 'b'"),
        (HEAD + "Co?,direct,,\n", "line 2: an unanswerable"),
        (HEAD + "Co?,unanswerable,a,Druhá věta\n", "line 2: an unanswerable"),
        (HEAD + "Co?,direct,a,Čtvrtá věta\n", "'Čtvrtá věta' stands 0 times"),
        (HEAD + "Co?,direct,a,věta\n", "'věta' stands 3 times"),
        (HEAD + "Co?,direct,a,1 2 3 4 5 6 7 8 9\n", "1 to 8 words"),
    ],
)
def test_a_faulty_question_file_names_the_row_and_the_fault(tmp_path, content, message):
    path = tmp_path / "questions.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_questions(path, ARTICLES)


def test_several_answers_are_separated_by_a_bar(tmp_path):
    path = tmp_path / "questions.csv"
    path.write_text(HEAD + "Co?,direct,a,První věta | Druhá věta\n", encoding="utf-8")
    assert read_questions(path, ARTICLES)[0].answers == ("První věta", "Druhá věta")


# ------------------------------------------------------------------ own notes


def test_a_folder_of_notes_becomes_articles_in_the_order_of_their_paths(tmp_path):
    (tmp_path / "b.md").write_text("# Název\n\ntext", encoding="utf-8")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "note.TXT").write_bytes(b"\xef\xbb\xbfline one\r\nline two")
    (tmp_path / "c.md").write_text('---\ntitle: "Z hlavičky"\ntags: [x]\n---\n\n# Jiný\ntělo', encoding="utf-8")
    articles = read_folder(tmp_path)
    assert [(a.id, a.title) for a in articles] == [
        ("a/note.TXT", "note"),
        ("b.md", "Název"),
        ("c.md", "Z hlavičky"),
    ]
    assert articles[0].text == "line one\nline two"
    assert articles[2].text == "# Jiný\ntělo"


def test_other_files_are_named_and_skipped(tmp_path):
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    with pytest.warns(UserWarning, match=r"photo\.png"):
        assert len(read_folder(tmp_path)) == 1


def test_bytes_that_are_not_utf_8_give_the_file_and_the_place(tmp_path):
    (tmp_path / "old.txt").write_bytes("žlutý".encode("cp1250"))
    with pytest.raises(ValueError, match=r"old\.txt: not UTF-8, byte 0"):
        read_folder(tmp_path)


def test_a_folder_without_notes_and_no_folder_are_errors(tmp_path):
    with pytest.raises(ValueError, match=r"no \.md or \.txt"):
        read_folder(tmp_path)
    with pytest.raises(ValueError, match="not a folder"):
        read_folder(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("content", "title", "text"),
    [
        ("---\nFirst part of my notes.\n---\nsecond", "n", "---\nFirst part of my notes.\n---\nsecond"),
        ("---\ntitle: T\ntags:\n  - a\n---\nbody", "T", "body"),
        ("---\ntitle: T\n---", "T", ""),
        ("text --- text", "n", "text --- text"),
    ],
)
def test_only_a_real_header_is_taken_off_a_note(tmp_path, content, title, text):
    (tmp_path / "n.md").write_text(content)
    (note,) = read_folder(tmp_path)
    assert (note.title, note.text) == (title, text)


def test_hidden_folders_are_left_alone(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "a.md").write_text("x")
    (tmp_path / "a.md").write_text("x")
    assert [note.id for note in read_folder(tmp_path)] == ["a.md"]


def test_a_question_file_saved_by_a_spreadsheet_is_read(tmp_path):
    path = tmp_path / "questions.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + "Co?,direct,a,Druhá věta\n").encode())
    assert len(read_questions(path, ARTICLES)) == 1


def test_a_line_that_begins_with_a_tag_is_no_heading(tmp_path):
    (tmp_path / "n.md").write_text("#idea #garden\n\n## Beds\n\ntext")
    assert read_folder(tmp_path)[0].title == "Beds"


@pytest.mark.parametrize("content", [b"a\0b", "text".encode("utf-16")])
def test_what_is_no_text_in_utf_8_is_refused_by_name(tmp_path, content):
    (tmp_path / "n.txt").write_bytes(content)
    with pytest.raises(ValueError, match=r"n\.txt: (not a text|UTF-16, not UTF-8)"):
        read_folder(tmp_path)


def test_without_articles_only_the_form_of_the_questions_is_checked(tmp_path):
    path = tmp_path / "questions.csv"
    path.write_text(HEAD + "Co?,direct,gone.md,what stood there\n", encoding="utf-8")
    assert read_questions(path)[0].article == "gone.md"
    path.write_text(HEAD + "Co?,direct,gone.md,1 2 3 4 5 6 7 8 9\n", encoding="utf-8")
    with pytest.raises(ValueError, match="1 to 8 words"):
        read_questions(path)


def test_the_sample_notes_and_their_questions_fit():
    folder = data_folder() / "notes"
    files, skipped = list_files(folder)
    assert list(skipped) == ["garden/beds.svg", "questions.csv"]
    texts = {
        path: (folder / path).read_bytes().decode("iso8859-2" if "chimney" in path else "utf-8") for path in files
    }
    assert len(files) == 18
    questions = read_questions(
        folder / "questions.csv", {path: Article(path, "", "", texts[path]) for path in files}
    )
    assert Counter(one.kind for one in questions) == {"direct": 22, "paraphrase": 12, "unanswerable": 8}
    assert {one.article for one in questions if one.article} <= set(files)
