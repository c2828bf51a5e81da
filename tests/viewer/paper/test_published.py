from statistics import mean

import pytest

from drretail.viewer.paper.published import SYSTEMS, columns_of, rows_of


def test_every_system_of_the_paper_has_a_line_in_every_table() -> None:
    for table in ("faithfulness", "quality", "cost"):
        rows = rows_of(table)
        assert tuple(rows) == SYSTEMS
        assert {len(cells) for cells in rows.values()} == {len(columns_of(table))}


def test_claims_of_both_types_add_up_as_they_do_in_the_paper() -> None:
    for cells in rows_of("faithfulness").values():
        cited, web, product = (cell.value for cell in cells[4:] if isinstance(cell.value, float))
        assert cited == pytest.approx(web + product)


def test_avg_is_the_mean_of_the_seven_ratings() -> None:
    for cells in rows_of("quality").values():
        *ratings, average = (cell.value for cell in cells if isinstance(cell.value, float))
        assert average == pytest.approx(mean(ratings), abs=0.0051)
