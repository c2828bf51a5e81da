"""``drretail queries decide``: people or a model decide by records which products keep the demands of queries."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.api.option import Option
from drretail.api.worlds import open_world
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.queries.by_model import asking, in_own_words, journal_beside, named_writer, say_failures
from drretail.cli.spending import show_estimates, writing_document, writing_line
from drretail.errors import UserError
from drretail.files import write_atomically
from drretail.grounding.constraints.gold_files import write_with_gold
from drretail.progress import busy
from drretail.stats.raters import agreement_table
from drretail.tables.figures import counted
from drretail.tables.table import table_of
from drretail.viewer.output import print_json, print_rows, print_table, print_text, remark, say

if TYPE_CHECKING:
    from drretail.api.models import Spent, Writer
    from drretail.env.offers import Offers
    from drretail.querygen.decisions.answers import Settled
    from drretail.querygen.decisions.questions import HowDecided, Question
    from drretail.records.query import Query
    from drretail.tables.table import Table


@in_own_words
def decide(
    file: flags.QueryFile,
    calls: flags.Calls,
    planned: flags.Planned,
    output: flags.Output,
    world: flags.World = "demo",
    sheet: Annotated[
        list[Path] | None, Option("A sheet to write, or a filled one to read, named after its reader.", metavar="CSV")
    ] = None,
    model: Annotated[str | None, Option("The model that reads the records.", metavar="PROVIDER:MODEL")] = None,
    readers: Annotated[int, Option("How often the model reads; 2: in two orders.", metavar="1|2", min=1, max=2)] = 1,
    missing: Annotated[
        Path | None, Option("Also ask about the picks of an experiment, and renew its baskets.", metavar="EXP")
    ] = None,
) -> None:
    """Decides which products keep the demands of queries, by their records.

    FILE's decisions are kept beside it in NAME.gold.jsonl. Without --sheet and --model, shows how far FILE is decided.
    docs/queries.md explains the sheet. Exit code 3: readers disagree, or a model gave no usable answer.
    """
    from drretail.querygen.decisions.answers import dead_decisions, with_decisions
    from drretail.querygen.decisions.questions import questions_of
    from drretail.querygen.lint import Linter
    from drretail.querygen.reading import read_queries

    queries, sheets = read_queries(file), sheet or []
    reader = named_writer(model, calls, planned)
    if reader is None and readers > 1:
        raise UserError("--readers says how often a model reads: name it with --model.")
    if reader is not None and sheets:
        raise UserError("With --sheet people read the records, with --model a model does: call the command for each.")
    with open_world(world) as shop:
        linter = Linter(shop)
        linter.check_world(queries)  # in another world every decision would die
        offers = linter.stock.offers
        picks = {} if missing is None else _picks(missing, shop.manifest.fingerprint)
        with busy("looking up products"):
            questions = questions_of(queries, offers, picks)
        left = [question for question in questions if not question.is_decided]
        died = sum(len(dead_decisions(query, offers)) for query in queries)
        if sheets and not any(path.exists() for path in sheets):
            _write(sheets, left)
            return
        if reader is not None and planned.estimate:
            from drretail.llm.estimates import Estimates
            from drretail.querygen.by_model.decide import estimate_reading

            one = estimate_reading(left, readers, reader.model, journal_beside(file))
            title, what = f"Records to read for {file}", ("model", "batches")
            show_estimates(Estimates(title, [one], reader.prices, what), as_json=output.as_json)
            return
        outcome = _Outcome(file, world, questions, died)
        if sheets:
            _read(sheets, outcome, offers)
        elif reader is not None:
            _ask(reader, left, readers, calls, outcome)
        if outcome.settled is not None:
            queries = with_decisions(queries, questions, outcome.settled, offers)
            write_with_gold(queries, file)
            outcome.questions = questions_of(queries, offers, picks)
        if missing is not None:
            from drretail.experiment import renew_decisions

            outcome.renewed = renew_decisions(missing, queries, offers.reference)
    _print(outcome, queries, as_json=output.as_json)
    exit_code(len(outcome.disputed) + outcome.unanswered)


@dataclass(slots=True)
class _Outcome:
    """What one call found, and what it decided."""

    file: Path
    world: str
    questions: "Sequence[Question]"
    died: int
    """Decisions on a record that has changed or is gone, or on a demand that the query no longer has."""
    settled: "Settled | None" = None
    unanswered: int = 0
    failed: dict[str, str] = field(default_factory=dict[str, str])
    renewed: list[str] | None = None
    spent: "Spent | None" = None

    @property
    def disputed(self) -> "list[Question]":
        """The questions on which readers disagree."""
        disputed = {} if self.settled is None else self.settled.disputed
        return [question for question in self.questions if question.key in disputed]


def _picks(experiment: Path, fingerprint: str) -> dict[str, set[str]]:
    """The products that an experiment's runs picked, by query id. Raises UserError for one of another world."""
    from drretail.experiment import read_definition, read_runs

    made_on = read_definition(experiment).world_fingerprint
    if made_on != fingerprint:
        where = "without a world" if made_on is None else f"on the world {made_on[:12]}"
        raise UserError(f"{experiment} was made {where}, and this is {fingerprint[:12]}: name that world with --world.")
    picks: dict[str, set[str]] = {}
    for run in read_runs(experiment):
        picks.setdefault(run.query_id, set()).update(pick.product for pick in run.picks or ())
    return picks


