"""``drretail compare``: two systems on the same queries, from existing verdicts."""

from typing import TYPE_CHECKING, Any

import typer

from drretail.api.option import keywords
from drretail.api.options.score import CompareOptions
from drretail.cli.options import flags
from drretail.progress import busy
from drretail.records.tables.figures import counted
from drretail.viewer.output import print_json, print_table, print_text, say

if TYPE_CHECKING:
    from drretail.api.compare import Compared

GATE_FAILED = 4
"""The exit code of a rule of --fail-if that comes true. Failed runs end with 3."""

STEADY = "That is for the noisiest agent, right in half of its runs by chance. With one that answers alike each time, "


def compare(options: CompareOptions, shown: flags.Details, output: flags.Output) -> None:
    """Compares systems query by query, and shows which differences are more than chance.

    Prints one line per pair, or tables of the main scores for a single pair. Run `drretail score` first.
    """
    from drretail.api.compare import compare_all
    from drretail.eval.compare.fail_if import caught, foreseen, stated
    from drretail.viewer.terminal.printed_comparison import print_all_pairs, print_comparison

    with busy("comparing"):
        found = compare_all(**keywords(options))
    if options.by is not None:
        print_settings(options, found, details=shown.details, as_json=output.as_json)
        return
    if found.planned and output.as_json:
        print_json({"planned": [[gate.model_dump(mode="json") for gate in both] for both in found.planned]})
        return
    for noisiest, steady in found.planned:
        print_text(foreseen(noisiest), STEADY + caught(steady))
    if output.as_json:
        # All comparisons, as one JSON document
        made = [comparison.model_dump(mode="json", exclude_none=True) for comparison in found.comparisons]
        judges = {"judges": dict(found.cards)} if found.cards else {}
        failed = {"failed": found.broken, "gates": [gate.model_dump(mode="json") for gate in found.gates]}
        print_json({"comparisons": made} | judges | (failed if options.fail_if else {}))
    elif len(found.comparisons) > 1 and not shown.details:
        beside = "" if options.beside is None else f" --beside {options.beside}"
        print_all_pairs(found.comparisons, found.systems, f"{options.experiment}{beside}", found.cards)
    else:
        for comparison in found.comparisons:
            print_comparison(comparison, found.cards, details=shown.details)
        if len(found.comparisons) > 1:
            typer.echo(
                f"{len(found.comparisons)} pairs are compared. Primary scores (*) are corrected over all of "
                "them. The others are exploratory: they are corrected only within each pair, so some may "
                "differ by chance."
            )
    if found.away:
        names = ", ".join(found.away)
        say(f"Not compared, since no such metric is installed: {names}. --metrics module:attribute names one.")
    for sentence in (*found.broken, *(each for gate in found.gates for each in stated(gate))):
        say(sentence)
    if found.broken or any(gate.fails for gate in found.gates):
        raise typer.Exit(GATE_FAILED)


def print_settings(options: CompareOptions, found: "Compared", *, details: bool, as_json: bool) -> None:
    """Prints scores by one option, by level or axis, or what systems decided on twins.

    Without ``details`` or a named metric, prints only the main tables of the option, if it has any.
    """
    from drretail.records.score import SettingTable
    from drretail.viewer.tables import ablations
    from drretail.viewer.tables.slices import main_slices
    from drretail.viewer.terminal.printed_scores import print_slices

    if as_json:
        made: dict[str, list[Any]] = {}
        for row in found.sliced.slices if found.sliced else found.twins or found.settings:
            by = row.by if isinstance(row, SettingTable) else str(options.by)
            made.setdefault(by, []).append(row.model_dump(mode="json", exclude_none=not found.twins))
        print_json(made)
        return
    everything = details or bool(options.metrics)
    if found.sliced:
        shown_slices = main_slices(found.sliced.slices, details=everything)
        print_slices(found.sliced.model_copy(update={"slices": tuple(shown_slices)}), [found.sliced.slices[0].by])
        count = len({(row.metric, row.variant, row.judge, row.rules) for row in found.sliced.slices})
        _print_more(count - len({(row.metric, row.variant, row.judge, row.rules) for row in shown_slices}))
        return
    if found.twins:
        print_table(ablations.twin_table(found.twins, found.systems))
        return
    tables = [table for table in found.settings if table.by == options.by]
    condition = ablations.condition_of(tables[0].by, found.systems)
    shown = ablations.headlines_first(tables) if everything else ablations.main_tables(tables, condition)
    for table in shown:
        print_table(ablations.ablation_table(table, systems=found.systems, beside=found.settings))
    print_text(ablations.note_of(condition))
    _print_more(len(tables) - len(shown))


def _print_more(count: int) -> None:
    if count:
        print_text(
            f"{counted(count, 'more table')} of other metrics: --details prints all of them, --metrics METRIC some."
        )
