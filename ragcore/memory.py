"""Memory: what a model is told of its own past, in a window that does not grow with it.

    |s| + |p| + |n| + |z| + Σ_{i∈K} |t_i| + Σ_{j∈R} |r_j| + |q|  ≤  B        in tokens, counted as written

    s  the system message     p  pinned facts     n  the scratchpad: notes that the model makes itself
    z  the summary            q  the present question
    K  the exchanges that stay in the window, t_i    R  what is recalled for this question, r_j    B  the budget

A model remembers nothing: whatever it is to know stands in its prompt, every time. When the past outgrows the
budget, a policy names what leaves the window. It leaves whole (a question with its answer, a call with its result)
and goes to the archive, from which a search may bring back what the present question asks for: of a long exchange
a passage, not the whole. System message and pinned facts never leave.

Everything is a plain value: `add`, `pin`, `note` and `window` give a new Memory and change none. The past enters
the prompt as its sources, escaped, so that no message can pose as another part of it.

What it does not do: tell whether a remembered sentence is still true. A correction is one more exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Literal

from .analysis import Analyzer, stems
from .bm25 import BM25
from .chunking import Chunk, split_structure
from .compression import Passage
from .corpus import Article
from .generation import Model
from .hits import DECIMALS, Hit, check_k
from .prompting import Prompt, build_prompt
from .summaries import digest, summarize
from .tokens import WORDS, Tokenizer

Role = Literal["user", "call", "result", "assistant"]
FOLLOWS: dict[str, tuple[Role, ...]] = {
    "": ("user",), "user": ("call", "assistant"), "call": ("result",)
}  # fmt: skip
RECALLED = 3  # passages of the archive at most: a word in common is enough to be found

# ------------------------------------------------------------------ what is remembered


@dataclass(frozen=True)
class Message:
    """Who said it, and what."""

    role: Role
    text: str


@dataclass(frozen=True)
class Exchange:
    """What enters and leaves the window as one: a question with its answer, or a call with its result.

    turn: the number of the question, from 1; call: of the call within it, 0 for the whole turn. used: the last turn
    whose question it matched best, or its own.
    """

    turn: int
    messages: tuple[Message, ...]
    used: int
    call: int = 0

    @property
    def name(self) -> str:
        """How it is called in the prompt and in every account: «turn 3», «turn 3, call 1»."""
        return f"turn {self.turn}, call {self.call}" if self.call else f"turn {self.turn}"

    @property
    def text(self) -> str:
        """The messages, each «Role: text», its further lines indented, so that none reads as another's."""
        return "\n\n".join(f"{message.role.capitalize()}: {_indented(message.text)}" for message in self.messages)


@dataclass(frozen=True)
class Memory:
    """All that is remembered, and how. Make one with a system message and a budget; the other fields fill later.

    budget: of a whole prompt, in the tokenizer's tokens. policy: which exchange leaves first, a name in POLICIES;
    `summary` lets the oldest go and keeps a summary. recall_share: of the budget, kept free for what is recalled,
    once there is an archive, found or not. summary_share: of the budget, the summary's limit. model: writes the
    summary; without one it is made of sentences. Raises ValueError for a share below 0 or not below 1, an unknown
    policy, an empty pinned fact, and a budget that system message, pinned facts and notes exceed by themselves.
    """

    system: str
    budget: int
    policy: str = "oldest"
    recall_share: float = 0.2
    summary_share: float = 0.2
    tokenizer: Tokenizer = WORDS
    analyzer: Analyzer = stems
    model: Model | None = None
    pinned: tuple[str, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    summary: str = ""
    exchanges: tuple[Exchange, ...] = ()
    archive: tuple[Exchange, ...] = ()
    open: tuple[Message, ...] = ()  # the question that has no answer yet, and a call that has no result
    turn: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.budget, Integral) or self.budget < 1:
            raise ValueError(f"budget must be a whole number of at least 1 token, not {self.budget!r}")
        if self.policy not in POLICIES:
            raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {self.policy!r}")
        for name, share in (("recall_share", self.recall_share), ("summary_share", self.summary_share)):
            if not 0 <= share < 1:
                raise ValueError(f"{name} must be at least 0 and below 1, not {share}")
        if isinstance(self.pinned, str):
            raise TypeError(f"pinned must be a tuple of facts, not one text: ({self.pinned!r},)")
        for what, text in (("system message", self.system), *(("pinned fact", fact) for fact in self.pinned)):
            if not isinstance(text, str):
                raise TypeError(f"a {what} must be a str, not {type(text).__name__}")
        if not all(fact.strip() for fact in self.pinned):
            raise ValueError("the fact is empty: pin a sentence")
        _check_fixed(self)

    def __repr__(self) -> str:
        kept = f"{len(self.exchanges)} exchanges in the window, {len(self.archive)} in the archive"
        return f"Memory(turn {self.turn}: {kept}, {len(self.pinned)} pinned, budget {self.budget}, {self.policy})"


