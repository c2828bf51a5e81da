"""How well offline:judge agrees with people, beside a one-line rule and always guessing the majority.

    python benchmarks/offline_judge.py --attributionbench FILE --wice FILE [--threshold T] [--seed N] [--to out.json]

FILE is a split as its authors publish it, JSON lines, plain or gzipped: AttributionBench (OSU-NLP-Group) with `claim`,
`references` and `attribution_label`; WiCE (ryokamoi) with `claim`, `evidence` and `label`. Neither comes with this
project. Measured is the balanced accuracy of "full support" against "attributable" or "supported"; of WiCE's three
labels also the plain accuracy and Cohen's kappa.

The one-line rule: the share of a claim's content stems that occur anywhere in its sources, against a threshold. The
threshold is the best one of a random half of the file, unless --threshold gives one, as a test split demands: the one
that the development split printed. The judge's own thresholds are fixed, so both halves are shown.
"""

import argparse
import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from drretail.grounding.text.words import content_stems
from drretail.offline.judge.support import judge_claim

FULL, PARTIAL, NONE = "full_support", "partial_support", "no_support"
WICE_LABELS = {"supported": FULL, "partially_supported": PARTIAL, "not_supported": NONE}
RESAMPLES = 2000


@dataclass(frozen=True)
class Labelled:
    """A claim, its sources, and what people said of it."""

    claim: str
    sources: tuple[str, ...]
    label: str


@dataclass(frozen=True)
class Answered:
    """What people, the judge and the one-line rule say of one claim."""

    label: str
    judged: str
    share: float

    @property
    def is_full(self) -> bool:
        return self.label == FULL


def read_attributionbench(path: Path) -> list[Labelled]:
    """Its claims; "attributable" counts as full support, the rest as none."""
    return [
        Labelled(row["claim"], tuple(row["references"]), FULL if row["attribution_label"] == "attributable" else NONE)
        for row in _rows(path)
    ]


def read_wice(path: Path) -> list[Labelled]:
    """Its claims, each with its cited page as one source."""
    return [Labelled(row["claim"], ("\n".join(row["evidence"]),), WICE_LABELS[row["label"]]) for row in _rows(path)]


def answered(rows: Sequence[Labelled]) -> list[Answered]:
    """All rows, judged both ways."""
    return [Answered(row.label, judge_claim(row.claim, row.sources).label, stem_share(row)) for row in rows]


def stem_share(row: Labelled) -> float:
    """The share of the claim's content stems that occur in its sources; 0 for a claim without any."""
    wanted = set(content_stems(row.claim))
    return len(wanted & set(content_stems("\n".join(row.sources)))) / len(wanted) if wanted else 0.0


def balanced_accuracy(rows: Sequence[Answered], says_full: Callable[[Answered], bool]) -> float:
    """The mean of the shares of supported and of other claims that are told right."""
    of_full = [says_full(row) for row in rows if row.is_full]
    of_other = [not says_full(row) for row in rows if not row.is_full]
    return (sum(of_full) / len(of_full) + sum(of_other) / len(of_other)) / 2


def best_threshold(rows: Sequence[Answered]) -> float:
    return max(
        sorted({row.share for row in rows}), key=lambda least: balanced_accuracy(rows, lambda it: it.share >= least)
    )


def measure(rows: Sequence[Answered], seed: int, threshold: float | None) -> dict[str, Any]:
    """The table of one set: each rule on a random half, on the other half, and on all."""
    order = random.Random(seed).sample(rows, len(rows))
    half, other = order[: len(order) // 2], order[len(order) // 2 :]
    least = best_threshold(half) if threshold is None else threshold
    rules: dict[str, Callable[[Answered], bool]] = {
        "offline:judge": lambda row: row.judged == FULL,
        "stems in the source": lambda row: row.share >= least,
        "always the majority": lambda _: Counter(it.is_full for it in rows).most_common(1)[0][0],
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
    drawn, told = truth[draws], gained[draws]
    means = [(told * part).sum(1) / part.sum(1) for part in (drawn, ~drawn)]
    return [float(it) for it in np.quantile((means[0] + means[1]) / 2, (0.025, 0.975))]


def _three_labels(rows: Sequence[Answered]) -> dict[str, Any]:
    people, judged = Counter(row.label for row in rows), Counter(row.judged for row in rows)
    if len(people) < 3:
        return {}
    agreed = sum(row.label == row.judged for row in rows) / len(rows)
    by_chance = sum(people[label] * judged[label] for label in people) / len(rows) ** 2
    majority = max(people.values()) / len(rows)
    return {"accuracy": agreed, "accuracy_of_majority": majority, "kappa": (agreed - by_chance) / (1 - by_chance)}


def _rows(path: Path) -> list[dict[str, Any]]:
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _print(name: str, table: dict[str, Any]) -> None:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attributionbench", type=Path, metavar="FILE")
    parser.add_argument("--wice", type=Path, metavar="FILE")
    parser.add_argument("--threshold", type=float, metavar="T", help="of the one-line rule, from a development split")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--to", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    readers = {
        "AttributionBench": (arguments.attributionbench, read_attributionbench),
        "WiCE": (arguments.wice, read_wice),
    }
    tables: dict[str, Any] = {}
    for name, (path, read) in readers.items():
        if path is not None:
            tables[name] = measure(answered(read(path)), arguments.seed, arguments.threshold)
            _print(name, tables[name])
    if not tables:
        sys.exit("Give --attributionbench FILE, --wice FILE, or both.")
    if arguments.to is not None:
        arguments.to.write_text(json.dumps({"seed": arguments.seed, "sets": tables}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
