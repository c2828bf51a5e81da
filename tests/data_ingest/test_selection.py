"""Algorithm 1 on DuckDB, against the same rule in plain Python; last orders held out; categories; and the engine."""

import hashlib
import random
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from drretail.data_ingest.engines import base
from drretail.data_ingest.engines.base import SelectionTask
from drretail.data_ingest.engines.duckdb import select as select_on_duckdb
from drretail.data_ingest.engines.duckdb_reading import close_engines, session
from drretail.data_ingest.plan import CapBy, IngestSettings, in_preset_order, named_category, plan_inputs
from drretail.data_ingest.raw.lines import recognise
from drretail.data_ingest.selected import selected_orders, selected_products
from drretail.errors import UnknownName, UserError
from drretail.plugins import Plugins
from drretail.progress import Progress
from tests.data_ingest.raw_rows import BEFORE_2019, START, product_row, review_row, write_lines

Interaction = tuple[str, str, int]
"""User, product, milliseconds."""
Result = tuple[dict[str, str], list[tuple[str, str, str, int, int, str]]]
"""Id → category; order id, user, product, milliseconds, quantity, status, by user, time and id."""


def select(
    meta: list[tuple[str, str]], reviews: list[Interaction], ranks: list[str], options: IngestSettings
) -> Result:
    """What the paper's rule keeps of product rows (id, category) and reviews; ``ranks`` orders the categories."""
    category: dict[str, str] = {}
    for product, name in meta:
        category[product] = min(category.get(product, name), name, key=ranks.index)
    recent = {review for review in reviews if review[2] >= options.since_ms and review[1] in category}
    counts = Counter(product for _, product, _ in recent)
    products = dict[str, str]()
    for name in ranks:
        eligible = [p for p, own in category.items() if own == name and counts[p] >= options.min_interactions]
        if options.cap_by == "interactions":
            eligible.sort(key=lambda product: (-counts[product], product))
        else:
            eligible.sort(key=lambda product: (md5(options.seed + product), product))
        products |= dict.fromkeys(eligible[: options.cap], name)
    return products, number(sorted(row for row in recent if row[1] in products), options)


def number(rows: list[Interaction], options: IngestSettings) -> list[tuple[str, str, str, int, int, str]]:
    seen = Counter[int]()
    orders: list[tuple[str, str, str, int, int, str]] = []
    for user, product, moment in rows:
        h = int(md5(f"{options.seed}|{user}|{product}|{moment}"), 16) % 10**9
        draw = md5(f"{options.seed}|vary|{user}|{product}|{moment}")
        quantity, status = vary(int(draw[:4], 16) % 100, int(draw[4:8], 16) % 100)
        if not options.vary_orders:
            quantity, status = 1, "Delivered"
        orders.append((f"{seen[h]}{h:09d}", user, product, moment, quantity, status))
        seen[h] += 1
    return sorted(orders, key=lambda order: (order[1], order[3], order[0]))


def vary(quantity_draw: int, status_draw: int) -> tuple[int, str]:
    quantity = 1 + sum(quantity_draw >= share for share in (80, 93, 97, 99))
    statuses = ["Delivered", "Shipped", "Processing", "Cancelled", "Returned"]
    return quantity, statuses[sum(status_draw >= share for share in (88, 91, 93, 97))]


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


RANKS = ["Pet_Supplies", "All_Beauty", "Books"]


def run_engine(work: Path, meta: list[tuple[str, str]], reviews: list[Interaction], options: IngestSettings) -> Result:
    """Loads rows through files, as ingest does, and gives what the SQL keeps."""
    paths = [
        write_lines(work / f"meta_{name}.jsonl", [product_row(product) for product, own in meta if own == name])
        for name in RANKS
    ]
    of_no_product = ("A", "unknown", START)  # makes a file of reviews also where there are none
    paths.append(write_lines(work / "reviews.jsonl.gz", [review_row(*row) for row in [*reviews, of_no_product]]))
    plan = plan_inputs([recognise(path) for path in paths], options)
    (work / "stages").mkdir()
    selected = select_on_duckdb(SelectionTask(plan, options, work / "stages", Progress()))
    products = {product.product_id: product.category for product in selected_products(selected, plan.categories)}
    return products, [row[:6] for row in selected_orders(selected)]


