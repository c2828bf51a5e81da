"""Faithfulness: how many cited claims their sources support (paper section 3.3.1, appendix H.1).
A judge is asked in three stages, each with verdicts of its own; the formulas (Eq. 1 and 2) are pure functions of these.

docs/scores.md gives each formula with its reason.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from drretail.env.web.base import WebPage
from drretail.eval.claims.audit import ReportVerdicts, Tally, audit, cites, has_url, pooled
from drretail.eval.claims.claims import (
    ALL,
    ALL_TYPES,
    AUDIT,
    CITED,
    EXTRACT,
    FAITHFULNESS,
    FROZEN,
    HEADLINE,
    REPORT,
    SUPPORT_LIVE,
    TYPES,
    VERSION,
    Claim,
    Unit,
    claims_in,
    same_texts,
    stages_of,
    unit_of,
)
from drretail.eval.claims.extraction import extract, extraction_prompt, extraction_prompts
from drretail.eval.claims.rulings import ASKED_AGAIN, CHANGED, SupportJudge, support_prompt
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import RULES, Metric, Value, description_of, lacking, pooled_share, share
from drretail.grounding.report.citations import leads_to_no_source
from drretail.grounding.text.wording import split_words
from drretail.llm.prompt import Prompt
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.score import Rules, Verdict, VerdictState

AS_IN_LEDGER = "as_in_ledger"
"""The note of a claim whose pages have the same text as in the ledger, so that its verdict was copied."""
PageAt = Callable[[str], Awaitable[WebPage]]


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Extracts the claims, then judges each that cites something. An error ends only its own stage.

    Repeats extract the claims again, and then judge those of the first repeat: so the noise of extraction and of labels
    can be told apart.
    """
    rules = judge_session.rules
    stages = stages_of(rules)
    await judge_session.each(extract(subject, judge_session, stage, with_picks=True) for stage in stages)
    own = await extract(subject, judge_session, stages[0], with_picks=True) or ()  # recorded by now
    claims: Sequence[Claim] = own
    first = judge_session.first_of(EXTRACT, REPORT) if rules == "default" else None
    if first is not None and first.state == "scored":
        judge_session.record_if_missing(FROZEN, REPORT, "scored", first.value, prompt_hash=first.prompt_hash)
        claims = claims_in(first) or ()
    units = [unit for claim in claims if (unit := unit_of(claim, rules)) is not None]
    support_judge = SupportJudge(subject, judge_session, subject.evidence)
    shown = [unit for unit in units if rules == "default" and support_judge.is_shown_otherwise(unit)]
    # Verdicts by shown texts come first: those by whole sources note if the shown text supports a claim better.
    await judge_session.take([*support_judge.shown.steps(shown), *support_judge.steps(units)])
    if subject.page_at is not None:
        await judge_live(support_judge, [unit for unit in units if "web" in unit.types], subject.page_at)
    if rules == "default":
        # Unless nothing was judged since the last audit.
        is_new = judge_session.existing(AUDIT, REPORT) is None or judge_session.has_new
        counts = audit(judge_session.verdicts(), subject.case.layout, support_judge.ledger) if is_new else None
        if counts is not None:
            judge_session.record_if_changed(AUDIT, REPORT, CodeVerdict("scored", counts))


