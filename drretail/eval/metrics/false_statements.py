"""What is false in a report, each statement once, whether code or the judge says so (docs/scores.md)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from drretail.eval.claims.audit import ReportVerdicts, steadiness
from drretail.eval.claims.claims import FAITHFULNESS, PICKS, SUPPORT, Claim
from drretail.eval.claims.rulings import CONTRADICTED
from drretail.eval.claims.turns import read_by_judge
from drretail.eval.claims.typed_values import (
    READING,
    READING_VERSION,
    confirmed,
    reading_by,
)
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import RULES, Metric, Value, all_lacking, description_of, no_value
from drretail.eval.metrics.readings import judges_reading
from drretail.eval.registry import AS_ANSWERS, FALSE_STATEMENTS, KINDS, TEXT, kind_of_code, load_metric
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, Finding
from drretail.records.reading import Cause, LookedAt, Reading, ReadValue, Statement
from drretail.records.score import Rules, Verdict
from drretail.records.shop import product_of
from drretail.reports.text.amounts import find_amounts
from drretail.reports.text.quotes import find_words, has_words
from drretail.shopping.verify.checks import check_report, read_report
from drretail.shopping.verify.findings import CODES
from drretail.shopping.verify.parts import ReadAnswers
from drretail.shopping.verify.records import leaves, record_of

STAGE, ITEM = "false", "report"
OF_CODE = frozenset({*CODES.values(), "unresolved_citation", "not_in_catalog"})
"""The findings of code that deny a statement; the others are about limits, the run, or form."""
FALSE_ANSWERS, CONTESTED, CHECKED, POWER = "false_answers", "contested_answers", "checked", "power"
OF_KIND = {kind: f"false_{kind}" for kind in KINDS}
VARIANTS = (FALSE_STATEMENTS, FALSE_ANSWERS, CONTESTED, CHECKED, POWER, *OF_KIND.values())
READ_BY_RULES = "read by rules"
_OF_TOOLS = {"price": re.compile("price|cost|preis", re.I), "stock": re.compile("stock|inventory|availab", re.I)}
"""What tools call a price and a stock."""
NOTHING_READ = "nothing in it could be held against a record"
NO_SOURCE = "there is no record and no page to hold it against: import with --world, or tools' results"


NOT_JUDGED = "this judge has not judged the claims of the report to the end: score faithfulness"


def _followed(judge_session: JudgeSession) -> tuple[list[Verdict], ReportVerdicts, str]:
    """This judge's verdicts on the claims of the report, for a metric that follows from them; what they come to; and a
    reason that identifies them.
    """
    metric = load_metric(FAITHFULNESS)
    judged = judge_session.verdicts_in(metric.name, metric.version, metric.prompt_hashes())
    in_order = sorted(judged, key=lambda verdict: (verdict.stage, verdict.item))
    content = [
        [verdict.stage, verdict.item, verdict.state, verdict.value, verdict.quote, verdict.notes]
        for verdict in in_order
    ]
    return judged, ReportVerdicts(judged, judge_session.rules), f"by the verdicts {sha256_of(content)[:16]}"


async def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what code and this judge's verdicts contradict. Of an assistant's answers a model is asked what they say,
    and code alone says whether it is so.

    Without the world, an existing verdict that follows from the same verdicts stays.
    """
    if subject.answers is not None:
        await _judge_answers(subject, judge_session, subject.answers)
        return
    judged, claims, reason = _followed(judge_session)
    if claims.whole.unasked:
        judge_session.record_if_changed(STAGE, ITEM, CodeVerdict("na", None, NOT_JUDGED))
        return
    case, claims_judged = subject.case, claims.judged or ()
    if judged and (claims.judged is None or claims.whole.is_failed):
        value = _value(subject, None, ())
        error = next((verdict.error for verdict in judged if verdict.error), "")
        _record(subject, judge_session, value, reason, f"on its claims{error and f': {error}'}")
        return
    by_model, failed = judges_reading(subject), ""
    if claims_judged and judge_session.judge.ref.kind != "rule_based":
        picks = next((verdict for verdict in judged if verdict.stage == PICKS), None)
        typed = reading_by(judge_session.judge.slug, claims_judged, picks)
        with judge_session.sibling(READING, READING_VERSION) as reading_session:
            looked = await confirmed(case, reading_session, read_report(case, typed))
        by_model, failed = typed.model_copy(update=looked.applied), looked.failed
        reason += f", confirmed {sha256_of(looked)[:8]}" if any(looked) else ""
    contradicted = [*_contradicted(subject, claims_judged, judged)]
    value = _value(subject, by_model, contradicted, judged)
    _record(subject, judge_session, value, reason, failed)


