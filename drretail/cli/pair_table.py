"""Pairwise judging as tables: wins, ties and losses of every pair, and strengths of many systems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.cli.output import print_table
from drretail.records.score import JudgeRef
from drretail.viewer.standing import judged_by, notes_on, system_names

if TYPE_CHECKING:
    from drretail.records.pairs import PairScore, RankScore, Share
    from drretail.records.score import Scores

COLUMNS = ["pair", "dimension", "win", "tie", "loss", "win rate", "n", "flips", "first"]
WHOLE = 3
"""Pairs of which every dimension is shown; of more, the overall quality alone."""
OVERALL = "overall"
SYSTEMS = 3
"""Systems side by side: what 120 characters hold."""
MEANING = (
    "win, tie and loss are the first system's. Each question was asked in both orders: who is preferred in both wins, "
    "anything else is a tie. flips: pairs whose winner changed with the order. first: answers for the report that was "
    "read first; 50 % knows no place."
)
MEANING_OF_ONE_ORDER = (
    "win and loss are the first system's. Each question was asked in one order, drawn by the seed (rules paper): how "
    "often it would have flipped is not known. first: answers for the report that was read first."
)
MEANING_OF_A_PANEL = (
    "win and loss are what more than half of the judges say, a tie anything else. They said different things of {} of "
    "the pairs in overall quality."
)
STRENGTHS = (
    "Bradley–Terry strengths with 95 % intervals: P(i beats j) = e^i / (e^i + e^j), a tie being half a win each; they "
    "sum to 0."
)


def print_pairs(scores: "Scores") -> None:
    """A table of pairs for each judge, and one of strengths where three systems or more were compared."""
    import typer

    for bench, group in groupby(scores.pairs, key=_bench):
        rows = list(group)
        title = _title(rows[0])
        if rows[0].note is not None:
            typer.echo(f"{title}: {rows[0].note}. Numbers need a language model: --judge PROVIDER:MODEL.")
        else:
            _print_table(title, rows)
            _print_strengths([row for row in scores.ranks if _bench(row) == bench])
        for line in _standing(rows):
            typer.echo(line)
        typer.echo("")


def _bench(row: "PairScore | RankScore") -> tuple[str, str, str]:
    return row.judge, row.judge_params, row.rules


def _title(row: "PairScore") -> str:
    return f"pairwise, {judged_by(JudgeRef(spec=row.judge, kind=row.judge_kind), row.rules)}"


def _print_table(title: str, rows: "Sequence[PairScore]") -> None:
    import typer

    pairs = list(dict.fromkeys((row.a, row.b) for row in rows))
    shown = rows if len(pairs) <= WHOLE else [row for row in rows if row.dimension == OVERALL]
    labels = {label for pair in pairs for label in pair}
    print_table(title, COLUMNS, _lines(shown, system_names(labels)))
    for line in notes_on(labels):
        typer.echo(line)
    typer.echo(_meaning(rows))
    if shown is not rows:
        typer.echo(f"{len(pairs):,} pairs: the other six dimensions are in scores.json; --json prints them.")


def _meaning(rows: "Sequence[PairScore]") -> str:
    disagreement = next((row.disagreement for row in rows if row.dimension == OVERALL), None)
    if disagreement is not None:
        return MEANING_OF_A_PANEL.format(_percent(disagreement))
    return MEANING_OF_ONE_ORDER if rows[0].rules == "paper" else MEANING


def _lines(rows: "Iterable[PairScore]", names: Mapping[str, str]) -> Iterator[list[object]]:
    for pair, group in groupby(rows, key=lambda row: f"{names[row.a]} over {names[row.b]}"):
        for index, row in enumerate(group):
            parts = [_share(row.win), _share(row.tie), _share(row.loss)]
            rates = [_rate(row), _counted(row), _percent(row.flip_rate), _percent(row.first_position_rate)]
            yield ["" if index else pair, row.dimension, *parts, *rates]


def _share(share: "Share") -> str:
    """60% [46, 72]."""
    if share.value is None:
        return "–"
    interval = "" if share.ci_low is None else f" [{100 * share.ci_low:.0f}, {100 * (share.ci_high or 0):.0f}]"
    return f"{share.value:.0%}{interval}"


def _rate(row: "PairScore") -> str:
    if row.win_rate is None:
        return "–"
    return f"{row.win_rate:.2f}" + ("" if row.ci_low is None else f" [{row.ci_low:.2f}, {row.ci_high:.2f}]")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _counted(row: "PairScore") -> str:
    """How many of the planned pairs of reports were scored, and why the others were not."""
    lacking = [f"{count} {why}" for why, count in (("na", row.n_na), ("failed", row.n_failed)) if count]
    return f"{row.n_scored} of {row.n_planned} ({', '.join(lacking)})" if lacking else str(row.n_scored)


def _print_strengths(rows: "Sequence[RankScore]") -> None:
    import typer

    by_place = {(row.dimension, row.system): row for row in rows}
    overall = [row for row in rows if row.dimension == OVERALL]
    if sum(row.n_opponents > 0 for row in overall) < SYSTEMS:
        return
    overall.sort(key=lambda row: (row.strength is None, -(row.strength or 0), row.system))
    names = system_names(row.system for row in overall)
    dimensions = list(dict.fromkeys(row.dimension for row in rows if row.n_opponents))
    for start in range(0, len(overall), SYSTEMS):
        systems = [row.system for row in overall[start : start + SYSTEMS]]
        headings = [names[system] for system in systems]
        lines = [[it, *(_strength(by_place[it, system]) for system in systems)] for it in dimensions]
        print_table("" if start else "strengths, strongest first", ["", *headings], lines)
    typer.echo(STRENGTHS)


def _strength(row: "RankScore") -> str:
    if row.strength is None:
        return f"na ({row.note})"
    low, value, high = (None if it is None else round(it, 2) + 0.0 for it in (row.ci_low, row.strength, row.ci_high))
    return f"{value:+.2f}" + ("" if low is None else f" [{low:+.2f}, {high:+.2f}]")


def _standing(rows: "Sequence[PairScore]") -> Iterator[str]:
    """What of each pair is missing or unused, in all dimensions together."""
    for pair, group in groupby(rows, key=lambda row: f"{row.a} over {row.b}"):
        whole = list(group)
        told = {
            "questions without a usable answer": sum(row.failed_verdicts for row in whole),
            "stale verdicts (another report or other words) unused": sum(row.stale_verdicts for row in whole),
            "comparisons not asked yet": sum(row.not_judged for row in whole),
            "pairs of which a report is missing": max(row.runs_failed for row in whole),
        }
        parts = [f"{count:,} {what}" for what, count in told.items() if count]
        if parts:
            yield f"{pair}: {', '.join(parts)}."