def add(memory: Memory, role: Role, text: str) -> Memory:
    """The memory with one message more: `user`, then `call` and `result` as often as needed, then `assistant`.

    A call and its result become an exchange at once; question, calls that are still in the window and answer become
    one when the answer is there. Raises ValueError for a message out of turn: calls that run side by side are added
    one after the other, each with its result.

    >>> memory = Memory("Be brief.", budget=100)
    >>> memory = add(add(memory, "user", "Where is Brno?"), "assistant", "In Moravia.")
    >>> [exchange.name for exchange in memory.exchanges]
    ['turn 1']
    """
    last = memory.open[-1].role if memory.open else ""
    if role not in FOLLOWS[last]:
        when = f"after {last!r}" if last else "at the beginning of a turn"
        raise ValueError(f"{when} comes {' or '.join(FOLLOWS[last])}, not {role!r}")
    if not isinstance(text, str):
        raise TypeError(f"a message's text must be a str, not {type(text).__name__}")
    message = Message(role, text)
    if role == "user":
        if not text.strip():
            raise ValueError("the question is empty: a turn begins with one")
        return replace(memory, open=(message,), turn=memory.turn + 1)
    if role == "call":
        return replace(memory, open=(*memory.open, message))
    before = tuple(exchange for exchange in memory.exchanges if exchange.turn < memory.turn)
    calls = memory.exchanges[len(before) :]
    if role == "result":
        number = 1 + sum(exchange.turn == memory.turn for exchange in (*calls, *memory.archive))
        done = Exchange(memory.turn, (memory.open[1], message), memory.turn, number)
        return replace(memory, exchanges=(*before, *calls, done), open=memory.open[:1])
    said = (memory.open[0], *(each for call in calls for each in call.messages), message)
    return replace(memory, exchanges=(*before, Exchange(memory.turn, said, memory.turn)), open=())


def pin(memory: Memory, fact: str) -> Memory:
    """The memory with a fact that stands in every prompt from now on.

    Raises ValueError if it does not fit. One that barely does leaves no room for a question: `window` says so then.
    """
    return replace(memory, pinned=(*memory.pinned, fact))


def note(memory: Memory, name: str, text: str) -> Memory:
    """The memory with a note on its scratchpad, in the place of an older one of that name; an empty text erases it.

    Notes are the model's own: give it a tool that calls this. They never leave by themselves either, so a
    scratchpad that grows without end raises ValueError one day; the model can erase. So does an empty name.

    >>> note(note(Memory("Be brief.", 100), "left", "600 euros"), "left", "450 euros").notes
    (('left', '450 euros'),)
    """
    for what, given in (("name", name), ("text", text)):
        if not isinstance(given, str):
            raise TypeError(f"a note's {what} must be a str, not {type(given).__name__}")
    if not name.strip():
        raise ValueError("the note has no name: it could never be replaced")
    notes = {**dict(memory.notes), name: text}
    return replace(memory, notes=tuple((name, text) for name, text in notes.items() if text.strip()))


# ------------------------------------------------------------------ what leaves the window


def oldest(exchanges: Sequence[Exchange], relevance: Sequence[float]) -> int:
    """The first."""
    return 0


def least_recently_used(exchanges: Sequence[Exchange], relevance: Sequence[float]) -> int:
    """The one that no question has matched for the longest time; else the oldest."""
    return min(range(len(exchanges)), key=lambda i: exchanges[i].used)


def least_relevant(exchanges: Sequence[Exchange], relevance: Sequence[float]) -> int:
    """The one with the lowest score for the present question; else the oldest."""
    return min(range(len(exchanges)), key=lambda i: round(relevance[i], DECIMALS))