def _contradicted(subject: Subject, claims: Iterable[Claim], judged: Iterable[Verdict]) -> Iterator[Finding]:
    """The claims that the judge calls contradicted, with the words of the source that it quotes, and whose they are. A
    quote that stands in no source of a claim contradicts nothing: it is counted against the judge (``audit``).
    """
    report, evidence = subject.case.report, subject.with_records
    ruled = {verdict.item: verdict for verdict in judged if verdict.stage == SUPPORT and CONTRADICTED in verdict.notes}
    for claim in claims:
        if (verdict := ruled.get(claim.claim_id)) is not None:
            start, end = find_words(report, claim.quote, claim.start or 0) or (claim.start, claim.end)
            quote, entries = verdict.quote or "", filter(None, map(evidence.get, claim.sources))
            holds = (entry.id for entry in entries if any(has_words(text.text, quote) for text in entry.sources))
            place: dict[str, Any] = {"text": claim.claim, "start": start, "end": end}
            if (source := next(holds, None)) is not None:
                yield Finding(code=CONTRADICTED, severity="error", found=quote, evidence_id=source, **place)


async def _judge_answers(subject: Subject, judge_session: JudgeSession, answers: ReadAnswers) -> None:
    """Records what the shop's records contradict of what form makes certain, or of what this judge typed."""
    by_model, reason, failed = judges_reading(subject), READ_BY_RULES, ""
    typed = None if by_model is None else by_model.model_copy(update={"values": (), "spans": ()})
    contradicted, judged = list[Finding](), list[Verdict]()
    if judge_session.judge.ref.kind != "rule_based":
        with judge_session.sibling(READING, READING_VERSION) as reading_session:
            typed, failed = await read_by_judge(subject, answers, reading_session)
        typed = typed.model_copy(update={"picks": None if by_model is None else by_model.picks})
        said = [*map(repr, typed.values), *(typed.confirmed or ()), *typed.declined]
        reason = f"by the values {sha256_of(said)[:16]}"
        # What the prose of a record says is no field of it: the judge quotes it, in its verdict on the claim.
        judged, claims, of_claims = _followed(judge_session)
        if judged:
            reason += f", {of_claims}"
            contradicted += _contradicted(subject, claims.judged or (), judged)
    _record(subject, judge_session, _value(subject, typed, contradicted, judged), reason, failed)


def _statements(subject: Subject, values: Iterable[ReadValue]) -> Iterator[Statement]:
    """The values in words, those that are not true with what the tools had returned before."""
    steps = () if subject.run is None else subject.run.steps
    has_calls = any(step.kind == "tool" for step in steps)
    shown = [subject.with_records[key] for step in steps for key in step.evidence if key in subject.with_records]
    for value in values:
        is_true = value.state == "verified"
        titles = subject.shop.titles
        title = f"Order {value.of[2:]}" if value.of[:2] == "O:" else titles.get(product_of(value.of[2:]), value.of[2:])
        title = "Your shop's policy" if value.kind == "policy" else title
        is_asked = has_calls and not is_true
        tool, cause = cause_of(value, subject.case.report, title, shown) if is_asked else ("", None)
        record = value.derivation or ""
        yield Statement(value.start, value.end, value.kind, is_true, value.of, record, title, tool, cause)


def cause_of(value: ReadValue, text: str, title: str, shown: Iterable[Evidence]) -> tuple[str, Cause | None]:
    """What the assistant's own tools had returned of a false value, and why it is false, as far as that tells."""
    name = _OF_TOOLS.get(value.kind) or (re.compile(re.escape(value.field), re.I) if value.kind == "measure" else None)
    if name is None:
        return "", None
    of, titled = value.of.partition("/")[0], title.casefold()
    entries = [entry for entry in shown if entry.id == of or titled in (entry.title.casefold(), entry.key.casefold())]
    records = (record_of(source.text) or {} for entry in entries for source in entry.texts if source.shown)
    recorded = [
        f"{field}" for record in records for key, field in leaves(record) if name.search(key) and field is not None
    ]
    if not recorded:
        return "", None if entries else "not_looked"
    amounts, by_tool = (
        {amount.low for amount in find_amounts(words)} for words in (text[value.start : value.end], recorded[0])
    )
    return recorded[0], ("stale" if amounts & by_tool else "ignored") if amounts and by_tool else None


