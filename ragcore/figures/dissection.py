"""A hit taken apart: the passage with the question's words marked, and what each term adds."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from ..analysis import Analyzer
from ..bm25 import BM25, Explanation
from ..explore.html import Part, table, tag
from ..hits import Hit


def plain(text: str) -> str:
    r"""A passage on one line, without Markdown's marks for headings, lists, table rows and bold text.

    >>> plain("## Bayes\n\n**Věta** o P(A | B):\n- 2**3\n| a | b |")
    'Bayes Věta o P(A | B): 2**3 a · b'
    """
    lines = []
    for i, line in enumerate(text.split("\n")):
        if i or line.startswith("#"):  # a passage may begin in the middle of a line
            line = re.sub(r"^(#{1,6}|[-*]|\d+\.) ", "", line)
        if line.startswith("|"):
            line = " · ".join(cell.strip() for cell in line.strip("|").split("|") if cell.strip(" -"))
        lines.append(line)
    return re.sub(r"(?<!\w)\*\*(?=\S)([^*]+)(?<=\S)\*\*(?!\w)", r"\1", " ".join(" ".join(lines).split()))


def marked(text: str, terms: set[str], analyzer: Analyzer, language: str) -> Element:
    """A passage in which every word is marked that shares at least half of its terms with the question."""
    pieces: list[Part] = []
    for piece in plain(text).split():
        own = analyzer(piece)
        hit = bool(own) and 2 * sum(term in terms for term in own) >= len(own)
        pieces += [tag("mark", piece) if hit else piece, " "]
    return tag("blockquote", *pieces[:-1], lang=language)


def contribution_table(explanation: Explanation) -> Element:
    """The rows of an explanation, a bar for what each term adds, and the total."""
    longest = max([1e-9, *(row.contribution for row in explanation.rows)])
    rows: list[list[Part]] = [
        [row.term, f"{row.n_t}", f"{row.idf:.3f}", f"{row.f}", f"{row.contribution:.3f}",
         tag("span", class_="explore-bar", style=f"width: {4 * row.contribution / longest:.1f}em")]
        for row in explanation.rows
    ]  # fmt: skip
    head: list[Part] = ["term", tag("span", "n", tag("sub", "t")), "idf", "f", "adds", ""]
    return table(head, rows, foot=["total", "", "", "", f"{explanation.total:.3f}", ""])


def dissection(index: BM25, question: str, hit: Hit) -> Element:
    """Where a hit comes from, its text with the question's words marked, and the table of its score."""
    terms = set(index.analyzer(question))
    article = hit.chunk.article
    where = tag("p", f"Rank {hit.rank}, from ", tag("cite", article.title, lang=article.language))
    passage = marked(hit.chunk.text, terms, index.analyzer, article.language)
    return tag("div", where, passage, contribution_table(index.explain(question, hit.chunk)))
