"""The formulas of faithfulness (paper Eq. 1 and 2), per report and over all reports at once. Pure.

docs/faithfulness.md gives each of them with its reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from drretail.eval.faithfulness.extraction import ALL, ALL_TYPES, CITED, TYPES
from drretail.eval.faithfulness.judge import judge, prompt_hashes
from drretail.eval.faithfulness.tally import ReportVerdicts, Tally, has_url, pooled_tally
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value
from drretail.records.score import MetricDescription, Rules, Verdict, VerdictState
from drretail.records.scoreboard import BoardColumn

HEADLINE: tuple[str, ...] = ("web", "product")
"""The types of FP; internal sources have no counterpart in the paper and their own column."""
FP_WEB_LIVE = "FP_web_live"
"""Only of reports whose pages were looked at again; others leave it out."""
VARIANTS = (
    "FP",
    "FP_eq2",
    "FP_pooled",
    "FP_strict",
    "FP_web",
    FP_WEB_LIVE,
    "FP_product",
    "FP_internal",
    "FP_eq2_report",
    "FR",
    "FR_all",
    "FR_pooled",
    "N_cited",
    "N_web",
    "N_product",
)
POOLED = frozenset({"FP_eq2", "FP_pooled", "FR_pooled"})


def failed_values() -> list[Value]:
    """The values of a run that left no report."""
    return [Value(variant, "failed") for variant in VARIANTS if variant != FP_WEB_LIVE]


def report_values(verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    """One report's value in every variant, in the order of ``VARIANTS``."""
    report = ReportVerdicts(verdicts, rules)
    if rules == "drg":
        found = {value.variant: value for value in (*_drg_precision(report), *_drg_recall(report))}
        return [found.get(variant, Value(variant, "na")) for variant in VARIANTS if variant != FP_WEB_LIVE]
    found = {
        value.variant: value for value in (*_precision(report), *_live(report), *_recall(report), *_counts(report))
    }
    return [found[variant] for variant in VARIANTS if variant in found]


def pooled(variant: str, report: Mapping[str, Value]) -> list[tuple[float, float]]:
    """One report's (numerator, denominator) in each part of a variant that is formed over all reports at once.

    FP_eq2 = ½ (FP_web + FP_product), each a mean over the reports that have it. FP_pooled = Σ support / Σ scored units
    over both types. FR_pooled = Σ cited claims / Σ claims. KeyError for any other variant.
    """
    parts = {
        "FP_eq2": lambda: [_once(report["FP_web"]), _once(report["FP_product"])],
        "FP_pooled": lambda: [_part(report["FP_pooled"], "support", "scored")],
        "FR_pooled": lambda: [_part(report["FR_pooled"], "cited", "total")],
    }
    return parts[variant]()


def _once(value: Value) -> tuple[float, float]:
    """A report's own value, counted once; nothing where it has none."""
    return (0.0, 0.0) if value.value is None else (value.value, 1.0)


def _part(value: Value, part: str, whole: str) -> tuple[float, float]:
    return (value.items[part], value.items[whole]) if value.state == "scored" else (0.0, 0.0)


def _precision(report: ReportVerdicts) -> list[Value]:
    claims = report.claims(CITED)
    if claims is None:
        return [Value(variant, "failed") for variant in VARIANTS if variant.startswith("FP") and variant != FP_WEB_LIVE]
    tallies = {kind: report.tally(kind) for kind in TYPES}
    both = pooled_tally(tallies, HEADLINE)
    present = [mean for kind in HEADLINE if (mean := tallies[kind].mean) is not None]
    strict = [mean for kind in HEADLINE if (mean := tallies[kind].strict) is not None]
    headline = fmean(present) if present else None
    items = both.items() | report.notes(HEADLINE) | report.labels(HEADLINE) | {"claims": len(claims)}
    return [
        _value("FP", headline, both, items),
        # Over all reports ``pooled`` forms this one; a report with both types has the same as its FP.
        _value("FP_eq2", headline, both),
        _value("FP_pooled", both.mean, both),
        _value("FP_strict", fmean(strict) if strict and not _only_failed(both) else None, both),
        *(_value(f"FP_{kind}", tallies[kind].mean, tallies[kind]) for kind in TYPES),
        _value("FP_eq2_report", headline if len(present) == len(HEADLINE) else None, both, alone_is="na"),
    ]


def _live(report: ReportVerdicts) -> list[Value]:
    """FP_web by pages as they were at judging time; nothing for a report whose pages were not looked at again."""
    if not report.is_judged_live and (report.claims(CITED) is None or report.tally("web").units):
        return []
    tally = report.tally("web", live=True)
    return [_value(FP_WEB_LIVE, tally.mean, tally)]


def _value(
    variant: str,
    value: float | None,
    tally: Tally,
    items: Mapping[str, float] | None = None,
    *,
    alone_is: VerdictState | None = None,
) -> Value:
    """A scored value, or the state of a report that has none. ``alone_is``: what one with some scored units is then.

    A report that was not judged to the end has none: what was asked first is no sample of it.
    """
    items = tally.items() if items is None else items
    if tally.unasked:
        return Value(variant, "failed", None, items)
    if value is not None:
        return Value(variant, "scored", value, items)
    return Value(variant, alone_is if alone_is and tally.scored else _state(tally), None, items)


