"""Tables 1 and 2, Figure 6: verdicts on reports. Appendices E and D: agreement of two judges and of people."""

from collections.abc import Sequence
from itertools import combinations
from typing import TypeVar

from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.registry import described
from drretail.records.comparison import PairScore
from drretail.records.score import PANEL, Score, Scores, shown_rows
from drretail.records.tables.table import Cell, Row
from drretail.records.vote import Vote
from drretail.stats.agreement import TIE, kappa_without_ties, soft_disagreement
from drretail.stats.raters import Answered, Pair, pairs_of
from drretail.viewer.paper.published import (
    AGENTS,
    Lineup,
    PaperTable,
    beside,
    columns_of,
    here,
    numbers_of,
    of_paper,
    paper_table,
    rows_of,
)

R = TypeVar("R", Score, PairScore)
JUDGED = ("faithfulness", "quality")
"""The metrics with a table in the paper."""


def judges_agree(experiment: str, scores: Scores | None) -> PaperTable:
    """Appendix E: Spearman's ρ of two judges' ratings."""
    published = numbers_of("rho")
    agreements = [row for row in (scores.agreements if scores else ()) if row.metric == "quality"]
    whose = {f"{row.first} and {row.second}, rules {row.rules}" for row in agreements}
    rows: list[Row] = []
    for dimension, rho in published.items():
        for row in agreements:
            if row.variant == dimension:
                over_reports = (Cell(row.rho_report, "number"), Cell(row.n_reports, "count"))
                over_systems = (Cell(row.rho_system, "number"), Cell(row.n_systems, "count"))
                judges = "" if len(whose) == 1 else f" ({row.first} and {row.second}, rules {row.rules})"
                rows.append(here(f"{dimension}{judges}", (*over_reports, *over_systems)))
        rows.append(of_paper(dimension, (Cell(rho, "number"), None, None, None)))
    missing = f"ratings of two language models: drretail score {experiment} --metrics quality --judge A --judge B"
    notes = [f"Judged here by {judges}." for judges in whose if len(whose) == 1]
    return paper_table("rho", rows, () if agreements else (missing,), notes=notes)


def judged(experiment: str, metric: str, scores: Scores | None, lines: Lineup) -> PaperTable:
    """The paper's table for a metric in ``JUDGED``."""
    columns = columns_of(metric)
    rows = [row for row in shown_rows(scores.scores if scores else ()) if row.metric == metric]
    shown, notes = _of_first_judge(rows, scores)
    missing = [*lines.absent]
    if not shown:
        flags = f"--metrics {metric} --rules paper --judge PROVIDER:MODEL"
        missing.append(f"{metric} of any judge: drretail score {experiment} {flags}")
    elif all(row.note is not None for row in shown):
        missing.append(
            f"ratings of a language model (a rule-based judge's are no numbers): drretail score {experiment} "
            f"--metrics {metric} --judge PROVIDER:MODEL"
        )
    own = {label: [_value(shown, label, column) for column in columns] for label in {row.system for row in shown}}
    return paper_table(metric, beside(lines, own, rows_of(metric)), missing, notes=notes)


def _of_first_judge(rows: Sequence[R], scores: Scores | None) -> tuple[list[R], list[str]]:
    """The rows of the one judge that stands beside the paper, with a note of who that is and who else judged.

    It is a language model if there is any, the first that was named, by the paper's rules rather than ours; never a
    panel, which the paper does not have.
    """
    named = () if scores is None else scores.named_judges
    kinds = {"llm": 1, "scripted": 2, "rule_based": 3}

    def rank(row: R) -> tuple[int, int, bool, str, str]:
        key = f"{row.judge} {row.judge_params}".rstrip()
        place = named.index(key) if key in named else len(named)
        return kinds[row.judge_kind], place, row.rules != "paper", key, row.rules

    single = [row for row in rows if not row.judge.startswith(PANEL)]
    if not single:
        return [], []
    first = min(map(rank, single))
    shown = [row for row in single if rank(row) == first]
    whose = _judge_and_rules(shown[0])
    others = sorted({_judge_and_rules(row) for row in single} - {whose})
    also = f" Also judged by {'; '.join(others)}: see drretail score." if others else ""
    return shown, [f"Judged here by {whose}.{also}"]


