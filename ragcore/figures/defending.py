"""Pictures of «Documents that give orders»: the attack set, what a model reads, what each defence lets pass."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from xml.etree.ElementTree import Element

from ..chunking import Chunk
from ..citations import check_citations
from ..compression import Passage
from ..corpus import Article, data_folder
from ..defences import FORGED, KINDS, Finding, fold, inspect
from ..explore.html import Part, tag
from ..prompting import build_prompt, instructions, phrases_of
from .prompts import read_back

LANGUAGES = {"en": "English", "cs": "Czech", "it": "Italian", "he": "Hebrew"}
ATTACK_KINDS = {  # in the order of the tables
    "order": "order in a passage",
    "tag": "tag escape",
    "id": "forged source",
    "invisible": "invisible characters",
    "title": "poisoned title",
    "link": "exfiltration link",
    "control": "control marks",
}
OTHER_WORDS = "in other words"

# ------------------------------------------------------------------ the cases


@dataclass(frozen=True)
class Case:
    """A document of the small set: an attack, an order in other words, or a harmless one.

    form: the form of prompt that an attack aims at. marker: a word of the answer that shows that it was obeyed.
    wanted: the answer of a model that obeys entirely. gloss: what it does, in English.
    """

    role: str
    kind: str
    language: str
    form: str
    title: str
    text: str
    marker: str
    wanted: str
    gloss: str

    @property
    def article(self) -> Article:
        """The case as a document of a corpus."""
        return Article(f"{self.role}-{self.kind}.md", self.title, self.language, self.text)

    @property
    def passage(self) -> Passage:
        """The whole document as one passage."""
        return Passage(Chunk(self.article, 0, len(self.text)), 1.0)

    @property
    def findings(self) -> list[Finding]:
        """What `inspect` finds in its text and in its title (whose places count in the title)."""
        return inspect(self.text) + inspect(self.title)


def read_cases() -> tuple[list[Case], dict[str, str]]:
    """All cases of data/attacks.csv, and the question of each language.

    In the file invisible characters are written as \\u200b and line ends as \\n, so that everybody sees them.
    """
    with (data_folder() / "attacks.csv").open(encoding="utf-8", newline="") as file:
        rows = [{name: _unescaped(value) for name, value in row.items()} for row in csv.DictReader(file)]
    questions = {row["language"]: row["text"] for row in rows if row["role"] == "question"}
    return [Case(**row) for row in rows if row["role"] != "question"], questions


def _unescaped(text: str) -> str:
    signs = r"\\n|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}"
    return re.sub(signs, lambda match: "\n" if match[0] == r"\n" else chr(int(match[0][2:], 16)), text)


@cache
def answers() -> dict[str, Case]:
    """By language the harmless document that answers the question."""
    return {case.language: case for case in read_cases()[0] if case.kind == "answer"}


# ------------------------------------------------------------------ what a model is given


def pasted_prompt(system: str, passages: Sequence[Passage], question: str, form: str, language: str) -> str:
    """A prompt in the tagged or the numbered form without any care for what the documents contain."""
    parts = [system]
    for number, passage in enumerate(passages, start=1):
        title, text = passage.chunk.article.title, passage.text
        if form == "tagged":
            parts.append(f'<source id="S{number}" title="{title}">\n{text}\n</source>')
        else:
            parts.append(f"[{number}] ({title})\n{text}")
    if form == "tagged":
        parts.append(f"<question>\n{question}\n</question>")
    else:
        parts.append(f"{phrases_of(language).question}: {question}")
    return "\n\n".join(part for part in parts if part)


def written(
    passages: Sequence[Passage], question: str, form: str, language: str, pasted: bool, told: bool = True
) -> str:
    """A prompt of the four instructions (without the fourth if not told), passages and a question."""
    system = instructions(language, id="S1" if form == "tagged" else "1")
    if not told:
        system = "\n".join(line for line in system.splitlines() if line != phrases_of(language).data)
    if pasted:
        return pasted_prompt(system, passages, question, form, language)
    return build_prompt(system, passages, question, render=form, language=language).text


CONTROL = re.compile(FORGED["a control mark of a chat model"])


def leaves_its_place(case: Case, question: str, pasted: bool) -> bool:
    """Whether a reader of the prompt sees a source, a question or a control mark that nobody gave it.

    The prompt holds two sources, the second of which is the case, in the form that the attack aims at.
    """
    passages = [answers()[case.language].passage, case.passage]
    if pasted:
        prompt = pasted_prompt("", passages, question, case.form, case.language)
    else:
        prompt = build_prompt("", passages, question, render=case.form, language=case.language).text
    ids, questions = read_back(prompt, case.form)
    own = 1 if case.form == "tagged" or case.language == "en" else 0  # this reader knows the English label only
    return len(ids) != 2 or questions != own or bool(CONTROL.search(fold(prompt)[0]))


# ------------------------------------------------------------------ which attacks get through


MODELS = {
    "everything": "obeys whatever it reads",
    "outside": "obeys only what stands outside the sources",
    "nothing": "obeys nothing (extractive)",
}


def asking_for_a_citation(case: Case) -> Case:
    """The same attack by somebody who knows that citations are checked: it wants its own source cited."""
    mark = "[S2]" if case.form == "tagged" else "[2]"
    sentence = re.sub(r"\s*\[S?\d\]", "", case.wanted).rstrip(".")
    return replace(case, wanted=f"{sentence} {mark}.")


def passes_check(case: Case) -> bool:
    """Whether the answer that the attack wants would pass the check of its citations."""
    return check_citations(case.wanted, ["S1", "S2"] if case.form == "tagged" else ["1", "2"]).sound


def gets_through(
    case: Case, question: str, model: str, escaped: bool, held_back: bool, checked: bool, plain: bool
) -> bool:
    """Whether an attack reaches what it wants: the worst case for this kind of model.

    escaped: `build_prompt` instead of pasting. held_back: a document with a finding does not enter the prompt.
    checked: an answer with a citation missing or unknown is not shown. plain: no image and no link is made of it.
    """
    if held_back and case.findings:
        return False
    if model == "nothing" or (model == "outside" and not leaves_its_place(case, question, pasted=not escaped)):
        return False
    if checked and not passes_check(case):
        return False
    return not (plain and case.kind == "link")


OUTPUTS = {"raw": (False, False), "checked": (True, False), "plain": (False, True), "both": (True, True)}


def matrix_rows(
    cases: Sequence[Case],
    questions: Mapping[str, str],
    model: str,
    escaped: bool,
    held_back: bool,
    output: str,
    asking: bool,
) -> dict[str, tuple[int, int]]:
    """By the name of a kind: how many of the cases get through, and how many there are.

    output: what is done with the answer, one of OUTPUTS (its citations checked; shown as plain text). asking: the
    attacker knows of the check, and asks for a citation. The other switches are those of `gets_through`.
    """
    checked, plain = OUTPUTS[output]
    rows = dict.fromkeys([*ATTACK_KINDS.values(), OTHER_WORDS], (0, 0))
    for case in cases:
        name = ATTACK_KINDS[case.kind] if case.role == "attack" else OTHER_WORDS
        tried = asking_for_a_citation(case) if asking else case
        out = gets_through(tried, questions[case.language], model, escaped, held_back, checked, plain)
        rows[name] = rows[name][0] + out, rows[name][1] + 1
    return rows


def matrix_sentence(rows: Mapping[str, tuple[int, int]]) -> str:
    """How many get through in all.

    >>> matrix_sentence({"tag escape": (1, 4), "links": (0, 4)})
    '1 of 8 attacks get through.'
    """
    through, count = (sum(column) for column in zip(*rows.values(), strict=True))
    return f"{through} of {count} attacks get through."


BAR = (
    "display: block; height: 0.6em; margin-left: auto; background: "
    "repeating-linear-gradient(45deg, var(--explore-budget) 0 3px, transparent 3px 6px)"
)


def matrix_table(rows: Mapping[str, tuple[int, int]]) -> Element:
    """For every kind of attack: how many are stopped, and how many get through, with a bar.

    rows: (how many get through, how many there are) by kind.
    """
    body = []
    for name, (through, count) in rows.items():
        bar = tag("span", style=f"{BAR}; width: {4 * through / count:.1f}em", aria_hidden="true")
        cells = [tag("td", str(count - through)), tag("td", str(through), bar)]
        body.append(tag("tr", tag("th", name, scope="row"), *cells))
    head = tag("tr", *(tag("th", name, scope="col") for name in ("attack", "stopped", "through")))
    caption = tag("caption", "What is stopped, what gets through", style="caption-side: top; text-align: left")
    return tag("table", caption, tag("thead", head), tag("tbody", *body))


# ------------------------------------------------------------------ an attack, as a model reads it

# the forms of prompt that are shown: how sources are written, and whether everything was pasted together
FORMS = {
    "f-string": ("tagged", True),
    "f-numbered": ("numbered", True),
    "tagged": ("tagged", False),
    "numbered": ("numbered", False),
}


def shown_cases(cases: Sequence[Case]) -> dict[tuple[str, str], Case]:
    """By kind and language the first attack; the kind of an order in other words is `other`."""
    shown: dict[tuple[str, str], Case] = {}
    for case in cases:
        shown.setdefault((case.kind if case.role == "attack" else "other", case.language), case)
    return shown


def attack_sentence(case: Case, question: str, form: str, pasted: bool) -> str:
    """What an attack does, what `inspect` finds in it, and whether it stays in its place in this form of prompt."""
    if leaves_its_place(replace(case, form=form), question, pasted):
        place = "A reader sees parts in this prompt that nobody gave it."
    else:
        place = "The attack stays in its place; a model can read it all the same."
    return f"{case.gloss[0].upper()}{case.gloss[1:]}. inspect finds: {told(case.findings)}. {place}"


LINE = "white-space: pre-wrap; overflow-wrap: anywhere; text-align: start; min-height: 1.2em"
UNDERLINES = {"orders": "wavy", "forged": "double", "exfiltration": "dotted"}
NAMES = {"orders": "order", "forged": "forged", "exfiltration": "carries data"}
SWITCH = 0xE000  # from here on, a private sign that switches findings on and off: one bit a kind


def marked(text: str, findings: Sequence[Finding]) -> str:
    """A text with a private sign wherever a finding begins or ends; they pass every form of a prompt unchanged."""
    masks = [0] * (len(text) + 1)
    for finding in findings:
        for place in range(finding.start, finding.end):
            masks[place] |= 1 << KINDS.index(finding.kind)
    before, signed = 0, []
    for letter, mask in zip([*text, ""], masks, strict=True):
        signed.append((chr(SWITCH + mask) if mask != before else "") + letter)
        before = mask
    return "".join(signed)


def attack_prompt(case: Case, question: str, form: str, pasted: bool) -> str:
    """The sources and the question, the attack second; its findings between private signs."""
    text, title = marked(case.text, inspect(case.text)), marked(case.title, inspect(case.title))
    signed = replace(case, text=text, title=title)
    passages = [answers()[case.language].passage, signed.passage]
    if pasted:
        return pasted_prompt("", passages, question, form, case.language)
    return build_prompt("", passages, question, render=form, language=case.language).text


def attack_lines(prompt: str, language: str) -> Element:
    """A prompt line by line; findings underlined and named, invisible characters shown by their codes."""
    lines, mask = [], 0
    for line in re.split("[\n\u2028]", prompt):
        parts: list[Part] = []
        for piece in re.split(f"([{chr(SWITCH)}-{chr(SWITCH + 15)}])", line):
            if len(piece) == 1 and SWITCH <= ord(piece) <= SWITCH + 15:
                ended = [kind for kind in UNDERLINES if mask & ~(ord(piece) - SWITCH) & (1 << KINDS.index(kind))]
                parts += [tag("sup", f" {NAMES[kind]}") for kind in ended]
                mask = ord(piece) - SWITCH
            elif piece:
                parts.append(_shown(piece, mask))
        lines.append(tag("div", *parts, dir="auto", style=LINE))
    return tag("div", *lines, lang=language, style="max-width: 41rem; font-size: 0.95em")


def _shown(piece: str, mask: int) -> Part:
    parts: list[Part] = []
    hidden = ""
    for letter in [*piece, ""]:
        if letter and mask and _unseen(letter):
            hidden += letter
            continue
        if hidden:  # of a long run, the first and how many
            code = f"U+{ord(hidden[0]):04X}" + (f" and {len(hidden) - 1} more" if len(hidden) > 1 else "")
            parts.append(
                tag("code", code, dir="ltr", style="border: 1px solid; font-size: 0.75em; padding: 0 0.2em")
            )
            hidden = ""
        parts.append(letter)
    lines = [style for kind, style in UNDERLINES.items() if mask & (1 << KINDS.index(kind))]
    if not lines:
        return tag("span", *parts)
    style = f"text-decoration: underline {lines[0]} var(--explore-budget); text-underline-offset: 0.25em"
    return tag("span", *parts, style=style)


def _unseen(letter: str) -> bool:
    return unicodedata.category(letter) == "Cf"


def told(findings: Sequence[Finding]) -> str:
    """What was found, in words: «1 order, 2 forged parts»."""
    names = {
        "orders": ("order", "orders"),
        "invisible": ("invisible place", "invisible places"),
        "forged": ("forged part", "forged parts"),
        "exfiltration": ("address that carries data", "addresses that carry data"),
    }
    counts = {kind: sum(finding.kind == kind for finding in findings) for kind in KINDS}
    parts = [f"{count} {names[kind][count > 1]}" for kind, count in counts.items() if count]
    return ", ".join(parts) or "nothing"