POLICIES: dict[str, Callable[[Sequence[Exchange], Sequence[float]], int]] = {  # yours may come in
    "oldest": oldest,
    "least_recently_used": least_recently_used,
    "least_relevant": least_relevant,
    "summary": oldest,
}


@dataclass(frozen=True)
class Eviction:
    """What left the window, why, and where it is now."""

    exchange: Exchange
    reason: str
    where: str

    def __str__(self) -> str:
        return f"{self.exchange.name} left: {self.reason}; it is in {self.where}"


@dataclass(frozen=True)
class Window:
    """What the model is given, and what became of the rest. memory: go on with this one."""

    prompt: Prompt
    budget: int
    used: int
    memory: Memory
    evicted: tuple[Eviction, ...]
    recalled: tuple[Passage, ...]


def window(memory: Memory) -> Window:
    """The prompt for the present question within the budget, with an account of what left and what came back.

    Exchanges leave one at a time, as the policy says, until the rest fits beside the archive's share: no more than
    needed, and the newest last of all. Then the archive is searched, and what fits of the best passages comes back
    for this one prompt. Raises ValueError if there is no question to answer, and if system message, pinned facts,
    notes and question alone are over the budget.

    >>> memory = Memory("Be brief.", budget=30, recall_share=0)
    >>> for question in ("Is it raining in Brno today?", "And in Oslo?"):
    ...     memory = add(add(memory, "user", question), "assistant", "No, the sun is out.")
    >>> print(*window(add(memory, "user", "And in Rome?")).evicted)
    turn 1 left: the oldest, 42 tokens of 30; it is in the archive
    """
    if [message.role for message in memory.open] != ["user"]:
        raise ValueError("a window needs a question that waits for its answer: add a user's message, or the result")
    question, budget = memory.open[0].text, memory.budget
    _check_fixed(memory, question)
    relevance = _relevance(memory, question)
    memory = _mark_used(memory, relevance)
    evicted: list[Eviction] = []
    while memory.exchanges:
        room = budget - int(memory.recall_share * budget) if memory.archive else budget
        need = tokens(memory, question)
        if need <= room:
            break
        older = memory.exchanges[:-1] or memory.exchanges  # the newest goes last: nobody may have read it yet
        gone = older[POLICIES[memory.policy](older, [relevance[each.name] for each in older])]
        memory = _evict(memory, gone)
        evicted.append(_account(memory.policy, gone, relevance[gone.name], need, room))
    shown = _shortened(memory, question)
    recalled: list[Passage] = []
    for hit in recall(memory, question) if memory.recall_share else []:
        more = _as_it_happened([*recalled, Passage(hit.chunk, hit.score)], memory.archive)
        if tokens(shown, question, more) <= budget:
            recalled = more
    prompt = write(shown, question, recalled)
    return Window(prompt, budget, memory.tokenizer.count(prompt.text), memory, tuple(evicted), tuple(recalled))


def recall(memory: Memory, question: str, k: int = RECALLED) -> list[Hit]:
    """The k best passages of the archive, by BM25; an agent may have it as a tool.

    Long exchanges are searched in passages of up to 80 words. A passage that has no word in common with the
    question is not among them, so there may be fewer than k, or none.
    """
    check_k(k)
    articles = [Article(each.name, each.name, "", each.text) for each in memory.archive]
    chunks = [chunk for article in articles for chunk in split_structure(article, 80)]
    return BM25(chunks, memory.analyzer).search(question, k)


# ------------------------------------------------------------------ how it is written


def write(memory: Memory, question: str, recalled: Sequence[Passage] = ()) -> Prompt:
    """The prompt, whether it fits or not: system message, sources, question last.

    The sources: pinned facts, scratchpad, summary, what is recalled, and the exchanges in their order; each under
    its name, so that an answer can cite what it remembers.
    """
    passages = [*_standing(memory), *_passages(("summary of earlier turns", memory.summary)), *recalled]
    passages += _passages(*((exchange.name, exchange.text) for exchange in memory.exchanges))
    return build_prompt(memory.system, passages, question)


def tokens(memory: Memory, question: str, recalled: Sequence[Passage] = ()) -> int:
    """What the prompt costs as it is written, tags and names included."""
    return memory.tokenizer.count(write(memory, question, recalled).text)


