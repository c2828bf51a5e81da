"""A comparison as tables and sentences, readable at 100 columns."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.cli.output import stdout_console
from drretail.records.score import JudgeRef
from drretail.viewer.standing import judged_by

if TYPE_CHECKING:
    from drretail.records.comparison import ComparedRow, Comparison, JudgeTable, Reliability
    from drretail.records.pairs import PairScore

ROWS = ["", "A", "B", "A−B", "95 %", "sign", "rank", "Holm", "shows", "n"]
STEADY = ["", "", "queries", "agent", "judge"]
PAIRS = ["", "A wins", "ties", "B wins", "A's rate", "95 %", "flips", "first"]
LEGEND = (
    "A−B: mean difference over n paired queries, with its bootstrap interval.",
    "sign, rank: p of the exact sign test and of Wilcoxon's signed rank test; Holm: the latter corrected for all rows "
    "of its family. shows: the smallest true difference that n queries show by a test of its own, with 80 % power.",
)


def print_comparison(comparison: "Comparison") -> None:
    """Two systems: a table for each judge, what repeats tell, pairwise judging, what is missing, and conclusions."""
    import typer

    typer.echo(f"A = {comparison.a}\nB = {comparison.b}\n")
    for table in comparison.tables:
        _print_table(table)
        _print_steadiness(table, comparison)
        typer.echo("")
    if comparison.tables:
        for line in LEGEND:
            _say(line)
        typer.echo("")
    for _, group in groupby(comparison.pairs, key=lambda row: (row.judge, row.judge_params, row.rules)):
        _print_pairs(list(group), comparison.a)
    if comparison.missing:
        typer.echo("What is missing")
        for it in comparison.missing:
            _say(f"- {it.what}." + ("" if it.command is None else f"\n  {it.command}"))
        typer.echo("")
    typer.echo("What can be concluded")
    for sentence in comparison.conclusions:
        _say(f"- {sentence}")
    typer.echo("")


def _print_table(table: "JudgeTable") -> None:
    by = judged_by(JudgeRef(spec=table.judge, kind=table.judge_kind, params_hash=table.judge_params), table.rules)
    several = len({row.metric for row in table.rows}) > 1
    lines = [[_name(row.metric, row.variant, several=several), *_row(row)] for row in table.rows]
    _print_grid(f"Compared query by query, {by}", ROWS, lines)
    for line in _dropped(table.rows):
        _say(line)


def _print_grid(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table whose columns stand close together, numbers to the right: ten of them fit in 100 characters."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for at, column in enumerate(columns):
        table.add_column(column, justify="left" if at == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    stdout_console().print(table)


def _name(metric: str, variant: str, *, several: bool) -> str:
    """ "FP", "clarity", "process words": the family is named where the variant alone says little."""
    return f"{metric} {variant}" if several and metric not in ("faithfulness", "quality") else variant


def _row(row: "ComparedRow") -> list[str]:
    from drretail.eval.compare.wording import signed

    return [
        _number(row.mean_a),
        _number(row.mean_b),
        "–" if row.difference is None else signed(row.difference),
        _interval(row.ci_low, row.ci_high),
        _p(row.p_sign),
        _p(row.p_wilcoxon),
        _p(row.p_holm),
        _number(row.detectable),
        str(row.n_pairs) if row.n_pairs == row.n_planned else f"{row.n_pairs}/{row.n_planned}",
    ]


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{_number(low)}, {_number(high)}]"


def _dropped(rows: "Iterable[ComparedRow]") -> Iterable[str]:
    """Which rows lost queries, and why; rows that lost the same ones share a line."""
    lost: dict[str, list[str]] = {}
    for row in rows:
        if row.dropped:
            why = "; ".join(f"{count:,} ({reason})" for reason, count in row.dropped.items())
            lost.setdefault(why, []).append(row.variant)
    for why, variants in lost.items():
        yield f"Queries dropped in {', '.join(variants)}: {why}."


def _print_steadiness(table: "JudgeTable", comparison: "Comparison") -> None:
    if not table.reliability:
        return
    sides = {comparison.a: "A", comparison.b: "B"}
    several = len({row.metric for row in table.rows}) > 1
    lines = [
        [_name(it.metric, it.variant, several=several), sides[it.system], *_steady(it)] for it in table.reliability
    ]
    k = max(it.k for it in table.reliability)
    columns = STEADY if k < 2 else [*STEADY, "pass^1", f"pass^{k}", "mean", f"worst of {k}"]
    _print_grid("Noise (standard deviations) and repeats", columns, [line[: len(columns)] for line in lines])
    for line in _repeats(table.reliability):
        _say(line)


def _steady(it: "Reliability") -> list[str]:
    spreads = [_number(value) for value in (it.sd_queries, it.sd_agent, it.sd_judge)]
    passed = [_share(it.pass_1), _share(it.pass_k)]
    return [*spreads, *passed, _number(it.mean), _number(it.worst_of_k)]


def _repeats(rows: "Sequence[Reliability]") -> Iterable[str]:
    k = max(it.k for it in rows)
    bars = ", ".join(f"{bar:g}" for bar in sorted({it.bar for it in rows if it.bar is not None}))
    yield (
        "queries, agent, judge: spread between queries, between repeats of the agent, between repeats of the judge; "
        "– where nothing was repeated, its noise then being part of the one before."
    )
    if k > 1 and bars:
        yield (
            f"pass^1, pass^{k}: how likely one run, and all {k} runs of a query, reach the bar ({bars}); a run without "
            f"a report does not. mean, worst of {k}: of a query's runs, and of the lowest of them."
        )


def _print_pairs(rows: "Sequence[PairScore]", a: str) -> None:
    lines = [_pair(row, flipped=row.a != a) for row in rows]
    it = rows[0]
    by = judged_by(JudgeRef(spec=it.judge, kind=it.judge_kind, params_hash=it.judge_params), it.rules)
    _print_grid(f"Side by side, {by}", PAIRS, lines)


def _pair(row: "PairScore", *, flipped: bool) -> list[str]:
    won, lost = (row.losses, row.wins) if flipped else (row.wins, row.losses)
    turned: Callable[[float], float] = (lambda rate: 1 - rate) if flipped else (lambda rate: rate)
    rate = None if row.win_rate is None else turned(row.win_rate)
    low, high = sorted(turned(end) for end in (row.ci_low, row.ci_high) if end is not None) or (None, None)
    counts = [_count(won), _count(row.ties), _count(lost)]
    return [
        row.dimension,
        *counts,
        _number(rate),
        _interval(low, high),
        _share(row.flip_rate),
        _share(row.first_position_rate),
    ]


def _say(text: str) -> None:
    """On stdout, broken at 100 columns; what follows the first line is indented under it. Commands stay whole."""
    from textwrap import fill

    import typer

    said, _, command = text.partition("\n")
    typer.echo(fill(said, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))
    if command:
        typer.echo(command)


def _number(value: float | None) -> str:
    from drretail.eval.compare.wording import number

    return "–" if value is None else number(value)


def _p(value: float | None) -> str:
    return "–" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,}"
