"""How a run's faithfulness adds up: the sums behind FP and FR, so that a table's number can be made again by hand."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from drretail.eval.claims.claims import FAMILY, HEADLINE, TYPES
from drretail.eval.judging.subject import Subject
from drretail.eval.registry import load_metric
from drretail.eval.scores.gathering import averaged
from drretail.eval.values import Value
from drretail.records.score import Rules, Score, Verdict, VerdictState
from drretail.tables.figures import number
from drretail.viewer.judged import Judged

_WHY: Mapping[VerdictState, str] = {
    "na": "it cites neither web pages nor products",
    "unverifiable": "no cited source could be read",
    "failed": "judging failed",
}


@dataclass(frozen=True, slots=True)
class Sum:
    """ "web 9.5 of 12": the support of claims, 1 in full and ½ in part, of how many that were judged."""

    name: str
    support: float
    scored: float

    @property
    def words(self) -> str:
        named = f"{self.name} " if self.name else ""
        return f"{named}{plain(self.support)} of {plain(self.scored)}"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """One judge's sums on one report; means over its judgings where there are several."""

    by: str
    """The judge's name."""
    rules: Rules
    sums: tuple[Sum, ...]
    """By type of source, those of FP."""
    whole: Sum
    """Every claim once, whatever it cites."""
    beside: tuple[Sum, ...]
    """Of types that do not count in FP."""
    precision: Value
    recall: Value

    @property
    def both(self) -> Sum:
        """What two types count, and the whole once."""
        support = sum(each.support for each in self.sums) - self.whole.support
        return Sum("", support, sum(each.scored for each in self.sums) - self.whole.scored)

    @property
    def words(self) -> str:
        """ "FP 0.87 (web 9.5 of 12, product 22 of 24); FR 0.76 (cited 34 of 45)"."""
        parts = [self.precision_words, self.recall_words, *(f"not counted in FP: {each.words}" for each in self.beside)]
        return "; ".join(part for part in parts if part)

    @property
    def precision_words(self) -> str:
        """The sums and the FP that they come to, or why they come to none."""
        if self.precision.value is None:
            return f"no FP: {_WHY.get(self.precision.state, self.precision.state)}"
        return f"FP {number(self.precision.value)} ({self._added()})"

    def _added(self) -> str:
        listed = ", ".join(each.words for each in self.sums)
        if self.rules == "paper" and len(self.sums) > 1:
            return f"{listed}, the mean of both"
        if not self.sums:
            return self.whole.words
        if self.both.scored > 0:
            return f"{listed}, less {self.both.words} in both: {self.whole.words}"
        return listed

    @property
    def recall_words(self) -> str:
        """Which share of all claims names a source; empty where nothing was claimed."""
        if self.recall.value is None:
            return ""
        cited, total = self.recall.items.get("cited", 0), self.recall.items.get("total", 0)
        return f"FR {number(self.recall.value)} (cited {plain(cited)} of {plain(total)})"


@dataclass(frozen=True, slots=True)
class Mean:
    """A system's number as its runs make it, and as scores.json has it."""

    variant: str
    by: str
    value: float
    reports: int
    scored: float | None
    """None where scores.json has none of this judge."""


def means_of(label: str, added: Sequence[tuple[str, Arithmetic]], scores: Sequence[Score]) -> Iterator[Mean]:
    """FP and FR of each judge over queries, of each the mean of its repeats, as scores are made.

    ``added`` are the system's runs, each with the id of its query.
    """
    for by in dict.fromkeys(each.by for _, each in added):
        judged = [(query_id, each) for query_id, each in added if each.by == by]
        for variant in ("FP", "FR"):
            values: dict[str, list[float]] = defaultdict(list)
            for query_id, arithmetic in judged:
                value = (arithmetic.precision if variant == "FP" else arithmetic.recall).value
                if value is not None:
                    values[query_id].append(value)
            if values:
                wanted = (FAMILY, label, variant, judged[-1][1].rules, "answered")
                scored = (
                    score.value
                    for score in scores
                    if (score.metric, score.system, score.variant, score.rules, score.policy) == wanted
                    and by.startswith(score.judge)
                )
                mean = fmean(map(fmean, values.values()))
                yield Mean(variant, by, mean, sum(map(len, values.values())), next(scored, None))


def arithmetic_of(judged: Judged, subject: Subject) -> Arithmetic:
    """The sums of what one judge ruled on a run's report, as scores.json is made of them."""
    repeats: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in judged.verdicts:
        repeats[verdict.judge_repeat].append(verdict)
    family = load_metric(FAMILY)
    values = averaged(
        [
            {value.variant: value for value in family.values(subject, repeats[repeat], judged.rules)}
            for repeat in sorted(repeats)
        ]
    )
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
    """ "12", "9.5", "9.33"."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _sum(name: str, value: Value | None, rules: Rules = "default") -> Sum:
    items = {} if value is None else value.items
    failed = items.get("failed", 0.0) if rules == "drg" else 0.0  # which count 0 there
    return Sum(name, items.get("support", 0.0), items.get("scored", 0.0) + failed)
