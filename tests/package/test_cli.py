"""The command line as a user meets it: a process of its own, its exit code, what it prints and what it writes."""

import os
import platform
import signal
import socket
import subprocess
import sys
import time

import pytest
from servers import DONE, said, serving, status, stream

from ragcore.cli import main
from ragcore.lookup import make_task, plan, read_rows

# the model's runtime has a wheel for this platform in the pinned environment; there it has to work
REAL_MODEL = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="the pinned environment has no local model for this platform",
)
SMALL = ["--pairs", "5", "--positions", "2", "--trials", "2"]


def start(*arguments: object, **environment: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    return subprocess.Popen(
        [sys.executable, "-m", "ragcore", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=kept | environment,
    )  # fmt: skip


def ragcore(*arguments: object, **environment: str) -> tuple[int, str, str]:
    process = start(*arguments, **environment)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def test_help_names_the_commands_and_what_each_is_for():
    code, out, err = ragcore("--help")
    assert (code, err) == (0, "")
    assert "lookup" in out
    assert "measure «lost in the middle» on a model" in out


def test_help_of_lookup_tells_a_beginner_what_happens_and_how_to_stop():
    code, out, err = ragcore("lookup", "--help")
    assert (code, err) == (0, "")
    for words in ("Ctrl-C", "goes on where it ended", "OPENAI_API_KEY", "--base-url", "(default: 25 50 100)"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 120


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["look"], "invalid choice: 'look'"),
        (["lookup"], "--out"),
        (["lookup", "--out", "x.csv", "--difficulty", "none"], "invalid choice: 'none'"),
        (["lookup", "--out", "x.csv", "--pairs", "many"], "invalid int value: 'many'"),
    ],
)
def test_arguments_that_cannot_be_read_give_the_usage_and_code_2(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith("usage: ragcore")
    assert message in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--trials", "0"], "trials must be at least 1, not 0"),
        (["--pairs", "1000"], "pairs must lie between 1 and 900"),
        (["--positions", "1"], "the number of positions must lie between 2 and 25"),
        (["--threads", "0"], "threads must be above 0, not 0"),
        (["--gguf", "none.gguf"], "there is no model file none.gguf"),
        (["--model", "gpt"], "--base-url and --model belong together"),
        (["--base-url", "http://localhost:1/v1"], "--base-url and --model belong together"),
        (["--out", "no/such/folder.csv"], "there is no folder no/such for --out"),
        (["--out", "answers.txt", "--base-url", "http://localhost:1/v1", "--model", "m"], "must end in .csv"),
    ],
)
def test_what_a_user_can_mend_is_one_line_and_code_1(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["lookup", "--out", "new.csv", *arguments]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("ragcore: ")
    assert message in shown
    assert shown.count("\n") == 1
    assert list(tmp_path.iterdir()) == []  # nothing was begun


def test_a_server_that_is_not_there_is_one_line_without_a_traceback(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    code, out, err = ragcore("lookup", "--out", tmp_path / "a.csv", *SMALL, "--base-url", url, "--model", "m")
    assert (code, out) == (1, "")
    assert f"ragcore: no answer from {url}/: is it running" in err
    assert "Traceback" not in err


def answering(tasks, chat):
    """What a server says that gets every look-up right but the last."""
    answers = [*(task.value for task in tasks[:-1]), "no idea"]
    return [stream(said(f" {answer}", "stop", chat=chat), DONE) for answer in answers]


@pytest.mark.parametrize("chat", [True, False])
def test_a_model_behind_an_endpoint_is_asked_with_the_key_of_the_environment(tmp_path, chat):
    tasks = plan("two-words", [5], 2, 2)
    with serving(*answering(tasks, chat)) as server:
        how = ["--base-url", server.url, "--model", "m", *([] if chat else ["--completions"])]
        code, out, err = ragcore("lookup", "--out", tmp_path / "a.csv", *SMALL, *how, OPENAI_API_KEY="sk-test")
    assert code == 0, err
    assert "4/4" in err
    assert [path for path, _ in server.asked] == ["/v1/chat/completions" if chat else "/v1/completions"] * 4
    prompts = [request["messages"][0]["content"] if chat else request["prompt"] for _, request in server.asked]
    assert prompts == [task.prompt for task in tasks]
    assert {headers["Authorization"] for headers in server.headers_seen} == {"Bearer sk-test"}
    assert [row.right for row in read_rows(tmp_path / "a.csv")] == [True, True, True, False]
    assert out.splitlines()[1:] == [
        "two-words       5         1      2   2  1.00 (0.34 to 1.00)",
        "two-words       5         5      1   2  0.50 (0.09 to 0.91)",
    ]
    assert (tmp_path / "a_summary.csv").read_text().splitlines()[2] == "two-words,5,5,2,1,0.5000,0.0945,0.9055"
    assert "sk-test" not in "".join(file.read_text() for file in tmp_path.iterdir())


def test_a_run_that_fails_half_way_keeps_its_answers_and_goes_on(tmp_path):
    tasks = plan("two-words", [5], 2, 2)
    good = answering(tasks, chat=True)
    command = ["lookup", "--out", tmp_path / "a.csv", *SMALL, "--model", "m", "--base-url"]
    with serving(good[0], status(401, "the key has expired")) as server:
        code, _, err = ragcore(*command, server.url)
        assert code == 1
        assert "refuses the key: check OPENAI_API_KEY" in err
        assert len(read_rows(tmp_path / "a.csv")) == 1
        server.asked.clear()
        server.replies[:] = good[1:]
        assert ragcore(*command, server.url)[0] == 0  # the same command
        assert len(server.asked) == 3
    assert [row.point for row in read_rows(tmp_path / "a.csv")] == [task.point for task in tasks]


def test_ctrl_c_stops_at_once_and_the_same_command_goes_on(tmp_path):
    first = make_task("two-words", 5, 1, 0)
    with serving(stream(said(first.value, "stop"), DONE), stream(said("4"), 300.0)) as server:
        process = start("lookup", "--out", tmp_path / "a.csv", *SMALL, "--base-url", server.url, "--model", "m")
        while len(server.asked) < 2 and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "ragcore: stopped"
    assert "Traceback" not in err
    assert [row.answer for row in read_rows(tmp_path / "a.csv")] == [first.value]


@REAL_MODEL
def test_the_small_model_of_the_package_is_asked_when_nothing_is_named(tmp_path):
    command = ["lookup", "--out", tmp_path / "a.csv", *SMALL]
    code, out, err = ragcore(*command)
    assert code == 0, err
    assert out.splitlines()[0].split()[:3] == ["difficulty", "pairs", "position"]
    written = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert set(written) == {"a.csv", "a.json", "a_summary.csv"}
    assert [row.right for row in read_rows(tmp_path / "a.csv")] == [True] * 4  # five lines are easy
    code, again, err = ragcore(*command)
    assert (code, again) == (0, out)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == written
    code, _, err = ragcore(*command, "--threads", "2")
    assert code == 1
    assert "was made with threads = 1, not 2: use a new file" in err
