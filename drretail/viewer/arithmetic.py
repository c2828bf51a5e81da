"""The sums behind a run's FP and FR, so that a reader can recompute them by hand."""

from collections.abc import Mapping
from dataclasses import dataclass

from drretail.eval.claims.claims import FAITHFULNESS, HEADLINE, TYPES
from drretail.eval.judging.subject import Subject
from drretail.eval.registry import load_metric
from drretail.eval.scores.gathering import judged_run
from drretail.eval.values import Value
from drretail.records.score import Rules, VerdictState
from drretail.records.tables.figures import number
from drretail.viewer.judged import Judged

_WHY: Mapping[VerdictState, str] = {
    "na": "it cites neither web pages nor products",
    "unverifiable": "no cited source could be read",
    "failed": "judging failed",
}


@dataclass(frozen=True, slots=True)
class Sum:
    """The support of judged claims, as in "web 9.5 of 12": 1 for full support, ½ for partial support."""

    name: str
    support: float
    scored: float

    @property
    def words(self) -> str:
        named = f"{self.name} " if self.name else ""
        return f"{named}{plain(self.support)} of {plain(self.scored)}"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """One judge's sums on one report; means if the judge judged it several times."""

    by: str
    """The judge's name."""
    rules: Rules
    sums: tuple[Sum, ...]
    """The sums behind FP, by type of source."""
    whole: Sum
    """The sum of all claims, each counted once whatever it cites."""
    beside: tuple[Sum, ...]
    """Sums of source types that do not count in FP."""
    precision: Value
    recall: Value

    @property
    def words(self) -> str:
        """FP and FR, or why there is no FP: "FP 0.87 (web 9.5 of 12, product 22 of 24); FR 0.76 (cited 34 of 45)"."""
        if self.precision.value is None:
            parts = [f"no FP: {_WHY.get(self.precision.state, self.precision.state)}"]
        else:
            added = ", ".join(each.words for each in self.sums) or self.whole.words
            # Claims that cite both types: the types count them twice, the whole once
            support, scored = (sum(getattr(each, of) for each in self.sums) for of in ("support", "scored"))
            both = Sum("", support - self.whole.support, scored - self.whole.scored)
            if self.rules == "paper" and len(self.sums) > 1:
                added += ", the mean of both"
            elif both.scored > 0:
                added += f", less {both.words} in both: {self.whole.words}"
            parts = [f"FP {number(self.precision.value)} ({added})"]
        if self.recall.value is not None:  # None if nothing was claimed
            cited, total = (plain(self.recall.items.get(name, 0)) for name in ("cited", "total"))
            parts.append(f"FR {number(self.recall.value)} (cited {cited} of {total})")
        return "; ".join([*parts, *(f"not counted in FP: {each.words}" for each in self.beside)])


def arithmetic_of(judged: Judged, subject: Subject) -> Arithmetic:
    """The sums of one judge's verdicts on a run's report, computed as for scores.json."""
    values = judged_run(subject, load_metric(FAITHFULNESS), judged.verdicts, judged.rules).values
    sums = {kind: _sum(kind, values.get(f"FP_{kind}")) for kind in TYPES}
    return Arithmetic(
        by=judged.by,
        rules=judged.rules,
        sums=tuple(sums[kind] for kind in HEADLINE if sums[kind].scored),
        whole=_sum("claims", values["FP"], judged.rules),
        beside=tuple(each for kind, each in sums.items() if kind not in HEADLINE and each.scored),
        precision=values["FP"],
        recall=values["FR"],
    )


def plain(value: float) -> str:
    """A number without trailing zeros: "12", "9.5", "9.33"."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _sum(name: str, value: Value | None, rules: Rules = "default") -> Sum:
    items = {} if value is None else value.items
    failed = items.get("failed", 0.0) if rules == "drg" else 0.0  # they count as 0 under these rules
    return Sum(name, items.get("support", 0.0), items.get("counted", 0.0) + failed)
