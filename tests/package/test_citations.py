"""Citations: every form in which models write them, near misses, unknown ids, sentences without a source."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.chunking import split_words
from ragcore.citations import check_citations, check_support, find_marks, is_refusal, replace_marks
from ragcore.compression import Passage
from ragcore.ordering import best_first
from ragcore.prompting import PHRASES, build_prompt

CASES = {
    case["id"]: case for case in json.loads((Path(__file__).parents[1] / "cases/faults.json").read_text("utf-8"))
}
GIVEN = ["S1", "S2", "S3", "S10"]


@pytest.mark.parametrize(
    ("answer", "ids"),
    [
        ("a [S1]", ["S1"]),
        ("a [S1][S3]", ["S1", "S3"]),
        ("a [S1] [S3]", ["S1", "S3"]),
        ("a [S1, S2]", ["S1", "S2"]),
        ("a [S1,S2]", ["S1", "S2"]),
        ("a [S1; S2]", ["S1", "S2"]),
        ("a [S1-S3]", ["S1", "S2", "S3"]),
        ("a [S1–S3]", ["S1", "S2", "S3"]),
        ("a [S2-S10]", ["S2", "S3", "S10"]),
        ("a [S1-S2; S10]", ["S1", "S2", "S10"]),
        ("a 【S1】", ["S1"]),
        ("a ［S1］", ["S1"]),
        ("a [s1]", ["S1"]),
        ("a [ S1 ]", ["S1"]),
        ("a [S1][S1]", ["S1"]),
        ("מומנטום מרסן [S2].", ["S2"]),
        ("a [[S1]]", ["S1"]),
        ("a [S1](http://x)", ["S1"]),
    ],
)
def test_every_form_of_a_citation_is_read(answer, ids):
    report = check_citations(answer, GIVEN)
    assert list(report.sources) == ids
    assert report.sound


@pytest.mark.parametrize(
    "mark",
    ["[S 1]", "(S1)", "[S1", "[S٣]", "[source 1]", "[Source 1]", "[zdroj 1]", "[zdroje 1, 2]", "[fonte 1]",
     "[fonti 1]", "[מקור 1]", "[S1, 2]", "[S1,]", "[S3-S1]", "[S1-S2-S3]", "（S1）", "{S1}", "[S1 and S2]",
     "[source #1]", "[S1.]"],
)  # fmt: skip
def test_a_near_miss_is_reported_and_counts_as_no_citation(mark):
    report = check_citations(f"It damps {mark}", GIVEN)
    assert report.malformed == (mark,)
    assert report.sources == ()
    assert report.uncited == (f"It damps {mark}",)


@pytest.mark.parametrize(
    "text", ["[7]", "[2024]", "[a]", "[]", "[S]", "x[i]", "(7)", "[1, 2]", "[Smith 2020]", "[see S]"]
)
def test_other_brackets_are_no_citations(text):
    report = check_citations(f"It damps {text} well [S1].", GIVEN)
    assert (report.sources, report.unknown, report.malformed, report.uncited) == (("S1",), (), (), ())


@pytest.mark.parametrize(("answer", "torn"), [("It damps S1][S2].", "S1]"), ("It damps [S1], S2].", "S2]"),
                                             ("It damps S3)[S2].", "S3)")])  # fmt: skip
def test_a_mark_without_its_first_bracket_is_reported_beside_a_whole_one(answer, torn):
    report = check_citations(answer, GIVEN)
    assert report.malformed == (torn,)
    assert not report.sound


def test_a_name_that_looks_like_an_id_is_none_without_a_bracket():
    assert check_citations("The S3 bucket and axis1] damp [S1].", GIVEN).sound


def test_ids_next_to_each_other_of_which_one_begins_the_other_are_two():
    """Fault cite-adjacent."""
    case = CASES["cite-adjacent"]
    assert list(check_citations(case["input"], GIVEN).sources) == case["expected"]


def test_a_range_hides_nothing():
    """Fault cite-range."""
    case = CASES["cite-range"]
    assert list(check_citations(case["input"], GIVEN).sources) == case["expected"]


def test_other_brackets_and_small_letters_are_read_and_parentheses_reported():
    """Fault cite-bracket-kinds."""
    *read, reported = CASES["cite-bracket-kinds"]["input"]
    assert [check_citations(mark, GIVEN).sources for mark in read] == [("S1",)] * 3
    assert check_citations(reported, GIVEN).malformed == (reported,)


def test_nearly_right_marks_are_listed():
    """Fault cite-malformed-silent."""
    for mark in CASES["cite-malformed-silent"]["input"]:
        report = check_citations(f"Claim {mark}", GIVEN)
        assert (report.sources, report.malformed) == ((), (mark,))


def test_an_id_that_was_never_given_is_unknown_and_not_uncited_altogether():
    """Fault cite-unknown: the marker is invalid; it isn't silently accepted, and it isn't «no citation» either."""
    report = check_citations(CASES["cite-unknown"]["input"]["answer"], ["S1"])
    assert report.unknown == ("S999",)
    assert report.uncited == ()


def test_ids_follow_the_order_of_the_prompt_and_passages_without_a_name_get_their_own():
    """Faults cite-missing-key and cite-reorder-map."""
    a, b, c = (Passage(split_words(text)[0], score) for text, score in (("a", 0.9), ("b", 0.8), ("c", 0.7)))
    prompt = build_prompt("", best_first([a, b, c]), "q")
    assert prompt.sources == {"S1": a, "S2": c, "S3": b}
    assert [prompt.sources[id].text for id in check_citations("It damps [S2].", prompt.sources).sources] == ["c"]


def test_a_huge_range_lists_what_was_given_and_its_end():
    report = check_citations("a [S1-S999999999]", GIVEN)
    assert report.sources == ("S1", "S2", "S3", "S10")
    assert report.unknown == ("S999999999",)


def test_a_citation_belongs_to_the_sentence_before_it():
    report = check_citations("It damps. [S1] It is fast. It is small [S2].", GIVEN)
    assert report.uncited == ("It is fast.",)
    assert check_citations("It damps.[S1] It is fast.[S2]", GIVEN).uncited == ()


def test_a_sentence_with_an_unknown_source_alone_has_none():
    report = check_citations("It damps [S1]. It is fast [S9].", GIVEN)
    assert report.uncited == ("It is fast [S9].",)


def test_an_answer_without_a_citation_is_uncited_sentence_by_sentence():
    assert check_citations("It damps. It is fast.", GIVEN).uncited == ("It damps.", "It is fast.")
    assert check_citations("", GIVEN).uncited == ()
    assert not check_citations("It damps.", []).sound


def test_saying_that_the_sources_are_silent_needs_no_source():
    assert check_citations("It damps [S1]. The sources do not say.", GIVEN).sound


def test_numbered_prompts_cite_by_plain_numbers():
    assert check_citations("It damps [1][3].", ["1", "2"]).unknown == ("3",)
    assert check_citations("It damps [1-2].", ["1", "2"]).sources == ("1", "2")


def test_mixed_ids_are_an_error():
    with pytest.raises(ValueError, match="all be S and a number"):
        check_citations("a", ["S1", "2"])


@pytest.mark.parametrize("language", PHRASES)
def test_refusals_are_recognised_in_every_language_with_other_punctuation_too(language):
    phrases = PHRASES[language]
    for said in (phrases.not_there, phrases.do_not_know):
        assert is_refusal(said)
        assert is_refusal(f"«{said.rstrip('.')}»")
        assert not is_refusal(f"{said} 1812.")
    assert not is_refusal("")


def test_only_what_was_given_becomes_a_link():
    linked = replace_marks("a [S1, S9] b [S2] c [7] (S1)", GIVEN, "<{}>".format)
    assert linked == "a <S1> [S9] b <S2> c [7] (S1)"


@given(st.text("[]S1, 2-;【】()ab.\n٣s", max_size=40))
def test_no_text_breaks_the_reader_and_marks_stand_where_they_say(answer):
    marks, _ = find_marks(answer, GIVEN)
    for mark in marks:
        assert answer[mark.start] in "[【［"
        assert answer[mark.end - 1] in "]】］"
        assert mark.ids
    report = check_citations(answer, GIVEN)
    assert not set(report.sources) & set(report.unknown)
    assert all(sentence.strip() and sentence in answer for sentence in report.uncited)


def test_support_is_asked_for_every_pair_of_a_sentence_and_a_source_that_was_given():
    sources = {f"S{n}": Passage(split_words(text)[0], 0.9) for n, text in enumerate(("one", "two", "six"), start=1)}
    asked = []

    def judge(claim, texts):
        asked.append((claim, list(texts)))
        return [len(text) for text in texts]

    claims = check_support("A [S1, S3]. Be it. [S2] Cats purr. Do so [S9].", sources, judge)
    assert asked == [("A .", ["one", "six"]), ("Be it.", ["two"])]
    assert [(claim.source_id, claim.support) for claim in claims] == [("S1", 3), ("S3", 3), ("S2", 3)]