def _standing(memory: Memory) -> list[Passage]:
    """Pinned facts and scratchpad: what stands in every prompt."""
    facts = "\n".join(f"- {_indented(fact)}" for fact in memory.pinned)
    notes = "\n".join(f"- {_indented(name)}: {_indented(text)}" for name, text in memory.notes)
    return _passages(("pinned", facts), ("scratchpad", notes))


def _passages(*named: tuple[str, str]) -> list[Passage]:
    articles = [Article(name, name, "", text) for name, text in named if text]
    return [Passage(Chunk(article, 0, len(article.text)), 1.0) for article in articles]


def _indented(text: str) -> str:
    return "\n  ".join(text.splitlines())


def _check_fixed(memory: Memory, question: str = "") -> None:
    least = memory.tokenizer.count(build_prompt(memory.system, _standing(memory), question or "?").text)
    if least > memory.budget:
        asked = f"the question {question[:40]!r}" if question else "the shortest question"
        raise ValueError(
            f"system message, pinned facts ({len(memory.pinned)}), notes ({len(memory.notes)}) and {asked} need "
            f"{least} tokens, over the budget of {memory.budget}: raise it, or pin less"
        )


# ------------------------------------------------------------------ steps of `window`


def _relevance(memory: Memory, question: str) -> dict[str, float]:
    """How much each exchange in the window speaks of the question, by its name: BM25, the roles' names included."""
    articles = [Article(exchange.name, "", "", exchange.text) for exchange in memory.exchanges]
    index = BM25([Chunk(article, 0, len(article.text)) for article in articles], memory.analyzer)
    return dict(zip((article.id for article in articles), map(float, index.scores(question)), strict=True))


def _mark_used(memory: Memory, relevance: dict[str, float]) -> Memory:
    """The exchange that matches the question best counts as used now; of equal ones the newest."""
    best = max((round(score, DECIMALS) for score in relevance.values()), default=0.0)
    found = [name for name, score in relevance.items() if best > 0 and round(score, DECIMALS) == best]
    exchanges = (replace(each, used=memory.turn) if each.name in found[-1:] else each for each in memory.exchanges)
    return replace(memory, exchanges=tuple(exchanges))


def _evict(memory: Memory, gone: Exchange) -> Memory:
    """The exchange out of the window and into the archive, and into the summary if that is the policy."""
    summary = memory.summary
    if memory.policy == "summary":
        said = [(message.role.capitalize(), message.text) for message in gone.messages]
        sources = _passages(("summary of earlier turns", summary), (gone.name, gone.text))
        limit = int(memory.summary_share * memory.budget)
        summary = summarize(summary, said, sources, limit, memory.model, memory.tokenizer, memory.analyzer)
    left = tuple(exchange for exchange in memory.exchanges if exchange is not gone)
    return replace(memory, exchanges=left, archive=(*memory.archive, gone), summary=summary)


def _account(policy: str, gone: Exchange, relevance: float, need: int, room: int) -> Eviction:
    reasons = {
        "least_recently_used": f"last used in turn {gone.used}",
        "least_relevant": f"relevance {relevance:.2f}",
    }
    reason = reasons.get(policy, "the oldest" if POLICIES[policy] is oldest else policy)
    where = "the archive, and the summary is a new one" if policy == "summary" else "the archive"
    return Eviction(gone, f"{reason}, {need} tokens of {room}", where)


def _shortened(memory: Memory, question: str) -> Memory:
    """For this prompt alone, less of the summary, if even it is too long beside a very long question."""
    over = tokens(memory, question) - memory.budget
    while over > 0:
        limit = max(0, memory.tokenizer.count(memory.summary) - over)
        lines = digest(memory.summary.splitlines(), limit, memory.tokenizer, memory.analyzer)
        memory = replace(memory, summary="\n".join(lines))
        over = tokens(memory, question) - memory.budget
    return memory


def _as_it_happened(recalled: Sequence[Passage], archive: Sequence[Exchange]) -> list[Passage]:
    """Passages in the order in which they were said, so that a correction stands after what it corrects."""
    turns = {exchange.name: (exchange.turn, exchange.call) for exchange in archive}
    return sorted(recalled, key=lambda passage: (turns[passage.chunk.article.id], passage.chunk.start))
