"""Tables 1 and 2: what judges say of the systems' reports, and how far two judges agree (Appendix E)."""

from collections.abc import Iterable, Sequence

from drretail.records.score import PANEL, Agreement, Score, Scores, shown_rows
from drretail.tables.table import Cell, Row
from drretail.viewer.paper.published import (
    Lineup,
    PaperTable,
    absent,
    beside,
    columns_of,
    here,
    numbers_of,
    of_paper,
    paper_table,
    rows_of,
)

TableKey = tuple[str, str, str]
"""Judge, its parameters, and the rules."""


JUDGED = {
    # Precision and recall of citations, and claims cited in a report.
    "faithfulness": ("Table 1", "Faithfulness"),
    # Seven ratings from 0 to 10 and their mean.
    "quality": ("Table 2", "Answer quality"),
}
"""Name and title of each family's table in the paper."""


def judges_agree(experiment: str, scores: Scores | None) -> PaperTable:
    """Appendix E: Spearman's ρ of two judges' ratings."""
    published = numbers_of("rho")
    found = [row for row in (scores.agreements if scores else ()) if row.metric == "quality"]
    rows: list[Row] = []
    for dimension, rho in published.items():
        rows += [_agreed(row) for row in found if row.variant == dimension]
        rows.append(of_paper(dimension, (Cell(rho, "number"), None, None, None)))
    missing = f"ratings of two language models: drretail score {experiment} --metrics quality --judge A --judge B"
    return paper_table(
        "Appendix E",
        "Agreement of two judges (Spearman's ρ)",
        ("ρ", "reports", "ρ over systems", "systems"),
        rows,
        notes=("The paper does not say whether its ρ is over reports or over systems.",),
        missing=() if found else (missing,),
    )


def _agreed(row: Agreement) -> Row:
    return here(
        f"{row.variant} ({row.first}, {row.second})",
        (
            Cell(row.rho_report, "number"),
            Cell(row.n_reports, "count"),
            Cell(row.rho_system, "number"),
            Cell(row.n_systems, "count"),
        ),
    )


def judged(experiment: str, metric: str, scores: Scores | None, lines: Lineup) -> PaperTable:
    """The paper's table of a family in ``JUDGED``."""
    (name, title), columns = JUDGED[metric], columns_of(metric)
    rows = [row for row in shown_rows(scores.scores if scores else ()) if row.metric == metric]
    # Beside the paper's stand a panel's rows, else a language model's; its own rules before ours.
    kinds = {"llm": 1, "scripted": 2, "rule_based": 3}
    ranks = {
        _table_key(row): (not row.judge.startswith(PANEL), kinds[row.judge_kind], row.rules != "paper") for row in rows
    }
    chosen = min(ranks, key=lambda table_key: (*ranks[table_key], table_key), default=None)
    shown = [row for row in rows if chosen == _table_key(row)]
    notes: list[str] = []
    missing = list(absent(lines))
    if chosen is None:
        flags = f"--metrics {metric} --rules paper --judge PROVIDER:MODEL"
        missing.append(f"{metric} of any judge: drretail score {experiment} {flags}")
    else:
        notes.append(f"Judged here by {_judge_and_rules(chosen)}.{_other_judges(rows, chosen)}")
        if all(row.note is not None for row in shown):
            missing.append(
                f"ratings of a language model (a rule-based judge's are no numbers): drretail score {experiment} "
                f"--metrics {metric} --judge PROVIDER:MODEL"
            )
    own = {label: [_value(shown, label, column) for column in columns] for label in {row.system for row in shown}}
    counts = sorted({row.n_scored for row in shown if row.value is not None and row.variant == columns[0]})
    if counts:
        notes.append(
            f"Reports scored for each system: {' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))}."
        )
    return paper_table(name, title, columns, beside(lines, own, rows_of(metric)), notes, missing)


def _table_key(row: Score) -> TableKey:
    return row.judge, row.judge_params, row.rules


def _judge_and_rules(table_key: TableKey) -> str:
    judge, _, rules = table_key
    return f"{judge}, rules {rules}"


def _other_judges(rows: Iterable[Score], chosen: TableKey) -> str:
    others = sorted({_judge_and_rules(_table_key(row)) for row in rows} - {_judge_and_rules(chosen)})
    return f" Also judged by {'; '.join(others)}: see drretail score." if others else ""


AS_PUBLISHED = {"FP": "FP_types", "FR": "FR_url"}
"""By the name of the paper's column, which of our variants is formed as it was, whatever the rules."""


def _value(rows: Sequence[Score], label: str, column: str) -> Cell | None:
    found = {row.variant: row.value for row in rows if row.system == label}
    value = found.get(AS_PUBLISHED.get(column, column), found.get(column))
    return None if value is None else Cell(value, "number")
