"""What distractors cost: a row a system and size, with what is left without supportive pages."""

from drretail.records.comparison import DistractorTable
from drretail.tables.table import Column, Row, Table
from drretail.viewer.tables.ablations import difference_cell, row_names, score_cell

HEADING = "Distractor effect"
NOTE = (
    "Effect: all pages minus those without distractors, inside each query that both have, with its interval over "
    "users. n: queries. p: signs of users flipped, corrected for the system's compositions (Holm); * where it and the "
    "interval both show a difference."
)
_COLUMNS = (Column("all"), Column("no distractors"), Column("effect"), Column("no supportive"))


def distractor_table(table: DistractorTable) -> Table:
    """One variant by one judge, with its sentence below."""
    names = row_names(row.agent for row in table.rows)
    rows: list[Row] = []
    for row in table.rows:
        means = [
            each and score_cell(each) for each in (row.everything, row.without_distractors, row.without_supportive)
        ]
        cost = row.without_distractors_over_all
        effect = None if cost is None else difference_cell(cost, is_turned=True)
        rows.append(Row(names[row.agent], (*means[:2], effect, means[2]), row.agent))
    sentence = table.sentence
    for agent, name in sorted(names.items(), key=lambda named: -len(named[0])):
        sentence = sentence.replace(agent, name)
    title = f"{HEADING}: {table.name.replace('_', ' ')}"
    return Table(title, _COLUMNS, tuple(rows), by=f"by {table.judge}", heading="System", notes=(sentence,))
