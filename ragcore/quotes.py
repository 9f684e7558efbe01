"""Does this stand there, word for word? A quote and a source, and the place where one stands in the other.

    quote, source  ─one typography─►  plain  ─white space and dashes─►  flat      is one inside the other?

Whoever copies a sentence, a model too, changes signs that nobody reads: „ for ", – for -, … for three dots. So both
texts are brought to the same typography before they are compared, and every character remembers the part of
the original that it stands for: the place that comes back is exact.

Made equal: XML entities and their characters (&lt; and <); NFC and NFD; all white space; all quotation marks,
apostrophes and primes; all dashes, with white space around them or without; … and ...; a word broken by a hyphen at
the end of a line and the whole word; the ** of Markdown; soft hyphens, zero-width and direction marks, and nothing.
Kept different, since word for word is more than the same sense: capital and small letters, α and alpha, ½ and 1/2,
the ligature ﬁ and fi, pointed and unpointed Hebrew.

What it cannot see: what a quote was cut out of. «it is safe to eat» stands word for word in «It is not true that it
is safe to eat»; only a reader of the whole sentence notices (`compression` widens quotes to whole sentences).
What it does not handle: scripts without white space between words.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from .chunking import sentences

MIN_WORDS = 3  # shorter quotes stand almost anywhere; unless they are a whole sentence

_ENTITY = re.compile(r"&(?:amp;)*(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{1,31});")  # &amp;lt; was escaped twice
_INVISIBLE = re.compile(
    "\u00ad[^\\S\n]*\n\\s*|"  # a soft hyphen that breaks a word at the end of a line takes the break with it
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
# the letter beside ** stands for both, so that a place never begins between them; not in 2**3
_BOLD = re.compile(r"(?<![\w*])\*\*([^\s*])(?:\*\*(?![\w*]))?|([^\s*])\*\*(?![\w*])")
_QUOTE_MARK = re.compile("['`\u00b4\u2018-\u201f\u00ab\u00bb\u2039\u203a\u02bc\u05f3\u05f4\uff02\uff07]")
_DOTS = re.compile("[\u2026\u22ef]")
_LINE_END = re.compile(r"(?<=[^\W\d_])[-\u2010][^\S\n]*\n\s*(?=[^\W\d_])")
_SPACE = re.compile(r"\s+")
_LONG_DASH = re.compile(r"-{2,}|[\u2014\u2015]")
_LOOSE = re.compile(r" ?[-\u2010-\u2015\u2212\u05be] ?|[\u2032\u2033]")

_AT_EDGE = frozenset('"()[]{}.,;:!?')  # may stand between a quote and the next white space
_BETWEEN_WORDS = frozenset(" \u2014")


def find_quote(quote: str, source: str) -> tuple[int, int] | None:
    """Where a quote stands in a source: start and end of its first place, as offsets in the source; else None.

    It must be whole words, and at least three of them or a whole sentence. A word is what white space or a long
    dash separates: «linear maps are» does not stand in «non-linear maps are», nor «5 is enough» in «2.5 is enough».
    Only brackets, stops and quotation marks may be left off its ends, and an elided article (l'indice).
    A quote without a word stands nowhere. Raises TypeError for what is not a text.

    >>> source = "Řekl: „Platí P(1) – a dost…“ Pak odešel."
    >>> start, end = find_quote('"Platí P(1) - a dost..."', source)
    >>> source[start:end]
    '„Platí P(1) – a dost…“'
    >>> find_quote("platí P(1) – a dost", source) is None
    True
    """
    for name, text in (("quote", quote), ("source", source)):
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a text, not {type(text).__name__}")
    for hyphen in ("", "-"):  # a hyphen at the end of a line may be the word's own, as in non-linear
        if place := _find(_plain(quote, hyphen), _plain(source, hyphen)):
            return place
    return None


def _find(quote: _Text, source: _Text) -> tuple[int, int] | None:
    wanted = _flat(quote.text).text.strip(" ")
    count = sum(any(map(str.isalnum, word)) for word in quote.text.split(" "))
    if not count:
        return None
    flat = _flat(source.text)
    place = flat.text.find(wanted)
    whole = set()
    if place >= 0 and count < MIN_WORDS:
        whole = {_core(source.text, a, b) for a, b in sentences(source.text)}
    while place >= 0:
        a, b = flat.spans[place][0], flat.spans[place + len(wanted) - 1][1]
        while source.text[a] == " ":  # that a dash at its beginning or end has taken along
            a += 1
        while source.text[b - 1] == " ":
            b -= 1
        if _whole_words(source.text, a, b) and (count >= MIN_WORDS or _core(source.text, a, b) in whole):
            return source.spans[a][0], source.spans[b - 1][1]
        place = flat.text.find(wanted, place + 1)
    return None


def _whole_words(text: str, a: int, b: int) -> bool:
    """Whether text[a:b] cuts no word: beside it stand white space, or edge signs and then white space."""
    elided = a > 0 and text[a - 1] == '"'  # «l'» before a quote; after one, «'t» of can't, it would turn the sense
    while a > 0 and text[a - 1] in _AT_EDGE:
        a -= 1
    while b < len(text) and text[b] in _AT_EDGE:
        b += 1
    return (elided or a == 0 or text[a - 1] in _BETWEEN_WORDS) and (b == len(text) or text[b] in _BETWEEN_WORDS)


def _core(text: str, a: int, b: int) -> tuple[int, int]:
    """A span without the signs at its ends, so that «Ano» is all of the sentence «„Ano!“»."""
    while a < b and not text[a].isalnum():
        a += 1
    while a < b and not text[b - 1].isalnum():
        b -= 1
    return a, b


# ------------------------------------------------------------------ one typography


@dataclass(frozen=True)
class _Text:
    """A text in the making, and for each of its characters the span of the original that it stands for."""

    text: str
    spans: list[tuple[int, int]]

    def replace(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> _Text:
        """Every match replaced; its new characters stand for all of it."""
        parts: list[str] = []
        spans: list[tuple[int, int]] = []
        done = 0
        for match in pattern.finditer(self.text):
            (a, b), put = match.span(), new(match)
            parts += [self.text[done:a], put]
            spans += self.spans[done:a]
            spans += [(self.spans[a][0], self.spans[b - 1][1])] * len(put)
            done = b
        if not done:
            return self
        return _Text("".join([*parts, self.text[done:]]), spans + self.spans[done:])


def _plain(original: str, hyphen: str) -> _Text:
    """A text in one typography, its words still apart. hyphen: what one inside a word at a line's end becomes."""
    text = _original(original)
    text = text.replace(_ENTITY, lambda match: html.unescape(f"&{match[1]};"))
    text = text.replace(_INVISIBLE, lambda match: "")
    if not unicodedata.is_normalized("NFC", text.text):
        text = text.replace(_letters(text.text), lambda match: unicodedata.normalize("NFC", match[0]))
    text = text.replace(_BOLD, lambda match: match[1] or match[2])
    text = text.replace(_QUOTE_MARK, lambda match: '"')
    text = text.replace(_DOTS, lambda match: "...")
    text = text.replace(_LINE_END, lambda match: hyphen)
    text = text.replace(_SPACE, lambda match: " ")
    return text.replace(_LONG_DASH, lambda match: "\u2014")


def _flat(plain: str) -> _Text:
    """What is compared: all dashes are one, without white space around them, and a prime is a quotation mark."""
    return _original(plain).replace(_LOOSE, lambda match: '"' if match[0] in "\u2032\u2033" else "-")


def _original(text: str) -> _Text:
    return _Text(text, [(i, i + 1) for i in range(len(text))])


def _letters(text: str) -> re.Pattern[str]:
    """Letters with the marks that stand on them, where NFC may change them; it never looks further than this."""
    marks = "".join(c for c in set(text) if unicodedata.category(c).startswith("M") or "\u1160" <= c <= "\u11ff")
    marks = f"[\u0300-\u036f{re.escape(marks)}]"  # \u1160 to \u11ff: the later parts of a Korean syllable
    return re.compile(f"[^\x00-\x7f]{marks}*|[\x00-\x7f]{marks}+")
