"""A judge's reading of a report: values from its claims, and picks where the agent declared none."""

from itertools import chain

from drretail.eval.faithfulness.claims import EXTRACT
from drretail.eval.faithfulness.claims import FAMILY as FAITHFULNESS
from drretail.eval.faithfulness.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.faithfulness.extraction import extract, told
from drretail.eval.faithfulness.typed_values import bare, find_quote, strange_ids, strange_quote
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.reading import Pick

FAMILY, VERSION = "reading", 2
STAGE, ITEM = "picks", "report"
BY_FORM = "a rule-based judge does not read: reports are read by form"
ARE_DECLARED = "the agent declared its picks"


class SaidPick(Record):
    product: str
    quantity: int
    alternatives: list[str]
    quote: str


class ReportPicks(Record):
    """What a report tells the shopper to buy."""

    picks: list[SaidPick]


def prompt() -> Prompt:
    return load_prompt(__file__, "picks")


async def judge_reading(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what the judge reads of a report, unless that stands already; its values stand with the claims."""
    if judge_session.judge.ref.kind == "rule_based":
        if judge_session.standing(STAGE, ITEM) is None:
            judge_session.record(STAGE, ITEM, "na", reason=BY_FORM)
        return
    with judge_session.beside(FAITHFULNESS, FAITHFULNESS_VERSION) as faithfulness:
        await extract(subject, faithfulness, EXTRACT)
    await judge_picks(subject, judge_session)


async def judge_picks(subject: Subject, judge_session: JudgeSession) -> None:
    """Records the picks that the judge reads; where they are declared nobody is asked."""
    if subject.run is not None and subject.run.picks is not None:
        if judge_session.standing(STAGE, ITEM) is None:
            judge_session.record(STAGE, ITEM, "na", reason=ARE_DECLARED)
        return
    if judge_session.standing(STAGE, ITEM, prompt().hash) is not None:
        return
    report, known = subject.report or "", frozenset(subject.evidence)
    if not report.strip():
        judge_session.record(STAGE, ITEM, "scored", [], prompt_hash=prompt().hash, reason="the report is empty")
        return
    given = {"query": tagged("query", subject.query.text), "report": tagged("report", report)}
    said = await judge_session.ask(
        STAGE, ITEM, prompt(), given, ReportPicks, lambda answer: _problem(answer, report, known)
    )
    picks = None if said.answer is None else [_as_pick(it, report) for it in said.answer.picks]
    value = None if picks is None else [it.model_dump(mode="json", exclude_none=True) for it in picks]
    judge_session.record(STAGE, ITEM, said.state, value, prompt_hash=said.prompt_hash, error=said.error)


def _as_pick(said: SaidPick, report: str) -> Pick:
    start, end = find_quote(report, said.quote) or (None, None)
    product = _product(said.product)
    others = tuple(it for it in map(_product, said.alternatives) if it != product)
    return Pick(product=product, quantity=said.quantity, alternatives=others, start=start, end=end)


def _problem(answer: ReportPicks, report: str, known: frozenset[str]) -> str | None:
    """What is wrong with an answer, told to the judge: strange ids, no quantity, quotes that don't occur."""
    named = chain.from_iterable((it.product, *it.alternatives) for it in answer.picks)
    problems = [*strange_ids((f"P:{_product(it)}" for it in named), report, known)]
    problems += [f"the quantity of {it.product} has to be 1 or more" for it in answer.picks if it.quantity < 1]
    problems += [problem for it in answer.picks for problem in strange_quote(it.quote, report)]
    return told(problems)


def _product(name: str) -> str:
    return bare(name).removeprefix("P:")
