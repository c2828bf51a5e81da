"""``queries check``: what is wrong with queries."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.api.models import Spent
from drretail.api.option import accepts
from drretail.api.options.queries import CheckOptions
from drretail.api.queries.decide import demands_table, how_to_decide
from drretail.api.queries.query_sets import on_types, typed_by_model, types_line
from drretail.api.queries.writing import asking, in_own_words, journal_beside, named_writer, on_failures, shares_in
from drretail.api.worlds import world_of
from drretail.experiments.query_files import gold_file, write_gold, write_with_gold
from drretail.querygen.reading import TypedQueries, read_queries
from drretail.records.account import Account
from drretail.records.criteria import NEEDS, NeedOf, NeedProof, Share
from drretail.records.figures import NOTHING, counted, number
from drretail.records.query import Query
from drretail.reports.text.wording import format_amount
from drretail.viewer.drawing.progress import busy
from drretail.viewer.drawing.result import Prose, Result, prose
from drretail.viewer.drawing.table import Table, table_of

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.llm.registry import Model
    from drretail.querygen.by_model.second import SecondTyping
    from drretail.querygen.by_model.session import Answers
    from drretail.querygen.decisions import HowDecided
    from drretail.querygen.lint import CheckedQuery, Linter


@accepts(CheckOptions)
@in_own_words
def check(options: CheckOptions) -> "Result[_Outcome]":
    """The findings on each query. A model's wishes are added to the file, and its calls are in a journal beside it."""
    from drretail.querygen.decisions import dead_decisions, how_far_decided
    from drretail.querygen.lint import Linter

    queries, needs = read_queries(Path(options.file)), shares_in(options.needs)
    reader = named_writer(options.model, options)
    with world_of(options.world) as shop:
        linter = Linter(shop)
        outcome = _Outcome(queries, needs)
        if reader is not None and outcome.untyped:
            file = Path(options.file)
            outcome.types, outcome.typing = typed_by_model(shop, linter, file, queries, reader, options)
            outcome.queries = outcome.types.queries
            write_with_gold(outcome.queries, file)
        with busy("checking queries", len(outcome.queries)) as bar:
            outcome.checked = linter.check_all(outcome.queries, bar.advance)
            outcome.queries = [linter.with_needs(query) for query in outcome.queries]
            outcome.demands = how_far_decided(outcome.queries, linter.stock.offers)
            outcome.died = sum(len(dead_decisions(query, linter.stock.offers)) for query in outcome.queries)
        if reader is not None:
            _read_again(outcome, shop, linter, reader, options)
    if (file := gold_file(Path(options.file))).exists() and file.suffix != ".gz":
        write_gold(outcome.queries, file)
    parts, hints = [*_parts(outcome, options)], [*_hints(outcome, options)]
    return Result(
        outcome, _document(outcome), parts, hints=hints, left=int(outcome.is_wrong), accounts=[outcome.account]
    )


@dataclass(slots=True)
class _Outcome:
    """The results of one check."""

    queries: Sequence[Query]
    needs: Sequence[Share] = ()
    """What shares of the queries are to need."""
    types: TypedQueries | None = None
    typing: Spent | None = None
    """What the model's wishes took."""
    checked: "Sequence[CheckedQuery]" = ()
    demands: "Sequence[HowDecided]" = ()
    died: int = 0
    read: "Answers[SecondTyping] | None" = None
    """What the model read of limits; None if none was asked."""
    reading: Spent | None = None

    @property
    def lucky(self) -> list[str]:
        """A sentence for each source without which the queries are answered by luck too often, and for each part of
        them that is smaller than it is to be.
        """
        from drretail.eval.numbers.facts import need_floors  # loads what scores numbers
        from drretail.querygen.proofs import MOST_LUCK

        floors = {floor.name: floor.at_most for floor in need_floors(self.queries)}
        of_all = {need for each in self.needs if each.share == 1 for need in each.needs}
        luck = {name: floors.get(name, 1.0) for name in (f"without the {of}" for of in NEEDS if of in of_all)}
        proved = [{*query.needs.proved} if query.needs else set[NeedOf]() for query in self.queries]
        parts = [(each, sum(map(each.needs.issubset, proved))) for each in self.needs if each.share < 1]
        return [
            f"Mean luck {name} is {number(value)}, and at most 1/3 was asked for: 1 counts each query that does not "
            "need it."
            for name, value in luck.items()
            if value > MOST_LUCK
        ] + [
            f"{count} of {len(proved)} need {each}, and {number(each.share)} of them was asked for."
            for each, count in parts
            if count < each.share * len(proved)
        ]

    @property
    def codes(self) -> list[tuple[str, int]]:
        """How often each code was found, the most frequent first, ties by name."""
        counts = Counter(finding.code for entry in self.checked for finding in entry.findings)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    @property
    def account(self) -> Account:
        """The queries that were checked whole."""
        account = Account("queries check", "query")
        for entry in self.checked:
            account.take()
            if entry.query.wish is None:
                account.leave_out("without a wish, so that what it wants was not checked", entry.query.query_id)
            else:
                account.use()
        return account

    @property
    def untyped(self) -> int:
        return sum(query.wish is None for query in self.queries)

    @property
    def is_wrong(self) -> bool:
        is_left = self.types is not None and bool(self.types.wrong)
        has_failed = self.read is not None and bool(self.read.failed)
        return is_left or has_failed or bool(self.lucky) or any(entry.findings for entry in self.checked)


