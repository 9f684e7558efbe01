"""`ragcore ask QUESTION`: an answer with its sources, or a refusal that says why."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any

from ..chunking import Chunk
from ..generation import Model, OpenAIModel
from ..hits import Hit
from ..notes import MINIMUM, THRESHOLD, open_notes
from ..prompting import PHRASES
from ..rag import Answer
from . import show

DESCRIPTION = """Answer a question from your notes, with the source of every sentence.

Without --base-url the answer is made of sentences of your notes, word for word. With it, a language model behind an
OpenAI-compatible endpoint writes it (key: OPENAI_API_KEY), and its citations are checked. A question whose best
passage is not near enough is refused, with exit code 3; `ragcore evaluate` helps to choose the threshold."""

REFUSED = 3


def add(commands: Any) -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(
        "ask", help="answer a question from your notes", description=DESCRIPTION, formatter_class=form
    )
    parser.add_argument("question", metavar="QUESTION")
    add = parser.add_argument
    add("--k", type=int, default=5, metavar="N", help="passages at most (default: 5)")
    add("--threshold", type=float, metavar="X",
        help=f"refuse below this nearness, 0 to 1 (default: what the index keeps, else {THRESHOLD})")  # fmt: skip
    add("--minimum", type=float, metavar="X",
        help="share of the question that a sentence must hold to be quoted "
        f"(default: what the index keeps, else {MINIMUM})")  # fmt: skip
    add("--language", choices=list(PHRASES), default="en",
        help="of the instructions and the refusal (default: %(default)s)")  # fmt: skip
    add("--base-url", metavar="URL", help="the endpoint, such as http://localhost:11434/v1")
    add("--model", metavar="NAME", help="the endpoint's name of the model")
    show.add_store(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if not args.question.strip():
        raise ValueError("the question is empty")
    notes = open_notes(show.store_of(args))
    rag = notes.rag(
        _endpoint(args), threshold=args.threshold, minimum=args.minimum, k=args.k, language=args.language
    )
    answer = rag.ask(args.question)
    hits = rag.index.search(args.question, args.k)
    if args.json:
        show.as_json({
            "kind": answer.kind, "text": answer.text, "reason": answer.reason, "nearness": answer.nearness,
            "threshold": rag.threshold,
            "sources": [{"id": source.id, **_place(source.passage.chunk)} for source in answer.sources],
            "nearest": [_place(hit.chunk) for hit in hits],
        })  # fmt: skip
    else:
        _tell(answer, rag.threshold, hits)
    return REFUSED if answer.kind == "refused" else 0


def _endpoint(args: argparse.Namespace) -> Model | None:
    if (args.base_url is None) != (args.model is None):
        raise ValueError("--base-url and --model belong together: give both, or neither to quote your notes")
    return OpenAIModel(args.model, args.base_url) if args.base_url is not None else None


def _place(chunk: Chunk) -> dict[str, Any]:
    article = chunk.article
    return {"note": article.id, "title": article.title, "section": list(chunk.section), "text": chunk.text}


def _tell(answer: Answer, threshold: float, hits: Sequence[Hit]) -> None:
    print(textwrap.fill(answer.text, show.WIDTH))
    if answer.kind == "refused":
        print(f"({answer.reason}; nearness {answer.nearness:.3f}, threshold {threshold:.3f})")
        if hits:  # an honest search result is better than nothing
            print(f"\nNearest passage, {_where(hits[0].chunk)}:")
            print(textwrap.fill(textwrap.shorten(hits[0].chunk.text, 300, placeholder=" …"), show.WIDTH))
        return
    print()
    for source in answer.sources:
        print(f"{source.id}  {_where(source.passage.chunk)}")
    if answer.kind == "partial":
        print("(not every sentence has a source that was given)")


def _where(chunk: Chunk) -> str:
    return " › ".join([chunk.article.id, *chunk.section])
