"""``queries decide``: fields and a model decide by records which products keep the demands of queries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.api.models import Spent
from drretail.api.option import accepts
from drretail.api.options.queries import CheckOptions, DecideOptions
from drretail.api.queries.writing import asking, in_own_words, journal_beside, named_writer, on_failures
from drretail.api.worlds import world_of
from drretail.experiments.query_files import write_with_gold
from drretail.querygen.reading import check_made_for, read_queries
from drretail.records.account import Account
from drretail.records.query import Query
from drretail.viewer.drawing.progress import busy
from drretail.viewer.drawing.result import Prose, Result
from drretail.viewer.drawing.table import Table, table_of

if TYPE_CHECKING:
    from drretail.env.offers import Offers
    from drretail.env.world import World
    from drretail.llm.registry import Model
    from drretail.querygen.decisions import DemandQuestion, HowDecided


@accepts(DecideOptions)
@in_own_words
def decide(options: DecideOptions) -> "Result[_Decided]":
    """How far the demands are decided, and by whom; the file's decisions are renewed."""
    from drretail.querygen.decisions import questions_of

    reader = named_writer(options.model, options)
    with world_of(options.world) as shop:
        decided, offers = _asked(shop, options)
        if reader is not None:
            _ask(reader, decided, options, offers)
            decided.questions = list(questions_of(decided.queries, offers))
    return Result(
        decided,
        _document(decided),
        [*_parts(decided)],
        hints=[*_hints(decided, options)],
        left=decided.unanswered,
        accounts=[decided.account] if decided.questions else [],  # else there is no demand
    )


def _asked(shop: "World", options: DecideOptions) -> "tuple[_Decided, Offers]":
    """The questions about products, and the shop's offers."""
    from drretail.env.offers import Offers
    from drretail.querygen.decisions import dead_decisions, questions_of

    queries, offers = read_queries(Path(options.file)), Offers(shop)
    check_made_for(queries, shop.manifest.fingerprint)  # in another world every decision would die
    with busy("looking up products"):
        questions = list(questions_of(queries, offers))
    died = sum(len(dead_decisions(query, offers)) for query in queries)
    return _Decided(Path(options.file), queries, questions, died), offers


@dataclass(slots=True)
class _Decided:
    """What one call found, and what it decided."""

    file: Path
    queries: Sequence[Query]
    questions: "Sequence[DemandQuestion]"
    died: int
    """Decisions on a record that has changed or is gone, or on a demand that the query no longer has."""
    unanswered: int = 0
    """Questions to which the model gave no usable answer."""
    failed: dict[str, str] = field(default_factory=dict[str, str])
    spent: Spent | None = None
    """What the model took; None if none was asked."""

    @property
    def account(self) -> Account:
        """The questions whether a product keeps a demand. Open ones that no model was asked about are no failure."""
        account = Account("queries decide", "question")
        for question in self.questions:
            account.take()
            if question.is_decided:
                account.use()
            elif self.spent is None:
                account.leave_out("open: no field decides it, and no model was named", question.query.query_id)
            else:
                account.leave_out("open: the model gave no usable answer", question.query.query_id, failed=True)
        return account

    @property
    def undecided(self) -> "list[DemandQuestion]":
        return [question for question in self.questions if not question.is_decided]


def _ask(reader: "Model", decided: _Decided, options: DecideOptions, offers: "Offers") -> None:
    """Has the model read the records, and writes its decisions; every call is kept in the journal beside the file."""
    from drretail.querygen.by_model.reader import calls_for, read_records
    from drretail.querygen.decisions import with_decisions

    left = decided.undecided
    with asking(reader, journal_beside(decided.file), options, calls_for(left)) as (session, bar):
        read = read_records(left, session, bar.advance)
    by = f"model:{session.model.spec}"
    decided.queries = with_decisions(decided.queries, left, read.answers, by, offers)
    write_with_gold(decided.queries, decided.file)
    decided.unanswered, decided.failed = len(left) - len(read.answers), read.failed
    decided.spent = Spent(reader, session.usage, session.served)


def demands_table(file: Path, demands: "Sequence[HowDecided]") -> Table:
    """For each demand of a file's queries, how many candidates keep it, and who says so."""
    rows = [
        (
            *(row.query_id, row.want, row.demand),
            *(row.states.get(state) for state in ("met", "broken", "open")),
            ", ".join(f"{name} {count}" for name, count in sorted(row.by.items())),
            row.undecided or None,
        )
        for row in demands
    ]
    heads = ["query", "want", "demand", "met", "broken", "open", "decided by", "undecided"]
    return table_of(f"Products for {file}", heads, rows)


def how_to_decide(options: CheckOptions | DecideOptions) -> str:
    """The command that has undecided records read."""
    world = "" if options.world == "demo" else f" --world {options.world}"
    command = f"drretail queries decide {options.file}{world}"
    return f"Have the records read: {command} --model PROVIDER:MODEL."


def _document(decided: _Decided) -> dict[str, Any]:
    from drretail.querygen.decisions import how_decided

    demands = how_decided(decided.questions)
    return {
        "questions": len(decided.questions),
        "undecided": sum(demand.undecided for demand in demands),
        "died": decided.died,
        "unanswered": decided.unanswered,
        "failed": decided.failed,
        "demands": [demand.document for demand in demands],
        **({} if decided.spent is None else decided.spent.document),
    }


def _parts(decided: _Decided) -> Iterator[Table | str]:
    from drretail.querygen.decisions import decided_line, how_decided

    demands = how_decided(decided.questions)
    if demands:
        yield demands_table(decided.file, demands)
    if decided.spent:
        yield decided.spent.line
    yield Prose(decided_line(decided.queries, demands))


def _hints(decided: _Decided, options: DecideOptions) -> Iterator[str]:
    from drretail.querygen.decisions import died_line

    if decided.died:
        yield died_line(decided.died)
    if decided.unanswered:
        yield f"Questions without a usable answer: {decided.unanswered}. They stay undecided."
    yield from on_failures(decided.failed)
    if decided.spent is not None:
        yield from decided.spent.on_prices
    undecided = len(decided.undecided)
    if undecided and decided.spent is None:
        yield f"Undecided: {undecided}. {how_to_decide(options)}"
