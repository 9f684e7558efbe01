"""`ragcore evaluate QUESTIONS.csv`: how good is the search on your own questions, and why did each failure fail?"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import Any

from ..corpus import read_questions
from ..diagnosis import FAULTS, Finding, Outcome, Refusal, diagnose, outcome, propose, refusal
from ..evaluation import hit_rate, mean_reciprocal_rank
from ..lookup import wilson
from ..notes import keep, open_notes
from . import show

DESCRIPTION = """Ask all questions of a CSV file and say how many answers were found, and why the others were not.

The file's first line reads text,kind,article,answers. kind: direct (in the note's words), paraphrase (in others),
unanswerable (no note answers; article and answers stay empty). article: the note's path below the folder. answers:
at most eight words of the note, word for word, that answer; several are separated by « | »."""

MINIMUMS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)


def add(commands: Any) -> None:
    form = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser(
        "evaluate", help="questions of your own: what is found, and why the rest is not", description=DESCRIPTION,
        formatter_class=form,
    )  # fmt: skip
    parser.add_argument("questions", type=Path, metavar="QUESTIONS.csv")
    parser.add_argument("--k", type=int, default=5, metavar="N", help="passages that an answer gets (default: 5)")
    parser.add_argument("--worse", type=float, default=1.0, metavar="N",
                        help="a wrong answer is as bad as N needless refusals (default: 1)")  # fmt: skip
    parser.add_argument("--keep", action="store_true", help="let `ragcore ask` use what is cheapest here")
    show.add_store(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    store = show.store_of(args)
    if not 0 <= args.worse < inf:
        raise ValueError(f"--worse must be 0 or more, not {args.worse:g}")
    notes = open_notes(store)
    questions = read_questions(args.questions)
    if not any(question.article for question in questions):
        raise ValueError(f"{args.questions.name} has no question with an answer: nothing can be found")
    findings = diagnose(questions, notes.index, args.k, notes.skipped)
    report = Report(
        findings, args.k, refusal(findings, notes.threshold, args.k), propose(findings, args.k, args.worse),
        [outcome(notes, questions, notes.threshold, notes.minimum, args.k)],
    )  # fmt: skip
    if report.better:
        report.answers += [outcome(notes, questions, report.better.threshold, least, args.k) for least in MINIMUMS]
    if args.keep:
        if report.better is None:
            raise ValueError("these questions propose no threshold, so there is none to keep")
        keep(store, report.better.threshold, report.best.minimum)
    if args.json:
        show.as_json(report.summary())
    else:
        _tell(report, args.keep)


@dataclass
class Report:
    """All that is told. answers: what quoting gives as the index stands, then at the proposed threshold."""

    findings: list[Finding]
    k: int
    now: Refusal
    better: Refusal | None
    answers: list[Outcome]

    @property
    def asked(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.question.article]

    @property
    def best(self) -> Outcome:
        """At the proposed threshold: most answers quoted; of equal ones the strictest."""
        return max(self.answers[1:], key=lambda outcome: (outcome.quoted, outcome.minimum))

    def summary(self) -> dict[str, Any]:
        """Everything that is printed, for a machine."""
        ranks = [finding.rank for finding in self.asked]
        return {
            "questions": len(self.findings), "answerable": len(ranks), "k": self.k,
            "found": sum(finding.found(self.k) for finding in self.asked),
            "hit_rate_1": hit_rate(ranks, 1), "hit_rate_k": hit_rate(ranks, self.k), "interval": self.interval(),
            "mrr": mean_reciprocal_rank(ranks), "faults": dict(Counter(f.fault for f in self.asked if f.fault)),
            "threshold": asdict(self.now), "proposed": asdict(self.better) if self.better else None,
            "answers": [asdict(outcome) for outcome in self.answers],
            "findings": [
                {"text": f.question.text, "kind": f.question.kind, "note": f.question.article, "rank": f.rank,
                 "fault": f.fault, "detail": f.detail, "nearness": f.nearness}
                for f in self.findings
            ],
        }  # fmt: skip

    def interval(self) -> tuple[float, float]:
        return wilson(sum(finding.found(self.k) for finding in self.asked), len(self.asked))


def _tell(report: Report, kept: bool) -> None:
    numbers, asked, k = report.summary(), report.asked, report.k
    low, high = numbers["interval"]
    print(f"{len(asked)} questions with an answer, {len(report.findings) - len(asked)} without.")
    print(f"Hit@1 {numbers['hit_rate_1']:.2f}, Hit@{k} {numbers['found']} of {len(asked)} = "
          f"{numbers['hit_rate_k']:.2f} (95 %: {low:.2f} to {high:.2f}), MRR {numbers['mrr']:.3f}")  # fmt: skip
    if wrong := sorted((f for f in asked if f.fault), key=lambda f: FAULTS.index(f.fault or FAULTS[0])):
        print(f"\nWhat went wrong, {'once' if len(wrong) == 1 else f'{len(wrong)} times'}:")
        for finding in wrong:
            place = f"rank {finding.rank}" if finding.rank else "no rank"
            print(f"  {finding.fault}, {place}: {finding.question.text}\n      {finding.detail}")
    print(f"\n{_errors(report.now, k)}")
    if report.better is None:
        print("No threshold is proposed: that takes questions with and without an answer, and one that pays.")
    else:
        print(f"Cheapest on these questions. {_errors(report.better, k)}")
    print("\nAsked in full, the notes quoted (first line: as `ragcore ask` does now)")
    head = ["threshold", "minimum", "answer quoted", "other quoted", "refused", "silent answered"]
    show.table(head, [list(asdict(outcome).values()) for outcome in report.answers])
    if kept:
        print(f"Kept for `ragcore ask`: threshold {report.best.threshold:.3f}, minimum {report.best.minimum:.3f}.")
    elif report.better:
        print("--keep makes `ragcore ask` use the threshold and minimum that quote most answers here.")


def _errors(refusal: Refusal, k: int) -> str:
    return (
        f"Threshold {refusal.threshold:.3f}:\n"
        f"  answers {refusal.wrong} of {refusal.others} questions whose answer is not among the first {k},\n"
        f"  refuses {refusal.needless} of {refusal.found} whose answer is"
    )
