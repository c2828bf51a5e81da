"""A judge's reading of a report: values from its claims, and picks where the agent declared none."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from drretail.eval.claims.claims import EXTRACT
from drretail.eval.claims.claims import FAMILY as FAITHFULNESS
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.copied_sources import SourceResolver
from drretail.eval.claims.extraction import extract, told
from drretail.eval.claims.typed_values import bare, find_quote, strange_ids, strange_quote
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.reading import Pick
from drretail.records.run import System

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


def prompt(system: System) -> Prompt:
    """Imported reports have no marks of ours, by whose ids their picks could be named."""
    return load_prompt(__file__, "picks_elsewhere" if system.is_imported else "picks")


def prompts() -> tuple[Prompt, ...]:
    return load_prompt(__file__, "picks"), load_prompt(__file__, "picks_elsewhere")


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
    report = subject.report or ""
    asked = prompt(subject.system)
    if not report.strip():
        if judge_session.standing(STAGE, ITEM, asked.hash) is None:
            judge_session.record(STAGE, ITEM, "scored", [], prompt_hash=asked.hash, reason="the report is empty")
        return
    given = {"query": tagged("query", subject.query.text), "report": tagged("report", report)}
    naming = _Naming(report, subject.evidence, is_imported=subject.system.is_imported)

    def read(answer: ReportPicks) -> Ruling:
        picks = (_as_pick(it, report, naming) for it in answer.picks)
        return Ruling([it.model_dump(mode="json", exclude_none=True) for it in picks])

    def check(answer: ReportPicks) -> str | None:
        return _problem(answer, report, naming)

    await judge_session.ask_and_record(JudgeQuestion(STAGE, ITEM, asked, given, ReportPicks, read, check))


class _Naming:
    """How a judge names products of one report."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence], *, is_imported: bool) -> None:
        self._report = report
        self._known = frozenset(evidence)
        self._resolver = SourceResolver(report, evidence) if is_imported else None

    def strange(self, names: Iterable[str]) -> Iterator[str]:
        """What is wrong with names, in words for the judge."""
        if self._resolver is None:
            yield from strange_ids((f"P:{_product(it)}" for it in names), self._report, self._known)
            return
        for name in dict.fromkeys(names):
            if not self._resolver.is_in_report(name):
                yield f"{name!r} does not stand in the report"

    def product(self, name: str) -> str:
        """The product's id; of an imported report that of the source cited for it, else the report's own words."""
        cited = () if self._resolver is None else self._resolver.resolve([name]).sources
        return _product(cited[0] if cited else name)


def _as_pick(said: SaidPick, report: str, naming: _Naming) -> Pick:
    start, end = find_quote(report, said.quote) or (None, None)
    product = naming.product(said.product)
    others = tuple(it for it in map(naming.product, said.alternatives) if it != product)
    return Pick(product=product, quantity=said.quantity, alternatives=others, start=start, end=end)


def _problem(answer: ReportPicks, report: str, naming: _Naming) -> str | None:
    """What is wrong with an answer, told to the judge: strange ids, no quantity, quotes that don't occur."""
    problems = [*naming.strange(chain.from_iterable((it.product, *it.alternatives) for it in answer.picks))]
    problems += [f"the quantity of {it.product} has to be 1 or more" for it in answer.picks if it.quantity < 1]
    problems += [problem for it in answer.picks for problem in strange_quote(it.quote, report)]
    return told(problems)


def _product(name: str) -> str:
    return bare(name).removeprefix("P:")
