"""Exports with one fault: the account adds up, and what the fault does not concern is read as before."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drretail.data_ingest.raw.lines import Saved, save_elements, save_rows
from drretail.data_ingest.raw.shop_rows import save_table, shop_sources
from drretail.data_ingest.raw.sources import RawFile, Shape
from drretail.errors import UserError
from drretail.records.base import ID_RULE
from tests.data_ingest.raw_rows import HOSTILE, product_row, review_row

Row = dict[str, str]
UNTIL = 1_800_000_000_000


FORMATS = {
    "shopify": (
        "Handle,Title,Body (HTML),Vendor,Product Category,Published,Option1 Name,Option1 Value,Option2 Name,"
        "Option2 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,"
        "Variant Price,Variant Compare At Price,Image Src,Status",
        "p{p},Shirt {p},<p>Soft.</p>,Alder,Apparel > Shirts,true,Size,{v} ½,Colour,{c},S-{p},shopify,{v},deny,2{v},30,"
        "https://x.example/a.jpg,active",
        "p{p},,,,,,,{v} ½,,{c},S-{p},shopify,{v},deny,2{v},30,https://x.example/b.jpg,",
    ),
    "woocommerce": (
        "ID,SKU,Name,Published,Visibility in catalog,Short description,Date sale price starts,Date sale price ends,"
        "In stock?,Stock,Backorders allowed?,Sale price,Regular price,Categories,Brands,Images,Parent,"
        "Attribute 1 name,Attribute 1 value(s)",
        "{p}0,p{p},Hoodie {p},1,visible,Warm.,2020-01-01,2999-01-01,1,,0,,,Clothing > Hoodies,Alder,a,,Size,1; 2",
        "{p}{v},h{p}-{v},Hoodie {p} - {v},1,visible,,2020-01-01,2999-01-01,1,{v},0,4{v},50,,,,p{p},Size,{v}",
    ),
    "merchant": (
        "id,item_group_id,title,product_type,price,sale_price,sale_price_effective_date,brand,description,link,"
        "image_link,availability,color,material,condition",
        "p{p},p{p},Mug {p},Home > Mugs,12.00 EUR,9.00 EUR,2020-01-01T00:00Z/2999-01-01T00:00Z,Alder,Of clay.,"
        "https://x.example/m,https://x.example/m.jpg,in_stock,{c},clay,new",
        "m{p}-{v},p{p},Mug {p},Home > Mugs,12.00 EUR,8.00 EUR,2020-01-01T00:00Z/2999-01-01T00:00Z,Alder,Of clay.,"
        "https://x.example/m,https://x.example/m.jpg,in_stock,{c},clay,new",
    ),
}
"""The columns of each format, and the first row and the others of a product: number p, variant v, colour c."""
NEEDED = {"Title", "Variant SKU", "Name", "id", "title"}
OF_OPTIONS = {"shopify": 3, "woocommerce": 2, "merchant": 3}
"""Offers of a product of three rows."""


def rows_of(form: str, products: int) -> list[Row]:
    """Three rows for each product."""
    columns, *texts = FORMATS[form]
    return [
        dict(zip(columns.split(","), texts[min(v, 1)].format(p=p, v=v, c="赤青緑"[v]).split(","), strict=True))
        for p in range(1, products + 1)
        for v in range(3)
    ]


def read(
    folder: Path, form: str, rows: list[Row], spoilt: dict[int, str] | None = None
) -> tuple[Saved, dict[str, Any]]:
    """What was read of an export, and its products; ``spoilt`` are lines in the place of rows."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([rows[0], *(row.values() for row in rows)])
    lines = out.getvalue().splitlines()
    for place, line in (spoilt or {}).items():
        lines[place + 1] = line
    (folder / "p.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (folder / "shop.toml").write_text(f'format = "{form}"\ncurrency = "EUR"\nproducts = {{file = "p.csv"}}\n')
    saved = save_table(shop_sources(folder / "shop.toml")[1][0], folder / "rows", UNTIL)
    assert saved.account.adds_up
    assert saved.account.came == len(rows)
    found = [json.loads(row) for row in (folder / "rows").read_text(encoding="utf-8").splitlines()]
    for row in found:
        if "Variants" in row["details"]:
            row["details"]["Variants"].sort(key=lambda variant: variant["id"])
    return saved, {row["parent_asin"]: row for row in found}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shop")


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), products=st.integers(1, 4))
def test_one_fault_loses_no_row_and_changes_no_other_product(
    folder: Path, form: str, data: st.DataObject, products: int
) -> None:
    rows = rows_of(form, products)
    saved, whole = read(folder, form, rows)
    assert saved.account.used == products
    assert {len(row["details"]["Variants"]) for row in whole.values()} == {OF_OPTIONS[form]}
    place = data.draw(st.integers(0, len(rows) - 1))

    again, found = read(folder, form, [*rows, rows[place]])
    assert found == whole
    assert again.account.n_merged == saved.account.n_merged + 1

    _, found = read(folder, form, data.draw(st.permutations(rows)))
    assert found.keys() == whole.keys()
    assert [row["details"]["Variants"] for row in found.values()] == [
        whole[key]["details"]["Variants"] for key in found
    ]

    others = {key: row for key, row in whole.items() if key != f"p{place // 3 + 1}"}
    cut, found = read(folder, form, rows, {place: "cut,off"})
    assert others.items() <= found.items()
    assert cut.account.left_out["fewer values than the header has columns"].first == str(place + 2)
    emptied = {**rows[place], data.draw(st.sampled_from([*rows[place]])): ""}
    _, found = read(folder, form, [*rows[:place], emptied, *rows[place + 1 :]])
    assert others.items() <= found.items()


