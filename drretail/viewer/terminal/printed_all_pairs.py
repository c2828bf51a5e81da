"""All pairs of systems on one screen: what is concluded, and a line a pair of what systems are chosen by."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from drretail.records.score import CODE, in_order, shared_models
from drretail.tables.table import Cell, table_of
from drretail.viewer.output import print_table, print_text
from drretail.viewer.terminal.printed_comparison import row_name

if TYPE_CHECKING:
    from drretail.records.comparison import ComparedRow, Comparison

CONCLUDED = "!"


def print_all_pairs(comparisons: "Sequence[Comparison]", experiment: str, cards: Mapping[str, str]) -> None:
    """Several comparisons in short; ``experiment`` is its folder, for the commands that say more.

    ``cards`` say of judges whose FP is shown how often they are right.
    """
    names = _names(comparisons)
    columns = list(dict.fromkeys(name for it in comparisons for name, _ in _primary(it)))
    shown = list(_concluded(comparisons, names)) or ["Nothing: no difference between any two systems is shown."]
    print_text("What can be concluded", *(f"- {sentence}" for sentence in shown), "")
    if columns:
        print_table(
            table_of(
                f"{len(comparisons)} pairs, A−B in what systems are chosen by, over queries with a value of both",
                ["A", "B", *columns],
                [[names[it.a], names[it.b], *_cells(it, columns)] for it in comparisons],
                notes=[f"{CONCLUDED}: concluded, corrected (Holm) over all pairs of systems."],
                spare=columns[::-1],
            )
        )
    tables = [table for it in comparisons for table in it.tables]
    by_rules = sorted({it.judge for it in tables if it.judge_kind == "rule_based" and it.judge != CODE})
    first = comparisons[0]
    print_text(
        *cards.values(),
        *(f"Of {it} nothing is concluded: it follows rules. Score with --judge PROVIDER:MODEL." for it in by_rules),
        f"One pair with all that is known of it: drretail compare {experiment} {first.a} {first.b}",
        f"All pairs so: drretail compare {experiment} --details",
    )


def _names(comparisons: "Sequence[Comparison]") -> dict[str, str]:
    labels = in_order({label for it in comparisons for label in (it.a, it.b)})
    shared = shared_models(labels)
    return {label: label.replace(shared, "", 1) if shared else label for label in labels}


def _primary(comparison: "Comparison") -> "Iterator[tuple[str, ComparedRow]]":
    """The rows that are corrected over all pairs; of several judges the first that has the variant."""
    seen: set[str] = set()
    for table in comparison.tables:
        for row in table.rows:
            name = row_name(row, several=True)
            if row.is_primary and name not in seen:
                seen.add(name)
                yield name, row


def _cells(comparison: "Comparison", columns: Sequence[str]) -> Iterator[Cell]:
    rows = dict(_primary(comparison))
    for name in columns:
        row = rows.get(name)
        shown = row is not None and row.outcome in ("higher", "lower")
        yield Cell(None if row is None else row.difference, "signed", mark=CONCLUDED * shown)


def _concluded(comparisons: "Sequence[Comparison]", names: dict[str, str]) -> Iterator[str]:
    """For every variant who is shown to be above whom, then who is preferred side by side."""
    from drretail.eval.compare.wording import listed
    from drretail.eval.judging.dimensions import PRIMARY
    from drretail.eval.scores.pair_outcomes import preferred

    above: dict[str, dict[str, list[str]]] = {}
    for it in comparisons:
        for name, row in _primary(it):
            if row.outcome in ("higher", "lower"):
                winner, loser = (it.a, it.b) if row.outcome == "higher" else (it.b, it.a)
                above.setdefault(name, {}).setdefault(winner, []).append(loser)
        for pair in it.pairs:
            winner = preferred(pair) if pair.dimension == PRIMARY else None
            if winner is not None:
                loser = pair.b if winner == pair.a else pair.a
                above.setdefault("side by side", {}).setdefault(winner, []).append(loser)
    for name, won in above.items():
        parts = (f"{names[winner]} above {listed(names[it] for it in dict.fromkeys(won[winner]))}" for winner in won)
        yield f"{name}: {'; '.join(parts)}."
