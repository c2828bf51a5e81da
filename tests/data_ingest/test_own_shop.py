"""A shop of one's own: its mapping file, and how tables and a mapping become a world like any other."""

import csv
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from drretail import open_world, run
from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestReport, IngestSettings
from drretail.data_ingest.raw.shop_rows import shop_sources
from drretail.env.folder import check_world
from drretail.env.manifest import live_generation, read_manifest
from drretail.errors import UserError
from drretail.parsing import MOST_COLUMNS
from drretail.querygen.generate import Drafts
from drretail.records.shop import Product
from drretail.reports.text.evidence_ids import parse_evidence_id
from tests.data_ingest.raw_rows import orders_in, product_in, read_tables

PRODUCTS = [
    {"sku": "007", "name": "Napf", "path": "Tiere > Hunde", "net": "1.004,95", "stock": "12", "mat": "Ton"},
    {"sku": "B2", "name": "Matte", "path": "Wohnen > Bad", "net": "9,00 €", "stock": "", "mat": ""},
    {"sku": "B3", "name": "Lampe", "path": "", "net": "auf Anfrage", "stock": "0", "mat": ""},
]
ORDERS = [
    {"nr": "R-1", "who": "a@x.example", "sku": "007", "day": "2023-12-31", "n": "2", "stand": "Versendet"},
    {"nr": "R-1", "who": "a@x.example", "sku": "B2", "day": "2023-12-31", "n": "1", "stand": "delivered"},
    {"nr": "R-2", "who": "b", "sku": "B2", "day": "2024-01-01T10:00:00+02:00", "n": "1.0", "stand": "storniert"},
]
HEAD = 'currency = "EUR"\n'
MAPPING = """
[products]
file = "products.csv"
id = "sku"
title = "name"
category = "path"
price = "net"
stock = "stock"
details = { Material = "mat" }
"""
OF_ORDERS = """
[orders]
file = "orders.csv"
id = "nr"
user = "who"
product = "sku"
date = "day"
quantity = "n"
status = "stand"
[status]
versendet = "Shipped"
storniert = "Cancelled"
"""


