"""Faithfulness Precision and Faithfulness Recall (paper section 3.3.1, appendix H.1): how far sources support the
claims that cite them, and how many claims cite an address. A judge is asked in three stages, each with verdicts of its
own; the formulas (Eq. 1 and 2) are pure functions of these.

docs/scores.md gives each formula with its reason.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from drretail.eval.claims.audit import ReportVerdicts, audit, summed_tallies
from drretail.eval.claims.claims import (
    ALL,
    AUDIT,
    CITED,
    FAITHFULNESS,
    HEADLINE,
    REPORT,
    TYPES,
    VERSION,
    Claim,
    SourceType,
    stages_of,
)
from drretail.eval.claims.extraction import extract, extraction_prompt, extraction_prompts
from drretail.eval.claims.rulings import SupportJudge, support_prompt
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import RULES, Metric, Value, description_of, no_value, share
from drretail.llm.prompt import Prompt
from drretail.records.evidence import CITATIONS_READ, NOT_READ, WHY_UNREAD, CitationCounts
from drretail.records.score import Rules, Verdict


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Extracts the claims, then judges each that cites something. An error ends only its own stage."""
    rules = judge_session.rules
    stages = stages_of(rules)
    await judge_session.take_all(extract(subject, judge_session, stage, with_picks=True) for stage in stages)
    claims = await extract(subject, judge_session, stages[0], with_picks=True) or ()  # recorded by now
    cited = [claim for claim in claims if claim.sources]
    support_judge = SupportJudge(subject, judge_session, subject.sources)
    await support_judge.rule(cited)
    if rules == "default":
        # Unless nothing was judged since the last audit.
        is_new = judge_session.existing(AUDIT, REPORT) is None or judge_session.has_new
        counts = audit(judge_session.verdicts(), subject.layout, subject.ledger) if is_new else None
        if counts is not None:
            judge_session.record_if_changed(AUDIT, REPORT, CodeVerdict("scored", counts))


def prompts() -> list[Prompt]:
    """The prompts of all rules."""
    papers = [extraction_prompt(stage) for stage in (CITED, ALL)]
    return [*extraction_prompts(), *papers, *(support_prompt(rules) for rules in RULES)]


FP, FR, N_SUPPORTED = "FP", "FR", "N_supported"
BY_TYPE: dict[str, SourceType] = {f"FP_{kind}": kind for kind in TYPES}
NUMBERS: dict[str, SourceType] = {"N_web": "web", "N_product": "product"}
N_INTERNAL = "N_internal"
VARIANTS = (FP, N_SUPPORTED, *BY_TYPE, FR, "N_cited", *NUMBERS, N_INTERNAL)


def report_values(verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    """One report's value in every variant, in the order of ``VARIANTS``."""
    report = ReportVerdicts(verdicts, rules)
    if report.judged is None:
        by_variant = {variant: Value(variant, "failed") for variant in VARIANTS}
    else:
        by_variant = {value.variant: value for value in (*_precision(report), *_counts(report))}
    by_variant[FR] = Value(FR, "failed") if report.all is None else _recall(report.all)
    return [by_variant[variant] for variant in VARIANTS]


def _precision(report: ReportVerdicts) -> Iterator[Value]:
    """FP of each type, and the mean over the types that the report has (paper, Eq. 2, for one report).

    If the judge failed on a type that the report has, the mean of the others would be another measure.
    """
    tallies = {kind: report.tally(kind) for kind in HEADLINE}
    both, means = summed_tallies(tallies.values()), [tally.mean for tally in tallies.values()]
    means_scored = [mean for mean in means if mean is not None]
    failed = any(tally.state == "failed" for tally in tallies.values())
    state = "failed" if failed else "scored" if means_scored else both.state
    items = both.items() | {"claims": float(len(report.cited))}
    yield Value(FP, state, fmean(means_scored) if state == "scored" else None, items)
    for variant, kind in BY_TYPE.items():
        tally = report.tally(kind)
        yield Value(variant, tally.state, tally.mean, tally.items())


def _counts(report: ReportVerdicts) -> Iterator[Value]:
    """Claims by what they cite, judged or not, and the sum of their support. N_cited counts a claim once for each type,
    as the paper's Table 1 does.
    """
    both, supports = summed_tallies(map(report.tally, HEADLINE)), report.supports()
    state = "failed" if both.is_failed else "scored" if supports or not both.cited else both.state
    yield Value(N_SUPPORTED, state, sum(supports) if state == "scored" else None)
    yield Value("N_cited", "scored", float(both.cited))
    for variant, kind in NUMBERS.items():
        yield Value(variant, "scored", float(report.tally(kind).cited))
    yield Value(N_INTERNAL, "scored", float(sum(claim.types == ("internal",) for claim in report.cited)))


def _recall(claims: Sequence[Claim]) -> Value:
    """FR = N_cited / N_total (paper, Eq. 1): by presence of an address (appendix H.1, Table 9), whether or not what is
    there supports anything.
    """
    return share(FR, ("cited", sum(claim.has_address for claim in claims)), ("total", len(claims)))


UNREAD = "the report cites or lists sources, and no citation could be read"


def _citations_read(counts: CitationCounts) -> Value:
    """The share of the report's citations that were read, with the counts among its items."""
    value = share(CITATIONS_READ, ("read", counts.read), ("citations", counts.in_all))
    unread = {f"{NOT_READ}{WHY_UNREAD[reason]}": float(count) for reason, count in counts.not_read.items()}
    return replace(value, items={**value.items, "listed": float(counts.listed), **unread})


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    if subject.report is None or not verdicts:
        return [Value(variant, "failed") for variant in METRIC.variants]
    counts = CitationCounts() if subject.run is None else subject.run.citation_counts
    values = report_values(verdicts, rules)
    if counts.is_unread:
        values = [value if value.state == "failed" else no_value(value.variant, "na", UNREAD) for value in values]
    return [*values, _citations_read(counts)]


METRIC = Metric(
    FAITHFULNESS,
    VERSION,
    judge,
    _values,
    (*VARIANTS, CITATIONS_READ),
    description_of(FAITHFULNESS),
    prompts,
    after=("reading",),
)
