"""Settings side by side: every row is the experiment that it says it is."""

import shutil

import pytest

from ragcore import mean_reciprocal_rank, read_folder, split_structure, stems
from ragcore.comparison import compare, grid, held_out
from ragcore.corpus import data_folder, read_questions
from ragcore.evaluation import reciprocal_ranks, sign_test
from ragcore.experiments import bm25, run
from ragcore.notes import open_notes, update
from ragcore.notestore import Settings


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample") / "notes"
    shutil.copytree(data_folder() / "notes", folder)
    update(folder)
    return open_notes(folder / ".ragcore")


QUESTIONS = read_questions(data_folder() / "notes" / "questions.csv")


def test_the_first_row_is_the_index_as_it_is_and_the_others_are_compared_with_it(notes):
    tried = [Settings("trigrams"), Settings(), Settings("words", "words", 40, 20)]
    rows, left_out = compare(notes, QUESTIONS, tried, k=3)
    assert [row.settings for row in rows] == [Settings(), tried[0], tried[2]]
    assert [question.article for question in left_out] == ["house/chimney.txt"]
    asked = [question for question in QUESTIONS if question.article and question not in left_out]
    articles = [note for note in read_folder_quietly() if note.text.split()]
    assert list(rows[0].ranks) == run(articles, asked, split_structure, bm25(stems))
    assert rows[0].questions == len(asked) == 33
    assert rows[0].mrr == mean_reciprocal_rank(rows[0].ranks)
    assert rows[0].test is None
    assert rows[1].test == sign_test(reciprocal_ranks(rows[1].ranks), reciprocal_ranks(rows[0].ranks))
    assert rows[1].facts()["better"] == rows[1].test.first


def read_folder_quietly():
    folder = data_folder() / "notes"
    from ragcore.corpus import list_files, read_article

    found = []
    for path in list_files(folder)[0]:
        try:
            found.append(read_article(folder / path, path))
        except ValueError:
            assert path == "house/chimney.txt"
    return found


def test_reading_the_sample_folder_whole_names_the_file_that_is_not_utf_8():
    with pytest.warns(UserWarning, match=r"beds\.svg"), pytest.raises(ValueError, match=r"chimney\.txt: not UTF-8"):
        read_folder(data_folder() / "notes")


def test_every_combination_is_tried_once_and_none_that_cannot_be():
    assert len(grid(["words", "stems", "trigrams"], ["structure", "words"], [40, 80, 160], [0, 20])) == 27
    assert grid(["words"], ["words"], [10], [0, 20]) == [Settings("words", "words", 10, 0)]
    with pytest.raises(ValueError, match="analyzer must be"):
        compare_one("wrong")


def compare_one(analyzer):
    Settings(analyzer).function()


def test_without_a_question_that_could_be_found_it_is_an_error(notes):
    with pytest.raises(ValueError, match="no question has an answer that stands in the notes"):
        compare(notes, [question for question in QUESTIONS if not question.article], [Settings("words")])


def test_what_is_chosen_on_one_half_does_no_better_on_the_other_on_average(notes):
    rows, _ = compare(notes, QUESTIONS, grid(["words", "stems"], ["words"], [40, 160], [0]))
    chosen, other = held_out(rows)
    assert other < chosen
    assert held_out(rows) == (chosen, other)
    one, two = held_out(rows[:1], rounds=2000)
    assert one == pytest.approx(rows[0].mrr, abs=0.01)
    assert two == pytest.approx(rows[0].mrr, abs=0.01)
