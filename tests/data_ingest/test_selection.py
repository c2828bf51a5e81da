"""Algorithm 1 on DuckDB, against the same rule in plain Python."""

import random
import re
from datetime import date
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.data_ingest.engines.base import Task
from drretail.data_ingest.engines.duckdb import select as select_on_duckdb
from drretail.data_ingest.plan import CapBy, IngestOptions, plan_inputs
from drretail.data_ingest.raw.lines import recognise
from drretail.data_ingest.selected import selected_orders, selected_products
from drretail.data_ingest.selection import TABLES, sql_text
from drretail.progress import Progress
from tests.data_ingest.raw_rows import BEFORE_2019, START, product_row, review_row, write_lines
from tests.data_ingest.reference import Interaction, Result, select

RANKS = ["Pet_Supplies", "All_Beauty", "Books"]


def run_engine(work: Path, meta: list[tuple[str, str]], reviews: list[Interaction], options: IngestOptions) -> Result:
    """Loads rows through files, as ingest does, and gives what the SQL keeps."""
    paths = [
        write_lines(work / f"meta_{name}.jsonl", [product_row(product) for product, own in meta if own == name])
        for name in RANKS
    ]
    of_no_product = ("A", "unknown", START)  # makes a file of reviews also where there are none
    paths.append(write_lines(work / "reviews.jsonl.gz", [review_row(*row) for row in [*reviews, of_no_product]]))
    plan = plan_inputs([recognise(path) for path in paths], options)
    (work / "stages").mkdir()
    selected = select_on_duckdb(Task(plan, options, work / "stages", Progress()))
    products = {product.product_id: product.category for product in selected_products(selected, plan.categories)}
    return Result(products, [row[:] for row in selected_orders(selected, held_out=False)])


def random_rows(seed: int, size: int) -> tuple[list[tuple[str, str]], list[Interaction]]:
    draw = random.Random(seed)
    ids = [f"B{number:03d}" for number in range(40)]
    meta = [(draw.choice(ids), draw.choice(RANKS)) for _ in range(50)]
    moments = [BEFORE_2019, 1_546_300_799_999, 1_546_300_800_000, START, START + 1]
    reviews = [
        (
            f"A{draw.randrange(20)}{draw.choice(['', '_1', '_2'])}",
            draw.choice(ids),
            draw.choice(moments) + 7 * draw.randrange(3),
        )
        for _ in range(size)
    ]
    return meta, reviews


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cap_by", get_args(CapBy))
def test_sql_keeps_the_same_products_and_orders_as_plain_python(tmp_path: Path, seed: int, cap_by: CapBy) -> None:
    meta, reviews = random_rows(seed, 900)
    options = IngestOptions(cap=5, cap_by=cap_by, seed=str(seed), min_interactions=seed * 3, vary_orders=seed % 2 == 0)

    found = run_engine(tmp_path / "work", meta, reviews, options)

    assert found == select(meta, reviews, RANKS, options)
    assert found.products
    assert found.orders


@settings(max_examples=15, deadline=None)
@given(
    reviews=st.lists(
        st.tuples(
            st.sampled_from(["A1", "A1_1", "a@b.c", "#W1", "a+b"]),
            st.sampled_from(["B1", "B2", "0679734529", "b:1"]),
            st.integers(1_546_300_799_990, 1_546_300_800_010),
        ),
        max_size=40,
    ),
    minimum=st.integers(0, 4),
    since=st.dates(date(2018, 12, 31), date(2019, 1, 2)),
)
def test_sql_agrees_with_plain_python_at_the_edges(
    tmp_path_factory: pytest.TempPathFactory, reviews: list[Interaction], minimum: int, since: date
) -> None:
    meta = [("B1", "Books"), ("B1", "Pet_Supplies"), ("0679734529", "Books"), ("b:1", "All_Beauty")]
    options = IngestOptions(min_interactions=minimum, since=since, cap=1, vary_orders=True, seed="s'7")

    work = tmp_path_factory.mktemp("edges") / "work"

    assert run_engine(work, meta, reviews, options) == select(meta, reviews, RANKS, options)


def test_orders_that_share_a_hash_are_told_apart_over_all_categories(tmp_path: Path) -> None:
    # Found by trying: with the seed "42" these interactions have equal md5 mod 10^9.
    twins = [("A14322", "B2", START), ("A21299", "B1", START)]
    meta, options = [("B1", "Books"), ("B2", "All_Beauty")], IngestOptions(min_interactions=1)

    found = run_engine(tmp_path / "work", meta, twins, options)

    assert [order[0][0] for order in found.orders] == ["0", "1"]
    assert found.orders[0][0][1:] == found.orders[1][0][1:]
    assert found == select(meta, twins, RANKS, options)


def test_the_threads_of_the_engine_do_not_change_the_result(tmp_path: Path) -> None:
    meta, reviews = random_rows(3, 400)
    options = IngestOptions(min_interactions=2)
    assert run_engine(tmp_path / "one", meta, reviews, options) == run_engine(
        tmp_path / "two", list(reversed(meta)), list(reversed(reviews)), options
    )


@pytest.mark.parametrize("name", TABLES)
def test_sql_keeps_to_what_other_engines_have_too(name: str) -> None:
    text = sql_text(name)
    assert "::" not in text
    assert "VARCHAR" not in text
    assert not re.search(r"\bsum\(", text.replace("CAST(sum(", "").replace("CAST(coalesce(sum(", ""))
    assert bool(re.search(r"(row_number|rank)\(\) OVER", text)) == ("ORDER BY" in text)
