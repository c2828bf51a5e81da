"""What a report tells the shopper to buy, as a judge reads it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from drretail.eval.claims.report_index import SourceResolver
from drretail.eval.claims.typed_values import PROMPTS, bare, strange_ids
from drretail.eval.judging.subject import Subject
from drretail.llm.prompt import load_prompt
from drretail.records.base import Record
from drretail.records.evidence import Evidence
from drretail.records.reading import Pick
from drretail.records.shop import product_of
from drretail.reports.text.quotes import find_words, has_words


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
    """The definition of picks for prompts. Imported reports lack our marks, by whose ids picks could be named."""
    return load_prompt(PROMPTS, "picked_elsewhere" if is_imported else "picked").text


class PickReader:
    """Reads the picks that a judge gives for one report."""

    def __init__(self, report: str, evidence: Mapping[str, Evidence], *, is_imported: bool) -> None:
        self._report = report
        self._known = frozenset(evidence)
        self._resolver = SourceResolver(report, evidence) if is_imported else None

    def problems(self, picks: Sequence[SaidPick]) -> Iterator[str]:
        """What is wrong with picks, in words for the judge: unknown ids, no quantity, quotes that don't occur."""
        names = dict.fromkeys(name for pick in picks for name in (pick.product, *pick.alternatives))
        if self._resolver is None:
            ids = (f"P:{product_of(bare(name).removeprefix('P:'))}" for name in names)
            yield from strange_ids(ids, self._report, self._known)
        else:
            strange = (name for name in names if not self._resolver.is_in_report(name))
            yield from (f"{name!r} does not stand in the report" for name in strange)
        yield from (f"the quantity of {pick.product} has to be 1 or more" for pick in picks if pick.quantity < 1)
        quotes = (pick.quote for pick in picks if not has_words(self._report, pick.quote))
        yield from (f"the quote {quote!r} does not stand in the report: copy it exactly" for quote in quotes)

    def read(self, picks: Iterable[SaidPick]) -> list[dict[str, object]]:
        """The picks as the value of a verdict. Those of an imported report are the sources cited for them, else the
        report's own words.
        """
        value: list[dict[str, object]] = []
        for item in picks:
            names = (item.product, *item.alternatives)
            cited = [() if self._resolver is None else self._resolver.resolve([name]).sources for name in names]
            meant = (ids[0] if ids else name for name, ids in zip(names, cited, strict=True))
            product, *others = (bare(name).removeprefix("P:") for name in meant)
            start, end = find_words(self._report, item.quote) or (None, None)
            alternatives = tuple(other for other in others if other != product)
            pick = Pick(product=product, quantity=item.quantity, alternatives=alternatives, start=start, end=end)
            value.append(pick.model_dump(mode="json", exclude_none=True))
        return value
