"""What a report tells its reader to buy, as a judge writes it down: with the claims, or in a question of its own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from drretail.eval.claims.copied_sources import SourceResolver
from drretail.eval.claims.typed_values import bare, find_quote, strange_ids, strange_quote
from drretail.eval.judging.subject import Subject
from drretail.prompts import load_prompt
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.reading import Pick

PROMPTS = str(Path(__file__).parents[1] / "families" / "reading" / "judge.py")
"""Their prompts are beside the judge of readings, under whose name users override them."""


class SaidPick(Record):
    product: str
    quantity: int
    alternatives: list[str]
    quote: str


class ReportPicks(Record):
    """What a report tells the shopper to buy."""

    picks: list[SaidPick]


def are_declared(subject: Subject) -> bool:
    return subject.run is not None and subject.run.picks is not None


def what_picks_are(*, is_imported: bool) -> str:
    """For prompts. Imported reports have no marks of ours, by whose ids their picks could be named."""
    return load_prompt(PROMPTS, "picked_elsewhere" if is_imported else "picked").text


class PickReader:
    """Reads the picks that a judge gives of one report."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence], *, is_imported: bool) -> None:
        self._report = report
        self._known = frozenset(evidence)
        self._resolver = SourceResolver(report, evidence) if is_imported else None

    def problems(self, picks: Sequence[SaidPick]) -> Iterator[str]:
        """What is wrong with picks, in words for the judge: strange ids, no quantity, quotes that don't occur."""
        yield from self._strange(chain.from_iterable((pick.product, *pick.alternatives) for pick in picks))
        yield from (f"the quantity of {pick.product} has to be 1 or more" for pick in picks if pick.quantity < 1)
        for pick in picks:
            yield from strange_quote(pick.quote, self._report)

    def read(self, picks: Iterable[SaidPick]) -> list[dict[str, object]]:
        """The picks as the value of a verdict."""
        return [self._pick(pick).model_dump(mode="json", exclude_none=True) for pick in picks]

    def _pick(self, pick_answer: SaidPick) -> Pick:
        start, end = find_quote(self._report, pick_answer.quote) or (None, None)
        product = self._product(pick_answer.product)
        others = tuple(other for other in map(self._product, pick_answer.alternatives) if other != product)
        return Pick(product=product, quantity=pick_answer.quantity, alternatives=others, start=start, end=end)

    def _strange(self, names: Iterable[str]) -> Iterator[str]:
        if self._resolver is None:
            yield from strange_ids((f"P:{_id(name)}" for name in names), self._report, self._known)
            return
        for name in dict.fromkeys(names):
            if not self._resolver.is_in_report(name):
                yield f"{name!r} does not stand in the report"

    def _product(self, name: str) -> str:
        """The product's id; of an imported report that of the source cited for it, else the report's own words."""
        cited = () if self._resolver is None else self._resolver.resolve([name]).sources
        return _id(cited[0] if cited else name)


def _id(name: str) -> str:
    return bare(name).removeprefix("P:")
