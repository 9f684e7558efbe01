"""Why an answer was not found: one reason a question, the first that holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import BM25, Article, Question, split_words, words
from ragcore.diagnosis import FAULTS, diagnose, outcome, propose, refusal
from ragcore.notes import open_notes, update

TEA = Article("tea.md", "", "", "Let black tea draw for four minutes. Warm the pot first. Milk comes last.")
BEES = Article("bees.md", "", "", "The bees sleep in winter. Call Mr Orban when they swarm.")
COPY = Article("copy.md", "", "", "Tea, tea: how long? Draw for four minutes.")


def finding(text, answer, article="tea.md", notes=(TEA, BEES), size=7, k=1, **more):
    index = BM25([chunk for note in notes for chunk in split_words(note, size)], words)
    return diagnose([Question(text, "direct", article, (answer,))], index, k, **more)[0]


def test_a_question_whose_passage_comes_first_has_no_fault():
    found = finding("How long does black tea draw?", "four minutes")
    assert (found.rank, found.fault, found.detail, found.found(1)) == (1, None, "", True)


CASES = [
    ("not indexed", None, "old.txt: not UTF-8",
     {"text": "Tea?", "answer": "x", "article": "old.txt", "skipped": {"old.txt": "not UTF-8"}}),
    ("not indexed", None, "gone.md: no such note", {"text": "Tea?", "answer": "x", "article": "gone.md"}),
    ("not indexed", None, "old-tea.md: no such note; tea.md says the same words: was it renamed?",
     {"text": "Tea?", "answer": "four minutes", "article": "old-tea.md"}),
    ("not in the note", None, "«five minutes»", {"text": "Tea?", "answer": "five minutes"}),
    ("elsewhere", 2, "copy.md says the same words, and comes at 1",
     {"text": "How long: draw tea?", "answer": "for four minutes", "notes": (TEA, BEES, COPY), "size": 20}),
    ("cut in two", 1, "«draw for | four minutes»",
     {"text": "Draw four minutes?", "answer": "draw for four minutes", "size": 5}),
    ("cut in two", 1, "«tea draw | for four minutes»",
     {"text": "For four minutes?", "answer": "tea draw for four minutes", "size": 4}),
    ("other words", None, "the passage lacks brew (in no note), steep (in no note)",
     {"text": "steep brew", "answer": "four minutes"}),
    ("other words", 2, "the passage lacks at (in no note), orban, swarm",
     {"text": "Tea: swarm at Orban", "answer": "four minutes"}),
    ("ranked low", 2, "rank 2, first is tea.md",
     {"text": "sleep, bees, in: warm, warm, warm pot", "answer": "bees sleep", "article": "bees.md"}),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "rank", "detail", "case"), CASES)
def test_every_fault_has_its_case(fault, rank, detail, case):
    found = finding(**case)
    assert (found.fault, found.rank, found.detail) == (fault, rank, detail)


def test_a_quote_with_other_typography_is_shown_as_it_stands():
    note = Article("tea.md", "", "", "He said “do not boil it twice” and left.")
    found = finding("Boil twice?", '"do not boil it twice"', notes=(note,))
    assert found.fault == "not in the note"
    assert found.detail == '«"do not boil it twice"»; there stands ««do not boil it twice»»'.replace(
        "««", "«“").replace("»»", "”»")  # fmt: skip


def test_a_question_without_an_answer_has_no_fault_but_a_nearness():
    index = BM25(split_words(TEA), words)
    asked = Question("Does tea draw?", "unanswerable", None, ())
    (found,) = diagnose([asked], index)
    assert (found.rank, found.fault) == (None, None)
    assert found.nearness == index.search(asked.text)[0].score / index.ceiling(asked.text)
    assert diagnose([Question("Xyz?", "unanswerable", None, ())], index)[0].nearness == 0


TERMS = ["tea", "draw", "four", "minutes", "bees", "sleep", "warm", "swarm", "zzz"]


@given(st.lists(st.sampled_from(TERMS), min_size=1, max_size=6))
def test_exactly_the_questions_not_found_whole_among_the_first_k_have_a_fault(terms):
    for article, answer in (("tea.md", "four minutes"), ("bees.md", "swarm"), ("no.md", "x")):
        found = finding(" ".join(terms), answer, article, k=2)
        whole = found.found(2)  # with seven words a passage these quotes are never cut
        assert (found.fault is None) == whole
        assert found.fault in (*FAULTS, None)


# ------------------------------------------------------------------ refusing


def findings():
    index = BM25([chunk for note in (TEA, BEES) for chunk in split_words(note, 7)], words)
    asked = [
        Question("How long does black tea draw?", "direct", "tea.md", ("four minutes",)),
        Question("Whom do I call when bees swarm?", "paraphrase", "bees.md", ("Mr Orban",)),
        Question("Does Jack warm to milk?", "unanswerable", None, ()),
        Question("Who won the match?", "unanswerable", None, ()),
    ]
    return diagnose(asked, index, k=1)


def test_a_threshold_of_nothing_answers_everything_and_one_of_one_refuses_everything():
    assert vars(refusal(findings(), 0, k=1)) == {"threshold": 0, "wrong": 2, "others": 2, "needless": 0, "found": 2}
    assert vars(refusal(findings(), 1, k=1)) == {"threshold": 1, "wrong": 0, "others": 2, "needless": 2, "found": 2}


def test_no_threshold_makes_fewer_errors_than_the_proposed_one():
    found = findings()
    best = propose(found, k=1)
    assert best is not None
    assert best.threshold == round(best.threshold, 3)
    for number in range(1001):
        other = refusal(found, number / 1000, k=1)
        assert best.wrong + best.needless <= other.wrong + other.needless


def test_nothing_is_proposed_where_there_is_nothing_to_choose():
    assert propose(findings()[:2], k=1) is None
    assert propose(findings()[2:], k=1) is None
    with pytest.raises(ValueError, match="not negative"):
        propose(findings(), k=1, times=-1)


def test_asked_in_full_every_question_has_one_fate(tmp_path):
    (tmp_path / "tea.md").write_text(TEA.text)
    (tmp_path / "bees.md").write_text(BEES.text)
    update(tmp_path)
    notes = open_notes(tmp_path / ".ragcore")
    questions = [found.question for found in findings()]
    everything = outcome(notes, questions, 0, 0.01)
    assert (everything.quoted, everything.other, everything.refused, everything.silent) == (2, 0, 0, 2)
    nothing = outcome(notes, questions, 1, 0.25)
    assert (nothing.quoted, nothing.other, nothing.refused, nothing.silent) == (0, 0, 2, 0)
