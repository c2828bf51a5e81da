"""Commands on a file of queries: ``show``, ``shipped``, ``carry``, ``difficulty``, ``spoil`` and ``hide``."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from drretail.api.option import Option
from drretail.api.worlds import open_world
from drretail.cli.options import flags
from drretail.cli.options.query_files import Force, check_unused, write_queries
from drretail.errors import UnknownName, UserError
from drretail.progress import choose_progress
from drretail.records.query import QUESTIONS, Manner
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_rows, remark, stdout_console

if TYPE_CHECKING:
    from drretail.difficulty.twins import Derived
    from drretail.records.query import Query


LINE = 88
"""The most characters in a line of prose, however wide the terminal is."""
SPARE = ("density", "greedy gap", "offers", "slack", "wants", "lookalikes")
"""Measures that a narrow terminal leaves out, the first of them first."""


def show(
    file: flags.QueryFile,
    only: Annotated[str | None, Option("Show only N queries, or those with these ids.", metavar="N|ID,ID")] = None,
    details: Annotated[bool, Option("Also show reason, user and expected tools.")] = False,
    as_json: flags.Json = False,
) -> None:
    """Shows the questions of a file, each with its wish."""
    from drretail.agents.running.shard import only as only_those
    from drretail.querygen.reading import read_queries

    queries = read_queries(file)
    if only is not None:
        queries = only_those(queries, only)
    if as_json:
        questions = [query.web_question and query.web_question.model_dump(mode="json") for query in queries]
        rows = zip(queries, questions, strict=True)
        print_json({"queries": [query.model_dump(mode="json") | {"web_question": asked} for query, asked in rows]})
        return
    width = min(LINE, stdout_console().width)
    for query in queries:
        typer.echo("\n".join(_shown(query, width, details=details)) + "\n")
    users = len({query.user_id for query in queries} - {None})
    of_users = f" of {counted(users, 'user')}" if users else ""
    typer.echo(f"{counted(len(queries), 'query')}{of_users}")


def _shown(query: "Query", width: int, *, details: bool) -> Iterator[str]:
    """A heading, the question, and below it its wish, what it hides and what it asks of the web."""
    from drretail.grounding.text.wording import wish_lines
    from drretail.querygen.review.item import wrapped
    from drretail.screen import on_screen

    heading = [query.query_id, *([query.kind] if query.kind else []), query.mode.replace("_", "-")]
    heading += ["infeasible"] if query.infeasible else []
    yield on_screen(" · ".join(heading).replace("\n", " "))
    yield from wrapped(query.text.splitlines(), width)
    typed = ["it has no wish"] if query.wish is None else wish_lines(query.wish)
    if details:
        tools = ", ".join(query.expected_tools) or "none"
        whom = query.user_id or "nobody in particular"
        typed += [f"expected tools: {tools}", f"of: {whom}", f"made by: {query.source}"]
        typed += [f"why: {query.rationale}"] if query.rationale else []
    else:
        typed = [line for line in typed if not line.startswith("owned:")]
    typed += [f"hidden ({fact.topic}, {fact.known_from}): {fact.say}" for fact in query.hidden]
    typed += [f"asks the web: {query.web_question.text}"] if query.web_question else []
    yield from wrapped(typed, width, bullet="· ")


def carry(
    file: Annotated[Path, Option("Queries of the original world.", argument=True, metavar="FILE")],
    world: Annotated[Path, Option("The perturbed world's folder.", short="-w", metavar="W")],
    to: Annotated[Path, Option("The file for the adapted queries.", metavar="FILE2")],
    force: Force = False,
    as_json: flags.Json = False,
) -> None:
    """Adapts queries to a world made by `synth --perturb`.

    The ids stay the same, so both worlds can be compared query by query.
    """
    from drretail.data_ingest.perturb.perturbed_world import carried, read_perturbation
    from drretail.querygen.reading import check_made_for, read_queries

    queries, mapping = read_queries(file), read_perturbation(world)
    check_made_for(queries, mapping.perturbed_from)
    made = carried(queries, mapping)
    write_queries(to, made, force=force)
    changed = sum(one.text != other.text for one, other in zip(queries, made, strict=True))
    if as_json:
        print_json({"queries": len(made), "texts_changed": changed, "file": str(to)})
    else:
        typer.echo(f"{counted(len(made), 'query')} → {to}; texts that name another brand or product now: {changed:,}.")


def shipped(
    to: flags.ToQueries,
    split: Annotated[
        str,
        Option(
            "Of the demo shop, dev: twenty for development (7 users); test: thirty for results (10 users); all: these "
            "fifty; generic: twenty without a user. Of the market shop, of three difficulties, market-dev and "
            "market-test: sixty each; market: both.",
            metavar="dev|test|all|market-dev|market-test|market|generic",
        ),
    ] = "dev",
    force: Force = False,
    as_json: flags.Json = False,
) -> None:
    """Writes the queries that come with drretail.

    docs/benchmark.md describes them.
    """
    from drretail.querygen.shipped import FIFTY, MARKET, Split, shipped_queries

    sets = {each: (each,) for each in get_args(Split)} | {"all": FIFTY, "market": MARKET}
    if split not in sets:
        raise UnknownName("split", split, sets)
    queries = shipped_queries(*sets[split])
    write_queries(to, queries, force=force)
    users = len({query.user_id for query in queries} - {None})
    if as_json:
        print_json(
            {
                "queries": len(queries),
                "users": users,
                "split": split,
                "file": str(to),
                "world_fingerprint": queries[0].world_fingerprint,
                "canary": queries[0].source,
            }
        )
    else:
        of_users = f" of {counted(users, 'user')}" if users else ""
        world = "market" if split.startswith("market") else "demo"
        typer.echo(f"{counted(len(queries), 'query')}{of_users} ({split}) over the {world} world → {to}")
        others = ", ".join(each for each in sets if each != split)
        remark(f"To run them: drretail run --queries {to} --world {world} --to EXP. Other sets: --split {others}.")


def difficulty(
    file: Annotated[Path, Option("Queries with their wishes.", argument=True, metavar="FILE")],
    output: flags.Output,
    world: flags.World = "demo",
    to: Annotated[Path | None, Option("The file for the queries with their levels.", metavar="FILE2")] = None,
    force: Force = False,
) -> None:
    """Measures how hard queries are, by the carts that simple searches find.

    Eight simple solvers fill carts. The level says how much worse their carts are than the best one, from 0 (easy)
    to 9 (hard). docs/queries.md explains the columns.
    """
    from drretail.difficulty.measure import Dial, Difficulty, with_levels
    from drretail.env.offers import Offers
    from drretail.eval.baskets import NOT_REQUIRED, not_measured
    from drretail.querygen.reading import check_made_for, read_queries

    queries = read_queries(file)
    if to is not None:
        check_unused(to, force=force)
    rows, reasons = list[Difficulty](), dict[str, str]()
    progress = choose_progress()
    with open_world(world) as shop:
        check_made_for(queries, shop.manifest.fingerprint)
        dial = Dial(Offers(shop))
        with progress.track("Measuring queries", len(queries)) as bar:
            for query in queries:
                rows.append(dial.difficulty(query))
                if rows[-1].level is None:
                    reasons[query.query_id] = not_measured(query.wish, dial.offers.reference(query)) or NOT_REQUIRED
                bar.advance()
    leveled = with_levels(queries, rows)
    rows = [row.model_copy(update={"level": query.level}) for query, row in zip(leveled, rows, strict=True)]
    if to is not None:
        write_queries(to, leveled, force=force)
    if output.as_json:
        print_json({"queries": [row.model_dump(mode="json") for row in rows]})
        return
    names = [name for name in Difficulty.model_fields if name not in ("query_id", "axes")]
    hardest_first = sorted(rows, key=lambda row: (row.level is not None, row.level, row.loss or 0), reverse=True)
    cells = [
        (row.query_id, *(getattr(row, name) for name in names), ", ".join(row.axes) or None) for row in hardest_first
    ]
    why = Counter(reasons[row.query_id] for row in rows if row.level is None)
    notes = [f"{counted(count, 'query')} without a level: {reason}." for reason, count in why.most_common()]
    heads = ("", *(name.replace("_", " ") for name in names), "axes")
    print_rows("Difficulty, without an agent", heads, cells, notes=notes, spare=SPARE)
    if to is not None:
        typer.echo(f"{counted(len(queries), 'query')} → {to}")


def spoil(
    file: Annotated[
        Path, Option("Queries that the shop can satisfy, with their wishes.", argument=True, metavar="FILE")
    ],
    to: Annotated[Path, Option("The file for the pairs.", metavar="FILE2")],
    world: flags.World = "demo",
    kinds: Annotated[
        str,
        Option(
            "Why the second query fails: its budget is too low (too_dear), the shop lacks the product "
            "(not_sold), or the order does not exist (no_such_order).",
            metavar="A,B",
        ),
    ] = "too_dear,not_sold,no_such_order",
    absent: Annotated[
        list[str] | None, Option("For not_sold: another world with products that the shop lacks.", metavar="W")
    ] = None,
    force: Force = False,
    seed: flags.Seed = "42",
    as_json: flags.Json = False,
) -> None:
    """Writes pairs of queries: one that the shop can satisfy, and one that it can't.

    After a run, `score --metrics outcome` shows which queries each system refuses, and `compare --by twin` compares the
    pairs.
    """
    from drretail.difficulty.twins import ABSENT
    from drretail.difficulty.twins import spoil as spoiled
    from drretail.env.offers import Offers
    from drretail.querygen.reading import read_queries

    queries = read_queries(file)
    names: list[str] = []
    for other in absent or ():
        with open_world(other) as lent:
            names += lent.catalog.categories()
    chosen = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    with open_world(world) as shop:
        made = spoiled(queries, Offers(shop), chosen, seed, names or ABSENT)
    _write_derived(made, file, to, "pair of queries", "pairs", force=force, as_json=as_json)


def hide(
    file: Annotated[Path, Option("Queries with their wishes.", argument=True, metavar="FILE")],
    to: Annotated[Path, Option("The file for the new queries.", metavar="FILE2")],
    world: flags.World = "demo",
    manner: Annotated[
        str,
        Option("How the shopper answers: one limit (terse), or all limits of a topic (open).", metavar="terse|open"),
    ] = "terse",
    questions: Annotated[int, Option("The number of questions that the shopper answers.", min=1)] = QUESTIONS,
    from_record: Annotated[
        bool,
        Option("The shopper never states a limit that an order shows. The agent must look it up.", flag="--record"),
    ] = False,
    force: Force = False,
    as_json: flags.Json = False,
) -> None:
    """Hides a limit in each query. The agent must ask the shopper for it.

    Hides only limits that change the best cart. To see the value of asking: `run --vary intent=mute,asked,told`,
    then `score --metrics basket,intent` and `compare --by intent`.
    """
    from drretail.difficulty.hidden_wishes import hide as hidden
    from drretail.env.offers import Offers
    from drretail.querygen.reading import read_queries

    if manner not in get_args(Manner):
        raise UnknownName("manner", manner, get_args(Manner))
    queries = read_queries(file)
    with open_world(world) as shop:
        made = hidden(
            queries,
            Offers(shop),
            manner=cast("Manner", manner),
            questions=questions,
            from_record=from_record,
        )
    _write_derived(made, file, to, "query that hides a limit", "hidden", force=force, as_json=as_json)


def _write_derived(
    made: "Derived", file: Path, to: Path, what: str, counts: str, *, force: bool, as_json: bool
) -> None:
    """Writes queries derived from a file's. Prints how many there are of each sort, and why others gave none."""
    if not made.queries:
        why = ", ".join(f"{count} × {reason}" for reason, count in sorted(made.without.items()))
        raise UserError(f"{file} gave no {what}: {why or 'it holds none'}.")
    write_queries(to, made.queries, force=force)
    if as_json:
        print_json({"queries": len(made.queries), counts: dict(made.counts), "without": dict(made.without)})
        return
    of_sorts = ", ".join(f"{count} {name}" for name, count in sorted(made.counts.items()))
    typer.echo(f"{counted(len(made.queries), 'query')} → {to}; {counts}: {of_sorts}.")
    for why, count in sorted(made.without.items()):
        typer.echo(f"  left out: {counted(count, 'query')} ({why})")