FIRST_DAYS = (1_546_214_400_000, 1_546_300_800_000, 1_546_387_200_000)


@pytest.mark.parametrize(
    ("seed", "minimum", "since", "cap_by"),
    [
        ("0", 0, date(2018, 12, 31), "hash"),
        ("s'7", 6, date(2019, 1, 1), "interactions"),
        ("2", 12, date(2019, 1, 2), "hash"),
    ],
)
def test_sql_keeps_what_plain_python_keeps(tmp_path: Path, seed: str, minimum: int, since: date, cap_by: CapBy) -> None:
    """Of rows on both sides of the first day, and twice; with products of several categories, and one never bought."""
    draw = random.Random(seed)
    ids = ["0679734529", "b:1", *(f"B{number:03d}" for number in range(38))]
    users = ["a@b.c", "#W1", "a+b", *(f"A{number}{end}" for number in range(19) for end in ("", "_1", "_2"))]
    edges = [day + moment for day in FIRST_DAYS for moment in (-1, 0, 1)]
    meta = [("unbought", "Books"), *((draw.choice(ids), draw.choice(RANKS)) for _ in range(50))]
    moments = [BEFORE_2019, *edges, START, START + 7]
    reviews = [(draw.choice(users), draw.choice(ids), draw.choice(moments)) for _ in range(900)]
    options = IngestSettings(cap=5, cap_by=cap_by, seed=seed, min_interactions=minimum, since=since, vary_orders=True)
    products, orders = found = run_engine(tmp_path / "work", meta, reviews, options)
    assert found == select(meta, reviews, RANKS, options)
    assert products
    assert orders


def test_orders_that_share_a_hash_are_told_apart_over_all_categories(tmp_path: Path) -> None:
    # Found by trying: with the seed "42" these interactions have equal md5 mod 10^9.
    twins = [("A14322", "B2", START), ("A21299", "B1", START)]
    meta, options = [("B1", "Books"), ("B2", "All_Beauty")], IngestSettings(min_interactions=1)
    products, orders = run_engine(tmp_path / "work", meta, twins, options)
    assert [order[0][0] for order in orders] == ["0", "1"]
    assert orders[0][0][1:] == orders[1][0][1:]
    assert (products, orders) == select(meta, twins, RANKS, options)


@pytest.mark.parametrize(
    ("path", "category"),
    [
        ("x/meta_Pet_Supplies.jsonl.gz", "Pet_Supplies"),
        ("All_Beauty/meta_data.json", "All_Beauty"),
        ("All_Beauty/meta_Beauty_and_Personal_Care.hf.jsonl", "Beauty_and_Personal_Care"),
        ("x/cookBooks.jsonl", None),
        ("x/pet_supplies.jsonl", None),
    ],
)
def test_the_stem_in_the_files_name_comes_before_that_of_its_folder(path: str, category: str | None) -> None:
    assert named_category(Path(path)) == category


def test_own_names_come_after_the_stems() -> None:
    names = ["Zebra", "Books", "All_Beauty", "Baby_Products", "Ants", "Books"]
    assert in_preset_order(names) == ("Baby_Products", "All_Beauty", "Books", "Ants", "Zebra")


def test_after_an_error_the_next_session_begins_anew(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The selection failed"), session(tmp_path, 200) as db:
        db.execute("CREATE TABLE one AS SELECT error('broken')")
    with session(tmp_path, 200) as db:
        assert db.execute("SELECT 1").fetchall() == [(1,)]
    close_engines(tmp_path)


def test_an_engine_that_is_unknown_or_whose_add_on_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "ENGINES", Plugins("engine", base.ENGINES.built_in, "drretail.engines_of_nobody"))
    with pytest.raises(UserError, match=r"--engine spark needs the add-on spark, which is not installed here\.$"):
        base.load_engine("spark")
    with pytest.raises(UnknownName, match="duckdb"):
        base.load_engine("duckdbb")