async def judge_live(support_judge: SupportJudge, units: list[Unit], page_at: PageAt) -> None:
    """Records verdicts of claims that cite pages, by the pages as they are now; the verdicts by the ledger stay."""
    evidence = support_judge.evidence
    pages: dict[str, WebPage] = {}
    for source in dict.fromkeys(source for unit in units for source in unit.sources):
        # A source that is not a page, such as a number without an entry, has no address.
        url = source if source.casefold().startswith(("http://", "https://")) else None
        if source in evidence:
            url = evidence[source].url if evidence[source].kind == "web" else None
        if url:
            pages[source] = await page_at(url)
    now = replace(
        support_judge,
        evidence={**evidence, **{source: _as_evidence(source, page) for source, page in pages.items()}},
        stage=SUPPORT_LIVE,
    )
    to_judge: list[Unit] = []
    for unit in units:
        content, ledgers = now.content(unit), support_judge.existing(unit)
        copied = ledgers if ledgers is not None and ledgers.state == "scored" else None
        copied = copied if copied is not None and same_texts(copied.sources, content.texts) else None
        if content.texts and copied is None:
            to_judge.append(unit)  # judged before or not: all of them are packed into calls
        elif now.existing(unit) is not None:
            continue
        elif copied is None:
            why = {source: page.problem or page.state for source, page in pages.items()}
            unread = ", ".join(f"{source} ({why.get(source, 'no address')})" for source in content.unreadable)
            reason = f"none of its sources could be read now: {unread}"
            support_judge.judge_session.record(SUPPORT_LIVE, unit.item, "unverifiable", reason=reason)
        else:
            support_judge.judge_session.record(
                SUPPORT_LIVE,
                copied.item,
                "scored",
                copied.value,
                prompt_hash=copied.prompt_hash,
                reason=copied.reason,
                quote=copied.quote,
                more_quotes=copied.more_quotes,
                sources=copied.sources,
                notes=(*copied.notes, AS_IN_LEDGER),
            )
    await now.rule(to_judge)


def _as_evidence(source: str, page: WebPage) -> Evidence:
    text = EvidenceText(sha256=sha256_of(page.text), form="page", text=page.text, shown=False, path="0", seq=0)
    return Evidence(
        id=source,
        kind="web",
        key=page.url,
        title=page.title,
        url=page.url,
        date=page.date,
        texts=(text,) if page.state == "ok" else (),
        state=page.state,
    )


def prompts() -> list[Prompt]:
    """The prompts of all rules."""
    papers = [extraction_prompt(stage) for stage in (CITED, ALL)]
    return [*extraction_prompts(), *papers, *(support_prompt(rules) for rules in RULES)]


FP_WEB_LIVE = "FP_web_live"
"""Only for reports whose pages were fetched again; others do not have it."""
FP_SHOWN, FP_WEB_SHOWN = "FP_shown", "FP_web_shown"
"""By the texts of pages that the agent was shown; only under the default rules."""
CHANGED_MINDS = "changed_minds"
LEFT_OUT = frozenset({FP_WEB_LIVE, FP_SHOWN, FP_WEB_SHOWN, CHANGED_MINDS})
"""The variants that not every judged report has."""
DENSITY = "claims_per_100_words"
PRECISION = (
    "FP",
    "FP_types",
    "FP_eq2",
    "FP_pooled",
    "FP_strict",
    "FP_web",
    "FP_product",
    "FP_internal",
    "FP_eq2_report",
)
RECALL = ("FR", "FR_url", "FR_pooled")
COUNTS = ("N_supported", "N_cited", "N_web", "N_product", DENSITY)
BESIDE = ("N_supported", DENSITY)
"""Shown beside FP: a report can raise precision alone by saying little, or by splitting claims."""
VARIANTS = (
    *PRECISION[:5],
    *BESIDE,
    CHANGED_MINDS,
    FP_SHOWN,
    PRECISION[5],
    FP_WEB_SHOWN,
    FP_WEB_LIVE,
    *PRECISION[6:],
    *RECALL,
    *COUNTS[1:-1],
)


def report_values(verdicts: Sequence[Verdict], rules: Rules, words: int) -> list[Value]:
    """One report's value in every variant, in the order of ``VARIANTS``; ``words`` is the report's length."""
    report = ReportVerdicts(verdicts, rules)
    if rules == "drg":
        by_variant = {value.variant: value for value in _drg_values(report)}
        return [by_variant.get(variant, Value(variant, "na")) for variant in VARIANTS if variant not in LEFT_OUT]
    of_default = (FP_SHOWN, FP_WEB_SHOWN, CHANGED_MINDS) if rules == "default" else ()
    if report.judged is None:
        made = [Value(variant, "failed") for variant in (*PRECISION, *COUNTS, *of_default)]
    else:
        # The paper's rules have no values by shown texts, and those of publications no second question.
        made = [*_precision(report, rules), *_counts(report, words)]
        made += _of_default_rules(report) if of_default else []
    by_variant = {value.variant: value for value in (*made, *_live(report), *_recall(report, rules))}
    return [by_variant[variant] for variant in VARIANTS if variant in by_variant]


