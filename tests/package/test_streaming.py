"""Answers in pieces: no half mark is ever shown, nothing is lost, and a broken answer says so."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import split_words
from ragcore.compression import Passage
from ragcore.generation import UnfinishedError
from ragcore.streaming import LONGEST_MARK, Broken, Checked, Sources, Text, stream_answer

SOURCES = {
    f"S{n}": Passage(split_words(text)[0], 0.9) for n, text in enumerate(("One.", "Two.", "Three."), start=1)
}
ANSWER = "It damps [S1]. It is fast [S1, S3]; and 【S2】 [7] (S1) [S9]."
LINKED = "It damps <S1>. It is fast <S1> <S3>; and <S2> [7] (S1) [S9]."


def events_of(pieces, **options):
    return list(stream_answer(pieces, SOURCES, "<{}>".format, **options))


def shown(events) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


def test_the_sources_come_before_the_first_piece_is_asked_for():
    def never():
        raise AssertionError("asked too early")
        yield

    assert next(stream_answer(never(), SOURCES)) == Sources(SOURCES)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_marks_become_links_wherever_the_pieces_break(size):
    events = events_of([ANSWER[i : i + size] for i in range(0, len(ANSWER), size)])
    assert shown(events) == LINKED
    assert isinstance(events[-1], Checked)
    assert events[-1].answer == ANSWER
    assert events[-1].citations.unknown == ("S9",)


@given(st.lists(st.integers(0, len(ANSWER)), max_size=10), st.text("[]S12, 【】(ab\n", max_size=30))
def test_any_cut_of_any_text_shows_the_same(places, tail):
    text = ANSWER + tail
    cuts = [0, *sorted(places), len(text)]
    pieces = [text[a:b] for a, b in pairwise(cuts)]
    assert shown(events_of(pieces)) == shown(events_of([text]))


def test_no_text_that_was_shown_ends_inside_a_mark():
    for event in events_of(list("It damps [S1]. Well [S2"))[1:-2]:
        assert event.text.count("[") == event.text.count("]")


def test_an_open_bracket_that_is_no_citation_does_not_hold_the_text_back_for_ever():
    pieces = ["an [open ", "x" * LONGEST_MARK, " bracket"]
    texts = [event.text for event in events_of(pieces) if isinstance(event, Text)]
    assert len(texts) == 3
    assert "".join(texts) == "".join(pieces)


def test_text_that_needs_no_waiting_is_shown_at_once():
    seen = []

    def pieces():
        yield "It damps. "
        seen.append(len(seen))
        yield "More."

    events = stream_answer(pieces(), SOURCES)
    next(events)
    assert next(events) == Text("It damps. ")
    assert seen == []


def broken(*pieces):
    yield from pieces
    raise UnfinishedError("".join(pieces), "the connection was lost")


def test_a_stream_that_is_cut_ends_with_what_came_and_why():
    events = events_of(broken("It damps [S1]. It is f", "ast [S"))
    assert shown(events) == "It damps <S1>. It is fast [S"
    assert isinstance(events[-1], Broken)
    assert events[-1].answer == "It damps [S1]. It is fast [S"
    assert "the connection was lost" in events[-1].reason


def test_held_back_nothing_is_shown_until_the_answer_has_passed():
    events = events_of(["It damps [", "S1]."], hold=True)
    assert [type(event) for event in events] == [Sources, Text, Checked]
    assert shown(events) == "It damps <S1>."


@pytest.mark.parametrize(
    ("answer", "says"),
    [("It damps.", "sentences without a source: It damps."), ("It damps [S9].", "never given: S9"),
     ("It damps [S1] (S2).", "malformed citations: (S2)")],
)  # fmt: skip
def test_held_back_an_answer_that_does_not_pass_is_not_shown(answer, says):
    events = events_of([answer], hold=True)
    assert [type(event) for event in events] == [Sources, Broken]
    assert says in events[-1].reason
    assert events[-1].answer == answer


def test_held_back_a_stream_that_is_cut_shows_nothing():
    events = events_of(broken("It damps [S1]."), hold=True)
    assert [type(event) for event in events] == [Sources, Broken]
