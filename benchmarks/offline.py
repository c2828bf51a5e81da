"""How well offline:judge does beside people.

    python benchmarks/offline.py --attributionbench FILE --wice FILE [--threshold T] [--seed N] [--json F]

FILE is a split as its authors publish it, as ``drretail lab card`` takes it: AttributionBench
(OSU-NLP-Group), WiCE (ryokamoi). Neither comes with this project. Measured is the balanced accuracy of "full support"
against "attributable" or "supported", beside a one-line rule and always guessing the majority; of WiCE's three labels
also the plain accuracy and Cohen's kappa.

The one-line rule: the share of a claim's content stems that occur anywhere in its sources, against a threshold. The
threshold is the best one of a random half of the file, unless --threshold gives one, as a test split demands: the one
that the development split printed. The judge's own thresholds are fixed, so both halves are shown.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from drretail.lab.card import share_of_words
from drretail.lab.labelled_claims import SPELLINGS, LabelledClaim, read_labelled
from drretail.offline.judge.support import judge_claim

RESAMPLES = 2000


@dataclass(frozen=True)
class Answered:
    """What people, the judge and the one-line rule say of one claim."""

    label: str
    judged: str
    share: float

    @property
    def is_full(self) -> bool:
        return self.label == "full"


def answered(claims: Sequence[LabelledClaim]) -> list[Answered]:
    """All claims, judged both ways."""
    return [
        Answered(
            labelled_claim.label,
            SPELLINGS[judge_claim(labelled_claim.claim, labelled_claim.sources).label],
            share_of_words(labelled_claim),
        )
        for labelled_claim in claims
    ]


def balanced_accuracy(rows: Sequence[Answered], says_full: Callable[[Answered], bool]) -> float:
    """The mean of the shares of supported and of other claims that are told right."""
    of_full = [says_full(row) for row in rows if row.is_full]
    of_other = [not says_full(row) for row in rows if not row.is_full]
    return (sum(of_full) / len(of_full) + sum(of_other) / len(of_other)) / 2


def best_threshold(rows: Sequence[Answered]) -> float:
    return max(
        sorted({row.share for row in rows}), key=lambda least: balanced_accuracy(rows, lambda it: it.share >= least)
    )


def measured(rows: Sequence[Answered], seed: int, threshold: float | None) -> dict[str, Any]:
    """The table of one set: each rule on a random half, on the other half, and on all."""
    order = random.Random(seed).sample(rows, len(rows))
    half, other = order[: len(order) // 2], order[len(order) // 2 :]
    least = best_threshold(half) if threshold is None else threshold
    rules: dict[str, Callable[[Answered], bool]] = {
        "offline:judge": lambda row: row.judged == "full",
        "stems in the source": lambda row: row.share >= least,
        "always the majority": lambda _: Counter(each.is_full for each in rows).most_common(1)[0][0],
    }
    parts = {"half": half, "other half": other, "all": rows}
    return {
        "claims": len(rows),
        "threshold": least,
        "balanced_accuracy": {
            name: {part: balanced_accuracy(some, rule) for part, some in parts.items()} for name, rule in rules.items()
        },
        "judge_minus_stems": _difference(rows, rules["offline:judge"], rules["stems in the source"], seed),
        **_three_labels(rows),
    }


def _difference(
    rows: Sequence[Answered], one: Callable[[Answered], bool], other: Callable[[Answered], bool], seed: int
) -> list[float]:
    """The 95 % bootstrap interval of the difference of two rules, resampled by claim."""
    draws = np.random.default_rng(seed).integers(0, len(rows), (RESAMPLES, len(rows)))
    truth, first, second = (np.array([rule(row) for row in rows]) for rule in (lambda row: row.is_full, one, other))
    gained = (first == truth).astype(float) - (second == truth)
    drawn, answers = truth[draws], gained[draws]
    means = [(answers * part).sum(1) / part.sum(1) for part in (drawn, ~drawn)]
    return [float(each) for each in np.quantile((means[0] + means[1]) / 2, (0.025, 0.975))]


def _three_labels(rows: Sequence[Answered]) -> dict[str, Any]:
    people, judged = Counter(row.label for row in rows), Counter(row.judged for row in rows)
    if len(people) < 3:
        return {}
    agreed = sum(row.label == row.judged for row in rows) / len(rows)
    by_chance = sum(people[label] * judged[label] for label in people) / len(rows) ** 2
    majority = max(people.values()) / len(rows)
    return {"accuracy": agreed, "accuracy_of_majority": majority, "kappa": (agreed - by_chance) / (1 - by_chance)}


def _print_judged(name: str, table: dict[str, Any]) -> None:
    print(f"\n{name}: {table['claims']} claims, threshold of stems {table['threshold']:.3f}")
    print(f"  {'balanced accuracy':22}{'half':>8}{'other half':>12}{'all':>8}")
    for rule, parts in table["balanced_accuracy"].items():
        print(f"  {rule:22}{parts['half']:8.3f}{parts['other half']:12.3f}{parts['all']:8.3f}")
    low, high = table["judge_minus_stems"]
    print(f"  offline:judge less stems in the source, 95 %: {low:+.3f} to {high:+.3f}")
    if "kappa" in table:
        print(
            f"  three labels: accuracy {table['accuracy']:.3f} (majority {table['accuracy_of_majority']:.3f}), "
            f"kappa {table['kappa']:.3f}"
        )


def judge(given: argparse.Namespace) -> dict[str, Any]:
    """Prints the tables of the files that are given, and gives them."""
    files = {"AttributionBench": given.attributionbench, "WiCE": given.wice}
    tables: dict[str, Any] = {}
    for name, path in files.items():
        if path is not None:
            tables[name] = measured(answered(read_labelled(path).claims), given.seed, given.threshold)
            _print_judged(name, tables[name])
    if not tables:
        sys.exit("Give --attributionbench FILE, --wice FILE, or both.")
    return {"seed": given.seed, "sets": tables}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attributionbench", type=Path, metavar="FILE")
    parser.add_argument("--wice", type=Path, metavar="FILE")
    parser.add_argument("--threshold", type=float, metavar="T", help="of the one-line rule, from a development split")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    tables = judge(given)
    if given.json is not None:
        given.json.write_text(json.dumps(tables, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
