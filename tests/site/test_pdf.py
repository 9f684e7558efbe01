"""One chapter on paper: all of it that can be read is there, open, and nothing of what only works on a screen."""

import re
from html import unescape
from pathlib import Path

import pdf
import pytest
from conftest import SITE
from pypdf import PdfReader

pytestmark = pytest.mark.xdist_group("pdf")  # one process: they share what is printed

CHAPTER = "chapters/02-a-prompt-is-a-document.html"


def letters(text: str) -> str:
    """A text without what depends on where its lines end."""
    return re.sub(r"[\s\u00ad]+", "", text)


def plain(html: str) -> str:
    return letters(unescape(re.sub(r"<[^>]+>", "", html)))


@pytest.fixture(scope="module")
def printed(browser, tmp_path_factory) -> PdfReader:
    target: Path = tmp_path_factory.mktemp("pdf") / "chapter.pdf"
    starts = pdf.print_pdf(browser, SITE, [("The part", [CHAPTER])], target)
    assert starts == [3]  # after the title page and the contents
    return PdfReader(target)


@pytest.fixture(scope="module")
def text(printed) -> str:
    heads = re.compile(r"^A prompt is a document\n|\n?\d+$")  # at the head and the foot of a page
    return letters("".join(heads.sub("", page.extract_text()) for page in printed.pages))


@pytest.fixture(scope="module")
def article() -> str:
    html = (SITE / CHAPTER).read_text(encoding="utf-8")
    return re.search(r'<article class="bd-article">(.*)</article>', html, re.S)[1]


def test_every_figure_is_there_in_its_default_state_with_its_sentence(article, text):
    figures = re.findall(r'<figure class="explore".*?</figure>', article, re.S)
    assert figures
    for figure in figures:
        sentence = re.search(r'class="explore-sentence"[^>]*>(.*?)</p>', figure, re.S)[1]
        assert plain(sentence) in text
        assert plain(re.search(r"<figcaption>(.*?)</figcaption>", figure, re.S)[1]) in text


def test_solutions_and_the_answers_to_questions_are_open(article, text):
    folded = re.findall(r"<details><summary>(.*?)</summary>(.*?)</details>", article, re.S)
    assert len(folded) > 5
    parts = [part for question_and_answer in folded for part in question_and_answer if 'class="math' not in part]
    assert [part for part in parts if plain(part) not in text] == []
    assert text.count("Solutionto") == article.count('class="solution')


def test_the_last_words_of_the_chapter_stand_on_the_last_page(article, printed):
    last = plain(re.findall(r"<p>(.*?)</p>", article, re.S)[-1])
    assert last[-60:] in letters(printed.pages[-1].extract_text())
    assert 8 <= len(printed.pages) <= 25


def test_the_contents_name_the_chapter_its_number_and_its_page_and_bookmarks_every_section(article, printed):
    assert letters("The part 2 A prompt is a document 3") in letters(printed.pages[1].extract_text())
    marks = printed.outline
    assert [mark.title for mark in marks if not isinstance(mark, list)] == ["Contents", "A prompt is a document"]
    sections = [plain(title) for title in re.findall(r"<h2>(.*?)<a class=\"headerlink", article, re.S)]
    assert [letters(mark.title) for mark in marks[-1] if not isinstance(mark, list)] == sections
    for page in printed.pages[2:]:
        assert page.extract_text().startswith("A prompt is a document\n")


def test_nothing_of_the_navigation_and_no_dead_control_is_printed(article, text):
    html = (SITE / CHAPTER).read_text(encoding="utf-8")
    titles = [plain(title) for title in re.findall(r'class="toctree-l1"><a[^>]*>(.*?)</a>', html)]
    others = [title for title in titles if title not in plain(article)]
    assert len(others) > 10
    assert [title for title in others if title in text] == []
    controls = (
        "Skip to main content",
        "Back to top",
        "Ctrl",
        "Previous",
        "By the authors",
        "Reset",
        "live in a new tab",
    )
    assert [words for words in (*controls, "Code of this figure", "Hide the code") if letters(words) in text] == []


def test_the_pdf_says_its_language_and_its_structure(printed):
    root = printed.trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"]
    assert printed.metadata.title == "The Right Information"
