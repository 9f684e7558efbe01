"""Articles and questions: what is searched, and what is asked of it.

    data/corpus/cs/07-logic-and-proofs.md  ─►  Article       data/questions/cs.csv  ─►  Question

The book's corpus travels with the package. Your own notes come in with `read_folder`.
"""

from __future__ import annotations

import csv
import io
import os
import re
import stat
import unicodedata
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Kind = Literal["direct", "paraphrase", "unanswerable"]
LANGUAGES = ("cs", "en")
NOTES = {".md", ".txt"}
# between two lines of ---: «key: value», list items, indented lines; anything else is the text's own
_HEADER = re.compile(r"---\n((?:\w[\w -]*:.*\n|[ \t]+.*\n|- .*\n|#.*\n|\n)+)---(?:\n|\Z)")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.*\S)", re.M)
MAX_ANSWER_WORDS = 8  # a longer quote would be cut in two by small chunks too often, see chapter 9


@dataclass(frozen=True)
class Article:
    """A document. `text` is its Markdown body as it stands; every offset in this package counts in it."""

    id: str
    title: str
    language: str
    text: str

    def __repr__(self) -> str:
        return f"Article({self.id!r}, {self.title!r}, {len(self.text.split())} words)"


@dataclass(frozen=True)
class Question:
    """A question and where its answer stands: an article's id and one or more verbatim quotes from it.

    kind: `direct` uses the subject's terms, `paraphrase` avoids them, `unanswerable` has no article and no quote.
    """

    text: str
    kind: Kind
    article: str | None
    answers: tuple[str, ...]


def data_folder() -> Path:
    """The book's data: the checkout's `data/`, or the copy inside the installed package."""
    package = Path(__file__).parent
    checkout = package.parent / "data"
    return checkout if (checkout / "corpus" / "cs").is_dir() else package / "data"


def load_corpus(language: str = "cs") -> list[Article]:
    """The book's articles in one language, in their order.

    >>> load_corpus("cs")[10].title
    'Gradientní sestup'
    """
    _check_language(language)
    folder = data_folder() / "corpus" / language
    articles = [read_article(path, path.stem) for path in sorted(folder.glob("*.md"))]
    if not articles:
        raise FileNotFoundError(f"the book's corpus is not where it should be, in {folder}: install ragcore anew")
    return articles


def load_questions(language: str = "cs") -> list[Question]:
    """The book's questions in one language: first 30 direct and 6 paraphrased ones, then all the others.

    Raises ValueError, naming the row, unless every answer is a quote of at most eight words that stands in its
    article exactly once.

    >>> load_questions("cs")[0].kind
    'direct'
    """
    _check_language(language)
    articles = {article.id: article for article in load_corpus(language)}
    return read_questions(data_folder() / "questions" / f"{language}.csv", articles)


def read_questions(path: Path, articles: dict[str, Article] | None = None) -> list[Question]:
    """Questions from a CSV file with the columns text, kind, article, answers (several answers: `a | b`).

    articles: what the answers must stand in, word for word and once. Without them only the form is checked; that is
    for your own notes, which change after the questions were written (`diagnosis` says what has become of them).
    """
    questions = []
    try:
        lines = io.StringIO(decode(path.read_bytes()), newline="")
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None
    reader = csv.DictReader(lines)
    if reader.fieldnames != ["text", "kind", "article", "answers"]:
        raise ValueError(
            f"{path.name}: the first line must read text,kind,article,answers, not {reader.fieldnames}"
        )
    for row in reader:
        where = f"{path.name}, line {reader.line_num}"
        if None in row or None in row.values():
            raise ValueError(f"{where}: needs exactly four fields, a field with a comma in it stands in quotes")
        questions.append(_check_question(row, articles, where))
    return questions


def _check_question(row: dict[str, str], articles: dict[str, Article] | None, where: str) -> Question:
    text, article = row["text"].strip(), row["article"].strip() or None
    answers = tuple(answer.strip() for answer in row["answers"].split(" | ")) if row["answers"].strip() else ()
    kind: Kind | None = next((kind for kind in get_args(Kind) if kind == row["kind"]), None)
    if not text or kind is None:
        raise ValueError(f"{where}: needs a text and one of the kinds {get_args(Kind)}, not {row['kind']!r}")
    if (kind == "unanswerable") != (article is None) or (article is None) != (not answers):
        raise ValueError(f"{where}: an unanswerable question has no article and no answers, every other has both")
    if articles is not None and article is not None and article not in articles:
        raise ValueError(f"{where}: there is no article {article!r}")
    for answer in answers:
        if not 1 <= len(answer.split()) <= MAX_ANSWER_WORDS:
            raise ValueError(f"{where}: the answer {answer!r} must have 1 to {MAX_ANSWER_WORDS} words")
        if articles is None:
            continue
        if (times := len(re.findall(f"(?={re.escape(answer)})", articles[article or ""].text))) != 1:
            raise ValueError(f"{where}: the answer {answer!r} stands {times} times in {article!r}, must be once")
    return Question(text, kind, article, answers)


