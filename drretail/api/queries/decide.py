"""``queries decide``: people or a model decide by records which products keep the demands of queries."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.api.models import Spent, Writer
from drretail.api.option import accepts
from drretail.api.options.queries import CheckOptions, DecideOptions
from drretail.api.options.shared import paths_in
from drretail.api.queries.writing import (
    asking,
    in_own_words,
    journal_beside,
    named_writer,
    on_failures,
)
from drretail.api.worlds import world_of
from drretail.errors import UserError
from drretail.experiment import read_definition, read_runs, renew_decisions
from drretail.files import write_atomically
from drretail.grounding.gold_files import write_with_gold
from drretail.progress import busy
from drretail.querygen.reading import read_queries
from drretail.records.query import Query
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Prose, Result
from drretail.records.tables.table import Table, table_of
from drretail.stats.agreement import agreement_table

if TYPE_CHECKING:
    from drretail.env.offers import Offers
    from drretail.env.world import World
    from drretail.querygen.decisions import HowDecided, Question, Settled


@accepts(DecideOptions)
@in_own_words
def decide(options: DecideOptions) -> "Result[Decided]":
    """How far the demands are decided, and by whom; the file's decisions are renewed.

    Raises UserError for sheets together with a model, and for an experiment of another world.
    """
    from drretail.querygen.decisions import questions_of, with_decisions

    sheets, file = paths_in(options.sheet), Path(options.file)
    reader = named_writer(options.model, options)
    if reader is None and options.repeats > 1:
        raise UserError("--repeats says how often a model reads: name it with --model.")
    if reader is not None and sheets:
        raise UserError("With --sheet people read the records, with --model a model does: call the command for each.")
    with world_of(options.world) as shop:
        decided, offers, picks = _asked(shop, options)
        if sheets and not any(path.exists() for path in sheets):
            return _write(sheets, decided)
        if sheets:
            _read(sheets, decided, offers)
        elif reader is not None:
            _ask(reader, decided, options)
        if decided.settled is not None:
            decided.queries = with_decisions(decided.queries, decided.questions, decided.settled, offers)
            write_with_gold(decided.queries, file)
            decided.questions = list(questions_of(decided.queries, offers, picks))
        if options.missing is not None:
            decided.renewed = renew_decisions(Path(options.missing), decided.queries)
    return Result(
        decided,
        _document(decided),
        [*_parts(decided)],
        notes=decided.notes,
        hints=[*_hints(decided, options)],
        left=len(decided.disputed) + decided.unanswered,
    )


def _asked(shop: "World", options: DecideOptions) -> "tuple[Decided, Offers, dict[str, set[str]]]":
    """The questions about products, the shop's offers, and the products that an experiment's runs picked."""
    from drretail.querygen.decisions import dead_decisions, questions_of
    from drretail.querygen.lint import Linter

    queries, linter = read_queries(Path(options.file)), Linter(shop)
    linter.check_world(queries)  # in another world every decision would die
    offers = linter.stock.offers
    picks: dict[str, set[str]] = {}
    if options.missing is not None:
        experiment, here = Path(options.missing), shop.manifest.fingerprint
        made_on = read_definition(experiment).world_fingerprint
        if made_on != here:
            where = "without a world" if made_on is None else f"on the world {made_on[:12]}"
            raise UserError(f"{experiment} was made {where}, and this is {here[:12]}: name that world with --world.")
        for run in read_runs(experiment):
            picks.setdefault(run.query_id, set()).update(pick.product for pick in run.picks or ())
    with busy("looking up products"):
        questions = list(questions_of(queries, offers, picks))
    died = sum(len(dead_decisions(query, offers)) for query in queries)
    return Decided(Path(options.file), queries, questions, died), offers, picks


@dataclass(slots=True)
class Decided:
    """What one call found, and what it decided."""

    file: Path
    queries: Sequence[Query]
    questions: "Sequence[Question]"
    died: int
    """Decisions on a record that has changed or is gone, or on a demand that the query no longer has."""
    settled: "Settled | None" = None
    unanswered: int = 0
    failed: dict[str, str] = field(default_factory=dict[str, str])
    renewed: list[str] | None = None
    spent: Spent | None = None
    notes: list[str] = field(default_factory=list[str])
    """Sentences on the sheets that were read, and on what is to be settled."""

    @property
    def undecided(self) -> "list[Question]":
        return [question for question in self.questions if not question.is_decided]

    @property
    def disputed(self) -> "list[Question]":
        """The questions on which readers disagree."""
        disputed = {} if self.settled is None else self.settled.disputed
        return [question for question in self.questions if question.key in disputed]


def _write(sheets: Sequence[Path], decided: Decided) -> Result[Decided]:
    """Writes the undecided questions into the one sheet that is named."""
    from drretail.querygen.decisions import sheet_of

    left = decided.undecided
    if len(sheets) > 1:
        raise UserError(f"{sheets[0]} does not exist: name one sheet to write, or filled ones to read.")
    if not left:
        raise UserError("Every question about the products is decided: there is nothing to fill in.")
    write_atomically(sheets[0], sheet_of(left))
    line = (
        f"{counted(len(left), 'question')} → {sheets[0]}. Each reader copies it under a name, such as ann.csv, and "
        "fills in state and quote. Then give --sheet ann.csv."
    )
    return Result(decided, {"questions": len(left), "file": str(sheets[0])}, [line], path=sheets[0])


def _read(sheets: Sequence[Path], decided: Decided, offers: "Offers") -> None:
    """Reads filled sheets, and writes a sheet of what their readers disagree on."""
    from drretail.querygen.decisions import read_sheet, settle, sheet_of

    names = [path.stem for path in sheets]
    if len(set(names)) < len(names):
        raise UserError(f"Two sheets have the name {max(names, key=names.count)}: name each after its reader.")
    filled = [read_sheet(path, decided.questions, offers) for path in sheets]
    decided.settled = settle([each.reading for each in filled])
    for path, each in zip(sheets, filled, strict=True):
        stale = f", about records that have changed or are asked no longer: {each.stale}" if each.stale else ""
        decided.notes.append(f"Answers in {path}: {len(each.reading.answers)}, blank: {each.blank}{stale}.")
    if decided.disputed:
        to = decided.file.with_name(f"{decided.file.stem}.differences.csv")
        if to.exists():
            decided.notes.append(f"{to} exists, and may be filled in: it is not written again.")
            return
        write_atomically(to, sheet_of(decided.disputed, decided.settled.disputed))
        read = " ".join(f"--sheet {path}" for path in sheets)
        differences = counted(len(decided.disputed), "difference")
        decided.notes.append(f"{differences} → {to}; settle them there, then: {read} --sheet {to}")


def _ask(reader: Writer, decided: Decided, options: DecideOptions) -> None:
    """Has the model read the records; every call is kept in the journal beside the file."""
    from drretail.querygen.by_model.reader import calls_for, read_records
    from drretail.querygen.decisions import settle

    left, times = decided.undecided, options.repeats
    with asking(reader, journal_beside(decided.file), options, calls_for(left, times)) as (session, bar):
        read = read_records(left, session, times, bar.advance)
    decided.settled = settle(read.readings)
    decided.unanswered, decided.failed = read.unanswered, read.failed
    decided.spent = Spent(reader, session.usage, session.served)


def demands_table(file: Path, demands: "Sequence[HowDecided]") -> Table:
    """For each demand of a file's queries, how many candidates keep it, and who says so."""
    rows = [
        (
            *(each.query_ids[0], each.want, each.demand),
            *(each.states.get(state) for state in ("met", "broken", "open")),
            ", ".join(f"{name} {count}" for name, count in sorted(each.by.items())),
            each.undecided or None,
        )
        for each in demands
    ]
    heads = ["query", "want", "demand", "met", "broken", "open", "decided by", "undecided"]
    return table_of(f"Products for {file}", heads, rows)


