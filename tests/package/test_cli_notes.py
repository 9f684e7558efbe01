"""The commands for your own notes, as a user meets them: what is printed, the exit code, the JSON."""

import json
import os
import pty
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from servers import DONE, said, serving, stream

from ragcore.cli import main
from ragcore.corpus import data_folder
from ragcore.notes import open_notes

SILENT = "The sources do not say."


@pytest.fixture
def sample(tmp_path, monkeypatch):
    """The sample notes in the present folder."""
    shutil.copytree(data_folder() / "notes", tmp_path / "notes")
    monkeypatch.chdir(tmp_path / "notes")
    return tmp_path / "notes"


@pytest.fixture
def ragcore(capsys):
    """A command's exit code and what it printed."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def test_indexing_tells_what_was_added_and_what_was_skipped_and_why(sample, ragcore):
    code, out, err = ragcore("index", ".")
    assert (code, err) == (0, "")
    assert out.startswith("17 added: bike/brakes.md, bike/chain-old.md, bike/chain.md,")
    assert "house/chimney.txt: not UTF-8, byte 3 cannot be read; save the file as UTF-8" in out
    assert out.endswith("17 notes in 42 passages, by stems, cut by structure to 80 words.\n")
    assert ragcore("index", ".")[1].startswith("17 unchanged\n")


def test_who_indexes_another_folder_is_told_how_to_ask_there_and_the_line_works(sample, ragcore, monkeypatch):
    monkeypatch.chdir(sample.parent)
    kept = sample.parent / "the index"
    for named, line in (([], "--notes notes"), (["--index", kept], f"--index '{kept}'")):
        assert ragcore("index", "notes", *named)[1].endswith(f'\nAsk with: ragcore ask "…" {line}\n')
        assert ragcore("ask", "Until when may asparagus be cut?", *shlex.split(line))[0] == 0
    code, _, err = ragcore("ask", "Until when may asparagus be cut?")
    assert code == 1
    assert err.startswith("ragcore: there is no index in .ragcore: make one with `ragcore index FOLDER`, or name ")


def test_other_settings_can_be_asked_for_one_by_one(sample, ragcore):
    ragcore("index", ".", "--cut", "words", "--size", "40", "--overlap", "10")
    out = ragcore("index", ".", "--analyzer", "trigrams")[1]
    assert out.endswith("by trigrams, cut by words to 40 words, 10 shared.\n")
    out = ragcore("index", ".", "--cut", "structure")[1]
    assert out.endswith("by trigrams, cut by structure to 40 words.\n")


def test_an_answer_comes_with_its_sources_and_code_0(sample, ragcore):
    ragcore("index", ".")
    code, out, _ = ragcore("ask", "Until when may asparagus be cut?")
    assert code == 0
    assert "until Midsummer and not a day" in " ".join(out.split())
    assert out.splitlines()[-1].endswith("garden/diary.txt")
    answer = json.loads(ragcore("ask", "Until when may asparagus be cut?", "--json")[1])
    assert list(answer) == ["kind", "text", "reason", "nearness", "threshold", "sources", "nearest"]
    assert answer["kind"] == "answered"
    assert set(answer["sources"][0]) == {"id", "note", "title", "section", "text"}


def test_a_refusal_is_told_as_such_with_its_reason_the_nearest_passage_and_code_3(sample, ragcore):
    ragcore("index", ".")
    code, out, _ = ragcore("ask", "How do I reset the router?")
    assert code == 3
    lines = out.splitlines()
    assert lines[0] == SILENT
    assert lines[1] == "(under the threshold; nearness 0.089, threshold 0.150)"
    assert lines[3] == "Nearest passage, bike/flat.txt:"
    assert ragcore("ask", "How do I reset the router?", "--threshold", "0", "--minimum", "0.01")[0] == 0
    assert ragcore("ask", "Xyzzy?", "--language", "it")[1].splitlines()[0] == "Le fonti non lo dicono."


def test_a_language_model_behind_an_endpoint_is_given_the_passages(sample, ragcore, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    ragcore("index", ".")
    with serving(stream(said("At 1.5 bar [S1].", "stop"), DONE)) as server:
        asked = ("ask", "What pressure should the boiler have when cold?", "--base-url", server.url, "--model", "m")
        code, out, err = ragcore(*asked)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "At 1.5 bar [S1]."
    assert "house/boiler.md" in out
    assert "Pressure when cold: 1.5 bar" in json.dumps(server.asked[0][1])


def test_evaluation_tells_every_failure_with_its_reason_and_proposes_a_threshold(sample, ragcore):
    ragcore("index", ".")
    code, out, _ = ragcore("evaluate", "questions.csv")
    assert code == 0
    for line in (
        "34 questions with an answer, 8 without.",
        "What went wrong, 7 times:",
        "  not indexed, no rank: Which cord seals the ash door of the chimney?",
        "  cut in two, rank 2: Which type of vacuum bags do we need?",
        "      «vacuum bags | type G»",
        "  other words, rank 17: The heating makes noises",
    ):
        assert line in out.splitlines()
    told = json.loads(ragcore("evaluate", "questions.csv", "--json")[1])
    assert list(told) == [
        "questions", "answerable", "k", "found", "hit_rate_1", "hit_rate_k", "interval", "mrr", "faults",
        "threshold", "proposed", "answers", "findings",
    ]  # fmt: skip
    assert (told["found"], told["faults"]) == (28, {"cut in two": 1, "not indexed": 1, "other words": 5})
    assert len(told["findings"]) == told["questions"] == 42
    assert {name: told["answers"][0][name] for name in ("quoted", "other", "refused")} == {
        "quoted": 9, "other": 7, "refused": 18
    }  # fmt: skip


def test_what_is_kept_is_what_ask_uses(sample, ragcore):
    ragcore("index", ".")
    assert ragcore("ask", "How do I repair a puncture without pinching the inner tube?")[0] == 3
    told = ragcore("evaluate", "questions.csv", "--keep")[1].splitlines()[-1]
    notes = open_notes(sample / ".ragcore")
    assert told == f"Kept for `ragcore ask`: threshold {notes.threshold:.3f}, minimum {notes.minimum:.3f}."
    assert ragcore("ask", "How do I repair a puncture without pinching the inner tube?")[0] == 0


def test_settings_stand_side_by_side_and_the_index_is_not_changed(sample, ragcore):
    ragcore("index", ".")
    code, out, _ = ragcore("compare", "questions.csv", "--analyzers", "stems", "trigrams", "--sizes", "80")
    lines = out.splitlines()
    assert (code, lines[0]) == (
        0, "Left out, its answer is not in the index: Which cord seals the ash door of the chimney?"
    )  # fmt: skip
    assert lines[2].split() == ["terms", "cut", "by", "size", "shared", "passages", "in", "two", "Hit@5",
                                "MRR", "better", "worse", "p"]  # fmt: skip
    assert len(lines) == 3 + 6 + 1
    assert lines[-1] == "5 settings were tried: believe a difference only if its p is below 0.0100."
    told = json.loads(ragcore("compare", "questions.csv", "--sizes", "80", "--analyzers", "stems", "--json")[1])
    assert list(told) == ["k", "questions", "left_out", "settings"]
    assert told["settings"][1]["better"] + told["settings"][1]["worse"] <= 33
    assert ragcore("index", ".")[1].endswith("by stems, cut by structure to 80 words.\n")


def test_info_counts_and_checks(sample, ragcore):
    ragcore("index", ".")
    code, out, _ = ragcore("info")
    assert code == 0
    assert out.splitlines()[-1] == "every part is as it was written"
    told = json.loads(ragcore("info", "--json")[1])
    assert (told["notes"], told["chunks"], told["analyzer"]) == (17, 42, "stems")
    assert "house/chimney.txt" in told["skipped_files"]
    (index,) = (sample / ".ragcore").glob("*.bm25")
    content = bytearray(index.read_bytes())
    content[-100] ^= 1
    index.write_bytes(content)
    code, out, err = ragcore("info")
    assert (code, out) == (1, "")
    assert "is damaged" in err
    assert err.endswith("; run `ragcore index FOLDER` again\n")
    assert ragcore("index", ".")[0] == ragcore("info")[0] == 0


def test_an_index_can_lie_elsewhere(sample, ragcore, tmp_path):
    place = tmp_path / "deep" / "index"
    assert ragcore("index", ".", "--index", place)[0] == 0
    assert not (sample / ".ragcore").exists()
    assert ragcore("ask", "Which bed gets the lime?", "--index", place)[0] == 0
    assert json.loads(ragcore("index", ".", "--index", place, "--json")[1])["store"] == str(place)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["index", "nowhere"], "'nowhere' is not a folder"),
        (["index", "empty"], r"no .md or .txt file in 'empty'"),
        (["index", ".", "--analyzer", "stem"], "analyzer must be"),
        (["index", ".", "--overlap", "9"], "do not overlap"),
        (["ask", "x"], "make one with `ragcore index FOLDER`"),
        (["ask", " "], "the question is empty"),
        (["ask", "x", "--notes", "nowhere"], "'nowhere' is not a folder"),
        (["index", ".", "--index", "inbox.md"], "'inbox.md' is a file: --index takes the folder of an index"),
        (["index", ".", "--largest", "inf"], "--largest must be above 0, not inf"),
        (["index", ".", "--largest", "-1"], "--largest must be above 0, not -1"),
        (["info"], "make one with `ragcore index FOLDER`"),
    ],
)
def test_what_a_user_can_mend_is_one_line_and_code_1(sample, ragcore, arguments, message):
    (sample / "empty").mkdir()
    code, out, err = ragcore(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("ragcore: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "x", "--model", "m"], "--base-url and --model belong together"),
        (["ask", "x", "--threshold", "2"], "threshold must lie between 0 and 1"),
        (["ask", "x", "--k", "0"], "k must be a whole number of at least 1"),
        (["evaluate", "nowhere.csv"], "there is no file 'nowhere.csv': paths count from the present folder"),
        (["evaluate", "garden"], "'garden' is a folder: name a file in it"),
        (["evaluate", "questions.csv", "--worse", "-1"], "--worse must be 0 or more, not -1"),
        (["evaluate", "house/chimney.txt"], "chimney.txt: not UTF-8"),
        (["evaluate", "inbox.md"], "the first line must read text,kind,article,answers"),
        (["compare", "questions.csv", "--analyzers", "stem"], "analyzer must be"),
        (["compare", "questions.csv", "--sizes", "0"], "size must be at least 1"),
    ],
)
def test_so_is_what_goes_wrong_with_an_index(sample, ragcore, arguments, message):
    ragcore("index", ".")
    code, out, err = ragcore(*arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def test_questions_without_answers_only_are_no_test_of_a_search(sample, ragcore):
    ragcore("index", ".")
    (sample / "silent.csv").write_text("text,kind,article,answers\nWho?,unanswerable,,\n")
    assert "has no question with an answer" in ragcore("evaluate", "silent.csv")[2]


# root may read everything, so there the command gives its rights up first
AS_ANYBODY = """
import encodings.utf_8_sig, mmap, os, sys
from ragcore.cli import main
if os.geteuid() == 0:
    os.setgroups([]), os.setegid(65534), os.seteuid(65534)