def _read_again(outcome: _Outcome, shop: "World", linter: "Linter", reader: "Model", options: CheckOptions) -> None:
    """Has the model type the texts again, and find whether records state what pages are asked for."""
    from drretail.querygen.by_model.prompt import PromptBuilder
    from drretail.querygen.by_model.second import ask_again, differences
    from drretail.querygen.by_model.session import ask_all
    from drretail.querygen.proofs import as_read

    asked = [entry for entry in outcome.checked if entry.query.wish is not None]
    with asking(reader, journal_beside(Path(options.file)), options, len(asked)) as (session, bar):
        prompts = PromptBuilder(shop, linter)
        outcome.read = ask_all(session, [ask_again(entry.query, prompts) for entry in asked], bar.advance)
    outcome.reading = Spent(reader, session.usage, session.served)
    found, by = outcome.read.found, f"model:{session.model.spec}"
    outcome.checked = [
        replace(entry, findings=(*entry.findings, *differences(entry.query, found[entry.query.query_id], linter)))
        if entry.query.query_id in found
        else entry
        for entry in outcome.checked
    ]
    outcome.queries = [
        as_read(query, by, is_stated=bool(found[query.query_id].stated)) if query.query_id in found else query
        for query in outcome.queries
    ]


def _document(outcome: _Outcome) -> dict[str, Any]:
    """The findings and baskets of each query, for ``--json``."""
    from drretail.querygen.lint import CODES

    rows: list[dict[str, Any]] = []
    for entry, query in zip(outcome.checked, outcome.queries, strict=True):
        basket, shown = entry.reference.cheapest, None
        if basket is not None:
            names = ("thing", "product_id", "price", "quantity")
            picks = [{name: getattr(item, name) for name in names} for item in basket.items]
            shown = {"total": basket.total.amount, "currency": basket.total.currency, "picks": picks}
        findings = [
            finding.model_dump(mode="json") | {"to_do": CODES[finding.code].remedy} for finding in entry.findings
        ]
        needs = None if query.needs is None else query.needs.model_dump(mode="json")
        rows.append({"query_id": entry.query.query_id, "basket": shown, "needs": needs, "findings": findings})
    return {
        "ok": not outcome.codes,
        "codes": dict(outcome.codes),
        "untyped": outcome.untyped,
        "died": outcome.died,
        "demands": [demand.document for demand in outcome.demands],
        "failed": outcome.types.failed if outcome.types else {},
        **({} if outcome.typing is None else outcome.typing.document),
        "queries": rows,
    }


def _parts(outcome: _Outcome, options: CheckOptions) -> Iterator[Table | str]:
    from drretail.querygen.checks.feasibility import cheapest_line
    from drretail.querygen.decisions import decided_line
    from drretail.querygen.lint import CODES

    if options.details:
        budgets = [entry.query.wish.budget if entry.query.wish else None for entry in outcome.checked]
        baskets = [
            (entry.query.query_id, None if budget is None else format_amount(budget), cheapest_line(entry.reference))
            for entry, budget in zip(outcome.checked, budgets, strict=True)
        ]
        yield table_of("The cheapest basket that keeps to each query", ["query", "budget", "basket"], baskets)
    rows = [
        (entry.query.query_id, finding.code, finding.text, finding.found, CODES[finding.code].remedy)
        for entry in outcome.checked
        for finding in entry.findings
    ]
    if rows:
        yield table_of(f"Queries {options.file}", ["query", "what", "where", "found", "to do"], rows)
    if options.details:
        yield demands_table(Path(options.file), outcome.demands)
    if needs := [*_needs(outcome.queries)]:
        from drretail.querygen.proofs import LETTERS

        yield table_of("What the answers need", ["query", *NEEDS], needs, notes=[LETTERS])
    elif any(query.wants_something for query in outcome.queries):
        yield Prose("No limit rests on the shopper's record or on a page: no query needs more than the shop.")
    yield from prose(*outcome.lucky)
    whole = sum(not entry.findings for entry in outcome.checked)
    counts = ", ".join(f"{code} {count}" for code, count in outcome.codes)
    if counts:
        yield f"{whole} of {counted(len(outcome.checked), 'query')} without a finding; {counts}"
    elif not outcome.lucky:
        yield outcome.account.praise("no fault was found")
    infeasible = sum(bool(query.infeasible) for query in outcome.queries)
    if infeasible:
        yield f"Made so that the shop can't satisfy them: {infeasible}"
    if outcome.demands:
        yield Prose(decided_line(outcome.queries, outcome.demands))


def _needs(queries: Sequence[Query]) -> Iterator[Sequence[str]]:
    """A row for each query with a limit that rests on record or web: its luck without, and what is not proved."""
    from drretail.querygen.proofs import proof_in_words

    for query in queries:
        proofs: dict[NeedOf, NeedProof | None] = {name: getattr(query.needs, name, None) for name in NEEDS}
        if any(proofs.values()):
            yield query.query_id, *(proof_in_words(name, of) if of else NOTHING for name, of in proofs.items())


def _hints(outcome: _Outcome, options: CheckOptions) -> Iterator[str]:
    from drretail.querygen.decisions import died_line

    if outcome.read is None:
        yield "Limits that no wish says, and records that say what pages do, were not looked for: name a --model."
    else:
        yield from on_failures(outcome.read.failed)
    if outcome.reading is not None:
        yield outcome.reading.line
    if outcome.types is not None:
        yield f"Wishes of {options.file}{types_line(outcome.types, outcome.typing)}"
        yield from on_types(outcome.types, outcome.typing)
    if any(demand.undecided for demand in outcome.demands):
        yield f"The rest stays open. {how_to_decide(options)}"
    if outcome.died:
        yield died_line(outcome.died)
    if outcome.untyped:
        yield (
            f"Without a wish: {outcome.untyped} of {counted(len(outcome.checked), 'query')}. What these want was not "
            "checked. Name a --model that writes them, or fill in `wish` by hand (docs/queries.md)."
        )