def how_to_decide(options: CheckOptions | DecideOptions) -> str:
    """The command that has undecided records read."""
    world = "" if options.world == "demo" else f" --world {options.world}"
    command = f"drretail queries decide {options.file}{world}"
    return f"Have the records read: {command} --model PROVIDER:MODEL, or --sheet records.csv for people."


def _document(decided: Decided) -> dict[str, Any]:
    from drretail.querygen.decisions import how_decided

    demands = how_decided(decided.questions)
    return {
        "questions": len(decided.questions),
        "undecided": sum(each.undecided for each in demands),
        "died": decided.died,
        "disputed": [list(question.key) for question in decided.disputed],
        "unanswered": decided.unanswered,
        "failed": decided.failed,
        **({} if decided.renewed is None else {"renewed": decided.renewed}),
        "agreement": [] if decided.settled is None else [asdict(each) for each in decided.settled.agreements],
        "demands": [each.document for each in demands],
        **({} if decided.spent is None else decided.spent.document),
    }


def _parts(decided: Decided) -> Iterator[Table | str]:
    from drretail.querygen.decisions import graded_line, how_decided

    demands = how_decided(decided.questions)
    if demands:
        yield demands_table(decided.file, demands)
    if decided.settled is not None and decided.disputed:
        disputed = decided.settled.disputed
        rows = [
            (*question.key, ", ".join(f"{reader}: {answer.state}" for reader, answer in disputed[question.key].items()))
            for question in decided.disputed
        ]
        yield table_of("Readers disagree", ["query", "want", "demand", "product", "answers"], rows)
    if decided.settled is not None and decided.settled.agreements:
        yield agreement_table("Agreement", decided.settled.agreements, "questions", str)
    if decided.spent:
        yield decided.spent.line
    yield Prose(graded_line(decided.queries, demands))
    if decided.renewed is not None:
        yield f"Baskets renewed: {len(decided.renewed)}. Score the experiment again."


def _hints(decided: Decided, options: DecideOptions) -> Iterator[str]:
    from drretail.querygen.decisions import died_line

    if decided.died:
        yield died_line(decided.died)
    if decided.unanswered:
        yield f"Questions without a usable answer: {decided.unanswered}. They stay undecided."
    yield from on_failures(decided.failed)
    if decided.spent is not None:
        yield from decided.spent.on_prices
    undecided = len(decided.undecided)
    if undecided and decided.settled is None:
        yield f"Undecided: {undecided}. {how_to_decide(options)}"
