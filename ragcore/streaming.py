"""An answer as it comes: sources first, then text piece by piece with its citations as links, at the end the check.

    pieces     "It da", "mps [S", "1]. It is", …        a model breaks its text anywhere, inside a mark too
    events     Sources ─► Text, Text, … ─► Checked      (or Broken, when the model's answer did not end)

A reader should not see half a mark, so text waits from an opening bracket to its end. And once shown, a text cannot
be taken back: `hold=True` shows nothing until the whole answer has passed the check.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from .citations import Citations, check_citations, replace_marks
from .compression import Passage
from .generation import ModelError

LONGEST_MARK = 60  # an opening bracket with more than that behind it begins no citation
_OPEN = re.compile(r"[\[【［][^\]】］\n]*\Z")


@dataclass(frozen=True)
class Sources:
    """The first event: the passages by their ids, so that a page can show them before the first word comes."""

    sources: Mapping[str, Passage]


@dataclass(frozen=True)
class Text:
    """A piece of the answer, ready to be shown: whole marks only, known ids as links."""

    text: str


@dataclass(frozen=True)
class Checked:
    """The last event of a whole answer: the answer as the model wrote it, and what it cites."""

    answer: str
    citations: Citations


@dataclass(frozen=True)
class Broken:
    """The last event if the answer broke off, or a held-back one did not pass: what came, and why it is none."""

    answer: str
    reason: str


Event = Sources | Text | Checked | Broken


def stream_answer(
    pieces: Iterable[str],
    sources: Mapping[str, Passage],
    link: Callable[[str], str] = "[{}]".format,
    hold: bool = False,
) -> Iterator[Event]:
    """The events of an answer whose text comes in pieces.

    pieces: from `Model.stream`; it may raise ModelError at any point, which ends the events with Broken. link: what
    a known id becomes. hold: nothing is shown until the whole answer has come and its citations are sound; if they
    are not, Broken says so instead, and no text is shown.

    >>> events = stream_answer(["It da", "mps [S", "1]."], {"S1": None}, "<{}>".format)
    >>> [event.text for event in events if isinstance(event, Text)]
    ['It da', 'mps ', '<S1>.']
    """
    yield Sources(sources)
    answer = waiting = ""
    try:
        for piece in pieces:
            answer, waiting = answer + piece, waiting + piece
            open_mark = _OPEN.search(waiting)
            whole = open_mark.start() if open_mark and len(open_mark[0]) <= LONGEST_MARK else len(waiting)
            if not hold and whole:
                yield Text(replace_marks(waiting[:whole], sources, link))
                waiting = waiting[whole:]
    except ModelError as error:
        if waiting and not hold:
            yield Text(waiting)
        yield Broken(answer, str(error))
        return
    citations = check_citations(answer, sources)
    if hold and not citations.sound:
        yield Broken(answer, f"held back: {_faults(citations)}")
        return
    if waiting:
        yield Text(replace_marks(waiting, sources, link))
    yield Checked(answer, citations)


def _faults(citations: Citations) -> str:
    faults = {
        "sources that were never given": citations.unknown,
        "malformed citations": citations.malformed,
        "sentences without a source": citations.uncited,
    }
    return "; ".join(f"{name}: {', '.join(found)}" for name, found in faults.items() if found)
