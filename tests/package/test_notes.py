"""An index of a folder that is kept up to date: equal to a new one, whatever happened in between."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore import BM25, read_folder
from ragcore.corpus import data_folder, list_files
from ragcore.indexfile import DamagedIndexError, IndexFile
from ragcore.indexfile import write as write_index
from ragcore.notes import facts, keep, open_notes, update
from ragcore.notestore import Cache, Manifest, Settings

LONG_AGO = 1_600_000_000


@pytest.fixture
def folder(tmp_path):
    notes = tmp_path / "notes"
    for name, text in {
        "a.md": "# Tea\n\nFour minutes.",
        "b/c.txt": "The key is under the pot.",
        "d.md": "Bees.",
    }.items():
        write(notes / name, text)
    return notes


def write(path: Path, text: str, when: float = LONG_AGO) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (when, when))


def test_an_unchanged_folder_is_not_read_again(folder):
    first, second = update(folder), update(folder)
    assert (first.added, first.read, first.computed) == (("a.md", "b/c.txt", "d.md"), 3, 3)
    assert (second.added, second.unchanged, second.read, second.computed) == ((), 3, 0, 0)


def test_what_was_added_changed_renamed_and_removed_is_told_and_only_new_texts_are_computed(folder):
    update(folder)
    write(folder / "a.md", "# Tea\n\nFive minutes.", LONG_AGO + 9)
    (folder / "b" / "c.txt").rename(folder / "keys.txt")
    (folder / "d.md").unlink()
    write(folder / "e.md", "Salt.")
    made = update(folder)
    assert (made.added, made.changed, made.removed) == (("e.md",), ("a.md",), ("d.md",))
    assert made.renamed == (("b/c.txt", "keys.txt"),)
    assert (made.read, made.computed) == (3, 2)  # the renamed one is read, and known
    assert [note.id for note in open_notes(folder / ".ragcore").articles] == ["a.md", "e.md", "keys.txt"]


names = st.sampled_from(["a.md", "b.md", "c/d.txt", "e.txt"])
texts = st.sampled_from(["", "Tea draws.", "# Tea\n\nTea draws four minutes. Bees sleep.", "Bees, bees.", "žluť"])
edits = st.lists(st.tuples(names, st.none() | texts), min_size=1, max_size=5)


MEMORY = next((place for place in ["/dev/shm"] if os.access(place, os.W_OK)), None)  # no disk to wait for


@given(st.dictionaries(names, texts, min_size=1), st.lists(edits, max_size=3))
def test_an_index_brought_up_to_date_equals_one_built_anew(start, rounds):
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        brought_up_to_date_equals_built_anew(Path(place) / "notes", start, rounds)


def brought_up_to_date_equals_built_anew(folder, start, rounds):
    for name, text in {**start, "z.md": "Tea for bees."}.items():
        write(folder / name, text)
    update(folder)
    for number, changes in enumerate(rounds, 1):
        for name, text in changes:
            if text is None:
                (folder / name).unlink(missing_ok=True)
            else:
                write(folder / name, text, LONG_AGO + number)
        update(folder)
    update(folder, folder.parent / f"{folder.name}.new")
    kept, new = open_notes(folder / ".ragcore").index, open_notes(folder.parent / f"{folder.name}.new").index
    own = BM25([c for note in read_folder(folder) for c in Settings().split(note)], Settings().function())
    for question in ("tea", "bees sleep", "žlutá", "four minutes of tea"):
        found = [(hit.chunk, hit.score) for hit in kept.search(question)]
        assert found == [(hit.chunk, hit.score) for hit in new.search(question)]
        assert found == [(hit.chunk, hit.score) for hit in own.search(question)]


def test_a_change_within_the_clocks_grain_is_seen(folder):
    now = time.time()
    write(folder / "a.md", "abc", now)
    update(folder)
    write(folder / "a.md", "xyz", now)  # the same size and the same time
    assert update(folder).changed == ("a.md",)


def test_a_change_that_keeps_size_and_time_is_seen_only_by_rereading(folder):
    update(folder)
    write(folder / "d.md", "Ants.")
    assert update(folder).changed == ()
    assert update(folder, reread=True).changed == ("d.md",)


def test_other_settings_make_a_new_index_and_are_kept(folder):
    update(folder)
    update(folder, settings=Settings("trigrams", "words", size=3, overlap=1))
    assert update(folder).computed == 0
    notes = open_notes(folder / ".ragcore")
    assert str(notes.settings) == "trigrams, cut by words to 3 words, 1 shared"
    assert notes.index.search("minuet", k=1)[0].chunk.text == "Four minutes."
    assert len([file for file in notes.store.iterdir() if file.suffix == ".bm25"]) == 1


def test_stems_of_a_language_are_kept_too(folder):
    pytest.importorskip("snowballstemmer")
    update(folder, settings=Settings("snowball_en"))
    assert [hit.chunk.article.id for hit in open_notes(folder / ".ragcore").index.search("a minute")] == ["a.md"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"analyzer": "stem"}, "analyzer must be words, stems, trigrams, snowball_xx or lemmas_xx, not 'stem'"),
        ({"cut": "lines"}, "cut must be structure or words, not 'lines'"),
        ({"overlap": 5}, "do not overlap"),
        ({"size": 0}, "size must be at least 1"),
        ({"cut": "words", "size": 5, "overlap": 5}, "below size"),
    ],
)
def test_settings_that_cannot_be_are_refused_before_anything_is_read(folder, change, message):
    with pytest.raises(ValueError, match=message):
        update(folder, settings=Settings(**change))


# ------------------------------------------------------------------ a folder as folders are


def test_what_is_no_text_is_skipped_with_its_reason(folder):
    (folder / "photo.md").write_bytes(b"\x89PNG\0\0")
    (folder / "old.txt").write_bytes("žlutý".encode("cp1250"))
    (folder / "wide.txt").write_bytes("text".encode("utf-16"))
    (folder / "long.txt").write_text("word " * 100)
    (folder / "empty.md").write_text(" \n")
    (folder / "plan.pdf").write_bytes(b"%PDF")
    made = update(folder, largest=400)
    assert made.skipped == {
        "empty.md": "empty",
        "long.txt": "too large, 500 bytes of at most 400",
        "old.txt": "not UTF-8, byte 0 cannot be read; save the file as UTF-8",
        "photo.md": "not a text, it holds zero bytes",
        "plan.pdf": "neither .md nor .txt",
        "wide.txt": "UTF-16, not UTF-8; save the file as UTF-8",
    }
    assert open_notes(folder / ".ragcore").skipped == made.skipped
    (folder / "old.txt").write_text("žlutý", encoding="utf-8")
    assert update(folder, largest=400).added == ("old.txt",)


def test_links_are_followed_but_never_in_circles(folder, tmp_path):
    outside = tmp_path / "elsewhere"
    write(outside / "f.md", "From outside.")
    (folder / "b" / "up").symlink_to(folder)
    (folder / "A").symlink_to(folder / "b")  # before b in the alphabet, yet b keeps its name
    (folder / "out").symlink_to(outside)
    (folder / "dead.md").symlink_to(tmp_path / "nothing")
    os.mkfifo(folder / "pipe.md")
    files, skipped = list_files(folder)
    assert files == ["a.md", "b/c.txt", "d.md", "out/f.md"]
    assert skipped == {"dead.md": "a link to nothing, or not to be reached", "pipe.md": "not a regular file"}


def test_hidden_folders_and_the_index_itself_are_never_indexed(folder):
    write(folder / ".git" / "g.md", "hidden")
    write(folder / ".h.md", "hidden")
    update(folder)
    write(folder / ".ragcore" / "i.md", "hidden")
    assert update(folder).unchanged == 3
    assert list_files(folder)[1] == {}


def test_a_name_typed_with_separate_accents_is_the_name_of_the_question_file(folder):
    write(folder / "u\u0301kol.md", "Work.")
    update(folder)
    assert "\u00fakol.md" in [note.id for note in open_notes(folder / ".ragcore").articles]


def test_a_folder_that_lost_its_notes_leaves_the_index_as_it_is(folder):
    update(folder)
    for file in (folder / "a.md", folder / "d.md", folder / "b" / "c.txt"):
        file.unlink()
    with pytest.raises(ValueError, match=r"no \.md or \.txt file"):
        update(folder)
    (folder / "bad.md").write_bytes(b"\xff")
    with pytest.raises(ValueError, match=r"no note .* can be read: bad\.md \(not UTF-8"):
        update(folder)
    assert len(open_notes(folder / ".ragcore").articles) == 3


# ------------------------------------------------------------------ damage, kills, two at once


def test_a_store_without_an_index_says_how_to_make_one(tmp_path):
    with pytest.raises(ValueError, match="make one with `ragcore index FOLDER`"):
        open_notes(tmp_path)


@pytest.mark.parametrize("what", ["notes.json", "bm25", "missing", "format", "earlier"])
def test_a_damaged_index_is_an_error_and_the_next_run_builds_it_anew(folder, what):
    update(folder)
    store = folder / ".ragcore"
    (index,) = store.glob("*.bm25")
    if what == "bm25":
        content = bytearray(index.read_bytes())
        content[len(content) // 2] ^= 1
        index.write_bytes(content)
    elif what == "missing":
        index.unlink()
    elif what == "earlier":  # whole, but without a part that this version needs
        file = IndexFile(index, "bm25")
        parts = {name: file.array(name) for name in ("vocabulary", "lengths")}
        write_index(index, "bm25", file.facts, parts)
    elif what == "format":
        content = json.loads((store / "notes.json").read_text())
        (store / "notes.json").write_text(json.dumps({**content, "format": 0}))
    else:
        (store / "notes.json").write_text('{"format": 1, "no')
    with pytest.raises(DamagedIndexError):
        facts(open_notes(store))
    made = update(folder)
    assert made.computed == 0  # the cache was whole
    assert facts(open_notes(store))["notes"] == 3


def test_a_damaged_cache_is_begun_anew(folder):
    update(folder)
    (folder / ".ragcore" / "cache.sqlite").write_bytes(b"no database at all" * 100)
    assert update(folder).computed == 3
    assert update(folder).computed == 0


@pytest.mark.parametrize("step", [1, 97])
def test_damage_inside_the_cache_is_met_too_and_no_note_is_lost_by_it(folder, step):
    for number in range(30):
        write(folder / f"{number}.md", f"# Note {number}\n\nžluté čaje {number}")
    update(folder)
    cache = folder / ".ragcore" / "cache.sqlite"
    content = bytearray(cache.read_bytes())
    for place in range(4096, len(content), step):  # past the first page, so that it still opens as a database
        content[place] ^= 0x5A
    cache.write_bytes(content)
    made = update(folder)
    assert (made.unchanged, made.skipped) == (33, {})
    assert made.computed > 0
    update(folder)
    assert update(folder, reread=True).computed == 0
    new = folder.parent / "new"
    update(folder, new)
    kept, own = open_notes(folder / ".ragcore").index, open_notes(new).index
    assert [(hit.chunk, hit.score) for hit in kept.search("note 7 čaje", 40)] == [
        (hit.chunk, hit.score) for hit in own.search("note 7 čaje", 40)
    ]


def test_terms_in_the_cache_that_are_no_json_any_more_are_computed_again(folder):
    update(folder)
    with sqlite3.connect(folder / ".ragcore" / "cache.sqlite") as connection:
        connection.execute("UPDATE texts SET chunks = 'x' || chunks")
    connection.close()
    made = update(folder)
    assert (made.unchanged, made.computed, made.skipped) == (3, 3, {})


FULL = """
import resource, sys
from ragcore.notes import update
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
try:
    update(sys.argv[1])
