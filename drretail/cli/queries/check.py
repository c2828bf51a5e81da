"""``drretail queries check``: what is wrong with queries."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.api.option import Option
from drretail.api.worlds import open_world
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.queries.by_model import asking, in_own_words, journal_beside, named_writer, say_failures
from drretail.cli.queries.decide import demands_table, how_to_decide
from drretail.cli.queries.questions import typed_by_model, types_line
from drretail.cli.queries.review import Reviewer, review
from drretail.cli.spending import show_estimates, writing_document, writing_line
from drretail.grounding.constraints.gold_files import write_with_gold
from drretail.progress import busy
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_rows, print_table, print_text, remark

if TYPE_CHECKING:
    from drretail.api.models import Spent, Writer
    from drretail.env.world import World
    from drretail.querygen.by_model.opinion import Opinion
    from drretail.querygen.by_model.session import Answers
    from drretail.querygen.decisions.questions import Question
    from drretail.querygen.importing import TypedQueries
    from drretail.querygen.lint import Checked, Linter
    from drretail.records.evidence import Finding
    from drretail.records.query import Query


@in_own_words
def check(
    file: flags.QueryFile,
    calls: flags.Calls,
    planned: flags.Planned,
    output: flags.Output,
    world: flags.World = "demo",
    model: Annotated[
        str | None, Option("The model that writes missing wishes and judges the queries.", metavar="PROVIDER:MODEL")
    ] = None,
    baskets: Annotated[bool, Option("Show each query's cheapest basket.")] = False,
    demands: Annotated[bool, Option("Show who decided each demand, and how.")] = False,
    by_hand: Annotated[bool, Option("Also review the queries by hand.", flag="--review")] = False,
    reviewer: Reviewer = None,
) -> None:
    """Checks queries against their world. Exit code 3: a fault was found.

    Code compares each query's text with its wish (what the shopper wants, as data) and with the shop's records. With
    --model, a model also judges each query. docs/queries.md explains the faults.
    """
    from drretail.querygen.decisions.answers import dead_decisions
    from drretail.querygen.decisions.questions import questions_of
    from drretail.querygen.lint import Linter
    from drretail.querygen.reading import read_queries

    if by_hand:
        review(file, output, world, reviewer)
        return
    queries = read_queries(file)
    reader = named_writer(model, calls, planned)
    with open_world(world) as shop:
        linter = Linter(shop)
        linter.check_world(queries)
        if reader is not None and planned.estimate:
            from drretail.llm.estimates import Estimates
            from drretail.querygen.by_model.opinion import Reader

            one = Reader(shop, linter).estimate(queries, reader.model, journal_beside(file))
            title, what = f"Queries of {file} to read", ("model", "queries")
            show_estimates(Estimates(title, [one], reader.prices, what), as_json=output.as_json)
            return
        outcome = _Outcome(queries)
        if reader is not None:
            outcome = _read(shop, linter, file, queries, reader, calls)
        with busy("checking queries"):
            outcome.checked = linter.check_all(outcome.queries)
            outcome.questions = questions_of(outcome.queries, linter.stock.offers)
            outcome.died = sum(len(dead_decisions(query, linter.stock.offers)) for query in outcome.queries)
    if output.as_json:
        _print_json(outcome)
    else:
        _print_tables(file, world, outcome, baskets=baskets, demands=demands)
    exit_code(outcome.is_wrong)


@dataclass(slots=True)
class _Outcome:
    """The results of one check."""

    queries: "Sequence[Query]"
    types: "TypedQueries | None" = None
    opinions: "Answers[Opinion] | None" = None
    spent: "Spent | None" = None
    checked: "Sequence[Checked]" = ()
    questions: "Sequence[Question]" = ()
    died: int = 0

    @property
    def found(self) -> "list[tuple[Checked, list[Finding]]]":
        """Each query with the findings of the checks, and then those of the model."""
        read = {} if self.opinions is None else self.opinions.found
        found = [(entry, read.get(entry.query.query_id)) for entry in self.checked]
        return [(entry, [*entry.findings, *(opinion.findings() if opinion else ())]) for entry, opinion in found]

    @property
    def codes(self) -> list[tuple[str, int]]:
        """How often each code was found, the most frequent first, ties by name."""
        counts = Counter(finding.code for _, findings in self.found for finding in findings)
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    @property
    def untyped(self) -> int:
        return sum(query.wish is None for query in self.queries)

    @property
    def failed(self) -> dict[str, str]:
        """Why the model gave no answer, by query id."""
        return {**(self.types.failed if self.types else {}), **(self.opinions.failed if self.opinions else {})}

    @property
    def is_wrong(self) -> bool:
        is_left = self.types is not None and bool(self.types.wrong)
        return is_left or bool(self.opinions and self.opinions.failed) or any(found for _, found in self.found)


def _read(
    shop: "World", linter: "Linter", file: Path, queries: "Sequence[Query]", reader: "Writer", calls: flags.Calls
) -> _Outcome:
    """Adds missing wishes and writes them into the file, then asks the model for an opinion of each query."""
    from drretail.api.models import Spent
    from drretail.querygen.by_model.opinion import Reader

    types = None
    if any(query.wish is None for query in queries):
        types, spent = typed_by_model(shop, linter, file, queries, reader, calls)
        queries = types.queries
        write_with_gold(queries, file)
        remark(f"Wishes of {file}{types_line(types, spent)}")
    with asking(reader, journal_beside(file), calls, len(queries)) as (session, bar):
        opinions = Reader(shop, linter).read(queries, session, bar.advance)
    say_failures(opinions.failed)
    return _Outcome(
        queries,
        types=types,
        opinions=opinions,
        spent=Spent(reader, session.usage, session.served),
    )


def _print_json(outcome: _Outcome) -> None:
    from drretail.querygen.decisions.questions import how_decided
    from drretail.querygen.lint import CODES

    rows: list[dict[str, Any]] = []
    for entry, findings in outcome.found:
        basket, shown = entry.reference.cheapest, None
        if basket is not None:
            names = ("thing", "product_id", "price", "quantity")
            picks = [{name: getattr(item, name) for name in names} for item in basket.items]
            shown = {"total": basket.total.amount, "currency": basket.total.currency, "picks": picks}
        found = [each.model_dump(mode="json") | {"to_do": CODES[each.code].remedy} for each in findings]
        rows.append({"query_id": entry.query.query_id, "basket": shown, "findings": found})
    print_json(
        {
            "ok": not outcome.codes,
            "codes": dict(outcome.codes),
            "untyped": outcome.untyped,
            "died": outcome.died,
            "demands": [asdict(each) for each in how_decided(outcome.questions)],
            "failed": outcome.failed,
            **writing_document(outcome.spent),
            "queries": rows,
        }
    )


def _print_tables(file: Path, world: str, outcome: _Outcome, *, baskets: bool, demands: bool) -> None:
    from drretail.grounding.text.wording import format_amount
    from drretail.querygen.checks.feasibility import cheapest_line
    from drretail.querygen.decisions.answers import died_line
    from drretail.querygen.decisions.questions import graded_line, how_decided
    from drretail.querygen.lint import CODES

    if baskets:
        budgets = [entry.query.wish.budget if entry.query.wish else None for entry in outcome.checked]
        rows = [
            (entry.query.query_id, None if budget is None else format_amount(budget), cheapest_line(entry.reference))
            for entry, budget in zip(outcome.checked, budgets, strict=True)
        ]
        print_rows("The cheapest basket that keeps to each query", ["query", "budget", "basket"], rows)
    rows = [
        (entry.query.query_id, finding.code, finding.text, finding.found, CODES[finding.code].remedy)
        for entry, findings in outcome.found
        for finding in findings
    ]
    if rows:
        print_rows(f"Queries {file}", ["query", "what", "where", "found", "to do"], rows)
    if demands:
        print_table(demands_table(file, how_decided(outcome.questions)))
    if outcome.spent:
        typer.echo(writing_line(outcome.spent))
    whole = sum(not findings for _, findings in outcome.found)
    counts = ", ".join(f"{code} {count}" for code, count in outcome.codes)
    of_all = counted(len(outcome.checked), "query")
    typer.echo(f"Without a finding: {whole} of {of_all}{f'; {counts}' if counts else ''}")
    infeasible = sum(bool(query.infeasible) for query in outcome.queries)
    on_web = sum(query.web_question is not None for query in outcome.queries)
    if infeasible or on_web:
        typer.echo(f"Infeasible by intent: {infeasible}; with a question to the web: {on_web}")
    if outcome.questions:
        print_text(graded_line(outcome.queries, outcome.questions))
        if not all(question.is_decided for question in outcome.questions):
            remark(f"The rest goes by words alone. {how_to_decide(file, world)}")
    if outcome.died:
        remark(died_line(outcome.died))
    if outcome.untyped:
        remark(
            f"Without a wish: {outcome.untyped} of {of_all}. What these want was not checked. "
            "Name a --model that writes them, or fill in `wish` by hand (docs/queries.md)."
        )