@pytest.mark.parametrize(("form", "column"), [(form, name) for form in FORMATS for name in rows_of(form, 1)[0]])
def test_a_missing_column_is_as_an_empty_one(tmp_path: Path, form: str, column: str) -> None:
    rows = rows_of(form, 2)
    without = [{name: text for name, text in row.items() if name != column} for row in rows]
    if column in NEEDED:
        with pytest.raises(UserError, match=column):
            read(tmp_path, form, without)
        return
    _, found = read(tmp_path, form, without)
    if column == "Variant Inventory Tracker":  # empty, it says that the stock is not counted
        assert found == read(tmp_path, form, rows)[1]
    else:
        assert found == read(tmp_path, form, [row | {column: ""} for row in rows])[1]


@pytest.mark.parametrize(
    ("form", "cells", "said", "right"),
    [
        ("woocommerce", {"Date sale price ends": "soon"}, "no sale, since its days can't be read", {"price": 50.0}),
        ("woocommerce", {"Date sale price ends": "2021-01-01"}, "no sale today", {"price": 50.0}),
        ("merchant", {"sale_price_effective_date": "1/2/3"}, "no sale, since its days can't be read", {"price": 12.0}),
        ("woocommerce", {"In stock?": "nein"}, "of unknown availability", {"stock": "nein"}),
        ("shopify", {"Variant Inventory Qty": "many"}, "of unknown stock", {"stock": "many"}),
        (
            "shopify",
            {"Variant Inventory Policy": "?"},
            "not sold without stock, since it can't be read",
            {"stock": "1"},
        ),
        ("shopify", {"Variant Compare At Price": "?"}, "no list price (Variant", {"list_price": None}),
    ],
)
def test_what_cannot_be_read_is_said_and_no_yes(
    tmp_path: Path, form: str, cells: Row, said: str, right: dict[str, Any]
) -> None:
    rows = rows_of(form, 1)
    rows[1] |= cells
    saved, found = read(tmp_path, form, rows)
    (note,) = [note for note in saved.notes if note.startswith(f"1 row {said}")]
    assert next(iter(cells.values())) in note
    variant = next(iter(found.values()))["details"]["Variants"][form == "shopify"]
    assert {name: variant.get(name) for name in right} == right


def test_a_product_that_may_be_hidden_is_left_out_and_named(tmp_path: Path) -> None:
    rows = rows_of("shopify", 2)
    rows[0]["Status"] = "gesperrt"
    saved, found = read(tmp_path, "shopify", rows)
    assert [*found] == ["p2"]
    fate = saved.account.left_out["not known to be published (Status, Published)"]
    assert (fate.count, fate.first) == (3, "2: 'gesperrt'")


PRODUCT, REVIEW = product_row("B1"), review_row("A1", "B1", 1)


def strange(row: dict[str, Any], *names: str) -> dict[str, tuple[Any, str]]:
    return {f"{name} {i}": (row | {name: each}, f"{name} is no id ({ID_RULE})") for name in names for i, each in IDS}


IDS = [*enumerate(HOSTILE)]
OF_ALL: dict[str, tuple[Any, str]] = {"cut": (None, "not JSON"), "a list": ([1], "not a JSON object")}
OF_THE_DATASET: dict[str, dict[str, tuple[Any, str]]] = {
    "products": {
        **(OF_ALL | strange(PRODUCT, "parent_asin")),
        "good": (PRODUCT, ""),
        "a review": (REVIEW, "no row of products"),
    },
    "reviews": {
        **(OF_ALL | strange(REVIEW, "user_id", "parent_asin")),
        "good": (REVIEW, ""),
        "a product": (PRODUCT, "no row of reviews"),
        **{f"user {user}": (REVIEW | {"user_id": user}, "no user_id") for user in ("", "nan", "None", "NULL")},
        **{
            f"time {moment}": (REVIEW | {"timestamp": moment}, "no timestamp in milliseconds")
            for moment in (None, -5, 10**15, "soon", 10**30)
        },
        "late": (REVIEW | {"timestamp": UNTIL + 1}, "dated later than 2027-01-15 (--until)"),
    },
}
"""Rows by shape, and why they are left out."""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.booleans())
@pytest.mark.parametrize("shape", ["products", "reviews"])
def test_rows_of_the_dataset_are_saved_or_left_out_for_their_reason_and_with_their_place(
    folder: Path, shape: Shape, data: st.DataObject, is_array: bool
) -> None:
    of_kind = OF_THE_DATASET[shape]
    kinds = data.draw(
        st.lists(st.sampled_from([kind for kind in of_kind if not is_array or kind != "cut"]), max_size=8)
    )
    if is_array:
        (folder / "a.json").write_text(json.dumps([of_kind[kind][0] for kind in kinds], indent=1))
        saved = save_elements(RawFile(folder / "a.json", False, shape, "document"), folder / "out", UNTIL)
    else:
        saved, out = Saved(), io.StringIO()
        lines = [b"{" if kind == "cut" else json.dumps(of_kind[kind][0]).encode() for kind in kinds]
        save_rows(enumerate(lines, 1), shape, out, saved, UNTIL)
    assert saved.account.adds_up
    assert saved.account.reasons.isprintable()
    assert (saved.account.came, saved.account.used) == (len(kinds), kinds.count("good"))
    reasons = [of_kind[kind][1] for kind in kinds]
    for reason, fate in saved.account.left_out.items():
        assert fate.count == reasons.count(reason), reason
        assert is_array or fate.first.partition(":")[0] == str(reasons.index(reason) + 1), reason
