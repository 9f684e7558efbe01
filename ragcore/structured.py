"""An answer as data: text, quotes with their sources, and whether they suffice.

    {"answer": "…", "citations": [{"source_id": "S1", "quote": "…"}], "sufficient": true}

A quote can be looked up, so this form can be checked further than marks in a text: does the quote stand in its
source, word for word? Whatever is wrong is reported, nothing is guessed or repaired.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .compression import Passage
from .quotes import find_quote

SCHEMA: dict[str, Any] = {  # for endpoints that hold a model to a JSON schema
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "citations": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"source_id": {"type": "string"}, "quote": {"type": "string"}},
                "required": ["source_id", "quote"],
                "additionalProperties": False,
            },
        },
        "sufficient": {"type": "boolean"},
    },
    "required": ["answer", "citations", "sufficient"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Quotation:
    """Words that a source is said to hold; place: where they stand in the passage's text, None if nowhere."""

    source_id: str
    quote: str
    place: tuple[int, int] | None


@dataclass(frozen=True)
class Structured:
    """An answer read from JSON. problems: everything that is wrong with it, in sentences; none means it is sound.

    What cannot be read at all leaves an empty answer that is not sufficient.
    """

    answer: str
    citations: tuple[Quotation, ...]
    sufficient: bool
    problems: tuple[str, ...]


def read_structured(text: str, sources: Mapping[str, Passage]) -> Structured:
    """Reads and checks a model's JSON: its form, its ids, and every quote against its source.

    sources: the passages of the prompt by id. Reported as problems: text around the object, a key that is missing,
    unknown or there twice, a value of the wrong type, an id that was never given, a quote that does not stand in
    its source, an answer that calls itself sufficient and quotes nothing, or the other way round an empty one.

    >>> read_structured('{"answer": "Yes.", "citations": [], "sufficient": true}', {}).problems
    ('the answer calls itself sufficient and quotes no source',)
    """
    problems: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        problems.extend(f"the key {name!r} stands twice" for name in dict.fromkeys(names) if names.count(name) > 1)
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        return Structured("", (), False, (f"not one JSON object and nothing else: {error}",))
    if not _has_type(value, dict, "the whole", problems):
        return Structured("", (), False, tuple(problems))
    _check_keys(value, SCHEMA, "the object", problems)
    answer = value.get("answer", "")
    sufficient = value.get("sufficient", False)
    cited = value.get("citations", [])
    answer = answer if _has_type(answer, str, "'answer'", problems) else ""
    sufficient = sufficient if _has_type(sufficient, bool, "'sufficient'", problems) else False
    citations = []
    for number, item in enumerate(cited if _has_type(cited, list, "'citations'", problems) else [], start=1):
        name = f"citation {number}"
        if not _has_type(item, dict, name, problems):
            continue
        _check_keys(item, SCHEMA["properties"]["citations"]["items"], name, problems)
        source_id, quote = item.get("source_id", ""), item.get("quote", "")
        if _has_type(source_id, str, f"{name}: 'source_id'", problems) and _has_type(
            quote, str, f"{name}: 'quote'", problems
        ):
            citations.append(_quotation(source_id, quote, sources, name, problems))
    if sufficient and not any(citation.place for citation in citations):
        problems.append("the answer calls itself sufficient and quotes no source")
    if sufficient and not answer.strip():
        problems.append("the answer calls itself sufficient and is empty")
    return Structured(answer, tuple(citations), sufficient, tuple(problems))


def _quotation(
    source_id: str, quote: str, sources: Mapping[str, Passage], name: str, problems: list[str]
) -> Quotation:
    place = None
    if source_id not in sources:
        problems.append(f"{name}: no source {source_id!r} was given, there are: {', '.join(sources) or 'none'}")
    else:
        place = find_quote(quote, sources[source_id].text)
        if place is None:
            problems.append(f"{name}: the quote {quote!r} does not stand in {source_id}")
    return Quotation(source_id, quote, place)


def _check_keys(value: dict[str, Any], schema: dict[str, Any], name: str, problems: list[str]) -> None:
    problems += [f"{name} lacks the key {key!r}" for key in schema["required"] if key not in value]
    problems += [f"{name} has an unknown key {key!r}" for key in value if key not in schema["properties"]]


def _has_type(value: object, kind: type, name: str, problems: list[str]) -> bool:
    if isinstance(value, kind):
        return True
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    problems.append(f"{name} must be {names[kind]}, not {json.dumps(value, ensure_ascii=False)[:60]}")
    return False
