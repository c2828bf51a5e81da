"""A reading model finds what questions limit and no wish says, and whether records state what a page is asked for."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal

from drretail.grounding.text.layout import find_sentences
from drretail.grounding.text.untrusted import harmless
from drretail.grounding.text.words import content_stems
from drretail.llm.prompt import load_prompt, tagged
from drretail.querygen.by_model.session import Answers, Ask, ModelSession, ask_all
from drretail.querygen.checks.case import QueryCase, finding
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.wish import Limit, spoken

SENTENCES = 60
"""The most sentences of records in one call: those that share most words with what pages say."""
clauses_prompt = partial(load_prompt, __file__, "clauses")


class Clause(Record):
    """A part of the question that rules something out."""

    quote: str
    limit: int
    kind: Literal["typed", "profile", "page", "untypable"]


class Stated(Record):
    """A sentence of a record that gives a page's advice."""

    limit: int
    quote: str


# Models read the first line of the class below.
class ClausesRead(Record):
    """What the question limits, and which limits records state."""

    clauses: tuple[Clause, ...]
    stated: tuple[Stated, ...]

    @property
    def findings(self) -> list[Finding]:
        """The clauses that no limit says, each with what would decide it."""
        return [finding("limit_not_typed", clause.quote, clause.kind) for clause in self.clauses if not clause.limit]


def read_clauses(
    cases: Sequence[QueryCase], session: ModelSession, on_end: Callable[[], object] = lambda: None
) -> Answers[ClausesRead]:
    """What the model reads in each query, by its id. Failures are counted, not raised."""
    return ask_all(session, map(_ask, cases), on_end)


def _ask(case: QueryCase) -> Ask[ClausesRead]:
    query, sentences = case.query, list(_sentences(case))
    limits = [] if query.wish is None else [*query.wish.every_limit]
    shown = "\n".join(f"{at}. {limit_line(limit)}" for at, limit in enumerate(limits, 1)) or "none"

    def check(read: ClausesRead) -> str | None:
        text, records = spoken(query.text), spoken("\n".join(sentences))
        faults = [f"{each.quote!r} is not in the question" for each in read.clauses if spoken(each.quote) not in text]
        faults += [f"{each.quote!r} is in no record" for each in read.stated if spoken(each.quote) not in records]
        numbers = {each.limit for each in (*read.clauses, *read.stated)} - {*range(len(limits) + 1)}
        faults += [f"there is no limit {number}" for number in sorted(numbers)]
        return "; ".join(faults) or None

    message = clauses_prompt().render(
        question=tagged("question", query.text), limits=shown, records=tagged("record", "\n".join(sentences))
    )
    return Ask(query.query_id, message, ClausesRead, check)


def limit_line(limit: Limit) -> str:
    """A limit with what decides it: "same size (Size): Small; rests on profile"."""
    field = f" ({limit.demand.field})" if limit.demand is not None and limit.demand.field else ""
    values = f": {' or '.join(map(harmless, limit.values))}" if limit.values else ""
    rests = ", ".join(dict.fromkeys(source.kind for source in limit.sources)) or "text"
    return f"{limit.name.replace('_', ' ')}{field}{values}; rests on {rests}"


def _sentences(case: QueryCase) -> Iterator[str]:
    """The sentences of the kinds' records that are nearest to what pages say of the limits."""
    wish = case.query.wish
    paged = [limit for limit in wish.every_limit if limit.rests_on("page")] if wish is not None else []
    asked = {*content_stems(" ".join(f"{limit.name} {' '.join(s.quote for s in limit.sources)}" for limit in paged))}
    products = (listing.product for _, listings in case.offered for listing in listings) if paged else ()
    texts = (text for product in products for text in (*product.features, *product.description))
    every = {text[part.start : part.end]: None for text in texts for part in find_sentences(text)}
    yield from sorted(every, key=lambda text: -len(asked & {*content_stems(text)}))[:SENTENCES]