def _write(sheets: Sequence[Path], left: "Sequence[Question]") -> None:
    """Writes the questions that are left into the one sheet that is named."""
    from drretail.querygen.decisions.spreadsheet import sheet_of

    if len(sheets) > 1:
        raise UserError(f"{sheets[0]} does not exist: name one sheet to write, or filled ones to read.")
    if not left:
        raise UserError("Every question about the products is decided: there is nothing to fill in.")
    write_atomically(sheets[0], sheet_of(left))
    typer.echo(
        f"{counted(len(left), 'question')} → {sheets[0]}; each reader fills in state and quote in a copy with their "
        "name, such as ann.csv, which --sheet ann.csv then reads."
    )


def _read(sheets: Sequence[Path], outcome: _Outcome, offers: "Offers") -> None:
    """Reads filled sheets, and writes a sheet of what their readers disagree on."""
    from drretail.querygen.decisions.answers import settle
    from drretail.querygen.decisions.spreadsheet import read_sheet, sheet_of

    names = [path.stem for path in sheets]
    if len(set(names)) < len(names):
        raise UserError(f"Two sheets have the name {max(names, key=names.count)}: name each after its reader.")
    filled = [read_sheet(path, outcome.questions, offers) for path in sheets]
    outcome.settled = settle([each.reading for each in filled])
    for path, each in zip(sheets, filled, strict=True):
        stale = f", about records that have changed or are asked no longer: {each.stale}" if each.stale else ""
        remark(f"Answers in {path}: {len(each.reading.answers)}, blank: {each.blank}{stale}.")
    if outcome.disputed:
        to = outcome.file.with_name(f"{outcome.file.stem}.differences.csv")
        if to.exists():
            say(f"{to} exists, and may be filled in: it is not written again.")
            return
        write_atomically(to, sheet_of(outcome.disputed, outcome.settled.disputed))
        read = " ".join(f"--sheet {path}" for path in sheets)
        say(f"{counted(len(outcome.disputed), 'difference')} → {to}; settle them there, then: {read} --sheet {to}")


def _ask(reader: "Writer", left: "Sequence[Question]", readers: int, calls: flags.Calls, outcome: _Outcome) -> None:
    """Has the model read the records; every call is kept in the journal beside the file."""
    from drretail.api.models import Spent
    from drretail.querygen.by_model.decide import calls_for, read_records
    from drretail.querygen.decisions.answers import settle

    with asking(reader, journal_beside(outcome.file), calls, calls_for(left, readers)) as (session, bar):
        read = read_records(left, session, readers, bar.advance)
    outcome.settled = settle(read.readings)
    outcome.unanswered, outcome.failed = read.unanswered, read.failed
    outcome.spent = Spent(reader, session.usage, session.served)


def demands_table(file: Path, demands: "Sequence[HowDecided]") -> "Table":
    """For each demand of a file's queries, how many candidates keep it, and who says so."""
    rows = [
        (
            *(each.query_id, each.want, each.demand),
            *(each.states.get(state) for state in ("met", "broken", "open")),
            ", ".join(f"{name} {count}" for name, count in sorted(each.by.items())),
            each.undecided or None,
        )
        for each in demands
    ]
    heads = ["query", "want", "demand", "met", "broken", "open", "decided by", "undecided"]
    return table_of(f"Products for {file}", heads, rows)


def how_to_decide(file: Path, world: str) -> str:
    """The command that has undecided records read."""
    command = f"drretail queries decide {file}" + ("" if world == "demo" else f" --world {world}")
    return f"Have the records read: {command} --model PROVIDER:MODEL, or --sheet records.csv for people."


def _print(outcome: _Outcome, queries: "Sequence[Query]", *, as_json: bool) -> None:
    from drretail.querygen.decisions.answers import died_line
    from drretail.querygen.decisions.questions import graded_line, how_decided

    demands = how_decided(outcome.questions)
    agreements = () if outcome.settled is None else outcome.settled.agreements
    if as_json:
        print_json(
            {
                "questions": len(outcome.questions),
                "undecided": sum(each.undecided for each in demands),
                "died": outcome.died,
                "disputed": [list(question.key) for question in outcome.disputed],
                "unanswered": outcome.unanswered,
                "failed": outcome.failed,
                **({} if outcome.renewed is None else {"renewed": outcome.renewed}),
                "agreement": [asdict(each) for each in agreements],
                "demands": [asdict(each) for each in demands],
                **writing_document(outcome.spent),
            }
        )
        return
    print_table(demands_table(outcome.file, demands))
    if outcome.disputed:
        disputed = outcome.settled.disputed if outcome.settled is not None else {}
        said = [
            (*question.key, ", ".join(f"{reader}: {answer.state}" for reader, answer in disputed[question.key].items()))
            for question in outcome.disputed
        ]
        print_rows("Readers disagree", ["query", "want", "demand", "product", "answers"], said)
    if agreements:
        print_table(agreement_table("Agreement", agreements, "questions", str))
    if outcome.spent:
        typer.echo(writing_line(outcome.spent))
    print_text(graded_line(queries, outcome.questions))
    if outcome.renewed is not None:
        typer.echo(f"Baskets renewed: {len(outcome.renewed)}. Score the experiment again.")
    if outcome.died:
        remark(died_line(outcome.died))
    if outcome.unanswered:
        remark(f"Questions without a usable answer: {outcome.unanswered}. They stay undecided.")
    say_failures(outcome.failed)
    undecided = sum(each.undecided for each in demands)
    if undecided and outcome.settled is None:
        remark(f"Undecided: {undecided}. {how_to_decide(outcome.file, outcome.world)}")
