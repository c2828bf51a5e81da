"""How far judges agree, as a table: a row for every two judges, a column for each variant that sums up a family."""

from collections.abc import Sequence

from drretail.records.score import Agreement, MetricDescription
from drretail.tables.figures import NOTHING, counted
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.tables.scores import NONE_HELD, Metrics, description

TITLE = "Agreement of judges"
MEANING = "Spearman's ρ over the reports that both judges scored: 1 for the same ranking, 0 for unrelated ones."


def agreement_table(agreements: Sequence[Agreement], metrics: Metrics = NONE_HELD) -> Table | None:
    """None where no two judges that are models judged the same family; ``metrics`` as in ``score_tables``."""
    families = {row.metric: description(metrics, row.metric) for row in agreements}
    summaries = {name: family.summaries or (_first(agreements, name),) for name, family in families.items()}
    shown = [row for row in agreements if row.variant in summaries[row.metric]]
    if not shown:
        return None
    columns = list(dict.fromkeys((row.metric, row.variant) for row in shown))
    lines: dict[str, dict[tuple[str, str], Agreement]] = {}
    for row in shown:
        rules = "" if row.rules == "default" else f", rules of {row.rules}"
        lines.setdefault(f"{row.first} and {row.second}{rules}", {})[row.metric, row.variant] = row
    alone = next(iter(lines)) if len(lines) == 1 else ""
    return Table(
        title=TITLE,
        by=alone,
        columns=tuple(Column(_name(metric, variant, families[metric]), TITLE) for metric, variant in columns),
        rows=tuple(
            Row("ρ" if alone else who, tuple(_cell(by_column.get(column)) for column in columns), who)
            for who, by_column in lines.items()
        ),
        notes=(MEANING,),
        heading="Judges",
        turns_for_one=True,
    )


def _first(agreements: Sequence[Agreement], metric: str) -> str:
    return next(row.variant for row in agreements if row.metric == metric)


def _name(metric: str, variant: str, family: MetricDescription) -> str:
    return variant if family.named_by_variant else f"{metric} {variant}"


def _cell(row: Agreement | None) -> Cell | None:
    if row is None:
        return None
    rho = NOTHING if row.rho_report is None else row.rho_report
    return Cell(rho, "number", counts=counted(row.n_reports, "report"))