def _eq2(report: Mapping[str, Value]) -> list[tuple[float, float]]:
    """FP_eq2 = ½ (FP_web + FP_product), each a mean over the reports that have it."""
    types = (report[f"FP_{kind}"] for kind in HEADLINE)
    return [(0.0, 0.0) if type_.value is None else (type_.value, 1.0) for type_ in types]


POOLED = {
    "FP_eq2": _eq2,
    "FP_pooled": pooled_share("FP_pooled", "support", "counted"),
    "FR_pooled": pooled_share("FR_pooled", "cited", "total"),
    CHANGED_MINDS: pooled_share(CHANGED_MINDS, CHANGED, ASKED_AGAIN),
}
"""FP_pooled = Σ support / Σ scored units and invented sources over both types. FR_pooled = Σ cited claims / Σ claims.
changed_minds = Σ changed labels / Σ claims that were asked about again.
"""


def _precision(report: ReportVerdicts, rules: Rules) -> list[Value]:
    tallies = {kind: report.tally((kind,)) for kind in TYPES}
    pairs, claims = pooled(tallies[kind] for kind in HEADLINE), report.tally(HEADLINE)
    by_type = _mean(tallies[kind].mean for kind in HEADLINE)
    strict = _mean(tallies[kind].strict for kind in HEADLINE) if rules == "paper" else claims.strict
    has_both = all(tallies[kind].mean is not None for kind in HEADLINE)
    items = claims.items() | report.notes(HEADLINE) | report.labels(HEADLINE) | {"claims": len(report.cited)}
    if dropped := sum(claim.dropped or 0 for claim in report.judged or ()):
        items["ids_dropped"] = dropped
    return [
        # In the paper, the headline is the mean over the source types that a report has.
        _value("FP", by_type if rules == "paper" else claims.mean, claims, items),
        _value("FP_types", by_type, pairs),
        # ``pooled`` computes this one over all reports; a report with both types has its FP_types here.
        _value("FP_eq2", by_type, pairs),
        _value("FP_pooled", pairs.mean, pairs),
        _value("FP_strict", None if (bool(claims.failed) and not claims.scored) else strict, claims),
        *(_value(f"FP_{kind}", tallies[kind].mean, tallies[kind]) for kind in TYPES),
        _value("FP_eq2_report", by_type if has_both else None, pairs, alone_is="na"),
    ]


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that exist, or None."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _of_default_rules(report: ReportVerdicts) -> list[Value]:
    """FP and FP_web by the texts of web pages that the agent was shown, such as snippets.

    And of the claims that the judge was asked about again, with the records, the share whose label changed.
    """
    notes, shown, web = report.notes(TYPES), report.tally(HEADLINE, "shown"), report.tally(("web",), "shown")
    items = {note: notes[note] for note in (ASKED_AGAIN, CHANGED)}
    share_changed = notes[CHANGED] / notes[ASKED_AGAIN] if notes[ASKED_AGAIN] else None
    return [
        _value(FP_SHOWN, shown.mean, shown),
        _value(FP_WEB_SHOWN, web.mean, web),
        Value(CHANGED_MINDS, "na" if share_changed is None else "scored", share_changed, items),
    ]


def _live(report: ReportVerdicts) -> list[Value]:
    """FP_web by the pages at judging time; nothing for a report whose pages were not fetched again."""
    web = report.tally(("web",))
    if not report.live and (report.judged is None or web.units + web.invented):
        return []
    tally = report.tally(("web",), "live")
    return [_value(FP_WEB_LIVE, tally.mean, tally)]