def _value(
    subject: Subject, by_model: Reading | None, by_judge: Sequence[Finding], judged: Sequence[Verdict] = ()
) -> dict[str, Any]:
    """A verdict's value: what is false, each of its kind, and how much was looked at, by code and by a judge; of
    answers that are held against a shop, also each statement that was looked at, and the figures that were not.
    """
    case, of_shop, confirmed = subject.case, dict[str, Any](), (by_model and by_model.confirmed) or ()
    reading = read_report(case, by_model)
    denied = [value for value in reading.values if value.denial in confirmed]
    if steady := steadiness(denied, case.report, judged):
        of_shop["shares"] = steady
    if subject.system.is_of_shop or subject.answers is not None:
        decided = [value for value in reading.values if value.state != "underivable"]
        contested = [value for value in reading.values if value.is_contested]
        looked_up = [entry for entry in subject.with_records.values() if entry.looked_up and (entry.url or entry.image)]
        of_shop |= {
            "read": [asdict(each) for each in _statements(subject, decided)],
            "contested": [asdict(each) for each in _statements(subject, contested)],
            "shown": {entry.id: [entry.url, entry.image] for entry in looked_up},
            "unread": [[span.start, span.end] for span in reading.unread],
        }
    of_code = [
        finding for finding in check_report(case, reading) if finding.code in OF_CODE and finding.severity == "error"
    ]
    met = ((statement, next((c for c in of_code if _meet(c, statement)), None)) for statement in by_judge)
    # Where code finds the same, the record's words are the ones that it compared.
    same = ((each, {} if c is None else {"found": c.found, "evidence_id": c.evidence_id}) for each, c in met)
    statements = each_once([*(each.model_copy(update=record) for each, record in same), *of_code])
    return {
        "statements": [statement.model_dump(mode="json", exclude_none=True) for statement in statements],
        # A judge's is of the kind that code finds in its words.
        "kinds": [
            next((kind_of_code(c.code) for c in of_code if c is statement or _meet(c, statement)), TEXT)
            for statement in statements
        ],
        "looked_at": reading.looked_at._asdict(),
        "declined": 0 if by_model is None else len(by_model.declined),
        "claims": sum((verdict.stage, verdict.state) == (SUPPORT, "scored") for verdict in judged),
        **of_shop,
    }


def _record(
    subject: Subject, judge_session: JudgeSession, value: dict[str, Any], reason: str, failed: str = ""
) -> None:
    """Records the verdict. Where the judge ``failed``, and why, it holds what code found all the same."""
    reason = failed or reason
    existing = judge_session.existing(STAGE, ITEM)
    stays = subject.store is None and existing is not None and existing.reason == reason
    state = "failed" if failed else "scored"
    judge_session.record_if_changed(STAGE, ITEM, CodeVerdict(state, value, reason, keeps_existing=stays))


def each_once(findings: Iterable[Finding]) -> list[Finding]:
    """The statements in text order. What code finds within one that is listed is the same statement.

    Two claims of a judge are two statements, even in the same words: they say different things.
    """
    statements: list[Finding] = []
    for finding in findings:
        if finding.code == CONTRADICTED or not any(_meet(finding, statement) for statement in statements):
            statements.append(finding)
    return sorted(statements, key=lambda statement: (statement.start is None, statement.start or 0))


def _meet(first: Finding, second: Finding) -> bool:
    if first.start is None or first.end is None or second.start is None or second.end is None:
        return (first.start, first.evidence_id, first.text) == (second.start, second.evidence_id, second.text)
    return first.start < second.end and second.start < first.end


def _values(subject: Subject, verdicts: Sequence[Verdict], _: Rules) -> list[Value]:
    verdict = next(iter(verdicts), None)
    if verdict is None or verdict.value is None:
        return all_lacking(verdict, VARIANTS)
    statements, looked = verdict.value["statements"], LookedAt(**verdict.value["looked_at"])
    as_answer = {AS_ANSWERS: 1.0} if "read" in verdict.value else {}
    found = {FALSE_ANSWERS: bool(statements), CONTESTED: bool(looked.contested)}
    if verdict.state == "failed":  # what code found stays found; how much else is false, nobody knows
        return [
            Value(variant, "scored", 1.0, as_answer) if found.get(variant) else no_value(variant, "failed")
            for variant in VARIANTS
        ]
    is_alone = subject.system.is_imported and not subject.system.is_of_shop and not (statements or looked.decided)
    if is_alone and not any(
        evidence.texts for evidence in subject.with_records.values()
    ):  # read last: evidence is large
        return [no_value(variant, "na", NO_SOURCE) for variant in VARIANTS]
    share = looked.decided / looked.numerals if looked.numerals else None
    checked = Value(
        CHECKED, "na" if share is None else "scored", share, looked._replace(contradicted=len(statements))._asdict()
    )
    of_contested = Value(CONTESTED, "scored", float(found[CONTESTED]), as_answer)
    is_read = looked.decided or any(verdict.value.get(name) for name in ("claims", "declined", "read"))
    if not (statements or is_read):
        known = [checked, *([of_contested] if looked.contested else [])]
        lacking = {*VARIANTS} - {value.variant for value in known}
        nothing = [no_value(variant, "na", NOTHING_READ) for variant in VARIANTS if variant in lacking]
        return [replace(value, items={**value.items, **as_answer}) for value in nothing] + known
    by_judge = sum(statement["code"] == CONTRADICTED for statement in statements)
    items = {"by the judge": float(by_judge), "by code alone": float(len(statements) - by_judge)}
    return [
        Value(FALSE_STATEMENTS, "scored", float(len(statements)), items),
        Value(FALSE_ANSWERS, "scored", float(found[FALSE_ANSWERS]), as_answer),
        of_contested,
        checked,
        Value(POWER, "na" if looked.power is None else "scored", looked.power),
        *(Value(name, "scored", float(verdict.value["kinds"].count(kind))) for kind, name in OF_KIND.items()),
    ]


DESCRIPTION = description_of("false_statements")
METRIC = Metric(FALSE_STATEMENTS, 6, judge, _values, VARIANTS, DESCRIPTION, rules=RULES, after=(FAITHFULNESS, READING))
