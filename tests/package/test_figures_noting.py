"""What the pictures of the chapter «Your own notes» show is what was computed."""

import json
import re
import shutil
from itertools import combinations

import nbformat
import pytest

from ragcore import BM25, Question
from ragcore.comparison import grid
from ragcore.corpus import data_folder, read_questions
from ragcore.diagnosis import FAULTS, Finding, diagnose
from ragcore.explore.html import write
from ragcore.explore.theme import BUDGET, OTHER, RELEVANT, style
from ragcore.figures.noting import (
    LANES,
    by_chance,
    fates,
    fates_sentence,
    fates_table,
    found_and_read,
)
from ragcore.notes import open_notes, update

ASKED = [Question(f"q{n} < ?", "direct", "a.md", ("x",)) for n in range(1, 6)]
FINDINGS = [
    Finding(ASKED[0], 1, None, "", 0.5),
    Finding(ASKED[1], 7, "ranked low", "", 0.5),
    Finding(ASKED[2], None, "other words", "", 0.1),
    Finding(ASKED[3], 2, "cut in two", "", 0.5),
    Finding(ASKED[4], None, "other words", "", 0.2),
]


def dots(figure):
    (ax,) = figure.axes
    return {text.get_position(): text.get_color() for text in ax.texts if text.get_text() == "●"}


def test_every_fault_has_a_lane():
    assert LANES[1:] == tuple(reversed(FAULTS))


def test_every_question_is_a_dot_in_the_lane_of_its_fault():
    with style():
        found = dots(fates(FINDINGS, direct=3))
    assert found == {(1, 0): RELEVANT, (2, -1): BUDGET, (3, -2): BUDGET, (4, -3): BUDGET, (5, -2): BUDGET}
    assert fates_sentence(FINDINGS, 5) == (
        "1 of 5 answers stand whole in the first 5 passages. "
        "cut in two: 4; other words: 3, 5; ranked low: 2."
    )  # fmt: skip


def test_a_question_without_an_answer_has_no_lane():
    silent = Finding(Question("Who?", "unanswerable", None, ()), None, None, "", 0)
    with pytest.raises(ValueError, match="has no lane"):
        fates([silent], 1)
    with pytest.raises(ValueError, match="no lane for cut in two, ranked low"):
        fates(FINDINGS, 1, ["no fault", "other words"])


def test_the_table_has_the_chosen_questions_with_rank_and_fault():
    page = write(fates_table(FINDINGS, [2, 3]))
    assert page.count("<tr>") == 3
    assert "2  q2 &lt; ?</th><td>7</td><td" in page
    assert ">other words</td>" in page


@pytest.mark.parametrize(("chunks", "right", "k"), [(6, 1, 2), (6, 2, 3), (5, 0, 2), (5, 5, 1), (4, 1, 9)])
def test_chance_is_the_share_of_all_draws_that_hold_a_right_one(chunks, right, k):
    draws = list(combinations(range(chunks), min(k, chunks)))
    share = sum(any(place < right for place in draw) for draw in draws) / len(draws)
    assert by_chance(chunks, right, k) == pytest.approx(share)


def test_chance_of_what_cannot_be_is_an_error():
    for case in ((5, 6, 1), (5, -1, 1), (5, 1, 0)):
        with pytest.raises(ValueError, match="needs 0 ≤ right"):
            by_chance(*case)


def test_points_stand_where_the_shares_say():
    with style():
        (ax,) = found_and_read({"40": (0.1, 0.7), "160": (0.3, 0.9)}, [(0.1, 0.12), (0.3, 0.25)]).axes
    points = {line.get_color(): [] for line in ax.lines}
    for line in ax.lines:
        if line.get_marker() == "o":
            points[line.get_color()].append((line.get_xdata()[0], line.get_ydata()[0]))
    assert points == {RELEVANT: [(0.1, 0.7), (0.3, 0.9)], OTHER: [(0.1, 0.12), (0.3, 0.25)]}
    for outside in ((1.1, 0.7), (0.1, 1.7), (0.6, 0.7)):
        with pytest.raises(ValueError, match="lies outside"):
            found_and_read({"40": outside}, [], widest=0.5)


# ------------------------------------------------------------------ what the chapter says of all states


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    """The mended notes of the chapter."""
    folder = tmp_path_factory.mktemp("mended") / "notes"
    shutil.copytree(data_folder() / "notes", folder)
    chimney, inbox = folder / "house/chimney.txt", folder / "inbox.md"
    chimney.write_text(chimney.read_bytes().decode("iso8859-2"), encoding="utf-8")
    inbox.write_text(inbox.read_text(encoding="utf-8").replace("\n- ", "\n\n- "), encoding="utf-8")
    update(folder)
    return open_notes(folder / ".ragcore")


def test_words_and_stems_bring_one_of_five_up_trigrams_four_and_marmalade_none(notes):
    asked = [one for one in read_questions(data_folder() / "notes" / "questions.csv") if one.article]
    five = [one for one in diagnose(asked, notes.index) if one.fault]
    assert {one.fault for one in five} == {"other words"}
    assert len(five) == 5
    freed = {analyzer: set() for analyzer in ("words", "stems", "trigrams")}
    for analyzer in freed:
        for settings in grid([analyzer], ["structure", "words"], [40, 80, 160], [0, 20]):
            index = BM25([c for note in notes.articles for c in settings.split(note)], settings.function())
            found = diagnose([one.question for one in five], index)
            freed[analyzer] |= {one.question.text for one in found if not one.fault}
    assert freed["words"] == freed["stems"] == {five[4].question.text}
    assert freed["trigrams"] == {one.question.text for one in five[1:]}
    assert five[0].question.text == "My marmalade does not set"


def test_the_figure_of_the_chapter_finds_more_than_chance_in_every_state():
    page = nbformat.read(data_folder().parent / "chapters" / "20-your-own-notes.ipynb", as_version=4)
    (html,) = [
        output.data["text/html"] for cell in page.cells if cell.cell_type == "code" for output in cell.outputs
        if output.output_type == "execute_result" and 'id="reading"' in output.data.get("text/html", "")
    ]  # fmt: skip
    sentences = re.findall(r"The first \d+ by \w+, of 34 questions\.[^\"<]*", html)
    assert len(set(sentences)) == 15
    for sentence in map(json.loads, (f'"{sentence}"' for sentence in set(sentences))):
        points = re.findall(r"(\d+) found, \d+ % read, chance (\d+\.\d) with (\d+) % read", sentence)
        assert len(points) == 5
        for found, chance, read in points:
            assert int(found) > float(chance), sentence
            assert float(chance) / 34 == pytest.approx(int(read) / 100, abs=0.02), sentence  # on the dashed line