def read_folder(path: str | Path) -> list[Article]:
    """Your own notes: every .md and .txt file below a folder, in the order of their paths.

    An article's id is its path below the folder, its title the header's, else the first heading, else the
    file's name. Files and folders whose name begins with a dot are left alone; other files are named in one
    warning and skipped. Raises ValueError for a folder without notes, and for a file that is not UTF-8 (with the
    place of the first bad byte) or not a text. (`notes.update` skips such files, and tells.)
    """
    folder = Path(path)
    files, skipped = list_files(folder)
    if skipped:
        names = ", ".join(f"{file} ({why})" for file, why in skipped.items())
        warnings.warn(f"skipped: {names}", stacklevel=2)
    if not files:
        raise ValueError(f"no .md or .txt file in {str(path)!r}")
    return [read_article(folder / file, unicodedata.normalize("NFC", file)) for file in files]


def list_files(folder: str | Path) -> tuple[list[str], dict[str, str]]:
    """The notes below a folder, and what is no note with the reason; both as paths below it, in their order.

    Notes are files that end in .md or .txt. What is hidden (its name begins with a dot) is in neither list. Links
    to folders are followed, but no folder is read twice, so a link to a folder above is no endless way down.
    Raises ValueError for what is not a folder.
    """
    if not (folder := Path(folder)).is_dir():
        raise ValueError(f"{str(folder)!r} is not a folder")
    files: list[str] = []
    skipped: dict[str, str] = {}
    seen: set[tuple[int, int]] = set()

    def unreadable(error: OSError) -> None:
        skipped[_below(error.filename, folder)] = "no permission to read"

    waiting = [folder]  # folders reached by a link wait until all others have been read under their own names
    for start in waiting:
        for place, folders, names in os.walk(start, onerror=unreadable):
            here = os.stat(place)
            if (here.st_dev, here.st_ino) in seen:
                folders.clear()
                continue
            seen.add((here.st_dev, here.st_ino))
            folders[:] = [name for name in folders if not name.startswith(".")]
            waiting += [path for name in sorted(folders) if (path := Path(place, name)).is_symlink()]
            for name in names:
                path = Path(place, name)
                if why := _no_note(path):
                    skipped[_below(path, folder)] = why
                elif not name.startswith("."):
                    files.append(_below(path, folder))
    return sorted(files), dict(sorted(skipped.items()))


def _below(path: str | Path, folder: Path) -> str:
    return Path(path).relative_to(folder).as_posix()


def _no_note(path: Path) -> str:
    """Why a file can't be a note, by its name and kind; empty if it can."""
    if path.name.startswith("."):
        return ""
    if path.suffix.lower() not in NOTES:
        return "neither .md nor .txt"
    try:
        path.name.encode()
        regular = stat.S_ISREG(path.stat().st_mode)  # reading from a pipe would wait for ever
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    except OSError:
        return "a link to nothing, or not to be reached"
    return "" if regular else "not a regular file"


def read_article(path: Path, id: str) -> Article:
    """One file as an article. Raises ValueError for a file that is not a text in UTF-8."""
    try:
        return parse_article(decode(path.read_bytes()), id)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def decode(content: bytes) -> str:
    """The text in a file's bytes, with line ends of one kind. Raises ValueError for what is not a text in UTF-8.

    >>> decode("žlutý".encode("cp1250"))
    Traceback (most recent call last):
    ValueError: not UTF-8, byte 0 cannot be read; save the file as UTF-8
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("UTF-16, not UTF-8; save the file as UTF-8")
    if b"\0" in content:
        raise ValueError("not a text, it holds zero bytes")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8, byte {error.start} cannot be read; save the file as UTF-8") from None


def parse_article(text: str, id: str) -> Article:
    """A text as an article: an optional header of `key: value` lines between two `---`, then the body."""
    header: dict[str, str] = {}
    if match := _HEADER.match(text):
        pairs = (line.partition(":") for line in match[1].splitlines() if ":" in line)
        header = {key.strip(): value.strip().strip("\"'") for key, _, value in pairs}
        text = text[match.end() :].lstrip("\n")
    heading = match[1] if (match := _HEADING.search(text)) else ""
    return Article(id, header.get("title") or heading or Path(id).stem, header.get("language", ""), text)


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise ValueError(f"no corpus in {language!r}; there are: {', '.join(LANGUAGES)}")
