"""A comparison as tables and sentences, readable at 100 columns, and at 80 with fewer figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.eval.lab.card import judges_of_faithfulness
from drretail.records.score import JudgeRef
from drretail.viewer.tables.scores import judged_by
from drretail.viewer.terminal.grid import figure, interval, print_grid, row_name, say, share

if TYPE_CHECKING:
    from drretail.records.comparison import Comparison, JudgeTable, Reliability
if TYPE_CHECKING:
    from drretail.records.comparison import ComparedRow, Comparison, JudgeTable
    from drretail.records.pairs import PairScore


SPREADS = {
    "queries": "between queries",
    "agent": "between repeats of the agent, the judge's noise taken out",
    "judge": "between repeats of the judge on one report",
    "agent+judge": "between repeats of the agent where each report was judged once: its noise and the judge's together",
}


def print_steadiness(table: "JudgeTable", comparison: "Comparison") -> None:
    """Standard deviations, pass^k and worst of k of both sides; nothing where nothing was repeated."""
    if not table.reliability:
        return
    sides = {comparison.a: "A", comparison.b: "B"}
    several = len({row.metric for row in table.rows}) > 1
    k = max(it.k for it in table.reliability)
    columns = ["", "side", *SPREADS, *([] if k < 2 else ["pass^1", f"pass^{k}", "mean", f"worst of {k}"])]
    lines = [
        [row_name(it, several=several), sides[it.system], *_steady(it)][: len(columns)] for it in table.reliability
    ]
    told = [at for at, column in enumerate(columns) if column not in SPREADS or any(line[at] != "–" for line in lines)]
    kept = [columns[at] for at in told]
    print_grid(
        "Noise (standard deviations) and repeats",
        kept,
        [[line[at] for at in told] for line in lines],
        ("mean", f"worst of {k}", "pass^1"),
    )


def _steady(it: "Reliability") -> list[str]:
    spreads = [figure(value) for value in (it.sd_queries, it.sd_agent, it.sd_judge, it.sd_repeats)]
    return [*spreads, share(it.pass_1), share(it.pass_k), figure(it.mean), figure(it.worst_of_k)]


def steadiness_legend(comparison: "Comparison") -> Iterable[str]:
    """What the columns of all these tables mean."""
    rows = [it for table in comparison.tables for it in table.reliability]
    if not rows:
        return
    told = [name for at, name in enumerate(SPREADS) if any(_steady(it)[at] != "–" for it in rows)]
    meanings = "; ".join(f"{name}: {SPREADS[name]}" for name in told)
    yield f"{meanings}. Estimates from so few repeats are rough."
    k = max(it.k for it in rows)
    bars = ", ".join(f"{bar:g}" for bar in sorted({it.bar for it in rows if it.bar is not None}))
    if k > 1 and bars:
        yield (
            f"pass^1, pass^{k}: how likely one run, and all {k} runs of a query, reach the bar ({bars}); a run without "
            f"a report does not. mean, worst of {k}: of a query's runs, and of the lowest of them."
        )


ROWS = ["", "A", "B", "A−B", "95 %", "p", "Holm", "shows", "takes", "n", "users"]
SPARE_ROWS = ("p", "takes", "shows", "B", "A")
PAIRS = ["", "for A", "even", "for B", "n", "A's rate", "95 %", "p", "Holm", "flips", "first"]
SPARE_PAIRS = ("p", "first", "even", "flips")
MOST = 10_000
LEGEND = (
    "A−B: mean difference over n paired queries, with its interval over users (over queries where none is known).",
    "p: how often the difference would be as large if each user's were as well the other way round; Holm: corrected, "
    "of a row marked * over all such rows in all pairs of systems, of the exploratory others over the rows of their "
    "family. shows: the true "
    "difference that n queries show in 4 of 5 experiments, smaller ones less often; "
    "takes: queries that would show a true difference as large as A−B as often; both as strictly as Holm may ask.",
)
LEGEND_OF_PAIRS = (
    "for A, even, for B: queries, each by the mean of its repeats; p: of wins minus losses, as above; Holm: corrected, "
    "of overall with all rows marked * in all pairs of systems, of the exploratory other dimensions for each other. "
    "A's rate: a tie counts half. flips: pairs whose winner "
    "changed with the order. first: answers for the report that was read first; 50 % knows no place.",
)


def print_comparison(comparison: "Comparison", cards: Mapping[str, str], *, details: bool = False) -> None:
    """Two systems: what can be concluded, a table for each judge, repeats, pairwise judging, and what is missing.

    ``cards`` say by judge how often it is right, and stand below its FP. Without ``details`` the families that say of
    no variant that systems are chosen by it are left out, and named.
    """
    import typer

    typer.echo(f"A = {comparison.a}\nB = {comparison.b}\n")
    typer.echo("What can be concluded")
    _print_lines(f"- {sentence}" for sentence in (*_of_the_chosen(comparison), *comparison.conclusions))
    chosen = {row.metric for table in comparison.tables for row in table.rows if row.is_primary}
    left_out: list[str] = []
    for whole in comparison.tables:
        rows = tuple(row for row in whole.rows if details or not chosen or row.metric in chosen)
        left_out += (row.metric for row in whole.rows if row not in rows)
        if not rows:
            continue
        table = whole.model_copy(update={"rows": rows})
        _print_table(table)
        for judge in judges_of_faithfulness([table]) & cards.keys():
            say(cards[judge])
        print_steadiness(table, comparison)
        typer.echo("")
    _print_lines([*LEGEND, *steadiness_legend(comparison)] if comparison.tables else ())
    for _, group in groupby(comparison.pairs, key=lambda row: (row.judge, row.judge_params, row.rules)):
        _print_pairs(list(group), comparison.a)
    _print_lines(LEGEND_OF_PAIRS if comparison.pairs else ())
    if comparison.missing:
        typer.echo("What is missing")
        _print_lines(f"- {it.what}." + ("" if it.command is None else f"\n  {it.command}") for it in comparison.missing)
    if left_out:
        say(f"Left out: {', '.join(dict.fromkeys(left_out))}, by which no system is chosen; --details has them.")


def _of_the_chosen(comparison: "Comparison") -> Iterator[str]:
    """First of all, that nothing is shown in what systems are chosen by, where nothing is."""
    rows = [row for table in comparison.tables for row in table.rows if row.is_primary]
    if rows and not any(row.outcome in ("higher", "lower") for row in rows):
        names = dict.fromkeys(row_name(row, several=True) for row in rows)
        yield f"No difference is concluded in what systems are chosen by: {', '.join(names)}."


def _print_lines(lines: Iterable[str]) -> None:
    """Each on its own, and an empty one behind them; nothing where there is none."""
    import typer

    said = list(lines)
    for line in said:
        say(line)
    if said:
        typer.echo("")


def _print_table(table: "JudgeTable") -> None:
    by = judged_by(JudgeRef(spec=table.judge, kind=table.judge_kind, params_hash=table.judge_params), table.rules)
    several = len({row.metric for row in table.rows}) > 1
    lines = [[row_name(row, several=several) + "*" * row.is_primary, *_row(row)] for row in table.rows]
    print_grid(f"Compared query by query, {by}", ROWS, lines, SPARE_ROWS)
    for line in _dropped(table.rows):
        say(line)


def _row(row: "ComparedRow") -> list[str]:
    from drretail.eval.compare.wording import p_value, signed

    return [
        figure(row.mean_a),
        figure(row.mean_b),
        "–" if row.difference is None else signed(row.difference),
        interval(row.ci_low, row.ci_high),
        p_value(row.p),
        p_value(row.p_holm),
        figure(row.detectable),
        _takes(row.queries_needed),
        str(row.n_pairs) if row.n_pairs == row.n_planned else f"{row.n_pairs}/{row.n_planned}",
        "–" if row.n_users is None else str(row.n_users),
    ]


def _takes(queries: int | None) -> str:
    return "–" if queries is None else f"{queries:,}" if queries <= MOST else f">{MOST:,}"


def _dropped(rows: "Iterable[ComparedRow]") -> Iterable[str]:
    """Which rows lost queries, and why; rows that lost the same ones share a line."""
    lost: dict[str, list[str]] = {}
    for row in rows:
        if row.dropped:
            why = "; ".join(f"{count:,} ({reason})" for reason, count in row.dropped.items())
            lost.setdefault(why, []).append(row.variant)
    for why, variants in lost.items():
        yield f"Queries dropped in {', '.join(variants)}: {why}."


def _print_pairs(rows: "Sequence[PairScore]", a: str) -> None:
    import typer

    lines = [_pair(row, flipped=row.a != a) for row in rows]
    it = rows[0]
    by = judged_by(JudgeRef(spec=it.judge, kind=it.judge_kind, params_hash=it.judge_params), it.rules)
    print_grid(f"Side by side, {by}", PAIRS, lines, SPARE_PAIRS)
    typer.echo("")


def _pair(row: "PairScore", *, flipped: bool) -> list[str]:
    from drretail.eval.compare.wording import p_value

    won, lost = (row.queries_lost, row.queries_won) if flipped else (row.queries_won, row.queries_lost)
    turned: Callable[[float], float] = (lambda rate: 1 - rate) if flipped else (lambda rate: rate)
    rate = None if row.win_rate is None else turned(row.win_rate)
    low, high = sorted(turned(end) for end in (row.ci_low, row.ci_high) if end is not None) or (None, None)
    counts = [f"{count:,}" for count in (won, row.n_queries - won - lost, lost, row.n_queries)]
    shares = [share(row.flip_rate), share(row.first_position_rate)]
    return [row.dimension, *counts, figure(rate), interval(low, high), p_value(row.p), p_value(row.p_holm), *shares]