def _state(tally: Tally) -> VerdictState:
    """Of a report without a scored unit: one that the judge failed on may still get a value, so that comes first."""
    if tally.failed:
        return "failed"
    return "unverifiable" if tally.unverifiable else "na"


def _only_failed(tally: Tally) -> bool:
    return bool(tally.failed) and not tally.scored


def _recall(report: ReportVerdicts) -> list[Value]:
    claims = report.claims(ALL)
    if claims is None:
        return [Value(variant, "failed") for variant in ("FR", "FR_all", "FR_pooled")]
    cited = {
        "FR": sum(1 for claim in claims if has_url(claim)),
        "FR_all": sum(1 for claim in claims if claim.sources),
    }
    cited["FR_pooled"] = cited["FR"]
    return [_share(variant, count, len(claims)) for variant, count in cited.items()]


def _share(variant: str, cited: int, total: int) -> Value:
    items: dict[str, float] = {"cited": cited, "total": total}
    return Value(variant, "scored", cited / total, items) if total else Value(variant, "na", None, items)


def _counts(report: ReportVerdicts) -> list[Value]:
    """The units with a resolved source, readable or not, as in the paper's Table 1; without any claim they are 0."""
    if report.claims(CITED) is None:
        return [Value(variant, "failed") for variant in ("N_cited", "N_web", "N_product")]
    numbers = {kind: report.tally(kind).units for kind in HEADLINE}
    return [
        Value("N_cited", "scored", float(sum(numbers.values()))),
        Value("N_web", "scored", float(numbers["web"])),
        Value("N_product", "scored", float(numbers["product"])),
    ]


def _drg_precision(report: ReportVerdicts) -> list[Value]:
    """Mean over claims, where a failed judgement counts 0, and so does a report without any."""
    tally = report.tally(ALL_TYPES)
    count = tally.scored + tally.failed
    value = tally.support / count if count else 0.0
    return [Value("FP", "scored", value, tally.items()), Value("FP_pooled", "scored", value, _as_scored(tally))]


def _as_scored(tally: Tally) -> dict[str, float]:
    """Failed judgements as scored ones of no support, so that pooling counts them too."""
    return tally.items() | {"scored": tally.scored + tally.failed}


def _drg_recall(report: ReportVerdicts) -> list[Value]:
    """Claims with any source by all claims; no claim counts 0."""
    claims = report.claims(ALL) or []
    cited = sum(1 for claim in claims if has_url(claim) or claim.unresolved)
    items: dict[str, float] = {"cited": cited, "total": len(claims)}
    value = cited / len(claims) if claims else 0.0
    return [Value("FR", "scored", value, items), Value("FR_pooled", "scored", value, items)]


DESCRIPTION = MetricDescription(
    title="Faithfulness",
    headlines=("FP", "FP_strict", "FP_web", "FP_product", "FR", "N_cited"),
    compared=("FP", "FP_web", "FP_product", "FR"),
    summaries=("FP",),
    primary=("FP",),
    scoreboard=(
        BoardColumn(variant="FP", meaning="share of the cited claims that their sources bear out"),
        BoardColumn(variant="N_supported", name="supported", meaning="how many such claims a report has"),
        BoardColumn(variant="FR", meaning="share of all claims that name a source"),
    ),
    correlated=("FP", "FP_web", "FP_product", "FR"),
    groups={
        **dict.fromkeys(("FP", "FP_eq2", "FP_pooled", "FP_strict"), "FP"),
        **dict.fromkeys(("FP_web", FP_WEB_LIVE, "FP_product", "FP_internal"), "FP by source"),
        **dict.fromkeys(("FR", "FR_all", "FR_pooled"), "FR"),
        **dict.fromkeys(("N_cited", "N_web", "N_product"), "N"),
    },
    only_in_json=("FP_eq2_report",),  # of a few reports only
    named_by_variant=True,
)


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """FP and FR with their variants, under the rules default, paper and drg."""

    name: str = "faithfulness"
    version: int = 2
    needs_judge: bool = True
    is_opinion: bool = False
    description: MetricDescription = DESCRIPTION

    async def judge(self, subject: Subject, judge_session: JudgeSession) -> None:
        await judge(subject, judge_session)

    def prompt_hashes(self) -> frozenset[str]:
        return prompt_hashes()

    def values(self, subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        return failed_values() if subject.report is None else report_values(verdicts, rules)

    def variants(self) -> tuple[str, ...]:
        return VARIANTS

    def pooled(self, variant: str, report: Mapping[str, Value]) -> Sequence[tuple[float, float]]:
        return pooled(variant, report)

    def pooled_variants(self) -> frozenset[str]:
        return POOLED


METRIC: Metric = Faithfulness()
