"""Pictures of «Citations that can be checked»: an answer beside its sources, and an answer that comes in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ..citations import Citations, check_citations, find_marks
from ..compression import Passage
from ..explore.html import Part, tag
from ..generation import ModelError
from ..quotes import find_quote
from ..streaming import Broken, Checked, Text, stream_answer

# ------------------------------------------------------------------ an answer whose citations light up their quotes

LEFT = "text-align: start; overflow-wrap: anywhere"
NOW = "text-decoration: underline solid 2px var(--explore-question); text-underline-offset: 0.2em"
LIT = "font-weight: 700; text-decoration: underline solid 3px var(--explore-relevant); text-underline-offset: 0.2em"
CITED = f"{LEFT}; border-inline-start: 4px solid var(--explore-relevant); padding-inline-start: 0.5em"
OTHERS = f"{LEFT}; border-inline-start: 4px dotted var(--explore-other); padding-inline-start: 0.5em"


@dataclass(frozen=True)
class Cited:
    """A sentence of an answer with its marks, and the words that it says its source holds."""

    sentence: str
    quote: str


def lit(answer: Sequence[Cited], number: int, sources: Mapping[str, Passage]) -> Element:
    """An answer, one of its sentences chosen (from 1), beside the sources; its quote stands out where it stands.

    ▶ names the chosen sentence, ◀ the source that it cites; the quote is bold, underlined and between ⟦ ⟧.
    """
    chosen, language = answer[number - 1], _language(sources)
    cited = {id for mark in find_marks(chosen.sentence, sources)[0] for id in mark.ids}
    said: list[Part] = []
    for place, part in enumerate(answer, start=1):
        said += [tag("span", f"▶ {part.sentence}", style=NOW) if place == number else part.sentence, " "]
    rows = [tag("tr", tag("th", "answer", scope="row"), tag("td", *said, **language, style=LEFT))]
    for id, passage in sources.items():
        text = passage.text
        place_ = find_quote(chosen.quote, text) if id in cited else None
        a, b = place_ or (0, 0)
        quote = tag("span", f"⟦{_flat(text[a:b])}⟧", style=LIT) if b else None
        shown = (_flat(text[:a]), quote, _flat(text[b:]))
        name = f"{id} ◀" if id in cited else id
        body = tag("td", *shown, **language, style=CITED if id in cited else OTHERS)
        rows.append(tag("tr", tag("th", name, scope="row"), body))
    caption = tag("caption", "The answer and its sources", style="caption-side: top; text-align: left")
    return tag("table", caption, tag("tbody", *rows), style="width: 100%; max-width: 44rem")


def lit_sentence(answer: Sequence[Cited], number: int, sources: Mapping[str, Passage]) -> str:
    """What the chosen sentence cites, whether its quote stands there, and whether the answer passes as a whole."""
    chosen = answer[number - 1]
    report = check_citations(chosen.sentence, sources)
    there = [id for id in report.sources if find_quote(chosen.quote, sources[id].text)]
    if report.malformed:
        found = f"has a near miss, {report.malformed[0]}, and no citation: no source is marked"
    elif report.unknown:
        found = f"cites {report.unknown[0]}, which was never given: no source is marked"
    elif not report.sources:
        found = "cites nothing: no source is marked"
    elif there:
        found = f"cites {', '.join(report.sources)}, which was given, and its quote stands there, between ⟦ and ⟧"
    else:
        found = (
            f"cites {', '.join(report.sources)}, which was given, but «{chosen.quote}» does not stand there, "
            "word for word: the source is marked, and no words of it"
        )
    faults = problems(answer, sources)
    verdict = "passes" if not faults else f"does not pass: {'; '.join(faults)}"
    return f"Sentence {number} of {len(answer)} {found}. The answer as a whole {verdict}."


def problems(answer: Sequence[Cited], sources: Mapping[str, Passage]) -> list[str]:
    """What is wrong with an answer, sentence by sentence; nothing if it passes."""
    found = []
    for number, part in enumerate(answer, start=1):
        report = check_citations(part.sentence, sources)
        faults = {"a near miss": report.malformed, "a source that was never given": report.unknown,
                  "no source": () if report.malformed or report.unknown else report.uncited}  # fmt: skip
        wrong = [name for name, those in faults.items() if those]
        if not wrong and not any(find_quote(part.quote, sources[id].text) for id in report.sources):
            wrong = ["a quote that is not there"]
        found += [f"sentence {number} has {name}" for name in wrong]
    return found


def _language(sources: Mapping[str, Passage]) -> dict[str, str]:
    language = next(iter(sources.values())).chunk.article.language
    return {"lang": language, "dir": "rtl" if language == "he" else "ltr"}


def _flat(text: str) -> str:
    """On one line, without the marks of Markdown; white space at the ends stays, as one space."""
    words = " ".join(word for word in text.replace("**", "").split() if set(word) != {"#"})
    return f"{' ' if text[:1].isspace() else ''}{words}{' ' if text[-1:].isspace() else ''}" if words else ""


# ------------------------------------------------------------------ a stream, piece by piece


@dataclass(frozen=True)
class Moment:
    """A stream at one moment: what has come, what the reader sees, what waits, and the last event if it is over."""

    came: str
    shown: str
    waits: str
    end: Checked | Broken | None


class _EnoughError(Exception):
    """The moment at which we look."""


def moment(pieces: Sequence[str], number: int, sources: Mapping[str, Passage], hold: bool, lost: bool) -> Moment:
    """A stream after so many pieces; one more than there are is its end. lost: it breaks off instead of ending.

    >>> moment(["It da", "mps [S", "1]."], 2, {"S1": None}, hold=False, lost=False)
    Moment(came='It damps [S', shown='It damps ', waits='[S', end=None)
    """

    def model() -> Iterator[str]:
        yield from pieces[:number]
        if number <= len(pieces):
            raise _EnoughError
        if lost:
            raise ModelError("the connection was lost")

    events = stream_answer(model(), sources, hold=hold)
    shown, end = "", None
    try:
        for event in events:
            if isinstance(event, Text):
                shown += event.text
            elif isinstance(event, Checked | Broken):
                end = event
    except _EnoughError:
        pass
    came = "".join(pieces[:number])
    return Moment(came, shown, "" if end else came[len(shown) :], end)


def stream_table(now: Moment, last: str) -> Element:
    """The last piece, what the reader sees, and what waits, as a table; every row is there in every state."""
    rows = [("last piece", last), ("the reader sees", now.shown), ("waits", now.waits)]
    body = [
        tag("tr", tag("th", name, scope="row"),
            tag("td", f"«{text}»" if text else "nothing", style=f"{LEFT}; white-space: pre-wrap"))
        for name, text in rows
    ]  # fmt: skip
    caption = tag("caption", "The stream at this moment", style="caption-side: top; text-align: left")
    return tag("table", caption, tag("tbody", *body), style="width: 100%; max-width: 44rem")


def stream_sentence(now: Moment, number: int, of: int, hold: bool) -> str:
    """What the reader sees at this moment, what waits, and why."""
    if now.end is None:
        came = f"{number} of {of} pieces have come. "
        if not now.came:
            return came + "The sources are shown, before the first word; of the answer nothing."
        if hold:
            return came + f"All {len(now.came)} characters wait for the check at the end; the reader sees none."
        if now.waits:
            return came + (
                f"The reader sees {len(now.shown)} characters; «{now.waits}» waits, since a bracket is open: "
                "it may become a citation."
            )
        return came + f"The reader sees all {len(now.shown)} characters; no bracket is open, so nothing waits."
    if isinstance(now.end, Checked):
        faults = _faults(now.end.citations)
        if faults:
            return f"The stream has ended, whole. The check finds {faults}, and the reader has read it."
        return (
            f"The stream has ended, whole, and the check passes: cited are {', '.join(now.end.citations.sources)}."
        )
    seen = f"The reader sees {len(now.shown)} characters, which can’t be taken back" if now.shown else (
        "The reader has seen nothing of it"
    )  # fmt: skip
    return f"The answer is none ({now.end.reason}). {seen}, and is told why."


def _faults(citations: Citations) -> str:
    found = {"a source that was never given": citations.unknown, "a near miss": citations.malformed,
             "a sentence without a source": citations.uncited}  # fmt: skip
    return ", ".join(f"{name} ({'; '.join(those)})" for name, those in found.items() if those)