def _value(
    variant: str,
    value: float | None,
    tally: Tally,
    items: Mapping[str, float] | None = None,
    *,
    alone_is: VerdictState | None = None,
) -> Value:
    """A scored value, or the state of a report that has none. ``alone_is`` is the state of a report with some scored
    units.

    A report that was not judged completely has no value: the claims that were judged first are no random sample. Nor
    has one on most of whose claims the judge failed.
    """
    items = tally.items() if items is None else items
    if tally.unasked or 2 * tally.failed > tally.units:
        return Value(variant, "failed", None, items)
    if value is not None:
        return Value(variant, "scored", value, items)
    # "failed" comes first, since a retry may still bring a value.
    state: VerdictState = "failed" if tally.failed else "unverifiable" if tally.unverifiable else "na"
    return Value(variant, alone_is if alone_is and tally.scored else state, None, items)


def _recall(report: ReportVerdicts, rules: Rules) -> list[Value]:
    claims = report.all
    if claims is None:
        return [Value(variant, "failed") for variant in RECALL]
    by_url = sum(1 for claim in claims if has_url(claim))
    # The paper counts only addresses as sources; our agents are told to cite orders and calculations too.
    cited = by_url if rules == "paper" else sum(map(cites, claims))
    counts = zip(RECALL, (cited, by_url, cited), strict=True)
    return [share(variant, ("cited", count), ("total", len(claims))) for variant, count in counts]


def _counts(report: ReportVerdicts, words: int) -> list[Value]:
    """Claims by outcome. N_cited counts a claim once for each source type that it cites, as the
    paper's Table 1 does.
    """
    claims, pairs = report.tally(HEADLINE), {kind: report.tally((kind,)).units for kind in HEADLINE}
    is_counted = claims.scored or not (claims.units or claims.unrated)
    supported = _value("N_supported", claims.support if is_counted else None, claims)
    every = report.all or report.judged or ()
    return [
        supported,
        Value("N_cited", "scored", float(sum(pairs.values()))),
        Value("N_web", "scored", float(pairs["web"])),
        Value("N_product", "scored", float(pairs["product"])),
        Value(DENSITY, "scored", 100 * len(every) / words) if words else Value(DENSITY, "na"),
    ]


def _drg_values(report: ReportVerdicts) -> list[Value]:
    """Precision, the mean over claims: a failed judgement counts 0, and so does a report without claims.

    Recall: claims with any source, divided by all claims; 0 without claims.
    """
    tally, claims = report.tally((ALL_TYPES,)), report.all or []
    count = tally.scored + tally.failed
    precision = tally.support / count if count else 0.0
    of_precision = [
        Value("FP", "scored", precision, tally.items()),
        Value("FP_pooled", "scored", precision, tally.items() | {"counted": count}),
    ]
    if tally.unfetched == tally.units > 0:  # its pages were never fetched, which does not mean 0
        of_precision = [Value(variant, "na", None, tally.items()) for variant in ("FP", "FP_pooled")]
    cited = sum(1 for claim in claims if has_url(claim) or claim.unresolved)
    items: dict[str, float] = {"cited": cited, "total": len(claims)}
    recall = cited / len(claims) if claims else 0.0
    return [*of_precision, *(Value(variant, "scored", recall, items) for variant in ("FR", "FR_pooled"))]


UNREAD = "the imported report has marks or names sources, and no citation leads to one"


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    if subject.report is None:
        return [Value(variant, "failed") for variant in VARIANTS if variant not in LEFT_OUT]
    values = report_values(verdicts, rules, len(split_words(subject.report)))
    # An imported report whose citations lead nowhere: its export may lack the sources.
    run = subject.run
    if run is not None and subject.system.is_imported and leads_to_no_source(run.report or "", run.citations):
        values = [
            each if each.variant == DENSITY or each.state == "failed" else lacking(each.variant, "na", UNREAD)
            for each in values
        ]
    if not subject.system.is_imported or (subject.run is not None and subject.run.steps):
        return values
    # What an imported system was shown of its sources is unknown, except in an assistant's log.
    return [Value(each.variant, "na") if each.variant in (FP_SHOWN, FP_WEB_SHOWN) else each for each in values]


METRIC = Metric(
    FAITHFULNESS,
    VERSION,
    judge,
    _values,
    VARIANTS,
    description_of(FAITHFULNESS),
    prompts,
    after=("reading",),
    pooled=POOLED,
    pooled_means=frozenset({"FP_eq2"}),
)