except OSError as error:
    print(error)
"""


def test_a_full_disk_is_said_and_leaves_the_old_index(folder):
    update(folder)
    for number in range(300):
        write(folder / f"many/{number:03}.md", f"note {number} on tea " * 20)
    run = subprocess.run([sys.executable, "-c", FULL, folder], capture_output=True, text=True, check=True)
    assert run.stdout.startswith(f"cannot write to {folder / '.ragcore'} (")
    assert run.stdout.endswith("): is the disk full?\n")
    assert len(open_notes(folder / ".ragcore").articles) == 3
    assert len(update(folder).added) == 300


def test_the_cache_forgets_what_is_in_no_note_any_more(folder):
    update(folder)
    write(folder / "d.md", "Ants!", LONG_AGO + 1)
    update(folder)
    with sqlite3.connect(folder / ".ragcore" / "cache.sqlite") as connection:
        assert connection.execute("SELECT count(*) FROM texts").fetchone() == (3,)
    connection.close()


def test_two_runs_at_once_do_not_meet(folder):
    store = folder / ".ragcore"
    store.mkdir()
    with Cache(store, Settings()), pytest.raises(ValueError, match="another run is at work"):
        update(folder)
    update(folder)


PROGRAM = """
import sys, time
from ragcore.notes import update
def slow(paths):
    for number, path in enumerate(paths):
        if number == 250:
            print("half", flush=True)
            time.sleep(60)
        yield path