sys.exit(main(sys.argv[1:]))
"""


def as_anybody(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", AS_ANYBODY, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_what_may_not_be_read_or_written_is_said(sample):
    for folder in (sample, *sample.parents):
        if Path(tempfile.gettempdir()) in folder.parents:
            folder.chmod(0o755)
    (sample / "closed").mkdir(mode=0o000)
    (sample / "inbox.md").chmod(0o000)
    sample.chmod(0o555)
    made = as_anybody("index", sample)
    assert (made.returncode, made.stdout) == (1, "")
    assert made.stderr.endswith("--index PATH puts the index elsewhere\n")
    assert made.stderr.count("\n") == 1
    place = sample.parent / "index"
    place.mkdir()
    place.chmod(0o777)
    made = as_anybody("index", sample, "--index", place, "--json")
    assert made.returncode == 0, made.stderr
    skipped = json.loads(made.stdout)["skipped"]
    assert skipped["inbox.md"] == skipped["closed"] == "no permission to read"
    place.chmod(0o555)
    (place / "cache.sqlite").unlink()
    for command in (("index", sample, "--index", place),
                    ("evaluate", sample / "questions.csv", "--index", place, "--keep")):  # fmt: skip
        made = as_anybody(*command)
        assert (made.returncode, made.stdout) == (1, "")
        assert made.stderr.count("\n") == 1
        assert made.stderr.startswith(("ragcore: cannot write to ", "ragcore: no permission for "))
    sample.chmod(0o755)
    (sample / "closed").chmod(0o755)


def on_a_terminal(*arguments: str, columns: int = 120) -> str:
    """What a command writes where both outputs are a terminal."""
    main_end, end = pty.openpty()
    run = subprocess.Popen(
        [sys.executable, "-m", "ragcore", *arguments], stdout=end, stderr=end,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)},
    )  # fmt: skip
    os.close(end)
    shown = b""
    try:
        while piece := os.read(main_end, 4096):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(main_end)
    assert run.wait(timeout=60) == 0
    return shown.decode()


def test_on_a_terminal_there_is_a_bar_and_a_table_with_rules(sample):
    pytest.importorskip("rich")
    assert "reading" in on_a_terminal("index", ".")
    compare = ("compare", "questions.csv", "--analyzers", "words", "--sizes", "80")
    assert "───" in on_a_terminal(*compare)
    narrow = on_a_terminal(*compare, columns=80)
    assert "…" not in narrow
    assert "0.8" in narrow
    rows = [line for line in narrow.splitlines() if line.startswith(("terms", "stems", "words"))]
    assert len(rows) == 5
    assert max(map(len, rows)) <= 80


def test_without_rich_the_same_is_plain(sample, ragcore, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    ragcore("index", ".")
    assert "───" not in ragcore("compare", "questions.csv", "--analyzers", "words", "--sizes", "80")[1]


def test_a_reader_that_has_enough_is_no_error(sample):
    main(["index", "."])
    run = subprocess.Popen(
        [sys.executable, "-m", "ragcore", "info", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None
    run.stdout.close()
    assert run.stderr is not None
    assert (run.wait(timeout=60), run.stderr.read()) == (0, b"")
    run.stderr.close()