def _judge_and_rules(row: Score | PairScore) -> str:
    return f"{row.judge}, rules {row.rules}"


def _value(rows: Sequence[Score], label: str, column: str) -> Cell | None:
    by_variant = {row.variant: row for row in rows if row.system == label}
    # The variant that is computed as in the paper, under any rules
    published = described(rows[0].metric).own_names.get("paper", {}) if rows else {}
    row = by_variant.get(published.get(column, column)) or by_variant.get(column)
    return None if row is None or row.value is None else Cell(row.value, "number", n=row.n, planned=row.n_planned)


def preferences(experiment: str, scores: Scores | None, lines: Lineup) -> PaperTable:
    """Figure 6: the three agents that read whole pages, pair by pair and dimension by dimension."""
    labels = [label for agent in AGENTS for label in lines.by_name[f"{agent}+ws"]]
    wanted = [tuple(sorted(pair)) for pair in combinations(labels, 2)]
    met = [row for row in (scores.pairs if scores else ()) if (row.a, row.b) in wanted]
    rated, notes = _of_first_judge([row for row in met if row.win.value is not None], scores)
    missing: list[str] = []
    if len(labels) < len(AGENTS):
        flags = " ".join(f"--agent {agent}+ws" for agent in AGENTS if not lines.by_name[f"{agent}+ws"])
        missing.append(f"the three agents that read whole pages: drretail run … {flags}")
    if not met and len(labels) > 1:
        missing.append(f"comparisons: drretail score {experiment} --metrics pairwise --judge PROVIDER:MODEL")
    elif met and not rated:
        missing.append(f"a language model's preferences: drretail score {experiment} --metrics pairwise --judge …")
    has_ties = any(row.tie.value for row in rated)  # by our rules, or where neither system has a report
    rows: list[Row] = []
    for row in rated:
        ties = (row.tie,) if has_ties else ()
        shares = (Cell(share.value, "number") for share in (row.win, *ties, row.loss))
        rows.append(here(f"{row.a} ~ {row.b}: {row.dimension}", (*shares, Cell(row.n_scored, "count"))))
    columns = ("first wins", *(("tie",) if has_ties else ()), "second wins", "pairs")
    return paper_table("preferences", rows, missing, columns=columns, notes=notes)


def people_agree(votes: Sequence[Vote]) -> PaperTable:
    """Appendix D: Cohen's κ of every two annotators by dimension, without ties."""
    published = numbers_of("kappa")
    soft = published.pop("soft_disagreements")
    answers = [
        Answered(vote.annotator, (vote.pair_id, *sorted((vote.a, vote.b))), vote.dimension, vote.winner or TIE)
        for vote in sorted(votes, key=lambda vote: vote.annotator)
    ]
    agreed = [(pair.about, _people_agreed(pair)) for pair in pairs_of(answers) if pair.ones]
    rows: list[Row] = []
    for dimension in (*published, *(dimension for dimension in DIMENSIONS if dimension not in published)):
        rows += [row for about, row in agreed if about == dimension]
        if dimension in published:
            cells = (Cell(published[dimension], "number"), Cell(21, "count"), None, Cell(soft, "number"))
            rows.append(of_paper(dimension, cells))
    annotators = "two people's votes: one line a vote in exp/votes/<annotator>.jsonl (drretail/addons/people/README.md)"
    return paper_table("kappa", rows, () if len({vote.annotator for vote in votes}) > 1 else (annotators,))


def _people_agreed(pair: Pair) -> Row:
    kappa, soft = kappa_without_ties(pair.ones, pair.others), soft_disagreement(pair.ones, pair.others)
    decided = sum(TIE not in answers for answers in zip(pair.ones, pair.others, strict=True))
    counts = (Cell(len(pair.ones), "count"), Cell(decided, "count"))
    return here(f"{pair.about} ({pair.first}, {pair.second})", (Cell(kappa, "number"), *counts, Cell(soft, "number")))
