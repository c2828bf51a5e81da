"""``drretail compare``: two systems on the same queries, from what was judged."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from drretail.cli.options import flags

if TYPE_CHECKING:
    from drretail.records.comparison import Comparison, Option


def compare(
    experiment: flags.Experiment,
    a: Annotated[
        str | None, typer.Argument(metavar="[A", help="A system's label, or how it begins; all pairs without.")
    ] = None,
    b: Annotated[str | None, typer.Argument(metavar="B]", help="The other one; all others without.")] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            metavar="A,B",
            help="Which families; pairwise too; may be given again.",
            show_default="all that were judged",
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="PROVIDER:MODEL", help="Whose verdicts; may be given again; all without."),
    ] = None,
    bar: Annotated[
        float, typer.Option("--bar", min=0, max=10, help="What a rating has to reach to pass; a share, a tenth of it.")
    ] = 7.0,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-if",
            metavar="RULE",
            help="Exit 3 where A − B meets it: 'FP < -0.02', 'FP.high < 0'; may be given again.",
        ),
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option("--beside", metavar="EXP2", help="Each system against itself in EXP2, as in another world."),
    ] = None,
    by: Annotated[
        Literal["information", "size", "compose", "retriever", "rag_turns", "web", "twin"] | None,
        typer.Option(
            "--by",
            help="Systems that differ in this option alone: what is known of the shopper; of a sandbox its size and "
            "what is served; how pages are ranked; turns of a search; where pages come from. twin: the pairs that "
            "`drretail queries spoil` makes, by system.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="FAMILY[:VARIANT]", help="With --by: of what; may be given again."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Every pair with all its tables, those of what runs did included.")
    ] = False,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Sets systems side by side, query by query, and says what can be concluded, what can't, and what it would take.

    Several pairs take a line each; one pair, or --details, shows the tables. Nothing is judged: what is missing is
    named, with the command that makes it. With --beside both experiments hold queries of the same ids, as drretail
    queries carry leaves them; of pairs judged side by side there are none.
    """
    from drretail.cli.options.systems import exit_code
    from drretail.errors import UserError
    from drretail.eval.compare.comparing import compare_recorded, families_away
    from drretail.eval.compare.fail_if import broken_rules, read_rule
    from drretail.eval.compare.two_worlds import compare_beside, name_there
    from drretail.eval.lab.card import card_lines, judges_of_faithfulness
    from drretail.progress import busy
    from drretail.viewer.output import print_json, say

    named = None if metrics is None else ",".join(metrics).split(",")
    names = None if named is None else [name.strip() for name in named if name.strip()]
    if names == []:
        raise UserError("--metrics names nothing: give some, such as --metrics faithfulness,quality.")
    if metric and by is None:
        raise UserError("--metric goes with --by: without it, name families with --metrics.")
    if by is not None:
        if a is not None or fail_if or metrics:
            raise UserError(f"--by {by} compares settings of one agent: leave systems, --metrics, --fail-if out.")
        if by == "twin":
            compare_twins(experiment, as_json=as_json, quiet=quiet)
            return
        compare_settings(experiment, by, metric or [], judge or [], as_json=as_json, quiet=quiet)
        return
    rules = [read_rule(text) for text in fail_if or []]
    if beside is not None and b not in (None, f"{a}@{name_there(beside)}"):
        raise UserError("With --beside a system meets itself: name one, or none for all.")
    with busy("comparing", quiet=quiet):
        if beside is None:
            comparisons = compare_recorded(experiment, a, b, metrics=names, judges=judge or [], bar=bar)
        else:
            comparisons = compare_beside(experiment, beside, a, metrics=names, judges=judge or [], bar=bar)
    broken = list(broken_rules(comparisons, rules))
    shown = judges_of_faithfulness(table for it in comparisons for table in it.tables)
    cards = {judge: line for judge, line in card_lines(experiment).items() if judge in shown}
    if as_json:
        made = [it.model_dump(mode="json", exclude_none=True) for it in comparisons]
        beside_fp = {"judges": cards} if cards else {}
        print_json({"comparisons": made} | beside_fp | ({"failed": broken} if rules else {}))
    else:
        named_so = str(experiment) if beside is None else f"{experiment} --beside {beside}"
        _print(comparisons, named_so, cards, details=details)
    away = families_away(experiment) if names is None else []
    if away:
        say(
            f"Not compared, since no such metric is installed: {', '.join(away)}. --metrics module:attribute names one."
        )
    for sentence in broken:
        typer.echo(sentence, err=True)
    exit_code(bool(broken))


def compare_twins(experiment: Path, *, as_json: bool, quiet: bool) -> None:
    """Prints what each system decided on pairs of which the shop can meet one."""
    from drretail.eval.compare.twins import twin_rows
    from drretail.progress import busy
    from drretail.viewer.output import print_json, print_table
    from drretail.viewer.tables.twins import twin_table

    with busy("comparing", quiet=quiet):
        rows = twin_rows(experiment)
    if as_json:
        print_json({"twin": [row.model_dump(mode="json") for row in rows]})
        return
    print_table(twin_table(rows))


def compare_settings(
    experiment: Path, by: "Option", metrics: "Sequence[str]", judges: "Sequence[str]", *, as_json: bool, quiet: bool
) -> None:
    """Prints score against one option: a table for each metric and judge."""
    from drretail.eval.compare.ablations import tables_of_experiment
    from drretail.eval.compare.distractors import distractor_tables
    from drretail.progress import busy
    from drretail.viewer.output import print_json, print_table, print_text
    from drretail.viewer.tables.ablations import ablation_table, headlines_first, note_of
    from drretail.viewer.tables.distractors import NOTE, distractor_table

    with busy("comparing", quiet=quiet):
        held = tables_of_experiment(experiment, by, metrics, judges, beside="web" if by == "compose" else None)
    tables = [it for it in held if it.by == by]
    distractors = distractor_tables(held)
    if as_json:
        made = {by: [it.model_dump(mode="json", exclude_none=True) for it in tables]}
        cost = [it.model_dump(mode="json", exclude_none=True) for it in distractors]
        print_json(made | ({"distractors": cost} if cost else {}))
        return
    for table in headlines_first(tables):
        print_table(ablation_table(table))
    print_text(note_of(by))
    for costs in headlines_first(distractors):
        print_table(distractor_table(costs))
    if distractors:
        print_text(NOTE)


def _print(comparisons: "Sequence[Comparison]", experiment: str, cards: "Mapping[str, str]", *, details: bool) -> None:
    from drretail.viewer.terminal.printed_all_pairs import print_all_pairs
    from drretail.viewer.terminal.printed_comparison import print_comparison

    if len(comparisons) > 1 and not details:
        print_all_pairs(comparisons, experiment, cards)
        return
    for comparison in comparisons:
        print_comparison(comparison, cards, details=details)
    if len(comparisons) > 1:
        typer.echo(
            f"{len(comparisons)} pairs are compared. What systems are chosen by (*) is corrected over all of them, the "
            "exploratory rest within each pair only: of so many, some may differ by chance."
        )