def write_table(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:  # with a byte order mark, as Excel writes it
        csv.writer(file, delimiter=";", lineterminator="\n").writerows([rows[0], *(row.values() for row in rows)])


def shop(
    folder: Path,
    products: Sequence[dict[str, Any]] = PRODUCTS,
    orders: Sequence[dict[str, Any]] = ORDERS,
    head: str = HEAD,
    mapping: str = MAPPING + OF_ORDERS,
) -> Path:
    """The path of a mapping, beside its tables."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / "products.csv", products)
    if orders:
        write_table(folder / "orders.csv", orders)
    (folder / "shop.toml").write_text(head + mapping, encoding="utf-8")
    return folder / "shop.toml"


def reasons(report: IngestReport, file: str) -> list[tuple[int, str, int]]:
    fates = next(each for each in report.files if each.name == file).account.left_out
    return sorted((int(fate.first.partition(":")[0]), reason, fate.count) for reason, fate in fates.items())


def read(
    folder: Path,
    products: Sequence[dict[str, Any]] = PRODUCTS,
    orders: Sequence[dict[str, Any]] = ORDERS,
    *,
    more: bytes = b"",
    **given: str,
) -> IngestReport:
    """The report of a world in ``w``, made of a shop whose table of products ends with ``more``."""
    path = shop(folder / "raw", products, orders, **given)
    with (folder / "raw" / "products.csv").open("ab") as file:
        file.write(more)
    return ingest_files([path], folder / "w")


def test_tables_make_a_whole_world(tmp_path: Path) -> None:
    world = tmp_path / "w"
    report = ingest_files([shop(tmp_path / "raw")], world)
    assert check_world(world) == []
    assert (report.products.used, report.reviews.used, report.users) == (3, 3, 2)
    assert product_in(world, "007") == Product(
        product_id="007",
        title="Napf",
        price=1004.95,
        currency="EUR",
        categories=("Tiere", "Hunde"),
        category="Tiere",
        details={"Material": "Ton", "Stock": 12},
    )
    assert (product_in(world, "B2").price, product_in(world, "B2").details) == (9.0, {})
    assert (product_in(world, "B3").price, product_in(world, "B3").category) == (None, "shop")
    found = [(one.order_id, one.quantity, one.order_status, one.timestamp) for one in orders_in(world, "a@x.example")]
    assert sorted(found) == [("R-1-1", 2, "Shipped", 1703980800000), ("R-1-2", 1, "Delivered", 1703980800000)]
    (order,) = orders_in(world, "b")
    assert (order.order_id, order.order_status, order.timestamp) == ("R-2", "Cancelled", 1704096000000)


@pytest.mark.parametrize(
    ("said", "is_refused"), [("Der Napf ist für die Küche und das Bad. " * 3, True), ("It is for the kitchen.", False)]
)
def test_a_german_shop_of_no_language_is_told_why_no_rule_writes(tmp_path: Path, said: str, is_refused: bool) -> None:
    mapping = MAPPING.replace('title = "name"', 'title = "name"\ndescription = "mat"') + OF_ORDERS
    read(tmp_path, [dict(row, mat=said) for row in PRODUCTS], mapping=mapping)
    with open_world(tmp_path / "w") as world:
        if is_refused:
            with pytest.raises(
                UserError, match=r"this shop's texts are in another language: have a model write questions"
            ):
                Drafts(world, "1")
        else:
            Drafts(world, "1")


def test_a_world_in_its_currency_says_its_mapping_and_keeps_orders_of_products_that_are_gone(tmp_path: Path) -> None:
    read(tmp_path, PRODUCTS, [*ORDERS, dict(ORDERS[0], sku="gone")])
    assert check_world(tmp_path / "w") == []
    with open_world(tmp_path / "w") as world:
        kept = world.store.order("R-1-3")
        assert (kept.product_id, kept.quantity, kept.order_status, kept.order_date[:10]) == (
            "gone", 2, "Shipped", "2023-12-31",
        )  # fmt: skip
        statistics = world.store.statistics("a@x.example")
        assert (statistics.orders, statistics.items, statistics.orders_with_unknown_price) == (3, 5, 1)
        assert (statistics.spend, statistics.currency) == (2018.9, "EUR")
        asked = ["Which Matte is cheapest?"]
        report = run(world, asked, ["react"], user="a@x.example", baselines=False, to=tmp_path / "e").report("react")
        assert "costs €9.00" in report
        assert "$" not in report
    manifest = read_manifest(live_generation(tmp_path / "w"))
    assert manifest.parameters["mapping"]["products"]["id"] == ["sku"]
    counts = {row.name: (row.products, row.users, row.orders) for row in manifest.categories}
    assert counts == {"Tiere": (1, 1, 1), "Wohnen": (1, 2, 2), "shop": (1, 1, 1), "(none)": (0, 0, 0)}
    assert manifest.categories[-1].rows_read == 7


def test_bad_rows_are_counted_by_reason_and_the_first_of_each_is_named(tmp_path: Path) -> None:
    orders = [
        dict(ORDERS[0], who=""),
        *ORDERS,
        dict(ORDERS[0], day="9999-12-31"),  # it stands for none
        dict(ORDERS[0], day="31/12/2023"),
        dict(ORDERS[0], n="0"),
        dict(ORDERS[0], n="many"),
        dict(ORDERS[0], n="1,000"),  # a thousand, or one
        dict(ORDERS[0], who="NaN"),
    ]
    wide_and_short = b"B4;Bad;x;1,00;1;x;more\nB5;short\nB6;Good;x;1,00;1;x\n"
    report = read(tmp_path, [*PRODUCTS, dict(PRODUCTS[0], sku="/")], orders, more=wide_and_short)
    assert report.reviews.n_left_out == 7
    assert reasons(report, "orders.csv") == [
        (2, "no user (who)", 2),
        (6, "no date (day) in ISO's form, or see date_format", 2),
        (8, "no quantity (n)", 3),
    ]
    assert (report.products.used, report.products.n_left_out) == (4, 3)
    assert reasons(report, "products.csv") == [
        (5, "no id (sku)", 1),
        (6, "more values than the header has columns", 1),
        (7, "fewer values than the header has columns", 1),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"more": b'B7;"open;x;1,00;1;x\n' + b"".join(b"C%d;Good;x;1,00;1;x\n" % number for number in range(1000))},
            r"products\.csv, line 5, is no CSV: .*is a quote never closed",
        ),
        (
            {"orders": [dict(row, sku=f"{row['sku']}.0") for row in ORDERS]},
            r"No order is left of 3 rows: of an unknown product \(3, first: 007-0\); no product row has the id '007-0'",
        ),
        (
            {"orders": [dict(ORDERS[0], day="x")]},
            r"No order is left of 1 row: no date \(day\) in ISO's form, or see date_format \(1, .*line 2: 'x'\)",
        ),
        (
            {"orders": [*ORDERS, dict(ORDERS[0], day="2204-01-23")]},
            r"1 of 4 reviews or orders have a date later than \d{4}-\d\d-\d\d \(orders\.csv, line 5: '2204.*'\): mend",
        ),
        (
            {"orders": [*ORDERS, dict(ORDERS[0], stand="weg"), dict(ORDERS[0], stand="")]},
            r"does not know: 'weg' \(1\), '' \(1\)\. Write in \[status\]",
        ),
        (
            {"orders": [*ORDERS, dict(ORDERS[2], nr="R-1-2")]},
            "'R-1-2' is the id of one order, and would be that of a line of another",
        ),
        (
            {"products": [dict(PRODUCTS[0], sku="A.1"), dict(PRODUCTS[0], sku="A-1")]},
            r"the ids 'A\.1' and 'A-1', which would both be 'A-1'",
        ),
        *(
            (
                {
                    "products": [dict(PRODUCTS[1], net="5"), dict(PRODUCTS[2], net=price)],
                    "head": f'currency = "{currency}"\n',
                },
                rf"has 1 price such as '.*4.95.*', and the world's currency is {currency}",
            )
            for currency, price in (("USD", "4.95 EUR"), ("USD", "€ 4.95"), ("EUR", "$4.95"))
        ),
    ],
)
def test_tables_that_make_no_world_are_told_in_a_sentence(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(tmp_path, **given)


def test_ids_are_written_so_that_reports_can_cite_them(tmp_path: Path) -> None:
    products = [dict(PRODUCTS[0], sku="#7.5/ü a"), *PRODUCTS]
    orders = [dict(ORDERS[0], sku="#7.5/ü a", nr="2024/1"), dict(ORDERS[0], who="Ada Quill", nr="R-9")]
    report = read(tmp_path, products, orders)
    (order,) = orders_in(tmp_path / "w", "a@x.example")
    assert (order.order_id, order.product_id) == ("2024-1", "7-5---a")
    assert parse_evidence_id(f"P:{order.product_id}") is not None
    assert parse_evidence_id(f"O:{order.order_id}") is not None
    (of_ada,) = orders_in(tmp_path / "w", f"u{sha256(b'ada quill').hexdigest()[:12]}")
    assert of_ada.order_id == "R-9"
    said = {file.name: file.notes for file in report.files}
    assert said["products.csv"][0].startswith("1 id written otherwise, such as '#7.5/ü a' as '7-5---a'")
    assert said["orders.csv"][0].startswith("1 id written otherwise")


def test_prices_and_numbers_that_are_dropped_or_may_mean_something_else_are_told(tmp_path: Path) -> None:
    rows = [
        dict(PRODUCTS[0], net="2.500", stock="7", mat="1.5"),
        dict(PRODUCTS[1], net="5", stock="4,5", mat="x"),
        dict(PRODUCTS[2], net="1,299", stock="", mat="1,200"),
        dict(PRODUCTS[2], net="4.9", stock="5", mat=""),
        dict(PRODUCTS[2], net="1.004,95", stock="", mat=""),
        dict(PRODUCTS[2], net="auf Anfrage", stock="", mat=""),
    ]
    mapping = MAPPING.replace('stock = "stock"\ndetails = { Material = "mat" }', 'rating = "stock"\nratings = "mat"')
    assert read_tables(shop(tmp_path, rows, [], head="", mapping=mapping))[0] == [
        "1 price with three decimals, such as '2.500': where that means thousands, write decimal = ','",
        'prices that name no currency are taken as USD: write currency = "EUR" for another',
        "2 rows of unknown price, first in line 6: '1.004,95'",
        "2 rows of unknown rating (stock), first in line 2: '7'",
        "1 row of unknown number of ratings (mat), first in line 3: 'x'",
    ]


@pytest.mark.slow  # needs Spark's package
def test_spark_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    with pytest.raises(UserError, match="read by DuckDB: leave --engine spark out"):
        ingest_files([shop(tmp_path / "raw")], tmp_path / "w", engine="spark")


def test_a_mapping_without_order_columns_makes_ids_quantities_and_statuses_as_for_reviews(tmp_path: Path) -> None:
    read(tmp_path, mapping=MAPPING + '[orders]\nfile = "orders.csv"\nuser = "who"\nproduct = "sku"\ndate = "day"\n')
    (order,) = orders_in(tmp_path / "w", "b")
    assert (len(order.order_id), order.quantity, order.order_status) == (10, 1, "Delivered")


def test_another_mapping_of_the_same_files_is_another_world_and_asks_before_it_replaces(tmp_path: Path) -> None:
    path = shop(tmp_path / "raw", [dict(PRODUCTS[0]), dict(PRODUCTS[1], net="9,00")])
    before = ingest_files([path], tmp_path / "w")
    assert ingest_files([path], tmp_path / "w").there_already
    path.write_text(path.read_text().replace("EUR", "CHF"))
    with pytest.raises(UserError, match=r"What would come has mapping \w{8} instead of \w{8}\. Add --force"):
        ingest_files([path], tmp_path / "w")
    after = ingest_files([path], tmp_path / "w", replace=True)
    assert after.fingerprint != before.fingerprint
    assert product_in(tmp_path / "w", "B2").currency == "CHF"


def test_tables_without_a_mapping_or_rows_and_presets_are_refused(tmp_path: Path) -> None:
    path = shop(tmp_path / "raw")
    with pytest.raises(UserError, match="say in a mapping which column is what"):
        ingest_files([tmp_path / "raw" / "products.csv"], tmp_path / "w")
    with pytest.raises(UserError, match="--preset is about the categories of Amazon"):
        ingest_files([path], tmp_path / "w", IngestSettings(preset="paper"))
    (tmp_path / "raw" / "products.csv").write_text("sku;name;path;net;stock;mat\n")
    with pytest.raises(UserError, match="No product is left of 0 rows"):
        ingest_files([path], tmp_path / "w")


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        (
            '"nett"',
            '"net"',
            r"'nett' names 0 columns of products.csv, which has sku, .*, mat\. Did you mean 'net'",
        ),
        ("none.toml", "shop.toml", r"none\.toml does not exist"),
        ("other.csv", "products.csv", "does not exist"),
        ("[policy]\ndelivery_days = [4, 2]", "", "is the fewest and the most days"),
        ("[user]", "", "user is unknown"),
        ("[status]\nx = 'Gone'", "", r"status\.x\S* is 'Gone': it should be .*Delivered"),
        ("[status]\nopen = 'Shipped'", "", r"no orders\.status says which column has them"),
        ("language = 'gernan'", "", "language is 'gernan': it should be .*german"),
        ("orders = 'o.csv'", "", "orders is 'o.csv': it should be .*docs/shop.md shows"),
        ("[orders]\nfile = 'o.csv'", "", r"orders\.user is missing"),
        ("[[", "", "cannot be read as a mapping"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_one_sentence(tmp_path: Path, wrong: str, right: str, message: str) -> None:
    is_head = wrong.startswith(("language", "orders"))
    text = MAPPING.replace(right, wrong) if right else f"{MAPPING}{'' if is_head else wrong}\n"
    path = shop(tmp_path, orders=[], head=f"{wrong}\n" if is_head else HEAD, mapping=text)
    with pytest.raises(UserError, match=message) as problem:
        shop_sources(path.with_name(wrong) if right == path.name else path)
    assert len(str(problem.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("products.csv", b"sku,name,path,net,stock,mat,net\n", "names 2 columns of products.csv"),
        ("products.csv", b"", "is empty"),
        ("products.csv", b"," * 60_002, rf"has 60,003 columns, and a table may have {MOST_COLUMNS:,}"),
        ("products.csv", "sku,name,größe\n".encode("latin-1"), "is not in UTF-8"),
        ("products.csv", b'sku,"name\n1,x\n', "is a quote never closed"),
        ("products.xlsx", b"PK", "none of .csv"),
    ],
)
def test_a_file_that_is_no_table_is_one_sentence(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = shop(tmp_path, orders=[], mapping=MAPPING.replace("products.csv", name))
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UserError, match=message) as problem:
        shop_sources(path)
    assert len(str(problem.value).splitlines()) == 1
