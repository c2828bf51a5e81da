"""What offline:judge decides of claims that people labelled, and a one-line rule beside it.

    python benchmarks/offline.py --attributionbench FILE --wice FILE [--threshold T] [--seed N] [--json F]

FILE is a split as its authors publish it, as ``drretail lab card`` takes it: AttributionBench
(OSU-NLP-Group), WiCE (ryokamoi). Neither comes with this project. Measured is how much offline:judge leaves undecided,
and the balanced accuracy of "full support" against "attributable" or "supported" of what it decides and of the rule.

The one-line rule: the share of a claim's content stems that occur anywhere in its sources, against a threshold. The
threshold is the best one of a random half of the file, unless --threshold gives one, as a test split demands: the one
that the development split printed.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from figures import hold, keep, parser_of

from drretail.addons.lab.card import SPELLINGS, LabelledClaim, read_labelled, share_of_words
from drretail.llm.offline.judge import judge_claim


@dataclass(frozen=True)
class Answered:
    """What people, the judge and the one-line rule say of one claim."""

    label: str
    judged: str | None
    """None if it is not decided."""
    share: float

    @property
    def is_full(self) -> bool:
        return self.label == "full"


def answered(claims: Sequence[LabelledClaim]) -> list[Answered]:
    """All claims, judged both ways."""
    return [
        Answered(
            labelled_claim.label,
            SPELLINGS.get(judge_claim(labelled_claim.claim, labelled_claim.sources).label),
            share_of_words(labelled_claim),
        )
        for labelled_claim in claims
    ]


def balanced_accuracy(rows: Sequence[Answered], says_full: Callable[[Answered], bool]) -> float | None:
    """The mean of the shares of supported and of other claims that are told right; None without either."""
    of_full = [says_full(row) for row in rows if row.is_full]
    of_other = [not says_full(row) for row in rows if not row.is_full]
    if not of_full or not of_other:
        return None
    return (sum(of_full) / len(of_full) + sum(of_other) / len(of_other)) / 2


def best_threshold(rows: Sequence[Answered]) -> float:
    return max(
        sorted({row.share for row in rows}),
        key=lambda least: balanced_accuracy(rows, lambda it: it.share >= least) or 0.0,
    )


def measured(rows: Sequence[Answered], seed: int, threshold: float | None) -> dict[str, Any]:
    """The table of one set: each rule on a random half, on the other half, and on all."""
    order = random.Random(seed).sample(rows, len(rows))
    half, other = order[: len(order) // 2], order[len(order) // 2 :]
    least = best_threshold(half) if threshold is None else threshold
    parts = {"half": half, "other half": other, "all": rows}
    decided = [row for row in rows if row.judged is not None]
    majority = Counter(each.is_full for each in rows).most_common(1)[0][0]
    return {
        "claims": len(rows),
        "undecided": len(rows) - len(decided),
        "of_decided": balanced_accuracy(decided, lambda row: row.judged == "full"),
        "threshold": least,
        "stems": {part: balanced_accuracy(some, lambda row: row.share >= least) for part, some in parts.items()},
        "majority": balanced_accuracy(rows, lambda _: majority),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--attributionbench", type=Path, metavar="FILE")
    parser.add_argument("--wice", type=Path, metavar="FILE")
    parser.add_argument("--threshold", type=float, metavar="T", help="of the one-line rule, from a development split")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    tables: dict[str, Any] = {}
    for name, path in (("AttributionBench", given.attributionbench), ("WiCE", given.wice)):
        if path is not None:
            table = tables[name] = measured(answered(read_labelled(path).claims), given.seed, given.threshold)
            of_decided = table["of_decided"]
            print(f"\n{name}: {table['claims']} claims, of which offline:judge leaves {table['undecided']} undecided")
            print(f"  balanced accuracy of those decided: {'n/a' if of_decided is None else f'{of_decided:.3f}'}")
            stems = ", ".join(f"{part} {value:.3f}" for part, value in table["stems"].items())
            print(f"  stems in the source, threshold {table['threshold']:.3f}: {stems}")
    if not tables:
        sys.exit("Give --attributionbench FILE, --wice FILE, or both.")
    hold(all(table["claims"] for table in tables.values()), "each set holds claims")
    keep(given.json, {"seed": given.seed, "sets": tables})


if __name__ == "__main__":
    main()