update(sys.argv[1], progress=slow)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_leaves_the_old_index_and_the_next_one_goes_on(folder, how):
    update(folder)
    for number in range(400):
        write(folder / f"many/{number:03}.md", f"note {number} on tea")
    run = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert run.stdout is not None
    assert run.stdout.readline() == b"half\n"
    run.send_signal(how)
    run.communicate(timeout=60)
    assert len(open_notes(folder / ".ragcore").articles) == 3  # the old index, whole
    made = update(folder)
    assert len(made.added) == 400
    done = {signal.SIGKILL: 200, signal.SIGINT: 247}[how]  # 250 paths less the three that were known
    assert made.computed == 400 - done
    assert {file.name for file in (folder / ".ragcore").iterdir()} == {
        "cache.sqlite", "notes.json", Manifest.read(folder / ".ragcore").index
    }  # fmt: skip


def test_what_a_run_killed_while_writing_left_behind_is_removed(folder):
    update(folder)
    for name in (".index-0.bm25.x7", "index-0.bm25", "notes.123"):
        (folder / ".ragcore" / name).write_bytes(b"half")
    update(folder)
    assert len(list((folder / ".ragcore").iterdir())) == 3


# ------------------------------------------------------------------ asking


def test_what_was_kept_is_used_until_the_settings_change(folder):
    update(folder)
    keep(folder / ".ragcore", 0.05, 0.1)
    write(folder / "d.md", "Ants!", LONG_AGO + 1)
    update(folder)
    rag = open_notes(folder / ".ragcore").rag()
    assert (rag.threshold, rag.model.minimum) == (0.05, 0.1)
    update(folder, settings=Settings("words"))
    assert open_notes(folder / ".ragcore").threshold == 0.15
    with pytest.raises(ValueError, match=r"not be 1.5 and 0.1"):
        keep(folder / ".ragcore", 1.5, 0.1)


def test_the_sample_notes_answer_from_the_index_as_from_the_folder(tmp_path):
    shutil.copytree(data_folder() / "notes", tmp_path / "notes")
    made = update(tmp_path / "notes")
    assert list(made.skipped) == ["garden/beds.svg", "house/chimney.txt", "questions.csv"]
    answer = (
        open_notes(tmp_path / "notes" / ".ragcore")
        .rag(threshold=0, minimum=0.1)
        .ask("What is the part number of the impeller?")
    )
    assert "part number P-2217" in answer.text
    assert answer.sources[0].document == "garden/diary.txt"
