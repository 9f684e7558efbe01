"""Answers as JSON: what is sound passes, everything else is named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import split_words
from ragcore.compression import Passage
from ragcore.structured import SCHEMA, read_structured

TEXT = "Momentum adds a part of the last step. It damps the swinging in a narrow valley."
SOURCES = {"S1": Passage(split_words(TEXT)[0], 0.9), "S2": Passage(split_words("A graph has no cycles.")[0], 0.5)}
QUOTE = {"source_id": "S1", "quote": "It damps the swinging"}
SOUND = {"answer": "It swings less.", "citations": [QUOTE], "sufficient": True}


def read(value) -> tuple:
    return read_structured(value if isinstance(value, str) else json.dumps(value), SOURCES).problems


def test_a_sound_answer_has_no_problems_and_its_quote_a_place():
    structured = read_structured(json.dumps(SOUND), SOURCES)
    assert structured.problems == ()
    assert (structured.answer, structured.sufficient) == ("It swings less.", True)
    (citation,) = structured.citations
    start, end = citation.place
    assert TEXT[start:end] == citation.quote == QUOTE["quote"]


def test_an_answer_that_is_not_sufficient_may_quote_nothing():
    assert read({"answer": "", "citations": [], "sufficient": False}) == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not one JSON object"),
        ("Sure! Here it is.", "not one JSON object"),
        (f"```json\n{json.dumps(SOUND)}\n```", "not one JSON object"),
        (json.dumps(SOUND) + json.dumps(SOUND), "not one JSON object"),
        (json.dumps(SOUND)[:-3], "not one JSON object"),
        ("[" * 100_000, "not one JSON object"),
        ("[]", "the whole must be an object, not []"),
        ("null", "the whole must be an object, not null"),
        ('"text"', "the whole must be an object"),
        ('{"answer": "a", "answer": "b", "citations": [], "sufficient": false}', "'answer' stands twice"),
        ({**SOUND, "sufficient": "true"}, "'sufficient' must be true or false, not \"true\""),
        ({**SOUND, "sufficient": 1}, "'sufficient' must be true or false, not 1"),
        ({**SOUND, "answer": None}, "'answer' must be a string, not null"),
        ({**SOUND, "citations": {"S1": "x"}}, "'citations' must be a list"),
        ({**SOUND, "citations": ["S1"]}, "citation 1 must be an object"),
        ({**SOUND, "citations": [QUOTE, {"source_id": "S1"}]}, "citation 2 lacks the key 'quote'"),
        ({**SOUND, "citations": [{**QUOTE, "page": 3}]}, "citation 1 has an unknown key 'page'"),
        ({**SOUND, "citations": [{**QUOTE, "source_id": 1}]}, "citation 1: 'source_id' must be a string"),
        ({**SOUND, "citations": [{**QUOTE, "source_id": "S9"}]}, "no source 'S9' was given, there are: S1, S2"),
        ({**SOUND, "citations": [{**QUOTE, "source_id": "S2"}]}, "does not stand in S2"),
        ({**SOUND, "citations": [{**QUOTE, "quote": ""}]}, "the quote '' does not stand in S1"),
        ({**SOUND, "citations": [{**QUOTE, "quote": "It dampens the swinging"}]}, "does not stand in S1"),
        ({**SOUND, "confidence": 0.9}, "the object has an unknown key 'confidence'"),
        ({"answer": "a", "citations": [QUOTE]}, "the object lacks the key 'sufficient'"),
        ({**SOUND, "citations": []}, "calls itself sufficient and quotes no source"),
        ({**SOUND, "answer": " "}, "calls itself sufficient and is empty"),
    ],
)  # fmt: skip
def test_whatever_is_wrong_is_named(text, says):
    assert any(says in problem for problem in read(text))


def test_a_citation_with_a_fault_does_not_hide_the_others():
    structured = read_structured(
        json.dumps({**SOUND, "citations": [7, {**QUOTE, "source_id": "S9"}, QUOTE]}), SOURCES
    )
    assert [(citation.source_id, citation.place is None) for citation in structured.citations] == [
        ("S9", True),
        ("S1", False),
    ]
    assert len(structured.problems) == 2


def test_the_schema_asks_for_what_the_reader_checks():
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"]) == {"answer", "citations", "sufficient"}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("S1"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["answer", "citations", "sufficient", "source_id", "quote", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(values)
def test_no_json_breaks_the_reader_and_only_sound_ones_pass(value):
    structured = read_structured(json.dumps(value), SOURCES)
    if not structured.problems:
        assert set(value) == set(SOUND)
        assert all(citation.place for citation in structured.citations)
